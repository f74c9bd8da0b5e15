/* LU, Cholesky and LDL^T: factors multiplied back, residuals, one against another, and matrices
 * that must be refused. */
#include "unit/linalg/random.h"

/* ---- LU ---- */

static void check_factors(int n, const ritt_real *a, const ritt_real *lu, const int *pivot) {
  ritt_real *permuted = new_reals(n, n), *l = new_reals(n, n), *u = new_reals(n, n),
            *product = new_reals(n, n);
  copy(n * n, a, permuted);
  for (int k = 0; k < n; k++) {
    CHECK(pivot[k] >= k && pivot[k] < n);
    for (int j = 0; j < n; j++) {
      ritt_real t = permuted[k * n + j];
      permuted[k * n + j] = permuted[pivot[k] * n + j];
      permuted[pivot[k] * n + j] = t;
    }
  }
  ritt_real multiplier = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      l[i * n + j] = j < i ? lu[i * n + j] : i == j;
      u[i * n + j] = j < i ? 0 : lu[i * n + j];
      if (j < i) multiplier = fmax(multiplier, fabs(lu[i * n + j]));
    }
  CHECK(multiplier <= 1);
  times(n, n, n, l, u, product);
  for (int i = 0; i < n * n; i++) product[i] -= permuted[i];
  CHECK(largest_of(n * n, product) <= 2 * n * RITTI_EPS * largest_of(n * n, u));
  free(permuted);
  free(l);
  free(u);
  free(product);
}

static void lu_random(int n) {
  ritt_real *a = new_reals(n, n), *lu = new_reals(n, n), *b = new_reals(n, 1), *x = new_reals(n, 1),
            ratio, scale;
  int *pivot = calloc((size_t)n, sizeof *pivot);
  for (int turn = 0; turn < 3; turn++) {
    fill(n * n, a);
    fill(n, b);
    copy(n * n, a, lu);
    copy(n, b, x);
    CHECK(ritti_lu_factor(n, lu, pivot, turn ? &ratio : NULL));
    if (turn) CHECK(ratio > 0 && ratio <= 1);
    check_factors(n, a, lu, pivot);
    ritti_lu_solve(n, lu, pivot, x);
    ritt_real error = residual(n, n, a, x, b, &scale);
    CHECK(error <= 4 * n * RITTI_EPS * scale);
  }
  free(a);
  free(lu);
  free(b);
  free(x);
  free(pivot);
}

/* The blocked path and the plain one: a matrix diag(B, I) larger than RITTI_SMALL has the factors
 * of B. */
static void lu_paths_agree(void) {
  enum { SMALL = 60, LARGE = 100 };
  ritt_real *b = new_reals(SMALL, SMALL), *a = new_reals(LARGE, LARGE), ratio_b, ratio_a;
  int pivot_b[SMALL], pivot_a[LARGE];
  fill(SMALL * SMALL, b);
  for (int i = 0; i < LARGE; i++)
    for (int j = 0; j < LARGE; j++)
      a[i * LARGE + j] = i < SMALL && j < SMALL ? b[i * SMALL + j] : i == j;
  CHECK(ritti_lu_factor(SMALL, b, pivot_b, &ratio_b));
  CHECK(ritti_lu_factor(LARGE, a, pivot_a, &ratio_a));
  ritt_real worst = 0;
  for (int i = 0; i < SMALL; i++) {
    CHECK(pivot_a[i] == pivot_b[i]);
    for (int j = 0; j < SMALL; j++) worst = fmax(worst, fabs(a[i * LARGE + j] - b[i * SMALL + j]));
  }
  CHECK(worst <= 1e-11);
  free(a);
  free(b);
}

/* Rows of very different sizes, in any order, are scaled before their pivots are compared. */
static void lu_ratio(void) {
  for (int n = 3; n <= 90; n += 87) {
    ritt_real *a = new_reals(n, n), ratio;
    int pivot[90];
    for (int i = 0; i < n; i++) a[i * n + i] = ldexp(1, 10 * (i % 5));
    CHECK(ritti_lu_factor(n, a, pivot, &ratio));
    CHECK(ratio == 1);
    for (int i = 0; i < n * n; i++) a[i] = 0;
    for (int i = 0; i < n; i++) a[i * n + n - 1 - i] = ldexp(1, 10 * (i % 5));
    CHECK(ritti_lu_factor(n, a, pivot, &ratio));
    CHECK(ratio == 1);
    // [1 1; 1 1+t] in a corner: its second pivot is t
    for (int i = 0; i < n * n; i++) a[i] = i % (n + 1) == 0;
    a[1] = a[n] = 1;
    a[n + 1] = 1 + 0x1p-40;
    CHECK(ritti_lu_factor(n, a, pivot, &ratio));
    CHECK(ratio == 0x1p-40);
    free(a);
  }
}

static ritt_real norm1(int n, const ritt_real *a) {
  ritt_real norm = 0;
  for (int j = 0; j < n; j++) {
    ritt_real sum = 0;
    for (int i = 0; i < n; i++) sum += fabs(a[i * n + j]);
    norm = fmax(norm, sum);
  }
  return norm;
}

/* The estimate against the inverse itself: never below the truth, rarely more than 3 times above.
 */
static void lu_condition(int n) {
  ritt_real *a = new_reals(n, n), *lu = new_reals(n, n), *inverse = new_reals(n, n),
            *x = new_reals(n, 1);
  ritt_real *scratch = new_reals(3, n);
  int *pivot = calloc((size_t)n, sizeof *pivot), *iscratch = calloc((size_t)n, sizeof *iscratch);
  for (int turn = 0; turn < 3; turn++) {
    fill(n * n, a);
    if (turn == 2)
      for (int j = 0; j < n; j++) a[j] *= 1e-9; // a small row
    copy(n * n, a, lu);
    CHECK(ritti_lu_factor(n, lu, pivot, NULL));
    for (int j = 0; j < n; j++) {
      for (int i = 0; i < n; i++) x[i] = i == j;
      ritti_lu_solve(n, lu, pivot, x);
      for (int i = 0; i < n; i++) inverse[i * n + j] = x[i];
    }
    ritt_real truth = 1 / (norm1(n, a) * norm1(n, inverse));
    ritt_real rcond = ritti_lu_rcond(n, lu, pivot, norm1(n, a), scratch, iscratch);
    CHECK(rcond >= truth * (1 - 1e-6) && rcond <= 10 * truth);
  }
  free(a);
  free(lu);
  free(inverse);
  free(x);
  free(scratch);
  free(pivot);
  free(iscratch);
}

/* A^-1 = I + 1024 C, C = (e_1 - e_2) (e_3 - e_4)^T: Hager's ascent sees nothing of C, from the
 * start or from vertex 0. */
static void lu_condition_deceived(void) {
  enum { N = 6 };
  ritt_real a[N * N], scratch[3 * N];
  int pivot[N], iscratch[N];
  for (int i = 0; i < N * N; i++) a[i] = i % (N + 1) == 0;
  a[N + 3] = a[2 * N + 4] = -1024;
  a[N + 4] = a[2 * N + 3] = 1024;
  ritt_real truth = 1 / (2049.0 * 2049.0);
  CHECK(ritti_lu_factor(N, a, pivot, NULL));
  ritt_real rcond = ritti_lu_rcond(N, a, pivot, 2049, scratch, iscratch);
  CHECK(rcond >= truth && rcond <= 10 * truth);
}

static void lu_hilbert(void) {
  // 1-norm conditions of the Hilbert matrices of sizes 3, 6, 9, exactly
  static const double condition[] = {748, 29070279.0, 1099654541342.5};
  for (int k = 0; k < 3; k++) {
    int n = 3 * (k + 1), pivot[9], iscratch[9];
    ritt_real a[81], lu[81], x[9], b[9], scratch[27], scale;
    hilbert(n, a);
    copy(n * n, a, lu);
    fill(n, b);
    copy(n, b, x);
    CHECK(ritti_lu_factor(n, lu, pivot, NULL));
    ritti_lu_solve(n, lu, pivot, x);
    CHECK(residual(n, n, a, x, b, &scale) <= 4 * n * RITTI_EPS * scale);
    CHECK_NEAR(1 / ritti_lu_rcond(n, lu, pivot, norm1(n, a), scratch, iscratch) / condition[k], 1,
               0.01);
  }
}

static void lu_refuses(int n) {
  ritt_real *a = new_reals(n, n), ratio = 7;
  int *pivot = calloc((size_t)n, sizeof *pivot);
  // zero matrix
  CHECK(!ritti_lu_factor(n, a, pivot, &ratio));
  CHECK(ratio == 0);
  // a zero column
  fill(n * n, a);
  for (int i = 0; i < n; i++) a[i * n + n / 2] = 0;
  CHECK(!ritti_lu_factor(n, a, pivot, NULL));
  // two equal rows of small integers: exactly singular
  for (int i = 0; n > 1 && i < n; i++)
    for (int j = 0; j < n; j++) a[i * n + j] = (i == j) + (i == 0);
  for (int j = 0; n > 1 && j < n; j++) a[(n - 1) * n + j] = a[j];
  if (n > 1) CHECK(!ritti_lu_factor(n, a, pivot, &ratio));
  // one entry that is not a number, anywhere
  for (int turn = 0; turn < 60; turn++) {
    int place = (int)((check_random() + 1) / 2 * n * n);
    fill(n * n, a);
    if (turn % 3 == 0)
      for (int i = 0; i < n * n; i++) a[i] = i % (n + 1) == 0;
    a[place] = turn % 2 ? NAN : turn % 4 ? INFINITY : -INFINITY;
    CHECK(!ritti_lu_factor(n, a, pivot, turn % 5 ? &ratio : NULL));
  }
  free(a);
  free(pivot);
}

/* ---- Cholesky ---- */

/* A = B B^T + shift, lower triangle; above it stands NaN, which must not be read */
static void positive(int n, ritt_real shift, ritt_real *full, ritt_real *lower) {
  ritt_real *b = new_reals(n, n), *t = new_reals(n, n);
  fill(n * n, b);
  transpose(n, n, b, t);
  times(n, n, n, b, t, full);
  for (int i = 0; i < n; i++) full[i * n + i] += shift;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) lower[i * n + j] = j <= i ? full[i * n + j] : NAN;
  free(b);
  free(t);
}

static void cholesky_random(int n) {
  ritt_real *a = new_reals(n, n), *l = new_reals(n, n), *b = new_reals(n, 1), *x = new_reals(n, 1),
            scale;
  positive(n, 0.1, a, l);
  fill(n, b);
  copy(n, b, x);
  CHECK(ritti_cholesky_factor(n, l));
  ritti_cholesky_solve(n, l, x);
  CHECK(residual(n, n, a, x, b, &scale) <= 4 * n * RITTI_EPS * scale);
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      long double sum = 0;
      for (int k = 0; k <= j; k++) sum += (long double)l[i * n + k] * l[j * n + k];
      CHECK_NEAR(sum, a[i * n + j],
                 4 * n * RITTI_EPS * a[i * n + i] + 4 * n * RITTI_EPS * a[j * n + j]);
    }
  free(a);
  free(l);
  free(b);
  free(x);
}

static void cholesky_refuses(int n) {
  ritt_real *a = new_reals(n, n), *l = new_reals(n, n), *b = new_reals(n, n);
  CHECK(!ritti_cholesky_factor(n, l)); // zero
  positive(n, 0.1, a, l);
  l[n * n - 1] = -l[n * n - 1];
  CHECK(!ritti_cholesky_factor(n, l));
  // a Gram matrix of n vectors in a space of n - 1 dimensions, most of them orthogonal: singular up
  // to rounding
  if (n > 1) orthogonal(n - 1, b);
  fill(n - 1, b + (n - 1) * (n - 1));
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) l[i * n + j] = ritti_dot(n - 1, b + i * (n - 1), b + j * (n - 1));
  CHECK(!ritti_cholesky_factor(n, l));
  for (int turn = 0; turn < 20; turn++) {
    positive(n, 1, a, l);
    int i = (int)((check_random() + 1) / 2 * n), j = (int)((check_random() + 1) / 2 * (i + 1));
    l[i * n + j] = turn % 2 ? NAN : turn % 4 ? INFINITY : -INFINITY;
    CHECK(!ritti_cholesky_factor(n, l));
  }
  free(a);
  free(l);
  free(b);
}

/* ---- LDL^T ---- */

/* [E G^T; G 0], E positive definite; G has `dependent` equal rows more than it should */
static void kkt(int n, int ne, bool dependent, ritt_real *full, ritt_real *lower) {
  ritt_real *e = new_reals(ne, ne), *skip = new_reals(ne, ne);
  positive(ne, 0.1, e, skip);
  for (int i = 0; i < n * n; i++) full[i] = 0;
  for (int i = 0; i < ne; i++)
    for (int j = 0; j < ne; j++) full[i * n + j] = e[i * ne + j];
  for (int i = ne; i < n; i++)
    for (int j = 0; j < ne; j++)
      full[i * n + j] = full[j * n + i] = dependent && i > ne ? full[ne * n + j] : check_random();
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) lower[i * n + j] = j <= i ? full[i * n + j] : NAN;
  free(e);
  free(skip);
}

static void ldlt_random(int n, int ne) {
  ritt_real *a = new_reals(n, n), *l = new_reals(n, n), *lu = new_reals(n, n);
  ritt_real *b = new_reals(n, 1), *x = new_reals(n, 1), *y = new_reals(n, 1),
            *scratch = new_reals(3, n), scale;
  int *pivot = calloc((size_t)n, sizeof *pivot), *iscratch = calloc((size_t)n, sizeof *iscratch);
  kkt(n, ne, false, a, l);
  copy(n * n, a, lu);
  fill(n, b);
  copy(n, b, x);
  copy(n, b, y);
  CHECK(ritti_ldlt_factor(n, ne, l));
  ritti_ldlt_solve(n, l, x);
  CHECK(ritti_lu_factor(n, lu, pivot, NULL));
  ritti_lu_solve(n, lu, pivot, y);
  ritt_real rcond = ritti_lu_rcond(n, lu, pivot, norm1(n, a), scratch, iscratch);
  // two ways to one answer
  for (int i = 0; i < n; i++)
    CHECK_NEAR(x[i], y[i], 100 * n * RITTI_EPS / rcond * largest_of(n, y));
  // the signs are those of the inertia, and L D L^T is A
  ritt_real worst = 0;
  for (int i = 0; i < n; i++) {
    CHECK(i < ne ? l[i * n + i] > 0 : l[i * n + i] < 0);
    for (int j = 0; j <= i; j++) {
      long double sum = -a[i * n + j], size = fabs(a[i * n + j]);
      for (int k = 0; k <= j; k++) {
        long double term =
            (k < i ? l[i * n + k] : 1) * (long double)l[k * n + k] * (k < j ? l[j * n + k] : 1);
        sum += term;
        size += fabsl(term);
      }
      worst = fmax(worst, (double)(fabsl(sum) / (size + 1e-300L)));
    }
  }
  CHECK(worst <= 100 * n * RITTI_EPS);
  CHECK(residual(n, n, a, x, b, &scale) <= 1e4 * n * RITTI_EPS * scale);
  free(a);
  free(l);
  free(lu);
  free(b);
  free(x);
  free(y);
  free(scratch);
  free(pivot);
  free(iscratch);
}

/* A top in quaternions: E = sum I_k w_k w_k^T of three rows w_k perpendicular to q is singular, [E
 * q; q^T 0] is not. Rounding errors of the fourth pivot grow like 1/q_3^2 behind the third one,
 * which is about q_3^2. */
static void ldlt_refuses_noise(void) {
  for (int turn = 0; turn < 400; turn++) {
    ritt_real q[4], a[25] = {0};
    for (int i = 0; i < 4; i++) q[i] = (ritt_real)check_random();
    q[3] *= (ritt_real)pow(10, -1 - turn % 6);
    const ritt_real w[3][4] = {
        {-q[1], q[0], q[3], -q[2]}, {-q[2], -q[3], q[0], q[1]}, {-q[3], q[2], -q[1], q[0]}};
    for (int i = 0; i < 4; i++)
      for (int j = 0; j <= i; j++)
        for (int k = 0; k < 3; k++) a[i * 5 + j] += (k == 2 ? 2 : 4) * w[k][i] * w[k][j];
    for (int j = 0; j < 4; j++) a[4 * 5 + j] = 2 * q[j];
    CHECK(!ritti_ldlt_factor(5, 4, a));
  }
}

static void ldlt_refuses(int n, int ne) {
  ritt_real *a = new_reals(n, n), *l = new_reals(n, n);
  CHECK(!ritti_ldlt_factor(n, ne, l)); // zero
  // a constraint given twice
  kkt(n, ne, true, a, l);
  CHECK(!ritti_ldlt_factor(n, ne, l));
  // a wrong sign in E
  kkt(n, ne, false, a, l);
  l[(ne - 1) * n + ne - 1] = -100 * n;
  CHECK(!ritti_ldlt_factor(n, ne, l));
  // a wrong sign below
  kkt(n, ne, false, a, l);
  l[n * n - 1] = 1e6 * n;
  CHECK(!ritti_ldlt_factor(n, ne, l));
  for (int turn = 0; turn < 20; turn++) {
    kkt(n, ne, false, a, l);
    int i = (int)((check_random() + 1) / 2 * n), j = (int)((check_random() + 1) / 2 * (i + 1));
    l[i * n + j] = turn % 2 ? NAN : turn % 4 ? INFINITY : -INFINITY;
    CHECK(!ritti_ldlt_factor(n, ne, l));
  }
  free(a);
  free(l);
}

/* A bridge of four blocking diodes: a - b + i = r, i = g a, i = -g b with g far below rounding. Every
 * entry counts; with g = 1e-30 and rows of size 1 a + b is not determined, and a - b is. */
static void test_full_lu(void) {
  static const int start[] = {0, 3, 5, 7}, col[] = {0, 1, 2, 0, 2, 1, 2};
  const ritti_pattern pattern = {3, 3, start, col};
  ritti_arena *arena = ritti_arena_new();
  ritti_full_lu lu;
  CHECK(ritti_full_lu_init(&lu, 3, arena) == RITT_OK);
  for (int turn = 0; turn < 2; turn++) {
    double g = turn ? 1e-30 : 1e-3, entry[] = {1, -1, 1, g, -1, g, 1}, x[] = {2, 0, 0};
    for (int i = 0; i < 3; i++) lu.row_size[i] = lu.col_size[i] = 1;
    CHECK(ritti_full_lu_factor(&lu, &pattern, entry));
    CHECK(lu.rank == (turn ? 2 : 3));
    ritti_full_lu_solve(&lu, x);
    CHECK_NEAR(x[0] - x[1] + x[2], 2, 1e-15);
    if (turn == 0) CHECK_NEAR(x[0], 2 / (2 + g), 1e-15);
    if (turn == 0) CHECK_NEAR(x[1], -2 / (2 + g), 1e-15);
  }
  double bad[] = {1, NAN, 1, 1, 1, 1, 1};
  CHECK(!ritti_full_lu_factor(&lu, &pattern, bad));
  ritti_arena_free(arena);
}

int main(void) {
  test_full_lu();
  for (int n = 1; n <= 70; n++) lu_random(n);
  for (int k = 0; k < SIZES; k++) {
    int n = sizes[k];
    lu_random(n);
    lu_condition(n);
    lu_refuses(n);
    cholesky_random(n);
    cholesky_refuses(n);
    ldlt_random(n, n - n / 3);
    ldlt_random(n, n);
    if (n >= 4) ldlt_refuses(n, n - n / 2);
  }
  lu_paths_agree();
  lu_ratio();
  lu_condition_deceived();
  lu_hilbert();
  CHECK(ritti_lu_factor(0, NULL, NULL, NULL));
  CHECK(ritti_cholesky_factor(0, NULL));
  CHECK(ritti_ldlt_factor(0, 0, NULL));
  ldlt_refuses_noise();
  return CHECKS_DONE();
}
