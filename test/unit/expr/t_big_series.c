/* Power series with many digits: coefficients that are known as rational numbers, to the last of 300
 * digits. At t = 0 the series of t is 0, 1, 0, ...; those of functions of t are their Taylor series. */
#include "check.h"
#include "expr/big.h"

enum { TERMS = 12, DIGITS = 300, ROOTS = 9 };

static void no_jet(const void *context, int variable, int order, int terms, ritti_big *out) {
  (void)context, (void)variable, (void)order;
  for (int k = 0; k < terms; k++) mpfr_set_zero(&out[k], 1);
}

/* The k-th Taylor coefficients, as rational numbers. */
static void know_coefficient(int root, int k, mpq_t out) {
  static const int turn[] = {0, 1, 0, -1}; /* of the sine */
  mpz_t factorial;
  mpz_init(factorial);
  mpz_fac_ui(factorial, (unsigned long)k);
  mpq_set_si(out, 0, 1);
  switch (root) {
  case 0: mpq_set_si(out, 1, 1); break;                                 /* exp(t), times k! */
  case 1: mpq_set_si(out, turn[k % 4], 1); break;                       /* sin(t), times k! */
  case 2: mpq_set_si(out, turn[(k + 1) % 4], 1); break;                 /* cos(t), times k! */
  case 3: mpq_set_si(out, 1, 1); break;                                 /* 1/(1 - t) */
  case 4: mpq_set_si(out, k % 2 ? 1 : -1, k ? (unsigned)k : 1u); break; /* log(1 + t), k > 0 */
  case 5: mpq_set_si(out, k % 2 ? turn[k % 4] : 0, k ? (unsigned)k : 1u); break; /* atan(t) */
  case 6: /* (1 + t)^(1/2): the product of (1/2 - i)/(i + 1), i < k */
  case 7: /* (1 + t)^(-7/3) */
    mpq_set_si(out, 1, 1);
    for (int i = 0; i < k; i++) {
      mpq_t factor;
      mpq_init(factor);
      if (root == 6) mpq_set_si(factor, 1 - 2 * i, 2u * (unsigned)(i + 1));
      else mpq_set_si(factor, -7 - 3 * i, 3u * (unsigned)(i + 1));
      mpq_canonicalize(factor);
      mpq_mul(out, out, factor);
      mpq_clear(factor);
    }
    break;
  default: /* (1 + 1e-170)*t - t */
    if (k == 1) {
      mpq_set_si(out, 1, 1);
      mpz_ui_pow_ui(mpq_denref(out), 10, 170);
    }
  }
  if (root == 4 && k == 0) mpq_set_si(out, 0, 1);
  if (root < 3) mpz_set(mpq_denref(out), factorial);
  mpq_canonicalize(out);
  mpz_clear(factorial);
}

static void make_roots(ritti_dag *dag, ritti_expr *root) {
  ritti_expr t = ritti_independent(dag), one = ritti_number(dag, 1, 1);
  ritti_expr above = ritti_add(dag, one, t), below = ritti_subtract(dag, one, t);
  mpq_t tiny;
  mpq_init(tiny);
  mpq_set_si(tiny, 1, 1);
  mpz_ui_pow_ui(mpq_denref(tiny), 10, 170);
  ritti_expr nearly_one = ritti_add(dag, one, ritti_rational(dag, tiny));
  mpq_clear(tiny);
  root[0] = ritti_apply(dag, RITTI_EXP, &t, 1);
  root[1] = ritti_apply(dag, RITTI_SIN, &t, 1);
  root[2] = ritti_apply(dag, RITTI_COS, &t, 1);
  root[3] = ritti_divide(dag, one, below);
  root[4] = ritti_apply(dag, RITTI_LOG, &above, 1);
  root[5] = ritti_apply(dag, RITTI_ATAN, &t, 1);
  root[6] = ritti_power(dag, above, ritti_number(dag, 1, 2));
  root[7] = ritti_power(dag, above, ritti_number(dag, -7, 3));
  /* a parameter keeps the sum from being simplified */
  root[8] = ritti_subtract(dag, ritti_multiply(dag, nearly_one, t),
                           ritti_multiply(dag, ritti_parameter(dag, 0), t));
}

int main(void) {
  const long bits = (long)(DIGITS * 3.33) + 16;
  ritti_dag *dag = ritti_dag_new();
  ritti_arena *arena = ritti_arena_new();
  ritti_big_series_plan *plan = NULL;
  ritti_big *out, *parameter, *difference;
  ritti_expr root[ROOTS];
  make_roots(dag, root);
  CHECK(ritti_dag_status(dag) == RITT_OK);
  CHECK(ritti_bigs_new(arena, (size_t)ROOTS * TERMS, bits, &out) == RITT_OK);
  CHECK(ritti_bigs_new(arena, 2, bits, &parameter) == RITT_OK);
  difference = parameter + 1;
  mpfr_set_si(parameter, 1, MPFR_RNDN);
  mpfr_t zero;
  mpfr_init2(zero, bits);
  mpfr_set_zero(zero, 1);
  CHECK(ritti_big_series_plan_new(dag, root, ROOTS, TERMS, bits, &plan) == RITT_OK);
  ritti_big_series_values values = {.independent = *zero, .jet = no_jet, .parameter = parameter};
  ritti_big_series_plan_evaluate(plan, &values, TERMS, out);

  for (int r = 0; r < ROOTS; r++)
    for (int k = 0; k < TERMS; k++) {
      mpq_t known;
      mpq_init(known);
      know_coefficient(r, k, known);
      mpfr_sub_q(difference, &out[r * TERMS + k], known, MPFR_RNDN);
      bool same = mpfr_zero_p(difference) || mpfr_get_exp(difference) < -DIGITS * 3.32;
      if (!same) printf("root %d, coefficient %d\n", r, k);
      CHECK(same);
      mpq_clear(known);
    }

  /* a number with no digit below a period: its sine is not known, its arc tangent is (pi/2) */
  mpfr_set_si_2exp(zero, 1, 1000000000, MPFR_RNDN);
  values.independent = *zero;
  ritti_big_series_plan_evaluate(plan, &values, TERMS, out);
  CHECK(mpfr_nan_p(&out[1 * TERMS]) && mpfr_nan_p(&out[2 * TERMS]));
  mpfr_const_pi(difference, MPFR_RNDN);
  mpfr_div_si(difference, difference, 2, MPFR_RNDN);
  CHECK(mpfr_equal_p(&out[5 * TERMS], difference));
  mpfr_set_si_2exp(zero, 1, bits - 8, MPFR_RNDN);
  values.independent = *zero;
  ritti_big_series_plan_evaluate(plan, &values, TERMS, out);
  CHECK(mpfr_number_p(&out[1 * TERMS]) && fabs(mpfr_get_d(&out[1 * TERMS], MPFR_RNDN)) <= 1);

  mpfr_clear(zero);
  ritti_big_series_plan_free(plan);
  mpfr_free_cache();
  ritti_arena_free(arena);
  ritti_dag_free(dag);
  return CHECKS_DONE();
}
