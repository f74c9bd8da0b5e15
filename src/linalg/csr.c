/* Compressed rows: products, the Gram matrix, and the dense copy. Entries that are listed twice add
 * up. */
#include "linalg/linalg_impl.h"

/* True if the columns of each row ascend, without repetitions. */
bool ritti_pattern_is_sorted(const ritti_pattern *p) {
  for (int i = 0; i < p->rows; i++)
    for (int e = p->start[i] + 1; e < p->start[i + 1]; e++)
      if (p->col[e] <= p->col[e - 1]) return false;
  return true;
}

/* y = A x. */
void ritti_csr_times(const ritti_pattern *p, const ritt_real *a, const ritt_real *x, ritt_real *y) {
  for (int i = 0; i < p->rows; i++) {
    ritt_real sum = 0;
    for (int e = p->start[i]; e < p->start[i + 1]; e++) sum += a[e] * x[p->col[e]];
    y[i] = sum;
  }
}

/* y = A^T x. */
void ritti_csr_times_transposed(const ritti_pattern *p, const ritt_real *a, const ritt_real *x,
                                ritt_real *y) {
  for (int j = 0; j < p->cols; j++) y[j] = 0;
  for (int i = 0; i < p->rows; i++)
    for (int e = p->start[i]; e < p->start[i + 1]; e++) y[p->col[e]] += a[e] * x[i];
}

/* The lower half of S = A diag(d) A^T, dense; d NULL stands for ones. scratch has room for a
   row. */
void ritti_csr_gram(const ritti_pattern *p, const ritt_real *a, const ritt_real *d,
                    ritt_real *scratch, ritt_real *S) {
  const int *start = p->start, *col = p->col;
  for (int j = 0; j < p->cols; j++) scratch[j] = 0;
  for (int i = 0; i < p->rows; i++) {
    // row i of A diag(d), spread out
    for (int e = start[i]; e < start[i + 1]; e++) scratch[col[e]] += d ? a[e] * d[col[e]] : a[e];
    // its products with the rows up to itself
    for (int j = 0; j <= i; j++) {
      ritt_real sum = 0;
      for (int e = start[j]; e < start[j + 1]; e++) sum += a[e] * scratch[col[e]];
      S[(size_t)i * (size_t)p->rows + (size_t)j] = sum;
    }
    /* clear what the row has set */
    for (int e = start[i]; e < start[i + 1]; e++) scratch[col[e]] = 0;
  }
}

void ritti_csr_to_dense(const ritti_pattern *p, const ritt_real *a, ritt_real *dense) {
  for (size_t i = 0; i < (size_t)p->rows * (size_t)p->cols; i++) dense[i] = 0;
  for (int i = 0; i < p->rows; i++)
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
      dense[(size_t)i * (size_t)p->cols + (size_t)p->col[e]] += a[e];
}
