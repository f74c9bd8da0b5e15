/* Power series in numbers of many digits. */
#include <assert.h>
#include "expr_impl.h"
#include "expr/big.h"

#define NAME(x)              ritti_big_series_##x
#define real                 ritti_big
#define SET(r, a)            mpfr_set(&(r), &(a), MPFR_RNDN)
#define SET_INT(r, i)        mpfr_set_si(&(r), i, MPFR_RNDN)
#define SET_DOUBLE(r, x)     mpfr_set_d(&(r), x, MPFR_RNDN)
#define SET_RATIONAL(r, q)   mpfr_set_q(&(r), q, MPFR_RNDN)
#define SET_PI(r)            mpfr_const_pi(&(r), MPFR_RNDN)
#define ADD_TO(r, a)         mpfr_add(&(r), &(r), &(a), MPFR_RNDN)
#define SET_PRODUCT(r, a, b) mpfr_mul(&(r), &(a), &(b), MPFR_RNDN)
#define ADD_PRODUCT(r, a, b) mpfr_fma(&(r), &(a), &(b), &(r), MPFR_RNDN)
#define SUBTRACT_PRODUCT(r, a, b)                                                                  \
  (mpfr_fms(&(r), &(a), &(b), &(r), MPFR_RNDN), mpfr_neg(&(r), &(r), MPFR_RNDN))
#define SET_MULTIPLE(r, a, i) mpfr_mul_si(&(r), &(a), i, MPFR_RNDN)
#define SET_QUOTIENT(r, a, b) mpfr_div(&(r), &(a), &(b), MPFR_RNDN)
#define SET_FRACTION(r, a, i) mpfr_div_si(&(r), &(a), i, MPFR_RNDN)
#define SET_NEGATIVE(r, a)    mpfr_neg(&(r), &(a), MPFR_RNDN)
#define APPLY(f, r, a)        mpfr_##f(&(r), &(a), MPFR_RNDN)
#define APPLY2(f, r, a, b)    mpfr_##f(&(r), &(a), &(b), MPFR_RNDN)
#define SIGN_OF(a)            (mpfr_nan_p(&(a)) ? 0 : mpfr_sgn(&(a)))
#define LESS(a, b)            mpfr_less_p(&(a), &(b))
#define IS_ABOVE(x, a)        (!mpfr_nan_p(&(a)) && mpfr_cmp_d(&(a), x) < 0)
#define IS_NAN(a)             mpfr_nan_p(&(a))
#define AS_DOUBLE(a)          mpfr_get_d(&(a), MPFR_RNDN)
#define NEW_NUMBERS(plan, count, out)                                                              \
  RITT_TRY(ritti_bigs_new((plan)->arena, count, (plan)->bits, &(out)))

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

#include "series_body.h"

ritt_status ritti_big_series_plan_new(const ritti_dag *dag, const ritti_expr *roots, size_t count,
                                      int terms, long bits, ritti_big_series_plan **out) {
  return make_plan(dag, roots, count, terms, bits, out);
}
