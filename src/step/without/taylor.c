/* In place of taylor.c and covariant.c in emitted solvers, whose functions have no series: there
 * are no Taylor methods there. */
#include "step/step.h"

const ritti_stepping *ritti_taylor_stepping(void) { return NULL; }
const ritti_stepping *ritti_covariant_stepping(void) { return NULL; }
