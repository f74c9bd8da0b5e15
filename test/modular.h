/* Arithmetic modulo the prime 2^61 - 1, for ranks that must be exact. */
#ifndef RITT_TEST_MODULAR_H
#define RITT_TEST_MODULAR_H

#include <stdint.h>

typedef uint64_t residue;
static const residue MOD_PRIME = ((residue)1 << 61) - 1;

static inline residue mod_add(residue a, residue b) {
  residue s = a + b;
  return s >= MOD_PRIME ? s - MOD_PRIME : s;
}
static inline residue mod_negate(residue a) { return a ? MOD_PRIME - a : 0; }
static inline residue mod_multiply(residue a, residue b) {
  /* in halves: a = a1 2^32 + a0, and 2^61 = 1 */
  residue a1 = a >> 32, a0 = a & 0xffffffffu, b1 = b >> 32, b0 = b & 0xffffffffu;
  residue low = a0 * b0, middle = a1 * b0 + a0 * b1, high = a1 * b1;
  residue s = (low & MOD_PRIME) + (low >> 61);
  s += (middle >> 29) + ((middle & 0x1fffffffu) << 32);
  s = (s & MOD_PRIME) + (s >> 61);
  s += high << 3;
  s = (s & MOD_PRIME) + (s >> 61);
  return s >= MOD_PRIME ? s - MOD_PRIME : s;
}
static inline residue mod_power(residue a, residue n) {
  residue r = 1;
  for (; n; n >>= 1, a = mod_multiply(a, a))
    if (n & 1) r = mod_multiply(r, a);
  return r;
}
static inline residue mod_inverse(residue a) { return mod_power(a, MOD_PRIME - 2); }
static inline residue mod_integer(long a) {
  return a >= 0 ? (residue)a % MOD_PRIME : mod_negate((residue)-a % MOD_PRIME);
}

/* Rank of a matrix by rows, which is overwritten. */
static inline int mod_rank(int rows, int cols, residue *a) {
  int rank = 0;
  for (int c = 0; c < cols && rank < rows; c++) {
    int pivot = rank;
    while (pivot < rows && !a[pivot * cols + c]) pivot++;
    if (pivot == rows) continue;
    for (int j = 0; j < cols && pivot != rank; j++) {
      residue swap = a[pivot * cols + j];
      a[pivot * cols + j] = a[rank * cols + j], a[rank * cols + j] = swap;
    }
    residue inverse = mod_inverse(a[rank * cols + c]);
    for (int i = rank + 1; i < rows; i++) {
      if (!a[i * cols + c]) continue;
      residue by = mod_negate(mod_multiply(a[i * cols + c], inverse));
      for (int j = c; j < cols; j++)
        a[i * cols + j] = mod_add(a[i * cols + j], mod_multiply(by, a[rank * cols + j]));
    }
    rank++;
  }
  return rank;
}

#endif
