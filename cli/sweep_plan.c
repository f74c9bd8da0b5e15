/* What a sweep consists of, from the options and from the section `sweep` of the model: an option
 * replaces what the section says about the same thing. */
#include <stdlib.h>
#include "sweep.h"

/* The rest of a line after its first word; NULL: it begins with another word, or the word is the name
 * of something that varies. */
static const char *rest_after(const char *line, const char *word) {
  size_t length = strlen(word);
  if (strncmp(line, word, length) != 0) return NULL;
  const char *rest = line + length;
  while (*rest == ' ') rest++;
  bool varies = *rest == '=' || *rest == '~' || rest == line + length;
  return varies && *rest != '"' ? NULL : rest;
}

/* Notes the words of a list such as "extrema, statistics". */
static ritt_status keep_words(sweep_plan *p, const char *list, ritt_error *error) {
  static const char *const words[] = {"final", "extrema", "events", "statistics", "histogram"};
  enum { WORDS = sizeof words / sizeof *words };
  bool unused, *const flag[WORDS] = {&unused, &p->extrema, &p->events, &p->statistics,
                                     &p->histogram};
  for (const char *at = list; *at;) {
    at += strspn(at, ", ");
    size_t length = strcspn(at, ", "), i = 0;
    if (!length) break;
    while (i < WORDS && (strlen(words[i]) != length || strncmp(words[i], at, length) != 0)) i++;
    if (i == WORDS) {
      char word[64], hint[128];
      snprintf(word, sizeof word, "%.*s", (int)(length < 60 ? length : 60), at);
      return ritti_fail(error, RITT_WRONG_CALL, NULL,
                        cli_did_you_mean(word, words, WORDS,
                                         "write extrema, events, statistics or histogram", hint),
                        "a sweep cannot keep '%s'", word);
    }
    *flag[i] = true;
    at += length;
  }
  return RITT_OK;
}

/* Reads a number of the section. */
static ritt_status read_count(const char *word, const char *text, long *out, ritt_error *error) {
  char *end;
  *out = strtol(text, &end, 10);
  if (*end || *out < 0)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL,
                      "sweep: %s needs a whole number, not '%s'", word, text);
  return RITT_OK;
}

/* The table of the section lies beside the model. */
static const char *find_table(const cli_options *o, const char *quoted, ritti_arena *arena) {
  const char *slash = o->file ? strrchr(o->file, '/') : NULL;
  size_t length = strcspn(quoted + 1, "\"");
  int folder = slash && quoted[1] != '/' ? (int)(slash - o->file) + 1 : 0;
  return ritti_arena_format(arena, "%.*s%.*s", folder, folder ? o->file : "", (int)length,
                            quoted + 1);
}

/* Reads the lines of the section. */
static ritt_status read_section(sweep_plan *p, const ritt_model *model, long *runs,
                                ritti_arena *arena, ritt_error *error) {
  const cli_options *o = p->options;
  const char *const *line, *rest;
  size_t count;
  bool varied = o->vary.count > 0 || o->table;
  ritt_model_sweep(model, &line, &count);
  for (size_t i = 0; i < count; i++) {
    long number;
    if ((rest = rest_after(line[i], "runs"))) {
      RITT_TRY(read_count("runs", rest, &number, error));
      if (!*runs && !varied) *runs = number;
    } else if ((rest = rest_after(line[i], "seed"))) {
      RITT_TRY(read_count("seed", rest, &number, error));
      if (!p->seed) p->seed = number;
    } else if ((rest = rest_after(line[i], "table"))) {
      if (!varied && !(p->table = find_table(o, rest, arena))) return ritti_no_memory(error);
    } else if ((rest = rest_after(line[i], "keep"))) {
      if (o->keep.count == 0) RITT_TRY(keep_words(p, rest, error));
    } else if (!varied) {
      /* the model, and its lines, are made again when a run sets its values */
      const char *copy = ritti_arena_text(arena, line[i], strlen(line[i]));
      if (!copy || RITTI_PUSH(p->vary, copy) != RITT_OK) return ritti_no_memory(error);
    }
  }
  return RITT_OK;
}

ritt_status cli_sweep_read_plan(sweep_plan *p, const ritt_model *model, ritti_arena *arena,
                                ritt_error *error) {
  const cli_options *o = p->options;
  long runs = o->runs;
  p->seed = o->seed;
  p->table = o->table;
  for (size_t i = 0; i < o->vary.count; i++)
    if (RITTI_PUSH(p->vary, o->vary.at[i]) != RITT_OK) return ritti_no_memory(error);
  for (size_t i = 0; i < o->keep.count; i++) RITT_TRY(keep_words(p, o->keep.at[i], error));
  RITT_TRY(read_section(p, model, &runs, arena, error));
  if (p->vary.count == 0 && !p->table)
    return ritti_fail(error, RITT_WRONG_CALL, NULL,
                      "give --vary g=1:10:100, --vary 'x=normal(0, 0.1)'",
                      "a sweep needs something that varies");

  /* the values of all runs */
  if (p->table) RITT_TRY(ritti_result_read(p->table, error, &p->runs));
  ritti_ensemble_source source = {.text = p->vary.at,
                                  .count = p->vary.count,
                                  .origin = o->vary.count ? "--vary" : "sweep",
                                  .runs = runs,
                                  .seed = (uint64_t)p->seed};
  if (p->table) {
    source.column_name = p->runs.about->name;
    source.column = (const double *const *)p->runs.column;
    source.columns = p->runs.about->columns;
    source.rows = p->runs.rows;
    if (!source.rows)
      return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL, "the table '%s' has no rows", p->table);
  }
  return ritti_ensemble_read(&source, arena, error, &p->ensemble);
}

void cli_sweep_plan_free(sweep_plan *p) {
  RITTI_ARRAY_FREE(p->vary);
  ritti_result_free(&p->runs);
}
