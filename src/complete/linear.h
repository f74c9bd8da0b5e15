/* Parts of a system that are linear with constant coefficients: read as such, decided modulo primes
 * (modular.c) and eliminated over the rationals (rational.c). */
#ifndef RITTI_LINEAR_H
#define RITTI_LINEAR_H

#include "complete/selection.h"

/* coefficient * y_variable^(order) */
typedef struct ritti_linear_term {
  int variable, order;
  ritti_expr coefficient; /* a number, or one made of numbers and pi */
} ritti_linear_term;

/* Equations sum of terms + forcing(t) = 0. Equations and variables have numbers of this part. */
typedef struct ritti_linear {
  ritti_dag *dag;
  int equations, variables;
  int *equation, *variable;   /* numbers in the model */
  const ritti_expr *residual; /* of each equation, as it is written */
  int *start;                 /* terms of equation i: start[i] .. start[i + 1] - 1 */
  ritti_linear_term *term;
  ritti_expr *forcing; /* parameters at their values */
  ritti_expr *written; /* the forcing as it is written, with parameters */
  int *top;            /* highest order of each variable */
  bool rational;       /* every coefficient is a rational number */
  bool parameters;     /* a parameter stands in a coefficient: its value was put in */
} ritti_linear;

/* linear[i]: is equation i of C->residual linear with constant coefficients? Parameters count with
 * their exact values. */
ritt_status ritti_linear_mark(ritti_completion *C, bool *linear) RITT_USE;

/* Reads equations that are linear: equation[0 .. count - 1] are numbers of C->residual;
 * part_of[j] is the number in the part of variable j of the model, -1 if it is outside. */
ritt_status ritti_linear_read(ritti_completion *C, const int *equation, int count,
                              const int *part_of, int variables, ritti_linear *out) RITT_USE;

/* The backend modulo primes; it has no points. Memory from `arena`, where it stays. */
ritt_status ritti_modular_backend(const ritti_linear *linear, ritti_arena *arena,
                                  ritti_backend *out) RITT_USE;

/* What is left of a row by elimination, as a combination of the rows given. */
typedef struct ritti_combination {
  const int *position; /* ascending */
  const uint64_t *weight;
  int count;
} ritti_combination;

/* Eliminates the rows modulo the prime with this number (residue.h). echelon: as the backend says;
 * combination: for rows with a pivot among the tops or below, as they are before rows of their own
 * level are subtracted. *good = false: the prime divides a number of the model. */
ritt_status ritti_modular_combine(const ritti_backend *backend, int prime, const ritti_row_id *rows,
                                  int count, const int *top, ritti_arena *arena,
                                  ritti_echelon_row *echelon, ritti_combination *combination,
                                  bool *good) RITT_USE;

/* The completed system as expressions: conditions on the jets below the tops, and equations for the
 * tops. */
typedef struct ritti_linear_rows {
  int rows, top_rows;
  ritti_expr *row, *top_row;
  ritti_origin *origin, *top_origin;
  bool reduced; /* in reduced echelon form: each row has a pivot that no other row contains */
} ritti_linear_rows;

/* Eliminates the selected rows over the rationals. *done = false: a coefficient is not rational or
 * holds a parameter, or the numbers are too long; the selected rows must be used as they are. */
ritt_status ritti_linear_eliminate(const ritti_linear *linear, const ritti_backend *backend,
                                   const ritti_selection *selection, const int *top,
                                   ritti_arena *arena, ritti_linear_rows *out, bool *done) RITT_USE;

#endif
