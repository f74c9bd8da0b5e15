/* Friction from rest, self-locking, clutches, stops, latches, strings: against closed forms. */
#include "run.h"

typedef struct contact {
  const char *text;
  const char *name[3]; /* columns of the last row, and their values */
  double value[3], error;
} contact;

/* A disc on a table with friction 5, pulled in the direction (3, 4). */
#define DISC(pull, norm, end)                                                                      \
  "model disc\nvariable x, y\nequation\n  x'' = 3*" pull " - 5*x'/" norm "\n  y'' = 4*" pull       \
  " - 5*y'/" norm "\nstart x = 0, y = 0, x' = 0, y' = 0\nsolve t = 0 .. " end "\noutput x, y\n"
/* A block on a slope with sin = 0.6, cos = 0.8; s is the distance down it. */
#define SLOPE(mu, speed)                                                                           \
  "model slope\nparameter mu = " mu "\nvariable x, y, N\nlet v = 0.8*x' - 0.6*y'\nequation\n"      \
  "  x'' = 0.6*N - 0.8*mu*abs(N)*sign(v)\n  y'' = 0.8*N + 0.6*mu*abs(N)*sign(v) - 10\n"            \
  "  0.6*x + 0.8*y = 0\nstart x = 0, x' = " speed                                                  \
  "\nsolve t = 0 .. 1\noutput s = 0.8*x - 0.6*y, N\n"
/* Two stacked blocks of 1 and 2, friction 0.3 between them and 0.2 below; the lower one is pulled with 8*t.
 * Both stick up to 8 t = 0.2*30, the upper one on the lower up to (8 t - 6)/3 = 3. */
#define BLOCKS                                                                                     \
  "model blocks\nvariable a, b, y, z, N, P\nequation\n  a'' = -0.3*abs(N)*sign(a' - b')\n"         \
  "  2*b'' = 0.3*abs(N)*sign(a' - b') - 0.2*abs(P)*sign(b') + 8*t\n  y'' = N - 10\n"               \
  "  2*z'' = P - N - 20\n  y = 2\n  z = 1\nstart a = 0, b = 0, a' = 0, b' = 0\n"                   \
  "solve t = 0 .. 3\n  tolerance 1e-10\noutput u = a', v = b', P\n"
/* A drum with a lever brake: N*0.2 = 5 + 0.1*mu*N*sign(w). */
#define BRAKE(mu, speed)                                                                           \
  "model brake\nparameter mu = " mu                                                                \
  "\nvariable w, N\nequation\n  0.02*w' = -0.15*mu*abs(N)*sign(w)\n"                               \
  "  0.2*N = 5 + 0.1*mu*abs(N)*sign(w)\nstart w = " speed "\nsolve t = 0 .. 0.4\noutput w, N\n"

static const contact MODEL[] = {
    /* breaks loose at t = 1: 5/6 (t - 1)^3 along (3, 4)/5 */
    {DISC("t", "sqrt(x'^2 + y'^2)", "2"), {"x", "y"}, {0.5, 2. / 3}, 1e-6},
    {DISC("t", "hypot(x', y')", "2"), {"x", "y"}, {0.5, 2. / 3}, 1e-6},
    {DISC("2", "sqrt(x'^2 + y'^2)", "1"), {"x", "y"}, {1.5, 2}, 1e-6},
    {DISC("0.9", "sqrt(x'^2 + y'^2)", "3"), {"x", "y"}, {0, 0}, 1e-12},
    {"model table\nvariable x, y, z, N\nequation\n  x'' = 3*t - 0.5*N*x'/sqrt(x'^2 + y'^2)\n"
     "  y'' = 4*t - 0.5*N*y'/sqrt(x'^2 + y'^2)\n  z'' = N - 10\n  z = 0\n"
     "start x = 0, y = 0, x' = 0, y' = 0\nsolve t = 0 .. 2\noutput x, y, N\n",
     {"x", "y", "N"},
     {0.5, 2. / 3, 10},
     1e-6},
    {"model first\nvariable u, v\nequation\n  u' = 3*t - 5*u/sqrt(u^2 + v^2)\n"
     "  v' = 4*t - 5*v/sqrt(u^2 + v^2)\nstart u = 0, v = 0\nsolve t = 0 .. 2\noutput u, v\n",
     {"u", "v"},
     {1.5, 2},
     1e-6},
    {SLOPE("1/4", "0"), {"s", "N"}, {2, 8}, 1e-8},
    {SLOPE("1", "0"), {"s", "N"}, {0, 8}, 1e-12},
    {SLOPE("1/4", "-3.2"), {"s", "N"}, {-0.5, 8}, 1e-8},
    {BLOCKS, {"u", "v", "P"}, {5.0625, 7.59375, 30}, 1e-7},
    {BRAKE("0.3", "30"), {"w", "N"}, {30 - 0.4 * 7.5 * 0.3 * 5 / 0.17, 5 / 0.17}, 1e-10},
    {BRAKE("0.3", "-30"), {"w", "N"}, {-30 + 0.4 * 7.5 * 0.3 * 5 / 0.23, 5 / 0.23}, 1e-10},
    /* a ball bounces beside a pendulum, and comes to rest at sqrt(0.2)*3 */
    {"model rest\nvariable y, p, q, S\nequation\n  y'' = -10\n  p'' = -S*p\n  q'' = -S*q\n"
     "  p^2 + q^2 = 1\nevent bounce: y = 0 falling -> y' := -0.5*y'\n"
     "start y = 1, y' = 0, p = 1, q ~ 0, q' = 1\nsolve t = 0 .. 3\n  tolerance 1e-10\noutput y, p, q\n",
     {"y", "p", "q"},
     {0, -0.98999249660044546, 0.14112000805986722},
     1e-8},
    /* clutches: masses 1 and 3, torque 2; the second also with a motor of 1 */
    {"model clutch\nvariable u, v\nequation\n  u' = -2*sign(u - v)\n  3*v' = 2*sign(u - v)\n"
     "start u = 4, v = 0\nsolve t = 0 .. 3\noutput u, v\n",
     {"u", "v"},
     {1, 1},
     1e-9},
    {"model clutch\nvariable u, v\nequation\n  u' = 1 - 2*sign(u - v)\n  3*v' = 2*sign(u - v)\n"
     "start u = 4, v = 0\nsolve t = 0 .. 3\noutput u, v, T = 2*sign(u - v)\n",
     {"u", "v", "T"},
     {1.75, 1.75, 0.75},
     1e-9},
    /* a block pulled by a spring whose end moves with speed 1: x = s - sin(s) from t = 1/2 on */
    {"model pulled\nvariable x\nequation x'' = t - x - 0.5*sign(x')\nstart x = 0, x' = 0\n"
     "solve t = 0 .. 3.5\n  tolerance 1e-10\noutput x\n",
     {"x"},
     {2.8588799919401326},
     1e-8},
    /* gears with backlash: an elastic impact of 1 and 3 */
    {"model gears\nvariable a, b\nequation\n  a'' = -900*max(a - b - 1, 0)\n"
     "  3*b'' = 900*max(a - b - 1, 0)\nstart a = 0, b = 0, a' = 2, b' = 0\nsolve t = 0 .. 2\n"
     "  tolerance 1e-10\noutput u = a', v = b'\n",
     {"u", "v"},
     {-1, 1},
     1e-7},
    /* a stop that gives all speed back */
    {"model stop\nvariable x\nequation x'' = -x\nevent hit: x = 0 falling -> x' := -x'\n"
     "start x = 1, x' = 0\nsolve t = 0 .. 4\n  tolerance 1e-11\noutput x\n",
     {"x"},
     {0.65364362086361191},
     1e-9},
    /* a latch holds a wagon at x = 1 */
    {"model latch\nvariable x, S, on\nequation\n  x'' = S\n  on*x' + (1 - on)*S = 0\n  on' = 0\n"
     "event catch: x = 1 rising -> on := 1\nstart x = 0, x' = 2, on = 0\nsolve t = 0 .. 2\n"
     "output x, u = x'\n",
     {"x", "u"},
     {1, 0},
     1e-10},
    /* a string between a wagon and a drum of radius 1/2 becomes taut: u = L, w = 4 - L/4, u = w/2 */
    {"model drum\nvariable x, w, S, on\nequation\n  x'' = S\n  2*w'' = -S/2\n"
     "  on*(x - w/2) + (1 - on)*S = 0\n  on' = 0\nevent taut: w/2 - x = 0 rising -> on := 1\n"
     "start x = 1, x' = 0, w = 0, w' = 4, on = 0\nsolve t = 0 .. 1\noutput u = x', v = w'\n",
     {"u", "v"},
     {16. / 9, 32. / 9},
     1e-9},
    /* a load on a belt with speed 1 */
    {"model belt\nvariable x, y\nequation\n  x'' = -2*(x' - 1)/sqrt((x' - 1)^2 + y'^2)\n"
     "  y'' = -2*y'/sqrt((x' - 1)^2 + y'^2)\nstart x = 0, y = 0, x' = 0, y' = 0\nsolve t = 0 .. 1\n"
     "output x, y\n",
     {"x", "y"},
     {0.75, 0},
     1e-7},
};

/* Painleve's rod, with its tip on the ground: mu sin cos - cos^2 > 1/3 is the paradox, if the tip slides in
 * the direction in which the rod leans. */
#define ROD(mu, angle, speed)                                                                      \
  "model rod\nvariable x, y, th, N, F\nequation\n  x'' = F\n  y'' = N - 9.81\n"                    \
  "  th''/3 = sin(th)*F - cos(th)*N\n  y - sin(th) = 0\n"                                          \
  "  F = -(" mu ")*abs(N)*sign(x' + sin(th)*th')\nstart x = 0, th = " angle ", x' = " speed        \
  ", th' = 0\nsolve t = 0 .. 2\n"

static const char *const REFUSED[][2] = {
    {ROD("2", "1.0", "-10"), "neither side of abs(N) fits"},
    {ROD("2", "1.3", "2"), "no side of sign(x' + sin(th)*th') agrees with the forces"},
    {ROD("0.5 + 40*t", "1.0", "-10"), "the forces in abs(N) grow without limit"},
    {BRAKE("2.5", "30"), "neither side of abs(N) fits"},
};

static bool says(const run *r, const char *words) {
  for (size_t i = 0; i < ritt_error_count(r->error); i++) {
    const ritt_message *m = ritt_error_get(r->error, i);
    if (strstr(m->text, words) || (m->hint && strstr(m->hint, words))) return true;
  }
  return false;
}

int main(void) {
  for (size_t i = 0; i < sizeof MODEL / sizeof *MODEL; i++) {
    run *r = run_text(MODEL[i].text);
    CHECK(run_go(r, NULL));
    for (int j = 0; j < 3 && MODEL[i].name[j]; j++)
      CHECK_NEAR(run_last(r, MODEL[i].name[j]), MODEL[i].value[j], MODEL[i].error);
    run_free(r);
  }
  for (size_t i = 0; i < sizeof REFUSED / sizeof *REFUSED; i++) {
    run *r = run_text(REFUSED[i][0]);
    run_try(r, NULL);
    CHECK(r->status != RITT_OK && says(r, REFUSED[i][1]) && says(r, "Painleve"));
    run_free(r);
  }
  return CHECKS_DONE();
}
