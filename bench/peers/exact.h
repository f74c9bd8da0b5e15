/* End values to compare with, from other methods than Ritt's: symmetric compositions of order 8 in
 * extended precision (W. Kahan, R.-C. Li, Composition constants for raising the orders of
 * unconventional schemes, Math. Comput. 66, 1997) of the leapfrog, whose steps are so short that
 * their errors are below 1e-13. */
#ifndef RITT_BENCH_EXACT_H
#define RITT_BENCH_EXACT_H

#include <math.h>

enum { EXACT_STAGES = 15 };
static inline long double exact_weight(int i) {
  static const long double half[] = {0.74167036435061295344822780L, -0.40910082580003159399730010L,
                                     0.19075471029623837995387626L, -0.57386247111608226665638773L,
                                     0.29906418130365592384446354L, 0.33462491824529818378495798L,
                                     0.31529309239676659663205666L, -0.79688793935291635401978884L};
  return half[i < 8 ? i : EXACT_STAGES - 1 - i];
}

/* Henon and Heiles's system: y = (q1, q2, p1, p2), from 0 to `end`. */
static inline void exact_henon_heiles(double *y, double end) {
  long double a = y[0], b = y[1], u = y[2], v = y[3];
  long count = (long)(end * 64);
  for (long n = 0; n < count; n++)
    for (int i = 0; i < EXACT_STAGES; i++) {
      long double h = exact_weight(i) * end / count;
      a += h / 2 * u, b += h / 2 * v;
      u -= h * (a + 2 * a * b), v -= h * (b + a * a - b * b);
      a += h / 2 * u, b += h / 2 * v;
    }
  y[0] = (double)a, y[1] = (double)b, y[2] = (double)u, y[3] = (double)v;
}

/* A pendulum of length 1 from rest at (1, 0), by its angle: (x, y, x', y') at `end`. */
static inline void exact_pendulum(double *y, double end) {
  long double angle = asinl(1), rate = 0;
  const long count = 20000;
  for (long n = 0; n < count; n++)
    for (int i = 0; i < EXACT_STAGES; i++) {
      long double h = exact_weight(i) * end / count;
      rate -= h / 2 * 9.81L * sinl(angle), angle += h * rate, rate -= h / 2 * 9.81L * sinl(angle);
    }
  y[0] = (double)sinl(angle), y[1] = (double)-cosl(angle);
  y[2] = (double)(rate * cosl(angle)), y[3] = (double)(rate * sinl(angle));
}

#endif
