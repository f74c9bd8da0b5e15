/* Equilibration after Ruiz (A scaling algorithm to equilibrate both rows and columns norms in matrices,
 * RAL-TR-2001-034): divide rows and columns by the square roots of their maxima until all maxima are about 1;
 * one pass of whole maxima, rows and then columns, makes them exactly 1; rounding each factor to a power of
 * two keeps them between 1/2 and 2.
 */
#include "linalg/linalg_impl.h"

enum { PASSES = 20 };

static ritt_real row_maximum(int cols, const ritt_real *a, ritt_real row, const ritt_real *column) {
  ritt_real largest = 0;
  for (int j = 0; j < cols; j++) {
    ritt_real size = RITTI_MATH(fabs)(a[j]) * row * column[j];
    if (size > largest) largest = size;
  }
  return largest;
}

static ritt_real column_maximum(int rows, int cols, const ritt_real *a, const ritt_real *row,
                                ritt_real column) {
  ritt_real largest = 0;
  for (int i = 0; i < rows; i++) {
    ritt_real size = RITTI_MATH(fabs)(a[(size_t)i * (size_t)cols]) * row[i] * column;
    if (size > largest) largest = size;
  }
  return largest;
}

/* Divides all factors by their maxima, or by the roots of these. Returns how far a maximum was from 1, as a
 * ratio. */
static ritt_real pass(int rows, int cols, const ritt_real *a, ritt_real *row, ritt_real *column, bool whole) {
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
  return RITTI_MATH(ldexp)((ritt_real)1, fraction * fraction < (ritt_real)0.5 ? exponent - 1 : exponent);
}

void ritti_equilibrate(int rows, int cols, const ritt_real *a, ritt_real *row, ritt_real *column) {
  for (int i = 0; i < rows; i++) row[i] = 1;
  for (int j = 0; j < cols; j++) column[j] = 1;
  if (isnan(ritti_largest((size_t)rows * (size_t)cols, a))) return;
  for (int i = 0; i < PASSES; i++)
    if (pass(rows, cols, a, row, column, false) < (ritt_real)1.1) break;
  pass(rows, cols, a, row, column, true);
  for (int i = 0; i < rows; i++) row[i] = nearest_power(row[i]);
  for (int j = 0; j < cols; j++) column[j] = nearest_power(column[j]);
}
