/* Private to src/solve. */
#ifndef RITTI_DRIVER_IMPL_H
#define RITTI_DRIVER_IMPL_H

#include "solve/roots.h"
#include "solve/driver.h"

/* norm.c */
ritt_status ritti_norm_init(ritti_driver *solver, ritti_arena *arena) RITT_USE;
/* The tolerance of coordinate i where its value is z. */
ritt_real ritti_control_scale(const ritti_driver *solver, int i, ritt_real z);
/* The root mean square of v_i in units of the tolerance at z. */
ritt_real ritti_tolerance_norm(const ritti_driver *solver, const ritt_real *v, const ritt_real *z);
/* The mean square of the error of the step just taken, in units of the tolerance. RITT_RETRY: it
 * cannot be told. */
ritt_status ritti_step_square(ritti_driver *solver, ritt_real *square) RITT_USE;
/* The same of a step of which the mean squares are known: of two estimates, 0: there is none, and
 * of the move by the projection. */
ritt_real ritti_seen_square(const ritti_driver *solver, const ritti_step_norms *seen);
void ritti_control_metric(ritti_driver *solver); /* the metric for the next step */

/* control.c */
ritt_real ritti_control_factor(const ritti_driver *solver, ritt_real square); /* h_new / h */
void ritti_control_accept(ritti_driver *solver, ritt_real square);            /* remembers it */
void ritti_control_forget(ritti_driver *solver); /* the next step is a first one */
ritt_status ritti_control_first_step(ritti_driver *solver, ritt_real length, ritt_real *h) RITT_USE;

/* stiffness.c */
void ritti_stiffness_look(ritti_driver *solver); /* right after a step that will be accepted */
bool ritti_stiffness_turn(const ritti_driver *solver); /* is it time for an implicit method? */

/* events.c */
#define RITTI_UNSEEN                                                                               \
  (ritt_real)1e-3 /* this part of a level has no consequences that the tolerance would show */
enum { RITTI_MOST_ZEROS = 64 };
typedef struct ritti_zero {
  int monitor, sense;
  ritt_real theta;
  bool through, last; /* as of ritti_root */
} ritti_zero;
typedef struct ritti_zeros {
  ritti_zero zero[RITTI_MOST_ZEROS]; /* in order; the last one may end the step */
  int count;
  int cut; /* the monitor that ends the step, -1: none */
} ritti_zeros;
ritt_status ritti_monitors_init(ritti_monitor_watch *watch, const ritti_problem *problem,
                                ritti_arena *arena) RITT_USE;
ritt_status ritti_monitors_levels(ritti_driver *solver, const ritt_real *z,
                                  const ritt_real *top) RITT_USE;
ritt_real ritti_monitors_rate(const ritti_driver *solver, int monitor, const ritt_real *V);
/* The zeros in the step just tried; where one ends it the step is taken again up to there, to
 * *s_new. */
ritt_status ritti_events_find(ritti_driver *solver, ritt_real *s_new, ritti_zeros *found) RITT_USE;
ritt_status ritti_events_record(ritti_driver *solver, const ritti_zeros *found,
                                ritt_real h_tried) RITT_USE;
ritt_status ritti_event_act(ritti_driver *solver, int monitor, ritt_error *error) RITT_USE;
ritt_status ritti_events_begin(ritti_driver *solver, ritt_real along, ritt_error *error) RITT_USE;

/* jump.c */
ritt_status ritti_jumper_init(ritti_jumper *jumper, const ritti_problem *problem,
                              ritti_arena *arena) RITT_USE;
ritt_status ritti_jump(ritti_driver *solver, int event, ritt_real *z, ritt_error *error) RITT_USE;

/* slide.c */
bool ritti_slides(const ritti_driver *solver, int surface);
ritt_status ritti_surface_met(ritti_driver *solver, int surface, ritt_error *error) RITT_USE;
ritt_status ritti_sides_first(ritti_driver *solver) RITT_USE;
ritt_status ritti_sides_settle(ritti_driver *solver, ritt_real along, ritt_error *error) RITT_USE;
ritt_status
ritti_slide_prepare(ritti_driver *solver) RITT_USE; /* makes one that slides on all surfaces */
bool ritti_slide_leaves(ritti_driver *solver);
ritt_status ritti_slide_cut(ritti_driver *solver, ritt_real *s_new) RITT_USE;
ritt_status ritti_slide_leave(ritti_driver *solver, ritt_error *error) RITT_USE;
/* Also says on which problem it goes on. */
ritt_status ritti_slide_state(ritti_driver *solver, ritti_state *state,
                              const ritti_problem **on) RITT_USE;

/* rows.c */
typedef struct ritti_row_plan {
  const ritti_rows *rows;
  ritt_real from, end;
  long next;      /* number of the next row; 0 is the start */
  ritt_real last; /* where the last row stands; NaN: there is none yet */
  ritti_row_taker taker;
  void *user;
  long fine; /* fine points given */
} ritti_row_plan;
void ritti_note_residual(ritti_driver *solver, const ritt_real *z);
void ritti_note_step_residual(ritti_driver *solver); /* at the end of the step just taken */
bool ritti_row_every_step(
    const ritti_row_plan *plan);                 /* rows are accepted steps, or some of them */
bool ritti_row_left(const ritti_row_plan *plan); /* there are rows to come */
ritt_real ritti_row_place(const ritti_row_plan *plan, long i);
ritt_status ritti_row_give(ritti_driver *solver, ritti_row_plan *plan, ritt_real s,
                           const ritt_real *z, const ritt_real *top) RITT_USE;
/* The same for the end of an accepted step, if it is its turn. */
ritt_status ritti_row_give_step(ritti_driver *solver, ritti_row_plan *plan, ritt_real s,
                                const ritt_real *z, const ritt_real *top) RITT_USE;
/* The fine points of the step just taken, which is `length` long, up to its fraction `until`, that
 * one included. */
ritt_status ritti_fine_points(ritti_driver *solver, ritti_row_plan *plan, ritt_real length,
                              ritt_real until) RITT_USE;
ritt_status ritti_rows_of_step(ritti_driver *solver, ritti_row_plan *plan, ritt_real s_new,
                               ritt_real until) RITT_USE;

/* solver.c: the stepper at another point; one accepted step of the run's variable towards `end` */
ritt_status ritti_place_anew(ritti_driver *solver, const ritt_real *z) RITT_USE;
ritt_status ritti_next_step(ritti_driver *solver, ritt_real from, ritt_real end, ritt_real *s_new,
                            ritt_error *error) RITT_USE;
bool ritti_too_small(const ritti_driver *solver, ritt_real h, ritt_real length);
/* Is there anything to look for on the way: events, singular points, folds, crossings? */
bool ritti_is_watched(const ritti_driver *solver);
/* Before a step: is something near that is passed in another way, or stopped at? *done: it was. */
ritt_status ritti_look_ahead(ritti_driver *solver, ritti_row_plan *plan, bool *done,
                             ritt_error *error) RITT_USE;
/* What was met in the step just tried. */
typedef struct ritti_step_outcome {
  ritti_zeros zeros;
  int sign;        /* the side of singular points where it ends */
  bool leaves;     /* the run stops sliding there */
  bool again;      /* the step is to be taken again, shorter */
  bool done;       /* it was passed by arc length instead */
  ritt_real tried; /* the length of the step before an event cut it */
} ritti_step_outcome;
/* After a step, before it is accepted; events may cut it to *s_new. */
ritt_status ritti_look_at_step(ritti_driver *solver, ritti_row_plan *plan, ritt_real *s_new,
                               ritti_step_outcome *met, ritt_error *error) RITT_USE;
/* The step just taken becomes the point. */
void ritti_accept(ritti_driver *solver, ritt_real s_new, int sign);

/* cruise.c: steps as long as nothing is asked for but their ends. *looked: it has been looked ahead
 * from where they end; *done: something was passed there. */
ritt_status ritti_cruise(ritti_driver *solver, ritti_row_plan *plan, bool *looked, bool *done,
                         ritt_error *error) RITT_USE;

/* fold.c: where dx/ds tends to 0 a run over x goes by arc length for a while */
bool ritti_fold_near(ritti_driver *solver);
ritt_status ritti_fold_return(ritti_driver *solver) RITT_USE;
/* *cut: the monitor at whose zero it ended, where something must happen before the run goes on; -1:
 * none */
ritt_status ritti_fold_pass(ritti_driver *solver, ritti_row_plan *plan, int *cut,
                            ritt_error *error) RITT_USE;

/* singular.c: singular points are located, and stopped at or passed */
ritt_status ritti_singular_watch_init(ritti_driver *solver, ritti_arena *arena) RITT_USE;
/* After a step, or at a start: which side of the singular points is it? 0: not known. */
int ritti_singular_watch_side(ritti_driver *solver, const ritt_real *z, const ritt_real *V);
/* The volumes of runs over x and over arc length are not comparable. */
void ritti_singular_watch_forget(ritti_driver *solver);
/* Is the run so near a singular point that its tolerance does not decide where it goes? */
bool ritti_singular_watch_near(ritti_driver *solver);
/* There: RITT_OK where it was passed. */
ritt_status ritti_singular_watch_go(ritti_driver *solver, ritti_row_plan *plan,
                                    ritt_error *error) RITT_USE;
/* Has the step just taken, which ends on the side `sign`, gone over a singular point? */
bool ritti_singular_watch_crossed(const ritti_driver *solver, int sign);
/* It has: what it is, and the last place before it. The step may be accepted where it says
 * `passed`. NULL: it has gone over a fold, and is to be taken again by arc length. */
const ritt_special *ritti_singular_watch_cross(ritti_driver *solver, ritt_real s_new,
                                               ritt_real *before);
/* Ends the run there, with the rows up to it. */
ritt_status ritti_singular_watch_stop_before(ritti_driver *solver, ritti_row_plan *plan,
                                             ritt_real s_new, ritt_real before,
                                             const ritt_special *special, ritt_error *error);
/* Ends the run at the point found last. */
ritt_status ritti_singular_watch_stop(ritti_driver *solver, ritt_error *error);
/* How near is too near, in units of the sizes? */
ritt_real ritti_singular_watch_limit(ritti_driver *solver, const ritt_real *z);
/* The size of a coordinate: of its value here, or what the tolerances call small. */
ritt_real ritti_size_of(const ritti_driver *solver, int i);
/* A singular point within `distance` of z (in units of the sizes)? */
bool ritti_singular_within(ritti_driver *solver, const ritt_real *z, ritt_real distance);

/* crossing.c: positions where constraints lose rank */
ritt_status ritti_crossing_watch_init(ritti_driver *solver, ritti_arena *arena) RITT_USE;
/* Is the run on a branch near a crossing, on a problem of its own? */
bool ritti_crossing_on(const ritti_driver *solver);
/* Before a step: onto the branch, or off it, where it is time; the next step may become shorter. */
ritt_status ritti_crossing_turn(ritti_driver *solver) RITT_USE;
/* Off it, whatever comes next. */
ritt_status ritti_crossing_drop(ritti_driver *solver) RITT_USE;
/* After a step, before it is accepted: has it gone over a crossing? Then it is to be taken again,
 * shorter. */
bool ritti_crossing_ahead(ritti_driver *solver);
/* Do the constraints lose rank at the run's point, or nearly so? Then S->cross.at says how. */
bool ritti_crossing_here(ritti_driver *solver);
/* The same on the branch: the step is good. */
bool ritti_crossing_passed(const ritti_driver *solver);
/* What it has passed, and where; it stops there where that is not said to be passed. */
const ritt_special *ritti_crossing_note(ritti_driver *solver, ritt_real s_new, ritt_real *at);
/* Also says on which problem it goes on, where that is another one. */
void ritti_crossing_watch_state(ritti_driver *solver, ritti_state *state, const ritti_problem **on);
ritt_status ritti_crossing_stop(ritti_driver *solver, ritti_row_plan *plan, ritt_real s_new,
                                ritt_real at, const ritt_special *special, ritt_error *error);

/* solver.c */
void ritti_reach(ritti_driver *solver, ritt_real s);

/* trouble.c: keeps what was met, for the report; at: of a singular point, else NULL */
ritt_special *ritti_note_special(ritti_driver *solver, const char *kind, bool passed,
                                 const ritt_real *z, ritt_real arc, const ritti_singular *at);
/* trouble.c: sentences for what stops a run; ritti_stop: RITT_RETRY gets its sentence, others are
 * passed on */
ritt_status ritti_stop(ritti_driver *solver, ritt_status status, ritt_error *error);
ritt_status ritti_stop_trouble(ritti_driver *solver, ritt_error *error);
ritt_status ritti_stop_steps(ritti_driver *solver, ritt_real end, ritt_error *error);
ritt_status ritti_stop_kink(ritti_driver *solver, int surface, ritt_real s, ritt_error *error);
/* a surface is met again and again without getting on; or both sides lead back to the pole of its
 * function */
ritt_status ritti_stop_chatter(ritti_driver *solver, int surface, ritt_error *error);
/* a monitor vanishes just where x stands still along the solution, at the end of the step just
 * taken */
ritt_status ritti_stop_coincidence(ritti_driver *solver, int monitor, ritt_error *error);
/* a monitor has no value in a step that is as short as it may be */
ritt_status ritti_stop_monitor(ritti_driver *solver, ritt_error *error);
ritt_status ritti_stop_jump(ritti_driver *solver, int event, ritt_error *error);
ritt_status ritti_stop_accumulation(ritti_driver *solver, int event, ritt_real limit,
                                    ritt_error *error);
ritt_status ritti_stop_singular(ritti_driver *solver, const ritt_special *special, const char *hint,
                                ritt_error *error);
ritt_status ritti_stop_crossing(ritti_driver *solver, const ritt_special *special,
                                ritt_error *error);
ritt_status ritti_stop_rank(ritti_driver *solver,
                            ritt_error *error); /* at the crossing located last */
ritt_status ritti_stop_growth(ritti_driver *solver, ritt_error *error);
ritt_status ritti_stop_fold(ritti_driver *solver, const ritt_special *special, ritt_error *error);
ritt_status ritti_stop_over_fold(ritti_driver *solver, const ritt_special *special,
                                 ritt_error *error);

#endif
