/* Values that replace the values of parameters: "g=1.62", "m[2]=5", "m=[1, 2]" -> ritti_set,
 * found by parameter and element.
 *
 * A value is an expression of numbers, read as a text of its own. A value that does not fit is
 * a mistake of the call, not of the model.
 */
#include <inttypes.h>
#include <stdlib.h>
#include "define_impl.h"

ritti_value ritti_keep_value(ritti_resolver *s, ritti_value v) {
  if (!v.shape) return v;
  ritti_shape *shape = ritti_arena_alloc(s->reader->scratch, 1, sizeof *shape);
  ritti_expr *at = ritti_arena_alloc(s->reader->scratch, v.shape->size, sizeof *at);
  if (!shape || !at) {
    s->reader->status = RITT_NO_MEMORY;
    return ritti_scalar(RITTI_NIL);
  }
  *shape = *v.shape;
  if (shape->size) memcpy(at, v.at, shape->size * sizeof *at);
  return (ritti_value){.shape = shape, .at = at};
}

/* The value of an override, an expression of numbers. Failed: it is not an expression of
 * numbers. */
static ritti_value override_value(ritti_resolver *s, const char *text, bool input) {
  ritti_reader *r = s->reader;

  /* a text of its own; it must not begin in the first column */
  char *line = ritti_arena_format(r->scratch, " %s", text);
  ritti_reader own = {.file = "", .text = line, .keep = r->scratch, .scratch = ritti_arena_new()};
  ritti_model none = {0};
  ritti_syntax syntax = {0};
  ritti_resolver t = {.reader = &own, .syntax = &syntax, .model = &none, .dag = s->dag};
  ritti_scope scope = {SCOPE_NUMBER, "the value", false};
  ritti_value v = {0};

  /* the value of an input may depend on the independent variable */
  if (input) {
    none.independent = s->model->independent;
    scope.kind = SCOPE_ANY;
    if (!ritti_symbols_add(&t.names, none.independent, Y_INDEPENDENT, 0))
      own.status = RITT_NO_MEMORY;
  }

  /* read it with the passes of the language */
  t.values = ritti_arena_new();
  if (!line || !own.scratch || !t.values) own.status = RITT_NO_MEMORY;
  else if (ritti_source_check(&own, 0, strlen(line)) && ritti_lex(&own, 0)) {
    ritti_parser p = {.reader = &own, .syntax = &syntax, .resume = NO_TOKEN};
    ritti_node *n = ritti_parse_expr(&p);
    double number;
    if (n && ritti_look(&p) == T_END) v = ritti_resolve_value(&t, n, &scope);
    /* all elements must be finite numbers */
    bool whole = !ritti_failed(v);
    for (size_t i = 0; whole && i < ritti_value_count(v); i++)
      whole = input || ritti_number_of(&t, ritti_element(v, i), n, &scope, &number);
    v = whole && own.notes.count == 0 ? ritti_keep_value(s, v) : ritti_scalar(RITTI_NIL);
  }

  /* its mistakes are not reported: the caller reports the value */
  if (own.status != RITT_OK) r->status = own.status;
  ritti_resolver_clear(&t);
  RITTI_ARRAY_FREE(syntax.broken);
  ritti_reader_clear(&own);
  return v;
}

void ritti_say_call(ritti_resolver *s, const char *hint, const char *text) {
  ritti_reader *r = s->reader;
  size_t count = r->notes.count;
  ritti_say_at(r, 0, 0, hint, "%s", text);
  if (r->notes.count > count) r->notes.at[count].status = RITT_WRONG_CALL;
}

/* ---- other values without another reading ---- */

/* A plain decimal number, "-1.5e-3", as an exact value. false: it is not one, or not a double. */
static bool read_decimal(const char *text, mpq_ptr value) {
  bool negative = *text == '-';
  const char *digits = text + negative;
  size_t whole = strspn(digits, "0123456789");
  const char *at = digits + whole;
  if (*at == '.') {
    size_t fraction = strspn(at + 1, "0123456789");
    if (fraction == 0) return false;
    at += 1 + fraction;
  }
  if (whole == 0) return false;
  if (*at == 'e') {
    at += 1 + (at[1] == '-' || at[1] == '+');
    if (strspn(at, "0123456789") == 0) return false;
    at += strspn(at, "0123456789");
  }
  if (*at || ritti_number_read(digits, (size_t)(at - digits), value)) return false;
  if (negative) mpq_neg(value, value);
  return true;
}

/* Computes the start values that depend on parameters again. */
static ritt_status renumber_starts(ritti_model *m, bool *finite) {
  double *parameter = ritti_malloc((size_t)(m->parameters + 1) * sizeof *parameter);
  if (!parameter) return RITT_NO_MEMORY;
  for (int p = 0; p < m->parameters; p++) parameter[p] = m->parameter[p].number;
  const ritti_values values = {.parameter = parameter};
  ritt_status status = RITT_OK;
  *finite = true;
  for (int i = 0; i < m->starts; i++) {
    ritti_start_def *def = &m->start[i];
    if (def->expr == RITTI_NIL || ritti_op_of(m->dag, def->expr) == RITTI_NUMBER) continue;
    status = ritti_dag_evaluate(m->dag, def->expr, &values, &def->number);
    *finite = *finite && isfinite(def->number);
    if (status != RITT_OK) break;
  }
  ritti_free(parameter);
  return status;
}

ritt_status ritti_model_renumber(ritti_model *m, int p, const char *value, bool *done) {
  *done = false;
  if (m->parameter[p].read) return RITT_OK;
  mpq_t exact;
  mpq_init(exact);
  bool plain = read_decimal(value, exact);
  if (plain) {
    m->parameter[p].value = ritti_rational(m->dag, exact);
    m->parameter[p].number = ritti_rational_double(exact);
  }
  mpq_clear(exact);
  if (!plain) return RITT_OK;
  RITT_TRY(ritti_dag_status(m->dag));
  return renumber_starts(m, done);
}

/* ---- reading ---- */

/* Reads the indices "[2]", "[1, 2]" of an override. false: the text is not a list of indices. */
static bool read_indices(const char *text, ritti_set *out) {
  while (*text == '[' || *text == ',') {
    char *end;
    if (out->indices == RITTI_RANK_LIMIT) return false;
    out->index[out->indices++] = strtoll(text + 1, &end, 10);
    if (end == text + 1) return false;
    for (text = end; *text == ' ';) text++;
  }
  return out->indices > 0 && !strcmp(text, "]");
}

/* The length of a name without the indices at its end: 1 for "m[2]", 6 for "s[2].C[1]". */
static size_t name_length(const char *name) {
  const char *dot = strrchr(name, '.');
  size_t before = dot ? (size_t)(dot - name) : 0;
  return before + strcspn(name + before, "[");
}

/* Reads an override; its parameter must exist, and its value be a number or an array. */
static void read_override(ritti_resolver *s, const ritti_override *o, bool all, ritti_set *out) {
  ritti_reader *r = s->reader;
  size_t length = name_length(o->name);
  const ritti_symbol *y = ritti_symbols_find(&s->names, o->name, length);
  *out = (ritti_set){.name = o->name, .symbol = SIZE_MAX};

  /* a parameter of a part that is not made yet; a name whose mistake was reported */
  if (!y && !all && strchr(o->name, '.')) return;
  out->read = true;
  if (y && y->kind == Y_BROKEN) return;

  /* the parameter and its indices */
  bool input = y && y->input;
  if (!y || (y->kind != Y_PARAMETER && !input) ||
      (o->name[length] && !read_indices(o->name + length, out))) {
    const char *near =
        ritti_nearest_name(s, ritti_words(r, "%.*s", (int)length, o->name), Y_PARAMETER);
    const char *hint = near && !y ? ritti_did_you_mean(r, near) : "only parameters can be set";
    size_t first = strcspn(o->name, ".[");
    const ritti_symbol *part = ritti_symbols_find(&s->names, o->name, first);
    if (!y && part && part->kind == Y_PART && part->shape && o->name[first] == '.')
      hint = ritti_words(r, "'%s' is an array of parts: write %s[%" PRId64 "]%s", part->name,
                         part->name, part->shape->low[0], o->name + first);
    if (y && y->line && y->line->varies)
      hint = "its part gives it a value that is not constant: set the parameters in that value";
    ritti_say_call(s, hint, ritti_words(r, "there is no parameter '%.60s' to set", o->name));
    return;
  }

  /* the value */
  out->symbol = (size_t)(y - s->names.all.at);
  out->value = override_value(s, o->value, input);
  if (ritti_failed(out->value) && r->status == RITT_OK && input)
    ritti_say_call(
        s,
        ritti_words(r, "give a number, or an expression of numbers and '%s'",
                    s->model->independent),
        ritti_words(r, "the value '%.60s' for the input '%s' cannot be read", o->value, o->name));
  else if (ritti_failed(out->value) && r->status == RITT_OK)
    ritti_say_call(s, "give a number such as 9.81, or an expression of numbers such as 1/3",
                   ritti_words(r, "the value '%.60s' for the parameter '%s' is not a number",
                               o->value, o->name));
}

ritt_status ritti_read_overrides(ritti_resolver *s, const ritti_override *override,
                                 size_t overrides, bool all) {
  if (!s->set) RITTI_NEW(s->set, s->reader->scratch, overrides);
  for (size_t i = 0; i < overrides; i++)
    if (!s->set[i].read) read_override(s, &override[i], all, &s->set[i]);
  s->sets = overrides;
  return s->reader->status;
}

/* The last override of the whole parameter counts. */
const ritti_set *ritti_whole_override(const ritti_resolver *s, const ritti_symbol *y) {
  for (size_t i = s->sets; i-- > 0;)
    if (s->set[i].symbol == (size_t)(y - s->names.all.at) && s->set[i].indices == 0)
      return &s->set[i];
  return NULL;
}

/* The position of the indices of an override in an array; SIZE_MAX: outside. */
static size_t override_place(const ritti_set *set, const ritti_shape *shape) {
  size_t place = 0;
  if (set->indices != shape->rank) return SIZE_MAX;
  for (int k = 0; k < shape->rank; k++) {
    int64_t i = set->index[k] - shape->low[k];
    if (i < 0 || i >= shape->count[k]) return SIZE_MAX;
    place = place * (size_t)shape->count[k] + (size_t)i;
  }
  return place;
}

void ritti_check_overrides(ritti_resolver *s) {
  ritti_reader *r = s->reader;
  for (size_t i = 0; i < s->sets; i++) {
    const ritti_set *set = &s->set[i];
    if (set->symbol == SIZE_MAX || set->indices == 0) continue;
    const ritti_symbol *y = &s->names.all.at[set->symbol];
    if (!y->shape && y->expr == RITTI_NIL) continue; /* reported where it is defined */

    /* the parameter must have this element, and the value must be one number */
    if (!y->shape)
      ritti_say_call(s, ritti_words(r, "write '%s=VALUE'", y->name),
                     ritti_words(r, "the parameter '%s' is one number and has no element '%.60s'",
                                 y->name, set->name));
    else if (override_place(set, y->shape) == SIZE_MAX)
      ritti_say_call(
          s, "use an index in the range of the parameter",
          ritti_words(r, "the parameter '%s' has no element '%.60s'", y->name, set->name));
    else if (set->value.shape)
      ritti_say_call(s, "give one number",
                     ritti_words(r, "the element '%.60s' is one number, not %s", set->name,
                                 ritti_shape_words(r, set->value.shape)));
  }
}

const ritti_set *ritti_element_override(const ritti_resolver *s, const ritti_symbol *y, size_t i) {
  for (size_t k = s->sets; k-- > 0;)
    if (s->set[k].symbol == (size_t)(y - s->names.all.at) && s->set[k].indices &&
        override_place(&s->set[k], y->shape) == i)
      return &s->set[k];
  return NULL;
}
