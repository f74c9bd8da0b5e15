/* Sections and statements: tokens -> syntax.
 *
 *    file    = { section }
 *    section = keyword in the first column, statements on the same line or on indented lines
 *
 * In a list section a statement ends at a comma or at the end of its line, in the others at the end of its
 * line. A line goes on where it ends in an operator or one of  , = ~ := : -> then else and or not  or inside
 * an open bracket.
 *
 * After a mistake reading resumes at the next item or line. Names whose definition could not be read are
 * remembered, so that their use is no second mistake.
 */
#include <assert.h>
#include "lang_impl.h"

/* ---- where lines end ---------------------------------------------------------------------------------- */

bool ritti_goes_on(const ritti_token *last) {
  static const bool reserved[] = {
#define X(id, word, continues) continues,
      RITTI_RESERVED(X)
#undef X
  };
  switch (last->kind) {
  case T_RESERVED: return reserved[last->word];
  case T_PLUS:
  case T_MINUS:
  case T_TIMES:
  case T_OVER:
  case T_POWER:
  case T_LESS:
  case T_LESS_EQUAL:
  case T_GREATER:
  case T_GREATER_EQUAL:
  case T_UNEQUAL:
  case T_COMMA:
  case T_EQUALS:
  case T_TILDE:
  case T_ASSIGN:
  case T_COLON:
  case T_ARROW: return true;
  default: return false;
  }
}

ritti_token_kind ritti_kind_at(const ritti_parser *p, uint32_t i) {
  const ritti_reader *r = p->reader;
  if (i >= r->tokens.count) return T_END;
  const ritti_token *t = ritti_token_at(r, i);
  bool keyword = t->kind == T_KEYWORD || t->kind == T_END;
  if (!keyword && t->first && i != p->begun && p->brackets == 0 && !(i > 0 && ritti_goes_on(t - 1)))
    return T_LINE;
  return (ritti_token_kind)t->kind;
}

bool ritti_look_name(const ritti_parser *p, const char *word) {
  return ritti_look(p) == T_NAME && ritti_token_is(p->reader, p->at, word);
}

bool ritti_look_word(const ritti_parser *p, const char *word) {
  ritti_token_kind next = ritti_kind_at(p, p->at + 1);
  return ritti_look_name(p, word) && (next == T_NAME || next == T_NUMBER || next == T_OPEN);
}

uint32_t ritti_after_index(const ritti_parser *p, uint32_t i) {
  while (ritti_kind_at(p, i) == T_OPEN_INDEX) {
    int brackets = 0;
    do {
      ritti_token_kind kind = (ritti_token_kind)ritti_token_at(p->reader, i)->kind;
      if (kind == T_KEYWORD || kind == T_END) return i;
      if (kind == T_OPEN_INDEX) brackets++;
      if (kind == T_CLOSE_INDEX) brackets--;
      i++;
    } while (brackets > 0);
  }
  return i;
}

static bool section_ends(const ritti_parser *p) {
  ritti_token_kind kind = ritti_look(p);
  return kind == T_KEYWORD || kind == T_END;
}

/* ---- after a mistake ---------------------------------------------------------------------------------- */

/* The end of the item (or line) that token p->at belongs to, inside so many brackets. */
static uint32_t item_end(const ritti_parser *p, int brackets, bool list, bool *closed) {
  for (uint32_t at = p->at;; at++) {
    ritti_token_kind kind = ritti_kind_at(p, at);
    *closed = brackets == 0;
    if (kind == T_KEYWORD || kind == T_END) return at;
    if (brackets == 0 && (kind == T_LINE || (list && kind == T_COMMA))) return at;
    kind = (ritti_token_kind)ritti_token_at(p->reader, at)->kind;
    if (kind == T_OPEN || kind == T_OPEN_INDEX) brackets++;
    if ((kind == T_CLOSE || kind == T_CLOSE_INDEX) && brackets > 0) brackets--;
  }
}

static void skip_item(ritti_parser *p, bool list) {
  int brackets = p->brackets;
  p->brackets = 0;
  if (p->at == p->resume) return;
  /* open brackets are followed to their end only if they have one */
  bool closed;
  uint32_t end = item_end(p, brackets, list, &closed);
  p->at = closed ? end : item_end(p, 0, list, &closed);
}

/* Remembers the names in [first, p->at) whose definition is lost. */
static void remember_broken(ritti_parser *p, uint32_t first, uint32_t end) {
  for (uint32_t i = first; i < end; i++)
    if (ritti_token_at(p->reader, i)->kind == T_NAME && RITTI_PUSH(p->syntax->broken, i) != RITT_OK)
      p->reader->status = RITT_NO_MEMORY;
}

/* ---- statements --------------------------------------------------------------------------------------- */

ritti_statement *ritti_statement_new(ritti_parser *p) {
  ritti_statement *s = ritti_arena_alloc(p->reader->scratch, 1, sizeof *s);
  if (!s) {
    p->reader->status = RITT_NO_MEMORY;
    return NULL;
  }
  *s = (ritti_statement){.order = p->syntax->statements++,
                         .first = p->at,
                         .name = NO_TOKEN,
                         .word = NO_TOKEN,
                         .relation = NO_TOKEN};
  return s;
}

void ritti_statement_add(ritti_parser *p, int list, ritti_statement *s) {
  if (p->family) {
    if (p->family->last) p->family->last->next = s;
    else p->family->body = s;
    p->family->last = s;
    return;
  }
  if (p->syntax->list[list].last) p->syntax->list[list].last->next = s;
  else p->syntax->list[list].first = s;
  p->syntax->list[list].last = s;
  p->syntax->list[list].count++;
}

/* Takes a name into s->name. false: told. */
static bool take_name(ritti_parser *p, ritti_statement *s, const char *what, const char *hint) {
  ritti_reader *r = p->reader;
  ritti_token_kind kind = ritti_look(p);
  if (kind == T_NAME) {
    s->name = p->at++;
    return true;
  }
  if (kind == T_RESERVED)
    ritti_say(r, p->at, "choose another name", "'%s' is a reserved word and cannot be a name",
              ritti_quote(r, p->at));
  else if (ritti_ends(kind))
    ritti_say(r, p->at - 1, hint, "%s is missing after '%s'", what, ritti_quote(r, p->at - 1));
  else if (kind != T_BAD) ritti_say(r, p->at, hint, "%s is missing before '%s'", what, ritti_quote(r, p->at));
  return false;
}

/* [ "[" ranges "]" ] of a name that is defined; false: told */
static bool take_ranges(ritti_parser *p, ritti_statement *s) {
  return ritti_look(p) != T_OPEN_INDEX || (s->ranges = ritti_parse_ranges(p)) != NULL;
}

/* "=" expr, where s->name is already there. false: told. */
static bool take_value(ritti_parser *p, ritti_statement *s, const char *what) {
  ritti_reader *r = p->reader;
  const char *name = ritti_quote(r, s->name);
  ritti_token_kind kind = ritti_look(p);
  if (kind == T_EQUALS) {
    s->relation = p->at++;
    return (s->right = ritti_parse_expr(p)) != NULL;
  }
  if (kind != T_BAD)
    ritti_say(r, s->name, ritti_words(r, "write %s = ...", name), "%s '%s' has no value", what, name);
  return false;
}

/* [ name ":" ] */
static void take_label(ritti_parser *p, ritti_statement *s) {
  if (ritti_look(p) != T_NAME || ritti_kind_at(p, p->at + 1) != T_COLON) return;
  s->name = p->at;
  p->at += 2;
}

/* model NAME ["title"] */
static bool parse_model(ritti_parser *p, ritti_statement *s) {
  ritti_reader *r = p->reader;
  if (!take_name(p, s, "the name of the model", "write 'model NAME', for example 'model pendulum'"))
    return false;
  if (ritti_look(p) == T_STRING) s->word = p->at++;
  if (ritti_ends(ritti_look(p)) || ritti_look(p) == T_BAD) return true;
  ritti_say(r, p->at, "a name is made of letters, digits and _; a longer title follows it in quotes",
            "'%s' cannot stand in the name of a model", ritti_quote(r, p->at));
  return false;
}

/* independent x */
static bool parse_independent(ritti_parser *p, ritti_statement *s) {
  return take_name(p, s, "the name of the independent variable", "write 'independent x'");
}

/* parameter a [ ranges ] = expr */
static bool parse_parameter(ritti_parser *p, ritti_statement *s) {
  const char *hint = ritti_look(p) == T_NUMBER ? "a number has a decimal point and no comma: g = 9.81"
                                               : "write a name and its value: g = 9.81";
  return take_name(p, s, "the name of a parameter", hint) && take_ranges(p, s) &&
         take_value(p, s, "the parameter");
}

/* let r [ ranges ] = expr */
static bool parse_let(ritti_parser *p, ritti_statement *s) {
  return take_name(p, s, "a name", "write a name and what it stands for: r = sqrt(x^2 + y^2)") &&
         take_ranges(p, s) && take_value(p, s, "the name");
}

/* "(" name { "," name } ")" into s->arguments; false: told */
static bool take_arguments(ritti_parser *p, ritti_statement *s) {
  ritti_reader *r = p->reader;
  uint32_t open = p->at;
  ritti_node *last = NULL;
  p->at++;
  p->brackets++;
  for (bool more = true; more; p->at += more) {
    if (ritti_look(p) != T_NAME) {
      if (ritti_look(p) != T_BAD)
        ritti_say(r, p->at, "write the names of its arguments: f(a, b)",
                  "the name of an argument is missing before '%s'", ritti_quote(r, p->at));
      return false;
    }
    ritti_node *n = ritti_arena_alloc(r->scratch, 1, sizeof *n);
    if (!n) {
      r->status = RITT_NO_MEMORY;
      return false;
    }
    *n = (ritti_node){.kind = N_NAME, .at = p->at, .first = p->at, .end = p->at + 1, .sign = NO_TOKEN};
    if (last) last->next = n;
    else s->arguments = n;
    last = n;
    p->at++;
    more = ritti_look(p) == T_COMMA;
  }
  if (ritti_look(p) != T_CLOSE) {
    if (ritti_look(p) != T_BAD)
      ritti_say(r, open, "close it with ')' after the names of the arguments",
                "the bracket '(' is not closed");
    return false;
  }
  p->at++;
  p->brackets--;
  return true;
}

/* function f(a, b) = expr | V = table ... */
static bool parse_function(ritti_parser *p, ritti_statement *s) {
  static const char *hint = "write 'function f(a, b) = a^2 + b^2'";
  ritti_reader *r = p->reader;
  if (!take_name(p, s, "the name of a function", hint)) return false;
  if (ritti_look(p) == T_EQUALS && ritti_kind_at(p, p->at + 1) == T_NAME &&
      ritti_token_is(r, p->at + 1, "table")) {
    s->relation = p->at++;
    return ritti_parse_table(p, s);
  }
  if (ritti_look(p) != T_OPEN) {
    if (ritti_look(p) != T_BAD)
      ritti_say(r, s->name, hint, "the function '%s' has no arguments", ritti_quote(r, s->name));
    return false;
  }
  if (!take_arguments(p, s)) return false;
  if (ritti_look(p) != T_EQUALS && ritti_look(p) != T_BAD) {
    ritti_say(r, s->name, hint, "the function '%s' has no '=' after its arguments", ritti_quote(r, s->name));
    return false;
  }
  return take_value(p, s, "the function");
}

/* variable x [ ranges ] */
static bool parse_variable(ritti_parser *p, ritti_statement *s) {
  ritti_reader *r = p->reader;
  if (!take_name(p, s, "the name of a variable", "write the names with commas between them: x, y"))
    return false;
  if (!take_ranges(p, s)) return false;
  const char *name = ritti_quote(r, s->name);
  for (const ritti_node *n = s->ranges; n; n = n->next)
    if (n->at != NO_TOKEN) {
      ritti_say(r, n->at, ritti_words(r, "write %s[1..n]", name),
                "a variable is declared without the name of an index");
      return false;
    }
  switch (ritti_look(p)) {
  case T_PRIME:
    ritti_say(r, p->at, ritti_words(r, "write %s; its derivatives need no declaration", name),
              "a variable is declared without primes");
    return false;
  case T_EQUALS:
  case T_TILDE:
    ritti_say(r, p->at, ritti_words(r, "write %s here, and its start value in the section 'start'", name),
              "a variable is declared without a value");
    return false;
  case T_OPEN:
    ritti_say(r, p->at,
              ritti_words(r, "write %s alone: every variable depends on the independent variable", name),
              "a variable is declared without an argument");
    return false;
  default: return true;
  }
}

/* equation [label:] expr = expr */
static bool parse_equation(ritti_parser *p, ritti_statement *s) {
  take_label(p, s);
  uint32_t first = p->at;
  s->left = ritti_parse_expr(p);
  if (!s->left) return false;
  ritti_token_kind kind = ritti_look(p);
  if (kind == T_EQUALS) {
    s->relation = p->at++;
    return (s->right = ritti_parse_expr(p)) != NULL;
  }
  /* a label above another labelled line has nothing of its own */
  bool lost =
      kind == T_COLON && ritti_token_at(p->reader, p->at)->line > ritti_token_at(p->reader, s->first)->line;
  if (!lost && (kind == T_ASSIGN || kind == T_TILDE || kind == T_COLON || kind == T_ARROW))
    ritti_say(p->reader, p->at, "write = between its sides", "'%s' does not make an equation",
              ritti_quote(p->reader, p->at));
  else if (ritti_ends(kind))
    ritti_say(p->reader, first, "write both sides: x' = y, or x^2 + y^2 - 1 = 0", "the equation has no '='");
  else ritti_parse_unexpected(p);
  return false;
}

/* invariant [projected] [name:] expr [= expr] */
static bool parse_invariant(ritti_parser *p, ritti_statement *s) {
  s->projected = ritti_look_word(p, "projected");
  p->at += s->projected;
  take_label(p, s);
  s->left = ritti_parse_expr(p);
  if (!s->left || ritti_look(p) != T_EQUALS) return s->left != NULL;
  s->relation = p->at++;
  return (s->right = ritti_parse_expr(p)) != NULL;
}

/* start x = expr | x' ~ expr; also t = expr */
static bool parse_start(ritti_parser *p, ritti_statement *s) {
  ritti_reader *r = p->reader;
  ritti_token_kind next = ritti_kind_at(p, p->at + 1);
  bool smooth = ritti_look_name(p, "smooth") && next != T_EQUALS && next != T_TILDE && next != T_PRIME;
  if (smooth) {
    ritti_say(r, p->at, "leave 'smooth' out and give the start values themselves",
              "'start smooth' is not in this version of Ritt");
    return false;
  }
  s->left = ritti_parse_expr(p);
  if (!s->left) return false;
  ritti_token_kind kind = ritti_look(p);
  if (kind == T_EQUALS || kind == T_TILDE) {
    s->relation = p->at++;
    return (s->right = ritti_parse_expr(p)) != NULL;
  }
  const char *shown = ritti_typed(r, r->scratch, s->left->first, s->left->end, false);
  if (!ritti_ends(kind) && kind != T_COMMA && kind != T_ASSIGN && kind != T_COLON) ritti_parse_unexpected(p);
  else
    ritti_say(r, s->left->first, "write = for a value that is kept, ~ for a guess that may be moved",
              "the start value '%.60s' has no '=' or '~'", shown);
  return false;
}

/* scale x [ indices ] = expr */
static bool parse_scale(ritti_parser *p, ritti_statement *s) {
  if (!take_name(p, s, "the name of a variable", "write a variable and its typical size: x = 1e-3"))
    return false;
  p->at = s->name;
  s->left = ritti_parse_target(p);
  if (!s->left) return false;
  if (ritti_look(p) == T_PRIME) {
    ritti_say(p->reader, p->at, "write the variable without primes",
              "a scale belongs to a variable, not to its derivatives");
    return false;
  }
  return take_value(p, s, "the scale of");
}

/* output expr | name = expr */
static bool parse_output(ritti_parser *p, ritti_statement *s) {
  if (ritti_look(p) == T_NAME && ritti_kind_at(p, p->at + 1) == T_EQUALS) {
    s->name = p->at;
    s->relation = p->at + 1;
    p->at += 2;
  }
  s->right = ritti_parse_expr(p);
  if (s->right && s->name == NO_TOKEN && ritti_look(p) == T_EQUALS) {
    ritti_say(p->reader, p->at, "write NAME = EXPRESSION, or the expression alone",
              "the name of a column is made of letters, digits and _");
    return false;
  }
  return s->right != NULL;
}

/* solve t = a .. b | t = .. b | arc = 0 .. b */
static bool parse_solve(ritti_parser *p, ritti_statement *s) {
  static const char *hint = "write from where to where: 'solve t = 0 .. 50'";
  ritti_reader *r = p->reader;
  if (!take_name(p, s, "the independent variable", hint)) return false;
  ritti_token_kind kind = ritti_look(p);
  if (kind != T_EQUALS) {
    const char *name = ritti_quote(r, s->name);
    if (ritti_is_setting(r, s->name))
      ritti_say(r, s->name, hint, "the setting '%s' stands before the range of the run", name);
    else if (kind != T_BAD) ritti_say(r, s->name, hint, "'=' is missing after '%s'", name);
    return false;
  }
  s->relation = p->at++;
  if (ritti_look(p) != T_RANGE && !(s->left = ritti_parse_expr(p))) return false;
  kind = ritti_look(p);
  if (kind == T_RANGE) p->at++;
  else if (ritti_ends(kind) || kind == T_COMMA || kind == T_COLON) {
    ritti_say(r, p->at - 1, hint, "the end of the run is missing after '%s'", ritti_quote(r, p->at - 1));
    return false;
  } else {
    ritti_parse_unexpected(p);
    return false;
  }
  if (ritti_ends(ritti_look(p))) {
    ritti_say(r, p->at - 1, hint, "the end of the run is missing after '..'");
    return false;
  }
  return (s->right = ritti_parse_expr(p)) != NULL;
}

/* ---- included files ------------------------------------------------------------------------------------- */

static void parse_section(ritti_parser *p);
static void skip_section(ritti_parser *p);

/* Parses the text whose first token that is, as if it stood here. */
static void parse_source(ritti_parser *p, uint32_t first, size_t source) {
  ritti_parser inner = {.reader = p->reader,
                        .syntax = p->syntax,
                        .panel = p->panel,
                        .resume = NO_TOKEN,
                        .at = first,
                        .included = p->included + 1};
  if (!section_ends(&inner)) {
    ritti_say(p->reader, first, "begin with the keyword of a section in the first column",
              "this stands before the first section");
    skip_section(&inner);
  }
  while (ritti_look(&inner) == T_KEYWORD && !p->reader->full) parse_section(&inner);
  p->reader->sources.at[source].open = false;
  p->panel = inner.panel;
}

/* include "file" */
static bool parse_include(ritti_parser *p, ritti_statement *s) {
  ritti_reader *r = p->reader;
  if (ritti_look(p) != T_STRING) {
    if (ritti_look(p) != T_BAD)
      ritti_say(r, ritti_ends(ritti_look(p)) ? p->at - 1 : p->at, "write 'include \"parts.ritt\"'",
                "the name of a file in quotes is missing");
    return false;
  }
  s->word = p->at++;
  return true;
}

static void include_file(ritti_parser *p, const ritti_statement *s) {
  ritti_reader *r = p->reader;
  const ritti_token *t = ritti_token_at(r, s->word);
  const char *path = ritti_words(r, "%.*s", (int)t->length - 2, r->text + t->start + 1);
  uint32_t first;
  size_t source = r->sources.count;
  bool known;
  if (p->included >= RITTI_INCLUDE_DEPTH) {
    ritti_say(r, s->word, "include fewer files from each other", "the files are included more than %d deep",
              RITTI_INCLUDE_DEPTH);
    p->syntax->any_name = true;
  } else if (!ritti_include(r, s->word, path, &known, &first)) p->syntax->any_name = true;
  else if (!known) parse_source(p, first, source);
}

/* ---- plots -------------------------------------------------------------------------------------------- */

static bool is_plot(ritti_section section) { return section == S_PLOT || section == S_PLOT3; }

/* Does "(" expr "," expr ")" stand at a token, and nothing that makes an expression of it? *behind: the token after it. */
static bool pair_at(const ritti_parser *p, uint32_t at, uint32_t *behind) {
  int brackets = 0, commas = 0;
  if (ritti_token_at(p->reader, at)->kind != T_OPEN) return false;
  for (uint32_t i = at;; i++) {
    ritti_token_kind kind = (ritti_token_kind)ritti_token_at(p->reader, i)->kind;
    *behind = i;
    if (kind == T_KEYWORD || kind == T_END) return commas > 0;
    *behind = i + 1;
    if (kind == T_OPEN || kind == T_OPEN_INDEX) brackets++;
    if (kind == T_COMMA && brackets == 1) commas++;
    if ((kind == T_CLOSE || kind == T_CLOSE_INDEX) && --brackets == 0) return commas > 0;
  }
}

/* NAME "(" ... ")", and no ':' behind it that would make a graph over a function of it */
static bool points_ahead(const ritti_parser *p) {
  uint32_t behind;
  if (ritti_look(p) != T_NAME || !pair_at(p, p->at + 1, &behind)) return false;
  ritti_token_kind kind = (ritti_token_kind)ritti_token_at(p->reader, behind)->kind;
  return kind == T_COMMA || ritti_ends(kind);
}

static bool pair_ahead(const ritti_parser *p) {
  uint32_t behind;
  return pair_at(p, p->at, &behind) || points_ahead(p);
}

static ritti_statement *new_curve(ritti_parser *p) {
  ritti_statement *s = ritti_statement_new(p);
  if (s) s->panel = p->panel;
  return s;
}

/* "," expr ; NULL: told */
static ritti_node *parse_coordinate(ritti_parser *p) {
  if (ritti_look(p) != T_COMMA) {
    ritti_parse_unexpected(p);
    return NULL;
  }
  p->at++;
  return ritti_parse_expr(p);
}

/* [ NAME ] "(" expr "," expr [ "," expr ] ")" */
static bool parse_pair(ritti_parser *p) {
  ritti_reader *r = p->reader;
  ritti_statement *s = new_curve(p);
  bool space = p->section == S_PLOT3;
  if (!s) return false;
  if (ritti_look(p) == T_NAME) s->name = p->at++;
  p->at++;
  p->brackets++;
  s->left = ritti_parse_expr(p);
  if (!s->left || !(s->right = parse_coordinate(p))) return false;
  if (space && ritti_look(p) == T_CLOSE) {
    ritti_say(r, p->at, "write (x, y, z), or 'plot (x, y)'", "a curve in space has three coordinates");
    return false;
  }
  if (space && !(s->third = parse_coordinate(p))) return false;
  if (ritti_look(p) == T_COMMA) {
    ritti_say(r, p->at, space ? "write (x, y, z)" : "write (x, y), or 'plot3 (x, y, z)'",
              space ? "a curve in space has three coordinates" : "a curve in the plane has two coordinates");
    return false;
  }
  if (ritti_look(p) != T_CLOSE) {
    ritti_parse_unexpected(p);
    return false;
  }
  p->at++;
  p->brackets--;
  s->end = p->at;
  ritti_statement_add(p, S_PLOT, s);
  return true;
}

/* expr ":" expr { "," expr } */
static bool parse_graphs(ritti_parser *p) {
  const char *hint = p->section == S_PLOT3 ? "write 'plot3 (x, y, z)'"
                                           : "write 'plot (x, y)', or 'plot t: x, y' for graphs over t";
  ritti_reader *r = p->reader;
  uint32_t first = p->at;
  ritti_node *x = ritti_parse_expr(p);
  if (!x) return false;
  if (ritti_look(p) != T_COLON || p->section == S_PLOT3) {
    if (ritti_look(p) != T_BAD) ritti_say(r, first, hint, "the plot does not say what is drawn over what");
    return false;
  }
  do {
    p->at++;
    ritti_statement *s = new_curve(p);
    if (!s) return false;
    s->left = x;
    s->right = ritti_parse_expr(p);
    if (!s->right) return false;
    s->end = p->at;
    ritti_statement_add(p, S_PLOT, s);
  } while (ritti_look(p) == T_COMMA);
  return true;
}

/* plot, plot3: pair { "," pair } | expr ":" expr { "," expr } */
static bool parse_plot(ritti_parser *p) {
  if (!pair_ahead(p)) return parse_graphs(p);
  for (;;) {
    if (!parse_pair(p)) return false;
    if (ritti_look(p) != T_COMMA) return true;
    p->at++;
    if (pair_ahead(p)) continue;
    if (ritti_look(p) != T_BAD)
      ritti_say(p->reader, ritti_ends(ritti_look(p)) ? p->at - 1 : p->at,
                p->section == S_PLOT3 ? "write (x, y, z), (u, v, w)" : "write (x, y), (u, v)",
                "a curve is missing here");
    return false;
  }
}

/* ---- sections ----------------------------------------------------------------------------------------- */

typedef bool statement_parser(ritti_parser *p, ritti_statement *s);
static statement_parser *const parse_statement[S_COUNT] = {
    [S_MODEL] = parse_model,
    [S_INDEPENDENT] = parse_independent,
    [S_PARAMETER] = parse_parameter,
    [S_VARIABLE] = parse_variable,
    [S_LET] = parse_let,
    [S_FUNCTION] = parse_function,
    [S_INCLUDE] = parse_include,
    [S_EQUATION] = parse_equation,
    [S_INVARIANT] = parse_invariant,
    [S_START] = parse_start,
    [S_OUTPUT] = parse_output,
    [S_SCALE] = parse_scale,
    [S_UNIT] = ritti_parse_unit,
    [S_DOC] = ritti_parse_doc,
    [S_SOLVE] = parse_solve,
    [S_EVENT] = ritti_parse_event,
    [S_SECTION] = ritti_parse_poincare,
    [S_LAGRANGIAN] = ritti_parse_quantity,
    [S_HAMILTONIAN] = ritti_parse_quantity,
    [S_DISSIPATION] = ritti_parse_quantity,
    [S_BRACKET] = ritti_parse_quantity,
    [S_CANONICAL] = ritti_parse_canonical,
    [S_CONSTRAINT] = parse_equation,
    [S_NONHOLONOMIC] = parse_equation,
    [S_FORCE] = ritti_parse_force,
    [S_STIFF] = ritti_parse_stiff,
};

/* Does another item begin here, although no comma ended the last one? */
static bool item_ahead(const ritti_parser *p) {
  if (ritti_look(p) != T_NAME) return false;
  if (p->section == S_VARIABLE || p->section == S_OUTPUT) return true;
  uint32_t i = ritti_after_index(p, p->at + 1);
  while (ritti_kind_at(p, i) == T_PRIME) i++;
  return ritti_kind_at(p, i) == T_EQUALS || ritti_kind_at(p, i) == T_TILDE;
}

static bool item_ends(ritti_parser *p) {
  ritti_token_kind kind = ritti_look(p);
  if (kind == T_COMMA || ritti_ends(kind)) return true;
  if (item_ahead(p)) {
    ritti_say(p->reader, p->at, "separate the items with commas, or write each on its own line",
              "a comma is missing before '%s'", ritti_quote(p->reader, p->at));
    return true;
  }
  ritti_parse_unexpected(p);
  return false;
}

static bool is_family(const ritti_parser *p) {
  return ritti_look(p) == T_RESERVED && ritti_token_at(p->reader, p->at)->word == W_FOR;
}
static void parse_family(ritti_parser *p);

/* One line of a list section: items with commas between them. */
static void parse_list(ritti_parser *p) {
  while (!p->reader->full) {
    uint32_t first = p->at;
    if (ritti_ends(ritti_look(p))) {
      ritti_say(p->reader, first - 1, "remove it, or write another item after it",
                "nothing follows the last ','");
      return;
    }
    if (is_family(p)) {
      parse_family(p);
      return;
    }
    p->depth = 0;
    p->item = first;
    ritti_statement *s = ritti_statement_new(p);
    bool whole = s && parse_statement[p->section](p, s) && item_ends(p);
    if (whole) {
      s->end = p->at;
      ritti_statement_add(p, (int)p->section, s);
    } else {
      skip_item(p, true);
      if (p->section == S_VARIABLE) remember_broken(p, first, p->at);
      if (p->section == S_PARAMETER || p->section == S_LET) remember_broken(p, first, first + 1);
    }
    if (ritti_ends(ritti_look(p)) || p->at == p->resume) return;
    if (ritti_look(p) == T_COMMA) p->at++;
  }
}

/* Does the label of a line, or the name in it, become a value? */
static bool names_value(ritti_section section) {
  return section == S_CONSTRAINT || section == S_NONHOLONOMIC || section == S_STIFF || section == S_FUNCTION;
}

/* One line of another section. */
static void parse_line(ritti_parser *p) {
  if (is_family(p)) {
    parse_family(p);
    return;
  }
  if (p->line > 0 && (p->section == S_MODEL || p->section == S_INDEPENDENT)) {
    ritti_say(p->reader, p->at, "remove the line", "the section '%s' has one line only",
              ritti_sections[p->section].word);
    skip_item(p, false);
    return;
  }
  bool setting = p->section == S_SOLVE && p->line > 0;
  ritti_statement *s = setting ? ritti_parse_setting(p) : ritti_statement_new(p);
  bool whole = s != NULL;
  if (!setting && whole) whole = is_plot(p->section) ? parse_plot(p) : parse_statement[p->section](p, s);
  if (whole && !ritti_ends(ritti_look(p))) {
    ritti_parse_unexpected(p);
    whole = false;
  }
  if (!whole) {
    skip_item(p, false);
    if (s && s->name != NO_TOKEN && names_value(p->section)) remember_broken(p, s->name, s->name + 1);
    p->syntax->lost_constraint |= names_value(p->section);
    return;
  }
  s->end = p->at;
  if (p->section == S_INCLUDE) include_file(p, s);
  else if (!is_plot(p->section)) ritti_statement_add(p, setting ? S_SETTING : (int)p->section, s);
}

/* ---- families ----------------------------------------------------------------------------------------- */

/* What to write where a section has no families; NULL: it has. */
static const char *no_family(ritti_section section) {
  switch (section) {
  case S_EQUATION:
  case S_INVARIANT:
  case S_START:
  case S_OUTPUT:
  case S_SCALE:
  case S_CONSTRAINT:
  case S_NONHOLONOMIC:
  case S_FORCE:
  case S_DISSIPATION:
  case S_CANONICAL:
  case S_UNIT: return NULL;
  case S_LAGRANGIAN:
  case S_HAMILTONIAN: return "write the sum of all members: sum(i in 1..n, ...)";
  case S_PARAMETER: return "declare an array: C[k in 1..n] = k*1e-6";
  case S_VARIABLE: return "declare an array: p[1..n]";
  case S_LET: return "define an array: d[i in 1..n] = x[i] - x[i-1]";
  case S_PLOT:
  case S_PLOT3: return "draw all elements: 'plot t: p', or some of them: 'plot t: p[1..3]'";
  default: return "remove it";
  }
}

/* "for" each { "," each } ":" ; NULL: told */
static ritti_statement *family_head(ritti_parser *p) {
  ritti_reader *r = p->reader;
  ritti_statement *s = ritti_statement_new(p);
  const char *hint = no_family(p->section);
  if (!s) return NULL;
  if (hint) {
    ritti_say(r, p->at, hint, "the section '%s' has no families", ritti_sections[p->section].word);
    return NULL;
  }
  p->at++;
  for (ritti_node *last = NULL, *n; (n = ritti_parse_each(p)); last = n, p->at++) {
    if (last) last->next = n;
    else s->each = n;
    ritti_token_kind kind = ritti_look(p);
    if (kind == T_COMMA) continue;
    if (kind == T_COLON) {
      s->end = ++p->at;
      return s;
    }
    if (kind != T_BAD)
      ritti_say(r, ritti_ends(kind) ? p->at - 1 : p->at, "write for i in 1..n: ...", "':' is missing %s '%s'",
                ritti_ends(kind) ? "after" : "before", ritti_quote(r, ritti_ends(kind) ? p->at - 1 : p->at));
    return NULL;
  }
  return NULL;
}

/* The column in which the line of a token begins. */
static int line_column(const ritti_reader *r, uint32_t i) {
  while (!ritti_token_at(r, i)->first) i--;
  return ritti_token_at(r, i)->column;
}

/* Lines from here on that are indented as far as the first one. */
static void parse_block(ritti_parser *p) {
  bool list = ritti_sections[p->section].form == LIST;
  int column = ritti_token_at(p->reader, p->at)->column;
  while (!section_ends(p) && !p->reader->full && ritti_token_at(p->reader, p->at)->column >= column) {
    p->begun = p->item = p->at;
    p->resume = NO_TOKEN;
    p->brackets = p->depth = 0;
    if (list) parse_list(p);
    else parse_line(p);
  }
}

/* family = "for" each { "," each } ":" ( statements on the line | lines indented below ) */
static void parse_family(ritti_parser *p) {
  uint32_t first = p->at;
  int column = line_column(p->reader, first);
  ritti_statement *outer = p->family, *s = family_head(p);
  if (!s) {
    skip_item(p, false);
    while (!section_ends(p) && ritti_token_at(p->reader, p->at)->column > column) {
      p->begun = p->at;
      skip_item(p, false);
    }
    if (names_value(p->section)) remember_broken(p, first, p->at);
    p->syntax->lost_constraint |= names_value(p->section);
    return;
  }
  const ritti_token *next = ritti_token_at(p->reader, p->at);
  if (section_ends(p) || (next->first && next->column <= column)) {
    ritti_say(p->reader, first, "write them after the ':', or indented on the lines below",
              "the family has no statements");
    return;
  }
  ritti_statement_add(p, (int)p->section, s);
  p->family = s;
  if (next->first) parse_block(p);
  else if (ritti_sections[p->section].form == LIST) parse_list(p);
  else parse_line(p);
  p->family = outer;
}

static void skip_section(ritti_parser *p) {
  uint32_t first = p->at;
  while (!section_ends(p)) p->at++;
  remember_broken(p, first, p->at);
}

/* A section that may stand once only, and `model` first. false: told, and not to be read. */
static bool check_single(ritti_parser *p, uint32_t keyword) {
  ritti_reader *r = p->reader;
  uint32_t *place = p->section == S_MODEL   ? &p->syntax->model
                    : p->section == S_SOLVE ? &p->syntax->solve
                                            : NULL;
  if (!place) return true;
  if (*place != NO_TOKEN) {
    ritti_say(r, keyword, "remove one of them", "there are two sections '%s', the first in %s",
              ritti_sections[p->section].word, ritti_line_words(r, *place, keyword));
    return false;
  }
  *place = keyword;
  if (p->section == S_MODEL && keyword > 0 && ritti_token_at(r, 0)->kind == T_KEYWORD)
    ritti_say(r, keyword, "move it to the top of the file", "the section 'model' does not stand first");
  return true;
}

/* A statement that is not indented; words have been told by the lexer. */
static void check_indented(ritti_parser *p) {
  const ritti_token *t = ritti_token_at(p->reader, p->at);
  if (t->first && t->column == 1 && t->kind != T_NAME && t->kind != T_BAD)
    ritti_say(p->reader, p->at, "indent it", "a statement cannot begin in the first column");
}

static void parse_section(ritti_parser *p) {
  ritti_reader *r = p->reader;
  uint32_t keyword = p->at++;
  p->section = (ritti_section)ritti_token_at(r, keyword)->word;
  const ritti_section_info *info = &ritti_sections[p->section];
  p->syntax->said[p->section] = true;
  p->panel += is_plot(p->section);
  p->line = 0;
  if (info->form == LATER) {
    ritti_say(r, keyword, info->hint, "the section '%s' is not in this version of Ritt", info->word);
    p->syntax->any_name |= p->section == S_INCLUDE;
    skip_section(p);
    return;
  }
  bool own = p->section == S_MODEL || p->section == S_START || p->section == S_SOLVE;
  if (p->included && own) {
    ritti_say(r, keyword, "move it to the model that includes this file",
              "an included file has no section '%s'", info->word);
    skip_section(p);
    return;
  }
  if (!check_single(p, keyword)) {
    skip_section(p);
    return;
  }
  for (; !section_ends(p) && !r->full; p->line++) {
    p->begun = p->item = p->at;
    p->resume = NO_TOKEN;
    p->brackets = p->depth = 0;
    check_indented(p);
    if (info->form == LIST) parse_list(p);
    else parse_line(p);
    assert(p->at > p->begun || r->full);
  }
  if (p->line == 0) ritti_say(r, keyword, info->hint, "the section '%s' is empty", info->word);
}

ritt_status ritti_parse(ritti_reader *r, ritti_syntax *syntax) {
  ritti_parser p = {.reader = r, .syntax = syntax, .panel = -1, .resume = NO_TOKEN};
  syntax->model = syntax->solve = NO_TOKEN;
  if (r->tokens.count == 1) {
    ritti_say_at(r, 1, 1, "a model begins with 'model NAME'", "there is no model in this file");
    return r->status;
  }
  if (!section_ends(&p)) {
    ritti_say(r, 0, "begin with 'model NAME'", "this stands before the first section");
    skip_section(&p);
  }
  while (ritti_look(&p) == T_KEYWORD && !r->full) parse_section(&p);
  if (syntax->model == NO_TOKEN)
    ritti_say(r, 0, "write 'model NAME' in the first line",
              "the file does not begin with the section 'model'");
  return r->status;
}
