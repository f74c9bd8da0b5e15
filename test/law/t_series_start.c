/* Starts at regular singular points against closed forms: Bessel functions, Legendre polynomials, the
 * sine integral, the stars of Lane and Emden; and the messages where there is no such solution. */
#include "run.h"

static const char *const METHOD[] = {"dopri54", "dop853", "radau5", "taylor:20"};

/* The model is run by several methods; its last row must have these values. */
static void check_end(const char *text, double to, const char *columns, const double *expected,
                      int count) {
  for (int k = 0; k < 4; k++) {
    run *r = run_text(text);
    ritt_options o = run_options(METHOD[k], 1e-11, to);
    CHECK(run_go(r, &o));
    run_digits(r, columns, expected, count, 8, METHOD[k]);
    CHECK(r->statistics.free_initial_values == 1);
    run_free(r);
  }
}

/* J_n(x) by its series */
static double bessel(int n, double x) {
  double sum = 0, term = 1;
  for (int k = 1; k <= n; k++) term *= x / (2 * k);
  for (int k = 0; k < 60; k++) {
    sum += term;
    term *= -x * x / (4.0 * (k + 1) * (k + 1 + n));
  }
  return sum;
}

static double sine_integral(double x) {
  double sum = 0, term = x;
  for (int k = 0; k < 40; k++) {
    sum += term / (2 * k + 1);
    term *= -x * x / ((2 * k + 2) * (2 * k + 3));
  }
  return sum;
}

static void check_closed_forms(void) {
  check_end("model bessel\nindependent x\nvariable y\nequation x*y'' + y' + x*y = 0\n"
            "start x = 0, y = 1\nsolve x = 0 .. 10\noutput y, y'\n",
            10, "y y'", (double[]){bessel(0, 10), -bessel(1, 10)}, 2);

  /* y'' is needed: every multiple of J_2 is smooth */
  check_end("model bessel\nindependent x\nvariable y\nequation y'' + y'/x + (1 - 4/x^2)*y = 0\n"
            "start x = 0, y = 0, y'' = 1/4\nsolve x = 0 .. 10\noutput y, part = y/x^2\n",
            10, "y part", (double[]){bessel(2, 10), bessel(2, 10) / 100}, 2);

  /* to the left: P_5 = (63 x^5 - 70 x^3 + 15 x)/8 */
  check_end(
      "model legendre\nindependent x\nvariable y\nequation (1 - x^2)*y'' - 2*x*y' + 30*y = 0\n"
      "start x = 1, y = 1\nsolve x = 1 .. 0.1\noutput y\n",
      0.1, "y", (double[]){(63e-5 - 70e-3 + 1.5) / 8}, 1);

  check_end("model integral\nindependent x\nvariable y\nequation y' = sin(x)/x\n"
            "start x = 0, y = 0\nsolve x = 0 .. 3\noutput y, y'\n",
            3, "y y'", (double[]){sine_integral(3), sin(3) / 3}, 2);

  /* n = 1: sin(x)/x, with the derivative of a product */
  check_end("model star\nindependent x\nvariable y\nequation (x^2*y')' = -x^2*y\n"
            "start x = 0, y = 1\nsolve x = 0 .. 3\noutput y\n",
            3, "y", (double[]){sin(3) / 3}, 1);

  /* n = 5 with the mass m and the mean density w: y = (1 + x^2/3)^(-1/2), m = -x^2 y' */
  double y = pow(1 + 25 / 3.0, -0.5), m = 125 / 3.0 * y * y * y;
  check_end("model star\nindependent x\nparameter n = 5\nvariable y, m, w\n"
            "equation\n  m' = x^2*y^n\n  x^2*y' = -m\n  w = 3*m/x^3\n"
            "start x = 0, y = 1, m = 0\nsolve x = 0 .. 5\noutput y, m, w\n",
            5, "y m w", (double[]){y, m, 3 * m / 125}, 3);
}

/* The first row has limits where the expressions have no value. */
static void check_first_row(void) {
  run *r = run_text("model star\nindependent x\nvariable y\nequation y'' + 2/x*y' + y^5 = 0\n"
                    "start x = 0, y = 1\nsolve x = 0 .. 0.01\n  rows 11\n"
                    "output y, y'', ratio = y'/x, other = (1 - y)/x^2\n");
  ritt_options o = run_options("dop853", 1e-12, 0.01);
  CHECK(run_go(r, &o) && r->rows == 11);
  CHECK_NEAR(run_get(r, 0, "y''"), -1 / 3.0, 1e-15);
  CHECK_NEAR(run_get(r, 0, "ratio"), -1 / 3.0, 1e-15);
  CHECK_NEAR(run_get(r, 0, "other"), 1 / 6.0, 1e-15);
  for (size_t k = 1; k < r->rows; k++) {
    double x = run_get(r, k, "x"), y = 1 / sqrt(1 + x * x / 3);
    CHECK_NEAR(run_get(r, k, "y"), y, 1e-12);
    CHECK_NEAR(run_get(r, k, "ratio"), -y * y * y / 3, 1e-9);
  }
  run_free(r);
}

static void check_message(const char *text, const char *part) {
  run *r = run_text(text);
  ritt_options o = run_options("dopri54", 1e-8, 1);
  CHECK(run_try(r, &o) != RITT_OK);
  CHECK(ritt_error_count(r->error) == 1);
  const char *message =
      ritt_error_count(r->error) > 0 ? ritt_error_get(r->error, 0)->text : "no message";
  if (strstr(message, part)) checks_passed++;
  else checks_failed++, printf("failed: '%s' in '%s'\n", part, message);
  run_free(r);
}

static void check_messages(void) {
  const char *family = "more than one smooth solution begins there";
  check_message("model m\nindependent x\nvariable y\nequation y'' + y'/x + (1 - 4/x^2)*y = 0\n"
                "start x = 0, y = 0\nsolve x = 0 .. 1\n",
                "y'' is not determined");
  check_message("model m\nindependent x\nvariable y\nequation x*y' = 40*y\n"
                "start x = 0, y = 0\nsolve x = 0 .. 1\n",
                family);
  check_message("model m\nindependent x\nvariable y\nequation y'' + 2/x*y' + y = 0\n"
                "start x = 0, y = 1, y' = 1\nsolve x = 0 .. 1\n",
                "no smooth solution with these start values");

  /* sum -k! x^(k+1) */
  check_message("model m\nindependent x\nvariable y\nequation x^2*y' = y - x\n"
                "start x = 0, y = 0\nsolve x = 0 .. 1\n",
                "irregular singular point");

  /* y = 1/x or 0 or log(x): no power series */
  check_message("model m\nindependent x\nvariable y\nequation x*y' = 1\n"
                "start x = 0, y = 0\nsolve x = 0 .. 1\n",
                "no smooth solution");
  check_message("model m\nindependent x\nvariable y\nequation y'' = y^1.5/sqrt(x)\n"
                "start x = 0, y = 1, y' = -1\nsolve x = 0 .. 1\n",
                "has no value at the start point");
}

/* Another value of a parameter has another series. */
static void check_sweep(void) {
  run *r = run_text("model star\nindependent x\nparameter n = 0\nvariable y\n"
                    "equation y'' + 2/x*y' + y^n = 0\nstart x = 0, y = 1\nsolve x = 0 .. 2\n"
                    "output y\n");
  static const char *const value[] = {"0", "1", "5"};
  double expected[] = {1 - 4 / 6.0, sin(2) / 2, 1 / sqrt(1 + 4 / 3.0)};
  ritt_options o = run_options("dopri54", 1e-11, 2);
  for (int k = 0; k < 3; k++) {
    run_set(r, "n", value[k]);
    CHECK(run_go(r, &o));
    CHECK_NEAR(run_last(r, "y"), expected[k], 1e-9);
  }
  run_free(r);
}

int main(void) {
  check_closed_forms();
  check_first_row();
  check_messages();
  check_sweep();
  return CHECKS_DONE();
}
