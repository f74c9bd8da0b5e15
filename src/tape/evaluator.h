/* The data of a Problem made by eval: its tapes, and the native code that takes their place. For
 * src/codegen, which writes them as C. */
#ifndef RITTI_EVALUATOR_H
#define RITTI_EVALUATOR_H

#include "tape/eval.h"

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

/* strong.c: the tapes of a strong potential */
typedef struct ritti_strong_tapes {
  ritti_tape mass, force, force_dz, gradient, hessian;
  size_t eps; /* slot */
  bool limit; /* eps is 0 instead */
} ritti_strong_tapes;

/* problem.c: the data of a Problem made here */
typedef struct ritti_evaluator {
  const ritti_reduced *reduced; /* as the completion made it, and */
  ritti_reduced sided;          /* on one side of every switching surface */
  ritti_layout *layout;
  ritti_tape f, f_df, d2f, system, formula, system_dz, output, monitor, monitor_df, impulses;
  ritti_tape system_d, system_along, f_d, output_d; /* by.c */
  ritti_expr *along, *shared; /* the rows of system_along; values of the tape of the tops in them */
  int shared_count;
  ritti_tape *top_stage; /* of the implicit kind */
  ritti_strong_tapes strong;
  ritti_tape *jump;   /* of each event: the values assigned, and */
  const int **target; /* the coordinates they are assigned to */
  const char **coordinate_name, **row_name;
  const ritti_expr *outputs;
  size_t output_count, row_size;
  ritti_code_slot *code;
} ritti_evaluator;

/* tape.c: where the parts of a row begin; from the parameters to the temporaries it is what
 * ritti_layout_init puts there */
typedef struct ritti_row_parts {
  uint32_t parameter, constant, temporary, end;
} ritti_row_parts;
ritti_row_parts ritti_layout_parts(const ritti_layout *layout);

#endif
