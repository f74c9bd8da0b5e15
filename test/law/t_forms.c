/* Unknowns c with c' = 0 that events change, and on whose values the form of the equations depends: the
 * equations are completed with the value that holds, and again after each event that changes it. */
#include "run.h"

/* A stone of mass m flies from (x0, 0) with speed 1, until a string of length 1 catches it: at the time T
 * with (x0 + T)^2 + (g T^2/2)^2 = 1. The string takes the speed along it. After that it is a pendulum,
 * whose energy stays. The string is written in three ways. */
static const char *const STONE =
    "model stone\nparameter g = 9.81, m = 0.1\nvariable x, y, S, taut\nequation\n"
    "  m*x'' = -S*x\n  m*y'' = -S*y - m*g\n  %s\n  taut' = 0\n"
    "event slack: S = 0 falling -> taut := %s\n"
    "event caught: x^2 + y^2 = 1 rising -> taut := %s\n"
    "start x = 0.3, y = 0, x' = 1, y' = 0, taut = 0\nsolve t = 0 .. 2\n  tolerance 1e-11\n"
    "output x, y, u = x', v = y', S, taut, E = (x'^2 + y'^2)/2 + g*y\n";

static double distance(double T) { return pow(0.3 + T, 2) + pow(9.81 * T * T / 2, 2) - 1; }

/* The speed across the string when it catches the stone, to the left; the time. */
static double find_speed(double *T) {
  double low = 0, high = 1;
  while (high - low > 1e-16) {
    double middle = (low + high) / 2;
    if (middle == low || middle == high) break;
    if (distance(middle) > 0) high = middle;
    else low = middle;
  }
  *T = low;
  double x = 0.3 + low, y = -9.81 * low * low / 2;
  return -y * 1 + x * (-9.81 * low);
}

static void check_stone(const char *string, const char *slack, const char *caught) {
  char text[1024];
  double T, speed = find_speed(&T), x = 0.3 + T, y = -9.81 * T * T / 2;
  double energy = speed * speed / 2 + 9.81 * y;
  ritt_options o = ritt_options_default();
  o.points = 401;
  snprintf(text, sizeof text, STONE, string, slack, caught);
  run *r = run_text(text);
  CHECK(run_go(r, &o));
  CHECK(r->statistics.recompletions == 1);
  CHECK(r->statistics.events == 1);
  CHECK(r->rows == 401);
  for (size_t i = 0; i < r->rows; i++) {
    double t = run_get(r, i, "t"), X = run_get(r, i, "x"), Y = run_get(r, i, "y");
    if (t < T) {
      CHECK_NEAR(X, 0.3 + t, 1e-10);
      CHECK_NEAR(Y, -9.81 * t * t / 2, 1e-10);
      CHECK_NEAR(run_get(r, i, "S"), 0, 1e-12);
    } else {
      /* S balances weight and centrifugal force */
      double v2 = pow(run_get(r, i, "u"), 2) + pow(run_get(r, i, "v"), 2);
      CHECK_NEAR(X * X + Y * Y, 1, 1e-12);
      CHECK_NEAR(run_get(r, i, "E"), energy, 1e-8);
      CHECK_NEAR(run_get(r, i, "S"), 0.1 * (v2 - 9.81 * Y), 1e-8);
    }
    CHECK(run_get(r, i, "taut") == (t < T ? 0 : 1));
  }
  CHECK(x > 0);
  run_free(r);
}

/* Two wagons, joined by a string of length 1 that has slack at first: they go on with the speed of their
 * centre of mass. The masses differ, so that a least change of the velocities would be wrong. An event
 * cuts the string and pushes one wagon: the constraint of the string does not hold the push back. */
static void check_wagons(void) {
  run *r = run_text("model wagons\nvariable a, b, S, taut\nequation\n  a'' = S\n  3*b'' = -S\n"
                    "  taut*(b - a - 1) + (1 - taut)*S = 0\n  taut' = 0\n"
                    "event caught: b - a = 1 rising -> taut := 1\n"
                    "event cut: t = 0.5 -> taut := 0, a' := a' + 4\n"
                    "start a = 0, b = 0.5, a' = 0, b' = 2, taut = 0\nsolve t = 0 .. 0.625\n"
                    "output a, b, u = a', v = b'\n");
  ritt_options o = ritt_options_default();
  o.points = 6;
  CHECK(run_go(r, &o));
  CHECK(r->statistics.recompletions == 2);
  for (size_t i = 3; i < 5; i++) { /* the row at t = 0.5 is that before the jump */
    CHECK_NEAR(run_get(r, i, "u"), 1.5, 1e-12);
    CHECK_NEAR(run_get(r, i, "v"), 1.5, 1e-12);
  }
  CHECK_NEAR(run_last(r, "v"), 1.5, 1e-12);
  CHECK_NEAR(run_last(r, "u"), 5.5, 1e-12);
  CHECK_NEAR(run_last(r, "b"), 0.5 + 2 * 0.25 + 1.5 * 0.375, 1e-12);
  CHECK_NEAR(run_last(r, "a"), 1.5 * 0.25 + 5.5 * 0.125, 1e-12);
  run_free(r);
}

/* A constant that changes forces only: nothing is completed again. */
static void check_forces(void) {
  run *r = run_text("model push\nvariable x, on\nequation\n  x'' = -on*x\n  on' = 0\n"
                    "event switch: t = 1 -> on := 0\n"
                    "start x = 0, x' = 1, on = 1\nsolve t = 0 .. 3\n  tolerance 1e-10\n");
  ritt_options o = ritt_options_default();
  o.points = 4;
  CHECK(run_go(r, &o));
  CHECK(r->statistics.recompletions == 0);
  CHECK_NEAR(run_last(r, "x"), sin(1) + 2 * cos(1), 1e-9);
  run_free(r);
}

/* p is 0 at first: a follows 1 + t. An event adds a number to p that is known only then, after which
 * no value of p changes the form: d = a - 1 - t obeys 0.7*(d' - 1) + 0.3*d = 0. A pendulum beside it
 * has constraints before and after. */
static void check_unknown_value(void) {
  run *r = run_text("model beside\nvariable x, y, S, a, A, p\nequation\n  x'' = -S*x\n"
                    "  y'' = -S*y - 1\n  x^2 + y^2 = 1\n  a' = A\n"
                    "  p*(A - 2) + (1 - p)*(a - 1 - t) = 0\n  p' = 0\n"
                    "event one: t = 1 -> p := p + 0.7\nstart x = 0, y = -1, x' = 1, p = 0\n"
                    "solve t = 0 .. 3\n  tolerance 1e-10\n"
                    "output x, y, a, p, E = (x'^2 + y'^2)/2 + y\n");
  ritt_options o = ritt_options_default();
  o.points = 8;
  CHECK(run_go(r, &o));
  CHECK(r->statistics.recompletions == 1);
  for (size_t i = 0; i < r->rows; i++) {
    double t = run_get(r, i, "t"), X = run_get(r, i, "x"), Y = run_get(r, i, "y");
    double d = t < 1 ? 0 : -expm1(-3 * (t - 1) / 7) * 7 / 3;
    CHECK_NEAR(run_get(r, i, "a"), 1 + t + d, 1e-9);
    CHECK_NEAR(run_get(r, i, "p"), t < 1 ? 0 : 0.7, 1e-15);
    CHECK_NEAR(X * X + Y * Y, 1, 1e-12);
    CHECK_NEAR(run_get(r, i, "E"), -0.5, 1e-8);
  }
  run_free(r);
}

static bool says(const run *r, const char *words) {
  for (size_t i = 0; i < ritt_error_count(r->error); i++)
    if (strstr(ritt_error_get(r->error, i)->text, words)) return true;
  return false;
}

/* The wagons again, as equations of first order: the common speed is that of the centre of mass. */
static void check_first_order(void) {
  static const char *const WAGONS[] = {
      "model wagons\nvariable a, b, u, v, S, taut\nequation\n  a' = u\n  b' = v\n  u' = S\n"
      "  3*v' = -S\n  taut*(b - a - 1) + (1 - taut)*S = 0\n  taut' = 0\n"
      "event caught: b - a = 1 rising -> taut := 1\n"
      "start a = 0, b = 0.5, u = 0, v = 2, taut = 0\nsolve t = 0 .. 0.5\noutput a, u, v\n",
      "model clutch\nvariable a, u, v, S, taut\nequation\n  a' = u\n  u' = S\n  3*v' = -S\n"
      "  taut*(v - u) + (1 - taut)*S = 0\n  taut' = 0\nevent caught: t = 0.25 -> taut := 1\n"
      "start a = 0, u = 0, v = 2, taut = 0\nsolve t = 0 .. 0.5\noutput a, u, v\n"};
  for (int i = 0; i < 2; i++) {
    run *r = run_text(WAGONS[i]);
    CHECK(run_go(r, NULL));
    CHECK_NEAR(run_last(r, "u"), 1.5, 1e-12);
    CHECK_NEAR(run_last(r, "v"), 1.5, 1e-12);
    CHECK_NEAR(run_last(r, "a"), 1.5 * 0.25, 1e-12);
    run_free(r);
  }
}

/* What the equations do not determine stops the run: positions do not jump, velocities do not move
 * as little as possible, and no impulse is taken whose result depends on how it grows. */
static void check_refused(void) {
  static const char *const MODEL[][2] = {
      {"model lock\nvariable x, S, on\nequation\n  x'' = S\n  on*(x - 1) + (1 - on)*S = 0\n"
       "  on' = 0\nevent lock: t = 0.25 -> on := 1\nstart x = 0, x' = 2, on = 0\n"
       "solve t = 0 .. 1\n",
       "jumps by -0.5 at t = 0.25"},
      {"model grows\nvariable x, y, S, on\nequation\n  x' = S*x\n  y' = -S\n"
       "  on*(x - y) + (1 - on)*S = 0\n  on' = 0\nevent lock: t = 0.25 -> on := 1\n"
       "start x = 1, y = 2, on = 0\nsolve t = 0 .. 1\n",
       "jumps by -1 at t = 0.25"}};
  for (int i = 0; i < 2; i++) {
    run *r = run_text(MODEL[i][0]);
    run_try(r, NULL);
    CHECK(r->status == RITT_STOPPED && says(r, MODEL[i][1]));
    run_free(r);
  }
}

/* Events at the same place as a change of the form happen, once each: changes of the form, other
 * jumps and records. a and b grow to 1 and stay there; n and m count. */
static void check_same_place(void) {
  static const char *const SENSE[] = {"", "rising"};
  for (int i = 0; i < 8; i++) {
    const char *s = SENSE[i % 2], *last = SENSE[i / 2 % 2], *first = SENSE[i / 4];
    char text[1024];
    snprintf(text, sizeof text,
             "model two\nvariable a, b, A, B, p, q, n, m, l\nequation\n  a' = A\n  b' = B\n"
             "  p*(A - 1) + (1 - p)*(a - 1) = 0\n  q*(B - 1) + (1 - q)*(b - 1) = 0\n"
             "  p' = 0\n  q' = 0\n  n' = 0\n  m' = 0\n  l' = 0\n"
             "event one: t = 1 %s -> p := 0\nevent n: t = 1 %s -> n := n + 1\n"
             "event m: t = 1 %s -> m := m + 1\nevent two: t = 1 %s -> q := 0\n"
             "event l: t = 1 %s -> l := l + 1\nevent seen: t = 1 -> record\n"
             "start a = 0, b = 0, p = 1, q = 1, n = 0, m = 0, l = 0\nsolve t = 0 .. 3\n",
             first, s, s, last, s);
    run *r = run_text(text);
    CHECK(run_go(r, NULL));
    CHECK(r->statistics.recompletions == 2);
    CHECK(r->statistics.events == 6);
    CHECK_NEAR(run_last(r, "a"), 1, 1e-12);
    CHECK_NEAR(run_last(r, "b"), 1, 1e-12);
    CHECK_NEAR(run_last(r, "n"), 1, 0);
    CHECK_NEAR(run_last(r, "m"), 1, 0);
    CHECK_NEAR(run_last(r, "l"), 1, 0);
    run_free(r);
  }
}

int main(void) {
  check_same_place();
  check_first_order();
  check_refused();
  check_unknown_value();
  check_stone("taut*(x^2 + y^2 - 1) + (1 - taut)*S = 0", "0", "1");
  check_stone("(if taut > 0.5 then x^2 + y^2 - 1 else S) = 0", "0", "1");
  check_stone("taut*(x^2 + y^2 - 1) + (1 - taut)*S = 0", "1 - taut", "1 - taut");
  check_wagons();
  check_forces();
  return CHECKS_DONE();
}
