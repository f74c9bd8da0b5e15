/* Projection onto M = { f = 0 }: the table of variants, and Gauss-Newton to the orthogonal point.
 *
 * In: a point a near M. Out: q in M with a - q in the row space of df(q), in the metric sum w_i dz_i^2
 * (equation (3.2) of the enhanced linear algebra paper: q + W^-1 df(q)^T mu = a, f(q) = 0). The iteration
 *
 *     q <- a - W^-1 df^T mu,   (df W^-1 df^T) mu = f(q) + df (a - q)
 *
 * has exactly those fixed points; its residual f shrinks quadratically, the tangential error linearly with a
 * factor of the size distance times curvature. `sequential` does the same on positions alone and then on
 * velocities alone: a retraction too, which is all that the order of a method needs. Tolerances are relative:
 * a row counts as zero when it is at the rounding error of its own terms, and a - q as normal when what is
 * left of it is at the rounding error of the point.
 */
#include "geometry/manifold_impl.h"

enum { NEAR_ORTHOGONAL = 7, MOST_ITERATIONS = 30 };

/* the rows first .. last-1 of df as a pattern of their own */
static ritti_pattern some_rows(const ritti_pattern *p, int first, int last) {
  return (ritti_pattern){.rows = last - first, .cols = p->cols, .start = p->start + first, .col = p->col};
}

ritt_status ritti_manifold_init_with(ritti_manifold *manifold, const ritti_problem *problem, ritt_real *work,
                                     ritti_algebra algebra, ritti_arena *arena) {
  int k = problem->k, m = problem->m;
  *manifold = (ritti_manifold){.problem = problem, .work = work, .algebra = algebra};
  RITTI_NEW(manifold->spread, arena, m);
  RITTI_NEW(manifold->size, arena, m);
  RITTI_NEW(manifold->f, arena, k + 1);
  RITTI_NEW(manifold->df, arena, (k ? problem->df.start[k] : 0) + 1);
  RITTI_NEW(manifold->mu, arena, k + 1);
  RITTI_NEW(manifold->right, arena, k + 1);
  RITT_TRY(ritti_reuse_init(manifold, arena));
  RITTI_NEW(manifold->masked, arena, m);
  RITTI_NEW(manifold->scratch, arena, m);
  RITTI_NEW(manifold->where, arena, m);
  RITTI_NEW(manifold->normal, arena, m);
  RITTI_NEW(manifold->kappa, arena, k + 1);
  for (int i = 0; i < m; i++) manifold->spread[i] = manifold->size[i] = 1;
  return k ? ritti_linear_init(&manifold->whole, RITTI_GRAM, &problem->df, 0, algebra, arena) : RITT_OK;
}

ritt_status ritti_manifold_init(ritti_manifold *manifold, const ritti_problem *problem, ritt_real *work,
                                ritti_arena *arena) {
  return ritti_manifold_init_with(manifold, problem, work, RITTI_ALGEBRA_AUTO, arena);
}

static ritt_status init_sequential(ritti_manifold *M, ritti_arena *arena) {
  int l = M->problem->constraints;
  ritti_pattern positions = some_rows(&M->problem->df, 0, l),
                velocities = some_rows(&M->problem->df, l, 2 * l);
  RITT_TRY(ritti_linear_init(&M->positions, RITTI_GRAM, &positions, 0, M->algebra, arena));
  return ritti_linear_init(&M->velocities, RITTI_GRAM, &velocities, 0, M->algebra, arena);
}

ritt_status ritti_projection_fail(ritti_manifold *M, ritti_trouble trouble, const ritt_real *z) {
  M->trouble = trouble;
  memcpy(M->where, z, (size_t)M->problem->m * sizeof *z);
  return RITT_RETRY;
}

ritt_status ritti_projection_no_value(ritti_manifold *M, ritt_status status, const ritt_real *z) {
  return status == RITT_RETRY ? ritti_projection_fail(M, RITTI_NO_VALUE, z) : status;
}

static ritt_real size_at(const ritti_manifold *M, const ritt_real *z, int j) {
  return RITTI_MATH(fmax)(RITTI_MATH(fabs)(z[j]), M->size[j]);
}

/* The size of the terms of a row is sum_j |df_ij| |z_j|. A coordinate counts at least with its typical size:
 * where the solution passes through 0 its terms are differences of larger ones. */
ritt_real ritti_projection_residual(const ritti_manifold *M, const ritt_real *z, int first, int last) {
  const ritti_pattern *p = &M->problem->df;
  ritt_real worst = 0;
  for (int i = first; i < last; i++) {
    ritt_real size = 0;
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
      size += RITTI_MATH(fabs)(M->df[e]) * size_at(M, z, p->col[e]);
    ritt_real r = RITTI_MATH(fabs)(M->f[i]);
    if (r > 0) r = size > 0 ? r / size : INFINITY;
    if (!(r <= worst)) worst = r;
  }
  return worst;
}

ritt_real ritti_projection_relative(const ritti_manifold *M, const ritt_real *z, const ritt_real *v) {
  ritt_real size = 0, most = 0;
  for (int j = 0; j < M->problem->m; j++) {
    ritt_real part = RITTI_MATH(fabs)(v[j]);
    if (!(part <= most)) most = part;
    if (size_at(M, z, j) > size) size = size_at(M, z, j);
  }
  return most > 0 ? most / size : most;
}

/* ---- Gauss-Newton ------------------------------------------------------------------------------------- */

/* S mu = right side, S = df D df^T of the rows first .. last-1: by the factors of this step where they serve,
 * up to a part of `tolerance` of what mu lacks, else by new ones. */
static ritt_status find_mu(ritti_manifold *M, const ritt_real *d, const ritt_real *q, int first, int last,
                           ritt_real tolerance) {
  ritti_pattern rows = some_rows(&M->problem->df, first, last);
  bool whole = rows.rows == M->problem->k;
  ritti_linear *S = whole ? &M->whole : first ? &M->velocities : &M->positions;
  unsigned bit = whole ? RITTI_HELD_WHOLE : first ? RITTI_HELD_VELOCITIES : RITTI_HELD_POSITIONS;
  if ((M->held & bit) && ritti_reuse_solve(M, S, &rows, d, tolerance, M->right, M->mu)) return RITT_OK;
  M->factorisations++;
  M->held &= ~bit;
  if (!ritti_linear_factor(S, M->df, d)) return ritti_projection_fail(M, RITTI_DEPENDENT_ROWS, q);
  M->held |= bit;
  memcpy(M->mu, M->right, (size_t)rows.rows * sizeof *M->mu);
  ritti_linear_solve(S, M->mu);
  return RITT_OK;
}

/* One Gauss-Newton step on the rows first .. last-1, whose relative residual is r, moving q by spread d; q =
 * a - D df^T mu. Sets *moved = the largest change of a coordinate relative to the size of the point. */
static ritt_status gauss_step(ritti_manifold *M, const ritt_real *d, const ritt_real *a, ritt_real *q,
                              int first, int last, ritt_real r, ritt_real *moved) {
  ritti_pattern rows = some_rows(&M->problem->df, first, last);
  int m = M->problem->m;
  ritt_real *step = M->scratch;

  /* right side f + df (a - q), kept coordinates stay */
  for (int j = 0; j < m; j++) step[j] = d[j] > 0 ? a[j] - q[j] : 0;
  ritti_csr_times(&rows, M->df, step, M->right);
  for (int i = 0; i < rows.rows; i++) M->right[i] += M->f[first + i];

  /* no better than the next iteration can show: r^2, or rounding */
  ritt_real tolerance = RITTI_MATH(fmax)(r, RITTI_EPS / r) / 8;
  RITT_TRY(find_mu(M, d, q, first, last, RITTI_MATH(fmin)((ritt_real)1e-3, tolerance)));

  ritti_csr_times_transposed(&rows, M->df, M->mu, step);
  for (int j = 0; j < m; j++) {
    ritt_real before = q[j];
    if (d[j] > 0) q[j] = a[j] - d[j] * step[j];
    step[j] = q[j] - before;
  }
  M->iterations++;
  *moved = ritti_projection_relative(M, q, step);
  return RITT_OK;
}

/* What is left of a - q - D df(q)^T mu, relative to the size of q: 0 where a - q is normal to M. */
static ritt_real tangential_error(ritti_manifold *M, const ritt_real *d, const ritt_real *a,
                                  const ritt_real *q) {
  ritt_real *rest = M->scratch;
  ritti_csr_times_transposed(&M->problem->df, M->df, M->mu, rest);
  for (int j = 0; j < M->problem->m; j++) rest[j] = d[j] > 0 ? a[j] - q[j] - d[j] * rest[j] : 0;
  return ritti_projection_relative(M, q, rest);
}

static void no_multipliers(ritti_manifold *M) {
  for (int i = 0; i < M->problem->k; i++) M->mu[i] = 0;
}

/* Projects a to q on the rows first .. last-1, moving only the coordinates with d > 0; the iteration begins
 * at the q given. */
static ritt_status project_rows(ritti_manifold *M, const ritt_real *d, const ritt_real *a, ritt_real *q,
                                int first, int last, bool orthogonal) {
  const ritti_problem *p = M->problem;
  const ritt_real round_off = 4 * RITTI_EPS;
  ritt_real before = INFINITY, moved = INFINITY;
  bool near = orthogonal;
  for (int iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
    ritt_status status = p->f_df(p->data, M->work, q, M->f, M->df);
    if (status != RITT_OK) return ritti_projection_no_value(M, status, q);
    ritt_real r = ritti_projection_residual(M, q, first, last);
    if (near) {
      ritt_real t = tangential_error(M, d, a, q);
      if (!(t <= r)) r = t;
    }
    /* at round-off: of the rows, or of the point itself, or no better than last time */
    if (r <= round_off || moved <= round_off) return RITT_OK;
    if (r < 1e-13 && !(r < before / 2)) return RITT_OK;
    /* plain Newton steps that do not help have come as near as the rounding of the rows allows */
    if (iteration > NEAR_ORTHOGONAL + 1 && !(r < before / 2) && r < 1e-10) return RITT_OK;
    if (iteration > NEAR_ORTHOGONAL + 2 && !(r < before)) break;
    /* far from M the way to the orthogonal point is long: settle for a near one, quadratically */
    if (near && iteration >= NEAR_ORTHOGONAL && !(r < before / 4)) near = false;
    before = r;
    const ritt_real *from = near || iteration < NEAR_ORTHOGONAL ? a : q;
    if (from == q) no_multipliers(M);
    RITT_TRY(gauss_step(M, d, from, q, first, last, r, &moved));
  }
  return ritti_projection_fail(M, RITTI_NO_CONVERGENCE, q);
}

static ritt_status project_gauss(ritti_manifold *M, const ritt_real *a, ritt_real *q) {
  if (M->bend == 0) no_multipliers(M);
  return project_rows(M, M->spread, a, q, 0, M->problem->k, true);
}

/* Positions on g = 0, then velocities on D g = 0, which is linear in them. */
static ritt_status project_sequential(ritti_manifold *M, const ritt_real *a, ritt_real *q) {
  const ritti_problem *p = M->problem;
  int n = p->positions, l = p->constraints;
  ritt_real *d = M->masked;
  for (int i = 0; i < p->m; i++) d[i] = i <= n ? M->spread[i] : 0;
  no_multipliers(M);
  RITT_TRY(project_rows(M, d, a, q, 0, l, false));
  for (int i = 0; i < p->m; i++) d[i] = i > n ? M->spread[i] : 0;
  no_multipliers(M);
  return project_rows(M, d, a, q, l, 2 * l, false);
}

/* ---- variants ----------------------------------------------------------------------------------------- */

static const struct variant {
  ritt_status (*init)(ritti_manifold *M, ritti_arena *arena); /* NULL: needs nothing */
  ritt_status (*project)(ritti_manifold *M, const ritt_real *a, ritt_real *q);
} variants[] = {
    [RITTI_PROJECT_GAUSS] = {NULL, project_gauss},
    [RITTI_PROJECT_NEWTON] = {ritti_newton_init_factors, ritti_newton_project},
    [RITTI_PROJECT_CHORD] = {ritti_newton_init_factors, ritti_newton_project},
    [RITTI_PROJECT_INEXACT] = {ritti_inexact_init, ritti_inexact_project},
    [RITTI_PROJECT_BLOCKS] = {ritti_blocks_init, ritti_newton_project},
    [RITTI_PROJECT_SEQUENTIAL] = {init_sequential, project_sequential},
};

ritt_status ritti_manifold_choose(ritti_manifold *M, ritti_projection variant, ritti_arena *arena) {
  M->variant = variant;
  return variants[variant].init ? variants[variant].init(M, arena) : RITT_OK;
}

ritt_status ritti_manifold_project(ritti_manifold *M, const ritt_real *a, ritt_real *q) {
  const ritti_problem *p = M->problem;
  ritt_real *from = M->where;
  M->trouble = RITTI_NO_TROUBLE;
  memcpy(from, a, (size_t)p->m * sizeof *a);
  if (q != a) memcpy(q, a, (size_t)p->m * sizeof *a);
  if (p->k == 0) return RITT_OK;
  if (M->bend != 0) {
    for (int j = 0; j < p->m; j++) q[j] -= M->bend * M->normal[j];
    for (int i = 0; i < p->k; i++) M->mu[i] = M->bend * M->kappa[i];
  }
  long iterations = M->iterations;
  ritt_status status = variants[M->variant].project(M, from, q);
  M->projections++;
  M->failures += status == RITT_RETRY;
  iterations = M->iterations - iterations;
  M->idle += iterations == 0;
  if (iterations > M->most) M->most = (int)iterations;
  return status;
}

ritt_real ritti_manifold_residual(ritti_manifold *M, const ritt_real *z) {
  const ritti_problem *p = M->problem;
  ritt_real worst = 0;
  ritt_status status = p->k ? p->f(p->data, M->work, z, M->f) : RITT_OK;
  if (status != RITT_OK && status != RITT_RETRY) M->gave_up = status;
  if (status != RITT_OK) return INFINITY;
  for (int i = 0; i < p->k; i++)
    if (!(RITTI_MATH(fabs)(M->f[i]) <= worst)) worst = RITTI_MATH(fabs)(M->f[i]);
  return worst;
}

/* ---- state -------------------------------------------------------------------------------------------- */

void ritti_manifold_state(ritti_manifold *M, ritti_state *state) {
  int m = M->problem->m, k = M->problem->k, gave_up = (int)M->gave_up;
  ritti_state_reals(state, "manifold.spread", M->spread, (size_t)m);
  ritti_state_reals(state, "manifold.size", M->size, (size_t)m);
  /* the predictor of the last step, for dense output in it */
  ritti_state_reals(state, "manifold.normal", M->normal, (size_t)m);
  ritti_state_reals(state, "manifold.kappa", M->kappa, (size_t)k);
  ritti_state_long(state, "manifold.projections", &M->projections);
  ritti_state_long(state, "manifold.failures", &M->failures);
  ritti_state_long(state, "manifold.iterations", &M->iterations);
  ritti_state_long(state, "manifold.idle", &M->idle);
  ritti_state_ints(state, "manifold.most", &M->most, 1, 0, INT32_MAX);
  ritti_state_long(state, "manifold.factorisations", &M->factorisations);
  ritti_state_long(state, "manifold.products", &M->products);
  ritti_state_long(state, "manifold.second", &M->second);
  ritti_state_ints(state, "manifold.gave_up", &gave_up, 1, 0, RITT_SYSTEM);
  if (state->mode != RITTI_STATE_LOAD) return;
  M->gave_up = (ritt_status)gave_up;
  M->held = 0;
}
