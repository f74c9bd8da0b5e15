/* Zip archives of stored entries, such as NPZ files. Private to src/output. */
#ifndef RITTI_ZIP_H
#define RITTI_ZIP_H

#include "output_impl.h"

/* An entry: `size` bytes at the offset `data` of the file; its local header is at `header`. */
typedef struct ritti_zip_entry {
  char *name;
  uint64_t header, data, size;
  uint32_t crc;
  bool stored; /* not compressed */
  bool small; /* writing: sizes and offsets of 32 bits, which every reader knows; else of 64 bits */
} ritti_zip_entry;

/* ---- writing: headers as bytes; times are constant, so that equal contents give equal files. The
 * entries of an archive are either all small or all large, and so is its directory ---- */
void ritti_zip_add_header(ritti_text *text, const ritti_zip_entry *entry);
void ritti_zip_add_directory(ritti_text *text, const ritti_zip_entry *entry, size_t count,
                             uint64_t at);

/* ---- reading: the entries of an archive, in the arena ---- */
ritt_status ritti_zip_read(ritti_reader *reader, ritti_zip_entry **entry, size_t *count,
                           ritt_error *error) RITT_USE;
/* Reads bytes at an offset; false if the file is too short. */
bool ritti_zip_read_at(ritti_reader *reader, uint64_t at, void *bytes, size_t count);

#endif
