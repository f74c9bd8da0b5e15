/* Equilibration after Ruiz (A scaling algorithm to equilibrate both rows and columns norms in
 * matrices, RAL-TR-2001-034): divide rows and columns by the square roots of their maxima until all
 * maxima are about 1; one pass of whole maxima, rows and then columns, makes them exactly 1;
 * rounding each factor to a power of two keeps them between 1/2 and 2.
 */
#include "linalg/linalg_impl.h"
#include "linalg/sparse.h"

enum { PASSES = 20 };

/* The largest entry of a row, scaled. */
static ritt_real row_maximum(int cols, const ritt_real *a, ritt_real row, const ritt_real *column) {
  ritt_real largest = 0;
  for (int j = 0; j < cols; j++) {
    ritt_real size = RITTI_MATH(fabs)(a[j]) * row * column[j];
    if (size > largest) largest = size;
  }
  return largest;
}

/* The largest entry of a column, scaled; a points to its first entry. */
static ritt_real column_maximum(int rows, int cols, const ritt_real *a, const ritt_real *row,
                                ritt_real column) {
  ritt_real largest = 0;
  for (int i = 0; i < rows; i++) {
    ritt_real size = RITTI_MATH(fabs)(a[(size_t)i * (size_t)cols]) * row[i] * column;
    if (size > largest) largest = size;
  }
  return largest;
}

/* Divides all factors by their maxima, or by the roots of these. Returns how far a maximum was from
 * 1, as a ratio. */
static ritt_real scale_once(int rows, int cols, const ritt_real *a, ritt_real *row,
                            ritt_real *column, bool whole) {
  ritt_real worst = 1;
  for (int i = 0; i < rows + cols; i++) {
    bool is_row = i < rows;
    int j = i - rows;
    ritt_real *factor = is_row ? row + i : column + j;
    ritt_real largest = is_row ? row_maximum(cols, a + (size_t)i * (size_t)cols, *factor, column)
                               : column_maximum(rows, cols, a + j, row, *factor);
    if (!(largest > 0)) continue;
    *factor /= whole ? largest : RITTI_MATH(sqrt)(largest);
    ritt_real ratio = largest < 1 ? 1 / largest : largest;
    if (ratio > worst) worst = ratio;
  }
  return worst;
}

/* The power of two nearest to a factor, measured by their ratio. */
static ritt_real nearest_power(ritt_real factor) {
  int exponent;
  ritt_real fraction = RITTI_MATH(frexp)(factor, &exponent);
  return RITTI_MATH(ldexp)((ritt_real)1,
                           fraction * fraction < (ritt_real)0.5 ? exponent - 1 : exponent);
}

/* Factors of rows and columns, powers of 2, that bring the largest entry of each close to 1
   (Ruiz). */
void ritti_equilibrate(int rows, int cols, const ritt_real *a, ritt_real *row, ritt_real *column) {
  for (int i = 0; i < rows; i++) row[i] = 1;
  for (int j = 0; j < cols; j++) column[j] = 1;
  if (isnan(ritti_largest((size_t)rows * (size_t)cols, a))) return;
  for (int i = 0; i < PASSES; i++)
    if (scale_once(rows, cols, a, row, column, false) < (ritt_real)1.1) break;
  scale_once(rows, cols, a, row, column, true);
  for (int i = 0; i < rows; i++) row[i] = nearest_power(row[i]);
  for (int j = 0; j < cols; j++) column[j] = nearest_power(column[j]);
}

/* ---- compressed rows ---- */

/* Divides the factors of one side by the maxima of their rows or columns, or by the roots of these.
 * Returns how far a maximum was from 1, as a ratio. most: scratch for them. */
static ritt_real divide_factors(int count, ritt_real *factor, const ritt_real *most, bool whole) {
  ritt_real worst = 1;
  for (int i = 0; i < count; i++) {
    if (!(most[i] > 0)) continue;
    factor[i] /= whole ? most[i] : RITTI_MATH(sqrt)(most[i]);
    worst = RITTI_MATH(fmax)(worst, most[i] < 1 ? 1 / most[i] : most[i]);
  }
  return worst;
}

/* Rows, then columns; a row's factor after its maximum is known, the columns' maxima on the way. */
static ritt_real csr_pass(const ritti_pattern *p, const ritt_real *a, ritt_real *row,
                          ritt_real *column, ritt_real *next, bool whole) {
  ritt_real worst = 1;
  for (int j = 0; j < p->cols; j++) next[j] = 0;
  /* the factor of row i, then its part in the maxima of the columns */
  for (int i = 0; i < p->rows; i++) {
    ritt_real most = 0;
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
      most = RITTI_MATH(fmax)(most, RITTI_MATH(fabs)(a[e]) * row[i] * column[p->col[e]]);
    worst = RITTI_MATH(fmax)(worst, divide_factors(1, row + i, &most, whole));
    for (int e = p->start[i]; e < p->start[i + 1]; e++) {
      ritt_real size = RITTI_MATH(fabs)(a[e]) * row[i] * column[p->col[e]];
      if (size > next[p->col[e]]) next[p->col[e]] = size;
    }
  }
  return RITTI_MATH(fmax)(worst, divide_factors(p->cols, column, next, whole));
}

/* As ritti_equilibrate, for a sparse matrix. */
void ritti_csr_equilibrate(const ritti_pattern *p, const ritt_real *a, ritt_real *row,
                           ritt_real *column, ritt_real *scratch) {
  for (int i = 0; i < p->rows; i++) row[i] = 1;
  for (int j = 0; j < p->cols; j++) column[j] = 1;
  int first = p->rows ? p->start[0] : 0, end = p->rows ? p->start[p->rows] : 0;
  if (isnan(ritti_largest((size_t)(end - first), a + first))) return;
  for (int i = 0; i < PASSES; i++)
    if (csr_pass(p, a, row, column, scratch, false) < (ritt_real)1.1) break;
  csr_pass(p, a, row, column, scratch, true);
  for (int i = 0; i < p->rows; i++) row[i] = nearest_power(row[i]);
  for (int j = 0; j < p->cols; j++) column[j] = nearest_power(column[j]);
}
