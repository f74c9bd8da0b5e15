/* Private to the steps with a strong potential: their stages, and Newton's methods for them.
 * Numbers in brackets are those of Ch. Lubich, Integration of stiff mechanical systems by
 * Runge-Kutta methods (1992). */
#ifndef RITTI_STRONG_IMPL_H
#define RITTI_STRONG_IMPL_H

#include "step/implicit_impl.h"

/* The functions of the problem at one point (x, y, y'). */
typedef struct ritti_strong_point {
  ritt_real *z;     /* coordinates */
  ritt_real *M, *H; /* entries */
  ritt_real *f, *g; /* n: force; grad U */
} ritti_strong_point;

/* The equations of the stages: unknown are W = Y'' (s x n) and L = Lambda (s x m) with
 *
 *     M(Y_i) W_i = f(Y_i, Y'_i) - G^T(Y_i) L_i + r_i,   eps^2 E(Y_i) L_i = (grad U(Y_i))[row]
 *
 * (equation 8.6), G^T the columns `column` of H, E their rows `row`. */
typedef struct ritti_strong_stages {
  const ritti_problem *problem;
  const ritti_strong *strong;
  const ritti_collocation *C;
  int n, m, s;
  ritt_real eps, h;
  ritt_real square[RITTI_MOST_STAGES * RITTI_MOST_STAGES]; /* A^2 */
  /* of A^2: the real eigenvalues, then p, q of each pair (p q; -q p) */
  ritt_real mu[RITTI_MOST_STAGES];
  int *column, *row, *place;    /* m each; n: the number of a column in `column`, or -1 */
  ritti_strong_point start, at; /* where the step begins; room for a stage */
  ritt_real *W, *L, *r;         /* s x n, s x m, s x n */
  ritt_real *dW, *dL;           /* their changes */
  ritti_linear mass;
  ritt_real *H;     /* entries of H at the point of the factors, and of */
  ritt_real *X;     /* m x n: M^-1 G^T, by columns; */
  ritt_real *S, *E; /* m x m: H_row M^-1 G^T; */
  ritt_real *lu; /* the blocks mu S + (eps/h)^2 E, (2m)^2 each at most; the last one is that of */
  int *pivot;    /* the error */
  ritt_real *x, *y, *v;   /* n each: room */
  ritt_real *q;           /* s x m: room; */
  ritt_real *inner, *hat; /* m x m; s x m */
  int *inner_pivot;
  ritt_real noise; /* of grad U across its range, from rounding; < 0: not known yet */
} ritti_strong_stages;

ritt_status ritti_strong_stages_init(ritti_strong_stages *T, const ritti_problem *problem,
                                     const ritti_collocation *C, ritti_algebra algebra,
                                     ritti_arena *arena) RITT_USE;
/* All functions at p->z. */
ritt_status ritti_strong_visit(const ritti_strong_stages *T, ritti_stepper *step,
                               ritti_strong_point *p) RITT_USE;
/* p->z = the stage i of a step from z. */
void ritti_strong_put(const ritti_strong_stages *T, const ritti_stepper *step, int i,
                      ritti_strong_point *p);
/* M and H of `start` become those of the factors; columns are chosen again where they are poor, and
 * `other` (s x m multipliers; NULL: none) changed with them. false: M is not positive definite, or
 * H has not rank m. */
bool ritti_strong_look(ritti_strong_stages *T, ritti_stepper *step, ritt_real *other);
/* The blocks for steps of length T->h; false: one is singular. */
bool ritti_strong_factor(ritti_strong_stages *T);
/* The residuals of (8.6), to dW and dL; `refresh`: with r by (8.7) at those stages that are near
 * enough to the solution for that; *ripe: all are. */
ritt_status ritti_strong_residual(ritti_strong_stages *T, ritti_stepper *step, bool refresh,
                                  bool *ripe) RITT_USE;
/* The residuals become the changes by (8.8). */
void ritti_strong_solve(ritti_strong_stages *T);
/* v := the part of M^-1 v that the potential lets through in the block of the error: M^-1 (v - G^T
 * l); across: the rest, M^-1 G^T l; may be NULL. */
void ritti_strong_filter(ritti_strong_stages *T, ritt_real *v, ritt_real *across);
/* G^T l at a point, to out (n). */
void ritti_strong_force(const ritti_strong_stages *T, const ritti_strong_point *p,
                        const ritt_real *l, ritt_real *out);
/* l = E^-1 (grad U)[row] / eps^2 at a point; false: E is singular there. */
bool ritti_strong_multiplier(ritti_strong_stages *T, const ritti_strong_point *p, ritt_real *l);
/* How far the start is from a smooth motion across the manifold, in positions and velocities (n
 * each), up to higher powers of eps, and the size of the accelerations that the potential makes,
 * which are in x; M and H of the factors are those of the start. */
ritt_status ritti_strong_vibration(ritti_strong_stages *T, ritti_stepper *step, ritt_real *place,
                                   ritt_real *speed, ritt_real *forces) RITT_USE;
/* 1 / the largest frequency of the vibrations, about. */
ritt_real ritti_strong_period(const ritti_strong_stages *T);
void ritti_strong_stages_state(ritti_strong_stages *T, ritti_state *state);

/* ---- strong_newton.c: (8.1) - (8.3) ---- */

typedef struct ritti_strong_plain {
  ritt_real *J; /* (s n)^2 */
  int *pivot;
} ritti_strong_plain;
ritt_status ritti_strong_plain_init(ritti_strong_plain *P, const ritti_strong_stages *T,
                                    ritti_arena *arena) RITT_USE;
/* J at the start (J0), at y + c_i h y' (J1) or at the stages as they are (J2), factored; *regular:
 * is it? */
ritt_status ritti_strong_plain_factor(ritti_strong_plain *P, ritti_strong_stages *T,
                                      ritti_stepper *step, bool *regular) RITT_USE;
/* J as it is, for tests: (s n)^2. */
ritt_status ritti_strong_plain_matrix(ritti_strong_plain *P, ritti_strong_stages *T,
                                      ritti_stepper *step, ritti_strong_newton newton) RITT_USE;
/* The residual of (5.1c), to dW, and then the change. */
ritt_status ritti_strong_plain_change(ritti_strong_plain *P, ritti_strong_stages *T,
                                      ritti_stepper *step) RITT_USE;
/* L and r of stages that were found without: (grad U / eps^2) in the range of H, and the rest. */
ritt_status ritti_strong_plain_multipliers(ritti_strong_stages *T, ritti_stepper *step) RITT_USE;

#endif
