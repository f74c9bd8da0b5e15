/* Steps of several runs at once.
 *
 * A run that has code for batches (together.c) pauses where it would take a step by itself
 * (solve/cruise.c). When several runs of one thread wait, one call takes the steps of all of them.
 * Every run gets the same bits as it would alone.
 */
#include "session.h"
#include "together.h"

enum { FEWEST = 3 }; /* a batch of fewer runs is not faster */

/* The session of a solver that can be batched; NULL: its engine has no batches. */
static ritti_session *session_of(const ritt_solver *solver) {
  return solver && solver->engine == &ritti_engine_calls ? solver->session : NULL;
}

void ritti_batch_join(ritti_session *S) {
  const ritti_compiling *c = &S->compiling;
  if (!S->among || !c->shared || S->driver->step.lane || S->driver->problem != c->problem) return;
  if (!c->native || !ritti_shared_batch_step(c->shared)) return;
  S->lane.state = RITTI_LANE_FREE;
  S->driver->step.lane = &S->lane;
}

static bool waits_for_step(const ritti_session *S) {
  return S && S->paused && S->driver->step.lane && S->lane.state == RITTI_LANE_ASKS;
}

ritt_status ritti_together_run(ritt_solver *solver, ritt_row row, void *user, bool *over,
                               ritt_error *error) {
  ritti_session *S = session_of(solver);
  if (S && !S->among) {
    S->among = true;
    ritti_batch_join(S);
  }
  *over = false;
  if (waits_for_step(S)) return RITT_OK;
  return solver->engine->run_slice(solver->session, row, user, over, error);
}

/* Takes one step of each session. Returns true if all of them wait for the next one already. */
static bool take_steps(ritti_lanes_step *take, ritti_session *const *S, int count) {
  ritti_step_job *step[RITTI_TOGETHER];
  int done[RITTI_TOGETHER] = {0};
  bool all = count >= FEWEST;
  for (int i = 0; i < count; i++) step[i] = S[i]->lane.step;
  if (count >= FEWEST) take(count, step, done);
  for (int i = 0; i < count; i++) {
    ritti_lane *lane = &S[i]->lane;
    lane->state = RITTI_LANE_ANSWERED, lane->done = done[i];
    lane->taken += done[i];
    bool on = ritti_cruise_on(S[i]->driver);
    all = all && on;
  }
  return all;
}

void ritti_together_step(ritt_solver *const *solver, int count) {
  bool served[RITTI_TOGETHER] = {false};
  for (int i = 0; i < count; i++) {
    ritti_session *batch[RITTI_TOGETHER];
    int found = 0;
    if (served[i] || !waits_for_step(session_of(solver[i]))) continue;

    /* all that wait for the same code */
    const struct ritti_shared *code = solver[i]->session->compiling.shared;
    for (int j = i; j < count; j++) {
      ritti_session *S = session_of(solver[j]);
      if (!waits_for_step(S) || S->compiling.shared != code) continue;
      batch[found++] = S;
      served[j] = true;
    }
    while (take_steps(ritti_shared_batch_step(code), batch, found)) continue;
  }
}

void ritti_together_leave(ritt_solver *solver) {
  ritti_session *S = session_of(solver);
  if (!S) return;
  S->among = false;
  S->driver->step.lane = NULL; /* a step that the run waits for is taken alone */
}

long ritti_together_steps(const ritt_solver *solver) {
  const ritti_session *S = session_of(solver);
  return S ? S->lane.taken : 0;
}
