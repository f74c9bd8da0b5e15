/* The variants of the projection against each other, on every model of the papers: from the same
 * point near M all orthogonal ones come to the same point of M, in any metric, with x kept or not,
 * and a - q lies in the row space of df there. How near they come is measured by the condition
 * number of dF = [A B^T; B 0], which belongs to the point, not to the variant. */
#include <stdlib.h>
#include "papers.h"
#include "geometry/manifold_impl.h"

static const ritti_projection orthogonal[] = {
    RITTI_PROJECT_GAUSS,  RITTI_PROJECT_NEWTON, RITTI_PROJECT_CHORD, RITTI_PROJECT_INEXACT,
    RITTI_PROJECT_BLOCKS, RITTI_PROJECT_GAUSS, /* with factors of another point */
    RITTI_PROJECT_NEWTON};                     /* sparse */
enum { REUSING = 5, SPARSE = 6 };
static const char *const word[] = {
#define X(id, text) text,
    RITTI_PROJECTIONS(X)
#undef X
};
enum { VARIANTS = sizeof orthogonal / sizeof *orthogonal, MOST = 64, POINTS = 4 };

static const ritti_problem *problem;
static ritt_real *work;

static double size_of(const ritt_real *z) {
  double size = 1;
  for (int j = 0; j < problem->m; j++) size = fmax(size, fabs(z[j]));
  return size;
}

/* B at q in coordinates u = q / R, rows of length 1, by rows; the rows' lengths */
static void rows_at(const ritt_real *q, const ritt_real *spread, ritt_real *B, ritt_real *length) {
  static ritt_real f[MOST], df[MOST * MOST];
  int m = problem->m, k = problem->k;
  CHECK(problem->call.f_df(problem->data, work, q, f, df) == RITT_OK);
  ritti_csr_to_dense(&problem->df, df, B);
  for (int i = 0; i < k; i++) {
    for (int j = 0; j < m; j++) B[i * m + j] *= sqrt(spread[j]);
    length[i] = ritti_norm(m, B + i * m);
    for (int j = 0; j < m; j++) B[i * m + j] /= length[i];
  }
}

/* What of u = (a - q)/R is not in the row space of B, by least squares; *mu gets the multipliers of
 * the rows of length 1. */
static double not_normal(const ritt_real *a, const ritt_real *q, const ritt_real *spread,
                         ritt_real *mu) {
  static ritt_real B[MOST * MOST], T[MOST * MOST], u[MOST], length[MOST], scratch[8 * MOST * MOST];
  int m = problem->m, k = problem->k, iscratch[2 * MOST];
  rows_at(q, spread, B, length);
  for (int i = 0; i < k; i++)
    for (int j = 0; j < m; j++) T[j * k + i] = B[i * m + j];
  for (int j = 0; j < m; j++) u[j] = spread[j] > 0 ? (a[j] - q[j]) / sqrt(spread[j]) : 0;
  ritti_least_norm(m, k, T, u, 1e-15, mu, scratch, iscratch);
  double worst = 0;
  for (int j = 0; j < m; j++) worst = fmax(worst, fabs(u[j] - ritti_dot(k, T + j * k, mu)));
  return worst;
}

/* The condition number of dF at q. */
static double condition(const ritt_real *q, const ritt_real *spread,
                        const ritt_real *mu_of_unit_rows) {
  static ritt_real B[MOST * MOST], H[MOST * MOST], C[4 * MOST * MOST], length[MOST], mu[MOST],
      sigma[2 * MOST];
  static ritt_real scratch[32 * MOST * MOST];
  int m = problem->m, k = problem->k, n = m + k;
  rows_at(q, spread, B, length);
  for (int i = 0; i < k; i++) mu[i] = mu_of_unit_rows[i] / length[i];
  CHECK(problem->call.d2f_mu(problem->data, work, q, mu, H) == RITT_OK);
  memset(C, 0, sizeof C);
  for (int i = 0; i < m; i++) {
    C[i * n + i] += 1;
    for (int e = problem->d2f.start[i]; e < problem->d2f.start[i + 1]; e++) {
      int j = problem->d2f.col[e];
      double h = H[e] * sqrt(spread[i]) * sqrt(spread[j]);
      C[i * n + j] += h;
      if (i != j) C[j * n + i] += h;
    }
    for (int r = 0; r < k; r++) C[i * n + m + r] = C[(m + r) * n + i] = B[r * m + i];
  }
  CHECK(ritti_singular_values_scratch(n, n) <= sizeof scratch / sizeof *scratch);
  CHECK(ritti_singular_values(n, n, C, sigma, NULL, scratch));
  return sigma[0] / sigma[n - 1];
}

/* One point near M, all variants. Returns whether they were all to converge, and did. */
static bool check_point(const char *name, ritti_manifold *M, const bool *usable, const ritt_real *a,
                        double distance) {
  static ritt_real q[VARIANTS][MOST], mu[MOST];
  int m = problem->m;
  for (int v = 0; v < VARIANTS; v++)
    if (usable[v] && ritti_manifold_project(&M[v], a, q[v]) != RITT_OK) {
      if (distance <= 1e-3)
        checks_failed++, printf("failed: %s, %s at %g\n", name, word[orthogonal[v]], distance);
      return false;
    }
  const ritt_real *spread = M[0].inverse_weights;
  double cond = 0, size = 0;
  for (int j = 0; j < m; j++)
    if (spread[j] > 0) size = fmax(size, fmax(1, fabs(q[0][j])) / sqrt(spread[j]));
  for (int v = 0; v < VARIANTS; v++) {
    if (!usable[v]) continue;
    double off = not_normal(a, q[v], spread, mu);
    if (v == 0) cond = condition(q[0], spread, mu);
    double bound = 10 * 2.3e-16 * cond * size, apart = 0;
    for (int j = 0; j < m; j++) {
      if (spread[j] == 0) CHECK(q[v][j] == a[j]);
      else apart = fmax(apart, fabs(q[v][j] - q[0][j]) / sqrt(spread[j]));
    }
    if (off <= bound && apart <= bound) checks_passed++;
    else
      checks_failed++,
          printf(
              "failed: %s, %s at %g: a - q is off the normal by %.2g, q from gauss by %.2g, bound %.2g\n",
              name, word[orthogonal[v]], distance, off, apart, bound);
  }
  return true;
}

/* How much work that was. Newton's method needs no more iterations than Gauss-Newton; the chord two
 * thirds of its second derivatives at most; inexact iterations leave 0.5^n 0.8^(n(n-1)/2) of the
 * error, 1e-16 after 13 of them. Blocks do what Newton's method does, except for rounding at the last
 * iteration. */
static void check_work(const char *name, const ritti_manifold *M, const bool *usable) {
  const ritti_manifold *gauss = &M[0], *newton = &M[1], *chord = &M[2], *krylov = &M[3],
                       *block = &M[4];
  bool good = newton->counts.iterations <= gauss->counts.iterations && newton->counts.most <= 4 &&
              gauss->counts.second == 0 &&
              newton->counts.second <=
                  newton->counts.iterations - (newton->counts.projections - newton->counts.idle) &&
              3 * chord->counts.second <= 2 * newton->counts.second &&
              chord->counts.iterations <= 2 * newton->counts.iterations &&
              krylov->counts.factorisations == 0 && krylov->counts.most <= 15;
  good = good && 3 * M[REUSING].counts.factorisations <= gauss->counts.factorisations &&
         M[REUSING].counts.products > 0 &&
         M[REUSING].counts.iterations <= gauss->counts.iterations + gauss->counts.projections / 5 &&
         M[SPARSE].counts.most <= 4 && M[SPARSE].newton->kkt &&
         M[SPARSE].counts.factorisations == M[SPARSE].counts.iterations;
  if (usable[4])
    good = good &&
           labs(block->counts.iterations - newton->counts.iterations) <=
               newton->counts.projections / 20 &&
           block->counts.most <= 4;
  if (good) checks_passed++;
  else {
    checks_failed++;
    printf("failed: %s: iterations", name);
    for (int v = 0; v < VARIANTS; v++)
      printf(" %ld (at most %d, second %ld)", M[v].counts.iterations, M[v].counts.most,
             M[v].counts.second);
    printf("\n");
  }
}

/* The predictor is O(h^3) from the projection of p + hV, where p + hV itself is O(h^2). */
static void check_predictor(const char *name, const papers_model *p, const ritt_real *z, int count,
                            ritti_arena *arena) {
  static ritt_real V[MOST], a[MOST], q[MOST], arc[MOST];
  ritti_manifold M;
  ritti_direction D;
  int m = problem->m;
  CHECK(ritti_manifold_init(&M, problem, work, arena) == RITT_OK);
  CHECK(ritti_direction_init(&D, problem, work, arena) == RITT_OK);
  for (int j = 0; j < m; j++) arc[j] = 1;
  D.arc = arc;
  double sum[2][2] = {{0}};
  for (int i = 0; i < count; i++)
    for (int half = 0; half < 2; half++) {
      double h = (half ? 0.5 : 1) * (p->model->model->run == RITTI_RUN_ARC ? 0.02 : 0.01);
      CHECK(ritti_direction_at(&D, z + i * m, V) == RITT_OK);
      for (int j = 0; j < m; j++) a[j] = z[i * m + j] + h * V[j];
      ritti_manifold_predict(&M, z + i * m, V, h);
      CHECK(ritti_manifold_project(&M, a, q) == RITT_OK);
      for (int j = 0; j < m; j++) {
        sum[half][0] += pow(a[j] - q[j], 2);
        sum[half][1] += pow(a[j] - M.predictor.dz[j] / 2 - q[j], 2);
      }
    }
  /* a flat M has nothing to predict */
  double without = sqrt(sum[0][0] / sum[1][0]), with = sqrt(sum[0][1] / sum[1][1]);
  if (sqrt(sum[0][0]) < 1e-12 || (without > 3.5 && without < 4.5 && with > 7)) checks_passed++;
  else
    checks_failed++, printf("failed: %s: halving h divides by %g, with the predictor by %g\n", name,
                            without, with);
}

static void check_model(const char *name, const papers_model *p) {
  problem = p->problem;
  static ritt_real z[POINTS * MOST], a[MOST];
  ritti_manifold M[VARIANTS];
  bool usable[VARIANTS];
  ritti_arena *arena = ritti_arena_new();
  if (!problem || problem->k == 0 || problem->m > MOST) goto done;
  int count = papers_along(p, 0.2, POINTS, z), m = problem->m, met = 0;
  work = ritti_arena_alloc(arena, problem->work_size + 1, sizeof *work);
  problem->work_init(problem->data, work);
  for (int v = 0; v < VARIANTS; v++) {
    usable[v] = orthogonal[v] != RITTI_PROJECT_BLOCKS || problem->kind == RITT_HOLONOMIC;
    ritti_algebra algebra = v == SPARSE ? RITTI_ALGEBRA_SPARSE : RITTI_ALGEBRA_DENSE;
    CHECK(ritti_manifold_init_with(&M[v], problem, work, algebra, arena) == RITT_OK);
    if (usable[v]) CHECK(ritti_manifold_choose(&M[v], orthogonal[v], arena) == RITT_OK);
    M[v].reuse = v == REUSING ? RITTI_REUSE_ON : RITTI_REUSE_OFF;
  }
  static const double distance[] = {1e-8, 1e-6, 1e-4, 1e-3, 1e-2};
  for (int i = 0; i < count; i++)
    for (int way = 0; way < 4; way++) {
      /* Euclidean or weighted, x kept or not; all points as of one step */
      ritt_real spread[MOST];
      for (int j = 0; j < m; j++) spread[j] = way & 1 ? pow(10, check_random()) : 1;
      if (way & 2) spread[0] = 0;
      for (int v = 0; v < VARIANTS; v++)
        memcpy(M[v].inverse_weights, spread, sizeof *spread * (size_t)m), M[v].cache.factored = 0;
      for (size_t d = 0; d < sizeof distance / sizeof *distance; d++) {
        for (int j = 0; j < m; j++)
          a[j] = z[i * m + j] + distance[d] * check_random() * fmin(1, fabs(z[i * m + j]) + 0.1) /
                                    size_of(z + i * m);
        met += check_point(name, M, usable, a, distance[d]);
      }
    }
  CHECK(met >= count * 16);
  check_work(name, M, usable);
  check_predictor(name, p, z, count, arena);
done:
  ritti_arena_free(arena);
}

/* ---- third derivatives of constraints: a particle on a quartic surface, with its energy ---- */

static const char quartic[] = "model quartic\n"
                              "variable x, y, z, l\n"
                              "equation\n"
                              "  x'' + 4*x^3*l = 0\n"
                              "  y'' + 4*y^3*l = 0\n"
                              "  z'' + 4*z^3*l + 1 = 0\n"
                              "  x^4 + y^4 + z^4 = 1\n"
                              "invariant E: (x'^2 + y'^2 + z'^2)/2 + z\n"
                              "start t = 0\n"
                              "  x = 0.8, y = 0.5, z ~ 0.8, x' = 0.3, y' ~ 0.7, z' ~ 0.1\n"
                              "solve t = 0 .. 2\n";

/* The blocks of sum mu_i d2f_i against formulas: d3g(y_1).alpha + d2g.beta over the positions,
 * d2g.alpha between them and the velocities, gamma over the velocities. */
static void check_blocks(const papers_model *p) {
  ritt_real q[7] = {0, 0.7, -0.4, 0.9, 0.2, -0.3, 0.5}, mu[3] = {0.3, -0.2, 0.7}, H[64], dense[49];
  problem = p->problem;
  CHECK(problem->kind == RITT_HOLONOMIC && problem->m == 7 && problem->k == 3 &&
        problem->positions == 3);
  ritti_arena *arena = ritti_arena_new();
  work = ritti_arena_alloc(arena, problem->work_size + 1, sizeof *work);
  problem->work_init(problem->data, work);
  CHECK(problem->call.d2f_mu(problem->data, work, q, mu, H) == RITT_OK);
  ritti_csr_to_dense(&problem->d2f, H, dense);
  /* g may have been kept with either sign; beta and alpha go with it */
  ritt_real f[3], origin[7] = {0};
  CHECK(problem->call.f(problem->data, work, origin, f) == RITT_OK);
  double sign = f[0] < 0 ? 1 : -1;
  for (int i = 1; i <= 3; i++)
    for (int j = 1; j <= i; j++) {
      double v = q[3 + i], y = q[i], alpha = sign * mu[1], beta = sign * mu[0];
      CHECK_NEAR(dense[7 * i + j], i == j ? 24 * y * v * alpha + 12 * y * y * beta : 0, 1e-14);
      CHECK_NEAR(dense[7 * (3 + i) + j], i == j ? 12 * y * y * alpha : 0, 1e-14);
      CHECK_NEAR(dense[7 * (3 + i) + 3 + j], i == j ? mu[2] : 0, 1e-14);
    }
  ritti_arena_free(arena);
}

int main(void) {
  for (int i = 0; i < PAPERS; i++) {
    papers_model p = papers_open(papers_name[i]);
    check_model(papers_name[i], &p);
    papers_close(&p);
  }
  papers_model p = papers_read(quartic);
  if (p.problem) {
    check_blocks(&p);
    check_model("quartic", &p);
  }
  papers_close(&p);
  return CHECKS_DONE();
}
