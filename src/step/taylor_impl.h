/* Private to the Taylor methods: taylor.c, covariant.c. */
#ifndef RITTI_TAYLOR_IMPL_H
#define RITTI_TAYLOR_IMPL_H

#include "geometry/curve.h"
#include "step/step.h"

/* V at both ends, and no stages */
static inline int ritti_taylor_vectors(const ritti_tableau *t) {
  (void)t;
  return 2;
}
static inline int ritti_taylor_last(const ritti_tableau *t) {
  (void)t;
  return 1;
}
ritt_real ritti_taylor_power(ritt_real t, int n);
/* h (V - dp/ds) / (order + 1) at the end of the step: as large as the first term left out, or as a
 * jump of V. */
void ritti_taylor_defect(const ritti_stepper *step, const ritti_curve *curve, int order,
                         ritt_real *err);
/* The length of the step just taken, along its curve. */
ritt_real ritti_taylor_length(const ritti_stepper *step, const ritti_curve *curve,
                              const ritt_real *weights);

#endif
