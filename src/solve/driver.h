/* Solver: one moving point on a Problem. Step-size control, the driver, rows. Nothing is allocated
 * while it runs. */
#ifndef RITTI_DRIVER_H
#define RITTI_DRIVER_H

#include "geometry/passage.h"
#include "geometry/singular.h"
#include "method/step.h"

/* How the next step follows from the errors of those before: X(id, word in the language). DOUBLING
 * is EMBEDDED where all methods estimate their errors by step doubling. */
#define RITTI_CONTROLS(X)                                                                          \
  X(EMBEDDED, "embedded")                                                                          \
  X(PAPERS, "papers") X(DOUBLING, "doubling") X(PI, "pi") X(PID, "pid") X(PREDICTIVE, "predictive")
typedef enum ritti_control {
#define X(id, word) RITTI_CONTROL_##id,
  RITTI_CONTROLS(X)
#undef X
} ritti_control;

typedef struct ritti_solve_options {
  const ritti_tableau *tableau;
  ritti_control control;
  bool automatic; /* the run stops where it turns out to be stiff, for an implicit method to go on
                     (turn) */
  bool doubled;   /* errors are estimated by step doubling */
  bool scaled;    /* in the error, derivatives of order k count times h^k */
  ritti_strong_newton newton;    /* of stages with a strong potential */
  ritt_real fac, facmin, facmax; /* of the control; 0: the usual ones */
  ritt_real first_step;          /* 0: chosen */
  bool by_arc;                   /* the run's variable is arc length; else x */
  bool project_stages;
  ritti_projection projection;
  ritti_algebra linear; /* of the linear systems */
  bool predict;         /* projections begin at the second-order predictor */
  ritti_direct direction;
  bool through;  /* singular points are passed where that can be done; else the run stops there */
  bool hold;     /* the run stops at positions where branches of the constraints cross */
  bool weighted; /* metric of the projection: sizes seen and scales; else Euclidean */
  ritt_real constant_step; /* 0: adaptive */
  const ritt_real *relative,
      *absolute; /* m each: error of a step is the RMS of err_i/(relative_i |z_i| + absolute_i) */
  const ritt_real *scale; /* m: declared typical sizes, 0 where none; NULL: none */
  long max_steps;         /* 0: no limit */
} ritti_solve_options;

/* Gets a row: the run's variable s (x or arc length), the point, its top jets. Another status than
 * RITT_OK ends the run. */
typedef ritt_status (*ritti_row_taker)(void *user, ritt_real s, const ritt_real *z,
                                       const ritt_real *top);

/* Where rows are wanted. Without points, step and at: at accepted steps. */
typedef struct ritti_rows {
  ritt_real from; /* where row 0 stands, and */
  long next;      /* the number of the next row */
  bool begun;     /* the start has been given; else the run begins */
  bool resumed;   /* the run was going on: a step follows at once */
  long points;    /* this many, equally spaced, both ends included; 0: not so */
  ritt_real step; /* this far apart from the start, and the end; 0: not so */
  const ritt_real
      *at; /* at these `count` values, ascending along the run, and nowhere else; NULL: not so */
  long count;
  long every; /* accepted steps: only each so many-th, and the end; 0: each */
  ritti_row_taker
      fine; /* gets, besides the rows, the steps and points between them, such that no two are */
  ritt_real spacing; /* further apart than this; with the user of the rows. NULL: not wanted */
} ritti_rows;

/* Gets the point of an event: before, and after the jump (NULL: no jump). */
typedef ritt_status (*ritti_event_taker)(void *user, int event, ritt_real s, const ritt_real *z,
                                         const ritt_real *top, const ritt_real *after);

/* ---- watchers: each has a struct of its own ---- */

/* Events, switching surfaces and validities: the sides of their functions (monitors), and room to
 * sample them along a step. */
typedef struct ritti_monitor_watch {
  int *side, *was;           /* of each monitor: 1 or -1, 0 at its own zero; before this step */
  bool *due;                 /* events that happen at the start */
  bool needs_tops;           /* some monitor depends on highest derivatives */
  ritt_real *value, *df;     /* all monitors at a point, and their gradients */
  ritt_real *level;          /* below this level the sign of a monitor is rounding */
  ritt_real *theta, *sample; /* sampled fractions of the step, and all monitors at each of them */
  int samples;
  ritt_real *z, *top;         /* scratch point */
  ritt_real *last, *interval; /* of each event: last occurrence; time since the one before it */
  long *times, *shrunk;       /* of each event: occurrences; intervals in a row that shrank */
  bool through;               /* the surface that ends the step has a pole there */
  bool at_end;                /* the step just tried ends at the end of the run */
  ritt_real since;            /* from here on surfaces are met without progress */
  long met;                   /* number of surfaces met since then */
} ritti_monitor_watch;

/* Scratch memory for jumps. */
typedef struct ritti_jumper {
  ritt_real *f, *df, *B, *y, *L, *scratch;
  int *free, *iscratch;
} ritti_jumper;

typedef struct ritti_slide ritti_slide;

/* Singular points: located, then passed or stopped at. */
typedef struct ritti_singular_watch {
  ritti_singular at; /* the last one found; at.z NULL: the problem has no such points */
  bool known;
  ritt_real *size;       /* m: sizes of the coordinates */
  ritt_real *curve[3];   /* m each: z + V s + K s^2/2, the parabola that passes the point */
  ritt_real *top;        /* highest derivatives beyond the point */
  ritt_real max_volume;  /* largest volume of the minors so far */
  ritt_real last_search; /* volume at the last search */
  ritt_real volume;      /* volume at the run's point */
} ritti_singular_watch;

/* Positions where constraints lose rank, and the way through them. */
typedef struct ritti_crossing_watch {
  ritti_crossing at;       /* at.z NULL: the problem is no mechanism, or too large */
  bool found, known;       /* a crossing is near; it can be passed, and its chart is open */
  ritt_real last_search;   /* least singular value at the last search */
  ritt_real max_sigma;     /* largest least singular value so far */
  ritt_real walked;        /* path in the positions since the last check */
  ritt_real *size, *along; /* m: scratch of a search */
  ritti_passage way;
} ritti_crossing_watch;

/* Folds: dx/ds tends to 0 and the steps become short. */
typedef struct ritti_fold_watch {
  ritt_real best_slope;    /* largest dx/ds so far */
  ritt_real largest_h;     /* longest step so far */
  ritt_real checked_slope; /* dx/ds where A was last examined */
  ritt_real amplification; /* |A^-1 b| / |b| there; 0: unknown */
  ritt_real mass;          /* a number that identifies the mass matrix there */
} ritti_fold_watch;

/* Stiffness: steps that were examined, and those that stability limited. */
typedef struct ritti_stiffness_watch {
  long looked, limited;
  int row, others; /* limited steps in a row; other steps since the last limited one */
} ritti_stiffness_watch;

/* ---- the driver ---- */

/* Where the run is. */
typedef struct ritti_run_point {
  ritt_real s;          /* the run's variable */
  ritt_real step_start; /* where the last step began; s: dense output has only the point itself */
  const ritt_real *z, *top; /* coordinates and highest derivatives */
  bool stepper_stale;       /* the point is in row_z: the stepper must be placed there first */
  int side;                 /* of singular points: sign at the start of a step, 0: unknown */
  ritt_real travelled;      /* arc length from the start, in the reported metric */
} ritti_run_point;

/* The step to be tried next. */
typedef struct ritti_step_proposal {
  ritt_real h;       /* 0: none yet */
  bool retrying;     /* a longer step from this point was rejected: the next one must not grow */
  bool truncated;    /* a fixed step is cut short */
  bool inside_step;  /* the point lies inside a fixed step */
  bool has_goal;     /* the step must not go beyond `goal` */
  ritt_real goal;    /* the place of a row that dense output could not compute */
  ritt_real fixed_h; /* length of fixed steps */
  ritt_real fixed_origin; /* where they began */
  long fixed_count;       /* how many were taken from there */
} ritti_step_proposal;

/* Memory of the step-size control: the errors of the last two accepted steps, in units of the
 * tolerance (0: unknown), and the length of the last one. */
typedef struct ritti_controller {
  double before[2];
  double h;
} ritti_controller;

/* The largest move of a coordinate by a jump that did not assign it: the constraints moved it. */
typedef struct ritti_forced_move {
  ritt_real move, s;
  int coordinate;
} ritti_forced_move;

/* What is reported of a run. */
typedef struct ritti_counters {
  long accepted, rejected, rows;
  long events, switches, slidings;     /* points of events; surfaces met; times sliding began */
  long impasses, singulars, crossings; /* points that were passed */
  ritt_real impasse_x;                 /* x of the last impasse point */
  ritt_real largest_residual;
  ritti_forced_move forced; /* move 0: none */
  ritt_special special[RITT_MOST_SPECIAL];
  int specials;
} ritti_counters;

typedef struct ritti_driver ritti_driver;

/* Functions of the caller, each may be NULL. A status other than RITT_OK ends the run. */
typedef struct ritti_callbacks {
  ritti_event_taker event;
  void *event_user;
  ritt_status (*step)(void *user, const ritti_driver *driver); /* after each accepted step */
  void *step_user;
} ritti_callbacks;

/* What a run that cruises has before it: the next row, the end. */
typedef struct ritti_horizon {
  ritt_real from, end, row, along;
} ritti_horizon;

struct ritti_driver {
  const ritti_problem *problem;
  ritti_solve_options options;
  ritti_arena *arena; /* for the problems of sliding, each made when it is first needed */
  ritt_real *work;    /* the problem's */
  ritti_manifold manifold;
  ritti_direction direction;
  ritti_stepper step;
  ritti_tableau doubled; /* the method, if errors are estimated by step doubling */
  ritti_callbacks call;

  ritti_run_point at;
  ritti_step_proposal next;
  ritti_controller control;
  ritti_counters count;
  int ended_by;            /* the event that ended the run, -1: none */
  bool fresh, jumped;      /* at the start; a jump has just put the point elsewhere */
  ritt_real length;        /* of the run */
  bool switch_method;      /* automatic: an implicit method should go on from here */
  bool needs_recompletion; /* the sign of a validity changed: the problem must be made again */

  ritti_monitor_watch monitors;
  ritti_jumper jumper;
  ritti_slide *slide, *slides; /* the surfaces it slides on, NULL: none; all that were made */
  ritti_singular_watch singular;
  ritti_crossing_watch crossing;
  ritti_fold_watch fold;
  ritti_stiffness_watch stiffness;

  bool waiting; /* for the answer to a step that was asked for, among others (step.lane): the run
                   goes on with it */
  ritti_horizon horizon; /* of a run that waits, and, */
  ritti_step_function
      *unwatched_step; /* where nothing is watched for, how it takes its steps alone; NULL: it is */
  long next_row,
      fine; /* of the run with rows: the next one, and fine points given, at the last step; */
  ritt_real last_row; /* where the last one stands, NaN: there is none */
  bool running;       /* such a run has begun, and another can go on with it */
  bool busy;          /* in a step: the state is not whole */

  int *derivative_order; /* m: order of each coordinate as a derivative, if errors are scaled;
                            else NULL */
  ritt_real *inverse_tolerance;            /* m: 1 over the tolerances at the step just taken */
  ritt_real *arc_weights;                  /* m: metric of the arc length by which a run goes */
  ritt_real *report_weights;               /* m: metric of the arc length that is reported */
  ritt_real *err, *err3, *row_z, *row_top; /* scratch: m, m, m, tops */
};

/* Would an implicit method have done better? Of so many accepted steps stability limited so many.
 */
bool ritti_stiff(long limited, long accepted);
ritt_status ritti_driver_new(const ritti_problem *problem, const ritti_solve_options *options,
                             ritti_arena *arena, ritti_driver **out) RITT_USE;
/* Puts the solver at z, a point of M, with the run's variable at s. */
ritt_status ritti_driver_start(ritti_driver *solver, ritt_real s, const ritt_real *z,
                               ritt_error *error) RITT_USE;
/* Gives the invariants that take their values from the start those that they have at z. */
void ritti_levels_take(ritti_driver *solver, const ritt_real *z);
/* Runs to `end`, giving rows on the way (the first is the start, the last exactly the end).
 * RITT_STOPPED: the numerics ended the run before; the rows up to there were given, error says why
 * and where (unless solver->invalid: then it is for the caller to make the problem anew at the
 * solver's point, or to say so). */
ritt_status ritti_driver_run(ritti_driver *solver, ritt_real end, const ritti_rows *rows,
                             ritti_row_taker taker, void *user, ritt_error *error) RITT_USE;
/* A run that waits, and whose step was answered, goes on until it waits again. false: it does not,
 * ritti_driver_run goes on with it. */
bool ritti_cruise_on(ritti_driver *solver);
/* One accepted step towards `end`, not beyond it. Otherwise as ritti_driver_run. A passage by arc
 * length in a run over x counts as one step. */
ritt_status ritti_driver_step(ritti_driver *solver, ritt_real end, ritt_error *error) RITT_USE;
/* The same, or as many as native code takes at once. */
ritt_status ritti_driver_steps(ritti_driver *solver, ritt_real end, ritt_error *error) RITT_USE;
/* Everything that later steps, rows and messages depend on, on a solver made for the same problem
 * with the same options; between steps only (!solver->busy). state.c says how to add to it.
 * RITT_WRONG_CALL on loading: the bytes are those of another solver, state->misfit says where; the
 * solver is as it was. */
ritt_status ritti_driver_state(ritti_driver *solver, ritti_state *state) RITT_USE;
/* The same for a list of special points, of RITT_MOST_SPECIAL places. */
void ritti_specials_state(ritt_special *special, int *count, ritti_state *state);
/* The point of M at s in the last step, its top jets and its direction: the same bits as a row
 * there. RITT_WRONG_CALL: s is not in it. */
ritt_status ritti_driver_dense(ritti_driver *solver, ritt_real s, ritt_real *z, ritt_real *top,
                               ritt_real *V) RITT_USE;

#endif
