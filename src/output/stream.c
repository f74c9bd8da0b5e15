/* An append-only file of complete records: lines of text or rows of numbers. Records are gathered
 * and written many at a time, at least once a second. The first failed write is remembered: nothing
 * more is written, an incomplete last line is removed from a regular file, and closing reports the
 * failure. A log needs no such care: it is read up to its last complete row. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/state.h"
#include "output_impl.h"

enum { ENOUGH = 1 << 16 }; /* bytes that are worth a write */

/* After a failed write: cuts a regular file back to the end of its last complete line. */
static void drop_broken_line(ritti_stream *stream, size_t written) {
  size_t whole = written;
  while (whole > 0 && stream->text.at[whole - 1] != '\n') whole--;
  struct stat s;
  off_t end = lseek(stream->file, 0, SEEK_CUR);
  if (whole == written || end < 0 || fstat(stream->file, &s) != 0 || !S_ISREG(s.st_mode)) return;
  /* if this fails too, the first failure is the one to report */
  if (ftruncate(stream->file, end - (off_t)(written - whole)) != 0) return;
}

/* Writes the gathered records. */
static ritt_status flush_buffer(ritti_stream *stream) {
  if (stream->failure) return RITT_SYSTEM;
  size_t written;
  stream->failure = ritti_file_write(stream->file, stream->text.at, stream->text.count, &written);

  /* keep the checksum up to date */
  if (stream->kept) {
    stream->mark.sum = ritti_checksum(stream->mark.sum, stream->text.at, written);
    stream->mark.size += written;
  }

  /* remember the failure and start with an empty buffer */
  if (stream->failure && stream->lines) drop_broken_line(stream, written);
  stream->text.count = 0;
  stream->written = ritti_clock();
  return stream->failure ? RITT_SYSTEM : RITT_OK;
}

ritt_status ritti_stream_open(ritti_stream *stream, const char *path, bool lines,
                              ritt_error *error) {
  *stream = (ritti_stream){
      .path = ritti_malloc(strlen(path) + 1), .file = -1, .lines = lines, .written = ritti_clock()};
  if (!stream->path) return ritti_no_memory(error);
  memcpy(stream->path, path, strlen(path) + 1);
  int reason = ritti_file_open(path, &stream->file);
  if (!reason) return RITT_OK;
  ritti_free(stream->path);
  return ritti_file_failed(error, path, reason);
}

/* ---- streams with marks ---- */

ritt_status ritti_stream_mark(ritti_stream *stream, ritti_mark *mark, ritt_error *error) {
  if (flush_buffer(stream) != RITT_OK)
    return ritti_file_failed(error, stream->path, stream->failure);
  int reason = ritti_file_sync(stream->file);
  *mark = stream->mark;
  return reason ? ritti_file_failed(error, stream->path, reason) : RITT_OK;
}

/* Checks that the file still begins with the bytes that were marked. */
static ritt_status check_mark(int file, const char *path, const ritti_mark *mark,
                              ritt_error *error) {
  static const char *const hint = "put it back where the run left it, unchanged";
  char bytes[1 << 16];
  uint64_t left = mark->size, sum = RITTI_CHECKSUM;

  /* read the bytes before the mark */
  while (left > 0) {
    ssize_t n = read(file, bytes, left < sizeof bytes ? (size_t)left : sizeof bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ritti_file_failed(error, path, errno);
    if (n == 0)
      return ritti_fail(error, RITT_WRONG_CALL, NULL, hint,
                        "'%s' is shorter than it was when the checkpoint was written", path);
    sum = ritti_checksum(sum, bytes, (size_t)n);
    left -= (uint64_t)n;
  }

  /* compare the checksum */
  if (sum == mark->sum) return RITT_OK;
  return ritti_fail(error, RITT_WRONG_CALL, NULL, hint,
                    "'%s' has changed since the checkpoint was written", path);
}

/* Cuts the file back to the mark and continues there. */
static ritt_status cut_back(int file, const char *path, const ritti_mark *mark, ritt_error *error) {
  RITT_TRY(check_mark(file, path, mark, error));
  if (ftruncate(file, (off_t)mark->size) != 0 || lseek(file, (off_t)mark->size, SEEK_SET) < 0)
    return ritti_file_failed(error, path, errno);
  return RITT_OK;
}

/* Opens the file at a mark; a mark of size 0 creates the file. */
static ritt_status open_at(ritti_stream *stream, const char *path, const ritti_mark *from,
                           ritt_error *error) {
  struct stat s;
  do stream->file = open(path, O_RDWR | O_CLOEXEC | (from->size ? 0 : O_CREAT), 0666);
  while (stream->file < 0 && errno == EINTR);

  /* the file of a resumed run must exist */
  if (stream->file < 0 && errno == ENOENT)
    return ritti_fail(
        error, RITT_WRONG_CALL, NULL,
        "put it back where it was; names are relative to the folder where the run was started",
        "'%s', which the run was writing, is missing", path);
  if (stream->file < 0) return ritti_file_failed(error, path, errno);

  /* only regular files can be cut back */
  if (fstat(stream->file, &s) != 0 || !S_ISREG(s.st_mode))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "give the name of a file",
                      "'%s' is not a file: what went there cannot be taken back after a kill",
                      path);
  return cut_back(stream->file, path, from, error);
}

ritt_status ritti_stream_open_kept(ritti_stream *stream, const char *path, bool lines,
                                   const ritti_mark *from, ritt_error *error) {
  const ritti_mark none = {0, RITTI_CHECKSUM};
  if (!from) from = &none;

  /* set up the stream */
  *stream = (ritti_stream){.path = ritti_malloc(strlen(path) + 1), .file = -1, .lines = lines};
  if (!stream->path) return ritti_no_memory(error);
  memcpy(stream->path, path, strlen(path) + 1);
  stream->kept = true;
  stream->mark = *from;
  stream->written = ritti_clock();

  /* open it, or free it again */
  ritt_status status = open_at(stream, path, from, error);
  if (status == RITT_OK) return RITT_OK;
  if (stream->file >= 0) ritti_file_close(stream->file);
  ritti_free(stream->path);
  return status;
}

/* ---- records ---- */

ritt_status ritti_stream_record(ritti_stream *stream, size_t from) {
  if (stream->failure) return RITT_SYSTEM;
  if (stream->text.status != RITT_OK) {
    stream->text.count = from;
    return stream->text.status;
  }
  bool due = stream->text.count >= ENOUGH || ritti_clock() - stream->written > 1;
  return due ? flush_buffer(stream) : RITT_OK;
}

ritt_status ritti_stream_close(ritti_stream *stream, ritt_error *error) {
  ritt_status status = stream->text.status;
  if (status != RITT_OK) status = ritti_no_memory(error);
  (void)(flush_buffer(stream) == RITT_OK); /* stream->failure holds the result */

  /* close the file and report the first failure */
  int closing = ritti_file_close(stream->file);
  if (!stream->failure) stream->failure = closing;
  if (stream->failure) status = ritti_file_failed(error, stream->path, stream->failure);
  ritti_text_free(&stream->text);
  ritti_free(stream->path);
  return status;
}
