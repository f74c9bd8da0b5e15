/* A model that another program moves, as an FMU: co-simulation, in which the run is followed from one
 * communication point to the next, and model exchange, in which the other program integrates the
 * coordinates of M. Memory comes from an arena that can grow.
 */
#ifndef RITTI_UNIT_H
#define RITTI_UNIT_H

#include "drive/standalone.h"

typedef struct ritti_unit {
  const ritti_standalone *alone;
  ritti_driver *driver;
  ritt_error *error;

  /* the point whose values can be asked for */
  ritt_real s;      /* the variable of the run: x, or arc length */
  ritt_real *given; /* m: model exchange: coordinates as the other program set them */
  ritt_real *z, *V; /* m: the point of M there, and the direction */
  ritt_real *top;   /* tops: highest derivatives there */
  ritt_real *base;  /* tops: those at the last step that was completed, where iterations begin */
  int *side; /* monitors: of events before parameters changed; 0: at the zero, or not noted */
  bool noted;
  ritt_real *shift; /* events: model exchange: indicators are this far on the side of the event */
  /* model exchange: which monitors depend on x alone (NULL: none does), and the next zero of each,
   * where it is due: INFINITY: none up to `end`; -INFINITY: not known */
  const bool *timed;
  ritt_real *zero;
  bool *kept;        /* m: coordinates that stay at a restart */
  ritt_real *output; /* outputs of the Problem there, if `known`: see ritti_unit_outputs */
  bool known;
  ritt_real moved; /* model exchange: from `given` to z, in units of the tolerance */
  bool acted;      /* model exchange: something has happened in the last ritti_unit_act */

  /* co-simulation: the run, and the state of the driver before its last step */
  bool begun, ended, failed;
  ritt_real end, wanted;
  bool taken; /* the row at `wanted` has come */
  /* by_event: ritti_unit_follow arrives at events, too; event: it has, and the values are those before
   * it; passed: the values are those of the driver's point, behind what has happened there */
  bool by_event, event, passed;
  unsigned char *before;
  size_t before_size, before_room;

  /* the method, if the run chooses it: after a change the driver is in an arena of its own */
  ritti_arena *own;
  bool implicit, before_implicit;
  int changes, before_changes;
} ritti_unit;

ritt_status ritti_unit_new(const ritti_standalone *alone, ritti_arena *arena, ritt_error *error,
                           ritti_unit **out) RITT_USE;
/* Frees what is not in the arena. */
void ritti_unit_free(ritti_unit *unit);
/* The parameters, to be changed in place. */
ritt_real *ritti_unit_parameters(ritti_unit *unit);
/* Puts the unit at unit->given. moved: parameters or coordinates differ from those of the model; then
 * invariants take their values at this point, and it is moved onto M. kept: m, coordinates that stay,
 * if that is possible; NULL: x only. */
ritt_status ritti_unit_start(ritti_unit *unit, bool moved, const bool *kept) RITT_USE;

/* ---- co-simulation ---- */

/* Follows the run to `to` by one step at most. *arrived: the unit is at `to`, or at the event that
 * has ended the run (unit->ended); else at the end of a step before it. end: where the run ends; it
 * goes on if `to` lies behind. RITT_STOPPED: the numerics have stopped the run. */
ritt_status ritti_unit_follow(ritti_unit *unit, ritt_real to, ritt_real end,
                              bool *arrived) RITT_USE;
/* From the values before an event to those behind it. */
void ritti_unit_pass_event(ritti_unit *unit);
/* The outputs at the point. Those of a communication point have been computed there, on the sides that
 * the run had before it went on; an output without a value is NaN. */
const ritt_real *ritti_unit_outputs(ritti_unit *unit);
/* unit->V at the point. */
ritt_status ritti_unit_direction(ritti_unit *unit) RITT_USE;
/* Notes on which sides events are, before a parameter or an input changes. */
void ritti_unit_note_sides(ritti_unit *unit);
/* Begins the run again at the unit's point: a parameter or an input has changed. Events whose functions
 * have changed their signs by that, in the sense of the event, happen. */
ritt_status ritti_unit_restart(ritti_unit *unit) RITT_USE;

/* ---- model exchange ---- */

/* The point of M near the coordinates given, with its highest derivatives and its direction. */
ritt_status ritti_unit_evaluate(ritti_unit *unit) RITT_USE;
/* The other program has completed a step: the point evaluated last is where it stands. RITT_STOPPED: the
 * step has gone over a singular point, behind which another method than its own must go on. */
ritt_status ritti_unit_complete_step(ritti_unit *unit) RITT_USE;
/* What happens at the start, or at the zeros of indicators: jumps, switches, sliding. The coordinates
 * given become those of the point of M behind it. *ended: an event ends the simulation. */
ritt_status ritti_unit_act(ritti_unit *unit, bool first, bool *ended) RITT_USE;
/* Event indicators at the point evaluated last: monitors of them. */
ritt_status ritti_unit_indicators(ritti_unit *unit, ritt_real *out) RITT_USE;
/* The x of the next event that depends on x alone, as ritti_unit_act has found it; INFINITY: none. */
ritt_real ritti_unit_next_time(const ritti_unit *unit);
/* Parameters have changed: those times are to be found again. */
void ritti_unit_forget_times(ritti_unit *unit);
/* Small changes of the point evaluated last and of its tops that follow from a small change of the
 * coordinates given, and of the equations: `rows` holds changes of the rows of f, then of those of the
 * system for the tops (formulas: of their values). The Problem must have system_dz if it has tops.
 * RITT_RETRY: a derivative has no value. */
ritt_status ritti_unit_change(ritti_unit *unit, const ritt_real *given, const ritt_real *rows,
                              ritt_real *dz, ritt_real *dtop) RITT_USE;
/* The changes of the event indicators for these changes. RITT_RETRY: the unit slides along a surface,
 * or a derivative has no value. */
ritt_status ritti_unit_indicator_changes(ritti_unit *unit, const ritt_real *dz,
                                         const ritt_real *dtop, ritt_real *out) RITT_USE;

/* The state of the unit as bytes. Saving, to NULL: returns their number. */
size_t ritti_unit_save(ritti_unit *unit, unsigned char *bytes);
/* RITT_WRONG_CALL: the bytes belong to another model. */
ritt_status ritti_unit_load(ritti_unit *unit, const unsigned char *bytes, size_t size) RITT_USE;

#endif
