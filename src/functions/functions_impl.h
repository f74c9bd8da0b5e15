/* Private to src/functions. */
#ifndef RITTI_FUNCTIONS_IMPL_H
#define RITTI_FUNCTIONS_IMPL_H

#include "functions/functions.h"

/* A sparse matrix function, with groups of columns that differences may move together since no row
 * has entries in two of them. */
typedef struct ritti_matrix {
  ritti_pattern pattern;
  int entries, groups;
  const int *group; /* of each column */
} ritti_matrix;

/* Scratch of differences: those of one level may call those of the next. */
enum { RITTI_LEVELS = 3 };

/* What the functions of such a problem get as their data. */
typedef struct ritti_functions {
  ritt_definition of; /* its arrays are copies */
  int m, n, k,
      l; /* coordinates, unknowns (holonomic: positions), rows of the manifold, constraints */
  int tops;
  const double *size; /* m */
  ritti_matrix df, dg, mass;
  ritti_pattern all_df, d2f;   /* of all rows of the manifold */
  int *A_mass, *A_dg, *A_dg_t; /* holonomic: where their entries stand in A; -1: nowhere */
  int A_entries;
  const int *column; /* of every output by default: coordinate i, or top -1 - column */
  int columns;
  const char **coordinate_name;
  const char **row_name;
  /* places in the work of a solver */
  size_t at_f, at_df, at_dg, at_d2g, at_mass, at_mu, at_level[RITTI_LEVELS], level_room, work_size;
} ritti_functions;

/* A function of a point that may use the work. */
typedef ritt_status (*ritti_inner)(const ritti_functions *F, ritt_real *work, const ritt_real *z,
                                   ritt_real *out);

/* differences.c: first (order 1) or second (order 2) derivatives by t of function(z + t d) at t =
 * 0, by five-point formulas, first tried with |t| = h. function gives `count` values. */
ritt_status ritti_difference(const ritti_functions *F, ritt_real *work, int level,
                             ritti_inner function, const ritt_real *z, const ritt_real *d,
                             int order, ritt_real h, int count, ritt_real *out) RITT_USE;
/* The step for a difference along d that moves every coordinate by about a thousandth of its size
 * at most. */
ritt_real ritti_difference_step(const ritti_functions *F, const ritt_real *z, const ritt_real *d);
/* All entries of a matrix function: the derivatives of the rows of `function`. */
ritt_status ritti_difference_matrix(const ritti_functions *F, ritt_real *work, int level,
                                    ritti_inner function, const ritti_matrix *matrix,
                                    const ritt_real *z, ritt_real *out) RITT_USE;
/* Finds the groups of columns. */
ritt_status ritti_group_columns(ritti_arena *arena, ritti_matrix *matrix) RITT_USE;
/* Reals that a level needs for functions of `count` values. */
size_t ritti_difference_room(int m, int count);

/* evaluate.c: the caller's functions, and what is made of them */
ritt_status ritti_user_f(const ritti_functions *F, ritt_real *work, const ritt_real *z,
                         ritt_real *f) RITT_USE;
ritt_status ritti_user_g(const ritti_functions *F, ritt_real *work, const ritt_real *z,
                         ritt_real *g) RITT_USE;
ritt_status ritti_user_dg(const ritti_functions *F, ritt_real *work, const ritt_real *z,
                          ritt_real *dg) RITT_USE;
void ritti_functions_fill(const ritti_functions *F, ritti_problem *problem);
/* Calls one of them: a value that is not finite is RITT_RETRY. */
ritt_status ritti_user_call(const ritti_functions *F, ritt_function function, const ritt_real *z,
                            int count, ritt_real *out) RITT_USE;

#endif
