/* The tops of mechanics from [E G^T; G 0] (y_2, s lambda) = -b by L D L^T without pivoting (equation (3.9)
 * of the enhanced linear algebra paper). Where a sign in D is not that of a positive definite E and a full
 * G, LU.
 */
#include "geometry/direction_impl.h"

/* n_-(D) = constraints, and A is this matrix with its last columns times s */
void ritti_top_kkt_sign(ritti_direction *D) {
  int minus = 0;
  for (int i = 0; i < D->problem->constraints; i++) minus += D->problem->s[i] > 0;
  D->sign = minus % 2 ? -1 : 1;
  D->factored = &D->kkt;
}

bool ritti_top_symmetric(ritti_direction *D) {
  const ritti_problem *p = D->problem;
  ritti_problem_form(p, &D->kkt);
  for (int i = 0; i < p->tops; i++) D->top[i] = -D->b[i];
  if (!ritti_linear_factor_solve(&D->kkt, D->A, NULL, D->top)) return false;
  for (int i = 0; i < p->constraints; i++) D->top[p->positions + i] /= p->s[i];
  ritti_top_kkt_sign(D);
  return true;
}

bool ritti_top_kkt(ritti_direction *D) { return ritti_top_symmetric(D) || ritti_top_lu(D); }
