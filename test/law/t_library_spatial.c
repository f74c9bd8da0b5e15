/* The library `spatial`: each component in a model whose solution is a formula. */
#include "library.h"

/* A symmetric body without torque: its axis of rotation goes round in the body with (Jz - Jx)/Jx*wz. */
static void test_body(void) {
  run *r = run_parts(
      "spatial",
      "part A: body(m = 1, J = [2, 2, 3])\n"
      "start A.r = [0, 0, 0], A.r' = [1, 0, 2], A.q = [1, 0, 0, 0], A.q' = [0, 0.15, 0, 0.5]\n"
      "solve t = 0 .. 2\n"
      "output A.r, A.w\n");
  expect(r, "A.r[1]", 2);
  expect(r, "A.r[3]", 4 - 2 * 9.81);
  expect(r, "A.w[1]", 0.3 * cos(1));
  expect(r, "A.w[2]", 0.3 * sin(1));
  expect(r, "A.w[3]", 1);
  run_free(r);
}

/* A rod on a hinge with a horizontal axis swings for half its period, 2*K*sqrt((J + m*l^2)/(m*g*l)). */
static void test_revolute(void) {
  run *r = run_parts(
      "spatial",
      "part G: ground, A: body(m = 3, J = [0, 1, 1]), P: arm(d = [-1, 0, 0]), H: revolute(n = [0, 1, 0])\n"
      "connect\n"
      "  G.f, H.a\n"
      "  H.b, P.b\n"
      "  P.a, A.c\n"
      "start A.r[1] = sin(1), A.r[3] ~ -0.5, A.q ~ [cos(0.3), 0, sin(0.3), 0], A.r[1]' = 0\n"
      "solve t = 0 .. 1.23503166951621\n"
      "output A.r\n");
  expect(r, "A.r[1]", -sin(1));
  expect(r, "A.r[3]", -cos(1));
  run_free(r);
}

/* The same rod as a bar, and a round one that a torque turns about its own axis: its moment of inertia is m*D^2/8. */
static void test_bar(void) {
  run *r = run_parts(
      "spatial",
      "part G: ground, A: bar(d = [2, 0, 0], m = 3), H: revolute(n = [0, 1, 0])\n"
      "  B: bar(d = [0, 0, 1], m = 2, D = 1), I: revolute, T: torque(tau = 0.5)\n"
      "connect\n"
      "  G.f, H.a, I.a, T.a\n"
      "  H.b, A.a\n"
      "  I.b, B.a, T.b\n"
      "start A.r[1] = sin(1), A.r[3] ~ -0.5, A.q ~ [cos(0.3), 0, sin(0.3), 0], A.r[1]' = 0\n"
      "  B.q[1] ~ 1, B.q[4] = 0, B.q[4]' = 0, B.r ~ [0, 0, 0.5]\n"
      "solve t = 0 .. 1.23503166951621\n"
      "output A.r, I.angle\n");
  expect(r, "A.r[1]", -sin(1));
  expect(r, "A.r[3]", -cos(1));
  expect(r, "I.angle", 1.23503166951621 * 1.23503166951621);
  run_free(r);
}

/* A wheel rolls straight on. */
static void test_wheel(void) {
  run *r = run_parts(
      "spatial",
      "part S: body(m = 1, J = [0.1, 0.2, 0.1]), W: wheel(R = 0.5)\n"
      "connect S.c, W.a\n"
      "start S.r = [0, 0, 0.5], S.r' = [1, 0, 0], S.q = [1, 0, 0, 0], S.q' = [0, 0, 1, 0]\n"
      "solve t = 0 .. 2\n"
      "output S.r, S.q, W.N\n");
  expect(r, "S.r[1]", 2);
  expect(r, "S.r[2]", 0);
  expect(r, "S.q[1]", cos(2));
  expect(r, "S.q[3]", sin(2));
  expect(r, "W.N", 9.81);
  run_free(r);
}

/* A body on a shaft turns steadily and swings on a spring. */
static void test_cylindrical(void) {
  run *r =
      run_parts("spatial",
                "part G: ground, A: body(m = 3, J = [1, 1, 1]), C: cylindrical, K: spring(k = 12)\n"
                "connect\n"
                "  G.f, C.a, K.a\n"
                "  A.c, C.b, K.b\n"
                "start A.r[3] = 1, A.r[3]' = 0, A.q[1] = 1, A.q[4]' = 0.35\n"
                "solve t = 0 .. 2\n"
                "output A.r, A.q\n");
  expect(r, "A.r[3]", (1 + 9.81 / 4) * cos(4) - 9.81 / 4);
  expect(r, "A.q[1]", cos(0.7));
  expect(r, "A.q[4]", sin(0.7));
  run_free(r);
}

/* A slider, a drive, a body in a plane and one on a Cardan joint, all without forces along their freedoms. */
static void test_others(void) {
  run *r = run_parts(
      "spatial",
      "part G: ground, A: body(m = 3, J = [1, 1, 1]), C: prismatic(n = [1, 1, 0]), M: motor(w = 2)\n"
      "  B: body(m = 1, J = [1, 1, 2]), P: planar, D: body(m = 1, J = [1, 1, 2]), U: universal, E: body(m = 1, J = [1, 1, 2])\n"
      "connect\n"
      "  G.f, C.a, M.a, P.a, U.a\n"
      "  A.c, C.b\n"
      "  M.b, B.c\n"
      "  P.b, D.c\n"
      "  U.b, E.c\n"
      "start A.r[1] = 1, A.r[1]' = 1, D.r[1] = 0, D.r[2] = 0, D.r[1]' = 2, D.r[2]' = 1, D.q[4] = 0, D.q[4]' = 0.5\n"
      "  E.q[2] = 0, E.q[3] = 0, E.q[2]' = 1, E.q[3]' = 0\n"
      "solve t = 0 .. 2\n"
      "output A.r, B.q, D.r, D.q, M.T, E.q\n");
  expect(r, "A.r[1]", 3);
  expect(r, "A.r[2]", 3);
  expect(r, "B.q[1]", cos(2));
  expect(r, "B.q[4]", sin(2));
  expect(r, "D.r[1]", 4);
  expect(r, "D.r[2]", 2);
  expect(r, "D.q[1]", cos(1));
  expect(r, "M.T", 0);
  expect(r, "E.q[2]", sin(2));
  run_free(r);
}

/* A door on two hinges has five conditions too many, and turns as on one. */
static void test_door(void) {
  run *r = run_parts(
      "spatial",
      "part leaf: body(m = 20, J = [6, 2, 4]), low: arm(d = [-0.5, 0, -0.8]), high: arm(d = [-0.5, 0, 0.8])\n"
      "  F1: ground(R = [0, 0, 0.2]), F2: ground(R = [0, 0, 1.8]), H1: revolute, H2: revolute\n"
      "connect\n"
      "  F1.f, H1.a\n"
      "  H1.b, low.b\n"
      "  F2.f, H2.a\n"
      "  H2.b, high.b\n"
      "  leaf.c, low.a, high.a\n"
      "start leaf.q = [1, 0, 0, 0], leaf.q[4]' = 0.5, leaf.r ~ [0.5, 0, 1]\n"
      "solve t = 0 .. 2\n"
      "output leaf.r, leaf.q\n");
  expect(r, "leaf.r[1]", 0.5 * cos(2));
  expect(r, "leaf.r[2]", 0.5 * sin(2));
  expect(r, "leaf.r[3]", 1);
  expect(r, "leaf.q[4]", sin(1));
  run_free(r);
}

/* A pendulum on a rod hangs still under its weight and a force. */
static void test_rod_and_force(void) {
  run *r = run_parts(
      "spatial",
      "part G: ground, A: body(m = 1, J = [1, 1, 1]), S: spherical, B: body(m = 1, J = [1, 1, 1])\n"
      "  R: rod(L = 2), F: force(F = [g, 0, 0])\n"
      "connect\n"
      "  G.f, R.a, S.a\n"
      "  S.b, B.c\n"
      "  R.b, A.c, F.a\n"
      "start A.r = [sqrt(2), 0, -sqrt(2)], A.r[1]' = 0, A.r[2]' = 0\n"
      "  A.q = [1, 0, 0, 0], A.q' = [0, 0, 0, 0.5], B.q = [1, 0, 0, 0], B.q' = [0, 0.5, 0, 0]\n"
      "solve t = 0 .. 2\n"
      "output A.r, R.S, B.q\n");
  expect(r, "A.r[1]", sqrt(2));
  expect(r, "A.r[3]", -sqrt(2));
  expect(r, "R.S", -sqrt(2) * 9.81);
  expect(r, "B.q[1]", cos(1));
  run_free(r);
}

/* Drives: a flywheel on a torque that grows with time, one on a torsion spring with a damper, a slider on an
 * actuator, and the force and torque of a weld that holds a body by an arm. */
static void test_drives(void) {
  run *r = run_parts(
      "spatial",
      "part G: ground, A: body(m = 1, J = [1, 1, 2]), H: revolute, T: torque(tau = 3*t)\n"
      "  B: body(m = 1, J = [1, 2, 1]), I: revolute(n = [0, 1, 0]), K: torsion_spring(n = [0, 1, 0], k = 8, d = 2)\n"
      "  S: body(m = 2, J = [1, 1, 1]), P: prismatic(n = [3, 4, 0]), F: actuator(F = 6*t)\n"
      "  C: body(m = 2, J = [1, 1, 1]), E: arm(d = [-1, 0, 0]), W: fixed\n"
      "connect\n"
      "  G.f, H.a, T.a, I.a, K.a, P.a, F.a, W.a\n"
      "  A.c, H.b, T.b\n"
      "  B.c, I.b, K.b\n"
      "  S.c, P.b, F.b\n"
      "  C.c, E.a\n"
      "  E.b, W.b\n"
      "start A.q[1] ~ 1, A.q[4] = 0, A.q[4]' = 0, B.q[1] ~ 1, B.q[3] = sin(0.25), B.q[3]' = 0\n"
      "  S.r[1] = 0.6, S.r[2] ~ 0.8, S.r[1]' = 0, C.r ~ [1, 0, 0]\n"
      "solve t = 0 .. 1.5\n"
      "output H.angle, K.angle, S.r, W.F\n");
  expect(r, "H.angle", 0.25 * 1.5 * 1.5 * 1.5);
  /* 2*x'' + 2*x' + 8*x = 0 from 0.5 at rest */
  double w = sqrt(3.75);
  expect(r, "K.angle", 0.5 * exp(-0.75) * (cos(1.5 * w) + 0.5 / w * sin(1.5 * w)));
  expect(r, "S.r[1]", 0.6 * (1 + 0.5 * 1.5 * 1.5 * 1.5));
  expect(r, "S.r[2]", 0.8 * (1 + 0.5 * 1.5 * 1.5 * 1.5));
  expect(r, "W.F[3]", 2 * 9.81);
  run_free(r);
}

int main(void) {
  test_bar();
  test_drives();
  test_body();
  test_revolute();
  test_wheel();
  test_cylindrical();
  test_others();
  test_door();
  test_rod_and_force();
  return CHECKS_DONE();
}
