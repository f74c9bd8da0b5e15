/* Tables as CSV: names, then rows with 17 significant digits.
 *
 * Lines are gathered and written many at a time, always up to the end of a line. The first write that fails
 * is remembered: nothing more is written, a line of which only the beginning reached a regular file is taken
 * back, and closing says what happened. Not a number is written as nan, the infinities as inf and -inf. */
#include <sys/stat.h>
#include <unistd.h>
#include "output_impl.h"

struct ritti_csv {
  char *path;
  int file;
  size_t columns;
  ritti_text lines; /* whole lines, not yet written */
  int failure;      /* errno of the write that failed, or 0 */
};

enum { ENOUGH = 1 << 16 }; /* bytes that are worth a write */

/* After a write that failed: cut a regular file back to the end of its last whole line. */
static void drop_broken_line(ritti_csv *csv, size_t written) {
  size_t whole = written;
  while (whole > 0 && csv->lines.at[whole - 1] != '\n') whole--;
  struct stat s;
  off_t end = lseek(csv->file, 0, SEEK_CUR);
  if (whole == written || end < 0 || fstat(csv->file, &s) != 0 || !S_ISREG(s.st_mode)) return;
  if (ftruncate(csv->file, end - (off_t)(written - whole)) != 0) return; /* the failure is known already */
}

static ritt_status flush(ritti_csv *csv) {
  if (csv->failure) return RITT_SYSTEM;
  size_t written;
  csv->failure = ritti_file_write(csv->file, csv->lines.at, csv->lines.count, &written);
  if (csv->failure) drop_broken_line(csv, written);
  csv->lines.count = 0;
  return csv->failure ? RITT_SYSTEM : RITT_OK;
}

/* A name as it is, or quoted where it would be read as something else. */
static void add_name(ritti_text *line, const char *name) {
  if (!strpbrk(name, ",\"\r\n")) {
    ritti_text_add(line, "%s", name);
    return;
  }
  ritti_text_add(line, "\"");
  for (const char *c = name; *c; c++) ritti_text_add_bytes(line, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
  ritti_text_add(line, "\"");
}

static ritt_status make(const char *path, const char *const *names, size_t count, ritti_csv **out) {
  ritti_csv *csv = *out = ritti_malloc(sizeof *csv);
  if (!csv) return RITT_NO_MEMORY;
  *csv = (ritti_csv){.path = ritti_malloc(strlen(path) + 1), .file = -1, .columns = count};
  if (!csv->path) return RITT_NO_MEMORY;
  memcpy(csv->path, path, strlen(path) + 1);
  for (size_t i = 0; i < count; i++) {
    if (i > 0) ritti_text_add(&csv->lines, ",");
    add_name(&csv->lines, names[i]);
  }
  ritti_text_add(&csv->lines, "\n");
  return csv->lines.status;
}

static void csv_free(ritti_csv *csv) {
  if (!csv) return;
  ritti_text_free(&csv->lines);
  ritti_free(csv->path);
  ritti_free(csv);
}

ritt_status ritti_csv_open(const char *path, const char *const *names, size_t count, ritt_error *error,
                           ritti_csv **out) {
  ritt_status status = make(path, names, count, out) == RITT_OK ? RITT_OK : ritti_no_memory(error);
  if (status == RITT_OK) {
    int reason = ritti_file_open(path, &(*out)->file);
    if (reason) status = ritti_file_failed(error, path, reason);
  }
  if (status != RITT_OK) csv_free(*out), *out = NULL;
  return status;
}

ritt_status ritti_csv_row(ritti_csv *csv, const double *values) {
  if (csv->failure) return RITT_SYSTEM;
  size_t whole = csv->lines.count;
  for (size_t i = 0; i < csv->columns; i++) {
    if (i > 0) ritti_text_add(&csv->lines, ",");
    if (isnan(values[i]))
      ritti_text_add(&csv->lines, "nan"); /* printf may give its sign, which means nothing */
    else ritti_text_add(&csv->lines, "%.17g", values[i]);
  }
  ritti_text_add(&csv->lines, "\n");
  if (csv->lines.status != RITT_OK) {
    csv->lines.count = whole;
    return csv->lines.status;
  }
  return csv->lines.count >= ENOUGH ? flush(csv) : RITT_OK;
}

ritt_status ritti_csv_close(ritti_csv *csv, ritt_error *error) {
  if (!csv) return RITT_OK;
  ritt_status status = csv->lines.status;
  if (status != RITT_OK) status = ritti_no_memory(error);
  (void)(flush(csv) == RITT_OK); /* what it has to say stays in csv->failure */
  int closing = ritti_file_close(csv->file);
  if (!csv->failure) csv->failure = closing;
  if (csv->failure) status = ritti_file_failed(error, csv->path, csv->failure);
  csv_free(csv);
  return status;
}
