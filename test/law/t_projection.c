/* The variants of the projection against each other, on every model of the papers: from the same point near M
 * all orthogonal ones come to the same point of M, in any metric, with x kept or not, and a - q lies in the row
 * space of df there. How near they come is measured by the condition number of dF = [A B^T; B 0], which belongs to
 * the point, not to the variant. */
#include "papers.h"

static const ritti_projection orthogonal[] = {RITTI_PROJECT_GAUSS, RITTI_PROJECT_NEWTON, RITTI_PROJECT_CHORD,
                                              RITTI_PROJECT_INEXACT, RITTI_PROJECT_BLOCKS};
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
  CHECK(problem->f_df(problem->data, work, q, f, df) == RITT_OK);
  ritti_csr_to_dense(&problem->df, df, B);
  for (int i = 0; i < k; i++) {
    for (int j = 0; j < m; j++) B[i * m + j] *= sqrt(spread[j]);
    length[i] = ritti_norm(m, B + i * m);
    for (int j = 0; j < m; j++) B[i * m + j] /= length[i];
  }
}

/* What of u = (a - q)/R is not in the row space of B, by least squares; *mu gets the multipliers of the rows of
 * length 1. */
static double not_normal(const ritt_real *a, const ritt_real *q, const ritt_real *spread, ritt_real *mu) {
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
static double condition(const ritt_real *q, const ritt_real *spread, const ritt_real *mu_of_unit_rows) {
  static ritt_real B[MOST * MOST], H[MOST * MOST], C[4 * MOST * MOST], length[MOST], mu[MOST],
      sigma[2 * MOST];
  static ritt_real scratch[32 * MOST * MOST];
  int m = problem->m, k = problem->k, n = m + k;
  rows_at(q, spread, B, length);
  for (int i = 0; i < k; i++) mu[i] = mu_of_unit_rows[i] / length[i];
  CHECK(problem->d2f_mu(problem->data, work, q, mu, H) == RITT_OK);
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
  const ritt_real *spread = M[0].spread;
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
          printf("failed: %s, %s at %g: a - q is off the normal by %.2g, q from gauss by %.2g, bound %.2g\n",
                 name, word[orthogonal[v]], distance, off, apart, bound);
  }
  return true;
}

static void check_model(const char *name) {
  papers_model p = papers_open(name);
  problem = p.problem;
  static ritt_real z[POINTS * MOST], a[MOST];
  ritti_manifold M[VARIANTS];
  bool usable[VARIANTS];
  ritti_arena *arena = ritti_arena_new();
  if (!problem || problem->k == 0 || problem->m > MOST) goto done;
  int count = papers_along(&p, 0.2, POINTS, z), m = problem->m, met = 0;
  work = ritti_arena_alloc(arena, problem->work_size + 1, sizeof *work);
  problem->work_init(problem->data, work);
  for (int v = 0; v < VARIANTS; v++) {
    usable[v] = orthogonal[v] != RITTI_PROJECT_BLOCKS || problem->kind == RITT_HOLONOMIC;
    CHECK(ritti_manifold_init(&M[v], problem, work, arena) == RITT_OK);
    if (usable[v]) CHECK(ritti_manifold_choose(&M[v], orthogonal[v], arena) == RITT_OK);
  }
  static const double distance[] = {1e-8, 1e-6, 1e-4, 1e-3, 1e-2};
  for (int i = 0; i < count; i++)
    for (int way = 0; way < 4; way++)
      for (size_t d = 0; d < sizeof distance / sizeof *distance; d++) {
        /* Euclidean or weighted, x kept or not */
        ritt_real spread[MOST];
        for (int j = 0; j < m; j++) spread[j] = way & 1 ? pow(10, check_random()) : 1;
        if (way & 2) spread[0] = 0;
        for (int v = 0; v < VARIANTS; v++) memcpy(M[v].spread, spread, sizeof *spread * (size_t)m);
        for (int j = 0; j < m; j++)
          a[j] = z[i * m + j] +
                 distance[d] * check_random() * fmin(1, fabs(z[i * m + j]) + 0.1) / size_of(z + i * m);
        met += check_point(name, M, usable, a, distance[d]);
      }
  CHECK(met >= count * 16);
done:
  ritti_arena_free(arena);
  papers_close(&p);
}

int main(void) {
  for (int i = 0; i < PAPERS; i++) check_model(papers_name[i]);
  return CHECKS_DONE();
}
