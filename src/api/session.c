/* A session: one moving point on a problem, of a model or of the caller's functions. This file
 * makes and frees it; session_run.c moves it.
 *
 * A session owns a ritti_driver. If the form of the system changes on the way, the model is
 * completed again at the current point and a new ritti_driver takes over (recompletion.c). Nothing
 * is allocated between steps except by such a recompletion.
 */
#include <time.h>
#include "derive/tangent.h"
#include "session.h"

/* ---- making ---- */

/* Makes the problem again if it lacks functions that the method needs; or that a method before it
 * needed, so that the problem stays the same after a change of the method. */
static ritt_status add_wanted_functions(ritti_prepared *now, const ritti_run_settings *settings,
                                        bool changed, ritti_arena *arena, ritt_error *error) {
  unsigned wants = ritti_method_wants(settings->solve.tableau);
  if (changed) wants |= ritti_method_wants(ritti_method_find(RITTI_STIFF_METHOD));
  const ritti_problem *p = now->problem;
  bool strong = now->reduced && now->reduced->strong;
  bool lacks = (wants & RITTI_WANTS_SYSTEM_DZ && !p->call.system_dz) ||
               (wants & RITTI_WANTS_SECOND && !p->call.d2f_mu) ||
               (wants & RITTI_WANTS_STRONG && strong && !p->strong);
  if (!lacks || !now->reduced) return RITT_OK;
  return ritti_problem_make_for(wants, now->reduced, now->output, now->outputs, arena, error,
                                &now->problem);
}

ritt_status ritti_session_make_driver(ritti_session *S, ritti_prepared *now,
                                      ritti_run_settings *settings, ritt_error *error,
                                      ritti_driver **out) {
  ritti_driver *driver;
  ritt_options options = S->options;
  if (S->choice.implicit) options.method = ritti_stiff_method(now, &options);
  RITT_TRY(ritti_settings_make(now, &options, S->arena, error, settings));
  if (settings->solve.automatic) S->choice.automatic = settings->solve.tableau->name;
  settings->solve.automatic = S->choice.automatic && S->choice.changes < RITTI_MOST_METHOD_CHANGES;
  RITT_TRY(add_wanted_functions(now, settings, S->choice.changes > 0, S->arena, error));
  RITT_TRY(ritti_driver_new(now->problem, &settings->solve, S->arena, &driver));
  driver->call.event = ritti_session_take_event;
  driver->call.event_user = S;
  driver->call.step = ritti_session_after_step;
  driver->call.step_user = S;
  if (!S->origin.numbers)
    S->origin.numbers =
        ritti_checksum(RITTI_CHECKSUM, driver->work, now->problem->work_size * sizeof(ritt_real));
  *out = driver;
  return RITTI_REAL_IS_DOUBLE ? ritti_session_start_code(S, now->problem) : RITT_OK;
}

/* Gives coordinates that exist before and after a recompletion all their digits again. */
static void restore_digits(const ritti_session *S, ritt_real *z) {
  const ritti_reduced *now = S->now.reduced, *old = S->history.previous.reduced;
  for (int i = 0; old && i < now->m; i++)
    for (int j = 0; j < old->m + old->tops; j++) {
      bool top = j >= old->m;
      if (now->coordinate[i] != (top ? old->top[j - old->m] : old->coordinate[j])) continue;
      ritt_real value = top ? S->history.previous.driver->step.top[j - old->m]
                            : S->history.previous.driver->step.z[j];
      if (RITTI_MATH(fabs)(value - z[i]) <= 0x1p-40 * (1 + RITTI_MATH(fabs)(value))) z[i] = value;
    }
}

/* The start point is known in doubles. Values that were typed with '=' are taken as they were typed,
 * the others move to the manifold, and invariants take their values there. */
static ritt_status refine_start(ritti_session *S, ritt_real *z) {
  ritti_driver *driver = S->driver;
  ritti_manifold *M = &driver->manifold;
  int m = S->now.problem->m;
  bool *exact;
  ritt_real *spread, *point;
  RITTI_NEW_ARRAYS(S->arena, m, exact, spread, point);
  RITT_TRY(ritti_exact_start(S->now.reduced, S->arena, z, exact));
  ritti_levels_take(driver, z);
  memcpy(spread, M->inverse_weights, (size_t)m * sizeof *spread);
  M->inverse_weights[0] = 0;
  for (int i = 0; i < m; i++)
    if (exact[i]) M->inverse_weights[i] = 0;
  ritt_status status = ritti_manifold_project(M, z, point);
  memcpy(M->inverse_weights, spread, (size_t)m * sizeof *spread);
  M->inverse_weights[0] = 0;
  if (status == RITT_RETRY) status = ritti_manifold_project(M, z, point);
  M->inverse_weights[0] = spread[0];
  RITT_TRY(status);
  memcpy(z, point, (size_t)m * sizeof *z);
  ritti_levels_take(driver, z);
  return RITT_OK;
}

/* The steps take the derivatives of the solution along, from those of the start point. */
static ritt_status start_tangents(ritti_session *S, ritt_error *error) {
  const ritti_reduced *R = S->now.reduced;
  const ritti_model *model = S->now.model;
  size_t all = (size_t)model->by_count * (size_t)R->m;
  double *start;
  ritt_real *s;
  RITTI_NEW_ARRAYS(S->arena, all, start, s);
  RITT_TRY(ritti_start_tangents(R, model->by, model->by_count, S->arena, error, start));
  for (size_t i = 0; i < all; i++) s[i] = start[i];
  RITT_TRY(ritti_tangents_new(&S->driver->step, S->arena, &S->driver->tangents));
  S->driver->step.record = S->driver->tangents->record;
  S->driver->step.job.kept = S->driver->tangents->kept;
  ritt_status status = ritti_tangents_start(S->driver->tangents, S->driver->step.z, s);
  return status == RITT_RETRY ? ritti_stop_derivatives(S->driver, false) : status;
}

/* Starts the driver at z, the point where the problem was completed. */
static ritt_status start_driver(ritti_session *S, ritt_real s, const double *z, ritt_error *error) {
  for (int i = 0; i < S->now.problem->m; i++) S->points.z[i] = z[i];
  if (!RITTI_REAL_IS_DOUBLE) {
    restore_digits(S, S->points.z);
    RITT_TRY(refine_start(S, S->points.z));
  }
  RITT_TRY(ritti_driver_start(S->driver, s, S->points.z, error));
  return S->now.model->by_count ? start_tangents(S, error) : RITT_OK;
}

ritt_status ritti_session_place(ritti_session *S, ritt_real s, const double *z, ritt_error *error) {
  RITT_TRY(ritti_session_make_driver(S, &S->now, &S->settings, error, &S->driver));
  ritt_status status = start_driver(S, s, z, error);
  S->driver->at.travelled = S->statistics.arc;
  return status;
}

ritt_status ritti_session_make_points(ritti_session *S) {
  const ritti_problem *p = S->now.problem;
  RITTI_NEW_ARRAYS(S->arena, p->m, S->points.z, S->points.speed);
  RITTI_NEW(S->points.top, S->arena, p->tops + 1);
  RITTI_NEW(S->points.doubles, S->arena, 2 * p->m + p->tops);
  return RITT_OK;
}

/* Completes the model to the kind that the options ask for, for this session only; and to another one
 * than the implicit kind if they ask for something that it does not have. */
static ritt_status complete_to_kind(ritti_session *S, ritt_error *error) {
  const char *word = ritti_kind_word(S->options.kind, error);
  ritti_model *model;
  ritt_check check;
  ritti_prepared next = S->now;
  if (!word) return RITT_WRONG_CALL;
  bool asked = strcmp(word, "auto"), implicit = S->now.problem->kind == RITT_IMPLICIT;
  bool refused =
      implicit && !S->now.model->kind && ritti_refuses_implicit(S->now.model, &S->options);
  if (!asked && !refused) return RITT_OK;
  RITTI_NEW(model, S->arena, 1);
  *model = *S->now.model;
  model->put_in = NULL;
  if (asked) model->kind = word;
  model->never_implicit = true;
  next.model = model;
  RITT_TRY(ritti_complete(model, S->arena, error, &check, &next.reduced));
  next.reduced->strong = S->now.reduced->strong;
  RITT_TRY(
      ritti_problem_make(next.reduced, next.output, next.outputs, S->arena, error, &next.problem));
  S->now = next;
  return RITT_OK;
}

static ritt_status begin_session(ritti_session *S, const ritt_shape *shape, const double *z,
                                 ritt_error *error) {
  clock_t began = clock();
  bool by_arc =
      S->now.model->run == RITTI_RUN_ARC || (S->options.over && !strcmp(S->options.over, "arc"));
  S->statistics.kind = ritt_kind_text(S->now.problem->kind);

  /* Sets the names of columns, and allocates rows and points. */
  const char **column;
  S->rows.count = by_arc + shape->columns;
  RITTI_NEW(column, S->arena, S->rows.count);
  column[0] = "arc";
  memcpy(column + by_arc, shape->column_names, shape->columns * sizeof *column);
  S->rows.name = column;
  RITTI_NEW_ARRAYS(S->arena, S->rows.count, S->rows.values, S->rows.after, S->rows.last);
  RITT_TRY(ritti_session_make_points(S));

  RITT_TRY(ritti_session_place(S, by_arc ? 0 : z[0], z, error));
  S->history.first = S->now;
  S->clock.spent = clock() - began;
  return RITT_OK;
}

static ritt_status new_session(const ritti_prepared *now, const ritt_options *options,
                               const ritt_allocator *allocator, ritti_session **out) {
  ritti_arena *arena =
      ritti_arena_from(options && options->allocator ? options->allocator : allocator);
  ritti_session *S = arena ? ritti_arena_alloc(arena, 1, sizeof *S) : NULL;
  *out = S;
  if (!S) {
    ritti_arena_free(arena);
    return RITT_NO_MEMORY;
  }
  S->arena = arena;
  S->handle = (ritt_solver){&ritti_engine_calls, S};
  S->now = *now;
  S->origin.text = RITTI_CHECKSUM;
  S->options = options ? *options : ritt_options_default();
  S->statistics = (ritt_statistics){.free_initial_values = now->problem->m - 1 - now->problem->k,
                                    .hidden_constraints = RITT_UNKNOWN,
                                    .last_impasse = NAN,
                                    .no_value_at = NAN,
                                    .below_size = NAN,
                                    .below_absolute = NAN,
                                    .algebraic_error = NAN,
                                    .algebraic_size = NAN};
  return RITT_OK;
}

ritt_status ritti_session_explain(const ritti_session *S, ritt_status status, size_t said,
                                  ritt_error *error) {
  if (status == RITT_NO_MEMORY) return ritti_no_memory(error);
  if (status == RITT_OK || ritt_error_count(error) > said) return status;
  return S && S->driver
             ? ritti_fail(error, status, NULL, NULL, "a function ended the run near %s = %.12g: %s",
                          S->now.model->independent, (double)S->driver->step.z[0],
                          ritt_status_text(status))
             : ritti_fail(error, status, NULL, NULL, "%s", ritt_status_text(status));
}

/* Hands out a session that was begun, or frees it. */
static ritt_status finish_session(ritti_session *S, ritt_status status, size_t said,
                                  ritt_error *error, ritt_solver **out) {
  *out = status == RITT_OK ? &S->handle : NULL;
  status = ritti_session_explain(S, status, said, error);
  if (status != RITT_OK) ritti_session_free(S);
  return status;
}

ritt_status ritti_session_from_model(ritt_model *M, const ritt_options *options, ritt_error *error,
                                     ritt_solver **out) {
  ritti_session *S = NULL;
  size_t said = ritt_error_count(error);
  ritti_prepared now = ritti_prepared_of(M);
  now.model = M->reduced->model; /* a stiff potential may have made another model */
  ritt_status status = new_session(&now, options, NULL, &S);
  if (status == RITT_OK) {
    S->batch.of = M->batch;
    S->origin.text = ritti_checksum(RITTI_CHECKSUM, M->text, M->length);
    S->origin.files = M->files;
    S->rows.slopes = M->slopes;
    S->statistics.free_initial_values = M->check.degrees_of_freedom;
    S->statistics.hidden_constraints = M->check.hidden_constraints;
    if (M->model->by_count && !ritti_tangents_fit(M, options)) {
      status = ritti_tangents_complete(M, S->arena, error, &S->now);
      S->rows.slopes = 0;
    }
    if (status == RITT_OK) status = complete_to_kind(S, error);
    if (status == RITT_OK && !RITTI_REAL_IS_DOUBLE) /* the model's problem computes in doubles */
      status = ritti_problem_make(S->now.reduced, S->now.output, S->now.outputs, S->arena, error,
                                  &S->now.problem);
    if (status == RITT_OK) status = begin_session(S, &M->shared.shape, S->now.reduced->z, error);
  }
  return finish_session(S, status, said, error, out);
}

ritt_status ritti_session_from_problem(const ritt_problem *problem, const double *z,
                                       const ritt_options *options, ritt_error *error,
                                       ritt_solver **out) {
  const ritti_prepared now = {.problem = (ritti_problem *)problem->problem};
  ritti_session *S = NULL;
  size_t said = ritt_error_count(error);
  ritt_status status = new_session(&now, options, problem->allocator, &S);
  if (status == RITT_OK) {
    /* the settings of a run are those of a model: here one without text */
    S->now.model = ritti_arena_alloc(S->arena, 1, sizeof *S->now.model);
    if (S->now.model) {
      S->now.model->independent = problem->shape.coordinate_names[0];
      S->now.model->start_x = z[0];
      status = ritti_problem_check_start(problem, z, error);
    } else status = RITT_NO_MEMORY;
    if (status == RITT_OK) status = begin_session(S, &problem->shape, z, error);
  }
  return finish_session(S, status, said, error, out);
}

ritt_status ritti_session_start(ritti_session *S, double s, const double *z, ritt_error *error) {
  size_t said = ritt_error_count(error);
  if (S->driver->tangents)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "give the model other start values",
                      "a run with derivatives of the solution starts at the start of its model");
  for (int i = 0; S->now.problem->form && i < S->now.problem->m; i++)
    if (S->now.problem->form[i] && z[i] != (double)S->driver->step.z[i])
      return ritti_fail(error, RITT_WRONG_CALL, NULL, "give the model this start value",
                        "the form of the equations depends on the start value of %s",
                        S->now.problem->name.coordinate(S->now.problem->data, i));
  for (int i = 0; i < S->now.problem->m; i++) S->points.z[i] = z[i];
  ritti_levels_take(S->driver, S->points.z);
  return ritti_session_explain(S, ritti_driver_start(S->driver, s, S->points.z, error), said,
                               error);
}

void ritti_session_free(ritti_session *S) {
  if (!S) return;
  if (RITTI_REAL_IS_DOUBLE) ritti_session_stop_code(S);
  ritti_arena_free(S->arena);
}

const ritti_engine ritti_engine_calls = {.from_model = ritti_session_from_model,
                                         .free = ritti_session_free,
                                         .start = ritti_session_start,
                                         .step = ritti_session_step,
                                         .run_to = ritti_session_run_to,
                                         .run_slice = ritti_session_run_slice,
                                         .dense = ritti_session_dense,
                                         .point = ritti_session_point,
                                         .before = ritti_session_before,
                                         .columns = ritti_session_columns,
                                         .save = ritti_session_save,
                                         .load = ritti_session_load,
                                         .values = ritti_session_values,
                                         .remainders = ritti_session_remainders,
                                         .value = ritti_session_value,
                                         .size = ritti_session_size,
                                         .input = ritti_session_input,
                                         .statistics = ritti_session_statistics};
