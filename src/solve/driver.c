/* The driver: steps from the start to the end, rows on the way, a reason when it cannot go on. */
#include "solve/driver_impl.h"

ritt_status ritti_driver_new(const ritti_problem *problem, const ritti_solve_options *options,
                             ritti_arena *arena, ritti_driver **out) {
  ritti_driver *d;
  int m = problem->m;
  RITTI_NEW(d, arena, 1);
  d->problem = problem;
  d->options = *options;
  RITTI_NEW(d->work, arena, problem->work_size + 1);
  if (problem->work_init) problem->work_init(problem->data, d->work);
  RITT_TRY(ritti_manifold_init_with(&d->manifold, problem, d->work, options->linear, arena));
  RITT_TRY(ritti_direction_init_with(&d->direction, problem, d->work, options->linear, arena));
  RITT_TRY(ritti_direction_take(&d->direction, options->direction, arena));
  if (options->doubled) d->doubled = ritti_tableau_doubled(options->tableau);
  RITT_TRY(ritti_stepper_init(&d->step, options->doubled ? &d->doubled : options->tableau,
                              &d->manifold, &d->direction, arena));
  RITT_TRY(ritti_norm_init(d, arena));
  RITTI_NEW(d->err, arena, m);
  RITTI_NEW(d->err3, arena, m);
  RITTI_NEW(d->row_z, arena, m);
  RITTI_NEW(d->arc_weights, arena, m);
  RITTI_NEW(d->row_top, arena, problem->tops + 1);
  d->arena = arena;
  RITT_TRY(ritti_monitors_init(&d->monitors, problem, arena));
  RITT_TRY(ritti_jumper_init(&d->jumper, problem, arena));
  for (int i = 0; i < m; i++) d->manifold.size[i] = options->absolute[i] / options->relative[i];
  RITT_TRY(ritti_manifold_choose(&d->manifold, options->projection, arena));
  d->manifold.predict = options->predict;
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
  if (options->constant_step == 0)
    d->step.relative = options->relative, d->step.absolute = options->absolute;
  RITT_TRY(ritti_stepper_ready(&d->step));
  RITT_TRY(ritti_singular_watch_init(d, arena));
  RITT_TRY(ritti_crossing_watch_init(d, arena));
  *out = d;
  return RITT_OK;
}

/* Where the run is now: at the stepper's point. */
static void stand(ritti_driver *d) {
  d->at.z = d->step.z;
  d->at.top = d->step.top;
}

ritt_status ritti_driver_start(ritti_driver *d, ritt_real s, const ritt_real *z,
                               ritt_error *error) {
  const ritti_problem *p = d->problem;
  d->at.s = d->at.step_start = s;
  d->next.h = d->next.fixed_h = 0;
  d->next.truncated = d->next.inside_step = false;
  ritti_control_forget(d);
  memcpy(d->step.z, z, (size_t)p->m * sizeof *z);
  stand(d);
  RITT_TRY(ritti_sides_first(d));
  ritt_status status = ritti_stepper_place(&d->step, z);
  if (status != RITT_OK) return ritti_stop(d, status, error);
  d->at.side = ritti_singular_watch_side(d, d->step.z, d->step.V[0]);
  d->at.travelled = 0;
  ritti_control_metric(d);
  ritti_note_residual(d, d->step.z);
  RITT_TRY(d->manifold.gave_up);
  d->ended_by = -1;
  d->fresh = true;
  return RITT_OK;
}

ritt_status ritti_place_anew(ritti_driver *d, const ritt_real *z) {
  RITT_TRY(ritti_stepper_move(&d->step, z));
  d->at.step_start = d->at.s;
  ritti_singular_watch_forget(d);
  d->at.side = ritti_singular_watch_side(d, d->step.z, d->step.V[0]);
  stand(d);
  /* the next step is a first one */
  d->next.fixed_origin = d->at.s, d->next.fixed_count = 0, d->next.h = d->next.fixed_h;
  ritti_control_forget(d);
  return RITT_OK;
}

/* ---- steps ---- */

/* Tries a step to s_new. RITT_OK: *square is that of its error in units of the tolerance.
 * RITT_RETRY: it could not be computed. */
static ritt_status try_step(ritti_driver *d, ritt_real s_new, ritt_real *square) {
  d->manifold.trouble = d->direction.trouble = RITTI_NO_TROUBLE;
  d->step.manifold->trouble = d->step.direction->trouble = RITTI_NO_TROUBLE;
  d->step.direction->turned = false;
  *square = 0;
  RITT_TRY(ritti_stepper_take(&d->step, s_new - d->at.s, s_new));
  if (d->step.direction->turned && d->options.control != RITTI_CONTROL_PAPERS) {
    d->step.direction->trouble = RITTI_TURNED_BACK;
    return RITT_RETRY;
  }
  if (d->options.constant_step != 0) return RITT_OK;
  RITT_TRY(ritti_step_square(d, square));
  /* a polynomial does not see what jumps beyond its point; V at its end does */
  if (*square <= 1 && ritti_stepper_defect(&d->step, d->err3)) {
    ritt_real defect = ritti_tolerance_norm(d, d->err3, d->step.z);
    *square = RITTI_MATH(fmax)(*square, defect * defect);
  }
  return RITT_OK;
}

/* Where the step that starts now should end: not past the end, and no sliver left before it. */
static ritt_real target(const ritti_driver *d, ritt_real h, ritt_real end) {
  if (d->next.has_goal) end = d->next.goal;
  ritt_real left = end - d->at.s;
  if (RITTI_MATH(fabs)(h) * (1 + (ritt_real)1e-10) >= RITTI_MATH(fabs)(left)) return end;
  if (d->options.constant_step == 0 && 2 * RITTI_MATH(fabs)(h) > RITTI_MATH(fabs)(left))
    h = left / 2;
  return d->at.s + h;
}

bool ritti_too_small(const ritti_driver *d, ritt_real h, ritt_real length) {
  ritt_real size =
      RITTI_MATH(fmax)(RITTI_MATH(fabs)(d->at.s), (ritt_real)1e-10 * RITTI_MATH(fabs)(length));
  return !(RITTI_MATH(fabs)(h) > 16 * RITTI_EPS * size);
}

/* Methods that know the error of a step beforehand do not try one that is too long. */
static void shorten_foreseen(ritti_driver *d) {
  enum { MOST = 20 };
  for (int i = 0;
       i < MOST && !d->options.scaled && ritti_stepper_foresee(&d->step, d->next.h, d->err); i++) {
    ritt_real err = ritti_tolerance_norm(d, d->err, d->step.z);
    if (err <= 1) return;
    d->next.h *= ritti_control_factor(d, err * err);
  }
}

/* One accepted step towards `end`; *s_new is where it ends. RITT_STOPPED: no step could be made. */
ritt_status ritti_next_step(ritti_driver *d, ritt_real from, ritt_real end, ritt_real *s_new,
                            ritt_error *error) {
  bool adaptive = d->options.constant_step == 0, rejected = d->next.retrying, damps = true,
       raised = false;
  d->next.retrying = false;
  for (;;) {
    if (adaptive && !rejected) shorten_foreseen(d);
    ritt_real square, wanted = d->next.h;
    *s_new = target(d, d->next.h, end);
    if (*s_new != end && ritti_too_small(d, *s_new - d->at.s, end - from))
      return ritti_stop_trouble(d, error);
    ritt_status status = try_step(d, *s_new, &square);
    if (status != RITT_OK && status != RITT_RETRY) return status;
    /* a step that damps vibrations is as long as that takes, whatever its error; where its stages
     * are not found, or the run is over before, vibrations are followed */
    damps = damps && status == RITT_OK && d->step.least <= RITTI_MATH(fabs)(end - d->at.s);
    ritt_real least = damps ? d->step.least : 0, length = RITTI_MATH(fabs)(*s_new - d->at.s);
    if (adaptive && square > 1 && length <= least * (1 + (ritt_real)1e-6)) {
      if (raised || length >= least * (1 - (ritt_real)1e-6)) square = 1;
      raised = true;
    }
    if (status == RITT_OK && square <= 1) {
      ritt_real factor = adaptive ? ritti_control_factor(d, square) : 1;
      if (adaptive) ritti_stiffness_look(d);
      if (rejected && factor > 1) factor = 1;
      if (adaptive) d->next.h = (*s_new - d->at.s) * factor, ritti_control_accept(d, square);
      /* a step that was cut short to end where it should does not shorten the next */
      if (factor >= 1 && RITTI_MATH(fabs)(d->next.h) < RITTI_MATH(fabs)(wanted)) d->next.h = wanted;
      return RITT_OK;
    }
    d->count.rejected++;
    rejected = true;
    /* equal steps are cut only where a projection does not converge, stages are not found, or a
     * chart ends */
    bool found = d->manifold.trouble != RITTI_NO_CONVERGENCE &&
                 d->step.direction->trouble != RITTI_NO_STAGES && !ritti_crossing_on(d);
    if (!adaptive && found) return ritti_stop_trouble(d, error);
    if (!adaptive) d->next.truncated = true;
    ritt_real shorter = d->step.shorten > 0 ? d->step.shorten : (ritt_real)0.25;
    d->next.h =
        (*s_new - d->at.s) * (status == RITT_OK ? ritti_control_factor(d, square) : shorter);
    if (RITTI_MATH(fabs)(d->next.h) < least) d->next.h = d->next.h < 0 ? -least : least;
    if (ritti_too_small(d, d->next.h, end - from)) return ritti_stop_trouble(d, error);
  }
}

/* Puts the run's point at s within the step just taken; where it cannot be had it stays at the
 * step's start. */
void ritti_reach(ritti_driver *d, ritt_real s) {
  if (ritti_stepper_dense(&d->step, (s - d->at.s) / d->step.h, s, d->row_z, d->row_top) != RITT_OK)
    return;
  d->at.s = d->at.step_start = s;
  d->at.z = d->row_z;
  d->at.top = d->row_top;
}

/* The step just taken becomes the point. */
void ritti_accept(ritti_driver *d, ritt_real s_new, int sign) {
  d->next.inside_step = d->next.truncated || d->next.has_goal;
  d->next.truncated = d->next.has_goal = false;
  d->count.accepted++;
  ritti_note_step_residual(d);
  d->at.travelled += ritti_stepper_length(&d->step, d->report_weights);
  ritti_stepper_accept(&d->step);
  d->at.step_start = d->at.s;
  d->at.s = s_new;
  d->at.side = sign;
  stand(d);
  /* equal steps stand where multiplication puts them; one that was cut is finished first */
  d->next.fixed_count += !d->next.inside_step;
  if (d->options.constant_step != 0)
    d->next.h =
        d->next.fixed_origin + (ritt_real)(d->next.fixed_count + 1) * d->next.fixed_h - d->at.s;
}

/* The next steps go to `end`: the first one, where none that way is proposed yet. */
static ritt_status aim(ritti_driver *d, ritt_real end, ritt_error *error) {
  ritt_real equal = d->options.constant_step * (end < d->at.s ? -1 : 1);
  ritt_status status = d->at.stepper_stale ? ritti_fold_return(d) : RITT_OK;
  if (status != RITT_OK) return ritti_stop(d, status, error);
  if (d->options.constant_step != 0) {
    if (d->next.fixed_h == equal &&
        (d->next.inside_step ||
         d->at.s == d->next.fixed_origin + (ritt_real)d->next.fixed_count * equal))
      return RITT_OK;
    d->next.fixed_origin = d->at.s;
    d->next.fixed_count = 0;
    d->next.h = d->next.fixed_h = equal;
    return RITT_OK;
  }
  if (d->next.h * (end - d->at.s) > 0) return RITT_OK;
  status = ritti_control_first_step(d, end - d->at.s, &d->next.h);
  return status == RITT_OK ? RITT_OK : ritti_stop(d, status, error);
}

/* After an event: the point behind a jump is a row of its own where every step is; a first step
 * from there. */
static ritt_status after_event(ritti_driver *d, ritti_row_plan *plan, ritt_error *error) {
  bool jumped = d->jumped;
  d->jumped = false;
  if (jumped && ritti_row_every_step(plan))
    RITT_TRY(ritti_row_give(d, plan, d->at.s, d->step.z, d->step.top));
  if (jumped && plan->rows->fine)
    RITT_TRY(plan->rows->fine(plan->user, d->at.s, d->step.z, d->step.top));
  if (d->ended_by >= 0 || d->at.s == plan->end) return RITT_OK;
  return aim(d, plan->end, error);
}

/* V at the end of the step just taken */
static const ritt_real *end_direction(const ritti_driver *d) { return d->step.V[d->step.last]; }

/* By arc length as long as x is a bad coordinate. */
static ritt_status go_by_arc(ritti_driver *d, ritti_row_plan *plan, ritt_error *error) {
  int cut = -1;
  ritt_status status = ritti_fold_pass(d, plan, &cut, error);
  d->at.step_start = d->at.s;
  if (status != RITT_OK || cut < 0) return status;
  RITT_TRY(ritti_event_act(d, cut, error));
  return after_event(d, plan, error);
}

/* Is there anything to look for on the way: events, singular points, folds, crossings? */
bool ritti_is_watched(const ritti_driver *d) {
  return d->problem->monitors > 0 || d->crossing.at.z || d->singular.at.z ||
         d->problem->kind != RITT_EXPLICIT || ritti_direction_has_line(&d->direction);
}

/* Before a step: is something near that is passed in another way, or stopped at? *done: it was. */
ritt_status ritti_look_ahead(ritti_driver *d, ritti_row_plan *plan, bool *done, ritt_error *error) {
  RITT_TRY(ritti_crossing_turn(d));
  *done = true;
  if (ritti_fold_near(d)) return go_by_arc(d, plan, error);
  if (ritti_singular_watch_near(d)) return ritti_singular_watch_go(d, plan, error);
  *done = false;
  return RITT_OK;
}

static ritt_status take_again(ritti_driver *d, ritt_real h, ritti_step_outcome *met) {
  d->next.h = h;
  d->count.rejected++;
  d->next.truncated = d->options.constant_step != 0;
  met->again = true;
  return RITT_OK;
}

/* After a step, before it is accepted; events may cut it to *s_new. */
ritt_status ritti_look_at_step(ritti_driver *d, ritti_row_plan *plan, ritt_real *s_new,
                               ritti_step_outcome *met, ritt_error *error) {
  met->zeros.count = 0, met->zeros.cut = -1;
  met->sign = 0, met->leaves = met->again = met->done = false;
  if (ritti_crossing_ahead(d)) return take_again(d, d->step.h / 2, met);
  met->sign = ritti_singular_watch_side(d, d->step.z_new, end_direction(d));
  met->leaves = ritti_slide_leaves(d);
  ritt_status status = met->leaves ? ritti_slide_cut(d, s_new) : RITT_OK;
  met->tried = d->step.h;
  d->monitors.at_end = *s_new == plan->end;
  if (status == RITT_OK) status = ritti_events_find(d, s_new, &met->zeros);
  /* a monitor has no value somewhere in the step: a shorter one */
  if (status == RITT_RETRY && RITTI_MATH(fabs)(met->tried) > (ritt_real)1e-9 * d->length)
    return take_again(d, met->tried / 4, met);
  if (status == RITT_RETRY) return ritti_stop_monitor(d, error);
  if (status != RITT_OK) return status;
  if (met->zeros.cut >= d->problem->events + d->problem->surfaces) {
    d->needs_recompletion = true;
    return RITT_STOPPED;
  }
  if (met->zeros.cut >= 0) {
    met->leaves = false, met->sign = ritti_singular_watch_side(d, d->step.z_new, end_direction(d));
  } else if (ritti_singular_watch_crossed(d, met->sign)) {
    ritt_real before;
    const ritt_special *special = ritti_singular_watch_cross(d, *s_new, &before);
    if (!special) {
      d->count.rejected++;
      d->next.truncated = d->next.has_goal = false;
      met->done = true;
      return go_by_arc(d, plan, error);
    }
    if (!special->passed)
      return ritti_singular_watch_stop_before(d, plan, *s_new, before, special, error);
  }
  if (ritti_crossing_passed(d)) {
    ritt_real at;
    const ritt_special *special = ritti_crossing_note(d, *s_new, &at);
    if (!special->passed) return ritti_crossing_stop(d, plan, *s_new, at, special, error);
  }
  return RITT_OK;
}

/* One accepted step towards the end of the plan (or a passage by arc length), with its rows. */
static ritt_status advance_or_retry(ritti_driver *d, ritti_row_plan *plan, bool looked,
                                    ritt_error *error) {
  const bool watched = ritti_is_watched(d);
  for (;;) {
    ritt_real s_new;
    ritti_step_outcome met;
    bool done = false;
    met.zeros.cut = -1, met.sign = 0, met.leaves = met.again = met.done = false;
    if (d->options.max_steps && d->count.accepted >= d->options.max_steps)
      return ritti_stop_steps(d, plan->end, error);
    if (ritti_stiffness_turn(d)) {
      d->switch_method = true;
      return RITT_STOPPED;
    }
    if (!looked) ritti_control_metric(d);
    if (watched && !looked) RITT_TRY(ritti_look_ahead(d, plan, &done, error));
    if (done) return RITT_OK;
    looked = false;
    RITT_TRY(ritti_next_step(d, plan->from, plan->end, &s_new, error));
    ritt_status status = watched ? ritti_look_at_step(d, plan, &s_new, &met, error) : RITT_OK;
    if (status != RITT_OK || met.done) return status;
    if (met.again) continue;
    if (watched) status = ritti_events_record(d, &met.zeros, met.tried);
    if (status == RITT_OK) status = ritti_rows_of_step(d, plan, s_new, s_new);
    if (status == RITT_RETRY && !d->next.has_goal) {
      /* a row within the step cannot be had: step to it */
      d->next.goal = ritti_row_place(plan, plan->next);
      d->next.has_goal = true;
      d->count.rejected++;
      continue;
    }
    if (status == RITT_RETRY) return ritti_stop_trouble(d, error);
    RITT_TRY(status);
    RITT_TRY(ritti_fine_points(d, plan, s_new - d->at.s, 1));
    ritti_accept(d, s_new, met.sign);
    RITT_TRY(d->manifold.gave_up);
    if (met.zeros.cut < 0 && !met.leaves) return RITT_OK;
    RITT_TRY(met.leaves ? ritti_slide_leave(d, error) : ritti_event_act(d, met.zeros.cut, error));
    return after_event(d, plan, error);
  }
}

/* The same; a point that could not be computed, where no shorter step helps, stops the run with the
 * reason. */
static ritt_status advance(ritti_driver *d, ritti_row_plan *plan, bool looked, ritt_error *error) {
  ritt_status status = advance_or_retry(d, plan, looked, error);
  return status == RITT_OK ? RITT_OK : ritti_stop(d, status, error);
}

/* The first step to the end of the plan; from the start, with what happens there. */
static ritt_status begin_run(ritti_driver *d, ritti_row_plan *plan, ritt_error *error) {
  d->length = RITTI_MATH(fmax)(d->length, RITTI_MATH(fabs)(plan->end - d->at.s));
  if (d->fresh) RITT_TRY(ritti_events_begin(d, plan->end < d->at.s ? -1 : 1, error));
  d->fresh = false;
  if (d->ended_by >= 0) return RITT_OK;
  RITT_TRY(aim(d, plan->end, error));
  return after_event(d, plan, error);
}

/* The first row of all, and the first fine point. */
static ritt_status give_start(ritti_driver *d, ritti_row_plan *plan) {
  const ritti_rows *rows = plan->rows;
  bool listed = !rows->at || (rows->count > 0 && rows->at[0] == d->at.s);
  if (listed) RITT_TRY(ritti_row_give(d, plan, d->at.s, d->step.z, d->step.top));
  return rows->fine ? rows->fine(plan->user, d->at.s, d->step.z, d->step.top) : RITT_OK;
}

/* What a run that goes on later has to know of its rows. */
static void keep_plan(ritti_driver *d, const ritti_row_plan *plan) {
  d->next_row = plan->next, d->last_row = plan->last, d->fine = plan->fine;
}

static ritt_status run(ritti_driver *d, ritti_row_plan *plan, ritt_error *error) {
  const ritti_rows *rows = plan->rows;
  if (!rows->begun) RITT_TRY(give_start(d, plan));
  if (plan->end != d->at.s && !rows->resumed) RITT_TRY(begin_run(d, plan, error));
  while (d->at.s != plan->end && d->ended_by < 0) {
    bool looked = false, done = false;
    keep_plan(d, plan);
    RITT_TRY(ritti_cruise(d, plan, &looked, &done, error));
    if (d->waiting) {
      d->busy = false;
      return RITT_OK;
    }
    if (!done) RITT_TRY(advance(d, plan, looked, error));
    keep_plan(d, plan);
    d->busy = false;
    if (d->call.step) RITT_TRY(d->call.step(d->call.step_user, d));
    d->busy = true;
  }
  /* an event that ends the run is its end, also where no row was wanted there */
  if (d->ended_by >= 0 && !rows->at && plan->last != d->at.s)
    RITT_TRY(ritti_row_give(d, plan, d->at.s, d->step.z, d->step.top));
  d->busy = false;
  return RITT_OK;
}

ritt_status ritti_driver_run(ritti_driver *d, ritt_real end, const ritti_rows *rows,
                             ritti_row_taker taker, void *user, ritt_error *error) {
  ritti_row_plan plan = {.rows = rows,
                         .from = rows->begun ? rows->from : d->at.s,
                         .end = end,
                         .next = rows->next,
                         .last = rows->begun ? d->last_row : NAN,
                         .taker = taker,
                         .user = user,
                         .fine = rows->begun ? d->fine : 0};
  d->running = d->busy = true;
  ritt_status status = run(d, &plan, error);
  keep_plan(d, &plan);
  d->running = !d->busy; /* one that its caller ended after a step can go on there */
  d->busy = false;
  return status;
}

/* One accepted step, or all that can be taken by cruising and one more. */
static ritt_status go(ritti_driver *d, ritt_real end, bool cruise, ritt_error *error) {
  static const ritti_rows none;
  ritti_row_plan plan = {.rows = &none, .from = d->at.s, .end = end};
  bool looked = false, done = false;
  if (end == d->at.s || d->ended_by >= 0) return RITT_OK;
  d->busy = true;
  d->running = false;
  ritt_status status = begin_run(d, &plan, error);
  if (status == RITT_OK && d->ended_by < 0 && cruise)
    status = ritti_cruise(d, &plan, &looked, &done, error);
  if (status == RITT_OK && d->ended_by < 0 && !done) status = advance(d, &plan, looked, error);
  d->busy = false;
  return status;
}

ritt_status ritti_driver_step(ritti_driver *d, ritt_real end, ritt_error *error) {
  return go(d, end, false, error);
}

ritt_status ritti_driver_steps(ritti_driver *d, ritt_real end, ritt_error *error) {
  return go(d, end, true, error);
}

/* Copies a point with its tops and its direction. */
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
  if (s == d->at.s && d->at.z == step->z)
    return copy_point(d, step->z, step->top, step->V[0], z, top, V);
  if (s == d->at.s) {
    copy_point(d, d->at.z, d->at.top, V, z, top, V);
    return ritti_direction_at(&d->direction, z, V);
  }
  if (!((s - d->at.step_start) * (d->at.s - s) >= 0) || d->at.step_start == d->at.s)
    return RITT_WRONG_CALL;
  /* acceptance has put the start of the step where its end was */
  if (s == d->at.step_start)
    return copy_point(d, step->z_new, step->top_new, step->V[step->last], z, top, V);
  /* the swap that accepts a step also takes it back */
  ritti_stepper_accept(step);
  ritt_status status = ritti_stepper_dense(step, (s - d->at.step_start) / step->h, s, z, top);
  ritti_stepper_accept(step);
  memcpy(V, step->a, (size_t)step->m * sizeof *V); /* the stepper's scratch holds V there */
  return status;
}
