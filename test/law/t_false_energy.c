/* The four-bar linkage with a torque and with its energy declared an invariant, (6.7) of the paper
 * on higher order methods, which it is not: projected all the same, every method converges to
 * another system, the flow of the tangential part of V, with order 1. The limits at x = 1 and at x
 * = 10 were computed by two programs (Cartesian and by the crank angle) to 18 digits:
 * fourbar_energy_limit_g9.81_x1, fourbar_energy_limit_g9.81_x10. Without it the same runs have the
 * order of the method: fourbar_noenergy_g9.81_x1.
 */
#include "run.h"

#define LINKAGE                                                                                         \
  "model fourbar\nindependent x\n"                                                                      \
  "parameter a = 1, b = 2, c = 1.5, d = 2, T = 0.8, m1 = 0.2, m2 = 0.1, gamma = 9.81\n"                 \
  "variable y1, y2, y3, y4, l1, l2, l3\n"                                                               \
  "equation\n"                                                                                          \
  "  m1*y1'' + y2*T/a^2 + y1*l1 - (y3 - y1)*l2 = 0\n"                                                   \
  "  m1*y2'' - y1*T/a^2 + m1*gamma + y2*l1 - (y4 - y2)*l2 = 0\n"                                        \
  "  m2*y3'' + (y3 - y1)*l2 - (d - y3)*l3 = 0\n"                                                        \
  "  m2*y4'' + m2*gamma + (y4 - y2)*l2 + y4*l3 = 0\n"                                                   \
  "  y1^2 + y2^2 = a^2\n"                                                                               \
  "  (y3 - y1)^2 + (y4 - y2)^2 = b^2\n"                                                                 \
  "  (d - y3)^2 + y4^2 = c^2\n"                                                                         \
  "start x = 0\n"                                                                                       \
  "  y1 ~ 0.5000181192825238, y2 ~ 0.866014942359061, y3 ~ 2.415491613999301, y4 ~ 1.441307295026379\n" \
  "  y1' ~ 0, y2' ~ 0, y3' ~ 0, y4' ~ 0\n"                                                              \
  "solve x = 0 .. 1\noutput y1, y2, y3, y4\n"

static const char energy[] = LINKAGE
    "invariant projected E: (m1*(y1'^2 + y2'^2) + m2*(y3'^2 + y4'^2))/2 + (m1*y2 + m2*y4)*gamma\n";
static const char no_energy[] = LINKAGE;
static const double limit_10[] = {0.9954096901649714, 0.09570553132225757, 2.498913973991197,
                                  1.414597061553682};
static const double limit[] = {0.9505575258966789, 0.3105485307664243, 2.661490119630197,
                               1.346265509337452},
                    solution[] = {0.9924949514226719, -0.1222856140374178, 2.176511168748708,
                                  1.489578399181112};

static double error_at(run *r, const char *method, double h, double x, const double *expected) {
  static const char *const columns[] = {"y1", "y2", "y3", "y4"};
  ritt_options o = run_options(method, 0, x);
  double largest = 0;
  o.method = method, o.constant_step = h, o.project = "stages", o.projection = "gauss",
  o.metric = "euclidean";
  if (!run_go(r, &o)) return NAN;
  for (int i = 0; i < 4; i++) largest = fmax(largest, fabs(run_last(r, columns[i]) - expected[i]));
  return largest;
}

static void check_slope(const char *text, const char *method, double h, double x,
                        const double *expected, double slope) {
  run *r = run_text(text);
  double coarse = error_at(r, method, h, x, expected),
         fine = error_at(r, method, h / 2, x, expected);
  double found = log2(coarse / fine);
  if (!(fabs(found - slope) <= 0.1))
    printf("%s: errors %g, %g, slope %g\n", method, coarse, fine, found);
  CHECK_NEAR(found, slope, 0.1);
  run_free(r);
}

int main(void) {
  static const char *const methods[] = {"euler", "rk4", "dopri54", "dop853"};
  for (size_t i = 0; i < 4; i++) check_slope(energy, methods[i], 1. / 1024, 1, limit, 1);
  if (!CHECK_SLOW) check_slope(energy, "rk4", 1. / 2048, 10, limit_10, 1);
  check_slope(no_energy, "rk4", 1. / 256, 1, solution, 4);
  return CHECKS_DONE();
}
