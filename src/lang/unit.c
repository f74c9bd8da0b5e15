/* `unit` and `doc`: texts beside names. Parsed and resolved here.
 *
 * A unit may belong to the independent variable, a variable, one of its derivatives, a
 * parameter, a name of `let` or a named column. A derivative without a unit of its own has the
 * unit of its variable divided by that of the independent variable, if both are known. Nothing
 * is computed with units.
 */
#include "lang_impl.h"

/* ---- read ---- */

/* grammar: unit = target { "'" } string */
bool ritti_parse_unit(ritti_parser *p, ritti_statement *s) {
  ritti_reader *r = p->reader;

  /* the name, with indices and primes */
  if (ritti_look(p) != T_NAME)
    return ritti_refuse(p, p->at, "write a name and its unit in quotes: x \"m\"",
                        "a name is missing before '%s'", ritti_quote(r, p->at));

  /* a target such as x[1] */
  s->name = p->at;
  s->left = ritti_parse_target(p);
  if (!s->left) return false;

  /* its primes */
  while (ritti_look(p) == T_PRIME) {
    p->at++;
    s->primes++;
  }

  /* the text */
  if (ritti_look(p) == T_STRING) {
    s->word = p->at++;
    return true;
  }

  /* no text */
  const char *name = ritti_typed(r, r->scratch, s->name, p->at, false);
  return ritti_refuse(p, s->name, ritti_words(r, "write %s \"m/s\"", name),
                      "the unit of '%s' is missing: a text in quotes", name);
}

/* grammar: doc = [ name ] string */
bool ritti_parse_doc(ritti_parser *p, ritti_statement *s) {
  if (ritti_look(p) == T_NAME) s->name = p->at++;
  if (ritti_look(p) == T_STRING) {
    s->word = p->at++;
    return true;
  }
  return ritti_refuse(p, ritti_missing_at(p), "write doc \"...\" or doc x \"...\"",
                      "the text of 'doc' stands in quotes");
}

/* ---- resolve ---- */

/* The text of a string without its quotes, in the model's memory. */
static const char *text_of(ritti_resolver *s, uint32_t token) {
  const ritti_token *t = ritti_token_at(s->reader, token);
  const char *text =
      ritti_arena_text(s->model->arena, s->reader->text + t->start + 1, t->length - 2);
  if (!text) s->reader->status = RITT_NO_MEMORY;
  return text;
}

/* Sets a unit, which must not be set yet. */
static ritt_status set_unit(ritti_resolver *s, const ritti_statement *line, const char **slot,
                            const char *name, const char *unit) {
  const char *primes = "''''''''''''''''''''";        /* the largest possible number of primes */
  if (*slot && line->owner) return s->reader->status; /* connected ports share a variable */
  if (*slot)
    ritti_say(s->reader, line->name, "remove one of them", "'%s%.*s' has two units", name,
              line->primes, primes);
  else *slot = unit;
  return s->reader->status;
}

/* The place of an expression among those with a unit, or the place at which it would be put: they are
 * sorted. */
static int unit_place(const ritti_model *m, ritti_expr e) {
  int low = 0, high = m->units;
  while (low < high) {
    int middle = (low + high) / 2;
    if (m->unit[middle].expr < e) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* Sets the unit of an expression that is not a variable; units are found by the expression. */
static ritt_status add_unit(ritti_resolver *s, const ritti_statement *line, ritti_expr e,
                            const char *unit) {
  ritti_model *m = s->model;
  int place = unit_place(m, e), room = m->units;
  if (place < m->units && m->unit[place].expr == e)
    return set_unit(s, line, &m->unit[place].unit, ritti_quote(s->reader, line->name), unit);

  /* the room is a power of two */
  if ((room & (room - 1)) == 0) {
    ritti_unit_def *longer;
    RITTI_NEW(longer, m->arena, 2 * room + 1);
    if (room) memcpy(longer, m->unit, (size_t)room * sizeof *longer);
    m->unit = longer;
  }
  ritti_unit_def *at = m->unit + place;
  memmove(at + 1, at, (size_t)(m->units++ - place) * sizeof *at);
  *at = (ritti_unit_def){.expr = e, .unit = unit};
  return RITT_OK;
}

/* Sets the unit of one element. */
static ritt_status unit_of_one(ritti_resolver *s, const ritti_statement *line, ritti_expr e,
                               const char *unit) {
  ritti_model *m = s->model;
  switch (ritti_op_of(s->dag, e)) {
  case RITTI_INDEPENDENT: return set_unit(s, line, &m->independent_unit, m->independent, unit);
  case RITTI_JET: {
    ritti_variable_def *v = &m->variable[ritti_index_of(s->dag, e)];
    if (ritti_order_of(s->dag, e) == 0) return set_unit(s, line, &v->unit, v->name, unit);
    return add_unit(s, line, e, unit);
  }
  default: return add_unit(s, line, e, unit);
  }
}

ritt_status ritti_resolve_unit(ritti_resolver *s, const ritti_statement *line, void *context) {
  ritti_scope scope = {.kind = SCOPE_PLOT, .subject = ""};
  (void)context;
  const char *unit = text_of(s, line->word);

  /* the node of the name with its primes */
  ritti_node prime = {.kind = N_PRIME,
                      .at = line->left->at,
                      .first = line->left->first,
                      .end = line->left->end,
                      .sign = NO_TOKEN,
                      .count = line->primes,
                      .child = line->left,
                      .last = line->left};

  /* a unit for each element */
  ritti_value v = ritti_resolve_value(s, line->primes ? &prime : line->left, &scope);
  for (size_t i = 0; unit && !ritti_failed(v) && i < ritti_value_count(v); i++)
    RITT_TRY(unit_of_one(s, line, ritti_element(v, i), unit));
  return s->reader->status;
}

ritt_status ritti_resolve_docs(ritti_resolver *s) {
  ritti_model *m = s->model;
  RITTI_NEW(m->doc, m->arena, s->syntax->list[S_DOC].count);
  FOR_EACH(line, s, S_DOC) {
    /* the name and the text */
    const char *name = line->name == NO_TOKEN ? NULL : ritti_keep_name(s->reader, line->name);
    const char *text = text_of(s, line->word);
    const ritti_symbol *label = name ? ritti_symbols_find(&s->labels, name, strlen(name)) : NULL;
    if (!text || (line->name != NO_TOKEN && !name)) return RITT_NO_MEMORY;

    /* the name must be known and have one text */
    if (name && !label && !ritti_find_symbol(s, line->name)) {
      ritti_unknown(s, line->name);
      continue;
    }
    for (int i = 0; name && i < m->docs; i++)
      if (m->doc[i].name && !strcmp(m->doc[i].name, name))
        ritti_say(s->reader, line->name, "write one text", "'%s' has two texts of 'doc'", name);
    m->doc[m->docs++] = (ritti_doc_def){.name = name, .text = text};
  }
  return s->reader->status;
}

/* ---- units of columns ---- */

/* Divides a unit k times by another: "m" by "s" is "m/s" or "m/s^2"; "m/s" by "s" is "m/s^2". */
static const char *divide_unit(ritti_arena *arena, const char *unit, const char *by, int k) {
  size_t length = strlen(unit), n = strlen(by), head = length;
  int power = 0;

  /* a unit that ends in "/s" or "/s^3" has this power already */
  const char *slash = strrchr(unit, '/');
  if (slash && n && !strncmp(slash + 1, by, n) && !strpbrk(by, "/*^ ")) {
    const char *rest = slash + 1 + n;
    if (!*rest) power = 1;
    else if (rest[0] == '^' && rest[1] >= '1' && rest[1] <= '9' && !rest[2]) power = rest[1] - '0';
    if (power) head = (size_t)(slash - unit);
  }

  /* write it, with parentheses if they are needed */
  power += k;
  bool compound = head == length && strchr(unit, '/');
  bool wide = strpbrk(by, "/* ") != NULL;
  const char *open = wide ? "(" : "";
  const char *close = wide ? ")" : "";
  if (power == 1)
    return ritti_arena_format(arena, compound ? "(%.*s)/%s%s%s" : "%.*s/%s%s%s", (int)head,
                              head ? unit : "1", open, by, close);
  return ritti_arena_format(arena, compound ? "(%.*s)/%s%s%s^%d" : "%.*s/%s%s%s^%d", (int)head,
                            unit, open, by, close, power);
}

const char *ritti_unit_of(const ritti_model *m, ritti_arena *arena, ritti_expr e) {
  /* a unit that is given */
  if (ritti_op_of(m->dag, e) == RITTI_INDEPENDENT) return m->independent_unit;
  int place = unit_place(m, e);
  if (place < m->units && m->unit[place].expr == e) return m->unit[place].unit;

  /* the unit of a variable, or of its derivative */
  if (ritti_op_of(m->dag, e) != RITTI_JET) return NULL;
  const char *unit = m->variable[ritti_index_of(m->dag, e)].unit;
  int order = ritti_order_of(m->dag, e);
  if (order == 0) return unit;
  if (!unit || !m->independent_unit) return NULL;
  return divide_unit(arena, unit, m->independent_unit, order);
}
