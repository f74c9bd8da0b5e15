/* Switching surfaces, and what happens at them, against closed forms. */
#include "run.h"

#define PI 3.14159265358979323846264338327950288

static run *go(const char *text, double tolerance, const char *method) {
  run *r = run_text(text);
  ritt_options o = ritt_options_default();
  o.tolerance = tolerance;
  o.method = method;
  if (!r->model) run_complain(r, "the text is refused");
  else run_try(r, &o);
  return r;
}

static double last(run *r, const char *column) { return run_get(r, r->rows - 1, column); }

/* ---- one surface, one normal form ---- */

/* Both rates depend on the sign of x - y, however it is written. The run slides from t = 1/7 on, where
 * x = y = 17/14, with the weight 10/17 of the side x > y: x' = -6/17. */
static void test_mirrored(void) {
  static const char *const condition[] = {"y > x",     "y >= x",    "2*y > 2*x",
                                          "not x > y", "x - y < 0", "-3*(x + 1) > -3*(y + 1)"};
  for (size_t i = 0; i < sizeof condition / sizeof *condition; i++) {
    char text[400];
    snprintf(text, sizeof text,
             "model slide\nvariable x, y\nequation\n  x' = if x > y then -2 else 2\n"
             "  y' = if %s then -3 else 1.5\nstart x = 1.5, y = 1\nsolve t = 0 .. 1\n",
             condition[i]);
    run *r = go(text, 1e-10, NULL);
    CHECK(r->status == RITT_OK && r->statistics.slidings == 1);
    CHECK_NEAR(last(r, "x"), 17.0 / 14 - 6.0 / 17 * 6 / 7, 1e-9);
    CHECK_NEAR(last(r, "y"), 17.0 / 14 - 6.0 / 17 * 6 / 7, 1e-9);
    run_free(r);
  }
}

/* A kink inside a comparison bends nothing: only the two places where the comparison changes are met.
 * x = 1/2 at t = 1/2, 3/2 at t = 1, 5/2 at t = 2. An unknown that nothing uses has no surfaces. */
static void test_costs_nothing(void) {
  run *r = go(
      "model bend\nvariable x\nequation x' = if abs(x - 1) > 0.5 then 1 else 2\nstart x = 0\nsolve t = 0 .. 2\n",
      1e-10, NULL);
  CHECK(r->status == RITT_OK && r->statistics.switches == 2);
  CHECK_NEAR(last(r, "x"), 2.5, 1e-12);
  run_free(r);
  r = go(
      "model unused\nvariable x, y\nequation\n  x' = cos(t)\n  y = abs(x)\nstart x = 0\nsolve t = 0 .. 4\n",
      1e-10, NULL);
  CHECK(r->status == RITT_OK && r->statistics.switches == 0);
  CHECK_NEAR(last(r, "y"), fabs(sin(4)), 1e-9);
  run_free(r);
}

/* ---- lengths and units ---- */

/* A square wave: nothing depends on the length of the run or on the unit of t. The run returns to 0
 * after each period, and the ends of half periods are met. */
static void test_square_wave(void) {
  static const char *const unit[] = {"1", "1e-9", "1e9"};
  for (int i = 0; i < 3; i++) {
    char text[300];
    snprintf(text, sizeof text,
             "model wave\nparameter T = %s\nvariable x\nequation x' = sign(sin(2*pi*t/T))/T\n"
             "start x = 0\nsolve t = 0 .. 80*T\n",
             unit[i]);
    run *r = go(text, 1e-8, NULL);
    CHECK(r->status == RITT_OK && r->statistics.switches >= 159 && r->statistics.switches <= 160);
    CHECK_NEAR(last(r, "x"), 0, 1e-10);
    run_free(r);
  }
}

/* The same wave at t = 1e12, where neighbouring numbers are 1.2e-4 apart. */
static void test_far_away(void) {
  run *r =
      go("model far\nvariable x, y\nequation\n  x' = if sin(2*pi*t) > 0 then 1 else -2\n  y' = -y\n"
         "start t = 1e12\n  x = 0, y = 1\nsolve t = 1e12 .. 1e12 + 10\n",
         1e-8, NULL);
  CHECK(r->status == RITT_OK);
  CHECK_NEAR(last(r, "x"), -5, 40 * 3 * 1.3e-4);
  CHECK_NEAR(last(r, "y"), exp(-10), 3e-4 * exp(-10));
  run_free(r);
}

/* An absolute tolerance that is far larger than x must not hide where x = 1/4; nor must sizes of 1e-9
 * below the default one. */
static void test_absolute(void) {
  run *r = go(
      "model large\nvariable x\nequation x' = -1\nstart x = 0.5\nevent e: x = 0.25 falling -> stop\n"
      "solve t = 0 .. 1\n  absolute 10\n",
      1e-8, NULL);
  CHECK(r->status == RITT_OK && r->statistics.ended_by);
  CHECK_NEAR(last(r, "t"), 0.25, 1e-12);
  run_free(r);
  r = go(
      "model small\nvariable x\nequation x' = -1e-9\nstart x = 5e-10\nevent e: x = 2.5e-10 falling -> stop\n"
      "solve t = 0 .. 1\n",
      1e-8, NULL);
  CHECK(r->status == RITT_OK && r->statistics.ended_by);
  CHECK_NEAR(last(r, "t"), 0.25, 1e-12);
  run_free(r);
}

/* ---- events at the start ---- */

/* The first derivative of the event's function that does not vanish decides. y = sign*t^n/n!. */
static void test_start_derivatives(void) {
  for (int n = 1; n <= 4; n++) {
    for (int sign = -1; sign <= 1; sign += 2) {
      char text[300];
      snprintf(text, sizeof text,
               "model start\nvariable y\nequation der(y, %d) = %d\nstart t = 0\n  y = 0%s%s%s\n"
               "event fall: y = 0 falling -> stop\nsolve t = 0 .. 1\n",
               n, sign, n > 1 ? ", y' = 0" : "", n > 2 ? ", y'' = 0" : "",
               n > 3 ? ", y''' = 0" : "");
      run *r = go(text, 1e-8, NULL);
      CHECK(r->status == RITT_OK && (r->statistics.ended_by != NULL) == (sign < 0));
      CHECK(last(r, "t") == (sign < 0 ? 0 : 1));
      run_free(r);
    }
  }
}

/* ---- branches that have no value beyond their surface ---- */

/* x falls from 2 with the speed 1 + (x - 1)^p as far as x = 1, which takes the time T, the integral of
 * 1/(1 + y^p) from 0 to 1; then with the speed 1. */
static void test_branch_without_value(void) {
  static const struct {
    const char *branch;
    double T;
  } one[] = {
      {"if x > 1 then (x - 1)^(3/2) else 0",
       2 * PI / (3 * 1.7320508075688772) - 2 * 0.6931471805599453 / 3},
      {"if x > 1 then sqrt(x - 1) else 0", 2 * (1 - 0.6931471805599453)},
      {"if 1 >= x then 0 else sqrt(2*(x - 1))/sqrt(2)", 2 * (1 - 0.6931471805599453)},
  };
  static const char *const method[] = {"dopri54", "dop853", "radau5", "rk4"};
  for (size_t i = 0; i < sizeof one / sizeof *one; i++)
    for (size_t k = 0; k < sizeof method / sizeof *method; k++) {
      char text[300];
      snprintf(text, sizeof text,
               "model weir\nvariable x\nequation x' = -1 - (%s)\nstart x = 2\nsolve t = 0 .. 2\n",
               one[i].branch);
      run *r = go(text, 1e-9, method[k]);
      CHECK(r->status == RITT_OK && r->statistics.switches == 1);
      CHECK_NEAR(last(r, "x"), one[i].T - 1, 1e-7);
      run_free(r);
    }
}

/* Where the branch is chosen and has no value, the run stops. */
static void test_no_value_is_reported(void) {
  run *r = go(
      "model out\nvariable x\nequation x' = if t > 1 then -1 - sqrt(x) else 0\nstart x = 1\nsolve t = 0 .. 4\n",
      1e-8, NULL);
  CHECK(r->status == RITT_STOPPED);
  CHECK_NEAR(last(r, "t"), 1 + 2 * (1 - 0.6931471805599453), 1e-4);
  run_free(r);
}

/* ---- switches of algebraic unknowns and multipliers ---- */

/* Sliding-mode control of x'' = u + sin(t). s = x' + x falls with the rate s' = -4 + sin(t) + x' as
 * long as s > 0; then x' = -x. The control is written as `let`, as variables that are taken out, as
 * variables with tolerances of their own, which are not, and with s given by a cubic. */
static void test_sliding_mode(void) {
  static const char *const form[] = {
      "variable x\nlet s = x' + x\nlet u = -4*sign(s)\nequation x'' = u + sin(t)\n",
      "variable x, s, u\nequation\n  s = x' + x\n  u = -4*sign(s)\n  x'' = u + sin(t)\n",
      "variable x, s, u\nequation\n  s + s^3 = x' + x\n  u = -4*sign(s)\n  x'' = u + sin(t)\n"};
  for (int i = 0; i < 4; i++) {
    char text[400];
    snprintf(text, sizeof text,
             "model control\n%sstart x = 1, x' = 2\nsolve t = 0 .. 4\n%soutput x, x', u\n",
             form[i == 3 ? 1 : i], i == 3 ? "  tolerance s = 1e-6\n  tolerance u = 1e-6\n" : "");
    run *r = go(text, 1e-10, NULL);
    CHECK(r->status == RITT_OK && r->statistics.slidings == 1);
    /* x = 1 + 3 t - 2 t^2 - sin(t) while s > 0 */
    double low = 0, high = 2;
    while (high - low > 1e-15) {
      double t = (low + high) / 2;
      double x = 1 + 3 * t - 2 * t * t - sin(t), v = 3 - 4 * t - cos(t);
      if (x + v > 0) low = t;
      else high = t;
    }
    double at = 1 + 3 * low - 2 * low * low - sin(low), end = at * exp(low - 4);
    CHECK_NEAR(last(r, "x"), end, 1e-8);
    CHECK_NEAR(last(r, "x'"), -end, 1e-8);
    CHECK_NEAR(last(r, "u"), end - sin(4), 1e-7); /* x'' = -x' = x */
    run_free(r);
  }
}

/* A block on a spring whose friction is mu times the reaction of the floor: it turns at x = 2, -1.4,
 * 0.8, -0.2 and stays there, since 0.2 < mu. */
static void test_block_on_floor(void) {
  run *r =
      go("model block\nparameter mu = 0.3\nvariable x, y\nlagrangian (x'^2 + y'^2)/2 - x^2/2 - y\n"
         "constraint floor: y = 0\nforce x: -mu*abs(floor)*sign(x')\nstart x = 2, x' = 0\n"
         "solve t = 0 .. 20\noutput x, x', floor\n",
         1e-10, NULL);
  CHECK(r->status == RITT_OK && r->statistics.slidings == 1);
  CHECK_NEAR(last(r, "x"), -0.2, 1e-8);
  CHECK_NEAR(last(r, "x'"), 0, 1e-12);
  CHECK_NEAR(last(r, "floor"), 1, 1e-12);
  run_free(r);
}

/* The square of the speed of a bead on a hoop, at the angle p from the bottom, if it was at rest at
 * `from`: w' = -2 g sin(p) - 2 mu (w + g cos(p)). */
static double bead_square(double from, double p) {
  const double mu = 0.3, g = 9.81, b = -6 * mu * g / (1 + 4 * mu * mu), a = 2 * g + 2 * mu * b;
  return a * cos(p) + b * sin(p) - (a * cos(from) + b * sin(from)) * exp(2 * mu * (from - p));
}

/* The bead slides down, up, and back, and stays where friction holds it. */
static void test_bead_on_hoop(void) {
  double from = -PI / 2;
  for (int turn = 0; turn < 2; turn++) {
    double low = 0.9 * from, high = 1;
    while (high - low > 1e-15) {
      double p = (low + high) / 2;
      if (bead_square(from, p) > 0) low = p;
      else high = p;
    }
    from = -low; /* the next swing is the mirror image */
  }
  CHECK(fabs(tan(from)) < 0.3);
  run *r = go(
      "model bead\nparameter m = 1, g = 9.81, R = 1, mu = 0.3\nvariable x, y\nlet\n  N = 2*R*rod\n"
      "  vt = (x*y' - y*x')/R\n  F = mu*abs(N)*sign(vt)\nlagrangian m*(x'^2 + y'^2)/2 - m*g*y\n"
      "constraint rod: x^2 + y^2 = R^2\nforce x: F*y/R\nforce y: -F*x/R\n"
      "start x = 1, y = 0, x' ~ 0, y' ~ 0\nsolve t = 0 .. 5\noutput x, y, vt\n",
      1e-10, NULL);
  CHECK(r->status == RITT_OK && r->statistics.slidings == 1);
  CHECK_NEAR(fabs(last(r, "x")), fabs(sin(from)), 1e-8);
  CHECK_NEAR(last(r, "vt"), 0, 1e-12);
  run_free(r);
}

/* Painleve's rod: with mu = 1/2 it slides to rest; with mu = 2 > 4/3 there are positions in which no
 * force at its tip agrees with the friction. */
static void test_painleve(void) {
  for (int i = 0; i < 2; i++) {
    char text[600];
    snprintf(
        text, sizeof text,
        "model rod\nparameter mu = %s\nvariable x, y, th\nlet vt = x' + th'*sin(th)\n"
        "lagrangian (x'^2 + y'^2)/2 + th'^2/6 - 9.81*y\nconstraint tip: y - sin(th) = 0\n"
        "let F = -mu*abs(tip)*sign(vt)\nforce x: F\nforce th: F*sin(th)\n"
        "start x = 0, th = 1, y ~ 0.84, x' = 10, th' = 0, y' ~ 0\nsolve t = 0 .. 1\noutput x, tip, vt\n",
        i ? "2" : "0.5");
    run *r = go(text, 1e-8, NULL);
    CHECK(r->status == (i ? RITT_STOPPED : RITT_OK));
    bool explained = false;
    for (size_t k = 0; k < ritt_error_count(r->error); k++)
      explained |= strstr(ritt_error_get(r->error, k)->hint, "Painleve") != NULL;
    CHECK(explained == (i == 1));
    run_free(r);
  }
}

/* ---- invariants on each side ---- */

static bool says(const run *r, const char *words) {
  for (size_t i = 0; i < ritt_error_count(r->error); i++)
    if (strstr(ritt_error_get(r->error, i)->text, words)) return true;
  return false;
}

/* Each claims an invariant that holds on the side of the start only. */
static void test_invariants(void) {
  static const struct {
    const char *text, *says;
    double t; /* where the other side is entered */
  } one[] = {
      {"variable x, y\nequation\n  x' = y\n  y' = -x - (if x < 0.5 then 0.3*y else 0)\n"
       "invariant x^2 + y^2\nstart x = 1, y = 0\nsolve t = 0 .. 3\n",
       "where 1/2 - x > 0", PI / 3},
      {"variable x\nlagrangian x'^2/2 - 9.81*x\nforce x: if x < 0 then -100*x - 2*x' else 0\n"
       "invariant energy\nstart x = 1, x' = 0\nsolve t = 0 .. 3\n",
       "where -x > 0", 0.4515236409857309},
      {"variable x\nfunction bump(s) = if s < 0 then 0 else s^2\nlagrangian x'^2/2 - (x - bump(t - 1))^2/2\n"
       "invariant energy\nstart x = 1, x' = 0\nsolve t = 0 .. 3\n",
       "does not hold where", 1},
      {"variable x, y\nequation\n  x' = y\n  y' = -x - (if x < 0 then 0.3*sign(y) else 0)\n"
       "invariant (x^2 + y^2)/2\nstart x = 2, y = 0\nsolve t = 0 .. 10\n",
       "where -x > 0", PI / 2},
  };
  for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
    char text[400];
    snprintf(text, sizeof text, "model claim\n%s", one[i].text);
    run *r = go(text, 1e-8, NULL);
    CHECK(r->status == RITT_STOPPED && says(r, "invariant 1") && says(r, one[i].says));
    CHECK(last(r, "t") >= one[i].t - 1e-7 && last(r, "t") < one[i].t + 0.05);
    run_free(r);
  }
  /* one that holds on both sides is kept */
  run *r = go(
      "model bounce\nvariable x, y\nequation\n  x' = y\n  y' = if x < 0 then -4*x else -x\n"
      "invariant if x < 0 then y^2 + 4*x^2 else y^2 + x^2\nstart x = 1, y = 0\nsolve t = 0 .. 20\n",
      1e-8, NULL);
  CHECK(r->status == RITT_OK && r->statistics.switches > 5);
  double x = last(r, "x"), y = last(r, "y");
  CHECK_NEAR(y * y + (x < 0 ? 4 : 1) * x * x, 1, 1e-13);
  run_free(r);
}

/* ---- the point after a switch ---- */

/* u of q with q*(s - u) + q = u + u^3 + (s - u)^2/10, from u on. */
static double algebraic(double s, double q, double u) {
  for (int i = 0; i < 50; i++) {
    double f = u + u * u * u + (s - u) * (s - u) / 10 - q * (s - u) - q;
    u -= f / (1 + 3 * u * u - (s - u) / 5 + q);
  }
  return u;
}

/* q' = s - u with u of q, s = 1 before t = 1 and 0 after it: the state q is continuous, u jumps. The
 * reference integrates q by the classical method with 2000 steps on each side. */
static void test_algebraic_jump(void) {
  double q = 0, u = 0;
  for (int side = 0; side < 2; side++) {
    double s = side ? 0 : 1, h = 1.0 / 2000;
    for (int i = 0; i < 2000; i++) {
      double k[4], move[] = {0, h / 2, h / 2, h};
      for (int stage = 0; stage < 4; stage++) {
        u = algebraic(s, stage ? q + move[stage] * k[stage - 1] : q, u);
        k[stage] = s - u;
      }
      q += h / 6 * (k[0] + 2 * k[1] + 2 * k[2] + k[3]);
    }
    u = algebraic(s, q, u);
  }
  static const char *const method[] = {"dopri54", "radau5"};
  for (int i = 0; i < 2; i++) {
    run *r =
        go("model mixed\nvariable q, u\nequation\n  q' = (if t < 1 then 1 else 0) - u\n"
           "  q*q' + q = u + u^3 + q'^2/10\nstart q = 0, u ~ 0\nsolve t = 0 .. 2\noutput q, u\n",
           1e-9, method[i]);
    CHECK(r->status == RITT_OK);
    CHECK_NEAR(last(r, "q"), q, 1e-7);
    CHECK_NEAR(last(r, "u"), u, 1e-7);
    run_free(r);
  }
}

/* A commanded position that jumps is refused, with the constraint and the amount. A commanded velocity
 * that jumps is an impulse: two masses with a rod, pushed along x = t - 1 from t = 1 on. */
static void test_commanded_motion(void) {
  run *r = go(
      "model step\nvariable x\nlagrangian x'^2/2\nconstraint c: x = if t < 1 then 0 else 0.1\nstart x = 0\n"
      "solve t = 0 .. 2\noutput x\n",
      1e-8, NULL);
  CHECK(r->status == RITT_STOPPED && says(r, "constraint c (line 4) jumps by -0.1 at t = 1"));
  run_free(r);
  r = go("model ramp\nvariable x\nlagrangian x'^2/2\nconstraint c: x = max(0, t - 1)\nstart x = 0\n"
         "solve t = 0 .. 2\noutput x, x'\n",
         1e-8, NULL);
  CHECK(r->status == RITT_OK && r->statistics.jump_moved);
  CHECK_NEAR(last(r, "x"), 1, 1e-12);
  CHECK_NEAR(last(r, "x'"), 1, 1e-12);
  CHECK_NEAR(r->statistics.jump_move, 1, 1e-12);
  run_free(r);
  /* masses 1 and 3, coupled by the constraint x - y = max(0, t - 1): M dv = G^T Lambda gives
   * x' = 3/4, y' = -1/4, whatever the metric of the projection */
  r = go(
      "model push\nvariable x, y\nlagrangian (x'^2 + 3*y'^2)/2\nconstraint c: x - y = max(0, t - 1)\n"
      "start x = 0, y = 0, x' = 0, y' ~ 0\nsolve t = 0 .. 2\noutput x, y, x', y'\n",
      1e-8, NULL);
  CHECK(r->status == RITT_OK);
  CHECK_NEAR(last(r, "x"), 0.75, 1e-10);
  CHECK_NEAR(last(r, "y"), -0.25, 1e-10);
  run_free(r);
}

/* ---- the way over a switch ----
 *
 * u + 2 sin(u) = c has a solution in (-a, a), a = 2 pi / 3, for |c| < a + sqrt(3); there are folds at both
 * ends. If c steps within these bounds u stays in (-a, a). Newton's method, in coordinates in which the
 * equations are mixed, does not know this: it fails, or goes elsewhere. */

static double solve_inner(double c) {
  double low = -2 * PI / 3, high = 2 * PI / 3;
  for (int i = 0; i < 100; i++) {
    double middle = (low + high) / 2;
    if (middle + 2 * sin(middle) < c) low = middle;
    else high = middle;
  }
  return low;
}

static void test_way_over_step(void) {
  static const double STEP[] = {0.5, 3, 5, 6, 7, 7.4};
  for (int event = 0; event < 2; event++)
    for (size_t i = 0; i < sizeof STEP / sizeof *STEP; i++) {
      char text[1000];
      snprintf(
          text, sizeof text,
          "model way\nparameter A = %g\nvariable x, v, w, k\n%s"
          "let p = 0.6*v - 0.8*w, q = 0.8*v + 0.6*w\n"
          "let F = p + 2*sin(p) - x - u, G = q + 2*sin(q) + x + u/2\nequation\n  x' = 0.01\n"
          "  3*F + G = 0\n  F - 2*G = 0\n  k' = 0\n%sstart x = -3.75, k = 0, v ~ 0.4, w ~ 2.7\n"
          "output p, q\nsolve t = 0 .. 2\n",
          STEP[i], event ? "let u = k\n" : "let u = if t < 1 then 0 else A\n",
          event ? "event step: t = 1 -> k := A\n" : "");
      run *r = go(text, 1e-9, NULL);
      CHECK(r->status == RITT_OK && r->statistics.specials == 0);
      CHECK_NEAR(last(r, "p"), solve_inner(-3.73 + STEP[i]), 1e-8);
      CHECK_NEAR(last(r, "q"), solve_inner(3.73 - STEP[i] / 2), 1e-8);
      run_free(r);
    }
}

/* A step beyond the fold at c = a + sqrt(3): from c = 0.1 to 0.1 + A the fold is at (a + sqrt(3) - 0.1) / A of
 * the way. With `singular jump` u goes on to the first solution behind it. */
static void test_fold_on_way(void) {
  static const double STEP[] = {6, 20, 40};
  for (size_t i = 0; i < sizeof STEP / sizeof *STEP; i++)
    for (int jump = 0; jump < 2; jump++) {
      char text[400];
      snprintf(text, sizeof text,
               "model step\nvariable x, w\nequation\n  x' = 0.1\n"
               "  w + 2*sin(w) = x + (if t < 1 then 0 else %g)\nstart x = 0, w ~ 0\n"
               "solve t = 0 .. 1.5\n%s",
               STEP[i], jump ? "  singular jump\n" : "");
      run *r = go(text, 1e-9, NULL);
      if (jump) {
        double c = STEP[i] + 0.15, u = 2 * PI / 3;
        while (u + 2 * sin(u) < c) u += 1e-3;
        for (int k = 0; k < 50; k++) u -= (u + 2 * sin(u) - c) / (1 + 2 * cos(u));
        CHECK(r->status == RITT_OK && r->statistics.specials == 1);
        CHECK(r->statistics.special[0].passed);
        CHECK_NEAR(r->statistics.special[0].x, 1, 1e-12);
        CHECK_NEAR(last(r, "w"), u, 1e-8);
      } else {
        CHECK(r->status == RITT_STOPPED && ritt_error_count(r->error) == 1);
        CHECK_NEAR(r->statistics.x, 1, 1e-12);
        const char *words = strstr(ritt_error_get(r->error, 0)->text, "fold at ");
        double fold = (2 * PI / 3 + sqrt(3) - 0.1) / STEP[i];
        CHECK(words && fabs(strtod(words + strlen("fold at "), NULL) - fold) < 0.01 * fold);
        CHECK(strstr(ritt_error_get(r->error, 0)->hint, "singular jump"));
      }
      run_free(r);
    }
}

/* A constraint that holds on one side only: the form of the equations changes. */
static void test_form_at_switch(void) {
  run *r = run_text("model form\nvariable u, v, S\nequation\n  u' = S + 1\n  v' = -S\n"
                    "  (if t < 0.5 then S else u - v) = 0\nstart u = 0, v = 0\nsolve t = 0 .. 1\n");
  ritt_options o = run_options("dop853", 1e-8, 1);
  run_try(r, &o);
  CHECK(r->status == RITT_STOPPED);
  CHECK_NEAR(r->statistics.x, 0.5, 1e-12);
  CHECK(strstr(ritt_error_get(r->error, 0)->hint, "change their form at this switch"));
  run_free(r);
}

/* A block on a belt with a spring, m x'' = -x - F sign(x' - u), from x' = u: it sticks until x = F. Then
 * x = F + u sqrt(m) sin((t - t0)/sqrt(m)). */
static void test_belt(void) {
  static const struct {
    const char *text;
    double F, m, begin, to; /* begin: where it begins to stick at x = 0 */
  } model[] = {
      {"variable x\nequation x'' = -x - 0.5*sign(x' - 0.2)\nstart x = 0, x' = 0.2\n", 0.5, 1, 0,
       20},
      /* slides back to x = 0 first: tan(a) = 0.2/0.5, then pi + 2 a */
      {"variable x\nequation x'' = -x - 0.5*sign(x' - 0.2)\nstart x = 1, x' = 0.2\n", 0.5, 1,
       3.902605407814523, 20},
      {"variable x, y, N\nequation\n  2*x'' = -x - 0.5*abs(N)*sign(x' - 0.2)\n"
       "  2*y'' = N - 2*9.81\n  y = 0\nstart x = 0, x' = 0.2\n",
       9.81, 2, 0, 100},
  };
  for (int i = 0; i < 3; i++) {
    char text[400];
    snprintf(text, sizeof text, "model belt\n%ssolve t = 0 .. 1\n", model[i].text);
    run *r = run_text(text);
    ritt_options o = run_options("dop853", 1e-9, model[i].to);
    CHECK(run_go(r, &o));
    double root = sqrt(model[i].m), t0 = model[i].begin + model[i].F / 0.2;
    CHECK_NEAR(run_last(r, "x"), model[i].F + 0.2 * root * sin((model[i].to - t0) / root), 1e-6);
    run_free(r);
  }
}

/* The integral of a pulse of width 0.3 in each period of 1, with steps that are free to be long. */
static void test_pulses(void) {
  run *r = run_text("model pulses\nvariable x\nequation x' = if mod(t, 1) < 0.3 then 1 else 0\n"
                    "start x = 0\nsolve t = 0 .. 1\n");
  ritt_options o = run_options("dop853", 1e-8, 10);
  CHECK(run_go(r, &o));
  CHECK_NEAR(run_last(r, "x"), 3, 1e-9);
  run_free(r);
}

int main(void) {
  test_form_at_switch();
  test_pulses();
  test_belt();
  test_way_over_step();
  test_fold_on_way();
  test_mirrored();
  test_costs_nothing();
  test_square_wave();
  test_far_away();
  test_absolute();
  test_start_derivatives();
  test_branch_without_value();
  test_no_value_is_reported();
  test_sliding_mode();
  test_block_on_floor();
  test_bead_on_hoop();
  test_painleve();
  test_invariants();
  test_algebraic_jump();
  test_commanded_motion();
  return CHECKS_DONE();
}
