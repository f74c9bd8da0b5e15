/* Replaces ../memory.c on systems without a heap: all memory is in blocks of the caller
 * (ritti_arena_in). */
#include "base/base.h"

void *ritti_malloc(size_t size) {
  (void)size;
  return NULL;
}
void *ritti_realloc(void *old, size_t size) {
  (void)old, (void)size;
  return NULL;
}
void ritti_free(void *p) { (void)p; }
