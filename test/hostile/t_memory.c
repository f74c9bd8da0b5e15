/* The k-th allocation fails, for every k: reading, completing, printing, starting, running, and the
 * same for problems from functions. Each time the answer is RITT_NO_MEMORY with its message (or,
 * where nothing was lost but a convenience, the same rows as usual), and every block is given back.
 * A second round lets all allocations from the k-th on fail, for some k.
 *
 * With the argument "all" every k is tried, without it every k up to 120 and some of the others.
 *
 * Linked before the library, the three functions below take the place of its own; memory of GMP is
 * not ours.
 */
#include <stdlib.h>
#include "base/base.h"
#include "check.h"
#include "rod.h"

static long taken, live,
    fails_at; /* allocations so far, blocks in use; the one that fails, 0: none */
static bool for_ever, failed;

static bool is_closed(void) {
  taken++;
  bool now = fails_at && (taken == fails_at || (for_ever && taken > fails_at));
  failed = failed || now;
  return now;
}
void *ritti_malloc(size_t size) {
  void *p = is_closed() ? NULL : malloc(size ? size : 1);
  live += p != NULL;
  return p;
}
void *ritti_realloc(void *old, size_t size) {
  void *p = is_closed() ? NULL : realloc(old, size ? size : 1);
  live += p && !old;
  return p;
}
void ritti_free(void *p) {
  live -= p != NULL;
  free(p);
}

/* ---- what is tried ---- */

/* A number that depends on every bit of the rows and texts. */
static unsigned long long hash;
static void mix(const void *data, size_t size) {
  const unsigned char *byte = data;
  for (size_t i = 0; i < size; i++) hash = (hash ^ byte[i]) * 1099511628211ull;
}
static void mix_text(const char *text) { mix(text, strlen(text)); }

static ritt_status take_row(void *user, const double *values, size_t count) {
  (void)user;
  mix(values, count * sizeof *values);
  return RITT_OK;
}

static ritt_status look(ritt_solver *solver, ritt_error *error) {
  double value;
  ritt_point p;
  RITT_TRY(ritt_solver_step(solver, 1, error));
  RITT_TRY(ritt_solver_dense(solver, ritt_solver_before(solver), &p, error));
  RITT_TRY(ritt_solver_value(solver, "x", &value, error));
  mix(&value, sizeof value);
  return ritt_solver_run(solver, take_row, NULL, error);
}

static ritt_status print_all(ritt_model *model, ritt_error *error) {
  static const ritt_form forms[] = {RITT_TEXT, RITT_JSON, RITT_LATEX};
  const char *text;
  for (int i = 0; i < 6; i++) {
    RITT_TRY(ritt_model_complete(model, i < 3 ? RITT_REDUCED : RITT_INVOLUTIVE, forms[i % 3], error,
                                 &text));
    mix_text(text);
  }
  RITT_TRY(ritt_model_start_text(model, error, &text));
  mix_text(text);
  return RITT_OK;
}

static ritt_status work_on(ritt_model *model, bool print, ritt_error *error) {
  const ritt_check *check;
  const ritt_curve *curves;
  size_t count;
  ritt_solver *solver;
  RITT_TRY(ritt_model_check(model, error, &check));
  mix_text(check->verdict);
  RITT_TRY(ritt_model_curves(model, error, &curves, &count));
  if (print) RITT_TRY(print_all(model, error));
  RITT_TRY(ritt_model_set(model, "a", "3/2", error));
  RITT_TRY(ritt_model_start_value(model, "x", 0.5, 0, error));
  RITT_TRY(ritt_solver_from_model(model, NULL, error, &solver));
  ritt_status status = look(solver, error);
  ritt_solver_free(solver);
  return status;
}

/* The model of a text, from reading to the last row. */
static ritt_status try_model(const void *what, ritt_error *error) {
  const char *text = what;
  ritt_model *model;
  RITT_TRY(ritt_model_read_text(text, strlen(text), "test", error, &model));
  ritt_status status = work_on(model, true, error);
  ritt_model_free(model);
  return status;
}

/* A model that is wrong in several places. */
static ritt_status try_wrong(const void *what, ritt_error *error) {
  const char *text = what;
  ritt_model *model;
  ritt_status status = ritt_model_read_text(text, strlen(text), "test", error, &model);
  for (size_t i = 0; i < ritt_error_count(error) && status == RITT_WRONG_MODEL; i++)
    mix_text(ritt_error_get(error, i)->text);
  ritt_model_free(model);
  return status == RITT_WRONG_MODEL ? RITT_OK : status == RITT_OK ? RITT_SYSTEM : status;
}

/* A run that stops: the reason is reported. */
static ritt_status try_stop(const void *what, ritt_error *error) {
  const char *text = what;
  ritt_model *model;
  RITT_TRY(ritt_model_read_text(text, strlen(text), "test", error, &model));
  ritt_status status = ritt_model_run(model, NULL, take_row, NULL, NULL, error);
  if (status == RITT_STOPPED && error && !ritt_error_count(error)) status = RITT_SYSTEM;
  ritt_model_free(model);
  return status == RITT_STOPPED ? RITT_OK : status == RITT_OK ? RITT_SYSTEM : status;
}

static const char *const names[] = {"x", "y", NULL};

static ritt_status work_on_problem(const ritt_problem *problem, ritt_error *error) {
  double z[] = {0, 1, 0.1, 0, 0};
  ritt_options options = ritt_options_default();
  ritt_solver *solver;
  options.to = 2;
  RITT_TRY(ritt_problem_project(problem, NULL, z, error));
  RITT_TRY(ritt_problem_check_derivatives(problem, z, 0, error));
  RITT_TRY(ritt_solver_from_problem(problem, z, &options, error, &solver));
  ritt_status status = look(solver, error);
  ritt_solver_free(solver);
  return status;
}

static ritt_status try_functions(const void *what, ritt_error *error) {
  const ritt_definition definition = {.kind = RITT_HOLONOMIC,
                                      .unknowns = 2,
                                      .constraints = 1,
                                      .mass = rod_mass,
                                      .force = rod_force,
                                      .g = rod,
                                      .dg = d_rod,
                                      .names = names};
  ritt_problem *problem;
  (void)what;
  RITT_TRY(ritt_problem_new(&definition, error, &problem));
  ritt_status status = work_on_problem(problem, error);
  ritt_problem_free(problem);
  return status;
}

/* ---- every k ---- */

static bool every_k;

typedef ritt_status (*attempt)(const void *what, ritt_error *error);

typedef struct outcome {
  ritt_status status;
  unsigned long long hash;
  long taken, live;
  bool failed, said,
      mute; /* the allocation came and failed; a message says so; there is no ritt_error */
} outcome;

static outcome try_with(attempt do_it, const void *what, long k, bool all) {
  taken = live = 0;
  fails_at = k, for_ever = all, failed = false;
  hash = 14695981039346656037ull;
  ritt_error *error = ritt_error_new();
  outcome o = {.status = do_it(what, error), .hash = hash, .taken = taken};
  for (size_t i = 0; i < ritt_error_count(error); i++)
    o.said = o.said || ritt_error_get(error, i)->status == RITT_NO_MEMORY;
  o.mute = !error;
  ritt_error_free(error);
  o.live = live, o.failed = failed;
  fails_at = 0;
  return o;
}

static void every_allocation(const char *name, attempt do_it, const void *what) {
  outcome plain = try_with(do_it, what, 0, false);
  int before = checks_failed;
  CHECK(plain.status == RITT_OK && plain.live == 0 && plain.taken > 0);
  long absorbed = 0;
  for (long k = 1; k <= plain.taken && checks_failed < before + 10; k++) {
    for (int all = 0; all < 2; all++) {
      if (all && k % 7 != 1) continue;
      if (!every_k && k > 120 && k % 29 != 1) continue;
      outcome o = try_with(do_it, what, k, all);
      bool same = o.status == plain.status && o.hash == plain.hash;
      bool good =
          o.failed && o.live == 0 && (same || o.mute || (o.status == RITT_NO_MEMORY && o.said));
      absorbed += same;
      CHECK(good);
      if (!good)
        printf("  %s: allocation %ld of %ld: %s, %ld blocks left%s\n", name, k, plain.taken,
               ritt_status_text(o.status), o.live, o.said ? "" : ", no message");
    }
  }
  printf("%s: %ld allocations, %ld failures without consequence\n", name, plain.taken, absorbed);
}

static const char pendulum[] =
    "model p\nparameter a = 1\nvariable x, y, lambda\nequation\n x'' + lambda*x = 0\n"
    " y'' + lambda*y + a = 0\n x^2 + y^2 = 1\nstart x = 1, y ~ 0, x' ~ 0, y' ~ 0\n"
    "solve t = 0 .. 2\noutput x, E = (x'^2 + y'^2)/2 + a*y\nplot (x, y)\n";
/* more equations than unknowns: the general path, with a redundant row */
static const char general[] =
    "model g\nparameter a = 1\nvariable x, y\nequation\n x' = a*y\n y' + a*x = 0\n"
    " x*x' + y*y' = 0\nstart x = 0, y = 1\nsolve t = 0 .. 2\n";
/* the same with constant coefficients, which is decided modulo primes and eliminated exactly */
static const char linear[] =
    "model l\nparameter a = 1\nvariable x, y, z\nequation\n x' + y' + z = a*sin(t)\n"
    " 2*x' + 2*y' + x - z = exp(-t)\n x + 3*y = 0\n 2*x + 6*y = 0\nstart x ~ 1\nsolve t = 0 .. 1\n";
static const char invariants[] =
    "model i\nparameter a = 1\nvariable x, y\nequation\n x' = a*y\n y' = -a*sin(x)\n"
    "invariant H: y^2/2 - cos(x)\nstart x = 1, y = 0\nsolve t = 0 .. 2\n rows 5\n";
static const char implicit[] =
    "model n\nparameter a = 1\nvariable x, y\nequation\n x'^3 + x' = a*y\n y' = -x\n"
    "start x = 0, y = 1\nsolve arc = 0 .. 2\n";
static const char events[] =
    "model e\nparameter a = 1\nvariable x\nequation\n x'' = -a\nstart x = 1, x' = 0\n"
    "event bounce: x = 0 falling -> x' := -x'/2\nsolve t = 0 .. 2\n";
static const char arrays[] = "model c\nparameter n = 3, a = 1\nvariable x, q[1..n]\nequation\n"
                             " for i in 1..n: q[i]' = -i*a*q[i]\n x' = sum(i in 1..n, q[i])\n"
                             "start x = 0\n for i in 1..n: q[i] = 1\nsolve t = 0 .. 1\n";
static const char wrong[] =
    "model w\nparameter a = b\nvariable x, y, x\nequation\n x' = yy\n y' + ) = 1\n"
    "start z = 1\nsolve t = 0 .. -\n tolerence 1\n";
static const char stops[] =
    "model s\nvariable x\nequation x' = 1 + x^2\nstart x = 0\nsolve t = 0 .. 2\n";
static const char no_value[] =
    "model v\nvariable x\nequation x' = -1/sqrt(x)\nstart x = 1\nsolve t = 0 .. 2\n";

static const char mechanics[] =
    "model m\nparameter a = 1\nvariable x, y\nlagrangian (x'^2 + y'^2)/2 - a*y\n"
    "constraint rod: x^2 + y^2 = 1\nstart x = 1, y = 0, x' ~ 0, y' ~ 0\nsolve t = 0 .. 1\n";

int main(int count, char **arguments) {
  every_k = count > 1 && !strcmp(arguments[1], "all");
  every_allocation("mechanics", try_model, mechanics);
  every_allocation("pendulum", try_model, pendulum);
  every_allocation("general path", try_model, general);
  every_allocation("linear", try_model, linear);
  every_allocation("invariants", try_model, invariants);
  every_allocation("implicit", try_model, implicit);
  every_allocation("events", try_model, events);
  every_allocation("arrays", try_model, arrays);
  every_allocation("wrong model", try_wrong, wrong);
  every_allocation("stop", try_stop, stops);
  every_allocation("no value", try_stop, no_value);
  every_allocation("functions", try_functions, NULL);
  return CHECKS_DONE();
}
