/* `ritt fit`: parameters and start values from measured data. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>
#include "cli.h"

typedef struct job {
  const cli_options *options;
  ritti_arena *arena;
  ritt_model *model;
  ritti_result measured;
  ritt_fit_data data;
  ritt_fit_options how;
  ritt_fit_unknown *unknown;
  cli_names vary;
  ritt_fit *fit;
  ritti_writer *writer; /* of the curve for the plot */
} job;

/* ---- the call ---- */

/* Reads a number that ends at `until`; false: there is none. */
static bool read_number(const char *text, char until, double *out, const char **rest) {
  char *end;
  *out = strtod(text, &end);
  *rest = *end ? end + 1 : end;
  return end != text && *end == until && isfinite(*out);
}

/* Copies the data row by row. */
static ritt_status read_data(job *j, ritt_error *error) {
  if (!j->options->data)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "write --data measured.csv",
                      "'ritt fit' needs data");
  RITT_TRY(ritti_result_read(j->options->data, error, &j->measured));
  size_t rows = j->measured.rows, columns = j->measured.about->columns;
  double *values;
  RITTI_NEW(values, j->arena, rows * columns + 1);
  for (size_t c = 0; c < columns; c++)
    for (size_t i = 0; i < rows; i++) values[i * columns + c] = j->measured.column[c][i];
  j->data = (ritt_fit_data){rows, columns, j->measured.about->name, values};
  return RITT_OK;
}

/* Reads --vary: names, each with "=VALUE" if the search begins at another value. */
static ritt_status read_vary(job *j, ritt_error *error) {
  RITT_TRY(cli_list_names(&j->options->vary, &j->vary, error));
  if (j->vary.count == 0)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "write --vary g,c",
                      "'ritt fit' needs names of what varies");
  RITTI_NEW(j->unknown, j->arena, j->vary.count);
  for (size_t i = 0; i < j->vary.count; i++) {
    char *equals = strchr(j->vary.at[i], '=');
    ritt_fit_unknown *u = &j->unknown[i];
    *u = (ritt_fit_unknown){.begin = NAN, .low = NAN, .high = NAN};
    const char *rest;
    if (equals && !read_number(equals + 1, '\0', &u->begin, &rest))
      return ritti_fail(error, RITT_WRONG_CALL, NULL,
                        strchr(equals, ':') ? "write --vary g --bounds g=9:10"
                                            : "write --vary g=9,c",
                        "--vary needs a number after '=', not '%s'", j->vary.at[i]);
    if (equals) *equals = '\0';
    u->name = j->vary.at[i];
  }
  return RITT_OK;
}

/* Reads --bounds NAME=LOW:HIGH; either number may be left out. */
static ritt_status read_bounds(job *j, ritt_error *error) {
  for (size_t i = 0; i < j->options->bounds.count; i++) {
    const char *text = j->options->bounds.at[i], *equals = strchr(text, '='), *rest = NULL;
    ritt_fit_unknown *u = NULL;
    for (size_t k = 0; k < j->vary.count && equals; k++) {
      size_t length = strlen(j->unknown[k].name);
      if (length == (size_t)(equals - text) && !strncmp(text, j->unknown[k].name, length))
        u = &j->unknown[k];
    }
    if (equals && !u)
      return ritti_fail(error, RITT_WRONG_CALL, NULL, "name it in --vary",
                        "--bounds %s: this does not vary", text);
    bool good = equals != NULL;
    if (good && equals[1] == ':') rest = equals + 2;
    else if (good) good = read_number(equals + 1, ':', &u->low, &rest);
    const char *end;
    if (good && *rest) good = read_number(rest, '\0', &u->high, &end);
    if (!good)
      return ritti_fail(error, RITT_WRONG_CALL, NULL, "write --bounds c=0:1, c=0: or c=:1",
                        "--bounds needs NAME=LOW:HIGH, not '%s'", text);
  }
  return RITT_OK;
}

/* Reads --weight COLUMN=NUMBER. */
static ritt_status read_weights(job *j, ritt_error *error) {
  double *weight;
  if (j->options->weight.count == 0) return RITT_OK;
  RITTI_NEW(weight, j->arena, j->data.columns);
  for (size_t c = 0; c < j->data.columns; c++) weight[c] = 1;
  for (size_t i = 0; i < j->options->weight.count; i++) {
    const char *text = j->options->weight.at[i], *equals = strchr(text, '='), *rest;
    size_t column = j->data.columns;
    for (size_t c = 0; c < j->data.columns && equals; c++) {
      size_t length = strlen(j->data.names[c]);
      if (length == (size_t)(equals - text) && !strncmp(text, j->data.names[c], length)) column = c;
    }
    if (equals && column == j->data.columns)
      return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL, "--weight %s: no such column of data",
                        text);
    if (!equals || !read_number(equals + 1, '\0', &weight[column], &rest) || weight[column] < 0)
      return ritti_fail(error, RITT_WRONG_CALL, NULL, "write --weight x=50",
                        "--weight needs COLUMN=NUMBER, not '%s'", text);
  }
  j->how.weights = weight;
  return RITT_OK;
}

static ritt_status read_call(job *j, ritt_error *error) {
  const cli_options *o = j->options;
  j->how = ritt_fit_options_default();
  if (o->loss) j->how.loss = o->loss;
  if (o->scale > 0) j->how.scale = o->scale;
  if (o->starts > 0) j->how.starts = o->starts;
  if (o->confidence > 0) j->how.confidence = o->confidence;
  j->how.seed = o->seed;
  if (o->plot && !ritti_plot_known(o->plot))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "use a name that ends in .svg, .png or .pdf",
                      "the plot '%s' has an unknown ending", o->plot);
  RITT_TRY(read_data(j, error));
  RITT_TRY(read_vary(j, error));
  RITT_TRY(read_bounds(j, error));
  return read_weights(j, error);
}

/* ---- files ---- */

/* Writes a table: the independent variable, then the data and the solution column by column. */
static ritt_status write_table(job *j, const char *path, ritt_error *error) {
  const char *independent = ritt_model_independent(j->model);
  size_t columns = j->data.columns, at = 0, first = 0;
  const char **name;
  double *row;
  ritti_file_format format;
  ritti_writer *writer;
  RITT_TRY(cli_table_format(j->options, path, error, &format));
  RITTI_NEW(name, j->arena, 2 * columns);
  RITTI_NEW(row, j->arena, 2 * columns);
  name[at++] = independent;
  for (size_t c = 0; c < columns; c++) {
    if (!strcmp(j->data.names[c], independent)) {
      first = c;
      continue;
    }
    name[at++] = j->data.names[c];
    name[at++] = ritti_arena_format(j->arena, "%s_fit", j->data.names[c]);
    if (!name[at - 1]) return ritti_no_memory(error);
  }
  ritti_about about = {.columns = at, .name = name, .title = ritt_model_title(j->model)};
  RITT_TRY(ritti_writer_open(path, format, &about, error, &writer));
  ritt_status status = RITT_OK;
  for (size_t i = 0; i < j->data.rows && status == RITT_OK; i++) {
    at = 0;
    row[at++] = j->data.values[i * columns + first];
    for (size_t c = 0; c < columns; c++) {
      if (c == first) continue;
      row[at++] = j->data.values[i * columns + c];
      row[at++] = j->fit->solution[i * columns + c];
    }
    status = ritti_writer_row(writer, row);
  }
  ritt_status closed = ritti_writer_close(writer, error);
  return status == RITT_OK ? closed : status;
}

static ritt_status take_row(void *user, const double *values, size_t count) {
  job *j = user;
  (void)count;
  return ritti_writer_row(j->writer, values);
}

/* Writes the solution over the data to a log. */
static ritt_status write_curve(job *j, const char *path, const ritti_about *about,
                               ritt_error *error) {
  enum { ROWS = 1000 };
  ritt_options run = j->options->run;
  ritt_statistics statistics;
  run.points = ROWS;
  run.to = -INFINITY;
  for (size_t i = 0; i < j->data.rows; i++)
    for (size_t c = 0; c < j->data.columns; c++)
      if (!strcmp(j->data.names[c], about->name[0]))
        run.to = fmax(run.to, j->data.values[i * j->data.columns + c]);
  RITT_TRY(ritti_writer_open(path, RITTI_LOG, about, error, &j->writer));
  ritt_status status = ritt_model_run(j->model, &run, take_row, j, &statistics, error);
  ritt_status closed = ritti_writer_close(j->writer, error);
  j->writer = NULL;
  return status == RITT_OK ? closed : status;
}

/* Draws the data as points over the solution, one panel for each column. */
static ritt_status draw_fit(job *j, ritt_error *error) {
  const char *path = ritti_arena_format(j->arena, "%s.log", j->options->plot);
  const char *const *names;
  size_t count, at = 0, first;
  ritti_reader *source[2] = {NULL, NULL};
  ritti_plot_curve *curve;
  RITT_TRY(ritt_model_columns(j->model, error, &names, &count));
  ritti_about about = {.columns = count, .name = names, .title = ritt_model_title(j->model)};
  if (!path) return ritti_no_memory(error);
  RITT_TRY(ritti_about_find(j->measured.about, j->options->data, names[0], error, &first));
  RITTI_NEW(curve, j->arena, 2 * j->data.columns);
  int panel = 0;
  for (size_t c = 0; c < j->data.columns; c++)
    for (size_t k = 1; k < count; k++) {
      if (strcmp(names[k], j->data.names[c])) continue;
      const char *measured = ritti_arena_format(j->arena, "%s, data", names[k]);
      if (!measured) return ritti_no_memory(error);
      curve[at++] = (ritti_plot_curve){
          .panel = panel, .dimensions = 2, .column = {0, k}, .name = {names[0], names[k]}};
      curve[at++] = (ritti_plot_curve){.panel = panel++,
                                       .source = 1,
                                       .dimensions = 2,
                                       .points = true,
                                       .column = {first, c},
                                       .name = {names[0], measured}};
    }
  ritti_plot plot = {
      .path = j->options->plot, .title = ritt_model_title(j->model), .curve = curve, .curves = at};
  ritt_status status = write_curve(j, path, &about, error);
  if (status == RITT_OK) status = ritti_reader_open(path, error, &source[0]);
  if (status == RITT_OK) status = ritti_reader_open(j->options->data, error, &source[1]);
  if (status == RITT_OK) status = ritti_plot_write(&plot, source, 2, error);
  ritti_reader_close(source[0]);
  ritti_reader_close(source[1]);
  unlink(path);
  return status;
}

/* ---- the report ---- */

static void add_text(const job *j, ritti_text *out) {
  const ritt_fit *fit = j->fit;
  int percent = (int)(100 * j->how.confidence + 0.5);
  size_t free_values = 0;
  for (size_t i = 0; i < fit->unknowns; i++) free_values += !fit->bounded[i];
  ritti_text_add(out, "%s fitted to %zu value%s; standard deviation of the residuals %.4g\n",
                 ritt_model_name(j->model), fit->data, fit->data == 1 ? "" : "s",
                 fit->residual_deviation);
  if (fit->data <= free_values)
    ritti_text_add(out, "no intervals: they need more values than unknowns\n");
  if (!fit->converged) ritti_text_add(out, "not converged after %ld iterations\n", fit->iterations);
  ritti_text_add(out, "  %-12s %-18s %-12s %d %% interval\n", "name", "value", "deviation",
                 percent);
  for (size_t i = 0; i < fit->unknowns; i++) {
    ritti_text_add(out, "  %-12s %-18.10g ", fit->names[i], fit->values[i]);
    if (fit->bounded[i]) ritti_text_add(out, "at its bound\n");
    else if (fit->data == free_values) ritti_text_add(out, "not known\n");
    else if (!isfinite(fit->deviations[i])) ritti_text_add(out, "not determined by the data\n");
    else
      ritti_text_add(out, "%-12.4g %.6g .. %.6g\n", fit->deviations[i], fit->low[i], fit->high[i]);
  }
}

static void add_json(const job *j, ritti_text *out) {
  const ritt_fit *fit = j->fit;
  size_t n = fit->unknowns;
  cli_json_text(out, "model", ritt_model_name(j->model));
  cli_json_list(out, "names", fit->names, n);
  cli_json_vector(out, "values", fit->values, n);
  cli_json_vector(out, "deviations", fit->deviations, n);
  cli_json_vector(out, "low", fit->low, n);
  cli_json_vector(out, "high", fit->high, n);
  cli_json_matrix(out, "covariance", fit->covariance, n, n);
  cli_json_real(out, "confidence", j->how.confidence);
  cli_json_real(out, "residual_deviation", fit->residual_deviation);
  cli_json_real(out, "cost", fit->cost);
  cli_json_count(out, "data", (long)fit->data);
  cli_json_count(out, "iterations", fit->iterations);
  cli_json_truth(out, "converged", fit->converged);
}

static ritt_status fit_model(job *j, ritt_error *error) {
  const cli_options *o = j->options;
  j->arena = ritti_arena_new();
  if (!j->arena) return ritti_no_memory(error);
  RITT_TRY(cli_read_model(o, error, &j->model));
  RITT_TRY(read_call(j, error));
  RITT_TRY(ritt_model_fit(j->model, &j->data, j->unknown, j->vary.count, &j->how, &o->run, error,
                          &j->fit));
  for (size_t i = 0; i < o->tables.count; i++) RITT_TRY(write_table(j, o->tables.at[i], error));
  return o->plot ? draw_fit(j, error) : RITT_OK;
}

int cli_fit(const cli_options *options, ritt_error *error) {
  job j = {.options = options};
  ritti_text out = {0};
  int printed = 0;
  ritt_status status = fit_model(&j, error);
  cli_print_messages(error, status);
  if (j.fit && options->json) {
    add_json(&j, &out);
    printed = cli_print_json(&out);
  } else if (j.fit && !options->quiet) {
    add_text(&j, &out);
    printed = cli_print(&out);
  }
  ritt_fit_free(j.fit);
  ritt_model_free(j.model);
  ritti_result_free(&j.measured);
  cli_free_names(&j.vary);
  ritti_arena_free(j.arena);
  return printed ? printed : ritt_status_exit_code(status);
}
