/* Results that are written: what stands in the file, that it reads back the same, that equal rows
 * give equal bytes and memory does not grow, and the message when it cannot be written. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "output/output.h"
#include "check.h"

static char folder[] = "/tmp/ritt-t_write-XXXXXX", file[64];
static ritt_error *error;

static const char *const endings[] = {"csv", "npz", "h5", "jsonl"};
enum { FORMATS = 4 };

/* A file in the test's folder. */
static const char *named(const char *name) {
  snprintf(file, sizeof file, "%s/%s", folder, name);
  return file;
}
static const char *in_format(const char *name, int format) {
  char full[32];
  snprintf(full, sizeof full, "%s.%s", name, endings[format]);
  return named(full);
}
static bool is_there(const char *path) { return access(path, F_OK) == 0; }

static const char *contents(const char *path) {
  static char text[1 << 20];
  FILE *f = fopen(path, "rb");
  size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
  if (f) fclose(f);
  text[n] = '\0';
  return text;
}

static const char *const names[] = {"t", "x'", "max(x, y)", "\"q\""};
static const char *const units[] = {"s", "m/s", "", "1"};
static const ritti_fact settings[] = {{"tol", RITTI_FACT_REAL, NULL, 1e-9},
                                      {"to", RITTI_FACT_REAL, NULL, 5},
                                      {"method", RITTI_FACT_TEXT, "rk4", 0},
                                      {"points", RITTI_FACT_COUNT, NULL, 12}};
static const ritti_fact statistics[] = {{"accepted", RITTI_FACT_COUNT, NULL, 1e12},
                                        {"residual", RITTI_FACT_REAL, NULL, 1.0 / 3}};
static char long_text[100001]; /* longer than an attribute of HDF5 may be */
static const ritti_fact files[] = {{"parts/a.ritt", RITTI_FACT_TEXT, "parameter a = 1\n", 0},
                                   {"../b c.csv", RITTI_FACT_TEXT, long_text, 0}};
static const ritti_about about = {.columns = 4,
                                  .name = names,
                                  .unit = units,
                                  .title = "it's \"a\" t\303\274tle",
                                  .version = "0.1",
                                  .model = "model m\n\tvariable x\n",
                                  .files = {files, 2},
                                  .settings = {settings, 4},
                                  .statistics = {statistics, 2}};

static ritt_status write_file(const char *path, const ritti_about *what, const double *rows,
                              size_t count) {
  ritti_writer *writer;
  ritt_error_clear(error);
  RITT_TRY(ritti_writer_open(path, ritti_format_of_path(path), what, error, &writer));
  ritt_status status = RITT_OK;
  for (size_t i = 0; i < count && status == RITT_OK; i++)
    status = ritti_writer_row(writer, rows + i * what->columns);
  ritt_status closed = ritti_writer_close(writer, error);
  return closed == RITT_OK ? status : closed;
}

static const double two_rows[2][4] = {{0, 0.1, -1.0 / 3, 1e-300}, {1, -NAN, INFINITY, -INFINITY}};

static void check_text(void) {
  CHECK(write_file(named("a.csv"), &about, two_rows[0], 2) == RITT_OK);
  CHECK_TEXT(contents(file), "t [s],x' [m/s],\"max(x, y)\",\"\"\"q\"\" [1]\"\n"
                             "0,0.10000000000000001,-0.33333333333333331,1e-300\n"
                             "1,nan,inf,-inf\n");
  CHECK(write_file(named("a.jsonl"), &about, two_rows[0], 2) == RITT_OK);
  CHECK_TEXT(
      contents(file),
      "{\"t\": 0, \"x'\": 0.10000000000000001, \"max(x, y)\": -0.33333333333333331, \"\\\"q\\\"\": 1e-300}\n"
      "{\"t\": 1, \"x'\": null, \"max(x, y)\": 1e999, \"\\\"q\\\"\": -1e999}\n");
}

static bool same(double a, double b) {
  return a == b ? signbit(a) == signbit(b) : isnan(a) && isnan(b);
}

/* Texts that are equal, or both not there. */
static bool equal(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

static bool same_facts(const ritti_facts *a, const ritti_facts *b) {
  size_t found = 0;
  for (size_t i = 0; i < a->count; i++)
    for (size_t k = 0; k < b->count; k++)
      found += !strcmp(a->at[i].key, b->at[k].key) && a->at[i].kind == b->at[k].kind &&
               a->at[i].number == b->at[k].number && equal(a->at[i].text, b->at[k].text);
  return found == a->count && a->count == b->count;
}

static ritt_status write_log(const char *path, const double *rows, size_t count) {
  ritti_writer *writer;
  RITT_TRY(ritti_writer_open(path, RITTI_LOG, &about, error, &writer));
  for (size_t i = 0; i < count; i++) RITT_TRY(ritti_writer_row(writer, rows + i * about.columns));
  return ritti_writer_close(writer, error);
}

static void check_refused(const char *path, const char *text) {
  ritti_reader *reader;
  char expected[300];
  ritt_error_clear(error);
  CHECK(ritti_reader_open(path, error, &reader) == RITT_WRONG_CALL && ritt_error_count(error) == 1);
  snprintf(expected, sizeof expected, "cannot read '%s': %s", path, text);
  if (ritt_error_count(error)) CHECK_TEXT(ritt_error_get(error, 0)->text, expected);
}

/* Runs of one file are found by their numbers, points of events by the names of these; all runs say
 * what they are about. */
static void check_collection(void) {
  static const char *const part[] = {"hit"};
  ritti_collection *c;
  char path[80], base[120], log[160], one[120];
  snprintf(path, sizeof path, "%s", in_format("many", RITTI_HDF5));
  CHECK(ritti_collection_open(path, error, &c) == RITT_OK);
  for (int run = 1; run <= 12; run += run < 3 ? 1 : 9) {
    double rows[2][4] = {{run, 1, 2, 3}, {run + 1, 4, 5, 6}}, points[1][4] = {{run, 7, 8, 9}};
    char name[16];
    snprintf(base, sizeof base, "%s.%d", path, run);
    snprintf(log, sizeof log, "%s.log", base);
    CHECK(write_log(log, rows[0], 2) == RITT_OK);
    snprintf(log, sizeof log, "%s.hit.log", base);
    CHECK(write_log(log, points[0], 1) == RITT_OK);
    snprintf(name, sizeof name, "run_%04d", run);
    CHECK(ritti_collection_add(c, name, base, &about.statistics, part, run == 2 ? 0 : 1, error) ==
          RITT_OK);
    unlink(log);
    snprintf(log, sizeof log, "%s.log", base);
    unlink(log);
  }
  CHECK(!is_there(path)); /* not before it is whole */
  CHECK(ritti_collection_close(c, true, error) == RITT_OK);
  static const int runs[] = {1, 2, 3, 12};
  for (int i = 0; i < 4; i++)
    for (int event = 0; event < 2; event++) {
      ritti_result r;
      snprintf(one, sizeof one, "%s:%d%s", path, runs[i], event ? ":hit" : "");
      if (event && runs[i] == 2) {
        check_refused(one, "it contains no points of an event 'hit'");
        continue;
      }
      CHECK(ritti_result_read(one, error, &r) == RITT_OK);
      CHECK(r.rows == (event ? 1 : 2) && r.column[0][0] == runs[i] &&
            r.column[1][0] == (event ? 7 : 1));
      CHECK(equal(r.about->model, about.model) && same_facts(&r.about->files, &about.files));
      CHECK(same_facts(&r.about->statistics, &about.statistics));
      ritti_result_free(&r);
    }
  check_refused(path, "it contains 4 runs; one must be named");
  snprintf(one, sizeof one, "%s:4", path);
  check_refused(one, "it contains no run 4");
  unlink(path);
}

/* Every double comes back as it was, and so does what the rows are about, where the format has it.
 */
static void check_round_trip(void) {
  enum { N = 50000 };
  static double rows[N][4];
  for (int i = 0; i < N; i++)
    for (int k = 0; k < 4; k++) rows[i][k] = ldexp(check_random(), (int)(600 * check_random()));
  rows[7][1] = NAN, rows[8][2] = INFINITY, rows[9][3] = -INFINITY, rows[10][1] = 5e-324;
  for (int f = 0; f < FORMATS; f++) {
    ritti_result result;
    const char *path = in_format("round", f);
    CHECK(write_file(path, &about, rows[0], N) == RITT_OK);
    CHECK(ritti_result_read(path, error, &result) == RITT_OK);
    CHECK(result.rows == N && result.about->columns == 4);
    int wrong = 0;
    for (size_t k = 0; k < 4 && result.rows == N; k++) {
      CHECK_TEXT(result.about->name[k], names[k]);
      for (int i = 0; i < N; i++) wrong += !same(result.column[k][i], rows[i][k]);
    }
    CHECK(wrong == 0);
    bool tells = f == RITTI_NPZ || f == RITTI_HDF5;
    CHECK(equal(result.about->title, tells ? about.title : NULL));
    CHECK(equal(result.about->model, tells ? about.model : NULL));
    CHECK(equal(result.about->version, tells ? about.version : NULL));
    if (tells) {
      CHECK(same_facts(&result.about->settings, &about.settings));
      CHECK(same_facts(&result.about->files, &about.files));
      CHECK(same_facts(&result.about->statistics, &about.statistics));
    }
    if (tells || f == RITTI_CSV)
      for (size_t k = 0; k < 4; k++) CHECK_TEXT(result.about->unit[k], units[k]);
    // no log is left, and no part of a file
    char beside[80];
    snprintf(beside, sizeof beside, "%s.log", path);
    CHECK(!is_there(beside));
    snprintf(beside, sizeof beside, "%s.part", path);
    CHECK(!is_there(beside));
    ritti_result_free(&result);
    unlink(path);
  }
}

/* No row, one row, one column. */
static void check_small(void) {
  const char *one[] = {"t"};
  ritti_about bare = {.columns = 1, .name = one};
  double value = 0.5;
  for (int f = 0; f < FORMATS; f++)
    for (size_t rows = f == RITTI_JSONL; rows < 2; rows++) { /* no row of JSON has no names */
      ritti_result result;
      const char *path = in_format("small", f);
      CHECK(write_file(path, &bare, &value, rows) == RITT_OK);
      CHECK(ritti_result_read(path, error, &result) == RITT_OK);
      CHECK(result.rows == rows && result.about->columns == 1);
      if (rows == 1) CHECK(result.column[0][0] == 0.5);
      ritti_result_free(&result);
      unlink(path);
    }
}

static size_t slurp(const char *path, char *into, size_t room) {
  FILE *f = fopen(path, "rb");
  size_t n = f ? fread(into, 1, room, f) : 0;
  if (f) fclose(f);
  return n;
}

/* Written twice, with other bytes in memory and at another second: the same file. */
static void check_equal_bytes(void) {
  static char first[1 << 16], second[1 << 16];
  for (int f = 0; f < FORMATS; f++)
    CHECK(write_file(in_format("one", f), &about, two_rows[0], 2) == RITT_OK);
  char *dirt = malloc(100000);
  memset(dirt, 0xa5, 100000);
  free(dirt);
  sleep(2);
  for (int f = 0; f < FORMATS; f++) {
    CHECK(write_file(in_format("two", f), &about, two_rows[0], 2) == RITT_OK);
    size_t n = slurp(in_format("one", f), first, sizeof first);
    CHECK(n > 0 && slurp(in_format("two", f), second, sizeof second) == n &&
          !memcmp(first, second, n));
    unlink(in_format("one", f)), unlink(in_format("two", f));
  }
}

#ifdef __SANITIZE_ADDRESS__
/* The HDF5 library loses a little when it cannot write: that is not ours. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) { return "leak:libhdf5\n"; }
static const bool keeps_freed = true; /* memory that is freed is not used again for a while */
#else
static const bool keeps_freed = false;
#endif

/* The peak of memory does not follow the number of rows. */
static void check_memory(void) {
  enum { N = 1000000 };
  for (int f = 0; f < FORMATS; f++) {
    const char *path = in_format("long", f);
    ritti_writer *writer;
    struct rusage before, after;
    int failed = 0;
    CHECK(write_file(path, &about, two_rows[0], 2) == RITT_OK); /* what a format needs at all */
    getrusage(RUSAGE_SELF, &before);
    CHECK(ritti_writer_open(path, (ritti_file_format)f, &about, error, &writer) == RITT_OK);
    for (int i = 0; i < N; i++)
      failed += ritti_writer_row(writer, (double[]){i, 0.5 * i, 1, -i}) != RITT_OK;
    CHECK(ritti_writer_close(writer, error) == RITT_OK);
    getrusage(RUSAGE_SELF, &after);
    CHECK(failed == 0);
    /* the rows are 32 MB; kilobytes are counted */
    CHECK(after.ru_maxrss - before.ru_maxrss < 8 * 1024 || keeps_freed);
    unlink(path);
  }
}

static ritt_status fill(const char *path, int rows) {
  const char *two[] = {"t", "x"};
  ritti_about what = {.columns = 2, .name = two};
  ritti_file_format format = ritti_format_of_path(path);
  ritti_writer *writer;
  ritt_error_clear(error);
  RITT_TRY(ritti_writer_open(path, format == RITTI_NO_FORMAT ? RITTI_CSV : format, &what, error,
                             &writer));
  ritt_status status = RITT_OK;
  for (int i = 0; i < rows && status == RITT_OK; i++)
    status = ritti_writer_row(writer, (double[]){i / 3.0, 1 / 7.0});
  if (status == RITT_SYSTEM)
    CHECK(ritti_writer_row(writer, (double[]){0, 0}) == RITT_SYSTEM); /* it stays broken */
  ritt_status closed = ritti_writer_close(writer, error);
  CHECK(closed == RITT_SYSTEM || status == RITT_OK);
  return closed;
}

static void check_unwritable(void) {
  CHECK(fill("/no/such/folder/a.csv", 1) == RITT_SYSTEM);
  CHECK_TEXT(ritt_error_get(error, 0)->text,
             "cannot write '/no/such/folder/a.csv': no such file or directory");
  CHECK_TEXT(ritt_error_get(error, 0)->hint, "make the folder first, or give another name");
  CHECK(fill("/tmp", 1) == RITT_SYSTEM);
  CHECK_TEXT(ritt_error_get(error, 0)->text, "cannot write '/tmp': is a directory");
}

static void check_full_disk(void) {
  if (access("/dev/full", W_OK) != 0) return;
  for (int rows = 0; rows <= 10000; rows += 10000) { /* noticed at the close, noticed on the way */
    CHECK(fill("/dev/full", rows) == RITT_SYSTEM);
    CHECK(ritt_error_count(error) == 1);
    CHECK_TEXT(ritt_error_get(error, 0)->text, "cannot write '/dev/full': no space left on device");
  }
}

static ritt_status fill_tight(const char *path, int rows, rlim_t limit) {
  struct rlimit old, tight;
  getrlimit(RLIMIT_FSIZE, &old);
  tight = old, tight.rlim_cur = limit;
  setrlimit(RLIMIT_FSIZE, &tight);
  ritt_status status = fill(path, rows);
  setrlimit(RLIMIT_FSIZE, &old);
  return status;
}

/* a file that may not grow keeps whole lines only */
static void check_whole_lines(void) {
  CHECK(fill_tight(named("a.csv"), 10000, 100001) == RITT_SYSTEM);
  const char *text = contents(file);
  size_t length = strlen(text);
  CHECK(length > 99900 && length <= 100001);
  CHECK(text[length - 1] == '\n');
  CHECK_TEXT(ritt_error_get(error, 0)->text + strlen("cannot write '") + strlen(file),
             "': file too large");
}

/* No room for the file itself: the old one and the log are there, the message says how to go on,
 * and so it goes. */
static void check_kept_log(int format) {
  char log[80], path[64];
  snprintf(path, sizeof path, "%s", in_format("kept", format));
  snprintf(log, sizeof log, "%s.log", path);
  CHECK(write_file(path, &about, two_rows[0], 2) == RITT_OK);
  /* the head and the rows of the log fit, the file needs more than they */
  enum { ROWS = 100 };
  CHECK(fill_tight(path, ROWS, 16 * ROWS + 200) == RITT_SYSTEM);
  CHECK(ritt_error_count(error) == 2);
  CHECK_TEXT(ritt_error_get(error, 0)->text + strlen("cannot write '") + strlen(path),
             "': file too large");
  CHECK(!strncmp(ritt_error_get(error, 1)->text, "the rows are kept in '", 22));
  CHECK(!strncmp(ritt_error_get(error, 1)->hint, "ritt convert '", 14));
  ritti_result result;
  CHECK(ritti_result_read(path, error, &result) == RITT_OK && result.rows == 2); /* the old one */
  ritti_result_free(&result);
  CHECK(ritti_result_read(log, error, &result) == RITT_OK && result.rows == ROWS);
  ritti_result_free(&result);
  unlink(log), unlink(path);
}

static void check_closed_pipe(void) {
  int ends[2], keep = dup(STDOUT_FILENO);
  CHECK(pipe(ends) == 0);
  fflush(stdout);
  dup2(ends[1], STDOUT_FILENO);
  close(ends[0]), close(ends[1]);
  ritt_status status = fill("-", 3);
  dup2(keep, STDOUT_FILENO);
  close(keep);
  CHECK(status == RITT_SYSTEM);
  CHECK_TEXT(ritt_error_get(error, 0)->text, "cannot write to stdout: broken pipe");
}

/* A link to a file stays a link. */
static void check_links(void) {
  char link[64], path[64];
  snprintf(path, sizeof path, "%s", named("true.npz"));
  snprintf(link, sizeof link, "%s", named("link.npz"));
  CHECK(write_file(path, &about, two_rows[0], 1) == RITT_OK && symlink(path, link) == 0);
  CHECK(write_file(link, &about, two_rows[0], 2) == RITT_OK);
  ritti_result result;
  struct stat s;
  CHECK(lstat(link, &s) == 0 && S_ISLNK(s.st_mode));
  CHECK(ritti_result_read(path, error, &result) == RITT_OK && result.rows == 2);
  ritti_result_free(&result);
  unlink(link), unlink(path);
}

int main(void) {
  if (!mkdtemp(folder)) return 1;
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  error = ritt_error_new();
  check_memory(); /* before others take memory */
  check_text();
  memset(long_text, 'x', sizeof long_text - 1);
  check_round_trip();
  check_collection();
  check_small();
  check_equal_bytes();
  check_unwritable();
  check_full_disk();
  check_whole_lines();
  check_kept_log(RITTI_NPZ);
  check_kept_log(RITTI_HDF5);
  check_closed_pipe();
  check_links();
  ritt_error_free(error);
  for (int f = 0; f < FORMATS; f++) unlink(in_format("a", f)), unlink(in_format("kept", f));
  CHECK(rmdir(folder) == 0);
  return CHECKS_DONE();
}
