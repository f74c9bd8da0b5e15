/* The order of convergence of the projected methods on curved manifolds, by constant steps: the
 * error of a run falls like h^r, that of one step like h^(r+1), whether all stages are projected or
 * only the end, and however they are projected. All solutions are closed forms. An error
 * coefficient may pass through zero somewhere, so the error of a run is the largest in any of its
 * rows, and the error of a step the largest from several points of the solution. */
#include "run.h"
#include "exact.h"

/* ---- problems ---- */

typedef struct problem {
  const char *name, *text, *columns;
  int n, given; /* columns to compare; the first of them that start values give */
  double end;
  void (*exact)(double t, double *out);
  bool mechanical; /* position constraints and no further invariants */
} problem;

/* holonomic kind: the index-3 pendulum, by elliptic functions */
static const char pendulum_text[] = "model pendulum\n"
                                    "variable x, y, lambda\n"
                                    "equation\n"
                                    "  x'' + lambda*x = 0\n"
                                    "  y'' + lambda*y + 1 = 0\n"
                                    "  x^2 + y^2 = 1\n"
                                    "output x, y, x', y'\n";
static void pendulum(double t, double *out) { exact_pendulum(t, out); }

/* two invariants: energy and momentum of Kepler's problem, by Kepler's equation; eccentricity 1/5
 */
static const char kepler_text[] = "model kepler\n"
                                  "variable x, y\n"
                                  "let r = sqrt(x^2 + y^2)\n"
                                  "equation\n"
                                  "  x'' = -x/r^3\n"
                                  "  y'' = -y/r^3\n"
                                  "invariant (x'^2 + y'^2)/2 - 1/r\n"
                                  "invariant x*y' - y*x'\n"
                                  "output x, y, x', y'\n";
static void kepler(double t, double *out) { exact_kepler(0.8, sqrt(1.5), t, out); }

/* first order with an invariant: the rigid body with dissipation on its sphere; I1 = I2 = 5/8, I3 =
 * 1/4, alpha = 1/10 */
static const char rigid_text[] = "model rigid_body\n"
                                 "variable x, y, z\n"
                                 "let w1 = 12/5*y*z, w2 = -12/5*x*z\n"
                                 "equation\n"
                                 "  x' = w1 - z*w2/10\n"
                                 "  y' = w2 + z*w1/10\n"
                                 "  z' = (x*w2 - y*w1)/10\n"
                                 "invariant x^2 + y^2 + z^2 = 1\n"
                                 "output x, y, z\n";
static void rigid(double t, double *out) {
  static const double start[3] = {3. / 13, 4. / 13, 12. / 13};
  exact_rigid(start, 0.1, 2.4, t, out);
}

/* a constraint that depends on time: a particle on a growing sphere, driven so that it follows a
 * known curve c(t); the terms with x - cx are zero on it and make the error feel the path */
static const char balloon_text[] =
    "model balloon\n"
    "variable x, y, z, lambda\n"
    "let R = 1 + t/4, a = t + t^2/10, b = sin(t)/2\n"
    "  cx = R*cos(a)*cos(b), cy = R*sin(a)*cos(b), cz = R*sin(b)\n"
    "equation\n"
    "  x'' + lambda*x = cx'' - 2*(x - cx) - (x' - cx') + (y - cy)*z\n"
    "  y'' + lambda*y = cy'' - 2*(y - cy) - (y' - cy') + (z - cz)*x\n"
    "  z'' + lambda*z = cz'' - 2*(z - cz) - (z' - cz') + (x - cx)*y\n"
    "  x^2 + y^2 + z^2 = R^2\n"
    "output x, y, z, x', y', z'\n";
static void balloon(double t, double *out) {
  double R = 1 + t / 4, R1 = 0.25, a = t + t * t / 10, a1 = 1 + t / 5, b = sin(t) / 2,
         b1 = cos(t) / 2;
  double ca = cos(a), sa = sin(a), cb = cos(b), sb = sin(b);
  out[0] = R * ca * cb;
  out[1] = R * sa * cb;
  out[2] = R * sb;
  out[3] = R1 * ca * cb - R * sa * cb * a1 - R * ca * sb * b1;
  out[4] = R1 * sa * cb + R * ca * cb * a1 - R * sa * sb * b1;
  out[5] = R1 * sb + R * cb * b1;
}

/* graph kind of index 2: x, y on a circle, z whatever keeps them there */
static const char circle_text[] =
    "model circle\n"
    "variable x, y, z\n"
    "let a = 3/4 + sin(2*t)/2, cx = cos(a), cy = sin(a), cz = cos(3*t)\n"
    "equation\n"
    "  x' = cx' + y*z - cy*cz - (x - cx)\n"
    "  y' = cy' + x*z - cx*cz + x*(y - cy)\n"
    "  x^2 + y^2 = 1\n"
    "output x, y, z\n";
static void circle(double t, double *out) {
  double a = 0.75 + sin(2 * t) / 2;
  out[0] = cos(a);
  out[1] = sin(a);
  out[2] = cos(3 * t);
}

static const problem problems[] = {
    {"pendulum", pendulum_text, "x y x' y'", 4, 4, 4, pendulum, true},
    {"kepler", kepler_text, "x y x' y'", 4, 4, 4, kepler, false},
    {"rigid body", rigid_text, "x y z", 3, 3, 4, rigid, false},
    {"balloon", balloon_text, "x y z x' y' z'", 6, 6, 4, balloon, true},
    {"circle", circle_text, "x y z", 3, 2, 3.2, circle, false},
};

/* The problem with the point of its solution at t as the start. */
static run *start_at(const problem *p, double t) {
  char text[4096], name[64];
  double z[8];
  int used = snprintf(text, sizeof text, "%sstart t = %.17g\n", p->text, t), length = 0;
  const char *names = p->columns;
  p->exact(t, z);
  for (int i = 0; i < p->given && sscanf(names, "%63s%n", name, &length) == 1; i++, names += length)
    used += snprintf(text + used, sizeof text - (size_t)used, "  %s ~ %.17g\n", name, z[i]);
  run *r = run_text(text);
  if (r->status != RITT_OK) run_complain(r, p->name);
  return r;
}

/* ---- methods: numbers of steps to the end, and parts of it for single steps ---- */

enum { SIZES = 5, STARTS = 7 };
static const struct {
  const char *name;
  int order;
  double margin; /* double precision leaves order 8 little room between large steps and rounding */
  int count[SIZES], part[SIZES];
} methods[] = {
    {"euler", 1, 0.25, {800, 1120, 1600, 2240, 3200}, {200, 280, 400, 560, 800}},
    {"rk4", 4, 0.25, {80, 112, 160, 224, 320}, {80, 112, 160, 224, 320}},
    {"dopri54", 5, 0.25, {112, 140, 180, 224, 280}, {56, 68, 80, 96, 112}},
    {"dop853", 8, 0.5, {36, 40, 44, 48, 54}, {24, 26, 28, 30, 32}},
    {"implicit_euler", 1, 0.25, {400, 560, 800, 1120, 1600}, {200, 280, 400, 560, 800}},
    {"implicit_euler1", 1, 0.25, {400, 560, 800, 1120, 1600}, {200, 280, 400, 560, 800}},
    {"midpoint", 2, 0.25, {100, 140, 200, 280, 400}, {100, 140, 200, 280, 400}},
    {"gauss2", 2, 0.25, {100, 140, 200, 280, 400}, {100, 140, 200, 280, 400}},
    {"radau1", 3, 0.25, {80, 112, 160, 224, 320}, {80, 112, 160, 224, 320}},
    {"radau3", 3, 0.25, {80, 112, 160, 224, 320}, {80, 112, 160, 224, 320}},
    {"lobatto3a", 4, 0.25, {56, 80, 112, 160, 224}, {56, 80, 112, 160, 224}},
    {"gauss4", 4, 0.25, {56, 80, 112, 160, 224}, {56, 80, 112, 160, 224}},
    {"radau5", 5, 0.25, {40, 48, 56, 68, 80}, {32, 40, 48, 56, 68}},
    {"gauss6", 6, 0.5, {28, 32, 40, 48, 56}, {40, 48, 56, 68, 80}},
    {"radau9",
     9,
     0.75,
     {14, 15, 16, 17, 18},
     {0}}, /* for one step of order 10 doubles leave no room */
    {"rodas4", 4, 0.25, {80, 112, 160, 224, 320}, {80, 112, 160, 224, 320}},
    {"rodas5p", 5, 0.25, {56, 68, 80, 96, 112}, {40, 48, 56, 68, 80}},
};

/* The largest error in a row of a run from `from` to `to` in equal steps. */
static double largest_error(run *r, const problem *p, const ritt_options *way, double from,
                            double to, int steps) {
  ritt_options o = *way;
  double z[8], exact[8], worst = 0;
  o.to = to;
  o.constant_step = (to - from) / steps;
  if (!run_go(r, &o)) return NAN;
  CHECK(r->statistics.accepted == steps && r->rows == (size_t)steps + 1);
  CHECK(run_last(r, "t") == to);
  for (size_t i = 0; i < r->rows; i++) {
    run_list(r, i, p->columns, z);
    p->exact(run_get(r, i, "t"), exact);
    worst = fmax(worst, run_error(z, exact, p->n));
  }
  return worst;
}

/* Least squares slope of log e over log h. */
static double slope(const double *h, const double *e, int n) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < n; i++) {
    double x = log(h[i]), y = log(e[i]);
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

static void check_slope(const char *what, const problem *p, const ritt_options *way,
                        const double *h, const double *e, double order, double margin) {
  double s = slope(h, e, SIZES);
  bool falls = true,
       sound = e[0] < 0.1 && e[SIZES - 1] > 3e-14; /* neither saturated nor rounding */
  for (int i = 1; i < SIZES; i++) falls = falls && e[i] < e[i - 1];
  if (s >= order - margin && falls && sound) checks_passed++;
  else {
    checks_failed++;
    printf("failed: %s, %s projecting %s (%s), %s: slope %.3f, expected %g; errors", p->name,
           way->method, way->project, way->projection ? way->projection : "default", what, s,
           order);
    for (int i = 0; i < SIZES; i++) printf(" %.3g", e[i]);
    printf("\n");
  }
}

/* A run, whose stages are projected in all ways there are for the problem. */
static void check_projections(const problem *p, run *r) {
  static const char *const projection[] = {"gauss",   "newton", "chord",
                                           "inexact", "blocks", "sequential"};
  for (int i = 1; i < 3; i++) /* rk4, dopri54 */
    for (int v = 0; v < (p->mechanical ? 6 : 4); v++)
      for (int predictor = 0; predictor < (v < 5 ? 2 : 1); predictor++) {
        ritt_options way = run_options(methods[i].name, 0, NAN);
        double h[SIZES], e[SIZES];
        way.project = "stages";
        way.projection = projection[v];
        way.predictor = predictor ? "on" : "off";
        for (int q = 0; q < SIZES; q++) {
          h[q] = p->end / methods[i].count[q];
          e[q] = largest_error(r, p, &way, 0, p->end, methods[i].count[q]);
        }
        check_slope("a run", p, &way, h, e, methods[i].order, methods[i].margin);
        CHECK(r->statistics.failed_projections == 0);
      }
}

int main(void) {
  static const char *const project[] = {"stages", "end"};
  for (size_t k = 0; k < sizeof problems / sizeof *problems; k++) {
    const problem *p = &problems[k];
    run *r[STARTS];
    for (int s = 0; s < STARTS; s++) r[s] = start_at(p, p->end * s / STARTS);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
      for (int j = 0; j < 2; j++) {
        ritt_options way = run_options(methods[i].name, 0, NAN);
        way.project = project[j];
        if (j == 0 && !strncmp(methods[i].name, "rodas", 5)) continue; /* refused */
        double h[SIZES], e[SIZES];
        for (int q = 0; q < SIZES; q++) {
          h[q] = p->end / methods[i].count[q];
          e[q] = largest_error(r[0], p, &way, 0, p->end, methods[i].count[q]);
        }
        check_slope("a run", p, &way, h, e, methods[i].order, methods[i].margin);
        if (methods[i].part[0] == 0) continue;
        for (int q = 0; q < SIZES; q++) {
          h[q] = p->end / methods[i].part[q];
          e[q] = 0;
          for (int s = 0; s < STARTS; s++) {
            double from = p->end * s / STARTS;
            e[q] = fmax(e[q], largest_error(r[s], p, &way, from, from + h[q], 1));
          }
        }
        check_slope("one step", p, &way, h, e, methods[i].order + 1, methods[i].margin);
      }
    check_projections(p, r[0]);
    for (int s = 0; s < STARTS; s++) run_free(r[s]);
  }
  return CHECKS_DONE();
}
