/* Canonical layout: the tokens and comments of a text with the blanks and indents of all
 * models.
 *
 * Section keywords stand in the first column, those of a component two blanks further right,
 * statements two blanks right of their keyword, the body of a family and the continuation of a long
 * line two more. One blank stands round =, ~, :=, ->,
 * comparisons and the + and - between terms; none round *, /, ^ and inside brackets. Line ends
 * stay where they are; several empty lines become one. Only blanks change: the tokens are the
 * same, and a text in canonical layout stays as it is.
 */
#include "lang_impl.h"

/* The text that is written and the state at the present line. */
typedef struct layout {
  ritti_reader *reader;
  ritti_text *out;
  uint32_t at;    /* next token */
  int brackets;   /* number of open brackets */
  int section;    /* section of the last keyword; -1: none yet */
  int column[16]; /* columns of the lines that enclose the present one, outermost first */
  int depth;      /* number of these lines */
  int base;       /* depth of the last keyword: 0, or 1 in a component */
  int keyword;    /* column of the last keyword */
  bool block;     /* the line before ended in ':': a deeper line is its body */
  bool going;     /* the line before continues in this one */
  bool blank;     /* write an empty line before the next line */
  bool begun;     /* some line is written */
} layout;

/* The kind of token i. */
static ritti_token_kind kind_of(const layout *l, uint32_t i) {
  return (ritti_token_kind)ritti_token_at(l->reader, i)->kind;
}

/* Signs with a blank on either side. */
static const ritti_kinds RELATIONS = RITTI_BIT(T_EQUALS) | RITTI_BIT(T_TILDE) |
                                     RITTI_BIT(T_ASSIGN) | RITTI_BIT(T_ARROW) | RITTI_BIT(T_LESS) |
                                     RITTI_BIT(T_LESS_EQUAL) | RITTI_BIT(T_GREATER) |
                                     RITTI_BIT(T_GREATER_EQUAL) | RITTI_BIT(T_UNEQUAL);
/* Signs without a blank on either side. */
static const ritti_kinds FACTORS = RITTI_BIT(T_TIMES) | RITTI_BIT(T_OVER) | RITTI_BIT(T_POWER);
static const ritti_kinds SIGNS = RITTI_BIT(T_PLUS) | RITTI_BIT(T_MINUS);
/* Brackets and separators. */
static const ritti_kinds OPENING = RITTI_BIT(T_OPEN) | RITTI_BIT(T_OPEN_INDEX);
static const ritti_kinds CLOSING = RITTI_BIT(T_CLOSE) | RITTI_BIT(T_CLOSE_INDEX);
static const ritti_kinds SEPARATORS = RITTI_BIT(T_COMMA) | RITTI_BIT(T_COLON);
/* Tokens with which an operand can end. */
static const ritti_kinds OPERANDS = RITTI_BIT(T_NAME) | RITTI_BIT(T_NUMBER) | RITTI_BIT(T_STRING) |
                                    RITTI_BIT(T_PRIME) | RITTI_BIT(T_CLOSE) |
                                    RITTI_BIT(T_CLOSE_INDEX);

/* Can an operand end with this token? A sign after it joins terms. */
static bool ends_operand(ritti_token_kind kind, const ritti_token *t) {
  if (kind == T_RESERVED) return t->word == W_PI;
  return ritti_kind_among(kind, OPERANDS);
}

/* Does a line such as "xrange -1 .. 1" begin with token i? */
static bool is_range_line(const layout *l, uint32_t i) {
  const ritti_token *t = ritti_token_at(l->reader, i);
  int line = t->line;
  bool word = ritti_token_is(l->reader, i, "xrange") || ritti_token_is(l->reader, i, "yrange");
  if (!word || !(t->first || kind_of(l, i - 1) == T_KEYWORD)) return false;
  for (; t->kind != T_END && t->line == line; t++)
    if (t->kind == T_RANGE) return true;
  return false;
}

/* Does a value begin with token i, after a word of a scene such as `along`, or of an axis? */
static bool after_word(const layout *l, uint32_t i) {
  if (l->brackets > 0 || kind_of(l, i - 1) != T_NAME) return false;
  if (l->section == S_PLOT) return is_range_line(l, i - 1);
  return l->section == S_SCENE && ritti_is_scene_word(l->reader, i - 1);
}

/* Does token i, + or -, join two terms, with a blank before it in the text? At the beginning of a
 * statement it is the sign of a number. */
static bool joins_apart(const layout *l, uint32_t i) {
  const ritti_token *t = ritti_token_at(l->reader, i);
  const ritti_token *before = t - 1;
  if (l->brackets == 0 && t->first) return false;
  if (after_word(l, i)) return false;
  return ends_operand(kind_of(l, i - 1), before) && before->start + before->length < t->start;
}

/* A number such as "1." before "..": without a blank the tokens would be different. */
static bool ends_in_point(const layout *l, uint32_t i) {
  const ritti_token *t = ritti_token_at(l->reader, i);
  return t->kind == T_NUMBER && l->reader->text[t->start + t->length - 1] == '.';
}

/* Does a blank stand between token i - 1 and token i of a line? */
static bool needs_blank(const layout *l, uint32_t i) {
  ritti_token_kind a = kind_of(l, i - 1);
  ritti_token_kind b = kind_of(l, i);

  /* keywords, closing and opening brackets, commas */
  if (a == T_KEYWORD) return true;
  if (ritti_kind_among(b, CLOSING | SEPARATORS | RITTI_BIT(T_PRIME) | RITTI_BIT(T_DOT)))
    return false;
  if (ritti_kind_among(a, OPENING | RITTI_BIT(T_DOT))) return false;

  /* ranges; those of a sweep have colons */
  if (l->section == S_SWEEP && (a == T_COLON || b == T_COLON)) return false;
  if (a == T_RANGE || b == T_RANGE)
    return l->section == S_SOLVE || (l->section == S_PLOT && l->brackets == 0) ||
           ends_in_point(l, i - 1);

  /* relations and separators */
  if (ritti_kind_among(a, SEPARATORS | RELATIONS) || ritti_kind_among(b, RELATIONS)) return true;

  /* the values of a scene or an axis; if it is a vector the blank of the text decides, since x[1] is an index */
  const ritti_token *t = ritti_token_at(l->reader, i);
  if (after_word(l, i) && b == T_OPEN_INDEX) return t[-1].start + t[-1].length < t->start;
  if (after_word(l, i) && ritti_kind_among(b, SIGNS | RITTI_BIT(T_OPEN))) return true;

  /* signs between terms, and operators */
  if (ritti_kind_among(b, SIGNS)) return joins_apart(l, i) || a == T_RESERVED;
  if (ritti_kind_among(a, SIGNS)) return i > 1 && joins_apart(l, i - 1);
  if (ritti_kind_among(a, FACTORS) || ritti_kind_among(b, FACTORS)) return false;

  /* a call or an index has no blank before its bracket */
  if (ritti_kind_among(b, OPENING)) return !ends_operand(a, ritti_token_at(l->reader, i - 1));
  return true;
}

/* The comment in [from, to) of the text, without blanks at its end. NULL: there is none. */
static const char *comment_in(const layout *l, uint32_t from, uint32_t to, size_t *length) {
  const char *text = l->reader->text;
  while (from < to && text[from] != '#') from++;
  while (to > from && (unsigned char)text[to - 1] <= ' ') to--;
  *length = to - from;
  return to > from ? text + from : NULL;
}

/* Begins a line: an empty line if one is due, then the indent. */
static void indent_line(layout *l, int by) {
  if (l->blank && l->begun) ritti_text_add(l->out, "\n");
  l->blank = false;
  l->begun = true;
  for (int i = 0; i < by; i++) ritti_text_add(l->out, "  ");
}

/* The depth of the line that begins with token t. */
static int level_of(layout *l, const ritti_token *t) {
  if (t->kind == T_KEYWORD) {
    l->depth = 0;
    l->base = t->column > 1;
    l->keyword = t->column;
    return l->base;
  }
  if (l->going || ritti_continues(t)) return l->base + l->depth + 1;

  /* leave the blocks that end here, and enter the body of a family */
  while (l->depth > 1 && t->column < l->column[l->depth - 1]) l->depth--;
  bool deeper = l->depth == 0 || (l->block && t->column > l->column[l->depth - 1]);
  if (deeper && l->depth < 15) l->depth++;
  l->column[l->depth - 1] = t->column;
  return l->base + l->depth;
}

/* The depth of a comment on a line of its own that begins in this column: a comment in the first
 * column stays there, others are indented like the statements around them. */
static int level_of_comment(const layout *l, int column) {
  int depth = l->depth;
  if (column == 1) return 0;
  if (l->base > 0 && column <= l->keyword) return l->base;
  if (depth == 0) return l->base + 1;
  if (l->going) return l->base + depth + 1;
  if (l->block && column > l->column[depth - 1]) return l->base + depth + 1;
  while (depth > 1 && column <= l->column[depth - 2]) depth--;
  return l->base + depth;
}

/* Writes a token and follows brackets and sections. */
static void add_token(layout *l, uint32_t i) {
  const ritti_token *t = ritti_token_at(l->reader, i);
  ritti_text_add_bytes(l->out, l->reader->text + t->start, t->length);
  if (t->kind == T_OPEN || t->kind == T_OPEN_INDEX) l->brackets++;
  if ((t->kind == T_CLOSE || t->kind == T_CLOSE_INDEX) && l->brackets > 0) l->brackets--;
  if (t->kind == T_KEYWORD) {
    l->section = t->word;
    l->brackets = 0;
  }
}

/* Writes the blanks before a comment: two or more, so that it keeps its column if possible. */
static void set_apart(layout *l, size_t line, size_t column) {
  size_t length = l->out->count - line;
  size_t blanks = column > length + 2 ? column - length : 2;
  while (blanks--) ritti_text_add(l->out, " ");
}

/* Writes one line of the text, [start, end), number `line`. */
static void add_line(layout *l, uint32_t start, uint32_t end, int line) {
  uint32_t first = l->at, code_end = start;

  /* the tokens; `written` is where the line begins in the output */
  size_t written = l->out->count + (l->blank && l->begun);
  while (kind_of(l, l->at) != T_END && ritti_token_at(l->reader, l->at)->line == line) {
    const ritti_token *t = ritti_token_at(l->reader, l->at);
    if (l->at == first) indent_line(l, level_of(l, t));
    else if (needs_blank(l, l->at)) ritti_text_add(l->out, " ");
    add_token(l, l->at++);
    code_end = t->start + t->length;
  }

  /* the comment, after the tokens or on a line of its own */
  size_t length;
  const char *comment = comment_in(l, code_end, end, &length);
  bool code = l->at > first;
  if (comment && code) set_apart(l, written, (size_t)(comment - l->reader->text) - start);
  if (comment && !code)
    indent_line(l, level_of_comment(l, (int)(comment - l->reader->text - start) + 1));
  if (comment) ritti_text_add_bytes(l->out, comment, length);

  /* an empty line is written when the next line follows */
  if (comment || code) ritti_text_add(l->out, "\n");
  else l->blank = true;

  /* does the next line belong to this one? */
  if (!code) return;
  const ritti_token *last = ritti_token_at(l->reader, l->at - 1);
  l->block = last->kind == T_COLON;
  l->going = l->brackets > 0 || (!l->block && ritti_goes_on(last));
}

/* Writes all lines of a text that consists of tokens of the language. */
static ritt_status lay_out(ritti_reader *r, size_t length, ritti_text *out) {
  ritti_source own = {.file = r->file, .token = NO_TOKEN, .open = true};
  layout l = {.reader = r, .out = out, .section = -1};
  RITT_TRY(RITTI_PUSH(r->sources, own));
  if (!ritti_source_check(r, 0, length) || !ritti_lex(r, 0) || r->notes.count > 0) return r->status;

  /* line by line */
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
