/* Output: results as files of four formats, which are written during a run and can be read again;
 * plots, drawn by gnuplot as a child process. This is part of the program, not of the library. */
#ifndef RITTI_OUTPUT_H
#define RITTI_OUTPUT_H

#include <stdio.h>
#include "base/base.h"
#include "base/clock.h"

/* ---- what a result holds besides its rows ---- */

/* A fact about a run: a text, a whole number, or a real number. */
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

/* Everything that a result contains besides its rows. */
typedef struct ritti_about {
  size_t columns;
  const char *const *name; /* the name of each column */
  /* the unit of each column, "" if it has no unit; NULL: no column has a unit */
  const char *const *unit;
  /* the model's title, Ritt's version and the model's text; NULL: not known */
  const char *title, *version, *model;
  ritti_facts files;      /* names and texts of the files that the model names */
  ritti_facts settings;   /* settings that the caller changed */
  ritti_facts statistics; /* statistics of the run; known at its end */
  /* events and sections whose points are in the logs PATH.NAME.log; HDF5 files include them */
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
  X(LOG, log, ".log", ".log") /* the rows of a run that is not complete: for reading only */

/* The formats, and RITTI_NO_FORMAT for none of them. */
typedef enum ritti_file_format {
#define X(name, word, ending, other) RITTI_##name,
  RITTI_FORMATS(X)
#undef X
      RITTI_NO_FORMAT
} ritti_file_format;

/* The format by its word in --format, or by the ending of a path; RITTI_NO_FORMAT if it is unknown.
 */
ritti_file_format ritti_format_of_word(const char *word);
ritti_file_format ritti_format_of_path(const char *path);

/* ---- writing ---- */

/* A result that is being written. CSV and JSON lines are written during the run, always as complete
 * lines; `path` "-" is stdout. The rows of the other formats go to an append-only log beside the
 * file, PATH.log. At the end the file is made from the log, under a temporary name until it is
 * complete, and the log is removed. Files contain no times, so equal runs give equal bytes. `about`
 * must live until the writer is closed. */
typedef struct ritti_writer ritti_writer;
ritt_status ritti_writer_open(const char *path, ritti_file_format format, const ritti_about *about,
                              ritt_error *error, ritti_writer **out) RITT_USE;
ritt_status ritti_writer_row(ritti_writer *writer, const double *values) RITT_USE;
/* A position in a file: the number of bytes before it, and their checksum. */
typedef struct ritti_mark {
  uint64_t size, sum;
} ritti_mark;
/* Opens a writer for a run that may be killed and resumed later. Writing starts at the mark `from`
 * (NULL: the file is new): everything after the mark is cut off, and a file whose beginning has
 * changed is refused. The log is not removed before ritti_writer_drop_log. */
ritt_status ritti_writer_open_kept(const char *path, ritti_file_format format,
                                   const ritti_about *about, const ritti_mark *from,
                                   ritt_error *error, ritti_writer **out) RITT_USE;
/* Writes everything up to the last row to the disk; *mark is the position of its end. */
ritt_status ritti_writer_mark(ritti_writer *writer, ritti_mark *mark, ritt_error *error) RITT_USE;
/* Removes the log of a file; does nothing for formats without a log. */
void ritti_writer_drop_log(const char *path, ritti_file_format format);
/* Closes and frees the writer without writing the rest or making the file. NULL is allowed. */
void ritti_writer_abandon(ritti_writer *writer);
/* Makes the file, closes and frees the writer. Reports the first failure, including that of an
 * earlier row. `about` may contain statistics by now. */
ritt_status ritti_writer_close(ritti_writer *writer, ritt_error *error) RITT_USE;

/* Several runs in one HDF5 file, one group for each, in the order in which they are added. The file
 * has a temporary name until it is closed with `keep`. HDF5 works in one thread at a time. */
typedef struct ritti_collection ritti_collection;
ritt_status ritti_collection_open(const char *path, ritt_error *error,
                                  ritti_collection **out) RITT_USE;
/* Adds the run of the log BASE.log with its statistics, and the points of its events (`part`) from
 * the logs BASE.NAME.log. */
ritt_status ritti_collection_add(ritti_collection *collection, const char *name, const char *base,
                                 const ritti_facts *statistics, const char *const *part,
                                 size_t parts, ritt_error *error) RITT_USE;
ritt_status ritti_collection_close(ritti_collection *collection, bool keep,
                                   ritt_error *error) RITT_USE;

/* Writes a whole file. It replaces an existing file once it is on the disk. */
ritt_status ritti_file_replace(const char *path, const char *bytes, size_t count,
                               ritt_error *error) RITT_USE;
/* Can ritti_file_replace write this file? It makes none. For commands that work long before they write. */
ritt_status ritti_file_check(const char *path, ritt_error *error) RITT_USE;
/* For the handler of a signal that ends the program. True means that a file is being replaced: the
 * program must not end now, and the signal is raised again when the file is complete. */
bool ritti_file_signal_waits(int number);

/* ---- reading ---- */

/* A result that is being read, row by row from the first. The format is recognized by the file's
 * contents, not by its name. The path "-" is stdin, "FILE.h5:7" is run 7 of an HDF5 file with
 * several runs, "FILE.h5:hit" and "FILE.h5:7:hit" are the points of the event `hit`. Wrong files
 * are refused with a message that gives the place of the mistake. */
typedef struct ritti_reader ritti_reader;
ritt_status ritti_reader_open(const char *path, ritt_error *error, ritti_reader **out) RITT_USE;
/* Reads a stream, which the reader closes. `path` is used in messages. HDF5 files cannot be read
 * this way. */
ritt_status ritti_reader_open_stream(FILE *stream, const char *path, ritt_error *error,
                                     ritti_reader **out) RITT_USE;
void ritti_reader_close(ritti_reader *reader);
const ritti_about *ritti_reader_about(const ritti_reader *reader);
const char *ritti_reader_path(const ritti_reader *reader);
/* Returns the next row, valid until the next call; NULL after the last row. */
ritt_status ritti_reader_row(ritti_reader *reader, const double **values,
                             ritt_error *error) RITT_USE;
ritt_status ritti_reader_rewind(ritti_reader *reader, ritt_error *error) RITT_USE;

/* All rows of a result, by columns. */
typedef struct ritti_result {
  ritti_reader *reader;
  const ritti_about *about;
  double **column;
  size_t rows;
} ritti_result;
ritt_status ritti_result_read(const char *path, ritt_error *error, ritti_result *out) RITT_USE;
void ritti_result_free(ritti_result *result);
/* Finds the index of a column by its name. If there is none, the message lists the existing names.
 */
ritt_status ritti_about_find(const ritti_about *about, const char *path, const char *name,
                             ritt_error *error, size_t *out) RITT_USE;

/* ---- comparing ---- */

/* The largest difference of two results in one column. */
typedef struct ritti_difference {
  const char *name;
  size_t a, b;     /* the index of the column in each result */
  double absolute; /* the largest |a - b|; infinite if only one of the values is finite */
  double relative; /* `absolute` divided by the largest absolute value in the column */
  double where;    /* the x of the largest difference; NaN: there is no difference */
  double estimate; /* the largest estimated interpolation error; NaN: not known */
  size_t points;   /* the number of points compared */
} ritti_difference;

/* The differences in all columns that two results have in common. */
typedef struct ritti_comparison {
  RITTI_ARRAY(ritti_difference) column; /* free it with RITTI_ARRAY_FREE */
  size_t points;
  /* 0: both have the same x; 1: the first result was interpolated; 2: the second */
  int interpolated;
  int sense; /* the direction of x: 1 or -1 */
} ritti_comparison;
/* Compares two results; see compare.c for the method. */
ritt_status ritti_compare(const ritti_result *a, const ritti_result *b, ritti_comparison *out,
                          ritt_error *error) RITT_USE;

/* ---- plots ---- */

/* A curve of a plot: two columns in the plane or three columns in space. */
typedef struct ritti_plot_curve {
  int panel;
  int source;          /* the index of the result with its rows */
  int dimensions;      /* 2 or 3 */
  bool points;         /* draw the rows as points, not as a line */
  size_t column[3];    /* x, y, z */
  const char *name[3]; /* the names of the axes */
  const char *unit[3]; /* the units of the axes; NULL or empty: no unit */
  ritt_axis axis[2];   /* x and y, in the plane; the same for all curves of a panel */
} ritti_plot_curve;

/* A picture with one or more panels. */
typedef struct ritti_plot {
  const char *path;   /* its ending chooses the format: .svg, .png, .pdf */
  const char *script; /* the gnuplot script is kept under this name; NULL: it is not kept */
  const char *title;  /* NULL: no title */
  const ritti_plot_curve *curve;
  size_t curves;
} ritti_plot;

/* Can a plot be written under this name? */
bool ritti_plot_known(const char *path);
/* Draws the rows of one or more results; the memory needed does not grow with the number of rows.
 * If gnuplot fails, an existing plot stays. If gnuplot is missing, the status is RITT_SYSTEM and
 * the message says what to install. */
ritt_status ritti_plot_write(const ritti_plot *plot, ritti_reader *const *source, size_t sources,
                             ritt_error *error) RITT_USE;

/* Ends all child processes without waiting for them. May be called in the handler of a signal that
 * ends the program. */
void ritti_output_end_children(void);

/* ---- matrices ---- */

/* A matrix, stored row by row, or a list of `rows` names. */
typedef struct ritti_named_matrix {
  const char *name;
  size_t rows, columns;
  const double *value;          /* NULL: a list of names */
  const char *const *name_list; /* NULL: a matrix */
} ritti_named_matrix;
/* Writes matrices and lists as an archive of NumPy (.npz) or a MAT file (.mat). */
ritt_status ritti_write_matrices(const char *path, const ritti_named_matrix *matrix, size_t count,
                                 ritt_error *error) RITT_USE;

/* ---- archives ---- */

/* Writes files as one zip archive. */
ritt_status ritti_write_archive(const char *path, const ritt_file *file, size_t count,
                                ritt_error *error) RITT_USE;

#endif
