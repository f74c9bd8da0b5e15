/* The implicit kind: unknowns that enter nonlinearly without derivatives are solved for at every
 * point. Runs against closed forms, against the same system reduced by hand to ordinary differential
 * equations, and at folds. */
#include "run.h"

static bool is_implicit(const run *r) { return !strcmp(r->statistics.kind, "implicit"); }

static bool says(const run *r, const char *text) {
  for (size_t i = 0; i < ritt_error_count(r->error); i++)
    if (strstr(ritt_error_get(r->error, i)->text, text)) return true;
  return false;
}

/* The zero of a rising function between two bounds. */
static double find_zero(double (*f)(double u, const double *p), const double *p, double low,
                        double high) {
  for (int i = 0; i < 200; i++) {
    double middle = low + (high - low) / 2;
    if (f(middle, p) < 0) low = middle;
    else high = middle;
  }
  return low;
}

/* ---- closed forms ---- */

/* x' = -w, w + w^3 = x: dt = -(1 + 3 w^2) dw / w, so t = log(w0/w) + (3/2) (w0^2 - w^2). */
static void check_closed_form(void) {
  static const char *const method[] = {"dopri54", "dop853", "radau5", "gauss4", "rodas5p"};
  for (int i = 0; i < 5; i++) {
    run *r = run_text("model m\nvariable x, w\nequation\n  x' = -w\n  w + w^3 = x\n"
                      "start x = 2, w ~ 1\nsolve t = 0 .. 3\n  rows 31\n"
                      "event half: w = 0.5 falling -> record\noutput x, w\n");
    ritt_options o = run_options(method[i], 1e-9, 3);
    CHECK(run_go(r, &o));
    CHECK(is_implicit(r) && r->rows >= 31 && r->statistics.events == 1);
    for (size_t k = 0; k < r->rows; k++) {
      double t = run_get(r, k, "t"), w = run_get(r, k, "w"), x = run_get(r, k, "x");
      CHECK_NEAR(w + w * w * w, x, 1e-14);
      CHECK_NEAR(log(1 / w) + 1.5 * (1 - w * w), t, 1e-7);
    }
    run_free(r);
  }
}

/* The start: '=' on the unknown is a condition on x, '~' chooses one of three branches. */
static void check_start(void) {
  run *r = run_text("model m\nvariable x, w\nequation\n  x' = -w\n  w + w^3 = x\nstart w = 0.5\n"
                    "solve t = 0 .. 1\noutput x, w\n");
  CHECK(run_go(r, NULL) && is_implicit(r));
  CHECK_NEAR(run_get(r, 0, "x"), 0.625, 1e-15);
  run_free(r);
  for (int branch = -1; branch <= 1; branch++) {
    char text[300];
    snprintf(text, sizeof text,
             "model m\nvariable x, w\nequation\n  x' = 0.1\n  w^3 - w = x\n"
             "start x = 0, w ~ %g\nsolve t = 0 .. 1\noutput w\n",
             branch * 1.1);
    r = run_text(text);
    CHECK(run_go(r, NULL) && is_implicit(r));
    CHECK_NEAR(run_get(r, 0, "w"), branch, 1e-15);
    double w = run_last(r, "w");
    CHECK_NEAR(w * w * w - w, 0.1, 1e-13);
    CHECK(fabs(w - branch) < 0.2);
    run_free(r);
  }
}

/* ---- titration: the amounts are polynomials of t, and the pH follows from them ---- */

static double charge(double pH, const double *p) {
  double h = pow(10, -pH);
  return -(h + p[0]) + 1e-14 / h + p[1] * 1.8e-5 / (1.8e-5 + h);
}

static void check_titration(void) {
  run *r = run_text(
      "model ph\nparameter V0 = 1, ca0 = 0.1, cb = 0.1, F = 0.02, Ka = 1.8e-5, Kw = 1e-14\n"
      "variable V, nA, nNa, pH\nlet h = 10^(-pH), A = nA/V, Na = nNa/V\nequation\n  V' = F\n"
      "  nA' = 0\n  nNa' = F*cb\n  h + Na = Kw/h + A*Ka/(Ka + h)\n"
      "start V = V0, nA = V0*ca0, nNa = 0\nsolve t = 0 .. 80\n  rows 801\noutput V, nNa, pH\n");
  CHECK(run_go(r, NULL) && is_implicit(r) && r->rows == 801);
  for (size_t i = 0; i < r->rows; i++) {
    double t = run_get(r, i, "t"), V = 1 + 0.02 * t, p[] = {0.002 * t / V, 0.1 / V};
    CHECK_NEAR(run_get(r, i, "V"), V, 1e-14 * V);
    CHECK_NEAR(run_get(r, i, "pH"), find_zero(charge, p, 0, 14), 1e-8);
  }
  run_free(r);
}

/* ---- boundary values: the steps of the ordinary differential equations ---- */

static void check_heat(const char *n) {
  run *dae = run_text(
      "model heat\nparameter n = 200, dx = 1/n\nvariable T[0..n]\nfunction k(u) = 1 + 2*u\n"
      "let q[i in 1..n] = k((T[i] + T[i-1])/2)*(T[i] - T[i-1])/dx\nequation\n"
      "  T[0] = 1 + 0.5*sin(10*t)\n  for i in 1..n-1: T[i]' = (q[i+1] - q[i])/dx\n  q[n] = 0\n"
      "start for i in 0..n: T[i] ~ 1\nsolve t = 0 .. 2\n  method radau5\n  tolerance 1e-6\n"
      "output T[100], end = T[n]\n");
  run *ode = run_text(
      "model heat\nparameter n = 200, dx = 1/n\nvariable T[1..n-1]\nfunction k(u) = 1 + 2*u\n"
      "let T0 = 1 + 0.5*sin(10*t)\n"
      "let q[i in 1..n] = if i = n then 0 else if i = 1 then k((T[1] + T0)/2)*(T[1] - T0)/dx "
      "else k((T[i] + T[i-1])/2)*(T[i] - T[i-1])/dx\nequation\n"
      "  for i in 1..n-1: T[i]' = (q[i+1] - q[i])/dx\nstart for i in 1..n-1: T[i] = 1\n"
      "solve t = 0 .. 2\n  method radau5\n  tolerance 1e-6\noutput T[100], end = T[n-1]\n");
  run_set(dae, "n", n);
  run_set(ode, "n", n);
  CHECK(run_go(dae, NULL) && is_implicit(dae) && run_go(ode, NULL));
  double ratio = (double)dae->statistics.accepted / (double)ode->statistics.accepted;
  CHECK(ratio > 0.9 && ratio < 1.1);
  CHECK_NEAR(run_last(dae, "T[100]"), run_last(ode, "T[100]"), 1e-9);
  CHECK_NEAR(run_last(dae, "end"), run_last(ode, "end"), 1e-9); /* no flow through the last face */
  run_free(dae);
  run_free(ode);
}

/* ---- errors of unknowns that are solved for ---- */

/* x = (cos(t) + sin(t))/2 and w = 1: an error of x is 25000 times as large in w. Returns the largest
 * error of w. */
static double amplified_error(const char *method, const char *setting, ritt_statistics *out) {
  char text[500];
  double worst = 0;
  snprintf(text, sizeof text,
           "model amplified\nvariable x, w\nequation\n  x' = -x + cos(t)\n"
           "  1e-5*(w + w^3) = x - (cos(t) + sin(t))/2 + 2e-5\nstart x = 0.5\n  w ~ 1\n"
           "solve t = 0 .. 10\n%s\noutput x, w\n",
           setting);
  run *r = run_text(text);
  ritt_options o = run_options(method, 1e-7, 10);
  CHECK(run_go(r, &o) && is_implicit(r));
  for (size_t i = 0; i < r->rows; i++) worst = fmax(worst, fabs(run_get(r, i, "w") - 1));
  CHECK(r->statistics.algebraic_name && !strcmp(r->statistics.algebraic_name, "w"));
  *out = r->statistics; /* its names end with the model */
  run_free(r);
  return worst;
}

static void check_errors_of_w(void) {
  static const char *const method[] = {"dopri54", "dop853", "radau5"};
  ritt_statistics s;
  for (int k = 0; k < 3; k++) {
    double error = amplified_error(method[k], "", &s);
    if (k == 0) CHECK(error > 1e-5); /* as large as it was meant to be */
    CHECK(s.algebraic_error > error / 10 && s.algebraic_error < 100 * error);
    CHECK_NEAR(s.algebraic_size, 1, 0.1);

    error = amplified_error(method[k], "  tolerance w = 1e-7", &s);
    CHECK(error < 1e-6);
    CHECK(s.algebraic_error <= 1.1e-7);
  }
}

/* ---- a switch: the unknowns jump, and the state does not ---- */

/* q' = s - u, q q' + q = u + u^3 + q'^2/10, put together: rising in u */
static double coupled(double u, const double *p) {
  double q = p[0], v = p[1] - u;
  return u + u * u * u + v * v / 10 - q * v - q;
}

static double slope(double q, double s) {
  double p[] = {q, s};
  return s - find_zero(coupled, p, -1, 2);
}

/* Runge's fourth-order rule with constant steps, far below the tolerance of the run */
static double integrate(double q, double s, double length) {
  enum { STEPS = 2000 };
  double h = length / STEPS;
  for (int i = 0; i < STEPS; i++) {
    double a = slope(q, s), b = slope(q + h / 2 * a, s), c = slope(q + h / 2 * b, s),
           d = slope(q + h * c, s);
    q += h / 6 * (a + 2 * b + 2 * c + d);
  }
  return q;
}

static void check_switch(void) {
  static const char *const method[] = {"dopri54", "radau5"};
  double one = integrate(0, 1, 1), two = integrate(one, 0, 1);
  for (int i = 0; i < 2; i++) {
    run *r = run_text("model m\nvariable q, u\nequation\n  q' = (if t < 1 then 1 else 0) - u\n"
                      "  q*q' + q = u + u^3 + q'^2/10\nstart q = 0, u ~ 0\nsolve t = 0 .. 2\n"
                      "  rows 3\noutput q, u\n");
    ritt_options o = run_options(method[i], 1e-8, 2);
    CHECK(run_go(r, &o) && r->statistics.switches == 1);
    CHECK_NEAR(run_last(r, "q"), two, 1e-7);
    CHECK_NEAR(run_last(r, "u"), -slope(two, 0), 1e-7);
    run_free(r);
  }
}

/* ---- a bridge rectifier: only saturation currents flow when all diodes block ---- */

enum { SOURCE, VOLTAGE, SATURATION };
static const double RS = 1, RL = 220, C = 470e-6, VT = 0.02585, AMPLITUDE = 12;

/* By symmetry a + b = p, so that the current i solves one equation. Arguments of exponentials are
 * bounded: the zero lies far below. */
static double bridge(double i, const double *p) {
  double a = (p[VOLTAGE] + p[SOURCE] - RS * i) / 2;
  return i - p[SATURATION] * (exp(fmin(600, (a - p[VOLTAGE]) / VT)) - exp(fmin(600, -a / VT)));
}

static double charging(double t, double v, double saturation) {
  double p[] = {AMPLITUDE * sin(2 * acos(-1) * 50 * t), v, saturation};
  double i = find_zero(bridge, p, -20, 20), a = (v + p[SOURCE] - RS * i) / 2, b = v - a;
  double current = saturation * (exp((a - v) / VT) - 1 + exp((b - v) / VT) - 1);
  return (current - v / RL) / C;
}

static void check_bridge(double saturation) {
  enum { STEPS = 10000 };
  double v = 0, end = 0.03, h = end / STEPS;
  for (int i = 0; i < STEPS; i++) {
    double t = i * h, a = charging(t, v, saturation),
           b = charging(t + h / 2, v + h / 2 * a, saturation),
           c = charging(t + h / 2, v + h / 2 * b, saturation),
           d = charging(t + h, v + h * c, saturation);
    v += h / 6 * (a + 2 * b + 2 * c + d);
  }
  static const char *const method[] = {"dopri54", "radau5"};
  for (int i = 0; i < 2; i++) {
    char text[600];
    snprintf(text, sizeof text,
             "model bridge\nparameter V0 = 12, f = 50, Rs = 1, RL = 220, C = 470e-6, Vt = 0.02585\n"
             "parameter Is = %g\nfunction diode(u) = Is*(exp(u/Vt) - 1)\nvariable a, b, p, i\n"
             "equation\n  a - b + Rs*i = V0*sin(2*pi*f*t)\n  i + diode(0 - a) = diode(a - p)\n"
             "  diode(0 - b) = i + diode(b - p)\n  diode(a - p) + diode(b - p) = C*p' + p/RL\n"
             "start p = 0\nsolve t = 0 .. 0.03\noutput p\n",
             saturation);
    run *r = run_text(text);
    ritt_options o = run_options(method[i], 1e-7, 0.03);
    CHECK(run_go(r, &o) && is_implicit(r));
    CHECK_NEAR(run_last(r, "p"), v, 1e-4 * v);
    run_free(r);
  }
}

/* ---- folds ---- */

static void check_folds(void) {
  static const char *const method[] = {"dopri54", "radau5"};
  for (int i = 0; i < 2; i++) {
    /* y^3 - 3 y + x = 0: the branch from y = sqrt(3) ends at x = 2, y = 1 */
    run *r = run_text("model fold\nvariable x, y, s\nequation\n  x' = 1\n  y^3 - 3*y + x = 0\n"
                      "  s' = y\nstart x = 0, s = 0, y ~ 2\nsolve t = 0 .. 3\noutput x, y\n");
    ritt_options o = run_options(method[i], 1e-8, 3);
    run_try(r, &o);
    CHECK(r->status == RITT_STOPPED && says(r, "fold"));
    CHECK_NEAR(r->statistics.x, 2, 1e-6);
    for (size_t k = 0; k < r->rows; k++) CHECK(run_get(r, k, "y") > 0.99);
    run_free(r);

    /* the branch from y = -sqrt(3) goes on */
    r = run_text("model fold\nvariable x, y, s\nequation\n  x' = 1\n  y^3 - 3*y + x = 0\n"
                 "  s' = y\nstart x = 0, s = 0, y ~ -2\nsolve t = 0 .. 3\noutput x, y\n");
    CHECK(run_go(r, &o) && is_implicit(r));
    double y = run_last(r, "y");
    CHECK(y < -2);
    CHECK_NEAR(y * y * y - 3 * y + 3, 0, 1e-13);
    run_free(r);
  }
}

/* ---- branches that cross ---- */

typedef struct crossing_model {
  const char *equations, *start;
  double end, at, last; /* where the branches cross; y at the end on the branch of the start */
} crossing_model;

/* The run stops where another branch crosses its own; with 'singular through' it follows its own. */
static void check_crossing(const crossing_model *m, const char *method) {
  char text[500];
  snprintf(text, sizeof text,
           "model branches\nvariable x, y\nequation\n%sstart %s\nsolve t = 0 .. %.17g\n"
           "output x, y\n",
           m->equations, m->start, m->end);
  run *r = run_text(text);
  ritt_options o = run_options(method, 1e-8, m->end);
  run_try(r, &o);
  CHECK(r->status == RITT_STOPPED && says(r, "a singular point"));
  CHECK_NEAR(r->statistics.x, m->at, 2e-3);
  CHECK(run_get(r, r->rows - 1, "t") < m->at + 1e-6);
  run_free(r);

  r = run_text(text);
  o.singular = "through";
  CHECK(run_go(r, &o));
  CHECK_NEAR(run_last(r, "y"), m->last, 1e-6);
  run_free(r);
}

static void check_branches(void) {
  const double pi = acos(-1);
  const crossing_model model[] = {
      /* det T_w keeps its sign if y comes to the other branch */
      {"  x' = 1\n  (y - x)*(y + x - 2) = 0\n", "x = 0, y ~ 0", 2, 1, 2},
      {"  x' = 1\n  y*(y - x) = 0\n", "x = -1, y ~ -1", 3, 1, 2},
      {"  x' = 1\n  (y - sin(x))*(y - cos(x)) = 0\n", "x = 0, y ~ 0", 3, pi / 4, sin(3)},
      {"  x' = y\n  (y - sin(t) - 2)*(y - cos(t) - 2) = 0\n", "x = 0, y ~ 3", 3, pi / 4,
       2 + cos(3)},
  };
  static const char *const method[] = {"dop853", "dopri54", "radau5"};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 4; k++) check_crossing(&model[k], method[i]);
}

int main(void) {
  check_closed_form();
  check_start();
  check_titration();
  check_heat("200");
  check_heat("1000");
  check_errors_of_w();
  check_switch();
  for (double saturation = 1e-15; saturation < 2e-6; saturation *= 1000) check_bridge(saturation);
  check_folds();
  check_branches();
  return CHECKS_DONE();
}
