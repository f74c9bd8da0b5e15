/* Statistics: those of the drivers of a session, added up. */
#include <math.h>
#include "session.h"

void ritti_session_add_statistics(const ritti_driver *d, ritt_statistics *out) {
  const ritti_passage *way = &d->crossing.way; /* near crossings; nothing where there are none */
  out->accepted += d->count.accepted;
  out->rejected += d->count.rejected;
  out->evaluations += d->direction.evaluations + way->direction.evaluations;
  out->projections += d->manifold.counts.projections + way->manifold.counts.projections;
  out->newton_iterations += d->manifold.counts.iterations + way->manifold.counts.iterations;
  out->failed_projections += d->manifold.counts.failures + way->manifold.counts.failures;
  out->factorisations += d->manifold.counts.factorisations + way->manifold.counts.factorisations;
  out->matrix_products += d->manifold.counts.products;
  out->second_derivatives += d->manifold.counts.second;
  out->stage_jacobians += d->step.counts.jacobians;
  out->stage_factorisations += d->step.counts.factorisations;
  out->stage_iterations += d->step.counts.iterations;
  out->failed_stages += d->step.counts.failures;
  const ritti_vibration *vibration = ritti_stepper_vibration(&d->step);
  if ((double)vibration->first > out->vibration) {
    out->vibration = (double)vibration->first;
    out->vibration_steps = vibration->going ? 0 : vibration->steps;
  }
  out->stability_limited += d->stiffness.limited;
  out->stiff = ritti_stiff(out->stability_limited, out->accepted);
  out->rows += d->count.rows;
  if (!((double)d->count.largest_residual <= out->largest_residual))
    out->largest_residual = (double)d->count.largest_residual;
  out->events += d->count.events;
  out->switches += d->count.switches;
  out->slidings += d->count.slidings;
  out->rests += d->count.rests;
  if (d->count.rests > 0) {
    out->rest_event = d->problem->event[d->count.rest_event].name;
    out->rest_at = (double)d->count.rest_s;
  }
  if (RITTI_MATH(fabs)(d->count.forced.move) > fabs(out->jump_move)) {
    const ritti_problem *p = d->problem;
    out->jump_move = (double)d->count.forced.move, out->jump_at = (double)d->count.forced.s;
    out->jump_moved =
        p->name.coordinate ? p->name.coordinate(p->data, d->count.forced.coordinate) : "";
  }
  if (d->ended_by >= 0) out->ended_by = d->problem->event[d->ended_by].name;
  out->impasse_points += d->count.impasses;
  if (d->count.impasses) out->last_impasse = (double)d->count.impasse_x;
  out->singular_points += d->count.singulars;
  out->crossings += d->count.crossings;
  for (int i = 0; i < d->count.specials && out->specials < RITT_MOST_SPECIAL; i++)
    out->special[out->specials++] = d->count.special[i];
  out->arc = (double)d->at.travelled;
  out->x = (double)ritti_driver_place(d);
}

/* Coordinates that are not 0, not even up to rounding, but stay below their absolute tolerances. */
static void find_below(const ritti_driver *d, ritt_statistics *out) {
  const ritti_problem *p = d->problem;
  ritt_real most = 0;
  for (int i = 1; i < p->m; i++) most = RITTI_MATH(fmax)(most, d->sizes.largest[i]);
  for (int i = 1; i < p->m; i++) {
    if (!ritti_stays_below(d, i) || d->sizes.largest[i] <= (ritt_real)1e-13 * most) continue;
    if (out->below++ > 0) continue;
    out->below_name = p->name.coordinate ? p->name.coordinate(p->data, i) : "";
    out->below_size = (double)d->sizes.largest[i];
    out->below_absolute = (double)d->sizes.absolute[i];
  }
}

/* The algebraic unknown whose error is largest relative to its size. */
static void find_algebraic_error(const ritti_session *S, ritt_statistics *out) {
  const ritti_driver *d = S->driver;
  const ritti_reduced *reduced = S->now.reduced;
  ritt_real most = 0;
  for (int i = 0; d->tops.size && reduced && i < d->problem->tops; i++) {
    ritt_real error = d->tops.largest_error[i], size = d->tops.size[i];
    if (!(size > 0 && error > most * size)) continue;
    int variable = ritti_index_of(reduced->model->dag, reduced->top[i]);
    most = error / size;
    out->algebraic_name = reduced->model->variable[variable].name;
    out->algebraic_error = (double)error;
    out->algebraic_size = (double)size;
  }
}

void ritti_session_statistics(const ritti_session *S, ritt_statistics *out) {
  *out = S->statistics;
  ritti_session_add_statistics(S->driver, out);
  if (S->driver->adaptive) find_below(S->driver, out);
  if (S->driver->adaptive) find_algebraic_error(S, out);
  out->method = S->settings.solve.tableau->name;
  out->tolerance = S->settings.tolerance;
  out->precision = RITTI_REAL_IS_DOUBLE ? "double" : "quad";
  out->automatic = S->choice.automatic;
  out->turned = S->choice.changes > 0 ? S->choice.switched_at : NAN;
  out->returned = S->choice.changes > 1 ? S->choice.returned_at : NAN;
  out->method_changes = S->choice.changes;
  out->stiff = out->stiff && S->choice.changes == 0;
  out->end = S->settings.end;
  out->seconds = (double)ritti_session_time(S) / CLOCKS_PER_SEC;
  out->native = S->code.native;
  out->native_reason = RITTI_REAL_IS_DOUBLE ? ritti_session_code_reason(S) : NULL;
}
