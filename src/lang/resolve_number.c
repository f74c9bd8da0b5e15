/* Numbers: reads typed numbers, checks those that exact arithmetic gives, and evaluates
 * expressions of parameters to doubles.
 *
 * A number must lie in the range of doubles and have a reasonable length, and a constant power
 * must have a value. Both are checked before anything large is computed.
 */
#include "lang/resolve_impl.h"

bool ritti_is_constant(const ritti_resolver *s, ritti_expr e) {
  return e != RITTI_NIL && ritti_op_of(s->dag, e) == RITTI_NUMBER;
}

double ritti_constant_value(const ritti_resolver *s, ritti_expr e) {
  return mpq_get_d(ritti_rational_of(s->dag, e));
}

/* The advice for a number that is out of range. */
static const char *range_hint(const char *wrong) {
  return strstr(wrong, "digits") ? "more than 17 digits make no difference"
                                 : "use numbers between 1e-300 and 1e300";
}

/* Checks an exact number that was computed: its range and its length. RITTI_NIL: a mistake was
 * reported. */
static ritti_expr checked_number(ritti_resolver *s, ritti_expr e, uint32_t token) {
  if (!ritti_is_constant(s, e) || ritti_is_zero(s->dag, e)) return e;
  mpq_srcptr q = ritti_rational_of(s->dag, e);
  double value = mpq_get_d(q);
  bool longer = mpz_sizeinbase(mpq_numref(q), 2) > RITTI_EXACT_LIMIT ||
                mpz_sizeinbase(mpq_denref(q), 2) > RITTI_EXACT_LIMIT;

  const char *wrong = NULL;
  if (!isfinite(value)) wrong = "is too large";
  else if (value == 0) wrong = "is too small";
  else if (longer) wrong = "has too many digits";
  if (!wrong) return e;
  ritti_say(s->reader, token, range_hint(wrong), "the number that is computed here %s", wrong);
  return RITTI_NIL;
}

ritti_expr ritti_checked(ritti_resolver *s, ritti_expr e, uint32_t token) {
  if (checked_number(s, e, token) == RITTI_NIL) return RITTI_NIL;

  /* the numbers in a sum or product */
  ritti_op op = ritti_op_of(s->dag, e);
  size_t count = op == RITTI_ADD || op == RITTI_MULTIPLY ? ritti_argument_count(s->dag, e) : 0;
  for (size_t i = 0; i < count; i++)
    if (checked_number(s, ritti_argument(s->dag, e, i), token) == RITTI_NIL) return RITTI_NIL;
  return e;
}

ritti_expr ritti_typed_number(ritti_resolver *s, const ritti_node *n) {
  /* a token is read once for all members of a family */
  const ritti_token *t = ritti_token_at(s->reader, n->at);
  if (!s->number) {
    s->numbers = s->reader->tokens.count;
    s->number = ritti_arena_alloc(s->reader->scratch, s->numbers, sizeof *s->number);
  }
  bool stored = s->number && n->at < s->numbers;
  if (!s->number) s->reader->status = RITT_NO_MEMORY;
  else if (stored && s->number[n->at]) return s->number[n->at];

  /* its exact value */
  mpq_t value;
  mpq_init(value);
  const char *wrong = ritti_number_read(s->reader->text + t->start, t->length, value);
  ritti_expr e = wrong ? RITTI_NIL : ritti_rational(s->dag, value);
  if (wrong)
    ritti_say(s->reader, n->at, range_hint(wrong), "the number '%s' %s",
              ritti_quote(s->reader, n->at), wrong);

  mpq_clear(value);
  if (stored) s->number[n->at] = e;
  return e;
}

/* log2 |q| for q not 0 */
static double log2_of(mpq_srcptr q) {
  long n, d;
  double a = mpz_get_d_2exp(&n, mpq_numref(q));
  double b = mpz_get_d_2exp(&d, mpq_denref(q));
  return log2(fabs(a)) - log2(b) + (double)(n - d);
}

bool ritti_check_power(ritti_resolver *s, ritti_expr base, ritti_expr exponent, uint32_t token) {
  if (!ritti_is_constant(s, base) || !ritti_is_constant(s, exponent)) return true;
  mpq_srcptr b = ritti_rational_of(s->dag, base);
  mpq_srcptr e = ritti_rational_of(s->dag, exponent);

  /* powers of zero, and roots of negative numbers */
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

  /* the size of the result */
  double size = log2_of(b) * mpq_get_d(e);
  if (size < 1024 && size > -1074) return true;
  ritti_say(s->reader, token, "use numbers between 1e-300 and 1e300", "the power is too %s",
            size > 0 ? "large" : "small");
  return false;
}

ritt_status ritti_note_read(ritti_resolver *s, ritti_expr expr) {
  ritti_nodes used;
  RITT_TRY(ritti_leaves(s->dag, expr, RITTI_PARAMETER, &used));
  for (size_t i = 0; i < used.count; i++)
    s->model->parameter[ritti_index_of(s->dag, used.at[i])].read = true;
  ritti_free(used.at);
  return RITT_OK;
}

bool ritti_number_of(ritti_resolver *s, ritti_expr expr, const ritti_node *n,
                     const ritti_scope *scope, double *number) {
  *number = NAN;

  /* an exact number */
  if (expr == RITTI_NIL) return false;
  if (ritti_is_constant(s, expr)) {
    *number = ritti_rational_double(ritti_rational_of(s->dag, expr));
    return true;
  }

  /* the values of the parameters in it */
  ritti_nodes used = {0};
  if (ritti_leaves(s->dag, expr, RITTI_PARAMETER, &used) != RITT_OK) {
    s->reader->status = RITT_NO_MEMORY;
    return false;
  }

  /* a parameter without a value was reported where it is defined */
  bool known = used.count == 0 || s->value;
  for (size_t i = 0; known && i < used.count; i++) {
    ritti_parameter_def *p = &s->model->parameter[ritti_index_of(s->dag, used.at[i])];
    s->value[p - s->model->parameter] = p->number;
    p->read = p->read || !scope->kept;
    known = p->value != RITTI_NIL;
  }
  ritti_free(used.at);

  /* evaluate it */
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
