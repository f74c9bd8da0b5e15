/* Closed forms of solutions, for tests: Kepler's ellipse, the pendulum, the rigid body with
 * dissipation. */
#ifndef RITT_TEST_EXACT_H
#define RITT_TEST_EXACT_H

#include <math.h>
#include <stddef.h>

#define EXACT_PI 3.14159265358979323846

/* Kepler's problem from the pericentre (q, 0) with velocity (0, v) at t = 0, by Kepler's equation:
 * x, y, x', y'. */
static inline void exact_kepler(double q, double v, double t, double out[4]) {
  double a = 1 / (2 / q - v * v), e = q * v * v - 1, n = 1 / (a * sqrt(a)), b = a * sqrt(1 - e * e);
  double mean = remainder(n * t, 2 * EXACT_PI), E = mean;
  for (int i = 0; i < 50; i++) E -= (E - e * sin(E) - mean) / (1 - e * cos(E));
  double rate = n / (1 - e * cos(E));
  out[0] = a * (cos(E) - e);
  out[1] = b * sin(E);
  out[2] = -a * sin(E) * rate;
  out[3] = b * cos(E) * rate;
}

/* The elliptic functions sn, cn, dn of modulus k by the arithmetic-geometric mean; *quarter: the
 * quarter period K. */
static inline void exact_jacobi(double u, double k, double *sn, double *cn, double *dn,
                                double *quarter) {
  double a[16], c[16], b = sqrt(1 - k * k);
  int n = 0;
  a[0] = 1;
  c[0] = k;
  while (fabs(c[n]) > 1e-17 && n < 15) {
    a[n + 1] = (a[n] + b) / 2;
    c[n + 1] = (a[n] - b) / 2;
    b = sqrt(a[n] * b);
    n++;
  }
  if (quarter) *quarter = EXACT_PI / (2 * a[n]);
  double phi = ldexp(a[n] * u, n);
  for (; n > 0; n--) phi = (phi + asin(c[n] / a[n] * sin(phi))) / 2;
  *sn = sin(phi);
  *cn = cos(phi);
  *dn = sqrt(1 - k * k * *sn * *sn);
}

/* The pendulum of length 1 with g = 1 that starts at rest at (1, 0): x, y, x', y'. With theta from
 * the lowest point, sin(theta/2) = k sn(t + K), theta' = 2 k cn(t + K), k = sin(pi/4). */
static inline void exact_pendulum(double t, double out[4]) {
  double k = sqrt(0.5), K, sn, cn, dn;
  exact_jacobi(0, k, &sn, &cn, &dn, &K);
  exact_jacobi(t + K, k, &sn, &cn, &dn, NULL);
  double s = k * sn, c = dn, w = 2 * k * cn; /* sin and cos of theta/2, theta' */
  out[0] = 2 * s * c;
  out[1] = 2 * s * s - 1;
  out[2] = (1 - 2 * s * s) * w;
  out[3] = 2 * s * c * w;
}

/* The rigid body with dissipation, I1 = I2, kappa = 1/I3 - 1/I1, from the point z of the unit
 * sphere. */
static inline void exact_rigid(const double z[3], double alpha, double kappa, double x,
                               double out[3]) {
  double u = z[2] * z[2] / (1 - z[2] * z[2]) * exp(-2 * alpha * kappa * x);
  double y3 = copysign(sqrt(u / (1 + u)), z[2]);
  double phi = atan2(z[1], z[0]) + (atanh(y3) - atanh(z[2])) / alpha;
  out[0] = sqrt(1 - y3 * y3) * cos(phi);
  out[1] = sqrt(1 - y3 * y3) * sin(phi);
  out[2] = y3;
}

#endif
