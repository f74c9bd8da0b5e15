/* name(...) -> a value: functions of the language, functions that the model defines (the body
 * with its arguments bound), and tables. Names that are not functions are reported, with what
 * was probably meant.
 */
#include "lang/resolve_impl.h"

/* The functions of the language that are not operators of the DAG. */
static const char *const further[] = {"sqrt", "mod", "dot",  "cross", "norm",
                                      "der",  "sum", "prod", "smooth"};
enum { FURTHER = sizeof further / sizeof *further };

const char *ritti_function_name(size_t i) {
  for (int op = 0; op < RITTI_OP_COUNT; op++)
    if (ritti_op_call[op] != RITTI_HIDDEN && i-- == 0) return ritti_op_text[op];
  return i < FURTHER ? further[i] : NULL;
}

bool ritti_is_function(const char *name) {
  const char *known;
  for (size_t i = 0; (known = ritti_function_name(i)); i++)
    if (!strcmp(known, name)) return true;
  return false;
}

/* The function of the model or of the language whose name is most similar; NULL: none is. */
static const char *nearest_function(ritti_resolver *s, const char *name) {
  const char *names[FURTHER + RITTI_OP_COUNT];
  int count = 0;
  while ((names[count] = ritti_function_name((size_t)count))) count++;
  const char *own = ritti_nearest_name(s, name, Y_FUNCTION);
  return own ? own : ritti_nearest(name, names, count);
}

/* All functions, for a hint. */
static const char *function_list(ritti_resolver *s) {
  const char *list = "the functions are sqrt";
  for (int op = 0; op < RITTI_OP_COUNT; op++)
    if (ritti_op_call[op] != RITTI_HIDDEN)
      list = ritti_words(s->reader, "%s %s", list, ritti_op_text[op]);
  return ritti_words(s->reader, "%s mod dot cross norm smooth", list);
}

/* Resolves der(e, k), or der(e) for the first derivative. */
static ritti_value resolve_der(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  ritti_reader *r = s->reader;
  const ritti_node *e = n->child, *order = e->next;
  if (!order) return ritti_resolve_derivative(s, e, 1, n->at, scope);

  /* the order, a whole number */
  ritti_scope number = {SCOPE_NUMBER, "the order of the derivative", false};
  ritti_expr k = ritti_resolve_expr(s, order, &number);
  if (k == RITTI_NIL) return ritti_failure();
  double value = ritti_is_constant(s, k) ? ritti_constant_value(s, k) : -1;
  if (!(value >= 0) || value != floor(value)) {
    ritti_say(r, order->first, "write der(x, 2) for x''",
              "the order of a derivative is a whole number, 0 or more");
    return ritti_failure();
  }

  /* the derivative */
  if (value > RITTI_DERIVATIVE_LIMIT) {
    ritti_too_many_derivatives(s, n->at);
    return ritti_failure();
  }
  return ritti_resolve_derivative(s, e, (int)value, n->at, scope);
}

/* Resolves smooth(e): the value of e, whose kinks are not looked for. */
static ritti_value resolve_smooth(ritti_resolver *s, const ritti_node *n,
                                  const ritti_scope *scope) {
  ritti_value v = ritti_resolve_value(s, n->child, scope);
  for (size_t i = 0; !ritti_failed(v) && i < ritti_value_count(v); i++) {
    ritti_smooth *mark = ritti_arena_alloc(s->model->arena, 1, sizeof *mark);
    if (!mark) {
      s->reader->status = RITT_NO_MEMORY;
      return ritti_failure();
    }
    *mark = (ritti_smooth){.expr = ritti_element(v, i), .before = s->model->harmless};
    s->model->harmless = mark;
  }
  return v;
}

/* Reports a function of constants that has no value, such as log(0); then returns RITTI_NIL. */
static ritti_expr check_call(ritti_resolver *s, const ritti_node *n, ritti_op op,
                             const ritti_expr *arg, ritti_expr e) {
  bool constant = ritti_is_constant(s, arg[0]) && (n->count < 2 || ritti_is_constant(s, arg[1]));
  if (!constant) return e;

  double a = ritti_constant_value(s, arg[0]);
  double b = n->count < 2 ? 0 : ritti_constant_value(s, arg[1]);
  if (isfinite(ritti_op_value(op, a, b))) return e;
  ritti_say(s->reader, n->at, NULL, "'%.60s' has no finite value",
            ritti_shown(s, s->reader->scratch, n, false));
  return RITTI_NIL;
}

/* Applies an operator of the DAG to the arguments; RITTI_POWER stands for sqrt. */
static ritti_expr apply_operator(ritti_resolver *s, const ritti_node *n, ritti_op op,
                                 const ritti_scope *scope) {
  ritti_expr *arg = ritti_resolve_numbers(s, n, scope);
  if (!arg) return RITTI_NIL;

  /* square root */
  if (op == RITTI_POWER) {
    if (ritti_is_constant(s, arg[0]) && mpq_sgn(ritti_rational_of(s->dag, arg[0])) < 0) {
      ritti_say(s->reader, n->at, NULL, "the square root of a negative number has no value");
      return RITTI_NIL;
    }
    return ritti_power(s->dag, arg[0], ritti_number(s->dag, 1, 2));
  }

  /* min(a, b, c) is min(min(a, b), c) */
  ritti_expr e = ritti_apply(s->dag, op, arg, n->count < 2 ? 1 : 2);
  for (int i = 2; i < n->count; i++) e = ritti_apply(s->dag, op, (ritti_expr[]){e, arg[i]}, 2);
  return ritti_checked(s, check_call(s, n, op, arg, e), n->at);
}

/* Resolves mod(a, b) = a - b*floor(a/b). */
static ritti_expr resolve_mod(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  ritti_expr *arg = ritti_resolve_numbers(s, n, scope);
  if (!arg) return RITTI_NIL;
  if (ritti_is_zero(s->dag, arg[1])) {
    ritti_say(s->reader, n->last->first, NULL, "'mod' divides by zero%s", ritti_where(s));
    return RITTI_NIL;
  }
  ritti_expr quotient = ritti_divide(s->dag, arg[0], arg[1]);
  ritti_expr whole = ritti_apply(s->dag, RITTI_FLOOR, &quotient, 1);
  return ritti_checked(s, ritti_subtract(s->dag, arg[0], ritti_multiply(s->dag, arg[1], whole)),
                       n->at);
}

/* Resolves arguments that must be vectors of one length, of length 3 with `three`. NULL: a
 * mistake was reported. */
static ritti_value *resolve_arguments(ritti_resolver *s, const ritti_node *n,
                                      const ritti_scope *scope, bool three) {
  bool arrays;
  ritti_value *v = ritti_resolve_children(s, n, scope, &arrays);
  const char *name = ritti_quote(s->reader, n->at);
  int i = 0;
  for (const ritti_node *c = n->child; v && c; c = c->next, i++) {
    bool vector = v[i].shape && v[i].shape->rank == 1;
    bool fits = vector && (!three || v[i].shape->size == 3);
    if (fits && ritti_same_shape(v[i].shape, v[0].shape)) continue;

    /* report a vector of another length, or something that is not a vector */
    if (fits)
      ritti_say(s->reader, c->first, "use vectors of the same length",
                "the arguments of '%s' do not go together: %s and %s", name,
                ritti_shape_words(s->reader, v[0].shape), ritti_shape_words(s->reader, v[i].shape));
    else
      ritti_say(s->reader, c->first,
                three ? "write cross([a, b, c], [u, v, w])" : "write a vector: [a, b, c]",
                "the function '%s' takes vectors%s, not %s", name, three ? " of 3" : "",
                ritti_shape_words(s->reader, v[i].shape));
    return NULL;
  }
  return v;
}

/* The scalar product of two vectors. */
static ritti_expr multiply_dot(ritti_resolver *s, ritti_value a, ritti_value b) {
  ritti_expr *term = ritti_elements_new(s, a.shape->size);
  if (!term) return RITTI_NIL;
  for (size_t i = 0; i < a.shape->size; i++) term[i] = ritti_multiply(s->dag, a.at[i], b.at[i]);
  return ritti_sum(s->dag, term, a.shape->size);
}

/* The vector product of two vectors of length 3. */
static ritti_value multiply_cross(ritti_resolver *s, ritti_value a, ritti_value b) {
  ritti_expr *at = ritti_elements_new(s, 3);
  if (!at) return ritti_failure();
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    at[i] = ritti_subtract(s->dag, ritti_multiply(s->dag, a.at[j], b.at[k]),
                           ritti_multiply(s->dag, a.at[k], b.at[j]));
  }
  return (ritti_value){.shape = ritti_shape_new(s, 1, (int64_t[]){3}), .at = at};
}

/* Checks that a call has from `least` to `most` arguments. false: a mistake was reported. */
static bool check_arguments(ritti_resolver *s, const ritti_node *n, int least, int most) {
  static const char *const words[] = {"no", "one", "two"};
  if (n->count >= least && n->count <= most) return true;
  const char *name = ritti_quote(s->reader, n->at);
  const char *hint = ritti_words(s->reader, "write %s(a, b)", name);
  if (least == 1) hint = ritti_words(s->reader, "write %s(a)", name);
  if (!strcmp(name, "der")) hint = "write der(x, 2) for x''";
  if (!strcmp(name, "log")) hint = "write log10(a), log2(a) or log(a)/log(b)";

  /* "takes one argument", "takes at most two arguments" */
  bool many = n->count > most;
  int limit = many ? most : least;
  const char *bound = "";
  if (most != least) bound = many ? "at most " : "at least ";
  ritti_say(s->reader, n->at, hint, "the function '%s' takes %s%s argument%s, not %d", name, bound,
            words[limit], limit == 1 ? "" : "s", n->count);
  return false;
}

/* Does the name occur in the text of the expression? */
static bool mentions_name(ritti_resolver *s, const ritti_node *n, const char *name) {
  for (uint32_t i = n->first; i < n->end; i++)
    if (ritti_token_is(s->reader, i, name)) return true;
  return false;
}

/* Reports a name before a parenthesis that is not a function. */
static ritti_value not_a_function(ritti_resolver *s, const ritti_node *n,
                                  const ritti_scope *scope) {
  ritti_reader *r = s->reader;
  const char *name = ritti_quote(r, n->at);
  ritti_symbol *y = ritti_find_symbol(s, n->at);

  /* mistakes in the arguments are reported too */
  for (const ritti_node *c = n->child; c; c = c->next) (void)ritti_resolve_value(s, c, scope);
  if (y && y->kind == Y_BROKEN) return ritti_failure();

  /* a name with another meaning: x(t), or a product without '*' */
  if (y) {
    bool of_t = n->count == 1 && n->child->kind == N_NAME && y->kind == Y_VARIABLE &&
                ritti_token_is(r, n->child->at, s->model->independent);
    const char *hint = of_t ? ritti_words(r, "write %s alone: every variable depends on '%s'", name,
                                          s->model->independent)
                            : ritti_words(r, "there is no implicit product: write %s*(...)", name);
    if (n->count == 1 && n->child->kind == N_NUMBER && y->kind == Y_VARIABLE)
      hint = ritti_words(r, "a start value is written '%s = ...' under 'start', a product %s*(...)",
                         name, name);
    if (!of_t && y->kind == Y_VARIABLE && mentions_name(s, n, s->model->independent))
      hint = ritti_words(r, "values at other times cannot be used; a product is %s*(...)", name);
    if (y->shape) hint = ritti_words(r, "an element is written %s[1]", name);
    ritti_say(r, n->at, hint, "'%s' is %s, not a function", name, ritti_kind_words[y->kind]);
    return ritti_failure();
  }

  /* an unknown function */
  if (s->syntax && s->syntax->any_name) return ritti_failure();
  const char *hint = ritti_foreign_hint(name), *near = hint ? NULL : nearest_function(s, name);
  if (near) hint = ritti_did_you_mean(r, near);
  if (!hint) hint = function_list(s);
  ritti_tell_unknown(s, n->at, ritti_words(r, "%s(", name), hint,
                     ritti_words(r, "there is no function '%s'", name));
  return ritti_failure();
}

/* Calls a function that is given by a table. With two arguments it is the sum of products of functions
 * of the first argument and functions of the second one. */
static ritti_value call_table(ritti_resolver *s, const ritti_node *n, const ritti_symbol *y,
                              const ritti_scope *scope) {
  int wanted = y->tables ? 2 : 1;
  if (n->count != wanted) {
    ritti_say(s->reader, n->at,
              ritti_words(s->reader, y->tables ? "write %s(%s, y)" : "write %s(%s)", y->name,
                          s->model->independent),
              "the function '%s' takes %s, not %d", y->name,
              y->tables ? "two arguments" : "one argument", n->count);
    return ritti_failure();
  }
  ritti_expr *u = ritti_resolve_numbers(s, n, scope);
  if (!u || y->table == 0) return ritti_failure();
  int first = y->table - 1;
  if (!y->tables) return ritti_scalar(ritti_table_at(s->dag, first, 0, RITTI_TABLE_ANY, u[0]));

  ritti_expr *term = ritti_elements_new(s, (size_t)y->tables);
  if (!term) return ritti_failure();
  for (int j = 0; j < y->tables; j++) {
    ritti_expr along = ritti_table_at(s->dag, first + j, 0, RITTI_TABLE_ANY, u[0]);
    ritti_expr across = ritti_table_at(s->dag, first + y->tables + j, 0, RITTI_TABLE_ANY, u[1]);
    term[j] = ritti_multiply(s->dag, along, across);
  }
  return ritti_scalar(ritti_sum(s->dag, term, (size_t)y->tables));
}

/* Calls a function that the model defines: resolves its body with the arguments bound. */
static ritti_value call_function(ritti_resolver *s, const ritti_node *n, ritti_symbol *y,
                                 const ritti_scope *scope) {
  bool arrays;
  int count = 0;

  /* the number of arguments */
  for (const ritti_node *a = y->line->arguments; a && !a->child; a = a->next) count++;
  if (n->count != count) {
    ritti_say(
        s->reader, n->at,
        ritti_words(s->reader, "it is defined in %s", ritti_line_words(s->reader, y->token, n->at)),
        "the function '%s' takes %d argument%s, not %d", y->name, count, count == 1 ? "" : "s",
        n->count);
    return ritti_failure();
  }

  /* the values of the arguments */
  ritti_value *value = ritti_resolve_children(s, n, scope, &arrays);
  if (!value) return ritti_failure();
  bool circular = y->open || s->call_depth >= RITTI_CALL_DEPTH;
  if (circular) return ritti_failure(); /* reported where the function is defined */
  if (!ritti_expand(s, n->at, RITTI_CALL_COST, "")) return ritti_failure();

  /* the arguments and local names are bound; the body sees no other bindings */
  size_t bound = s->bound.count, floor = s->floor;
  ritti_scope inside = *scope;
  inside.inside = y->name;
  s->floor = bound;
  y->open = true;
  s->call_depth++;
  int i = 0;
  bool whole = true;
  for (const ritti_node *a = y->line->arguments; a && whole; a = a->next) {
    ritti_value one = a->child ? ritti_resolve_value(s, a->child, &inside) : value[i++];
    whole = !ritti_failed(one);
    if (whole && RITTI_PUSH(s->bound, (ritti_binding){.token = a->at, .value = one}) != RITT_OK)
      s->reader->status = RITT_NO_MEMORY;
  }

  /* resolve the body */
  whole = whole && s->reader->status == RITT_OK;
  ritti_value v = whole ? ritti_resolve_value(s, y->line->right, &inside) : ritti_failure();

  /* restore the state around the call */
  s->call_depth--;
  y->open = false;
  s->bound.count = bound;
  s->floor = floor;
  return v;
}

/* Resolves dot, cross and norm. */
static ritti_value resolve_vectors(ritti_resolver *s, const ritti_node *n,
                                   const ritti_scope *scope) {
  bool norm = ritti_token_is(s->reader, n->at, "norm");
  bool product = ritti_token_is(s->reader, n->at, "cross");
  int count = norm ? 1 : 2;
  if (!check_arguments(s, n, count, count)) return ritti_failure();
  ritti_value *v = resolve_arguments(s, n, scope, product);
  if (!v) return ritti_failure();

  if (product) return multiply_cross(s, v[0], v[1]);
  if (!norm) return ritti_scalar(multiply_dot(s, v[0], v[1]));
  return ritti_scalar(ritti_power(s->dag, multiply_dot(s, v[0], v[0]), ritti_number(s->dag, 1, 2)));
}

ritti_value ritti_resolve_call(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  const ritti_reader *r = s->reader;

  /* functions that are not operators of the DAG */
  if (ritti_token_is(r, n->at, "der"))
    return check_arguments(s, n, 1, 2) ? resolve_der(s, n, scope) : ritti_failure();
  if (ritti_token_is(r, n->at, "smooth"))
    return check_arguments(s, n, 1, 1) ? resolve_smooth(s, n, scope) : ritti_failure();
  if (ritti_token_is(r, n->at, "sqrt"))
    return ritti_scalar(check_arguments(s, n, 1, 1) ? apply_operator(s, n, RITTI_POWER, scope)
                                                    : RITTI_NIL);
  if (ritti_token_is(r, n->at, "mod"))
    return ritti_scalar(check_arguments(s, n, 2, 2) ? resolve_mod(s, n, scope) : RITTI_NIL);
  if (ritti_token_is(r, n->at, "dot") || ritti_token_is(r, n->at, "cross") ||
      ritti_token_is(r, n->at, "norm"))
    return resolve_vectors(s, n, scope);

  /* functions that are */
  for (int op = 0; op < RITTI_OP_COUNT; op++) {
    if (ritti_op_call[op] == RITTI_HIDDEN || !ritti_token_is(r, n->at, ritti_op_text[op])) continue;
    int least = ritti_op_arguments[op];
    int most = ritti_op_call[op] == RITTI_CALLED_WITH_MORE ? INT32_MAX : least;
    if (!check_arguments(s, n, least, most)) return ritti_failure();
    return ritti_scalar(apply_operator(s, n, (ritti_op)op, scope));
  }

  /* functions of the model, then reaction(x) and momentum(x) */
  ritti_symbol *y = ritti_find_symbol(s, n->at);
  if (y && y->kind == Y_FUNCTION && y->line && !y->line->right) return call_table(s, n, y, scope);
  if (y && y->kind == Y_FUNCTION && y->line) return call_function(s, n, y, scope);
  if (!y && ritti_is_mechanical(s, n)) return ritti_resolve_mechanical(s, n, scope);
  return not_a_function(s, n, scope);
}
