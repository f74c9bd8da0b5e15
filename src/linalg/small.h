/* Small dense kernels: one text for the library and for native code, where sizes are constants, so
 * that both have the same bits. What it takes from other headers eval/whole.c writes before it;
 * eval/whole_solve.c writes the operations of the L D L^T out, without those on zeros.
 */
#ifndef RITTI_SMALL_H
#define RITTI_SMALL_H

#include "linalg/linalg.h"

static inline ritt_real ritti_small_dot(const int n, const ritt_real *a, const ritt_real *b) {
  ritt_real s0 = 0, s1 = 0, s2 = 0, s3 = 0;
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

/* 0 times anything that is not finite is not 0; in lanes, which compilers turn into vectors */
static inline bool ritti_are_finite(const size_t n, const ritt_real *a) {
  ritt_real s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  size_t i = 0;
  for (; i + 4 <= n; i += 4)
    s0 += 0 * a[i], s1 += 0 * a[i + 1], s2 += 0 * a[i + 2], s3 += 0 * a[i + 3];
  for (; i < n; i++) s0 += 0 * a[i];
  return (s0 + s1) + (s2 + s3) == 0;
}

/* Has a pivot the sign it must have, and is it more than what cancellation leaves of the `sizes`
 * that went into it, and than the rounding errors carried on from earlier pivots? Those are sum_j
 * l_ij^2 doubt_j, doubt_j the errors in pivot j. Behind a small pivot a later one may be nothing
 * else, though it looks large beside its terms (a singular E, for one). */
static inline bool ritti_pivot_is_sound(const int n, bool positive, ritt_real pivot,
                                        ritt_real sizes, ritt_real carried) {
  ritt_real size = positive ? pivot : -pivot;
  return sizes < INFINITY && size > 1024 * (ritt_real)n * RITTI_EPS * sizes && size > 16 * carried;
}

/* n <= RITTI_SMALL, `ne` positive pivots, then negative ones; the lower triangle in place. false: a
 * pivot is not sound. */
static inline bool ritti_small_ldlt(const int n, const int ne, ritt_real *a) {
  ritt_real doubt[RITTI_SMALL];
  for (int i = 0; i < n; i++) {
    ritt_real *row = a + i * n, sum = 0, sizes = RITTI_MATH(fabs)(row[i]), carried = 0;
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
    doubt[i] = (ritt_real)n * RITTI_EPS * sizes + carried;
    if (!ritti_pivot_is_sound(n, i < ne, row[i], sizes, carried)) return false;
  }
  return true;
}

#endif
