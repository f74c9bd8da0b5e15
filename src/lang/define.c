/* Names: every one declared, parameters set from outside, and the values of parameters and lets in the order
 * of their dependence.
 *
 * Definitions are resolved by a depth-first walk with a stack of its own (a chain of definitions may be
 * long); a name met again on the stack closes a circle, which is told with its members and leaves them
 * undefined.
 */
#include "mechanics_impl.h"

/* ---- declarations ------------------------------------------------------------------------------------- */

/* Adds a name to a table; a second definition is told at the later place. NULL: told, or no memory. */
static ritti_symbol *declare(ritti_resolver *s, ritti_symbols *table, ritti_symbol_kind kind,
                             uint32_t token) {
  ritti_reader *r = s->reader;
  const ritti_token *t = ritti_token_at(r, token);
  const ritti_symbol *old = ritti_symbols_find(table, r->text + t->start, t->length);
  if (!old) {
    ritti_symbol *y = ritti_symbols_add(table, ritti_keep_name(r, token), kind, token);
    if (!y) r->status = RITT_NO_MEMORY;
    return y;
  }
  const char *name = ritti_quote(r, token);
  if (old->kind == Y_INDEPENDENT) {
    ritti_say(r, token, "choose another name, or name the independent variable with 'independent x'",
              "'%s' is the independent variable", name);
    return NULL;
  }
  uint32_t later = token > old->token ? token : old->token, first = token > old->token ? old->token : token;
  ritti_say(r, later, "choose another name", "'%s' is defined twice, first in line %d", name,
            ritti_token_at(r, first)->line);
  return NULL;
}

static void declare_independent(ritti_resolver *s) {
  ritti_reader *r = s->reader;
  const ritti_statement *line = s->syntax->list[S_INDEPENDENT].first;
  s->model->independent = line ? ritti_keep_name(r, line->name) : "t";
  if (!ritti_symbols_add(&s->names, s->model->independent, Y_INDEPENDENT, line ? line->name : NO_TOKEN))
    r->status = RITT_NO_MEMORY;
  if (line && line->next)
    ritti_say(r, line->next->name, "remove one of them",
              "there are two sections 'independent', the first in line %d",
              ritti_token_at(r, line->name)->line);
}

static void declare_labels(ritti_resolver *s, ritti_section section) {
  FOR_EACH(line, s, section) {
    if (line->name != NO_TOKEN) (void)declare(s, &s->labels, Y_LABEL, line->name);
  }
}

static void declare_parameters(ritti_resolver *s, ritti_section section) {
  ritti_model *m = s->model;
  FOR_EACH(line, s, section) {
    ritti_symbol *y = declare(s, &s->names, Y_PARAMETER, line->name);
    if (!y) continue;
    y->index = m->parameters;
    m->parameter[m->parameters++] =
        (ritti_parameter_def){.name = y->name, .number = NAN, .place = ritti_place_of(s->reader, line->name)};
  }
}

static ritt_status declare_names(ritti_resolver *s) {
  ritti_reader *r = s->reader;
  ritti_model *m = s->model;
  RITTI_NEW(m->parameter, m->arena, s->syntax->list[S_PARAMETER].count + s->syntax->list[S_STIFF].count);
  RITTI_NEW(m->variable, m->arena, s->syntax->list[S_VARIABLE].count + ritti_mechanics_room(s));
  declare_independent(s);
  declare_parameters(s, S_PARAMETER);
  declare_parameters(s, S_STIFF);
  FOR_EACH(line, s, S_VARIABLE) {
    ritti_symbol *y = declare(s, &s->names, Y_VARIABLE, line->name);
    if (!y) continue;
    y->index = m->variables;
    m->variable[m->variables++] =
        (ritti_variable_def){.name = y->name, .place = ritti_place_of(r, line->name)};
  }
  FOR_EACH(line, s, S_LET) { (void)declare(s, &s->names, Y_LET, line->name); }
  declare_labels(s, S_EQUATION);
  declare_labels(s, S_INVARIANT);
  declare_labels(s, S_CONSTRAINT);
  declare_labels(s, S_NONHOLONOMIC);
  return r->status;
}

/* Names whose definition could not be read. */
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

static ritt_status list_names(ritti_resolver *s) {
  ritti_model *m = s->model;
  const char **variable, **parameter;
  RITTI_NEW(variable, m->arena, m->variables);
  RITTI_NEW(parameter, m->arena, m->parameters);
  for (int i = 0; i < m->variables; i++) variable[i] = m->variable[i].name;
  for (int i = 0; i < m->parameters; i++) parameter[i] = m->parameter[i].name;
  m->names = (ritti_names){.independent = m->independent, .variable = variable, .parameter = parameter};
  return RITT_OK;
}

/* ---- overrides ---------------------------------------------------------------------------------------- */

/* The value of an override: an expression of numbers in a text of its own. RITTI_NIL: it is none. */
static ritti_expr override_value(ritti_resolver *s, const char *text, double *number) {
  ritti_reader *r = s->reader;
  char *line = ritti_arena_format(r->scratch, " %s", text); /* not in the first column */
  ritti_reader own = {.file = "", .text = line, .keep = r->scratch, .scratch = ritti_arena_new()};
  ritti_model none = {0};
  ritti_syntax syntax = {0};
  ritti_resolver t = {.reader = &own, .syntax = &syntax, .model = &none, .dag = s->dag};
  ritti_scope scope = {SCOPE_NUMBER, "the value"};
  ritti_expr e = RITTI_NIL;
  if (!line || !own.scratch) own.status = RITT_NO_MEMORY;
  else if (ritti_source_check(&own, strlen(line)) && ritti_lex(&own)) {
    ritti_parser p = {.reader = &own, .syntax = &syntax, .resume = NO_TOKEN};
    ritti_node *n = ritti_parse_expr(&p);
    bool whole = n && ritti_look(&p) == T_END && ritti_resolve_number(&t, n, &scope, &e, number);
    if (!whole || own.notes.count > 0) e = RITTI_NIL;
  }
  if (own.status != RITT_OK) r->status = own.status;
  ritti_resolver_clear(&t);
  RITTI_ARRAY_FREE(syntax.broken);
  ritti_reader_clear(&own);
  return e;
}

static void say_call(ritti_resolver *s, const char *hint, const char *text) {
  ritti_reader *r = s->reader;
  size_t count = r->notes.count;
  ritti_say_at(r, 0, 0, hint, "%s", text);
  if (r->notes.count > count) r->notes.at[count].status = RITT_WRONG_CALL;
}

static void apply_override(ritti_resolver *s, const ritti_override *o) {
  ritti_reader *r = s->reader;
  const ritti_symbol *y = ritti_symbols_find(&s->names, o->name, strlen(o->name));
  if (y && y->kind == Y_BROKEN) return;
  if (!y || y->kind != Y_PARAMETER) {
    const char *near = ritti_nearest_name(s, o->name, Y_PARAMETER);
    say_call(s, near ? ritti_did_you_mean(r, near) : "only parameters can be set",
             ritti_words(r, "there is no parameter '%.60s' to set", o->name));
    return;
  }
  ritti_parameter_def *p = &s->model->parameter[y->index];
  p->value = override_value(s, o->value, &p->number);
  if (p->value == RITTI_NIL && r->status == RITT_OK)
    say_call(s, "give a number such as 9.81, or an expression of numbers such as 1/3",
             ritti_words(r, "the value '%.60s' for the parameter '%s' is not a number", o->value, y->name));
}

/* ---- parameters and lets, in the order of their dependence -------------------------------------------- */

typedef struct definition {
  const ritti_statement *line;
  size_t symbol;   /* index of its name; SIZE_MAX: all that follows from the sections of mechanics */
  uint32_t *needs; /* other definitions */
  size_t count;
  int state; /* 0: not met, 1: on the stack, 2: done */
  bool circular;
} definition;

typedef struct walk {
  ritti_resolver *s;
  definition *at;
  size_t count;
  uint32_t *of_symbol; /* 1 + definition of a symbol; 0: none */
  uint32_t mechanics;  /* 1 + the one of mechanics; 0: none */
  RITTI_ARRAY(uint32_t) needs, stack, next;
} walk;

static void collect_name_need(walk *w, uint32_t token) {
  const ritti_reader *r = w->s->reader;
  const ritti_token *t = ritti_token_at(r, token);
  const ritti_symbol *y = ritti_symbols_find(&w->s->names, r->text + t->start, t->length);
  uint32_t d = y ? w->of_symbol[y - w->s->names.all.at] : 0;
  if (d && RITTI_PUSH(w->needs, d - 1) != RITT_OK) w->s->reader->status = RITT_NO_MEMORY;
}

/* The definitions that an expression uses, into w->needs. */
static void collect_needs(walk *w, const ritti_node *n) {
  if (n->kind == N_NAME) collect_name_need(w, n->at);
  if (n->kind == N_CALL && w->mechanics && ritti_is_mechanical(w->s, n) &&
      RITTI_PUSH(w->needs, w->mechanics - 1) != RITT_OK)
    w->s->reader->status = RITT_NO_MEMORY;
  for (const ritti_node *c = n->child; c; c = c->next) collect_needs(w, c);
}

static ritt_status add_definitions(walk *w, ritti_section section) {
  const ritti_reader *r = w->s->reader;
  FOR_EACH(line, w->s, section) {
    const ritti_token *t = ritti_token_at(r, line->name);
    const ritti_symbol *y = ritti_symbols_find(&w->s->names, r->text + t->start, t->length);
    if (!y || y->token != line->name) continue; /* defined twice: told */
    size_t symbol = (size_t)(y - w->s->names.all.at);
    w->at[w->count++] = (definition){.line = line, .symbol = symbol};
    w->of_symbol[symbol] = (uint32_t)w->count;
  }
  return RITT_OK;
}

/* Energy, momenta and reactions follow from all statements of mechanics together. */
static void add_mechanics(walk *w) {
  const ritti_mechanics *M = w->s->mechanics;
  if (!M) return;
  w->at[w->count++] = (definition){.line = ritti_mechanics_first(w->s), .symbol = SIZE_MAX};
  w->mechanics = (uint32_t)w->count;
  const ritti_symbol *energy = ritti_symbols_find(&w->s->names, "energy", strlen("energy"));
  if (M->head && energy && energy->token == M->head->first)
    w->of_symbol[energy - w->s->names.all.at] = w->mechanics;
}

static void collect_mechanics_needs(walk *w) {
  static const ritti_section sections[] = {S_LAGRANGIAN, S_HAMILTONIAN, S_CONSTRAINT, S_NONHOLONOMIC,
                                           S_FORCE,      S_DISSIPATION, S_STIFF,      S_CANONICAL};
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) FOR_EACH(line, w->s, sections[i]) {
      if (line->left) collect_needs(w, line->left);
      if (line->right) collect_needs(w, line->right);
      if (sections[i] == S_STIFF) collect_name_need(w, line->name);
    }
}

static ritt_status find_needs(walk *w) {
  for (size_t i = 0; i < w->count; i++) {
    definition *d = &w->at[i];
    w->needs.count = 0;
    if (d->symbol == SIZE_MAX) collect_mechanics_needs(w);
    else collect_needs(w, d->line->right);
    RITTI_NEW(d->needs, w->s->reader->scratch, w->needs.count);
    if (w->needs.count) memcpy(d->needs, w->needs.at, w->needs.count * sizeof *d->needs);
    d->count = w->needs.count;
  }
  return w->s->reader->status;
}

/* The token that messages about a definition point at. */
static uint32_t definition_token(const definition *d) {
  return d->line->name != NO_TOKEN ? d->line->name : d->line->first;
}

static const char *definition_name(const walk *w, uint32_t d) {
  if (w->at[d].symbol == SIZE_MAX) return w->s->syntax->said[S_LAGRANGIAN] ? "lagrangian" : "hamiltonian";
  return w->s->names.all.at[w->at[d].symbol].name;
}

/* The stack from `from` to its top is a circle. */
static void tell_circle(walk *w, size_t from) {
  enum { SHOWN = 8 };
  ritti_reader *r = w->s->reader;
  size_t length = w->stack.count - from, first = 0;
  for (size_t i = 0; i < length; i++) {
    definition *d = &w->at[w->stack.at[from + i]];
    if (d->circular) return; /* in a circle that has been told */
    if (definition_token(d) < definition_token(&w->at[w->stack.at[from + first]])) first = i;
  }
  const char *path = "";
  for (size_t i = 0; i <= length; i++) {
    uint32_t d = w->stack.at[from + (first + i) % length];
    w->at[d].circular = true;
    if (i == SHOWN && length > SHOWN) path = ritti_words(r, "%s -> ...", path);
    if (i < SHOWN || i == length)
      path = ritti_words(r, "%s%s%s", path, i ? " -> " : "", definition_name(w, d));
  }
  uint32_t circle = w->stack.at[from + first], at = definition_token(&w->at[circle]);
  if (length == 1)
    ritti_say(r, at, "define it without itself", "'%s' is defined by itself", definition_name(w, circle));
  else
    ritti_say(r, at, "define one of them without the others", "the definitions go round in a circle: %s",
              path);
}

/* All that the definition needs is known. */
static void resolve_definition(ritti_resolver *s, const definition *d) {
  if (d->circular) return;
  if (d->symbol == SIZE_MAX) {
    if (ritti_mechanics_resolve(s) != RITT_OK) s->reader->status = RITT_NO_MEMORY;
    return;
  }
  ritti_symbol *y = &s->names.all.at[d->symbol];
  if (y->kind == Y_LET) {
    ritti_expr e = ritti_resolve_expr(s, d->line->right, &ritti_anything);
    s->names.all.at[d->symbol].expr = e;
    return;
  }
  ritti_parameter_def *p = &s->model->parameter[y->index];
  ritti_scope scope = {SCOPE_PARAMETER, ritti_words(s->reader, "the parameter '%s'", y->name)};
  if (p->value == RITTI_NIL && !ritti_resolve_number(s, d->line->right, &scope, &p->value, &p->number))
    p->value = RITTI_NIL;
  y->expr = p->value;
}

static ritt_status push(walk *w, uint32_t d) {
  w->at[d].state = 1;
  RITT_TRY(RITTI_PUSH(w->stack, d));
  return RITTI_PUSH(w->next, 0);
}

static size_t stack_index(const walk *w, uint32_t d) {
  size_t i = w->stack.count;
  while (w->stack.at[--i] != d) {}
  return i;
}

static ritt_status walk_from(walk *w, uint32_t root) {
  RITT_TRY(push(w, root));
  while (w->stack.count) {
    uint32_t d = w->stack.at[w->stack.count - 1], *next = &w->next.at[w->next.count - 1];
    if (*next < w->at[d].count) {
      uint32_t need = w->at[d].needs[(*next)++];
      if (w->at[need].state == 0) RITT_TRY(push(w, need));
      else if (w->at[need].state == 1) tell_circle(w, stack_index(w, need));
      continue;
    }
    resolve_definition(w->s, &w->at[d]);
    w->at[d].state = 2;
    w->stack.count--;
    w->next.count--;
  }
  return RITT_OK;
}

static ritt_status walk_all(walk *w) {
  ritti_arena *scratch = w->s->reader->scratch;
  const ritti_syntax *syntax = w->s->syntax;
  RITTI_NEW(w->at, scratch,
            syntax->list[S_PARAMETER].count + syntax->list[S_STIFF].count + syntax->list[S_LET].count + 1);
  RITTI_NEW(w->of_symbol, scratch, w->s->names.all.count);
  RITT_TRY(add_definitions(w, S_PARAMETER));
  RITT_TRY(add_definitions(w, S_STIFF));
  RITT_TRY(add_definitions(w, S_LET));
  add_mechanics(w);
  RITT_TRY(find_needs(w));
  for (size_t i = 0; i < w->count; i++)
    if (w->at[i].state == 0) RITT_TRY(walk_from(w, (uint32_t)i));
  return RITT_OK;
}

ritt_status ritti_define(ritti_resolver *s, const ritti_override *override, size_t overrides) {
  RITT_TRY(declare_names(s));
  RITT_TRY(declare_broken(s));
  RITT_TRY(ritti_mechanics_declare(s));
  RITT_TRY(list_names(s));
  RITTI_NEW(s->value, s->reader->scratch, s->model->parameters);
  for (size_t i = 0; i < overrides; i++) apply_override(s, &override[i]);
  walk w = {.s = s};
  ritt_status status = walk_all(&w);
  RITTI_ARRAY_FREE(w.needs);
  RITTI_ARRAY_FREE(w.stack);
  RITTI_ARRAY_FREE(w.next);
  return status;
}
