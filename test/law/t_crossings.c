/* Mechanisms that run through positions where their constraints lose rank, by the constraints as
 * they are written, against the same motion in one angle.
 *
 * A four-bar linkage a, b, c, d with crank angle al: joint 1 is a (cos al, sin al), D its distance
 * from the fixed joint (d, 0), and joint 2 lies over the line between them at the height h,
 *
 *     2 D h = +- sqrt(D^2 - (b - c)^2) sqrt((b + c)^2 - D^2).
 *
 * Where |b - c| = |d - a| the first root is 2 sqrt(a d) |sin(al/2)|, and h with sin(al/2) in its
 * place is smooth through the position al = 0, where the linkage is flat: this is the branch.
 * Likewise with cos(al/2) for b + c = a + d. Then the motion is an ordinary equation for al, which
 * knows nothing of crossings. */
#include "run.h"

typedef struct linkage {
  double a, b, c, d;
  const char
      *h; /* 2 D h for the angle, D2 = D^2; NULL: the kite whose joint 1 meets the fixed joint */
  double al, rate; /* at the start */
  double gx, gy;   /* gravity */
  double end;
  int crossings; /* at least */
} linkage;

static const char *const joints = "m1 = 0.2, m2 = 0.1";
static const char *const names = "y1 y2 y3 y4 y1' y2' y3' y4'";

/* The motion in the angle. */
static run *angle_run(const linkage *k) {
  char text[2048];
  snprintf(
      text, sizeof text,
      "model angle\nparameter a = %.17g, b = %.17g, c = %.17g, d = %.17g, gx = %.17g, gy = %.17g, %s\n"
      "variable al\n"
      "let D2 = a^2 + d^2 - 2*a*d*cos(al)\n"
      "let y1 = a*cos(al)\nlet y2 = a*sin(al)\n%s%s%s"
      "lagrangian m1*(y1'^2 + y2'^2)/2 + m2*(y3'^2 + y4'^2)/2 - gx*(m1*y1 + m2*y3) - gy*(m1*y2 + m2*y4)\n"
      "start t = 0\n  al = %.17g, al' = %.17g\nsolve t = 0 .. %.17g\n"
      "output y1, y2, y3, y4, y1', y2', y3', y4', al\n",
      k->a, k->b, k->c, k->d, k->gx, k->gy, joints, k->h ? "let f = (" : "", k->h ? k->h : "",
      k->h ? ")/(2*D2)\nlet e = (b^2 - c^2 + D2)/(2*D2)\n"
             "let y3 = y1 + e*(d - y1) + f*y2\nlet y4 = y2 - e*y2 + f*(d - y1)\n"
           : "let y3 = (y1 + d)/2 + sqrt(4*b^2 - D2)*cos(al/2)/2\n"
             "let y4 = y2/2 + sqrt(4*b^2 - D2)*sin(al/2)/2\n",
      k->al, k->rate, k->end);
  run *r = run_text(text);
  if (r->status != RITT_OK) run_complain(r, "angle");
  return r;
}

/* The linkage as its constraints say, from the start that the angle gives; `more`: further
 * sections. */
static run *linkage_over(const linkage *k, const double *start, const char *over,
                         const char *more) {
  char text[4096];
  snprintf(
      text, sizeof text,
      "model linkage\nparameter a = %.17g, b = %.17g, c = %.17g, d = %.17g, gx = %.17g, gy = %.17g, %s\n"
      "variable y1, y2, y3, y4, l1, l2, l3\nequation\n"
      "  m1*y1'' + m1*gx + y1*l1 - (y3 - y1)*l2 = 0\n"
      "  m1*y2'' + m1*gy + y2*l1 - (y4 - y2)*l2 = 0\n"
      "  m2*y3'' + m2*gx + (y3 - y1)*l2 - (d - y3)*l3 = 0\n"
      "  m2*y4'' + m2*gy + (y4 - y2)*l2 + y4*l3 = 0\n"
      "  y1^2 + y2^2 = a^2\n  (y3 - y1)^2 + (y4 - y2)^2 = b^2\n  (d - y3)^2 + y4^2 = c^2\n"
      "start t = 0\n  y1 ~ %.17g, y2 ~ %.17g, y3 ~ %.17g, y4 ~ %.17g\n"
      "  y1' ~ %.17g, y2' ~ %.17g, y3' ~ %.17g, y4' ~ %.17g\nsolve %s = 0 .. %.17g\n"
      "output y1, y2, y3, y4, y1', y2', y3', y4', l1, E = m1*(y1'^2 + y2'^2)/2 + m2*(y3'^2 + y4'^2)/2 "
      "+ m1*(gx*y1 + gy*y2) + m2*(gx*y3 + gy*y4)\n%s",
      k->a, k->b, k->c, k->d, k->gx, k->gy, joints, start[0], start[1], start[2], start[3],
      start[4], start[5], start[6], start[7], over, k->end, more);
  run *r = run_text(text);
  if (r->status != RITT_OK) run_complain(r, "linkage");
  return r;
}

static run *linkage_run(const linkage *k, const double *start, const char *more) {
  return linkage_over(k, start, "t", more);
}

static double drift(const run *r) {
  double worst = 0;
  for (size_t i = 1; i < r->rows; i++)
    worst = fmax(worst, fabs(run_get(r, i, "E") - run_get(r, 0, "E")));
  return worst;
}

/* ---- cases ---- */

static const char *const stretched = "2*sqrt(a*d)*sin(al/2)*sqrt((b + c)^2 - D2)";
static const char *const folded = "sqrt(D2 - (b - c)^2)*2*sqrt(a*d)*cos(al/2)";
static const char *const parallel = "2*a*d*sin(al)";
static const char *const crossed = "-2*a*d*sin(al)";

static const linkage cases[] = {
    /* one curve that crosses itself */
    {1, 3, 2, 2, stretched, 1, 3, 0, 9.81, 10, 5},
    {2, 4, 3, 3, stretched, 1, 5, 0, 9.81, 10, 5},
    {3, 2, 4, 3, folded, 2.5, 0.3, 9.81, 0, 10, 5},
    /* two components: parallelogram and kites */
    {1, 2, 1, 2, parallel, 1, 3, 0, 9.81, 10, 8},
    {1, 2, 1, 2, crossed, 1, 6, 0, 9.81, 10, 8},
    {1, 1, 2, 2, parallel, 1, 3, 0, 9.81, 5, 3},
    {1, 2, 2, 1, NULL, 2, 3, 0, 9.81, 5, 3},
};

static void check_case(const linkage *k) {
  static const double tolerance[] = {1e-6, 1e-8, 1e-10, 1e-12};
  double start[8], end[8], value[8], error[4], energy[4];
  run *angle = angle_run(k);
  ritt_options o = run_options("dop853", 1e-13, k->end);
  o.points = 2;
  if (!run_go(angle, &o)) return;
  run_list(angle, 0, names, start);
  run_list(angle, angle->rows - 1, names, end);
  run *r = linkage_run(k, start, "");
  for (int i = 0; i < 4; i++) {
    o = run_options("dop853", tolerance[i], k->end);
    if (!run_go(r, &o)) return;
    run_list(r, r->rows - 1, names, value);
    error[i] = run_error(value, end, 8), energy[i] = drift(r);
    CHECK(r->statistics.crossings >= k->crossings);
    CHECK(r->statistics.largest_residual < 1e-11);
  }
  if (!(error[2] < 1e-7 && error[3] < 1e-8 && energy[3] < 1e-8))
    printf("%g %g %g %g: errors %.1e %.1e %.1e %.1e, energy %.1e %.1e %.1e %.1e, %ld crossings\n",
           k->a, k->b, k->c, k->d, error[0], error[1], error[2], error[3], energy[0], energy[1],
           energy[2], energy[3], r->statistics.crossings);
  CHECK(error[2] < 1e-7 && error[3] < 1e-8);
  CHECK(error[3] < error[1] / 50 && energy[3] < energy[1] / 50);
  CHECK(energy[3] < 1e-8);
  run_free(angle);
  run_free(r);
}

/* The recomputed singular four-bar of the higher order paper, section 6.4, with torque: by the
 * constraints g as they are, not by those of the component g_2 (truth/reference.json,
 * fourbar_sing_g2_g9.81). */
static void check_truth(void) {
  static const double at_1[] = {0.9753405095027269,  0.2207054383629029, 2.797990400701572,
                                -0.6026701588664768, 0.1893551264180797, -0.8367973478473465,
                                1.411920922614943,   1.869512412752553};
  static const double at_10[] = {0.9150992400562371,  0.4032286954675936, 2.429602041197088,
                                 -0.9030183199688121, 0.4508858950734031, -1.023253911667374,
                                 2.261293374907337,   1.075787974754703};
  static const char *const methods[] = {"dop853", "radau5", "taylor:14", "vern98"};
  run *r = run_text(
      "model folding\nparameter a = 1, b = 2, c = 1, d = 2, T = 0.8, m1 = 0.2, m2 = 0.1, g = 9.81\n"
      "variable y1, y2, y3, y4, l1, l2, l3\nequation\n"
      "  m1*y1'' + y2*T/a^2 + y1*l1 - (y3 - y1)*l2 = 0\n"
      "  m1*y2'' - y1*T/a^2 + m1*g + y2*l1 - (y4 - y2)*l2 = 0\n"
      "  m2*y3'' + (y3 - y1)*l2 - (d - y3)*l3 = 0\n"
      "  m2*y4'' + m2*g + (y4 - y2)*l2 + y4*l3 = 0\n"
      "  y1^2 + y2^2 = a^2\n  (y3 - y1)^2 + (y4 - y2)^2 = b^2\n  (d - y3)^2 + y4^2 = c^2\n"
      "start t = 0\n  y1 = 1/2, y2 = sqrt(3)/2, y3 = 3/2, y4 = -sqrt(3)/2\n"
      "  y1' = 0, y2' ~ 0, y3' ~ 0, y4' ~ 0\nsolve t = 0 .. 10\n"
      "output y1, y2, y3, y4, y1', y2', y3', y4'\n");
  ritt_options o = run_options("dop853", 1e-12, 1);
  if (run_go(r, &o)) run_digits(r, names, at_1, 8, 10, "before the crossing");
  CHECK(r->statistics.crossings == 0);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    o = run_options(methods[i], 1e-12, 10);
    if (run_go(r, &o)) run_digits(r, names, at_10, 8, 8.5, methods[i]);
    CHECK(r->statistics.crossings == 6);
    if (r->statistics.crossings == 6)
      CHECK_TEXT(r->statistics.special[0].kind, "crossing of two branches");
  }
  run_free(r);
}

/* ---- ways of running ---- */

/* The end of the motion in the angle, at `to`. */
static bool angle_end(const linkage *k, double to, double *start, double *end) {
  run *angle = angle_run(k);
  ritt_options o = run_options("dop853", 1e-13, to);
  o.points = 2;
  bool good = run_go(angle, &o);
  if (good && start) run_list(angle, 0, names, start);
  if (good) run_list(angle, angle->rows - 1, names, end);
  run_free(angle);
  return good;
}

static void check_ways(void) {
  static const char *const methods[] = {"dopri54", "radau5", "taylor:16"};
  const linkage *k = &cases[0];
  double start[8], end[8], value[8];
  if (!angle_end(k, k->end, start, end)) return;
  run *r = linkage_run(k, start, "");
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    ritt_options o = run_options(methods[i], 1e-10, k->end);
    if (run_go(r, &o)) run_digits(r, names, end, 8, 6.5, methods[i]);
    CHECK(r->statistics.crossings >= k->crossings);
  }
  /* constant steps: order 4 through the crossings */
  double error[2];
  for (int i = 0; i < 2; i++) {
    ritt_options o = run_options("rk4", 0, k->end);
    o.constant_step = i ? 0.00125 : 0.0025;
    if (!run_go(r, &o)) continue;
    run_list(r, r->rows - 1, names, value);
    error[i] = run_error(value, end, 8);
    CHECK(r->statistics.crossings >= k->crossings);
  }
  CHECK(error[0] < 1e-4 && error[0] / error[1] > 12);
  /* rows within the passages lie on M, and those of the same run are the same */
  ritt_options o = run_options("dop853", 1e-8, k->end);
  o.points = 3000;
  if (run_go(r, &o)) CHECK(r->statistics.largest_residual < 1e-11 && r->rows == 3000);
  /* backwards: the motion is that of the reversed velocities */
  if (angle_end(k, -k->end, NULL, end)) {
    o = run_options("dop853", 1e-12, -k->end);
    if (run_go(r, &o)) run_digits(r, names, end, 8, 8, "backwards");
    CHECK(r->statistics.crossings >= k->crossings);
  }
  run_free(r);
}

/* Without gravity a parallelogram turns at a constant rate, and passes the multiples of pi: six of
 * them on the way from al = 1 to 21, none of which is overlooked. It is symmetric: iterations for
 * singular vectors of dg stay so. */
static void check_every_one(void) {
  static const char *const methods[] = {"dopri54", "dop853", "vern98"};
  static const linkage k = {0.5, 1.5, 0.5, 1.5, parallel, 1, 1, 0, 0, 20, 6};
  double start[8], end[8];
  if (!angle_end(&k, k.end, start, end)) return;
  run *r = linkage_run(&k, start, "");
  for (int i = 0; i < 9; i++) {
    ritt_options o = run_options(methods[i % 3], i < 3 ? 1e-4 : i < 6 ? 1e-7 : 1e-10, k.end);
    if (run_go(r, &o)) CHECK(r->statistics.crossings == k.crossings);
  }
  run_free(r);
}

/* The parallelogram by the angles of its bars, which grow from turn to turn: a pendulum that turns
 * over. */
static void check_angles(void) {
  run *r = run_text(
      "model angles\nvariable p, q, r\nlagrangian (p'^2 + r'^2)/2 + q'^2/5 - 9.81*(sin(p) + sin(r))\n"
      "constraint\n  cos(p) + 2*cos(q) = 2 + cos(r)\n  sin(p) + 2*sin(q) = sin(r)\n"
      "start t = 0\n  p = 1, q = 0, r ~ 1, p' = -3, r' ~ -3, q' ~ 0\nsolve t = 0 .. 20\n"
      "output p, q, r\n");
  run *pendulum = run_text("model p\nvariable p\nequation p'' + 9.81*cos(p) = 0\n"
                           "start t = 0\n  p = 1, p' = -3\nsolve t = 0 .. 20\noutput p\n");
  ritt_options o = run_options("dop853", 1e-12, 20);
  if (run_go(pendulum, &o) && run_go(r, &o)) {
    double end = run_last(pendulum, "p");
    CHECK_NEAR(run_last(r, "p"), end, 1e-7);
    CHECK_NEAR(run_last(r, "r"), end, 1e-7);
    CHECK_NEAR(run_last(r, "q"), 0, 1e-12);
    CHECK(r->statistics.crossings == 1 + (long)floor(-end / acos(-1)));
  }
  run_free(r);
  run_free(pendulum);
}

/* Equal steps that are longer than the passages are cut there. */
static void check_long_steps(void) {
  static const linkage k = {0.5, 3, 0.5, 3, parallel, 0.338, -3, 9.72, 1.31, 10, 18};
  static const double equal[] = {0.1, 0.05, 0.02};
  double start[8], end[8];
  if (!angle_end(&k, k.end, start, end)) return;
  run *r = linkage_run(&k, start, "");
  for (int i = 0; i < 3; i++) {
    ritt_options o = run_options("dop853", 0, k.end);
    o.constant_step = equal[i];
    if (run_go(r, &o)) run_digits(r, names, end, 8, 2 + 2 * i, "long equal steps");
    CHECK(r->statistics.crossings >=
          (i ? k.crossings : k.crossings / 2)); /* the first are a quarter turn long */
  }
  run_free(r);
}

static void check_arc(void) {
  const linkage *k = &cases[3];
  double start[8], end[8];
  if (!angle_end(k, 1, start, end)) return;
  run *r = linkage_over(k, start, "arc", "");
  ritt_options o = run_options("dop853", 1e-12, 60);
  if (run_go(r, &o)) {
    double t = r->row[(r->rows - 1) * r->width + 1];
    CHECK(r->statistics.crossings >= 2);
    if (angle_end(k, t, NULL, end))
      for (int i = 0; i < 8; i++)
        CHECK_NEAR(r->row[(r->rows - 1) * r->width + 2 + (size_t)i], end[i], 1e-7);
  }
  run_free(r);
}

/* 'singular stop' stops there, with the position to round-off; an event there is met. */
static void check_stop(void) {
  const linkage *k = &cases[0];
  double start[8], end[8];
  if (!angle_end(k, 1, start, end)) return;
  run *r = linkage_run(k, start, "event flat: y4 = 0 -> record\n");
  ritt_options o = run_options("dop853", 1e-10, k->end);
  o.singular = "stop";
  CHECK(run_try(r, &o) == RITT_STOPPED);
  CHECK(strstr(ritt_error_get(r->error, 0)->text, "crossing of two branches") != NULL);
  CHECK_NEAR(run_last(r, "y1"), 1, 1e-13);
  CHECK_NEAR(run_last(r, "y2"), 0, 1e-13);
  CHECK_NEAR(run_last(r, "y4"), 0, 1e-13);
  CHECK(r->statistics.crossings == 0 && r->statistics.specials == 1 &&
        !r->statistics.special[0].passed);
  o.singular = NULL;
  if (run_go(r, &o)) CHECK(r->statistics.events >= r->statistics.crossings);
  run_free(r);
}

/* In quadruple precision the truth to all its digits. */
static void check_quad(void) {
  const linkage *k = &cases[4];
  double start[8], end[8];
  if (!angle_end(k, 3, start, end)) return;
  run *r = linkage_run(k, start, "");
  ritt_options o = run_options("dop853", 1e-15, 3);
  o.precision = "quad";
  if (run_go(r, &o)) run_digits(r, names, end, 8, 10, "quad");
  CHECK(r->statistics.crossings >= 2 && r->statistics.largest_residual < 1e-28);
  run_free(r);
}

/* ---- branches that do not meet ---- */

static void check_misses(void) {
  static const double short_by[] = {1e-3, 1e-6};
  for (int i = 0; i < 2; i++) {
    linkage k = cases[0];
    double start[8], end[8];
    k.b -= short_by[i], k.h = "sqrt(D2 - (b - c)^2)*sqrt((b + c)^2 - D2)", k.end = 3;
    if (!angle_end(&k, k.end, start, end)) continue;
    run *r = linkage_run(&k, start, "");
    ritt_options o = run_options("dop853", 1e-12, k.end);
    if (run_go(r, &o)) run_digits(r, names, end, 8, i ? 6 : 8, "a near miss");
    CHECK(r->statistics.crossings == 0);
    run_free(r);
  }
  /* what cannot be decided is reported: (b - c) - (d - a) = -1e-11 */
  linkage k = cases[0];
  double start[8], end[8];
  if (!angle_end(&k, 1, start, end)) return;
  k.b -= 1e-11;
  run *r = linkage_run(&k, start, "");
  ritt_options o = run_options("dop853", 1e-10, k.end);
  CHECK(run_try(r, &o) == RITT_STOPPED);
  CHECK(strstr(ritt_error_get(r->error, 0)->text, "pass each other at a distance") != NULL);
  run_free(r);
}

/* Beads on wires: a figure of eight is passed, a cusp and two circles that touch are not. */
static void check_wires(void) {
  static const struct {
    const char *wire, *start, *words;
  } wire[] = {{"y^3 = x^2", "x = 1, y = 1, x' ~ 0", "branches touch"},
              {"((x - 1)^2 + y^2 - 1)*((x + 1)^2 + y^2 - 1) = 0", "x = 1, y = -1, x' = -3, y' ~ 0",
               "branches touch"},
              {"(x^2 + y^2)^2 = 2*(x^2 - y^2)", "x = sqrt(2), y = 0, y' = 2", NULL}};
  for (int i = 0; i < 3; i++) {
    char text[512];
    snprintf(
        text, sizeof text,
        "model bead\nvariable x, y\nlagrangian (x'^2 + y'^2)/2 - y\nconstraint %s\nstart t = 0\n  %s\n"
        "solve t = 0 .. 10\noutput x, y, E = (x'^2 + y'^2)/2 + y\n",
        wire[i].wire, wire[i].start);
    run *r = run_text(text);
    ritt_options o = run_options("dopri54", 1e-9, 10);
    run_try(r, &o);
    if (wire[i].words) {
      CHECK(r->status == RITT_STOPPED);
      CHECK(r->status == RITT_OK || strstr(ritt_error_get(r->error, 0)->text, wire[i].words));
    } else {
      CHECK(r->status == RITT_OK && r->statistics.crossings > 3 && drift(r) < 1e-6);
    }
    run_free(r);
  }
}

/* ---- more freedom, more ranks, more constraints ---- */

/* A pendulum on the parallelogram: two degrees of freedom, and a curve of flat positions. */
static void check_freedom(void) {
  run *r = run_text("model swing\nparameter g = 9.81\nvariable x1, y1, x2, y2, x3, y3\n"
                    "lagrangian (x1'^2+y1'^2+x2'^2+y2'^2+x3'^2+y3'^2)/2 - g*(y1+y2+y3)\n"
                    "constraint x1^2+y1^2 = 1\nconstraint (x2-2)^2+y2^2 = 1\n"
                    "constraint (x2-x1)^2+(y2-y1)^2 = 4\nconstraint (x3-x2)^2+(y3-y2)^2 = 1\n"
                    "start t = 0\n  x1 = 0.6, y1 ~ 0.8, x2 ~ 2.6, y2 ~ 0.8, x3 = 2.6, y3 ~ -0.2\n"
                    "  x1' = -3.2, y1' ~ 2.4, x2' ~ -3.2, y2' ~ 2.4, x3' = 0.3\nsolve t = 0 .. 3\n"
                    "output x1, y1, x2, y2, x3, y3\n");
  run *angles =
      run_text("model angles\nparameter g = 9.81\nvariable a, b\nlet x3 = 2 + cos(a) + cos(b)\n"
               "let y3 = sin(a) + sin(b)\nlagrangian a'^2 + (x3'^2 + y3'^2)/2 - g*(2*sin(a) + y3)\n"
               "start t = 0\n  a = acos(0.6), b = -pi/2, a' = 4, b' = 3.5\nsolve t = 0 .. 3\n"
               "output x1 = cos(a), y1 = sin(a), x2 = 2 + cos(a), y2 = sin(a), x3, y3\n");
  double end[6];
  ritt_options o = run_options("dop853", 1e-13, 3);
  if (run_go(angles, &o)) {
    run_list(angles, angles->rows - 1, "x1 y1 x2 y2 x3 y3", end);
    o.tolerance = 1e-12;
    if (run_go(r, &o)) run_digits(r, "x1 y1 x2 y2 x3 y3", end, 6, 8, "two degrees of freedom");
    CHECK(r->statistics.crossings >= 1);
  }
  run_free(r);
  run_free(angles);
}

/* Two rhombi on one leg lose two ranks where they are flat; the legs stay parallel, a pendulum of
 * length 1. */
static void check_rhombi(void) {
  run *r = run_file("branches/double_parallelogram", NULL);
  run *p = run_text(
      "model p\nvariable a\nequation a'' + 9.81*cos(a) = 0\nstart t = 0\n  a = acos(0.6), a' = 2\n"
      "solve t = 0 .. 10\noutput x1 = cos(a), y1 = sin(a), x3 = 2 + cos(a), y3 = sin(a)\n");
  double end[4];
  ritt_options o = run_options("dop853", 1e-13, 10);
  if (run_go(p, &o)) {
    run_list(p, p->rows - 1, "x1 y1 x3 y3", end);
    o.tolerance = 1e-12;
    if (run_go(r, &o)) run_digits(r, "x1 y1 x3 y3", end, 4, 8, "two rhombi");
    CHECK(r->statistics.crossings == 6);
    CHECK_TEXT(r->statistics.special[0].kind, "crossing of several branches");
  }
  run_free(r);
  run_free(p);
}

/* Redundant constraints: one leg too many, and a loop that counting says cannot move. */
static void check_redundant(void) {
  const ritt_check *check;
  run *r = run_file("branches/three_legs", NULL);
  CHECK(ritt_model_check(r->model, r->error, &check) == RITT_OK);
  CHECK(check->degrees_of_freedom == 2 && check->non_unique_count == 3);
  ritt_options o = run_options("dop853", 1e-11, 10);
  if (run_go(r, &o)) {
    for (size_t i = 1; i < r->rows; i++) {
      double x = run_get(r, i, "x1"), y = run_get(r, i, "y1");
      CHECK(fabs(run_get(r, i, "x3") - x - 2) < 1e-10 && fabs(run_get(r, i, "y3") - y) < 1e-10);
      /* of all (a, b, d) with these sums the least */
      CHECK(fabs(run_get(r, i, "a") - run_get(r, i, "d")) < 1e-8);
    }
    CHECK(drift(r) < 1e-8);
  }
  run_free(r);
  r = run_file("branches/bricard", NULL);
  CHECK(ritt_model_check(r->model, r->error, &check) == RITT_OK);
  CHECK(check->degrees_of_freedom == 2);
  o = run_options("dop853", 1e-11, 5);
  if (run_go(r, &o)) {
    for (size_t i = 0; i < r->rows; i++) CHECK_NEAR(run_get(r, i, "u2z"), 0, 1e-12);
    CHECK(drift(r) < 1e-8 && run_last(r, "p3z") < 0);
  }
  run_free(r);
}

int main(void) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_case(&cases[i]);
  check_truth();
  check_ways();
  check_every_one();
  check_angles();
  check_long_steps();
  check_arc();
  check_stop();
  check_quad();
  check_misses();
  check_wires();
  check_freedom();
  check_rhombi();
  check_redundant();
  return CHECKS_DONE();
}
