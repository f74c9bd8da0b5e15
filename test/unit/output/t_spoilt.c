/* Spoilt results: files of all formats with bytes changed, left out, or with their end cut off, more
 * than 5000 of each. Each is read, twice with the same rows, or refused with one message that names
 * the file. None takes more than 16 MiB, and a large file not more than ten times its size. */
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
#include "check.h"
#include "output/output.h"

static char folder[] = "/tmp/ritt-t_spoilt-XXXXXX", file[64];
enum { ROOM = 1 << 16, ROWS = 3 };
static unsigned char whole[ROOM], bytes[ROOM];
static long tried, refused;

/* A result with everything that files say about themselves. */
static size_t make(ritti_file_format format, const char *name) {
  static const char *const names[] = {"t", "x[1]", "a \"b\", \xc3\xbc"}, *const units[] = {"s", "",
                                                                                           "m/s"};
  static const ritti_fact settings[] = {
      {.kind = RITTI_FACT_TEXT, .key = "set g", .text = "1/3\n\t\"\\"},
      {.kind = RITTI_FACT_REAL, .key = "tol", .number = 1e-8},
      {.kind = RITTI_FACT_REAL, .key = "none", .number = NAN}};
  static const ritti_fact texts[] = {
      {.kind = RITTI_FACT_TEXT, .key = "a.inc", .text = "parameter a = 1"}};
  static const double row[ROWS][3] = {{0, 1, -2.5}, {0.1, NAN, 1e300}, {0.25, -INFINITY, 0}};
  const ritti_about about = {.columns = 3,
                             .name = names,
                             .unit = units,
                             .title = "title \xf0\x9f\x98\x80",
                             .version = "0",
                             .model = "model a\nvariable x",
                             .files = {texts, 1},
                             .settings = {settings, 3},
                             .statistics = {settings, 2}};
  ritti_writer *writer;
  snprintf(file, sizeof file, "%s/%s", folder, name);
  CHECK(ritti_writer_open(file, format, &about, NULL, &writer) == RITT_OK);
  for (int i = 0; i < ROWS; i++) CHECK(ritti_writer_row(writer, row[i]) == RITT_OK);
  CHECK(ritti_writer_close(writer, NULL) == RITT_OK);
  FILE *f = fopen(file, "rb");
  size_t size = f ? fread(whole, 1, ROOM, f) : 0;
  if (f) fclose(f);
  unlink(file);
  CHECK(size > 0 && size < ROOM);
  return size;
}

/* The sum of all bits of the rows; 0: refused. */
static unsigned long long read_once(size_t size, bool *good) {
  ritt_error *error = ritt_error_new();
  ritti_reader *reader = NULL;
  FILE *stream = fmemopen(bytes, size ? size : 1, "rb");
  unsigned long long sum = 14695981039346656037ull;
  const double *row = NULL;
  if (!stream) return *good = false, 0;
  ritt_status status = ritti_reader_open_stream(stream, "spoilt", error, &reader);
  for (int i = 0; status == RITT_OK; i++) {
    status = ritti_reader_row(reader, &row, error);
    if (status != RITT_OK || !row) break;
    const unsigned char *b = (const unsigned char *)row;
    for (size_t k = 0; k < ritti_reader_about(reader)->columns * sizeof *row; k++)
      sum = (sum ^ b[k]) * 1099511628211ull;
  }
  ritti_reader_close(reader);
  size_t said = ritt_error_count(error);
  *good = *good && said == (status != RITT_OK);
  if (said)
    *good = *good && status == RITT_WRONG_CALL &&
            strstr(ritt_error_get(error, 0)->text, "'spoilt'") != NULL;
  ritt_error_free(error);
  return status == RITT_OK ? sum | 1 : 0;
}

/* Limits the data of this process to what it has now and `more`; 0: no limit. */
static void limit_memory(size_t more) {
  struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
  unsigned long pages = 0;
  FILE *statm = more && !CHECK_SLOW ? fopen("/proc/self/statm", "r") : NULL;
  if (statm && fscanf(statm, "%*u %*u %*u %*u %*u %lu", &pages) == 1)
    limit.rlim_cur = pages * (rlim_t)sysconf(_SC_PAGESIZE) + more;
  if (statm) fclose(statm);
  CHECK(setrlimit(RLIMIT_DATA, &limit) == 0);
}

static void look(size_t size, const char *what, size_t at, int value) {
  bool good = true;
  unsigned long long first = read_once(size, &good);
  if (tried++ % 8 == 0) good = good && read_once(size, &good) == first;
  refused += first == 0;
  CHECK(good);
  if (!good) printf("  %s, byte %zu, %d\n", what, at, value);
}

/* Changes every byte to other values, leaves it out and cuts the file off there: `count` of all these
 * files, evenly spread. */
static void spoil(ritti_file_format format, const char *name, size_t count) {
  enum { VALUES = 256, WAYS = VALUES + 2 };
  size_t size = make(format, name), all = size * WAYS;
  long before = refused;
  memcpy(bytes, whole, size);
  limit_memory(16 << 20);
  look(size, name, 0, -1);
  CHECK(refused == before);
  if (count > all) count = all;
  for (size_t i = 0; i < count; i++) {
    size_t number = i * all / count, at = number / WAYS, way = number % WAYS;
    memcpy(bytes, whole, size);
    if (way < VALUES) {
      bytes[at] = (unsigned char)way;
      look(size, name, at, (int)way);
    } else if (way == VALUES) look(at, name, at, -2); /* cut off */
    else {
      memmove(bytes + at, whole + at + 1, size - at - 1);
      look(size - 1, name, at, -3); /* left out */
    }
  }
  limit_memory(0);
}

/* A file of some megabytes is read within ten times its size. */
static void read_large(ritti_file_format format, const char *name) {
  static const char *const names[] = {"t", "x", "y"};
  const ritti_about about = {.columns = 3, .name = names, .version = "0", .model = "model a"};
  enum { MANY = 100000 };
  ritti_writer *writer;
  snprintf(file, sizeof file, "%s/%s", folder, name);
  CHECK(ritti_writer_open(file, format, &about, NULL, &writer) == RITT_OK);
  for (int i = 0; i < MANY; i++)
    CHECK(ritti_writer_row(writer, (const double[]){i, sin(i), cos(i)}) == RITT_OK);
  CHECK(ritti_writer_close(writer, NULL) == RITT_OK);

  FILE *f = fopen(file, "rb");
  CHECK(f && fseek(f, 0, SEEK_END) == 0);
  long size = f ? ftell(f) : 0;
  if (f) fclose(f);
  CHECK(size > 1 << 20);
  limit_memory(10 * (size_t)size);
  ritti_result result;
  ritt_status status = ritti_result_read(file, NULL, &result);
  limit_memory(0);
  CHECK(status == RITT_OK && result.rows == MANY);
  if (status == RITT_OK) ritti_result_free(&result);
  unlink(file);
}

/* What stands in a file that others have written. */
static void spoil_text(const char *text, int step) {
  size_t size = strlen(text);
  memcpy(whole, text, size);
  for (size_t at = 0; at < size; at += (size_t)step)
    for (int value = 1; value < 128; value += 3) {
      memcpy(bytes, whole, size);
      bytes[at] = (unsigned char)value;
      look(size, text, at, value);
    }
}

/* HDF5 files with one to four bytes changed at random places. The HDF5 library itself crashes or
 * hangs on some of them: the reader must not. RITT_SPOILT: how many. */
static void spoil_hdf5(void) {
  const char *asked = getenv("RITT_SPOILT");
  long count = asked ? atol(asked) : CHECK_SLOW ? 50 : 5000, read = 0, wrong = 0;
  size_t size = make(RITTI_HDF5, "a.h5");
  unsigned long long random = 88172645463325252ull;
  snprintf(file, sizeof file, "%s/spoilt.h5", folder);
  for (long i = 0; i < count; i++) {
    memcpy(bytes, whole, size);
    int changes = i == 0 ? 0 : 1 + (int)(i % 4);
    for (int k = 0; k < changes; k++) {
      random ^= random << 13, random ^= random >> 7, random ^= random << 17;
      bytes[(random >> 8) % size] = (unsigned char)(random >> 40);
    }
    FILE *f = fopen(file, "wb");
    CHECK(f && fwrite(bytes, 1, size, f) == size);
    if (f) fclose(f);

    ritt_error *error = ritt_error_new();
    ritti_result result;
    ritt_status status = ritti_result_read(file, error, &result);
    CHECK(status == RITT_OK ? ritt_error_count(error) == 0
                            : status == RITT_WRONG_CALL && ritt_error_count(error) == 1 &&
                                  strstr(ritt_error_get(error, 0)->text, file) != NULL);
    if (i == 0) CHECK(status == RITT_OK && result.rows == ROWS);
    read += status == RITT_OK;
    wrong += status != RITT_OK;
    if (status == RITT_OK) ritti_result_free(&result);
    ritt_error_free(error);
  }
  unlink(file);
  printf("HDF5: %ld read, %ld refused\n", read, wrong);
  CHECK(read > 0 && wrong > 0);
}

int main(void) {
  const size_t count = CHECK_SLOW ? 700 : 10007;
  if (!mkdtemp(folder)) return 1;
  spoil(RITTI_CSV, "a.csv", count);
  spoil(RITTI_JSONL, "a.jsonl", count);
  spoil(RITTI_NPZ, "a.npz", count);
  spoil_text(
      "{\"t\": 0, \"\\u00fc\\ud83d\\ude00\\n\\/\": -1.5e2, \"x\": null}\n{\"x\": 1E5, \"t\": 1, "
      "\"\\u00fc\\ud83d\\ude00\\n\\/\": true}\n",
      1);
  read_large(RITTI_CSV, "a.csv");
  read_large(RITTI_JSONL, "a.jsonl");
  read_large(RITTI_NPZ, "a.npz");
  read_large(RITTI_HDF5, "a.h5");
  spoil_hdf5();
  rmdir(folder);
  printf("%ld files, %ld refused\n", tried, refused);
  CHECK(refused > tried / 10 && refused < tried);
  return CHECKS_DONE();
}
