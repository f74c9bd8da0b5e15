/* Square dense matrices: LU with partial pivoting, Cholesky, LDL^T without pivoting, and the
 * condition estimate.
 *
 * Plain loops over rows up to RITTI_SMALL, blocks and BLAS above; both leave the same format, so
 * that one solve serves both. NaN and infinity reach the pivots, since a product with a zero is left
 * out only if all entries are finite, and are caught there.
 */
#include "linalg/linalg_impl.h"
#include "linalg/small.h"

enum { BLOCK = 32 };

static inline ritt_real *row_of(ritt_real *a, int n, int i) { return a + (size_t)i * (size_t)n; }
/* As row_of, for a matrix that is only read. */
static inline const ritt_real *const_row_of(const ritt_real *a, int n, int i) {
  return a + (size_t)i * (size_t)n;
}

/* ---- LU ---- */

/* Brings the row with the largest entry of column k to place k; its number goes to pivot[k], its
 * exponent is returned. */
static int bring_pivot(int n, ritt_real *a, int *pivot, int k) {
  int best = k;
  ritt_real largest = RITTI_MATH(fabs)(row_of(a, n, k)[k]);
  for (int i = k + 1; i < n; i++) {
    ritt_real size = RITTI_MATH(fabs)(row_of(a, n, i)[k]);
    if (size > largest) largest = size, best = i;
  }
  int exponent = pivot[best];
  if (best != k) {
    ritti_swap(n, row_of(a, n, best), row_of(a, n, k));
    pivot[best] = pivot[k];
  }
  pivot[k] = best;
  return exponent;
}

/* Is every entry finite? */
static bool are_finite(int n, const ritt_real *a) {
  ritt_real sum = 0;
  for (int i = 0; i < n * n; i++) sum += 0 * a[i];
  return sum == 0;
}

/* Factors a dense matrix as P L U in place, with implicitly scaled row exchanges if `ratio` is
   given: it becomes the smallest pivot over the largest, both relative to their rows. false if a
   pivot is 0 or not finite. */
bool ritti_lu_factor(int n, ritt_real *a, int *pivot, ritt_real *ratio) {
  ritt_real least = INFINITY, most = 0;
  const bool leave_out = n <= RITTI_SMALL && are_finite(n, a);
  if (ratio) {
    *ratio = 0;

    /* Binary exponents of the largest entry of each row; they wait in pivot[] until their row is
     * a pivot row. */
    for (int i = 0; i < n; i++) {
      const ritt_real *row = const_row_of(a, n, i);
      ritt_real largest = 0;
      for (int j = 0; j < n; j++) {
        ritt_real size = RITTI_MATH(fabs)(row[j]);
        largest = size > largest ? size : largest;
      }
      pivot[i] = largest > 0 ? RITTI_MATH(ilogb)(largest) : 0;
    }
  } else {
    for (int i = 0; i < n; i++) pivot[i] = 0;
  }
  /* large matrices go in panels, so that most of the work is matrix products */
  int width = n <= RITTI_SMALL ? n : BLOCK;
  for (int first = 0; first < n; first += width) {
    int end = ritti_smaller(first + width, n);
    // the panel: columns first .. end-1, all rows below
    for (int k = first; k < end; k++) {
      int exponent = bring_pivot(n, a, pivot, k);
      const ritt_real *pivot_row = row_of(a, n, k);
      ritt_real value = pivot_row[k];
      if (!isfinite(value) || value == 0) return false;
      for (int i = k + 1; i < n; i++) {
        ritt_real *row = row_of(a, n, i);
        if (leave_out && row[k] == 0) continue;
        ritt_real factor = row[k] /= value;
        ritti_subtract(end - k - 1, factor, pivot_row + k + 1, row + k + 1);
      }
      if (ratio) {
        ritt_real size = RITTI_MATH(ldexp)(RITTI_MATH(fabs)(value), -exponent);
        if (size < least) least = size;
        if (size > most) most = size;
      }
    }
    // the columns to its right
    if (end < n) {
      ritt_real *corner = row_of(a, n, first), *below = row_of(a, n, end);
      ritti_blas_unit_lower(end - first, n - end, corner + first, corner + end, n);
      ritti_blas_subtract(n - end, n - end, end - first, below + first, corner + end, below + end,
                          n);
    }
  }
  if (ratio) *ratio = n ? least / most : 1;
  return true;
}

/* Solves A x = b with the factors; x holds b on entry. */
void ritti_lu_solve(int n, const ritt_real *lu, const int *pivot, ritt_real *x) {
  /* the exchanges, then forward with L */
  for (int k = 0; k < n; k++)
    if (pivot[k] != k) ritti_swap(1, x + k, x + pivot[k]);
  for (int i = 1; i < n; i++) x[i] -= ritti_dot(i, const_row_of(lu, n, i), x);
  /* backward with U */
  for (int i = n - 1; i >= 0; i--) {
    const ritt_real *row = const_row_of(lu, n, i);
    x[i] = (x[i] - ritti_dot(n - i - 1, row + i + 1, x + i + 1)) / row[i];
  }
}

/* A^T x = b with P A = L U: U^T, then L^T, then the exchanges backwards. */
void ritti_lu_solve_transposed(int n, const ritt_real *lu, const int *pivot, ritt_real *x) {
  for (int i = 0; i < n; i++) {
    const ritt_real *row = const_row_of(lu, n, i);
    x[i] /= row[i];
    ritti_subtract(n - i - 1, x[i], row + i + 1, x + i + 1);
  }
  for (int i = n - 1; i > 0; i--) ritti_subtract(i, x[i], const_row_of(lu, n, i), x);
  for (int k = n - 1; k >= 0; k--)
    if (pivot[k] != k) ritti_swap(1, x + k, x + pivot[k]);
}

/* a factored matrix, for the condition estimate */
typedef struct factored {
  int n;
  const ritt_real *lu;
  const int *pivot;
} factored;

/* Solves with the factors or their transpose, for ritti_inverse_norm. */
static void solve_factored(void *context, ritt_real *x, bool transposed) {
  const factored *F = context;
  if (transposed) ritti_lu_solve_transposed(F->n, F->lu, F->pivot, x);
  else ritti_lu_solve(F->n, F->lu, F->pivot, x);
}

/* Estimates the reciprocal of the condition number in the 1-norm; 0 for a singular matrix. */
ritt_real ritti_lu_rcond(int n, const ritt_real *lu, const int *pivot, ritt_real norm1,
                         ritt_real *scratch, int *iscratch) {
  if (n == 0) return 1;
  factored F = {n, lu, pivot};
  ritt_real inverse = ritti_inverse_norm(n, solve_factored, &F, scratch, scratch + n, iscratch);
  ritt_real condition = norm1 * inverse;
  return condition > 0 && isfinite(condition) ? 1 / condition : 0;
}

/* ---- Cholesky ---- */

/* A pivot that is left of cancellation only, nothing of it right. */
static bool is_noise(int n, ritt_real pivot, ritt_real diagonal) {
  return !(pivot > 4 * (ritt_real)n * RITTI_EPS * diagonal);
}

/* Factors a positive definite matrix as L L^T in place; false if a pivot is no more than
   rounding. */
bool ritti_cholesky_factor(int n, ritt_real *a) {
  /* large: by LAPACK; the pivots are compared with the diagonal afterwards */
  if (n > RITTI_SMALL) {
    if (!ritti_lapack_cholesky(n, a, n)) return false;
    for (int i = 0; i < n; i++) {
      const ritt_real *row = row_of(a, n, i);
      ritt_real diagonal = ritti_dot(i + 1, row, row);
      if (!isfinite(diagonal) || is_noise(n, row[i] * row[i], diagonal)) return false;
    }
    return true;
  }
  /* small: row by row */
  for (int i = 0; i < n; i++) {
    ritt_real *row = row_of(a, n, i);
    for (int j = 0; j < i; j++) {
      const ritt_real *other = row_of(a, n, j);
      row[j] = (row[j] - ritti_dot(j, row, other)) / other[j];
    }
    ritt_real pivot = row[i] - ritti_dot(i, row, row);
    if (!isfinite(pivot) || is_noise(n, pivot, row[i])) return false;
    row[i] = RITTI_MATH(sqrt)(pivot);
  }
  return true;
}

/* Solves L L^T x = b; x holds b on entry. */
void ritti_cholesky_solve(int n, const ritt_real *l, ritt_real *x) {
  for (int i = 0; i < n; i++) {
    const ritt_real *row = const_row_of(l, n, i);
    x[i] = (x[i] - ritti_dot(i, row, x)) / row[i];
  }
  for (int i = n - 1; i >= 0; i--) {
    const ritt_real *row = const_row_of(l, n, i);
    x[i] /= row[i];
    ritti_subtract(i, x[i], row, x);
  }
}

/* ---- LDL^T ---- */

/* Cholesky of E and of the negative Schur complement, then the diagonal taken out of both. */
static bool ldlt_large(int n, int ne, ritt_real *a) {
  int rest = n - ne;
  ritt_real *G = row_of(a, n, ne), *S = G + ne;
  if (ne && !ritti_lapack_cholesky(ne, a, n)) return false;
  if (ne && rest) {
    ritti_blas_right_lower(rest, ne, a, G, n);
    ritti_blas_subtract_square(rest, ne, G, S, n);
  }
  for (int i = 0; i < rest; i++)
    for (int j = 0; j <= i; j++) row_of(S, n, i)[j] = -row_of(S, n, i)[j];
  if (rest && !ritti_lapack_cholesky(rest, S, n)) return false;

  // columns divided by their diagonal, from the last row up, then the diagonal squared with its
  // sign
  for (int i = n - 1; i > 0; i--)
    for (int j = 0; j < i; j++) row_of(a, n, i)[j] /= row_of(a, n, j)[j];
  // the doubts stand in the first row, behind its diagonal, which nothing else uses
  ritt_real first = 0;
  for (int i = 0; i < n; i++) {
    ritt_real *row = row_of(a, n, i), sizes = row[i] * row[i], carried = 0;
    for (int j = 0; j < i; j++) {
      sizes += row[j] * row[j] * RITTI_MATH(fabs)(row_of(a, n, j)[j]);
      carried += row[j] * row[j] * (j ? a[j] : first);
    }
    row[i] *= i < ne ? row[i] : -row[i];
    *(i ? &a[i] : &first) = (ritt_real)n * RITTI_EPS * sizes + carried;
    if (!ritti_pivot_is_sound(n, i < ne, row[i], sizes, carried)) return false;
  }
  return true;
}

/* Factors a symmetric matrix with ne positive and n - ne negative pivots as L D L^T in place. */
bool ritti_ldlt_factor(int n, int ne, ritt_real *a) {
  return n > RITTI_SMALL ? ldlt_large(n, ne, a) : ritti_small_ldlt(n, ne, a);
}

/* Solves L D L^T x = b; x holds b on entry. */
void ritti_ldlt_solve(int n, const ritt_real *ldl, ritt_real *x) {
  for (int i = 1; i < n; i++) x[i] -= ritti_small_dot(i, const_row_of(ldl, n, i), x);
  for (int i = 0; i < n; i++) x[i] /= const_row_of(ldl, n, i)[i];
  for (int i = n - 1; i > 0; i--) ritti_subtract(i, x[i], const_row_of(ldl, n, i), x);
}
