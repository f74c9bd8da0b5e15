/* Precedence: random expressions are written with as few parentheses as the grammar needs and
 * evaluated beside it; named cases; and what is printed reads back as the same. */
#include "lang_test.h"

/* ---- named cases ---- */

static double value_of(const char *expr) {
  char text[4096];
  snprintf(text, sizeof text,
           "model m\nvariable x\nparameter a = 2, b = 3, c = 5\n  p = %s\nequation x' = 1\n", expr);
  ritti_model *m = read_text(text, true);
  double value = m ? m->parameter[3].number : NAN;
  ritti_model_free(m);
  return value;
}

static void check_values(void) {
  CHECK(value_of("-2^2") == -4);
  CHECK(value_of("(-2)^2") == 4);
  CHECK(value_of("2^3^2") == 512);
  CHECK(value_of("(2^3)^2") == 64);
  CHECK(value_of("2^-1") == 0.5);
  CHECK(value_of("2^-2^2") == 1.0 / 16);
  CHECK(value_of("10 - 4 - 3") == 3);
  CHECK(value_of("10 - (4 - 3)") == 9);
  CHECK(value_of("16/4/2") == 2);
  CHECK(value_of("16/(4/2)") == 8);
  CHECK(value_of("2*3/4*6") == 9);
  CHECK(value_of("1 + 2*3") == 7);
  CHECK(value_of("a*-b") == -6);
  CHECK(value_of("a - -b") == 5);
  CHECK(value_of("---a") == -2);
  CHECK(value_of("-a*b") == -6);
  CHECK(value_of("-a^b*c + 1") == -39);
  CHECK(value_of("min(a, b, c) + max(1, c)") == 7);
  CHECK_NEAR(value_of("sin(pi/2) + atan2(1, 1)*4"), 4.14159265358979324, 1e-15);
  CHECK_NEAR(value_of("sqrt(2)^2"), 2, 1e-15);
  CHECK_NEAR(value_of("exp(log(7))"), 7, 1e-14);
}

/* ---- random expressions ---- */

typedef struct written {
  char text[2000];
  double value;
  int level; /* 1 sum, 2 product, 3 negation, 4 power, 5 atom */
} written;

static int choose(int n) { return (int)((check_random() + 1) / 2 * n) % n; }

static void write_in(written *out, const written *in, int least) {
  bool closed = in->level < least || choose(8) == 0;
  strcat(out->text, closed ? "(" : "");
  strcat(out->text, in->text);
  strcat(out->text, closed ? ")" : "");
}

static written random_expr(int depth) {
  static const char *const gap[] = {"", " ", "  "};
  written w = {.level = 5};
  int kind = depth == 0 ? 0 : choose(6);
  if (kind == 0) {
    int n = 1 + choose(9), d = choose(3);
    w.value = d == 0 ? n : d == 1 ? n + 0.5 : n * 0.125;
    sprintf(w.text, d == 0 ? "%.0f" : d == 1 ? "%.1f" : "%.3f", w.value);
    return w;
  }
  written a = random_expr(depth - 1), b = random_expr(depth - 1);
  if (kind == 1) {
    w.level = 3;
    w.value = -a.value;
    strcat(w.text, "-");
    write_in(&w, &a, 3);
    return w;
  }
  if (kind == 2) { /* powers of small whole numbers stay in range */
    int n = choose(3);
    w.level = 4;
    w.value = pow(a.value, n);
    write_in(&w, &a, 5);
    sprintf(w.text + strlen(w.text), "^%d", n);
    return w;
  }
  bool sum = kind < 5, second = choose(2);
  if (!sum && second && fabs(b.value) < 1e-3) second = false; /* no division by zero */
  w.level = sum ? 1 : 2;
  w.value = sum      ? (second ? a.value - b.value : a.value + b.value)
            : second ? a.value / b.value
                     : a.value * b.value;
  write_in(&w, &a, w.level);
  strcat(w.text, gap[choose(3)]);
  strcat(w.text, sum ? (second ? "-" : "+") : second ? "/" : "*");
  strcat(w.text, gap[choose(3)]);
  write_in(&w, &b, w.level + 1);
  return w;
}

static void check_random_expressions(void) {
  for (int i = 0; i < 300; i++) {
    written w = random_expr(4);
    if (!(fabs(w.value) < 1e100 && fabs(w.value) > 1e-100)) continue;
    double value = value_of(w.text);
    if (!(fabs(value - w.value) <= 1e-6 * fabs(w.value) + 1e-6)) printf("%s\n", w.text);
    CHECK_NEAR(value, w.value, 1e-6 * fabs(w.value) + 1e-6);
  }
}

/* ---- print and read again ---- */

static ritti_model *equation_model(const char *left) {
  char text[1024];
  snprintf(text, sizeof text,
           "model m\nvariable x, y, lambda\nparameter a = 2, b = 3\nequation\n  %s = 0\n", left);
  return read_text(text, true);
}

static void check_round_trip(const char *expr) {
  char first[512] = "", second[512] = "";
  ritti_model *m = equation_model(expr);
  if (m) printed(m, m->equation[0].left, first);
  ritti_model *again = m ? equation_model(first) : NULL;
  if (again) printed(again, again->equation[0].left, second);
  CHECK(m && again);
  CHECK_TEXT(second, first);
  ritti_model_free(m);
  ritti_model_free(again);
}

static void check_round_trips(void) {
  static const char *const expr[] = {"x",
                                     "-x",
                                     "x'' + lambda*x",
                                     "-x^2",
                                     "(-x)^2",
                                     "x^y^a",
                                     "(x^y)^a",
                                     "a/b/x",
                                     "a/(b/x)",
                                     "x - y - a",
                                     "x - (y - a)",
                                     "x'^2",
                                     "(x^2)'",
                                     "der(x, 5)",
                                     "(x*y)''",
                                     "sqrt(x^2 + y^2)",
                                     "1/sqrt(x)",
                                     "x^(1/3)",
                                     "x^-2",
                                     "2^x",
                                     "sin(x)*cos(y')^2",
                                     "atan2(y, x)",
                                     "min(x, max(y, a))",
                                     "abs(x)*sign(y)",
                                     "exp(-x/(2*a))",
                                     "0.1*x + 1/3*y",
                                     "pi*x/180",
                                     "t*x + t^2",
                                     "t'",
                                     "-(x + y)*(x - y)",
                                     "(x + y)/(x - y)",
                                     "x/(y*a)",
                                     "-x/y",
                                     "tanh(x)/cosh(y) - sinh(a)",
                                     "asin(x) + acos(y) - atan(a)",
                                     "log(x)^2",
                                     "-(-(-x))",
                                     "x*(y*(a*b))",
                                     "1e-300*x",
                                     "123456789012345678901*y"};
  for (size_t i = 0; i < sizeof expr / sizeof *expr; i++) check_round_trip(expr[i]);
}

/* Different texts of one expression have one id. */
static bool same(const char *a, const char *b) {
  char text[1024];
  snprintf(text, sizeof text, "model m\nvariable x, y\nparameter a = 2\nequation\n  %s = %s\n", a,
           b);
  ritti_model *m = read_text(text, true);
  bool equal = m && m->equation[0].left == m->equation[0].right;
  ritti_model_free(m);
  return equal;
}

static void check_same(void) {
  CHECK(same("x'^2", "(x')^2"));
  CHECK(same("x''", "der(x, 2)"));
  CHECK(same("(x')'", "x''"));
  CHECK(same("der(x', 2)", "x'''"));
  CHECK(same("der(x, 0)", "x"));
  CHECK(same("t'", "1"));
  CHECK(same("t''", "0"));
  CHECK(same("(t*x)'", "x + t*x'"));
  CHECK(same("sin(x)'", "cos(x)*x'"));
  CHECK(same("(a*x)'", "a*x'"));
  CHECK(same("0.1 + 0.2", "0.3"));
  CHECK(same("sqrt(x)", "x^(1/2)"));
  CHECK(!same("-x^2", "(-x)^2"));
  CHECK(!same("x'^2", "(x^2)'"));
}

static void check_nesting(void) {
  ritti_text text = {0};
  static const char *const head = "model m\nvariable x\nequation x' = ";
  char b[256];
  for (int deep = 1000; deep <= 1001; deep++) {
    text.count = 0;
    ritti_text_add(&text, "%s", head);
    for (int i = 0; i < deep; i++)
      ritti_text_add(&text, "%s", i % 3 == 0 ? "(" : i % 3 == 1 ? "-" : "2^");
    ritti_text_add(&text, "x");
    for (int i = 0; i < deep; i += 3) ritti_text_add(&text, ")");
    first_message(text.at, b);
    CHECK(!strcmp(b, "") == (deep <= 1000));
  }
  /* long is not deep */
  text.count = 0;
  ritti_text_add(&text, "%s0", head);
  for (int i = 0; i < 100000; i++) ritti_text_add(&text, "%s", i % 2 ? "+x" : "-2*x/3");
  CHECK_TEXT(first_message(text.at, b), "");
  ritti_text_free(&text);
}

int main(void) {
  check_values();
  check_random_expressions();
  check_round_trips();
  check_same();
  check_nesting();
  return CHECKS_DONE();
}
