/* Total derivatives of high order: against closed forms, against repeated differentiation, and their
 * number of nodes. */
#include <math.h>
#include "check.h"
#include "expr/expr.h"

static ritti_dag *dag;

static ritti_expr number(long n) { return ritti_number(dag, n, 1); }

static ritti_expr call(ritti_op op, ritti_expr u) {
  return ritti_apply(dag, op, (ritti_expr[]){u}, 1);
}

/* y_0 = sin t, y_1 = exp(2 t), with all derivatives */
static double curve(const void *context, int variable, int order) {
  double t = *(const double *)context;
  return variable ? ldexp(exp(2 * t), order) : sin(t + order * acos(0));
}

static double value_at(ritti_expr e, double t) {
  double p = 0.75, out = NAN;
  ritti_values values = {.independent = t, .jet = curve, .context = &t, .parameter = &p};
  CHECK(ritti_dag_evaluate(dag, e, &values, &out) == RITT_OK);
  return out;
}

/* D^k f = expected at t, for k = 30 and below; the error is relative to the larger one of this
 * derivative and the one below it, since a derivative may be small by cancellation */
static void compare(ritti_expr f, double t, double (*expected)(double t, int k)) {
  for (int k = 0; k <= 30; k++) {
    double right = expected(t, k), size = fmax(fabs(right), fabs(expected(t, k ? k - 1 : 0)));
    double value = value_at(ritti_dag_total_of_order(dag, f, k), t);
    CHECK_NEAR(value, right, 1e-11 * size);
  }
}

static double reciprocal(double t, int k) { return tgamma(k + 1) / pow(1 - t, k + 1); }

/* (-1)^(k-1) (k-1)! / t^k */
static double logarithm(double t, int k) {
  if (k == 0) return log(t);
  return (k % 2 ? 1 : -1) * tgamma(k) / pow(t, k);
}

/* p (p-1) ... (p-k+1) t^(p-k), p = 3/4 */
static double power(double t, int k) {
  double factor = 1;
  for (int i = 0; i < k; i++) factor *= 0.75 - i;
  return factor * pow(t, 0.75 - k);
}

/* (k-1)! cos(a)^k sin(k (a + pi/2)), a = atan t */
static double arc_tangent(double t, int k) {
  double a = atan(t);
  return k ? tgamma(k) * pow(cos(a), k) * sin(k * (a + acos(0))) : a;
}

/* t^3 exp(2 t): by Leibniz' rule */
static double cubic(double t, int k) {
  double slope[] = {t * t * t, 3 * t * t, 6 * t, 6}, binomial = 1, sum = 0;
  for (int j = 0; j <= 3 && j <= k; j++) {
    sum += binomial * slope[j] * ldexp(exp(2 * t), k - j);
    binomial *= (double)(k - j) / (j + 1);
  }
  return sum;
}

/* sin t exp(2 t) = Im exp((2 + i) t) */
static double spiral(double t, int k) {
  return pow(5, k / 2.0) * exp(2 * t) * sin(t + k * atan2(1, 2));
}

static void test_closed_forms(void) {
  ritti_expr t = ritti_independent(dag), p = ritti_parameter(dag, 0);
  compare(ritti_divide(dag, number(1), ritti_subtract(dag, number(1), t)), 0.25, reciprocal);
  compare(call(RITTI_LOG, t), 1.5, logarithm);
  compare(ritti_power(dag, t, ritti_number(dag, 3, 4)), 1.5, power);
  compare(ritti_power(dag, t, p), 1.5, power);
  compare(call(RITTI_ATAN, t), 0.3, arc_tangent);

  ritti_expr twice = call(RITTI_EXP, ritti_multiply(dag, number(2), t));
  compare(ritti_multiply(dag, ritti_power(dag, t, number(3)), twice), 0.5, cubic);
  compare(ritti_multiply(dag, ritti_jet(dag, 0, 0), ritti_jet(dag, 1, 0)), 0.5, spiral);
}

/* The same as differentiating again and again, for kinks, branches and all functions. */
static void test_repeated(void) {
  ritti_expr t = ritti_independent(dag), x = ritti_jet(dag, 0, 0), y = ritti_jet(dag, 1, 0);
  ritti_expr sum = ritti_add(dag, x, ritti_multiply(dag, t, y));
  ritti_expr two[] = {sum, y};
  static const ritti_op unary[] = {RITTI_TAN,  RITTI_TANH, RITTI_SINH, RITTI_COSH, RITTI_ERF,
                                   RITTI_CBRT, RITTI_LOG2, RITTI_ABS,  RITTI_SIGN, RITTI_FLOOR};
  static const ritti_op binary[] = {RITTI_ATAN2, RITTI_HYPOT, RITTI_MIN,   RITTI_MAX,
                                    RITTI_WHEN,  RITTI_POWER, RITTI_UNLESS};
  ritti_expr root[17];
  for (int i = 0; i < 10; i++) root[i] = call(unary[i], sum);
  for (int i = 0; i < 7; i++) root[10 + i] = ritti_apply(dag, binary[i], two, 2);
  for (int i = 0; i < 17; i++) {
    ritti_expr again = root[i];
    for (int k = 0; k <= 7; k++, again = ritti_dag_total(dag, again)) {
      double right = value_at(again, 0.4);
      CHECK(isfinite(right));
      CHECK_NEAR(value_at(ritti_dag_total_of_order(dag, root[i], k), 0.4), right,
                 1e-9 * (1 + fabs(right)));
    }
  }
}

/* The derivatives of sin(t) exp(cos(t)) at 1, computed with 60 digits from the series. */
static void test_length(void) {
  ritti_expr t = ritti_independent(dag);
  ritti_expr f = ritti_multiply(dag, call(RITTI_SIN, t), call(RITTI_EXP, call(RITTI_COS, t)));
  CHECK_NEAR(value_at(ritti_dag_total_of_order(dag, f, 10), 1), 39788.994123180533, 1e-8);
  CHECK_NEAR(value_at(ritti_dag_total_of_order(dag, f, 20), 1), 2443037091353.1485, 1);

  ritti_expr high = ritti_dag_total_of_order(dag, f, 30);
  CHECK_NEAR(value_at(high, 1), 4.2564222155931862e21, 1e10);
  ritti_nodes nodes;
  CHECK(ritti_nodes_below(dag, &high, 1, &nodes) == RITT_OK);
  CHECK(nodes.count < 3000);
  ritti_free(nodes.at);
}

/* Leaves. */
static void test_leaves(void) {
  ritti_expr x = ritti_jet(dag, 0, 2);
  CHECK(ritti_dag_total_of_order(dag, x, 0) == x);
  CHECK(ritti_dag_total_of_order(dag, x, 9) == ritti_jet(dag, 0, 11));
  CHECK(ritti_is_zero(dag, ritti_dag_total_of_order(dag, ritti_pi(dag), 9)));
  CHECK(ritti_is_zero(dag, ritti_dag_total_of_order(dag, ritti_independent(dag), 9)));
}

int main(void) {
  dag = ritti_dag_new();
  CHECK(dag != NULL);
  test_closed_forms();
  test_repeated();
  test_length();
  test_leaves();
  CHECK(ritti_dag_status(dag) == RITT_OK);
  ritti_dag_free(dag);
  return CHECKS_DONE();
}
