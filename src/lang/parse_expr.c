/* Expressions: tokens -> nodes.
 *
 *    expr    = sum
 *    sum     = product { ("+" | "-") product }
 *    product = unary { ("*" | "/") unary }
 *    unary   = "-" unary | power
 *    power   = postfix [ "^" unary ]                  right-associative; -x^2 = -(x^2)
 *    postfix = atom { "'" }
 *    atom    = number | "pi" | name | name "(" expr { "," expr } ")" | "(" expr ")"
 *
 * Sums and products are nodes with any number of children, so that the depth of a tree is that of its
 * brackets, signs and powers, which is limited. Every function returns NULL after it told a mistake; the
 * statement is then given up.
 */
#include "lang_impl.h"

/* The binary operators that group to the left: one table for both levels. */
static const struct binary {
  ritti_token_kind token;
  int level;
  ritti_node_kind node;
} binaries[] = {{T_PLUS, 1, N_SUM}, {T_MINUS, 1, N_SUM}, {T_TIMES, 2, N_PRODUCT}, {T_OVER, 2, N_PRODUCT}};

static const struct binary *binary_of(ritti_token_kind kind) {
  for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
    if (binaries[i].token == kind) return &binaries[i];
  return NULL;
}

/* ---- nodes -------------------------------------------------------------------------------------------- */

static ritti_node *node_new(ritti_parser *p, ritti_node_kind kind, uint32_t at, uint32_t first) {
  ritti_node *n = ritti_arena_alloc(p->reader->scratch, 1, sizeof *n);
  if (!n) {
    p->reader->status = RITT_NO_MEMORY;
    return NULL;
  }
  *n = (ritti_node){.kind = kind, .at = at, .first = first, .end = p->at, .sign = NO_TOKEN};
  return n;
}

static void add_child(ritti_node *n, ritti_node *child) {
  if (n->last) n->last->next = child;
  else n->child = child;
  n->last = child;
  n->count++;
  n->end = child->end > n->end ? child->end : n->end;
}

/* left op right; a chain of one level is one node */
static ritti_node *join(ritti_parser *p, ritti_node_kind kind, uint32_t op, ritti_node *left,
                        ritti_node *right) {
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

/* Goes one level deeper. false: told. */
static bool enter(ritti_parser *p) {
  if (++p->depth <= RITTI_NESTING_LIMIT) return true;
  ritti_say(p->reader, p->at, "name a part of the expression with 'let'",
            "the expression is nested more than %d deep", RITTI_NESTING_LIMIT);
  return false;
}

/* ---- mistakes ----------------------------------------------------------------------------------------- */

void ritti_parse_not_yet(ritti_parser *p, uint32_t token, const char *what, const char *hint) {
  bool arrays = !strncmp(what, "arrays", 6);
  if (arrays && p->arrays_told) return;
  p->arrays_told |= arrays;
  ritti_say(p->reader, token, hint, "%s not in this version of Ritt", what);
}

static void arrays_not_yet(ritti_parser *p, uint32_t token) {
  ritti_parse_not_yet(p, token, "arrays are", "give every element a name of its own: x1, x2, x3");
}

/* The first token of the line of token i. */
static uint32_t line_start(const ritti_reader *r, uint32_t i) {
  while (!ritti_token_at(r, i)->first) i--;
  return i;
}

/* Did the line before the next token end in an operator with nothing after it, and does the next statement
 * begin with the line of the next token? Then that is told, and reading resumes there. */
static bool dangling(ritti_parser *p) {
  ritti_token_kind kind = ritti_look(p);
  bool relation = kind == T_EQUALS || kind == T_TILDE || kind == T_ASSIGN || kind == T_COLON;
  uint32_t start = line_start(p->reader, p->at);
  if (p->brackets > 0 || start <= p->item || !(relation || start == p->at)) return false;
  ritti_say(p->reader, start - 1, "write it there: a line that ends like this goes on in the next one",
            "something is missing after '%s'", ritti_quote(p->reader, start - 1));
  p->at = p->resume = start;
  return true;
}

/* A token that cannot begin an operand. */
static ritti_node *no_operand(ritti_parser *p) {
  ritti_reader *r = p->reader;
  ritti_token_kind kind = ritti_look(p);
  uint32_t at = p->at, before = at > 0 ? at - 1 : 0;
  if (kind == T_BAD || (!ritti_ends(kind) && dangling(p))) return NULL;
  if (kind == T_OPEN_INDEX) arrays_not_yet(p, at);
  else if (kind == T_STRING) ritti_say(r, at, NULL, "a text in quotes cannot stand in an expression");
  else if (kind == T_RESERVED && ritti_token_at(r, at)->word == W_IF)
    ritti_parse_not_yet(p, at, "'if' is", "write it with min, max, abs or sign where that is possible");
  else if (kind == T_RESERVED)
    ritti_say(r, at, "choose another name", "'%s' is a reserved word and cannot stand here",
              ritti_quote(r, at));
  else if (ritti_ends(kind) && p->brackets == 0)
    ritti_say(r, before, "write a number, a name or an expression after it",
              "something is missing after '%s'", ritti_quote(r, before));
  else if (ritti_ends(kind))
    ritti_say(r, before, "write an expression after it and close the bracket",
              "something is missing after '%s'", ritti_quote(r, before));
  else if (kind == T_PLUS)
    ritti_say(r, at, "a number or a name needs no '+' before it: leave it out", "nothing stands before '+'");
  else if (kind == T_PRIME)
    ritti_say(r, at, "write what is differentiated before it: x'", "nothing stands before the prime");
  else if (kind == T_CLOSE && p->brackets == 0)
    ritti_say(r, at, "remove it, or open a bracket before it", "')' closes no bracket");
  else
    ritti_say(r, at, "write a number, a name or an expression there", "something is missing before '%s'",
              ritti_quote(r, at));
  return NULL;
}

/* What stands where a bracket should close. On a later line it belongs to the next statement: reading resumes
 * there. */
static void not_closed(ritti_parser *p, uint32_t bracket) {
  ritti_reader *r = p->reader;
  const ritti_token *open = ritti_token_at(r, bracket), *found = ritti_token_at(r, p->at);
  ritti_token_kind kind = ritti_look(p);
  bool relation = kind == T_EQUALS || kind == T_TILDE || kind == T_COLON || kind == T_ASSIGN;
  if (!ritti_ends(kind) && !found->first && !(relation && found->line > open->line)) {
    ritti_parse_unexpected(p);
    return;
  }
  ritti_say(r, bracket, "close it with ')'", "the bracket '(' is not closed");
  p->at = p->resume = line_start(r, p->at);
  p->brackets = 0;
}

static bool begins_operand(ritti_token_kind kind) {
  return kind == T_NAME || kind == T_NUMBER || kind == T_OPEN;
}

/* Two operands side by side. */
static void no_operator(ritti_parser *p) {
  ritti_reader *r = p->reader;
  const char *a = ritti_quote(r, p->at - 1), *b = ritti_quote(r, p->at);
  bool call = ritti_look(p) == T_NAME && ritti_kind_at(p, p->at + 1) == T_OPEN;
  const char *rest = call ? "(...)" : ritti_look(p) == T_OPEN ? "...)" : "";
  const char *start = ritti_token_at(r, p->at - 1)->kind == T_CLOSE ? "(..." : "";
  ritti_say(r, p->at, ritti_words(r, "there is no implicit product: write %s%s*%s%s", start, a, b, rest),
            "an operator is missing between '%s' and '%s'", a, b);
}

void ritti_parse_unexpected(ritti_parser *p) {
  ritti_reader *r = p->reader;
  ritti_token_kind kind = ritti_look(p);
  const char *shown = ritti_quote(r, p->at);
  bool list = p->section < S_COUNT && ritti_sections[p->section].form == LIST;
  bool less = kind == T_LESS || kind == T_LESS_EQUAL || kind == T_GREATER || kind == T_GREATER_EQUAL;
  if (kind == T_BAD || (!ritti_ends(kind) && dangling(p))) return;
  if (ritti_ends(kind)) no_operand(p);
  else if (begins_operand(kind)) no_operator(p);
  else if (kind == T_OPEN_INDEX) arrays_not_yet(p, p->at);
  else if (kind == T_CLOSE || kind == T_CLOSE_INDEX)
    ritti_say(r, p->at, "remove it, or open a bracket before it", "'%s' closes no bracket", shown);
  else if (kind == T_EQUALS && (p->section == S_EQUATION || p->section == S_INVARIANT ||
                                p->section == S_CONSTRAINT || p->section == S_NONHOLONOMIC))
    ritti_say(r, p->at, "write two of them, a line each", "an equation has only one '='");
  else if (kind == T_COMMA && !list && p->brackets == 0)
    ritti_say(r, p->at, "write each statement on a line of its own", "the section '%s' is not a list",
              ritti_sections[p->section].word);
  else ritti_say(r, p->at, less ? "an equation is written with =" : NULL, "'%s' cannot stand here", shown);
}

/* ---- the grammar -------------------------------------------------------------------------------------- */

static void take_bracket(ritti_parser *p, int step) {
  p->at++;
  p->brackets += step;
}

/* "(" expr ")" */
static ritti_node *parenthesis(ritti_parser *p) {
  uint32_t open = p->at;
  if (!enter(p)) return NULL;
  take_bracket(p, 1);
  ritti_node *n = ritti_parse_expr(p);
  if (!n) return NULL;
  if (ritti_look(p) != T_CLOSE) {
    not_closed(p, open);
    return NULL;
  }
  take_bracket(p, -1);
  p->depth--;
  n->closed = true;
  n->first = open;
  n->end = p->at;
  return n;
}

/* name "(" [ expr { "," expr } ] ")" */
static ritti_node *call(ritti_parser *p) {
  uint32_t name = p->at, open = name + 1;
  if (ritti_token_is(p->reader, name, "sum") || ritti_token_is(p->reader, name, "prod")) {
    const char *what = ritti_words(p->reader, "the function '%s' is", ritti_quote(p->reader, name));
    ritti_parse_not_yet(p, name, what, "write its terms out");
    return NULL;
  }
  if (!enter(p)) return NULL;
  p->at++;
  take_bracket(p, 1);
  ritti_node *n = node_new(p, N_CALL, name, name);
  for (bool more = n && ritti_look(p) != T_CLOSE; more;) {
    ritti_node *argument = ritti_parse_expr(p);
    if (!argument) return NULL;
    add_child(n, argument);
    more = ritti_look(p) == T_COMMA;
    p->at += more;
  }
  if (!n) return NULL;
  if (ritti_look(p) != T_CLOSE) {
    not_closed(p, open);
    return NULL;
  }
  take_bracket(p, -1);
  p->depth--;
  n->end = p->at;
  return n;
}

/* atom = number | "pi" | name | name "(" args ")" | "(" expr ")" */
static ritti_node *atom(ritti_parser *p) {
  ritti_token_kind kind = ritti_look(p);
  if (kind == T_OPEN) return parenthesis(p);
  if (kind == T_NAME && ritti_kind_at(p, p->at + 1) == T_OPEN) return call(p);
  bool pi = kind == T_RESERVED && ritti_token_at(p->reader, p->at)->word == W_PI;
  if (kind != T_NUMBER && kind != T_NAME && !pi) return no_operand(p);
  p->at++;
  return node_new(p, pi ? N_PI : kind == T_NAME ? N_NAME : N_NUMBER, p->at - 1, p->at - 1);
}

/* The derivative of a typed number: most likely x^2' was meant to be (x^2)'. */
static ritti_node *number_prime(ritti_parser *p) {
  ritti_reader *r = p->reader;
  uint32_t number = p->at - 1;
  bool exponent = number >= p->begun + 2 && ritti_token_at(r, number - 1)->kind == T_POWER;
  const char *base =
      exponent && ritti_token_at(r, number - 2)->kind == T_NAME ? ritti_quote(r, number - 2) : "...";
  const char *hint =
      exponent ? ritti_words(r, "write (%s^%s)'", base, ritti_quote(r, number)) : "leave the prime out";
  ritti_say(r, p->at, hint, "the prime stands after a number");
  return NULL;
}

/* postfix = atom { "'" } */
static ritti_node *postfix(ritti_parser *p) {
  ritti_node *n = atom(p);
  if (!n) return NULL;
  if (ritti_look(p) == T_OPEN_INDEX) {
    arrays_not_yet(p, n->kind == N_NAME ? n->at : p->at);
    return NULL;
  }
  uint32_t prime = p->at;
  if (ritti_look(p) != T_PRIME) return n;
  if ((n->kind == N_NUMBER || n->kind == N_PI) && !n->closed) return number_prime(p);
  while (ritti_look(p) == T_PRIME) p->at++;
  ritti_node *d = node_new(p, N_PRIME, n->kind == N_NAME ? n->at : prime, n->first);
  if (!d) return NULL;
  d->child = d->last = n;
  d->count = (int)(p->at - prime);
  return d;
}

static ritti_node *unary(ritti_parser *p);

/* power = postfix [ "^" unary ] */
static ritti_node *power(ritti_parser *p) {
  ritti_node *base = postfix(p);
  if (!base || ritti_look(p) != T_POWER) return base;
  uint32_t op = p->at;
  if (!enter(p)) return NULL;
  p->at++;
  ritti_node *exponent = unary(p);
  if (!exponent) return NULL;
  p->depth--;
  ritti_node *n = node_new(p, N_POWER, op, base->first);
  if (!n) return NULL;
  add_child(n, base);
  add_child(n, exponent);
  return n;
}

/* unary = "-" unary | power */
static ritti_node *unary(ritti_parser *p) {
  if (ritti_look(p) != T_MINUS) return power(p);
  uint32_t op = p->at;
  if (!enter(p)) return NULL;
  p->at++;
  ritti_node *argument = unary(p);
  if (!argument) return NULL;
  p->depth--;
  ritti_node *n = node_new(p, N_NEGATE, op, op);
  if (n) add_child(n, argument);
  return n;
}

/* operands joined by operators of `least` level and above */
static ritti_node *climb(ritti_parser *p, int least) {
  ritti_node *left = unary(p);
  const struct binary *b;
  while (left && (b = binary_of(ritti_look(p))) && b->level >= least) {
    uint32_t op = p->at++;
    ritti_node *right = climb(p, b->level + 1);
    left = right ? join(p, b->node, op, left, right) : NULL;
  }
  return left;
}

ritti_node *ritti_parse_expr(ritti_parser *p) { return climb(p, 1); }
