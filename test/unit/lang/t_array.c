/* Arrays: shapes, elements, slices, elementwise arithmetic, products; arrays of parameters and
 * lets. */
#include "lang_test.h"

#define HEAD                                                                                       \
  "model m\nparameter n = 3, a[1..3] = [2, 3, 5], z[0..2] = 7, C[k in 1..n] = k/10\n"              \
  "variable x[1..n], y[1..2], A[1..2, 1..3], u, v\n"

/* The residuals of all equations, joined by "; ". */
static const char *residuals(const char *equations, char out[2048]) {
  char text[2048], b[512];
  snprintf(text, sizeof text, HEAD "equation\n%s\n", equations);
  ritti_model *m = read_text(text, true);
  out[0] = '\0';
  for (int i = 0; m && i < m->equations; i++)
    snprintf(out + strlen(out), 2048 - strlen(out), "%s%s", i ? "; " : "",
             printed(m, m->equation[i].residual, b));
  ritti_model_free(m);
  return out;
}

#define GIVES(equations, expected)                                                                 \
  do {                                                                                             \
    char out_[2048];                                                                               \
    CHECK_TEXT(residuals(equations, out_), expected);                                              \
  } while (0)

static void check_elements(void) {
  GIVES("  x[1] = x[n]\n", "x[1] - x[3]");
  GIVES("  x[n-1]' = A[1+1, 2*1]''\n", "x[2]' - A[2,2]''");
  GIVES("  der(x[2], 4) = z[0]\n", "der(x[2], 4) - z[0]");
  GIVES("  der(x[2]) = z[0]\n", "x[2]' - z[0]");
  GIVES("  x[2]'^2 = u\n", "x[2]'^2 - u");
  GIVES("  [u, v][2] = (x + x)[1]\n", "v - 2*x[1]");
}

static void check_elementwise(void) {
  GIVES("  y = [u, v]\n", "y[1] - u; y[2] - v");
  GIVES("  x' = 2*x - a\n",
        "x[1]' - (2*x[1] - a[1]); x[2]' - (2*x[2] - a[2]); x[3]' - (2*x[3] - a[3])");
  GIVES("  y'' = -y/u\n", "y[1]'' + y[1]/u; y[2]'' + y[2]/u");
  GIVES("  A[1, 1..2] = y'\n", "A[1,1] - y[1]'; A[1,2] - y[2]'");
  GIVES("  A[1..2, 3] = [[u, v], [v, u]][2, 1..2]\n", "A[1,3] - v; A[2,3] - u");
  GIVES("  (u*y)' = [0, 0]\n", "y[1]*u' + u*y[1]'; y[2]*u' + u*y[2]'");
}

static void check_products(void) {
  GIVES(
      "  y = A*x\n",
      "y[1] - (A[1,1]*x[1] + A[1,2]*x[2] + A[1,3]*x[3]); y[2] - (A[2,1]*x[1] + A[2,2]*x[2] + A[2,3]*x[3])");
  GIVES("  u = dot(x, a)\n", "u - (x[1]*a[1] + x[2]*a[2] + x[3]*a[3])");
  GIVES("  u = norm(y)\n", "u - sqrt(y[1]^2 + y[2]^2)");
  GIVES("  cross([1, 0, 0], [0, 1, 0]) = cross(x, x)\n", "0; 0; 1");
  /* numbers stand anywhere in a product */
  GIVES("  y = 2*[[1, 2], [3, 4]]*3*[u, 0]/6\n", "y[1] - u; y[2] - 3*u");
  GIVES("  y = [[1, 1], [0, 1]]*[[1, 1], [0, 1]]*y\n", "y[1] - (y[1] + 2*y[2]); 0");
}

static void check_parameters(void) {
  ritti_model *m =
      read_text(HEAD "  w[0..1, 1..2]\nparameter d = sum(k in 1..3, a[k]), s[i in 1..n] = if i = 1 "
                     "then a[1] else s[i-1]*a[i], r[i in 1..n] = if i = n then 1 else r[i+1] + 1\n"
                     "equation u' = d\n",
                true);
  CHECK(m && m->parameters == 1 + 3 + 3 + 3 + 1 + 3 + 3 && m->variables == 3 + 2 + 6 + 2 + 4);
  if (!m) return;
  CHECK_TEXT(m->parameter[4].name, "z[0]");
  CHECK(m->parameter[4].number == 7 && m->parameter[6].number == 7 &&
        m->parameter[8].number == 0.2);
  CHECK(m->parameter[10].number == 10);
  CHECK(m->parameter[11].number == 2 && m->parameter[12].number == 6 &&
        m->parameter[13].number == 30);
  CHECK(m->parameter[14].number == 3 && m->parameter[16].number == 1);
  CHECK_TEXT(m->variable[13].name, "w[0,1]");
  CHECK_TEXT(m->variable[16].name, "w[1,2]");
  CHECK_TEXT(m->variable_name[2].shown, "A[1..2, 1..3]");
  CHECK(m->variable_name[2].first == 5 && m->variable_name[2].count == 6);
  CHECK_TEXT(m->variable_name[5].shown, "w[0..1, 1..2]");
  ritti_model_free(m);
}

/* Every value follows the ones that are set. */
static void check_overrides(void) {
  static const char text[] =
      HEAD "parameter b[i in 1..3] = if i = 1 then a[1] else 2*b[i-1]\nequation u' = 1\n";
  ritti_override set[] = {{"a[1]", "4"}, {"b[2]", "1"}, {"z", "8"}, {"n", "4"}};
  ritti_model *m = NULL;
  CHECK(ritti_model_read(text, strlen(text), "test.ritt", set, 4, NULL, &m) == RITT_OK);
  if (!m) return;
  CHECK(m->parameters == 1 + 3 + 3 + 4 + 3 && m->variables == 4 + 2 + 6 + 2);
  CHECK(m->parameter[1].number == 4 && m->parameter[4].number == 8 && m->parameter[6].number == 8);
  CHECK(m->parameter[10].number == 0.4);
  CHECK(m->parameter[11].number == 4 && m->parameter[12].number == 1 &&
        m->parameter[13].number == 2);
  ritti_model_free(m);
  ritti_override array[] = {{"a", "[1, 1/2, 3]"}};
  CHECK(ritti_model_read(text, strlen(text), "test.ritt", array, 1, NULL, &m) == RITT_OK);
  CHECK(m && m->parameter[2].number == 0.5);
  ritti_model_free(m);
}

static void check_lets(void) {
  char b[512];
  ritti_model *m =
      read_text(HEAD "let r = [u, v]\n  d[i in 1..n-1] = x[i+1] - x[i], p[1..2] = u\n"
                     "  q[i in 1..n] = if i = 1 then x[1] else q[i-1] + x[i]\n"
                     "equation\n  r[1]' = d[2]\n  p' = r\n  u = q[3]\n  v = dot(r, r')\n",
                true);
  CHECK(m && m->equations == 5);
  if (!m) return;
  CHECK_TEXT(printed(m, m->equation[0].residual, b), "u' - (x[3] - x[2])");
  CHECK_TEXT(printed(m, m->equation[1].residual, b), "u' - u");
  CHECK_TEXT(printed(m, m->equation[2].residual, b), "u' - v");
  CHECK_TEXT(printed(m, m->equation[3].residual, b), "u - (x[3] + x[2] + x[1])");
  CHECK_TEXT(printed(m, m->equation[4].residual, b), "v - (u*u' + v*v')");
  ritti_model_free(m);
}

/* A chain of definitions by elements may be long in either direction. */
static void check_long_chains(void) {
  ritti_model *m = read_text(
      "model m\nparameter n = 20000, s[i in 1..n] = if i = 1 then 1 else s[i-1] + 1\n"
      "  r[i in 0..n] = if i = n then 0 else r[i+1] + 1\nvariable x\nequation x' = s[n] + r[0]\n",
      true);
  CHECK(m && m->parameter[20000].number == 20000 && m->parameter[20001].number == 20000);
  ritti_model_free(m);
}

int main(void) {
  check_elements();
  check_elementwise();
  check_products();
  check_parameters();
  check_overrides();
  check_lets();
  check_long_chains();
  return CHECKS_DONE();
}
