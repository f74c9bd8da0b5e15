/* Interpolation in a table by polynomials through the rows around a position. If the table contains
 * the derivative of the column, Hermite polynomials through four rows (degree 7) are used,
 * otherwise Lagrange polynomials through six (degree 5), both by Newton's divided differences, and
 * fewer rows if the table has no more. The difference from the polynomial through the middle two
 * rows (or four) estimates the error. Two rows with the same x mark a jump: no polynomial goes
 * across it. */
#include "output_impl.h"

enum { MOST = 8 }; /* conditions on a polynomial */

/* Evaluates the Newton form of the polynomial through the rows first .. first+rows-1 at s. */
static double evaluate_newton_form(const double *x, const double *y, const double *dy, size_t first,
                                   int rows, double s) {
  double node[MOST] = {0}, c[MOST] = {0};
  int n = dy ? 2 * rows : rows;

  /* the nodes: each row counts twice if its derivative is known */
  for (int i = 0; i < n; i++) {
    size_t row = first + (size_t)(dy ? i / 2 : i);
    node[i] = x[row];
    c[i] = y[row];
  }

  /* divided differences; at a double node they are derivatives */
  for (int order = 1; order < n; order++)
    for (int i = n - 1; i >= order; i--) {
      bool twice = node[i] == node[i - order];
      c[i] = twice ? dy[first + (size_t)(i / 2)] : (c[i] - c[i - 1]) / (node[i] - node[i - order]);
    }

  /* Horner's rule */
  double value = c[n - 1];
  for (int i = n - 2; i >= 0; i--) value = value * (s - node[i]) + c[i];
  return value;
}

/* Chooses *rows rows within from .. to-1 with s in the middle, or fewer if there are fewer. k is
 * the row before s. Returns the first row. */
static size_t choose_rows(size_t from, size_t to, size_t k, int *rows) {
  if ((size_t)*rows > to - from) *rows = (int)(to - from);
  size_t before = (size_t)*rows / 2 - (*rows > 1), first = k > from + before ? k - before : from;
  return first + (size_t)*rows > to ? to - (size_t)*rows : first;
}

double ritti_interpolate(const double *x, const double *y, const double *dy, size_t from, size_t to,
                         size_t k, double s, double *estimate) {
  int many = dy ? 4 : 6, few = dy ? 2 : 4;

  /* at a row the value is exact */
  if (s == x[k] || to - from == 1) {
    *estimate = 0;
    return y[k];
  }
  if (k + 1 < to && s == x[k + 1]) {
    *estimate = 0;
    return y[k + 1];
  }

  /* between rows compare two polynomials */
  size_t wide = choose_rows(from, to, k, &many), narrow = choose_rows(from, to, k, &few);
  double value = evaluate_newton_form(x, y, dy, wide, many, s);
  *estimate = many > few ? fabs(value - evaluate_newton_form(x, y, dy, narrow, few, s)) : NAN;
  return value;
}
