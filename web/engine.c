/* The engine of the web page: what its worker calls. Every function returns JSON or text, which is
 * valid until the next call. Models and the files that they include are files of Emscripten's file
 * system in memory. */
#include <emscripten.h>
#include <errno.h>
#include <spawn.h>
#include "base/base.h"
#include "base/clock.h"
#include "view/view.h"

/* A browser starts no programs. */
int posix_spawnp(pid_t *pid, const char *name, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const arguments[],
                 char *const environment[]) {
  (void)pid, (void)name, (void)actions, (void)attributes, (void)arguments, (void)environment;
  return ENOENT;
}

/* The text of emitted solvers: its lines, which ritt_web_source takes. FMUs and native code are not
 * made here, and need none. */
enum { MOST_LINES = 60000 };
extern const char *ritti_amalgamation[], *ritti_unit_amalgamation[], *ritti_kernel_text[],
    *ritti_entry_text[], *ritti_leg_text[], *ritti_width_text[], *ritti_elementary_text[],
    *ritti_fmu_text[];
const char *ritti_amalgamation[MOST_LINES];
const char *ritti_unit_amalgamation[1], *ritti_kernel_text[1], *ritti_entry_text[1];
const char *ritti_leg_text[1], *ritti_width_text[1], *ritti_elementary_text[1];
const char *ritti_fmu_text[1];

static ritti_text answer; /* of the last call */
static ritti_text table;  /* the rows of the last run, as CSV */

static const char *get_answer(void) {
  return answer.status == RITT_OK && answer.at ? answer.at
                                               : "{\"messages\":[{\"text\":\"out of memory\"}]}";
}

/* ---- models ---- */

/* Reads a model and gives parameters other values: lines NAME=VALUE, which are taken apart. */
static ritt_status read_model(const char *path, char *values, ritt_error *error, ritt_model **out) {
  RITT_TRY(ritt_model_read_file(path, error, out));
  for (char *name = values; name && *name;) {
    char *end = strchr(name, '\n');
    char *value = strchr(name, '=');
    if (end) *end++ = '\0';
    if (value) {
      *value++ = '\0';
      RITT_TRY(ritt_model_set(*out, name, value, error));
    }
    name = end;
  }
  return RITT_OK;
}

static ritt_status add_description(ritt_model *model, ritt_error *error) {
  char *about = NULL;
  RITT_TRY(ritt_model_describe(model, error, &about));
  ritti_text_add(&answer, "\"about\":%s,\n", about);
  ritt_free(about);
  return RITT_OK;
}

static void add_member(const char *name, const char *text) {
  ritti_text_add(&answer, "\"%s\":", name);
  ritti_text_add_json(&answer, text ? text : "");
  ritti_text_add(&answer, ",\n");
}

/* Adds what `ritt check` says. */
static ritt_status add_check(ritt_model *model, ritt_error *error) {
  const ritt_check *check = NULL;
  ritt_status status = ritt_model_check(model, error, &check);
  if (!check) return status;
  add_member("verdict", check->verdict);
  add_member("kind", check->kind);
  add_member("check", check->text);
  add_member("tree", check->tree);
  ritti_text_add(&answer, "\"free\":%d,\"index\":%d,\"hidden\":%d,\n", check->degrees_of_freedom,
                 check->index, check->hidden_constraints);
  return status;
}

/* Adds the completed system as formulas, and how it was found. */
static ritt_status add_system(ritt_model *model, ritt_error *error) {
  const char *text;
  RITT_TRY(ritt_model_complete(model, RITT_REDUCED, RITT_LATEX, error, &text));
  add_member("latex", text);
  RITT_TRY(ritt_model_complete(model, RITT_REDUCED, RITT_WORDS, error, &text));
  add_member("words", text);
  return RITT_OK;
}

/* ---- runs ---- */

enum { MOST_TABLE = 64 << 20 }; /* bytes; longer tables are cut */

typedef struct job {
  size_t columns;     /* of the table; the rows contain those of plots and of the scene, too */
  double told, shown; /* the times of the last progress and of the last curve up to now */
  double pause;       /* seconds until the next curve */
  RITTI_ARRAY(double) last;
  long rows;
  bool cut; /* the table is not complete */
} job;

/* clang-format off */
EM_JS(void, tell_progress, (double part, double x, double steps), {
  if (Module.progress) Module.progress(part, x, steps);
});
EM_JS(void, show_part, (const char *view), {
  if (Module.part) Module.part(UTF8ToString(view));
});
/* clang-format on */

/* Adds a row to the table, with digits that read back as the same numbers. */
static ritt_status take_row(void *user, const double *values, size_t count) {
  job *j = user;
  if (count > j->columns) count = j->columns;
  j->rows++;
  j->last.count = 0;
  for (size_t i = 0; i < count; i++) RITT_TRY(RITTI_PUSH(j->last, values[i]));
  if (table.count > MOST_TABLE) {
    j->cut = true;
    return RITT_OK;
  }
  for (size_t i = 0; i < count; i++)
    ritti_text_add(&table, isnan(values[i]) ? "%snan" : "%s%.17g", i ? "," : "", values[i]);
  ritti_text_add(&table, "\n");
  return table.status;
}

/* Ten times a second the page hears how far the run is, and after 1, 2, 4, ... seconds it
 * shows the curve up to there. */
static ritt_status take_step(void *user, ritti_view *view, const ritt_progress *now) {
  job *j = user;
  double time = ritti_clock();
  if (time - j->told < 0.1) return RITT_OK;
  j->told = time;
  double part = now->end != now->from ? (now->x - now->from) / (now->end - now->from) : 1;
  tell_progress(part, now->x, (double)now->accepted);
  if (time - j->shown < j->pause) return RITT_OK;
  ritti_text data = {0};
  if (ritti_view_write_data(view, NULL, &data) == RITT_OK) show_part(data.at);
  ritti_text_free(&data);
  j->shown = ritti_clock();
  j->pause *= 2;
  return RITT_OK;
}

/* The first line of the table: a column with a unit is called "x [m]". */
static ritt_status add_head(ritt_model *model, size_t *count, ritt_error *error) {
  const char *const *name, *const *unit;
  size_t all;
  ritti_text_free(&table);
  RITT_TRY(ritt_model_columns(model, error, &name, count));
  RITT_TRY(ritt_model_units(model, error, &unit, &all));
  for (size_t i = 0; i < *count; i++) {
    bool quoted = strchr(name[i], ',');
    const char *mark = quoted ? "\"" : "";
    ritti_text_add(&table, "%s%s%s", i ? "," : "", mark, name[i]);
    if (unit && *unit[i]) ritti_text_add(&table, " [%s]", unit[i]);
    ritti_text_add(&table, "%s", mark);
  }
  ritti_text_add(&table, "\n");
  return table.status;
}

static ritt_status run_work(ritt_model *model, ritt_error *error) {
  double now = ritti_clock();
  job j = {.told = now, .shown = now, .pause = 1};
  RITT_TRY(add_head(model, &j.columns, error));
  ritti_page_run run = {
      .options = ritt_options_default(), .row = take_row, .step = take_step, .user = &j};
  run.options.native = "never";
  ritt_status status = ritti_page_run_model(model, &run, &answer, error);
  ritti_text_add(&answer, "\"rows\":%ld,\"cut\":%s,\"last\":[", j.rows, j.cut ? "true" : "false");
  for (size_t i = 0; i < j.last.count; i++)
    ritti_text_add(&answer, isfinite(j.last.at[i]) ? "%s%.17g" : "%snull", i ? "," : "",
                   j.last.at[i]);
  ritti_text_add(&answer, "],\n");
  RITTI_ARRAY_FREE(j.last);
  return status;
}

/* ---- what the worker calls ---- */

typedef ritt_status (*work)(ritt_model *model, ritt_error *error);

/* Reads the model and does the work; answers with its members, the messages and the status. */
static const char *answer_with(const char *path, char *values, work work) {
  ritti_text_free(&answer);
  ritt_error *error = ritt_error_new();
  ritt_model *model = NULL;
  ritti_text_add(&answer, "{");
  ritt_status status = read_model(path, values, error, &model);
  if (status == RITT_OK) status = work(model, error);
  ritti_page_add_messages(error, &answer);
  ritti_text_add(&answer, ",\"status\":%d}", (int)status);
  ritt_model_free(model);
  ritt_error_free(error);
  return get_answer();
}

static ritt_status check_work(ritt_model *model, ritt_error *error) {
  RITT_TRY(add_description(model, error));
  RITT_TRY(add_check(model, error));
  return add_system(model, error);
}

static ritt_status emit_work(ritt_model *model, ritt_error *error) {
  ritt_options options = ritt_options_default();
  const char *text;
  RITT_TRY(ritt_model_emit_c(model, &options, error, &text));
  add_member("c", text);
  return RITT_OK;
}

/* Takes the text of emitted solvers, once. */
EMSCRIPTEN_KEEPALIVE void ritt_web_source(const char *text) {
  static ritti_text lines;
  size_t count = 0;
  if (lines.at) return;
  for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
    ritti_text_add_bytes(&lines, text, (size_t)(end + 1 - text));
    ritti_text_add_bytes(&lines, "", 1);
  }
  if (lines.status != RITT_OK) return;
  for (size_t i = 0; i < lines.count && count + 1 < MOST_LINES; i += strlen(lines.at + i) + 1)
    ritti_amalgamation[count++] = lines.at + i;
}

EMSCRIPTEN_KEEPALIVE const char *ritt_web_check(const char *path, char *values) {
  return answer_with(path, values, check_work);
}

EMSCRIPTEN_KEEPALIVE const char *ritt_web_run(const char *path, char *values) {
  return answer_with(path, values, run_work);
}

EMSCRIPTEN_KEEPALIVE const char *ritt_web_emit(const char *path, char *values) {
  return answer_with(path, values, emit_work);
}

/* The table of the last run. */
EMSCRIPTEN_KEEPALIVE const char *ritt_web_table(void) { return table.at ? table.at : ""; }

/* The libraries of components: {"planar": text}. */
EMSCRIPTEN_KEEPALIVE const char *ritt_web_libraries(void) {
  ritt_library library;
  ritti_text_free(&answer);
  ritti_text_add(&answer, "{");
  for (size_t i = 0; ritt_library_get(i, &library); i++) {
    ritti_text text = {0};
    for (size_t k = 0; library.line[k]; k++) ritti_text_add(&text, "%s", library.line[k]);
    add_member(library.name, text.at);
    ritti_text_free(&text);
  }
  ritti_text_add(&answer, "\"\":\"\"}");
  return get_answer();
}
