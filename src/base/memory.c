/* The source of memory: every allocation of the library goes through these three functions. Systems
 * without a heap use without/memory.c instead. */
#include <stdatomic.h>
#include <stdlib.h>
#include "base.h"

static _Atomic(ritti_memory_question) stop_asked;

void ritti_memory_stops(ritti_memory_question asked) { atomic_store(&stop_asked, asked); }

/* Is this thread to end its call? */
static bool must_stop(void) {
  ritti_memory_question asked = atomic_load_explicit(&stop_asked, memory_order_acquire);
  return asked && asked();
}

void *ritti_malloc(size_t size) { return must_stop() ? NULL : malloc(size ? size : 1); }
void *ritti_realloc(void *old, size_t size) {
  return must_stop() ? NULL : realloc(old, size ? size : 1);
}
void ritti_free(void *p) { free(p); }
