/* Errors: a list of messages in an arena, and the text of each status. The first messages need no
 * more memory than the error has from the start. */
#include "base.h"

/* A message in the list. */
typedef struct entry entry;
struct entry {
  entry *next;
  ritt_message message;
};

struct ritt_error {
  ritti_arena *arena; /* holds the messages and the error itself */
  entry *first, *last;
  size_t count; /* messages in the list */
  bool lost;    /* a message could not be stored for lack of memory */
};

/* Replaces a message that could not be stored. */
static const ritt_message no_memory = {.status = RITT_NO_MEMORY, .text = "out of memory"};

/* The texts and exit codes of all statuses. */
static const struct {
  const char *text;
  int exit_code;
} statuses[] = {
#define X(name, code, words) {words, code},
    RITT_STATUSES(X)
#undef X
};

const char *ritt_status_text(ritt_status status) {
  return (size_t)status < sizeof statuses / sizeof *statuses ? statuses[status].text
                                                             : "unknown status";
}
int ritt_status_exit_code(ritt_status status) {
  return (size_t)status < sizeof statuses / sizeof *statuses ? statuses[status].exit_code : 3;
}
const char *ritt_kind_text(ritt_kind kind) {
  static const char *const word[] = {
#define X(name, text) text,
      RITT_KINDS(X)
#undef X
  };
  return (size_t)kind < sizeof word / sizeof *word ? word[kind] : "unknown kind";
}
const char *ritt_version(void) { return RITT_VERSION; }

ritt_error *ritti_error_in(ritti_arena *arena) {
  ritt_error *error = arena ? ritti_arena_alloc(arena, 1, sizeof *error) : NULL;
  if (error) error->arena = arena;
  return error;
}

ritt_error *ritt_error_new(void) {
  ritti_arena *arena = ritti_arena_new();
  ritt_error *error = ritti_error_in(arena);
  if (!error) ritti_arena_free(arena);
  return error;
}

/* Clears the list. The error is first in its arena, so it gets the same address again. */
void ritt_error_clear(ritt_error *error) {
  if (!error) return;
  ritti_arena *arena = error->arena;
  ritti_arena_clear(arena);
  (void)ritti_error_in(arena);
}

void ritt_error_free(ritt_error *error) {
  if (error) ritti_arena_free(error->arena);
}

size_t ritt_error_count(const ritt_error *error) { return error ? error->count + error->lost : 0; }
const ritt_message *ritt_error_get(const ritt_error *error, size_t i) {
  if (!error || i >= error->count) return &no_memory;
  const entry *e = error->first;
  for (; i; i--) e = e->next;
  return &e->message;
}

/* Is a message with the same text and place in the list? */
static bool is_known_message(const ritt_error *error, const ritt_message *m) {
  for (const entry *e = error->first; e; e = e->next) {
    const ritt_message *o = &e->message;
    if (o->line == m->line && o->column == m->column && !strcmp(o->text, m->text)) return true;
  }
  return false;
}

/* Copies a text. NULL stays NULL; if the copy fails, only the hint is lost. */
static const char *keep_text(ritt_error *error, const char *text) {
  return text ? ritti_arena_text(error->arena, text, strlen(text)) : NULL;
}

/* Appends the message with copies of all its texts; false: no memory. */
static bool add_message(ritt_error *error, const ritt_message *m) {
  entry *e = ritti_arena_alloc(error->arena, 1, sizeof *e);
  const char *text = e ? keep_text(error, m->text) : NULL;
  if (!text) return false;

  /* copy the texts */
  e->message = *m;
  e->message.text = text;
  e->message.hint = keep_text(error, m->hint);
  e->message.file = keep_text(error, m->file);
  e->message.source = keep_text(error, m->source);

  /* append it to the list */
  if (error->last) error->last->next = e;
  else error->first = e;
  error->last = e;
  error->count++;
  return true;
}

ritt_status ritti_fail(ritt_error *error, ritt_status status, const ritti_place *place,
                       const char *hint, const char *format, ...) {
  if (!error) return status;
  char line[2048];

  /* format the text */
  va_list args;
  va_start(args, format);
  ritti_format_list(line, sizeof line, format, args);
  va_end(args);

  /* add the message */
  ritt_message m = {.status = status, .text = line, .hint = hint};
  if (place && place->line > 0) {
    m.file = place->file;
    m.source = place->source;
    m.line = place->line;
    m.column = place->column;
  }
  if (is_known_message(error, &m) || add_message(error, &m)) return status;
  error->lost = true;
  return RITT_NO_MEMORY;
}

void ritti_error_move(ritt_error *to, const ritt_error *from) {
  for (size_t i = 0; i < ritt_error_count(from); i++) {
    const ritt_message *m = ritt_error_get(from, i);
    ritti_place place = {
        .file = m->file, .source = m->source, .line = m->line, .column = m->column};
    (void)ritti_fail(to, m->status, &place, m->hint, "%s", m->text);
  }
}

ritt_status ritti_no_memory(ritt_error *error) {
  return ritti_fail(error, RITT_NO_MEMORY, NULL, "close other programs or use a smaller model",
                    "out of memory");
}
