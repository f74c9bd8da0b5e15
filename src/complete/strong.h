/* A model with a strong potential as M(y) y'' = f(t, y, y') - grad U(t, y)/eps^2, (2.1) of Ch.
 * Lubich, Integration of stiff mechanical systems by Runge-Kutta methods (1992): its parts as
 * expressions, the conditions (2.2) and (2.3) on them, the limit (2.25.0) as a model, and the start
 * of its smooth motion, (2.6).
 *
 * Every variable of such a model is a position y_i, and equation row[i] belongs to it.
 */
#ifndef RITTI_COMPLETE_STRONG_H
#define RITTI_COMPLETE_STRONG_H

#include "base/quad.h"
#include "complete/complete.h"

typedef struct ritti_strong_system {
  const ritti_model *model;
  ritti_arena *arena;
  int n, m;             /* positions; rank of H where grad U = 0 */
  int *row;             /* n */
  ritti_expr *force;    /* n: f */
  ritti_expr *gradient; /* n: grad U */
  ritti_expr_matrix M;  /* n x n, both triangles */
  ritti_expr_matrix H;  /* the Hessian of U, likewise */
  const int *column;    /* m, ascending: columns that span H, and rows of a regular block of them */
  double least,
      largest; /* of the nonzero eigenvalues of H v = alpha M v: alpha of (2.3b), and the largest */
  ritti_quad *u; /* n: a point of grad U = 0 near the start values */
  bool unlike;   /* the model is not of the form (2.1): why says in what */
  const char *why;
} ritti_strong_system;

/* The parts. A model whose form is another is no failure: then `unlike` is set. Failure: its
 * equations have that form, but another strong force than that of U. */
ritt_status ritti_strong_parts(ritti_model *model, ritti_arena *arena, ritt_error *error,
                               ritti_strong_system **out) RITT_USE;
/* Conditions (2.2) and (2.3): fills m, column, least, largest and u. RITT_IMPOSSIBLE: one does not
 * hold, told; RITT_UNDECIDED: not clear, told. */
ritt_status ritti_strong_check(ritti_strong_system *strong, ritt_error *error) RITT_USE;

/* The limit of eps -> 0 as a model, (2.25.0): M y'' = f - G^T lambda, g = 0, with multipliers as
 * variables behind those of the model. g is what U is a sum of squares of, where these are m; else
 * m components of grad U. */
ritt_status ritti_strong_limit(const ritti_strong_system *strong, ritti_model **out) RITT_USE;

/* The model with the start of the smooth motion that belongs to a point z of its limit, completed:
 * eps^2-expansion (2.6) up to eps^(2 order); order 0: the point itself. `shift`: how far positions
 * and velocities have moved, at most. */
ritt_status ritti_strong_start(ritti_strong_system *strong, const ritti_reduced *limit, int order,
                               ritt_error *error, ritti_model **out, double shift[2]) RITT_USE;

#endif
