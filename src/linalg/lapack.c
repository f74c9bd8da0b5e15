/* BLAS and LAPACK behind plain names: the only file that knows them, and that needs ritt_real to be
 * double.
 *
 * LAPACK is called in its own column-major order, so that it copies nothing: a row-major lower
 * triangle is its upper triangle of the transposed matrix, and the right singular vectors of A are
 * the left ones of A^T.
 */
#include <cblas.h>
#include <lapacke.h>
#include "linalg/linalg_impl.h"

/* b = L^-1 b for a unit lower triangular L; b has n rows and m columns. */
void ritti_blas_unit_lower(int n, int m, const ritt_real *l, ritt_real *b, int stride) {
  cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, n, m, 1, l, stride, b,
              stride);
}

/* c -= a b, with a of m rows and k columns. */
void ritti_blas_subtract(int m, int n, int k, const ritt_real *a, const ritt_real *b, ritt_real *c,
                         int stride) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, -1, a, stride, b, stride, 1, c,
              stride);
}

/* w = w L^-T for a lower triangular L. */
void ritti_blas_right_lower(int m, int n, const ritt_real *l, ritt_real *w, int stride) {
  cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, m, n, 1, l, stride,
              w, stride);
}

/* The lower half of c -= w w^T, with w of n rows and k columns. */
void ritti_blas_subtract_square(int n, int k, const ritt_real *w, ritt_real *c, int stride) {
  cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, n, k, -1, w, stride, 1, c, stride);
}

/* Cholesky factors of a matrix given by its lower half; column order 'U' is row order 'L'. */
bool ritti_lapack_cholesky(int n, ritt_real *a, int stride) {
  return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', n, a, stride) == 0;
}

/* A^T is cols x rows in LAPACK's order. `size` -1 asks for the best size of `work`. */
static bool call_gesvd(int rows, int cols, ritt_real *a, ritt_real *sigma, ritt_real *v,
                       ritt_real *work, lapack_int size) {
  ritt_real none[1];
  return LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, v ? 'A' : 'N', 'N', cols, rows, a, cols, sigma,
                             v ? v : none, cols, none, 1, work, size) == 0;
}

/* The scratch that a singular value decomposition needs, with or without vectors; 0 if LAPACK
   fails. */
size_t ritti_lapack_svd_scratch(int rows, int cols) {
  ritt_real none[1] = {0}, with[1] = {0}, without[1] = {0};
  if (!call_gesvd(rows, cols, none, none, none, with, -1) ||
      !call_gesvd(rows, cols, none, none, NULL, without, -1))
    return 0;
  return (size_t)(with[0] > without[0] ? with[0] : without[0]);
}

/* Singular values, and if v is given the right vectors, of a. */
bool ritti_lapack_svd(int rows, int cols, ritt_real *a, ritt_real *sigma, ritt_real *v,
                      ritt_real *scratch) {
  return call_gesvd(rows, cols, a, sigma, v, scratch,
                    (lapack_int)ritti_lapack_svd_scratch(rows, cols));
}
