/* Private to src/output: files, streams, formats, JSON, and gnuplot as a child process. */
#ifndef RITTI_OUTPUT_IMPL_H
#define RITTI_OUTPUT_IMPL_H

#include <sys/types.h>
#include "output.h"

/* ---- file.c: these functions return 0 or an errno ---- */

/* Opens a file for writing and empties it if it exists; path "-" is stdout. */
int ritti_file_open(const char *path, int *file);
/* Writes all bytes; *written is the number written before a failure. */
int ritti_file_write(int file, const char *bytes, size_t count, size_t *written);
/* Closes a file, except stdout. */
int ritti_file_close(int file);
/* Forces the bytes to the disk, if the file is on a disk. */
int ritti_file_sync(int file);

/* Reports an errno of these functions. */
ritt_status ritti_file_failed(ritt_error *error, const char *path, int reason);

/* A file that replaces another once it is complete: it is written as `part` and then renamed. If
 * the path is not a regular file (but a device or a pipe), `part` is the path itself. */
typedef struct ritti_replacement {
  char *path, *part;
} ritti_replacement;
int ritti_replacement_init(ritti_replacement *r, const char *path);
/* Checks whether a file of this name could be replaced: 0, or an errno if it could not. */
int ritti_file_replaceable(const char *path);
/* Forces the part file to the disk and renames it. */
int ritti_replacement_finish(ritti_replacement *r);
/* Removes a part file that was not finished, and frees the names. */
void ritti_replacement_clear(ritti_replacement *r);

/* ---- stream.c: an append-only file of complete records ---- */

typedef struct ritti_stream {
  char *path;
  int file;
  bool lines;      /* text: an incomplete last line is removed after a failure */
  ritti_text text; /* complete records not yet written: add to it and call ritti_stream_record */
  int failure;     /* errno of the write that failed, or 0 */
  bool kept;       /* ritti_stream_mark will be called */
  ritti_mark mark; /* if `kept`: the position up to which the file is written */
  double written;  /* the time of the last write, in seconds */
} ritti_stream;
ritt_status ritti_stream_open(ritti_stream *stream, const char *path, bool lines,
                              ritt_error *error) RITT_USE;
/* Opens a stream that supports marks: a new file (from NULL), or an existing one, which is cut back
 * to a mark and continued. */
ritt_status ritti_stream_open_kept(ritti_stream *stream, const char *path, bool lines,
                                   const ritti_mark *from, ritt_error *error) RITT_USE;
/* Writes everything to the disk; *mark is the position of its end. */
ritt_status ritti_stream_mark(ritti_stream *stream, ritti_mark *mark, ritt_error *error) RITT_USE;
/* Completes the record that begins at `from` in the text; writes if enough has gathered. */
ritt_status ritti_stream_record(ritti_stream *stream, size_t from) RITT_USE;
/* Writes the rest and closes the stream; returns the status of the first failure with its message.
 */
ritt_status ritti_stream_close(ritti_stream *stream, ritt_error *error) RITT_USE;

/* ---- the formats ---- */

struct ritti_reader {
  const struct ritti_format_def *format;
  FILE *file;
  char *path;       /* for messages: the file's name with the run and event that follow it */
  const char *part; /* points into path: the "7:hit" of "FILE.h5:7:hit"; NULL: nothing follows */
  ritti_arena *arena;
  ritti_about about;
  double *block; /* rows read ahead, about.columns values each */
  size_t room;   /* the number of rows for which the block has room */
  size_t rows;   /* the number of rows in the block */
  size_t next;   /* the index of the next row in the block */
  long total;    /* the number of rows of the whole file; -1: not known before its end */
  bool ended;    /* the file has no rows after those in the block */
  void *own;     /* data of the format, in the arena */
};

/* What a format can do. Text formats have add_row, the others have make. */
typedef struct ritti_format_def {
  const char *magic; /* the first bytes of such a file; NULL: any bytes */
  /* text formats: add the first line (NULL: there is none); add a row */
  void (*add_head)(ritti_text *text, const ritti_about *about);
  void (*add_row)(ritti_text *text, const ritti_about *about, const double *values);
  /* other formats: make the whole file from a log; its name is `part` until it is complete */
  ritt_status (*make)(ritti_reader *log, const ritti_about *about, const char *path,
                      const char *part, ritt_error *error);
  /* reading: read everything before the rows; fill the block; return to the first row; free `own`
   */
  ritt_status (*open)(ritti_reader *reader, ritt_error *error);
  ritt_status (*fill)(ritti_reader *reader, ritt_error *error);
  ritt_status (*rewind)(ritti_reader *reader, ritt_error *error);
  void (*close)(ritti_reader *reader);
} ritti_format_def;
#define X(name, word, ending, other) extern const ritti_format_def ritti_format_##word;
RITTI_FORMATS(X)
#undef X

/* ---- read.c: for the formats ---- */

/* Refuses a file: "cannot read 'PATH': ..."; the status is RITT_WRONG_CALL. */
ritt_status ritti_reader_wrong(const ritti_reader *reader, ritt_error *error, const char *hint,
                               const char *format, ...) RITTI_PRINTF(4, 5);
/* Sets the names of the columns and allocates the block. There must be at least one column, and no
 * two of the same name. */
ritt_status ritti_reader_set_columns(ritti_reader *reader, const char *const *name, size_t count,
                                     ritt_error *error) RITT_USE;
/* Reads a line without its end into *text and increments *line, its number. Returns false at the
 * end of the file, and with a status in *text if the line is too long or contains a NUL. */
bool ritti_reader_line(ritti_reader *reader, ritti_text *text, long *line);

/* ---- json.c: reading and writing rows and facts ---- */

typedef enum {
  RITTI_JSON_TEXT,
  RITTI_JSON_NUMBER,
  RITTI_JSON_NULL,
  RITTI_JSON_OTHER
} ritti_json_kind;
typedef struct ritti_json {
  const char *at; /* the place after the last value; NULL: there was a mistake */
  ritti_json_kind kind;
  ritti_text text; /* the value of a text */
  double number;   /* the value of a number; NaN for null */
  bool whole;      /* the number is written without point and exponent */
} ritti_json;
/* The first character that is not white space. */
const char *ritti_json_space(const char *at);
/* Reads a value; an array or an object is skipped. */
void ritti_json_value(ritti_json *json);
/* Reads a key and its colon. */
void ritti_json_key(ritti_json *json);
/* Reads an opening bracket. */
void ritti_json_open(ritti_json *json, char bracket);
/* Goes on to the next member of an object or array; false after the closing bracket or a mistake.
 * *first must be true for the first member and is cleared. */
bool ritti_json_next(ritti_json *json, char close, bool *first);

/* Adds a number with 17 digits; NaN is null, the infinities are 1e999 and -1e999. */
void ritti_json_add_real(ritti_text *text, double value);
/* Writes and reads the facts about a result as a JSON object. */
void ritti_json_add_about(ritti_text *text, const ritti_about *about);
ritt_status ritti_json_read_about(const char *text, ritti_arena *arena,
                                  ritti_about *about) RITT_USE;

/* ---- thin.c: the visible points of curves ---- */

typedef struct ritti_range {
  double low, high; /* low > high: the range is empty */
} ritti_range;

/* The points of a curve that are drawn. */
typedef struct ritti_points {
  /* `dimensions` values for each point; NaN as the first value is a gap in the line */
  RITTI_ARRAY(double) at;
  int dimensions;
  ritti_range range[3];     /* the range of the finite rows on each axis */
  bool graph;               /* x never turns back */
  size_t rows;              /* the number of finite rows */
  double first[3], last[3]; /* the first and the last of them */
  double positive;          /* the least x greater than 0 */
} ritti_points;

/* Reduces each curve to its visible points. `out` has one element for each curve; free each with
 * RITTI_ARRAY_FREE(points.at). */
ritt_status ritti_thin_out(const ritti_plot_curve *curve, size_t curves,
                           ritti_reader *const *source, size_t sources, ritti_points *out,
                           ritt_error *error) RITT_USE;
/* The direction from which curves in space are seen: the angles of gnuplot's `set view` in degrees.
 */
enum { RITTI_VIEW_X = 62, RITTI_VIEW_Z = 35 };

/* ---- interpolate.c ---- */

/* Interpolates y at s by polynomials through the rows from .. to-1 of a table. Row k is the last
 * one at or before s. dy: the derivative of y, or NULL. *estimate: the estimated error; NaN: not
 * known. */
double ritti_interpolate(const double *x, const double *y, const double *dy, size_t from, size_t to,
                         size_t k, double s, double *estimate);

/* ---- gnuplot.c ---- */

/* Sends the script to gnuplot's stdin and reads the picture from its stdout. Returns RITT_OK only
 * if gnuplot exited with code 0. */
ritt_status ritti_gnuplot(const ritti_text *script, ritti_text *picture,
                          ritt_error *error) RITT_USE;

#endif
