/* Dot products, norms, largest entries. Sums run in four lanes, always the same way: the result
 * does not depend on the compiler's vectoriser.
 */
#include "linalg/linalg_impl.h"
#include "linalg/small.h"

ritt_real ritti_dot(int n, const ritt_real *a, const ritt_real *b) {
  return ritti_small_dot(n, a, b);
}

ritt_real ritti_norm(int n, const ritt_real *a) {
  ritt_real square = ritti_dot(n, a, a);
  if (square > 0x1p-900 && square < 0x1p1000) return RITTI_MATH(sqrt)(square);
  // too small or too large to square: scale by a power of two
  ritt_real largest = 0, sum = 0;
  for (int i = 0; i < n; i++) {
    ritt_real size = RITTI_MATH(fabs)(a[i]);
    if (!(size <= largest)) largest = size;
    if (isnan(size)) return size;
  }
  if (largest == 0 || isinf(largest)) return largest;
  int exponent = RITTI_MATH(ilogb)(largest);
  for (int i = 0; i < n; i++) {
    ritt_real scaled = RITTI_MATH(ldexp)(a[i], -exponent);
    sum += scaled * scaled;
  }
  return RITTI_MATH(ldexp)(RITTI_MATH(sqrt)(sum), exponent);
}

void ritti_scale(size_t n, ritt_real *x, int exponent) {
  while (exponent != 0) {
    int part = exponent > 1000 ? 1000 : exponent < -1000 ? -1000 : exponent;
    ritt_real factor = RITTI_MATH(ldexp)((ritt_real)1, part);
    for (size_t i = 0; i < n; i++) x[i] *= factor;
    exponent -= part;
  }
}

ritt_real ritti_largest(size_t n, const ritt_real *a) {
  ritt_real largest = 0;
  for (size_t i = 0; i < n; i++) {
    ritt_real size = RITTI_MATH(fabs)(a[i]);
    if (!isfinite(size)) return NAN;
    if (size > largest) largest = size;
  }
  return largest;
}

/* x = m 2^exponent with m in [sqrt(1/2), sqrt(2)), for normal x > 0 */
static double split_exponent(double x, int *exponent) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  /* the bits of sqrt(1/2) are those of the exponent -1: how many exponents beyond them? */
  uint64_t above = bits - UINT64_C(0x3fe6a09e667f3bcd);
  *exponent = (int)((int64_t)above >> 52);
  bits -= (uint64_t)*exponent << 52;
  memcpy(&x, &bits, sizeof bits);
  return x;
}

double ritti_log2(double x) {
  int exponent;
  double t = split_exponent(x, &exponent) - 1, s = t * t;
  return exponent + t * ((1.442578007 - 0.7202417961 * t) +
                         s * ((0.4866861618 - 0.3945754778 * t) + s * 0.252660358));
}

ritt_real ritti_log2_product(int n, const ritt_real *a, int stride) {
  const ritt_real most = (ritt_real)0x1p+300, least = (ritt_real)0x1p-300;
  ritt_real product = 1;
  int sum = 0, exponent;
  for (int i = 0; i < n; i++) {
    ritt_real next = product * a[i * stride], size = RITTI_MATH(fabs)(next);
    if (size > least && size < most) product = next;
    else product = RITTI_MATH(frexp)(product, &exponent) * a[i * stride], sum += exponent;
  }
  double size = (double)RITTI_MATH(fabs)(product);
  if (!(size < INFINITY)) return (ritt_real)size;
  return size >= 0x1p-1022 ? sum + (ritt_real)ritti_log2(size) : -(ritt_real)INFINITY;
}
