/* The public solver: one moving point on a problem, of a model or of the caller's functions. Making
 * and freeing it; how it moves is in solver_run.c.
 *
 * It is a ritti_driver and what it takes to go on where a model has to be completed anew: then the
 * system is completed at the solver's point and a new ritti_driver takes over. ritt_model_run is
 * such a solver with rows. Nothing is allocated between steps, save by a new completion.
 */
#include <time.h>
#include "quad.h"
#include "solver.h"

static const ritti_model no_text = {.independent = "x"};

/* ---- making ---- */

/* The model's problem with the functions that the method needs, where it was made without. */
static ritt_status make_wanted(ritt_model *now, const ritti_run_settings *settings,
                               ritti_arena *arena, ritt_error *error) {
  unsigned wants = ritti_method_wants(settings->solve.tableau);
  const ritti_problem *p = now->problem;
  bool strong = now->reduced && now->reduced->strong;
  bool lacks = (wants & RITTI_WANTS_SYSTEM_DZ && !p->system_dz) ||
               (wants & RITTI_WANTS_SECOND && !p->d2f_mu) ||
               (wants & RITTI_WANTS_STRONG && strong && !p->strong);
  if (!lacks || !now->reduced) return RITT_OK;
  return ritti_problem_make_for(wants, now->reduced, now->output, now->outputs, arena, error,
                                &now->problem);
}

/* A ritti_driver for a problem. */
ritt_status ritti_driver_make(ritt_solver *S, ritt_model *now, ritti_run_settings *settings,
                              ritt_error *error, ritti_driver **out) {
  ritti_driver *driver;
  ritt_options options = S->options;
  if (S->implicit) options.method = RITTI_STIFF_METHOD;
  RITT_TRY(ritti_settings_make(now, &options, S->arena, error, settings));
  if (settings->solve.automatic) S->automatic = settings->solve.tableau->name;
  RITT_TRY(make_wanted(now, settings, S->arena, error));
  RITT_TRY(ritti_driver_new(now->problem, &settings->solve, S->arena, &driver));
  driver->call.event = ritti_solver_take_event;
  driver->call.event_user = S;
  driver->call.step = ritti_solver_after_step, driver->call.step_user = S;
  if (!S->given)
    S->given =
        ritti_checksum(RITTI_CHECKSUM, driver->work, now->problem->work_size * sizeof(ritt_real));
  *out = driver;
  return ritti_compiling_begin(S, now->problem);
}

#ifdef RITT_QUAD
/* What the coordinates were before the system was completed anew, with all their digits. */
static void carry(const ritt_solver *S, ritt_real *z) {
  const ritti_reduced *now = S->now.reduced, *old = S->carried.reduced;
  for (int i = 0; old && i < now->m; i++)
    for (int j = 0; j < old->m + old->tops; j++) {
      bool top = j >= old->m;
      if (now->coordinate[i] != (top ? old->top[j - old->m] : old->coordinate[j])) continue;
      ritt_real value =
          top ? S->carried.driver->step.top[j - old->m] : S->carried.driver->step.z[j];
      if (fabsq(value - z[i]) <= 0x1p-40 * (1 + fabsq(value))) z[i] = value;
    }
}

/* The start point is known in doubles: what was typed with '=' is taken as it was typed, the rest
 * moves to the manifold, and invariants take their values there. */
static ritt_status refine(ritt_solver *S, ritt_real *z) {
  ritti_driver *solver = S->driver;
  ritti_manifold *M = &solver->manifold;
  int m = S->now.problem->m;
  bool *exact;
  ritt_real *spread, *point;
  RITTI_NEW(exact, S->arena, m);
  RITTI_NEW(spread, S->arena, m);
  RITTI_NEW(point, S->arena, m);
  RITT_TRY(ritti_exact_start(S->now.reduced, S->arena, z, exact));
  ritti_levels_take(solver, z);
  memcpy(spread, M->spread, (size_t)m * sizeof *spread);
  M->spread[0] = 0;
  for (int i = 0; i < m; i++)
    if (exact[i]) M->spread[i] = 0;
  ritt_status status = ritti_manifold_project(M, z, point);
  memcpy(M->spread, spread, (size_t)m * sizeof *spread);
  M->spread[0] = 0;
  if (status == RITT_RETRY) status = ritti_manifold_project(M, z, point);
  M->spread[0] = spread[0];
  RITT_TRY(status);
  memcpy(z, point, (size_t)m * sizeof *z);
  ritti_levels_take(solver, z);
  return RITT_OK;
}
#endif

/* The solver's point at z, where the problem was completed. */
static ritt_status start_at(ritt_solver *S, ritt_real s, const double *z, ritt_error *error) {
  for (int i = 0; i < S->now.problem->m; i++) S->z[i] = z[i];
#ifdef RITT_QUAD
  carry(S, S->z);
  RITT_TRY(refine(S, S->z));
#endif
  return ritti_driver_start(S->driver, s, S->z, error);
}

/* One for the problem as it stands, at z. */
ritt_status ritti_solver_place(ritt_solver *S, ritt_real s, const double *z, ritt_error *error) {
  RITT_TRY(ritti_driver_make(S, &S->now, &S->settings, error, &S->driver));
  ritt_status status = start_at(S, s, z, error);
  S->driver->at.travelled = S->statistics.arc;
  return status;
}

ritt_status ritti_make_point_room(ritt_solver *S) {
  const ritti_problem *p = S->now.problem;
  RITTI_NEW(S->z, S->arena, p->m);
  RITTI_NEW(S->speed, S->arena, p->m);
  RITTI_NEW(S->top, S->arena, p->tops + 1);
#ifdef RITT_QUAD
  RITTI_NEW(S->point, S->arena, 2 * p->m + p->tops);
#endif
  return RITT_OK;
}

/* Names of columns, room for rows and points. */
static ritt_status make_room(ritt_solver *S, const ritt_shape *shape, bool by_arc) {
  const char **column;
  S->columns = by_arc + shape->columns;
  RITTI_NEW(column, S->arena, S->columns);
  column[0] = "arc";
  memcpy(column + by_arc, shape->column_names, shape->columns * sizeof *column);
  S->column = column;
  RITTI_NEW(S->values, S->arena, S->columns);
  RITTI_NEW(S->after, S->arena, S->columns);
  RITTI_NEW(S->row, S->arena, S->columns);
  return ritti_make_point_room(S);
}

/* The model's problem of another kind, for this solver. */
static ritt_status complete_as(ritt_solver *S, ritt_error *error) {
  const char *word = ritti_kind_word(S->options.kind, error);
  ritti_model *model;
  ritt_model next = S->now;
  if (!word) return RITT_WRONG_CALL;
  if (!strcmp(word, "auto")) return RITT_OK;
  RITTI_NEW(model, S->arena, 1);
  *model = *S->now.model;
  model->kind = word;
  next.model = model;
  RITT_TRY(ritti_complete(model, S->arena, error, &next.check, &next.reduced));
  next.reduced->strong = S->now.reduced->strong;
  RITT_TRY(
      ritti_problem_make(next.reduced, next.output, next.outputs, S->arena, error, &next.problem));
  S->now = next;
  return RITT_OK;
}

static ritt_status begin(ritt_solver *S, const ritt_shape *shape, const double *z,
                         ritt_error *error) {
  clock_t began = clock();
  bool by_arc =
      S->now.model->run == RITTI_RUN_ARC || (S->options.over && !strcmp(S->options.over, "arc"));
  S->statistics.kind = ritt_kind_text(S->now.problem->kind);
  RITT_TRY(make_room(S, shape, by_arc));
  RITT_TRY(ritti_solver_place(S, by_arc ? 0 : z[0], z, error));
  S->first = S->now;
  S->spent = clock() - began;
  return RITT_OK;
}

static ritt_status solver_new(const ritt_model *now, const ritt_options *options,
                              const ritt_allocator *allocator, ritt_solver **out) {
  ritti_arena *arena =
      ritti_arena_from(options && options->allocator ? options->allocator : allocator);
  ritt_solver *S = arena ? ritti_arena_alloc(arena, 1, sizeof *S) : NULL;
  *out = S;
  if (!S) {
    ritti_arena_free(arena);
    return RITT_NO_MEMORY;
  }
  S->arena = arena;
  S->now = *now;
  if (now->reduced)
    S->now.model = now->reduced->model; /* a strong potential may have made another of it */
  S->options = options ? *options : ritt_options_default();
  S->statistics = (ritt_statistics){.free_initial_values = now->problem->m - 1 - now->problem->k,
                                    .hidden_constraints = RITT_UNKNOWN,
                                    .last_impasse = NAN};
  return RITT_OK;
}

/* Every failure has a sentence: also that of a function of the caller. */
ritt_status ritti_solver_explain(const ritt_solver *S, ritt_status status, size_t said,
                                 ritt_error *error) {
  if (status == RITT_NO_MEMORY) return ritti_no_memory(error);
  if (status == RITT_OK || ritt_error_count(error) > said) return status;
  return S && S->driver
             ? ritti_fail(error, status, NULL, NULL, "a function ended the run near %s = %.12g: %s",
                          S->now.model->independent, (double)S->driver->step.z[0],
                          ritt_status_text(status))
             : ritti_fail(error, status, NULL, NULL, "%s", ritt_status_text(status));
}

/* Hands out a solver that was begun, or takes it away again. */
static ritt_status finish(ritt_solver *S, ritt_status status, size_t said, ritt_error *error,
                          ritt_solver **out) {
  *out = status == RITT_OK ? S : NULL;
  status = ritti_solver_explain(S, status, said, error);
  if (status != RITT_OK) ritt_solver_free(S);
  return status;
}

#ifdef RITT_QUAD
static ritt_status own_problem(ritt_solver *S, ritt_error *error) {
  return ritti_problem_make(S->now.reduced, S->now.output, S->now.outputs, S->arena, error,
                            &S->now.problem);
}
#else
static ritt_status own_problem(ritt_solver *S, ritt_error *error) {
  (void)S, (void)error;
  return RITT_OK; /* the model has it */
}
#endif

/* A solver that hands everything on to one in quadruple precision. */
static ritt_status begin_quad(ritt_solver *S, ritt_model *M, ritt_error *error) {
  return ritti_quad_calls()->from_model(M, &S->options, error, &S->quad);
}

ritt_status ritt_solver_from_model(ritt_model *M, const ritt_options *options, ritt_error *error,
                                   ritt_solver **out) {
  ritt_solver *S = NULL;
  size_t said = ritt_error_count(error);
  bool quad;
  *out = NULL;
  RITT_TRY(ritti_pipeline_prepare(M, error));
  RITT_TRY(ritti_precision(M->model, options, error, &quad));
  ritt_status status = solver_new(M, options, NULL, &S);
  if (status == RITT_OK && quad && !RITTI_IS_QUAD)
    return finish(S, begin_quad(S, M, error), said, error, out);
  if (status == RITT_OK) {
    S->statistics.free_initial_values = M->check.degrees_of_freedom;
    S->statistics.hidden_constraints = M->check.hidden_constraints;
    if (S->options.kind) status = complete_as(S, error);
    if (status == RITT_OK) status = own_problem(S, error);
    if (status == RITT_OK) status = begin(S, &M->shared.shape, S->now.reduced->z, error);
  }
  return finish(S, status, said, error, out);
}

ritt_status ritt_solver_from_problem(const ritt_problem *problem, const double *z,
                                     const ritt_options *options, ritt_error *error,
                                     ritt_solver **out) {
  ritti_model text = no_text;
  ritt_model now = {.model = &text, .problem = (ritti_problem *)problem->problem};
  ritt_solver *S = NULL;
  size_t said = ritt_error_count(error);
  *out = NULL;
  if (options && options->precision && strcmp(options->precision, "double"))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "leave the option 'precision' out",
                      "functions compute in doubles: only models run in another precision");
  if (options && options->kind && strcmp(options->kind, "auto") &&
      strcmp(options->kind, ritt_kind_text(problem->shape.kind)))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "only models can be completed to another kind",
                      "the problem is of the %s kind", ritt_kind_text(problem->shape.kind));
  ritt_status status = solver_new(&now, options, problem->allocator, &S);
  if (status == RITT_OK) {
    ritti_model *kept = ritti_arena_alloc(S->arena, 1, sizeof *kept);
    if (kept)
      *kept = text, kept->independent = problem->shape.coordinate_names[0], kept->start_x = z[0];
    S->now.model = kept;
    status = kept ? ritti_problem_check_start(problem, z, error) : RITT_NO_MEMORY;
    if (status == RITT_OK) status = begin(S, &problem->shape, z, error);
  }
  return finish(S, status, said, error, out);
}

/* Another start than the model's, on the manifold. */
static ritt_status start_given(ritt_solver *S, double s, const double *z, ritt_error *error) {
  if (S->quad) return ritti_quad_calls()->start(S->quad, s, z, error);
  for (int i = 0; i < S->now.problem->m; i++) S->z[i] = z[i];
  ritti_levels_take(S->driver, S->z);
  return ritti_driver_start(S->driver, s, S->z, error);
}

ritt_status ritt_solver_from_model_at(ritt_model *M, double s, const double *z,
                                      const ritt_options *options, ritt_error *error,
                                      ritt_solver **out) {
  ritt_solver *S;
  size_t said = ritt_error_count(error);
  *out = NULL;
  if (options && options->kind && strcmp(options->kind, "auto"))
    return ritti_fail(error, RITT_WRONG_CALL, NULL,
                      "take ritt_model_kind in place of the option 'kind'",
                      "a point belongs to the kind that the model is completed to");
  RITT_TRY(ritt_solver_from_model(M, options, error, &S));
  return finish(S, start_given(S, s, z, error), said, error, out);
}

void ritt_solver_free(ritt_solver *S) {
  if (!S) return;
  if (S->quad) ritti_quad_calls()->free(S->quad);
  ritti_compiling_end(S);
  ritti_arena_free(S->arena);
}

#ifdef RITT_QUAD
const ritti_solver_calls *ritti_quad_calls(void) {
  static const ritti_solver_calls calls = {.from_model = ritt_solver_from_model,
                                           .free = ritt_solver_free,
                                           .start = start_given,
                                           .step = ritt_solver_step,
                                           .run_to = ritt_solver_run_to,
                                           .run = ritt_solver_run,
                                           .dense = ritt_solver_dense,
                                           .point = ritt_solver_point,
                                           .before = ritt_solver_before,
                                           .columns = ritt_solver_columns,
                                           .save = ritt_solver_save,
                                           .load = ritt_solver_load,
                                           .values = ritt_solver_values,
                                           .remainders = ritt_solver_remainders,
                                           .value = ritt_solver_value,
                                           .statistics = ritt_solver_statistics};
  return &calls;
}
#endif
