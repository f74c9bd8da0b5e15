/* A strong potential: M(y) y'' = f(t, y, y') - grad U(t, y) / eps^2, equation (2.1) of Ch. Lubich,
 * Integration of stiff mechanical systems by Runge-Kutta methods (1992). Functions of a point z of
 * the problem that it belongs to.
 *
 * U is least, and grad U = 0, on a manifold of codimension m; there the Hessian H has rank m, and
 * is spanned by m of its columns, which have a regular block in m of its rows: G^T and its left
 * inverse in (8.6).
 */
#ifndef RITTI_STRONG_H
#define RITTI_STRONG_H

#include "linalg/linalg.h"

typedef struct ritti_strong {
  int n, m;                       /* positions; rank of H */
  const int *position, *velocity; /* n: where y and y' are in z */
  const int *column, *row;        /* m: of H, at the start; others where these become poor */
  ritti_pattern M, H;             /* n x n */
  ritti_pattern df;               /* n x coordinates of z */
  ritt_real (*eps)(const void *data, const ritt_real *work);
  ritt_status (*mass)(const void *data, ritt_real *work, const ritt_real *z, ritt_real *M);
  ritt_status (*force)(const void *data, ritt_real *work, const ritt_real *z, ritt_real *f);
  ritt_status (*force_dz)(const void *data, ritt_real *work, const ritt_real *z, ritt_real *df);
  ritt_status (*gradient)(const void *data, ritt_real *work, const ritt_real *z,
                          ritt_real *g); /* of U */
  ritt_status (*hessian)(const void *data, ritt_real *work, const ritt_real *z,
                         ritt_real *H); /* of U */
} ritti_strong;

#endif
