/* Reading HDF5 files: the rows of one run, or the points of one of its events. The HDF5 library
 * crashes, hangs or takes all memory on some damaged files. So a child process with limits on its
 * time and memory reads the file and copies the run to a temporary log, which is then read like any
 * other log. If the child dies, the file is broken. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "hdf5_impl.h"

/* The state of the child process while it reads a file. Handles of -1 are not open. */
typedef struct hdf5 {
  hid_t file, run, data;
  hid_t table; /* the group of an event's points; -1: the rows of the run are requested */
  /* for the search for runs: */
  long wanted;   /* the number of the wanted run; 0: any run */
  int runs;      /* the number of matching runs found so far */
  char name[64]; /* the name of the first one */
} hdf5;

/* Refuses a file that Ritt did not write. */
static ritt_status not_ours(const ritti_reader *reader, ritt_error *error, const char *why) {
  return ritti_reader_wrong(reader, error, "a result of Ritt has a group with the dataset 'data'",
                            "%s", why);
}

/* Refuses a damaged file. */
static ritt_status report_broken(const ritti_reader *reader, ritt_error *error) {
  return ritti_reader_wrong(reader, error, NULL, "the HDF5 file is broken or cut off");
}

/* Does this group contain a dataset "data"? */
static bool holds_data(hid_t in, const char *name) {
  H5O_info_t info;
  hid_t group = H5Gopen2(in, name, H5P_DEFAULT);
  if (group < 0) return false;
  bool holds = H5Lexists(group, "data", H5P_DEFAULT) > 0 &&
               H5Oget_info_by_name(group, "data", &info, H5P_DEFAULT) >= 0 &&
               info.type == H5O_TYPE_DATASET;
  H5Gclose(group);
  return holds;
}

/* Does the group of this name hold the run with this number? "run_0007" is run 7, "run" is run 1.
 */
static bool is_run(const char *name, long wanted) {
  if (strncmp(name, "run", 3)) return false;
  return strtol(name[3] ? name + 4 : "1", NULL, 10) == wanted;
}

/* Called for each link of the root: counts the runs that match and keeps the name of the first. */
static herr_t look_at_link(hid_t in, const char *name, const H5L_info_t *info, void *user) {
  hdf5 *own = user;
  if (info->type != H5L_TYPE_HARD || strlen(name) >= sizeof own->name) return 0;
  if ((own->wanted && !is_run(name, own->wanted)) || !holds_data(in, name)) return 0;
  if (own->runs++ == 0) memcpy(own->name, name, strlen(name) + 1);
  return 0;
}

/* Reads an attribute of `count` texts into the arena. *out is NULL if there is no such attribute.
 */
static ritt_status get_texts(hid_t of, const char *key, size_t count, ritti_arena *arena,
                             const char *const **out) {
  *out = NULL;

  /* open the attribute, if it exists */
  if (H5Aexists(of, key) <= 0) return RITT_OK;
  hid_t attribute = H5Aopen(of, key, H5P_DEFAULT);
  if (attribute < 0) return RITT_OK;
  hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute),
        own = ritti_hdf5_text_type();

  /* is it an array of `count` texts? */
  bool texts =
      H5Tis_variable_str(type) > 0 && H5Sget_simple_extent_npoints(space) == (hssize_t)count;
  char **read = texts ? ritti_arena_alloc(arena, count, sizeof *read) : NULL;
  const char **kept = texts ? ritti_arena_alloc(arena, count, sizeof *kept) : NULL;
  ritt_status status = texts && (!read || !kept) ? RITT_NO_MEMORY : RITT_OK;

  /* copy the texts */
  if (read && kept && H5Aread(attribute, own, read) >= 0) {
    for (size_t i = 0; i < count && status == RITT_OK; i++) {
      kept[i] = ritti_arena_text(arena, read[i] ? read[i] : "", read[i] ? strlen(read[i]) : 0);
      if (!kept[i]) status = RITT_NO_MEMORY;
    }
    H5Dvlen_reclaim(own, space, H5P_DEFAULT, read);
    *out = kept;
  }

  H5Tclose(own);
  H5Sclose(space);
  H5Tclose(type);
  H5Aclose(attribute);
  return status;
}

/* Reads an attribute of one text; *out stays unchanged if there is none. */
static ritt_status get_text(hid_t of, const char *key, ritti_arena *arena, const char **out) {
  const char *const *one;
  RITT_TRY(get_texts(of, key, 1, arena, &one));
  if (one) *out = one[0];
  return RITT_OK;
}

/* Reads the text of a dataset and, if `name` is not NULL, its attribute "name". Both stay unchanged
 * if they do not exist. */
static ritt_status get_dataset(hid_t in, const char *key, ritti_arena *arena, const char **out,
                               const char **name) {
  /* open the dataset, if it exists */
  if (H5Lexists(in, key, H5P_DEFAULT) <= 0) return RITT_OK;
  hid_t data = H5Dopen2(in, key, H5P_DEFAULT);
  if (data < 0) return RITT_OK;
  hid_t type = H5Dget_type(data), space = H5Dget_space(data), own = ritti_hdf5_text_type();
  char *text = NULL;

  /* copy its text */
  bool one = H5Tis_variable_str(type) > 0 && H5Sget_simple_extent_npoints(space) == 1;
  ritt_status status = RITT_OK;
  if (one && H5Dread(data, own, H5S_ALL, H5S_ALL, H5P_DEFAULT, &text) >= 0 && text) {
    *out = ritti_arena_text(arena, text, strlen(text));
    if (!*out) status = RITT_NO_MEMORY;
    H5Dvlen_reclaim(own, space, H5P_DEFAULT, &text);
  }
  if (status == RITT_OK && name) status = get_text(data, "name", arena, name);

  H5Tclose(own);
  H5Sclose(space);
  H5Tclose(type);
  H5Dclose(data);
  return status;
}

/* Reads the group "files": names and texts of the files that the model names. */
static ritt_status get_files(hid_t run, ritti_arena *arena, ritti_facts *out) {
  enum { MANY = 1000 };
  H5G_info_t info;

  /* open the group, if it exists */
  if (H5Lexists(run, "files", H5P_DEFAULT) <= 0) return RITT_OK;
  hid_t group = H5Gopen2(run, "files", H5P_DEFAULT);
  if (group < 0) return RITT_OK;

  /* read its members; a damaged file may claim any number of them */
  hsize_t count = H5Gget_info(group, &info) >= 0 ? info.nlinks : 0;
  if (count > MANY) count = MANY;
  ritti_fact *fact = ritti_arena_alloc(arena, (size_t)count + 1, sizeof *fact);
  ritt_status status = fact ? RITT_OK : RITT_NO_MEMORY;
  *out = (ritti_facts){fact, 0};
  for (hsize_t i = 0; i < count && status == RITT_OK; i++) {
    char key[24];
    ritti_format(key, sizeof key, "%llu", (unsigned long long)i + 1);
    status = get_dataset(group, key, arena, &fact[out->count].text, &fact[out->count].key);
    if (fact[out->count].key && fact[out->count].text) out->count++;
  }
  H5Gclose(group);
  return status;
}

/* Reads attribute number i of a group as a fact. The key is NULL if the attribute is not a fact. */
static ritt_status get_fact(hid_t group, hsize_t i, ritti_arena *arena, ritti_fact *fact) {
  char key[64];
  *fact = (ritti_fact){0};
  hid_t attribute =
      H5Aopen_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, H5P_DEFAULT, H5P_DEFAULT);
  if (attribute < 0) return RITT_OK;

  /* read its name, its type and, if it is a number, its value */
  ssize_t length = H5Aget_name(attribute, sizeof key, key);
  hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
  H5T_class_t kind = H5Tget_class(type);
  bool one = H5Sget_simple_extent_npoints(space) == 1 && length > 0 && (size_t)length < sizeof key;
  bool number = one && (kind == H5T_INTEGER || kind == H5T_FLOAT) &&
                H5Aread(attribute, H5T_NATIVE_DOUBLE, &fact->number) >= 0;
  H5Tclose(type);
  H5Sclose(space);
  H5Aclose(attribute);

  /* set the fact; attributes of other types are skipped */
  fact->kind = RITTI_FACT_TEXT;
  if (kind == H5T_INTEGER) fact->kind = RITTI_FACT_COUNT;
  if (kind == H5T_FLOAT) fact->kind = RITTI_FACT_REAL;
  if (one && kind == H5T_STRING) RITT_TRY(get_text(group, key, arena, &fact->text));
  if (!number && !fact->text) return RITT_OK;
  fact->key = ritti_arena_text(arena, key, (size_t)length);
  return fact->key ? RITT_OK : RITT_NO_MEMORY;
}

/* Reads all attributes of a group as facts. */
static ritt_status get_facts(hid_t run, const char *name, ritti_arena *arena, ritti_facts *out) {
  enum { MANY = 1000 };
  H5O_info_t info;

  /* open the group, if it exists */
  if (H5Lexists(run, name, H5P_DEFAULT) <= 0) return RITT_OK;
  hid_t group = H5Gopen2(run, name, H5P_DEFAULT);
  if (group < 0) return RITT_OK;

  /* read its attributes; a damaged file may claim any number of them */
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

/* Reads the names of the columns and the number of rows. */
static ritt_status read_shape(ritti_reader *reader, ritt_error *error) {
  hdf5 *own = reader->own;
  hsize_t size[2] = {0};
  const char *const *name;

  /* the dataset must be a matrix of floating-point numbers */
  hid_t space = H5Dget_space(own->data), type = H5Dget_type(own->data);
  bool fine = H5Sget_simple_extent_ndims(space) == 2 &&
              H5Sget_simple_extent_dims(space, size, NULL) == 2 &&
              H5Tget_class(type) == H5T_FLOAT && size[0] <= LONG_MAX && size[1] <= INT_MAX;
  H5Sclose(space);
  H5Tclose(type);
  if (!fine) return not_ours(reader, error, "its 'data' is not a table of numbers");

  /* deflate shrinks data by a factor of at most 1032, so a larger matrix cannot be in the file */
  double bytes = (double)size[0] * (double)size[1] * sizeof(double);
  if (bytes > 1100.0 * (double)H5Dget_storage_size(own->data) + (1 << 20))
    return report_broken(reader, error);

  /* read the names of the columns */
  RITT_TRY(get_texts(own->data, "columns", (size_t)size[1], reader->arena, &name));
  if (!name)
    return not_ours(reader, error, "its 'data' has no attribute 'columns' with a name for each");
  reader->total = (long)size[0];
  return ritti_reader_set_columns(reader, name, (size_t)size[1], error);
}

/* Reads everything else that is known about the run. */
static ritt_status read_about(ritti_reader *reader) {
  hdf5 *own = reader->own;
  ritti_about *about = &reader->about;
  RITT_TRY(get_texts(own->data, "units", about->columns, reader->arena, &about->unit));
  RITT_TRY(get_text(own->run, "version", reader->arena, &about->version));
  RITT_TRY(get_text(own->run, "title", reader->arena, &about->title));
  RITT_TRY(get_dataset(own->run, "model", reader->arena, &about->model, NULL));
  RITT_TRY(get_files(own->run, reader->arena, &about->files));
  RITT_TRY(get_facts(own->run, "settings", reader->arena, &about->settings));
  return get_facts(own->run, "statistics", reader->arena, &about->statistics);
}

/* Opens the dataset with a cache that holds the chunks of all columns for a range of rows, so that
 * each chunk is unpacked once. */
static hid_t open_data(hid_t run, size_t columns) {
  hid_t plist = H5Pcreate(H5P_DATASET_ACCESS);
  size_t chunk = (size_t)ritti_hdf5_chunk(columns) * columns * sizeof(double);
  H5Pset_chunk_cache(plist, 12421, 2 * chunk + (1 << 20), 1);
  hid_t data = H5Dopen2(run, "data", plist);
  H5Pclose(plist);
  return data;
}

/* The name of the event in "FILE:hit" or "FILE:7:hit"; NULL if the path names no event. */
static const char *event_of(const ritti_reader *reader) {
  const char *part = reader->part ? reader->part : "", *name = part + strspn(part, "0123456789");
  if (name > part && *name == ':') name++;
  else if (name > part && *name) name = part; /* the name of the event begins with a digit */
  return *name ? name : NULL;
}

/* Finds the run: the only one in the file, or the one whose number follows the file's name. */
static ritt_status find_run(ritti_reader *reader, ritt_error *error) {
  hdf5 *own = reader->own;

  /* look for the runs */
  own->wanted =
      reader->part && event_of(reader) != reader->part ? strtol(reader->part, NULL, 10) : 0;
  if (H5Literate(own->file, H5_INDEX_NAME, H5_ITER_INC, NULL, look_at_link, own) < 0)
    return report_broken(reader, error);

  /* exactly one run must match */
  if (own->runs == 0 && own->wanted)
    return ritti_reader_wrong(reader, error, NULL, "it contains no run %ld", own->wanted);
  if (own->runs == 0) return not_ours(reader, error, "the HDF5 file is not a result of Ritt");
  if (own->runs == 1) return RITT_OK;
  char hint[96];
  snprintf(hint, sizeof hint, "name one, such as '%.*s:1'",
           (int)(reader->part ? reader->part - reader->path - 1 : (long)strlen(reader->path)),
           reader->path);
  return ritti_reader_wrong(reader, error, hint, "it contains %d runs; one must be named",
                            own->runs);
}

/* Opens the group of the event, if the path names one. */
static ritt_status find_event(ritti_reader *reader, ritt_error *error) {
  hdf5 *own = reader->own;
  const char *name = event_of(reader);
  if (!name) return RITT_OK;
  hid_t events = H5Lexists(own->run, "events", H5P_DEFAULT) > 0
                     ? H5Gopen2(own->run, "events", H5P_DEFAULT)
                     : -1;
  bool there = events >= 0 && !strchr(name, '/') && H5Lexists(events, name, H5P_DEFAULT) > 0;
  if (there) own->table = H5Gopen2(events, name, H5P_DEFAULT);
  if (events >= 0) H5Gclose(events);
  if (own->table >= 0) return RITT_OK;
  return ritti_reader_wrong(reader, error, NULL, "it contains no points of an event '%.60s'", name);
}

/* Opens the file: its name is the path without the run and event that may follow. */
static ritt_status open_file(ritti_reader *reader) {
  hdf5 *own = reader->own;
  size_t length = reader->part ? (size_t)(reader->part - reader->path) - 1 : strlen(reader->path);
  const char *path = ritti_arena_text(reader->arena, reader->path, length);
  if (!path) return RITT_NO_MEMORY;
  own->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  return RITT_OK;
}

/* ---- in the child process ---- */

/* Opens the file and reads everything except the rows. */
static ritt_status open_table(ritti_reader *reader, ritt_error *error) {
  hdf5 *own = reader->own;
  ritti_hdf5_calm();
  RITT_TRY(open_file(reader));
  if (own->file < 0) return report_broken(reader, error);

  /* find the group with the rows */
  RITT_TRY(find_run(reader, error));
  own->run = H5Gopen2(own->file, own->name, H5P_DEFAULT);
  if (own->run >= 0) RITT_TRY(find_event(reader, error));
  hid_t table = own->table >= 0 ? own->table : own->run;
  own->data = H5Dopen2(table, "data", H5P_DEFAULT);
  if (own->run < 0 || own->data < 0)
    return not_ours(reader, error, "the HDF5 file is not a result of Ritt");

  /* read the names of the columns and the facts, and open the dataset again with a cache for them
   */
  RITT_TRY(read_shape(reader, error));
  RITT_TRY(read_about(reader));
  H5Dclose(own->data);
  own->data = open_data(table, reader->about.columns);
  return RITT_OK;
}

/* Copies the header and the rows to `log`. */
static ritt_status copy_table(ritti_reader *reader, FILE *log, ritt_error *error) {
  const hdf5 *own = reader->own;
  ritti_text head = {0};
  ritti_format_log.add_head(&head, &reader->about);
  bool written = head.status == RITT_OK && fwrite(head.at, 1, head.count, log) == head.count;
  ritti_text_free(&head);

  /* copy the rows block by block */
  hsize_t total = (hsize_t)reader->total;
  for (hsize_t done = 0; written && done < total;) {
    hsize_t count = total - done < reader->room ? total - done : reader->room;
    size_t numbers = (size_t)count * reader->about.columns;
    if (!ritti_hdf5_move_rows(own->data, done, count, reader->about.columns, reader->block, false))
      return report_broken(reader, error);
    written = fwrite(reader->block, sizeof *reader->block, numbers, log) == numbers;
    done += count;
  }
  if (written && fflush(log) == 0) return RITT_OK;
  return ritti_reader_wrong(reader, error, NULL, "no room for a temporary copy: %s",
                            strerror(errno));
}

/* sanitizers reserve more address space than any limit allows */
#if !defined(RITTI_FENCES) && !defined(FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION)
#define LIMITS_MEMORY
/* The data of this process in bytes, which a child inherits; 1 GiB if the system does not say. */
static rlim_t data_size(void) {
  unsigned long pages = 0;
  FILE *statm = fopen("/proc/self/statm", "r");
  bool found = statm && fscanf(statm, "%*u %*u %*u %*u %*u %lu", &pages) == 1;
  if (statm) fclose(statm);
  return found ? (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) : (rlim_t)1 << 30;
}
#endif

/* Limits the child process to the time and memory that an intact file of this size needs at most:
 * ten times its size, and what the HDF5 library takes for itself. */
static void limit_child(long file_size) {
  const rlim_t mebi = 1 << 20;
  struct rlimit time = {.rlim_cur = 2 + (rlim_t)file_size / mebi};
  time.rlim_max = time.rlim_cur + 1;
  setrlimit(RLIMIT_CPU, &time);
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
#ifdef LIMITS_MEMORY
  struct rlimit memory = {.rlim_cur = data_size() + 64 * mebi + 10 * (rlim_t)file_size};
  memory.rlim_max = memory.rlim_cur;
  setrlimit(RLIMIT_DATA, &memory);
#endif
}

/* The exit codes of the child process. */
enum { CHILD_DONE, CHILD_REFUSED, CHILD_FAILED };

/* The child process: copies the run to `log` and exits. A message goes to `why` as hint and text,
 * each with a final NUL. */
_Noreturn static void run_child(ritti_reader *reader, FILE *log, FILE *why) {
  ritt_error *error = ritt_error_new();
  fseek(reader->file, 0, SEEK_END);

  /* if the child dies, the C library prints a message of its own */
  if (!freopen("/dev/null", "w", stderr)) _exit(CHILD_FAILED);
  limit_child(ftell(reader->file));

  /* copy the run */
  ritt_status status = error ? open_table(reader, error) : RITT_NO_MEMORY;
  if (status == RITT_OK) status = copy_table(reader, log, error);
  if (status == RITT_OK) _exit(CHILD_DONE);
  if (!error || ritt_error_count(error) == 0) _exit(CHILD_FAILED);

  /* report what was wrong */
  const ritt_message *message = ritt_error_get(error, 0);
  fprintf(why, "%s%c%s%c", message->hint ? message->hint : "", 0, message->text, 0);
  _exit(fflush(why) == 0 ? CHILD_REFUSED : CHILD_FAILED);
}

/* ---- in the program ---- */

/* Reports the message of a child that refused the file. */
static ritt_status pass_on(const ritti_reader *reader, FILE *why, ritt_error *error) {
  char text[2048] = {0};
  rewind(why);
  size_t length = fread(text, 1, sizeof text - 2, why), hint = strlen(text);
  if (hint + 2 > length) return report_broken(reader, error);
  return ritti_fail(error, RITT_WRONG_CALL, NULL, hint ? text : NULL, "%s", text + hint + 1);
}

/* Lets a child process copy the run to a log, which is read from then on. */
static ritt_status hdf5_open(ritti_reader *reader, ritt_error *error) {
  hdf5 *own;
  RITTI_NEW(own, reader->arena, 1);
  *own = (hdf5){.file = -1, .run = -1, .table = -1, .data = -1};
  reader->own = own;

  /* the child opens the file by its name */
  if (!strcmp(reader->path, "stdin"))
    return ritti_reader_wrong(reader, error, "give the name of the file",
                              "HDF5 cannot be read from a pipe");

  /* the child copies the run to a temporary log */
  FILE *log = tmpfile(), *why = log ? tmpfile() : NULL;
  pid_t child = why ? fork() : -1;
  if (child == 0) run_child(reader, log, why);
  int ending = 0;
  while (child > 0 && waitpid(child, &ending, 0) < 0 && errno == EINTR) continue;

  /* report what went wrong */
  ritt_status status = RITT_OK;
  int code = WIFEXITED(ending) ? WEXITSTATUS(ending) : CHILD_FAILED;
  if (child < 0)
    status = ritti_fail(error, RITT_SYSTEM, NULL, NULL, "cannot read '%s': %s", reader->path,
                        strerror(errno));
  else if (code == CHILD_REFUSED) status = pass_on(reader, why, error);
  else if (code != CHILD_DONE) status = report_broken(reader, error);
  if (why) fclose(why);
  if (status != RITT_OK) {
    if (log) fclose(log);
    return status;
  }

  /* from here on the reader reads the log */
  fclose(reader->file);
  reader->file = log;
  rewind(log);
  reader->format = &ritti_format_log;
  return ritti_format_log.open(reader, error);
}

const ritti_format_def ritti_format_h5 = {
    .magic = "\x89HDF\r\n\x1a\n",
    .make = ritti_hdf5_make,
    .open = hdf5_open,
};
