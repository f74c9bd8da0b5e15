/* Doubles as decimals, exactly: m*2^e is a whole number of tenths, hundredths, ... of which all
 * digits are had by multiplying by 2 or 5; rounding then sees the whole expansion. Independent of
 * the locale. */
#include "base_impl.h"

enum { LIMB = 1000000000, LIMB_DIGITS = 9, LIMBS = 90 }; /* 5^1076 * 2^54 has 769 digits */

typedef struct big {
  int count;
  uint32_t limb[LIMBS]; /* base 10^9, the least first */
} big;

static void multiply_big(big *b, uint32_t factor) {
  uint64_t carry = 0;
  for (int i = 0; i < b->count; i++) {
    carry += (uint64_t)b->limb[i] * factor;
    b->limb[i] = (uint32_t)(carry % LIMB);
    carry /= LIMB;
  }
  for (; carry; carry /= LIMB) b->limb[b->count++] = (uint32_t)(carry % LIMB);
}

/* b *= base^power, by the largest powers of the base that fit */
static void multiply_power(big *b, uint32_t base, int power) {
  while (power > 0) {
    uint32_t factor = base;
    int part = 1;
    for (; part < power && factor <= UINT32_MAX / base; part++) factor *= base;
    multiply_big(b, factor);
    power -= part;
  }
}

/* m * 2^e, all its digits without the zeros at both ends */
static void expand_digits(uint64_t m, int e, ritti_decimal *out) {
  big b = {0};
  for (; m; m /= LIMB) b.limb[b.count++] = (uint32_t)(m % LIMB);
  multiply_power(&b, e < 0 ? 5 : 2, e < 0 ? -e : e);
  out->count = 0;
  for (int i = b.count - 1; i >= 0; i--) {
    uint32_t limb = b.limb[i], unit = LIMB / 10;
    for (int k = 0; k < LIMB_DIGITS; k++, unit /= 10) {
      unsigned char digit = (unsigned char)(limb / unit % 10);
      if (out->count || digit) out->digit[out->count++] = digit;
    }
  }
  out->point = out->count - (e < 0 ? -e : 0);
  while (out->count && !out->digit[out->count - 1]) out->count--;
}

/* |value| = m * 2^e, m a whole number */
static uint64_t split_mantissa(double value, int *e) {
  double m = frexp(fabs(value), e);
  *e -= 53;
  uint64_t whole = (uint64_t)ldexp(m, 53);
  while (whole && !(whole & 1)) whole >>= 1, ++*e;
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
  bool up = false;
  if (digits >= 0) {
    bool tie = d->digit[digits] == 5 && digits + 1 == d->count;
    up = tie ? digits > 0 && d->digit[digits - 1] & 1 : d->digit[digits] >= 5;
  }
  d->count = digits > 0 ? digits : 0;
  while (up && d->count && d->digit[d->count - 1] == 9) d->count--;
  if (up && d->count) d->digit[d->count - 1]++;
  else if (up) d->digit[d->count++] = 1, d->point++;
  while (d->count && !d->digit[d->count - 1]) d->count--;
}

/* -1, 0, 1: a < b, a = b, a > b, both above 0 */
static int compare_decimals(const ritti_decimal *a, const ritti_decimal *b) {
  if (a->point != b->point) return a->point < b->point ? -1 : 1;
  for (int i = 0; i < a->count || i < b->count; i++) {
    int x = i < a->count ? a->digit[i] : 0, y = i < b->count ? b->digit[i] : 0;
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

/* The numbers that read as |value| lie between the middles to its neighbours, which themselves read
 * as the even one. */
static int shortest_digits(double value) {
  int e;
  uint64_t m = split_mantissa(value, &e);
  if (!m) return 1;
  ritti_decimal exact, low, high, d;
  double size = fabs(value), below = nextafter(size, 0);
  expand_digits(m, e, &exact);
  int unit;
  frexp(size, &unit);
  unit = unit - 53 < -1074 ? -1074 : unit - 53;
  uint64_t whole = (uint64_t)ldexp(size, -unit);
  expand_digits(2 * whole + 1, unit - 1, &high);
  bool shorter = size - below < ldexp(1, unit); /* a power of two: its lower neighbour is nearer */
  expand_digits(shorter ? 4 * whole - 1 : 2 * whole - 1, shorter ? unit - 2 : unit - 1, &low);
  for (int digits = 1; digits < 17; digits++) {
    d = exact;
    ritti_decimal_round(&d, digits);
    int above = compare_decimals(&d, &low), under = compare_decimals(&d, &high);
    if ((above > 0 && under < 0) || (!(whole & 1) && above >= 0 && under <= 0)) return digits;
  }
  return 17;
}

const char *ritti_shortest(double value, char buffer[32]) {
  int digits = isfinite(value) ? shortest_digits(value) : 1, least = 1; /* "50", not "5e+01" */
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
