/* Private to the files of `ritt sweep`: the plan, the outcome of a run, the files. */
#ifndef RITT_SWEEP_H
#define RITT_SWEEP_H

#include <stdatomic.h>
#include "cli.h"
#include "sweep/ensemble.h"

/* The plan: shared by all threads, constant except for `ending`. */
typedef struct sweep_plan {
  const cli_options *options;
  ritti_ensemble ensemble;
  cli_words vary; /* the texts "NAME=VALUES" */
  long seed;
  const char *table;                           /* the table of runs; NULL: none */
  ritti_result runs;                           /* its contents */
  bool extrema, events, statistics, histogram; /* what is kept besides final values */
  bool *start;         /* for each --vary: it varies a start value, not a parameter */
  const char **column; /* for each --vary: the name of its column in the table */
  cli_numbers at;      /* the values of --at */
  const char *file;    /* the HDF5 file; NULL: none */
  const char *folder;  /* the folder with a file for each run, without a final '/'; NULL: none */
  ritti_file_format format;
  int digits;         /* the number of digits of a run's number in names */
  bool journal;       /* the sweep can be resumed: logs of rows stay until its end */
  atomic_bool ending; /* all runs are to be abandoned */
} sweep_plan;

/* The outcome of a run, in an arena of its own. */
typedef struct sweep_outcome {
  bool there;    /* the run is over */
  bool given_up; /* abandoned because the sweep ends */
  ritti_arena *arena;
  ritt_status status;
  bool broken;        /* files or memory failed, or the call is wrong: the sweep cannot go on */
  ritt_error *error;  /* the messages if `broken`; NULL: none */
  const char *reason; /* why it did not reach its end; NULL: it did */
  size_t columns;     /* the number of columns of its rows; 0: it could not start */
  const char *const *name;
  const double *last;   /* the last point, a value for each column */
  long steps;           /* accepted steps */
  long tried, together; /* all steps; of these, steps taken in batches */
  bool rows;            /* it has rows in files */
  const char *base;     /* its rows for the HDF5 file are in BASE.log; NULL: it has none */
  const char *const *part;
  size_t parts; /* events whose points are in BASE.NAME.log */
  bool kept;    /* its logs stay: the sweep can be resumed */
  ritti_facts statistics;
} sweep_outcome;

/* Reads --vary, --table, --runs, --seed and --keep, and what the section `sweep` of the model says. */
ritt_status cli_sweep_read_plan(sweep_plan *plan, const ritt_model *model, ritti_arena *arena,
                                ritt_error *error) RITT_USE;
void cli_sweep_plan_free(sweep_plan *plan);
/* Writes the statistics and histograms of the columns of a table of final values, beginning with
 * column `first`, as the plan asks; the paths may be NULL. */
ritt_status cli_sweep_reduce(const char *final, size_t first, const char *statistics,
                             const char *histogram, ritt_error *error) RITT_USE;

/* A current run, with a model of its own. */
typedef struct sweep_member {
  sweep_plan *plan;
  ritt_model *model;
  long run; /* its number, from 1; 0: this place is free */
  sweep_outcome out;
  ritt_error *error;
  cli_tables about;
  const char *base, *path; /* the names of its files; NULL: rows are not wanted */
  double *least, *largest; /* extrema of the columns; NULL: not kept */
  size_t events;           /* number of events of the model; 0: their numbers are not kept */
  const char **event;
  double *happened, *last; /* how often each event happened, and where it did last */
  cli_points points;
  ritti_writer *writer;
  ritt_solver *solver; /* NULL: it could not start */
} sweep_member;
/* Starts a run. The member must not move until the run has ended. */
void cli_sweep_begin(sweep_member *member, sweep_plan *plan, ritt_model *model, long run);
/* Continues the run. Returns false if it waits for a step in a batch (ritt_batch_step). */
bool cli_sweep_on(sweep_member *member);
/* Ends a run and returns its outcome. */
sweep_outcome cli_sweep_end(sweep_member *member);
/* Frees an outcome and removes the logs of its run unless they are kept. */
void cli_sweep_drop(sweep_outcome *outcome);
/* The name of a run, "run_0007". */
const char *cli_sweep_name(const sweep_plan *plan, long run, ritti_arena *arena);

/* The files of a sweep. */
typedef struct sweep_files {
  sweep_plan *plan;
  ritti_arena *arena;
  const char *final, *failed;         /* names of the tables; failed NULL: it is not written */
  const char *statistics, *histogram; /* names of the reductions; NULL: they are not kept */
  ritti_collection *collection;
  ritti_writer *table;
  ritti_about about;   /* facts about the table of final values */
  const char **output; /* the names of those of its columns that come from rows */
  size_t outputs;      /* the number of these columns */
  size_t before;       /* the number of columns before them */
  double *row;
  RITTI_ARRAY(int) waiting;  /* statuses of runs that failed before the first one with columns */
  FILE *list;                /* the table of failures */
  long done, failures, kept; /* number of runs: finished, failed, with rows in files */
  ritti_text shown;          /* the first failures, for people */
  ritti_text json;           /* all failures, for programs */
} sweep_files;

ritt_status cli_sweep_files_init(sweep_files *files, sweep_plan *plan, bool resumed,
                                 ritt_error *error) RITT_USE;
/* Writes the outcome of a run; the runs come in order. */
ritt_status cli_sweep_files_take(sweep_files *files, long run, sweep_outcome *outcome,
                                 ritt_error *error) RITT_USE;
ritt_status cli_sweep_files_close(sweep_files *files, ritt_error *error) RITT_USE;
void cli_sweep_files_free(sweep_files *files);

/* ---- the journal: what a sweep needs to continue after a kill ---- */

typedef struct sweep_record {
  long run;
  size_t file; /* the number of its file */
  off_t at;    /* its place there */
} sweep_record;

typedef struct sweep_journal {
  const char *path; /* the checkpoint CK */
  ritti_arena *arena;
  RITTI_ARRAY(int) file;            /* the files CK.0, CK.1, ... for reading */
  RITTI_ARRAY(sweep_record) record; /* the runs that are over, sorted */
  const char *name;                 /* the file of this process */
  int own;                          /* its descriptor; -1: not open */
} sweep_journal;

ritt_status cli_journal_init(sweep_journal *journal, const char *path, ritt_error *error) RITT_USE;
/* Removes the files of an earlier sweep. */
ritt_status cli_journal_clear(sweep_journal *journal, ritt_error *error) RITT_USE;
/* Reads which runs are over. */
ritt_status cli_journal_read(sweep_journal *journal, ritt_error *error) RITT_USE;
bool cli_journal_has(const sweep_journal *journal, long run);
ritt_status cli_journal_get(const sweep_journal *journal, long run, sweep_outcome *out,
                            ritt_error *error) RITT_USE;
/* Opens the file of this process; processes are counted from 0. */
ritt_status cli_journal_open(sweep_journal *journal, int process, ritt_error *error) RITT_USE;
/* Adds a run that is over. */
ritt_status cli_journal_add(sweep_journal *journal, long run, const sweep_outcome *outcome,
                            ritt_error *error) RITT_USE;
/* Removes the checkpoint, the journal and the logs of rows. */
ritt_status cli_journal_remove(sweep_journal *journal, ritt_error *error) RITT_USE;
void cli_journal_free(sweep_journal *journal);

/* ---- several processes ---- */

/* How the processes of a sweep talk to each other: number 0 hands out runs and writes the files, the
 * others make the runs. */
typedef struct cli_team {
  int rank, ranks;
  /* All processes receive the code of process 0. */
  int (*agree)(int code);
  /* A worker: `done` runs are over since it last asked. Receives the first number of its next runs
   * and their count; 0: no more. */
  void (*ask)(long done, long *first, long *count);
  /* A worker: all its runs are over. */
  void (*leave)(long done);
  /* Process 0: the rank that asks or leaves; -1: none at the moment. */
  int (*listen)(long *done, bool *leaves);
  void (*answer)(int rank, long first, long count);
  /* Ends all processes. */
  void (*abort)(int code);
} cli_team;
extern const cli_team *cli_sweep_team; /* NULL: one process */

#endif
