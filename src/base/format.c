/* Formatted text: the output of printf, without stdio and the same in every locale. Supported are
 * the flags '-', '+', ' ', '0'; width and precision, also '*'; the lengths h, l, ll, z, t; the
 * conversions d i u x X c s f e g a %. Numbers are rounded from their exact decimal expansion
 * (decimal.c), so the text is that of a correctly rounding printf; NaN is written without a sign.
 */
#include "base_impl.h"

/* A conversion specification. */
typedef struct spec {
  bool left, plus, space, zero;
  int width, precision; /* precision -1: not given */
  enum { INT, LONG, LONG_LONG, SIZE } length;
  char conversion;
} spec;

/* The buffer for the text. */
typedef struct sink {
  char *at;
  size_t room, count; /* count: all characters written, including those that did not fit */
} sink;

static void put_char(sink *out, char c) {
  if (out->count + 1 < out->room) out->at[out->count] = c;
  out->count++;
}
static void put_many(sink *out, char c, int count) {
  for (; count > 0; count--) put_char(out, c);
}
static void put_bytes(sink *out, const char *text, int count) {
  size_t free = out->count + 1 < out->room ? out->room - 1 - out->count : 0, size = (size_t)count;
  if (size && free) memcpy(out->at + out->count, text, size < free ? size : free);
  out->count += size;
}

/* Writes a field: the sign (or prefix), zeros or spaces up to the width, `zeros` more zeros, the
 * body. */
static void put_field(sink *out, const spec *s, const char *sign, const char *body, int length,
                      int zeros) {
  int used = (int)strlen(sign) + zeros + length, fill = s->width > used ? s->width - used : 0;
  if (!s->left && !s->zero) put_many(out, ' ', fill);
  put_bytes(out, sign, (int)strlen(sign));
  put_many(out, '0', zeros + (s->zero && !s->left ? fill : 0));
  put_bytes(out, body, length);
  if (s->left) put_many(out, ' ', fill);
}

/* The sign to write. */
static const char *sign_of(const spec *s, bool negative) {
  if (negative) return "-";
  if (s->plus) return "+";
  return s->space ? " " : "";
}

/* ---- whole numbers and strings ---- */

/* Writes a whole number; the precision is the smallest number of digits. */
static void put_whole(sink *out, spec s, uint64_t value, const char *sign) {
  const char *digits = s.conversion == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
  unsigned base = s.conversion == 'x' || s.conversion == 'X' ? 16 : 10;
  char text[24], *at = text + sizeof text;
  if (s.precision >= 0) s.zero = false;
  for (; value; value /= base) *--at = digits[value % base];
  int length = (int)(text + sizeof text - at), least = s.precision < 0 ? 1 : s.precision;
  put_field(out, &s, sign, at, length, least > length ? least - length : 0);
}

/* Writes a string; the precision is its largest length. */
static void put_text(sink *out, spec s, const char *text) {
  int length = 0;
  if (!text) text = "(null)";
  while ((s.precision < 0 || length < s.precision) && text[length]) length++;
  s.zero = false;
  put_field(out, &s, "", text, length, 0);
}

/* ---- reals ---- */

/* the largest double in %f with the largest precision */
enum { LONGEST_REAL = 1100 };

/* The i-th digit; 0 outside of the digits. */
static int digit_at(const ritti_decimal *d, int i) {
  return i >= 0 && i < d->count ? d->digit[i] : 0;
}

/* Writes d.ddd with `decimals` digits after the point. */
static int write_fixed(const ritti_decimal *d, int decimals, char *text) {
  int n = 0;
  for (int i = d->point < 1 ? d->point - 1 : 0; i < d->point; i++)
    text[n++] = (char)('0' + digit_at(d, i));
  if (decimals > 0) text[n++] = '.';
  for (int i = 0; i < decimals; i++) text[n++] = (char)('0' + digit_at(d, d->point + i));
  return n;
}

/* Writes an exponent with at least `least` digits. */
static int write_exponent(char letter, int exponent, int least, char *text) {
  int n = 0, size = exponent < 0 ? -exponent : exponent;
  text[n++] = letter;
  text[n++] = exponent < 0 ? '-' : '+';

  /* the digits from the lowest one, then reversed */
  char digits[8];
  int count = 0;
  do digits[count++] = (char)('0' + size % 10);
  while ((size /= 10) > 0);
  while (count < least) digits[count++] = '0';
  while (count > 0) text[n++] = digits[--count];
  return n;
}

/* Writes d.ddde+xx with `decimals` digits after the point. */
static int write_scientific(const ritti_decimal *d, int decimals, char *text) {
  int n = 0;
  text[n++] = (char)('0' + digit_at(d, 0));
  if (decimals > 0) text[n++] = '.';
  for (int i = 1; i <= decimals; i++) text[n++] = (char)('0' + digit_at(d, i));
  return n + write_exponent('e', d->count ? d->point - 1 : 0, 2, text + n);
}

/* Writes the shorter of both forms, without zeros at the end. */
static int write_general(ritti_decimal *d, int precision, char *text) {
  if (precision == 0) precision = 1;
  ritti_decimal_round(d, precision);
  int exponent = d->count ? d->point - 1 : 0;
  if (exponent < -4 || exponent >= precision)
    return write_scientific(d, d->count > 1 ? d->count - 1 : 0, text);
  if (!d->count) d->point = 1;
  return write_fixed(d, d->count > d->point ? d->count - d->point : 0, text);
}

/* Writes the bits themselves, as 0x1.8p+1. */
static int write_hexadecimal(double size, char *text) {
  int n = 0, exponent = 0;
  double m = size > 0 ? 2 * frexp(size, &exponent) : 0;
  if (size > 0) exponent--;

  /* the leading digit */
  text[n++] = m > 0 ? '1' : '0';
  m = m > 0 ? m - 1 : 0;
  if (m > 0) text[n++] = '.';

  /* hexadecimal digits until nothing is left */
  for (; m > 0; m -= (int)m) {
    m *= 16;
    text[n++] = "0123456789abcdef"[(int)m];
  }
  return n + write_exponent('p', exponent, 1, text + n);
}

/* Writes a real number by any conversion. */
static void put_real(sink *out, spec s, double value) {
  char text[LONGEST_REAL];
  const char *sign = sign_of(&s, signbit(value) && !isnan(value));
  int n, precision = s.precision < 0 ? 6 : s.precision;
  if (precision > 700) precision = 700;
  ritti_decimal d;

  /* NaN and the infinities */
  if (!isfinite(value)) {
    s.zero = false;
    put_field(out, &s, isnan(value) ? "" : sign, isnan(value) ? "nan" : "inf", 3, 0);
    return;
  }

  /* hexadecimal */
  if (s.conversion == 'a') {
    char prefix[4] = {0};
    strcat(strcpy(prefix, sign), "0x");
    n = write_hexadecimal(fabs(value), text);
    put_field(out, &s, prefix, text, n, 0);
    return;
  }

  /* decimal */
  ritti_decimal_of(value, &d);
  if (s.conversion == 'g') n = write_general(&d, precision, text);
  else if (s.conversion == 'e') {
    ritti_decimal_round(&d, precision + 1);
    n = write_scientific(&d, precision, text);
  } else {
    ritti_decimal_round(&d, d.point + precision);
    if (!d.count) d.point = 0;
    n = write_fixed(&d, precision, text);
  }
  put_field(out, &s, sign, text, n, 0);
}

/* ---- the format ---- */

/* Reads the flags; returns the character after them. */
static const char *read_flags(const char *f, spec *s) {
  for (;; f++) {
    if (*f == '-') s->left = true;
    else if (*f == '+') s->plus = true;
    else if (*f == ' ') s->space = true;
    else if (*f == '0') s->zero = true;
    else return f;
  }
}

/* Reads a width or precision; returns the character after it. */
static const char *read_count(const char *f, int *count) {
  for (*count = 0; *f >= '0' && *f <= '9'; f++)
    if (*count < 100000) *count = 10 * *count + (*f - '0');
  return f;
}

/* Reads the length modifiers; returns the character after them. */
static const char *read_length(const char *f, spec *s) {
  for (;; f++) {
    if (*f == 'l') s->length = s->length == LONG ? LONG_LONG : LONG;
    else if (*f == 'z' || *f == 't') s->length = SIZE;
    else if (*f != 'h') return f;
  }
}

size_t ritti_format_list(char *text, size_t room, const char *format, va_list args) {
  sink out = {text, room, 0};
  for (const char *f = format; *f; f++) {
    if (*f != '%') {
      put_char(&out, *f);
      continue;
    }
    if (f[1] == 's') { /* the most frequent one */
      const char *words = va_arg(args, const char *);
      put_bytes(&out, words ? words : "(null)", words ? (int)strlen(words) : 6);
      f++;
      continue;
    }

    /* read the flags, the width, the precision and the length */
    spec s = {.precision = -1};
    f = read_flags(f + 1, &s);
    if (*f == '*') {
      s.width = va_arg(args, int);
      f++;
    } else f = read_count(f, &s.width);
    if (s.width < 0) {
      s.left = true;
      s.width = -s.width;
    }
    if (*f == '.' && f[1] == '*') {
      s.precision = va_arg(args, int);
      f += 2;
    } else if (*f == '.') f = read_count(f + 1, &s.precision);
    f = read_length(f, &s);

    /* write the argument */
    switch (s.conversion = *f) {
    case 'd':
    case 'i': {
      int64_t v = 0;
      if (s.length == LONG) v = va_arg(args, long);
      else if (s.length == LONG_LONG) v = va_arg(args, long long);
      else if (s.length == SIZE) v = va_arg(args, ptrdiff_t);
      else v = va_arg(args, int);
      put_whole(&out, s, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, sign_of(&s, v < 0));
      break;
    }
    case 'u':
    case 'x':
    case 'X': {
      uint64_t v = 0;
      if (s.length == LONG) v = va_arg(args, unsigned long);
      else if (s.length == LONG_LONG) v = va_arg(args, unsigned long long);
      else if (s.length == SIZE) v = va_arg(args, size_t);
      else v = va_arg(args, unsigned);
      put_whole(&out, s, v, "");
      break;
    }
    case 'c': {
      char c = (char)va_arg(args, int);
      s.zero = false;
      put_field(&out, &s, "", &c, 1, 0);
      break;
    }
    case 's': put_text(&out, s, va_arg(args, const char *)); break;
    case 'f':
    case 'e':
    case 'g':
    case 'a': put_real(&out, s, va_arg(args, double)); break;
    case '%': put_char(&out, '%'); break;
    default: /* an unknown conversion: the types of the other arguments are unknown, so stop */
      put_bytes(&out, "%?", 2);
      f = "\0\0";
    }
  }

  /* the text ends with NUL even if it did not fit */
  if (room) text[out.count < room ? out.count : room - 1] = '\0';
  return out.count;
}

size_t ritti_format(char *text, size_t room, const char *format, ...) {
  va_list args;
  va_start(args, format);
  size_t length = ritti_format_list(text, room, format, args);
  va_end(args);
  return length;
}
