/* The projected Runge-Kutta step: p_i = Pi(p + h sum a_ij V(p_j)), p_new = Pi(p + h sum b_j V(p_j)). */
#ifndef RITTI_STEP_H
#define RITTI_STEP_H

#include "geometry/geometry.h"
#include "method/method.h"

typedef struct ritti_stepper {
  const ritti_tableau *tableau;
  ritti_manifold *manifold;
  ritti_direction *direction;
  bool project_stages; /* all stages; else the end only */
  bool keep_x;         /* a run over x: x is exactly where the step says, the projection keeps it */
  int m;
  ritt_real h;
  ritt_real *z, *z_new;     /* both ends of the last step */
  ritt_real *end;           /* the unprojected end */
  ritt_real *top, *top_new; /* top jets at both ends */
  ritt_real **V;            /* stages, then V at the new point, then the extra stages of the dense output */
  ritt_real *a;             /* scratch */
  bool predicted;           /* the predictor of the last step is there */
  bool dense_ready;         /* the extra stages of the last step are there */
} ritti_stepper;

ritt_status ritti_stepper_init(ritti_stepper *step, const ritti_tableau *tableau, ritti_manifold *manifold,
                               ritti_direction *direction, ritti_arena *arena) RITT_USE;
/* Puts the point at z (on M) and finds V there. */
ritt_status ritti_stepper_place(ritti_stepper *step, const ritt_real *z) RITT_USE;
/* The same, with V not against the V that it had: a run over arc length goes on in its sense. */
ritt_status ritti_stepper_move(ritti_stepper *step, const ritt_real *z) RITT_USE;
/* A step of length h from z; x_new is where it ends in a run over x. On RITT_OK z_new, top_new and V at z_new
 * are set; z stays until ritti_stepper_accept. */
ritt_status ritti_stepper_take(ritti_stepper *step, ritt_real h, ritt_real x_new) RITT_USE;
void ritti_stepper_accept(ritti_stepper *step);
/* err_i = h sum e_j V_j, the embedded error of the step just taken; NULL tableau->e must not come here. */
void ritti_stepper_error(const ritti_stepper *step, const ritt_real *weights, ritt_real *err);
/* The interpolant at the fraction theta of the step just taken, not projected: near M, within the
 * tolerance. */
ritt_status ritti_stepper_interpolate(ritti_stepper *step, ritt_real theta, ritt_real x,
                                      ritt_real *z) RITT_USE;
/* The length of the step just taken, before it is accepted; sum w_i dz_i^2 is the metric. */
ritt_real ritti_stepper_length(const ritti_stepper *step, const ritt_real *weights);
/* The same up to the fraction theta; z, top: room. */
ritt_status ritti_stepper_length_to(ritti_stepper *step, ritt_real theta, const ritt_real *weights,
                                    ritt_real *z, ritt_real *top, ritt_real *length) RITT_USE;
/* The point of M at the fraction theta of the step just taken (before it is accepted); x is where it falls in
 * a run over x. top gets the top jets there. */
ritt_status ritti_stepper_dense(ritti_stepper *step, ritt_real theta, ritt_real x, ritt_real *z,
                                ritt_real *top) RITT_USE;

#endif
