/* Are the steps of an explicit method limited by its stability, so that an implicit one would do
 * better?
 *
 * If they are, the control lets h grow until h times the largest eigenvalue of dV is at the
 * border of the method's region of stability. So some steps are examined, and all of them once
 * one was at that border (Hairer and Wanner, Solving ODEs II, IV.2).
 */
#include "drive/driver_impl.h"

enum { NOW_AND_THEN = 10, CLEARLY = 6, MANY = 50, IN_A_ROW = 15 };
static const ritt_real BORDER = (ritt_real)0.8;

void ritti_stiffness_look(ritti_driver *d) {
  ritti_stiffness_watch *T = &d->stiffness;
  ritti_stepper *step = &d->step;
  if (!step->by->stiffness || (T->row == 0 && d->count.accepted % NOW_AND_THEN != 0)) return;
  for (int i = 0; i < step->m; i++) d->err[i] = ritti_control_scale(d, i, step->z_new[i]);
  ritt_real ratio = step->by->stiffness(step, d->err);
  T->looked++;
  if (ratio > BORDER) {
    T->limited++, T->row++, T->others = 0;
  } else if (++T->others >= CLEARLY) {
    T->row = 0;
  }
}

bool ritti_stiff(long limited, long accepted) { return limited >= MANY && 4 * limited >= accepted; }

/* Not while it slides or is on its way to a place within a step. */
bool ritti_stiffness_turn(const ritti_driver *d) {
  return d->options.automatic && d->stiffness.row >= IN_A_ROW && d->at.z == d->step.z &&
         !d->slide && !d->next.has_goal && !d->at.stepper_stale;
}
