/* Statements -> Model: resolves section after section when all names are known. A statement is
 * resolved once for every member of its family; a relation between arrays becomes one relation for
 * each element.
 */
#include <inttypes.h>
#include "lang_impl.h"

const ritti_scope ritti_anything = {SCOPE_ANY, "", false};

/* What the sections have given so far; it is moved to the model's memory at the end. */
typedef struct gathered {
  RITTI_ARRAY(ritti_equation_def) equation;
  RITTI_ARRAY(ritti_invariant_def) invariant;
  RITTI_ARRAY(ritti_start_def) start;
  RITTI_ARRAY(ritti_output_def) output;
  RITTI_ARRAY(ritti_output_def) plot_column;
  RITTI_ARRAY(ritti_curve_def) curve;
  ritti_name_list sensitivity;
  /* where the start value of the independent variable is given; NO_TOKEN: nowhere */
  uint32_t given;
  /* open hash table of the jets that have a start value: jet, token of its statement, jet, ... */
  uint32_t *first;
  size_t slots, filled;
  /* unknowns for expressions that have a start value, and their equations */
  RITTI_ARRAY(ritti_variable_def) observed;
  RITTI_ARRAY(ritti_equation_def) observation;
} gathered;

/* Moves an array of `gathered` to the model: to[total]. */
#define MOVE(to, total, from)                                                                      \
  do {                                                                                             \
    RITTI_NEW(to, s->model->arena, (from).count);                                                  \
    if ((from).count) memcpy(to, (from).at, (from).count * sizeof *(to));                          \
    total = (int)(from).count;                                                                     \
    RITTI_ARRAY_FREE(from);                                                                        \
  } while (0)

/* ---- members ---- */

const char *ritti_member_words(ritti_resolver *s, const ritti_shape *shape, size_t element) {
  ritti_text text = {0};

  /* the indices of the families */
  for (size_t i = s->floor; i < s->bound.count; i++) {
    const ritti_token *t = ritti_token_at(s->reader, s->bound.at[i].token);
    ritti_text_add(&text, "%s%.*s = %" PRId64, i > s->floor ? ", " : "", (int)t->length,
                   s->reader->text + t->start, s->bound.at[i].number);
  }

  /* the element */
  if (shape) ritti_text_add(&text, "%selement %zu", text.count ? ", " : "", element + 1);

  const char *kept = text.at ? ritti_arena_text(s->model->arena, text.at, text.count) : NULL;
  if (text.status != RITT_OK || (text.at && !kept)) s->reader->status = RITT_NO_MEMORY;
  ritti_text_free(&text);
  return kept;
}

const char *ritti_member_name(ritti_resolver *s, uint32_t token, const ritti_shape *shape,
                              size_t element) {
  ritti_text text = {0};
  if (s->bound.count == s->floor && !shape) return ritti_keep_name(s->reader, token);

  /* the indices in brackets */
  for (size_t i = s->floor; i < s->bound.count; i++)
    ritti_text_add(&text, "%s%" PRId64, i > s->floor ? "," : "", s->bound.at[i].number);
  if (shape) ritti_text_add(&text, "%s%zu", text.count ? "," : "", element + 1);

  const char *kept = NULL;
  if (text.at)
    kept = ritti_arena_format(s->model->arena, "%s[%s]", ritti_quote(s->reader, token), text.at);
  if (text.status != RITT_OK || !kept) s->reader->status = RITT_NO_MEMORY;
  ritti_text_free(&text);
  return kept;
}

bool ritti_both_sides(ritti_resolver *s, const ritti_statement *line, ritti_value left,
                      ritti_value right, bool fill) {
  if (ritti_failed(left) || ritti_failed(right)) return false;
  if (ritti_same_shape(left.shape, right.shape) || (fill && !right.shape)) return true;
  ritti_say(s->reader, line->relation, "give both sides the same shape",
            "the left side is %s, the right side %s%s", ritti_shape_words(s->reader, left.shape),
            ritti_shape_words(s->reader, right.shape), ritti_where(s));
  return false;
}

const char *ritti_statement_subject(ritti_resolver *s, const ritti_statement *line) {
  if (line->subject || !line->owner) return line->subject;
  const char *typed = ritti_typed(s->reader, s->reader->scratch, line->first, line->end, true);
  const char *text = ritti_arena_format(s->model->arena, "%s: %.60s%s", line->owner->path, typed,
                                        strlen(typed) > 60 ? "..." : "");
  if (!text) s->reader->status = RITT_NO_MEMORY;
  return text;
}

const char *ritti_statement_owner(ritti_resolver *s, const ritti_statement *line) {
  if (!line->subject) return line->owner ? line->owner->path : NULL;

  /* "connection of a and b (x)" without the member */
  const char *end = strrchr(line->subject, '(');
  size_t count = end && end > line->subject ? (size_t)(end - line->subject) - 1 : 0;
  const char *text =
      count ? ritti_arena_text(s->model->arena, line->subject, count) : line->subject;
  if (!text) s->reader->status = RITT_NO_MEMORY;
  return text;
}

/* ---- equations and invariants ---- */

/* Adds an equation, or one for each element. */
static ritt_status resolve_equation(ritti_resolver *s, const ritti_statement *line, void *context) {
  gathered *g = context;
  ritti_value left = ritti_resolve_value(s, line->left, &ritti_anything);
  ritti_value right = ritti_resolve_value(s, line->right, &ritti_anything);
  if (!ritti_both_sides(s, line, left, right, false)) return RITT_OK;

  for (size_t i = 0; i < ritti_value_count(left); i++) {
    ritti_equation_def e = {.place = ritti_place_of(s->reader, line->first)};
    if (line->name != NO_TOKEN) e.label = ritti_member_name(s, line->name, left.shape, i);
    e.member = ritti_member_words(s, left.shape, i);
    e.subject = ritti_statement_subject(s, line);
    e.owner = ritti_statement_owner(s, line);
    e.left = ritti_element(left, i);
    e.right = ritti_element(right, i);
    e.residual = ritti_subtract(s->dag, e.left, e.right);
    RITT_TRY(RITTI_PUSH(g->equation, e));
    if (line->owner) line->owner->equations++;
  }
  return RITT_OK;
}

/* Does an expression hold a variable or a derivative? */
static bool holds_jet(ritti_resolver *s, ritti_expr e) {
  ritti_nodes jets;
  if (ritti_leaves(s->dag, e, RITTI_JET, &jets) != RITT_OK) return false;
  ritti_free(jets.at);
  return jets.count > 0;
}

/* Does an expression contain numbers and parameters only? */
static bool is_constant(ritti_resolver *s, ritti_expr e) {
  return !holds_jet(s, e) && !ritti_depends_on(s->dag, e, ritti_independent(s->dag));
}

/* Adds an invariant, or one for each element. */
static ritt_status resolve_invariant(ritti_resolver *s, const ritti_statement *line,
                                     void *context) {
  gathered *g = context;
  ritti_value left = ritti_resolve_value(s, line->left, &ritti_anything);
  ritti_value right = {0};
  if (line->right) {
    right = ritti_resolve_value(s, line->right, &ritti_anything);
    if (!ritti_both_sides(s, line, left, right, false)) return RITT_OK;
  }
  if (ritti_failed(left)) return RITT_OK;

  /* one for each element */
  for (size_t k = 0; k < ritti_value_count(left); k++) {
    ritti_invariant_def i = {.projected = line->projected,
                             .place = ritti_place_of(s->reader, line->first)};
    if (line->name != NO_TOKEN) i.name = ritti_member_name(s, line->name, left.shape, k);
    i.expr = ritti_element(left, k);
    i.value = line->right ? ritti_element(right, k) : RITTI_NIL;

    /* a right side that changes during the run belongs to the left: a = b means a - b = 0 */
    if (i.value != RITTI_NIL && !is_constant(s, i.value)) {
      i.expr = ritti_subtract(s->dag, i.expr, i.value);
      i.value = ritti_number(s->dag, 0, 1);
    }
    RITT_TRY(RITTI_PUSH(g->invariant, i));
  }
  return RITT_OK;
}

/* ---- start ---- */

/* Is the start value given by '=', and not by '~'? Those of parts are guesses. */
static bool is_fixed(const ritti_resolver *s, const ritti_statement *line) {
  return !line->owner && ritti_token_at(s->reader, line->relation)->kind == T_EQUALS;
}

/* Is the node the name of the independent variable? */
static bool is_independent(const ritti_resolver *s, const ritti_node *n) {
  return n->kind == N_NAME && ritti_token_is(s->reader, n->at, s->model->independent);
}

/* Resolves `start t = expr`. */
static void resolve_start_x(ritti_resolver *s, const ritti_statement *line, uint32_t *given) {
  ritti_reader *r = s->reader;
  const char *t = s->model->independent;
  ritti_scope scope = {SCOPE_CONSTANT, ritti_words(r, "the start value of '%s'", t), false};
  ritti_expr e;

  /* it may be given once */
  if (*given != NO_TOKEN) {
    ritti_say(r, line->first, "remove one of them", "'%s' has two start values, the first in %s", t,
              ritti_line_words(r, *given, line->first));
    return;
  }
  *given = line->first;

  /* its value */
  if (!is_fixed(s, line))
    ritti_say(r, line->relation, ritti_words(r, "write %s = ...", t),
              "the independent variable '%s' is never moved", t);
  if (ritti_resolve_number(s, line->right, &scope, &e, &s->model->start_x))
    s->model->start_place = ritti_place_of(r, line->first);
  else s->model->start_x = NAN; /* unknown: nothing is compared with it */
}

/* Half a unit in the last digit of a typed number, with or without a sign; else 0. */
static double half_unit(const ritti_resolver *s, const ritti_node *n) {
  if (n->kind == N_NEGATE) n = n->child;
  if (n->kind != N_NUMBER) return 0;
  const ritti_token *t = ritti_token_at(s->reader, n->at);
  return ritti_number_half_unit(s->reader->text + t->start, t->length);
}

/* Reports a value such as x(1) = 2, which has a place of its own. false: it is not one. */
static bool report_value_elsewhere(ritti_resolver *s, const ritti_node *n) {
  ritti_reader *r = s->reader;
  if (n->kind != N_CALL || n->count != 1) return false;

  /* a call of a variable with one argument */
  const ritti_token *t = ritti_token_at(r, n->at);
  const ritti_symbol *y = ritti_symbols_find(&s->names, r->text + t->start, t->length);
  if (!y || y->kind != Y_VARIABLE) return false;

  const char *place = ritti_typed(r, r->scratch, n->child->first, n->child->end, false);
  ritti_say(r, n->first,
            ritti_words(r, "write %s = ... in the section 'start %s = %s'", y->name,
                        s->model->independent, place),
            "all start values belong to the beginning of the run");
  return true;
}

/* The cell of a jet in the table of jets that have a start value. A cell holds the jet and the
 * token of its statement. */
static uint32_t *seen_cell(const gathered *g, ritti_expr jet) {
  size_t mask = g->slots - 1, at = (size_t)(jet * 2654435769u) & mask;
  while (g->first[2 * at] && g->first[2 * at] != jet) at = (at + 1) & mask;
  return &g->first[2 * at];
}

/* Keeps at least twice as many cells as jets. */
static ritt_status make_seen(gathered *g) {
  if (2 * (g->filled + 1) <= g->slots) return RITT_OK;

  /* a table of twice the size */
  gathered old = *g;
  g->slots = old.slots ? 2 * old.slots : 64;
  g->first = ritti_malloc(2 * g->slots * sizeof *g->first);
  if (!g->first) {
    *g = old;
    return RITT_NO_MEMORY;
  }
  memset(g->first, 0, 2 * g->slots * sizeof *g->first);

  /* enter all jets again */
  for (size_t i = 0; i < old.slots; i++)
    if (old.first[2 * i])
      memcpy(seen_cell(g, old.first[2 * i]), &old.first[2 * i], 2 * sizeof *g->first);
  ritti_free(old.first);
  return RITT_OK;
}

/* Is the node a name, or an element of an array with a name? */
static bool is_named(const ritti_node *n) {
  return n->kind == N_NAME || n->kind == N_PATH || (n->kind == N_INDEX && is_named(n->child));
}

/* Replaces an expression that has a name and a start value by an unknown: `start w = 3` with
 * `let w = x' - y'` becomes `variable w`, `equation w = x' - y'`, `start w = 3`. The unknown is
 * removed again before the completion, but its start value is one of the conditions. */
static ritt_status observe_expression(ritti_resolver *s, const ritti_statement *line,
                                      const char *name, ritti_expr *e, gathered *g) {
  RITT_TRY(make_seen(g));
  uint32_t *cell = seen_cell(g, *e);
  int index = s->model->variables + (int)g->observed.count;

  /* each expression once */
  if (cell[0]) {
    *e = ritti_jet(s->dag, (int)cell[1], 0);
    return *e == RITTI_NIL ? RITT_NO_MEMORY : RITT_OK;
  }
  cell[0] = *e;
  cell[1] = (uint32_t)index;
  g->filled++;

  /* the unknown and its equation */
  ritti_place place = ritti_place_of(s->reader, line->first);
  ritti_variable_def v = {.name = ritti_arena_format(s->model->arena, "%s", name), .place = place};
  ritti_equation_def q = {.left = ritti_jet(s->dag, index, 0), .right = *e, .place = place};
  q.residual = ritti_subtract(s->dag, q.left, q.right);
  q.subject = ritti_arena_format(s->model->arena, "start value of %s", name);
  if (!v.name || !q.subject) return RITT_NO_MEMORY;
  RITT_TRY(RITTI_PUSH(g->observed, v));
  RITT_TRY(RITTI_PUSH(g->observation, q));
  *e = q.left;
  return RITT_OK;
}

/* The jets to which start values belong. Failed: a mistake was reported. */
static ritti_value start_targets(ritti_resolver *s, const ritti_statement *line, const char *target,
                                 gathered *g) {
  if (report_value_elsewhere(s, line->left)) return ritti_scalar(RITTI_NIL);

  /* each element must be a variable or a derivative, or have a name and depend on some */
  ritti_value jets = ritti_resolve_value(s, line->left, &ritti_anything);
  size_t count = ritti_failed(jets) ? 0 : ritti_value_count(jets);
  bool all = true;
  for (size_t i = 0; all && i < count; i++) {
    ritti_expr e = ritti_element(jets, i);
    all = ritti_op_of(s->dag, e) == RITTI_JET || (is_named(line->left) && holds_jet(s, e));
  }
  if (!all) {
    bool named = is_named(line->left);
    ritti_say(s->reader, line->left->first,
              named
                  ? "start values belong to x, x', x'' and so on"
                  : "give the expression a name by 'let', and write its start value with the name",
              "'%.60s' is neither a variable nor a derivative of one", target);
    return ritti_scalar(RITTI_NIL);
  }

  /* expressions become unknowns */
  ritti_expr *at = ritti_arena_alloc(s->values, count + 1, sizeof *at);
  if (!at) s->reader->status = RITT_NO_MEMORY;
  for (size_t i = 0; at && i < count; i++) {
    at[i] = ritti_element(jets, i);
    if (ritti_op_of(s->dag, at[i]) == RITTI_JET) continue;
    const char *name =
        line->owner ? ritti_words(s->reader, "%s.%s", line->owner->path, target) : target;
    if (jets.shape) name = ritti_element_name(s->reader->scratch, name, jets.shape, i);
    ritt_status status = name ? observe_expression(s, line, name, &at[i], g) : RITT_NO_MEMORY;
    if (status != RITT_OK) s->reader->status = status;
  }
  if (s->reader->status != RITT_OK || count == 0) return ritti_scalar(RITTI_NIL);
  if (!jets.shape) return ritti_scalar(at[0]);
  jets.at = at;
  return jets;
}

/* The node of element i of the right side, if the elements are written out; else the whole side. */
static const ritti_node *element_node(const ritti_node *n, ritti_value v, size_t i) {
  if (n->kind != N_LIST || !v.shape || v.shape->rank != 1) return n;
  for (n = n->child; i > 0; i--) n = n->next;
  return n;
}

/* Adds one start value. `target` is its left side as typed, NULL: an element, which has its own
 * name; `text` is its right side. */
static ritt_status add_start(ritti_resolver *s, const ritti_statement *line, ritti_expr jet,
                             ritti_start_def v, const char *target, const char *text, gathered *g) {
  ritti_reader *r = s->reader;

  /* the variable or derivative */
  v.variable = ritti_index_of(s->dag, jet);
  v.order = ritti_order_of(s->dag, jet);

  /* it may have one start value */
  RITT_TRY(make_seen(g));
  uint32_t *cell = seen_cell(g, jet);
  if (cell[0] && line->owner) return RITT_OK; /* the model, or another part, gives the value */
  const char *variable = v.variable < s->model->variables
                             ? s->model->variable[v.variable].name
                             : g->observed.at[v.variable - s->model->variables].name;
  if (cell[0]) {
    const char *name = ritti_jet_name(r->keep, variable, v.order);
    if (!name) return RITT_NO_MEMORY;
    ritti_say(r, line->first, "remove one of them", "'%s' has two start values, the first in %s",
              name, ritti_line_words(r, cell[1], line->first));
    return RITT_OK;
  }
  cell[0] = jet;
  cell[1] = line->first;
  g->filled++;

  /* its text for messages */
  if (v.expr == RITTI_NIL) return RITT_OK;
  if (!target) target = ritti_jet_name(r->keep, variable, v.order);
  if (!target) return RITT_NO_MEMORY;
  v.text = ritti_arena_format(r->keep, "%s %c %s", target, v.fixed ? '=' : '~', text);
  return v.text ? RITTI_PUSH(g->start, v) : RITT_NO_MEMORY;
}

/* Does an expression contain an `if`? */
static bool holds_choice(const ritti_node *n) {
  if (n->kind == N_IF) return true;
  for (const ritti_node *c = n->child; c; c = c->next)
    if (holds_choice(c)) return true;
  return false;
}

/* The right side of a start value for messages: as typed, or as a number if that says more: if a
 * condition chose it, or if it is an element of an expression for all elements. */
static const char *start_text(ritti_resolver *s, const ritti_node *n, bool element, double number) {
  char shown[32];
  if (isfinite(number) && (element || holds_choice(n)))
    return ritti_words(s->reader, "%s", ritti_shortest(number, shown));
  return ritti_shown(s, s->reader->scratch, n, true);
}

/* Adds the start values of a statement: one, or one for each element. */
static ritt_status resolve_start_value(ritti_resolver *s, const ritti_statement *line,
                                       gathered *g) {
  ritti_reader *r = s->reader;
  const char *target = ritti_shown(s, r->scratch, line->left, false);
  ritti_scope scope = {.kind = SCOPE_CONSTANT,
                       .subject = ritti_words(r, "the start value of '%.60s'", target),
                       .kept = true};

  /* both sides */
  ritti_value jets = start_targets(s, line, target, g);
  ritti_value right = ritti_resolve_value(s, line->right, &scope);
  if (ritti_failed(jets)) return r->status;
  bool fits = ritti_failed(right) || ritti_both_sides(s, line, jets, right, true);
  const char *text = NULL;

  /* element by element; a number on the right belongs to all */
  for (size_t i = 0; fits && i < ritti_value_count(jets); i++) {
    const ritti_node *n = element_node(line->right, right, i);
    ritti_start_def v = {.fixed = is_fixed(s, line), .place = ritti_place_of(r, line->first)};
    v.expr = ritti_failed(right) ? RITTI_NIL : ritti_element(right, i);
    if (!ritti_number_of(s, v.expr, n, &scope, &v.number)) v.expr = RITTI_NIL;

    v.half_unit = half_unit(s, n);
    bool element = right.shape && n == line->right;
    if (i == 0 || n != line->right || element) text = start_text(s, n, element, v.number);
    RITT_TRY(add_start(s, line, ritti_element(jets, i), v, jets.shape ? NULL : target, text, g));
  }
  return r->status;
}

/* Appends the unknowns for expressions with a start value to those of the model. */
static ritt_status append_observed(ritti_resolver *s, gathered *g) {
  ritti_model *m = s->model;
  size_t count = g->observed.count, variables = (size_t)m->variables;
  size_t names = (size_t)m->variable_names, equations = (size_t)m->equations;
  if (count == 0) return RITT_OK;

  /* longer arrays */
  ritti_variable_def *variable;
  ritti_name_def *name;
  ritti_equation_def *equation;
  RITTI_NEW(variable, m->arena, variables + count);
  RITTI_NEW(name, m->arena, names + count);
  RITTI_NEW(equation, m->arena, equations + count);
  memcpy(variable, m->variable, variables * sizeof *variable);
  memcpy(name, m->variable_name, names * sizeof *name);
  memcpy(equation, m->equation, equations * sizeof *equation);

  /* with the new ones at their ends */
  for (size_t i = 0; i < count; i++) {
    const char *own = g->observed.at[i].name;
    variable[variables + i] = g->observed.at[i];
    equation[equations + i] = g->observation.at[i];
    name[names + i] = (ritti_name_def){own, own, (int)(variables + i), 1};
  }
  m->variable = variable;
  m->variable_name = name;
  m->equation = equation;
  m->variables += (int)count;
  m->variable_names += (int)count;
  m->equations += (int)count;
  return RITT_OK;
}

/* Resolves `start smooth [order N]`. */
static void resolve_smooth(ritti_resolver *s, const ritti_statement *line) {
  enum { USUAL = 2 };
  ritti_reader *r = s->reader;

  /* the order is one digit */
  s->model->smooth = USUAL;
  if (line->degree != NO_TOKEN) {
    const ritti_token *t = ritti_token_at(r, line->degree);
    s->model->smooth = t->length == 1 ? r->text[t->start] - '0' : 0;
  }

  /* it needs a strong potential and an order in the range */
  if (!s->syntax->said[S_STIFF])
    ritti_say(r, line->first, "write 'stiff U, eps = 1e-4', or leave 'smooth' out",
              "'start smooth' is for models with a strong potential");
  else if (s->model->smooth < 1 || s->model->smooth > RITTI_SMOOTH_MOST)
    ritti_say(r, line->degree, "write 'start smooth order 2'",
              "the order of a smooth start is not a whole number from 1 to %d", RITTI_SMOOTH_MOST);
}

/* Resolves a statement of `start`. */
static ritt_status resolve_start(ritti_resolver *s, const ritti_statement *line, void *context) {
  gathered *g = context;
  if (line->smooth) resolve_smooth(s, line);
  if (line->steady) s->model->steady = true;
  if (!line->left) return s->reader->status;
  if (is_independent(s, line->left)) resolve_start_x(s, line, &g->given);
  else RITT_TRY(resolve_start_value(s, line, g));
  return s->reader->status;
}

/* ---- scale, solve ---- */

/* Sets the scale of the variables that a statement names. */
static ritt_status resolve_scale(ritti_resolver *s, const ritti_statement *line, void *context) {
  ritti_reader *r = s->reader;
  (void)context;
  const char *target = ritti_shown(s, r->scratch, line->left, false);
  ritti_scope scope = {SCOPE_CONSTANT, ritti_words(r, "the scale of '%s'", target), false};
  ritti_value jets = ritti_resolve_variables(s, line->left);
  ritti_value right = ritti_resolve_value(s, line->right, &scope);
  if (!ritti_both_sides(s, line, jets, right, true)) return r->status;

  /* each variable has one scale, which is positive */
  for (size_t i = 0; i < ritti_value_count(jets); i++) {
    ritti_variable_def *v = &s->model->variable[ritti_index_of(s->dag, ritti_element(jets, i))];
    double size;
    if (!ritti_number_of(s, ritti_element(right, i), line->right, &scope, &size)) break;
    if (!(size > 0))
      ritti_say(r, line->right->first, "write its typical size, such as 1e-3",
                "the scale of '%s' is not greater than 0", v->name);
    else if (v->scale != 0)
      ritti_say(r, line->name, "remove one of them", "'%s' has two scales", v->name);
    else v->scale = size;
  }
  return r->status;
}

/* Checks the left end of a run, which must be where the start values are. */
static void check_left_end(ritti_resolver *s, const ritti_statement *line, double left) {
  ritti_reader *r = s->reader;
  const ritti_model *m = s->model;
  char a[32], b[32];

  /* an arc length begins at 0, an interval where the start values are */
  if (m->run == RITTI_RUN_ARC) {
    if (left != 0)
      ritti_say(r, line->left->first, "write 'solve arc = 0 .. L'",
                "the arc length does not begin at 0");
  } else if (isfinite(m->start_x) && left != m->start_x) {
    ritti_shortest(left, a);
    ritti_shortest(m->start_x, b);
    ritti_say(r, line->left->first,
              ritti_words(r, "write 'start %s = %s', or leave the left end out: '%s = .. END'",
                          m->independent, a, m->independent),
              "the run begins at %s = %s, but the start values belong to %s = %s", m->independent,
              a, m->independent, b);
  }
}

/* Resolves the range of the run and the settings. */
static ritt_status resolve_solve(ritti_resolver *s) {
  ritti_reader *r = s->reader;
  ritti_model *m = s->model;
  const ritti_statement *line = s->syntax->list[S_SOLVE].first;
  if (s->syntax->solve != NO_TOKEN) m->solve_place = ritti_place_of(r, s->syntax->solve);
  RITT_TRY(ritti_resolve_settings(s));

  if (!line) return r->status;

  /* the variable of the run */
  ritti_scope begin = {SCOPE_CONSTANT, "the beginning of the run", false};
  ritti_scope end = {SCOPE_CONSTANT, "the end of the run", false};
  ritti_expr e;
  double left;
  if (ritti_token_is(r, line->name, m->independent)) m->run = RITTI_RUN_X;
  else if (ritti_token_is(r, line->name, "arc")) m->run = RITTI_RUN_ARC;
  else
    ritti_say(r, line->name,
              ritti_words(r,
                          "write 'solve %s = ...' or 'solve arc = ...'; 'independent %s' gives it "
                          "another name",
                          m->independent, ritti_quote(r, line->name)),
              "a run goes over '%s' or over the arc length, not over '%s'", m->independent,
              ritti_quote(r, line->name));

  /* its ends */
  if (line->left && ritti_resolve_number(s, line->left, &begin, &e, &left) &&
      m->run != RITTI_RUN_NONE)
    check_left_end(s, line, left);
  (void)ritti_resolve_number(s, line->right, &end, &e, &m->run_end);
  return r->status;
}

/* ---- output, plot ---- */

/* Is the name of a column new? false: a mistake was reported. */
static bool is_new_column(ritti_resolver *s, const ritti_statement *line, const char *name) {
  ritti_reader *r = s->reader;
  const ritti_symbol *old = ritti_symbols_find(&s->columns, name, strlen(name));

  /* the table begins with the independent variable or the arc length */
  bool first = !strcmp(name, s->model->independent) ||
               (s->model->run == RITTI_RUN_ARC && !strcmp(name, "arc"));

  if (first)
    ritti_say(r, line->first, "choose another name", "'%s' is the first column of every table",
              name);
  else if (old)
    ritti_say(r, line->first, "give one of them another name: NAME = EXPRESSION",
              "there are two columns '%.60s', the first in %s", name,
              ritti_line_words(r, old->token, line->first));
  return !first && !old;
}

/* The symbol of an array that is written by its name, with or without primes; else NULL. */
static const ritti_symbol *plain_array(ritti_resolver *s, const ritti_node *n, int *primes) {
  *primes = n->kind == N_PRIME ? n->count : 0;
  if (n->kind == N_PRIME) n = n->child;
  if (n->kind != N_NAME && n->kind != N_PATH) return NULL;
  const ritti_symbol *y = n->kind == N_PATH ? ritti_path_symbol(s, n) : ritti_find_symbol(s, n->at);
  return y && y->shape ? y : NULL;
}

/* The name that is given to a column: "s", "s[2]" in a family, "s[2,1,3]" for a matrix in a
 * family. */
static const char *given_name(ritti_resolver *s, uint32_t token, const ritti_shape *shape,
                              size_t i) {
  const char *member = ritti_member_name(s, token, NULL, 0);
  const char *element = shape ? ritti_element_name(s->reader->scratch, "", shape, i) : NULL;
  if (!shape || !member) return member;
  if (!element) return NULL;

  /* append the indices of the element to the indices of the family */
  size_t length = strlen(member);
  bool indexed = length && member[length - 1] == ']';
  if (indexed)
    return ritti_arena_format(s->model->arena, "%.*s,%s", (int)length - 1, member, element + 1);
  return ritti_arena_format(s->model->arena, "%s%s", member, element);
}

/* The name of a column: the given one, the name of a variable's derivative, or the expression
 * as typed. In the model's memory; NULL: no memory. */
static const char *column_name(ritti_resolver *s, const ritti_node *n, uint32_t name, ritti_value v,
                               size_t i) {
  ritti_arena *keep = s->model->arena;
  ritti_expr e = ritti_element(v, i);
  int primes;
  if (name != NO_TOKEN) return given_name(s, name, v.shape, i);
  if (!v.shape) return ritti_shown(s, keep, n, false);

  /* values of an array of parts */
  const ritti_node *path = n->kind == N_PRIME ? n->child : n;
  const char *member =
      path->kind == N_PATH ? ritti_spread_name(s, path, i, ritti_value_count(v)) : NULL;
  if (member) return ritti_jet_name(keep, member, n->kind == N_PRIME ? n->count : 0);

  /* elements that are variables, derivatives or parameters have names of their own */
  if (n->kind != N_CALL && ritti_op_of(s->dag, e) == RITTI_JET)
    return ritti_jet_name(keep, s->model->variable[ritti_index_of(s->dag, e)].name,
                          ritti_order_of(s->dag, e));
  if (n->kind != N_CALL && ritti_op_of(s->dag, e) == RITTI_PARAMETER)
    return s->model->parameter[ritti_index_of(s->dag, e)].name;

  /* elements of a named array */
  const ritti_symbol *y = plain_array(s, n, &primes);
  if (y) {
    const char *element = ritti_element_name(s->reader->scratch, y->name, y->shape, i);
    return element ? ritti_jet_name(keep, element, primes) : NULL;
  }

  /* elements of an expression: (x + y)[1] */
  return ritti_element_name(
      keep, ritti_words(s->reader, "(%s)", ritti_shown(s, s->reader->scratch, n, false)), v.shape,
      i);
}

/* Makes a named array of columns known as a whole, for plots. */
static ritt_status name_columns(ritti_resolver *s, const ritti_statement *line, ritti_value v) {
  if (line->name == NO_TOKEN || !v.shape || s->bound.count > s->floor) return RITT_OK;
  const char *name = ritti_keep_name(s->reader, line->name);
  if (!name || !is_new_column(s, line, name)) return s->reader->status;

  /* keep the elements until the plots are resolved */
  ritti_symbol *y = ritti_symbols_add(&s->columns, name, Y_OUTPUT, line->first);
  ritti_shape *shape = ritti_arena_alloc(s->reader->scratch, 1, sizeof *shape);
  ritti_expr *at = ritti_arena_alloc(s->reader->scratch, v.shape->size, sizeof *at);
  if (!y || !shape || !at) return RITT_NO_MEMORY;
  *shape = *v.shape;
  if (shape->size) memcpy(at, v.at, shape->size * sizeof *at);
  y->shape = shape;
  y->at = at;
  return RITT_OK;
}

/* Adds a column, or one for each element. */
static ritt_status resolve_output(ritti_resolver *s, const ritti_statement *line, void *context) {
  gathered *g = context;

  /* the independent variable is a column of every table */
  if (line->name == NO_TOKEN && is_independent(s, line->right)) return RITT_OK;
  ritti_value v = ritti_resolve_value(s, line->right, &ritti_anything);

  /* each column is known by its name in plots */
  /* its name must be new */
  for (size_t i = 0; i < ritti_value_count(v); i++) {
    ritti_expr e = ritti_element(v, i);
    const char *name = column_name(s, line->right, line->name, v, i);
    if (!name) return RITT_NO_MEMORY;
    if (!is_new_column(s, line, name)) continue;
    ritti_symbol *y =
        ritti_symbols_add(&s->columns, name, e == RITTI_NIL ? Y_BROKEN : Y_OUTPUT, line->first);
    if (!y) return RITT_NO_MEMORY;
    y->expr = e;

    /* a column of the table */
    ritti_output_def def = {
        .name = name, .expr = e, .place = ritti_place_of(s->reader, line->first)};
    if (e != RITTI_NIL) RITT_TRY(RITTI_PUSH(g->output, def));
  }
  return name_columns(s, line, v);
}

/* Finds or adds the plot column that shows an expression. */
static ritt_status plot_column(ritti_resolver *s, const ritti_node *n, ritti_value v, size_t i,
                               gathered *g, int *column) {
  ritti_expr e = ritti_element(v, i);

  /* an expression is stored once */
  for (*column = 0; (size_t)*column < g->plot_column.count; ++*column)
    if (g->plot_column.at[*column].expr == e) return RITT_OK;

  ritti_output_def def = {.name = column_name(s, n, NO_TOKEN, v, i),
                          .expr = e,
                          .place = ritti_place_of(s->reader, n->first)};
  return def.name ? RITTI_PUSH(g->plot_column, def) : RITT_NO_MEMORY;
}

/* The event or section whose points are drawn. -1: there is none of this name, which was
 * reported. */
static int find_event(ritti_resolver *s, uint32_t token) {
  const char *name = ritti_keep_name(s->reader, token);
  for (int i = 0; name && i < s->model->events; i++)
    if (!strcmp(s->model->event[i].name, name)) return i;
  if (name)
    ritti_say(s->reader, token, "write 'plot (x, y)', or 'plot t: x, y' for graphs over t",
              "no event and no section has the name '%s'", name);
  return -1;
}

/* Do two arrays have the same shape, or is one a number? false: a mistake was reported. */
static bool shapes_fit(ritti_resolver *s, const ritti_node *n, ritti_value x, ritti_value y) {
  if (!x.shape || !y.shape || ritti_same_shape(x.shape, y.shape)) return true;
  ritti_say(s->reader, n->first, "give both the same shape, or draw single elements",
            "%s cannot be drawn over %s", ritti_shape_words(s->reader, y.shape),
            ritti_shape_words(s->reader, x.shape));
  return false;
}

/* Adds curves (x, y) or (x, y, z). Arrays give one curve for each element; a number serves them
 * all. */
static ritt_status resolve_curves(ritti_resolver *s, const ritti_statement *line, gathered *g) {
  enum { MOST_CURVES = 1000 };
  ritti_scope scope = {SCOPE_PLOT, "", false};

  /* the coordinates */
  int event = line->name == NO_TOKEN ? -1 : find_event(s, line->name);
  ritti_value x = ritti_resolve_value(s, line->left, &scope);
  ritti_value y = ritti_resolve_value(s, line->right, &scope);
  ritti_value z = y;
  if (line->third) z = ritti_resolve_value(s, line->third, &scope);

  /* their shapes */
  if (ritti_failed(x) || ritti_failed(y) || ritti_failed(z)) return s->reader->status;
  size_t count = ritti_value_count(z);
  if (y.shape) count = ritti_value_count(y);
  if (x.shape) count = ritti_value_count(x);
  if (!shapes_fit(s, line->right, x, y)) return s->reader->status;
  if (line->third && !(shapes_fit(s, line->third, x, z) && shapes_fit(s, line->third, y, z)))
    return s->reader->status;

  if (count > MOST_CURVES) {
    ritti_say(s->reader, line->right->first, "draw some of them: p[1..3]",
              "a plot of %zu curves shows nothing; at most %d are drawn", count, MOST_CURVES);
    return s->reader->status;
  }

  /* curve by curve */
  for (size_t i = 0; i < count; i++) {
    ritti_curve_def c = {.z = -1, .event = event};
    RITT_TRY(plot_column(s, line->left, x, i, g, &c.x));
    RITT_TRY(plot_column(s, line->right, y, i, g, &c.y));
    if (line->third) RITT_TRY(plot_column(s, line->third, z, i, g, &c.z));
    RITT_TRY(RITTI_PUSH(g->curve, c));
    s->model->panel[s->model->panels - 1].curves++;
  }
  return s->reader->status;
}

/* Resolves all plots; the curves of one section share a panel. */
static ritt_status resolve_plots(ritti_resolver *s, gathered *g) {
  ritti_model *m = s->model;
  int last = -1, curves;
  RITTI_NEW(m->panel, m->arena, s->syntax->list[S_PLOT].count);
  FOR_EACH(line, s, S_PLOT) {
    if (line->panel != last) m->panels++;
    last = line->panel;
    if (line->word == NO_TOKEN) RITT_TRY(resolve_curves(s, line, g));
    else RITT_TRY(ritti_resolve_axis(s, line, &m->panel[m->panels - 1]));
    ritti_arena_clear(s->values);
  }

  /* the panels point into one array of curves */
  ritti_curve_def *curve;
  MOVE(m->plot_column, m->plot_columns, g->plot_column);
  MOVE(curve, curves, g->curve);
  for (int i = 0, at = 0; i < m->panels && at <= curves; at += m->panel[i++].curves)
    m->panel[i].curve = curve + at;
  return s->reader->status;
}

/* ---- the whole model ---- */

/* The name and title of the model. */
static void resolve_head(ritti_resolver *s) {
  ritti_reader *r = s->reader;
  const ritti_statement *line = s->syntax->list[S_MODEL].first;
  if (!line) return;
  s->model->name = ritti_keep_name(r, line->name);
  if (line->word == NO_TOKEN) return;
  const ritti_token *t = ritti_token_at(r, line->word);
  s->model->title = ritti_arena_text(r->keep, r->text + t->start + 1, t->length - 2);
  if (!s->model->title) r->status = RITT_NO_MEMORY;
}

/* Reports a model without variables or equations, if nothing else is wrong. */
static void check_whole(ritti_resolver *s) {
  ritti_reader *r = s->reader;
  if (r->notes.count > 0) return;
  const ritti_statement *variable = s->syntax->list[S_VARIABLE].first;

  /* the array of variables may be empty, or the section may be missing */
  if (s->model->variables == 0 && variable)
    ritti_say(
        r, variable->name, "give it a range with one element or more, such as 1..n with n from 1",
        "the model has no variables: the array '%s' is empty", ritti_quote(r, variable->name));
  else if (s->model->variables == 0)
    ritti_say(r, s->syntax->model, "add a section 'variable', such as 'variable x, y'",
              "the model has no variables");
  else if (s->model->equations == 0)
    ritti_say(r, s->syntax->model, "add a section 'equation' with one equation per line",
              "the model has no equations");
}

/* Resolves all sections. Later sections use what earlier ones have put into the model. */
static ritt_status resolve_sections(ritti_resolver *s, gathered *g) {
  ritti_model *m = s->model;
  const ritti_statement *start = s->syntax->list[S_START].first;

  /* equations of the user, then equations of mechanics; invariants */
  RITT_TRY(ritti_each_statement(s, S_EQUATION, resolve_equation, g));
  MOVE(m->equation, m->equations, g->equation);
  RITT_TRY(ritti_mechanics_add(s));
  RITT_TRY(ritti_each_statement(s, S_INVARIANT, resolve_invariant, g));
  MOVE(m->invariant, m->invariants, g->invariant);

  /* start values, scales and the branch */
  if (start) m->start_place = ritti_place_of(s->reader, start->first);
  RITT_TRY(ritti_each_statement(s, S_START, resolve_start, g));
  MOVE(m->start, m->starts, g->start);
  RITT_TRY(append_observed(s, g));
  RITT_TRY(ritti_each_statement(s, S_SCALE, resolve_scale, NULL));
  RITT_TRY(ritti_each_statement(s, S_BRANCH, ritti_resolve_branch, NULL));

  /* the run, its events and its columns */
  RITT_TRY(resolve_solve(s));
  RITT_TRY(ritti_resolve_events(s));
  RITT_TRY(ritti_each_statement(s, S_OUTPUT, resolve_output, g));
  MOVE(m->output, m->outputs, g->output);
  RITT_TRY(resolve_plots(s, g));
  RITT_TRY(ritti_resolve_scene(s));
  RITT_TRY(ritti_resolve_sweep(s));
  RITT_TRY(ritti_each_statement(s, S_SENSITIVITY, ritti_resolve_sensitivity, &g->sensitivity));
  MOVE(m->sensitivity, m->sensitivities, g->sensitivity);

  /* units and texts */
  RITT_TRY(ritti_each_statement(s, S_UNIT, ritti_resolve_unit, NULL));
  for (int i = 0; i < m->outputs; i++)
    m->output[i].unit = ritti_unit_of(m, m->arena, m->output[i].expr);
  for (int i = 0; i < m->plot_columns; i++)
    m->plot_column[i].unit = ritti_unit_of(m, m->arena, m->plot_column[i].expr);
  RITT_TRY(ritti_parts_list(s));
  return ritti_resolve_docs(s);
}

/* Notes of which parameters the values have decided something. */
static void note_values(ritti_resolver *s) {
  ritti_model *m = s->model;
  for (int k = 0; k < m->parameter_names; k++) {
    const ritti_name_def *n = &m->parameter_name[k];
    const ritti_symbol *y = ritti_symbols_find(&s->names, n->name, strlen(n->name));
    for (int i = 0; i < n->count && y && y->read; i++) m->parameter[n->first + i].read = true;
  }
  if (m->strong_potential != RITTI_NIL) m->parameter[m->strong_parameter].read = true;
}

ritt_status ritti_resolve(ritti_resolver *s, const ritti_override *override, size_t overrides) {
  gathered g = {.given = NO_TOKEN};

  /* names and definitions, then the sections */
  resolve_head(s);
  s->values = ritti_arena_new();
  if (!s->values) return RITT_NO_MEMORY;
  RITT_TRY(ritti_define(s, override, overrides));
  ritt_status status = resolve_sections(s, &g);

  /* on success the arrays are empty */
  RITTI_ARRAY_FREE(g.equation);
  RITTI_ARRAY_FREE(g.invariant);
  RITTI_ARRAY_FREE(g.start);
  RITTI_ARRAY_FREE(g.observed);
  RITTI_ARRAY_FREE(g.observation);
  RITTI_ARRAY_FREE(g.output);
  RITTI_ARRAY_FREE(g.plot_column);
  RITTI_ARRAY_FREE(g.curve);
  RITTI_ARRAY_FREE(g.sensitivity);
  ritti_free(g.first);
  RITT_TRY(status);
  check_whole(s);
  note_values(s);
  return s->reader->status;
}

void ritti_resolver_clear(ritti_resolver *s) {
  ritti_mechanics_clear(s);
  ritti_parts_clear(s);
  ritti_symbols_clear(&s->names);
  ritti_symbols_clear(&s->unknown);
  ritti_symbols_clear(&s->labels);
  ritti_symbols_clear(&s->columns);
  RITTI_ARRAY_FREE(s->bound);
  ritti_arena_free(s->values);
}
