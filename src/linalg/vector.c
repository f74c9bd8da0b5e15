/* Dot products, norms, largest entries. Sums run in four lanes, always the same way: the result does not
 * depend on the compiler's vectoriser.
 */
#include "linalg/linalg_impl.h"
#include "linalg/small.h"

ritt_real ritti_dot(int n, const ritt_real *a, const ritt_real *b) { return ritti_small_dot(n, a, b); }

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

ritt_real ritti_log2_product(int n, const ritt_real *a, int stride) {
  const ritt_real most = (ritt_real)0x1p+300, least = (ritt_real)0x1p-300;
  ritt_real product = 1;
  int sum = 0, exponent;
  for (int i = 0; i < n; i++) {
    ritt_real next = product * a[i * stride], size = RITTI_MATH(fabs)(next);
    if (size > least && size < most) product = next;
    else product = RITTI_MATH(frexp)(product, &exponent) * a[i * stride], sum += exponent;
  }
  return sum + RITTI_MATH(log2)(RITTI_MATH(fabs)(product));
}
