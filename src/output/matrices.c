/* Files of matrices and lists of names: NPZ archives for NumPy, and MAT files of level 5 for Octave and
 * MATLAB. */
#include <stdlib.h>
#include "output_impl.h"

/* The largest number of bytes of a name in a list. */
static size_t longest_name(const ritti_named_matrix *m) {
  size_t most = 1;
  for (size_t i = 0; i < m->rows; i++)
    if (strlen(m->name_list[i]) > most) most = strlen(m->name_list[i]);
  return most;
}

/* Adds a whole number of some bytes, the lowest first. */
static void add_whole(ritti_text *out, uint32_t value, int bytes) {
  for (int i = 0; i < bytes; i++) ritti_text_add_bytes(out, (char[]){(char)(value >> (8 * i))}, 1);
}

/* Adds a double, its lowest byte first. */
static void add_double(ritti_text *out, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  add_whole(out, (uint32_t)bits, 4);
  add_whole(out, (uint32_t)(bits >> 32), 4);
}

/* ---- NPZ ---- */

/* Adds a .npy file, version 1.0: numbers by rows, or names as texts of 32-bit characters. */
static void add_npy(ritti_text *out, const ritti_named_matrix *m) {
  char words[128];
  size_t width = m->name_list ? longest_name(m) : 0;
  int n = m->name_list ? snprintf(words, sizeof words,
                                  "{'descr': '<U%zu', 'fortran_order': False, 'shape': (%zu,), }",
                                  width, m->rows)
                       : snprintf(words, sizeof words,
                                  "{'descr': '<f8', 'fortran_order': False, 'shape': (%zu, %zu), }",
                                  m->rows, m->columns);
  int size = (10 + n + 1 + 63) / 64 * 64 - 10;
  ritti_text_add_bytes(out, "\x93NUMPY\x01\x00", 8);
  add_whole(out, (uint32_t)size, 2);
  ritti_text_add(out, "%s%*s\n", words, size - n - 1, "");
  for (size_t i = 0; i < m->rows && m->name_list; i++) {
    size_t length = strlen(m->name_list[i]);
    for (size_t k = 0; k < width; k++)
      add_whole(out, k < length ? (unsigned char)m->name_list[i][k] : 0, 4);
  }
  for (size_t i = 0; i < m->rows * m->columns && m->value; i++) add_double(out, m->value[i]);
}

static ritt_status write_npz(const char *path, const ritti_named_matrix *m, size_t count,
                             ritti_arena *arena, ritt_error *error) {
  ritti_text *text;
  ritt_file *file;
  ritt_status status = RITT_OK;
  RITTI_NEW(text, arena, count);
  RITTI_NEW(file, arena, count);
  for (size_t i = 0; i < count; i++) {
    add_npy(&text[i], &m[i]);
    file[i] =
        (ritt_file){ritti_arena_format(arena, "%s.npy", m[i].name), text[i].at, text[i].count};
    if (!file[i].name || text[i].status != RITT_OK) status = ritti_no_memory(error);
  }
  if (status == RITT_OK) status = ritti_write_archive(path, file, count, error);
  for (size_t i = 0; i < count; i++) ritti_text_free(&text[i]);
  return status;
}

/* ---- MAT ---- */

enum { BYTES = 1, UINT16 = 4, INT32 = 5, UINT32 = 6, DOUBLE = 9, MATRIX = 14 };
enum { CHARACTERS = 4, NUMBERS = 6 }; /* classes of arrays */

static void pad_to_8(ritti_text *out, size_t from) {
  while ((out->count - from) % 8) ritti_text_add_bytes(out, "", 1);
}

/* Adds an array: its class, its size, its name and its values by columns. */
static void add_array(ritti_text *out, const ritti_named_matrix *m) {
  ritti_text body = {0};
  size_t columns = m->name_list ? longest_name(m) : m->columns, length = strlen(m->name);
  add_whole(&body, UINT32, 4);
  add_whole(&body, 8, 4);
  add_whole(&body, m->name_list ? CHARACTERS : NUMBERS, 4);
  add_whole(&body, 0, 4);
  add_whole(&body, INT32, 4);
  add_whole(&body, 8, 4);
  add_whole(&body, (uint32_t)m->rows, 4);
  add_whole(&body, (uint32_t)columns, 4);
  add_whole(&body, BYTES, 4);
  add_whole(&body, (uint32_t)length, 4);
  ritti_text_add_bytes(&body, m->name, length);
  pad_to_8(&body, 0);
  add_whole(&body, m->name_list ? UINT16 : DOUBLE, 4);
  add_whole(&body, (uint32_t)(m->rows * columns * (m->name_list ? 2 : 8)), 4);
  for (size_t j = 0; j < columns; j++)
    for (size_t i = 0; i < m->rows; i++) {
      if (!m->name_list) add_double(&body, m->value[i * columns + j]);
      else if (j < strlen(m->name_list[i])) add_whole(&body, (unsigned char)m->name_list[i][j], 2);
      else add_whole(&body, ' ', 2);
    }
  pad_to_8(&body, 0);
  add_whole(out, MATRIX, 4);
  add_whole(out, (uint32_t)body.count, 4);
  if (body.status == RITT_OK) ritti_text_add_bytes(out, body.at, body.count);
  else out->status = body.status;
  ritti_text_free(&body);
}

static ritt_status write_mat(const char *path, const ritti_named_matrix *m, size_t count,
                             ritt_error *error) {
  ritti_text out = {0};
  ritti_text_add(&out, "%-116s", "MATLAB 5.0 MAT-file, written by Ritt");
  add_whole(&out, 0, 4);
  add_whole(&out, 0, 4);
  add_whole(&out, 0x0100, 2);
  ritti_text_add(&out, "IM");
  for (size_t i = 0; i < count; i++) add_array(&out, &m[i]);
  ritt_status status = out.status == RITT_OK ? ritti_file_replace(path, out.at, out.count, error)
                                             : ritti_no_memory(error);
  ritti_text_free(&out);
  return status;
}

ritt_status ritti_write_matrices(const char *path, const ritti_named_matrix *m, size_t count,
                                 ritt_error *error) {
  const char *ending = strrchr(path, '.');
  if (ending && !strcmp(ending, ".mat")) return write_mat(path, m, count, error);
  if (!ending || strcmp(ending, ".npz"))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "use a name that ends in .json, .npz or .mat",
                      "'%s' does not end like a format of matrices", path);
  ritti_arena *arena = ritti_arena_new();
  if (!arena) return ritti_no_memory(error);
  ritt_status status = write_npz(path, m, count, arena, error);
  ritti_arena_free(arena);
  return status == RITT_NO_MEMORY ? ritti_no_memory(error) : status;
}
