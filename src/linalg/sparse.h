/* Linear systems with a fixed pattern: analysed once, factored often, solved with each
 * factorisation.
 *
 * A ritti_linear is made for one pattern and one sort of matrix. From the pattern alone it chooses
 * dense kernels, a band (after reordering), or sparse factors; the choice can be forced. Up to
 * RITTI_SMALL rows it is dense. After its init nothing allocates, except where an unsymmetric
 * sparse matrix needs pivots other than those of the last time. Values must be finite: NaN and
 * infinity make a factorisation fail.
 */
#ifndef RITTI_SPARSE_H
#define RITTI_SPARSE_H

#include "base/state.h"
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
  /* [E G^T; G -C], E positive definite and first, C >= 0; entries above the diagonal are not read */
  RITTI_SYMMETRIC,
  RITTI_GENERAL, /* square */
} ritti_matrix;

typedef struct ritti_scheme ritti_scheme;

typedef struct ritti_linear {
  ritti_matrix matrix;
  ritti_algebra algebra; /* the one taken, not auto */
  int n;                 /* unknowns */
  int sign;              /* of the determinant of the last matrix; 0: it was not factored */
  bool same;   /* symmetric: the caller sets this if E is the same as in the last factorisation */
  bool formed; /* native code was looked for */
  bool kept;   /* Gram: columns that do not count are left out, whatever their d */
  long factorisations, solves;
  long full;         /* factorisations that had to look for new pivots (sparse, general) */
  double fill;       /* reals in the factors */
  double operations; /* multiplications of one factorisation */
  ritti_scheme *scheme;
} ritti_linear;

/* pattern: of A. Its first entry need not be number 0 (start[0] > 0): values are counted as it
 * counts them. positive: the rows of E (RITTI_SYMMETRIC; else not used). The pattern must outlive
 * the ritti_linear. */
ritt_status ritti_linear_init(ritti_linear *linear, ritti_matrix matrix,
                              const ritti_pattern *pattern, int positive, ritti_algebra algebra,
                              ritti_arena *arena) RITT_USE;
/* RITTI_GRAM of which only the columns with keep[c] != 0 count: the others must have d = 0, unless
 * `kept` says that it does not matter. keep must outlive the ritti_linear. */
ritt_status ritti_linear_init_gram(ritti_linear *linear, const ritti_pattern *pattern,
                                   const unsigned char *keep, ritti_algebra algebra,
                                   ritti_arena *arena) RITT_USE;
/* Factors the matrix with these entries. d: RITTI_GRAM only, one a column; NULL: ones. false:
 * singular to rounding, not finite, or (gram, symmetric) a pivot without its sign; nothing can be
 * solved then. */
bool ritti_linear_factor(ritti_linear *linear, const ritt_real *a, const ritt_real *d);
/* Both at once, which may be less work; x may be anything where it fails. Solutions after this one
 * need a as it was. */
bool ritti_linear_factor_solve(ritti_linear *linear, const ritt_real *a, const ritt_real *d,
                               ritt_real *x);
/* Gram: is it the same with d NULL, as far as that is known? */
bool ritti_linear_is_plain(const ritti_linear *linear, const ritt_real *d);
/* x := M^-1 x and x := M^-T x, M the matrix factored last */
void ritti_linear_solve(ritti_linear *linear, ritt_real *x);
void ritti_linear_solve_transposed(ritti_linear *linear, ritt_real *x);
/* n x n, where dense factors are; NULL: they are not dense */
ritt_real *ritti_linear_dense(const ritti_linear *linear);
/* Factors were put there, and `count` systems factored and solved. */
void ritti_linear_taken(ritti_linear *linear, long count);
/* log2 |det M| of the matrix factored last; NaN where the algebra is not dense */
ritt_real ritti_linear_log2(const ritti_linear *linear);
/* |M^-1|_1 of the matrix factored last (an estimate from below, almost always within a factor 3) */
ritt_real ritti_linear_inverse_norm(ritti_linear *linear);
/* The next factorisation chooses its pivots by itself. */
void ritti_linear_forget(ritti_linear *linear);
/* What later factorisations depend on (the pivots that a sparse one keeps), and with `factors` also
 * what later solves do: for a matrix that is factored in one step and solved with in another. */
void ritti_linear_state(ritti_linear *linear, bool factors, ritti_state *state);

/* ---- Gram matrices by native code
 * ---------------------------------------------------------------------- Rows that are alike are
 * formed by code for their pattern, with the bits of the general one. */
/* Takes the functions ritt_form_KEY (codegen/gram.c) from a unit; find may return NULL. */
void ritti_linear_take_forms(ritti_linear *linear,
                             ritti_form *(*find)(const void *from, uint64_t key), const void *from);

/* ---- scaling ---- */
/* ritti_equilibrate for compressed rows, each entry listed once. scratch: cols. */
void ritti_csr_equilibrate(const ritti_pattern *p, const ritt_real *a, ritt_real *row,
                           ritt_real *column, ritt_real *scratch);

/* ---- least.c: least-norm least-squares solutions of A x = b, A sparse with a fixed pattern ----
 */
typedef struct ritti_least {
  ritti_pattern pattern; /* of (A | I) */
  int cols;              /* of A */
  ritti_linear gram;     /* A A^T + delta^2 I */
  ritt_real *value, *d;  /* of (A | I); 1 for columns of A, delta^2 for the others */
  ritt_real *mu, *step;
} ritti_least;
/* Rows of A should have lengths about 1. */
ritt_status ritti_least_init(ritti_least *least, const ritti_pattern *a,
                             ritti_arena *arena) RITT_USE;
/* Directions that A shrinks below `tolerance` are left out, as far as that can be without singular
 * values: smoothly, and those below 1e-6 only where the rows are not independent. x: cols. */
void ritti_least_solve(ritti_least *least, const ritt_real *a, const ritt_real *b,
                       ritt_real tolerance, ritt_real *x);

/* ---- independent.c ---- */
/* Takes columns of a sparse matrix while they are independent of those taken before, group by
 * group: those with group 0 first; columns with group -1 are left out. A column counts as dependent
 * where less than `small` is left of it; the matrix should be equilibrated. The choice within a
 * group is one that keeps the matrix sparse. *sure: false where rows that depend on each other were
 * too many to follow. */
ritt_status ritti_independent_columns(const ritti_pattern *p, const ritt_real *a, const int *group,
                                      int groups, ritt_real small, bool *taken,
                                      bool *sure) RITT_USE;

/* ---- suitesparse.c: complex matrices M + (alpha + i beta) D with a real sparse M ---- */

typedef struct ritti_complex_sparse ritti_complex_sparse;
/* *out NULL: this build has no SuiteSparse. */
ritt_status ritti_complex_sparse_new(const ritti_pattern *pattern, ritti_arena *arena,
                                     ritti_complex_sparse **out) RITT_USE;
/* Factors the matrix with these entries, to some of which, those that `diagonal` lists, alpha + i beta
 * is added. false: it is singular or not finite. */
bool ritti_complex_sparse_factor(ritti_complex_sparse *sparse, const ritt_real *entry, int entries,
                                 const int *diagonal, int shifts, ritt_real alpha, ritt_real beta);
void ritti_complex_sparse_solve(ritti_complex_sparse *sparse, ritt_real *re, ritt_real *im);
void ritti_complex_sparse_forget(ritti_complex_sparse *sparse);
void ritti_complex_sparse_state(ritti_complex_sparse *sparse, ritti_state *state);

#endif
