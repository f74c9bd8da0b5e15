/* Tangents: a model with the derivatives of its solution by parameters or start values as further
 * unknowns. */
#ifndef RITTI_TANGENT_H
#define RITTI_TANGENT_H

#include "complete/complete.h"

/* Adds the unknowns and their equations, start values, jumps and outputs to the model. The arrays of
 * the model are replaced by longer ones in the arena, so that a copy of the struct made before stays
 * as it was. */
ritt_status ritti_add_tangents(ritti_model *model, const ritti_tangent_by *by, int count,
                               ritti_arena *arena, ritt_error *error) RITT_USE;

/* Does the model have events with jumps, or does it switch (abs, sign, if, ...)? Then derivatives jump
 * on the way, and only ritti_add_tangents knows how. */
ritt_status ritti_has_jumps(ritti_model *model, ritti_arena *arena, bool *out) RITT_USE;
/* If the model lists no outputs: lists all variables, and their derivatives below the highest. */
ritt_status ritti_list_all_outputs(ritti_model *model, ritti_arena *arena) RITT_USE;

/* start_tangent.c: derivatives of the start point by the quantities, count x m. */
ritt_status ritti_start_tangents(const ritti_reduced *reduced, const ritti_tangent_by *by,
                                 int count, ritti_arena *arena, ritt_error *error,
                                 double *s) RITT_USE;

#endif
