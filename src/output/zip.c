/* Zip archives (APPNOTE 6.3.9 of PKWARE): local headers, the central directory, and their 64-bit
 * forms. Archives can be written and read in either form; every offset is checked against the size of the file before it is used. */
#include <errno.h>
#include "zip.h"

/* The signatures of the records. */
enum {
  LOCAL = 0x04034b50,
  CENTRAL = 0x02014b50,
  END = 0x06054b50,
  END64 = 0x06064b50,
  LOCATOR64 = 0x07064b50
};

/* The sizes of their fixed parts. */
enum { LOCAL_SIZE = 30, CENTRAL_SIZE = 46, END_SIZE = 22, END64_SIZE = 56, LOCATOR64_SIZE = 20 };
enum {
  VERSION = 45,
  SMALL_VERSION = 20,
  UTF8_NAMES = 1 << 11,
  FIRST_OF_1980 = 0x21,
  FULL16 = 0xffff
};
enum { MOST_END = END_SIZE + FULL16 };
static const uint32_t FULL32 = 0xffffffff;

/* ---- writing ---- */

/* Adds a number of `size` bytes, the lowest byte first. */
static void add_bytes(ritti_text *text, uint64_t value, int size) {
  char bytes[8];
  for (int i = 0; i < size; i++, value >>= 8) bytes[i] = (char)(value & 0xff);
  ritti_text_add_bytes(text, bytes, (size_t)size);
}

/* Adds the fields common to both kinds of headers, from the version to the length of the extra
 * field. */
static void add_common(ritti_text *text, const ritti_zip_entry *entry, int extra) {
  add_bytes(text, entry->small ? SMALL_VERSION : VERSION, 2);
  add_bytes(text, UTF8_NAMES, 2);
  add_bytes(text, 0, 2); /* method: stored */
  add_bytes(text, 0, 2); /* time: midnight */
  add_bytes(text, FIRST_OF_1980, 2);
  add_bytes(text, entry->crc, 4);
  uint64_t size = entry->small ? entry->size : FULL32; /* large sizes are in the extra field */
  add_bytes(text, size, 4);
  add_bytes(text, size, 4);
  add_bytes(text, strlen(entry->name), 2);
  add_bytes(text, (uint64_t)extra, 2);
}

void ritti_zip_add_header(ritti_text *text, const ritti_zip_entry *entry) {
  add_bytes(text, LOCAL, 4);
  add_common(text, entry, entry->small ? 0 : 20);
  ritti_text_add_bytes(text, entry->name, strlen(entry->name));
  if (entry->small) return;

  /* the extra field: its kind, its length, and both sizes */
  add_bytes(text, 1, 2);
  add_bytes(text, 16, 2);
  add_bytes(text, entry->size, 8);
  add_bytes(text, entry->size, 8);
}

/* Adds an entry of the central directory. */
static void add_central(ritti_text *text, const ritti_zip_entry *entry) {
  add_bytes(text, CENTRAL, 4);
  add_bytes(text, entry->small ? SMALL_VERSION : VERSION, 2);
  add_common(text, entry, entry->small ? 0 : 28);

  /* comment, disk, attributes */
  add_bytes(text, 0, 2);
  add_bytes(text, 0, 2);
  add_bytes(text, 0, 2);
  add_bytes(text, 0, 4);
  add_bytes(text, entry->small ? entry->header : FULL32, 4);
  ritti_text_add_bytes(text, entry->name, strlen(entry->name));
  if (entry->small) return;

  /* the extra field: its kind, its length, both sizes, and the offset of the header */
  add_bytes(text, 1, 2);
  add_bytes(text, 24, 2);
  add_bytes(text, entry->size, 8);
  add_bytes(text, entry->size, 8);
  add_bytes(text, entry->header, 8);
}

/* Adds the end record. If the counts and places are larger than it can hold, it refers to the 64-bit one. */
static void add_end(ritti_text *text, uint64_t count, uint64_t size, uint64_t at) {
  add_bytes(text, END, 4);
  add_bytes(text, 0, 2);
  add_bytes(text, 0, 2);
  add_bytes(text, count, 2);
  add_bytes(text, count, 2);
  add_bytes(text, size, 4);
  add_bytes(text, at, 4);
  add_bytes(text, 0, 2);
}

void ritti_zip_add_directory(ritti_text *text, const ritti_zip_entry *entry, size_t count,
                             uint64_t at) {
  size_t begin = text->count;
  for (size_t i = 0; i < count; i++) add_central(text, &entry[i]);
  uint64_t size = text->count - begin;
  if (count && entry->small) {
    add_end(text, count, size, at);
    return;
  }

  /* the 64-bit end record: sizes, versions, disks, counts, and the place of the directory */
  add_bytes(text, END64, 4);
  add_bytes(text, END64_SIZE - 12, 8);
  add_bytes(text, VERSION, 2);
  add_bytes(text, VERSION, 2);
  add_bytes(text, 0, 4);
  add_bytes(text, 0, 4);
  add_bytes(text, count, 8);
  add_bytes(text, count, 8);
  add_bytes(text, size, 8);
  add_bytes(text, at, 8);

  /* the locator of the 64-bit end record */
  add_bytes(text, LOCATOR64, 4);
  add_bytes(text, 0, 4);
  add_bytes(text, at + size, 8);
  add_bytes(text, 1, 4);

  add_end(text, FULL16, FULL32, FULL32);
}

/* ---- reading ---- */

/* Reads a number of `size` bytes, the lowest byte first. */
static uint64_t get_bytes(const unsigned char *bytes, int size) {
  uint64_t value = 0;
  for (int i = size - 1; i >= 0; i--) value = value << 8 | bytes[i];
  return value;
}

/* Refuses a damaged archive. */
static ritt_status refuse_archive(const ritti_reader *reader, ritt_error *error) {
  return ritti_reader_wrong(reader, error, NULL, "the archive is broken or cut off");
}

bool ritti_zip_read_at(ritti_reader *reader, uint64_t at, void *bytes, size_t count) {
  if (at > INT64_MAX || fseeko(reader->file, (off_t)at, SEEK_SET) != 0) return false;
  return fread(bytes, 1, count, reader->file) == count;
}

/* The place of the central directory. */
typedef struct directory {
  uint64_t at, size, count;
  uint64_t end; /* the size of the file */
} directory;

/* Reads the 64-bit end record if the end record at `at` has no room for the numbers. */
static bool find_large(ritti_reader *reader, uint64_t at, directory *d) {
  unsigned char bytes[END64_SIZE];
  if (at < LOCATOR64_SIZE || !ritti_zip_read_at(reader, at - LOCATOR64_SIZE, bytes, LOCATOR64_SIZE))
    return false;
  if (get_bytes(bytes, 4) != LOCATOR64 ||
      !ritti_zip_read_at(reader, get_bytes(bytes + 8, 8), bytes, END64_SIZE))
    return false;
  if (get_bytes(bytes, 4) != END64) return false;
  d->count = get_bytes(bytes + 32, 8);
  d->size = get_bytes(bytes + 40, 8);
  d->at = get_bytes(bytes + 48, 8);
  return true;
}

/* Finds the end record. A comment of up to 64 KiB may follow it. */
static bool find_directory(ritti_reader *reader, unsigned char *bytes, directory *d) {
  /* read the end of the file */
  if (fseeko(reader->file, 0, SEEK_END) != 0) return false;
  off_t end = ftello(reader->file);
  if (end < END_SIZE) return false;
  size_t n = end < MOST_END ? (size_t)end : MOST_END;
  if (!ritti_zip_read_at(reader, (uint64_t)end - n, bytes, n)) return false;
  d->end = (uint64_t)end;

  /* look for the record from the end */
  for (size_t i = n - END_SIZE + 1; i-- > 0;) {
    const unsigned char *b = bytes + i;
    if (get_bytes(b, 4) != END || get_bytes(b + 20, 2) != n - END_SIZE - i) continue;
    d->count = get_bytes(b + 10, 2);
    d->size = get_bytes(b + 12, 4);
    d->at = get_bytes(b + 16, 4);
    bool large = d->count == FULL16 || d->size == FULL32 || d->at == FULL32;
    if (large && !find_large(reader, d->end - n + i, d)) return false;
    return d->at <= d->end && d->size <= d->end - d->at && d->count <= d->size / CENTRAL_SIZE;
  }
  return false;
}

/* Replaces the numbers that are full by the 64-bit numbers of the extra field. */
static bool take_large(const unsigned char *extra, size_t length, uint64_t *number[3]) {
  for (size_t at = 0; at + 4 <= length;) {
    size_t size = (size_t)get_bytes(extra + at + 2, 2), from = at + 4;
    if (size > length - from) return false;
    for (int i = 0; i < 3 && get_bytes(extra + at, 2) == 1; i++) {
      if (*number[i] != FULL32) continue;
      if (from + 8 > at + 4 + size) return false;
      *number[i] = get_bytes(extra + from, 8);
      from += 8;
    }
    at += 4 + size;
  }
  return true;
}

/* Reads an entry of the central directory. Returns its size in bytes, or 0 if it is broken. */
static size_t read_entry(const unsigned char *b, size_t left, ritti_arena *arena,
                         ritti_zip_entry *e) {
  if (left < CENTRAL_SIZE || get_bytes(b, 4) != CENTRAL) return 0;

  /* the lengths of the variable parts */
  size_t name = (size_t)get_bytes(b + 28, 2), extra = (size_t)get_bytes(b + 30, 2),
         comment = (size_t)get_bytes(b + 32, 2);
  size_t all = CENTRAL_SIZE + name + extra + comment;
  uint64_t packed = get_bytes(b + 20, 4);
  if (all > left || memchr(b + CENTRAL_SIZE, 0, name)) return 0;

  /* the fields, some of which may be in the extra field */
  e->stored = get_bytes(b + 10, 2) == 0;
  e->crc = (uint32_t)get_bytes(b + 16, 4);
  e->size = get_bytes(b + 24, 4);
  e->header = get_bytes(b + 42, 4);
  if (!take_large(b + CENTRAL_SIZE + name, extra, (uint64_t *[]){&e->size, &packed, &e->header}))
    return 0;
  e->name = ritti_arena_text(arena, (const char *)b + CENTRAL_SIZE, name);
  return e->stored && packed != e->size ? 0 : all;
}

/* Finds where the bytes of an entry begin: after its local header, whose lengths may differ. */
static bool find_data(ritti_reader *reader, const directory *d, ritti_zip_entry *e) {
  unsigned char b[LOCAL_SIZE];
  if (!ritti_zip_read_at(reader, e->header, b, sizeof b) || get_bytes(b, 4) != LOCAL) return false;
  e->data = e->header + LOCAL_SIZE + get_bytes(b + 26, 2) + get_bytes(b + 28, 2);
  return !e->stored || (e->data <= d->end && e->size <= d->end - e->data);
}

ritt_status ritti_zip_read(ritti_reader *reader, ritti_zip_entry **entry, size_t *count,
                           ritt_error *error) {
  directory d;
  unsigned char *bytes;

  /* find and read the directory */
  RITTI_NEW(bytes, reader->arena, MOST_END);
  if (!find_directory(reader, bytes, &d)) return refuse_archive(reader, error);
  RITTI_NEW(bytes, reader->arena, d.size + 1);
  RITTI_NEW(*entry, reader->arena, d.count + 1);
  if (!ritti_zip_read_at(reader, d.at, bytes, (size_t)d.size)) return refuse_archive(reader, error);

  /* read its entries */
  size_t at = 0;
  for (*count = 0; *count < d.count; ++*count) {
    ritti_zip_entry *e = *entry + *count;
    size_t used = read_entry(bytes + at, (size_t)d.size - at, reader->arena, e);
    if (used && !e->name) return RITT_NO_MEMORY;
    if (!used || !find_data(reader, &d, e)) return refuse_archive(reader, error);
    at += used;
  }
  return RITT_OK;
}
