/* Folds and impasse points: crossed over arc length, stopped at or passed in runs over x. Numbers
 * from the references (quadruple precision) and from closed forms. */
#include "api/pipeline.h"
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

/* y' = 1 with the scale 2 for y: ds^2 = dx^2 + dy^2/4. Against x the other way. */
static void test_metric(void) {
  for (int way = -1; way <= 1; way += 2)
    for (int scaled = 0; scaled < 2; scaled++) {
      char text[256];
      snprintf(
          text, sizeof text,
          "model m\nindependent x\nvariable y\nequation y' = 1\nstart y = 0\n%ssolve arc = 0 .. %d\n",
          scaled ? "scale y = 2\n" : "", way);
      run *r = run_text(text);
      ritt_options o = ritt_options_default();
      CHECK(run_go(r, &o));
      CHECK_NEAR(run_last(r, "x"), way / sqrt(scaled ? 1.25 : 2), 1e-12);
      CHECK_NEAR(r->statistics.arc, 1, 1e-12);
      run_free(r);
    }
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

/* y^2 = x, x' = -1 from (1, 1): (t, x, y) = (1 - y^2, y^2, y), a parabola that arc length follows
 * through y = 0. The arc length from y = 1 to y = -1 is 2 * integral_0^1 sqrt(1 + 8 y^2) dy = 3 +
 * asinh(sqrt(8)) / sqrt(8). */
static const char *const IMPASSE =
    "model impasse\nvariable x, y\nequation\n  x' = -1\n  y^2 = x\nstart x = 1, y ~ 1\n";

static void test_through(void) {
  char text[512];
  double length = 3 + asinh(sqrt(8)) / sqrt(8);
  snprintf(text, sizeof text, "%ssolve arc = 0 .. %.17g\n  method dop853\n  tolerance 1e-12\n",
           IMPASSE, length);
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
  if (points == 0)
    CHECK_NEAR(run_last(r, column), value, 1e-5); /* square roots of the error in x */
  for (size_t i = 1; i < r->rows; i++) CHECK(r->row[i * r->width] > r->row[(i - 1) * r->width]);
  run_free(r);
}

static void test_stops(void) {
  check_stop(IMPASSE, 0, 3, 1, "y", 0);
  check_stop(IMPASSE, 50, 3, 1, "y", 0);
  /* y'^2 + y = 1 - x with y(0) = 0, y' = 1: y = x - x^2/4 - ... put u = y', then u = (u' terms):
   * differentiate to 2 u u' + u + 1 = 0, x = 2 (1 - u) + 2 log((1 + u)/2): the fold u = 0 is at x =
   * 2 - 2 log 2, y = 1 - x there */
  double x = 2 - 2 * log(2);
  static const char *const text =
      "model fold\nvariable y\nequation y'^2 + y = 1 - t\nstart y = 0, y' ~ 1\n";
  check_stop(text, 0, 3, x, "y", 1 - x);
}

/* Steps whose error is comparable with the distance of the sheets must not go from one to the
 * other: y'^2 + y = 1 - t as above, with loose tolerances. */
static void test_loose(void) {
  static const char *const text =
      "model fold\nvariable y\nequation y'^2 + y = 1 - t\nstart y = 0, y' ~ 1\n";
  double x = 2 - 2 * log(2);
  for (double tolerance = 1e-2; tolerance > 1e-8; tolerance /= 10)
    for (int through = 0; through < 2; through++) {
      run *r = run_text(text);
      ritt_options o = ritt_options_default();
      o.to = 3;
      o.tolerance = tolerance;
      o.singular = through ? "through" : NULL;
      run_try(r, &o);
      CHECK(r->status == RITT_STOPPED && says(r, "at a fold"));
      CHECK(r->statistics.specials == 1 && r->statistics.singular_points == 0);
      CHECK_NEAR(r->statistics.x, x, 10 * tolerance);
      run_free(r);
    }
}

/* Constant steps go over the fold; it is not taken for a singular point, and not passed. */
static void test_constant(void) {
  for (int through = 0; through < 2; through++) {
    run *r = run_text(
        "model fold\nindependent x\nvariable y, z\nequation\n  z^2 + y^2 = 2 - x\n  y' = -1 + z/10\n"
        "start y = 1, z ~ 1\n");
    ritt_options o = ritt_options_default();
    o.to = 3;
    o.constant_step = 0.01;
    o.singular = through ? "through" : NULL;
    run_try(r, &o);
    CHECK(r->status == RITT_STOPPED && says(r, "gone over a fold"));
    CHECK(r->statistics.specials == 1 && !strcmp(r->statistics.special[0].kind, "fold"));
    run_free(r);
  }
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

/* Constant steps of 0.1 over arc length whose ends have x <= 3.2188: 288 with dopri54, 289 with
 * Euler's method (tables 5 and 6 of the enhanced linear algebra paper, start projected; V unit in
 * (x, y1, y2, y3)).
 */
static void test_steps(void) {
  run *r = run_text(
      "model plug\nindependent x\nparameter R = 45.72, c1 = 44.017, c2 = 35545, c3 = 929940, c4 = 9090.9\n"
      "variable y1, y2, y3\nequation\n  y3^2*y1' + y2^2 = 0\n"
      "  y1*y2*(R - y3)^2*(5/2*log(c1*y2 - 5) + 21/2) - c2*y1*y3 - c3*y3 = 0\n"
      "  y2*(5/2*R - 5/4*y3)*log(c1*y2 - 5) + y2*(3*R - 17/8*y3) - (68/5*R + c1*c4)/c1 = 0\n"
      "start x = 0\n  y1 ~ 13.78, y2 ~ 11.394, y3 ~ 4.8147\nsolve arc = 0 .. 29.5\n"
      "  steps constant h = 0.1\n  project stages\n");
  for (int euler = 0; euler < 2; euler++) {
    ritt_options o = ritt_options_default();
    o.method = euler ? "euler" : "dopri54";
    CHECK(run_go(r, &o));
    size_t steps = 0;
    while (steps + 1 < r->rows && run_get(r, steps + 1, "x") <= 3.2188) steps++;
    CHECK(steps == (euler ? 289 : 288));
  }
  run_free(r);
}

/* y (1 + y'^2) = 1 falls to y = 0 with y' -> -infinity at a finite x: no fold, no impasse point;
 * said as it is */
static void test_growth(void) {
  run *r = run_text(
      "model cycloid\nvariable y\nequation y*(1 + y'^2) = 1\nstart y = 1/2, y' ~ -1\nsolve t = 0 .. 10\n");
  const char *method[] = {"dopri54", "dop853", "vern98"};
  for (int i = 0; i < 3; i++) {
    ritt_options o = ritt_options_default();
    o.method = method[i];
    ritt_error_clear(r->error);
    run_try(r, &o);
    CHECK(r->status == RITT_STOPPED);
    CHECK(says(r, "grows without bound"));
    CHECK(r->statistics.impasse_points == 0 && r->statistics.specials == 0);
    /* cycloid y = sin(a)^2, x from a = pi/4 to 0: integral of 2 sin^2 = pi/4 - 1/2 */
    CHECK_NEAR(r->statistics.x, 0.78539816339744830962 - 0.5, 1e-6);
  }
  run_free(r);
}

/* y' = z, y^2 + z^2 = 1: at y = 1 the sine and the constant 1 meet; no direction is determined
 * there, and nothing of that shows in z' = -y on either side */
static void test_singular(void) {
  run *r = run_text(
      "model meeting\nvariable y, z\nequation\n  y' = z\n  y^2 + z^2 = 1\nstart y = 0, z ~ "
      "1\nsolve t = 0 .. 3\n  kind general\n");
  for (int points = 0; points <= 31; points += 31) {
    ritt_options o = ritt_options_default();
    o.points = points;
    ritt_error_clear(r->error);
    run_try(r, &o);
    CHECK(r->status == RITT_STOPPED);
    CHECK(says(r, "singular point"));
    CHECK_NEAR(r->statistics.x, 1.5707963267948966, 1e-7);
    for (size_t i = 0; i < r->rows; i++)
      CHECK_NEAR(run_get(r, i, "y"), sin(run_get(r, i, "t")), 1e-7);
  }
  run_free(r);
}

/* ---- what is reported ---- */

static void check_special(const run *r, const char *kind, bool passed, double x, double arc,
                          double error, double arc_error) {
  CHECK(r->statistics.specials == 1);
  const ritt_special *p = &r->statistics.special[0];
  CHECK_TEXT(p->kind, kind);
  CHECK(p->passed == passed);
  CHECK_NEAR(p->x, x, error);
  CHECK_NEAR(p->arc, arc, arc_error);
}

static void test_reported(void) {
  char text[512];
  ritt_options o = ritt_options_default();
  o.tolerance = 1e-11;
  /* half of the curve of test_through */
  snprintf(text, sizeof text, "%ssolve t = 0 .. 3\n  method dop853\n  kind general\n", IMPASSE);
  run *r = run_text(text);
  run_try(r, &o);
  check_special(r, "fold", false, 1, (3 + asinh(sqrt(8)) / sqrt(8)) / 2, 1e-8, 1e-8);
  CHECK_NEAR(r->statistics.arc, (3 + asinh(sqrt(8)) / sqrt(8)) / 2, 1e-8);
  run_free(r);
  /* plug_impasse: arc length 14.7533512 there and 28.8728939435 at the end, in (x, y1, y2, y3).
   * dx/ds touches 0 like 2e-3 (s - s0)^2 (y3^2 / y2^2 dy1/ds, y2 = 10.83, dy3/ds = 0.53), so that
   * s0 is known to sqrt(eps / 2e-3) = 3.3e-7, and x to far more. */
  r = run_file("papers/plug_flow", NULL);
  o = ritt_options_default();
  o.direction = "lu"; /* all unknowns are coordinates */
  CHECK(run_go(r, &o));
  o.direction = NULL;
  check_special(r, "impasse point", true, 1.0958051390458, 14.7533512, 1e-10, 3.3e-7);
  CHECK_NEAR(r->statistics.arc, 28.8728939435, 1e-9);
  run_free(r);
  /* over arc length the fold is no event; the length is the run's own variable */
  r = run_file("papers/sphere", NULL);
  CHECK(run_go(r, &o) && r->statistics.specials == 0);
  CHECK_NEAR(r->statistics.arc, 1, 1e-12);
  run_free(r);
  /* the same solution over x: the fold is where y' = 0, and x^2 + y^2 = 1 there */
  r = run_text(
      "model s\nindependent x\nvariable y\nequation y'^2 + y^2 + x^2 = 1\nstart x = 0.6\n  y = 0, y' ~ 0.8\n"
      "solve x = 0.6 .. 2\n  method dop853\n  tolerance 1e-12\n");
  run_try(r, &o);
  CHECK(r->status == RITT_STOPPED && says(r, "fold"));
  CHECK_NEAR(run_last(r, "y'"), 0, 1e-9);
  CHECK_NEAR(run_last(r, "x") * run_last(r, "x") + run_last(r, "y") * run_last(r, "y"), 1, 1e-12);
  double arc = r->statistics.special[0].arc, x = r->statistics.special[0].x;
  CHECK(arc < 1 && x > 0.9764707901796351); /* sphere_s1 lies just behind it, x turning back */
  run_free(r);
  /* and by arc length, up to that point */
  r = run_file("papers/sphere", NULL);
  o.to = arc;
  CHECK(run_go(r, &o));
  CHECK_NEAR(run_last(r, "x"), x, 1e-11);
  CHECK_NEAR(run_last(r, "y'"), 0, 1e-9);
  run_free(r);
}

/* ---- y^3 = t: t = 0 is an impasse point, dt/ds = 0 and t goes on. z' = |y - a| has its kink
 * there, or so near that the run goes by arc length at that place; z grows by the integral of |y -
 * a| 3 y^2 over -1 .. 1, which is 3/2 + a^4/2. */
static void test_kink(void) {
  static const double places[] = {0, 1e-4, -3e-3, 0.02};
  for (int i = 0; i < 4; i++)
    for (int points = 0; points <= 21; points += 21) {
      char text[512];
      double a = places[i];
      snprintf(
          text, sizeof text,
          "model kink\nparameter a = %.17g\nvariable y, z\nequation\n  y^3 = t\n  z' = abs(y - a)\n"
          "start t = -1\n  y ~ -1, z = 0\nsolve t = -1 .. 1\n  tolerance 1e-11\n  kind general\nsection half: y = a/2 + "
          "1/1000\n",
          a);
      run *r = run_text(text);
      ritt_options o = ritt_options_default();
      o.points = points;
      if (i == 0) { /* at one place: said as it is */
        run_try(r, &o);
        CHECK(r->status == RITT_STOPPED &&
              says(r, "exactly where t does not change along the solution, at t = "));
        CHECK_NEAR(r->statistics.x, 0, 1e-5);
      } else if (run_go(r, &o)) {
        CHECK_NEAR(run_last(r, "z"), 1.5 + a * a * a * a / 2, 1e-8);
        CHECK_NEAR(run_last(r, "y"), 1, 1e-9);
        CHECK(r->statistics.switches == 1);
        CHECK(r->statistics.events == 1);
        CHECK(r->statistics.impasse_points == 1);
      }
      run_free(r);
    }
}

/* Over arc length the run keeps its sense where it changes sides, also where dt/ds = 0: z = 3/4 +
 * 3/4 t^(4/3). */
static void test_kink_in_arc(void) {
  run *r = run_text(
      "model kink\nvariable y, z\nequation\n  y^3 = t\n  z' = abs(y)\nstart t = -1\n  y ~ -1, z = 0\n"
      "solve arc = 0 .. 3\n  tolerance 1e-11\n");
  ritt_options o = ritt_options_default();
  o.max_steps = 10000;
  CHECK(run_go(r, &o));
  CHECK(run_last(r, "t") > 0.5);
  CHECK_NEAR(run_last(r, "z"), 0.75 + 0.75 * pow(run_last(r, "t"), 4.0 / 3), 1e-9);
  run_free(r);
}

/* An event in that part of the run: its x is that of the point. */
static double event_row[8];
static int event_count;
static ritt_status take_event(void *user, const ritt_event *event) {
  (void)user;
  event_count++;
  memcpy(event_row, event->before, (event->count < 8 ? event->count : 8) * sizeof *event_row);
  return RITT_OK;
}

static void test_event(void) {
  run *r = run_text(
      "model e\nvariable y\nequation y^3 = t\nstart t = -1\n  y ~ -1\nsolve t = -1 .. 1\n  tolerance 1e-10\n"
      "event low: y = 1/500 -> stop\n");
  ritt_options o = ritt_options_default();
  o.event = take_event;
  run_try(r, &o);
  CHECK(r->status == RITT_OK && r->statistics.ended_by && event_count == 1);
  CHECK_NEAR(event_row[0], 8e-9, 1e-13);
  CHECK_NEAR(event_row[1], 1.0 / 500, 1e-9);
  CHECK_NEAR(r->statistics.x, 8e-9, 1e-13);
  run_free(r);
}

/* An event that ends the run may stand on the fold itself: y'^2 + y = 1 - t of test_stops at y' =
 * 0, and just before it. */
static void test_event_on_fold(void) {
  double x = 2 - 2 * log(2);
  for (int before = 0; before < 2; before++) {
    char text[256];
    snprintf(
        text, sizeof text,
        "model fold\nvariable y\nequation y'^2 + y = 1 - t\nstart y = 0, y' ~ 1\nsolve t = 0 .. 3\n  "
        "tolerance "
        "1e-11\nevent flat: y' = %s -> stop\n",
        before ? "1e-9" : "0");
    run *r = run_text(text);
    ritt_options o = ritt_options_default();
    CHECK(run_go(r, &o) && r->statistics.ended_by && !strcmp(r->statistics.ended_by, "flat"));
    CHECK_NEAR(r->statistics.x, x, 1e-9);
    CHECK_NEAR(run_last(r, "t"), x, 1e-9);
    CHECK_NEAR(run_last(r, "y"), 1 - x, 1e-9);
    run_free(r);
  }
}

/* ---- all ways to the direction cross folds ---- */

static void test_ways(void) {
  static const char *const ways[] = {"svd", "qr", "submatrix", "cg", "lu"};
  for (int i = 0; i < 5; i++)
    for (int arc = 0; arc < 2; arc++) {
      run *r = run_file(arc ? "papers/sphere" : "papers/plug_flow", NULL);
      ritt_options o = ritt_options_default();
      o.direction = ways[i];
      CHECK(run_go(r, &o));
      /* sphere_s1, plug_x3.2188 */
      if (arc) CHECK_NEAR(run_last(r, "y'"), -0.04595695416100051260404557, 1e-10);
      else CHECK_NEAR(run_last(r, "y1"), -8.421928371922571721997825, 1e-8);
      run_free(r);
    }
}

/* ---- the line field of the parabolas turns by pi round the origin ---- */

static void test_parabolas(void) {
  /* y = (x^2 - 1)/2 from x = -3 to x = 3, below the origin: length 2 * integral_0^3 sqrt(2 + x^2)
   */
  char text[512];
  double length = 3 * sqrt(11) + 2 * asinh(3 / sqrt(2));
  snprintf(
      text, sizeof text,
      "model p\nindependent x\nvariable y\nequation x*y'^2 - 2*y*y' - x = 0\nstart x = -3\n  y = 4, y' ~ -3\n"
      "solve arc = 0 .. %.17g\n  method dop853\n  tolerance 1e-12\n",
      length);
  run *r = run_text(text);
  ritt_options o = ritt_options_default();
  CHECK(run_go(r, &o));
  CHECK_NEAR(run_last(r, "x"), 3, 1e-10);
  CHECK_NEAR(run_last(r, "y"), 4, 1e-10);
  CHECK_NEAR(run_last(r, "y'"), 3, 1e-10);
  /* round the origin: at (cos t, sin t) the slope is tan(t/2 + pi/4). V, oriented by continuity,
   * turns half as fast as the point goes round, and comes back reversed */
  const ritti_problem *p = r->model->problem;
  ritti_arena *arena = ritti_arena_new();
  ritti_direction D;
  ritt_real *work = ritti_arena_alloc(arena, p->work_size + 1, sizeof *work), ones[] = {1, 1, 1},
            V[2][3];
  p->work_init(p->data, work);
  CHECK(ritti_direction_init(&D, p, work, arena) == RITT_OK);
  D.arc = ones;
  double gap = 0.02, turned = 0, pi = acos(-1), first[2] = {0}, last[2] = {0};
  enum { PLACES = 400 };
  for (int i = 0; i <= PLACES; i++) {
    double t = pi / 2 + gap + (2 * pi - 2 * gap) * i / PLACES;
    ritt_real z[] = {cos(t), sin(t), tan(t / 2 + pi / 4)}, *now = V[i % 2], *before = V[1 - i % 2];
    D.reference = i ? before : NULL;
    CHECK(ritti_direction_at(&D, z, now) == RITT_OK);
    double unit = hypot(now[0], now[1]);
    last[0] = now[0] / unit, last[1] = now[1] / unit;
    if (i == 0) first[0] = last[0], first[1] = last[1];
    else
      turned +=
          asin((before[0] * now[1] - before[1] * now[0]) / unit / hypot(before[0], before[1]));
  }
  CHECK_NEAR(turned, pi - gap, 1e-10);
  CHECK_NEAR(first[0] * last[0] + first[1] * last[1], cos(pi - gap), 1e-10);
  ritti_arena_free(arena);
  run_free(r);
}

/* Redundant constraints: the rank is that of the completion. A platform on three equal parallel
 * legs swings up to an angle of eps below the horizontal, where all bars nearly lie in one line:
 * each constraint is then nearly dependent on the others, one is so everywhere. The angle f
 * satisfies f'' = -cos f. */
static void test_redundant(void) {
  static const double eps[] = {1e-2, 1e-4, 1e-6};
  for (int e = 0; e < 3; e++) {
    char text[1024];
    double f = -acos(0), w = sqrt(2 * (1 - sin(eps[e]))), h = 1e-4;
    snprintf(
        text, sizeof text,
        "model legs\nvariable x1, y1, x3, y3, a, b, c, d\nequation\n"
        "  x1'' + 2*a*x1 - 2*c*(x3 - x1) + d*((x1 + x3)/2 - 1) = 0\n"
        "  y1'' + 1 + 2*a*y1 - 2*c*(y3 - y1) + d*(y1 + y3)/2 = 0\n"
        "  x3'' + 2*b*(x3 - 2) + 2*c*(x3 - x1) + d*((x1 + x3)/2 - 1) = 0\n"
        "  y3'' + 1 + 2*b*y3 + 2*c*(y3 - y1) + d*(y1 + y3)/2 = 0\n"
        "  x1^2 + y1^2 = 1\n  (x3 - 2)^2 + y3^2 = 1\n  (x3 - x1)^2 + (y3 - y1)^2 = 4\n"
        "  ((x1 + x3)/2 - 1)^2 + ((y1 + y3)/2)^2 = 1\n"
        "start x1 = 0, y1 = -1, x3 = 2, y3 = -1\n  x1' = %.17g, y1' ~ 0, x3' ~ %.17g, y3' ~ 0\n"
        "solve t = 0 .. 10\n  tolerance 1e-10\n",
        w, w);
    run *r = run_text(text);
    ritt_options o = ritt_options_default();
    CHECK(run_go(r, &o));
    /* the angle by the classical method of order 4 with small steps */
    for (int i = 0; i < 100000; i++) {
      double k1 = -cos(f), k2 = -cos(f + h / 2 * w), k3 = -cos(f + h / 2 * (w + h / 2 * k1)),
             k4 = -cos(f + h * (w + h / 2 * k2));
      f += h * (w + h / 6 * (k1 + k2 + k3));
      w += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    CHECK_NEAR(run_last(r, "x1"), cos(f), 1e-6);
    CHECK_NEAR(run_last(r, "y1"), sin(f), 1e-6);
    double highest = -1;
    for (size_t i = 0; i < r->rows; i++) highest = fmax(highest, run_get(r, i, "y1"));
    CHECK(highest > -0.01 - eps[e] && highest < 0); /* it came near, and did not go over */
    /* the multipliers of the three legs share the load equally: least norm */
    CHECK_NEAR(run_last(r, "a"), run_last(r, "b"), 1e-6);
    CHECK_NEAR(run_last(r, "a"), run_last(r, "d"), 1e-6);
    /* other rows may have been chosen on the way, but no point was special */
    CHECK(r->statistics.specials == 0 && r->statistics.recompletions <= 10);
    run_free(r);
  }
}

/* A parallelogram that becomes flat at a = 0, where its two constraints depend on each other;
 * multipliers grow like 1/a on the way there in the general kind. The run stops with that reason.
 */
static void test_flat(void) {
  for (double tolerance = 1e-6; tolerance > 1e-10; tolerance /= 10) {
    run *r =
        run_text("model flat\nparameter e = 1/1000\nvariable a, b, c\n"
                 "lagrangian (a'^2 + b'^2 + c'^2)/2 - sin(a)\nconstraint\n"
                 "  cos(a) + (1+e)*cos(b) - cos(c) = 1 + e\n  sin(a) + (1+e)*sin(b) - sin(c) = 0\n"
                 "start a = 1, b ~ 0, c ~ 1, a' = 0\nsolve t = 0 .. 10\n");
    ritt_options o = ritt_options_default();
    o.tolerance = tolerance;
    o.kind = "general";
    run_try(r, &o);
    CHECK(r->status == RITT_STOPPED && says(r, "the run stopped at t = 2.48"));
    run_free(r);
  }
}

/* A solution that becomes fast while A stays as it is has no fold: y' = y^2 from y = 1, y = 1/(1 -
 * t), in a system for both derivatives. The run stays one over t: six evaluations a step, and a few
 * to begin with. */
static void test_fast(void) {
  run *r = run_text(
      "model fast\nvariable y, z\nequation\n  y' + z' = 2*y^2\n  y' - z' = 0\nstart y = 1, z = 0\n"
      "solve t = 0 .. 0.9999\n  method dopri54\n  tolerance 1e-10\n");
  ritt_options o = ritt_options_default();
  CHECK(run_go(r, &o));
  CHECK(fabs(run_last(r, "y") / 1e4 - 1) < 1e-5);
  CHECK(r->statistics.specials == 0);
  long steps = r->statistics.accepted + r->statistics.rejected;
  CHECK(r->statistics.evaluations <= 6 * steps + 10);
  run_free(r);
}

/* A long chain that is whipped: accelerations grow by a factor of thousands, but masses are
 * constant and the rods do not depend on time, which cannot turn back. */
static void test_whip(void) {
  run *r = run_file("papers/mech", NULL);
  run_set(r, "n", "100");
  ritt_options o = ritt_options_default();
  o.method = "dopri54", o.tolerance = 1e-4;
  CHECK(ritt_options_set(&o, "to", "0.8", r->error) == RITT_OK);
  CHECK(run_go(r, &o));
  CHECK(r->statistics.specials == 0);
  long steps = r->statistics.accepted + r->statistics.rejected;
  CHECK(r->statistics.evaluations <= 6 * steps + 10);
  run_free(r);
}

/* ---- a Schmitt trigger: w = tanh(3 (sin(t) + w/2)) ----
 *
 * T_w = 1 - 1.5 (1 - w^2) vanishes at w = -+1/sqrt(3), where sin(t) = +-u, u = 1/(2 sqrt(3)) - atanh(1/sqrt(3))/3.
 * There the run stops, or, if that is asked for, jumps to the other outer branch. */

static const char *const TRIGGER =
    "model trigger\nvariable u, w\nequation\n  u' = cos(t)\n  w = tanh(3*(u + w/2))\n"
    "start u = 0, w ~ -1\nevent over: w = 0 rising -> record\n"
    "solve t = 0 .. 7\n  tolerance 1e-9\n";

static void check_trigger(const char *method) {
  const double pi = acos(-1), first = asin(1 / (2 * sqrt(3)) - atanh(1 / sqrt(3)) / 3);
  run *r = run_text(TRIGGER);
  ritt_options o = run_options(method, 1e-9, 7);
  CHECK(run_try(r, &o) == RITT_STOPPED);
  CHECK(r->statistics.specials == 1 && !r->statistics.special[0].passed);
  CHECK_NEAR(r->statistics.special[0].x, first, 1e-8);
  CHECK(ritt_error_count(r->error) == 1 &&
        strstr(ritt_error_get(r->error, 0)->hint, "singular jump"));

  o.singular = "jump";
  o.points = 71;
  CHECK(run_go(r, &o) && r->rows == 71);
  CHECK(r->statistics.events == 2); /* at the jumps upwards */
  CHECK(r->statistics.specials == 3);
  CHECK(r->statistics.recompletions == 6); /* to the general kind and back, each time */
  for (int i = 0; i < r->statistics.specials; i++) {
    CHECK(r->statistics.special[i].passed);
    CHECK_NEAR(r->statistics.special[i].x, first + i * pi, 1e-7);
  }
  for (size_t i = 0; i < r->rows; i++) {
    double t = run_get(r, i, "t"), w = run_get(r, i, "w"), side = -1;
    for (int k = 0; k < 3; k++)
      if (t > first + k * pi) side = -side;
    CHECK(w * side > 1 / sqrt(3) - 1e-6);
    CHECK_NEAR(w, tanh(3 * (sin(t) + w / 2)), 1e-8);
    CHECK_NEAR(run_get(r, i, "u"), sin(t), 1e-7);
  }
  run_free(r);
}

/* The limit of the van der Pol oscillator: x' = -y on the curve y^3/3 - y = x, from y = 2 to the fold at
 * y = 1, from there to y = -2, and so on. dt = (1/y - y) dy, so that each part takes 3/2 - ln 2; x = 0 rising
 * is met at y = -sqrt(3), 1/2 - ln(2/sqrt(3)) after the jump. Every time the run goes to the
 * general kind at the fold, jumps, and returns; after a hundred completions it stays general. */
static void check_relaxation(double to, bool returns) {
  const double part = 1.5 - log(2), turn = 0.5 - log(2 / sqrt(3));
  run *r = run_text("model relax\nvariable x, y\nequation\n  x' = -y\n  y^3/3 - y = x\n"
                    "start y = 2, x ~ 0.67\nevent turn: x = 0 rising -> record\n"
                    "solve t = 0 .. 1\n  singular jump\n  tolerance 1e-9\n");
  ritt_options o = run_options(NULL, 1e-9, to);
  o.points = 400;
  CHECK(run_go(r, &o) && r->rows == 400);
  long folds = (long)floor(to / part);
  for (int i = 0; i < r->statistics.specials; i++) {
    CHECK(r->statistics.special[i].passed);
    CHECK_NEAR(r->statistics.special[i].x, (i + 1) * part, 1e-8);
  }
  CHECK(r->statistics.events == (long)floor((to - part - turn) / (2 * part)) + 1);
  if (returns) CHECK(r->statistics.recompletions == 2 * folds);
  else CHECK(r->statistics.recompletions <= 102);
  for (size_t i = 0; i < r->rows; i++) {
    double t = run_get(r, i, "t"), y = run_get(r, i, "y");
    long passed = (long)floor(t / part);
    double size = passed % 2 ? -y : y, rest = t - (double)passed * part;
    if (rest < 1e-6 || part - rest < 1e-6) continue;
    CHECK(size > 1 && size < 2 + 1e-9);
    CHECK_NEAR(2 - log(2) - (size * size / 2 - log(size)), rest, 1e-7);
  }
  run_free(r);
}

int main(void) {
  test_fast();
  test_whip();
  test_metric();
  test_arc();
  test_through();
  test_stops();
  test_loose();
  test_constant();
  test_passed();
  test_steps();
  test_growth();
  test_singular();
  test_reported();
  test_kink();
  test_kink_in_arc();
  test_event();
  test_event_on_fold();
  test_ways();
  test_parabolas();
  test_redundant();
  test_flat();
  check_relaxation(20, true);
  check_relaxation(100, false);
  check_trigger("dop853");
  check_trigger("radau5");
  return CHECKS_DONE();
}
