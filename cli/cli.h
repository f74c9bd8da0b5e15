/* The program `ritt`: commands over include/ritt.h. Everything a script may read goes to stdout,
 * the rest to stderr. */
#ifndef RITT_CLI_H
#define RITT_CLI_H

#include "output/checkpoint.h"

/* ---- commands and their options ---- */

/* One bit each, so that an option can say to which commands it belongs. */
enum {
  CLI_RUN = 1,
  CLI_CHECK = 2,
  CLI_COMPLETE = 4,
  CLI_EMIT = 4096, /* takes the settings of a run, too */
  CLI_METHODS = 8,
  CLI_CONVERT = 16,
  CLI_PLOT = 32,
  CLI_COMPARE = 64,
  CLI_FORMAT = 128,
  CLI_SWEEP = 512, /* the same */
  CLI_RESUME = 1024,
  CLI_ALL = 0xffff,
  CLI_READS = CLI_RUN | CLI_CHECK | CLI_COMPLETE | CLI_EMIT | CLI_SWEEP /* they read a model */
};

typedef RITTI_ARRAY(const char *) cli_words;
typedef RITTI_ARRAY(ritti_fact) cli_facts;
typedef RITTI_ARRAY(ritti_plot_curve) cli_curves;
enum { CLI_CHECKPOINT_EVERY = 30 }; /* seconds, where nothing else is said */
enum { CLI_CURVES_PER_PANEL = 6 };  /* where nothing says what belongs together */

typedef struct cli_options {
  const char *file, *other;      /* what the command is about */
  double tolerance, allowed;     /* of differences: relative, absolute */
  cli_words folders;             /* in which the files that a model names may lie too */
  cli_words set;                 /* "NAME=VALUE", each with a name and a value */
  ritt_options run;              /* from here to the tables: what changes the rows */
  const char *branch, *singular; /* as ritt_model_branch and ritt_model_singular have them */
  double singular_limit;
  bool branches;             /* list them */
  const char *kind, *follow; /* the kind wanted; what of a strong potential */
  const char *start;         /* FILE[:ROW] to start from */
  const char *at;            /* file with the values where rows are wanted */
  cli_words tables;          /* files for the rows; for `ritt plot` the pictures */
  cli_words y;               /* columns of each panel */
  const char *x, *style, *title;
  const char *format, *plot, *as, *form, *save_start;
  cli_words vary;                /* sweep: "NAME=VALUES" */
  double max_time;               /* seconds; 0: no limit */
  long max_memory;               /* MiB; 0: no limit */
  long runs, threads, seed;      /* 0: not given (seed: 0) */
  const char *final;             /* the table of final values */
  const char *lanes;             /* sweep: "never": no steps of several runs at once */
  const char *language, *source; /* emit: the word before FILE, and the file to write */
  const char *checkpoint;        /* its file; NULL: none */
  double checkpoint_every;       /* seconds */
  const char *text;              /* of the model, where stdin was read before; NULL: it was not */
  char **arguments;              /* of the call, behind the command */
  bool quiet, json, only_check, help, keep_script, space, verify;
} cli_options;

typedef struct cli_command {
  const char *name, *arguments; /* its name; what stands after it */
  unsigned bit;
  const char *summary;                                       /* one line for the list of commands */
  const char *text;                                          /* for its own help */
  int (*run)(const cli_options *options, ritt_error *error); /* gives the exit code */
} cli_command;

int cli_run(const cli_options *options, ritt_error *error);
int cli_resume(const cli_options *options, ritt_error *error);
int cli_sweep(const cli_options *options, ritt_error *error);
int cli_check(const cli_options *options, ritt_error *error);
int cli_complete(const cli_options *options, ritt_error *error);
int cli_emit(const cli_options *options, ritt_error *error);
int cli_convert(const cli_options *options, ritt_error *error);
int cli_plot(const cli_options *options, ritt_error *error);
int cli_compare(const cli_options *options, ritt_error *error);
int cli_format(const cli_options *options, ritt_error *error);
int cli_methods(const cli_options *options, ritt_error *error);

/* Reads the arguments that follow the command's name. */
ritt_status cli_parse(const cli_command *command, char **arguments, cli_options *options,
                      ritt_error *error) RITT_USE;
void cli_options_free(cli_options *options);
const cli_command *cli_find_command(const char *name);
/* The program for these words, the first of which is its name: the exit code. */
int cli_call(int count, char **arguments);
/* The format of a table by its name and --format; told where they do not say. */
ritt_status cli_table_format(const cli_options *options, const char *path, ritt_error *error,
                             ritti_file_format *out) RITT_USE;
/* The options that were given and change the rows; their texts live as long as the options. */
ritt_status cli_list_settings(const cli_options *options, cli_facts *out) RITT_USE;
/* The i-th option of a command; false: past the last. */
typedef struct cli_option {
  const char *name, *value, *text; /* value NULL: a flag */
} cli_option;
bool cli_option_get(const cli_command *command, size_t i, cli_option *out);
extern const char *const cli_exit_codes[4];
void cli_add_help(ritti_text *out, const cli_command *command);
void cli_add_man(ritti_text *out, const cli_command *commands, size_t count); /* the manual page */

/* A hint "did you mean 'NEAREST'?" in `buffer`, or `otherwise` where nothing known is near. */
const char *cli_did_you_mean(const char *word, const char *const *known, size_t count,
                             const char *otherwise, char buffer[128]);

/* ---- models ---- */

/* Reads the model from the file or stdin and gives its parameters the values of --set. */
ritt_status cli_read_model(const cli_options *options, ritt_error *error,
                           ritt_model **out) RITT_USE;

/* Another model like the first, which was read so. */
ritt_status cli_copy_model(const cli_options *options, const ritt_model *first, ritt_error *error,
                           ritt_model **out) RITT_USE;

/* Takes start values from a row of a table, "FILE.csv[:ROW]", or from a start section in a file of
 * another name. */
ritt_status cli_take_start(ritt_model *model, const char *source, ritt_error *error) RITT_USE;
/* Writes the start point that is used as a start section. */
ritt_status cli_save_start(ritt_model *model, const char *path, ritt_error *error) RITT_USE;

/* The values where --at wants rows, into an array of the caller's. */
typedef RITTI_ARRAY(double) cli_numbers;
ritt_status cli_read_numbers(const char *path, cli_numbers *out, ritt_error *error) RITT_USE;

/* ---- progress and interrupts ---- */

/* From now on Ctrl-C and SIGTERM end the program and its children. */
void cli_take_interrupts(void);
/* From now on they end the run at its next step; a second one ends the program. */
void cli_catch_interrupts(void);
bool cli_was_interrupted(void); /* or the time is up */

/* limits.c: of time and memory, from now on. */
ritt_status cli_limits_set(const cli_options *options, ritt_error *error) RITT_USE;
void cli_limits_lift(void); /* before the program ends */
bool cli_time_is_up(void);
/* A run begins, or ends: when the time is up it ends at its next step. Outside of runs the program
 * ends at once. */
void cli_limits_run(bool begins);

/* A line about a run that takes more than a second, on a terminal. */
typedef struct cli_progress {
  const char *variable; /* the run's */
  bool shown;           /* it may be: stderr is a terminal */
  bool there;           /* a line stands there now */
  double began, last;   /* seconds: the run, the line */
  double rate;          /* of the run's variable per second, smoothed */
  double rate_x;        /* where it was measured last */
} cli_progress;
void cli_progress_begin(cli_progress *progress, const char *variable, bool quiet);
void cli_progress_step(cli_progress *progress, const ritt_progress *now);
void cli_progress_runs(cli_progress *progress, long done, long runs, long failed); /* of a sweep */
void cli_progress_end(cli_progress *progress); /* takes the line away */

/* ---- files of runs that may be killed ---- */

/* How far the files of a run have come, one after the other. */
typedef RITTI_ARRAY(ritti_mark) cli_marks;
/* Adds that of a writer. */
ritt_status cli_take_mark(cli_marks *marks, ritti_writer *writer, ritt_error *error) RITT_USE;
/* Opens the file of a run: one that is kept, behind its mark if there is one, which is used up; or
 * any other. */
ritt_status cli_open_writer(bool kept, const ritti_mark **from, const char *path,
                            ritti_file_format format, const ritti_about *about, ritt_error *error,
                            ritti_writer **out) RITT_USE;

/* ---- tables ---- */

/* The files that the rows of a run go to, opened at the first row: until then older ones stay as
 * they are. */
typedef struct cli_tables {
  const cli_options *options;
  ritti_arena *arena;
  ritti_about about;
  cli_facts settings, statistics;
  RITTI_ARRAY(ritti_writer *) writers; /* one for each of the options' tables that is open */
  bool whole;                          /* all rows are in all files */
  bool kept; /* the run may be killed and go on: logs stay when files are made of them */
} cli_tables;

ritt_status cli_tables_init(cli_tables *tables, const cli_options *options, ritt_model *model,
                            ritt_error *error) RITT_USE;
ritt_status cli_tables_row(cli_tables *tables, const double *values, ritt_error *error) RITT_USE;
/* Opens them before the first row: behind marks, which are used up. */
ritt_status cli_tables_open(cli_tables *tables, const ritti_mark **from,
                            ritt_error *error) RITT_USE;
ritt_status cli_tables_mark(const cli_tables *tables, cli_marks *marks, ritt_error *error) RITT_USE;
void cli_tables_drop_logs(const cli_tables *tables);
/* Makes and closes all files, with the statistics of the run in them. */
ritt_status cli_tables_close(cli_tables *tables, const ritt_statistics *statistics,
                             ritt_error *error) RITT_USE;
void cli_tables_free(cli_tables *tables);
/* What a file says about its run; the texts are not copied. */
ritt_status cli_list_statistics(const ritt_statistics *statistics, cli_facts *out) RITT_USE;

/* ---- points of events ---- */

typedef struct cli_point_place {
  const char *path; /* of the table beside or in which they are */
  ritti_file_format format;
} cli_point_place;
typedef struct cli_points {
  ritti_arena *arena;
  ritti_about *about; /* of the rows; gets the names of the events with logs */
  RITTI_ARRAY(cli_point_place) place;
  struct cli_point_file *file; /* one for each event that happened */
  size_t count;
  bool kept; /* as the tables */
} cli_points;

/* The points go beside or into all tables that are files. */
ritt_status cli_points_init(cli_points *points, cli_tables *tables, ritt_error *error) RITT_USE;
ritt_status cli_points_to(cli_points *points, const char *path, ritti_file_format format,
                          ritt_error *error) RITT_USE;
ritt_status cli_points_take(cli_points *points, const ritt_event *event,
                            ritt_error *error) RITT_USE;
/* An event that has happened before the run was killed; its files are opened behind marks, which
 * are used up. */
ritt_status cli_points_resume(cli_points *points, const ritti_checkpoint_event *event,
                              const ritti_mark **from, ritt_error *error) RITT_USE;
typedef RITTI_ARRAY(ritti_checkpoint_event) cli_happened;
ritt_status cli_points_mark(const cli_points *points, cli_happened *events, cli_marks *marks,
                            ritt_error *error) RITT_USE;
/* The same without files: when they are closed. */
ritt_status cli_points_list(const cli_points *points, cli_happened *events) RITT_USE;
ritt_status cli_points_remember(cli_points *points, const ritti_checkpoint_event *event) RITT_USE;
/* Before the tables are closed: HDF5 files take the points from their logs, which can be dropped
 * then. */
ritt_status cli_points_close(cli_points *points, ritt_error *error) RITT_USE;
void cli_points_drop_logs(const cli_points *points);
void cli_points_drop(const cli_points *points);                 /* removes their files */
void cli_points_add(const cli_points *points, ritti_text *out); /* what happened how often */
void cli_points_free(cli_points *points);

/* ---- the plot of a run ---- */

/* Rows for the picture of --plot, in a log beside it: those of the solution, or the points of an
 * event. */
typedef struct cli_picture_log {
  const char *event, *path;    /* event NULL: the solution */
  RITTI_ARRAY(size_t) columns; /* of a row, that the log has */
  ritti_about about;
  double *values;
  ritti_writer *writer;
} cli_picture_log;

typedef struct cli_picture {
  const cli_options *options;
  ritti_arena *arena;
  const char *title;
  cli_curves curves; /* over the columns of the logs */
  RITTI_ARRAY(cli_picture_log) logs;
  bool drawn;
  bool kept; /* as the tables */
} cli_picture;

ritt_status cli_picture_init(cli_picture *picture, const cli_options *options, ritt_model *model,
                             const ritti_about *table, ritt_error *error) RITT_USE;
/* A point of the solution, or of an event. */
ritt_status cli_picture_point(cli_picture *picture, const char *event, const double *values,
                              ritt_error *error) RITT_USE;
/* Opens its logs before the first point: behind marks, which are used up. */
ritt_status cli_picture_open(cli_picture *picture, const ritti_mark **from,
                             ritt_error *error) RITT_USE;
ritt_status cli_picture_mark(const cli_picture *picture, cli_marks *marks,
                             ritt_error *error) RITT_USE;
void cli_picture_drop_logs(const cli_picture *picture);
ritt_status cli_picture_draw(cli_picture *picture, ritt_error *error) RITT_USE;
void cli_picture_free(cli_picture *picture);

/* ---- printing ---- */

/* All messages, to stderr; without any the meaning of a status that is not RITT_OK. */
void cli_print_messages(const ritt_error *error, ritt_status status);
/* A text, to stdout, and frees it; says when that fails. Gives the exit code. */
int cli_print(ritti_text *text);

/* JSON: members of one object, in order; the object is closed by cli_print_json. */
void cli_json_text(ritti_text *out, const char *key, const char *value); /* NULL: null */
void cli_json_count(ritti_text *out, const char *key, long value);       /* RITT_UNKNOWN: null */
void cli_json_truth(ritti_text *out, const char *key, bool value);
void cli_json_real(ritti_text *out, const char *key, double value); /* not finite: null */
void cli_json_list(ritti_text *out, const char *key, const char *const *item, size_t count);
void cli_json_moved(ritti_text *out, const ritt_moved *moved, size_t count);
void cli_json_special(ritti_text *out, const ritt_special *special, int count);
int cli_print_json(ritti_text *out);

#endif
