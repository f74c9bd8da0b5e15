/* Projection and direction on hand-written problems: the projected point lies on M, a - q lies in
 * the row space of df in the metric, x is kept where it must be; L D L^T and LU give the same
 * direction; trouble is named, NaN included. */
#include "check.h"
#include "geometry/geometry.h"

/* ---- an intersection of an ellipsoid and a saddle, depending on x: two rows in (x, u, v, w) ----
 */

static bool poisoned;

static ritt_status curve_f_df(const void *data, ritt_real *work, const ritt_real *z, ritt_real *f,
                              ritt_real *df) {
  (void)data, (void)work;
  double x = z[0], u = z[1], v = z[2], w = z[3];
  f[0] = u * u + 2 * v * v + w * w / 3 - 2 - 0.1 * sin(x);
  f[1] = u * v - w + x / 5;
  double d[] = {-0.1 * cos(x), 2 * u, 4 * v, 2 * w / 3, 0.2, v, u, -1};
  memcpy(df, d, sizeof d);
  if (poisoned) f[1] = NAN;
  return poisoned ? RITT_RETRY : RITT_OK;
}
static ritt_status curve_f(const void *data, ritt_real *work, const ritt_real *z, ritt_real *f) {
  ritt_real df[8];
  return curve_f_df(data, work, z, f, df);
}

static const int rows2[] = {0, 4, 8}, cols4[] = {0, 1, 2, 3, 0, 1, 2, 3}, next4[] = {0, -1, -2, -3};
static const ritti_problem curve = {.kind = RITT_EXPLICIT,
                                    .m = 4,
                                    .k = 2,
                                    .tops = 3,
                                    .next = next4,
                                    .df = {2, 4, rows2, cols4},
                                    .call.f = curve_f,
                                    .call.f_df = curve_f_df};

/* the part of W (a - q) that is not in the row space of df, relative to a - q */
static double not_normal(const ritti_manifold *M, const ritt_real *a, const ritt_real *q) {
  ritt_real f[2], df[8], dense[8], r[4], x[2], scratch[64];
  int iscratch[16];
  curve_f_df(NULL, NULL, q, f, df);
  double size = 0;
  int n = 0;
  for (int j = 0; j < 4; j++) {
    if (M->inverse_weights[j] == 0) continue;
    r[n] = (a[j] - q[j]) / M->inverse_weights[j];
    dense[n * 2] = df[j], dense[n * 2 + 1] = df[4 + j];
    size = fmax(size, fabs(r[n++]));
  }
  ritti_least_norm(n, 2, dense, r, 1e-13, x, scratch, iscratch);
  double worst = 0;
  for (int j = 0; j < n; j++)
    worst = fmax(worst, fabs(r[j] - dense[2 * j] * x[0] - dense[2 * j + 1] * x[1]));
  return worst / size;
}

static void check_projection(void) {
  ritti_arena *arena = ritti_arena_new();
  ritti_manifold M;
  CHECK(ritti_manifold_init(&M, &curve, NULL, arena) == RITT_OK);
  int done = 0;
  for (int test = 0; test < 300; test++) {
    ritt_real a[4], q[4];
    for (int j = 0; j < 4; j++)
      a[j] = check_random(), M.inverse_weights[j] = test % 3 ? 1 : 0.1 + fabs(check_random());
    a[1] += a[1] > 0 ? 0.6 : -0.6;
    bool keep = test % 2;
    if (keep) M.inverse_weights[0] = 0;
    if (ritti_manifold_project(&M, a, q) != RITT_OK) continue;
    done++;
    /* a few rounding errors of terms that sum to about 5 */
    CHECK(ritti_manifold_residual(&M, q) < 5 * 4 * 2.3e-16 * 4);
    CHECK(!keep || q[0] == a[0]);
    /* the tangential error shrinks linearly: only near points reach the orthogonal one before f is
     * at round-off */
    ritt_real near[4], again[4];
    for (int j = 0; j < 4; j++) near[j] = q[j] + (j ? 1e-3 : 0) * check_random();
    CHECK(ritti_manifold_project(&M, near, again) == RITT_OK);
    CHECK(not_normal(&M, near, again) < 1e-4);
    /* projecting a point of M changes nothing beyond rounding */
    CHECK(ritti_manifold_project(&M, q, again) == RITT_OK);
    for (int j = 0; j < 4; j++) CHECK_NEAR(again[j], q[j], 4e-16 * (1 + fabs((double)q[j])));
  }
  CHECK(done > 250);
  poisoned = true;
  ritt_real a[4] = {0, 1, 0.5, 0.5}, q[4];
  CHECK(ritti_manifold_project(&M, a, q) == RITT_RETRY && M.trouble == RITTI_NO_VALUE);
  CHECK(!(ritti_manifold_residual(&M, a) < INFINITY));
  poisoned = false;
  ritti_arena_free(arena);
}

/* ---- two equal constraints: dependent rows are reported; there is no division by zero ---- */

static ritt_status twice_f_df(const void *data, ritt_real *work, const ritt_real *z, ritt_real *f,
                              ritt_real *df) {
  (void)data, (void)work;
  f[0] = f[1] = z[1] * z[1] + z[2] * z[2] + z[3] * z[3] - 1;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 4; j++) df[4 * i + j] = j ? 2 * z[j] : 0;
  return RITT_OK;
}

static void check_dependent(void) {
  ritti_arena *arena = ritti_arena_new();
  ritti_manifold M;
  ritti_problem twice = curve;
  twice.call.f_df = twice_f_df;
  CHECK(ritti_manifold_init(&M, &twice, NULL, arena) == RITT_OK);
  ritt_real a[4] = {0, 1, 0.5, 0.25}, q[4];
  CHECK(ritti_manifold_project(&M, a, q) == RITT_RETRY && M.trouble == RITTI_DEPENDENT_ROWS);
  ritti_arena_free(arena);
}

/* ---- all variants that are for any problem, with second derivatives and without ---- */

static ritt_status curve_d2f(const void *data, ritt_real *work, const ritt_real *z,
                             const ritt_real *mu, ritt_real *h) {
  (void)data, (void)work;
  /* (x, x), (u, u), (v, u), (v, v), (w, w) */
  h[0] = 0.1 * sin(z[0]) * mu[0];
  h[1] = 2 * mu[0];
  h[2] = mu[1];
  h[3] = 4 * mu[0];
  h[4] = 2 * mu[0] / 3;
  return RITT_OK;
}

static const ritti_projection general[] = {RITTI_PROJECT_GAUSS, RITTI_PROJECT_NEWTON,
                                           RITTI_PROJECT_CHORD, RITTI_PROJECT_INEXACT};

static void check_variants(void) {
  static const int start[] = {0, 1, 2, 4, 5}, col[] = {0, 1, 1, 2, 3};
  ritti_problem full = curve, twice = curve;
  full.d2f = (ritti_pattern){4, 4, start, col};
  full.call.d2f_mu = curve_d2f;
  twice.call.f_df = twice_f_df;
  ritti_arena *arena = ritti_arena_new();
  ritti_manifold M[4], bare[4], bad;
  for (int v = 0; v < 4; v++) {
    CHECK(ritti_manifold_init(&M[v], &full, NULL, arena) == RITT_OK);
    CHECK(ritti_manifold_choose(&M[v], general[v], arena) == RITT_OK);
    CHECK(ritti_manifold_init(&bare[v], &curve, NULL, arena) == RITT_OK);
    CHECK(ritti_manifold_choose(&bare[v], general[v], arena) == RITT_OK);
  }
  for (int test = 0; test < 100; test++) {
    ritt_real a[4] = {check_random(), 1, 0.5 * check_random(), 0}, q[4], other[4];
    if (ritti_manifold_project(&M[0], a, q) != RITT_OK) continue;
    for (int j = 0; j < 4; j++) a[j] = q[j] + 0.01 * check_random();
    CHECK(ritti_manifold_project(&M[0], a, q) == RITT_OK);
    for (int v = 0; v < 8; v++) {
      CHECK(ritti_manifold_project(v < 4 ? &M[v] : &bare[v - 4], a, other) == RITT_OK);
      for (int j = 0; j < 4; j++) CHECK_NEAR(other[j], q[j], 1e-14);
    }
  }
  CHECK(M[1].counts.iterations < M[0].counts.iterations && M[1].counts.second > 0 &&
        bare[1].counts.second == 0);
  CHECK(M[2].counts.second < M[1].counts.second && M[3].counts.products > 0 &&
        M[3].counts.factorisations == 0);
  /* trouble has its name in all of them */
  for (int v = 0; v < 4; v++) {
    ritt_real a[4] = {0, 1, 0.5, 0.25}, q[4];
    poisoned = true;
    CHECK(ritti_manifold_project(&M[v], a, q) == RITT_RETRY && M[v].trouble == RITTI_NO_VALUE);
    poisoned = false;
    CHECK(M[v].counts.failures == 1);
    if (general[v] == RITTI_PROJECT_INEXACT) continue; /* it does not see that rows are dependent */
    CHECK(ritti_manifold_init(&bad, &twice, NULL, arena) == RITT_OK);
    CHECK(ritti_manifold_choose(&bad, general[v], arena) == RITT_OK);
    CHECK(ritti_manifold_project(&bad, a, q) == RITT_RETRY && bad.trouble == RITTI_DEPENDENT_ROWS);
  }
  ritti_arena_free(arena);
}

/* ---- a circle: the nearest point is found, not the farthest, which solves the same equations ----
 */

static ritt_status circle_f_df(const void *data, ritt_real *work, const ritt_real *z, ritt_real *f,
                               ritt_real *df) {
  (void)data, (void)work;
  f[0] = z[1] * z[1] + z[2] * z[2] - 1;
  df[0] = 2 * z[1], df[1] = 2 * z[2];
  return RITT_OK;
}
static ritt_status circle_d2f(const void *data, ritt_real *work, const ritt_real *z,
                              const ritt_real *mu, ritt_real *h) {
  (void)data, (void)work, (void)z;
  h[0] = h[1] = 2 * mu[0];
  return RITT_OK;
}

static void check_nearest(void) {
  static const int rows[] = {0, 2}, cols[] = {1, 2}, start[] = {0, 0, 1, 2}, col[] = {1, 2};
  ritti_problem circle = {.m = 3,
                          .k = 1,
                          .df = {1, 3, rows, cols},
                          .d2f = {3, 3, start, col},
                          .call.f_df = circle_f_df,
                          .call.d2f_mu = circle_d2f};
  ritti_arena *arena = ritti_arena_new();
  for (int v = 0; v < 4; v++) {
    ritti_manifold M;
    int found = 0;
    CHECK(ritti_manifold_init(&M, &circle, NULL, arena) == RITT_OK);
    CHECK(ritti_manifold_choose(&M, general[v], arena) == RITT_OK);
    for (int test = 0; test < 500; test++) {
      double angle = 3.2 * check_random(), r = pow(10, check_random());
      ritt_real a[3] = {0, r * cos(angle), r * sin(angle)}, q[3];
      if (ritti_manifold_project(&M, a, q) != RITT_OK) continue;
      found++;
      /* Gauss-Newton settles for a near one when it comes from far */
      double error = general[v] == RITTI_PROJECT_GAUSS ? 1e-3 : 1e-14;
      CHECK_NEAR(q[1], cos(angle), error);
      CHECK_NEAR(q[2], sin(angle), error);
    }
    CHECK(found > 300);
  }
  ritti_arena_free(arena);
}

/* ---- a random mechanical system: E positive definite 3 x 3, G 2 x 3, H = G^T diag(s) ---- */

static ritt_real A_values[25], b_values[5];
static ritt_status mech_system(const void *data, ritt_real *work, const ritt_real *z, ritt_real *A,
                               ritt_real *b) {
  (void)data, (void)work, (void)z;
  memcpy(A, A_values, sizeof A_values);
  memcpy(b, b_values, sizeof b_values);
  return RITT_OK;
}

static void check_direction(void) {
  static const int start[] = {0, 5, 10, 15, 20, 25}, next[] = {0, 4, 5, 6, -1, -2, -3};
  static const ritt_real s[] = {-2, 0.5};
  int col[25];
  for (int e = 0; e < 25; e++) col[e] = e % 5;
  ritti_problem p = {.kind = RITT_HOLONOMIC,
                     .m = 7,
                     .tops = 5,
                     .next = next,
                     .A = {5, 5, start, col},
                     .positions = 3,
                     .constraints = 2,
                     .symmetric = true,
                     .s = s,
                     .call.system = mech_system};
  ritti_problem plain = p;
  plain.symmetric = false;
  for (int test = 0; test < 100; test++) {
    ritti_arena *arena = ritti_arena_new();
    ritti_direction block, lu;
    ritt_real L[9], z[7], V[7], U[7];
    for (int i = 0; i < 9; i++) L[i] = check_random() + (i % 4 == 0 ? 2 : 0);
    for (int i = 0; i < 5; i++) b_values[i] = check_random();
    for (int i = 0; i < 7; i++) z[i] = check_random();
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) A_values[5 * i + j] = ritti_dot(3, L + 3 * i, L + 3 * j);
    for (int l = 0; l < 2; l++)
      for (int j = 0; j < 3; j++) {
        A_values[5 * (3 + l) + j] = check_random();
        A_values[5 * j + 3 + l] = s[l] * A_values[5 * (3 + l) + j];
      }
    if (test == 0) A_values[0] = -5; /* E not positive definite: LU must take over */
    CHECK(ritti_direction_init(&block, &p, NULL, arena) == RITT_OK);
    CHECK(ritti_direction_init(&lu, &plain, NULL, arena) == RITT_OK);
    CHECK(ritti_direction_at(&block, z, V) == RITT_OK);
    CHECK(ritti_direction_at(&lu, z, U) == RITT_OK);
    for (int i = 0; i < 7; i++) CHECK_NEAR(V[i], U[i], 1e-11);
    for (int i = 0; i < 5; i++) {
      CHECK_NEAR(block.top[i], lu.top[i], 1e-10);
      CHECK_NEAR(ritti_dot(5, A_values + 5 * i, block.top) + b_values[i], 0, 1e-11);
    }
    CHECK(V[0] == 1 && V[1] == z[4] && V[4] == block.top[0]);
    /* unit speed in a metric */
    ritt_real arc[7], W[7], square = 0;
    for (int i = 0; i < 7; i++) arc[i] = 1 + i;
    block.arc = arc;
    CHECK(ritti_direction_at(&block, z, W) == RITT_OK);
    for (int i = 0; i < 7; i++) square += arc[i] * W[i] * W[i];
    CHECK_NEAR(square, 1, 1e-14);
    for (int i = 0; i < 7; i++) CHECK_NEAR(W[i], V[i] * W[0], 1e-12);
    memset(A_values, 0, sizeof A_values);
    CHECK(ritti_direction_at(&block, z, W) == RITT_RETRY && block.trouble == RITTI_SINGULAR_TOP);
    ritti_arena_free(arena);
  }
}

int main(void) {
  check_projection();
  check_dependent();
  check_variants();
  check_nearest();
  check_direction();
  return CHECKS_DONE();
}
