/* The tops from A top + b = 0 by LU (section 5.2 of the enhanced linear algebra paper); where there
 * are fewer rows than tops those of least norm, by orthogonal factors or, where A is large, as A^T
 * (A A^T)^-1 (-b). */
#include "geometry/direction_impl.h"

bool ritti_top_lu(ritti_direction *D) {
  if (!ritti_linear_factor(&D->lu, D->A, NULL)) return false;
  D->sign = D->lu.sign;
  D->factored = &D->lu;
  for (int i = 0; i < D->problem->tops; i++) D->top[i] = -D->b[i];
  ritti_linear_solve(&D->lu, D->top);
  return true;
}

/* Those that the equations leave open (multipliers of redundant constraints) are the least. The
 * rank is that of the rows, fixed by the completion. */
bool ritti_top_least(ritti_direction *D) {
  const ritti_problem *p = D->problem;
  int rows = p->A.rows;
  for (int i = 0; i < rows; i++) D->b[i] = -D->b[i];
  if (!D->dense) {
    if (!ritti_linear_factor(&D->lu, D->A, NULL)) return false;
    ritti_linear_solve(&D->lu, D->b);
    ritti_csr_times_transposed(&p->A, D->A, D->b, D->top);
    return true;
  }
  ritti_csr_to_dense(&p->A, D->A, D->dense);
  return ritti_least_norm(rows, p->tops, D->dense, D->b, (ritt_real)1e-14, D->top, D->scratch,
                          D->pivot) == rows;
}
