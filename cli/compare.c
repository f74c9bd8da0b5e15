/* `ritt compare`: prints the largest differences of two results, column by column, as a table or as
 * JSON. */
#include <stdio.h>
#include "cli.h"

/* Is the difference of a column larger than --tol and --abs allow? */
static bool exceeds_tolerance(const cli_options *o, const ritti_difference *d) {
  return !(d->relative <= o->tolerance) && !(d->absolute <= o->allowed);
}

/* Adds the names of the columns that only one of the results has. */
static void add_names(ritti_text *out, const ritti_result *of, const ritti_result *other) {
  size_t count = 0;
  for (size_t i = 1; i < of->about->columns; i++) {
    size_t k = 1;
    while (k < other->about->columns && strcmp(of->about->name[i], other->about->name[k])) k++;
    if (k < other->about->columns) continue;
    if (count++ == 0) ritti_text_add(out, "only in %s:", ritti_reader_path(of->reader));
    ritti_text_add(out, "%s %s", count > 1 ? "," : "", of->about->name[i]);
  }
  if (count) ritti_text_add(out, "\n");
}

/* Adds the number of rows of a result and its range. */
static void add_result(ritti_text *out, const ritti_result *r) {
  const double *x = r->column[0];
  ritti_text_add(out, "%s: %zu row%s, %s = %.6g .. %.6g\n", ritti_reader_path(r->reader), r->rows,
                 r->rows == 1 ? "" : "s", r->about->name[0], x[0], x[r->rows - 1]);
}

/* Adds a cell of the table. */
static void add_number(ritti_text *out, int width, double value) {
  if (isnan(value)) ritti_text_add(out, "  %-*s", width, "-");
  else ritti_text_add(out, "  %-*.3g", width, value);
}

/* Prints the differences as a table. */
static int print_table(const cli_options *o, const ritti_result r[2], const ritti_comparison *c) {
  ritti_text out = {0};
  int width = 6;

  /* the width of the first column */
  for (size_t i = 0; i < c->column.count; i++)
    if ((int)strlen(c->column.at[i].name) > width) width = (int)strlen(c->column.at[i].name);

  /* the results and how they were compared */
  add_result(&out, &r[0]);
  add_result(&out, &r[1]);
  add_names(&out, &r[0], &r[1]);
  add_names(&out, &r[1], &r[0]);
  ritti_text_add(&out, "compared at %zu point%s", c->points, c->points == 1 ? "" : "s");
  if (c->interpolated)
    ritti_text_add(&out, ", %s interpolated", ritti_reader_path(r[c->interpolated - 1].reader));

  /* the table */
  ritti_text_add(&out, "\n\n%-*s  %-10s  %-10s  at %-9s%s\n", width, "column", "difference",
                 "relative", r[0].about->name[0], c->interpolated ? "  interpolation" : "");
  for (size_t i = 0; i < c->column.count; i++) {
    const ritti_difference *d = &c->column.at[i];
    ritti_text_add(&out, "%-*s", width, d->name);
    add_number(&out, 10, d->absolute);
    add_number(&out, 10, d->relative);
    add_number(&out, c->interpolated ? 12 : 1, d->where);
    if (c->interpolated) add_number(&out, 1, d->estimate);
    if (o->tolerance > 0 && exceeds_tolerance(o, d)) ritti_text_add(&out, "  too large");
    ritti_text_add(&out, "\n");
  }
  return cli_print(&out);
}

/* Prints the differences as JSON. `judged`: a tolerance was given. */
static int print_json(const ritti_comparison *c, bool exceeded, bool judged) {
  ritti_text out = {0};

  /* how the results were compared */
  cli_json_count(&out, "points", (long)c->points);
  const char *const interpolated[] = {NULL, "A", "B"};
  cli_json_text(&out, "interpolated", interpolated[c->interpolated]);
  if (judged) cli_json_text(&out, "verdict", exceeded ? "different" : "same");

  /* the columns */
  ritti_text_add(&out, ",\n  \"columns\": [");
  for (size_t i = 0; i < c->column.count; i++) {
    const ritti_difference *d = &c->column.at[i];
    ritti_text column = {0};
    cli_json_text(&column, "name", d->name);
    cli_json_real(&column, "difference", d->absolute);
    cli_json_real(&column, "relative", d->relative);
    cli_json_real(&column, "at", d->where);
    cli_json_real(&column, "interpolation", d->estimate);
    ritti_text_add(&out, "%s%s}", i ? ", " : "", column.at ? column.at : "");
    if (column.status != RITT_OK) out.status = column.status;
    ritti_text_free(&column);
  }
  ritti_text_add(&out, "]");
  return cli_print_json(&out);
}

/* Compares the results and prints the differences; returns the exit code. */
static int compare_results(const cli_options *o, const ritti_result r[2], ritti_comparison *c,
                           ritt_error *error) {
  ritt_status status = ritti_compare(&r[0], &r[1], c, error);
  if (status != RITT_OK) {
    cli_print_messages(error, status);
    return ritt_status_exit_code(status);
  }
  bool judged = o->tolerance > 0 || o->allowed > 0, exceeded = false;
  for (size_t i = 0; i < c->column.count && judged; i++)
    exceeded |= exceeds_tolerance(o, &c->column.at[i]);
  int printed = 0;
  if (o->json) printed = print_json(c, exceeded, judged);
  else if (!o->quiet) printed = print_table(o, r, c);
  return printed ? printed : exceeded;
}

int cli_compare(const cli_options *options, ritt_error *error) {
  ritti_result r[2] = {{0}, {0}};
  ritti_comparison c = {0};
  int code;

  /* read both results and compare them */
  ritt_status status = ritti_result_read(options->file, error, &r[0]);
  if (status == RITT_OK) status = ritti_result_read(options->other, error, &r[1]);
  if (status == RITT_OK) code = compare_results(options, r, &c, error);
  else {
    cli_print_messages(error, status);
    code = ritt_status_exit_code(status);
  }

  /* free everything */
  RITTI_ARRAY_FREE(c.column);
  ritti_result_free(&r[0]);
  ritti_result_free(&r[1]);
  return code;
}
