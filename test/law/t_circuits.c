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

int main(void) {
  static const double saturation[] = {1e-15, 1e-12, 1e-9, 1e-6};
  for (int i = 0; i < 4; i++) check_bridge(saturation[i]);
  return CHECKS_DONE();
}
