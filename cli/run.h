/* A run of the program: shared by `ritt run` (run.c), checkpoints (checkpoint.c) and --verify
 * (verify.c). */
#ifndef RITT_CLI_RUN_H
#define RITT_CLI_RUN_H

#include "cli.h"
#include "view/view.h"

/* --verify: rows of the run for the comparison with a second run, and its outcome. */
typedef struct cli_verify {
  RITTI_ARRAY(double) kept, last; /* the rows kept, and the last row of all */
  size_t rows;                    /* the number of rows kept */
  long seen;                      /* the number of rows that came */
  int thin;                       /* every 2^thin-th row is kept */
  const char *method;             /* the method of the second run; NULL: there was none */
  double tolerance;
  ritt_status status;
  bool done;                 /* the second run came as far as the first */
  double digits, end_digits; /* digits that agree: over the run, at its end */
  size_t column;             /* the column that agrees least */
  size_t columns;            /* the number of columns */
  bool *ignored;             /* for each column: no digits can be claimed */
} cli_verify;

/* Everything that belongs to one run. */
typedef struct cli_job {
  const cli_options *options;
  ritt_error *error;
  ritt_model *model;
  const ritt_check *check;
  ritt_solver *solver;
  cli_tables tables;
  cli_points points;
  cli_picture picture;
  ritti_view *view; /* of --view and --animate; NULL: none */
  bool viewed;      /* their files are written */
  cli_progress progress;
  cli_numbers at;
  cli_verify verify;
  long rows;        /* the number of rows that came */
  double *last;     /* the last row that came */
  bool has_last;    /* a row has come since the program began */
  long step_rows;   /* those since the last step */
  ritt_status ran;  /* the status of the run itself */
  bool interrupted; /* the run was ended by a signal or by --max-time */
  ritt_statistics statistics;
  const ritti_checkpoint *from; /* the run continues from here; NULL: it is new */
  double kept;                  /* the time of the last checkpoint, in seconds */
  char hint[512];
} cli_job;

/* Makes a run, from its beginning or from a checkpoint; returns the exit code. */
int cli_run_from(const cli_options *options, const ritti_checkpoint *from, ritt_error *error);

/* Adds the summary of the run; `all`: also its time and the names of its files. */
void cli_add_summary(const cli_job *job, ritti_text *out, bool all);

/* view.c: prepares the view, before anything is computed; writes it. */
ritt_status cli_view_init(cli_job *job) RITT_USE;
ritt_status cli_view_write(cli_job *job) RITT_USE;

/* checkpoint.c. Before the run: writes the first checkpoint, or restores the solver and the files.
 */
ritt_status cli_checkpoint_begin(cli_job *job) RITT_USE;
/* After a step: writes a checkpoint if it is time. */
ritt_status cli_checkpoint_step(cli_job *job) RITT_USE;
/* After the files are complete: writes the final checkpoint and removes the logs. If the run can be
 * resumed, says how instead. Returns the status of the program. */
ritt_status cli_checkpoint_end(cli_job *job, ritt_status status) RITT_USE;
/* For a run that had already ended: reports its messages again. */
ritt_status cli_checkpoint_tell(cli_job *job) RITT_USE;
/* A hint how to resume the run; lives as long as the job. */
const char *cli_resume_hint(cli_job *job);

/* verify.c: keeps a row; makes the second run; reports the outcome as text and as JSON. */
ritt_status cli_verify_row(cli_verify *verify, const double *values, size_t count) RITT_USE;
void cli_verify_run(cli_job *job);
void cli_verify_add(const cli_verify *verify, const char *const *columns, ritti_text *out);
void cli_verify_json(const cli_verify *verify, const char *const *columns, ritti_text *out);
void cli_verify_free(cli_verify *verify);

#endif
