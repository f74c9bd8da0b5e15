/* Syntax tree -> DAG: names bound, functions applied, derivatives taken, constants that have no value
 * refused.
 *
 * All mistakes of an expression are told, not only the first; its value is then RITTI_NIL. An unknown name is
 * told once, where it is used first in the file.
 */
#include "lang_impl.h"

/* ---- names -------------------------------------------------------------------------------------------- */

/* X(word of other languages, what to write) */
static const struct {
  const char *name, *hint;
} foreign[] = {
    {"ln", "write log(...): the natural logarithm"},
    {"arcsin", "write asin(...)"},
    {"arccos", "write acos(...)"},
    {"arctan", "write atan(...)"},
    {"arctan2", "write atan2(y, x)"},
    {"pow", "write a^b"},
    {"fabs", "write abs(...)"},
    {"sgn", "write sign(...)"},
    {"diff", "write x' or der(x, 2)"},
    {"log10", "write log(...)/log(10)"},
    {"cot", "write 1/tan(...)"},
    {"e", "the number e is exp(1)"},
    {"Pi", "write pi"},
    {"PI", "write pi"},
};

static const char *foreign_hint(const char *name) {
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
    if (!strcmp(foreign[i].name, name)) return foreign[i].hint;
  return NULL;
}

/* The functions of the language that are operators of the DAG. */
static const ritti_op functions[] = {RITTI_EXP,  RITTI_LOG,   RITTI_SIN,  RITTI_COS,  RITTI_TAN,  RITTI_ASIN,
                                     RITTI_ACOS, RITTI_ATAN,  RITTI_SINH, RITTI_COSH, RITTI_TANH, RITTI_ABS,
                                     RITTI_SIGN, RITTI_ATAN2, RITTI_MIN,  RITTI_MAX};
enum { FUNCTIONS = sizeof functions / sizeof *functions };
static const char *const later_functions[] = {"mod", "dot", "cross", "norm"};

static bool is_function(const char *name) {
  for (int i = 0; i < FUNCTIONS; i++)
    if (!strcmp(ritti_op_text[functions[i]], name)) return true;
  return !strcmp(name, "sqrt") || !strcmp(name, "der");
}

static const char *nearest_function(const char *name) {
  const char *names[FUNCTIONS + 2];
  for (int i = 0; i < FUNCTIONS; i++) names[i] = ritti_op_text[functions[i]];
  names[FUNCTIONS] = "sqrt";
  names[FUNCTIONS + 1] = "der";
  return ritti_nearest(name, names, FUNCTIONS + 2);
}

static const char *function_list(ritti_resolver *s) {
  const char *list = "the functions are sqrt";
  for (int i = 0; i < FUNCTIONS; i++)
    list = ritti_words(s->reader, "%s %s", list, ritti_op_text[functions[i]]);
  return list;
}

const char *ritti_nearest_name(ritti_resolver *s, const char *name, ritti_symbol_kind kind) {
  enum { ENOUGH = 50 }; /* the search takes time, and nobody reads so many hints */
  if (s->reader->notes.count > ENOUGH || s->names.all.count == 0) return NULL;
  const char **names = ritti_malloc(s->names.all.count * sizeof *names);
  size_t count = 0;
  for (size_t i = 0; names && i < s->names.all.count; i++) {
    const ritti_symbol *y = &s->names.all.at[i];
    if (kind == Y_NONE ? y->kind != Y_BROKEN : y->kind == kind) names[count++] = y->name;
  }
  const char *near = names ? ritti_nearest(name, names, count) : NULL;
  ritti_free((void *)names);
  return near;
}

/* Tells an unknown name once, at its first use; `key` is the name, with '(' after that of a function. */
static void tell_unknown(ritti_resolver *s, uint32_t token, const char *key, const char *hint,
                         const char *text) {
  ritti_reader *r = s->reader;
  ritti_symbol *y = ritti_symbols_find(&s->unknown, key, strlen(key));
  if (!y) {
    size_t note = r->notes.count;
    ritti_say(r, token, hint, "%s", text);
    y = ritti_symbols_add(&s->unknown, key, Y_BROKEN, token);
    if (!y) r->status = RITT_NO_MEMORY;
    else y->note = note;
  } else if (token < y->token && y->note < r->notes.count) {
    const ritti_token *t = ritti_token_at(r, token);
    y->token = token;
    r->notes.at[y->note].line = t->line;
    r->notes.at[y->note].column = t->column;
  }
}

void ritti_unknown(ritti_resolver *s, uint32_t token) {
  ritti_reader *r = s->reader;
  if (s->syntax && s->syntax->any_name) return;
  const char *name = ritti_quote(r, token), *hint = foreign_hint(name);
  const ritti_symbol *label = ritti_symbols_find(&s->labels, name, strlen(name));
  if (is_function(name)) {
    tell_unknown(s, token, name, ritti_words(r, "write %s(...)", name),
                 ritti_words(r, "'%s' is a function and needs an argument", name));
    return;
  }
  if (!strcmp(name, "t") && s->model->independent)
    hint = ritti_words(r, "the independent variable is '%s'", s->model->independent);
  if (label) hint = ritti_words(r, "it is only a label: define it with 'let %s = ...'", name);
  if (!hint) hint = ritti_did_you_mean(r, ritti_nearest_name(s, name, Y_NONE));
  if (!hint)
    hint =
        ritti_words(r, "declare it: 'variable %s', 'parameter %s = ...' or 'let %s = ...'", name, name, name);
  tell_unknown(s, token, name, hint, ritti_words(r, "'%s' is not defined", name));
}

static ritti_symbol *find_symbol(ritti_resolver *s, uint32_t token) {
  const ritti_token *t = ritti_token_at(s->reader, token);
  return ritti_symbols_find(&s->names, s->reader->text + t->start, t->length);
}

ritti_variable_def *ritti_resolve_variable(ritti_resolver *s, uint32_t token) {
  static const char *const what[] = {[Y_PARAMETER] = "a parameter",
                                     [Y_LET] = "a name of 'let'",
                                     [Y_INDEPENDENT] = "the independent variable"};
  ritti_symbol *y = find_symbol(s, token);
  if (!y) ritti_unknown(s, token);
  else if (y->kind == Y_VARIABLE) return &s->model->variable[y->index];
  else if (y->kind != Y_BROKEN)
    ritti_say(s->reader, token, "write the name of a variable", "'%s' is %s, not a variable", y->name,
              what[y->kind]);
  return NULL;
}

/* ---- derivatives -------------------------------------------------------------------------------------- */

static void too_many_derivatives(ritti_resolver *s, uint32_t token) {
  ritti_say(s->reader, token, "introduce variables for the lower derivatives",
            "there are more than %d derivatives here", RITTI_DERIVATIVE_LIMIT);
}

/* The highest derivative in an expression, -1: no variable occurs. */
static int highest_order(ritti_resolver *s, ritti_expr e) {
  ritti_nodes jets;
  int highest = -1;
  if (ritti_leaves(s->dag, e, RITTI_JET, &jets) != RITT_OK) {
    s->reader->status = RITT_NO_MEMORY;
    return -1;
  }
  for (size_t i = 0; i < jets.count; i++) {
    int order = ritti_order_of(s->dag, jets.at[i]);
    highest = order > highest ? order : highest;
  }
  ritti_free(jets.at);
  return highest;
}

/* The k-th total derivative. */
static ritti_expr differentiate(ritti_resolver *s, ritti_expr e, int k, uint32_t token) {
  if (k > RITTI_DERIVATIVE_LIMIT || highest_order(s, e) + k > RITTI_DERIVATIVE_LIMIT) {
    too_many_derivatives(s, token);
    return RITTI_NIL;
  }
  size_t limit = RITTI_DERIVATIVE_NODES + RITTI_NODES_PER_TOKEN * s->reader->tokens.count;
  for (; k > 0 && e != RITTI_NIL; k--) {
    ritti_expr before = ritti_dag_count(s->dag);
    e = ritti_dag_total(s->dag, e);
    s->grown += ritti_dag_count(s->dag) - before;
    if (s->grown <= limit) continue;
    ritti_say(s->reader, token, "introduce variables for parts of it",
              "the derivatives of this expression are too large to be formed");
    return RITTI_NIL;
  }
  return e;
}

/* ---- values of names ---------------------------------------------------------------------------------- */

/* A name that is not allowed where only numbers and parameters are. */
static ritti_expr not_constant(ritti_resolver *s, uint32_t token, const ritti_scope *scope,
                               const char *what) {
  const char *hint = scope->kind == SCOPE_NUMBER ? "use numbers only" : "use numbers and parameters only";
  ritti_say(s->reader, token, hint, "%s depends on %s '%s'", scope->subject, what,
            ritti_quote(s->reader, token));
  return RITTI_NIL;
}

static bool is_open(const ritti_scope *scope) {
  return scope->kind == SCOPE_ANY || scope->kind == SCOPE_PLOT;
}

static bool is_moving(ritti_resolver *s, ritti_expr e) {
  return highest_order(s, e) >= 0 || ritti_depends_on(s->dag, e, ritti_independent(s->dag));
}

static ritti_expr parameter_value(ritti_resolver *s, const ritti_symbol *y, int primes, uint32_t token,
                                  const ritti_scope *scope) {
  if (primes > 0) {
    ritti_say(s->reader, token, "leave the prime out, or make it a variable",
              "the parameter '%s' is constant and has no derivative", y->name);
    return RITTI_NIL;
  }
  return scope->kind == SCOPE_PARAMETER ? y->expr : ritti_parameter(s->dag, y->index);
}

static ritti_expr let_value(ritti_resolver *s, const ritti_symbol *y, int primes, uint32_t token,
                            const ritti_scope *scope) {
  if (y->expr == RITTI_NIL) return RITTI_NIL;
  if (scope->kind == SCOPE_PARAMETER) {
    ritti_say(s->reader, token, ritti_words(s->reader, "make '%s' a parameter", y->name),
              "%s depends on '%s', which is defined by 'let'", scope->subject, y->name);
    return RITTI_NIL;
  }
  if (!is_open(scope) && is_moving(s, y->expr)) return not_constant(s, token, scope, "the variables in");
  return differentiate(s, y->expr, primes, token);
}

/* The value of a name with so many primes. */
static ritti_expr name_value(ritti_resolver *s, uint32_t token, int primes, const ritti_scope *scope) {
  ritti_symbol *y = find_symbol(s, token);
  const ritti_token *t = ritti_token_at(s->reader, token);
  if (!y && scope->kind == SCOPE_PLOT)
    y = ritti_symbols_find(&s->columns, s->reader->text + t->start, t->length);
  if (primes > RITTI_DERIVATIVE_LIMIT) {
    too_many_derivatives(s, token);
    return RITTI_NIL;
  }
  switch (y ? y->kind : Y_NONE) {
  case Y_PARAMETER: return parameter_value(s, y, primes, token, scope);
  case Y_VARIABLE:
    if (!is_open(scope)) return not_constant(s, token, scope, "the variable");
    return ritti_jet(s->dag, y->index, primes);
  case Y_INDEPENDENT:
    if (!is_open(scope)) return not_constant(s, token, scope, "the independent variable");
    return primes == 0 ? ritti_independent(s->dag) : ritti_number(s->dag, primes == 1, 1);
  case Y_LET:
  case Y_OUTPUT: return let_value(s, y, primes, token, scope);
  case Y_BROKEN: return RITTI_NIL;
  default: ritti_unknown(s, token); return RITTI_NIL;
  }
}

/* ---- constants ---------------------------------------------------------------------------------------- */

static bool is_number(const ritti_resolver *s, ritti_expr e) {
  return e != RITTI_NIL && ritti_op_of(s->dag, e) == RITTI_NUMBER;
}
static double number_of(const ritti_resolver *s, ritti_expr e) {
  return mpq_get_d(ritti_rational_of(s->dag, e));
}

static const char *range_hint(const char *wrong) {
  return strstr(wrong, "digits") ? "more than 17 digits make no difference"
                                 : "use numbers between 1e-300 and 1e300";
}

/* An exact number that arose from others: in the range of doubles, and of a reasonable length. */
static ritti_expr checked_number(ritti_resolver *s, ritti_expr e, uint32_t token) {
  if (!is_number(s, e) || ritti_is_zero(s->dag, e)) return e;
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
static ritti_expr checked(ritti_resolver *s, ritti_expr e, uint32_t token) {
  if (checked_number(s, e, token) == RITTI_NIL) return RITTI_NIL;
  ritti_op op = ritti_op_of(s->dag, e);
  size_t count = op == RITTI_ADD || op == RITTI_MULTIPLY ? ritti_argument_count(s->dag, e) : 0;
  for (size_t i = 0; i < count; i++)
    if (checked_number(s, ritti_argument(s->dag, e, i), token) == RITTI_NIL) return RITTI_NIL;
  return e;
}

static ritti_expr typed_number(ritti_resolver *s, const ritti_node *n) {
  const ritti_token *t = ritti_token_at(s->reader, n->at);
  mpq_t value;
  mpq_init(value);
  const char *wrong = ritti_number_read(s->reader->text + t->start, t->length, value);
  ritti_expr e = wrong ? RITTI_NIL : ritti_rational(s->dag, value);
  if (wrong)
    ritti_say(s->reader, n->at, range_hint(wrong), "the number '%s' %s", ritti_quote(s->reader, n->at),
              wrong);
  mpq_clear(value);
  return e;
}

/* log2 |q|, q not 0 */
static double log2_of(mpq_srcptr q) {
  long n, d;
  double a = mpz_get_d_2exp(&n, mpq_numref(q)), b = mpz_get_d_2exp(&d, mpq_denref(q));
  return log2(fabs(a)) - log2(b) + (double)(n - d);
}

/* Refuses constant powers before they are formed. false: told. */
static bool check_power(ritti_resolver *s, ritti_expr base, ritti_expr exponent, uint32_t token) {
  if (!is_number(s, base) || !is_number(s, exponent)) return true;
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

/* ---- expressions -------------------------------------------------------------------------------------- */

typedef ritti_expr resolve_node(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope);

/* The children, resolved; NULL where one of them failed (all are tried). In scratch memory. */
static ritti_expr *children(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  ritti_expr *value = ritti_arena_alloc(s->reader->scratch, (size_t)n->count, sizeof *value);
  if (!value) {
    s->reader->status = RITT_NO_MEMORY;
    return NULL;
  }
  bool whole = true;
  int i = 0;
  for (const ritti_node *c = n->child; c; c = c->next, i++) {
    value[i] = ritti_resolve_expr(s, c, scope);
    whole &= value[i] != RITTI_NIL;
  }
  return whole ? value : NULL;
}

static bool has_sign(const ritti_resolver *s, const ritti_node *n, ritti_token_kind kind) {
  return n->sign != NO_TOKEN && ritti_token_at(s->reader, n->sign)->kind == kind;
}

static ritti_expr resolve_sum(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  ritti_expr *term = children(s, n, scope);
  if (!term) return RITTI_NIL;
  int i = 0;
  for (const ritti_node *c = n->child; c; c = c->next, i++)
    if (has_sign(s, c, T_MINUS)) term[i] = ritti_negate(s->dag, term[i]);
  return checked(s, ritti_sum(s->dag, term, (size_t)n->count), n->at);
}

static ritti_expr resolve_product(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  ritti_expr *factor = children(s, n, scope), inverse = ritti_number(s->dag, -1, 1);
  if (!factor) return RITTI_NIL;
  int i = 0;
  for (const ritti_node *c = n->child; c; c = c->next, i++) {
    if (!has_sign(s, c, T_OVER)) continue;
    if (ritti_is_zero(s->dag, factor[i])) {
      ritti_say(s->reader, c->sign, NULL, "this divides by zero");
      return RITTI_NIL;
    }
    factor[i] = ritti_power(s->dag, factor[i], inverse);
  }
  return checked(s, ritti_product(s->dag, factor, (size_t)n->count), n->at);
}

static ritti_expr resolve_power(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  ritti_expr *value = children(s, n, scope);
  if (!value || !check_power(s, value[0], value[1], n->at)) return RITTI_NIL;
  return checked(s, ritti_power(s->dag, value[0], value[1]), n->at);
}

static ritti_expr resolve_prime(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  if (n->child->kind == N_NAME) return name_value(s, n->child->at, n->count, scope);
  ritti_expr e = ritti_resolve_expr(s, n->child, scope);
  return e == RITTI_NIL ? e : differentiate(s, e, n->count, n->at);
}

/* ---- functions ---------------------------------------------------------------------------------------- */

/* der(e, k) */
static ritti_expr resolve_der(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  ritti_reader *r = s->reader;
  const ritti_node *e = n->child, *order = e->next;
  ritti_scope number = {SCOPE_NUMBER, "the order of the derivative"};
  ritti_expr k = ritti_resolve_expr(s, order, &number);
  if (k == RITTI_NIL) return RITTI_NIL;
  double value = is_number(s, k) ? number_of(s, k) : -1;
  if (!(value >= 0) || value != floor(value)) {
    ritti_say(r, order->first, "write der(x, 2) for x''",
              "the order of a derivative is a whole number, 0 or more");
    return RITTI_NIL;
  }
  if (value > RITTI_DERIVATIVE_LIMIT) {
    too_many_derivatives(s, n->at);
    return RITTI_NIL;
  }
  if (e->kind == N_NAME) return name_value(s, e->at, (int)value, scope);
  ritti_expr f = ritti_resolve_expr(s, e, scope);
  return f == RITTI_NIL ? f : differentiate(s, f, (int)value, n->at);
}

/* A function of constants that has no value, such as log(0). */
static ritti_expr check_call(ritti_resolver *s, const ritti_node *n, ritti_op op, const ritti_expr *arg,
                             ritti_expr e) {
  bool constant = is_number(s, arg[0]) && (n->count < 2 || is_number(s, arg[1]));
  if (!constant ||
      isfinite(ritti_op_value(op, number_of(s, arg[0]), n->count < 2 ? 0 : number_of(s, arg[1]))))
    return e;
  ritti_say(s->reader, n->at, NULL, "'%.60s' has no finite value",
            ritti_typed(s->reader, s->reader->scratch, n->first, n->end, false));
  return RITTI_NIL;
}

static ritti_expr apply(ritti_resolver *s, const ritti_node *n, ritti_op op, const ritti_scope *scope) {
  ritti_expr *arg = children(s, n, scope);
  if (!arg) return RITTI_NIL;
  if (op == RITTI_POWER) { /* sqrt */
    if (is_number(s, arg[0]) && mpq_sgn(ritti_rational_of(s->dag, arg[0])) < 0) {
      ritti_say(s->reader, n->at, NULL, "the square root of a negative number has no value");
      return RITTI_NIL;
    }
    return ritti_power(s->dag, arg[0], ritti_number(s->dag, 1, 2));
  }
  ritti_expr e = ritti_apply(s->dag, op, arg, n->count < 2 ? 1 : 2);
  for (int i = 2; i < n->count; i++) /* min(a, b, c) */
    e = ritti_apply(s->dag, op, (ritti_expr[]){e, arg[i]}, 2);
  return checked(s, check_call(s, n, op, arg, e), n->at);
}

/* Number of arguments: from least to most. false: told. */
static bool check_arguments(ritti_resolver *s, const ritti_node *n, int least, int most) {
  static const char *const words[] = {"no", "one", "two"};
  if (n->count >= least && n->count <= most) return true;
  const char *name = ritti_quote(s->reader, n->at);
  const char *hint = !strcmp(name, "der") ? "write der(x, 2) for x''"
                     : least == 1         ? ritti_words(s->reader, "write %s(a)", name)
                                          : ritti_words(s->reader, "write %s(a, b)", name);
  ritti_say(s->reader, n->at, hint, "the function '%s' takes %s%s argument%s, not %d", name,
            most > least ? "at least " : "", words[least], least == 1 ? "" : "s", n->count);
  return false;
}

/* A name before a parenthesis that is no function. */
static ritti_expr not_a_function(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  static const char *const what[] = {[Y_PARAMETER] = "a parameter",
                                     [Y_VARIABLE] = "a variable",
                                     [Y_LET] = "a name of 'let'",
                                     [Y_INDEPENDENT] = "the independent variable"};
  ritti_reader *r = s->reader;
  const char *name = ritti_quote(r, n->at);
  ritti_symbol *y = find_symbol(s, n->at);
  for (const ritti_node *c = n->child; c; c = c->next) (void)ritti_resolve_expr(s, c, scope);
  for (size_t i = 0; i < sizeof later_functions / sizeof *later_functions; i++)
    if (!strcmp(later_functions[i], name)) {
      ritti_say(r, n->at, NULL, "the function '%s' is not in this version of Ritt", name);
      return RITTI_NIL;
    }
  if (y && y->kind == Y_BROKEN) return RITTI_NIL;
  if (y) {
    bool of_t = n->count == 1 && n->child->kind == N_NAME && y->kind == Y_VARIABLE &&
                ritti_token_is(r, n->child->at, s->model->independent);
    const char *hint =
        of_t ? ritti_words(r, "write %s alone: every variable depends on '%s'", name, s->model->independent)
             : ritti_words(r, "there is no implicit product: write %s*(...)", name);
    ritti_say(r, n->at, hint, "'%s' is %s, not a function", name, what[y->kind]);
    return RITTI_NIL;
  }
  if (s->syntax && s->syntax->any_name) return RITTI_NIL;
  const char *hint = foreign_hint(name), *near = hint ? NULL : nearest_function(name);
  if (near) hint = ritti_did_you_mean(r, near);
  if (!hint) hint = function_list(s);
  tell_unknown(s, n->at, ritti_words(r, "%s(", name), hint,
               ritti_words(r, "there is no function '%s'", name));
  return RITTI_NIL;
}

static ritti_expr resolve_call(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  const ritti_reader *r = s->reader;
  if (ritti_token_is(r, n->at, "der"))
    return check_arguments(s, n, 2, 2) ? resolve_der(s, n, scope) : RITTI_NIL;
  if (ritti_token_is(r, n->at, "sqrt"))
    return check_arguments(s, n, 1, 1) ? apply(s, n, RITTI_POWER, scope) : RITTI_NIL;
  for (int i = 0; i < FUNCTIONS; i++) {
    ritti_op op = functions[i];
    if (!ritti_token_is(r, n->at, ritti_op_text[op])) continue;
    bool many = op == RITTI_MIN || op == RITTI_MAX, two = many || op == RITTI_ATAN2;
    return check_arguments(s, n, two ? 2 : 1,
                           many  ? INT32_MAX
                           : two ? 2
                                 : 1)
               ? apply(s, n, op, scope)
               : RITTI_NIL;
  }
  if (!find_symbol(s, n->at) && ritti_is_mechanical(s, n)) return ritti_resolve_mechanical(s, n, scope);
  return not_a_function(s, n, scope);
}

ritti_expr ritti_resolve_expr(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  switch (n->kind) {
  case N_NUMBER: return typed_number(s, n);
  case N_PI: return ritti_pi(s->dag);
  case N_NAME: return name_value(s, n->at, 0, scope);
  case N_CALL: return resolve_call(s, n, scope);
  case N_SUM: return resolve_sum(s, n, scope);
  case N_PRODUCT: return resolve_product(s, n, scope);
  case N_NEGATE: return ritti_negate(s->dag, ritti_resolve_expr(s, n->child, scope));
  case N_POWER: return resolve_power(s, n, scope);
  case N_PRIME: return resolve_prime(s, n, scope);
  }
  return RITTI_NIL;
}

bool ritti_resolve_number(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope, ritti_expr *expr,
                          double *number) {
  *expr = ritti_resolve_expr(s, n, scope);
  *number = NAN;
  if (*expr == RITTI_NIL) return false;
  ritti_nodes used = {0};
  if (ritti_leaves(s->dag, *expr, RITTI_PARAMETER, &used) != RITT_OK) {
    s->reader->status = RITT_NO_MEMORY;
    return false;
  }
  /* nothing is said about parameters whose own mistake is told */
  bool known = used.count == 0 || s->value;
  for (size_t i = 0; known && i < used.count; i++) {
    const ritti_parameter_def *p = &s->model->parameter[ritti_index_of(s->dag, used.at[i])];
    s->value[p - s->model->parameter] = p->number;
    known = p->value != RITTI_NIL;
  }
  ritti_free(used.at);
  ritti_values values = {.parameter = s->value};
  if (!known) return false;
  if (ritti_dag_evaluate(s->dag, *expr, &values, number) != RITT_OK) s->reader->status = RITT_NO_MEMORY;
  if (isfinite(*number)) return true;
  ritti_say(s->reader, n->first, "look for a division by zero, or a root or logarithm of a negative number",
            "%s has no finite value", scope->subject);
  return false;
}
