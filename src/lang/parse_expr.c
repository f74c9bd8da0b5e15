/* Expressions: tokens -> nodes, by the grammar in the comments of the functions (see parse.c).
 *
 * Sums and products are nodes with any number of children, so that the depth of a tree is that
 * of its brackets, signs and powers, which is limited. Every function returns NULL after it has
 * reported a mistake; the statement is then abandoned.
 */
#include "lang_impl.h"

/* The binary operators that group to the left, in one table for both levels. */
static const struct binary {
  ritti_token_kind token;
  int level;
  ritti_node_kind node;
} binaries[] = {
    {T_PLUS, 1, N_SUM}, {T_MINUS, 1, N_SUM}, {T_TIMES, 2, N_PRODUCT}, {T_OVER, 2, N_PRODUCT}};

/* The operator of a token; NULL: the token is not a binary operator. */
static const struct binary *binary_of(ritti_token_kind kind) {
  for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
    if (binaries[i].token == kind) return &binaries[i];
  return NULL;
}

/* Signs between the sides of a statement, and signs that compare by size. */
static const ritti_kinds RELATIONS =
    RITTI_BIT(T_EQUALS) | RITTI_BIT(T_TILDE) | RITTI_BIT(T_ASSIGN) | RITTI_BIT(T_COLON);
static const ritti_kinds INEQUALITIES =
    RITTI_BIT(T_LESS) | RITTI_BIT(T_LESS_EQUAL) | RITTI_BIT(T_GREATER) | RITTI_BIT(T_GREATER_EQUAL);

/* ---- nodes ---- */

/* A new node without children. NULL: no memory. */
static ritti_node *node_new(ritti_parser *p, ritti_node_kind kind, uint32_t at, uint32_t first) {
  ritti_node *n = ritti_arena_alloc(p->reader->scratch, 1, sizeof *n);
  if (!n) {
    p->reader->status = RITT_NO_MEMORY;
    return NULL;
  }
  *n = (ritti_node){.kind = kind, .at = at, .first = first, .end = p->at, .sign = NO_TOKEN};
  return n;
}

/* Appends a child to a node. */
static void add_child(ritti_node *n, ritti_node *child) {
  if (n->last) n->last->next = child;
  else n->child = child;
  n->last = child;
  n->count++;
  if (child->end > n->end) n->end = child->end;
}

/* Makes the node left op right; a chain of operators of one level is one node. */
static ritti_node *join_operands(ritti_parser *p, ritti_node_kind kind, uint32_t op,
                                 ritti_node *left, ritti_node *right) {
  ritti_node *n = left;
  if (left->kind != kind || left->closed) {
    n = node_new(p, kind, op, left->first);
    if (!n) return NULL;
    add_child(n, left);
  }
  right->sign = op;
  add_child(n, right);
  return n;
}

/* Enters one more level of nesting. false: a mistake was reported. */
static bool enter_level(ritti_parser *p) {
  if (++p->depth <= RITTI_NESTING_LIMIT) return true;
  ritti_say(p->reader, p->at, "name a part of the expression with 'let'",
            "the expression is nested more than %d deep", RITTI_NESTING_LIMIT);
  return false;
}

/* ---- mistakes ---- */

/* The first token of the line of token i. */
static uint32_t line_start(const ritti_reader *r, uint32_t i) {
  while (!ritti_token_at(r, i)->first) i--;
  return i;
}

/* Does the line before the next token end in an operator with nothing after it, so that the line of
 * the next token was taken for its continuation? Then this is reported, and reading resumes at that
 * line. */
static bool report_dangling_operator(ritti_parser *p) {
  ritti_token_kind kind = ritti_look(p);

  /* the next token begins a line, or follows the left side of another statement */
  bool relation = ritti_kind_among(kind, RELATIONS);
  uint32_t start = line_start(p->reader, p->at);
  if (p->brackets > 0 || start <= p->item || !(relation || start == p->at)) return false;
  if (ritti_continues(ritti_token_at(p->reader, start))) return false;

  /* report it at the operator */
  ritti_say(p->reader, start - 1,
            "write it there: a line that ends like this continues in the next one",
            "something is missing after '%s'", ritti_quote(p->reader, start - 1));
  p->at = p->resume = start;
  return true;
}

/* The advice for a reserved word that stands by itself. */
static const char *reserved_hint(int word) {
  switch (word) {
  case W_FOR: return "a family begins its line: for i in 1..n: x[i]' = 0";
  case W_IN: return "it stands in ranges: for i in 1..n: ..., sum(i in 1..n, ...)";
  case W_IF: return "the condition comes first: if a > 0 then x else y; or choose another name";
  default:
    return "it belongs to a condition: if a > 0 and b > 0 then x else y; or choose another name";
  }
}

/* Reports a token that cannot begin an operand. Always returns NULL. */
static ritti_node *no_operand(ritti_parser *p) {
  ritti_reader *r = p->reader;
  ritti_token_kind kind = ritti_look(p);
  uint32_t at = p->at;
  uint32_t before = at > 0 ? at - 1 : 0;
  if (kind == T_BAD || (!ritti_ends(kind) && report_dangling_operator(p))) return NULL;

  /* texts and reserved words, then a missing operand at the end, then signs */
  if (kind == T_STRING) ritti_say(r, at, NULL, "a text in quotes cannot stand in an expression");
  else if (kind == T_RESERVED && ritti_token_at(r, at)->word == W_IF)
    ritti_say(r, at, "write (if ... then ... else ...)",
              "'if' inside an expression needs parentheses");
  else if (kind == T_RESERVED)
    ritti_say(r, at, reserved_hint(ritti_token_at(r, at)->word),
              "'%s' is a reserved word and cannot stand here", ritti_quote(r, at));
  else if (ritti_ends(kind) && p->brackets == 0)
    ritti_say(r, before, "write a number, a name or an expression after it",
              "something is missing after '%s'", ritti_quote(r, before));
  else if (ritti_ends(kind))
    ritti_say(r, before, "write an expression after it and close the bracket",
              "something is missing after '%s'", ritti_quote(r, before));
  else if (kind == T_PLUS && ritti_token_at(r, at)->first)
    ritti_say(r, at,
              "to continue a line, end it with the operator: write + at the end of that line",
              "a line cannot begin with '+'");
  else if (kind == T_PLUS)
    ritti_say(r, at, "a number or a name needs no '+' before it: leave it out",
              "nothing stands before '+'");
  else if (kind == T_TILDE && ritti_kind_at(p, at + 1) == T_OPEN)
    ritti_say(r, at, "write not", "'~' does not negate a condition");
  else if (kind == T_EQUALS && p->section == S_SOLVE)
    ritti_say(r, at, "leave it out: tolerance 1e-8", "a setting has no '='");
  else if (kind == T_COLON && at == p->item)
    ritti_say(r, at, "leave it out", "':' does not follow the keyword of a section");
  else if (kind == T_PRIME)
    ritti_say(r, at, "write what is differentiated before it: x'",
              "nothing stands before the prime");
  else if ((kind == T_CLOSE || kind == T_CLOSE_INDEX) && p->brackets == 0)
    ritti_say(r, at, "remove it, or open a bracket before it", "'%s' closes no bracket",
              ritti_quote(r, at));
  else
    ritti_say(r, at, "write a number, a name or an expression there",
              "something is missing before '%s'", ritti_quote(r, at));
  return NULL;
}

/* Reports the token that stands where a bracket should close. If it is on a later line it
 * belongs to the next statement, and reading resumes there. */
static void not_closed(ritti_parser *p, uint32_t bracket) {
  ritti_reader *r = p->reader;
  const ritti_token *open = ritti_token_at(r, bracket), *found = ritti_token_at(r, p->at);
  ritti_token_kind kind = ritti_look(p);
  bool relation = ritti_kind_among(kind, RELATIONS);
  if (!ritti_ends(kind) && !found->first && !(relation && found->line > open->line)) {
    ritti_parse_unexpected(p);
    return;
  }

  /* the bracket has no end: leave it and go on with the line */
  bool round = open->kind == T_OPEN;
  ritti_say(r, bracket, round ? "close it with ')'" : "close it with ']'",
            "the bracket '%s' is not closed", round ? "(" : "[");
  p->at = p->resume = line_start(r, p->at);
  p->brackets = 0;
}

/* The advice for a number that a word follows without a blank: 1.0f, 2i, 1_000, 0x10, 1d-3. NULL:
 * the word is not a known ending of numbers. */
static const char *suffix_hint(ritti_reader *r, const ritti_token *number, const char *a,
                               const char *b) {
  if (number->start + number->length != number[1].start) return NULL;
  bool digits = b[1] && strspn(b + 1, "0123456789abcdefABCDEF") == strlen(b + 1);
  if (!strcmp(a, "0") && strchr("xXbo", b[0]) && digits) return "numbers are decimal";
  if (b[0] == '_' && strspn(b, "_0123456789") == strlen(b))
    return ritti_words(r, "write the number without '_': %s%s", a, b + 1);
  bool exponent = !b[1] && (number[2].kind == T_MINUS || number[2].kind == T_PLUS);
  if (strchr("dD", b[0]) && (exponent || strspn(b + 1, "0123456789") == strlen(b + 1)))
    return ritti_words(r, "an exponent is written with e: %se%s", a, exponent ? "-3" : b + 1);
  if (b[1] && strcmp(b, "im")) return NULL;
  if (strchr("fFlL", b[0]))
    return ritti_words(r, "a number has no ending: write %s; a product is %s*%s", a, a, b);
  if (strchr("ij", b[0]))
    return ritti_words(r, "there are no complex numbers; a product is %s*%s", a, b);
  static const char prefixes[] = "kMGmunp", *const powers[] = {"3",  "6",  "9",  "-3",
                                                               "-6", "-9", "-12"};
  const char *prefix = strchr(prefixes, b[0]);
  if (prefix && !strpbrk(a, "eE"))
    return ritti_words(r, "write %se%s if %s is a prefix, %s*%s for a product", a,
                       powers[prefix - prefixes], b, a, b);
  return NULL;
}

/* The advice for d/dt x and d^2x/dt^2, where x is the present token; NULL: it is neither. */
static const char *leibniz_hint(ritti_reader *r, uint32_t x) {
  const ritti_token *t = ritti_token_at(r, x);
  const char *name = ritti_quote(r, x);
  bool one = x >= 3 && t[-1].kind == T_NAME && t[-2].kind == T_OVER && t[-3].kind == T_NAME;
  bool two = x >= 3 && t[-1].kind == T_NUMBER && t[-2].kind == T_POWER && t[-3].kind == T_NAME;
  if ((!one && !two) || strcmp(ritti_quote(r, x - 3), "d")) return NULL;
  if (one && ritti_quote(r, x - 1)[0] != 'd') return NULL;
  return ritti_words(r, "write %s%s", name, one ? "'" : "''");
}

/* Does the text "--", which begins comments elsewhere, stand on this line before the token? */
static bool follows_dashes(ritti_reader *r, uint32_t token) {
  const ritti_token *t = ritti_token_at(r, token);
  for (uint32_t i = 1; i + 1 <= token && !t[1 - (int)i].first; i++)
    if (t[-(int)i].kind == T_MINUS && t[1 - (int)i].kind == T_MINUS &&
        t[-(int)i].start + 1 == t[1 - (int)i].start)
      return true;
  return false;
}

/* Reports two operands side by side, with what was probably meant. */
static void no_operator(ritti_parser *p) {
  ritti_reader *r = p->reader;
  ritti_token_kind before = ritti_token_at(r, p->at - 1)->kind;
  ritti_token_kind kind = ritti_look(p);
  const char *a = ritti_quote(r, p->at - 1), *b = ritti_quote(r, p->at);
  const char *hint;

  const char *foreign = ritti_token_at(r, p->at - 1)->first ? ritti_foreign_keyword(a) : NULL;
  const char *suffix = NULL, *leibniz = kind == T_NAME ? leibniz_hint(r, p->at) : NULL;
  if (before == T_NUMBER && kind == T_NAME)
    suffix = suffix_hint(r, ritti_token_at(r, p->at - 1), a, b);
  if (kind == T_NAME && !strcmp(b, "to")) hint = "write a range with two dots: 0 .. 1";
  else if (foreign) hint = foreign;
  else if (leibniz) hint = leibniz;
  else if (follows_dashes(r, p->at)) hint = "a comment begins with '#'";
  else if (suffix) hint = suffix;
  else if (kind == T_NAME && !strcmp(b, "mod")) hint = "write mod(a, b)";
  else if (kind == T_NAME && !strcmp(b, "div")) hint = "write floor(a/b)";
  else if (kind == T_NAME && !strcmp(b, "end")) hint = "leave it out: a condition has no end word";
  else if (!strcmp(b, "step") && p->section == S_SOLVE)
    hint = "write 'rows step 0.1' on an indented line below 'solve'";
  else if (!strcmp(a, "pi") && kind == T_OPEN) hint = "pi is a number: write pi, or pi*(...)";
  else if (before == T_NUMBER && kind == T_NAME &&
           (p->section == S_PARAMETER || p->section == S_START))
    hint = ritti_words(r, "write %s*%s for a product; a unit stands in the section 'unit'", a, b);
  else if (before == T_NAME && ritti_is_function(a)) hint = ritti_words(r, "write %s(%s)", a, b);
  else if (before == T_PRIME && kind == T_OPEN)
    hint = "leave the bracket out: a variable depends on the independent variable anyway";
  else {
    /* show what is written, with * between the operands */
    bool call = kind == T_NAME && ritti_kind_at(p, p->at + 1) == T_OPEN;
    const char *start = "";
    const char *rest = "";
    if (before == T_CLOSE) start = "(...";
    if (before == T_CLOSE_INDEX) start = "...[";
    if (kind == T_OPEN) rest = "...)";
    if (call) rest = "(...)";
    hint = ritti_words(r, "there is no implicit product: write %s%s*%s%s", start, a, b, rest);
  }
  ritti_say(r, p->at, hint, "an operator is missing between '%s' and '%s'", a, b);
}

/* Is the comma here that of a number such as 1,5? */
static bool is_decimal_comma(const ritti_parser *p) {
  const ritti_token *comma = ritti_token_at(p->reader, p->at);
  return comma[-1].kind == T_NUMBER && comma[1].kind == T_NUMBER &&
         comma[-1].start + comma[-1].length == comma->start && comma[1].start == comma->start + 1;
}

/* Does "if (" stand on this line before the present token, as in if(a > b, x, y)? */
static bool follows_if(const ritti_parser *p) {
  const ritti_token *t = ritti_token_at(p->reader, p->at);
  for (uint32_t i = 1; i <= p->at && !t[1 - (int)i].first; i++)
    if (t[-(int)i].kind == T_RESERVED && t[-(int)i].word == W_IF && t[1 - (int)i].kind == T_OPEN)
      return true;
  return false;
}

void ritti_parse_unexpected(ritti_parser *p) {
  ritti_reader *r = p->reader;
  ritti_token_kind kind = ritti_look(p);
  const char *shown = ritti_quote(r, p->at);
  bool list = p->section < S_COUNT && ritti_sections[p->section].form == LIST;
  bool less = ritti_kind_among(kind, INEQUALITIES);
  if (kind == T_BAD || (!ritti_ends(kind) && report_dangling_operator(p))) return;

  /* a missing operand or operator, then brackets, relations, commas and words */
  if (ritti_ends(kind)) no_operand(p);
  else if (ritti_kind_among(kind, RITTI_BIT(T_NAME) | RITTI_BIT(T_NUMBER) | RITTI_BIT(T_OPEN)))
    no_operator(p);
  else if (kind == T_OPEN_INDEX)
    ritti_say(r, p->at, "write the prime after the index: x[1]'",
              "the index stands after the prime");
  else if (kind == T_CLOSE || kind == T_CLOSE_INDEX)
    ritti_say(r, p->at, "remove it, or open a bracket before it", "'%s' closes no bracket", shown);
  else if (kind == T_EQUALS && (p->section == S_EQUATION || p->section == S_INVARIANT ||
                                p->section == S_CONSTRAINT || p->section == S_NONHOLONOMIC))
    ritti_say(r, p->at, "write two equations, each on a line of its own",
              "an equation has only one '='");
  else if (kind == T_COMMA && is_decimal_comma(p))
    ritti_say(r, p->at,
              ritti_words(r, "write %s.%s", ritti_quote(r, p->at - 1), ritti_quote(r, p->at + 1)),
              "the number contains a comma");
  else if (kind == T_COMMA && p->section == S_SOLVE)
    ritti_say(r, p->at, "write from where to where: 'solve t = 0 .. 50'", "',' cannot stand here");
  else if (kind == T_STRING && p->section == S_EQUATION)
    ritti_say(r, p->at, "a comment begins with '#'", "'%s' cannot stand here", shown);
  else if (kind == T_COMMA && !list && p->brackets == 0)
    ritti_say(r, p->at, "write each statement on a line of its own",
              "the section '%s' is not a list", ritti_sections[p->section].word);
  else if (kind == T_COLON && p->brackets > 0)
    ritti_say(r, p->at, "a sum is written with a comma: sum(i in 1..n, x[i])",
              "':' cannot stand here");
  else if (kind == T_RESERVED)
    ritti_say(r, p->at, reserved_hint(ritti_token_at(r, p->at)->word), "'%s' cannot stand here",
              shown);
  else if (less)
    ritti_say(r, p->at,
              "a condition stands after 'if': if a > b then x else y; an equation has '='",
              "'%s' cannot stand here", shown);
  else if (kind == T_COMMA && follows_if(p))
    ritti_say(r, p->at, "write if a > b then x else y", "',' cannot stand here");
  else ritti_say(r, p->at, NULL, "'%s' cannot stand here", shown);
}

/* ---- the grammar ---- */

/* Takes an opening (step 1) or closing (step -1) bracket. */
static void take_bracket(ritti_parser *p, int step) {
  p->at++;
  p->brackets += step;
}

/* Parses "(" expr ")". */
static ritti_node *parse_parenthesis(ritti_parser *p) {
  uint32_t open = p->at;
  if (!enter_level(p)) return NULL;
  take_bracket(p, 1);
  ritti_node *n = ritti_parse_expr(p);
  if (!n) return NULL;

  if (ritti_look(p) != T_CLOSE) {
    not_closed(p, open);
    return NULL;
  }

  /* the node includes its parentheses */
  take_bracket(p, -1);
  p->depth--;
  n->closed = true;
  n->first = open;
  n->end = p->at;
  return n;
}

/* Is the next token this reserved word? */
static bool look_reserved(const ritti_parser *p, ritti_reserved word) {
  return ritti_look(p) == T_RESERVED && ritti_token_at(p->reader, p->at)->word == word;
}

/* grammar: exprs = expr { "," expr }
 * Until the bracket closes; false: a mistake was reported. */
static bool parse_expressions(ritti_parser *p, ritti_node *n, uint32_t open,
                              ritti_token_kind close) {
  for (bool more = ritti_look(p) != close; more;) {
    ritti_node *e = ritti_parse_expr(p);
    if (!e) return false;
    add_child(n, e);
    more = ritti_look(p) == T_COMMA;
    p->at += more;
  }

  if (ritti_look(p) != close) {
    not_closed(p, open);
    return false;
  }
  take_bracket(p, -1);
  p->depth--;
  n->end = p->at;
  return true;
}

/* Parses expr ".." expr into a range. false: a mistake was reported. */
static bool range_ends(ritti_parser *p, ritti_node *range) {
  static const char *hint = "write from where to where: 1..n";
  ritti_node *from = ritti_parse_expr(p);
  if (!from) return false;
  if (ritti_look(p) != T_RANGE) {
    uint32_t at = p->at - 1;
    return ritti_refuse(p, at, hint, "'..' is missing after '%s'", ritti_quote(p->reader, at));
  }

  p->at++;
  ritti_node *to = ritti_parse_expr(p);
  if (!to) return false;
  add_child(range, from);
  add_child(range, to);
  return true;
}

/* Does name "in" stand here? */
static bool each_ahead(const ritti_parser *p) {
  return ritti_look(p) == T_NAME && ritti_kind_at(p, p->at + 1) == T_RESERVED &&
         ritti_token_at(p->reader, p->at + 1)->word == W_IN;
}

bool ritti_check_each(ritti_parser *p, const ritti_node *first, const ritti_node *n) {
  for (; first && first != n; first = first->next)
    if (first->at != NO_TOKEN && n->at != NO_TOKEN &&
        ritti_same_word(p->reader, first->at, n->at)) {
      ritti_say(p->reader, n->at, "choose another name", "the index '%s' occurs here twice",
                ritti_quote(p->reader, n->at));
      return false;
    }
  return true;
}

/* grammar: each = name "in" expr ".." expr */
ritti_node *ritti_parse_each(ritti_parser *p) {
  static const char *hint = "write i in 1..n";
  ritti_reader *r = p->reader;
  ritti_token_kind kind = ritti_look(p);
  /* 'in' or the name is missing */
  if (!each_ahead(p)) {
    /* name the word that is missing */
    if (kind == T_NAME)
      ritti_say(r, p->at, hint, "'in' is missing after '%s'", ritti_quote(r, p->at));
    else if (kind == T_RESERVED)
      ritti_say(r, p->at, "choose another name", "'%s' is a reserved word and cannot be a name",
                ritti_quote(r, p->at));
    else if (kind != T_BAD)
      ritti_say(r, p->at - 1, hint, "the name of an index is missing after '%s'",
                ritti_quote(r, p->at - 1));
    return NULL;
  }

  /* a range with a name */
  ritti_node *n = node_new(p, N_EACH, p->at, p->at);
  p->at += 2;
  if (!n || !range_ends(p, n)) return NULL;
  return n;
}

/* grammar:
 *   ranges = "[" range { "," range } "]"
 *   range  = [ name "in" ] expr ".." expr
 */
ritti_node *ritti_parse_ranges(ritti_parser *p) {
  uint32_t open = p->at;
  ritti_node *first = NULL, *last = NULL;
  int count = 0;
  take_bracket(p, 1);

  /* range by range, with or without the name of an index */
  for (bool more = true; more; p->at += more) {
    bool named = each_ahead(p);
    ritti_node *n = named ? ritti_parse_each(p) : node_new(p, N_EACH, NO_TOKEN, p->at);
    if (!n) return NULL;
    if (!named && !range_ends(p, n)) return NULL;
    if (++count > RITTI_RANK_LIMIT) {
      ritti_say(p->reader, n->first, "use fewer", "an array has at most %d indices",
                RITTI_RANK_LIMIT);
      return NULL;
    }

    /* link it to the ranges before; its index must have another name */
    if (last) last->next = n;
    else first = n;
    last = n;
    if (!ritti_check_each(p, first, n)) return NULL;
    more = ritti_look(p) == T_COMMA;
  }

  if (ritti_look(p) != T_CLOSE_INDEX) {
    not_closed(p, open);
    return NULL;
  }
  take_bracket(p, -1);
  return first;
}

/* grammar: over = ( "sum" | "prod" ) "(" each { "," each } "," expr ")"
 * The name and the bracket being read. */
static ritti_node *sum_over(ritti_parser *p, uint32_t name) {
  ritti_reader *r = p->reader;
  ritti_node *n = node_new(p, N_OVER, name, name);
  const char *word = ritti_quote(r, name);
  const char *hint = ritti_words(r, "write %s(i in 1..n, x[i])", word);
  if (!n) return NULL;
  if (!each_ahead(p)) {
    ritti_say(r, name, hint, "'%s' does not say over which index it goes", word);
    return NULL;
  }

  /* the ranges, each with a comma after it */
  while (each_ahead(p)) {
    ritti_node *each = ritti_parse_each(p);
    if (!each) return NULL;
    add_child(n, each);
    if (!ritti_check_each(p, n->child, each)) return NULL;
    /* a comma must follow */
    if (ritti_look(p) != T_COMMA) {
      if (ritti_look(p) == T_CLOSE)
        ritti_say(r, p->at, hint, "'%s' does not say of what it is taken", word);
      else not_closed(p, name + 1);
      return NULL;
    }
    p->at++;
  }

  /* the expression */
  ritti_node *e = ritti_parse_expr(p);
  if (!e) return NULL;
  add_child(n, e);

  if (ritti_look(p) != T_CLOSE) {
    not_closed(p, name + 1);
    return NULL;
  }
  take_bracket(p, -1);
  p->depth--;
  n->end = p->at;
  return n;
}

/* grammar: call = name "(" [ exprs ] ")" | over */
static ritti_node *parse_call(ritti_parser *p) {
  uint32_t name = p->at;
  bool over = ritti_token_is(p->reader, name, "sum") || ritti_token_is(p->reader, name, "prod");
  if (!enter_level(p)) return NULL;
  p->at++;
  take_bracket(p, 1);

  /* a sum over ranges, or a list of arguments */
  if (over) return sum_over(p, name);
  ritti_node *n = node_new(p, N_CALL, name, name);
  if (!n || !parse_expressions(p, n, name + 1, T_CLOSE)) return NULL;
  return n;
}

/* grammar: array = "[" exprs "]" */
static ritti_node *parse_array(ritti_parser *p) {
  uint32_t open = p->at;
  if (!enter_level(p)) return NULL;
  take_bracket(p, 1);
  ritti_node *n = node_new(p, N_LIST, open, open);
  if (n && ritti_look(p) == T_CLOSE_INDEX) {
    ritti_say(p->reader, open, "write its elements: [1, 2, 3]", "the array has no elements");
    return NULL;
  }
  if (!n || !parse_expressions(p, n, open, T_CLOSE_INDEX)) return NULL;
  return n;
}

ritti_node *ritti_parse_tuple(ritti_parser *p) {
  uint32_t open = p->at;
  if (!enter_level(p)) return NULL;
  take_bracket(p, 1);
  ritti_node *n = node_new(p, N_LIST, open, open);
  return n && parse_expressions(p, n, open, T_CLOSE) ? n : NULL;
}

/* grammar: atom = number | "pi" | name | call | "(" expr ")" | array */
static ritti_node *parse_atom(ritti_parser *p) {
  ritti_token_kind kind = ritti_look(p);

  /* brackets and calls */
  if (kind == T_OPEN) return parse_parenthesis(p);
  if (kind == T_OPEN_INDEX) return parse_array(p);
  if (kind == T_NAME && ritti_kind_at(p, p->at + 1) == T_OPEN) return parse_call(p);

  /* a single token */
  bool pi = look_reserved(p, W_PI);
  if (kind != T_NUMBER && kind != T_NAME && !pi) return no_operand(p);
  p->at++;
  ritti_node_kind node = N_NUMBER;
  if (kind == T_NAME) node = N_NAME;
  if (pi) node = N_PI;
  return node_new(p, node, p->at - 1, p->at - 1);
}

/* grammar: index = expr [ ".." expr ] */
static ritti_node *index_or_range(ritti_parser *p) {
  /* a single index */
  ritti_node *from = ritti_parse_expr(p);
  if (!from || ritti_look(p) != T_RANGE) return from;

  /* a range */
  ritti_node *n = node_new(p, N_RANGE, p->at, from->first);
  p->at++;
  ritti_node *to = n ? ritti_parse_expr(p) : NULL;
  if (!to) return NULL;
  add_child(n, from);
  add_child(n, to);
  return n;
}

/* grammar: indices = { "[" index { "," index } "]" } */
static ritti_node *parse_indices(ritti_parser *p, ritti_node *base) {
  while (base && ritti_look(p) == T_OPEN_INDEX) {
    uint32_t open = p->at;
    ritti_node *n = node_new(p, N_INDEX, base->kind == N_NAME ? base->at : open, base->first);
    if (!n || !enter_level(p)) return NULL;
    add_child(n, base);
    take_bracket(p, 1);

    /* index by index */
    for (bool more = true; more; p->at += more) {
      ritti_node *i = index_or_range(p);
      if (!i) return NULL;
      add_child(n, i);
      more = ritti_look(p) == T_COMMA;
    }

    if (ritti_look(p) != T_CLOSE_INDEX) {
      not_closed(p, open);
      return NULL;
    }

    /* the node includes its brackets */
    take_bracket(p, -1);
    p->depth--;
    // cppcheck-suppress nullPointerRedundantCheck ; it mistakes the check of base in the next round
    // for a check of n
    n->end = p->at;
    base = n;
  }
  return base;
}

/* Can a '.' follow the node: is it a name with or without indices? */
static bool is_segment(const ritti_node *n) {
  if (n->kind == N_INDEX) n = n->child;
  return n->kind == N_NAME && !n->closed;
}

/* Parses { "." name indices } after the first segment of a path. */
static ritti_node *parse_path(ritti_parser *p, ritti_node *first) {
  if (!first || ritti_look(p) != T_DOT || !is_segment(first)) return first;
  ritti_node *n = node_new(p, N_PATH, first->at, first->first);
  if (!n) return NULL;
  add_child(n, first);

  /* segment by segment */
  while (ritti_look(p) == T_DOT) {
    p->at++;
    if (ritti_look(p) != T_NAME) {
      (void)ritti_refuse(p, p->at - 1, "write the name of a part, port, variable or parameter",
                         "a name is missing after '.'");
      return NULL;
    }
    p->at++;
    ritti_node *segment = parse_indices(p, node_new(p, N_NAME, p->at - 1, p->at - 1));
    if (!segment) return NULL;
    add_child(n, segment);
  }
  n->end = p->at;
  return n;
}

/* grammar:
 *   path   = name indices { "." name indices }
 *   target = path
 */
ritti_node *ritti_parse_target(ritti_parser *p) {
  p->at++;
  return parse_path(p, parse_indices(p, node_new(p, N_NAME, p->at - 1, p->at - 1)));
}

/* Reports the derivative of a typed number: probably x^2' was meant to be (x^2)'. Returns NULL. */
static ritti_node *number_prime(ritti_parser *p) {
  ritti_reader *r = p->reader;
  uint32_t number = p->at - 1;
  bool exponent = number >= p->begun + 2 && ritti_token_at(r, number - 1)->kind == T_POWER;
  const char *hint = "leave the prime out";

  /* x^2' with its base and exponent */
  if (exponent) {
    bool named = ritti_token_at(r, number - 2)->kind == T_NAME;
    const char *base = named ? ritti_quote(r, number - 2) : "...";
    hint = ritti_words(r, "write (%s^%s)'", base, ritti_quote(r, number));
  }
  ritti_say(r, p->at, hint, "the prime stands after a number");
  return NULL;
}

/* grammar: postfix = ( atom indices | path ) { "'" } */
static ritti_node *parse_postfix(ritti_parser *p) {
  ritti_node *n = parse_path(p, parse_indices(p, parse_atom(p)));
  if (!n) return NULL;

  /* the primes, of which a typed number has none */
  uint32_t prime = p->at;
  if (ritti_look(p) != T_PRIME) return n;
  if ((n->kind == N_NUMBER || n->kind == N_PI) && !n->closed) return number_prime(p);
  while (ritti_look(p) == T_PRIME) p->at++;

  /* messages point at the name, or else at the first prime */
  bool named =
      n->kind == N_NAME || n->kind == N_PATH || (n->kind == N_INDEX && n->child->kind == N_NAME);
  ritti_node *d = node_new(p, N_PRIME, named ? n->at : prime, n->first);
  if (!d) return NULL;
  d->child = d->last = n;
  d->count = (int)(p->at - prime);
  return d;
}

static ritti_node *parse_unary(ritti_parser *p);

/* grammar: power = postfix [ "^" unary ] */
static ritti_node *parse_power(ritti_parser *p) {
  ritti_node *base = parse_postfix(p);
  if (!base || ritti_look(p) != T_POWER) return base;

  /* the exponent, one level deeper */
  uint32_t op = p->at;
  if (!enter_level(p)) return NULL;
  p->at++;
  ritti_node *exponent = parse_unary(p);
  if (!exponent) return NULL;
  p->depth--;

  /* base ^ exponent */
  ritti_node *n = node_new(p, N_POWER, op, base->first);
  if (!n) return NULL;
  add_child(n, base);
  add_child(n, exponent);
  return n;
}

/* grammar: unary = "-" unary | power */
static ritti_node *parse_unary(ritti_parser *p) {
  if (ritti_look(p) != T_MINUS) return parse_power(p);

  /* the operand, one level deeper */
  uint32_t op = p->at;
  if (!enter_level(p)) return NULL;
  p->at++;
  ritti_node *argument = parse_unary(p);
  if (!argument) return NULL;
  p->depth--;
  ritti_node *n = node_new(p, N_NEGATE, op, op);
  if (n) add_child(n, argument);
  return n;
}

/* grammar:
 *   sum     = product { ( "+" | "-" ) product }
 *   product = unary { ( "*" | "/" ) unary }
 *
 * Operands joined by operators of `least` level and above. */
static ritti_node *parse_operators(ritti_parser *p, int least) {
  ritti_node *left = parse_unary(p);
  const struct binary *b;
  while (left && (b = binary_of(ritti_look(p))) && b->level >= least) {
    uint32_t op = p->at++;
    ritti_node *right = parse_operators(p, b->level + 1);
    left = right ? join_operands(p, b->node, op, left, right) : NULL;
  }
  return left;
}

/* ---- conditions ---- */

/* Is the token a sign that compares two sides? */
static bool is_comparison(ritti_token_kind kind) {
  return ritti_kind_among(kind, INEQUALITIES | RITTI_BIT(T_EQUALS) | RITTI_BIT(T_UNEQUAL));
}

/* Does the parenthesis that opens here contain a condition? Comparisons inside a further `if`
 * do not count. */
static bool condition_ahead(const ritti_parser *p) {
  int brackets = 0, ifs = 0;
  for (uint32_t i = p->at;; i++) {
    const ritti_token *t = ritti_token_at(p->reader, i);
    if (t->kind == T_KEYWORD || t->kind == T_END) return false;
    if (t->kind == T_OPEN || t->kind == T_OPEN_INDEX) brackets++;
    if ((t->kind == T_CLOSE || t->kind == T_CLOSE_INDEX) && --brackets == 0) return false;
    if (t->kind == T_RESERVED && t->word == W_IF) ifs++;
    if (t->kind == T_RESERVED && t->word == W_THEN) ifs--;

    /* a comparison or a logical word outside every `if` */
    bool logical =
        t->kind == T_RESERVED && (t->word == W_AND || t->word == W_OR || t->word == W_NOT);
    if (ifs == 0 && (logical || is_comparison((ritti_token_kind)t->kind))) return true;
  }
}

static ritti_node *condition(ritti_parser *p);

/* grammar: comparison = sum ( "=" | "<>" | "<" | "<=" | ">" | ">=" ) sum */
static ritti_node *parse_comparison(ritti_parser *p) {
  /* the left side */
  ritti_node *left = parse_operators(p, 1);
  if (!left) return NULL;
  uint32_t sign = p->at;

  /* the sign */
  if (!is_comparison(ritti_look(p))) {
    if (ritti_look(p) != T_BAD)
      ritti_say(p->reader, left->first, "compare with = <> < <= > or >=: if i = 1 then ...",
                "the condition compares nothing");
    return NULL;
  }

  /* the right side */
  p->at++;
  ritti_node *right = parse_operators(p, 1);
  ritti_node *n = right ? node_new(p, N_COMPARE, sign, left->first) : NULL;
  if (!n) return NULL;
  add_child(n, left);
  add_child(n, right);
  return n;
}

/* grammar: negation = "not" negation | "(" cond ")" | comparison */
static ritti_node *parse_negation(ritti_parser *p) {
  uint32_t at = p->at;
  bool negated = look_reserved(p, W_NOT);
  if (!negated && (ritti_look(p) != T_OPEN || !condition_ahead(p))) return parse_comparison(p);

  /* not condition, or ( condition ) */
  if (!enter_level(p)) return NULL;
  if (negated) p->at++;
  else take_bracket(p, 1);
  ritti_node *n = negated ? parse_negation(p) : condition(p);
  if (!n) return NULL;
  p->depth--;

  /* the negation of a condition */
  if (negated) {
    ritti_node *other = node_new(p, N_NOT, at, at);
    if (other) add_child(other, n);
    return other;
  }

  /* the parenthesis must close */
  if (ritti_look(p) != T_CLOSE) {
    not_closed(p, at);
    return NULL;
  }
  take_bracket(p, -1);
  return n;
}

/* grammar:
 *   cond = both { "or" both }
 *   both = negation { "and" negation }
 */
static ritti_node *parse_junction(ritti_parser *p, ritti_reserved word) {
  ritti_node *first = word == W_OR ? parse_junction(p, W_AND) : parse_negation(p);
  ritti_node *n = NULL;

  /* the first `and` or `or` makes a node; without one the operand stands alone */
  while (first && look_reserved(p, word)) {
    /* the first operand becomes a child of the new node */
    if (!n) {
      n = node_new(p, word == W_OR ? N_OR : N_AND, p->at, first->first);
      if (!n) return NULL;
      add_child(n, first);
    }

    /* the next operand */
    p->at++;
    ritti_node *next = word == W_OR ? parse_junction(p, W_AND) : parse_negation(p);
    if (!next) return NULL;
    add_child(n, next);
  }
  return n ? n : first;
}

static ritti_node *condition(ritti_parser *p) { return parse_junction(p, W_OR); }

/* Takes `then` or `else`. false: a mistake was reported. */
static bool take_reserved(ritti_parser *p, ritti_reserved word, const char *text) {
  if (look_reserved(p, word)) {
    p->at++;
    return true;
  }

  uint32_t at = ritti_missing_at(p);
  const char *side = at < p->at ? "after" : "before";
  static const char *const else_if[] = {"elseif", "elif"}; /* of other languages */
  bool joined = ritti_look_name(p, else_if[0]) || ritti_look_name(p, else_if[1]);
  bool chain = word == W_THEN && ritti_kind_among(ritti_look(p), INEQUALITIES);
  const char *hint = "write if ... then ... else ...";
  if (joined) hint = "write else if ... then ...";
  if (chain) hint = "join two comparisons by 'and': a < b and b < c";
  return ritti_refuse(p, at, hint, "'%s' is missing %s '%s'", text, side,
                      ritti_quote(p->reader, at));
}

/* grammar: choice = "if" cond "then" expr "else" expr */
static ritti_node *parse_choice(ritti_parser *p) {
  uint32_t at = p->at;
  if (!enter_level(p)) return NULL;
  p->at++;

  /* the condition and both branches */
  ritti_node *c = condition(p);
  if (!c || !take_reserved(p, W_THEN, "then")) return NULL;
  ritti_node *a = ritti_parse_expr(p);
  if (!a || !take_reserved(p, W_ELSE, "else")) return NULL;
  ritti_node *b = ritti_parse_expr(p);
  ritti_node *n = b ? node_new(p, N_IF, at, at) : NULL;
  if (!n) return NULL;

  p->depth--;
  add_child(n, c);
  add_child(n, a);
  add_child(n, b);
  return n;
}

/* grammar: expr = choice | sum */
ritti_node *ritti_parse_expr(ritti_parser *p) {
  return look_reserved(p, W_IF) ? parse_choice(p) : parse_operators(p, 1);
}
