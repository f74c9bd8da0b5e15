/* The log of a run: a header with the facts about the rows, then the rows as doubles of this
 * machine. Rows are only appended, so the log of a killed run is valid up to its last complete row;
 * a run that resumes cuts the log back to its checkpoint and continues. HDF5 and NPZ files are made
 * from logs. The header consists of the magic bytes, the number ORDER as this machine stores it,
 * the length of a JSON object, and the object, padded with spaces to a multiple of eight bytes. */
#include <errno.h>
#include "output_impl.h"

static const char magic[] = "RITTLOG1";
enum { MAGIC = 8, ORDER = 0x01020304, LARGEST_HEAD = 1 << 28 };

/* Adds the header. */
static void add_head(ritti_text *text, const ritti_about *about) {
  /* the JSON text, padded */
  ritti_text json = {0};
  ritti_json_add_about(&json, about);
  while (json.status == RITT_OK && json.count % 8) ritti_text_add_bytes(&json, " ", 1);
  uint32_t numbers[2] = {ORDER, (uint32_t)json.count};

  /* the header */
  ritti_text_add_bytes(text, magic, MAGIC);
  ritti_text_add_bytes(text, (const char *)numbers, sizeof numbers);
  ritti_text_add_bytes(text, json.at ? json.at : "", json.count);
  if (json.status != RITT_OK) text->status = json.status;
  ritti_text_free(&json);
}

static void add_row(ritti_text *text, const ritti_about *about, const double *values) {
  ritti_text_add_bytes(text, (const char *)values, about->columns * sizeof *values);
}

/* ---- reading ---- */

/* Reports a failed read. */
static ritt_status report_failure(const ritti_reader *reader, ritt_error *error) {
  return ritti_reader_wrong(reader, error, NULL, "%s", strerror(errno));
}

/* Reads the JSON object of the header. */
static ritt_status read_head(ritti_reader *reader, size_t length, ritt_error *error) {
  char *json;
  RITTI_NEW(json, reader->arena, length + 1);
  if (fread(json, 1, length, reader->file) != length)
    return ritti_reader_wrong(reader, error, NULL, "the log ends within its head");
  ritti_about about;
  ritt_status status = ritti_json_read_about(json, reader->arena, &about);
  if (status == RITT_NO_MEMORY) return ritti_no_memory(error);
  if (status != RITT_OK)
    return ritti_reader_wrong(reader, error, NULL, "the head of the log is broken");
  reader->about = about;
  return ritti_reader_set_columns(reader, about.name, about.columns, error);
}

/* Reads the header and counts the rows. */
static ritt_status log_open(ritti_reader *reader, ritt_error *error) {
  long *first;
  char bytes[MAGIC];
  uint32_t numbers[2];
  RITTI_NEW(first, reader->arena, 1);
  reader->own = first;

  /* check the fixed part of the header */
  if (fread(bytes, 1, MAGIC, reader->file) != MAGIC || fread(numbers, 4, 2, reader->file) != 2)
    return ritti_reader_wrong(reader, error, NULL, "the log ends within its head");
  if (numbers[0] != ORDER)
    return ritti_reader_wrong(reader, error, "read it on the machine that wrote it",
                              "the log was written on a machine with another byte order");
  if (numbers[1] > LARGEST_HEAD)
    return ritti_reader_wrong(reader, error, NULL, "the head of the log is broken");

  /* read the rest */
  RITT_TRY(read_head(reader, numbers[1], error));

  /* count the complete rows */
  *first = ftell(reader->file);
  if (*first < 0 || fseek(reader->file, 0, SEEK_END) != 0) return report_failure(reader, error);
  long end = ftell(reader->file);
  if (end < 0 || fseek(reader->file, *first, SEEK_SET) != 0) return report_failure(reader, error);
  reader->total = (long)((size_t)(end - *first) / (reader->about.columns * sizeof(double)));
  return RITT_OK;
}

static ritt_status log_rewind(ritti_reader *reader, ritt_error *error) {
  const long *first = reader->own;
  return fseek(reader->file, *first, SEEK_SET) == 0 ? RITT_OK : report_failure(reader, error);
}

/* Reads a block of rows. */
static ritt_status log_fill(ritti_reader *reader, ritt_error *error) {
  size_t row = reader->about.columns * sizeof(double);
  reader->rows = fread(reader->block, row, reader->room, reader->file);
  reader->ended = reader->rows < reader->room;
  return ferror(reader->file) ? report_failure(reader, error) : RITT_OK;
}

const ritti_format_def ritti_format_log = {
    .magic = magic,
    .add_head = add_head,
    .add_row = add_row,
    .open = log_open,
    .fill = log_fill,
    .rewind = log_rewind,
};
