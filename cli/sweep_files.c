/* The files of a sweep, written by one thread in the order of the runs: the HDF5 file with a group
 * for each run, the table of final values, the list of failures. The table has the columns run, the
 * varied names, status (the exit code that `ritt run` would have), steps, and the columns of the
 * rows. If the latter depend on a parameter, those of the first run that could start are used. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include "sweep.h"

enum { SHOWN = 10 }; /* failures that the summary lists */

/* ---- names ---- */

/* Is the folder empty? *reason: the errno if it cannot be read. */
static bool is_empty(const char *path, int *reason) {
  DIR *folder = opendir(path);
  struct dirent *entry;
  bool empty = true;
  *reason = folder ? 0 : errno;
  while (folder && (entry = readdir(folder)))
    if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..")) empty = false;
  if (folder) closedir(folder);
  return empty;
}

/* Makes the folder, or accepts an empty one: otherwise files of old runs could be taken for new
 * ones. A sweep that is resumed continues in its folder. */
static ritt_status make_folder(const char *path, bool resumed, ritt_error *error) {
  int reason = 0;
  if (mkdir(path, 0777) == 0) return RITT_OK;
  if (errno != EEXIST) reason = errno;
  else if (!resumed && !is_empty(path, &reason) && !reason)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "remove it, or give another name",
                      "the folder '%s' is not empty", path);
  if (!reason) return RITT_OK;
  const char *words = strerror(reason);
  return ritti_fail(error, RITT_SYSTEM, NULL, NULL, "cannot make the folder '%s': %c%s", path,
                    tolower((unsigned char)words[0]), words + 1);
}

/* The name of a table beside the rows: OUT.h5 -> OUT.WORD.csv, OUT.csv -> OUT.WORD.csv, DIR ->
 * DIR/WORD.csv; NULL if there is no memory. */
static const char *name_beside(sweep_files *f, const char *path, const char *word) {
  const char *dot = path ? strrchr(path, '.') : NULL;
  if (path && (!dot || strchr(dot, '/'))) dot = path + strlen(path);
  return path ? ritti_arena_format(f->arena, "%.*s.%s.csv", (int)(dot - path), path, word)
              : ritti_arena_format(f->arena, "%s/%s.csv", f->plan->folder, word);
}

ritt_status cli_sweep_files_init(sweep_files *f, sweep_plan *plan, bool resumed,
                                 ritt_error *error) {
  const cli_options *o = plan->options;
  *f = (sweep_files){.plan = plan, .arena = ritti_arena_new()};
  if (!f->arena) return ritti_no_memory(error);

  /* choose the names of both tables */
  bool rows = plan->file || plan->folder;
  bool named = o->final && strcmp(o->final, "-");
  if (o->final) f->final = o->final;
  else f->final = rows ? name_beside(f, plan->file, "final") : "-";
  if (rows || named)
    f->failed = name_beside(f, plan->file || plan->folder ? plan->file : o->final, "failed");
  if (!f->final || ((rows || named) && !f->failed)) return ritti_no_memory(error);

  /* reductions are made from the table of final values */
  const char *beside = plan->file || plan->folder ? plan->file : o->final;
  bool reduced = plan->statistics || plan->histogram;
  if (reduced && !strcmp(f->final, "-"))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "give --final FILE.csv",
                      "statistics and histograms need the final values in a file");
  if (plan->statistics) f->statistics = name_beside(f, beside, "statistics");
  if (plan->histogram) f->histogram = name_beside(f, beside, "histogram");
  if ((plan->statistics && !f->statistics) || (plan->histogram && !f->histogram))
    return ritti_no_memory(error);
  return plan->folder ? make_folder(plan->folder, resumed, error) : RITT_OK;
}

/* ---- the table of final values ---- */

/* Is one of the first columns called this? */
static bool is_taken(const sweep_files *f, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (!strcmp(f->about.name[i], name)) return true;
  return false;
}

/* Names the columns of the table; the columns of rows are those of this run. */
static ritt_status name_columns(sweep_files *f, const sweep_outcome *out) {
  const sweep_plan *p = f->plan;
  const char **name;
  size_t at = 0, most = p->ensemble.count + 3 + out->columns;
  RITTI_NEW(name, f->arena, most);
  RITTI_NEW(f->output, f->arena, out->columns + 1);
  RITTI_NEW(f->row, f->arena, most);
  f->about.name = name;

  /* the columns about the run */
  name[at++] = "run";
  for (size_t i = 0; i < p->ensemble.count; i++) name[at++] = p->column[i];
  name[at++] = "status";
  name[at++] = "steps";
  f->before = at;

  /* the columns of rows, with a longer name if a name is already in use */
  for (size_t i = 0; i < out->columns; i++) {
    size_t length = strlen(out->name[i]);
    f->output[i] = ritti_arena_text(f->arena, out->name[i], length);
    name[at] = is_taken(f, at, out->name[i])
                   ? ritti_arena_format(f->arena, "final %s", out->name[i])
                   : f->output[i];
    if (!f->output[i] || !name[at++]) return RITT_NO_MEMORY;
  }
  f->outputs = out->columns;
  f->about.columns = at;
  return RITT_OK;
}

/* Writes a row of the table; a run that could not start has no `out`. */
static ritt_status write_row(sweep_files *f, long run, int code, const sweep_outcome *out) {
  const ritti_ensemble *e = &f->plan->ensemble;
  size_t at = 0;

  /* the columns about the run */
  f->row[at++] = (double)run;
  for (size_t i = 0; i < e->count; i++) f->row[at++] = ritti_ensemble_value(e, run, i);
  f->row[at++] = code;
  f->row[at++] = out && out->columns ? (double)out->steps : NAN;

  /* the final values, by name */
  for (size_t i = 0; i < f->outputs; i++) {
    double *cell = &f->row[f->before + i];
    *cell = NAN;
    for (size_t k = 0; out && k < out->columns; k++)
      if (!strcmp(out->name[k], f->output[i])) *cell = out->last[k];
  }
  return ritti_writer_row(f->table, f->row);
}

/* Opens the table and writes the rows of earlier runs, which had to wait for its columns. */
static ritt_status open_table(sweep_files *f, const sweep_outcome *out, ritt_error *error) {
  if (name_columns(f, out) != RITT_OK) return ritti_no_memory(error);
  RITT_TRY(ritti_writer_open(f->final, RITTI_CSV, &f->about, error, &f->table));
  long run = 0;
  for (size_t i = 0; i < f->waiting.count; i++) {
    run++;
    RITT_TRY(write_row(f, run, f->waiting.at[i], NULL));
  }
  return RITT_OK;
}

/* Adds a run to the table, or remembers its status until the columns are known. */
static ritt_status take_final(sweep_files *f, long run, const sweep_outcome *out,
                              ritt_error *error) {
  int code = ritt_status_exit_code(out->status);
  if (!f->table && !out->columns && run == (long)f->waiting.count + 1)
    return RITTI_PUSH(f->waiting, code) == RITT_OK ? RITT_OK : ritti_no_memory(error);
  if (!f->table) RITT_TRY(open_table(f, out, error));
  return write_row(f, run, code, out);
}

/* ---- failures ---- */

/* Adds a text in quotes, as CSV wants it. */
static void add_quoted(ritti_text *text, const char *words) {
  ritti_text_add(text, "\"");
  for (const char *c = words; *c; c++) {
    if (*c == '"') ritti_text_add(text, "\"");
    ritti_text_add_bytes(text, (unsigned char)*c < 0x20 ? " " : c, 1);
  }
  ritti_text_add(text, "\"");
}

/* Reports that the list of failures could not be written. */
static ritt_status list_failed(sweep_files *f, ritt_error *error) {
  return ritti_fail(error, RITT_SYSTEM, NULL, NULL, "cannot write '%s': %s", f->failed,
                    strerror(errno));
}

/* The list is written even if it is empty: it replaces an old one. */
static ritt_status open_list(sweep_files *f, ritt_error *error) {
  ritti_text head = {0};
  if (!f->failed || f->list) return RITT_OK;

  /* the names of the columns */
  ritti_text_add(&head, "run");
  for (size_t i = 0; i < f->plan->ensemble.count; i++) {
    bool plain = !strpbrk(f->plan->column[i], ",\"");
    ritti_text_add(&head, ",");
    if (plain) ritti_text_add(&head, "%s", f->plan->column[i]);
    else add_quoted(&head, f->plan->column[i]);
  }
  ritti_text_add(&head, ",reason\n");

  /* open the file */
  f->list = head.status == RITT_OK ? fopen(f->failed, "w") : NULL;
  ritt_status status = RITT_OK;
  if (head.status != RITT_OK) status = ritti_no_memory(error);
  else if (!f->list || fputs(head.at, f->list) < 0) status = list_failed(f, error);
  ritti_text_free(&head);
  return status;
}

/* Adds a failure to the summary. */
static void show_failure(sweep_files *f, long run, const char *reason) {
  const ritti_ensemble *e = &f->plan->ensemble;
  ritti_text_add(&f->shown, "  %-9s run %ld (", f->failures == 1 ? "failed" : "", run);
  for (size_t i = 0; i < e->count; i++)
    ritti_text_add(&f->shown, "%s%s = %.6g", i ? ", " : "", e->vary[i].name,
                   ritti_ensemble_value(e, run, i));
  ritti_text_add(&f->shown, "): %s\n", reason);
}

/* Adds a failure to the summary, to the JSON object and to the list. */
static ritt_status take_failure(sweep_files *f, long run, const char *reason, ritt_error *error) {
  const ritti_ensemble *e = &f->plan->ensemble;
  ritti_text line = {0};

  /* the summary and the JSON object */
  f->failures++;
  if (f->failures <= SHOWN) show_failure(f, run, reason);
  ritti_text_add(&f->json, "%s{\"run\": %ld, \"reason\": ", f->json.count ? ", " : "", run);
  ritti_text_add_json(&f->json, reason);
  ritti_text_add(&f->json, "}");

  /* the list */
  ritti_text_add(&line, "%ld", run);
  for (size_t i = 0; i < e->count; i++)
    ritti_text_add(&line, ",%.17g", ritti_ensemble_value(e, run, i));
  ritti_text_add(&line, ",");
  add_quoted(&line, reason);
  ritti_text_add(&line, "\n");
  ritt_status status = line.status == RITT_OK ? RITT_OK : ritti_no_memory(error);
  if (status == RITT_OK && f->list && fputs(line.at, f->list) < 0) status = list_failed(f, error);
  ritti_text_free(&line);
  return status;
}

/* ---- runs as they come ---- */

/* Adds the rows of a run to the HDF5 file. */
static ritt_status take_rows(sweep_files *f, long run, const sweep_outcome *out,
                             ritt_error *error) {
  if (!out->base) return RITT_OK;
  if (!f->collection) RITT_TRY(ritti_collection_open(f->plan->file, error, &f->collection));
  const char *name = cli_sweep_name(f->plan, run, out->arena);
  if (!name) return ritti_no_memory(error);
  return ritti_collection_add(f->collection, name, out->base, &out->statistics, out->part,
                              out->parts, error);
}

ritt_status cli_sweep_files_take(sweep_files *f, long run, sweep_outcome *out, ritt_error *error) {
  if (out->broken) {
    ritti_error_move(error, out->error);
    return out->status == RITT_OK || out->status == RITT_STOPPED ? RITT_SYSTEM : out->status;
  }
  RITT_TRY(open_list(f, error));
  RITT_TRY(take_rows(f, run, out, error));
  RITT_TRY(take_final(f, run, out, error));
  f->kept += out->rows;
  f->done += !out->reason;
  return out->reason ? take_failure(f, run, out->reason, error) : RITT_OK;
}

ritt_status cli_sweep_files_close(sweep_files *f, ritt_error *error) {
  static const sweep_outcome none = {0};
  ritt_status status = RITT_OK;

  /* if no run could start, the table has no columns of rows */
  if (!f->table && f->waiting.count) status = open_table(f, &none, error);
  ritt_status closed = ritti_writer_close(f->table, error);
  if (status == RITT_OK) status = closed;
  f->table = NULL;
  if (f->list && fclose(f->list) != 0 && status == RITT_OK) status = list_failed(f, error);
  f->list = NULL;

  /* complete the HDF5 file */
  closed = ritti_collection_close(f->collection, true, error);
  f->collection = NULL;
  if (status == RITT_OK) status = closed;
  if (status != RITT_OK || !f->before || (!f->statistics && !f->histogram)) return status;
  return cli_sweep_reduce(f->final, f->before, f->statistics, f->histogram, error);
}

void cli_sweep_files_free(sweep_files *f) {
  RITTI_ARRAY_FREE(f->waiting);
  ritti_text_free(&f->shown);
  ritti_text_free(&f->json);
  ritti_arena_free(f->arena);
}
