/* The error of a step in units of the tolerance, and the metric of the projection.
 *
 * The error is the RMS of err_i / (tol_i |z_i| + abs_i), x left out in runs over x; dop853 combines
 * its two estimates (Hairer, Norsett & Wanner, Solving ODEs I, II.10). The correction by the end
 * projection counts too: a step that lands far from M has not earned its tolerance. The papers'
 * control compares the projected ends of the pair and asks nothing else. With scaled derivatives
 * the error of a k-th one counts times h^k: positions and h times velocities, for mechanics with
 * strong potentials (Lubich).
 */
#include "solve/solve_impl.h"

ritt_real ritti_control_scale(const ritti_solver *S, int i, ritt_real z) {
  return S->options.relative[i] * RITTI_MATH(fabs)(z) + S->options.absolute[i];
}

/* A coordinate that is the derivative of a k-th derivative is a (k+1)-th one. */
ritt_status ritti_norm_init(ritti_solver *S, ritti_arena *arena) {
  const ritti_problem *p = S->problem;
  RITTI_NEW(S->per, arena, p->m);
  if (!S->options.scaled && !ritti_stepper_is_strong(&S->step)) return RITT_OK;
  RITTI_NEW(S->derivative, arena, p->m);
  for (bool again = true; again;) {
    again = false;
    for (int i = 1; i < p->m; i++)
      if (p->next[i] > 0 && S->derivative[p->next[i]] <= S->derivative[i]) {
        S->derivative[p->next[i]] = S->derivative[i] + 1;
        again = true;
      }
  }
  return RITT_OK;
}

static ritt_real power_of_h(const ritti_solver *S, int i) {
  ritt_real factor = 1, h = RITTI_MATH(fabs)(S->step.h);
  for (int k = 0; S->derivative && k < S->derivative[i]; k++) factor *= h;
  return factor;
}

/* For mean squares in units of the tolerance at the ends of the step just taken. */
static void find_units(ritti_solver *S) {
  const ritti_stepper *step = &S->step;
  ritti_per_tolerance(step->m, step->keep_x ? 1 : 0, step->z, step->z_new, S->options.relative,
                      S->options.absolute, S->per);
  for (int i = 0; S->derivative && i < step->m; i++) S->per[i] *= power_of_h(S, i);
}

/* Sums of many terms do not wait for each other. Native steps are for fewer coordinates. */
static ritt_real mean_square(const ritti_solver *S, const ritt_real *e) {
  enum { LANES = 8 };
  const int m = S->step.m, first = S->step.keep_x ? 1 : 0;
  ritt_real sum[LANES] = {0};
  int i = first;
  if (m <= RITTI_KERNEL_COORDINATES) return ritti_mean_square(m, first, e, S->per);
  for (; i + LANES <= m; i += LANES) {
    ritt_real square[LANES];
    for (int l = 0; l < LANES; l++) square[l] = e[i + l] * S->per[i + l];
    for (int l = 0; l < LANES; l++) sum[l] += square[l] * square[l];
  }
  for (; i < m; i++) sum[0] += e[i] * S->per[i] * (e[i] * S->per[i]);
  ritt_real all = ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
  return all / (ritt_real)(m - first);
}

ritt_real ritti_tolerance_norm(const ritti_solver *S, const ritt_real *v, const ritt_real *z) {
  int first = S->step.keep_x ? 1 : 0, m = S->step.m;
  ritt_real sum = 0;
  for (int i = first; i < m; i++) {
    ritt_real r = v[i] / ritti_control_scale(S, i, z[i]);
    sum += r * r;
  }
  return m > first ? RITTI_MATH(sqrt)(sum / (m - first)) : 0;
}

/* The end of the companion, projected, against the end. */
static ritt_status papers_error(ritti_solver *S, ritt_real *square) {
  const ritti_stepper *step = &S->step;
  bool projected = step->tableau->family == RITTI_DOUBLED;
  if (!projected) {
    for (int i = 0; i < step->m; i++) S->err[i] = step->end[i] - S->err[i];
    RITT_TRY(ritti_manifold_project(step->manifold, S->err, S->err));
    for (int i = 0; i < step->m; i++) S->err[i] = step->z_new[i] - S->err[i];
  }
  *square = mean_square(S, S->err);
  return RITT_OK;
}

/* NaN must not pass as small. */
ritt_real ritti_seen_square(const ritti_solver *S, const ritti_step_norms *seen) {
  ritt_real square = seen->square, other = seen->other;
  if (other > 0) square = square * square / (square + (ritt_real)0.01 * other);
  return !S->problem->forced && square <= seen->moved ? seen->moved : square;
}

ritt_status ritti_step_square(ritti_solver *S, ritt_real *square) {
  ritti_step_norms seen = {0};
  if (S->step.complete && S->options.control != RITTI_CONTROL_PAPERS && !S->derivative) {
    *square = ritti_seen_square(S, &S->step.seen);
    return RITT_OK;
  }
  bool estimated = ritti_stepper_error(&S->step, 0, S->err);
  find_units(S);
  if (estimated && S->options.control == RITTI_CONTROL_PAPERS) return papers_error(S, square);
  if (estimated) seen.square = mean_square(S, S->err);
  if (ritti_stepper_error(&S->step, 1, S->err3)) seen.other = mean_square(S, S->err3);
  for (int i = 0; i < S->step.m; i++) S->err[i] = S->step.end[i] - S->step.z_new[i];
  seen.moved = mean_square(S, S->err);
  *square = ritti_seen_square(S, &seen);
  return RITT_OK;
}

void ritti_control_metric(ritti_solver *S) {
  const ritti_solve_options *o = &S->options;
  for (int i = 0; o->weighted && i < S->problem->m; i++) {
    ritt_real size = o->scale && o->scale[i] > 0
                         ? o->scale[i]
                         : ritti_control_scale(S, i, S->step.z[i]) / o->relative[i];
    S->manifold.spread[i] = size * size;
  }
  if (S->step.keep_x) S->manifold.spread[0] = 0;
  if (S->step.manifold != &S->manifold)
    memcpy(S->step.manifold->spread, S->manifold.spread, (size_t)S->problem->m * sizeof(ritt_real));
}
