/* The projected Runge-Kutta step for explicit tableaux, with dense output on M.
 *
 * In: a point of M, V there, h. Out: the new point of M and V there. With W = V o Pi the stages are the
 * classical ones of u' = W(u), so the method keeps its classical order (docs/methods.md); stages are
 * projected, or only the end where V extends smoothly off M.
 */
#include "method/step.h"

static int stage_count(const ritti_tableau *t) { return t->stages + 1 + t->extra; }

ritt_status ritti_stepper_init(ritti_stepper *step, const ritti_tableau *tableau, ritti_manifold *manifold,
                               ritti_direction *direction, ritti_arena *arena) {
  int m = manifold->problem->m, tops = manifold->problem->tops;
  *step = (ritti_stepper){.tableau = tableau, .manifold = manifold, .direction = direction, .m = m};
  RITTI_NEW(step->z, arena, m);
  RITTI_NEW(step->z_new, arena, m);
  RITTI_NEW(step->end, arena, m);
  RITTI_NEW(step->a, arena, m);
  RITTI_NEW(step->top, arena, tops + 1);
  RITTI_NEW(step->top_new, arena, tops + 1);
  RITTI_NEW(step->V, arena, stage_count(tableau));
  for (int i = 0; i < stage_count(tableau); i++) RITTI_NEW(step->V[i], arena, m);
  return RITT_OK;
}

static void keep_top(const ritti_stepper *step, ritt_real *top) {
  memcpy(top, step->direction->top, (size_t)step->manifold->problem->tops * sizeof *top);
}

ritt_status ritti_stepper_place(ritti_stepper *step, const ritt_real *z) {
  memcpy(step->z, z, (size_t)step->m * sizeof *z);
  step->direction->reference = NULL;
  RITT_TRY(ritti_direction_at(step->direction, step->z, step->V[0]));
  keep_top(step, step->top);
  return RITT_OK;
}

ritt_status ritti_stepper_move(ritti_stepper *step, const ritt_real *z) {
  ritt_real *before = step->V[step->tableau->stages];
  memcpy(before, step->V[0], (size_t)step->m * sizeof *before);
  memcpy(step->z, z, (size_t)step->m * sizeof *z);
  step->direction->reference = before;
  RITT_TRY(ritti_direction_at(step->direction, step->z, step->V[0]));
  keep_top(step, step->top);
  return RITT_OK;
}

/* out = z + h sum_{j<count} w_j V_j */
static void combine(const ritti_stepper *step, ritt_real h, const ritt_real *w, int count, ritt_real *out) {
  memcpy(out, step->z, (size_t)step->m * sizeof *out);
  for (int j = 0; j < count; j++) {
    if (w[j] == 0) continue;
    const ritt_real c = h * w[j], *V = step->V[j];
    for (int i = 0; i < step->m; i++) out[i] += c * V[i];
  }
}

/* How far p + h sum_{j<count} w_j V_j, c = sum w_j, falls short of the second-order term of the solution: its
 * bend for the predictor. */
static ritt_real bend_of(const ritti_tableau *t, const ritt_real *w, int count, ritt_real c) {
  ritt_real bend = c * c / 2;
  for (int j = 1; j < count; j++)
    bend -= w[j] * (j < t->stages ? t->c[j] : j == t->stages ? 1 : t->extra_c[j - t->stages - 1]);
  return RITTI_MATH(fabs)(bend) < (ritt_real)1e-12 ? 0 : bend;
}

static ritt_status project(ritti_stepper *step, const ritt_real *w, int count, ritt_real c,
                           const ritt_real *a, ritt_real *q) {
  ritti_manifold *M = step->manifold;
  M->bend = M->predict ? bend_of(step->tableau, w, count, c) : 0;
  if (M->bend != 0 && !step->predicted) {
    ritti_manifold_predict(M, step->z, step->V[0], step->h);
    step->predicted = true;
  }
  ritt_status status = ritti_manifold_project(M, a, q);
  M->bend = 0;
  return status;
}

/* V_stage at p + h sum w_j V_j, c = sum w_j */
static ritt_status take_stage(ritti_stepper *step, const ritt_real *w, int count, ritt_real c, int stage) {
  ritt_real *a = step->a;
  combine(step, step->h, w, count, a);
  if (step->keep_x) a[0] = step->z[0] + c * step->h;
  if (step->project_stages) RITT_TRY(project(step, w, count, c, a, a));
  return ritti_direction_at(step->direction, a, step->V[stage]);
}

ritt_status ritti_stepper_take(ritti_stepper *step, ritt_real h, ritt_real x_new) {
  const ritti_tableau *t = step->tableau;
  step->h = h;
  step->dense_ready = false;
  step->direction->reference = step->V[0];
  step->predicted = false;
  step->manifold->held = 0;
  for (int i = 1; i < t->stages; i++) RITT_TRY(take_stage(step, t->a + i * (i - 1) / 2, i, t->c[i], i));
  combine(step, h, t->b, t->stages, step->end);
  if (step->keep_x) step->end[0] = x_new;
  RITT_TRY(project(step, t->b, t->stages, 1, step->end, step->z_new));
  RITT_TRY(ritti_direction_at(step->direction, step->z_new, step->V[t->stages]));
  keep_top(step, step->top_new);
  return RITT_OK;
}

static void swap(ritt_real **a, ritt_real **b) {
  ritt_real *c = *a;
  *a = *b;
  *b = c;
}

void ritti_stepper_accept(ritti_stepper *step) {
  swap(&step->z, &step->z_new);
  swap(&step->top, &step->top_new);
  swap(&step->V[0], &step->V[step->tableau->stages]);
}

void ritti_stepper_error(const ritti_stepper *step, const ritt_real *weights, ritt_real *err) {
  const ritti_tableau *t = step->tableau;
  int count = t->stages + t->fsal;
  for (int i = 0; i < step->m; i++) err[i] = 0;
  for (int j = 0; j < count; j++) {
    if (weights[j] == 0) continue;
    const ritt_real c = step->h * weights[j], *V = step->V[j];
    for (int i = 0; i < step->m; i++) err[i] += c * V[i];
  }
}

static ritt_status make_dense_ready(ritti_stepper *step) {
  const ritti_tableau *t = step->tableau;
  const ritt_real *row = t->extra_a;
  int known = t->stages + 1;
  for (int i = 0; !step->dense_ready && i < t->extra; i++) {
    RITT_TRY(take_stage(step, row, known + i, t->extra_c[i], known + i));
    row += known + i;
  }
  step->dense_ready = true;
  return RITT_OK;
}

/* cubic Hermite through both ends */
static void hermite(const ritti_stepper *step, ritt_real u, ritt_real *z) {
  const ritt_real *V0 = step->V[0], *V1 = step->V[step->tableau->stages], h = step->h;
  ritt_real b0 = (1 + 2 * u) * (1 - u) * (1 - u), d0 = u * (1 - u) * (1 - u) * h, d1 = u * u * (u - 1) * h;
  for (int i = 0; i < step->m; i++)
    z[i] = b0 * step->z[i] + (1 - b0) * step->z_new[i] + d0 * V0[i] + d1 * V1[i];
}

/* the polynomial of the method; the stage at the new point counts only where the method shares it */
static void polynomial(const ritti_stepper *step, ritt_real u, ritt_real *z) {
  const ritti_tableau *t = step->tableau;
  int count = t->stages + t->fsal + t->extra;
  memcpy(z, step->z, (size_t)step->m * sizeof *z);
  for (int j = 0; j < count; j++) {
    const ritt_real *w = t->dense + j * t->dense_degree;
    const ritt_real *V = step->V[j < t->stages + t->fsal ? j : j + 1 - t->fsal];
    ritt_real P = 0;
    for (int q = t->dense_degree - 1; q >= 0; q--) P = (P + w[q]) * u;
    if (P == 0) continue;
    for (int i = 0; i < step->m; i++) z[i] += step->h * P * V[i];
  }
}

ritt_status ritti_stepper_interpolate(ritti_stepper *step, ritt_real theta, ritt_real x, ritt_real *z) {
  if (step->tableau->dense) {
    RITT_TRY(make_dense_ready(step));
    polynomial(step, theta, z);
  } else {
    hermite(step, theta, z);
  }
  if (step->keep_x) z[0] = x;
  return RITT_OK;
}

ritt_status ritti_stepper_dense(ritti_stepper *step, ritt_real theta, ritt_real x, ritt_real *z,
                                ritt_real *top) {
  RITT_TRY(ritti_stepper_interpolate(step, theta, x, z));
  RITT_TRY(ritti_manifold_project(step->manifold, z, z));
  RITT_TRY(ritti_direction_at(step->direction, z, step->a));
  keep_top(step, top);
  return RITT_OK;
}

/* ---- lengths ----------------------------------------------------------------------------------------- */

static ritt_real speed_of(int m, const ritt_real *V, const ritt_real *weights) {
  ritt_real square = 0;
  for (int i = 0; i < m; i++) square += weights[i] * V[i] * V[i];
  return RITTI_MATH(sqrt)(square);
}

/* s' = |V| is integrated by the method itself, with the stages that are there */
ritt_real ritti_stepper_length(const ritti_stepper *step, const ritt_real *weights) {
  const ritti_tableau *t = step->tableau;
  ritt_real sum = 0;
  for (int j = 0; j < t->stages; j++)
    if (t->b[j] != 0) sum += t->b[j] * speed_of(step->m, step->V[j], weights);
  return RITTI_MATH(fabs)(step->h) * sum;
}

/* five points of Gauss */
ritt_status ritti_stepper_length_to(ritti_stepper *step, ritt_real theta, const ritt_real *weights,
                                    ritt_real *z, ritt_real *top, ritt_real *length) {
  static const ritt_real at[] = {RITTI_D(0.0), RITTI_D(0.53846931010568309103631442070020880),
                                 RITTI_D(0.90617984593866399279762687829939297)};
  static const ritt_real weight[] = {RITTI_D(0.56888888888888888888888888888888889),
                                     RITTI_D(0.47862867049936646804129151483563819),
                                     RITTI_D(0.23692688505618908751426404071991736)};
  ritt_real sum = 0;
  for (int i = -2; i <= 2; i++) {
    ritt_real u = theta * (1 + (i < 0 ? -at[-i] : at[i])) / 2;
    RITT_TRY(ritti_stepper_dense(step, u, step->z[0] + u * step->h, z, top));
    sum += weight[i < 0 ? -i : i] * speed_of(step->m, step->a, weights);
  }
  *length = RITTI_MATH(fabs)(step->h) * theta * sum / 2;
  return RITT_OK;
}
