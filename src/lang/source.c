/* The text of a model: checks that it is text; its lines, places in it, and the messages about
 * it.
 *
 * Messages are collected and handed over once, sorted by place, because the passes find
 * mistakes in a different order from that of the file. Of several messages at one place only
 * the first is shown; the others follow from it.
 */
#include <stdio.h>
#include <stdlib.h>
#include "lang_impl.h"

/* ---- text ---- */

size_t ritti_utf8_length(const char *at, size_t left, uint32_t *code) {
  static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const unsigned char *byte = (const unsigned char *)at;

  /* the first byte gives the length */
  if (left == 0) return 0;
  if (left == 0) return 0;
  size_t length = 0;
  if (byte[0] < 0x80) length = 1;
  else if ((byte[0] & 0xe0) == 0xc0) length = 2;
  else if ((byte[0] & 0xf0) == 0xe0) length = 3;
  else if ((byte[0] & 0xf8) == 0xf0) length = 4;
  if (length == 0 || length > left) return 0;

  /* the other bytes give 6 bits each */
  *code = length == 1 ? byte[0] : byte[0] & (0x7fu >> length);
  for (size_t i = 1; i < length; i++) {
    if ((byte[i] & 0xc0) != 0x80) return 0;
    *code = *code << 6 | (byte[i] & 0x3f);
  }

  /* overlong forms, surrogates and numbers beyond Unicode are not characters */
  bool wrong = *code < smallest[length] || (*code >= 0xd800 && *code < 0xe000) || *code > 0x10ffff;
  return wrong ? 0 : length;
}

bool ritti_source_check(ritti_reader *r, uint32_t from, size_t length) {
  if (length > RITTI_TEXT_LIMIT) {
    ritti_say_at(r, 0, 0, "split it, or make it smaller", "the file '%s' is larger than 64 MiB",
                 r->file);
    return false;
  }
  r->length = (uint32_t)length;

  /* every character must be UTF-8; count lines and columns for the message */
  int line = (int)r->lines.count + 1, column = 1;
  for (size_t at = from, step; at < length; at += step) {
    uint32_t code = 0;
    step = ritti_utf8_length(r->text + at, length - at, &code);
    if (step == 0 || code == 0) {
      ritti_say_at(r, line, column, "a model is a text file in UTF-8",
                   "the file is not text: byte 0x%02x", (unsigned char)r->text[at]);
      return false;
    }

    /* "\r\n" is one line end, and a byte order mark has no column */
    bool after_return = code == '\n' && at > from && r->text[at - 1] == '\r';
    if (code == '\r' || (code == '\n' && !after_return)) {
      line++;
      column = 1;
    } else if (code != '\n' && !(at == from && code == 0xfeff)) column++;
  }
  return true;
}

/* The line as messages show it; NULL: it is empty, or too long to help. */
static const char *line_source(ritti_reader *r, int line) {
  if ((size_t)line > r->lines.count) return NULL;
  ritti_line *l = &r->lines.at[line - 1];
  if (l->kept) return l->kept;

  /* find its end and keep a copy */
  uint32_t end = l->start, limit = RITTI_SOURCE_LIMIT;
  while (end < r->length && r->text[end] != '\n' && r->text[end] != '\r')
    if (end++ - l->start == limit) return NULL;
  if (end == l->start) return NULL;
  l->kept = ritti_arena_text(r->keep, r->text + l->start, end - l->start);
  return l->kept;
}

/* The number of the last source that begins before the line. */
static size_t find_source(const ritti_reader *r, int line) {
  size_t low = 0, high = r->sources.count;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if ((int)r->sources.at[middle].line < line) low = middle;
    else high = middle;
  }
  return low;
}

const ritti_source *ritti_source_of(const ritti_reader *r, int line) {
  return r->sources.count ? &r->sources.at[find_source(r, line)] : NULL;
}

bool ritti_includes(const ritti_reader *r, int line, int other) {
  size_t from = find_source(r, line), of = find_source(r, other);
  for (size_t i = 0; i < r->inclusions.count; i++)
    if (r->inclusions.at[i].from == from && r->inclusions.at[i].of == of) return true;
  return false;
}

/* The number of a line in its own text. */
static int local_line(const ritti_reader *r, int line) {
  const ritti_source *s = ritti_source_of(r, line);
  return s ? line - (int)s->line : line;
}

int ritti_line_number(const ritti_reader *r, uint32_t token) {
  return local_line(r, ritti_token_at(r, token)->line);
}

const char *ritti_line_words(ritti_reader *r, uint32_t token, uint32_t near) {
  const ritti_source *a = ritti_source_of(r, ritti_token_at(r, token)->line);
  const ritti_source *b = ritti_source_of(r, ritti_token_at(r, near)->line);
  if (a == b) return ritti_words(r, "line %d", ritti_line_number(r, token));
  return ritti_words(r, "line %d of '%s'", ritti_line_number(r, token), a->file);
}

bool ritti_token_before(const ritti_reader *r, uint32_t a, uint32_t b) {
  for (;;) {
    const ritti_source *x = ritti_source_of(r, ritti_token_at(r, a)->line);
    const ritti_source *y = ritti_source_of(r, ritti_token_at(r, b)->line);
    if (x == y) {
      const ritti_token *s = ritti_token_at(r, a);
      const ritti_token *t = ritti_token_at(r, b);
      return s->line < t->line || (s->line == t->line && s->column < t->column);
    }

    /* an included text stands where it is included */
    if (x > y) a = x->token;
    else b = y->token;
  }
}

ritti_place ritti_place_at(ritti_reader *r, int line, int column) {
  const char *source = line > 0 ? line_source(r, line) : NULL;
  const ritti_source *s = ritti_source_of(r, line);
  return (ritti_place){.file = s ? s->file : r->file,
                       .source = source,
                       .line = local_line(r, line),
                       .column = column};
}

ritti_place ritti_place_of(ritti_reader *r, uint32_t token) {
  const ritti_token *t = ritti_token_at(r, token);
  return ritti_place_at(r, t->line, t->column);
}

/* ---- included texts ---- */

/* Reports files that include each other: the chain from the file that is included again to here. */
static void tell_circle(ritti_reader *r, uint32_t token, const ritti_source *again) {
  const char *path = again->file;
  for (const ritti_source *s = again; s < r->sources.at + r->sources.count; s++)
    if (s > again && s->open) path = ritti_words(r, "%s -> %s", path, s->file);
  if (again == ritti_source_of(r, ritti_token_at(r, token)->line)) {
    ritti_say(r, token, "remove the line", "the file '%s' includes itself", again->file);
    return;
  }
  ritti_say(r, token, "put what both need into a file of its own",
            "the files include each other: %s -> %s", path, again->file);
}

/* Was the file included before? *circle: it is still open, which was reported. *number: its number among the
 * texts, or that of a new text. */
static bool is_known(ritti_reader *r, uint32_t token, const char *id, bool *circle,
                     size_t *number) {
  for (*number = 0; *number < r->sources.count; ++*number) {
    const ritti_source *s = &r->sources.at[*number];
    if (!s->id || strcmp(s->id, id)) continue;
    *circle = s->open;
    if (s->open) tell_circle(r, token, s);
    return true;
  }
  return false;
}

/* Appends a file to the texts. false: a mistake was reported, or no memory. */
static bool append_file(ritti_reader *r, const ritti_loaded *file, uint32_t token) {
  /* the limits of all texts together */
  size_t length = (size_t)r->length + 1 + file->length;
  if (length > RITTI_TEXT_LIMIT || r->sources.count > RITTI_INCLUDES) {
    ritti_say(r, token, "make the files smaller, or fewer",
              "the files of the model are larger than 64 MiB together");
    return false;
  }

  /* the source */
  char *joined = ritti_malloc(length + 1);
  ritti_source s = {.line = (uint32_t)r->lines.count, .token = token, .open = true};
  s.file = ritti_arena_text(r->keep, file->name, strlen(file->name));
  s.id = ritti_arena_text(r->scratch, file->id, strlen(file->id));
  if (!joined || !s.file || !s.id || RITTI_PUSH(r->sources, s) != RITT_OK) {
    ritti_free(joined);
    r->status = RITT_NO_MEMORY;
    return false;
  }

  /* the joined text, with a line end between the texts */
  memcpy(joined, r->text, r->length);
  joined[r->length] = '\n';
  if (file->length) memcpy(joined + r->length + 1, file->text, file->length);
  joined[length] = '\0';
  ritti_free(r->joined);
  r->text = r->joined = joined;
  return true;
}

bool ritti_include(ritti_reader *r, uint32_t token, const char *path, bool *known,
                   uint32_t *first) {
  ritti_loaded file = {0};
  bool circle = false, whole = true;
  *known = false;

  /* a file that is known is not read again */
  if (!ritti_load(r, token, path, &file)) return false;
  ritti_inclusion own = {.from = find_source(r, ritti_token_at(r, token)->line)};
  *known = is_known(r, token, file.id, &circle, &own.of);
  if (RITTI_PUSH(r->inclusions, own) != RITT_OK) r->status = RITT_NO_MEMORY;

  /* append it and make its tokens */
  uint32_t from = r->length + 1;
  if (!*known) whole = append_file(r, &file, token);
  if (!*known && whole) {
    *first = (uint32_t)r->tokens.count;
    whole = ritti_source_check(r, from, (size_t)from + file.length) && ritti_lex(r, from);
  }
  ritti_loaded_clear(&file);
  return whole && !circle;
}

/* Loads the library of components <NAME>. false: a mistake was reported, or no memory. */
static bool load_library(ritti_reader *r, uint32_t token, const char *path, ritti_loaded *out) {
  const ritti_library *found = NULL;
  for (const ritti_library *l = ritti_libraries; l->name; l++) {
    size_t length = strlen(l->name);
    if (!strncmp(path + 1, l->name, length) && path[1 + length] == '>') found = l;
  }
  if (!found) {
    ritti_say(r, token, "'ritt library' lists the libraries; the name of a file stands in quotes",
              "there is no library '%s'", path);
    return false;
  }

  /* its text; the path is its name */
  ritti_text text = {0};
  for (const char *const *line = found->line; *line; line++)
    ritti_text_add_bytes(&text, *line, strlen(*line));
  size_t length = strlen(path) + 1;
  *out = (ritti_loaded){.text = text.at,
                        .length = text.count,
                        .name = ritti_malloc(length),
                        .id = ritti_malloc(length)};
  if (text.status != RITT_OK || !out->name || !out->id) {
    ritti_loaded_clear(out);
    r->status = RITT_NO_MEMORY;
    return false;
  }
  memcpy(out->name, path, length);
  memcpy(out->id, path, length);
  return true;
}

bool ritti_load(ritti_reader *r, uint32_t token, const char *path, ritti_loaded *out) {
  char why[512] = "", hint[512] = "";
  const ritti_source *from = ritti_source_of(r, ritti_token_at(r, token)->line);
  if (path[0] == '<') return load_library(r, token, path, out);

  /* the text must come from a file itself */
  if (!r->files) {
    ritti_say(r, token, "read the model from a file",
              "a text that is not a file cannot name other files");
    return false;
  }

  /* the caller's function loads the file */
  ritt_status status =
      r->files->load(r->files->context, from->id, from->file, path, why, hint, out);
  if (status == RITT_OK) return true;
  if (status == RITT_NO_MEMORY) r->status = status;
  else ritti_say(r, token, hint[0] ? ritti_words(r, "%s", hint) : NULL, "%s", why);
  return false;
}

void ritti_loaded_clear(ritti_loaded *file) {
  ritti_free(file->text);
  ritti_free(file->name);
  ritti_free(file->id);
  *file = (ritti_loaded){0};
}

void ritti_reader_clear(ritti_reader *r) {
  RITTI_ARRAY_FREE(r->sources);
  RITTI_ARRAY_FREE(r->inclusions);
  ritti_free(r->joined);
  RITTI_ARRAY_FREE(r->lines);
  RITTI_ARRAY_FREE(r->tokens);
  RITTI_ARRAY_FREE(r->notes);
  ritti_arena_free(r->scratch);
  r->scratch = NULL;
}

/* ---- text as typed ---- */

const char *ritti_quote(ritti_reader *r, uint32_t token) {
  enum { LONGEST = 40 };
  const ritti_token *t = ritti_token_at(r, token);
  uint32_t length = t->length;
  uint32_t limit = t->kind == T_NAME ? RITTI_NAME_LIMIT : LONGEST;
  if (length <= limit) return ritti_words(r, "%.*s", (int)length, r->text + t->start);

  /* cut it between characters */
  for (length = limit; ((unsigned char)r->text[t->start + length] & 0xc0) == 0x80;) length--;
  return ritti_words(r, "%.*s...", (int)length, r->text + t->start);
}

/* Does the token need a blank between itself and another word? */
static bool is_word(const ritti_token *t) {
  return t->kind == T_NAME || t->kind == T_NUMBER || t->kind == T_RESERVED;
}

bool ritti_set_apart(const ritti_reader *r, uint32_t i, bool blanks) {
  const ritti_token *t = ritti_token_at(r, i);
  return t->start > t[-1].start + t[-1].length && (blanks || (is_word(t) && is_word(t - 1)));
}

const char *ritti_typed(ritti_reader *r, ritti_arena *arena, uint32_t first, uint32_t end,
                        bool blanks) {
  /* room for all tokens and blanks */
  size_t room = 1;
  for (uint32_t i = first; i < end; i++) room += ritti_token_at(r, i)->length + 1;
  char *text = ritti_arena_alloc(arena, room, 1);
  if (!text) {
    r->status = RITT_NO_MEMORY;
    return "";
  }

  /* copy them */
  char *to = text;
  for (uint32_t i = first; i < end; i++) {
    const ritti_token *t = ritti_token_at(r, i);
    if (i > first && ritti_set_apart(r, i, blanks)) *to++ = ' ';
    memcpy(to, r->text + t->start, t->length);
    to += t->length;
  }
  return text;
}

bool ritti_token_is(const ritti_reader *r, uint32_t token, const char *word) {
  const ritti_token *t = ritti_token_at(r, token);
  return t->length == strlen(word) && !memcmp(r->text + t->start, word, t->length);
}

bool ritti_same_word(const ritti_reader *r, uint32_t a, uint32_t b) {
  const ritti_token *x = ritti_token_at(r, a);
  const ritti_token *y = ritti_token_at(r, b);
  return x->length == y->length && !memcmp(r->text + x->start, r->text + y->start, x->length);
}

const char *ritti_keep_name(ritti_reader *r, uint32_t token) {
  const ritti_token *t = ritti_token_at(r, token);
  const char *name = ritti_arena_text(r->keep, r->text + t->start, t->length);
  if (!name) r->status = RITT_NO_MEMORY;
  return name;
}

uint32_t ritti_token_make(ritti_reader *r, uint32_t like, ritti_token_kind kind, const char *text,
                          size_t length) {
  /* room at the end of the texts, with a line end after the typed text */
  size_t need = (size_t)r->length + length + 2;
  if (need > RITTI_TEXT_LIMIT) {
    ritti_say(r, like, "make fewer parts", "the names of the parts are too long together");
    r->full = true;
    return NO_TOKEN;
  }
  if (need > r->room) {
    size_t room = 2 * need;
    char *longer = ritti_malloc(room);
    if (!longer) {
      r->status = RITT_NO_MEMORY;
      return NO_TOKEN;
    }
    memcpy(longer, r->text, r->length);
    if (r->room == 0) longer[r->length++] = '\n';
    ritti_free(r->joined);
    r->text = r->joined = longer;
    r->room = room;
  }

  /* the text and the token */
  const ritti_token *place = ritti_token_at(r, like);
  ritti_token t = {.kind = (uint8_t)kind,
                   .start = r->length,
                   .length = (uint32_t)length,
                   .line = place->line,
                   .column = place->column};
  memcpy(r->joined + r->length, text, length);
  r->length += (uint32_t)length;
  r->joined[r->length] = '\0';
  if (RITTI_PUSH(r->tokens, t) == RITT_OK) return (uint32_t)r->tokens.count - 1;
  r->status = RITT_NO_MEMORY;
  return NO_TOKEN;
}

/* ---- messages ---- */

/* A formatted text in scratch memory; a text of more than 1023 bytes is cut. */
static const char *format_words(ritti_reader *r, const char *format, va_list args) {
  char line[1024];
  size_t length = ritti_format_list(line, sizeof line, format, args);
  if (length >= sizeof line) length = sizeof line - 1;
  const char *text = ritti_arena_text(r->scratch, line, length);
  if (!text) r->status = RITT_NO_MEMORY;
  return text ? text : "";
}

const char *ritti_words(ritti_reader *r, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const char *text = format_words(r, format, args);
  va_end(args);
  return text;
}

const char *ritti_did_you_mean(ritti_reader *r, const char *near) {
  return near ? ritti_words(r, "did you mean '%s'?", near) : NULL;
}

/* Adds a message, unless there are too many already. */
static void add_note(ritti_reader *r, int line, int column, const char *hint, const char *text) {
  if (r->notes.count >= RITTI_NOTE_LIMIT) {
    r->full = true;
    return;
  }
  ritti_note n = {
      .line = line, .column = column, .number = r->notes.count, .status = RITT_WRONG_MODEL};
  n.text = text;
  n.hint = hint;
  if (RITTI_PUSH(r->notes, n) != RITT_OK) r->status = RITT_NO_MEMORY;
}

void ritti_say_at(ritti_reader *r, int line, int column, const char *hint, const char *format,
                  ...) {
  va_list args;
  va_start(args, format);
  const char *text = format_words(r, format, args);
  va_end(args);
  add_note(r, line, column, hint, text);
}

void ritti_say(ritti_reader *r, uint32_t token, const char *hint, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const char *text = format_words(r, format, args);
  va_end(args);
  const ritti_token *t = ritti_token_at(r, token);
  add_note(r, t->line, t->column, hint, text);
}

bool ritti_refuse(ritti_parser *p, uint32_t token, const char *hint, const char *format, ...) {
  if (ritti_look(p) == T_BAD) return false;
  va_list args;
  va_start(args, format);
  const char *text = format_words(p->reader, format, args);
  va_end(args);
  const ritti_token *t = ritti_token_at(p->reader, token);
  add_note(p->reader, t->line, t->column, hint, text);
  return false;
}

/* Compares messages by place, then by the order in which they were found. */
static int by_place(const void *a, const void *b) {
  const ritti_note *m = a, *n = b;
  if (m->line != n->line) return m->line < n->line ? -1 : 1;
  if (m->column != n->column) return m->column < n->column ? -1 : 1;
  return (m->number > n->number) - (m->number < n->number);
}

ritt_status ritti_notes_tell(ritti_reader *r, ritt_error *error) {
  if (r->status != RITT_OK) return ritti_no_memory(error);
  if (r->notes.count == 0) return RITT_OK;

  /* by place; of several at one place only the first is shown */
  qsort(r->notes.at, r->notes.count, sizeof *r->notes.at, by_place);
  int shown = 0;
  for (size_t i = 0; i < r->notes.count; i++) {
    const ritti_note *n = &r->notes.at[i];
    if (i > 0 && n->line > 0 && n->line == n[-1].line && n->column == n[-1].column) continue;
    ritti_place place = ritti_place_at(r, n->line, n->column);
    if (shown++ < RITTI_SHOWN_LIMIT) ritti_fail(error, n->status, &place, n->hint, "%s", n->text);
  }

  if (shown > RITTI_SHOWN_LIMIT)
    ritti_fail(error, RITT_WRONG_MODEL, NULL, "correct these first",
               "there are more mistakes than the %d listed here", RITTI_SHOWN_LIMIT);
  return r->notes.at[0].status;
}
