/* Linearisation and equilibria. The numbers are closed forms: frequencies of pendulums and
 * oscillators, transfer functions of circuits; those of the benchmark bicycle are eigenvalues of its
 * published linear equations, and the ones in the paper's table. */
#include "run.h"

static ritt_linearization *linearize(run *r, const ritt_point *at, const char *input) {
  ritt_linearization *L = NULL;
  const char *inputs[1] = {input};
  r->status = ritt_model_linearize(r->model, at, inputs, input ? 1 : 0, r->error, &L);
  if (r->status == RITT_OK && L) return L;
  run_complain(r, "linearize");
  exit(CHECKS_DONE());
}

static ritt_steady *find_steady(run *r, const char *const *moving, size_t movings,
                                const char *const *hold, size_t holds) {
  ritt_steady *s = NULL;
  r->status = ritt_model_steady(r->model, moving, movings, hold, holds, r->error, &s);
  if (r->status != RITT_OK) run_complain(r, "steady");
  CHECK(s != NULL);
  return s;
}

static double steady_value(const ritt_steady *s, const char *name) {
  for (size_t i = 0; i < s->columns; i++)
    if (!strcmp(s->column_names[i], name)) return s->values[i];
  return NAN;
}

/* Is re + i im among the eigenvalues? */
static void has_eigenvalue(const ritt_linearization *L, double re, double im, double error) {
  double least = INFINITY;
  for (size_t i = 0; i < L->states; i++)
    least = fmin(least, hypot(L->eigenvalue_real[i] - re, L->eigenvalue_imaginary[i] - im));
  CHECK_NEAR(least, 0, error);
}

/* A v = lambda v for all modes, and the eigenvalues come in pairs. */
static void check_modes(const ritt_linearization *L) {
  size_t n = L->states;
  double size = 0, pairs = 0;
  for (size_t i = 0; i < n * n; i++) size = fmax(size, fabs(L->A[i]));
  for (size_t k = 0; k < n; k++) {
    double length = 0, worst = 0;
    pairs += L->eigenvalue_imaginary[k];
    for (size_t i = 0; i < n; i++) {
      double re = 0, im = 0, a = L->eigenvalue_real[k], b = L->eigenvalue_imaginary[k];
      double x = L->mode_real[i * n + k], y = L->mode_imaginary[i * n + k];
      for (size_t j = 0; j < n; j++) {
        re += L->A[i * n + j] * L->mode_real[j * n + k];
        im += L->A[i * n + j] * L->mode_imaginary[j * n + k];
      }
      worst = fmax(worst, hypot(re - a * x + b * y, im - a * y - b * x));
      length += x * x + y * y;
    }
    CHECK_NEAR(length, 1, 1e-12);
    CHECK_NEAR(worst, 0, 1e-12 * (1 + size));
  }
  CHECK(pairs == 0);
}

/* ---- the pendulum of index 3 swings with sqrt(g/L) about its lowest point ---- */

static const char pendulum[] =
    "model m\nparameter g = 9.81, L = 2, u = 0\nvariable x, y, lambda\nequation\n"
    "  x'' + lambda*x = u\n  y'' + lambda*y + g = 0\n  x^2 + y^2 = L^2\n"
    "start t = 0\n  x = 0.5, y ~ -2, x' = 0\nsolve t = 0 .. 1\n";

static void test_pendulum(void) {
  run *r = run_text(pendulum);
  ritt_steady *s = find_steady(r, NULL, 0, NULL, 0);
  if (s) {
    CHECK_NEAR(steady_value(s, "x"), 0, 1e-13);
    CHECK_NEAR(steady_value(s, "y"), -2, 1e-13);
    CHECK_NEAR(steady_value(s, "lambda"), 9.81 / 2, 1e-12);
    ritt_linearization *L = linearize(r, &s->point, "u");
    CHECK(L->states == 2 && L->inputs == 1 && L->outputs == 5);
    has_eigenvalue(L, 0, sqrt(9.81 / 2), 1e-13);
    has_eigenvalue(L, 0, -sqrt(9.81 / 2), 1e-13);
    CHECK(L->largest_velocity < 1e-12);
    check_modes(L);

    /* x'' = u - (g/L) x: B = (0, 1), the outputs x and x' are the states, y changes by nothing */
    CHECK_TEXT(L->state_names[0], "x");
    CHECK_TEXT(L->state_names[1], "x'");
    CHECK_NEAR(L->B[0], 0, 1e-13);
    CHECK_NEAR(L->B[1], 1, 1e-13);
    CHECK_TEXT(L->output_names[1], "y");
    CHECK_NEAR(L->C[0], 1, 1e-13);
    CHECK_NEAR(L->C[2], 0, 1e-13);
    ritt_linearization_free(L);
  }
  ritt_steady_free(s);

  /* above the pivot it falls: +- sqrt(g/L) */
  CHECK(ritt_model_start_value(r->model, "x", 0.01, 1, r->error) == RITT_OK);
  CHECK(ritt_model_start_value(r->model, "y", 2, 0, r->error) == RITT_OK);
  s = find_steady(r, NULL, 0, NULL, 0);
  if (s) {
    CHECK_NEAR(steady_value(s, "y"), 2, 1e-13);
    ritt_linearization *L = linearize(r, &s->point, NULL);
    has_eigenvalue(L, sqrt(9.81 / 2), 0, 1e-13);
    has_eigenvalue(L, -sqrt(9.81 / 2), 0, 1e-13);
    ritt_linearization_free(L);
  }
  ritt_steady_free(s);
  run_free(r);
}

/* On a circle of radius 1 with the angle a, x = sin(a): A at a point that moves is the derivative of
 * x'' = -x x'^2/(1 - x^2) - g x sqrt(1 - x^2) by x and x'. */
static void test_moving_point(void) {
  run *r = run_text("model m\nparameter g = 3\nvariable x, y, lambda\nequation\n"
                    "  x'' + lambda*x = 0\n  y'' + lambda*y + g = 0\n  x^2 + y^2 = 1\n"
                    "start t = 0\n  x = 0.6, y ~ -1, x' = 0.7\nsolve t = 0 .. 1\n");
  ritt_linearization *L = linearize(r, NULL, NULL);
  double x = 0.6, v = 0.7, g = 3, c = sqrt(1 - x * x);
  CHECK(L->states == 2);
  CHECK_TEXT(L->state_names[0], "x");
  if (L->states == 2) {
    CHECK_NEAR(L->A[0], 0, 1e-13);
    CHECK_NEAR(L->A[1], 1, 1e-13);
    double by_x = -v * v / (c * c) - 2 * x * x * v * v / (c * c * c * c) - g * c + g * x * x / c;
    CHECK_NEAR(L->A[2], by_x, 1e-12);
    CHECK_NEAR(L->A[3], -2 * x * v / (c * c), 1e-12);
  }
  ritt_linearization_free(L);
  run_free(r);
}

/* ---- states, and no other ---- */

static void test_states(void) {
  /* an invariant does not take a state away; a double pendulum has two frequencies:
   * omega^2 = g (2 +- sqrt(2)) for equal rods of length 1 and equal masses */
  run *r = run_text("model m\nparameter g = 9.81\nvariable x1, y1, x2, y2\n"
                    "lagrangian (x1'^2 + y1'^2 + x2'^2 + y2'^2)/2 - g*(y1 + y2)\n"
                    "constraint\n  x1^2 + y1^2 = 1\n  (x2 - x1)^2 + (y2 - y1)^2 = 1\n"
                    "invariant energy\n"
                    "start t = 0\n  x1 = 0.1, y1 ~ -1, x2 ~ 0.3, y2 ~ -2, x1' = 0, x2' = 0.1\n"
                    "solve t = 0 .. 1\n");
  ritt_steady *s = find_steady(r, NULL, 0, NULL, 0);
  if (s) {
    ritt_linearization *L = linearize(r, &s->point, NULL);
    CHECK(L->states == 4);
    for (int sign = -1; sign < 2; sign += 2)
      has_eigenvalue(L, 0, sqrt(9.81 * (2 + sign * sqrt(2))), 1e-12);
    check_modes(L);
    ritt_linearization_free(L);
  }
  ritt_steady_free(s);
  run_free(r);

  /* an algebraic chain of index 3 has no free value: no state, no eigenvalue */
  r = run_text("model m\nvariable a, b, c\nequation\n  a = sin(t)\n  b = a'\n  c = b'\n"
               "start t = 0\nsolve t = 0 .. 1\n");
  ritt_linearization *L = linearize(r, NULL, NULL);
  CHECK(L && L->states == 0 && L->outputs >= 3);
  ritt_linearization_free(L);
  run_free(r);

  /* a diode in series with a resistor and a capacitor; the current is solved for (implicit kind):
   * v' = i/C with R i = u - v - w, i = I (exp(w/T) - 1), so at v = u - w - R i the eigenvalue is
   * -1/(C (R + T/(i + I))) */
  r = run_text("model m\nparameter u = 1, R = 100, C = 1e-3, I = 1e-6, T = 0.05\n"
               "variable v, w, i\nequation\n  C*v' = i\n  R*i = u - v - w\n"
               "  i = I*(exp(w/T) - 1)\nstart t = 0\n  v = 0.2\nsolve t = 0 .. 1\n"
               "output v, w, i\n");
  L = linearize(r, NULL, "u");
  double w = 0.5;
  for (int k = 0; k < 60; k++) { /* R i + w = 0.8 by Newton's method */
    double i = 1e-6 * (exp(w / 0.05) - 1);
    w -= (100 * i + w - 0.8) / (100 * (i + 1e-6) / 0.05 + 1);
  }
  double i = 1e-6 * (exp(w / 0.05) - 1), rate = 1 / (1e-3 * (100 + 0.05 / (i + 1e-6)));
  CHECK(L && L->states == 1 && L->outputs == 3);
  has_eigenvalue(L, -rate, 0, 1e-9 * rate);
  CHECK_NEAR(L->B[0], rate, 1e-9 * rate);
  CHECK_NEAR(L->C[2], -rate * 1e-3, 1e-9 * rate * 1e-3); /* of i by v */
  CHECK_NEAR(L->D[2], rate * 1e-3, 1e-9 * rate * 1e-3);  /* of i by u */
  ritt_linearization_free(L);
  run_free(r);
}

/* ---- defective and repeated eigenvalues, and a chain with known frequencies ---- */

static void test_spectrum(void) {
  /* n masses between two walls: 2 sqrt(k/m) sin(pi j/(2(n + 1))) */
  enum { N = 20 };
  run *r = run_text("model m\nparameter n = 20\nvariable x[1..n]\n"
                    "let d[i in 0..n] = (if i = n then 0 else x[i+1]) - (if i = 0 then 0 else "
                    "x[i])\nequation\n  for i in 1..n: x[i]'' = d[i] - d[i-1]\n"
                    "start t = 0\n  for i in 1..n: x[i] = 0, x[i]' = 0\nsolve t = 0 .. 1\n");
  ritt_linearization *L = linearize(r, NULL, NULL);
  CHECK(L && L->states == 2 * N);
  for (int j = 1; j <= N; j++)
    has_eigenvalue(L, 0, 2 * sin(3.14159265358979323846 * j / (2 * (N + 1))), 1e-12);
  check_modes(L);
  ritt_linearization_free(L);
  run_free(r);

  /* a stiff and a slow rate: -1e8 and -1 */
  r = run_text("model m\nvariable x, y\nequation\n  x' = -1e8*x + y\n  y' = -y\n"
               "start t = 0\n  x = 0, y = 0\nsolve t = 0 .. 1\n");
  L = linearize(r, NULL, NULL);
  has_eigenvalue(L, -1e8, 0, 1e-6);
  has_eigenvalue(L, -1, 0, 1e-13);
  ritt_linearization_free(L);
  run_free(r);

  /* three equal eigenvalues with one eigenvector: rounding may move them by its third root */
  r = run_text("model m\nvariable x, y, z\nequation\n  x' = -x + y\n  y' = -y + z\n  z' = -z\n"
               "start t = 0\n  x = 0, y = 0, z = 0\nsolve t = 0 .. 1\n");
  L = linearize(r, NULL, NULL);
  for (int k = 0; k < 3; k++) CHECK_NEAR(L->eigenvalue_real[k], -1, 1e-4);
  ritt_linearization_free(L);
  run_free(r);
}

/* ---- equilibria ---- */

static void test_equilibria(void) {
  /* van der Pol's spiral and Lorenz's second point, from a start far away */
  run *r = run_text("model m\nparameter s = 10, r = 28, b = 8/3\nvariable x, y, z\nequation\n"
                    "  x' = s*(y - x)\n  y' = x*(r - z) - y\n  z' = x*y - b*z\n"
                    "start t = 0\n  x = 7, y = 9, z = 24\nsolve t = 0 .. 1\n");
  ritt_steady *s = find_steady(r, NULL, 0, NULL, 0);
  if (s) {
    CHECK_NEAR(steady_value(s, "x"), sqrt(72), 1e-12);
    CHECK_NEAR(steady_value(s, "z"), 27, 1e-12);
    ritt_linearization *L = linearize(r, &s->point, NULL);
    /* lambda^3 + (s + b + 1) lambda^2 + b (r + s) lambda + 2 b s (r - 1) */
    for (int k = 0; k < 3; k++) {
      double a = L->eigenvalue_real[k], b = L->eigenvalue_imaginary[k];
      double p = 41.0 / 3, q = 8.0 / 3 * 38, c = 2 * 8.0 / 3 * 10 * 27;
      double a2 = a * a - b * b, b2 = 2 * a * b;
      CHECK_NEAR(a * a2 - b * b2 + p * a2 + q * a + c, 0, 1e-9);
      CHECK_NEAR(a * b2 + b * a2 + p * b2 + q * b, 0, 1e-9);
    }
    ritt_linearization_free(L);
  }
  ritt_steady_free(s);
  run_free(r);

  /* The only equilibrium is the real root of x^3 - 2x + 2 (Cardano). From x = 1 Newton's method goes back
   * and forth between 0 and 1, |x'| has a least value at sqrt(2/3), and the solution grows without bound.
   * The curve to the root turns twice. */
  double third = sqrt(1 - 8.0 / 27), root = cbrt(-1 + third) + cbrt(-1 - third);
  for (int i = 0; i < 2; i++) {
    r = run_text(i ? "model m\nvariable x, y\nequation\n  x' = y\n  y - x^3 + 2*x - 2 = 0\n"
                     "start t = 0\n  x = 1\nsolve t = 0 .. 1\n"
                   : "model m\nvariable x\nequation x'' = x^3 - 2*x + 2\n"
                     "start t = 0\n  x = 1, x' = 0\nsolve t = 0 .. 1\n");
    s = find_steady(r, NULL, 0, NULL, 0);
    if (s) CHECK_NEAR(steady_value(s, "x"), root, 1e-12);
    ritt_steady_free(s);
    run_free(r);
  }

  /* no equilibrium: x' = 1 */
  r = run_text("model m\nvariable x\nequation x' = 1 + x^2\nstart t = 0\n  x = 0\n"
               "solve t = 0 .. 1\n");
  s = NULL;
  CHECK(ritt_model_steady(r->model, NULL, 0, NULL, 0, r->error, &s) == RITT_IMPOSSIBLE);
  CHECK(s == NULL && ritt_error_count(r->error) == 1);
  run_free(r);

  /* a conical pendulum: height g/w^2 below the pivot if it turns with w = 3 */
  r = run_text("model m\nparameter g = 9.81\nvariable a, th\n"
               "lagrangian (th'^2 + sin(th)^2*a'^2)/2 + g*cos(th)\n"
               "start t = 0\n  a = 0, a' = 4, th = 1, th' = 0.1\nsolve t = 0 .. 1\n");
  const char *moving = "a", *hold = "a'";
  s = find_steady(r, &moving, 1, &hold, 1);
  if (s) {
    CHECK_NEAR(cos(steady_value(s, "th")), 9.81 / 16, 1e-12);
    CHECK_NEAR(steady_value(s, "a'"), 4, 0);
    CHECK_NEAR(s->point.derivative[1], 4, 0);
    /* small oscillations: w^2 (1 + 3 cos^2) */
    ritt_linearization *L = linearize(r, &s->point, NULL);
    double c = 9.81 / 16;
    has_eigenvalue(L, 0, sqrt(16 * (1 + 3 * c * c)), 1e-11);
    ritt_linearization_free(L);
  }
  ritt_steady_free(s);

  /* refused: names that are not coordinates */
  moving = "nothing";
  ritt_error_clear(r->error);
  CHECK(ritt_model_steady(r->model, &moving, 1, NULL, 0, r->error, &s) == RITT_WRONG_CALL);
  ritt_linearization *L;
  CHECK(ritt_model_linearize(r->model, NULL, &moving, 1, r->error, &L) == RITT_WRONG_CALL);
  CHECK(L == NULL);
  run_free(r);
}

/* An input in a constraint is refused: its derivatives would act, too. */
static void test_refused(void) {
  run *r = run_text(pendulum);
  ritt_linearization *L;
  const char *input = "L";
  CHECK(ritt_model_linearize(r->model, NULL, &input, 1, r->error, &L) == RITT_IMPOSSIBLE);
  CHECK(L == NULL && ritt_error_count(r->error) == 1);
  run_free(r);
}

/* ---- the benchmark bicycle at 5 m/s: weave, capsize and castering ---- */

static void check_bicycle(const ritt_linearization *L, double error) {
  has_eigenvalue(L, -0.32286642900409, 0, error);
  has_eigenvalue(L, -14.0783896927982, 0, error);
  has_eigenvalue(L, -0.77534188219585, 4.46486771378823, error);
  has_eigenvalue(L, -0.77534188219585, -4.46486771378823, error);
}

static void test_bicycle(void) {
  /* its published linear equations */
  run *r = run_file("users/vehicles/bicycle_whipple", NULL);
  run_set(r, "v", "5");
  ritt_linearization *L = linearize(r, NULL, NULL);
  CHECK(L && L->states == 4);
  check_bicycle(L, 1e-11);
  ritt_linearization_free(L);
  run_free(r);

  /* four rigid bodies, rolling */
  if (CHECK_SLOW) return;
  const char *moving[] = {"X", "rear", "front"}, *hold[] = {"X'"};
  r = run_file("classics/bicycle", NULL);
  ritt_steady *s = find_steady(r, moving, 3, hold, 1);
  if (s) {
    L = linearize(r, &s->point, NULL);
    CHECK(L && L->states == 10);
    check_bicycle(L, 1e-11);
    ritt_linearization_free(L);
  }
  ritt_steady_free(s);
  run_free(r);
}

int main(void) {
  test_pendulum();
  test_moving_point();
  test_states();
  test_spectrum();
  test_equilibria();
  test_refused();
  test_bicycle();
  return CHECKS_DONE();
}
