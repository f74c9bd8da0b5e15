/* Private to src/solve. */
#ifndef RITTI_DRIVER_IMPL_H
#define RITTI_DRIVER_IMPL_H

#include "drive/roots.h"
#include "drive/driver.h"

/* norm.c */
ritt_status ritti_norm_init(ritti_driver *d, ritti_arena *arena) RITT_USE;
/* The tolerance of coordinate i if its value is z. */
ritt_real ritti_control_scale(const ritti_driver *d, int i, ritt_real z);
/* The root mean square of v_i in units of the tolerance at z. */
ritt_real ritti_tolerance_norm(const ritti_driver *d, const ritt_real *v, const ritt_real *z);
/* The mean square of the error of the step just taken, in units of the tolerance, if native
 * code has not measured it. RITT_RETRY: unknown. */
ritt_status ritti_step_square(ritti_driver *d, ritt_real *square) RITT_USE;
/* Implicit kind: notes the errors of the unknowns that are solved for, of a step that is accepted. */
void ritti_accept_top_errors(ritti_driver *d);
/* The mean square of the error from the mean squares of two estimates (0: none) and of the move by the
 * projection. */
ritt_real ritti_square_of_norms(const ritti_driver *d, const ritti_step_norms *norms);
void ritti_control_metric(ritti_driver *d); /* the metric for the next step */

/* control.c */
void ritti_control_init(ritti_driver *d);
ritt_real ritti_control_factor(ritti_driver *d, ritt_real square); /* h_new / h */
double ritti_control_exponent(const ritti_tableau *tableau);       /* 0.5 / k */
void ritti_control_accept(ritti_driver *d, ritt_real square);      /* remembers it */
void ritti_control_forget(ritti_driver *d); /* the next step is a first one */
ritt_status ritti_control_first_step(ritti_driver *d, ritt_real length, ritt_real *h) RITT_USE;

/* sizes.c */
ritt_status ritti_sizes_init(ritti_driver *d, ritti_arena *arena) RITT_USE;
/* Sizes at the start z of a run; then, before its first step, those of coordinates that are 0. */
void ritti_sizes_start(ritti_driver *d, const ritt_real *z);
void ritti_sizes_begin(ritti_driver *d, ritt_real length);
void ritti_sizes_accept(ritti_driver *d); /* the step just taken, before it is accepted */
/* The error of the step just taken has this square and is too large. */
void ritti_sizes_reject(ritti_driver *d, ritt_real square);
void ritti_sizes_fail(ritti_driver *d); /* the step could not be taken */
void ritti_sizes_state(ritti_driver *d, ritti_state *state);

/* stiffness.c */
void ritti_stiffness_look(ritti_driver *d);        /* right after a step that will be accepted */
bool ritti_stiffness_turn(const ritti_driver *d);  /* is it time for another method? */
long ritti_until_stiffness(const ritti_driver *d); /* steps to be tried before the next look */

/* events.c */
#define RITTI_UNSEEN                                                                               \
  (ritt_real)1e-3 /* values below this part of a level have no effect above the tolerance */
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
ritt_status ritti_monitors_levels(ritti_driver *d, const ritt_real *z,
                                  const ritt_real *top) RITT_USE;
ritt_real ritti_monitors_rate(const ritti_driver *d, int monitor, const ritt_real *V);
/* Finds the zeros in the step just tried; if one ends it the step is taken again up to there, to
 * *s_new. */
ritt_status ritti_events_find(ritti_driver *d, ritt_real *s_new, ritti_zeros *found) RITT_USE;
ritt_status ritti_events_record(ritti_driver *d, const ritti_zeros *found,
                                ritt_real h_tried) RITT_USE;
ritt_status ritti_event_act(ritti_driver *d, int monitor) RITT_USE;
/* After a jump that is not that of an event: events whose functions have changed their signs happen. */
ritt_status ritti_events_after_jump(ritti_driver *d) RITT_USE;
ritt_status ritti_events_begin(ritti_driver *d, ritt_real along) RITT_USE;

/* jump.c */
ritt_status ritti_jumper_init(ritti_jumper *jumper, const ritti_problem *problem,
                              ritti_arena *arena) RITT_USE;
ritt_status ritti_jump(ritti_driver *d, int event, ritt_real *z) RITT_USE;
/* Does the jump from the driver's point to z change the form of the equations? */
bool ritti_changes_form(const ritti_driver *d, const ritt_real *z);
/* The point of M in the new form: from what the jump of the event leaves, states are kept if that is
 * possible, velocities change by impulses. */
ritt_status ritti_form_point(ritti_driver *d, int event, const ritt_real *left,
                             ritt_real *z) RITT_USE;
/* The point of M on the sides just taken that follows from the driver's point: states are kept,
 * velocities change by impulses only. */
ritt_status ritti_switch_point(ritti_driver *d, ritt_real *z) RITT_USE;
/* The point after a change of inputs: algebraic unknowns are solved for again; if that is not enough
 * velocities move too, then states. */
ritt_status ritti_input_point(ritti_driver *d, ritt_real *z) RITT_USE;
/* Row i of f, whose values and derivatives are in the jumper, relative to its terms; 0 for a row with a
 * level. */
ritt_real ritti_row_misfit(const ritti_driver *d, int i, const ritt_real *z);

/* impulse.c */
/* Which velocities can impulses change at z? */
ritt_status ritti_impulse_prepare(ritti_driver *d, const ritt_real *z,
                                  const ritt_real *top) RITT_USE;
bool ritti_impulse_moves(const ritti_driver *d, const bool *assigned, int coordinate);
/* Changes velocities by an impulse so that these rows of f hold, and with them, if `followers`, the
 * unknowns that follow from others; `assigned`, m: velocities that an event has set, or NULL. RITT_RETRY:
 * the equations do not determine one. */
ritt_status ritti_impulse_find(ritti_driver *d, const bool *rows, const bool *assigned,
                               bool followers, const ritt_real *top, ritt_real *z) RITT_USE;

/* jump.c: at the first points on a side that the run has entered: does V keep the invariants? */
ritt_status ritti_check_invariants_here(ritti_driver *d) RITT_USE;

/* standalone.c: gives invariants that take their values from the start the values that they have at
 * z, before z is moved onto M. */
ritt_status ritti_set_levels(ritti_driver *d, const ritt_real *z) RITT_USE;

/* slide.c */
/* Does the run slide on the surface of this monitor, or rest at the zero of this event? */
bool ritti_slides(const ritti_driver *d, int monitor);
/* Is the monitor a sum of squares of a direction, or one of its terms? (problem.h, cone) */
bool ritti_is_norm(const ritti_problem *problem, int monitor);
bool ritti_is_term(const ritti_problem *problem, int monitor);
/* Notes that a surface is met, or a rest begins: does that happen again and again without progress? */
bool ritti_run_chatters(ritti_driver *d);
ritt_status ritti_surface_met(ritti_driver *d, int surface) RITT_USE;
ritt_status ritti_sides_first(ritti_driver *d) RITT_USE;
ritt_status ritti_sides_settle(ritti_driver *d, ritt_real along) RITT_USE;
ritt_status
ritti_slide_prepare(ritti_driver *d) RITT_USE; /* makes the problem of sliding on all surfaces */
/* Looks for the first place in the step just tried at which the run leaves a member, and takes the step
 * again up to there, to *s_new. */
ritt_status ritti_slide_look(ritti_driver *d, ritt_real *s_new, bool *leaves) RITT_USE;
/* How far the weight of a monitor is inside its bounds; negative: the run leaves it. */
ritt_real ritti_slide_margin(const ritti_driver *d, int monitor);
ritt_status ritti_slide_leave(ritti_driver *d) RITT_USE;
/* *on: the problem on which the run continues. */
ritt_status ritti_slide_state(ritti_driver *d, ritti_state *state,
                              const ritti_problem **on) RITT_USE;

/* rest.c */
/* Begins to rest at the zeros of events if the driver's point asks for it. Small bounces of the event
 * `accumulating` (-1: none) count as none whatever their height. */
ritt_status ritti_rest_decide(ritti_driver *d, ritt_real along, int accumulating) RITT_USE;

/* rows.c */
void ritti_note_residual(ritti_driver *d, const ritt_real *z);
/* Are rows the accepted steps, or some of them? Are rows at places of their own still to come? */
bool ritti_row_every_step(const ritti_driver *d);
bool ritti_row_left(const ritti_driver *d);
/* The place of row number i. */
ritt_real ritti_row_place(const ritti_driver *d, long i);
/* Finds the horizon of the rows: the place of the next one, or every step. */
void ritti_find_row_horizon(ritti_driver *d);
/* Writes a row: the one place that calls the taker of rows. */
ritt_status ritti_write_row(ritti_driver *d, ritt_real s, const ritt_real *z,
                            const ritt_real *top) RITT_USE;
/* Writes the end of an accepted step as a row, if it is one. */
ritt_status ritti_write_step_row(ritti_driver *d, ritt_real s, const ritt_real *z,
                                 const ritt_real *top) RITT_USE;
/* Writes a fine point, if they are requested. */
ritt_status ritti_write_fine(ritti_driver *d, ritt_real s, const ritt_real *z,
                             const ritt_real *top) RITT_USE;
/* Writes the fine points of the step just taken, which is `length` long, up to its fraction `until`,
 * included. */
ritt_status ritti_fine_points(ritti_driver *d, ritt_real length, ritt_real until) RITT_USE;
/* Writes the rows in (s, until] of the step just taken from s to s_new. */
ritt_status ritti_rows_of_step(ritti_driver *d, ritt_real s_new, ritt_real until) RITT_USE;
/* The run's point is the one in row_z and row_top. */
void ritti_stand_in_row(ritti_driver *d);
/* The run ends at that point, between the ends of a step; writes the last row. */
ritt_status ritti_end_in_row(ritti_driver *d) RITT_USE;

/* What the watchers found in the step just taken. */
typedef struct ritti_step_outcome {
  ritti_zeros zeros;
  int side;        /* of singular points, at the end of the step */
  bool leaves;     /* the run stops sliding there */
  bool retake;     /* the step is given up: another one is tried */
  bool run_ends;   /* the run has ended, or has jumped, inside the step */
  ritt_real tried; /* length of the step before an event cut it */
} ritti_step_outcome;

/* driver.c */
/* Puts the stepper at another point: the next step is a first one. */
ritt_status ritti_place_again(ritti_driver *d, const ritt_real *z) RITT_USE;
/* Sets the end and the length of the run in its variable: x, arc length, or the passage's. */
void ritti_set_run_variable(ritti_driver *d);
/* Is a step of length h lost in the rounding of the run's variable? */
bool ritti_too_small(const ritti_driver *d, ritt_real h);
/* Puts the run's point at s within the step just taken, or leaves it at the step's start if that
 * point cannot be computed. */
void ritti_reach(ritti_driver *d, ritt_real s);

/* fold.c: near a fold, where dx/ds tends to 0, a run over x goes by arc length for a while */
bool ritti_fold_near(ritti_driver *d);
/* General kind, of a run that came from the implicit kind: is T_w regular again? */
bool ritti_fold_is_behind(ritti_driver *d);
ritt_status ritti_passage_enter(ritti_driver *d) RITT_USE;
/* After an arc step that meets the tolerance: asks for folds, impasse points and the end. */
ritt_status ritti_passage_look(ritti_driver *d, ritti_step_outcome *met) RITT_USE;
/* Writes the rows at x in the arc step just taken. */
ritt_status ritti_passage_rows(ritti_driver *d) RITT_USE;
/* After an accepted arc step: leaves the passage if x is a good variable again, or if the zero `cut`
 * of a monitor ended the step (-1: none). */
ritt_status ritti_passage_continue(ritti_driver *d, int cut) RITT_USE;
/* The run fails inside the passage: its variable is x again. */
void ritti_passage_break(ritti_driver *d);
/* Puts the stepper at the point in row_z, in the run's own variable. */
ritt_status ritti_passage_return(ritti_driver *d) RITT_USE;

/* leap.c: can unknowns that follow from states jump at a fold? */
bool ritti_can_leap(const ritti_problem *problem);
/* The point behind the fold on another part of the manifold, with the same states; V: the direction at
 * the fold. RITT_RETRY: none was found. */
ritt_status ritti_find_leap(ritti_driver *d, const ritt_real *fold, const ritt_real *V,
                            ritt_real *z) RITT_USE;

/* singular.c: singular points are located, and stopped at or passed */
ritt_status ritti_singular_watch_init(ritti_driver *d, ritti_arena *arena) RITT_USE;
/* The side of the singular points on which z lies, 1 or -1; 0: unknown. */
int ritti_singular_watch_side(ritti_driver *d, const ritt_real *z, const ritt_real *V);
/* Forgets volumes: those of runs over x and over arc length are not comparable. */
void ritti_singular_watch_forget(ritti_driver *d);
/* Is the run so near a singular point that its tolerance does not decide where it goes? */
bool ritti_singular_watch_near(ritti_driver *d);
/* The same; or straight ahead within twice this length, in units of the sizes. */
bool ritti_singular_watch_ahead(ritti_driver *d, ritt_real length);
/* Passes the singular point that is near, or stops there. */
ritt_status ritti_singular_watch_go(ritti_driver *d) RITT_USE;
/* Has the step just taken, which ends on the side `sign`, gone over a singular point? */
bool ritti_singular_watch_crossed(const ritti_driver *d, int sign);
/* Identifies that point, and the last place before it. If it is `passed` the step may be accepted.
 * NULL: the step has gone over a fold, and is to be taken again by arc length. */
const ritt_special *ritti_singular_watch_cross(ritti_driver *d, ritt_real s_new, ritt_real *before);
/* Ends the run at the place before it, with the rows up to there. */
ritt_status ritti_singular_watch_stop_before(ritti_driver *d, ritt_real s_new, ritt_real before,
                                             const ritt_special *special);
/* Ends the run at the point found last. */
ritt_status ritti_singular_watch_stop(ritti_driver *d);
/* The distance below which a singular point is too near, in units of the sizes. */
ritt_real ritti_singular_watch_limit(ritti_driver *d, const ritt_real *z);
/* The size of a coordinate: its value, and the value that the tolerances call small. */
ritt_real ritti_size_of(const ritti_driver *d, int i);
/* Is there a singular point within `distance` of z, in units of the sizes? */
bool ritti_singular_within(ritti_driver *d, const ritt_real *z, ritt_real distance);

/* branch.c: branches of algebraic unknowns that meet */
ritt_status ritti_branch_watch_init(ritti_driver *d, ritti_arena *arena) RITT_USE;
/* After a step, whose side was found: does T_w become singular on the way, or just behind its end? */
bool ritti_branch_meets(ritti_driver *d);
void ritti_branch_accept(ritti_driver *d);
void ritti_branch_forget(ritti_driver *d);

/* choice.c: rows that were chosen among dependent ones */
ritt_status ritti_choice_watch_init(ritti_driver *d, ritti_arena *arena) RITT_USE;
/* Before a step: are other rows to be chosen? */
bool ritti_choice_is_poor(ritti_driver *d);

/* crossing.c: positions at which constraints lose rank */
ritt_status ritti_crossing_watch_init(ritti_driver *d, ritti_arena *arena) RITT_USE;
/* Is the run on a branch near a crossing, on a problem of its own? */
bool ritti_crossing_on(const ritti_driver *d);
/* Before a step: enters or leaves the problem of the branch; may shorten the next step. */
ritt_status ritti_crossing_turn(ritti_driver *d) RITT_USE;
/* Leaves it in any case. */
ritt_status ritti_crossing_drop(ritti_driver *d) RITT_USE;
/* After a step, before it is accepted: has it gone over a crossing? Then it is to be taken again,
 * shorter. */
bool ritti_crossing_ahead(ritti_driver *d);
/* Do the constraints lose rank at the run's point, or nearly so? Then d->crossing.at describes it. */
bool ritti_crossing_here(ritti_driver *d);
/* Has the step just taken, on the problem of the branch, passed the crossing? */
bool ritti_crossing_passed(const ritti_driver *d);
/* Notes that crossing, and its place; if it is not `passed` the run must stop there. */
const ritt_special *ritti_crossing_note(ritti_driver *d, ritt_real s_new, ritt_real *at);
/* *on: the problem on which the run continues, if it is another one. */
void ritti_crossing_watch_state(ritti_driver *d, ritti_state *state, const ritti_problem **on);
ritt_status ritti_crossing_stop(ritti_driver *d, ritt_real s_new, ritt_real at,
                                const ritt_special *special);

/* messages.c: keeps a special point for the report; at: the singular point, else NULL */
ritt_special *ritti_note_special(ritti_driver *d, const char *kind, bool passed, const ritt_real *z,
                                 ritt_real arc, const ritti_singular *at);
/* messages.c: messages about a run that stops. ritti_stop: RITT_RETRY gets its message, any other
 * status is returned */
ritt_status ritti_stop(ritti_driver *d, ritt_status status);
/* Implicit kind: asks for a completion to another kind at the run's point. false: of another kind. It
 * is for runs that cannot go on: at folds, and if they must slide on a surface that depends on tops. */
bool ritti_leave_implicit(ritti_driver *driver);
ritt_status ritti_stop_trouble(ritti_driver *d);
ritt_status ritti_stop_steps(ritti_driver *d, ritt_real end);
ritt_status ritti_stop_kink(ritti_driver *d, int surface, ritt_real s);
/* a surface is met again and again without progress; or both sides lead back to the pole of its
 * function */
ritt_status ritti_stop_chatter(ritti_driver *d, int surface);
/* no side of a surface (-1: some surface) agrees with the highest derivatives that belong to it */
ritt_status ritti_stop_sides(ritti_driver *d, int surface);
/* the run starts from rest, slowly, in a direction that explicit methods do not find */
ritt_status ritti_stop_slow_start(ritti_driver *d, int surface);
/* a monitor vanishes just where x stands still along the solution, at the end of the step just
 * taken */
ritt_status ritti_stop_coincidence(ritti_driver *d, int monitor);
/* a monitor has no value in a step that is as short as it may be */
ritt_status ritti_stop_monitor(ritti_driver *d);
ritt_status ritti_stop_jump(ritti_driver *d, int event);
ritt_status ritti_stop_velocities(ritti_driver *d, int event);
/* a constraint (row of f, -1: unknown) would have to jump by `amount` at a switch */
ritt_status ritti_stop_switch(ritti_driver *d, int row, ritt_real amount);
/* Derivatives of the solution cannot pass this event (-1: sliding). */
ritt_status ritti_stop_tangents(ritti_driver *d, int event);
ritt_status ritti_stop_touch(ritti_driver *d, int event, ritt_real s);
/* row `row` of f is not an invariant on the side that the run has entered */
ritt_status ritti_stop_invariant(ritti_driver *d, int row, ritt_real rate);
ritt_status ritti_stop_accumulation(ritti_driver *d, int event, ritt_real limit);
ritt_status ritti_stop_singular(ritti_driver *d, const ritt_special *special, const char *hint);
ritt_status ritti_stop_crossing(ritti_driver *d, const ritt_special *special);
ritt_status ritti_stop_rank(ritti_driver *d); /* at the crossing located last */
ritt_status ritti_stop_growth(ritti_driver *d);
ritt_status ritti_stop_fold(ritti_driver *d, const ritt_special *special);
ritt_status ritti_stop_over_fold(ritti_driver *d, const ritt_special *special);

#endif
