/* Step-size control: the error of a step, the next step, the first one, and the metric of the projection.
 *
 * The error is the RMS of err_i / (tol_i |z_i| + abs_i), x left out in runs over x; dop853 combines its two
 * estimates (Hairer, Norsett & Wanner, Solving ODEs I, II.10). The correction by the end projection counts
 * too: a step that lands far from M has not earned its tolerance.
 */
#include "solve/solve_impl.h"

ritt_real ritti_control_scale(const ritti_solver *S, int i, ritt_real z) {
  return S->options.relative[i] * RITTI_MATH(fabs)(z) + S->options.absolute[i];
}

static ritt_real scale_of(const ritti_solver *S, int i, ritt_real a, ritt_real b) {
  ritt_real size = RITTI_MATH(fmax)(RITTI_MATH(fabs)(a), RITTI_MATH(fabs)(b));
  return S->options.relative[i] * size + S->options.absolute[i];
}

/* mean square of e_i in units of the tolerance at the ends of the step */
static ritt_real mean_square(const ritti_solver *S, const ritt_real *e) {
  const ritti_stepper *step = &S->step;
  int first = step->keep_x ? 1 : 0, m = step->m;
  ritt_real sum = 0;
  for (int i = first; i < m; i++) {
    ritt_real r = e[i] / scale_of(S, i, step->z[i], step->z_new[i]);
    sum += r * r;
  }
  return m > first ? sum / (m - first) : 0;
}

ritt_real ritti_control_error(ritti_solver *S) {
  bool estimated = ritti_stepper_error(&S->step, 0, S->err);
  ritt_real err = estimated ? mean_square(S, S->err) : 0;
  if (err > 0 && ritti_stepper_error(&S->step, 1, S->err3)) {
    ritt_real other = mean_square(S, S->err3);
    err = err * err / (err + (ritt_real)0.01 * other);
  }
  if (S->problem->forced) return RITTI_MATH(sqrt)(err);
  for (int i = 0; i < S->step.m; i++) S->err[i] = S->step.end[i] - S->step.z_new[i];
  ritt_real moved = mean_square(S, S->err);
  /* NaN must not pass as small */
  return !(err <= moved) ? RITTI_MATH(sqrt)(err) : RITTI_MATH(sqrt)(moved);
}

ritt_real ritti_control_factor(const ritti_solver *S, ritt_real err) {
  const ritti_tableau *t = S->step.tableau;
  const ritt_real safety = (ritt_real)0.9, least = (ritt_real)0.2, most = 6;
  if (!(err > 0)) return err == 0 ? most : least;
  int order = t->e3 ? t->order - 1 : t->embedded; /* of the quantity that err measures */
  ritt_real factor = safety * RITTI_MATH(pow)(err, -1 / (ritt_real)(order + 1));
  return RITTI_MATH(fmin)(most, RITTI_MATH(fmax)(least, factor));
}

/* norm of v in units of the tolerance at z */
static ritt_real tolerance_norm(const ritti_solver *S, const ritt_real *v, const ritt_real *z) {
  int first = S->step.keep_x ? 1 : 0, m = S->step.m;
  ritt_real sum = 0;
  for (int i = first; i < m; i++) {
    ritt_real r = v[i] / scale_of(S, i, z[i], z[i]);
    sum += r * r;
  }
  return m > first ? RITTI_MATH(sqrt)(sum / (m - first)) : 0;
}

/* The starting step of Solving ODEs I, II.4, with a projected Euler step as the probe. */
ritt_status ritti_control_first_step(ritti_solver *S, ritt_real length, ritt_real *h) {
  ritti_stepper *step = &S->step;
  const ritti_tableau *t = step->tableau;
  ritt_real *V = step->V[0], *probe = S->row_z, *change = S->err, far = RITTI_MATH(fabs)(length);
  ritt_real d0 = tolerance_norm(S, step->z, step->z), d1 = tolerance_norm(S, V, step->z);
  ritt_real h0 = d0 < 1e-5 || d1 < 1e-5 ? far * (ritt_real)1e-6 : (ritt_real)0.01 * d0 / d1;
  if (h0 > far) h0 = far;
  ritt_real sign = length < 0 ? -1 : 1;
  ritt_status status = RITT_RETRY;
  for (int halvings = 0; halvings < 60 && status == RITT_RETRY; halvings++, h0 /= 8) {
    for (int i = 0; i < step->m; i++) probe[i] = step->z[i] + sign * h0 * V[i];
    status = ritti_manifold_project(step->manifold, probe, probe);
    if (status == RITT_OK) status = ritti_direction_at(step->direction, probe, step->V[1]);
    if (status == RITT_OK) break;
  }
  RITT_TRY(status);
  for (int i = 0; i < step->m; i++) change[i] = step->V[1][i] - V[i];
  ritt_real d2 = tolerance_norm(S, change, step->z) / h0, d = RITTI_MATH(fmax)(d1, d2);
  ritt_real h1 = d <= 1e-15 ? RITTI_MATH(fmax)(far * (ritt_real)1e-6, h0 * (ritt_real)1e-3)
                            : RITTI_MATH(pow)((ritt_real)0.01 / d, 1 / (ritt_real)(t->order + 1));
  *h = sign * RITTI_MATH(fmin)(far, RITTI_MATH(fmin)(100 * h0, h1));
  return RITT_OK;
}

void ritti_control_metric(ritti_solver *S) {
  const ritti_solve_options *o = &S->options;
  for (int i = 0; o->weighted && i < S->problem->m; i++) {
    ritt_real size = o->scale && o->scale[i] > 0
                         ? o->scale[i]
                         : scale_of(S, i, S->step.z[i], S->step.z[i]) / o->relative[i];
    S->manifold.spread[i] = size * size;
  }
  if (S->step.keep_x) S->manifold.spread[0] = 0;
  if (S->step.manifold != &S->manifold)
    memcpy(S->step.manifold->spread, S->manifold.spread, (size_t)S->problem->m * sizeof(ritt_real));
}
