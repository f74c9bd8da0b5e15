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

enum { NEAR_ORTHOGONAL = 7 };

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
  RITT_TRY(ritti_few_init(manifold, arena));
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
  ritt_real size = RITTI_MATH(fabs)(z[j]);
  return size > M->size[j] ? size : M->size[j];
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

static inline ritt_real larger(ritt_real a, ritt_real b) { return a > b ? a : b; }

/* in two lanes; what is not a number must not pass for small */
ritt_real ritti_projection_relative(const ritti_manifold *M, const ritt_real *z, const ritt_real *v) {
  ritt_real size0 = 0, size1 = 0, most0 = 0, most1 = 0, sum = 0;
  int m = M->problem->m, j = 0;
  for (; j + 2 <= m; j += 2) {
    size0 = larger(size_at(M, z, j), size0), size1 = larger(size_at(M, z, j + 1), size1);
    most0 = larger(RITTI_MATH(fabs)(v[j]), most0), most1 = larger(RITTI_MATH(fabs)(v[j + 1]), most1);
    sum += 0 * v[j] + 0 * v[j + 1];
  }
  if (j < m) {
    size0 = larger(size_at(M, z, j), size0), most0 = larger(RITTI_MATH(fabs)(v[j]), most0);
    sum += 0 * v[j];
  }
  ritt_real most = larger(most0, most1);
  if (!(sum == 0)) return NAN;
  return most > 0 ? most / larger(size0, size1) : most;
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

static const ritt_real ROUND_OFF = 4 * RITTI_EPS;

ritti_verdict ritti_projection_judge(ritti_progress *at, ritt_real r) {
  ritt_real before = at->before;
  int iteration = at->iteration;
  /* at round-off: of the rows, or of the point itself, or no better than last time */
  if (r <= ROUND_OFF || at->moved <= ROUND_OFF) return RITTI_ARRIVED;
  if (r < 1e-13 && !(r < before / 2)) return RITTI_ARRIVED;
  /* plain Newton steps that do not help have come as near as the rounding of the rows allows */
  if (iteration > NEAR_ORTHOGONAL + 1 && !(r < before / 2) && r < 1e-10) return RITTI_ARRIVED;
  if (iteration > NEAR_ORTHOGONAL + 2 && !(r < before)) return RITTI_LOST;
  /* far from M the way to the orthogonal point is long: settle for a near one, quadratically */
  if (at->near && iteration >= NEAR_ORTHOGONAL && !(r < before / 4)) at->near = false;
  at->ratio = r / before;
  if (iteration == 0) at->ratio = INFINITY;
  at->before = r;
  return at->near || iteration < NEAR_ORTHOGONAL ? RITTI_ON : RITTI_ON_BY_NEWTON;
}

/* After a change by `moved` the rows are left with about its square, times how much they are curved over the size of
 * the point, and a - q with `moved` times the distance; after two changes it is known how much each one left of what
 * was there. Where that is lost in rounding, with room for curvature, the functions need not be evaluated to see it.
 * Stages need less: a part of the tolerance, on any way to M. */
bool ritti_projection_foreseen(const ritti_manifold *M, const ritti_progress *at, ritt_real moved,
                               ritt_real distance) {
  ritt_real rows = 64 * moved * moved;
  if (!(distance < (ritt_real)0.1)) return false;
  if (rows <= M->loose) return true;
  if (!(rows <= ROUND_OFF)) return false;
  return 64 * at->before * at->ratio <= ROUND_OFF || 1000 * moved * distance <= ROUND_OFF;
}

/* The same from the change of q in `scratch`. */
static bool is_foreseen(const ritti_manifold *M, const ritti_progress *at, const ritt_real *d,
                        const ritt_real *a, const ritt_real *q) {
  ritt_real moved = 0, distance = 0, size = 0;
  for (int j = 0; j < M->problem->m; j++) {
    if (!(d[j] > 0)) continue;
    moved = larger(RITTI_MATH(fabs)(M->scratch[j]), moved);
    distance = larger(RITTI_MATH(fabs)(a[j] - q[j]), distance);
    size = larger(size_at(M, q, j), size);
  }
  return size > 0 && ritti_projection_foreseen(M, at, moved / size, distance / size);
}

/* Projects a to q on the rows first .. last-1, moving only the coordinates with d > 0; the iteration begins
 * at the q given. */
static ritt_status project_rows(ritti_manifold *M, const ritt_real *d, const ritt_real *a, ritt_real *q,
                                int first, int last, bool orthogonal) {
  const ritti_problem *p = M->problem;
  ritti_progress at = {.near = orthogonal, .before = INFINITY, .ratio = INFINITY, .moved = INFINITY};
  if (last - first <= RITTI_FEW && M->reuse != RITTI_REUSE_ON)
    return ritti_few_project(M, d, a, q, first, last - first, orthogonal);
  for (; at.iteration < RITTI_MOST_ITERATIONS; at.iteration++) {
    ritt_status status = p->f_df(p->data, M->work, q, M->f, M->df);
    if (status != RITT_OK) return ritti_projection_no_value(M, status, q);
    ritt_real r = ritti_projection_residual(M, q, first, last);
    if (at.near) {
      ritt_real t = tangential_error(M, d, a, q);
      if (!(t <= r)) r = t;
    }
    ritti_verdict verdict = ritti_projection_judge(&at, r);
    if (verdict == RITTI_ARRIVED) return RITT_OK;
    if (verdict == RITTI_LOST) break;
    const ritt_real *from = verdict == RITTI_ON ? a : q;
    if (from == q) no_multipliers(M);
    RITT_TRY(gauss_step(M, d, from, q, first, last, r, &at.moved));
    if (is_foreseen(M, &at, d, a, q)) return RITT_OK;
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
