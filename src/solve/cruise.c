/* Cruising: one step of native code after the other while nothing is asked for but where they end.
 *
 * In: a solver whose steps are taken whole (method/explicit.c), with rows ahead. Out: the same
 * solver some steps later, before the first one in which anything else is to be done: it is near a
 * row or the end, an event is watched for, native code gives a step back, or it waits for a step
 * that is taken with those of others. The decisions are those of solver.c, which takes over there,
 * and so are the bits; those are left out that cannot be other here.
 */
#include "solve/driver_impl.h"

static bool may_cruise(const ritti_driver *d, const ritti_row_plan *plan) {
  const ritti_stepper *step = &d->step;
  const ritti_problem *p = d->problem;
  /* native code would take the stages only, for nothing */
  if (!ritti_are_small_rows(d->manifold.variant == RITTI_PROJECT_SEQUENTIAL, p->constraints, p->k))
    return false;
  return d->options.constant_step == 0 && d->options.control != RITTI_CONTROL_PAPERS &&
         !d->derivative_order && p->monitors == 0 && !d->next.truncated && !d->next.has_goal &&
         !d->at.stepper_stale && step->manifold == &d->manifold &&
         step->direction == &d->direction && !plan->rows->fine &&
         !(plan->taker && ritti_row_every_step(plan));
}

typedef ritti_horizon road;

/* Where the next step ends, if that is well before anything to come. */
static bool is_free(const ritti_driver *d, const road *R, ritt_real *s_new) {
  ritt_real h = d->next.h;
  *s_new = d->at.s + h;
  return 2 * RITTI_MATH(fabs)(h) <= RITTI_MATH(fabs)(R->end - d->at.s) &&
         (R->row - *s_new) * R->along > 0 &&
         !ritti_too_small(d, *s_new - d->at.s, R->end - R->from);
}

/* One step by native code that meets the tolerance, to *s_new; d->next.retrying: there were longer
 * ones that did not. false: there is none. */
static bool take_one(ritti_driver *d, ritti_step_function *whole, const road *R, ritt_real *s_new) {
  ritti_stepper *step = &d->step;
  while (is_free(d, R, s_new)) {
    ritt_real wanted = d->next.h;
    ritti_stepper_begin(step, *s_new - d->at.s);
    step->directed = true;
    ritti_step_function *how =
        step->lane ? ritti_lane_step(step->lane, &step->whole, whole) : whole;
    int done = ritti_stepper_run_job(step, how, *s_new);
    step->directed = false;
    d->waiting = step->lane && step->lane->state == RITTI_LANE_ASKS;
    if (done != RITTI_STEP_WHOLE) return false;
    step->complete = true;
    for (int i = 0; i < d->problem->tops; i++) step->top_new[i] = d->direction.top[i];
    ritt_real square = ritti_seen_square(d, &step->seen), factor = ritti_control_factor(d, square);
    d->next.h = step->h * factor;
    if (!(square <= 1)) {
      d->count.rejected++;
      d->next.retrying = true;
      continue;
    }
    ritti_stiffness_look(d);
    if (d->next.retrying && factor > 1) factor = 1, d->next.h = step->h;
    d->next.retrying = false;
    ritti_control_accept(d, square);
    if (factor >= 1 && RITTI_MATH(fabs)(d->next.h) < RITTI_MATH(fabs)(wanted)) d->next.h = wanted;
    return true;
  }
  return false;
}

ritt_status ritti_cruise(ritti_driver *d, ritti_row_plan *plan, bool *looked, bool *done,
                         ritt_error *error) {
  ritti_step_function *whole = may_cruise(d, plan) ? ritti_stepper_step_function(&d->step) : NULL;
  const bool watched = ritti_is_watched(d);
  ritti_step_outcome met;
  if (!whole) return RITT_OK;
  RITT_TRY(d->manifold.gave_up);
  road R = {.from = plan->from,
            .end = plan->end,
            .row = plan->end,
            .along = plan->end < d->at.s ? -1 : 1};
  if (!ritti_row_every_step(plan) && ritti_row_left(plan))
    R.row = ritti_row_place(plan, plan->next);
  met.sign = 0, met.again = met.done = false;
  d->horizon = R, d->unwatched_step = watched ? NULL : whole;
  for (;;) {
    ritt_real s_new;
    bool waited = d->waiting; /* this is the same step */
    *looked = waited && watched, d->waiting = false;
    if (d->options.max_steps && d->count.accepted >= d->options.max_steps) return RITT_OK;
    if (ritti_stiffness_turn(d)) return RITT_OK;
    if (!waited) ritti_control_metric(d);
    if (watched && !waited) {
      RITT_TRY(ritti_stop(d, ritti_look_ahead(d, plan, done, error), error));
      *looked = true;
      if (*done || d->step.direction != &d->direction) return RITT_OK;
    }
    if (!take_one(d, whole, &R, &s_new)) return RITT_OK;
    if (watched) RITT_TRY(ritti_stop(d, ritti_look_at_step(d, plan, &s_new, &met, error), error));
    *done = met.done;
    if (met.done) return RITT_OK;
    if (met.again) continue;
    ritti_accept(d, s_new, met.sign);
    RITT_TRY(d->manifold.gave_up);
    d->busy = false;
    if (d->call.step && d->running) RITT_TRY(d->call.step(d->call.step_user, d));
    d->busy = true;
  }
}

bool ritti_cruise_on(ritti_driver *d) {
  const ritti_lane *lane = d->step.lane;
  if (!d->waiting || !d->unwatched_step || !lane || lane->state != RITTI_LANE_ANSWERED ||
      !lane->done || d->manifold.gave_up != RITT_OK)
    return false;
  d->waiting = false;
  for (;;) {
    ritt_real s_new;
    if (!take_one(d, d->unwatched_step, &d->horizon, &s_new)) return d->waiting;
    ritti_accept(d, s_new, 0);
    /* who watches and ends the run is heard when it goes on */
    if (d->call.step) d->manifold.gave_up = d->call.step(d->call.step_user, d);
    if (d->manifold.gave_up != RITT_OK) return false;
    if ((d->options.max_steps && d->count.accepted >= d->options.max_steps) ||
        ritti_stiffness_turn(d))
      return false;
    ritti_control_metric(d);
  }
}
