/* Private to the numeric backend. */
#ifndef RITTI_PRECISE_IMPL_H
#define RITTI_PRECISE_IMPL_H

#include "complete/precise.h"

enum { RITTI_ORDERS = 40 }; /* orders of one variable: jet y_v^(m) is column v * RITTI_ORDERS + m */

/* A partial derivative of an equation in the jet y_variable^(order). */
typedef struct ritti_precise_partial {
  int variable, order;
} ritti_precise_partial;

/* One precision: the point and what evaluates at it. Taylor coefficients y^(m) / m!. */
typedef struct ritti_precise_point {
  long bits;
  ritti_big *a; /* variables x RITTI_ORDERS */
  ritti_big *x; /* one number: the independent variable */
  ritti_big *parameter;
  ritti_big_series_plan **plan; /* of each equation: roots are the equation and its partials */
  int *terms;                   /* of each plan */
} ritti_precise_point;

/* A row with its gradient at a point. */
typedef struct ritti_precise_row {
  int count, *column;
  ritti_big *entry;
  ritti_big *value; /* one number */
} ritti_precise_row;

struct ritti_precise {
  ritti_completion *C;
  ritti_precise_task task;
  ritti_arena *arena;
  ritti_backend backend;
  int n, D;
  ritti_precise_partial **partial; /* of each equation */
  int *partials;
  ritti_expr **root; /* of each equation: itself, then its partials */
  ritti_precise_point fine, coarse;
  int *have; /* of each variable: coefficients that were set */
  int *unit; /* of each column: exponent of 2 of its size */
  bool *unit_known;
  bool *typed; /* of each column: the model gives a start value */
  bool *fixed; /* of each column: that value is to be kept */
  bool no_value;
  int attempt; /* which of several points, if equations have no value at the first */
  long effort; /* (r + 1)^2 for each evaluation of a row of order r by Newton's method */
};

/* Marks the columns that a row can contain. */
void ritti_precise_mark_columns(const ritti_precise *N, ritti_row_id row, bool *marked);
/* Coefficients up to order top + r of every variable. */
void ritti_precise_ensure(ritti_precise *N, int r);
/* Values and gradients of the rows; *finite = false: some number has no value. */
ritt_status ritti_precise_rows(ritti_precise *N, ritti_precise_point *P, const ritti_row_id *row,
                               int count, ritti_arena *arena, ritti_precise_row *out,
                               bool *finite) RITT_USE;
/* Values of the rows alone, without their gradients; *finite as above. */
ritt_status ritti_precise_values(ritti_precise *N, ritti_precise_point *P, const ritti_row_id *row,
                                 int count, ritti_arena *arena, const ritti_big **value,
                                 bool *finite) RITT_USE;
/* A gradient at both points, from the expressions of its entries. */
ritt_status ritti_precise_gradient(ritti_precise *N, const ritti_expr *root,
                                   const ritti_precise_partial *partial, int count,
                                   ritti_arena *arena, ritti_precise_row *fine,
                                   ritti_precise_row *coarse) RITT_USE;
int ritti_precise_unit(ritti_precise *N, int column);
/* The exponent of 2 of the size that the jet of a column is likely to have. */
int ritti_precise_usual(const ritti_precise *N, int column);
/* In (-1, 1), the same everywhere. */
double ritti_precise_random(int column, int number);
/* log10 |x|; -1e9: zero */
double ritti_big_magnitude(const ritti_big *x);

/* The coarse point: the fine one, rounded. */
void ritti_precise_copy_to_coarse(ritti_precise *N);
/* The coarse point: the fine one, moved by 10^-D. */
void ritti_precise_move_coarse(ritti_precise *N);
/* Eliminates rows that are evaluated at both points. `row` names them in messages. */
ritt_status ritti_lockstep(ritti_precise *N, const ritti_row_id *row, const ritti_precise_row *fine,
                           const ritti_precise_row *coarse, int count, const int *top, bool *open,
                           ritti_arena *arena, ritti_echelon_row *out) RITT_USE;
ritt_status ritti_precise_echelon(void *data, const ritti_row_id *row, int count, const int *top,
                                  bool *open, ritti_arena *arena, ritti_echelon_row *out);
ritt_status ritti_precise_move(void *data, const ritti_row_id *row, int count, int first_new,
                               bool *reached);

#endif
