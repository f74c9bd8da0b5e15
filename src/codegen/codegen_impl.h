/* Private to src/codegen. */
#ifndef RITTI_CODEGEN_IMPL_H
#define RITTI_CODEGEN_IMPL_H

#include "codegen/codegen.h"
#include "tape/evaluator.h"

/* ---- tapes.c: the one writer of tapes ---- */

/* A tape that runs evaluate again and again, the name of its function, and how many of its results go
 * to the first array. */
typedef struct ritti_tape_entry {
  const char *name;
  const ritti_tape *tape;
  size_t first;
} ritti_tape_entry;
/* RITTI_KERNEL_TAPES: the first ones, which the step kernel evaluates; RITTI_SECOND_TAPE: second
 * derivatives */
enum { RITTI_TAPES = 12, RITTI_KERNEL_TAPES = 4, RITTI_SECOND_TAPE = 11 };
void ritti_list_tapes(const ritti_evaluator *evaluator, ritti_tape_entry at[RITTI_TAPES]);
bool ritti_tape_is_worth_it(const ritti_tape *tape);
bool ritti_looks_up_tables(const ritti_instruction *code, size_t count);

typedef struct ritti_tape_writer {
  ritti_text *out;
  const char *real;                       /* the type of a real */
  bool vector;                            /* a real is a vector of RITTI_WIDTH lanes */
  const char *linkage;                    /* "static " or "" */
  bool in_place;                          /* kernels write their results to the row */
  uint32_t m, constant, temporary, slots; /* where the parts of a row begin, and its size */
  ritt_real *row;                         /* with its constants */
  /* of the tape that is being written: */
  bool direct;          /* coordinates are taken from z, not from the row */
  bool registers;       /* operands are numbers of local variables, not slots */
  bool by_lane;         /* this operation is done lane by lane: l */
  uint32_t *local;      /* for each slot the local variable that holds it, + 1; 0: none */
  const uint32_t *last; /* for each slot the last operation that computes it, + 1; 0: none */
  const bool *later;    /* slots that functions after this one read */
} ritti_tape_writer;
ritt_status ritti_tape_writer_open(const ritti_evaluator *evaluator, ritti_text *out,
                                   ritti_tape_writer *writer) RITT_USE;
void ritti_tape_writer_close(ritti_tape_writer *writer);
/* A tape as NAME_0, NAME_1, ... and NAME, which calls them: NAME(z, r, f, g) writes its results to f
 * and g; of a tape with kernels NAME(r), which leaves them in the row. */
ritt_status ritti_write_tape(ritti_tape_writer *writer, const ritti_tape_entry *tape) RITT_USE;
/* NAME_kernel_NUMBER, NAME_loop_NUMBER */
void ritti_write_kernel(ritti_tape_writer *writer, const char *name, size_t number,
                        const ritti_kernel *kernel);
void ritti_write_loop(ritti_tape_writer *writer, const char *name, size_t number,
                      const ritti_loops *loops);
/* Does the code call functions of base/elementary.h? */
bool ritti_calls_functions(const ritti_instruction *code, size_t count);
/* Declares the other functions that operations call. */
void ritti_write_math(ritti_text *out, bool vector);
void ritti_write_ints(ritti_text *out, const char *name, const int *at, size_t count);
void ritti_write_unsigned(ritti_text *out, const char *name, const uint32_t *at, size_t count);
void ritti_write_reals(ritti_text *out, const char *name, const ritt_real *at, size_t count);

/* ---- unit.c ---- */
/* Can native code take whole steps on the problem? */
bool ritti_unit_fits(const ritti_problem *problem);
/* Can it find the stages of implicit steps? */
bool ritti_stages_fit(const ritti_problem *problem);
/* base/width.h; base/elementary.h; linalg/small.h, geometry/step_kernel.h; geometry/step_entry.h;
 * geometry/tangent_kernel.h; linalg/column_lu.h, geometry/stage_kernel.h, geometry/stage_entry.h; geometry/leg.h, geometry/leg_entry.h. Lines, then NULL; made while building. */
extern const char *const ritti_width_text[], *const ritti_elementary_text[];
extern const char *const ritti_kernel_text[], *const ritti_entry_text[], *const ritti_leg_text[];
extern const char *const ritti_tangent_text[], *const ritti_stage_text[];

/* ---- solve.c: the highest derivatives of mechanics as straight lines ---- */
ritt_status ritti_write_solve(const ritti_problem *problem, ritti_text *out) RITT_USE;
/* step_solve_again: with the factors that step_solve has found */
ritt_status ritti_write_solve_again(const ritti_problem *problem, ritti_text *out) RITT_USE;
/* The entries of the factors that are not always 0; returns their number. room and at: tops x tops
 */
int ritti_list_factors(const ritti_problem *problem, bool *room, int *at);

#endif
