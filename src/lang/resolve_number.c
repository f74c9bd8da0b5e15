/* Numbers: typed ones and those that exact arithmetic makes, checked; expressions of parameters ->
 * doubles.
 *
 * A number must lie in the range of doubles and have a reasonable length, and a constant power must
 * have a value: both are reported where they fail, before anything large is formed.
 */
#include "lang/resolve_impl.h"

bool ritti_is_constant(const ritti_resolver *s, ritti_expr e) {
  return e != RITTI_NIL && ritti_op_of(s->dag, e) == RITTI_NUMBER;
}
double ritti_constant_value(const ritti_resolver *s, ritti_expr e) {
  return mpq_get_d(ritti_rational_of(s->dag, e));
}

static const char *range_hint(const char *wrong) {
  return strstr(wrong, "digits") ? "more than 17 digits make no difference"
                                 : "use numbers between 1e-300 and 1e300";
}

/* An exact number that arose from others: in the range of doubles, and of a reasonable length. */
static ritti_expr checked_number(ritti_resolver *s, ritti_expr e, uint32_t token) {
  if (!ritti_is_constant(s, e) || ritti_is_zero(s->dag, e)) return e;
  mpq_srcptr q = ritti_rational_of(s->dag, e);
  double value = mpq_get_d(q);
  const char *wrong = !isfinite(value) ? "is too large"
                      : value == 0     ? "is too small"
                      : mpz_sizeinbase(mpq_numref(q), 2) > RITTI_EXACT_LIMIT ||
                              mpz_sizeinbase(mpq_denref(q), 2) > RITTI_EXACT_LIMIT
                          ? "has too many digits"
                          : NULL;
  if (!wrong) return e;
  ritti_say(s->reader, token, range_hint(wrong), "the number that is computed here %s", wrong);
  return RITTI_NIL;
}

/* The same for a sum or product that has a number in it. */
ritti_expr ritti_checked(ritti_resolver *s, ritti_expr e, uint32_t token) {
  if (checked_number(s, e, token) == RITTI_NIL) return RITTI_NIL;
  ritti_op op = ritti_op_of(s->dag, e);
  size_t count = op == RITTI_ADD || op == RITTI_MULTIPLY ? ritti_argument_count(s->dag, e) : 0;
  for (size_t i = 0; i < count; i++)
    if (checked_number(s, ritti_argument(s->dag, e, i), token) == RITTI_NIL) return RITTI_NIL;
  return e;
}

ritti_expr ritti_typed_number(ritti_resolver *s, const ritti_node *n) {
  const ritti_token *t = ritti_token_at(s->reader, n->at);
  if (!s->number)
    s->number = ritti_arena_alloc(s->reader->scratch, s->reader->tokens.count, sizeof *s->number);
  if (!s->number) s->reader->status = RITT_NO_MEMORY;
  else if (s->number[n->at]) return s->number[n->at];
  mpq_t value;
  mpq_init(value);
  const char *wrong = ritti_number_read(s->reader->text + t->start, t->length, value);
  ritti_expr e = wrong ? RITTI_NIL : ritti_rational(s->dag, value);
  if (wrong)
    ritti_say(s->reader, n->at, range_hint(wrong), "the number '%s' %s",
              ritti_quote(s->reader, n->at), wrong);
  mpq_clear(value);
  if (s->number) s->number[n->at] = e;
  return e;
}

/* log2 |q|, q not 0 */
static double log2_of(mpq_srcptr q) {
  long n, d;
  double a = mpz_get_d_2exp(&n, mpq_numref(q)), b = mpz_get_d_2exp(&d, mpq_denref(q));
  return log2(fabs(a)) - log2(b) + (double)(n - d);
}

/* Refuses constant powers before they are formed. false: a mistake was reported. */
bool ritti_check_power(ritti_resolver *s, ritti_expr base, ritti_expr exponent, uint32_t token) {
  if (!ritti_is_constant(s, base) || !ritti_is_constant(s, exponent)) return true;
  mpq_srcptr b = ritti_rational_of(s->dag, base), e = ritti_rational_of(s->dag, exponent);
  if (mpq_sgn(b) == 0) {
    if (mpq_sgn(e) >= 0) return true;
    ritti_say(s->reader, token, NULL, "a negative power of zero has no value");
    return false;
  }
  if (mpq_sgn(b) < 0 && mpz_cmp_ui(mpq_denref(e), 1) != 0) {
    ritti_say(s->reader, token, "for a root of a negative number write -(...)^(1/3)",
              "a negative number has no such power");
    return false;
  }
  double size = log2_of(b) * mpq_get_d(e);
  if (size < 1024 && size > -1074) return true;
  ritti_say(s->reader, token, "use numbers between 1e-300 and 1e300", "the power is too %s",
            size > 0 ? "large" : "small");
  return false;
}

bool ritti_number_of(ritti_resolver *s, ritti_expr expr, const ritti_node *n,
                     const ritti_scope *scope, double *number) {
  *number = NAN;
  if (expr == RITTI_NIL) return false;
  if (ritti_is_constant(s, expr)) {
    *number = ritti_rational_double(ritti_rational_of(s->dag, expr));
    return true;
  }
  ritti_nodes used = {0};
  if (ritti_leaves(s->dag, expr, RITTI_PARAMETER, &used) != RITT_OK) {
    s->reader->status = RITT_NO_MEMORY;
    return false;
  }
  /* nothing is said about parameters whose own mistake is reported */
  bool known = used.count == 0 || s->value;
  for (size_t i = 0; known && i < used.count; i++) {
    const ritti_parameter_def *p = &s->model->parameter[ritti_index_of(s->dag, used.at[i])];
    s->value[p - s->model->parameter] = p->number;
    known = p->value != RITTI_NIL;
  }
  ritti_free(used.at);
  ritti_values values = {.parameter = s->value};
  if (!known) return false;
  if (ritti_dag_evaluate(s->dag, expr, &values, number) != RITT_OK)
    s->reader->status = RITT_NO_MEMORY;
  if (isfinite(*number)) return true;
  ritti_say(s->reader, n->first,
            "look for a division by zero, or a root or logarithm of a negative number",
            "%s has no finite value%s", scope->subject, ritti_where(s));
  return false;
}

bool ritti_resolve_number(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope,
                          ritti_expr *expr, double *number) {
  *expr = ritti_resolve_expr(s, n, scope);
  return ritti_number_of(s, *expr, n, scope, number);
}
