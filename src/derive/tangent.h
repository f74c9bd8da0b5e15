/* Tangents: a model with the derivatives of its solution by parameters or start values as further
 * unknowns. */
#ifndef RITTI_TANGENT_H
#define RITTI_TANGENT_H

#include "lang/lang.h"

/* By what a solution is differentiated. */
typedef struct ritti_tangent_by {
  const char *name;
  /* the derivatives of all parameters by it: parameters may be defined by others */
  double *rate;
  int variable, order; /* a start value; variable -1: a parameter */
} ritti_tangent_by;

/* Adds the unknowns and their equations, start values, jumps and outputs to the model. The arrays of
 * the model are replaced by longer ones in the arena, so that a copy of the struct made before stays
 * as it was. */
ritt_status ritti_add_tangents(ritti_model *model, const ritti_tangent_by *by, int count,
                               ritti_arena *arena, ritt_error *error) RITT_USE;

#endif
