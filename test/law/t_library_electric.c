/* The library `electric`: each component in a circuit whose solution is a formula. */
#include "library.h"

static run *run_circuit(const char *sections) { return run_parts("electric", sections); }

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

/* A ladder filter without a ground has the voltages of the one with a ground, also with small capacitances, which
 * do not get lost where the potentials of least norm are found. */
static void test_floating_ladder(void) {
  static const char ladder[] =
      "parameter n = 8\n"
      "part U: sine_voltage(U = 1, w = 2e6), Rs: resistor(R = 50), L[1..n]: inductor(L = 1e-5)\n"
      "  C[k in 1..n]: capacitor(C = 1e-9*(1 + k/10)), load: resistor(R = 75)%s\n"
      "connect\n  U.p, Rs.p\n  Rs.n, L[1].p\n"
      "  for k in 1..n: L[k].n, C[k].p\n  for k in 1..n-1: C[k].p, L[k+1].p\n  C[n].p, load.p\n"
      "  for k in 1..n: C[k].n, U.n\n  load.n, U.n%s\n"
      "start\n  for k in 1..n: L[k].i = 0, C[k].v = 0\n"
      "solve t = 0 .. 1e-5%s\noutput load.v, i = 100*L[1].i\n";
  char text[2000];
  snprintf(text, sizeof text, ladder, ", Z: ground", ", Z.p", "");
  run *grounded = run_circuit(text);
  for (int k = 0; k < 2; k++) {
    snprintf(text, sizeof text, ladder, "", "", k ? "\n  method taylor:12" : "");
    run *floating = run_circuit(text);
    expect(floating, "load.v", run_last(grounded, "load.v"));
    expect(floating, "i", run_last(grounded, "i"));
    run_free(floating);
  }
  run_free(grounded);
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

/* A transformer with the ratio 3 and a load. */
static void test_transformer(void) {
  run *r = run_circuit("part U: sine_voltage(U = 3, w = 2), T: transformer(ratio = 3)\n"
                       "  R: resistor(R = 5), Z: ground\n"
                       "connect\n  U.p, T.p1\n  U.n, T.n1, Z.p, T.n2, R.n\n  T.p2, R.p\n"
                       "solve t = 0 .. 2\n"
                       "output R.v, U.i\n");
  expect(r, "R.v", sin(4));
  expect(r, "U.i", -sin(4) / 15);
  run_free(r);
}

/* Perfectly coupled coils, 2 H and 8 H: the voltage is doubled, and 2*(i1 + 2*i2)' = 3*cos(2*t). */
static void test_coupled(void) {
  run *r =
      run_circuit("part U: sine_voltage(U = 3, w = 2, phase = pi/2)\n"
                  "  T: coupled_inductors(L1 = 2, L2 = 8, k = 1), R: resistor(R = 5), Z: ground\n"
                  "connect\n  U.p, T.p1\n  U.n, T.n1, Z.p, T.n2, R.n\n  T.p2, R.p\n"
                  "start T.i1 = 0\n"
                  "solve t = 0 .. 2\n"
                  "output R.v, T.i1\n");
  expect(r, "R.v", 6 * cos(4));
  expect(r, "T.i1", 0.75 * sin(4) + 2.4 * cos(4) - 2.4);
  run_free(r);
}

/* An integrator with an amplifier: the output is -U*t/(R*C). */
static void test_opamp(void) {
  run *r = run_circuit("part U: voltage_source(U = 3), A: opamp, R: resistor(R = 5)\n"
                       "  C: capacitor(C = 0.1), Z: ground, M: meter\n"
                       "connect\n  U.p, M.p\n  M.n, R.p\n  R.n, A.minus, C.p\n  A.out, C.n\n"
                       "  A.plus, Z.p, U.n\n"
                       "start C.v = 0\n"
                       "solve t = 0 .. 2\n"
                       "output A.out.v, M.i\n");
  expect(r, "A.out.v", -12);
  expect(r, "M.i", 0.6);
  run_free(r);
}

/* Transistors as amplifiers at rest: the collector's current is bf times that of the base, the
 * drain's is K/2*(vgs - Vth)^2. The capacitors are charged within microseconds. */
static void test_transistors(void) {
  run *r = run_circuit(
      "part U: voltage_source(U = 5), B: current_source(I = -1e-5), Q: npn, R: resistor(R = 1000)\n"
      "  C: capacitor(C = 1e-9), G: voltage_source(U = 2), M: nmos, S: resistor(R = 1000)\n"
      "  D: capacitor(C = 1e-9), H: voltage_source(U = 3), N: pmos, T: resistor(R = 1000)\n"
      "  E: capacitor(C = 1e-9), F: current_source(I = 1e-5), P: pnp, V: resistor(R = 1000)\n"
      "  K: capacitor(C = 1e-9), Z: ground\n"
      "connect\n  U.p, R.p, S.p, N.source, P.e\n  R.n, Q.c, C.p\n  B.p, Q.b\n  S.n, M.drain, D.p\n"
      "  G.p, M.gate\n  H.p, N.gate\n  N.drain, T.p, E.p\n  F.p, P.b\n  P.c, V.p, K.p\n"
      "  Q.e, Z.p, U.n, B.n, C.n, M.source, G.n, D.n, H.n, T.n, E.n, F.n, V.n, K.n\n"
      "start C.v = 5, D.v = 5, E.v = 0, K.v = 0\n"
      "  Q.b.v ~ 0.6, P.b.v ~ 4.4\n"
      "solve t = 0 .. 1e-4\n  absolute 1e-9\n"
      "output npn = Q.c.v, nmos = M.drain.v, pmos = N.drain.v, pnp = P.c.v\n");
  expect(r, "npn", 4);
  expect(r, "nmos", 4.5);
  expect(r, "pmos", 0.5);
  expect(r, "pnp", 1);
  run_free(r);
}

/* A switch is closed for a second; first with a resistance of its own, then ideal. */
static void test_switch(void) {
  run *r = run_circuit("part U: voltage_source(U = 5), S: switch(on = 1, off = 2, Ron = 1)\n"
                       "  R: resistor(R = 1), C: capacitor(C = 1), Z: ground\n"
                       "  T: switch(on = 1, off = 2), Q: resistor(R = 1), D: capacitor(C = 1)\n"
                       "connect\n  U.p, S.p, T.p\n  S.n, R.p\n  R.n, C.p\n  T.n, Q.p\n  Q.n, D.p\n"
                       "  C.n, D.n, U.n, Z.p\n"
                       "start C.v = 0, D.v = 0\n"
                       "solve t = 0 .. 3\n"
                       "output C.v, D.v\n");
  expect(r, "C.v", 5 * (1 - exp(-0.5)));
  expect(r, "D.v", 5 * (1 - exp(-1)));
  run_free(r);
}

/* A sinusoidal current charges a capacitor. */
static void test_current(void) {
  run *r = run_circuit("part I: current_sine(I = 2, w = 3), C: capacitor(C = 0.5), Z: ground\n"
                       "connect\n  I.n, C.p\n  I.p, C.n, Z.p\n"
                       "start C.v = 0\n"
                       "solve t = 0 .. 2\n"
                       "output C.v\n");
  expect(r, "C.v", 4 * (1 - cos(6)) / 3);
  run_free(r);
}

int main(void) {
  test_transformer();
  test_coupled();
  test_opamp();
  test_transistors();
  test_switch();
  test_current();
  test_capacitor();
  test_floating();
  test_floating_ladder();
  test_inductor();
  test_sine();
  test_diode();
  return CHECKS_DONE();
}
