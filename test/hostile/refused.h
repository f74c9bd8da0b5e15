/* What t_places.c makes fail: memory, factorisations, values, calls of the system. The linker leads
 * these calls here
 * (--wrap, test/CMakeLists.txt); which one fails is given by its number, and a first run finds the
 * numbers of those that come from a new place. */
#ifndef RITT_TEST_REFUSED_H
#define RITT_TEST_REFUSED_H

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <hdf5.h>
#include <poll.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/base.h"
#include "linalg/linalg.h"
#include "linalg/sparse.h"

enum { MOST_LEVELS = 100, MOST_CALLS = 1 << 17, MOST_FOUND = 1 << 15, OWN_FRAMES = 4 };

/* ---- places: the library's allocations pass here ---- */

static struct places {    /* shared by all processes of this test */
  void *call[MOST_CALLS]; /* where calls come from, and how often they were refused */
  int times[MOST_CALLS];
  long found[MOST_FOUND], found_count; /* the numbers of allocations that came from new places */
} * places;

static int times = 1;
static enum { MEMORY, MATRICES, VALUES, CALLS } refused; /* what fails; the others do not */
static long asked, live, gmp_live,
    fails_at; /* allocations so far; blocks in use; the one that fails, 0: none */
static bool looking, inside,
    failed; /* for places; in a wrapped call; the one that fails has come */

/* Whether the chain has a call that was refused less than `times` times so far. */
static __attribute__((noinline)) bool is_new_place(void) {
  void *frame[MOST_LEVELS];
  size_t slot[MOST_LEVELS];
  bool is_new = false;
  int count = backtrace(frame, MOST_LEVELS);
  for (int i = OWN_FRAMES; i < count; i++) {
    size_t at = (size_t)(((uintptr_t)frame[i] * 11400714819323198485ull) >> 47) % MOST_CALLS;
    while (places->call[at] && places->call[at] != frame[i]) at = (at + 1) % MOST_CALLS;
    places->call[at] = frame[i];
    is_new = is_new || places->times[at] < times;
    slot[i] = at;
  }
  for (int i = OWN_FRAMES; is_new && i < count; i++) places->times[slot[i]]++;
  return is_new;
}

/* Counts what is asked for; whether this is the one that fails. */
static __attribute__((noinline)) bool fails(void) {
  asked++;
  if (looking && is_new_place() && places->found_count < MOST_FOUND)
    places->found[places->found_count++] = asked;
  failed = failed || asked == fails_at;
  return asked == fails_at;
}

static __attribute__((noinline)) bool is_refused(void) {
  if (inside || refused != MEMORY || !fails()) return false;
  errno = ENOMEM;
  return true;
}

/* in place of src/base/memory.c */
void *ritti_malloc(size_t size) {
  void *p = is_refused() ? NULL : malloc(size ? size : 1);
  live += p != NULL;
  return p;
}
void *ritti_realloc(void *old, size_t size) {
  void *p = is_refused() ? NULL : realloc(old, size ? size : 1);
  live += p && !old;
  return p;
}
void ritti_free(void *p) {
  live -= p != NULL;
  free(p);
}

/* The linker leads calls of ritti_arena_... to these (--wrap). */
void *__real_ritti_arena_alloc(ritti_arena *arena, size_t count, size_t size);
char *__real_ritti_arena_text(ritti_arena *arena, const char *text, size_t length);
ritt_status __real_ritti_arena_at_end(ritti_arena *arena, void (*end)(void *data), void *data);
void *__wrap_ritti_arena_alloc(ritti_arena *arena, size_t count, size_t size);
char *__wrap_ritti_arena_text(ritti_arena *arena, const char *text, size_t length);
ritt_status __wrap_ritti_arena_at_end(ritti_arena *arena, void (*end)(void *data), void *data);
char *__wrap_ritti_arena_format(ritti_arena *arena, const char *format, ...);

void *__wrap_ritti_arena_alloc(ritti_arena *arena, size_t count, size_t size) {
  if (is_refused()) return NULL;
  inside = true;
  void *p = __real_ritti_arena_alloc(arena, count, size);
  inside = false;
  return p;
}
char *__wrap_ritti_arena_text(ritti_arena *arena, const char *text, size_t length) {
  if (is_refused()) return NULL;
  inside = true;
  char *p = __real_ritti_arena_text(arena, text, length);
  inside = false;
  return p;
}
ritt_status __wrap_ritti_arena_at_end(ritti_arena *arena, void (*end)(void *data), void *data) {
  if (is_refused()) return RITT_NO_MEMORY;
  inside = true;
  ritt_status status = __real_ritti_arena_at_end(arena, end, data);
  inside = false;
  return status;
}
char *__wrap_ritti_arena_format(ritti_arena *arena, const char *format, ...) {
  va_list args;
  if (is_refused()) return NULL;
  va_start(args, format);
  size_t length = ritti_format_list(NULL, 0, format, args);
  va_end(args);
  inside = true;
  char *text = __real_ritti_arena_alloc(arena, length + 1, 1);
  inside = false;
  va_start(args, format);
  if (text) ritti_format_list(text, length + 1, format, args);
  va_end(args);
  return text;
}

/* GMP's memory never fails here, but must come back, too; the program's own functions for it are
 * not used. */
typedef void *gmp_new_call(size_t size);
typedef void *gmp_resize_call(void *old, size_t before, size_t size);
typedef void gmp_drop_call(void *p, size_t size);
void __real___gmp_set_memory_functions(gmp_new_call *take, gmp_resize_call *resize,
                                       gmp_drop_call *drop);
__attribute__((visibility("default"))) void
__wrap___gmp_set_memory_functions(gmp_new_call *take, gmp_resize_call *resize, gmp_drop_call *drop);
void __wrap___gmp_set_memory_functions(gmp_new_call *take, gmp_resize_call *resize,
                                       gmp_drop_call *drop) {
  (void)take, (void)resize, (void)drop;
}
static void *gmp_new(size_t size) { return gmp_live++, malloc(size); }
static void *gmp_resize(void *old, size_t before, size_t size) {
  (void)before;
  return realloc(old, size);
}
static void gmp_drop(void *p, size_t size) {
  (void)size;
  gmp_live--;
  free(p);
}

/* ---- matrices: a factorisation that says "singular" where it is not ---- */

static __attribute__((noinline)) bool is_singular(void) { return refused == MATRICES && fails(); }

#define WRAP(name, parameters, arguments)                                                          \
  bool __real_##name parameters;                                                                   \
  bool __wrap_##name parameters;                                                                   \
  bool __wrap_##name parameters { return !is_singular() && __real_##name arguments; }
bool __real_ritti_lu_factor(int n, ritt_real *a, int *pivot, ritt_real *ratio);
bool __wrap_ritti_lu_factor(int n, ritt_real *a, int *pivot, ritt_real *ratio);
bool __wrap_ritti_lu_factor(int n, ritt_real *a, int *pivot, ritt_real *ratio) {
  if (!is_singular()) return __real_ritti_lu_factor(n, a, pivot, ratio);
  if (ratio) *ratio = 0;
  return false;
}
WRAP(ritti_cholesky_factor, (int n, ritt_real *a), (n, a))
WRAP(ritti_ldlt_factor, (int n, int ne, ritt_real *a), (n, ne, a))
WRAP(ritti_singular_values,
     (int rows, int cols, ritt_real *a, ritt_real *sigma, ritt_real *v, ritt_real *scratch),
     (rows, cols, a, sigma, v, scratch))
WRAP(ritti_linear_factor, (ritti_linear * linear, const ritt_real *a, const ritt_real *d),
     (linear, a, d))
WRAP(ritti_linear_factor_solve,
     (ritti_linear * linear, const ritt_real *a, const ritt_real *d, ritt_real *x),
     (linear, a, d, x))

/* ---- values: an evaluation of the model's functions gives a number that is not finite: values.c ---- */

bool is_no_number(void);
__attribute__((noinline)) bool is_no_number(void) { return refused == VALUES && fails(); }

/* ---- calls of the system and of HDF5 that fail ---- */

static __attribute__((noinline)) bool is_failure(void) {
  if (refused != CALLS || !(looking || fails_at) || !fails()) return false;
  errno = EIO;
  return true;
}

/* FAIL: instead of the call; FAIL_AFTER: what it does is done, as when a file is closed */
#define FAIL(type, name, parameters, arguments, value)                                             \
  type __real_##name parameters;                                                                   \
  type __wrap_##name parameters;                                                                   \
  type __wrap_##name parameters { return is_failure() ? (value) : __real_##name arguments; }
#define FAIL_AFTER(type, name, parameters, arguments, value)                                       \
  type __real_##name parameters;                                                                   \
  type __wrap_##name parameters;                                                                   \
  type __wrap_##name parameters {                                                                  \
    type result = __real_##name arguments;                                                         \
    return is_failure() ? (value) : result;                                                        \
  }
typedef struct stat file_state;
typedef struct pollfd polled;
FAIL(FILE *, fopen, (const char *path, const char *mode), (path, mode), NULL)
FAIL(FILE *, tmpfile, (void), (), NULL)
FAIL(int, fseek, (FILE * f, long at, int from), (f, at, from), -1)
FAIL(int, fseeko, (FILE * f, off_t at, int from), (f, at, from), -1)
FAIL(off_t, lseek, (int f, off_t at, int from), (f, at, from), -1)
FAIL(ssize_t, read, (int f, void *bytes, size_t count), (f, bytes, count), -1)
FAIL(ssize_t, write, (int f, const void *bytes, size_t count), (f, bytes, count), -1)
FAIL(ssize_t, pwrite, (int f, const void *bytes, size_t count, off_t at), (f, bytes, count, at), -1)
FAIL(ssize_t, send, (int f, const void *bytes, size_t count, int flags), (f, bytes, count, flags),
     -1)
FAIL(int, fsync, (int f), (f), -1)
FAIL(int, ftruncate, (int f, off_t size), (f, size), -1)
FAIL(int, rename, (const char *from, const char *to), (from, to), -1)
FAIL(int, mkdir, (const char *path, mode_t mode), (path, mode), -1)
FAIL(int, fstat, (int f, file_state *out), (f, out), -1)
FAIL(int, pipe2, (int *two, int flags), (two, flags), -1)
FAIL(int, socketpair, (int domain, int type, int protocol, int *two), (domain, type, protocol, two),
     -1)
FAIL(int, poll, (polled * list, nfds_t count, int wait), (list, count, wait), -1)
FAIL_AFTER(int, fclose, (FILE * f), (f), EOF)
FAIL_AFTER(int, close, (int f), (f), -1)
FAIL(hid_t, H5Fcreate, (const char *path, unsigned flags, hid_t made, hid_t used),
     (path, flags, made, used), -1)
FAIL(hid_t, H5Fopen, (const char *path, unsigned flags, hid_t used), (path, flags, used), -1)
FAIL(hid_t, H5Gcreate2, (hid_t at, const char *name, hid_t links, hid_t made, hid_t used),
     (at, name, links, made, used), -1)
FAIL(hid_t, H5Gopen2, (hid_t at, const char *name, hid_t used), (at, name, used), -1)
FAIL(hid_t, H5Dcreate2,
     (hid_t at, const char *name, hid_t type, hid_t space, hid_t links, hid_t made, hid_t used),
     (at, name, type, space, links, made, used), -1)
FAIL(hid_t, H5Dopen2, (hid_t at, const char *name, hid_t used), (at, name, used), -1)
FAIL(herr_t, H5Dwrite,
     (hid_t set, hid_t type, hid_t here, hid_t there, hid_t how, const void *from),
     (set, type, here, there, how, from), -1)
FAIL(herr_t, H5Dread, (hid_t set, hid_t type, hid_t here, hid_t there, hid_t how, void *to),
     (set, type, here, there, how, to), -1)
FAIL(hid_t, H5Acreate2,
     (hid_t at, const char *name, hid_t type, hid_t space, hid_t made, hid_t used),
     (at, name, type, space, made, used), -1)
FAIL(herr_t, H5Awrite, (hid_t attribute, hid_t type, const void *from), (attribute, type, from), -1)
FAIL(herr_t, H5Aread, (hid_t attribute, hid_t type, void *to), (attribute, type, to), -1)
FAIL(hid_t, H5Screate, (H5S_class_t kind), (kind), -1)
FAIL(hid_t, H5Screate_simple, (int rank, const hsize_t *size, const hsize_t *most),
     (rank, size, most), -1)
FAIL(herr_t, H5Sselect_hyperslab,
     (hid_t space, H5S_seloper_t how, const hsize_t *start, const hsize_t *stride,
      const hsize_t *count, const hsize_t *block),
     (space, how, start, stride, count, block), -1)
FAIL(hid_t, H5Pcreate, (hid_t kind), (kind), -1)
FAIL(hid_t, H5Tcopy, (hid_t type), (type), -1)
FAIL(herr_t, H5Gget_info, (hid_t group, H5G_info_t *out), (group, out), -1)
FAIL_AFTER(herr_t, H5Fclose, (hid_t file), (file), -1)
FAIL_AFTER(herr_t, H5Dclose, (hid_t set), (set), -1)

/* on the way to stderr messages are not lost */
size_t __real_fwrite(const void *bytes, size_t size, size_t count, FILE *f);
size_t __wrap_fwrite(const void *bytes, size_t size, size_t count, FILE *f);
size_t __wrap_fwrite(const void *bytes, size_t size, size_t count, FILE *f) {
  return f != stderr && is_failure() ? 0 : __real_fwrite(bytes, size, count, f);
}
int __real_fflush(FILE *f);
int __wrap_fflush(FILE *f);
int __wrap_fflush(FILE *f) { return f != stderr && is_failure() ? EOF : __real_fflush(f); }
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...) {
  va_list args;
  va_start(args, flags);
  mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
  va_end(args);
  return is_failure() ? -1 : __real_open(path, flags, mode);
}
int __real_posix_spawnp(pid_t *out, const char *file, const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *attributes, char *const *arguments,
                        char *const *variables);
int __wrap_posix_spawnp(pid_t *out, const char *file, const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *attributes, char *const *arguments,
                        char *const *variables);
int __wrap_posix_spawnp(pid_t *out, const char *file, const posix_spawn_file_actions_t *actions,
                        const posix_spawnattr_t *attributes, char *const *arguments,
                        char *const *variables) {
  return is_failure() ? EAGAIN
                      : __real_posix_spawnp(out, file, actions, attributes, arguments, variables);
}

#endif
