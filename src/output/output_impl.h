/* Private to src/output: files, streams, formats, JSON, and gnuplot as a child process. */
#ifndef RITTI_OUTPUT_IMPL_H
#define RITTI_OUTPUT_IMPL_H

#include <sys/types.h>
#include "output.h"

/* ---- file.c: each of these gives 0, or the errno that tells why not ---- */

int ritti_file_open(const char *path, int *file); /* emptied if it is there; path "-": stdout */
int ritti_file_write(int file, const char *bytes, size_t count, size_t *written);
int ritti_file_close(int file); /* leaves stdout open */
int ritti_file_sync(int file);  /* to the disk, where there is one */

/* The message for such an errno. */
ritt_status ritti_file_failed(ritt_error *error, const char *path, int reason);

/* A file that takes the place of another when it is whole: written as `part`, then renamed. Where
 * the path is no plain file (a device, a pipe) `part` is the path itself. */
typedef struct ritti_replacement {
  char *path, *part;
} ritti_replacement;
int ritti_replacement_init(ritti_replacement *r, const char *path);
int ritti_file_replaceable(
    const char *path); /* 0, or why a file of this name could not be put in its place */
int ritti_replacement_finish(ritti_replacement *r); /* to the disk, and to its place */
void ritti_replacement_clear(ritti_replacement *r); /* removes what was not finished */

/* ---- stream.c: an append-only file of whole records ---- */

typedef struct ritti_stream {
  char *path;
  int file;
  bool lines;      /* text: a broken last line is taken back */
  ritti_text text; /* whole records, not yet written: add to it, then call ritti_stream_record */
  int failure;     /* errno of the write that failed, or 0 */
  bool kept;       /* marks will be asked for */
  ritti_mark mark; /* what has been written, where it is kept */
  double written;  /* when that was last, in seconds */
} ritti_stream;
ritt_status ritti_stream_open(ritti_stream *stream, const char *path, bool lines,
                              ritt_error *error) RITT_USE;
/* The same for a stream of which marks can be had: a new one (from NULL), or one that is cut back
 * to a mark, behind which it goes on. */
ritt_status ritti_stream_open_kept(ritti_stream *stream, const char *path, bool lines,
                                   const ritti_mark *from, ritt_error *error) RITT_USE;
/* Writes everything, down to the disk; *mark is where that ends. */
ritt_status ritti_stream_mark(ritti_stream *stream, ritti_mark *mark, ritt_error *error) RITT_USE;
/* The record that began at `from` in the text is whole; writes when enough has gathered. */
ritt_status ritti_stream_record(ritti_stream *stream, size_t from) RITT_USE;
/* Writes the rest and closes; the status and the message of the first failure. */
ritt_status ritti_stream_close(ritti_stream *stream, ritt_error *error) RITT_USE;

/* ---- formats: what each can do ---- */

struct ritti_reader {
  const struct ritti_format_def *format;
  FILE *file;
  char *path;       /* for messages: with what follows the name of the file */
  const char *part; /* of path: "7:hit" of "FILE.h5:7:hit"; NULL: nothing follows */
  ritti_arena *arena;
  ritti_about about;
  double *block; /* rows read ahead: about.columns values each, */
  size_t room;   /* of which there is room for so many, */
  size_t rows;   /* so many are there, */
  size_t next;   /* and this is the next */
  long total;    /* rows of the whole file; -1: not known before its end */
  bool ended;
  void *own; /* the format's, in the arena */
};

typedef struct ritti_format_def {
  const char *magic; /* the first bytes of such a file; NULL: any */
  /* text formats: the first line, a row */
  void (*add_head)(ritti_text *text, const ritti_about *about);
  void (*add_row)(ritti_text *text, const ritti_about *about, const double *values);
  /* others: the whole file, named `part` until it is whole, from a log, with the statistics of the
   * run */
  ritt_status (*make)(ritti_reader *log, const ritti_about *about, const char *path,
                      const char *part, ritt_error *error);
  /* reading: what it is about; the next rows into the block; back to the first row; the end */
  ritt_status (*open)(ritti_reader *reader, ritt_error *error);
  ritt_status (*fill)(ritti_reader *reader, ritt_error *error);
  ritt_status (*rewind)(ritti_reader *reader, ritt_error *error);
  void (*close)(ritti_reader *reader);
} ritti_format_def;
#define X(name, word, ending, other) extern const ritti_format_def ritti_format_##word;
RITTI_FORMATS(X)
#undef X

/* ---- for the readers ---- */

/* "... 'PATH': what is wrong"; RITT_WRONG_CALL. */
ritt_status ritti_reader_wrong(const ritti_reader *reader, ritt_error *error, const char *hint,
                               const char *format, ...) RITTI_PRINTF(4, 5);
/* Names the columns; refuses none, and two of one name. Makes the block. */
ritt_status ritti_reader_set_columns(ritti_reader *reader, const char *const *name, size_t count,
                                     ritt_error *error) RITT_USE;
/* A line, without its end, in *text; *line is its number, counted on. False: there is none, or it
 * is too long, which `text` then tells by its status. */
bool ritti_reader_line(ritti_reader *reader, ritti_text *text, long *line);

/* ---- json.c: what is needed to read rows and facts ---- */

typedef enum {
  RITTI_JSON_TEXT,
  RITTI_JSON_NUMBER,
  RITTI_JSON_NULL,
  RITTI_JSON_OTHER
} ritti_json_kind;
typedef struct ritti_json {
  const char *at; /* the place after what was read; NULL: it was wrong */
  ritti_json_kind kind;
  ritti_text text; /* of a text */
  double number;   /* of a number; NaN for null */
  bool whole;      /* it is written as a whole number */
} ritti_json;
const char *ritti_json_space(const char *at);
void ritti_json_value(ritti_json *json);      /* a value; an array or an object is passed over */
void ritti_json_key(ritti_json *json);        /* "key" : */
void ritti_json_open(ritti_json *json, char); /* the bracket */
/* Goes on to the next member of an object or array; false: it was closed (or is wrong). `first` is
 * cleared. */
bool ritti_json_next(ritti_json *json, char close, bool *first);

void ritti_json_add_real(ritti_text *text, double value); /* nan is null, inf 1e999 */
void ritti_json_add_about(ritti_text *text, const ritti_about *about);
ritt_status ritti_json_read_about(const char *text, ritti_arena *arena,
                                  ritti_about *about) RITT_USE;

/* ---- thin.c: the points of curves that the eye can tell apart ---- */

typedef struct ritti_range {
  double low, high; /* low > high: nothing is there */
} ritti_range;

typedef struct ritti_points {
  RITTI_ARRAY(double)
  at; /* dimensions values each; the first of a point that is not to be drawn is NaN: a gap */
  int dimensions;
  ritti_range range[3]; /* of what can be drawn */
  bool graph;           /* x never turns back */
  size_t rows;          /* that can be drawn */
} ritti_points;

/* One for each curve, in an array of the caller's; free each with RITTI_ARRAY_FREE(points.at). */
ritt_status ritti_thin_out(const ritti_plot_curve *curve, size_t curves,
                           ritti_reader *const *source, size_t sources, ritti_points *out,
                           ritt_error *error) RITT_USE;
/* The direction from which curves in space are seen: degrees, as gnuplot's `set view` has them. */
enum { RITTI_VIEW_X = 62, RITTI_VIEW_Z = 35 };

/* ---- interpolate.c ---- */

/* y at s by polynomials through rows from .. to-1 of a table; s lies at row k or behind it, before
 * k+1. dy: the derivative of y, or NULL. *estimate: of the error; NaN: not known. */
double ritti_interpolate(const double *x, const double *y, const double *dy, size_t from, size_t to,
                         size_t k, double s, double *estimate);

/* ---- gnuplot.c ---- */

/* Gives the script to gnuplot's stdin and takes the picture from its stdout; RITT_OK only if
 * gnuplot ended well. */
ritt_status ritti_gnuplot(const ritti_text *script, ritti_text *picture,
                          ritt_error *error) RITT_USE;

#endif
