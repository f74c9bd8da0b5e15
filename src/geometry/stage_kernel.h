/* The stage kernel: simplified Newton iterations for the stages of an implicit step, with a dense
 * matrix (gamma/h) I - dV for each real eigenvalue of A^-1 and a complex one for each pair.
 *
 * In: a point z, V there, the stages less z where the iteration begins, factors. Out: the stages less
 * z, V at the stages, the error estimate. Signs as in step/implicit.c, which explains the method.
 *
 * The parts are functions with sizes as constant arguments. The library compiles them with variable
 * sizes, for all kinds of systems. Native code (ritti_find_stages) compiles them with the sizes and
 * the functions of one problem as constants, for runs over x whose highest derivatives are given by
 * formulas. Both give the same bits. If anything unusual happens native code gives the step back, and
 * the library takes it.
 */
#ifndef RITTI_STAGE_KERNEL_H
#define RITTI_STAGE_KERNEL_H

#include "geometry/problem.h"
#include "geometry/step_kernel.h"
#include "linalg/column_lu.h"

/* derivatives are kept where the iteration contracts so well */
#define RITTI_STAGE_KEEP ((ritt_real)1e-3)

/* ---- the contraction ---- */

/* What an iteration has shown so far. */
typedef struct ritti_stage_progress {
  int done;
  ritt_real change, before, rate; /* the last two changes, and the rate before */
} ritti_stage_progress;

/* What the first change is multiplied with, by that of the last step. */
static RITTI_INLINE ritt_real ritti_stage_first_eta(ritt_real eta) {
  ritt_real root = RITTI_MATH(sqrt)(eta > RITTI_EPS ? eta : RITTI_EPS);
  return root * RITTI_MATH(sqrt)(root);
}

/* The size of the next change; false: it has none. */
static RITTI_INLINE bool ritti_stage_next_change(ritti_stage_progress *now, ritt_real change) {
  now->done++;
  now->before = now->change;
  now->change = change;
  return change < INFINITY;
}

/* From the second change on: takes the rate; false: this does not converge. */
static RITTI_INLINE bool ritti_stage_rate(ritti_stage_progress *now, ritt_real *theta,
                                          ritt_real *eta) {
  ritt_real rate = now->change / now->before;
  *theta = now->done == 2 ? rate : RITTI_MATH(sqrt)(rate * now->rate);
  now->rate = rate;
  if (!(*theta < (ritt_real)0.99)) return false;
  *eta = *theta / (1 - *theta);
  return true;
}

/* What is left after all iterations that are allowed, over `stop`; left_over: what later iterations
 * will add by the rates of single coordinates. */
static RITTI_INLINE ritt_real ritti_stage_expectation(const ritti_stage_progress *now,
                                                      int iterations, ritt_real stop,
                                                      ritt_real left_over, ritt_real theta,
                                                      ritt_real *eta) {
  if (left_over > *eta * now->change) *eta = left_over / now->change;
  ritt_real expected = *eta * now->change / stop;
  for (int i = 1; i < iterations - now->done; i++) expected *= theta;
  return expected;
}

/* ---- sums over the stages ---- */

/* out_i = sum_j M_ij in_j for vectors with entries first .. m-1; rows of `in` are `apart` reals
 * apart, those of `out` m. */
static RITTI_INLINE void ritti_multiply_stages(const int s, const ritt_real *M, const int first,
                                               const int m, const ritt_real *in, const int apart,
                                               ritt_real *out) {
  for (int l = first; l < m; l++) {
    ritt_real v[RITTI_MOST_STAGES];
    RITTI_UNROLLED
    for (int j = 0; j < s; j++) v[j] = in[j * apart + l];
    RITTI_UNROLLED
    for (int i = 0; i < s; i++) {
      ritt_real sum = 0;
      RITTI_UNROLLED
      for (int j = 0; j < s; j++) sum += M[i * s + j] * v[j];
      out[i * m + l] = sum;
    }
  }
}

/* The right sides of an iteration: T^-1 (V + from_start V_0) - (Lambda/h) W; rows n reals apart.
 * gamma: the eigenvalues over h; from_start NULL: 0. */
static RITTI_INLINE void ritti_fill_stages(const int s, const int reals, const ritt_real *T_inverse,
                                           const ritt_real *gamma, const ritt_real *from_start,
                                           const int first, const int m, ritt_real *const *V,
                                           const ritt_real *W, const int n, ritt_real *right) {
  for (int l = first; l < m; l++) {
    ritt_real v[RITTI_MOST_STAGES];
    RITTI_UNROLLED
    for (int j = 0; j < s; j++) v[j] = V[1 + j][l];
    if (from_start)
      for (int j = 0; j < s; j++) v[j] += from_start[j] * V[0][l];
    RITTI_UNROLLED
    for (int i = 0; i < s; i++) {
      ritt_real sum = 0;
      RITTI_UNROLLED
      for (int j = 0; j < s; j++) sum += T_inverse[i * s + j] * v[j];
      right[i * n + l] = sum;
    }
    for (int i = 0; i < reals; i++) right[i * n + l] -= gamma[i] * W[i * m + l];
    for (int i = reals; i + 1 < s; i += 2) {
      ritt_real x = W[i * m + l], y = W[(i + 1) * m + l];
      right[i * n + l] -= gamma[i] * x + gamma[i + 1] * y;
      right[(i + 1) * n + l] -= gamma[i] * y - gamma[i + 1] * x;
    }
  }
}

/* dZ = T of the solutions of the linear systems. Returns their size in units of the tolerance; *left
 * is the size of what later iterations will add, if each coordinate goes on to contract by itself as
 * it did between the last two, whose squares `moved` has. The rate of all coordinates together hides
 * a slow one: the first change of a linear part is large, and it has no second one. */
static RITTI_INLINE ritt_real ritti_spread_changes(const int s, const ritt_real *T, const int first,
                                                   const int m, const ritt_real *in, const int n,
                                                   const ritt_real *per_scale, ritt_real *dZ,
                                                   ritt_real *moved, ritt_real *left) {
  ritti_multiply_stages(s, T, first, m, in, n, dZ);
  ritt_real sum = 0, rest = 0;
  for (int i = first; i < m; i++) {
    ritt_real square = 0;
    for (int j = 0; j < s; j++) {
      ritt_real r = dZ[j * m + i] * per_scale[i];
      square += r * r;
    }
    sum += square;
    ritt_real before = moved[i], gain = square;
    if (4 * square < before) {
      ritt_real rate = RITTI_MATH(sqrt)(square / before), factor = rate / (1 - rate);
      gain *= factor * factor;
    }
    rest += gain;
    moved[i] = square;
  }
  ritt_real count = (ritt_real)(s * (m - first));
  *left = m > first ? RITTI_MATH(sqrt)(rest / count) : 0;
  return m > first ? RITTI_MATH(sqrt)(sum / count) : 0;
}

/* V_i = (1/h) sum_j (A^-1)_ij Z_j - from_start_i V_0, once the stages are found; from_start NULL: 0 */
static RITTI_INLINE void ritti_derive_stages(const int s, const ritt_real *inverse,
                                             const ritt_real *from_start, const int m, ritt_real h,
                                             const ritt_real *Z, ritt_real *const *V) {
  const ritt_real per_h = 1 / h;
  for (int i = 0; i < s; i++) {
    ritt_real *out = V[1 + i];
    for (int l = 0; l < m; l++) {
      ritt_real sum = 0;
      RITTI_UNROLLED
      for (int j = 0; j < s; j++) sum += inverse[i * s + j] * Z[j * m + l];
      out[l] = sum * per_h;
    }
    if (from_start)
      for (int l = 0; l < m; l++) out[l] -= from_start[i] * V[0][l];
  }
}

/* V - sum l_i(0) V_i */
static RITTI_INLINE void ritti_stage_defect(const int s, const ritt_real *at0, const int m,
                                            const ritt_real *at, ritt_real *const *V,
                                            ritt_real *out) {
  for (int l = 0; l < m; l++) out[l] = at[l];
  for (int j = 0; j < s; j++)
    for (int l = 0; l < m; l++) out[l] -= at0[j] * V[1 + j][l];
}

/* The polynomial of the step before goes on: Z_i = sum_j old_h V_j (P_j(1 + c_i h/old_h) - P_j(1)),
 * P_j = sum_q power[j nodes + q] u^(q+1), end_j = P_j(1). */
static RITTI_INLINE void ritti_predict_stages(const int s, const int nodes, const ritt_real *c,
                                              const ritt_real *power, const ritt_real *end,
                                              ritt_real h, ritt_real old_h, ritt_real *const *old,
                                              const int m, ritt_real *Z) {
  ritt_real weight[RITTI_MOST_STAGES][RITTI_MOST_STAGES + 2];
  for (int i = 0; i < s; i++) {
    const ritt_real u = 1 + c[i] * h / old_h;
    for (int j = 0; j < nodes; j++) {
      ritt_real sum = 0;
      RITTI_UNROLLED
      for (int q = nodes - 1; q >= 0; q--) sum = (sum + power[j * nodes + q]) * u;
      weight[i][j] = old_h * (sum - end[j]);
    }
  }
  for (int l = 0; l < m; l++) {
    ritt_real v[RITTI_MOST_STAGES + 2];
    for (int j = 0; j < nodes; j++) v[j] = old[j][l];
    for (int i = 0; i < s; i++) {
      ritt_real sum = 0;
      RITTI_UNROLLED
      for (int j = 0; j < nodes; j++) sum += weight[i][j] * v[j];
      Z[i * m + l] = sum;
    }
  }
}

/* ---- matrices ---- */

/* The matrix with gamma on its diagonal, in the first `shifted` columns, factored. */
static RITTI_INLINE bool ritti_factor_shifted(const int n, const int shifted,
                                              const ritt_real *matrix, ritt_real gamma,
                                              ritt_real *a, int *pivot) {
  for (int i = 0; i < n * n; i++) a[i] = matrix[i];
  for (int i = 0; i < shifted; i++) a[i * n + i] += gamma;
  return ritti_factor_columns(n, a, pivot);
}

/* The same with alpha - i beta: the pair (alpha beta; -beta alpha) of (x, y) is that times x + i y. */
static RITTI_INLINE bool ritti_factor_shifted_pair(const int n, const int shifted,
                                                   const ritt_real *matrix, ritt_real alpha,
                                                   ritt_real beta, ritt_real *re, ritt_real *im,
                                                   int *pivot) {
  for (int i = 0; i < n * n; i++) re[i] = matrix[i], im[i] = 0;
  for (int i = 0; i < shifted; i++) re[i * n + i] += alpha, im[i * n + i] = -beta;
  return ritti_factor_pair(n, re, im, pivot);
}

/* ---- stages in native code ---- */

/* What native code is to do: factor the matrices; find the stages of an implicit step, or those of a
 * Rosenbrock method. */
typedef enum ritti_stage_task {
  RITTI_STAGE_FACTOR,
  RITTI_STAGE_FIND,
  RITTI_STAGE_LINEAR
} ritti_stage_task;

/* A step of an implicit method, all in the arrays of its stepper. */
struct ritti_stage_job {
  ritti_stage_task task;
  int s, reals; /* stages; real eigenvalues, which stand before the pairs */
  const ritt_real *T, *T_inverse, *inverse, *gamma, *at0; /* as in ritti_collocation */
  const ritt_real *c, *power, *end;                       /* and the integrals of its nodes */
  ritt_real h, stop;
  int iterations;       /* in: the most; out: those that were needed */
  ritt_real eta, theta; /* in: eta of the last step; out: of this one */
  const ritt_real *z, *per_scale;
  ritt_real *const *V;   /* 1 + s: in: V_0; out: V at the stages, or the U of a Rosenbrock method */
  ritt_real *const *old; /* s: V at the stages of the step before; NULL: Z is predicted already */
  ritt_real old_h;       /* of that step */
  ritt_real *Z, *err;    /* s x m: the stages less z; the estimate */
  const ritt_real *matrix; /* -dV by columns, without x */
  ritt_real *factors; /* reals first, from first_pair on those of pairs, as stage_system.c has */
  int *pivots;
  int first_pair;
  ritt_real *work;
  /* a Rosenbrock method, as in ritti_tableau; dV/dx */
  const ritt_real *a, *g, *g_sum, *slope_x;
};

/* Solves the linear systems of all stages in place. */
static RITTI_INLINE void ritti_solve_stages(const int s, const int m, const ritti_stage_job *J,
                                            ritt_real *right) {
  const int n = m - 1, reals = s % 2;
  for (int i = 0; i < reals; i++)
    ritti_solve_columns(n, J->factors + i * n * n, J->pivots + i * n, right + i * m + 1);
  for (int i = reals, block = J->first_pair; i + 1 < s; i += 2, block += 2)
    ritti_solve_pair(n, J->factors + block * n * n, J->factors + (block + 1) * n * n,
                     J->pivots + block * n, right + i * m + 1, right + (i + 1) * m + 1);
}

static RITTI_INLINE bool ritti_factor_stages(const int s, const int m, const ritti_stage_job *J) {
  const int n = m - 1, reals = s % 2;
  if (J->reals != reals || reals == 0) return false;
  for (int i = 0; i < reals; i++)
    if (!ritti_factor_shifted(n, n, J->matrix, J->gamma[i] / J->h, J->factors + i * n * n,
                              J->pivots + i * n))
      return false;
  for (int i = reals, block = J->first_pair; i + 1 < s; i += 2, block += 2)
    if (!ritti_factor_shifted_pair(n, n, J->matrix, J->gamma[i] / J->h, J->gamma[i + 1] / J->h,
                                   J->factors + block * n * n, J->factors + (block + 1) * n * n,
                                   J->pivots + block * n))
      return false;
  return true;
}

/* The U of a Rosenbrock method. */
static RITTI_INLINE bool ritti_find_linear_stages(const ritti_step_problem *P, const int m,
                                                  const int s, ritti_stage_job *J, ritt_real *a,
                                                  ritt_real *slope, ritt_real *top) {
  ritti_kernel_step S = {.work = J->work, .top = top};
  ritt_real weight[RITTI_MOST_STAGES];
  RITTI_UNROLLED
  for (int i = 0; i < s; i++) {
    const int row = i * (i - 1) / 2;
    const ritt_real dx = J->h * J->g_sum[i], *V = J->V[0];
    ritt_real *U = J->V[1 + i];
    if (i > 0) {
      ritti_combine_stages(0, m, J->z, 1, J->a + row, J->V + 1, i, a);
      a[0] = J->z[0] + J->c[i] * J->h;
      if (!ritti_find_direction(&S, P, false, a, slope)) return false;
      V = slope;
    }
    for (int j = 0; j < i; j++) weight[j] = J->g[row + j] / J->h;
    ritti_combine_stages(0, m, V, 1, weight, J->V + 1, i, U);
    for (int l = 1; l < m; l++) U[l] += J->slope_x[l] * dx;
    ritti_solve_columns(m - 1, J->factors, J->pivots, U + 1);
    U[0] = dx;
    if (!ritti_are_finite((size_t)m, U)) return false;
  }
  return true;
}

/* Room: the vectors of all stages, s x m each, and four of m. */
typedef struct ritti_stage_room {
  ritt_real *Z, *W, *dZ, *right, *stage_V, *a, *moved, *per_scale, *top;
} ritti_stage_room;

/* false: the library must find the stages. */
static RITTI_INLINE bool ritti_find_stages(const ritti_step_problem *P, const int m, const int s,
                                           ritti_stage_job *J, const ritti_stage_room *R) {
  ritt_real gamma[RITTI_MOST_STAGES], *V[RITTI_MOST_STAGES + 1], left;
  ritt_real eta = ritti_stage_first_eta(J->eta), theta = RITTI_STAGE_KEEP;
  ritti_stage_progress now = {0};
  ritti_kernel_step S = {.work = J->work, .top = R->top};
  bool found = false;
  for (int i = 0; i < s; i++) gamma[i] = J->gamma[i] / J->h, V[1 + i] = R->stage_V + i * m;
  V[0] = J->V[0];
  if (J->old) {
    ritti_predict_stages(s, s, J->c, J->power, J->end, J->h, J->old_h, J->old, m, R->Z);
    for (int i = 0; i < s; i++) R->Z[i * m] = J->c[i] * J->h;
  } else
    for (int i = 0; i < s * m; i++) R->Z[i] = J->Z[i];
  for (int i = 0; i < m; i++) R->moved[i] = 0, R->per_scale[i] = J->per_scale[i];
  ritti_multiply_stages(s, J->T_inverse, 1, m, R->Z, m, R->W);

  while (!found) {
    if (now.done == J->iterations || J->reals != s % 2) return false;
    for (int i = 0; i < s; i++) {
      for (int l = 0; l < m; l++) R->a[l] = J->z[l] + R->Z[i * m + l];
      if (!ritti_find_direction(&S, P, false, R->a, V[1 + i])) return false;
    }
    ritti_fill_stages(s, s % 2, J->T_inverse, gamma, NULL, 1, m, V, R->W, m, R->right);
    ritti_solve_stages(s, m, J, R->right);
    if (!ritti_stage_next_change(&now, ritti_spread_changes(s, J->T, 1, m, R->right, m,
                                                            R->per_scale, R->dZ, R->moved, &left)))
      return false;
    if (now.done > 1 &&
        (!ritti_stage_rate(&now, &theta, &eta) ||
         ritti_stage_expectation(&now, J->iterations, J->stop, left, theta, &eta) >= 1))
      return false;
    for (int i = 0; i < s; i++)
      for (int l = 1; l < m; l++)
        R->Z[i * m + l] += R->dZ[i * m + l], R->W[i * m + l] += R->right[i * m + l];
    found = eta * now.change <= J->stop;
  }

  for (int i = 0; i < s * m; i++) J->Z[i] = R->Z[i];
  ritti_derive_stages(s, J->inverse, NULL, m, J->h, R->Z, V);
  for (int i = 1; i <= s; i++) {
    V[i][0] = 1;
    ritti_copy_reals(m, V[i], J->V[i]);
  }
  ritti_stage_defect(s, J->at0, m, V[0], V, R->a);
  ritti_solve_columns(m - 1, J->factors, J->pivots, R->a + 1);
  R->a[0] = 0;
  ritti_copy_reals(m, R->a, J->err);
  J->iterations = now.done, J->eta = eta, J->theta = theta;
  return true;
}

#endif
