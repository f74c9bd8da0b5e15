/* The solution through a point as a power series: z(s) = sum_j c_j (s / unit)^j, s = x or the arc
 * length. */
#ifndef RITTI_CURVE_H
#define RITTI_CURVE_H

#include "geometry/geometry.h"

typedef struct ritti_curve {
  const ritti_problem *problem;
  ritti_direction *direction; /* for its linear algebra, and for the parametrisation */
  ritti_series series;
  int order, terms; /* coefficients 0 .. order, terms = order + 1 */
  ritt_real *value; /* slots x terms; those of z first */
  /* (1 + tops) x terms: dx/ds (1 over x), then the tops, or v of a null vector (dx/ds, v) */
  ritt_real *top;
  ritt_real *square;    /* terms: |(1, y_1, ..., tops)|^2 in the metric of the arc length */
  ritt_real *right;     /* 1 + tops */
  ritt_real *part;      /* rows x terms: where tops are not unique, A A^T part = ... */
  int *varying;         /* entries of A that are not constants, by rows: */
  int *varying_start;   /* rows + 1 */
  ritti_linear *solver; /* the factors of A_0 in use */
  ritt_real unit;       /* a power of 2 */
  ritt_real *V;         /* m: V for which the coefficients hold */
  const ritt_real *arc; /* the metric for which they hold; NULL: over x */
  bool known;
  long expansions;
} ritti_curve;

/* RITT_WRONG_CALL: the problem has no series. */
ritt_status ritti_curve_init(ritti_curve *curve, const ritti_problem *problem,
                             ritti_direction *direction, int order, ritti_arena *arena) RITT_USE;
/* The coefficients at z, a point of M where the direction is V. They are kept, and not computed
 * again while nothing has changed; *fresh says whether they were. h: about the length of the
 * interval in which they will be used. */
ritt_status ritti_curve_expand(ritti_curve *curve, const ritt_real *z, const ritt_real *V,
                               ritt_real h, bool *fresh) RITT_USE;
/* Coefficient j of coordinate i, of (s / unit)^j. */
static inline ritt_real ritti_curve_coefficient(const ritti_curve *curve, int i, int j) {
  return curve->value[(size_t)i * (size_t)curve->terms + (size_t)j];
}
/* z(s) by the terms up to `order`, and dz/ds. */
void ritti_curve_point(const ritti_curve *curve, int order, ritt_real s, ritt_real *z);
void ritti_curve_tangent(const ritti_curve *curve, int order, ritt_real s, ritt_real *V);

#endif
