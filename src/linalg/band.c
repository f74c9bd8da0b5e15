/* Band matrices, each row in a fixed number of places: L D L^T without pivoting and LU with row
 * exchanges.
 *
 * Nothing outside the band is touched or counted. Golub and Van Loan, Matrix Computations,
 * section 4.3.
 */
#include "linalg/sparse_impl.h"

static int larger(int a, int b) { return a > b ? a : b; }

/* ---- L D L^T ---- */

/* row i so that [j] is column j */
static inline ritt_real *symmetric_row(ritt_real *a, int width, int i) {
  return a + (ptrdiff_t)i * (width + 1) + (width - i);
}
/* As symmetric_row, for a matrix that is only read. */
static inline const ritt_real *symmetric_row_of(const ritt_real *a, int width, int i) {
  return a + (ptrdiff_t)i * (width + 1) + (width - i);
}

/* The scalar product; short vectors are summed here, since a call costs more than their
   products. */
static inline ritt_real short_dot(int n, const ritt_real *a, const ritt_real *b) {
  if (n >= 8) return ritti_dot(n, a, b);
  ritt_real sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* Factors a symmetric band matrix as L D L^T in place. Pivot i must have the sign sign[i] and be
   larger than the rounding errors of its sum; false if not. */
bool ritti_band_ldlt_factor(int n, int width, ritt_real *a, const signed char *sign,
                            ritt_real noise) {
  ritti_doubts doubts;
  doubts.kept = n <= RITTI_SMALL && noise > 100, doubts.carried = 0;
  for (int i = 0; i < n; i++) {
    ritt_real *row = symmetric_row(a, width, i);
    int first = larger(0, i - width);
    ritt_real pivot = row[i], size = RITTI_MATH(fabs)(row[i]);
    // row i of L D, then of L
    for (int j = first + 1; j < i; j++) {
      int from = larger(first, j - width);
      row[j] -= short_dot(j - from, row + from, symmetric_row(a, width, j) + from);
    }
    for (int j = first; j < i; j++) {
      ritt_real value = row[j];
      row[j] /= symmetric_row(a, width, j)[j];
      pivot -= value * row[j];
      size += RITTI_MATH(fabs)(value * row[j]);
      ritti_doubts_carry(&doubts, row[j], j);
    }
    /* accept the pivot only if its sign is certain */
    row[i] = pivot;
    ritt_real signed_pivot = sign[i] > 0 ? pivot : -pivot;
    if (!(isfinite(size) && signed_pivot > noise * (ritt_real)(i - first + 1) * RITTI_EPS * size))
      return false;
    if (!ritti_doubts_pass(&doubts, i, i - first + 1, signed_pivot, size)) return false;
  }
  return true;
}

/* Solves L D L^T x = b; x holds b on entry. */
void ritti_band_ldlt_solve(int n, int width, const ritt_real *a, ritt_real *x) {
  /* forward with L */
  for (int i = 1; i < n; i++) {
    int first = larger(0, i - width);
    x[i] -= short_dot(i - first, symmetric_row_of(a, width, i) + first, x + first);
  }
  /* divide by D */
  for (int i = 0; i < n; i++) x[i] /= symmetric_row_of(a, width, i)[i];
  /* backward with L^T */
  for (int i = n - 1; i > 0; i--) {
    int first = larger(0, i - width);
    ritti_subtract(i - first, x[i], symmetric_row_of(a, width, i) + first, x + first);
  }
}

/* ---- LU ---- */

/* The place of row i such that [k] is column k; rows have room for the fill that pivoting
   brings. */
static inline ptrdiff_t row_at(int lower, int upper, int i) {
  return (ptrdiff_t)i * (2 * lower + upper + 1) + (lower - i);
}

/* Factors a band matrix as P L U in place, with row exchanges; false if a pivot is 0 or not
   finite. */
bool ritti_band_lu_factor(int n, int lower, int upper, ritt_real *a, int *pivot) {
  for (int k = 0; k < n; k++) {
    int last = ritti_smaller(n - 1, k + lower), end = ritti_smaller(n, k + lower + upper + 1),
        best = k;
    ritt_real *pivot_row = a + row_at(lower, upper, k), largest = RITTI_MATH(fabs)(pivot_row[k]);
    /* the largest entry of column k becomes the pivot */
    for (int i = k + 1; i <= last; i++) {
      ritt_real size = RITTI_MATH(fabs)((a + row_at(lower, upper, i))[k]);
      if (size > largest) largest = size, best = i;
    }
    pivot[k] = best;
    if (best != k) ritti_swap(end - k, pivot_row + k, a + row_at(lower, upper, best) + k);
    if (!isfinite(pivot_row[k]) || pivot_row[k] == 0) return false;
    /* eliminate column k below the pivot */
    for (int i = k + 1; i <= last; i++) {
      ritt_real *row = a + row_at(lower, upper, i), factor = row[k] /= pivot_row[k];
      ritti_subtract(end - k - 1, factor, pivot_row + k + 1, row + k + 1);
    }
  }
  return true;
}

/* The factors of L stay in the rows in which they arose, so exchanges and eliminations alternate.
 */
void ritti_band_lu_solve(int n, int lower, int upper, const ritt_real *a, const int *pivot,
                         ritt_real *x) {
  for (int k = 0; k < n; k++) {
    if (pivot[k] != k) ritti_swap(1, x + k, x + pivot[k]);
    int last = ritti_smaller(n - 1, k + lower);
    for (int i = k + 1; i <= last; i++) x[i] -= (a + row_at(lower, upper, i))[k] * x[k];
  }
  for (int i = n - 1; i >= 0; i--) {
    const ritt_real *row = a + row_at(lower, upper, i);
    int end = ritti_smaller(n, i + lower + upper + 1);
    x[i] = (x[i] - ritti_dot(end - i - 1, row + i + 1, x + i + 1)) / row[i];
  }
}

/* Solves A^T x = b with the factors of ritti_band_lu_factor; x holds b on entry. */
void ritti_band_lu_solve_transposed(int n, int lower, int upper, const ritt_real *a,
                                    const int *pivot, ritt_real *x) {
  /* forward with U^T */
  for (int i = 0; i < n; i++) {
    const ritt_real *row = a + row_at(lower, upper, i);
    int end = ritti_smaller(n, i + lower + upper + 1);
    x[i] /= row[i];
    ritti_subtract(end - i - 1, x[i], row + i + 1, x + i + 1);
  }
  /* backward with L^T, undoing the row exchanges */
  for (int k = n - 1; k >= 0; k--) {
    int last = ritti_smaller(n - 1, k + lower);
    for (int i = k + 1; i <= last; i++) x[k] -= (a + row_at(lower, upper, i))[k] * x[i];
    if (pivot[k] != k) ritti_swap(1, x + k, x + pivot[k]);
  }
}
