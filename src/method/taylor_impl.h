/* Private to the Taylor methods: taylor.c, covariant.c. */
#ifndef RITTI_TAYLOR_IMPL_H
#define RITTI_TAYLOR_IMPL_H

#include "geometry/curve.h"
#include "method/step.h"

ritt_real ritti_taylor_power(ritt_real t, int n);
/* The length of the step just taken, along its curve. */
ritt_real ritti_taylor_length(const ritti_stepper *step, const ritti_curve *curve, const ritt_real *weights);

#endif
