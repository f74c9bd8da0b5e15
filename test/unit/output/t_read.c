/* Results that are read: what is accepted, and the message for each broken file. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "output/output.h"
#include "check.h"

static char folder[] = "/tmp/ritt-t_read-XXXXXX", file[64];
static ritt_error *error;

static void put(const char *name, const void *bytes, size_t count) {
  snprintf(file, sizeof file, "%s/%s", folder, name);
  FILE *f = fopen(file, "wb");
  if (f) fwrite(bytes, 1, count, f), fclose(f);
}
static size_t get(char *bytes, size_t room) {
  FILE *f = fopen(file, "rb");
  size_t n = f ? fread(bytes, 1, room, f) : 0;
  if (f) fclose(f);
  return n;
}

/* The first message about the file, behind "cannot read 'FILE': "; "" where it is fine. */
static const char *complaint(void) {
  ritti_result result;
  ritt_error_clear(error);
  ritt_status status = ritti_result_read(file, error, &result);
  if (status == RITT_OK) ritti_result_free(&result);
  if (status == RITT_OK) return "";
  const char *text = ritt_error_get(error, 0)->text, *colon = strstr(text, "': ");
  CHECK(status == RITT_WRONG_CALL && ritt_error_count(error) == 1);
  CHECK(!strncmp(text, "cannot read '", 13) && colon);
  return colon ? colon + 3 : text;
}

static void check_refused(const char *name, const char *text, const char *message) {
  put(name, text, strlen(text));
  CHECK_TEXT(complaint(), message);
  unlink(file);
}

static void check_csv(void) {
  check_refused("a.csv", "", "the file is empty");
  check_refused("a.csv", " \n\n", "the file is empty");
  check_refused("a.csv", "t,x\n0,1\n1,2,3\n", "line 3 has 3 values, but there are 2 columns");
  check_refused("a.csv", "t,x\n0,1\n\n1\n", "line 4 has 1 value, but there are 2 columns");
  check_refused("a.csv", "t\n0,1\n", "line 2 has 2 values, but there is 1 column");
  check_refused("a.csv", "t,x\n0,one\n", "line 2: 'one' in column 'x' is not a number");
  check_refused("a.csv", "t,x\n0,1 2\n", "line 2: '1 2' in column 'x' is not a number");
  check_refused("a.csv", "t,x,t\n0,1,2\n", "two columns have the name 't'");
  check_refused("a.csv", "t,\"x\n0,1\n", "a quote does not close in the line of the names");
  check_refused("a.csv", "t,x\n0,\"1\n", "line 2: a quote does not close");
  put("a.csv", "t,x\n0,\0001\n", 9);
  CHECK_TEXT(complaint(), "line 2 is not a line of text");
  // what is read: quotes, spaces, empty cells, ends of lines of any kind, a mark of the order of
  // bytes
  ritti_result result;
  const char *text = "\xef\xbb\xbft, \"a \"\"b\"\"\",max(x y)\r\n 0 ,1e3,\r\n\r\n1,\"2\",nan";
  put("a.csv", text, strlen(text));
  CHECK(ritti_result_read(file, error, &result) == RITT_OK);
  CHECK(result.rows == 2 && result.about->columns == 3);
  CHECK_TEXT(result.about->name[0], "t");
  CHECK_TEXT(result.about->name[1], "a \"b\"");
  CHECK(result.column[1][0] == 1000 && result.column[1][1] == 2 && isnan(result.column[2][0]));
  ritti_result_free(&result);
  unlink(file);
}

static void check_jsonl(void) {
  check_refused("a.jsonl", "{\"t\": 0, \"x\": 1", "line 1 is not a JSON object of numbers");
  check_refused("a.jsonl", "{}\n", "it has no columns");
  check_refused("a.jsonl", "{\"t\": 0}\n[1]\n", "line 2 is not a JSON object of numbers");
  check_refused("a.jsonl", "{\"t\": 0}\n{\"t\": \"1\"}\n",
                "line 2 is not a JSON object of numbers");
  check_refused("a.jsonl", "{\"t\": 0}\n{\"t\": 1} 2\n", "line 2 is not a JSON object of numbers");
  check_refused("a.jsonl", "{\"t\": 0}\n{\"t\": 0x1}\n", "line 2 is not a JSON object of numbers");
  check_refused("a.jsonl", "{\"t\": 0}\n{\"t\": 1, \"x\": 2}\n",
                "line 2 has 'x', which the first row does not have");
  check_refused("a.jsonl", "{\"t\": 0, \"x\": 1}\n\n{\"t\": 1}\n", "line 3 has no 'x'");
  check_refused("a.jsonl", "{\"t\": 0, \"t\": 1}\n", "two columns have the name 't'");
  ritti_result result;
  const char *text =
      "{\"t\": 0, \"\\u00fc\\ud83d\\ude00\": -1.5e2}\n\n{\"\\u00fc\\ud83d\\ude00\": null , \"t\":1e999}";
  put("a.jsonl", text, strlen(text));
  CHECK(ritti_result_read(file, error, &result) == RITT_OK);
  CHECK(result.rows == 2 && result.column[1][0] == -150 && isnan(result.column[1][1]));
  CHECK(result.column[0][1] == INFINITY);
  CHECK_TEXT(result.about->name[1], "\xc3\xbc\xf0\x9f\x98\x80");
  ritti_result_free(&result);
  unlink(file);
}

static const char *const names[] = {"t", "x"};
static const ritti_about about = {.columns = 2, .name = names, .title = "m", .model = "model m\n"};

/* A good file of three rows; its bytes in `bytes`. */
static size_t make(const char *name, char *bytes, size_t room) {
  ritti_writer *writer;
  snprintf(file, sizeof file, "%s/%s", folder, name);
  CHECK(ritti_writer_open(file, ritti_format_of_path(file), &about, error, &writer) == RITT_OK);
  for (int i = 0; i < 3; i++) CHECK(ritti_writer_row(writer, (double[]){i, i * i}) == RITT_OK);
  CHECK(ritti_writer_close(writer, error) == RITT_OK);
  return get(bytes, room);
}

/* Where these bytes stand in the file; 0: nowhere */
static size_t find(const char *bytes, size_t count, const char *what) {
  size_t length = strlen(what);
  for (size_t i = 0; i + length <= count; i++)
    if (!memcmp(bytes + i, what, length)) return i;
  CHECK(!"found");
  return 0;
}

/* Cut off anywhere a file is refused: none of its numbers is taken for good. */
static void check_cut(const char *name, size_t least) {
  static char bytes[1 << 16];
  size_t count = make(name, bytes, sizeof bytes), refused = 0;
  for (size_t n = least; n < count; n++) {
    put(name, bytes, n);
    refused += *complaint() != '\0';
  }
  CHECK(refused == count - least);
  unlink(file);
}

static void check_npz(void) {
  char bytes[4096];
  size_t count = make("a.npz", bytes, sizeof bytes), at;
  put("a.npz", bytes, count - 1);
  CHECK_TEXT(complaint(), "the archive is broken or cut off");
  put("a.npz", bytes, count / 2);
  CHECK_TEXT(complaint(), "the archive is broken or cut off");
  at = find(bytes, count, "<f8");
  bytes[at + 1] = 'i';
  put("a.npz", bytes, count);
  CHECK_TEXT(complaint(), "the array 't.npy' is not an array of doubles");
  CHECK_TEXT(ritt_error_get(error, 0)->hint, "save it as float64");
  bytes[at + 1] = 'f';
  at = find(bytes, count, "(3,)");
  bytes[at + 1] = '4';
  put("a.npz", bytes, count);
  CHECK_TEXT(complaint(), "the array 't.npy' is broken or cut off");
  memcpy(bytes + at, "(3,3)", 5);
  put("a.npz", bytes, count);
  CHECK_TEXT(complaint(), "the array 't.npy' is not a column");
  // the method of compression in the directory
  count = make("a.npz", bytes, sizeof bytes);
  at = find(bytes, count, "PK\x01\x02");
  bytes[at + 10] = 8;
  put("a.npz", bytes, count);
  CHECK_TEXT(complaint(), "the array 't.npy' is compressed");
  CHECK_TEXT(ritt_error_get(error, 0)->hint, "save it with numpy.savez, not savez_compressed");
  unlink(file);
  check_cut("a.npz", 4);
}

static void check_h5(void) {
  static char bytes[1 << 16];
  size_t count = make("a.h5", bytes, sizeof bytes);
  put("a.h5", bytes, count / 2);
  CHECK_TEXT(complaint(), "the HDF5 file is broken or cut off");
  // another name for the group's dataset, for the attribute of the names
  memcpy(bytes + find(bytes, count, "data"), "dada", 4);
  put("a.h5", bytes, count);
  CHECK_TEXT(complaint(), "the HDF5 file is not a result of Ritt");
  CHECK_TEXT(ritt_error_get(error, 0)->hint,
             "a result of Ritt has a group with the dataset 'data'");
  count = make("a.h5", bytes, sizeof bytes);
  memcpy(bytes + find(bytes, count, "columns"), "colours", 7);
  put("a.h5", bytes, count);
  CHECK_TEXT(complaint(), "its 'data' has no attribute 'columns' with a name for each");
  put("a.h5", "\x89HDF\r\n\x1a\n and nothing", 20);
  CHECK_TEXT(complaint(), "the HDF5 file is broken or cut off");
  unlink(file);
}

/* A log is good up to its last whole row. */
static void check_log(void) {
  char bytes[4096];
  ritti_writer *writer;
  char log[64], part[64];
  snprintf(file, sizeof file, "%s/a.npz", folder);
  snprintf(part, sizeof part, "%s/a.npz.part", folder);
  snprintf(log, sizeof log, "%s/a.npz.log", folder);
  // a folder in the place of the part: the file cannot be made, the log stays
  CHECK(mkdir(part, 0777) == 0);
  CHECK(ritti_writer_open(file, RITTI_NPZ, &about, error, &writer) == RITT_OK);
  for (int i = 0; i < 3; i++) CHECK(ritti_writer_row(writer, (double[]){i, i * i}) == RITT_OK);
  CHECK(ritti_writer_close(writer, error) == RITT_SYSTEM);
  rmdir(part);
  snprintf(file, sizeof file, "%s", log);
  size_t count = get(bytes, sizeof bytes), head = count - 3 * 2 * sizeof(double);
  CHECK(count > 48);
  for (size_t n = head; n <= count; n++) {
    ritti_result result;
    put("a.npz.log", bytes, n);
    CHECK(ritti_result_read(file, error, &result) == RITT_OK);
    CHECK(result.rows == (n - head) / 16 && result.about->columns == 2);
    CHECK_TEXT(result.about->model, "model m\n");
    if (result.rows == 3) CHECK(result.column[1][2] == 4);
    ritti_result_free(&result);
  }
  put("a.npz.log", bytes, head - 1);
  CHECK_TEXT(complaint(), "the log ends within its head");
  put("a.npz.log", bytes, 12);
  CHECK_TEXT(complaint(), "the log ends within its head");
  bytes[20] = '[';
  bytes[16] = '[';
  put("a.npz.log", bytes, count);
  CHECK_TEXT(complaint(), "the head of the log is broken");
  bytes[8] = 1;
  put("a.npz.log", bytes, count);
  CHECK_TEXT(complaint(), "the log was written on a machine with another byte order");
  unlink(file);
}

static void check_names(void) {
  size_t column;
  CHECK(ritti_about_find(&about, "a.csv", "x", error, &column) == RITT_OK && column == 1);
  ritt_error_clear(error);
  const char *long_names[] = {"t", "lambda"};
  ritti_about other = {.columns = 2, .name = long_names};
  CHECK(ritti_about_find(&other, "a.csv", "lamda", error, &column) == RITT_WRONG_CALL);
  CHECK_TEXT(ritt_error_get(error, 0)->text, "'a.csv' has no column 'lamda'");
  CHECK_TEXT(ritt_error_get(error, 0)->hint, "did you mean 'lambda'?");
  ritt_error_clear(error);
  CHECK(ritti_about_find(&other, "a.csv", "velocity", error, &column) == RITT_WRONG_CALL);
  CHECK_TEXT(ritt_error_get(error, 0)->hint, "its columns are: t, lambda");
  CHECK(ritti_format_of_path("a.csv") == RITTI_CSV &&
        ritti_format_of_path("d.h5/a") == RITTI_NO_FORMAT);
  CHECK(ritti_format_of_path("a.hdf5") == RITTI_HDF5 &&
        ritti_format_of_path(".csv") == RITTI_NO_FORMAT);
  CHECK(ritti_format_of_word("npz") == RITTI_NPZ && ritti_format_of_word("log") == RITTI_NO_FORMAT);
}

int main(void) {
  if (!mkdtemp(folder)) return 1;
  error = ritt_error_new();
  check_csv();
  check_jsonl();
  check_npz();
  check_h5();
  check_log();
  check_names();
  snprintf(file, sizeof file, "%s/none.csv", folder);
  ritti_reader *reader;
  ritt_error_clear(error);
  CHECK(ritti_reader_open(file, error, &reader) == RITT_WRONG_CALL && !reader);
  ritt_error_free(error);
  CHECK(rmdir(folder) == 0);
  return CHECKS_DONE();
}
