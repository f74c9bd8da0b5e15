/* The second-order predictor (5.3) of the higher order paper: where a projection begins.
 *
 * In: a point p of M, V there, the step h. Out: kappa and normal, for stages a = p + h sum_j w_j
 * V_j with c = sum_j w_j and bend = c^2/2 - sum_j w_j c_j:
 *
 *     q = a - bend normal,  mu = bend kappa,
 *     kappa = (df W^-1 df^T)^-1 d2f(V, V) h^2,  normal = W^-1 df^T kappa.
 *
 * For a = p + hV, bend = 1/2, this is (5.3), O(h^3) from the projection of a instead of O(h^2). The
 * solution itself leaves its tangent by c^2/2 h^2 V', the stage by sum_j w_j c_j h^2 V', and df V'
 * = -d2f(V, V): hence the general bend, which is 0 for stages and ends that are right to second
 * order already. f(p + hV) stands for d2f(V, V) h^2/2, which it equals except for O(h^3).
 */
#include "geometry/manifold_impl.h"

/* false: a function has no value or a matrix is singular; projections begin at a */
static bool find_predictor(ritti_manifold *M, const ritt_real *p, const ritt_real *V, ritt_real h) {
  const ritti_problem *P = M->problem;
  ritt_real *kappa = M->predictor.mu, *z = M->predictor.dz;
  for (int j = 0; j < P->m; j++) z[j] = p[j] + h * V[j];
  if (P->call.f(P->data, M->work, z, kappa) != RITT_OK) return false;
  if (P->call.f_df(P->data, M->work, p, M->f, M->df) != RITT_OK) return false;
  for (int i = 0; i < P->k; i++) kappa[i] *= 2;
  M->counts.factorisations++;
  M->cache.factored &= ~(unsigned)RITTI_ROWS_WHOLE;
  if (!ritti_linear_factor(&M->whole, M->df, M->inverse_weights)) return false;
  M->cache.factored |= RITTI_ROWS_WHOLE;
  ritti_linear_solve(&M->whole, kappa);
  ritti_csr_times_transposed(&P->df, M->df, kappa, M->predictor.dz);
  for (int j = 0; j < P->m; j++) M->predictor.dz[j] *= M->inverse_weights[j];
  return true;
}

void ritti_manifold_predict(ritti_manifold *M, const ritt_real *p, const ritt_real *V,
                            ritt_real h) {
  if (M->problem->k == 0 || find_predictor(M, p, V, h)) return;
  for (int i = 0; i < M->problem->k; i++) M->predictor.mu[i] = 0;
  for (int j = 0; j < M->problem->m; j++) M->predictor.dz[j] = 0;
}
