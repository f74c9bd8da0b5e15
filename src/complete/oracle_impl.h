/* Private to src/complete: the derivative array in Taylor coefficients. */
#ifndef RITTI_ORACLE_IMPL_H
#define RITTI_ORACLE_IMPL_H

#include "complete/complete_impl.h"
#include "expr/series.h"

typedef struct ritti_partial {
  int equation, variable, order;
} ritti_partial;

typedef struct ritti_oracle {
  ritti_completion *C;
  int most;            /* differentiations at most */
  int degree;          /* of the solution's series */
  double *coefficient; /* variables x (degree + 1) */
  ritti_partial *partial;
  double *series; /* partials x (most + 1) */
  int partials;
} ritti_oracle;

/* order[j]: the highest order of variable j in the equations. */
ritt_status ritti_oracle_init(ritti_oracle *O, ritti_completion *C, int most,
                              const int *order) RITT_USE;
/* Rank of the array of all equations differentiated 0 .. K times in the jets y_j^(m), m >=
 * lowest_j; -1: not clear. */
ritt_status ritti_oracle_rank(const ritti_oracle *O, int K, const int *lowest, int *rank) RITT_USE;

#endif
