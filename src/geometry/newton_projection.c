/* Projection by Newton's method on (q, mu): exact, and chord.
 *
 * In: a point a near M. Out: the point q of M with q + W^-1 df(q)^T mu = a. F and dF are those of
 * manifold_impl.h; an iteration solves dF s = -F by Algorithm 4.3 of the enhanced linear algebra
 * paper, with the Schur complement S = -B A^-1 B^T:
 *
 *     A u1 = -F1,  v1 = B u1 + f,  -S v2 = v1,  du = u1 - A^-1 B^T v2,  dmu = v2.
 *
 * A is positive definite near M (Lemma 2.2), where Cholesky factors of A and -S serve; where it is
 * not, the iteration takes A = I, a Gauss-Newton step: so the iteration is not drawn to points that
 * are farthest instead of nearest. At the beginning mu = 0 and A = I, whence no second derivatives
 * are needed (Algorithm 4.6). `chord` keeps dF for three iterations (section 5.3 of the higher
 * order paper). Quadratic convergence, of the chord linear with a factor of the size distance times
 * curvature.
 */
#include "geometry/manifold_impl.h"

enum { MOST_ITERATIONS = 60, SLOW = 8, FIRST_FEW = 3, CHORD = 3 };

ritt_status ritti_newton_init(ritti_manifold *M, ritti_arena *arena) {
  const ritti_problem *p = M->problem;
  ritti_newton *N;
  RITTI_NEW(N, arena, 1);
  RITTI_NEW_ARRAYS(arena, p->m, N->root, N->u, N->du, N->F, N->x);
  RITTI_NEW_ARRAYS(arena, p->k + 1, N->dmu, N->y);
  RITTI_NEW_ARRAYS(arena, ritti_entries(&p->df) + 1, N->B, N->held);
  RITTI_NEW(N->H, arena, ritti_entries(&p->d2f) + 1);
  N->every = M->variant == RITTI_PROJECT_CHORD ? CHORD : 1;
  N->initial_step = true;
  M->newton = N;
  return RITT_OK;
}

ritt_status ritti_newton_init_factors(ritti_manifold *M, ritti_arena *arena) {
  RITT_TRY(ritti_newton_init(M, arena));
  if (M->problem->k) RITT_TRY(ritti_kkt_init(M, arena));
  if (M->newton->kkt) return RITT_OK;
  size_t m = (size_t)M->problem->m, k = (size_t)M->problem->k;
  RITTI_NEW(M->newton->A, arena, m * m);
  RITTI_NEW(M->newton->Y, arena, k * m + 1);
  RITTI_NEW(M->S, arena, k * k + 1);
  return RITT_OK;
}

/* ---- the iteration ---- */

/* f, df and F at q; B = df R */
static ritt_status evaluate_system(ritti_manifold *M, const ritt_real *q) {
  const ritti_problem *p = M->problem;
  ritti_newton *N = M->newton;
  ritt_status status = p->call.f_df(p->data, M->work, q, M->f, M->df);
  if (status != RITT_OK) return ritti_projection_no_value(M, status, q);
  for (size_t e = 0; e < ritti_entries(&p->df); e++) N->B[e] = M->df[e] * N->root[p->df.col[e]];
  ritti_csr_times_transposed(&p->df, N->B, M->mu, N->F);
  for (int j = 0; j < p->m; j++) N->F[j] += N->u[j];
  return RITT_OK;
}

static ritt_real size_of_F(const ritti_manifold *M) {
  return RITTI_MATH(hypot)(ritti_norm(M->problem->m, M->newton->F),
                           ritti_norm(M->problem->k, M->f));
}

/* Where an iteration stands. */
typedef struct progress {
  int iteration;
  ritt_real error, F,
      moved;     /* of the iterate before: relative error, |F|; by how much the last one moved */
  ritt_real far; /* largest |u| of the first iterations: the distance to M, about */
  bool done;
} progress;

/* To round-off, as Gauss-Newton does: of the rows and of a - q, or of the point itself. */
static void judge_by_round_off(ritti_manifold *M, const ritt_real *q, progress *now) {
  const ritt_real round_off = 4 * RITTI_EPS;
  ritti_newton *N = M->newton;
  for (int j = 0; j < M->problem->m; j++) N->x[j] = N->root[j] * N->F[j];
  ritt_real r = ritti_projection_residual(M, q, 0, M->problem->k),
            t = ritti_projection_relative(M, q, N->x);
  ritt_real error = !(t <= r) ? t : r;
  /* inexact iterations promise less than half at first, and a small one of them does not mean the
   * end */
  bool inexact = M->variant == RITTI_PROJECT_INEXACT;
  bool slow = !(error < (inexact ? (ritt_real)0.95 : (ritt_real)0.5) * now->error);
  bool stands = !inexact && now->moved <= round_off && error < 1e-10;
  now->done = error <= round_off || stands || (slow && error < 1e-13) ||
              (slow && error < 1e-10 && now->iteration > SLOW);
  now->error = error;
}

static void begin_iteration(ritti_manifold *M, const ritt_real *a, const ritt_real *q) {
  ritti_newton *N = M->newton;
  for (int j = 0; j < M->problem->m; j++) {
    N->root[j] = RITTI_MATH(sqrt)(M->inverse_weights[j]);
    N->u[j] = N->root[j] > 0 ? (q[j] - a[j]) / N->root[j] : 0;
  }
  if (M->predictor.scale == 0)
    for (int i = 0; i < M->problem->k; i++) M->mu[i] = 0;
}

/* A = I + R H R as a lower triangle */
static void fill_dense(ritti_manifold *M) {
  const ritti_pattern *p = &M->problem->d2f;
  ritti_newton *N = M->newton;
  size_t m = (size_t)M->problem->m;
  for (size_t i = 0; i < m * m; i++) N->A[i] = 0;
  for (int i = 0; i < p->rows; i++) {
    ritt_real *row = N->A + (size_t)i * m;
    for (int e = p->start[i]; e < p->start[i + 1]; e++) row[p->col[e]] += N->H[e];
    row[i] += 1;
  }
}

static bool factor_dense(ritti_manifold *M) {
  fill_dense(M);
  return ritti_cholesky_factor(M->problem->m, M->newton->A);
}

/* Has every coordinate moved by a tiny part of its size only? Distances of rounding cannot be compared
 * with each other: the first inexact iterations may leave out rows whose residuals are small. */
static bool hardly_moved(const ritti_manifold *M, const ritt_real *q) {
  const ritti_newton *N = M->newton;
  const ritt_real part = (ritt_real)1e-10;
  for (int j = 0; j < M->problem->m; j++) {
    ritt_real size = RITTI_MATH(fmax)(RITTI_MATH(fabs)(q[j]), M->size[j]);
    if (!(RITTI_MATH(fabs)(N->root[j] * N->u[j]) <= part * size)) return false;
  }
  return true;
}

/* Is the solution found the point that is nearest, as far as can be told? Others, farthest ones
 * too, solve the same equations. A way that was long, or came with old factors, is not trusted. */
static bool is_near(ritti_manifold *M, const ritt_real *q, const progress *now) {
  const ritti_newton *N = M->newton;
  if (now->iteration == 0 || hardly_moved(M, q)) return true;
  if (!(ritti_norm(M->problem->m, N->u) <= 4 * now->far)) return false;
  if (N->every == 1 || now->iteration <= 2 * N->every || !N->A || !M->problem->call.d2f_mu)
    return true;
  if (ritti_newton_second(M, q) != RITT_OK) return false;
  M->counts.factorisations++;

  /* Is A positive definite where it matters, along M? A + weight B^T B, rows of length 1, is
   * then, for a large weight. */
  const ritti_pattern *p = &M->problem->df;
  size_t m = (size_t)p->cols;
  ritt_real weight = 1;
  fill_dense(M);
  for (size_t i = 0; i < m * m; i++)
    weight = RITTI_MATH(fmax)(weight, 1000 * RITTI_MATH(fabs)(N->A[i]));
  for (int i = 0; i < p->rows; i++) {
    ritt_real square =
        ritti_dot(p->start[i + 1] - p->start[i], N->B + p->start[i], N->B + p->start[i]);
    for (int e = p->start[i]; square > 0 && e < p->start[i + 1]; e++)
      for (int d = p->start[i]; d < p->start[i + 1]; d++)
        if (p->col[d] <= p->col[e])
          N->A[(size_t)p->col[e] * m + (size_t)p->col[d]] += weight * N->B[e] * N->B[d] / square;
  }
  return ritti_cholesky_factor(p->cols, N->A);
}

ritt_status ritti_newton_iterate(ritti_manifold *M, const ritt_real *a, ritt_real *q,
                                 ritti_newton_solver *solve) {
  progress now = {.error = INFINITY, .moved = INFINITY};
  begin_iteration(M, a, q);
  for (; now.iteration < MOST_ITERATIONS; now.iteration++) {
    RITT_TRY(evaluate_system(M, q));
    if (M->absolute_stop > 0) {
      /* The papers' rule, |s| + |F| < absolute + relative |F before|; projections whose |f| is
       * below do nothing. */
      ritt_real F = size_of_F(M), moved = 0;
      if (now.iteration > 0)
        moved = RITTI_MATH(hypot)(ritti_norm(M->problem->m, M->newton->du),
                                  ritti_norm(M->problem->k, M->newton->dmu));
      now.done = moved + F < M->absolute_stop + (now.iteration > 0 ? M->relative_stop * now.F : 0);
      now.F = F;
    } else judge_by_round_off(M, q, &now);
    if (now.done && !is_near(M, q, &now)) break;
    if (now.done) return RITT_OK;
    RITT_TRY(solve(M, q, now.iteration));

    /* (u, mu) += (du, dmu), q = a + R u */
    ritti_newton *N = M->newton;
    int few = M->variant == RITTI_PROJECT_INEXACT || N->initial_tolerance > 0 ? FIRST_FEW : 1;
    for (int i = 0; i < M->problem->k; i++) M->mu[i] += N->dmu[i];
    for (int j = 0; j < M->problem->m; j++) {
      N->u[j] += N->du[j];
      ritt_real next = N->root[j] > 0 ? a[j] + N->root[j] * N->u[j] : q[j];
      N->x[j] = next - q[j];
      q[j] = next;
    }
    now.moved = ritti_projection_relative(M, q, N->x);
    ritt_real length = ritti_norm(M->problem->m, N->u);
    if (now.iteration < few && length > now.far) now.far = length;
    M->counts.iterations++;
  }
  return ritti_projection_fail(M, RITTI_NO_CONVERGENCE, q);
}

/* ---- Algorithm 4.3 with factors ---- */

/* x := A^-1 x */
static void solve_A(const ritti_manifold *M, ritt_real *x) {
  const ritti_newton *N = M->newton;
  if (N->plain) return;
  if (N->blocks) ritti_blocks_solve(M, x);
  else ritti_cholesky_solve(M->problem->m, N->A, x);
}

bool ritti_newton_at_start(const ritti_manifold *M) {
  bool zero = M->newton->initial_step;
  for (int i = 0; i < M->problem->k; i++) zero = zero && M->mu[i] == 0;
  return zero;
}

bool ritti_newton_needs_second(const ritti_manifold *M) {
  return M->problem->call.d2f_mu && !ritti_newton_at_start(M);
}

ritt_status ritti_newton_second(ritti_manifold *M, const ritt_real *q) {
  const ritti_problem *p = M->problem;
  ritti_newton *N = M->newton;
  ritt_status status = p->call.d2f_mu(p->data, M->work, q, M->mu, N->H);
  if (status != RITT_OK) return ritti_projection_no_value(M, status, q);
  M->counts.second++;
  for (int i = 0; i < p->m; i++)
    for (int e = p->d2f.start[i]; e < p->d2f.start[i + 1]; e++)
      N->H[e] *= N->root[i] * N->root[p->d2f.col[e]];
  return RITT_OK;
}

/* Factors of A; A = I where mu = 0, and where A is not positive definite. */
static ritt_status factor_A(ritti_manifold *M, const ritt_real *q) {
  ritti_newton *N = M->newton;
  N->plain = true;
  if (!ritti_newton_needs_second(M)) return RITT_OK;
  RITT_TRY(ritti_newton_second(M, q));
  M->counts.factorisations++;
  N->plain = !(N->blocks ? ritti_blocks_factor(M) : factor_dense(M));
  return RITT_OK;
}

void ritti_newton_forward(int n, const ritt_real *L, ritt_real *x) {
  for (int i = 0; i < n; i++) {
    const ritt_real *row = L + (size_t)i * (size_t)n;
    x[i] = (x[i] - ritti_dot(i, row, x)) / row[i];
  }
}

static ritt_status factor_matrix(ritti_manifold *M, const ritt_real *q) {
  const ritti_pattern *p = &M->problem->df;
  ritti_newton *N = M->newton;
  RITT_TRY(factor_A(M, q));
  memcpy(N->held, N->B, ritti_entries(p) * sizeof *N->B);
  if (N->plain) ritti_csr_gram(p, N->held, NULL, N->x, M->S);
  else if (N->blocks) ritti_blocks_schur(M);
  else {
    /* -S = B A^-1 B^T = Y Y^T, the lower triangle */
    size_t m = (size_t)p->cols, k = (size_t)p->rows;
    ritti_csr_to_dense(p, N->held, N->Y);
    for (size_t i = 0; i < k; i++) {
      ritti_newton_forward(p->cols, N->A, N->Y + i * m);
      for (size_t j = 0; j <= i; j++)
        M->S[i * k + j] = ritti_dot(p->cols, N->Y + i * m, N->Y + j * m);
    }
  }
  M->counts.factorisations++;
  return ritti_cholesky_factor(p->rows, M->S) ? RITT_OK
                                              : ritti_projection_fail(M, RITTI_DEPENDENT_ROWS, q);
}

static ritt_status solve_by_factors(ritti_manifold *M, const ritt_real *q, int iteration) {
  const ritti_pattern *p = &M->problem->df;
  ritti_newton *N = M->newton;
  int m = p->cols, k = p->rows;
  if (N->initial_tolerance > 0 && ritti_newton_at_start(M)) {
    ritti_inexact_start(M, N->initial_tolerance);
    return RITT_OK;
  }
  if (iteration % N->every == 0) RITT_TRY(factor_matrix(M, q));
  /* A u1 = -F1 */
  for (int j = 0; j < m; j++) N->du[j] = -N->F[j];
  solve_A(M, N->du);
  /* -S v2 = B u1 + f */
  ritti_csr_times(p, N->held, N->du, N->dmu);
  for (int i = 0; i < k; i++) N->dmu[i] += M->f[i];
  ritti_cholesky_solve(k, M->S, N->dmu);
  /* du = u1 - A^-1 B^T v2 */
  ritti_csr_times_transposed(p, N->held, N->dmu, N->x);
  solve_A(M, N->x);
  for (int j = 0; j < m; j++) N->du[j] -= N->x[j];
  return RITT_OK;
}

ritt_status ritti_newton_project(ritti_manifold *M, const ritt_real *a, ritt_real *q) {
  return ritti_newton_iterate(M, a, q, M->newton->kkt ? ritti_kkt_solve : solve_by_factors);
}
