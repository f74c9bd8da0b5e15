/* Tables: what stands in the file, and what is said when it cannot be written. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
#include "output/output.h"
#include "check.h"

static char file[64]; /* in a temporary folder of the test */
static ritt_error *error;

static const char *contents(const char *path) {
  static char text[1 << 20];
  FILE *f = fopen(path, "rb");
  size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
  if (f) fclose(f);
  text[n] = '\0';
  return text;
}

static void check_contents(void) {
  const char *names[] = {"t", "x'", "max(x, y)", "\"q\""};
  double rows[2][4] = {{0, 0.1, -1.0 / 3, 1e-300}, {1, -NAN, INFINITY, -INFINITY}};
  ritti_csv *csv;
  CHECK(ritti_csv_open(file, names, 4, error, &csv) == RITT_OK);
  CHECK(ritti_csv_row(csv, rows[0]) == RITT_OK);
  CHECK(ritti_csv_row(csv, rows[1]) == RITT_OK);
  CHECK(ritti_csv_close(csv, error) == RITT_OK);
  CHECK_TEXT(contents(file), "t,x',\"max(x, y)\",\"\"\"q\"\"\"\n"
                             "0,0.10000000000000001,-0.33333333333333331,1e-300\n"
                             "1,nan,inf,-inf\n");
}

/* every double comes back as it was */
static void check_round_trip(void) {
  const char *names[] = {"a"};
  enum { N = 20000 };
  static double values[N];
  ritti_csv *csv;
  CHECK(ritti_csv_open(file, names, 1, error, &csv) == RITT_OK);
  for (int i = 0; i < N; i++) {
    values[i] = ldexp(check_random(), (int)(600 * check_random()));
    if (ritti_csv_row(csv, &values[i]) != RITT_OK) CHECK(!"row");
  }
  CHECK(ritti_csv_close(csv, error) == RITT_OK);
  char *at = strchr(contents(file), '\n');
  int same = 0;
  for (int i = 0; i < N; i++) same += strtod(at, &at) == values[i];
  CHECK(same == N);
  CHECK_TEXT(at, "\n");
}

/* The status of opening, and the text of its message. */
static ritt_status open_status(const char *path) {
  const char *names[] = {"t"};
  ritti_csv *csv;
  ritt_error_clear(error);
  ritt_status status = ritti_csv_open(path, names, 1, error, &csv);
  CHECK(status == RITT_OK || csv == NULL);
  return status;
}

static void check_unwritable(void) {
  CHECK(open_status("/no/such/folder/a.csv") == RITT_SYSTEM);
  CHECK_TEXT(ritt_error_get(error, 0)->text,
             "cannot write '/no/such/folder/a.csv': no such file or directory");
  CHECK_TEXT(ritt_error_get(error, 0)->hint, "make the folder first, or give another name");
  CHECK(open_status("/tmp") == RITT_SYSTEM);
  CHECK_TEXT(ritt_error_get(error, 0)->text, "cannot write '/tmp': is a directory");
}

static ritt_status fill(const char *path, int rows) {
  const char *names[] = {"t", "x"};
  ritti_csv *csv;
  ritt_error_clear(error);
  RITT_TRY(ritti_csv_open(path, names, 2, error, &csv));
  ritt_status status = RITT_OK;
  for (int i = 0; i < rows && status == RITT_OK; i++)
    status = ritti_csv_row(csv, (double[]){i / 3.0, 1 / 7.0});
  if (status == RITT_SYSTEM) CHECK(ritti_csv_row(csv, (double[]){0, 0}) == RITT_SYSTEM); /* it stays broken */
  ritt_status closed = ritti_csv_close(csv, error);
  CHECK(closed == RITT_SYSTEM || status == RITT_OK);
  return closed;
}

static void check_full_disk(void) {
  if (access("/dev/full", W_OK) != 0) return;
  for (int rows = 0; rows <= 10000; rows += 10000) { /* noticed at the close, noticed on the way */
    CHECK(fill("/dev/full", rows) == RITT_SYSTEM);
    CHECK(ritt_error_count(error) == 1);
    CHECK_TEXT(ritt_error_get(error, 0)->text, "cannot write '/dev/full': no space left on device");
  }
}

/* a file that may not grow keeps whole lines only */
static void check_whole_lines(void) {
  struct rlimit old, tight;
  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &old);
  tight = old, tight.rlim_cur = 100001;
  setrlimit(RLIMIT_FSIZE, &tight);
  CHECK(fill(file, 10000) == RITT_SYSTEM);
  setrlimit(RLIMIT_FSIZE, &old);
  const char *text = contents(file);
  size_t length = strlen(text);
  CHECK(length > 99900 && length <= 100001);
  CHECK(text[length - 1] == '\n');
  CHECK_TEXT(ritt_error_get(error, 0)->text + strlen("cannot write '") + strlen(file), "': file too large");
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

int main(void) {
  char folder[] = "/tmp/ritt-t_csv-XXXXXX";
  if (!mkdtemp(folder)) return 1;
  snprintf(file, sizeof file, "%s/a.csv", folder);
  signal(SIGPIPE, SIG_IGN);
  error = ritt_error_new();
  check_contents();
  check_round_trip();
  check_unwritable();
  check_full_disk();
  check_whole_lines();
  check_closed_pipe();
  ritt_error_free(error);
  unlink(file), rmdir(folder);
  return CHECKS_DONE();
}
