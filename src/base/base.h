/* The foundation of all folders: reals, arenas, arrays, text, and errors with their place. It
 * contains no mathematics. */
#ifndef RITTI_BASE_H
#define RITTI_BASE_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "ritt.h"

/* ---- reals: the numeric code is written in ritt_real ---- */
#ifndef RITT_QUAD /* base/real_quad.h defines these for the build in quadruple precision */
typedef double ritt_real;
#define RITTI_EPS       2.220446049250313e-16
#define RITTI_MATH(f)   f      /* RITTI_MATH(sin)(a) */
#define RITTI_D(digits) digits /* a decimal constant with all digits that a real can hold */

/* The elementary functions of expressions: RITTI_ELEMENTARY(sin)(a). They are the same on every
 * machine (base/elementary.h). */
#define RITTI_ELEMENTARY(f)   ritti_real_##f
#define RITTI_SINCOS(a, s, c) ritti_real_sincos(a, s, c)
double ritti_real_exp(double a);
double ritti_real_log(double a);
double ritti_real_log2(double a);
double ritti_real_log10(double a);
double ritti_real_sin(double a);
double ritti_real_cos(double a);
double ritti_real_tan(double a);
double ritti_real_asin(double a);
double ritti_real_acos(double a);
double ritti_real_atan(double a);
double ritti_real_sinh(double a);
double ritti_real_cosh(double a);
double ritti_real_tanh(double a);
double ritti_real_erf(double a);
double ritti_real_erfc(double a);
double ritti_real_cbrt(double a);
double ritti_real_pow(double a, double b);
double ritti_real_atan2(double a, double b);
double ritti_real_hypot(double a, double b);
void ritti_real_sincos(double a, double *sine, double *cosine);
#endif
enum { RITTI_REAL_IS_DOUBLE = sizeof(ritt_real) == sizeof(double) };
#define RITTI_PI_NUMBER RITTI_D(3.14159265358979323846264338327950288)

/* For functions that must be compiled separately for each of their constant arguments. */
#if defined(__GNUC__)
#define RITTI_INLINE inline __attribute__((always_inline))
#else
#define RITTI_INLINE inline
#endif

/* Lets the compiler check the arguments of functions like printf. */
#if defined(__GNUC__)
#define RITTI_PRINTF(a, b) __attribute__((format(printf, a, b)))
#else
#define RITTI_PRINTF(a, b)
#endif

/* Returns the status of a call if it failed. */
#define RITT_TRY(call)                                                                             \
  do {                                                                                             \
    ritt_status try_status_ = (call);                                                              \
    if (try_status_ != RITT_OK) return try_status_;                                                \
  } while (0)

/* ---- arenas: memory that lives as long as the product of a stage and is freed at once ---- */
typedef struct ritti_arena ritti_arena;

/* A new arena; NULL: no memory. */
ritti_arena *ritti_arena_new(void);
/* A new arena whose blocks come from an allocator (NULL: malloc); NULL: no memory. */
ritti_arena *ritti_arena_from(const ritt_allocator *allocator);
/* An arena in a block of the caller, which cannot grow; NULL: the block is too small. */
ritti_arena *ritti_arena_in(void *block, size_t size);
/* A second arena for temporary data; NULL: there is no other memory, so use the arena itself. */
ritti_arena *ritti_arena_beside(const ritti_arena *arena);
void ritti_arena_free(ritti_arena *arena);
/* Empties the arena; its first block stays. */
void ritti_arena_clear(ritti_arena *arena);
/* The size of a block that could hold the same contents. */
size_t ritti_arena_used(const ritti_arena *arena);
/* Allocates count*size zeroed bytes, aligned for any type; NULL if there is no memory or count*size
 * overflows. */
void *ritti_arena_alloc(ritti_arena *arena, size_t count, size_t size);
/* Copies a text of this length and adds a NUL; NULL: no memory. */
char *ritti_arena_text(ritti_arena *arena, const char *text, size_t length);
/* Allocates a formatted text; NULL: no memory. */
char *ritti_arena_format(ritti_arena *arena, const char *format, ...) RITTI_PRINTF(2, 3);

/* Calls end(data) when the arena is freed, the newest ending first: for resources outside the
 * arena. */
ritt_status ritti_arena_at_end(ritti_arena *arena, void (*end)(void *data), void *data) RITT_USE;

/* Allocates an array in an arena, or returns RITT_NO_MEMORY from the enclosing function. */
#define RITTI_NEW(pointer, arena, count)                                                           \
  do {                                                                                             \
    (pointer) = ritti_arena_alloc((arena), (size_t)(count), sizeof *(pointer));                    \
    if (!(pointer)) return RITT_NO_MEMORY;                                                         \
  } while (0)

/* Allocates up to 12 arrays of the same length: RITTI_NEW_ARRAYS(arena, length, x, y, z). The
 * names of all macros stand here in full, since emitted C keeps only macros that it finds. */
/* clang-format off */
#define RITTI_NEW_ARRAYS(arena, length, ...)                                                       \
  do {                                                                                             \
    RITTI_NEW_BY_NUMBER(__VA_ARGS__, RITTI_NEW_12, RITTI_NEW_11, RITTI_NEW_10, RITTI_NEW_9,        \
                        RITTI_NEW_8, RITTI_NEW_7, RITTI_NEW_6, RITTI_NEW_5, RITTI_NEW_4,           \
                        RITTI_NEW_3, RITTI_NEW_2, RITTI_NEW_1, 0)                                  \
    (arena, length, __VA_ARGS__);                                                                  \
  } while (0)
#define RITTI_NEW_BY_NUMBER(a, b, c, d, e, f, g, h, i, j, k, l, macro, ...) macro
#define RITTI_NEW_1(A, n, x) RITTI_NEW(x, A, n)
#define RITTI_NEW_2(A, n, x, ...) RITTI_NEW(x, A, n); RITTI_NEW_1(A, n, __VA_ARGS__)
#define RITTI_NEW_3(A, n, x, ...) RITTI_NEW(x, A, n); RITTI_NEW_2(A, n, __VA_ARGS__)
#define RITTI_NEW_4(A, n, x, ...) RITTI_NEW(x, A, n); RITTI_NEW_3(A, n, __VA_ARGS__)
#define RITTI_NEW_5(A, n, x, ...) RITTI_NEW(x, A, n); RITTI_NEW_4(A, n, __VA_ARGS__)
#define RITTI_NEW_6(A, n, x, ...) RITTI_NEW(x, A, n); RITTI_NEW_5(A, n, __VA_ARGS__)
#define RITTI_NEW_7(A, n, x, ...) RITTI_NEW(x, A, n); RITTI_NEW_6(A, n, __VA_ARGS__)
#define RITTI_NEW_8(A, n, x, ...) RITTI_NEW(x, A, n); RITTI_NEW_7(A, n, __VA_ARGS__)
#define RITTI_NEW_9(A, n, x, ...) RITTI_NEW(x, A, n); RITTI_NEW_8(A, n, __VA_ARGS__)
#define RITTI_NEW_10(A, n, x, ...) RITTI_NEW(x, A, n); RITTI_NEW_9(A, n, __VA_ARGS__)
#define RITTI_NEW_11(A, n, x, ...) RITTI_NEW(x, A, n); RITTI_NEW_10(A, n, __VA_ARGS__)
#define RITTI_NEW_12(A, n, x, ...) RITTI_NEW(x, A, n); RITTI_NEW_11(A, n, __VA_ARGS__)
/* clang-format on */

/* ---- growable arrays: RITTI_ARRAY(int) a = {0}; RITT_TRY(RITTI_PUSH(a, 7)); a.at[0]; a.count;
 * RITTI_ARRAY_FREE(a); ---- */
#define RITTI_ARRAY(type)                                                                          \
  struct {                                                                                         \
    type *at;                                                                                      \
    size_t count, room;                                                                            \
  }
/* Makes room for one more element. */
ritt_status ritti_array_grow(void *array, size_t element) RITT_USE;
#define RITTI_PUSH(a, ...)                                                                         \
  ((a).count < (a).room || ritti_array_grow(&(a), sizeof *(a).at) == RITT_OK                       \
       ? ((a).at[(a).count++] = (__VA_ARGS__), RITT_OK)                                            \
       : RITT_NO_MEMORY)
#define RITTI_ARRAY_FREE(a) (ritti_free((a).at), (a).at = NULL, (a).count = (a).room = 0)

/* Every allocation of the library goes through these functions. */
void *ritti_malloc(size_t size);
void *ritti_realloc(void *old, size_t size);
void ritti_free(void *p);
/* Sets a function that every allocation asks first: true: the allocation fails. */
typedef bool (*ritti_memory_question)(void);
void ritti_memory_stops(ritti_memory_question asked);

/* ---- formatted text: like snprintf, without stdio and the same in every locale (format.c) ---- */
size_t ritti_format(char *text, size_t room, const char *format, ...) RITTI_PRINTF(3, 4);
size_t ritti_format_list(char *text, size_t room, const char *format, va_list args)
    RITTI_PRINTF(3, 0);

/* ---- text: a string that grows; after a failed allocation `status` stays RITT_NO_MEMORY ---- */
typedef struct ritti_text {
  char *at; /* ends with NUL once something was added; NULL before */
  size_t count, room;
  ritt_status status;
  bool fixed; /* `at` belongs to the caller: text that does not fit is dropped */
} ritti_text;
#define RITTI_TEXT_IN(buffer)                                                                      \
  { .at = (buffer), .room = sizeof(buffer), .fixed = true }

void ritti_text_add(ritti_text *text, const char *format, ...) RITTI_PRINTF(2, 3);
void ritti_text_add_bytes(ritti_text *text, const char *bytes, size_t count);
/* Adds a string as a JSON string, quoted and escaped. */
void ritti_text_add_json(ritti_text *text, const char *string);
/* Adds a string as a C string literal, quoted and escaped. */
void ritti_text_add_c(ritti_text *text, const char *string);
/* Adds names with commas between them, "p[1..100]" for those of an array, up to about `widest` characters. */
void ritti_text_add_names(ritti_text *text, const char *const *name, size_t count, size_t widest);
void ritti_text_free(ritti_text *text);

/* The candidate most similar to `name` by edit distance; NULL if none is similar enough to be
 * meant. */
const char *ritti_nearest(const char *name, const char *const *candidates, size_t count);

/* Writes a double as the shortest decimal that reads back as the same double ("0.1", "1e-08"). */
const char *ritti_shortest(double value, char buffer[32]);
/* Writes a double with 6 digits, or with more if these are needed to distinguish it from `other`.
 */
const char *ritti_digits_apart(double value, double other, char buffer[32]);

/* The name of a derivative in the language: x, x', x'', x''', der(x, 4). In the arena; NULL: no
 * memory. */
const char *ritti_jet_name(ritti_arena *arena, const char *variable, int order);

/* ---- errors ---- */
/* A place in a model's text; line 0 means none. `file` and `source` live as long as the model. */
typedef struct ritti_place {
  const char *file;
  const char *source; /* the whole line, without its end */
  int line, column;
} ritti_place;

/* Adds a message and returns `status`. `place`, `hint` and `error` may be NULL. A message with the
 * same text and place as an earlier one is not added again. */
ritt_status ritti_fail(ritt_error *error, ritt_status status, const ritti_place *place,
                       const char *hint, const char *format, ...) RITTI_PRINTF(5, 6);
/* Adds the message that there is no memory and returns RITT_NO_MEMORY. */
ritt_status ritti_no_memory(ritt_error *error);
/* An error in an arena that contains nothing else; NULL: no memory. */
ritt_error *ritti_error_in(ritti_arena *arena);
/* Adds the messages of `from` to `to`. */
void ritti_error_move(ritt_error *to, const ritt_error *from);

#endif
