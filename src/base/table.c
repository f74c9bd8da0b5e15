/* Splines through points, and their values. The spline of degree k = 2m - 1 is a combination of the
 * n B-splines on the knots x_0 (k + 1 times), x_m, ..., x_(n-1-m), x_(n-1) (k + 1 times). Its
 * coefficients solve the collocation system, whose matrix is banded and totally positive, so that
 * elimination needs no pivoting (de Boor, A Practical Guide to Splines, ch. XIII). The result is
 * the polynomial of each piece, from the derivatives at its left end (ch. X). */
#include <float.h>
#include "base/table.h"

enum { MOST_DEGREE = 15 };

/* ---- B-splines ---- */

/* Evaluates at u the k + 1 B-splines that are not 0 on [t_i, t_(i+1)), with the numbers i - k .. i.
 */
static void b_splines(const double *t, size_t i, int k, double u, double *out) {
  double left[MOST_DEGREE + 1], right[MOST_DEGREE + 1];
  out[0] = 1;
  for (int j = 1; j <= k; j++) {
    double saved = 0;
    left[j] = u - t[i + 1 - (size_t)j];
    right[j] = t[i + (size_t)j] - u;
    for (int r = 0; r < j; r++) {
      double term = out[r] / (right[r + 1] + left[j - r]);
      out[r] = saved + right[r + 1] * term;
      saved = left[j - r] * term;
    }
    out[j] = saved;
  }
}

/* Solves the banded system in place: row i holds the columns i - k .. i + k. */
static void solve_band(double *band, double *b, size_t n, int k) {
  size_t width = 2 * (size_t)k + 1;
#define AT(i, j) band[(i)*width + ((j) + (size_t)k - (i))]

  /* elimination */
  for (size_t p = 0; p < n; p++)
    for (size_t i = p + 1; i < n && i <= p + (size_t)k; i++) {
      double factor = AT(i, p) / AT(p, p);
      if (factor == 0) continue;
      for (size_t j = p; j < n && j <= p + (size_t)k; j++) AT(i, j) -= factor * AT(p, j);
      b[i] -= factor * b[p];
    }

  /* back substitution */
  for (size_t i = n; i-- > 0;) {
    for (size_t j = i + 1; j < n && j <= i + (size_t)k; j++) b[i] -= AT(i, j) * b[j];
    b[i] /= AT(i, i);
  }
#undef AT
}

/* Converts the coefficients c[i - k .. i] on the piece [t_i, t_(i+1)] to its polynomial in u - t_i.
 */
static void piece_polynomial(const double *t, size_t i, int k, const double *c, double *out) {
  double d[MOST_DEGREE + 1], value[MOST_DEGREE + 1], factorial = 1;
  for (int j = 0; j <= k; j++) d[j] = c[i - (size_t)k + (size_t)j];
  for (int order = 0; order <= k; order++) {
    int degree = k - order;
    /* the derivative is a combination of B-splines of lower degree */
    b_splines(t, i, degree, t[i], value);
    out[order] = 0;
    for (int j = 0; j <= degree; j++) out[order] += value[j] * d[order + j];
    out[order] /= factorial;
    factorial *= order + 1;

    /* the coefficients of the next derivative */
    for (int j = k; j > order; j--) {
      size_t first = i - (size_t)k + (size_t)j; /* the first knot of this coefficient */
      d[j] = degree * (d[j] - d[j - 1]) / (t[first + (size_t)degree] - t[first]);
    }
  }
}

/* ---- the spline ---- */

/* A spline while it is made. */
typedef struct spline {
  size_t n;     /* the number of points and of B-splines */
  int k;        /* degree */
  double *t;    /* n + k + 1 knots */
  double *c;    /* n coefficients */
  double *band; /* n rows of 2k + 1 entries */
} spline;

/* Chooses the knots: multiple ones at the ends, and points in between. */
static ritt_status make_knots(spline *s, const double *x, ritti_arena *scratch) {
  size_t k = (size_t)s->k, m = (k + 1) / 2;
  RITTI_NEW(s->t, scratch, s->n + k + 1);
  for (size_t i = 0; i <= k; i++) {
    s->t[i] = x[0];
    s->t[s->n + i] = x[s->n - 1];
  }
  for (size_t i = k + 1; i < s->n; i++) s->t[i] = x[i - (k + 1) + m];
  return RITT_OK;
}

/* Solves the collocation system. */
static ritt_status solve_spline(spline *s, const double *x, const double *y, ritti_arena *scratch) {
  double value[MOST_DEGREE + 1];
  size_t k = (size_t)s->k, width = 2 * k + 1, i = k;
  RITTI_NEW(s->c, scratch, s->n);
  RITTI_NEW(s->band, scratch, s->n * width);

  /* each point gives an equation */
  for (size_t row = 0; row < s->n; row++) {
    while (i + 1 < s->n && s->t[i + 1] <= x[row]) i++;
    b_splines(s->t, i, s->k, x[row], value);
    for (size_t j = 0; j <= k; j++) {
      size_t column = i - k + j;
      if (value[j] != 0) s->band[row * width + column + k - row] = value[j];
    }
    s->c[row] = y[row];
  }

  /* solve them */
  solve_band(s->band, s->c, s->n, s->k);
  return RITT_OK;
}

ritt_status ritti_table_make(const double *x, const double *y, size_t count, int degree,
                             ritti_arena *arena, ritti_table *out) {
  spline s = {.n = count, .k = degree};
  if (degree < 1 || degree > MOST_DEGREE || degree % 2 == 0 || count < (size_t)degree + 1)
    return RITT_WRONG_CALL;

  /* allocate the result */
  double *knot, *coefficient;
  size_t pieces = count - (size_t)degree, each = (size_t)degree + 1;
  RITTI_NEW(knot, arena, pieces + 1);
  RITTI_NEW(coefficient, arena, pieces * each);

  /* compute the spline in temporary memory */
  ritti_arena *scratch = ritti_arena_new();
  if (!scratch) return RITT_NO_MEMORY;
  ritt_status status = make_knots(&s, x, scratch);
  if (status == RITT_OK) status = solve_spline(&s, x, y, scratch);

  /* convert each piece to a polynomial */
  for (size_t i = 0; i < pieces && status == RITT_OK; i++) {
    knot[i] = s.t[i + (size_t)degree];
    piece_polynomial(s.t, i + (size_t)degree, degree, s.c, coefficient + i * each);
  }
  knot[pieces] = x[count - 1];
  ritti_arena_free(scratch);
  *out =
      (ritti_table){.degree = degree, .pieces = pieces, .knot = knot, .coefficient = coefficient};
  return status;
}

/* ---- values ---- */

bool ritti_table_has(const ritti_table *t, double u) {
  double first = t->knot[0], last = t->knot[t->pieces];
  double slack = 8 * DBL_EPSILON * (fabs(first) + fabs(last));
  return u >= first - slack && u <= last + slack;
}

size_t ritti_table_piece(const ritti_table *t, int parity, double u) {
  size_t low = 0, high = t->pieces;

  /* find the piece by bisection */
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (t->knot[middle] <= u) low = middle;
    else high = middle;
  }

  /* if it has the wrong parity, take the closer neighbour */
  bool right = parity == RITTI_TABLE_ANY || low % 2 == (parity == RITTI_TABLE_ODD);
  if (right || t->pieces == 1) return low;
  bool back = u - t->knot[low] < t->knot[low + 1] - u;
  if (low == 0) back = false;
  if (low + 1 == t->pieces) back = true;
  return back ? low - 1 : low + 1;
}

/* The slope of the knot number in a piece. The pieces at the ends count half, so that the ends
 * themselves are not knots. */
static ritt_real knot_slope(const ritti_table *t, size_t piece) {
  ritt_real part = piece == 0 || piece + 1 == t->pieces ? (ritt_real)0.5 : 1;
  return part / (t->knot[piece + 1] - t->knot[piece]);
}

static ritt_real knot_number(const ritti_table *t, size_t piece, ritt_real u) {
  if (piece == 0) return 1 + (u - t->knot[1]) * knot_slope(t, 0);
  return (ritt_real)piece + (u - t->knot[piece]) * knot_slope(t, piece);
}

/* The value that the code asks for: of the table, of a derivative, or the number of the knot. */
ritt_real ritti_table_value(const ritti_table *const *tables, ritt_real code, ritt_real u) {
  const ritti_table *t = tables[ritti_table_of_code((double)code)];
  int order = ritti_table_order((double)code);
  if (!(u == u)) return u;
  size_t piece = ritti_table_piece(t, ritti_table_parity((double)code), (double)u);
  if (order == RITTI_TABLE_KNOT) return knot_number(t, piece, u);
  if (order == RITTI_TABLE_SLOPE) return knot_slope(t, piece);
  if (!ritti_table_has(t, (double)u)) return (ritt_real)NAN;
  ritt_real value;
  RITTI_TABLE_PIECE(ritt_real, t, piece, order, u, value);
  return value;
}
