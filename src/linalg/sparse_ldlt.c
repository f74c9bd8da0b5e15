/* L D L^T of a sparse symmetric matrix in a given order, without pivoting.
 *
 * The elimination tree and the pattern of L are found once (Liu, The role of elimination trees in
 * sparse factorization, SIAM J. Matrix Anal. Appl. 11, 1990): row k of L consists of the paths in
 * the tree from the entries of row k of the matrix up to k. A factorisation then goes row by row:
 * each solves with the rows before it, whose columns are known (the up-looking way of Davis, Direct
 * Methods for Sparse Linear Systems, SIAM 2006, section 4.7), and writes numbers only.
 */
#include "linalg/sparse_impl.h"

/* Calls for every entry of row k of L: counts it in its column, or writes it there. */
static int walk_row(const ritti_ldlt *F, int k, int *mark, int *parent, int *count) {
  int entries = 0;
  mark[k] = k;
  for (int e = F->c_start[k]; e < F->c_start[k + 1]; e++)
    for (int j = F->c_col[e]; mark[j] != k; j = parent[j]) {
      if (parent[j] < 0) parent[j] = k;
      mark[j] = k;
      if (F->col_row) F->col_row[count[j]] = k;
      count[j]++;
      entries++;
    }
  return entries;
}

/* The symbolic factorisation: the elimination tree, the entries of L by rows and columns, and
   the cost. */
ritt_status ritti_ldlt_analyse(ritti_ldlt *F, ritti_arena *arena) {
  int n = F->n, *mark, *count;
  RITTI_NEW_ARRAYS(arena, n + 1, mark, count, F->parent, F->row_start, F->col_start);
  for (int k = 0; k < n; k++) mark[k] = F->parent[k] = -1;
  double entries = 0, operations = 0;
  for (int k = 0; k < n; k++) {
    entries += walk_row(F, k, mark, F->parent, count);
    /* more entries than an int can count: such factors are useless */
    F->row_start[k + 1] = entries < (1 << 30) ? (int)entries : 1 << 30;
  }
  /* entries of each column */
  for (int j = 0; j < n; j++) {
    double below = count[j];
    F->col_start[j + 1] =
        (double)F->col_start[j] + below < (1 << 30) ? F->col_start[j] + count[j] : 1 << 30;
    operations += below * (below + 3) / 2;
  }
  F->fill = entries + n;
  F->operations = operations;
  return RITT_OK;
}

/* Allocates the factors and lists where their entries are. */
ritt_status ritti_ldlt_prepare(ritti_ldlt *F, ritti_arena *arena) {
  int n = F->n, *mark, *next;
  if (F->fill >= (1 << 30)) return RITT_NO_MEMORY;
  int entries = F->col_start[n];
  RITTI_NEW_ARRAYS(arena, n + 1, mark, next, F->sign, F->d, F->y, F->filled);
  RITTI_NEW_ARRAYS(arena, entries + 1, F->col_row, F->row_col, F->l);
  RITTI_NEW(F->c, arena, F->c_start[n] + 1);
  // columns, rows ascending; then rows, columns ascending
  memcpy(next, F->col_start, (size_t)n * sizeof *next);
  for (int k = 0; k < n; k++) mark[k] = -1;
  for (int k = 0; k < n; k++) walk_row(F, k, mark, F->parent, next);
  memcpy(next, F->row_start, (size_t)n * sizeof *next);
  for (int j = 0; j < n; j++)
    for (int e = F->col_start[j]; e < F->col_start[j + 1]; e++)
      F->row_col[next[F->col_row[e]]++] = j;
  return RITT_OK;
}

/* y_r -= l_rj * factor for the rows r of a column that are there */
static inline void subtract_column(int count, const int *restrict row, const ritt_real *restrict l,
                                   ritt_real factor, ritt_real *y) {
  for (int e = 0; e < count; e++) y[row[e]] -= l[e] * factor;
}

/* Factors numerically, row by row of L. false if a pivot has the wrong sign or is no more than
   rounding. */
bool ritti_ldlt_numeric(ritti_ldlt *F) {
  int n = F->n;
  ritt_real *y = F->y;
  ritti_doubts doubts;
  doubts.kept = n <= RITTI_SMALL && F->noise > 100, doubts.carried = 0;
  memcpy(F->filled, F->col_start, (size_t)n * sizeof *F->filled);
  for (int k = 0; k < n; k++) y[k] = 0;
  for (int k = 0; k < n; k++) {
    ritt_real pivot, size;
    int first = F->row_start[k], end = F->row_start[k + 1];
    /* row k of the matrix */
    for (int e = F->c_start[k]; e < F->c_start[k + 1]; e++) y[F->c_col[e]] += F->c[e];
    pivot = y[k], size = RITTI_MATH(fabs)(y[k]), y[k] = 0;
    /* eliminate with the rows that it reaches; each entry of L follows from y */
    for (int e = first; e < end; e++) {
      int j = F->row_col[e], from = F->col_start[j], at = F->filled[j]++;
      ritt_real value = y[j], entry = value / F->d[j], product = value * entry;
      y[j] = 0;
      subtract_column(at - from, F->col_row + from, F->l + from, value, y);
      F->l[at] = entry;
      pivot -= product;
      size += RITTI_MATH(fabs)(product);
      ritti_doubts_carry(&doubts, entry, j);
    }
    /* accept the pivot only if its sign is certain */
    F->d[k] = pivot;
    ritt_real signed_pivot = F->sign[k] > 0 ? pivot : -pivot;
    if (!(isfinite(size) &&
          signed_pivot > F->noise * (ritt_real)(end - first + 1) * RITTI_EPS * size))
      return false;
    if (!ritti_doubts_pass(&doubts, k, end - first + 1, signed_pivot, size)) return false;
  }
  return true;
}

/* Solves L D L^T x = b; x holds b on entry. */
void ritti_ldlt_backsolve(const ritti_ldlt *F, ritt_real *x) {
  int n = F->n;
  /* forward with L */
  for (int j = 0; j < n; j++) {
    ritt_real value = x[j];
    for (int e = F->col_start[j]; e < F->col_start[j + 1]; e++) x[F->col_row[e]] -= F->l[e] * value;
  }
  /* divide by D, and backward with L^T */
  for (int j = n - 1; j >= 0; j--) {
    ritt_real sum = x[j] / F->d[j];
    for (int e = F->col_start[j]; e < F->col_start[j + 1]; e++) sum -= F->l[e] * x[F->col_row[e]];
    x[j] = sum;
  }
}
