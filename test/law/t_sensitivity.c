/* Derivatives of solutions by parameters and start values. The references are closed forms, or
 * differences of runs in quadruple precision with a step of 1e-7, whose error is about 1e-14. */
#include <stdlib.h>
#include "run.h"

static void ask_for(run *r, const char *name) {
  r->status = ritt_model_sensitivity(r->model, &name, 1, r->error);
  if (r->status != RITT_OK) run_complain(r, name);
}

/* The values of all columns at `end` in quadruple precision, each with its remainder behind it. */
static double *run_quad(run *r, const char *method, double end, size_t *columns) {
  ritt_options o = run_options(method, 1e-20, end);
  ritt_solver *solver = NULL;
  const char *const *names;
  double *values = NULL;
  o.precision = "quad";
  r->status = ritt_solver_from_model(r->model, &o, r->error, &solver);
  if (r->status == RITT_OK) r->status = ritt_solver_run_to(solver, end, r->error);
  if (r->status == RITT_OK) {
    ritt_solver_columns(solver, &names, columns);
    values = run_memory(NULL, 2 * *columns * sizeof *values);
    r->status = ritt_solver_values(solver, end, values, r->error);
    ritt_solver_remainders(solver, values + *columns);
  }
  if (r->status != RITT_OK) run_complain(r, "in quadruple precision");
  ritt_solver_free(solver);
  return values;
}

/* Compares d(all columns)/d(name) at `end` with differences; `value` is the decimal value of the
 * parameter without the digits of the step, as in "9.81". Errors are relative to the largest
 * derivative of a column of the same order, or the size of the column. */
static void compare(const char *text, const char *name, const char *value, const char *method,
                    double end, double allowed) {
  double *side[2] = {NULL, NULL};
  char changed[64];
  size_t columns = 0;
  double h = 1e-7;
  run *r = run_text(text);
  for (int i = 0; i < 2; i++) {
    /* value - 1e-7 and value + 1e-7, exactly */
    snprintf(changed, sizeof changed, "%s %s 1/10000000", value, i ? "+" : "-");
    run_set(r, name, changed);
    side[i] = run_quad(r, "vern98", end, &columns);
    if (!side[i]) exit(1);
  }
  run_set(r, name, value);
  ask_for(r, name);
  ritt_options o = run_options(method, 1e-12, end);
  if (run_go(r, &o)) {
    double largest = 0;
    size_t outputs = (r->names + 1) / 2; /* later columns of the other runs belong to plots */
    for (size_t i = 1; i < outputs; i++) {
      double difference =
          ((side[1][i] - side[0][i]) + (side[1][columns + i] - side[0][columns + i])) / (2 * h);
      largest = fmax(largest, fabs(difference));
    }
    CHECK(outputs <= columns && largest > 0);
    for (size_t i = 1; i < outputs; i++) {
      double difference =
          ((side[1][i] - side[0][i]) + (side[1][columns + i] - side[0][columns + i])) / (2 * h);
      char column[128];
      snprintf(column, sizeof column, "d(%s)/d(%s)", r->name[i], name);
      double error = fabs(run_last(r, column) - difference) / largest;
      if (!(error <= allowed)) printf("%s: %g\n", column, error);
      CHECK(error <= allowed);
    }
  }
  free(side[0]);
  free(side[1]);
  run_free(r);
}

static const char pendulum[] =
    "model m\nparameter g = 1, L = 2\nvariable x, y, lambda\nequation\n  x'' + lambda*x = 0\n"
    "  y'' + lambda*y + g = 0\n  x^2 + y^2 = L^2\n"
    "start t = 0\n  x = L/2, y ~ -1, x' = 0.3\nsolve t = 0 .. 4\n";

static const char sleigh[] =
    "model m\nparameter m = 1, J = 0.5, a = 0.4\nvariable x, y, th\n"
    "lagrangian m*((x' - a*sin(th)*th')^2 + (y' + a*cos(th)*th')^2)/2 + J*th'^2/2\n"
    "nonholonomic skate: x'*sin(th) = y'*cos(th)\n"
    "start t = 0\n  x = 0, y = 0, th = 0, x' = 1, th' = 1.5\nsolve t = 0 .. 4\n"
    "output x, y, th, x', th', skate\n";

static const char diode[] =
    "model m\nparameter R = 100, C = 1e-3, I = 1e-6, T = 0.05, f = 5\nvariable v, w, i\nequation\n"
    "  C*v' = i - v/1000\n  R*i = sin(2*pi*f*t) - v - w\n  i = I*(exp(w/T) - 1)\n"
    "start t = 0\n  v = 0.2\nsolve t = 0 .. 0.5\noutput v, i\n";

static const char ball[] = "model m\nparameter g = 9.81, e = 0.9\nvariable y\nequation y'' = -g\n"
                           "start t = 0\n  y = 1, y' = 0\nsolve t = 0 .. 2.5\n"
                           "event bounce: y = 0 falling -> y' := -e*y'\n";

/* a pendulum of index 3 that loses speed at a wall */
static const char wall[] =
    "model m\nparameter e = 0.5\nvariable x, y, lambda\nequation\n  x'' + lambda*x = 0\n"
    "  y'' + lambda*y + 1 = 0\n  x^2 + y^2 = 1\n"
    "start t = 0\n  x = 0.6, y ~ -0.8, x' = 0, y' ~ 0\nsolve t = 0 .. 4\n"
    "event wall: x = 0.1 falling -> x' := -e*x', y' := -e*y'\n";

/* a spring whose force and drag switch */
static const char drag[] =
    "model m\nparameter c = 0.3, k = 4, F = 0.4\nvariable x, v\nequation\n  x' = v\n"
    "  v' = -k*x - c*v*abs(v) + (if x > 0.1 then F else -F)\n"
    "start t = 0\n  x = 1, v = 0\nsolve t = 0 .. 3\n";

/* an index-2 problem whose constraint holds the parameter and the time */
static const char guided[] =
    "model m\nparameter p = 0.7\nvariable x, y, u\nequation\n  x' = y + u\n  y' = -x*y + u^2*p\n"
    "  x = sin(p*t) + p\nstart t = 0\n  y = p^2\nsolve t = 0 .. 2\n";

/* A block on a spring with dry friction and a shaken support, second order, against differences: it
 * slides, sticks and slides again. */
static const char shaken[] = "model m\nparameter mu = 0.4, k = 1, w = 1.3\nvariable x\n"
                             "equation x'' = -k*x - mu*sign(x') + 0.9*sin(w*t)\n"
                             "start t = 0\n  x = 1, x' = 0\nsolve t = 0 .. 9\n";

static void test_differences(void) {
  compare(pendulum, "g", "1", "vern98", 4, 1e-10);
  compare(pendulum, "L", "2", "vern98", 4, 1e-10); /* in the constraint and in the start */
  compare(sleigh, "a", "0.4", "dop853", 4, 1e-10);
  compare(diode, "T", "0.05", "vern98", 0.45, 1e-10);
  compare(ball, "e", "0.9", "vern98", 2.2, 1e-10); /* three bounces */
  compare(ball, "g", "9.81", "vern98", 2.2, 1e-10);
  compare(wall, "e", "0.5", "vern98", 4, 1e-10);
  compare(drag, "c", "0.3", "vern98", 3, 1e-10);
  compare(drag, "F", "0.4", "dop853", 3, 1e-10);
  compare(guided, "p", "0.7", "vern98", 2, 1e-10);
  compare(shaken, "mu", "0.4", "vern98", 9, 1e-10);
  compare(shaken, "w", "1.3", "vern98", 9, 1e-10);
  compare(guided, "p", "0.7", "radau9", 2, 1e-9);
}

/* The models of the test set: Andrews' mechanism and the car axis. */
static void test_set_of_models(void) {
  if (CHECK_SLOW) return;
  static const struct {
    const char *file, *name, *value;
    double end;
  } model[] = {{"ivp/andrews", "c0", "4530", 0.004}, {"ivp/car_axis", "M", "10", 0.3}};
  for (size_t i = 0; i < sizeof model / sizeof *model; i++) {
    run *r = run_file(model[i].file, NULL);
    compare(ritt_model_text(r->model), model[i].name, model[i].value, "vern98", model[i].end,
            1e-10);
    run_free(r);
  }
}

/* ---- closed forms ---- */

/* x = x0 cos(w t) + (v0/w) sin(w t): derivatives by the start values, by w, and by a parameter that
 * defines w = b^2 */
static void test_oscillator(void) {
  run *r = run_text("model m\nparameter b = 1.5, w = b^2\nvariable x\nequation x'' = -w^2*x\n"
                    "start t = 0\n  x = 1, x' = 0.5\nsolve t = 0 .. 2\noutput x\n");
  const char *names[] = {"x", "x'", "w", "b"};
  r->status = ritt_model_sensitivity(r->model, names, 4, r->error);
  CHECK(r->status == RITT_OK);
  ritt_options o = run_options("vern98", 1e-13, 2);
  if (run_go(r, &o)) {
    double w = 2.25, t = 2,
           by_w = -t * sin(w * t) - 0.5 / (w * w) * sin(w * t) + 0.5 / w * t * cos(w * t);
    CHECK_NEAR(run_last(r, "d(x)/d(x)"), cos(w * t), 1e-11);
    CHECK_NEAR(run_last(r, "d(x)/d(x')"), sin(w * t) / w, 1e-11);
    CHECK_NEAR(run_last(r, "d(x)/d(w)"), by_w, 1e-11);
    CHECK_NEAR(run_last(r, "d(x)/d(b)"), by_w * 3, 1e-10);
  }

  /* no derivatives any more */
  CHECK(ritt_model_sensitivity(r->model, NULL, 0, r->error) == RITT_OK);
  if (run_go(r, &o)) CHECK(r->names == 2);

  /* other values: the derivatives stay asked for */
  CHECK(ritt_model_sensitivity(r->model, names, 1, r->error) == RITT_OK);
  run_set(r, "b", "1");
  CHECK(ritt_model_start_value(r->model, "x", 3, 1, r->error) == RITT_OK);
  if (run_go(r, &o)) CHECK_NEAR(run_last(r, "d(x)/d(x)"), cos(2), 1e-11);
  run_free(r);
}

/* A block that slows down by dry friction, sticks, and breaks loose when the force a t on it has grown.
 * It sticks at t1, where v0 - mu t + a t^2/2 = 0, and begins to move at t2 = mu/a. */
static void test_stick_slip(void) {
  run *r = run_text("model m\nparameter mu = 1, a = 0.6\nvariable x, v\nequation\n  x' = v\n"
                    "  v' = -mu*sign(v) + a*t\nstart t = 0\n  x = 0, v = 0.5\n"
                    "solve t = 0 .. 4\noutput x, v\n");
  const char *names[] = {"mu", "a", "v"};
  CHECK(ritt_model_sensitivity(r->model, names, 3, r->error) == RITT_OK);
  ritt_options o = run_options("vern98", 1e-13, 4);
  static const double places[] = {1, 4};
  o.at = places, o.at_count = 2;
  double mu = 1, a = 0.6, v0 = 0.5, t1 = (mu - sqrt(mu * mu - 2 * a * v0)) / a, s = 4 - mu / a;
  /* v = 0 at t1, so that t1 may stay as it is: x1 = v0 t1 - mu t1^2/2 + a t1^3/6 */
  double by_mu = -t1 * t1 / 2, by_a = t1 * t1 * t1 / 6;
  if (run_go(r, &o)) {
    CHECK(r->statistics.slidings == 1);
    CHECK_NEAR(run_get(r, 0, "d(x)/d(mu)"), by_mu, 1e-11);
    CHECK_NEAR(run_get(r, 0, "d(x)/d(a)"), by_a, 1e-11);
    CHECK_NEAR(run_get(r, 0, "d(v)/d(mu)"), 0, 1e-13);
    CHECK_NEAR(run_last(r, "d(x)/d(mu)"), by_mu - s * s / 2, 1e-10);
    CHECK_NEAR(run_last(r, "d(x)/d(a)"), by_a + s * s * s / 6 + s * s / 2 * mu / a, 1e-10);
    CHECK_NEAR(run_last(r, "d(x)/d(v)"), t1, 1e-10);
    CHECK_NEAR(run_last(r, "d(v)/d(mu)"), -s, 1e-10);
    CHECK_NEAR(run_last(r, "d(v)/d(a)"), s * s / 2 + s * mu / a, 1e-10);
    CHECK_NEAR(run_last(r, "d(v)/d(v)"), 0, 1e-10);
  }
  run_free(r);
}

/* The tangents stay on the tangent space: 2 x dx + 2 y dy = 2 L dL at every row, to rounding. */
static void test_rows(void) {
  run *r = run_text(pendulum);
  ask_for(r, "L");
  ritt_options o = run_options("dopri54", 1e-6, 4);
  if (run_go(r, &o))
    for (size_t i = 0; i < r->rows; i++) {
      double x = run_get(r, i, "x"), y = run_get(r, i, "y");
      double dx = run_get(r, i, "d(x)/d(L)"), dy = run_get(r, i, "d(y)/d(L)");
      CHECK_NEAR((x * dx + y * dy - 2) / (2 + fabs(x * dx) + fabs(y * dy)), 0, 1e-14);
    }
  run_free(r);
}

/* The steps and columns of the solution are the same with derivatives as without, bit by bit. */
static void test_same_solution(void) {
  static const char *const text[] = {pendulum, sleigh, diode, guided};
  static const char *const name[] = {"L", "a", "T", "p"};
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
    run *plain = run_text(text[i]), *r = run_text(text[i]);
    ask_for(r, name[i]);
    CHECK(run_try(plain, NULL) == RITT_OK && run_try(r, NULL) == RITT_OK);
    CHECK(plain->rows == r->rows && plain->statistics.accepted == r->statistics.accepted);
    for (size_t k = 0; k < r->rows; k++)
      for (size_t c = 0; c < (r->names + 1) / 2; c++)
        CHECK(run_get(plain, k, r->name[c]) == run_get(r, k, r->name[c]));
    run_free(plain);
    run_free(r);
  }
}

/* Rows inside steps, by each sort of dense output, against derivatives that are controlled. */
static void test_dense_rows(void) {
  static const char *const method[] = {"dopri54", "dop853", "vern98", "rk4"};
  for (size_t i = 0; i < sizeof method / sizeof *method; i++) {
    run *r = run_text(pendulum);
    ask_for(r, "L");
    ritt_options o = run_options(method[i], 1e-10, 4);
    o.points = 41;
    if (i == 3) o.constant_step = 0.017;
    double found[41];
    CHECK(run_try(r, &o) == RITT_OK && r->rows == 41);
    for (size_t k = 0; k < 41; k++) found[k] = run_get(r, k, "d(x)/d(L)");
    o = run_options("dop853", 1e-12, 4);
    o.points = 41;
    o.tangents = "controlled";
    CHECK(run_try(r, &o) == RITT_OK && r->rows == 41);
    for (size_t k = 0; k < 41; k++)
      CHECK_NEAR(found[k], run_get(r, k, "d(x)/d(L)"), i == 3 ? 1e-6 : 1e-8);
    run_free(r);
  }
}

/* An invariant keeps the value of the start, which depends on the parameters: E_c = E_x x_c + ... holds
 * with the derivative of that value. */
static void test_levels(void) {
  static const char text[] = "model m\nparameter c = 0.3\nvariable x\nequation x'' = -2*x - c*x^3\n"
                             "invariant x'^2/2 + x^2 + c*x^4/4\n"
                             "start t = 0\n  x = 1 + c, x' = 0.5\nsolve t = 0 .. 3\n";
  compare(text, "c", "0.3", "vern98", 3, 1e-10);
  run *r = run_text(text);
  ask_for(r, "c");
  ritt_options o = run_options("dopri54", 1e-4, 3);
  if (run_go(r, &o)) {
    double x = run_last(r, "x"), v = run_last(r, "x'"), c = 0.3;
    double E_c = v * run_last(r, "d(x')/d(c)") +
                 (2 * x + c * x * x * x) * run_last(r, "d(x)/d(c)") + x * x * x * x / 4;
    double x0 = 1 + c;
    CHECK_NEAR(E_c, 2 * x0 + c * x0 * x0 * x0 + x0 * x0 * x0 * x0 / 4, 1e-13);
  }
  run_free(r);
}

/* A run that is saved and continued has the same derivatives. */
static void test_saved(void) {
  double values[2][16];
  run *r = run_text(pendulum);
  ask_for(r, "L");
  ritt_options o = run_options("dop853", 1e-8, 4);
  size_t size = 0;
  char *state = NULL;
  for (int i = 0; i < 2; i++) {
    ritt_solver *solver = NULL;
    const char *const *names;
    size_t columns = 0;
    CHECK(ritt_solver_from_model(r->model, &o, r->error, &solver) == RITT_OK);
    if (i == 0) {
      for (int k = 0; k < 5; k++) CHECK(ritt_solver_step(solver, 4, r->error) == RITT_OK);
      CHECK(ritt_solver_save(solver, NULL, 0, &size, r->error) == RITT_OK);
      state = run_memory(NULL, size);
      CHECK(ritt_solver_save(solver, state, size, &size, r->error) == RITT_OK);
    } else CHECK(ritt_solver_load(solver, state, size, r->error) == RITT_OK);
    CHECK(ritt_solver_run_to(solver, 4, r->error) == RITT_OK);
    ritt_solver_columns(solver, &names, &columns);
    CHECK(columns <= 16 && ritt_solver_values(solver, 4, values[i], r->error) == RITT_OK);
    for (size_t k = 0; i == 1 && k < columns; k++) CHECK(values[0][k] == values[1][k]);
    ritt_solver_free(solver);
  }
  free(state);
  run_free(r);
}

/* ---- what is refused ---- */

static void test_refused(void) {
  run *r = run_text(pendulum);
  const char *name = "w";
  CHECK(ritt_model_sensitivity(r->model, &name, 1, r->error) == RITT_WRONG_CALL);
  /* y is a guess: it is not free to be changed */
  ask_for(r, "y");
  CHECK(run_try(r, NULL) == RITT_WRONG_CALL);
  run_free(r);

  /* a surface that holds a parameter: whether the derivative slides on it is not known */
  r = run_text("model m\nparameter mu = 1, w = 0.2\nvariable v\n"
               "equation v' = -mu*sign(v - w) + 0.1\nstart t = 0\n  v = 1\nsolve t = 0 .. 5\n");
  ask_for(r, "mu");
  CHECK(run_try(r, NULL) == RITT_STOPPED);
  CHECK(strstr(ritt_error_get(r->error, 0)->text, "begins to slide on a switching surface"));
  run_free(r);

  /* an output that switches has a derivative that the weights of the sides would have to give */
  r = run_text("model m\nparameter mu = 1\nvariable v\nequation v' = -mu*sign(v) + 0.1\n"
               "start t = 0\n  v = 1\nsolve t = 0 .. 5\noutput v, R = -mu*sign(v)\n");
  ask_for(r, "mu");
  CHECK(run_try(r, NULL) == RITT_STOPPED);
  run_free(r);

  /* x = sin t touches 1: a little more speed jumps, a little less does not */
  r = run_text("model m\nparameter a = 1\nvariable x, v\nequation\n  x' = v\n  v' = -x\n"
               "start t = 0\n  x = 0, v = a\nsolve t = 0 .. 4\nevent hit: x = 1 -> v := -v\n");
  ask_for(r, "a");
  CHECK(run_try(r, NULL) == RITT_STOPPED);
  CHECK(ritt_error_count(r->error) == 1 &&
        strstr(ritt_error_get(r->error, 0)->text, "only touches the event 'hit' near t = 1.57"));
  run_free(r);

  /* a switch that is only touched does not change the derivative, which is cos t for x and v = a */
  r = run_text("model m\nparameter a = 1\nvariable x, v\nequation\n  x' = v\n"
               "  v' = -x + max(x - 1, 0)\nstart t = 0\n  x = 0, v = a\nsolve t = 0 .. 4\n"
               "  tolerance 1e-11\n");
  ask_for(r, "a");
  CHECK(run_try(r, NULL) == RITT_OK);
  CHECK_NEAR(run_last(r, "d(v)/d(a)"), cos(4), 1e-8);
  run_free(r);

  /* the constraint changes what the jump assigns */
  r = run_text("model m\nparameter e = 0.5\nvariable x, y, lambda\nequation\n"
               "  x'' + lambda*x = 0\n  y'' + lambda*y + 1 = 0\n  x^2 + y^2 = 1\n"
               "start t = 0\n  x = 0.6, y ~ -0.8, x' = 0, y' ~ 0\nsolve t = 0 .. 5\n"
               "event wall: x = 0.1 falling -> x' := -e*x'\n");
  ask_for(r, "e");
  CHECK(run_try(r, NULL) == RITT_STOPPED);
  CHECK(ritt_error_count(r->error) == 1 &&
        strstr(ritt_error_get(r->error, 0)->text, "the constraints change what the event"));
  run_free(r);
}

int main(void) {
  test_oscillator();
  test_stick_slip();
  test_rows();
  test_same_solution();
  test_dense_rows();
  test_levels();
  test_saved();
  test_differences();
  test_set_of_models();
  test_refused();
  return CHECKS_DONE();
}
