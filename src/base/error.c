/* Errors: a list of messages in an arena of its own, and the words of each status. */
#include <stdio.h>
#include "base.h"

struct ritt_error {
  ritti_arena *arena;
  RITTI_ARRAY(ritt_message) messages;
};

/* stands in for a message that could not be stored */
static const ritt_message no_memory = {.status = RITT_NO_MEMORY, .text = "out of memory"};

static const struct {
  const char *text;
  int exit_code;
} statuses[] = {
#define X(name, code, words) {words, code},
    RITT_STATUSES(X)
#undef X
};

const char *ritt_status_text(ritt_status status) {
  return (size_t)status < sizeof statuses / sizeof *statuses ? statuses[status].text : "unknown status";
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

ritt_error *ritt_error_new(void) {
  ritt_error *error = ritti_malloc(sizeof *error);
  if (error) *error = (ritt_error){0};
  return error;
}

void ritt_error_clear(ritt_error *error) {
  if (!error) return;
  ritti_arena_free(error->arena);
  RITTI_ARRAY_FREE(error->messages);
  *error = (ritt_error){0};
}

void ritt_error_free(ritt_error *error) {
  ritt_error_clear(error);
  ritti_free(error);
}

size_t ritt_error_count(const ritt_error *error) { return error ? error->messages.count : 0; }
const ritt_message *ritt_error_get(const ritt_error *error, size_t i) {
  return i < ritt_error_count(error) ? &error->messages.at[i] : &no_memory;
}

static bool known(const ritt_error *error, const ritt_message *m) {
  for (size_t i = 0; i < error->messages.count; i++) {
    const ritt_message *o = &error->messages.at[i];
    if (o->line == m->line && o->column == m->column && !strcmp(o->text, m->text)) return true;
  }
  return false;
}

/* NULL stays NULL; a copy that fails is NULL too, which only loses the hint */
static const char *keep(ritt_error *error, const char *text) {
  return text ? ritti_arena_text(error->arena, text, strlen(text)) : NULL;
}

ritt_status ritti_fail(ritt_error *error, ritt_status status, const ritti_place *place, const char *hint,
                       const char *format, ...) {
  if (!error) return status;
  if (!error->arena) error->arena = ritti_arena_new();
  char line[2048];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  ritt_message m = no_memory;
  if (error->arena) {
    const char *kept = keep(error, line);
    if (kept) m = (ritt_message){.status = status, .text = kept, .hint = keep(error, hint)};
    if (kept && place && place->line > 0) {
      m.file = keep(error, place->file);
      m.source = keep(error, place->source);
      m.line = place->line;
      m.column = place->column;
    }
  }
  if (known(error, &m)) return status;
  return RITTI_PUSH(error->messages, m) == RITT_OK ? status : RITT_NO_MEMORY;
}

void ritti_error_move(ritt_error *to, const ritt_error *from) {
  for (size_t i = 0; i < ritt_error_count(from); i++) {
    const ritt_message *m = ritt_error_get(from, i);
    ritti_place place = {.file = m->file, .source = m->source, .line = m->line, .column = m->column};
    (void)ritti_fail(to, m->status, &place, m->hint, "%s", m->text);
  }
}

ritt_status ritti_no_memory(ritt_error *error) {
  return ritti_fail(error, RITT_NO_MEMORY, NULL, "close other programs or take a smaller model",
                    "out of memory");
}
