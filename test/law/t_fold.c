/* Folds and impasse points: crossed over arc length, stopped at or passed in runs over x. Numbers from the
 * references (quadruple precision) and from closed forms. */
#include "run.h"

/* ---- over arc length ---- */

static void check_curve(const char *file, double x, double y, double y1) {
  run *r = run_file(file, NULL);
  ritt_options o = ritt_options_default();
  CHECK(run_go(r, &o));
  CHECK_NEAR(run_last(r, "x"), x, 1e-11);
  CHECK_NEAR(run_last(r, "y"), y, 1e-11);
  CHECK_NEAR(run_last(r, "y'"), y1, 1e-11);
  CHECK(r->statistics.largest_residual < 1e-13);
  run_free(r);
}

static void test_arc(void) {
  /* sphere_s1: the equator y' = 0 lies on the way */
  check_curve("papers/sphere", 0.9764707901796351064182469, 0.210695881047073934217617,
              -0.04595695416100051260404557);
  /* asymptotic_s1: against x, over the fold */
  check_curve("papers/asymptotic_curves", -0.4576128787707707946522318, 0.9618428003216520778939576,
              0.1103361396301091798770535);
  /* parabola_s2 */
  check_curve("papers/parabolas", 1.970790252382315683417876, 1.44200710944257577413975,
              1.970790252382315683417876);
}

/* y^2 = x, x' = -1 from (1, 1): (t, x, y) = (1 - y^2, y^2, y), a parabola that arc length follows through y
 * = 0. The arc length from y = 1 to y = -1 is 2 * integral_0^1 sqrt(1 + 8 y^2) dy = 3 + asinh(sqrt(8)) /
 * sqrt(8). */
static const char *const IMPASSE =
    "model impasse\nvariable x, y\nequation\n  x' = -1\n  y^2 = x\nstart x = 1, y ~ 1\n";

static void test_through(void) {
  char text[512];
  double length = 3 + asinh(sqrt(8)) / sqrt(8);
  snprintf(text, sizeof text, "%ssolve arc = 0 .. %.17g\n  method dop853\n  tolerance 1e-12\n", IMPASSE,
           length);
  run *r = run_text(text);
  ritt_options o = ritt_options_default();
  CHECK(run_go(r, &o));
  CHECK_NEAR(run_last(r, "t"), 0, 1e-10);
  CHECK_NEAR(run_last(r, "x"), 1, 1e-10);
  CHECK_NEAR(run_last(r, "y"), -1, 1e-10);
  run_free(r);
}

/* ---- over x ---- */

static bool says(const run *r, const char *words) {
  return ritt_error_count(r->error) == 1 && strstr(ritt_error_get(r->error, 0)->text, words);
}

/* A text, run over x, must stop at a fold, there with this value in this column. */
static void check_stop(const char *text, long points, double to, double fold, const char *column,
                       double value) {
  run *r = run_text(text);
  ritt_options o = ritt_options_default();
  o.to = to;
  o.tolerance = 1e-11;
  o.points = points;
  run_try(r, &o);
  CHECK(r->status == RITT_STOPPED);
  CHECK(says(r, "fold"));
  CHECK_NEAR(r->statistics.x, fold, 1e-8);
  if (points == 0) CHECK_NEAR(run_last(r, column), value, 1e-5); /* square roots of the error in x */
  for (size_t i = 1; i < r->rows; i++) CHECK(r->row[i * r->width] > r->row[(i - 1) * r->width]);
  run_free(r);
}

static void test_stops(void) {
  check_stop(IMPASSE, 0, 3, 1, "y", 0);
  check_stop(IMPASSE, 50, 3, 1, "y", 0);
  /* y'^2 + y = 1 - x with y(0) = 0, y' = 1: y = x - x^2/4 - ... put u = y', then u = (u' terms):
   * differentiate to 2 u u' + u + 1 = 0, x = 2 (1 - u) + 2 log((1 + u)/2): the fold u = 0 is at x = 2 - 2
   * log 2, y = 1 - x there */
  double x = 2 - 2 * log(2);
  static const char *const text = "model fold\nvariable y\nequation y'^2 + y = 1 - t\nstart y = 0, y' ~ 1\n";
  check_stop(text, 0, 3, x, "y", 1 - x);
}

static void test_passed(void) {
  run *r = run_file("papers/plug_flow", NULL);
  for (int points = 0; points <= 101; points += 101) {
    ritt_options o = ritt_options_default();
    o.points = points;
    CHECK(run_go(r, &o));
    /* plug_x3.2188, plug_impasse */
    CHECK_NEAR(run_last(r, "x"), 3.2188, 0);
    CHECK_NEAR(run_last(r, "y1"), -8.421928371922571721997825, 1e-9);
    CHECK_NEAR(run_last(r, "y2"), 9.771298339770746135070139, 1e-9);
    CHECK_NEAR(run_last(r, "y3"), -10.61582905773641868762886, 1e-9);
    CHECK(r->statistics.impasse_points == 1);
    CHECK_NEAR(r->statistics.last_impasse, 1.095805139045817256623375, 1e-9);
    for (size_t i = 1; i < r->rows; i++) CHECK(r->row[i * r->width] > r->row[(i - 1) * r->width]);
    CHECK(points == 0 || r->rows == (size_t)points);
  }
  run_free(r);
}

/* y (1 + y'^2) = 1 falls to y = 0 with y' -> -infinity at a finite x: no fold, no impasse point; said as it
 * is */
static void test_growth(void) {
  run *r = run_text(
      "model cycloid\nvariable y\nequation y*(1 + y'^2) = 1\nstart y = 1/2, y' ~ -1\nsolve t = 0 .. 10\n");
  ritt_options o = ritt_options_default();
  run_try(r, &o);
  CHECK(r->status == RITT_STOPPED);
  CHECK(says(r, "grows without bound"));
  /* cycloid y = sin(a)^2, x from a = pi/4 to 0: integral of 2 sin^2 = pi/4 - 1/2 */
  CHECK_NEAR(r->statistics.x, 0.78539816339744830962 - 0.5, 1e-6);
  run_free(r);
}

/* y' = z, y^2 + z^2 = 1: at y = 1 the sine and the constant 1 meet; no direction is determined there, and
 * nothing of that shows in z' = -y on either side */
static void test_singular(void) {
  run *r = run_text("model meeting\nvariable y, z\nequation\n  y' = z\n  y^2 + z^2 = 1\nstart y = 0, z ~ "
                    "1\nsolve t = 0 .. 3\n");
  for (int points = 0; points <= 31; points += 31) {
    ritt_options o = ritt_options_default();
    o.points = points;
    ritt_error_clear(r->error);
    run_try(r, &o);
    CHECK(r->status == RITT_STOPPED);
    CHECK(says(r, "singular point"));
    CHECK_NEAR(r->statistics.x, 1.5707963267948966, 1e-7);
    for (size_t i = 0; i < r->rows; i++) CHECK_NEAR(run_get(r, i, "y"), sin(run_get(r, i, "t")), 1e-7);
  }
  run_free(r);
}

int main(void) {
  test_arc();
  test_through();
  test_stops();
  test_passed();
  test_growth();
  test_singular();
  return CHECKS_DONE();
}
