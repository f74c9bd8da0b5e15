/* Private to src/eval. */
#ifndef RITTI_EVAL_IMPL_H
#define RITTI_EVAL_IMPL_H

#include "eval/eval.h"

/* sides.c: the expressions with the sides of switching surfaces as numbers of their own; copies in the
 * arena */
ritt_status ritti_one_side(const ritti_reduced *reduced, ritti_arena *arena, size_t count,
                           ritti_expr **e) RITT_USE;
ritt_status ritti_reduced_one_side(const ritti_reduced *reduced, ritti_arena *arena,
                                   ritti_reduced *out) RITT_USE;

#endif
