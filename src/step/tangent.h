/* Derivatives of projected Runge-Kutta steps by the quantities p of a problem (ritti_problem.by).
 *
 * A step takes z to Pi(z + h sum b_j V(p_j)), p_i = z + h sum a_ij V(p_j). Its derivative takes the
 * tangents s = dz/dp, one for each p, along: dV = V_z s + V_p at every stage, with the factors of the
 * stage, and at the end the tangent is projected, so that f_z s + f_p = 0 holds to rounding. The
 * adjoint takes a row of weights the other way and adds to the gradient by all p. Both are exact for
 * the steps as they were taken, except that the curvature of M over the tiny distance by which a step
 * is projected does not count.
 */
#ifndef RITTI_TANGENT_STEP_H
#define RITTI_TANGENT_STEP_H

#include "step/step.h"

/* Rows of f that are projected together, and the coordinates from .. to - 1 that they move. */
typedef struct ritti_tangent_rows {
  int first, from, to;
  bool small; /* by the kernel (geometry/tangent_kernel.h); else by the Gram matrix */
  ritti_pattern pattern;
  ritti_columns by_rows, by_columns; /* for products with the rows */
  unsigned char *keep;               /* m */
  ritti_linear gram;
  ritti_linear *factors; /* gram, or that of the group before if both are the same matrix */
} ritti_tangent_rows;

typedef struct ritti_tangents {
  ritti_stepper *step;
  const ritti_problem *problem;
  int count;        /* number of p */
  ritt_real x, h;   /* the last step: its start and its length; h = 0: there was none */
  ritt_real x_new;  /* its end */
  bool accepted;    /* the next step begins at its end; else the step is to be taken again */
  ritt_real *z;     /* m: its start */
  ritt_real **V;    /* its vectors, those of the stepper */
  ritt_real **dV;   /* their derivatives, count x m each */
  bool dense_ready; /* dV of the extra stages of dense output are there */
  /* count x m and count x tops: tangents of the points and of the highest derivatives at the start
   * and the end of the step, and at a point inside it */
  ritt_real *s, *s_new, *s_inside, *top, *top_new, *top_inside;
  ritt_real *level; /* count x k: minus the derivatives of levels in rows of f; NULL: no levels */

  ritti_direction_store *record; /* of the stepper: the points of its last step */
  ritt_real *kept;               /* the same points, if native code has found them */
  ritti_direction_store store;   /* a point that the stepper has not kept */

  /* at one point */
  const ritti_direction_store *at;
  const ritti_linear *factors;
  ritti_linear own; /* of A, if the direction had no factors */
  ritt_real *A, *b, *dr, *dr_p, *df, *df_p, *doutput;
  ritti_tangent_rows rows[2];
  int groups;
  /* scratch: m; m; m; count x m; count x tops; k; k m, k m */
  ritt_real *point, *speed, *weights, *moved, *right, *mu, *B, *dB;
  ritt_real **V_bar; /* stages of m: adjoints of the vectors, or vectors of a shorter step */
} ritti_tangents;

/* For an explicit method that projects the ends of its steps only, in a run over x; the tops are
 * unique. */
ritt_status ritti_tangents_new(ritti_stepper *step, ritti_arena *arena,
                               ritti_tangents **out) RITT_USE;
/* The run starts at z with the tangents s, count x m, of which x is 0. */
ritt_status ritti_tangents_start(ritti_tangents *T, const ritt_real *z,
                                 const ritt_real *s) RITT_USE;
/* Takes the tangents along the step that the stepper has just taken. */
ritt_status ritti_tangents_take(ritti_tangents *T) RITT_USE;
static inline void ritti_tangents_accept(ritti_tangents *T) { T->accepted = true; }
/* The tangents at z, a point of the last step: of its coordinates and its highest derivatives.
 * RITT_WRONG_CALL: it is not in it. */
ritt_status ritti_tangents_at(ritti_tangents *T, const ritt_real *z, const ritt_real **s,
                              const ritt_real **top) RITT_USE;
/* The derivatives of the first `outputs` outputs at z, a point of the last step with its highest
 * derivatives: count x outputs. */
ritt_status ritti_tangents_outputs(ritti_tangents *T, const ritt_real *z, const ritt_real *top,
                                   int outputs, ritt_real *out) RITT_USE;

/* What later steps and points inside the last one depend on; after the state of the stepper. */
void ritti_tangents_state(ritti_tangents *T, ritti_state *state);

/* The adjoint of the outputs at z: adds weight^T d(output)/dz to s_bar (m) and the part that depends
 * on p directly to the gradient (count). */
ritt_status ritti_adjoint_outputs(ritti_tangents *T, const ritt_real *z, const ritt_real *weight,
                                  ritt_real *s_bar, ritt_real *gradient) RITT_USE;
/* The adjoint of a step from z to z_new: s_bar belongs to z_new before, to z afterwards. level_bar, k:
 * adjoints of the levels. */
ritt_status ritti_adjoint_step(ritti_tangents *T, const ritt_real *z, const ritt_real *z_new,
                               ritt_real h, ritt_real *s_bar, ritt_real *level_bar,
                               ritt_real *gradient) RITT_USE;
/* The adjoint of the start: the levels take their values at z. */
ritt_status ritti_adjoint_levels(ritti_tangents *T, const ritt_real *z, const ritt_real *level_bar,
                                 ritt_real *s_bar, ritt_real *gradient) RITT_USE;

#endif
