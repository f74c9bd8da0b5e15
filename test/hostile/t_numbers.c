/* Bad numbers: what is fed, what comes of it. Functions that end on the way, poles, blow-ups,
 * overflow, tolerances, ends and steps that are no sensible numbers, starts far away or singular:
 * each has its status, its place and its sentence, and no row ever holds NaN or infinity. The
 * places are known in closed form.
 */
#include "run.h"

static const char *said(const run *r) {
  return ritt_error_count(r->error) ? ritt_error_get(r->error, 0)->text : "nothing was said";
}

/* All rows are numbers. */
static int finite_rows(const run *r) {
  for (size_t i = 0; i < r->rows * r->width; i++)
    if (!isfinite(r->row[i])) return 0;
  return 1;
}

static int cases;

/* status, a part of the sentence (NULL: none), where the run ended (NaN: wherever), to within
 * `near` */
static void expect(const run *r, const char *what, ritt_status status, const char *text, double at,
                   double near) {
  int good = r->status == status && finite_rows(r);
  if (status != RITT_OK) good = good && text && strstr(said(r), text);
  if (at == at) good = good && fabs(r->statistics.x - at) <= near;
  CHECK(good);
  if (!good)
    printf("  %s: %s at %.17g after %zu rows: %s\n", what, ritt_status_text(r->status),
           r->statistics.x, r->rows, said(r));
  cases++;
}

/* One variable x with x' = `rate`, from x = `start` at t = 0 to `end`. */
static run *ode(const char *rate, const char *start, const char *end) {
  char text[400];
  snprintf(text, sizeof text,
           "model m\nvariable x\nequation x' = %s\nstart x = %s\nsolve t = 0 .. %s\n", rate, start,
           end);
  return run_text(text);
}

/* ---- functions that end, poles, blow-ups ---- */

static void check_ends(void) {
  static const char *const methods[] = {"dopri54", "dop853", "rk4", "radau5", "gauss4", "taylor:8"};
  /* everything ends at t = 1 or t = -1 */
  static const struct {
    const char *rate, *start, *end, *text;
    double at, near;
  } table[] = {
      {"sqrt(1 - t)", "0", "2", "near t = ", 1, 1e-8},
      {"log(1 - t)", "0", "2", "near t = ", 1, 1e-8},
      {"asin(t)", "0", "2", "asin(t) (line 3) has no value near t = ", 1, 1e-8},
      {"acos(t)", "0", "-3", "acos(t) (line 3) has no value near t = ", -1, 1e-8},
      {"(1 - t)^1.5", "0", "2", "near t = ", 1, 1e-8},
      {"1/(1 - t)", "0", "2", "near t = ", 1, 1e-8},
      {"1/(1 - t)^2", "0", "2", "near t = ", 1, 1e-6},
      {"tan(t*pi/2)", "0", "2", "near t = ", 1, 1e-8},
      {"exp(1/(1 - t))", "0", "2", "near t = ", 1, 1e-2},
      {"-1 - sqrt(x)", "1", "3", "sqrt(x) (line 3) has no value near t = ", 0.61370563888010938,
       1e-6}, /* 2 - 2 log 2 */
      {"x^2", "1", "2", "the tolerance asks for steps below ", 1, 2e-5},
      {"x^2", "-1", "-2", "the tolerance asks for steps below ", -1, 2e-5},
      {"exp(x)", "0", "2", "near t = ", 1, 1e-6},
      {"1 + x^2", "0", "2", "the tolerance asks for steps below ", 1.5707963267948966, 2e-5},
      {"x", "1e300", "100", "near t = ", 19.007184957886484, 2}, /* log(2^1024 / 1e300) */
      {"exp(exp(exp(t)))", "0", "9", "near t = ", 1.8818, 1e-3},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
      run *r = ode(table[i].rate, table[i].start, table[i].end);
      ritt_options o = run_options(methods[m], 1e-8, NAN);
      char what[200];
      snprintf(what, sizeof what, "x' = %s by %s", table[i].rate, methods[m]);
      run_try(r, &o);
      expect(r, what, RITT_STOPPED, table[i].text, table[i].at, table[i].near);
      run_free(r);
    }
}

/* Events whose function ends at t = sqrt(2), where the stone is on the ground, and at t = 1 */
static void check_events(void) {
  static const struct {
    const char *event, *text;
    double at;
  } table[] = {
      {"event hit: log(x) = -1000 -> stop", "the event 'hit' has no value just beyond",
       1.4142135623730951},
      {"event hit: sqrt(x - 0.5) = -1 -> record", "the event 'hit' has no value just beyond", 1},
      {"section log(x - 0.5) = 3", "has no value just beyond", 1},
      {"event hit: x = 0.5 falling -> v := sqrt(-x)",
       "the jump of event 'hit' at t = 1 leads to no point", 1}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    char text[300];
    snprintf(
        text, sizeof text,
        "model m\nvariable x, v\nequation\n  x' = v\n  v' = -1\nstart x = 1, v = 0\nsolve t = 0 .. 3\n%s\n",
        table[i].event);
    run *r = run_text(text);
    run_try(r, NULL);
    expect(r, table[i].event, RITT_STOPPED, table[i].text, table[i].at, 1e-6);
    run_free(r);
  }
}

/* Steps of equal length go over a pole only where no function says so, and never give a row that is
 * no number. */
static void check_constant_steps(void) {
  static const double steps[] = {0.1, 0.01, 0.07};
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    run *r = ode("x^2", "1", "2");
    ritt_options o = run_options("dopri54", 0, NAN);
    o.constant_step = steps[i];
    run_try(r, &o);
    expect(r, "x^2 with equal steps", RITT_STOPPED, "x^2 (line 3) has no value near t = 1.", NAN,
           0);
    run_free(r);
    r = ode("-1 - sqrt(x)", "1", "3");
    run_try(r, &o);
    expect(r, "sqrt(x) with equal steps", RITT_STOPPED, "sqrt(x) (line 3) has no value near t = 0.",
           0.6137, 1.1 * steps[i]);
    run_free(r);
  }
}

/* ---- settings ---- */

static const char pendulum[] =
    "model p\nvariable x, y, lambda\nequation\n  x'' + lambda*x = 0\n  y'' + lambda*y + 1 = 0\n"
    "  x^2 + y^2 = 1\nstart x = 1, y = 0, x' ~ 0, y' ~ 0\nsolve t = 0 .. 1\n";

static void check_settings(void) {
  const double denormal = 4.9406564584124654e-324;
  const struct {
    const char *name; /* of the option */
    double value;
    ritt_status status;
    const char *text;
    double at;
  } table[] = {
      {"tolerance", -1, RITT_WRONG_CALL, "tolerance", NAN},
      {"tolerance", NAN, RITT_WRONG_CALL, "tolerance", NAN},
      {"tolerance", INFINITY, RITT_WRONG_CALL, "tolerance", NAN},
      {"tolerance", 1e300, RITT_WRONG_CALL, "the tolerance 1e+300 is too large", NAN},
      {"tolerance", 1e-16, RITT_WRONG_CALL, "the tolerance 1e-16 is finer than the numbers", NAN},
      {"tolerance", 1e-300, RITT_WRONG_CALL, "the tolerance 1e-300 is finer than the numbers", NAN},
      {"tolerance", denormal, RITT_WRONG_CALL, "is finer than the numbers", NAN},
      {"tolerance", 1, RITT_OK, NULL, 1},
      {"tolerance", 1e-15, RITT_OK, NULL, 1},
      {"absolute", -1, RITT_WRONG_CALL, "absolute", NAN},
      {"absolute", NAN, RITT_WRONG_CALL, "absolute", NAN},
      {"to", INFINITY, RITT_WRONG_CALL, "end", NAN},
      {"to", -INFINITY, RITT_WRONG_CALL, "end", NAN},
      {"to", 0, RITT_OK, NULL, 0},
      {"to", -1, RITT_OK, NULL, -1},
      {"to", denormal, RITT_OK, NULL, denormal},
      {"to", -1e-300, RITT_OK, NULL, -1e-300},
      {"to", 1e308, RITT_STOPPED, "is too small for a run of length 1.0e+308", 0},
      {"constant_step", -0.1, RITT_WRONG_CALL, "step", NAN},
      {"constant_step", NAN, RITT_WRONG_CALL, "step", NAN},
      {"constant_step", INFINITY, RITT_WRONG_CALL, "step", NAN},
      {"constant_step", denormal, RITT_STOPPED, "t is hardly changed by a step of 4.9e-324", 0},
      {"constant_step", 1e300, RITT_OK, NULL, 1},
      {"first_step", -1, RITT_WRONG_CALL, "step", NAN},
      {"first_step", NAN, RITT_WRONG_CALL, "step", NAN},
      {"first_step", 1e300, RITT_OK, NULL, 1},
      {"first_step", denormal, RITT_STOPPED, "is too small for a run of length 1.0e+00", 0},
      {"row_step", -1, RITT_WRONG_CALL, "", NAN},
      {"row_step", NAN, RITT_WRONG_CALL, "", NAN},
      {"row_step", denormal, RITT_WRONG_CALL, "", NAN},
      {"row_step", 1e300, RITT_OK, NULL, 1},
      {"points", -1, RITT_WRONG_CALL, "rows", NAN},
      {"points", 1, RITT_WRONG_CALL, "rows", NAN},
      {"every", -1, RITT_WRONG_CALL, "", NAN},
      {"max_steps", -1, RITT_WRONG_CALL, "", NAN},
      {"max_steps", 1, RITT_STOPPED, "the limit of 1 steps is reached before 1", NAN},
      {"fac", NAN, RITT_WRONG_CALL, "fac", NAN},
      {"fac", -1, RITT_WRONG_CALL, "fac", NAN},
      {"facmin", INFINITY, RITT_WRONG_CALL, "fac", NAN},
      {"facmax", 1e-300, RITT_WRONG_CALL, "fac", NAN},
  };
  run *r = run_text(pendulum);
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    ritt_options o = ritt_options_default();
    const char *name = table[i].name;
    double value = table[i].value;
    char what[80];
    snprintf(what, sizeof what, "%s = %g", name, value);
    if (!strcmp(name, "tolerance")) o.tolerance = value;
    else if (!strcmp(name, "absolute")) o.absolute = value;
    else if (!strcmp(name, "to")) o.to = value;
    else if (!strcmp(name, "constant_step")) o.constant_step = value;
    else if (!strcmp(name, "first_step")) o.first_step = value;
    else if (!strcmp(name, "row_step")) o.row_step = value;
    else if (!strcmp(name, "points")) o.points = (long)value;
    else if (!strcmp(name, "every")) o.every = (long)value;
    else if (!strcmp(name, "max_steps")) o.max_steps = (long)value;
    else if (!strcmp(name, "fac")) o.fac = value;
    else if (!strcmp(name, "facmin")) o.facmin = value;
    else o.facmax = value;
    run_try(r, &o);
    expect(r, what, table[i].status, table[i].text, table[i].at, 0);
    if (table[i].status == RITT_WRONG_CALL) CHECK(r->rows == 0);
    /* the pendulum's energy (x'^2 + y'^2)/2 + y is 0, and y = -t^2/2 for small t */
    if (r->status == RITT_OK)
      CHECK_NEAR(run_last(r, "x") * run_last(r, "x") + run_last(r, "y") * run_last(r, "y"), 1,
                 1e-12);
    if (r->status == RITT_OK && fabs(o.to) < 1e-200) CHECK_NEAR(run_last(r, "y"), 0, 0);
  }
  run_free(r);
}

/* ---- starts and singular positions ---- */

#define CIRCLE                                                                                               \
  "model m\nvariable x, y, lambda\nequation\n  x'' + lambda*x = 0\n  y'' + lambda*y + 1 = 0\n  x^2 + y^2 = " \
  "1\n"

static void check_starts(void) {
  static const struct {
    const char *text;
    ritt_status status;
    const char *said;
    double at, near;
  } table[] = {
      /* far away */
      {CIRCLE "start x ~ 1e6, y ~ 1, x' ~ 0, y' ~ 0\nsolve t = 0 .. 1\n", RITT_OK, NULL, 1, 0},
      {CIRCLE "start x ~ -1e6, y ~ 1e6, x' ~ 1e3, y' ~ 1e3\nsolve t = 0 .. 1e-6\n", RITT_OK, NULL,
       1e-6, 0},
      {CIRCLE "start x ~ 1e6, y ~ 1e6, x' ~ 1e6, y' ~ 1e6\nsolve t = 0 .. 1e-6\n", RITT_OK, NULL,
       1e-6, 0},
      {CIRCLE "start x ~ 1e-320, y ~ 0, x' ~ 0, y' ~ 0\nsolve t = 0 .. 1\n", RITT_OK, NULL, 1, 0},
      {CIRCLE "start x = 1e6, y = 0, x' ~ 0, y' ~ 0\nsolve t = 0 .. 1\n", RITT_WRONG_MODEL,
       "x = 1e6 and y = 0 are both fixed, but x^2 + y^2 = 1 (line 6) leaves 1e+12", NAN, 0},
      {CIRCLE "start x ~ 1e200, y ~ 1e200, x' ~ 0, y' ~ 0\nsolve t = 0 .. 1\n", RITT_WRONG_MODEL,
       "x^2 has no value at the start point", NAN, 0},
      {"model m\nvariable x\nequation x' = exp(1000*x)\nstart x = 1\nsolve t = 0 .. 1\n",
       RITT_WRONG_MODEL, "exp(1000*x) has no value at the start point", NAN, 0},
      {"model m\nvariable x\nequation x' = 1e308*x + 1e308\nstart x = 1e5\nsolve t = 0 .. 1\n",
       RITT_WRONG_MODEL, "an equation has no value at the start point", NAN, 0},
      /* log(t) */
      {"model m\nvariable x\nequation x' = 1/t\nstart x = 1\nsolve t = 0 .. 1\n", RITT_IMPOSSIBLE,
       "no smooth solution with these start values begins there", NAN, 0},
      {"model m\nvariable x\nequation x' = sqrt(x) + log(t)\nstart x = -1\nsolve t = 0 .. 1\n",
       RITT_WRONG_MODEL, "has no value at the start point", NAN, 0},
      /* singular: x = c*t for every c */
      {"model m\nvariable x\nequation t*x' = x\nstart x = 0\nsolve t = 0 .. 1\n", RITT_IMPOSSIBLE,
       "the start is a singular point, and more than one smooth solution begins there: x' is not "
       "determined",
       NAN, 0},
      {"model m\nvariable x, y, l\nequation\n  x'' = l*x\n  y'' = l*y\n  x^2 + y^2 = 0\n"
       "start x = 0, y = 0, x' = 0, y' = 0\nsolve t = 0 .. 1\n",
       RITT_IMPOSSIBLE,
       "the start is a singular point: the equations have rank 2 there, but 5 at points near it",
       NAN, 0},
      {"model m\nvariable x\nequation x*x' = 1\nstart x = 0\nsolve t = 0 .. 1\n", RITT_WRONG_MODEL,
       "x = 0 is fixed, but x*x' = 1 (line 3) leaves -1", NAN, 0},
      /* singular positions on the way: a fold, the tip of the cone x^2 + y^2 = (1-t)^2 (passed: it
       * has a direction there), that of the paraboloid x^2 + y^2 = 1-t (none), a joint of two bars
       * that folds */
      {"model m\nvariable x\nequation x*x' = -1\nstart x = 1\nsolve t = 0 .. 1\n", RITT_STOPPED,
       "a fold", 0.5, 1e-6},
      {"model m\nvariable x, y\nequation\n  x^2 + y^2 = (1 - t)^2\n  x*y' - y*x' = 0\nstart x = 0.6, y = "
       "0.8\n"
       "solve t = 0 .. 2\n",
       RITT_OK, NULL, 2, 0},
      {"model m\nvariable x, y\nequation\n  x^2 + y^2 = 1 - t\n  x*y' - y*x' = 0\nstart x = 0.6, y = 0.8\n"
       "solve t = 0 .. 2\n",
       RITT_STOPPED, "the run stopped at t = 1, arc length ", 1, 1e-6},
      /* two circles that come apart at t = 1: no point satisfies both from then on */
      {"model m\nvariable x, y\nequation\n  x^2 + y^2 = 1\n  (x - 1 - t)^2 + y^2 = 1\nstart y ~ 0.8\nsolve t "
       "= 0 .. 2\n",
       RITT_STOPPED, "the run stopped at ", 1, 1e-3},
      /* denormal numbers are numbers */
      {"model m\nvariable x\nequation x' = x\nstart x = 1e-290\nsolve t = 0 .. -60\n", RITT_OK,
       NULL, -60, 0},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    run *r = run_text(table[i].text);
    ritt_options o = ritt_options_default();
    run_try(r, &o);
    expect(r, table[i].text, table[i].status, table[i].said, table[i].at, table[i].near);
    if (r->status == RITT_OK && strstr(table[i].text, "lambda")) {
      double x = run_get(r, 0, "x"), y = run_get(r, 0, "y"), u = run_get(r, 0, "x'"),
             v = run_get(r, 0, "y'");
      CHECK_NEAR(x * x + y * y, 1, 1e-12);
      CHECK_NEAR((x * u + y * v) / fmax(1, hypot(u, v)), 0, 1e-12);
    }
    run_free(r);
  }
  /* the nearest point of the circle */
  run *r = run_text(CIRCLE "start x ~ 1e6, y ~ 1, x' ~ 0, y' ~ 0\nsolve t = 0 .. 1\n");
  run_go(r, NULL);
  CHECK_NEAR(run_get(r, 0, "y"), 1e-6 / sqrt(1 + 1e-12), 1e-15);
  run_free(r);
}

int main(void) {
  check_starts();
  check_ends();
  check_events();
  check_constant_steps();
  check_settings();
  printf("%d cases of bad numbers\n", cases);
  return CHECKS_DONE();
}
