/* The tops from A top + b = 0 by LU (section 5.2 of the enhanced linear algebra paper); where there
 * are fewer rows than tops those of least norm, by orthogonal factors or, where A is large, with the
 * matrix A A^T. */
#include "geometry/direction_impl.h"

bool ritti_top_lu(ritti_direction *D) {
  if (!ritti_linear_factor(&D->lu, D->A, NULL)) return false;
  D->sign = D->lu.sign;
  D->factored = &D->lu;
  for (int i = 0; i < D->problem->tops; i++) D->top[i] = -D->b[i];
  ritti_linear_solve(&D->lu, D->top);
  return true;
}

ritt_status ritti_top_least_init(ritti_direction *D, ritti_arena *arena) {
  const ritti_problem *p = D->problem;
  RITTI_NEW(D->scaled, arena, p->A.start[p->A.rows] + 1);
  RITTI_NEW(D->column_scale, arena, p->tops + 1);
  RITTI_NEW(D->least_room, arena, 2 * p->A.rows + 1);
  return RITT_OK;
}

/* Makes A S: the columns of derivatives of coordinates get the size 1, since a capacitance of 1e-9 would be
 * lost in A A^T. If the equations determine these derivatives, their sizes do not change which values of the
 * other tops are the least. If they leave some of them open (general kind), S is 1: with other scales these
 * derivatives would jump where a size passes a power of two. */
static void scale_columns(ritti_direction *D) {
  const ritti_problem *p = D->problem;
  int entries = p->A.start[p->A.rows];
  ritt_real *scale = D->column_scale;

  /* 1: derivatives of coordinates; 0: other tops, of which as many may be open as there are rows too few */
  int others = p->tops;
  for (int j = 0; j < p->tops; j++) scale[j] = 0;
  for (int i = 1; i < p->m; i++)
    if (p->next[i] < 0) scale[-1 - p->next[i]] = 1, others--;
  bool scaled = others >= p->tops - p->A.rows;

  /* the largest entries, as powers of two, by which nothing is rounded */
  for (int j = 0; j < p->tops; j++) scale[j] = scaled && scale[j] > 0 ? 0 : -1;
  for (int e = 0; e < entries; e++) {
    ritt_real size = RITTI_MATH(fabs)(D->A[e]), *most = &scale[p->A.col[e]];
    if (*most >= 0 && size > *most) *most = size;
  }
  for (int j = 0; j < p->tops; j++)
    scale[j] = scale[j] > 0 ? RITTI_MATH(ldexp)(1, -RITTI_MATH(ilogb)(scale[j])) : 1;
  for (int e = 0; e < entries; e++) D->scaled[e] = D->A[e] * scale[p->A.col[e]];
}

bool ritti_top_least_factor(ritti_direction *D) {
  scale_columns(D);
  return ritti_linear_factor(&D->lu, D->scaled, NULL);
}

/* r = b - A S y, and its largest entry relative to |b_i| + sum_j |(A S)_ij| max |y|. A row whose terms are all
 * rounding errors of other rows counts as solved. */
static ritt_real find_residual(const ritti_direction *D, const ritt_real *y, ritt_real *r) {
  const ritti_pattern *A = &D->problem->A;
  ritt_real worst = 0, largest = 0;
  for (int j = 0; j < D->problem->tops; j++)
    largest = RITTI_MATH(fmax)(largest, RITTI_MATH(fabs)(y[j]));

  for (int i = 0; i < A->rows; i++) {
    ritt_real sum = D->b[i], size = RITTI_MATH(fabs)(sum);
    for (int e = A->start[i]; e < A->start[i + 1]; e++) {
      sum -= D->scaled[e] * y[A->col[e]];
      size += RITTI_MATH(fabs)(D->scaled[e]) * largest;
    }
    r[i] = sum;
    if (size > 0) worst = RITTI_MATH(fmax)(worst, RITTI_MATH(fabs)(sum) / size);
  }
  return worst;
}

/* The least y with A S y = b by A S^2 A^T, whose condition is that of A S squared: the residual corrects the
 * solution. false: the condition is too bad even so. */
static bool solve_by_gram(ritti_direction *D) {
  enum { CORRECTIONS = 5 };
  const ritti_problem *p = D->problem;
  ritt_real *u = D->least_room, *r = u + p->A.rows, *y = D->top;
  const ritt_real good = 16 * RITTI_EPS, enough = (ritt_real)1e-9;
  if (!ritti_top_least_factor(D)) return false;
  for (int i = 0; i < p->A.rows; i++) u[i] = D->b[i];
  ritti_linear_solve(&D->lu, u);
  ritti_csr_times_transposed(&p->A, D->scaled, u, y);

  ritt_real residual = find_residual(D, y, r);
  for (int k = 0; k < CORRECTIONS && residual > good; k++) {
    ritti_linear_solve(&D->lu, r);
    for (int i = 0; i < p->A.rows; i++)
      for (int e = p->A.start[i]; e < p->A.start[i + 1]; e++) y[p->A.col[e]] += D->scaled[e] * r[i];
    residual = find_residual(D, y, r);
  }
  return residual <= enough;
}

/* Those that the equations leave open (multipliers of redundant constraints) are the least. The
 * rank is that of the rows, fixed by the completion. */
bool ritti_top_least(ritti_direction *D) {
  const ritti_problem *p = D->problem;
  int rows = p->A.rows;
  for (int i = 0; i < rows; i++) D->b[i] = -D->b[i];
  bool solved;
  if (!D->dense) solved = solve_by_gram(D);
  else {
    scale_columns(D);
    ritti_csr_to_dense(&p->A, D->scaled, D->dense);
    solved = ritti_least_norm(rows, p->tops, D->dense, D->b, (ritt_real)1e-14, D->top, D->scratch,
                              D->pivot) == rows;
  }
  for (int j = 0; j < p->tops; j++) D->top[j] *= D->column_scale[j];
  return solved;
}
