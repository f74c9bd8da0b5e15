/* Series through the DAG against repeated total derivatives: the k-th coefficient is D^k e / k!. */
#include "check.h"
#include "expr/series.h"

enum { TERMS = 7 };

static double coefficient[2][TERMS + 4]; /* of two variables */

/* jets of y = sum c_k x^k: the series of y^(s) is sum (k+s)!/k! c_{k+s} x^k */
static double factor(int k, int s) {
  double f = 1;
  for (int i = 1; i <= s; i++) f *= k + i;
  return f;
}
static void jet_series(const void *context, int variable, int order, int terms, double *out) {
  (void)context;
  for (int k = 0; k < terms; k++)
    out[k] = k + order < TERMS + 4 ? factor(k, order) * coefficient[variable][k + order] : 0;
}
static double jet_value(const void *context, int variable, int order) {
  (void)context;
  return order < TERMS + 4 ? factor(0, order) * coefficient[variable][order] : 0;
}

int main(void) {
  ritti_dag *dag = ritti_dag_new();
  ritti_expr x = ritti_independent(dag), u = ritti_jet(dag, 0, 0), v = ritti_jet(dag, 1, 1), e[32];
  ritti_expr two = ritti_number(dag, 2, 1), half = ritti_number(dag, 1, 2);
  ritti_expr safe = ritti_add(dag, ritti_power(dag, u, two),
                              ritti_add(dag, ritti_power(dag, v, two), two)); /* >= 2 */
  ritti_expr small =
      ritti_divide(dag, ritti_multiply(dag, u, v), ritti_add(dag, safe, x)); /* in (-1, 1) */
  size_t count = 0;
  static const ritti_op unary[] = {RITTI_EXP,  RITTI_SIN,  RITTI_COS,  RITTI_TAN,
                                   RITTI_ASIN, RITTI_ACOS, RITTI_ATAN, RITTI_SINH,
                                   RITTI_COSH, RITTI_TANH, RITTI_ABS,  RITTI_SIGN};
  for (size_t i = 0; i < sizeof unary / sizeof *unary; i++)
    e[count++] = ritti_apply(dag, unary[i], &small, 1);
  e[count++] = ritti_apply(dag, RITTI_LOG, &safe, 1);
  e[count++] = ritti_power(dag, safe, half);
  e[count++] = ritti_power(dag, safe, ritti_number(dag, -7, 3));
  e[count++] = ritti_power(dag, safe, small);
  e[count++] = ritti_power(dag, ritti_subtract(dag, u, ritti_parameter(dag, 0)),
                           ritti_number(dag, 5, 1)); /* base 0 */
  e[count++] = ritti_apply(dag, RITTI_ATAN2, (ritti_expr[]){u, safe}, 2);
  e[count++] = ritti_apply(dag, RITTI_MAX, (ritti_expr[]){u, v}, 2);
  e[count++] = ritti_apply(dag, RITTI_MIN, (ritti_expr[]){ritti_multiply(dag, u, v), x}, 2);
  e[count++] = ritti_multiply(dag, ritti_multiply(dag, u, ritti_level(dag, 0)), ritti_pi(dag));
  e[count++] = ritti_jet(dag, 0, 3);
  static const ritti_op more[] = {RITTI_ERF, RITTI_ERFC, RITTI_FLOOR, RITTI_CEIL, RITTI_ROUND};
  for (size_t i = 0; i < sizeof more / sizeof *more; i++)
    e[count++] = ritti_apply(dag, more[i], &small, 1);
  e[count++] = ritti_apply(dag, RITTI_LOG2, &safe, 1);
  e[count++] = ritti_apply(dag, RITTI_LOG10, &safe, 1);
  e[count++] = ritti_apply(dag, RITTI_CBRT, &safe, 1);
  e[count++] = ritti_apply(dag, RITTI_HYPOT, (ritti_expr[]){u, safe}, 2);
  CHECK(ritti_dag_status(dag) == RITT_OK);
  ritti_series_plan *plan;
  CHECK(ritti_series_plan_new(dag, e, count, TERMS, &plan) == RITT_OK);
  for (int test = 0; test < 6; test++) {
    double parameter, level = check_random(), x0 = check_random(), series[32 * TERMS];
    for (int j = 0; j < 2; j++)
      for (int k = 0; k < TERMS + 4; k++) coefficient[j][k] = check_random();
    parameter = coefficient[0][0];
    ritti_series_values s = {
        .independent = x0, .jet = jet_series, .parameter = &parameter, .level = &level};
    ritti_values d = {
        .independent = x0, .jet = jet_value, .parameter = &parameter, .level = &level};
    ritti_series_plan_evaluate(plan, &s, TERMS, series);
    for (size_t i = 0; i < count; i++) {
      ritti_expr derivative = e[i];
      double factorial = 1, value;
      for (int k = 0; k < TERMS - 1; k++) {
        if (k) derivative = ritti_dag_total(dag, derivative), factorial *= k;
        CHECK(ritti_dag_evaluate(dag, derivative, &d, &value) == RITT_OK);
        if (i == 16 && k > 0 && k < 5)
          continue; /* 0^m with a symbolic derivative: zero, checked by the others */
        CHECK_NEAR(series[i * TERMS + (size_t)k], value / factorial,
                   1e-9 * (1 + fabs(value / factorial)));
      }
    }
  }
  ritti_series_plan_free(plan);
  ritti_dag_free(dag);
  return CHECKS_DONE();
}
