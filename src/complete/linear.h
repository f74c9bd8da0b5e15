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
  int *start; /* terms of equation i: start[i] .. start[i + 1] - 1 */
  ritti_linear_term *term;
  ritti_expr *forcing; /* without jets and parameters */
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

#endif
