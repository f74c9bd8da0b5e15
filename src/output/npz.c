/* NPZ files: one array of doubles for each column, under its name, and "ritt.json" with the facts
 * about the rows. numpy.load("a.npz")["x"] reads a column. The arrays are not compressed, because
 * doubles hardly compress. So the place of every column is known before the first row is written,
 * and one pass through the log with bounded memory writes all columns. Arrays from other programs
 * can be read if they are one-dimensional doubles of equal length. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>
#include "zip.h"

static const char json_name[] = "ritt.json";

static bool is_little(void) { return *(const char *)&(const int){1} == 1; }

/* ---- writing ---- */

/* A file that is being written. */
typedef struct npz {
  int file;
  size_t columns, rows;
  ritti_zip_entry *entry; /* one for each column, the last one for the JSON text */
  size_t start;           /* bytes of an array before its first number */
} npz;

/* Adds the header of a .npy file, version 1.0: a Python dictionary, padded to a multiple of 64
 * bytes. */
static void add_npy_head(ritti_text *text, size_t rows) {
  char words[128];
  int n =
      snprintf(words, sizeof words, "{'descr': '%cf8', 'fortran_order': False, 'shape': (%zu,), }",
               is_little() ? '<' : '>', rows);
  int size = (10 + n + 1 + 63) / 64 * 64 - 10;
  ritti_text_add_bytes(text, "\x93NUMPY\x01\x00", 8);
  ritti_text_add_bytes(text, (char[]){(char)(size & 0xff), (char)(size >> 8)}, 2);
  ritti_text_add(text, "%s%*s\n", words, size - n - 1, "");
}

/* Writes bytes at a position of the file; returns 0 or an errno. */
static int write_at(const npz *z, const void *bytes, size_t count, uint64_t at) {
  for (size_t done = 0; done < count;) {
    ssize_t n = pwrite(z->file, (const char *)bytes + done, count - done, (off_t)(at + done));
    if (n < 0 && errno != EINTR) return errno;
    if (n > 0) done += (size_t)n;
  }
  return 0;
}

/* Names the entries and computes their positions; the JSON text comes last. */
static ritt_status plan_entries(npz *z, const ritti_about *about, size_t rows, ritti_arena *arena) {
  ritti_text head = {0};
  uint64_t at = 0;
  z->columns = about->columns;
  z->rows = rows;
  RITTI_NEW(z->entry, arena, z->columns + 1);

  /* all columns have the same header */
  add_npy_head(&head, rows);
  z->start = head.count;
  uLong crc = head.at ? crc32(0, (const Bytef *)head.at, (uInt)head.count) : 0;
  ritt_status status = head.status;
  ritti_text_free(&head);
  RITT_TRY(status);

  /* place the entries one after the other */
  for (size_t i = 0; i <= z->columns; i++) {
    ritti_zip_entry *e = &z->entry[i];
    e->name = ritti_arena_format(arena, "%s%s", i < z->columns ? about->name[i] : json_name,
                                 i < z->columns ? ".npy" : "");
    if (!e->name) return RITT_NO_MEMORY;
    e->header = at;
    e->data = at + 30 + strlen(e->name) + 20;
    e->size = z->start + 8 * (uint64_t)rows;
    e->crc = (uint32_t)crc;
    at = e->data + e->size;
  }
  return RITT_OK;
}

/* Writes the rows block by block, each column to its position. */
static ritt_status write_rows(npz *z, ritti_reader *log, const char *path, ritt_error *error) {
  enum { MANY = 4096 };
  double block[MANY];
  for (size_t done = 0; done < z->rows;) {
    const double *row;
    RITT_TRY(ritti_reader_row(log, &row, error));
    if (!row) break;
    /* the log has more rows in memory: take them all */
    size_t count = log->rows - log->next + 1;
    if (count > MANY) count = MANY;

    /* write the part of each column */
    for (size_t c = 0; c < z->columns; c++) {
      ritti_zip_entry *e = &z->entry[c];
      for (size_t i = 0; i < count; i++) block[i] = row[i * z->columns + c];
      e->crc = (uint32_t)crc32(e->crc, (const Bytef *)block, (uInt)(count * sizeof *block));
      int reason =
          write_at(z, block, count * sizeof *block, e->data + z->start + done * sizeof *block);
      if (reason) return ritti_file_failed(error, path, reason);
    }
    log->next += count - 1;
    done += count;
  }
  return RITT_OK;
}

/* Writes the headers of all columns, the JSON text and the zip directory. */
static ritt_status write_rest(npz *z, const ritti_about *about, const char *path,
                              ritt_error *error) {
  ritti_text text = {0}, end = {0};
  ritti_zip_entry *last = &z->entry[z->columns];
  int reason = 0;

  /* the headers of the columns */
  for (size_t c = 0; c < z->columns && !reason; c++) {
    text.count = 0;
    ritti_zip_add_header(&text, &z->entry[c]);
    add_npy_head(&text, z->rows);
    reason = text.status == RITT_OK ? write_at(z, text.at, text.count, z->entry[c].header) : ENOMEM;
  }

  /* the JSON text and the directory at the end of the file */
  text.count = 0;
  ritti_json_add_about(&text, about);
  if (text.status == RITT_OK) {
    last->size = text.count;
    last->crc = (uint32_t)crc32(0, (const Bytef *)text.at, (uInt)text.count);
    ritti_zip_add_header(&end, last);
    ritti_text_add_bytes(&end, text.at, text.count);
    ritti_zip_add_directory(&end, z->entry, z->columns + 1, last->data + last->size);
  }

  /* report errors */
  ritt_status status = text.status != RITT_OK ? text.status : end.status;
  if (!reason && status == RITT_OK) reason = write_at(z, end.at, end.count, last->header);
  ritti_text_free(&text);
  ritti_text_free(&end);
  if (status != RITT_OK) return ritti_no_memory(error);
  return reason ? ritti_file_failed(error, path, reason) : RITT_OK;
}

/* Makes the file from a log. */
static ritt_status npz_make(ritti_reader *log, const ritti_about *about, const char *path,
                            const char *part, ritt_error *error) {
  npz z = {.file = -1};
  int reason = ritti_file_open(part, &z.file);
  if (reason) return ritti_file_failed(error, path, reason);
  ritt_status status = plan_entries(&z, about, (size_t)log->total, log->arena);
  if (status != RITT_OK) ritti_no_memory(error);
  else status = write_rows(&z, log, path, error);
  if (status == RITT_OK) status = write_rest(&z, about, path, error);
  reason = ritti_file_close(z.file);
  return status == RITT_OK && reason ? ritti_file_failed(error, path, reason) : status;
}

/* ---- reading ---- */

/* The columns of a file that is being read. */
typedef struct columns {
  const ritti_zip_entry **entry;
  uint64_t *data; /* offset of the first number of each column */
  bool *swapped;  /* whether a column has the other byte order */
  double *block;
  size_t done; /* rows read */
} columns;

enum { LARGEST_TEXT = 1 << 28, LARGEST_HEAD = 1 << 12 };

/* Reads bytes into the arena; *bytes is NULL if the file is too short. */
static ritt_status read_bytes(ritti_reader *reader, uint64_t at, size_t count, char **bytes) {
  RITTI_NEW(*bytes, reader->arena, count + 1);
  if (!ritti_zip_read_at(reader, at, *bytes, count)) *bytes = NULL;
  return RITT_OK;
}

/* Finds the value of 'key' in the dictionary; NULL if there is none. */
static const char *value_of(const char *words, const char *key) {
  const char *at = strstr(words, key);
  return at ? at + strlen(key) + strspn(at + strlen(key), ": ") : NULL;
}

/* Reads the header of an array: its length and where its numbers begin. */
static ritt_status read_npy_head(ritti_reader *reader, columns *own, size_t c, long *rows,
                                 ritt_error *error) {
  const ritti_zip_entry *e = own->entry[c];
  size_t n = e->size < LARGEST_HEAD ? (size_t)e->size : LARGEST_HEAD;
  char *b, *end;
  RITT_TRY(read_bytes(reader, e->data, n, &b));

  /* find the dictionary */
  bool npy = b && n >= 12 && !memcmp(b, "\x93NUMPY", 6) && b[6] >= 1 && b[6] <= 3;
  size_t start = npy ? (b[6] == 1 ? 10 : 12) : 0;
  size_t length = npy ? (size_t)((unsigned char)b[8] | (unsigned char)b[9] << 8) : 0;
  if (npy && b[6] > 1 && (b[10] || b[11])) npy = false;
  if (!npy || length > n - start)
    return ritti_reader_wrong(reader, error, NULL, "the array '%.60s' is broken or cut off",
                              e->name);
  b[start + length] = '\0';

  /* check the type and the shape */
  const char *type = value_of(b + start, "'descr'"), *shape = value_of(b + start, "'shape'");
  if (!type || (strncmp(type, "'<f8'", 5) && strncmp(type, "'>f8'", 5)))
    return ritti_reader_wrong(reader, error, "save it as float64",
                              "the array '%.60s' is not an array of doubles", e->name);
  *rows = shape && *shape == '(' ? strtol(shape + 1, &end, 10) : -1;
  if (*rows < 0 || strncmp(end, ",)", 2))
    return ritti_reader_wrong(reader, error, "a column is an array of one dimension",
                              "the array '%.60s' is not a column", e->name);

  /* the numbers follow the header and fill the entry */
  own->swapped[c] = (type[1] == '<') != is_little();
  own->data[c] = e->data + start + length;
  if ((uint64_t)*rows == (e->size - start - length) / 8) return RITT_OK;
  return ritti_reader_wrong(reader, error, NULL, "the array '%.60s' is broken or cut off", e->name);
}

/* Is this entry an array? */
static bool is_array(const ritti_zip_entry *e) {
  size_t n = strlen(e->name);
  return n > 4 && !strcmp(e->name + n - 4, ".npy");
}

/* Reads the JSON text. Its columns must agree with the arrays. */
static ritt_status read_about(ritti_reader *reader, const ritti_zip_entry *e, ritt_error *error) {
  if (e->size > LARGEST_TEXT || !e->stored)
    return ritti_reader_wrong(reader, error, NULL, "'%s' is broken", json_name);

  /* read and parse the text */
  char *text;
  ritti_about about;
  RITT_TRY(read_bytes(reader, e->data, (size_t)e->size, &text));
  if (!text) return ritti_reader_wrong(reader, error, NULL, "'%s' is broken", json_name);
  ritt_status status = ritti_json_read_about(text, reader->arena, &about);
  if (status == RITT_NO_MEMORY) return status;

  /* compare the names of the columns */
  bool same = status == RITT_OK && about.columns == reader->about.columns;
  for (size_t i = 0; same && i < about.columns; i++)
    same = !strcmp(about.name[i], reader->about.name[i]);
  if (!same) return ritti_reader_wrong(reader, error, NULL, "'%s' is broken", json_name);
  about.name = reader->about.name;
  reader->about = about;
  return RITT_OK;
}

/* Finds the columns: every array of the archive. */
static ritt_status find_columns(ritti_reader *reader, const ritti_zip_entry *entry, size_t count,
                                ritt_error *error) {
  columns *own = reader->own;
  const char **name;
  size_t n = 0;
  RITTI_NEW(name, reader->arena, count + 1);
  RITTI_NEW(own->entry, reader->arena, count + 1);
  RITTI_NEW(own->data, reader->arena, count + 1);
  RITTI_NEW(own->swapped, reader->arena, count + 1);

  /* gather the names of the arrays */
  for (size_t i = 0; i < count; i++) {
    if (!is_array(&entry[i])) continue;
    if (!entry[i].stored)
      return ritti_reader_wrong(reader, error, "save it with numpy.savez, not savez_compressed",
                                "the array '%.60s' is compressed", entry[i].name);
    name[n] = ritti_arena_text(reader->arena, entry[i].name, strlen(entry[i].name) - 4);
    if (!name[n]) return RITT_NO_MEMORY;
    own->entry[n++] = &entry[i];
  }

  /* all arrays must have the same length */
  RITT_TRY(ritti_reader_set_columns(reader, name, n, error));
  for (size_t c = 0; c < n; c++) {
    long rows = 0;
    RITT_TRY(read_npy_head(reader, own, c, &rows, error));
    if (c > 0 && rows != reader->total)
      return ritti_reader_wrong(reader, error, NULL,
                                "the arrays '%.60s' and '%.60s' have %ld and %ld numbers", name[0],
                                name[c], reader->total, rows);
    reader->total = rows;
  }
  return RITT_OK;
}

/* Reads everything except the rows. */
static ritt_status npz_open(ritti_reader *reader, ritt_error *error) {
  ritti_zip_entry *entry;
  columns *own;
  size_t count;

  /* read the directory and the headers of the arrays */
  RITTI_NEW(own, reader->arena, 1);
  reader->own = own;
  RITT_TRY(ritti_zip_read(reader, &entry, &count, error));
  RITT_TRY(find_columns(reader, entry, count, error));
  RITTI_NEW(own->block, reader->arena, reader->room);

  /* read the facts, if the archive has any */
  for (size_t i = 0; i < count; i++)
    if (!strcmp(entry[i].name, json_name)) RITT_TRY(read_about(reader, &entry[i], error));
  return RITT_OK;
}

/* Reverses the bytes of a double. */
static double swap_bytes(double value) {
  unsigned char a[8], b[8];
  memcpy(a, &value, 8);
  for (int i = 0; i < 8; i++) b[i] = a[7 - i];
  memcpy(&value, b, 8);
  return value;
}

/* Reads a block of rows. */
static ritt_status npz_fill(ritti_reader *reader, ritt_error *error) {
  columns *own = reader->own;
  size_t left = (size_t)reader->total - own->done, width = reader->about.columns;
  size_t count = left < reader->room ? left : reader->room;

  /* read a block of each column and transpose it */
  for (size_t c = 0; c < width; c++) {
    uint64_t at = own->data[c] + own->done * sizeof(double);
    if (!ritti_zip_read_at(reader, at, own->block, count * sizeof(double)))
      return ritti_reader_wrong(reader, error, NULL, "the archive is broken or cut off");
    for (size_t i = 0; i < count; i++)
      reader->block[i * width + c] = own->swapped[c] ? swap_bytes(own->block[i]) : own->block[i];
  }

  /* advance */
  own->done += count;
  reader->rows = count;
  reader->ended = own->done == (size_t)reader->total;
  return RITT_OK;
}

static ritt_status npz_rewind(ritti_reader *reader, ritt_error *error) {
  columns *own = reader->own;
  (void)error;
  own->done = 0;
  return RITT_OK;
}

const ritti_format_def ritti_format_npz = {
    .magic = "PK\x03\x04",
    .make = npz_make,
    .open = npz_open,
    .fill = npz_fill,
    .rewind = npz_rewind,
};
