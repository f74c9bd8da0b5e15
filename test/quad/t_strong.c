/* Theorem 3.1 for the stiff spring pendulum, in quadruple precision: the errors of Radau IIA with 2
 * and 3 stages on the stiff problem are those on the constrained one up to C eps^2 h^(q-2).
 * Positions of the constrained one have order 2s - 1, velocities order s (Theorem 4.1).
 *
 * The numbers are those of another program (shared truth, section 4: mpmath, its own Runge-Kutta
 * code), start on the smooth manifold over (theta, theta') = (1, 0.3), at t = 1.
 */
#include "strong.h"

typedef struct line {
  double h, eps, y, y0, Dy, Dyc, v, v0, Dv,
      Dvc; /* |.| of the errors and of their differences, scaled ones last */
} line;

static const line two[] = {
    {0.1, 1e-2, 1.065e-05, 6.020e-06, 6.522e-06, 6.522e-02, 9.879e-04, 1.320e-03, 3.323e-04,
     3.323e+00},
    {0.05, 1e-2, 2.343e-06, 6.721e-07, 1.942e-06, 1.942e-02, 1.397e-04, 3.388e-04, 1.991e-04,
     1.991e+00},
    {0.025, 1e-2, 4.028e-07, 7.927e-08, 3.572e-07, 3.572e-03, 1.236e-05, 8.576e-05, 7.340e-05,
     7.340e-01},
    {0.0125, 1e-2, 5.690e-08, 9.622e-09, 5.152e-08, 5.152e-04, 5.715e-07, 2.157e-05, 2.100e-05,
     2.100e-01},
    {0.1, 1e-3, 6.057e-06, 6.020e-06, 8.508e-08, 8.508e-02, 1.316e-03, 1.320e-03, 4.336e-06,
     4.336e+00},
    {0.05, 1e-3, 6.948e-07, 6.721e-07, 4.511e-08, 4.511e-02, 3.342e-04, 3.388e-04, 4.636e-06,
     4.636e+00},
    {0.025, 1e-3, 9.242e-08, 7.927e-08, 2.233e-08, 2.233e-02, 8.116e-05, 8.576e-05, 4.598e-06,
     4.598e+00},
    {0.0125, 1e-3, 1.681e-08, 9.622e-09, 9.749e-09, 9.749e-03, 1.755e-05, 2.157e-05, 4.016e-06,
     4.016e+00},
    {0.1, 1e-4, 6.021e-06, 6.020e-06, 8.534e-10, 8.534e-02, 1.320e-03, 1.320e-03, 4.349e-08,
     4.349e+00},
    {0.05, 1e-4, 6.723e-07, 6.721e-07, 4.571e-10, 4.571e-02, 3.388e-04, 3.388e-04, 4.698e-08,
     4.698e+00},
    {0.025, 1e-4, 7.938e-08, 7.927e-08, 2.357e-10, 2.357e-02, 8.571e-05, 8.576e-05, 4.853e-08,
     4.853e+00},
    {0.0125, 1e-4, 9.683e-09, 9.622e-09, 1.194e-10, 1.194e-02, 2.152e-05, 2.157e-05, 4.918e-08,
     4.918e+00},
};
static const line three[] = {
    {0.1, 1e-2, 1.798e-07, 1.684e-08, 1.801e-07, 1.801e-02, 1.215e-05, 1.361e-05, 1.462e-06,
     1.462e-01},
    {0.05, 1e-2, 4.811e-09, 5.291e-10, 4.816e-09, 9.633e-04, 6.197e-07, 1.564e-06, 2.184e-06,
     4.368e-01},
    {0.025, 1e-2, 1.797e-10, 1.655e-11, 1.791e-10, 7.163e-05, 5.600e-09, 1.866e-07, 1.922e-07,
     7.687e-02},
    {0.0125, 1e-2, 6.323e-12, 5.172e-13, 6.298e-12, 5.038e-06, 5.171e-10, 2.275e-08, 2.224e-08,
     1.779e-02},
    {0.1, 1e-3, 1.679e-08, 1.684e-08, 6.299e-10, 6.299e-03, 1.367e-05, 1.361e-05, 6.642e-08,
     6.642e-01},
    {0.05, 1e-3, 5.485e-10, 5.291e-10, 1.681e-10, 3.362e-03, 1.588e-06, 1.564e-06, 2.389e-08,
     4.778e-01},
    {0.025, 1e-3, 5.068e-11, 1.655e-11, 4.824e-11, 1.930e-03, 1.954e-07, 1.866e-07, 8.775e-09,
     3.510e-01},
    {0.0125, 1e-3, 1.803e-11, 5.172e-13, 1.802e-11, 1.442e-03, 2.362e-08, 2.275e-08, 8.694e-10,
     6.956e-02},
    {0.1, 1e-4, 1.684e-08, 1.684e-08, 6.212e-12, 6.212e-03, 1.361e-05, 1.361e-05, 6.649e-10,
     6.649e-01},
    {0.05, 1e-4, 5.291e-10, 5.291e-10, 1.608e-12, 3.216e-03, 1.564e-06, 1.564e-06, 2.412e-10,
     4.824e-01},
    {0.025, 1e-4, 1.655e-11, 1.655e-11, 4.132e-13, 1.653e-03, 1.867e-07, 1.866e-07, 9.518e-11,
     3.807e-01},
    {0.0125, 1e-4, 5.267e-13, 5.172e-13, 1.053e-13, 8.425e-04, 2.279e-08, 2.275e-08, 4.082e-11,
     3.266e-01},
};

static ritt_real real_of(double x) { /* 0.1 as the real nearest to it, not to the double */
  return (ritt_real)(long)(x * 1e9 + 0.5) / 1000000000;
}

/* The errors (y1, y2, y1', y2') at t = 1. */
static bool errors(const char *method, ritt_real eps, ritt_real h, ritt_real *error) {
  pendulum p = {eps};
  ritti_problem problem = pendulum_problem(&p, true);
  strong_run run = {.tableau = ritti_method_find(method), .outer = -1, .h = h};
  ritt_real z[5], exact[5];
  smooth_motion(eps, 0, z);
  smooth_motion(eps, 1, exact);
  bool good = strong_go(&run, &problem, z, 1);
  CHECK(good && run.accepted == (long)(1 / h + (ritt_real)0.5) && run.counts.failures == 0);
  for (int i = 0; i < 4; i++) error[i] = z[1 + i] - exact[1 + i];
  return good;
}

static double size(const ritt_real *e) {
  return (double)RITTI_MATH(sqrt)(e[0] * e[0] + e[1] * e[1]);
}

/* as printed, to half a unit of the fourth digit */
static void check_printed(double value, double printed) {
  CHECK_NEAR(value, printed, 5.1e-4 * fabs(printed));
}

/* Orders of the constrained system, fitted over h = 0.1 .. 0.0125. */
static void check_orders(int s, const ritt_real (*e)[4]) {
  double sx = 0, sxx = 0, sy = 0, sxy = 0, sv = 0, sxv = 0;
  for (int k = 0; k < 4; k++) {
    double x = -k * log(2), y = log(size(e[k])), v = log(size(e[k] + 2));
    sx += x, sxx += x * x, sy += y, sxy += x * y, sv += v, sxv += x * v;
  }
  double bottom = 4 * sxx - sx * sx, place = (4 * sxy - sx * sy) / bottom,
         speed = (4 * sxv - sx * sv) / bottom;
  CHECK_NEAR(place, 2 * s - 1, 0.15);
  CHECK_NEAR(speed, s, 0.15);
  if (getenv("RITT_SHOW")) printf("%d stages: orders %.3f %.3f\n", s, place, speed);
}

/* The table: eps^2 h^(q-2) D is bounded, q = s. */
static void check_table(const char *method, int s, const line *lines, int count) {
  ritt_real limits[4][4]; /* for the four h, which come again with each eps */
  for (int k = 0; k < 4; k++)
    if (!errors(method, 0, real_of(lines[k].h), limits[k])) return;
  check_orders(s, (const ritt_real(*)[4])limits);
  for (int k = 0; k < count; k++) {
    const line *l = &lines[k];
    const ritt_real *limit = limits[k % 4];
    ritt_real stiff[4], D[4];
    if (!errors(method, real_of(l->eps), real_of(l->h), stiff)) continue;
    for (int i = 0; i < 4; i++) D[i] = stiff[i] - limit[i];
    double scale = l->eps * l->eps * pow(l->h, s - 2);
    check_printed(size(stiff), l->y), check_printed(size(limit), l->y0),
        check_printed(size(D), l->Dy);
    check_printed(size(stiff + 2), l->v), check_printed(size(limit + 2), l->v0);
    check_printed(size(D + 2), l->Dv);
    CHECK(size(D) / scale < 0.1 && size(D + 2) / scale < 5);
    if (getenv("RITT_SHOW"))
      printf("| %d | %g | %.0e | %.3e | %.3e | %.3e | %.3e | %.3e | %.3e | %.3e | %.3e |\n", s,
             l->h, l->eps, size(stiff), size(limit), size(D), size(D) / scale, size(stiff + 2),
             size(limit + 2), size(D + 2), size(D + 2) / scale);
  }
}

int main(void) {
  check_table("radau2a2", 2, two, sizeof two / sizeof *two);
  check_table("radau2a3", 3, three, sizeof three / sizeof *three);
  return CHECKS_DONE();
}
