/* Fits: exact data give exact parameters, start values and gaps included; noisy data give intervals
 * that hold the truth as often as they say; outliers count less with a robust loss. */
#include "run.h"

#include <stdint.h>

enum { TIMES = 40 };

static const char pendulum[] = "model pendulum\n"
                               "parameter g = 9, L = 1.7, c = 0.1\n"
                               "variable x, y, lambda\n"
                               "equation\n"
                               "  x'' + lambda*x + c*x' = 0\n"
                               "  y'' + lambda*y + c*y' + g = 0\n"
                               "  x^2 + y^2 = L^2\n"
                               "start t = 0\n"
                               "  x = 1, y ~ -2, x' = 0\n"
                               "solve t = 0 .. 4\n"
                               "output x, y\n";

static const char *const columns[] = {"t", "x"};

/* Measures x of the pendulum with g = 9.81, L = 2, c = 0.3. */
static void measure(double *data) {
  run *r = run_text(pendulum);
  const char *const names[] = {"g", "L", "c"}, *const values[] = {"9.81", "2", "0.3"};
  double at[TIMES];
  ritt_options options = ritt_options_default();
  CHECK(ritt_model_set_all(r->model, names, values, 3, r->error) == RITT_OK);
  for (int i = 0; i < TIMES; i++) at[i] = 0.1 * (i + 1);
  options.tolerance = 1e-11;
  options.at = at;
  options.at_count = TIMES;
  run_go(r, &options);
  for (int i = 0; i < TIMES; i++) {
    data[2 * i] = at[i];
    data[2 * i + 1] = run_get(r, (size_t)i, "x");
  }
  run_free(r);
}

static ritt_fit *fit(run *r, const double *values, const ritt_fit_unknown *unknown, size_t count,
                     const ritt_fit_options *how, double tolerance) {
  ritt_fit_data data = {TIMES, 2, columns, values};
  ritt_options options = ritt_options_default();
  ritt_fit *found = NULL;
  options.tolerance = tolerance;
  r->status = ritt_model_fit(r->model, &data, unknown, count, how, &options, r->error, &found);
  if (r->status != RITT_OK) run_complain(r, "fit");
  return found;
}

static void test_exact_data(const double *data) {
  run *r = run_text(pendulum);
  ritt_fit_unknown unknown[] = {{"g", NAN, NAN, NAN}, {"L", NAN, NAN, NAN}, {"c", NAN, NAN, NAN}};
  ritt_fit *f = fit(r, data, unknown, 3, NULL, 1e-11);
  if (f) {
    CHECK_NEAR(f->values[0], 9.81, 1e-7);
    CHECK_NEAR(f->values[1], 2, 1e-7);
    CHECK_NEAR(f->values[2], 0.3, 1e-8);
    CHECK(f->converged && f->data == TIMES);
    CHECK(f->cost < 1e-14);
  }
  ritt_fit_free(f);
  run_free(r);
}

/* The start value of x' is unknown, some data are missing, and a bound is active. */
static void test_start_values_gaps_bounds(const double *exact) {
  double data[2 * TIMES];
  run *r = run_text(pendulum);
  CHECK(ritt_model_set(r->model, "L", "2", r->error) == RITT_OK);
  memcpy(data, exact, sizeof data);
  for (int i = 5; i < 11; i++) data[2 * i + 1] = NAN;
  ritt_fit_unknown unknown[] = {
      {"x'", 0.5, NAN, NAN}, {"g", NAN, NAN, NAN}, {"c", NAN, 0, 1}, {"x", 0.9, NAN, NAN}};
  ritt_fit *f = fit(r, data, unknown, 4, NULL, 1e-11);
  if (f) {
    CHECK_NEAR(f->values[0], 0, 1e-6);
    CHECK_NEAR(f->values[1], 9.81, 1e-6);
    CHECK_NEAR(f->values[3], 1, 1e-6);
    CHECK(f->data == TIMES - 6 && isnan(f->residuals[11]) && !f->bounded[2]);
    CHECK_NEAR(f->solution[2 * 7 + 1], exact[2 * 7 + 1], 1e-8);
  }
  ritt_fit_free(f);

  ritt_fit_unknown bounded[] = {{"c", 0.1, 0, 0.2}};
  f = fit(r, exact, bounded, 1, NULL, 1e-9);
  if (f) CHECK(f->values[0] == 0.2 && f->bounded[0] && f->deviations[0] == 0);
  ritt_fit_free(f);
  run_free(r);
}

static void test_outliers(const double *exact) {
  double data[2 * TIMES], error[2] = {0};
  const char *const loss[] = {"linear", "cauchy"};
  memcpy(data, exact, sizeof data);
  data[2 * 3 + 1] += 5;
  data[2 * 17 + 1] += 5;
  for (int i = 0; i < 2; i++) {
    run *r = run_text(pendulum);
    ritt_fit_options how = ritt_fit_options_default();
    how.loss = loss[i];
    how.scale = 0.01;
    CHECK(ritt_model_set(r->model, "L", "2", r->error) == RITT_OK);
    CHECK(ritt_model_set(r->model, "g", "9.81", r->error) == RITT_OK);
    ritt_fit_unknown unknown[] = {{"c", NAN, NAN, NAN}};
    ritt_fit *f = fit(r, data, unknown, 1, &how, 1e-9);
    error[i] = f ? fabs(f->values[0] - 0.3) : NAN;
    ritt_fit_free(f);
    run_free(r);
  }
  CHECK(error[0] > 1e-2);
  CHECK(error[1] < 1e-4);
}

/* The cost of a frequency has many minima: one start is caught in one of them. */
static void test_several_starts(void) {
  double data[2 * TIMES];
  ritt_fit_unknown unknown[] = {{"w", NAN, 0.5, 6}};
  ritt_fit_options how = ritt_fit_options_default();
  for (int i = 0; i < TIMES; i++) {
    data[2 * i] = 0.25 * i;
    data[2 * i + 1] = cos(4 * data[2 * i]);
  }
  for (how.starts = 1; how.starts <= 16; how.starts += 15) {
    run *r = run_text("model o\nparameter w = 1\nvariable x\nequation x'' = -w^2*x\nstart t = 0\n"
                      "  x = 1, x' = 0\nsolve t = 0 .. 10\noutput x\n");
    ritt_fit *f = fit(r, data, unknown, 1, &how, 1e-9);
    if (f) CHECK((fabs(f->values[0] - 4) < 1e-6) == (how.starts > 1));
    ritt_fit_free(f);
    run_free(r);
  }
}

/* Two parameters of which only the product counts are not determined. */
static void test_undetermined(void) {
  double data[2 * TIMES];
  ritt_fit_unknown unknown[] = {{"a", NAN, NAN, NAN}, {"b", NAN, NAN, NAN}};
  for (int i = 0; i < TIMES; i++) {
    data[2 * i] = 0.1 * i;
    data[2 * i + 1] = exp(-2 * data[2 * i]) + 1e-3 * cos(37.0 * i);
  }
  run *r =
      run_text("model d\nparameter a = 1, b = 1.5\nvariable x\nequation x' = -a*b*x\nstart t = 0\n"
               "  x = 1\nsolve t = 0 .. 4\n");
  ritt_fit *f = fit(r, data, unknown, 2, NULL, 1e-9);
  if (f) {
    CHECK_NEAR(f->values[0] * f->values[1], 2, 2e-2);
    CHECK(isinf(f->deviations[0]) && isinf(f->deviations[1]));
  }
  ritt_fit_free(f);
  run_free(r);
}

/* A normal number by Box and Muller's formula from a linear congruence (Knuth's MMIX). */
static double draw_normal(uint64_t *state) {
  double u[2];
  for (int i = 0; i < 2; i++) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    u[i] = ((double)(*state >> 11) + 0.5) * 0x1p-53;
  }
  return sqrt(-2 * log(u[0])) * cos(6.283185307179586 * u[1]);
}

/* 95 %: the truth lies inside in 90 to 99 of 100 draws. */
static void test_intervals(const double *exact) {
  static const double truth[] = {9.81, 0.3};
  int inside[2] = {0};
  uint64_t state = 1;
  run *r = run_text(pendulum);
  CHECK(ritt_model_set(r->model, "L", "2", r->error) == RITT_OK);
  for (int draw = 0; draw < 100; draw++) {
    double data[2 * TIMES];
    memcpy(data, exact, sizeof data);
    for (int i = 0; i < TIMES; i++) data[2 * i + 1] += 0.02 * draw_normal(&state);
    ritt_fit_unknown unknown[] = {{"g", 9.5, NAN, NAN}, {"c", 0.2, NAN, NAN}};
    ritt_fit *f = fit(r, data, unknown, 2, NULL, 1e-6);
    for (int k = 0; f && k < 2; k++) inside[k] += f->low[k] <= truth[k] && truth[k] <= f->high[k];
    if (f) CHECK(f->residual_deviation > 0.01 && f->residual_deviation < 0.03);
    ritt_fit_free(f);
  }
  printf("inside: %d and %d of 100\n", inside[0], inside[1]);
  for (int k = 0; k < 2; k++) CHECK(inside[k] >= 90 && inside[k] <= 99);
  run_free(r);
}

/* Factors of Student's distribution from tables: an interval of one parameter of a constant. */
static void test_student(void) {
  static const struct {
    size_t rows;
    double factor;
  } known[] = {
      {2, 12.7062047}, {3, 4.30265273}, {6, 2.57058184}, {11, 2.22813885}, {101, 1.98397152}};
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    double values[202];
    for (size_t i = 0; i < known[k].rows; i++) {
      values[2 * i] = (double)i;
      values[2 * i + 1] = i % 2 ? 1 : -1;
    }
    run *r = run_text("model c\nparameter a = 0.5\nvariable x\nequation x = a\nstart t = 0\n"
                      "solve t = 0 .. 1\noutput x\n");
    ritt_fit_data data = {known[k].rows, 2, columns, values};
    ritt_fit_unknown unknown[] = {{"a", NAN, NAN, NAN}};
    ritt_fit *f = NULL;
    r->status = ritt_model_fit(r->model, &data, unknown, 1, NULL, NULL, r->error, &f);
    if (r->status != RITT_OK) run_complain(r, "student");
    if (f) {
      /* the variance of the mean: sum of squares / (n - 1) / n */
      double n = (double)known[k].rows, mean = known[k].rows % 2 ? -1 / n : 0;
      double deviation = sqrt((n - n * mean * mean) / (n - 1) / n);
      CHECK_NEAR(f->values[0], mean, 1e-12);
      CHECK_NEAR((f->high[0] - f->values[0]) / deviation, known[k].factor, 1e-6);
    }
    ritt_fit_free(f);
    run_free(r);
  }
}

int main(void) {
  double data[2 * TIMES];
  measure(data);
  test_exact_data(data);
  test_start_values_gaps_bounds(data);
  test_outliers(data);
  test_several_starts();
  test_undetermined();
  test_student();
  test_intervals(data);
  return CHECKS_DONE();
}
