/* Problem: a manifold with a direction on it, as functions. Constant data: any number of threads
 * share one.
 *
 * Filled by eval from a model, or by hand-written C functions. Ambient coordinates z[0..m-1], z[0]
 * = x, the independent variable. f(z) = 0 is the manifold M, k rows, df of full rank on M. The
 * direction of the graph, holonomic and explicit kinds (DESIGN of the four kinds:
 * docs/ARCHITECTURE.md) is
 *
 *     V = (1, ...), V_i = z[next[i]] or top[-1 - next[i]],   A(z) top + b(z) = 0.
 *
 * In the general kind, where f holds every equation of the completed system, the same line is the
 * kernel of D = (f_x + D_1 ytilde | D_2), section 3.1 of the enhanced linear algebra paper: k rows,
 * 1 + tops columns.
 *
 * Functions return RITT_OK, RITT_RETRY (no value here: a shorter step may help) or another status
 * (give up).
 */
#ifndef RITTI_PROBLEM_H
#define RITTI_PROBLEM_H

#include "geometry/series.h"
#include "geometry/strong.h"
#include "geometry/tangent_kernel.h"
#include "linalg/linalg.h"

/* What happens where an event function vanishes. */
typedef struct ritti_event {
  const char *name;
  int sense;            /* 1: rising, -1: falling along the run, 0: either, or touching */
  bool stop;            /* the run ends there */
  bool record;          /* its points are requested */
  const bool *kept;     /* m, of a jump: coordinates that it assigns or keeps; NULL: none */
  const bool *assigned; /* m, of a jump: those that it assigns */
  bool hidden;          /* it is not reported */
  int surface;          /* of a hidden one: the switching surface at which it happens; -1: none */
} ritti_event;

typedef enum ritti_series_of { RITTI_SERIES_ROWS, RITTI_SERIES_TOPS } ritti_series_of;

enum {
  RITTI_KERNEL_COORDINATES = 40
}; /* the most for which there are whole steps in native code */
/* A whole step in native code: RITTI_STEP_WHOLE, ... */
typedef int ritti_step_function(ritti_step_job *step);
/* The stages of an implicit step (geometry/stage_kernel.h): 1, or 0 if the library must find them. */
enum { RITTI_MOST_STAGES = 8 };
typedef struct ritti_stage_job ritti_stage_job;
typedef int ritti_stage_function(ritti_stage_job *step);
/* The tangents along it: 1, or 0 if they do not exist. */
typedef int ritti_tangent_function(ritti_tangent_job *tangents);

/* Parts of f and df, of mechanics: g with its derivatives, D g with those by velocities, the rest.
 */
enum {
  RITTI_PART_POSITIONS = 1,
  RITTI_PART_VELOCITIES = 2,
  RITTI_PART_REST = 4,
  RITTI_PART_ALL = 7
};

/* Implicit kind: tops that depend on the tops of earlier groups only. Formulas give them, or they
 * solve rows T(z, top) = 0 block by block. */
typedef struct ritti_top_stage {
  bool formula;
  int count;
  const int *top; /* count: numbers of the tops, by blocks */
  const int *row; /* count: numbers of their rows in A */
  int blocks;
  const int *block;    /* blocks + 1: block b has the places block[b] .. block[b + 1] - 1 */
  const bool *linear;  /* blocks: T is linear in the tops of the block */
  ritti_pattern dT;    /* rows by places; columns count from the first place of the block */
  int exponents;       /* arguments of exponentials, limited in each iteration */
  const int *exponent; /* blocks + 1: block b has the numbers exponent[b] .. */
} ritti_top_stage;

/* The functions of a problem. The first argument is its data, the second its scratch. */
typedef struct ritti_problem_functions {
  ritt_status (*f)(const void *data, ritt_real *work, const ritt_real *z, ritt_real *f);
  ritt_status (*f_df)(const void *data, ritt_real *work, const ritt_real *z, ritt_real *f,
                      ritt_real *df);
  /* Some parts of them; what else is in f and df may change. Values of f must be finite, of those
   * parts, derivatives need not. NULL: evaluate everything instead. */
  ritt_status (*f_part)(const void *data, ritt_real *work, const ritt_real *z, unsigned parts,
                        ritt_real *f);
  ritt_status (*f_df_part)(const void *data, ritt_real *work, const ritt_real *z, unsigned parts,
                           ritt_real *f, ritt_real *df);
  ritt_status (*d2f_mu)(const void *data, ritt_real *work, const ritt_real *z, const ritt_real *mu,
                        ritt_real *h);
  /* all but the explicit kind; NULL where the rows alone are to determine the line */
  ritt_status (*system)(const void *data, ritt_real *work, const ritt_real *z, ritt_real *A,
                        ritt_real *b);
  /* The same without H, and perhaps not finite; or NULL. `again`: what is constant in A and b is
   * there already. */
  ritt_status (*system_lower)(const void *data, ritt_real *work, const ritt_real *z, bool again,
                              ritt_real *A, ritt_real *b);
  ritt_status (*formula)(const void *data, ritt_real *work, const ritt_real *z,
                         ritt_real *top); /* explicit kind */
  /* the derivatives by z of A top + b, tops fixed, or of the formula; NULL: not needed */
  ritt_status (*system_dz)(const void *data, ritt_real *work, const ritt_real *z,
                           const ritt_real *top, ritt_real *dr);
  /* Derivatives by all coordinates but x, then by the quantities of problem.by, tops fixed: of
   * A top + b, or of the formula; of f. Derivatives of the outputs by coordinates, tops and these
   * quantities. NULL: not needed. */
  ritt_status (*system_d)(const void *data, ritt_real *work, const ritt_real *z,
                          const ritt_real *top, ritt_real *out);
  ritt_status (*f_d)(const void *data, ritt_real *work, const ritt_real *z, ritt_real *out);
  /* If there is one quantity: its derivative of A top + b, or of the formula, where z has the tangent
   * s and the tops are fixed, finite or not; else NULL. `shared`: what share_values gives just behind the tops at z,
   * problem.shared values. */
  ritt_status (*system_along)(const void *data, ritt_real *work, const ritt_real *z,
                              const ritt_real *top, const ritt_real *shared, const ritt_real *s,
                              ritt_real *out);
  void (*share_values)(const void *data, const ritt_real *work, ritt_real *shared);
  ritt_status (*output_d)(const void *data, ritt_real *work, const ritt_real *z,
                          const ritt_real *top, ritt_real *out);
  /* Implicit kind. One stage at z and the tops given, without regard to values that are not finite.
   * Formulas: out = their tops. Else: out = T, the sizes of the terms of each T, the entries of dT,
   * the arguments of exponentials. */
  ritt_status (*top_stage)(const void *data, ritt_real *work, int stage, const ritt_real *z,
                           const ritt_real *top, ritt_real *out);
  /* Implicit kind: A = dT/dtop, all of it, at z and the tops given; NULL if system_dz is. */
  ritt_status (*system_at)(const void *data, ritt_real *work, const ritt_real *z,
                           const ritt_real *top, ritt_real *A);
  ritt_status (*output)(const void *data, ritt_real *work, const ritt_real *z, const ritt_real *top,
                        ritt_real *out);
  ritt_status (*monitor)(const void *data, ritt_real *work, const ritt_real *z,
                         const ritt_real *top, ritt_real *out);
  ritt_status (*monitor_df)(const void *data, ritt_real *work, const ritt_real *z,
                            const ritt_real *top, ritt_real *out);
  /* C of the law of impulses; NULL: none */
  ritt_status (*impulses)(const void *data, ritt_real *work, const ritt_real *z,
                          const ritt_real *top, ritt_real *out);
  /* z_new = z with the assignments of the event's jump, their right sides taken at z */
  ritt_status (*jump)(const void *data, ritt_real *work, int event, const ritt_real *z,
                      const ritt_real *top, ritt_real *z_new);
  /* the same along a curve, as programs on power series, in the arena: the rows of f; the entries
   * of A and b, or of the formula. NULL: not known, as of functions that a caller gives */
  ritt_status (*series)(const void *data, ritti_series_of what, ritti_arena *arena,
                        ritti_series *out);
} ritti_problem_functions;

/* Native code. */
typedef struct ritti_problem_code {
  /* the step of the explicit method with that key as one function, at most RITTI_SMALL_ROWS rows; NULL, or
   * NULL from it: there is none (yet) */
  ritti_step_function *(*step)(const void *data, unsigned long key);
  ritti_tangent_function *(*tangents)(const void *data, unsigned long key); /* along such a step */
  /* the stages of an implicit method that has s of them; NULL, as above: there are none (yet) */
  ritti_stage_function *(*stages)(const void *data, int s);
  /* native code for Gram matrices of its derivatives, once has_forms says so */
  ritti_form *(*form)(const void *data, uint64_t key);
  bool (*has_forms)(const void *data); /* NULL, as the function before: there is none */
} ritti_problem_code;

/* Words for messages. */
typedef struct ritti_problem_names {
  /* words for messages, for coordinate i, row i, monitor i; may be NULL */
  const char *(*coordinate)(const void *data, int i);
  const char *(*row)(const void *data, int i);
  const char *(*monitor)(const void *data, int i);
  const char *(*condition)(const void *data, int surface); /* what the surface compares with 0 */
  /* what went wrong in the last function that returned RITT_RETRY at this point: "sqrt(x - 1) (line
   * 7)"; may be NULL */
  const char *(*culprit)(const void *data, ritt_real *work, const ritt_real *z);
} ritti_problem_names;

/* What happens to a coordinate where the equations switch: it stays, it changes only by an impulse, or
 * it is solved for again (algebraic unknowns, highest derivatives). */
typedef enum ritti_role { RITTI_ROLE_STATE, RITTI_ROLE_VELOCITY, RITTI_ROLE_FOLLOWS } ritti_role;

typedef struct ritti_problem ritti_problem;
struct ritti_problem {
  ritt_kind kind;
  int m;       /* coordinates, x included */
  int k;       /* rows of f */
  int tops;    /* top jets: unknowns of the linear system of the direction */
  int outputs; /* columns that `output` gives */
  /* f holds rows that V does not keep: the projection changes the solution, and says nothing of
   * errors */
  bool forced;
  /* some coordinates are derivatives of the others: jumps must not be changed by constraints, and
   * the run slides on surfaces with `smooth_slide` only */
  bool tangents;
  /* The derivative of coordinate i or top i - m by quantity q is the coordinate or top
   * tangent[q (m + tops) + i]; -1: it has none. */
  const int *tangent;
  int tangent_count;
  const bool
      *smooth_slide; /* surfaces: the function is linear, with numbers, and outputs are smooth */
  /* the rows of f alone determine the line: D = (f_x + D_1 ytilde | D_2) has rank `tops` on M */
  bool own_line;
  /* functions whose zeros are looked for, `monitors` in all: first those of events, then switching
   * surfaces (kinks of abs, sign, min, max, if), last validities, beyond whose zeros the problem
   * must be made again */
  int events, surfaces, validities, monitors;
  const ritti_event *event; /* events */
  /* work[side_at + i] = 1 or -1: the side of surface i on which the functions below are taken */
  size_t side_at;
  /* surfaces; n > 0: the sum of n squares under a root by which its terms, the n surfaces after it, with
   * -1, are divided; 0: of another kind. NULL: all are. work[side_at + i] of a sum is -1 where it is 0;
   * those of its terms are the direction there */
  const int *cone;
  /* work[level_at + i]: value of the invariant i that takes its value from the start */
  size_t level_at;
  const int *level_of;  /* k: the level in a row of f, -1: none; NULL: none anywhere */
  const int *invariant; /* k: 1 for a row that the model claims to be an invariant; NULL: none */
  const int *role;      /* m: a ritti_role each; NULL: all are states */
  /* With role, k > 0: the law of impulses. Rows: equations of the model; columns: variables. An impulse
   * changes velocities, the derivatives before the highest in the equations, by y, where
   * C(z, top) y = 0; y of an algebraic unknown is its own impulse. */
  ritti_pattern impulses;
  const int *velocity; /* variables: the coordinate that jumps by y, -1: none */
  const int
      *impulse_top; /* variables: the highest derivative: a coordinate, or m + a top; -1: none */
  /* m: 1: the equations hold the value of this coordinate, and change if an event changes it;
   * NULL: none does */
  const int *form;
  const int *next;  /* m; next[0] is not used (V_0 = 1) */
  ritti_pattern df; /* k x m */
  /* tops columns; graph and holonomic kinds. Fewer rows than tops: the least solution */
  ritti_pattern A;
  const ritti_top_stage *top_stage; /* implicit kind: in the order in which tops are found */
  int top_stages;
  const double *top_start; /* tops: implicit kind, at the start point */
  ritti_pattern dr;        /* A.rows (formula: tops) x m, of system_dz */
  int by;                  /* number of quantities by which there are derivatives */
  int shared;              /* values of the tops that system_along takes */
  ritti_pattern dr_z;      /* A.rows (formula: tops) x m without column 0, of system_d */
  ritti_pattern dr_p;      /* A.rows (formula: tops) x by, the rest of system_d */
  ritti_pattern df_z;      /* k x m without column 0, of f_d */
  ritti_pattern df_p;      /* k x by, the rest of f_d */
  ritti_pattern doutput;   /* outputs x (m + tops + by), of output_d */
  ritti_pattern d2f;       /* m x m, lower triangle, of sum mu_i d2f_i */
  ritti_pattern dmonitor;  /* monitors x (m + tops) */
  const bool *straight;    /* monitors: linear in the coordinates, without tops; NULL: not known */

  /* holonomic: coordinates (x, y, y_1) with `positions` y; the first `constraints` rows of f are
   * g(x, y), the next `constraints` their derivative, the rest further invariants; top = (y_2,
   * lambda), A = [E H; G 0]. symmetric: H = G^T diag(s), so that with s divided out A is symmetric;
   * s has `constraints` entries. */
  int positions, constraints;
  bool chosen; /* equations that follow from the others were dropped: others could be dropped */
  bool symmetric;
  const ritt_real *s;

  const void *data; /* handed to every function */
  size_t work_size; /* reals of scratch that every solver has of its own */
  void (*work_init)(const void *data, ritt_real *work);
  ritti_problem_functions call;
  bool constant_mass; /* of mechanics with call.system_lower: E is constant */
  ritti_problem_code code;
  /* the same equations with their strong potential apart; NULL: there is none */
  const ritti_strong *strong;
  ritti_problem_names name;
};

/* A problem in the same coordinates whose functions, none of which it has yet, get other data. */
static inline ritti_problem ritti_problem_on(const ritti_problem *base, const void *data) {
  ritti_problem p = *base;
  p.data = data;
  p.call = (ritti_problem_functions){0};
  p.code = (ritti_problem_code){0};
  p.name = (ritti_problem_names){0};
  p.dr = (ritti_pattern){0};
  p.top_stage = NULL;
  p.top_stages = 0;
  p.top_start = NULL;
  p.level_of = NULL;
  p.invariant = NULL;
  return p;
}

#endif
