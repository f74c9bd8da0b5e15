/* Private to the implicit methods: their coefficients, and the linear systems of their stages. */
#ifndef RITTI_IMPLICIT_IMPL_H
#define RITTI_IMPLICIT_IMPL_H

#include "method/step.h"

/* ---- collocation.c: what follows from a tableau alone -------------------------------------------------- */

enum { RITTI_MOST_STAGES = 8 };

/* Polynomials P_j, the integrals from 0 of the Lagrange polynomials of some nodes. */
typedef struct ritti_integrals {
  int nodes;
  ritt_real at[RITTI_MOST_STAGES + 2];
  ritt_real
      power[(RITTI_MOST_STAGES + 2) * (RITTI_MOST_STAGES + 2)]; /* P_j = sum power[j*nodes + q] u^(q+1) */
} ritti_integrals;

typedef struct ritti_collocation {
  int s;        /* implicit stages; where the first stage of the tableau is the start, the others */
  bool first;   /* it is */
  bool stiffly; /* the end is the last stage */
  ritt_real c[RITTI_MOST_STAGES];
  ritt_real a0[RITTI_MOST_STAGES];                            /* weights of V at the start */
  ritt_real a[RITTI_MOST_STAGES * RITTI_MOST_STAGES];         /* s x s, and its inverse, */
  ritt_real inverse[RITTI_MOST_STAGES * RITTI_MOST_STAGES];   /* = T Lambda T^-1, Lambda of `reals` numbers */
  ritt_real T[RITTI_MOST_STAGES * RITTI_MOST_STAGES];         /* gamma[i], then `pairs` blocks */
  ritt_real T_inverse[RITTI_MOST_STAGES * RITTI_MOST_STAGES]; /* (alpha beta; -beta alpha) */
  int reals, pairs;
  ritt_real gamma[RITTI_MOST_STAGES]; /* reals; then alpha, beta of each pair */
  ritt_real b0, b[RITTI_MOST_STAGES];
  ritt_real gamma0;                                         /* of the matrix that filters the error */
  ritt_real at0[RITTI_MOST_STAGES], at1[RITTI_MOST_STAGES]; /* Lagrange polynomials of c at 0, 1 */
  ritti_integrals own, dense; /* of the stages; of the dense output (nodes = 0: Hermite) */
} ritti_collocation;

/* false: the tableau is not one that can be taken (a singular block, or eigenvalues that coincide). */
bool ritti_collocation_make(const ritti_tableau *tableau, ritti_collocation *out);
ritt_real ritti_integral_at(const ritti_integrals *P, int j, ritt_real u);
/* det(x I - B) = x^n + sum p[k] x^k, B n x n, n <= RITTI_MOST_STAGES */
void ritti_characteristic(int n, const ritt_real *B, ritt_real *p);

/* ---- stage_system.c: the linear systems of simplified Newton iterations --------------------------------- */

/* Where dV comes from: the derivatives of the system for the tops, in runs over x, where V = (1, ..., top), or
 * over arc length, where |V| = 1; or differences of V. */
typedef enum ritti_slopes { RITTI_SLOPES_X, RITTI_SLOPES_ARC, RITTI_SLOPES_DIFFERENCES } ritti_slopes;

typedef struct ritti_stage_system {
  ritti_slopes slopes;
  bool normals; /* stages are projected: with multipliers nu of the rows of f */
  bool small;   /* the tops are eliminated: dtop = -A^-1 dr dz, dense */
  const ritti_problem *problem;
  const ritti_collocation *method;
  int n;                             /* unknowns of one stage: (dz, dtop, ..., dnu) */
  int at_top, at_w, at_nu, at_speed; /* where they begin */
  ritti_pattern block, pair;         /* of one real number gamma; of a pair, both parts */
  int *diagonal;                     /* m: the entry of gamma in the row of z_i */
  ritt_real *entry;                  /* of the block with gamma = 0 */
  ritt_real *values, *x, *W;         /* room: entries of a pair; a point and V; the unknowns of all stages */
  ritti_linear *real, *twin;         /* reals (at least one, for the error), pairs */
  ritt_real *dr, *dr0, *A, *b, *f, *df, *V; /* at the point */
  ritt_real *hull;                          /* of differences: dV, m x m; small: of the tops, tops x m */
  ritt_real *lu;                            /* small: A */
  int *pivot;
  ritt_real *dnu, *change, *start_df; /* stages that are projected: s x k, k; df at the start of the step */
  int *df_start, *df_entry, *df_row;  /* df by columns */
  int *A_start, *A_entry, *A_row;     /* A by columns, where the tops are not unique */
  struct ritti_stage_system *next;
} ritti_stage_system;

ritt_status ritti_stage_system_init(ritti_stage_system *system, const ritti_problem *problem,
                                    const ritti_collocation *method, ritti_slopes slopes, bool normals,
                                    ritti_algebra algebra, ritti_arena *arena) RITT_USE;
/* Takes the derivatives at the start of the step; on RITT_OK the factors are those of an older matrix. */
ritt_status ritti_stage_system_look(ritti_stage_system *system, ritti_stepper *step) RITT_USE;
/* Factors the blocks (gamma/h) I - dV; false: one is singular. */
bool ritti_stage_system_factor(ritti_stage_system *system, ritt_real h);
/* dZ (s x m), dnu (s x k, may be NULL where there are no normals): in, the right sides; out, the solution of
 * (A^-1/h x I - I x dV) dZ + W^-1 df^T dnu = dZ, df dZ = dnu. */
void ritti_stage_system_solve(ritti_stage_system *system, ritt_real *dZ, ritt_real *dnu);
/* v := ((gamma0/h) I - dV)^-1 v, tangent to M where there are normals */
void ritti_stage_system_filter(ritti_stage_system *system, ritt_real *v);
/* The derivatives and the factors. */
void ritti_stage_system_state(ritti_stage_system *system, ritti_state *state);

#endif
