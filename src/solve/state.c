/* The state of a solver: all that later steps, rows, events and messages depend on.
 *
 * In: a solver between two steps, or bytes that another one like it gave. Out: the bytes; or the
 * solver as the other one was, which from then on does the same arithmetic to the last bit.
 *
 * One walk lists everything (base/state.h). A new piece of state of the solver is one more line of
 * it; of the stepper, the projection or the direction one more line in ritti_stepper_state,
 * ritti_manifold_state or ritti_direction_state; of a family of methods in the function `state` of
 * its ritti_stepping. What must be there is what the next step reads before it writes it:
 *
 *   - memory from step to step: histories of step-size control, warm starts, factors and Jacobians
 * that serve more than one step (ritti_linear_state with `factors`), choices that are kept while
 * they are good;
 *   - counts that are reported, or that decide something;
 *   - not what a step makes anew, what the options and the problem say, and room for scratch. A
 * cache that costs little may be dropped in place of being saved, if the step that follows is the
 * same without it.
 *
 * Pointers are told as what they point to. Numbers that serve as indices have bounds, since bytes
 * may come from anybody. test/law/t_state.c saves and loads at every step of runs with every method
 * and every variant: a piece that is missing here changes a bit there.
 */
#include <limits.h>
#include "solve/solve_impl.h"

/* ---- special points ---- */

/* The word itself, of those that the solver uses; NULL: it is none of them. */
static const char *word_of(const char *text) {
  static const char *const words[] = {"fold", "impasse point",
#define X(id, word) word,
                                      RITTI_SINGULAR_KINDS(X) RITTI_CROSSING_KINDS(X)
#undef X
  };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!strcmp(words[i], text)) return words[i];
  return NULL;
}

static void special_state(ritt_special *special, ritti_state *state) {
  char kind[64] = "";
  if (special->kind) ritti_format(kind, sizeof kind, "%s", special->kind);
  ritti_state_text(state, "special.kind", kind, sizeof kind);
  ritti_state_ints(state, "special.passed", &special->passed, 1, 0, 1);
  ritti_state_item(state, "special.x", &special->x, sizeof special->x);
  ritti_state_item(state, "special.arc", &special->arc, sizeof special->arc);
  ritti_state_text(state, "special.point", special->point, sizeof special->point);
  ritti_state_ints(state, "special.sigmas", &special->sigmas, 1, 0, RITTI_SIGMAS);
  ritti_state_item(state, "special.sigma", special->sigma, sizeof special->sigma);
  ritti_state_item(state, "special.eigenvalue", special->eigenvalue, sizeof special->eigenvalue);
  if (state->mode == RITTI_STATE_LOAD) special->kind = word_of(kind) ? word_of(kind) : "";
}

void ritti_specials_state(ritt_special *special, int *count, ritti_state *state) {
  ritti_state_ints(state, "specials", count, 1, 0, RITT_MOST_SPECIAL);
  for (int i = 0; i < RITT_MOST_SPECIAL; i++) special_state(&special[i], state);
}

/* ---- the parts ---- */

/* What both solvers must have been made with. */
static void same_options(const ritti_solver *S, ritti_state *state) {
  const ritti_solve_options *o = &S->options;
  const ritti_problem *p = S->problem;
  size_t m = (size_t)p->m;
  const int shape[] = {(int)p->kind, p->m,          p->k,         p->tops,       p->outputs,
                       p->events,    p->surfaces,   p->monitors,  p->df.rows,    p->A.rows,
                       p->positions, p->validities, p->symmetric, (int)p->forced};
  const int choices[] = {o->project_stages, (int)o->projection, (int)o->linear, o->predict,
                         (int)o->direction, o->through,         o->weighted,    (int)o->control,
                         o->doubled,        o->scaled,          (int)o->newton, o->hold};
  const ritt_real control[] = {o->fac, o->facmin, o->facmax, o->first_step};
  ritti_state_same_text(state, "the method", o->tableau->name);
  ritti_state_same(state, "the control of steps", control, sizeof control);
  ritti_state_same(state, "the variable of the run", &o->by_arc, sizeof o->by_arc);
  ritti_state_same(state, "the system", shape, sizeof shape);
  ritti_state_same(state, "a setting of the run", choices, sizeof choices);
  ritti_state_same(state, "the constant step", &o->constant_step, sizeof o->constant_step);
  ritti_state_same(state, "the largest number of steps", &o->max_steps, sizeof o->max_steps);
  ritti_state_same(state, "the tolerance", o->relative, m * sizeof *o->relative);
  ritti_state_same(state, "the absolute tolerance", o->absolute, m * sizeof *o->absolute);
  ritti_state_same(state, "a scale", o->scale, o->scale ? m * sizeof *o->scale : 0);
}

static void watch_state(ritti_watch *w, const ritti_problem *p, ritti_state *state) {
  size_t monitors = (size_t)p->monitors, events = (size_t)p->events;
  if (!monitors) return;
  ritti_state_ints(state, "watch.side", w->side, monitors, -1, 1);
  ritti_state_ints(state, "watch.was", w->was, monitors, -1, 1);
  for (size_t i = 0; i < monitors; i++) ritti_state_bool(state, "watch.due", &w->due[i]);
  ritti_state_reals(state, "watch.value", w->value, monitors);
  ritti_state_reals(state, "watch.level", w->level, monitors);
  ritti_state_reals(state, "watch.last", w->last, events);
  ritti_state_reals(state, "watch.interval", w->interval, events);
  ritti_state_longs(state, "watch.times", w->times, events);
  ritti_state_longs(state, "watch.shrunk", w->shrunk, events);
  ritti_state_reals(state, "watch.since", &w->since, 1);
  ritti_state_long(state, "watch.met", &w->met);
}

static void meeting_state(ritti_meeting *meet, size_t m, ritti_state *state) {
  int kind = (int)meet->at.kind;
  ritti_state_bool(state, "meet.known", &meet->known);
  ritti_state_reals(state, "meet.most", &meet->most, 1);
  ritti_state_reals(state, "meet.asked", &meet->asked, 1);
  ritti_state_reals(state, "meet.volume", &meet->volume, 1);
  if (!meet->at.z) return;
  ritti_state_reals(state, "meet.z", meet->at.z, m);
  ritti_state_ints(state, "meet.kind", &kind, 1, 0, RITTI_POINT_FOLDED_CENTRE);
  ritti_state_reals(state, "meet.eigenvalue", meet->at.eigenvalue[0], 4);
  ritti_state_reals(state, "meet.sigma", meet->at.sigma, RITTI_SIGMAS);
  ritti_state_ints(state, "meet.sigmas", &meet->at.sigmas, 1, 0, RITTI_SIGMAS);
  ritti_state_reals(state, "meet.size", meet->size, m);
  if (state->mode == RITTI_STATE_LOAD) meet->at.kind = (ritti_singular_kind)kind;
}

/* Counts, and what was the largest so far. */
static void counts_state(ritti_solver *S, ritti_state *state) {
  ritti_state_long(state, "events", &S->events);
  ritti_state_long(state, "switches", &S->switches);
  ritti_state_long(state, "slidings", &S->slidings);
  ritti_state_reals(state, "forced.move", &S->forced.move, 1);
  ritti_state_reals(state, "forced.s", &S->forced.s, 1);
  ritti_state_ints(state, "forced.coordinate", &S->forced.coordinate, 1, 0, S->problem->m - 1);
  ritti_state_long(state, "accepted", &S->accepted);
  ritti_state_long(state, "rejected", &S->rejected);
  ritti_state_long(state, "rows", &S->rows);
  ritti_state_long(state, "impasses", &S->impasses);
  ritti_state_reals(state, "impasse_x", &S->impasse_x, 1);
  ritti_state_long(state, "singulars", &S->singulars);
  ritti_state_long(state, "crossings", &S->crossings);
  ritti_state_reals(state, "largest_residual", &S->largest_residual, 1);
  ritti_state_reals(state, "travelled", &S->travelled, 1);
  ritti_specials_state(S->special, &S->specials, state);
}

/* What the step control remembers. */
static void control_state(ritti_solver *S, ritti_state *state) {
  ritti_state_item(state, "control", &S->control, sizeof S->control);
  ritti_state_long(state, "stiff.looked", &S->stiff.looked);
  ritti_state_long(state, "stiff.limited", &S->stiff.limited);
  ritti_state_ints(state, "stiff.row", &S->stiff.row, 1, 0, INT_MAX);
  ritti_state_ints(state, "stiff.others", &S->stiff.others, 1, 0, INT_MAX);
}

/* Where the run is, and what its next step is to be. */
static void place_state(ritti_solver *S, ritti_state *state) {
  const ritti_problem *p = S->problem;
  bool in_row = S->point == S->row_z, by_arc = S->direction.arc != NULL;
  ritti_state_reals(state, "s", &S->s, 1);
  ritti_state_reals(state, "h", &S->h, 1);
  ritti_state_reals(state, "before", &S->before, 1);
  ritti_state_reals(state, "length", &S->length, 1);
  ritti_state_ints(state, "ended", &S->ended, 1, -1, p->events - 1);
  ritti_state_bool(state, "fresh", &S->fresh);
  ritti_state_bool(state, "jumped", &S->jumped);
  ritti_state_bool(state, "invalid", &S->invalid);
  ritti_state_reals(state, "begin", &S->begin, 1);
  ritti_state_reals(state, "equal", &S->equal, 1);
  ritti_state_long(state, "taken", &S->taken);
  ritti_state_bool(state, "cut", &S->cut);
  ritti_state_bool(state, "within", &S->within);
  ritti_state_reals(state, "goal", &S->goal, 1);
  ritti_state_bool(state, "has_goal", &S->has_goal);
  ritti_state_ints(state, "determinant", &S->determinant, 1, -1, 1);
  ritti_state_bool(state, "unplaced", &S->unplaced);
  ritti_state_bool(state, "in_row", &in_row);
  ritti_state_reals(state, "row_z", S->row_z, (size_t)p->m);
  ritti_state_reals(state, "row_top", S->row_top, (size_t)p->tops);
  ritti_state_reals(state, "best_slope", &S->best_slope, 1);
  ritti_state_reals(state, "largest_h", &S->largest_h, 1);
  ritti_state_reals(state, "looked_at", &S->looked_at, 1);
  ritti_state_reals(state, "amplified", &S->amplified, 1);
  ritti_state_reals(state, "mass", &S->mass, 1);
  ritti_state_reals(state, "arc", S->arc, (size_t)p->m);
  ritti_state_bool(state, "by_arc", &by_arc);
  ritti_state_long(state, "next_row", &S->next_row);
  ritti_state_long(state, "fine", &S->fine);
  ritti_state_reals(state, "last_row", &S->last_row, 1);
  ritti_state_bool(state, "running", &S->running);
  if (state->mode != RITTI_STATE_LOAD) return;
  S->point = in_row ? S->row_z : S->step.z;
  S->point_top = in_row ? S->row_top : S->step.top;
  S->direction.arc = by_arc ? S->arc : NULL;
  S->direction.reference = S->step.V[0];
  S->cross.way.direction.arc = S->direction.arc;
}

/* ---- all of it ---- */

static ritt_status walk(ritti_solver *S, ritti_state *state) {
  const ritti_problem *on;
  same_options(S, state);
  ritti_state_reals(state, "work", S->work, S->problem->work_size);
  ritti_manifold_state(&S->manifold, state);
  ritti_direction_state(&S->direction, state);
  RITT_TRY(ritti_slide_state(S, state, &on));
  ritti_crossings_state(S, state, &on);
  ritti_stepper_state(&S->step, on, state);
  counts_state(S, state);
  control_state(S, state);
  place_state(S, state);
  watch_state(&S->watch, S->problem, state);
  meeting_state(&S->meet, (size_t)S->problem->m, state);
  return RITT_OK;
}

ritt_status ritti_solver_state(ritti_solver *S, ritti_state *state) {
  if (state->mode == RITTI_STATE_LOAD) {
    ritti_state check = *state;
    check.mode = RITTI_STATE_CHECK;
    RITT_TRY(walk(S, &check));
    ritti_stepper_slide(&S->step, S->slide || ritti_crossing_on(S));
    state->misfit = check.misfit;
    if (check.misfit) return RITT_WRONG_CALL;
  }
  RITT_TRY(walk(S, state));
  return state->misfit ? RITT_WRONG_CALL : RITT_OK;
}
