/* The library `hydraulic`: each component in a model whose solution is a formula. */
#include "library.h"

/* Two tanks are joined by a thin pipe: the difference of the levels dies out. */
static void test_laminar_pipe(void) {
  run *r = run_parts("hydraulic",
                     "part A: tank(S = 2), P: laminar_pipe(L = 10, d = 0.02), B: tank(S = 1)\n"
                     "connect\n"
                     "  A.a, P.a\n"
                     "  P.b, B.a\n"
                     "start A.h = 3, B.h = 0\n"
                     "solve t = 0 .. 200\n"
                     "output A.h, B.h\n");
  expect(r, "A.h", 2 + exp(-300 * 9810 / (1.28 / (3.14159265358979324 * 1.6e-7))));
  expect(r, "B.h", 2 - 2 * exp(-300 * 9810 / (1.28 / (3.14159265358979324 * 1.6e-7))));
  run_free(r);
}

/* A tank runs out through an orifice: the root of its level falls steadily (Torricelli). */
static void test_orifice(void) {
  run *r = run_parts("hydraulic", "part A: tank(S = 2), O: orifice(A = 0.01), E: open_end\n"
                                  "connect\n"
                                  "  A.a, O.a\n"
                                  "  O.b, E.a\n"
                                  "start A.h = 3\n"
                                  "solve t = 0 .. 60\n"
                                  "output A.h, q = 1000*O.q\n");
  expect(r, "A.h", pow(sqrt(3) - 0.09 * sqrt(19.62), 2));
  expect(r, "q", 6 * sqrt(19.62) * (sqrt(3) - 0.09 * sqrt(19.62)));
  run_free(r);
}

/* Water in a long pipe starts to flow: q = q0*tanh(t*dp*A/(rho*L*q0)). */
static void test_pipe(void) {
  run *r =
      run_parts("hydraulic", "part A: open_end(p0 = 1e5), P: pipe(L = 100, d = 0.2), E: open_end\n"
                             "connect\n"
                             "  A.a, P.a\n"
                             "  P.b, E.a\n"
                             "start P.q = 0\n"
                             "solve t = 0 .. 5\n"
                             "output P.q\n");
  expect(r, "P.q", 0.01 * 3.14159265358979324 * sqrt(20) * tanh(5 / sqrt(20)));
  run_free(r);
}

/* A pump and a valve in balance, and an accumulator that is filled at one temperature. */
static void test_pump(void) {
  run *r = run_parts("hydraulic",
                     "part F: flow_source(q0 = 1e-3), A: accumulator(V0 = 0.1, p0 = 2e5, n = 1)\n"
                     "  P: pump(p0 = 1e5, c = 1e9), V: valve(k = 1e-8), O: open_end, Q: open_end\n"
                     "connect\n"
                     "  F.a, A.a\n"
                     "  O.a, P.a\n"
                     "  P.b, V.a\n"
                     "  V.b, Q.a\n"
                     "start A.V = 0.1, P.q ~ 1e-3\n"
                     "solve t = 0 .. 20\n"
                     "output A.V, A.a.p, q = 1000*V.q\n");
  expect(r, "A.V", 0.08);
  expect(r, "A.a.p", 2.5e5 - 101325);
  expect(r, "q", 1000 * (sqrt(1e16 + 4e14) - 1e8) / 2e9);
  run_free(r);
}

int main(void) {
  test_laminar_pipe();
  test_orifice();
  test_pipe();
  test_pump();
  return CHECKS_DONE();
}
