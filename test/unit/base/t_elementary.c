/* The elementary functions against MPFR: errors below one unit in the last place, at arguments of all
 * sizes, near zeros, near multiples of pi/2 and at the ends of their ranges. The cases of C11, Annex F.
 *
 *     unit_base_t_elementary_c [COUNT]     COUNT arguments for each function; 20000 if not given
 *
 * MPFR computes the value at the first 20000 arguments, and later at those at which long doubles of
 * the C library say that the error may be the largest so far.
 */
#include <float.h>
#include <stdlib.h>
#include <mpfr.h>
#include "base/base.h"
#include "check.h"

static uint64_t state = 88172645463325252u;
static uint64_t draw_bits(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}
static double draw(double low, double high) {
  return low + (high - low) * ((double)(draw_bits() >> 11) * 0x1p-53);
}
static double draw_any(void) {
  for (;;) {
    uint64_t bits = draw_bits();
    double number;
    memcpy(&number, &bits, sizeof number);
    if (isfinite(number)) return number;
  }
}

/* |got - exact| in units of the last place of the exact value */
static double ulps(mpfr_t exact, double got, mpfr_t scratch) {
  double rounded = mpfr_get_d(exact, MPFR_RNDN);
  if (isnan(rounded) || isnan(got)) return isnan(rounded) && isnan(got) ? 0 : INFINITY;
  if (isinf(rounded) || isinf(got)) return rounded == got ? 0 : INFINITY;
  int exponent = 0;
  (void)frexp(rounded, &exponent);
  if (rounded == 0 || exponent < -1021) exponent = -1021;
  mpfr_sub_d(scratch, exact, got, MPFR_RNDN);
  mpfr_mul_2si(scratch, scratch, 53 - exponent, MPFR_RNDN);
  return fabs(mpfr_get_d(scratch, MPFR_RNDN));
}

/* The same, against a value in long doubles; not a number if it cannot tell. */
static double near_ulps(long double exact, double got) {
  if (LDBL_MANT_DIG < 64 || !isfinite(exact) || !isfinite(got)) return NAN;
  int exponent = 0;
  (void)frexp(got, &exponent);
  if (got == 0 || exponent < -1021) exponent = -1021;
  return (double)fabsl(ldexpl(exact - (long double)got, 53 - exponent));
}

/* The worst error of a function so far. */
typedef struct worst {
  double error, x, y;
  double misjudged; /* the largest difference between MPFR and long doubles */
} worst;
enum { ALL_BY_MPFR = 20000 };
static const double MARGIN = 0.01; /* long doubles are that good, in units of doubles */

/* Does MPFR have to compute the value? */
static bool is_needed(const worst *w, long i, double near) {
  return i < ALL_BY_MPFR || !(near + MARGIN < w->error);
}

static void note_error(worst *w, double error, double near, double x, double y) {
  if (fabs(error - near) > w->misjudged) w->misjudged = fabs(error - near);
  if (error <= w->error) return;
  w->error = error;
  w->x = x, w->y = y;
}

typedef int exact_one(mpfr_t, const mpfr_t, mpfr_rnd_t);
typedef int exact_two(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);
typedef struct one {
  const char *name;
  double (*of)(double);
  exact_one *exact;
  long double (*near)(long double);
  double low, high, most;
} one;

/* An argument in low .. high: evenly spread, near 0, with any bits, near a multiple of pi/2, with few
 * digits. */
static double draw_argument(const one *f, long i) {
  double x;
  switch (i % 5) {
  case 0: x = draw(f->low, f->high); break;
  case 1: x = ldexp(draw(-2, 2), -(int)(draw_bits() % 60)); break;
  case 2: x = draw_any(); break;
  case 3: {
    double n = floor(draw(-1, 1) * ldexp(1, (int)(draw_bits() % 40)));
    x = n * 1.57079632679489661923 * (1 + ldexp(draw(-1, 1), -30 - (int)(draw_bits() % 22)));
    break;
  }
  default: x = (double)(float)draw(f->low, f->high);
  }
  return x;
}

static void check_one(const one *f, long count) {
  mpfr_t a, r, scratch;
  mpfr_inits2(200, a, r, scratch, (mpfr_ptr)0);
  worst w = {0};
  for (long i = 0; i < count; i++) {
    double x = draw_argument(f, i);
    if (!(x >= f->low && x <= f->high)) x = draw(f->low, f->high);
    double got = f->of(x), near = near_ulps(f->near(x), got);
    if (!is_needed(&w, i, near)) continue;
    mpfr_set_d(a, x, MPFR_RNDN);
    f->exact(r, a, MPFR_RNDN);
    note_error(&w, ulps(r, got, scratch), near, x, 0);
  }
  printf("%-6s %.4f ulp at %a (long double: %.4f)\n", f->name, w.error, w.x, w.misjudged);
  fflush(stdout);
  CHECK(w.error < f->most);
  CHECK(w.misjudged < MARGIN);
  mpfr_clears(a, r, scratch, (mpfr_ptr)0);
}

static void check_two(const char *name, double (*of)(double, double), exact_two *exact,
                      long double (*near_of)(long double, long double), bool power, long count) {
  mpfr_t a, b, r, scratch;
  mpfr_inits2(200, a, b, r, scratch, (mpfr_ptr)0);
  worst w = {0};
  for (long i = 0; i < count; i++) {
    double x = draw_any(), y = draw_any();
    if (i % 3 == 1) x = draw(-3, 3), y = draw(-3, 3);
    if (i % 3 == 2) {
      x = ldexp(draw(-2, 2), (int)(draw_bits() % 40) - 20);
      y = ldexp(draw(-2, 2), (int)(draw_bits() % 40) - 20);
    }
    if (power && i % 3 == 0) x = fabs(x), y = draw(-1.2, 1.2) * 700 / log(x);
    if (power && i % 3 == 1) x = fabs(x), y = draw(-100, 100);
    if (power && i % 3 == 2) y = (double)((int)(draw_bits() % 61) - 30);
    double got = of(x, y), near = near_ulps(near_of(x, y), got);
    if (!is_needed(&w, i, near)) continue;
    mpfr_set_d(a, x, MPFR_RNDN);
    mpfr_set_d(b, y, MPFR_RNDN);
    exact(r, a, b, MPFR_RNDN);
    note_error(&w, ulps(r, got, scratch), near, x, y);
  }
  printf("%-6s %.4f ulp at %a, %a (long double: %.4f)\n", name, w.error, w.x, w.y, w.misjudged);
  fflush(stdout);
  CHECK(w.error < 1);
  CHECK(w.misjudged < MARGIN);
  mpfr_clears(a, b, r, scratch, (mpfr_ptr)0);
}

static const one functions[] = {
    {"exp", ritti_real_exp, mpfr_exp, expl, -746, 710, 1},
    {"log", ritti_real_log, mpfr_log, logl, 0, 3, 1},
    {"log", ritti_real_log, mpfr_log, logl, 0, 1.7e308, 1},
    {"log2", ritti_real_log2, mpfr_log2, log2l, 0, 3, 1},
    {"log10", ritti_real_log10, mpfr_log10, log10l, 0, 3, 1},
    {"sin", ritti_real_sin, mpfr_sin, sinl, -7, 7, 1},
    {"sin", ritti_real_sin, mpfr_sin, sinl, -1.7e308, 1.7e308, 1},
    {"cos", ritti_real_cos, mpfr_cos, cosl, -7, 7, 1},
    {"cos", ritti_real_cos, mpfr_cos, cosl, -1.7e308, 1.7e308, 1},
    {"tan", ritti_real_tan, mpfr_tan, tanl, -7, 7, 1},
    {"tan", ritti_real_tan, mpfr_tan, tanl, -1.7e308, 1.7e308, 1},
    {"asin", ritti_real_asin, mpfr_asin, asinl, -1, 1, 1},
    {"acos", ritti_real_acos, mpfr_acos, acosl, -1, 1, 1},
    {"atan", ritti_real_atan, mpfr_atan, atanl, -5, 5, 1},
    {"atan", ritti_real_atan, mpfr_atan, atanl, -1e20, 1e20, 1},
    {"sinh", ritti_real_sinh, mpfr_sinh, sinhl, -3, 3, 1},
    {"sinh", ritti_real_sinh, mpfr_sinh, sinhl, -711, 711, 1},
    {"cosh", ritti_real_cosh, mpfr_cosh, coshl, -711, 711, 1},
    {"tanh", ritti_real_tanh, mpfr_tanh, tanhl, -3, 3, 1},
    {"tanh", ritti_real_tanh, mpfr_tanh, tanhl, -25, 25, 1},
    {"erf", ritti_real_erf, mpfr_erf, erfl, -3, 3, 1},
    {"erf", ritti_real_erf, mpfr_erf, erfl, -7, 7, 1},
    {"erfc", ritti_real_erfc, mpfr_erfc, erfcl, -7, 27.5, 1},
    {"cbrt", ritti_real_cbrt, mpfr_cbrt, cbrtl, -10, 10, 1},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* Values at 0, infinities and what is not a number, as C11 has them; signs of zeros included. */
static bool is_same(double a, double b) {
  if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
  return a == b && signbit(a) == signbit(b);
}

static void check_special(void) {
  for (int i = 0; i < FUNCTIONS; i++) CHECK(isnan(functions[i].of(NAN)));
  CHECK(is_same(ritti_real_exp(INFINITY), INFINITY) && is_same(ritti_real_exp(-INFINITY), 0));
  CHECK(is_same(ritti_real_exp(0), 1) && is_same(ritti_real_exp(1000), INFINITY));
  CHECK(is_same(ritti_real_log(0), -INFINITY) && isnan(ritti_real_log(-1)));
  CHECK(is_same(ritti_real_log(1), 0) && is_same(ritti_real_log(INFINITY), INFINITY));
  CHECK(is_same(ritti_real_sin(-0.0), -0.0) && isnan(ritti_real_sin(INFINITY)));
  CHECK(is_same(ritti_real_cos(0), 1) && isnan(ritti_real_cos(-INFINITY)));
  CHECK(is_same(ritti_real_tan(-0.0), -0.0) && is_same(ritti_real_atan(-0.0), -0.0));
  CHECK_NEAR(ritti_real_atan(INFINITY), 1.5707963267948966, 1e-16);
  CHECK(isnan(ritti_real_asin(1.5)) && isnan(ritti_real_acos(-1.5)));
  CHECK(is_same(ritti_real_acos(1), 0) && is_same(ritti_real_asin(-0.0), -0.0));
  CHECK(is_same(ritti_real_sinh(-INFINITY), -INFINITY) && is_same(ritti_real_sinh(-0.0), -0.0));
  CHECK(is_same(ritti_real_cosh(-INFINITY), INFINITY) && is_same(ritti_real_cosh(0), 1));
  CHECK(is_same(ritti_real_tanh(-INFINITY), -1) && is_same(ritti_real_tanh(-0.0), -0.0));
  CHECK(is_same(ritti_real_erf(INFINITY), 1) && is_same(ritti_real_erfc(-INFINITY), 2));
  CHECK(is_same(ritti_real_cbrt(-INFINITY), -INFINITY) && is_same(ritti_real_cbrt(-0.0), -0.0));
  CHECK(is_same(ritti_real_pow(-2, 3), -8) && isnan(ritti_real_pow(-2, 0.5)));
  CHECK(is_same(ritti_real_pow(NAN, 0), 1) && is_same(ritti_real_pow(1, NAN), 1));
  CHECK(is_same(ritti_real_pow(-1, INFINITY), 1) && is_same(ritti_real_pow(-0.0, -1), -INFINITY));
  CHECK(is_same(ritti_real_pow(-0.0, 3), -0.0) && is_same(ritti_real_pow(2, -INFINITY), 0));
  CHECK(is_same(ritti_real_pow(-INFINITY, 3), -INFINITY) && is_same(ritti_real_pow(0.5, 2000), 0));
  CHECK(is_same(ritti_real_atan2(0, 1), 0) && is_same(ritti_real_atan2(-0.0, 1), -0.0));
  CHECK_NEAR(ritti_real_atan2(0, -1), 3.141592653589793, 0);
  CHECK_NEAR(ritti_real_atan2(-INFINITY, INFINITY), -0.7853981633974483, 0);
  CHECK(is_same(ritti_real_hypot(INFINITY, NAN), INFINITY) &&
        is_same(ritti_real_hypot(-0.0, 0), 0));
}

/* Both at once have the bits of each. */
static void check_sincos(void) {
  for (int i = 0; i < 20000; i++) {
    double x = i % 2 ? draw(-20, 20) : draw_any(), sine, cosine;
    ritti_real_sincos(x, &sine, &cosine);
    CHECK(is_same(sine, ritti_real_sin(x)) && is_same(cosine, ritti_real_cos(x)));
  }
}

int main(int count, char **argument) {
  long arguments = count > 1 ? strtol(argument[1], NULL, 10) : 20000;
  mpfr_set_emin(-1200);
  for (int i = 0; i < FUNCTIONS; i++) check_one(&functions[i], arguments);
  check_two("pow", ritti_real_pow, mpfr_pow, powl, true, arguments);
  check_two("atan2", ritti_real_atan2, mpfr_atan2, atan2l, false, arguments);
  check_two("hypot", ritti_real_hypot, mpfr_hypot, hypotl, false, arguments);
  check_special();
  check_sincos();
  return CHECKS_DONE();
}
