/* The tops from A top + b = 0 by LU (section 5.2 of the enhanced linear algebra paper); where there are fewer
 * rows than tops those of least norm. */
#include "geometry/direction_impl.h"

bool ritti_top_lu(ritti_direction *D) {
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

/* Those that the equations leave open (multipliers of redundant constraints) are the least. The rank is that
 * of the rows, fixed by the completion. */
bool ritti_top_least(ritti_direction *D) {
  const ritti_problem *p = D->problem;
  int rows = p->A.rows;
  ritti_csr_to_dense(&p->A, D->A, D->dense);
  for (int i = 0; i < rows; i++) D->b[i] = -D->b[i];
  return ritti_least_norm(rows, p->tops, D->dense, D->b, (ritt_real)1e-14, D->top, D->scratch, D->pivot) ==
         rows;
}
