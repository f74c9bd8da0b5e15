/* Method auto: an explicit method chosen by the tolerance, and an implicit one from where the
 * system is stiff. */
#include "run.h"

static ritt_statistics go(run *r, double tolerance, long points) {
  ritt_options o = ritt_options_default();
  o.method = "auto", o.tolerance = tolerance, o.points = points;
  CHECK(run_go(r, &o));
  return r->statistics;
}

static void check_orders(void) {
  static const struct {
    double tolerance;
    const char *method;
  } cases[] = {{1e-3, "dopri54"}, {1e-6, "dopri54"}, {1e-8, "dop853"}, {1e-13, "vern98"}};
  run *r = run_file("classics/kepler", NULL);
  for (size_t i = 0; i < 4; i++) {
    ritt_statistics s = go(r, cases[i].tolerance, 0);
    CHECK_TEXT(s.automatic, cases[i].method);
    CHECK_TEXT(s.method, cases[i].method);
    CHECK(s.turned != s.turned && !s.stiff);
  }
  ritt_options o = ritt_options_default();
  CHECK(run_go(r, &o) && r->statistics.automatic == NULL);
  run_free(r);
}

/* y = cos t + exp(-L t) for a stiff L, an oscillator of 6 units beside it, an invariant and an
 * event: rows, events and the value of the invariant are those of the closed form, on both sides of
 * the turn. */
static const char mixed[] =
    "model mixed\nparameter L = 1e4\nvariable y, u\nequation\n  y' = -L*(y - cos(t)) - sin(t)\n"
    "  u'' = -u\ninvariant E: (u^2 + u'^2)/2\nstart t = 0\n  y = 2, u = 0.6, u' = 0.8\n"
    "event low: u = 0 falling -> record\nsolve t = 0 .. 20\noutput y, u, u'\n";

static ritt_status count_event(void *user, const ritt_event *event) {
  long *count = user;
  CHECK_TEXT(event->name, "low");
  ++*count;
  return RITT_OK;
}

static void check_mixed(void) {
  run *r = run_text(mixed);
  ritt_options o = ritt_options_default();
  long events = 0;
  o.method = "auto", o.tolerance = 1e-8, o.points = 201, o.event = count_event,
  o.event_user = &events;
  CHECK(run_go(r, &o));
  CHECK_TEXT(r->statistics.automatic, "dop853");
  CHECK_TEXT(r->statistics.method, "radau5");
  CHECK(r->statistics.turned > 0 && r->statistics.turned < 1 && r->statistics.accepted < 2000);
  CHECK(r->rows == 201 &&
        events == 3); /* sin(t + asin 0.6) falls through 0 at pi - 0.64, and so on */
  for (size_t i = 0; i < r->rows; i++) {
    double t = run_get(r, i, "t"), u = run_get(r, i, "u"), v = run_get(r, i, "u'");
    CHECK_NEAR(t, 0.1 * (double)i, 1e-13);
    CHECK_NEAR(run_get(r, i, "y"), cos(t) + exp(-1e4 * t), 1e-6);
    CHECK_NEAR(u, sin(t + asin(0.6)), 1e-5);
    CHECK_NEAR((u * u + v * v) / 2, 0.5, 1e-14);
  }
  run_free(r);
}

/* The same with few digits. */
static void check_loose(void) {
  run *r = run_text(mixed);
  ritt_options o = ritt_options_default();
  long events = 0;
  o.method = "auto", o.tolerance = 1e-4, o.points = 201, o.event = count_event;
  o.event_user = &events;
  CHECK(run_go(r, &o));
  CHECK_TEXT(r->statistics.method, "rodas5p");
  CHECK(r->statistics.turned > 0 && r->statistics.turned < 1 && r->statistics.accepted < 500);
  CHECK(r->statistics.stage_iterations == 0 && r->statistics.stage_jacobians > 0);
  CHECK(r->rows == 201 && events == 3);
  for (size_t i = 0; i < r->rows; i++) {
    double t = run_get(r, i, "t"), u = run_get(r, i, "u"), v = run_get(r, i, "u'");
    CHECK_NEAR(run_get(r, i, "y"), cos(t) + exp(-1e4 * t), 5e-3);
    CHECK_NEAR(u, sin(t + asin(0.6)), 1e-2);
    CHECK_NEAR((u * u + v * v) / 2, 0.5, 1e-14);
  }
  /* not for w that is to be found together with z, nor for projected stages */
  o.project = "stages";
  CHECK(run_go(r, &o));
  CHECK_TEXT(r->statistics.method, "radau5");
  run_free(r);
}

/* Errors in the stiff direction limit the explicit steps before stability does. The solution is
 * (L^2 cos t + L sin t - L^2 exp(-L t)) / (L^2 + 1). */
static void check_forced(void) {
  static const char text[] = "model forced\nvariable y\nequation y' = -1000*(y - cos(t))\n"
                             "start t = 0\n  y = 0\nsolve t = 0 .. 10\noutput y\n";
  run *r = run_text(text);
  double L = 1000, exact = (L * L * cos(10) + L * sin(10)) / (L * L + 1);
  for (double tolerance = 1e-4; tolerance > 3e-9; tolerance /= 10) {
    ritt_statistics s = go(r, tolerance, 0);
    CHECK_TEXT(s.method, tolerance > 3e-5 ? "rodas5p" : "radau5");
    CHECK(s.method_changes == 1 && s.turned < 0.5 && s.accepted < 200);
    CHECK_NEAR(run_get(r, r->rows - 1, "y"), exact, 10 * tolerance);
  }
  ritt_options o = ritt_options_default();
  o.method = "dopri54", o.tolerance = 1e-8;
  CHECK(run_go(r, &o) && r->statistics.stiff);
  run_free(r);
}

/* If no method is named, Robertson's problem takes hundreds of steps, not millions, and the
 * amounts add up to 1. A method that the model names is kept. */
static void check_default(void) {
  static const char text[] =
      "model robertson\nvariable a, b, c\nequation\n  a' = -0.04*a + 1e4*b*c\n"
      "  b' = 0.04*a - 1e4*b*c - 3e7*b^2\n  c' = 3e7*b^2\nstart t = 0\n  a = 1, b = 0, c = 0\n"
      "solve t = 0 .. 4e3\n%s\noutput a, b, c\n";
  char model[400];
  snprintf(model, sizeof model, text, "");
  run *r = run_text(model);
  CHECK(run_go(r, NULL));
  CHECK_TEXT(r->statistics.automatic, "dop853");
  CHECK_TEXT(r->statistics.method, "radau5");
  CHECK(r->statistics.turned < 1 && r->statistics.accepted < 1000);
  CHECK_NEAR(run_last(r, "a") + run_last(r, "b") + run_last(r, "c"), 1, 1e-12);
  /* all of b is quasi-stationary by then: 3e7 b^2 + 1e4 b c = 0.04 a up to b' */
  double b = run_last(r, "b");
  CHECK_NEAR(3e7 * b * b + 1e4 * b * run_last(r, "c"), 0.04 * run_last(r, "a"), 1e-6);
  run_free(r);

  snprintf(model, sizeof model, text, "  method radau9");
  r = run_text(model);
  CHECK(run_go(r, NULL) && r->statistics.automatic == NULL);
  CHECK_TEXT(r->statistics.method, "radau9");
  run_free(r);
}

/* The stiffness decays: y = cos t at a rate of 10^4 exp(-t), u = cos 5t. An explicit method takes
 * over again; saved in any step, the run goes on with the same bits. */
static const char fading[] =
    "model fading\nvariable y, u\nequation\n  y' = -1e4*exp(-t)*(y - cos(t)) - sin(t)\n"
    "  u'' = -25*u\nstart t = 0\n  y = 1, u = 1, u' = 0\nsolve t = 0 .. 60\noutput y, u\n";

static void check_return(void) {
  run *r = run_text(fading);
  ritt_statistics s = go(r, 1e-8, 0);
  CHECK_TEXT(s.method, "dop853");
  CHECK(s.method_changes == 2 && s.turned < 1 && s.returned > 5 && s.returned < 30);
  CHECK_NEAR(run_get(r, r->rows - 1, "y"), cos(60), 1e-6);
  CHECK_NEAR(run_get(r, r->rows - 1, "u"), cos(300), 1e-6);
  run_free(r);
}

/* Takes steps; before every tenth one the state goes to another solver, which continues. */
static void check_saved(void) {
  run *r = run_text(fading);
  ritt_options o = ritt_options_default();
  o.method = "auto", o.tolerance = 1e-6;
  ritt_solver *S = NULL, *other = NULL;
  static unsigned char bytes[1 << 20];
  CHECK(ritt_solver_from_model(r->model, &o, r->error, &S) == RITT_OK);
  CHECK(ritt_solver_from_model(r->model, &o, r->error, &other) == RITT_OK);
  for (int i = 0; i < 4000; i++) {
    ritt_point p, q;
    size_t size = 0;
    if (i % 10 == 0) {
      CHECK(ritt_solver_save(S, bytes, sizeof bytes, &size, r->error) == RITT_OK);
      CHECK(ritt_solver_load(other, bytes, size, r->error) == RITT_OK);
    }
    CHECK(ritt_solver_step(S, 60, r->error) == RITT_OK);
    CHECK(ritt_solver_step(other, 60, r->error) == RITT_OK);
    CHECK(ritt_solver_point(S, &p, r->error) == RITT_OK);
    CHECK(ritt_solver_point(other, &q, r->error) == RITT_OK);
    CHECK(p.s == q.s && !memcmp(p.z, q.z, 4 * sizeof *p.z));
    if (p.s == 60) break;
  }
  ritt_statistics s;
  ritt_solver_statistics(other, &s);
  CHECK(s.method_changes == 2 && s.x == 60);
  ritt_solver_free(S);
  ritt_solver_free(other);
  run_free(r);
}

/* The cost of a stiff run is that of the implicit method, not of the explicit one. */
static void check_cost(const char *model) {
  run *r = run_file(model, NULL);
  ritt_options o = ritt_options_default();
  o.method = "radau5", o.tolerance = 1e-6;
  CHECK(run_go(r, &o));
  long implicit = r->statistics.evaluations;
  ritt_statistics s = go(r, 1e-6, 0);
  CHECK(s.turned == s.turned && s.evaluations < 2 * implicit + 3000);
  CHECK_TEXT(s.method, "radau5");
  run_free(r);
}

/* Step by step, too; and values between the ends of the last step are there at every step. */
static void check_steps(void) {
  run *r = run_file("classics/robertson", NULL);
  ritt_options o = ritt_options_default();
  ritt_solver *S = NULL;
  double values[8];
  o.method = "auto", o.tolerance = 1e-7;
  CHECK(ritt_solver_from_model(r->model, &o, r->error, &S) == RITT_OK);
  for (int i = 0; i < 200; i++) {
    ritt_point p;
    CHECK(ritt_solver_step(S, 4, r->error) == RITT_OK &&
          ritt_solver_point(S, &p, r->error) == RITT_OK);
    double middle = (ritt_solver_before(S) + p.s) / 2;
    CHECK(ritt_solver_values(S, middle, values, r->error) == RITT_OK);
    if (p.s == 4) break;
  }
  ritt_statistics s;
  ritt_solver_statistics(S, &s);
  CHECK(s.turned == s.turned && s.x == 4);
  ritt_solver_free(S);
  run_free(r);
}

/* Robertson's reaction as one types it: the end is the reference of the test set
 * for IVP solvers at t = 1e11. */
static const char robertson[] =
    "model typed\nvariable x, y, z\nequation\n  x' = -0.04*x + 1e4*y*z\n"
    "  y' = 0.04*x - 1e4*y*z - 3e7*y^2\n  z' = 3e7*y^2\nstart t = 0\n  x = 1, y = 0, z = 0\n"
    "solve t = 0 .. 1e11\noutput x, y, z\n";

static void check_typed(void) {
  run *r = run_text(robertson);
  ritt_options o = ritt_options_default();
  o.method = "auto";
  CHECK(run_go(r, &o));
  CHECK_TEXT(r->statistics.automatic, "dop853");
  CHECK_TEXT(r->statistics.method, "radau5");
  CHECK(r->statistics.turned < 1 && r->statistics.accepted < 1000);
  CHECK_NEAR(run_get(r, r->rows - 1, "x"), 0.2083340149701255e-7, 1e-8);
  CHECK_NEAR(run_get(r, r->rows - 1, "z"), 0.9999999791665050, 1e-6);
  run_free(r);

  /* constant steps, and a control that is asked for, have one method */
  r = run_text("model oscillator\nvariable u\nequation u'' = -u\nstart t = 0\n  u = 1, u' = 0\n"
               "solve t = 0 .. 10\noutput u\n");
  o.constant_step = 0.01, o.to = 0.1;
  CHECK(run_go(r, &o) && r->statistics.automatic == NULL);
  CHECK_TEXT(r->statistics.method, "dopri54");
  o.constant_step = 0, o.control = "papers";
  CHECK(run_go(r, &o) && r->statistics.automatic == NULL);
  CHECK_TEXT(r->statistics.method, "dopri54");
  o.control = NULL;
  CHECK(run_go(r, &o));
  CHECK_TEXT(r->statistics.automatic, "dop853");
  run_free(r);
}

/* y' = -1000 (y - cos x) given by a function: the implicit method takes its derivatives as
 * differences. */
static ritt_status forced_formula(void *user_data, const double *z, double *top) {
  (void)user_data;
  top[0] = -1000 * (z[1] - cos(z[0]));
  return RITT_OK;
}

static void check_functions(void) {
  static const char *const names[] = {"y"};
  const ritt_definition definition = {.kind = RITT_EXPLICIT,
                                      .unknowns = 1,
                                      .formula = forced_formula,
                                      .independent = "x",
                                      .names = names};
  const double z[] = {0, 0};
  double L = 1000, exact = (L * L * cos(10) + L * sin(10)) / (L * L + 1);
  ritt_error *error = ritt_error_new();
  ritt_problem *problem = NULL;
  ritt_solver *S = NULL;
  ritt_point p;
  ritt_statistics s;
  CHECK(ritt_problem_new(&definition, error, &problem) == RITT_OK);
  ritt_options o = ritt_options_default();
  o.method = "auto";
  CHECK(ritt_solver_from_problem(problem, z, &o, error, &S) == RITT_OK);
  CHECK(ritt_solver_run_to(S, 10, error) == RITT_OK);
  CHECK(ritt_solver_point(S, &p, error) == RITT_OK);
  CHECK_NEAR(p.z[1], exact, 1e-6);
  ritt_solver_statistics(S, &s);
  CHECK_TEXT(s.method, "radau5");
  CHECK(s.turned < 0.5 && s.accepted < 200);
  ritt_solver_free(S);
  ritt_problem_free(problem);
  ritt_error_free(error);
}

int main(void) {
  check_orders();
  check_default();
  check_typed();
  check_functions();
  check_mixed();
  check_loose();
  check_cost("ivp/hires");
  check_cost("ivp/oregonator");
  check_cost("ivp/van_der_pol_stiff");
  check_steps();
  check_forced();
  check_return();
  check_saved();
  return CHECKS_DONE();
}
