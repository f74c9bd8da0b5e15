/* Wrong definitions, wrong derivatives and wrong options, and the sentence each one gets; what
 * functions may return. */
#include "run.h"

static ritt_error *error;

/* The first message of the last call. */
static const char *said(void) {
  return ritt_error_count(error) ? ritt_error_get(error, 0)->text : "";
}

/* ---- definitions ---- */

static double beyond = INFINITY, at_once = INFINITY;
static ritt_status fatal = RITT_SYSTEM;

static ritt_status decay(void *user, const double *z, double *top) {
  (void)user;
  if (z[0] > at_once) return fatal;
  top[0] = z[0] > beyond ? NAN : -z[1];
  return RITT_OK;
}
static ritt_status sphere(void *user, const double *z, double *f) {
  (void)user;
  f[0] = z[1] * z[1] + z[2] * z[2] + z[3] * z[3] - 1;
  f[1] = z[1] * z[2] - z[0] * z[3];
  return RITT_OK;
}
static double wrong_by;
static ritt_status d_sphere(void *user, const double *z, double *df) {
  (void)user;
  double d[] = {0, 2 * z[1], 2 * z[2], 2 * z[3], -z[3], z[2], z[1] + wrong_by, -z[0]};
  memcpy(df, d, sizeof d);
  return RITT_OK;
}
static ritt_status d2_sphere(void *user, const double *z, const double *mu, double *h) {
  (void)user, (void)z;
  double d[] = {0, 0, 2 * mu[0], 0, mu[1], 2 * mu[0], -mu[1], 0, 0, 2 * mu[0] + wrong_by};
  memcpy(h, d, sizeof d);
  return RITT_OK;
}
static ritt_status three(void *user, const double *z, double *top) {
  (void)user, (void)z;
  top[0] = top[1] = top[2] = 0;
  return RITT_OK;
}

static void refuse(ritt_definition d, const char *text) {
  ritt_problem *problem;
  ritt_error_clear(error);
  CHECK(ritt_problem_new(&d, error, &problem) == RITT_WRONG_CALL && !problem);
  CHECK_TEXT(said(), text);
}

static void check_definitions(void) {
  const int start[] = {0, 3}, columns[] = {0, 2, 2}, no_order[] = {0};
  refuse((ritt_definition){.kind = RITT_EXPLICIT}, "a problem needs at least 1 unknown");
  refuse((ritt_definition){.kind = (ritt_kind)9, .unknowns = 1},
         "the kind of the problem is not known");
  refuse((ritt_definition){.kind = RITT_EXPLICIT, .unknowns = 1},
         "the explicit kind needs the function formula");
  refuse((ritt_definition){.kind = RITT_GRAPH, .unknowns = 1},
         "the graph kind needs the function system");
  refuse((ritt_definition){.kind = RITT_HOLONOMIC, .unknowns = 1},
         "the holonomic kind needs the functions mass and force, and g for constraints");
  refuse((ritt_definition){.kind = RITT_GENERAL, .unknowns = 3, .rows = 2, .f = sphere},
         "the general kind needs f with at least one row for every unknown");
  refuse((ritt_definition){.kind = RITT_EXPLICIT, .unknowns = 1, .formula = decay, .rows = 1},
         "rows are counted, but f is missing");
  refuse((ritt_definition){.kind = RITT_EXPLICIT, .unknowns = 1, .formula = decay, .outputs = 1},
         "outputs are counted, but the function is missing");
  refuse((ritt_definition){.kind = RITT_EXPLICIT, .unknowns = 1, .formula = decay, .rows = -1},
         "a count of the definition is negative");
  refuse(
      (ritt_definition){.kind = RITT_EXPLICIT, .unknowns = 1, .formula = decay, .orders = no_order},
      "the order of unknown 0 is 0");
  refuse((ritt_definition){.kind = RITT_EXPLICIT,
                           .unknowns = 3,
                           .formula = three,
                           .rows = 1,
                           .f = sphere,
                           .df_sparsity = {start, columns}},
         "column 2 in row 0 of the sparsity of df is wrong");
}

/* ---- derivatives ---- */

static void check_derivatives(void) {
  ritt_definition d = {.kind = RITT_EXPLICIT,
                       .unknowns = 3,
                       .formula = three,
                       .rows = 2,
                       .f = sphere,
                       .df = d_sphere,
                       .d2f = d2_sphere};
  ritt_problem *problem;
  const double z[] = {0.3, 0.5, -0.7, 1.1};
  CHECK(ritt_problem_new(&d, error, &problem) == RITT_OK);
  wrong_by = 0;
  ritt_error_clear(error);
  CHECK(ritt_problem_check_derivatives(problem, z, 1e-9, error) == RITT_OK);
  CHECK(ritt_error_count(error) == 0);
  wrong_by = 1e-3;
  CHECK(ritt_problem_check_derivatives(problem, z, 0, error) == RITT_WRONG_CALL);
  CHECK(strstr(said(), "df, row 1, column 2 (y2): ") == said());
  /* df is off by a constant, d2f is wrong where it says so; the differences of df are not */
  CHECK(ritt_error_count(error) == 2);
  CHECK(strstr(ritt_error_get(error, 1)->text, "d2f, row 3, column 3 (y3): ") != NULL);
  ritt_problem_free(problem);

  /* an entry that the sparsity leaves out */
  const int start[] = {0, 3, 6}, columns[] = {1, 2, 3, 1, 2, 3};
  d.df = NULL, d.d2f = NULL;
  d.df_sparsity = (ritt_sparsity){start, columns};
  CHECK(ritt_problem_new(&d, error, &problem) == RITT_OK);
  ritt_error_clear(error);
  CHECK(ritt_problem_check_derivatives(problem, z, 0, error) == RITT_WRONG_CALL);
  CHECK(strstr(said(), "df, row 1, column 0 (x): 0 by the sparsity") == said());
  ritt_problem_free(problem);
}

/* ---- what functions may return ---- */

static void check_returns(void) {
  const ritt_definition d = {.kind = RITT_EXPLICIT, .unknowns = 1, .formula = decay};
  const double z[] = {0, 1};
  ritt_problem *problem;
  ritt_solver *solver;
  ritt_point p;
  CHECK(ritt_problem_new(&d, error, &problem) == RITT_OK);
  /* functions have no power series */
  ritt_options taylor = run_options("taylor:20", 1e-8, NAN);
  ritt_error_clear(error);
  CHECK(ritt_solver_from_problem(problem, z, &taylor, error, &solver) == RITT_WRONG_CALL);
  CHECK_TEXT(
      said(),
      "the method taylor:20 does not fit this system: the equations are given by functions, and it "
      "needs them as formulas");
  /* NaN beyond 1: the run comes as near as steps can, and says so */
  beyond = 1;
  ritt_error_clear(error);
  CHECK(ritt_solver_from_problem(problem, z, NULL, error, &solver) == RITT_OK);
  CHECK(ritt_solver_run_to(solver, 2, error) == RITT_STOPPED);
  CHECK(strstr(said(), "no value") != NULL);
  CHECK(ritt_solver_point(solver, &p, error) == RITT_OK);
  CHECK_NEAR(p.s, 1, 1e-9);
  CHECK_NEAR(p.z[1], exp(-1), 1e-8);
  ritt_solver_free(solver);
  /* another status ends the run at once, and is the run's */
  beyond = INFINITY, at_once = 1;
  const ritt_status statuses[] = {RITT_SYSTEM, RITT_IMPOSSIBLE, RITT_WRONG_CALL, RITT_STOPPED};
  for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
    fatal = statuses[i];
    ritt_error_clear(error);
    CHECK(ritt_solver_from_problem(problem, z, NULL, error, &solver) == RITT_OK);
    CHECK(ritt_solver_run_to(solver, 2, error) == fatal);
    CHECK(strstr(said(), "a function ended the run near x = 0.") == said());
    ritt_statistics s;
    ritt_solver_statistics(solver, &s);
    CHECK(s.x < 1 && s.rejected < 10);
    ritt_solver_free(solver);
  }
  /* at the start: no solver */
  at_once = -1, fatal = RITT_SYSTEM;
  CHECK(ritt_solver_from_problem(problem, z, NULL, error, &solver) == RITT_SYSTEM && !solver);
  at_once = INFINITY, beyond = -1;
  CHECK(ritt_solver_from_problem(problem, z, NULL, error, &solver) == RITT_STOPPED && !solver);
  beyond = INFINITY;
  ritt_problem_free(problem);
}

/* ---- starts ---- */

static ritt_status turn(void *user, const double *z, double *top) {
  top[0] = z[2], top[1] = -z[1] + *(const double *)user;
  return RITT_OK;
}
static ritt_status ring(void *user, const double *z, double *f) {
  (void)user;
  f[0] = z[1] * z[1] + z[2] * z[2] - 1;
  return RITT_OK;
}

static void check_starts(void) {
  double push = 0;
  ritt_definition d = {.kind = RITT_EXPLICIT,
                       .unknowns = 2,
                       .formula = turn,
                       .rows = 1,
                       .f = ring,
                       .user_data = &push};
  double z[] = {0, 0, 1}, off[] = {0, 0, 1 + 1e-8};
  ritt_problem *problem;
  ritt_solver *solver;
  CHECK(ritt_problem_new(&d, error, &problem) == RITT_OK);
  ritt_error_clear(error);
  CHECK(ritt_solver_from_problem(problem, off, NULL, error, &solver) == RITT_WRONG_CALL && !solver);
  CHECK_TEXT(said(), "the start is not on the manifold: f[0] is 2e-08 there");
  CHECK(ritt_problem_project(problem, NULL, off, error) == RITT_OK);
  CHECK(ritt_solver_from_problem(problem, off, NULL, error, &solver) == RITT_OK);
  ritt_solver_free(solver);
  /* d/dt (u^2 + v^2) = 2 v push: no invariant */
  push = 0.25;
  ritt_error_clear(error);
  CHECK(ritt_solver_from_problem(problem, z, NULL, error, &solver) == RITT_WRONG_CALL && !solver);
  CHECK_TEXT(said(),
             "f[0] is not invariant: along the direction it changes at the rate 0.5 at the start");
  ritt_problem_free(problem);
  d.forced = 1;
  CHECK(ritt_problem_new(&d, error, &problem) == RITT_OK);
  CHECK(ritt_solver_from_problem(problem, z, NULL, error, &solver) == RITT_OK);
  CHECK(ritt_solver_run_to(solver, 1, error) == RITT_OK);
  ritt_solver_free(solver);
  ritt_problem_free(problem);
}

/* ---- options ---- */

static void check_options(void) {
  ritt_options o = ritt_options_default();
  char name[] = "tolerance", value[] = "1e-10", word[] = "stages";
  CHECK(ritt_options_set(&o, name, value, error) == RITT_OK && o.tolerance == 1e-10);
  CHECK(ritt_options_set(&o, "tol", "1e-6", error) == RITT_OK && o.tolerance == 1e-6);
  CHECK(ritt_options_set(&o, "project", word, error) == RITT_OK);
  word[0] = 'x'; /* the value was not the caller's text */
  CHECK_TEXT(o.project, "stages");
  CHECK(ritt_options_set(&o, "method", "dop853", error) == RITT_OK);
  CHECK_TEXT(o.method, "dop853");
  const struct {
    const char *name, *value, *text;
  } wrong[] = {{"tolerence", "1", "there is no option 'tolerence'"},
               {"", "1", "there is no option ''"},
               {"tolerance", "-1", "the option 'tolerance' needs a positive number, not '-1'"},
               {"tolerance", "nan", "the option 'tolerance' needs a positive number, not 'nan'"},
               {"to", "1 2", "the option 'to' needs a number, not '1 2'"},
               {"rows", "1", "the option 'rows' needs a whole number up to 1000000000, not '1'"},
               {"method", "dopri", "the option 'method' needs the name of a method, not 'dopri'"},
               {"project", "stage", "the option 'project' needs one of its values, not 'stage'"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ritt_options before = o;
    ritt_error_clear(error);
    CHECK(ritt_options_set(&o, wrong[i].name, wrong[i].value, error) == RITT_WRONG_CALL);
    CHECK_TEXT(said(), wrong[i].text);
    CHECK(o.tolerance == before.tolerance && o.project == before.project &&
          o.method == before.method);
  }
  /* every option that is listed can be set, every word of a choice too */
  ritt_option option;
  for (size_t i = 0; ritt_option_get(i, &option); i++) {
    char words[160];
    snprintf(words, sizeof words, "%s", option.value);
    bool choice = strchr(words, '|') != NULL;
    for (char *w = choice ? strtok(words, "|") : NULL; w; w = strtok(NULL, "|"))
      CHECK(ritt_options_set(&o, option.name, w, error) == RITT_OK);
    if (!choice && strcmp(option.name, "method"))
      CHECK(ritt_options_set(&o, option.name, "7", error) == RITT_OK);
  }
}

int main(void) {
  error = ritt_error_new();
  check_definitions();
  check_derivatives();
  check_returns();
  check_starts();
  check_options();
  ritt_error_free(error);
  return CHECKS_DONE();
}
