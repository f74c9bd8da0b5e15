/* Systems on which the completion once went wrong, found by random systems and by fuzzing, with
 * what is right. */
#include "jets.h"

typedef struct found {
  const char *verdict;            /* NULL: refused, whatever the reason */
  int dof, dependent, non_unique; /* -1: any */
  const char *text;
} found;

/* clang-format off */
static const found cases[] = {
  /* exp(y) is never 0, so x'' = 0, and y is arbitrary; one equation that holds y depends on no other, so y is not
     like a multiplier of a redundant constraint */
  {"underdetermined", -1, 0, 0,
   "variable x, y\nequation\n  exp(y)*x'' + 4 = 4\n"},
  /* always true */
  {"determined", 2, 1, 0,
   "variable x, y\nequation\n  x - x = 0\n  x' = y\n  y' = -x\n"},
  {"underdetermined", -1, 1, 0,
   "variable x, y\nequation\n  x - x = 0\n  x' = y\n"},
  /* functions of a part without derivatives must be determined (ModelingToolkit's course, lecture 7); multipliers
     of a constraint given twice need not, nor the messages about them */
  {"underdetermined", -1, 0, 0,
   "variable x, y, z\nequation\n  x + y = sin(t)\n  z = sin(t)\n  z' = cos(t)\n"},
  {"determined", 2, 1, 3,
   "variable x, y, a, b, N\nequation\n  x'' = a*x + b*x\n  y'' = a*y + b*y - 1\n  x^2 + y^2 = 1\n"
   "  2*x^2 + 2*y^2 = 2\n  N = a\nstart t = 0\n  x = 1, y = 0, x' = 0, y' = 0\n"},
  /* a value that clashes with a condition from several equations */
  {"inconsistent", -1, 0, 0,
   "variable x, y\nequation\n  -2*y'*t - 4 = -2*y\n  -2 - 2*x = 3*x*t - 4*y'\n"
   "start t = 0\n  x ~ -1/4, x' ~ 2\n  y = -5/4\n"},
  /* no start point, and no equation to blame */
  {NULL, -1, 0, 0,
   "variable x, y\nequation\n  -x = -4 + 3*x\n  y''^(-1)*x'' - 2*t*y^2 = -12\nstart t = 0\n"},
  /* a column of the derivative array that is zero along solutions */
  {"determined", 1, 1, 0,
   "variable u, a, b\nlet\n  r = u' - a^2/4\n  e = exp(a' - b + 3/4*a^2 + r) - 1\nequation\n  r = 0\n"
   "  a - sin(t)/2 - t^2/4 = 0\n  e = 0\n  -3*r + sin(u)*e = 0\nstart t = 0\n  u ~ 0.472085, a ~ 0, b ~ 0\n"},
  /* a row of the system Jacobian that is zero at the start, though not elsewhere on M: three more free values
     than the multiplier leaves */
  {"determined", 5, 0, 0,
   "variable u, b, q, p, m\nlet\n  r = (u - 2*p)' - q*p - 3/4*sin(p')\n"
   "  e = q + sin(p)/4 - p^2/4 - 1 - 2*sin(m)*r'\n  s = q'' - cos(q')/2 - m\nequation\n  r' + 2*e = 0\n"
   "  b - 3/4*sin(p) = 0\n  s' + s = 0\n"
   "  p'' - (-3/4*q'*p' - p'*(u - 2*p)/2 + sin(p)) - m*(cos(p)/4 - p/2) = 0\n  e + e^3 = 0\n"
   "start t = 0\n  u ~ 0.51142, b ~ 0, q ~ 1.003788, p ~ -0.014928, m ~ 0\n"},
  /* a row whose gradient is large far from the start, and not small there */
  {"determined", 1, 0, 0,
   "variable x\nequation\n  exp(400*(x' - 1)) - 1 = 0\nstart t = 0\n  x = 0\n  x' ~ 1\n"},
  /* a constraint on a position that no multiplier acts on: more constraints than multipliers */
  {"determined", 2, 0, 0,
   "variable x, y\nequation\n  x = sin(t)\n  y'' = x'' - y\nstart t = 0\n  y = 1, y' = 0\n"},
  /* rows of three eliminations in turn, whose entries are bounded by far larger terms than they are: no rounding */
  {"determined", 5, 1, 0,
   "variable x, y\nlet\n  X = -0.524 + 1.277*t - 0.561/2*t^2 - 0.670/6*t^3 - 0.555/24*t^4 - 0.722/120*t^5 -\n"
   "    1.252/720*t^6 - 1.138/5040*t^7 - 0.483/40320*t^8\n"
   "  Y = 1.192 - 0.211*t - 0.498/2*t^2 + 0.987/6*t^3 + 0.991/24*t^4 + 0.924/120*t^5 -\n"
   "    0.263/720*t^6 - 0.646/5040*t^7 - 0.827/40320*t^8\n"
   "  g = 2*sin(y'') + 2*(1 + t)*sin(x'') - 2*sin(Y'') - 2*(1 + t)*sin(X'')\n  h = g' + g\n  e = sin(h' + 2*h)\n"
   "equation\n  e = 0\n"
   "  exp(-3/2*y'*y*sin(y) + 2*exp(x) - (-3/2*Y'*Y*sin(Y) + 2*exp(X)) + 2*y*e) - 1 = 0\n  e + 2*x^2*e = 0\n"
   "start t = 0\n  x = -0.524, x' = 1.277, x'' = -0.561, x''' = -0.670, der(x, 4) ~ -0.555\n"
   "  y = 1.192, y' = -0.211, y'' = -0.498, y''' = 0.987, der(y, 4) ~ 0.991\n"
   "solve t = 0 .. 0.002\noutput x, y\n"},
  /* one more independent equation than unknowns: points on another branch of solutions than the start's
   * contradict it */
  {"determined", 0, 0, 0,
   "variable x, y\nlet\n  X = -0.406 + 0.571*t + 0.747/2*t^2 + 0.130/6*t^3 + 1.347/24*t^4 + 0.917/120*t^5\n"
   "  Y = -1.118 - 0.465*t - 1.382/2*t^2 - 0.969/6*t^3 - 1.241/24*t^4 - 0.988/120*t^5\n"
   "  a = -2*y''' + x'/2 - (-2*Y''' + X'/2)\n"
   "  b = -3/2*x*y'*y - y^2*y'' - 2*sin(y') - (-3/2*X*Y'*Y - Y^2*Y'' - 2*sin(Y'))\n"
   "equation\n  2*y'*y + 2*exp(x) - (2*Y'*Y + 2*exp(X)) = 0\n  a + a^3 + 2*x*b = 0\n  b = 0\n"
   "start t = 0\n  x = -0.406, x' ~ 0.571\n  y = -1.118, y' = -0.465, y'' = -1.382, y''' ~ -0.969\n"
   "solve t = 0 .. 0.002\noutput x, y\n"},
  /* of three equations that depend on each other the first follows from the others, and the last does not:
   * it has another branch */
  {"determined", 4, 1, 0,
   "variable x1, y1, x2, y2, th, l1, l2\nequation\n  x1'' = -l1*x1 + l2*(x2-x1)\n"
   "  y1'' = -l1*y1 + l2*(y2-y1) - 9.81\n  x2'' = -l2*(x2-x1)\n  y2'' = -l2*(y2-y1) - 9.81\n"
   "  x1^2 + y1^2 = 1\n  (x2-x1)^2 + (y2-y1)^2 = 1\n  x1 = sin(th)\n  y1 = -cos(th)\n"
   "start t = 0\n  th = 1.5, th' = 0, x2 ~ 1.9, y2 ~ -0.3, x2' ~ 0\n"},
  /* far away, where x^2 is large, the second equation seems to hold: there is no such point */
  {"inconsistent", -1, 0, 0,
   "variable x, y, z\nequation\n  x' - x + y + z' = 0\n  y - t + (1 + x^2)*(x' - x + y + z') = 0\n"
   "  y = 2*t\n  z + x = t\nstart t = 0\n  x ~ 1\n"},
};

/* conditions that grow without an end in sight if rows are combined: (X, Y, Z) is a solution */
static const char GROWS[] =
  "variable x, y, z\n"
  "let\n"
  "  X = -725/1000*t^0 + 247/1000*t^1 + -1141/2000*t^2 + -829/6000*t^3 + 788/24000*t^4 + 1441/120000*t^"
  "5 + 1257/720000*t^6\n"
  "  Y = 1505/1000*t^0 + 392/1000*t^1 + 211/2000*t^2 + -454/6000*t^3 + 649/24000*t^4 + 358/120000*t^5 +"
  " -1412/720000*t^6\n"
  "  Z = 500/1000*t^0 + -365/1000*t^1 + 1092/2000*t^2 + -454/6000*t^3 + 848/24000*t^4 + -1437/120000*t^"
  "5 + -1562/720000*t^6\n"
  "equation\n"
  "  4/2*x'' + 1/2*y*x'' + -3/2*1*x'*exp(y') + -3/2*z''*y' - (4/2*X'' + 1/2*Y*X'' + -3/2*1*X'*exp(Y') +"
  " -3/2*Z''*Y') = 0\n"
  "  4/2*(1/(2 + x''^2))*y'^2 + -2/2*y''*1 - (4/2*(1/(2 + X''^2))*Y'^2 + -2/2*Y''*1) = 0\n"
  "  (-3/2*y + -2/2*y' - (-3/2*Y + -2/2*Y'))' + 1*(-3/2*y + -2/2*y' - (-3/2*Y + -2/2*Y')) = 0\n"
  "  -3/2*x*exp(y')*x + 4/2*z*x + -3/2*y*x*z'^2 + 4/2*exp(x'') - (-3/2*X*exp(Y')*X + 4/2*Z*X + -3/2*Y*X"
  "*Z'^2 + 4/2*exp(X'')) = 0\n"
  "start t = 0\n"
  "  x = -725/1000\n"
  "  x' = 247/1000\n"
  "  x'' ~ -1141/1000\n"
  "  y = 1505/1000\n"
  "  y' = 392/1000\n"
  "  y'' ~ 211/1000\n"
  "  z = 500/1000\n"
  "  z' = -365/1000\n"
  "  z'' ~ 1092/1000\n"
  "solve t = 0 .. 0.002\n"
  "output x, y, z\n";
/* clang-format on */

static void check_grows(void) {
  static char text[sizeof GROWS + 20];
  snprintf(text, sizeof text, "model found\n%s", GROWS);
  completed *c = completed_text(text, "found");
  CHECK_TEXT(c->check.verdict, "determined");
  CHECK(c->status == RITT_OK && c->reduced);
  completed_free(c);
}

int main(void) {
  char text[2048];
  if (!CHECK_SLOW) check_grows();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const found *f = &cases[i];
    snprintf(text, sizeof text, "model found\n%s", f->text);
    completed *c = completed_text(text, "found");
    if (f->verdict) CHECK_TEXT(c->check.verdict, f->verdict);
    else CHECK(!c->reduced);
    CHECK(f->dof < 0 || c->check.degrees_of_freedom == f->dof);
    CHECK((int)c->check.dependent_count == f->dependent);
    CHECK((int)c->check.non_unique_count == f->non_unique);
    CHECK((c->status == RITT_OK) == (c->reduced != NULL));
    CHECK(c->status == RITT_OK || (c->check.reason && ritt_error_count(c->error) > 0));
    completed_free(c);
  }
  return CHECKS_DONE();
}
