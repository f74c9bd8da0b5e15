/* What the solvers of a run did, as ritt_statistics. */
#include <math.h>
#include "quad.h"
#include "solver.h"

/* Adds what one solver did. */
void ritti_solver_add_statistics(const ritti_solver *S, ritt_statistics *out) {
  const ritti_passage *way = &S->cross.way; /* near crossings; nothing where there are none */
  out->accepted += S->accepted;
  out->rejected += S->rejected;
  out->evaluations += S->direction.evaluations + way->direction.evaluations;
  out->projections += S->manifold.projections + way->manifold.projections;
  out->newton_iterations += S->manifold.iterations + way->manifold.iterations;
  out->failed_projections += S->manifold.failures + way->manifold.failures;
  out->factorisations += S->manifold.factorisations + way->manifold.factorisations;
  out->matrix_products += S->manifold.products;
  out->second_derivatives += S->manifold.second;
  out->stage_jacobians += S->step.counts.jacobians;
  out->stage_factorisations += S->step.counts.factorisations;
  out->stage_iterations += S->step.counts.iterations;
  out->failed_stages += S->step.counts.failures;
  const ritti_vibration *vibration = ritti_stepper_vibration(&S->step);
  if ((double)vibration->first > out->vibration) {
    out->vibration = (double)vibration->first;
    out->vibration_steps = vibration->going ? 0 : vibration->steps;
  }
  out->stability_limited += S->stiff.limited;
  out->stiff = ritti_stiff(out->stability_limited, out->accepted);
  out->rows += S->rows;
  if (!((double)S->largest_residual <= out->largest_residual))
    out->largest_residual = (double)S->largest_residual;
  out->events += S->events;
  out->switches += S->switches;
  out->slidings += S->slidings;
  if (RITTI_MATH(fabs)(S->forced.move) > fabs(out->jump_move)) {
    const ritti_problem *p = S->problem;
    out->jump_move = (double)S->forced.move, out->jump_at = (double)S->forced.s;
    out->jump_moved = p->coordinate_name ? p->coordinate_name(p->data, S->forced.coordinate) : "";
  }
  if (S->ended >= 0) out->ended_by = S->problem->event[S->ended].name;
  out->impasse_points += S->impasses;
  if (S->impasses) out->last_impasse = (double)S->impasse_x;
  out->singular_points += S->singulars;
  out->crossings += S->crossings;
  for (int i = 0; i < S->specials && out->specials < RITT_MOST_SPECIAL; i++)
    out->special[out->specials++] = S->special[i];
  out->arc = (double)S->travelled;
  out->x = (double)S->s;
}

void ritt_solver_statistics(const ritt_solver *S, ritt_statistics *out) {
  if (S->quad) {
    ritti_quad_calls()->statistics(S->quad, out);
    return;
  }
  *out = S->statistics;
  ritti_solver_add_statistics(S->solver, out);
  out->method = S->settings.solve.tableau->name;
  out->tolerance = S->settings.tolerance;
  out->precision = RITTI_IS_QUAD ? "quad" : "double";
  out->automatic = S->automatic;
  out->turned = S->implicit ? S->turned : NAN;
  out->stiff = out->stiff && !S->implicit;
  out->end = S->settings.end;
  out->seconds = (double)ritti_solver_spent(S) / CLOCKS_PER_SEC;
  out->native = S->compiling.native;
  out->native_reason = ritti_compiling_reason(S);
}
