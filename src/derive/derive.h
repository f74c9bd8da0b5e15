/* Derivatives of a completed system: its rows with their derivatives at a point, its linearisation,
 * and its equilibria. All of it computes in doubles.
 */
#ifndef RITTI_DERIVE_H
#define RITTI_DERIVE_H

#include "complete/complete.h"

/* ---- jacobian.c: expressions and their derivatives at a point ---- */

/* Values of some expressions, and their derivatives by the coordinates, the tops and some
 * parameters, in this order. */
typedef struct ritti_jacobian {
  const ritti_reduced *reduced;
  int rows, columns;
  double *value;  /* rows */
  double *matrix; /* rows x columns */
  ritti_plan *plan;
  size_t entries;
  int *row, *column;  /* entries: places in the matrix */
  double *result;     /* rows + entries: what the plan gives */
  double *parameter;  /* values of all parameters */
  int *first, *place; /* place[first[variable] + order]: the column of a jet, -1: none */
  const double *z, *top;
} ritti_jacobian;
/* parameter: numbers of the parameters. The memory is in the arena. */
ritt_status ritti_jacobian_new(const ritti_reduced *reduced, const ritti_expr *row, int rows,
                               const int *parameter, int parameters, ritti_arena *arena,
                               ritti_jacobian **out) RITT_USE;
/* RITT_RETRY: a value or a derivative is not finite at this point. */
ritt_status ritti_jacobian_at(ritti_jacobian *jacobian, const double *z,
                              const double *top) RITT_USE;

/* ---- system.c: the rows of a completed system ---- */

/* Rows of the manifold without those of invariants, then rows for the tops, then outputs. */
typedef struct ritti_linear_rows {
  const ritti_reduced *reduced;
  ritti_jacobian *jacobian;
  int manifold, tops, outputs; /* numbers of rows */
  int inputs;                  /* parameters among the columns */
  const int *input;            /* their numbers */
  double *z, *top;             /* the point */
} ritti_linear_rows;
ritt_status ritti_linear_rows_new(const ritti_reduced *reduced, const ritti_expr *output,
                                  int outputs, const int *input, int inputs, ritti_arena *arena,
                                  ritti_linear_rows **out) RITT_USE;
/* Puts the rows at z with the tops that solve their rows, found by Newton's method from `top`.
 * RITT_RETRY: there are no values or no tops. */
ritt_status ritti_linear_rows_at(ritti_linear_rows *rows, const double *z, const double *top,
                                 ritti_arena *arena) RITT_USE;
/* The derivative of coordinate i along the direction, at the point of the rows. */
double ritti_velocity(const ritti_linear_rows *rows, int coordinate);

/* ---- linearize.c ---- */

/* x' = A x + B u, y = C x + D u for small changes: of some coordinates that parametrise the manifold
 * near a point, of parameters, and of outputs. */
typedef struct ritti_linear_system {
  int states, inputs, outputs;
  int *state; /* states: numbers of the coordinates */
  double *A, *B, *C, *D;
  double *real, *imaginary;           /* states: eigenvalues, by their size */
  double *mode_real, *mode_imaginary; /* states x states: column j belongs to eigenvalue j */
} ritti_linear_system;
ritt_status ritti_linearize(const ritti_linear_rows *rows, ritti_arena *arena, ritt_error *error,
                            ritti_linear_system *out) RITT_USE;

/* ---- eigen.c ---- */

/* Eigenvalues and eigenvectors of a real n x n matrix, which is not changed. Column j of `vector`,
 * n x n, belongs to eigenvalue j and has length 1. RITT_STOPPED: an iteration does not converge. */
ritt_status ritti_eigen(int n, const double *matrix, ritti_arena *arena, double *real,
                        double *imaginary, double *vector_real, double *vector_imaginary) RITT_USE;

/* ---- steady.c ---- */

/* Finds a point of the manifold near the point of the rows at which no coordinate changes, except
 * those with moving[i]. Coordinates with held[i] keep their values, and so does x. The rows are put
 * at this point. RITT_RETRY: none was found; *misfit is the largest velocity that is left. */
ritt_status ritti_find_steady(ritti_linear_rows *rows, const bool *moving, const bool *held,
                              ritti_arena *arena, double *misfit) RITT_USE;

#endif
