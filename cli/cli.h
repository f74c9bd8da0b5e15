/* The program `ritt`: commands on top of include/ritt.h. Output that a script may read goes to
 * stdout, everything else to stderr. */
#ifndef RITT_CLI_H
#define RITT_CLI_H

#include "output/checkpoint.h"

/* ---- commands and their options ---- */

/* The commands, one bit each: an option lists the commands to which it belongs. */
enum {
  CLI_RUN = 1,
  CLI_CHECK = 2,
  CLI_COMPLETE = 4,
  CLI_EMIT = 4096, /* also takes the settings of a run */
  CLI_METHODS = 8,
  CLI_LIBRARY = 2048,
  CLI_CONVERT = 16,
  CLI_PLOT = 32,
  CLI_COMPARE = 64,
  CLI_FORMAT = 128,
  CLI_EXPORT = 256, /* also takes the settings of a run */
  CLI_SWEEP = 512,  /* also takes the settings of a run */
  CLI_RESUME = 1024,
  CLI_LINEARIZE = 1 << 16,
  CLI_STEADY = 1 << 17,
  CLI_FIT = 1 << 18,   /* also takes the settings of a run */
  CLI_ORBIT = 1 << 19, /* also takes the settings of a run */
  CLI_EXPLAIN = 1 << 20,
  CLI_NEW = 1 << 21,
  CLI_SERVE = 1 << 22,
  CLI_GRADIENT = 1 << 23, /* also takes the settings of a run */
  CLI_ALL = 0x7fffffff,
  CLI_POINTS = CLI_LINEARIZE | CLI_STEADY,
  /* commands with a model */
  CLI_READS = CLI_RUN | CLI_CHECK | CLI_COMPLETE | CLI_EMIT | CLI_EXPORT | CLI_SWEEP | CLI_EXPLAIN |
              CLI_POINTS | CLI_SERVE | CLI_FIT | CLI_ORBIT | CLI_GRADIENT
};

typedef RITTI_ARRAY(const char *) cli_words;
typedef RITTI_ARRAY(ritti_fact) cli_facts;
typedef RITTI_ARRAY(ritti_plot_curve) cli_curves;
enum { CLI_CHECKPOINT_EVERY = 30 }; /* seconds, unless --checkpoint-every changes it */
enum { CLI_CURVES_PER_PANEL = 6 };  /* if neither the model nor an option groups the curves */

/* The options of a call; the texts are those of the arguments. */
typedef struct cli_options {
  const char *file, *other;  /* the argument of the command, and the second one */
  double tolerance, allowed; /* largest differences: relative, absolute */
  cli_words folders;         /* additional folders for the files that a model names */
  cli_words set;             /* "NAME=VALUE", each with a name and a value */
  cli_words sensitivity;     /* lists of parameters and start values to differentiate by */
  /* the members from `run` to before `tables` change the rows */
  ritt_options run;
  const char *branch, *singular; /* arguments of ritt_model_branch and ritt_model_singular */
  double singular_limit;
  bool branches;             /* list the branches */
  bool tree;                 /* list the parts */
  const char *kind, *follow; /* the kind wanted; what to follow of a strong potential */
  const char *start;         /* FILE[:ROW] to start from */
  /* file with the values at which rows are requested; linearize: the place of the point */
  const char *at;
  cli_words tables; /* files for the rows; for `ritt plot` the pictures */
  cli_words y;      /* columns of each panel */
  const char *x, *style, *title;
  const char *range[2], *label[2], *log; /* of the axes of a plot */
  const char *format, *plot, *as, *form, *save_start;
  const char *view, *animate;    /* the page and the animation of a run */
  long port;                     /* of `serve`; 0: any that is free */
  cli_words vary;                /* sweep: "NAME=VALUES" */
  double max_time;               /* seconds; 0: no limit */
  long max_memory;               /* MiB; 0: no limit */
  long runs, threads, seed;      /* 0: not given */
  const char *final;             /* the table of final values */
  const char *table;             /* sweep: the table with a row for each run */
  cli_words keep;                /* sweep: lists of what is kept besides final values */
  const char *lanes;             /* sweep: "never": each run takes its steps alone */
  const char *device;            /* sweep: "cuda:N": steps are taken on a GPU */
  const char *arithmetic;        /* of the device: "strict" or "fast" */
  cli_words input, moving, hold; /* linearize, steady: lists of names */
  bool steady;                   /* linearize at an equilibrium */
  const char *bode;              /* linearize: the picture of the frequency response */
  const char *data;              /* fit, gradient: the table of measured values */
  cli_words by, of;              /* gradient: lists of names */
  const char *loss;
  cli_words bounds, weight; /* fit: NAME=LOW:HIGH, COLUMN=NUMBER */
  double scale, confidence; /* fit; 0: not given */
  long starts;              /* fit; 0: not given */
  double period;            /* orbit: a guess, or the period itself if it is fixed */
  bool fixed_period;
  long segments;                 /* orbit; 0: not given */
  const char *language, *source; /* emit, export: the word before FILE, and the file to write */
  const char *fmi, *unit_kind;   /* export: the version of FMI; cs, me or both */
  const char *checkpoint;        /* the file of checkpoints; NULL: none are written */
  double checkpoint_every;       /* seconds */
  const char *text; /* the model's text if it came from stdin in an earlier run, or NULL */
  char **arguments; /* the arguments after the command */
  bool quiet, json, only_check, help, keep_script, space, verify;
} cli_options;

typedef struct cli_command {
  const char *name, *arguments; /* its name, and the arguments that follow */
  unsigned bit;
  const char *summary; /* one line for the list of commands */
  const char *text;    /* the paragraph of its help */
  /* returns the exit code */
  int (*run)(const cli_options *options, ritt_error *error);
} cli_command;

/* Refuses outputs that are one file under two names, and locks the outputs of a run: a second process
 * that would write one of them is refused. */
ritt_status cli_lock_files(const cli_options *options, ritt_error *error) RITT_USE;
void cli_unlock_files(void);

/* The commands; each returns the exit code. */
int cli_run(const cli_options *options, ritt_error *error);
int cli_resume(const cli_options *options, ritt_error *error);
int cli_sweep(const cli_options *options, ritt_error *error);
/* Continues a sweep whose checkpoint is options->checkpoint. */
int cli_sweep_resume(const cli_options *options, ritt_error *error);
/* Writes the checkpoint of a sweep, which contains its call. */
ritt_status cli_checkpoint_sweep(const cli_options *options, const ritt_model *model,
                                 ritt_error *error) RITT_USE;
int cli_check(const cli_options *options, ritt_error *error);
int cli_complete(const cli_options *options, ritt_error *error);
int cli_emit(const cli_options *options, ritt_error *error);
int cli_export(const cli_options *options, ritt_error *error);
int cli_linearize(const cli_options *options, ritt_error *error);
int cli_steady(const cli_options *options, ritt_error *error);
int cli_fit(const cli_options *options, ritt_error *error);
int cli_gradient(const cli_options *options, ritt_error *error);
int cli_orbit(const cli_options *options, ritt_error *error);
int cli_convert(const cli_options *options, ritt_error *error);
int cli_plot(const cli_options *options, ritt_error *error);
int cli_serve(const cli_options *options, ritt_error *error);
int cli_compare(const cli_options *options, ritt_error *error);
int cli_explain(const cli_options *options, ritt_error *error);
int cli_new(const cli_options *options, ritt_error *error);
int cli_format(const cli_options *options, ritt_error *error);
int cli_library(const cli_options *options, ritt_error *error);
int cli_methods(const cli_options *options, ritt_error *error);

/* Reads the arguments after the command's name. */
ritt_status cli_parse(const cli_command *command, char **arguments, cli_options *options,
                      ritt_error *error) RITT_USE;
void cli_options_free(cli_options *options);
const cli_command *cli_find_command(const char *name);
/* Runs the program with these words, of which the first is its name; returns the exit code. */
int cli_call(int count, char **arguments);
/* Finds the format of a table by its name and --format; reports an error if they leave it open. */
ritt_status cli_table_format(const cli_options *options, const char *path, ritt_error *error,
                             ritti_file_format *out) RITT_USE;
/* Lists the options that were given and change the rows; their texts live as long as the options.
 */
ritt_status cli_list_settings(const cli_options *options, cli_facts *out) RITT_USE;
/* The groups of options in a help text, and the commands to which an option belongs. */
typedef enum cli_group { CLI_USED_MOST, CLI_ADVANCED, CLI_PAPERS, CLI_GROUPS } cli_group;
extern const char *const cli_group_names[CLI_GROUPS];
typedef enum cli_scope {
  CLI_OWN,       /* a few commands */
  CLI_OF_MODELS, /* all commands that read a model */
  CLI_OF_RUNS    /* commands that take the settings of a run */
} cli_scope;
/* An option of a command as the help shows it. */
typedef struct cli_option {
  const char *name, *value, *text; /* value NULL: a flag */
  cli_group group;
  cli_scope scope;
} cli_option;
/* Gets the i-th option of a command; false after the last one. */
bool cli_option_get(const cli_command *command, size_t i, cli_option *out);
extern const char *const cli_exit_codes[4];
void cli_add_help(ritti_text *out, const cli_command *command);
/* Adds the manual page. */
void cli_add_man(ritti_text *out, const cli_command *commands, size_t count);

/* Returns the hint "did you mean 'NEAREST'?" in `buffer`, or `otherwise` if no known word is
 * similar. */
const char *cli_did_you_mean(const char *word, const char *const *known, size_t count,
                             const char *otherwise, char buffer[128]);

/* Names from options whose values are lists with commas. */
typedef RITTI_ARRAY(char *) cli_names;
ritt_status cli_list_names(const cli_words *lists, cli_names *out, ritt_error *error) RITT_USE;
void cli_free_names(cli_names *names);

/* ---- models ---- */

/* Reads the model from the file or stdin and applies the options that change it. */
ritt_status cli_read_model(const cli_options *options, ritt_error *error,
                           ritt_model **out) RITT_USE;

/* Reads the text as if the file contained it, and applies the options. */
ritt_status cli_read_model_as(const cli_options *options, const char *text, size_t length,
                              ritt_error *error, ritt_model **out) RITT_USE;

/* Reads the model of `first` again, as an independent copy, and applies the same options. */
ritt_status cli_copy_model(const cli_options *options, const ritt_model *first, ritt_error *error,
                           ritt_model **out) RITT_USE;

/* Takes start values from a row of a table, "FILE.csv[:ROW]", or from a start section; the ending
 * of the name decides. */
ritt_status cli_take_start(ritt_model *model, const char *source, ritt_error *error) RITT_USE;
/* Writes the start point that will be used as a start section. */
ritt_status cli_save_start(ritt_model *model, const char *path, ritt_error *error) RITT_USE;

/* Reads the values at which --at wants rows; the caller frees the array. */
typedef RITTI_ARRAY(double) cli_numbers;
ritt_status cli_read_numbers(const char *path, cli_numbers *out, ritt_error *error) RITT_USE;

/* ---- progress and interrupts ---- */

/* From now on Ctrl-C and SIGTERM end the program and its children. */
void cli_take_interrupts(void);
/* From now on the first Ctrl-C or SIGTERM ends the run at its next step; the second ends the
 * program. */
void cli_catch_interrupts(void);
/* Was the run interrupted, or is its time up? */
bool cli_was_interrupted(void);

/* Sets the limits of time and memory (limits.c). */
ritt_status cli_limits_set(const cli_options *options, ritt_error *error) RITT_USE;
/* Lifts the limit of memory before the program ends. */
void cli_limits_lift(void);
bool cli_time_is_up(void);
/* Announces that a run begins or ends. When the time is up, a run ends at its next step; outside of
 * runs the program ends at once. */
void cli_limits_run(bool begins);

/* A progress line on a terminal for runs that take more than a second. */
typedef struct cli_progress {
  const char *variable; /* the name of the run's variable */
  bool shown;           /* stderr is a terminal: progress may be shown */
  bool there;           /* the line is on the screen now */
  double began, last;   /* times in seconds: the start of the run, the last line */
  double rate;          /* smoothed speed of the run's variable per second */
  double rate_x;        /* the variable's value when the speed was last measured */
} cli_progress;
void cli_progress_begin(cli_progress *progress, const char *variable, bool quiet);
void cli_progress_step(cli_progress *progress, const ritt_progress *now);
/* Shows the progress of a sweep. */
void cli_progress_runs(cli_progress *progress, long done, long runs, long failed);
/* Removes the line. */
void cli_progress_end(cli_progress *progress);

/* ---- files of runs that may be resumed ---- */

/* The positions in the files of a run, one after the other. */
typedef RITTI_ARRAY(ritti_mark) cli_marks;
/* Adds the position in a writer's file. */
ritt_status cli_take_mark(cli_marks *marks, ritti_writer *writer, ritt_error *error) RITT_USE;
/* Opens a file of a run. If the run may be resumed (`kept`), writing starts at the mark **from, and
 * *from goes on to the next mark; *from NULL starts a new file. */
ritt_status cli_open_writer(bool kept, const ritti_mark **from, const char *path,
                            ritti_file_format format, const ritti_about *about, ritt_error *error,
                            ritti_writer **out) RITT_USE;

/* ---- tables ---- */

/* The tables of a run. They are opened at the first row, so that older files stay unchanged until
 * then. */
typedef struct cli_tables {
  const cli_options *options;
  ritti_arena *arena;
  ritti_about about;
  cli_facts settings, statistics;
  RITTI_ARRAY(ritti_writer *) writers; /* one for each table in the options, once they are open */
  bool whole;                          /* all files contain all rows */
  bool kept; /* the run may be resumed: logs stay after files were made from them */
} cli_tables;

ritt_status cli_tables_init(cli_tables *tables, const cli_options *options, ritt_model *model,
                            ritt_error *error) RITT_USE;
ritt_status cli_tables_row(cli_tables *tables, const double *values, ritt_error *error) RITT_USE;
/* Opens the tables before the first row, at marks; *from goes on to the first unused mark. */
ritt_status cli_tables_open(cli_tables *tables, const ritti_mark **from,
                            ritt_error *error) RITT_USE;
/* Adds the positions in all tables. */
ritt_status cli_tables_mark(const cli_tables *tables, cli_marks *marks, ritt_error *error) RITT_USE;
/* Removes the logs from which the tables were made. */
void cli_tables_drop_logs(const cli_tables *tables);
/* Completes and closes all files and adds the statistics of the run. */
ritt_status cli_tables_close(cli_tables *tables, const ritt_statistics *statistics,
                             ritt_error *error) RITT_USE;
void cli_tables_free(cli_tables *tables);
/* Lists the statistics that files contain; texts are not copied. */
ritt_status cli_list_statistics(const ritt_statistics *statistics, cli_facts *out) RITT_USE;

/* ---- points of events ---- */

/* A table beside which, or in which, the points of events are stored. */
typedef struct cli_point_place {
  const char *path;
  ritti_file_format format;
} cli_point_place;

/* The points of all events of a run. */
typedef struct cli_points {
  ritti_arena *arena;
  ritti_about *about; /* facts about the rows; gets the names of the events with logs */
  RITTI_ARRAY(cli_point_place) place;
  struct cli_point_file *file; /* one for each event that has happened */
  size_t count;
  bool kept; /* the run may be resumed: see cli_tables */
} cli_points;

/* Prepares files for points beside or in each table that is a file. */
ritt_status cli_points_init(cli_points *points, cli_tables *tables, ritt_error *error) RITT_USE;
/* Adds one more place for points. */
ritt_status cli_points_to(cli_points *points, const char *path, ritti_file_format format,
                          ritt_error *error) RITT_USE;
/* Writes the point of an event and counts it. */
ritt_status cli_points_take(cli_points *points, const ritt_event *event,
                            ritt_error *error) RITT_USE;
/* Restores an event that happened before the run was killed; its files are opened at marks, and
 * *from goes on to the first unused mark. */
ritt_status cli_points_resume(cli_points *points, const ritti_checkpoint_event *event,
                              const ritti_mark **from, ritt_error *error) RITT_USE;
typedef RITTI_ARRAY(ritti_checkpoint_event) cli_happened;
/* Lists the events that have happened and the positions in their files. */
ritt_status cli_points_mark(const cli_points *points, cli_happened *events, cli_marks *marks,
                            ritt_error *error) RITT_USE;
/* Lists the events when their files are closed. */
ritt_status cli_points_list(const cli_points *points, cli_happened *events) RITT_USE;
/* Restores an event of a run that has ended; no file is opened. */
ritt_status cli_points_remember(cli_points *points, const ritti_checkpoint_event *event) RITT_USE;
/* Closes the files. This must come before the tables are closed: HDF5 files take the points from
 * their logs. Afterwards the logs can be removed. */
ritt_status cli_points_close(cli_points *points, ritt_error *error) RITT_USE;
void cli_points_drop_logs(const cli_points *points);
/* Removes the files of points. */
void cli_points_drop(const cli_points *points);
/* Adds how often each event happened. */
void cli_points_add(const cli_points *points, ritti_text *out);
/* Adds the member "event_counts": how often each event happened. */
void cli_points_json(const cli_points *points, ritti_text *out);
void cli_points_free(cli_points *points);

/* ---- the plot of a run ---- */

/* The rows of the solution or the points of an event for the picture of --plot, in a log beside it.
 */
typedef struct cli_picture_log {
  const char *event, *path;    /* event NULL: the rows of the solution */
  RITTI_ARRAY(size_t) columns; /* the columns of a row that the log contains */
  ritti_about about;
  double *values;
  ritti_writer *writer;
} cli_picture_log;

/* The picture of a run. */
typedef struct cli_picture {
  const cli_options *options;
  ritti_arena *arena;
  const char *title;
  cli_curves curves; /* their columns are those of the logs */
  RITTI_ARRAY(cli_picture_log) logs;
  bool drawn;
  bool kept; /* the run may be resumed: see cli_tables */
} cli_picture;

ritt_status cli_picture_init(cli_picture *picture, const cli_options *options, ritt_model *model,
                             const ritti_about *table, ritt_error *error) RITT_USE;
/* Adds a point of the solution (event NULL) or of an event. */
ritt_status cli_picture_point(cli_picture *picture, const char *event, const double *values,
                              ritt_error *error) RITT_USE;
/* Opens the logs before the first point, at marks; *from goes on to the first unused mark. */
ritt_status cli_picture_open(cli_picture *picture, const ritti_mark **from,
                             ritt_error *error) RITT_USE;
/* Adds the positions in all logs. */
ritt_status cli_picture_mark(const cli_picture *picture, cli_marks *marks,
                             ritt_error *error) RITT_USE;
void cli_picture_drop_logs(const cli_picture *picture);
/* Draws the picture and removes the logs, unless the run may be resumed. */
ritt_status cli_picture_draw(cli_picture *picture, ritt_error *error) RITT_USE;
void cli_picture_free(cli_picture *picture);

/* Draws the frequency response of a linear system (bode.c). */
ritt_status cli_draw_bode(const ritt_linearization *linear, const char *path, const char *title,
                          ritt_error *error) RITT_USE;

/* ---- printing ---- */

/* Prints all messages to stderr; if there are none, the meaning of a status other than RITT_OK. */
void cli_print_messages(const ritt_error *error, ritt_status status);
/* Prints a text to stdout and frees it; reports a failure. Returns the exit code. */
int cli_print(ritti_text *text);
/* Adds a time with three digits and a unit: "84 us", "210 ms", "3.2 s", "5400 s". */
void cli_add_time(ritti_text *out, double seconds);

/* JSON: these functions add members to one object; cli_print_json closes and prints it. */
/* Adds the key of the next member; the first one opens the object. */
void cli_json_key(ritti_text *out, const char *key);
void cli_json_text(ritti_text *out, const char *key, const char *value); /* NULL: null */
void cli_json_count(ritti_text *out, const char *key, long value);       /* RITT_UNKNOWN: null */
void cli_json_truth(ritti_text *out, const char *key, bool value);
void cli_json_real(ritti_text *out, const char *key, double value); /* not finite: null */
void cli_json_list(ritti_text *out, const char *key, const char *const *item, size_t count);
void cli_json_vector(ritti_text *out, const char *key, const double *value, size_t count);
/* Adds a matrix, stored row by row, as a list of its rows. */
void cli_json_matrix(ritti_text *out, const char *key, const double *value, size_t rows,
                     size_t columns);
void cli_json_moved(ritti_text *out, const ritt_moved *moved, size_t count);
/* The values of a row by the names of their columns; no columns: null. */
void cli_json_row(ritti_text *out, const char *key, const char *const *name, const double *value,
                  size_t count);
void cli_json_special(ritti_text *out, const ritt_special *special, int count);
int cli_print_json(ritti_text *out);

#endif
