/* Problems from functions, kind by kind: the same bits as the model that says the same, derivatives
 * by differences near those given, dense output on the manifold, and errors by name. */
#include "run.h"
#include "rod.h"

/* ---- the circle y1' = y2, y2' = -y1 with its invariant: explicit ---- */

static ritt_status circle_formula(void *user, const double *z, double *top) {
  double w = user ? *(double *)user : 1;
  top[0] = w * z[2];
  top[1] = -(w * z[1]);
  return RITT_OK;
}
static ritt_status circle_f(void *user, const double *z, double *f) {
  (void)user;
  f[0] = z[1] * z[1] + z[2] * z[2] - 1;
  return RITT_OK;
}
static ritt_status circle_df(void *user, const double *z, double *df) {
  (void)user;
  df[0] = 2 * z[1];
  df[1] = 2 * z[2];
  return RITT_OK;
}
static const int circle_start[] = {0, 2}, circle_column[] = {1, 2};
static const char *const circle_names[] = {"u", "v"};
static const ritt_definition circle = {.kind = RITT_EXPLICIT,
                                       .unknowns = 2,
                                       .rows = 1,
                                       .formula = circle_formula,
                                       .f = circle_f,
                                       .df = circle_df,
                                       .df_sparsity = {circle_start, circle_column},
                                       .independent = "t",
                                       .names = circle_names};

static ritt_solver *solver_of(const ritt_problem *problem, const double *z, const char *settings) {
  ritt_error *error = ritt_error_new();
  ritt_options options = ritt_options_default();
  ritt_solver *solver = NULL;
  char name[32], value[32];
  for (int used = 0; sscanf(settings, "%31s %31s%n", name, value, &used) == 2; settings += used)
    CHECK(ritt_options_set(&options, name, value, error) == RITT_OK);
  CHECK(ritt_solver_from_problem(problem, z, &options, error, &solver) == RITT_OK);
  for (size_t i = 0; i < ritt_error_count(error); i++)
    printf("%s\n", ritt_error_get(error, i)->text);
  ritt_error_free(error);
  return solver;
}

static void check_circle(ritt_definition d, double error) {
  ritt_problem *problem;
  double z[3] = {0, 0, 1};
  CHECK(ritt_problem_new(&d, NULL, &problem) == RITT_OK);
  const ritt_shape *shape = ritt_problem_shape(problem);
  CHECK(shape->coordinates == 3 && shape->tops == 2 && shape->rows == 1 && shape->columns == 3);
  CHECK_TEXT(shape->column_names[0], "t");
  CHECK_TEXT(shape->column_names[2], "v");
  ritt_solver *solver = solver_of(problem, z, "method dopri54 tolerance 1e-10");
  CHECK(ritt_solver_run_to(solver, 2, NULL) == RITT_OK);
  double u;
  CHECK(ritt_solver_value(solver, "u", &u, NULL) == RITT_OK);
  CHECK_NEAR(u, sin(2), error);
  /* dense output lies on the circle and on the solution */
  CHECK(ritt_solver_step(solver, 5, NULL) == RITT_OK);
  ritt_point p;
  double before = ritt_solver_before(solver);
  CHECK(before == 2 && ritt_solver_point(solver, &p, NULL) == RITT_OK && p.s > 2);
  double after = p.s;
  for (int i = 0; i <= 8; i++) {
    double s = before + (after - before) * i / 8;
    CHECK(ritt_solver_dense(solver, s, &p, NULL) == RITT_OK);
    CHECK(p.s == s && p.z[0] == s);
    CHECK_NEAR(p.z[1], sin(s), error);
    CHECK_NEAR(p.z[1] * p.z[1] + p.z[2] * p.z[2], 1, 5e-16);
    CHECK(p.derivative[0] == 1 && p.derivative[1] == p.top[0] && p.top[0] == p.z[2]);
  }
  ritt_statistics s;
  ritt_solver_statistics(solver, &s);
  CHECK(s.accepted > 3 && s.largest_residual < 1e-15 && s.free_initial_values == 1);
  CHECK_TEXT(s.kind, "explicit");
  ritt_solver_free(solver);
  ritt_problem_free(problem);
}

/* ---- bits of the model ---- */

typedef struct rows {
  size_t count, width;
  double at[4096];
} rows;

static ritt_status keep(void *user, const double *values, size_t count) {
  rows *r = user;
  r->width = count;
  if (r->count + count > sizeof r->at / sizeof *r->at) return RITT_SYSTEM;
  memcpy(r->at + r->count, values, count * sizeof *values);
  r->count += count;
  return RITT_OK;
}

static void check_same_bits(const char *text, const ritt_definition *d, const char *settings) {
  run *r = run_text(text);
  run_go(r, NULL);
  const double *z;
  ritt_problem *problem;
  CHECK(ritt_model_start_point(r->model, r->error, &z) == RITT_OK);
  CHECK(ritt_problem_new(d, r->error, &problem) == RITT_OK);
  ritt_solver *solver = solver_of(problem, z, settings);
  static rows all;
  all = (rows){0};
  CHECK(ritt_solver_run(solver, keep, &all, r->error) == RITT_OK);
  CHECK(all.width == r->width && all.count == r->rows * r->width);
  CHECK(!memcmp(all.at, r->row, all.count * sizeof *all.at));
  ritt_statistics s;
  ritt_solver_statistics(solver, &s);
  CHECK(s.accepted == r->statistics.accepted && s.evaluations == r->statistics.evaluations);
  CHECK_TEXT(s.kind, r->statistics.kind);
  ritt_solver_free(solver);
  ritt_problem_free(problem);
  run_free(r);
}

/* the same circle by the graph kind: y1' - y2 = 0, y2' + y1 = 0, as 2 y1' = 2 y2 and so on */
static ritt_status graph_system(void *user, const double *z, double *A, double *b) {
  (void)user;
  A[0] = 1 + z[1] * z[1], A[1] = 0, A[2] = z[2], A[3] = 1;
  b[0] = -z[2], b[1] = z[1];
  return RITT_OK;
}
static const ritt_definition graph = {.kind = RITT_GRAPH,
                                      .unknowns = 2,
                                      .system = graph_system,
                                      .independent = "t",
                                      .names = circle_names};

/* the pendulum x'' + 2 lambda x = 0, y'' + 2 lambda y = -1, x^2 + y^2 = 1 */
static const char *const pendulum_names[] = {"x", "y", "lambda"};
static const ritt_definition pendulum = {.kind = RITT_HOLONOMIC,
                                         .unknowns = 2,
                                         .constraints = 1,
                                         .mass = rod_mass,
                                         .force = rod_force,
                                         .g = rod,
                                         .dg = d_rod,
                                         .d2g = d2_rod,
                                         .independent = "t",
                                         .names = pendulum_names};

/* y'^3 + y' = x + z, z' = y: implicit, with z' as a row of its own */
static ritt_status implicit_f(void *user, const double *z, double *f) {
  (void)user;
  f[0] = z[3] * z[3] * z[3] + z[3] - z[0] - z[2];
  f[1] = z[4] - z[1];
  return RITT_OK;
}
static ritt_status implicit_df(void *user, const double *z, double *df) {
  (void)user;
  df[0] = -1, df[1] = -1, df[2] = 3 * (z[3] * z[3]) + 1;
  df[3] = -1, df[4] = 1;
  return RITT_OK;
}
static const int implicit_start[] = {0, 3, 5}, implicit_column[] = {0, 2, 3, 1, 4};
static const char *const implicit_names[] = {"y", "z"};
static const ritt_definition implicit = {.kind = RITT_GENERAL,
                                         .unknowns = 2,
                                         .rows = 2,
                                         .f = implicit_f,
                                         .df = implicit_df,
                                         .df_sparsity = {implicit_start, implicit_column},
                                         .names = implicit_names};

static void check_bits(void) {
  check_same_bits(
      "model i\nindependent x\nvariable y, z\nequation\n y'^3 + y' - x - z = 0\n z' - y = 0\n"
      "start y = 1, z = 0\nsolve x = 0 .. 3\n rows 7\n kind general\n direction qr\n project stages\n",
      &implicit, "to 3 rows 7");
  check_same_bits("model c\nvariable u, v\nequation\n u' = v\n v' = -u\ninvariant u^2 + v^2 = 1\n"
                  "start u = 0, v = 1\nsolve t = 0 .. 20\n rows 21\n",
                  &circle, "to 20 rows 21");
  check_same_bits("model g\nvariable u, v\nequation\n (1 + u^2)*u' - v = 0\n v*u' + v' + u = 0\n"
                  "start u = 0, v = 1\nsolve t = 0 .. 3\n rows 5\n method dop853\n",
                  &graph, "to 3 points 5 method dop853");
  check_same_bits(
      "model p\nvariable x, y, lambda\nequation\n x'' + 2*lambda*x = 0\n y'' + 2*lambda*y + 1 = 0\n"
      " x^2 + y^2 = 1\nstart x = 1, y = 0, x' ~ 0, y' ~ 0\nsolve t = 0 .. 10\n rows step 0.5\n",
      &pendulum, "to 10 row-step 0.5");
}

/* The pendulum without derivatives: E = y'^2/2 + y is kept as by the tolerance, and the rod to
 * rounding. */
static void check_differences(bool dg) {
  ritt_definition d = pendulum;
  d.d2g = NULL;
  if (!dg) d.dg = NULL;
  ritt_problem *problem;
  CHECK(ritt_problem_new(&d, NULL, &problem) == RITT_OK);
  double z[5] = {0, 1.1, 0.1, 0.3, 0.2}, before = z[1];
  CHECK(ritt_problem_project(problem, NULL, z, NULL) == RITT_OK);
  CHECK(z[0] == 0 && z[1] != before);
  CHECK_NEAR(z[1] * z[1] + z[2] * z[2], 1, 5e-16);
  CHECK_NEAR(z[1] * z[3] + z[2] * z[4], 0, dg ? 1e-15 : 1e-11);
  double E = (z[3] * z[3] + z[4] * z[4]) / 2 + z[2];
  ritt_solver *solver = solver_of(problem, z, "tolerance 1e-9 method dop853");
  CHECK(ritt_solver_run_to(solver, 10, NULL) == RITT_OK);
  ritt_point p;
  CHECK(ritt_solver_point(solver, &p, NULL) == RITT_OK);
  CHECK_NEAR(p.z[1] * p.z[1] + p.z[2] * p.z[2], 1, 5e-16);
  CHECK_NEAR((p.z[3] * p.z[3] + p.z[4] * p.z[4]) / 2 + p.z[2], E, 2e-8);
  /* lambda: 2 lambda = v^2 - y */
  CHECK_NEAR(2 * p.top[2], p.z[3] * p.z[3] + p.z[4] * p.z[4] - p.z[2], 1e-9);
  ritt_solver_free(solver);
  ritt_problem_free(problem);
}

/* The problem of a model that runs over arc length: its own columns are those without arc. */
static void check_model_problem(void) {
  run *r = run_text(
      "model a\nvariable u, v\nequation\n u' = v\n v' = -u\nstart u = 0, v = 1\nsolve arc = 0 .. 3\n");
  const ritt_problem *problem;
  const double *z;
  CHECK(ritt_model_problem(r->model, r->error, &problem) == RITT_OK);
  CHECK(ritt_model_start_point(r->model, r->error, &z) == RITT_OK);
  const ritt_shape *shape = ritt_problem_shape(problem);
  CHECK(shape->columns == 3 && shape->coordinates == 3);
  CHECK_TEXT(shape->column_names[0], "t");
  const char *const *names;
  size_t count;
  ritt_solver *solver = solver_of(problem, z, "to 2");
  ritt_solver_columns(solver, &names, &count);
  CHECK(count == 3);
  CHECK(ritt_solver_run_to(solver, 2, NULL) == RITT_OK);
  double u;
  CHECK(ritt_solver_value(solver, "u", &u, NULL) == RITT_OK);
  CHECK_NEAR(u, sin(2), 1e-6);
  ritt_solver_free(solver);
  run_go(r, NULL);
  solver = solver_of(problem, z, "to 3 over arc");
  ritt_solver_columns(solver, &names, &count);
  CHECK(count == 4);
  CHECK_TEXT(names[0], "arc");
  static rows all;
  all = (rows){0};
  CHECK(ritt_solver_run(solver, keep, &all, NULL) == RITT_OK);
  CHECK(all.width == 4 && all.count == r->rows * 4 &&
        !memcmp(all.at, r->row, all.count * sizeof *all.at));
  ritt_solver_free(solver);
  run_free(r);
}

int main(void) {
  check_model_problem();
  check_circle(circle, 2e-9);
  ritt_definition d = circle;
  d.df = NULL;
  check_circle(d, 2e-9);
  check_bits();
  check_differences(true);
  check_differences(false);
  return CHECKS_DONE();
}
