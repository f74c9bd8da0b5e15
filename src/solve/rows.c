/* Rows: where they are wanted, and the points of the solution there. */
#include "solve/driver_impl.h"

void ritti_note_residual(ritti_driver *d, const ritt_real *z) {
  ritt_real r = ritti_manifold_residual(&d->manifold, z);
  if (!(r <= d->count.largest_residual)) d->count.largest_residual = r;
}

void ritti_note_step_residual(ritti_driver *d) {
  if (!d->step.complete) ritti_note_residual(d, d->step.z_new);
  else if (!(d->step.seen.residual <= d->count.largest_residual))
    d->count.largest_residual = d->step.seen.residual;
}

/* Where row number i stands; every row but the end is strictly before it. */
ritt_real ritti_row_place(const ritti_row_plan *plan, long i) {
  ritt_real length = plan->end - plan->from, s;
  if (plan->rows->at) return i < plan->rows->count ? plan->rows->at[i] : plan->end;
  if (plan->rows->points) {
    if (i >= plan->rows->points - 1) return plan->end;
    s = plan->from + length * (ritt_real)i / (ritt_real)(plan->rows->points - 1);
  } else {
    s = plan->from + (length < 0 ? -1 : 1) * plan->rows->step * (ritt_real)i;
    /* a row within rounding of the end is the end */
    if (RITTI_MATH(fabs)(plan->end - s) < (ritt_real)1e-9 * plan->rows->step) return plan->end;
  }
  return (plan->end - s) * length > 0 ? s : plan->end;
}

ritt_status ritti_row_give(ritti_driver *d, ritti_row_plan *plan, ritt_real s, const ritt_real *z,
                           const ritt_real *top) {
  plan->next++;
  plan->last = s;
  if (!plan->taker) return RITT_OK;
  d->count.rows++;
  return plan->taker(plan->user, s, z, top);
}

ritt_status ritti_row_give_step(ritti_driver *d, ritti_row_plan *plan, ritt_real s,
                                const ritt_real *z, const ritt_real *top) {
  bool due = plan->rows->every <= 1 || plan->next % plan->rows->every == 0 || s == plan->end;
  if (due) return ritti_row_give(d, plan, s, z, top);
  plan->next++;
  return RITT_OK;
}

bool ritti_row_every_step(const ritti_row_plan *plan) {
  return plan->rows->points == 0 && plan->rows->step == 0 && !plan->rows->at;
}

bool ritti_row_left(const ritti_row_plan *plan) {
  return !plan->rows->at || plan->next < plan->rows->count;
}

/* ---- fine points: for pictures ---- */

ritt_status ritti_fine_points(ritti_driver *d, ritti_row_plan *plan, ritt_real length,
                              ritt_real until) {
  /* every step has some parts, so that turns have no corners, for as many points as a picture shows
   */
  enum { PARTS = 4, MANY = 200000 };
  ritti_stepper *step = &d->step;
  if (!plan->rows->fine) return RITT_OK;
  ritt_real parts =
      RITTI_MATH(ceil)(RITTI_MATH(fabs)(length * until) / plan->rows->spacing - (ritt_real)1e-9);
  parts = RITTI_MATH(fmax)(parts, plan->fine < MANY ? PARTS : 1);
  plan->fine += (long)parts;
  for (ritt_real i = 1; i <= parts; i++) {
    ritt_real theta = until * i / parts, s = d->at.s + theta * length;
    bool last = i == parts && until == 1;
    /* a point that cannot be had is left out */
    if (!last && ritti_stepper_dense(step, theta, s, d->row_z, d->row_top) != RITT_OK) continue;
    RITT_TRY(plan->rows->fine(plan->user, last ? d->at.s + length : s,
                              last ? step->z_new : d->row_z, last ? step->top_new : d->row_top));
  }
  return RITT_OK;
}

/* ---- the rows of a step ---- */

/* The rows in (s, until] of the step just taken from s to s_new. */
ritt_status ritti_rows_of_step(ritti_driver *d, ritti_row_plan *plan, ritt_real s_new,
                               ritt_real until) {
  ritti_stepper *step = &d->step;
  ritt_real along = s_new > d->at.s ? 1 : -1;
  if (ritti_row_every_step(plan)) {
    if (until == s_new) return ritti_row_give_step(d, plan, s_new, step->z_new, step->top_new);
    RITT_TRY(ritti_stepper_dense(step, (until - d->at.s) / step->h, until, d->row_z, d->row_top));
    ritti_note_residual(d, d->row_z);
    return ritti_row_give(d, plan, until, d->row_z, d->row_top);
  }
  while (ritti_row_left(plan)) {
    ritt_real s = ritti_row_place(plan, plan->next);
    if ((s - until) * along > 0) return RITT_OK;
    if (s == s_new) {
      RITT_TRY(ritti_row_give(d, plan, s, step->z_new, step->top_new));
    } else {
      RITT_TRY(ritti_stepper_dense(step, (s - d->at.s) / step->h, s, d->row_z, d->row_top));
      ritti_note_residual(d, d->row_z);
      RITT_TRY(ritti_row_give(d, plan, s, d->row_z, d->row_top));
    }
    if (s == plan->end) return RITT_OK;
  }
  return RITT_OK;
}
