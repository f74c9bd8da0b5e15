/* The store and the constructors: equal expressions have one id, simplification keeps values,
 * exactly. */
#include <stdlib.h>
#include <time.h>
#include "random_tree.h"

static ritti_dag *dag;
static ritti_expr x, y, z;

static ritti_expr n(long a, unsigned long b) { return ritti_number(dag, a, b); }
static ritti_expr add(ritti_expr a, ritti_expr b) { return ritti_add(dag, a, b); }
static ritti_expr sub(ritti_expr a, ritti_expr b) { return ritti_subtract(dag, a, b); }
static ritti_expr mul(ritti_expr a, ritti_expr b) { return ritti_multiply(dag, a, b); }
static ritti_expr quo(ritti_expr a, ritti_expr b) { return ritti_divide(dag, a, b); }
static ritti_expr pwr(ritti_expr a, long p, unsigned long q) {
  return ritti_power(dag, a, n(p, q));
}
static ritti_expr call(ritti_op op, ritti_expr a) { return ritti_apply(dag, op, &a, 1); }

static void test_hash_consing(void) {
  CHECK(n(2, 4) == n(1, 2) && n(-3, 9) == n(-1, 3) && n(0, 7) == n(0, 1));
  CHECK(n(1, 2) != n(-1, 2) && n(1, 2) != n(2, 1));
  CHECK(ritti_jet(dag, 3, 2) == ritti_jet(dag, 3, 2) &&
        ritti_jet(dag, 3, 2) != ritti_jet(dag, 2, 3));
  CHECK(ritti_parameter(dag, 1) != ritti_level(dag, 1) &&
        ritti_level(dag, 1) != ritti_multiplier(dag, 1));
  CHECK(add(x, y) == add(y, x) && mul(x, mul(y, z)) == mul(mul(z, x), y));
  CHECK(call(RITTI_SIN, add(x, y)) == call(RITTI_SIN, add(y, x)) &&
        call(RITTI_SIN, x) != call(RITTI_COS, x));
  CHECK(ritti_op_of(dag, add(x, y)) == RITTI_ADD && ritti_argument_count(dag, add(x, y)) == 2);
  CHECK(ritti_is_leaf(dag, x) && !ritti_is_leaf(dag, add(x, y)) &&
        ritti_order_of(dag, ritti_jet(dag, 3, 2)) == 2);
  /* a pointer to a number stays good while others are made */
  mpq_srcptr third = ritti_rational_of(dag, n(1, 3));
  for (long i = 0; i < 1000; i++) n(i, 7);
  CHECK(mpq_cmp_ui(third, 1, 3) == 0 && third == ritti_rational_of(dag, n(1, 3)));
}

/* Many nodes with one largest argument, and many with their own: all are different, and are found
 * again in any order */
static void test_many(void) {
  enum { MANY = 20000 };
  static ritti_expr product[MANY], next[MANY], square[MANY];
  ritti_dag *d = ritti_dag_new();
  for (int i = 0; i < MANY; i++) ritti_jet(d, i, 0);
  ritti_expr u = ritti_jet(d, MANY, 3), before = ritti_dag_count(d);
  for (int i = 0; i < MANY; i++) {
    product[i] = ritti_multiply(d, ritti_jet(d, i, 0), u);
    next[i] = ritti_add(d, ritti_jet(d, i, 0), ritti_jet(d, i ? i - 1 : MANY, i ? 0 : 3));
    square[i] = ritti_power(d, next[i], ritti_number(d, 2, 1));
  }
  CHECK(ritti_dag_count(d) == before + 3 * MANY + 1); /* and the number 2 */
  for (int i = MANY; i-- > 0;) {
    CHECK(ritti_multiply(d, u, ritti_jet(d, i, 0)) == product[i]);
    CHECK(ritti_power(d, next[i], ritti_number(d, 2, 1)) == square[i]);
  }
  CHECK(ritti_dag_count(d) == before + 3 * MANY + 1);
  CHECK(ritti_dag_status(d) == RITT_OK);
  ritti_dag_free(d);
}

static void test_sums(void) {
  CHECK(add(x, n(0, 1)) == x && sub(x, x) == n(0, 1) && add(x, x) == mul(n(2, 1), x));
  CHECK(add(mul(n(1, 3), x), mul(n(2, 3), x)) == x);
  CHECK(add(n(1, 2), n(1, 3)) == n(5, 6));
  CHECK(ritti_sum(dag, (ritti_expr[]){x, n(1, 1), y, mul(n(-1, 1), x), n(2, 1)}, 5) ==
        add(n(3, 1), y));
  CHECK(ritti_sum(dag, NULL, 0) == n(0, 1) && ritti_product(dag, NULL, 0) == n(1, 1));
  ritti_expr s = add(x, y);
  CHECK(add(mul(n(2, 1), s), mul(n(3, 1), s)) == mul(s, n(5, 1)) && sub(s, s) == n(0, 1));
  CHECK(ritti_argument_count(dag, add(s, z)) == 2); /* not flattened */
  CHECK(ritti_negate(dag, ritti_negate(dag, s)) == s);
}

static void test_products(void) {
  CHECK(mul(n(0, 1), quo(n(1, 1), x)) == n(0, 1) && mul(n(1, 1), x) == x);
  CHECK(mul(x, pwr(x, 2, 1)) == pwr(x, 3, 1) && mul(pwr(x, -1, 1), pwr(x, -1, 1)) == pwr(x, -2, 1));
  CHECK(mul(pwr(x, 1, 2), pwr(x, 1, 3)) == pwr(x, 5, 6));
  /* these would hide where the product is undefined */
  CHECK(quo(x, x) != n(1, 1) && mul(pwr(x, 2, 1), pwr(x, -1, 1)) != x);
  CHECK(quo(x, n(2, 1)) == mul(n(1, 2), x) && quo(x, mul(n(4, 1), y)) == mul(n(1, 4), quo(x, y)));
  CHECK(quo(quo(x, y), z) == quo(x, mul(y, z)));
  ritti_expr zero = quo(n(1, 1), n(0, 1));
  CHECK(ritti_op_of(dag, zero) == RITTI_POWER);
  CHECK(mul(mul(n(2, 1), x), mul(n(1, 2), y)) == mul(x, y));
}

static void test_powers(void) {
  CHECK(pwr(n(4, 1), 1, 2) == n(2, 1) && pwr(n(8, 27), -2, 3) == n(9, 4) &&
        pwr(n(2, 3), -3, 1) == n(27, 8));
  CHECK(ritti_op_of(dag, pwr(n(2, 1), 1, 2)) == RITTI_POWER &&
        ritti_op_of(dag, pwr(n(-4, 1), 1, 2)) == RITTI_POWER);
  CHECK(pwr(x, 1, 1) == x && pwr(x, 0, 1) == n(1, 1) && ritti_power(dag, n(1, 1), x) == n(1, 1));
  CHECK(pwr(pwr(x, 2, 1), 3, 1) == pwr(x, 6, 1) && pwr(pwr(x, 1, 2), 2, 1) == x);
  CHECK(pwr(pwr(x, 2, 1), 1, 2) != x); /* |x| */
  CHECK(pwr(mul(x, y), 2, 1) == mul(pwr(x, 2, 1), pwr(y, 2, 1)));
  CHECK(pwr(mul(n(4, 1), x), 1, 2) == mul(n(2, 1), pwr(x, 1, 2)));
  ritti_expr root = pwr(mul(x, y), 1, 2);
  CHECK(mul(root, root) == mul(x, y) && mul(mul(root, x), root) == mul(pwr(x, 2, 1), y));
  CHECK(pwr(mul(z, root), 2, 1) == mul(mul(x, y), pwr(z, 2, 1)));
  CHECK(mul(pwr(n(2, 1), 1, 2), pwr(n(2, 1), 1, 2)) == n(2, 1));
  CHECK(pwr(n(-1, 1), 1000000001, 1) == n(-1, 1));
}

static void test_functions(void) {
  static const ritti_op zero[] = {RITTI_SIN,  RITTI_TAN,  RITTI_ASIN, RITTI_ATAN,
                                  RITTI_SINH, RITTI_TANH, RITTI_ERF,  RITTI_CBRT};
  for (size_t i = 0; i < sizeof zero / sizeof *zero; i++) CHECK(call(zero[i], n(0, 1)) == n(0, 1));
  CHECK(call(RITTI_COS, n(0, 1)) == n(1, 1) && call(RITTI_EXP, n(0, 1)) == n(1, 1) &&
        call(RITTI_COSH, n(0, 1)) == n(1, 1));
  CHECK(call(RITTI_LOG, n(1, 1)) == n(0, 1) && call(RITTI_ABS, n(-2, 3)) == n(2, 3) &&
        call(RITTI_SIGN, n(-2, 3)) == n(-1, 1));
  CHECK(call(RITTI_LOG2, n(1, 1)) == n(0, 1) && call(RITTI_LOG10, n(1, 1)) == n(0, 1) &&
        call(RITTI_ERFC, n(0, 1)) == n(1, 1));
  static const struct {
    long above, below, floor, ceil, round;
  } whole[] = {{7, 2, 3, 4, 4},  {-7, 2, -4, -3, -4}, {5, 4, 1, 2, 1}, {-5, 4, -2, -1, -1},
               {1, 2, 0, 1, 1},  {-1, 2, -1, 0, -1},  {3, 1, 3, 3, 3}, {-3, 1, -3, -3, -3},
               {11, 4, 2, 3, 3}, {0, 1, 0, 0, 0}};
  for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
    ritti_expr q = n(whole[i].above, (unsigned long)whole[i].below);
    CHECK(call(RITTI_FLOOR, q) == n(whole[i].floor, 1));
    CHECK(call(RITTI_CEIL, q) == n(whole[i].ceil, 1));
    CHECK(call(RITTI_ROUND, q) == n(whole[i].round, 1));
  }
  CHECK(ritti_apply(dag, RITTI_MIN, (ritti_expr[]){n(1, 2), n(1, 3)}, 2) == n(1, 3));
  CHECK(ritti_apply(dag, RITTI_MAX, (ritti_expr[]){n(1, 2), n(1, 3)}, 2) == n(1, 2));
  CHECK(ritti_op_of(dag, call(RITTI_SIN, n(1, 1))) == RITTI_SIN);
}

/* a number as the nearest double: against strtod of the decimal text */
static void test_doubles(void) {
  static const char *const text[] = {"0.1",
                                     "1e-320",
                                     "4.9406564584124654e-324",
                                     "2e-324",
                                     "3e-324",
                                     "123456789.123456789",
                                     "1.7976931348623157e308",
                                     "1.8e308",
                                     "-2.2250738585072011e-308",
                                     "9007199254740993",
                                     "0.3333333333333333333333333",
                                     "-1e22",
                                     "5e-310",
                                     "1e400",
                                     "1e-400"};
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
    mpq_t q;
    mpq_init(q);
    char digits[64];
    const char *e = strchr(text[i], 'e'), *dot = strchr(text[i], '.');
    long exponent = e ? strtol(e + 1, NULL, 10) : 0;
    size_t length = e ? (size_t)(e - text[i]) : strlen(text[i]), j = 0;
    for (size_t k = 0; k < length; k++)
      if (text[i][k] != '.') digits[j++] = text[i][k];
    digits[j] = 0;
    if (dot) exponent -= (long)(text[i] + length - dot - 1);
    mpz_set_str(mpq_numref(q), digits, 10);
    mpz_t ten;
    mpz_init(ten);
    mpz_ui_pow_ui(ten, 10, (unsigned long)labs(exponent));
    if (exponent >= 0) mpz_mul(mpq_numref(q), mpq_numref(q), ten);
    else mpz_set(mpq_denref(q), ten);
    mpq_canonicalize(q);
    CHECK(ritti_rational_double(q) == strtod(text[i], NULL));
    mpz_clear(ten);
    mpq_clear(q);
  }
}

/* ---- simplification keeps values ---- */
/* Exact value of a rational expression of the DAG; false: a division by 0. */
static bool exact_value(ritti_expr root, mpq_t *leaf, mpq_t out) {
  ritti_nodes nodes;
  if (ritti_nodes_below(dag, &root, 1, &nodes) != RITT_OK) return false;
  mpq_t *value = malloc(ritti_dag_count(dag) * sizeof *value);
  bool good = true;
  for (size_t i = 0; i < nodes.count; i++) {
    ritti_expr e = nodes.at[i];
    mpq_init(value[e]);
    switch (ritti_op_of(dag, e)) {
    case RITTI_NUMBER: mpq_set(value[e], ritti_rational_of(dag, e)); break;
    case RITTI_INDEPENDENT: mpq_set(value[e], leaf[0]); break;
    case RITTI_JET:
      mpq_set(value[e], leaf[ritti_index_of(dag, e) ? 3 : 1 + ritti_order_of(dag, e)]);
      break;
    case RITTI_PARAMETER: mpq_set(value[e], leaf[4]); break;
    case RITTI_ADD:
      for (size_t j = 0; j < ritti_argument_count(dag, e); j++)
        mpq_add(value[e], value[e], value[ritti_argument(dag, e, j)]);
      break;
    case RITTI_MULTIPLY:
      mpq_set_ui(value[e], 1, 1);
      for (size_t j = 0; j < ritti_argument_count(dag, e); j++)
        mpq_mul(value[e], value[e], value[ritti_argument(dag, e, j)]);
      break;
    case RITTI_POWER: {
      mpq_srcptr b = value[ritti_argument(dag, e, 0)],
                 p = ritti_rational_of(dag, ritti_argument(dag, e, 1));
      long k = mpz_get_si(mpq_numref(p));
      if (mpz_cmp_ui(mpq_denref(p), 1) || labs(k) > 1000 || (k < 0 && mpq_sgn(b) == 0)) {
        good = false;
        break;
      }
      mpz_pow_ui(mpq_numref(value[e]), mpq_numref(b), (unsigned long)labs(k));
      mpz_pow_ui(mpq_denref(value[e]), mpq_denref(b), (unsigned long)labs(k));
      if (k < 0) mpq_inv(value[e], value[e]);
      break;
    }
    default: good = false;
    }
  }
  mpq_set(out, value[root]);
  for (size_t i = 0; i < nodes.count; i++) mpq_clear(value[nodes.at[i]]);
  free(value);
  ritti_free(nodes.at);
  return good;
}

/* The same for the tree, without any simplification. */
static bool exact_tree(const tree *t, mpq_t *leaf, mpq_t out) {
  mpq_t e[TREE_NODES];
  bool good = true;
  for (int i = 0; i < t->count; i++) mpq_init(e[i]);
  for (int i = 0; i < t->count && good; i++) {
    const tree_node *m = &t->at[i];
    switch (m->kind) {
    case T_LEAF: mpq_set(e[i], leaf[m->a]); break;
    case T_INT:
      mpq_set_si(e[i], m->a, (unsigned long)m->b);
      mpq_canonicalize(e[i]);
      break;
    case T_ADD: mpq_add(e[i], e[m->a], e[m->b]); break;
    case T_SUB: mpq_sub(e[i], e[m->a], e[m->b]); break;
    case T_MUL: mpq_mul(e[i], e[m->a], e[m->b]); break;
    default:
      good = mpq_sgn(e[m->b]) != 0;
      if (good) mpq_div(e[i], e[m->a], e[m->b]);
    }
    good = good && mpz_sizeinbase(mpq_numref(e[i]), 2) < 20000;
  }
  mpq_set(out, e[t->count - 1]);
  for (int i = 0; i < t->count; i++) mpq_clear(e[i]);
  return good;
}

static void test_exact_values(void) {
  mpq_t leaf[TREE_LEAVES], a, b;
  mpq_inits(a, b, NULL);
  for (int i = 0; i < TREE_LEAVES; i++) mpq_init(leaf[i]);
  int compared = 0;
  for (int trial = 0; trial < 3000; trial++) {
    tree t = tree_random(8 + below(24), trial % 2 ? 3 : 4);
    ritti_expr e = tree_build(dag, &t);
    for (int i = 0; i < TREE_LEAVES; i++) {
      mpq_set_si(leaf[i], below(15) - 7, 1 + (unsigned)below(5));
      mpq_canonicalize(leaf[i]);
    }
    if (!exact_tree(&t, leaf, a)) continue;
    CHECK(exact_value(e, leaf, b) && mpq_equal(a, b));
    compared++;
  }
  CHECK(compared > 1500);
  for (int i = 0; i < TREE_LEAVES; i++) mpq_clear(leaf[i]);
  mpq_clears(a, b, NULL);
}

static void test_values(void) {
  int compared = 0;
  for (int trial = 0; trial < 20000; trial++) {
    tree t = tree_random(7 + below(12), 8);
    dual leaf[TREE_LEAVES];
    tree_point p;
    for (int i = 0; i < TREE_LEAVES; i++) leaf[i] = (dual){p.x[i] = 2 * check_random(), 0, 0};
    dual expected = tree_evaluate(&t, leaf);
    if (isnan(expected.size)) continue;
    double v;
    ritti_values values = tree_values(&p);
    CHECK(ritti_dag_evaluate(dag, tree_build(dag, &t), &values, &v) == RITT_OK);
    CHECK_NEAR(v, expected.v, 1e-9 * expected.size);
    compared++;
  }
  CHECK(compared > 2000);
}

/* ---- size ---- */
static void test_large_numbers(void) {
  ritti_expr nine = n(9, 1), e = nine;
  for (int i = 0; i < 3; i++) e = ritti_power(dag, nine, e);
  ritti_values none = {0};
  double v;
  CHECK(ritti_op_of(dag, e) == RITTI_POWER);
  CHECK(ritti_dag_evaluate(dag, e, &none, &v) == RITT_OK && isinf(v) && v > 0);
  /* repeated squaring of a number stays bounded too, and the value stays right */
  e = n(3, 2);
  for (int i = 0; i < 40; i++) e = mul(e, e);
  CHECK(ritti_dag_evaluate(dag, e, &none, &v) == RITT_OK && isinf(v));
  e = pwr(n(2, 1), 3000, 1);
  ritti_expr down = pwr(n(3, 1), -1900, 1), f = e;
  for (int i = 0; i < 30; i++) f = mul(f, e);
  for (int i = 0; i < 31; i++) f = mul(f, down);
  CHECK(ritti_dag_status(dag) == RITT_OK);
}

enum { MANY = 100000, FACTORS = 5000 };

static void test_long_and_deep(void) {
  clock_t start = clock();
  ritti_dag *d = ritti_dag_new();
  ritti_expr *terms = malloc(MANY * sizeof *terms), deep = ritti_jet(d, 0, 0),
             chain = ritti_number(d, 1, 1);
  for (int i = 0; i < MANY; i++) {
    ritti_expr u = ritti_jet(d, i, 0);
    terms[i] = ritti_multiply(d, u, u);
    deep = ritti_apply(d, RITTI_ATAN, (ritti_expr[]){ritti_add(d, deep, ritti_number(d, 1, 1))}, 1);
    if (i < FACTORS) chain = ritti_multiply(d, chain, u);
  }
  ritti_expr wide = ritti_sum(d, terms, MANY), product = ritti_product(d, terms, FACTORS);
  CHECK(ritti_argument_count(d, wide) == MANY && ritti_argument_count(d, product) == FACTORS);
  ritti_expr all[] = {wide, deep, product, chain, ritti_power(d, chain, ritti_number(d, 2, 1))};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    ritti_gradient g;
    ritti_plan *plan;
    double v;
    CHECK(ritti_dag_gradient(d, all[i], &g) == RITT_OK && g.count == (i == 0   ? MANY
                                                                      : i == 1 ? 1
                                                                               : FACTORS));
    CHECK(ritti_plan_new(d, g.derivative, 1, &plan) == RITT_OK);
    tree_point p = {{0}};
    ritti_values values = tree_values(&p);
    ritti_plan_evaluate(plan, &values, &v);
    CHECK(v == 0 || all[i] == deep);
    CHECK(ritti_dag_total(d, all[i]) != RITTI_NIL);
    ritti_expr y0 = ritti_jet(d, 0, 0), two = ritti_number(d, 2, 1), root = all[i];
    CHECK(ritti_dag_substitute(d, &y0, &two, 1, &root, 1) == RITT_OK && root != all[i]);
    ritti_text text = {0};
    ritti_dag_print(d, all[i], NULL, &text);
    CHECK(text.status == RITT_OK && text.count > FACTORS);
    ritti_text_free(&text);
    ritti_plan_free(plan);
    ritti_gradient_clear(&g);
  }
  CHECK(ritti_dag_status(d) == RITT_OK);
  double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  CHECK(seconds < 60); /* linear: a few seconds with sanitizers */
  printf("long and deep: %.2f s, %u nodes\n", seconds, ritti_dag_count(d));
  free(terms);
  ritti_dag_free(d);
}

/* A DAG whose tree would have 2^200 nodes. */
static void test_shared(void) {
  ritti_expr e = x;
  for (int i = 0; i < 200; i++) e = call(RITTI_SIN, add(e, mul(y, call(RITTI_COS, e))));
  ritti_expr d = ritti_dag_partial(dag, e, x);
  CHECK(d != RITTI_NIL);
  ritti_text text = {0};
  ritti_dag_print(dag, d, NULL, &text);
  CHECK(text.status == RITT_OK && text.count < 2000000 && !strcmp(text.at + text.count - 3, "..."));
  ritti_text_free(&text);
}

static void test_leaves(void) {
  ritti_expr e = add(mul(x, call(RITTI_SIN, y)), mul(x, n(3, 1)));
  ritti_nodes leaves;
  CHECK(ritti_leaves(dag, e, RITTI_JET, &leaves) == RITT_OK && leaves.count == 2);
  CHECK(leaves.at[0] == (x < y ? x : y));
  ritti_free(leaves.at);
  CHECK(ritti_depends_on(dag, e, x) && ritti_depends_on(dag, e, y) && !ritti_depends_on(dag, e, z));
}

static void test_culprit(void) {
  ritti_expr root = pwr(sub(x, n(1, 1)), 1, 2), e = add(call(RITTI_EXP, root), y),
             fraction = quo(z, y);
  ritti_plan *plan;
  ritti_expr roots[] = {e, fraction};
  CHECK(ritti_plan_new(dag, roots, 2, &plan) == RITT_OK);
  tree_point p = {{0, 2, 1, 3, 0}};
  ritti_values values = tree_values(&p);
  double v[2];
  ritti_plan_evaluate(plan, &values, v);
  CHECK(ritti_plan_culprit(plan) == RITTI_NIL && v[0] == exp(1) + 1 && v[1] == 3);
  p.x[1] = 0.5;
  ritti_plan_evaluate(plan, &values, v);
  CHECK(ritti_plan_culprit(plan) == root && isnan(v[0]));
  p.x[1] = 2, p.x[2] = 0;
  ritti_plan_evaluate(plan, &values, v);
  CHECK(ritti_plan_culprit(plan) == fraction && isinf(v[1]));
  p.x[2] = NAN;
  ritti_plan_evaluate(plan, &values, v);
  CHECK(ritti_plan_culprit(plan) == y);
  ritti_plan_free(plan);
  /* NaN goes through every operator */
  for (int op = RITTI_ADD; op < RITTI_OP_COUNT; op++) {
    CHECK(isnan(ritti_op_value((ritti_op)op, NAN, 1.5)));
    if (op == RITTI_UNLESS)
      CHECK(ritti_op_value(RITTI_UNLESS, 1.5, NAN) == 0); /* the branch not taken */
    else if (op < RITTI_EXP || op >= RITTI_ATAN2)
      CHECK(isnan(ritti_op_value((ritti_op)op, 1.5, NAN)));
  }
}

static double value_at(ritti_expr e, double t) {
  tree_point p = {{0, t}};
  ritti_values values = tree_values(&p);
  double v;
  CHECK(ritti_dag_evaluate(dag, e, &values, &v) == RITT_OK);
  return v;
}

/* if x > 0 then sqrt(x) else x^2: the branch not taken has no value, and does not show; derivatives
 * likewise */
static void test_branches(void) {
  ritti_expr root = ritti_power(dag, x, ritti_number(dag, 1, 2)),
             square = ritti_power(dag, x, ritti_number(dag, 2, 1));
  ritti_expr e = ritti_add(dag, ritti_apply(dag, RITTI_WHEN, (ritti_expr[]){x, root}, 2),
                           ritti_apply(dag, RITTI_UNLESS, (ritti_expr[]){x, square}, 2));
  ritti_expr d = ritti_dag_partial(dag, e, x), dd = ritti_dag_partial(dag, d, x);
  static const double at[] = {4, -3, 0};
  for (int i = 0; i < 3; i++) {
    double t = at[i];
    CHECK_NEAR(value_at(e, t), t > 0 ? sqrt(t) : t * t, 0);
    CHECK_NEAR(value_at(d, t), t > 0 ? 0.5 / sqrt(t) : 2 * t, 0);
    CHECK_NEAR(value_at(dd, t), t > 0 ? -0.25 / (t * sqrt(t)) : 2, 1e-17);
  }
  CHECK(ritti_apply(dag, RITTI_WHEN, (ritti_expr[]){ritti_number(dag, -1, 1), x}, 2) ==
        ritti_number(dag, 0, 1));
  CHECK(ritti_apply(dag, RITTI_UNLESS, (ritti_expr[]){ritti_number(dag, 0, 1), x}, 2) == x);
}

int main(void) {
  dag = ritti_dag_new();
  x = ritti_jet(dag, 0, 0), y = ritti_jet(dag, 0, 1), z = ritti_jet(dag, 1, 0);
  test_hash_consing();
  test_many();
  test_sums();
  test_products();
  test_powers();
  test_functions();
  test_doubles();
  test_exact_values();
  test_values();
  test_large_numbers();
  test_long_and_deep();
  test_shared();
  test_leaves();
  test_culprit();
  test_branches();
  CHECK(ritti_dag_status(dag) == RITT_OK);
  ritti_dag_free(dag);
  return CHECKS_DONE();
}
