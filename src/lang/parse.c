/* Sections, families and included files: tokens -> syntax. Statements are read by
 * parse_statement.c, parse_plot.c, parse_mechanics.c, settings.c and the files of units, tables and
 * events.
 *
 * The grammar stands in comments that begin with "grammar:", above the functions that read it. All
 * of it is in docs/language.md, and a test (unit/lang/t_docs.c) compares both, rule by rule. The
 * statement of a section is the rule with the name of its keyword. { } is any number of times, also
 * none; [ ] once or not at all; ( ) groups; | is or.
 *
 * A keyword stands in the first column, statements on the same line or on indented lines. In a list
 * section a statement ends at a comma or at the end of its line, in the others at the end of its
 * line. A line goes on where it ends in an operator or one of  , = ~ := : -> then else and or not,
 * inside an open bracket, and where the next one begins with  then else and or.
 *
 * After a mistake reading resumes at the next item or line. Names whose definition could not be
 * read are remembered, so that their use is no second mistake.
 */
#include <assert.h>
#include "lang_impl.h"

static bool section_ends(const ritti_parser *p) {
  ritti_token_kind kind = ritti_look(p);
  return kind == T_KEYWORD || kind == T_END;
}

/* ---- after a mistake ---- */

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

/* ---- included files ---- */

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

static void include_file(ritti_parser *p, const ritti_statement *s) {
  ritti_reader *r = p->reader;
  const ritti_token *t = ritti_token_at(r, s->word);
  const char *path = ritti_words(r, "%.*s", (int)t->length - 2, r->text + t->start + 1);
  uint32_t first;
  size_t source = r->sources.count;
  bool known;
  if (p->included >= RITTI_INCLUDE_DEPTH) {
    ritti_say(r, s->word, "include fewer files from each other",
              "the files are included more than %d deep", RITTI_INCLUDE_DEPTH);
    p->syntax->any_name = true;
  } else if (!ritti_include(r, s->word, path, &known, &first)) p->syntax->any_name = true;
  else if (!known) parse_source(p, first, source);
}

/* ---- sections ---- */

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
    bool whole = s && ritti_parse_statement[p->section](p, s) && item_ends(p);
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
  return section == S_CONSTRAINT || section == S_NONHOLONOMIC || section == S_STIFF ||
         section == S_FUNCTION;
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
  if (!setting && whole)
    whole =
        ritti_is_plot(p->section) ? ritti_parse_plot(p) : ritti_parse_statement[p->section](p, s);
  if (whole && !ritti_ends(ritti_look(p))) {
    ritti_parse_unexpected(p);
    whole = false;
  }
  if (!whole) {
    skip_item(p, false);
    if (s && s->name != NO_TOKEN && names_value(p->section))
      remember_broken(p, s->name, s->name + 1);
    p->syntax->lost_constraint |= names_value(p->section);
    return;
  }
  s->end = p->at;
  if (p->section == S_INCLUDE) include_file(p, s);
  else if (!ritti_is_plot(p->section))
    ritti_statement_add(p, setting ? S_SETTING : (int)p->section, s);
}

/* ---- families ---- */

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
  case S_BRANCH:
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

/* "for" each { "," each } ":" ; NULL: a mistake was reported */
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
    if (!ritti_check_each(p, s->each, n)) return NULL;
    ritti_token_kind kind = ritti_look(p);
    if (kind == T_COMMA) continue;
    if (kind == T_COLON) {
      s->end = ++p->at;
      return s;
    }
    if (kind != T_BAD)
      ritti_say(r, ritti_ends(kind) ? p->at - 1 : p->at, "write for i in 1..n: ...",
                "':' is missing %s '%s'", ritti_ends(kind) ? "after" : "before",
                ritti_quote(r, ritti_ends(kind) ? p->at - 1 : p->at));
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
  while (!section_ends(p) && !p->reader->full &&
         ritti_token_at(p->reader, p->at)->column >= column) {
    p->begun = p->item = p->at;
    p->resume = NO_TOKEN;
    p->brackets = p->depth = 0;
    if (list) parse_list(p);
    else parse_line(p);
  }
}

/* grammar: family = "for" each { "," each } ":" { statement | family }
 * The statements stand on the line, or on lines that are indented below it. */
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

/* A section that may stand once only, and `model` first. false: a mistake was reported, and not to
 * be read. */
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
    ritti_say(r, keyword, "move it to the top of the file",
              "the section 'model' does not stand first");
  return true;
}

/* A statement that is not indented; words have been reported by the lexer. */
static void check_indented(ritti_parser *p) {
  const ritti_token *t = ritti_token_at(p->reader, p->at);
  if (t->first && t->column == 1 && t->kind != T_NAME && t->kind != T_BAD)
    ritti_say(p->reader, p->at, "indent it", "a statement cannot begin in the first column");
}

/* grammar:
 *   file      = { keyword { statement | family } }
 *   keyword   = list | line
 *   list      = "parameter" | "variable" | "let" | "canonical" | "start" | "output" | "scale"
 *             | "unit" | "branch"
 *   line      = "model" | "independent" | "function" | "equation" | "invariant" | "lagrangian"
 *             | "hamiltonian" | "bracket" | "constraint" | "nonholonomic" | "force"
 *             | "dissipation" | "stiff" | "solve" | "event" | "section" | "plot" | "plot3"
 *             | "doc" | "include"
 *   statement = parameter | variable | let | canonical | start | output | scale | unit | branch
 *             | model | independent | function | equation | invariant | lagrangian | hamiltonian
 *             | bracket | constraint | nonholonomic | force | dissipation | stiff | solve | event
 *             | section | plot | plot3 | doc | include
 */
static void parse_section(ritti_parser *p) {
  ritti_reader *r = p->reader;
  uint32_t keyword = p->at++;
  p->section = (ritti_section)ritti_token_at(r, keyword)->word;
  const ritti_section_info *info = &ritti_sections[p->section];
  p->syntax->said[p->section] = true;
  p->panel += ritti_is_plot(p->section);
  p->line = 0;
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
