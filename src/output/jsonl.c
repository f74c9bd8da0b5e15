/* JSON lines: every row is one line with an object such as {"t": 0, "x": 1}; all rows have the same
 * names. */
#include <errno.h>
#include "output_impl.h"

/* Adds a row as a line. */
static void add_row(ritti_text *text, const ritti_about *about, const double *values) {
  for (size_t i = 0; i < about->columns; i++) {
    ritti_text_add_bytes(text, i ? ", " : "{", i ? 2 : 1);
    ritti_text_add_json(text, about->name[i]);
    ritti_text_add_bytes(text, ": ", 2);
    ritti_json_add_real(text, values[i]);
  }
  ritti_text_add_bytes(text, "}\n", 2);
}

/* ---- reading ---- */

typedef struct jsonl {
  ritti_text text;
  ritti_json json;
  long line;
  bool *seen; /* for each column: whether the current row contains it */
} jsonl;

static bool is_blank(const char *line) { return !*ritti_json_space(line); }

/* Refuses the current line. */
static ritt_status refuse_line(const ritti_reader *reader, ritt_error *error) {
  const jsonl *own = reader->own;
  if (own->text.status == RITT_NO_MEMORY || own->json.text.status != RITT_OK)
    return ritti_no_memory(error);
  return ritti_reader_wrong(reader, error, "each line is a row: {\"t\": 0, \"x\": 1}",
                            "line %ld is not a JSON object of numbers", own->line);
}

/* Reads the next line that is not blank; false if there is none. */
static bool next_line(ritti_reader *reader) {
  jsonl *own = reader->own;
  while (ritti_reader_line(reader, &own->text, &own->line))
    if (!is_blank(own->text.at)) return true;
  return false;
}

/* Reads the names of the first row. */
static ritt_status read_names(ritti_reader *reader, ritt_error *error) {
  jsonl *own = reader->own;
  RITTI_ARRAY(const char *) names = {0};
  ritt_status status = RITT_OK;
  bool first = true;
  own->json.at = own->text.at;

  /* gather the names */
  ritti_json_open(&own->json, '{');
  while (status == RITT_OK && ritti_json_next(&own->json, '}', &first)) {
    ritti_json_key(&own->json);
    if (!own->json.at || own->json.text.status != RITT_OK) break;
    const char *name = ritti_arena_text(reader->arena, own->json.text.at, own->json.text.count);
    status = name ? RITTI_PUSH(names, name) : RITT_NO_MEMORY;
    ritti_json_value(&own->json);
  }

  /* set the columns */
  if (status != RITT_OK) ritti_no_memory(error);
  else if (!own->json.at || own->json.text.status != RITT_OK) status = refuse_line(reader, error);
  else status = ritti_reader_set_columns(reader, names.at, names.count, error);
  RITTI_ARRAY_FREE(names);
  return status;
}

/* Returns to the first line. */
static ritt_status jsonl_rewind(ritti_reader *reader, ritt_error *error) {
  jsonl *own = reader->own;
  own->line = 0;
  if (fseek(reader->file, 0, SEEK_SET) == 0) return RITT_OK;
  return ritti_reader_wrong(reader, error, NULL, "%s", strerror(errno));
}

/* Reads the names from the first row, then returns to it. */
static ritt_status jsonl_open(ritti_reader *reader, ritt_error *error) {
  jsonl *own;
  RITTI_NEW(own, reader->arena, 1);
  reader->own = own;
  if (!next_line(reader)) return refuse_line(reader, error);
  RITT_TRY(read_names(reader, error));
  RITTI_NEW(own->seen, reader->arena, reader->about.columns);
  return jsonl_rewind(reader, error);
}

/* Finds the column of this name, starting at the column `guess`, since rows usually have the same
 * order. Returns the number of columns if there is none. */
static size_t find_column(const ritti_reader *reader, const char *name, size_t guess) {
  size_t n = reader->about.columns;
  for (size_t i = 0; i < n; i++)
    if (!strcmp(reader->about.name[(guess + i) % n], name)) return (guess + i) % n;
  return n;
}

/* Reads the current line into `values`. */
static ritt_status read_row(ritti_reader *reader, double *values, ritt_error *error) {
  jsonl *own = reader->own;
  size_t columns = reader->about.columns, at = 0, count = 0;
  bool first = true;

  /* read all members of the object */
  memset(own->seen, 0, columns * sizeof *own->seen);
  own->json.at = own->text.at;
  ritti_json_open(&own->json, '{');
  while (ritti_json_next(&own->json, '}', &first)) {
    ritti_json_key(&own->json);
    if (!own->json.at || own->json.text.status != RITT_OK) break;
    size_t column = find_column(reader, own->json.text.at, at);
    if (column == columns)
      return ritti_reader_wrong(reader, error, "each row must have the same names as the first",
                                "line %ld has '%.40s', which the first row does not have",
                                own->line, own->json.text.at);

    /* only a number or null can be a value */
    ritti_json_value(&own->json);
    if (!own->json.at || own->json.kind == RITTI_JSON_TEXT || own->json.kind == RITTI_JSON_OTHER)
      return refuse_line(reader, error);
    values[column] = own->json.number;
    count += !own->seen[column];
    own->seen[column] = true;
    at = column + 1;
  }

  /* the line must end here, and no column may be missing */
  if (!own->json.at || *ritti_json_space(own->json.at)) return refuse_line(reader, error);
  for (size_t i = 0; i < columns && count < columns; i++)
    if (!own->seen[i])
      return ritti_reader_wrong(reader, error, "each row must have the same names as the first",
                                "line %ld has no '%s'", own->line, reader->about.name[i]);
  return RITT_OK;
}

/* Reads rows until the block is full or the file ends. */
static ritt_status jsonl_fill(ritti_reader *reader, ritt_error *error) {
  jsonl *own = reader->own;
  for (; reader->rows < reader->room; reader->rows++) {
    if (!next_line(reader)) {
      reader->ended = true;
      return own->text.status == RITT_OK ? RITT_OK : refuse_line(reader, error);
    }
    RITT_TRY(read_row(reader, reader->block + reader->rows * reader->about.columns, error));
  }
  return RITT_OK;
}

static void jsonl_close(ritti_reader *reader) {
  jsonl *own = reader->own;
  ritti_text_free(&own->text);
  ritti_text_free(&own->json.text);
}

const ritti_format_def ritti_format_jsonl = {
    .magic = "{",
    .add_row = add_row,
    .open = jsonl_open,
    .fill = jsonl_fill,
    .rewind = jsonl_rewind,
    .close = jsonl_close,
};
