/* Functions that a model defines, `if` on variables, `mod` of them. */
#include "lang_test.h"

#define HEAD                                                                                       \
  "model m\nparameter n = 3, c = f(2, 1), a = 7\nvariable x, y, r[1..3]\n"                         \
  "function f(a, b) = a^2 + b\nfunction g(u) = f(u, t) + a\nfunction len(v) = sqrt(dot(v, v))\n"   \
  "function unit(v) = v/len(v)\nfunction twice(v) = [v[2], v[1]]\nfunction sq(k) = sum(i in 1..n, k*i)\n"

/* The right side of `x = expr`. */
static const char *value(const char *expr, char out[512]) {
  char text[1024];
  snprintf(text, sizeof text, HEAD "equation x = %s\n", expr);
  ritti_model *m = read_text(text, true);
  out[0] = '\0';
  if (m) printed(m, m->equation[0].right, out);
  ritti_model_free(m);
  return out;
}

#define GIVES(expr, expected)                                                                      \
  do {                                                                                             \
    char out_[512];                                                                                \
    CHECK_TEXT(value(expr, out_), expected);                                                       \
  } while (0)

static void check_calls(void) {
  GIVES("f(2, 3)", "7");
  GIVES("f(y, x)", "x + y^2");
  GIVES("f(f(1, 1), 1)", "5");
  GIVES("g(y)", "t + y^2 + a");
  GIVES("g(y)'", "2*y*y' + 1");
  GIVES("len(r)^2", "r[1]^2 + r[2]^2 + r[3]^2");
  GIVES("unit([3, 4])[2]", "4/5");
  GIVES("twice([x, y])[1]", "y");
  GIVES("sq(y)", "6*y");
  GIVES("sum(i in 1..2, sq(i))", "18"); /* the index of the caller is not seen inside */
}

/* Parameters may use functions that use parameters, and an argument hides a parameter. */
static void check_order(void) {
  ritti_model *m =
      read_text("model m\nparameter a = f(2), b = g(1), c = 10\nfunction f(a) = a^2 + c\n"
                "function g(z) = f(z) + a\nvariable x\nequation x' = b\n",
                true);
  CHECK(m && m->parameter[0].number == 14 && m->parameter[1].number == 25);
  ritti_model_free(m);
}

static double jet(const void *context, int variable, int order) {
  return variable < 2 && order == 0 ? ((const double *)context)[variable] : NAN;
}

/* The value of an expression of x and y at a point. */
static double at(const char *expr, double x, double y) {
  char text[1024];
  double out = NAN, point[2] = {x, y};
  snprintf(text, sizeof text, HEAD "equation x = %s\n", expr);
  ritti_model *m = read_text(text, true);
  if (!m) return NAN;
  double parameter[8];
  for (int i = 0; i < m->parameters; i++) parameter[i] = m->parameter[i].number;
  ritti_values values = {.parameter = parameter, .independent = 0.25, .context = point};
  values.jet = jet;
  CHECK(ritti_dag_evaluate(m->dag, m->equation[0].right, &values, &out) == RITT_OK);
  ritti_model_free(m);
  return out;
}

static void check_conditions(void) {
  CHECK(at("if x > y then 1 else 2", 2, 1) == 1 && at("if x > y then 1 else 2", 1, 1) == 2);
  CHECK(at("if x >= y then 1 else 2", 1, 1) == 1 && at("if x >= y then 1 else 2", 0, 1) == 2);
  CHECK(at("if x < y then 1 else 2", 1, 1) == 2 && at("if x <= y then 1 else 2", 1, 1) == 1);
  CHECK(at("if x < y then 1 else 2", 0, 1) == 1 && at("if x <= y then 1 else 2", 2, 1) == 2);
  /* the branch not taken may have no value */
  CHECK(at("if x > 0 then log(x) else 0", -1, 0) == 0 &&
        at("if x > 0 then log(x) else 0", 1, 0) == 0);
  for (int i = 0; i < 16; i++) {
    double x = i & 1 ? 1 : -1, y = i & 2 ? 1 : -1;
    int n = i & 4 ? 3 : 4; /* decided when the model is read */
    char text[200];
    bool p = x > 0, q = y > 0, k = n == 3;
    snprintf(text, sizeof text, "if x > 0 and n = %d or not y > 0 then 1 else 2", n);
    CHECK(at(text, x, y) == ((p && k) || !q ? 1 : 2));
    snprintf(text, sizeof text, "if not (x > 0 or (y > 0 and n <> %d)) then 1 else 2", n);
    CHECK(at(text, x, y) == (!(p || (q && !k)) ? 1 : 2));
  }
}

static void check_mod(void) {
  for (double x = -5; x < 5; x += 0.375) {
    double whole = floor(x / 1.5);
    CHECK_NEAR(at("mod(x, 1.5)", x, 0), x - 1.5 * whole, 1e-15);
    CHECK_NEAR(at("mod(x, -1.5)", x, 0), x + 1.5 * floor(-x / 1.5), 1e-15);
  }
  char b[512];
  CHECK_TEXT(value("mod(x, 2)", b), "x - 2*floor(x/2)");
}

int main(void) {
  check_calls();
  check_order();
  check_conditions();
  check_mod();
  return CHECKS_DONE();
}
