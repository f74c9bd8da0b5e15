/* LU with complete pivoting, which shows how much of a matrix is determined.
 *
 * Rows are divided by the sizes of their terms and columns multiplied by the sizes of their unknowns,
 * so that the rounding errors of a row are about RITTI_EPS. Multipliers are at most 1, so they stay
 * there. If all entries that are left are below that level, the unknowns that are left change no row
 * by more than rounding: they get the value 0.
 */
#include "linalg/linalg_impl.h"

ritt_status ritti_full_lu_init(ritti_full_lu *lu, int n, ritti_arena *arena) {
  *lu = (ritti_full_lu){.n = n};
  RITTI_NEW_ARRAYS(arena, n + 1, lu->row_size, lu->col_size, lu->scratch);
  RITTI_NEW(lu->a, arena, (size_t)n * (size_t)n + 1);
  RITTI_NEW(lu->row, arena, n + 1);
  RITTI_NEW(lu->col, arena, n + 1);
  return RITT_OK;
}

static void exchange_ints(int *a, int *b) {
  int c = *a;
  *a = *b;
  *b = c;
}

/* Puts the largest entry of what is left at place k; returns its size. */
static ritt_real find_pivot(ritti_full_lu *lu, int k) {
  int n = lu->n, at = k, to = k;
  ritt_real largest = 0, *a = lu->a;
  for (int i = k; i < n; i++)
    for (int j = k; j < n; j++) {
      ritt_real size = RITTI_MATH(fabs)(a[i * n + j]);
      if (size > largest) {
        largest = size;
        at = i;
        to = j;
      }
    }

  if (at != k) {
    ritti_swap(n, a + at * n, a + k * n);
    exchange_ints(&lu->row[at], &lu->row[k]);
  }
  if (to != k) {
    for (int i = 0; i < n; i++) ritti_swap(1, a + i * n + to, a + i * n + k);
    exchange_ints(&lu->col[to], &lu->col[k]);
  }
  return largest;
}

bool ritti_full_lu_factor(ritti_full_lu *lu, const ritti_pattern *pattern, const ritt_real *entry) {
  const ritt_real noise = 8 * RITTI_EPS;
  int n = lu->n;
  ritt_real *a = lu->a;
  memset(a, 0, (size_t)n * (size_t)n * sizeof *a);
  for (int i = 0; i < n; i++) {
    lu->row[i] = lu->col[i] = i;
    for (int e = pattern->start[i]; e < pattern->start[i + 1]; e++) {
      int j = pattern->col[e];
      a[i * n + j] += entry[e] * lu->col_size[j] / lu->row_size[i];
      if (!isfinite(a[i * n + j])) return false;
    }
  }

  for (lu->rank = 0; lu->rank < n; lu->rank++) {
    int k = lu->rank;
    if (!(find_pivot(lu, k) > noise)) break;
    for (int i = k + 1; i < n; i++) {
      if (a[i * n + k] == 0) continue;
      ritt_real factor = a[i * n + k] /= a[k * n + k];
      for (int j = k + 1; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return true;
}

void ritti_full_lu_solve(const ritti_full_lu *lu, ritt_real *x) {
  int n = lu->n;
  const ritt_real *a = lu->a;
  ritt_real *y = lu->scratch;
  for (int i = 0; i < lu->rank; i++) {
    y[i] = x[lu->row[i]] / lu->row_size[lu->row[i]];
    for (int j = 0; j < i; j++) y[i] -= a[i * n + j] * y[j];
  }
  for (int i = lu->rank - 1; i >= 0; i--) {
    for (int j = i + 1; j < lu->rank; j++) y[i] -= a[i * n + j] * y[j];
    y[i] /= a[i * n + i];
  }
  for (int i = 0; i < n; i++) x[lu->col[i]] = i < lu->rank ? y[i] * lu->col_size[lu->col[i]] : 0;
}
