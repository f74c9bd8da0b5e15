/* Small dense kernels: one text for the library and for native code, in which sizes are constants
 * and reals may be vectors (base/width.h), so that all have the same bits. codegen/solve.c writes
 * the operations of the L D L^T out, without the operations on zeros.
 */
#ifndef RITTI_SMALL_H
#define RITTI_SMALL_H

#include "linalg/linalg.h"
#include "base/width.h"

/* 1/x and a/b; 1/x where six digits are enough. A GPU loses the other digits if it is asked to be
 * fast. */
#ifndef RITTI_RECIPROCAL
#define RITTI_RECIPROCAL(x)     (1 / (x))
#define RITTI_QUOTIENT(a, b)    ((a) / (b))
#define RITTI_ABOUT_ONE_OVER(x) (1 / (x))
#endif

/* sum a_i b_i in four partial sums */
static inline ritt_real ritti_small_dot(const int n, const ritt_real *a, const ritt_real *b) {
  ritt_real s0 = RITTI_ZERO, s1 = RITTI_ZERO, s2 = RITTI_ZERO, s3 = RITTI_ZERO;
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += a[i] * b[i];
    s1 += a[i + 1] * b[i + 1];
    s2 += a[i + 2] * b[i + 2];
    s3 += a[i + 3] * b[i + 3];
  }
  for (; i < n; i++) s0 += a[i] * b[i];
  return (s0 + s2) + (s1 + s3);
}

/* Are all entries finite? 0 times a number that is not finite is not 0. A GPU has more integers than
 * doubles to spare, and looks at the exponents. */
static inline ritti_mask ritti_are_finite(const size_t n, const ritt_real *a) {
#ifdef RITTI_GPU
  ritti_mask finite = RITTI_ALL_LANES;
  for (size_t i = 0; i < n; i++)
    finite = RITTI_AND(finite, ((int)(RITTI_TO_BITS(a[i]) >> 32) & 0x7ff00000) != 0x7ff00000);
  return finite;
#else
  ritt_real s0 = RITTI_ZERO, s1 = RITTI_ZERO, s2 = RITTI_ZERO, s3 = RITTI_ZERO;
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += 0 * a[i];
    s1 += 0 * a[i + 1];
    s2 += 0 * a[i + 2];
    s3 += 0 * a[i + 3];
  }
  for (; i < n; i++) s0 += 0 * a[i];
  return (s0 + s1) + (s2 + s3) == 0;
#endif
}

/* Does a pivot have the sign it must have, and is it larger than rounding errors? Cancellation
 * leaves a part of `sizes`, the terms that went into the pivot. Earlier pivots pass on `carried` =
 * sum_j l_ij^2 doubt_j, doubt_j the errors in pivot j: after a small pivot a later one may consist of
 * nothing else, though it is large beside its terms (if E is singular, for example). */
static inline ritti_mask ritti_pivot_is_sound(const int n, bool positive, ritt_real pivot,
                                              ritt_real sizes, ritt_real carried) {
  ritt_real size = positive ? pivot : -pivot;
#ifdef RITTI_FAST
  return size > 0; /* a wrong step is found by its error, a singular point by its volume */
#endif
  return RITTI_AND(sizes < INFINITY, RITTI_AND(size > 1024 * (ritti_single)n * RITTI_EPS * sizes,
                                               size > 16 * carried));
}

/* L D L^T of the lower triangle in place, n <= RITTI_SMALL: `ne` positive pivots, then negative
 * ones. Returns whether all pivots are sound; at width 1 it stops at the first that is not. */
static inline ritti_mask ritti_small_ldlt(const int n, const int ne, ritt_real *a) {
  ritt_real doubt[RITTI_SMALL];
  ritti_mask sound = RITTI_ALL_LANES;
  for (int i = 0; i < n; i++) {
    ritt_real *row = a + i * n, sum = RITTI_ZERO, carried = RITTI_ZERO;
    ritt_real sizes = RITTI_MATH(fabs)(row[i]);
    /* row i of L D, then of L */
    for (int j = 0; j < i; j++) row[j] -= ritti_small_dot(j, row, a + j * n);
    for (int j = 0; j < i; j++) {
      ritt_real product = row[j];
      row[j] /= a[j * n + j];
      product *= row[j];
      sum += product;
      sizes += RITTI_MATH(fabs)(product);
      carried += row[j] * row[j] * doubt[j];
    }
    row[i] -= sum;
    doubt[i] = (ritti_single)n * RITTI_EPS * sizes + carried;
    sound = RITTI_AND(sound, ritti_pivot_is_sound(n, i < ne, row[i], sizes, carried));
    if (RITTI_ALONE && !RITTI_ANY(sound)) return sound;
  }
  return sound;
}

#endif
