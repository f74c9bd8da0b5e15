/* Simplified Newton iterations for the stages of implicit methods: how they contract, when they
 * stop, what is kept from step to step. Rates as in section IV.8 of E. Hairer, G. Wanner, Solving
 * Ordinary Differential Equations II (1996); the linear systems are the families' own.
 */
#include "step/implicit_impl.h"

/* ---- from step to step ---- */

ritt_real ritti_stage_newton_stop(ritt_real least) {
  if (least == 0) return 4 * RITTI_EPS;
  return RITTI_MATH(fmax)(10 * RITTI_EPS / least,
                          RITTI_MATH(fmin)((ritt_real)0.03, RITTI_MATH(sqrt)(least)));
}

void ritti_stage_newton_forget(ritti_stage_newton *N) {
  N->from = NULL;
  N->done = N->predicts = false;
  N->stale = true;
  N->theta = 2 * RITTI_STAGE_KEEP;
  N->eta = 1;
}

void ritti_stage_newton_begin(ritti_stage_newton *N, const ritt_real *z) {
  N->predicts = N->done;
  if (N->done) N->old_h = N->h;
  N->from = z;
  N->fresh = N->done = false;
  if (N->theta > RITTI_STAGE_KEEP) N->stale = true;
}

void ritti_stage_newton_state(ritti_stage_newton *N, const ritti_stepper *step,
                              ritti_state *state) {
  bool any = N->from != NULL, again = N->from == step->z;
  ritti_state_bool(state, "newton.any", &any);
  ritti_state_bool(state, "newton.again", &again);
  ritti_state_bool(state, "newton.done", &N->done);
  ritti_state_bool(state, "newton.predicts", &N->predicts);
  ritti_state_bool(state, "newton.stale", &N->stale);
  ritti_state_bool(state, "newton.fresh", &N->fresh);
  ritti_state_reals(state, "newton.factored", &N->factored, 1);
  ritti_state_reals(state, "newton.theta", &N->theta, 1);
  ritti_state_reals(state, "newton.eta", &N->eta, 1);
  ritti_state_reals(state, "newton.h", &N->h, 1);
  ritti_state_reals(state, "newton.old_h", &N->old_h, 1);
  ritti_state_ints(state, "newton.found", &N->found, 1, 0, RITTI_STAGE_ROUNDING_ITERATIONS);
  if (state->mode == RITTI_STATE_LOAD) N->from = !any ? NULL : again ? step->z : step->z_new;
}

/* ---- one step ---- */

ritt_status ritti_stages_fail(ritti_stepper *step, ritt_real shorten) {
  step->direction->trouble = RITTI_NO_STAGES;
  memcpy(step->direction->where, step->z, (size_t)step->m * sizeof *step->z);
  step->shorten = shorten;
  return RITT_RETRY;
}

void ritti_stages_scale(const ritti_stepper *step, const ritt_real *loose, ritt_real *scale) {
  for (int i = 0; i < step->m; i++) {
    ritt_real size = RITTI_MATH(fabs)(step->z[i]);
    if (!step->relative) {
      scale[i] = RITTI_MATH(fmax)(size, step->manifold->size[i]);
      continue;
    }
    /* stages are found for coordinates without error control, too */
    ritt_real absolute = step->absolute[i];
    if (absolute == RITTI_UNCONTROLLED) absolute = step->relative[i] * step->manifold->size[i];
    scale[i] = (step->relative[i] * size + absolute) * (loose ? loose[i] : 1);
  }
}

bool ritti_stage_newton_factored(const ritti_stage_newton *N, ritt_real h) {
  return RITTI_MATH(fabs)(h - N->factored) <= (ritt_real)1e-8 * RITTI_MATH(fabs)(h);
}

ritti_stage_progress ritti_stage_newton_start(ritti_stage_newton *N) {
  N->eta = ritti_stage_first_eta(N->eta);
  N->theta = RITTI_STAGE_KEEP;
  return (ritti_stage_progress){0};
}

bool ritti_stage_newton_rate(ritti_stage_newton *N, ritti_stage_progress *now) {
  return ritti_stage_rate(now, &N->theta, &N->eta);
}

bool ritti_stage_newton_at_rounding(const ritti_stepper *step, const ritti_stage_progress *now) {
  return !step->relative && now->done > 1 && now->change < (ritt_real)1e6 * RITTI_EPS &&
         !(now->change < now->before / 2);
}
