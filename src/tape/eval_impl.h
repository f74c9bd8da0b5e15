/* Private to src/eval. */
#ifndef RITTI_EVAL_IMPL_H
#define RITTI_EVAL_IMPL_H

#include "tape/evaluator.h"

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

/* instances that a kernel computes side by side; a strand has at least as many turns */
enum { RITTI_KERNEL_LANES = 8 };
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

/* A tape with kernels at the point z, the first `count` of its results to one, the rest to two; of
 * those the ones in some parts, the others may or may not be there. */
void ritti_tape_execute_to(const ritti_tape *tape, const ritt_real *z, size_t m, ritt_real *row,
                           size_t count, unsigned parts, ritt_real *one, ritt_real *two);

/* series.c: the operations of a tape on power series; in the arena */
ritt_status ritti_series_make(const ritti_layout *layout, const ritti_dag *dag, int m,
                              const ritti_tape *tape, ritti_arena *arena,
                              ritti_series *out) RITT_USE;

/* problem.c: derivatives by the coordinates, row after row */
typedef struct ritti_derivatives {
  RITTI_ARRAY(ritti_expr) entry;
  RITTI_ARRAY(int) col;
} ritti_derivatives;

/* A row of them: derivatives of `e` by the coordinates (then tops) up to `last`, columns ascending.
 */
ritt_status ritti_derivative_row(const ritti_reduced *reduced, ritti_layout *layout, ritti_expr e,
                                 int last, ritti_derivatives *out) RITT_USE;
/* Parts of a symmetric system [E H; G 0], b: H is not read, and numbers are written once. */
enum { RITTI_SYSTEM_LOWER = 1, RITTI_SYSTEM_UPPER = 2, RITTI_SYSTEM_CONSTANT = 4 };
/* calls.c: sets the functions of a Problem, once its tapes are made. */
void ritti_problem_set_calls(const ritti_evaluator *evaluator, ritti_problem *problem);
/* events.c: events, switching surfaces and validities, and their tapes. */
ritt_status ritti_events_make(ritti_evaluator *evaluator, ritti_arena *arena,
                              ritti_problem *problem, ritt_error *error) RITT_USE;
/* groups.c: the stages in which the tops of the implicit kind are found, and their tapes. */
ritt_status ritti_top_stages_make(ritti_evaluator *evaluator, ritti_arena *arena,
                                  ritti_problem *problem) RITT_USE;
/* by.c: if there is one quantity, the rows of system_along, and which values of the tape of the tops
 * they take from there. Before that tape is recorded. */
ritt_status ritti_by_share(ritti_evaluator *evaluator, ritti_arena *arena) RITT_USE;
/* by.c: the derivatives by the quantities that the model names (ritti_model.by). `output`: the outputs
 * on one side of every switching surface. */
ritt_status ritti_by_make(ritti_evaluator *evaluator, const ritti_expr *output, ritti_arena *arena,
                          ritti_problem *problem) RITT_USE;
/* calls.c: the tape at z and the tops given, or NULL if it holds none. RITT_RETRY: a result is not finite. */
ritt_status ritti_run_at_tops(const ritti_evaluator *evaluator, const ritti_tape *tape,
                              ritt_real *work, const ritt_real *z, const ritt_real *top,
                              ritt_real *out) RITT_USE;
/* The same without regard to values that are not finite. */
void ritti_execute_at_tops(const ritti_evaluator *evaluator, const ritti_tape *tape,
                           ritt_real *work, const ritt_real *z, const ritt_real *top,
                           ritt_real *out);
/* Fills problem->strong. */
ritt_status ritti_strong_make(ritti_evaluator *evaluator, ritti_arena *arena,
                              ritti_problem *problem) RITT_USE;

#endif
