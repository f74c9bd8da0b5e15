/* Declares every name, sets parameters from outside, and computes the values of parameters and lets
 * in the order of their dependence.
 *
 * Parameters come first, since shapes depend on their values; then the variables get their numbers;
 * lets come last. Definitions are resolved by a depth-first walk with a stack of its own, since a
 * chain of definitions may be long. A name that is met again on the stack closes a circle, which is
 * reported with its members and leaves them undefined. Elements of one array may be defined by each
 * other as long as the recursion ends.
 */
#include <inttypes.h>
#include "define_impl.h"
#include "mechanics_impl.h"

/* ---- declarations ---- */

static bool is_of_library(const ritti_reader *r, uint32_t token) {
  const ritti_source *from = ritti_source_of(r, ritti_token_at(r, token)->line);
  return from->id && from->id[0] == '<';
}

/* Adds a name to a table. A model may give a parameter of a library another value. Any other second definition is reported at the later place. NULL: a mistake was
 * reported, or no memory. */
static ritti_symbol *declare_symbol(ritti_resolver *s, ritti_symbols *table, ritti_symbol_kind kind,
                                    uint32_t token) {
  ritti_reader *r = s->reader;
  const ritti_token *t = ritti_token_at(r, token);

  /* a new name */
  ritti_symbol *old = ritti_symbols_find(table, r->text + t->start, t->length);
  if (!old) {
    ritti_symbol *y = ritti_symbols_add(table, ritti_keep_name(r, token), kind, token);
    if (!y) r->status = RITT_NO_MEMORY;
    return y;
  }

  /* the name exists already */
  const char *name = ritti_quote(r, token);
  if (old->kind == Y_INDEPENDENT) {
    ritti_say(r, token,
              "choose another name, or name the independent variable with 'independent x'",
              "'%s' is the independent variable", name);
    return NULL;
  }

  /* libraries share a parameter; the model's value of it counts, whichever comes first */
  bool library = is_of_library(r, token);
  if (kind == Y_PARAMETER && old->kind == kind && (library || is_of_library(r, old->token))) {
    if (library) return NULL;
    old->token = token;
    return old;
  }

  /* of two definitions the later one is reported, whatever the order of the sections */
  bool behind = ritti_token_before(r, old->token, token);
  uint32_t later = behind ? token : old->token;
  uint32_t first = behind ? old->token : token;
  ritti_say(r, later, "choose another name", "'%s' is defined twice, first in %s", name,
            ritti_line_words(r, first, later));
  return NULL;
}

/* Declares the independent variable: `t` unless the model names it. */
static void declare_independent(ritti_resolver *s) {
  ritti_reader *r = s->reader;
  const ritti_statement *line = s->syntax->list[S_INDEPENDENT].first;
  s->model->independent = line ? ritti_keep_name(r, line->name) : "t";
  if (!ritti_symbols_add(&s->names, s->model->independent, Y_INDEPENDENT,
                         line ? line->name : NO_TOKEN))
    r->status = RITT_NO_MEMORY;
  if (line && line->next)
    ritti_say(r, line->next->name, "remove one of them",
              "there are two sections 'independent', the first in %s",
              ritti_line_words(r, line->name, line->next->name));
}

/* Declares the labels of equations, also inside families. */
static void declare_labels(ritti_resolver *s, const ritti_statement *first) {
  for (const ritti_statement *line = first; line; line = line->next) {
    if (line->each) declare_labels(s, line->body);
    else if (line->name != NO_TOKEN) (void)declare_symbol(s, &s->labels, Y_LABEL, line->name);
  }
}

/* Declares the names that a section defines, from a statement on. */
static void declare_section(ritti_resolver *s, const ritti_statement *first,
                            ritti_symbol_kind kind) {
  for (const ritti_statement *line = first; line; line = line->next) {
    ritti_symbol *y = declare_symbol(s, &s->names, kind, line->name);
    if (y) y->line = line;
  }
}

/* Declares inputs, from a statement on. */
static void declare_inputs(ritti_resolver *s, const ritti_statement *first) {
  declare_section(s, first, Y_LET);
  for (const ritti_statement *line = first; line; line = line->next) {
    ritti_symbol *y = ritti_find_symbol(s, line->name);
    if (y && y->line == line) y->input = true;
  }
}

/* Declares the names of all sections. */
static ritt_status declare_names(ritti_resolver *s) {
  declare_independent(s);
  /* names with values */
  declare_section(s, s->syntax->list[S_PARAMETER].first, Y_PARAMETER);
  declare_section(s, s->syntax->list[S_STIFF].first, Y_PARAMETER);
  declare_section(s, s->syntax->list[S_VARIABLE].first, Y_VARIABLE);
  declare_section(s, s->syntax->list[S_LET].first, Y_LET);
  declare_inputs(s, s->syntax->list[S_INPUT].first);
  declare_section(s, s->syntax->list[S_FUNCTION].first, Y_FUNCTION);
  declare_section(s, s->syntax->list[S_PART].first, Y_PART);

  /* labels, which are a table of their own */
  declare_labels(s, s->syntax->list[S_EQUATION].first);
  declare_labels(s, s->syntax->list[S_INVARIANT].first);
  declare_labels(s, s->syntax->list[S_CONSTRAINT].first);
  declare_labels(s, s->syntax->list[S_NONHOLONOMIC].first);
  return s->reader->status;
}

/* Declares names whose definition could not be read, so that they are not reported as unknown. */
static ritt_status declare_broken(ritti_resolver *s) {
  ritti_reader *r = s->reader;
  for (size_t i = 0; i < s->syntax->broken.count; i++) {
    uint32_t token = s->syntax->broken.at[i];
    const ritti_token *t = ritti_token_at(r, token);
    if (!ritti_symbols_find(&s->names, r->text + t->start, t->length) &&
        !ritti_symbols_add(&s->names, ritti_keep_name(r, token), Y_BROKEN, token))
      r->status = RITT_NO_MEMORY;
  }
  return r->status;
}

/* ---- definitions of arrays ---- */

#define OPEN UINT32_MAX /* an element that is being resolved */

/* Does the definition name an index, as in x[i in 1..3] = i^2? */
static bool has_index(const ritti_statement *line) {
  for (const ritti_node *n = line->ranges; n; n = n->next)
    if (n->at != NO_TOKEN) return true;
  return false;
}

/* The names that the definition of a symbol may use. */
static ritti_scope scope_of(ritti_resolver *s, const ritti_symbol *y) {
  if (y->kind == Y_LET) return ritti_anything;
  return (ritti_scope){SCOPE_PARAMETER, ritti_words(s->reader, "the parameter '%s'", y->name),
                       false};
}

/* Binds the indices of a definition to the indices of element i. */
static bool bind_element(ritti_resolver *s, const ritti_symbol *y, size_t i) {
  size_t step = y->shape->size;
  int k = 0;
  for (const ritti_node *n = y->line->ranges; n; n = n->next, k++) {
    step /= (size_t)y->shape->count[k];
    int64_t index = y->shape->low[k] + (int64_t)(i / step);
    i %= step;
    if (n->at != NO_TOKEN && !ritti_bind_index(s, n->at, index)) return false;
  }
  return true;
}

/* Computes element i of a parameter as a double. false: a mistake was reported. */
static bool parameter_number(ritti_resolver *s, ritti_symbol *y, size_t i, ritti_expr e) {
  const char *name =
      y->shape ? ritti_element_name(s->reader->scratch, y->name, y->shape, i) : y->name;
  ritti_scope scope = {SCOPE_PARAMETER, "", false};
  if (e == RITTI_NIL || ritti_op_of(s->dag, e) != RITTI_NUMBER)
    scope.subject = ritti_words(s->reader, "the parameter '%s'", name ? name : "");
  return ritti_number_of(s, e, y->line->right, &scope, &y->number[i]);
}

ritti_expr ritti_define_element(ritti_resolver *s, ritti_symbol *y, size_t i) {
  /* the element is needed while it is resolved */
  if (y->at[i] == OPEN) {
    const char *name = ritti_element_name(s->reader->scratch, y->name, y->shape, i);
    ritti_say(s->reader, y->line->name, "define it without itself", "'%s' is defined by itself",
              name ? name : y->name);
    return RITTI_NIL;
  }

  /* it is known already */
  if (y->at[i] != RITTI_NIL) return y->at[i];
  if (s->element_depth >= RITTI_ELEMENT_DEPTH) {
    s->too_deep = true;
    return RITTI_NIL;
  }

  /* resolve it with its own indices only */
  const ritti_set *set = ritti_element_override(s, y, i);
  size_t floor = s->floor, bound = s->bound.count;
  ritti_scope scope = scope_of(s, y);
  ritti_expr e = RITTI_NIL;

  /* while it is resolved, it is open and outer indices are invisible */
  y->at[i] = OPEN;
  s->floor = bound;
  s->element_depth++;
  if (set) e = set->value.one;
  else if (bind_element(s, y, i)) e = ritti_resolve_expr(s, y->line->right, &scope);

  /* restore the state around it */
  s->element_depth--;
  s->bound.count = bound;
  s->floor = floor;

  /* parameters need a finite value */
  if (y->kind == Y_PARAMETER && e != RITTI_NIL && !parameter_number(s, y, i, e)) e = RITTI_NIL;
  y->at[i] = e;
  return e;
}

/* Defines the elements one by one. If the first ones need many later ones, begins at the last
 * one. */
static void define_each(ritti_resolver *s, ritti_symbol *y) {
  size_t size = y->shape->size, notes = s->reader->notes.count;
  y->open = true;
  s->too_deep = false;

  /* from the first element on */
  for (size_t i = 0; i < size && !s->too_deep && s->reader->notes.count == notes; i++) {
    (void)ritti_define_element(s, y, i);
    ritti_arena_clear(s->values);
  }

  /* from the last element on */
  bool back = s->too_deep;
  s->too_deep = false;
  for (size_t i = size; back && i-- > 0 && !s->too_deep && s->reader->notes.count == notes;) {
    (void)ritti_define_element(s, y, i);
    ritti_arena_clear(s->values);
  }

  if (s->too_deep)
    ritti_say(s->reader, y->line->name, "define each by the one before it",
              "the elements of '%s' are defined by each other, more than %d of them at once",
              y->name, RITTI_ELEMENT_DEPTH);
  y->open = false;
}

/* Defines all elements by one value of the same shape, or by one number for all. */
static void define_whole(ritti_resolver *s, ritti_symbol *y, ritti_value v) {
  if (v.shape && !ritti_same_shape(v.shape, y->shape)) {
    /* the shapes differ */
    const ritti_set *whole = ritti_whole_override(s, y);
    const char *is = ritti_shape_words(s->reader, y->shape),
               *given = ritti_shape_words(s->reader, v.shape);

    /* the message names the override or the definition */
    if (whole)
      ritti_say_call(s, "give as many values as there are elements, or one for all",
                     ritti_words(s->reader, "the parameter '%s' is %s, the value to set is %s",
                                 y->name, is, given));
    else
      ritti_say(s->reader, y->line->right->first,
                "give as many values as there are elements, or one for all",
                "'%s' is %s, its value is %s", y->name, is, given);
    return;
  }

  /* single elements may have overrides */
  for (size_t i = 0; i < y->shape->size; i++) {
    const ritti_set *set = ritti_element_override(s, y, i);
    ritti_expr e = set ? set->value.one : ritti_element(v, i);
    if (y->kind == Y_PARAMETER && !parameter_number(s, y, i, e)) return;
    y->at[i] = e;
  }
}

/* Allocates the elements of an array. false: no memory. */
static bool room_for_elements(ritti_resolver *s, ritti_symbol *y) {
  y->at = ritti_arena_alloc(s->reader->scratch, y->shape->size, sizeof *y->at);
  y->number = ritti_arena_alloc(s->reader->scratch, y->kind == Y_PARAMETER ? y->shape->size : 0,
                                sizeof *y->number);
  if (!y->at || !y->number) s->reader->status = RITT_NO_MEMORY;
  return y->at && y->number;
}

/* An input is a number that depends on the independent variable only. false: a mistake was
 * reported. */
static bool check_input(ritti_resolver *s, const ritti_symbol *y, ritti_value v) {
  ritti_nodes jets = {0};
  if (v.shape)
    ritti_say(s->reader, y->line->right->first, "declare one input for each element",
              "the input '%s' is one number, its value is %s", y->name,
              ritti_shape_words(s->reader, v.shape));
  else if (ritti_leaves(s->dag, v.one, RITTI_JET, &jets) != RITT_OK)
    s->reader->status = RITT_NO_MEMORY;
  else if (jets.count > 0)
    ritti_say(s->reader, y->line->right->first,
              ritti_words(s->reader, "use parameters and '%s' only, or define it by 'let'",
                          s->model->independent),
              "the input '%s' depends on the variable '%s'", y->name,
              s->model->variable[ritti_index_of(s->dag, jets.at[0])].name);
  bool right = !v.shape && jets.count == 0;
  ritti_free(jets.at);
  return right;
}

/* Adds a parameter that has no name of its own in the text. */
static ritti_expr add_parameter(ritti_resolver *s, const ritti_symbol *y, const char *name,
                                ritti_expr value, double number) {
  ritti_model *m = s->model;
  if (!name) {
    s->reader->status = RITT_NO_MEMORY;
    return RITTI_NIL;
  }
  m->parameter[m->parameters] = (ritti_parameter_def){
      .name = name, .value = value, .number = number, .place = ritti_place_of(s->reader, y->token)};
  s->value[m->parameters] = number;
  return ritti_parameter(s->dag, m->parameters++);
}

/* Makes an input with a constant value one that the caller can set: three parameters are its value
 * and derivatives at the last call. */
static void open_input(ritti_resolver *s, ritti_symbol *y, ritti_expr value) {
  ritti_model *m = s->model;
  ritti_arena *keep = s->reader->keep;
  ritti_dag *dag = s->dag;
  ritti_scope scope = {SCOPE_ANY, ritti_words(s->reader, "the input '%s'", y->name), false};
  double number = 0;

  /* the value without other parameters; when these change, the text is read again */
  if (!ritti_number_of(s, value, y->line->right, &scope, &number)) return;
  ritti_nodes used = {0};
  if (ritti_leaves(dag, value, RITTI_PARAMETER, &used) != RITT_OK)
    s->reader->status = RITT_NO_MEMORY;
  for (size_t i = 0; i < used.count && s->reader->status == RITT_OK; i++) {
    ritti_parameter_def *p = &m->parameter[ritti_index_of(dag, used.at[i])];
    p->read = true;
    s->reader->status = ritti_dag_substitute(dag, &used.at[i], &p->value, 1, &value, 1);
  }
  ritti_free(used.at);

  /* x0, once */
  ritti_expr zero = ritti_number(dag, 0, 1);
  if (m->input_time < 0) {
    m->input_time = m->parameters;
    (void)add_parameter(s, y, ritti_arena_format(keep, "%s@", m->independent), zero, 0);
  }

  /* u + s (u' + u'' s/2) */
  int first = m->parameters;
  ritti_expr u = add_parameter(s, y, y->name, value, number);
  ritti_expr du = add_parameter(s, y, ritti_arena_format(keep, "%s'", y->name), zero, 0);
  ritti_expr ddu = add_parameter(s, y, ritti_arena_format(keep, "%s''", y->name), zero, 0);
  if (s->reader->status != RITT_OK) return;
  ritti_expr since =
      ritti_subtract(dag, ritti_independent(dag), ritti_parameter(dag, m->input_time));
  ritti_expr half = ritti_divide(dag, ritti_multiply(dag, ddu, since), ritti_number(dag, 2, 1));
  y->expr = ritti_add(dag, u, ritti_multiply(dag, since, ritti_add(dag, du, half)));
  m->input[m->inputs++] = (ritti_input_def){.name = y->name, .expr = y->expr, .parameter = first};
}

/* Does the value depend on the independent variable? */
static bool is_moving(const ritti_resolver *s, ritti_expr e) {
  return ritti_depends_on(s->dag, e, ritti_independent(s->dag));
}

/* Defines a parameter or let. Everything that its definition needs is known. */
static void define_symbol(ritti_resolver *s, ritti_symbol *y) {
  const ritti_statement *line = y->line;
  const ritti_set *set = ritti_whole_override(s, y);

  /* an array with a declared shape, defined as a whole or element by element */
  if (line->ranges) {
    y->shape = ritti_resolve_shape(s, line);
    if (!y->shape || !room_for_elements(s, y)) return;
    if (has_index(line) && !set) {
      define_each(s, y);
      return;
    }
  }

  /* an override or the right-hand side gives the value */
  ritti_scope scope = scope_of(s, y);
  ritti_value v = ritti_scalar(RITTI_NIL);
  if (set) v = set->value;
  else if (line->right) v = ritti_resolve_value(s, line->right, &scope);
  else v = ritti_scalar(ritti_number(s->dag, 0, 1));
  if (!ritti_failed(v)) {
    /* the value gives the shape if none is declared */
    if (v.shape && !y->shape) {
      y->shape = ritti_keep_value(s, v).shape;
      if (!y->shape || !room_for_elements(s, y)) return;
    }

    /* an array, a let, or a parameter that is one number */
    if (y->input && !check_input(s, y, v)) v.one = RITTI_NIL;
    if (y->shape) define_whole(s, y, v);
    else if (y->input && v.one != RITTI_NIL && !line->owner && !is_moving(s, v.one))
      open_input(s, y, v.one);
    else if (y->kind == Y_LET) y->expr = v.one;
    else {
      y->number = ritti_arena_alloc(s->reader->scratch, 1, sizeof *y->number);
      if (!y->number) s->reader->status = RITT_NO_MEMORY;
      else if (parameter_number(s, y, 0, v.one)) y->expr = v.one;
    }
  }
  ritti_arena_clear(s->values);
}

/* ---- parameters and lets, in the order of their dependence ---- */

typedef enum definition_kind {
  OF_NAME,        /* a parameter or a let */
  OF_CONSTRAINTS, /* the multipliers, by all constraints together */
  OF_MECHANICS    /* energy, momenta and reactions, by lagrangian or hamiltonian */
} definition_kind;

/* A vertex of the graph of definitions. */
typedef struct definition {
  definition_kind kind;
  const ritti_statement *line;
  size_t symbol;   /* index of its name */
  uint32_t *needs; /* the definitions that it uses */
  size_t count;
  int state; /* 0: not visited, 1: on the stack, 2: finished */
  bool circular;
} definition;

/* The depth-first walk over the definitions of a section. */
typedef struct walk {
  ritti_resolver *s;
  definition *at;
  size_t count;
  uint32_t *of_symbol;  /* 1 + the definition of a symbol; 0: none */
  uint32_t constraints; /* 1 + the definition of the multipliers; 0: none */
  uint32_t mechanics;   /* 1 + the definition of energy, momenta and reactions; 0: none */
  RITTI_ARRAY(uint32_t) needs, stack, next;
  RITTI_ARRAY(uint32_t) hidden; /* indices and arguments that hide names at the present node */
  size_t hidden_from;           /* hidden names with a lower index are not in scope */
  int collecting;               /* the definition whose needs are collected, from 1 */
} walk;

/* An index or argument hides other names that are spelt like it. */
static void hide_name(walk *w, const ritti_node *n) {
  if (n->at != NO_TOKEN && RITTI_PUSH(w->hidden, n->at) != RITT_OK)
    w->s->reader->status = RITT_NO_MEMORY;
}

/* Is the name an index or argument here, and not a definition? */
static bool is_hidden(const walk *w, uint32_t token) {
  for (size_t i = w->hidden_from; i < w->hidden.count; i++)
    if (ritti_same_word(w->s->reader, w->hidden.at[i], token)) return true;
  return false;
}

static void collect_needs(walk *w, const ritti_node *n);

/* Collects what the body of a function needs, once for each definition that calls it. */
static void collect_function_needs(walk *w, ritti_symbol *y) {
  size_t from = w->hidden_from, count = w->hidden.count;
  if (y->index == w->collecting) return;

  /* inside the body only its own arguments hide names */
  y->index = w->collecting;
  w->hidden_from = count;
  for (const ritti_node *a = y->line->arguments; a; a = a->next) {
    if (a->child) collect_needs(w, a->child);
    hide_name(w, a);
  }
  if (y->line->right) collect_needs(w, y->line->right);
  w->hidden.count = count;
  w->hidden_from = from;
}

/* Collects what a path needs: the definition that it leads to, and what its indices need. A path
 * whose indices are not known yet is resolved when it is needed. */
static void collect_path_needs(walk *w, const ritti_node *n) {
  const ritti_symbol *y = ritti_path_symbol_if_known(w->s, n);
  uint32_t need = y ? w->of_symbol[y - w->s->names.all.at] : 0;
  if (need && RITTI_PUSH(w->needs, need - 1) != RITT_OK) w->s->reader->status = RITT_NO_MEMORY;
  for (const ritti_node *c = n->child; c; c = c->next)
    for (const ritti_node *i = c->kind == N_INDEX ? c->child->next : NULL; i; i = i->next)
      collect_needs(w, i);
}

/* Collects into w->needs the definitions that an expression uses. Indices and arguments hide other
 * names that are spelt like them. */
static void collect_needs(walk *w, const ritti_node *n) {
  size_t hidden = w->hidden.count;
  if (n->kind == N_PATH) {
    collect_path_needs(w, n);
    return;
  }

  /* a name or a call: its definition, and the needs of a function's body */
  if ((n->kind == N_NAME || n->kind == N_CALL) && !is_hidden(w, n->at)) {
    ritti_symbol *y = ritti_find_symbol(w->s, n->at);
    uint32_t need = y ? w->of_symbol[y - w->s->names.all.at] : 0;
    if (!y && n->kind == N_CALL && ritti_is_mechanical(w->s, n)) need = w->mechanics;
    if (need && RITTI_PUSH(w->needs, need - 1) != RITT_OK) w->s->reader->status = RITT_NO_MEMORY;
    if (y && y->kind == Y_FUNCTION && y->line) collect_function_needs(w, y);
  }

  /* the children; an index is visible in the children after it */
  for (const ritti_node *c = n->child; c; c = c->next) {
    collect_needs(w, c);
    if (c->kind == N_EACH) hide_name(w, c);
  }
  w->hidden.count = hidden;
}

/* Adds definitions to the graph, from a statement on. */
static void add_definitions(walk *w, const ritti_statement *first) {
  for (const ritti_statement *line = first; line; line = line->next) {
    ritti_symbol *y = ritti_find_symbol(w->s, line->name);
    if (!y || y->token != line->name) continue; /* defined twice: reported */
    size_t symbol = (size_t)(y - w->s->names.all.at);
    w->at[w->count++] = (definition){.line = line, .symbol = symbol};
    y->pending = y->kind == Y_LET && w->s->parts;
    w->of_symbol[symbol] = (uint32_t)w->count;
  }
}

/* The token that messages about a definition point at. */
static uint32_t definition_token(const definition *d) {
  return d->line->name != NO_TOKEN ? d->line->name : d->line->first;
}

/* Adds the definition of the multipliers or of the quantities of mechanics to the graph. */
static uint32_t add_special(walk *w, definition_kind kind, const ritti_statement *line) {
  w->at[w->count++] = (definition){.kind = kind, .line = line};
  return (uint32_t)w->count;
}

/* Adds the definitions that belong to mechanics. */
static void add_mechanics(walk *w) {
  const ritti_mechanics *M = w->s->mechanics;
  size_t symbol;
  if (!M) return;

  /* the multipliers are defined by all constraints together */
  if (M->clauses.count) w->constraints = add_special(w, OF_CONSTRAINTS, M->clauses.at[0].line);
  for (size_t i = 0; w->constraints && ritti_multiplier_symbol(w->s, i, &symbol); i++)
    if (symbol != SIZE_MAX) w->of_symbol[symbol] = w->constraints;

  /* energy, momenta and reactions by the lagrangian or hamiltonian */
  w->mechanics = add_special(w, OF_MECHANICS, ritti_mechanics_first(w->s));
  const ritti_symbol *energy = ritti_symbols_find(&w->s->names, "energy", strlen("energy"));
  if (M->head && energy && energy->token == M->head->first)
    w->of_symbol[energy - w->s->names.all.at] = w->mechanics;
}

/* Collects the needs of statements, also inside families. */
static void collect_statement_needs(walk *w, const ritti_statement *first) {
  for (const ritti_statement *line = first; line; line = line->next) {
    size_t hidden = w->hidden.count;
    for (const ritti_node *n = line->each; n; n = n->next) hide_name(w, n);
    if (line->each) collect_statement_needs(w, line->body);
    if (line->left) collect_needs(w, line->left);
    if (line->right) collect_needs(w, line->right);
    w->hidden.count = hidden;
  }
}

/* Reports a constraint that contains a multiplier; the constraints are then not resolved. */
static void check_multipliers(walk *w, definition *d, uint32_t self) {
  size_t kept = 0;
  for (size_t i = 0; i < w->needs.count; i++)
    if (w->needs.at[i] != self) w->needs.at[kept++] = w->needs.at[i];
  if (kept == w->needs.count) return;
  w->needs.count = kept;
  d->circular = true;
  ritti_say(w->s->reader, definition_token(d), "write it with the coordinates alone",
            "the constraints depend on one of their multipliers");
}

/* Collects the needs of the constraints, or of the lagrangian or hamiltonian. */
static ritt_status collect_special_needs(walk *w, definition *d) {
  static const ritti_section sections[] = {S_LAGRANGIAN, S_HAMILTONIAN, S_STIFF};
  const ritti_syntax *syntax = w->s->syntax;
  /* the multipliers: all constraints, without the multipliers themselves */
  if (d->kind == OF_CONSTRAINTS) {
    collect_statement_needs(w, syntax->list[S_CONSTRAINT].first);
    collect_statement_needs(w, syntax->list[S_NONHOLONOMIC].first);
    check_multipliers(w, d, w->constraints - 1);
    return RITT_OK;
  }

  /* energy, momenta and reactions: the lagrangian or hamiltonian, and the multipliers */
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
    collect_statement_needs(w, syntax->list[sections[i]].first);
  if (!w->constraints) return RITT_OK;
  return RITTI_PUSH(w->needs, w->constraints - 1);
}

/* Finds the needs of every definition. */
static ritt_status find_needs(walk *w) {
  for (size_t i = 0; i < w->count; i++) {
    definition *d = &w->at[i];
    w->needs.count = 0;
    w->hidden.count = 0;
    w->collecting = (int)i + 1;

    /* ranges and right-hand side, or the statements of mechanics */
    for (const ritti_node *n = d->line->ranges; n; n = n->next) {
      collect_needs(w, n);
      hide_name(w, n);
    }
    if (d->kind == OF_NAME && d->line->right) collect_needs(w, d->line->right);
    if (d->kind != OF_NAME) RITT_TRY(collect_special_needs(w, d));

    /* an element of an array may use other elements: that is not a circle of names */
    size_t count = 0;
    for (size_t k = 0; k < w->needs.count; k++)
      if (w->needs.at[k] != i || !has_index(d->line)) w->needs.at[count++] = w->needs.at[k];
    RITTI_NEW(d->needs, w->s->reader->scratch, count);
    if (count) memcpy(d->needs, w->needs.at, count * sizeof *d->needs);
    d->count = count;
  }
  return w->s->reader->status;
}

/* The name of a definition for messages. */
static const char *definition_name(const walk *w, uint32_t d) {
  if (w->at[d].kind == OF_CONSTRAINTS) return "constraint";
  if (w->at[d].kind == OF_MECHANICS)
    return w->s->syntax->said[S_LAGRANGIAN] ? "lagrangian" : "hamiltonian";
  return w->s->names.all.at[w->at[d].symbol].name;
}

/* Reports the circle of definitions on the stack from `from` to its top. */
static void tell_circle(walk *w, size_t from) {
  enum { SHOWN = 8 };
  ritti_reader *r = w->s->reader;
  size_t length = w->stack.count - from, first = 0;

  /* the message begins with the definition that comes first in the file */
  for (size_t i = 0; i < length; i++) {
    definition *d = &w->at[w->stack.at[from + i]];
    if (d->circular) return; /* it belongs to a circle that was reported */
    uint32_t known = definition_token(&w->at[w->stack.at[from + first]]);
    if (ritti_token_before(r, definition_token(d), known)) first = i;
  }

  /* list the members of the circle */
  const char *path = "";
  for (size_t i = 0; i <= length; i++) {
    uint32_t d = w->stack.at[from + (first + i) % length];
    w->at[d].circular = true;
    if (i == SHOWN && length > SHOWN) path = ritti_words(r, "%s -> ...", path);
    if (i < SHOWN || i == length)
      path = ritti_words(r, "%s%s%s", path, i ? " -> " : "", definition_name(w, d));
  }

  uint32_t circle = w->stack.at[from + first];
  uint32_t at = definition_token(&w->at[circle]);
  if (length == 1)
    ritti_say(r, at, "define it without itself", "'%s' is defined by itself",
              definition_name(w, circle));
  else
    ritti_say(r, at, "define one of them without the others", "the definitions form a circle: %s",
              path);
}

/* Resolves a definition; everything that it needs is known. */
static void resolve_definition(ritti_resolver *s, const definition *d) {
  ritti_symbol *y = d->kind == OF_NAME ? &s->names.all.at[d->symbol] : NULL;
  bool known = y && y->kind == Y_LET && s->parts && !y->pending;
  if (y) y->pending = false;
  if (d->circular || known) return;
  if (y) {
    define_symbol(s, y);
    return;
  }
  ritt_status status =
      d->kind == OF_CONSTRAINTS ? ritti_constraints_resolve(s) : ritti_mechanics_resolve(s);
  if (status != RITT_OK) s->reader->status = RITT_NO_MEMORY;
}

void ritti_define_pending(ritti_resolver *s, ritti_symbol *y) {
  ritti_arena *values = s->values;
  size_t floor = s->floor, bound = s->bound.count;

  /* it needs itself, or the chain of such definitions is too long */
  if (y->open || s->element_depth >= RITTI_ELEMENT_DEPTH) {
    y->pending = false;
    ritti_say(s->reader, y->token, "define it without itself",
              y->open ? "'%s' is defined by itself"
                      : "'%s' is defined through too many other names",
              y->name);
    return;
  }

  /* outer indices are invisible, and outer arrays keep their memory */
  s->values = ritti_arena_new();
  if (!s->values) {
    s->values = values;
    s->reader->status = RITT_NO_MEMORY;
    return;
  }
  y->pending = false;
  y->open = true;
  s->floor = bound;
  s->element_depth++;
  define_symbol(s, y);
  s->element_depth--;
  s->floor = floor;
  y->open = false;
  ritti_arena_free(s->values);
  s->values = values;
}

/* Puts a definition on the stack. */
static ritt_status enter_definition(walk *w, uint32_t d) {
  w->at[d].state = 1;
  RITT_TRY(RITTI_PUSH(w->stack, d));
  return RITTI_PUSH(w->next, 0);
}

/* The position of a definition on the stack. */
static size_t stack_index(const walk *w, uint32_t d) {
  size_t i = w->stack.count;
  while (w->stack.at[--i] != d) {}
  return i;
}

/* Resolves a definition and all that it needs, depth first. */
static ritt_status walk_from(walk *w, uint32_t root) {
  RITT_TRY(enter_definition(w, root));
  while (w->stack.count) {
    uint32_t d = w->stack.at[w->stack.count - 1];
    uint32_t *next = &w->next.at[w->next.count - 1];

    /* visit the next need; one that is on the stack closes a circle */
    if (*next < w->at[d].count) {
      uint32_t need = w->at[d].needs[(*next)++];
      if (w->at[need].state == 0) RITT_TRY(enter_definition(w, need));
      else if (w->at[need].state == 1) tell_circle(w, stack_index(w, need));
      continue;
    }

    /* all needs are known */
    resolve_definition(w->s, &w->at[d]);
    w->at[d].state = 2;
    w->stack.count--;
    w->next.count--;
  }
  return RITT_OK;
}

/* Resolves the parameters, or the lets with what mechanics defines, from a statement on. */
static ritt_status walk_all(walk *w, const ritti_statement *first, bool parameters) {
  ritti_arena *scratch = w->s->reader->scratch;
  const ritti_syntax *syntax = w->s->syntax;
  bool stiff = parameters && first == syntax->list[S_PARAMETER].first;
  size_t count = syntax->list[S_STIFF].count + syntax->list[S_INPUT].count + 2;
  for (const ritti_statement *line = first; line; line = line->next) count++;

  /* the graph */
  RITTI_NEW(w->at, scratch, count);
  RITTI_NEW(w->of_symbol, scratch, w->s->names.all.count);
  add_definitions(w, first);
  if (!parameters) add_definitions(w, syntax->list[S_INPUT].first);
  if (stiff) add_definitions(w, syntax->list[S_STIFF].first);
  if (!parameters) add_mechanics(w);
  RITT_TRY(find_needs(w));

  /* the walk */
  for (size_t i = 0; i < w->count; i++)
    if (w->at[i].state == 0) RITT_TRY(walk_from(w, (uint32_t)i));
  return w->s->reader->status;
}

/* Resolves definitions of parameters or of lets, from a statement on. */
static ritt_status define_from(ritti_resolver *s, const ritti_statement *first, bool parameters) {
  walk w = {.s = s};
  ritt_status status = walk_all(&w, first, parameters);
  RITTI_ARRAY_FREE(w.needs);
  RITTI_ARRAY_FREE(w.stack);
  RITTI_ARRAY_FREE(w.next);
  RITTI_ARRAY_FREE(w.hidden);
  return status;
}

/* ---- numbers of parameters and variables ---- */

const char *ritti_shown_name(ritti_resolver *s, const ritti_symbol *y) {
  const char *text = "";
  /* "1..3, 2" */
  for (int k = 0; y->shape && k < y->shape->rank; k++) {
    text = ritti_words(s->reader, "%s%s%" PRId64, text, k ? ", " : "", y->shape->low[k]);
    if (y->shape->count[k] != 1)
      text =
          ritti_words(s->reader, "%s..%" PRId64, text, y->shape->low[k] + y->shape->count[k] - 1);
  }

  /* the name with its ranges */
  const char *shown = y->name;
  if (y->shape) shown = ritti_arena_format(s->reader->keep, "%s[%s]", y->name, text);
  if (!shown) s->reader->status = RITT_NO_MEMORY;
  return shown;
}

/* The number of elements of a symbol. */
static size_t size_of(const ritti_symbol *y) { return y->shape ? y->shape->size : 1; }

/* Gives the names of a section their numbers in the order of the file, one for each element.
 * Definitions that could not be read are left out. */
static void number_names(ritti_resolver *s, ritti_section section, ritti_name_def *names,
                         int *count, int *total) {
  FOR_EACH(line, s, section) {
    ritti_symbol *y = ritti_find_symbol(s, line->name);
    if (!y || y->token != line->name || (line->ranges && !y->shape)) continue;
    y->index = *total;
    if (line->owner && section == S_VARIABLE) line->owner->unknowns += (int)size_of(y);
    names[(*count)++] = (ritti_name_def){.name = y->name,
                                         .shown = ritti_shown_name(s, y),
                                         .first = *total,
                                         .count = (int)size_of(y)};
    *total += (int)size_of(y);
  }
}

/* The name of element i: "x", "x[2]". */
static const char *name_of_element(ritti_resolver *s, const ritti_symbol *y, size_t i) {
  const char *name = y->shape ? ritti_element_name(s->reader->keep, y->name, y->shape, i) : y->name;
  if (!name) s->reader->status = RITT_NO_MEMORY;
  return name;
}

/* Numbers the parameters and puts their values into the model. */
static ritt_status number_parameters(ritti_resolver *s) {
  ritti_model *m = s->model;
  RITTI_NEW(m->parameter_name, m->arena,
            s->syntax->list[S_PARAMETER].count + s->syntax->list[S_STIFF].count);
  number_names(s, S_PARAMETER, m->parameter_name, &m->parameter_names, &m->parameters);
  number_names(s, S_STIFF, m->parameter_name, &m->parameter_names, &m->parameters);

  /* inputs add parameters later */
  size_t inputs = s->syntax->list[S_INPUT].count;
  size_t room = (size_t)m->parameters + RITTI_INPUT_VALUES * inputs + 1;
  RITTI_NEW(m->parameter, m->arena, room);
  RITTI_NEW(s->value, s->reader->scratch, room);
  RITTI_NEW(m->input, m->arena, inputs);
  m->input_time = -1;

  /* the value of each element */
  for (int k = 0; k < m->parameter_names; k++) {
    const ritti_name_def *n = &m->parameter_name[k];
    const ritti_symbol *y = ritti_symbols_find(&s->names, n->name, strlen(n->name));
    ritti_place place = ritti_place_of(s->reader, y->token);
    for (int i = 0; i < n->count; i++) {
      ritti_expr e = y->expr;
      if (y->shape) e = y->at ? y->at[i] : RITTI_NIL;
      m->parameter[n->first + i] =
          (ritti_parameter_def){.name = name_of_element(s, y, (size_t)i),
                                .value = e,
                                .number = e != RITTI_NIL ? y->number[i] : NAN,
                                .place = place};
    }
  }
  return s->reader->status;
}

/* Numbers the variables; their shapes depend on parameters only. */
static ritt_status number_variables(ritti_resolver *s) {
  ritti_model *m = s->model;
  FOR_EACH(line, s, S_VARIABLE) {
    ritti_symbol *y = ritti_find_symbol(s, line->name);
    if (y && y->token == line->name && line->ranges) y->shape = ritti_resolve_shape(s, line);
  }

  RITTI_NEW(m->variable_name, m->arena, s->syntax->list[S_VARIABLE].count);
  number_names(s, S_VARIABLE, m->variable_name, &m->variable_names, &m->variables);
  RITTI_NEW(m->variable, m->arena, m->variables);

  /* a variable of the model for each element */
  for (int k = 0; k < m->variable_names; k++) {
    const ritti_name_def *n = &m->variable_name[k];
    const ritti_symbol *y = ritti_symbols_find(&s->names, n->name, strlen(n->name));
    ritti_place place = ritti_place_of(s->reader, y->token);
    for (int i = 0; i < n->count; i++)
      m->variable[n->first + i] =
          (ritti_variable_def){.name = name_of_element(s, y, (size_t)i),
                               .potential = y->line && y->line->potential,
                               .unconnected = y->line ? y->line->unconnected : 0,
                               .place = place};
  }
  return s->reader->status;
}

/* Lists the names of variables and parameters for printing. */
static ritt_status list_names(ritti_resolver *s) {
  ritti_model *m = s->model;
  const char **variable, **parameter;
  RITTI_NEW(variable, m->arena, m->variables);
  RITTI_NEW(parameter, m->arena, m->parameters);
  for (int i = 0; i < m->variables; i++) variable[i] = m->variable[i].name;
  for (int i = 0; i < m->parameters; i++) parameter[i] = m->parameter[i].name;
  m->names =
      (ritti_names){.independent = m->independent, .variable = variable, .parameter = parameter};
  return RITT_OK;
}

/* The statement after one; with NULL the first one of its section. */
static const ritti_statement *next_of(const ritti_resolver *s, ritti_section section,
                                      const ritti_statement *last) {
  return last ? last->next : s->syntax->list[section].first;
}

/* Makes the parts level by level, each with its parameters, then all their other statements. */
static ritt_status define_parts(ritti_resolver *s, const ritti_override *override,
                                size_t overrides) {
  const ritti_statement *parameter = s->syntax->list[S_PARAMETER].last;
  const ritti_statement *input = s->syntax->list[S_INPUT].last;
  const ritti_statement *let = s->syntax->list[S_LET].last;
  for (;;) {
    bool more;
    RITT_TRY(ritti_parts_expand(s, &more));
    if (!more) break;
    declare_section(s, next_of(s, S_PARAMETER, parameter), Y_PARAMETER);
    RITT_TRY(ritti_read_overrides(s, override, overrides, false));
    RITT_TRY(define_from(s, next_of(s, S_PARAMETER, parameter), true));
    parameter = s->syntax->list[S_PARAMETER].last;
  }

  /* the names of the other statements */
  const ritti_statement *variable = s->syntax->list[S_VARIABLE].last;
  RITT_TRY(ritti_parts_complete(s));

  /* after a mistake parts are missing, and their names are unknown */
  if (s->reader->notes.count > 0) s->syntax->any_name = true;
  declare_section(s, next_of(s, S_VARIABLE, variable), Y_VARIABLE);
  declare_section(s, next_of(s, S_LET, let), Y_LET);
  declare_inputs(s, next_of(s, S_INPUT, input));
  return s->reader->status;
}

ritt_status ritti_define(ritti_resolver *s, const ritti_override *override, size_t overrides) {
  /* names, and the values that are set from outside */
  RITT_TRY(declare_names(s));
  RITT_TRY(declare_broken(s));
  RITT_TRY(ritti_read_overrides(s, override, overrides, s->syntax->list[S_PART].count == 0));
  ritti_check_functions(s);

  /* parameters, then parts and variables, whose numbers may depend on parameters */
  RITT_TRY(define_from(s, s->syntax->list[S_PARAMETER].first, true));
  if (s->syntax->list[S_PART].count) {
    RITT_TRY(define_parts(s, override, overrides));
    RITT_TRY(ritti_read_overrides(s, override, overrides, true));
  }
  ritti_check_overrides(s);
  RITT_TRY(number_parameters(s));
  RITT_TRY(number_variables(s));

  /* lets, and what they may use of mechanics */
  RITT_TRY(ritti_mechanics_declare(s));
  RITT_TRY(define_from(s, s->syntax->list[S_LET].first, false));
  return list_names(s);
}
