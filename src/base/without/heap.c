/* Replaces ../memory.c in FMUs: the heap of the C library, and nothing that can refuse memory. */
#include <stdlib.h>
#include "base/base.h"

void *ritti_malloc(size_t size) { return malloc(size ? size : 1); }
void *ritti_realloc(void *old, size_t size) { return realloc(old, size ? size : 1); }
void ritti_free(void *p) { free(p); }
