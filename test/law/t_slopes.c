/* The error of one step falls like h^(r+1), r the order of the method, measured in quadruple
 * precision: on the sphere of y'^2 + y^2 + x^2 = 1, which is a system of the general kind, on the
 * manifold of Kepler's problem with energy and momentum, and on a system nonlinear in its
 * derivatives.
 *
 * The solution is that of the method of order 12 with 16 steps in place of one, itself checked
 * against a closed form. An error coefficient may pass through zero somewhere: the error of a step
 * is the largest from several random points.
 */
#include "base/quad.h"
#include "run.h"

enum { POINTS = 4, COLUMNS = 8, STEPS = 4 };

typedef struct problem {
  const char *name, *text;
  int given;               /* start values */
  const char *variable[4]; /* their names; '~' from */
  void (*point)(double *x, double *z);
} problem;

/* uniform in (0, 1) */
static double unit(void) { return (check_random() + 1) / 2; }

static const char sphere_text[] =
    "independent x\nvariable y\nequation y'^2 + y^2 + x^2 = 1\nsolve arc = 0 .. 1\noutput y, y'\n";
static void sphere(double *x, double *z) {
  double height = 0.3 + 0.5 * unit(), angle = 6.28 * unit(), r = sqrt(1 - height * height);
  *x = r * cos(angle), z[0] = r * sin(angle), z[1] = height;
}

static const char kepler_text[] =
    "variable x, y\nlet r = sqrt(x^2 + y^2)\nequation\n  x'' = -x/r^3\n  y'' = -y/r^3\n"
    "invariant (x'^2 + y'^2)/2 - 1/r\ninvariant x*y' - y*x'\noutput x, y, x', y'\n";
static void kepler(double *x, double *z) {
  double angle = 6.28 * unit(), speed = 0.8 + 0.4 * unit(), turn = angle + 1.2 + 0.7 * unit();
  *x = 0, z[0] = cos(angle), z[1] = sin(angle), z[2] = speed * cos(turn), z[3] = speed * sin(turn);
}

static const char general_text[] = "variable x, y\nequation\n  x'^3 + x' + y = 2*sin(t) + x*y\n"
                                   "  y' + x'*y' = cos(x) + t\noutput x, y, x'\n";
static void general(double *x, double *z) {
  *x = unit(), z[0] = 1 + unit(), z[1] = unit() - 0.5, z[2] = unit();
}

static const problem problems[] = {
    {"sphere", sphere_text, 2, {"y =", "y' ~"}, sphere},
    {"kepler", kepler_text, 4, {"x =", "y =", "x' =", "y' ="}, kepler},
    {"general", general_text, 3, {"x =", "y =", "x' ~"}, general},
};

/* A random point of the problem, as a model. */
static run *start(const problem *p) {
  char text[2048];
  double x, z[4];
  p->point(&x, z);
  int used = snprintf(text, sizeof text, "%s%sstart %s = %.17g\n", "model m\n", p->text,
                      p == problems ? "x" : "t", x);
  for (int i = 0; i < p->given; i++)
    used += snprintf(text + used, sizeof text - (size_t)used, "  %s %.17g\n", p->variable[i], z[i]);
  run *r = run_text(text);
  if (r->status != RITT_OK) run_complain(r, p->name);
  return r;
}

/* The point after `h`: value and remainder of each column but x. */
static bool end_of(run *r, const ritt_options *options, double h, ritti_quad *out, size_t *count) {
  ritt_solver *solver;
  const char *const *names;
  double value[COLUMNS], rest[COLUMNS];
  r->status = ritt_solver_from_model(r->model, options, r->error, &solver);
  if (r->status == RITT_OK) {
    ritt_solver_columns(solver, &names, count);
    ritt_point point;
    r->status = ritt_solver_point(solver, &point, r->error);
    double end = point.s + h;
    if (r->status == RITT_OK) r->status = ritt_solver_run_to(solver, end, r->error);
    if (r->status == RITT_OK) r->status = ritt_solver_values(solver, end, value, r->error);
    if (r->status == RITT_OK) ritt_solver_remainders(solver, rest);
    ritt_solver_free(solver);
  }
  if (r->status != RITT_OK) {
    run_complain(r, options->method);
    return false;
  }
  for (size_t i = 0; i < *count; i++) out[i] = (ritti_quad)value[i] + rest[i];
  return true;
}

/* The errors of all columns after one step of length h. */
static bool errors_of(run *r, const ritt_options *way, double h, ritti_quad *error, size_t *count) {
  ritt_options o = *way, fine = *way;
  ritti_quad exact[COLUMNS];
  o.constant_step = h;
  fine.method = "feagin12";
  fine.constant_step = h / 16;
  if (!end_of(r, &o, h, error, count) || !end_of(r, &fine, h, exact, count)) return false;
  for (size_t i = 0; i < *count; i++) error[i] -= exact[i];
  return true;
}

/* x + iy = e^(it) in one long run: the reference is as good as it must be */
static void check_reference(void) {
  run *r = run_text(
      "model m\nvariable x\nequation x'' = -x\nstart t = 0\n  x = 1, x' = 0\noutput x, x'\n");
  ritt_options o = ritt_options_default();
  ritti_quad got[COLUMNS];
  size_t count;
  o.precision = "quad", o.method = "feagin12", o.constant_step = 0x1p-6;
  if (end_of(r, &o, 1, got, &count)) {
    CHECK(fabsq(got[1] - cosq(1)) < 1e-28 && fabsq(got[2] + sinq(1)) < 1e-28);
    CHECK(got[1] != (double)got[1]); /* there are more digits than a double has */
  }
  run_free(r);
}

/* The largest error of all columns and points after one step of length h. */
static double largest_error(run *const *r, const ritt_options *o, double h) {
  double most = 0;
  for (int i = 0; i < POINTS; i++) {
    ritti_quad error[COLUMNS];
    size_t count = 0;
    if (!errors_of(r[i], o, h, error, &count)) return NAN;
    for (size_t c = 0; c < count; c++) most = fmax(most, (double)fabsq(error[c]));
  }
  return most;
}

/* Steps h, qh, q^2 h, q^3 h, q^2 = 1/2, have three slopes between neighbours, which differ from order
 * + 1 by a power series in h: s(h) = order + 1 + ah + bh^2 + .... (s(qh) - q s(h)) / (1 - q) is
 * without a, and from two of these b goes likewise. For the column and point with the largest error
 * at the shortest step. */
static double slope_of(run *const *r, const ritt_options *o, double h, double *least) {
  const double q = sqrt(0.5);
  double slope = NAN;
  *least = 0;
  for (int i = 0; i < POINTS; i++) {
    ritti_quad error[STEPS][COLUMNS];
    size_t count = 0;
    for (int k = 0; k < STEPS; k++)
      if (!errors_of(r[i], o, h * pow(q, k), error[k], &count)) return NAN;
    for (size_t c = 0; c < count; c++) {
      double s[STEPS - 1];
      if (fabsq(error[STEPS - 1][c]) <= *least) continue;
      *least = (double)fabsq(error[STEPS - 1][c]);
      for (int k = 0; k < STEPS - 1; k++) s[k] = 2 * log2((double)(error[k][c] / error[k + 1][c]));
      double first = (s[1] - q * s[0]) / (1 - q), second = (s[2] - q * s[1]) / (1 - q);
      slope = 2 * second - first;
    }
  }
  return slope;
}

/* The second step has the error 3e-26: of high order, where steps are long, the shortest one is near
 * the last digits, 2^-107 of values near 1; of low order steps are so short that their lengths are
 * rounded, and there its error is well above that. */
static void check_slope(const problem *p, run *const *r, const ritt_method *method,
                        const char *project) {
  ritt_options o = ritt_options_default();
  o.precision = "quad", o.method = method->name, o.project = project;
  double wanted = method->order + 1, least, h = ldexp(1, -(int)lround(70.0 / wanted));
  h *= pow(3e-26 / largest_error(r, &o, h), 1 / wanted) * sqrt(2);
  double slope = slope_of(r, &o, h, &least);
  bool good = fabs(slope - wanted) < 0.1;
  CHECK(good);
  if (!good || getenv("RITT_SHOW"))
    printf("%s, %s, project %s: slope %.3f, not %.0f (error %.2e)\n", p->name, method->name,
           project, slope, wanted, least);
}

int main(void) {
  ritt_method method;
  check_reference();
  for (size_t k = 0; k < sizeof problems / sizeof *problems; k++) {
    run *r[POINTS];
    for (int i = 0; i < POINTS; i++) r[i] = start(&problems[k]);
    for (size_t i = 0; ritt_method_get(i, &method); i++) {
      if (method.order > 14) continue;                 /* 34 digits hold no three steps of h^16 */
      if (!strncmp(method.name, "rodas", 5)) continue; /* their coefficients have 16 digits */
      check_slope(&problems[k], r, &method, "stages");
      /* without projected stages the h^13 of order 12 is so small that 34 digits do not hold it and
       * h^14 apart */
      if (method.order < 12) check_slope(&problems[k], r, &method, "end");
    }
    for (int i = 0; i < POINTS; i++) run_free(r[i]);
  }
  return CHECKS_DONE();
}
