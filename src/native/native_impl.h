/* Private to src/native. */
#ifndef RITTI_NATIVE_IMPL_H
#define RITTI_NATIVE_IMPL_H

#include <sys/types.h>
#include "native/native.h"

enum { RITTI_NATIVE_PATH = 1024 };

/* cache.c */
/* The folder of the cache, made where it is not there. false: there is none that can be trusted;
 * *reason. */
bool ritti_cache_folder(char folder[RITTI_NATIVE_PATH], const char **reason);
/* May the file be loaded: the user's own, written by nobody else, whole? */
bool ritti_cache_good(const char *path);
/* Adds the sum to a file just made, and gives it its name. */
bool ritti_cache_keep(const char *made, const char *path);
/* Deletes what was used longest ago where all is too much, and what dead runs left. */
void ritti_cache_trim(const char *folder);

/* compiler.c */
/* The compiler's whole path: that of $CC where that is one word, else cc, gcc or clang on $PATH. */
bool ritti_compiler_find(char path[RITTI_NATIVE_PATH]);
/* Which compiler it is, for names of files: its path, size and age. */
void ritti_compiler_identity(const char *path, ritti_text *out);
/* Starts it, 0: it could not be. In a group of its own. */
pid_t ritti_compiler_start(const char *compiler, bool hard, const char *source, const char *made);
extern const char *const ritti_compiler_flags[]; /* ends in NULL; and */
const char *ritti_compiler_effort(bool hard);

#endif
