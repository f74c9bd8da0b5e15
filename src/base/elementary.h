/* The elementary functions in doubles: exp, log, sin and so on. Each has an error below one unit in
 * the last place.
 *
 * The bits of a trajectory must not depend on the mathematical library of a machine, and a run must
 * have the same bits alone and in a vector of runs. This text therefore uses only operations that are
 * the same everywhere: sums, products, quotients, square roots, comparisons and the bits of a double.
 * It has no tables of values and hardly any branches, except for sines of huge numbers, so that it
 * serves one number and a vector alike.
 *
 * The text is written over the words of base/width.h. As everywhere, the compiler must not contract
 * products and sums. The polynomials are minimax fits made for this file.
 * test/unit/base/t_elementary.c compares the functions with MPFR.
 */
#ifndef RITTI_ELEMENTARY_H
#define RITTI_ELEMENTARY_H

#include "base/width.h"

/* ---- pairs: numbers with twice the digits ---- */

/* hi + lo, where |lo| is at most about a unit in the last place of hi */
typedef struct ritti_pair {
  ritt_real hi, lo;
} ritti_pair;

static inline ritti_pair ritti_pair_of(ritt_real hi, ritt_real lo) {
  ritti_pair pair = {hi, lo};
  return pair;
}

/* a + b without error, if |a| >= |b| */
static inline ritti_pair ritti_add_ordered(ritt_real a, ritt_real b) {
  ritt_real sum = a + b;
  return ritti_pair_of(sum, b - (sum - a));
}

/* a + b without error */
static inline ritti_pair ritti_add_exactly(ritt_real a, ritt_real b) {
  ritt_real sum = a + b, part = sum - a;
  return ritti_pair_of(sum, (a - (sum - part)) + (b - part));
}

/* a b without error, by Dekker's splitting of a and b into halves; |a|, |b|, |a b| < 2^990 */
static inline ritti_pair ritti_multiply_exactly(ritt_real a, ritt_real b) {
  ritt_real p = a * 0x8000001p0, q = b * 0x8000001p0, product = a * b;
  ritt_real a1 = p - (p - a), b1 = q - (q - b), a2 = a - a1, b2 = b - b1;
  return ritti_pair_of(product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2);
}

static inline ritti_pair ritti_multiply_pairs(ritti_pair a, ritti_pair b) {
  ritti_pair p = ritti_multiply_exactly(a.hi, b.hi);
  return ritti_add_ordered(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

static inline ritti_pair ritti_divide_pairs(ritti_pair a, ritti_pair b) {
  ritt_real quotient = a.hi / b.hi;
  ritti_pair p = ritti_multiply_exactly(quotient, b.hi);
  ritt_real rest = ((a.hi - p.hi) - p.lo) + (a.lo - quotient * b.lo);
  return ritti_add_ordered(quotient, rest / b.hi);
}

static inline ritti_pair ritti_sqrt_pair(ritti_pair a) {
  ritt_real root = RITTI_MATH(sqrt)(a.hi);
  ritti_pair p = ritti_multiply_exactly(root, root);
  ritt_real rest = ((a.hi - p.hi) - p.lo) + a.lo;
  return ritti_add_ordered(root, RITTI_SELECT(root > 0, rest / (root + root), RITTI_ZERO * root));
}

/* ---- bits ---- */

static inline ritt_real ritti_magnitude(ritt_real a) {
  return RITTI_TO_REAL(RITTI_TO_BITS(a) & 0x7fffffffffffffff);
}

/* |size| with the sign of a */
static inline ritt_real ritti_copy_sign(ritt_real size, ritt_real a) {
  ritti_bits all = RITTI_TO_BITS(size) & 0x7fffffffffffffff;
  return RITTI_TO_REAL(all | (RITTI_TO_BITS(a) & ~0x7fffffffffffffff));
}

/* a 2^k for |k| <= 2040, rounded once */
static inline ritt_real ritti_scale_by(ritt_real a, ritti_bits k) {
  ritti_bits half = k >> 1, other = k - half;
  return a * RITTI_TO_REAL(((half + 1023) & 0x7ff) << 52) *
         RITTI_TO_REAL(((other + 1023) & 0x7ff) << 52);
}

/* The whole number nearest to a, |a| < 2^50, as a real and as an integer */
static inline ritt_real ritti_nearest_whole(ritt_real a, ritti_bits *whole) {
  ritt_real shifted = a + 0x1.8p52;
  *whole = RITTI_TO_BITS(shifted) - 0x4338000000000000;
  return shifted - 0x1.8p52;
}

/* Polynomials are written in pairs of terms, pairs of pairs and so on (Estrin), so that processors
 * compute several at a time. */

/* ---- exponential function ---- */

static inline ritt_real ritti_exp_terms(ritt_real x) {
  ritt_real x2 = x * x, x4 = x2 * x2, x8 = x4 * x4;
  return (((0x1.5555555555555p-3 + 0x1.5555555555556p-5 * x) +
           (0x1.1111111111489p-7 + 0x1.6c16c16c1609cp-10 * x) * x2) +
          ((0x1.a01a019d9336ap-13 + 0x1.a01a01a7b6c66p-16 * x) +
           (0x1.71de465b12c44p-19 + 0x1.27e4d93ecb2bfp-22 * x) * x2) *
              x4) +
         ((0x1.ae323ee589b5dp-26 + 0x1.1f76adbb2315bp-29 * x) + 0x1.ad46e58a1f1fcp-33 * x2) * x8;
}

/* e^a = (hi + lo) 2^k, 0.7 < hi < 1.5, for |a| < 1500: k is the whole number nearest to a/ln 2, and
 * e^x = 1 + x + x^2 (1/2 + x q(x)) for x = a - k ln 2. */
static inline ritti_pair ritti_exp_parts(ritti_pair a, ritti_bits *k) {
  ritt_real n = ritti_nearest_whole(a.hi * 0x1.71547652b82fep+0, k);
  ritti_pair r = ritti_add_ordered(a.hi - n * 0x1.62e42feep-1, a.lo - n * 0x1.a39ef35793c76p-33);
  ritt_real x = r.hi;
  ritti_pair one = ritti_add_ordered(RITTI_ZERO + 1, x);
  ritt_real rest = one.lo + (r.lo + r.lo * x);
  return ritti_add_ordered(one.hi, rest + x * x * (0.5 + x * ritti_exp_terms(x)));
}

/* a moved to where e^a is 0 or infinite, if it lies beyond */
static inline ritt_real ritti_limit_exponent(ritt_real a) {
  a = RITTI_SELECT(a > 720, RITTI_ZERO + 720, a);
  return RITTI_SELECT(a < -760, RITTI_ZERO - 760, a);
}

static inline ritt_real ritti_exp_pair(ritti_pair a) {
  ritti_bits k;
  ritt_real hi = ritti_limit_exponent(a.hi);
  ritti_pair e = ritti_exp_parts(ritti_pair_of(hi, RITTI_SELECT(hi == a.hi, a.lo, RITTI_ZERO)), &k);
  return ritti_scale_by(e.hi + e.lo, k);
}

static inline ritt_real ritti_inline_exp(ritt_real a) {
  ritti_bits k;
  ritti_pair e = ritti_exp_parts(ritti_pair_of(ritti_limit_exponent(a), RITTI_ZERO), &k);
  return ritti_scale_by(e.hi + e.lo, k);
}

/* ---- hyperbolic functions ---- */

static inline ritt_real ritti_sinh_terms(ritt_real x) {
  ritt_real x2 = x * x, x4 = x2 * x2;
  return ((0x1.5555555555555p-3 + 0x1.11111111112c7p-7 * x) +
          (0x1.a01a019f7aee3p-13 + 0x1.71de3bd6ff322p-19 * x) * x2) +
         (0x1.ae60fba86f028p-26 + 0x1.64541228de67p-33 * x) * x4;
}
static inline ritt_real ritti_tanh_terms(ritt_real x) {
  ritt_real x2 = x * x, x4 = x2 * x2, x8 = x4 * x4;
  return (((-0x1.5555555555555p-2 + 0x1.1111111111006p-3 * x) +
           (-0x1.ba1ba1b9fc9acp-5 + 0x1.664f487552ccbp-6 * x) * x2) +
          ((-0x1.226e3217bd554p-7 + 0x1.d6d2d1a899d34p-9 * x) +
           (-0x1.7d89b2d9ac72cp-10 + 0x1.3393134a8d388p-11 * x) * x2) *
              x4) +
         (((-0x1.ca1e65d18025ep-13 + 0x1.2bda7f922332dp-17 * x) +
           (0x1.c4390170938e5p-13 - 0x1.e680ce0559205p-12 * x) * x2) +
          (0x1.122657a6f8839p-11 - 0x1.0e0ca1d9136p-12 * x) * x4) *
             x8;
}

/* e^x = up 2^k and e^-x = down 2^k, x >= 0 */
static inline void ritti_exp_both(ritt_real x, ritti_pair *up, ritti_pair *down, ritti_bits *k) {
  ritti_bits l;
  x = ritti_limit_exponent(x);
  *up = ritti_exp_parts(ritti_pair_of(x, RITTI_ZERO), k);
  *down = ritti_exp_parts(ritti_pair_of(-x, RITTI_ZERO), &l);
  ritti_bits shift = l - *k;
  shift = RITTI_SELECT(shift < -1000, shift * 0 - 1000, shift); /* too small to matter */
  down->hi = ritti_scale_by(down->hi, shift);
  down->lo = ritti_scale_by(down->lo, shift);
}

/* For small |a| a polynomial, else (e^a - e^-a)/2 */
static inline ritt_real ritti_inline_sinh(ritt_real a) {
  ritt_real x = ritti_magnitude(a), z = x * x, near = x + x * (z * ritti_sinh_terms(z));
  ritti_pair up, down;
  ritti_bits k;
  ritti_exp_both(x, &up, &down, &k);
  ritti_pair difference = ritti_add_ordered(up.hi, -down.hi);
  ritt_real far = ritti_scale_by(difference.hi + (difference.lo + (up.lo - down.lo)), k - 1);
  return ritti_copy_sign(RITTI_SELECT(x < 0.5, near, far), a);
}

static inline ritt_real ritti_inline_cosh(ritt_real a) {
  ritti_pair up, down;
  ritti_bits k;
  ritti_exp_both(ritti_magnitude(a), &up, &down, &k);
  ritti_pair sum = ritti_add_ordered(up.hi, down.hi);
  return ritti_scale_by(sum.hi + (sum.lo + (up.lo + down.lo)), k - 1);
}

/* For small |a| a polynomial, else 1 - 2 e^-2a/(1 + e^-2a) */
static inline ritt_real ritti_inline_tanh(ritt_real a) {
  ritt_real x = ritti_magnitude(a), z = x * x, near = x + x * (z * ritti_tanh_terms(z));
  ritti_bits k;
  ritt_real bound = RITTI_SELECT(x > 30, RITTI_ZERO + 30, x);
  ritti_pair e = ritti_exp_parts(ritti_pair_of(-2 * bound, RITTI_ZERO), &k);
  e.hi = ritti_scale_by(e.hi, k), e.lo = ritti_scale_by(e.lo, k);
  ritti_pair below = ritti_add_ordered(RITTI_ZERO + 1, e.hi);
  below.lo += e.lo;
  ritti_pair part = ritti_divide_pairs(ritti_pair_of(2 * e.hi, 2 * e.lo), below);
  ritti_pair far = ritti_add_ordered(RITTI_ZERO + 1, -part.hi);
  return ritti_copy_sign(RITTI_SELECT(x < 0.55, near, far.hi + (far.lo - part.lo)), a);
}

/* ---- logarithms ---- */

static inline ritt_real ritti_log_terms(ritt_real x) {
  ritt_real x2 = x * x, x4 = x2 * x2;
  return ((0x1.5555555555555p-1 + 0x1.9999999999d58p-2 * x) +
          (0x1.249249242f0a3p-2 + 0x1.c71c725c1a07p-3 * x) * x2) +
         ((0x1.745cdb9028218p-3 + 0x1.3b2153d48def4p-3 * x) +
          (0x1.0f4a9be5a1d96p-3 + 0x1.101e903bde005p-3 * x) * x2) *
             x4;
}
static inline ritt_real ritti_long_terms(ritt_real x) {
  ritt_real x2 = x * x, x4 = x2 * x2, x8 = x4 * x4;
  return (((0x1.999999999999ap-3 + 0x1.2492492492206p-3 * x) +
           (0x1.c71c71c7b40d5p-4 + 0x1.745d16c7293aap-4 * x) * x2) +
          ((0x1.3b13e965c894bp-4 + 0x1.1102ea42e7f3dp-4 * x) +
           (0x1.e5f4c01e143b8p-5 + 0x1.5eedc410fe758p-5 * x) * x2) *
              x4) +
         0x1.08b87cf084087p-3 * x8;
}

/* a = (1 + f) 2^k with sqrt(1/2) <= 1 + f < sqrt(2), for finite a > 0; returns f. */
static inline ritt_real ritti_log_reduce(ritt_real a, ritt_real *k) {
  ritt_real size = ritti_magnitude(a);
  ritti_mask tiny = size < 0x1p-1022;
  ritt_real scaled = RITTI_SELECT(tiny, size * 0x1p54, size);
  ritti_bits bits = RITTI_TO_BITS(scaled), whole = (bits - 0x3fe6a09e667f3bcd) >> 52;
  /* a whole number to a real: its bits in the last places of 1.5 2^52 */
  *k = RITTI_TO_REAL(whole + 0x4338000000000000) - 0x1.8p52;
  *k = RITTI_SELECT(tiny, *k - 54, *k);
  return RITTI_TO_REAL(bits - whole * 0x10000000000000) - 1;
}

/* The logarithm where a is 0, negative, infinite or not a number; `usual` for all other a */
static inline ritt_real ritti_log_special(ritt_real a, ritt_real usual) {
  ritt_real infinite = RITTI_ZERO + INFINITY;
  usual = RITTI_SELECT(a < infinite, usual, a);
  usual = RITTI_SELECT(a < 0, infinite - infinite, usual);
  return RITTI_SELECT(a == 0, -infinite, usual);
}

/* With s = f/(2 + f): log(1 + f) = 2s + s^3 R(s^2) = f - f^2/2 + s (f^2/2 + s^2 R(s^2)), in which
 * f has no error. */
static inline ritt_real ritti_inline_log(ritt_real a) {
  ritt_real k, f = ritti_log_reduce(a, &k), s = f / (2 + f), z = s * s, half = 0.5 * f * f;
  ritt_real rest = s * (half + z * ritti_log_terms(z)) + k * 0x1.a39ef35793c76p-33;
  ritti_pair sum = ritti_add_exactly(k * 0x1.62e42feep-1, f);
  return ritti_log_special(a, sum.hi + (sum.lo + (rest - half)));
}

/* log(a) with about 65 bits, for finite a > 0: log(1 + f)/2 = s + s^3/3 + s^5 L(s^2) */
static inline ritti_pair ritti_log_pair(ritt_real a) {
  ritt_real k, f = ritti_log_reduce(a, &k);
  ritti_pair below = ritti_add_ordered(RITTI_ZERO + 2, f);
  ritti_pair s = ritti_divide_pairs(ritti_pair_of(f, RITTI_ZERO), below);
  ritti_pair z = ritti_multiply_pairs(s, s);
  ritti_pair inner =
      ritti_add_ordered(RITTI_ZERO + 0x1.5555555555555p-2, z.hi * ritti_long_terms(z.hi));
  /* z.hi = z.lo = 0 leaves inner as it is */
  inner.lo = inner.lo + (0x1.5555555555555p-56 + z.lo * 0.2);
  ritti_pair cubic = ritti_multiply_pairs(ritti_multiply_pairs(s, z), inner);
  ritti_pair sum = ritti_add_ordered(2 * s.hi, 2 * cubic.hi);
  sum = ritti_add_ordered(sum.hi, sum.lo + 2 * (s.lo + cubic.lo));

  /* k ln 2: the first part has no error */
  ritti_pair shift = ritti_add_ordered(k * 0x1.62e42feep-1, k * 0x1.a39ef35793c76p-33);
  ritti_pair all = ritti_add_exactly(shift.hi, sum.hi);
  return ritti_add_ordered(all.hi, all.lo + (shift.lo + sum.lo));
}

static inline ritt_real ritti_inline_log2(ritt_real a) {
  ritti_pair p =
      ritti_multiply_pairs(ritti_log_pair(a), ritti_pair_of(RITTI_ZERO + 0x1.71547652b82fep+0,
                                                            RITTI_ZERO + 0x1.777d0ffda0d24p-56));
  return ritti_log_special(a, p.hi + p.lo);
}

static inline ritt_real ritti_inline_log10(ritt_real a) {
  ritti_pair p =
      ritti_multiply_pairs(ritti_log_pair(a), ritti_pair_of(RITTI_ZERO + 0x1.bcb7b1526e50ep-2,
                                                            RITTI_ZERO + 0x1.95355baaafad3p-57));
  return ritti_log_special(a, p.hi + p.lo);
}

/* ---- powers ---- */

/* |a|^b = e^(b log |a|), with the cases of C11, F.10.4.4 */
static inline ritt_real ritti_inline_pow(ritt_real a, ritt_real b) {
  ritt_real size = ritti_magnitude(a), infinite = RITTI_ZERO + INFINITY;
  ritti_pair l = ritti_log_pair(size);
  /* b beyond 2^80 overflows or underflows, unless |a| = 1 */
  ritt_real bound = RITTI_SELECT(b > 0x1p80, RITTI_ZERO + 0x1p80, b);
  bound = RITTI_SELECT(bound < -0x1p80, RITTI_ZERO - 0x1p80, bound);
  ritti_pair p = ritti_multiply_exactly(bound, l.hi);
  ritt_real power = ritti_exp_pair(ritti_add_ordered(p.hi, p.lo + bound * l.lo));

  /* a = 0 or infinite: the logarithm is infinite */
  ritt_real large = RITTI_SELECT(b > 0, infinite, RITTI_ZERO);
  ritt_real small = RITTI_SELECT(b < 0, infinite, RITTI_ZERO);
  power = RITTI_SELECT(size == infinite, large, power);
  power = RITTI_SELECT(size == 0, small, power);

  /* a negative: the sign, if b is a whole number; no value, if it is not and a is finite */
  ritt_real magnitude = ritti_magnitude(b);
  ritti_mask fits = magnitude < 0x1p52;
  ritt_real held = RITTI_SELECT(fits, magnitude, RITTI_ZERO);
  ritt_real whole = (held + 0x1p52) - 0x1p52, halves = 0.5 * held;
  ritt_real whole_halves = (halves + 0x1p52) - 0x1p52;
  ritti_mask is_whole = RITTI_OR(whole == held, RITTI_NOT(fits));
  /* numbers between 2^52 and 2^53 may still be odd */
  ritti_mask odd_large = RITTI_AND(RITTI_AND(magnitude >= 0x1p52, magnitude < 0x1p53),
                                   (RITTI_TO_BITS(magnitude) & 1) == 1);
  ritti_mask odd =
      RITTI_OR(RITTI_AND(RITTI_AND(fits, is_whole), whole_halves != halves), odd_large);
  ritti_mask minus = RITTI_TO_BITS(a) < 0;
  power = RITTI_SELECT(RITTI_AND(minus, odd), -power, power);
  ritti_mask none = RITTI_AND(RITTI_AND(a < 0, RITTI_NOT(is_whole)), RITTI_NOT(size == infinite));
  power = RITTI_SELECT(none, infinite - infinite, power);

  power = RITTI_SELECT(RITTI_OR(a != a, b != b), a + b, power);
  ritti_mask one = RITTI_OR(b == 0, a == 1);
  one = RITTI_OR(one, RITTI_AND(a == -1, magnitude == infinite));
  return RITTI_SELECT(one, RITTI_ZERO + 1, power);
}

static inline ritt_real ritti_inline_cbrt(ritt_real a) {
  ritt_real size = ritti_magnitude(a);
  ritti_pair third =
      ritti_multiply_pairs(ritti_log_pair(size), ritti_pair_of(RITTI_ZERO + 0x1.5555555555555p-2,
                                                               RITTI_ZERO + 0x1.5555555555555p-56));
  ritt_real root = ritti_copy_sign(ritti_exp_pair(third), a);
  return RITTI_SELECT(RITTI_AND(size > 0, size < INFINITY), root, a);
}

/* ---- sine, cosine, tangent ---- */

static inline ritt_real ritti_sin_terms(ritt_real x) {
  ritt_real x2 = x * x, x4 = x2 * x2;
  return ((-0x1.5555555555555p-3 + 0x1.111111111101ep-7 * x) +
          (-0x1.a01a019fe884cp-13 + 0x1.71de3a1032ce5p-19 * x) * x2) +
         ((-0x1.ae63f7f5d45cap-26 + 0x1.60e5c369cdbf1p-33 * x) - 0x1.8d4c2cd43d45fp-41 * x2) * x4;
}
static inline ritt_real ritti_cos_terms(ritt_real x) {
  ritt_real x2 = x * x, x4 = x2 * x2;
  return ((0x1.5555555555555p-5 - 0x1.6c16c16c16a32p-10 * x) +
          (0x1.a01a019fb7a98p-16 - 0x1.27e4faeead5f4p-22 * x) * x2) +
         ((0x1.1eecd5a76417bp-29 - 0x1.92a5c0ed8fa22p-37 * x) + 0x1.34457d5f2ebffp-45 * x2) * x4;
}

/* a = n pi/2 + (hi + lo), |hi| <= pi/4, for one number of 2^20 or more: the bits of 2/pi that matter
 * times the 53 bits of a (Payne and Hanek) */
static inline int ritti_reduce_huge(ritti_single a, ritti_single *hi, ritti_single *lo) {
  static const unsigned two_over_pi[] = {
      0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
      0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e,
      0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b,
      0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7,
      0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1,
      0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d};
  typedef unsigned long long word;
  enum { PARTS = 7, ALL = PARTS + 2 };
  /* |a| = whole 2^exponent; parts of 2/pi that give multiples of 4 are left out */
  word bits = (word)RITTI_ONE_TO_BITS(a), whole = (bits & 0xfffffffffffff) | 0x10000000000000;
  int exponent = (int)(bits >> 52 & 0x7ff) - 1075, first = exponent < 2 ? 0 : (exponent - 2) / 32;

  /* product[i], lowest first: the whole number times parts first .. first + 6 */
  unsigned product[ALL + 1] = {0};
  word factor[2] = {whole & 0xffffffff, whole >> 32};
  for (int j = 0; j < 2; j++) {
    word carry = 0;
    for (int i = 0; i < PARTS; i++) {
      carry += factor[j] * two_over_pi[first + PARTS - 1 - i] + product[i + j];
      product[i + j] = (unsigned)carry;
      carry >>= 32;
    }
    product[PARTS + j] = (unsigned)carry;
  }

  /* the point stands behind bit `point`; shift so that the two bits before it are the highest */
  int point = 32 * (first + PARTS) - exponent, shift = 32 * ALL - (point + 2);
  unsigned part[6]; /* highest first */
  for (int i = 0; i < 6; i++) {
    int from = ALL - 1 - i - shift / 32;
    word pair = (word)(from >= 0 ? product[from] : 0) << 32 | (from >= 1 ? product[from - 1] : 0);
    part[i] = (unsigned)(pair << shift % 32 >> 32);
  }
  int n = (int)(part[0] >> 30);
  bool above = part[0] >> 29 & 1; /* the fraction is 1/2 or more: the next multiple is nearer */
  part[0] &= 0x3fffffff;
  if (above) { /* 1 minus the fraction */
    word carry = 1;
    for (int i = 5; i >= 0; i--) {
      carry += (word)(~part[i]);
      part[i] = (unsigned)carry;
      carry >>= 32;
    }
    part[0] &= 0x3fffffff;
    n++;
  }

  ritti_single sum = 0, rest = 0, unit = 0x1p-30;
  for (int i = 0; i < 6; i++, unit *= 0x1p-32) {
    ritti_single term = part[i] * unit, next = sum + term;
    rest += term - (next - sum);
    sum = next;
  }
  if (above) sum = -sum, rest = -rest;
  *hi = sum, *lo = rest;
  return n;
}

/* a = n pi/2 + r, |r| <= pi/4 */
static inline ritti_pair ritti_reduce_angle(ritt_real a, ritti_bits *n) {
  ritti_mask huge = ritti_magnitude(a) > 0x1p20;
  ritt_real x = RITTI_SELECT(huge, RITTI_ZERO, a);
  ritt_real k = ritti_nearest_whole(x * 0x1.45f306dc9c883p-1, n);
  /* pi/2 in parts of 33 bits, whose products with k have no error */
  ritt_real most = x - k * 0x1.921fb544p+0, next = k * 0x1.0b4611a6p-34;
  ritti_pair r = ritti_add_ordered(most, -next);
  r.lo = r.lo - k * 0x1.3198a2e037073p-69;

  /* a near a multiple of pi/2, or large: more parts */
  ritti_mask plain = RITTI_AND(ritti_magnitude(most) > 0x1p-20, ritti_magnitude(k) < 0x1p10);
  plain = RITTI_OR(plain, k == 0);
  if (RITTI_ANY(RITTI_NOT(plain))) {
    ritti_pair t = ritti_add_exactly(most, -next);
    ritti_pair s = ritti_add_exactly(t.hi, -(k * 0x1.3198a2ep-69));
    t = ritti_add_exactly(s.hi, t.lo);
    t = ritti_add_ordered(t.hi, t.lo + (s.lo - k * 0x1.b839a252049c1p-104));
    r.hi = RITTI_SELECT(plain, r.hi, t.hi), r.lo = RITTI_SELECT(plain, r.lo, t.lo);
  }
  if (!RITTI_ANY(huge)) return r;

  for (int l = 0; l < RITTI_WIDTH; l++) {
    ritti_single number = RITTI_LANE(a, l), size = number < 0 ? -number : number, hi, lo;
    if (!(size > 0x1p20)) continue;
    int quarter = 0;
    if (size < INFINITY) quarter = ritti_reduce_huge(size, &hi, &lo);
    else hi = lo = number - number;
    RITTI_LANE(*n, l) = number < 0 ? -quarter : quarter;
    RITTI_LANE(r.hi, l) = number < 0 ? -hi : hi;
    RITTI_LANE(r.lo, l) = number < 0 ? -lo : lo;
  }
  ritti_pair t = ritti_multiply_pairs(
      r, ritti_pair_of(RITTI_ZERO + 0x1.921fb54442d18p+0, RITTI_ZERO + 0x1.1a62633145c07p-54));
  r.hi = RITTI_SELECT(huge, t.hi, r.hi), r.lo = RITTI_SELECT(huge, t.lo, r.lo);
  return r;
}

/* sin(r), |r| <= pi/4 */
static inline ritti_pair ritti_sin_near(ritti_pair r) {
  ritt_real x = r.hi, z = x * x;
  return ritti_pair_of(x, x * (z * ritti_sin_terms(z)) + r.lo * (1 - 0.5 * z));
}

/* cos(r), |r| <= pi/4 */
static inline ritti_pair ritti_cos_near(ritti_pair r) {
  ritt_real z = r.hi * r.hi;
  ritti_pair one = ritti_add_ordered(RITTI_ZERO + 1, -0.5 * z);
  return ritti_pair_of(one.hi, one.lo + (z * z * ritti_cos_terms(z) - r.hi * r.lo));
}

/* Both, each the one that the quarter turn n selects */
static inline void ritti_inline_sincos(ritt_real a, ritt_real *sine, ritt_real *cosine) {
  ritti_bits n;
  ritti_pair r = ritti_reduce_angle(a, &n), s = ritti_sin_near(r), c = ritti_cos_near(r);
  ritt_real first = s.hi + s.lo, second = c.hi + c.lo;
  ritti_mask odd = (n & 1) != 0;
  ritt_real x = RITTI_SELECT(odd, second, first), y = RITTI_SELECT(odd, first, second);
  *sine = RITTI_SELECT((n & 2) != 0, -x, x);
  *cosine = RITTI_SELECT(((n + 1) & 2) != 0, -y, y);
  *sine = RITTI_SELECT(a == 0, a, *sine);
}

/* The sine of r + n pi/2 */
static inline ritt_real ritti_sin_quarter(ritti_pair r, ritti_bits n) {
  ritti_mask odd = (n & 1) != 0;
  ritt_real value;
  if (RITTI_WIDTH == 1) {
    ritti_pair one = RITTI_ANY(odd) ? ritti_cos_near(r) : ritti_sin_near(r);
    value = one.hi + one.lo;
  } else {
    ritti_pair s = ritti_sin_near(r), c = ritti_cos_near(r);
    value = RITTI_SELECT(odd, c.hi + c.lo, s.hi + s.lo);
  }
  return RITTI_SELECT((n & 2) != 0, -value, value);
}

static inline ritt_real ritti_inline_sin(ritt_real a) {
  ritti_bits n;
  ritti_pair r = ritti_reduce_angle(a, &n);
  return RITTI_SELECT(a == 0, a, ritti_sin_quarter(r, n));
}

static inline ritt_real ritti_inline_cos(ritt_real a) {
  ritti_bits n;
  ritti_pair r = ritti_reduce_angle(a, &n);
  return ritti_sin_quarter(r, n + 1);
}

/* sin(r), |r| <= pi/4, to about 60 bits: r - r^3/6 with twice the digits, and the other terms */
static inline ritti_pair ritti_sin_pair(ritti_pair r) {
  ritt_real x = r.hi;
  ritti_pair z = ritti_multiply_exactly(x, x), cube = ritti_multiply_exactly(x, z.hi);
  ritti_pair sixth = ritti_multiply_exactly(cube.hi, RITTI_ZERO - 0x1.5555555555555p-3);
  ritt_real others = ritti_sin_terms(z.hi) + 0x1.5555555555555p-3;
  ritt_real low = -0x1.5555555555555p-3 * (cube.lo + x * z.lo) - 0x1.5555555555555p-57 * cube.hi;
  ritti_pair sum = ritti_add_ordered(x, sixth.hi);
  low = sum.lo + ((sixth.lo + low) + (cube.hi * others + r.lo * (1 - 0.5 * z.hi)));
  return ritti_add_ordered(sum.hi, low);
}

static inline ritt_real ritti_inline_tan(ritt_real a) {
  ritti_bits n;
  ritti_pair r = ritti_reduce_angle(a, &n), s = ritti_sin_pair(r), c = ritti_cos_near(r);
  ritti_mask odd = (n & 1) != 0;
  c.lo = c.lo - 0.5 * ritti_multiply_exactly(r.hi, r.hi).lo;
  c = ritti_add_ordered(c.hi, c.lo);
  ritti_pair above = ritti_pair_of(RITTI_SELECT(odd, -c.hi, s.hi), RITTI_SELECT(odd, -c.lo, s.lo));
  ritti_pair below = ritti_pair_of(RITTI_SELECT(odd, s.hi, c.hi), RITTI_SELECT(odd, s.lo, c.lo));
  ritti_pair t = ritti_divide_pairs(above, below);
  return RITTI_SELECT(a == 0, a, t.hi + t.lo);
}

/* ---- inverse trigonometric functions ---- */

static inline ritt_real ritti_atan_terms(ritt_real x) {
  ritt_real x2 = x * x, x4 = x2 * x2, x8 = x4 * x4;
  return (((-0x1.5555555555555p-2 + 0x1.9999999999803p-3 * x) +
           (-0x1.249249248058bp-3 + 0x1.c71c71bb59d99p-4 * x) * x2) +
          ((-0x1.745d151c52cdfp-4 + 0x1.3b13722decb1p-4 * x) +
           (-0x1.110c5bc53117bp-4 + 0x1.e16843c05690fp-5 * x) * x2) *
              x4) +
         (((-0x1.aaf779140590cp-5 + 0x1.6d02d6eb59c25p-5 * x) +
           (-0x1.0116b95e55113p-5 + 0x1.4cd6b27155486p-7 * x) * x2) +
          0x1.537937e2813f1p-8 * x4) *
             x8;
}

/* The angle of the point (x, y), 0 <= angle <= pi/2; x, y >= 0, not both 0, below 2^500. The ratio
 * t is y/x, (y - x)/(y + x) or -x/y, whichever is smallest; the angle is that of t and a multiple of
 * pi/4. */
static inline ritti_pair ritti_angle(ritti_pair x, ritti_pair y) {
  ritti_pair sum = ritti_add_exactly(y.hi, x.hi), difference = ritti_add_exactly(y.hi, -x.hi);
  ritti_mask low = y.hi<0x1.a827999fcef32p-2 * x.hi, high = y.hi> 0x1.3504f333f9de6p+1 * x.hi;
  ritti_pair above, below;
  above.hi = RITTI_SELECT(low, y.hi, RITTI_SELECT(high, -x.hi, difference.hi));
  above.lo = RITTI_SELECT(low, y.lo, RITTI_SELECT(high, -x.lo, difference.lo + (y.lo - x.lo)));
  below.hi = RITTI_SELECT(low, x.hi, RITTI_SELECT(high, y.hi, sum.hi));
  below.lo = RITTI_SELECT(low, x.lo, RITTI_SELECT(high, y.lo, sum.lo + (y.lo + x.lo)));

  ritti_pair ratio = ritti_divide_pairs(above, below);
  ritt_real t = ratio.hi, z = t * t;
  ritt_real rest = t * (z * ritti_atan_terms(z)) + (ratio.lo - ratio.lo * z);
  ritt_real quarters =
      RITTI_SELECT(low, RITTI_ZERO, RITTI_SELECT(high, RITTI_ZERO + 2, RITTI_ZERO + 1));
  ritti_pair angle = ritti_add_ordered(quarters * 0x1.921fb54442d18p-1, t);
  ritti_mask none = quarters == 0; /* the first number need not be the larger one then */
  angle.hi = RITTI_SELECT(none, t, angle.hi), angle.lo = RITTI_SELECT(none, RITTI_ZERO, angle.lo);
  return ritti_pair_of(angle.hi, angle.lo + (rest + quarters * 0x1.1a62633145c07p-55));
}

/* pi - angle */
static inline ritti_pair ritti_supplement(ritti_pair angle) {
  ritti_pair pi = ritti_add_ordered(RITTI_ZERO + 0x1.921fb54442d18p+1, -angle.hi);
  return ritti_pair_of(pi.hi, pi.lo + (0x1.1a62633145c07p-53 - angle.lo));
}

static inline ritt_real ritti_inline_atan(ritt_real a) {
  ritt_real size = ritti_magnitude(a);
  ritt_real bound = RITTI_SELECT(size > 0x1p60, RITTI_ZERO + 0x1p60, size);
  ritti_pair angle =
      ritti_angle(ritti_pair_of(RITTI_ZERO + 1, RITTI_ZERO), ritti_pair_of(bound, RITTI_ZERO));
  /* a tiny number is its own arc tangent; products of its halves underflow */
  ritt_real value = RITTI_SELECT(size < 0x1p-400, size, angle.hi + angle.lo);
  return ritti_copy_sign(value, a);
}

static inline ritt_real ritti_inline_atan2(ritt_real b, ritt_real a) {
  ritt_real x = ritti_magnitude(a), y = ritti_magnitude(b), infinite = RITTI_ZERO + INFINITY;
  /* infinite numbers are large ones beside finite ones; two of them are equal */
  ritti_mask any = RITTI_OR(x == infinite, y == infinite);
  ritt_real u = RITTI_SELECT(x == infinite, RITTI_ZERO + 1, RITTI_ZERO);
  ritt_real v = RITTI_SELECT(y == infinite, RITTI_ZERO + 1, RITTI_ZERO);
  x = RITTI_SELECT(any, u, x), y = RITTI_SELECT(any, v, y);
  /* the larger one becomes about 1, without rounding unless the other becomes tiny */
  ritt_real most = RITTI_SELECT(x > y, x, y);
  ritti_mask tiny = most < 0x1p-900;
  x = RITTI_SELECT(tiny, x * 0x1p120, x), y = RITTI_SELECT(tiny, y * 0x1p120, y);
  most = RITTI_SELECT(tiny, most * 0x1p120, most);
  ritti_bits exponent = (RITTI_TO_BITS(most) >> 52) - 1023;
  ritt_real x1 = ritti_scale_by(x, -exponent), y1 = ritti_scale_by(y, -exponent);
  ritti_mask origin = most == 0;
  x1 = RITTI_SELECT(origin, RITTI_ZERO + 1, x1);
  ritti_pair angle = ritti_angle(ritti_pair_of(x1, RITTI_ZERO), ritti_pair_of(y1, RITTI_ZERO));
  /* a quotient so small that its digits are lost in products of halves */
  ritti_mask small = y1 < 0x1p-400;
  angle.hi = RITTI_SELECT(small, y / x, angle.hi),
  angle.lo = RITTI_SELECT(small, RITTI_ZERO, angle.lo);
  angle.hi = RITTI_SELECT(origin, RITTI_ZERO, angle.hi);
  ritti_pair other = ritti_supplement(angle);
  ritti_mask left = RITTI_TO_BITS(a) < 0;
  ritt_real value = RITTI_SELECT(left, other.hi + other.lo, angle.hi + angle.lo);
  value = RITTI_SELECT(RITTI_OR(a != a, b != b), a + b, value);
  return ritti_copy_sign(value, b);
}

/* sqrt(1 - x^2), 0 <= x <= 1; not a number beyond */
static inline ritti_pair ritti_other_leg(ritt_real x) {
  ritti_pair low = ritti_add_ordered(RITTI_ZERO + 1, -x),
             high = ritti_add_ordered(RITTI_ZERO + 1, x);
  return ritti_sqrt_pair(ritti_multiply_pairs(low, high));
}

static inline ritt_real ritti_inline_asin(ritt_real a) {
  ritt_real x = ritti_magnitude(a);
  ritti_pair angle = ritti_angle(ritti_other_leg(x), ritti_pair_of(x, RITTI_ZERO));
  return ritti_copy_sign(RITTI_SELECT(x < 0x1p-400, x, angle.hi + angle.lo), a);
}

static inline ritt_real ritti_inline_acos(ritt_real a) {
  ritt_real x = ritti_magnitude(a);
  ritti_pair angle = ritti_angle(ritti_pair_of(x, RITTI_ZERO), ritti_other_leg(x));
  ritti_pair other = ritti_supplement(angle);
  return RITTI_SELECT(a < 0, other.hi + other.lo, angle.hi + angle.lo);
}

/* ---- the error function ---- */

/* erf(x)/x - 1 = 2/sqrt(pi) - 1 - 2/(3 sqrt(pi)) x^2 + x^4 times this polynomial in x^2 */
static inline ritt_real ritti_erf_terms(ritt_real x) {
  ritt_real x2 = x * x, x4 = x2 * x2, x8 = x4 * x4;
  return (((0x1.ce2f21a042be2p-4 - 0x1.b82ce31288b48p-6 * x) +
           (0x1.565bcd0e69e2ap-8 - 0x1.c02db3fff5e37p-11 * x) * x2) +
          ((0x1.f9a326e05a4cdp-14 - 0x1.f4d25737f180bp-17 * x) +
           (0x1.b9e62ac4d3824p-20 - 0x1.5f678157251dep-23 * x) * x2) *
              x4) +
         ((0x1.fb77685fc3b76p-27 - 0x1.470d69b7988f0p-30 * x) + 0x1.36f50bf646050p-34 * x2) * x8;
}

/* erf(x), 0 <= x < 0.86 */
static inline ritti_pair ritti_erf_near(ritt_real x) {
  ritti_pair z = ritti_multiply_exactly(x, x);
  ritt_real rest = z.hi * ritti_erf_terms(z.hi);
  ritti_pair second = ritti_add_ordered(RITTI_ZERO - 0x1.812746b0379e7p-2, rest);
  second.lo += 0x1.ee12e49cab700p-57;
  ritti_pair part = ritti_multiply_exactly(z.hi, second.hi);
  part.lo += z.hi * second.lo + z.lo * (second.hi + rest);
  ritti_pair sum = ritti_add_exactly(part.hi, RITTI_ZERO + 0x1.06eba8214db69p-3);
  sum.lo += part.lo - 0x1.ca38add602500p-57;
  part = ritti_multiply_exactly(x, sum.hi);
  part.lo += x * sum.lo;
  sum = ritti_add_ordered(x, part.hi);
  sum.lo = RITTI_SELECT(x < 0x1p-900, RITTI_ZERO, sum.lo + part.lo); /* products underflow */
  return sum;
}

static inline ritt_real ritti_erfc_terms(ritt_real x) {
  ritt_real x2 = x * x, x4 = x2 * x2, x8 = x4 * x4, x16 = x8 * x8;
  return ((((-0x1.15c084bb9e8f3p-3 - 0x1.85a15c58aa620p-5 * x) +
            (0x1.098366a5b46cfp-3 - 0x1.e88b803a48692p-4 * x) * x2) +
           ((0x1.17ca2877f08f0p-4 - 0x1.8574c40c2e0ddp-6 * x) +
            (0x1.4b884e46327c4p-9 + 0x1.ef1bdda43c4a5p-10 * x) * x2) *
               x4) +
          (((-0x1.98db51af5b03fp-11 - 0x1.b912a864f9dfcp-14 * x) +
            (0x1.065a51ee04d34p-13 + 0x1.4c368e8c670f1p-18 * x) * x2) +
           ((-0x1.5140f15fd48f2p-16 - 0x1.8a2d156cdf94cp-21 * x) +
            (0x1.d2c44376ef8dap-19 + 0x1.83bb6193e42d5p-22 * x) * x2) *
               x4) *
              x8) +
         (((-0x1.5216428e16142p-21 - 0x1.312009866fe14p-23 * x) +
           (0x1.018ef1560fe9fp-23 + 0x1.1bc00af2dccb9p-25 * x) * x2) +
          (-0x1.9219c97b9c25ep-26 + 0x1.64a05ddb67196p-30 * x) * x4) *
             x16;
}

/* erfc(x), x >= 0.8: e^(-x^2)/(1 + 2x) times a polynomial in (x - 3)/(x + 3) */
static inline ritt_real ritti_erfc_far(ritt_real x) {
  x = RITTI_SELECT(x > 28, RITTI_ZERO + 28, x);
  ritt_real t = (x - 3) / (x + 3);
  ritti_pair square = ritti_multiply_exactly(x, x);
  ritti_bits k;
  ritti_pair e = ritti_exp_parts(ritti_pair_of(-square.hi, -square.lo), &k);
  ritti_pair p = ritti_add_ordered(RITTI_ZERO + 0x1.40c522d7e4987p+0, t * ritti_erfc_terms(t));
  p.lo += 0x1.a2ed339ea2871p-55;
  p = ritti_divide_pairs(p, ritti_add_ordered(2 * x, RITTI_ZERO + 1));
  p = ritti_multiply_pairs(e, p);
  return ritti_scale_by(p.hi + p.lo, k);
}

static inline ritt_real ritti_inline_erf(ritt_real a) {
  ritt_real x = ritti_magnitude(a), far = 1 - ritti_erfc_far(x);
  ritti_pair near = ritti_erf_near(x);
  return ritti_copy_sign(RITTI_SELECT(x < 0.8125, near.hi + near.lo, far), a);
}

static inline ritt_real ritti_inline_erfc(ritt_real a) {
  ritt_real x = ritti_magnitude(a);
  ritti_pair erf = ritti_erf_near(x);
  ritt_real part = RITTI_SELECT(a < 0, -erf.hi, erf.hi), low = RITTI_SELECT(a < 0, -erf.lo, erf.lo);
  ritti_pair near = ritti_add_exactly(RITTI_ZERO + 1, -part);
  ritt_real tail = ritti_erfc_far(x), far = RITTI_SELECT(a < 0, 2 - tail, tail);
  return RITTI_SELECT(x < 0.8125, near.hi + (near.lo - low), far);
}

/* ---- hypotenuse ---- */

static inline ritt_real ritti_inline_hypot(ritt_real a, ritt_real b) {
  ritt_real x = ritti_magnitude(a), y = ritti_magnitude(b), infinite = RITTI_ZERO + INFINITY;
  ritt_real most = RITTI_SELECT(x > y, x, y);
  ritti_mask tiny = most < 0x1p-900;
  ritt_real scaled = RITTI_SELECT(tiny, most * 0x1p120, most);
  ritti_bits exponent = (RITTI_TO_BITS(scaled) >> 52) - 1023;
  exponent = RITTI_SELECT(tiny, exponent - 120, exponent);
  ritt_real u = ritti_scale_by(x, -exponent), v = ritti_scale_by(y, -exponent);
  ritti_pair p = ritti_multiply_exactly(u, u), q = ritti_multiply_exactly(v, v);
  ritti_pair sum = ritti_add_exactly(p.hi, q.hi);
  sum = ritti_add_ordered(sum.hi, sum.lo + (p.lo + q.lo));
  ritti_pair root = ritti_sqrt_pair(sum);
  ritt_real value = ritti_scale_by(root.hi + root.lo, exponent);
  value = RITTI_SELECT(most == 0, RITTI_ZERO, value);
  value = RITTI_SELECT(RITTI_OR(a != a, b != b), a + b, value);
  return RITTI_SELECT(RITTI_OR(x == infinite, y == infinite), infinite, value);
}

#endif
