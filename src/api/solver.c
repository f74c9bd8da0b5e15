/* The public solver: chooses the engine of a run and hands every call to it. */
#include <math.h>
#include "engine.h"
#include "session.h"

ritt_status ritti_require(const void *object, const char *what, ritt_error *error) {
  if (object) return RITT_OK;
  return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL, "a %s is required, not NULL", what);
}

ritt_status ritti_model_require_idle(const ritt_model *M, ritt_error *error) {
  RITT_TRY(ritti_require(M, "model", error));
  if (M->running == 0) return RITT_OK;
  return ritti_fail(error, RITT_WRONG_CALL, NULL, "change it when the run is over",
                    "the model is in use: one of its solvers is inside a run");
}

ritt_status ritti_solver_enter(ritt_solver *S, ritt_error *error) {
  RITT_TRY(ritti_require(S, "solver", error));
  if (S->running)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "call it when the step or the run is over",
                      "the solver is in use: the call comes from one of its callbacks");
  S->running = true;
  if (S->model) S->model->running++;
  return RITT_OK;
}

ritt_status ritti_solver_leave(ritt_solver *S, ritt_status status) {
  S->running = false;
  if (S->model) S->model->running--;
  return status;
}

ritt_status ritt_solver_from_model(ritt_model *M, const ritt_options *options, ritt_error *error,
                                   ritt_solver **out) {
  bool quad;
  RITT_TRY(ritti_require(out, "place for the solver", error));
  *out = NULL;
  RITT_TRY(ritti_require(M, "model", error));
  if (M->bare) { /* a run has the derivatives of the section `sensitivity` again */
    ritti_model_forget(M);
    M->bare = false;
  }
  RITT_TRY(ritti_pipeline_prepare(M, error));
  RITT_TRY(ritti_precision(M->model, options, error, &quad));
  const ritti_engine *engine = quad ? RITTI_ENGINE_QUAD : &ritti_engine_calls;
  RITT_TRY(engine->from_model(M, options, error, out));
  (*out)->model = M;
  return RITT_OK;
}

ritt_status ritt_solver_from_model_at(ritt_model *M, double s, const double *z,
                                      const ritt_options *options, ritt_error *error,
                                      ritt_solver **out) {
  RITT_TRY(ritti_require(out, "place for the solver", error));
  *out = NULL;
  RITT_TRY(ritti_require(z, "point", error));
  if (options && options->kind && strcmp(options->kind, "auto"))
    return ritti_fail(error, RITT_WRONG_CALL, NULL,
                      "use ritt_model_kind instead of the option 'kind'",
                      "a point belongs to the kind that the model is completed to");
  RITT_TRY(ritt_solver_from_model(M, options, error, out));

  ritt_status status = (*out)->engine->start((*out)->session, s, z, error);
  if (status != RITT_OK) {
    ritt_solver_free(*out);
    *out = NULL;
  }
  return status;
}

ritt_status ritt_solver_from_problem(const ritt_problem *problem, const double *z,
                                     const ritt_options *options, ritt_error *error,
                                     ritt_solver **out) {
  RITT_TRY(ritti_require(out, "place for the solver", error));
  *out = NULL;
  RITT_TRY(ritti_require(problem, "problem", error));
  RITT_TRY(ritti_require(z, "point", error));
  if (options && options->precision && strcmp(options->precision, "double"))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "leave the option 'precision' out",
                      "functions compute in doubles: only models run in another precision");
  if (options && options->kind && strcmp(options->kind, "auto") &&
      strcmp(options->kind, ritt_kind_text(problem->shape.kind)))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "only models can be completed to another kind",
                      "the problem is of the %s kind", ritt_kind_text(problem->shape.kind));
  return ritti_session_from_problem(problem, z, options, error, out);
}

void ritt_solver_free(ritt_solver *S) {
  if (S) S->engine->free(S->session);
}

ritt_status ritt_model_run(ritt_model *M, const ritt_options *options, ritt_row row, void *user,
                           ritt_statistics *statistics, ritt_error *error) {
  ritt_solver *S;
  RITT_TRY(ritt_solver_from_model(M, options, error, &S));
  ritt_status status = ritt_solver_run(S, row, user, error);
  if (statistics) ritt_solver_statistics(S, statistics);
  ritt_solver_free(S);
  return status;
}

/* ---- calls of the engine ---- */

ritt_status ritt_solver_step(ritt_solver *S, double end, ritt_error *error) {
  RITT_TRY(ritti_solver_enter(S, error));
  return ritti_solver_leave(S, S->engine->step(S->session, end, error));
}

ritt_status ritt_solver_run_to(ritt_solver *S, double end, ritt_error *error) {
  RITT_TRY(ritti_solver_enter(S, error));
  return ritti_solver_leave(S, S->engine->run_to(S->session, end, error));
}

ritt_status ritt_solver_run(ritt_solver *S, ritt_row row, void *user, ritt_error *error) {
  bool finished;
  RITT_TRY(ritti_solver_enter(S, error));
  return ritti_solver_leave(S, S->engine->run_slice(S->session, row, user, &finished, error));
}

ritt_status ritt_solver_input(ritt_solver *S, const char *name, const double *values, size_t count,
                              ritt_error *error) {
  RITT_TRY(ritti_require(name, "name", error));
  RITT_TRY(ritti_require(values, "list of values", error));
  RITT_TRY(ritti_solver_enter(S, error));
  return ritti_solver_leave(S, S->engine->input(S->session, name, values, count, error));
}

ritt_status ritt_solver_dense(ritt_solver *S, double s, ritt_point *out, ritt_error *error) {
  RITT_TRY(ritti_require(S, "solver", error));
  RITT_TRY(ritti_require(out, "place for the result", error));
  return S->engine->dense(S->session, s, out, error);
}

ritt_status ritt_solver_point(ritt_solver *S, ritt_point *out, ritt_error *error) {
  RITT_TRY(ritti_require(S, "solver", error));
  RITT_TRY(ritti_require(out, "place for the result", error));
  return S->engine->point(S->session, out, error);
}

double ritt_solver_before(const ritt_solver *S) { return S ? S->engine->before(S->session) : NAN; }

void ritt_solver_columns(const ritt_solver *S, const char *const **names, size_t *count) {
  if (S && names && count) S->engine->columns(S->session, names, count);
}

ritt_status ritt_solver_save(ritt_solver *S, void *buffer, size_t room, size_t *size,
                             ritt_error *error) {
  RITT_TRY(ritti_require(S, "solver", error));
  RITT_TRY(ritti_require(size, "place for the result", error));
  return S->engine->save(S->session, buffer, room, size, error);
}

ritt_status ritt_solver_load(ritt_solver *S, const void *state, size_t size, ritt_error *error) {
  RITT_TRY(ritti_require(state, "state", error));
  RITT_TRY(ritti_solver_enter(S, error));
  return ritti_solver_leave(S, S->engine->load(S->session, state, size, error));
}

ritt_status ritt_solver_values(ritt_solver *S, double s, double *values, ritt_error *error) {
  RITT_TRY(ritti_require(S, "solver", error));
  RITT_TRY(ritti_require(values, "place for the result", error));
  return S->engine->values(S->session, s, values, error);
}

void ritt_solver_remainders(const ritt_solver *S, double *remainders) {
  if (S && remainders) S->engine->remainders(S->session, remainders);
}

ritt_status ritt_solver_value(ritt_solver *S, const char *name, double *out, ritt_error *error) {
  RITT_TRY(ritti_require(S, "solver", error));
  RITT_TRY(ritti_require(name, "name", error));
  RITT_TRY(ritti_require(out, "place for the result", error));
  return S->engine->value(S->session, name, out, error);
}

ritt_status ritt_solver_size(ritt_solver *S, const char *name, double *largest, double *absolute,
                             ritt_error *error) {
  RITT_TRY(ritti_require(S, "solver", error));
  RITT_TRY(ritti_require(name, "name", error));
  RITT_TRY(ritti_require(largest, "place for the result", error));
  RITT_TRY(ritti_require(absolute, "place for the result", error));
  return S->engine->size(S->session, name, largest, absolute, error);
}

void ritt_solver_statistics(const ritt_solver *S, ritt_statistics *out) {
  if (S && out) S->engine->statistics(S->session, out);
}
