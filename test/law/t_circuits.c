/* Circuits with diodes against references that do not use the library: the same circuit reduced by hand to few
 * unknowns, integrated by the implicit Euler rule with extrapolation in the step. */
#include "run.h"

/* ---- a bridge rectifier behind an inductance ----
 *
 * Four equal diodes, i = Is (exp(v/VT) - 1): by symmetry va + vb = vp, and with u = va - vb
 *
 *     i = 2 Is exp(-vp/(2 VT)) sinh(u/(2 VT)),
 *     Ls i' = Vs sin(2 pi f t) - Rs i - u,
 *     C vp' = 2 Is (sqrt(exp(-vp/VT) + (i/(2 Is))^2) - 1) - vp/RL.
 *
 * While all diodes block, i is as small as 1e-80 and does not determine u to any useful accuracy; the equations
 * for i' do. */

static const double RS = 1, LS = 1e-4, CAPACITY = 1e-3, RL = 100, VT = 0.02585, SOURCE = 10,
                    END = 0.025;

/* The zero s of (LS/h + RS) i(s) + 2 VT s = right, which rises. */
static double find_voltage(double scale, double factor, double right, double s) {
  double low = -600, high = 600;
  for (int k = 0; k < 200; k++) {
    double f = factor * scale * sinh(s) + 2 * VT * s - right,
           slope = factor * scale * cosh(s) + 2 * VT;
    if (f < 0) low = s;
    else high = s;
    double next = s - f / slope;
    if (!(next > low && next < high) || k % 8 == 7) next = low + (high - low) / 2;
    if (fabs(next - s) <= 1e-14 * (1 + fabs(s))) return next;
    s = next;
  }
  return s;
}

static double bridge_by_euler(double saturation, int steps) {
  double h = END / steps, v = 0, i = 0, s = 0;
  for (int k = 1; k <= steps; k++) {
    double source = SOURCE * sin(2 * acos(-1) * 50 * k * h), next = v, current = i;
    for (int turn = 0; turn < 4; turn++) {
      double scale = 2 * saturation * exp(-next / (2 * VT));
      s = find_voltage(scale, LS / h + RS, LS / h * i + source, s);
      current = scale * sinh(s);
      double charge =
          2 * saturation * (hypot(exp(-next / (2 * VT)), current / (2 * saturation)) - 1);
      next = (v + h / CAPACITY * charge) / (1 + h / (CAPACITY * RL));
    }
    v = next;
    i = current;
  }
  return v;
}

static void check_bridge(double saturation) {
  double a = bridge_by_euler(saturation, 6000), b = bridge_by_euler(saturation, 12000),
         c = bridge_by_euler(saturation, 24000);
  double ab = 2 * b - a, bc = 2 * c - b, v = (4 * bc - ab) / 3;
  CHECK_NEAR(bc, v, 1e-5 * v);
  char text[900];
  snprintf(
      text, sizeof text,
      "model bridge\nparameter Is = %g, VT = 0.02585, Rs = 1, Ls = 1e-4, C = 1e-3, Rl = 100\n"
      "variable va, vb, vp, i\nfunction diode(v) = Is*(exp(v/VT) - 1)\n"
      "let i1 = diode(va - vp), i2 = diode(vb - vp), i3 = diode(-va), i4 = diode(-vb)\nequation\n"
      "  Ls*i' + Rs*i + va - vb = 10*sin(100*pi*t)\n  i + i3 = i1\n  i4 = i + i2\n"
      "  C*vp' + vp/Rl = i1 + i2\nstart i = 0, vp = 0\nsolve t = 0 .. 0.025\n  rows 101\n"
      "output vp, i, u = va - vb, vs = 10*sin(100*pi*t)\n",
      saturation);
  static const char *const method[] = {"radau5", "radau"};
  for (int k = 0; k < 2; k++) {
    run *r = run_text(text);
    ritt_options o = run_options(method[k], 1e-7, END);
    CHECK(run_go(r, &o) && !strcmp(r->statistics.kind, "implicit"));
    CHECK(r->rows == 101);
    CHECK_NEAR(run_last(r, "vp"), v, 3e-5 * v);
    for (size_t j = 0; j < r->rows; j++)
      if (fabs(run_get(r, j, "vs")) < run_get(r, j, "vp") - 1 && fabs(run_get(r, j, "i")) < 1e-20)
        CHECK_NEAR(run_get(r, j, "u"), run_get(r, j, "vs"), 1e-4); /* all diodes block */
    run_free(r);
  }
}

/* ---- a flash drum: the vapour part V is the median of V, the Rachford-Rice residual and V - 1 ----
 *
 * Below the boiling point V = 0, above the dew point V = 1, between them V = (2.1 z - 0.6)/0.9 for K = 2.5, 0.4. */

static void check_flash(const char *method) {
  run *r =
      run_text("model flash\nparameter K1 = 2.5, K2 = 0.4\nvariable z, V, x1, x2\n"
               "function mid(a, b, c) = max(min(a, b), min(max(a, b), c))\nequation\n  z' = 0.05\n"
               "  x1 = z/(1 + V*(K1 - 1))\n  x2 = (1 - z)/(1 + V*(K2 - 1))\n"
               "  mid(V, x1 + x2 - K1*x1 - K2*x2, V - 1) = 0\nstart z = 0.1, V ~ 0\n"
               "solve t = 0 .. 17\n  rows 18\noutput V, x1, x2\n");
  ritt_options o = run_options(method, 1e-8, 17);
  CHECK(run_go(r, &o) && r->rows == 18);
  for (size_t i = 0; i < r->rows; i++) {
    double z = 0.1 + 0.05 * run_get(r, i, "t"), V = fmin(1, fmax(0, (2.1 * z - 0.6) / 0.9));
    CHECK_NEAR(run_get(r, i, "V"), V, 1e-9);
    CHECK_NEAR(run_get(r, i, "x1"), z / (1 + 1.5 * V), 1e-9);
    CHECK_NEAR(run_get(r, i, "x2"), (1 - z) / (1 - 0.6 * V), 1e-9);
  }
  run_free(r);
}

/* ---- a node between a resistor, a transistor that conducts from v = -1 on, and a capacitor ---- */

/* The state and the algebraic unknown are 0 to rounding for a while; explicit and implicit methods agree. */
static void check_waking(void) {
  static const char *const method[] = {"dopri54", "radau5", "radau", "gauss4"};
  double end[4];
  for (int i = 0; i < 4; i++) {
    run *r = run_text(
        "model m\nvariable a, b, c, d\nequation\n"
        "  (a - 11*sin(700*t))/900 + a/2e5 - 1e-4*max(d - a - 1, 0)^2 = 0\n"
        "  b/2700 + (b - c)/3200 = 0\n  (c - b)/3200 + (c - d)/160 + 1e-4*max(d - a - 1, 0)^2 = 0\n"
        "  4e-7*d' + (d - c)/160 + d/2e4 = 0\nstart d = 0\nsolve t = 0 .. 0.008\noutput c, d\n");
    ritt_options o = run_options(method[i], 1e-9, 0.008);
    CHECK(run_go(r, &o) && !strcmp(r->statistics.kind, "implicit"));
    end[i] = run_last(r, "d");
    CHECK(end[i] < -0.1);
    CHECK_NEAR(end[i], end[0], 1e-6);
    run_free(r);
  }
}

/* ---- a ring of four diodes, driven across one diagonal and loaded across the other ----
 *
 * The diodes lead from 1 to 2, 2 to 3, 3 to 4, 4 to 1. Node 3 is ground, a source with a resistance drives node 1, a capacitor
 * and a resistor lie between nodes 2 and 4. With u = v2 - v4 known, v4 follows from v1 by the current through the
 * capacitor, which leaves node 2 as it enters node 4, and v1 by that of the source. Both functions fall, so that they
 * are solved by bisection, one inside the other. */

static const double IS = 1e-9, RG = 50, CR = 1e-6, RR = 2000, RING_END = 2e-3;

static double diode(double v) { return IS * (exp(v / VT) - 1); }

static double ring_source(double t) { return 2 * sin(2 * acos(-1) * 1000 * t); }
static double ring_signal(double t) { return 1e-3 * cos(2 * acos(-1) * 300 * t); }

/* What enters nodes 2 and 4 together. */
static double find_v4(double u, double v1) {
  double low = -3, high = 3;
  for (int k = 0; k < 60; k++) {
    double v4 = low + (high - low) / 2;
    double sum = diode(v1 - v4 - u) - diode(v4 + u) + diode(-v4) - diode(v4 - v1);
    if (sum > 0) low = v4;
    else high = v4;
  }
  return low;
}

/* u' */
static double ring_rate(double t, double u) {
  double low = -3, high = 3, v4 = 0;
  for (int k = 0; k < 60; k++) {
    double v1 = low + (high - low) / 2;
    v4 = find_v4(u, v1);
    double enters = (ring_source(t) - v1) / RG - diode(v1 - v4 - u) + diode(v4 - v1);
    if (enters > 0) low = v1;
    else high = v1;
  }
  return (diode(low - v4 - u) - diode(v4 + u) + ring_signal(t) - u / RR) / CR;
}

/* The classical method of order 4. */
static double ring_by_steps(int steps) {
  double h = RING_END / steps, u = 0;
  for (int i = 0; i < steps; i++) {
    double t = i * h, a = ring_rate(t, u), b = ring_rate(t + h / 2, u + h / 2 * a),
           c = ring_rate(t + h / 2, u + h / 2 * b), d = ring_rate(t + h, u + h * c);
    u += h / 6 * (a + 2 * b + 2 * c + d);
  }
  return u;
}

static void check_ring(const char *method) {
  double coarse = ring_by_steps(400), fine = ring_by_steps(800);
  CHECK_NEAR(coarse, fine, 1e-5);
  run *r = run_text(
      "model ring\nparameter Is = 1e-9, VT = 0.02585, Rg = 50, C = 1e-6, R = 2000\nvariable a, b, d\n"
      "function diode(v) = Is*(exp(v/VT) - 1)\n"
      "let i = C*(b' - d') + (b - d)/R - 1e-3*cos(600*pi*t)\nequation\n"
      "  (2*sin(2000*pi*t) - a)/Rg + diode(d - a) = diode(a - b)\n  diode(a - b) - diode(b) = i\n"
      "  diode(-d) - diode(d - a) = -i\nstart b ~ 0, d ~ 0\nsolve t = 0 .. 2e-3\n"
      "output u = b - d, a\n");
  ritt_options o = run_options(method, 1e-9, RING_END);
  CHECK(run_go(r, &o) && !strcmp(r->statistics.kind, "implicit"));
  CHECK_NEAR(run_last(r, "u"), fine + (fine - coarse) / 15, 2e-6);
  run_free(r);
}

int main(void) {
  static const double saturation[] = {1e-15, 1e-12, 1e-9, 1e-6};
  for (int i = 0; i < 4; i++) check_bridge(saturation[i]);
  check_flash("dopri54");
  check_flash("radau5");
  check_waking();
  check_ring("dop853");
  check_ring("radau5");
  return CHECKS_DONE();
}
