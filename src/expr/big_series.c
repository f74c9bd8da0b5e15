/* Power series in numbers of many digits. */
#include <assert.h>
#include "expr_impl.h"
#include "expr/big.h"

#define NAME(x)                   ritti_big_series_##x
#define real                      ritti_big
#define SET(r, a)                 mpfr_set(&(r), &(a), MPFR_RNDN)
#define SET_INT(r, i)             mpfr_set_si(&(r), i, MPFR_RNDN)
#define SET_DOUBLE(r, x)          mpfr_set_d(&(r), x, MPFR_RNDN)
#define SET_RATIONAL(r, q)        mpfr_set_q(&(r), q, MPFR_RNDN)
#define SET_PI(r)                 mpfr_const_pi(&(r), MPFR_RNDN)
#define ADD_TO(r, a)              mpfr_add(&(r), &(r), &(a), MPFR_RNDN)
#define SET_PRODUCT(r, a, b)      mpfr_mul(&(r), &(a), &(b), MPFR_RNDN)
#define ADD_PRODUCT(r, a, b)      add_product(&(r), &(a), &(b), mpfr_add)
#define SUBTRACT_PRODUCT(r, a, b) add_product(&(r), &(a), &(b), mpfr_sub)
#define SET_MULTIPLE(r, a, i)     mpfr_mul_si(&(r), &(a), i, MPFR_RNDN)
#define SET_QUOTIENT(r, a, b)     mpfr_div(&(r), &(a), &(b), MPFR_RNDN)
#define SET_FRACTION(r, a, i)     mpfr_div_si(&(r), &(a), i, MPFR_RNDN)
#define SET_NEGATIVE(r, a)        mpfr_neg(&(r), &(a), MPFR_RNDN)
#define APPLY(f, r, a)            apply_function(mpfr_##f, &(r), &(a))
#define APPLY2(f, r, a, b)        mpfr_##f(&(r), &(a), &(b), MPFR_RNDN)
#define POWER(r, a, e)            take_power(&(r), &(a), &(e))
#define FIRST_ONLY(values)        (values)->first_only
#define SIGN_OF(a)                (mpfr_nan_p(&(a)) ? 0 : mpfr_sgn(&(a)))
#define LESS(a, b)                mpfr_less_p(&(a), &(b))
#define IS_ABOVE(x, a)            (!mpfr_nan_p(&(a)) && mpfr_cmp_d(&(a), x) < 0)
#define IS_NAN(a)                 mpfr_nan_p(&(a))
#define AS_DOUBLE(a)              mpfr_get_d(&(a), MPFR_RNDN)
#define NEW_NUMBERS(plan, count, out)                                                              \
  RITT_TRY(ritti_bigs_new((plan)->arena, count, (plan)->bits, &(out)))

/* Allocates `count` numbers of `bits` bits in the arena, all 0; they need not be cleared. */
ritt_status ritti_bigs_new(ritti_arena *arena, size_t count, long bits, ritti_big **out) {
  size_t limbs = (mpfr_custom_get_size(bits) + sizeof(mp_limb_t) - 1) / sizeof(mp_limb_t);
  ritti_big *number;
  mp_limb_t *digits;
  RITTI_NEW(number, arena, count + 1);
  digits = ritti_arena_alloc(arena, count * limbs + 1, sizeof *digits);
  if (!digits) return RITT_NO_MEMORY;
  for (size_t i = 0; i < count; i++) {
    mpfr_custom_init(digits + i * limbs, bits);
    mpfr_custom_init_set(&number[i], MPFR_ZERO_KIND, 0, bits, digits + i * limbs);
  }
  *out = number;
  return RITT_OK;
}

/* r = r + a b or r - a b. A product with 0 is left out; 0 times something without a value has none. */
static inline void add_product(ritti_big *r, const ritti_big *a, const ritti_big *b,
                               int (*add)(mpfr_t, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t)) {
  enum { MOST_LIMBS = 192 };
  mp_limb_t limb[MOST_LIMBS];
  ritti_big product;
  if ((mpfr_zero_p(a) && mpfr_number_p(b)) || (mpfr_zero_p(b) && mpfr_number_p(a))) return;
  mpfr_prec_t bits = mpfr_get_prec(r);
  assert(mpfr_custom_get_size(bits) <= sizeof limb);
  mpfr_custom_init(limb, bits);
  mpfr_custom_init_set(&product, MPFR_ZERO_KIND, 0, bits, limb);
  mpfr_mul(&product, a, b, MPFR_RNDN);
  add(r, r, &product, MPFR_RNDN);
}

/* r = f(a). If the last digit of a stands for more than a period, sin(a) has no digit: it has no value
 * then, and is not computed with as many digits of pi as a is long. */
static inline void apply_function(int (*f)(mpfr_t, mpfr_srcptr, mpfr_rnd_t), ritti_big *r,
                                  const ritti_big *a) {
  bool periodic = f == mpfr_sin || f == mpfr_cos || f == mpfr_tan;
  if (periodic && mpfr_regular_p(a) && mpfr_get_exp(a) > mpfr_get_prec(a)) mpfr_set_nan(r);
  else f(r, a, MPFR_RNDN);
}

/* r = a^e. Quotients and square roots are much faster than the general power. */
static inline void take_power(ritti_big *r, const ritti_big *a, const ritti_big *e) {
  if (mpfr_cmp_si(e, -1) == 0) mpfr_ui_div(r, 1, a, MPFR_RNDN);
  else if (mpfr_cmp_d(e, 0.5) == 0) mpfr_sqrt(r, a, MPFR_RNDN);
  else if (mpfr_cmp_d(e, -0.5) == 0) mpfr_rec_sqrt(r, a, MPFR_RNDN);
  else mpfr_pow(r, a, e, MPFR_RNDN);
}

#include "series_body.h"

/* A plan that computes `terms` Taylor coefficients of the roots with `bits` bits. */
ritt_status ritti_big_series_plan_new(const ritti_dag *dag, const ritti_expr *roots, size_t count,
                                      int terms, long bits, ritti_big_series_plan **out) {
  return make_plan(dag, roots, count, terms, bits, out);
}
