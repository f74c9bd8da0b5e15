/* Krylov methods for symmetric matrices that are given by their products alone. */
#ifndef RITTI_KRYLOV_H
#define RITTI_KRYLOV_H

#include "linalg/linalg.h"

/* y = A x; x and y do not overlap */
typedef void ritti_times(const void *context, const ritt_real *x, ritt_real *y);

typedef struct ritti_krylov {
  int n;
  ritti_times *times;
  const void *context;
  ritt_real tolerance; /* stop at |b - A x| <= tolerance |b| */
  int most;            /* products at most */
  ritt_real *scratch;  /* the caller's: RITTI_CG_SCRATCH n or RITTI_SYMMLQ_SCRATCH n */
  int products;        /* out: made in the last call */
  ritt_real residual;  /* out: |b - A x| / |b| as the recursion has it */
} ritti_krylov;

enum { RITTI_CG_SCRATCH = 3, RITTI_SYMMLQ_SCRATCH = 4 };

/* A x = b from the x given, A positive definite. false: `most` products were not enough, A is seen
 * not to be positive definite, or something is not finite; x is the last iterate. */
bool ritti_cg(ritti_krylov *krylov, const ritt_real *b, ritt_real *x);
/* The same for symmetric A that may be indefinite. */
bool ritti_symmlq(ritti_krylov *krylov, const ritt_real *b, ritt_real *x);

#endif
