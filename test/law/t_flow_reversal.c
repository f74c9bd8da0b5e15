/* Flows with turbulent friction, p = q*abs(q): T_w vanishes where a flow is 0. The volumes that flow are
 * integrals with closed forms, the integral of sqrt(cos(t)) from 0 to pi/2 being (2 pi)^(3/2)/Gamma(1/4)^2. */
#include "run.h"

static const char *const METHOD[] = {"dopri54", "dop853", "radau5"};
static const double HALF = 1.1981402347355922074;

static void check_volume(const char *text, double to, const char *column, double expected) {
  for (int k = 0; k < 3; k++) {
    run *r = run_text(text);
    ritt_options o = run_options(METHOD[k], 1e-9, to);
    CHECK(run_go(r, &o));
    CHECK(!strcmp(r->statistics.kind, "implicit"));
    CHECK_NEAR(run_last(r, column), expected, 1e-6);
    run_free(r);
  }
}

int main(void) {
  double pi = acos(-1);

  /* through 0 twice: back to where it began; and at pi, after one reversal */
  const char *reversal = "model pipe\nvariable v, q\nequation\n  v' = q\n  q*abs(q) = cos(t)\n"
                         "start v = 0\n  q ~ 1\nsolve t = 0 .. 7\noutput v, q\n";
  check_volume(reversal, pi / 2 - 1e-3, "v", HALF - 2.0 / 3 * pow(1e-3, 1.5));
  check_volume(reversal, pi, "v", 0);
  check_volume(reversal, 2 * pi, "v", 0);

  /* at rest at the start, with nothing said of the flow */
  check_volume("model pipe\nvariable v, q\nequation\n  v' = q\n  4*q*abs(q) = sin(t)\nstart v = 0\n"
               "solve t = 0 .. 3\noutput v, q\n",
               pi / 2, "v", HALF / 2);
  check_volume(
      "model pipe\nvariable v, q\nequation\n  v' = q\n  -4*q*abs(q) = sin(t)\nstart v = 0\n"
      "solve t = 0 .. 3\noutput v, q\n",
      pi / 2, "v", -HALF / 2);

  /* a ring of pipes, k q*abs(q) each: from its corner half the flow goes each way */
  check_volume("model ring\nvariable v, p, q1, q2, q\nequation\n  v' = q\n  q = q1 + q2\n"
               "  p = q1*abs(q1)\n  p = q2*abs(q2)\n  sin(t) - p = 3*q*abs(q)\nstart v = 0\n"
               "solve t = 0 .. 3\noutput v, q\n",
               pi / 2, "v", HALF / sqrt(3.25));

  /* the exponent of Hazen and Williams; q = t^(1/1.852) */
  check_volume("model pipe\nvariable v, q\nequation\n  v' = q\n  sign(q)*abs(q)^1.852 = t\n"
               "start v = 0\nsolve t = 0 .. 1\noutput v, q\n",
               1, "v", 1 / (1 + 1 / 1.852));
  return CHECKS_DONE();
}
