/* How native code enters the stage kernel (geometry/stage_kernel.h): text for native code alone,
 * behind the functions and constants of one problem (codegen/unit.c). RITTI_STAGE_ENTRY(s) is the
 * function for s stages. */
#ifndef RITTI_STAGE_ENTRY_H
#define RITTI_STAGE_ENTRY_H

#include "geometry/stage_kernel.h"

#define RITTI_STAGE_ENTRY(s)                                                                       \
  int ritt_stages_##s(ritti_stage_job *J) {                                                        \
    ritt_real Z[s * RITTI_M], W[s * RITTI_M], dZ[s * RITTI_M], right[s * RITTI_M], V[s * RITTI_M]; \
    ritt_real a[RITTI_M], moved[RITTI_M], per_scale[RITTI_M], top[RITTI_TOPS];                     \
    ritti_stage_room R = {Z, W, dZ, right, V, a, moved, per_scale, top};                           \
    return ritti_find_stages(&step_problem, RITTI_M, s, J, &R);                                    \
  }

#endif
