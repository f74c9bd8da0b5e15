/* One problem that runs alone: with its settings and its start point, all constant, in a block of
 * memory of the caller's. What `ritt emit` writes is a ritti_alone of one model and three functions
 * around those below.
 */
#ifndef RITTI_ALONE_H
#define RITTI_ALONE_H

#include "solve/solve.h"

typedef struct ritti_alone {
  const ritti_problem *problem;
  const char *method;
  ritti_solve_options options;  /* all but the tableau */
  ritti_rows rows;              /* where rows are wanted in each run */
  const ritt_real *start;       /* m: a point of M for the parameters' own values */
  int parameters, parameter_at; /* how many, and their first slot in the problem's work */
} ritti_alone;

typedef struct ritti_moving ritti_moving; /* a solver, its rows and its messages */

/* Sets up in the arena what moves; not placed yet. */
ritt_status ritti_alone_new(const ritti_alone *alone, ritti_arena *arena,
                            ritti_moving **out) RITT_USE;
/* Bytes for this besides what ritti_alone_new took: sliding takes memory when it first happens.
 * Room for each surface alone and as many combinations. */
ritt_status ritti_alone_room(ritti_moving *moving, ritti_arena *arena, size_t *bytes) RITT_USE;
/* The same in a block, placed at the start. parameters NULL: their own values. point NULL: the
 * start point. Where one of them is given the point is moved onto M, x kept, and the levels are
 * those of the point. *out NULL: the block is too small; else it can be asked what went wrong. */
ritt_status ritti_alone_start(const ritti_alone *alone, void *block, size_t size,
                              const ritt_real *parameters, const ritt_real *point,
                              ritti_moving **out) RITT_USE;
/* Runs to `end`; each row is [arc,] x and the outputs, kept in `values` until the next. The first
 * run gives the start as its first row. `row` may be NULL; returns not 0 to stop. */
ritt_status ritti_alone_run(ritti_moving *moving, ritt_real end, ritt_real *values,
                            int (*row)(void *user, const ritt_real *values), void *user) RITT_USE;
/* What stopped the last call, in one sentence and perhaps a hint; "" where nothing did. */
const char *ritti_alone_message(const ritti_moving *moving);

#endif
