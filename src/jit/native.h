/* Native code: generated C, compiled in the background by the system's compiler, kept in the user's
 * cache of files.
 *
 * In: a source that needs no header. Out: its functions, once the compiler is done, or the reason why
 * there are none. No function here waits. A file of the cache is loaded only if it and its folder
 * belong to the user, nobody else can write them, and its checksum is right.
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

/* Loads the code from the cache. If it is not there and `compile` is set, starts a compiler; hard:
 * with -O3. NULL: no memory. */
ritti_native *ritti_native_begin(const char *source, size_t length, bool hard, bool compile);
ritti_native_state ritti_native_poll(ritti_native *native);
/* The reason of a failure, in words that end a sentence. */
const char *ritti_native_reason(const ritti_native *native);
/* A function of code that is READY. NULL: there is none of that name. */
typedef void (*ritti_native_function)(void);
ritti_native_function ritti_native_get(const ritti_native *native, const char *name);
/* Compiles a source to a shared library and waits for it; made: its bytes. RITT_SYSTEM: *reason says
 * why there is none, in words that end a sentence. */
ritt_status ritti_compile_library(const char *source, size_t length, ritti_text *made,
                                  const char **reason) RITT_USE;
/* Ends the compiler if it still works, and unloads the functions. */
void ritti_native_free(ritti_native *native);

#endif
