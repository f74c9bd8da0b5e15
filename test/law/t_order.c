/* The order of convergence of the projected methods on curved manifolds, by constant steps: the error at a
 * fixed end falls like h^r, that of one step like h^(r+1), whether all stages are projected or only the end.
 * All solutions are closed forms; errors stay well above rounding and well below 1. */
#include "run.h"
#include "exact.h"

/* ---- problems
 * ------------------------------------------------------------------------------------------------ */

/* holonomic kind: the index-3 pendulum, by elliptic functions */
static void pendulum(double t, double *out) { exact_pendulum(t, out); }

/* invariants: energy and momentum of Kepler's problem, by Kepler's equation */
static void kepler(double t, double *out) { exact_kepler(0.5, 1.73, t, out); }

/* first order with an invariant: the rigid body on its sphere; the start is the guess pulled onto it */
static void rigid(double t, double *out) {
  double z[3] = {0.1204, 0.9631, 0.2408}, norm = sqrt(z[0] * z[0] + z[1] * z[1] + z[2] * z[2]);
  for (int i = 0; i < 3; i++) z[i] /= norm;
  exact_rigid(z, 0.25, 2.4, t, out);
}

/* a constraint that depends on time: a particle on a growing sphere, driven so that it follows a known curve
 * c(t); the terms with x - cx are zero on it and make the error feel the path */
static const char balloon_text[] = "model balloon\n"
                                   "variable x, y, z, lambda\n"
                                   "let R = 1 + t/4, a = t + t^2/10, b = sin(t)/2\n"
                                   "  cx = R*cos(a)*cos(b), cy = R*sin(a)*cos(b), cz = R*sin(b)\n"
                                   "equation\n"
                                   "  x'' + lambda*x = cx'' - 2*(x - cx) - (x' - cx') + (y - cy)*z\n"
                                   "  y'' + lambda*y = cy'' - 2*(y - cy) - (y' - cy') + (z - cz)*x\n"
                                   "  z'' + lambda*z = cz'' - 2*(z - cz) - (z' - cz') + (x - cx)*y\n"
                                   "  x^2 + y^2 + z^2 = R^2\n"
                                   "start\n"
                                   "  x = 1, y = 0, z = 0, x' = 1/4, y' = 1, z' = 1/2\n"
                                   "solve t = 0 .. 1\n"
                                   "output x, y, z, x', y', z'\n";
static void balloon(double t, double *out) {
  double R = 1 + t / 4, R1 = 0.25, a = t + t * t / 10, a1 = 1 + t / 5, b = sin(t) / 2, b1 = cos(t) / 2;
  double ca = cos(a), sa = sin(a), cb = cos(b), sb = sin(b);
  out[0] = R * ca * cb;
  out[1] = R * sa * cb;
  out[2] = R * sb;
  out[3] = R1 * ca * cb - R * sa * cb * a1 - R * ca * sb * b1;
  out[4] = R1 * sa * cb + R * ca * cb * a1 - R * sa * sb * b1;
  out[5] = R1 * sb + R * cb * b1;
}

/* graph kind of index 2: x, y on a circle, z whatever keeps them there */
static const char circle_text[] = "model circle\n"
                                  "variable x, y, z\n"
                                  "let a = 3/4 + sin(t)/2, cx = cos(a), cy = sin(a), cz = cos(2*t)\n"
                                  "equation\n"
                                  "  x' = cx' + y*z - cy*cz - (x - cx)\n"
                                  "  y' = cy' + x*z - cx*cz + x*(y - cy)\n"
                                  "  x^2 + y^2 = 1\n"
                                  "start\n"
                                  "  x ~ cos(3/4), y = sin(3/4)\n"
                                  "solve t = 0 .. 1\n"
                                  "output x, y, z\n";
static void circle(double t, double *out) {
  double a = 0.75 + sin(t) / 2;
  out[0] = cos(a);
  out[1] = sin(a);
  out[2] = cos(2 * t);
}

typedef struct problem {
  const char *name, *file, *extra, *text, *set, *value, *columns;
  int n;
  double end;
  void (*exact)(double t, double *out);
} problem;

static const problem problems[] = {
    {"pendulum", "classics/pendulum/pendulum", "output x', y'", NULL, NULL, NULL, "x y x' y'", 4, 2,
     pendulum},
    {"kepler", "papers/kepler", NULL, NULL, NULL, NULL, "y1 y2 y1' y2'", 4, 2, kepler},
    {"rigid body", "papers/rigid_body", NULL, NULL, "alpha", "1/4", "y1 y2 y3", 3, 3, rigid},
    {"balloon", NULL, NULL, balloon_text, NULL, NULL, "x y z x' y' z'", 6, 2, balloon},
    {"circle", NULL, NULL, circle_text, NULL, NULL, "x y z", 3, 2, circle},
};

/* ---- methods: numbers of steps to the end, and single steps as parts of it
 * ---------------------------------------- */

enum { SIZES = 5 };
static const struct {
  const char *name;
  int order, count[SIZES];
  double single[SIZES]; /* of the end */
} methods[] = {
    {"euler", 1, {400, 560, 800, 1120, 1600}, {1. / 40, 1. / 56, 1. / 80, 1. / 112, 1. / 160}},
    {"rk4", 4, {40, 56, 80, 112, 160}, {1. / 20, 1. / 28, 1. / 40, 1. / 56, 1. / 80}},
    {"dopri54", 5, {28, 40, 56, 80, 112}, {1. / 10, 1. / 14, 1. / 20, 1. / 28, 1. / 40}},
    {"dop853", 8, {10, 12, 14, 17, 20}, {1. / 4, 1. / 5, 1. / 6, 1. / 7, 1. / 8}},
};

/* Least squares slope of log e over log h. */
static double slope(const double *h, const double *e, int n) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < n; i++) {
    double x = log(h[i]), y = log(e[i]);
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

/* The error at `to` with steps of size h, and that it took as many as it should. */
static double error_at(run *r, const problem *p, const char *method, const char *project, double to,
                       int steps) {
  ritt_options o = run_options(method, 0, to);
  double z[8], exact[8];
  o.project = project;
  o.constant_step = to / steps;
  if (!run_go(r, &o)) return NAN;
  CHECK(r->statistics.accepted == steps);
  CHECK(run_get(r, r->rows - 1, r->name[0]) == to);
  run_list(r, r->rows - 1, p->columns, z);
  p->exact(to, exact);
  return run_error(z, exact, p->n);
}

static void check_slope(const char *what, const problem *p, const char *method, const char *project,
                        const double *h, const double *e, double order) {
  double s = slope(h, e, SIZES);
  bool falls = true;
  for (int i = 1; i < SIZES; i++) falls = falls && e[i] < e[i - 1];
  bool sound = e[0] < 0.3 && e[SIZES - 1] > 2e-14;
  if (s >= order - 0.25 && falls && sound) checks_passed++;
  else {
    checks_failed++;
    printf("failed: %s %s projecting %s, %s: slope %.3f, expected %g; errors", p->name, method, project, what,
           s, order);
    for (int i = 0; i < SIZES; i++) printf(" %.3g", e[i]);
    printf("\n");
  }
}

int main(void) {
  static const char *const project[] = {"stages", "end"};
  for (size_t k = 0; k < sizeof problems / sizeof *problems; k++) {
    const problem *p = &problems[k];
    run *r = p->file ? run_file(p->file, p->extra) : run_text(p->text);
    if (p->set) run_set(r, p->set, p->value);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
      for (int j = 0; j < 2; j++) {
        double h[SIZES], global[SIZES], local[SIZES], one[SIZES];
        for (int q = 0; q < SIZES; q++) {
          h[q] = p->end / methods[i].count[q];
          global[q] = error_at(r, p, methods[i].name, project[j], p->end, methods[i].count[q]);
          one[q] = p->end * methods[i].single[q];
          local[q] = error_at(r, p, methods[i].name, project[j], one[q], 1);
        }
        check_slope("at the end", p, methods[i].name, project[j], h, global, methods[i].order);
        check_slope("one step", p, methods[i].name, project[j], one, local, methods[i].order + 1);
      }
    run_free(r);
  }
  return CHECKS_DONE();
}
