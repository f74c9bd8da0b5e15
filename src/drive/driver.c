/* The driver: from one decision to the next.
 *
 *     ritti_driver_next     START -> AIM -> READY -> LOOK -> TRY -> STEP: a step is needed
 *     ritti_driver_answer   rejected -> TRY, given up -> LOOK, accepted (accept_step) -> READY
 *
 * Watchers are asked in two places: look_ahead before a step, look_at_step after it.
 */
#include "drive/driver_impl.h"

ritt_status ritti_driver_new(const ritti_problem *problem, const ritti_solve_options *options,
                             ritti_arena *arena, ritti_driver **out) {
  ritti_driver *d;
  int m = problem->m;
  RITTI_NEW(d, arena, 1);
  d->problem = problem;
  d->options = *options;
  d->adaptive = options->constant_step == 0;
  ritti_control_init(d);
  RITTI_NEW(d->work, arena, problem->work_size + 1);
  if (problem->work_init) problem->work_init(problem->data, d->work);
  RITT_TRY(ritti_manifold_init_with(&d->manifold, problem, d->work, options->linear, arena));
  RITT_TRY(ritti_direction_init_with(&d->direction, problem, d->work, options->linear, arena));
  RITT_TRY(ritti_direction_take(&d->direction, options->direction, arena));
  d->direction.jumps = options->leap;
  if (options->doubled) d->doubled = ritti_tableau_doubled(options->tableau);
  RITT_TRY(ritti_stepper_init(&d->step, options->doubled ? &d->doubled : options->tableau,
                              &d->manifold, &d->direction, arena));
  RITT_TRY(ritti_norm_init(d, arena));
  RITTI_NEW_ARRAYS(arena, m, d->err, d->err3, d->row_z, d->arc_weights);
  RITTI_NEW(d->row_top, arena, problem->tops + 1);
  d->arena = arena;
  RITT_TRY(ritti_monitors_init(&d->monitors, problem, arena));
  RITT_TRY(ritti_jumper_init(&d->jumper, problem, arena));
  RITT_TRY(ritti_sizes_init(d, arena));
  RITT_TRY(ritti_manifold_choose(&d->manifold, options->projection, arena));
  d->manifold.predictor.on = options->predict;
  d->step.project_stages = options->project_stages;
  d->step.weighted = options->weighted;
  d->step.keep_x = !options->by_arc;
  for (int i = 0; i < m; i++) {
    ritt_real size = options->scale && options->scale[i] > 0 ? options->scale[i] : 1;
    d->arc_weights[i] = 1 / (size * size);
  }
  if (options->by_arc) d->direction.arc = d->arc_weights;
  d->step.algebra = options->linear;
  d->step.newton = options->newton;
  d->step.wants_radius = options->automatic;
  if (d->adaptive) d->step.relative = options->relative, d->step.absolute = d->sizes.allowed;
  RITT_TRY(ritti_stepper_ready(&d->step));
  RITT_TRY(ritti_singular_watch_init(d, arena));
  RITT_TRY(ritti_crossing_watch_init(d, arena));
  RITT_TRY(ritti_choice_watch_init(d, arena));
  RITT_TRY(ritti_branch_watch_init(d, arena));
  d->watched = problem->monitors > 0 || d->crossing.at.z || d->singular.at.z ||
               problem->kind != RITT_EXPLICIT || ritti_direction_has_line(&d->direction);
  *out = d;
  return RITT_OK;
}

/* Puts the run's point where the stepper's point is. */
static void stand_at_stepper(ritti_driver *d) {
  d->at.z = d->step.z;
  d->at.top = d->step.top;
}

ritt_status ritti_driver_start(ritti_driver *d, ritt_real s, const ritt_real *z,
                               ritt_error *error) {
  d->error = error;
  d->at.s = d->at.step_start = s;
  d->next = (ritti_step_proposal){0};
  ritti_control_forget(d);
  memcpy(d->step.z, z, (size_t)d->problem->m * sizeof *z);
  /* surfaces may depend on tops, which are known at a start of the implicit kind */
  if (d->problem->kind == RITT_IMPLICIT)
    memcpy(d->step.top, d->direction.top, (size_t)d->problem->tops * sizeof *d->step.top);
  stand_at_stepper(d);
  ritti_sizes_start(d, z);
  RITT_TRY(ritti_sides_first(d));
  RITT_TRY(ritti_stop(d, ritti_stepper_place(&d->step, z)));

  d->at.side = ritti_singular_watch_side(d, d->step.z, d->step.V[0]);
  d->at.travelled = 0;
  ritti_control_metric(d);
  ritti_note_residual(d, d->step.z);
  RITT_TRY(d->manifold.gave_up);
  d->ended_by = d->renewed_by = d->at.fired = -1;
  d->at.fresh = true;
  return RITT_OK;
}

/* Invariants are checked at this number of points after each change of sides. */
enum { CHECKED_POINTS = 4 };

ritt_status ritti_place_again(ritti_driver *d, const ritt_real *z) {
  if (d->tangents) return ritti_stop_derivatives(d, false);
  d->direction.leapt = false;
  RITT_TRY(ritti_stepper_move(&d->step, z));
  if (d->direction.leapt) ritti_note_special(d, "fold", true, d->step.z, d->at.travelled, NULL);
  d->at.step_start = d->at.s;
  ritti_singular_watch_forget(d);
  d->at.side = ritti_singular_watch_side(d, d->step.z, d->step.V[0]);
  stand_at_stepper(d);
  d->monitors.unchecked = CHECKED_POINTS;

  /* the next step is a first one */
  d->next.fixed_origin = d->at.s;
  d->next.fixed_count = 0;
  d->next.h = d->next.fixed_h;
  ritti_control_forget(d);
  return RITT_OK;
}

ritt_real ritti_driver_place(const ritti_driver *d) {
  return d->passage.active ? d->step.z[0] : d->at.s;
}

ritt_status ritti_driver_land(ritti_driver *d, const ritti_driver *before, const ritt_real *z,
                              ritt_error *error) {
  int event = before->renewed_by;
  d->error = error;
  RITT_TRY(ritti_form_point(d, event, z, d->row_z));
  RITT_TRY(ritti_stop(d, ritti_place_again(d, d->row_z)));
  ritti_driver_keep_events(d, before);
  d->monitors.times[event]++;
  d->count.events++;
  d->at.jumped = true;
  d->at.fired = event;
  return RITT_OK;
}

void ritti_driver_keep_events(ritti_driver *d, const ritti_driver *before) {
  ritti_monitor_watch *w = &d->monitors;
  const ritti_monitor_watch *old = &before->monitors;
  int events = d->problem->events;
  if (before->problem->events != events) return;
  for (int i = 0; i < events; i++) {
    w->times[i] = old->times[i];
    w->last[i] = old->last[i], w->interval[i] = old->interval[i], w->shrunk[i] = old->shrunk[i];
    w->was[i] = old->side[i];
  }
  d->at.fired = events;
}

/* ---- beginning ---- */

static void set_plan(ritti_driver *d, ritt_real end, const ritti_rows *rows, ritti_row_taker taker,
                     void *user, ritt_error *error) {
  d->plan.rows = rows ? *rows : (ritti_rows){0};
  d->plan.taker = taker;
  d->plan.user = user;
  d->plan.end = end;
  d->plan.one_step = false;
  d->plan.resumable = rows != NULL;
  d->error = error;
  d->need = RITTI_NEED_STEP;
  d->status = RITT_OK;
  ritti_set_run_variable(d);
  ritti_find_row_horizon(d);
}

void ritti_driver_begin(ritti_driver *d, ritt_real end, const ritti_rows *rows,
                        ritti_row_taker taker, void *user, ritt_error *error) {
  if (rows) d->plan = (ritti_row_plan){.last = NAN};
  d->plan.from = d->at.s;
  set_plan(d, end, rows, taker, user, error);
  d->phase = rows ? RITTI_PHASE_START : RITTI_PHASE_AIM;
}

void ritti_driver_resume(ritti_driver *d, ritt_real end, const ritti_rows *rows,
                         ritti_row_taker taker, void *user, ritt_error *error) {
  set_plan(d, end, rows, taker, user, error);
  if (d->phase == RITTI_PHASE_STEP) d->phase = RITTI_PHASE_TRY;
}

void ritti_driver_follow(ritti_driver *d, const ritti_driver *before) {
  const ritti_row_plan *plan = &before->plan;
  bool one_step = plan->one_step;
  d->plan = *plan;
  set_plan(d, plan->end, plan->resumable ? &plan->rows : NULL, plan->taker, plan->user,
           before->error);
  d->plan.one_step = one_step;
  d->phase = RITTI_PHASE_AIM;
}

void ritti_set_run_variable(ritti_driver *d) {
  ritt_real length = d->plan.end - d->plan.from;
  bool arc = d->passage.active;
  d->next.end = arc ? (ritt_real)1e9 * (1 + RITTI_MATH(fabs)(length)) : d->plan.end;
  d->next.span = arc ? d->next.end : length;
}

/* Aims at the end: finds the first step if none in that direction is proposed yet. */
static ritt_status aim_at_end(ritti_driver *d) {
  ritti_step_proposal *next = &d->next;
  if (d->at.stepper_stale) RITT_TRY(ritti_passage_return(d));
  if (d->adaptive) {
    if (next->h * (d->plan.end - d->at.s) > 0) return RITT_OK;
    return ritti_control_first_step(d, d->plan.end - d->at.s, &next->h);
  }

  ritt_real h = d->options.constant_step * (d->plan.end < d->at.s ? -1 : 1);
  bool on_grid = d->at.s == next->fixed_origin + (ritt_real)next->fixed_count * h;
  if (next->fixed_h == h && (next->inside_step || on_grid)) return RITT_OK;
  next->fixed_origin = d->at.s;
  next->fixed_count = 0;
  next->h = next->fixed_h = h;
  return RITT_OK;
}

/* After an event: the point behind a jump is a row of its own if every step is one. */
static ritt_status continue_after_event(ritti_driver *d) {
  bool jumped = d->at.jumped;
  d->at.jumped = false;
  if (jumped && ritti_row_every_step(d))
    RITT_TRY(ritti_write_row(d, d->at.s, d->step.z, d->step.top));
  if (jumped) RITT_TRY(ritti_write_fine(d, d->at.s, d->step.z, d->step.top));
  return d->ended_by >= 0 || d->at.s == d->plan.end ? RITT_OK : aim_at_end(d);
}

/* The first step of a run, and the events that happen at the start. */
static ritt_status begin_steps(ritti_driver *d) {
  ritt_real distance = d->plan.end - d->at.s;
  if (distance == 0) return d->at.jumped ? continue_after_event(d) : RITT_OK;
  d->length = RITTI_MATH(fmax)(d->length, RITTI_MATH(fabs)(distance));
  if (d->at.fresh) ritti_sizes_begin(d, distance);
  if (d->at.fresh) RITT_TRY(ritti_events_begin(d, distance < 0 ? -1 : 1));
  d->at.fresh = false;
  if (d->ended_by >= 0) return RITT_OK;
  RITT_TRY(aim_at_end(d));
  return continue_after_event(d);
}

/* An event that ends the run is its last row, unless rows are requested at listed values only. */
static ritt_status write_end(ritti_driver *d) {
  if (d->ended_by < 0 || d->plan.rows.at || d->plan.last == d->at.s) return RITT_OK;
  return ritti_write_row(d, d->at.s, d->step.z, d->step.top);
}

/* ---- before a step ---- */

bool ritti_too_small(const ritti_driver *d, ritt_real h) {
  ritt_real place = RITTI_MATH(fabs)(d->at.s);
  ritt_real size = (ritt_real)1e-10 * RITTI_MATH(fabs)(d->next.span);
  if (place > size) size = place;
  return !(RITTI_MATH(fabs)(h) > 16 * RITTI_EPS * size);
}

/* A step was accepted, or a gap passed without one: the run is between two steps, and the caller is
 * asked. */
static ritt_status finish_step(ritti_driver *d) {
  d->phase = RITTI_PHASE_READY;
  if (d->plan.one_step && !d->passage.active) d->need = RITTI_NEED_NOTHING;
  if (!d->call.step || !d->plan.resumable) return RITT_OK;
  d->status = d->call.step(d->call.step_user, d);
  if (d->status != RITT_OK) d->need = RITTI_NEED_FAILED;
  return d->status;
}

/* The run cannot go on as it is. In the implicit kind another form of the equations may: T_w may have
 * lost its rank, and in the general kind this is a fold or a singular point like any other. */
static ritt_status give_up(ritti_driver *d) {
  if (!ritti_leave_implicit(d)) return ritti_stop_trouble(d);
  d->fold.may_return = true;
  return RITT_STOPPED;
}

/* At a start on the border of the region where the equations have values (two tanks that are filled
 * from empty, with sqrt(h) in the equations) stages fall outside however short the step is; where T_w
 * is singular at the start, as for a flow that is at rest, no stages are found. Leaves the start by a
 * step of Euler's method, which needs values at its ends only. It is so short that it stays within the
 * tolerance. false: it does not, or the run has left the start. */
static bool leave_border(ritti_driver *d) {
  static const double SHORT = 1e-11;
  ritt_real place = RITTI_MATH(fabs)(d->at.s);
  ritt_real h = (ritt_real)SHORT * RITTI_MATH(fabs)(d->next.span);
  h = RITTI_MATH(fmax)(h, 64 * RITTI_EPS * place) * (d->next.span < 0 ? -1 : 1);
  bool at_start = RITTI_MATH(fabs)(d->at.s - d->plan.from) < 2 * RITTI_MATH(fabs)(h);
  ritti_trouble trouble = d->step.direction->trouble;
  bool no_tops =
      trouble == RITTI_NO_STAGES || trouble == RITTI_NO_TOPS || trouble == RITTI_SINGULAR_TOP;
  bool hard = trouble == RITTI_NO_VALUE || (d->problem->kind == RITT_IMPLICIT && no_tops);
  if (!d->adaptive || !hard || !at_start || d->count.accepted > 0 || d->options.by_arc)
    return false;

  for (int i = 0; i < d->problem->m; i++) {
    d->err3[i] = h * d->step.V[0][i];
    d->row_z[i] = d->step.z[i] + d->err3[i];
  }
  d->row_z[0] = d->at.s + h;
  if (ritti_tolerance_norm(d, d->err3, d->step.z) > 1) return false;
  if (ritti_manifold_project(d->step.manifold, d->row_z, d->row_z) != RITT_OK) return false;
  d->at.s += h;
  if (ritti_place_again(d, d->row_z) != RITT_OK) return false;
  d->next.h = h;
  return true;
}

/* Asks the watchers before a step: limits, stiffness, crossings, folds, singular points. */
static ritt_status look_ahead(ritti_driver *d) {
  d->phase = RITTI_PHASE_TRY;
  d->next.retrying = d->next.raised = false;
  d->next.keep_damping = true;
  if (d->options.max_steps && d->count.accepted >= d->options.max_steps)
    return ritti_stop_steps(d, d->plan.end);
  if (d->passage.active) return RITT_OK;
  if (d->options.automatic && ritti_stiffness_turn(d)) {
    bool implicit = ritti_is_implicit(d->step.tableau);
    d->need = implicit ? RITTI_NEED_EXPLICIT : RITTI_NEED_IMPLICIT;
    return RITT_STOPPED;
  }

  if (ritti_choice_is_poor(d)) {
    d->need = RITTI_NEED_COMPLETION;
    return RITT_STOPPED;
  }

  ritti_control_metric(d);
  if (!d->watched) return RITT_OK;
  RITT_TRY(ritti_crossing_turn(d));
  if (ritti_fold_near(d)) {
    if (d->problem->kind == RITT_IMPLICIT) return give_up(d);
    d->phase = RITTI_PHASE_LOOK;
    return ritti_passage_enter(d);
  }
  if (ritti_fold_is_behind(d)) {
    d->need = RITTI_NEED_COMPLETION;
    d->renewal = RITTI_RETURN_IMPLICIT;
    return RITT_STOPPED;
  }
  if (!ritti_singular_watch_near(d)) return RITT_OK;
  RITT_TRY(ritti_singular_watch_go(d));
  return finish_step(d);
}

/* Where a step of length h should end: not past the end, and without a sliver left before it. */
static ritt_real find_target(const ritti_driver *d, ritt_real h) {
  ritt_real end = d->next.has_goal ? d->next.goal : d->next.end;
  ritt_real left = RITTI_MATH(fabs)(end - d->at.s), length = RITTI_MATH(fabs)(h);
  if (!(2 * length > left)) return d->at.s + h;
  if (length * (1 + (ritt_real)1e-10) >= left) return end;
  return d->at.s + (d->adaptive ? (end - d->at.s) / 2 : h);
}

/* Methods that know the error of a step beforehand do not try one that is too long. */
static void shorten_foreseen(ritti_driver *d) {
  enum { MOST = 20 };
  for (int i = 0; i < MOST && !d->options.scaled; i++) {
    if (!ritti_stepper_foresee(&d->step, d->next.h, d->err)) return;
    ritt_real err = ritti_tolerance_norm(d, d->err, d->step.z);
    if (err <= 1) return;
    d->next.h *= ritti_control_factor(d, err * err);
  }
}

/* Implicit kind: counts short steps that fail because T(z, w) = 0 has no solution. A run that comes to
 * a fold takes one shorter step after another; it need not go on until they are too small. */
static bool loses_tops(ritti_driver *d) {
  enum { MOST = 8, APART = 10 };
  static const double SHORT = 1e-3;
  ritti_trouble trouble = d->step.direction->trouble;
  if (d->problem->kind != RITT_IMPLICIT) return false;
  if (trouble != RITTI_NO_TOPS && trouble != RITTI_SINGULAR_TOP) return false;
  if (RITTI_MATH(fabs)(d->next.h) > (ritt_real)SHORT * d->fold.largest_h) return false;
  if (d->count.accepted - d->fold.lost_at > APART) d->fold.lost = 0;
  d->fold.lost_at = d->count.accepted;
  return ++d->fold.lost >= MOST;
}

/* ---- after a step ---- */

/* V at the end of the step just taken */
static const ritt_real *end_direction(const ritti_driver *d) { return d->step.V[d->step.last]; }

/* The step is to be taken again, with length h. */
static ritt_status retake_step(ritti_driver *d, ritt_real h, ritti_step_outcome *met) {
  d->next.h = h;
  d->count.rejected++;
  d->next.truncated = !d->adaptive;
  met->retake = true;
  return RITT_OK;
}

/* The square of the error of the step just taken, in units of the tolerance. RITT_RETRY: unknown. */
static ritt_status measure_step(ritti_driver *d, ritt_real *square) {
  if (d->step.direction->turned && d->options.control != RITTI_CONTROL_PAPERS) {
    d->step.direction->trouble = RITTI_TURNED_BACK;
    return RITT_RETRY;
  }
  if (!d->adaptive) return RITT_OK;
  if (d->step.complete && d->options.control != RITTI_CONTROL_PAPERS && !d->derivative_order) {
    *square = ritti_square_of_norms(d, &d->step.job.norms); /* native code has measured it */
    return RITT_OK;
  }
  RITT_TRY(ritti_step_square(d, square));

  /* a polynomial does not see what jumps beyond its point; V at its end does */
  if (*square <= 1 && ritti_stepper_defect(&d->step, d->err3)) {
    ritt_real defect = ritti_tolerance_norm(d, d->err3, d->step.z);
    *square = RITTI_MATH(fmax)(*square, defect * defect);
  }
  return RITT_OK;
}

/* A step that ends at a zero is shorter than the one that met the tolerance, and need not meet it where
 * V is not smooth: for sqrt(abs(u)) a step over u = 0 may look better than one that ends there. */
static bool cut_step_fails(ritti_driver *d, const ritti_step_outcome *met, ritt_real *square) {
  bool cut = met->zeros.cut >= 0 && d->step.h != met->tried && !d->monitors.through;
  if (!cut || !d->adaptive || d->passage.active || d->step.least > 0) return false;
  return measure_step(d, square) == RITT_OK && *square > 1;
}

/* Asks the watchers after a step that meets the tolerance; events may cut it to another s_new. */
static ritt_status look_at_step(ritti_driver *d, ritti_step_outcome *met) {
  const ritti_problem *p = d->problem;
  ritt_real *s_new = &d->next.s_new;
  if (!d->passage.active && ritti_crossing_ahead(d)) return retake_step(d, d->step.h / 2, met);

  /* sides of singular points, sliding, and the zeros of events, surfaces and validities */
  met->side = ritti_singular_watch_side(d, d->step.z_new, end_direction(d));
  ritt_status status = ritti_slide_look(d, s_new, &met->leaves);
  met->tried = d->step.h;
  d->monitors.at_end = *s_new == d->plan.end && !d->passage.active;
  if (status == RITT_OK) status = ritti_events_find(d, s_new, &met->zeros);

  /* a monitor has no value somewhere in the step: a shorter one */
  ritt_real shortest = d->passage.active ? (ritt_real)1e-12 : (ritt_real)1e-9 * d->length;
  if (status == RITT_RETRY && RITTI_MATH(fabs)(met->tried) > shortest)
    return retake_step(d, met->tried / 4, met);
  if (status == RITT_RETRY) return ritti_stop_monitor(d);
  RITT_TRY(status);
  if (met->zeros.cut >= p->events + p->surfaces) {
    d->need = RITTI_NEED_COMPLETION;
    return RITT_STOPPED;
  }
  ritt_real square;
  if (cut_step_fails(d, met, &square) && RITTI_MATH(fabs)(d->step.h) > shortest) {
    memcpy(d->monitors.side, d->monitors.was, (size_t)p->monitors * sizeof *d->monitors.side);
    d->next.retrying = true;
    ritt_real factor = RITTI_MATH(fmin)(ritti_control_factor(d, square), (ritt_real)0.95);
    return retake_step(d, d->step.h * factor, met);
  }

  /* singular points, folds and crossings that the step has gone over */
  if (met->zeros.cut >= 0) {
    met->leaves = false;
    met->side = ritti_singular_watch_side(d, d->step.z_new, end_direction(d));
  }
  if (d->passage.active) return ritti_passage_look(d, met);
  bool crossed = ritti_singular_watch_crossed(d, met->side);
  /* det T_w has changed its sign, or has been 0 in between */
  if ((crossed && p->kind == RITT_IMPLICIT) || ritti_branch_meets(d)) return give_up(d);
  if (met->zeros.cut < 0 && crossed) {
    ritt_real before;
    const ritt_special *special = ritti_singular_watch_cross(d, *s_new, &before);
    if (!special) {
      d->count.rejected++;
      d->next.truncated = false;
      met->retake = true;
      return ritti_passage_enter(d);
    }
    if (!special->passed) return ritti_singular_watch_stop_before(d, *s_new, before, special);
  }
  if (!ritti_crossing_passed(d)) return RITT_OK;
  ritt_real at;
  const ritt_special *special = ritti_crossing_note(d, *s_new, &at);
  return special->passed ? RITT_OK : ritti_crossing_stop(d, *s_new, at, special);
}

void ritti_reach(ritti_driver *d, ritt_real s) {
  if (ritti_stepper_dense(&d->step, (s - d->at.s) / d->step.h, s, d->row_z, d->row_top) != RITT_OK)
    return;
  d->at.s = d->at.step_start = s;
  ritti_stand_in_row(d);
}

/* Accepts the step just taken: its end becomes the run's point. */
static void accept_step(ritti_driver *d, int side) {
  ritti_step_proposal *next = &d->next;
  d->count.accepted++;
  if (d->step.complete) { /* native code has measured it */
    const ritti_step_norms *norms = &d->step.job.norms;
    if (!(norms->residual <= d->count.largest_residual))
      d->count.largest_residual = norms->residual;
    d->at.travelled += norms->length;
  } else {
    ritti_note_residual(d, d->step.z_new);
    d->at.travelled += ritti_stepper_length(&d->step, d->report_weights);
  }
  ritti_sizes_accept(d);
  ritti_accept_top_errors(d);
  ritti_branch_accept(d);
  ritti_stepper_accept(&d->step);
  d->at.step_start = d->at.s;
  d->at.s = next->s_new;
  d->at.side = side;
  stand_at_stepper(d);

  /* fixed steps end where multiplication puts them; one that was cut is finished first */
  if (!d->adaptive) {
    next->inside_step = next->truncated || next->has_goal;
    next->fixed_count += !next->inside_step;
    next->h = next->fixed_origin + (ritt_real)(next->fixed_count + 1) * next->fixed_h - d->at.s;
  }
  next->truncated = next->has_goal = false;
}

/* Events, rows and fine points of the step just taken. */
static ritt_status write_step(ritti_driver *d, const ritti_step_outcome *met) {
  ritt_real s_new = d->next.s_new;
  if (met->zeros.count) RITT_TRY(ritti_events_record(d, &met->zeros, met->tried));
  if ((d->plan.horizon - s_new) * d->plan.along > 0 && !d->passage.active) return RITT_OK;
  RITT_TRY(d->passage.active ? ritti_passage_rows(d) : ritti_rows_of_step(d, s_new, s_new));
  return ritti_fine_points(d, s_new - d->at.s, 1);
}

/* Takes the derivatives of the solution along the step. They are known only for steps over x on the
 * manifold itself. */
static ritt_status take_tangents(ritti_driver *d) {
  bool usual =
      !d->passage.active && d->step.manifold == &d->manifold && d->step.direction == &d->direction;
  ritt_status status = usual ? ritti_tangents_take(d->tangents) : RITT_RETRY;
  return status == RITT_RETRY ? ritti_stop_derivatives(d, false) : status;
}

/* The step meets the tolerance: the watchers are asked, rows are written, the step is accepted, and
 * its events happen. */
static ritt_status complete_step(ritti_driver *d) {
  ritti_step_outcome met;
  met.zeros.count = met.side = 0;
  met.zeros.cut = -1;
  met.leaves = met.retake = met.run_ends = false;
  d->phase = RITTI_PHASE_BUSY;
  if (d->watched) {
    RITT_TRY(look_at_step(d, &met));
    if (met.retake) {
      d->phase = RITTI_PHASE_LOOK;
      return RITT_OK;
    }
  }
  if (met.run_ends) return finish_step(d);

  if (d->tangents) RITT_TRY(take_tangents(d));

  ritt_status status = write_step(d, &met);
  if (status == RITT_RETRY && !d->next.has_goal && !d->passage.active) {
    /* dense output could not compute a row inside the step: step to its place */
    d->next.goal = ritti_row_place(d, d->plan.next);
    d->next.has_goal = true;
    d->count.rejected++;
    d->phase = RITTI_PHASE_LOOK;
    return RITT_OK;
  }
  RITT_TRY(status);
  accept_step(d, met.side);
  if (d->tangents) ritti_tangents_accept(d->tangents);
  RITT_TRY(d->manifold.gave_up);

  /* what happens at the end of the step */
  if (d->passage.active) RITT_TRY(ritti_passage_continue(d, met.zeros.cut));
  if (met.leaves || met.zeros.cut >= 0) {
    RITT_TRY(met.leaves ? ritti_slide_leave(d) : ritti_event_act(d, met.zeros.cut));
    RITT_TRY(continue_after_event(d));
  }
  if (d->watched) RITT_TRY(ritti_check_invariants_here(d));
  return finish_step(d);
}

/* Decides whether the step just tried meets the tolerance, and how long the next one is. */
static ritt_status decide_step(ritti_driver *d, ritt_status status, ritt_real square) {
  ritti_step_proposal *next = &d->next;
  ritti_stepper *step = &d->step;
  ritt_real h = next->s_new - d->at.s;
  bool adaptive = d->adaptive;
  if (status != RITT_OK && status != RITT_RETRY) return status;

  /* a step that damps vibrations is as long as that takes, whatever its error; if its stages are not
   * found, or the run is over before, vibrations are followed */
  ritt_real least = step->least;
  if (least > 0) {
    next->keep_damping =
        next->keep_damping && status == RITT_OK && least <= RITTI_MATH(fabs)(next->end - d->at.s);
    if (!next->keep_damping) least = 0;
    ritt_real length = RITTI_MATH(fabs)(h);
    if (adaptive && square > 1 && length <= least * (1 + (ritt_real)1e-6)) {
      if (next->raised || length >= least * (1 - (ritt_real)1e-6)) square = 1;
      next->raised = true;
    }
  }

  if (status == RITT_OK && square <= 1) {
    ritt_real factor = 1;
    if (adaptive) {
      factor = ritti_control_factor(d, square);
      ritti_stiffness_look(d);
      if (next->retrying && factor > 1) factor = 1;
      next->h = h * factor;
      ritti_control_accept(d, square);
    }
    /* a step that was cut short to end at a place does not shorten the next one */
    if (factor >= 1 && RITTI_MATH(fabs)(next->h) < RITTI_MATH(fabs)(next->wanted))
      next->h = next->wanted;
    return complete_step(d);
  }

  d->count.rejected++;
  next->retrying = true;
  d->phase = RITTI_PHASE_TRY;
  if (status != RITT_OK) ritti_sizes_fail(d);
  else if (adaptive) ritti_sizes_reject(d, square);
  /* fixed steps are cut only if a projection does not converge, stages are not found, or a chart
   * ends */
  bool found = d->manifold.trouble != RITTI_NO_CONVERGENCE &&
               step->direction->trouble != RITTI_NO_STAGES && !ritti_crossing_on(d);
  if (!adaptive && found) return give_up(d);
  if (!adaptive) next->truncated = true;
  /* the next step is shorter whatever the factors of the control are */
  ritt_real shorter = step->shorten > 0 ? step->shorten : (ritt_real)0.25;
  if (status == RITT_OK)
    shorter = RITTI_MATH(fmin)(ritti_control_factor(d, square), (ritt_real)0.95);
  next->h = h * shorter;
  if (RITTI_MATH(fabs)(next->h) < least) next->h = next->h < 0 ? -least : least;
  bool lost = status == RITT_RETRY && loses_tops(d);
  if (!lost && !ritti_too_small(d, next->h)) return RITT_OK;
  return leave_border(d) ? RITT_OK : give_up(d);
}

/* ---- the state machine ---- */

/* Ends the run: a decision failed. */
static void end_run(ritti_driver *d, ritt_status status) {
  if (d->need == RITTI_NEED_FAILED) return; /* the caller has ended it */
  d->status = ritti_stop(d, status);
  if (d->need == RITTI_NEED_STEP || d->need == RITTI_NEED_NOTHING) d->need = RITTI_NEED_FAILED;
  d->phase = RITTI_PHASE_READY;
  if (d->need == RITTI_NEED_FAILED)
    d->plan.resumable = false; /* a successor goes on with the rows */
  if (d->passage.active) ritti_passage_break(d);
}

/* From the phase of the run to the next proposal, or to its end. */
static ritt_status move_on(ritti_driver *d) {
  ritti_phase phase = d->phase;
  if (phase == RITTI_PHASE_START) {
    d->phase = RITTI_PHASE_BUSY;

    /* The first row, and the first fine point. */
    const ritti_rows *rows = &d->plan.rows;
    bool listed = !rows->at || (rows->count > 0 && rows->at[0] == d->at.s);
    if (listed) RITT_TRY(ritti_write_row(d, d->at.s, d->step.z, d->step.top));
    RITT_TRY(ritti_write_fine(d, d->at.s, d->step.z, d->step.top));

    phase = RITTI_PHASE_AIM;
  }
  if (phase == RITTI_PHASE_AIM) {
    d->phase = RITTI_PHASE_BUSY;
    RITT_TRY(begin_steps(d));
    phase = RITTI_PHASE_READY;
  }
  if (phase == RITTI_PHASE_READY) {
    phase = RITTI_PHASE_LOOK;
    if ((d->at.s == d->plan.end && !d->passage.active) || d->ended_by >= 0) {
      d->phase = RITTI_PHASE_BUSY;
      RITT_TRY(write_end(d));
      d->phase = RITTI_PHASE_READY;
      d->need = RITTI_NEED_NOTHING;
      return RITT_OK;
    }
  }
  if (phase == RITTI_PHASE_LOOK) {
    RITT_TRY(look_ahead(d));
    if (d->phase != RITTI_PHASE_TRY) return RITT_OK;
  }

  ritti_step_proposal *next = &d->next;
  ritt_real longest = d->options.max_step;
  if (longest > 0 && d->adaptive && !d->passage.active && RITTI_MATH(fabs)(next->h) > longest)
    next->h = next->h < 0 ? -longest : longest;
  if (d->step.by->foresee && d->adaptive && !next->retrying) shorten_foreseen(d);
  next->wanted = next->h;
  next->s_new = find_target(d, next->h);
  if (next->s_new != next->end && ritti_too_small(d, next->s_new - d->at.s)) return give_up(d);
  d->phase = RITTI_PHASE_STEP;
  return RITT_OK;
}

ritti_need ritti_driver_next(ritti_driver *d) {
  while (d->need == RITTI_NEED_STEP && d->phase != RITTI_PHASE_STEP) {
    ritt_status status = move_on(d);
    if (status != RITT_OK) end_run(d, status);
  }
  return d->need;
}

/* Decides on the step that the stepper has taken, or has failed to take. */
static void decide_on_step(ritti_driver *d, ritt_status status) {
  ritt_real square = 0;
  if (status == RITT_OK) status = measure_step(d, &square);
  status = decide_step(d, status, square);
  if (status != RITT_OK) end_run(d, status);
}

ritti_step_job *ritti_driver_job(ritti_driver *d) {
  return ritti_stepper_job(&d->step, d->next.s_new - d->at.s, d->next.s_new);
}

void ritti_driver_answer(ritti_driver *d, bool done) {
  if (!done) {
    /* Takes the step by the methods of the stepper, stage by stage. */
    d->manifold.trouble = d->direction.trouble = RITTI_NO_TROUBLE;
    d->step.manifold->trouble = d->step.direction->trouble = RITTI_NO_TROUBLE;
    d->step.direction->turned = false;
    decide_on_step(d, ritti_stepper_take(&d->step, d->next.s_new - d->at.s, d->next.s_new));

    return;
  }
  ritti_stepper_take_answer(&d->step);
  d->step.direction->turned = false;
  decide_on_step(d, RITT_OK);
}

void ritti_driver_take(ritti_driver *d) {
  ritti_step_job *job = ritti_driver_job(d);
  ritti_driver_answer(d, job && d->step.kernel(job) == RITTI_STEP_WHOLE);
}

static ritt_status run_to_end(ritti_driver *d) {
  while (ritti_driver_next(d) == RITTI_NEED_STEP) ritti_driver_take(d);
  return d->status;
}

ritt_status ritti_driver_run(ritti_driver *d, ritt_real end, const ritti_rows *rows,
                             ritti_row_taker taker, void *user, ritt_error *error) {
  ritti_driver_begin(d, end, rows, taker, user, error);
  return run_to_end(d);
}

ritt_status ritti_driver_step(ritti_driver *d, ritt_real end, ritt_error *error) {
  ritti_driver_begin(d, end, NULL, NULL, NULL, error);
  d->plan.one_step = true;
  return run_to_end(d);
}

/* ---- dense output ---- */

/* Copies a point with its highest derivatives and its direction. */
static ritt_status copy_point(const ritti_driver *d, const ritt_real *z, const ritt_real *top,
                              const ritt_real *V, ritt_real *z_out, ritt_real *top_out,
                              ritt_real *V_out) {
  size_t size = (size_t)d->problem->m * sizeof *z;
  memcpy(z_out, z, size);
  memcpy(top_out, top, (size_t)d->problem->tops * sizeof *top);
  memcpy(V_out, V, size);
  return RITT_OK;
}

ritt_status ritti_driver_dense(ritti_driver *d, ritt_real s, ritt_real *z, ritt_real *top,
                               ritt_real *V) {
  ritti_stepper *step = &d->step;
  ritt_real from = d->at.step_start;

  /* the point itself */
  if (s == ritti_driver_place(d)) {
    bool stands = d->at.z == step->z;
    if (stands) copy_point(d, step->z, step->top, step->V[0], z, top, V);
    else copy_point(d, d->at.z, d->at.top, V, z, top, V);
    /* while sliding, the sides that outputs see are those of the point evaluated last */
    if (stands && !d->slide) return RITT_OK;
    return ritti_direction_at(stands ? step->direction : &d->direction, z, V);
  }
  if (d->passage.active || from == d->at.s || !((s - from) * (d->at.s - s) >= 0))
    return RITT_WRONG_CALL;

  /* acceptance has put the start of the step where its end was; the same swap takes it back */
  if (s == from) return copy_point(d, step->z_new, step->top_new, step->V[step->last], z, top, V);
  ritti_stepper_accept(step);
  ritt_status status = ritti_stepper_dense(step, (s - from) / step->h, s, z, top);
  ritti_stepper_accept(step);
  memcpy(V, step->a, (size_t)step->m * sizeof *V); /* the stepper's scratch holds V there */
  return status;
}
