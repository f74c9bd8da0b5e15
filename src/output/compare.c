/* The largest differences of two results, column by column.
 *
 * Columns are matched by name; the first column of both is x. Where both have the same x, rows are
 * compared as they are. Else the one with more rows is interpolated at the rows of the other, as
 * far as both go. */
#include "output_impl.h"

/* Does x go one way (it may stand)? 1 up, -1 down, 0 neither. */
static int sense_of(const double *x, size_t rows) {
  int sense = 0;
  for (size_t i = 0; i < rows; i++) {
    if (!isfinite(x[i])) return 0;
    int now = i == 0 || x[i] == x[i - 1] ? 0 : x[i] > x[i - 1] ? 1 : -1;
    if (now && sense == -now) return 0;
    if (now) sense = now;
  }
  return sense ? sense : 1;
}

static bool same_x(const ritti_result *a, const ritti_result *b) {
  if (a->rows != b->rows) return false;
  for (size_t i = 0; i < a->rows; i++)
    if (!(a->column[0][i] == b->column[0][i]) &&
        !(isnan(a->column[0][i]) && isnan(b->column[0][i])))
      return false;
  return true;
}

/* The column of that name, or the number of columns. */
static size_t find_column(const ritti_result *r, const char *name) {
  size_t i = 0;
  while (i < r->about->columns && strcmp(r->about->name[i], name)) i++;
  return i;
}

/* The derivative of a column by x: the column with a prime more. In runs over arc length
 * derivatives are by another variable than the first column. */
static const double *find_derivative(const ritti_result *r, const char *name) {
  for (size_t i = 1; i < r->about->columns && strcmp(r->about->name[0], "arc"); i++) {
    const char *other = r->about->name[i];
    size_t n = strlen(name);
    if (!strncmp(other, name, n) && !strcmp(other + n, "'")) return r->column[i];
  }
  return NULL;
}

/* ---- one place ---- */

/* The smooth piece of a table that goes around row k: no x stands twice in it. */
static void find_piece(const double *x, size_t rows, size_t k, size_t *from, size_t *to) {
  for (*from = k; *from > 0 && x[*from - 1] != x[*from];) --*from;
  for (*to = k + 1; *to < rows && x[*to] != x[*to - 1];) ++*to;
}

static double relative_difference(double a, double b) {
  if (a == b || (isnan(a) && isnan(b))) return 0;
  return isfinite(a) && isfinite(b) ? fabs(a - b) : INFINITY;
}

typedef struct place {
  size_t k, from, to; /* the last row not behind the place, and its piece */

} place;

static void note_difference(ritti_difference *d, double absolute, double estimate, double x) {
  d->points++;
  if (absolute > d->absolute) d->absolute = absolute, d->where = x;
  if (!isnan(d->estimate) && !(estimate <= d->estimate))
    d->estimate = estimate; /* not known once: not known */
}

/* ---- all places ---- */

static void compare_rows(const ritti_result *a, const ritti_result *b, ritti_difference *d) {
  for (size_t i = 0; i < a->rows; i++)
    note_difference(d, relative_difference(a->column[d->a][i], b->column[d->b][i]), 0,
                    a->column[0][i]);
}

/* `fine` is interpolated at the rows of `coarse`; both go the same way. */
static void compare_between(const ritti_result *fine, size_t f, const ritti_result *coarse,
                            size_t c, int sense, ritti_difference *d) {
  const double *x = fine->column[0], *y = fine->column[f], *dy = find_derivative(fine, d->name);
  place p = {0};
  find_piece(x, fine->rows, 0, &p.from, &p.to);
  for (size_t i = 0; i < coarse->rows; i++) {
    double s = coarse->column[0][i], estimate;
    if ((s - x[0]) * sense < 0 || (s - x[fine->rows - 1]) * sense > 0) continue;
    while (p.k + 1 < fine->rows && (x[p.k + 1] - s) * sense <= 0)
      if (++p.k == p.to) find_piece(x, fine->rows, p.k, &p.from, &p.to);
    double best = relative_difference(ritti_interpolate(x, y, dy, p.from, p.to, p.k, s, &estimate),
                                      coarse->column[c][i]);
    /* at a jump a row belongs to either side */
    for (size_t k = p.k; k > 0 && x[k] == s && x[k - 1] == s; k--)
      best = fmin(best, relative_difference(y[k - 1], coarse->column[c][i]));
    note_difference(d, best, estimate, s);
  }
}

static double size_of(const double *column, size_t rows) {
  double size = 0;
  for (size_t i = 0; i < rows; i++)
    if (isfinite(column[i])) size = fmax(size, fabs(column[i]));
  return size;
}

static void compare_column(const ritti_result *a, const ritti_result *b, ritti_comparison *c,
                           ritti_difference *d) {
  if (c->interpolated == 0) compare_rows(a, b, d);
  else if (c->interpolated == 1) compare_between(a, d->a, b, d->b, c->sense, d);
  else compare_between(b, d->b, a, d->a, c->sense, d);
  double size = fmax(size_of(a->column[d->a], a->rows), size_of(b->column[d->b], b->rows));
  d->relative = d->absolute > 0 ? d->absolute / size : 0;
}

/* Can the rows be compared, and which of the results is interpolated? */
static ritt_status judge_rows(const ritti_result *a, const ritti_result *b, ritti_comparison *out,
                              ritt_error *error) {
  int sense_a = sense_of(a->column[0], a->rows), sense_b = sense_of(b->column[0], b->rows);
  if (a->rows == 0 || b->rows == 0)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL, "'%s' has no rows",
                      ritti_reader_path(a->rows ? b->reader : a->reader));
  if (same_x(a, b)) return RITT_OK;
  const ritti_result *bad = sense_a == 0 ? a : sense_b == 0 ? b : NULL;
  if (bad)
    return ritti_fail(error, RITT_WRONG_CALL, NULL,
                      "results with other rows can be compared only over a column that grows",
                      "'%s' turns back in its first column '%s'", ritti_reader_path(bad->reader),
                      bad->about->name[0]);
  if (a->rows > 1 && b->rows > 1 && sense_a != sense_b)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL, "the results go in opposite senses");
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
  for (size_t i = 1; i < a->about->columns; i++) {
    ritti_difference d = {
        .name = a->about->name[i], .a = i, .b = find_column(b, a->about->name[i]), .where = NAN};
    if (d.b == b->about->columns) continue;
    compare_column(a, b, out, &d);
    out->points = d.points;
    if (RITTI_PUSH(out->column, d) != RITT_OK) return ritti_no_memory(error);
  }
  if (out->column.count == 0)
    return ritti_fail(
        error, RITT_WRONG_CALL, NULL, NULL, "'%s' and '%s' have no column in common but '%s'",
        ritti_reader_path(a->reader), ritti_reader_path(b->reader), a->about->name[0]);
  if (out->points == 0)
    return ritti_fail(
        error, RITT_WRONG_CALL, NULL, NULL, "'%s' and '%s' have no values of '%s' in common",
        ritti_reader_path(a->reader), ritti_reader_path(b->reader), a->about->name[0]);
  return RITT_OK;
}
