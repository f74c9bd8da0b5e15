/* The library `planar`: each component in a model whose solution is a formula. */
#include "library.h"

/* Atwood's machine: the acceleration is g*(m1 - m2)/(m1 + m2), the tension 2*g*m1*m2/(m1 + m2). */
static void test_pulley(void) {
  run *r =
      run_parts("planar", "part a: body(m = 2, J = 1), b: body(m = 1, J = 1), rope: pulley(L = 3)\n"
                          "connect\n"
                          "  a.c, rope.a\n"
                          "  b.c, rope.b\n"
                          "start a.x = 0, a.y = -1, a.phi = 0, b.x = 0, b.y ~ -2, b.phi = 0\n"
                          "  a.x' = 0, a.y' = 0, b.x' = 0, a.phi' = 0, b.phi' = 0\n"
                          "solve t = 0 .. 0.5\n"
                          "output a.y, b.y, rope.S\n");
  expect(r, "a.y", -1 - 9.81 / 3 * 0.125);
  expect(r, "b.y", -2 + 9.81 / 3 * 0.125);
  expect(r, "rope.S", -4 * 9.81 / 3);
  run_free(r);
}

/* Two wheels in gear: (Ja + Jb*(ra/rb)^2)*phi'' = tau. */
static void test_gear(void) {
  run *r = run_parts(
      "planar", "part G: ground, H: ground(X = 3), a: body(m = 2, J = 1.5), b: body(m = 1, J = 4)\n"
                "  A: revolute, B: revolute, T: torque(tau = 2), Z: gear(ra = 1, rb = 2)\n"
                "connect\n"
                "  G.f, A.a, Z.carrier, T.a\n"
                "  H.f, B.a\n"
                "  A.b, a.c, Z.a, T.b\n"
                "  B.b, b.c, Z.b\n"
                "start a.phi = 0, b.phi = 0, a.phi' = 0\n"
                "solve t = 0 .. 2\n"
                "output a.phi, b.phi\n");
  expect(r, "a.phi", 2 / 2.5 * 2);
  expect(r, "b.phi", -2 / 2.5);
  run_free(r);
}

/* A cam at constant speed lifts a slider: its height and the forces are formulas. */
static void test_cam(void) {
  run *r = run_parts(
      "planar",
      "part G: ground, a: body(m = 2, J = 1.5), b: body(m = 1, J = 4)\n"
      "  A: revolute, M: motor(w = 3), Z: cam(R = 1, e = 0.3), P: prismatic(alpha = pi/2)\n"
      "connect\n"
      "  G.f, A.a, M.a, P.a\n"
      "  A.b, a.c, M.b, Z.a\n"
      "  b.c, P.b, Z.b\n"
      "start b.y ~ 1\n"
      "solve t = 0 .. 2\n"
      "output a.phi, b.y, Z.N, M.M\n");
  expect(r, "a.phi", 6);
  expect(r, "b.y", 1 + 0.3 * sin(6));
  expect(r, "Z.N", 9.81 - 2.7 * sin(6));
  expect(r, "M.M", (9.81 - 2.7 * sin(6)) * 0.3 * cos(6));
  run_free(r);
}

/* A wheel is drawn along a line: (m + J/r^2)*x'' = F. */
static void test_wheel(void) {
  run *r = run_parts("planar", "part a: body(m = 2, J = 1.5), W: wheel(r = 0.5), F: force(Fx = 3)\n"
                               "connect a.c, W.a, F.a\n"
                               "start a.x = 0, a.phi = 0, a.x' = 0\n"
                               "solve t = 0 .. 2\n"
                               "output a.x, a.phi, W.N, W.T\n");
  expect(r, "a.x", 0.75);
  expect(r, "a.phi", -1.5);
  expect(r, "W.N", 19.62);
  expect(r, "W.T", -2.25);
  run_free(r);
}

/* A motor brings a wheel up to speed: w = w0*(1 - exp(-tau0*t/(J*w0))). */
static void test_dc_motor(void) {
  run *r = run_parts(
      "planar",
      "part G: ground, a: body(m = 2, J = 1.5), A: revolute, M: dc_motor(tau0 = 3, w0 = 10)\n"
      "connect\n"
      "  G.f, A.a, M.a\n"
      "  A.b, a.c, M.b\n"
      "start a.phi = 0, a.phi' = 0\n"
      "solve t = 0 .. 2\n"
      "output a.phi, w = a.phi'\n");
  expect(r, "w", 10 * (1 - exp(-0.4)));
  expect(r, "a.phi", 20 - 50 * (1 - exp(-0.4)));
  run_free(r);
}

/* A slider on a spring with a damper. */
static void test_spring(void) {
  run *r = run_parts(
      "planar",
      "part G: ground, a: body(m = 2, J = 1.5), P: prismatic, S: spring(k = 8, d = 1, L0 = 1)\n"
      "connect\n"
      "  G.f, P.a, S.a\n"
      "  P.b, a.c, S.b\n"
      "start a.x = 1.5, a.x' = 0\n"
      "solve t = 0 .. 2\n"
      "output a.x\n");
  expect(r, "a.x",
         1 + 0.5 * exp(-0.5) *
                 (cos(2 * sqrt(3.9375)) + 0.25 / sqrt(3.9375) * sin(2 * sqrt(3.9375))));
  run_free(r);
}

/* A bar with its ends in two slots across each other: without weight its angle grows steadily. */
static void test_slot(void) {
  run *r = run_parts(
      "planar",
      "part G: ground, a: bar(L = 2, m = 3), X: slot, Y: slot(alpha = pi/2), W: force(Fy = 3*g)\n"
      "connect\n"
      "  G.f, X.a, Y.a\n"
      "  X.b, a.a\n"
      "  Y.b, a.b\n"
      "  a.c, W.a\n"
      "start a.phi = 2, a.phi' = 0.7, a.x ~ 0.4, a.y ~ 0.9\n"
      "solve t = 0 .. 2\n"
      "output a.phi, a.x\n");
  expect(r, "a.phi", 3.4);
  expect(r, "a.x", -cos(3.4));
  run_free(r);
}

/* A wheel on a torsion spring. */
static void test_torsion_spring(void) {
  run *r = run_parts(
      "planar",
      "part G: ground, a: body(m = 2, J = 1.5), A: revolute, B: torsion_spring(k = 6, phi0 = 0.2)\n"
      "connect\n"
      "  G.f, A.a, B.a\n"
      "  A.b, a.c, B.b\n"
      "start a.phi = 0.5, a.phi' = 0\n"
      "solve t = 0 .. 2\n"
      "output a.phi\n");
  expect(r, "a.phi", 0.2 + 0.3 * cos(4));
  run_free(r);
}

/* A bar that a motor turns at constant speed, with a force on a point beside it. */
static void test_arm(void) {
  run *r = run_parts(
      "planar", "part G: ground, b: bar(L = 2, m = 3), A: revolute, M: motor(w = 2, phi0 = 0.3)\n"
                "  E: arm(dx = 0.4, dy = 0.3), F: force(Fx = 5)\n"
                "connect\n"
                "  G.f, A.a, M.a\n"
                "  A.b, b.a, M.b\n"
                "  b.c, E.a\n"
                "  E.b, F.a\n"
                "solve t = 0 .. 2\n"
                "output b.phi, M.M, A.Fx, A.Fy\n");
  expect(r, "b.phi", 4.3);
  expect(r, "M.M", 3 * 9.81 * cos(4.3) + 5 * (1.4 * sin(4.3) + 0.3 * cos(4.3)));
  expect(r, "A.Fx", -12 * cos(4.3) - 5);
  expect(r, "A.Fy", -12 * sin(4.3) + 3 * 9.81);
  run_free(r);
}

/* A pendulum swings for half its period, 2*K(sin(1/2)^2)*sqrt(L/g), to the other side. */
static void test_rod(void) {
  run *r =
      run_parts("planar", "part G: ground, b: body(m = 2, J = 1.5), A: rod(L = 1.5)\n"
                          "connect\n"
                          "  G.f, A.a\n"
                          "  A.b, b.c\n"
                          "start b.x = 1.5*sin(1), b.y ~ -0.8, b.x' = 0, b.phi = 0, b.phi' = 1\n"
                          "solve t = 0 .. 1.30994890274258\n"
                          "output b.x, b.y\n");
  expect(r, "b.x", -1.5 * sin(1));
  expect(r, "b.y", -1.5 * cos(1));
  run_free(r);
}

/* A cantilever of two bars that are welded: the force and the torque at the wall and between the bars. A slider that
 * an actuator pushes with a force that grows with time, and the pins of a link at rest. */
static void test_fixed(void) {
  run *r = run_parts(
      "planar",
      "part G: ground, A: bar(L = 2, m = 3), B: bar(L = 1, m = 5), W: fixed, V: fixed\n"
      "  S: body(m = 2, J = 1), P: prismatic, F: actuator(F = 6*t), H: ground(X = 10)\n"
      "  K: link(m = 1, J = 0.5, ax = -1, ay = 2, bx = 3, by = 1), Q: fixed, N: revolute, M: ground(X = 4, Y = -1)\n"
      "connect\n"
      "  G.f, W.a, P.a, F.a, Q.a\n"
      "  W.b, A.a\n"
      "  A.b, V.a\n"
      "  V.b, B.a\n"
      "  S.c, P.b, F.b\n"
      "  K.a, Q.b\n"
      "  K.b, N.a\n"
      "  N.b, M.f\n"
      "start S.x = 1, S.x' = 0\n"
      "solve t = 0 .. 2\n"
      "output W.Fy, W.M, V.Fy, V.M, S.x, K.x, K.y\n");
  expect(r, "W.Fy", 8 * 9.81);
  expect(r, "W.M", (3 + 5 * 2.5) * 9.81);
  expect(r, "V.Fy", 5 * 9.81);
  expect(r, "V.M", 2.5 * 9.81);
  expect(r, "S.x", 5);
  expect(r, "K.x", 1);
  expect(r, "K.y", -2);
  run_free(r);
}

int main(void) {
  test_fixed();
  test_pulley();
  test_gear();
  test_cam();
  test_wheel();
  test_dc_motor();
  test_spring();
  test_slot();
  test_torsion_spring();
  test_arm();
  test_rod();
  return CHECKS_DONE();
}
