/* Geometry: a moving point's own data on a Problem. Manifold projects points onto M, Direction gives V there.
 *
 * Both share one work row (`work`) of the problem, so a solver has one of each and they are not used at the
 * same time.
 */
#ifndef RITTI_GEOMETRY_H
#define RITTI_GEOMETRY_H

#include "geometry/problem.h"

/* Why the last operation returned RITT_RETRY. */
typedef enum ritti_trouble {
  RITTI_NO_TROUBLE,
  RITTI_NO_VALUE,       /* a function of the model has no value at `where` */
  RITTI_SINGULAR_TOP,   /* A(z) is singular: the top jets are not determined */
  RITTI_DEPENDENT_ROWS, /* df lost rank */
  RITTI_NO_CONVERGENCE, /* the projection did not converge */
} ritti_trouble;

/* X(id, word): how points are projected (docs/projection.md) */
#define RITTI_PROJECTIONS(X)                                                                                 \
  X(GAUSS, "gauss")                                                                                          \
  X(NEWTON, "newton")                                                                                        \
  X(CHORD, "chord")                                                                                          \
  X(INEXACT, "inexact")                                                                                      \
  X(BLOCKS, "blocks")                                                                                        \
  X(SEQUENTIAL, "sequential")
typedef enum ritti_projection {
#define X(id, word) RITTI_PROJECT_##id,
  RITTI_PROJECTIONS(X)
#undef X
} ritti_projection;

typedef struct ritti_manifold {
  const ritti_problem *problem;
  ritt_real *work;
  ritti_projection variant;
  ritt_real *spread; /* m: 1/w_i of the metric sum w_i dz_i^2; 0 keeps a coordinate (x in runs over x) */
  ritt_real *size;   /* m: typical sizes; terms below them do not count as small */
  ritt_real *f, *df; /* of the last point; k and the nonzeros of df */
  ritt_real *S, *mu, *masked, *scratch; /* k x k, k, m, m */
  struct ritti_newton *newton;          /* of the variants that need it */
  /* the papers' rule, |change of (q, mu)| + |F| < absolute + relative |F before|, and nothing to do where |f| <
   * absolute; 0: to round-off */
  ritt_real absolute_stop, relative_stop;
  /* second-order predictor: q = a - bend normal, mu = bend kappa is where the next projection begins */
  bool predict;
  ritt_real *normal, *kappa, bend; /* m, k; 0: begin at a */
  long projections, failures, iterations;
  int most;            /* iterations of one projection, at most */
  long factorisations; /* of df df^T, of I + d2f.mu, or of a Schur complement */
  long products;       /* of iterative methods: with a matrix or its transpose */
  long second;         /* evaluations of d2f.mu */
  ritti_trouble trouble;
  ritt_real *where; /* m: the point of trouble */
} ritti_manifold;

ritt_status ritti_manifold_init(ritti_manifold *manifold, const ritti_problem *problem, ritt_real *work,
                                ritti_arena *arena) RITT_USE;
/* Takes another variant than gauss. */
ritt_status ritti_manifold_choose(ritti_manifold *manifold, ritti_projection variant,
                                  ritti_arena *arena) RITT_USE;
/* Readies the predictor for the step of length h from p, a point of M, along V. */
void ritti_manifold_predict(ritti_manifold *manifold, const ritt_real *p, const ritt_real *V, ritt_real h);
/* q = the point of M nearest to a in the metric, to round-off. q and a may be the same array. RITT_RETRY:
 * none found. */
ritt_status ritti_manifold_project(ritti_manifold *manifold, const ritt_real *a, ritt_real *q) RITT_USE;
/* Largest |f_i(z)|; infinite where f has no value. */
ritt_real ritti_manifold_residual(ritti_manifold *manifold, const ritt_real *z);

typedef struct ritti_direction {
  const ritti_problem *problem;
  ritt_real *work;
  const ritt_real *arc;           /* m: weights of the arc length in which |V| = 1; NULL: dx = 1 */
  ritt_real *A, *dense, *b, *top; /* nonzeros, the same dense, right side, tops: of the last point */
  int *pivot;
  ritt_real *scratch; /* where the tops are not unique */
  /* runs over arc length: V is the null vector of (b | A), also where A is singular */
  const ritt_real *reference; /* m: V must not point against it; NULL: dx > 0 */
  ritti_qr null;
  ritt_real *null_vector; /* 1 + tops */
  int sign;               /* of the determinant of A at the last point; 0 where A was not factored by LU */
  long evaluations;
  ritti_trouble trouble;
  ritt_real *where;
} ritti_direction;

ritt_status ritti_direction_init(ritti_direction *direction, const ritti_problem *problem, ritt_real *work,
                                 ritti_arena *arena) RITT_USE;
/* V(z), and the top jets at z in direction->top (infinite where dx = 0). */
ritt_status ritti_direction_at(ritti_direction *direction, const ritt_real *z, ritt_real *V) RITT_USE;

#endif
