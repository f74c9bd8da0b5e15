/* The state of a driver: everything that later steps, rows, events and messages depend on.
 *
 * In: a driver between two calls of ritti_driver_next, or the bytes of a driver like it. Out: the
 * bytes; or the driver as the other one was. From then on both do the same arithmetic, bit for bit.
 *
 * One walk lists everything (base/state.h). A new piece of state of the driver is one more line of
 * it; of the stepper, the projection or the direction one more line in ritti_stepper_state,
 * ritti_manifold_state or ritti_direction_state; of a family of methods in the function `state` of
 * its ritti_stepping. A piece belongs here if the next step reads it before it writes it:
 *
 *   - memory from step to step: histories of step-size control, warm starts, factors and Jacobians
 * that serve more than one step (ritti_linear_state with `factors`), choices that are kept while
 * they are good;
 *   - counts that are reported, or that decide something;
 *   - not results that every step computes again, options, the problem, and scratch memory. A
 * cache that costs little may be dropped in place of being saved, if the step that follows is the
 * same without it.
 *
 * Pointers are written as the object that they point to. Numbers that serve as indices have bounds,
 * since bytes may come from anywhere. test/law/t_state.c saves and loads at every step of runs with every method
 * and every variant: a piece that is missing here changes a bit there.
 */
#include <limits.h>
#include "drive/driver_impl.h"

/* ---- special points ---- */

/* The constant text of a kind of special points; NULL: there is no such kind. */
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

/* Options and problem, which must be the same for both drivers. */
static void same_options(const ritti_driver *d, ritti_state *state) {
  const ritti_solve_options *o = &d->options;
  const ritti_problem *p = d->problem;
  size_t m = (size_t)p->m;
  const int shape[] = {(int)p->kind, p->m,          p->k,         p->tops,       p->outputs,
                       p->events,    p->surfaces,   p->monitors,  p->df.rows,    p->A.rows,
                       p->positions, p->validities, p->symmetric, (int)p->forced};
  ritti_state_same_text(state, "the method", o->tableau->name);
  ritti_state_same(state, "the method", &o->automatic, sizeof o->automatic);
  ritti_state_same(state, "the system", shape, sizeof shape);
#define X(form, type, member, what) ritti_state_same(state, what, &o->member, sizeof o->member);
  RITTI_SOLVE_OPTIONS(X)
#undef X
  ritti_state_same(state, "the tolerance", o->relative, m * sizeof *o->relative);
  ritti_state_same(state, "the absolute tolerance", o->absolute, m * sizeof *o->absolute);
  size_t tops = o->top_relative ? (size_t)p->tops : 0;
  ritti_state_same(state, "the tolerance", o->top_relative, tops * sizeof *o->top_relative);
  ritti_state_same(state, "the absolute tolerance", o->top_absolute,
                   tops * sizeof *o->top_absolute);
  ritti_state_same(state, "a scale", o->scale, o->scale ? m * sizeof *o->scale : 0);
}

static void watch_state(ritti_monitor_watch *w, const ritti_problem *p, ritti_state *state) {
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
  ritti_state_reals(state, "watch.longest", &w->longest, 1);
  ritti_state_reals(state, "watch.largest", &w->largest, 1);
  ritti_state_ints(state, "watch.unchecked", &w->unchecked, 1, 0, INT_MAX);
  ritti_state_ints(state, "watch.entered", &w->entered, 1, -1, p->surfaces - 1);
  ritti_state_reals(state, "watch.top_size", w->top_size, (size_t)p->tops);
}

static void meeting_state(ritti_singular_watch *meet, size_t m, ritti_state *state) {
  int kind = (int)meet->at.kind;
  ritti_state_bool(state, "meet.known", &meet->known);
  ritti_state_reals(state, "meet.most", &meet->max_volume, 1);
  ritti_state_reals(state, "meet.asked", &meet->last_search, 1);
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

/* What the run remembers besides its watchers: where it is, the next step, the rows, the counts. */
static void run_state(ritti_driver *d, ritti_state *state) {
  const ritti_problem *p = d->problem;
  bool in_row = d->at.z == d->row_z, by_arc = d->direction.arc != NULL;
  int phase = (int)d->phase;
  ritt_real *const reals[] = {&d->at.s,
                              &d->at.step_start,
                              &d->at.travelled,
                              &d->length,
                              &d->next.h,
                              &d->next.goal,
                              &d->next.fixed_h,
                              &d->next.fixed_origin,
                              &d->plan.from,
                              &d->plan.last,
                              &d->passage.along,
                              &d->passage.last_x,
                              &d->fold.best_slope,
                              &d->fold.largest_h,
                              &d->fold.checked_slope,
                              &d->fold.amplification,
                              &d->fold.mass,
                              &d->fold.max_volume,
                              &d->fold.growth,
                              &d->choice.first,
                              &d->count.impasse_x,
                              &d->count.largest_residual,
                              &d->count.forced.move,
                              &d->count.forced.s,
                              &d->count.rest_s};
  long *const longs[] = {&d->count.accepted,   &d->count.rejected,    &d->count.rows,
                         &d->count.events,     &d->count.switches,    &d->count.slidings,
                         &d->count.impasses,   &d->count.singulars,   &d->count.crossings,
                         &d->plan.next,        &d->plan.fine,         &d->next.fixed_count,
                         &d->stiffness.looked, &d->stiffness.limited, &d->fold.lost,
                         &d->fold.lost_at,     &d->count.rests};
  bool *const flags[] = {&d->at.stepper_stale,  &d->at.fresh,       &d->at.jumped,
                         &d->plan.resumable,    &d->passage.active, &d->next.retrying,
                         &d->next.keep_damping, &d->next.raised,    &d->next.truncated,
                         &d->next.inside_step,  &d->next.has_goal,  &d->fold.may_return};
  for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
    ritti_state_reals(state, "driver.real", reals[i], 1);
  for (size_t i = 0; i < sizeof longs / sizeof *longs; i++)
    ritti_state_long(state, "driver.long", longs[i]);
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    ritti_state_bool(state, "driver.flag", flags[i]);
  ritti_state_ints(state, "phase", &phase, 1, 0, RITTI_PHASE_BUSY);
  ritti_state_ints(state, "ended_by", &d->ended_by, 1, -1, p->events - 1);
  ritti_state_ints(state, "at.fired", &d->at.fired, 1, -1, p->events);
  ritti_state_ints(state, "at.side", &d->at.side, 1, -1, 1);
  ritti_state_ints(state, "rest.event", &d->count.rest_event, 1, 0, INT_MAX);
  ritti_state_ints(state, "passage.standing", &d->passage.standing, 1, 0, INT_MAX);
  ritti_state_ints(state, "stiffness.row", &d->stiffness.row, 1, 0, INT_MAX);
  ritti_state_ints(state, "stiffness.others", &d->stiffness.others, 1, 0, INT_MAX);
  ritti_state_ints(state, "stiffness.smooth", &d->stiffness.smooth, 1, 0, INT_MAX);
  ritti_state_ints(state, "forced.coordinate", &d->count.forced.coordinate, 1, 0, p->m - 1);
  ritti_state_item(state, "control", &d->control, sizeof d->control);
  ritti_state_bool(state, "in_row", &in_row);
  ritti_state_reals(state, "row_z", d->row_z, (size_t)p->m);
  ritti_state_reals(state, "row_top", d->row_top, (size_t)p->tops);
  ritti_state_reals(state, "arc_weights", d->arc_weights, (size_t)p->m);
  ritti_state_bool(state, "by_arc", &by_arc);
  ritti_specials_state(d->count.special, &d->count.specials, state);
  if (state->mode != RITTI_STATE_LOAD) return;

  d->phase = (ritti_phase)phase;
  d->renewed_by = -1;
  d->renewal = RITTI_RENEW_SAME;
  d->at.z = in_row ? d->row_z : d->step.z;
  d->at.top = in_row ? d->row_top : d->step.top;
  d->direction.arc = by_arc ? d->arc_weights : NULL;
  d->direction.reference = d->step.V[0];
  d->crossing.way.direction.arc = d->direction.arc;
}

/* ---- all of it ---- */

static ritt_status exchange_members(ritti_driver *d, ritti_state *state) {
  const ritti_problem *on;
  same_options(d, state);
  ritti_state_reals(state, "work", d->work, d->problem->work_size);
  ritti_manifold_state(&d->manifold, state);
  ritti_direction_state(&d->direction, state);
  if (d->tops.size) {
    size_t tops = (size_t)d->problem->tops;
    ritti_state_reals(state, "tops.size", d->tops.size, tops);
    ritti_state_long(state, "tops.rejections", &d->tops.rejections);
    ritti_state_reals(state, "tops.noise", d->tops.noise, tops);
    ritti_state_reals(state, "tops.error", d->tops.error, tops);
    ritti_state_reals(state, "tops.largest_error", d->tops.largest_error, tops);
  }
  if (d->branch.blocks > 0) {
    size_t blocks = (size_t)d->branch.blocks;
    ritti_state_ints(state, "branch.known", &d->branch.known, 1, 0, 2);
    ritti_state_reals(state, "branch.h", &d->branch.h, 1);
    ritti_state_reals(state, "branch.before", d->branch.before, blocks);
    ritti_state_reals(state, "branch.here", d->branch.here, blocks);
  }
  RITT_TRY(ritti_slide_state(d, state, &on));
  ritti_crossing_watch_state(d, state, &on);
  ritti_stepper_state(&d->step, on, state);
  run_state(d, state);
  watch_state(&d->monitors, d->problem, state);
  ritti_sizes_state(d, state);
  meeting_state(&d->singular, (size_t)d->problem->m, state);
  if (d->tangents) ritti_tangents_state(d->tangents, state);
  return RITT_OK;
}

ritt_status ritti_driver_state(ritti_driver *d, ritti_state *state) {
  if (state->mode == RITTI_STATE_LOAD) {
    ritti_state check = *state;
    check.mode = RITTI_STATE_CHECK;
    RITT_TRY(exchange_members(d, &check));
    ritti_stepper_slide(&d->step, d->slide || ritti_crossing_on(d));
    state->misfit = check.misfit;
    if (check.misfit) return RITT_WRONG_CALL;
  }
  RITT_TRY(exchange_members(d, state));
  return state->misfit ? RITT_WRONG_CALL : RITT_OK;
}
