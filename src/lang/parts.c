/* Parts: every use of a component gives copies of its statements, in which the names of the
 * component have the path of the part before them: `v = R*p.i` of the part R1 becomes
 * `R1.v = R1.R*R1.p.i`. After this pass a model made of parts is a model like any other.
 *
 * The number of parts may depend on parameters, and those of a part on the part around it. So
 * parts are made level by level from the outside, and the parameters of a level are defined before
 * the next level is made. All other statements follow when all parts are known.
 *
 * Copied nodes keep the tokens of the component, so that messages have a place; only names get
 * tokens of their own.
 */
#include <inttypes.h>
#include <stdio.h>
#include "parts_impl.h"

/* ---- tokens that are not typed ---- */

uint32_t ritti_member_token(ritti_resolver *s, const char *path, uint32_t name) {
  ritti_reader *r = s->reader;
  ritti_symbols *texts = &s->parts->texts;
  const ritti_token *t = ritti_token_at(r, name);
  if (!*path) return name;

  /* a text is stored once for all its tokens */
  size_t before = strlen(path), length = before + 1 + t->length;
  char *text = ritti_arena_alloc(r->scratch, length + 1, 1);
  if (text) {
    memcpy(text, path, before);
    text[before] = '.';
    memcpy(text + before + 1, r->text + t->start, t->length);
  }
  const ritti_symbol *old = text ? ritti_symbols_find(texts, text, length) : NULL;
  if (old) {
    ritti_token again = *ritti_token_at(r, old->token);
    again.line = t->line;
    again.column = t->column;
    if (RITTI_PUSH(r->tokens, again) == RITT_OK) return (uint32_t)r->tokens.count - 1;
    r->status = RITT_NO_MEMORY;
    return name;
  }

  /* a new text */
  uint32_t token = text ? ritti_token_make(r, name, T_NAME, text, length) : NO_TOKEN;
  if (token == NO_TOKEN || !ritti_symbols_add(texts, text, Y_LABEL, token)) {
    r->status = RITT_NO_MEMORY;
    return name;
  }
  return token;
}

/* ---- copies ---- */

/* Is the name an index of the statement itself? */
static bool is_hidden(const ritti_copier *c, uint32_t token) {
  for (size_t i = 0; i < c->hidden.count; i++)
    if (ritti_same_word(c->resolver->reader, c->hidden.at[i], token)) return true;
  return false;
}

static void hide_index(ritti_copier *c, const ritti_node *each) {
  if (each->at != NO_TOKEN && RITTI_PUSH(c->hidden, each->at) != RITT_OK)
    c->resolver->reader->status = RITT_NO_MEMORY;
}

/* Reports a name of the model that components cannot use. */
static void check_visible(ritti_copier *c, uint32_t token) {
  ritti_reader *r = c->resolver->reader;
  const ritti_symbol *y = ritti_find_symbol(c->resolver, token);
  static const char *const what[] = {
      [Y_VARIABLE] = "a variable", [Y_LET] = "a name of 'let'", [Y_PART] = "a part"};
  if (!y || (y->kind != Y_VARIABLE && y->kind != Y_LET && y->kind != Y_PART)) return;
  ritti_say(r, token, "connect it by a port, or declare the name in the component",
            "the component '%s' cannot use '%s', which is %s of the model; it sees its own names, "
            "the model's parameters, functions and '%s' only",
            ritti_quote(r, c->in->component->name), ritti_quote(r, token), what[y->kind],
            c->resolver->model->independent);
}

/* Copies a name: an index becomes a number, a name of the component gets the path of the part. */
static void copy_name(ritti_copier *c, ritti_node *n) {
  ritti_reader *r = c->resolver->reader;
  if (is_hidden(c, n->at)) return;

  /* an index of the declaration */
  int k = 0;
  for (const ritti_node *each = c->ranges; each; each = each->next, k++) {
    if (each->at == NO_TOKEN || !ritti_same_word(r, each->at, n->at)) continue;
    char text[32];
    int length =
        snprintf(text, sizeof text, "%" PRId64, c->index[k] < 0 ? -c->index[k] : c->index[k]);
    uint32_t token = ritti_token_make(r, n->at, T_NUMBER, text, (size_t)length);
    if (token == NO_TOKEN) return;
    n->kind = N_NUMBER;
    n->at = token;
    if (c->index[k] >= 0) return;

    /* a negative number is the negation of a number */
    ritti_node *number = ritti_arena_alloc(r->scratch, 1, sizeof *number);
    if (!number) {
      r->status = RITT_NO_MEMORY;
      return;
    }
    *number = *n;
    number->sign = NO_TOKEN;
    number->next = NULL;
    n->kind = N_NEGATE;
    n->count = 1;
    n->child = n->last = number;
    return;
  }

  /* a name of the component, or one of the model */
  if (!c->in) return;
  const ritti_token *t = ritti_token_at(r, n->at);
  if (ritti_symbols_find(c->in->component->names, r->text + t->start, t->length))
    n->at = ritti_member_token(c->resolver, c->in->path, n->at);
  else check_visible(c, n->at);
}

/* Copies a segment of a path after the first one: only its indices contain names. */
static ritti_node *copy_segment(ritti_copier *c, const ritti_node *n) {
  ritti_node *copy = ritti_arena_alloc(c->resolver->reader->scratch, 1, sizeof *copy);
  if (!copy) return NULL;
  *copy = *n;
  copy->next = NULL;
  if (n->kind != N_INDEX) return copy;
  copy->child = copy_segment(c, n->child);
  if (!copy->child) return NULL;
  copy->child->next = ritti_copy_nodes(c, n->child->next);
  return copy;
}

ritti_node *ritti_copy_node(ritti_copier *c, const ritti_node *n) {
  ritti_reader *r = c->resolver->reader;
  ritti_node *copy = ritti_arena_alloc(r->scratch, 1, sizeof *copy);
  if (!copy) {
    r->status = RITT_NO_MEMORY;
    return NULL;
  }
  *copy = *n;
  copy->child = copy->last = copy->next = NULL;

  /* the children; an index is known in the children after it */
  size_t hidden = c->hidden.count;
  for (const ritti_node *k = n->child; k; k = k->next) {
    bool rest = n->kind == N_PATH && k != n->child;
    ritti_node *child = rest ? copy_segment(c, k) : ritti_copy_node(c, k);
    if (!child) {
      r->status = RITT_NO_MEMORY;
      return NULL;
    }
    if (copy->last) copy->last->next = child;
    else copy->child = child;
    copy->last = child;
    if (k->kind == N_EACH) hide_index(c, k);
  }
  c->hidden.count = hidden;

  /* names, and nodes that are called by the name in them */
  if (n->kind == N_NAME) copy_name(c, copy);
  bool named = n->kind == N_INDEX || n->kind == N_PRIME || n->kind == N_PATH;
  if (named && n->at == n->child->at) copy->at = copy->child->at;
  return copy;
}

ritti_node *ritti_copy_nodes(ritti_copier *c, const ritti_node *first) {
  ritti_node *copy = NULL, *last = NULL;
  for (; first; first = first->next) {
    ritti_node *n = ritti_copy_node(c, first);
    if (!n) return NULL;
    if (last) last->next = n;
    else copy = n;
    last = n;
  }
  return copy;
}

/* Copies ranges; each index is known in what follows. */
static ritti_node *copy_ranges(ritti_copier *c, const ritti_node *first) {
  ritti_node *copy = NULL, *last = NULL;
  for (; first; first = first->next) {
    ritti_node *n = ritti_copy_node(c, first);
    if (!n) return NULL;
    hide_index(c, first);
    if (last) last->next = n;
    else copy = n;
    last = n;
  }
  return copy;
}

/* Does the name of a statement belong to the part: a definition, a label or an event? */
static bool names_member(ritti_section section) {
  return section != S_UNIT && section != S_SCALE && section != S_START;
}

/* Copies a statement, or a family. NULL: no memory. */
static ritti_statement *copy_statement(ritti_copier *c, ritti_section section,
                                       const ritti_statement *line) {
  ritti_resolver *s = c->resolver;
  ritti_statement *copy = ritti_arena_alloc(s->reader->scratch, 1, sizeof *copy);
  if (!copy) return NULL;
  size_t hidden = c->hidden.count;
  *copy = *line;
  copy->next = copy->body = copy->last = copy->action = NULL;
  copy->owner = c->in;
  copy->order = s->syntax->statements++;
  if (line->name != NO_TOKEN && names_member(section))
    copy->name = ritti_member_token(s, c->in->path, line->name);

  /* its nodes */
  copy->ranges = copy_ranges(c, line->ranges);
  copy->each = copy_ranges(c, line->each);
  copy->left = ritti_copy_nodes(c, line->left);
  if (line->right) copy->right = ritti_copy_node(c, line->right);

  /* the statements in it: members of a family, actions of an event */
  ritti_statement **end = &copy->body;
  for (const ritti_statement *b = line->body; b; b = b->next) {
    *end = copy->last = copy_statement(c, section, b);
    if (!*end) return NULL;
    end = &(*end)->next;
  }
  end = &copy->action;
  for (const ritti_statement *a = line->action; a; a = a->next) {
    *end = copy_statement(c, S_START, a);
    if (!*end) return NULL;
    end = &(*end)->next;
  }
  c->hidden.count = hidden;
  return copy;
}

void ritti_append_statement(ritti_resolver *s, int section, ritti_statement *line) {
  ritti_syntax *x = s->syntax;
  if (!line) {
    s->reader->status = RITT_NO_MEMORY;
    return;
  }
  if (x->list[section].last) x->list[section].last->next = line;
  else x->list[section].first = line;
  x->list[section].last = line;
  x->list[section].count++;
  if (section < S_COUNT) x->said[section] = true;
}

/* ---- components ---- */

/* The token of the library before a name: `planar` of `planar.ground`; NO_TOKEN: none. */
static uint32_t find_library_token(const ritti_reader *r, uint32_t token) {
  return token >= 2 && ritti_token_at(r, token - 1)->kind == T_DOT ? token - 2 : NO_TOKEN;
}

const char *ritti_name_text(ritti_reader *r, uint32_t token) {
  const ritti_source *x = ritti_source_of(r, ritti_token_at(r, token)->line);
  const char *folder = strrchr(x->file, '/');
  const char *name = folder ? folder + 1 : x->file;
  name += *name == '<';
  return ritti_words(r, "%.*s", (int)strcspn(name, ".>"), name);
}

/* Compares the name at the token `used`, such as `ground` or `planar.ground`, with the name that is
 * defined at another token. */
static ritti_match match_name(ritti_reader *r, uint32_t defined, uint32_t used) {
  uint32_t library = find_library_token(r, used);
  if (!ritti_same_word(r, defined, used)) return NO_MATCH;
  if (library != NO_TOKEN)
    return ritti_token_is(r, library, ritti_name_text(r, defined)) ? MATCH_HERE : NO_MATCH;
  int here = ritti_token_at(r, used)->line, there = ritti_token_at(r, defined)->line;
  if (ritti_source_of(r, here) == ritti_source_of(r, there)) return MATCH_HERE;
  return ritti_includes(r, here, there) ? MATCH_INCLUDED : MATCH_ELSEWHERE;
}

bool ritti_is_nearer(ritti_reader *r, uint32_t defined, uint32_t used, ritti_choice *choice) {
  ritti_match match = match_name(r, defined, used);
  if (match == choice->match && match != NO_MATCH && match != MATCH_HERE) choice->several = true;
  if (match <= choice->match) return false;
  *choice = (ritti_choice){.match = match};
  return true;
}

void ritti_tell_undefined(ritti_resolver *s, uint32_t token, const char *what, const char *hint,
                          const uint32_t *defined, size_t count) {
  ritti_reader *r = s->reader;
  const char **names = ritti_arena_alloc(r->scratch, count + 1, sizeof *names);
  const char *choice = "", *name = ritti_quote(r, token);
  size_t matches = 0;
  if (s->syntax->any_name || !names) return;

  /* all names, and the texts that define this one */
  for (size_t i = 0; i < count; i++) {
    names[i] = ritti_quote(r, defined[i]);
    if (!ritti_same_word(r, defined[i], token)) continue;
    choice = ritti_words(r, "%s%s%s.%s", choice, matches++ ? " or " : "",
                         ritti_name_text(r, defined[i]), name);
  }
  uint32_t library = find_library_token(r, token);
  if (library != NO_TOKEN) {
    ritti_say(r, library, matches ? ritti_words(r, "write %s", choice) : hint,
              "there is no %s '%s.%s'", what, ritti_quote(r, library), name);
    return;
  }
  if (matches > 1) {
    ritti_say(r, token, ritti_words(r, "write %s", choice),
              "the name '%s' has several meanings: a %s of that name is in %zu libraries", name,
              what, matches);
    return;
  }

  /* the nearest one */
  const char *near = ritti_nearest(name, names, count);
  ritti_say(r, token, near ? ritti_did_you_mean(r, near) : hint, "there is no %s '%s'", what, name);
}

/* The component that a token names; NULL: none, or several. */
static ritti_component *find_component(ritti_resolver *s, uint32_t token) {
  ritti_component *found = NULL;
  ritti_choice choice = {0};
  for (ritti_component *c = s->syntax->component; c; c = c->next)
    if (ritti_is_nearer(s->reader, c->name, token, &choice)) found = c;
  return choice.several ? NULL : found;
}

/* The library that has a component of that name; NULL: none. */
static const char *find_library(const char *name) {
  static const char word[] = "component ";
  size_t length = strlen(name), start = sizeof word - 1;
  for (const ritti_library *l = ritti_libraries; l->name; l++)
    for (const char *const *line = l->line; *line; line++)
      if (!strncmp(*line, word, start) && !strncmp(*line + start, name, length) &&
          ((*line)[start + length] == ' ' || (*line)[start + length] == '\n'))
        return l->name;
  return NULL;
}

/* Reports a component that does not exist, or of which there are several. */
static void unknown_component(ritti_resolver *s, uint32_t token) {
  ritti_reader *r = s->reader;
  RITTI_ARRAY(uint32_t) all = {0};
  bool exists = false;
  for (const ritti_component *c = s->syntax->component; c; c = c->next) {
    exists = exists || ritti_same_word(r, c->name, token);
    if (RITTI_PUSH(all, c->name) != RITT_OK) r->status = RITT_NO_MEMORY;
  }

  /* a library that is not included may have it */
  bool silent = exists || s->syntax->any_name;
  const char *library = silent ? NULL : find_library(ritti_quote(r, token));
  if (library)
    ritti_say(r, token, ritti_words(r, "write 'include <%s>'", library),
              "there is no component '%s'", ritti_quote(r, token));
  else
    ritti_tell_undefined(s, token, "component",
                         "write the component; 'ritt library' lists those of the libraries", all.at,
                         all.count);
  RITTI_ARRAY_FREE(all);
}

/* The components on the way to the one that is being checked. */
typedef struct trail {
  const ritti_component *component;
  const struct trail *up;
} trail;

/* Reports a component that contains or extends itself. */
static void tell_recursion(ritti_resolver *s, const ritti_component *c, const trail *up,
                           uint32_t token) {
  ritti_reader *r = s->reader;
  const char *path = ritti_quote(r, c->name);
  for (; up; up = up->up) {
    path = ritti_words(r, "%s -> %s", ritti_quote(r, up->component->name), path);
    if (up->component == c) break;
  }
  ritti_say(r, token, "remove it: a component cannot be a part of itself",
            "the component '%s' contains itself: %s", ritti_quote(r, c->name), path);
}

/* Adds a name to those of a component. A component may give a parameter that it takes over another
 * value. */
static void add_name(ritti_resolver *s, ritti_component *c, const ritti_statement *line,
                     ritti_symbol_kind kind) {
  ritti_reader *r = s->reader;
  const ritti_token *t = ritti_token_at(r, line->name);
  ritti_symbol *y = ritti_symbols_find(c->names, r->text + t->start, t->length);
  if (y && y->token == line->name) return;

  /* another one of that name */
  bool value = y && y->kind == Y_PARAMETER && kind == Y_PARAMETER;
  if (y && !value) {
    bool behind = ritti_token_before(r, y->token, line->name);
    uint32_t later = behind ? line->name : y->token;
    uint32_t first = behind ? y->token : line->name;
    ritti_say(r, later, "choose another name",
              "'%s' is defined twice in the component '%s', first in %s", ritti_quote(r, later),
              ritti_quote(r, c->name), ritti_line_words(r, first, later));
    return;
  }

  if (!y) y = ritti_symbols_add(c->names, ritti_keep_name(r, line->name), kind, line->name);
  if (y) y->line = line;
  else r->status = RITT_NO_MEMORY;
}

/* Adds the names that the labels of constraints define, also inside families. */
static void add_labels(ritti_resolver *s, ritti_component *c, const ritti_statement *first) {
  for (; first; first = first->next) {
    if (first->each) add_labels(s, c, first->body);
    else if (first->name != NO_TOKEN) add_name(s, c, first, Y_LABEL);
  }
}

/* Collects the names of a component and of those that it extends. */
static void collect_names(ritti_resolver *s, ritti_component *c) {
  static const struct {
    ritti_section section;
    ritti_symbol_kind kind;
  } defining[] = {{S_PARAMETER, Y_PARAMETER}, {S_VARIABLE, Y_VARIABLE}, {S_LET, Y_LET},
                  {S_PART, Y_PART},           {S_PORT, Y_PORT},         {S_INPUT, Y_INPUT}};
  for (int k = 0; k < c->chains; k++) {
    const ritti_syntax *x = &c->chain[k]->syntax;
    for (size_t i = 0; i < sizeof defining / sizeof *defining; i++)
      for (const ritti_statement *l = x->list[defining[i].section].first; l; l = l->next)
        add_name(s, c, l, defining[i].kind);
    add_labels(s, c, x->list[S_CONSTRAINT].first);
    add_labels(s, c, x->list[S_NONHOLONOMIC].first);
  }
}

/* Can a part give a value to the name? */
static bool has_value(const ritti_symbol *y) {
  return y->kind == Y_PARAMETER || y->kind == Y_INPUT;
}

/* The value that a part gives to a parameter or input; NULL: none. */
static const ritti_statement *find_value(const ritti_reader *r, const ritti_statement *line,
                                         const char *name) {
  for (const ritti_statement *v = line->action; v; v = v->next)
    if (ritti_token_is(r, v->name, name)) return v;
  return NULL;
}

/* Checks the values that a part gives to the parameters of its component. */
static void check_values(ritti_resolver *s, const ritti_statement *line, const ritti_component *c) {
  ritti_reader *r = s->reader;
  const char *component = ritti_quote(r, c->name);
  for (const ritti_statement *v = line->action; v; v = v->next) {
    const ritti_token *t = ritti_token_at(r, v->name);
    const char *name = ritti_quote(r, v->name);
    const ritti_symbol *y = ritti_symbols_find(c->names, r->text + t->start, t->length);
    if (y && has_value(y)) {
      if (find_value(r, line, name) != v)
        ritti_say(r, v->name, "give it one", "the parameter '%s' is given two values", name);
      continue;
    }

    /* list the parameters */
    const char *all = "";
    for (size_t i = 0; i < c->names->all.count; i++)
      if (has_value(&c->names->all.at[i]))
        all = ritti_words(r, "%s%s%s", all, *all ? ", " : "", c->names->all.at[i].name);
    if (!s->syntax->any_name)
      ritti_say(r, v->name,
                *all ? ritti_words(r, "its parameters are %s", all) : "it has no parameters",
                "the component '%s' has no parameter '%s'", component, name);
  }

  /* parameters without a value */
  for (size_t i = 0; i < c->names->all.count; i++) {
    const ritti_symbol *y = &c->names->all.at[i];
    if (!has_value(y) || y->line->right || find_value(r, line, y->name)) continue;
    const char *part = ritti_quote(r, line->name);
    ritti_say(r, line->name, ritti_words(r, "write %s: %s(%s = ...)", part, component, y->name),
              "the part '%s' gives no value to the %s '%s'", part,
              y->kind == Y_INPUT ? "input" : "parameter", y->name);
  }
}

static bool check_component(ritti_resolver *s, ritti_component *c, const trail *up, uint32_t token);

/* Checks the components of parts, and the values of their parameters. */
static bool check_parts(ritti_resolver *s, const ritti_statement *first, const trail *up) {
  bool whole = true;
  for (const ritti_statement *line = first; line; line = line->next) {
    ritti_component *c = find_component(s, line->kind);
    if (!c) unknown_component(s, line->kind);
    bool known = c && check_component(s, c, up, line->kind);
    if (known) check_values(s, line, c);
    whole = whole && known;
  }
  return whole;
}

/* Checks a component with all that it extends and contains: everything exists, nothing contains
 * itself. Finds its names. false: a mistake was reported. */
static bool check_component(ritti_resolver *s, ritti_component *c, const trail *up,
                            uint32_t token) {
  ritti_reader *r = s->reader;
  trail here = {c, up};
  if (c->open) {
    tell_recursion(s, c, up, token);
    return false;
  }
  if (c->checked) return c->names != NULL;
  c->checked = c->open = true;

  /* the components that it extends, each once */
  bool whole = true;
  size_t room = 1;
  for (const ritti_statement *l = c->syntax.list[S_EXTEND].first; l; l = l->next) {
    ritti_component *base = find_component(s, l->name);
    if (!base) unknown_component(s, l->name);
    bool known = base && check_component(s, base, &here, l->name);
    if (known) room += (size_t)base->chains;
    whole = whole && known;
  }
  c->chain = ritti_arena_alloc(r->scratch, room, sizeof *c->chain);
  ritti_symbols *names = ritti_arena_alloc(r->scratch, 1, sizeof *names);
  if (!c->chain || !names) {
    r->status = RITT_NO_MEMORY;
    return false;
  }
  for (const ritti_statement *l = whole ? c->syntax.list[S_EXTEND].first : NULL; l; l = l->next) {
    const ritti_component *base = find_component(s, l->name);
    for (int i = 0; i < base->chains; i++) {
      int k = 0;
      while (k < c->chains && c->chain[k] != base->chain[i]) k++;
      if (k == c->chains) c->chain[c->chains++] = base->chain[i];
    }
  }
  c->chain[c->chains++] = c;

  /* its names, and its parts */
  c->names = names;
  collect_names(s, c);
  for (int k = 0; k < c->chains; k++)
    whole = check_parts(s, c->chain[k]->syntax.list[S_PART].first, &here) && whole;
  c->open = false;
  return whole;
}

/* Reports two components of one name. */
static void check_names(ritti_resolver *s) {
  for (const ritti_component *c = s->syntax->component; c; c = c->next) {
    const ritti_component *old = find_component(s, c->name);
    if (old == c) continue;
    ritti_say(s->reader, c->name, "choose another name",
              "there are two components '%s', the first in %s", ritti_quote(s->reader, c->name),
              ritti_line_words(s->reader, old->name, c->name));
  }
}

/* ---- parts ---- */

const char *ritti_index_words(ritti_resolver *s, const ritti_node *ranges, const int64_t *index) {
  const char *text = "";
  int k = 0;
  for (const ritti_node *n = ranges; n; n = n->next, k++)
    text = ritti_words(s->reader, "%s%s%" PRId64, text, k ? "," : "[", index[k]);
  return k ? ritti_words(s->reader, "%s]", text) : "";
}

ritt_status ritti_each_element(ritti_resolver *s, const ritti_statement *line,
                               ritti_instance *owner, const char *path, ritti_symbol_kind kind,
                               ritti_visit_element *visit) {
  ritti_reader *r = s->reader;
  ritti_copier c = {.resolver = s, .in = owner};

  /* its name; the names of the model's own parts are declared already */
  uint32_t token = ritti_member_token(s, path, line->name);
  ritti_symbol *y = ritti_find_symbol(s, token);
  if (!y) {
    y = ritti_symbols_add(&s->names, ritti_keep_name(r, token), kind, line->name);
    if (!y) return RITT_NO_MEMORY;
  }
  if (y->kind != kind || (!owner && y->token != line->name)) return RITT_OK; /* reported */
  int64_t index[RITTI_RANK_LIMIT] = {0};
  if (!line->ranges) return visit(s, line, owner, index);

  /* the shape of an array */
  ritti_statement own = *line;
  own.ranges = copy_ranges(&c, line->ranges);
  RITTI_ARRAY_FREE(c.hidden);
  ritti_shape *shape = own.ranges ? ritti_resolve_shape(s, &own) : NULL;
  y = ritti_find_symbol(s, token);
  y->shape = shape;
  if (!shape) {
    y->kind = Y_BROKEN;
    return r->status;
  }

  /* element by element */
  for (size_t i = 0; i < shape->size; i++) {
    size_t rest = i;
    for (int k = shape->rank - 1; k >= 0; k--) {
      index[k] = shape->low[k] + (int64_t)(rest % (size_t)shape->count[k]);
      rest /= (size_t)shape->count[k];
    }
    RITT_TRY(visit(s, line, owner, index));
  }
  return r->status;
}

static bool varies_by_name(ritti_resolver *s, const ritti_instance *in, const ritti_node *name,
                           int depth);

/* Does an expression of the names of a part (NULL: of the model) use more than numbers and parameters?
 * `depth` limits values that refer to each other. */
static bool value_varies(ritti_resolver *s, const ritti_instance *in, const ritti_node *n,
                         int depth) {
  enum { DEEPEST = 50 };
  if (!n || depth > DEEPEST) return false;
  if (n->kind == N_NAME) return varies_by_name(s, in, n, depth);

  /* of a path the first name decides, and indices anywhere */
  for (const ritti_node *k = n->child; k; k = k->next) {
    bool segment = n->kind == N_PATH && k != n->child;
    if (segment && k->kind != N_INDEX) continue;
    const ritti_node *from = segment ? k->child->next : k;
    for (const ritti_node *i = from; i; i = segment ? i->next : NULL)
      if (value_varies(s, in, i, depth)) return true;
  }
  return false;
}

/* The same for a single name. */
static bool varies_by_name(ritti_resolver *s, const ritti_instance *in, const ritti_node *name,
                           int depth) {
  ritti_reader *r = s->reader;
  const ritti_token *t = ritti_token_at(r, name->at);
  if (ritti_token_is(r, name->at, s->model->independent)) return true;
  const ritti_symbol *y =
      in ? ritti_symbols_find(in->component->names, r->text + t->start, t->length) : NULL;

  /* a name of the model */
  if (!y) {
    const ritti_symbol *own = ritti_find_symbol(s, name->at);
    return own && (own->kind == Y_LET || (!in && (own->kind == Y_VARIABLE || own->kind == Y_PART)));
  }

  /* a name of the part; its value may be given by the part around it */
  if (y->kind == Y_INPUT) return true;
  if (y->kind != Y_PARAMETER) return y->kind != Y_BROKEN;
  const ritti_statement *given = find_value(r, in->line, y->name);
  return given ? value_varies(s, in->parent, given->right, depth + 1)
               : value_varies(s, in, y->line->right, depth + 1);
}

/* Adds the statements that define the parameters and inputs of a part. A parameter whose value varies becomes
 * a name for it, as if it were declared by `let`. */
static ritt_status add_parameters(ritti_resolver *s, ritti_instance *p) {
  ritti_reader *r = s->reader;
  const ritti_symbols *names = p->component->names;
  for (size_t i = 0; i < names->all.count; i++) {
    const ritti_symbol *y = &names->all.at[i];
    if (!has_value(y)) continue;
    ritti_section section = y->kind == Y_INPUT ? S_INPUT : S_PARAMETER;
    ritti_copier own = {.resolver = s, .in = p};
    ritti_copier outer = {
        .resolver = s, .in = p->parent, .ranges = p->line->ranges, .index = p->index};
    const ritti_statement *given = find_value(r, p->line, y->name);
    bool variable =
        given ? value_varies(s, p->parent, given->right, 0) : value_varies(s, p, y->line->right, 0);
    if (section == S_PARAMETER && variable) section = S_LET;

    /* a value that the part gives is an expression of the names around the part */
    ritti_statement *line;
    if (given) {
      ritti_statement plain = *y->line;
      plain.right = NULL;
      line = copy_statement(&own, section, &plain);
      if (line) line->right = ritti_copy_node(&outer, given->right);
      for (ritti_node *n = line ? line->ranges : NULL; n; n = n->next) n->at = NO_TOKEN;
    } else line = copy_statement(&own, section, y->line);
    RITTI_ARRAY_FREE(own.hidden);
    RITTI_ARRAY_FREE(outer.hidden);
    if (!line || (!line->right && y->line->right)) return RITT_NO_MEMORY;
    line->varies = section == S_LET;
    if (line->right) ritti_append_statement(s, (int)section, line);
  }
  return r->status;
}

/* Makes a part. */
static ritt_status add_part(ritti_resolver *s, const ritti_statement *line, ritti_instance *owner,
                            const int64_t *index) {
  ritti_reader *r = s->reader;
  ritti_instance *p;
  RITTI_NEW(p, r->scratch, 1);
  *p = (ritti_instance){.parent = owner, .line = line, .depth = owner ? owner->depth + 1 : 0};
  memcpy(p->index, index, sizeof p->index);
  p->component = find_component(s, line->kind);

  /* its path */
  const char *name = ritti_quote(r, line->name);
  const char *indices = ritti_index_words(s, line->ranges, index);
  p->path = ritti_arena_format(r->keep, "%s%s%s%s", owner ? owner->path : "", owner ? "." : "",
                               name, indices);
  if (!p->path) return RITT_NO_MEMORY;
  if (strlen(p->path) > RITTI_NAME_LIMIT) {
    ritti_say(r, line->name, "choose shorter names, or fewer parts in each other",
              "the path of the part is longer than %d characters: %.40s...", RITTI_NAME_LIMIT,
              p->path);
    return r->status;
  }

  /* an element of an array has a name of its own */
  ritti_symbol *y = ritti_symbols_find(&s->names, p->path, strlen(p->path));
  if (!y) y = ritti_symbols_add(&s->names, p->path, Y_PART, line->name);
  if (!y) return RITT_NO_MEMORY;
  y->index = (int)s->parts->instance.count;
  RITT_TRY(RITTI_PUSH(s->parts->instance, p));
  if (owner && owner->last) owner->last->next = p;
  else if (owner) owner->child = p;
  if (owner) owner->last = p;
  return add_parameters(s, p);
}

ritt_status ritti_parts_expand(ritti_resolver *s, bool *more) {
  ritti_reader *r = s->reader;
  *more = false;

  /* the parts of the model itself */
  if (!s->parts) {
    if (s->syntax->list[S_PART].count == 0) return RITT_OK;
    RITTI_NEW(s->parts, r->scratch, 1);
    check_names(s);
    if (!check_parts(s, s->syntax->list[S_PART].first, NULL) || r->notes.count > 0)
      return r->status;
    FOR_EACH(line, s, S_PART)
    RITT_TRY(ritti_each_element(s, line, NULL, "", Y_PART, add_part));
    *more = s->parts->instance.count > 0 && r->notes.count == 0;
    return r->status;
  }

  /* the parts of the parts that were made last */
  size_t end = s->parts->instance.count;
  for (size_t i = s->parts->expanded; i < end && r->notes.count == 0; i++) {
    ritti_instance *p = s->parts->instance.at[i];
    for (int k = 0; k < p->component->chains; k++)
      for (const ritti_statement *l = p->component->chain[k]->syntax.list[S_PART].first; l;
           l = l->next)
        RITT_TRY(ritti_each_element(s, l, p, p->path, Y_PART, add_part));
  }
  s->parts->expanded = end;
  *more = s->parts->instance.count > end && r->notes.count == 0;
  return r->status;
}

/* Adds the statements of a part. */
static ritt_status add_statements(ritti_resolver *s, ritti_instance *p) {
  static const ritti_section sections[] = {S_VARIABLE,   S_LET,         S_EQUATION,     S_INVARIANT,
                                           S_LAGRANGIAN, S_CONSTRAINT,  S_NONHOLONOMIC, S_FORCE,
                                           S_START,      S_DISSIPATION, S_EVENT,        S_SCALE,
                                           S_UNIT,       S_CONNECT,     S_SCENE};
  ritti_copier c = {.resolver = s, .in = p};
  for (int k = 0; k < p->component->chains; k++)
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
      for (const ritti_statement *l = p->component->chain[k]->syntax.list[sections[i]].first; l;
           l = l->next)
        ritti_append_statement(s, (int)sections[i], copy_statement(&c, sections[i], l));
  RITTI_ARRAY_FREE(c.hidden);
  return s->reader->status;
}

ritt_status ritti_parts_complete(ritti_resolver *s) {
  if (!s->parts) return s->reader->status;
  if (s->reader->notes.count > 0) {
    /* not all parts are made: unknown names may be theirs */
    s->syntax->any_name = true;
    return s->reader->status;
  }
  for (size_t i = 0; i < s->parts->instance.count; i++)
    RITT_TRY(add_statements(s, s->parts->instance.at[i]));
  return ritti_connect_ports(s);
}

/* Lists a part and the parts in it. */
static void list_part(ritti_resolver *s, const ritti_instance *p) {
  ritti_model *m = s->model;
  m->part[m->parts++] =
      (ritti_part_def){.path = p->path,
                       .component = ritti_keep_name(s->reader, p->component->name),
                       .depth = p->depth,
                       .unknowns = p->unknowns,
                       .equations = p->equations,
                       .needed = p->child || p->unbounded ? -1 : p->unknowns + p->needed,
                       .place = ritti_place_of(s->reader, p->line->first)};
  for (const ritti_instance *c = p->child; c; c = c->next) list_part(s, c);
}

ritt_status ritti_parts_list(ritti_resolver *s) {
  if (!s->parts) return RITT_OK;
  RITTI_NEW(s->model->part, s->model->arena, s->parts->instance.count);
  for (size_t i = 0; i < s->parts->instance.count; i++)
    if (s->parts->instance.at[i]->depth == 0) list_part(s, s->parts->instance.at[i]);
  return s->reader->status;
}

void ritti_parts_clear(ritti_resolver *s) {
  for (const ritti_component *c = s->syntax ? s->syntax->component : NULL; c; c = c->next)
    if (c->names) ritti_symbols_clear(c->names);
  if (!s->parts) return;
  RITTI_ARRAY_FREE(s->parts->instance);
  RITTI_ARRAY_FREE(s->parts->port);
  ritti_symbols_clear(&s->parts->texts);
}
