/* Constructors that simplify: like terms and like factors are collected, numbers fold exactly,
 * neutral elements vanish. Never changes a value; where a rule would hide that an expression is
 * undefined (x * 1/x) it is not applied.
 */
#include <assert.h>
#include <stdlib.h>
#include "expr_impl.h"

enum {
  FLAT =
      16, /* products of more factors stay a factor of their own, so that long chains stay linear */
  POWER_BITS = 4096,  /* of a folded power of a number */
  NUMBER_BITS = 65536 /* of a folded product of numbers */
};

#define NUMBERS UINT32_MAX /* key of the numbers in a sum: after all others */

/* A term coefficient*key of a sum, or a factor key^exponent of a product; number = NIL stands
 * for 1. */
typedef struct part {
  ritti_expr key, number;
  int sign; /* of the exponent: factors of opposite sign are kept apart */
} part;

typedef struct parts {
  part *at;
  size_t count, room;
  bool failed;
  part small[8];
} parts;

/* Starts an empty list; short lists need no memory of their own. */
static void parts_init(parts *p) {
  *p = (parts){.room = sizeof p->small / sizeof *p->small};
  p->at = p->small;
}

static void parts_clear(parts *p) {
  if (p->at != p->small) ritti_free(p->at);
}

/* Appends a part. A part without a key or a lack of memory marks the list as failed, so that
   callers test once, at the end. */
static void push_part(parts *p, part item) {
  if (item.key == RITTI_NIL) p->failed = true;
  if (p->count == p->room) {
    part *at = p->room > SIZE_MAX / 4 / sizeof *at ? NULL : ritti_malloc(2 * p->room * sizeof *at);
    if (!at) {
      p->failed = true;
      return;
    }
    memcpy(at, p->at, p->count * sizeof *at);
    parts_clear(p);
    p->at = at;
    p->room *= 2;
  }
  p->at[p->count++] = item;
}

/* The order of parts: by base, then by the sign of the exponent. */
static int by_key(const void *x, const void *y) {
  const part *a = x, *b = y;
  if (a->key != b->key) return a->key < b->key ? -1 : 1;
  return (a->sign > b->sign) - (a->sign < b->sign);
}

/* Parts of one key and sign are like each other, so that their order does not matter. */
static void sort_parts(parts *p) {
  enum { FEW = 24 };
  for (size_t i = 1; i < p->count; i++) {
    if (by_key(&p->at[i - 1], &p->at[i]) <= 0) continue;
    if (p->count > FEW) {
      qsort(p->at, p->count, sizeof *p->at, by_key);
      return;
    }
    part item = p->at[i];
    size_t j = i;
    for (; j && by_key(&p->at[j - 1], &item) > 0; j--) p->at[j] = p->at[j - 1];
    p->at[j] = item;
  }
}

/* The number of parts from i on with the same key and sign. */
static size_t run_length(const parts *p, size_t i) {
  size_t n = 1;
  while (i + n < p->count && by_key(&p->at[i], &p->at[i + n]) == 0) n++;
  return n;
}

/* n1/d1 + n2/d2 or n1/d1 * n2/d2 in words; false: it may not fit. All below 2^31. */
static bool reduce_fraction(int64_t n, int64_t d, int64_t *out_n, int64_t *out_d) {
  int64_t a = n < 0 ? -n : n, b = d;
  if (d == 1) a = 1, b = 0;
  while (b) {
    int64_t rest = a % b;
    a = b, b = rest;
  }
  *out_n = n / a, *out_d = d / a;
  return llabs(*out_n) <= 0x7fffffff && *out_d <= 0x7fffffff;
}

/* n/d, both below 2^31 */
static ritti_expr make_ratio(ritti_dag *dag, int64_t n, int64_t d) {
  return ritti_ratio(dag, (long)n, (unsigned long)d);
}

/* The sum of the numbers of the parts from i on, n of them, in words; false: they are too large. */
static bool add_small(const ritti_dag *dag, const parts *p, size_t i, size_t n, int64_t *sum_n,
                      int64_t *sum_d) {
  *sum_n = 0, *sum_d = 1;
  for (size_t j = i; j < i + n; j++) {
    int64_t a = 1, b = 1;
    if (p->at[j].number && !ritti_small_number(ritti_rational_of(dag, p->at[j].number), &a, &b))
      return false;
    /* |a|, b, |sum| < 2^31: the sum of two products is below 2^63 */
    if (!reduce_fraction(*sum_n * b + a * *sum_d, *sum_d * b, sum_n, sum_d)) return false;
  }
  return true;
}

/* sum = the numbers of the parts from i on, n of them */
static void add_numbers(const ritti_dag *dag, const parts *p, size_t i, size_t n, mpq_t sum) {
  mpq_t one;
  mpq_init(one);
  mpq_set_ui(one, 1, 1);
  mpq_set_ui(sum, 0, 1);
  for (size_t j = i; j < i + n; j++)
    mpq_add(sum, sum, p->at[j].number ? ritti_rational_of(dag, p->at[j].number) : one);
  mpq_clear(one);
}

/* True if e is a number. */
static bool is_number(const ritti_dag *dag, ritti_expr e) {
  return ritti_op_of(dag, e) == RITTI_NUMBER;
}
static bool is_one(mpq_srcptr q) { return mpq_cmp_ui(q, 1, 1) == 0; }
static bool is_integer(mpq_srcptr q) { return mpz_cmp_ui(mpq_denref(q), 1) == 0; }
/* True if e is a product whose first factor is a number; the number always comes first. */
static bool has_coefficient(const ritti_dag *dag, ritti_expr e) {
  return ritti_op_of(dag, e) == RITTI_MULTIPLY && is_number(dag, ritti_argument(dag, e, 0));
}

/* coefficient * monic */
static ritti_expr scale_monic(ritti_dag *dag, mpq_srcptr coefficient, ritti_expr monic) {
  if (is_one(coefficient)) return monic;
  return ritti_intern(dag, RITTI_MULTIPLY, (ritti_expr[]){ritti_rational(dag, coefficient), monic},
                      2);
}

/* ---- sums ---- */
static void push_term(const ritti_dag *dag, parts *p, ritti_expr e) {
  if (e == RITTI_NIL) p->failed = true;
  else if (is_number(dag, e)) push_part(p, (part){.key = NUMBERS, .number = e});
  else if (has_coefficient(dag, e))
    push_part(p, (part){.key = ritti_argument(dag, e, 1), .number = ritti_argument(dag, e, 0)});
  else push_part(p, (part){.key = e});
}

/* The term that n parts of one key, from i on, make together; NIL: they vanish. */
static ritti_expr collect_parts(ritti_dag *dag, parts *p, size_t i, size_t n) {
  int64_t small_n, small_d;
  /* small numbers without GMP */
  if (add_small(dag, p, i, n, &small_n, &small_d)) {
    if (small_n == 0) return RITTI_NIL;
    ritti_expr number = make_ratio(dag, small_n, small_d), key_ = p->at[i].key;
    if (key_ == NUMBERS) return number;
    if (small_n == 1 && small_d == 1) return key_;
    return ritti_intern(dag, RITTI_MULTIPLY, (ritti_expr[]){number, key_}, 2);
  }
  /* with GMP */
  mpq_t sum;
  mpq_init(sum);
  add_numbers(dag, p, i, n, sum);
  ritti_expr e = RITTI_NIL, key = p->at[i].key;
  if (mpq_sgn(sum)) e = key == NUMBERS ? ritti_rational(dag, sum) : scale_monic(dag, sum, key);
  if (mpq_sgn(sum) && e == RITTI_NIL) p->failed = true;
  mpq_clear(sum);
  return e;
}

/* Like terms become one; the key of each part becomes the finished term. */
static void collect_terms(ritti_dag *dag, parts *p) {
  size_t kept = 0;
  for (size_t i = 0, n; i < p->count; i += n) {
    n = run_length(p, i);
    ritti_expr e = p->at[i].key;
    if (n > 1 || e == NUMBERS) e = collect_parts(dag, p, i, n);
    else if (p->at[i].number)
      e = ritti_intern(dag, RITTI_MULTIPLY, (ritti_expr[]){p->at[i].number, e}, 2);
    if (e) p->at[kept++].key = e;
    else if (n == 1 && p->at[i].key != NUMBERS) p->failed = true;
  }
  p->count = kept;
}

/* The keys as arguments of one node; none: the number `empty`. */
static ritti_expr join_parts(ritti_dag *dag, ritti_op op, parts *p, long empty) {
  if (p->count == 0) return ritti_number(dag, empty, 1);
  if (p->count == 1) return p->at[0].key;
  ritti_expr small[FLAT], *args = p->count <= FLAT ? small : ritti_malloc(p->count * sizeof *args);
  if (!args) return ritti_fail_dag(dag);
  for (size_t i = 0; i < p->count; i++) args[i] = p->at[i].key;
  ritti_expr e = ritti_intern(dag, op, args, p->count);
  if (args != small) ritti_free(args);
  return e;
}

/* The sum of terms in normal form: equal terms collected, numbers added, terms in a fixed order. */
ritti_expr ritti_sum(ritti_dag *dag, const ritti_expr *terms, size_t count) {
  parts p;
  if (count == 1) return terms[0];
  parts_init(&p);
  for (size_t i = 0; i < count; i++) push_term(dag, &p, terms[i]);
  if (!p.failed) {
    sort_parts(&p);
    collect_terms(dag, &p);
  }
  ritti_expr e = p.failed ? ritti_fail_dag(dag) : join_parts(dag, RITTI_ADD, &p, 0);
  parts_clear(&p);
  return e;
}

/* ---- products and rational powers ---- */
static size_t bits_of(mpq_srcptr q) {
  size_t n = mpz_sizeinbase(mpq_numref(q), 2), d = mpz_sizeinbase(mpq_denref(q), 2);
  return n > d ? n : d;
}

/* out = base^n exactly; false: undefined, or too large. out may be base. */
static bool fold_integer_power(mpq_srcptr base, mpz_srcptr n, mpq_t out) {
  /* powers of 0, of 1 and of -1 */
  int sign = mpz_sgn(n);
  if (mpq_sgn(base) == 0) {
    if (sign > 0) mpq_set_ui(out, 0, 1);
    return sign > 0;
  }
  bool unit = is_integer(base) && mpz_cmpabs_ui(mpq_numref(base), 1) == 0;
  if (unit) {
    mpq_set_si(out, mpq_sgn(base) < 0 && mpz_odd_p(n) ? -1 : 1, 1);
    return true;
  }
  /* results with too many bits stay powers */
  if (mpz_cmpabs_ui(n, 1) != 0 &&
      mpz_cmpabs_ui(n, POWER_BITS / (bits_of(base) > 1 ? bits_of(base) - 1 : 1)) > 0)
    return false;
  unsigned long k = mpz_get_ui(n); /* of the absolute value */
  mpz_pow_ui(mpq_numref(out), mpq_numref(base), k);
  mpz_pow_ui(mpq_denref(out), mpq_denref(base), k);
  if (sign < 0) mpq_inv(out, out);
  return true;
}

/* out = base^exponent exactly; false: undefined, irrational or too large. */
static bool fold_power(mpq_srcptr base, mpq_srcptr exponent, mpq_t out) {
  if (is_integer(exponent)) return fold_integer_power(base, mpq_numref(exponent), out);
  if (mpq_sgn(base) < 0 || !mpz_fits_ulong_p(mpq_denref(exponent))) return false;
  if (mpq_sgn(base) == 0 || is_one(base))
    return fold_integer_power(base, mpq_numref(exponent), out);
  unsigned long q = mpz_get_ui(mpq_denref(exponent));
  mpq_t root;
  mpq_init(root);
  bool exact = q <= POWER_BITS && mpz_root(mpq_numref(root), mpq_numref(base), q) != 0 &&
               mpz_root(mpq_denref(root), mpq_denref(base), q) != 0;
  exact = exact && fold_integer_power(root, mpq_numref(exponent), out);
  mpq_clear(root);
  return exact;
}

/* A product as it is gathered: coefficient times parts. */
typedef struct gather {
  ritti_dag *dag;
  int64_t small_n, small_d; /* the coefficient while it is small */
  bool scaled;              /* it has become large */
  mpq_t coefficient;        /* where scaled */
  parts factors;
} gather;

/* Starts a product with the coefficient 1. */
static void gather_init(gather *g, ritti_dag *dag) {
  g->dag = dag;
  g->small_n = g->small_d = 1;
  g->scaled = false;
  parts_init(&g->factors);
}

static void gather_clear(gather *g) {
  if (g->scaled) mpq_clear(g->coefficient);
  parts_clear(&g->factors);
}

/* A number that would make the coefficient too long stays a factor n^1, which nothing folds. */
static void gather_number(gather *g, mpq_srcptr value) {
  int64_t n, d;
  /* the coefficient as machine integers, as long as it fits */
  if (!g->scaled && ritti_small_number(value, &n, &d)) {
    if (reduce_fraction(n * g->small_n, d * g->small_d, &n, &d)) {
      g->small_n = n, g->small_d = d;
      return;
    }
  }
  /* otherwise as a GMP number */
  if (!g->scaled) {
    g->scaled = true;
    mpq_init(g->coefficient);
    mpq_set_si(g->coefficient, (long)g->small_n, (unsigned long)g->small_d);
  }
  mpq_t product;
  mpq_init(product);
  mpq_mul(product, g->coefficient, value);
  if (bits_of(product) <= NUMBER_BITS || is_one(g->coefficient)) mpq_set(g->coefficient, product);
  else {
    ritti_expr args[2] = {ritti_rational(g->dag, value), ritti_number(g->dag, 1, 1)};
    push_part(&g->factors, (part){.key = ritti_intern(g->dag, RITTI_POWER, args, 2), .sign = 1});
  }
  mpq_clear(product);
}

/* Adds the factor base^exponent without looking into the base. */
static void gather_plain(gather *g, ritti_expr base, mpq_srcptr exponent) {
  part item = {.key = base, .sign = mpq_sgn(exponent)};
  if (!is_one(exponent) && (item.number = ritti_rational(g->dag, exponent)) == RITTI_NIL)
    g->factors.failed = true;
  push_part(&g->factors, item);
}

/* base^exponent for a base that is not a product */
static void gather_power(gather *g, ritti_expr base, mpq_srcptr exponent) {
  mpq_t q, folded;
  mpq_inits(q, folded, NULL);
  mpq_set(q, exponent);
  /* (b^p)^q = b^(p*q) for an integer q */
  while (ritti_op_of(g->dag, base) == RITTI_POWER && is_integer(q) &&
         is_number(g->dag, ritti_argument(g->dag, base, 1))) {
    mpq_mul(q, q, ritti_rational_of(g->dag, ritti_argument(g->dag, base, 1)));
    base = ritti_argument(g->dag, base, 0);
  }
  if (is_number(g->dag, base) && fold_power(ritti_rational_of(g->dag, base), q, folded))
    gather_number(g, folded);
  else gather_plain(g, base, q);
  mpq_clears(q, folded, NULL);
}

/* True if e is a product of few factors; only these are multiplied out into other products. */
static bool is_short_product(const ritti_dag *dag, ritti_expr e) {
  return ritti_op_of(dag, e) == RITTI_MULTIPLY && ritti_argument_count(dag, e) <= FLAT;
}

/* (f*g*...)^n = f^n * g^n * ... for an integer n */
static void gather_product_power(gather *g, ritti_expr product, mpq_srcptr exponent) {
  ritti_expr args[FLAT];
  size_t count = ritti_argument_count(g->dag, product);
  memcpy(args, ritti_arguments(g->dag, product), count * sizeof *args);
  for (size_t i = 0; i < count; i++) gather_power(g, args[i], exponent);
}

/* (c*u)^q = c^q * u^q for c > 0 where c^q is rational */
static void gather_root(gather *g, ritti_expr base, mpq_srcptr exponent) {
  mpq_t folded;
  mpq_init(folded);
  bool apart =
      has_coefficient(g->dag, base) &&
      fold_power(ritti_rational_of(g->dag, ritti_argument(g->dag, base, 0)), exponent, folded);
  if (apart) {
    gather_number(g, folded);
    base = ritti_argument(g->dag, base, 1);
  }
  gather_plain(g, base, exponent);
  mpq_clear(folded);
}

/* Adds base^exponent. Products are taken apart if their powers can be multiplied factor by
   factor. */
static void gather_factor(gather *g, ritti_expr base, mpq_srcptr exponent) {
  if (base == RITTI_NIL) {
    g->factors.failed = true;
    return;
  }
  if (!is_short_product(g->dag, base)) gather_power(g, base, exponent);
  else if (!is_integer(exponent)) gather_root(g, base, exponent);
  else if (has_coefficient(g->dag, base) &&
           is_short_product(g->dag, ritti_argument(g->dag, base, 1))) {
    gather_power(g, ritti_argument(g->dag, base, 0), exponent);
    gather_product_power(g, ritti_argument(g->dag, base, 1), exponent);
  } else gather_product_power(g, base, exponent);
}

/* A factor of a finished product, to the power 1: nothing folds. */
static void gather_finished(gather *g, ritti_expr f) {
  ritti_dag *dag = g->dag;
  if (is_number(dag, f)) gather_number(g, ritti_rational_of(dag, f));
  else if (ritti_op_of(dag, f) == RITTI_POWER && is_number(dag, ritti_argument(dag, f, 1))) {
    ritti_expr exponent = ritti_argument(dag, f, 1);
    int sign = mpq_sgn(ritti_rational_of(dag, exponent));
    push_part(&g->factors,
              (part){.key = ritti_argument(dag, f, 0), .number = exponent, .sign = sign});
  } else push_part(&g->factors, (part){.key = f, .sign = 1});
}

/* The same as gather_factor with exponent 1, only faster. */
static void gather_once(gather *g, ritti_expr f) {
  if (f == RITTI_NIL) {
    g->factors.failed = true;
    return;
  }
  if (has_coefficient(g->dag, f)) {
    gather_finished(g, ritti_argument(g->dag, f, 0));
    f = ritti_argument(g->dag, f, 1);
  }
  if (!is_short_product(g->dag, f)) {
    gather_finished(g, f);
    return;
  }
  for (size_t i = 0, n = ritti_argument_count(g->dag, f); i < n; i++)
    gather_finished(g, ritti_argument(g->dag, f, i));
}

/* Is the part a product to an integer power, to be taken apart? */
static bool comes_apart(const ritti_dag *dag, const part *p) {
  return is_short_product(dag, p->key) &&
         (!p->number || is_integer(ritti_rational_of(dag, p->number)));
}

/* True if factors can still be merged: two with one base, or a power that comes apart. */
static bool has_work(const gather *g) {
  const parts *p = &g->factors;
  for (size_t i = 0; i < p->count; i++)
    if ((i && by_key(&p->at[i - 1], &p->at[i]) == 0) || comes_apart(g->dag, &p->at[i])) return true;
  return false;
}

/* Neither a number, nor a product, nor a power: to a power it stays as it is. */
static bool is_atom(const ritti_dag *dag, ritti_expr e) {
  ritti_op op = ritti_op_of(dag, e);
  return op != RITTI_NUMBER && op != RITTI_MULTIPLY && op != RITTI_POWER;
}

/* base^(n/d) */
static part raise_base(ritti_dag *dag, ritti_expr base, int64_t n, int64_t d) {
  part item = {.key = base, .sign = (n > 0) - (n < 0)};
  if (n != 1 || d != 1) item.number = make_ratio(dag, n, d);
  if (!item.number && (n != 1 || d != 1)) item.key = RITTI_NIL;
  return item;
}

/* One pass over the sorted parts: powers of one base with exponents of one sign become one, which
 * may come apart into other bases. */
static void merge_factors(gather *g) {
  /* the old parts may lie in the structure that is filled again */
  parts old = g->factors;
  if (old.at == g->factors.small) old.at = old.small;
  parts_init(&g->factors);
  g->factors.failed = old.failed;
  mpq_t sum;
  mpq_init(sum);
  for (size_t i = 0, n; i < old.count; i += n) {
    n = run_length(&old, i);
    int64_t sum_n, sum_d;
    if (n == 1 && !comes_apart(g->dag, &old.at[i])) push_part(&g->factors, old.at[i]);
    else if (is_atom(g->dag, old.at[i].key) && add_small(g->dag, &old, i, n, &sum_n, &sum_d))
      push_part(&g->factors, raise_base(g->dag, old.at[i].key, sum_n, sum_d));
    else {
      add_numbers(g->dag, &old, i, n, sum);
      gather_factor(g, old.at[i].key, sum);
    }
  }
  mpq_clear(sum);
  parts_clear(&old);
  sort_parts(&g->factors);
}

/* Makes the expression of the product: merges factors until nothing changes, then coefficient
   and factors in their order. */
static ritti_expr gather_finish(gather *g) {
  ritti_dag *dag = g->dag;
  parts *p = &g->factors;
  bool zero = g->scaled ? mpq_sgn(g->coefficient) == 0 : g->small_n == 0;
  if (zero && !p->failed) return ritti_number(dag, 0, 1);
  sort_parts(p);
  while (!p->failed && has_work(g)) merge_factors(g);
  if (p->failed) return ritti_fail_dag(dag);
  /* exponents become powers; the result is sorted as expressions, not as parts */
  for (size_t i = 0; i < p->count; i++)
    if (p->at[i].number)
      p->at[i] = (part){
          .key = ritti_intern(dag, RITTI_POWER, (ritti_expr[]){p->at[i].key, p->at[i].number}, 2)};
    else p->at[i].sign = 0;
  sort_parts(p);
  /* small coefficients */
  if (!g->scaled && g->small_n == 1 && g->small_d == 1)
    return join_parts(dag, RITTI_MULTIPLY, p, 1);
  if (!g->scaled) {
    ritti_expr number = make_ratio(dag, g->small_n, g->small_d);
    if (p->count == 0) return number;
    return ritti_intern(dag, RITTI_MULTIPLY,
                        (ritti_expr[]){number, join_parts(dag, RITTI_MULTIPLY, p, 1)}, 2);
  }
  if (p->count == 0) return ritti_rational(dag, g->coefficient);
  return scale_monic(dag, g->coefficient, join_parts(dag, RITTI_MULTIPLY, p, 1));
}

/* n/d times what is monic; monic = NIL: the number alone. */
typedef struct multiple {
  int64_t n, d;
  ritti_expr monic;
} multiple;

/* false: the number is large. */
static bool split_multiple(const ritti_dag *dag, ritti_expr e, multiple *m) {
  *m = (multiple){1, 1, e};
  if (is_number(dag, e)) m->monic = RITTI_NIL;
  else if (has_coefficient(dag, e)) {
    m->monic = ritti_argument(dag, e, 1);
    e = ritti_argument(dag, e, 0);
  } else return true;
  return ritti_small_number(ritti_rational_of(dag, e), &m->n, &m->d);
}

/* The same as gathering two factors, where one is a number or both are multiples of atoms, only
 * faster; NIL: they are something else. */
static ritti_expr simple_product(ritti_dag *dag, ritti_expr a, ritti_expr b) {
  multiple x, y;
  ritti_expr power = RITTI_NIL, number = RITTI_NIL;
  int64_t n, d;
  if (a == RITTI_NIL || b == RITTI_NIL || !split_multiple(dag, a, &x) ||
      !split_multiple(dag, b, &y))
    return RITTI_NIL;
  /* numbers and multiples of atoms only */
  if (x.monic && y.monic && (!is_atom(dag, x.monic) || !is_atom(dag, y.monic))) return RITTI_NIL;
  if (!reduce_fraction(x.n * y.n, x.d * y.d, &n, &d)) return RITTI_NIL;
  if (n == 0) return ritti_number(dag, 0, 1);
  bool both = x.monic && y.monic, unit = n == 1 && d == 1;
  /* x x is x^2; other atoms are put in order */
  if (both && x.monic == y.monic)
    power = ritti_intern(dag, RITTI_POWER, (ritti_expr[]){x.monic, ritti_ratio(dag, 2, 1)}, 2);
  if (!unit || !(x.monic || y.monic)) number = make_ratio(dag, n, d);
  ritti_expr low = x.monic < y.monic ? x.monic : y.monic,
             high = x.monic < y.monic ? y.monic : x.monic;
  if (both && low < high) high = ritti_intern(dag, RITTI_MULTIPLY, (ritti_expr[]){low, high}, 2);
  ritti_expr monic = both && low == high ? power : high;
  if (!(x.monic || y.monic)) return number;
  return unit ? monic : ritti_intern(dag, RITTI_MULTIPLY, (ritti_expr[]){number, monic}, 2);
}

/* The product of factors in normal form: equal bases collected, numbers multiplied, factors in a
   fixed order. */
ritti_expr ritti_product(ritti_dag *dag, const ritti_expr *factors, size_t count) {
  ritti_expr simple = count == 2 ? simple_product(dag, factors[0], factors[1]) : RITTI_NIL;
  if (simple) return simple;
  gather g;
  gather_init(&g, dag);
  for (size_t i = 0; i < count; i++) gather_once(&g, factors[i]);
  ritti_expr e = gather_finish(&g);
  gather_clear(&g);
  return e;
}

/* base^exponent in normal form. 0^0 is 1, as in polynomials. */
ritti_expr ritti_power(ritti_dag *dag, ritti_expr base, ritti_expr exponent) {
  if (base == RITTI_NIL || exponent == RITTI_NIL) return RITTI_NIL;
  /* exponents that are no numbers stay as they are */
  if (!is_number(dag, exponent)) {
    if (is_number(dag, base) && is_one(ritti_rational_of(dag, base))) return base;
    return ritti_intern(dag, RITTI_POWER, (ritti_expr[]){base, exponent}, 2);
  }
  if (ritti_is_zero(dag, exponent)) return ritti_number(dag, 1, 1);
  if (is_atom(dag, base)) {
    if (is_one(ritti_rational_of(dag, exponent))) return base;
    return ritti_intern(dag, RITTI_POWER, (ritti_expr[]){base, exponent}, 2);
  }
  /* a number as the exponent of a product, a power or a number */
  gather g;
  gather_init(&g, dag);
  gather_factor(&g, base, ritti_rational_of(dag, exponent));
  ritti_expr e = gather_finish(&g);
  gather_clear(&g);
  return e;
}

/* ---- the rest in terms of these ---- */
ritti_expr ritti_add(ritti_dag *dag, ritti_expr a, ritti_expr b) {
  return ritti_sum(dag, (ritti_expr[]){a, b}, 2);
}
/* a b; the products with 1, which are frequent, need no search. */
ritti_expr ritti_multiply(ritti_dag *dag, ritti_expr a, ritti_expr b) {
  ritti_expr one = dag->whole[RITTI_SMALL_NUMBER + 1];
  if (one && a == one) return b;
  if (one && b == one) return a;
  return ritti_product(dag, (ritti_expr[]){a, b}, 2);
}
ritti_expr ritti_negate(ritti_dag *dag, ritti_expr a) {
  return ritti_multiply(dag, ritti_number(dag, -1, 1), a);
}
ritti_expr ritti_subtract(ritti_dag *dag, ritti_expr a, ritti_expr b) {
  return ritti_add(dag, a, ritti_negate(dag, b));
}
ritti_expr ritti_divide(ritti_dag *dag, ritti_expr a, ritti_expr b) {
  return ritti_multiply(dag, a, ritti_power(dag, b, ritti_number(dag, -1, 1)));
}

/* ---- functions ---- */
/* floor, ceil or round of a number */
static ritti_expr whole_number(ritti_dag *dag, ritti_op op, mpq_srcptr q) {
  mpq_t whole, half;
  mpq_inits(whole, half, NULL);
  mpq_set(whole, q);
  if (op == RITTI_ROUND) {
    mpq_set_si(half, mpq_sgn(q), 2);
    mpq_add(whole, q, half);
  }
  bool up = op == RITTI_CEIL || (op == RITTI_ROUND && mpq_sgn(q) < 0);
  if (up) mpz_cdiv_q(mpq_numref(whole), mpq_numref(whole), mpq_denref(whole));
  else mpz_fdiv_q(mpq_numref(whole), mpq_numref(whole), mpq_denref(whole));
  mpz_set_ui(mpq_denref(whole), 1);
  ritti_expr e = ritti_rational(dag, whole);
  mpq_clears(whole, half, NULL);
  return e;
}

/* A function of one argument at a number where its value is rational; else NIL. */
static ritti_expr at_number(ritti_dag *dag, ritti_op op, ritti_expr u) {
  mpq_srcptr q = ritti_rational_of(dag, u);
  int sign = mpq_sgn(q);
  switch (op) {
  case RITTI_ABS: return sign < 0 ? ritti_negate(dag, u) : u;
  case RITTI_SIGN: return ritti_number(dag, sign, 1);
  case RITTI_STEP: return ritti_number(dag, sign + 1, 2);
  case RITTI_FLOOR:
  case RITTI_CEIL:
  case RITTI_ROUND: return whole_number(dag, op, q);
#define RITTI_FUNCTION(id, name, at, is, p, r)                                                     \
  RETURN_FOR(id, mpq_cmp_si(q, at, 1) == 0 ? ritti_number(dag, is, 1) : RITTI_NIL)
#include "expr/ops.def"
  default: return RITTI_NIL;
  }
}

/* min or max of two numbers or of twice the same; else NIL */
static ritti_expr least_or_greatest(const ritti_dag *dag, ritti_op op, ritti_expr a, ritti_expr b) {
  if (a == b) return a;
  if (!is_number(dag, a) || !is_number(dag, b)) return RITTI_NIL;
  bool less = mpq_cmp(ritti_rational_of(dag, a), ritti_rational_of(dag, b)) < 0;
  return less == (op == RITTI_MIN) ? a : b;
}

/* nothing, or a condition that is a number; else NIL */
static ritti_expr decide_condition(ritti_dag *dag, ritti_op op, ritti_expr a, ritti_expr b) {
  if (ritti_is_zero(dag, b)) return b;
  if (!is_number(dag, a)) return RITTI_NIL;
  return (mpq_sgn(ritti_rational_of(dag, a)) > 0) == (op == RITTI_WHEN) ? b
                                                                        : ritti_number(dag, 0, 1);
}

/* f(args) in normal form: evaluated if the result is exact, otherwise a node. */
static ritti_expr apply_function(ritti_dag *dag, ritti_op op, const ritti_expr *args,
                                 size_t count) {
  ritti_expr e = RITTI_NIL;
  for (size_t i = 0; i < count; i++)
    if (args[i] == RITTI_NIL) return RITTI_NIL;
  if (count == 1 && is_number(dag, args[0])) e = at_number(dag, op, args[0]);
  if (op == RITTI_MIN || op == RITTI_MAX) e = least_or_greatest(dag, op, args[0], args[1]);
  if (op == RITTI_WHEN || op == RITTI_UNLESS) e = decide_condition(dag, op, args[0], args[1]);
  return e ? e : ritti_intern(dag, op, args, count);
}

/* The expression op(args), in normal form for every operator. */
ritti_expr ritti_apply(ritti_dag *dag, ritti_op op, const ritti_expr *args, size_t count) {
  assert(op >= RITTI_ADD && op < RITTI_OP_COUNT);
  bool fits = ritti_op_arguments[op] < 0 || (size_t)ritti_op_arguments[op] == count;
  assert(fits);
  if (!fits) return RITTI_NIL;
  switch (op) {
  case RITTI_ADD: return ritti_sum(dag, args, count);
  case RITTI_MULTIPLY: return ritti_product(dag, args, count);
  case RITTI_POWER: return ritti_power(dag, args[0], args[1]);
  default: return apply_function(dag, op, args, count);
  }
}
