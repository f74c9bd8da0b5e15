/* Singular values and right singular vectors.
 *
 * Small: rows sorted by size, QR with column pivoting, then one-sided Jacobi on the rows of R
 * (Drmac and Veselic, New fast and accurate Jacobi SVD algorithm I, SIAM J. Matrix Anal. Appl. 29
 * (2008)). The rotated rows become sigma_i v_i^T. Values are right to nearly all digits where the
 * matrix is a well-conditioned one with rows or columns scaled, however wide their range: each row
 * carries its own binary exponent. Large: LAPACK where it is linked, right relative to the largest
 * value only.
 */
#include "linalg/linalg_impl.h"

enum { SWEEPS = 60 };

/* A vector 2^exponent x of a set that is being made orthogonal; 1 <= |x| < 2, or x = 0. */
typedef struct jacobi {
  int count, length;
  ritt_real *x;        /* count x length */
  ritt_real *exponent; /* whole numbers */
  ritt_real *square;   /* |x|^2 */
} jacobi;

static ritt_real *vector_of(const jacobi *set, int i) {
  return set->x + (size_t)i * (size_t)set->length;
}

static void normalise_vector(jacobi *set, int i) {
  ritt_real *x = vector_of(set, i), norm = ritti_norm(set->length, x);
  if (norm > 0 && !(norm >= 1 && norm < 2)) {
    int shift = RITTI_MATH(ilogb)(norm);
    ritti_scale((size_t)set->length, x, -shift);
    set->exponent[i] += (ritt_real)shift;
  }
  set->square[i] = ritti_dot(set->length, x, x);
}

/* Rotates vectors i and j so that they become orthogonal; false: they are. The angle is written in
 * scaled vectors, with delta = 2^(exponent_j - exponent_i) <= 1, so that it neither over- nor
 * underflows: t = tan(angle) = delta T, T = 1 / (zeta +- sqrt(delta^2 + zeta^2)), zeta = (|x_i|^2 -
 * delta^2 |x_j|^2) / (2 x_i.x_j). */
static bool rotate_pair(jacobi *set, int i, int j, ritt_real tolerance) {
  if (set->exponent[i] < set->exponent[j]) {
    int k = i;
    i = j;
    j = k;
  }
  int n = set->length;
  ritt_real *x = vector_of(set, i), *y = vector_of(set, j);
  ritt_real product = ritti_dot(n, x, y), xx = set->square[i], yy = set->square[j];
  if (!(RITTI_MATH(fabs)(product) > tolerance * RITTI_MATH(sqrt)(xx * yy))) return false;

  ritt_real delta = RITTI_MATH(ldexp)((ritt_real)1, (int)(set->exponent[j] - set->exponent[i]));
  ritt_real zeta = (xx - delta * delta * yy) / (2 * product);
  ritt_real root = RITTI_MATH(sqrt)(delta * delta + zeta * zeta);
  ritt_real T = 1 / (zeta < 0 ? zeta - root : zeta + root), t = delta * T;
  ritt_real cosine = 1 / RITTI_MATH(sqrt)(1 + t * t);
  for (int k = 0; k < n; k++) {
    ritt_real a = x[k], b = y[k];
    x[k] = cosine * (a + t * delta * b);
    y[k] = cosine * (b - T * a);
  }
  normalise_vector(set, i);
  normalise_vector(set, j);
  return true;
}

static bool make_orthogonal(jacobi *set) {
  ritt_real tolerance = 2 * RITTI_EPS * RITTI_MATH(sqrt)((ritt_real)set->length);
  for (int i = 0; i < set->count; i++) {
    set->exponent[i] = 0;
    normalise_vector(set, i);
  }
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    bool turned = false;
    for (int i = 0; i < set->count; i++)
      for (int j = i + 1; j < set->count; j++)
        if (rotate_pair(set, i, j, tolerance)) turned = true;
    if (!turned) return true;
  }
  return false;
}

/* Is vector i longer than vector j? */
static bool is_longer(const jacobi *set, int i, int j) {
  if (set->square[i] == 0 || set->square[j] == 0) return set->square[i] > set->square[j];
  if (set->exponent[i] != set->exponent[j]) return set->exponent[i] > set->exponent[j];
  return set->square[i] > set->square[j];
}

/* Fills rows count .. n-1 of v, so that all n rows are orthonormal: the last columns of Q in v^T =
 * Q R. scratch: n*count + 2*count. */
static void complete_basis(int n, int count, ritt_real *v, ritt_real *scratch) {
  ritt_real *q = scratch, *beta = q + (size_t)n * (size_t)count, *w = beta + count;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < count; j++)
      q[(size_t)i * (size_t)count + (size_t)j] = v[(size_t)j * (size_t)n + (size_t)i];
  ritti_reflect_factor(n, count, q, beta, w);
  for (int i = count; i < n; i++) {
    ritt_real *x = v + (size_t)i * (size_t)n;
    for (int k = 0; k < n; k++) x[k] = k == i;
    ritti_reflect(n, count, count, q, beta, x);
  }
}

/* R in the columns' own order: zero below the diagonal, the exchanges undone. */
static void undo_pivoting(int count, int cols, ritt_real *r, const ritt_real *swap) {
  for (int i = 0; i < count; i++) {
    ritt_real *row = r + (size_t)i * (size_t)cols;
    for (int j = 0; j < i; j++) row[j] = 0;
    for (int k = count - 1; k >= 0; k--) ritti_swap(1, row + k, row + (int)swap[k]);
  }
}

static bool svd_jacobi(int rows, int cols, ritt_real *a, ritt_real *sigma, ritt_real *v,
                       ritt_real *scratch) {
  jacobi set = {.count = ritti_smaller(rows, cols), .length = cols, .x = a};
  size_t count = (size_t)rows * (size_t)cols;
  ritt_real largest = ritti_largest(count, a), *beta = scratch, *swap = beta + set.count;
  ritt_real *work = swap + 3 * (size_t)set.count;
  set.exponent = swap + set.count, set.square = set.exponent + set.count;
  if (isnan(largest)) return false;

  // A = Q R P^T, scaled far up so that squares of small entries do not vanish
  int shift = largest > 0 ? 470 - RITTI_MATH(ilogb)(largest) : 0;
  ritti_scale(count, a, shift);

  /* Rows with large entries first (Shell's sort), so that small rows do not drown in rounding
   * errors of large ones. */
  for (int i = 0; i < rows; i++)
    work[i] = ritti_largest((size_t)cols, a + (size_t)i * (size_t)cols);
  int gap = 1;
  while (gap < rows / 3) gap = 3 * gap + 1;
  for (; gap > 0; gap /= 3)
    for (int i = gap; i < rows; i++)
      for (int j = i; j >= gap && work[j - gap] < work[j]; j -= gap) {
        ritti_swap(1, work + j, work + j - gap);
        ritti_swap(cols, a + (size_t)j * (size_t)cols, a + (size_t)(j - gap) * (size_t)cols);
      }

  ritti_reflect_factor_pivoted(rows, cols, a, beta, swap, NULL, work);
  undo_pivoting(set.count, cols, a, swap);

  // R P^T = W diag(sigma) V^T
  if (!make_orthogonal(&set)) return false;

  for (int i = 0; i < set.count; i++) {
    int longest = i;
    for (int j = i + 1; j < set.count; j++)
      if (is_longer(&set, j, longest)) longest = j;
    if (longest == i) continue;
    ritti_swap(set.length, vector_of(&set, i), vector_of(&set, longest));
    ritti_swap(1, set.square + i, set.square + longest);
    ritti_swap(1, set.exponent + i, set.exponent + longest);
  }

  int found = 0;
  for (int i = 0; i < set.count; i++) {
    ritt_real norm = RITTI_MATH(sqrt)(set.square[i]);
    sigma[i] = RITTI_MATH(ldexp)(norm, (int)set.exponent[i] - shift);
    if (norm > 0) found = i + 1;
    for (int k = 0; v && norm > 0 && k < cols; k++)
      v[(size_t)i * (size_t)cols + (size_t)k] = vector_of(&set, i)[k] / norm;
  }
  if (v) complete_basis(cols, found, v, scratch);
  return true;
}

/* Large ones go to LAPACK, where it is linked. */
static bool by_lapack(int rows, int cols) {
  return ritti_smaller(rows, cols) > RITTI_SMALL && ritti_lapack_svd_scratch(rows, cols) > 0;
}

size_t ritti_singular_values_scratch(int rows, int cols) {
  if (by_lapack(rows, cols)) return ritti_lapack_svd_scratch(rows, cols);
  size_t r = (size_t)rows, c = (size_t)cols, least = (size_t)ritti_smaller(rows, cols);
  size_t factor = 4 * least + (2 * c > r ? 2 * c : r), complete = c * least + 2 * least;
  return factor > complete ? factor : complete;
}

bool ritti_singular_values(int rows, int cols, ritt_real *a, ritt_real *sigma, ritt_real *v,
                           ritt_real *scratch) {
  if (!by_lapack(rows, cols)) return svd_jacobi(rows, cols, a, sigma, v, scratch);
  if (isnan(ritti_largest((size_t)rows * (size_t)cols, a))) return false;
  return ritti_lapack_svd(rows, cols, a, sigma, v, scratch);
}
