/* CSV files: one line of names, then rows with 17 significant digits, so that each number reads
 * back as the same double. Names with commas or quotes are quoted; a column with a unit is called
 * "x [m]". NaN is written as nan, the infinities as inf and -inf; an empty cell is read as NaN.
 * Every row must have one cell per name. */
#include <errno.h>
#include <stdlib.h>
#include "output_impl.h"

/* ---- writing ---- */

/* Adds a name, quoted if it would otherwise be read as something else. */
static void add_name(ritti_text *line, const char *name) {
  if (*name && !strpbrk(name, ",\"\r\n")) {
    ritti_text_add(line, "%s", name);
    return;
  }

  /* in quotes, with each quote in the name doubled */
  ritti_text_add(line, "\"");
  for (const char *c = name; *c; c++)
    ritti_text_add_bytes(line, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
  ritti_text_add(line, "\"");
}

/* Adds "x", or "x [m]" if the column has a unit. */
static void add_column(ritti_text *line, const char *name, const char *unit) {
  ritti_text both = {0};
  if (!*unit) {
    add_name(line, name);
    return;
  }
  ritti_text_add(&both, "%s [%s]", name, unit);
  if (both.at) add_name(line, both.at);
  else line->status = both.status;
  ritti_text_free(&both);
}

/* Adds the line of names. */
static void add_head(ritti_text *line, const ritti_about *about) {
  for (size_t i = 0; i < about->columns; i++) {
    if (i > 0) ritti_text_add_bytes(line, ",", 1);
    add_column(line, about->name[i], about->unit ? about->unit[i] : "");
  }
  ritti_text_add_bytes(line, "\n", 1);
}

/* Adds a row as a line. */
static void add_row(ritti_text *line, const ritti_about *about, const double *values) {
  char number[40];
  for (size_t i = 0; i < about->columns; i++) {
    if (i > 0) ritti_text_add_bytes(line, ",", 1);
    /* printf may print a sign before nan; it has no meaning */
    int n = isnan(values[i]) ? snprintf(number, sizeof number, "nan")
                             : snprintf(number, sizeof number, "%.17g", values[i]);
    ritti_text_add_bytes(line, number, (size_t)n);
  }
  ritti_text_add_bytes(line, "\n", 1);
}

/* ---- reading ---- */

typedef struct csv {
  ritti_text text, cell;
  long line;  /* number of the line read last */
  long names; /* number of the line with the names */
  long first; /* offset of the first row in the file */
} csv;

static bool is_blank(const char *line) { return !line[strspn(line, " \t")]; }

/* Reads the next cell of a line into `cell`, without its quotes and the white space around it.
 * Returns the beginning of the cell after it, or NULL at the end of the line. *broken is set if a
 * quote does not close or is followed by something other than a comma. */
static const char *next_cell(const char *at, ritti_text *cell, bool *broken) {
  cell->count = 0;
  ritti_text_add_bytes(cell, "", 0);
  at += strspn(at, " \t");

  /* a quoted cell, in which two quotes stand for one */
  if (*at == '"') {
    for (at++; *at; at++) {
      if (*at == '"' && at[1] != '"') break;
      if (*at == '"') at++;
      ritti_text_add_bytes(cell, at, 1);
    }
    if (*at != '"') *broken = true;
    else at++;
    at += strspn(at, " \t");
    if (*at && *at != ',') *broken = true;
  } else {
    /* a plain cell ends at the comma */
    size_t length = strcspn(at, ","), end = length;
    while (end > 0 && (at[end - 1] == ' ' || at[end - 1] == '\t')) end--;
    ritti_text_add_bytes(cell, at, end);
    at += length;
  }
  return *at == ',' ? at + 1 : NULL;
}

/* Cuts the unit " [m]" off the end of a name and returns "m", or "" if there is no unit. Names
 * themselves never contain a space before a bracket. */
static const char *split_unit(char *name, size_t length) {
  char *open = NULL;
  for (char *c = name; length > 3 && (c = strstr(c, " [")); c++) open = c;
  if (!open || open == name || name[length - 1] != ']') return "";
  name[length - 1] = '\0';
  *open = '\0';
  return open + 2;
}

/* Reads the line of names and splits the units from them. */
static ritt_status read_names(ritti_reader *reader, ritt_error *error) {
  csv *own = reader->own;
  RITTI_ARRAY(const char *) names = {0};
  RITTI_ARRAY(const char *) units = {0};
  ritt_status status = RITT_OK;
  bool broken = false, any = false;
  const char *at = own->text.at;
  if (!strncmp(at, "\xef\xbb\xbf", 3)) at += 3; /* skip a UTF-8 byte order mark */

  /* gather the names and units of all cells */
  while (at && status == RITT_OK) {
    at = next_cell(at, &own->cell, &broken);
    char *name =
        own->cell.at ? ritti_arena_text(reader->arena, own->cell.at, own->cell.count) : NULL;
    const char *unit = name ? split_unit(name, own->cell.count) : "";
    any = any || *unit;
    status = name ? RITTI_PUSH(names, name) : RITT_NO_MEMORY;
    if (status == RITT_OK) status = RITTI_PUSH(units, unit);
  }

  /* set the columns */
  if (status != RITT_OK) ritti_no_memory(error);
  else if (broken)
    status =
        ritti_reader_wrong(reader, error, NULL, "a quote does not close in the line of the names");
  else status = ritti_reader_set_columns(reader, names.at, names.count, error);

  /* keep the units if there are any */
  if (status == RITT_OK && any) {
    const char **unit = ritti_arena_alloc(reader->arena, units.count, sizeof *unit);
    if (unit) memcpy(unit, units.at, units.count * sizeof *unit);
    reader->about.unit = unit;
    if (!unit) status = ritti_no_memory(error);
  }
  RITTI_ARRAY_FREE(units);
  RITTI_ARRAY_FREE(names);
  return status;
}

/* Refuses a line that is too long or contains a NUL. */
static ritt_status too_long(const ritti_reader *reader, long line, ritt_error *error) {
  const csv *own = reader->own;
  if (own->text.status == RITT_NO_MEMORY) return ritti_no_memory(error);
  return ritti_reader_wrong(reader, error, NULL, "line %ld is not a line of text", line);
}

/* Reads the line of names. */
static ritt_status csv_open(ritti_reader *reader, ritt_error *error) {
  csv *own;
  RITTI_NEW(own, reader->arena, 1);
  reader->own = own;

  /* the first line that is not blank holds the names */
  do {
    if (ritti_reader_line(reader, &own->text, &own->line)) continue;
    if (own->text.status != RITT_OK) return too_long(reader, own->line, error);
    return ritti_reader_wrong(reader, error, "a table begins with the names of its columns: t,x,y",
                              "the file is empty");
  } while (is_blank(own->text.at));

  /* remember where the rows start, for rewinding */
  own->names = own->line;
  own->first = ftell(reader->file);
  return read_names(reader, error);
}

/* Returns to the first row. */
static ritt_status csv_rewind(ritti_reader *reader, ritt_error *error) {
  csv *own = reader->own;
  own->line = own->names;
  if (fseek(reader->file, own->first, SEEK_SET) == 0) return RITT_OK;
  return ritti_reader_wrong(reader, error, NULL, "%s", strerror(errno));
}

/* Reads a number; an empty text is NaN. Returns false if the text is not a number. */
static bool read_number(const char *text, double *out) {
  char *end;
  *out = NAN;
  if (!*text) return true;
  *out = strtod(text, &end);
  return !*end;
}

/* Reads the cells of the current line into `values`. */
static ritt_status read_row(ritti_reader *reader, double *values, ritt_error *error) {
  csv *own = reader->own;
  size_t count = 0, columns = reader->about.columns;
  bool broken = false;

  /* convert all cells; surplus cells are only counted */
  for (const char *at = own->text.at; at; count++) {
    at = next_cell(at, &own->cell, &broken);
    if (!own->cell.at) return ritti_no_memory(error);
    if (count < columns && !read_number(own->cell.at, &values[count]))
      return ritti_reader_wrong(reader, error, NULL,
                                "line %ld: '%.40s' in column '%.40s' is not a number", own->line,
                                own->cell.at, reader->about.name[count]);
  }

  /* check that the line was complete */
  if (broken)
    return ritti_reader_wrong(reader, error, NULL, "line %ld: a quote does not close", own->line);
  if (count != columns)
    return ritti_reader_wrong(reader, error, "each row must have a value for each column",
                              "line %ld has %zu value%s, but there %s %zu column%s", own->line,
                              count, count == 1 ? "" : "s", columns == 1 ? "is" : "are", columns,
                              columns == 1 ? "" : "s");
  return RITT_OK;
}

/* Reads rows until the block is full or the file ends. */
static ritt_status csv_fill(ritti_reader *reader, ritt_error *error) {
  csv *own = reader->own;
  while (reader->rows < reader->room) {
    if (!ritti_reader_line(reader, &own->text, &own->line)) {
      reader->ended = true;
      return own->text.status == RITT_OK ? RITT_OK : too_long(reader, own->line, error);
    }
    if (is_blank(own->text.at)) continue;
    RITT_TRY(read_row(reader, reader->block + reader->rows * reader->about.columns, error));
    reader->rows++;
  }
  return RITT_OK;
}

static void csv_close(ritti_reader *reader) {
  csv *own = reader->own;
  ritti_text_free(&own->text);
  ritti_text_free(&own->cell);
}

const ritti_format_def ritti_format_csv = {
    .add_head = add_head,
    .add_row = add_row,
    .open = csv_open,
    .fill = csv_fill,
    .rewind = csv_rewind,
    .close = csv_close,
};
