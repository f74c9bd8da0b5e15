/* The library `coupling`: each component between two fields, in a model whose solution is a formula. */
#include "library.h"

/* A machine without a load: J*w' = k*i, R*i = U - k*w, so that w = U/k*(1 - exp(-k^2*t/(R*J))). The bearing is
 * a body of the plane: its moment of inertia adds to that of the rotor. */
static void test_machine(void) {
  run *r = run_parts(
      "coupling",
      "include <electric>\n"
      "part U: voltage_source(U = 12), Z: ground, M: dc_machine(R = 2, k = 0.5), A: ammeter\n"
      "  V: voltmeter, J: inertia(J = 0.1), T: speedometer, G: integrator, H: integrator\n"
      "  W: planar.ground, P: planar.revolute, B: planar.body(m = 1, J = 0.15), X: axle\n"
      "connect\n"
      "  U.p, A.p, V.p\n"
      "  A.n, M.p\n"
      "  U.n, M.n, V.n, Z.p\n"
      "  M.shaft, J.a, T.a\n"
      "  J.b, X.shaft\n"
      "  W.f, P.a, X.a\n"
      "  P.b, X.b, B.c\n"
      "  A.y, G.u\n"
      "  T.y, H.u\n"
      "start J.phi = 0, J.phi' = 0, G.x = 0, H.x = 0\n"
      "solve t = 0 .. 3\n"
      "output w = B.phi', M.i, V.y.s, G.x, H.x\n");
  double decay = exp(-1.5);
  expect(r, "w", 24 * (1 - decay));
  expect(r, "M.i", 6 * decay);
  expect(r, "V.y.s", 12);
  expect(r, "G.x", 12 * (1 - decay));
  expect(r, "H.x", 72 - 48 * (1 - decay));
  run_free(r);
}

/* A resistor on a constant voltage heats a mass: with R = R0*(1 + alpha*(T - T0)) and x = T - T0 the equation
 * C*x'*(1 + alpha*x) = U^2/R0 has the solution x + alpha*x^2/2 = U^2*t/(R0*C). */
static void test_heat(void) {
  run *r = run_parts(
      "coupling",
      "include <electric>\n"
      "part U: controlled_voltage(k = 10), C: constant(k = 2), R: heated_resistor(R = 4, alpha = 0.01)\n"
      "  A: mass(C = 5), T: thermometer, Q: controlled_heat(k = 3), B: mass(C = 2), E: gain(k = 0.1)\n"
      "  I: controlled_current(k = 3), K: capacitor(C = 2)\n"
      "connect\n"
      "  U.p, R.p\n"
      "  U.n, R.n\n"
      "  C.y, U.u, I.u\n"
      "  I.n, K.p\n"
      "  I.p, K.n\n"
      "  R.h, A.p\n"
      "  A.p, T.p\n"
      "  T.y, E.u\n"
      "  E.y, Q.u\n"
      "  Q.p, B.p\n"
      "start A.T = 293.15, B.T = 300, K.v = 0\n"
      "solve t = 0 .. 2\n"
      "output A.T, B.T, K.v\n");
  /* 100*(sqrt(1 + 0.4*t) - 1), and its integral 500/3*((1 + 0.4*t)^1.5 - 1) - 100*t */
  expect(r, "A.T", 293.15 + 100 * (sqrt(1.8) - 1));
  expect(r, "B.T", 300 + 0.15 * (293.15 * 2 + 500.0 / 3 * (pow(1.8, 1.5) - 1) - 200));
  expect(r, "K.v", 6);
  run_free(r);
}

/* A weight of 500 kg sinks on a cylinder of 20 cm^2, whose oil leaves through a valve: m*y'' = A*p - m*g and
 * A*y' = -k*p. A torque that grows with time turns an inertia: w = k*t^2/(2*J). */
static void test_cylinder(void) {
  run *r = run_parts(
      "coupling",
      "include <hydraulic>\n"
      "part W: planar.ground, B: planar.body(m = 500, J = 1), P: planar.prismatic(alpha = pi/2)\n"
      "  C: cylinder(A = 2e-3), V: controlled_valve(k = 1e-9), O: open_end, M: gauge, S: constant(k = 1)\n"
      "  I: integrator, R: ramp, T: controlled_torque(k = 3), J: inertia(J = 2)\n"
      "connect\n"
      "  W.f, P.a, C.a\n"
      "  B.c, P.b, C.b\n"
      "  C.oil, V.a, M.a\n"
      "  V.b, O.a\n"
      "  S.y, V.u\n"
      "  M.y, I.u\n"
      "  R.y, T.u\n"
      "  T.a, J.a\n"
      "start B.y = 1, B.y' = 0, I.x = 0, J.phi = 0, J.phi' = 0\n"
      "solve t = 0 .. 0.5\n"
      "output B.y, C.oil.p, I.x, w = J.phi'\n");
  /* m*v' = -m*g - A^2/k*v: v = -v0*(1 - exp(-t/T)), T = m*k/A^2 = 0.125, v0 = g*T */
  double T = 0.125, v0 = 9.81 * T, decay = exp(-0.5 / T);
  double y = 1 - v0 * (0.5 - T * (1 - decay));
  expect(r, "B.y", y);
  expect(r, "C.oil.p", 2e6 * v0 * (1 - decay));
  expect(r, "I.x", 2e6 * (1 - y));
  expect(r, "w", 3 * 0.25 / 4);
  run_free(r);
}

int main(void) {
  test_machine();
  test_heat();
  test_cylinder();
  return CHECKS_DONE();
}
