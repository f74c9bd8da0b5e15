/* One problem with its settings and its start point, all constant, that runs in a block of memory of
 * the caller. `ritt emit` writes a ritti_standalone of one model, and three functions that call the
 * functions below.
 */
#ifndef RITTI_STANDALONE_H
#define RITTI_STANDALONE_H

#include "drive/driver.h"

typedef struct ritti_standalone {
  const ritti_problem *problem;
  const char *method;
  ritti_solve_options options;  /* all but the tableau */
  ritti_rows rows;              /* places of the rows of each run */
  const ritt_real *start;       /* m: a point of M for the parameters' own values */
  int parameters, parameter_at; /* how many, and their first slot in the problem's work */
  /* options.automatic: the method for a stiff run and its settings, tolerances and sizes left out */
  const char *stiff_method;
  const ritti_solve_options *stiff;
} ritti_standalone;

typedef struct ritti_standalone_state
    ritti_standalone_state; /* a solver, its rows and its messages */

/* Makes the moving part in the arena, without a point. */
ritt_status ritti_standalone_new(const ritti_standalone *alone, ritti_arena *arena,
                                 ritti_standalone_state **out) RITT_USE;
/* Bytes needed besides those of ritti_standalone_new: sliding takes memory when it first
 * happens. Room for each surface alone and as many combinations. */
ritt_status ritti_standalone_room(ritti_standalone_state *moving, ritti_arena *arena,
                                  size_t *bytes) RITT_USE;
/* Makes the moving part in a block, at the start. parameters NULL: the values of the model. point
 * NULL: the start point. If either is given the point is moved onto M, x kept, and invariants take
 * their values there. *out NULL: the block is too small; else its message says what went wrong. */
ritt_status ritti_standalone_start(const ritti_standalone *alone, void *block, size_t size,
                                   const ritt_real *parameters, const ritt_real *point,
                                   ritti_standalone_state **out) RITT_USE;
/* Runs to `end`; each row is [arc,] x and the outputs, kept in `values` until the next. The first
 * run gives the start as its first row. `row` may be NULL; returns not 0 to stop. */
ritt_status ritti_standalone_run(ritti_standalone_state *moving, ritt_real end, ritt_real *values,
                                 int (*row)(void *user, const ritt_real *values),
                                 void *user) RITT_USE;
/* The message of the last call, in one sentence and perhaps a hint; "": it succeeded. */
const char *ritti_standalone_message(const ritti_standalone_state *moving);

#endif
