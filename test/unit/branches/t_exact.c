/* Exact proportionality of expressions, and the strict reader of polynomials. */
#include "branches/algebra_impl.h"
#include "check.h"

static const char text[] =
    "model m\n"
    "parameter k = 3/2, r = sqrt(2)\n"
    "variable a, b, x\n"
    "equation\n  a' = 1\n  b' = 1\n  x' = 1\n"
    "output s2 = sin(2*a), sc = sin(a)*cos(a), s = sin(a + b), add = sin(a)*cos(b) + cos(a)*sin(b),\n"
    "  h = cos(a/2)^2, c = 1 + cos(a), p = k*(x + a')^2, q = x^2 + 2*x*a' + a'^2, one = cos(b)^2 + sin(b)^2 "
    "- 1,\n"
    "  torn = a*sin(a), bad = r*x, e = exp(x)\n";

static ritti_model *model;

static ritti_expr find(const char *name) {
  for (int i = 0; i < model->outputs; i++)
    if (!strcmp(model->output[i].name, name)) return model->output[i].expr;
  return RITTI_NIL;
}

/* The ratio of two outputs: "2", "no", "open". */
static const char *ratio_of(const char *a, const char *b) {
  static char out[64];
  ritti_answer yes = RITTI_OPEN;
  mpq_t ratio;
  mpq_init(ratio);
  CHECK(ritti_exact_ratio(model, find(a), find(b), &yes, ratio) == RITT_OK);
  if (yes == RITTI_YES) gmp_snprintf(out, sizeof out, "%Qd", ratio);
  else snprintf(out, sizeof out, "%s", yes == RITTI_NO ? "no" : "open");
  mpq_clear(ratio);
  return out;
}

static void check_ratios(void) {
  ritti_answer zero;
  CHECK_TEXT(ratio_of("s2", "sc"), "2");
  CHECK_TEXT(ratio_of("s", "add"), "1");
  CHECK_TEXT(ratio_of("h", "c"), "1/2"); /* of half the angle */
  CHECK_TEXT(ratio_of("p", "q"), "3/2");
  CHECK_TEXT(ratio_of("p", "s2"), "no");
  CHECK_TEXT(ratio_of("one", "q"), "no");
  CHECK_TEXT(ratio_of("torn", "s2"), "open"); /* no rational point has both */
  CHECK_TEXT(ratio_of("bad", "q"), "open");
  CHECK_TEXT(ratio_of("e", "e"), "open");
  CHECK(ritti_exact_zero(model, find("one"), &zero) == RITT_OK && zero == RITTI_YES);
  CHECK(ritti_exact_zero(model, find("q"), &zero) == RITT_OK && zero == RITTI_NO);
}

static bool reads(const char *polynomial, ritti_expr same, int degree, int terms) {
  ritti_dag *dag = model->dag;
  ritti_expr letter[2] = {ritti_jet(dag, 0, 0), ritti_jet(dag, 2, 0)};
  int d, t;
  const char *at = polynomial;
  ritti_expr e = ritti_polynomial_read(dag, letter, 2, &at, &d, &t);
  return e != RITTI_NIL && !*at && e == same && d == degree && t == terms;
}

static bool refused(const char *polynomial) {
  ritti_expr letter[2] = {ritti_jet(model->dag, 0, 0), ritti_jet(model->dag, 2, 0)};
  int d, t;
  const char *at = polynomial;
  return ritti_polynomial_read(model->dag, letter, 2, &at, &d, &t) == RITTI_NIL || *at;
}

static void check_reader(void) {
  ritti_dag *dag = model->dag;
  ritti_expr a = ritti_jet(dag, 0, 0), x = ritti_jet(dag, 2, 0);
  ritti_expr cube = ritti_multiply(dag, ritti_power(dag, a, ritti_number(dag, 2, 1)), x);
  CHECK(reads("v(1)", a, 1, 1));
  CHECK(reads("-v(2)", ritti_negate(dag, x), 1, 1));
  CHECK(reads("3/2*v(1)^2*v(2)-1/7",
              ritti_subtract(dag, ritti_multiply(dag, ritti_number(dag, 3, 2), cube),
                             ritti_number(dag, 1, 7)),
              3, 2));
  static const char *const wrong[] = {
      "",        "v(0)",     "v(3)",  "v(1)+",  "+v(1)",      "v(1)^1", "v(1)^-2", "2v(1)",
      "v(1)*2",  "v(1) ",    "v(1)*", "1/0",    "v(1)^1e3",   "w(1)",   "v(1",     "1/",
      "v(1)--1", "v(1)v(2)", "1.5",   "v(1)/2", "v(9999999)", "?",      "@@END"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    if (!refused(wrong[i])) printf("taken: '%s'\n", wrong[i]);
    CHECK(refused(wrong[i]));
  }
  CHECK(ritti_dag_status(dag) == RITT_OK); /* what is refused leaves no trace */
}

int main(void) {
  ritt_error *error = ritt_error_new();
  if (ritti_model_read(text, strlen(text), "m", NULL, 0, error, &model) != RITT_OK) {
    printf("%s\n", ritt_error_get(error, 0)->text);
    return 1;
  }
  check_ratios();
  check_reader();
  ritti_model_free(model);
  ritt_error_free(error);
  return CHECKS_DONE();
}
