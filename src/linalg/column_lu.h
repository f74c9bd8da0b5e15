/* LU with partial pivoting of small dense matrices with complex entries, or with real ones: one text
 * for the library (complex_lu.c) and for native code, in which sizes are constants.
 *
 * Matrices are stored by columns, real and imaginary parts in two arrays. A column is eliminated
 * from the columns to its right; columns with a zero in the pivot row stay as they are, which saves
 * most of the work for matrices with many zeros. The diagonal of U holds the inverses of the
 * pivots. Entries must be finite: zeros would hide others.
 */
#ifndef RITTI_COLUMN_LU_H
#define RITTI_COLUMN_LU_H

#include "linalg/linalg.h"

static inline void ritti_swap(int n, ritt_real *x, ritt_real *y) {
  for (int i = 0; i < n; i++) {
    ritt_real t = x[i];
    x[i] = y[i];
    y[i] = t;
  }
}

/* y -= factor * x; four at a time, which compilers turn into vectors without being asked to */
static inline void ritti_subtract(int n, ritt_real factor, const ritt_real *restrict x,
                                  ritt_real *restrict y) {
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    y[i] -= factor * x[i];
    y[i + 1] -= factor * x[i + 1];
    y[i + 2] -= factor * x[i + 2];
    y[i + 3] -= factor * x[i + 3];
  }
  for (; i < n; i++) y[i] -= factor * x[i];
}

/* |re| + |im|: good enough to compare pivots, and cheaper than the absolute value. */
static RITTI_INLINE ritt_real ritti_entry_size(ritt_real re, ritt_real im) {
  return RITTI_MATH(fabs)(re) + RITTI_MATH(fabs)(im);
}

/* Exchanges rows i and k in the columns from k on. */
static RITTI_INLINE void ritti_exchange_rows(int n, ritt_real *a, int i, int k) {
  for (int j = k; j < n; j++) ritti_swap(1, a + j * n + i, a + j * n + k);
}

/* y -= (re + i im) x */
static RITTI_INLINE void ritti_subtract_complex(int n, ritt_real re, ritt_real im,
                                                const ritt_real *restrict xr,
                                                const ritt_real *restrict xi,
                                                ritt_real *restrict yr, ritt_real *restrict yi) {
  for (int i = 0; i < n; i++) {
    yr[i] -= re * xr[i] - im * xi[i];
    yi[i] -= re * xi[i] + im * xr[i];
  }
}

/* Factors a complex matrix, stored by columns as real and imaginary parts, as P L U in place.
   The diagonal holds reciprocals of the pivots; false if the matrix is singular. */
static RITTI_INLINE bool ritti_factor_pair(const int n, ritt_real *re, ritt_real *im, int *pivot) {
  for (int k = 0; k < n; k++) {
    ritt_real *kr = re + k * n, *ki = im + k * n;
    int best = k;
    ritt_real largest = ritti_entry_size(kr[k], ki[k]);
    /* find the pivot of column k */
    for (int i = k + 1; i < n; i++) {
      ritt_real size = ritti_entry_size(kr[i], ki[i]);
      if (size > largest) {
        largest = size;
        best = i;
      }
    }
    pivot[k] = best;
    if (!(largest > 0 && largest < INFINITY)) return false;
    if (best != k) {
      ritti_exchange_rows(n, re, best, k);
      ritti_exchange_rows(n, im, best, k);
    }

    /* divide the column by its pivot */
    ritt_real square = kr[k] * kr[k] + ki[k] * ki[k];
    ritt_real r = kr[k] / square, s = -ki[k] / square;
    kr[k] = r;
    ki[k] = s;
    for (int i = k + 1; i < n; i++) {
      ritt_real x = kr[i], y = ki[i];
      kr[i] = r * x - s * y;
      ki[i] = r * y + s * x;
    }
    /* eliminate column k from the columns behind it */
    for (int j = k + 1; j < n; j++) {
      ritt_real *jr = re + j * n, *ji = im + j * n;
      if (jr[k] == 0 && ji[k] == 0) continue;
      ritti_subtract_complex(n - k - 1, jr[k], ji[k], kr + k + 1, ki + k + 1, jr + k + 1,
                             ji + k + 1);
    }
  }
  return true;
}

/* Solves (re + i im) (x + i y) = b with the factors; x and y hold b on entry. */
static RITTI_INLINE void ritti_solve_pair(const int n, const ritt_real *re, const ritt_real *im,
                                          const int *pivot, ritt_real *restrict x,
                                          ritt_real *restrict y) {
  /* forward with L */
  for (int k = 0; k < n; k++) {
    if (pivot[k] != k) {
      ritti_swap(1, x + k, x + pivot[k]);
      ritti_swap(1, y + k, y + pivot[k]);
    }
    ritti_subtract_complex(n - k - 1, x[k], y[k], re + k * n + k + 1, im + k * n + k + 1, x + k + 1,
                           y + k + 1);
  }
  /* backward with U */
  for (int k = n - 1; k >= 0; k--) {
    const ritt_real *kr = re + k * n, *ki = im + k * n;
    ritt_real r = kr[k] * x[k] - ki[k] * y[k], s = kr[k] * y[k] + ki[k] * x[k];
    x[k] = r;
    y[k] = s;
    ritti_subtract_complex(k, r, s, kr, ki, x, y);
  }
}

/* Factors a real matrix, stored by columns, as P L U in place. The diagonal holds reciprocals of
   the pivots; false if the matrix is singular. */
static RITTI_INLINE bool ritti_factor_columns(const int n, ritt_real *a, int *pivot) {
  for (int k = 0; k < n; k++) {
    ritt_real *column = a + k * n, largest = RITTI_MATH(fabs)(column[k]);
    int best = k;
    /* find the pivot of column k */
    for (int i = k + 1; i < n; i++) {
      ritt_real size = RITTI_MATH(fabs)(column[i]);
      if (size > largest) {
        largest = size;
        best = i;
      }
    }
    pivot[k] = best;
    if (!(largest > 0 && largest < INFINITY)) return false;
    if (best != k) ritti_exchange_rows(n, a, best, k);

    /* divide the column by its pivot */
    column[k] = 1 / column[k];
    for (int i = k + 1; i < n; i++) column[i] *= column[k];
    /* eliminate column k from the columns behind it */
    for (int j = k + 1; j < n; j++) {
      ritt_real *other = a + j * n, factor = other[k];
      if (factor != 0) ritti_subtract(n - k - 1, factor, column + k + 1, other + k + 1);
    }
  }
  return true;
}

/* Solves A x = b with the factors of ritti_factor_columns; x holds b on entry. */
static RITTI_INLINE void ritti_solve_columns(const int n, const ritt_real *a, const int *pivot,
                                             ritt_real *restrict x) {
  /* forward with L */
  for (int k = 0; k < n; k++) {
    if (pivot[k] != k) ritti_swap(1, x + k, x + pivot[k]);
    ritti_subtract(n - k - 1, x[k], a + k * n + k + 1, x + k + 1);
  }
  /* backward with U */
  for (int k = n - 1; k >= 0; k--) {
    x[k] *= a[k * n + k];
    ritti_subtract(k, x[k], a + k * n, x);
  }
}

#endif
