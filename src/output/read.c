/* Reading results: the format is recognized by the first bytes, rows come one by one from blocks
 * that the format fills, and everything in a file is checked before it is used. */
#include <errno.h>
#include <stdlib.h>
#include "output_impl.h"

enum {
  LONGEST_LINE = 1 << 26, /* bytes of a line */
  BLOCK = 1 << 16         /* numbers of a block; it has at least one row */
};

/* ---- for the formats ---- */

ritt_status ritti_reader_wrong(const ritti_reader *reader, ritt_error *error, const char *hint,
                               const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return ritti_fail(error, RITT_WRONG_CALL, NULL, hint, "cannot read '%s': %s", reader->path, text);
}

/* Compares two names, for sorting. */
static int compare_names(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Finds a name that occurs twice in the list; *out is NULL if there is none. */
static ritt_status find_twice(const char *const *name, size_t count, const char **out) {
  const char **sorted = ritti_malloc((count + 1) * sizeof *sorted);
  *out = NULL;
  if (!sorted) return RITT_NO_MEMORY;
  memcpy(sorted, name, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, compare_names);
  for (size_t i = 1; i < count; i++)
    if (!strcmp(sorted[i - 1], sorted[i])) *out = sorted[i];
  ritti_free(sorted);
  return RITT_OK;
}

ritt_status ritti_reader_set_columns(ritti_reader *reader, const char *const *name, size_t count,
                                     ritt_error *error) {
  const char **kept, *twice;

  /* check the names */
  if (count == 0) return ritti_reader_wrong(reader, error, NULL, "it has no columns");
  if (find_twice(name, count, &twice) != RITT_OK) return ritti_no_memory(error);
  if (twice)
    return ritti_reader_wrong(reader, error, NULL, "two columns have the name '%.60s'", twice);

  /* allocate the block and keep the names */
  kept = ritti_arena_alloc(reader->arena, count, sizeof *kept);
  reader->room = count < BLOCK ? BLOCK / count : 1;
  reader->block = ritti_arena_alloc(reader->arena, count * reader->room, sizeof(double));
  if (!kept || !reader->block) return ritti_no_memory(error);
  memcpy(kept, name, count * sizeof *kept);
  reader->about.name = kept;
  reader->about.columns = count;
  return RITT_OK;
}

bool ritti_reader_line(ritti_reader *reader, ritti_text *text, long *line) {
  text->count = 0;

  /* gather bytes up to the end of the line */
  ritti_text_add_bytes(text, "", 0);
  int c = EOF;
  char bytes[256];
  size_t n = 0;
  bool any = false;
  while ((c = getc_unlocked(reader->file)) != EOF && c != '\n') {
    any = true;
    if (c == '\0' || text->count > LONGEST_LINE) {
      ++*line;
      text->status = RITT_WRONG_CALL;
      return false;
    }
    bytes[n++] = (char)c;
    if (n == sizeof bytes) {
      ritti_text_add_bytes(text, bytes, n);
      n = 0;
    }
  }

  /* lines may end with CR LF */
  ritti_text_add_bytes(text, bytes, n);
  if (text->count > 0 && text->at[text->count - 1] == '\r') text->at[--text->count] = '\0';
  ++*line;
  return text->status == RITT_OK && (any || c == '\n');
}

/* ---- opening ---- */

void ritti_reader_close(ritti_reader *reader) {
  if (!reader) return;
  if (reader->format && reader->format->close && reader->own) reader->format->close(reader);
  if (reader->file) fclose(reader->file);
  ritti_arena_free(reader->arena);
  ritti_free(reader->path);
  ritti_free(reader);
}

/* Finds the format by the first bytes; any other text is CSV. */
static const ritti_format_def *find_format(FILE *file) {
  static const ritti_format_def *const known[] = {&ritti_format_npz, &ritti_format_h5,
                                                  &ritti_format_log, &ritti_format_jsonl};
  char first[8] = {0};
  size_t n = fread(first, 1, sizeof first, file);
  rewind(file);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    size_t length = strlen(known[i]->magic);
    if (n >= length && !memcmp(first, known[i]->magic, length)) return known[i];
  }
  return &ritti_format_csv;
}

/* Opens a reader. `name` is the length of the file's name in the path; a run and an event may
 * follow it after a colon. */
static ritt_status open_part(FILE *stream, const char *path, size_t name, ritt_error *error,
                             ritti_reader **out) {
  ritti_reader *reader = ritti_malloc(sizeof *reader);
  *out = NULL;
  if (!reader) {
    fclose(stream);
    return ritti_no_memory(error);
  }

  /* set up the reader */
  *reader = (ritti_reader){.file = stream,
                           .total = -1,
                           .arena = ritti_arena_new(),
                           .path = ritti_malloc(strlen(path) + 1)};
  ritt_status status = reader->arena && reader->path ? RITT_OK : RITT_NO_MEMORY;

  /* recognize the format and read everything before the rows */
  if (status == RITT_OK) {
    memcpy(reader->path, path, strlen(path) + 1);
    reader->part = path[name] ? reader->path + name + 1 : NULL;
    const ritti_format_def *format = find_format(stream);
    bool one = reader->part && format != &ritti_format_h5;
    if (!one) reader->format = format;
    if (one)
      status = ritti_fail(error, RITT_WRONG_CALL, NULL, "leave out what follows the colon",
                          "cannot read '%s': only HDF5 files hold several runs or points of events",
                          path);
    else status = format->open(reader, error);
  }

  /* report lack of memory, which the formats only return */
  if (status == RITT_NO_MEMORY) ritti_no_memory(error);
  if (status == RITT_OK) *out = reader;
  else ritti_reader_close(reader);
  return status;
}

ritt_status ritti_reader_open_stream(FILE *stream, const char *path, ritt_error *error,
                                     ritti_reader **out) {
  return open_part(stream, path, strlen(path), error, out);
}

/* Opens "FILE", or the FILE of "FILE:7", "FILE:hit", "FILE:7:hit". *name is the length of its name.
 */
static FILE *open_named(const char *path, size_t *name) {
  FILE *file = fopen(path, "rb");
  *name = strlen(path);
  if (file || errno != ENOENT || !strchr(path, ':')) return file;

  /* cut the path at each colon from the end until a file of that name exists */
  char *alone = ritti_malloc(*name + 1), *colon;
  if (!alone) {
    errno = ENOMEM;
    return NULL;
  }
  memcpy(alone, path, *name + 1);
  while (!file && (colon = strrchr(alone, ':')) && colon > alone) {
    *colon = '\0';
    file = colon[1] ? fopen(alone, "rb") : NULL;
  }
  if (file) *name = strlen(alone);
  ritti_free(alone);
  if (!file) errno = ENOENT;
  return file;
}

/* Copies stdin to a temporary file, because stdin cannot be read twice. */
static ritt_status copy_stdin(ritt_error *error, FILE **out) {
  char bytes[1 << 14];
  bool written = true;
  FILE *copy = *out = tmpfile();
  for (size_t n; copy && written && (n = fread(bytes, 1, sizeof bytes, stdin)) > 0;)
    written = fwrite(bytes, 1, n, copy) == n;
  if (copy && written && !ferror(stdin) && fflush(copy) == 0 && fseek(copy, 0, SEEK_SET) == 0)
    return RITT_OK;
  int reason = errno;
  if (copy) fclose(copy);
  return ritti_fail(error, RITT_SYSTEM, NULL, NULL, "cannot read stdin to a temporary file: %s",
                    strerror(reason));
}

ritt_status ritti_reader_open(const char *path, ritt_error *error, ritti_reader **out) {
  FILE *file;
  size_t name;
  *out = NULL;
  if (!strcmp(path, "-")) {
    RITT_TRY(copy_stdin(error, &file));
    return ritti_reader_open_stream(file, "stdin", error, out);
  }
  file = open_named(path, &name);
  if (!file)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "check the name and the folder",
                      "cannot open '%s': %s", path, strerror(errno));
  return open_part(file, path, name, error, out);
}

const ritti_about *ritti_reader_about(const ritti_reader *reader) { return &reader->about; }
const char *ritti_reader_path(const ritti_reader *reader) { return reader->path; }

/* ---- rows ---- */

/* Rows come from the block; when it is used up, the format fills it again. */
ritt_status ritti_reader_row(ritti_reader *reader, const double **values, ritt_error *error) {
  *values = NULL;
  if (reader->next == reader->rows) {
    reader->next = reader->rows = 0;
    if (!reader->ended) RITT_TRY(reader->format->fill(reader, error));
    if (reader->rows == 0) return RITT_OK;
  }
  *values = reader->block + reader->next++ * reader->about.columns;
  return RITT_OK;
}

ritt_status ritti_reader_rewind(ritti_reader *reader, ritt_error *error) {
  reader->next = reader->rows = 0;
  reader->ended = false;
  return reader->format->rewind(reader, error);
}

/* ---- whole results ---- */

typedef RITTI_ARRAY(double) numbers;

/* Reads all rows into one array for each column. */
static ritt_status gather_columns(ritti_reader *reader, numbers *column, ritt_error *error) {
  for (;;) {
    const double *row;
    RITT_TRY(ritti_reader_row(reader, &row, error));
    if (!row) return RITT_OK;
    for (size_t i = 0; i < reader->about.columns; i++)
      if (RITTI_PUSH(column[i], row[i]) != RITT_OK) return ritti_no_memory(error);
  }
}

ritt_status ritti_result_read(const char *path, ritt_error *error, ritti_result *out) {
  *out = (ritti_result){0};
  RITT_TRY(ritti_reader_open(path, error, &out->reader));
  out->about = ritti_reader_about(out->reader);

  /* read the rows into growing arrays */
  size_t columns = out->about->columns;
  numbers *column = ritti_arena_alloc(out->reader->arena, columns, sizeof *column);
  out->column = ritti_arena_alloc(out->reader->arena, columns, sizeof *out->column);
  ritt_status status =
      column && out->column ? gather_columns(out->reader, column, error) : ritti_no_memory(error);

  /* hand the arrays over */
  for (size_t i = 0; column && out->column && i < columns; i++) {
    out->column[i] = column[i].at;
    out->rows = column[i].count;
  }
  if (status != RITT_OK) ritti_result_free(out);
  return status;
}

void ritti_result_free(ritti_result *result) {
  for (size_t i = 0; result->column && i < result->about->columns; i++)
    ritti_free(result->column[i]);
  ritti_reader_close(result->reader);
  *result = (ritti_result){0};
}

ritt_status ritti_about_find(const ritti_about *about, const char *path, const char *name,
                             ritt_error *error, size_t *out) {
  for (*out = 0; *out < about->columns; ++*out)
    if (!strcmp(about->name[*out], name)) return RITT_OK;

  /* suggest a similar name, or list the first ones */
  const char *near = ritti_nearest(name, about->name, about->columns);
  ritti_text hint = {0};
  if (near) ritti_text_add(&hint, "did you mean '%s'?", near);
  else ritti_text_add(&hint, "its columns are:");
  for (size_t i = 0; i < about->columns && !near && hint.count < 200; i++)
    ritti_text_add(&hint, "%s %s", i ? "," : "", about->name[i]);
  ritti_fail(error, RITT_WRONG_CALL, NULL, hint.at, "'%s' has no column '%s'", path, name);
  ritti_text_free(&hint);
  return RITT_WRONG_CALL;
}
