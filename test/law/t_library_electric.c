/* The library `electric`: each component in a circuit whose solution is a formula. */
#include "run.h"

/* Runs a circuit of the library to its end with a small tolerance. */
static run *run_circuit(const char *sections) {
  char text[4000];
  ritt_options o = ritt_options_default();
  o.tolerance = 1e-11;
  snprintf(text, sizeof text, "model circuit\ninclude <electric>\n%s", sections);
  run *r = run_text(text);
  run_go(r, &o);
  return r;
}

static void expect(const run *r, const char *name, double value) {
  double got = run_last(r, name);
  bool near = fabs(got - value) <= 1e-8 * fmax(1, fabs(value));
  if (!near) printf("%s = %.16g, not %.16g\n", name, got, value);
  CHECK(near);
}

/* A capacitor is charged through a resistor: v = U*(1 - exp(-t/(R*C))). */
static void test_capacitor(void) {
  run *r = run_circuit("part B: voltage_source(U = 5), R: resistor(R = 1000)\n"
                       "  C: capacitor(C = 1e-6), zero: ground\n"
                       "connect\n  B.p, R.p\n  R.n, C.p\n  C.n, B.n, zero.p\n"
                       "start C.v = 0\n"
                       "solve t = 0 .. 0.003\n"
                       "output C.v, C.i, i = B.i*1000, zero.p.i\n");
  expect(r, "C.v", 5 * (1 - exp(-3.0)));
  expect(r, "C.i", 5e-3 * exp(-3.0));
  expect(r, "i", -5 * exp(-3.0));
  expect(r, "zero.p.i", 0);
  run_free(r);
}

/* The same without a ground: no voltage changes. */
static void test_floating(void) {
  run *r = run_circuit("part B: voltage_source(U = 5), R: resistor(R = 1000)\n"
                       "  C: capacitor(C = 1e-6)\n"
                       "connect\n  B.p, R.p\n  R.n, C.p\n  C.n, B.n\n"
                       "start C.v = 0\n"
                       "solve t = 0 .. 0.003\n"
                       "output C.v, R.v\n");
  expect(r, "C.v", 5 * (1 - exp(-3.0)));
  expect(r, "R.v", 5 * exp(-3.0));
  run_free(r);
}

/* An oscillating circuit: v = U*cos(w*t), i = C*v', w = 1/sqrt(L*C). */
static void test_inductor(void) {
  run *r = run_circuit("part L: inductor(L = 2), C: capacitor(C = 0.5), zero: ground\n"
                       "connect\n  L.p, C.p\n  L.n, C.n, zero.p\n"
                       "start C.v = 3, L.i = 0\n"
                       "solve t = 0 .. 10\n"
                       "output C.v, L.i\n");
  expect(r, "C.v", 3 * cos(10.0));
  expect(r, "L.i", 1.5 * sin(10.0));
  run_free(r);
}

/* A coil on a sinusoidal voltage: L*i' + R*i = U*sin(w*t + phase) + U0 from i = 0. */
static void test_sine(void) {
  run *r =
      run_circuit("part S: sine_voltage(U = 2, w = 3, phase = 0.5, U0 = 1), R: conductor(G = 0.5)\n"
                  "  L: inductor(L = 1), zero: ground\n"
                  "connect\n  S.p, R.p\n  R.n, L.p\n  L.n, S.n, zero.p\n"
                  "start L.i = 0\n"
                  "solve t = 0 .. 4\n"
                  "output L.i\n");
  /* the particular solution for R = 2, L = 1: (2*(2*sin - 3*cos))/(4 + 9) + 1/2 */
  double at = 2 * (2 * sin(3 * 4 + 0.5) - 3 * cos(3 * 4 + 0.5)) / 13 + 0.5;
  double first = 2 * (2 * sin(0.5) - 3 * cos(0.5)) / 13 + 0.5;
  expect(r, "L.i", at - first * exp(-2.0 * 4));
  run_free(r);
}

/* A constant current through a diode: v = Vt*log(1 + I/Is), which the capacitor beside it keeps. */
static void test_diode(void) {
  run *r = run_circuit("part I: current_source(I = 1e-3), D: diode(Is = 1e-9, Vt = 0.05)\n"
                       "  C: capacitor(C = 1), zero: ground\n"
                       "connect\n  I.n, D.p, C.p\n  I.p, D.n, C.n, zero.p\n"
                       "start C.v = 0.05*log(1 + 1e6)\n"
                       "solve t = 0 .. 10\n"
                       "output D.v, D.i\n");
  expect(r, "D.v", 0.05 * log1p(1e6));
  expect(r, "D.i", 1e-3);
  run_free(r);
}

int main(void) {
  test_capacitor();
  test_floating();
  test_inductor();
  test_sine();
  test_diode();
  return CHECKS_DONE();
}
