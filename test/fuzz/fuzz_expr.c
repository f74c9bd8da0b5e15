/* Fuzz target: bytes decide a straight line of operations, which is built as an expression and kept
 * as it was meant. Where the meaning has a value at a rational point, what the constructors made of
 * it has the same one, exactly: they simplify, and must not change a value. The same for
 * substitution, and for derivatives, which are compared with slopes that are found beside the
 * values by the rules of calculus in numbers: on both sides of kinks, and never at one.
 *
 * Values are rational numbers of GMP. Roots count where they are exact (leaves are sixth powers, so
 * that many are). Functions with irrational values are any functions here: exp(u) is a number made
 * of the bits of u, with exp(0) = 1, so that equal arguments give equal values and different arguments
 * do not. That is all that the constructors may know of them.
 */
#include <stdio.h>
#include <string.h>
#include "choices.h"
#include "expr/expr.h"

enum { LEAVES = 5, NODES = 40, POINTS = 3, BITS = 4000, MORE_BITS = 64 * BITS };

typedef enum {
  NO_VALUE,
  VALUE,
  TOO_LARGE
} known; /* undefined or irrational; rational; more bits than wanted */
typedef struct exact {
  known known;
  mpq_t v;
} exact;

static void exact_init(exact *x, size_t count) {
  for (size_t i = 0; i < count; i++) x[i].known = NO_VALUE, mpq_init(x[i].v);
}
static void exact_clear(exact *x, size_t count) {
  for (size_t i = 0; i < count; i++) mpq_clear(x[i].v);
}

static size_t bits_of(const mpq_t q) {
  size_t n = mpz_sizeinbase(mpq_numref(q), 2), d = mpz_sizeinbase(mpq_denref(q), 2);
  return n > d ? n : d;
}

/* ---- operations on exact numbers ---- */

/* out = base^(numerator/denominator) */
static known power(mpq_t out, const mpq_t base, const mpq_t exponent, size_t most) {
  mpz_srcptr n = mpq_numref(exponent), d = mpq_denref(exponent);
  if (mpz_sgn(n) == 0) {
    mpq_set_ui(out, 1, 1);
    return VALUE;
  }
  if (mpq_sgn(base) == 0 && mpz_sgn(n) < 0) return NO_VALUE;
  if (mpq_sgn(base) < 0 && mpz_cmp_ui(d, 1) != 0) return NO_VALUE;
  bool unit = mpz_cmpabs_ui(mpq_numref(base), 1) <= 0 && mpz_cmp_ui(mpq_denref(base), 1) == 0;
  if (unit) { /* 0, 1, -1 */
    mpq_set_si(out, mpq_sgn(base) < 0 && mpz_even_p(n) ? 1 : mpq_sgn(base), 1);
    return VALUE;
  }
  if (!mpz_fits_slong_p(n) || !mpz_fits_slong_p(d)) return TOO_LARGE;
  unsigned long k = (unsigned long)labs(mpz_get_si(n)), q = mpz_get_ui(d);
  mpq_t root;
  mpq_init(root);
  bool is_exact = q < BITS && mpz_root(mpq_numref(root), mpq_numref(base), q) &&
                  mpz_root(mpq_denref(root), mpq_denref(base), q);
  known result = !is_exact ? NO_VALUE : k > most / bits_of(root) ? TOO_LARGE : VALUE;
  if (result == VALUE) {
    mpz_pow_ui(mpq_numref(out), mpq_numref(root), k);
    mpz_pow_ui(mpq_denref(out), mpq_denref(root), k);
    if (mpz_sgn(n) < 0) mpq_inv(out, out);
  }
  mpq_clear(root);
  return result;
}

/* A number made of the bits of others. */
static void any_function(mpq_t out, unsigned op, const exact *a, const exact *b) {
  uint64_t hash = 0x9e3779b97f4a7c15u + op;
  for (int k = 0; k < 4; k++) {
    const exact *x = k < 2 ? a : b;
    mpz_srcptr z = x ? k % 2 ? mpq_denref(x->v) : mpq_numref(x->v) : NULL;
    for (size_t i = 0; z && i < mpz_size(z); i++) {
      hash = (hash ^ (uint64_t)mpz_getlimbn(z, (mp_size_t)i)) * 0xff51afd7ed558ccdu;
      hash ^= hash >> 29;
    }
    if (z && mpz_sgn(z) < 0) hash = ~hash;
    hash = hash * 6364136223846793005u + (unsigned)k;
  }
  mpq_set_si(out, (long)(hash % 2000003) - 1000001, 1 + (hash >> 32) % 99991);
  mpq_canonicalize(out);
}

/* Functions with irrational values: those they have at 0 and 1, and where they have none. */
static known opaque(mpq_t out, ritti_op op, const exact *a) {
  int sign = mpq_sgn(a->v);
  bool one = mpq_cmp_ui(a->v, 1, 1) == 0,
       outside = mpq_cmp_ui(a->v, 1, 1) > 0 || mpq_cmp_si(a->v, -1, 1) < 0;
  bool logarithm = op == RITTI_LOG || op == RITTI_LOG2 || op == RITTI_LOG10;
  if ((logarithm && sign <= 0) || ((op == RITTI_ASIN || op == RITTI_ACOS) && outside))
    return NO_VALUE;
  bool starts_at_one = op == RITTI_EXP || op == RITTI_COS || op == RITTI_COSH || op == RITTI_ERFC;
  if (sign == 0 && op != RITTI_ACOS) mpq_set_ui(out, starts_at_one, 1);
  else if (one && (logarithm || op == RITTI_ACOS)) mpq_set_ui(out, 0, 1);
  else any_function(out, op, a, NULL);
  return VALUE;
}

static known unary(mpq_t out, ritti_op op, const exact *a) {
  int sign = mpq_sgn(a->v);
  switch (op) {
  case RITTI_ABS: mpq_abs(out, a->v); return VALUE;
  case RITTI_SIGN: mpq_set_si(out, sign, 1); return VALUE;
  case RITTI_STEP: mpq_set_si(out, sign + 1, 2), mpq_canonicalize(out); return VALUE;
  case RITTI_FLOOR:
    mpz_fdiv_q(mpq_numref(out), mpq_numref(a->v), mpq_denref(a->v));
    mpz_set_ui(mpq_denref(out), 1);
    return VALUE;
  case RITTI_CEIL:
    mpz_cdiv_q(mpq_numref(out), mpq_numref(a->v), mpq_denref(a->v));
    mpz_set_ui(mpq_denref(out), 1);
    return VALUE;
  case RITTI_ROUND: /* towards 0 from half a unit farther out */
    mpq_set_si(out, sign, 2);
    mpq_add(out, out, a->v);
    mpz_tdiv_q(mpq_numref(out), mpq_numref(out), mpq_denref(out));
    mpz_set_ui(mpq_denref(out), 1);
    return VALUE;
  default: return opaque(out, op, a);
  }
}

/* The operators of two arguments; WHEN and UNLESS do not look at b where it does not count. */
static known binary(mpq_t out, ritti_op op, const exact *a, const exact *b, size_t most) {
  if (a->known != VALUE) return a->known;
  if (op == RITTI_WHEN || op == RITTI_UNLESS) {
    bool counts = (mpq_sgn(a->v) > 0) == (op == RITTI_WHEN);
    if (!counts) mpq_set_ui(out, 0, 1);
    else mpq_set(out, b->v);
    return counts ? b->known : VALUE;
  }
  if (b->known != VALUE) return b->known;
  switch (op) {
  case RITTI_ADD: mpq_add(out, a->v, b->v); return VALUE;
  case RITTI_MULTIPLY: mpq_mul(out, a->v, b->v); return VALUE;
  case RITTI_POWER: return power(out, a->v, b->v, most);
  case RITTI_MIN: mpq_set(out, mpq_cmp(a->v, b->v) < 0 ? a->v : b->v); return VALUE;
  case RITTI_MAX: mpq_set(out, mpq_cmp(a->v, b->v) > 0 ? a->v : b->v); return VALUE;
  default: any_function(out, op, a, b); return VALUE;
  }
}

static void apply(exact *out, ritti_op op, const exact *a, const exact *b, size_t most) {
  mpq_t v; /* out may be a or b */
  mpq_init(v);
  out->known = b ? binary(v, op, a, b, most) : a->known == VALUE ? unary(v, op, a) : a->known;
  if (out->known == VALUE && bits_of(v) > most) out->known = TOO_LARGE;
  if (out->known == VALUE) mpq_set(out->v, v);
  mpq_clear(v);
}

/* ---- what is meant ---- */

typedef enum {
  LEAF,
  NUMBER,
  PLUS,
  MINUS,
  TIMES,
  OVER,
  NEGATIVE,
  RAISED,
  CALLED,
  CALLED2,
  SUM,
  PRODUCT,
  KINDS
} kind;
typedef struct node {
  kind kind;
  int a, b,
      c; /* earlier nodes; LEAF: which; NUMBER, RAISED: numerator and denominator in b and c */
  ritti_op op;
} node;
typedef struct line {
  int count;
  node at[NODES];
} line;

static const ritti_op calls[] = {RITTI_ABS,  RITTI_SIGN,  RITTI_STEP, RITTI_FLOOR, RITTI_EXP,
                                 RITTI_LOG,  RITTI_SIN,   RITTI_COS,  RITTI_TAN,   RITTI_ASIN,
                                 RITTI_ACOS, RITTI_ATAN,  RITTI_SINH, RITTI_COSH,  RITTI_TANH,
                                 RITTI_CEIL, RITTI_ROUND, RITTI_LOG2, RITTI_LOG10, RITTI_ERF,
                                 RITTI_ERFC, RITTI_CBRT};
static const ritti_op calls2[] = {RITTI_MIN,   RITTI_MAX,   RITTI_WHEN, RITTI_UNLESS,
                                  RITTI_ATAN2, RITTI_POWER, RITTI_HYPOT};

static void make_line(line *l, choices *c) {
  for (l->count = 0; l->count < NODES && (l->count < LEAVES || c->left); l->count++) {
    node *n = &l->at[l->count];
    int have = l->count;
    *n = (node){.kind = have < LEAVES ? LEAF : (kind)(NUMBER + choose(c, KINDS - 1)), .a = have};
    if (n->kind == LEAF) continue;
    /* the last ones more often: tall expressions */
    n->a = choose(c, 2) ? have - 1 - choose(c, have < 3 ? have : 3) : choose(c, have);
    n->b = choose(c, have), n->c = n->kind == SUM || n->kind == PRODUCT ? choose(c, have) : 1;
    if (n->kind == NUMBER) n->b = choose(c, 41) - 20, n->c = 1 + choose(c, 9);
    if (n->kind == RAISED) n->b = choose(c, 25) - 12, n->c = 1 + choose(c, 4);
    if (n->kind == CALLED) n->op = calls[choose(c, sizeof calls / sizeof *calls)];
    if (n->kind == CALLED2) n->op = calls2[choose(c, sizeof calls2 / sizeof *calls2)];
  }
}

/* out = the meaning of node i, from the values of those before it */
static void mean(const line *l, int i, exact *x, const exact *leaf) {
  const node *n = &l->at[i];
  exact k;
  exact_init(&k, 1);
  k.known = VALUE;
  switch (n->kind) {
  case LEAF: x[i].known = leaf[n->a].known, mpq_set(x[i].v, leaf[n->a].v); break;
  case NUMBER:
    x[i].known = VALUE, mpq_set_si(x[i].v, n->b, (unsigned)n->c), mpq_canonicalize(x[i].v);
    break;
  case PLUS: apply(&x[i], RITTI_ADD, &x[n->a], &x[n->b], BITS); break;
  case TIMES: apply(&x[i], RITTI_MULTIPLY, &x[n->a], &x[n->b], BITS); break;
  case MINUS:
  case NEGATIVE:
    mpq_set_si(k.v, -1, 1);
    apply(&k, RITTI_MULTIPLY, &k, &x[n->kind == MINUS ? n->b : n->a], BITS);
    if (n->kind == MINUS) apply(&k, RITTI_ADD, &x[n->a], &k, BITS);
    x[i].known = k.known, mpq_set(x[i].v, k.v);
    break;
  case OVER:
    mpq_set_si(k.v, -1, 1);
    apply(&k, RITTI_POWER, &x[n->b], &k, BITS);
    apply(&x[i], RITTI_MULTIPLY, &x[n->a], &k, BITS);
    break;
  case RAISED:
    mpq_set_si(k.v, n->b, (unsigned)n->c), mpq_canonicalize(k.v);
    apply(&x[i], RITTI_POWER, &x[n->a], &k, BITS);
    break;
  case CALLED: apply(&x[i], n->op, &x[n->a], NULL, BITS); break;
  case CALLED2: apply(&x[i], n->op, &x[n->a], &x[n->b], BITS); break;
  default:
    apply(&x[i], n->kind == SUM ? RITTI_ADD : RITTI_MULTIPLY, &x[n->a], &x[n->b], BITS);
    apply(&x[i], n->kind == SUM ? RITTI_ADD : RITTI_MULTIPLY, &x[i], &x[n->c], BITS);
  }
  exact_clear(&k, 1);
}

/* ---- what is built ---- */

static ritti_expr leaf_of(ritti_dag *dag, int i) {
  return i == 0   ? ritti_independent(dag)
         : i == 4 ? ritti_pi(dag)
         : i == 3 ? ritti_parameter(dag, 0)
                  : ritti_jet(dag, i - 1, i - 1);
}

static ritti_expr build(ritti_dag *dag, const node *n, const ritti_expr *e) {
  switch (n->kind) {
  case LEAF: return leaf_of(dag, n->a);
  case NUMBER: return ritti_number(dag, n->b, (unsigned)n->c);
  case PLUS: return ritti_add(dag, e[n->a], e[n->b]);
  case MINUS: return ritti_subtract(dag, e[n->a], e[n->b]);
  case TIMES: return ritti_multiply(dag, e[n->a], e[n->b]);
  case OVER: return ritti_divide(dag, e[n->a], e[n->b]);
  case NEGATIVE: return ritti_negate(dag, e[n->a]);
  case RAISED: return ritti_power(dag, e[n->a], ritti_number(dag, n->b, (unsigned)n->c));
  case CALLED: return ritti_apply(dag, n->op, &e[n->a], 1);
  case CALLED2: return ritti_apply(dag, n->op, (ritti_expr[]){e[n->a], e[n->b]}, 2);
  case SUM: return ritti_sum(dag, (ritti_expr[]){e[n->a], e[n->b], e[n->c]}, 3);
  default: return ritti_product(dag, (ritti_expr[]){e[n->a], e[n->b], e[n->c]}, 3);
  }
}

/* The values of all nodes of the DAG, x[0] unused. */
static void evaluate(const ritti_dag *dag, exact *x, size_t count, const exact *leaf) {
  for (ritti_expr e = 1; e < count; e++) {
    ritti_op op = ritti_op_of(dag, e);
    size_t arguments = ritti_argument_count(dag, e);
    const exact *at = op == RITTI_INDEPENDENT ? &leaf[0]
                      : op == RITTI_PI        ? &leaf[4]
                      : op == RITTI_PARAMETER ? &leaf[3]
                      : op == RITTI_JET       ? &leaf[1 + ritti_index_of(dag, e)]
                                              : NULL;
    if (op == RITTI_NUMBER) x[e].known = VALUE, mpq_set(x[e].v, ritti_rational_of(dag, e));
    else if (at) x[e].known = at->known, mpq_set(x[e].v, at->v);
    else if (arguments == 1) apply(&x[e], op, &x[ritti_argument(dag, e, 0)], NULL, MORE_BITS);
    else {
      apply(&x[e], op, &x[ritti_argument(dag, e, 0)], &x[ritti_argument(dag, e, 1)], MORE_BITS);
      for (size_t i = 2; i < arguments; i++)
        apply(&x[e], op, &x[e], &x[ritti_argument(dag, e, i)], MORE_BITS);
    }
  }
}

/* ---- points ---- */

/* Sixth powers, numbers near 0 and 1, and small fractions. */
static void choose_point(exact *leaf, choices *c, int number) {
  for (int i = 0; i < LEAVES; i++) {
    long n = choose(c, 31) - 15 + number, d = 1 + choose(c, 7), how = (number + i) % 3;
    if (!c->left) n = (7 * number + 5 * i) % 23 - 8, d = 1 + (number + 2 * i) % 5;
    leaf[i].known = VALUE;
    mpq_set_si(leaf[i].v, n, (unsigned long)d);
    mpq_canonicalize(leaf[i].v);
    if (how == 0) {
      mpz_pow_ui(mpq_numref(leaf[i].v), mpq_numref(leaf[i].v), 6);
      mpz_pow_ui(mpq_denref(leaf[i].v), mpq_denref(leaf[i].v), 6);
    }
    if (i == 4) mpq_set_si(leaf[i].v, 355, 113); /* pi: a number like any other */
  }
}

static void complain(const ritti_dag *dag, ritti_expr e, const exact *leaf, const exact *meant,
                     const exact *built) {
  static const char *const variable[] = {"x", "y"}, *const parameter[] = {"a"};
  ritti_names names = {"t", variable, parameter, parameter};
  ritti_text text = {0};
  ritti_dag_print(dag, e, &names, &text);
  gmp_fprintf(stderr,
              "t = %Qd, x = %Qd, y' = %Qd, a = %Qd\n%s\nis %Qd (%d), and was meant to be %Qd\n",
              leaf[0].v, leaf[1].v, leaf[2].v, leaf[3].v, text.at ? text.at : "", built->v,
              (int)built->known, meant->v);
  ritti_text_free(&text);
  abort();
}

static void compare(const ritti_dag *dag, ritti_expr e, const exact *leaf, const exact *meant,
                    const exact *built) {
  if (meant->known != VALUE || built->known == TOO_LARGE) return;
  if (built->known != VALUE || mpq_cmp(meant->v, built->v) != 0)
    complain(dag, e, leaf, meant, built);
}

/* ---- what must hold ---- */

static void look_at_values(const ritti_dag *dag, const line *l, const ritti_expr *e, choices *c) {
  exact leaf[LEAVES], meant[NODES], *built;
  size_t count = ritti_dag_count(dag);
  must((built = malloc(count * sizeof *built)) != NULL);
  exact_init(leaf, LEAVES), exact_init(meant, NODES), exact_init(built, count);
  for (int number = 0; number < POINTS; number++) {
    choose_point(leaf, c, number);
    for (int i = 0; i < l->count; i++) mean(l, i, meant, leaf);
    evaluate(dag, built, count, leaf);
    for (int i = 0; i < l->count; i++) compare(dag, e[i], leaf, &meant[i], &built[e[i]]);
  }
  exact_clear(leaf, LEAVES), exact_clear(meant, NODES), exact_clear(built, count);
  free(built);
}

/* The last expression with one leaf replaced by an earlier one is its meaning at another point. */
static void look_at_substitution(ritti_dag *dag, const line *l, const ritti_expr *e, choices *c) {
  int which = choose(c, 4), by = choose(c, l->count);
  ritti_expr old = leaf_of(dag, which), root = e[l->count - 1];
  must(ritti_dag_substitute(dag, &old, &e[by], 1, &root, 1) == RITT_OK);
  exact leaf[LEAVES], meant[NODES], *built;
  size_t count = ritti_dag_count(dag);
  must((built = malloc(count * sizeof *built)) != NULL);
  exact_init(leaf, LEAVES), exact_init(meant, NODES), exact_init(built, count);
  choose_point(leaf, c, 1);
  evaluate(dag, built, count, leaf);
  for (int i = 0; i < l->count; i++) mean(l, i, meant, leaf);
  leaf[which].known = meant[by].known, mpq_set(leaf[which].v, meant[by].v);
  for (int i = 0; i < l->count; i++) mean(l, i, meant, leaf);
  compare(dag, root, leaf, &meant[l->count - 1], &built[root]);
  exact_clear(leaf, LEAVES), exact_clear(meant, NODES), exact_clear(built, count);
  free(built);
}

/* ---- derivatives ---- */

/* The slope of a node by a leaf, in numbers, from values and slopes before it: the rules of
 * calculus at a point, without any expression. Beside kinks each side has its own; at one there is
 * none. */
static void set_number(exact *out, long n) { out->known = VALUE, mpq_set_si(out->v, n, 1); }

/* out += a b; out = a b c */
static void add_product(exact *out, const exact *a, const exact *b) {
  exact p;
  exact_init(&p, 1);
  apply(&p, RITTI_MULTIPLY, a, b, BITS);
  apply(out, RITTI_ADD, out, &p, BITS);
  exact_clear(&p, 1);
}

static bool is_zero(const exact *a) { return a->known == VALUE && mpq_sgn(a->v) == 0; }

/* u^b, b a number where u moves: b u^(b-1) u' */
static void slope_of_power(exact *out, const exact *u, const exact *du, const exact *b,
                           const exact *db) {
  exact k, one;
  if (!is_zero(db) || b->known != VALUE || u->known != VALUE) return;
  set_number(out, 0);
  if (mpq_sgn(b->v) == 0 || is_zero(du)) return;
  exact_init(&k, 1), exact_init(&one, 1);
  set_number(&one, -1);
  apply(&k, RITTI_ADD, b, &one, BITS);
  apply(&k, RITTI_POWER, u, &k, BITS);
  apply(&k, RITTI_MULTIPLY, b, &k, BITS);
  add_product(out, &k, du);
  exact_clear(&k, 1), exact_clear(&one, 1);
}

static void slope_of_call(exact *out, ritti_op op, const exact *u, const exact *du,
                          const exact *value) {
  exact k;
  bool kink = u->known != VALUE || mpq_sgn(u->v) == 0;
  if (u->known != VALUE || du->known != VALUE || value->known != VALUE) return;
  exact_init(&k, 1);
  set_number(&k, 0);
  switch (op) {
  case RITTI_ABS: kink ? (void)(k.known = NO_VALUE) : set_number(&k, mpq_sgn(u->v)); break;
  case RITTI_SIGN:
  case RITTI_STEP: k.known = kink ? NO_VALUE : VALUE; break;
  case RITTI_ROUND: k.known = mpz_cmp_ui(mpq_denref(u->v), 2) == 0 ? NO_VALUE : VALUE; break;
  case RITTI_CEIL:
  case RITTI_FLOOR: k.known = mpz_cmp_ui(mpq_denref(u->v), 1) == 0 ? NO_VALUE : VALUE; break;
  case RITTI_EXP: mpq_set(k.v, value->v); break;
  case RITTI_LOG: mpq_inv(k.v, u->v); break;
  case RITTI_SIN: apply(&k, RITTI_COS, u, NULL, BITS); break;
  case RITTI_SINH: apply(&k, RITTI_COSH, u, NULL, BITS); break;
  case RITTI_COSH: apply(&k, RITTI_SINH, u, NULL, BITS); break;
  case RITTI_COS: apply(&k, RITTI_SIN, u, NULL, BITS), mpq_neg(k.v, k.v); break;
  default: k.known = is_zero(du) ? VALUE : NO_VALUE; /* several ways to write it */
  }
  set_number(out, 0);
  add_product(out, &k, du);
  exact_clear(&k, 1);
}

static void slope_of_call2(exact *out, ritti_op op, const exact *x, const exact *d, int a, int b) {
  bool all =
      x[a].known == VALUE && x[b].known == VALUE && d[a].known == VALUE && d[b].known == VALUE;
  int order = all ? mpq_cmp(x[a].v, x[b].v) : 0, sign = x[a].known == VALUE ? mpq_sgn(x[a].v) : 0;
  if (op == RITTI_POWER) slope_of_power(out, &x[a], &d[a], &x[b], &d[b]);
  else if ((op == RITTI_MIN || op == RITTI_MAX) && order != 0) {
    const exact *which = &d[(order < 0) == (op == RITTI_MIN) ? a : b];
    out->known = VALUE, mpq_set(out->v, which->v);
  } else if ((op == RITTI_WHEN || op == RITTI_UNLESS) && all && sign != 0) {
    bool counts = (sign > 0) == (op == RITTI_WHEN);
    set_number(out, 0);
    if (counts) mpq_set(out->v, d[b].v);
  } else if ((op == RITTI_ATAN2 || op == RITTI_HYPOT) && all && is_zero(&d[a]) && is_zero(&d[b]))
    set_number(out, 0);
}

static void mean_slope(const line *l, int i, const exact *x, exact *d, int which) {
  const node *n = &l->at[i];
  exact k, other;
  exact_init(&k, 1), exact_init(&other, 1);
  d[i].known = NO_VALUE;
  switch (n->kind) {
  case LEAF: set_number(&d[i], n->a == which); break;
  case NUMBER: set_number(&d[i], 0); break;
  case PLUS: apply(&d[i], RITTI_ADD, &d[n->a], &d[n->b], BITS); break;
  case NEGATIVE:
  case MINUS:
    set_number(&k, -1), set_number(&other, 0);
    add_product(&other, &k, &d[n->kind == MINUS ? n->b : n->a]);
    if (n->kind == MINUS) apply(&other, RITTI_ADD, &other, &d[n->a], BITS);
    d[i].known = other.known, mpq_set(d[i].v, other.v);
    break;
  case TIMES:
    set_number(&d[i], 0);
    add_product(&d[i], &x[n->a], &d[n->b]), add_product(&d[i], &d[n->a], &x[n->b]);
    break;
  case OVER: /* (a' - (a/b) b')/b */
    set_number(&k, -1), apply(&k, RITTI_POWER, &x[n->b], &k, BITS);
    set_number(&other, -1), apply(&other, RITTI_MULTIPLY, &other, &x[i], BITS);
    apply(&other, RITTI_MULTIPLY, &other, &d[n->b], BITS);
    apply(&other, RITTI_ADD, &other, &d[n->a], BITS);
    apply(&d[i], RITTI_MULTIPLY, &other, &k, BITS);
    break;
  case RAISED:
    set_number(&other, 0), k.known = VALUE;
    mpq_set_si(k.v, n->b, (unsigned)n->c), mpq_canonicalize(k.v);
    if (x[i].known == VALUE) slope_of_power(&d[i], &x[n->a], &d[n->a], &k, &other);
    break;
  case CALLED: slope_of_call(&d[i], n->op, &x[n->a], &d[n->a], &x[i]); break;
  case CALLED2:
    if (x[i].known == VALUE) slope_of_call2(&d[i], n->op, x, d, n->a, n->b);
    break;
  case SUM:
    apply(&d[i], RITTI_ADD, &d[n->a], &d[n->b], BITS);
    apply(&d[i], RITTI_ADD, &d[i], &d[n->c], BITS);
    break;
  default:
    set_number(&d[i], 0);
    for (int k3 = 0; k3 < 3; k3++) {
      const int at[3] = {n->a, n->b, n->c};
      apply(&k, RITTI_MULTIPLY, &d[at[k3]], &x[at[(k3 + 1) % 3]], BITS);
      add_product(&d[i], &k, &x[at[(k3 + 2) % 3]]);
    }
  }
  if (x[i].known != VALUE) d[i].known = NO_VALUE;
  exact_clear(&k, 1), exact_clear(&other, 1);
}

/* The derivatives of all nodes by one leaf. */
static void look_at_derivatives(ritti_dag *dag, const line *l, const ritti_expr *e, choices *c) {
  ritti_expr root[NODES];
  exact leaf[LEAVES], meant[NODES], slope[NODES], *built;
  int which = choose(c, 4);
  for (int i = 0; i < l->count; i++) root[i] = ritti_dag_partial(dag, e[i], leaf_of(dag, which));
  must(ritti_dag_status(dag) == RITT_OK);
  size_t count = ritti_dag_count(dag);
  must((built = malloc(count * sizeof *built)) != NULL);
  exact_init(leaf, LEAVES), exact_init(meant, NODES), exact_init(slope, NODES),
      exact_init(built, count);
  for (int number = 0; number < POINTS; number++) {
    choose_point(leaf, c, number);
    evaluate(dag, built, count, leaf);
    for (int i = 0; i < l->count; i++) {
      mean(l, i, meant, leaf);
      mean_slope(l, i, meant, slope, which);
      /* 0 times what has no value has none in an expression */
      if (built[root[i]].known == VALUE) compare(dag, root[i], leaf, &slope[i], &built[root[i]]);
    }
  }
  exact_clear(leaf, LEAVES), exact_clear(meant, NODES), exact_clear(slope, NODES),
      exact_clear(built, count);
  free(built);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  choices c = {data, size};
  line l;
  ritti_expr e[NODES];
  ritti_dag *dag = ritti_dag_new();
  must(dag != NULL);
  size_t points = choose(&c, 16) + 8u; /* bytes that are kept for points */
  if (c.left > points) c.left -= points;
  make_line(&l, &c);
  c = (choices){data + size - (size < points ? size : points), size < points ? size : points};
  for (int i = 0; i < l.count; i++) e[i] = build(dag, &l.at[i], e);
  must(ritti_dag_status(dag) == RITT_OK);
  look_at_values(dag, &l, e, &c);
  look_at_substitution(dag, &l, e, &c);
  look_at_derivatives(dag, &l, e, &c);
  ritti_dag_free(dag);
  return 0;
}
