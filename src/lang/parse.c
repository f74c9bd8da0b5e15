/* Sections, families and included files: tokens -> syntax. The statements are read by
 * parse_statement.c, parse_plot.c, parse_mechanics.c, settings.c and the files of units, tables
 * and events.
 *
 * The grammar stands in comments that begin with "grammar:", above the functions that read it.
 * All of it is in docs/language.md, and a test (unit/lang/t_docs.c) compares both, rule by
 * rule. The statement of a section is the rule with the name of its keyword. { } means any
 * number of times, also none; [ ] once or not at all; ( ) groups; | is or.
 *
 * A keyword stands in the first column, statements on the same line or on indented lines. In a
 * list section a statement ends at a comma or at the end of its line, in the other sections at
 * the end of its line. A line continues in the next one if it ends in an operator or one of , =
 * ~ := : -> then else and or not, inside an open bracket, and if the next line begins with then
 * else and or.
 *
 * After a mistake reading resumes at the next item or line. Names whose definition could not be
 * read are remembered, so that their use is not reported as a second mistake.
 */
#include <assert.h>
#include "lang_impl.h"

/* Does the section end here? */
static bool section_ends(const ritti_parser *p) {
  ritti_token_kind kind = ritti_look(p);
  return kind == T_KEYWORD || kind == T_END;
}

/* ---- after a mistake ---- */

/* The end of the item (or line) that contains token p->at, which is inside `brackets` brackets. */
static uint32_t item_end(const ritti_parser *p, int brackets, bool list, bool *closed) {
  for (uint32_t at = p->at;; at++) {
    ritti_token_kind kind = ritti_kind_at(p, at);
    /* `closed`: all brackets are closed at the end */
    *closed = brackets == 0;
    if (kind == T_KEYWORD || kind == T_END) return at;
    if (brackets == 0 && (kind == T_LINE || (list && kind == T_COMMA))) return at;
    /* follow the brackets */
    kind = (ritti_token_kind)ritti_token_at(p->reader, at)->kind;
    if (kind == T_OPEN || kind == T_OPEN_INDEX) brackets++;
    if ((kind == T_CLOSE || kind == T_CLOSE_INDEX) && brackets > 0) brackets--;
  }
}

/* Skips the rest of an item or line after a mistake. */
static void skip_item(ritti_parser *p, bool list) {
  int brackets = p->brackets;
  p->brackets = 0;
  if (p->at == p->resume) return;

  /* open brackets are followed to their end only if they are closed */
  bool closed;
  uint32_t end = item_end(p, brackets, list, &closed);
  p->at = closed ? end : item_end(p, 0, list, &closed);
}

/* Remembers the names in [first, end), whose definition is lost. */
static void remember_broken(ritti_parser *p, uint32_t first, uint32_t end) {
  /* the names of a component are those of many parts */
  if (p->component) {
    p->model->any_name = true;
    return;
  }

  for (uint32_t i = first; i < end; i++)
    if (ritti_token_at(p->reader, i)->kind == T_NAME && RITTI_PUSH(p->syntax->broken, i) != RITT_OK)
      p->reader->status = RITT_NO_MEMORY;
}

/* ---- included files ---- */

static void parse_section(ritti_parser *p);
static void skip_section(ritti_parser *p);

/* Parses the text that begins with token `first` as if it stood here. */
static void parse_source(ritti_parser *p, uint32_t first, size_t source) {
  ritti_parser inner = {.reader = p->reader,
                        .syntax = p->syntax,
                        .model = p->model,
                        .panel = p->panel,
                        .resume = NO_TOKEN,
                        .at = first,
                        .included = p->included + 1};

  /* the text must begin with a section */
  if (!section_ends(&inner)) {
    ritti_say(p->reader, first, "begin with the keyword of a section in the first column",
              "this stands before the first section");
    skip_section(&inner);
  }

  /* its sections */
  while (ritti_look(&inner) == T_KEYWORD && !p->reader->full) parse_section(&inner);
  p->reader->sources.at[source].open = false;
  p->panel = inner.panel;
}

/* Reads an included file, once for all statements that include it. */
static void include_file(ritti_parser *p, const ritti_statement *s) {
  ritti_reader *r = p->reader;
  const ritti_token *t = ritti_token_at(r, s->word);

  /* a library keeps its brackets, a file loses its quotes */
  uint32_t quote = r->text[t->start] != '<';
  const char *path =
      ritti_words(r, "%.*s", (int)(t->length - 2 * quote), r->text + t->start + quote);
  uint32_t first;
  size_t source = r->sources.count;
  bool known;

  /* after a mistake any unknown name may come from the file */
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
  if (p->section == S_VARIABLE || p->section == S_OUTPUT || p->section == S_EXTEND ||
      p->section == S_SENSITIVITY)
    return true;

  /* name [ index ] { ' } and then '=' or '~' */
  uint32_t i = ritti_after_path(p, p->at + 1);
  while (ritti_kind_at(p, i) == T_PRIME) i++;
  bool declaration = p->section == S_PART || p->section == S_PORT;
  return ritti_kind_at(p, i) == (declaration ? T_COLON : T_EQUALS) ||
         ritti_kind_at(p, i) == T_TILDE;
}

/* Checks that an item ends here; a missing comma is reported and the next item is read. */
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

/* Does a family begin here? */
static bool is_family(const ritti_parser *p) {
  return ritti_look(p) == T_RESERVED && ritti_token_at(p->reader, p->at)->word == W_FOR;
}
static void parse_family(ritti_parser *p);

/* Parses one line of a list section: items with commas between them. */
static void parse_list(ritti_parser *p) {
  while (!p->reader->full) {
    uint32_t first = p->at;
    /* an item or a family must follow */
    if (ritti_ends(ritti_look(p))) {
      ritti_say(p->reader, first - 1, "remove it, or write another item after it",
                "nothing follows the last ','");
      return;
    }
    if (is_family(p)) {
      parse_family(p);
      return;
    }

    /* one item */
    p->depth = 0;
    p->item = first;
    ritti_statement *s = ritti_statement_new(p);
    bool whole = s && ritti_parse_statement[p->section](p, s) && item_ends(p);
    if (whole) {
      s->end = p->at;
      ritti_statement_add(p, (int)p->section, s);
    } else {
      /* remember the names that the lost item would have defined */
      skip_item(p, true);
      if (p->section == S_VARIABLE || p->section == S_PART) remember_broken(p, first, p->at);
      if (p->section == S_PARAMETER || p->section == S_LET || p->section == S_INPUT)
        remember_broken(p, first, first + 1);
    }

    /* the next item */
    if (ritti_ends(ritti_look(p)) || p->at == p->resume) return;
    if (ritti_look(p) == T_COMMA) p->at++;
  }
}

/* Does a line of this section define a name, so that a lost line means a lost name? */
static bool names_value(ritti_section section) {
  return section == S_CONSTRAINT || section == S_NONHOLONOMIC || section == S_STIFF ||
         section == S_FUNCTION;
}

/* Parses one line of a section that is not a list. */
static void parse_line(ritti_parser *p) {
  if (is_family(p)) {
    parse_family(p);
    return;
  }

  /* sections with a single line */
  if (p->line > 0 && (p->section == S_MODEL || p->section == S_INDEPENDENT)) {
    const char *foreign = ritti_foreign_keyword(ritti_quote(p->reader, p->at));
    ritti_say(p->reader, p->at, foreign ? foreign : "remove the line",
              "the section '%s' has one line only", ritti_sections[p->section].word);
    skip_item(p, false);
    return;
  }

  /* the statement: a setting below `solve`, a plot with its curves, or any other */
  bool setting = p->section == S_SOLVE && p->line > 0;
  ritti_statement *s = setting ? ritti_parse_setting(p) : ritti_statement_new(p);
  bool whole = s != NULL;
  if (!setting && whole) {
    if (ritti_is_plot(p->section)) whole = ritti_parse_plot(p);
    else whole = ritti_parse_statement[p->section](p, s);
  }

  /* nothing may follow it */
  if (whole && !ritti_ends(ritti_look(p))) {
    ritti_parse_unexpected(p);
    whole = false;
  }

  /* after a mistake, remember what is lost */
  if (!whole) {
    skip_item(p, false);
    if (s && s->name != NO_TOKEN && names_value(p->section))
      remember_broken(p, s->name, s->name + 1);
    p->syntax->lost_constraint |= names_value(p->section);
    return;
  }

  /* a whole statement */
  s->end = p->at;
  if (p->section == S_INCLUDE) include_file(p, s);
  else if (!ritti_is_plot(p->section))
    ritti_statement_add(p, setting ? S_SETTING : (int)p->section, s);
}

/* ---- families ---- */

/* What to write in a section that has no families; NULL: it has families. */
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
  case S_CONNECT:
  case S_SCENE:
  case S_UNIT: return NULL;
  case S_LAGRANGIAN:
  case S_HAMILTONIAN: return "write the sum of all members: sum(i in 1..n, ...)";
  case S_PARAMETER: return "declare an array: C[k in 1..n] = k*1e-6";
  case S_VARIABLE: return "declare an array: p[1..n]";
  case S_LET: return "define an array: d[i in 1..n] = x[i] - x[i-1]";
  case S_INPUT: return "write one for each";
  case S_PART: return "declare an array: s[k in 1..n]: stage(C = k*1e-6)";
  case S_PORT: return "declare an array: p[1..n]: pin";
  case S_PLOT:
  case S_PLOT3: return "draw all elements: 'plot t: p', or some of them: 'plot t: p[1..3]'";
  default: return "remove it";
  }
}

/* Parses "for" each { "," each } ":". NULL: a mistake was reported. */
static ritti_statement *family_head(ritti_parser *p) {
  ritti_reader *r = p->reader;
  ritti_statement *s = ritti_statement_new(p);
  const char *hint = no_family(p->section);
  if (!s) return NULL;

  /* the section must have families */
  if (hint) {
    ritti_say(r, p->at, hint, "the section '%s' has no families", ritti_sections[p->section].word);
    return NULL;
  }

  /* the ranges */
  p->at++;
  for (ritti_node *last = NULL, *n; (n = ritti_parse_each(p)); last = n, p->at++) {
    /* append it to the ranges before */
    if (last) last->next = n;
    else s->each = n;
    if (!ritti_check_each(p, s->each, n)) return NULL;
    /* ',' or ':' follows */
    ritti_token_kind kind = ritti_look(p);
    if (kind == T_COMMA) continue;
    if (kind == T_COLON) {
      s->end = ++p->at;
      return s;
    }

    /* neither ',' nor ':' */
    if (kind != T_BAD)
      ritti_say(r, ritti_missing_at(p), "write for i in 1..n: ...", "':' is missing %s '%s'",
                ritti_ends(kind) ? "after" : "before", ritti_quote(r, ritti_missing_at(p)));
    return NULL;
  }
  return NULL;
}

/* The column in which the line of a token begins. */
static int line_column(const ritti_reader *r, uint32_t i) {
  while (!ritti_token_at(r, i)->first) i--;
  return ritti_token_at(r, i)->column;
}

/* Parses the lines from here on that are indented at least as far as the first one. */
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

  /* a head with a mistake: skip its body, the lines that are indented deeper */
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

  /* there must be a statement */
  const ritti_token *next = ritti_token_at(p->reader, p->at);
  if (section_ends(p) || (next->first && next->column <= column)) {
    ritti_say(p->reader, first, "write them after the ':', or indented on the lines below",
              "the family has no statements");
    return;
  }

  /* the body: on the lines below, or on the same line */
  ritti_statement_add(p, (int)p->section, s);
  p->family = s;
  if (next->first) parse_block(p);
  else if (ritti_sections[p->section].form == LIST) parse_list(p);
  else parse_line(p);
  p->family = outer;
}

/* Skips a section; all names in it are remembered as lost. */
static void skip_section(ritti_parser *p) {
  uint32_t first = p->at;
  while (!section_ends(p)) p->at++;
  remember_broken(p, first, p->at);
}

/* Checks a section that may occur only once, and that `model` stands first. false: a mistake was
 * reported, and the section is to be skipped. */
static bool check_single(ritti_parser *p, uint32_t keyword) {
  ritti_reader *r = p->reader;
  uint32_t *place = NULL;
  if (p->section == S_MODEL) place = &p->syntax->model;
  if (p->section == S_SOLVE) place = &p->syntax->solve;
  if (!place) return true;

  /* the second one of its kind */
  if (*place != NO_TOKEN) {
    ritti_say(r, keyword, "remove one of them", "there are two sections '%s', the first in %s",
              ritti_sections[p->section].word, ritti_line_words(r, *place, keyword));
    return false;
  }

  *place = keyword;
  if (p->section == S_MODEL && keyword > 0 && ritti_token_at(r, 0)->kind == T_KEYWORD)
    ritti_say(r, keyword, "move it to the top of the file", "the section 'model' is not the first");
  return true;
}

/* Reports a statement that is not indented; the lexer has reported words already. */
static void check_indented(ritti_parser *p) {
  const ritti_token *t = ritti_token_at(p->reader, p->at);
  if (t->first && t->column == 1 && t->kind != T_NAME && t->kind != T_BAD)
    ritti_say(p->reader, p->at, "indent it", "a statement cannot begin in the first column");
}

/* Parses the lines of a section. */
static void parse_lines(ritti_parser *p) {
  const ritti_section_info *info = &ritti_sections[p->section];
  for (; !section_ends(p) && !p->reader->full; p->line++) {
    p->begun = p->item = p->at;
    p->resume = NO_TOKEN;
    p->brackets = p->depth = 0;
    check_indented(p);
    if (info->form == LIST) parse_list(p);
    else parse_line(p);
    assert(p->at > p->begun || p->reader->full);
  }
}

/* ---- kinds of ports, components ---- */

/* grammar:
 *   members = [ "flow" | "position" | "orientation" ] member { "," members }
 *   member  = name [ ranges ] [ string ]
 *
 * A word counts up to the end of its line or to the next word. */
static bool parse_members(ritti_parser *p, ritti_statement *kind) {
  static const char *const word[] = {"", "flow", "position", "orientation"};
  ritti_member_kind is = MEMBER_EQUAL;
  ritti_statement **last = &kind->action;
  while (*last) last = &(*last)->next;
  for (bool more = true; more; p->at += more) {
    /* a word, if a name follows it */
    for (int i = MEMBER_FLOW; i <= MEMBER_ORIENTATION; i++)
      if (ritti_look_name(p, word[i]) && ritti_kind_at(p, p->at + 1) == T_NAME) {
        is = (ritti_member_kind)i;
        p->at++;
        break;
      }

    /* the name, its ranges and its unit */
    ritti_statement *m = ritti_statement_new(p);
    if (!m) return false;
    if (ritti_look(p) != T_NAME)
      return ritti_refuse(p, ritti_missing_at(p), "write its members: port pin v, flow i",
                          "the name of a member is missing");
    m->name = p->at++;
    m->member = (int)is;
    if (ritti_look(p) == T_OPEN_INDEX) {
      m->ranges = ritti_parse_ranges(p);
      if (!m->ranges) return false;
    }
    if (ritti_look(p) == T_STRING) m->word = p->at++;
    m->end = p->at;
    *last = m;
    last = &m->next;
    more = ritti_look(p) == T_COMMA;
  }
  return true;
}

/* Parses a kind of port: its name, then lines of members. */
static void parse_port_kind(ritti_parser *p) {
  ritti_statement *kind = ritti_statement_new(p);
  bool whole = kind && !section_ends(p);
  for (; kind && !section_ends(p) && !p->reader->full; p->line++) {
    p->begun = p->item = p->at;
    p->resume = NO_TOKEN;
    p->brackets = p->depth = 0;
    check_indented(p);

    /* the name stands first; members may follow it */
    bool read = true;
    if (p->line == 0) {
      if (ritti_look(p) == T_NAME) kind->name = p->at++;
      else
        read = ritti_refuse(p, p->at, ritti_sections[S_PORT].hint,
                            "the name of a kind of port is missing");
    }
    if (read && ritti_look(p) == T_COLON)
      read = ritti_refuse(p, p->at, "a component has ports, the model has parts",
                          "a port with a kind stands outside of every component");
    if (read && !ritti_ends(ritti_look(p))) read = parse_members(p, kind);
    if (read && !ritti_ends(ritti_look(p))) {
      ritti_parse_unexpected(p);
      read = false;
    }
    if (!read) skip_item(p, false);
    whole = whole && read;
  }
  if (!kind || !whole) return;
  kind->end = p->at;
  if (kind->action) ritti_statement_add(p, S_PORT, kind);
  else
    ritti_say(p->reader, kind->name, ritti_sections[S_PORT].hint,
              "the kind of port '%s' has no members", ritti_quote(p->reader, kind->name));
}

/* What to do with a section that a component cannot have; NULL: it can have it. */
static const char *not_in_component(ritti_section section) {
  switch (section) {
  case S_PARAMETER:
  case S_VARIABLE:
  case S_LET:
  case S_EQUATION:
  case S_INVARIANT:
  case S_LAGRANGIAN:
  case S_CONSTRAINT:
  case S_NONHOLONOMIC:
  case S_FORCE:
  case S_DISSIPATION:
  case S_START:
  case S_EVENT:
  case S_SCALE:
  case S_UNIT:
  case S_DOC:
  case S_PORT:
  case S_EXTEND:
  case S_PART:
  case S_CONNECT:
  case S_SCENE:
  case S_INPUT: return NULL;
  case S_FUNCTION: return "move it out of the component: functions are visible in all of them";
  default: return "move it to the model";
  }
}

/* grammar: component = name [ string ] { keyword { statement | family } }
 * The sections are indented; their statements stand on the same line or are indented further. */
static void parse_component(ritti_parser *p) {
  ritti_reader *r = p->reader;
  p->begun = p->item = p->at;
  p->brackets = p->depth = 0;
  ritti_component *c = ritti_arena_alloc(r->scratch, 1, sizeof *c);
  if (!c) {
    r->status = RITT_NO_MEMORY;
    return;
  }

  /* the name and the title */
  bool named = ritti_look(p) == T_NAME;
  c->name = named ? p->at++ : NO_TOKEN;
  c->title = ritti_look(p) == T_STRING ? p->at++ : NO_TOKEN;
  if (!named)
    (void)ritti_refuse(p, ritti_missing_at(p), ritti_sections[S_COMPONENT].hint,
                       "the name of a component is missing");
  else if (!ritti_ends(ritti_look(p))) {
    ritti_say(r, p->at, "begin its sections on the next line, indented",
              "'%s' cannot stand after the name of a component", ritti_quote(r, p->at));
    p->model->any_name = true;
  }
  while (!section_ends(p)) p->at++;

  /* its sections */
  ritti_parser inner = *p;
  inner.syntax = &c->syntax;
  inner.component = c;
  inner.family = NULL;
  c->syntax.model = c->syntax.solve = NO_TOKEN;
  while (ritti_look(&inner) == T_KEYWORD && ritti_token_at(r, inner.at)->column > 1 && !r->full)
    parse_section(&inner);
  p->at = inner.at;

  /* a component without a name cannot be used */
  if (!named) {
    p->model->any_name = true;
    return;
  }
  if (p->model->last_component) p->model->last_component->next = c;
  else p->model->component = c;
  p->model->last_component = c;
}

/* grammar:
 *   file      = { keyword { statement | family } }
 *   keyword   = list | line
 *   list      = "parameter" | "variable" | "let" | "canonical" | "start" | "output" | "scale"
 *             | "unit" | "branch" | "port" | "extend" | "part" | "input" | "sensitivity"
 *   line      = "model" | "independent" | "function" | "equation" | "invariant" | "lagrangian"
 *             | "hamiltonian" | "bracket" | "constraint" | "nonholonomic" | "force"
 *             | "dissipation" | "stiff" | "solve" | "event" | "section" | "plot" | "plot3"
 *             | "doc" | "include" | "component" | "connect" | "scene" | "sweep"
 *   statement = parameter | variable | let | canonical | start | output | scale | unit | branch
 *             | model | independent | function | equation | invariant | lagrangian | hamiltonian
 *             | bracket | constraint | nonholonomic | force | dissipation | stiff | solve | event
 *             | section | plot | plot3 | doc | include | port | extend | part | component | connect
 *             | input | scene | sweep | sensitivity
 */
static void parse_section(ritti_parser *p) {
  ritti_reader *r = p->reader;

  /* the keyword */
  uint32_t keyword = p->at++;
  p->section = (ritti_section)ritti_token_at(r, keyword)->word;
  const ritti_section_info *info = &ritti_sections[p->section];
  p->syntax->said[p->section] = true;
  p->panel += ritti_is_plot(p->section);
  p->line = 0;

  /* some sections belong to the model itself, and some may occur only once */
  bool own = p->section == S_MODEL || p->section == S_START || p->section == S_SOLVE;
  if (p->included && own && !p->component) {
    ritti_say(r, keyword, "move it to the model that includes this file",
              "an included file has no section '%s'", info->word);
    skip_section(p);
    return;
  }

  /* sections that belong to components only, or not to components */
  const char *hint = p->component ? not_in_component(p->section) : NULL;
  if (hint) ritti_say(r, keyword, hint, "a component has no section '%s'", info->word);
  if (!p->component && p->section == S_EXTEND) {
    hint = "write it inside a component";
    ritti_say(r, keyword, hint, "only a component can extend another one");
  }
  if (hint) {
    skip_section(p);
    return;
  }

  /* a second section of its kind is not read */
  if (!check_single(p, keyword)) {
    skip_section(p);
    return;
  }

  /* line by line */
  if (p->section == S_COMPONENT) {
    parse_component(p);
    return;
  }
  if (p->section == S_PORT && !p->component) parse_port_kind(p);
  else parse_lines(p);
  if (p->line == 0) ritti_say(r, keyword, info->hint, "the section '%s' is empty", info->word);
}

ritt_status ritti_parse(ritti_reader *r, ritti_syntax *syntax) {
  ritti_parser p = {
      .reader = r, .syntax = syntax, .model = syntax, .panel = -1, .resume = NO_TOKEN};
  syntax->model = syntax->solve = NO_TOKEN;
  if (r->tokens.count == 1) {
    ritti_say_at(r, 1, 1, "a model begins with 'model NAME'", "there is no model in this file");
    return r->status;
  }

  /* text before the first section */
  if (!section_ends(&p)) {
    ritti_say(r, 0, "begin with 'model NAME'", "this stands before the first section");
    skip_section(&p);
  }

  /* the sections */
  while (ritti_look(&p) == T_KEYWORD && !r->full) parse_section(&p);
  if (syntax->model == NO_TOKEN)
    ritti_say(r, 0, "write 'model NAME' in the first line",
              "the file does not begin with the section 'model'");
  return r->status;
}
