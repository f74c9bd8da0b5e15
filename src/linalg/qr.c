/* Householder QR with column pivoting, and the least-norm least-squares solution built on it.
 *
 * Norms of the remaining columns are computed again while the reflector passes over the rows, so
 * that nothing is lost by downdating. Own loops for every size: LAPACK's pivoted QR is not faster
 * in the sizes met here.
 */
#include "linalg/linalg_impl.h"

/* ---- reflectors ---- */

/* Makes the reflector of column k: R_kk on the diagonal, v below it. Returns beta. */
static ritt_real make_reflector(int rows, int cols, ritt_real *a, int k) {
  size_t step = (size_t)cols;
  ritt_real *top = a + (size_t)k * step + (size_t)k, square = 0;
  for (int i = 1; i < rows - k; i++) square += top[(size_t)i * step] * top[(size_t)i * step];
  if (square == 0) return 0;
  ritt_real alpha = *top, norm = RITTI_MATH(sqrt)(alpha * alpha + square);
  ritt_real r = alpha > 0 ? -norm : norm;
  for (int i = 1; i < rows - k; i++) top[(size_t)i * step] /= alpha - r;
  *top = r;
  return (r - alpha) / r;
}

/* Applies the reflector of column k to the columns on its right and sums the squares of what is
 * then below row k, for each of these columns, in `square` (cols, may be NULL). w: cols. */
static void apply_reflector(int rows, int cols, ritt_real *a, int k, ritt_real beta, ritt_real *w,
                            ritt_real *square) {
  size_t step = (size_t)cols;
  int n = cols - k - 1;
  ritt_real *top = a + (size_t)k * step + (size_t)k + 1;
  /* w = v^T A */
  for (int j = 0; j < n; j++) w[j] = top[j];
  for (int i = 1; i < rows - k; i++)
    ritti_subtract(n, -top[(size_t)i * step - 1], top + (size_t)i * step, w);
  /* A -= beta v w, and the squares for the next choice of a column */
  ritti_subtract(n, beta, w, top);
  for (int j = 0; square && j < n; j++) square[k + 1 + j] = 0;
  for (int i = 1; i < rows - k; i++) {
    ritt_real *row = top + (size_t)i * step;
    ritti_subtract(n, beta * row[-1], w, row);
    if (square) ritti_add_squares(n, row, square + k + 1);
  }
}

/* Factors a = Q R by reflections, without exchanges. */
void ritti_reflect_factor(int rows, int cols, ritt_real *a, ritt_real *beta, ritt_real *scratch) {
  for (int k = 0; k < ritti_smaller(rows, cols); k++) {
    beta[k] = make_reflector(rows, cols, a, k);
    apply_reflector(rows, cols, a, k, beta[k], scratch, NULL);
  }
}

/* Factors a P = Q R, where the longest remaining column comes next. `swap` and `column` hold the
   exchanges as reals and as a permutation; both may be NULL. */
void ritti_reflect_factor_pivoted(int rows, int cols, ritt_real *a, ritt_real *beta,
                                  ritt_real *swap, int *column, ritt_real *scratch) {
  ritt_real *square = scratch + cols;
  for (int j = 0; column && j < cols; j++) column[j] = j;
  for (int j = 0; j < cols; j++) square[j] = 0;
  for (int i = 0; i < rows; i++) ritti_add_squares(cols, a + (size_t)i * (size_t)cols, square);
  for (int k = 0; k < ritti_smaller(rows, cols); k++) {
    // the longest remaining column comes next
    int best = k;
    for (int j = k + 1; j < cols; j++)
      if (square[j] > square[best]) best = j;
    if (best != k) {
      for (int i = 0; i < rows; i++)
        ritti_swap(1, a + (size_t)i * (size_t)cols + k, a + (size_t)i * (size_t)cols + best);
      if (column) {
        int t = column[k];
        column[k] = column[best];
        column[best] = t;
      }
      square[best] = square[k];
    }
    if (swap) swap[k] = (ritt_real)best;
    beta[k] = make_reflector(rows, cols, a, k);
    apply_reflector(rows, cols, a, k, beta[k], scratch, square);
  }
}

/* Applies reflector k to x. */
static void reflect_once(int rows, int cols, int k, const ritt_real *a, ritt_real beta,
                         ritt_real *x) {
  size_t step = (size_t)cols;
  const ritt_real *v = a + (size_t)k * step + (size_t)k;
  ritt_real sum = x[k];
  for (int i = 1; i < rows - k; i++) sum += v[(size_t)i * step] * x[k + i];
  sum *= beta;
  x[k] -= sum;
  for (int i = 1; i < rows - k; i++) x[k + i] -= sum * v[(size_t)i * step];
}

/* x = Q^T x for the first `count` reflectors. */
void ritti_reflect_transposed(int rows, int cols, int count, const ritt_real *a,
                              const ritt_real *beta, ritt_real *x) {
  for (int k = 0; k < count; k++)
    if (beta[k] != 0) reflect_once(rows, cols, k, a, beta[k], x);
}

/* x = Q x for the first `count` reflectors. */
void ritti_reflect(int rows, int cols, int count, const ritt_real *a, const ritt_real *beta,
                   ritt_real *x) {
  for (int k = count - 1; k >= 0; k--)
    if (beta[k] != 0) reflect_once(rows, cols, k, a, beta[k], x);
}

/* ---- factor and solve ---- */

/* The rank by the tolerance, and the two ratios on both sides of the decision. */
static void decide_rank(ritti_qr *qr, ritt_real tolerance) {
  int most = ritti_smaller(qr->rows, qr->cols);
  ritt_real first = most ? RITTI_MATH(fabs)(qr->a[0]) : 0;
  qr->rank = 0;
  qr->gap = qr->next = 0;
  for (int k = 0; k < most && first > 0; k++) {
    ritt_real ratio = RITTI_MATH(fabs)(qr->a[(size_t)k * (size_t)(qr->cols + 1)]) / first;
    if (!(ratio > tolerance)) {
      qr->next = ratio;
      return;
    }
    qr->gap = ratio;
    qr->rank = k + 1;
  }
}

/* Factors a scaled copy of the matrix and decides its rank; rank -1 stands for a matrix with
   NaN. */
void ritti_qr_factor(ritti_qr *qr, ritt_real tolerance, ritt_real *scratch) {
  int rows = qr->rows, cols = qr->cols;
  size_t count = (size_t)rows * (size_t)cols;
  ritt_real largest = ritti_largest(count, qr->a);
  if (isnan(largest)) {
    qr->rank = -1;
    qr->gap = qr->next = NAN;
    for (int k = 0; k < ritti_smaller(rows, cols); k++) qr->beta[k] = 0;
    for (int j = 0; j < cols; j++) qr->column[j] = j;
    return;
  }
  // far up, but low enough to be squared and summed, so that entries 1e-290 times the largest still
  // count
  int shift = largest > 0 ? 470 - RITTI_MATH(ilogb)(largest) : 0;
  ritti_scale(count, qr->a, shift);
  ritti_reflect_factor_pivoted(rows, cols, qr->a, qr->beta, NULL, qr->column, scratch);
  decide_rank(qr, tolerance);
  // back; the reflectors have no size
  for (int i = 0; i < ritti_smaller(rows, cols); i++)
    ritti_scale((size_t)(cols - i), qr->a + (size_t)i * (size_t)(cols + 1), -shift);
}

/* b = Q^T b. */
void ritti_qr_apply_qt(const ritti_qr *qr, ritt_real *b) {
  ritti_reflect_transposed(qr->rows, qr->cols, ritti_smaller(qr->rows, qr->cols), qr->a, qr->beta,
                           b);
}

/* b = Q b. */
void ritti_qr_apply_q(const ritti_qr *qr, ritt_real *b) {
  ritti_reflect(qr->rows, qr->cols, ritti_smaller(qr->rows, qr->cols), qr->a, qr->beta, b);
}

/* A solution of least residual with `rank` nonzero unknowns; b is overwritten. */
void ritti_qr_solve(const ritti_qr *qr, ritt_real *b, ritt_real *x) {
  int r = qr->rank, cols = qr->cols;
  for (int j = 0; j < cols; j++) x[j] = r < 0 ? NAN : 0;
  if (r < 0) return;
  ritti_qr_apply_qt(qr, b);
  for (int i = r - 1; i >= 0; i--) {
    const ritt_real *row = qr->a + (size_t)i * (size_t)cols;
    b[i] = (b[i] - ritti_dot(r - i - 1, row + i + 1, b + i + 1)) / row[i];
    x[qr->column[i]] = b[i];
  }
}

/* ---- least norm ---- */

/* The scratch that ritti_least_norm needs. */
size_t ritti_least_norm_scratch(int rows, int cols) {
  size_t r = (size_t)rows, c = (size_t)cols, least = (size_t)ritti_smaller(rows, cols);
  return r * c + least + 2 * c + r + c * least + least + c;
}

/* Least-norm solution of the leading `rank` rows of R y = c, y in the order of the pivoted columns,
 * in place of c: R^T = Z T, T^T w = c, y = Z (w, 0). c: cols. T: cols*rank, beta: rank, w: rank. */
static void complete_orthogonal(const ritti_qr *qr, ritt_real *c, ritt_real *T, ritt_real *beta,
                                ritt_real *w) {
  int r = qr->rank, cols = qr->cols;
  /* R^T, scaled so that its squares stay in range */
  for (int j = 0; j < cols; j++)
    for (int i = 0; i < r; i++)
      T[(size_t)j * (size_t)r + (size_t)i] =
          i <= j ? qr->a[(size_t)i * (size_t)cols + (size_t)j] : 0;
  int shift = r ? -RITTI_MATH(ilogb)(qr->a[0]) : 0;
  ritti_scale((size_t)cols * (size_t)r, T, shift);
  ritti_scale((size_t)r, c, shift);
  /* triangular factors of R^T, and the solution in their basis */
  ritti_reflect_factor(cols, r, T, beta, w);
  for (int i = 0; i < r; i++) {
    const ritt_real *row = T + (size_t)i * (size_t)r;
    c[i] /= row[i];
    ritti_subtract(r - i - 1, c[i], row + i + 1, c + i + 1);
  }
  /* back from the basis */
  for (int j = r; j < cols; j++) c[j] = 0;
  ritti_reflect(cols, r, r, T, beta, c);
}

/* The solution of least residual and least length; returns the rank. */
int ritti_least_norm(int rows, int cols, const ritt_real *a, const ritt_real *b,
                     ritt_real tolerance, ritt_real *x, ritt_real *scratch, int *iscratch) {
  size_t count = (size_t)rows * (size_t)cols, least = (size_t)ritti_smaller(rows, cols);
  ritt_real *copy = scratch, *beta = copy + count, *work = beta + least,
            *c = work + 2 * (size_t)cols;
  ritt_real *T = c + rows, *beta_T = T + (size_t)cols * least, *y = beta_T + least;
  ritti_qr qr = {.rows = rows, .cols = cols, .a = copy, .beta = beta, .column = iscratch};

  for (size_t i = 0; i < count; i++) copy[i] = a[i];
  for (int i = 0; i < rows; i++) c[i] = b[i];
  ritti_qr_factor(&qr, tolerance, work);
  // all columns independent, or no matrix at all: the basic solution is the only one
  if (qr.rank == cols || qr.rank < 0) {
    ritti_qr_solve(&qr, c, x);
    return qr.rank;
  }
  ritti_qr_apply_qt(&qr, c);
  for (int j = 0; j < cols; j++) y[j] = j < qr.rank ? c[j] : 0;
  complete_orthogonal(&qr, y, T, beta_T, work);
  for (int j = 0; j < cols; j++) x[qr.column[j]] = y[j];
  return qr.rank;
}
