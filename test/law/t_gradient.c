/* Gradients by the adjoint of the steps. They must equal the tangents along the same steps to rounding,
 * and closed forms within the tolerance of the run. */
#include "run.h"

static const char pendulum[] =
    "model m\nparameter g = 1, L = 2\nvariable x, y, lambda\nequation\n  x'' + lambda*x = 0\n"
    "  y'' + lambda*y + g = 0\n  x^2 + y^2 = L^2\n"
    "start t = 0\n  x = L/2, y ~ -1, x' = 0.3\nsolve t = 0 .. 4\noutput x, y, lambda\n";

/* index 2, with the parameter and the time in the constraint */
static const char guided[] =
    "model m\nparameter p = 0.7\nvariable x, y, u\nequation\n  x' = y + u\n  y' = -x*y + u^2*p\n"
    "  x = sin(p*t) + p\nstart t = 0\n  y = p^2\nsolve t = 0 .. 2\noutput x, y, u\n";

/* implicit kind */
static const char diode[] =
    "model m\nparameter R = 100, C = 1e-3, I = 1e-6, T = 0.05, f = 5\nvariable v, w, i\nequation\n"
    "  C*v' = i - v/1000\n  R*i = sin(2*pi*f*t) - v - w\n  i = I*(exp(w/T) - 1)\n"
    "start t = 0\n  v = 0.2\nsolve t = 0 .. 0.5\noutput v, i\n";

/* the energy keeps the value that it has at the start, and that depends on the parameters */
static const char levels[] =
    "model m\nparameter k = 2, c = 0.3\nvariable x\nequation x'' = -k*x - c*x^3\n"
    "invariant x'^2/2 + k*x^2/2 + c*x^4/4\n"
    "start t = 0\n  x = 1 + c, x' = 0.5\nsolve t = 0 .. 3\noutput x, x'\n";

static ritt_adjoint *make_adjoint(run *r, const char *const *by, size_t count, const double *places,
                                  size_t rows, const ritt_options *o) {
  ritt_adjoint *a = NULL;
  r->status = ritt_model_adjoint(r->model, by, count, places, rows, o, r->error, &a);
  if (r->status != RITT_OK) run_complain(r, "adjoint");
  return a;
}

/* Compares the gradient of every column at the end with the tangents along the same steps. */
static void compare(const char *text, const char *const *by, size_t count, const char *method,
                    double tolerance, double end) {
  enum { MOST = 64 };
  run *r = run_text(text);
  ritt_solver *solver = NULL;
  ritt_options o = run_options(method, tolerance, end);
  double forward[MOST] = {0}, gradient[MOST], weight[MOST] = {0};
  const char *const *names;
  size_t columns = 0;
  CHECK(ritt_model_sensitivity(r->model, by, count, r->error) == RITT_OK);
  r->status = ritt_solver_from_model(r->model, &o, r->error, &solver);
  if (r->status == RITT_OK) r->status = ritt_solver_run_to(solver, end, r->error);
  if (r->status != RITT_OK) run_complain(r, "forward");
  else {
    ritt_solver_columns(solver, &names, &columns);
    CHECK(columns <= MOST && ritt_solver_values(solver, end, forward, r->error) == RITT_OK);
  }
  ritt_solver_free(solver);

  ritt_adjoint *a = make_adjoint(r, by, count, &end, 1, &o);
  bool some = false;
  CHECK(a && a->rows == 1 && a->quantities == count && a->steps > 3);
  for (size_t c = 0; a && c < a->columns; c++) {
    weight[c] = 1;
    CHECK(ritt_adjoint_gradient(a, weight, gradient, r->error) == RITT_OK);
    weight[c] = 0;
    CHECK(forward[1 + c] == a->values[c]);
    for (size_t p = 0; p < count; p++) {
      double value = forward[1 + a->columns * (1 + p) + c];
      double error = fabs(gradient[p] - value) / (1 + fabs(value));
      if (!(error <= 1e-11))
        printf("d(%s)/d(%s) = %.17g, adjoint %.17g\n", a->column_names[c], by[p], value,
               gradient[p]);
      CHECK(error <= 1e-11);
      some = some || fabs(value) > 0.01;
    }
  }

  CHECK(some);

  /* the run does not outlive a change of its model */
  CHECK(ritt_model_sensitivity(r->model, NULL, 0, r->error) == RITT_OK);
  if (a) CHECK(ritt_adjoint_gradient(a, weight, gradient, r->error) == RITT_WRONG_CALL);
  ritt_adjoint_free(a);
  run_free(r);
}

static void test_same_steps(void) {
  static const char *const swing[] = {"g", "L", "x'"}, *const p[] = {"p", "y"},
                           *const d[] = {"R", "C", "I", "T", "f", "v"},
                           *const k[] = {"k", "c", "x", "x'"};
  compare(pendulum, swing, 3, "dopri54", 1e-6, 4);
  compare(pendulum, swing, 3, "dop853", 1e-9, 4);
  compare(guided, p, 2, "dopri54", 1e-6, 2);
  compare(diode, d, 6, "dopri54", 1e-6, 0.45);
  compare(levels, k, 4, "vern98", 1e-8, 3);
}

/* x = x0 cos(w t) + (v0/w) sin(w t) at two places, and the integral of x^2 as a variable */
static void test_oscillator(void) {
  run *r = run_text("model m\nparameter w = 1.5\nvariable x, q\nequation\n  x'' = -w^2*x\n"
                    "  q' = x^2\nstart t = 0\n  x = 1, x' = 0.5, q = 0\nsolve t = 0 .. 2\n"
                    "output x, q\n");
  static const char *const by[] = {"x", "x'", "w"};
  static const double places[] = {0.75, 2};
  ritt_options o = run_options("vern98", 1e-13, 2);
  ritt_adjoint *a = make_adjoint(r, by, 3, places, 2, &o);
  double gradient[3], w = 1.5;
  static const double weights[] = {2, 0, -3, 0}, integral[] = {0, 0, 0, 1};
  if (a) {
    double expected[3] = {0}, t;
    CHECK(ritt_adjoint_gradient(a, weights, gradient, r->error) == RITT_OK);
    for (int i = 0; i < 2; i++) {
      t = places[i];
      double factor = weights[2 * i];
      expected[0] += factor * cos(w * t);
      expected[1] += factor * sin(w * t) / w;
      expected[2] +=
          factor * (-t * sin(w * t) - 0.5 / (w * w) * sin(w * t) + 0.5 / w * t * cos(w * t));
    }
    for (int i = 0; i < 3; i++) CHECK_NEAR(gradient[i], expected[i], 1e-11);

    /* d/dx0 of the integral of x^2: the integral of 2 x cos(w t) */
    CHECK(ritt_adjoint_gradient(a, integral, gradient, r->error) == RITT_OK);
    t = 2;
    CHECK_NEAR(gradient[0], t + sin(2 * w * t) / (2 * w) + 0.5 / w * (1 - cos(2 * w * t)) / (2 * w),
               1e-11);
  }
  ritt_adjoint_free(a);
  run_free(r);
}

/* More steps than checkpoints: points are computed again on the way back. */
static void test_checkpoints(void) {
  run *r = run_text(pendulum);
  static const char *const by[] = {"g", "L"};
  static const double weight[] = {1, 0, 0};
  double gradient[2][2], end = 4;
  for (int i = 0; i < 2; i++) {
    ritt_options o = run_options("dopri54", 0, end);
    o.constant_step = i ? 1.0 / 5000 : 1.0 / 1000; /* 20000 steps, 4000 steps */
    ritt_adjoint *a = make_adjoint(r, by, 2, &end, 1, &o);
    CHECK(a && a->steps == (i ? 20000 : 4000));
    if (a) CHECK(ritt_adjoint_gradient(a, weight, gradient[i], r->error) == RITT_OK);
    ritt_adjoint_free(a);
  }
  CHECK_NEAR(gradient[0][0], gradient[1][0], 1e-11);
  CHECK_NEAR(gradient[0][1], gradient[1][1], 1e-11);
  run_free(r);
}

/* The gradient of a column by a hundred parameters, m[1..50] and others, against tangents by some of
 * them. */
static void compare_hundred(const char *model, const char *other, const char *column) {
  run *r = run_text(model);
  char text[100][16];
  const char *by[100];
  for (int i = 0; i < 100; i++) {
    snprintf(text[i], sizeof text[i], "%s[%d]", i < 50 ? "m" : other, i % 50 + 1);
    by[i] = text[i];
  }
  double gradient[100], one = 1, end = 1;
  ritt_options o = run_options("dop853", 1e-8, end);
  ritt_adjoint *a = make_adjoint(r, by, 100, &end, 1, &o);
  if (a) CHECK(ritt_adjoint_gradient(a, &one, gradient, r->error) == RITT_OK);
  bool found = a != NULL;
  ritt_adjoint_free(a);
  const char *some[] = {by[0], by[30], by[49], by[50], by[80], by[99]};
  static const int number[] = {0, 30, 49, 50, 80, 99};
  CHECK(ritt_model_sensitivity(r->model, some, 6, r->error) == RITT_OK);
  if (found && run_go(r, &o))
    for (int i = 0; i < 6; i++) {
      char name[64];
      snprintf(name, sizeof name, "d(%s)/d(%s)", column, some[i]);
      CHECK_NEAR(run_last(r, name), gradient[number[i]], 1e-12);
    }

  /* one derivative alone is found in another way than several */
  CHECK(ritt_model_sensitivity(r->model, &by[80], 1, r->error) == RITT_OK);
  if (found && run_go(r, &o)) {
    char name[64];
    snprintf(name, sizeof name, "d(%s)/d(%s)", column, by[80]);
    CHECK_NEAR(run_last(r, name), gradient[80], 1e-12);
  }
  run_free(r);
}

/* Chains whose hundred masses and springs, or masses and rods, all have values of their own. */
static void test_chains(void) {
  compare_hundred("model chain\nparameter n = 50, m[i in 1..n] = 1 + i/100, k[i in 1..n] = 50 + i\n"
                  "variable x[1..n]\n"
                  "lagrangian sum(i in 1..n, m[i]*x[i]'^2/2) - k[1]*x[1]^2/2"
                  " - sum(i in 2..n, k[i]*((x[i] - x[i-1])^2/2 + (x[i] - x[i-1])^4/4))\n"
                  "start t = 0\n  for i in 1..n: x[i] = sin(i/5)\n  for i in 1..n: x[i]' = 0\n"
                  "solve t = 0 .. 1\noutput x[50]\n",
                  "k", "x[50]");
  compare_hundred(
      "model rods\nparameter n = 50, m[i in 1..n] = 1 + i/100, L[i in 1..n] = 1 - i/200\n"
      "variable x[1..n], y[1..n]\n"
      "lagrangian sum(i in 1..n, m[i]*(x[i]'^2 + y[i]'^2)/2 - 9.81*m[i]*y[i])\n"
      "constraint\n  x[1]^2 + y[1]^2 = L[1]^2\n"
      "  for i in 2..n: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = L[i]^2\n"
      "start t = 0\n  for i in 1..n: x[i] ~ 0.8*i\n  for i in 1..n: y[i] ~ -0.6*i\n"
      "  for i in 1..n: x[i]' ~ 0\n  for i in 1..n: y[i]' ~ 0\n"
      "solve t = 0 .. 1\noutput x[50]\n",
      "L", "x[50]");
}

static void test_refused(void) {
  ritt_adjoint *a = NULL;
  const char *name = "e";
  run *r = run_text("model m\nparameter e = 0.9\nvariable y\nequation y'' = -1\n"
                    "start t = 0\n  y = 1, y' = 0\nsolve t = 0 .. 2.5\n"
                    "event bounce: y = 0 falling -> y' := -e*y'\n");
  CHECK(ritt_model_adjoint(r->model, &name, 1, NULL, 0, NULL, r->error, &a) == RITT_IMPOSSIBLE);
  CHECK(!a && strstr(ritt_error_get(r->error, 0)->text, "events with jumps, or switches"));
  run_free(r);

  r = run_text(pendulum);
  name = "g";
  ritt_options o = run_options("radau5", 1e-6, 4);
  CHECK(ritt_model_adjoint(r->model, &name, 1, NULL, 0, &o, r->error, &a) == RITT_IMPOSSIBLE);
  static const double wrong[] = {2, 1};
  CHECK(ritt_model_adjoint(r->model, &name, 1, wrong, 2, NULL, r->error, &a) == RITT_WRONG_CALL);
  CHECK(ritt_model_adjoint(r->model, NULL, 0, NULL, 0, NULL, r->error, &a) == RITT_WRONG_CALL);
  run_free(r);
}

int main(void) {
  test_same_steps();
  test_oscillator();
  test_checkpoints();
  test_chains();
  test_refused();
  return CHECKS_DONE();
}
