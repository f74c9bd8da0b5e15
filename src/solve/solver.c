/* The driver: steps from the start to the end, rows on the way, a reason when it cannot go on. */
#include "solve/solve_impl.h"

ritt_status ritti_solver_new(const ritti_problem *problem, const ritti_solve_options *options,
                             ritti_arena *arena, ritti_solver **out) {
  ritti_solver *S;
  int m = problem->m;
  RITTI_NEW(S, arena, 1);
  S->problem = problem;
  S->options = *options;
  RITTI_NEW(S->work, arena, problem->work_size + 1);
  if (problem->work_init) problem->work_init(problem->data, S->work);
  RITT_TRY(ritti_manifold_init_with(&S->manifold, problem, S->work, options->linear, arena));
  RITT_TRY(ritti_direction_init_with(&S->direction, problem, S->work, options->linear, arena));
  RITT_TRY(ritti_direction_take(&S->direction, options->direction, arena));
  if (options->doubled) S->doubled = ritti_tableau_doubled(options->tableau);
  RITT_TRY(ritti_stepper_init(&S->step, options->doubled ? &S->doubled : options->tableau,
                              &S->manifold, &S->direction, arena));
  RITT_TRY(ritti_norm_init(S, arena));
  RITTI_NEW(S->err, arena, m);
  RITTI_NEW(S->err3, arena, m);
  RITTI_NEW(S->row_z, arena, m);
  RITTI_NEW(S->arc, arena, m);
  RITTI_NEW(S->row_top, arena, problem->tops + 1);
  S->arena = arena;
  RITT_TRY(ritti_watch_init(&S->watch, problem, arena));
  RITT_TRY(ritti_jumper_init(&S->jumper, problem, arena));
  for (int i = 0; i < m; i++) S->manifold.size[i] = options->absolute[i] / options->relative[i];
  RITT_TRY(ritti_manifold_choose(&S->manifold, options->projection, arena));
  S->manifold.predict = options->predict;
  S->step.project_stages = options->project_stages;
  S->step.weighted = options->weighted;
  S->step.keep_x = !options->by_arc;
  for (int i = 0; i < m; i++) {
    ritt_real size = options->scale && options->scale[i] > 0 ? options->scale[i] : 1;
    S->arc[i] = 1 / (size * size);
  }
  if (options->by_arc) S->direction.arc = S->arc;
  S->step.algebra = options->linear;
  S->step.newton = options->newton;
  if (options->constant_step == 0)
    S->step.relative = options->relative, S->step.absolute = options->absolute;
  RITT_TRY(ritti_stepper_ready(&S->step));
  RITT_TRY(ritti_meeting_init(S, arena));
  RITT_TRY(ritti_crossings_init(S, arena));
  *out = S;
  return RITT_OK;
}

/* Where the run is now: at the stepper's point. */
static void stand(ritti_solver *S) {
  S->point = S->step.z;
  S->point_top = S->step.top;
}

ritt_status ritti_solver_start(ritti_solver *S, ritt_real s, const ritt_real *z,
                               ritt_error *error) {
  const ritti_problem *p = S->problem;
  S->s = S->before = s;
  S->h = S->equal = 0;
  S->cut = S->within = false;
  ritti_control_forget(S);
  memcpy(S->step.z, z, (size_t)p->m * sizeof *z);
  stand(S);
  RITT_TRY(ritti_sides_first(S));
  ritt_status status = ritti_stepper_place(&S->step, z);
  if (status != RITT_OK) return ritti_stop(S, status, error);
  S->determinant = ritti_meeting_side(S, S->step.z, S->step.V[0]);
  S->travelled = 0;
  ritti_control_metric(S);
  ritti_note_residual(S, S->step.z);
  RITT_TRY(S->manifold.gave_up);
  S->ended = -1;
  S->fresh = true;
  return RITT_OK;
}

ritt_status ritti_place_anew(ritti_solver *S, const ritt_real *z) {
  RITT_TRY(ritti_stepper_move(&S->step, z));
  S->before = S->s;
  ritti_meeting_forget(S);
  S->determinant = ritti_meeting_side(S, S->step.z, S->step.V[0]);
  stand(S);
  /* the next step is a first one */
  S->begin = S->s, S->taken = 0, S->h = S->equal;
  ritti_control_forget(S);
  return RITT_OK;
}

/* ---- steps ---- */

/* Tries a step to s_new. RITT_OK: *square is that of its error in units of the tolerance.
 * RITT_RETRY: it could not be computed. */
static ritt_status try_step(ritti_solver *S, ritt_real s_new, ritt_real *square) {
  S->manifold.trouble = S->direction.trouble = RITTI_NO_TROUBLE;
  S->step.manifold->trouble = S->step.direction->trouble = RITTI_NO_TROUBLE;
  S->step.direction->turned = false;
  *square = 0;
  RITT_TRY(ritti_stepper_take(&S->step, s_new - S->s, s_new));
  if (S->step.direction->turned && S->options.control != RITTI_CONTROL_PAPERS) {
    S->step.direction->trouble = RITTI_TURNED_BACK;
    return RITT_RETRY;
  }
  if (S->options.constant_step != 0) return RITT_OK;
  RITT_TRY(ritti_step_square(S, square));
  /* a polynomial does not see what jumps beyond its point; V at its end does */
  if (*square <= 1 && ritti_stepper_defect(&S->step, S->err3)) {
    ritt_real defect = ritti_tolerance_norm(S, S->err3, S->step.z);
    *square = RITTI_MATH(fmax)(*square, defect * defect);
  }
  return RITT_OK;
}

/* Where the step that starts now should end: not past the end, and no sliver left before it. */
static ritt_real target(const ritti_solver *S, ritt_real h, ritt_real end) {
  if (S->has_goal) end = S->goal;
  ritt_real left = end - S->s;
  if (RITTI_MATH(fabs)(h) * (1 + (ritt_real)1e-10) >= RITTI_MATH(fabs)(left)) return end;
  if (S->options.constant_step == 0 && 2 * RITTI_MATH(fabs)(h) > RITTI_MATH(fabs)(left))
    h = left / 2;
  return S->s + h;
}

bool ritti_too_small(const ritti_solver *S, ritt_real h, ritt_real length) {
  ritt_real size =
      RITTI_MATH(fmax)(RITTI_MATH(fabs)(S->s), (ritt_real)1e-10 * RITTI_MATH(fabs)(length));
  return !(RITTI_MATH(fabs)(h) > 16 * RITTI_EPS * size);
}

/* Methods that know the error of a step beforehand do not try one that is too long. */
static void shorten_foreseen(ritti_solver *S) {
  enum { MOST = 20 };
  for (int i = 0; i < MOST && !S->options.scaled && ritti_stepper_foresee(&S->step, S->h, S->err);
       i++) {
    ritt_real err = ritti_tolerance_norm(S, S->err, S->step.z);
    if (err <= 1) return;
    S->h *= ritti_control_factor(S, err * err);
  }
}

/* One accepted step towards `end`; *s_new is where it ends. RITT_STOPPED: no step could be made. */
ritt_status ritti_next_step(ritti_solver *S, ritt_real from, ritt_real end, ritt_real *s_new,
                            ritt_error *error) {
  bool adaptive = S->options.constant_step == 0, rejected = S->tried, damps = true, raised = false;
  S->tried = false;
  for (;;) {
    if (adaptive && !rejected) shorten_foreseen(S);
    ritt_real square, wanted = S->h;
    *s_new = target(S, S->h, end);
    if (*s_new != end && ritti_too_small(S, *s_new - S->s, end - from))
      return ritti_stop_trouble(S, error);
    ritt_status status = try_step(S, *s_new, &square);
    if (status != RITT_OK && status != RITT_RETRY) return status;
    /* a step that damps vibrations is as long as that takes, whatever its error; where its stages
     * are not found, or the run is over before, vibrations are followed */
    damps = damps && status == RITT_OK && S->step.least <= RITTI_MATH(fabs)(end - S->s);
    ritt_real least = damps ? S->step.least : 0, length = RITTI_MATH(fabs)(*s_new - S->s);
    if (adaptive && square > 1 && length <= least * (1 + (ritt_real)1e-6)) {
      if (raised || length >= least * (1 - (ritt_real)1e-6)) square = 1;
      raised = true;
    }
    if (status == RITT_OK && square <= 1) {
      ritt_real factor = adaptive ? ritti_control_factor(S, square) : 1;
      if (adaptive) ritti_stiffness_look(S);
      if (rejected && factor > 1) factor = 1;
      if (adaptive) S->h = (*s_new - S->s) * factor, ritti_control_accept(S, square);
      /* a step that was cut short to end where it should does not shorten the next */
      if (factor >= 1 && RITTI_MATH(fabs)(S->h) < RITTI_MATH(fabs)(wanted)) S->h = wanted;
      return RITT_OK;
    }
    S->rejected++;
    rejected = true;
    /* equal steps are cut only where a projection does not converge, stages are not found, or a
     * chart ends */
    bool found = S->manifold.trouble != RITTI_NO_CONVERGENCE &&
                 S->step.direction->trouble != RITTI_NO_STAGES && !ritti_crossing_on(S);
    if (!adaptive && found) return ritti_stop_trouble(S, error);
    if (!adaptive) S->cut = true;
    ritt_real shorter = S->step.shorten > 0 ? S->step.shorten : (ritt_real)0.25;
    S->h = (*s_new - S->s) * (status == RITT_OK ? ritti_control_factor(S, square) : shorter);
    if (RITTI_MATH(fabs)(S->h) < least) S->h = S->h < 0 ? -least : least;
    if (ritti_too_small(S, S->h, end - from)) return ritti_stop_trouble(S, error);
  }
}

/* Puts the run's point at s within the step just taken; where it cannot be had it stays at the
 * step's start. */
void ritti_reach(ritti_solver *S, ritt_real s) {
  if (ritti_stepper_dense(&S->step, (s - S->s) / S->step.h, s, S->row_z, S->row_top) != RITT_OK)
    return;
  S->s = S->before = s;
  S->point = S->row_z;
  S->point_top = S->row_top;
}

/* The step just taken becomes the point. */
void ritti_accept(ritti_solver *S, ritt_real s_new, int sign) {
  S->within = S->cut || S->has_goal;
  S->cut = S->has_goal = false;
  S->accepted++;
  ritti_note_step_residual(S);
  S->travelled += ritti_stepper_length(&S->step, S->metric);
  ritti_stepper_accept(&S->step);
  S->before = S->s;
  S->s = s_new;
  S->determinant = sign;
  stand(S);
  /* equal steps stand where multiplication puts them; one that was cut is finished first */
  S->taken += !S->within;
  if (S->options.constant_step != 0) S->h = S->begin + (ritt_real)(S->taken + 1) * S->equal - S->s;
}

/* The next steps go to `end`: the first one, where none that way is proposed yet. */
static ritt_status aim(ritti_solver *S, ritt_real end, ritt_error *error) {
  ritt_real equal = S->options.constant_step * (end < S->s ? -1 : 1);
  ritt_status status = S->unplaced ? ritti_fold_return(S) : RITT_OK;
  if (status != RITT_OK) return ritti_stop(S, status, error);
  if (S->options.constant_step != 0) {
    if (S->equal == equal && (S->within || S->s == S->begin + (ritt_real)S->taken * equal))
      return RITT_OK;
    S->begin = S->s;
    S->taken = 0;
    S->h = S->equal = equal;
    return RITT_OK;
  }
  if (S->h * (end - S->s) > 0) return RITT_OK;
  status = ritti_control_first_step(S, end - S->s, &S->h);
  return status == RITT_OK ? RITT_OK : ritti_stop(S, status, error);
}

/* After an event: the point behind a jump is a row of its own where every step is; a first step
 * from there. */
static ritt_status after_event(ritti_solver *S, ritti_row_plan *plan, ritt_error *error) {
  bool jumped = S->jumped;
  S->jumped = false;
  if (jumped && ritti_row_every_step(plan))
    RITT_TRY(ritti_row_give(S, plan, S->s, S->step.z, S->step.top));
  if (jumped && plan->rows->fine)
    RITT_TRY(plan->rows->fine(plan->user, S->s, S->step.z, S->step.top));
  if (S->ended >= 0 || S->s == plan->end) return RITT_OK;
  return aim(S, plan->end, error);
}

/* V at the end of the step just taken */
static const ritt_real *end_direction(const ritti_solver *S) { return S->step.V[S->step.last]; }

/* By arc length as long as x is a bad coordinate. */
static ritt_status go_by_arc(ritti_solver *S, ritti_row_plan *plan, ritt_error *error) {
  int cut = -1;
  ritt_status status = ritti_fold_pass(S, plan, &cut, error);
  S->before = S->s;
  if (status != RITT_OK || cut < 0) return status;
  RITT_TRY(ritti_event_act(S, cut, error));
  return after_event(S, plan, error);
}

/* Is there anything to look for on the way: events, singular points, folds, crossings? */
bool ritti_is_watched(const ritti_solver *S) {
  return S->problem->monitors > 0 || S->cross.at.z || S->meet.at.z ||
         S->problem->kind != RITT_EXPLICIT || ritti_direction_has_line(&S->direction);
}

/* Before a step: is something near that is passed in another way, or stopped at? *done: it was. */
ritt_status ritti_look_ahead(ritti_solver *S, ritti_row_plan *plan, bool *done, ritt_error *error) {
  RITT_TRY(ritti_crossing_turn(S));
  *done = true;
  if (ritti_fold_near(S)) return go_by_arc(S, plan, error);
  if (ritti_meeting_near(S)) return ritti_meeting_go(S, plan, error);
  *done = false;
  return RITT_OK;
}

static ritt_status take_again(ritti_solver *S, ritt_real h, ritti_meetings *met) {
  S->h = h;
  S->rejected++;
  S->cut = S->options.constant_step != 0;
  met->again = true;
  return RITT_OK;
}

/* After a step, before it is accepted; events may cut it to *s_new. */
ritt_status ritti_look_at_step(ritti_solver *S, ritti_row_plan *plan, ritt_real *s_new,
                               ritti_meetings *met, ritt_error *error) {
  met->zeros.count = 0, met->zeros.cut = -1;
  met->sign = 0, met->leaves = met->again = met->done = false;
  if (ritti_crossing_ahead(S)) return take_again(S, S->step.h / 2, met);
  met->sign = ritti_meeting_side(S, S->step.z_new, end_direction(S));
  met->leaves = ritti_slide_leaves(S);
  ritt_status status = met->leaves ? ritti_slide_cut(S, s_new) : RITT_OK;
  met->tried = S->step.h;
  S->watch.at_end = *s_new == plan->end;
  if (status == RITT_OK) status = ritti_events_find(S, s_new, &met->zeros);
  /* a monitor has no value somewhere in the step: a shorter one */
  if (status == RITT_RETRY && RITTI_MATH(fabs)(met->tried) > (ritt_real)1e-9 * S->length)
    return take_again(S, met->tried / 4, met);
  if (status == RITT_RETRY) return ritti_stop_monitor(S, error);
  if (status != RITT_OK) return status;
  if (met->zeros.cut >= S->problem->events + S->problem->surfaces) {
    S->invalid = true;
    return RITT_STOPPED;
  }
  if (met->zeros.cut >= 0) {
    met->leaves = false, met->sign = ritti_meeting_side(S, S->step.z_new, end_direction(S));
  } else if (ritti_meeting_crossed(S, met->sign)) {
    ritt_real before;
    const ritt_special *special = ritti_meeting_cross(S, *s_new, &before);
    if (!special) {
      S->rejected++;
      S->cut = S->has_goal = false;
      met->done = true;
      return go_by_arc(S, plan, error);
    }
    if (!special->passed) return ritti_meeting_stop_before(S, plan, *s_new, before, special, error);
  }
  if (ritti_crossing_passed(S)) {
    ritt_real at;
    const ritt_special *special = ritti_crossing_note(S, *s_new, &at);
    if (!special->passed) return ritti_crossing_stop(S, plan, *s_new, at, special, error);
  }
  return RITT_OK;
}

/* One accepted step towards the end of the plan (or a passage by arc length), with its rows. */
static ritt_status advance_or_retry(ritti_solver *S, ritti_row_plan *plan, bool looked,
                                    ritt_error *error) {
  const bool watched = ritti_is_watched(S);
  for (;;) {
    ritt_real s_new;
    ritti_meetings met;
    bool done = false;
    met.zeros.cut = -1, met.sign = 0, met.leaves = met.again = met.done = false;
    if (S->options.max_steps && S->accepted >= S->options.max_steps)
      return ritti_stop_steps(S, plan->end, error);
    if (ritti_stiffness_turn(S)) {
      S->turn = true;
      return RITT_STOPPED;
    }
    if (!looked) ritti_control_metric(S);
    if (watched && !looked) RITT_TRY(ritti_look_ahead(S, plan, &done, error));
    if (done) return RITT_OK;
    looked = false;
    RITT_TRY(ritti_next_step(S, plan->from, plan->end, &s_new, error));
    ritt_status status = watched ? ritti_look_at_step(S, plan, &s_new, &met, error) : RITT_OK;
    if (status != RITT_OK || met.done) return status;
    if (met.again) continue;
    if (watched) status = ritti_events_record(S, &met.zeros, met.tried);
    if (status == RITT_OK) status = ritti_rows_of_step(S, plan, s_new, s_new);
    if (status == RITT_RETRY && !S->has_goal) {
      /* a row within the step cannot be had: step to it */
      S->goal = ritti_row_place(plan, plan->next);
      S->has_goal = true;
      S->rejected++;
      continue;
    }
    if (status == RITT_RETRY) return ritti_stop_trouble(S, error);
    RITT_TRY(status);
    RITT_TRY(ritti_fine_points(S, plan, s_new - S->s, 1));
    ritti_accept(S, s_new, met.sign);
    RITT_TRY(S->manifold.gave_up);
    if (met.zeros.cut < 0 && !met.leaves) return RITT_OK;
    RITT_TRY(met.leaves ? ritti_slide_leave(S, error) : ritti_event_act(S, met.zeros.cut, error));
    return after_event(S, plan, error);
  }
}

/* The same; a point that could not be computed, where no shorter step helps, stops the run with the
 * reason. */
static ritt_status advance(ritti_solver *S, ritti_row_plan *plan, bool looked, ritt_error *error) {
  ritt_status status = advance_or_retry(S, plan, looked, error);
  return status == RITT_OK ? RITT_OK : ritti_stop(S, status, error);
}

/* The first step to the end of the plan; from the start, with what happens there. */
static ritt_status begin_run(ritti_solver *S, ritti_row_plan *plan, ritt_error *error) {
  S->length = RITTI_MATH(fmax)(S->length, RITTI_MATH(fabs)(plan->end - S->s));
  if (S->fresh) RITT_TRY(ritti_events_begin(S, plan->end < S->s ? -1 : 1, error));
  S->fresh = false;
  if (S->ended >= 0) return RITT_OK;
  RITT_TRY(aim(S, plan->end, error));
  return after_event(S, plan, error);
}

/* The first row of all, and the first fine point. */
static ritt_status give_start(ritti_solver *S, ritti_row_plan *plan) {
  const ritti_rows *rows = plan->rows;
  bool listed = !rows->at || (rows->count > 0 && rows->at[0] == S->s);
  if (listed) RITT_TRY(ritti_row_give(S, plan, S->s, S->step.z, S->step.top));
  return rows->fine ? rows->fine(plan->user, S->s, S->step.z, S->step.top) : RITT_OK;
}

/* What a run that goes on later has to know of its rows. */
static void keep_plan(ritti_solver *S, const ritti_row_plan *plan) {
  S->next_row = plan->next, S->last_row = plan->last, S->fine = plan->fine;
}

static ritt_status run(ritti_solver *S, ritti_row_plan *plan, ritt_error *error) {
  const ritti_rows *rows = plan->rows;
  if (!rows->begun) RITT_TRY(give_start(S, plan));
  if (plan->end != S->s && !rows->resumed) RITT_TRY(begin_run(S, plan, error));
  while (S->s != plan->end && S->ended < 0) {
    bool looked = false, done = false;
    keep_plan(S, plan);
    RITT_TRY(ritti_cruise(S, plan, &looked, &done, error));
    if (S->waiting) {
      S->busy = false;
      return RITT_OK;
    }
    if (!done) RITT_TRY(advance(S, plan, looked, error));
    keep_plan(S, plan);
    S->busy = false;
    if (S->after_step) RITT_TRY(S->after_step(S->after_step_user, S));
    S->busy = true;
  }
  /* an event that ends the run is its end, also where no row was wanted there */
  if (S->ended >= 0 && !rows->at && plan->last != S->s)
    RITT_TRY(ritti_row_give(S, plan, S->s, S->step.z, S->step.top));
  S->busy = false;
  return RITT_OK;
}

ritt_status ritti_solver_run(ritti_solver *S, ritt_real end, const ritti_rows *rows,
                             ritti_row_taker taker, void *user, ritt_error *error) {
  ritti_row_plan plan = {.rows = rows,
                         .from = rows->begun ? rows->from : S->s,
                         .end = end,
                         .next = rows->next,
                         .last = rows->begun ? S->last_row : NAN,
                         .taker = taker,
                         .user = user,
                         .fine = rows->begun ? S->fine : 0};
  S->running = S->busy = true;
  ritt_status status = run(S, &plan, error);
  keep_plan(S, &plan);
  S->running = !S->busy; /* one that its caller ended after a step can go on there */
  S->busy = false;
  return status;
}

/* One accepted step, or all that can be taken by cruising and one more. */
static ritt_status go(ritti_solver *S, ritt_real end, bool cruise, ritt_error *error) {
  static const ritti_rows none;
  ritti_row_plan plan = {.rows = &none, .from = S->s, .end = end};
  bool looked = false, done = false;
  if (end == S->s || S->ended >= 0) return RITT_OK;
  S->busy = true;
  S->running = false;
  ritt_status status = begin_run(S, &plan, error);
  if (status == RITT_OK && S->ended < 0 && cruise)
    status = ritti_cruise(S, &plan, &looked, &done, error);
  if (status == RITT_OK && S->ended < 0 && !done) status = advance(S, &plan, looked, error);
  S->busy = false;
  return status;
}

ritt_status ritti_solver_step(ritti_solver *S, ritt_real end, ritt_error *error) {
  return go(S, end, false, error);
}

ritt_status ritti_solver_steps(ritti_solver *S, ritt_real end, ritt_error *error) {
  return go(S, end, true, error);
}

/* Copies a point with its tops and its direction. */
static ritt_status copy_point(const ritti_solver *S, const ritt_real *z, const ritt_real *top,
                              const ritt_real *V, ritt_real *z_out, ritt_real *top_out,
                              ritt_real *V_out) {
  size_t size = (size_t)S->problem->m * sizeof *z;
  memcpy(z_out, z, size);
  memcpy(top_out, top, (size_t)S->problem->tops * sizeof *top);
  memcpy(V_out, V, size);
  return RITT_OK;
}

ritt_status ritti_solver_dense(ritti_solver *S, ritt_real s, ritt_real *z, ritt_real *top,
                               ritt_real *V) {
  ritti_stepper *step = &S->step;
  if (s == S->s && S->point == step->z)
    return copy_point(S, step->z, step->top, step->V[0], z, top, V);
  if (s == S->s) {
    copy_point(S, S->point, S->point_top, V, z, top, V);
    return ritti_direction_at(&S->direction, z, V);
  }
  if (!((s - S->before) * (S->s - s) >= 0) || S->before == S->s) return RITT_WRONG_CALL;
  /* acceptance has put the start of the step where its end was */
  if (s == S->before)
    return copy_point(S, step->z_new, step->top_new, step->V[step->last], z, top, V);
  /* the swap that accepts a step also takes it back */
  ritti_stepper_accept(step);
  ritt_status status = ritti_stepper_dense(step, (s - S->before) / step->h, s, z, top);
  ritti_stepper_accept(step);
  memcpy(V, step->a, (size_t)step->m * sizeof *V); /* the stepper's scratch holds V there */
  return status;
}
