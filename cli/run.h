/* A run of the program: shared by `ritt run` (run.c) and what lets it go on after a kill
 * (checkpoint.c). */
#ifndef RITT_CLI_RUN_H
#define RITT_CLI_RUN_H

#include "cli.h"

/* --verify: rows of the run to be compared with those of a second one, and what came of it. */
typedef struct cli_verify {
  RITTI_ARRAY(double) kept, last; /* rows, and the last of all */
  size_t rows;
  long seen;
  int thin;           /* every 2^thin-th is kept */
  const char *method; /* of the second run; NULL: there was none */
  double tolerance;
  ritt_status status;
  bool done; /* it came as far as the first */
  double digits, end_digits;
  size_t column; /* that agrees least */
} cli_verify;

typedef struct cli_job {
  const cli_options *options;
  ritt_error *error;
  ritt_model *model;
  const ritt_check *check;
  ritt_solver *solver;
  cli_tables tables;
  cli_points points;
  cli_picture picture;
  cli_progress progress;
  cli_numbers at;
  cli_verify verify;
  long rows;        /* that came */
  ritt_status ran;  /* the status of the run itself */
  bool interrupted; /* by a signal */
  ritt_statistics statistics;
  const ritti_checkpoint *from; /* where it goes on; NULL: it begins */
  double kept;                  /* seconds: when the checkpoint was written last */
  char hint[512];
} cli_job;

/* The run, from its beginning or from a checkpoint; gives the exit code. */
int cli_run_from(const cli_options *options, const ritti_checkpoint *from, ritt_error *error);

/* checkpoint.c. Before the run: the first checkpoint, or the state and the files as they were at
 * the one it goes on from. */
ritt_status cli_checkpoint_begin(cli_job *job) RITT_USE;
/* After a step, where the solver can be saved: a new one, if it is time. */
ritt_status cli_checkpoint_step(cli_job *job) RITT_USE;
/* When the files are made: says so in the checkpoint, and drops the logs; or, where the run can go
 * on, how. Gives the status of the program. */
ritt_status cli_checkpoint_end(cli_job *job, ritt_status status) RITT_USE;
/* The run had ended already: its messages again. */
ritt_status cli_checkpoint_tell(cli_job *job) RITT_USE;
const char *cli_resume_hint(cli_job *job); /* lives as long as the job */

/* verify.c */
ritt_status cli_verify_row(cli_verify *verify, const double *values, size_t count) RITT_USE;
void cli_verify_run(cli_job *job); /* the second run */
void cli_verify_add(const cli_verify *verify, const char *const *columns, ritti_text *out);
void cli_verify_json(const cli_verify *verify, const char *const *columns, ritti_text *out);
void cli_verify_free(cli_verify *verify);

#endif
