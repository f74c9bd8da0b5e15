/* Native code: generated C, compiled in the background by the system's compiler, kept in the user's
 * cache.
 *
 * In: a source that needs no header, all of whose names are generated. Out: its functions, once the
 * compiler is done, or a sentence why there are none. Nothing here waits. A file of the cache is
 * loaded only where it and its folder belong to the user, nobody else can write them, and its sum
 * is right.
 */
#ifndef RITTI_NATIVE_H
#define RITTI_NATIVE_H

#include "base/base.h"

typedef struct ritti_native ritti_native;
typedef enum ritti_native_state {
  RITTI_NATIVE_WORKING,
  RITTI_NATIVE_READY,
  RITTI_NATIVE_FAILED
} ritti_native_state;

/* Takes it from the cache; else, where `compile` says so, starts a compiler, one that takes pains
 * where `hard` says so. NULL: no memory. */
ritti_native *ritti_native_begin(const char *source, size_t length, bool hard, bool compile);
ritti_native_state ritti_native_poll(ritti_native *native);
/* Why it failed, in words that end a sentence. */
const char *ritti_native_reason(const ritti_native *native);
/* A function of the source; READY only. NULL: there is none of that name. */
typedef void (*ritti_native_function)(void);
ritti_native_function ritti_native_get(const ritti_native *native, const char *name);
/* Ends the compiler where it still works, and takes the functions away. */
void ritti_native_free(ritti_native *native);

#endif
