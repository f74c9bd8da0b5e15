/* Printing: texts as a person writes them, and texts of random expressions read back by a small
 * calculator.
 */
#include <stdlib.h>
#include "random_tree.h"

static ritti_dag *dag;
static const char *const variables[] = {"x", "y", "lambda"}, *const parameters[] = {"g"},
                         *const levels[] = {"E"};
static const ritti_names names = {
    .independent = "t", .variable = variables, .parameter = parameters, .level = levels};

static const char *print(ritti_expr e) {
  static ritti_text text;
  ritti_text_free(&text);
  if (e) ritti_dag_print(dag, e, &names, &text);
  return text.at;
}

/* ---- a calculator for the language's expressions ---- */
typedef struct calculator {
  const char *at;
  const tree_point *p;
} calculator;

static double sum(calculator *c);
static double unary(calculator *c);

static bool eat(calculator *c, const char *token) {
  while (*c->at == ' ') c->at++;
  if (strncmp(c->at, token, strlen(token))) return false;
  c->at += strlen(token);
  return true;
}

/* name, name(args); derivatives of x by primes */
static double word(calculator *c) {
  char name[16] = "";
  size_t n = 0;
  while (((*c->at >= 'a' && *c->at <= 'z') || (n && *c->at >= '0' && *c->at <= '9')) &&
         n < sizeof name - 1)
    name[n++] = *c->at++;
  if (*c->at == '(') {
    double a, b = 0;
    c->at++;
    a = sum(c);
    if (eat(c, ",")) b = sum(c);
    if (!eat(c, ")")) return NAN;
    if (!strcmp(name, "sqrt")) return sqrt(a);
    for (int op = RITTI_EXP; op < RITTI_OP_COUNT; op++)
      if (op != RITTI_STEP && !strcmp(ritti_op_text[op], name))
        return ritti_op_value((ritti_op)op, a, b);
    return NAN;
  }
  if (!strcmp(name, "pi")) return acos(-1);
  if (!strcmp(name, "t")) return c->p->x[0];
  if (!strcmp(name, "y")) return c->p->x[3];
  if (!strcmp(name, "g")) return c->p->x[4];
  if (!strcmp(name, "x")) return eat(c, "'") ? c->p->x[2] : c->p->x[1];
  return NAN;
}

static double atom(calculator *c) {
  if (eat(c, "(")) {
    double v = sum(c);
    return eat(c, ")") ? v : NAN;
  }
  if (*c->at >= '0' && *c->at <= '9') return strtod(c->at, (char **)&c->at);
  return word(c);
}

static double power(calculator *c) {
  double base = atom(c);
  return eat(c, "^") ? pow(base, unary(c)) : base;
}
static double unary(calculator *c) { return eat(c, "-") ? -unary(c) : power(c); }
static double product(calculator *c) {
  double v = unary(c);
  for (;;)
    if (eat(c, "*")) v *= unary(c);
    else if (eat(c, "/")) v /= unary(c);
    else return v;
}
static double sum(calculator *c) {
  double v = product(c);
  for (;;)
    if (eat(c, "+")) v += product(c);
    else if (eat(c, "-")) v -= product(c);
    else return v;
}

static void check_reads_back(ritti_expr e, const tree_point *p, double size) {
  ritti_values v = tree_values(p);
  double expected;
  CHECK(ritti_dag_evaluate(dag, e, &v, &expected) == RITT_OK);
  calculator c = {print(e), p};
  double got = sum(&c);
  if (fabs(expected) > 1e6 || isnan(expected)) return;
  bool good = fabs(got - expected) <= 1e-8 * size * (1 + fabs(expected)) && *c.at == '\0';
  CHECK(good);
  if (!good) printf("  %s = %.17g, expected %.17g\n", print(e), got, expected);
}

static void test_reads_back(void) {
  for (int trial = 0; trial < 10000; trial++) {
    tree t = tree_random(7 + below(12), 8);
    tree_point p;
    dual leaf[TREE_LEAVES];
    for (int i = 0; i < TREE_LEAVES; i++) leaf[i] = (dual){p.x[i] = 2 * check_random(), 0, 0};
    dual expected = tree_evaluate(&t, leaf);
    if (isnan(expected.size)) continue;
    ritti_expr e = tree_build(dag, &t);
    check_reads_back(e, &p, expected.size);
    check_reads_back(ritti_dag_partial(dag, e, tree_leaf(dag, 1)), &p,
                     expected.size * expected.size);
  }
}

/* ---- texts ---- */
static ritti_expr n(long a, unsigned long b) { return ritti_number(dag, a, b); }
static ritti_expr add(ritti_expr a, ritti_expr b) { return ritti_add(dag, a, b); }
static ritti_expr sub(ritti_expr a, ritti_expr b) { return ritti_subtract(dag, a, b); }
static ritti_expr mul(ritti_expr a, ritti_expr b) { return ritti_multiply(dag, a, b); }
static ritti_expr quo(ritti_expr a, ritti_expr b) { return ritti_divide(dag, a, b); }
static ritti_expr pwr(ritti_expr a, long p, unsigned long q) {
  return ritti_power(dag, a, n(p, q));
}
static ritti_expr call(ritti_op op, ritti_expr a) { return ritti_apply(dag, op, &a, 1); }

static void test_texts(void) {
  ritti_expr x = ritti_jet(dag, 0, 0), y = ritti_jet(dag, 1, 0), lambda = ritti_jet(dag, 2, 0),
             t = ritti_independent(dag);
  ritti_expr x1 = ritti_jet(dag, 0, 1), x2 = ritti_jet(dag, 0, 2), g = ritti_parameter(dag, 0),
             E = ritti_level(dag, 0);
  CHECK_TEXT(print(add(x2, mul(lambda, x))), "x'' + x*lambda");
  CHECK_TEXT(print(ritti_dag_total(dag, add(pwr(x, 2, 1), pwr(y, 2, 1)))), "2*x*x' + 2*y*y'");
  CHECK_TEXT(print(quo(add(x, y), g)), "(x + y)/g");
  CHECK_TEXT(print(sub(x, y)), "x - y");
  CHECK_TEXT(print(sub(x, add(y, t))), "x - (y + t)");
  CHECK_TEXT(print(ritti_negate(dag, pwr(x, 2, 1))), "-x^2");
  CHECK_TEXT(print(pwr(ritti_negate(dag, x), 2, 1)), "x^2");
  CHECK_TEXT(print(pwr(x, 3, 2)), "x^(3/2)");
  CHECK_TEXT(print(pwr(x, 1, 2)), "sqrt(x)");
  CHECK_TEXT(print(pwr(x, -1, 2)), "1/sqrt(x)");
  CHECK_TEXT(print(quo(y, pwr(add(x, y), 3, 2))), "y/(x + y)^(3/2)");
  CHECK_TEXT(print(quo(x, mul(n(2, 1), y))), "x/(2*y)");
  CHECK_TEXT(print(mul(n(-2, 3), x)), "-2*x/3");
  CHECK_TEXT(print(add(n(-1, 2), x)), "x - 1/2");
  CHECK_TEXT(print(n(-1, 2)), "-1/2");
  CHECK_TEXT(print(ritti_power(dag, x, n(-1, 1))), "1/x");
  CHECK_TEXT(print(ritti_power(dag, n(2, 1), ritti_negate(dag, x))), "2^(-x)");
  CHECK_TEXT(print(ritti_power(dag, x, y)), "x^y");
  CHECK_TEXT(print(pwr(x1, 2, 1)), "x'^2");
  CHECK_TEXT(print(ritti_jet(dag, 1, 3)), "y'''");
  CHECK_TEXT(print(pwr(ritti_jet(dag, 1, 4), 2, 1)), "der(y, 4)^2");
  CHECK_TEXT(print(ritti_apply(dag, RITTI_ATAN2, (ritti_expr[]){y, mul(n(2, 1), x)}, 2)),
             "atan2(y, 2*x)");
  CHECK_TEXT(print(sub(call(RITTI_SIN, add(x, ritti_pi(dag))), E)), "sin(x + pi) - E");
  CHECK_TEXT(print(mul(x, call(RITTI_STEP, y))), "x*((1 + sign(y))/2)");
  CHECK_TEXT(print(quo(n(1, 1), n(0, 1))), "1/0");
  CHECK_TEXT(print(mul(g, add(x, y))), "g*(x + y)");
  CHECK_TEXT(print(sub(n(1, 1), x)), "1 - x");
  CHECK_TEXT(print(ritti_negate(dag, add(x, y))), "-(x + y)");
  CHECK_TEXT(print(add(add(x, y), mul(n(-1, 1), t))), "x + y - t");
}

/* The same for LaTeX, and names where there are none. */
static void check_latex(ritti_expr e, const char *latex, const char *plain) {
  static const char *const v[] = {"x", "lambda2", "speed_3", "r_in"}, *const p[] = {"g", "Omega"};
  const ritti_names own = {.independent = "s", .variable = v, .parameter = p};
  ritti_text text = {0}, other = {0};
  ritti_dag_print_latex(dag, e, &own, &text);
  ritti_dag_print(dag, e, NULL, &other);
  CHECK_TEXT(text.at, latex);
  CHECK_TEXT(other.at, plain);
  ritti_text_free(&text);
  ritti_text_free(&other);
}

static void test_latex(void) {
  ritti_expr x = ritti_jet(dag, 0, 0), l = ritti_jet(dag, 1, 0), v = ritti_jet(dag, 2, 1),
             g = ritti_parameter(dag, 0);
  ritti_expr both[] = {x, l}, sum = ritti_add(dag, x, l), sine = ritti_apply(dag, RITTI_SIN, &x, 1);
  check_latex(ritti_power(dag, x, ritti_number(dag, 2, 1)), "{x}^{2}", "y_1^2");
  check_latex(ritti_power(dag, x, l), "{x}^{\\lambda_{2}}", "y_1^y_2");
  check_latex(ritti_power(dag, l, ritti_number(dag, 2, 3)), "{\\lambda_{2}}^{2/3}", "y_2^(2/3)");
  check_latex(ritti_power(dag, sum, ritti_number(dag, 3, 1)),
              "{\\left(x + \\lambda_{2}\\right)}^{3}", "(y_1 + y_2)^3");
  check_latex(ritti_power(dag, sine, ritti_number(dag, 2, 1)),
              "{\\operatorname{sin}\\left(x\\right)}^{2}", "sin(y_1)^2");
  check_latex(ritti_power(dag, x, ritti_number(dag, 1, 2)), "\\sqrt{x}", "sqrt(y_1)");
  check_latex(ritti_power(dag, x, ritti_number(dag, -1, 2)), "\\frac{1}{\\sqrt{x}}", "1/sqrt(y_1)");
  check_latex(ritti_divide(dag, x, l), "\\frac{x}{\\lambda_{2}}", "y_1/y_2");
  check_latex(ritti_divide(dag, sum, ritti_multiply(dag, g, v)),
              "\\frac{\\left(x + \\lambda_{2}\\right)}{g\\, \\mathrm{speed}_{3}'}",
              "(y_1 + y_2)/(parameter_1*y_3')");
  check_latex(ritti_multiply(dag, ritti_number(dag, -3, 4), x), "-\\frac{3\\, x}{4}", "-3*y_1/4");
  check_latex(ritti_subtract(dag, x, ritti_multiply(dag, ritti_number(dag, 2, 1), l)),
              "x - 2\\, \\lambda_{2}", "y_1 - 2*y_2");
  check_latex(ritti_jet(dag, 0, 5), "x^{(5)}", "der(y_1, 5)");
  check_latex(ritti_jet(dag, 0, 2), "x''", "y_1''");
  check_latex(ritti_jet(dag, 3, 0), "\\mathrm{r\\_in}", "y_4");
  check_latex(ritti_multiply(dag, g, ritti_parameter(dag, 1)), "g\\, \\Omega",
              "parameter_1*parameter_2");
  check_latex(ritti_pi(dag), "\\pi", "pi");
  check_latex(ritti_independent(dag), "s", "t");
  check_latex(ritti_level(dag, 0), "level_{1}", "level_1");
  check_latex(ritti_multiplier(dag, 1), "mu_{2}", "mu_2");
  check_latex(ritti_side(dag, 0), "side_{1}", "side_1");
  check_latex(ritti_apply(dag, RITTI_FLOOR, &x, 1), "\\left\\lfloor x\\right\\rfloor",
              "floor(y_1)");
  check_latex(ritti_apply(dag, RITTI_CEIL, &x, 1), "\\left\\lceil x\\right\\rceil", "ceil(y_1)");
  check_latex(ritti_apply(dag, RITTI_ERF, &x, 1), "\\operatorname{erf}\\left(x\\right)",
              "erf(y_1)");
  check_latex(ritti_apply(dag, RITTI_WHEN, both, 2),
              "(\\text{if }x > 0\\text{ then }\\lambda_{2}\\text{ else } 0)",
              "(if y_1 > 0 then y_2 else 0)");
  check_latex(ritti_apply(dag, RITTI_UNLESS, both, 2),
              "(\\text{if }x \\le 0\\text{ then }\\lambda_{2}\\text{ else } 0)",
              "(if y_1 <= 0 then y_2 else 0)");
  check_latex(ritti_apply(dag, RITTI_ATAN2, both, 2),
              "\\operatorname{atan2}\\left(x, \\lambda_{2}\\right)", "atan2(y_1, y_2)");
}

int main(void) {
  dag = ritti_dag_new();
  test_texts();
  test_latex();
  test_reads_back();
  print(RITTI_NIL);
  ritti_dag_free(dag);
  return CHECKS_DONE();
}
