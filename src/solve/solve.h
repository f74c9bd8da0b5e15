/* Solver: one moving point on a Problem. Step-size control, the driver, rows. Nothing is allocated
 * while it runs. */
#ifndef RITTI_SOLVE_H
#define RITTI_SOLVE_H

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

/* What is known of the monitors: their sides, and room to look at them along a step. */
typedef struct ritti_watch {
  int *side, *was;               /* 1 or -1; 0: at its own zero */
  bool *due;                     /* events that happen at the start */
  bool needs_tops;               /* some monitor holds top jets */
  ritt_real *value, *level, *df; /* of all; levels below which a sign says nothing; gradients */
  ritt_real *theta, *sample;     /* places along the step, and all monitors there */
  int samples;
  ritt_real *z, *top;
  ritt_real *last, *interval; /* events: when it last happened, how long after the time before */
  long *times, *shrunk;       /* how often; how often in a row faster than before */
  bool through;               /* the surface that ends the step has a pole there */
  bool at_end;                /* the step just tried ends where the run does */
  ritt_real since;            /* from where surfaces are met without getting on, */
  long met;                   /* and how often */
} ritti_watch;

/* Room for jumps. */
typedef struct ritti_jumper {
  ritt_real *f, *df, *B, *y, *L, *scratch;
  int *free, *iscratch;
} ritti_jumper;

/* The largest move of a coordinate that a jump did not assign: constraints asked for it. */
typedef struct ritti_forced_move {
  ritt_real move, s;
  int coordinate;
} ritti_forced_move;

typedef struct ritti_slide ritti_slide;

/* The watch for singular points. */
typedef struct ritti_meeting {
  ritti_singular at; /* the last one found */
  bool known;
  ritt_real *size;       /* m */
  ritt_real *curve[3];   /* m each: z + V s + K s^2/2 through the point, where it is passed */
  ritt_real *top;        /* the tops on the other side */
  ritt_real most, asked; /* largest volume so far; that of the last search */
  ritt_real volume;      /* at the point of the run */
} ritti_meeting;

/* The watch for positions where constraints lose rank, and the way through them. */
typedef struct ritti_crossings {
  ritti_crossing at;       /* at.z NULL: no mechanism, or too large a one */
  bool found, known;       /* there is one near; it can be passed, and the chart stands */
  ritt_real asked, most;   /* the least singular value at the last search; the largest so far */
  ritt_real walked;        /* path in the positions since the last look */
  ritt_real *size, *along; /* m: of a search */
  ritti_passage way;
} ritti_crossings;

/* What the control remembers: the errors of the last accepted steps, in units of the tolerance; 0:
 * none. */
typedef struct ritti_controller {
  double before[2];
  double h; /* the length of the last of them */
} ritti_controller;

/* What was seen of stiffness: steps looked at, and those that stability limited; how many of these
 * and of the others came in a row. */
typedef struct ritti_stiffness {
  long looked, limited;
  int row, others;
} ritti_stiffness;

/* What a run that cruises has before it: the next row, the end. */
typedef struct ritti_road {
  ritt_real from, end, row, along;
} ritti_road;

typedef struct ritti_solver ritti_solver;
struct ritti_solver {
  ritti_arena *arena; /* for problems that slide, made when they are first needed */
  ritti_watch watch;
  ritti_jumper jumper;
  ritti_forced_move forced;      /* move 0: none yet */
  ritti_slide *slide, *slides;   /* what it slides on now, NULL: nothing; all that were made */
  ritti_event_taker event_taker; /* set by the caller, or NULL */
  void *event_user;
  ritt_status (*after_step)(void *user,
                            const ritti_solver *solver); /* set by the caller, or NULL: looks at */
  void *after_step_user; /* every accepted step; another status than RITT_OK ends the run */
  int ended;             /* the event that ended the run, -1: none */
  bool fresh, jumped;    /* at the start; a jump has just put the point elsewhere */
  long events, switches, slidings; /* points of events; surfaces met; times it began to slide */
  ritt_real length;                /* of the run */
  const ritti_problem *problem;
  ritti_solve_options options;
  ritti_manifold manifold;
  ritti_direction direction;
  ritti_stepper step;
  ritti_tableau doubled; /* where errors are estimated by step doubling */
  ritti_controller control;
  ritti_stiffness stiff;
  int *derivative; /* m: which derivative of a variable a coordinate is, where that counts; else
                      NULL */
  ritt_real s, h;  /* the run's variable; the next step proposed, 0: none yet */
  ritt_real
      before; /* where the last step began; s where dense output has nothing but the point itself */
  const ritt_real *point,
      *point_top;         /* where the run is, or stopped: s, its coordinates and top jets */
  ritt_real begin, equal; /* constant steps: where they began, their length, and */
  long taken;             /* how many there were; */
  bool waiting;    /* for the answer to a step that was asked for, among others (step.lane): the run
                      goes on with it */
  ritti_road road; /* of a run that waits, and, */
  ritti_step_function
      *freely;      /* where nothing is watched for, how it takes its steps alone; NULL: it is */
  bool tried;       /* the next step was tried already, longer: it must not grow behind it */
  bool cut, within; /* this one is cut short; the point is within one */
  ritt_real *work;  /* the problem's */
  ritt_real *err, *err3, *row_z, *row_top, *arc;
  ritt_real *per; /* m: 1 over the tolerances at the step just taken */
  long accepted, rejected, rows;
  long next_row,
      fine; /* of the run with rows: the next one, and fine points given, at the last step; */
  ritt_real last_row; /* where the last one stands, NaN: there is none */
  bool running;       /* such a run has begun, and another can go on with it */
  bool busy;          /* in a step: the state is not whole */
  ritt_real goal;     /* the next step must not go beyond it, where */
  bool has_goal;
  int determinant; /* its sign at the start of a step, 0: not known */
  bool unplaced; /* the point stands in row_z: the stepper must be put there before the next step */
  bool turn;     /* automatic: an implicit method should go on from here */
  bool invalid;  /* a validity monitor changed its sign: the problem is to be made anew here */
  ritt_real largest_residual;
  /* dx/ds where A was looked at to see a fold coming, |A^-1 b| / |b| there (0: not known), and its
   * masses */
  ritt_real looked_at, amplified, mass;
  ritt_real best_slope; /* largest dx/ds so far, and */
  ritt_real largest_h;  /* largest step, to see a fold coming */
  long impasses;        /* impasse points passed */
  ritt_real impasse_x;  /* the last of them */
  ritti_meeting meet;
  long singulars; /* singular points passed */
  ritti_crossings cross;
  long crossings;      /* of branches of the constraints, passed */
  ritt_real *metric;   /* m: weights of the arc length that is reported */
  ritt_real travelled; /* that length, from the start */
  ritt_special special[RITT_MOST_SPECIAL];
  int specials;
};

/* Would an implicit method have done better? Of so many accepted steps stability limited so many.
 */
bool ritti_stiff(long limited, long accepted);
ritt_status ritti_solver_new(const ritti_problem *problem, const ritti_solve_options *options,
                             ritti_arena *arena, ritti_solver **out) RITT_USE;
/* Puts the solver at z, a point of M, with the run's variable at s. */
ritt_status ritti_solver_start(ritti_solver *solver, ritt_real s, const ritt_real *z,
                               ritt_error *error) RITT_USE;
/* Gives the invariants that take their values from the start those that they have at z. */
void ritti_levels_take(ritti_solver *solver, const ritt_real *z);
/* Runs to `end`, giving rows on the way (the first is the start, the last exactly the end).
 * RITT_STOPPED: the numerics ended the run before; the rows up to there were given, error says why
 * and where (unless solver->invalid: then it is for the caller to make the problem anew at the
 * solver's point, or to say so). */
ritt_status ritti_solver_run(ritti_solver *solver, ritt_real end, const ritti_rows *rows,
                             ritti_row_taker taker, void *user, ritt_error *error) RITT_USE;
/* A run that waits, and whose step was answered, goes on until it waits again. false: it does not,
 * ritti_solver_run goes on with it. */
bool ritti_cruise_on(ritti_solver *solver);
/* One accepted step towards `end`, not beyond it. Otherwise as ritti_solver_run. A passage by arc
 * length in a run over x counts as one step. */
ritt_status ritti_solver_step(ritti_solver *solver, ritt_real end, ritt_error *error) RITT_USE;
/* The same, or as many as native code takes at once. */
ritt_status ritti_solver_steps(ritti_solver *solver, ritt_real end, ritt_error *error) RITT_USE;
/* Everything that later steps, rows and messages depend on, on a solver made for the same problem
 * with the same options; between steps only (!solver->busy). state.c says how to add to it.
 * RITT_WRONG_CALL on loading: the bytes are those of another solver, state->misfit says where; the
 * solver is as it was. */
ritt_status ritti_solver_state(ritti_solver *solver, ritti_state *state) RITT_USE;
/* The same for a list of special points, of RITT_MOST_SPECIAL places. */
void ritti_specials_state(ritt_special *special, int *count, ritti_state *state);
/* The point of M at s in the last step, its top jets and its direction: the same bits as a row
 * there. RITT_WRONG_CALL: s is not in it. */
ritt_status ritti_solver_dense(ritti_solver *solver, ritt_real s, ritt_real *z, ritt_real *top,
                               ritt_real *V) RITT_USE;

#endif
