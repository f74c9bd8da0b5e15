/* The tops of mechanics from [E G^T; G 0] (y_2, s lambda) = -b by L D L^T without pivoting
 * (equation (3.9) of the enhanced linear algebra paper). Where a sign in D is not that of a
 * positive definite E and a full G, LU.
 */
#include "geometry/direction_impl.h"

/* n_-(D) = constraints, and A is this matrix with its last columns times s */
ritt_status ritti_top_kkt_init(ritti_direction *D, ritti_arena *arena) {
  const ritti_problem *p = D->problem;
  bool minus = false, exact = true;
  RITTI_NEW(D->per_s, arena, p->constraints + 1);
  for (int i = 0; i < p->constraints; i++) {
    int exponent;
    minus = minus != (p->s[i] > 0);
    exact = exact && RITTI_MATH(fabs)(RITTI_MATH(frexp)(p->s[i], &exponent)) == (ritt_real)0.5;
    D->per_s[i] = 1 / p->s[i];
  }
  if (!exact) D->per_s = NULL;
  D->kkt_sign = minus ? -1 : 1;
  return RITT_OK;
}

void ritti_top_kkt_sign(ritti_direction *D) {
  D->sign = D->kkt_sign;
  D->factored = &D->kkt;
}

bool ritti_top_symmetric(ritti_direction *D) {
  const ritti_problem *p = D->problem;
  ritti_problem_form(p, &D->kkt);
  for (int i = 0; i < p->tops; i++) D->top[i] = -D->b[i];
  if (!ritti_linear_factor_solve(&D->kkt, D->A, NULL, D->top)) return false;
  ritt_real *multiplier = D->top + p->positions;
  if (D->per_s)
    for (int i = 0; i < p->constraints; i++) multiplier[i] *= D->per_s[i];
  else
    for (int i = 0; i < p->constraints; i++) multiplier[i] /= p->s[i];
  ritti_top_kkt_sign(D);
  return true;
}

bool ritti_top_kkt(ritti_direction *D) { return ritti_top_symmetric(D) || ritti_top_lu(D); }
