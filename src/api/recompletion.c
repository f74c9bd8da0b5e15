/* A new driver takes over: after the system was completed again because a pivot of the completion
 * vanished, or with another method because the system is stiff, or no longer is.
 */
#include "session.h"

/* ---- recompletion ---- */

/* Copies the model with this point as start values, all of them guesses. */
static ritt_status move_start(const ritti_prepared *M, const ritti_recompletion *at,
                              ritti_arena *arena, ritti_model **out) {
  const ritti_reduced *R = M->reduced;
  ritti_model *model;
  RITTI_NEW(model, arena, 1);
  *model = *M->model;
  RITTI_NEW(model->start, arena, R->m + R->tops);
  if (M->problem->kind == RITT_IMPLICIT) { /* T_w loses its rank here */
    model->never_implicit = true;
    if (model->kind) model->kind = ritt_kind_text(RITT_GENERAL);
  }
  model->choose_rows = R->chosen;
  model->steady = false;
  model->starts = 0;
  model->start_x = (double)at->z[0];
  for (int i = 1; i < R->m + R->tops; i++) {
    bool top = i >= R->m;
    ritti_expr jet = top ? R->top[i - R->m] : R->coordinate[i];
    double number = (double)(top ? at->top[i - R->m] : at->z[i]);
    if (!(fabs(number) < INFINITY)) continue;
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
  RITT_TRY(ritti_recompletion_new(M, arena, out));
  memcpy((*out)->z, S->step.z, (size_t)M->problem->m * sizeof(ritt_real));
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
  return ritti_problem_make(out->reduced, M->output, M->outputs, arena, error, &out->problem);
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

/* Completes the system at the driver's point, and makes a driver for it. */
static ritt_status recomplete_here(ritti_session *S, ritt_error *error) {
  enum { MOST_TIMES = 1000 };
  const ritti_driver *old = S->driver;
  ritt_real s = old->at.s;
  ritti_prepared next;
  /* the last recompletion did not help either */
  bool implicit = S->now.problem->kind == RITT_IMPLICIT;
  bool stuck = S->statistics.recompletions >= MOST_TIMES ||
               (S->statistics.recompletions && S->statistics.x == (double)s && !implicit);
  ritt_status status = RITT_STOPPED;
  ritti_recompletion *at = NULL;
  bool optional = old->choice.asked; /* the driver can go on without it */
  if (S->now.reduced && !stuck) status = note_recompletion(&S->now, old, S->arena, &at);
  if (status == RITT_OK)
    status = ritti_recomplete_at(&S->now, at, S->arena, implicit || optional ? NULL : error, &next);
  if (status == RITT_NO_MEMORY) return status;
  if (status != RITT_OK && optional) {
    ritti_choice_keep(S->driver);
    return RITT_OK;
  }
  if (status != RITT_OK && implicit) return ritti_driver_explain(S->driver, error);
  if (status != RITT_OK)
    return ritti_fail(error, RITT_STOPPED, NULL, "the system changes its form here",
                      "the run stopped at %s = %.12g: a pivot of the completion vanishes",
                      S->now.model->independent, (double)old->step.z[0]);
  ritti_session_add_statistics(old, &S->statistics);
  S->statistics.recompletions++;
  at->before = S->history.last;
  S->history.last = at;
  S->history.previous = (ritti_previous){S->now.reduced, old};
  S->now = next;
  RITT_TRY(ritti_session_make_points(S));
  status = ritti_session_place(S, s, next.reduced->z, error);
  if (status == RITT_OK) keep_sizes(S->driver, next.reduced, old, S->history.previous.reduced);
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
  if (old->tangents) return ritti_stop_derivatives(S->driver);
  if (old->need == RITTI_NEED_COMPLETION) RITT_TRY(recomplete_here(S, error));
  else RITT_TRY(switch_method(S, old->need == RITTI_NEED_IMPLICIT, error));
  ritti_driver_follow(S->driver, old);
  S->batch.code = NULL;
  S->batch.kernel = NULL;
  return RITT_OK;
}
