/* Rows: their places, and the points of the solution there. ritti_write_row is the one function that
 * hands a row to the caller. */
#include "drive/driver_impl.h"

void ritti_note_residual(ritti_driver *d, const ritt_real *z) {
  ritt_real r = ritti_manifold_residual(&d->manifold, z);
  if (!(r <= d->count.largest_residual)) d->count.largest_residual = r;
}

/* Every row but the last is strictly before the end. */
ritt_real ritti_row_place(const ritti_driver *d, long i) {
  ritt_real length = d->plan.end - d->plan.from, s;
  if (d->plan.rows.at) return i < d->plan.rows.count ? d->plan.rows.at[i] : d->plan.end;
  if (d->plan.rows.points) {
    if (i >= d->plan.rows.points - 1) return d->plan.end;
    s = d->plan.from + length * (ritt_real)i / (ritt_real)(d->plan.rows.points - 1);
  } else {
    s = d->plan.from + (length < 0 ? -1 : 1) * d->plan.rows.step * (ritt_real)i;
    /* a row within rounding of the end is the end */
    if (RITTI_MATH(fabs)(d->plan.end - s) < (ritt_real)1e-9 * d->plan.rows.step) return d->plan.end;
  }
  return (d->plan.end - s) * length > 0 ? s : d->plan.end;
}

void ritti_find_row_horizon(ritti_driver *d) {
  ritti_row_plan *plan = &d->plan;
  bool every_step = ritti_row_every_step(d) || plan->rows.fine;
  plan->along = plan->end < plan->from ? -1 : 1;
  plan->horizon = plan->along * INFINITY;
  if (plan->resumable && every_step) plan->horizon = plan->from;
  else if (ritti_row_left(d)) plan->horizon = ritti_row_place(d, plan->next);
}

ritt_status ritti_write_row(ritti_driver *d, ritt_real s, const ritt_real *z,
                            const ritt_real *top) {
  d->plan.next++;
  d->plan.last = s;
  if (!ritti_row_every_step(d)) ritti_find_row_horizon(d);
  if (!d->plan.taker) return RITT_OK;
  d->count.rows++;
  return d->plan.taker(d->plan.user, s, z, top);
}

ritt_status ritti_write_step_row(ritti_driver *d, ritt_real s, const ritt_real *z,
                                 const ritt_real *top) {
  long every = d->plan.rows.every;
  if (every <= 1 || d->plan.next % every == 0 || s == d->plan.end)
    return ritti_write_row(d, s, z, top);
  d->plan.next++;
  return RITT_OK;
}

bool ritti_row_every_step(const ritti_driver *d) {
  return d->plan.rows.points == 0 && d->plan.rows.step == 0 && !d->plan.rows.at;
}

bool ritti_row_left(const ritti_driver *d) {
  return !ritti_row_every_step(d) && (!d->plan.rows.at || d->plan.next < d->plan.rows.count);
}

/* ---- fine points: for pictures ---- */

ritt_status ritti_write_fine(ritti_driver *d, ritt_real s, const ritt_real *z,
                             const ritt_real *top) {
  return d->plan.rows.fine ? d->plan.rows.fine(d->plan.user, s, z, top) : RITT_OK;
}

ritt_status ritti_fine_points(ritti_driver *d, ritt_real length, ritt_real until) {
  /* every step has some parts, so that bends have no corners, up to as many points as a picture
   * shows */
  enum { PARTS = 4, MANY = 200000 };
  ritti_stepper *step = &d->step;
  if (!d->plan.rows.fine) return RITT_OK;
  ritt_real parts =
      RITTI_MATH(ceil)(RITTI_MATH(fabs)(length * until) / d->plan.rows.spacing - (ritt_real)1e-9);
  parts = RITTI_MATH(fmax)(parts, d->plan.fine < MANY ? PARTS : 1);
  d->plan.fine += (long)parts;
  for (ritt_real i = 1; i <= parts; i++) {
    ritt_real theta = until * i / parts, s = d->at.s + theta * length;
    if (i == parts && until == 1) {
      RITT_TRY(ritti_write_fine(d, d->at.s + length, step->z_new, step->top_new));
    } else if (ritti_stepper_dense(step, theta, s, d->row_z, d->row_top) == RITT_OK) {
      /* a point that cannot be computed is left out */
      RITT_TRY(ritti_write_fine(d, s, d->row_z, d->row_top));
    }
  }
  return RITT_OK;
}

/* ---- the rows of a step ---- */

/* Computes the point at s of the step just taken, to row_z and row_top. */
static ritt_status find_row(ritti_driver *d, ritt_real s) {
  RITT_TRY(ritti_stepper_dense(&d->step, (s - d->at.s) / d->step.h, s, d->row_z, d->row_top));
  ritti_note_residual(d, d->row_z);
  return RITT_OK;
}

/* Writes the row at the end of the step just taken. While sliding, the sides that outputs see are
 * those of the point evaluated last, which may be a row before it. */
static ritt_status write_end_of_step(ritti_driver *d, ritt_real s_new) {
  if (d->slide) RITT_TRY(ritti_direction_at(d->step.direction, d->step.z_new, d->err3));
  return ritti_write_row(d, s_new, d->step.z_new, d->step.top_new);
}

ritt_status ritti_rows_of_step(ritti_driver *d, ritt_real s_new, ritt_real until) {
  const ritti_stepper *step = &d->step;
  ritt_real along = s_new > d->at.s ? 1 : -1;
  if (ritti_row_every_step(d)) {
    if (until == s_new) return ritti_write_step_row(d, s_new, step->z_new, step->top_new);
    RITT_TRY(find_row(d, until));
    return ritti_write_row(d, until, d->row_z, d->row_top);
  }
  while (ritti_row_left(d)) {
    ritt_real s = ritti_row_place(d, d->plan.next);
    if ((s - until) * along > 0) return RITT_OK;
    if (s == s_new) {
      RITT_TRY(write_end_of_step(d, s));
    } else {
      RITT_TRY(find_row(d, s));
      RITT_TRY(ritti_write_row(d, s, d->row_z, d->row_top));
    }
    if (s == d->plan.end) return RITT_OK;
  }
  return RITT_OK;
}

/* ---- the end inside a step ---- */

void ritti_stand_in_row(ritti_driver *d) {
  d->at.z = d->row_z;
  d->at.top = d->row_top;
}

ritt_status ritti_end_in_row(ritti_driver *d) {
  bool listed = ritti_row_left(d) && ritti_row_place(d, d->plan.next) == d->plan.end;
  d->at.s = d->at.step_start = d->plan.end;
  d->at.stepper_stale = true;
  ritti_stand_in_row(d);
  if (d->plan.rows.at && !listed) return RITT_OK;
  return ritti_write_row(d, d->plan.end, d->row_z, d->row_top);
}
