/* Interpolation in a table: polynomials through the rows around a place.
 *
 * Where a column has its derivative beside it, Hermite polynomials through four rows (degree 7),
 * else Lagrange polynomials through six (degree 5), both by Newton's divided differences; fewer
 * where the table has no more. The difference to the polynomial through the two rows (or four) in
 * the middle estimates the error. A place where x stands twice is a jump: no polynomial goes across
 * it. */
#include "output_impl.h"

enum { MOST = 8 }; /* conditions */

/* Newton's form through the rows first .. first+rows-1, evaluated at s. */
static double evaluate_newton_form(const double *x, const double *y, const double *dy, size_t first,
                                   int rows, double s) {
  double node[MOST] = {0}, c[MOST] = {0};
  int n = dy ? 2 * rows : rows;
  for (int i = 0; i < n; i++) {
    size_t row = first + (size_t)(dy ? i / 2 : i);
    node[i] = x[row], c[i] = y[row];
  }
  for (int order = 1; order < n; order++)
    for (int i = n - 1; i >= order; i--) {
      bool twice = node[i] == node[i - order];
      c[i] = twice ? dy[first + (size_t)(i / 2)] : (c[i] - c[i - 1]) / (node[i] - node[i - order]);
    }
  double value = c[n - 1];
  for (int i = n - 2; i >= 0; i--) value = value * (s - node[i]) + c[i];
  return value;
}

/* Rows in the middle of which s lies, as many as wanted and there are, within from .. to-1; k: the
 * row before s. */
static size_t choose_rows(size_t from, size_t to, size_t k, int *rows) {
  if ((size_t)*rows > to - from) *rows = (int)(to - from);
  size_t before = (size_t)*rows / 2 - (*rows > 1), first = k > from + before ? k - before : from;
  return first + (size_t)*rows > to ? to - (size_t)*rows : first;
}

double ritti_interpolate(const double *x, const double *y, const double *dy, size_t from, size_t to,
                         size_t k, double s, double *estimate) {
  int many = dy ? 4 : 6, few = dy ? 2 : 4;
  if (s == x[k] || to - from == 1) return *estimate = 0, y[k];
  if (k + 1 < to && s == x[k + 1]) return *estimate = 0, y[k + 1];
  size_t wide = choose_rows(from, to, k, &many), narrow = choose_rows(from, to, k, &few);
  double value = evaluate_newton_form(x, y, dy, wide, many, s);
  *estimate = many > few ? fabs(value - evaluate_newton_form(x, y, dy, narrow, few, s)) : NAN;
  return value;
}
