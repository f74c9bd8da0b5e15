/* How native code enters the stage kernel (geometry/stage_kernel.h): text for native code alone,
 * behind the functions and constants of one problem (codegen/unit.c). RITTI_STAGE_ENTRY(s) is the
 * function for s stages of an implicit method, RITTI_LINEAR_ENTRY(s) for s - RITTI_MOST_STAGES of a
 * Rosenbrock method. */
#ifndef RITTI_STAGE_ENTRY_H
#define RITTI_STAGE_ENTRY_H

#include "geometry/stage_kernel.h"

#define RITTI_STAGE_ENTRY(s)                                                                       \
  int ritt_stages_##s(ritti_stage_job *J) {                                                        \
    ritt_real Z[s * RITTI_M], W[s * RITTI_M], dZ[s * RITTI_M], right[s * RITTI_M], V[s * RITTI_M]; \
    ritt_real a[RITTI_M], moved[RITTI_M], per_scale[RITTI_M], top[RITTI_TOPS];                     \
    ritti_stage_room R = {Z, W, dZ, right, V, a, moved, per_scale, top};                           \
    if (J->task == RITTI_STAGE_FACTOR) return ritti_factor_stages(s, RITTI_M, J);                  \
    return ritti_find_stages(&step_problem, RITTI_M, s, J, &R);                                    \
  }

#define RITTI_LINEAR_ENTRY(s)                                                                      \
  int ritt_stages_##s(ritti_stage_job *J) {                                                        \
    ritt_real a[RITTI_M], slope[RITTI_M], top[RITTI_TOPS];                                         \
    if (J->task == RITTI_STAGE_FACTOR) return ritti_factor_stages(1, RITTI_M, J);                  \
    return ritti_find_linear_stages(&step_problem, RITTI_M, s - RITTI_MOST_STAGES, J, a, slope,    \
                                    top);                                                          \
  }

#endif
