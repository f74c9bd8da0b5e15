/* Functions of the language in equations whose solutions are known in closed form: by explicit
 * Runge-Kutta, Taylor and implicit methods, in quadruple precision, and with native code, which
 * gives the bits of the interpreter. */
#include "run.h"

/* erf and its integral, both as results of equations and as functions in them */
static const char gauss[] = "model gauss\n"
                            "variable x, y\n"
                            "equation\n  x' = exp(-t^2)\n  y' = erf(t) + erfc(t/2)\n"
                            "start x = 0, y = 0\n"
                            "solve t = 0 .. 3\n";

/* (1 + t)^3, and the integral of logarithms of 1 + t */
static const char roots[] =
    "model roots\n"
    "variable x, y, z\n"
    "equation\n  x' = 3*cbrt(x)^2\n  y' = log2(1 + t)\n  z' = log10(1 + t)\n"
    "start x = 1, y = 0, z = 0\n"
    "solve t = 0 .. 3\n";

/* a planet on a circle of radius 2, by its lagrangian */
static const char planet[] = "model planet\n"
                             "variable x, y\n"
                             "lagrangian (x'^2 + y'^2)/2 + 1/hypot(x, y)\n"
                             "start x = 2, y = 0, x' = 0, y' = sqrt(1/2)\n"
                             "solve t = 0 .. 30\n";

/* staircases of time, and one of a variable, whose slope grows at every whole number */
static const char stairs[] = "model stairs\n"
                             "variable a, b, c, d\n"
                             "equation\n  a' = floor(t)\n  b' = ceil(t)\n  c' = round(t)\n"
                             "  d' = 1 + floor(d)\n"
                             "start a = 0, b = 0, c = 0, d = 1/2\n"
                             "solve t = 0 .. 3.75\n";

/* the constraint differentiates erf and hypot twice: a bead on a curved wire */
static const char wire[] = "model wire\n"
                           "variable x, y, lambda\n"
                           "equation\n"
                           "  x'' = -lambda*2*exp(-x^2)/sqrt(pi)\n"
                           "  y'' = lambda - 9.81\n"
                           "  y = erf(x)\n"
                           "start x = 1/2, x' = 1\n"
                           "output e = (x'^2 + y'^2)/2 + 9.81*y, miss = y - erf(x)\n"
                           "solve t = 0 .. 1\n";

static void check_near(const run *r, const char *column, double truth, double tolerance) {
  double value = run_last(r, column);
  if (!(fabs(value - truth) <= tolerance)) printf("%s is %.17g, not %.17g\n", column, value, truth);
  CHECK_NEAR(value, truth, tolerance);
}

static void check_gauss(const run *r, double tolerance) {
  /* the integral of erf is t erf t + exp(-t^2)/sqrt pi */
  double pi = acos(-1), by_root = 1 / sqrt(pi), t = 3, s = t / 2;
  double first = t * erf(t) + (exp(-t * t) - 1) * by_root;
  double second = t - 2 * (s * erf(s) + (exp(-s * s) - 1) * by_root);
  check_near(r, "x", erf(t) / (2 * by_root), tolerance);
  check_near(r, "y", first + second, tolerance);
}

static void check_roots(const run *r, double tolerance) {
  double integral = 4 * log(4) - 3;
  check_near(r, "x", 64, 64 * tolerance);
  check_near(r, "y", integral / log(2), 4 * tolerance);
  check_near(r, "z", integral / log(10), 4 * tolerance);
}

static void check_planet(const run *r, double tolerance) {
  double angle = 30 / (2 * sqrt(2.0));
  check_near(r, "x", 2 * cos(angle), 30 * tolerance);
  check_near(r, "y", 2 * sin(angle), 30 * tolerance);
}

static void check_stairs(const run *r, double tolerance) {
  check_near(r, "a", 0 + 1 + 2 + 3 * 0.75, tolerance);
  check_near(r, "b", 1 + 2 + 3 + 4 * 0.75, tolerance);
  check_near(r, "c", 0.5 * 0 + 1 + 2 + 3 + 4 * 0.25, tolerance);
  /* slope 1 + k between k and k + 1, each of which takes 1/(1 + k) */
  double left = 3.75 - 0.5, d = 1;
  for (; left >= 1 / (1 + d); d++) left -= 1 / (1 + d);
  check_near(r, "d", d + left * (1 + d), 100 * tolerance);
}

static void check_wire(const run *r, double tolerance) {
  double y = erf(0.5), slope = 2 * exp(-0.25) / sqrt(acos(-1));
  check_near(r, "e", (1 + slope * slope) / 2 + 9.81 * y, 10 * tolerance);
  check_near(r, "miss", 0, tolerance);
}

static const struct {
  const char *text;
  void (*check)(const run *r, double tolerance);
  bool implicit;
} problems[] = {{gauss, check_gauss, true},
                {roots, check_roots, true},
                {planet, check_planet, false},
                {stairs, check_stairs, false},
                {wire, check_wire, false}};

static unsigned long long hash_rows(const run *r) {
  unsigned long long hash = CHECK_HASH;
  check_hash(&hash, r->row, r->rows * r->width * sizeof *r->row);
  return hash;
}

int main(void) {
  for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
    run *r = run_text(problems[i].text);
    if (r->status != RITT_OK) run_complain(r, "model");
    ritt_options o = run_options("dop853", 1e-10, NAN);
    o.native = "never";
    if (run_go(r, &o)) problems[i].check(r, 1e-8);
    unsigned long long interpreted = hash_rows(r);
    run_free(r);

    r = run_text(problems[i].text);
    o.native = "always";
    if (run_go(r, &o)) CHECK(hash_rows(r) == interpreted);
    run_free(r);

    r = run_text(problems[i].text);
    o = run_options("taylor:16", 1e-12, NAN);
    if (run_go(r, &o)) problems[i].check(r, 1e-10);
    run_free(r);

    r = run_text(problems[i].text);
    o = run_options("dop853", 1e-13, NAN);
    o.precision = "quad";
    if (run_go(r, &o)) problems[i].check(r, 1e-11);
    run_free(r);

    if (!problems[i].implicit) continue;
    r = run_text(problems[i].text);
    o = run_options("radau5", 1e-8, NAN);
    if (run_go(r, &o)) problems[i].check(r, 1e-6);
    run_free(r);
  }
  return CHECKS_DONE();
}
