/* The direction V of the graph, holonomic and explicit kinds.
 *
 * In: a point z. Out: V(z) = (1, y_1, ..., top), the top jets from A(z) top + b(z) = 0 (equation (3.6) of the
 * enhanced linear algebra paper), for mechanics from the block system [E H; G 0] (3.9), or by formula. Where
 * H = G^T diag(s) the block system is symmetric in (y_2, s lambda) and is factored as L D L^T; a wrong sign
 * in D falls back to LU.
 */
#include "geometry/geometry.h"

ritt_status ritti_direction_init(ritti_direction *direction, const ritti_problem *problem, ritt_real *work,
                                 ritti_arena *arena) {
  int n = problem->tops;
  *direction = (ritti_direction){.problem = problem, .work = work};
  if (problem->kind != RITT_EXPLICIT) {
    int rows = problem->A.rows;
    RITTI_NEW(direction->A, arena, (n ? problem->A.start[rows] : 0) + 1);
    RITTI_NEW(direction->dense, arena, (size_t)n * (size_t)n + 1);
    RITTI_NEW(direction->pivot, arena, rows + n + 1);
    if (rows < n) RITTI_NEW(direction->scratch, arena, ritti_least_norm_scratch(rows, n) + 1);
  }
  RITTI_NEW(direction->b, arena, n + 1);
  RITTI_NEW(direction->top, arena, n + 1);
  RITTI_NEW(direction->where, arena, problem->m);
  return RITT_OK;
}

static ritt_status fail(ritti_direction *D, ritti_trouble trouble, const ritt_real *z) {
  D->trouble = trouble;
  memcpy(D->where, z, (size_t)D->problem->m * sizeof *z);
  return RITT_RETRY;
}

/* [E G^T; G 0] (y_2, s lambda) = -b by L D L^T; false: the signs are not those of a positive definite E and
 * full G. */
static bool solve_symmetric(ritti_direction *D) {
  const ritti_problem *p = D->problem;
  int n = p->tops;
  ritti_csr_to_dense(&p->A, D->A, D->dense);
  if (!ritti_ldlt_factor(n, p->positions, D->dense)) return false;
  for (int i = 0; i < n; i++) D->top[i] = -D->b[i];
  ritti_ldlt_solve(n, D->dense, D->top);
  for (int i = 0; i < p->constraints; i++) D->top[p->positions + i] /= p->s[i];
  return true;
}

static bool solve_lu(ritti_direction *D) {
  const ritti_problem *p = D->problem;
  ritti_csr_to_dense(&p->A, D->A, D->dense);
  if (!ritti_lu_factor(p->tops, D->dense, D->pivot, NULL)) return false;
  for (int i = 0; i < p->tops; i++) D->top[i] = -D->b[i];
  ritti_lu_solve(p->tops, D->dense, D->pivot, D->top);
  return true;
}

/* Fewer rows than tops: those that the equations leave open (multipliers of redundant constraints) are the
 * least. The rank is that of the rows, fixed by the completion. */
static bool solve_least(ritti_direction *D) {
  const ritti_problem *p = D->problem;
  int rows = p->A.rows;
  ritti_csr_to_dense(&p->A, D->A, D->dense);
  for (int i = 0; i < rows; i++) D->b[i] = -D->b[i];
  return ritti_least_norm(rows, p->tops, D->dense, D->b, (ritt_real)1e-14, D->top, D->scratch, D->pivot) ==
         rows;
}

static bool solve(ritti_direction *D) {
  if (D->problem->A.rows < D->problem->tops) return solve_least(D);
  return (D->problem->symmetric && solve_symmetric(D)) || solve_lu(D);
}

static ritt_status find_top(ritti_direction *D, const ritt_real *z) {
  const ritti_problem *p = D->problem;
  if (p->kind == RITT_EXPLICIT)
    return p->formula(p->data, D->work, z, D->top) == RITT_OK ? RITT_OK : fail(D, RITTI_NO_VALUE, z);
  if (p->system(p->data, D->work, z, D->A, D->b) != RITT_OK) return fail(D, RITTI_NO_VALUE, z);
  if (!solve(D)) return fail(D, RITTI_SINGULAR_TOP, z);
  for (int i = 0; i < p->tops; i++)
    if (!(RITTI_MATH(fabs)(D->top[i]) < INFINITY)) return fail(D, RITTI_SINGULAR_TOP, z);
  return RITT_OK;
}

ritt_status ritti_direction_at(ritti_direction *D, const ritt_real *z, ritt_real *V) {
  const ritti_problem *p = D->problem;
  D->trouble = RITTI_NO_TROUBLE;
  D->evaluations++;
  RITT_TRY(find_top(D, z));
  V[0] = 1;
  for (int i = 1; i < p->m; i++) V[i] = p->next[i] >= 0 ? z[p->next[i]] : D->top[-1 - p->next[i]];
  if (!D->arc) return RITT_OK;

  /* unit speed in the metric of the arc length */
  ritt_real square = 0;
  for (int i = 0; i < p->m; i++) square += D->arc[i] * V[i] * V[i];
  ritt_real speed = RITTI_MATH(sqrt)(square);
  for (int i = 0; i < p->m; i++) V[i] /= speed;
  return RITT_OK;
}
