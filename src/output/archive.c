/* Files as one zip archive, such as an FMU: stored, with constant times, so that equal files give equal
 * archives. */
#include <zlib.h>
#include "zip.h"

/* The checksum of a file. zlib counts bytes by unsigned numbers. */
static uint32_t sum_file(const ritt_file *file) {
  uLong sum = crc32(0, NULL, 0);
  for (size_t at = 0; at < file->size;) {
    size_t left = file->size - at, part = left < 1u << 30 ? left : 1u << 30;
    sum = crc32(sum, (const Bytef *)file->bytes + at, (uInt)part);
    at += part;
  }
  return (uint32_t)sum;
}

ritt_status ritti_write_archive(const char *path, const ritt_file *file, size_t count,
                                ritt_error *error) {
  ritti_zip_entry *entry = ritti_malloc((count + 1) * sizeof *entry);
  ritti_text out = {0};
  if (!entry) return ritti_no_memory(error);
  uint64_t total = 0;
  for (size_t i = 0; i < count; i++) total += file[i].size + 200 + 2 * strlen(file[i].name);
  bool small = total < UINT32_MAX && count < UINT16_MAX;
  for (size_t i = 0; i < count; i++) {
    entry[i] = (ritti_zip_entry){.name = (char *)(uintptr_t)file[i].name,
                                 .header = out.count,
                                 .size = file[i].size,
                                 .crc = sum_file(&file[i]),
                                 .stored = true,
                                 .small = small};
    ritti_zip_add_header(&out, &entry[i]);
    ritti_text_add_bytes(&out, file[i].bytes, file[i].size);
  }
  ritti_zip_add_directory(&out, entry, count, out.count);
  ritti_free(entry);

  ritt_status status = out.status == RITT_OK ? ritti_file_replace(path, out.at, out.count, error)
                                             : ritti_no_memory(error);
  ritti_text_free(&out);
  return status;
}
