/* The functions of a ritti_problem, built from the caller's functions. Explicit, graph and general
 * problems are passed through. The holonomic kind is assembled here: with G = dg, w = (1, y') and
 * G' = the derivative of G along w (d2g), the rows of the manifold are g, G w and f. The derivative
 * of G w is (G' | G) because second derivatives are symmetric, and the system is [mass G^T; G 0]
 * (y'', lambda) = (force, -G' w). Functions that the caller did not supply are replaced by
 * differences. */
#include "functions/functions_impl.h"

ritt_status ritti_user_call(const ritti_functions *F, ritt_function function, const ritt_real *z,
                            int count, ritt_real *out) {
  RITT_TRY(function(F->of.user_data, z, out));
  for (int i = 0; i < count; i++)
    if (!(RITTI_MATH(fabs)(out[i]) < INFINITY)) return RITT_RETRY;
  return RITT_OK;
}

ritt_status ritti_user_f(const ritti_functions *F, ritt_real *work, const ritt_real *z,
                         ritt_real *f) {
  (void)work;
  return F->of.rows ? ritti_user_call(F, F->of.f, z, F->of.rows, f) : RITT_OK;
}

/* The derivative of f, by the caller's function or by differences. */
static ritt_status user_df(const ritti_functions *F, ritt_real *work, const ritt_real *z,
                           ritt_real *df) {
  if (F->of.rows == 0) return RITT_OK;
  if (F->of.df) return ritti_user_call(F, F->of.df, z, F->df.entries, df);
  return ritti_difference_matrix(F, work, 1, ritti_user_f, &F->df, z, df);
}

/* ---- holonomic ---- */

ritt_status ritti_user_g(const ritti_functions *F, ritt_real *work, const ritt_real *z,
                         ritt_real *g) {
  (void)work;
  return F->l ? ritti_user_call(F, F->of.g, z, F->l, g) : RITT_OK;
}

ritt_status ritti_user_dg(const ritti_functions *F, ritt_real *work, const ritt_real *z,
                          ritt_real *dg) {
  if (F->l == 0) return RITT_OK;
  if (F->of.dg) return ritti_user_call(F, F->of.dg, z, F->dg.entries, dg);
  return ritti_difference_matrix(F, work, 2, ritti_user_g, &F->dg, z, dg);
}

/* Writes the motion w = (1, y', 0) into the direction of a level. */
static ritt_real *fill_motion(const ritti_functions *F, ritt_real *work, int level,
                              const ritt_real *z) {
  ritt_real *w = work + F->at_level[level];
  w[0] = 1;
  for (int i = 1; i < F->m; i++) w[i] = i <= F->n ? z[F->n + i] : 0;
  return w;
}

/* Computes the derivative of dg along the motion. */
static ritt_status evaluate_d2g(const ritti_functions *F, ritt_real *work, const ritt_real *z,
                                ritt_real *out) {
  if (F->l == 0) return RITT_OK;
  if (F->of.d2g) return ritti_user_call(F, F->of.d2g, z, F->dg.entries, out);
  const ritt_real *w = fill_motion(F, work, 1, z);
  return ritti_difference(F, work, 1, ritti_user_dg, z, w, 1, ritti_difference_step(F, z, w),
                          F->dg.entries, out);
}

/* out = matrix * (1, y') */
static void times_motion(const ritti_functions *F, const ritt_real *matrix, const ritt_real *z,
                         ritt_real *out) {
  const ritti_pattern *p = &F->dg.pattern;
  for (int i = 0; i < F->l; i++) {
    out[i] = 0;
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
      out[i] += p->col[e] ? matrix[e] * z[F->n + p->col[e]] : matrix[e];
  }
}

/* Computes the first (order 1) or second derivative of g along the motion. If dg was supplied, its
 * value must be in the work. */
static ritt_status along_motion(const ritti_functions *F, ritt_real *work, const ritt_real *z,
                                int order, ritt_real *out) {
  if (order == 1 && F->of.dg) {
    times_motion(F, work + F->at_dg, z, out);
    return RITT_OK;
  }

  /* with the derivatives of g */
  if (order == 2 && (F->of.dg || F->of.d2g)) {
    RITT_TRY(evaluate_d2g(F, work, z, work + F->at_d2g));
    times_motion(F, work + F->at_d2g, z, out);
    return RITT_OK;
  }

  /* by differences of g */
  const ritt_real *w = fill_motion(F, work, 1, z);
  ritt_real h = ritti_difference_step(F, z, w) * (order == 1 ? 1 : 8);
  return ritti_difference(F, work, 1, ritti_user_g, z, w, order, h, F->l, out);
}

/* The rows of the manifold: g, its derivative along the motion, and f. */
static ritt_status holonomic_f(const ritti_functions *F, ritt_real *work, const ritt_real *z,
                               ritt_real *f) {
  RITT_TRY(ritti_user_g(F, work, z, f));
  if (F->of.dg) RITT_TRY(ritti_user_dg(F, work, z, work + F->at_dg));
  RITT_TRY(along_motion(F, work, z, 1, f + F->l));
  return ritti_user_f(F, work, z, f + 2 * F->l);
}

/* Their derivatives. */
static ritt_status holonomic_df(const ritti_functions *F, ritt_real *work, const ritt_real *z,
                                ritt_real *df) {
  const ritti_pattern *p = &F->dg.pattern;
  ritt_real *G = work + F->at_dg, *along = work + F->at_d2g, *at = df;

  /* the matrices G and G' */
  if (!F->of.dg) RITT_TRY(ritti_user_dg(F, work, z, G));
  RITT_TRY(evaluate_d2g(F, work, z, along));

  /* the rows of g, of its derivative, and of f */
  memcpy(at, G, (size_t)F->dg.entries * sizeof *at);
  at += F->dg.entries;
  for (int i = 0; i < F->l; i++) {
    for (int e = p->start[i]; e < p->start[i + 1]; e++) *at++ = along[e];
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
      if (p->col[e]) *at++ = G[e];
  }
  return user_df(F, work, z, at);
}

/* The linear system for y'' and the multipliers. */
static ritt_status holonomic_system(const void *data, ritt_real *work, const ritt_real *z,
                                    ritt_real *A, ritt_real *b) {
  const ritti_functions *F = data;
  ritt_real *G = work + F->at_dg, *mass = work + F->at_mass;

  /* evaluate the parts */
  RITT_TRY(ritti_user_call(F, F->of.mass, z, F->mass.entries, mass));
  RITT_TRY(ritti_user_call(F, F->of.force, z, F->n, b));
  RITT_TRY(ritti_user_dg(F, work, z, G));
  RITT_TRY(along_motion(F, work, z, 2, b + F->n));

  /* put them into A and b */
  for (int i = 0; i < F->n; i++) b[i] = -b[i];
  for (int e = 0; e < F->mass.entries; e++) A[F->A_mass[e]] = mass[e];
  for (int e = 0; e < F->dg.entries; e++)
    if (F->A_dg[e] >= 0) A[F->A_dg[e]] = A[F->A_dg_t[e]] = G[e];
  return RITT_OK;
}

/* ---- all kinds ---- */

/* Computes the rows of the manifold. */
static ritt_status eval_f(const void *data, ritt_real *work, const ritt_real *z, ritt_real *f) {
  const ritti_functions *F = data;
  return F->of.kind == RITT_HOLONOMIC ? holonomic_f(F, work, z, f) : ritti_user_f(F, work, z, f);
}

/* Computes the rows of the manifold and their derivatives. */
static ritt_status eval_f_df(const void *data, ritt_real *work, const ritt_real *z, ritt_real *f,
                             ritt_real *df) {
  const ritti_functions *F = data;
  RITT_TRY(eval_f(data, work, z, f));
  return F->of.kind == RITT_HOLONOMIC ? holonomic_df(F, work, z, df) : user_df(F, work, z, df);
}

/* Computes df^T mu. */
static ritt_status evaluate_gradient(const ritti_functions *F, ritt_real *work, const ritt_real *z,
                                     ritt_real *out) {
  RITT_TRY(eval_f_df(F, work, z, work + F->at_f, work + F->at_df));
  ritti_csr_times_transposed(&F->all_df, work + F->at_df, work + F->at_mu, out);
  return RITT_OK;
}

/* Computes the lower triangle of the second derivative of mu^T f. */
static ritt_status eval_d2f_mu(const void *data, ritt_real *work, const ritt_real *z,
                               const ritt_real *mu, ritt_real *h) {
  const ritti_functions *F = data;
  const ritti_pattern *p = &F->d2f;

  /* by the caller's function */
  if (F->of.d2f && F->of.kind != RITT_HOLONOMIC) {
    RITT_TRY(F->of.d2f(F->of.user_data, z, mu, h));
    for (int e = 0; e < p->start[p->rows]; e++)
      if (!(RITTI_MATH(fabs)(h[e]) < INFINITY)) return RITT_RETRY;
    return RITT_OK;
  }

  /* by differences of df^T mu, column by column */
  ritt_real *d = work + F->at_level[0], *column = d + F->level_room - (size_t)F->m;
  memcpy(work + F->at_mu, mu, (size_t)F->k * sizeof *mu);
  for (int j = 0; j < F->m; j++) {
    for (int i = 0; i < F->m; i++) d[i] = i == j;
    RITT_TRY(ritti_difference(F, work, 0, evaluate_gradient, z, d, 1,
                              ritti_difference_step(F, z, d), F->m, column));
    for (int i = j; i < p->rows; i++)
      for (int e = p->start[i]; e < p->start[i + 1]; e++)
        if (p->col[e] == j) h[e] = column[i];
  }
  return RITT_OK;
}

/* Calls the caller's formula for the tops. */
static ritt_status eval_formula(const void *data, ritt_real *work, const ritt_real *z,
                                ritt_real *top) {
  const ritti_functions *F = data;
  (void)work;
  return ritti_user_call(F, F->of.formula, z, F->tops, top);
}

/* Calls the caller's system and checks that its values are finite. */
static ritt_status graph_system(const void *data, ritt_real *work, const ritt_real *z, ritt_real *A,
                                ritt_real *b) {
  const ritti_functions *F = data;
  (void)work;
  RITT_TRY(F->of.system(F->of.user_data, z, A, b));
  for (int i = 0; i < F->A_entries; i++)
    if (!(RITTI_MATH(fabs)(A[i]) < INFINITY)) return RITT_RETRY;
  for (int i = 0; i < F->tops; i++)
    if (!(RITTI_MATH(fabs)(b[i]) < INFINITY)) return RITT_RETRY;
  return RITT_OK;
}

/* Computes the outputs; without output functions, coordinates and tops. */
static ritt_status eval_output(const void *data, ritt_real *work, const ritt_real *z,
                               const ritt_real *top, ritt_real *out) {
  const ritti_functions *F = data;
  (void)work;
  if (F->of.outputs) return F->of.output(F->of.user_data, z, top, out);
  for (int i = 0; i < F->columns; i++)
    out[i] = F->column[i] >= 0 ? z[F->column[i]] : top[-1 - F->column[i]];
  return RITT_OK;
}

static const char *coordinate_name(const void *data, int i) {
  return ((const ritti_functions *)data)->coordinate_name[i];
}
static const char *row_name(const void *data, int i) {
  return ((const ritti_functions *)data)->row_name[i];
}
static const char *find_culprit(const void *data, ritt_real *work, const ritt_real *z) {
  (void)data, (void)work, (void)z;
  return "one of the functions";
}

void ritti_functions_fill(const ritti_functions *F, ritti_problem *p) {
  p->data = F;
  p->work_size = F->work_size;
  p->call.f = eval_f;
  p->call.f_df = eval_f_df;
  p->call.d2f_mu = eval_d2f_mu;
  if (F->of.kind == RITT_EXPLICIT) p->call.formula = eval_formula;
  if (F->of.kind == RITT_GRAPH) p->call.system = graph_system;
  if (F->of.kind == RITT_HOLONOMIC) p->call.system = holonomic_system;
  p->call.output = eval_output;
  p->name.coordinate = coordinate_name;
  p->name.row = row_name;
  p->name.culprit = find_culprit;
}
