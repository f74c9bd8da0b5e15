/* One problem that runs alone: with its settings and its start point, all constant, in a block of
 * memory of the caller's. What `ritt emit` writes is a ritti_standalone of one model and three
 * functions around those below.
 */
#ifndef RITTI_STANDALONE_H
#define RITTI_STANDALONE_H

#include "solve/driver.h"

typedef struct ritti_standalone {
  const ritti_problem *problem;
  const char *method;
  ritti_solve_options options;  /* all but the tableau */
  ritti_rows rows;              /* where rows are wanted in each run */
  const ritt_real *start;       /* m: a point of M for the parameters' own values */
  int parameters, parameter_at; /* how many, and their first slot in the problem's work */
} ritti_standalone;

typedef struct ritti_standalone_state
    ritti_standalone_state; /* a solver, its rows and its messages */

/* Sets up in the arena what moves; not placed yet. */
ritt_status ritti_standalone_new(const ritti_standalone *alone, ritti_arena *arena,
                                 ritti_standalone_state **out) RITT_USE;
/* Bytes for this besides what ritti_standalone_new took: sliding takes memory when it first
 * happens. Room for each surface alone and as many combinations. */
ritt_status ritti_standalone_room(ritti_standalone_state *moving, ritti_arena *arena,
                                  size_t *bytes) RITT_USE;
/* The same in a block, placed at the start. parameters NULL: their own values. point NULL: the
 * start point. Where one of them is given the point is moved onto M, x kept, and the levels are
 * those of the point. *out NULL: the block is too small; else it can be asked what went wrong. */
ritt_status ritti_standalone_start(const ritti_standalone *alone, void *block, size_t size,
                                   const ritt_real *parameters, const ritt_real *point,
                                   ritti_standalone_state **out) RITT_USE;
/* Runs to `end`; each row is [arc,] x and the outputs, kept in `values` until the next. The first
 * run gives the start as its first row. `row` may be NULL; returns not 0 to stop. */
ritt_status ritti_standalone_run(ritti_standalone_state *moving, ritt_real end, ritt_real *values,
                                 int (*row)(void *user, const ritt_real *values),
                                 void *user) RITT_USE;
/* What stopped the last call, in one sentence and perhaps a hint; "" where nothing did. */
const char *ritti_standalone_message(const ritti_standalone_state *moving);

#endif
