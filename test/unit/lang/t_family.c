/* Families: indices, ranges, sums, conditions; the statements, names and columns that they make. */
#include "lang_test.h"

#define HEAD "model m\nparameter n = 3, c = 1/2\nvariable x[0..n], y[1..n], u\n"

static ritti_model *read_with(const char *rest) {
  char text[4096];
  snprintf(text, sizeof text, HEAD "%s", rest);
  return read_text(text, true);
}

/* The right side of `u = expr`. */
static const char *value(const char *expr, char out[512]) {
  char text[1024];
  snprintf(text, sizeof text, "equation u = %s\n", expr);
  ritti_model *m = read_with(text);
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

static void check_sums(void) {
  GIVES("sum(i in 1..n, i^2)", "14");
  GIVES("prod(k in 1..5, k)", "120");
  GIVES("sum(i in 1..0, x[i])", "0");
  GIVES("prod(i in 3..1, x[i])", "1");
  GIVES("sum(i in 1..n, j in 1..i, 10*i + j)", "150"); /* 11 + 21 + 22 + 31 + 32 + 33 */
  GIVES("sum(i in 1..n, x[i] - x[i-1])", "x[1] - x[0] - x[1] + x[2] - x[2] + x[3]");
  GIVES("sum(i in 1..2, [i, x[i]])[2]", "x[1] + x[2]");
  GIVES("sum(i in 1..2, y[i])'", "y[1]' + y[2]'");
  GIVES("sum(i in -1..1, i*x[i+1])", "x[2] - x[0]");
  GIVES("sum(i in 1..2, sum(i in 1..3, i))", "12"); /* the inner index hides the outer one */
  GIVES("sum(u in 1..2, u)", "3");                  /* and a variable */
}

static void check_conditions(void) {
  GIVES("sum(i in 1..n, if i = 1 then 100 else i)", "105");
  GIVES("sum(i in 0..4, (if i = 0 then x[0] else x[min(i, n)]))", "x[0] + x[1] + x[2] + 2*x[3]");
  GIVES("if n < 3 then 1 else 2", "2");
  GIVES("if n >= 3 and not (n = 4 or n <> 3) then 1 else 2", "1");
  GIVES("if n > 3 or n <= 3 then 1 else 2", "1");
  GIVES("if c < 2/3 then 1 else 2", "1");
  GIVES("if pi > 3 then 1 else 2", "1");
  GIVES("if (n + 1)*2 = 8 then 1 else 2", "1");
  GIVES("if (if n = 3 then 1 else 0) = 1 then 1 else 2", "1");
  /* the branch and the part that are not needed are not looked at */
  GIVES("if 1 = 2 then x[99] + nothing else 3", "3");
  GIVES("if n = 4 and y[0] > 1 then 1 else 2", "2");
  GIVES("sum(i in 0..5, mod(i, 3)) + mod(-1, 3) + mod(7/2, 1)", "17/2");
}

static void check_equations(void) {
  char b[512];
  ritti_model *m = read_with("equation\n"
                             "  for i in 1..n: e: x[i]' = y[i]\n"
                             "  for i in 1..2, j in 1..i:\n"
                             "    x[i]*x[j] = 0\n"
                             "    for k in 1..1:\n"
                             "      two: y[i] =\n"
                             "        k\n"
                             "  u' = 1\n"
                             "invariant for i in 1..2: s: x[i]\n"
                             "  v: x\n");
  CHECK(m && m->equations == 3 + 6 + 1 && m->invariants == 2 + 4);
  if (!m) return;
  CHECK_TEXT(m->equation[1].label, "e[2]");
  CHECK_TEXT(m->equation[1].member, "i = 2");
  CHECK(m->equation[3].label == NULL && m->equation[3].place.line == 7);
  /* the members of a block stand together */
  CHECK_TEXT(m->equation[5].member, "i = 2, j = 1");
  CHECK_TEXT(printed(m, m->equation[5].residual, b), "x[1]*x[2]");
  CHECK_TEXT(m->equation[6].label, "two[2,1,1]");
  CHECK_TEXT(printed(m, m->equation[6].residual, b), "y[2] - 1");
  CHECK(m->equation[9].member == NULL);
  CHECK_TEXT(m->invariant[1].name, "s[2]");
  CHECK_TEXT(m->invariant[2].name, "v[1]");
  CHECK_TEXT(printed(m, m->invariant[2].expr, b), "x[0]");
  ritti_model_free(m);
}

static void check_starts(void) {
  ritti_model *m = read_with("equation u' = 1\n"
                             "start u = 1, for i in 1..n: x[i] = 2*i, x[i]' ~ i + 1\n"
                             "  for i in 1..n:\n"
                             "    y[i] = 1.00001\n"
                             "    y[i]' = -y0\n"
                             "  x[0] = y0, y'' = [1, 2.34567, 3]\n"
                             "parameter y0 = 5\n");
  CHECK(m && m->starts == 1 + 6 + 6 + 1 + 3);
  if (!m) return;
  CHECK_TEXT(m->start[3].text, "x[2] = 2*2");
  CHECK_TEXT(m->start[4].text, "x[2]' ~ 2 + 1");
  CHECK(m->start[4].variable == 2 && m->start[4].order == 1 && m->start[4].number == 3 &&
        !m->start[4].fixed);
  CHECK_NEAR(m->start[7].half_unit, 0.5e-5, 1e-20);
  CHECK(m->start[8].number == -5);
  CHECK_TEXT(m->start[15].text, "y[2]'' = 2.34567");
  CHECK_NEAR(m->start[15].half_unit, 0.5e-5, 1e-20);
  ritti_model_free(m);
}

static void check_columns(void) {
  char b[512];
  ritti_model *m = read_with("equation u' = 1\n"
                             "let d[i in 1..n] = x[i] - x[i-1]\n"
                             "output y, y', d, x[1..2], d[1..1]^2*0 + 1, 2*y\n"
                             "  for i in 1..2: d[i+1]', e = i*u, sum(k in 0..i, x[k])\n"
                             "  w = y + y\n"
                             "plot t: y, e[2], w[1..2]\nplot (x, x)\n");
  CHECK(m == NULL); /* d[1..1]^2: the power of an array */
  ritti_model_free(m);
  m = read_with("equation u' = 1\n"
                "let d[i in 1..n] = x[i] - x[i-1]\n"
                "output y, y', d, x[1..2], 2*y\n"
                "  for i in 1..2: d[i+1]', e = i*u, sum(k in 0..i, x[k])\n"
                "  w = y + y\n"
                "plot t: y, e[2], w[1..2]\nplot (x, x)\n");
  static const char *const names[] = {"y[1]",
                                      "y[2]",
                                      "y[3]",
                                      "y[1]'",
                                      "y[2]'",
                                      "y[3]'",
                                      "d[1]",
                                      "d[2]",
                                      "d[3]",
                                      "x[1]",
                                      "x[2]",
                                      "(2*y)[1]",
                                      "(2*y)[2]",
                                      "(2*y)[3]",
                                      "d[2]'",
                                      "e[1]",
                                      "sum(k in 0..1,x[k])",
                                      "d[3]'",
                                      "e[2]",
                                      "sum(k in 0..2,x[k])",
                                      "w[1]",
                                      "w[2]",
                                      "w[3]"};
  CHECK(m && m->outputs == (int)(sizeof names / sizeof *names));
  for (int i = 0; m && i < m->outputs; i++) CHECK_TEXT(m->output[i].name, names[i]);
  CHECK(m && m->panels == 2 && m->panel[0].curves == 6 && m->panel[1].curves == 4);
  if (m) CHECK_TEXT(printed(m, m->plot_column[m->panel[0].curve[3].y].expr, b), "2*u");
  if (m) CHECK_TEXT(m->plot_column[m->panel[0].curve[3].y].name, "e[2]");
  ritti_model_free(m);
}

static void check_scales(void) {
  ritti_model *m = read_with("equation u' = 1\nscale x = 2, y[2] = 3, u = c\n"
                             "  for i in 3..3: y[i] = i\n"
                             "solve t = 0 .. 1\n  tolerance x = 1e-3\n  absolute y[1..2] = 1e-5\n");
  CHECK(m && m->variable[0].scale == 2 && m->variable[3].scale == 2 && m->variable[5].scale == 3);
  CHECK(m && m->variable[4].scale == 0 && m->variable[6].scale == 3 && m->variable[7].scale == 0.5);
  CHECK(m && m->variable[3].tolerance == 1e-3 && m->variable[4].tolerance == 0);
  CHECK(m && m->variable[5].absolute == 1e-5 && m->variable[6].absolute == 0);
  ritti_model_free(m);
}

/* A family with a mistake tells it once. */
static void check_one_message(void) {
  CHECK(message_count(HEAD "equation\n  for i in 1..n: x[i]' = nothing + y[i]\n") == 1);
  CHECK(message_count(HEAD "equation\n  for i in 1..1000: u' = x[i]\n") == 1);
  CHECK(message_count(HEAD "equation\n  for i in 1..n x[i]' = 1\n    y[i] = 1\n  u' = 1\n") == 1);
}

/* Columns with names of their own have the indices of their families, then those of their arrays.
 */
static void check_named_columns(void) {
  static const char *const names[] = {"a[0]",     "a[1]",     "M[1,1]",   "M[1,2]",
                                      "M[2,1]",   "M[2,2]",   "b[1,1,1]", "b[1,1,2]",
                                      "b[2,1,1]", "b[2,1,2]", "c[3]"};
  ritti_model *m =
      read_text("model m\nvariable x[0..1]\nequation x' = -x\n"
                "output a = x, M = [[1, t], [t, 2]]\n  for i in 1..2: b = [[x[0], i]]\n"
                "  for i in 3..3: c = x[1]\nplot t: a[0], M[2, 1], b[2,1,2], c[3]\n",
                true);
  CHECK(m && m->outputs == (int)(sizeof names / sizeof *names));
  for (int i = 0; m && i < m->outputs; i++) CHECK_TEXT(m->output[i].name, names[i]);
  ritti_model_free(m);
}

int main(void) {
  check_named_columns();
  check_sums();
  check_conditions();
  check_equations();
  check_starts();
  check_columns();
  check_scales();
  check_one_message();
  return CHECKS_DONE();
}
