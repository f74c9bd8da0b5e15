/* Singular points in runs: noticed, located, and stopped at or passed.
 *
 * They are noticed in three ways. A step that goes over one changes the sign of det A dx/ds, which is that of
 * the lifted field along V: the field vanishes there and points against V beyond. Near one the
 * minors of (b | A) become small; then the point is searched for, and met if the run comes so
 * close that its tolerance does not decide on which side of the point it continues. A run whose
 * steps become too small searches, too.
 *
 * They are passed along the tangent, if the solution is smooth at the point. The parabola through
 * the last point, with its direction there, and the singular point leads as far to the other side;
 * V there must agree with it.
 */
#include "drive/driver_impl.h"
#include "geometry/leg.h"

/* the volume must have fallen by 2^-DROP before the first search, and by half before
 * each further one */
enum { DROP = RITTI_VOLUME_DROP };

ritt_real ritti_size_of(const ritti_driver *d, int i) {
  return RITTI_MATH(fabs)(d->step.z[i]) +
         d->manifold.size[i]; /* absolute over relative tolerances */
}

ritt_status ritti_singular_watch_init(ritti_driver *d, ritti_arena *arena) {
  ritti_singular_watch *meet = &d->singular;
  int m = d->problem->m;
  RITT_TRY(ritti_singular_init(&meet->at, d->problem, d->work, arena));
  RITTI_NEW(d->report_weights, arena, m);
  memcpy(d->report_weights, d->arc_weights, (size_t)m * sizeof *d->arc_weights);
  d->step.metric = d->report_weights;
  ritti_singular_watch_forget(d);
  if (!meet->at.z) return RITT_OK;
  RITTI_NEW(meet->size, arena, m);
  for (int i = 0; i < 3; i++) RITTI_NEW(meet->curve[i], arena, m);
  RITTI_NEW(meet->top, arena, d->problem->tops + 1);
  return RITT_OK;
}

void ritti_singular_watch_forget(ritti_driver *d) {
  ritti_branch_forget(d);
  d->singular.known = false;
  d->singular.max_volume = d->singular.last_search = -INFINITY;
  d->singular.volume = NAN;
}

int ritti_singular_watch_side(ritti_driver *d, const ritt_real *z, const ritt_real *V) {
  d->singular.volume = NAN;
  if (d->step.direction != &d->direction) return 0; /* the run slides, along another field */
  d->singular.volume = ritti_direction_side(&d->direction, z, V);
  return d->direction.sign;
}

/* ---- looking for it ---- */

/* Its distance from z in units of the sizes. */
static ritt_real distance_to_point(const ritti_singular_watch *meet, int m, const ritt_real *z) {
  ritt_real square = 0;
  for (int i = 0; i < m; i++) {
    ritt_real gap = (meet->at.z[i] - z[i]) / meet->size[i];
    square += gap * gap;
  }
  return RITTI_MATH(sqrt)(square);
}

/* Locates the singular point ahead. If singular points are not isolated: the one on the way of the
 * run. */
static bool locate_point(ritti_driver *d, const ritt_real *z) {
  ritti_singular_watch *meet = &d->singular;
  ritt_real square = 0;
  int m = d->problem->m;
  if (!meet->at.z) return false;
  for (int i = 0; i < m; i++) {
    meet->size[i] = ritti_size_of(d, i);
    ritt_real v = d->step.V[0][i] / meet->size[i];
    square += v * v;
  }
  for (int i = 0; i < m; i++) meet->curve[0][i] = d->step.V[0][i] / RITTI_MATH(sqrt)(square);
  return meet->known = ritti_singular_locate(&meet->at, z, meet->size, meet->curve[0]);
}

bool ritti_singular_within(ritti_driver *d, const ritt_real *z, ritt_real most) {
  return locate_point(d, z) && distance_to_point(&d->singular, d->problem->m, z) <= most;
}

static bool is_spiral(ritti_singular_kind kind) {
  return kind == RITTI_POINT_FOCUS || kind == RITTI_POINT_FOLDED_FOCUS ||
         kind == RITTI_POINT_CENTRE || kind == RITTI_POINT_FOLDED_CENTRE;
}

/* How near is too near, coming from z: an error e of the size of the tolerance has grown to
 * e/d^spread at the distance d, and decides how the run continues if that is as large as d. A spiral is
 * well determined all the way. */
ritt_real ritti_singular_watch_limit(ritti_driver *d, const ritt_real *z) {
  if (is_spiral(d->singular.at.kind)) return (ritt_real)1e-7;
  ritt_real spread = RITTI_MATH(fmax)(1, ritti_singular_spread(&d->singular.at, z));
  return RITTI_MATH(fmin)((ritt_real)0.01,
                          10 * RITTI_MATH(pow)(d->options.relative[0], 1 / (1 + spread)));
}

static bool approaches_point(const ritti_driver *d) {
  const ritti_singular_watch *meet = &d->singular;
  ritt_real along = 0;
  for (int i = 0; i < d->problem->m; i++)
    along += d->step.V[0][i] * (meet->at.z[i] - d->step.z[i]) / (meet->size[i] * meet->size[i]);
  return along * d->next.h > 0;
}

bool ritti_singular_watch_near(ritti_driver *d) {
  ritti_singular_watch *meet = &d->singular;
  if (!meet->at.z || !(meet->volume < INFINITY)) return false;
  if (meet->volume > meet->max_volume) meet->max_volume = meet->last_search = meet->volume;
  if (meet->volume < meet->max_volume - DROP && meet->volume < meet->last_search - 1) {
    meet->last_search = meet->volume;
    locate_point(d, d->step.z);
  }
  if (!meet->known) return false;
  ritt_real left = distance_to_point(meet, d->problem->m, d->step.z);
  return left < (ritt_real)0.01 && left < ritti_singular_watch_limit(d, d->step.z) &&
         approaches_point(d);
}

bool ritti_singular_watch_ahead(ritti_driver *d, ritt_real length) {
  static const double STRAIGHT = 0.99;
  const ritti_singular_watch *meet = &d->singular;
  if (ritti_singular_watch_near(d)) return true;
  if (!meet->known || !approaches_point(d)) return false;
  ritt_real left = 0, speed = 0, along = 0;
  for (int i = 0; i < d->problem->m; i++) {
    ritt_real gap = (meet->at.z[i] - d->step.z[i]) / meet->size[i];
    ritt_real v = d->step.V[0][i] / meet->size[i];
    left += gap * gap, speed += v * v, along += gap * v;
  }
  return left < 4 * length * length && along > (ritt_real)STRAIGHT * RITTI_MATH(sqrt)(left * speed);
}

/* ---- stopped at ---- */

/* Length in the reported metric of the straight way from z to the point. */
static ritt_real way_to(const ritti_driver *d, const ritt_real *z) {
  ritt_real square = 0;
  for (int i = 0; i < d->problem->m; i++) {
    ritt_real gap = d->singular.at.z[i] - z[i];
    square += d->report_weights[i] * gap * gap;
  }
  return RITTI_MATH(sqrt)(square);
}

static const char *hint_of(const ritti_driver *d) {
  if (is_spiral(d->singular.at.kind))
    return "the solution winds round this point and cannot be continued through it";
  if (!d->options.through)
    return "several solutions may pass through such a point; write 'singular through' to follow the one that "
           "is smooth "
           "there, or start beyond it";
  return "no smooth continuation was found; to continue, start beyond it";
}

/* ---- passed ---- */

/* z(s) of the parabola, s the run's variable from its start */
static void curve_at(const ritti_driver *d, ritt_real s, ritt_real *z) {
  ritt_real *const *c = d->singular.curve;
  for (int i = 0; i < d->problem->m; i++) z[i] = c[0][i] + s * (c[1][i] + s * c[2][i] / 2);
}

/* The parabola with V at z that reaches the point at s = reach; false: it does not lead there. */
static bool make_curve(ritti_driver *d, ritt_real *reach) {
  ritti_singular_watch *meet = &d->singular;
  const ritti_stepper *step = &d->step;
  ritt_real straight = 0, along = 0, speed = 0;
  for (int i = 0; i < step->m; i++) {
    ritt_real gap = (meet->at.z[i] - step->z[i]) / meet->size[i], v = step->V[0][i] / meet->size[i];
    straight += gap * gap, speed += v * v, along += gap * v;
  }
  *reach = step->keep_x ? meet->at.z[0] - step->z[0] : along / speed;
  if (!(along * along > (ritt_real)0.8 * straight * speed) || !(*reach * d->next.h > 0))
    return false;
  for (int i = 0; i < step->m; i++) {
    ritt_real left = meet->at.z[i] - step->z[i] - *reach * step->V[0][i];
    meet->curve[0][i] = step->z[i];
    meet->curve[1][i] = step->V[0][i];
    meet->curve[2][i] = 2 * left / (*reach * *reach);
  }
  return true;
}

/* Finds the point beyond, in row_z, with its highest derivatives in singular.top. Returns whether V
 * there agrees with the curve. */
static bool find_beyond(ritti_driver *d, ritt_real reach) {
  ritti_singular_watch *meet = &d->singular;
  ritti_stepper *step = &d->step;
  ritt_real x = meet->curve[0][0] + 2 * reach, dot = 0, a = 0, b = 0;
  curve_at(d, 2 * reach, d->row_z);
  if (step->keep_x) d->row_z[0] = x;
  if (ritti_manifold_project(step->manifold, d->row_z, d->row_z) != RITT_OK) return false;
  step->direction->reference = meet->curve[1];
  if (ritti_direction_at(step->direction, d->row_z, d->err) != RITT_OK) return false;
  memcpy(meet->top, step->direction->top, (size_t)d->problem->tops * sizeof *meet->top);
  for (int i = 0; i < step->m; i++) {
    ritt_real v = d->err[i] / meet->size[i];
    ritt_real w = (meet->curve[1][i] + 2 * reach * meet->curve[2][i]) / meet->size[i];
    dot += v * w, a += v * v, b += w * w;
  }
  return dot > (ritt_real)0.9 * RITTI_MATH(sqrt)(a * b);
}

/* The point of the gap at s from its start goes to err; highest derivatives, interpolated between both
 * sides, go to row_top. */
static ritt_status find_between(ritti_driver *d, ritt_real s, ritt_real reach, ritt_real place) {
  ritti_stepper *step = &d->step;
  curve_at(d, s, d->err);
  if (step->keep_x) d->err[0] = place;
  RITT_TRY(ritti_manifold_project(step->manifold, d->err, d->err));
  if (!d->options.by_arc) d->err[0] = place;
  for (int i = 0; i < d->problem->tops; i++) {
    ritt_real part = s / (2 * reach);
    d->row_top[i] = (1 - part) * step->top[i] + part * d->singular.top[i];
  }
  ritti_note_residual(d, d->err);
  return RITT_OK;
}

/* The place of a row on the curve, from its start; beyond 2 reach: not in the gap. Rows of a run over
 * x stand at x also during a passage by arc length. */
static ritt_real find_place(ritti_driver *d, ritt_real place, ritt_real reach) {
  if (d->options.by_arc || d->step.keep_x) return place - d->at.s;
  ritt_real low = 0, high = 2 * reach, x = d->singular.curve[0][0];
  curve_at(d, high, d->err);
  if ((place - x) * (place - d->err[0]) > 0) return 3 * reach;
  for (int i = 0; i < 60; i++) {
    ritt_real middle = (low + high) / 2;
    curve_at(d, middle, d->err);
    if ((place - x) * (place - d->err[0]) > 0) low = middle;
    else high = middle;
  }
  return low;
}

/* The rows of the gap, before the end of the run. */
static ritt_status rows_of_gap(ritti_driver *d, ritt_real reach) {
  while (ritti_row_left(d)) {
    ritt_real place = ritti_row_place(d, d->plan.next), s = find_place(d, place, reach);
    if (s / reach > 2 || place == d->plan.end) return RITT_OK;
    RITT_TRY(find_between(d, s, reach, place));
    RITT_TRY(ritti_write_row(d, place, d->err, d->row_top));
  }
  return RITT_OK;
}

/* Passes the gap. Not *passed: nothing has changed. */
static ritt_status pass_gap(ritti_driver *d, bool *passed) {
  ritt_real reach, end;
  *passed = false;
  if (is_spiral(d->singular.at.kind) || !make_curve(d, &reach) || !find_beyond(d, reach))
    return RITT_OK;
  *passed = true;
  RITT_TRY(rows_of_gap(d, reach));
  d->at.travelled += 2 * way_to(d, d->step.z);
  end = find_place(d, d->plan.end, reach);
  if (end / reach > 2) {
    /* Puts the stepper beyond the gap. */
    ritti_stepper *step = &d->step;
    RITT_TRY(ritti_stepper_move(step, d->row_z));
    d->at.side = ritti_singular_watch_side(d, step->z, step->V[0]);
    d->at.s = d->at.step_start = step->keep_x ? step->z[0] : d->at.s + 2 * reach;
    d->at.z = step->z;
    d->at.top = step->top;
    d->next.fixed_origin = d->at.s, d->next.fixed_count = 0;
    ritti_singular_watch_forget(d);

    ritt_real s = d->options.by_arc ? d->at.s : d->step.z[0];
    RITT_TRY(ritti_write_fine(d, s, d->step.z, d->step.top));
    return ritti_row_every_step(d) ? ritti_write_step_row(d, s, d->step.z, d->step.top) : RITT_OK;
  }

  /* the run ends within */
  RITT_TRY(find_between(d, end, reach, d->plan.end));
  memcpy(d->row_z, d->err, (size_t)d->problem->m * sizeof *d->row_z);
  RITT_TRY(ritti_write_fine(d, d->plan.end, d->row_z, d->row_top));
  return ritti_end_in_row(d);
}

/* Stops the run at the point that was found. */
ritt_status ritti_singular_watch_stop(ritti_driver *d) {
  if (ritti_crossing_here(d)) return ritti_stop_rank(d);
  const ritti_singular *at = &d->singular.at;
  const ritt_special *special = ritti_note_special(d, ritti_singular_word(at->kind), false, at->z,
                                                   d->at.travelled + way_to(d, d->step.z), at);
  return ritti_stop_singular(d, special, hint_of(d));
}

ritt_status ritti_singular_watch_go(ritti_driver *d) {
  const ritti_singular *at = &d->singular.at;
  ritt_real arc = d->at.travelled + way_to(d, d->step.z);
  bool passed = false;
  if (d->options.through) RITT_TRY(pass_gap(d, &passed));
  if (!passed) return ritti_singular_watch_stop(d);
  ritti_note_special(d, ritti_singular_word(at->kind), true, at->z, arc, at);
  d->count.singulars++;
  return RITT_OK;
}

/* ---- gone over ---- */

bool ritti_singular_watch_crossed(const ritti_driver *d, int sign) {
  return d->at.side != 0 && sign != 0 && sign != d->at.side;
}

/* The last place in the step just taken that is on the side of its start. */
static ritt_real before_crossing(ritti_driver *d, ritt_real s_new) {
  ritt_real low = d->at.s, high = s_new;
  for (int i = 0; i < 50; i++) {
    ritt_real middle = low + (high - low) / 2;
    ritt_status status =
        ritti_stepper_dense(&d->step, (middle - d->at.s) / d->step.h, middle, d->row_z, d->row_top);
    if (status == RITT_OK) ritti_direction_side(&d->direction, d->row_z, d->step.a);
    if (status == RITT_OK && !ritti_singular_watch_crossed(d, d->direction.sign)) low = middle;
    else high = middle;
  }
  return low;
}

/* In runs over x the sign also changes if a step has gone over a fold, to another sheet of M: no
 * singular point is near then. */
static bool sees_folds(const ritti_driver *d) {
  return d->step.keep_x && d->singular.at.z && ritti_direction_has_line(&d->direction);
}

/* How far a singular point may be from the place at which the step seems to go over it: no farther
 * than the step is long. If it may have been a fold instead, only a near point counts. */
static ritt_real reach_of(const ritti_driver *d) {
  const ritti_stepper *step = &d->step;
  ritt_real square = 0, near = (ritt_real)0.01;
  if (sees_folds(d)) return near;
  for (int i = 0; i < step->m; i++) {
    ritt_real gap = (step->z_new[i] - step->z[i]) / ritti_size_of(d, i);
    square += gap * gap;
  }
  return RITTI_MATH(fmax)(near, RITTI_MATH(sqrt)(square));
}

const ritt_special *ritti_singular_watch_cross(ritti_driver *d, ritt_real s_new,
                                               ritt_real *before) {
  ritt_real low = before_crossing(d, s_new), arc = 0, theta = (low - d->at.s) / d->step.h,
            volume = d->singular.volume;
  if (ritti_stepper_length_to(&d->step, theta, d->report_weights, d->row_z, d->row_top, &arc) !=
      RITT_OK)
    arc = NAN;
  if (ritti_stepper_dense(&d->step, theta, low, d->row_z, d->row_top) != RITT_OK)
    memcpy(d->row_z, d->step.z, (size_t)d->problem->m * sizeof *d->row_z);
  bool found = ritti_singular_within(d, d->row_z, reach_of(d)), fold = !found && sees_folds(d);
  const ritti_singular *at = found ? &d->singular.at : NULL;
  const char *kind = fold ? "fold" : ritti_singular_word(found ? at->kind : RITTI_POINT_UNKNOWN);
  bool passed = d->options.through && !fold && !(found && is_spiral(at->kind));
  ritti_singular_watch_forget(d);
  d->singular.volume = volume;
  *before = low;
  if (fold && d->options.constant_step == 0) return NULL;
  d->count.singulars += passed;
  return ritti_note_special(d, kind, passed, found ? at->z : d->row_z, d->at.travelled + arc, at);
}

ritt_status ritti_singular_watch_stop_before(ritti_driver *d, ritt_real s_new, ritt_real before,
                                             const ritt_special *special) {
  if (before != d->at.s && ritti_rows_of_step(d, s_new, before) == RITT_OK) {
    RITT_TRY(ritti_fine_points(d, s_new - d->at.s, (before - d->at.s) / d->step.h));
    ritti_reach(d, before);
  }
  if (special->sigmas == 0 && sees_folds(d)) return ritti_stop_over_fold(d, special);
  return ritti_stop_singular(d, special, hint_of(d));
}
