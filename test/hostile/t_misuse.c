/* Misuse of the C interface: calls from callbacks that would change what is being computed, sizes that
 * overflow, and NULL for an object. Each is refused with a status, and the run goes on. */
#include <limits.h>
#include <math.h>
#include <string.h>
#include "check.h"
#include "ritt.h"

static const char text[] = "model m\nparameter k = 1\nvariable x\nequation x' = -k*x\n"
                           "start t = 0\n  x = 1\nsolve t = 0 .. 1\n";

static ritt_error *error;
static ritt_model *model;
static ritt_solver *solver;
static ritt_status answer; /* of the call from the callback */
static double last;

static ritt_status row_sets_model(void *user, const double *values, size_t count) {
  (void)user, (void)count;
  last = values[1];
  answer = ritt_model_set(model, "k", "5", error);
  return RITT_OK;
}

static ritt_status row_steps(void *user, const double *values, size_t count) {
  (void)user, (void)count;
  last = values[1];
  answer = ritt_solver_step(solver, 2, error);
  return RITT_OK;
}

static ritt_status row_runs_batch(void *user, const double *values, size_t count) {
  (void)user, (void)count;
  int finished;
  last = values[1];
  answer = ritt_batch_run(solver, NULL, NULL, &finished, error);
  return RITT_OK;
}

static ritt_status watch_runs(void *user, const ritt_progress *progress) {
  (void)user, (void)progress;
  answer = ritt_solver_run_to(solver, 2, error);
  return RITT_OK;
}

/* x' = -x; calls the solver that evaluates it */
static ritt_status formula_steps(void *user, const double *z, double *out) {
  (void)user;
  if (solver) answer = ritt_solver_step(solver, 2, error);
  out[0] = -z[1];
  return RITT_OK;
}

static void check_calls_from_callbacks(void) {
  ritt_options o = ritt_options_default();

  /* a row changes the model */
  CHECK(ritt_solver_from_model(model, NULL, error, &solver) == RITT_OK);
  CHECK(ritt_solver_run(solver, row_sets_model, NULL, error) == RITT_OK);
  CHECK(answer == RITT_WRONG_CALL);
  CHECK_NEAR(last, exp(-1), 1e-7);
  ritt_solver_free(solver);

  /* a row steps */
  CHECK(ritt_solver_from_model(model, NULL, error, &solver) == RITT_OK);
  CHECK(ritt_solver_run(solver, row_steps, NULL, error) == RITT_OK);
  CHECK(answer == RITT_WRONG_CALL);
  CHECK_NEAR(last, exp(-1), 1e-7);
  ritt_solver_free(solver);

  /* a row continues a run in a batch, and changes the model of one */
  for (int i = 0; i < 2; i++) {
    int finished = 0;
    answer = RITT_OK;
    CHECK(ritt_solver_from_model(model, NULL, error, &solver) == RITT_OK);
    while (!finished) {
      CHECK(ritt_batch_run(solver, i ? row_sets_model : row_runs_batch, NULL, &finished, error) ==
            RITT_OK);
      ritt_batch_step(&solver, 1);
    }
    CHECK(answer == RITT_WRONG_CALL);
    CHECK_NEAR(last, exp(-1), 1e-7);
    ritt_solver_free(solver);
  }

  /* a watch runs; afterwards the model can be changed */
  o.watch = watch_runs;
  answer = RITT_OK;
  CHECK(ritt_solver_from_model(model, &o, error, &solver) == RITT_OK);
  CHECK(ritt_solver_run(solver, NULL, NULL, error) == RITT_OK);
  CHECK(answer == RITT_WRONG_CALL);
  ritt_solver_free(solver);
  solver = NULL;
  CHECK(ritt_model_set(model, "k", "1", error) == RITT_OK);

  /* a function of the problem steps */
  ritt_definition d = {.kind = RITT_EXPLICIT, .unknowns = 1, .formula = formula_steps};
  ritt_problem *problem;
  double z[2] = {0, 1}, x;
  answer = RITT_OK;
  CHECK(ritt_problem_new(&d, error, &problem) == RITT_OK);
  CHECK(ritt_solver_from_problem(problem, z, NULL, error, &solver) == RITT_OK);
  CHECK(ritt_solver_run_to(solver, 1, error) == RITT_OK);
  CHECK(answer == RITT_WRONG_CALL);
  ritt_point point;
  CHECK(ritt_solver_point(solver, &point, error) == RITT_OK);
  x = point.z[1];
  CHECK_NEAR(x, exp(-1), 1e-7);
  ritt_solver *done = solver;
  solver = NULL;
  ritt_solver_free(done);
  ritt_problem_free(problem);
}

static void check_sizes(void) {
  ritt_options o = ritt_options_default();
  ritt_solver *none;
  o.points = 1000000000000L;
  CHECK(ritt_solver_from_model(model, &o, error, &none) == RITT_WRONG_CALL && !none);
  o = ritt_options_default();
  o.every = LONG_MAX;
  CHECK(ritt_solver_from_model(model, &o, error, &none) == RITT_WRONG_CALL && !none);
  CHECK(ritt_options_set(&o, "rows", "1000000000000", error) == RITT_WRONG_CALL);

  ritt_problem *problem;
  ritt_definition d = {.kind = RITT_EXPLICIT, .unknowns = 1, .formula = formula_steps};
  d.rows = INT_MAX;
  d.f = formula_steps;
  CHECK(ritt_problem_new(&d, error, &problem) == RITT_WRONG_CALL && !problem);
  d.rows = 0;
  d.outputs = INT_MAX;
  CHECK(ritt_problem_new(&d, error, &problem) == RITT_WRONG_CALL && !problem);
}

static void check_null(void) {
  const ritt_check *report;
  const char *words;
  const char *const *names;
  const ritt_problem *problem;
  const ritt_curve *curves;
  const double *z;
  double x = 0, y;
  size_t count;
  int finished;
  ritt_point point;
  ritt_statistics statistics;
  ritt_solver *none = NULL;
  ritt_options o = ritt_options_default();
  CHECK(ritt_model_set(NULL, "k", "1", error) == RITT_WRONG_CALL);
  CHECK(ritt_model_set(model, NULL, "1", error) == RITT_WRONG_CALL);
  CHECK(ritt_model_set(model, "k", NULL, error) == RITT_WRONG_CALL);
  CHECK(ritt_model_set_all(model, NULL, NULL, 1, error) == RITT_WRONG_CALL);
  CHECK(ritt_model_kind(NULL, "auto", error) == RITT_WRONG_CALL);
  CHECK(ritt_model_check(NULL, error, &report) == RITT_WRONG_CALL);
  CHECK(ritt_model_check(model, error, NULL) == RITT_WRONG_CALL);
  CHECK(ritt_model_complete(NULL, RITT_REDUCED, RITT_TEXT, error, &words) == RITT_WRONG_CALL);
  CHECK(ritt_model_columns(NULL, error, &names, &count) == RITT_WRONG_CALL);
  CHECK(ritt_model_columns(model, error, NULL, &count) == RITT_WRONG_CALL);
  CHECK(ritt_model_units(NULL, error, &names, &count) == RITT_WRONG_CALL);
  CHECK(ritt_model_curves(NULL, error, &curves, &count) == RITT_WRONG_CALL);
  CHECK(ritt_model_start_value(NULL, "x", 1, 1, error) == RITT_WRONG_CALL);
  CHECK(ritt_model_start_value(model, NULL, 1, 1, error) == RITT_WRONG_CALL);
  CHECK(ritt_model_start_at(NULL, 0, error) == RITT_WRONG_CALL);
  CHECK(ritt_model_start_relax(NULL, error) == RITT_WRONG_CALL);
  CHECK(ritt_model_start_text(NULL, error, &words) == RITT_WRONG_CALL);
  CHECK(ritt_model_branch(NULL, "1", error) == RITT_WRONG_CALL);
  CHECK(ritt_model_branches(NULL, RITT_TEXT, error, &words) == RITT_WRONG_CALL);
  CHECK(ritt_model_singular(NULL, NULL, 0, error) == RITT_WRONG_CALL);
  CHECK(ritt_model_follow(NULL, "motion", error) == RITT_WRONG_CALL);
  CHECK(ritt_model_problem(NULL, error, &problem) == RITT_WRONG_CALL);
  CHECK(ritt_model_start_point(NULL, error, &z) == RITT_WRONG_CALL);
  CHECK(ritt_model_run(NULL, NULL, NULL, NULL, NULL, error) == RITT_WRONG_CALL);
  CHECK(!ritt_model_name(NULL) && !ritt_model_text(NULL) && !ritt_model_independent(NULL));
  CHECK(ritt_options_set(NULL, "rows", "3", error) == RITT_WRONG_CALL);
  CHECK(ritt_options_set(&o, NULL, "3", error) == RITT_WRONG_CALL);
  CHECK(ritt_options_set(&o, "rows", NULL, error) == RITT_WRONG_CALL);
  CHECK(ritt_solver_from_model(NULL, NULL, error, &none) == RITT_WRONG_CALL && !none);
  CHECK(ritt_solver_from_model(model, NULL, error, NULL) == RITT_WRONG_CALL);
  CHECK(ritt_solver_from_model_at(model, 0, NULL, NULL, error, &none) == RITT_WRONG_CALL);
  CHECK(ritt_solver_from_problem(NULL, &x, NULL, error, &none) == RITT_WRONG_CALL && !none);
  CHECK(ritt_solver_step(NULL, 1, error) == RITT_WRONG_CALL);
  CHECK(ritt_solver_run_to(NULL, 1, error) == RITT_WRONG_CALL);
  CHECK(ritt_solver_run(NULL, NULL, NULL, error) == RITT_WRONG_CALL);
  CHECK(ritt_solver_point(NULL, &point, error) == RITT_WRONG_CALL);
  CHECK(ritt_solver_dense(NULL, 0, &point, error) == RITT_WRONG_CALL);
  CHECK(ritt_solver_values(NULL, 0, &x, error) == RITT_WRONG_CALL);
  CHECK(ritt_solver_value(NULL, "x", &x, error) == RITT_WRONG_CALL);
  CHECK(ritt_solver_size(NULL, "x", &x, &y, error) == RITT_WRONG_CALL);
  CHECK(ritt_solver_save(NULL, NULL, 0, &count, error) == RITT_WRONG_CALL);
  CHECK(ritt_solver_load(NULL, "", 0, error) == RITT_WRONG_CALL);
  CHECK(ritt_batch_run(NULL, NULL, NULL, &finished, error) == RITT_WRONG_CALL);
  CHECK(isnan(ritt_solver_before(NULL)));
  ritt_solver_columns(NULL, &names, &count);
  ritt_solver_remainders(NULL, &x);
  ritt_solver_statistics(NULL, &statistics);
  ritt_solver_free(NULL);
  ritt_model_free(NULL);
  ritt_problem_free(NULL);
  ritt_error_free(NULL);
}

static int asked;
static int ask_to_stop(void *user) {
  asked++;
  return *(int *)user;
}

/* A chain of 12 nonlinear equations, whose completion takes longer than the time between two
 * questions. The call ends if the answer is not 0; afterwards the model is complete all the same. */
static void check_ask(void) {
  static const char long_text[] =
      "model m\nvariable x[0..12]\nequation\n"
      "  x[0]^3 + x[0] = sin(t)*exp(cos(t))\n"
      "  for k in 0..11: x[k]' = x[k + 1]*(1 + x[k]^2)\nsolve t = 0 .. 1\n";
  ritt_model *slow;
  const ritt_check *report;
  int stop = 1;
  CHECK(ritt_model_read_text(long_text, strlen(long_text), "m", error, &slow) == RITT_OK);
  ritt_ask_while_busy(ask_to_stop, &stop);
  CHECK(ritt_model_check(slow, error, &report) == RITT_NO_MEMORY);
  CHECK(asked == 1);

  stop = 0;
  ritt_ask_while_busy(ask_to_stop, &stop);
  CHECK(ritt_model_check(slow, error, &report) == RITT_OK);
  CHECK(asked > 1);
  ritt_ask_while_busy(NULL, NULL);
  ritt_model_free(slow);
}

int main(void) {
  error = ritt_error_new();
  CHECK(ritt_model_read_text(text, sizeof text - 1, "m", error, &model) == RITT_OK);
  check_calls_from_callbacks();
  check_ask();
  check_sizes();
  check_null();
  ritt_model_free(model);
  ritt_error_free(error);
  return CHECKS_DONE();
}
