/* Linear algebra for small and medium matrices: own loops up to n = 64, LAPACK above.
 *
 * Matrices are dense and row-major unless said otherwise; nothing here allocates. Every
 * factorisation says how good it is, so that the caller decides: a pivot ratio, a rank, a sign. A
 * NaN anywhere makes the factorisation fail.
 */
#ifndef RITTI_LINALG_H
#define RITTI_LINALG_H

#include "base/base.h"

enum { RITTI_SMALL = 64 }; /* own kernels up to here */

/* Compressed rows: entries start[i] .. start[i+1]-1 of row i are in columns col[]. */
typedef struct ritti_pattern {
  int rows, cols;
  const int *start, *col;
} ritti_pattern;
static inline size_t
ritti_entries(const ritti_pattern *p) { /* of a pattern; 0 where there is none */
  return p->start && p->rows > 0 ? (size_t)p->start[p->rows] : 0;
}

/* Do the columns of every row ascend, so that none stands there twice? */
bool ritti_pattern_is_sorted(const ritti_pattern *p);
/* A pattern by columns: the rows of column c, ascending, are (*row)[(*start)[c]] ..
 * (*row)[(*start)[c+1]-1]. */
ritt_status ritti_pattern_columns(const ritti_pattern *p, ritti_arena *arena, int **start,
                                  int **row) RITT_USE;

/* ---- products ---- */
ritt_real ritti_dot(int n, const ritt_real *a, const ritt_real *b);
ritt_real ritti_norm(int n, const ritt_real *a); /* Euclidean, without overflow */
/* log2 of |a[0] a[stride] a[2 stride] ...|, n factors */
ritt_real ritti_log2_product(int n, const ritt_real *a, int stride);
/* The logarithm to base 2 of a normal x > 0, to 1.5e-5: the polynomial of degree 5 that is nearest
 * to it between sqrt(1/2) and sqrt(2). */
double ritti_log2(double x);
/* y = A x and y = A^T x for compressed rows */
void ritti_csr_times(const ritti_pattern *p, const ritt_real *a, const ritt_real *x, ritt_real *y);
void ritti_csr_times_transposed(const ritti_pattern *p, const ritt_real *a, const ritt_real *x,
                                ritt_real *y);
/* A pattern by columns, with the number of each entry: A^T x column by column. */
typedef struct ritti_column_entry {
  int entry, row;
} ritti_column_entry;
typedef struct ritti_columns {
  int cols;
  int *start;
  ritti_column_entry *at;
  struct ritti_column_run { /* columns side by side whose terms lie alike */
    int first, count, terms;
    const struct ritti_column_term *term;
  } * run;
} ritti_columns;
ritt_status ritti_columns_init(ritti_columns *columns, const ritti_pattern *pattern,
                               ritti_arena *arena) RITT_USE;
/* The same of the transposed matrix, whose columns are the rows of A. */
ritt_status ritti_rows_init(ritti_columns *rows, const ritti_pattern *pattern,
                            ritti_arena *arena) RITT_USE;
/* Entries first .. first + count - 1 of A^T x. *run is 0 at first, and goes on with calls for later
 * columns. */
void ritti_columns_times(const ritti_columns *columns, int *run, int first, int count,
                         const ritt_real *a, const ritt_real *x, ritt_real *out);
/* Rows of a Gram matrix A diag(d) A^T in native code, which depends on a key (sparse.h): n periods
 * of rows that are alike, into r; a and b are the entries of A and of A diag(d), at[0], at[1], ...
 * the first entries of the rows, with those before them at[-1], ... */
typedef void ritti_form(const ritt_real *a, const ritt_real *b, const int *at, ritt_real *r, int n);
/* S = A diag(d) A^T (rows x rows, lower triangle and diagonal filled, row-major); d NULL: ones.
 * scratch: cols reals. */
void ritti_csr_gram(const ritti_pattern *p, const ritt_real *a, const ritt_real *d,
                    ritt_real *scratch, ritt_real *S);
void ritti_csr_to_dense(const ritti_pattern *p, const ritt_real *a, ritt_real *dense);

/* ---- LU with partial pivoting: P A = L U, in place ---- */
/* false: a pivot is 0 or not finite. *ratio (may be NULL) = smallest / largest |pivot| after
 * scaling rows by their largest entry (to a power of two): a cheap hint, not a condition number; 0
 * on failure. */
bool ritti_lu_factor(int n, ritt_real *a, int *pivot, ritt_real *ratio);
void ritti_lu_solve(int n, const ritt_real *lu, const int *pivot, ritt_real *x);
void ritti_lu_solve_transposed(int n, const ritt_real *lu, const int *pivot, ritt_real *x);
/* ---- LU with partial pivoting by columns, n <= RITTI_SMALL, for matrices with many zeros ---- */
/* In place; all entries must be finite. false: a pivot is 0 or not finite. A complex matrix has its
 * real parts in re and its imaginary parts in im; so have the vectors x + i y. */
bool ritti_column_lu_factor(int n, ritt_real *a, int *pivot);
void ritti_column_lu_solve(int n, const ritt_real *a, const int *pivot, ritt_real *x);
bool ritti_complex_lu_factor(int n, ritt_real *re, ritt_real *im, int *pivot);
void ritti_complex_lu_solve(int n, const ritt_real *re, const ritt_real *im, const int *pivot,
                            ritt_real *x, ritt_real *y);
/* ---- LU with complete pivoting, for equations whose rounding errors are known ---- */
typedef struct ritti_full_lu {
  int n, rank;
  ritt_real *row_size;  /* n, set by the caller: the sizes of the terms of each row; */
  ritt_real *col_size;  /* n, set by the caller: the sizes of the unknowns */
  ritt_real *a, *noise; /* n x n: factors, bounds of their rounding errors */
  ritt_real *largest, *blur, *scratch; /* n: of each row: its largest entry, its rounding errors */
  int *row, *col;
} ritti_full_lu;
ritt_status ritti_full_lu_init(ritti_full_lu *lu, int n, ritti_arena *arena) RITT_USE;
/* false: entries are not finite. The rank may be smaller than n: entries of the scaled matrix below
 * rounding count as 0, and unknowns that no row determines become 0. */
bool ritti_full_lu_factor(ritti_full_lu *lu, const ritti_pattern *pattern, const ritt_real *entry);
void ritti_full_lu_solve(const ritti_full_lu *lu, ritt_real *x);
/* Do the rows beyond the rank hold to rounding with these right sides? */
bool ritti_full_lu_is_consistent(const ritti_full_lu *lu, const ritt_real *right);
/* Factors the matrix so that they do: unknowns that are not determined get larger sizes until they
 * are, or until nothing is left for them to do. */
bool ritti_full_lu_factor_for(ritti_full_lu *lu, const ritti_pattern *pattern,
                              const ritt_real *entry, const ritt_real *right);
/* Reciprocal 1-norm condition (Hager/Higham estimate) of the factored matrix whose 1-norm was
 * norm1, 0 where it is beyond all bounds; scratch: 3n reals, n ints */
ritt_real ritti_lu_rcond(int n, const ritt_real *lu, const int *pivot, ritt_real norm1,
                         ritt_real *scratch, int *iscratch);

/* ---- Cholesky of a lower triangle, in place; false: not positive definite
 * ----------------------------- A pivot below 4*n*eps of its diagonal entry is rounding noise and
 * counts as not positive. */
bool ritti_cholesky_factor(int n, ritt_real *a);
void ritti_cholesky_solve(int n, const ritt_real *l, ritt_real *x);

/* ---- LDL^T without pivoting, lower triangle, in place
 * ------------------------------------------------- For KKT matrices [E G^T; G 0], E of size ne
 * first. false: a sign is not as it must be (first ne positive, the rest negative) or a pivot is
 * tiny against its diagonal growth; the caller falls back to LU. */
bool ritti_ldlt_factor(int n, int ne, ritt_real *a);
void ritti_ldlt_solve(int n, const ritt_real *ldl, ritt_real *x);

/* ---- QR with column pivoting: A P = Q R, rows x cols, in place (Householder), any shape ---- */
typedef struct ritti_qr {
  int rows, cols,
      rank;     /* rank by the tolerance given to the factorisation; -1: an entry is not finite */
  ritt_real *a; /* R above, reflectors below the diagonal */
  ritt_real *beta; /* min(rows, cols) */
  int *column;     /* cols: column[j] of A stands at place j */
  ritt_real gap;   /* |R_rr| / |R_00| of the last kept, and */
  /* |R_r+1,r+1| / |R_00| of the first dropped column (0: none): together the rank decision */
  ritt_real next;
} ritti_qr;
/* The arrays are the caller's: a rows*cols, beta min, column cols; scratch 2*cols reals. tolerance
 * relative to |R_00|. */
void ritti_qr_factor(ritti_qr *qr, ritt_real tolerance, ritt_real *scratch);
void ritti_qr_apply_qt(const ritti_qr *qr, ritt_real *b); /* b (rows) := Q^T b */
void ritti_qr_apply_q(const ritti_qr *qr, ritt_real *b);  /* b (rows) := Q b */
/* Least squares with the leading `rank` columns (basic solution: the others 0). b: rows,
 * overwritten; x: cols. */
void ritti_qr_solve(const ritti_qr *qr, ritt_real *b, ritt_real *x);
/* Least-norm least-squares solution of A x = b of the rank kept (complete orthogonal factorisation
 * on the fly). scratch: ritti_least_norm_scratch(rows, cols) reals, iscratch: rows + cols ints. A
 * is not changed. Returns the rank, or -1 and x = NaN where an entry of A is not finite. */
size_t ritti_least_norm_scratch(int rows, int cols);
int ritti_least_norm(int rows, int cols, const ritt_real *a, const ritt_real *b,
                     ritt_real tolerance, ritt_real *x, ritt_real *scratch, int *iscratch);

/* ---- singular values, descending, of a rows x cols matrix
 * --------------------------------------------- One-sided Jacobi for small, LAPACK above. a is
 * overwritten. sigma: min(rows, cols). v (cols x cols, may be NULL) gets the right singular vectors
 * as rows, those of the kernel last. scratch: ritti_singular_values_scratch(rows, cols) reals.
 * false: an entry is not finite. */
size_t ritti_singular_values_scratch(int rows, int cols);
bool ritti_singular_values(int rows, int cols, ritt_real *a, ritt_real *sigma, ritt_real *v,
                           ritt_real *scratch);

/* Ruiz equilibration: row[i] * a[i][j] * column[j] has row and column maxima between 1/2 and 2 (the
 * factors are powers of two). Zero rows and columns keep 1; all keep 1 where an entry is not
 * finite. */
void ritti_equilibrate(int rows, int cols, const ritt_real *a, ritt_real *row, ritt_real *column);

#endif
