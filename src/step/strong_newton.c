/* Newton's method for the stages as they are, M(Y_i) W_i = f(Y_i, Y'_i) - grad U(Y_i) / eps^2
 * (5.1c), with the matrix
 *
 *     I x M(y) + (h/eps)^2 ( (A^2)_ik H(P_i) ),
 *
 * P_i = y (8.1), y + c_i h y' (8.2), or the stages of the constrained system (8.3). For comparison:
 * steps longer than c eps^(2/3), c eps^(1/2) make the first two diverge (Lemma 8.1), and all three
 * are the worse conditioned the smaller eps/h is. The matrix is dense, of all stages.
 */
#include "step/strong_impl.h"

ritt_status ritti_strong_plain_init(ritti_strong_plain *P, const ritti_strong_stages *T,
                                    ritti_arena *arena) {
  size_t size = (size_t)T->s * (size_t)T->n;
  RITTI_NEW(P->J, arena, size * size);
  RITTI_NEW(P->pivot, arena, size);
  return RITT_OK;
}

ritt_status ritti_strong_plain_matrix(ritti_strong_plain *P, ritti_strong_stages *T,
                                      ritti_stepper *step, ritti_strong_newton newton) {
  const ritti_pattern *H = &T->strong->H, *M = &T->strong->M;
  int n = T->n, s = T->s, size = s * n;
  ritt_real ratio = T->h / T->eps * (T->h / T->eps);
  memset(P->J, 0, (size_t)size * (size_t)size * sizeof *P->J);
  for (int i = 0; i < s; i++) {
    /* T->at := P_i */
    const ritti_strong *strong = T->strong;
    ritti_strong_point *p = &T->at;
    if (newton == RITTI_NEWTON_J2) ritti_strong_put(T, step, i, p);
    else memcpy(p->z, step->z, (size_t)T->problem->m * sizeof *p->z);
    if (newton == RITTI_NEWTON_J1) {
      p->z[0] += T->C->c[i] * T->h;
      for (int l = 0; l < T->n; l++)
        p->z[strong->position[l]] += T->C->c[i] * T->h * p->z[strong->velocity[l]];
    }
    RITT_TRY(ritti_strong_visit(T, step, p));

    for (int l = 0; l < n; l++) {
      ritt_real *row = P->J + (size_t)(i * n + l) * (size_t)size;
      for (int e = H->start[l]; e < H->start[l + 1]; e++)
        for (int k = 0; k < s; k++)
          row[k * n + H->col[e]] += ratio * T->square[i * s + k] * T->at.H[e];
      for (int e = M->start[l]; e < M->start[l + 1]; e++) row[i * n + M->col[e]] += T->start.M[e];
    }
  }
  return RITT_OK;
}

ritt_status ritti_strong_plain_factor(ritti_strong_plain *P, ritti_strong_stages *T,
                                      ritti_stepper *step, bool *regular) {
  RITT_TRY(ritti_strong_plain_matrix(P, T, step, step->newton));
  step->counts.factorisations++;
  *regular = ritti_lu_factor(T->s * T->n, P->J, P->pivot, NULL);
  return RITT_OK;
}

ritt_status ritti_strong_plain_change(ritti_strong_plain *P, ritti_strong_stages *T,
                                      ritti_stepper *step) {
  int n = T->n;
  for (int i = 0; i < T->s; i++) {
    ritt_real *rho = T->dW + i * n;
    ritti_strong_put(T, step, i, &T->at);
    RITT_TRY(ritti_strong_visit(T, step, &T->at));
    ritti_csr_times(&T->strong->M, T->at.M, T->W + i * n, rho);
    for (int l = 0; l < n; l++) rho[l] = T->at.f[l] - rho[l] - T->at.g[l] / (T->eps * T->eps);
  }
  ritti_lu_solve(T->s * n, P->J, P->pivot, T->dW);
  return RITT_OK;
}

ritt_status ritti_strong_plain_multipliers(ritti_strong_stages *T, ritti_stepper *step) {
  for (int i = 0; i < T->s; i++) {
    ritti_strong_put(T, step, i, &T->at);
    RITT_TRY(ritti_strong_visit(T, step, &T->at));
    if (!ritti_strong_multiplier(T, &T->at, T->L + i * T->m)) return RITT_RETRY;
    ritti_strong_force(T, &T->at, T->L + i * T->m, T->y);
    for (int l = 0; l < T->n; l++) T->r[i * T->n + l] = T->y[l] - T->at.g[l] / (T->eps * T->eps);
  }
  return RITT_OK;
}
