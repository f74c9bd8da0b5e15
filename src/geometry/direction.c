/* The direction V.
 *
 * In: a point z. Out: V(z) = (1, y_1, ..., top), the top jets from A(z) top + b(z) = 0 (equation (3.6) of
 * the enhanced linear algebra paper), for mechanics from the block system [E H; G 0] (3.9), or by formula.
 * Where H = G^T diag(s) the block system is symmetric in (y_2, s lambda) and is factored as L D L^T; a
 * wrong sign in D falls back to LU. In runs over arc length V is the null vector (v_1, v) of (b | A), as in
 * section 3.1 of that paper: V = (v_1, v_1 y_1, ..., v), regular also where A is singular but (b | A) has
 * full rank.
 */
#include "geometry/geometry.h"

static ritt_status init_null(ritti_direction *direction, int n, ritti_arena *arena) {
  direction->null = (ritti_qr){.rows = n + 1, .cols = n};
  RITTI_NEW(direction->null.a, arena, (size_t)(n + 1) * (size_t)n + 1);
  RITTI_NEW(direction->null.beta, arena, n + 1);
  RITTI_NEW(direction->null.column, arena, n + 1);
  RITTI_NEW(direction->null_vector, arena, n + 1);
  RITTI_NEW(direction->scratch, arena, 2 * n + 1);
  return RITT_OK;
}

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
    if (rows == n) RITT_TRY(init_null(direction, n, arena));
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
  D->sign = 1;
  for (int i = 0; i < p->tops; i++)
    if ((D->dense[i * p->tops + i] < 0) != (D->pivot[i] != i)) D->sign = -D->sign;
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

/* The status of a function: RITT_RETRY is trouble with a place, others are passed on. */
static ritt_status valued(ritti_direction *D, ritt_status status, const ritt_real *z) {
  return status == RITT_RETRY ? fail(D, RITTI_NO_VALUE, z) : status;
}

static ritt_status find_top(ritti_direction *D, const ritt_real *z) {
  const ritti_problem *p = D->problem;
  if (p->kind == RITT_EXPLICIT) return valued(D, p->formula(p->data, D->work, z, D->top), z);
  RITT_TRY(valued(D, p->system(p->data, D->work, z, D->A, D->b), z));
  if (!solve(D)) return fail(D, RITTI_SINGULAR_TOP, z);
  for (int i = 0; i < p->tops; i++)
    if (!(RITTI_MATH(fabs)(D->top[i]) < INFINITY)) return fail(D, RITTI_SINGULAR_TOP, z);
  return RITT_OK;
}

/* (v_1, v) of unit length with b v_1 + A v = 0; false: the rank of (b | A) is not full, there is more than
 * one. */
static bool find_null(ritti_direction *D) {
  const ritti_problem *p = D->problem;
  int n = p->tops;
  ritt_real *M = D->null.a; /* (b | A)^T, its columns (the equations) scaled to length 1 */
  ritti_csr_to_dense(&p->A, D->A, D->dense);
  for (int i = 0; i < n; i++) {
    ritt_real length = RITTI_MATH(fmax)(RITTI_MATH(fabs)(D->b[i]), ritti_norm(n, D->dense + i * n));
    if (!(length > 0)) return false;
    M[i] = D->b[i] / length;
    for (int j = 0; j < n; j++) M[(j + 1) * n + i] = D->dense[i * n + j] / length;
  }
  ritti_qr_factor(&D->null, (ritt_real)1e-13, D->scratch);
  if (D->null.rank < n) return false;
  for (int i = 0; i <= n; i++) D->null_vector[i] = i == n;
  ritti_qr_apply_q(&D->null, D->null_vector);
  return true;
}

/* |V| = 1 in the metric of the arc length, not against the reference */
static void normalise(const ritti_direction *D, ritt_real *V) {
  int m = D->problem->m;
  ritt_real square = 0, along = 0;
  for (int i = 0; i < m; i++) {
    square += D->arc[i] * V[i] * V[i];
    if (D->reference) along += D->arc[i] * V[i] * D->reference[i];
  }
  if (!D->reference) along = V[0];
  ritt_real speed = along < 0 ? -RITTI_MATH(sqrt)(square) : RITTI_MATH(sqrt)(square);
  for (int i = 0; i < m; i++) V[i] /= speed;
}

static ritt_status unit_direction(ritti_direction *D, const ritt_real *z, ritt_real *V) {
  const ritti_problem *p = D->problem;
  RITT_TRY(valued(D, p->system(p->data, D->work, z, D->A, D->b), z));
  if (!find_null(D)) return fail(D, RITTI_SINGULAR_TOP, z);
  const ritt_real x = D->null_vector[0], *v = D->null_vector + 1;
  for (int i = 0; i < p->tops; i++) D->top[i] = v[i] / x;
  V[0] = x;
  for (int i = 1; i < p->m; i++) V[i] = p->next[i] >= 0 ? x * z[p->next[i]] : v[-1 - p->next[i]];
  normalise(D, V);
  return RITT_OK;
}

ritt_status ritti_direction_at(ritti_direction *D, const ritt_real *z, ritt_real *V) {
  const ritti_problem *p = D->problem;
  D->trouble = RITTI_NO_TROUBLE;
  D->evaluations++;
  D->sign = 0;
  if (D->arc && D->null.a) return unit_direction(D, z, V);
  RITT_TRY(find_top(D, z));
  V[0] = 1;
  for (int i = 1; i < p->m; i++) V[i] = p->next[i] >= 0 ? z[p->next[i]] : D->top[-1 - p->next[i]];
  if (D->arc) normalise(D, V);
  return RITT_OK;
}
