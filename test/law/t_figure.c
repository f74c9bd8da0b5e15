/* Figure 6.1 of the paper on higher order methods: dopri54 with constant steps of arc length h =
 * 2^-6 ... 2^-12 on y' = 3 y + 2 x^2, y(0) = 2, in the jets (x, y, y'), all stages projected. The
 * slope of the error at x = 0.01 is printed as 5.011 (recomputed with 34 digits: 5.010). The error
 * is taken at the first point with x >= 0.01; a program of its own gave the errors below.
 */
#include "run.h"

static const char text[] =
    "model simple\nindependent x\nvariable y\nequation y' - 3*y - 2*x^2 = 0\n"
    "start x = 0\n  y = 2\nsolve arc = 0 .. 0.25\n  kind general\n  project stages\n"
    "  projection newton\n  precision quad\n  method dopri54\n"
    "output e = y - (-2*x^2/3 - 4*x/9 - 4/27 + 58/27*exp(3*x))\n";

int main(void) {
  static const double recomputed[] = {1.490e-18, 4.471e-20, 1.395e-21, 4.313e-23,
                                      1.347e-24, 4.209e-26, 1.314e-27};
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  run *r = run_text(text);
  for (int k = 6; k <= 12; k++) {
    ritt_options o = ritt_options_default();
    size_t i = 0;
    o.constant_step = ldexp(1, -k);
    CHECK(run_go(r, &o));
    while (i < r->rows && run_get(r, i, "x") < 0.01) i++;
    double e = i < r->rows ? fabs(run_get(r, i, "e")) : NAN;
    CHECK_NEAR(e / recomputed[k - 6], 1, 5e-4);
    n++, sx += k, sy += log2(e), sxx += k * k, sxy += k * log2(e);
  }
  CHECK_NEAR(-(n * sxy - sx * sy) / (n * sxx - sx * sx), 5.011, 0.0015);
  run_free(r);
  return CHECKS_DONE();
}
