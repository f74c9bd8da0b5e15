/* Private to the files of `ritt sweep`: the plan, the outcome of a run, the files. */
#ifndef RITT_SWEEP_H
#define RITT_SWEEP_H

#include <stdatomic.h>
#include "cli.h"
#include "ensemble/ensemble.h"

/* The plan: shared by all threads, constant except for `ending`. */
typedef struct sweep_plan {
  const cli_options *options;
  ritti_ensemble ensemble;
  bool *start;         /* of each that varies: it is a start value, not a parameter */
  const char **column; /* of each: its name in the table */
  cli_numbers at;      /* of --at */
  const char *file;    /* HDF5; NULL: none */
  const char *folder;  /* with a file for each run, without '/' at its end; NULL: none */
  ritti_file_format format;
  int digits;         /* of a run's number in names */
  atomic_bool ending; /* abandon all runs */
} sweep_plan;

/* The outcome of a run, in an arena of its own. */
typedef struct sweep_outcome {
  bool there;    /* the run is over */
  bool given_up; /* abandoned because the sweep ends */
  ritti_arena *arena;
  ritt_status status;
  bool broken;        /* files or memory failed, or the call is wrong: the sweep cannot go on */
  ritt_error *error;  /* the messages for this; NULL: none */
  const char *reason; /* why it did not reach its end; NULL: it did */
  size_t columns;     /* of its rows; 0: it could not start */
  const char *const *name;
  const double *last;          /* the last point, a value for each column */
  long steps, tried, together; /* accepted; all; of all, steps taken in batches */
  bool rows;                   /* it has rows in files */
  const char *base;            /* its rows, for the HDF5 file, are in BASE.log; NULL: none */
  const char *const *part;
  size_t parts; /* events whose points are in BASE.NAME.log */
  ritti_facts statistics;
} sweep_outcome;

/* A current run, with a model of its own. */
typedef struct sweep_member {
  sweep_plan *plan;
  ritt_model *model;
  long run; /* its number, from 1; 0: none */
  sweep_outcome out;
  ritt_error *error;
  cli_tables about;
  const char *base, *path; /* of its rows; NULL: none are wanted */
  cli_points points;
  ritti_writer *writer;
  ritt_solver *solver; /* NULL: it could not start */
} sweep_member;
/* The member keeps its place until it has ended. */
void cli_sweep_begin(sweep_member *member, sweep_plan *plan, ritt_model *model, long run);
/* Continues the run. Returns false if it waits for a step in a batch (ritt_batch_step). */
bool cli_sweep_on(sweep_member *member);
sweep_outcome cli_sweep_end(sweep_member *member);
void cli_sweep_drop(sweep_outcome *outcome); /* frees it; removes its log */
/* "run_0007" */
const char *cli_sweep_name(const sweep_plan *plan, long run, ritti_arena *arena);

/* The files of a sweep. */
typedef struct sweep_files {
  sweep_plan *plan;
  ritti_arena *arena;
  const char *final, *failed; /* names; NULL: none */
  ritti_collection *collection;
  ritti_writer *table;
  ritti_about about;      /* of the table */
  const char **output;    /* names of the columns of rows that the table has */
  size_t outputs, before; /* their number; the number of columns before them */
  double *row;
  RITTI_ARRAY(int) waiting;  /* statuses of runs that failed before the first one with columns */
  FILE *list;                /* of failures */
  long done, failures, kept; /* number of runs: finished, failed, with rows in files */
  ritti_text shown;          /* the first failures, for people */
  ritti_text json;           /* all failures, for programs */
} sweep_files;

ritt_status cli_sweep_files_init(sweep_files *files, sweep_plan *plan, ritt_error *error) RITT_USE;
/* The runs come in order. */
ritt_status cli_sweep_files_take(sweep_files *files, long run, sweep_outcome *outcome,
                                 ritt_error *error) RITT_USE;
ritt_status cli_sweep_files_close(sweep_files *files, ritt_error *error) RITT_USE;
void cli_sweep_files_free(sweep_files *files);

#endif
