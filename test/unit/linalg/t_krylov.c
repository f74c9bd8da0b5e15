/* CG and SYMMLQ against the exact solution, and by their laws: as many products as the matrix has
 * different eigenvalues, residuals that are what is reported. */
#include "unit/linalg/random.h"
#include "linalg/krylov.h"

typedef struct dense {
  int n;
  const ritt_real *a;
  int *calls;
} dense;

static void multiply(const void *context, const ritt_real *x, ritt_real *y) {
  const dense *m = context;
  ++*m->calls;
  times(m->n, m->n, 1, m->a, x, y);
}

/* Symmetric with these eigenvalues. */
static void symmetric(int n, const ritt_real *eigen, ritt_real *a) {
  ritt_real *q = new_reals(n, n);
  orthogonal(n, q);
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      long double sum = 0;
      for (int k = 0; k < n; k++) sum += (long double)q[i * n + k] * eigen[k] * q[j * n + k];
      a[i * n + j] = a[j * n + i] = (ritt_real)sum;
    }
  free(q);
}

typedef bool method(ritti_krylov *, const ritt_real *, ritt_real *);

/* Solves; the true residual must be as promised. Returns the products. */
static int solve_one(method *solve, int n, const ritt_real *a, ritt_real tolerance, bool warm) {
  int calls = 0;
  dense m = {n, a, &calls};
  ritt_real *b = new_reals(n, 1), *x = new_reals(n, 1), *r = new_reals(n, 1),
            *scratch = new_reals(n, RITTI_SYMMLQ_SCRATCH);
  fill(n, b);
  if (warm) fill(n, x);
  for (int i = 0; i < n * RITTI_SYMMLQ_SCRATCH; i++) scratch[i] = NAN;
  ritti_krylov K = {.n = n,
                    .times = multiply,
                    .context = &m,
                    .tolerance = tolerance,
                    .most = 20 * n + 5,
                    .scratch = scratch};
  CHECK(solve(&K, b, x));
  CHECK(K.products == calls);
  CHECK(K.residual <= tolerance);
  times(n, n, 1, a, x, r);
  for (int i = 0; i < n; i++) r[i] -= b[i];
  CHECK(ritti_norm(n, r) <= 1.01 * (tolerance + 1e-12) * ritti_norm(n, b));
  free(b);
  free(x);
  free(r);
  free(scratch);
  return calls;
}

static void check_spectrum(int n, int different, bool indefinite) {
  ritt_real *eigen = new_reals(n, 1), *a = new_reals(n, n);
  for (int i = 0; i < n; i++) {
    eigen[i] = 1 + (ritt_real)(i % different) / different;
    if (indefinite && i % different % 2) eigen[i] = -eigen[i];
  }
  symmetric(n, eigen, a);
  for (int warm = 0; warm < 2; warm++) {
    int products = solve_one(ritti_symmlq, n, a, 1e-9, warm);
    CHECK(products <= different + warm);
    if (!indefinite) CHECK(solve_one(ritti_cg, n, a, 1e-9, warm) <= different + warm);
  }
  solve_one(ritti_symmlq, n, a, 1e-3, false);
  free(eigen);
  free(a);
}

/* The chain's matrix: tridiagonal 2, -1; and shifted into the middle of its spectrum. */
static void check_tridiagonal(int n, ritt_real shift) {
  ritt_real *a = new_reals(n, n);
  for (int i = 0; i < n; i++) {
    a[i * n + i] = 2 - shift;
    if (i) a[i * n + i - 1] = a[(i - 1) * n + i] = -1;
  }
  CHECK(solve_one(ritti_symmlq, n, a, 1e-10, false) <= 3 * n);
  if (shift == 0) CHECK(solve_one(ritti_cg, n, a, 1e-10, false) <= 3 * n);
  free(a);
}

static void check_trouble(void) {
  int calls = 0;
  ritt_real scratch[8], b[2] = {1, 1}, x[2] = {0, 0};
  const ritt_real indefinite[] = {1, 0, 0, -1}, singular[] = {1, 0, 0, 0}, nan[] = {NAN, 0, 0, 1};
  dense m = {2, indefinite, &calls};
  ritti_krylov K = {
      .n = 2, .times = multiply, .context = &m, .tolerance = 1e-10, .most = 10, .scratch = scratch};
  // (1, 1) has no curvature here: CG cannot, SYMMLQ can
  CHECK(!ritti_cg(&K, b, x));
  x[0] = x[1] = 0;
  CHECK(ritti_symmlq(&K, b, x));
  CHECK_NEAR(x[0], 1, 1e-12);
  CHECK_NEAR(x[1], -1, 1e-12);
  // a solution given needs one product, and a zero right side none
  K.products = 7;
  CHECK(ritti_symmlq(&K, b, x) && K.products == 1);
  x[0] = x[1] = b[0] = b[1] = 0;
  CHECK(ritti_symmlq(&K, b, x) && K.products == 0 && x[0] == 0);
  CHECK(ritti_cg(&K, b, x) && K.products == 0);
  // no solution, NaN, too few products
  b[0] = b[1] = 1;
  m.a = singular;
  x[0] = x[1] = 0;
  CHECK(!ritti_symmlq(&K, b, x));
  x[0] = x[1] = 0;
  CHECK(!ritti_cg(&K, b, x));
  m.a = nan;
  x[0] = x[1] = 0;
  CHECK(!ritti_symmlq(&K, b, x));
  x[0] = x[1] = 0;
  CHECK(!ritti_cg(&K, b, x));
  b[0] = 3;
  m.a = indefinite;
  K.most = 1;
  x[0] = x[1] = 0;
  CHECK(!ritti_symmlq(&K, b, x) && K.products == 1);
}

int main(void) {
  for (int n = 1; n <= 40; n += 3)
    for (int different = 1; different <= n && different <= 7; different++)
      for (int indefinite = 0; indefinite < 2; indefinite++)
        check_spectrum(n, different, indefinite);
  check_tridiagonal(60, 0);
  check_tridiagonal(60, 1.3);
  check_tridiagonal(61, 1.9);
  check_trouble();
  return CHECKS_DONE();
}
