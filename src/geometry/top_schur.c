/* The tops of mechanics by the Schur complement (Algorithm 4.3 of the enhanced linear algebra
 * paper, for the system (3.9)): E u = -b_1, (G E^-1 G^T) mu = G u + b_2, y_2 = u - E^-1 G^T mu,
 * lambda = mu / s. Both by Cholesky; where one of them is not positive definite LU takes over. */
#include "geometry/direction_impl.h"

typedef struct own {
  ritt_real *E, *G, *X, *S, *mu; /* E^-1 G^T by rows in X */
} own;

ritt_status ritti_top_schur_init(ritti_direction *D, ritti_arena *arena) {
  size_t ne = (size_t)D->problem->positions, nc = (size_t)D->problem->constraints;
  own *O;
  RITTI_NEW(O, arena, 1);
  RITTI_NEW(O->E, arena, ne * ne + 1);
  RITTI_NEW_ARRAYS(arena, nc * ne + 1, O->G, O->X);
  RITTI_NEW(O->S, arena, nc * nc + 1);
  RITTI_NEW(O->mu, arena, nc + 1);
  D->own = O;
  return RITT_OK;
}

static void take_blocks(const ritti_direction *D, own *O) {
  int n = D->problem->tops, ne = D->problem->positions, nc = D->problem->constraints;
  ritti_csr_to_dense(&D->problem->A, D->A, D->dense);
  for (int i = 0; i < ne; i++) memcpy(O->E + i * ne, D->dense + i * n, (size_t)ne * sizeof *O->E);
  for (int i = 0; i < nc; i++)
    memcpy(O->G + i * ne, D->dense + (ne + i) * n, (size_t)ne * sizeof *O->G);
  memcpy(O->X, O->G, (size_t)nc * (size_t)ne * sizeof *O->X);
}

static bool solve_tops(ritti_direction *D, own *O) {
  const ritti_problem *p = D->problem;
  int ne = p->positions, nc = p->constraints;
  ritt_real *u = D->top;
  take_blocks(D, O);
  if (!ritti_cholesky_factor(ne, O->E)) return false;
  for (int i = 0; i < ne; i++) u[i] = -D->b[i];
  ritti_cholesky_solve(ne, O->E, u);
  for (int i = 0; i < nc; i++) ritti_cholesky_solve(ne, O->E, O->X + i * ne);
  for (int i = 0; i < nc; i++) {
    for (int j = 0; j <= i; j++) O->S[i * nc + j] = ritti_dot(ne, O->G + i * ne, O->X + j * ne);
    O->mu[i] = ritti_dot(ne, O->G + i * ne, u) + D->b[ne + i];
  }
  if (!ritti_cholesky_factor(nc, O->S)) return false;
  ritti_cholesky_solve(nc, O->S, O->mu);
  for (int l = 0; l < nc; l++) {
    for (int i = 0; i < ne; i++) u[i] -= O->X[l * ne + i] * O->mu[l];
    D->top[ne + l] = O->mu[l] / p->s[l];
  }
  return true;
}

bool ritti_top_schur(ritti_direction *D) {
  if (solve_tops(D, D->own)) return true;
  D->fallbacks++;
  return ritti_top_lu(D);
}
