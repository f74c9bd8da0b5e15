/* The tops of mechanics by conjugate gradients on blocks, from the solution of the point before
 * (Algorithm 5.3 of the enhanced linear algebra paper).
 *
 * r = b - C s with the last s; C ds = r by Algorithm 4.3, its systems in E and in S = G E^-1 G^T by
 * conjugate gradients; s + ds; again while the residual is above rounding. A diagonal E is divided
 * by. Where this does not converge LU takes over.
 */
#include "geometry/direction_impl.h"
#include "linalg/krylov.h"

enum { ROUNDS = 6 };
static const ritt_real REDUCE =
    (ritt_real)1e-10; /* of a residual by one run of conjugate gradients */

typedef struct own {
  bool warm, diagonal;
  ritt_real *last;           /* (y_2, mu), mu = s lambda */
  ritt_real *r, *du, *w, *y; /* tops; positions */
  ritti_krylov E, S;
} own;

static bool is_diagonal(const ritti_problem *p) {
  for (int i = 0; i < p->positions; i++)
    for (int e = p->A.start[i]; e < p->A.start[i + 1]; e++)
      if (p->A.col[e] < p->positions && p->A.col[e] != i) return false;
  return true;
}

static void times_E(const void *context, const ritt_real *x, ritt_real *y);
static void times_S(const void *context, const ritt_real *x, ritt_real *y);

static ritt_status init_cg(const ritti_direction *D, int n, ritti_times *times, ritti_krylov *K,
                           ritti_arena *arena) {
  *K = (ritti_krylov){
      .n = n, .times = times, .context = D, .tolerance = REDUCE, .most = 10 * n + 20};
  RITTI_NEW(K->scratch, arena, RITTI_CG_SCRATCH * n + 1);
  return RITT_OK;
}

ritt_status ritti_top_block_cg_init(ritti_direction *D, ritti_arena *arena) {
  const ritti_problem *p = D->problem;
  own *O;
  RITTI_NEW(O, arena, 1);
  RITTI_NEW_ARRAYS(arena, p->tops + 1, O->last, O->r);
  RITTI_NEW_ARRAYS(arena, p->positions + 1, O->du, O->w, O->y);
  RITT_TRY(init_cg(D, p->positions, times_E, &O->E, arena));
  RITT_TRY(init_cg(D, p->constraints, times_S, &O->S, arena));
  O->diagonal = is_diagonal(p);
  D->own = O;
  return RITT_OK;
}

/* ---- products with the blocks of A ---- */

/* y = E x (first = 0) or G x (first = positions), the columns of the positions */
static void multiply_block(const ritti_direction *D, int first, int rows, const ritt_real *x,
                           ritt_real *y) {
  const ritti_pattern *A = &D->problem->A;
  for (int i = 0; i < rows; i++) {
    ritt_real sum = 0;
    for (int e = A->start[first + i]; e < A->start[first + i + 1]; e++)
      if (A->col[e] < D->problem->positions) sum += D->A[e] * x[A->col[e]];
    y[i] = sum;
  }
}

/* y = G^T x */
static void times_transposed(const ritti_direction *D, const ritt_real *x, ritt_real *y) {
  const ritti_problem *p = D->problem;
  for (int j = 0; j < p->positions; j++) y[j] = 0;
  for (int i = 0; i < p->constraints; i++)
    for (int e = p->A.start[p->positions + i]; e < p->A.start[p->positions + i + 1]; e++)
      if (p->A.col[e] < p->positions) y[p->A.col[e]] += D->A[e] * x[i];
}

/* ---- systems in E and in S ---- */

static bool run_cg(ritti_krylov *K, const ritt_real *b, ritt_real *x) {
  for (int i = 0; i < K->n; i++) x[i] = 0;
  return ritti_cg(K, b, x);
}

static void times_E(const void *context, const ritt_real *x, ritt_real *y) {
  const ritti_direction *D = context;
  multiply_block(D, 0, D->problem->positions, x, y);
}

static bool solve_E(const ritti_direction *D, const ritt_real *b, ritt_real *x) {
  const ritti_problem *p = D->problem;
  own *O = D->own;
  if (!O->diagonal) return run_cg(&O->E, b, x);
  for (int i = 0; i < p->positions; i++) {
    ritt_real E = 0;
    for (int e = p->A.start[i]; e < p->A.start[i + 1]; e++)
      if (p->A.col[e] == i) E += D->A[e];
    if (!(E > 0)) return false;
    x[i] = b[i] / E;
  }
  return true;
}

/* y = G E^-1 G^T x (Algorithm 4.5, with the sign of a positive definite matrix); NaN where E is not
 */
static void times_S(const void *context, const ritt_real *x, ritt_real *y) {
  const ritti_direction *D = context;
  own *O = D->own;
  times_transposed(D, x, O->w);
  bool good = solve_E(D, O->w, O->y);
  multiply_block(D, D->problem->positions, D->problem->constraints, O->y, y);
  for (int i = 0; i < D->problem->constraints && !good; i++) y[i] = NAN;
}

/* ---- Algorithm 5.3 ---- */

/* s += C^-1 r by Algorithm 4.3 */
static bool improve_solution(ritti_direction *D, own *O, ritt_real *s) {
  int ne = D->problem->positions, nc = D->problem->constraints;
  ritt_real *right = O->r + ne, *mu = D->top + ne; /* the tops are not there yet: room */
  if (!solve_E(D, O->r, O->du)) return false;
  for (int i = 0; i < ne; i++) s[i] += O->du[i];
  multiply_block(D, ne, nc, O->du, mu);
  for (int i = 0; i < nc; i++) right[i] = mu[i] - right[i];
  if (!run_cg(&O->S, right, mu)) return false;
  for (int i = 0; i < nc; i++) s[ne + i] += mu[i];
  times_transposed(D, mu, O->w);
  if (!solve_E(D, O->w, O->du)) return false;
  for (int i = 0; i < ne; i++) s[i] -= O->du[i];
  return true;
}

static bool solve_tops(ritti_direction *D, own *O) {
  const ritti_problem *p = D->problem;
  ritt_real before = INFINITY;
  for (int i = 0; i < p->tops && !O->warm; i++) O->last[i] = 0;
  for (int round = 0;; round++) {
    /* r = -b - C s; returns its largest entry over the size of the terms of its row */
    const ritt_real *s = O->last;
    ritt_real *r = O->r;
    int ne = p->positions;
    ritt_real now = 0;
    multiply_block(D, 0, ne, s, r);
    times_transposed(D, s + ne, O->w);
    for (int i = 0; i < ne; i++) r[i] += O->w[i];
    multiply_block(D, ne, p->constraints, s, r + ne);
    for (int i = 0; i < p->tops; i++) {
      ritt_real size = RITTI_MATH(fabs)(D->b[i]);
      for (int e = p->A.start[i]; e < p->A.start[i + 1]; e++) {
        int j = p->A.col[e];
        ritt_real lambda = j < ne ? s[j] : s[j] / p->s[j - ne];
        size += RITTI_MATH(fabs)(D->A[e] * lambda);
      }
      r[i] = -D->b[i] - r[i];
      ritt_real relative = RITTI_MATH(fabs)(r[i]) > 0 ? RITTI_MATH(fabs)(r[i]) / size : 0;
      if (!(relative <= now)) now = relative;
    }

    bool stands = !(now < before / 2) || round == ROUNDS;
    if (now <= RITTI_EPS || (stands && now <= 16 * RITTI_EPS)) break;
    if (stands && round > 1) return false;
    before = now;
    if (!improve_solution(D, O, O->last)) return false;
  }
  for (int i = 0; i < p->tops; i++)
    D->top[i] = i < p->positions ? O->last[i] : O->last[i] / p->s[i - p->positions];
  return true;
}

bool ritti_top_block_cg(ritti_direction *D) {
  own *O = D->own;
  O->warm = solve_tops(D, O);
  if (O->warm) return true;
  D->fallbacks++;
  return ritti_top_lu(D);
}

void ritti_top_block_cg_state(ritti_direction *D, ritti_state *state) {
  own *O = D->own;
  ritti_state_bool(state, "block_cg.warm", &O->warm);
  ritti_state_reals(state, "block_cg.last", O->last, (size_t)D->problem->tops);
}
