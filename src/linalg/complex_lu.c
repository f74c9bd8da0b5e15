/* The kernels of column_lu.h for any size. */
#include "linalg/column_lu.h"

bool ritti_complex_lu_factor(int n, ritt_real *re, ritt_real *im, int *pivot) {
  return ritti_factor_pair(n, re, im, pivot);
}

void ritti_complex_lu_solve(int n, const ritt_real *re, const ritt_real *im, const int *pivot,
                            ritt_real *x, ritt_real *y) {
  ritti_solve_pair(n, re, im, pivot, x, y);
}

bool ritti_column_lu_factor(int n, ritt_real *a, int *pivot) {
  return ritti_factor_columns(n, a, pivot);
}

void ritti_column_lu_solve(int n, const ritt_real *a, const int *pivot, ritt_real *x) {
  ritti_solve_columns(n, a, pivot, x);
}
