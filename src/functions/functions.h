/* Problems from the caller's functions: turns a ritt_definition into a ritti_problem like that of a
 * model. */
#ifndef RITTI_FUNCTIONS_H
#define RITTI_FUNCTIONS_H

#include "geometry/problem.h"

/* The public object, for callers' functions and for models. */
struct ritt_problem {
  ritti_arena *arena;              /* NULL: the problem belongs to a model */
  const ritt_allocator *allocator; /* a copy; NULL: malloc */
  const ritti_problem *problem;
  ritt_shape shape;
};

/* start.c: checks that z is a point of the manifold and that the caller's rows are invariant there.
 */
ritt_status ritti_problem_check_start(const ritt_problem *problem, const double *z,
                                      ritt_error *error) RITT_USE;

#endif
