/* Random numbers without a state: each is a function of the seed, the run and the dimension, so
 * that the order of the calls does not matter. Nothing but integer and IEEE arithmetic with
 * exact rounding: the same bits everywhere.
 *
 * Philox4x32-10: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as
 * easy as 1, 2, 3", SC11 (2011), section 3.3. The normal quantile: M. J. Wichura, algorithm AS 241,
 * PPND16, Applied Statistics 37 (1988) 477-484, of relative accuracy 1e-16. */
#include "ensemble.h"

/* ---- Philox ---- */

void ritti_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
  enum { ROUNDS = 10 };
  const uint64_t m0 = 0xD2511F53, m1 = 0xCD9E8D57; /* multipliers */
  const uint32_t w0 = 0x9E3779B9, w1 = 0xBB67AE85; /* by which the key is raised */
  uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]}, k[2] = {key[0], key[1]};
  for (int round = 0; round < ROUNDS; round++) {
    uint64_t p0 = m0 * c[0], p1 = m1 * c[2];
    uint32_t next[4] = {(uint32_t)(p1 >> 32) ^ c[1] ^ k[0], (uint32_t)p1,
                        (uint32_t)(p0 >> 32) ^ c[3] ^ k[1], (uint32_t)p0};
    memcpy(c, next, sizeof c);
    k[0] += w0, k[1] += w1;
  }
  memcpy(out, c, sizeof c);
}

/* The middles of 2^52 equal parts: (j + 1/2)/2^52 is a double, and neither 0 nor 1. */
double ritti_random(uint64_t seed, uint64_t run, uint32_t dimension) {
  const uint32_t counter[4] = {(uint32_t)run, (uint32_t)(run >> 32), dimension, 0};
  const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  uint32_t word[4];
  ritti_philox(counter, key, word);
  uint64_t bits = ((uint64_t)word[0] << 32 | word[1]) >> 12;
  return ((double)bits + 0.5) * 0x1p-52;
}

/* ---- the normal distribution ---- */

/* log(x), x > 0, by the series of the area tangent: log(m) = 2 (s + s^3/3 + s^5/5 + ...), s = (m -
 * 1)/(m + 1). The library's own logarithm is not the same everywhere. */
static double find_logarithm(double x) {
  enum { TERMS = 12 };
  int exponent;
  double m = frexp(x, &exponent); /* exact */
  if (m < 0.70710678118654752) m *= 2, exponent--;
  double s = (m - 1) / (m + 1), square = s * s, sum = 0;
  for (int i = TERMS; i > 0; i--)
    sum = sum * square + 1.0 / (2 * i + 1); /* the small terms first */
  sum = 2 * s + 2 * s * (sum * square);
  return sum + exponent * 0.69314718055994530942;
}

static double evaluate_polynomial(const double c[8], double r) {
  double sum = c[7];
  for (int i = 6; i >= 0; i--) sum = sum * r + c[i];
  return sum;
}

double ritti_normal_quantile(double p) {
  /* numerators and denominators: near 1/2, in the tails, and far out */
  static const double a[8] = {3.3871328727963666080e0,  1.3314166789178437745e+2,
                              1.9715909503065514427e+3, 1.3731693765509461125e+4,
                              4.5921953931549871457e+4, 6.7265770927008700853e+4,
                              3.3430575583588128105e+4, 2.5090809287301226727e+3};
  static const double b[8] = {1.0,
                              4.2313330701600911252e+1,
                              6.8718700749205790830e+2,
                              5.3941960214247511077e+3,
                              2.1213794301586595867e+4,
                              3.9307895800092710610e+4,
                              2.8729085735721942674e+4,
                              5.2264952788528545610e+3};
  static const double c[8] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                              5.76949722146069140550e0,  3.64784832476320460504e0,
                              1.27045825245236838258e0,  2.41780725177450611770e-1,
                              2.27238449892691845833e-2, 7.74545014278341407640e-4};
  static const double d[8] = {1.0,
                              2.05319162663775882187e0,
                              1.67638483018380384940e0,
                              6.89767334985100004550e-1,
                              1.48103976427480074590e-1,
                              1.51986665636164571966e-2,
                              5.47593808499534494600e-4,
                              1.05075007164441684324e-9};
  static const double e[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                              1.78482653991729133580e0,  2.96560571828504891230e-1,
                              2.65321895265761230930e-2, 1.24266094738807843860e-3,
                              2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static const double f[8] = {1.0,
                              5.99832206555887937690e-1,
                              1.36929880922735805310e-1,
                              1.48753612908506148525e-2,
                              7.86869131145613259100e-4,
                              1.84631831751005468180e-5,
                              1.42151175831644588870e-7,
                              2.04426310338993978564e-15};
  double q = p - 0.5;
  if (fabs(q) <= 0.425) {
    double r = 0.180625 - q * q;
    return q * evaluate_polynomial(a, r) / evaluate_polynomial(b, r);
  }
  double r = sqrt(-find_logarithm(q < 0 ? p : 1 - p));
  double x = r <= 5 ? evaluate_polynomial(c, r - 1.6) / evaluate_polynomial(d, r - 1.6)
                    : evaluate_polynomial(e, r - 5) / evaluate_polynomial(f, r - 5);
  return q < 0 ? -x : x;
}
