/* Friction that sticks and breaks loose, on a line and in the plane, against closed forms and a
 * regularised limit. */
#include "run.h"

static run *go(const char *text, const char *method) {
  run *r = run_text(text);
  ritt_options o = ritt_options_default();
  o.tolerance = 1e-9;
  o.method = method;
  if (!r->model) run_complain(r, "the text is refused");
  else run_try(r, &o);
  return r;
}

static double last(run *r, const char *column) { return run_get(r, r->rows - 1, column); }

static bool says(const run *r, const char *words) {
  for (size_t i = 0; i < ritt_error_count(r->error); i++)
    if (strstr(ritt_error_get(r->error, i)->text, words)) return true;
  return false;
}

/* ---- a block on a line: s'' = 1.5 sin(t) - sign(s') ---- */

static double speed_after(double t, double t0, double v0, int side) {
  return v0 - 1.5 * (cos(t) - cos(t0)) - side * (t - t0);
}

static double place_after(double t, double t0, double s0, double v0, int side) {
  double d = t - t0;
  return s0 + v0 * d - 1.5 * (sin(t) - sin(t0)) + 1.5 * cos(t0) * d - side * d * d / 2;
}

/* The place at `end` of a block that starts at rest, phase by phase: it sticks until 1.5 |sin(t)| = 1,
 * then slides until its speed is 0. */
static double slide_on_line(double end) {
  const double h = 1e-3;
  double t = 0, s = 0;
  for (;;) {
    while (t < end && fabs(1.5 * sin(t)) <= 1) t += h;
    if (t >= end) return s;
    double low = t - h, high = t;
    for (int i = 0; i < 60 && t > h; i++) {
      double middle = (low + high) / 2;
      if (fabs(1.5 * sin(middle)) <= 1) low = middle;
      else high = middle;
    }
    double t0 = high;
    int side = sin(t0) > 0 ? 1 : -1;
    for (t = t0 + h; t < end && speed_after(t, t0, 0, side) * side > 0;) t += h;
    if (t >= end) return place_after(end, t0, s, 0, side);
    low = t - h, high = t;
    for (int i = 0; i < 60; i++) {
      double middle = (low + high) / 2;
      if (speed_after(middle, t0, 0, side) * side > 0) low = middle;
      else high = middle;
    }
    s = place_after(high, t0, s, 0, side);
    t = high;
  }
}

/* While it sticks steps are long: a load that exceeds the friction and falls again within one step is
 * seen. */
static void test_load_within_step(void) {
  static const char *const methods[] = {"dopri54", "radau5", "dop853"};
  for (int i = 0; i < 3; i++) {
    run *r = go(
        "model m\nvariable s\nequation s'' = 1.5*sin(t) - sign(s')\nstart t = 0\n  s = 0, s' = 0\n"
        "solve t = 0 .. 20\n",
        methods[i]);
    CHECK(r->status == RITT_OK);
    CHECK_NEAR(last(r, "s"), slide_on_line(20), 1e-7);
    run_free(r);
  }
}

/* While a run slides an output shows the force that holds it, at every row: also at the end of a step that
 * has rows before. Here u keeps s = x' + 3 x at 0: 2 x'' = -6 x' = u + 2 sin(3 t). */
static void test_force_at_rows(void) {
  run *r =
      run_text("model m\nvariable x, s, u\nequation\n  2*x'' = u + 2*sin(3*t)\n  s = x' + 3*x\n"
               "  u = -20*sign(s)\nstart t = 0\n  x = 1, x' = 0\nsolve t = 0 .. 4\n  rows 21\n"
               "  tolerance 1e-9\noutput x, x', u\n");
  ritt_options o = ritt_options_default();
  if (!r->model) run_complain(r, "the text is refused");
  else run_try(r, &o);
  CHECK(r->status == RITT_OK && r->rows == 21);
  for (size_t i = 10; i < r->rows; i++)
    CHECK_NEAR(run_get(r, i, "u"), -2 * sin(0.6 * (double)i) - 6 * run_get(r, i, "x'"), 1e-6);
  run_free(r);
}

/* ---- in the plane ---- */

/* Without other forces a block slides straight on and stops after v^2/(2 mu), in three ways of writing the
 * speed. */
static void test_straight(void) {
  static const char *const speeds[] = {"sqrt(x'^2 + y'^2)", "(y'^2 + x'^2)^(1/2)",
                                       "sqrt(4*x'^2 + 4*y'^2)/2"};
  for (int i = 0; i < 3; i++) {
    char text[400];
    snprintf(
        text, sizeof text,
        "model m\nvariable x, y\nlet v = %s\nequation\n  x'' = -2*x'/v\n  y'' = -2*y'/v\nstart t = 0\n"
        "  x = 0, y = 0, x' = 3, y' = -4\nsolve t = 0 .. 5\n",
        speeds[i]);
    run *r = go(text, NULL);
    CHECK(r->status == RITT_OK && r->statistics.slidings == 1);
    CHECK_NEAR(last(r, "x"), 0.6 * 6.25, 1e-7);
    CHECK_NEAR(last(r, "y"), -0.8 * 6.25, 1e-7);
    CHECK_NEAR(last(r, "x'"), 0, 1e-14);
    run_free(r);
  }
}

/* A load in one direction moves the block on a line: the same places as with sign, and the friction that
 * keeps it is the load. Explicit methods say that they cannot break loose. */
static void test_line_in_plane(void) {
  const char *plane =
      "model m\nvariable x, y\nlet v = sqrt(x'^2 + y'^2), F = 1.5*sin(t)\nequation\n"
      "  x'' = 0.6*F - x'/v\n  y'' = 0.8*F - y'/v\nstart t = 0\n"
      "  x = 0, y = 0, x' = 0.3, y' = 0.4\nsolve t = 0 .. 7\n"
      "output x, y, s = 0.6*x + 0.8*y, f = 0.6*x'/v + 0.8*y'/v - 1.5*sin(t)\n";
  run *line = go(
      "model m\nvariable s\nequation s'' = 1.5*sin(t) - sign(s')\nstart t = 0\n  s = 0, s' = 0.5\n"
      "solve t = 0 .. 7\n",
      NULL);
  {
    run *r = go(plane, "radau5");
    CHECK(r->status == RITT_OK);
    CHECK_NEAR(last(r, "s"), last(line, "s"), 1e-6);
    CHECK_NEAR(last(r, "x") / last(r, "y"), 0.75, 1e-6);
    CHECK_NEAR(last(r, "f"), 0, 1e-7); /* it sticks there */
    run_free(r);
  }
  run_free(line);
  run *r = go(plane, "dopri54");
  CHECK(r->status == RITT_STOPPED && says(r, "need an implicit method"));
  run_free(r);
}

/* A block on a belt that moves in two directions, held by springs, with a reaction N as a multiplier. The
 * reference is the limit of u/sqrt(u^2 + eps^2): 0.8099894, 0.8096473, 0.8095376 for x at t = 10 and eps = 1e-4,
 * 2.5e-5, 6.25e-6, by the classical method with steps of eps/4; y: -0.4029364, -0.4030159, -0.4030421. */
static void test_belt_in_plane(void) {
  run *r = go("model m\nparameter m = 2, g = 9.81, mu = 0.2\nvariable x, y, z, N\n"
              "let ux = x' - 1, uy = y' - 0.5*cos(t), v = sqrt(ux^2 + uy^2)\nequation\n"
              "  m*x'' = -mu*N*ux/v - 3*x\n  m*y'' = -mu*N*uy/v - 5*y\n  m*z'' = N - m*g\n  z = 0\n"
              "start t = 0\n  x = 0, y = 0, x' = 0, y' = 0\nsolve t = 0 .. 10\n",
              "radau5");
  CHECK(r->status == RITT_OK && r->statistics.slidings == 1);
  CHECK_NEAR(last(r, "x"), 0.8095376 - 0.00005, 3e-5);
  CHECK_NEAR(last(r, "y"), -0.4030421 - 0.00001, 1e-5);
  run_free(r);
}

/* hypot(a, b) is a norm as sqrt(a^2 + b^2) is: a puck with the speed 1 comes to rest after the way 1/(2 mu g). */
static void check_hypot(void) {
  run *r = run_text(
      "model puck\nvariable x, y\nlet v = hypot(x', y')\nequation\n  x'' = -2*x'/v\n  y'' = -2*y'/v\n"
      "start x = 0, y = 0, x' = 0.8, y' = 0.6\nsolve t = 0 .. 2\n  tolerance 1e-9\n");
  CHECK(run_go(r, NULL));
  CHECK_NEAR(run_last(r, "x"), 0.8 / 4, 1e-7);
  CHECK_NEAR(run_last(r, "y"), 0.6 / 4, 1e-7);
  CHECK(run_last(r, "x'") == 0);
  CHECK(r->statistics.accepted < 200);
  run_free(r);
}

int main(void) {
  test_load_within_step();
  test_force_at_rows();
  test_straight();
  test_line_in_plane();
  test_belt_in_plane();
  check_hypot();
  return CHECKS_DONE();
}
