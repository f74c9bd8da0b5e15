/* Private to src/functions. */
#ifndef RITTI_FUNCTIONS_IMPL_H
#define RITTI_FUNCTIONS_IMPL_H

#include "functions/functions.h"

/* A sparse matrix function. Differences may shift the columns of a group together, because no row
 * has entries in two of them. */
typedef struct ritti_matrix {
  ritti_pattern pattern;
  int entries, groups;
  const int *group; /* the group of each column */
} ritti_matrix;

/* Levels of memory for differences: a function differentiated on one level may use differences of
 * the next. */
enum { RITTI_LEVELS = 3 };

/* The data of the functions of such a problem. */
typedef struct ritti_functions {
  ritt_definition of; /* its arrays are copies */
  int m, n;           /* the numbers of coordinates and of unknowns (holonomic: positions) */
  int k, l;           /* the numbers of rows of the manifold and of constraints */
  int tops;
  const double *size; /* the sizes of the m coordinates */
  ritti_matrix df, dg, mass;
  ritti_pattern all_df, d2f; /* the patterns for all rows of the manifold */
  /* holonomic: where the entries of mass, dg and its transpose are in A; -1: nowhere */
  int *A_mass, *A_dg, *A_dg_t;
  int A_entries;
  /* without output functions: for each column the coordinate i, or -1 - i for the i-th top */
  const int *column;
  int columns;
  const char **coordinate_name;
  const char **row_name;
  /* offsets in the work of a solver */
  size_t at_f, at_df, at_dg, at_d2g, at_mass, at_mu, at_level[RITTI_LEVELS], level_room, work_size;
} ritti_functions;

/* A function of a point that may use the work. */
typedef ritt_status (*ritti_inner)(const ritti_functions *F, ritt_real *work, const ritt_real *z,
                                   ritt_real *out);

/* differences.c: the first (order 1) or second (order 2) derivative of function(z + t d) with
 * respect to t at t = 0, by five-point formulas, first with |t| = h. The function has `count`
 * values. */
ritt_status ritti_difference(const ritti_functions *F, ritt_real *work, int level,
                             ritti_inner function, const ritt_real *z, const ritt_real *d,
                             int order, ritt_real h, int count, ritt_real *out) RITT_USE;
/* The step for a difference along d: it shifts every coordinate by at most about a thousandth of
 * its size. */
ritt_real ritti_difference_step(const ritti_functions *F, const ritt_real *z, const ritt_real *d);
/* Computes all entries of a matrix function: the derivatives of the rows of `function`. */
ritt_status ritti_difference_matrix(const ritti_functions *F, ritt_real *work, int level,
                                    ritti_inner function, const ritti_matrix *matrix,
                                    const ritt_real *z, ritt_real *out) RITT_USE;
/* Finds the groups of columns. */
ritt_status ritti_group_columns(ritti_arena *arena, ritti_matrix *matrix) RITT_USE;
/* The number of reals that a level needs for functions with `count` values. */
size_t ritti_difference_room(int m, int count);

/* evaluate.c: the caller's functions, and the functions of the problem */
ritt_status ritti_user_f(const ritti_functions *F, ritt_real *work, const ritt_real *z,
                         ritt_real *f) RITT_USE;
ritt_status ritti_user_g(const ritti_functions *F, ritt_real *work, const ritt_real *z,
                         ritt_real *g) RITT_USE;
ritt_status ritti_user_dg(const ritti_functions *F, ritt_real *work, const ritt_real *z,
                          ritt_real *dg) RITT_USE;
void ritti_functions_fill(const ritti_functions *F, ritti_problem *problem);
/* Calls one of the caller's functions; returns RITT_RETRY if a value is not finite. */
ritt_status ritti_user_call(const ritti_functions *F, ritt_function function, const ritt_real *z,
                            int count, ritt_real *out) RITT_USE;

#endif
