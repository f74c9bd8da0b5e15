/* Reals of the build in quadruple precision: this header is included before all others
 * (src/api/engine.h). */
#ifndef RITTI_REAL_QUAD_H
#define RITTI_REAL_QUAD_H

#include "base/quad.h"

#define RITT_QUAD
typedef ritti_quad ritt_real;
#define RITTI_EPS       0x1p-112Q
#define RITTI_MATH(f)   f##q
#define RITTI_D(digits) digits##Q

#define RITTI_ELEMENTARY(f)   f##q
#define RITTI_SINCOS(a, s, c) (*(s) = sinq(a), *(c) = cosq(a))

#endif
