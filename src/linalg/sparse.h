/* Linear systems with a fixed pattern: analysed once, factored often, solved with each factorisation.
 *
 * A ritti_linear is made for one pattern and one sort of matrix. From the pattern alone it chooses dense
 * kernels, a band (after reordering), or sparse factors; the choice can be forced. Up to RITTI_SMALL rows it
 * is dense. After its init nothing allocates, except where an unsymmetric sparse matrix needs pivots other
 * than those of the last time. Values must be finite: NaN and infinity make a factorisation fail.
 */
#ifndef RITTI_SPARSE_H
#define RITTI_SPARSE_H

#include "linalg/linalg.h"

/* X(id, word): which algebra; auto chooses from the pattern */
#define RITTI_ALGEBRAS(X) X(AUTO, "auto") X(DENSE, "dense") X(BAND, "band") X(SPARSE, "sparse")
typedef enum ritti_algebra {
#define X(id, word) RITTI_ALGEBRA_##id,
  RITTI_ALGEBRAS(X)
#undef X
} ritti_algebra;

typedef enum ritti_matrix {
  RITTI_GRAM, /* S = A diag(d) A^T, A given, d >= 0: positive definite where A has full rank */
  RITTI_SYMMETRIC, /* [E G^T; G -C], E positive definite and first, C >= 0; entries above the diagonal are not read */
  RITTI_GENERAL, /* square */
} ritti_matrix;

typedef struct ritti_scheme ritti_scheme;

typedef struct ritti_linear {
  ritti_matrix matrix;
  ritti_algebra algebra; /* the one taken, not auto */
  int n;                 /* unknowns */
  int sign;              /* of the determinant of the last matrix; 0: it was not factored */
  long factorisations, solves;
  long full;         /* factorisations that had to look for new pivots (sparse, general) */
  double fill;       /* reals in the factors */
  double operations; /* multiplications of one factorisation */
  ritti_scheme *scheme;
} ritti_linear;

/* pattern: of A. Its first entry need not be number 0 (start[0] > 0): values are counted as it counts them.
 * positive: the rows of E (RITTI_SYMMETRIC; else not used). The pattern must outlive the ritti_linear. */
ritt_status ritti_linear_init(ritti_linear *linear, ritti_matrix matrix, const ritti_pattern *pattern,
                              int positive, ritti_algebra algebra, ritti_arena *arena) RITT_USE;
/* Factors the matrix with these entries. d: RITTI_GRAM only, one a column; NULL: ones. false: singular to
 * rounding, not finite, or (gram, symmetric) a pivot without its sign; nothing can be solved then. */
bool ritti_linear_factor(ritti_linear *linear, const ritt_real *a, const ritt_real *d);
/* x := M^-1 x and x := M^-T x, M the matrix factored last */
void ritti_linear_solve(ritti_linear *linear, ritt_real *x);
void ritti_linear_solve_transposed(ritti_linear *linear, ritt_real *x);
/* |M^-1|_1 of the matrix factored last (an estimate from below, almost always within a factor 3) */
ritt_real ritti_linear_inverse_norm(ritti_linear *linear);

#endif
