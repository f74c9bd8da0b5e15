/* Shared by the projections; private to src/geometry. */
#ifndef RITTI_MANIFOLD_IMPL_H
#define RITTI_MANIFOLD_IMPL_H

#include "geometry/geometry.h"

/* The iterative solvers of inexact Newton methods. */
typedef struct ritti_inexact {
  ritt_real first,
      shrink;       /* eps_0, eps_k+1 / eps_k: the linear systems are solved to |r| < eps_k |F_k| */
  ritt_real inner;  /* the tolerance of systems with A */
  bool equal_rows;  /* rows of B count as if they had length 1 */
  ritt_real eps;    /* of this iteration */
  bool indefinite;  /* A was seen not to be positive definite in it */
  ritt_real *scale; /* k: of the rows */
  ritt_real *v, *w; /* m, k */
  ritt_real *scratch_A, *scratch_S;
} ritti_inexact;

/* Newton's method on F(q, mu) = (q + W^-1 df^T mu - a, f(q)) works in coordinates u = W^(1/2) (q -
 * a), in which the metric is the identity: with R = W^(-1/2), B = df R,
 *
 *     F = (u + B^T mu, f),   dF = [A B^T; B 0],   A = I + R (sum mu_i d2f_i) R.
 *
 * A coordinate that is kept has R = 0 and drops out by itself: its row of A is that of the
 * identity. */
typedef struct ritti_newton {
  ritt_real *root;   /* m: R */
  ritt_real *u, *du; /* m: (q - a)/R, and its change in an iteration */
  ritt_real *dmu;    /* k */
  ritt_real *F;      /* m: u + B^T mu; the rest of F is f */
  ritt_real *H, *B;  /* nonzeros of d2f and df, scaled by R */
  ritt_real *held;   /* B as it was factored */
  ritt_real *x, *y;  /* m, k: scratch */
  ritt_real *A, *Y;  /* newton, chord: the Cholesky factor L of A, m x m; L^-1 B^T by rows, k x m */
  bool plain;        /* A = I in the factorisation */
  int every;         /* iterations that a factorisation serves */
  /* A = I at the beginning: Algorithm 4.6 leaves out the second derivatives there. For comparisons
   * it can be switched off, and done by conjugate gradients to a tolerance (0: by a factorisation).
   */
  bool initial_step;
  ritt_real initial_tolerance;
  struct ritti_kkt *kkt;       /* newton, chord: where dF is large and sparse */
  struct ritti_blocks *blocks; /* projection blocks */
  /* projection inexact, and the initial step by conjugate gradients */
  struct ritti_inexact inexact;
} ritti_newton;

/* manifold.c */
ritt_status ritti_projection_fail(ritti_manifold *manifold, ritti_trouble trouble,
                                  const ritt_real *z);
/* A function of the problem returned `status` at z: RITT_RETRY is trouble, others end the run. */
ritt_status ritti_projection_no_value(ritti_manifold *manifold, ritt_status status,
                                      const ritt_real *z);
/* Largest |f_i| over the size of its terms, rows first .. last-1, from manifold->f and df at z. */
ritt_real ritti_projection_residual(const ritti_manifold *manifold, const ritt_real *z, int first,
                                    int last);
/* Largest |v_j| over the size of the point z. */
ritt_real ritti_projection_relative(const ritti_manifold *manifold, const ritt_real *z,
                                    const ritt_real *v);

/* The matrices of df W^-1 df^T, as bits of manifold->cache.factored. */
enum { RITTI_ROWS_WHOLE = 1, RITTI_ROWS_POSITIONS = 2, RITTI_ROWS_VELOCITIES = 4 };

/* projection_small.c: projections onto up to RITTI_SMALL_ROWS rows, first .. first+k-1; the
 * coordinates low .. high-1 may move */
ritt_status ritti_small_rows_init(ritti_manifold *manifold, ritti_arena *arena) RITT_USE;
ritt_status ritti_small_rows_project(ritti_manifold *manifold, const ritt_real *a, ritt_real *q,
                                     int low, int high, int first, int k, bool orthogonal) RITT_USE;

/* reuse.c */
ritt_status ritti_reuse_init(ritti_manifold *manifold, ritti_arena *arena) RITT_USE;
/* mu from S mu = b, S = df D df^T of some rows, near the mu given, with factors that S had at
 * another point of the step. What is missing in the mu given is found up to a part of `tolerance`.
 * false: it does not pay, or did not converge; mu is as it was. */
bool ritti_reuse_solve(ritti_manifold *manifold, ritti_linear *S, const ritti_pattern *rows,
                       const ritt_real *d, ritt_real tolerance, const ritt_real *b, ritt_real *mu);

/* newton_projection.c */
ritt_status ritti_newton_init(ritti_manifold *manifold, ritti_arena *arena) RITT_USE;
ritt_status ritti_newton_init_factors(ritti_manifold *manifold, ritti_arena *arena) RITT_USE;
/* How an iteration is solved: du and dmu from F and f at q, the iteration-th from 0. */
typedef ritt_status ritti_newton_solver(ritti_manifold *manifold, const ritt_real *q,
                                        int iteration);
ritt_status ritti_newton_iterate(ritti_manifold *manifold, const ritt_real *a, ritt_real *q,
                                 ritti_newton_solver *solve) RITT_USE;
ritt_status ritti_newton_project(ritti_manifold *manifold, const ritt_real *a,
                                 ritt_real *q) RITT_USE;

/* mu = 0, and Algorithm 4.6 may serve */
bool ritti_newton_at_start(const ritti_manifold *manifold);
/* Are there second derivatives, and do they count? */
bool ritti_newton_needs_second(const ritti_manifold *manifold);
/* newton->H = R (sum mu_i d2f_i) R at q */
ritt_status ritti_newton_second(ritti_manifold *manifold, const ritt_real *q) RITT_USE;
/* x := L^-1 x, the lower triangle n x n */
void ritti_newton_forward(int n, const ritt_real *L, ritt_real *x);

/* kkt_projection.c */
ritt_status ritti_kkt_init(ritti_manifold *manifold, ritti_arena *arena) RITT_USE;
ritti_newton_solver ritti_kkt_solve;

/* block_projection.c */
ritt_status ritti_blocks_init(ritti_manifold *manifold, ritti_arena *arena) RITT_USE;
/* A = L L^T from newton->H, block by block; false: not positive definite */
bool ritti_blocks_factor(ritti_manifold *manifold);
/* x := A^-1 x */
void ritti_blocks_solve(const ritti_manifold *manifold, ritt_real *x);
/* manifold->S = B A^-1 B^T, the lower triangle */
void ritti_blocks_schur(ritti_manifold *manifold);

/* inexact_projection.c */
ritt_status ritti_inexact_init(ritti_manifold *manifold, ritti_arena *arena) RITT_USE;
/* Algorithm 4.6, the first Newton step for mu = 0, by conjugate gradients to a tolerance. */
void ritti_inexact_start(ritti_manifold *manifold, ritt_real tolerance);
ritt_status ritti_inexact_project(ritti_manifold *manifold, const ritt_real *a,
                                  ritt_real *q) RITT_USE;

#endif
