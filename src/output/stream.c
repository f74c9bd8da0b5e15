/* An append-only file of whole records, lines of text or rows of numbers.
 *
 * Records are gathered and written many at a time, and at least every second. The first write that fails is remembered: nothing more is
 * written, a line of which only the beginning reached a plain file is taken back, and closing says what
 * happened. A log needs no such care: it is read up to its last whole row. */
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "output_impl.h"

enum { ENOUGH = 1 << 16 }; /* bytes that are worth a write */

/* After a write that failed: cut a plain file back to the end of its last whole line. */
static void drop_broken_line(ritti_stream *stream, size_t written) {
  size_t whole = written;
  while (whole > 0 && stream->text.at[whole - 1] != '\n') whole--;
  struct stat s;
  off_t end = lseek(stream->file, 0, SEEK_CUR);
  if (whole == written || end < 0 || fstat(stream->file, &s) != 0 || !S_ISREG(s.st_mode)) return;
  if (ftruncate(stream->file, end - (off_t)(written - whole)) != 0) return; /* the failure is known already */
}

static long now(void) {
  struct timespec t;
  return clock_gettime(CLOCK_MONOTONIC, &t) == 0 ? (long)t.tv_sec : 0;
}

static ritt_status flush(ritti_stream *stream) {
  if (stream->failure) return RITT_SYSTEM;
  size_t written;
  stream->failure = ritti_file_write(stream->file, stream->text.at, stream->text.count, &written);
  if (stream->failure && stream->lines) drop_broken_line(stream, written);
  stream->text.count = 0;
  stream->written = now();
  return stream->failure ? RITT_SYSTEM : RITT_OK;
}

ritt_status ritti_stream_open(ritti_stream *stream, const char *path, bool lines, ritt_error *error) {
  *stream =
      (ritti_stream){.path = ritti_malloc(strlen(path) + 1), .file = -1, .lines = lines, .written = now()};
  if (!stream->path) return ritti_no_memory(error);
  memcpy(stream->path, path, strlen(path) + 1);
  int reason = ritti_file_open(path, &stream->file);
  if (!reason) return RITT_OK;
  ritti_free(stream->path);
  return ritti_file_failed(error, path, reason);
}

ritt_status ritti_stream_record(ritti_stream *stream, size_t from) {
  if (stream->failure) return RITT_SYSTEM;
  if (stream->text.status != RITT_OK) {
    stream->text.count = from;
    return stream->text.status;
  }
  return stream->text.count >= ENOUGH || now() - stream->written > 1 ? flush(stream) : RITT_OK;
}

ritt_status ritti_stream_close(ritti_stream *stream, ritt_error *error) {
  ritt_status status = stream->text.status;
  if (status != RITT_OK) status = ritti_no_memory(error);
  (void)(flush(stream) == RITT_OK); /* what it has to say stays in stream->failure */
  int closing = ritti_file_close(stream->file);
  if (!stream->failure) stream->failure = closing;
  if (stream->failure) status = ritti_file_failed(error, stream->path, stream->failure);
  ritti_text_free(&stream->text);
  ritti_free(stream->path);
  return status;
}
