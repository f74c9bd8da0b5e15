/* The library `rotational`: each component in a model whose solution is a formula. */
#include "library.h"

/* exp(-z t) (cos(w t) + z/w sin(w t)) at t = 2: the oscillation of test_spring */
static double swing(void) {
  double z = 0.5 / 2.4, w = sqrt(10 - z * z);
  return exp(-2 * z) * (cos(2 * w) + z / w * sin(2 * w));
}

/* Two inertias on a spring with a damper: the difference of the angles is a damped oscillation. */
static void test_spring(void) {
  run *r = run_parts("rotational",
                     "part A: inertia(J = 2), B: inertia(J = 3), S: spring(k = 12, d = 0.5)\n"
                     "connect\n"
                     "  A.b, S.a\n"
                     "  S.b, B.a\n"
                     "start A.phi = 1, A.phi' = 0, B.phi = 0, B.phi' = 0\n"
                     "solve t = 0 .. 2\n"
                     "output A.phi, B.phi\n");
  expect(r, "A.phi", 0.4 + 0.6 * swing());
  expect(r, "B.phi", 0.4 - 0.4 * swing());
  run_free(r);
}

/* A torque drives two wheels through a gear and a differential. */
static void test_gear(void) {
  run *r = run_parts(
      "rotational",
      "part M: torque(tau0 = 6), A: inertia(J = 2), G: gear(ratio = 3), B: inertia(J = 9)\n"
      "  D: differential, L: inertia(J = 1), R: inertia(J = 2)\n"
      "connect\n"
      "  M.a, A.a\n"
      "  A.b, G.a\n"
      "  G.b, B.a\n"
      "  B.b, D.a\n"
      "  D.b, L.a\n"
      "  D.c, R.a\n"
      "start B.phi = 0, B.phi' = 0, L.phi = 0, L.phi' = 0\n"
      "solve t = 0 .. 2\n"
      "output A.phi, B.phi, L.phi, R.phi\n");
  expect(r, "B.phi", 2 * 18 / (27 + 8.0 / 3));
  expect(r, "A.phi", 6 * 18 / (27 + 8.0 / 3));
  expect(r, "L.phi", 2 * 18 / (27 + 8.0 / 3) * 4 / 3);
  expect(r, "R.phi", 2 * 18 / (27 + 8.0 / 3) * 2 / 3);
  run_free(r);
}

/* A clutch slides until both inertias have the speed that the momentum gives, and sticks then. */
static void test_clutch(void) {
  run *r = run_parts("rotational", "part A: inertia(J = 2), C: clutch(M = 3), B: inertia(J = 4)\n"
                                   "connect\n"
                                   "  A.b, C.a\n"
                                   "  C.b, B.a\n"
                                   "start A.phi = 0, A.phi' = 6, B.phi = 0, B.phi' = 0\n"
                                   "solve t = 0 .. 4\n"
                                   "output v = A.phi', w = B.phi', A.phi\n");
  expect(r, "v", 2);
  expect(r, "w", 2);
  expect(r, "A.phi", 8.0 / 3 * 4 + 2 * (4 - 8.0 / 3));
  run_free(r);
}

/* A brake stops an inertia against a torque, and holds it. */
static void test_brake(void) {
  run *r = run_parts("rotational", "part A: inertia(J = 2), C: brake(M = 3), T: torque(tau0 = 1)\n"
                                   "connect A.b, C.a, T.a\n"
                                   "start A.phi = 0, A.phi' = 6\n"
                                   "solve t = 0 .. 8\n"
                                   "output A.phi, w = A.phi', tau = C.a.tau\n");
  expect(r, "A.phi", 18);
  expect(r, "w", 0);
  expect(r, "tau", 1);
  run_free(r);
}

/* A motor and a drive of constant speed behind a damper. */
static void test_motors(void) {
  run *r = run_parts(
      "rotational",
      "part A: inertia(J = 2), M: dc_motor(tau0 = 3, w0 = 10), S: speed(w = 2), D: damper(d = 1), B: inertia(J = 1)\n"
      "  C: inertia(J = 2), K: spring(k = 8), F: fixed\n"
      "connect\n"
      "  M.a, A.a\n"
      "  S.a, D.a\n"
      "  D.b, B.a\n"
      "  F.a, K.a\n"
      "  K.b, C.a\n"
      "start A.phi = 0, A.phi' = 0, B.phi = 0, B.phi' = 0, C.phi = 1, C.phi' = 0\n"
      "solve t = 0 .. 2\n"
      "output v = A.phi', w = B.phi', C.phi\n");
  expect(r, "v", 10 * (1 - exp(-0.3)));
  expect(r, "w", 2 * (1 - exp(-2)));
  expect(r, "C.phi", cos(4));
  run_free(r);
}

int main(void) {
  test_spring();
  test_gear();
  test_clutch();
  test_brake();
  test_motors();
  return CHECKS_DONE();
}
