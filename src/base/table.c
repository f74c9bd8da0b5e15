/* Splines through points, and their values. The spline of degree k = 2m - 1 is a combination of the
 * n B-splines on the knots x_0 (k + 1 times), x_m, ..., x_(n-1-m), x_(n-1) (k + 1 times). Its
 * coefficients solve the collocation system, whose matrix is banded and totally positive, so that
 * elimination needs no pivoting (de Boor, A Practical Guide to Splines, ch. XIII). The result is
 * the polynomial of each piece, from the derivatives at its left end (ch. X). */
#include <float.h>
#include "base/table.h"

enum { MOST_DEGREE = 15 };
static const double FAR = 1e300; /* the ends of a table that goes on with its tangents */

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

/* The spline through points, without anything outside. */
static ritt_status make_spline(const double *x, const double *y, size_t count, int degree,
                               ritti_arena *arena, ritti_table *out) {
  spline s = {.n = count, .k = degree};

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
  *out = (ritti_table){
      .degree = degree, .pieces = pieces, .knot = knot, .base = knot, .coefficient = coefficient};
  return status;
}

/* The periodic spline is the middle of the spline through many repetitions of the points: the effect
 * of the ends decays exponentially with the number of points. */
static ritt_status make_periodic(const double *x, const double *y, size_t count, int degree,
                                 ritti_arena *arena, ritti_table *out) {
  double *longer, *value, period = x[count - 1] - x[0];
  size_t turn = count - 1, more = (1 + 20 * (size_t)degree / turn) * turn;
  size_t all = count + 2 * more, skipped = more - (size_t)(degree - 1) / 2;
  RITTI_NEW(longer, arena, all);
  RITTI_NEW(value, arena, all);
  for (size_t i = 0; i < all; i++) {
    double turns = (double)(i / turn) - (double)(more / turn);
    longer[i] = x[i % turn] + turns * period;
    value[i] = y[i % turn];
  }
  longer[more + turn] = x[turn];
  RITT_TRY(make_spline(longer, value, all, degree, arena, out));
  out->pieces = turn;
  out->knot += skipped;
  out->base = out->knot;
  out->coefficient += skipped * ((size_t)degree + 1);
  out->period = period;
  return RITT_OK;
}

/* Adds a piece before the first knot and one behind the last one: the tangents there. */
static ritt_status add_tangents(ritti_arena *arena, ritti_table *t) {
  size_t each = (size_t)t->degree + 1, pieces = t->pieces + 2;
  double *knot, *base, *coefficient, first = t->knot[0], last = t->knot[t->pieces];
  RITTI_NEW(knot, arena, pieces + 1);
  RITTI_NEW(base, arena, pieces);
  RITTI_NEW(coefficient, arena, pieces * each);
  memcpy(knot + 1, t->knot, (t->pieces + 1) * sizeof *knot);
  memcpy(base + 1, t->base, t->pieces * sizeof *base);
  memcpy(coefficient + each, t->coefficient, t->pieces * each * sizeof *coefficient);
  knot[0] = -FAR;
  knot[pieces] = FAR;
  base[0] = first;
  base[pieces - 1] = last;
  for (int order = 0; order < 2; order++) {
    RITTI_TABLE_PIECE(double, t, 0, order, first, coefficient[order]);
    RITTI_TABLE_PIECE(double, t, t->pieces - 1, order, last,
                      coefficient[(pieces - 1) * each + (size_t)order]);
  }
  t->pieces = pieces;
  t->knot = knot;
  t->base = base;
  t->coefficient = coefficient;
  return RITT_OK;
}

ritt_status ritti_table_make(const double *x, const double *y, size_t count, int degree,
                             ritti_outside outside, ritti_arena *arena, ritti_table *out) {
  if (degree < 1 || degree > MOST_DEGREE || degree % 2 == 0 || count < (size_t)degree + 1)
    return RITT_WRONG_CALL;
  if (outside == RITTI_OUTSIDE_PERIODIC) return make_periodic(x, y, count, degree, arena, out);
  RITT_TRY(make_spline(x, y, count, degree, arena, out));
  return outside == RITTI_OUTSIDE_TANGENTS ? add_tangents(arena, out) : RITT_OK;
}

/* ---- values ---- */

bool ritti_table_has(const ritti_table *t, double u) {
  if (t->period > 0) return isfinite(u);
  double first = t->knot[0], last = t->knot[t->pieces];
  double slack = 8 * DBL_EPSILON * (fabs(first) + fabs(last));
  return u >= first - slack && u <= last + slack;
}

size_t ritti_table_locate(const ritti_table *t, int parity, double u, double *turn, double *shift) {
  size_t low = 0, high = t->pieces;
  *turn = t->period > 0 && isfinite(u) ? floor((u - t->knot[0]) / t->period) : 0;
  *shift = *turn * t->period;
  u -= *shift;

  /* find the piece by bisection */
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (t->knot[middle] <= u) low = middle;
    else high = middle;
  }

  /* if it has the wrong parity, take the closer neighbour; pieces of all periods are counted on */
  bool turned = t->pieces % 2 && fmod(*turn, 2) != 0;
  bool odd = (low % 2 == 1) != turned;
  bool right = parity == RITTI_TABLE_ANY || odd == (parity == RITTI_TABLE_ODD);
  if (right || (t->pieces == 1 && t->period == 0)) return low;
  bool back = u - t->knot[low] < t->knot[low + 1] - u;
  if (low == 0 && t->period == 0) back = false;
  if (low + 1 == t->pieces && t->period == 0) back = true;
  bool leaves = back ? low == 0 : low + 1 == t->pieces;
  if (!leaves) return back ? low - 1 : low + 1;
  *turn += back ? -1 : 1;
  *shift = *turn * t->period;
  return back ? t->pieces - 1 : 0;
}

/* The slope of the knot number in a piece. If the table has ends the pieces there count half, so that
 * the ends themselves are not knots; tangents that go on forever are as steep as their neighbours. */
static ritt_real knot_slope(const ritti_table *t, size_t piece) {
  bool first = piece == 0, last = piece + 1 == t->pieces;
  bool end = t->period == 0 && (first || last);
  if (end && t->knot[piece + 1] - t->knot[piece] > FAR / 2) piece = first ? 1 : piece - 1;
  return (end ? (ritt_real)0.5 : 1) / (t->knot[piece + 1] - t->knot[piece]);
}

static ritt_real knot_number(const ritti_table *t, size_t piece, double turn, ritt_real u) {
  const ritt_real half = (ritt_real)0.5;
  bool open = t->period == 0;
  if (piece == 0 && open) return 1 - RITTI_MATH(fmin)(half, (t->knot[1] - u) * knot_slope(t, 0));
  ritt_real part = (u - t->knot[piece]) * knot_slope(t, piece);
  if (piece + 1 == t->pieces && open) part = RITTI_MATH(fmin)(half, part);
  return (ritt_real)turn * (ritt_real)t->pieces + (ritt_real)piece + part;
}

/* The value that the code asks for: of the table, of a derivative, or the number of the knot. */
ritt_real ritti_table_value(const ritti_table *const *tables, ritt_real code, ritt_real u) {
  const ritti_table *t = tables[ritti_table_of_code((double)code)];
  int order = ritti_table_order((double)code);
  if (!(u == u)) return u;
  double turn, shift;
  size_t piece = ritti_table_locate(t, ritti_table_parity((double)code), (double)u, &turn, &shift);
  if (order == RITTI_TABLE_KNOT) return knot_number(t, piece, turn, u - (ritt_real)shift);
  if (order == RITTI_TABLE_SLOPE) return knot_slope(t, piece);
  if (!ritti_table_beyond((double)code) && !ritti_table_has(t, (double)u)) return (ritt_real)NAN;
  ritt_real value;
  RITTI_TABLE_PIECE(ritt_real, t, piece, order, u - (ritt_real)shift, value);
  return value;
}
