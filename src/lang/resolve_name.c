/* Names -> their values: parameters, variables, lets, outputs, indices and arguments, with
 * primes, also as whole arrays; and total derivatives of expressions.
 *
 * In: the token of a name, or an expression of the DAG. Out: a value. Failed: a mistake was
 * reported (a name that is not allowed here, a derivative of a constant, too many derivatives).
 */
#include "lang/resolve_impl.h"

ritti_symbol *ritti_find_symbol(ritti_resolver *s, uint32_t token) {
  const ritti_token *t = ritti_token_at(s->reader, token);
  return ritti_symbols_find(&s->names, s->reader->text + t->start, t->length);
}

const char *const ritti_kind_words[] = {[Y_PARAMETER] = "a parameter",
                                        [Y_VARIABLE] = "a variable",
                                        [Y_LET] = "a name of 'let'",
                                        [Y_FUNCTION] = "a function",
                                        [Y_PART] = "a part",
                                        [Y_PORT] = "a port",
                                        [Y_INDEPENDENT] = "the independent variable"};

/* Are all elements variables? A name in a part may be another name of one. */
static bool are_variables(const ritti_resolver *s, ritti_value v) {
  for (size_t i = 0; i < ritti_value_count(v); i++) {
    ritti_expr e = ritti_element(v, i);
    if (ritti_op_of(s->dag, e) != RITTI_JET || ritti_order_of(s->dag, e) > 0) return false;
  }
  return true;
}

ritti_value ritti_resolve_variables(ritti_resolver *s, const ritti_node *n) {
  bool path = n->kind == N_PATH;
  const ritti_symbol *y = path ? ritti_path_symbol(s, n) : ritti_find_symbol(s, n->at);
  if (path && !y) return ritti_scalar(RITTI_NIL);
  if (path && y->kind == Y_LET) {
    ritti_value v = ritti_resolve_value(s, n, &ritti_anything);
    if (ritti_failed(v) || are_variables(s, v)) return v;
  }
  if (y && y->kind == Y_VARIABLE) return ritti_resolve_value(s, n, &ritti_anything);
  if (!y) ritti_unknown(s, n->at);
  else if (y->kind != Y_BROKEN)
    ritti_say(s->reader, n->at, "write the name of a variable", "'%s' is %s, not a variable",
              y->name, ritti_kind_words[y->kind]);
  return ritti_scalar(RITTI_NIL);
}

/* ---- derivatives ---- */

void ritti_too_many_derivatives(ritti_resolver *s, uint32_t token) {
  ritti_say(s->reader, token, "introduce variables for the lower derivatives",
            "there are more than %d derivatives here", RITTI_DERIVATIVE_LIMIT);
}

/* The highest derivative in an expression; -1: it contains no variable. */
static int highest_order(ritti_resolver *s, ritti_expr e) {
  ritti_nodes jets;
  int highest = -1;
  if (ritti_leaves(s->dag, e, RITTI_JET, &jets) != RITT_OK) {
    s->reader->status = RITT_NO_MEMORY;
    return -1;
  }

  for (size_t i = 0; i < jets.count; i++) {
    int order = ritti_order_of(s->dag, jets.at[i]);
    if (order > highest) highest = order;
  }
  ritti_free(jets.at);
  return highest;
}

/* The k-th total derivative of an expression. RITTI_NIL: a mistake was reported. */
static ritti_expr differentiate_expr(ritti_resolver *s, ritti_expr e, int k, uint32_t token) {
  if (k > RITTI_DERIVATIVE_LIMIT || highest_order(s, e) + k > RITTI_DERIVATIVE_LIMIT) {
    ritti_too_many_derivatives(s, token);
    return RITTI_NIL;
  }

  /* repeated derivatives can grow without bound */
  size_t limit = RITTI_DERIVATIVE_NODES + RITTI_NODES_PER_TOKEN * s->reader->tokens.count;
  ritti_expr derivative = e;
  for (int order = 1; order <= k && derivative != RITTI_NIL; order++) {
    /* count the nodes that are added */
    ritti_expr before = ritti_dag_count(s->dag);
    derivative = ritti_dag_total_of_order(s->dag, e, order);
    s->grown += ritti_dag_count(s->dag) - before;
    if (s->grown <= limit) continue;
    ritti_say(s->reader, token, "introduce variables for parts of it",
              "the derivatives of this expression are too large to be formed");
    return RITTI_NIL;
  }
  return derivative;
}

ritti_value ritti_derivative(ritti_resolver *s, ritti_value v, int k, uint32_t token) {
  if (k == 0 || ritti_failed(v)) return v;
  if (!v.shape) return ritti_scalar(differentiate_expr(s, v.one, k, token));

  ritti_expr *at = ritti_elements_new(s, v.shape->size);
  bool whole = at != NULL;
  for (size_t i = 0; i < v.shape->size && whole; i++) {
    at[i] = differentiate_expr(s, v.at[i], k, token);
    whole = at[i] != RITTI_NIL;
  }
  return whole ? (ritti_value){.shape = v.shape, .at = at} : ritti_scalar(RITTI_NIL);
}

/* ---- values of names ---- */

/* Reports a name that is not allowed because only numbers and parameters are. */
static ritti_expr not_constant(ritti_resolver *s, uint32_t token, const ritti_scope *scope,
                               const char *what) {
  const char *hint =
      scope->kind == SCOPE_NUMBER ? "use numbers only" : "use numbers and parameters only";
  ritti_say(s->reader, token, hint, "%s depends on %s '%s'", scope->subject, what,
            ritti_quote(s->reader, token));
  return RITTI_NIL;
}

/* Are variables allowed? */
static bool is_open(const ritti_scope *scope) {
  return scope->kind == SCOPE_ANY || scope->kind == SCOPE_PLOT;
}

bool ritti_is_moving(ritti_resolver *s, ritti_expr e) {
  return highest_order(s, e) >= 0 || ritti_depends_on(s->dag, e, ritti_independent(s->dag));
}

/* Are parameters replaced by their values? */
static bool by_value(const ritti_scope *scope) {
  return scope->kind == SCOPE_PARAMETER || scope->exact;
}

/* The value of element i of a parameter, let or output; resolved now if its array is being
 * resolved. RITTI_NIL: a mistake was reported. */
static ritti_expr known_value(ritti_resolver *s, ritti_symbol *y, size_t i) {
  if (y->pending) ritti_define_pending(s, y);
  if (!y->shape) return y->expr;
  if (!y->at) return RITTI_NIL;
  return y->open ? ritti_define_element(s, y, i) : y->at[i];
}

/* The value of element i of a let or output, with primes. */
static ritti_expr let_value(ritti_resolver *s, ritti_symbol *y, size_t i, int primes,
                            uint32_t token, const ritti_scope *scope) {
  /* parameters cannot depend on lets */
  if (scope->kind == SCOPE_PARAMETER && y->line && y->line->varies) {
    ritti_say(s->reader, token, "give it a value of numbers and parameters only",
              "%s depends on '%s', whose value is not constant", scope->subject, y->name);
    return RITTI_NIL;
  }
  if (scope->kind == SCOPE_PARAMETER) {
    ritti_say(s->reader, token, ritti_words(s->reader, "make '%s' a parameter", y->name),
              "%s depends on '%s', which is defined by 'let'", scope->subject, y->name);
    return RITTI_NIL;
  }

  /* a let is constant if its value is */
  ritti_expr e = known_value(s, y, i);
  if (e == RITTI_NIL) return RITTI_NIL;
  if (!is_open(scope) && ritti_is_moving(s, e))
    return not_constant(s, token, scope, "the variables in");
  return differentiate_expr(s, e, primes, token);
}

ritti_expr ritti_element_value(ritti_resolver *s, ritti_symbol *y, size_t i, int primes,
                               uint32_t token, const ritti_scope *scope) {
  switch (y->kind) {
  case Y_PARAMETER:
    if (primes > 0) {
      ritti_say(s->reader, token, "leave the prime out, or make it a variable",
                "the parameter '%s' is constant and has no derivative", y->name);
      return RITTI_NIL;
    }
    if (!by_value(scope)) return ritti_parameter(s->dag, y->index + (int)i);
    y->read = y->read || !s->trial;
    return known_value(s, y, i);
  case Y_VARIABLE:
    if (!is_open(scope)) return not_constant(s, token, scope, "the variable");
    return ritti_jet(s->dag, y->index + (int)i, primes);
  case Y_INDEPENDENT:
    if (!is_open(scope)) return not_constant(s, token, scope, "the independent variable");
    if (primes == 0) return ritti_independent(s->dag);
    return ritti_number(s->dag, primes == 1, 1);
  case Y_LET:
  case Y_OUTPUT: return let_value(s, y, i, primes, token, scope);
  case Y_FUNCTION:
    ritti_say(s->reader, token, ritti_words(s->reader, "write %s(...)", y->name),
              "'%s' is a function and needs an argument", y->name);
    return RITTI_NIL;
  case Y_PART:
  case Y_PORT:
    ritti_say(s->reader, token, ritti_words(s->reader, "write a name in it: %s. ...", y->name),
              "'%s' is %s and has no value", y->name, ritti_kind_words[y->kind]);
    return RITTI_NIL;
  default: return RITTI_NIL;
  }
}

const char *ritti_first_column(ritti_resolver *s, uint32_t token) {
  const ritti_token *t = ritti_token_at(s->reader, token);

  /* the name of a whole array of columns */
  if (ritti_symbols_find(&s->columns, s->reader->text + t->start, t->length)) return NULL;

  /* NAME[... */
  for (size_t i = 0; i < s->columns.all.count; i++) {
    const char *name = s->columns.all.at[i].name;
    if (!strncmp(name, s->reader->text + t->start, t->length) && name[t->length] == '[')
      return name;
  }
  return NULL;
}

ritti_symbol *ritti_symbol_of(ritti_resolver *s, uint32_t token, const ritti_scope *scope) {
  ritti_symbol *y = ritti_find_symbol(s, token);
  const ritti_token *t = ritti_token_at(s->reader, token);

  /* columns are visible in plots only */
  if (!y && scope->kind == SCOPE_PLOT)
    y = ritti_symbols_find(&s->columns, s->reader->text + t->start, t->length);
  if (y) return y;

  /* unknown */
  const char *first = scope->kind == SCOPE_PLOT ? ritti_first_column(s, token) : NULL;
  if (first)
    ritti_tell_unknown(
        s, token, ritti_quote(s->reader, token),
        ritti_words(s->reader, "draw its columns one by one, such as %s", first),
        ritti_words(s->reader, "'%s' is a family of columns", ritti_quote(s->reader, token)));
  else ritti_unknown(s, token);
  return NULL;
}

/* The value of an index or argument, with primes. */
static ritti_value bound_value(ritti_resolver *s, const ritti_binding *b, int primes,
                               uint32_t token) {
  if (!b->index) return ritti_derivative(s, b->value, primes, token);
  if (primes == 0) return ritti_scalar(ritti_number(s->dag, b->number, 1));
  ritti_say(s->reader, token, "leave the prime out",
            "the index '%s' is a number and has no derivative", ritti_quote(s->reader, token));
  return ritti_failure();
}

/* The value of all elements of an array, with primes. */
static ritti_value whole_array(ritti_resolver *s, ritti_symbol *y, int primes, uint32_t token,
                               const ritti_scope *scope) {
  const char *what = ritti_words(s->reader, "the number of elements of '%s' is", y->name);
  if (!ritti_expand(s, token, y->shape->size, what)) return ritti_failure();

  ritti_expr *at = ritti_elements_new(s, y->shape->size);
  bool whole = at != NULL;
  for (size_t i = 0; i < y->shape->size && whole; i++) {
    at[i] = ritti_element_value(s, y, i, primes, token, scope);
    whole = at[i] != RITTI_NIL;
  }
  return whole ? (ritti_value){.shape = y->shape, .at = at} : ritti_failure();
}

bool ritti_is_outside(const ritti_symbol *y, const ritti_scope *scope) {
  return scope->inside && (y->kind == Y_VARIABLE || y->kind == Y_LET || y->kind == Y_PART);
}

/* The value of a name, with primes. */
ritti_value ritti_resolve_name(ritti_resolver *s, uint32_t token, int primes,
                               const ritti_scope *scope) {
  const ritti_binding *b = ritti_find_binding(s, token);
  if (primes > RITTI_DERIVATIVE_LIMIT) {
    ritti_too_many_derivatives(s, token);
    return ritti_failure();
  }

  /* indices and arguments hide other names */
  if (b) return bound_value(s, b, primes, token);

  ritti_symbol *y = ritti_symbol_of(s, token, scope);
  if (!y || y->kind == Y_BROKEN || ritti_is_outside(y, scope)) return ritti_failure();
  return ritti_symbol_value(s, y, primes, token, scope);
}

ritti_value ritti_symbol_value(ritti_resolver *s, ritti_symbol *y, int primes, uint32_t token,
                               const ritti_scope *scope) {
  if (y->pending) ritti_define_pending(s, y);
  if (y->kind == Y_PART || y->kind == Y_PORT)
    return ritti_scalar(ritti_element_value(s, y, 0, primes, token, scope));
  if (y->line && y->line->ranges && !y->shape)
    return ritti_failure(); /* a mistake in its shape was reported */
  if (y->shape) return whole_array(s, y, primes, token, scope);
  return ritti_scalar(ritti_element_value(s, y, 0, primes, token, scope));
}

ritti_value ritti_resolve_derivative(ritti_resolver *s, const ritti_node *e, int k, uint32_t token,
                                     const ritti_scope *scope) {
  if (e->kind == N_NAME) return ritti_resolve_name(s, e->at, k, scope);
  if (e->kind == N_INDEX) return ritti_resolve_index(s, e, k, scope);
  if (e->kind == N_PATH) return ritti_resolve_path(s, e, k, scope);
  return ritti_derivative(s, ritti_resolve_value(s, e, scope), k, token);
}
