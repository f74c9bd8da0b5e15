/* --start and --save-start: start values from a row of a table or from a start section, and writing
 * the section. Columns are recognized by their names: variables and derivatives become guesses, the
 * independent variable sets the place where the run starts, and all other columns are ignored. The
 * model's own start values stay for variables that the table lacks, but only as guesses, since they
 * belong to another place. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "cli.h"

enum { LARGEST = 1 << 30 }; /* bytes of a file */

/* Reads a whole file. */
static ritt_status read_file(const char *path, ritti_text *out, ritt_error *error) {
  char bytes[1 << 14];
  size_t n;
  FILE *file = fopen(path, "rb");
  if (!file)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "check the name and the folder",
                      "cannot open '%s': %s", path, strerror(errno));

  /* read the file */
  while ((n = fread(bytes, 1, sizeof bytes, file)) > 0 && out->count < LARGEST)
    ritti_text_add_bytes(out, bytes, n);
  bool failed = ferror(file), large = n > 0;
  fclose(file);

  /* check that all of it was read */
  if (failed) return ritti_fail(error, RITT_SYSTEM, NULL, NULL, "cannot read '%s'", path);
  if (large)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL, "'%s' is larger than 1 GiB", path);
  ritti_text_add(out, "%s", "");
  return out->status == RITT_OK ? RITT_OK : ritti_no_memory(error);
}

/* ---- a row of a table ---- */

/* Copies the row with this number, counted from 1, or the last row if it is 0. *count: the number
 * of rows read. */
static ritt_status find_row(ritti_reader *reader, long row, double *values, long *count,
                            ritt_error *error) {
  size_t size = ritti_reader_about(reader)->columns * sizeof *values;
  for (*count = 0; row == 0 || *count < row; ++*count) {
    const double *next;
    RITT_TRY(ritti_reader_row(reader, &next, error));
    if (!next) break;
    memcpy(values, next, size);
  }

  /* is the row there? */
  if (*count > 0 && *count >= row) return RITT_OK;
  if (*count == 0)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL, "'%s' has no rows",
                      ritti_reader_path(reader));
  return ritti_fail(error, RITT_WRONG_CALL, NULL,
                    "rows are counted from 1; the line of names is not counted",
                    "'%s' has %ld row%s, no row %ld", ritti_reader_path(reader), *count,
                    *count == 1 ? "" : "s", row);
}

/* Takes one value of the row; *taken counts the start values. */
static ritt_status take_cell(ritt_model *model, const char *name, double value, int *taken,
                             ritt_error *error) {
  bool number = isfinite(value), independent = !strcmp(name, ritt_model_independent(model));
  if (independent && number) return ritt_model_start_at(model, value, error);
  ritt_status status =
      independent ? RITT_OK : ritt_model_start_value(model, name, number ? value : 0, 0, NULL);

  /* a start value must be finite; columns with other names are ignored */
  if (status == RITT_OK && !number)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "use a row in which it has a value",
                      "the start needs a number for '%s', not %g", name, value);
  if (status == RITT_OK) ++*taken;
  return status == RITT_NO_MEMORY ? ritti_no_memory(error) : RITT_OK;
}

/* Takes all values of a row; at least one must be a start value. */
static ritt_status take_row(ritt_model *model, const ritti_reader *reader, const double *values,
                            ritt_error *error) {
  const ritti_about *about = ritti_reader_about(reader);
  int taken = 0;
  RITT_TRY(ritt_model_start_relax(model, error));
  for (size_t i = 0; i < about->columns; i++)
    RITT_TRY(take_cell(model, about->name[i], values[i], &taken, error));
  if (taken > 0) return RITT_OK;
  return ritti_fail(error, RITT_WRONG_CALL, NULL,
                    "let the model's 'output' list its variables: output x, x', y",
                    "no column of '%s' is a variable of the model", ritti_reader_path(reader));
}

/* Takes start values from a table; row 0 is the last one. */
static ritt_status take_table(ritt_model *model, const char *path, long row, ritt_error *error) {
  ritti_reader *reader;
  long count;
  RITT_TRY(ritti_reader_open(path, error, &reader));
  double *values = ritti_malloc(ritti_reader_about(reader)->columns * sizeof *values);
  ritt_status status =
      values ? find_row(reader, row, values, &count, error) : ritti_no_memory(error);
  if (status == RITT_OK) status = take_row(model, reader, values, error);
  ritti_free(values);
  ritti_reader_close(reader);
  return status;
}

/* ---- a start section ---- */

/* Reads a finite number; only white space may follow. */
static bool read_number(const char *text, double *out) {
  char *end;
  *out = strtod(text, &end);
  return end != text && !end[strspn(end, " \t")] && isfinite(*out);
}

/* Takes one item of a line, "x' ~ 0.5". The text is changed. */
static ritt_status take_item(ritt_model *model, const char *path, int line, char *item,
                             ritt_error *error) {
  char *sign = item + strcspn(item, "=~"), *end = sign;
  bool fixed = *sign == '=';
  double value;

  /* split it into name, sign and value */
  while (isspace((unsigned char)*item)) item++;
  if (!*item) return RITT_OK;
  bool whole = *sign && read_number(sign + 1, &value);
  while (end > item && isspace((unsigned char)end[-1])) end--;
  *end = '\0';
  if (!whole)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "write x = 1 or x' ~ 0.5, with numbers only",
                      "line %d of '%s' is not a start value", line, path);

  /* set the place of the start, or a value */
  if (!strcmp(item, ritt_model_independent(model))) return ritt_model_start_at(model, value, error);
  return ritt_model_start_value(model, item, value, fixed, error);
}

/* Takes the items of a line; they are separated by commas outside parentheses. */
static ritt_status take_line(ritt_model *model, const char *path, int number, char *line,
                             ritt_error *error) {
  int depth = 0;
  char *item = line;

  /* drop comments and the word `start` */
  line[strcspn(line, "#\r")] = '\0';
  if (!strncmp(item, "start", 5) && isspace((unsigned char)item[5])) item += 5;

  /* take an item at each comma and at the end */
  for (char *c = item;; c++) {
    bool last = !*c;
    if (*c == '(') depth++;
    if (*c == ')') depth--;
    if (!last && (*c != ',' || depth > 0)) continue;
    *c = '\0';
    RITT_TRY(take_item(model, path, number, item, error));
    if (last) return RITT_OK;
    item = c + 1;
  }
}

/* Takes all lines of a start section. */
static ritt_status take_section(ritt_model *model, const char *path, ritt_error *error) {
  ritti_text text = {0};
  ritt_status status = read_file(path, &text, error);
  if (status == RITT_OK) status = ritt_model_start_relax(model, error);
  char *line = text.at;
  for (int number = 1; status == RITT_OK && line; number++) {
    char *end = strchr(line, '\n');
    if (end) *end = '\0';
    status = take_line(model, path, number, line, error);
    line = end ? end + 1 : NULL;
  }
  ritti_text_free(&text);
  return status;
}

/* ---- both ---- */

ritt_status cli_take_start(ritt_model *model, const char *source, ritt_error *error) {
  ritti_text path = {0};

  /* split the row off the name */
  const char *colon = strrchr(source, ':');
  bool numbered = colon && colon[1] && !colon[1 + strspn(colon + 1, "0123456789")];
  long row = numbered ? strtol(colon + 1, NULL, 10) : 0;
  if (numbered && row < 1)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL,
                      "--start needs a row of at least 1, not '%s'", colon + 1);
  ritti_text_add_bytes(&path, source, numbered ? (size_t)(colon - source) : strlen(source));
  ritt_status status = path.status == RITT_OK ? RITT_OK : ritti_no_memory(error);

  /* the ending of the name shows whether it is a table */
  if (status == RITT_OK) {
    bool table = ritti_format_of_path(path.at) != RITTI_NO_FORMAT;
    status = table || numbered ? take_table(model, path.at, row, error)
                               : take_section(model, path.at, error);
  }
  ritti_text_free(&path);
  return status;
}

ritt_status cli_save_start(ritt_model *model, const char *path, ritt_error *error) {
  const char *text;
  RITT_TRY(ritt_model_start_text(model, error, &text));
  return ritti_file_replace(path, text, strlen(text), error);
}
