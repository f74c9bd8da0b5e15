/* Writing results: rows go to a text file, or to a log from which the file is made at the end. */
#include <errno.h>
#include <unistd.h>
#include "output_impl.h"

struct ritti_writer {
  const ritti_format_def *format;
  const ritti_about *about;
  char *path;
  ritti_stream stream; /* the file itself, or its log */
  bool kept;           /* the log is kept when the file has been made */
};

/* ---- formats ---- */

/* The words and endings of the formats, in the order of ritti_file_format. */
static const struct {
  const char *word, *ending[2];
} formats[] = {
#define X(name, word, ending, other) {#word, {ending, other}},
    RITTI_FORMATS(X)
#undef X
};

static const ritti_format_def *const definitions[] = {
#define X(name, word, ending, other) &ritti_format_##word,
    RITTI_FORMATS(X)
#undef X
};

ritti_file_format ritti_format_of_word(const char *word) {
  int i = 0;
  while (i < RITTI_LOG && strcmp(word, formats[i].word)) i++;
  return i < RITTI_LOG ? (ritti_file_format)i : RITTI_NO_FORMAT;
}

static bool ends_in(const char *path, const char *ending) {
  size_t length = strlen(path), end = strlen(ending);
  return length > end && path[length - end - 1] != '/' && !strcmp(path + length - end, ending);
}

ritti_file_format ritti_format_of_path(const char *path) {
  int i = 0;
  while (i < RITTI_NO_FORMAT && !ends_in(path, formats[i].ending[0]) &&
         !ends_in(path, formats[i].ending[1]))
    i++;
  return (ritti_file_format)i;
}

/* ---- the writer ---- */

/* Frees the writer. */
static void writer_free(ritti_writer *writer) {
  ritti_free(writer->path);
  ritti_free(writer);
}

/* Sets the writer's path and the name of its stream: that of the file or of its log. */
static ritt_status name_files(ritti_writer *writer, const char *path, ritti_text *stream) {
  writer->path = ritti_malloc(strlen(path) + 1);
  if (writer->path) memcpy(writer->path, path, strlen(path) + 1);
  ritti_text_add(stream, "%s%s", path, writer->format->make ? ".log" : "");
  return writer->path ? stream->status : RITT_NO_MEMORY;
}

/* Opens the file or its log. */
static ritt_status open_stream(ritti_writer *writer, const char *path, const ritti_mark *from,
                               ritt_error *error) {
  bool lines = writer->format->make == NULL;
  return writer->kept ? ritti_stream_open_kept(&writer->stream, path, lines, from, error)
                      : ritti_stream_open(&writer->stream, path, lines, error);
}

/* Opens a writer; `kept`: the run may be resumed, at the mark `from`. */
static ritt_status writer_open(const char *path, ritti_file_format format, const ritti_about *about,
                               bool kept, const ritti_mark *from, ritt_error *error,
                               ritti_writer **out) {
  ritti_writer *writer = *out = ritti_malloc(sizeof *writer);
  ritti_text name = {0};
  if (!writer) return ritti_no_memory(error);

  /* find out now, not at the end of a long run, whether the file can be written */
  *writer = (ritti_writer){.format = definitions[format], .about = about, .kept = kept};
  bool log = writer->format->make != NULL;
  ritt_status status = name_files(writer, path, &name);
  int reason = log ? ritti_file_replaceable(path) : 0;

  /* open the stream */
  if (status != RITT_OK) ritti_no_memory(error);
  else if (reason) status = ritti_file_failed(error, path, reason);
  else status = open_stream(writer, name.at, from, error);
  ritti_text_free(&name);
  if (status != RITT_OK) {
    writer_free(writer);
    *out = NULL;
    return status;
  }

  /* a new file begins with its header */
  const ritti_format_def *rows = log ? &ritti_format_log : writer->format;
  if (rows->add_head && !(from && from->size)) rows->add_head(&writer->stream.text, about);
  return RITT_OK;
}

ritt_status ritti_writer_open(const char *path, ritti_file_format format, const ritti_about *about,
                              ritt_error *error, ritti_writer **out) {
  return writer_open(path, format, about, false, NULL, error, out);
}

ritt_status ritti_writer_open_kept(const char *path, ritti_file_format format,
                                   const ritti_about *about, const ritti_mark *from,
                                   ritt_error *error, ritti_writer **out) {
  return writer_open(path, format, about, true, from, error, out);
}

ritt_status ritti_writer_mark(ritti_writer *writer, ritti_mark *mark, ritt_error *error) {
  return ritti_stream_mark(&writer->stream, mark, error);
}

void ritti_writer_abandon(ritti_writer *writer) {
  if (!writer) return;
  ritti_file_close(writer->stream.file);
  ritti_text_free(&writer->stream.text);
  ritti_free(writer->stream.path);
  writer_free(writer);
}

void ritti_writer_drop_log(const char *path, ritti_file_format format) {
  ritti_text log = {0};
  if (!definitions[format]->make) return;
  ritti_text_add(&log, "%s.log", path);
  if (log.status == RITT_OK) unlink(log.at);
  ritti_text_free(&log);
}

ritt_status ritti_writer_row(ritti_writer *writer, const double *values) {
  const ritti_format_def *rows = writer->format->make ? &ritti_format_log : writer->format;
  size_t from = writer->stream.text.count;
  rows->add_row(&writer->stream.text, writer->about, values);
  return ritti_stream_record(&writer->stream, from);
}

/* ---- making the file from its log ---- */

/* Makes the file under its temporary name and puts it in its place. */
static ritt_status make_part(ritti_writer *writer, const char *log, ritti_replacement *r,
                             ritt_error *error) {
  ritti_reader *reader;
  RITT_TRY(ritti_reader_open(log, error, &reader));
  ritt_status status = writer->format->make(reader, writer->about, writer->path, r->part, error);
  ritti_reader_close(reader);
  if (status != RITT_OK) return status;
  int reason = ritti_replacement_finish(r);
  return reason ? ritti_file_failed(error, writer->path, reason) : RITT_OK;
}

/* Makes the file and removes the log. If this fails, the log stays and the message says where it
 * is. */
static ritt_status make_file(ritti_writer *writer, const char *log, ritt_error *error) {
  ritti_replacement r;
  int reason = ritti_replacement_init(&r, writer->path);
  ritt_status status =
      reason ? ritti_file_failed(error, writer->path, reason) : make_part(writer, log, &r, error);
  ritti_replacement_clear(&r);
  if (status == RITT_OK) {
    if (!writer->kept) unlink(log);
    return RITT_OK;
  }

  /* tell the user how to make the file later */
  ritti_text hint = {0};
  ritti_text_add(&hint, "ritt convert '%s' -o '%s' makes the file of them", log, writer->path);
  ritti_fail(error, status, NULL, hint.at, "the rows are kept in '%s'", log);
  ritti_text_free(&hint);
  return status;
}

ritt_status ritti_writer_close(ritti_writer *writer, ritt_error *error) {
  if (!writer) return RITT_OK;
  ritti_text log = {0};
  if (writer->format->make) ritti_text_add(&log, "%s", writer->stream.path);

  /* close the stream, which may be a log */
  ritt_status status = ritti_stream_close(&writer->stream, error);
  if (log.status != RITT_OK) status = ritti_no_memory(error);
  if (log.at) {
    /* a log that failed still contains the rows before the failure */
    ritt_status made = log.status == RITT_OK ? make_file(writer, log.at, error) : log.status;
    if (status == RITT_OK) status = made;
  }
  ritti_text_free(&log);
  writer_free(writer);
  return status;
}
