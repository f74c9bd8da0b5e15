/* Projection onto M = { f = 0 }: the table of variants, and Gauss-Newton to the orthogonal point.
 *
 * In: a point a near M. Out: q in M with a - q in the row space of df(q), in the metric sum w_i
 * dz_i^2 (equation (3.2) of the enhanced linear algebra paper: q + W^-1 df(q)^T mu = a, f(q) = 0).
 * The iteration
 *
 *     q <- a - W^-1 df^T mu,   (df W^-1 df^T) mu = f(q) + df (a - q)
 *
 * has exactly those fixed points; its residual f shrinks quadratically, the tangential error
 * linearly with a factor of the size distance times curvature. `sequential` does the same on
 * positions alone and then on velocities alone: a retraction too, which is all that the order of a
 * method needs. Tolerances are relative: a row counts as zero when it is at the rounding error of
 * its own terms, and a - q as normal when what is left of it is at the rounding error of the point.
 */
#include "geometry/manifold_impl.h"

/* the rows first .. last-1 of df as a pattern of their own */
static ritti_pattern some_rows(const ritti_pattern *p, int first, int last) {
  return (ritti_pattern){
      .rows = last - first, .cols = p->cols, .start = p->start + first, .col = p->col};
}

ritt_status ritti_manifold_init_with(ritti_manifold *manifold, const ritti_problem *problem,
                                     ritt_real *work, ritti_algebra algebra, ritti_arena *arena) {
  int k = problem->k, m = problem->m;
  *manifold = (ritti_manifold){.problem = problem, .work = work, .algebra = algebra};
  RITTI_NEW_ARRAYS(arena, m, manifold->inverse_weights, manifold->size);
  RITTI_NEW_ARRAYS(arena, k + 1, manifold->f, manifold->mu, manifold->right);
  RITTI_NEW(manifold->df, arena, (k ? problem->df.start[k] : 0) + 1);
  RITT_TRY(ritti_reuse_init(manifold, arena));
  RITT_TRY(ritti_small_rows_init(manifold, arena));
  RITTI_NEW_ARRAYS(arena, m, manifold->masked, manifold->scratch, manifold->where,
                   manifold->predictor.dz);
  RITTI_NEW_ARRAYS(arena, k + 1, manifold->predictor.mu, manifold->cache.per_terms);
  if (k) RITT_TRY(ritti_columns_init(&manifold->columns, &problem->df, arena));
  for (int i = 0; i < m; i++) manifold->inverse_weights[i] = manifold->size[i] = 1;
  return k ? ritti_linear_init(&manifold->whole, RITTI_GRAM, &problem->df, 0, algebra, arena)
           : RITT_OK;
}

ritt_status ritti_manifold_init(ritti_manifold *manifold, const ritti_problem *problem,
                                ritt_real *work, ritti_arena *arena) {
  return ritti_manifold_init_with(manifold, problem, work, RITTI_ALGEBRA_AUTO, arena);
}

/* Positions alone move onto the first rows, velocities alone onto the next. */
static ritt_status init_sequential(ritti_manifold *M, ritti_arena *arena) {
  const ritti_problem *p = M->problem;
  int l = p->constraints;
  unsigned char *moves;
  ritti_pattern positions = some_rows(&p->df, 0, l), velocities = some_rows(&p->df, l, 2 * l);
  RITTI_NEW(moves, arena, p->m);
  for (int j = p->positions + 1; j < p->m; j++) moves[j] = 1;
  RITT_TRY(ritti_linear_init(&M->positions, RITTI_GRAM, &positions, 0, M->algebra, arena));
  RITT_TRY(ritti_linear_init_gram(&M->velocities, &velocities, moves, M->algebra, arena));
  RITT_TRY(ritti_columns_init(&M->position_columns, &positions, arena));
  return ritti_columns_init(&M->velocity_columns, &velocities, arena);
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

/* The size of the terms of row i, sum_j |df_ij| |z_j|. A coordinate counts at least with its typical
 * size: if the solution passes through 0, the terms are differences of larger ones. */
static ritt_real size_of_terms(const ritti_manifold *M, const ritt_real *z, int i) {
  const ritti_pattern *p = &M->problem->df;
  ritt_real size = 0;
  for (int e = p->start[i]; e < p->start[i + 1]; e++)
    size += RITTI_MATH(fabs)(M->df[e]) * size_at(M, z, p->col[e]);
  return size;
}

ritt_real ritti_projection_residual(const ritti_manifold *M, const ritt_real *z, int first,
                                    int last) {
  ritt_real worst = 0;
  for (int i = first; i < last; i++) {
    ritt_real size = size_of_terms(M, z, i), r = RITTI_MATH(fabs)(M->f[i]);
    if (r > 0) r = size > 0 ? r / size : INFINITY;
    if (!(r <= worst)) worst = r;
  }
  return worst;
}

/* Even and odd coordinates apart; NAN if an entry of v is not finite */
ritt_real ritti_projection_relative(const ritti_manifold *M, const ritt_real *z,
                                    const ritt_real *v) {
  ritt_real size0 = 0, size1 = 0, most0 = 0, most1 = 0, sum = 0;
  int m = M->problem->m, j = 0;
  for (; j + 2 <= m; j += 2) {
    size0 = ritti_max(size_at(M, z, j), size0), size1 = ritti_max(size_at(M, z, j + 1), size1);
    most0 = ritti_max(RITTI_MATH(fabs)(v[j]), most0),
    most1 = ritti_max(RITTI_MATH(fabs)(v[j + 1]), most1);
    sum += 0 * v[j] + 0 * v[j + 1];
  }
  if (j < m) {
    size0 = ritti_max(size_at(M, z, j), size0), most0 = ritti_max(RITTI_MATH(fabs)(v[j]), most0);
    sum += 0 * v[j];
  }
  ritt_real most = ritti_max(most0, most1);
  if (!(sum == 0)) return NAN;
  return most > 0 ? most / ritti_max(size0, size1) : most;
}

/* Largest |f_i| over the size of its terms, rows first .. last-1; within a step that of the first
 * point. INFINITY if an f_i is not finite. */
static ritt_real residual_of(ritti_manifold *M, const ritt_real *z, int first, int last,
                             unsigned bit) {
  ritt_real *per = M->cache.per_terms, most[4] = {0}, sum[4] = {0};
  if (!(M->cache.freeze && (M->cache.sizes & bit))) {
    for (int i = first; i < last; i++) {
      ritt_real size = size_of_terms(M, z, i);
      per[i] = size > 0 ? 1 / size : (ritt_real)1e300;
    }
    M->cache.sizes |= bit;
  }
  int i = first;
  for (; i + 4 <= last; i += 4) { /* inner loops become vectors */
    ritt_real r[4];
    for (int l = 0; l < 4; l++) r[l] = RITTI_MATH(fabs)(M->f[i + l]) * per[i + l];
    for (int l = 0; l < 4; l++) most[l] = ritti_max(r[l], most[l]);
    for (int l = 0; l < 4; l++) sum[l] += 0 * r[l];
  }
  for (; i < last; i++) {
    ritt_real r = RITTI_MATH(fabs)(M->f[i]) * per[i];
    most[0] = ritti_max(r, most[0]);
    sum[0] += 0 * r;
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]) == 0
             ? ritti_max(ritti_max(most[0], most[1]), ritti_max(most[2], most[3]))
             : INFINITY;
}

/* ---- Gauss-Newton ---- */

/* Rows first .. last-1, which move the coordinates from .. to-1 whose inverse weight d is not 0. */
typedef struct part {
  int first, last, from, to;
  ritti_linear *S;
  unsigned bit;
  const ritti_columns *columns;
  const ritt_real *d;
  bool linear;    /* the rows are linear in those coordinates */
  unsigned parts; /* RITTI_PART_...: the parts of f and df that hold these rows */
} part;

/* f and df at q: all of them until sizes are known, then the parts that hold the rows. */
static ritt_status evaluate_part(ritti_manifold *M, const part *P, const ritt_real *q) {
  const ritti_problem *p = M->problem;
  bool sized = M->cache.freeze && (M->cache.sizes & P->bit);
  ritt_status status = p->call.f_df_part && sized
                           ? p->call.f_df_part(p->data, M->work, q, P->parts, M->f, M->df)
                           : p->call.f_df(p->data, M->work, q, M->f, M->df);
  return status == RITT_OK ? RITT_OK : ritti_projection_no_value(M, status, q);
}

/* f alone */
static ritt_status evaluate_rows(ritti_manifold *M, const part *P, const ritt_real *q) {
  const ritti_problem *p = M->problem;
  ritt_status status = p->call.f_part ? p->call.f_part(p->data, M->work, q, P->parts, M->f)
                                      : p->call.f(p->data, M->work, q, M->f);
  return status == RITT_OK ? RITT_OK : ritti_projection_no_value(M, status, q);
}

/* The factorisation failed: derivatives are not finite, or the rows are dependent. */
static ritt_status fail_to_factor(ritti_manifold *M, const ritt_real *q) {
  const ritti_problem *p = M->problem;
  ritt_status status = p->call.f_df(p->data, M->work, q, M->f, M->df);
  return status == RITT_OK ? ritti_projection_fail(M, RITTI_DEPENDENT_ROWS, q)
                           : ritti_projection_no_value(M, status, q);
}

/* Solves S mu = right, S = df D df^T. Factors of this step serve conjugate gradients, which reduce the
 * error of mu by `tolerance`, if that is cheaper than new factors. */
static ritt_status find_mu(ritti_manifold *M, const part *P, const ritt_real *q,
                           const ritt_real *right, ritt_real tolerance) {
  ritti_pattern rows = some_rows(&M->problem->df, P->first, P->last);
  if ((M->cache.factored & P->bit) &&
      ritti_reuse_solve(M, P->S, &rows, P->d, tolerance, right, M->mu))
    return RITT_OK;
  M->counts.factorisations++;
  M->cache.factored &= ~P->bit;
  /* within a step the weights are the same */
  if (!(M->cache.freeze && (M->cache.checked & P->bit))) {
    M->cache.euclidean =
        (M->cache.euclidean & ~P->bit) | (ritti_linear_is_plain(P->S, P->d) ? P->bit : 0);
    M->cache.checked |= P->bit;
  }
  ritti_problem_form(M->problem, P->S);
  memcpy(M->mu, right, (size_t)rows.rows * sizeof *M->mu);
  if (!ritti_linear_factor_solve(P->S, M->df, M->cache.euclidean & P->bit ? NULL : P->d, M->mu))
    return fail_to_factor(M, q);
  M->cache.factored |= P->bit;
  return RITT_OK;
}

/* Found in a pass over the coordinates that may move: the largest change and the largest |a - q|;
 * `sum` is 0 if all of them are finite. */
typedef struct move_result {
  ritt_real moved, distance, sum;
} move_result;

enum {
  BLOCK = 256,
  LANES = 4
}; /* coordinates whose df^T mu is computed together; coordinates side by side in vectors */

/* The entries of a move_result in LANES partial maxima and sums. */
typedef struct partial_result {
  ritt_real moved[LANES], distance[LANES], sum[LANES];
} partial_result;

/* Moves `lanes` coordinates side by side; t = df^T mu. Everything is read before anything is written,
 * since `from` and `a` may be q. */
static RITTI_INLINE void move_lanes(const int lanes, const bool measured, const ritt_real *d,
                                    const ritt_real *t, const ritt_real *from, const ritt_real *a,
                                    ritt_real *q, partial_result *F) {
  ritt_real next[LANES], change[LANES], off[LANES];
  for (int l = 0; l < lanes; l++) next[l] = from[l] - d[l] * t[l];
  for (int l = 0; l < lanes; l++) change[l] = RITTI_MATH(fabs)(next[l] - q[l]);
  for (int l = 0; l < lanes && measured; l++) off[l] = RITTI_MATH(fabs)(a[l] - next[l]);
  for (int l = 0; l < lanes; l++) q[l] = next[l];
  for (int l = 0; l < lanes; l++) F->moved[l] = ritti_max(change[l], F->moved[l]);
  for (int l = 0; l < lanes; l++) F->sum[l] += 0 * change[l];
  for (int l = 0; l < lanes && measured; l++) F->distance[l] = ritti_max(off[l], F->distance[l]);
}

static RITTI_INLINE void move_block(int count, const bool measured, const ritt_real *d,
                                    const ritt_real *t, const ritt_real *from, const ritt_real *a,
                                    ritt_real *q, partial_result *F) {
  partial_result own = *F; /* in registers */
  if (!measured) a = from; /* unused */
  int j = 0;
  for (; j + LANES <= count; j += LANES)
    move_lanes(LANES, measured, d + j, t + j, from + j, a + j, q + j, &own);
  for (; j < count; j++) move_lanes(1, measured, d + j, t + j, from + j, a + j, q + j, &own);
  *F = own;
}

static ritt_real largest_lane(const ritt_real *lane) {
  return ritti_max(ritti_max(lane[0], lane[1]), ritti_max(lane[2], lane[3]));
}

/* q = from - D df^T mu for coordinates with D > 0. a NULL: a is the q given. */
static move_result move_sparse(const ritti_manifold *M, const part *P, const ritt_real *from,
                               const ritt_real *a, ritt_real *q) {
  partial_result F = {0};
  ritt_real t[BLOCK];
  for (int j = P->from, run = 0; j < P->to; j += BLOCK) {
    int count = P->to - j < BLOCK ? P->to - j : BLOCK;
    ritti_columns_times(P->columns, &run, j, count, M->df, M->mu, t);
    if (a) move_block(count, true, P->d + j, t, from + j, a + j, q + j, &F);
    else move_block(count, false, P->d + j, t, from + j, NULL, q + j, &F);
  }
  return (move_result){largest_lane(F.moved), largest_lane(a ? F.distance : F.moved),
                       (F.sum[0] + F.sum[1]) + (F.sum[2] + F.sum[3])};
}

/* The size of the coordinates that may move; within a step that of the first point. */
static ritt_real size_of(ritti_manifold *M, const part *P, const ritt_real *q) {
  ritt_real most[LANES] = {0}, *known = &M->cache.point_size[P->bit == RITTI_ROWS_VELOCITIES];
  if (M->cache.freeze && (M->cache.point_sizes & P->bit)) return *known;
  int j = P->from;
  for (; j + LANES <= P->to; j += LANES)
    for (int l = 0; l < LANES; l++) {
      ritt_real size = P->d[j + l] > 0 ? size_at(M, q, j + l) : 0;
      most[l] = ritti_max(size, most[l]);
    }
  for (; j < P->to; j++) most[0] = ritti_max(P->d[j] > 0 ? size_at(M, q, j) : 0, most[0]);
  M->cache.point_sizes |= P->bit;
  return *known = ritti_max(ritti_max(most[0], most[1]), ritti_max(most[2], most[3]));
}

/* One Gauss-Newton step q = base - D df^T mu from the relative residual r. M->scratch holds a - q if
 * the iteration is `away` from a. */
static ritt_status gauss_step(ritti_manifold *M, const part *P, const ritt_real *base,
                              const ritt_real *a, ritt_real *q, bool away, ritt_real r,
                              move_result *F) {
  ritti_pattern rows = some_rows(&M->problem->df, P->first, P->last);
  const ritt_real *right = M->f + P->first;
  /* right side f + df (base - q), kept coordinates stay */
  if (away) {
    ritti_csr_times(&rows, M->df, M->scratch, M->right);
    for (int i = 0; i < rows.rows; i++) M->right[i] += M->f[P->first + i];
    right = M->right;
  }

  /* no more accurate than the next iteration can show: r^2, or rounding */
  ritt_real tolerance = RITTI_MATH(fmax)(r, RITTI_EPS / r) / 8;
  RITT_TRY(find_mu(M, P, q, right, RITTI_MATH(fmin)((ritt_real)1e-3, tolerance)));
  *F = move_sparse(M, P, base, away || base == q ? a : NULL, q);
  M->counts.iterations++;
  return RITT_OK;
}

/* M->scratch = a - q; returns what is left of a - q - D df(q)^T mu, relative to the size of q: 0
 * where a - q is normal to M. */
static ritt_real tangential_error(ritti_manifold *M, const part *P, const ritt_real *a,
                                  const ritt_real *q, bool wanted) {
  ritt_real most[LANES] = {0}, sum[LANES] = {0}, *step = M->scratch, t[BLOCK];
  for (int j = 0; j < P->from; j++) step[j] = 0;
  for (int j = P->to; j < M->problem->m; j++) step[j] = 0;
  for (int j = P->from; j < P->to; j++) step[j] = P->d[j] > 0 ? a[j] - q[j] : 0;
  if (!wanted) return 0;
  for (int first = P->from, run = 0; first < P->to; first += BLOCK) {
    int count = P->to - first < BLOCK ? P->to - first : BLOCK, j = 0;
    const ritt_real *x = step + first, *d = P->d + first;
    ritti_columns_times(P->columns, &run, first, count, M->df, M->mu, t);
    for (; j + LANES <= count; j += LANES) {
      ritt_real rest[LANES];
      for (int l = 0; l < LANES; l++) rest[l] = RITTI_MATH(fabs)(x[j + l] - d[j + l] * t[j + l]);
      for (int l = 0; l < LANES; l++) most[l] = ritti_max(rest[l], most[l]);
      for (int l = 0; l < LANES; l++) sum[l] += 0 * rest[l];
    }
    for (; j < count; j++) {
      ritt_real rest = RITTI_MATH(fabs)(x[j] - d[j] * t[j]);
      most[0] = ritti_max(rest, most[0]), sum[0] += 0 * rest;
    }
  }
  if (!((sum[0] + sum[1]) + (sum[2] + sum[3]) == 0)) return NAN;
  ritt_real worst = largest_lane(most);
  return worst > 0 ? worst / size_of(M, P, q) : worst;
}

static const ritt_real ROUND_OFF = 4 * RITTI_EPS;

static void no_multipliers(ritti_manifold *M) {
  for (int i = 0; i < M->problem->k; i++) M->mu[i] = 0;
}

/* After a first change by `moved`, which left too much for a stage: the same factors and the same
 * normal space once more, a few times. The fixed point is where the normal space of a meets M: as
 * smooth a way to M as any, beside the orthogonal one by the square of the distance. What is left
 * falls by a factor of the size of the distance times the curvature, which the first change has
 * shown. */
static ritt_status finish_stage(ritti_manifold *M, const part *P, ritt_real moved, ritt_real *q,
                                bool *done) {
  enum { MOST = 3 };
  int rows = P->last - P->first;
  ritt_real before = moved;
  *done = false;
  for (int i = 0; i < MOST; i++) {
    RITT_TRY(evaluate_rows(M, P, q));
    ritt_real r = residual_of(M, q, P->first, P->last, P->bit);
    *done = r <= M->stage_tolerance;
    if (*done || !(r < before / 8)) return RITT_OK;
    memcpy(M->mu, M->f + P->first, (size_t)rows * sizeof *M->mu);
    ritti_linear_solve(P->S, M->mu);
    move_result F = move_sparse(M, P, q, NULL, q);
    M->counts.iterations++;
    *done = F.sum == 0 && 4 * r * r <= M->stage_tolerance * before;
    if (*done) return RITT_OK;
    before = r;
  }
  return RITT_OK;
}

/* Are linear rows solved to rounding by a change by `moved`? */
static bool is_solved(const part *P, ritt_real moved) {
  return P->linear && 1024 * RITTI_EPS * moved <= ROUND_OFF;
}

/* Projects a to q by Gauss-Newton with sparse rows and the convergence policy of step_kernel.h; the
 * iteration begins at the q given, which is a unless `away`. */
static ritt_status project_part(ritti_manifold *M, const part *P, const ritt_real *a, ritt_real *q,
                                bool orthogonal, bool away) {
  ritti_iteration at = ritti_begin_iteration(orthogonal);
  for (; at.number < RITTI_MOST_ITERATIONS; at.number++, away = true) {
    RITT_TRY(evaluate_part(M, P, q));
    ritt_real r = residual_of(M, q, P->first, P->last, P->bit);
    if (away) {
      ritt_real t = tangential_error(M, P, a, q, at.near);
      if (at.near && !(t <= r)) r = t;
    }
    if (ritti_has_converged(&at, r)) return RITT_OK;
    if (!ritti_may_continue(&at, r)) break;
    bool plain = at.number >= RITTI_NEAR_ORTHOGONAL && !at.near;
    move_result F;
    if (plain) no_multipliers(M);
    long factored = M->counts.factorisations;
    RITT_TRY(gauss_step(M, P, plain ? q : a, a, q, away && !plain, r, &F));
    ritt_real size = size_of(M, P, q);
    if (!(F.sum == 0 && size > 0)) continue;
    ritt_real moved = F.moved / size;
    at.still = moved <= 4 * RITTI_EPS;
    if (ritti_convergence_predicted(&at, M->stage_tolerance, F.moved, F.distance, size))
      return RITT_OK;
    if (is_solved(P, moved)) return RITT_OK;
    bool fresh = at.number == 0 && M->counts.factorisations > factored;
    if (M->stage_tolerance > 0 && M->cache.freeze && fresh && F.distance < (ritt_real)0.1 * size) {
      bool done;
      RITT_TRY(finish_stage(M, P, moved, q, &done));
      if (done) return RITT_OK;
      at.before = INFINITY;
    }
  }
  return ritti_projection_fail(M, RITTI_NO_CONVERGENCE, q);
}

static ritt_status project_gauss(ritti_manifold *M, const ritt_real *a, ritt_real *q) {
  int k = M->problem->k;
  part all = {0,           k,
              0,           M->problem->m,
              &M->whole,   RITTI_ROWS_WHOLE,
              &M->columns, M->inverse_weights,
              false,       RITTI_PART_ALL};
  if (M->predictor.scale == 0) no_multipliers(M);
  if (k <= RITTI_SMALL_ROWS && M->reuse != RITTI_REUSE_ON)
    return ritti_small_rows_project(M, a, q, 0, M->problem->m, 0, k, true);
  return project_part(M, &all, a, q, true, M->predictor.scale != 0);
}

/* M->masked: the inverse weights of the coordinates from .. to-1, 0 for the others */
static const ritt_real *mask_weights(ritti_manifold *M, int from, int to) {
  for (int j = 0; j < M->problem->m; j++)
    M->masked[j] = j >= from && j < to ? M->inverse_weights[j] : 0;
  return M->masked;
}

/* Positions on g = 0, then velocities on D g = 0, which is linear in them. */
static ritt_status project_sequential(ritti_manifold *M, const ritt_real *a, ritt_real *q) {
  int n = M->problem->positions, l = M->problem->constraints, m = M->problem->m;
  if (l <= RITTI_SMALL_ROWS && M->reuse != RITTI_REUSE_ON) {
    no_multipliers(M);
    RITT_TRY(ritti_small_rows_project(M, a, q, 0, n + 1, 0, l, false));
    no_multipliers(M);
    return ritti_small_rows_project(M, a, q, n + 1, m, l, l, false);
  }
  part both_parts[] = {{0, l, 0, n + 1, &M->positions, RITTI_ROWS_POSITIONS, &M->position_columns,
                        NULL, false, RITTI_PART_POSITIONS},
                       {l, 2 * l, n + 1, m, &M->velocities, RITTI_ROWS_VELOCITIES,
                        &M->velocity_columns, NULL, true, RITTI_PART_VELOCITIES}};
  for (int i = 0; i < 2; i++) {
    part *P = &both_parts[i];
    no_multipliers(M);
    P->d = !P->S->kept || M->reuse == RITTI_REUSE_ON ? mask_weights(M, P->from, P->to)
                                                     : M->inverse_weights;
    RITT_TRY(project_part(M, P, a, q, false, false));
  }
  return RITT_OK;
}

/* ---- variants ---- */

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
  const ritt_real *from = a;
  M->trouble = RITTI_NO_TROUBLE;
  if (q == a) from = memcpy(M->where, a, (size_t)p->m * sizeof *a);
  else memcpy(q, a, (size_t)p->m * sizeof *a);
  if (p->k == 0) return RITT_OK;
  if (M->predictor.scale != 0) {
    for (int j = 0; j < p->m; j++) q[j] -= M->predictor.scale * M->predictor.dz[j];
    for (int i = 0; i < p->k; i++) M->mu[i] = M->predictor.scale * M->predictor.mu[i];
  }
  long iterations = M->counts.iterations;
  ritt_status status = variants[M->variant].project(M, from, q);
  M->counts.projections++;
  M->counts.failures += status == RITT_RETRY;
  iterations = M->counts.iterations - iterations;
  M->counts.idle += iterations == 0;
  if (iterations > M->counts.most) M->counts.most = (int)iterations;
  return status;
}

ritt_real ritti_manifold_residual(ritti_manifold *M, const ritt_real *z) {
  const ritti_problem *p = M->problem;
  if (!p->k) return 0;
  ritt_status status = p->call.f(p->data, M->work, z, M->f);
  if (status != RITT_OK && status != RITT_RETRY) M->gave_up = status;
  if (status != RITT_OK) return INFINITY;
  return ritti_plain_residual(p->k, M->f);
}

/* ---- state ---- */

void ritti_manifold_state(ritti_manifold *M, ritti_state *state) {
  int m = M->problem->m, k = M->problem->k, gave_up = (int)M->gave_up;
  ritti_state_reals(state, "manifold.spread", M->inverse_weights, (size_t)m);
  ritti_state_reals(state, "manifold.size", M->size, (size_t)m);
  /* the predictor of the last step, for dense output in it */
  ritti_state_reals(state, "manifold.normal", M->predictor.dz, (size_t)m);
  ritti_state_reals(state, "manifold.kappa", M->predictor.mu, (size_t)k);
  ritti_state_long(state, "manifold.projections", &M->counts.projections);
  ritti_state_long(state, "manifold.failures", &M->counts.failures);
  ritti_state_long(state, "manifold.iterations", &M->counts.iterations);
  ritti_state_long(state, "manifold.idle", &M->counts.idle);
  ritti_state_ints(state, "manifold.most", &M->counts.most, 1, 0, INT32_MAX);
  ritti_state_long(state, "manifold.factorisations", &M->counts.factorisations);
  ritti_state_long(state, "manifold.products", &M->counts.products);
  ritti_state_long(state, "manifold.second", &M->counts.second);
  ritti_state_ints(state, "manifold.gave_up", &gave_up, 1, 0, RITT_SYSTEM);
  if (state->mode != RITTI_STATE_LOAD) return;
  M->gave_up = (ritt_status)gave_up;
  M->cache.factored = 0;
}
