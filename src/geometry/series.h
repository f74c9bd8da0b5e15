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

/* X(id, slots that it fills beside its own) */
#define RITTI_SERIES_OPERATIONS(X)                                                                 \
  X(ADD, 0)                                                                                        \
  X(SUBTRACT, 0)                                                                                   \
  X(MULTIPLY, 0)                                                                                   \
  X(SQUARE, 0)                                                                                     \
  X(DIVIDE, 0)                                                                                     \
  X(NEGATE, 0)                                                                                     \
  X(SHIFT, 0)   /* a + b, b a constant */                                                          \
  X(SCALE, 0)   /* a b, b a constant */                                                            \
  X(REDUCE, 0)  /* a / b, b a constant */                                                          \
  X(REFLECT, 0) /* b - a, b a constant */                                                          \
  X(SQRT, 0)                                                                                       \
  X(POWER, 0) /* a^b, b a constant */                                                              \
  X(EXP, 0)                                                                                        \
  X(LOG, 0)                                                                                        \
  X(SINCOS, 1)   /* then the cosine */                                                             \
  X(SINHCOSH, 1) /* then the hyperbolic cosine */                                                  \
  X(TAN, 1)      /* then 1 + tan^2 */                                                              \
  X(TANH, 1)     /* then 1 - tanh^2 */                                                             \
  X(ATAN, 1)     /* then 1 + a^2 */                                                                \
  X(ASIN, 2)     /* then 1 - a^2 and its root */                                                   \
  X(ACOS, 2)                                                                                       \
  X(ATAN2, 1) /* then a^2 + b^2 */                                                                 \
  X(ABS, 0)                                                                                        \
  X(SIGN, 0)                                                                                       \
  X(STEP, 0)                                                                                       \
  X(FLOOR, 0)                                                                                      \
  X(MIN, 0)                                                                                        \
  X(MAX, 0)                                                                                        \
  X(WHEN, 0)                                                                                       \
  X(UNLESS, 0)                                                                                     \
  X(TABLE,                                                                                         \
    0) /* a table at a; b, a constant, says which. Then as many as the degree of its        \
                 polynomials */
typedef enum ritti_series_operation {
#define X(id, more) RITTI_SERIES_##id,
  RITTI_SERIES_OPERATIONS(X)
#undef X
      RITTI_SERIES_COUNT
} ritti_series_operation;

typedef struct ritti_series_step {
  uint32_t op, out, a, b; /* slots; b = a where there is one operand */
} ritti_series_step;

/* A constant: from the row of the problem's work, or (place = UINT32_MAX) a number. */
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

/* Slots beside its own that an operation fills; degree: of the table, else not used. */
int ritti_series_more(ritti_series_operation op, int degree);

/* The coefficients k of all slots, slot i at value[i * terms + k], from those of the coordinates,
 * which are set. k = 0 takes the constants from the row `work`; k = 1, 2, ... must follow in order.
 */
void ritti_series_run(const ritti_series *series, const ritt_real *work, int terms, int k,
                      ritt_real *value);
/* Has the row still the constants that coefficient 0 was made with? */
bool ritti_series_holds(const ritti_series *series, const ritt_real *work, int terms,
                        const ritt_real *value);

#endif
