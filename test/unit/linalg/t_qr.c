/* QR with column pivoting and least norm: A P = Q R multiplied back, ranks found, Moore-Penrose
 * conditions.
 */
#include "unit/linalg/random.h"

typedef struct factored {
  ritti_qr qr;
  ritt_real *scratch;
} factored;

static factored factor(int rows, int cols, const ritt_real *a, ritt_real tolerance) {
  factored f = {.qr = {.rows = rows,
                       .cols = cols,
                       .a = new_reals(rows, cols),
                       .beta = new_reals(rows, 1),
                       .column = calloc((size_t)cols + 1, sizeof(int))},
                .scratch = new_reals(2, cols)};
  copy(rows * cols, a, f.qr.a);
  ritti_qr_factor(&f.qr, tolerance, f.scratch);
  return f;
}

static void drop(factored *f) {
  free(f->qr.a);
  free(f->qr.beta);
  free(f->qr.column);
  free(f->scratch);
}

/* Q R = A P column by column, R_kk descending and not less than anything right of and below it, Q
 * orthogonal.
 */
static void check_factors(int rows, int cols, const ritt_real *a, const ritti_qr *qr) {
  int least = rows < cols ? rows : cols;
  ritt_real *x = new_reals(rows, 1), *y = new_reals(rows, 1), worst = 0,
            size = largest_of(rows * cols, a);
  for (int j = 0; j < cols; j++) {
    for (int i = 0; i < rows; i++) x[i] = i <= j && i < least ? qr->a[i * cols + j] : 0;
    ritti_qr_apply_q(qr, x);
    for (int i = 0; i < rows; i++) worst = fmax(worst, fabs(x[i] - a[i * cols + qr->column[j]]));
  }
  CHECK(worst <= 4 * (rows + cols) * RITTI_EPS * size);
  for (int k = 0; k < least; k++)
    for (int j = k; j < cols; j++) {
      ritt_real square = 0;
      for (int i = k; i <= j && i < least; i++) square += qr->a[i * cols + j] * qr->a[i * cols + j];
      CHECK(sqrt(square) <= fabs(qr->a[k * cols + k]) * (1 + 1e-12) + 4 * rows * RITTI_EPS * size);
    }
  fill(rows, x);
  copy(rows, x, y);
  ritti_qr_apply_qt(qr, x);
  CHECK_NEAR(ritti_norm(rows, x), ritti_norm(rows, y), 4 * rows * RITTI_EPS * ritti_norm(rows, y));
  ritti_qr_apply_q(qr, x);
  for (int i = 0; i < rows; i++) CHECK_NEAR(x[i], y[i], 8 * rows * RITTI_EPS * ritti_norm(rows, y));
  free(x);
  free(y);
}

static void random_shape(int rows, int cols) {
  int least = rows < cols ? rows : cols;
  ritt_real *a = new_reals(rows, cols), *b = new_reals(rows, 1), *x = new_reals(cols, 1);
  fill(rows * cols, a);
  factored f = factor(rows, cols, a, 1e-12);
  CHECK(f.qr.rank == least);
  CHECK(f.qr.next == 0 && f.qr.gap > 1e-12 && f.qr.gap <= 1 + 1e-12);
  check_factors(rows, cols, a, &f.qr);
  // least squares: the residual is orthogonal to the columns
  fill(rows, b);
  ritt_real *c = new_reals(rows, 1);
  copy(rows, b, c);
  ritti_qr_solve(&f.qr, c, x);
  for (int i = 0; i < rows; i++) c[i] = ritti_dot(cols, a + i * cols, x) - b[i];
  for (int j = 0; j < cols && rows >= cols; j++) {
    ritt_real sum = 0;
    for (int i = 0; i < rows; i++) sum += a[i * cols + j] * c[i];
    CHECK_NEAR(sum, 0, 100 * rows * RITTI_EPS * (1 + largest_of(cols, x)) * rows);
  }
  if (rows <= cols)
    CHECK(largest_of(rows, c) <= 100 * cols * RITTI_EPS * (1 + largest_of(cols, x)));
  drop(&f);
  free(a);
  free(b);
  free(c);
  free(x);
}

/* A rank below full, at any size of the entries; the decision has a clear gap. */
static void rank_found(int rows, int cols, int rank, ritt_real size) {
  ritt_real *a = new_reals(rows, cols), *l = new_reals(rows, rank), *r = new_reals(rank, cols);
  fill(rows * rank, l);
  fill(rank * cols, r);
  times(rows, rank, cols, l, r, a);
  for (int i = 0; i < rows * cols; i++) a[i] *= size;
  factored f = factor(rows, cols, a, 1e-11);
  CHECK(f.qr.rank == rank);
  CHECK(f.qr.gap > 1e-6 && f.qr.next < 1e-13);
  check_factors(rows, cols, a, &f.qr);
  drop(&f);
  free(a);
  free(l);
  free(r);
}

static void corners(void) {
  // zero
  ritt_real zero[12] = {0}, b[4] = {1, 2, 3, 4}, x[3];
  factored f = factor(4, 3, zero, 1e-12);
  CHECK(f.qr.rank == 0 && f.qr.gap == 0 && f.qr.next == 0);
  ritti_qr_solve(&f.qr, b, x);
  CHECK(x[0] == 0 && x[1] == 0 && x[2] == 0);
  drop(&f);
  // columns of very different sizes, tolerance 0: all are kept
  ritt_real graded[9] = {1e-150, 1, 1e-280, 0, 1, 1e-280, 1e-150, 0, 1e-280};
  f = factor(3, 3, graded, 0);
  CHECK(f.qr.rank == 3);
  CHECK(f.qr.column[0] == 1 && f.qr.column[1] == 0 && f.qr.column[2] == 2);
  drop(&f);
  // a tolerance that cuts
  f = factor(3, 3, graded, 1e-100);
  CHECK(f.qr.rank == 1 && f.qr.next > 0 && f.qr.next < 1e-149);
  drop(&f);
  // numbers at the ends of the range
  ritt_real huge[4] = {1e300, 2e300, 3e300, 4e300}, tiny[4] = {1e-310, 0, 0, 3e-310};
  f = factor(2, 2, huge, 1e-10);
  CHECK(f.qr.rank == 2);
  CHECK_NEAR(fabs(f.qr.a[0] / sqrt(20.0)) / 1e300, 1, 1e-14);
  drop(&f);
  f = factor(2, 2, tiny, 1e-10);
  CHECK(f.qr.rank == 2 && f.qr.column[0] == 1 && fabs(f.qr.a[0]) == 3e-310);
  drop(&f);
}

static void not_finite(void) {
  static const ritt_real bad[] = {NAN, INFINITY, -INFINITY};
  for (int n = 1; n <= 70; n += 23)
    for (int k = 0; k < 3; k++)
      for (int where = 0; where < n * n; where += n * n / 3 + 1) {
        ritt_real *a = new_reals(n, n), *b = new_reals(n, 1), *x = new_reals(n, 1);
        ritt_real *scratch = calloc(ritti_least_norm_scratch(n, n), sizeof *scratch);
        int *iscratch = calloc((size_t)(2 * n), sizeof *iscratch);
        fill(n * n, a);
        a[where] = bad[k];
        factored f = factor(n, n, a, 1e-10);
        CHECK(f.qr.rank == -1 && isnan(f.qr.gap));
        ritti_qr_solve(&f.qr, b, x);
        CHECK(isnan(x[0]));
        x[0] = 0;
        CHECK(ritti_least_norm(n, n, a, b, 1e-10, x, scratch, iscratch) == -1);
        CHECK(isnan(x[0]));
        drop(&f);
        free(a);
        free(b);
        free(x);
        free(scratch);
        free(iscratch);
      }
}

/* The pseudo-inverse X, column by column: A X A = A, X A X = X, A X and X A symmetric. */
static void moore_penrose(int rows, int cols, int rank, ritt_real size) {
  ritt_real *a = new_reals(rows, cols), *X = new_reals(cols, rows), *b = new_reals(rows, 1),
            *x = new_reals(cols, 1);
  ritt_real *AX = new_reals(rows, rows), *XA = new_reals(cols, cols), *A = new_reals(rows, cols);
  ritt_real *Y = new_reals(cols, rows), *s = new_reals(rows + cols, 1);
  ritt_real *scratch = calloc(ritti_least_norm_scratch(rows, cols), sizeof *scratch);
  int *iscratch = calloc((size_t)(rows + cols), sizeof *iscratch);
  for (int i = 0; i < rank; i++) s[i] = size / (1 + i % 3);
  with_values(rows, cols, s, a);
  for (int j = 0; j < rows; j++) {
    for (int i = 0; i < rows; i++) b[i] = i == j;
    CHECK(ritti_least_norm(rows, cols, a, b, 1e-10, x, scratch, iscratch) == rank);
    for (int i = 0; i < cols; i++) X[i * rows + j] = x[i];
  }
  times(rows, cols, rows, a, X, AX);
  times(cols, rows, cols, X, a, XA);
  times(rows, rows, cols, AX, a, A);
  times(cols, rows, rows, X, AX, Y);
  ritt_real worst[4] = {0}, bound = 40 * (rows + cols) * RITTI_EPS;
  for (int i = 0; i < rows * cols; i++) worst[0] = fmax(worst[0], fabs(A[i] - a[i]) / size);
  for (int i = 0; i < rows * cols; i++) worst[1] = fmax(worst[1], fabs(Y[i] - X[i]) * size);
  for (int i = 0; i < rows * rows; i++)
    worst[2] = fmax(worst[2], fabs(AX[i] - AX[i % rows * rows + i / rows]));
  for (int i = 0; i < cols * cols; i++)
    worst[3] = fmax(worst[3], fabs(XA[i] - XA[i % cols * cols + i / cols]));
  for (int k = 0; k < 4; k++) CHECK(worst[k] <= bound);
  free(a);
  free(X);
  free(b);
  free(x);
  free(AX);
  free(XA);
  free(A);
  free(Y);
  free(s);
  free(scratch);
  free(iscratch);
}

static void orthogonal_complement(int rows, int cols) {
  // Q of A^T: its last columns span the kernel of A
  ritt_real *a = new_reals(rows, cols), *t = new_reals(cols, rows), *x = new_reals(cols, 1);
  fill(rows * cols, a);
  transpose(rows, cols, a, t);
  factored f = factor(cols, rows, t, 1e-12);
  for (int k = rows; k < cols; k++) {
    for (int i = 0; i < cols; i++) x[i] = i == k;
    ritti_qr_apply_q(&f.qr, x);
    CHECK_NEAR(ritti_norm(cols, x), 1, 4 * cols * RITTI_EPS);
    for (int i = 0; i < rows; i++)
      CHECK_NEAR(ritti_dot(cols, a + i * cols, x), 0, 8 * cols * RITTI_EPS);
  }
  drop(&f);
  free(a);
  free(t);
  free(x);
}

static void norms(void) {
  ritt_real big[3] = {3e300, 4e300, 0}, small[3] = {3e-300, 0, 4e-300}, tiny[2] = {3e-320, 4e-320};
  CHECK_NEAR(ritti_norm(3, big) / 5e300, 1, 1e-15);
  CHECK_NEAR(ritti_norm(3, small) / 5e-300, 1, 1e-15);
  CHECK_NEAR(ritti_norm(2, tiny) / 5e-320, 1, 1e-3);
  CHECK(ritti_norm(0, NULL) == 0);
  big[2] = INFINITY;
  CHECK(isinf(ritti_norm(3, big)));
  big[0] = NAN;
  CHECK(isnan(ritti_norm(3, big)));
  for (int n = 0; n <= 9; n++) {
    ritt_real a[9], b[9], sum = 0;
    fill(9, a);
    fill(9, b);
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    CHECK_NEAR(ritti_dot(n, a, b), sum, 10 * RITTI_EPS);
  }
}

int main(void) {
  norms();
  corners();
  not_finite();
  for (int rows = 1; rows <= 12; rows++)
    for (int cols = 1; cols <= 12; cols++) random_shape(rows, cols);
  for (int k = 0; k < SIZES; k++) {
    int n = sizes[k];
    random_shape(n, n);
    random_shape(n + 3, n);
    random_shape(n, 2 * n);
    orthogonal_complement(n, n + 2);
    if (n >= 3) {
      rank_found(n, n, n / 2, 1);
      rank_found(n + 5, n, n - 1, 1e-140);
      rank_found(n, n + 5, n - 2, 1e140);
    }
  }
  for (int rows = 1; rows <= 7; rows++)
    for (int cols = 1; cols <= 7; cols++)
      for (int rank = 0; rank <= (rows < cols ? rows : cols); rank++)
        moore_penrose(rows, cols, rank, 1);
  moore_penrose(5, 5, 3, 1e-200);
  moore_penrose(4, 6, 3, 1e-200);
  moore_penrose(6, 4, 2, 1e200);
  moore_penrose(70, 66, 65, 1);
  moore_penrose(66, 80, 40, 1);
  moore_penrose(130, 130, 100, 1);
  return CHECKS_DONE();
}
