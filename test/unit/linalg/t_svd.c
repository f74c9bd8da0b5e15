/* Singular values and equilibration: matrices built from known values, A V = U Sigma, small against
 * large, range. */
#include "unit/linalg/random.h"

static bool values_of(int rows, int cols, const ritt_real *a, ritt_real *sigma, ritt_real *v) {
  ritt_real *work = new_reals(rows, cols);
  ritt_real *scratch = calloc(ritti_singular_values_scratch(rows, cols), sizeof *scratch);
  copy(rows * cols, a, work);
  bool done = ritti_singular_values(rows, cols, work, sigma, v, scratch);
  free(work);
  free(scratch);
  return done;
}

/* V has orthonormal rows, |A v_i| = sigma_i, the A v_i are orthogonal, and A kills the rows past
 * min(rows, cols). */
static void check_vectors(int rows, int cols, const ritt_real *a, const ritt_real *sigma,
                          const ritt_real *v) {
  int least = rows < cols ? rows : cols;
  ritt_real *image = new_reals(cols, rows), bound = 20 * (rows + cols) * RITTI_EPS;
  for (int i = 0; i < cols; i++)
    for (int j = 0; j <= i; j++)
      CHECK_NEAR(ritti_dot(cols, v + i * cols, v + j * cols), i == j, bound);
  for (int i = 0; i < cols; i++)
    for (int k = 0; k < rows; k++)
      image[i * rows + k] = ritti_dot(cols, a + k * cols, v + i * cols);
  for (int i = 0; i < cols; i++) {
    CHECK_NEAR(ritti_norm(rows, image + i * rows), i < least ? sigma[i] : 0, bound * sigma[0]);
    for (int j = 0; j < i; j++)
      CHECK_NEAR(ritti_dot(rows, image + i * rows, image + j * rows), 0,
                 bound * sigma[0] * sigma[0]);
  }
  free(image);
}

/* A = U diag(s) V^T: every value to rounding errors of the largest. */
static void known(int rows, int cols, ritt_real ratio, ritt_real size, int zeros) {
  int least = rows < cols ? rows : cols;
  ritt_real *a = new_reals(rows, cols), *s = new_reals(least, 1), *sigma = new_reals(least, 1);
  ritt_real *v = new_reals(cols, cols);
  for (int i = 0; i < least - zeros; i++) s[i] = size * pow(ratio, i);
  with_values(rows, cols, s, a);
  CHECK(values_of(rows, cols, a, sigma, NULL));
  for (int i = 0; i < least; i++)
    CHECK_NEAR(sigma[i] / size, s[i] / size, 4 * (rows + cols) * RITTI_EPS);
  for (int i = 1; i < least; i++) CHECK(sigma[i] <= sigma[i - 1] && sigma[i] >= 0);
  CHECK(values_of(rows, cols, a, sigma, v));
  for (int i = 0; i < least; i++)
    CHECK_NEAR(sigma[i] / size, s[i] / size, 4 * (rows + cols) * RITTI_EPS);
  if (size == 1) check_vectors(rows, cols, a, sigma, v);
  free(a);
  free(s);
  free(sigma);
  free(v);
}

/* Orthogonal columns, or rows, of very different lengths, shuffled: every value to nearly all its
 * own digits.
 */
static void high_relative_accuracy(int rows, int cols, bool by_columns, ritt_real last) {
  int least = rows < cols ? rows : cols, most = rows < cols ? cols : rows;
  ritt_real *q = new_reals(most, most), *a = new_reals(rows, cols), *s = new_reals(least, 1);
  ritt_real *sigma = new_reals(least, 1), *v = new_reals(cols, cols);
  orthogonal(most, q);
  for (int i = 0; i < least; i++) s[i] = pow(last, least > 1 ? (ritt_real)i / (least - 1) : 1);
  // column (row) 5 k mod least gets length s_k; 5 does not divide the sizes used
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) {
      int k = by_columns ? j : i, other = by_columns ? i : j;
      a[i * cols + j] = k < least ? q[k * most + other] * s[5 * k % least] : 0;
    }
  CHECK(values_of(rows, cols, a, sigma, v));
  for (int i = 0; i < least; i++) CHECK_NEAR(sigma[i] / s[i], 1, 200 * least * RITTI_EPS);
  for (int i = 0; i < cols; i++)
    for (int j = 0; j <= i; j++)
      CHECK_NEAR(ritti_dot(cols, v + i * cols, v + j * cols), i == j, 20 * cols * RITTI_EPS);
  free(q);
  free(a);
  free(s);
  free(sigma);
  free(v);
}

/* Not orthogonal, but well-conditioned, columns times 1 .. 1e-150: the values of B D, against those
 * of a triangular matrix that is solved by hand: B = [1 1; 0 1], D = diag(1, d): sigma_2 = d /
 * sigma_1, sigma_1^2 = 1 + 2 d^2 + O(d^4). */
static void graded_by_hand(void) {
  static const ritt_real exponents[] = {-10, -50, -100, -150, -200, -290};
  for (int k = 0; k < 6; k++) {
    ritt_real d = pow(10, exponents[k]), a[4] = {1, d, 0, d}, b[4] = {1, 0, d, d}, sigma[2];
    CHECK(values_of(2, 2, a, sigma, NULL));
    CHECK_NEAR(sigma[0], 1, 4 * RITTI_EPS);
    CHECK_NEAR(sigma[1] / d, 1, 8 * RITTI_EPS);
    CHECK(values_of(2, 2, b, sigma, NULL));
    CHECK_NEAR(sigma[0], 1, 4 * RITTI_EPS);
    CHECK_NEAR(sigma[1] / d, 1, 8 * RITTI_EPS);
  }
}

/* diag(B, 0) is larger than RITTI_SMALL and has the values of B, then zeros. */
static void paths_agree(void) {
  enum { SMALL = 50, LARGE = 80 };
  ritt_real *b = new_reals(SMALL, SMALL), *a = new_reals(LARGE, LARGE), small[SMALL], large[LARGE];
  fill(SMALL * SMALL, b);
  for (int i = 0; i < SMALL; i++) copy(SMALL, b + i * SMALL, a + i * LARGE);
  CHECK(values_of(SMALL, SMALL, b, small, NULL));
  CHECK(values_of(LARGE, LARGE, a, large, NULL));
  for (int i = 0; i < LARGE; i++)
    CHECK_NEAR(large[i], i < SMALL ? small[i] : 0, LARGE * RITTI_EPS * small[0]);
  free(a);
  free(b);
}

static void hilbert_condition(void) {
  // sigma_1 / sigma_n of the Hilbert matrix of size 6, computed in 50 digits; rounding the entries
  // moves it by 1e-9
  ritt_real a[36], sigma[6];
  hilbert(6, a);
  CHECK(values_of(6, 6, a, sigma, NULL));
  CHECK_NEAR(sigma[0] / sigma[5] / 14951058.640131217, 1, 1e-8);
}

static void corners(void) {
  for (int n = 1; n <= 70; n += 69) {
    ritt_real *a = new_reals(n, n), *v = new_reals(n, n), sigma[70];
    CHECK(values_of(n, n, a, sigma, v));
    for (int i = 0; i < n; i++) CHECK(sigma[i] == 0);
    for (int i = 0; i < n; i++) CHECK_NEAR(ritti_norm(n, v + i * n), 1, 4 * n * RITTI_EPS);
    for (int k = 0; k < 9; k++) {
      fill(n * n, a);
      a[(k * 131) % (n * n)] = k % 3 ? NAN : k % 2 ? INFINITY : -INFINITY;
      CHECK(!values_of(n, n, a, sigma, k < 5 ? v : NULL));
    }
    free(a);
    free(v);
  }
  // one row, one column, the ends of the range
  ritt_real row[3] = {3, 0, 4}, huge[4] = {1e308, 1e308, 1e308, -1e308},
            tiny[4] = {1e-310, 0, 0, 0}, sigma[3], v[9];
  CHECK(values_of(1, 3, row, sigma, v));
  CHECK_NEAR(sigma[0], 5, 1e-14);
  check_vectors(1, 3, row, sigma, v);
  CHECK(values_of(3, 1, row, sigma, v));
  CHECK_NEAR(sigma[0], 5, 1e-14);
  CHECK(values_of(2, 2, huge, sigma, NULL));
  CHECK_NEAR(sigma[1] / 1e308, sqrt(2.0), 1e-14);
  CHECK(values_of(2, 2, tiny, sigma, NULL));
  CHECK(sigma[0] == 1e-310 && sigma[1] == 0);
}

static void equilibrated(int rows, int cols, ritt_real range, ritt_real density) {
  ritt_real *a = new_reals(rows, cols), *row = new_reals(rows, 1), *column = new_reals(cols, 1);
  for (int i = 0; i < rows * cols; i++)
    a[i] = check_random() < 2 * density - 1 ? check_random() * pow(10, range * check_random()) : 0;
  ritti_equilibrate(rows, cols, a, row, column);
  for (int i = 0; i < rows + cols; i++) {
    ritt_real factor = i < rows ? row[i] : column[i - rows], largest = 0;
    int exponent;
    CHECK(frexp(factor, &exponent) == 0.5);
    for (int k = 0; k < (i < rows ? cols : rows); k++) {
      int r = i < rows ? i : k, c = i < rows ? k : i - rows;
      largest = fmax(largest, fabs(a[r * cols + c]) * row[r] * column[c]);
    }
    if (largest == 0) CHECK(factor == 1);
    else CHECK(largest >= 0.5 && largest <= 2);
  }
  free(a);
  free(row);
  free(column);
}

/* Rows and columns share what is to be scaled. */
static void equilibrated_in_shares(void) {
  ritt_real a[4] = {0x1p40, 0, 0, 0x1p-80}, row[2], column[2];
  ritti_equilibrate(2, 2, a, row, column);
  for (int i = 0; i < 2; i++) {
    ritt_real whole = log2(a[3 * i]);
    CHECK(log2(row[i]) / whole < -0.25 && log2(column[i]) / whole < -0.25);
  }
}

int main(void) {
  for (int rows = 1; rows <= 9; rows++)
    for (int cols = 1; cols <= 9; cols++)
      for (int zeros = 0; zeros < (rows < cols ? rows : cols); zeros++)
        known(rows, cols, 0.3, 1, zeros);
  for (int k = 0; k < SIZES; k++) {
    int n = sizes[k];
    known(n, n, 0.8, 1, n / 4);
    known(n + 2, n, 1, 1, 0); // all equal
    known(n, n + 3, 0.01, 1, 0);
    known(n, n, 0.9, 1e-150, 0);
    known(n, n, 0.9, 1e150, 0);
  }
  static const int coprime[] = {1, 2, 3, 4, 7, 13, 33, 64};
  for (int k = 0; k < 8; k++)
    for (int by = 0; by < 2; by++) {
      high_relative_accuracy(coprime[k], coprime[k], by, 1e-150);
      high_relative_accuracy(coprime[k] + 4 * by, coprime[k] + 4 * !by, by, 1e-150);
      high_relative_accuracy(coprime[k], coprime[k], by, 1e-10);
    }
  graded_by_hand();
  paths_agree();
  hilbert_condition();
  corners();
  for (int k = 0; k < 40; k++) equilibrated(1 + k % 7, 1 + k % 11, k % 5 * 30, 0.2 + k % 4 * 0.27);
  equilibrated(70, 70, 10, 0.1);
  equilibrated_in_shares();
  // a NaN leaves the factors alone
  ritt_real bad[4] = {1e10, NAN, 3, 4}, row[2], column[2];
  ritti_equilibrate(2, 2, bad, row, column);
  CHECK(row[0] == 1 && row[1] == 1 && column[0] == 1 && column[1] == 1);
  return CHECKS_DONE();
}
