/* Derivatives: against dual numbers coded in the test, against differences, along a curve;
 * substitution. */
#include "random_tree.h"

static ritti_dag *dag;

static double value(ritti_expr e, const ritti_values *v) {
  double out = NAN;
  CHECK(ritti_dag_evaluate(dag, e, v, &out) == RITT_OK);
  return out;
}

static double partial_value(ritti_expr e, ritti_expr leaf, const ritti_values *v) {
  return value(ritti_dag_partial(dag, e, leaf), v);
}

/* sum of gradient times direction = the dual number's derivative, and each partial = the gradient's
 * entry */
static void test_gradient(void) {
  int compared = 0;
  for (int trial = 0; trial < 20000; trial++) {
    tree t = tree_random(7 + below(12), 8);
    dual leaf[TREE_LEAVES];
    tree_point p;
    for (int i = 0; i < TREE_LEAVES; i++)
      leaf[i] = (dual){p.x[i] = 2 * check_random(),
                       i == trial % TREE_LEAVES ? 1
                       : trial % 2              ? check_random()
                                                : 0,
                       0};
    dual expected = tree_evaluate(&t, leaf);
    if (isnan(expected.size)) continue;
    ritti_values values = tree_values(&p);
    ritti_expr e = tree_build(dag, &t);
    ritti_gradient g;
    CHECK(ritti_dag_gradient(dag, e, &g) == RITT_OK);
    double sum = 0, size = expected.size;
    for (size_t j = 0; j < g.count; j++) {
      CHECK(j == 0 || g.leaf[j] > g.leaf[j - 1]);
      CHECK(ritti_dag_partial(dag, e, g.leaf[j]) == g.derivative[j]);
      for (int i = 0; i < TREE_LEAVES; i++)
        if (g.leaf[j] == tree_leaf(dag, i) && leaf[i].d != 0) {
          double d = value(g.derivative[j], &values);
          sum += d * leaf[i].d;
          if (fabs(d) > size) size = fabs(d);
        }
    }
    CHECK_NEAR(sum, expected.d, 1e-8 * size * expected.size);
    ritti_gradient_clear(&g);
    compared++;
  }
  CHECK(compared > 2000);
}

/* the curve y_0 = sin t, y_1 = exp(t/2) with all its derivatives */
static double curve(const void *context, int variable, int order) {
  double t = *(const double *)context;
  if (variable) return exp(t / 2) / (1 << order);
  return order % 4 == 0 ? sin(t) : order % 4 == 1 ? cos(t) : order % 4 == 2 ? -sin(t) : -cos(t);
}

/* d/dt of an expression along the curve: by dual numbers, and the second derivative by differences
 * of the first */
static void test_total(void) {
  int compared = 0;
  for (int trial = 0; trial < 6000; trial++) {
    tree tr = tree_random(7 + below(9), 8);
    double t = check_random(), p = check_random(), h = 1e-5;
    dual leaf[TREE_LEAVES] = {{t, 1, 0},
                              {sin(t), cos(t), 0},
                              {cos(t), -sin(t), 0},
                              {exp(t / 2), exp(t / 2) / 2, 0},
                              {p, 0, 0}};
    dual expected = tree_evaluate(&tr, leaf);
    if (isnan(expected.size)) continue;
    ritti_expr d = ritti_dag_total(dag, tree_build(dag, &tr)), dd = ritti_dag_total(dag, d);
    ritti_values v = {.independent = t, .jet = curve, .context = &t, .parameter = &p};
    CHECK_NEAR(value(d, &v), expected.d, 1e-8 * expected.size * expected.size);
    double middle = value(dd, &v), left, right, t0 = t;
    if (!(fabs(middle) < 100)) continue;
    v.independent = t = t0 - h, left = value(d, &v);
    v.independent = t = t0 + h, right = value(d, &v);
    double ddd = value(ritti_dag_total(dag, dd), &v);
    if (!(fabs(ddd) < 1e3)) continue; /* too crooked for differences */
    CHECK_NEAR((right - left) / (2 * h), middle, 1e-3 * (1 + expected.size));
    compared++;
  }
  CHECK(compared > 500);
}

static void test_mixed(void) {
  for (int trial = 0; trial < 3000; trial++) {
    tree t = tree_random(7 + below(9), 8);
    tree_point p;
    dual leaf[TREE_LEAVES];
    for (int i = 0; i < TREE_LEAVES; i++) leaf[i] = (dual){p.x[i] = 2 * check_random(), 1, 0};
    if (isnan(tree_evaluate(&t, leaf).size)) continue;
    ritti_values v = tree_values(&p);
    ritti_expr e = tree_build(dag, &t), a = tree_leaf(dag, below(TREE_LEAVES)),
               b = tree_leaf(dag, below(TREE_LEAVES));
    double ab = partial_value(ritti_dag_partial(dag, e, a), b, &v),
           ba = partial_value(ritti_dag_partial(dag, e, b), a, &v);
    if (fabs(ab) < 1e4) CHECK_NEAR(ab, ba, 1e-7 * (1 + fabs(ab)));
  }
}

/* every function of one argument against central differences where it is smooth */
static void test_functions(void) {
  ritti_expr x = ritti_independent(dag);
  for (int op = RITTI_EXP; op < RITTI_ATAN2; op++)
    for (double at = -0.9; at < 1; at += 0.2) {
      ritti_expr e = ritti_apply(dag, (ritti_op)op, &x, 1);
      double h = 1e-6, difference = (ritti_op_value((ritti_op)op, at + h, 0) -
                                     ritti_op_value((ritti_op)op, at - h, 0)) /
                                    (2 * h);
      ritti_values v = {.independent = at};
      bool jump = op == RITTI_ROUND && fabs(fabs(at) - 0.5) < 2 * h;
      if (isfinite(difference) && !jump) CHECK_NEAR(partial_value(e, x, &v), difference, 1e-7);
    }
  /* at the kinks: the mean of both sides */
  ritti_expr zero = ritti_number(dag, 0, 1), a = ritti_jet(dag, 0, 0);
  ritti_values v = {.independent = 0, .jet = curve, .context = &(double){0}};
  CHECK(partial_value(ritti_apply(dag, RITTI_ABS, &x, 1), x, &v) == 0);
  CHECK(partial_value(ritti_apply(dag, RITTI_MAX, (ritti_expr[]){x, zero}, 2), x, &v) == 0.5);
  CHECK(partial_value(ritti_apply(dag, RITTI_MIN, (ritti_expr[]){x, a}, 2), x, &v) == 0.5);
}

static void test_powers(void) {
  ritti_expr x = ritti_independent(dag), p = ritti_parameter(dag, 0), two = ritti_number(dag, 2, 1);
  CHECK(ritti_dag_partial(dag, ritti_power(dag, x, two), x) == ritti_multiply(dag, two, x));
  /* x^p at a negative x: no logarithm where only x varies */
  double two_and_more[] = {3};
  ritti_values v = {.independent = -2, .parameter = two_and_more};
  CHECK_NEAR(partial_value(ritti_power(dag, x, p), x, &v), 12, 0);
  CHECK(ritti_dag_total(dag, p) == ritti_number(dag, 0, 1));
  CHECK_NEAR(partial_value(ritti_power(dag, two, x), x, &v), log(2) / 4, 1e-16);
}

/* Substituting and evaluating = evaluating with other values; all at once, so that x and y may
 * change places.
 */
static void test_substitute(void) {
  for (int trial = 0; trial < 2000; trial++) {
    tree t = tree_random(7 + below(12), 8), s = tree_random(TREE_LEAVES + 3, 3);
    tree_point p, q;
    dual leaf[TREE_LEAVES];
    for (int i = 0; i < TREE_LEAVES; i++) q.x[i] = p.x[i] = 2 * check_random();
    ritti_values v = tree_values(&p), w = tree_values(&q);
    ritti_expr from[] = {tree_leaf(dag, 1), tree_leaf(dag, 2)},
               to[] = {tree_leaf(dag, 2), tree_build(dag, &s)};
    q.x[1] = p.x[2], q.x[2] = value(to[1], &v);
    for (int i = 0; i < TREE_LEAVES; i++) leaf[i] = (dual){q.x[i], 0, 0};
    dual expected = tree_evaluate(&t, leaf);
    if (isnan(expected.size)) continue;
    ritti_expr roots[] = {tree_build(dag, &t), tree_leaf(dag, 1)};
    CHECK_NEAR(value(roots[0], &w), expected.v, 1e-9 * expected.size);
    CHECK(ritti_dag_substitute(dag, from, to, 2, roots, 2) == RITT_OK);
    CHECK_NEAR(value(roots[0], &v), expected.v, 1e-9 * expected.size);
    CHECK(roots[1] == to[0]);
  }
  ritti_expr x = ritti_independent(dag), e = ritti_apply(dag, RITTI_SIN, &x, 1),
             zero = ritti_number(dag, 0, 1);
  CHECK(ritti_dag_substitute(dag, &x, &zero, 1, &e, 1) == RITT_OK &&
        e == zero); /* simplifies on the way */
}

int main(void) {
  dag = ritti_dag_new();
  test_gradient();
  test_total();
  test_mixed();
  test_functions();
  test_powers();
  test_substitute();
  CHECK(ritti_dag_status(dag) == RITT_OK);
  ritti_dag_free(dag);
  return CHECKS_DONE();
}
