/* Exact values of typed numbers: "0.1" is 1/10. A number outside the range of a double is refused
 * before a power of ten is computed. */
#include "lang_impl.h"

/* The parts of a number: digits . digits e exponent */
typedef struct parts {
  size_t digits;   /* number of digits of the mantissa */
  size_t fraction; /* number of digits after the point */
  size_t leading; /* number of zeros before the first other digit; if the number is 0: all digits */
  long exponent;  /* limited to +-EXPONENT_LIMIT */
} parts;

/* With an exponent beyond this limit no mantissa brings the number back into the range of a
 * double. */
enum { EXPONENT_LIMIT = 2 * RITTI_DIGIT_LIMIT };

/* The exponent [+|-] digits, limited to +-EXPONENT_LIMIT. */
static long read_exponent(const char *text, size_t length) {
  bool negative = length > 0 && text[0] == '-';
  long exponent = 0;
  for (size_t i = length > 0 && (text[0] == '-' || text[0] == '+'); i < length; i++)
    if (exponent < EXPONENT_LIMIT) exponent = 10 * exponent + (text[i] - '0');
  if (exponent > EXPONENT_LIMIT) exponent = EXPONENT_LIMIT;
  return negative ? -exponent : exponent;
}

/* Counts the digits and reads the exponent. */
static parts take_apart(const char *text, size_t length) {
  parts p = {0};
  bool point = false, nonzero = false;
  for (size_t i = 0; i < length; i++) {
    /* a point, the exponent, or a digit */
    if (text[i] == '.') {
      point = true;
    } else if (text[i] == 'e' || text[i] == 'E') {
      p.exponent = read_exponent(text + i + 1, length - i - 1);
      break;
    } else {
      nonzero |= text[i] != '0';
      p.digits++;
      p.fraction += point;
      p.leading += !nonzero;
    }
  }
  return p;
}

/* Computes value = mantissa * 10^power. */
static void assemble_number(const char *text, const parts *p, long power, mpq_ptr value) {
  char digits[RITTI_DIGIT_LIMIT + 1];
  size_t count = 0;

  /* the mantissa without its point */
  for (size_t i = 0; count < p->digits; i++)
    if (text[i] != '.') digits[count++] = text[i];
  digits[count] = '\0';
  mpz_set_str(mpq_numref(value), digits, 10);
  mpz_set_ui(mpq_denref(value), 1);

  /* times or divided by a power of ten */
  mpz_t ten;
  mpz_init(ten);
  mpz_ui_pow_ui(ten, 10, (unsigned long)(power < 0 ? -power : power));
  if (power < 0) mpz_set(mpq_denref(value), ten);
  else mpz_mul(mpq_numref(value), mpq_numref(value), ten);
  mpz_clear(ten);
  mpq_canonicalize(value);
}

const char *ritti_number_read(const char *text, size_t length, mpq_ptr value) {
  parts p = take_apart(text, length);
  if (p.digits > RITTI_DIGIT_LIMIT) return "has more than 1000 digits";

  /* 0 has any exponent */
  mpq_set_ui(value, 0, 1);
  if (p.leading == p.digits) return NULL;
  if (p.exponent >= EXPONENT_LIMIT) return "is too large";
  if (p.exponent <= -EXPONENT_LIMIT) return "is too small";

  /* the value, which must be a double other than 0 */
  assemble_number(text, &p, p.exponent - (long)p.fraction, value);
  double d = mpq_get_d(value);
  if (!isfinite(d)) return "is too large";
  return d == 0 ? "is too small" : NULL;
}

double ritti_number_half_unit(const char *text, size_t length) {
  enum { ENOUGH = 5 };
  parts p = take_apart(text, length);
  if (p.digits - p.leading < ENOUGH) return 0;
  return 0.5 * pow(10, (double)(p.exponent - (long)p.fraction));
}
