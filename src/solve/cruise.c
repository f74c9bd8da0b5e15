/* Cruising: one step of native code after the other while nothing is asked for but where they end.
 *
 * In: a solver whose steps are taken whole (method/explicit.c), with rows ahead. Out: the same
 * solver some steps later, before the first one in which anything else is to be done: it is near a
 * row or the end, an event is watched for, native code gives a step back, or it waits for a step
 * that is taken with those of others. The decisions are those of solver.c, which takes over there,
 * and so are the bits; those are left out that cannot be other here.
 */
#include "solve/solve_impl.h"

static bool may_cruise(const ritti_solver *S, const ritti_row_plan *plan) {
  const ritti_stepper *step = &S->step;
  const ritti_problem *p = S->problem;
  /* native code would take the stages only, for nothing */
  if (!ritti_are_small_rows(S->manifold.variant == RITTI_PROJECT_SEQUENTIAL, p->constraints, p->k))
    return false;
  return S->options.constant_step == 0 && S->options.control != RITTI_CONTROL_PAPERS &&
         !S->derivative && p->monitors == 0 && !S->cut && !S->has_goal && !S->unplaced &&
         step->manifold == &S->manifold && step->direction == &S->direction && !plan->rows->fine &&
         !(plan->taker && ritti_row_every_step(plan));
}

typedef ritti_road road;

/* Where the next step ends, if that is well before anything to come. */
static bool is_free(const ritti_solver *S, const road *R, ritt_real *s_new) {
  ritt_real h = S->h;
  *s_new = S->s + h;
  return 2 * RITTI_MATH(fabs)(h) <= RITTI_MATH(fabs)(R->end - S->s) &&
         (R->row - *s_new) * R->along > 0 && !ritti_too_small(S, *s_new - S->s, R->end - R->from);
}

/* One step by native code that meets the tolerance, to *s_new; S->tried: there were longer ones
 * that did not. false: there is none. */
static bool take_one(ritti_solver *S, ritti_step_function *whole, const road *R, ritt_real *s_new) {
  ritti_stepper *step = &S->step;
  while (is_free(S, R, s_new)) {
    ritt_real wanted = S->h;
    ritti_stepper_begin(step, *s_new - S->s);
    step->directed = true;
    ritti_step_function *how =
        step->lane ? ritti_lane_step(step->lane, &step->whole, whole) : whole;
    int done = ritti_stepper_run_job(step, how, *s_new);
    step->directed = false;
    S->waiting = step->lane && step->lane->state == RITTI_LANE_ASKS;
    if (done != RITTI_STEP_WHOLE) return false;
    step->complete = true;
    for (int i = 0; i < S->problem->tops; i++) step->top_new[i] = S->direction.top[i];
    ritt_real square = ritti_seen_square(S, &step->seen), factor = ritti_control_factor(S, square);
    S->h = step->h * factor;
    if (!(square <= 1)) {
      S->rejected++;
      S->tried = true;
      continue;
    }
    ritti_stiffness_look(S);
    if (S->tried && factor > 1) factor = 1, S->h = step->h;
    S->tried = false;
    ritti_control_accept(S, square);
    if (factor >= 1 && RITTI_MATH(fabs)(S->h) < RITTI_MATH(fabs)(wanted)) S->h = wanted;
    return true;
  }
  return false;
}

ritt_status ritti_cruise(ritti_solver *S, ritti_row_plan *plan, bool *looked, bool *done,
                         ritt_error *error) {
  ritti_step_function *whole = may_cruise(S, plan) ? ritti_stepper_step_function(&S->step) : NULL;
  const bool watched = ritti_is_watched(S);
  ritti_meetings met;
  if (!whole) return RITT_OK;
  RITT_TRY(S->manifold.gave_up);
  road R = {
      .from = plan->from, .end = plan->end, .row = plan->end, .along = plan->end < S->s ? -1 : 1};
  if (!ritti_row_every_step(plan) && ritti_row_left(plan))
    R.row = ritti_row_place(plan, plan->next);
  met.sign = 0, met.again = met.done = false;
  S->road = R, S->freely = watched ? NULL : whole;
  for (;;) {
    ritt_real s_new;
    bool waited = S->waiting; /* this is the same step */
    *looked = waited && watched, S->waiting = false;
    if (S->options.max_steps && S->accepted >= S->options.max_steps) return RITT_OK;
    if (ritti_stiffness_turn(S)) return RITT_OK;
    if (!waited) ritti_control_metric(S);
    if (watched && !waited) {
      RITT_TRY(ritti_stop(S, ritti_look_ahead(S, plan, done, error), error));
      *looked = true;
      if (*done || S->step.direction != &S->direction) return RITT_OK;
    }
    if (!take_one(S, whole, &R, &s_new)) return RITT_OK;
    if (watched) RITT_TRY(ritti_stop(S, ritti_look_at_step(S, plan, &s_new, &met, error), error));
    *done = met.done;
    if (met.done) return RITT_OK;
    if (met.again) continue;
    ritti_accept(S, s_new, met.sign);
    RITT_TRY(S->manifold.gave_up);
    S->busy = false;
    if (S->after_step && S->running) RITT_TRY(S->after_step(S->after_step_user, S));
    S->busy = true;
  }
}

bool ritti_cruise_on(ritti_solver *S) {
  const ritti_lane *lane = S->step.lane;
  if (!S->waiting || !S->freely || !lane || lane->state != RITTI_LANE_ANSWERED || !lane->done ||
      S->manifold.gave_up != RITT_OK)
    return false;
  S->waiting = false;
  for (;;) {
    ritt_real s_new;
    if (!take_one(S, S->freely, &S->road, &s_new)) return S->waiting;
    ritti_accept(S, s_new, 0);
    /* who watches and ends the run is heard when it goes on */
    if (S->after_step) S->manifold.gave_up = S->after_step(S->after_step_user, S);
    if (S->manifold.gave_up != RITT_OK) return false;
    if ((S->options.max_steps && S->accepted >= S->options.max_steps) || ritti_stiffness_turn(S))
      return false;
    ritti_control_metric(S);
  }
}
