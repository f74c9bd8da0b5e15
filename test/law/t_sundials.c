/* The examples of SUNDIALS with forward sensitivities: cvsRoberts_FSA_dns, idasRoberts_FSA_dns and
 * idasSlCrank_FSA_dns. The numbers are those of their output files (SUNDIALS 6.4, *.out), which have
 * five digits and are as accurate as the tolerances there. */
#include "run.h"

enum { TIMES = 4 };
static const double times[TIMES] = {0.4, 4, 40, 400};

/* rows: y1, y2, y3 and their derivatives by p1, p2, p3 */
static const double cvodes[TIMES][12] = {
    {9.8517e-01, 3.3864e-05, 1.4794e-02, -3.5595e-01, 3.9025e-04, 3.5556e-01, 9.5431e-08,
     -2.1309e-10, -9.5218e-08, -1.5833e-11, -5.2900e-13, 1.6362e-11},
    {9.0552e-01, 2.2405e-05, 9.4459e-02, -1.8761e+00, 1.7922e-04, 1.8759e+00, 2.9614e-06,
     -5.8305e-10, -2.9608e-06, -4.9334e-10, -2.7626e-13, 4.9362e-10},
    {7.1583e-01, 9.1856e-06, 2.8416e-01, -4.2475e+00, 4.5913e-05, 4.2475e+00, 1.3731e-05,
     -2.3573e-10, -1.3730e-05, -2.2883e-09, -1.1380e-13, 2.2884e-09},
    {4.5052e-01, 3.2229e-06, 5.4947e-01, -5.9584e+00, 3.5431e-06, 5.9584e+00, 2.2738e-05,
     -2.2605e-11, -2.2738e-05, -3.7896e-09, -4.9948e-14, 3.7897e-09}};
static const double idas[TIMES][12] = {
    {9.8517e-01, 3.3864e-05, 1.4794e-02, -3.5595e-01, 3.9025e-04, 3.5556e-01, 9.5424e-08,
     -2.1310e-10, -9.5211e-08, -1.5832e-11, -5.2900e-13, 1.6361e-11},
    {9.0552e-01, 2.2405e-05, 9.4459e-02, -1.8761e+00, 1.7922e-04, 1.8759e+00, 2.9614e-06,
     -5.8305e-10, -2.9608e-06, -4.9334e-10, -2.7626e-13, 4.9362e-10},
    {7.1583e-01, 9.1855e-06, 2.8416e-01, -4.2476e+00, 4.5912e-05, 4.2475e+00, 1.3731e-05,
     -2.3572e-10, -1.3731e-05, -2.2884e-09, -1.1381e-13, 2.2885e-09},
    {4.5052e-01, 3.2229e-06, 5.4948e-01, -5.9584e+00, 3.5427e-06, 5.9584e+00, 2.2738e-05,
     -2.2601e-11, -2.2738e-05, -3.7897e-09, -4.9948e-14, 3.7897e-09}};

/* allowed: relative to each number; a unit of the fifth digit is at most 1e-4 of it. */
static void compare_roberts(const char *third, const double expected[TIMES][12], double allowed) {
  static const char *const names[] = {"p1", "p2", "p3"};
  static const char *const column[] = {"y1",          "y2",          "y3",          "d(y1)/d(p1)",
                                       "d(y2)/d(p1)", "d(y3)/d(p1)", "d(y1)/d(p2)", "d(y2)/d(p2)",
                                       "d(y3)/d(p2)", "d(y1)/d(p3)", "d(y2)/d(p3)", "d(y3)/d(p3)"};
  char text[512];
  snprintf(text, sizeof text,
           "model roberts\nparameter p1 = 0.04, p2 = 1e4, p3 = 3e7\nvariable y1, y2, y3\n"
           "equation\n  y1' = -p1*y1 + p2*y2*y3\n  y2' = p1*y1 - p2*y2*y3 - p3*y2^2\n  %s\n"
           "start t = 0\n  y1 = 1, y2 = 0, y3 ~ 0\nsolve t = 0 .. 400\n",
           third);
  run *r = run_text(text);
  r->status = ritt_model_sensitivity(r->model, names, 3, r->error);
  if (r->status != RITT_OK) run_complain(r, "roberts");
  ritt_options o = run_options("radau5", 1e-9, 400);
  o.at = times;
  o.at_count = TIMES;
  if (run_go(r, &o))
    for (size_t i = 0; i < TIMES; i++)
      for (size_t k = 0; k < 12; k++)
        CHECK_NEAR(run_get(r, i, column[k]) / expected[i][k], 1, allowed);
  run_free(r);
}

/* A slider-crank of index 3 with a spring and a damper, and the integral G of its kinetic energy. The
 * example prints dG/dk = 0.33346 from its sensitivities, and 0.33345 from central differences. */
static void test_slider_crank(void) {
  static const char *const names[] = {"k", "c"};
  run *r = run_text(
      "model crank\n"
      "parameter k = 1, c = 1, a = 1/2, J1 = 1, m2 = 1, J2 = 2, l0 = 1, F = 1\n"
      "variable q, x, p, lam1, lam2, G, l, f\n"
      "equation\n"
      "  l^2 = x^2 - x*(cos(p) + a*cos(q)) + (1 + a^2)/4 + a*cos(p - q)/2\n"
      "  f = k*(l - l0) + c*l'\n"
      "  J1*q'' = -f/l*a*(sin(p - q)/2 + x*sin(q))/2 - a*sin(q)*lam1 + a*cos(q)*lam2\n"
      "  m2*x'' = f/l*(cos(p)/2 - x + a*cos(q)/2) + F - lam1\n"
      "  J2*p'' = -f/l*(x*sin(p) - a*sin(p - q)/2)/2 - F*sin(p) - sin(p)*lam1 + cos(p)*lam2\n"
      "  x = cos(p) + a*cos(q)\n"
      "  sin(p) + a*sin(q) = 0\n"
      "  G' = (J1*q'^2 + m2*x'^2 + J2*p'^2)/2\n"
      "start t = 0\n"
      "  q = pi/2, q' = 0, p ~ -0.52, x ~ 0.87, G = 0, l ~ 0.9\n"
      "solve t = 0 .. 10\n"
      "output G\n");
  r->status = ritt_model_sensitivity(r->model, names, 2, r->error);
  if (r->status != RITT_OK) run_complain(r, "crank");
  ritt_options o = run_options("dopri54", 1e-10, 10);
  double forward[2] = {0};
  if (run_go(r, &o)) {
    size_t end = r->rows - 1;
    forward[0] = run_get(r, end, "d(G)/d(k)"), forward[1] = run_get(r, end, "d(G)/d(c)");
    CHECK_NEAR(run_get(r, end, "G"), 3.3366158, 2e-5);
    CHECK_NEAR(forward[0], 0.33345, 1e-5);
    CHECK_NEAR(forward[1], -0.36375, 1e-5);
  }

  /* The same by the adjoint. SUNDIALS has no example of it, so there are no other digits to compare. */
  ritt_adjoint *a = NULL;
  static const double end = 10, one = 1;
  double gradient[2];
  r->status = ritt_model_adjoint(r->model, names, 2, &end, 1, &o, r->error, &a);
  if (r->status != RITT_OK) run_complain(r, "adjoint of the crank");
  else {
    CHECK(ritt_adjoint_gradient(a, &one, gradient, r->error) == RITT_OK);
    CHECK_NEAR(gradient[0], forward[0], 1e-11);
    CHECK_NEAR(gradient[1], forward[1], 1e-11);
  }
  ritt_adjoint_free(a);
  run_free(r);
}

int main(void) {
  compare_roberts("y3' = p3*y2^2", cvodes, 2e-4);
  compare_roberts("y1 + y2 + y3 = 1", idas, 5e-5);
  test_slider_crank();
  return CHECKS_DONE();
}
