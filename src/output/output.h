/* Output: results as files of four formats, written as a run goes and read again; plots through
 * gnuplot as a child process. Part of the program, not of the library. */
#ifndef RITTI_OUTPUT_H
#define RITTI_OUTPUT_H

#include <stdio.h>
#include "base/base.h"
#include "base/clock.h"

/* ---- what a result holds besides its rows ---- */

/* Something known about a run: a text, a whole number, or a real number. */
typedef struct ritti_fact {
  const char *key;
  enum { RITTI_FACT_TEXT, RITTI_FACT_COUNT, RITTI_FACT_REAL } kind;
  const char *text;
  double number;
} ritti_fact;

typedef struct ritti_facts {
  const ritti_fact *at;
  size_t count;
} ritti_facts;

typedef struct ritti_about {
  size_t columns;
  const char *const *name; /* of each column */
  const char *const
      *unit; /* of each column; NULL: none has one, an empty text: this one has none */
  const char *title, *version,
      *model;             /* of the model, of Ritt, and the model's text; NULL: not known */
  ritti_facts files;      /* those that the model's text names: their names and texts */
  ritti_facts settings;   /* what the caller set over the model's text */
  ritti_facts statistics; /* of the run; known at its end */
  /* events and sections whose points are in logs PATH.NAME.log: HDF5 files take them from there */
  const char *const *part;
  size_t parts;
} ritti_about;

/* ---- formats ---- */

/* X(name, word of --format, endings of file names) */
#define RITTI_FORMATS(X)                                                                           \
  X(CSV, csv, ".csv", ".csv")                                                                      \
  X(NPZ, npz, ".npz", ".npz")                                                                      \
  X(HDF5, h5, ".h5", ".hdf5")                                                                      \
  X(JSONL, jsonl, ".jsonl", ".ndjson")                                                             \
  X(LOG, log, ".log", ".log") /* the rows of a run that goes on, or was killed: read only */
typedef enum ritti_file_format {
#define X(name, word, ending, other) RITTI_##name,
  RITTI_FORMATS(X)
#undef X
      RITTI_NO_FORMAT
} ritti_file_format;

/* By the word of --format, by the ending of a path; RITTI_NO_FORMAT: none of them. */
ritti_file_format ritti_format_of_word(const char *word);
ritti_file_format ritti_format_of_path(const char *path);

/* ---- writing ---- */

/* A result that is being written. CSV and JSON lines are written as rows come, whole lines always;
 * `path` "-" is stdout. The rows of the other formats go to an append-only log beside the file,
 * PATH.log, of which the file is made at the end, under another name until it is whole; then the
 * log is removed. Nothing in a file tells when it was written: equal runs give equal bytes. `about`
 * must live until the writer is closed. */
typedef struct ritti_writer ritti_writer;
ritt_status ritti_writer_open(const char *path, ritti_file_format format, const ritti_about *about,
                              ritt_error *error, ritti_writer **out) RITT_USE;
ritt_status ritti_writer_row(ritti_writer *writer, const double *values) RITT_USE;
/* How far a file has come: its bytes, and their sum. */
typedef struct ritti_mark {
  uint64_t size, sum;
} ritti_mark;
/* The same for a run that may be killed and go on later. Rows go on behind a mark (from NULL: the
 * file is new): what stands behind it is cut off, and a file that does not hold what was marked is
 * refused. A log stays when the file is made of it, until ritti_writer_drop_log. */
ritt_status ritti_writer_open_kept(const char *path, ritti_file_format format,
                                   const ritti_about *about, const ritti_mark *from,
                                   ritt_error *error, ritti_writer **out) RITT_USE;
/* Everything up to the last row is on the disk, and here is where it ends. */
ritt_status ritti_writer_mark(ritti_writer *writer, ritti_mark *mark, ritt_error *error) RITT_USE;
void ritti_writer_drop_log(const char *path, ritti_file_format format);
/* Closes and frees the writer; what has not been written is not, and no file is made. NULL:
 * nothing. */
void ritti_writer_abandon(ritti_writer *writer);
/* Makes the file, closes and frees the writer; says what went wrong, now or in a row. `about` may
 * hold statistics by now. */
ritt_status ritti_writer_close(ritti_writer *writer, ritt_error *error) RITT_USE;

/* Several runs in one HDF5 file, a group for each, in the order in which they are added. The file
 * is under another name until it is closed and kept. HDF5 is for one thread at a time. */
typedef struct ritti_collection ritti_collection;
ritt_status ritti_collection_open(const char *path, ritt_error *error,
                                  ritti_collection **out) RITT_USE;
/* The run of the log BASE.log, with its statistics, and with the points of events (parts) of
 * BASE.NAME.log. */
ritt_status ritti_collection_add(ritti_collection *collection, const char *name, const char *base,
                                 const ritti_facts *statistics, const char *const *part,
                                 size_t parts, ritt_error *error) RITT_USE;
ritt_status ritti_collection_close(ritti_collection *collection, bool keep,
                                   ritt_error *error) RITT_USE;

/* Writes a whole file that takes the place of another when it is on the disk. */
ritt_status ritti_file_replace(const char *path, const char *bytes, size_t count,
                               ritt_error *error) RITT_USE;
/* For the handler of a signal that ends the program: true: not now, it comes again when the file
 * has been replaced. */
bool ritti_file_signal_waits(int number);

/* ---- reading ---- */

/* A result that is being read, row by row from the first. What format it has the bytes tell, not
 * the name; path "-" is stdin, "FILE.h5:7" the run 7 of an HDF5 file that holds several,
 * "FILE.h5:hit" and "FILE.h5:7:hit" the points of the event `hit` in it. Wrong files are refused
 * with the place of what is wrong. */
typedef struct ritti_reader ritti_reader;
ritt_status ritti_reader_open(const char *path, ritt_error *error, ritti_reader **out) RITT_USE;
/* The same for a stream, which the reader closes; HDF5 cannot be read so. */
ritt_status ritti_reader_open_stream(FILE *stream, const char *path, ritt_error *error,
                                     ritti_reader **out) RITT_USE;
void ritti_reader_close(ritti_reader *reader);
const ritti_about *ritti_reader_about(const ritti_reader *reader);
const char *ritti_reader_path(const ritti_reader *reader);
/* The next row, good until the next call; NULL after the last. */
ritt_status ritti_reader_row(ritti_reader *reader, const double **values,
                             ritt_error *error) RITT_USE;
ritt_status ritti_reader_rewind(ritti_reader *reader, ritt_error *error) RITT_USE;

/* All rows, by columns. */
typedef struct ritti_result {
  ritti_reader *reader;
  const ritti_about *about;
  double **column;
  size_t rows;
} ritti_result;
ritt_status ritti_result_read(const char *path, ritt_error *error, ritti_result *out) RITT_USE;
void ritti_result_free(ritti_result *result);
/* The number of the column of that name; told, with the names that there are, if there is none. */
ritt_status ritti_about_find(const ritti_about *about, const char *path, const char *name,
                             ritt_error *error, size_t *out) RITT_USE;

/* ---- comparing ---- */

/* The largest difference of two results in a column. */
typedef struct ritti_difference {
  const char *name;
  size_t a, b;     /* the column of either */
  double absolute; /* the largest |a - b|; infinite where one has a value and the other none */
  double relative; /* the same by the largest size in the column */
  double where;    /* x there; NaN: there is no difference */
  double estimate; /* of the error of interpolation, the largest; NaN: not known */
  size_t points;   /* at which they were compared */
} ritti_difference;

typedef struct ritti_comparison {
  RITTI_ARRAY(ritti_difference) column; /* free it with RITTI_ARRAY_FREE */
  size_t points;
  int interpolated; /* 0: the rows are the same, 1: the first result was interpolated, 2: the second
                     */
  int sense;        /* of x */
} ritti_comparison;
ritt_status ritti_compare(const ritti_result *a, const ritti_result *b, ritti_comparison *out,
                          ritt_error *error) RITT_USE;

/* ---- plots ---- */

/* A curve of a plot: columns of the rows over each other, in the plane or in space. */
typedef struct ritti_plot_curve {
  int panel;
  int source;          /* which of the results its rows come from */
  int dimensions;      /* 2 or 3 */
  bool points;         /* the rows themselves are drawn, not a line through them */
  size_t column[3];    /* x, y, z */
  const char *name[3]; /* of the axes */
  const char *unit[3]; /* NULL or empty: none */
} ritti_plot_curve;

typedef struct ritti_plot {
  const char *path;   /* its ending chooses the format: .svg, .png, .pdf */
  const char *script; /* the script is kept under this name, with its data; NULL: not */
  const char *title;  /* or NULL */
  const ritti_plot_curve *curve;
  size_t curves;
} ritti_plot;

/* Can a plot be written under this name? */
bool ritti_plot_known(const char *path);
/* Draws the rows of one or more results, in memory that does not grow with their number. A plot
 * that was there stays when gnuplot fails. Without gnuplot: RITT_SYSTEM with a message that says
 * what to install. */
ritt_status ritti_plot_write(const ritti_plot *plot, ritti_reader *const *source, size_t sources,
                             ritt_error *error) RITT_USE;

/* Ends all programs that were started and still run, without waiting for them. May be called in the
 * handler of a signal that ends the program. */
void ritti_output_end_children(void);

#endif
