/* Private to the general path: the system in progress, its generic points, and elimination with
 * decisions. */
#ifndef RITTI_GENERAL_IMPL_H
#define RITTI_GENERAL_IMPL_H

#include "complete/complete_impl.h"
#include "expr/quad.h"

enum { RITTI_POINTS = 3 };

/* "No answer exists" is another thing than "could not decide". */
typedef enum ritti_answer { RITTI_NO, RITTI_YES, RITTI_UNKNOWN } ritti_answer;

/* A number known at every generic point, and the size of the terms that made it. */
typedef struct ritti_known {
  ritti_quad value[RITTI_POINTS], size[RITTI_POINTS];
} ritti_known;
/* Is it zero: at every point far below its size? Not so at one point: no. */
ritti_answer ritti_known_zero(const ritti_known *known);
bool ritti_known_everywhere_nonzero(const ritti_known *known);

/* The system in progress: rows f = 0 in the jets up to C->d, independent on {f = 0}. */
typedef struct ritti_general {
  ritti_completion *C;
  int count, room;
  ritti_expr *f;
  ritti_origin *origin;
  ritti_quad
      *point[RITTI_POINTS]; /* generic points of {f = 0}, near the start: values of all jets */
  double x[RITTI_POINTS];
  ritti_quad *parameter;
  double nearer; /* than usual: a factor on how far the points are from the start */
  size_t most;   /* nodes that the DAG may have: rows that outgrow it are not followed further */
} ritti_general;
bool ritti_general_outgrown(const ritti_general *G);

/* ---- points.c ---- */
/* Points near the typed start values; no rows yet. */
ritt_status ritti_points_init(ritti_general *G) RITT_USE;
/* Brings the points onto the rows and the further row e; *reached: all of them. Otherwise they stay
 * as they were, and *none says that no point was in sight: the misfit has a least value that is not
 * 0, and no try came much below it. */
ritt_status ritti_points_onto(ritti_general *G, ritti_expr e, bool *reached, bool *none) RITT_USE;
/* Values of some expressions at the points. */
ritt_status ritti_points_evaluate(const ritti_general *G, const ritti_expr *e, size_t count,
                                  ritti_known *out) RITT_USE;

/* ---- eliminate.c: rows x (cols + 1), the last column the right side ---- */
typedef struct ritti_elimination {
  int rows, cols;
  ritti_expr *entry;  /* rows x (cols+1) */
  ritti_known *known; /* the same, as numbers */
  int *pivot_row, *pivot_col, rank;
  bool *row_done, *col_done;
  bool *source; /* rows x rows: which rows went into a row */
  bool unclear; /* some entry could not be decided */
} ritti_elimination;
ritt_status ritti_eliminate(const ritti_general *G, int rows, int cols, ritti_expr *entry,
                            ritti_elimination *out) RITT_USE;

#endif
