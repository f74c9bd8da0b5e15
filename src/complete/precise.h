/* The numeric backend of the selection: decisions with many digits at a point of the set.
 *
 * The point is known to 2 D digits; beside it lies a copy, moved by 10^-D, with D digits. Both go
 * through the same elimination in lock-step. A number is zero if it shrinks with the digits at
 * both, not zero if both agree; otherwise D is too small.
 */
#ifndef RITTI_PRECISE_H
#define RITTI_PRECISE_H

#include "complete/selection.h"
#include "expr/big.h"

typedef struct ritti_precise ritti_precise;

typedef struct ritti_precise_task {
  const ritti_expr *equation;
  int equations;
  const int *top;  /* highest order of each variable */
  int digits;      /* D */
  int number;      /* which generic point: other numbers, other points */
  double spread;   /* how far from the start values, 1: usual */
  double jets;     /* how large are the jets without a start value, about */
  bool keep_typed; /* jets with a start value move less than the others */
  bool keep_fixed; /* jets whose start value is fixed do not move */
  /* where the point is, as ritti_precise_keep has it; NULL: at a generic place */
  const double *point;
  bool forget;     /* guesses count as not given: the point may be on another branch */
  bool at_start;   /* the point is C->point at C->x, nothing is moved */
  bool from_start; /* jets of C->point are taken as start values */
  bool fixed_x;    /* the independent variable is C->x, which is not generic */
  bool no_units;   /* nothing is decided at this point: units are not needed */
} ritti_precise_task;

ritt_status ritti_precise_new(ritti_completion *C, const ritti_precise_task *task,
                              ritti_precise **out) RITT_USE;
void ritti_precise_free(ritti_precise *precise);
ritti_backend *ritti_precise_backend(ritti_precise *precise);
/* Decimal digits that the model's numbers need: exponents and lengths of exact constants, and the
 * exponents of the values of all nodes at the generic point. */
ritt_status ritti_precise_digits(ritti_precise *precise, int *digits) RITT_USE;
/* Least squares on all rows at once, from the point as it is. */
ritt_status ritti_precise_search(ritti_precise *precise, const ritti_row_id *row, int count,
                                 bool *found) RITT_USE;
/* Does the gradient of the equation vanish where the equation holds, as that of (x - y)^2 = 0 does?
 * The point is moved towards the set of this equation alone. */
ritt_status ritti_precise_loses_gradient(ritti_precise *precise, int equation,
                                         bool *loses) RITT_USE;
/* The point as numbers: x, then the Taylor coefficients of all variables. */
ritt_status ritti_precise_keep(const ritti_precise *precise, ritti_arena *arena,
                               const double **point) RITT_USE;
/* How many numbers that are. */
size_t ritti_precise_kept(const ritti_completion *C);
void ritti_precise_set_x(ritti_precise *precise, double x);
/* The value of the jet y_v^(k) at the point; 0 if the point has no such jet. */
double ritti_precise_jet(const ritti_precise *precise, int variable, int order);
/* The unit of that jet. */
double ritti_precise_size(ritti_precise *precise, int variable, int order);
double ritti_precise_x(const ritti_precise *precise);
/* Was the last failure of `move` for want of a value (1/0, log of a negative number)? */
bool ritti_precise_no_value(const ritti_precise *precise);
/* The work of Newton's method so far: (r + 1)^2 for each evaluation of a row of order r. */
long ritti_precise_effort(const ritti_precise *precise);

#endif
