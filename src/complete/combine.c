/* Equations that differ only in terms too small for doubles.
 *
 * x + y + x^2 = 1 and x + y + x^2 + 1e-170*exp(y) = 1 + 1e-170 are two equations, but in doubles they
 * are the same. Decisions have enough digits for such numbers; the start point and the run are
 * computed in doubles. So if an equation gets shorter by subtracting a multiple of another one, with
 * a constant factor, it is replaced by the difference, divided by its largest coefficient: here
 * exp(y) = 1. The set of solutions is the same, and so are all counts. Only models with numbers that
 * doubles cannot tell apart are changed.
 */
#include "complete/complete_impl.h"

enum { DOUBLE_DIGITS = 16 };
enum { MOST_EQUATIONS = 200 };

ritt_status ritti_has_long_number(const ritti_completion *C, const ritti_expr *exact, bool *has) {
  ritti_nodes nodes;
  *has = false;
  RITT_TRY(ritti_nodes_below(C->dag, exact, (size_t)C->model->equations, &nodes));
  for (size_t i = 0; i < nodes.count && !*has; i++) {
    if (ritti_op_of(C->dag, nodes.at[i]) != RITTI_NUMBER) continue;
    mpq_srcptr q = ritti_rational_of(C->dag, nodes.at[i]);
    *has = mpz_sizeinbase(mpq_numref(q), 10) > DOUBLE_DIGITS + 1 ||
           mpz_sizeinbase(mpq_denref(q), 10) > DOUBLE_DIGITS + 1;
  }
  ritti_free(nodes.at);
  return RITT_OK;
}

static size_t count_terms(const ritti_dag *dag, ritti_expr e) {
  return ritti_op_of(dag, e) == RITTI_ADD ? ritti_argument_count(dag, e) : 1;
}

static ritti_expr term_at(const ritti_dag *dag, ritti_expr e, size_t i) {
  return ritti_op_of(dag, e) == RITTI_ADD ? ritti_argument(dag, e, i) : e;
}

/* A term is a number times an expression; a number alone is that times 1. */
static ritti_expr split_term(ritti_dag *dag, ritti_expr term, mpq_t factor) {
  mpq_set_si(factor, 1, 1);
  if (ritti_op_of(dag, term) == RITTI_NUMBER) {
    mpq_set(factor, ritti_rational_of(dag, term));
    return ritti_number(dag, 1, 1);
  }
  if (ritti_op_of(dag, term) != RITTI_MULTIPLY) return term;
  if (ritti_op_of(dag, ritti_argument(dag, term, 0)) != RITTI_NUMBER) return term;
  mpq_set(factor, ritti_rational_of(dag, ritti_argument(dag, term, 0)));
  return ritti_argument(dag, term, 1);
}

/* -c, c the quotient of the coefficients of the first term that both have; false: none. */
static bool find_factor(ritti_dag *dag, ritti_expr e, ritti_expr other, mpq_t factor) {
  mpq_t a, b;
  bool found = false;
  mpq_init(a);
  mpq_init(b);
  for (size_t i = 0; i < count_terms(dag, e) && !found; i++) {
    ritti_expr unit = split_term(dag, term_at(dag, e, i), a);
    for (size_t k = 0; k < count_terms(dag, other) && !found; k++)
      found = split_term(dag, term_at(dag, other, k), b) == unit && mpq_sgn(b) != 0;
  }
  if (found) {
    mpq_div(factor, a, b);
    mpq_neg(factor, factor);
  }
  mpq_clear(a);
  mpq_clear(b);
  return found;
}

typedef RITTI_ARRAY(ritti_expr) terms;

/* Appends the terms of factor * e, of sums inside sums too. */
static ritt_status add_terms(ritti_dag *dag, ritti_expr factor, ritti_expr e, terms *out) {
  mpq_t own;
  mpq_init(own);
  ritti_expr unit = split_term(dag, e, own);
  ritti_expr whole = ritti_multiply(dag, factor, ritti_rational(dag, own));
  mpq_clear(own);
  if (ritti_op_of(dag, unit) != RITTI_ADD)
    return RITTI_PUSH(*out, ritti_multiply(dag, whole, unit));
  for (size_t i = 0; i < ritti_argument_count(dag, unit); i++)
    RITT_TRY(add_terms(dag, whole, ritti_argument(dag, unit, i), out));
  return RITT_OK;
}

/* e + factor * other, as one sum; NIL: no memory. */
static ritti_expr add_multiple(ritti_dag *dag, ritti_expr e, ritti_expr factor, ritti_expr other) {
  terms all = {0};
  ritti_expr sum = RITTI_NIL;
  ritt_status status = add_terms(dag, ritti_number(dag, 1, 1), e, &all);
  if (status == RITT_OK) status = add_terms(dag, factor, other, &all);
  if (status == RITT_OK) sum = ritti_sum(dag, all.at, all.count);
  RITTI_ARRAY_FREE(all);
  return sum;
}

/* Divides by the largest coefficient. */
static ritti_expr normalise_terms(ritti_dag *dag, ritti_expr e) {
  mpq_t largest, factor;
  mpq_init(largest);
  mpq_init(factor);
  for (size_t i = 0; i < count_terms(dag, e); i++) {
    (void)split_term(dag, term_at(dag, e, i), factor);
    mpq_abs(factor, factor);
    if (mpq_cmp(factor, largest) > 0) mpq_set(largest, factor);
  }
  mpq_inv(factor, largest);
  ritti_expr scale = ritti_rational(dag, factor), zero = ritti_number(dag, 0, 1);
  mpq_clear(largest);
  mpq_clear(factor);
  return add_multiple(dag, zero, scale, e);
}

/* Replaces equation i if subtracting a multiple of equation k makes it shorter. sum: the equations,
 * each as one sum. */
static ritt_status shorten_equation(ritti_completion *C, ritti_expr *sum, int i, int k,
                                    bool *shorter) {
  ritti_dag *dag = C->dag;
  mpq_t factor;
  mpq_init(factor);
  bool shared = count_terms(dag, sum[i]) >= count_terms(dag, sum[k]) &&
                find_factor(dag, sum[i], sum[k], factor);
  ritti_expr c = ritti_rational(dag, factor);
  mpq_clear(factor);
  *shorter = false;
  if (!shared) return RITT_OK;
  ritti_expr e = add_multiple(dag, sum[i], c, sum[k]);
  if (e == RITTI_NIL) return RITT_NO_MEMORY;

  /* an equation without unknowns is left to the decision, which names what it depends on */
  ritti_nodes jets;
  RITT_TRY(ritti_leaves(dag, e, RITTI_JET, &jets));
  *shorter = jets.count > 0 && count_terms(dag, e) < count_terms(dag, sum[i]);
  ritti_free(jets.at);
  if (*shorter) C->residual[i] = sum[i] = normalise_terms(dag, e);
  return ritti_dag_status(dag);
}

ritt_status ritti_combine_equations(ritti_completion *C, const ritti_expr *exact, bool *changed) {
  int equations = C->model->equations;
  ritti_expr *sum;
  bool has;
  *changed = false;
  if (equations > MOST_EQUATIONS) return RITT_OK;
  RITT_TRY(ritti_has_long_number(C, exact, &has));
  if (!has) return RITT_OK;
  RITTI_NEW(sum, C->arena, equations + 1);
  for (int i = 0; i < equations; i++) {
    ritti_expr zero = ritti_number(C->dag, 0, 1), one = ritti_number(C->dag, 1, 1);
    sum[i] = add_multiple(C->dag, zero, one, C->residual[i]);
  }
  RITT_TRY(ritti_dag_status(C->dag));
  for (bool more = true; more;) {
    more = false;
    for (int i = 0; i < equations; i++)
      for (int k = 0; k < equations; k++) {
        bool shorter = false;
        if (i != k) RITT_TRY(shorten_equation(C, sum, i, k, &shorter));
        more = more || shorter;
      }
    *changed = *changed || more;
  }
  return RITT_OK;
}

/* Is there an unknown or the independent variable in the expression? */
static ritt_status is_moving(const ritti_dag *dag, ritti_expr e, bool *yes) {
  ritti_nodes jets = {0}, x = {0};
  ritt_status status = ritti_leaves(dag, e, RITTI_JET, &jets);
  if (status == RITT_OK) status = ritti_leaves(dag, e, RITTI_INDEPENDENT, &x);
  *yes = jets.count + x.count > 0;
  ritti_free(jets.at);
  ritti_free(x.at);
  return status;
}

/* Multiplies *unit by the factors of e that are not constant. */
static ritt_status take_factors(ritti_dag *dag, ritti_expr e, ritti_expr *unit) {
  if (ritti_op_of(dag, e) == RITTI_MULTIPLY) {
    for (size_t i = 0; i < ritti_argument_count(dag, e); i++)
      RITT_TRY(take_factors(dag, ritti_argument(dag, e, i), unit));
    return RITT_OK;
  }
  bool moves;
  RITT_TRY(is_moving(dag, e, &moves));
  if (moves) *unit = ritti_multiply(dag, *unit, e);
  return RITT_OK;
}

/* Appends the terms of an equation without their constant factors, of sums inside sums too. */
static ritt_status list_units(ritti_dag *dag, ritti_expr e, terms *out) {
  if (ritti_op_of(dag, e) == RITTI_ADD) {
    for (size_t i = 0; i < ritti_argument_count(dag, e); i++)
      RITT_TRY(list_units(dag, ritti_argument(dag, e, i), out));
    return RITT_OK;
  }
  ritti_expr unit = ritti_number(dag, 1, 1);
  RITT_TRY(take_factors(dag, e, &unit));
  if (ritti_op_of(dag, unit) == RITTI_ADD) return list_units(dag, unit, out);
  return RITTI_PUSH(*out, unit);
}

static size_t count_common(const terms *a, const terms *b) {
  size_t common = 0;
  for (size_t i = 0; i < a->count; i++) {
    bool found = false;
    for (size_t k = 0; k < b->count && !found; k++) found = a->at[i] == b->at[k];
    common += found;
  }
  return common;
}

ritt_status ritti_may_combine(const ritti_completion *C, bool *may) {
  int equations = C->model->equations;
  terms *unit;
  *may = false;
  if (equations > MOST_EQUATIONS) return RITT_OK;
  RITTI_NEW(unit, C->arena, equations + 1);
  ritt_status status = RITT_OK;
  for (int i = 0; i < equations && status == RITT_OK; i++)
    status = list_units(C->dag, C->residual[i], &unit[i]);

  /* i - k has a new term for each of k that is not in i, and loses the common ones at most */
  for (int i = 0; i < equations; i++)
    for (int k = 0; k < equations && !*may; k++)
      *may = i != k && 2 * count_common(&unit[k], &unit[i]) > unit[k].count;
  for (int i = 0; i < equations; i++) RITTI_ARRAY_FREE(unit[i]);
  return status == RITT_OK ? ritti_dag_status(C->dag) : status;
}
