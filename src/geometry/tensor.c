/* The second fundamental tensor of M, section 3 of the higher order paper, in the metric sum w_i
 * dz_i^2 of the projection.
 *
 * In: a point of M, V there. Out, with B = df W^-1 df^T and lambda = B^-1 d2f(V, V):
 *
 *     S(V, V) = -W^-1 df^T lambda                                       Lemma 3.3
 *     pi_t v  = v - W^-1 df^T B^-1 df v
 *     X       = pi_t((dV)^t S(V, V)) = pi_t(W^-1 (sum lambda_i d2f_i) V)
 *
 * The last is Lemma 3.6: <X, y> = <S(V, V), S(V, y)> = lambda . d2f(V, y) for every tangent y. W^-1
 * may have zeros (x in runs over x): nothing but B needs to be regular. d2f(V, V) is twice the
 * second coefficient of the rows of f along the straight line z + s V.
 */
#include "geometry/tensor.h"
#include "geometry/manifold_impl.h"

ritt_status ritti_tensor_init(ritti_tensor *T, ritti_manifold *M, ritti_arena *arena) {
  const ritti_problem *p = M->problem;
  *T = (ritti_tensor){.manifold = M};
  if (!p->call.series) return RITT_WRONG_CALL;
  RITT_TRY(p->call.series(p->data, RITTI_SERIES_ROWS, arena, &T->rows));
  RITTI_NEW(T->value, arena, 3 * T->rows.slots);
  RITTI_NEW_ARRAYS(arena, p->k + 1, T->lambda, T->kappa);
  if (p->call.d2f_mu) RITTI_NEW(T->h, arena, ritti_entries(&p->d2f) + 1);
  return RITT_OK;
}

/* lambda = d2f(V, V); false: no value */
static bool second_derivative(ritti_tensor *T, const ritt_real *z, const ritt_real *V) {
  const ritti_problem *p = T->manifold->problem;
  bool finite = true;
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < p->m; i++) T->value[3 * i + k] = k == 0 ? z[i] : k == 1 ? V[i] : 0;
    ritti_series_run(&T->rows, T->manifold->work, 3, k, T->value);
  }
  for (int i = 0; i < p->k; i++) {
    T->lambda[i] = 2 * T->value[3 * (size_t)T->rows.result[i] + 2];
    finite &= RITTI_MATH(fabs)(T->lambda[i]) < INFINITY;
  }
  return finite;
}

ritt_status ritti_tensor_at(ritti_tensor *T, const ritt_real *z, const ritt_real *V) {
  ritti_manifold *M = T->manifold;
  const ritti_problem *p = M->problem;
  if (p->k == 0) return RITT_OK;
  ritt_status status = p->call.f_df(p->data, M->work, z, M->f, M->df);
  if (status != RITT_OK) return ritti_projection_no_value(M, status, z);
  if (!second_derivative(T, z, V)) return ritti_projection_fail(M, RITTI_NO_VALUE, z);
  M->counts.factorisations++;
  M->cache.factored &= ~(unsigned)RITTI_ROWS_WHOLE;
  if (!ritti_linear_factor(&M->whole, M->df, M->inverse_weights))
    return ritti_projection_fail(M, RITTI_DEPENDENT_ROWS, z);
  M->cache.factored |= RITTI_ROWS_WHOLE;
  ritti_linear_solve(&M->whole, T->lambda);
  return RITT_OK;
}

/* v -= W^-1 df^T mu */
static void subtract_normal(const ritti_manifold *M, const ritt_real *mu, ritt_real *v) {
  ritti_csr_times_transposed(&M->problem->df, M->df, mu, M->scratch);
  for (int j = 0; j < M->problem->m; j++) v[j] -= M->inverse_weights[j] * M->scratch[j];
}

void ritti_tensor_tangential(const ritti_tensor *T, ritt_real *v) {
  ritti_manifold *M = T->manifold;
  if (M->problem->k == 0) return;
  ritti_csr_times(&M->problem->df, M->df, v, T->kappa);
  ritti_linear_solve(&M->whole, T->kappa);
  subtract_normal(M, T->kappa, v);
}

void ritti_tensor_normal(const ritti_tensor *T, ritt_real *S) {
  for (int j = 0; j < T->manifold->problem->m; j++) S[j] = 0;
  if (T->manifold->problem->k) subtract_normal(T->manifold, T->lambda, S);
}

ritt_status ritti_tensor_correction(const ritti_tensor *T, const ritt_real *z, const ritt_real *V,
                                    ritt_real *X) {
  ritti_manifold *M = T->manifold;
  const ritti_problem *p = M->problem;
  for (int j = 0; j < p->m; j++) X[j] = 0;
  if (p->k == 0) return RITT_OK;
  if (!T->h) return RITT_WRONG_CALL;
  M->counts.second++;
  ritt_status status = p->call.d2f_mu(p->data, M->work, z, T->lambda, T->h);
  if (status != RITT_OK) return ritti_projection_no_value(M, status, z);
  /* the lower triangle of a symmetric matrix */
  for (int i = 0; i < p->m; i++)
    for (int e = p->d2f.start[i]; e < p->d2f.start[i + 1]; e++) {
      int j = p->d2f.col[e];
      X[i] += T->h[e] * V[j];
      if (j != i) X[j] += T->h[e] * V[i];
    }
  for (int j = 0; j < p->m; j++) X[j] *= M->inverse_weights[j];
  ritti_tensor_tangential(T, X);
  return RITT_OK;
}
