/* The second fundamental tensor of M at a point, along a direction (tensor.c). */
#ifndef RITTI_TENSOR_H
#define RITTI_TENSOR_H

#include "geometry/geometry.h"

typedef struct ritti_tensor {
  ritti_manifold *manifold; /* for its metric and its factors of df W^-1 df^T */
  ritti_series rows;
  ritt_real *value;  /* slots x 3 */
  ritt_real *lambda; /* k: (df W^-1 df^T)^-1 d2f(V, V) */
  ritt_real *kappa;  /* k: room */
  ritt_real *h;      /* entries of sum lambda_i d2f_i; NULL: there are none */
} ritti_tensor;

/* RITT_WRONG_CALL: the problem has no series. */
ritt_status ritti_tensor_init(ritti_tensor *tensor, ritti_manifold *manifold,
                              ritti_arena *arena) RITT_USE;
/* At z on M, along V. */
ritt_status ritti_tensor_at(ritti_tensor *tensor, const ritt_real *z, const ritt_real *V) RITT_USE;
/* v := pi_t(v), the part of v that is tangent to M there */
void ritti_tensor_tangential(const ritti_tensor *tensor, ritt_real *v);
/* S = S(V, V) there */
void ritti_tensor_normal(const ritti_tensor *tensor, ritt_real *S);
/* X = pi_t((dV)^t S(V, V)) there; needs second derivatives of f */
ritt_status ritti_tensor_correction(const ritti_tensor *tensor, const ritt_real *z,
                                    const ritt_real *V, ritt_real *X) RITT_USE;

#endif
