/* Tokens as a statement sees them: where lines end and continue, and which words come next; and
 * new statements and their lists.
 *
 * A line continues in the next one if it ends in an operator or one of
 * , = ~ := : -> then else and or not, inside an open bracket, and if the next line begins with
 * then else and or.
 */
#include "lang_impl.h"

bool ritti_goes_on(const ritti_token *last) {
  static const bool reserved[] = {
#define X(id, word, after, before) after,
      RITTI_RESERVED(X)
#undef X
  };
  static const ritti_kinds open_ended =
      RITTI_BIT(T_PLUS) | RITTI_BIT(T_MINUS) | RITTI_BIT(T_TIMES) | RITTI_BIT(T_OVER) |
      RITTI_BIT(T_POWER) | RITTI_BIT(T_LESS) | RITTI_BIT(T_LESS_EQUAL) | RITTI_BIT(T_GREATER) |
      RITTI_BIT(T_GREATER_EQUAL) | RITTI_BIT(T_UNEQUAL) | RITTI_BIT(T_COMMA) | RITTI_BIT(T_EQUALS) |
      RITTI_BIT(T_TILDE) | RITTI_BIT(T_ASSIGN) | RITTI_BIT(T_COLON) | RITTI_BIT(T_ARROW);
  if (last->kind == T_RESERVED) return reserved[last->word];
  return ritti_kind_among((ritti_token_kind)last->kind, open_ended);
}

bool ritti_continues(const ritti_token *first) {
  static const bool reserved[] = {
#define X(id, word, after, before) before,
      RITTI_RESERVED(X)
#undef X
  };
  return first->kind == T_RESERVED && reserved[first->word];
}

ritti_token_kind ritti_kind_at(const ritti_parser *p, uint32_t i) {
  const ritti_reader *r = p->reader;
  if (i >= r->tokens.count) return T_END;
  const ritti_token *t = ritti_token_at(r, i);

  /* a line begins here unless brackets are open or the line before continues */
  bool keyword = t->kind == T_KEYWORD || t->kind == T_END;
  bool begins = t->first && i != p->begun && p->brackets == 0;
  bool continues = i > 0 && (ritti_goes_on(t - 1) || ritti_continues(t));
  if (!keyword && begins && !continues) return T_LINE;
  return (ritti_token_kind)t->kind;
}

bool ritti_look_name(const ritti_parser *p, const char *word) {
  return ritti_look(p) == T_NAME && ritti_token_is(p->reader, p->at, word);
}

bool ritti_look_word(const ritti_parser *p, const char *word) {
  ritti_token_kind next = ritti_kind_at(p, p->at + 1);
  return ritti_look_name(p, word) && (next == T_NAME || next == T_NUMBER || next == T_OPEN);
}

/* The token after an index "[ ... ]" that begins at token i; i itself if there is no index. */
static uint32_t after_index(const ritti_parser *p, uint32_t i) {
  while (ritti_kind_at(p, i) == T_OPEN_INDEX) {
    /* skip to the bracket that closes this one */
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

uint32_t ritti_after_path(const ritti_parser *p, uint32_t i) {
  i = after_index(p, i);
  while (ritti_kind_at(p, i) == T_DOT && ritti_kind_at(p, i + 1) == T_NAME)
    i = after_index(p, i + 2);
  return i;
}

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
                         .relation = NO_TOKEN,
                         .kind = NO_TOKEN};
  return s;
}

void ritti_statement_add(ritti_parser *p, int list, ritti_statement *s) {
  /* a member of a family */
  if (p->family) {
    if (p->family->last) p->family->last->next = s;
    else p->family->body = s;
    p->family->last = s;
    return;
  }

  /* a statement of the section */
  if (p->syntax->list[list].last) p->syntax->list[list].last->next = s;
  else p->syntax->list[list].first = s;
  p->syntax->list[list].last = s;
  p->syntax->list[list].count++;
}
