/* Random matrices and plain products for the tests of linalg: the slow way, in long double. */
#ifndef RITT_TEST_LINALG_RANDOM_H
#define RITT_TEST_LINALG_RANDOM_H

#include <stdlib.h>
#include "check.h"
#include "linalg/linalg.h"

/* Sizes on both sides of RITTI_SMALL, and one that is several blocks large. */
static const int sizes[] = {1,  2,  3,  4,  5,  6,  7,  8,  13, 20, 31,
                            32, 33, 40, 63, 64, 65, 66, 70, 96, 130};
enum { SIZES = sizeof sizes / sizeof *sizes };

static inline ritt_real *new_reals(int rows, int cols) {
  ritt_real *a = calloc((size_t)rows * (size_t)cols + 1, sizeof *a);
  if (!a) abort();
  return a;
}

static inline void fill(int count, ritt_real *a) {
  for (int i = 0; i < count; i++) a[i] = check_random();
}

static inline void copy(int count, const ritt_real *from, ritt_real *to) {
  memcpy(to, from, (size_t)count * sizeof *to);
}

static inline ritt_real largest_of(int count, const ritt_real *a) {
  ritt_real largest = 0;
  for (int i = 0; i < count; i++)
    if (!(fabs(a[i]) <= largest)) largest = fabs(a[i]);
  return largest;
}

/* C = A B, A m x k, B k x n */
static inline void times(int m, int k, int n, const ritt_real *a, const ritt_real *b,
                         ritt_real *c) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      long double sum = 0;
      for (int l = 0; l < k; l++) sum += (long double)a[i * k + l] * (long double)b[l * n + j];
      c[i * n + j] = (ritt_real)sum;
    }
}

static inline void transpose(int rows, int cols, const ritt_real *a, ritt_real *t) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) t[j * rows + i] = a[i * cols + j];
}

/* |A x - b| and |A| |x| + |b| in the maximum norm: the measure of a residual */
static inline ritt_real residual(int rows, int cols, const ritt_real *a, const ritt_real *x,
                                 const ritt_real *b, ritt_real *scale) {
  ritt_real worst = 0;
  *scale = 0;
  for (int i = 0; i < rows; i++) {
    long double sum = -b[i], size = fabs(b[i]);
    for (int j = 0; j < cols; j++) {
      sum += (long double)a[i * cols + j] * x[j];
      size += fabsl((long double)a[i * cols + j] * x[j]);
    }
    if (!((ritt_real)fabsl(sum) <= worst)) worst = (ritt_real)fabsl(sum);
    if (size > *scale) *scale = (ritt_real)size;
  }
  return worst;
}

/* An orthogonal matrix: n random reflections applied to the identity. */
static inline void orthogonal(int n, ritt_real *q) {
  ritt_real *v = new_reals(n, 1);
  for (int i = 0; i < n * n; i++) q[i] = i % (n + 1) == 0;
  for (int turn = 0; turn < n; turn++) {
    long double square = 0;
    for (int i = 0; i < n; i++) v[i] = check_random(), square += (long double)v[i] * v[i];
    for (int i = 0; i < n; i++) {
      long double sum = 0;
      for (int j = 0; j < n; j++) sum += (long double)q[i * n + j] * v[j];
      for (int j = 0; j < n; j++) q[i * n + j] -= (ritt_real)(2 * sum / square * v[j]);
    }
  }
  free(v);
}

/* A = U diag(s) V^T with min(rows, cols) values s */
static inline void with_values(int rows, int cols, const ritt_real *s, ritt_real *a) {
  int n = rows < cols ? rows : cols;
  ritt_real *u = new_reals(rows, rows), *v = new_reals(cols, cols);
  orthogonal(rows, u);
  orthogonal(cols, v);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) {
      long double sum = 0;
      for (int k = 0; k < n; k++) sum += (long double)u[i * rows + k] * s[k] * v[j * cols + k];
      a[i * cols + j] = (ritt_real)sum;
    }
  free(u);
  free(v);
}

static inline void hilbert(int n, ritt_real *a) {
  for (int i = 0; i < n * n; i++) a[i] = 1 / (ritt_real)(i / n + i % n + 1);
}

#endif
