/* Private to the implicit methods: their coefficients, and the linear systems of their stages. */
#ifndef RITTI_IMPLICIT_IMPL_H
#define RITTI_IMPLICIT_IMPL_H

#include "geometry/stage_kernel.h"
#include "step/step.h"

/* ---- collocation.c: what follows from a tableau alone ---- */

/* Polynomials P_j, the integrals from 0 of the Lagrange polynomials of some nodes. */
typedef struct ritti_integrals {
  int nodes;
  ritt_real at[RITTI_MOST_STAGES + 2];
  ritt_real end[RITTI_MOST_STAGES + 2]; /* P_j(1) */
  ritt_real power[(RITTI_MOST_STAGES + 2) *
                  (RITTI_MOST_STAGES + 2)]; /* P_j = sum power[j*nodes + q] u^(q+1) */
} ritti_integrals;

typedef struct ritti_collocation {
  int s;        /* implicit stages; where the first stage of the tableau is the start, the others */
  bool first;   /* it is */
  bool stiffly; /* the end is the last stage */
  ritt_real c[RITTI_MOST_STAGES];
  ritt_real a0[RITTI_MOST_STAGES];                    /* weights of V at the start */
  ritt_real a[RITTI_MOST_STAGES * RITTI_MOST_STAGES]; /* s x s, and its inverse, */
  ritt_real inverse[RITTI_MOST_STAGES *
                    RITTI_MOST_STAGES]; /* = T Lambda T^-1, Lambda of `reals` numbers */
  ritt_real T[RITTI_MOST_STAGES * RITTI_MOST_STAGES];         /* gamma[i], then `pairs` blocks */
  ritt_real T_inverse[RITTI_MOST_STAGES * RITTI_MOST_STAGES]; /* (alpha beta; -beta alpha) */
  int reals, pairs;
  ritt_real gamma[RITTI_MOST_STAGES]; /* reals; then alpha, beta of each pair */
  ritt_real b0, b[RITTI_MOST_STAGES];
  ritt_real gamma0; /* of the matrix that filters the error */
  ritt_real at0[RITTI_MOST_STAGES], at1[RITTI_MOST_STAGES]; /* Lagrange polynomials of c at 0, 1 */
  ritti_integrals own, dense; /* of the stages; of the dense output (nodes = 0: Hermite) */
  bool corrected; /* with M = prod (u - c_i) / M(0) and its integral from 0, by powers */
  ritt_real defect[RITTI_MOST_STAGES + 1], correction[RITTI_MOST_STAGES + 2];
} ritti_collocation;

/* false: the tableau is not one that can be taken (a singular block, or eigenvalues that coincide).
 */
bool ritti_collocation_make(const ritti_tableau *tableau, ritti_collocation *out);
ritt_real ritti_integral_at(const ritti_integrals *P, int j, ritt_real u);
ritt_real ritti_lagrange_at(const ritti_integrals *P, int j, ritt_real u); /* its derivative */
/* det(x I - B) = x^n + sum p[k] x^k, B n x n, n <= RITTI_MOST_STAGES */
void ritti_characteristic(int n, const ritt_real *B, ritt_real *p);

/* ---- stage_newton.c: simplified Newton iterations for stages ---- */

typedef struct ritti_stage_newton {
  const ritt_real *from; /* the start of the last step tried; NULL: none from here */
  bool done;             /* that step was taken */
  bool predicts;         /* the stages of the step before are known */
  bool stale, fresh;     /* the derivatives are to be taken again; they are those of this start */
  ritt_real factored;    /* h of the factors; 0: there are none */
  ritt_real theta, eta;  /* contraction; what the last difference is multiplied with */
  ritt_real h, old_h;    /* of the last step tried; of the one before */
  ritt_real stop;        /* the iteration stops at this part of the tolerance */
  int found, iterations; /* iterations that the last step took; at most */
} ritti_stage_newton;

/* The part of the tolerance at which iterations stop, for the tightest relative tolerance; 0: stages
 * are found to round-off, in this many iterations at most. */
enum { RITTI_STAGE_ROUNDING_ITERATIONS = 100 };
ritt_real ritti_stage_newton_stop(ritt_real least);
void ritti_stage_newton_forget(ritti_stage_newton *newton);
/* A step from a new point z: the one before is known, and its derivatives may serve. */
void ritti_stage_newton_begin(ritti_stage_newton *newton, const ritt_real *z);
void ritti_stage_newton_state(ritti_stage_newton *newton, const ritti_stepper *step,
                              ritti_state *state);
/* Are the factors those of a step of length h? */
bool ritti_stage_newton_factored(const ritti_stage_newton *newton, ritt_real h);
ritti_stage_progress ritti_stage_newton_start(ritti_stage_newton *newton);
/* From the second change on: takes the rate; false: this does not converge. */
bool ritti_stage_newton_rate(ritti_stage_newton *newton, ritti_stage_progress *now);
/* To round-off: no smaller than before, and small. */
bool ritti_stage_newton_at_rounding(const ritti_stepper *step, const ritti_stage_progress *now);
/* RITT_RETRY: there are no stages; `shorten` as in the stepper. */
ritt_status ritti_stages_fail(ritti_stepper *step, ritt_real shorten) RITT_USE;
/* What a coordinate's change is measured in; tolerances that much looser, NULL: as they are. */
void ritti_stages_scale(const ritti_stepper *step, const ritt_real *loose, ritt_real *scale);

/* ---- stage_system.c: the linear systems of simplified Newton iterations ---- */

/* Where dV comes from: the derivatives of the system for the tops, in runs over x, where V = (1,
 * ..., top), or over arc length, where |V| = 1; or differences of V. */
typedef enum ritti_slopes {
  RITTI_SLOPES_X,
  RITTI_SLOPES_ARC,
  RITTI_SLOPES_DIFFERENCES
} ritti_slopes;

typedef struct ritti_stage_system {
  ritti_slopes slopes;
  bool normals; /* stages are projected: with multipliers nu of the rows of f */
  bool small;   /* the tops are eliminated: dtop = -A^-1 dr dz, dense */
  bool known;   /* derivatives were taken somewhere */
  const ritti_problem *problem;
  const ritti_collocation *method;   /* whose blocks are factored; may change */
  int n;                             /* unknowns of one stage: (dz, dtop, ..., dnu) */
  int at_top, at_w, at_nu, at_speed; /* where they begin */
  ritti_pattern block, pair;         /* of one real number gamma; of a pair, both parts */
  int *diagonal;                     /* m: the entry of gamma in the row of z_i */
  ritt_real *entry;                  /* of the block with gamma = 0 */
  int *
      from_dr; /* by formula, over x: the entry of dr that it is minus, or -1; NULL: other blocks */
  ritt_real *slope_x;    /* m: dV/dx; over x, if the tops are no unknowns */
  ritt_real *values, *x; /* room: entries of a pair; a point and V */
  /* s x n: right sides and solutions of the systems, transformed by T^-1 */
  ritt_real *W;
  int reals, pairs;          /* blocks there is room for */
  ritti_linear *real, *twin; /* reals (at least one, for the error), pairs; unless dense */
  ritti_complex_sparse **complex_pair; /* pairs, in place of `twin`; NULL: not used */
  /* Small blocks are dense, and pairs are complex matrices (linalg/complex_lu.c). The unknowns
   * before `first` are left out: in a run over x, x itself. */
  bool dense, finite; /* finite: all entries are */
  int first;
  ritt_real *matrix, *factors; /* the block with gamma = 0, by columns; factors of all blocks */
  int *pivots;
  ritt_real *dr, *dr0, *A, *b, *f, *df, *V; /* at the point */
  ritt_real *hull; /* of differences: dV, m x m; small: of the tops, tops x m */
  ritt_real *lu;   /* small: A */
  int *pivot;
  ritt_real *dnu, *change,
      *start_df; /* stages that are projected: s x k, k; df at the start of the step */
  int *df_start, *df_entry, *df_row; /* df by columns */
  int *A_start, *A_entry, *A_row;    /* A by columns, if the tops are not unique */
  ritt_real *power, *image;          /* n: a vector of the power method, and dV times it */
  ritt_real radius;                  /* about the largest eigenvalue of dV; 0: not known */
  struct ritti_stage_system *next;
} ritti_stage_system;

/* The system of a problem, over x or over arc length: from `list`, or made and put there. `largest`:
 * the method with the most stages of all whose blocks will be factored. */
ritt_status ritti_stage_system_find(ritti_stage_system **list, const ritti_problem *problem,
                                    const ritti_collocation *largest, bool arc, bool normals,
                                    ritti_algebra algebra, ritti_arena *arena,
                                    ritti_stage_system **out) RITT_USE;
/* Takes the derivatives at the start of the step; on RITT_OK the factors are those of an older
 * matrix. */
ritt_status ritti_stage_system_look(ritti_stage_system *system, ritti_stepper *step) RITT_USE;
/* Factors the blocks (gamma/h) I - dV of the method; false: one is singular. */
bool ritti_stage_system_factor(ritti_stage_system *system, ritt_real h);
/* Can native code work with the matrices (stage_kernel.h)? It gets them by ..._give. */
bool ritti_stage_system_is_plain(const ritti_stage_system *system);
void ritti_stage_system_give(ritti_stage_system *system, ritt_real h, ritti_stage_job *job);
/* Solves Lambda/h dz - dV dz + W^-1 df^T dnu = r, df dz = g for the transformed stages: W holds the
 * right sides, then the solutions. */
void ritti_stage_system_solve(ritti_stage_system *system);
/* v := ((gamma0/h) I - dV)^-1 v, tangent to M if there are normals */
void ritti_stage_system_filter(ritti_stage_system *system, ritt_real *v);
/* dV/dx, from the derivatives that were taken last; to be called before the next function. */
void ritti_stage_system_slope_x(ritti_stage_system *system);
/* v := ((gamma0/h) I - dV)^-1 (v + dx dV/dx), in runs over x without the entry of x, which becomes
 * dx; without normals. */
void ritti_stage_system_advance(ritti_stage_system *system, ritt_real dx, ritt_real *v);
/* The next factors have pivots of their own. */
void ritti_stage_system_forget(ritti_stage_system *system);
/* The derivatives and the factors. */
void ritti_stage_system_state(ritti_stage_system *system, ritti_state *state);

/* ---- joint_stages.c: z and w of the implicit kind found together ---- */

typedef struct ritti_joint_stages {
  const ritti_problem *problem;
  int s, n;              /* stages; unknowns of a stage: coordinates without x, tops */
  int exponents;         /* arguments of exponentials at a stage */
  ritti_pattern pattern; /* of all rows */
  ritti_full_lu lu;
  ritt_real *entry, *right, *change, *next, *base; /* all unknowns of all stages */
  ritt_real *w, *T, *size;                         /* s x tops: tops, rows, sizes of their terms */
  ritt_real *exponent, *base_exponent;             /* s x exponents */
  ritt_real *z, *Z, *dr, *A, *out;                 /* at one point */
  bool keep_formulas;          /* tops that are given by formulas are unknowns */
  ritt_real *matrix, *scratch; /* s = 1: for least changes */
  int *numbers;
  struct ritti_joint_stages *next_size; /* for another problem or number of stages */
} ritti_joint_stages;

typedef struct ritti_joint_method {
  const ritt_real *inverse;    /* s x s: A^-1 */
  const ritt_real *from_start; /* s: the part of V at the start */
  const ritt_real *scale;      /* m: the unit in which changes of z are measured, */
  ritt_real stop;              /* and the size of a change that is small enough */
} ritti_joint_method;

/* Can the stages of this problem be found together? It must be of the implicit kind, and small. */
bool ritti_joint_stages_fit(const ritti_problem *problem, int s);
/* Does it cost so little that nothing else is tried? */
bool ritti_joint_stages_are_cheap(const ritti_problem *problem, int s);
ritt_status ritti_joint_stages_init(ritti_joint_stages *joint, const ritti_problem *problem, int s,
                                    ritti_arena *arena) RITT_USE;
/* Z (s x m): in: where the iteration begins, out: the stages. joint->w: their tops. RITT_RETRY: not
 * found. */
ritt_status ritti_joint_stages_find(ritti_joint_stages *joint, ritti_stepper *step,
                                    const ritti_joint_method *method, ritt_real *Z) RITT_USE;
/* v := ((gamma/h) I - dV)^-1 v at the start of the step; for s = 1. */
ritt_status ritti_joint_stages_filter(ritti_joint_stages *joint, const ritti_stepper *step,
                                      ritt_real gamma, ritt_real *v) RITT_USE;
/* (z, top) := the point nearby with T(z, top) = 0; z moves in units of `scale`; for s = 1. false: none
 * was found, and nothing changes. */
bool ritti_joint_stages_settle(ritti_joint_stages *joint, const ritti_stepper *step,
                               const ritt_real *scale, ritt_real *z, ritt_real *top);

/* ---- implicit.c: the stepper of implicit methods ---- */

/* A method of fixed order; a method of variable order has several. */
typedef struct ritti_implicit_member {
  const ritti_tableau *tableau;
  ritti_collocation C;
  ritt_real from_start[RITTI_MOST_STAGES]; /* A^-1 a0: the part of V at the start */
  ritt_real *loose; /* m: the error is measured in tolerances that much looser */
  ritt_real stop;   /* of Newton's iterations */
  int iterations;
} ritti_implicit_member;

enum { RITTI_MOST_ROW_PARTS = 8 };

/* Rows inside the last step: see implicit_rows.c. */
typedef struct ritti_implicit_rows {
  bool corrected;        /* the correction is that of the last step */
  ritt_real *correction; /* m: multiplies the correction of the collocation polynomial */
  ritti_stepper *part;   /* takes the step once more; NULL: not made yet */
  int parts;             /* it is taken in so many; 0: not judged, 1: the polynomial is good */
  long taken;            /* parts taken so far; 0: none */
} ritti_implicit_rows;

typedef struct ritti_implicit {
  ritti_implicit_member member[RITTI_MOST_MEMBERS];
  int members, now, before;   /* all; the one in use; the one that took the step before */
  int first, highest;         /* members: of the first step; the highest in use */
  int since;                  /* steps since the order was changed */
  bool lower;                 /* stages were not found: the next try has a lower order */
  bool estimated;             /* native code has found the first estimate of the error */
  bool is_part;               /* it takes the step of another stepper: the order stays */
  const ritti_collocation *C; /* of the member in use */
  ritti_arena *arena;
  ritti_stage_system *systems, *system; /* all made so far; the one in use */
  ritti_stage_newton newton;            /* `old` holds the V of the step before where it predicts */
  ritti_joint_stages *joints;           /* made so far */
  bool together;         /* implicit kind: the stages of z and w are found together */
  ritt_real *Z, *dZ;     /* s x m: stages - start, before they are projected; their changes */
  ritt_real *W;          /* s x m: T^-1 Z */
  ritt_real *N;          /* s x m: what normals at the start add */
  ritt_real **old;       /* own nodes x m: V of the step before */
  ritt_real *scale;      /* m: the unit in which changes of the stages are measured */
  ritt_real *per_scale;  /* m: 1 / scale */
  ritt_real *moved;      /* m: squares of the last changes of the stages, in these units */
  ritt_real *err, *half; /* m */
  ritti_implicit_rows rows;
} ritti_implicit;

/* v := ((gamma0/h) I - dV)^-1 v, with the factors of the last step */
ritt_status ritti_implicit_filter(ritti_stepper *step, ritt_real *v) RITT_USE;
/* The part begins as the step did: with its order, and nothing known from before. */
void ritti_implicit_restart(ritti_stepper *part, const ritti_stepper *step);

/* ---- implicit_rows.c: rows inside a step ---- */

ritt_status ritti_implicit_interpolate(ritti_stepper *step, ritt_real theta, ritt_real *z) RITT_USE;
/* Is the point at theta one of a step that was taken again? The fraction of that step there. */
bool ritti_implicit_in_part(const ritti_stepper *step, ritt_real theta);
ritt_real ritti_implicit_part_place(const ritti_stepper *step, ritt_real theta);
/* Room for this, for solvers whose memory is given once. */
ritt_status ritti_implicit_prepare_rows(ritti_stepper *step, const ritti_problem *problem,
                                        bool arc) RITT_USE;

#endif
