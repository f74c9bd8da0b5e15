/* Private to src/native. */
#ifndef RITTI_NATIVE_IMPL_H
#define RITTI_NATIVE_IMPL_H

#include <sys/types.h>
#include "jit/native.h"

enum { RITTI_NATIVE_PATH = 1024 };

/* cache.c */
/* The folder of the cache; makes it if necessary. false: there is none that can be trusted, *reason
 * says why. */
bool ritti_cache_folder(char folder[RITTI_NATIVE_PATH], const char **reason);
/* May the file be loaded? It must be the user's own, writable by nobody else, and complete. */
bool ritti_cache_good(const char *path);
/* Adds the checksum to a file just compiled, and renames it. */
bool ritti_cache_keep(const char *made, const char *path);
/* Deletes the files that were not used for longest if all are too large, and those of killed runs. */
void ritti_cache_trim(const char *folder);

/* compiler.c */
/* The compiler's absolute path: $CC if it is one word, else cc, gcc or clang on $PATH. */
bool ritti_compiler_find(char path[RITTI_NATIVE_PATH]);
/* Adds what identifies the compiler: its path, size and age. */
void ritti_compiler_identity(const char *path, ritti_text *out);
/* Starts the compiler in a process group of its own. Returns 0 on failure. */
pid_t ritti_compiler_start(const char *compiler, bool hard, const char *source, const char *made);
extern const char *const ritti_compiler_flags[]; /* ends in NULL */
const char *ritti_compiler_effort(bool hard);

#endif
