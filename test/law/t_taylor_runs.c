/* Whole runs with Taylor methods: against closed forms, and against an explicit method where there
 * are none; the numbers of steps against what the radius of convergence of the solution allows. */
#include "run.h"
#include "exact.h"

static const double kepler_e = 0.5;

/* Kepler's ellipse from its pericentre, major axis 2, period 2 pi. */
static run *kepler(void) {
  return run_text("model kepler\nvariable x, y\nlet r = sqrt(x^2 + y^2)\n"
                  "equation\n  x'' = -x/r^3\n  y'' = -y/r^3\n"
                  "start t = 0\n  x = 1/2, y = 0, x' = 0, y' = sqrt(3)\n"
                  "solve t = 0 .. 20\noutput x, y, x', y'\n");
}

/* The largest error in any row. */
static double kepler_error(const run *r) {
  double worst = 0, z[4], exact[4];
  for (size_t i = 0; i < r->rows; i++) {
    run_list(r, i, "x y x' y'", z);
    double t = run_get(r, i, "t");
    exact_kepler(1 - kepler_e, sqrt(3), fabs(t), exact);
    if (t < 0) exact[1] = -exact[1], exact[2] = -exact[2];
    worst = fmax(worst, run_error(z, exact, 4));
  }
  return worst;
}

/* The solution has its singularities at 2 pi n +- i (acosh(1/e) - sqrt(1 - e^2)); a step of order k
 * with tolerance tol can be about rho tol^(1/k) long, rho the distance to the nearest of them. */
static double steps_expected(double length, int order, double tolerance) {
  double b = acosh(1 / kepler_e) - sqrt(1 - kepler_e * kepler_e), pi = acos(-1);
  return length / (2 * pi) * 2 * asinh(pi / b) / pow(tolerance, 1. / order);
}

static void test_kepler(void) {
  static const struct {
    const char *method;
    int order;
    double tolerance;
  } cases[] = {{"taylor:4", 4, 1e-8},    {"taylor:8", 8, 1e-10},   {"taylor:12", 12, 1e-12},
               {"taylor:16", 16, 1e-13}, {"taylor:20", 20, 1e-14}, {"taylor:30", 30, 1e-15}};
  run *r = kepler();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int way = 0; way < 2; way++) {
      ritt_options o = run_options(cases[i].method, cases[i].tolerance, way ? -20 : 20);
      o.points = 333; /* between the steps, too */
      if (!run_go(r, &o)) continue;
      double error = kepler_error(r),
             expected = steps_expected(20, cases[i].order, cases[i].tolerance);
      CHECK_NEAR(error, 0, 1000 * cases[i].tolerance + 2e-12); /* errors grow along the orbit */
      long steps = r->statistics.accepted, rejected = r->statistics.rejected;
      bool sane = steps > expected / 4 && steps < 2 * expected && rejected < steps;
      if (!sane)
        printf("%s: %ld steps (%ld), about %.0f expected\n", cases[i].method, steps, rejected,
               expected);
      CHECK(sane);
    }
  run_free(r);
}

/* x'' = -x: the k-th term has the length h^k/k!, so that steps are about (k! tol)^(1/k) long, and
 * the terms left out, h^(k+1)/(k+1)! a step, add up to 10 tol/(k + 1) or so. Orders below 4 have
 * fewer terms than the estimate looks at. */
static void test_low_orders(void) {
  run *r = run_text("model circle\nvariable x\nequation x'' = -x\nstart t = 0\n  x = 1, x' = 0\n"
                    "solve t = 0 .. 10\noutput x\n");
  static const char *methods[] = {"taylor:2", "taylor:3", "taylor:4"};
  double factorial = 1, tolerance = 1e-6;
  for (int k = 2; k <= 4; k++) {
    factorial *= k;
    ritt_options o = run_options(methods[k - 2], tolerance, 10);
    o.max_steps = 100000;
    if (!run_go(r, &o)) continue;
    double expected = 10 / pow(factorial * tolerance, 1. / k),
           steps = (double)r->statistics.accepted;
    if (steps < expected / 2 || steps > 2 * expected)
      printf("%s: %g steps, about %g expected\n", methods[k - 2], steps, expected);
    CHECK(steps > expected / 2 && steps < 2 * expected);
    CHECK_NEAR(run_get(r, r->rows - 1, "x"), cos(10.), 10 * tolerance);
  }
  run_free(r);
}

/* the index-3 pendulum by elliptic functions */
static void test_pendulum(void) {
  run *r = run_file("classics/pendulum/pendulum", "output x', y'");
  static const char *const methods[] = {"taylor:14", "taylor:20", "taylor:24"};
  for (size_t i = 0; i < 3; i++) {
    ritt_options o = run_options(methods[i], 1e-13, 10);
    double worst = 0, z[4], exact[4];
    o.points = 101;
    if (!run_go(r, &o)) continue;
    for (size_t k = 0; k < r->rows; k++) {
      run_list(r, k, "x y x' y'", z);
      exact_pendulum(run_get(r, k, "t"), exact);
      worst = fmax(worst, run_error(z, exact, 4));
    }
    CHECK_NEAR(worst, 0, 2e-11);
    CHECK(r->statistics.largest_residual < 1e-13);
  }
  run_free(r);
}

/* Arenstorf's orbit closes, as the literature says of its start values and period to 30 digits. */
static void test_arenstorf(void) {
  run *r = run_file("classics/arenstorf", NULL);
  ritt_options o = run_options(NULL, 0, NAN);
  if (run_go(r, &o)) {
    CHECK_NEAR(run_last(r, "x"), 0.994, 1e-11);
    CHECK_NEAR(run_last(r, "y"), 0, 1e-11);
    CHECK_NEAR(run_last(r, "x'"), 0, 1e-8);
    CHECK_NEAR(run_last(r, "y'"), -2.00158510637908252240537862224, 1e-8);
    for (size_t i = 1; i < r->rows; i++) CHECK_NEAR(run_get(r, i, "J"), run_get(r, 0, "J"), 1e-11);
    CHECK(r->statistics.rejected == 0); /* the error is known before a step is taken */
  }
  run_free(r);
}

/* The last rows of two methods agree. */
static void compare(const char *file, const char *text, const char *set, const char *value,
                    const char *method, double tolerance, double end, double error) {
  run *r = file ? run_file(file, NULL) : run_text(text);
  if (set) run_set(r, set, value);
  ritt_options o = run_options("dop853", 1e-12, end);
  double last[64];
  if (!run_go(r, &o)) {
    run_free(r);
    return;
  }
  size_t width = r->width < 64 ? r->width : 64;
  memcpy(last, r->row + (r->rows - 1) * r->width, width * sizeof *last);
  o = run_options(method, tolerance, end);
  if (run_go(r, &o))
    for (size_t i = 0; i < width; i++)
      if (r->name[i][0] != 't')
        CHECK_NEAR(r->row[(r->rows - 1) * r->width + i], last[i], error * (1 + fabs(last[i])));
  run_free(r);
}

static void test_kinds(void) {
  /* over arc length, across folds */
  compare("papers/sphere", NULL, NULL, NULL, "taylor:20", 1e-12, NAN, 1e-9);
  compare("papers/asymptotic_curves", NULL, NULL, NULL, "taylor:20", 1e-12, NAN, 1e-9);
  compare("papers/parabolas", NULL, NULL, NULL, "taylor:16", 1e-12, NAN, 1e-9);
  compare("papers/parabolas", NULL, NULL, NULL, "taylor3", 1e-7, NAN, 1e-4);
  /* graph, holonomic, with invariants */
  compare("papers/discharge_pressure", NULL, NULL, NULL, "taylor:16", 1e-12, 5, 1e-9);
  compare("papers/fourbar", NULL, NULL, NULL, "taylor:18", 1e-12, 2, 1e-8);
  compare("papers/mech6", NULL, NULL, NULL, "taylor:18", 1e-12, 1, 1e-8);
  compare("papers/mech6", NULL, NULL, NULL, "taylor3n", 1e-6, 0.25, 1e-3);
  compare("ivp/car_axis", NULL, NULL, NULL, "taylor:16", 1e-11, 0.5, 1e-7);
  /* jumps; dry friction, which slides */
  compare("classics/bouncing_ball", NULL, NULL, NULL, "taylor:8", 1e-10, NAN, 1e-8);
  compare("classics/stick_slip", NULL, NULL, NULL, "taylor:12", 1e-11, NAN, 1e-6);
  /* a family large enough for kernels, and sparse algebra */
  compare("classics/n_pendulum", NULL, "n", "150", "taylor:8", 1e-9, 0.05, 1e-6);
}

/* multipliers that are not unique: those of least norm; a table; powers, kinks */
static void test_formulas(void) {
  compare(NULL,
          "model redundant\nvariable x, y, a, b\nequation\n  x'' + a*x + b*x*(1 + y^2) = 0\n"
          "  y'' + a*y + b*y*(1 + y^2) + 1 = 0\n  x^2 + y^2 = 1\n  (x^2 + y^2)^2 = 1\n"
          "start t = 0\n  x = 1, y = 0, x' ~ 0, y' ~ 0\nsolve t = 0 .. 3\noutput x, y, a, b\n",
          NULL, NULL, "taylor:16", 1e-12, NAN, 1e-9);
  compare(
      NULL,
      "model powers\nparameter n = 5/2, k = 3\nvariable x, y\nequation\n"
      "  x' = -abs(y)*y^k + atan2(x, 2 + y)\n  y' = (1 + x^2)^(n/3) - log(2 + sin(x))*y^(5/2) - x^x/9\n"
      "start t = 0\n  x = 1, y = 1/2\nsolve t = 0 .. 1\noutput x, y\n",
      NULL, NULL, "taylor:14", 1e-12, NAN, 1e-9);
}

int main(void) {
  test_kepler();
  test_low_orders();
  test_pendulum();
  test_arenstorf();
  test_kinds();
  test_formulas();
  return CHECKS_DONE();
}
