/* Narrow bands: L D L^T of A diag(d) A^T if it is a narrow band in a given order. What codegen needs
 * to write their rows as native code. */
#ifndef RITTI_NARROW_H
#define RITTI_NARROW_H

#include "linalg/sparse.h"

enum { RITTI_NARROW = 8 }; /* the largest width */
typedef struct ritti_narrow ritti_narrow;
typedef struct ritti_product {
  uint16_t one, two; /* entries of the row, and of the row with which it is multiplied */
} ritti_product;
typedef struct ritti_row_shape {
  const ritti_product *of;
  int end[RITTI_NARROW +
          1]; /* of the products with the row `width` places before, ..., with itself */
} ritti_row_shape;
/* A stretch of rows that are alike from period to period, their entries at constant steps. */
enum { RITTI_FORM_PERIOD = 4 };
typedef struct ritti_form_run {
  int first, rows, period;
  int step[RITTI_FORM_PERIOD];
  const ritti_row_shape *shape[RITTI_FORM_PERIOD];
  uint64_t key; /* of all but first and rows */
  ritti_form *native;
} ritti_form_run;
/* those of the first or second half */
const ritti_form_run *ritti_narrow_runs(const ritti_narrow *narrow, int which, int *count);
/* Rows of two such runs, one of each half, that are eliminated side by side: formed, factored and
 * the first half of the solution in one loop, which waits for divisions and has time for the rest.
 * Both halves: where rows are, where their right sides are, L with 1/D, y; n periods. 0: a pivot is
 * none. */
typedef int ritti_sweep(const ritt_real *a, const ritt_real *b, ritt_real noise, const ritt_real *x,
                        const int *at, const int *row, ritt_real *r, ritt_real *y,
                        const int *other_at, const int *other_row, ritt_real *other_r,
                        ritt_real *other_y, int n);
typedef struct ritti_form_pair {
  int first, turns;
  const ritti_form_run *run[2];
  uint64_t key;
  ritti_sweep *native;
} ritti_form_pair;
const ritti_form_pair *ritti_narrow_pairs(const ritti_narrow *narrow, int *count);
int ritti_narrow_width(const ritti_narrow *narrow);
/* The narrow band behind a matrix or its Schur complement; NULL: none */
ritti_narrow *ritti_linear_narrow(const ritti_linear *linear);

#endif
