/* Velocities behind a jump follow from M dv = G^T Lambda, in every kind of problem: against closed
 * forms. */
#include "run.h"

typedef struct impulse {
  const char *text;
  const char *name[4]; /* columns of the last row, and their values */
  double value[4];
} impulse;

/* Three bodies of mass 1, 1 and 3 with a + b + c = 0; a' becomes 4. Then b' = L, 3 c' = L and
 * b' + c' = -4, so that L = -3. The least change of b' and c' would be -2 and -2. */
#define THREE(variables, equations, starts)                                                        \
  "model three\nvariable a, b, c, S" variables "\nequation\n" equations                            \
  "event hit: t = 0.5 -> a' := 4\nstart a = 0, b = 0, c = 0, a' = 0, b' = 0" starts                \
  "\nsolve t = 0 .. 1\noutput a, u = a', v = b', w = c'\n"
#define BODIES "  a'' = S\n  b'' = S\n  3*c'' = S\n  a + b + c = 0\n"
#define RIGHT                                                                                      \
  {"a", "u", "v", "w"}, { 2, 4, -3, -1 }

static const impulse MODEL[] = {
    {THREE("", BODIES, ""), RIGHT},
    {THREE(", n", BODIES "  n' = 0\n", ", n = 0"), RIGHT},
    {THREE("", "  a + b + c = 0\n  3*c'' = S\n  a'' = S\n  b'' = S\n", ""), RIGHT},
    {THREE(", n", "  3*c'' = S\n  n' = 0\n  b'' = S\n  a'' = S\n  a + b + c = 0\n", ", n = 0"),
     RIGHT},
    /* an algebraic unknown that enters nonlinearly beside them: the implicit kind */
    {THREE(", q", BODIES "  q + exp(q) = 2 + sin(t)\n", ", q ~ 0"), RIGHT},
    /* the constraint twice: its reactions are not determined, the velocities are */
    {THREE(
         ", R",
         "  a'' = S + R\n  b'' = S + R\n  3*c'' = S + R\n  a + b + c = 0\n  2*a + 2*b + 2*c = 0\n",
         ""),
     RIGHT},
    /* momenta instead of velocities */
    {"model momenta\nvariable a, b, c, p, q, r, S\nequation\n  a' = p\n  b' = q\n  c' = r/3\n  p' = S\n"
     "  q' = S\n  r' = S\n  a + b + c = 0\nevent hit: t = 0.5 -> p := 4\n"
     "start a = 0, b = 0, c = 0, p = 0, q = 0\nsolve t = 0 .. 1\noutput a, u = p, v = q, w = r/3\n",
     RIGHT},
    /* a reaction that does not act along the gradient: a' = 3, b' = -6 */
    {"model lossy\nvariable a, b, c, S\nequation\n  a'' = S\n  b'' = -2*S\n  c'' = 3*S\n  a + b + c = 0\n"
     "event hit: t = 0.5 -> c' := 3\nstart a = 0, b = 0, a' = 0, b' = 0\nsolve t = 0 .. 1\n"
     "output a, u = a', v = b', w = c'\n",
     {"a", "u", "v", "w"},
     {1.5, 3, -6, 3}},
    /* a matrix of masses that is not diagonal: 2 q' = L, r' = L, 1 + q' + r' = 0 */
    {"model coupled\nvariable p, q, r, S\nequation\n  2*p'' + q'' = S\n  p'' + 2*q'' = S\n  r'' = S\n"
     "  p + q + r = 0\nevent hit: t = 0.5 -> p' := 1\nstart p = 0, q = 0, p' = 0, q' = 0\n"
     "solve t = 0 .. 1\noutput u = p', v = q', w = r'\n",
     {"u", "v", "w"},
     {1, -1. / 3, -2. / 3}},
    /* Rods from (0, 0) to (1, 0) to (2, -1), masses 1 and 2; x2' becomes 1. The impulse acts along the
     * second rod: y1' = L, 2 y2' = -L, and 1 - y2' + y1' = 0. */
    {"model rods\nvariable x, y, X, Y, S, R\nequation\n  x'' = -S*x + R*(X - x)\n"
     "  y'' = -S*y + R*(Y - y)\n  2*X'' = -R*(X - x)\n  2*Y'' = -R*(Y - y)\n  x^2 + y^2 = 1\n"
     "  (X - x)^2 + (Y - y)^2 = 2\nevent hit: t = 0.5 -> X' := 1\n"
     "start x = 1, y ~ 0, X = 2, Y ~ -1, y' = 0, X' = 0, Y' ~ 0\nsolve t = 0 .. 0.500000001\n"
     "output x = x', y = y', X = X', Y = Y'\n",
     {"x", "y", "X", "Y"},
     {0, -2. / 3, 1, 1. / 3}},
    /* the speed doubles on a circle, velocities as unknowns: the position does not jump */
    {"model circle\nvariable x, y, u, v, S\nequation\n  x' = u\n  y' = v\n  u' = -S*x\n  v' = -S*y\n"
     "  x^2 + y^2 = 1\nevent push: t = 1 -> u := 2*u\n"
     "start x = 0.8, y ~ 0.6, u = -0.6, v ~ 0.8\nsolve t = 0 .. 1.5\n  tolerance 1e-11\n"
     "output a = x*cos(2) + y*sin(2), b = y*cos(2) - x*sin(2), E = u^2 + v^2\n",
     {"a", "b", "E"},
     {0.8, 0.6, 4}},
    /* the circle again, with a counter */
    {"model circle\nvariable x, y, S, n\nequation\n  x'' = -S*x\n  y'' = -S*y\n  n' = 0\n"
     "  x^2 + y^2 = 1\nevent push: t = 1 -> x' := 2*x', n := n + 1\n"
     "start x = 0.8, y ~ 0.6, x' = -0.6, y' ~ 0.8, n = 0\nsolve t = 0 .. 1.5\n  tolerance 1e-11\n"
     "output a = x*cos(2) + y*sin(2), b = y*cos(2) - x*sin(2), n\n",
     {"a", "b", "n"},
     {0.8, 0.6, 1}},
    /* capacitors of 1 and 3 that a switch joins: the charge stays */
    {"model charge\nvariable v, w, i, on\nequation\n  v' = -i\n  3*w' = i\n  on*(v - w) + (1 - on)*i = 0\n"
     "  on' = 0\nevent close: t = 0.5 -> on := 1\nstart v = 4, w = 0, on = 0\nsolve t = 0 .. 1\n"
     "output v, w\n",
     {"v", "w"},
     {1, 1}},
    /* a clutch with losses closes: u = L, v = 3 - L/2, u = v */
    {"model clutch\nvariable u, v, S, on\nequation\n  u' = S\n  v' = -S/2\n  on*(u - v) + (1 - on)*S = 0\n"
     "  on' = 0\nevent close: t = 0.5 -> on := 1\nstart u = 0, v = 3, on = 0\nsolve t = 0 .. 1\n"
     "output u, v\n",
     {"u", "v"},
     {2, 2}},
    /* wagons of mass 1 and 3 that two redundant strings join */
    {"model two\nvariable a, b, S, R, on\nequation\n  a'' = S + R\n  3*b'' = -S - R\n"
     "  on*(b - a - 1) + (1 - on)*S = 0\n  on*(2*b - 2*a - 2) + (1 - on)*R = 0\n  on' = 0\n"
     "event caught: b - a = 1 rising -> on := 1\n"
     "start a = 0, b = 0.5, a' = 0, b' = 2, on = 0\nsolve t = 0 .. 0.5\noutput u = a', v = b', a\n",
     {"u", "v", "a"},
     {1.5, 1.5, 0.375}},
};

/* Nothing follows from the equations: the assigned velocity stands in two equations of motion whose
 * matrix is not symmetric, so that it is not known on which its impulse acts. */
static void check_refused(void) {
  run *r =
      run_text("model mixed\nvariable a, b, c, S\nequation\n  a'' + b'' = 2*S\n  2*a'' - b'' = S\n"
               "  3*c'' = S\n  a + b + c = 0\nevent hit: t = 0.5 -> a' := 4\n"
               "start a = 0, b = 0, a' = 0, b' = 0\nsolve t = 0 .. 1\n");
  run_try(r, NULL);
  CHECK(r->status == RITT_STOPPED);
  CHECK(strstr(ritt_error_get(r->error, 0)->text, "do not follow from the equations"));
  run_free(r);
}

int main(void) {
  for (size_t i = 0; i < sizeof MODEL / sizeof *MODEL; i++) {
    static const char *const KIND[] = {NULL, "general"};
    for (int k = 0; k < 2; k++) {
      ritt_options o = ritt_options_default();
      o.kind = KIND[k];
      bool unique = !strstr(MODEL[i].text, ", R"); /* the general kind wants that */
      if (k == 1 && !unique) continue;
      run *r = run_text(MODEL[i].text);
      CHECK(run_go(r, &o));
      for (int j = 0; j < 4 && MODEL[i].name[j]; j++)
        CHECK_NEAR(run_last(r, MODEL[i].name[j]), MODEL[i].value[j], 1e-8);
      run_free(r);
    }
  }
  check_refused();
  return CHECKS_DONE();
}
