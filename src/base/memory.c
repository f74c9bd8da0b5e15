/* Where memory comes from: every allocation of the library goes through these three.
 * without/memory.c takes its place where there is no heap. */
#include <stdlib.h>
#include "base.h"

void *ritti_malloc(size_t size) { return malloc(size ? size : 1); }
void *ritti_realloc(void *old, size_t size) { return realloc(old, size ? size : 1); }
void ritti_free(void *p) { free(p); }
