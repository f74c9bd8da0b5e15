/* The coefficients of the solution curve through a point, order by order.
 *
 * In: z on M, V there. Out: the Taylor coefficients of z(s), z' = V(z). Coefficient k of A and b
 * comes from coefficients 0 .. k of z by one sweep of the program; then the tops have
 *
 *     A_0 top_k = -b_k - sum_{j=1..k} A_j top_{k-j},
 *
 * all with one factorisation, and z_{k+1} = V_k / (k + 1). Over x V = (1, y_1, ..., top). Over arc
 * length V is that by its length: dx/ds = (sum_i w_i U_i^2)^(-1/2) as a series, V = dx/ds U; or,
 * where A may be singular, the null vector n = (dx/ds, v) of (b | A) of length 1: n_k solves
 *
 *     (b | A)_0 n_k = -sum_{j=1..k} (b | A)_j n_{k-j},
 *
 * with the bordered matrix of line_border.c, up to a multiple of n_0 that |V| = 1 fixes. Where tops
 * are not unique those of least norm are top = S^2 A^T u: A_0 S^2 A_0^T u_k = -b_k - sum_{j>0} A_j
 * top_{k-j} - A_0 S^2 sum_{j>0} A_j^T u_{k-j}, with the scales S of top_lu.c at the first point.
 */
#include "geometry/curve.h"
#include "geometry/direction_impl.h"

static ritt_real *slot(const ritti_curve *C, size_t i) { return C->value + i * (size_t)C->terms; }
static ritt_real *top_of(const ritti_curve *C, int i) {
  return C->top + (size_t)(i + 1) * (size_t)C->terms;
}
static const ritt_real *result_series(const ritti_curve *C, size_t i) {
  return slot(C, C->series.result[i]);
}
static size_t entries_of_A(const ritti_problem *p) {
  return p->kind == RITT_EXPLICIT ? 0 : ritti_entries(&p->A);
}

ritt_status ritti_curve_init(ritti_curve *C, const ritti_problem *p, ritti_direction *D, int order,
                             ritti_arena *arena) {
  *C = (ritti_curve){.problem = p, .direction = D, .order = order, .terms = order + 1};
  if (!p->call.series) return RITT_WRONG_CALL;
  RITT_TRY(p->call.series(p->data, RITTI_SERIES_TOPS, arena, &C->series));
  size_t terms = (size_t)C->terms;
  if (C->series.slots > SIZE_MAX / sizeof(ritt_real) / terms) return RITT_NO_MEMORY;
  RITTI_NEW(C->value, arena, C->series.slots * terms);
  RITTI_NEW(C->top, arena, ((size_t)p->tops + 1) * terms);
  RITTI_NEW(C->square, arena, terms);
  RITTI_NEW(C->right, arena, p->tops + p->A.rows + 1);
  RITTI_NEW(C->V, arena, p->m);
  if (p->kind == RITT_EXPLICIT) return RITT_OK;

  const ritti_pattern *A = &C->problem->A;
  int count = 0;
  RITTI_NEW(C->varying, arena, ritti_entries(A) + 1);
  RITTI_NEW(C->varying_start, arena, A->rows + 1);
  for (int i = 0; i < A->rows; i++) {
    for (int e = A->start[i]; e < A->start[i + 1]; e++)
      if (C->series.varies[e]) C->varying[count++] = e;
    C->varying_start[i + 1] = count;
  }

  if (p->A.rows < p->tops) RITTI_NEW(C->part, arena, (size_t)p->A.rows * terms);
  /* the line where A is singular, also where it is small */
  else if (p->tops && !D->border) RITT_TRY(ritti_border_init(D, D->lu.algebra, arena));
  return RITT_OK;
}

/* ---- the linear systems ---- */

/* A_0 and b_0 for the direction's solvers */
static bool take_system(const ritti_curve *C) {
  const ritti_problem *p = C->problem;
  ritti_direction *D = C->direction;
  size_t n = entries_of_A(p);
  bool finite = true;
  for (size_t e = 0; e < n; e++)
    D->A[e] = result_series(C, e)[0], finite &= RITTI_MATH(fabs)(D->A[e]) < INFINITY;
  for (int i = 0; i < p->A.rows; i++) {
    D->b[i] = result_series(C, n + (size_t)i)[0];
    finite &= RITTI_MATH(fabs)(D->b[i]) < INFINITY;
  }
  /* what the direction knew of its last point is gone */
  D->factored = NULL;
  D->sign = 0;
  return finite;
}

static bool factor_system(ritti_curve *C) {
  ritti_direction *D = C->direction;
  C->solver = C->problem->symmetric && ritti_linear_factor(&D->kkt, D->A, NULL) ? &D->kkt : &D->lu;
  if (C->solver == &D->kkt) return true;
  return C->part ? ritti_top_least_factor(D) : ritti_linear_factor(&D->lu, D->A, NULL);
}

static void solve_coefficient(const ritti_curve *C, ritt_real *x) {
  const ritti_problem *p = C->problem;
  ritti_linear_solve(C->solver, x);
  if (C->solver != &C->direction->kkt) return;
  for (int i = 0; i < p->constraints; i++) x[p->positions + i] /= p->s[i];
}

/* sum_{j=1..k} a_j v_{k-j} */
static ritt_real inner_product(const ritt_real *a, const ritt_real *v, int k) {
  ritt_real sum = 0;
  for (int j = 1; j <= k; j++) sum += a[j] * v[k - j];
  return sum;
}

/* right = -sum_{j=1..k} A_j top_{k-j}, rows of A */
static void add_products(const ritti_curve *C, int k, ritt_real *right) {
  const ritti_pattern *A = &C->problem->A;
  for (int i = 0; i < A->rows; i++) {
    right[i] = 0;
    for (int e = C->varying_start[i]; e < C->varying_start[i + 1]; e++)
      right[i] -= inner_product(result_series(C, (size_t)C->varying[e]),
                                top_of(C, A->col[C->varying[e]]), k);
  }
}

/* Coefficient k of the tops. false: A is singular. */
static bool find_tops(ritti_curve *C, int k) {
  const ritti_problem *p = C->problem;
  if (p->kind == RITT_EXPLICIT) {
    for (int i = 0; i < p->tops; i++) top_of(C, i)[k] = result_series(C, (size_t)i)[k];
    return true;
  }
  if (k == 0 && p->tops && !(take_system(C) && factor_system(C))) return false;
  size_t n = entries_of_A(p);
  add_products(C, k, C->right);
  for (int i = 0; i < p->A.rows; i++) C->right[i] -= result_series(C, n + (size_t)i)[k];
  if (C->part) {
    /* those of least norm */
    ritt_real *right = C->right;
    ritt_real *top = right + p->A.rows;
    /* top = S^2 sum_{j>0} A_j^T u_{k-j} */
    const ritt_real *scale = C->direction->column_scale;
    for (int i = 0; i < p->tops; i++) top[i] = 0;
    for (int i = 0; i < p->A.rows; i++)
      for (int e = C->varying_start[i]; e < C->varying_start[i + 1]; e++)
        top[p->A.col[C->varying[e]]] += inner_product(result_series(C, (size_t)C->varying[e]),
                                                      C->part + (size_t)i * (size_t)C->terms, k);
    for (int i = 0; i < p->tops; i++) top[i] *= scale[i] * scale[i];
    for (int i = 0; i < p->A.rows; i++)
      for (int e = p->A.start[i]; e < p->A.start[i + 1]; e++)
        right[i] -= C->direction->A[e] * top[p->A.col[e]];
    ritti_linear_solve(C->solver, right);
    for (int i = 0; i < p->A.rows; i++) {
      C->part[(size_t)i * (size_t)C->terms + (size_t)k] = right[i];
      for (int e = p->A.start[i]; e < p->A.start[i + 1]; e++)
        top[p->A.col[e]] += C->direction->scaled[e] * scale[p->A.col[e]] * right[i];
    }
    for (int i = 0; i < p->tops; i++) top_of(C, i)[k] = top[i];
  } else if (p->tops) {
    solve_coefficient(C, C->right);
    for (int i = 0; i < p->tops; i++) top_of(C, i)[k] = C->right[i];
  }
  return true;
}

/* ---- V from the tops ---- */

/* The series of U_i, U = (1, y_1, ..., top), i > 0 */
static const ritt_real *speed_series(const ritti_curve *C, int i) {
  int next = C->problem->next[i];
  return next >= 0 ? slot(C, (size_t)next) : top_of(C, -1 - next);
}

static void step_coordinate(const ritti_curve *C, int i, int k, ritt_real V) {
  slot(C, (size_t)i)[k + 1] = C->unit * V / (ritt_real)(k + 1);
}

/* over arc length: V = x' U, x' = q^(-1/2), q = sum w_i U_i^2 */
static void advance_speed(const ritti_curve *C, int k) {
  int m = C->problem->m;
  ritt_real *q = C->square, *dx = C->top;
  q[k] = k == 0 ? C->arc[0] : 0;
  for (int i = 1; i < m; i++) {
    const ritt_real *U = speed_series(C, i);
    ritt_real sum = 0;
    for (int j = 0; j <= k; j++) sum += U[j] * U[k - j];
    q[k] += C->arc[i] * sum;
  }
  if (k == 0) dx[0] = (C->V[0] < 0 ? -1 : 1) / RITTI_MATH(sqrt)(q[0]);
  else {
    ritt_real sum = 0;
    for (int i = 1; i <= k; i++) sum -= ((ritt_real)i / 2 + (ritt_real)(k - i)) * q[i] * dx[k - i];
    dx[k] = sum / ((ritt_real)k * q[0]);
  }
  step_coordinate(C, 0, k, dx[k]);
  for (int i = 1; i < m; i++) {
    const ritt_real *U = speed_series(C, i);
    ritt_real sum = 0;
    for (int j = 0; j <= k; j++) sum += dx[j] * U[k - j];
    step_coordinate(C, i, k, sum);
  }
}

/* ---- V as a null vector ---- */

/* V_i, coefficient k: dx/ds z_next, or an entry of v */
static ritt_real line_speed(const ritti_curve *C, int i, int k) {
  int next = i ? C->problem->next[i] : 0;
  if (i == 0) return C->top[k];
  if (next < 0) return top_of(C, -1 - next)[k];
  const ritt_real *z = slot(C, (size_t)next);
  ritt_real sum = 0;
  for (int j = 0; j <= k; j++) sum += C->top[j] * z[k - j];
  return sum;
}

/* V_i, coefficient j < k, is already in the coordinates */
static ritt_real past_speed(const ritti_curve *C, int i, int j) {
  return slot(C, (size_t)i)[j + 1] * (ritt_real)(j + 1) / C->unit;
}

/* n_0 = the null vector of (b | A)_0, |V| = 1, along the V given */
static bool begin_line(ritti_curve *C) {
  const ritti_problem *p = C->problem;
  ritti_direction *D = C->direction;
  ritti_border_aim(D, C->V);
  if (!take_system(C) || !ritti_border_find(D)) return false;
  D->sign = 0;
  for (int i = 0; i <= p->tops; i++) top_of(C, i - 1)[0] = D->null_vector[i];
  ritt_real square = 0, along = 0;
  for (int i = 0; i < p->m; i++) {
    ritt_real V = line_speed(C, i, 0);
    square += C->arc[i] * V * V;
    along += C->arc[i] * V * C->V[i];
  }
  ritt_real length = along < 0 ? -RITTI_MATH(sqrt)(square) : RITTI_MATH(sqrt)(square);
  for (int i = 0; i <= p->tops; i++) top_of(C, i - 1)[0] /= length;
  return length != 0;
}

static bool advance_line(ritti_curve *C, int k) {
  if (k > 0) {
    /* n_k, k > 0: any solution, then the multiple of n_0 that keeps the length */
    const ritti_problem *p = C->problem;
    size_t n = entries_of_A(p);
    ritt_real *right = C->right, sum = 0;
    add_products(C, k, right);
    for (int i = 0; i < p->A.rows; i++)
      right[i] -= inner_product(result_series(C, n + (size_t)i), C->top, k);
    ritti_border_solve(C->direction, right);
    for (int i = 0; i <= p->tops; i++) top_of(C, i - 1)[k] = right[i];
    /* sum_i w_i sum_{j=0..k} V_ij V_i(k-j) = 0 */
    for (int i = 0; i < p->m; i++) {
      ritt_real inner = 2 * line_speed(C, i, 0) * line_speed(C, i, k);
      for (int j = 1; j < k; j++) inner += past_speed(C, i, j) * past_speed(C, i, k - j);
      sum += C->arc[i] * inner;
    }
    for (int i = 0; i <= p->tops; i++) top_of(C, i - 1)[k] -= sum / 2 * top_of(C, i - 1)[0];
  } else if (!begin_line(C)) return false;
  for (int i = 0; i < C->problem->m; i++) step_coordinate(C, i, k, line_speed(C, i, k));
  return true;
}

/* ---- expansion ---- */

static ritt_status fail_at(const ritti_curve *C, ritti_trouble trouble, const ritt_real *z) {
  C->direction->trouble = trouble;
  memcpy(C->direction->where, z, (size_t)C->problem->m * sizeof *z);
  return RITT_RETRY;
}

static bool is_known(const ritti_curve *C, const ritt_real *z, const ritt_real *V, ritt_real h) {
  const ritti_problem *p = C->problem;
  if (!C->known || C->arc != C->direction->arc) return false;
  if (h != 0 && !(RITTI_MATH(fabs)(h) > C->unit / 0x1p20 && RITTI_MATH(fabs)(h) < C->unit * 0x1p20))
    return false;
  for (int i = 0; i < p->m; i++)
    if (slot(C, (size_t)i)[0] != z[i] || C->V[i] != V[i]) return false;
  return ritti_series_holds(&C->series, C->direction->work, C->terms, C->value);
}

static ritt_status expand_series(ritti_curve *C, const ritt_real *z) {
  const ritti_problem *p = C->problem;
  bool line = C->arc && p->kind != RITT_EXPLICIT && !C->part && p->tops;
  for (int i = 0; i < p->m; i++) slot(C, (size_t)i)[0] = z[i];
  for (int k = 0; k < C->order; k++) {
    ritti_series_run(&C->series, C->direction->work, C->terms, k, C->value);
    if (!(line ? advance_line(C, k) : find_tops(C, k))) return fail_at(C, RITTI_SINGULAR_TOP, z);
    if (line) continue;
    if (C->arc) advance_speed(C, k);
    else {
      /* over x */
      step_coordinate(C, 0, k, k == 0 ? 1 : 0);
      for (int i = 1; i < C->problem->m; i++) step_coordinate(C, i, k, speed_series(C, i)[k]);
    }
  }
  for (int i = 0; i < p->m; i++)
    for (int k = 0; k <= C->order; k++)
      if (!(RITTI_MATH(fabs)(slot(C, (size_t)i)[k]) < INFINITY))
        return fail_at(C, RITTI_NO_VALUE, z);
  return RITT_OK;
}

ritt_status ritti_curve_expand(ritti_curve *C, const ritt_real *z, const ritt_real *V, ritt_real h,
                               bool *fresh) {
  *fresh = !is_known(C, z, V, h);
  if (!*fresh) return RITT_OK;
  memcpy(C->V, V, (size_t)C->problem->m * sizeof *V);
  C->arc = C->direction->arc;
  C->unit = h != 0 ? RITTI_MATH(ldexp)(1, RITTI_MATH(ilogb)(h)) : 1;
  C->expansions++;
  ritt_status status = expand_series(C, z);
  C->known = status == RITT_OK;
  return status;
}

void ritti_curve_point(const ritti_curve *C, int order, ritt_real s, ritt_real *z) {
  ritt_real t = s / C->unit;
  for (int i = 0; i < C->problem->m; i++) {
    const ritt_real *c = slot(C, (size_t)i);
    ritt_real sum = 0;
    for (int j = order; j > 0; j--) sum = (sum + c[j]) * t;
    z[i] = c[0] + sum;
  }
}

void ritti_curve_tangent(const ritti_curve *C, int order, ritt_real s, ritt_real *V) {
  ritt_real t = s / C->unit;
  for (int i = 0; i < C->problem->m; i++) {
    const ritt_real *c = slot(C, (size_t)i);
    ritt_real sum = 0;
    for (int j = order; j > 0; j--) sum = sum * t + (ritt_real)j * c[j];
    V[i] = sum / C->unit;
  }
}
