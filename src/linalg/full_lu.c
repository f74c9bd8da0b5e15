/* LU with complete pivoting, which shows how much of a matrix is determined.
 *
 * Columns are multiplied by the sizes of their unknowns, and rows divided by their largest entries. Each
 * entry carries a bound of its rounding errors, and each row carries the rounding errors of its terms;
 * both grow in the elimination. If all entries that are left are below these bounds, the unknowns that
 * are left change no row by more than rounding: they get the value 0.
 */
#include "linalg/linalg_impl.h"

/* Allocates a factorisation with exchanges of rows and columns; the caller fills row_size and
   col_size. */
ritt_status ritti_full_lu_init(ritti_full_lu *lu, int n, ritti_arena *arena) {
  *lu = (ritti_full_lu){.n = n};
  RITTI_NEW_ARRAYS(arena, n + 1, lu->row_size, lu->col_size, lu->scratch, lu->largest, lu->blur);
  RITTI_NEW_ARRAYS(arena, (size_t)n * (size_t)n + 1, lu->a, lu->noise);
  RITTI_NEW(lu->row, arena, n + 1);
  RITTI_NEW(lu->col, arena, n + 1);
  return RITT_OK;
}

static void exchange_ints(int *a, int *b) {
  int c = *a;
  *a = *b;
  *b = c;
}

/* Puts the largest entry of what is left that is more than rounding at place k; false: there is none. */
static bool find_pivot(ritti_full_lu *lu, int k) {
  int n = lu->n, at = -1, to = -1;
  ritt_real largest = 0, *a = lu->a;
  /* the largest entry that is well above its rounding errors */
  for (int i = k; i < n; i++)
    for (int j = k; j < n; j++) {
      ritt_real size = RITTI_MATH(fabs)(a[i * n + j]);
      if (!(size > largest)) continue;
      if (size <= 8 * lu->noise[i * n + j] || size <= 8 * lu->blur[i]) continue;
      largest = size;
      at = i;
      to = j;
    }
  if (at < 0) return false;

  /* bring it to the diagonal */
  if (at != k) {
    ritti_swap(n, a + at * n, a + k * n);
    ritti_swap(n, lu->noise + at * n, lu->noise + k * n);
    ritti_swap(1, lu->blur + at, lu->blur + k);
    exchange_ints(&lu->row[at], &lu->row[k]);
  }
  if (to != k) {
    for (int i = 0; i < n; i++) {
      ritti_swap(1, a + i * n + to, a + i * n + k);
      ritti_swap(1, lu->noise + i * n + to, lu->noise + i * n + k);
    }
    exchange_ints(&lu->col[to], &lu->col[k]);
  }
  return true;
}

/* Copies the matrix, each column in units of its unknown and each row divided by its largest
   entry, with bounds of the rounding errors. false if an entry is not finite. */
static bool scale_matrix(ritti_full_lu *lu, const ritti_pattern *pattern, const ritt_real *entry) {
  int n = lu->n;
  ritt_real *a = lu->a;
  memset(a, 0, (size_t)n * (size_t)n * sizeof *a);
  /* row i in units of its unknowns */
  for (int i = 0; i < n; i++) {
    lu->row[i] = lu->col[i] = i;
    for (int e = pattern->start[i]; e < pattern->start[i + 1]; e++) {
      int j = pattern->col[e];
      a[i * n + j] += entry[e] * lu->col_size[j];
      if (!isfinite(a[i * n + j])) return false;
    }

    /* divide by the largest entry */
    lu->largest[i] = 0;
    for (int j = 0; j < n; j++)
      lu->largest[i] = RITTI_MATH(fmax)(lu->largest[i], RITTI_MATH(fabs)(a[i * n + j]));
    if (lu->largest[i] == 0) lu->largest[i] = 1;
    for (int j = 0; j < n; j++) {
      a[i * n + j] /= lu->largest[i];
      lu->noise[i * n + j] = RITTI_EPS * RITTI_MATH(fabs)(a[i * n + j]);
    }
    lu->blur[i] = RITTI_EPS * lu->row_size[i] / lu->largest[i];
  }
  return true;
}

/* Factors the matrix up to its rank: elimination ends where all that is left may be rounding.
   false if an entry is not finite. */
bool ritti_full_lu_factor(ritti_full_lu *lu, const ritti_pattern *pattern, const ritt_real *entry) {
  int n = lu->n;
  ritt_real *a = lu->a, *noise = lu->noise;
  if (!scale_matrix(lu, pattern, entry)) return false;
  for (lu->rank = 0; lu->rank < n; lu->rank++) {
    int k = lu->rank;
    if (!find_pivot(lu, k)) break;
    /* eliminate the column, and carry the error bounds along */
    for (int i = k + 1; i < n; i++) {
      if (a[i * n + k] == 0) continue;
      ritt_real factor = a[i * n + k] /= a[k * n + k], size = RITTI_MATH(fabs)(factor);
      lu->blur[i] += size * lu->blur[k];
      for (int j = k + 1; j < n; j++) {
        if (a[k * n + j] == 0) continue;
        ritt_real part = factor * a[k * n + j];
        noise[i * n + j] += size * noise[k * n + j] + RITTI_EPS * RITTI_MATH(fabs)(part);
        a[i * n + j] -= part;
      }
    }
  }
  return true;
}

/* True if the right side x satisfies the rows beyond the rank, up to rounding. */
bool ritti_full_lu_is_consistent(const ritti_full_lu *lu, const ritt_real *x) {
  int n = lu->n;
  ritt_real *y = lu->scratch;
  for (int i = 0; i < n; i++) {
    ritt_real sum = 0;
    y[i] = x[lu->row[i]] / lu->largest[lu->row[i]];
    for (int j = 0; j < i && j < lu->rank; j++) {
      y[i] -= lu->a[i * n + j] * y[j];
      sum += RITTI_MATH(fabs)(lu->a[i * n + j] * y[j]);
    }
    if (i >= lu->rank && !(RITTI_MATH(fabs)(y[i]) <= 64 * (lu->blur[i] + RITTI_EPS * sum)))
      return false;
  }
  return true;
}

/* Factors such that `right` is consistent. If it is not, unknowns without a pivot are given
   larger units, since a small coefficient may have been taken for rounding. */
bool ritti_full_lu_factor_for(ritti_full_lu *lu, const ritti_pattern *pattern,
                              const ritt_real *entry, const ritt_real *right) {
  enum { MOST = 40 };
  for (int round = 0; round < MOST; round++) {
    if (!ritti_full_lu_factor(lu, pattern, entry)) return false;
    if (ritti_full_lu_is_consistent(lu, right)) return true;
    for (int i = lu->rank; i < lu->n; i++) lu->col_size[lu->col[i]] *= (ritt_real)1e4;
  }
  return false;
}

/* Solves A x = b with unknowns without a pivot 0; x holds b on entry. */
void ritti_full_lu_solve(const ritti_full_lu *lu, ritt_real *x) {
  int n = lu->n;
  const ritt_real *a = lu->a;
  ritt_real *y = lu->scratch;
  /* forward with L */
  for (int i = 0; i < lu->rank; i++) {
    y[i] = x[lu->row[i]] / lu->largest[lu->row[i]];
    for (int j = 0; j < i; j++) y[i] -= a[i * n + j] * y[j];
  }
  /* backward with U */
  for (int i = lu->rank - 1; i >= 0; i--) {
    for (int j = i + 1; j < lu->rank; j++) y[i] -= a[i * n + j] * y[j];
    y[i] /= a[i * n + i];
  }
  /* back to the order and the units of the unknowns */
  for (int i = 0; i < n; i++) x[lu->col[i]] = i < lu->rank ? y[i] * lu->col_size[lu->col[i]] : 0;
}
