/* Starts beside poles, and models in units that are far from 1: they begin, and end where closed
 * forms end; values that clash there are reported, and coefficients that are nothing but rounding are
 * not divided by.
 */
#include "run.h"

static run *open_format(const char *format, double value) {
  char text[2000];
  snprintf(text, sizeof text, format, value);
  return run_text(text);
}

/* x(1) of an autonomous equation from a small x(0) */
static void check_poles(void) {
  struct {
    const char *equation;
    int most; /* from 1e-3 to 10^-most */
    int power, of;
  } const table[] = {
      /* x^2 = x0^2 + 2 t, x^3 = x0^3 + 3 t, x^(3/2) = x0^(3/2) + 3/2 t */
      {"x' = 1/x", 16, 2, 1},
      {"x*x' = 1", 16, 2, 1},
      {"x' = 1/x^2", 8, 3, 1},
      {"x'^2 = 1/x", 12, 3, 2},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    for (int k = 3; k <= table[i].most; k++) {
      char text[400];
      double power = (double)table[i].power / table[i].of, x = pow(10, -k);
      snprintf(text, sizeof text,
               "model m\nvariable x\nequation\n  %s\nstart t = 0\n  x = 1e-%d\nsolve t = 0 .. 1\n",
               table[i].equation, k);
      run *r = run_text(text);
      ritt_options o = ritt_options_default();
      CHECK(run_go(r, &o));
      if (r->rows) CHECK_NEAR(run_last(r, "x"), pow(pow(x, power) + power, 1 / power), 1e-6);
      run_free(r);
    }
}

/* A pendulum of this length in metres: it is as long, and its energy is 0, at every row. */
static void check_pendulum(double length) {
  run *r = open_format(
      "model m\nparameter L = %g, g = 9.81, m = 1e-18\nvariable x, y, lambda\nequation\n"
      "  m*x'' + lambda*x = 0\n  m*y'' + lambda*y + m*g = 0\n  x^2 + y^2 = L^2\nstart t = 0\n"
      "  x = L, y = 0, x' = 0, y' = 0\nsolve t = 0 .. sqrt(L)/2\n  absolute 1e-20\noutput x, y, x', y'\n",
      length);
  ritt_options o = ritt_options_default();
  o.tolerance = 1e-9;
  CHECK(run_go(r, &o));
  CHECK(r->rows > 5);
  for (size_t i = 0; i < r->rows; i++) {
    double x = run_get(r, i, "x") / length, y = run_get(r, i, "y") / length;
    double u = run_get(r, i, "x'"), v = run_get(r, i, "y'");
    CHECK_NEAR(x * x + y * y, 1, 1e-12);
    CHECK_NEAR((u * u + v * v) / (2 * 9.81 * length) + y, 0, 1e-5);
  }
  run_free(r);
}

/* Pascals beside nanometres: v = 3 cos(w t), w^2 = 0.2/1e-12 */
static void check_spring(void) {
  run *r = open_format(
      "model m\nparameter E = %g, A = 1e-4, l = 0.1, M = 1e-12\nvariable u, v, F, s\nequation\n"
      "  s = E*u/l\n  F = A*s\n  M*v'' = -F\n  u = v*1e-9\nstart t = 0\n  v = 3, v' = 0\n"
      "solve t = 0 .. 1e-6\noutput u, v, F, s\n",
      200e9);
  ritt_options o = ritt_options_default();
  CHECK(run_go(r, &o));
  if (r->rows) {
    double v = 3 * cos(sqrt(0.2 / 1e-12) * 1e-6);
    CHECK_NEAR(run_get(r, 0, "s"), 6000, 1e-9);
    CHECK_NEAR(run_last(r, "v"), v, 1e-6);
    CHECK_NEAR(run_last(r, "u"), v * 1e-9, 1e-15);
    CHECK_NEAR(run_last(r, "F"), 0.2 * v, 1e-6);
  }
  run_free(r);
}

/* What must be refused as a clash of kept values. */
static void check_clashes(void) {
  static const char *const text[] = {
      "model m\nvariable x\nequation\n  x' = 1/x\nstart t = 0\n  x = 1e-10, x' = 1\n",
      /* sin of the typed digits is 2e-16: no reason to make q 4e21 */
      "model m\nvariable phi, p, q\nequation\n  phi' = 0\n  p' = 0\n  sin(phi)*q + 1e9*p = 0\n"
      "start t = 0\n  phi = 3.141592653589793, p = 1e-3\n",
  };
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
    const ritt_check *c = NULL;
    run *r = run_text(text[i]);
    CHECK(r->model && ritt_model_check(r->model, r->error, &c) != RITT_OK);
    CHECK(c && !strcmp(c->verdict, "inconsistent"));
    run_free(r);
  }
}

int main(void) {
  check_poles();
  for (int k = -9; k <= 9; k += 3) check_pendulum(pow(10, k));
  check_spring();
  check_clashes();
  return CHECKS_DONE();
}
