/* What a page asks its engine for: what `ritt check` says, a run as data and as a table, the solver in
 * C. The engine is the server of `ritt serve`, or the library inside a browser. */
#include "base/clock.h"
#include "view_impl.h"

enum { MOST_TABLE = 64 << 20 }; /* bytes; longer tables are cut */

static void add_member(ritti_text *out, const char *name, const char *text) {
  ritti_text_add(out, "\"%s\":", name);
  ritti_text_add_json(out, text ? text : "");
  ritti_text_add(out, ",\n");
}

/* ---- check ---- */

static ritt_status add_description(ritt_model *model, ritti_text *out, ritt_error *error) {
  char *about = NULL;
  RITT_TRY(ritt_model_describe(model, error, &about));
  ritti_text_add(out, "\"about\":%s,\n", about);
  ritt_free(about);
  return RITT_OK;
}

/* Adds what `ritt check` says. */
static ritt_status add_check(ritt_model *model, ritti_text *out, ritt_error *error) {
  const ritt_check *check = NULL;
  ritt_status status = ritt_model_check(model, error, &check);
  if (!check) return status;
  add_member(out, "verdict", check->verdict);
  add_member(out, "kind", check->kind);
  add_member(out, "check", check->text);
  add_member(out, "tree", check->tree);
  ritti_text_add(out, "\"free\":%d,\"index\":%d,\"hidden\":%d,\n", check->degrees_of_freedom,
                 check->index, check->hidden_constraints);
  return status;
}

/* Adds the completed system as formulas, and how it was found. */
static ritt_status add_system(ritt_model *model, ritti_text *out, ritt_error *error) {
  const char *text;
  RITT_TRY(ritt_model_complete(model, RITT_REDUCED, RITT_LATEX, error, &text));
  add_member(out, "latex", text);
  RITT_TRY(ritt_model_complete(model, RITT_REDUCED, RITT_WORDS, error, &text));
  add_member(out, "words", text);
  return RITT_OK;
}

static ritt_status answer_check(ritti_page *page, ritt_model *model, ritt_error *error) {
  RITT_TRY(add_description(model, &page->answer, error));
  RITT_TRY(add_check(model, &page->answer, error));
  return add_system(model, &page->answer, error);
}

/* ---- runs ---- */

typedef struct job {
  ritti_page *page;
  ritti_view *view;
  size_t columns;         /* of the table; the rows contain those of plots and of the scene, too */
  double reported, shown; /* the times of the last progress and of the last curve up to now */
  double pause;           /* seconds until the next curve */
  RITTI_ARRAY(double) last;
  long rows;
  bool cut; /* the table is not complete */
} job;

/* Adds a row to the table, with digits that read back as the same numbers. */
static ritt_status take_row(void *user, const double *values, size_t count) {
  job *j = user;
  ritti_text *table = &j->page->table;
  if (count > j->columns) count = j->columns;
  j->rows++;
  j->last.count = 0;
  for (size_t i = 0; i < count; i++) RITT_TRY(RITTI_PUSH(j->last, values[i]));
  if (table->count > MOST_TABLE) {
    j->cut = true;
    return RITT_OK;
  }
  for (size_t i = 0; i < count; i++)
    ritti_text_add(table, isnan(values[i]) ? "%snan" : "%s%.17g", i ? "," : "", values[i]);
  ritti_text_add(table, "\n");
  return table->status;
}

static ritt_status take_fine(void *user, const double *values, size_t count) {
  job *j = user;
  (void)count;
  return ritti_view_add(j->view, values);
}

static ritt_status take_event(void *user, const ritt_event *event) {
  job *j = user;
  return ritti_view_add_event(j->view, event->name, event->before);
}

/* Ten times a second the page hears how far the run is, and after 1, 2, 4, ... seconds it
 * shows the curve up to there. */
static ritt_status take_step(void *user, const ritt_progress *now) {
  job *j = user;
  double time = ritti_clock();
  if (time - j->reported < 0.1) return RITT_OK;
  j->reported = time;
  double part = now->end != now->from ? (now->x - now->from) / (now->end - now->from) : 1;
  RITT_TRY(j->page->progress(j->page->user, part, now));
  if (time - j->shown < j->pause) return RITT_OK;
  ritti_text data = {0};
  if (ritti_view_write_data(j->view, NULL, &data) == RITT_OK) j->page->show(j->page->user, data.at);
  ritti_text_free(&data);
  j->shown = ritti_clock();
  j->pause *= 2;
  return RITT_OK;
}

/* Writes the first line of the table: a column with a unit is called "x [m]". */
static ritt_status write_head(ritt_model *model, ritti_text *table, size_t *count,
                              ritt_error *error) {
  const char *const *name, *const *unit;
  size_t all;
  ritti_text_free(table);
  RITT_TRY(ritt_model_columns(model, error, &name, count));
  RITT_TRY(ritt_model_units(model, error, &unit, &all));
  for (size_t i = 0; i < *count; i++) {
    bool quoted = strchr(name[i], ',');
    const char *mark = quoted ? "\"" : "";
    ritti_text_add(table, "%s%s%s", i ? "," : "", mark, name[i]);
    if (unit && *unit[i]) ritti_text_add(table, " [%s]", unit[i]);
    ritti_text_add(table, "%s", mark);
  }
  ritti_text_add(table, "\n");
  return table->status;
}

/* Runs the model. The view holds its points. */
static ritt_status run_job(ritt_model *model, job *j, ritt_error *error) {
  ritti_text *out = &j->page->answer;
  ritt_options options = j->page->options;
  options.fine = take_fine;
  options.fine_points = ritti_view_fine_points(j->view);
  options.event = take_event;
  options.watch = take_step;
  options.fine_user = options.event_user = options.watch_user = j;
  ritt_statistics statistics = {0};
  ritt_status status = ritt_model_run(model, &options, take_row, j, &statistics, error);

  /* what there is, also of a run that stopped */
  ritti_text summary = {0};
  ritti_text_add(&summary, "%s: %s\nmethod %s, %ld steps accepted, %ld rejected\nresidual %.2g\n",
                 ritt_model_name(model), statistics.kind ? statistics.kind : "",
                 statistics.method ? statistics.method : "none", statistics.accepted,
                 statistics.rejected, statistics.largest_residual);
  ritti_text_add(out, "\"view\":");
  if (ritti_view_write_data(j->view, summary.at, out) != RITT_OK) status = RITT_NO_MEMORY;
  ritti_text_free(&summary);
  ritti_text_add(out, ",\n\"rows\":%ld,\"cut\":%s,\"last\":[", j->rows, j->cut ? "true" : "false");
  for (size_t i = 0; i < j->last.count; i++)
    ritti_text_add(out, isfinite(j->last.at[i]) ? "%s%.17g" : "%snull", i ? "," : "",
                   j->last.at[i]);
  ritti_text_add(out, "],\n");
  return status;
}

static ritt_status answer_run(ritti_page *page, ritt_model *model, ritt_error *error) {
  double now = ritti_clock();
  job j = {.page = page, .reported = now, .shown = now, .pause = 1};
  RITT_TRY(write_head(model, &page->table, &j.columns, error));
  RITT_TRY(ritti_view_new(model, error, &j.view));
  ritt_status status = run_job(model, &j, error);
  RITTI_ARRAY_FREE(j.last);
  ritti_view_free(j.view);
  return status;
}

/* ---- answers ---- */

static ritt_status answer_emit(ritti_page *page, ritt_model *model, ritt_error *error) {
  const char *text;
  RITT_TRY(ritt_model_emit_c(model, &page->options, error, &text));
  add_member(&page->answer, "c", text);
  return RITT_OK;
}

static void add_messages(const ritt_error *error, ritti_text *out) {
  ritti_text_add(out, "\"messages\":[");
  for (size_t i = 0; i < ritt_error_count(error); i++) {
    const ritt_message *m = ritt_error_get(error, i);
    ritti_text_add(out, "%s{\"line\":%d,\"column\":%d,\"text\":", i ? "," : "", m->line, m->column);
    ritti_text_add_json(out, m->text);
    ritti_text_add(out, ",\"hint\":");
    ritti_text_add_json(out, m->hint ? m->hint : "");
    ritti_text_add(out, ",\"source\":");
    ritti_text_add_json(out, m->source ? m->source : "");
    ritti_text_add(out, ",\"file\":");
    ritti_text_add_json(out, m->file ? m->file : "");
    ritti_text_add(out, "}");
  }
  ritti_text_add(out, "]");
}

void ritti_page_answer(ritti_page *page, const char *what, ritt_model *model, ritt_status status,
                       ritt_error *error) {
  ritti_text_free(&page->answer);
  ritti_text_add(&page->answer, "{");
  if (status == RITT_OK && !strcmp(what, "check")) status = answer_check(page, model, error);
  else if (status == RITT_OK && !strcmp(what, "run")) status = answer_run(page, model, error);
  else if (status == RITT_OK) status = answer_emit(page, model, error);
  add_messages(error, &page->answer);
  ritti_text_add(&page->answer, ",\"status\":%d}", (int)status);
}

void ritti_page_answer_libraries(ritti_page *page) {
  ritt_library library;
  ritti_text_free(&page->answer);
  ritti_text_add(&page->answer, "{");
  for (size_t i = 0; ritt_library_get(i, &library); i++) {
    ritti_text text = {0};
    for (size_t k = 0; library.line[k]; k++) ritti_text_add(&text, "%s", library.line[k]);
    add_member(&page->answer, library.name, text.at);
    ritti_text_free(&text);
  }
  ritti_text_add(&page->answer, "\"\":\"\"}");
}

ritt_status ritti_page_set_values(ritt_model *model, char *values, ritt_error *error) {
  for (char *name = values; name && *name;) {
    char *end = strchr(name, '\n');
    if (end) *end++ = '\0';
    char *value = strchr(name, '=');
    if (value) {
      *value++ = '\0';
      RITT_TRY(ritt_model_set(model, name, value, error));
    }
    name = end;
  }
  return RITT_OK;
}

const char *ritti_page_get_answer(const ritti_page *page) {
  bool whole = page->answer.status == RITT_OK && page->answer.at;
  return whole ? page->answer.at : "{\"messages\":[{\"text\":\"out of memory\"}]}";
}

void ritti_page_free(ritti_page *page) {
  ritti_text_free(&page->answer);
  ritti_text_free(&page->table);
}
