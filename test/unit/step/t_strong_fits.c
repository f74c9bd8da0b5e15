/* Which methods damp the vibrations of a strong potential: conditions (3.4), (3.5) of the paper on
 * them, against what is known of stability functions (E. Hairer, G. Wanner, Solving ODEs II,
 * sections IV.3 and IV.5), and against |R(i w)| computed by solving with I - i w A for random
 * tableaux.
 */
#include <complex.h>
#include "check.h"
#include "step/method.h"

static bool fits(const ritti_tableau *t, char *why) {
  why[0] = 0;
  return ritti_strong_fits(t, why, 100);
}

static void check_known(void) {
  static const struct {
    const char *name, *why; /* NULL: it fits */
  } known[] = {
      {"radau2a1", NULL},
      {"radau2a2", NULL},
      {"radau2a3", NULL},
      {"radau2a5", NULL},
      {"gauss2", "|R(inf)| = 1, vibrations are damped only if it is less than 1"},
      {"gauss4", "|R(inf)| = 1, vibrations are damped only if it is less than 1"},
      {"gauss6", "|R(inf)| = 1, vibrations are damped only if it is less than 1"},
      {"midpoint", "|R(inf)| = 1, vibrations are damped only if it is less than 1"},
      {"lobatto3a", "its matrix A is singular, so that vibrations are not damped"},
      {"dopri54", "its matrix A is singular, so that vibrations are not damped"},
      {"rk4", "its matrix A is singular, so that vibrations are not damped"},
      {"taylor:5", "it is not an implicit Runge-Kutta method"},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    char why[100];
    const ritti_tableau *t = ritti_method_find(known[i].name);
    CHECK(fits(t, why) == !known[i].why);
    if (known[i].why) CHECK_TEXT(why, known[i].why);
    else CHECK_NEAR(ritti_strong_damping(t), 0, 1e-10);
  }
}

/* R(i w) = 1 + i w b^T (I - i w A)^-1 1, by complex elimination */
static double size_at(int s, const ritt_real *a, const ritt_real *b, double w) {
  double complex m[4][5], R = 1;
  for (int i = 0; i < s; i++) {
    for (int j = 0; j < s; j++) m[i][j] = (i == j) - I * w * a[i * s + j];
    m[i][s] = 1;
  }
  for (int p = 0; p < s; p++) {
    int best = p;
    for (int i = p; i < s; i++)
      if (cabs(m[i][p]) > cabs(m[best][p])) best = i;
    for (int j = 0; j <= s; j++) {
      double complex other = m[p][j];
      m[p][j] = m[best][j], m[best][j] = other;
    }
    for (int i = 0; i < s; i++) {
      double complex f = m[i][p] / m[p][p];
      for (int j = p; i != p && j <= s; j++) m[i][j] -= f * m[p][j];
    }
  }
  for (int i = 0; i < s; i++) R += I * w * b[i] * m[i][s] / m[i][i];
  return cabs(R);
}

/* Samples prove nothing where all of them are below 1, but there the answers agree unless the
 * largest is near it. In many of the tableaux |R(i w)| > 1 for some w between, though not at the
 * ends. */
static void check_random_tableaux(int s) {
  int good = 0, bad = 0, between = 0;
  for (int turn = 0; turn < 4000; turn++) {
    static const ritt_real c[] = {0.25, 0.5, 0.75, 1};
    ritt_real a[16], b[4];
    for (int i = 0; i < s * s; i++) a[i] = check_random() + (i % (s + 1) == 0 ? 0.7 : 0);
    for (int i = 0; i < s; i++) b[i] = check_random();
    ritti_tableau t = {
        .name = "own", .family = RITTI_IMPLICIT, .order = 1, .stages = s, .a = a, .b = b, .c = c};
    char why[100];
    double least = INFINITY, end = size_at(s, a, b, 1e9);
    for (int k = -150; k <= 250; k++) {
      double w = pow(10, k / 50.), R = size_at(s, a, b, w);
      least = fmin(least, (1 - R) * (1 + 1 / w / w)); /* R(0) = 1 */
    }
    bool fit = fits(&t, why);
    if (fabs(least) < 1e-4 || strstr(why, "multiple") || strstr(why, "singular")) continue;
    CHECK(fit == (least > 0));
    good += fit, bad += !fit;
    between += !fit && end < 1 && strstr(why, "some w") != NULL;
    if (fit) CHECK_NEAR(ritti_strong_damping(&t), end, 1e-6);
  }
  CHECK(good > 10 && bad > 1000 && between > 10);
}

int main(void) {
  check_known();
  for (int s = 2; s <= 4; s++) check_random_tableaux(s);
  return CHECKS_DONE();
}
