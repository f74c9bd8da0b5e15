/* Zip archives of stored entries, as NPZ files are. Private to src/output. */
#ifndef RITTI_ZIP_H
#define RITTI_ZIP_H

#include "output_impl.h"

/* An entry: `size` bytes at `data` in the file; its header stands before them. */
typedef struct ritti_zip_entry {
  char *name;
  uint64_t header, data, size;
  uint32_t crc;
  bool stored; /* not compressed */
} ritti_zip_entry;

/* ---- writing: headers as bytes; every size in its 64-bit place, times fixed, so that equal
 * contents give equal files */
void ritti_zip_add_header(ritti_text *text, const ritti_zip_entry *entry);
void ritti_zip_add_directory(ritti_text *text, const ritti_zip_entry *entry, size_t count,
                             uint64_t at);

/* ---- reading: the entries of an archive, in the arena */
ritt_status ritti_zip_read(ritti_reader *reader, ritti_zip_entry **entry, size_t *count,
                           ritt_error *error) RITT_USE;
/* Bytes from any place; false: they are not there. */
bool ritti_zip_read_at(ritti_reader *reader, uint64_t at, void *bytes, size_t count);

#endif
