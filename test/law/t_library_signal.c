/* The library `signal`: each component in a model whose solution is a formula. */
#include "library.h"

/* The integral of 2 sin(3t), kept between -1 and 1, from 0 to 2 */
static double limited(void) {
  /* of u = 3t from 0 to 6: half waves from 0 to pi and from pi to 6, limited beyond asin(1/2) = pi/6 */
  double pi = acos(-1), low = pi / 6, ramp = 2 * (1 - cos(low));
  double first = 2 * ramp + (pi - 2 * low);
  double second = ramp + (pi - 2 * low) + 2 * (cos(2 * pi - 6) - cos(low)); /* 6 > 2 pi - pi/6 */
  return (first - second) / 3;
}

/* Linear blocks behind a step at the start. */
static void test_linear(void) {
  run *r = run_parts(
      "signal",
      "part S: step(k = 2), L: lag(T = 0.5, k = 3), O: oscillator(w = 2, D = 0), G: gain(k = 0.5), I: integrator\n"
      "connect\n"
      "  S.y, L.u, G.u\n"
      "  G.y, O.u\n"
      "  L.y, I.u\n"
      "start L.x = 0, O.x = 0, O.x' = 0, I.x = 0\n"
      "solve t = 0 .. 2\n"
      "output L.y.s, O.y.s, I.y.s\n");
  expect(r, "L.y.s", 6 * (1 - exp(-4)));
  expect(r, "O.y.s", 1 - cos(4));
  expect(r, "I.y.s", 12 - 3 * (1 - exp(-4)));
  run_free(r);
}

/* A sine through a derivative, a limiter, a product and a difference; the integral of the limited sine. */
static void test_nonlinear(void) {
  run *r = run_parts(
      "signal",
      "part S: sine(k = 2, w = 3), D: derivative, M: limiter, X: multiply, R: ramp, A: add(kb = -1)\n"
      "  Z: integrator, C: constant(k = 1)\n"
      "connect\n"
      "  S.y, D.u, M.u\n"
      "  M.y, X.a, A.a, Z.u\n"
      "  R.y, X.b\n"
      "  C.y, A.b\n"
      "start Z.x = 0\n"
      "solve t = 0 .. 2\n"
      "output D.y.s, X.y.s, A.y.s, Z.y.s\n");
  expect(r, "D.y.s", 6 * cos(6));
  expect(r, "X.y.s", 4 * sin(6));
  expect(r, "A.y.s", 2 * sin(6) - 1);
  expect(r, "Z.y.s", limited());
  run_free(r);
}

/* The step response of 4/(p^2 + 3p + 2). */
static void test_transfer(void) {
  run *r = run_parts("signal", "part S: step, T: transfer(n = 2, a = [2, 3, 1], b = [4, 0, 0])\n"
                               "connect S.y, T.u\n"
                               "start T.x[1] = 0, T.x[2] = 0\n"
                               "solve t = 0 .. 2\n"
                               "output T.y.s\n");
  expect(r, "T.y.s", 4 * (0.5 - exp(-2) + 0.5 * exp(-4)));
  run_free(r);
}

/* A PI controller with ki = kp/T cancels the pole of the lag: the loop is 1/(1 + p/2). */
static void test_pid(void) {
  run *r =
      run_parts("signal", "part S: step, E: add(kb = -1), P: pid(kp = 2, ki = 2), L: lag(T = 1)\n"
                          "connect\n"
                          "  S.y, E.a\n"
                          "  E.y, P.u\n"
                          "  P.y, L.u\n"
                          "  L.y, E.b\n"
                          "start L.x = 0, P.I = 0, P.z = 0\n"
                          "solve t = 0 .. 2\n"
                          "output L.y.s\n");
  expect(r, "L.y.s", 1 - exp(-4));
  run_free(r);
}

int main(void) {
  test_linear();
  test_nonlinear();
  test_transfer();
  test_pid();
  return CHECKS_DONE();
}
