/* Functions of z along a curve: programs whose operations act on truncated power series.
 *
 * A program is made once for a problem, is constant data, and runs coefficient by coefficient: from
 * the coefficients 0 .. k of the coordinates come those of all its slots, coefficient k by one
 * sweep. So the series of a solution can be found order by order, each from the last (curve.c). n
 * coefficients cost n^2/2 multiplications an operation.
 */
#ifndef RITTI_SERIES_H
#define RITTI_SERIES_H

#include "base/base.h"
#include "base/table.h"

/* The operations besides the functions of base/functions.def. TABLE fills as many slots behind its
 * own as the degree of its polynomials. */
#define RITTI_SERIES_OPERATIONS(X)                                                                 \
  X(ADD)                                                                                           \
  X(SUBTRACT)                                                                                      \
  X(MULTIPLY)                                                                                      \
  X(SQUARE)                                                                                        \
  X(DIVIDE)                                                                                        \
  X(NEGATE)                                                                                        \
  X(SHIFT)   /* a + b, b a constant */                                                             \
  X(SCALE)   /* a b, b a constant */                                                               \
  X(REDUCE)  /* a / b, b a constant */                                                             \
  X(REFLECT) /* b - a, b a constant */                                                             \
  X(SQRT)                                                                                          \
  X(POWER) /* a^b, b a constant */                                                                 \
  X(MIN)                                                                                           \
  X(MAX)                                                                                           \
  X(WHEN)                                                                                          \
  X(UNLESS)                                                                                        \
  X(TABLE) /* a table at a; b, a constant, says which */
typedef enum ritti_series_operation {
#define X(id) RITTI_SERIES_##id,
  RITTI_SERIES_OPERATIONS(X)
#undef X
#define RITTI_FUNCTION(id, name, at, is, p, r)         RITTI_SERIES_##id,
#define RITTI_FUNCTION2(id, name, pu, pv, r)           RITTI_SERIES_##id,
#define RITTI_SWITCH(id, text, language, value, slope) RITTI_SERIES_##id,
#include "base/functions.def"
} ritti_series_operation;

#define RITTI_SERIES_NONE UINT32_MAX

typedef struct ritti_series_step {
  uint32_t op, out, a, b; /* slots; b = a if there is one operand */
  uint32_t p, q, r; /* functions: the slots of r w' = p a' + q b'; NONE: p = 1, q = 0, r = 1 */
} ritti_series_step;

/* A constant: from the row of the problem's work, or (place = RITTI_SERIES_NONE) a number. */
typedef struct ritti_series_constant {
  uint32_t slot, place;
  ritt_real value;
} ritti_series_constant;

typedef struct ritti_series {
  size_t slots; /* slot i < m: the coordinate i */
  const ritti_series_constant *constant;
  size_t constants;
  const ritti_series_step *code; /* the first `once` of them act on constants alone */
  size_t count, once;
  const uint32_t *result; /* slots of the results */
  const bool *varies;     /* results: false where it is a constant */
  size_t results;
  const ritti_table *const *tables;
} ritti_series;

/* The coefficients k of all slots, slot i at value[i * terms + k], from those of the coordinates,
 * which are set. k = 0 takes the constants from the row `work`; k = 1, 2, ... must follow in order.
 */
void ritti_series_run(const ritti_series *series, const ritt_real *work, int terms, int k,
                      ritt_real *value);
/* Has the row still the constants that coefficient 0 was made with? */
bool ritti_series_holds(const ritti_series *series, const ritt_real *work, int terms,
                        const ritt_real *value);

#endif
