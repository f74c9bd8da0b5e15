/* The error of a step in units of the tolerance, and the metric of the projection.
 *
 * The error is the RMS of err_i / (tol_i |z_i| + abs_i), x left out in runs over x; dop853 combines
 * its two estimates (Hairer, Norsett & Wanner, Solving ODEs I, II.10). The correction by the end
 * projection counts too: a step that lands far from M has not earned its tolerance. The papers'
 * control compares the projected ends of the pair and nothing else. With scaled derivatives
 * the error of a k-th derivative counts times h^k: positions and h times velocities, for mechanics
 * with stiff potentials (Lubich).
 */
#include "drive/driver_impl.h"

ritt_real ritti_control_scale(const ritti_driver *d, int i, ritt_real z) {
  return d->options.relative[i] * RITTI_MATH(fabs)(z) + d->sizes.absolute[i];
}

/* A coordinate that is the derivative of a k-th derivative is a (k+1)-th one. */
ritt_status ritti_norm_init(ritti_driver *d, ritti_arena *arena) {
  const ritti_problem *p = d->problem;
  RITTI_NEW(d->inverse_tolerance, arena, p->m);
  if (p->kind == RITT_IMPLICIT) {
    RITTI_NEW_ARRAYS(arena, p->tops + 1, d->tops.size, d->tops.noise, d->tops.error,
                     d->tops.largest_error);
    for (int i = 1; i < p->m; i++)
      if (p->next[i] < 0) d->tops.size[-1 - p->next[i]] = -1;
  }
  if (!d->options.scaled && !ritti_stepper_is_strong(&d->step)) return RITT_OK;
  RITTI_NEW(d->derivative_order, arena, p->m);
  for (bool again = true; again;) {
    again = false;
    for (int i = 1; i < p->m; i++)
      if (p->next[i] > 0 && d->derivative_order[p->next[i]] <= d->derivative_order[i]) {
        d->derivative_order[p->next[i]] = d->derivative_order[i] + 1;
        again = true;
      }
  }
  return RITT_OK;
}

static ritt_real power_of_h(const ritti_driver *d, int i) {
  ritt_real factor = 1, h = RITTI_MATH(fabs)(d->step.h);
  for (int k = 0; d->derivative_order && k < d->derivative_order[i]; k++) factor *= h;
  return factor;
}

/* Several partial sums, so that additions do not wait for each other. Native steps, which have fewer
 * coordinates, use the simple sum. */
static ritt_real mean_square(const ritti_driver *d, const ritt_real *e) {
  enum { LANES = 8 };
  const int m = d->step.m, first = d->step.keep_x ? 1 : 0;
  ritt_real sum[LANES] = {0};
  int i = first;
  if (m <= RITTI_KERNEL_COORDINATES) return ritti_mean_square(m, first, e, d->inverse_tolerance);
  for (; i + LANES <= m; i += LANES) {
    ritt_real square[LANES];
    for (int l = 0; l < LANES; l++) square[l] = e[i + l] * d->inverse_tolerance[i + l];
    for (int l = 0; l < LANES; l++) sum[l] += square[l] * square[l];
  }
  for (; i < m; i++) sum[0] += e[i] * d->inverse_tolerance[i] * (e[i] * d->inverse_tolerance[i]);
  ritt_real all = ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
  return all / (ritt_real)(m - first);
}

ritt_real ritti_tolerance_norm(const ritti_driver *d, const ritt_real *v, const ritt_real *z) {
  int first = d->step.keep_x ? 1 : 0, m = d->step.m;
  ritt_real sum = 0;
  for (int i = first; i < m; i++) {
    ritt_real r = v[i] / (d->options.relative[i] * RITTI_MATH(fabs)(z[i]) + d->sizes.allowed[i]);
    sum += r * r;
  }
  return m > first ? RITTI_MATH(sqrt)(sum / (m - first)) : 0;
}

/* The end of the companion, projected, against the end. */
static ritt_status papers_error(ritti_driver *d, ritt_real *square) {
  const ritti_stepper *step = &d->step;
  bool projected = step->tableau->family == RITTI_DOUBLED;
  if (!projected) {
    for (int i = 0; i < step->m; i++) d->err[i] = step->end[i] - d->err[i];
    RITT_TRY(ritti_manifold_project(step->manifold, d->err, d->err));
    for (int i = 0; i < step->m; i++) d->err[i] = step->z_new[i] - d->err[i];
  }
  *square = mean_square(d, d->err);
  return RITT_OK;
}

/* Written so that NaN does not pass as small. */
ritt_real ritti_square_of_norms(const ritti_driver *d, const ritti_step_norms *norms) {
  ritt_real square = norms->square, other = norms->other;
  if (other > 0) square = square * square / (square + (ritt_real)0.01 * other);
  return !d->problem->forced && square <= norms->moved ? norms->moved : square;
}

/* Implicit kind: is every unknown w that is solved for, and does not belong to V, resolved by the step
 * just taken? Its value inside the step may differ from the straight line between both ends by a part
 * of its largest value so far. Errors of w follow from those of z; this test only sees to it that no
 * step goes over something that happens to w between the stages, such as the pulse of a diode. Values
 * that are small against the absolute tolerances do not count: a w that grows like t^2 from 0 is never
 * near a straight line. */
static ritt_real tops_square(ritti_driver *d) {
  static const double AT = 0.41, PART = 0.1, TOLERANCES = 1000;
  ritti_stepper *step = &d->step;
  const ritti_problem *p = d->problem;
  const ritt_real theta = (ritt_real)AT;
  ritt_real most = 0, least = INFINITY;
  ritt_status status = RITT_OK;
  for (int i = 1; i < p->m; i++) least = RITTI_MATH(fmin)(least, d->sizes.absolute[i]);
  least = least < INFINITY ? (ritt_real)TOLERANCES * least : 0;
  ritt_real *inside = step->direction->top, *z = d->err;
  for (int i = 0; i < p->tops; i++)
    d->row_top[i] = (1 - theta) * step->top[i] + theta * step->top_new[i];
  if (!ritti_stepper_joint_tops(step, theta, NULL, inside)) {
    ritt_real x = step->z[0] + theta * step->h;
    if (!ritti_is_implicit(step->tableau)) ritti_stepper_hermite(step, theta, z);
    else {
      step->rough = true;
      status = ritti_stepper_interpolate(step, theta, x, z);
      step->rough = false;
    }
    if (step->keep_x) z[0] = x;
    ritti_direction_begin_with(step->direction, d->row_top);
    if (status == RITT_OK) status = ritti_direction_at(step->direction, z, d->err3);
  }
  for (int i = 0; status == RITT_OK && i < p->tops; i++) {
    if (!(d->tops.size[i] >= 0)) continue;
    d->tops.size[i] = RITTI_MATH(fmax)(d->tops.size[i], RITTI_MATH(fabs)(step->top[i]));
    ritt_real size = RITTI_MATH(fmax)(d->tops.size[i], RITTI_MATH(fabs)(step->top_new[i]));
    size = RITTI_MATH(fmax)(size, least);
    ritt_real bend = RITTI_MATH(fabs)(inside[i] - d->row_top[i]);
    if (bend > most * size) most = bend / size;
  }
  ritti_direction_begin_with(step->direction, step->top_new);
  step->direction->trouble = RITTI_NO_TROUBLE;
  return most * most / (ritt_real)(PART * PART);
}

/* The error that the tolerance allows in a top, and what was found to be rounding. */
static ritt_real allowed_in_top(const ritti_driver *d, int i) {
  const ritti_solve_options *o = &d->options;
  ritt_real size = RITTI_MATH(fmax)(d->tops.size[i], RITTI_MATH(fabs)(d->step.top_new[i]));
  if (!o->top_relative) return RITTI_UNCONTROLLED;
  return o->top_relative[i] * size + o->top_absolute[i] + d->tops.noise[i];
}

/* Implicit kind: by how much the error of the step changes the unknowns w that are solved for: w(z +
 * err) - w(z), to first order T_w^-1 T_z err. part: of the estimate `err` that counts. The square of the
 * largest change in units of the tolerance. Between blocking diodes z hardly determines w; a change
 * that is beyond all shorter steps does not count. */
static ritt_real find_tops_error(ritti_driver *d, ritt_real part) {
  static const double BEYOND = 1e5;
  ritti_stepper *step = &d->step;
  const ritti_problem *p = d->problem;
  ritt_real most = 0, *z = d->err;
  for (int i = 0; i < p->tops; i++) d->tops.error[i] = 0;
  if (!ritti_stepper_error(step, 0, d->err3)) return 0;
  for (int i = 0; i < p->m; i++) z[i] = step->z_new[i] + part * d->err3[i];
  if (step->keep_x) z[0] = step->z_new[0];
  ritti_direction_begin_with(step->direction, step->top_new);
  if (ritti_direction_at(step->direction, z, d->err3) == RITT_OK)
    for (int i = 0; i < p->tops; i++) {
      if (!(d->tops.size[i] >= 0)) continue;
      d->tops.error[i] = RITTI_MATH(fabs)(step->direction->top[i] - step->top_new[i]);
      ritt_real allowed = allowed_in_top(d, i);
      bool hopeless = d->tops.error[i] > (ritt_real)BEYOND * allowed;
      if (d->tops.error[i] > most * allowed && !hopeless) most = d->tops.error[i] / allowed;
    }
  ritti_direction_begin_with(step->direction, step->top_new);
  step->direction->trouble = RITTI_NO_TROUBLE;
  return most * most;
}

/* If many steps in a row are rejected for errors of w, each shorter than the one before, these errors
 * are rounding, as between blocking diodes, and such errors are allowed from now on. */
static void look_for_noise(ritti_driver *d) {
  enum { MANY = 4 };
  if (++d->tops.rejections < MANY) return;
  for (int i = 0; i < d->problem->tops; i++)
    if (2 * d->tops.error[i] > allowed_in_top(d, i)) d->tops.noise[i] = 4 * d->tops.error[i];
}

void ritti_accept_top_errors(ritti_driver *d) {
  d->tops.rejections = 0;
  for (int i = 0; d->tops.size && i < d->problem->tops; i++)
    d->tops.largest_error[i] = RITTI_MATH(fmax)(d->tops.largest_error[i], d->tops.error[i]);
}

ritt_status ritti_step_square(ritti_driver *d, ritt_real *square) {
  ritti_step_norms norms = {0};
  bool estimated = ritti_stepper_error(&d->step, 0, d->err);

  /* For mean squares in units of the tolerance at the ends of the step just taken. */
  const ritti_stepper *step = &d->step;
  ritti_per_tolerance(step->m, step->keep_x ? 1 : 0, step->z, step->z_new, d->options.relative,
                      d->sizes.allowed, d->inverse_tolerance);
  for (int i = 0; d->derivative_order && i < step->m; i++)
    d->inverse_tolerance[i] *= power_of_h(d, i);

  if (estimated && d->options.control == RITTI_CONTROL_PAPERS) return papers_error(d, square);
  if (estimated) norms.square = mean_square(d, d->err);
  if (ritti_stepper_error(&d->step, 1, d->err3)) norms.other = mean_square(d, d->err3);
  for (int i = 0; i < d->step.m; i++) d->err[i] = d->step.end[i] - d->step.z_new[i];
  norms.moved = mean_square(d, d->err);
  *square = ritti_square_of_norms(d, &norms);
  if (!d->tops.size || d->step.direction != &d->direction) return RITT_OK;
  ritt_real part = norms.square > 0 ? RITTI_MATH(sqrt)(*square / norms.square) : 0;
  if (*square <= 1) *square = RITTI_MATH(fmax)(*square, tops_square(d));
  if (*square <= 1) {
    *square = RITTI_MATH(fmax)(*square, find_tops_error(d, part));
    if (*square > 1) look_for_noise(d);
  }
  return RITT_OK;
}

void ritti_control_metric(ritti_driver *d) {
  const ritti_solve_options *o = &d->options;
  for (int i = 0; o->weighted && i < d->problem->m; i++) {
    ritt_real size = o->scale && o->scale[i] > 0
                         ? o->scale[i]
                         : ritti_control_scale(d, i, d->step.z[i]) / o->relative[i];
    d->manifold.inverse_weights[i] = size * size;
  }
  if (d->step.keep_x) d->manifold.inverse_weights[0] = 0;
  if (d->step.manifold == &d->manifold) return;

  /* while the run slides or passes a crossing it projects by another manifold */
  size_t bytes = (size_t)d->problem->m * sizeof(ritt_real);
  memcpy(d->step.manifold->inverse_weights, d->manifold.inverse_weights, bytes);
  memcpy(d->step.manifold->size, d->manifold.size, bytes);
}
