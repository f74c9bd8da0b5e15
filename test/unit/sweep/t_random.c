/* Random numbers: the published vectors of Philox4x32-10, the normal quantile against erfc and
 * against itself, moments within their statistical bounds. */
#include <stdlib.h>
#include "check.h"
#include "sweep/ensemble.h"

/* Known answers of the Random123 distribution (kat_vectors, philox4x32 with 10 rounds), of the
 * authors of the paper. */
static void test_philox(void) {
  static const struct {
    uint32_t counter[4], key[2], out[4];
  } known[] = {
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
       {0xffffffff, 0xffffffff},
       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
       {0xa4093822, 0x299f31d0},
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    uint32_t out[4];
    ritti_philox(known[i].counter, known[i].key, out);
    CHECK(!memcmp(out, known[i].out, sizeof out));
  }
}

/* Phi(x) = erfc(-x/sqrt(2))/2. Far out the relative error of p is x^2 times that of x, which is
 * allowed 4 roundings beyond the two of the test's own argument. */
static void test_quantile(void) {
  for (double p = 1e-300; p < 0.5; p *= 1.37) {
    double x = ritti_normal_quantile(p), back = erfc(-x / sqrt(2)) / 2;
    CHECK_NEAR(back / p, 1, 6 * 1.2e-16 * (8 + x * x));
  }
  for (double p = 0.001; p < 0.5; p += 0.001) {
    double x = ritti_normal_quantile(p);
    CHECK_NEAR(erfc(-x / sqrt(2)) / 2, p, 1e-15);
    CHECK_NEAR(ritti_normal_quantile(1 - p), -x, 1e-13);
  }
  CHECK(ritti_normal_quantile(0.5) == 0);
  CHECK_NEAR(ritti_normal_quantile(0.975), 1.959963984540054,
             1e-15); /* tables of the normal distribution */
  CHECK_NEAR(ritti_normal_quantile(0.84134474606854293), 1, 1e-15);
  CHECK_NEAR(ritti_normal_quantile(0.5 * 0x1p-52), -8.2095361516013868,
             0.2); /* the smallest that is drawn: finite */
}

/* Mean, variance, skewness and kurtosis of n draws lie within 5 standard errors of those of the
 * law: for the normal one these errors are sqrt(1, 2, 6, 24)/sqrt(n), for the uniform one the
 * variances follow from its moments 1/(k+1). */
static void test_moments(void) {
  enum { N = 100000 };
  double normal[5] = {0}, uniform[3] = {0}, cross = 0, along = 0, last = 0;
  for (int run = 1; run <= N; run++) {
    double u = ritti_random(7, (uint64_t)run, 0), v = ritti_random(7, (uint64_t)run, 1);
    double x = ritti_normal_quantile(v), power = 1;
    CHECK(u > 0 && u < 1);
    for (int k = 1; k <= 4; k++) power *= x, normal[k] += power / N;
    uniform[1] += (u - 0.5) / N, uniform[2] += (u - 0.5) * (u - 0.5) / N;
    cross += (u - 0.5) * (v - 0.5) / N;
    along += run > 1 ? (u - 0.5) * (last - 0.5) / N : 0, last = u;
  }
  CHECK_NEAR(normal[1], 0, 5 * sqrt(1.0 / N));
  CHECK_NEAR(normal[2], 1, 5 * sqrt(2.0 / N));
  CHECK_NEAR(normal[3], 0, 5 * sqrt(15.0 / N));
  CHECK_NEAR(normal[4], 3, 5 * sqrt(96.0 / N));
  CHECK_NEAR(uniform[1], 0, 5 * sqrt(1.0 / 12 / N));
  CHECK_NEAR(uniform[2], 1.0 / 12, 5 * sqrt(1.0 / 180 / N));
  /* dimensions and neighbouring runs are not correlated */
  CHECK_NEAR(cross, 0, 5.0 / 12 / sqrt(N));
  CHECK_NEAR(along, 0, 5.0 / 12 / sqrt(N));
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Kolmogorov's distance of the empirical law of n draws is above 1.95/sqrt(n) in one of 1000 cases.
 */
static void test_law(void) {
  enum { N = 20000 };
  static double u[N];
  for (int seed = 0; seed < 4; seed++) {
    double distance = 0;
    for (int i = 0; i < N; i++) u[i] = ritti_random((uint64_t)seed << 33, (uint64_t)i + 1, 3);
    qsort(u, N, sizeof *u, compare);
    for (int i = 0; i < N; i++)
      distance = fmax(distance, fmax(fabs(u[i] - (double)i / N), fabs(u[i] - (double)(i + 1) / N)));
    CHECK(distance < 1.95 / sqrt(N));
    CHECK(distance > 0.1 / sqrt(N)); /* nor is it a lattice */
  }
}

int main(void) {
  test_philox();
  test_quantile();
  test_moments();
  test_law();
  return CHECKS_DONE();
}
