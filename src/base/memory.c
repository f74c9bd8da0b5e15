/* The source of memory: every allocation of the library goes through these three functions. Systems
 * without a heap use without/memory.c instead. */
#include <stdlib.h>
#include "base.h"

void *ritti_malloc(size_t size) { return malloc(size ? size : 1); }
void *ritti_realloc(void *old, size_t size) { return realloc(old, size ? size : 1); }
void ritti_free(void *p) { free(p); }
