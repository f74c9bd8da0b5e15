/* In place of ../lapack.c where there is no BLAS, as in libritt_num, and where reals are not
 * doubles: plain loops, right for any size, slower than BLAS for large ones. */
#include "linalg/linalg_impl.h"

static ritt_real *row_of(ritt_real *a, int stride, int i) { return a + (size_t)i * (size_t)stride; }
static const ritt_real *const_row_of(const ritt_real *a, int stride, int i) {
  return a + (size_t)i * (size_t)stride;
}

void ritti_blas_unit_lower(int n, int m, const ritt_real *l, ritt_real *b, int stride) {
  for (int i = 1; i < n; i++)
    for (int j = 0; j < i; j++)
      ritti_subtract(m, const_row_of(l, stride, i)[j], row_of(b, stride, j), row_of(b, stride, i));
}

void ritti_blas_subtract(int m, int n, int k, const ritt_real *a, const ritt_real *b, ritt_real *c,
                         int stride) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < k; j++)
      ritti_subtract(n, const_row_of(a, stride, i)[j], const_row_of(b, stride, j),
                     row_of(c, stride, i));
}

void ritti_blas_right_lower(int m, int n, const ritt_real *l, ritt_real *w, int stride) {
  for (int i = 0; i < m; i++) {
    ritt_real *row = row_of(w, stride, i);
    for (int j = 0; j < n; j++) {
      const ritt_real *lower = const_row_of(l, stride, j);
      row[j] = (row[j] - ritti_dot(j, row, lower)) / lower[j];
    }
  }
}

void ritti_blas_subtract_square(int n, int k, const ritt_real *w, ritt_real *c, int stride) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      row_of(c, stride, i)[j] -=
          ritti_dot(k, const_row_of(w, stride, i), const_row_of(w, stride, j));
}

bool ritti_lapack_cholesky(int n, ritt_real *a, int stride) {
  for (int i = 0; i < n; i++) {
    ritt_real *row = row_of(a, stride, i);
    for (int j = 0; j < i; j++) {
      const ritt_real *other = const_row_of(a, stride, j);
      row[j] = (row[j] - ritti_dot(j, row, other)) / other[j];
    }
    ritt_real pivot = row[i] - ritti_dot(i, row, row);
    if (!(pivot > 0) || !isfinite(pivot)) return false;
    row[i] = RITTI_MATH(sqrt)(pivot);
  }
  return true;
}

/* no other way than that of svd.c */
size_t ritti_lapack_svd_scratch(int rows, int cols) {
  (void)rows, (void)cols;
  return 0;
}

bool ritti_lapack_svd(int rows, int cols, ritt_real *a, ritt_real *sigma, ritt_real *v,
                      ritt_real *scratch) {
  (void)rows, (void)cols, (void)a, (void)sigma, (void)v, (void)scratch;
  return false;
}
