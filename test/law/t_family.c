/* One file for any size: mechN of the enhanced linear algebra paper, against the reference values
 * (x, y of the first three particles; two computations in quadruple precision that agree to 15
 * digits and more). */
#include "run.h"

static const struct {
  const char *n;
  double to, value[6], error;
} known[] = {
    {"6",
     1,
     {2.093316894722984905806337, -1.79096387051831841989107, 2.000389815164881805247596,
      -2.786636787637591066453757, 1.409521730553765736714227, -1.979868601237066852900876},
     1e-9},
    {"24",
     1,
     {3.422607947496725055127643, -22.30618676615593198870194, 3.703016112971476526079141,
      -21.34630590858292861030185, 2.80726022024151681426078, -20.90175964480428328369268},
     1e-7},
    {"50",
     0.73,
     {2.530316343477230874698333, -39.38470098869820944967146, 1.557919398118444150310808,
      -39.15136822062458301100538, 2.51887650185690376756941, -38.87467083217541213324073},
     1e-5},
};

static void test_reference(void) {
  for (int i = 0; i < 3; i++) {
    run *r = run_file("papers/mech", NULL);
    ritt_options o = run_options("dop853", 1e-13, known[i].to);
    double value[6];
    run_set(r, "n", known[i].n);
    if (run_go(r, &o)) {
      run_list(r, r->rows - 1, "p[1] q[1] p[2] q[2] p[3] q[3]", value);
      double worst = run_error(value, known[i].value, 6);
      if (!(worst <= known[i].error)) printf("n = %s: off by %g\n", known[i].n, worst);
      CHECK(worst <= known[i].error);
      CHECK(r->statistics.largest_residual < 1e-12);
      /* E = n/2 + (n-1) n (2n-1)/9 + c (n-2)/2 */
      double n = atof(known[i].n), E = n / 2 + (n - 1) * n * (2 * n - 1) / 9 + 5 * (n - 2);
      CHECK_NEAR(run_last(r, "E"), E, 1e-9 * E);
    }
    run_free(r);
  }
}

/* a thousand: energy and rods */
static void test_thousand(void) {
  run *r = run_file("papers/mech", NULL);
  ritt_options o = run_options("dopri54", 1e-6, 0.001);
  double n = 1000, E = n / 2 + (n - 1) * n * (2 * n - 1) / 9 + 5 * (n - 2);
  run_set(r, "n", "1000");
  if (run_go(r, &o)) {
    CHECK_NEAR(run_last(r, "E"), E, 1e-5 * E);
    CHECK(r->statistics.largest_residual < 1e-10 && !strcmp(r->statistics.kind, "holonomic"));
  }
  run_free(r);
}

/* The heat equation by lines, with a large coefficient: the start has the derivatives that the
 * equations give it, and sin(pi i/(n+1)) is an eigenvector, which decays at the rate 4 k
 * sin^2(pi/(2 (n+1))) */
static void test_large_coefficients(void) {
  run *r = run_text(
      "model heat\n"
      "parameter n = 400, k = 1e11\n"
      "variable u[1..n]\n"
      "equation\n"
      "  for i in 1..n: u[i]' = k*((if i > 1 then u[i-1] else 0) - 2*u[i] + (if i < n then u[i+1] else 0))\n"
      "start t = 0\n"
      "  for i in 1..n: u[i] = sin(pi*i/(n+1))\n"
      "solve t = 0 .. 1\n"
      "output u[200], u[200]'\n");
  ritt_options o = run_options("dop853", 1e-12, 2e-12);
  const double pi = 3.14159265358979323846;
  double n = 400, s = sin(pi / (2 * (n + 1))), rate = 4e11 * s * s, u = sin(pi * 200 / (n + 1));
  if (run_go(r, &o)) {
    CHECK_NEAR(run_get(r, 0, "u[200]'"), -rate * u, 1e-9 * 1e11);
    CHECK_NEAR(run_last(r, "u[200]"), u * exp(-rate * 2e-12), 1e-10);
  }
  run_free(r);
}

int main(void) {
  test_large_coefficients();
  test_reference();
  test_thousand();
  return CHECKS_DONE();
}
