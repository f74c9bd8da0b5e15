/* Syntax tree -> DAG: names bound, functions applied, derivatives taken, constants that have no value
 * refused.
 *
 * All mistakes of an expression are told, not only the first; its value is then RITTI_NIL. An unknown name is
 * told once, where it is used first in the file.
 */
#include <inttypes.h>
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
/* The others. */
static const char *const further[] = {"sqrt", "mod", "dot", "cross", "norm", "der", "sum", "prod"};
enum { FURTHER = sizeof further / sizeof *further };

bool ritti_is_function(const char *name) {
  for (int i = 0; i < FUNCTIONS; i++)
    if (!strcmp(ritti_op_text[functions[i]], name)) return true;
  for (int i = 0; i < FURTHER; i++)
    if (!strcmp(further[i], name)) return true;
  return false;
}

static const char *nearest_function(ritti_resolver *s, const char *name) {
  const char *names[FUNCTIONS + FURTHER];
  for (int i = 0; i < FUNCTIONS; i++) names[i] = ritti_op_text[functions[i]];
  for (int i = 0; i < FURTHER; i++) names[FUNCTIONS + i] = further[i];
  const char *own = ritti_nearest_name(s, name, Y_FUNCTION);
  return own ? own : ritti_nearest(name, names, FUNCTIONS + FURTHER);
}

static const char *function_list(ritti_resolver *s) {
  const char *list = "the functions are sqrt";
  for (int i = 0; i < FUNCTIONS; i++)
    list = ritti_words(s->reader, "%s %s", list, ritti_op_text[functions[i]]);
  return ritti_words(s->reader, "%s mod dot cross norm", list);
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
  if (ritti_is_function(name)) {
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

ritti_symbol *ritti_find_symbol(ritti_resolver *s, uint32_t token) {
  const ritti_token *t = ritti_token_at(s->reader, token);
  return ritti_symbols_find(&s->names, s->reader->text + t->start, t->length);
}

static const char *const kind_words[] = {[Y_PARAMETER] = "a parameter",
                                         [Y_VARIABLE] = "a variable",
                                         [Y_LET] = "a name of 'let'",
                                         [Y_FUNCTION] = "a function",
                                         [Y_INDEPENDENT] = "the independent variable"};

ritti_value ritti_resolve_variables(ritti_resolver *s, const ritti_node *n) {
  const ritti_symbol *y = ritti_find_symbol(s, n->at);
  if (y && y->kind == Y_VARIABLE) return ritti_resolve_value(s, n, &ritti_anything);
  if (!y) ritti_unknown(s, n->at);
  else if (y->kind != Y_BROKEN)
    ritti_say(s->reader, n->at, "write the name of a variable", "'%s' is %s, not a variable", y->name,
              kind_words[y->kind]);
  return ritti_scalar(RITTI_NIL);
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

/* The same of every element. */
static ritti_value derivative(ritti_resolver *s, ritti_value v, int k, uint32_t token) {
  if (k == 0 || ritti_failed(v)) return v;
  if (!v.shape) return ritti_scalar(differentiate(s, v.one, k, token));
  ritti_expr *at = ritti_elements_new(s, v.shape->size);
  bool whole = at != NULL;
  for (size_t i = 0; i < v.shape->size && whole; i++)
    whole = (at[i] = differentiate(s, v.at[i], k, token)) != RITTI_NIL;
  return whole ? (ritti_value){.shape = v.shape, .at = at} : ritti_scalar(RITTI_NIL);
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

static ritti_value told(void) { return ritti_scalar(RITTI_NIL); }

static bool by_value(const ritti_scope *scope) { return scope->kind == SCOPE_PARAMETER || scope->exact; }

/* The value that element i of a parameter, a let or an output has, found now if need be; RITTI_NIL: told */
static ritti_expr known_value(ritti_resolver *s, ritti_symbol *y, size_t i) {
  if (!y->shape) return y->expr;
  if (!y->at) return RITTI_NIL;
  return y->open ? ritti_define_element(s, y, i) : y->at[i];
}

static ritti_expr let_value(ritti_resolver *s, ritti_symbol *y, size_t i, int primes, uint32_t token,
                            const ritti_scope *scope) {
  if (scope->kind == SCOPE_PARAMETER) {
    ritti_say(s->reader, token, ritti_words(s->reader, "make '%s' a parameter", y->name),
              "%s depends on '%s', which is defined by 'let'", scope->subject, y->name);
    return RITTI_NIL;
  }
  ritti_expr e = known_value(s, y, i);
  if (e == RITTI_NIL) return RITTI_NIL;
  if (!is_open(scope) && is_moving(s, e)) return not_constant(s, token, scope, "the variables in");
  return differentiate(s, e, primes, token);
}

/* The value of element i of a name (of the name itself where it is no array) with so many primes. */
static ritti_expr element_value(ritti_resolver *s, ritti_symbol *y, size_t i, int primes, uint32_t token,
                                const ritti_scope *scope) {
  switch (y->kind) {
  case Y_PARAMETER:
    if (primes > 0) {
      ritti_say(s->reader, token, "leave the prime out, or make it a variable",
                "the parameter '%s' is constant and has no derivative", y->name);
      return RITTI_NIL;
    }
    return by_value(scope) ? known_value(s, y, i) : ritti_parameter(s->dag, y->index + (int)i);
  case Y_VARIABLE:
    if (!is_open(scope)) return not_constant(s, token, scope, "the variable");
    return ritti_jet(s->dag, y->index + (int)i, primes);
  case Y_INDEPENDENT:
    if (!is_open(scope)) return not_constant(s, token, scope, "the independent variable");
    return primes == 0 ? ritti_independent(s->dag) : ritti_number(s->dag, primes == 1, 1);
  case Y_LET:
  case Y_OUTPUT: return let_value(s, y, i, primes, token, scope);
  case Y_FUNCTION:
    ritti_say(s->reader, token, ritti_words(s->reader, "write %s(...)", y->name),
              "'%s' is a function and needs an argument", y->name);
    return RITTI_NIL;
  default: return RITTI_NIL;
  }
}

/* The symbol of a name; NULL: unknown, told */
static ritti_symbol *symbol_of(ritti_resolver *s, uint32_t token, const ritti_scope *scope) {
  ritti_symbol *y = ritti_find_symbol(s, token);
  const ritti_token *t = ritti_token_at(s->reader, token);
  if (!y && scope->kind == SCOPE_PLOT)
    y = ritti_symbols_find(&s->columns, s->reader->text + t->start, t->length);
  if (!y) ritti_unknown(s, token);
  return y;
}

static ritti_value bound_value(ritti_resolver *s, const ritti_binding *b, int primes, uint32_t token) {
  if (!b->index) return derivative(s, b->value, primes, token);
  if (primes == 0) return ritti_scalar(ritti_number(s->dag, b->number, 1));
  ritti_say(s->reader, token, "leave the prime out", "the index '%s' is a number and has no derivative",
            ritti_quote(s->reader, token));
  return told();
}

/* All elements of an array. */
static ritti_value whole_array(ritti_resolver *s, ritti_symbol *y, int primes, uint32_t token,
                               const ritti_scope *scope) {
  const char *what = ritti_words(s->reader, "the number of elements of '%s' is", y->name);
  if (!ritti_expand(s, token, y->shape->size, what)) return told();
  ritti_expr *at = ritti_elements_new(s, y->shape->size);
  bool whole = at != NULL;
  for (size_t i = 0; i < y->shape->size && whole; i++)
    whole = (at[i] = element_value(s, y, i, primes, token, scope)) != RITTI_NIL;
  return whole ? (ritti_value){.shape = y->shape, .at = at} : told();
}

/* What a function does not see: told where it is defined. */
static bool is_outside(const ritti_symbol *y, const ritti_scope *scope) {
  return scope->inside && (y->kind == Y_VARIABLE || y->kind == Y_LET);
}

/* The value of a name with so many primes. */
static ritti_value name_value(ritti_resolver *s, uint32_t token, int primes, const ritti_scope *scope) {
  const ritti_binding *b = ritti_find_binding(s, token);
  if (primes > RITTI_DERIVATIVE_LIMIT) {
    too_many_derivatives(s, token);
    return told();
  }
  if (b) return bound_value(s, b, primes, token);
  ritti_symbol *y = symbol_of(s, token, scope);
  if (!y || y->kind == Y_BROKEN || is_outside(y, scope)) return told();
  if (y->line && y->line->ranges && !y->shape) return told(); /* its shape has a mistake that is told */
  if (y->shape) return whole_array(s, y, primes, token, scope);
  return ritti_scalar(element_value(s, y, 0, primes, token, scope));
}

/* ---- elements and slices ------------------------------------------------------------------------------- */

typedef struct selection {
  int64_t from[RITTI_RANK_LIMIT], count[RITTI_RANK_LIMIT]; /* from 0; each direction */
  bool range[RITTI_RANK_LIMIT];
  int ranges;
  size_t size;
} selection;

/* Tells that an index, or a range of them, is outside. */
static void outside(ritti_resolver *s, const ritti_node *n, const ritti_shape *shape, int k, const char *name,
                    int64_t from, int64_t to) {
  static const char *const which[] = {"first ", "second ", "third ", "fourth "};
  const char *order = shape->rank > 1 ? which[k] : "";
  const char *value = n->kind == N_RANGE ? ritti_words(s->reader, "range %" PRId64 "..%" PRId64, from, to)
                                         : ritti_words(s->reader, "index %" PRId64, from);
  const char *of = *name ? ritti_words(s->reader, " of '%s'", name) : "";
  ritti_say(s->reader, n->first, "make the range of the index, or the array, fit",
            "the %s%s%s is outside %" PRId64 "..%" PRId64 "%s", order, value, of, shape->low[k],
            shape->low[k] + shape->count[k] - 1, ritti_where(s));
}

/* The indices of node n in an array of that shape; false: told */
static bool select_indices(ritti_resolver *s, const ritti_node *n, const ritti_shape *shape, const char *name,
                           selection *out) {
  *out = (selection){.size = 1};
  if (n->count - 1 != shape->rank) {
    static const char *const example[] = {"i", "i, j", "i, j, k", "i, j, k, l"};
    const char *array = *name ? ritti_words(s->reader, "'%s'", name) : "the array";
    ritti_say(s->reader, n->at, ritti_words(s->reader, "write %s[%s]", name, example[shape->rank - 1]),
              "%s has %d %s, not %d", array, shape->rank, shape->rank == 1 ? "index" : "indices",
              n->count - 1);
    return false;
  }
  bool whole = true;
  int k = 0;
  for (const ritti_node *c = n->child->next; c; c = c->next, k++) {
    int64_t from, to;
    bool range = c->kind == N_RANGE;
    if (range ? !ritti_range_ends(s, c, &from, &to) : !ritti_whole_number(s, c, "the index", &from)) {
      whole = false;
      continue;
    }
    if (!range) to = from;
    bool inside = from >= shape->low[k] && to < shape->low[k] + shape->count[k];
    if (!inside && to >= from) outside(s, c, shape, k, name, from, to), whole = false;
    out->from[k] = from - shape->low[k];
    out->count[k] = to - from + 1;
    out->range[k] = range;
    out->ranges += range;
    out->size *= (size_t)(to - from + 1);
  }
  return whole;
}

/* The place of element i of a selection. */
static size_t selected(const selection *sel, const ritti_shape *shape, size_t i) {
  size_t place = 0, step = 1;
  for (int k = shape->rank - 1; k >= 0; k--) {
    size_t count = (size_t)sel->count[k];
    place += step * ((size_t)sel->from[k] + i % count);
    i /= count;
    step *= (size_t)shape->count[k];
  }
  return place;
}

static const ritti_shape *selection_shape(ritti_resolver *s, const selection *sel, int rank) {
  int64_t count[RITTI_RANK_LIMIT];
  int n = 0;
  for (int k = 0; k < rank; k++)
    if (sel->range[k]) count[n++] = sel->count[k];
  return ritti_shape_new(s, n, count);
}

/* name[...] where the name is that of an array */
static ritti_value indexed_name(ritti_resolver *s, const ritti_node *n, ritti_symbol *y, int primes,
                                const ritti_scope *scope) {
  selection sel;
  if (!select_indices(s, n, y->shape, y->name, &sel)) return told();
  if (sel.ranges == 0)
    return ritti_scalar(element_value(s, y, selected(&sel, y->shape, 0), primes, n->at, scope));
  if (!ritti_expand(s, n->at, sel.size, "the number of elements is")) return told();
  const ritti_shape *shape = selection_shape(s, &sel, y->shape->rank);
  ritti_expr *at = ritti_elements_new(s, sel.size);
  bool whole = shape && at;
  for (size_t i = 0; i < sel.size && whole; i++)
    whole = (at[i] = element_value(s, y, selected(&sel, y->shape, i), primes, n->at, scope)) != RITTI_NIL;
  return whole ? (ritti_value){.shape = shape, .at = at} : told();
}

/* value[...] */
static ritti_value indexed_value(ritti_resolver *s, const ritti_node *n, ritti_value v) {
  selection sel;
  if (ritti_failed(v)) return v;
  bool named = n->child->kind == N_NAME;
  if (!v.shape) {
    const char *what = named ? ritti_words(s->reader, "'%s'", ritti_quote(s->reader, n->at)) : "this";
    ritti_say(s->reader, n->at, "leave the index out, or declare an array",
              "%s is a number and has no elements", what);
    return told();
  }
  if (!select_indices(s, n, v.shape, named ? ritti_quote(s->reader, n->at) : "", &sel)) return told();
  if (sel.ranges == 0) return ritti_scalar(v.at[selected(&sel, v.shape, 0)]);
  const ritti_shape *shape = selection_shape(s, &sel, v.shape->rank);
  ritti_expr *at = ritti_elements_new(s, sel.size);
  if (!shape || !at) return told();
  for (size_t i = 0; i < sel.size; i++) at[i] = v.at[selected(&sel, v.shape, i)];
  return (ritti_value){.shape = shape, .at = at};
}

/* An element of a column that a family of outputs made: its name has the index in it. NULL: none */
static ritti_symbol *column_element(ritti_resolver *s, const ritti_node *n) {
  const char *key = ritti_shown(s, s->reader->scratch, n, false);
  return ritti_symbols_find(&s->columns, key, strlen(key));
}

static ritti_value resolve_index(ritti_resolver *s, const ritti_node *n, int primes,
                                 const ritti_scope *scope) {
  const ritti_node *base = n->child;
  if (primes > RITTI_DERIVATIVE_LIMIT) {
    too_many_derivatives(s, n->at);
    return told();
  }
  if (base->kind != N_NAME || ritti_find_binding(s, base->at))
    return derivative(s, indexed_value(s, n, ritti_resolve_value(s, base, scope)), primes, n->at);
  ritti_symbol *y = ritti_find_symbol(s, base->at);
  if (!y && scope->kind == SCOPE_PLOT && (y = column_element(s, n)))
    return ritti_scalar(element_value(s, y, 0, primes, n->at, scope));
  y = symbol_of(s, base->at, scope);
  if (!y || y->kind == Y_BROKEN || is_outside(y, scope)) return told();
  if (y->line && y->line->ranges && !y->shape) return told();
  if (y->shape) return indexed_name(s, n, y, primes, scope);
  if ((y->kind == Y_LET || y->kind == Y_PARAMETER) && y->expr == RITTI_NIL) return told();
  ritti_say(s->reader, n->at,
            y->kind == Y_VARIABLE ? ritti_words(s->reader, "declare an array: 'variable %s[1..n]'", y->name)
                                  : "leave the index out, or declare an array",
            "'%s' is one number and has no elements", y->name);
  return told();
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
  if (!s->number)
    s->number = ritti_arena_alloc(s->reader->scratch, s->reader->tokens.count, sizeof *s->number);
  if (!s->number) s->reader->status = RITT_NO_MEMORY;
  else if (s->number[n->at]) return s->number[n->at];
  mpq_t value;
  mpq_init(value);
  const char *wrong = ritti_number_read(s->reader->text + t->start, t->length, value);
  ritti_expr e = wrong ? RITTI_NIL : ritti_rational(s->dag, value);
  if (wrong)
    ritti_say(s->reader, n->at, range_hint(wrong), "the number '%s' %s", ritti_quote(s->reader, n->at),
              wrong);
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

/* The children, resolved; NULL where one of them failed (all are tried). Until the statement is resolved. */
static ritti_value *children(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope, bool *arrays) {
  ritti_value *value = ritti_arena_alloc(s->values, (size_t)n->count, sizeof *value);
  if (!value) {
    s->reader->status = RITT_NO_MEMORY;
    return NULL;
  }
  bool whole = true;
  int i = 0;
  *arrays = false;
  for (const ritti_node *c = n->child; c; c = c->next, i++) {
    value[i] = ritti_resolve_value(s, c, scope);
    whole &= !ritti_failed(value[i]);
    *arrays |= value[i].shape != NULL;
  }
  return whole ? value : NULL;
}

/* The same where all must be numbers. */
static ritti_expr *numbers(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  bool arrays;
  ritti_value *value = children(s, n, scope, &arrays);
  ritti_expr *e = value ? ritti_elements_new(s, (size_t)n->count) : NULL;
  int i = 0;
  for (const ritti_node *c = n->child; e && c; c = c->next, i++) {
    e[i] = value[i].one;
    if (!value[i].shape) continue;
    const char *what = ritti_shape_words(s->reader, value[i].shape);
    if (n->kind == N_CALL)
      ritti_say(s->reader, c->first, "apply it to the elements, such as x[1]",
                "the function '%s' takes a number, not %s", ritti_quote(s->reader, n->at), what);
    else
      ritti_say(s->reader, n->at, "write the power of each element, such as x[1]^2",
                "'^' takes numbers, not %s", what);
    return NULL;
  }
  return e;
}

static bool has_sign(const ritti_resolver *s, const ritti_node *n, ritti_token_kind kind) {
  return n->sign != NO_TOKEN && ritti_token_at(s->reader, n->sign)->kind == kind;
}

/* Terms that are arrays, all of one shape. */
static ritti_value array_sum(ritti_resolver *s, const ritti_node *n, const ritti_value *term) {
  const ritti_shape *shape = term[0].shape;
  int k = 1;
  for (const ritti_node *c = n->child->next; c; c = c->next, k++) {
    if (ritti_same_shape(term[k].shape, shape)) continue;
    const char *sign = ritti_quote(s->reader, c->sign), *a = ritti_shape_words(s->reader, shape);
    ritti_say(s->reader, c->sign, "both sides of it must have the same shape",
              "%s and %s do not go together at '%s'%s", a, ritti_shape_words(s->reader, term[k].shape), sign,
              ritti_where(s));
    return told();
  }
  ritti_expr *at = ritti_elements_new(s, shape->size), *one = ritti_elements_new(s, (size_t)n->count);
  for (size_t i = 0; at && one && i < shape->size; i++) {
    k = 0;
    for (const ritti_node *c = n->child; c; c = c->next, k++)
      one[k] = has_sign(s, c, T_MINUS) ? ritti_negate(s->dag, term[k].at[i]) : term[k].at[i];
    at[i] = checked(s, ritti_sum(s->dag, one, (size_t)n->count), n->at);
    if (at[i] == RITTI_NIL) return told();
  }
  return at && one ? (ritti_value){.shape = shape, .at = at} : told();
}

static ritti_value resolve_sum(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  bool arrays;
  ritti_value *value = children(s, n, scope, &arrays);
  if (!value) return told();
  if (arrays) return array_sum(s, n, value);
  ritti_expr *term = ritti_elements_new(s, (size_t)n->count);
  if (!term) return told();
  int i = 0;
  for (const ritti_node *c = n->child; c; c = c->next, i++)
    term[i] = has_sign(s, c, T_MINUS) ? ritti_negate(s->dag, value[i].one) : value[i].one;
  return ritti_scalar(checked(s, ritti_sum(s->dag, term, (size_t)n->count), n->at));
}

/* matrix times vector or matrix */
static ritti_value matrix_product(ritti_resolver *s, ritti_value a, ritti_value b, uint32_t sign) {
  int64_t count[2] = {a.shape->count[0], b.shape->rank == 2 ? b.shape->count[1] : 1};
  size_t inner = (size_t)a.shape->count[1], columns = (size_t)count[1];
  if (!ritti_expand(s, sign, (uint64_t)count[0] * columns * inner, "the number of products is"))
    return told();
  const ritti_shape *shape = ritti_shape_new(s, b.shape->rank, count);
  ritti_expr *term = ritti_elements_new(s, inner), *at = shape ? ritti_elements_new(s, shape->size) : NULL;
  if (!term || !at) return told();
  for (size_t i = 0; i < (size_t)count[0]; i++)
    for (size_t j = 0; j < columns; j++) {
      for (size_t k = 0; k < inner; k++)
        term[k] = ritti_multiply(s->dag, a.at[i * inner + k], b.at[k * columns + j]);
      at[i * columns + j] = ritti_sum(s->dag, term, inner);
    }
  return (ritti_value){.shape = shape, .at = at};
}

/* a * b where both are arrays; `sign` is the token between them. */
static ritti_value array_product(ritti_resolver *s, ritti_value a, ritti_value b, uint32_t sign) {
  ritti_reader *r = s->reader;
  bool fits = a.shape->rank == 2 && b.shape->rank <= 2 && a.shape->count[1] == b.shape->count[0];
  if (fits) return matrix_product(s, a, b, sign);
  const char *x = ritti_shape_words(r, a.shape), *y = ritti_shape_words(r, b.shape);
  if (a.shape->rank == 1 && b.shape->rank == 1)
    ritti_say(r, sign, "write dot(a, b), or cross(a, b), or a family for the products of the elements",
              "two vectors have no product '*'");
  else
    ritti_say(r, sign, "the columns of the matrix on the left are as many as the rows on the right",
              "%s times %s is not defined%s", x, y, ritti_where(s));
  return told();
}

/* Numbers and arrays: the arrays from left to right, times all the numbers. */
static ritti_value mixed_product(ritti_resolver *s, const ritti_node *n, const ritti_value *value) {
  ritti_expr *factor = ritti_elements_new(s, (size_t)n->count), inverse = ritti_number(s->dag, -1, 1);
  ritti_value array = {0};
  size_t count = 1; /* factor[0] is the element */
  int i = 0;
  if (!factor) return told();
  for (const ritti_node *c = n->child; c; c = c->next, i++) {
    bool over = has_sign(s, c, T_OVER);
    if (!value[i].shape) {
      factor[count++] = over ? ritti_power(s->dag, value[i].one, inverse) : value[i].one;
      continue;
    }
    if (over) {
      ritti_say(s->reader, c->sign, "divide by a number, or write a family for the elements",
                "nothing can be divided by %s", ritti_shape_words(s->reader, value[i].shape));
      return told();
    }
    array = array.shape ? array_product(s, array, value[i], c->sign) : value[i];
    if (ritti_failed(array)) return array;
  }
  ritti_expr *at = ritti_elements_new(s, array.shape->size);
  for (size_t k = 0; at && k < array.shape->size; k++) {
    factor[0] = array.at[k];
    at[k] = checked(s, ritti_product(s->dag, factor, count), n->at);
    if (at[k] == RITTI_NIL) return told();
  }
  return at ? (ritti_value){.shape = array.shape, .at = at} : told();
}

static ritti_value resolve_product(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  bool arrays;
  ritti_value *value = children(s, n, scope, &arrays);
  ritti_expr *factor = value ? ritti_elements_new(s, (size_t)n->count) : NULL;
  ritti_expr inverse = ritti_number(s->dag, -1, 1);
  if (!factor) return told();
  int i = 0;
  for (const ritti_node *c = n->child; c; c = c->next, i++) {
    bool over = has_sign(s, c, T_OVER);
    if (over && !value[i].shape && ritti_is_zero(s->dag, value[i].one)) {
      ritti_say(s->reader, c->sign, NULL, "this divides by zero%s", ritti_where(s));
      return told();
    }
    if (!arrays) factor[i] = over ? ritti_power(s->dag, value[i].one, inverse) : value[i].one;
  }
  if (arrays) return mixed_product(s, n, value);
  return ritti_scalar(checked(s, ritti_product(s->dag, factor, (size_t)n->count), n->at));
}

static ritti_value resolve_negate(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  ritti_value v = ritti_resolve_value(s, n->child, scope);
  if (ritti_failed(v)) return v;
  if (!v.shape) return ritti_scalar(ritti_negate(s->dag, v.one));
  ritti_expr *at = ritti_elements_new(s, v.shape->size);
  for (size_t i = 0; at && i < v.shape->size; i++) at[i] = ritti_negate(s->dag, v.at[i]);
  return at ? (ritti_value){.shape = v.shape, .at = at} : told();
}

static ritti_value resolve_power(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  ritti_expr *value = numbers(s, n, scope);
  if (!value || !check_power(s, value[0], value[1], n->at)) return told();
  return ritti_scalar(checked(s, ritti_power(s->dag, value[0], value[1]), n->at));
}

/* The derivative of order k of what node e stands for; names and elements have their own. */
static ritti_value resolve_derivative(ritti_resolver *s, const ritti_node *e, int k, uint32_t token,
                                      const ritti_scope *scope) {
  if (e->kind == N_NAME) return name_value(s, e->at, k, scope);
  if (e->kind == N_INDEX) return resolve_index(s, e, k, scope);
  return derivative(s, ritti_resolve_value(s, e, scope), k, token);
}

/* ---- arrays as they are written ------------------------------------------------------------------------ */

/* [a, b, ...]: a vector of numbers, or arrays of one shape above each other */
static ritti_value resolve_list(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  bool arrays;
  ritti_value *value = children(s, n, scope, &arrays);
  if (!value) return told();
  int64_t count[RITTI_RANK_LIMIT + 1] = {n->count};
  int rank = 1, k = 0;
  for (const ritti_node *c = n->child; c; c = c->next, k++)
    if (!ritti_same_shape(value[k].shape, value[0].shape)) {
      ritti_say(s->reader, c->first, "give all elements the same shape",
                "the elements of the array do not go together: %s and %s",
                ritti_shape_words(s->reader, value[0].shape), ritti_shape_words(s->reader, value[k].shape));
      return told();
    }
  for (int i = 0; arrays && i < value[0].shape->rank; i++) count[rank++] = value[0].shape->count[i];
  if (rank > RITTI_RANK_LIMIT) {
    ritti_say(s->reader, n->at, "use fewer", "an array has at most %d indices", RITTI_RANK_LIMIT);
    return told();
  }
  const ritti_shape *shape = ritti_shape_new(s, rank, count);
  ritti_expr *at = shape ? ritti_elements_new(s, shape->size) : NULL;
  if (!at) return told();
  size_t each = shape->size / (size_t)n->count;
  for (size_t i = 0; i < shape->size; i++) at[i] = ritti_element(value[i / each], i % each);
  return (ritti_value){.shape = shape, .at = at};
}

/* The terms of sum(...) or the factors of prod(...) */
typedef struct terms {
  const ritti_node *node;
  const ritti_scope *scope;
  const ritti_shape *shape; /* of all of them */
  RITTI_ARRAY(ritti_expr) list;
  size_t count;
  bool product;
} terms;

static bool add_term(ritti_resolver *s, void *context) {
  terms *t = context;
  ritti_value v = ritti_resolve_value(s, t->node->last, t->scope);
  if (ritti_failed(v)) return false;
  if (t->count++ == 0) t->shape = v.shape;
  if (!ritti_same_shape(v.shape, t->shape) || (v.shape && t->product)) {
    const char *what = ritti_shape_words(s->reader, v.shape);
    if (t->product)
      ritti_say(s->reader, t->node->last->first, "take the product of numbers",
                "the factors of 'prod' are numbers, not %s", what);
    else
      ritti_say(s->reader, t->node->last->first, "give all terms the same shape",
                "the terms of 'sum' do not go together: %s and %s%s", ritti_shape_words(s->reader, t->shape),
                what, ritti_where(s));
    return false;
  }
  for (size_t i = 0; i < ritti_value_count(v); i++)
    if (RITTI_PUSH(t->list, ritti_element(v, i)) != RITT_OK) s->reader->status = RITT_NO_MEMORY;
  return s->reader->status == RITT_OK;
}

static ritti_value finish_terms(ritti_resolver *s, const ritti_node *n, const terms *t) {
  if (!t->shape)
    return ritti_scalar(checked(s,
                                t->product ? ritti_product(s->dag, t->list.at, t->list.count)
                                           : ritti_sum(s->dag, t->list.at, t->list.count),
                                n->at));
  size_t size = t->shape->size;
  ritti_expr *at = ritti_elements_new(s, size), *one = ritti_elements_new(s, t->count);
  if (!at || !one) return told();
  for (size_t i = 0; i < size; i++) {
    for (size_t k = 0; k < t->count; k++) one[k] = t->list.at[k * size + i];
    at[i] = checked(s, ritti_sum(s->dag, one, t->count), n->at);
    if (at[i] == RITTI_NIL) return told();
  }
  return (ritti_value){.shape = t->shape, .at = at};
}

/* sum(i in a..b, e), prod(...) */
static ritti_value resolve_over(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  terms t = {.node = n, .scope = scope, .product = ritti_token_is(s->reader, n->at, "prod")};
  bool whole = ritti_each(s, n->child, n->last, add_term, &t);
  ritti_value v = whole ? finish_terms(s, n, &t) : told();
  RITTI_ARRAY_FREE(t.list);
  return v;
}

/* ---- conditions ---------------------------------------------------------------------------------------- */

/* What a condition is: decided, told, or open until the run: then it holds where u > 0, or where u <= 0. */
typedef enum decision { NO, YES, TOLD, WHERE_POSITIVE, WHERE_NOT } decision;

static decision compare(ritti_token_kind sign, int order) {
  switch (sign) {
  case T_EQUALS: return order == 0 ? YES : NO;
  case T_UNEQUAL: return order != 0 ? YES : NO;
  case T_LESS: return order < 0 ? YES : NO;
  case T_LESS_EQUAL: return order <= 0 ? YES : NO;
  case T_GREATER: return order > 0 ? YES : NO;
  default: return order >= 0 ? YES : NO;
  }
}

/* '=' and '<>' are for whole numbers. */
static bool check_whole(ritti_resolver *s, const ritti_node *n, ritti_expr e) {
  if (is_number(s, e) && mpz_cmp_ui(mpq_denref(ritti_rational_of(s->dag, e)), 1) == 0) return true;
  ritti_say(s->reader, n->first,
            "compare other numbers with < <= > or >=", "'=' and '<>' compare whole numbers only");
  return false;
}

/* A comparison that changes during the run. */
static decision moving(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope,
                       ritti_token_kind sign, ritti_expr *u) {
  ritti_expr a = ritti_resolve_expr(s, n->child, scope), b = ritti_resolve_expr(s, n->last, scope);
  bool less = sign == T_LESS || sign == T_GREATER_EQUAL; /* b - a > 0, or not */
  *u = less ? ritti_subtract(s->dag, b, a) : ritti_subtract(s->dag, a, b);
  return sign == T_LESS || sign == T_GREATER ? WHERE_POSITIVE : WHERE_NOT;
}

static decision decide(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope, ritti_expr *u) {
  const ritti_node *left = n->child, *right = n->last;
  ritti_token_kind sign = (ritti_token_kind)ritti_token_at(s->reader, n->at)->kind;
  ritti_scope exact = *scope;
  int64_t i, j;
  double x, y;
  if (ritti_quick_number(s, left, &i) && ritti_quick_number(s, right, &j))
    return compare(sign, (i > j) - (i < j));
  exact.exact = true;
  ritti_expr a = ritti_resolve_expr(s, left, &exact), b = ritti_resolve_expr(s, right, &exact);
  if (a == RITTI_NIL || b == RITTI_NIL) return TOLD;
  bool equality = sign == T_EQUALS || sign == T_UNEQUAL;
  if (equality && !(check_whole(s, left, a) && check_whole(s, right, b))) return TOLD;
  if (is_number(s, a) && is_number(s, b))
    return compare(sign, mpq_cmp(ritti_rational_of(s->dag, a), ritti_rational_of(s->dag, b)));
  if (is_moving(s, a) || is_moving(s, b)) return moving(s, n, scope, sign, u);
  exact.subject = "the condition";
  bool known = ritti_number_of(s, a, left, &exact, &x) && ritti_number_of(s, b, right, &exact, &y);
  return known ? compare(sign, (x > y) - (x < y)) : TOLD;
}

/* A value that is resolved where it is needed, and once: an expression, or a choice between two others by the
 * conditions in a list, all of which (all) or one of which must hold. */
typedef struct branch branch;
struct branch {
  const ritti_node *node, *conditions;
  bool all, done;
  branch *then, *otherwise;
  ritti_value value;
};

static ritti_value choose(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope, branch *then,
                          branch *otherwise);

static ritti_value choose_by_list(ritti_resolver *s, const ritti_node *first, bool all,
                                  const ritti_scope *scope, branch *then, branch *otherwise) {
  if (!first->next) return choose(s, first, scope, then, otherwise);
  branch rest = {.conditions = first->next, .all = all, .then = then, .otherwise = otherwise};
  return choose(s, first, scope, all ? &rest : then, all ? otherwise : &rest);
}

static ritti_value branch_value(ritti_resolver *s, branch *b, const ritti_scope *scope) {
  if (!b->done)
    b->value = b->node ? ritti_resolve_value(s, b->node, scope)
                       : choose_by_list(s, b->conditions, b->all, scope, b->then, b->otherwise);
  b->done = true;
  return b->value;
}

/* a where u > 0 and b where not, element by element */
static ritti_value either(ritti_resolver *s, ritti_expr u, ritti_value a, ritti_value b, uint32_t token) {
  if (ritti_failed(a) || ritti_failed(b) || u == RITTI_NIL) return told();
  if (!ritti_same_shape(a.shape, b.shape)) {
    ritti_say(s->reader, token, "give both branches the same shape",
              "the branches do not go together: %s and %s", ritti_shape_words(s->reader, a.shape),
              ritti_shape_words(s->reader, b.shape));
    return told();
  }
  size_t count = ritti_value_count(a);
  ritti_expr *at = ritti_elements_new(s, count);
  for (size_t i = 0; at && i < count; i++)
    at[i] = ritti_add(s->dag, ritti_apply(s->dag, RITTI_WHEN, (ritti_expr[]){u, ritti_element(a, i)}, 2),
                      ritti_apply(s->dag, RITTI_UNLESS, (ritti_expr[]){u, ritti_element(b, i)}, 2));
  if (!at) return told();
  return a.shape ? (ritti_value){.shape = a.shape, .at = at} : ritti_scalar(at[0]);
}

/* The branch that a condition chooses; what is not needed is not looked at. */
static ritti_value choose(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope, branch *then,
                          branch *otherwise) {
  ritti_expr u = RITTI_NIL;
  if (n->kind == N_NOT) return choose(s, n->child, scope, otherwise, then);
  if (n->kind == N_AND || n->kind == N_OR)
    return choose_by_list(s, n->child, n->kind == N_AND, scope, then, otherwise);
  switch (decide(s, n, scope, &u)) {
  case YES: return branch_value(s, then, scope);
  case NO: return branch_value(s, otherwise, scope);
  case WHERE_POSITIVE:
    return either(s, u, branch_value(s, then, scope), branch_value(s, otherwise, scope), n->first);
  case WHERE_NOT:
    return either(s, u, branch_value(s, otherwise, scope), branch_value(s, then, scope), n->first);
  default: return told();
  }
}

static ritti_value resolve_if(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  branch then = {.node = n->child->next}, otherwise = {.node = n->last};
  return choose(s, n->child, scope, &then, &otherwise);
}

/* ---- functions ---------------------------------------------------------------------------------------- */

/* der(e, k) */
static ritti_value resolve_der(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  ritti_reader *r = s->reader;
  const ritti_node *e = n->child, *order = e->next;
  ritti_scope number = {SCOPE_NUMBER, "the order of the derivative", false};
  ritti_expr k = ritti_resolve_expr(s, order, &number);
  if (k == RITTI_NIL) return told();
  double value = is_number(s, k) ? number_of(s, k) : -1;
  if (!(value >= 0) || value != floor(value)) {
    ritti_say(r, order->first, "write der(x, 2) for x''",
              "the order of a derivative is a whole number, 0 or more");
    return told();
  }
  if (value > RITTI_DERIVATIVE_LIMIT) {
    too_many_derivatives(s, n->at);
    return told();
  }
  return resolve_derivative(s, e, (int)value, n->at, scope);
}

/* A function of constants that has no value, such as log(0). */
static ritti_expr check_call(ritti_resolver *s, const ritti_node *n, ritti_op op, const ritti_expr *arg,
                             ritti_expr e) {
  bool constant = is_number(s, arg[0]) && (n->count < 2 || is_number(s, arg[1]));
  if (!constant ||
      isfinite(ritti_op_value(op, number_of(s, arg[0]), n->count < 2 ? 0 : number_of(s, arg[1]))))
    return e;
  ritti_say(s->reader, n->at, NULL, "'%.60s' has no finite value",
            ritti_shown(s, s->reader->scratch, n, false));
  return RITTI_NIL;
}

static ritti_expr apply(ritti_resolver *s, const ritti_node *n, ritti_op op, const ritti_scope *scope) {
  ritti_expr *arg = numbers(s, n, scope);
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

/* mod(a, b) = a - b*floor(a/b) */
static ritti_expr resolve_mod(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  ritti_expr *arg = numbers(s, n, scope);
  if (!arg) return RITTI_NIL;
  if (ritti_is_zero(s->dag, arg[1])) {
    ritti_say(s->reader, n->last->first, NULL, "'mod' divides by zero%s", ritti_where(s));
    return RITTI_NIL;
  }
  ritti_expr quotient = ritti_divide(s->dag, arg[0], arg[1]);
  ritti_expr whole = ritti_apply(s->dag, RITTI_FLOOR, &quotient, 1);
  return checked(s, ritti_subtract(s->dag, arg[0], ritti_multiply(s->dag, arg[1], whole)), n->at);
}

/* Vectors, of 3 or of one length; NULL: told */
static ritti_value *vectors(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope, bool three) {
  bool arrays;
  ritti_value *v = children(s, n, scope, &arrays);
  const char *name = ritti_quote(s->reader, n->at);
  int i = 0;
  for (const ritti_node *c = n->child; v && c; c = c->next, i++) {
    bool vector = v[i].shape && v[i].shape->rank == 1, fits = vector && (!three || v[i].shape->size == 3);
    if (fits && ritti_same_shape(v[i].shape, v[0].shape)) continue;
    if (fits)
      ritti_say(s->reader, c->first, "take vectors of one length",
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

static ritti_expr dot(ritti_resolver *s, ritti_value a, ritti_value b) {
  ritti_expr *term = ritti_elements_new(s, a.shape->size);
  if (!term) return RITTI_NIL;
  for (size_t i = 0; i < a.shape->size; i++) term[i] = ritti_multiply(s->dag, a.at[i], b.at[i]);
  return ritti_sum(s->dag, term, a.shape->size);
}

static ritti_value cross(ritti_resolver *s, ritti_value a, ritti_value b) {
  ritti_expr *at = ritti_elements_new(s, 3);
  if (!at) return told();
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    at[i] = ritti_subtract(s->dag, ritti_multiply(s->dag, a.at[j], b.at[k]),
                           ritti_multiply(s->dag, a.at[k], b.at[j]));
  }
  return (ritti_value){.shape = ritti_shape_new(s, 1, (int64_t[]){3}), .at = at};
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
static ritti_value not_a_function(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  ritti_reader *r = s->reader;
  const char *name = ritti_quote(r, n->at);
  ritti_symbol *y = ritti_find_symbol(s, n->at);
  for (const ritti_node *c = n->child; c; c = c->next) (void)ritti_resolve_value(s, c, scope);
  if (y && y->kind == Y_BROKEN) return told();
  if (y) {
    bool of_t = n->count == 1 && n->child->kind == N_NAME && y->kind == Y_VARIABLE &&
                ritti_token_is(r, n->child->at, s->model->independent);
    const char *hint =
        of_t ? ritti_words(r, "write %s alone: every variable depends on '%s'", name, s->model->independent)
             : ritti_words(r, "there is no implicit product: write %s*(...)", name);
    if (y->shape) hint = ritti_words(r, "an element is written %s[1]", name);
    ritti_say(r, n->at, hint, "'%s' is %s, not a function", name, kind_words[y->kind]);
    return told();
  }
  if (s->syntax && s->syntax->any_name) return told();
  const char *hint = foreign_hint(name), *near = hint ? NULL : nearest_function(s, name);
  if (near) hint = ritti_did_you_mean(r, near);
  if (!hint) hint = function_list(s);
  tell_unknown(s, n->at, ritti_words(r, "%s(", name), hint,
               ritti_words(r, "there is no function '%s'", name));
  return told();
}

/* A call of a function that is a table. */
static ritti_value call_table(ritti_resolver *s, const ritti_node *n, const ritti_symbol *y,
                              const ritti_scope *scope) {
  if (n->count != 1) {
    ritti_say(s->reader, n->at, ritti_words(s->reader, "write %s(%s)", y->name, s->model->independent),
              "the function '%s' takes one argument, not %d", y->name, n->count);
    return told();
  }
  ritti_expr *u = numbers(s, n, scope);
  if (!u || y->table == 0) return told();
  return ritti_scalar(ritti_table_at(s->dag, y->table - 1, 0, RITTI_TABLE_ANY, u[0]));
}

/* A call of a function that the model defines: its body with the arguments bound. */
static ritti_value call_function(ritti_resolver *s, const ritti_node *n, ritti_symbol *y,
                                 const ritti_scope *scope) {
  bool arrays;
  int count = 0;
  for (const ritti_node *a = y->line->arguments; a; a = a->next) count++;
  if (n->count != count) {
    ritti_say(s->reader, n->at,
              ritti_words(s->reader, "it is defined in %s", ritti_line_words(s->reader, y->token, n->at)),
              "the function '%s' takes %d argument%s, not %d", y->name, count, count == 1 ? "" : "s",
              n->count);
    return told();
  }
  ritti_value *value = children(s, n, scope, &arrays);
  if (!value || y->open || s->call_depth >= RITTI_CALL_DEPTH) return told(); /* told where it is defined */
  if (!ritti_expand(s, n->at, RITTI_CALL_COST, "")) return told();
  size_t bound = s->bound.count, floor = s->floor;
  int i = 0;
  for (const ritti_node *a = y->line->arguments; a; a = a->next, i++)
    if (RITTI_PUSH(s->bound, (ritti_binding){.token = a->at, .value = value[i]}) != RITT_OK)
      s->reader->status = RITT_NO_MEMORY;
  ritti_scope inside = *scope;
  inside.inside = y->name;
  s->floor = bound;
  y->open = true;
  s->call_depth++;
  ritti_value v = s->reader->status == RITT_OK ? ritti_resolve_value(s, y->line->right, &inside) : told();
  s->call_depth--;
  y->open = false;
  s->bound.count = bound;
  s->floor = floor;
  return v;
}

/* dot, cross, norm */
static ritti_value resolve_vectors(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  bool norm = ritti_token_is(s->reader, n->at, "norm"), product = ritti_token_is(s->reader, n->at, "cross");
  if (!check_arguments(s, n, norm ? 1 : 2, norm ? 1 : 2)) return told();
  ritti_value *v = vectors(s, n, scope, product);
  if (!v) return told();
  if (product) return cross(s, v[0], v[1]);
  if (!norm) return ritti_scalar(dot(s, v[0], v[1]));
  return ritti_scalar(ritti_power(s->dag, dot(s, v[0], v[0]), ritti_number(s->dag, 1, 2)));
}

static ritti_value resolve_call(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  const ritti_reader *r = s->reader;
  if (ritti_token_is(r, n->at, "der")) return check_arguments(s, n, 2, 2) ? resolve_der(s, n, scope) : told();
  if (ritti_token_is(r, n->at, "sqrt"))
    return ritti_scalar(check_arguments(s, n, 1, 1) ? apply(s, n, RITTI_POWER, scope) : RITTI_NIL);
  if (ritti_token_is(r, n->at, "mod"))
    return ritti_scalar(check_arguments(s, n, 2, 2) ? resolve_mod(s, n, scope) : RITTI_NIL);
  if (ritti_token_is(r, n->at, "dot") || ritti_token_is(r, n->at, "cross") ||
      ritti_token_is(r, n->at, "norm"))
    return resolve_vectors(s, n, scope);
  for (int i = 0; i < FUNCTIONS; i++) {
    ritti_op op = functions[i];
    if (!ritti_token_is(r, n->at, ritti_op_text[op])) continue;
    bool many = op == RITTI_MIN || op == RITTI_MAX, two = many || op == RITTI_ATAN2;
    int least = two ? 2 : 1;
    return ritti_scalar(check_arguments(s, n, least, many ? INT32_MAX : least) ? apply(s, n, op, scope)
                                                                               : RITTI_NIL);
  }
  ritti_symbol *y = ritti_find_symbol(s, n->at);
  if (y && y->kind == Y_FUNCTION && y->line && !y->line->right) return call_table(s, n, y, scope);
  if (y && y->kind == Y_FUNCTION && y->line) return call_function(s, n, y, scope);
  if (!y && ritti_is_mechanical(s, n)) return ritti_resolve_mechanical(s, n, scope);
  return not_a_function(s, n, scope);
}

ritti_value ritti_resolve_value(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  switch (n->kind) {
  case N_NUMBER: return ritti_scalar(typed_number(s, n));
  case N_PI: return ritti_scalar(ritti_pi(s->dag));
  case N_NAME: return name_value(s, n->at, 0, scope);
  case N_CALL: return resolve_call(s, n, scope);
  case N_SUM: return resolve_sum(s, n, scope);
  case N_PRODUCT: return resolve_product(s, n, scope);
  case N_NEGATE: return resolve_negate(s, n, scope);
  case N_POWER: return resolve_power(s, n, scope);
  case N_PRIME: return resolve_derivative(s, n->child, n->count, n->at, scope);
  case N_INDEX: return resolve_index(s, n, 0, scope);
  case N_LIST: return resolve_list(s, n, scope);
  case N_OVER: return resolve_over(s, n, scope);
  case N_IF: return resolve_if(s, n, scope);
  default: return told(); /* parts of others */
  }
}

ritti_expr ritti_resolve_expr(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope) {
  ritti_value v = ritti_resolve_value(s, n, scope);
  if (!v.shape) return v.one;
  ritti_say(s->reader, n->first, "write one of its elements, such as x[1]",
            "%s stands where a number belongs", ritti_shape_words(s->reader, v.shape));
  return RITTI_NIL;
}

bool ritti_number_of(ritti_resolver *s, ritti_expr expr, const ritti_node *n, const ritti_scope *scope,
                     double *number) {
  *number = NAN;
  if (expr == RITTI_NIL) return false;
  if (is_number(s, expr)) {
    *number = ritti_rational_double(ritti_rational_of(s->dag, expr));
    return true;
  }
  ritti_nodes used = {0};
  if (ritti_leaves(s->dag, expr, RITTI_PARAMETER, &used) != RITT_OK) {
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
  if (ritti_dag_evaluate(s->dag, expr, &values, number) != RITT_OK) s->reader->status = RITT_NO_MEMORY;
  if (isfinite(*number)) return true;
  ritti_say(s->reader, n->first, "look for a division by zero, or a root or logarithm of a negative number",
            "%s has no finite value%s", scope->subject, ritti_where(s));
  return false;
}

bool ritti_resolve_number(ritti_resolver *s, const ritti_node *n, const ritti_scope *scope, ritti_expr *expr,
                          double *number) {
  *expr = ritti_resolve_expr(s, n, scope);
  return ritti_number_of(s, *expr, n, scope, number);
}
