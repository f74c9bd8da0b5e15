/* Typed numbers are exact, out-of-range ones are refused, half units count significant digits. */
#include "lang_test.h"

static bool is_exactly(const char *text, const char *fraction) {
  mpq_t value, expected;
  mpq_inits(value, expected, NULL);
  mpq_set_str(expected, fraction, 10);
  bool same = !ritti_number_read(text, strlen(text), value) && mpq_equal(value, expected);
  mpq_clears(value, expected, NULL);
  return same;
}

static const char *refusal(const char *text) {
  mpq_t value;
  mpq_init(value);
  const char *why = ritti_number_read(text, strlen(text), value);
  mpq_clear(value);
  return why ? why : "";
}

static double half(const char *text) { return ritti_number_half_unit(text, strlen(text)); }

static void check_exact(void) {
  CHECK(is_exactly("0.1", "1/10"));
  CHECK(is_exactly("1", "1"));
  CHECK(is_exactly("007", "7"));
  CHECK(is_exactly(".5", "1/2"));
  CHECK(is_exactly("5.", "5"));
  CHECK(is_exactly("1.e3", "1000"));
  CHECK(is_exactly("1e-3", "1/1000"));
  CHECK(is_exactly("1.50E+2", "150"));
  CHECK(is_exactly("0.333333333333333333333", "333333333333333333333/1000000000000000000000"));
  CHECK(is_exactly("0", "0"));
  CHECK(is_exactly("0.000e99999999999999", "0"));
  CHECK(is_exactly("123456789012345678901234567890", "123456789012345678901234567890"));
}

static void check_range(void) {
  char many[1100];
  CHECK_TEXT(refusal("1e400"), "is too large");
  CHECK_TEXT(refusal("1e-400"), "is too small");
  CHECK_TEXT(refusal("1e99999999999999999999999999"), "is too large");
  CHECK_TEXT(refusal("1e-99999999999999999999999999"), "is too small");
  CHECK_TEXT(refusal("1e308"), "");
  CHECK_TEXT(refusal("1e-307"), "");
  memset(many, '1', sizeof many);
  many[1000] = '\0';
  CHECK_TEXT(refusal(many), "is too large"); /* 1000 digits are allowed, but this is 1e999 */
  many[1] = '.';
  CHECK_TEXT(refusal(many), "");
  many[1000] = '1';
  many[1002] = '\0';
  CHECK_TEXT(refusal(many), "has more than 1000 digits");
  /* a long mantissa brings a large exponent back */
  memset(many, '0', 900);
  many[1] = '.';
  strcpy(many + 900, "1e899");
  CHECK(is_exactly(many, "1"));
}

static void check_half_units(void) {
  CHECK(half("0.1234") == 0);
  CHECK_NEAR(half("0.12345"), 0.5e-5, 1e-20);
  CHECK_NEAR(half("0.0012345"), 0.5e-7, 1e-22);
  CHECK_NEAR(half("1.0000"), 0.5e-4, 1e-19);
  CHECK_NEAR(half("12345"), 0.5, 1e-15);
  CHECK_NEAR(half("1.2345e3"), 0.05, 1e-16);
  CHECK(half("0.00000") == 0);
  CHECK(half("1e-9") == 0);
}

int main(void) {
  check_exact();
  check_range();
  check_half_units();
  return CHECKS_DONE();
}
