/* What the files of linalg share: BLAS and LAPACK behind plain names (lapack.c, doubles only), row
 * kernels, reflectors, the condition estimate. */
#ifndef RITTI_LINALG_IMPL_H
#define RITTI_LINALG_IMPL_H

#include "linalg/column_lu.h"

/* ---- lapack.c: row-major blocks inside matrices with `stride` reals a row ---- */
/* B (n x m) := L^-1 B, L unit lower n x n */
void ritti_blas_unit_lower(int n, int m, const ritt_real *l, ritt_real *b, int stride);
/* C (m x n) -= A B, A m x k, B k x n */
void ritti_blas_subtract(int m, int n, int k, const ritt_real *a, const ritt_real *b, ritt_real *c,
                         int stride);
/* W (m x n) := W L^-T, L lower n x n */
void ritti_blas_right_lower(int m, int n, const ritt_real *l, ritt_real *w, int stride);
/* lower triangle of C (n x n) -= W W^T, W n x k */
void ritti_blas_subtract_square(int n, int k, const ritt_real *w, ritt_real *c, int stride);
bool ritti_lapack_cholesky(int n, ritt_real *a, int stride);
size_t ritti_lapack_svd_scratch(int rows, int cols);
bool ritti_lapack_svd(int rows, int cols, ritt_real *a, ritt_real *sigma, ritt_real *v,
                      ritt_real *scratch);

/* ---- qr.c
 * ---------------------------------------------------------------------------------------------
 * Householder reflectors H = I - beta v v^T, v = (1, a[k+1..][k]), one a column, in a rows x cols
 * matrix. */
/* A = Q R without pivoting; scratch: cols. */
void ritti_reflect_factor(int rows, int cols, ritt_real *a, ritt_real *beta, ritt_real *scratch);
/* A P = Q R; swap (min(rows, cols), may be NULL): the number of the column exchanged with column k;
 * column (cols, may be NULL): the permutation. scratch: 2*cols. The entries must be finite. */
void ritti_reflect_factor_pivoted(int rows, int cols, ritt_real *a, ritt_real *beta,
                                  ritt_real *swap, int *column, ritt_real *scratch);
/* x := Q x and x := Q^T x with the first `count` reflectors */
void ritti_reflect(int rows, int cols, int count, const ritt_real *a, const ritt_real *beta,
                   ritt_real *x);
void ritti_reflect_transposed(int rows, int cols, int count, const ritt_real *a,
                              const ritt_real *beta, ritt_real *x);

/* ---- condition.c ---- */
/* x := M^-1 x, or M^-T x */
typedef void ritti_solve(void *context, ritt_real *x, bool transposed);
/* Lower bound of |M^-1|_1, almost always within a factor 3. y, z: n reals; sign: n ints. */
ritt_real ritti_inverse_norm(int n, ritti_solve *solve, void *context, ritt_real *y, ritt_real *z,
                             int *sign);

/* ---- small helpers ---- */
/* square += x^2, entry by entry */
static inline void ritti_add_squares(int n, const ritt_real *restrict x,
                                     ritt_real *restrict square) {
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    square[i] += x[i] * x[i];
    square[i + 1] += x[i + 1] * x[i + 1];
    square[i + 2] += x[i + 2] * x[i + 2];
    square[i + 3] += x[i + 3] * x[i + 3];
  }
  for (; i < n; i++) square[i] += x[i] * x[i];
}

/* x *= 2^exponent, any exponent */
void ritti_scale(size_t n, ritt_real *x, int exponent);
/* Largest magnitude; NaN when an entry is NaN or infinite. */
ritt_real ritti_largest(size_t n, const ritt_real *a);

static inline int ritti_smaller(int a, int b) { return a < b ? a : b; }

#endif
