/* Private to the search for the start point: newton.c, start.c, start_say.c, start_free.c. */
#ifndef RITTI_START_IMPL_H
#define RITTI_START_IMPL_H

#include "complete/complete_impl.h"

/* ---- newton.c ---- */
/* ritti_newton with more to say. */
typedef struct ritti_newton_task {
  ritti_rows_system *system;
  const double *freedom; /* of each jet */
  const bool *loose;     /* of each jet; NULL: none */
  const bool *skip;      /* rows left out; NULL: none */
  /* what the rows should be; NULL: 0. With a target the point is not drawn back to the guess. */
  const double *target;
  const double *guess; /* where the point should be; NULL: where it begins */
  double tolerance;    /* of a row, in units of its own terms; 0: 1e-12 */
  double *effort;      /* operations left, counted down: below 0 the search ends; NULL: no limit */
} ritti_newton_task;
ritt_status ritti_newton_run(ritti_completion *C, const ritti_newton_task *task, double *point,
                             bool *reached) RITT_USE;
/* How large the terms of a row are: sum |dF/dp_j| max(|p_j|, size_j), or max(|p_j|, freedom_j) where
 * that is smaller; its rounding error is eps times this. freedom 0: the jet is kept, and is what it
 * is; NULL: all may move. */
double ritti_row_size(const ritti_rows_system *system, int row, const double *point,
                      const double *freedom);

/* What the search for the start point knows; shared by start.c, start_say.c and start_free.c. */
typedef struct ritti_start {
  ritti_completion *C;
  ritti_arena *scratch; /* memory that is needed until the search ends */
  ritti_rows_system S;
  const ritti_start_def **typed; /* of each jet; NULL: not given */
  int *variable;                 /* of each jet */
  int *level, lowest;            /* of each jet: 0 for tops, -1 for those below them, ... */
  int *row_level;                /* of each row: the highest level of its jets */
  double *value;                 /* of each jet: as typed, 0 where not given */
  bool *loose;                   /* of each jet: not given */
  double *usual;                 /* of each jet: its freedom where guesses may move */
  double *freedom, *best;        /* scratch; the best point that is on no solution */
  double effort, least;          /* operations left; how bad the best point is */
  bool finite;                   /* some point had values */
  double *asked; /* the point whose determined jets were asked for last; NULL: none yet */
  bool *answer;  /* and which they are */
  /* start_free.c: of the rows by the independent variable; NULL: not made yet */
  ritti_plan *slopes;
  ritti_rows_system D; /* dependent equations; rows 0: there are none */
} ritti_start;
/* A point of the rows near the start, but generic, at less cost than ritti_generic_point. */
ritt_status ritti_any_point_beside(ritti_completion *C, ritti_rows_system *equations, double *point,
                                   bool *reached) RITT_USE;
/* Do the dependent equations hold at the point? They do not on every branch of the other rows. */
ritt_status ritti_start_keeps_dependent(ritti_start *W, const double *point, bool *keeps) RITT_USE;
double ritti_start_size(const ritti_start *W, int jet);
/* What may move: nothing typed, guesses, guesses and typed digits beyond the last. */
typedef enum ritti_attempt {
  RITTI_KEEP_TYPED,
  RITTI_MOVE_GUESSES,
  RITTI_MOVE_ROUNDED
} ritti_attempt;
void ritti_start_freedom(const ritti_start *W, ritti_attempt what, double *freedom);
/* From a point, order by order and then all at once; skip (may be NULL): rows left out. */
ritt_status ritti_start_try(ritti_start *W, const double *freedom, const bool *skip, double *point,
                            bool *reached) RITT_USE;
ritti_origin ritti_start_origin(const ritti_completion *C, int row);
/* start_say.c: why there is no start point; returns the failure. */
ritt_status ritti_start_say(ritti_start *W) RITT_USE;
/* start_free.c: determined[j]: jet j follows from jets of lower levels, kept ones, and others of
 * its level. *finite: false where the rows have no value. */
ritt_status ritti_start_determined(ritti_start *W, const double *point, bool *determined,
                                   bool *finite) RITT_USE;
/* Sets free values that were not given to 0 where it can; refuses a singular point; tells which
 * values were chosen and that there are other solutions. */
ritt_status ritti_start_choose(ritti_start *W) RITT_USE;
ritt_status ritti_start_singular(ritti_start *W) RITT_USE;
ritt_status ritti_start_tell(ritti_start *W) RITT_USE;
/* RITT_UNDECIDED: ritti_start_singular might refuse the point. */
ritt_status ritti_start_confirm(ritti_start *W) RITT_USE;

#endif
