/* The driver of a run: one moving point on a Problem. It is a state machine that decides which step
 * is tried next, whether a step is accepted, and what happens at its end; the stages of the step are
 * computed by method/, or by native code for several drivers at once. Nothing is allocated while it
 * runs. */
#ifndef RITTI_DRIVER_H
#define RITTI_DRIVER_H

#include "geometry/passage.h"
#include "geometry/singular.h"
#include "step/tangent.h"

/* How the next step follows from the errors of the last ones: X(id, word in the language). DOUBLING
 * is EMBEDDED with errors estimated by step doubling for every method. */
#define RITTI_CONTROLS(X)                                                                          \
  X(EMBEDDED, "embedded")                                                                          \
  X(PAPERS, "papers") X(DOUBLING, "doubling") X(PI, "pi") X(PID, "pid") X(PREDICTIVE, "predictive")
typedef enum ritti_control {
#define X(id, word) RITTI_CONTROL_##id,
  RITTI_CONTROLS(X)
#undef X
} ritti_control;

/* The options of a run that are plain values: X(form, type, member, what a state says if it has
 * changed). From this list come the members, what `ritt emit` writes and what a state compares.
 * Forms: WHOLE, REAL, COUNT. */
#define RITTI_SOLVE_OPTIONS(X)                                                                     \
  X(WHOLE, bool, by_arc, "the variable of the run") /* arc length; else x */                       \
  X(WHOLE, bool, project_stages, "a setting of the run")                                           \
  X(WHOLE, ritti_algebra, linear, "a setting of the run") /* how linear systems are solved */      \
  X(WHOLE, ritti_projection, projection, "a setting of the run")                                   \
  X(WHOLE, bool, predict, "a setting of the run") /* projections begin at the predictor */         \
  X(WHOLE, ritti_direct, direction, "a setting of the run")                                        \
  X(WHOLE, bool, through, "a setting of the run") /* pass singular points; else stop there */      \
  X(WHOLE, bool, leap, "a setting of the run")    /* jump at folds; else stop there */             \
  X(WHOLE, bool, hold, "a setting of the run") /* stop where branches of the constraints cross */  \
  X(WHOLE, bool, weighted, "a setting of the run") /* metric: sizes of the coordinates */          \
  X(WHOLE, ritti_control, control, "the control of steps")                                         \
  X(WHOLE, bool, doubled, "the control of steps") /* errors by step doubling */                    \
  X(WHOLE, bool, scaled, "a setting of the run")  /* k-th derivatives count times h^k */           \
  X(WHOLE, ritti_strong_newton, newton, "a setting of the run") /* for stages, stiff potential */  \
  X(REAL, ritt_real, fac, "the control of steps") /* 0, also facmin, facmax: the usual ones */     \
  X(REAL, ritt_real, facmin, "the control of steps")                                               \
  X(REAL, ritt_real, facmax, "the control of steps")                                               \
  X(REAL, ritt_real, first_step, "the first step")         /* 0: chosen */                         \
  X(REAL, ritt_real, max_step, "the largest step")         /* 0: no limit */                       \
  X(REAL, ritt_real, constant_step, "the constant step")   /* 0: adaptive steps */                 \
  X(COUNT, long, max_steps, "the largest number of steps") /* 0: no limit */

/* After so many changes of the method a run stays with the last one. */
enum { RITTI_MOST_METHOD_CHANGES = 21 };

typedef struct ritti_solve_options {
  const ritti_tableau *tableau;
  bool automatic; /* a stiff run stops with RITTI_NEED_IMPLICIT */
#define X(form, type, member, what) type member;
  RITTI_SOLVE_OPTIONS(X)
#undef X
  /* m each: the error of a step is the RMS of err_i/(relative_i |z_i| + absolute_i); absolute_i 0: it
   * follows the size of the coordinate, -1: errors of the coordinate do not count */
  const ritt_real *relative, *absolute;
  const ritt_real *scale; /* m: declared typical sizes, 0: none; NULL: none at all */
  /* tops each, implicit kind: the same for unknowns that are solved for, relative to their largest
   * values; RITTI_UNCONTROLLED, and NULL for all: their errors do not count */
  const ritt_real *top_relative, *top_absolute;
} ritti_solve_options;

/* Gets a row: the run's variable s (x or arc length), the point, its highest derivatives. A status
 * other than RITT_OK ends the run. */
typedef ritt_status (*ritti_row_taker)(void *user, ritt_real s, const ritt_real *z,
                                       const ritt_real *top);

/* Where the caller wants rows. If points, step and at are all unset: at accepted steps. */
typedef struct ritti_rows {
  long points;          /* number of equidistant rows, both ends included; 0: unset */
  ritt_real step;       /* distance of rows from the start on, and the end; 0: unset */
  const ritt_real *at;  /* values, ascending along the run; NULL: unset */
  long count;           /* number of values in `at` */
  long every;           /* rows at accepted steps: only every n-th, and the end; 0: all */
  ritti_row_taker fine; /* gets all steps and points between them, for pictures; or NULL */
  ritt_real spacing;    /* largest distance of two fine points */
} ritti_rows;

/* Gets the point of an event: before, and after the jump (NULL: no jump). */
typedef ritt_status (*ritti_event_taker)(void *user, int event, ritt_real s, const ritt_real *z,
                                         const ritt_real *top, const ritt_real *after);

/* ---- watchers: each has a struct of its own ---- */

/* Events, switching surfaces and validities: the sides of their functions (monitors), and room to
 * sample them along a step. */
typedef struct ritti_monitor_watch {
  int *side, *was;       /* of each monitor: 1 or -1, 0 at its own zero; before this step */
  bool *due;             /* events that happen at the start */
  bool needs_tops;       /* some monitor depends on highest derivatives */
  bool all_straight;     /* the gradients of all monitors are constant */
  bool gradients_known;  /* then: they have been evaluated */
  ritt_real *value, *df; /* all monitors at a point, and their gradients */
  ritt_real *from, *to;  /* all monitors at both ends of the step just tried */
  ritt_real
      *radius; /* of sums of squares: the value below which the tolerance does not tell it from 0 */
  ritt_real *level;          /* below this level the sign of a monitor is rounding */
  ritt_real *theta, *sample; /* sampled fractions of the step, and all monitors at each of them */
  int samples;
  ritt_real *cosine;          /* of ritti_fill_cosines */
  ritt_real *z, *top;         /* scratch point */
  ritt_real *last, *interval; /* of each event: last occurrence; time since the one before it */
  long *times, *shrunk;       /* of each event: occurrences; intervals in a row that shrank */
  ritt_real *
      *push;    /* of each event: direction of its jumps where the run rests at its zero, or NULL */
  bool through; /* the surface that ends the step has a pole there */
  bool at_end;  /* the step just tried ends at the end of the run */
  ritt_real since;   /* where a surface was met last */
  long met;          /* number of surfaces met in a row without progress */
  ritt_real longest; /* longest step so far that met the tolerance */
  int unchecked;     /* number of points at which invariants are still to be checked on this side */
  int entered;       /* the surface met last, -1: none */
  ritt_real *top_size; /* largest highest derivatives so far */
  ritt_real largest; /* largest coordinate so far, in units of its absolute / relative tolerance */
} ritti_monitor_watch;

/* Scratch memory for impulses. */
typedef struct ritti_impulse {
  ritt_real *C, *after; /* the law of impulses, before and behind one */
  ritt_real *y;         /* of each variable: its part of the impulse */
  bool *fixed;          /* of each variable: equations say that it has none */
  int *variable;        /* m: the variable whose velocity a coordinate is, -1: none */
  int *column;          /* of each variable: its column in the system and 1; 0: none */
  int *equation; /* 1: takes part; 0: not; -1: left out, since an impulse from outside acts on it */
  bool *row;     /* k: the row of f takes part */
  int *follower; /* m: the column, and 1, of an unknown that follows from others; 0: none */
  ritt_real *z, *top, *value;
  ritt_real *B, *right, *x, *other, *size,
      *scratch; /* the dense system, as large as was needed yet */
  int *iscratch;
  size_t cells, lines, scratches;
} ritti_impulse;

/* Scratch memory for jumps. */
typedef struct ritti_jumper {
  ritt_real *f, *df, *B, *y, *size, *scratch;
  int *free, *iscratch;
  bool *kept; /* m: coordinates that stay in a part of a jump; NULL: nothing jumps */
  bool *rows; /* k: rows of f that a part of a jump satisfies */
  ritti_impulse impulse;
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

/* Rows that were chosen among dependent ones: how independent they are. */
typedef struct ritti_choice_watch {
  bool on, asked; /* asked: the driver needs a completion because the rows have become poor */
  /* how independent they were at the first step; 0: not known yet; -1: not to be watched */
  ritt_real first;
  ritti_qr qr;
  ritt_real *f, *df, *scratch;
} ritti_choice_watch;

/* Folds: dx/ds tends to 0 and the steps become short. */
typedef struct ritti_fold_watch {
  ritt_real best_slope;    /* largest dx/ds so far */
  ritt_real largest_h;     /* longest step so far */
  ritt_real checked_slope; /* dx/ds where A was last examined */
  ritt_real amplification; /* |A^-1 b| / |b| there; 0: unknown */
  ritt_real mass;          /* a number that identifies the constant part of A there */
  ritt_real max_volume;    /* implicit kind: largest log2 |det T_w| of its linear blocks */
  long lost;               /* implicit kind: steps without a solution for the tops, lately */
  long lost_at;            /* accepted steps before the last of them */
  /* general kind: the run came from the implicit kind, and returns to it when T_w is regular again */
  bool may_return;
  ritt_real
      growth; /* then: growth of what follows from the states where it came; 0: not known yet */
} ritti_fold_watch;

/* Implicit kind: places where T_w is singular and the solution may go on along another branch. */
enum { RITTI_BRANCH_POINTS = 5 };

typedef struct ritti_branch_watch {
  int blocks;               /* nonlinear ones; 0: nothing to watch */
  int known;                /* 0: nothing, 1: volumes at the run's point, 2: also those before */
  ritt_real h;              /* the step between both */
  ritt_real *before, *here; /* blocks: log2 |det T_w| */
  ritt_real *next;          /* at the end of the step just tried */
  /* of a search along this step: fractions, tops and volumes of some points */
  ritt_real theta[RITTI_BRANCH_POINTS];
  ritt_real *top[RITTI_BRANCH_POINTS], *volume[RITTI_BRANCH_POINTS];
} ritti_branch_watch;

/* A passage by arc length in a run over x: while it is active the run's variable `at.s` is the arc
 * length from where it began. */
typedef struct ritti_arc_passage {
  bool active;
  ritt_real along;  /* sense of the run in x: 1 or -1 */
  ritt_real last_x; /* the last x that was different from the one before */
  int standing;     /* steps since then */
} ritti_arc_passage;

/* Sizes of the coordinates, from which default absolute tolerances follow (sizes.c). */
typedef struct ritti_size_watch {
  bool follow; /* some absolute tolerance follows the size of its coordinate */
  bool noisy;  /* sizes were raised because of rounding errors: they do not shrink any more */
  ritt_real *absolute; /* m: the absolute tolerances in use */
  /* m: the same for errors of steps: RITTI_UNCONTROLLED for coordinates without error control */
  ritt_real *allowed;
  ritt_real *largest; /* m: the largest |z_i| at the start and the ends of steps */
  ritt_real *settled; /* m: `largest` at the last look */
  long next_look;     /* accepted steps at which sizes may shrink next */
  long failures;      /* steps in a row that could not be taken */
  ritt_real rejected_h, rejected_square; /* length and error of the step just rejected; 0: none */
} ritti_size_watch;

/* Stiffness: steps that were examined, and those that stability limited. */
typedef struct ritti_stiffness_watch {
  long looked, limited;
  /* limited steps in a row (of an implicit method: steps that an explicit one could take); other
   * steps since the last limited one; steps in a row over which V changes slowly */
  int row, others, smooth;
} ritti_stiffness_watch;

/* ---- the driver ---- */

/* Where the run is. */
typedef struct ritti_run_point {
  ritt_real s;          /* the run's variable */
  ritt_real step_start; /* where the last step began; s: dense output has only the point itself */
  const ritt_real *z, *top; /* coordinates and highest derivatives */
  bool stepper_stale;       /* the point is in row_z: the stepper must be placed there first */
  bool fresh;               /* at the start: its events have not happened yet */
  bool jumped;              /* a jump has just put the point elsewhere */
  /* the event whose jump gave the equations their form here, or the number of events if a driver
   * before this one has seen them; -1: none */
  int fired;
  int side;            /* of singular points: sign at the start of a step, 0: unknown */
  ritt_real travelled; /* arc length from the start, in the reported metric */
} ritti_run_point;

/* The step to be tried next. */
typedef struct ritti_step_proposal {
  ritt_real h;     /* 0: none yet */
  ritt_real s_new; /* where the step that was asked for ends */
  ritt_real end;   /* steps end here at the latest */
  /* length of the run in its variable: steps that vanish against it are too short */
  ritt_real span;
  ritt_real wanted;  /* h before the step was fitted to the end, or to a goal */
  bool retrying;     /* a longer step from this point was rejected: the next one must not grow */
  bool keep_damping; /* steps may be as long as the damping of vibrations takes */
  bool raised;       /* this step was made that long */
  bool truncated;    /* a fixed step is cut short */
  bool inside_step;  /* the point lies inside a fixed step */
  bool has_goal;     /* the step must not go beyond `goal` */
  ritt_real goal;    /* the place of a row that dense output could not compute */
  ritt_real fixed_h; /* length of fixed steps */
  ritt_real fixed_origin; /* where they began */
  long fixed_count;       /* how many were taken from there */
} ritti_step_proposal;

/* The rows of a run: what the caller wants, and how far they have come. */
typedef struct ritti_row_plan {
  ritti_rows rows;
  ritti_row_taker taker; /* NULL: rows are not written */
  void *user;            /* of taker and rows.fine */
  ritt_real from, end;
  long next;         /* number of the next row; 0 is the start */
  ritt_real last;    /* where the last row stands; NaN: there is none */
  ritt_real along;   /* sense of the run: 1 or -1 */
  ritt_real horizon; /* steps that end before it have no rows */
  long fine;         /* fine points written */
  bool one_step;     /* the run is one step towards the end */
  bool resumable;    /* a run with rows has begun, and can be continued */
} ritti_row_plan;

/* Memory of the step-size control: the errors of the last two accepted steps, in units of the
 * tolerance (0: unknown), and the length of the last one. */
typedef struct ritti_controller {
  double before[2];
  double h;
} ritti_controller;

/* The exponent of its laws for a method. */
typedef struct ritti_control_law {
  const ritti_tableau *tableau;
  double exponent;
} ritti_control_law;

/* The largest move of a coordinate by a jump that did not assign it: the constraints moved it. */
typedef struct ritti_forced_move {
  ritt_real move, s;
  int coordinate;
} ritti_forced_move;

/* Implicit kind: sizes and errors of the unknowns that are solved for, of each top. NULL: other kinds. */
typedef struct ritti_top_watch {
  ritt_real *size;                  /* largest value so far; -1: the top belongs to V */
  ritt_real *error, *largest_error; /* estimates: of the last step, over all accepted ones */
  ritt_real *noise;                 /* errors up to this size are rounding */
  long rejections;                  /* steps in a row that were rejected for these errors */
} ritti_top_watch;

/* What is reported of a run. */
typedef struct ritti_counters {
  long accepted, rejected, rows;
  long events, switches, slidings;     /* points of events; surfaces met; times sliding began */
  long rests;                          /* times the run came to rest at the zero of an event */
  int rest_event;                      /* the last of these events */
  ritt_real rest_s;                    /* where that was */
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

/* Where a run stands in the sequence of decisions. */
typedef enum ritti_phase {
  RITTI_PHASE_START, /* the first row is due */
  RITTI_PHASE_AIM,   /* the first step towards the end is to be found */
  RITTI_PHASE_READY, /* between two steps */
  RITTI_PHASE_LOOK,  /* watchers are to be asked before a step is tried */
  RITTI_PHASE_TRY,   /* a step is to be proposed */
  RITTI_PHASE_STEP,  /* a step was proposed: its result is awaited */
  RITTI_PHASE_BUSY   /* inside a decision: the state is not whole */
} ritti_phase;

/* The kind that a system is to be completed to again. */
typedef enum ritti_renewal {
  RITTI_RENEW_SAME,     /* as before */
  RITTI_LEAVE_IMPLICIT, /* any but the implicit kind */
  RITTI_RETURN_IMPLICIT /* the implicit kind again */
} ritti_renewal;

/* What a driver needs next from its caller. */
typedef enum ritti_need {
  RITTI_NEED_STEP, /* the proposed step: ritti_driver_take, or the job and its answer */
  /* the system changes its form at the point: complete it there, and let another driver continue */
  RITTI_NEED_COMPLETION,
  RITTI_NEED_IMPLICIT, /* the system is stiff: let a driver with an implicit method continue */
  RITTI_NEED_EXPLICIT, /* it is stiff no longer: let a driver with an explicit method continue */
  RITTI_NEED_NOTHING,  /* the run is over */
  RITTI_NEED_FAILED /* it ended with driver->status; if the numerics ended it (RITT_STOPPED) there
                            is a message */
} ritti_need;

struct ritti_driver {
  const ritti_problem *problem;
  ritti_solve_options options;
  ritti_arena *arena; /* for the problems of sliding, each made when it is first needed */
  ritt_real *work;    /* the problem's */
  ritti_manifold manifold;
  ritti_direction direction;
  ritti_stepper step;
  ritti_tangents *tangents; /* derivatives of the solution that go along; NULL: none */
  ritti_tableau doubled;    /* the method, if errors are estimated by step doubling */
  ritti_callbacks call;
  bool adaptive; /* steps follow from errors; else they are fixed */
  ritti_top_watch tops;

  ritti_run_point at;
  ritti_step_proposal next;
  ritti_controller control;
  ritti_control_law law;
  ritti_counters count;
  ritti_row_plan plan;
  ritti_phase phase;
  ritti_need need;       /* RITTI_NEED_STEP until the run ends */
  ritt_status status;    /* of RITTI_NEED_FAILED */
  ritt_error *error;     /* gets the messages; or NULL */
  int ended_by;          /* the event that ended the run, -1: none */
  ritti_renewal renewal; /* of RITTI_NEED_COMPLETION */
  int renewed_by;        /* the event after which the system is to be completed again, -1: none */
  ritt_real length;      /* longest distance of an end of a run */

  ritti_size_watch sizes;
  bool watched; /* some watcher below must be asked at every step */
  ritti_monitor_watch monitors;
  ritti_jumper jumper;
  ritti_slide *slide, *slides; /* the surfaces it slides on, NULL: none; all that were made */
  ritti_singular_watch singular;
  ritti_crossing_watch crossing;
  ritti_choice_watch choice;
  ritti_fold_watch fold;
  ritti_branch_watch branch;
  ritti_arc_passage passage;
  ritti_stiffness_watch stiffness;

  /* m: order of each coordinate as a derivative, if errors are scaled; else NULL */
  int *derivative_order;
  ritt_real *inverse_tolerance;            /* m: 1 over the tolerances at the step just taken */
  ritt_real *arc_weights;                  /* m: metric of the arc length by which a run goes */
  ritt_real *report_weights;               /* m: metric of the arc length that is reported */
  ritt_real *err, *err3, *row_z, *row_top; /* scratch: m, m, m, tops */
};

/* Did stability limit enough of the accepted steps that an implicit method would be faster? */
bool ritti_stiff(long limited, long accepted);
ritt_status ritti_driver_new(const ritti_problem *problem, const ritti_solve_options *options,
                             ritti_arena *arena, ritti_driver **out) RITT_USE;
/* Puts the driver at z, a point of M, with the run's variable at s. */
ritt_status ritti_driver_start(ritti_driver *driver, ritt_real s, const ritt_real *z,
                               ritt_error *error) RITT_USE;
/* Gives coordinate i the size that coordinate j of another driver has. */
void ritti_sizes_copy(ritti_driver *driver, int i, const ritti_driver *from, int j);
/* Has coordinate i, which is not 0, stayed below its absolute tolerance? */
bool ritti_stays_below(const ritti_driver *driver, int i);
/* Gives invariants that take their values from the start the values that they have at z. */
void ritti_levels_take(ritti_driver *driver, const ritt_real *z);

/* A run: ritti_driver_begin (or _resume, or _follow), then, as long as ritti_driver_next says
 * RITTI_NEED_STEP, ritti_driver_take. Several drivers are run together by taking the job of each,
 * running all jobs at once, and answering. */

/* Begins a run to `end`. Its first row is the point, its last one exactly the end. rows NULL: a run
 * without rows. */
void ritti_driver_begin(ritti_driver *driver, ritt_real end, const ritti_rows *rows,
                        ritti_row_taker taker, void *user, ritt_error *error);
/* Continues the run with rows of a driver whose state was loaded, or which its caller ended after a
 * step. */
void ritti_driver_resume(ritti_driver *driver, ritt_real end, const ritti_rows *rows,
                         ritti_row_taker taker, void *user, ritt_error *error);
/* Continues the run of another driver, at whose point this one stands. */
void ritti_driver_follow(ritti_driver *driver, const ritti_driver *before);
/* This driver continues the run of `before` at the same point, of which the same events are known: none
 * happens twice. */
void ritti_driver_keep_events(ritti_driver *driver, const ritti_driver *before);
/* No other rows can be chosen at the point: the driver keeps those that it has. */
void ritti_choice_keep(ritti_driver *driver);
/* The event of `before` changes the form of the equations, which this driver has: puts it at the point
 * after the jump. z: what the jump leaves, in coordinates of this driver; its constraints are not
 * satisfied yet. */
ritt_status ritti_driver_land(ritti_driver *driver, const ritti_driver *before, const ritt_real *z,
                              ritt_error *error) RITT_USE;
ritti_need ritti_driver_next(ritti_driver *driver);
/* Takes the step that is needed and decides on it. */
void ritti_driver_take(ritti_driver *driver);
/* The step that is needed as a job for a kernel; NULL: only ritti_driver_take can take it. */
ritti_step_job *ritti_driver_job(ritti_driver *driver);
/* Decides on the step of a job that was run; not `done`: the kernel gave it back, it is taken now. */
void ritti_driver_answer(ritti_driver *driver, bool done);
/* Says that derivatives of the solution, which go along with the steps, cannot pass the point; returns
 * RITT_STOPPED. */
ritt_status ritti_stop_derivatives(ritti_driver *driver, bool stiff);
/* Says why the last step could not be taken; returns RITT_STOPPED. */
ritt_status ritti_driver_explain(ritti_driver *driver, ritt_error *error);

/* A whole run, or one accepted step towards `end` (a passage by arc length in a run over x counts as
 * one step), for callers without a loop of their own. RITT_STOPPED: the numerics ended the run; error
 * has the reason and the place, unless driver->need is COMPLETION, IMPLICIT or EXPLICIT. */
ritt_status ritti_driver_run(ritti_driver *driver, ritt_real end, const ritti_rows *rows,
                             ritti_row_taker taker, void *user, ritt_error *error) RITT_USE;
ritt_status ritti_driver_step(ritti_driver *driver, ritt_real end, ritt_error *error) RITT_USE;

/* The inputs, which are parameters in `work`, have changed between two steps: the point is made
 * consistent again, events happen if their functions change sign, and the next step is a first
 * one. */
ritt_status ritti_driver_take_inputs(ritti_driver *driver, ritt_error *error) RITT_USE;

/* The run's variable; during a passage by arc length in a run over x: x. */
ritt_real ritti_driver_place(const ritti_driver *driver);
/* Saves or loads everything that later steps, rows and messages depend on, for a driver of the same
 * problem with the same options; not in RITTI_PHASE_BUSY. state.c says how to add to it.
 * RITT_WRONG_CALL on loading: the bytes belong to another driver, state->misfit says where they
 * differ; the driver is unchanged. */
ritt_status ritti_driver_state(ritti_driver *driver, ritti_state *state) RITT_USE;
/* Saves or loads a list of RITT_MOST_SPECIAL special points. */
void ritti_specials_state(ritt_special *special, int *count, ritti_state *state);
/* The point of M at s in the last step, its highest derivatives and its direction: the same bits as
 * a row there. RITT_WRONG_CALL: s is not in it. */
ritt_status ritti_driver_dense(ritti_driver *driver, ritt_real s, ritt_real *z, ritt_real *top,
                               ritt_real *V) RITT_USE;

#endif
