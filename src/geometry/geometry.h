/* Geometry: a moving point's own data on a Problem. Manifold projects points onto M, Direction
 * gives V there.
 *
 * Both share one work row (`work`) of the problem, so a solver has one of each and they are not
 * used at the same time.
 */
#ifndef RITTI_GEOMETRY_H
#define RITTI_GEOMETRY_H

#include "geometry/problem.h"
#include "linalg/sparse.h"

/* Why the last operation returned RITT_RETRY. */
typedef enum ritti_trouble {
  RITTI_NO_TROUBLE,
  RITTI_NO_VALUE,       /* a function of the model has no value at `where` */
  RITTI_SINGULAR_TOP,   /* A(z) is singular: the top jets are not determined */
  RITTI_NO_TOPS,        /* implicit kind: no solution of T(z, top) = 0 was found */
  RITTI_FOLD_ON_WAY,    /* implicit kind: tops meet a fold on their way over a switch */
  RITTI_DEPENDENT_ROWS, /* df lost rank */
  RITTI_NO_CONVERGENCE, /* the projection did not converge */
  RITTI_NO_STAGES,      /* the stages of an implicit method were not found */
  RITTI_TURNED_BACK,    /* over arc length: V points back beyond a pole */
} ritti_trouble;

/* X(id, word): how points are projected (docs/projection.md) */
#define RITTI_PROJECTIONS(X)                                                                       \
  X(GAUSS, "gauss")                                                                                \
  X(NEWTON, "newton")                                                                              \
  X(CHORD, "chord")                                                                                \
  X(INEXACT, "inexact")                                                                            \
  X(BLOCKS, "blocks")                                                                              \
  X(SEQUENTIAL, "sequential")
typedef enum ritti_projection {
#define X(id, word) RITTI_PROJECT_##id,
  RITTI_PROJECTIONS(X)
#undef X
} ritti_projection;

/* Does a factorisation of df W^-1 df^T serve a whole step? auto: where it costs more than what
 * replaces it. */
typedef enum ritti_reuse { RITTI_REUSE_AUTO, RITTI_REUSE_OFF, RITTI_REUSE_ON } ritti_reuse;

/* Native code for the matrix, as soon as there is some. */
static inline void ritti_problem_form(const ritti_problem *p, ritti_linear *L) {
  if (!L->formed && p->code.has_forms && p->code.has_forms(p->data))
    ritti_linear_take_forms(L, p->code.form, p->data);
}

/* What the projections of one step share. Groups of rows are bits: RITTI_ROWS_... */
typedef struct ritti_projection_cache {
  bool freeze;             /* within a step: sizes that are known serve all its points */
  unsigned factored;       /* groups whose matrix df W^-1 df^T has factors; a step begins with 0 */
  unsigned sizes;          /* groups with per_terms */
  unsigned point_sizes;    /* groups with point_size */
  unsigned checked;        /* groups for which `euclidean` is known */
  unsigned euclidean;      /* groups in whose matrix W = 1 */
  ritt_real *per_terms;    /* k: 1 over the size of the terms of a row */
  ritt_real point_size[2]; /* of positions or all coordinates, of velocities */
  ritti_sizes small[2];    /* of a few rows: positions or all, velocities */
} ritti_projection_cache;

typedef struct ritti_projection_counts {
  long projections, failures, iterations;
  long idle;           /* projections without an iteration */
  int most;            /* the largest number of iterations of a projection */
  long factorisations; /* of df df^T, of I + d2f.mu, or of a Schur complement */
  long products;       /* of iterative methods: with a matrix or its transpose */
  long second;         /* evaluations of d2f.mu */
} ritti_projection_counts;

/* The second-order predictor: the next projection begins at q = a - scale dz, mu = scale mu. */
typedef struct ritti_predictor {
  bool on;
  ritt_real *dz, *mu; /* m, k */
  ritt_real scale;    /* 0: begin at a */
} ritti_predictor;

typedef struct ritti_manifold {
  const ritti_problem *problem;
  ritt_real *work;
  ritti_projection variant;

  /* the metric sum w_i dz_i^2 */
  ritt_real *inverse_weights; /* m: 1/w_i; 0 keeps a coordinate (x in runs over x) */
  ritt_real *size;            /* m: typical sizes; terms below them do not count as small */

  /* rows of the last point, and their two stores: packed if they are few, sparse */
  ritt_real *f, *df;  /* k and the nonzeros of df */
  ritt_real *packed;  /* a few rows, coordinate by coordinate */
  bool no_duplicates; /* the pattern of df names no entry twice */
  ritti_columns columns, position_columns, velocity_columns;
  ritti_algebra algebra;
  ritti_linear whole, positions,
      velocities; /* df W^-1 df^T: all rows; sequential: the two groups */
  ritt_real *S;   /* k x k: newton, chord, blocks */

  /* tolerances */
  ritt_real stage_tolerance; /* enough distance to M, relative to the point; 0: round-off */
  ritt_real end_tolerance;   /* enough distance to the nearest point of M; 0: round-off */
  /* the papers' rule, |change of (q, mu)| + |F| < absolute + relative |F before|, and nothing to do
   * if |f| < absolute; 0: to round-off */
  ritt_real absolute_stop, relative_stop;

  ritti_reuse reuse;
  ritti_projection_cache cache;
  ritti_predictor predictor;
  struct ritti_newton *newton; /* of the variants that need it */
  ritt_real *mu, *right;       /* k: multipliers, right side */
  ritt_real *masked, *scratch; /* m */
  ritt_real *reuse_scratch;

  ritti_projection_counts counts;
  ritt_status gave_up; /* the status with which f gave up when a residual was asked for */
  ritti_trouble trouble;
  ritt_real *where; /* m: the point of trouble */
} ritti_manifold;

ritt_status ritti_manifold_init(ritti_manifold *manifold, const ritti_problem *problem,
                                ritt_real *work, ritti_arena *arena) RITT_USE;
/* The same with a chosen algebra. */
ritt_status ritti_manifold_init_with(ritti_manifold *manifold, const ritti_problem *problem,
                                     ritt_real *work, ritti_algebra algebra,
                                     ritti_arena *arena) RITT_USE;
/* Takes another variant than gauss. */
ritt_status ritti_manifold_choose(ritti_manifold *manifold, ritti_projection variant,
                                  ritti_arena *arena) RITT_USE;
/* Readies the predictor for the step of length h from p, a point of M, along V. */
void ritti_manifold_predict(ritti_manifold *manifold, const ritt_real *p, const ritt_real *V,
                            ritt_real h);
/* q = the point of M nearest to a in the metric, to round-off. q and a may be the same array.
 * RITT_RETRY: none found. */
ritt_status ritti_manifold_project(ritti_manifold *manifold, const ritt_real *a,
                                   ritt_real *q) RITT_USE;
/* Largest |f_i(z)|; infinite where f has no value (manifold->gave_up, where it gave up). */
ritt_real ritti_manifold_residual(ritti_manifold *manifold, const ritt_real *z);
/* What later steps depend on, and the counts. Not what serves one step only: factors, multipliers.
 */
void ritti_manifold_state(ritti_manifold *manifold, ritti_state *state);

/* X(id, word): how the direction is found. The first four take the null vector of a matrix (b | A),
 * or of the larger D of a problem whose rows alone determine the line (problem->own_line); the
 * others solve A top + b = 0. */
#define RITTI_DIRECTIONS(X)                                                                        \
  X(AUTO, "auto")                                                                                  \
  X(SVD, "svd")                                                                                    \
  X(QR, "qr")                                                                                      \
  X(SUBMATRIX, "submatrix")                                                                        \
  X(CG, "cg")                                                                                      \
  X(LU, "lu")                                                                                      \
  X(KKT, "kkt")                                                                                    \
  X(KKT_SCHUR, "kkt_schur")                                                                        \
  X(KKT_CG, "kkt_cg")
typedef enum ritti_direct {
#define X(id, word) RITTI_DIRECT_##id,
  RITTI_DIRECTIONS(X)
#undef X
} ritti_direct;

typedef struct ritti_direction {
  const ritti_problem *problem;
  ritt_real *work;
  ritti_direct variant, taken; /* the one that serves now; the one that was asked for */
  const ritt_real *arc;        /* m: weights of the arc length in which |V| = 1; NULL: dx = 1 */
  const ritt_real
      *reference;         /* m: in runs over arc length V must not point against it; NULL: dx > 0 */
  ritt_real *A, *b, *top; /* nonzeros, right side, tops: of the last point */
  bool constants;         /* what is constant in A and b is there */
  ritti_linear lu, kkt;   /* A; [E G^T; G 0]; where the tops are not unique lu is A S^2 A^T */
  int kkt_sign;           /* of A where kkt has its factors */
  ritt_real *per_s;       /* 1/s of the problem; NULL: some of them would be rounded */
  ritt_real *dense;       /* A; NULL where nothing needs it dense */
  int *pivot;
  ritt_real *scratch; /* where the tops are not unique and A is small */
  /* where the tops are not unique: the entries of A S, and S, which brings the columns of derivatives to the
   * size 1; room for two vectors of rows */
  ritt_real *scaled, *column_scale, *least_room;
  struct ritti_direction_run { /* V[first] .. are z[next] .., or (next < 0) top[-1-next] .. */
    int first, count, next;
  } * run; /* NULL: they are many */
  int runs;
  /* the line as a null vector: where a variant asks for it, and in runs over arc length, where A
   * may be singular */
  int rows;                    /* of the matrix: tops, or k */
  ritt_real *matrix;           /* rows x (1 + tops), rows scaled; NULL: too large */
  ritt_real *f, *df;           /* k and the nonzeros of df, where the matrix is made of them */
  ritti_qr null;               /* of the transposed matrix */
  struct ritti_border *border; /* too large for that: (A | b) with one more row */
  ritt_real *null_vector;      /* 1 + tops, of length 1 */
  ritt_real *null_scratch;
  /* largest, and the two least of all 1 + tops singular values: those of svd, or estimates */
  ritt_real sigma[3];
  /* what the tops of the last point were solved with; NULL: nothing */
  const ritti_linear *factored;
  int exponent;   /* log2 of the factors by which the rows of (b | A) were scaled down, together */
  bool far;       /* implicit kind: the tops may be far from those before */
  bool jumps;     /* then: they may jump at folds on the way from those before */
  bool leapt;     /* then: they have jumped at one */
  ritt_real fold; /* how far the last of all folds is on the way, 0 to 1 */
  struct ritti_top_newton *newton; /* of the implicit kind; `top` is what it begins with */
  void *own;                       /* the variant's memory */
  int sign;                        /* of det A dx/ds at the last point; 0: not known */
  /* over arc length, by formulas: V has pointed against the reference since this was made false */
  bool turned;
  long evaluations;
  long fallbacks; /* times that cg or a block solver gave way to a factorisation */
  ritti_trouble trouble;
  ritt_real *where;
} ritti_direction;

/* A point at which V was found, kept with the highest derivatives there and the factors that they were
 * solved with. */
typedef struct ritti_direction_store {
  bool valid;
  ritt_real *z, *top;           /* m, tops */
  ritt_real *shared;            /* values for system_along */
  const ritti_linear *factored; /* lu or kkt below; NULL: there are no factors */
  ritt_real *A, *b;
  bool constants;
  ritti_linear lu, kkt;
} ritti_direction_store;

ritt_status ritti_direction_init(ritti_direction *direction, const ritti_problem *problem,
                                 ritt_real *work, ritti_arena *arena) RITT_USE;
/* Room for one point. */
ritt_status ritti_direction_store_init(ritti_direction_store *store,
                                       const ritti_direction *direction, ritti_algebra algebra,
                                       ritti_arena *arena) RITT_USE;
/* Moves what is known at z, the point evaluated last, to the store; the direction gets the memory of
 * the store in exchange. */
void ritti_direction_keep(ritti_direction *direction, const ritt_real *z,
                          ritti_direction_store *store);
/* The same with a chosen algebra. */
ritt_status ritti_direction_init_with(ritti_direction *direction, const ritti_problem *problem,
                                      ritt_real *work, ritti_algebra algebra,
                                      ritti_arena *arena) RITT_USE;
/* Why a variant cannot serve a problem, in words; NULL: it can. */
const char *ritti_direction_misfit(const ritti_problem *problem, ritti_direct variant);
/* Takes a variant that fits; the direction is `auto` before. */
ritt_status ritti_direction_take(ritti_direction *direction, ritti_direct variant,
                                 ritti_arena *arena) RITT_USE;
/* Can it go by arc length, also where A is singular? */
bool ritti_direction_has_line(const ritti_direction *direction);
/* At z, the point evaluated last, with V there: makes sure of the sign, also where V was found in a
 * way that does not give it, and returns log2 |det A|, or over arc length log2 of the length of all
 * minors of (b | A). NaN: not known. */
ritt_real ritti_direction_side(ritti_direction *direction, const ritt_real *z, const ritt_real *V);
/* Implicit kind: log2 |det T_w| of each nonlinear block where ritti_direction_side was called last, NaN
 * if unknown. volume NULL: only their number. */
int ritti_direction_volumes(const ritti_direction *direction, ritt_real *volume);
/* V(z), and the top jets at z in direction->top (infinite where dx = 0). */
ritt_status ritti_direction_at(ritti_direction *direction, const ritt_real *z,
                               ritt_real *V) RITT_USE;
/* V at z with these top jets, which the caller knows. */
void ritti_direction_with_tops(const ritti_direction *direction, const ritt_real *z,
                               const ritt_real *top, ritt_real *V);
/* V(z) at a point behind a switch, a jump or at a start, where the tops may be far from those of
 * the point before: of the implicit kind they are followed by a homotopy if the iteration fails. */
ritt_status ritti_direction_solve_again(ritti_direction *direction, const ritt_real *z,
                                        ritt_real *V) RITT_USE;
/* Implicit kind: the next point begins with these tops. Other kinds: nothing. */
void ritti_direction_begin_with(ritti_direction *direction, const ritt_real *top);
/* The tops of the last point were found elsewhere (step_kernel.h), by factors of `kkt` where it is
 * symmetric, those of `count` points in all. */
void ritti_direction_taken(ritti_direction *direction, long count);
/* What later points depend on: what variants begin with that go on from the point before, and the
 * counts. Whose the arc and the reference are the owner knows. */
void ritti_direction_state(ritti_direction *direction, ritti_state *state);

#endif
