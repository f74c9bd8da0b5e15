/* The bridge: Reduced -> Problem. Every function of the Problem becomes a tape, a list of
 * three-address instructions over one row of reals, with common subexpressions computed once;
 * parameters are slots of the row, so that another value needs no new tape.
 *
 * Row of a problem (the `work` of its functions): [ z | top | mu | parameters | levels | sides |
 * constants | temporaries ]. Temporaries are used again as soon as their value is no longer needed.
 */
#ifndef RITTI_EVAL_H
#define RITTI_EVAL_H

#include <stdatomic.h>
#include "complete/complete.h"
#include "geometry/problem.h"

/* Tape opcodes are the machine operations of expr.h, and sine with cosine of one argument. */
enum { RITTI_TAPE_SINCOS = RITTI_M_COUNT }; /* out = sin(a), slot b = cos(a) */
typedef struct ritti_instruction {
  uint32_t op, out, a, b; /* slots */
} ritti_instruction;
/* What the interpreter runs: these, and two or three operations as one (fuse.c). */
typedef struct ritti_fused {
  uint32_t op, out, a, b, c, d;
} ritti_fused;
enum {
  RITTI_FUSED_BEFORE = RITTI_TAPE_SINCOS,
#define RITTI_FUSED(id, inner, outer, side, value) RITTI_FUSED_##id,
#include "tape/fused.def"
#undef RITTI_FUSED
};

/* The same as native code, if there is any (native.c). It replaces the interpreter as soon as it is
 * ready, with the same bits. The code of a tape without kernels writes its results to their places,
 * in two groups; that of a tape with kernels leaves them in the row. Kernels run all their
 * instances. */
typedef void ritti_native_tape(const ritt_real *z, ritt_real *row, ritt_real *one, ritt_real *two);
typedef void ritti_native_code(ritt_real *row);
/* result i of a kernel goes to out[result[i] - shift] */
typedef void ritti_native_kernel(const ritt_real *row, const uint32_t *slot, ritt_real *out,
                                 size_t shift, const uint32_t *result, size_t count);

/* One shape of expression, and the slots of its instances: kernel.c. Registers are the leaves, then
 * the steps. */
typedef struct ritti_kernel {
  const ritti_instruction *code; /* steps of them */
  const ritt_real *constant;     /* of steps that are constants */
  size_t steps, leaves, count;   /* count: instances */
  uint32_t out;                  /* the register of the result */
  /* the same for the interpreter: first the constants, then what computes */
  const ritti_fused *fused;
  size_t constants, length; /* of them; all together */
  uint32_t fused_out;
  const uint32_t *slot;                  /* count x leaves */
  uint32_t *result;                      /* count: slots of the results, ascending */
  _Atomic(ritti_native_kernel *) native; /* NULL: none */
} ritti_kernel;
/* loops.c: many of them at once, where slots and results go on by constant steps */
typedef struct ritti_loops ritti_loops;
typedef struct ritti_kernels {
  ritti_kernel *at;
  size_t count;
  const ritti_dag *dag; /* for its tables */
} ritti_kernels;

/* The native functions of a tape; NULL: none yet. */
typedef struct ritti_tape_code {
  _Atomic(ritti_native_tape *) all;   /* of a tape without kernels */
  _Atomic(ritti_native_code *) plain; /* of a tape with kernels: the rest of its code */
} ritti_tape_code;

/* Values that one tape leaves in the row for another (by.c). */
enum { RITTI_MOST_SHARED = 64 };

typedef struct ritti_tape {
  const ritti_instruction *code;
  size_t count;
  const ritti_fused *fused; /* the same for the interpreter */
  size_t length;
  const uint32_t *result; /* slots of the results, and */
  size_t results;
  size_t shared; /* behind them of values that stay in the row */
  /* of a tape with kernels: a result of one of them, number `taken`; the results that are not
   * theirs */
  uint32_t taken;
  const uint32_t *other;
  size_t others;
  const ritti_kernels *kernels; /* large systems: what occurs often; NULL: none */
  const ritti_dag *dag;         /* for its tables */
  ritti_tape_code *native;
  ritti_loops *loops; /* of a tape with kernels; NULL: none */
} ritti_tape;

/* Where leaves live, shared by all tapes of one problem; constants are gathered while tapes are
 * made. First all tapes are recorded, then the layout is finished, then rows can be made and tapes
 * run. */
typedef struct ritti_layout ritti_layout;
ritt_status ritti_layout_new(ritti_arena *arena, const ritti_reduced *reduced,
                             ritti_layout **out) RITT_USE;
void ritti_layout_finish(ritti_layout *layout);
/* Takes the parameters of the model again: their values have changed. */
ritt_status ritti_layout_renumber(ritti_layout *layout) RITT_USE;
size_t ritti_layout_size(const ritti_layout *layout); /* reals in a row */
void ritti_layout_init(const ritti_layout *layout,
                       ritt_real *row); /* parameters, levels and constants; the rest 0 */
/* Slot of coordinate, top, multiplier, parameter, level or side; UINT32_MAX: it has none. */
uint32_t ritti_layout_slot(const ritti_layout *layout, ritti_expr leaf);
size_t ritti_layout_levels(const ritti_layout *layout); /* first slot of the levels, */
size_t ritti_layout_sides(const ritti_layout *layout);  /* of the sides */

/* exact.c: the parameters as reals */
ritt_status ritti_exact_parameters(const ritti_model *model, ritti_arena *arena,
                                   ritt_real *out) RITT_USE;
/* z holds the start point in doubles: those of its coordinates that were typed with '=' and kept
 * become what was typed, exact[i]. */
ritt_status ritti_exact_start(const ritti_reduced *reduced, ritti_arena *arena, ritt_real *z,
                              bool *exact) RITT_USE;

/* Records the roots as a tape. Roots may hold coordinates, tops, multipliers mu, parameters, levels
 * (another leaf: RITT_WRONG_CALL). The tape performs the same operations in the same order as a
 * plan of the roots. */
ritt_status ritti_tape_record(ritti_layout *layout, ritti_arena *arena, const ritti_expr *roots,
                              size_t count, ritti_tape *out) RITT_USE;
/* Runs the instructions; the leaves that the tape uses must be in the row. Result i is then
 * row[tape->result[i]]. */
void ritti_tape_execute(const ritti_tape *tape, ritt_real *row);
/* The same, then out[i] = result i. */
void ritti_tape_run(const ritti_tape *tape, ritt_real *row, ritt_real *out);
void ritti_tape_print(const ritti_tape *tape, ritti_text *out);

/* The Problem of a reduced system. `output`: the expressions of the table's columns (without x), in
 * coordinates and tops. Everything lives in `arena`; `reduced` must outlive it. */
ritt_status ritti_problem_make(const ritti_reduced *reduced, const ritti_expr *output,
                               size_t outputs, ritti_arena *arena, ritt_error *error,
                               ritti_problem **out) RITT_USE;

/* The values of parameters have changed in the model, and all other numbers in the reduced system. No
 * solver may use the problem now. */
ritt_status ritti_problem_renumber(const ritti_problem *problem) RITT_USE;

/* The same with functions that only some methods need. */
enum {
  RITTI_WANTS_SYSTEM_DZ = 1, /* system_dz: implicit methods */
  RITTI_WANTS_SECOND = 2, /* d2f_mu, also where the system is large: the papers' Taylor methods */
  RITTI_WANTS_STRONG = 4  /* strong, where the model has such a potential */
};
ritt_status ritti_problem_make_for(unsigned wants, const ritti_reduced *reduced,
                                   const ritti_expr *output, size_t outputs, ritti_arena *arena,
                                   ritt_error *error, ritti_problem **out) RITT_USE;
/* Row i of A top + b, or formula i. terms: room for tops + 1 of them. */
ritti_expr ritti_system_row(const ritti_reduced *reduced, int i, ritti_expr *terms);

/* What changes behind a constant Problem: its native code. Sessions acquire the slot by `busy` before
 * they put code there; the cache of the code is freed with the problem. NULL: the problem was not made
 * here. */
enum { RITTI_MOST_NATIVE = 8 };
typedef void (*ritti_any_function)(void);
typedef struct ritti_code_slot {
  atomic_flag busy;
  atomic_int count; /* adopted units */
  void *cache;
  void (*free_cache)(void *cache);
  struct {
    unsigned long key;
    ritti_tangent_function *tangents;    /* NULL: it has none */
    _Atomic(ritti_step_function *) take; /* NULL: none, nor any behind it */
  } step[RITTI_MOST_NATIVE];             /* by method */
  /* by the number of stages; those of Rosenbrock methods behind RITTI_MOST_STAGES; or NULL */
  _Atomic(ritti_stage_function *) stages[2 * RITTI_MOST_STAGES + 1];
  _Atomic(bool) has_forms; /* then they are functions of this unit: */
  ritti_any_function (*get)(const void *from, const char *name);
  const void *from;
} ritti_code_slot;
ritti_code_slot *ritti_problem_slot(const ritti_problem *problem);

#endif
