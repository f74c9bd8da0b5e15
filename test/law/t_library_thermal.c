/* The library `thermal`: each component in a model whose solution is a formula. */
#include "library.h"

/* Two masses exchange heat. */
static void test_conduction(void) {
  run *r = run_parts("thermal", "part A: mass(C = 100), B: mass(C = 300), G: conduction(G = 5)\n"
                                "connect\n"
                                "  A.p, G.a\n"
                                "  G.b, B.p\n"
                                "start A.T = 400, B.T = 300\n"
                                "solve t = 0 .. 20\n"
                                "output A.T, B.T\n");
  expect(r, "A.T", 325 + 75 * exp(-4.0 / 3));
  expect(r, "B.T", 325 - 25 * exp(-4.0 / 3));
  run_free(r);
}

/* A mass radiates into the cold: T^-3 grows steadily. */
static void test_radiation(void) {
  run *r =
      run_parts("thermal", "part A: mass(C = 100), R: radiation(A = 1e5), S: temperature(T0 = 0)\n"
                           "connect\n"
                           "  A.p, R.a\n"
                           "  R.b, S.p\n"
                           "start A.T = 400\n"
                           "solve t = 0 .. 2\n"
                           "output A.T\n");
  expect(r, "A.T", pow(pow(400, -3) + 6e5 * 5.670374419e-8 / 100, -1.0 / 3));
  run_free(r);
}

/* A heated mass behind two resistances in a row: 1/(h*A) + R = 0.4 K/W. */
static void test_convection(void) {
  run *r = run_parts(
      "thermal",
      "part H: heat_source(Q0 = 50), W: convection(h = 10, A = 0.5), V: resistance(R = 0.2)\n"
      "  S: temperature(T0 = 300), A: mass(C = 40)\n"
      "connect\n"
      "  H.p, A.p, W.a\n"
      "  W.b, V.a\n"
      "  V.b, S.p\n"
      "start A.T = 300\n"
      "solve t = 0 .. 20\n"
      "output A.T\n");
  expect(r, "A.T", 300 + 20 * (1 - exp(-1.25)));
  run_free(r);
}

int main(void) {
  test_conduction();
  test_radiation();
  test_convection();
  return CHECKS_DONE();
}
