/* HDF5: a group for each run, with
 *
 *   data         rows x columns, doubles, compressed; its attributes "columns" and, where known, "units"
 *   model        the text of the model
 *   settings     a group whose attributes are what the caller set over the model's text
 *   statistics   a group whose attributes are those of the run
 *
 * and the attributes "version" and "title". Each column has chunks of its own. The times of objects are not
 * kept, so that equal runs give equal bytes. A file is read if it holds one such group. */
#include <errno.h>
#include <hdf5.h>
#include <limits.h>
#include "output_impl.h"

enum { CHUNK = 1 << 14, MOST_NUMBERS = 1 << 20, COMPRESSION = 4 };
static const char run_name[] = "run";

/* HDF5 neither prints nor, after a write that failed, tries again when the program ends. */
static void calm(void) {
  static bool done;
  if (!done) H5dont_atexit();
  done = true;
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

/* ---- writing ------------------------------------------------------------------------------------------ */

static hid_t text_type(void) {
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

/* An attribute of one value, or of `count`. */
static bool add_attribute(hid_t to, const char *key, hid_t type, const void *value, const hsize_t *count) {
  hid_t space = count ? H5Screate_simple(1, count, NULL) : H5Screate(H5S_SCALAR);
  hid_t attribute = H5Acreate2(to, key, type, space, H5P_DEFAULT, H5P_DEFAULT);
  bool fine = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
  if (attribute >= 0) fine &= H5Aclose(attribute) >= 0;
  H5Sclose(space);
  return fine;
}

static bool add_texts(hid_t to, const char *key, const char *const *text, const hsize_t *count) {
  hid_t type = text_type();
  bool fine = add_attribute(to, key, type, text, count);
  H5Tclose(type);
  return fine;
}

static bool add_fact(hid_t to, const ritti_fact *fact) {
  int64_t count = (int64_t)fact->number;
  if (fact->kind == RITTI_FACT_TEXT) return add_texts(to, fact->key, &fact->text, NULL);
  if (fact->kind == RITTI_FACT_COUNT) return add_attribute(to, fact->key, H5T_NATIVE_INT64, &count, NULL);
  return add_attribute(to, fact->key, H5T_NATIVE_DOUBLE, &fact->number, NULL);
}

static hid_t create_group(hid_t in, const char *name) {
  hid_t plist = H5Pcreate(H5P_GROUP_CREATE);
  H5Pset_obj_track_times(plist, false);
  hid_t group = H5Gcreate2(in, name, H5P_DEFAULT, plist, H5P_DEFAULT);
  H5Pclose(plist);
  return group;
}

static bool add_facts(hid_t in, const char *name, const ritti_facts *facts) {
  hid_t group = create_group(in, name);
  bool fine = group >= 0;
  for (size_t i = 0; i < facts->count && fine; i++) fine = add_fact(group, &facts->at[i]);
  return group >= 0 && H5Gclose(group) >= 0 && fine;
}

/* The text of the model is a dataset: an attribute may not be large. */
static bool add_model(hid_t in, const char *text) {
  hid_t type = text_type(), space = H5Screate(H5S_SCALAR), plist = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(plist, false);
  hid_t data = H5Dcreate2(in, "model", type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
  bool fine = data >= 0 && H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &text) >= 0;
  if (data >= 0) fine &= H5Dclose(data) >= 0;
  H5Pclose(plist), H5Sclose(space), H5Tclose(type);
  return fine;
}

static hsize_t chunk_of(size_t columns) {
  size_t rows = MOST_NUMBERS / columns;
  return rows < 1 ? 1 : rows < CHUNK ? rows : CHUNK;
}

static hid_t create_data(hid_t in, size_t rows, size_t columns) {
  hsize_t size[2] = {rows, columns}, chunk[2] = {chunk_of(columns), 1};
  if (chunk[0] > rows) chunk[0] = rows ? rows : 1;
  hid_t space = H5Screate_simple(2, size, NULL), plist = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(plist, false);
  H5Pset_chunk(plist, 2, chunk);
  H5Pset_shuffle(plist);
  H5Pset_deflate(plist, COMPRESSION);
  hid_t data = H5Dcreate2(in, "data", H5T_IEEE_F64LE, space, H5P_DEFAULT, plist, H5P_DEFAULT);
  H5Pclose(plist), H5Sclose(space);
  return data;
}

/* `count` rows from row `first` on. */
static bool move_rows(hid_t data, hsize_t first, hsize_t count, size_t columns, double *block, bool write) {
  hsize_t from[2] = {first, 0}, size[2] = {count, columns};
  hid_t file = H5Dget_space(data), memory = H5Screate_simple(2, size, NULL);
  bool fine = H5Sselect_hyperslab(file, H5S_SELECT_SET, from, NULL, size, NULL) >= 0;
  if (fine && write) fine = H5Dwrite(data, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, block) >= 0;
  else if (fine) fine = H5Dread(data, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, block) >= 0;
  H5Sclose(memory), H5Sclose(file);
  return fine;
}

/* The rows of the log, as many at a time as a chunk holds. *fine: HDF5 took them. */
static ritt_status write_rows(hid_t data, ritti_reader *log, bool *fine, ritt_error *error) {
  size_t columns = log->about.columns, room = chunk_of(columns), count = 0, done = 0;
  double *block;
  const double *row;
  RITTI_NEW(block, log->arena, room * columns);
  do {
    RITT_TRY(ritti_reader_row(log, &row, error));
    if (row) memcpy(block + count++ * columns, row, columns * sizeof *row);
    if (count == 0 || (row && count < room)) continue;
    *fine = move_rows(data, done, count, columns, block, true);
    done += count, count = 0;
  } while (row && *fine);
  return RITT_OK;
}

static ritt_status write_data(hid_t in, ritti_reader *log, const ritti_about *about, bool *fine,
                              ritt_error *error) {
  hsize_t columns = about->columns;
  hid_t data = create_data(in, (size_t)log->total, about->columns);
  *fine = data >= 0;
  if (!*fine) return RITT_OK;
  ritt_status status = write_rows(data, log, fine, error);
  if (*fine) *fine = add_texts(data, "columns", about->name, &columns);
  if (*fine && about->unit) *fine = add_texts(data, "units", about->unit, &columns);
  *fine &= H5Dclose(data) >= 0;
  return status;
}

static ritt_status write_run(hid_t file, ritti_reader *log, const ritti_about *about, bool *fine,
                             ritt_error *error) {
  hid_t run = create_group(file, run_name);
  *fine = run >= 0;
  if (!*fine) return RITT_OK;
  ritt_status status = write_data(run, log, about, fine, error);
  if (*fine && about->model) *fine = add_model(run, about->model);
  if (*fine && about->version) *fine = add_texts(run, "version", &about->version, NULL);
  if (*fine && about->title) *fine = add_texts(run, "title", &about->title, NULL);
  if (*fine) *fine = add_facts(run, "settings", &about->settings);
  if (*fine) *fine = add_facts(run, "statistics", &about->statistics);
  *fine &= H5Gclose(run) >= 0;
  return status;
}

static ritt_status hdf5_make(ritti_reader *log, const ritti_about *about, const char *path, const char *part,
                             ritt_error *error) {
  bool fine = false;
  calm();
  errno = 0;
  hid_t plist = H5Pcreate(H5P_FILE_CREATE);
  H5Pset_obj_track_times(plist, false);
  hid_t file = H5Fcreate(part, H5F_ACC_TRUNC, plist, H5P_DEFAULT);
  H5Pclose(plist);
  ritt_status status = file >= 0 ? write_run(file, log, about, &fine, error) : RITT_OK;
  int reason = errno;
  if (file >= 0 && H5Fclose(file) < 0 && fine) fine = false, reason = errno;
  if (status == RITT_OK && !fine) status = ritti_file_failed(error, path, reason ? reason : EIO);
  return status == RITT_NO_MEMORY ? ritti_no_memory(error) : status;
}

/* ---- reading ------------------------------------------------------------------------------------------ */

typedef struct hdf5 {
  hid_t file, run, data;
  hsize_t done; /* rows read */
  int runs;     /* groups with data, while they are looked for */
  char name[64];
} hdf5;

static ritt_status not_ours(const ritti_reader *reader, ritt_error *error, const char *why) {
  return ritti_reader_wrong(reader, error, "a result of Ritt has a group with the dataset 'data'", "%s", why);
}

/* Is there a dataset "data" in this group? */
static bool holds_data(hid_t in, const char *name) {
  H5O_info_t info;
  hid_t group = H5Gopen2(in, name, H5P_DEFAULT);
  if (group < 0) return false;
  bool holds = H5Lexists(group, "data", H5P_DEFAULT) > 0 &&
               H5Oget_info_by_name(group, "data", &info, H5P_DEFAULT) >= 0 && info.type == H5O_TYPE_DATASET;
  H5Gclose(group);
  return holds;
}

static herr_t look_at_link(hid_t in, const char *name, const H5L_info_t *info, void *user) {
  hdf5 *own = user;
  if (info->type != H5L_TYPE_HARD || strlen(name) >= sizeof own->name || !holds_data(in, name)) return 0;
  if (own->runs++ == 0) memcpy(own->name, name, strlen(name) + 1);
  return 0;
}

/* Texts of an attribute, `count` of them, into the arena; NULL: there are none of that kind. */
static ritt_status get_texts(hid_t of, const char *key, size_t count, ritti_arena *arena,
                             const char *const **out) {
  *out = NULL;
  if (H5Aexists(of, key) <= 0) return RITT_OK;
  hid_t attribute = H5Aopen(of, key, H5P_DEFAULT);
  if (attribute < 0) return RITT_OK;
  hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute), own = text_type();
  bool texts = H5Tis_variable_str(type) > 0 && H5Sget_simple_extent_npoints(space) == (hssize_t)count;
  char **read = texts ? ritti_arena_alloc(arena, count, sizeof *read) : NULL;
  const char **kept = texts ? ritti_arena_alloc(arena, count, sizeof *kept) : NULL;
  ritt_status status = texts && (!read || !kept) ? RITT_NO_MEMORY : RITT_OK;
  if (read && kept && H5Aread(attribute, own, read) >= 0) {
    for (size_t i = 0; i < count && status == RITT_OK; i++) {
      kept[i] = ritti_arena_text(arena, read[i] ? read[i] : "", read[i] ? strlen(read[i]) : 0);
      if (!kept[i]) status = RITT_NO_MEMORY;
    }
    H5Dvlen_reclaim(own, space, H5P_DEFAULT, read);
    *out = kept;
  }
  H5Tclose(own), H5Sclose(space), H5Tclose(type), H5Aclose(attribute);
  return status;
}

static ritt_status get_text(hid_t of, const char *key, ritti_arena *arena, const char **out) {
  const char *const *one;
  RITT_TRY(get_texts(of, key, 1, arena, &one));
  if (one) *out = one[0];
  return RITT_OK;
}

static ritt_status get_model(hid_t run, ritti_arena *arena, const char **out) {
  if (H5Lexists(run, "model", H5P_DEFAULT) <= 0) return RITT_OK;
  hid_t data = H5Dopen2(run, "model", H5P_DEFAULT);
  if (data < 0) return RITT_OK;
  hid_t type = H5Dget_type(data), space = H5Dget_space(data), own = text_type();
  char *text = NULL;
  bool one = H5Tis_variable_str(type) > 0 && H5Sget_simple_extent_npoints(space) == 1;
  ritt_status status = RITT_OK;
  if (one && H5Dread(data, own, H5S_ALL, H5S_ALL, H5P_DEFAULT, &text) >= 0 && text) {
    *out = ritti_arena_text(arena, text, strlen(text));
    if (!*out) status = RITT_NO_MEMORY;
    H5Dvlen_reclaim(own, space, H5P_DEFAULT, &text);
  }
  H5Tclose(own), H5Sclose(space), H5Tclose(type), H5Dclose(data);
  return status;
}

/* The attribute number i of a group as a fact; key NULL: it is none. */
static ritt_status get_fact(hid_t group, hsize_t i, ritti_arena *arena, ritti_fact *fact) {
  char key[64];
  *fact = (ritti_fact){0};
  hid_t attribute = H5Aopen_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, H5P_DEFAULT, H5P_DEFAULT);
  if (attribute < 0) return RITT_OK;
  ssize_t length = H5Aget_name(attribute, sizeof key, key);
  hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
  H5T_class_t kind = H5Tget_class(type);
  bool one = H5Sget_simple_extent_npoints(space) == 1 && length > 0 && (size_t)length < sizeof key;
  bool number = one && (kind == H5T_INTEGER || kind == H5T_FLOAT) &&
                H5Aread(attribute, H5T_NATIVE_DOUBLE, &fact->number) >= 0;
  H5Tclose(type), H5Sclose(space), H5Aclose(attribute);
  fact->kind = kind == H5T_INTEGER ? RITTI_FACT_COUNT : kind == H5T_FLOAT ? RITTI_FACT_REAL : RITTI_FACT_TEXT;
  if (one && kind == H5T_STRING) RITT_TRY(get_text(group, key, arena, &fact->text));
  if (!number && !fact->text) return RITT_OK;
  fact->key = ritti_arena_text(arena, key, (size_t)length);
  return fact->key ? RITT_OK : RITT_NO_MEMORY;
}

static ritt_status get_facts(hid_t run, const char *name, ritti_arena *arena, ritti_facts *out) {
  enum { MANY = 1000 };
  H5O_info_t info;
  if (H5Lexists(run, name, H5P_DEFAULT) <= 0) return RITT_OK;
  hid_t group = H5Gopen2(run, name, H5P_DEFAULT);
  if (group < 0) return RITT_OK;
  hsize_t count = H5Oget_info(group, &info) >= 0 ? info.num_attrs : 0;
  if (count > MANY) count = MANY;
  ritti_fact *fact = ritti_arena_alloc(arena, count + 1, sizeof *fact);
  ritt_status status = fact ? RITT_OK : RITT_NO_MEMORY;
  *out = (ritti_facts){fact, 0};
  for (hsize_t i = 0; i < count && status == RITT_OK; i++) {
    status = get_fact(group, i, arena, &fact[out->count]);
    if (fact[out->count].key) out->count++;
  }
  H5Gclose(group);
  return status;
}

/* The names of the columns and the number of rows. */
static ritt_status read_shape(ritti_reader *reader, ritt_error *error) {
  hdf5 *own = reader->own;
  hsize_t size[2] = {0};
  const char *const *name;
  hid_t space = H5Dget_space(own->data), type = H5Dget_type(own->data);
  bool fine = H5Sget_simple_extent_ndims(space) == 2 && H5Sget_simple_extent_dims(space, size, NULL) == 2 &&
              H5Tget_class(type) == H5T_FLOAT && size[0] <= LONG_MAX && size[1] <= INT_MAX;
  H5Sclose(space), H5Tclose(type);
  if (!fine) return not_ours(reader, error, "its 'data' is no table of numbers");
  RITT_TRY(get_texts(own->data, "columns", (size_t)size[1], reader->arena, &name));
  if (!name) return not_ours(reader, error, "its 'data' has no attribute 'columns' with a name for each");
  reader->total = (long)size[0];
  return ritti_reader_set_columns(reader, name, (size_t)size[1], error);
}

static ritt_status read_about(ritti_reader *reader) {
  hdf5 *own = reader->own;
  ritti_about *about = &reader->about;
  RITT_TRY(get_texts(own->data, "units", about->columns, reader->arena, &about->unit));
  RITT_TRY(get_text(own->run, "version", reader->arena, &about->version));
  RITT_TRY(get_text(own->run, "title", reader->arena, &about->title));
  RITT_TRY(get_model(own->run, reader->arena, &about->model));
  RITT_TRY(get_facts(own->run, "settings", reader->arena, &about->settings));
  return get_facts(own->run, "statistics", reader->arena, &about->statistics);
}

/* Room in the cache for all chunks of some rows, so that each is unpacked once. */
static hid_t open_data(hid_t run, size_t columns) {
  hid_t plist = H5Pcreate(H5P_DATASET_ACCESS);
  size_t chunk = (size_t)chunk_of(columns) * columns * sizeof(double);
  H5Pset_chunk_cache(plist, 12421, 2 * chunk + (1 << 20), 1);
  hid_t data = H5Dopen2(run, "data", plist);
  H5Pclose(plist);
  return data;
}

static ritt_status hdf5_open(ritti_reader *reader, ritt_error *error) {
  hdf5 *own;
  RITTI_NEW(own, reader->arena, 1);
  *own = (hdf5){.file = -1, .run = -1, .data = -1};
  reader->own = own;
  calm();
  if (!strcmp(reader->path, "stdin"))
    return ritti_reader_wrong(reader, error, "give the name of the file",
                              "HDF5 does not come through a pipe");
  own->file = H5Fopen(reader->path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (own->file < 0) return ritti_reader_wrong(reader, error, NULL, "the HDF5 file is broken or cut off");
  if (H5Literate(own->file, H5_INDEX_NAME, H5_ITER_INC, NULL, look_at_link, own) < 0)
    return ritti_reader_wrong(reader, error, NULL, "the HDF5 file is broken or cut off");
  if (own->runs == 0) return not_ours(reader, error, "the HDF5 file is no result of Ritt");
  if (own->runs > 1)
    return ritti_reader_wrong(reader, error, NULL, "it holds %d runs, and one is wanted", own->runs);
  own->run = H5Gopen2(own->file, own->name, H5P_DEFAULT);
  own->data = H5Dopen2(own->run, "data", H5P_DEFAULT);
  if (own->run < 0 || own->data < 0) return not_ours(reader, error, "the HDF5 file is no result of Ritt");
  RITT_TRY(read_shape(reader, error));
  RITT_TRY(read_about(reader));
  H5Dclose(own->data);
  own->data = open_data(own->run, reader->about.columns);
  return RITT_OK;
}

static ritt_status hdf5_fill(ritti_reader *reader, ritt_error *error) {
  hdf5 *own = reader->own;
  hsize_t left = (hsize_t)reader->total - own->done, count = left < reader->room ? left : reader->room;
  if (count > 0 && !move_rows(own->data, own->done, count, reader->about.columns, reader->block, false))
    return ritti_reader_wrong(reader, error, NULL, "the HDF5 file is broken or cut off");
  own->done += count;
  reader->rows = (size_t)count;
  reader->ended = own->done == (hsize_t)reader->total;
  return RITT_OK;
}

static ritt_status hdf5_rewind(ritti_reader *reader, ritt_error *error) {
  (void)error;
  ((hdf5 *)reader->own)->done = 0;
  return RITT_OK;
}

static void hdf5_close(ritti_reader *reader) {
  hdf5 *own = reader->own;
  if (own->data >= 0) H5Dclose(own->data);
  if (own->run >= 0) H5Gclose(own->run);
  if (own->file >= 0) H5Fclose(own->file);
}

const ritti_format_def ritti_format_h5 = {
    .magic = "\x89HDF\r\n\x1a\n",
    .make = hdf5_make,
    .open = hdf5_open,
    .fill = hdf5_fill,
    .rewind = hdf5_rewind,
    .close = hdf5_close,
};
