/* The numbers of a linear system modulo a prime: its coefficients, and the Taylor coefficients of the
 * forcing at a random t.
 *
 * The forcing is a point of its differential field: exp(u) and exp(i u) of the monomials
 * u = t^k pi^l are algebraically independent, so they begin at random residues, and sums of rational
 * multiples of such monomials at products of powers of these. A function of any other kind has random
 * Taylor coefficients: if a combination vanishes for these it vanishes for every function, and
 * otherwise nothing is known.
 */
#include <stdlib.h>
#include "complete/modular_impl.h"

enum { MOST_MONOMIALS = 8 };

/* u = sum of coefficient * t^power * pi^pi */
typedef struct monomials {
  int count;
  struct {
    int power, pi;
    mpq_t coefficient;
  } at[MOST_MONOMIALS];
} monomials;

/* Is it t^k, k >= 1? */
static bool is_time_power(const ritti_dag *dag, ritti_expr e, int *power) {
  *power = 1;
  if (ritti_op_of(dag, e) == RITTI_INDEPENDENT) return true;
  if (ritti_op_of(dag, e) != RITTI_POWER) return false;
  ritti_expr base = ritti_argument(dag, e, 0), exponent = ritti_argument(dag, e, 1);
  if (ritti_op_of(dag, base) != RITTI_INDEPENDENT) return false;
  if (ritti_op_of(dag, exponent) != RITTI_NUMBER) return false;
  mpq_srcptr k = ritti_rational_of(dag, exponent);
  if (mpz_cmp_ui(mpq_denref(k), 1) || mpq_cmp_ui(k, 1, 1) < 0 || mpq_cmp_ui(k, 50, 1) > 0)
    return false;
  *power = (int)mpz_get_si(mpq_numref(k));
  return true;
}

/* Adds factor * e; false: e is no sum of rational multiples of monomials. */
static bool add_monomials(const ritti_dag *dag, ritti_expr e, mpq_srcptr factor, monomials *out) {
  int power = 0, pi = 0;
  bool good = true;
  mpq_t product;
  switch (ritti_op_of(dag, e)) {
  case RITTI_ADD:
    for (size_t i = 0; i < ritti_argument_count(dag, e) && good; i++)
      good = add_monomials(dag, ritti_argument(dag, e, i), factor, out);
    return good;
  case RITTI_MULTIPLY:
    if (ritti_op_of(dag, ritti_argument(dag, e, 0)) == RITTI_NUMBER) {
      mpq_init(product);
      mpq_mul(product, factor, ritti_rational_of(dag, ritti_argument(dag, e, 0)));
      good = add_monomials(dag, ritti_argument(dag, e, 1), product, out);
      mpq_clear(product);
      return good;
    }
    for (size_t i = 0; i < ritti_argument_count(dag, e); i++) {
      ritti_expr f = ritti_argument(dag, e, i);
      if (ritti_op_of(dag, f) == RITTI_PI) pi++;
      else if (power > 0 || !is_time_power(dag, f, &power)) return false;
    }
    break;
  case RITTI_NUMBER: break;
  default:
    if (!is_time_power(dag, e, &power)) return false;
  }

  int at = 0;
  while (at < out->count && (out->at[at].power != power || out->at[at].pi != pi)) at++;
  if (at == MOST_MONOMIALS) return false;
  if (at == out->count) {
    out->at[at].power = power;
    out->at[at].pi = pi;
    mpq_init(out->at[out->count++].coefficient);
  }
  mpq_init(product);
  mpq_set(product, factor);
  if (ritti_op_of(dag, e) == RITTI_NUMBER) mpq_mul(product, product, ritti_rational_of(dag, e));
  mpq_add(out->at[at].coefficient, out->at[at].coefficient, product);
  mpq_clear(product);
  return true;
}

/* A whole number that the denominators in arguments of exp, sin and cos divide. */
static void set_denominator(mpz_t d) {
  mpz_set_str(d, "100000000000000000000", 10); /* 10^20 */
  mpz_mul_ui(d, d, 729ul * 343 * 11 * 13 * 17 * 19);
  mpz_mul_ui(d, d, 23ul * 29 * 31 * 37 * 41 * 43 * 47);
}

/* exp(u), or exp(i u) if turning, as a residue; false: u is not of the form that is known. */
static bool exponential_begin(const ritti_dag *dag, ritti_expr u, bool turning,
                              const ritti_prime *P, ritti_residue *out) {
  monomials sum = {0};
  mpz_t d, e;
  mpq_t one;
  mpz_inits(d, e, NULL);
  mpq_init(one);
  mpq_set_ui(one, 1, 1);
  set_denominator(d);
  bool good = add_monomials(dag, u, one, &sum);
  *out = P->one;
  for (int i = 0; i < sum.count && good; i++) {
    uint64_t key = ((uint64_t)sum.at[i].power * 64 + (uint64_t)sum.at[i].pi) * 2 + turning;
    bool constant = sum.at[i].power == 0;
    /* sin(t + pi/2) is cos(t): constant multiples of pi are not independent of numbers */
    good = mpz_divisible_p(d, mpq_denref(sum.at[i].coefficient)) &&
           !(constant && turning && sum.at[i].pi > 0);
    if (!good) break;
    mpz_divexact(e, d, mpq_denref(sum.at[i].coefficient));
    mpz_mul(e, e, mpq_numref(sum.at[i].coefficient));
    ritti_residue base = ritti_residue_random(P, key + ((uint64_t)1 << 40));
    *out = ritti_residue_multiply(P, *out, ritti_residue_power(P, base, mpz_fdiv_ui(e, P->p - 1)));
  }
  for (int i = 0; i < sum.count; i++) mpq_clear(sum.at[i].coefficient);
  mpz_clears(d, e, NULL);
  mpq_clear(one);
  return good;
}

static bool is_whole(const ritti_dag *dag, ritti_expr e) {
  return ritti_op_of(dag, e) == RITTI_NUMBER &&
         mpz_cmp_ui(mpq_denref(ritti_rational_of(dag, e)), 1) == 0 &&
         mpz_fits_sshort_p(mpq_numref(ritti_rational_of(dag, e)));
}

/* Is it one of the functions that begin at a known residue? */
static bool is_known_function(const ritti_dag *dag, ritti_expr e) {
  ritti_prime P = ritti_prime_make(0);
  ritti_residue begin;
  ritti_op op = ritti_op_of(dag, e);
  bool turning = op == RITTI_SIN || op == RITTI_COS || op == RITTI_TAN;
  if (!turning && op != RITTI_EXP && op != RITTI_SINH && op != RITTI_COSH && op != RITTI_TANH)
    return false;
  return exponential_begin(dag, ritti_argument(dag, e, 0), turning, &P, &begin);
}

ritt_status ritti_modular_read_forcings(ritti_modular *M) {
  const ritti_dag *dag = M->L->dag;
  RITTI_NEW(M->kind, M->arena, M->nodes.count + 1);
  RITTI_NEW(M->opaque, M->arena, M->L->equations + 1);
  for (size_t n = 0; n < M->nodes.count; n++) {
    ritti_expr e = M->nodes.at[n];
    ritti_op op = ritti_op_of(dag, e);
    ritti_node_kind *kind = &M->kind[n];
    bool known = op == RITTI_NUMBER || op == RITTI_PI || op == RITTI_INDEPENDENT ||
                 op == RITTI_ADD || op == RITTI_MULTIPLY ||
                 (op == RITTI_POWER && is_whole(dag, ritti_argument(dag, e, 1))) ||
                 is_known_function(dag, e);
    kind->opaque = !known;
    kind->moves = op == RITTI_INDEPENDENT;
    for (size_t i = 0; i < ritti_argument_count(dag, e); i++) {
      const ritti_node_kind *below =
          &M->kind[ritti_node_place(&M->nodes, ritti_argument(dag, e, i))];
      kind->opaque = kind->opaque || below->opaque;
      kind->moves = kind->moves || below->moves;
    }
  }
  for (int i = 0; i < M->L->equations; i++)
    M->opaque[i] = M->kind[ritti_node_place(&M->nodes, M->L->forcing[i])].opaque;
  return RITT_OK;
}

/* ---- power series modulo a prime ---- */

static void series_multiply(const ritti_prime *P, int terms, const ritti_residue *a,
                            const ritti_residue *b, ritti_residue *out) {
  for (int k = terms - 1; k >= 0; k--) {
    ritti_residue sum = 0;
    for (int i = 0; i <= k; i++)
      sum = ritti_residue_add(P, sum, ritti_residue_multiply(P, a[i], b[k - i]));
    out[k] = sum;
  }
}

/* out is not a; false: a begins with 0 */
static bool series_invert(const ritti_prime *P, int terms, const ritti_residue *a,
                          ritti_residue *out) {
  if (!a[0]) return false;
  ritti_residue first = ritti_residue_inverse(P, a[0]);
  for (int k = 0; k < terms; k++) {
    ritti_residue sum = k == 0 ? P->one : 0;
    for (int i = 1; i <= k; i++) {
      ritti_residue product = ritti_residue_multiply(P, a[i], out[k - i]);
      sum = ritti_residue_add(P, sum, ritti_residue_negate(P, product));
    }
    out[k] = ritti_residue_multiply(P, sum, first);
  }
  return true;
}

static bool series_power(const ritti_prime *P, int terms, const ritti_residue *a, long exponent,
                         ritti_residue *scratch, ritti_residue *out) {
  ritti_residue *base = scratch, *inverse = scratch + terms;
  memcpy(base, a, (size_t)terms * sizeof *base);
  if (exponent < 0) {
    if (!series_invert(P, terms, a, inverse)) return false;
    memcpy(base, inverse, (size_t)terms * sizeof *base);
  }
  memset(out, 0, (size_t)terms * sizeof *out);
  out[0] = P->one;
  for (long left = labs(exponent); left; left >>= 1) {
    if (left & 1) series_multiply(P, terms, out, base, out);
    series_multiply(P, terms, base, base, base);
  }
  return true;
}

/* e^(c u) along u, from its first coefficient: k out_k = c sum i u_i out_(k-i). */
static void series_exponential(const ritti_prime *P, int terms, const ritti_residue *u,
                               ritti_residue factor, ritti_residue begin, ritti_residue *out) {
  out[0] = begin;
  for (int k = 1; k < terms; k++) {
    ritti_residue sum = 0;
    for (int i = 1; i <= k; i++) {
      ritti_residue slope = ritti_residue_multiply(P, ritti_residue_from(P, (uint64_t)i), u[i]);
      sum = ritti_residue_add(P, sum, ritti_residue_multiply(P, slope, out[k - i]));
    }
    ritti_residue inverse = ritti_residue_inverse(P, ritti_residue_from(P, (uint64_t)k));
    out[k] = ritti_residue_multiply(P, ritti_residue_multiply(P, sum, inverse), factor);
  }
}

/* sin, cos, tan, sinh, cosh, tanh and exp by exponentials: E = e^u or e^(i u). */
static bool series_function(const ritti_dag *dag, ritti_expr e, const ritti_prime *P, int terms,
                            const ritti_residue *u, ritti_residue *scratch, ritti_residue *out) {
  ritti_op op = ritti_op_of(dag, e);
  bool turning = op == RITTI_SIN || op == RITTI_COS || op == RITTI_TAN;
  ritti_residue *up = scratch, *down = scratch + terms, *sine = scratch + 2 * terms;
  ritti_residue two = ritti_residue_from(P, 2), begin;
  ritti_residue i = ritti_residue_power(P, two, (P->p - 1) / 4); /* its square is -1 */
  ritti_residue factor = turning ? i : P->one, half = ritti_residue_inverse(P, two);
  if (!exponential_begin(dag, ritti_argument(dag, e, 0), turning, P, &begin)) return false;

  series_exponential(P, terms, u, factor, begin, up);
  if (op == RITTI_EXP) {
    memcpy(out, up, (size_t)terms * sizeof *out);
    return true;
  }
  series_exponential(P, terms, u, ritti_residue_negate(P, factor), ritti_residue_inverse(P, begin),
                     down);
  ritti_residue over = ritti_residue_multiply(P, half, ritti_residue_inverse(P, factor));
  for (int k = 0; k < terms; k++) {
    sine[k] = ritti_residue_add(P, up[k], ritti_residue_negate(P, down[k]));
    sine[k] = ritti_residue_multiply(P, sine[k], over);
    out[k] = ritti_residue_multiply(P, ritti_residue_add(P, up[k], down[k]), half);
  }
  if (op == RITTI_COS || op == RITTI_COSH) return true;
  if (op == RITTI_SIN || op == RITTI_SINH) {
    memcpy(out, sine, (size_t)terms * sizeof *out);
    return true;
  }
  if (!series_invert(P, terms, out, up)) return false;
  series_multiply(P, terms, sine, up, out);
  return true;
}

/* The residue of a number; false: p divides its numerator or its denominator. */
static bool number_value(const ritti_dag *dag, ritti_expr e, const ritti_prime *P,
                         ritti_residue *out) {
  mpq_srcptr number = ritti_rational_of(dag, e);
  return ritti_residue_rational(P, number, out) && (*out || mpq_sgn(number) == 0);
}

/* The series of one node from those of its arguments; false: p divides a number. */
static bool node_series(const ritti_modular *M, const ritti_prime *P, size_t n, int terms,
                        ritti_residue *series, ritti_residue *scratch) {
  const ritti_dag *dag = M->L->dag;
  ritti_expr e = M->nodes.at[n];
  ritti_residue *out = series + n * (size_t)terms;
  const ritti_residue *first = NULL;
  size_t arguments = ritti_argument_count(dag, e);
  if (arguments)
    first = series + ritti_node_place(&M->nodes, ritti_argument(dag, e, 0)) * (size_t)terms;

  switch (ritti_op_of(dag, e)) {
  case RITTI_NUMBER: return number_value(dag, e, P, &out[0]);
  case RITTI_PI: out[0] = ritti_residue_random(P, 1); return true;
  case RITTI_INDEPENDENT:
    out[0] = ritti_residue_random(P, 2);
    if (terms > 1) out[1] = P->one;
    return true;
  case RITTI_ADD:
    for (size_t i = 0; i < arguments; i++) {
      size_t place = ritti_node_place(&M->nodes, ritti_argument(dag, e, i));
      for (int k = 0; k < terms; k++)
        out[k] = ritti_residue_add(P, out[k], series[place * (size_t)terms + (size_t)k]);
    }
    return true;
  case RITTI_MULTIPLY:
    memcpy(out, first, (size_t)terms * sizeof *out);
    for (size_t i = 1; i < arguments; i++) {
      size_t place = ritti_node_place(&M->nodes, ritti_argument(dag, e, i));
      series_multiply(P, terms, out, series + place * (size_t)terms, out);
    }
    return true;
  case RITTI_POWER:
    if (!is_whole(dag, ritti_argument(dag, e, 1))) break;
    return series_power(P, terms, first,
                        mpz_get_si(mpq_numref(ritti_rational_of(dag, ritti_argument(dag, e, 1)))),
                        scratch, out);
  default:
    if (is_known_function(dag, e)) return series_function(dag, e, P, terms, first, scratch, out);
  }

  for (int k = 0; k < (M->kind[n].moves ? terms : 1); k++)
    out[k] = ritti_residue_random(P, ((uint64_t)e << 12) + (uint64_t)k + ((uint64_t)1 << 50));
  return true;
}

/* The value of a coefficient; false: a division by 0 modulo p. */
static bool constant_value(const ritti_dag *dag, ritti_expr e, const ritti_prime *P,
                           ritti_residue *out) {
  ritti_residue value;
  switch (ritti_op_of(dag, e)) {
  case RITTI_NUMBER: return number_value(dag, e, P, out);
  case RITTI_PI: *out = ritti_residue_random(P, 1); return true;
  case RITTI_POWER: {
    long exponent = mpz_get_si(mpq_numref(ritti_rational_of(dag, ritti_argument(dag, e, 1))));
    if (!constant_value(dag, ritti_argument(dag, e, 0), P, &value)) return false;
    if (exponent < 0 && !value) return false;
    if (exponent < 0) value = ritti_residue_inverse(P, value);
    *out = ritti_residue_power(P, value, (uint64_t)labs(exponent));
    return true;
  }
  default: {
    bool add = ritti_op_of(dag, e) == RITTI_ADD;
    *out = add ? 0 : P->one;
    for (size_t i = 0; i < ritti_argument_count(dag, e); i++) {
      if (!constant_value(dag, ritti_argument(dag, e, i), P, &value)) return false;
      *out = add ? ritti_residue_add(P, *out, value) : ritti_residue_multiply(P, *out, value);
    }
    return true;
  }
  }
}

ritt_status ritti_image_set_series(ritti_modular *M, ritti_image *I, int terms, bool *good) {
  const ritti_linear *L = M->L;
  size_t all = M->nodes.count * (size_t)terms;
  ritti_residue *series = ritti_malloc((all + 4 * (size_t)terms + 1) * sizeof *series);
  if (!series) return RITT_NO_MEMORY;
  memset(series, 0, all * sizeof *series);
  *good = true;
  for (size_t n = 0; n < M->nodes.count && *good; n++)
    *good = node_series(M, &I->P, n, terms, series, series + all);
  I->series =
      ritti_arena_alloc(M->arena, (size_t)L->equations * (size_t)terms + 1, sizeof *I->series);
  I->terms = terms;
  for (int i = 0; i < L->equations && I->series; i++)
    memcpy(I->series + i * terms,
           series + ritti_node_place(&M->nodes, L->forcing[i]) * (size_t)terms,
           (size_t)terms * sizeof *series);
  ritti_free(series);
  return I->series ? RITT_OK : RITT_NO_MEMORY;
}

bool ritti_image_set_coefficients(const ritti_linear *L, ritti_image *I) {
  for (int e = 0; e < L->start[L->equations]; e++)
    if (!constant_value(L->dag, L->term[e].coefficient, &I->P, &I->coefficient[e])) return false;
  return true;
}
