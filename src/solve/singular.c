/* Singular points in runs: seen, located, and stopped at or passed.
 *
 * Seen in three ways. A step that goes over one changes the sign of det A dx/ds, which is that of
 * the lifted field along V: the field vanishes there and points against V beyond. Near one the
 * minors of (b | A) become small; then the point is looked for, and met where the run comes so
 * close that its tolerance does not decide on which side of it the way goes on. And a run whose
 * steps become too small looks too.
 *
 * Passed: a solution that is smooth at the point goes on along its tangent. The parabola through
 * the last point, with its direction there, and the singular point leads as far to the other side;
 * V there must agree with it.
 */
#include "solve/solve_impl.h"

/* the volume must have fallen by 2^-DROP before anything is looked for, and by half for each
 * further time */
enum { DROP = 6 };

ritt_real ritti_size_of(const ritti_solver *S, int i) {
  return RITTI_MATH(fabs)(S->step.z[i]) +
         S->manifold.size[i]; /* absolute over relative tolerances */
}

ritt_status ritti_meeting_init(ritti_solver *S, ritti_arena *arena) {
  ritti_meeting *meet = &S->meet;
  int m = S->problem->m;
  RITT_TRY(ritti_singular_init(&meet->at, S->problem, S->work, arena));
  RITTI_NEW(S->metric, arena, m);
  memcpy(S->metric, S->arc, (size_t)m * sizeof *S->arc);
  S->step.metric = S->metric;
  ritti_meeting_forget(S);
  if (!meet->at.z) return RITT_OK;
  RITTI_NEW(meet->size, arena, m);
  for (int i = 0; i < 3; i++) RITTI_NEW(meet->curve[i], arena, m);
  RITTI_NEW(meet->top, arena, S->problem->tops + 1);
  return RITT_OK;
}

void ritti_meeting_forget(ritti_solver *S) {
  S->meet.known = false;
  S->meet.most = S->meet.asked = -INFINITY;
  S->meet.volume = NAN;
}

int ritti_meeting_side(ritti_solver *S, const ritt_real *z, const ritt_real *V) {
  S->meet.volume = NAN;
  if (S->step.direction != &S->direction) return 0; /* the run slides, along another field */
  S->meet.volume = ritti_direction_side(&S->direction, z, V);
  return S->direction.sign;
}

/* ---- looking for it ---- */

/* Its distance from z in units of the sizes. */
static ritt_real distance(const ritti_meeting *meet, int m, const ritt_real *z) {
  ritt_real square = 0;
  for (int i = 0; i < m; i++) {
    ritt_real d = (meet->at.z[i] - z[i]) / meet->size[i];
    square += d * d;
  }
  return RITTI_MATH(sqrt)(square);
}

/* The one that lies ahead: where singular points are not isolated, that on the way of the run. */
static bool locate(ritti_solver *S, const ritt_real *z) {
  ritti_meeting *meet = &S->meet;
  ritt_real square = 0;
  int m = S->problem->m;
  if (!meet->at.z) return false;
  for (int i = 0; i < m; i++) {
    meet->size[i] = ritti_size_of(S, i);
    ritt_real v = S->step.V[0][i] / meet->size[i];
    square += v * v;
  }
  for (int i = 0; i < m; i++) meet->curve[0][i] = S->step.V[0][i] / RITTI_MATH(sqrt)(square);
  return meet->known = ritti_singular_locate(&meet->at, z, meet->size, meet->curve[0]);
}

bool ritti_singular_within(ritti_solver *S, const ritt_real *z, ritt_real most) {
  return locate(S, z) && distance(&S->meet, S->problem->m, z) <= most;
}

static bool is_spiral(ritti_singular_kind kind) {
  return kind == RITTI_POINT_FOCUS || kind == RITTI_POINT_FOLDED_FOCUS ||
         kind == RITTI_POINT_CENTRE || kind == RITTI_POINT_FOLDED_CENTRE;
}

/* How near is too near, coming from z: an error e of the size of the tolerance has grown to
 * e/d^spread at the distance d, and decides the way on where that is as large as d. A spiral is
 * well determined all the way. */
ritt_real ritti_meeting_limit(ritti_solver *S, const ritt_real *z) {
  if (is_spiral(S->meet.at.kind)) return (ritt_real)1e-7;
  ritt_real spread = RITTI_MATH(fmax)(1, ritti_singular_spread(&S->meet.at, z));
  return RITTI_MATH(fmin)((ritt_real)0.01,
                          10 * RITTI_MATH(pow)(S->options.relative[0], 1 / (1 + spread)));
}

static bool approaches(const ritti_solver *S) {
  const ritti_meeting *meet = &S->meet;
  ritt_real along = 0;
  for (int i = 0; i < S->problem->m; i++)
    along += S->step.V[0][i] * (meet->at.z[i] - S->step.z[i]) / (meet->size[i] * meet->size[i]);
  return along * S->h > 0;
}

bool ritti_meeting_near(ritti_solver *S) {
  ritti_meeting *meet = &S->meet;
  if (!meet->at.z || !(meet->volume < INFINITY)) return false;
  if (meet->volume > meet->most) meet->most = meet->asked = meet->volume;
  if (meet->volume < meet->most - DROP && meet->volume < meet->asked - 1) {
    meet->asked = meet->volume;
    locate(S, S->step.z);
  }
  if (!meet->known) return false;
  ritt_real left = distance(meet, S->problem->m, S->step.z);
  return left < (ritt_real)0.01 && left < ritti_meeting_limit(S, S->step.z) && approaches(S);
}

/* ---- stopped at ---- */

/* Length in the reported metric of the straight way from z to the point. */
static ritt_real way_to(const ritti_solver *S, const ritt_real *z) {
  ritt_real square = 0;
  for (int i = 0; i < S->problem->m; i++) {
    ritt_real d = S->meet.at.z[i] - z[i];
    square += S->metric[i] * d * d;
  }
  return RITTI_MATH(sqrt)(square);
}

static const char *hint_of(const ritti_solver *S) {
  if (is_spiral(S->meet.at.kind))
    return "the solution winds round this point and has no way on from it";
  if (!S->options.through)
    return "several solutions may pass through such a point; write 'singular through' to follow the one that "
           "is smooth "
           "there, or start beyond it";
  return "no solution was found that goes on smoothly; start beyond it to go on";
}

/* ---- passed ---- */

/* z(s) of the parabola, s the run's variable from its start */
static void curve_at(const ritti_solver *S, ritt_real s, ritt_real *z) {
  ritt_real *const *c = S->meet.curve;
  for (int i = 0; i < S->problem->m; i++) z[i] = c[0][i] + s * (c[1][i] + s * c[2][i] / 2);
}

/* The parabola with V at z that reaches the point at s = reach; false: it does not lead there. */
static bool make_curve(ritti_solver *S, ritt_real *reach) {
  ritti_meeting *meet = &S->meet;
  const ritti_stepper *step = &S->step;
  ritt_real straight = 0, along = 0, speed = 0;
  for (int i = 0; i < step->m; i++) {
    ritt_real d = (meet->at.z[i] - step->z[i]) / meet->size[i], v = step->V[0][i] / meet->size[i];
    straight += d * d, speed += v * v, along += d * v;
  }
  *reach = step->keep_x ? meet->at.z[0] - step->z[0] : along / speed;
  if (!(along * along > (ritt_real)0.8 * straight * speed) || !(*reach * S->h > 0)) return false;
  for (int i = 0; i < step->m; i++) {
    ritt_real left = meet->at.z[i] - step->z[i] - *reach * step->V[0][i];
    meet->curve[0][i] = step->z[i];
    meet->curve[1][i] = step->V[0][i];
    meet->curve[2][i] = 2 * left / (*reach * *reach);
  }
  return true;
}

/* V at the point beyond in row_z must be that of the curve; then it is put there. The tops go to
 * meet.top. */
static bool find_beyond(ritti_solver *S, ritt_real reach) {
  ritti_meeting *meet = &S->meet;
  ritti_stepper *step = &S->step;
  ritt_real x = meet->curve[0][0] + 2 * reach, dot = 0, a = 0, b = 0;
  curve_at(S, 2 * reach, S->row_z);
  if (step->keep_x) S->row_z[0] = x;
  if (ritti_manifold_project(step->manifold, S->row_z, S->row_z) != RITT_OK) return false;
  step->direction->reference = meet->curve[1];
  if (ritti_direction_at(step->direction, S->row_z, S->err) != RITT_OK) return false;
  memcpy(meet->top, step->direction->top, (size_t)S->problem->tops * sizeof *meet->top);
  for (int i = 0; i < step->m; i++) {
    ritt_real v = S->err[i] / meet->size[i];
    ritt_real w = (meet->curve[1][i] + 2 * reach * meet->curve[2][i]) / meet->size[i];
    dot += v * w, a += v * v, b += w * w;
  }
  return dot > (ritt_real)0.9 * RITTI_MATH(sqrt)(a * b);
}

/* The point of the gap at s from its start, to err; the tops between those of both sides, to
 * row_top. */
static ritt_status find_between(ritti_solver *S, ritt_real s, ritt_real reach, ritt_real place) {
  ritti_stepper *step = &S->step;
  curve_at(S, s, S->err);
  if (step->keep_x) S->err[0] = place;
  RITT_TRY(ritti_manifold_project(step->manifold, S->err, S->err));
  if (!S->options.by_arc) S->err[0] = place;
  for (int i = 0; i < S->problem->tops; i++) {
    ritt_real part = s / (2 * reach);
    S->row_top[i] = (1 - part) * step->top[i] + part * S->meet.top[i];
  }
  ritti_note_residual(S, S->err);
  return RITT_OK;
}

/* Where on the curve, from its start, is the place of a row? Rows stand at x also where a run over
 * x goes by arc length for a while. Beyond 2 reach: not in the gap. */
static ritt_real find_place(ritti_solver *S, ritt_real place, ritt_real reach) {
  if (S->options.by_arc || S->step.keep_x) return place - S->s;
  ritt_real low = 0, high = 2 * reach, x = S->meet.curve[0][0];
  curve_at(S, high, S->err);
  if ((place - x) * (place - S->err[0]) > 0) return 3 * reach;
  for (int i = 0; i < 60; i++) {
    ritt_real middle = (low + high) / 2;
    curve_at(S, middle, S->err);
    if ((place - x) * (place - S->err[0]) > 0) low = middle;
    else high = middle;
  }
  return low;
}

/* The rows of the gap, before the end of the run. */
static ritt_status rows_of_gap(ritti_solver *S, ritti_row_plan *plan, ritt_real reach) {
  while (!ritti_row_every_step(plan) && ritti_row_left(plan)) {
    ritt_real place = ritti_row_place(plan, plan->next), s = find_place(S, place, reach);
    if (s / reach > 2 || place == plan->end) return RITT_OK;
    RITT_TRY(find_between(S, s, reach, place));
    RITT_TRY(ritti_row_give(S, plan, place, S->err, S->row_top));
  }
  return RITT_OK;
}

/* The run's point is the one in row_z with its tops in row_top. */
static void stand_in_row(ritti_solver *S) {
  S->point = S->row_z;
  S->point_top = S->row_top;
  S->before = S->s;
}

/* The stepper stands beyond, going on as before. */
static ritt_status stand_beyond(ritti_solver *S, ritt_real reach) {
  ritti_stepper *step = &S->step;
  RITT_TRY(ritti_stepper_move(step, S->row_z));
  S->determinant = ritti_meeting_side(S, step->z, step->V[0]);
  S->s = S->before = step->keep_x ? step->z[0] : S->s + 2 * reach;
  S->point = step->z;
  S->point_top = step->top;
  S->begin = S->s, S->taken = 0;
  ritti_meeting_forget(S);
  return RITT_OK;
}

/* Over the gap. *passed: it was done; else nothing has changed. */
static ritt_status pass(ritti_solver *S, ritti_row_plan *plan, bool *passed) {
  ritt_real reach, end;
  *passed = false;
  if (is_spiral(S->meet.at.kind) || !make_curve(S, &reach) || !find_beyond(S, reach))
    return RITT_OK;
  *passed = true;
  RITT_TRY(rows_of_gap(S, plan, reach));
  S->travelled += 2 * way_to(S, S->step.z);
  end = find_place(S, plan->end, reach);
  if (end / reach > 2) {
    RITT_TRY(stand_beyond(S, reach));
    ritt_real s = S->options.by_arc ? S->s : S->step.z[0];
    if (plan->rows->fine) RITT_TRY(plan->rows->fine(plan->user, s, S->step.z, S->step.top));
    return ritti_row_every_step(plan) ? ritti_row_give_step(S, plan, s, S->step.z, S->step.top)
                                      : RITT_OK;
  }
  /* the run ends within */
  bool listed = ritti_row_left(plan) && ritti_row_place(plan, plan->next) == plan->end;
  RITT_TRY(find_between(S, end, reach, plan->end));
  if (plan->rows->fine) RITT_TRY(plan->rows->fine(plan->user, plan->end, S->err, S->row_top));
  if (!plan->rows->at || listed) RITT_TRY(ritti_row_give(S, plan, plan->end, S->err, S->row_top));
  memcpy(S->row_z, S->err, (size_t)S->problem->m * sizeof *S->row_z);
  S->s = plan->end;
  stand_in_row(S);
  S->unplaced = true;
  return RITT_OK;
}

/* The run stops at the point that was found. */
ritt_status ritti_meeting_stop(ritti_solver *S, ritt_error *error) {
  if (ritti_crossing_here(S)) return ritti_stop_rank(S, error);
  const ritti_singular *at = &S->meet.at;
  const ritt_special *special = ritti_note_special(S, ritti_singular_word(at->kind), false, at->z,
                                                   S->travelled + way_to(S, S->step.z), at);
  return ritti_stop_singular(S, special, hint_of(S), error);
}

ritt_status ritti_meeting_go(ritti_solver *S, ritti_row_plan *plan, ritt_error *error) {
  const ritti_singular *at = &S->meet.at;
  ritt_real arc = S->travelled + way_to(S, S->step.z);
  bool passed = false;
  if (S->options.through) RITT_TRY(pass(S, plan, &passed));
  if (!passed) return ritti_meeting_stop(S, error);
  ritti_note_special(S, ritti_singular_word(at->kind), true, at->z, arc, at);
  S->singulars++;
  return RITT_OK;
}

/* ---- gone over ---- */

bool ritti_meeting_crossed(const ritti_solver *S, int sign) {
  return S->determinant != 0 && sign != 0 && sign != S->determinant;
}

/* The last place in the step just taken that is on the side of its start. */
static ritt_real before_crossing(ritti_solver *S, ritt_real s_new) {
  ritt_real low = S->s, high = s_new;
  for (int i = 0; i < 50; i++) {
    ritt_real middle = low + (high - low) / 2;
    ritt_status status =
        ritti_stepper_dense(&S->step, (middle - S->s) / S->step.h, middle, S->row_z, S->row_top);
    if (status == RITT_OK) ritti_direction_side(&S->direction, S->row_z, S->step.a);
    if (status == RITT_OK && !ritti_meeting_crossed(S, S->direction.sign)) low = middle;
    else high = middle;
  }
  return low;
}

/* In runs over x the sign also changes where a step has gone over a fold, to another sheet of M: no
 * singular point is near then. */
static bool sees_folds(const ritti_solver *S) {
  return S->step.keep_x && S->meet.at.z && ritti_direction_has_line(&S->direction);
}

/* How far it may be from where the step seems to go over it: no farther than the step is long.
 * Where it may have been a fold instead only a near point counts. */
static ritt_real reach_of(const ritti_solver *S) {
  const ritti_stepper *step = &S->step;
  ritt_real square = 0, near = (ritt_real)0.01;
  if (sees_folds(S)) return near;
  for (int i = 0; i < step->m; i++) {
    ritt_real d = (step->z_new[i] - step->z[i]) / ritti_size_of(S, i);
    square += d * d;
  }
  return RITTI_MATH(fmax)(near, RITTI_MATH(sqrt)(square));
}

const ritt_special *ritti_meeting_cross(ritti_solver *S, ritt_real s_new, ritt_real *before) {
  ritt_real low = before_crossing(S, s_new), arc = 0, theta = (low - S->s) / S->step.h,
            volume = S->meet.volume;
  if (ritti_stepper_length_to(&S->step, theta, S->metric, S->row_z, S->row_top, &arc) != RITT_OK)
    arc = NAN;
  if (ritti_stepper_dense(&S->step, theta, low, S->row_z, S->row_top) != RITT_OK)
    memcpy(S->row_z, S->step.z, (size_t)S->problem->m * sizeof *S->row_z);
  bool found = ritti_singular_within(S, S->row_z, reach_of(S)), fold = !found && sees_folds(S);
  const ritti_singular *at = found ? &S->meet.at : NULL;
  const char *kind = fold ? "fold" : ritti_singular_word(found ? at->kind : RITTI_POINT_UNKNOWN);
  bool passed = S->options.through && !fold && !(found && is_spiral(at->kind));
  ritti_meeting_forget(S);
  S->meet.volume = volume;
  *before = low;
  if (fold && S->options.constant_step == 0) return NULL;
  S->singulars += passed;
  return ritti_note_special(S, kind, passed, found ? at->z : S->row_z, S->travelled + arc, at);
}

ritt_status ritti_meeting_stop_before(ritti_solver *S, ritti_row_plan *plan, ritt_real s_new,
                                      ritt_real before, const ritt_special *special,
                                      ritt_error *error) {
  if (before != S->s && ritti_rows_of_step(S, plan, s_new, before) == RITT_OK) {
    RITT_TRY(ritti_fine_points(S, plan, s_new - S->s, (before - S->s) / S->step.h));
    ritti_reach(S, before);
  }
  if (special->sigmas == 0 && sees_folds(S)) return ritti_stop_over_fold(S, special, error);
  return ritti_stop_singular(S, special, hint_of(S), error);
}
