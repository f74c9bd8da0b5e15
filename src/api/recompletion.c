/* A new driver takes over: after the system was completed again because a pivot of the completion
 * vanished, because T_w has lost its rank or has it again, or because an event has changed the form of the
 * equations; or with another method because the system is stiff, or no longer is.
 */
#include "session.h"

/* ---- recompletion ---- */

/* Is coordinate i (top i - m) of a derivative that the equations as they are written do not contain? */
static bool is_above_equations(const ritti_problem *p, int i) {
  int next = i < p->m ? i : p->m - 1 - i;
  for (int j = 1; p->role && j < p->m; j++)
    if (p->next[j] == next && p->role[j] == RITTI_ROLE_FOLLOWS) return true;
  return false;
}

/* Copies the model with this point as start values, all of them guesses. */
static ritt_status move_start(const ritti_prepared *M, const ritti_recompletion *at,
                              ritti_arena *arena, ritti_model **out) {
  const ritti_reduced *R = M->reduced;
  ritti_model *model;
  RITTI_NEW(model, arena, 1);
  *model = *M->model;
  if (M->model->written) { /* the form may change: from the model as it is written */
    *model = *M->model->written;
    model->kind = M->model->kind;
    model->never_implicit = M->model->never_implicit;
    model->parameter = M->model->parameter;
    model->valued = true;
  }
  model->put_in = NULL; /* sessions share it */
  RITTI_NEW(model->start, arena, R->m + R->tops);
  if (at->renewal != RITTI_RENEW_SAME) {
    bool leaves = at->renewal == RITTI_LEAVE_IMPLICIT;
    model->never_implicit = leaves;
    if (model->kind) model->kind = ritt_kind_text(leaves ? RITT_GENERAL : RITT_IMPLICIT);
  }
  model->choose_rows = R->chosen && !model->valued;
  model->steady = false;
  model->starts = 0;
  model->start_x = (double)at->z[0];
  for (int i = 1; i < R->m + R->tops; i++) {
    bool top = i >= R->m;
    ritti_expr jet = top ? R->top[i - R->m] : R->coordinate[i];
    double number = (double)(top ? at->top[i - R->m] : at->z[i]);
    if (!(fabs(number) < INFINITY)) continue;
    /* a start value would make it one of the unknowns */
    if (at->renewal == RITTI_RETURN_IMPLICIT && is_above_equations(M->problem, i)) continue;
    model->start[model->starts++] = (ritti_start_def){.variable = ritti_index_of(model->dag, jet),
                                                      .order = ritti_order_of(model->dag, jet),
                                                      .number = number,
                                                      .text = "",
                                                      .place = model->start_place};
  }
  *out = model;
  return RITT_OK;
}

ritt_status ritti_recompletion_new(const ritti_prepared *M, ritti_arena *arena,
                                   ritti_recompletion **out) {
  ritti_recompletion *at;
  RITTI_NEW(at, arena, 1);
  at->m = M->problem->m, at->tops = M->problem->tops, at->levels = M->reduced->levels;
  RITTI_NEW(at->z, arena, M->problem->m);
  RITTI_NEW(at->top, arena, M->problem->tops + 1);
  RITTI_NEW(at->level, arena, M->reduced->levels + 1);
  at->inputs = M->model->inputs ? M->model->parameters - M->model->input_time : 0;
  RITTI_NEW(at->input, arena, at->inputs + 1);
  *out = at;
  return RITT_OK;
}

/* Notes the point of the driver. */
static ritt_status note_recompletion(const ritti_prepared *M, const ritti_driver *S,
                                     ritti_arena *arena, ritti_recompletion **out) {
  bool jumps = S->renewed_by >= 0;
  RITT_TRY(ritti_recompletion_new(M, arena, out));
  (*out)->renewal = S->renewal;
  if (M->problem->kind == RITT_IMPLICIT && !jumps) (*out)->renewal = RITTI_LEAVE_IMPLICIT;
  const ritt_real *z = jumps ? S->row_z : S->step.z;
  memcpy((*out)->z, z, (size_t)M->problem->m * sizeof(ritt_real));
  memcpy((*out)->top, S->step.top, (size_t)M->problem->tops * sizeof(ritt_real));
  memcpy((*out)->level, S->work + M->problem->level_at,
         (size_t)M->reduced->levels * sizeof(ritt_real));
  const ritt_real *input = S->work + M->problem->level_at - (*out)->inputs;
  memcpy((*out)->input, input, (size_t)(*out)->inputs * sizeof(ritt_real));
  return RITT_OK;
}

/* Gives the model the inputs that the caller has set. */
static ritt_status take_inputs(ritti_model *model, const ritti_recompletion *at,
                               ritti_arena *arena) {
  ritti_parameter_def *parameter;
  RITTI_NEW(parameter, arena, model->parameters);
  memcpy(parameter, model->parameter, (size_t)model->parameters * sizeof *parameter);
  model->parameter = parameter;
  for (int i = 0; i < at->inputs; i++) {
    ritti_parameter_def *p = &parameter[model->input_time + i];
    p->number = (double)at->input[i];
    p->value = ritti_binary_number(model->dag, p->number);
  }
  return ritti_dag_status(model->dag);
}

ritt_status ritti_recomplete_at(const ritti_prepared *M, const ritti_recompletion *at,
                                ritti_arena *arena, ritt_error *error, ritti_prepared *out) {
  *out = *M;
  RITT_TRY(move_start(M, at, arena, &out->model));
  if (at->inputs) RITT_TRY(take_inputs(out->model, at, arena));
  ritt_check check;
  RITT_TRY(ritti_complete(out->model, arena, error, &check, &out->reduced));
  for (int i = 0; i < out->reduced->levels && i < M->reduced->levels; i++)
    out->reduced->level[i] = (double)at->level[i]; /* jumps may have changed them */
  if (M->shown) {                                  /* other unknowns may have been taken out */
    ritti_expr *output;
    RITTI_NEW(output, arena, M->outputs + 1);
    memcpy(output, M->shown, M->outputs * sizeof *output);
    RITT_TRY(ritti_express(out->reduced, output, M->outputs));
    out->output = output;
    out->model = out->reduced->model;
  }
  return ritti_problem_make(out->reduced, out->output, M->outputs, arena, error, &out->problem);
}

/* Coordinates of the new driver have the sizes that they had in the old one; new coordinates have size
 * 1. */
static void keep_sizes(ritti_driver *next, const ritti_reduced *R, const ritti_driver *old,
                       const ritti_reduced *before) {
  for (int i = 1; i < R->m; i++) {
    int j = i % before->m, tried = 0;
    while (tried < before->m && before->coordinate[j] != R->coordinate[i])
      j = (i + ++tried) % before->m;
    if (tried < before->m) ritti_sizes_copy(next, i, old, j);
    else ritti_sizes_copy(next, i, next, 0);
  }
}

/* The value of a coordinate of the new system at the noted point; `other` if it was none of the old
 * one. */
static ritt_real find_value(const ritti_recompletion *at, const ritti_reduced *before,
                            ritti_expr coordinate, double other) {
  for (int j = 1; j < before->m; j++)
    if (before->coordinate[j] == coordinate) return at->z[j];
  for (int j = 0; j < before->tops; j++)
    if (before->top[j] == coordinate) return at->top[j];
  return other;
}

/* Puts the new driver at the point after the jump by which an event of the old one has changed the form
 * of the equations, and reports the event. The row before it is in S->rows.values. */
static ritt_status land_driver(ritti_session *S, const ritti_recompletion *at, ritt_error *error) {
  const ritti_reduced *R = S->now.reduced, *before = S->history.previous.reduced;
  const ritti_driver *old = S->history.previous.driver;
  ritti_driver *d = S->driver;
  const ritti_event *event = &d->problem->event[old->renewed_by];
  S->points.z[0] = at->z[0];
  for (int i = 1; i < R->m; i++) S->points.z[i] = find_value(at, before, R->coordinate[i], R->z[i]);
  RITT_TRY(ritti_driver_land(d, old, S->points.z, error));
  if (!S->options.event || event->hidden) return RITT_OK;
  RITT_TRY(ritti_session_fill_row(S, d->at.s, d->step.z, d->step.top, S->rows.after));
  ritt_event point = {.name = event->name,
                      .jump = true,
                      .stop = event->stop,
                      .record = event->record,
                      .before = S->rows.values,
                      .after = S->rows.after,
                      .count = S->rows.count};
  return S->options.event(S->options.event_user, &point);
}

/* A run that came to the general kind because T_w lost its rank returns to the implicit kind, but not
 * forever. */
static void watch_return(const ritti_session *S, const ritti_driver *old) {
  enum { MOST_TIMES = 100 };
  bool left = old->renewal == RITTI_LEAVE_IMPLICIT && old->fold.may_return;
  S->driver->fold.may_return = left && S->statistics.recompletions < MOST_TIMES;
}

/* Completes the system at the driver's point, and makes a driver for it. */
static ritt_status recomplete_here(ritti_session *S, ritt_error *error) {
  enum { MOST_TIMES = 1000 };
  const ritti_driver *old = S->driver;
  ritt_real s = old->at.s;
  ritti_prepared next;
  /* the last recompletion did not help either */
  bool implicit = S->now.problem->kind == RITT_IMPLICIT;
  bool jumps = old->renewed_by >= 0;
  bool stuck = S->statistics.recompletions >= MOST_TIMES ||
               (S->statistics.recompletions && S->statistics.x == (double)s && !implicit && !jumps);
  ritt_status status = RITT_STOPPED;
  ritti_recompletion *at = NULL;
  bool returns = old->renewal == RITTI_RETURN_IMPLICIT;
  bool optional = old->choice.asked || returns; /* the driver can go on without it */
  if (S->now.reduced && !stuck) status = note_recompletion(&S->now, old, S->arena, &at);
  if (status == RITT_OK)
    status = ritti_recomplete_at(&S->now, at, S->arena,
                                 (implicit && !jumps) || optional ? NULL : error, &next);
  if (status == RITT_NO_MEMORY) return status;
  if (status == RITT_OK && returns && next.problem->kind != RITT_IMPLICIT) status = RITT_STOPPED;
  if (status != RITT_OK && optional) {
    if (returns) S->driver->fold.may_return = false;
    else ritti_choice_keep(S->driver);
    return RITT_OK;
  }
  if (status != RITT_OK && jumps)
    return ritti_fail(
        error, RITT_STOPPED, NULL,
        stuck ? "look for events that cause each other"
              : "assign values that satisfy the equations after the event",
        stuck ? "the run stopped at %s = %.12g: events have changed the form of the "
                "equations too often (event '%s')"
              : "the run stopped at %s = %.12g: the equations after the jump of event '%s' "
                "cannot be solved",
        S->now.model->independent, (double)old->step.z[0],
        old->problem->event[old->renewed_by].name);
  if (status != RITT_OK && implicit) return ritti_driver_explain(S->driver, error);
  if (status != RITT_OK)
    return ritti_fail(error, RITT_STOPPED, NULL, "start a new run beyond this point",
                      "the run stopped at %s = %.12g: the completion divides by an expression "
                      "that vanishes there, and the system could not be completed again",
                      S->now.model->independent, (double)old->step.z[0]);
  if (jumps) RITT_TRY(ritti_session_fill_row(S, s, old->step.z, old->step.top, S->rows.values));
  ritti_session_add_statistics(old, &S->statistics);
  S->statistics.recompletions++;
  at->before = S->history.last;
  S->history.last = at;
  S->history.previous = (ritti_previous){S->now.reduced, old};
  S->now = next;
  RITT_TRY(ritti_session_make_points(S));
  status = ritti_session_place(S, s, next.reduced->z, error);
  if (status == RITT_OK) {
    keep_sizes(S->driver, next.reduced, old, S->history.previous.reduced);
    if (!jumps && !old->at.fresh) ritti_driver_keep_events(S->driver, old);
    watch_return(S, old);
  }
  if (status == RITT_OK && jumps) status = land_driver(S, at, error);
  S->history.previous = (ritti_previous){NULL, NULL};
  return status;
}

/* ---- method auto ---- */

static ritt_status switch_method(ritti_session *S, bool implicit, ritt_error *error) {
  const ritti_driver *old = S->driver;
  const ritti_problem *before = S->now.problem;
  ritti_driver *next;
  ritti_session_add_statistics(old, &S->statistics);
  S->choice.implicit = implicit;
  S->choice.changes++;
  if (implicit) S->choice.switched_at = (double)old->step.z[0];
  else S->choice.returned_at = (double)old->step.z[0];
  RITT_TRY(ritti_session_make_driver(S, &S->now, &S->settings, error, &next));
  for (int i = 0; S->now.reduced && i < S->now.reduced->levels; i++)
    next->work[S->now.problem->level_at + (size_t)i] = old->work[before->level_at + (size_t)i];
  for (int i = 1; S->now.model->inputs && i <= S->now.model->parameters; i++)
    next->work[S->now.problem->level_at - (size_t)i] = old->work[before->level_at - (size_t)i];
  S->driver = next;
  RITT_TRY(ritti_driver_start(next, old->at.s, old->step.z, error));
  for (int i = 0; i < old->problem->m; i++) ritti_sizes_copy(next, i, old, i);
  next->at.travelled = old->at.travelled;
  next->next.h = old->next.h;
  return RITT_OK;
}

ritt_status ritti_session_install_successor(ritti_session *S, ritt_error *error) {
  const ritti_driver *old = S->driver;
  /* derivatives go along with the steps of one system and of explicit methods only */
  if (S->now.model->by_count)
    return ritti_stop_derivatives(S->driver, old->need == RITTI_NEED_IMPLICIT);
  if (old->need == RITTI_NEED_COMPLETION) RITT_TRY(recomplete_here(S, error));
  else RITT_TRY(switch_method(S, old->need == RITTI_NEED_IMPLICIT, error));
  ritti_driver_follow(S->driver, old);
  S->batch.code = NULL;
  S->batch.kernel = NULL;
  return RITT_OK;
}
