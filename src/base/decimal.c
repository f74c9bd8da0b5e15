/* Doubles as exact decimals. All digits of m*2^e follow by multiplying m by powers of 2, or of 5 if
 * e < 0, so that rounding sees the whole expansion. The result does not depend on the locale. */
#include "base_impl.h"

enum { LIMB = 1000000000, LIMB_DIGITS = 9, LIMBS = 90 }; /* 5^1076 * 2^54 has 769 digits */

/* A large whole number. */
typedef struct big {
  int count;
  uint32_t limb[LIMBS]; /* base 10^9, the lowest limb first */
} big;

/* b *= factor */
static void multiply_big(big *b, uint32_t factor) {
  uint64_t carry = 0;
  for (int i = 0; i < b->count; i++) {
    carry += (uint64_t)b->limb[i] * factor;
    b->limb[i] = (uint32_t)(carry % LIMB);
    carry /= LIMB;
  }
  for (; carry; carry /= LIMB) b->limb[b->count++] = (uint32_t)(carry % LIMB);
}

/* b *= base^power, by the largest powers of the base that fit into a factor. */
static void multiply_power(big *b, uint32_t base, int power) {
  while (power > 0) {
    uint32_t factor = base;
    int part = 1;
    for (; part < power && factor <= UINT32_MAX / base; part++) factor *= base;
    multiply_big(b, factor);
    power -= part;
  }
}

/* Computes all digits of m * 2^e, without zeros at both ends. */
static void expand_digits(uint64_t m, int e, ritti_decimal *out) {
  big b = {0};

  /* m * 2^e, or m * 5^-e * 10^e */
  for (; m; m /= LIMB) b.limb[b.count++] = (uint32_t)(m % LIMB);
  multiply_power(&b, e < 0 ? 5 : 2, e < 0 ? -e : e);

  /* the digits from the highest one */
  out->count = 0;
  for (int i = b.count - 1; i >= 0; i--) {
    uint32_t limb = b.limb[i], unit = LIMB / 10;
    for (int k = 0; k < LIMB_DIGITS; k++, unit /= 10) {
      unsigned char digit = (unsigned char)(limb / unit % 10);
      if (out->count || digit) out->digit[out->count++] = digit;
    }
  }

  /* place the point and drop zeros at the end */
  out->point = out->count - (e < 0 ? -e : 0);
  while (out->count && !out->digit[out->count - 1]) out->count--;
}

/* Splits |value| = m * 2^e with an odd whole number m, or 0. */
static uint64_t split_mantissa(double value, int *e) {
  double m = frexp(fabs(value), e);
  *e -= 53;
  uint64_t whole = (uint64_t)ldexp(m, 53);
  while (whole && !(whole & 1)) {
    whole >>= 1;
    ++*e;
  }
  if (!whole) *e = 0;
  return whole;
}

void ritti_decimal_of(double value, ritti_decimal *out) {
  int e;
  uint64_t m = split_mantissa(value, &e);
  expand_digits(m, e, out);
}

void ritti_decimal_round(ritti_decimal *d, int digits) {
  if (digits >= d->count) return;

  /* does the rest round up? A tie goes to the even digit */
  bool up = false;
  if (digits >= 0) {
    bool tie = d->digit[digits] == 5 && digits + 1 == d->count;
    up = tie ? digits > 0 && d->digit[digits - 1] & 1 : d->digit[digits] >= 5;
  }

  /* cut the digits, and carry */
  d->count = digits > 0 ? digits : 0;
  while (up && d->count && d->digit[d->count - 1] == 9) d->count--;
  if (up && d->count) d->digit[d->count - 1]++;
  else if (up) {
    d->digit[d->count++] = 1;
    d->point++;
  }
  while (d->count && !d->digit[d->count - 1]) d->count--;
}

/* Compares two positive decimals: -1, 0, 1 if a < b, a = b, a > b. */
static int compare_decimals(const ritti_decimal *a, const ritti_decimal *b) {
  if (a->point != b->point) return a->point < b->point ? -1 : 1;
  for (int i = 0; i < a->count || i < b->count; i++) {
    int x = i < a->count ? a->digit[i] : 0, y = i < b->count ? b->digit[i] : 0;
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

/* The number of digits of the shortest decimal that reads back as |value|. The decimals that do lie
 * between the midpoints to the neighbouring doubles; a midpoint itself reads as the even neighbour.
 */
static int shortest_digits(double value) {
  int e;
  uint64_t m = split_mantissa(value, &e);
  if (!m) return 1;

  /* the value and the midpoints to both neighbours */
  ritti_decimal exact, low, high, d;
  double size = fabs(value), below = nextafter(size, 0);
  expand_digits(m, e, &exact);
  int unit;
  frexp(size, &unit);
  unit = unit - 53 < -1074 ? -1074 : unit - 53;
  uint64_t whole = (uint64_t)ldexp(size, -unit);
  expand_digits(2 * whole + 1, unit - 1, &high);
  bool shorter = size - below < ldexp(1, unit); /* a power of two has a closer lower neighbour */
  expand_digits(shorter ? 4 * whole - 1 : 2 * whole - 1, shorter ? unit - 2 : unit - 1, &low);

  /* the fewest digits that stay between the midpoints */
  for (int digits = 1; digits < 17; digits++) {
    d = exact;
    ritti_decimal_round(&d, digits);
    int above = compare_decimals(&d, &low), under = compare_decimals(&d, &high);
    if ((above > 0 && under < 0) || (!(whole & 1) && above >= 0 && under <= 0)) return digits;
  }
  return 17;
}

const char *ritti_shortest(double value, char buffer[32]) {
  int digits = isfinite(value) ? shortest_digits(value) : 1;
  int least = 1; /* write "50", not "5e+01" */
  for (double size = fabs(value); size >= 10 && size < 1e6 && least < 6; size /= 10) least++;
  ritti_format(buffer, 32, "%.*g", digits > least ? digits : least, value);
  return buffer;
}

const char *ritti_digits_apart(double value, double other, char buffer[32]) {
  char beside[32];
  for (int digits = 6; digits <= 17; digits++) {
    ritti_format(buffer, 32, "%.*g", digits, value);
    ritti_format(beside, 32, "%.*g", digits, other);
    if (strcmp(buffer, beside)) break;
  }
  return buffer;
}
