/* Private to src/eval. */
#ifndef RITTI_EVAL_IMPL_H
#define RITTI_EVAL_IMPL_H

#include "eval/eval.h"

/* sides.c: the expressions with the sides of switching surfaces as numbers of their own; copies in
 * the arena */
ritt_status ritti_one_side(const ritti_reduced *reduced, ritti_arena *arena, size_t count,
                           ritti_expr **e) RITT_USE;
ritt_status ritti_reduced_one_side(const ritti_reduced *reduced, ritti_arena *arena,
                                   ritti_reduced *out) RITT_USE;

/* fuse.c: absorbed[i]: step i is done by the one that uses it. Room for every step: uses, single.
 */
void ritti_fuse(const ritti_lowered *lowered, unsigned char *uses, bool *absorbed, bool *single);
/* A step that is not absorbed; out and operands are steps. */
ritti_fused ritti_fused_step(const ritti_lowered *lowered, const bool *absorbed, uint32_t step);

/* kernel.c: the roots that occur often become kernels: taken[i], and result[i] a temporary of the
 * tape */
#define RITTI_TEMPORARY                                                                            \
  0x80000000u /* temporaries are numbered from here while tapes are recorded */
ritt_status ritti_kernels_make(ritti_layout *layout, const ritti_dag *dag, ritti_arena *arena,
                               const ritti_expr *roots, size_t count, uint32_t *temporaries,
                               bool *taken, uint32_t *result, ritti_kernels *out) RITT_USE;
void ritti_kernels_settle(ritti_kernels *kernels,
                          uint32_t first); /* temporaries begin at slot `first` */
/* A result whose slot is below `split` goes to one[slot - first], the others to two[slot - split].
 */
void ritti_kernels_execute(const ritti_kernels *kernels, const ritt_real *row, size_t first,
                           size_t split, ritt_real *one, ritt_real *two);
/* Some instances of one kernel: results go to out[slot - shift]. */
void ritti_kernel_execute(const ritti_kernel *kernel, const ritti_dag *dag, size_t first,
                          size_t end, const ritt_real *row, ritt_real *out, size_t shift);

/* loops.c. instances first, first + period, ... of a kernel, `turns` of them */
typedef struct ritti_strand {
  const ritti_kernel *kernel;
  unsigned part; /* a bit: of results that can be asked for alone */
  bool two;      /* they go to the second array */
  size_t first, period, turns;
} ritti_strand;
/* Coordinates, slots below m, are taken from z. */
void ritti_strand_execute(const ritti_strand *strand, const ritti_dag *dag, size_t m,
                          const ritt_real *z, const ritt_real *row, ritt_real *out, size_t shift);
/* Turn i takes entry base + i step of the point (array 0) or of the row (1), or gives that of the
 * first (2) or second (3) group of results. */
typedef struct ritti_strand_place {
  int array;
  ptrdiff_t base, step;
} ritti_strand_place;
typedef void ritti_native_loop(const ritt_real *z, const ritt_real *row, ritt_real *one,
                               ritt_real *two, const ptrdiff_t *base, size_t turns);
typedef struct ritti_loop {
  unsigned part;
  size_t turns, strands, places;
  const ritti_strand *strand;
  const ritti_strand_place *place; /* whose bases are */
  const ptrdiff_t *base;           /* places of them */
  ritti_native_loop *native;       /* once `ready` */
} ritti_loop;
typedef struct ritti_rest { /* what no loop takes */
  const ritti_kernel *kernel;
  unsigned part;
  bool two;
  size_t first, end;
} ritti_rest;
struct ritti_loops {
  ritti_loop *at;
  size_t count, rests, first, split,
      m;                /* slot of the first result; results of the first group; coordinates */
  const uint32_t *read; /* coordinates that plain code and the rest take from the row */
  size_t reads;
  const ritti_rest *rest;
  ritti_kernel copies; /* results that are not of kernels */
  _Atomic(bool) ready; /* native code is there for all of them */
};
/* For a tape with kernels, once the layout is finished; the first `split` results go to the first
 * array. part: of each result, NULL: 1. */
ritt_status ritti_loops_make(ritti_tape *tape, size_t m, size_t split, const unsigned char *part,
                             ritti_arena *arena) RITT_USE;
ritti_strand_place ritti_strand_result(const ritti_loops *loops, const ritti_strand *strand);
ritti_strand_place ritti_strand_leaf(const ritti_loops *loops, const ritti_strand *strand,
                                     size_t leaf);
/* The number of the place, from whose base it is *offset away. */
size_t ritti_loop_place(const ritti_loop *loop, ritti_strand_place at, ptrdiff_t *offset);
void ritti_loops_execute(const ritti_loops *loops, const ritti_dag *dag, unsigned parts,
                         const ritt_real *z, const ritt_real *row, ritt_real *one, ritt_real *two);

/* A tape with kernels at the point z, the first `count` of its results to one, the rest to two; of
 * those the ones in some parts, the others may or may not be there. */
void ritti_tape_execute_to(const ritti_tape *tape, const ritt_real *z, size_t m, ritt_real *row,
                           size_t count, unsigned parts, ritt_real *one, ritt_real *two);

/* series.c: the operations of a tape on power series; in the arena */
ritt_status ritti_series_make(const ritti_layout *layout, const ritti_dag *dag, int m,
                              const ritti_tape *tape, ritti_arena *arena,
                              ritti_series *out) RITT_USE;

/* strong.c: the tapes of a strong potential */
typedef struct ritti_strong_tapes {
  ritti_tape mass, force, force_dz, gradient, hessian;
  size_t eps; /* slot */
  bool limit; /* eps is 0 instead */
} ritti_strong_tapes;

/* problem.c: derivatives by the coordinates, row after row */
typedef struct ritti_derivatives {
  RITTI_ARRAY(ritti_expr) entry;
  RITTI_ARRAY(int) col;
} ritti_derivatives;

/* problem.c: the data of a Problem made here */
typedef struct ritti_evaluator {
  const ritti_reduced *reduced; /* as the completion made it, and */
  ritti_reduced sided;          /* on one side of every switching surface */
  ritti_layout *layout;
  ritti_tape f, f_df, d2f, system, formula, system_dz, output, monitor, monitor_df;
  ritti_strong_tapes strong;
  ritti_tape *jump;   /* of each event: the values assigned, and */
  const int **target; /* the coordinates they are assigned to */
  const char **coordinate_name, **row_name;
  const ritti_expr *outputs;
  size_t output_count, row_size;
  ritti_code_slot native;
  struct {
    unsigned long key;
    _Atomic(ritti_step_function *) step; /* NULL: none, nor any behind it */
  } whole[RITTI_MOST_NATIVE];            /* by method */
  _Atomic(bool) has_forms;               /* then, where they come from: */
  ritti_any_function (*get)(const void *from, const char *name);
  const void *from;
} ritti_evaluator;

/* whole.c: can native code take whole steps on the problem? Then behind the tapes: */
bool ritti_whole_fits(const ritti_problem *problem);
ritt_status ritti_whole_write(const ritti_problem *problem, const ritti_step_method *method,
                              ritti_text *out) RITT_USE;
/* whole_solve.c: its linear system, of mechanics */
ritt_status ritti_whole_write_solve(const ritti_problem *problem, bool lanes,
                                    ritti_text *out) RITT_USE;
/* The places of the factors that are not always 0; returns how many. room: tops x tops, as the
 * places. */
int ritti_whole_filled(const ritti_problem *problem, bool *room, int *at);
/* whole.c: tables of a source; the method as `static const ritti_step_method NAME`, other tables
 * before it */
void ritti_source_ints(ritti_text *out, const char *name, const int *at, size_t count);
void ritti_source_method(ritti_text *out, const char *name, const ritti_step_method *method);

extern const char *const
    ritti_whole_text[]; /* linalg/small.h and geometry/whole.h, then NULL; made while building */

/* native.c: the tapes of a whole step in lanes */
ritt_status ritti_lanes_write_tapes(const ritti_problem *problem, ritti_text *out) RITT_USE;
extern const char *const ritti_lanes_text[]; /* geometry/whole.h and geometry/lanes.h */

/* A row of them: derivatives of `e` by the coordinates (then tops) up to `last`, columns ascending.
 */
ritt_status ritti_derivative_row(const ritti_reduced *reduced, ritti_layout *layout, ritti_expr e,
                                 int last, ritti_derivatives *out) RITT_USE;
/* Fills problem->strong. */
ritt_status ritti_strong_make(ritti_evaluator *evaluator, ritti_arena *arena,
                              ritti_problem *problem) RITT_USE;

/* tape.c: where the parts of a row begin; from the parameters to the temporaries it is what
 * ritti_layout_init puts there */
typedef struct ritti_row_parts {
  uint32_t parameter, constant, temporary, end;
} ritti_row_parts;
ritti_row_parts ritti_layout_parts(const ritti_layout *layout);

#endif
