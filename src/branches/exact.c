/* Exact values of expressions at rational points, so that identities are decided without rounding.
 * Two rational functions that agree at several points chosen beforehand are taken as equal (the
 * argument of Schwartz and Zippel: an identity that is false holds only on a thin set). An angle a
 * has sin(a) = 2u/(1 + u^2) and cos(a) = (1 - u^2)/(1 + u^2) with a rational u; multiples and sums
 * of angles have rational sines and cosines, too. A variable may not occur both in a sine and by
 * itself. */
#include <stdlib.h>
#include "branches/algebra_impl.h"

enum { POINTS = 4, LARGEST_POWER = 64, LARGEST_MULTIPLE = RITTI_LARGEST_MULTIPLE };

/* The nodes of some expressions with their values at a point. */
typedef struct work {
  const ritti_model *model;
  const ritti_dag *dag;
  ritti_nodes nodes;
  mpq_t *value; /* the value of each node */
  bool *known;  /* whether the node has an exact value */
  int *angle;   /* for each variable the divisor of its base angle; 0: it is not an angle */
  int number;   /* the number of the point */
} work;

/* A small fraction other than 0 that depends only on three numbers. */
static void small_fraction(unsigned a, unsigned b, unsigned c, mpq_t out) {
  uint32_t h = 2166136261u;
  const unsigned key[3] = {a, b, c};
  for (int i = 0; i < 3; i++) {
    h = (h ^ (key[i] + 17)) * 16777619u;
    h ^= h >> 15;
  }
  mpq_set_si(out, (long)(h % 97) - 48 + ((long)(h % 97) == 48 ? 50 : 0), (h >> 8) % 12 + 2);
  mpq_canonicalize(out);
}

bool ritti_angle_terms(const ritti_dag *dag, ritti_expr u,
                       bool (*take)(void *context, int variable, mpq_srcptr factor),
                       void *context) {
  size_t terms = ritti_op_of(dag, u) == RITTI_ADD ? ritti_argument_count(dag, u) : 1;
  mpq_t one;
  bool fine = true;
  mpq_init(one);
  mpq_set_si(one, 1, 1);
  for (size_t i = 0; i < terms && fine; i++) {
    ritti_expr t = ritti_op_of(dag, u) == RITTI_ADD ? ritti_argument(dag, u, i) : u;

    /* each term is a variable, perhaps with a rational factor */
    mpq_srcptr factor = one;
    if (ritti_op_of(dag, t) == RITTI_MULTIPLY && ritti_argument_count(dag, t) == 2 &&
        ritti_op_of(dag, ritti_argument(dag, t, 0)) == RITTI_NUMBER) {
      factor = ritti_rational_of(dag, ritti_argument(dag, t, 0));
      t = ritti_argument(dag, t, 1);
    }
    fine = ritti_op_of(dag, t) == RITTI_JET && ritti_order_of(dag, t) == 0 &&
           take(context, ritti_index_of(dag, t), factor);
  }
  mpq_clear(one);
  return fine;
}

/* Makes the divisor of the variable a multiple of the factor's denominator. */
static bool take_divisor(void *context, int variable, mpq_srcptr factor) {
  int *divisor = context;
  if (!mpz_fits_sint_p(mpq_denref(factor)) || mpz_cmp_si(mpq_denref(factor), LARGEST_MULTIPLE) > 0)
    return false;
  int d = (int)mpz_get_si(mpq_denref(factor)), *have = &divisor[variable];
  for (int k = 1; k <= LARGEST_MULTIPLE; k++)
    if ((k * (*have ? *have : 1)) % d == 0) {
      *have = k * (*have ? *have : 1);
      return true;
    }
  return false;
}

/* The sine and cosine of the sum of angles so far. */
typedef struct turn {
  const work *W;
  mpq_t s, c;
} turn;

/* Adds `factor` times the variable, which is a whole number of base angles. */
static bool take_turns(void *context, int variable, mpq_srcptr factor) {
  turn *T = context;
  mpq_t u, s, c, one, n;
  mpq_inits(u, s, c, one, n, NULL);

  /* how many base angles? */
  mpq_set_si(one, 1, 1);
  mpq_set_si(n, T->W->angle[variable], 1);
  mpq_mul(n, n, factor);
  bool fine =
      mpz_cmp_si(mpq_denref(n), 1) == 0 && mpz_cmpabs_ui(mpq_numref(n), LARGEST_MULTIPLE) <= 0;
  long times = fine ? mpz_get_si(mpq_numref(n)) : 0;

  /* the sine and cosine of the base angle */
  small_fraction((unsigned)variable, 1000, (unsigned)T->W->number, u);
  mpq_mul(c, u, u);
  mpq_add(c, c, one);
  mpq_inv(c, c); /* 1/(1 + u^2) */
  mpq_mul(s, u, c);
  mpq_add(s, s, s); /* 2u/(1 + u^2) */
  mpq_add(c, c, c);
  mpq_sub(c, c, one); /* (1 - u^2)/(1 + u^2) */

  /* add it several times */
  if (times < 0) mpq_neg(s, s);
  for (long k = 0; k < labs(times); k++) {
    /* Adds an angle with sine s and cosine c. */
    mpq_t a, b, sum;
    mpq_inits(a, b, sum, NULL);
    /* sin(a + b) and cos(a + b) */
    mpq_mul(a, T->s, c);
    mpq_mul(b, T->c, s);
    mpq_add(sum, a, b);
    mpq_mul(a, T->c, c);
    mpq_mul(b, T->s, s);
    mpq_sub(T->c, a, b);
    mpq_set(T->s, sum);
    mpq_clears(a, b, sum, NULL);
  }
  mpq_clears(u, s, c, one, n, NULL);
  return fine;
}

/* The sine or cosine of a sum of angles. */
static bool angle_value(const work *W, ritti_expr u, bool sine, mpq_t out) {
  turn T = {.W = W};
  mpq_inits(T.s, T.c, NULL);
  mpq_set_si(T.c, 1, 1);
  bool fine = ritti_angle_terms(W->dag, u, take_turns, &T);
  mpq_set(out, sine ? T.s : T.c);
  mpq_clears(T.s, T.c, NULL);
  return fine;
}

/* A power with a small whole exponent. */
static bool power_value(mpq_srcptr base, mpq_srcptr exponent, mpq_t out) {
  if (mpz_cmp_si(mpq_denref(exponent), 1) != 0 ||
      mpz_cmpabs_ui(mpq_numref(exponent), LARGEST_POWER) > 0)
    return false;
  long n = mpz_get_si(mpq_numref(exponent));
  if (n < 0 && mpq_sgn(base) == 0) return false;
  mpz_pow_ui(mpq_numref(out), mpq_numref(base), (unsigned long)labs(n));
  mpz_pow_ui(mpq_denref(out), mpq_denref(base), (unsigned long)labs(n));
  if (n < 0) mpq_inv(out, out);
  return true;
}

/* A sum or a product. */
static bool combine_terms(const work *W, ritti_expr e, mpq_t out) {
  bool sum = ritti_op_of(W->dag, e) == RITTI_ADD;
  mpq_set_si(out, !sum, 1);
  for (size_t i = 0; i < ritti_argument_count(W->dag, e); i++) {
    size_t at = ritti_node_place(&W->nodes, ritti_argument(W->dag, e, i));
    if (!W->known[at]) return false;
    if (sum) mpq_add(out, out, W->value[at]);
    else mpq_mul(out, out, W->value[at]);
  }
  return true;
}

/* The value of a node, from the values of its arguments; false if it is not rational. */
static bool node_value(work *W, ritti_expr e, mpq_t out) {
  const ritti_dag *dag = W->dag;

  /* leaves have fixed values; all other nodes follow from their arguments */
  switch (ritti_op_of(dag, e)) {
  case RITTI_NUMBER: mpq_set(out, ritti_rational_of(dag, e)); return true;
  case RITTI_INDEPENDENT: small_fraction(0, 2000, (unsigned)W->number, out); return true;
  case RITTI_JET: {
    int j = ritti_index_of(dag, e), order = ritti_order_of(dag, e);
    small_fraction((unsigned)j, (unsigned)order, (unsigned)W->number, out);
    return order > 0 || !W->angle[j];
  }
  case RITTI_PARAMETER: {
    ritti_expr value = W->model->parameter[ritti_index_of(dag, e)].value;
    bool fine = ritti_op_of(dag, value) == RITTI_NUMBER;
    if (fine) mpq_set(out, ritti_rational_of(dag, value));
    return fine;
  }
  case RITTI_ADD:
  case RITTI_MULTIPLY: return combine_terms(W, e, out);
  case RITTI_POWER: {
    size_t base = ritti_node_place(&W->nodes, ritti_argument(dag, e, 0)),
           exponent = ritti_node_place(&W->nodes, ritti_argument(dag, e, 1));
    return W->known[base] && W->known[exponent] &&
           power_value(W->value[base], W->value[exponent], out);
  }
  case RITTI_SIN:
  case RITTI_COS:
    return angle_value(W, ritti_argument(dag, e, 0), ritti_op_of(dag, e) == RITTI_SIN, out);
  default: return false;
  }
}

void ritti_angle_divisors(const ritti_dag *dag, const ritti_nodes *nodes, int *divisor) {
  for (size_t i = 0; i < nodes->count; i++) {
    ritti_op op = ritti_op_of(dag, nodes->at[i]);
    if (op == RITTI_SIN || op == RITTI_COS)
      (void)ritti_angle_terms(dag, ritti_argument(dag, nodes->at[i], 0), take_divisor, divisor);
  }
}

ritt_status ritti_exact_values(const ritti_model *model, const ritti_expr *roots, size_t count,
                               int number, mpq_t *value, bool *known) {
  work W = {.model = model, .dag = model->dag, .number = number};
  RITT_TRY(ritti_nodes_below(model->dag, roots, count, &W.nodes));
  W.value = ritti_malloc((W.nodes.count + 1) * sizeof *W.value);
  W.known = ritti_malloc(W.nodes.count + 1);
  W.angle = ritti_malloc(((size_t)model->variables + 1) * sizeof *W.angle);
  bool enough = W.value && W.known && W.angle;

  /* evaluate all nodes in their order */
  if (enough) {
    memset(W.angle, 0, ((size_t)model->variables + 1) * sizeof *W.angle);
    ritti_angle_divisors(model->dag, &W.nodes, W.angle);
    for (size_t i = 0; i < W.nodes.count; i++) mpq_init(W.value[i]);
    for (size_t i = 0; i < W.nodes.count; i++)
      W.known[i] = node_value(&W, W.nodes.at[i], W.value[i]);

    /* copy the values of the roots */
    for (size_t i = 0; i < count; i++) {
      size_t at = ritti_node_place(&W.nodes, roots[i]);
      known[i] = W.known[at];
      mpq_set(value[i], W.value[at]);
    }
    for (size_t i = 0; i < W.nodes.count; i++) mpq_clear(W.value[i]);
  }
  ritti_free(W.nodes.at);
  ritti_free(W.value);
  ritti_free(W.known);
  ritti_free(W.angle);
  return enough ? RITT_OK : RITT_NO_MEMORY;
}

ritt_status ritti_exact_ratio(const ritti_model *model, ritti_expr a, ritti_expr b,
                              ritti_answer *yes, mpq_t ratio) {
  mpq_t value[2], here;
  bool known[2];
  ritt_status status = RITT_OK;
  const ritti_expr roots[2] = {a, b};
  bool first = true;
  mpq_inits(value[0], value[1], here, NULL);
  *yes = RITTI_YES;

  /* the ratio must be the same at all points */
  for (int number = 1; number <= POINTS && *yes == RITTI_YES && status == RITT_OK; number++) {
    status = ritti_exact_values(model, roots, 2, number, value, known);
    if (status != RITT_OK) break;
    if (!known[0] || !known[1]) *yes = RITTI_OPEN;
    else if (mpq_sgn(value[0]) == 0 && mpq_sgn(value[1]) == 0) continue; /* says nothing */
    else if (mpq_sgn(value[0]) == 0 || mpq_sgn(value[1]) == 0) *yes = RITTI_NO;
    else {
      mpq_div(here, value[0], value[1]);
      if (!first && !mpq_equal(here, ratio)) *yes = RITTI_NO;
      mpq_set(ratio, here);
      first = false;
    }
  }
  if (first && *yes == RITTI_YES) *yes = RITTI_NO; /* both are zero everywhere */
  mpq_clears(value[0], value[1], here, NULL);
  return status;
}

ritt_status ritti_exact_zero(const ritti_model *model, ritti_expr a, ritti_answer *yes) {
  mpq_t value[1];
  bool known[1];
  ritt_status status = RITT_OK;
  *yes = RITTI_YES;
  mpq_init(value[0]);
  for (int number = 1; number <= POINTS && *yes == RITTI_YES && status == RITT_OK; number++) {
    status = ritti_exact_values(model, &a, 1, number, value, known);
    if (status == RITT_OK && !known[0]) *yes = RITTI_OPEN;
    else if (status == RITT_OK && mpq_sgn(value[0]) != 0) *yes = RITTI_NO;
  }
  mpq_clear(value[0]);
  return status;
}
