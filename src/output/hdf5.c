/* Writing HDF5 files. Each run is a group with
 *
 *   data         rows x columns, doubles, compressed, with the attribute "columns" and, if the units
 *                are known, "units"
 *   model        the text of the model
 *   files        the texts of the files that the model names: a numbered group, each member with the
 *                attribute "name"
 *   settings     a group whose attributes are the settings that the caller changed
 *   statistics   a group whose attributes are the statistics of the run
 *   events       a group with one group for each recorded event or section, with its "data"
 *
 * and the attributes "version" and "title". Each column has chunks of its own. Modification times of
 * objects are not stored, so that equal runs give equal bytes. A result of one run has the group
 * "run"; a collection has one group per added run, and all of them share one dataset "model". */
#include <errno.h>
#include "hdf5_impl.h"

enum {
  CHUNK = 1 << 14,        /* rows of a chunk, at most */
  MOST_NUMBERS = 1 << 20, /* numbers in one block of rows, at most */
  COMPRESSION = 4         /* level of deflate */
};

struct ritti_collection {
  hid_t file;
  ritti_replacement place;
  char *model; /* the text of the dataset "model" of the root; NULL: not written yet */
};

void ritti_hdf5_calm(void) {
  static bool done;
  if (!done) H5dont_atexit();
  done = true;
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

/* ---- writing ---- */

/* The type of all texts: UTF-8 of variable length. */
hid_t ritti_hdf5_text_type(void) {
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

/* Adds an attribute with one value, or with *count values. */
static bool add_attribute(hid_t to, const char *key, hid_t type, const void *value,
                          const hsize_t *count) {
  hid_t space = count ? H5Screate_simple(1, count, NULL) : H5Screate(H5S_SCALAR);
  hid_t attribute = H5Acreate2(to, key, type, space, H5P_DEFAULT, H5P_DEFAULT);
  bool fine = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
  if (attribute >= 0) fine &= H5Aclose(attribute) >= 0;
  H5Sclose(space);
  return fine;
}

/* Adds an attribute of texts. */
static bool add_texts(hid_t to, const char *key, const char *const *text, const hsize_t *count) {
  hid_t type = ritti_hdf5_text_type();
  bool fine = add_attribute(to, key, type, text, count);
  H5Tclose(type);
  return fine;
}

/* Adds a fact as an attribute. */
static bool add_fact(hid_t to, const ritti_fact *fact) {
  int64_t count = (int64_t)fact->number;
  if (fact->kind == RITTI_FACT_TEXT) return add_texts(to, fact->key, &fact->text, NULL);
  if (fact->kind == RITTI_FACT_COUNT)
    return add_attribute(to, fact->key, H5T_NATIVE_INT64, &count, NULL);
  return add_attribute(to, fact->key, H5T_NATIVE_DOUBLE, &fact->number, NULL);
}

/* Creates a group without modification times. */
static hid_t create_group(hid_t in, const char *name) {
  hid_t plist = H5Pcreate(H5P_GROUP_CREATE);
  H5Pset_obj_track_times(plist, false);
  hid_t group = H5Gcreate2(in, name, H5P_DEFAULT, plist, H5P_DEFAULT);
  H5Pclose(plist);
  return group;
}

/* Adds facts as a group with attributes. */
static bool add_facts(hid_t in, const char *name, const ritti_facts *facts) {
  hid_t group = create_group(in, name);
  bool fine = group >= 0;
  for (size_t i = 0; i < facts->count && fine; i++) fine = add_fact(group, &facts->at[i]);
  return group >= 0 && H5Gclose(group) >= 0 && fine;
}

/* Adds a text as a dataset, because attributes must be small. If `name` is not NULL, it is stored
 * as an attribute. */
static bool add_text(hid_t in, const char *key, const char *text, const char *name) {
  hid_t type = ritti_hdf5_text_type(), space = H5Screate(H5S_SCALAR),
        plist = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(plist, false);
  hid_t data = H5Dcreate2(in, key, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
  bool fine = data >= 0 && H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &text) >= 0;
  if (fine && name) fine = add_texts(data, "name", &name, NULL);
  if (data >= 0) fine &= H5Dclose(data) >= 0;
  H5Pclose(plist);
  H5Sclose(space);
  H5Tclose(type);
  return fine;
}

hsize_t ritti_hdf5_chunk(size_t columns) {
  size_t rows = MOST_NUMBERS / columns;
  if (rows < 1) return 1;
  return rows < CHUNK ? rows : CHUNK;
}

/* Creates the dataset of the rows, compressed, with separate chunks for each column. */
static hid_t create_data(hid_t in, size_t rows, size_t columns) {
  hsize_t size[2] = {rows, columns}, chunk[2] = {ritti_hdf5_chunk(columns), 1};
  if (chunk[0] > rows) chunk[0] = rows ? rows : 1;
  hid_t space = H5Screate_simple(2, size, NULL), plist = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(plist, false);
  H5Pset_chunk(plist, 2, chunk);
  H5Pset_shuffle(plist);
  H5Pset_deflate(plist, COMPRESSION);
  hid_t data = H5Dcreate2(in, "data", H5T_IEEE_F64LE, space, H5P_DEFAULT, plist, H5P_DEFAULT);
  H5Pclose(plist);
  H5Sclose(space);
  return data;
}

bool ritti_hdf5_move_rows(hid_t data, hsize_t first, hsize_t count, size_t columns, double *block,
                          bool write) {
  hsize_t from[2] = {first, 0}, size[2] = {count, columns};
  hid_t file = H5Dget_space(data), memory = H5Screate_simple(2, size, NULL);
  bool fine = H5Sselect_hyperslab(file, H5S_SELECT_SET, from, NULL, size, NULL) >= 0;
  if (fine && write)
    fine = H5Dwrite(data, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, block) >= 0;
  else if (fine) fine = H5Dread(data, H5T_NATIVE_DOUBLE, memory, file, H5P_DEFAULT, block) >= 0;
  H5Sclose(memory);
  H5Sclose(file);
  return fine;
}

/* Copies the rows of the log, one chunk at a time. *fine is false if HDF5 failed. */
static ritt_status write_rows(hid_t data, ritti_reader *log, bool *fine, ritt_error *error) {
  size_t columns = log->about.columns, room = ritti_hdf5_chunk(columns), count = 0, done = 0;
  double *block;
  const double *row;
  RITTI_NEW(block, log->arena, room * columns);

  /* gather rows and write them */
  do {
    RITT_TRY(ritti_reader_row(log, &row, error));
    if (row) memcpy(block + count++ * columns, row, columns * sizeof *row);
    /* go on until the block is full or the log ends */
    if (count == 0 || (row && count < room)) continue;
    *fine = ritti_hdf5_move_rows(data, done, count, columns, block, true);
    done += count;
    count = 0;
  } while (row && *fine);
  return RITT_OK;
}

/* Writes the dataset "data" with the names and units of its columns. */
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

/* Writes the group "files". */
static bool add_files(hid_t in, const ritti_facts *files) {
  hid_t group = create_group(in, "files");
  bool fine = group >= 0;
  for (size_t i = 0; i < files->count && fine; i++) {
    char key[24];
    ritti_format(key, sizeof key, "%zu", i + 1);
    fine = add_text(group, key, files->at[i].text, files->at[i].key);
  }
  return group >= 0 && H5Gclose(group) >= 0 && fine;
}

/* Writes the model and its files. */
static bool write_texts(hid_t in, const ritti_about *about) {
  return add_text(in, "model", about->model, NULL) &&
         (!about->files.count || add_files(in, &about->files));
}

/* Makes a second name for an object. */
static bool link_to(hid_t from, const char *key, hid_t to) {
  return H5Lcreate_hard(from, key, to, key, H5P_DEFAULT, H5P_DEFAULT) >= 0;
}

/* Writes the model and the files that it names. In a collection the first run writes them to the
 * root, and runs with the same model link to them. */
static bool write_model(hid_t run, const ritti_about *about, ritti_collection *c) {
  if (c && !c->model) {
    c->model = ritti_malloc(strlen(about->model) + 1);
    if (c->model) memcpy(c->model, about->model, strlen(about->model) + 1);
    if (c->model && !write_texts(c->file, about)) return false;
  }
  if (!c || !c->model || strcmp(c->model, about->model)) return write_texts(run, about);
  return link_to(c->file, "model", run) && (!about->files.count || link_to(c->file, "files", run));
}

/* Writes the points of one event, which are in BASE.NAME.log. */
static ritt_status write_part(hid_t events, const char *base, const char *name, bool *fine,
                              ritt_error *error) {
  ritti_text path = {0};
  ritti_reader *log = NULL;
  ritti_text_add(&path, "%s.%s.log", base, name);
  ritt_status status =
      path.status == RITT_OK ? ritti_reader_open(path.at, error, &log) : RITT_NO_MEMORY;
  ritti_text_free(&path);
  if (status != RITT_OK) return status;

  /* copy the log into a group of that name */
  hid_t group = create_group(events, name);
  *fine = group >= 0;
  if (*fine) status = write_data(group, log, ritti_reader_about(log), fine, error);
  if (group >= 0) *fine &= H5Gclose(group) >= 0;
  ritti_reader_close(log);
  return status;
}

/* Writes the group "events". */
static ritt_status write_parts(hid_t run, const char *base, const ritti_about *about, bool *fine,
                               ritt_error *error) {
  ritt_status status = RITT_OK;
  if (about->parts == 0) return RITT_OK;
  hid_t events = create_group(run, "events");
  *fine = events >= 0;
  for (size_t i = 0; i < about->parts && *fine && status == RITT_OK; i++)
    status = write_part(events, base, about->part[i], fine, error);
  if (events >= 0) *fine &= H5Gclose(events) >= 0;
  return status;
}

/* Writes one run as a group. The points of its events are in BASE.NAME.log. */
static ritt_status write_run(hid_t file, const char *name, ritti_reader *log, const char *base,
                             const ritti_about *about, ritti_collection *collection, bool *fine,
                             ritt_error *error) {
  hid_t run = create_group(file, name);
  *fine = run >= 0;
  if (!*fine) return RITT_OK;

  /* the rows */
  ritt_status status = write_data(run, log, about, fine, error);

  /* what the result is about */
  if (*fine && about->model) *fine = write_model(run, about, collection);
  if (*fine && about->version) *fine = add_texts(run, "version", &about->version, NULL);
  if (*fine && about->title) *fine = add_texts(run, "title", &about->title, NULL);
  if (*fine) *fine = add_facts(run, "settings", &about->settings);
  if (*fine) *fine = add_facts(run, "statistics", &about->statistics);

  /* the points of the events */
  if (*fine && status == RITT_OK) status = write_parts(run, base, about, fine, error);
  *fine &= H5Gclose(run) >= 0;
  return status;
}

/* Creates the file. `compact`: small groups take less space, but HDF5 before 1.10 cannot read the
 * file. */
static hid_t create_file(const char *path, bool compact) {
  hid_t plist = H5Pcreate(H5P_FILE_CREATE), access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_obj_track_times(plist, false);
  if (compact) H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, plist, access);
  H5Pclose(plist);
  H5Pclose(access);
  return file;
}

ritt_status ritti_hdf5_make(ritti_reader *log, const ritti_about *about, const char *path,
                            const char *part, ritt_error *error) {
  bool fine = false;

  /* write the run and close the file */
  ritti_hdf5_calm();
  errno = 0;
  hid_t file = create_file(part, false);
  ritt_status status =
      file >= 0 ? write_run(file, "run", log, path, about, NULL, &fine, error) : RITT_OK;
  int reason = errno;
  if (file >= 0 && H5Fclose(file) < 0 && fine) {
    fine = false;
    reason = errno;
  }

  /* report failures */
  if (status == RITT_OK && !fine) status = ritti_file_failed(error, path, reason ? reason : EIO);
  return status == RITT_NO_MEMORY ? ritti_no_memory(error) : status;
}

/* ---- several runs ---- */

ritt_status ritti_collection_open(const char *path, ritt_error *error, ritti_collection **out) {
  ritti_collection *c = *out = ritti_malloc(sizeof *c);
  if (!c) return ritti_no_memory(error);
  *c = (ritti_collection){.file = -1};
  ritti_hdf5_calm();

  /* create the file under its temporary name */
  errno = 0;
  int reason = ritti_replacement_init(&c->place, path);
  if (!reason && (c->file = create_file(c->place.part, true)) < 0) reason = errno ? errno : EIO;

  /* on failure free everything */
  if (!reason) return RITT_OK;
  ritti_replacement_clear(&c->place);
  ritti_free(c);
  *out = NULL;
  return ritti_file_failed(error, path, reason);
}

ritt_status ritti_collection_add(ritti_collection *c, const char *name, const char *base,
                                 const ritti_facts *statistics, const char *const *part,
                                 size_t parts, ritt_error *error) {
  ritti_reader *reader = NULL;
  ritti_text log = {0};
  bool fine = false;

  /* open the log of the run */
  ritti_text_add(&log, "%s.log", base);
  ritt_status status =
      log.status == RITT_OK ? ritti_reader_open(log.at, error, &reader) : RITT_NO_MEMORY;
  ritti_text_free(&log);

  /* write it with the statistics and events that the caller gives */
  if (status == RITT_OK) {
    ritti_about about = *ritti_reader_about(reader);
    about.statistics = *statistics;
    about.part = part;
    about.parts = parts;
    errno = 0;
    status = write_run(c->file, name, reader, base, &about, c, &fine, error);
    if (status == RITT_OK && !fine)
      status = ritti_file_failed(error, c->place.path, errno ? errno : EIO);
  }
  ritti_reader_close(reader);
  return status == RITT_NO_MEMORY ? ritti_no_memory(error) : status;
}

ritt_status ritti_collection_close(ritti_collection *c, bool keep, ritt_error *error) {
  if (!c) return RITT_OK;
  errno = 0;
  int reason = 0;
  if (H5Fclose(c->file) < 0) reason = errno ? errno : EIO;
  if (keep && !reason) reason = ritti_replacement_finish(&c->place);
  ritt_status status = keep && reason ? ritti_file_failed(error, c->place.path, reason) : RITT_OK;
  ritti_replacement_clear(&c->place);
  ritti_free(c->model);
  ritti_free(c);
  return status;
}
