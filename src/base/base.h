/* What every folder stands on: reals, arenas, arrays, text, and errors with their place. Knows no
 * mathematics. */
#ifndef RITTI_BASE_H
#define RITTI_BASE_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "ritt.h"

/* ---- reals: the numeric tower is written in ritt_real ---- */
#ifndef RITT_QUAD /* the second build: base/real_quad.h */
typedef double ritt_real;
#define RITTI_EPS       2.220446049250313e-16
#define RITTI_MATH(f)   f      /* RITTI_MATH(sin)(a) */
#define RITTI_D(digits) digits /* a decimal constant with all the digits a real can hold */
#endif
enum { RITTI_REAL_IS_DOUBLE = sizeof(ritt_real) == sizeof(double) };
#define RITTI_PI_NUMBER RITTI_D(3.14159265358979323846264338327950288)

/* what must be compiled anew for each of its constant arguments */
#if defined(__GNUC__)
#define RITTI_INLINE inline __attribute__((always_inline))
#else
#define RITTI_INLINE inline
#endif

#if defined(__GNUC__)
#define RITTI_PRINTF(a, b) __attribute__((format(printf, a, b)))
#else
#define RITTI_PRINTF(a, b)
#endif

/* Return the status of a call that failed. */
#define RITT_TRY(call)                                                                             \
  do {                                                                                             \
    ritt_status try_status_ = (call);                                                              \
    if (try_status_ != RITT_OK) return try_status_;                                                \
  } while (0)

/* ---- arenas: memory that lives as long as a stage product, freed whole ---- */
typedef struct ritti_arena ritti_arena;

ritti_arena *ritti_arena_new(void); /* NULL: no memory */
/* The same with blocks from an allocator; NULL: malloc. */
ritti_arena *ritti_arena_from(const ritt_allocator *allocator);
/* An arena in a block of the caller's, which is all it ever has; NULL: the block is too small. */
ritti_arena *ritti_arena_in(void *block, size_t size);
/* Another one for what is needed only for a while; NULL: take the arena itself, there is no other
 * memory. */
ritti_arena *ritti_arena_beside(const ritti_arena *arena);
void ritti_arena_free(ritti_arena *arena);
void ritti_arena_clear(ritti_arena *arena);        /* empty again; the first block stays */
size_t ritti_arena_used(const ritti_arena *arena); /* bytes that a block for the same must have */
/* count*size zeroed bytes, aligned for any type; NULL when there is no memory (or count*size
 * overflows). */
void *ritti_arena_alloc(ritti_arena *arena, size_t count, size_t size);
char *ritti_arena_text(ritti_arena *arena, const char *text, size_t length);
char *ritti_arena_format(ritti_arena *arena, const char *format, ...) RITTI_PRINTF(2, 3);

/* Calls end(data) when the arena is freed, the last first: for what a library holds outside it. */
ritt_status ritti_arena_at_end(ritti_arena *arena, void (*end)(void *data), void *data) RITT_USE;

/* Allocate an array in an arena, or return RITT_NO_MEMORY from the enclosing function. */
#define RITTI_NEW(pointer, arena, count)                                                           \
  do {                                                                                             \
    (pointer) = ritti_arena_alloc((arena), (size_t)(count), sizeof *(pointer));                    \
    if (!(pointer)) return RITT_NO_MEMORY;                                                         \
  } while (0)

/* ---- growable arrays
 * ------------------------------------------------------------------------------------
 * RITTI_ARRAY(int) a = {0};  RITT_TRY(RITTI_PUSH(a, 7));  a.at[0];  a.count;  RITTI_ARRAY_FREE(a);
 */
#define RITTI_ARRAY(type)                                                                          \
  struct {                                                                                         \
    type *at;                                                                                      \
    size_t count, room;                                                                            \
  }
ritt_status ritti_array_grow(void *array, size_t element) RITT_USE; /* room for one more */
#define RITTI_PUSH(a, ...)                                                                         \
  ((a).count < (a).room || ritti_array_grow(&(a), sizeof *(a).at) == RITT_OK                       \
       ? ((a).at[(a).count++] = (__VA_ARGS__), RITT_OK)                                            \
       : RITT_NO_MEMORY)
#define RITTI_ARRAY_FREE(a) (ritti_free((a).at), (a).at = NULL, (a).count = (a).room = 0)

void *ritti_malloc(size_t size);
void *ritti_realloc(void *old, size_t size);
void ritti_free(void *p);

/* ---- formatted text: as snprintf, without stdio and in every locale the same (format.c) ---- */
size_t ritti_format(char *text, size_t room, const char *format, ...) RITTI_PRINTF(3, 4);
size_t ritti_format_list(char *text, size_t room, const char *format, va_list args)
    RITTI_PRINTF(3, 0);

/* ---- text: a string that grows; a failed allocation sticks and shows in `status` ---- */
typedef struct ritti_text {
  char *at; /* always ends in NUL once something was added; NULL before */
  size_t count, room;
  ritt_status status;
  bool fixed; /* `at` is the caller's: what does not fit is left out */
} ritti_text;
#define RITTI_TEXT_IN(buffer)                                                                      \
  { .at = (buffer), .room = sizeof(buffer), .fixed = true }

void ritti_text_add(ritti_text *text, const char *format, ...) RITTI_PRINTF(2, 3);
void ritti_text_add_bytes(ritti_text *text, const char *bytes, size_t count);
void ritti_text_add_json(ritti_text *text, const char *string); /* quoted and escaped */
void ritti_text_add_c(ritti_text *text, const char *string);    /* the same as a C string literal */
void ritti_text_free(ritti_text *text);

/* The candidate nearest to `name` by edit distance, if near enough to be meant; else NULL. */
const char *ritti_nearest(const char *name, const char *const *candidates, size_t count);

/* A double as the shortest decimal that reads back the same ("0.1", "1e-08"). `buffer` has 32
 * bytes. */
const char *ritti_shortest(double value, char buffer[32]);
/* A double with 6 digits, or as many more as tell it apart from another one. */
const char *ritti_digits_apart(double value, double other, char buffer[32]);

/* The name of a jet as the language writes it: x, x', x'', x''', der(x, 4). In the arena; NULL
 * without memory. */
const char *ritti_jet_name(ritti_arena *arena, const char *variable, int order);

/* ---- errors ---- */
/* A place in a model text; line 0 means none. `file` and `source` live as long as the model. */
typedef struct ritti_place {
  const char *file;
  const char *source; /* the whole line, without its end */
  int line, column;
} ritti_place;

/* Adds a message and returns `status`. `place` and `hint` may be NULL; error may be NULL (then only
 * the status tells). A message that is the same as one already there (text and place) is not added
 * again. */
ritt_status ritti_fail(ritt_error *error, ritt_status status, const ritti_place *place,
                       const char *hint, const char *format, ...) RITTI_PRINTF(5, 6);
ritt_status ritti_no_memory(ritt_error *error);
ritt_error *
ritti_error_in(ritti_arena *arena); /* lives in the arena, which it has for itself; NULL: no room */
/* Adds the messages of `from` to `to`. */
void ritti_error_move(ritt_error *to, const ritt_error *from);

#endif
