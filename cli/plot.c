/* Plots: the picture of a run, from points that the run writes to logs, and `ritt plot`, from a
 * result in any format. */
#include <stdlib.h>
#include <unistd.h>
#include "cli.h"

/* ---- the picture ---- */

/* The name of the script beside a picture: the ending of the picture becomes .gp. */
static const char *script_name(ritti_arena *arena, const char *path) {
  return ritti_arena_format(arena, "%.*s.gp", (int)(strlen(path) - 4), path);
}

/* Reads what the options say about an axis; they come before what the model says. */
static ritt_status read_axis(const cli_options *o, int i, ritt_axis *axis, ritt_error *error) {
  static const char *const options[] = {"--xrange", "--yrange"};
  if (o->label[i]) axis->label = o->label[i];
  if (o->log) axis->logarithmic = strchr(o->log, "xy"[i]) != NULL;
  if (!o->range[i]) {
    if (axis->logarithmic && !(axis->low > 0)) axis->ranged = 0; /* --log, and the model's range */
    return RITT_OK;
  }

  /* two numbers, the lower one first */
  char *end;
  axis->ranged = 1;
  axis->low = strtod(o->range[i], &end);
  bool whole = end != o->range[i] && *end == ':';
  const char *rest = end + whole;
  axis->high = strtod(rest, &end);
  whole = whole && end != rest && !*end && isfinite(axis->low) && isfinite(axis->high);
  if (!whole || !(axis->low < axis->high))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "write it like --yrange 0:2.5",
                      "%s needs LOW:HIGH with LOW < HIGH, not '%s'", options[i], o->range[i]);
  if (axis->logarithmic && !(axis->low > 0))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "begin above 0, or leave out --log",
                      "a logarithmic axis cannot begin at %s", o->range[i]);
  return RITT_OK;
}

/* Draws one picture. */
static ritt_status write_picture(const cli_options *options, const char *path, const char *title,
                                 const cli_curves *curves, ritti_reader *const *source,
                                 size_t sources, ritti_arena *arena, ritt_error *error) {
  ritti_plot plot = {.path = path, .title = title, .curve = curves->at, .curves = curves->count};
  for (size_t k = 0; k < curves->count; k++)
    for (int i = 0; i < 2; i++) RITT_TRY(read_axis(options, i, &curves->at[k].axis[i], error));
  if (options->keep_script && !(plot.script = script_name(arena, path)))
    return ritti_no_memory(error);
  return ritti_plot_write(&plot, source, sources, error);
}

/* ---- the picture of a run ---- */

/* Finds or adds the log for the points of an event; event NULL: of the solution. */
static ritt_status find_log(cli_picture *p, const char *event, size_t *out) {
  for (*out = 0; *out < p->logs.count; ++*out) {
    const char *other = p->logs.at[*out].event;
    if (event == other || (event && other && !strcmp(event, other))) return RITT_OK;
  }
  const char *plot = p->options->plot;
  cli_picture_log log = {.event = event};
  log.path = event ? ritti_arena_format(p->arena, "%s.%s.log", plot, event)
                   : ritti_arena_format(p->arena, "%s.log", plot);
  return log.path ? RITTI_PUSH(p->logs, log) : RITT_NO_MEMORY;
}

/* Finds or adds the log's column for this column of the rows. */
static ritt_status find_column(cli_picture_log *log, size_t column, size_t *out) {
  for (*out = 0; *out < log->columns.count; ++*out)
    if (log->columns.at[*out] == column) return RITT_OK;
  return RITTI_PUSH(log->columns, column);
}

/* Adds a curve of the model's plots, with the columns of its log. */
static ritt_status take_curve(cli_picture *p, const ritt_curve *c, const char *const *unit) {
  const size_t column[3] = {c->x, c->y, c->z};
  size_t log = 0;

  /* the log of its points */
  RITT_TRY(find_log(p, c->event, &log));
  /* the curve over the columns of the log */
  ritti_plot_curve curve = {.panel = c->panel,
                            .source = (int)log,
                            .points = c->event != NULL,
                            .dimensions = c->z_name ? 3 : 2,
                            .name = {c->x_name, c->y_name, c->z_name},
                            .axis = {c->axis[0], c->axis[1]}};
  for (int i = 0; i < curve.dimensions; i++) {
    RITT_TRY(find_column(&p->logs.at[log], column[i], &curve.column[i]));
    curve.unit[i] = unit ? unit[column[i]] : NULL;
  }
  return RITTI_PUSH(p->curves, curve);
}

/* Adds the curves of the model's plots; if there are none, every column over the first. */
static ritt_status take_curves(cli_picture *p, const ritt_curve *curve, size_t count,
                               const ritti_about *table) {
  for (size_t k = 0; k < count; k++) RITT_TRY(take_curve(p, &curve[k], table->unit));
  for (size_t k = 1; k < table->columns && !count; k++) {
    int panel = (int)((k - 1) / CLI_CURVES_PER_PANEL);
    ritt_curve c = {
        .panel = panel, .x = 0, .y = k, .x_name = table->name[0], .y_name = table->name[k]};
    RITT_TRY(take_curve(p, &c, table->unit));
  }
  return RITT_OK;
}

/* The columns of a log have numbers as names, because names must be unique. */
static ritt_status name_columns(cli_picture *p, cli_picture_log *log) {
  const char **name;
  RITTI_NEW(name, p->arena, log->columns.count);
  RITTI_NEW(log->values, p->arena, log->columns.count);
  for (size_t i = 0; i < log->columns.count; i++)
    if (!(name[i] = ritti_arena_format(p->arena, "%zu", i))) return RITT_NO_MEMORY;
  log->about = (ritti_about){.columns = log->columns.count, .name = name};
  return RITT_OK;
}

ritt_status cli_picture_init(cli_picture *p, const cli_options *options, ritt_model *model,
                             const ritti_about *table, ritt_error *error) {
  const ritt_curve *curve;
  size_t count;
  *p = (cli_picture){
      .options = options, .title = ritt_model_title(model), .arena = ritti_arena_new()};
  if (!p->arena) return ritti_no_memory(error);

  /* collect the curves, then set up their logs */
  RITT_TRY(ritt_model_curves(model, error, &curve, &count));
  ritt_status status = take_curves(p, curve, count, table);
  for (size_t i = 0; i < p->logs.count && status == RITT_OK; i++)
    status = name_columns(p, &p->logs.at[i]);
  return status == RITT_OK ? RITT_OK : ritti_no_memory(error);
}

/* Opens all logs when the first point arrives. */
ritt_status cli_picture_open(cli_picture *p, const ritti_mark **from, ritt_error *error) {
  for (size_t i = 0; i < p->logs.count; i++) {
    cli_picture_log *log = &p->logs.at[i];
    if (!log->writer)
      RITT_TRY(
          cli_open_writer(p->kept, from, log->path, RITTI_LOG, &log->about, error, &log->writer));
  }
  return RITT_OK;
}

ritt_status cli_picture_mark(const cli_picture *p, cli_marks *marks, ritt_error *error) {
  for (size_t i = 0; i < p->logs.count; i++)
    if (p->logs.at[i].writer) RITT_TRY(cli_take_mark(marks, p->logs.at[i].writer, error));
  return RITT_OK;
}

void cli_picture_drop_logs(const cli_picture *p) {
  for (size_t i = 0; i < p->logs.count; i++) unlink(p->logs.at[i].path);
}

/* Adds a point to the log of its event. */
ritt_status cli_picture_point(cli_picture *p, const char *event, const double *values,
                              ritt_error *error) {
  const ritti_mark *none = NULL;
  if (p->logs.count && !p->logs.at[0].writer) RITT_TRY(cli_picture_open(p, &none, error));
  for (size_t i = 0; i < p->logs.count; i++) {
    cli_picture_log *log = &p->logs.at[i];
    if (event != log->event && !(event && log->event && !strcmp(event, log->event))) continue;
    for (size_t k = 0; k < log->columns.count; k++) log->values[k] = values[log->columns.at[k]];
    return ritti_writer_row(log->writer, log->values);
  }
  return RITT_OK;
}

/* Draws the picture from the logs. */
static ritt_status draw_logs(cli_picture *p, ritt_error *error) {
  ritti_reader **source;
  ritt_status status = RITT_OK;
  RITTI_NEW(source, p->arena, p->logs.count);
  for (size_t i = 0; i < p->logs.count && status == RITT_OK; i++)
    status = ritti_reader_open(p->logs.at[i].path, error, &source[i]);
  if (status == RITT_OK)
    status = write_picture(p->options, p->options->plot, p->title, &p->curves, source,
                           p->logs.count, p->arena, error);
  for (size_t i = 0; i < p->logs.count; i++) ritti_reader_close(source[i]);
  return status;
}

ritt_status cli_picture_draw(cli_picture *p, ritt_error *error) {
  ritt_status status = RITT_OK;
  bool any = false;

  /* close the logs */
  for (size_t i = 0; i < p->logs.count; i++) {
    cli_picture_log *log = &p->logs.at[i];
    if (!log->writer) continue;
    ritt_status closed = ritti_writer_close(log->writer, error);
    if (closed != RITT_OK) status = closed;
    log->writer = NULL;
    any = true;
  }

  /* draw them and remove them, unless the run may be resumed */
  if (any && status == RITT_OK) status = draw_logs(p, error);
  if (any && !p->kept) cli_picture_drop_logs(p);
  p->drawn = any && status == RITT_OK;
  return status;
}

void cli_picture_free(cli_picture *p) {
  for (size_t i = 0; i < p->logs.count; i++) ritti_writer_abandon(p->logs.at[i].writer);
  for (size_t i = 0; i < p->logs.count; i++) RITTI_ARRAY_FREE(p->logs.at[i].columns);
  RITTI_ARRAY_FREE(p->logs);
  RITTI_ARRAY_FREE(p->curves);
  ritti_arena_free(p->arena);
}

/* ---- `ritt plot` ---- */

/* Cuts the next name off a list and copies it into the arena. Commas within brackets belong to
 * names. Returns NULL if there is no memory. */
static const char *next_name(const char **list, ritti_arena *arena) {
  int depth = 0;
  const char *begin = *list, *end = begin;
  for (; *end && (*end != ',' || depth > 0); end++) {
    if (*end == '(' || *end == '[') depth++;
    if (*end == ')' || *end == ']') depth--;
  }
  *list = *end ? end + 1 : end;

  /* without the spaces around it */
  while (*begin == ' ') begin++;
  while (end > begin && end[-1] == ' ') end--;
  return ritti_arena_text(arena, begin, (size_t)(end - begin));
}

/* The state of `ritt plot`. */
typedef struct plotter {
  const cli_options *options;
  ritti_reader *rows;
  const ritti_about *about;
  ritti_arena *arena;
  cli_curves curves;
} plotter;

/* Adds a curve over columns of the result. */
static ritt_status add_curve(plotter *p, int panel, const size_t *column, int dimensions) {
  const char *style = p->options->style;
  ritti_plot_curve c = {
      .panel = panel, .dimensions = dimensions, .points = style && !strcmp(style, "points")};
  for (int i = 0; i < dimensions; i++) {
    c.column[i] = column[i];
    c.name[i] = p->about->name[column[i]];
    c.unit[i] = p->about->unit ? p->about->unit[column[i]] : NULL;
  }
  return RITTI_PUSH(p->curves, c);
}

/* Adds the curves of one --y as a panel; with --3d it is one curve with two names. */
static ritt_status add_panel(plotter *p, int panel, size_t x, const char *list, ritt_error *error) {
  const char *rest = list;
  size_t column[3] = {x}, count = 0;

  /* each name is a column, over the first axis */
  do {
    const char *name = next_name(&rest, p->arena);
    if (!name) return ritti_no_memory(error);
    size_t at = p->options->space && count ? 2 : 1;
    RITT_TRY(ritti_about_find(p->about, ritti_reader_path(p->rows), name, error, &column[at]));
    count++;
    if (!p->options->space && add_curve(p, panel, column, 2) != RITT_OK)
      return ritti_no_memory(error);
  } while (*rest);

  /* in space both names belong to one curve */
  if (!p->options->space) return RITT_OK;
  if (count != 2)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "--3d --x x --y y,z draws (x, y, z)",
                      "a curve in space needs two names after --y, not '%s'", list);
  return add_curve(p, panel, column, 3) == RITT_OK ? RITT_OK : ritti_no_memory(error);
}

/* Adds all columns over x, a few of them in each panel. */
static ritt_status add_all(plotter *p, size_t x, ritt_error *error) {
  for (size_t i = 0, count = 0; i < p->about->columns; i++)
    if (i != x &&
        add_curve(p, (int)(count++ / CLI_CURVES_PER_PANEL), (size_t[]){x, i}, 2) != RITT_OK)
      return ritti_no_memory(error);
  return RITT_OK;
}

/* Finds the curves that --x and --y name. */
static ritt_status find_curves(plotter *p, ritt_error *error) {
  const cli_options *o = p->options;
  size_t x = 0;
  if (o->x) RITT_TRY(ritti_about_find(p->about, ritti_reader_path(p->rows), o->x, error, &x));
  for (size_t i = 0; i < o->y.count; i++) RITT_TRY(add_panel(p, (int)i, x, o->y.at[i], error));
  return o->y.count ? RITT_OK : add_all(p, x, error);
}

/* Draws the result as one or more pictures. */
static ritt_status plot_result(plotter *p, ritt_error *error) {
  const cli_options *o = p->options;
  RITT_TRY(ritti_reader_open(o->file, error, &p->rows));
  p->about = ritti_reader_about(p->rows);
  RITT_TRY(find_curves(p, error));
  const char *title = o->title ? o->title : p->about->title;
  for (size_t i = 0; i < o->tables.count; i++)
    RITT_TRY(write_picture(o, o->tables.at[i], title, &p->curves, &p->rows, 1, p->arena, error));
  return RITT_OK;
}

int cli_plot(const cli_options *options, ritt_error *error) {
  plotter p = {.options = options, .arena = ritti_arena_new()};
  ritt_status status = p.arena ? plot_result(&p, error) : ritti_no_memory(error);
  cli_print_messages(error, status);
  ritti_reader_close(p.rows);
  RITTI_ARRAY_FREE(p.curves);
  ritti_arena_free(p.arena);
  return ritt_status_exit_code(status);
}
