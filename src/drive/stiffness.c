/* Would another method do better: an implicit one, because the system is stiff, or an explicit one,
 * because it no longer is?
 *
 * If stability limits the steps of an explicit method, the control lets h grow until h times the
 * largest eigenvalue of dV is at the border of the method's region of stability. So some steps are
 * examined, and all of them once one was at that border (Hairer and Wanner, Solving ODEs II, IV.2).
 * With tight tolerances the steps of a stiff system are shorter: errors in the stiff directions
 * limit them. There V changes much more slowly along the solution than the eigenvalue says, and it
 * does so in many steps. An implicit method gives way if an explicit one would be stable with its
 * steps.
 */
#include "drive/driver_impl.h"
#include "geometry/leg.h"

enum { CLEARLY = 6, MANY = 50 };
/* steps that decide: at the border; smooth ones; those of an implicit method */
enum { IN_A_ROW = 15, SMOOTH_IN_A_ROW = 25, MILD_IN_A_ROW = 30 };
static const ritt_real BORDER = (ritt_real)0.8;        /* of the region of stability */
static const ritt_real SMOOTH_BORDER = (ritt_real)0.1; /* if V changes slowly */
static const ritt_real SLOWLY = 50; /* this many times more slowly than the eigenvalue says */
static const ritt_real EXPLICIT_STEP = (ritt_real)1.5; /* h times the eigenvalue, for any method */

/* Does V change much more slowly over the step than at the rate of the eigenvalue? err holds the
 * units of the coordinates. */
static bool changes_slowly(const ritti_driver *d, ritt_real h_times_eigenvalue) {
  const ritti_stepper *step = &d->step;
  const ritt_real *V0 = step->V[0], *V1 = step->V[step->last];
  ritt_real size = 0, change = 0;
  for (int i = step->keep_x ? 1 : 0; i < step->m; i++) {
    ritt_real v = V1[i] / d->err[i], dv = (V1[i] - V0[i]) / d->err[i];
    size += v * v;
    change += dv * dv;
  }
  ritt_real rate = SLOWLY * SLOWLY * change, most = h_times_eigenvalue * h_times_eigenvalue * size;
  return most > rate;
}

/* Steps to be tried before the next look. Runs side by side look at the same time, since rejected
 * steps count. */
long ritti_until_stiffness(const ritti_driver *d) {
  const long over = (d->count.accepted + d->count.rejected) % RITTI_STIFF_EVERY;
  return over ? RITTI_STIFF_EVERY - over : 0;
}

static void look_at_implicit(ritti_driver *d, ritt_real h_times_eigenvalue) {
  ritti_stiffness_watch *T = &d->stiffness;
  bool mild = h_times_eigenvalue > 0 && h_times_eigenvalue < EXPLICIT_STEP;
  T->row = mild ? T->row + 1 : 0;
}

void ritti_stiffness_look(ritti_driver *d) {
  ritti_stiffness_watch *T = &d->stiffness;
  ritti_stepper *step = &d->step;
  bool implicit = ritti_is_implicit(step->tableau);
  if (!step->by->stiffness || (implicit && !d->options.automatic)) return;
  if (!implicit && T->row == 0 && T->smooth == 0 && ritti_until_stiffness(d) > 0) return;

  ritt_real border = 0;
  for (int i = 0; i < step->m; i++) d->err[i] = ritti_control_scale(d, i, step->z_new[i]);
  ritt_real product = step->by->stiffness(step, d->err, &border);
  if (implicit) {
    look_at_implicit(d, product);
    return;
  }
  T->looked++;
  bool limited = product > BORDER * border, known = border > 0 && product > 0;
  bool smooth = known && product > SMOOTH_BORDER * border && changes_slowly(d, product);
  if (limited || smooth) T->limited++;
  T->smooth = smooth ? T->smooth + 1 : 0;
  if (limited) {
    T->row++;
    T->others = 0;
  } else if (++T->others >= CLEARLY) {
    T->row = 0;
  }
}

bool ritti_stiff(long limited, long accepted) { return limited >= MANY && 4 * limited >= accepted; }

/* Not while it slides or is on its way to a place within a step. */
bool ritti_stiffness_turn(const ritti_driver *d) {
  const ritti_stiffness_watch *T = &d->stiffness;
  bool implicit = ritti_is_implicit(d->step.tableau);
  bool due = T->row >= (implicit ? MILD_IN_A_ROW : IN_A_ROW) || T->smooth >= SMOOTH_IN_A_ROW;
  return d->options.automatic && due && d->at.z == d->step.z && !d->slide && !d->next.has_goal &&
         !d->at.stepper_stale;
}
