/* Elimination would divide by coefficients that vanish on the way. The completed system consists of
 * the equations and their derivatives as they are, so that nothing is divided by, and nothing has
 * to be completed again. */
#include "run.h"

/* p = sin(2 t), q = cos(t), b = t + 0.3. The coefficients of (p', q') in the second and third
 * equation are a rotation by b: regular everywhere, though each of its entries vanishes somewhere.
 * The fourth, with the others, says p = sin(2 t). */
static const char *const TEXT =
    "model again\nvariable p, q, b\n"
    "let P = 2*cos(2*b - 0.6), Q = -sin(b - 0.3)\n"
    "equation\n  b' = 1\n"
    "  cos(b)*p' + sin(b)*q' = cos(b)*P + sin(b)*Q\n"
    "  cos(b)*q' - sin(b)*p' = cos(b)*Q - sin(b)*P\n"
    "  %s*(p' - P) - %s*(q' - Q) + p - sin(2*b - 0.6) = 0\n"
    "start b = 0.3, p ~ 0.1, q = 1\nsolve t = 0 .. 10\ninvariant b - t\n";

static void check_run(const char *first, const char *second, long points) {
  char text[1024];
  ritt_options o = ritt_options_default();
  o.points = points;
  o.tolerance = 1e-10;
  snprintf(text, sizeof text, TEXT, first, second);
  run *r = run_text(text);
  CHECK(run_go(r, &o));
  CHECK(points == 0 || r->rows == (size_t)points);
  for (size_t i = 0; i < r->rows; i++) {
    double t = run_get(r, i, "t");
    CHECK_NEAR(run_get(r, i, "p"), sin(2 * t), 1e-8);
    CHECK_NEAR(run_get(r, i, "q"), cos(t), 1e-8);
    CHECK_NEAR(run_get(r, i, "b"), t + 0.3, 1e-12);
    CHECK(i == 0 || t > run_get(r, i - 1, "t"));
    if (points) CHECK_NEAR(t, 10.0 * (double)i / (double)(points - 1), 1e-14);
  }
  CHECK(run_last(r, "t") == 10);
  CHECK(r->statistics.recompletions == 0);
  run_free(r);
}

int main(void) {
  check_run("cos(b)", "sin(b)", 0);
  check_run("cos(b)", "sin(b)", 301);
  return CHECKS_DONE();
}
