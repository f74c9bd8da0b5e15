/* Problems from the caller's functions: a ritt_definition becomes a ritti_problem like that of a
 * model. */
#ifndef RITTI_FUNCTIONS_H
#define RITTI_FUNCTIONS_H

#include "geometry/problem.h"

/* The public object, of callers' functions and of models alike. */
struct ritt_problem {
  ritti_arena *arena;              /* NULL: the problem belongs to a model */
  const ritt_allocator *allocator; /* a copy; NULL: malloc */
  const ritti_problem *problem;
  ritt_shape shape;
};

/* start.c: is z a point of the manifold, and do the rows that the caller gave stay there? */
ritt_status ritti_problem_check_start(const ritt_problem *problem, const double *z,
                                      ritt_error *error) RITT_USE;

#endif
