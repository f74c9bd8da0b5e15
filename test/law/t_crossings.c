/* Mechanisms that run through positions where their constraints lose rank, by the constraints as they are
 * written, against the same motion in one angle.
 *
 * A four-bar linkage a, b, c, d with crank angle al: joint 1 is a (cos al, sin al), D its distance from the fixed
 * joint (d, 0), and joint 2 lies over the line between them at the height h,
 *
 *     2 D h = +- sqrt(D^2 - (b - c)^2) sqrt((b + c)^2 - D^2).
 *
 * Where |b - c| = |d - a| the first root is 2 sqrt(a d) |sin(al/2)|, and h with sin(al/2) in its place is smooth
 * through the position al = 0, where the linkage is flat: this is the branch. Likewise with cos(al/2) for b + c =
 * a + d. Then the motion is an ordinary equation for al, which knows nothing of crossings. */
#include "run.h"

typedef struct linkage {
  double a, b, c, d;
  const char *h;   /* 2 D h for the angle, D2 = D^2; NULL: the kite whose joint 1 meets the fixed joint */
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

/* The linkage as its constraints say, from the start that the angle gives; `more`: further sections. */
static run *linkage_run(const linkage *k, const double *start, const char *more) {
  char text[4096];
  snprintf(text, sizeof text,
           "model linkage\nparameter a = %.17g, b = %.17g, c = %.17g, d = %.17g, gx = %.17g, gy = %.17g, %s\n"
           "variable y1, y2, y3, y4, l1, l2, l3\nequation\n"
           "  m1*y1'' + m1*gx + y1*l1 - (y3 - y1)*l2 = 0\n"
           "  m1*y2'' + m1*gy + y2*l1 - (y4 - y2)*l2 = 0\n"
           "  m2*y3'' + m2*gx + (y3 - y1)*l2 - (d - y3)*l3 = 0\n"
           "  m2*y4'' + m2*gy + (y4 - y2)*l2 + y4*l3 = 0\n"
           "  y1^2 + y2^2 = a^2\n  (y3 - y1)^2 + (y4 - y2)^2 = b^2\n  (d - y3)^2 + y4^2 = c^2\n"
           "start t = 0\n  y1 ~ %.17g, y2 ~ %.17g, y3 ~ %.17g, y4 ~ %.17g\n"
           "  y1' ~ %.17g, y2' ~ %.17g, y3' ~ %.17g, y4' ~ %.17g\nsolve t = 0 .. %.17g\n"
           "output y1, y2, y3, y4, y1', y2', y3', y4', l1, E = m1*(y1'^2 + y2'^2)/2 + m2*(y3'^2 + y4'^2)/2 "
           "+ m1*(gx*y1 + gy*y2) + m2*(gx*y3 + gy*y4)\n%s",
           k->a, k->b, k->c, k->d, k->gx, k->gy, joints, start[0], start[1], start[2], start[3], start[4],
           start[5], start[6], start[7], k->end, more);
  run *r = run_text(text);
  if (r->status != RITT_OK) run_complain(r, "linkage");
  return r;
}

static double drift(const run *r) {
  double worst = 0;
  for (size_t i = 1; i < r->rows; i++) worst = fmax(worst, fabs(run_get(r, i, "E") - run_get(r, 0, "E")));
  return worst;
}

/* ---- cases ------------------------------------------------------------------------------------------- */

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
    printf("%g %g %g %g: errors %.1e %.1e %.1e %.1e, energy %.1e %.1e %.1e %.1e, %ld crossings\n", k->a, k->b,
           k->c, k->d, error[0], error[1], error[2], error[3], energy[0], energy[1], energy[2], energy[3],
           r->statistics.crossings);
  CHECK(error[2] < 1e-7 && error[3] < 1e-8);
  CHECK(error[3] < error[1] / 50 && energy[3] < energy[1] / 50);
  CHECK(energy[3] < 1e-8);
  run_free(angle);
  run_free(r);
}

/* The recomputed singular four-bar of the higher order paper, section 6.4, with torque: by the constraints g as
 * they are, not by those of the component g_2 (truth/reference.json, fourbar_sing_g2_g9.81). */
static void check_truth(void) {
  static const double at_1[] = {0.9753405095027269,  0.2207054383629029, 2.797990400701572,
                                -0.6026701588664768, 0.1893551264180797, -0.8367973478473465,
                                1.411920922614943,   1.869512412752553};
  static const double at_10[] = {0.9150992400562371,  0.4032286954675936, 2.429602041197088,
                                 -0.9030183199688121, 0.4508858950734031, -1.023253911667374,
                                 2.261293374907337,   1.075787974754703};
  static const char *const methods[] = {"dop853", "radau5", "taylor:14", "gauss6", "vern98"};
  run *r =
      run_text("model folding\nparameter a = 1, b = 2, c = 1, d = 2, T = 0.8, m1 = 0.2, m2 = 0.1, g = 9.81\n"
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
    if (r->statistics.crossings == 6) CHECK_TEXT(r->statistics.special[0].kind, "crossing of two branches");
  }
  run_free(r);
}

int main(void) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_case(&cases[i]);
  check_truth();
  return CHECKS_DONE();
}
