/* The bridge: Reduced -> Problem. Every function of the Problem becomes a tape, a list of three-address instructions
 * over one row of reals, with common subexpressions computed once; parameters are slots of the row, so that another
 * value needs no new tape.
 *
 * Row of a problem (the `work` of its functions): [ z | top | mu | parameters | levels | constants | temporaries ].
 */
#ifndef RITTI_EVAL_H
#define RITTI_EVAL_H

#include "complete/complete.h"
#include "geometry/problem.h"

/* Tape opcodes are machine operations, not those of the DAG: add, subtract, multiply, divide, square root, ... */
typedef struct ritti_instruction {
  uint32_t op, out, a, b; /* slots */
} ritti_instruction;

typedef struct ritti_tape {
  const ritti_instruction *code;
  size_t count;
  const uint32_t *result; /* slots of the results */
  size_t results;
} ritti_tape;

/* Where leaves live, shared by all tapes of one problem; constants are gathered while tapes are made. */
typedef struct ritti_layout ritti_layout;
ritt_status ritti_layout_new(ritti_arena *arena, const ritti_reduced *reduced, ritti_layout **out) RITT_USE;
/* Records the roots as a tape. Roots may hold coordinates, tops, multipliers mu, parameters, levels. */
ritt_status ritti_tape_record(ritti_layout *layout, ritti_arena *arena, const ritti_expr *roots, size_t count,
                              ritti_tape *out) RITT_USE;
/* out[i] = result i. The leaves that the tape uses must be in the row. */
void ritti_tape_run(const ritti_tape *tape, ritt_real *row, ritt_real *out);
void ritti_tape_print(const ritti_tape *tape, ritti_text *out);

/* The Problem of a reduced system. `output`: the expressions of the table's columns (without x), in coordinates and
 * tops. Everything lives in `arena`; `reduced` must outlive it. */
ritt_status ritti_problem_make(const ritti_reduced *reduced, const ritti_expr *output, size_t outputs,
                               ritti_arena *arena, ritt_error *error, ritti_problem **out) RITT_USE;

#endif
