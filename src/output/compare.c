/* Finds the largest differences of two results, column by column. Columns are matched by name; the
 * first column of both is x. If both results have the same x, their rows are compared directly.
 * Otherwise the result with more rows is interpolated at the rows of the other, over the range that
 * both cover. */
#include "output_impl.h"

/* The direction in which x runs: 1 up, -1 down, 0 if x turns back or is not finite. Repeated values
 * are allowed; a constant x counts as 1. */
static int sense_of(const double *x, size_t rows) {
  int sense = 0;
  for (size_t i = 0; i < rows; i++) {
    if (!isfinite(x[i])) return 0;
    int now = 0;
    if (i > 0 && x[i] > x[i - 1]) now = 1;
    if (i > 0 && x[i] < x[i - 1]) now = -1;
    if (now && sense == -now) return 0;
    if (now) sense = now;
  }
  return sense ? sense : 1;
}

/* Do both results have the same x in all rows? */
static bool same_x(const ritti_result *a, const ritti_result *b) {
  if (a->rows != b->rows) return false;
  for (size_t i = 0; i < a->rows; i++)
    if (!(a->column[0][i] == b->column[0][i]) &&
        !(isnan(a->column[0][i]) && isnan(b->column[0][i])))
      return false;
  return true;
}

/* The index of the column with this name; the number of columns if there is none. */
static size_t find_column(const ritti_result *r, const char *name) {
  size_t i = 0;
  while (i < r->about->columns && strcmp(r->about->name[i], name)) i++;
  return i;
}

/* Finds the derivative of a column with respect to x: the column whose name has one more prime. In
 * runs over arc length, primes mean derivatives with respect to another variable than the first
 * column, so there is none. */
static const double *find_derivative(const ritti_result *r, const char *name) {
  for (size_t i = 1; i < r->about->columns && strcmp(r->about->name[0], "arc"); i++) {
    const char *other = r->about->name[i];
    size_t n = strlen(name);
    if (!strncmp(other, name, n) && !strcmp(other + n, "'")) return r->column[i];
  }
  return NULL;
}

/* ---- one place ---- */

/* Finds the smooth piece of a table around row k: the rows from .. to-1, among which no x occurs
 * twice. */
static void find_piece(const double *x, size_t rows, size_t k, size_t *from, size_t *to) {
  for (*from = k; *from > 0 && x[*from - 1] != x[*from];) --*from;
  for (*to = k + 1; *to < rows && x[*to] != x[*to - 1];) ++*to;
}

/* The distance of two values: 0 if both are NaN, infinite if only one of them is finite. */
static double relative_difference(double a, double b) {
  if (a == b || (isnan(a) && isnan(b))) return 0;
  return isfinite(a) && isfinite(b) ? fabs(a - b) : INFINITY;
}

/* A position in the table that is interpolated. */
typedef struct place {
  size_t k;        /* the last row at or before the position */
  size_t from, to; /* the smooth piece around row k */
} place;

/* Includes one difference in the maxima of its column. */
static void note_difference(ritti_difference *d, double absolute, double estimate, double x) {
  d->points++;
  if (absolute > d->absolute) {
    d->absolute = absolute;
    d->where = x;
  }
  /* one unknown estimate makes the whole estimate unknown */
  if (!isnan(d->estimate) && !(estimate <= d->estimate)) d->estimate = estimate;
}

/* ---- all places ---- */

/* Compares two results with the same x. */
static void compare_rows(const ritti_result *a, const ritti_result *b, ritti_difference *d) {
  for (size_t i = 0; i < a->rows; i++)
    note_difference(d, relative_difference(a->column[d->a][i], b->column[d->b][i]), 0,
                    a->column[0][i]);
}

/* Compares a column: interpolates `fine` at the rows of `coarse`; both run in the direction
 * `sense`. */
static void compare_between(const ritti_result *fine, size_t f, const ritti_result *coarse,
                            size_t c, int sense, ritti_difference *d) {
  const double *x = fine->column[0], *y = fine->column[f], *dy = find_derivative(fine, d->name);
  place p = {0};
  find_piece(x, fine->rows, 0, &p.from, &p.to);
  for (size_t i = 0; i < coarse->rows; i++) {
    /* skip rows outside the range of the finer table */
    double s = coarse->column[0][i], estimate;
    if ((s - x[0]) * sense < 0 || (s - x[fine->rows - 1]) * sense > 0) continue;

    /* go on to the last row at or before s */
    while (p.k + 1 < fine->rows && (x[p.k + 1] - s) * sense <= 0)
      if (++p.k == p.to) find_piece(x, fine->rows, p.k, &p.from, &p.to);

    /* compare with the interpolated value */
    double best = relative_difference(ritti_interpolate(x, y, dy, p.from, p.to, p.k, s, &estimate),
                                      coarse->column[c][i]);
    /* at a jump a row may belong to either side */
    for (size_t k = p.k; k > 0 && x[k] == s && x[k - 1] == s; k--)
      best = fmin(best, relative_difference(y[k - 1], coarse->column[c][i]));
    note_difference(d, best, estimate, s);
  }
}

/* The largest absolute value in a column. */
static double size_of(const double *column, size_t rows) {
  double size = 0;
  for (size_t i = 0; i < rows; i++)
    if (isfinite(column[i])) size = fmax(size, fabs(column[i]));
  return size;
}

/* Compares one column and scales the difference. */
static void compare_column(const ritti_result *a, const ritti_result *b, ritti_comparison *c,
                           ritti_difference *d) {
  if (c->interpolated == 0) compare_rows(a, b, d);
  else if (c->interpolated == 1) compare_between(a, d->a, b, d->b, c->sense, d);
  else compare_between(b, d->b, a, d->a, c->sense, d);

  /* scale the difference by the values in the column */
  double size = fmax(size_of(a->column[d->a], a->rows), size_of(b->column[d->b], b->rows));
  d->relative = d->absolute > 0 ? d->absolute / size : 0;
}

/* Decides whether the rows can be compared and which result is interpolated. */
static ritt_status judge_rows(const ritti_result *a, const ritti_result *b, ritti_comparison *out,
                              ritt_error *error) {
  int sense_a = sense_of(a->column[0], a->rows), sense_b = sense_of(b->column[0], b->rows);
  if (a->rows == 0 || b->rows == 0)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL, "'%s' has no rows",
                      ritti_reader_path(a->rows ? b->reader : a->reader));
  if (same_x(a, b)) return RITT_OK;

  /* interpolation needs an x that runs one way, the same way in both */
  const ritti_result *bad = NULL;
  if (sense_b == 0) bad = b;
  if (sense_a == 0) bad = a;
  if (bad)
    return ritti_fail(error, RITT_WRONG_CALL, NULL,
                      "results with different rows can be compared only over a column that grows",
                      "'%s' turns back in its first column '%s'", ritti_reader_path(bad->reader),
                      bad->about->name[0]);
  if (a->rows > 1 && b->rows > 1 && sense_a != sense_b)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL, "the results go in opposite directions");

  /* interpolate the result with more rows */
  out->sense = a->rows > 1 ? sense_a : sense_b;
  out->interpolated = a->rows >= b->rows ? 1 : 2;
  return RITT_OK;
}

ritt_status ritti_compare(const ritti_result *a, const ritti_result *b, ritti_comparison *out,
                          ritt_error *error) {
  *out = (ritti_comparison){0};
  if (strcmp(a->about->name[0], b->about->name[0]))
    return ritti_fail(error, RITT_WRONG_CALL, NULL,
                      "the first column of both must be the same variable",
                      "'%s' begins with '%s', '%s' with '%s'", ritti_reader_path(a->reader),
                      a->about->name[0], ritti_reader_path(b->reader), b->about->name[0]);
  RITT_TRY(judge_rows(a, b, out, error));

  /* compare the columns that both results have */
  for (size_t i = 1; i < a->about->columns; i++) {
    ritti_difference d = {
        .name = a->about->name[i], .a = i, .b = find_column(b, a->about->name[i]), .where = NAN};
    if (d.b == b->about->columns) continue;
    compare_column(a, b, out, &d);
    out->points = d.points;
    if (RITTI_PUSH(out->column, d) != RITT_OK) return ritti_no_memory(error);
  }

  /* two results without common columns or values cannot be compared */
  if (out->column.count == 0)
    return ritti_fail(
        error, RITT_WRONG_CALL, NULL, NULL, "'%s' and '%s' have no column in common except '%s'",
        ritti_reader_path(a->reader), ritti_reader_path(b->reader), a->about->name[0]);
  if (out->points == 0)
    return ritti_fail(
        error, RITT_WRONG_CALL, NULL, NULL, "'%s' and '%s' have no values of '%s' in common",
        ritti_reader_path(a->reader), ritti_reader_path(b->reader), a->about->name[0]);
  return RITT_OK;
}
