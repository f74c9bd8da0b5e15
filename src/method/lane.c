/* A run among others that take their whole steps at once, in the lanes of vectors
 * (geometry/lanes.h).
 *
 * A step is asked for and answered later: the stepper is told the first time that there is nothing,
 * and what it would have told native code stays as it is; with the answer it is asked again, and
 * what a step alone would have given stands in its place, bit by bit.
 */
#include <stddef.h>
#include "method/step.h"

static int ask(ritti_step_job *W) {
  ritti_stepper *step = (ritti_stepper *)(void *)((char *)W - offsetof(ritti_stepper, whole));
  step->lane->state = RITTI_LANE_ASKS;
  step->lane->step = W;
  return RITTI_STEP_NOTHING;
}

static int answer(ritti_step_job *W) {
  (void)W;
  return RITTI_STEP_WHOLE;
}

ritti_step_function *ritti_lane_step(ritti_lane *lane, const ritti_step_job *W,
                                     ritti_step_function *alone) {
  if (!W->relative || !W->metric) return alone;
  if (lane->state != RITTI_LANE_ANSWERED) return ask;
  lane->state = RITTI_LANE_FREE;
  return lane->done ? answer : alone;
}
