/* Canonical layout: the same tokens and comments, with the blanks and indents that all models have.
 *
 * Section keywords stand in the first column, statements two blanks further in, the body of a
 * family and the rest of a long line two more. One blank stands round =, ~, :=, ->, comparisons and
 * the + and - between terms, none round *, /, ^ and inside brackets. Line ends stay where they are;
 * of several empty lines one stays. Only blanks change: the tokens are the same, and a text laid
 * out once stays as it is.
 */
#include "lang_impl.h"

typedef struct layout {
  ritti_reader *reader;
  ritti_text *out;
  uint32_t at;       /* next token */
  int brackets;      /* open ones */
  int section;       /* of the last keyword, -1: none yet */
  int column[16];    /* of the lines that the present one stands below, outermost first */
  int depth;         /* how many */
  bool block;        /* the line before ended in ':': a deeper line is its body */
  bool going;        /* the line before goes on */
  bool blank, begun; /* an empty line is due; something is written */
} layout;

static ritti_token_kind kind_of(const layout *l, uint32_t i) {
  return (ritti_token_kind)ritti_token_at(l->reader, i)->kind;
}

static bool is_comparison(ritti_token_kind kind) {
  switch (kind) {
  case T_EQUALS:
  case T_TILDE:
  case T_ASSIGN:
  case T_ARROW:
  case T_LESS:
  case T_LESS_EQUAL:
  case T_GREATER:
  case T_GREATER_EQUAL:
  case T_UNEQUAL: return true;
  default: return false;
  }
}

/* Can an operand end with this token? Then a sign after it joins terms. */
static bool ends_operand(ritti_token_kind kind, const ritti_token *t) {
  switch (kind) {
  case T_NAME:
  case T_NUMBER:
  case T_STRING:
  case T_PRIME:
  case T_CLOSE:
  case T_CLOSE_INDEX: return true;
  case T_RESERVED: return t->word == W_PI;
  default: return false;
  }
}

/* Does token i, + or -, join two terms, and did its author set it apart from them? At the beginning
 * of a statement it is a sign. */
static bool joins_apart(const layout *l, uint32_t i) {
  const ritti_token *t = ritti_token_at(l->reader, i), *before = t - 1;
  if (l->brackets == 0 && t->first) return false;
  return ends_operand(kind_of(l, i - 1), before) && before->start + before->length < t->start;
}

/* "1." before "..": without a blank they would be other tokens. */
static bool ends_in_point(const layout *l, uint32_t i) {
  const ritti_token *t = ritti_token_at(l->reader, i);
  return t->kind == T_NUMBER && l->reader->text[t->start + t->length - 1] == '.';
}

/* Is there a blank between token i - 1 and token i of one line? */
static bool needs_blank(const layout *l, uint32_t i) {
  ritti_token_kind a = kind_of(l, i - 1), b = kind_of(l, i);
  if (a == T_KEYWORD) return true;
  if (b == T_COMMA || b == T_CLOSE || b == T_CLOSE_INDEX || b == T_PRIME || b == T_COLON)
    return false;
  if (a == T_OPEN || a == T_OPEN_INDEX) return false;
  if (a == T_RANGE || b == T_RANGE) return l->section == S_SOLVE || ends_in_point(l, i - 1);
  if (a == T_COMMA || a == T_COLON || is_comparison(a) || is_comparison(b)) return true;
  if (b == T_PLUS || b == T_MINUS) return joins_apart(l, i) || a == T_RESERVED;
  if (a == T_PLUS || a == T_MINUS) return i > 1 && joins_apart(l, i - 1);
  if (a == T_TIMES || a == T_OVER || a == T_POWER || b == T_TIMES || b == T_OVER || b == T_POWER)
    return false;
  if (b == T_OPEN || b == T_OPEN_INDEX) return !ends_operand(a, ritti_token_at(l->reader, i - 1));
  return true;
}

/* The comment in [from, to) of the text, without the blanks around it; NULL: none. */
static const char *comment_in(const layout *l, uint32_t from, uint32_t to, size_t *length) {
  const char *text = l->reader->text;
  while (from < to && text[from] != '#') from++;
  while (to > from && (unsigned char)text[to - 1] <= ' ') to--;
  *length = to - from;
  return to > from ? text + from : NULL;
}

static void indent_line(layout *l, int by) {
  if (l->blank && l->begun) ritti_text_add(l->out, "\n");
  l->blank = false;
  l->begun = true;
  for (int i = 0; i < by; i++) ritti_text_add(l->out, "  ");
}

/* How deep the line stands that begins with token t. */
static int level_of(layout *l, const ritti_token *t) {
  if (t->kind == T_KEYWORD) return l->depth = 0;
  if (l->going || ritti_continues(t)) return l->depth + 1;
  while (l->depth > 1 && t->column < l->column[l->depth - 1]) l->depth--;
  bool deeper = l->depth == 0 || (l->block && t->column > l->column[l->depth - 1]);
  if (deeper && l->depth < 15) l->depth++;
  l->column[l->depth - 1] = t->column;
  return l->depth;
}

/* The same for a comment of its own that begins in this column: it stands where it stood, in the
 * first column or with the statements around it. */
static int level_of_comment(const layout *l, int column) {
  int depth = l->depth;
  if (column == 1 || depth == 0) return column > 1;
  if (l->going) return depth + 1;
  if (l->block && column > l->column[depth - 1]) return depth + 1;
  while (depth > 1 && column <= l->column[depth - 2]) depth--;
  return depth;
}

static void add_token(layout *l, uint32_t i) {
  const ritti_token *t = ritti_token_at(l->reader, i);
  ritti_text_add_bytes(l->out, l->reader->text + t->start, t->length);
  if (t->kind == T_OPEN || t->kind == T_OPEN_INDEX) l->brackets++;
  if ((t->kind == T_CLOSE || t->kind == T_CLOSE_INDEX) && l->brackets > 0) l->brackets--;
  if (t->kind == T_KEYWORD) l->section = t->word, l->brackets = 0;
}

/* Blanks before a comment: two or more, so that it stays in its column where it can. */
static void set_apart(layout *l, size_t line, size_t column) {
  size_t length = l->out->count - line, blanks = column > length + 2 ? column - length : 2;
  while (blanks--) ritti_text_add(l->out, " ");
}

/* One line of the text, [start, end), number `line`. */
static void add_line(layout *l, uint32_t start, uint32_t end, int line) {
  uint32_t first = l->at, code_end = start;
  size_t written =
      l->out->count + (l->blank && l->begun); /* where the line begins in what is written */
  while (kind_of(l, l->at) != T_END && ritti_token_at(l->reader, l->at)->line == line) {
    const ritti_token *t = ritti_token_at(l->reader, l->at);
    if (l->at == first) indent_line(l, level_of(l, t));
    else if (needs_blank(l, l->at)) ritti_text_add(l->out, " ");
    add_token(l, l->at++);
    code_end = t->start + t->length;
  }
  size_t length;
  const char *comment = comment_in(l, code_end, end, &length);
  bool code = l->at > first;
  if (comment && code) set_apart(l, written, (size_t)(comment - l->reader->text) - start);
  if (comment && !code)
    indent_line(l, level_of_comment(l, (int)(comment - l->reader->text - start) + 1));
  if (comment) ritti_text_add_bytes(l->out, comment, length);
  if (comment || code) ritti_text_add(l->out, "\n");
  else l->blank = true;
  if (!code) return;
  const ritti_token *last = ritti_token_at(l->reader, l->at - 1);
  l->block = last->kind == T_COLON;
  l->going = l->brackets > 0 || (!l->block && ritti_goes_on(last));
}

static ritt_status lay_out(ritti_reader *r, size_t length, ritti_text *out) {
  ritti_source own = {.file = r->file, .token = NO_TOKEN, .open = true};
  layout l = {.reader = r, .out = out, .section = -1};
  RITT_TRY(RITTI_PUSH(r->sources, own));
  if (!ritti_source_check(r, 0, length) || !ritti_lex(r, 0) || r->notes.count > 0) return r->status;
  int line = 1;
  for (uint32_t start = 0; start < r->length; line++) {
    const char *newline = memchr(r->text + start, '\n', r->length - start);
    uint32_t end = newline ? (uint32_t)(newline - r->text) : r->length;
    add_line(&l, start, end, line);
    start = end + 1;
  }
  return out->status;
}

ritt_status ritti_model_format(const char *text, size_t length, const char *file, ritt_error *error,
                               ritti_text *out) {
  ritti_arena *keep = ritti_arena_new();
  ritti_reader r = {.file = file, .text = text, .keep = keep, .scratch = ritti_arena_new()};
  ritt_status status = keep && r.scratch ? lay_out(&r, length, out) : RITT_NO_MEMORY;
  if (status == RITT_OK) status = ritti_notes_tell(&r, error);
  ritti_reader_clear(&r);
  ritti_arena_free(keep);
  return status == RITT_NO_MEMORY ? ritti_no_memory(error) : status;
}
