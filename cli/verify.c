/* `ritt run --verify`: makes the run again by another method with a tenth of the tolerance, and
 * reports how many digits agree. The second run is the more accurate one, so the difference is
 * about the error of the first. Rows of the first run are kept, every 2^k-th if there are many; the
 * second run gives rows at the same places. A column is measured relative to its largest value over
 * the run.
 *
 * No digits are claimed for a column that both runs may have ignored: a variable that stays below its
 * absolute tolerance, and a column that is 0 up to its errors, such as the error of an energy. The
 * second run takes at least PARTS steps, so that it meets pulses that the first run has stepped
 * over. */
#include <math.h>
#include <stdlib.h>
#include "run.h"

enum {
  MOST = 256,  /* rows kept */
  NAMED = 4,   /* columns without digits that the summary names */
  PARTS = 1000 /* steps of the second run, at least */
};

/* Keeps every 2^thin-th row; when there are too many, every second one is dropped. */
ritt_status cli_verify_row(cli_verify *v, const double *values, size_t count) {
  bool again = v->rows && v->last.count == count && v->last.at[0] == values[0];
  v->last.count = 0;
  for (size_t i = 0; i < count; i++) RITT_TRY(RITTI_PUSH(v->last, values[i]));

  /* after a jump x is the same: one row is enough */
  if (again || v->seen++ % (1L << v->thin)) return RITT_OK;

  /* drop every second row */
  if (v->rows == MOST) {
    for (size_t i = 0; i < MOST / 2; i++)
      memmove(v->kept.at + i * count, v->kept.at + 2 * i * count, count * sizeof *values);
    v->rows = MOST / 2;
    v->kept.count = v->rows * count;
    v->thin++;
  }

  /* keep the row */
  for (size_t i = 0; i < count; i++) RITT_TRY(RITTI_PUSH(v->kept, values[i]));
  v->rows++;
  return RITT_OK;
}

/* The state of the second run. */
typedef struct second {
  cli_verify *verify;
  size_t at;     /* the index of the next row of the first run to compare */
  double *size;  /* the largest absolute value in each column */
  double *apart; /* the largest difference in each column, then the differences at the end */
} second;

/* The i-th row that was kept. */
static const double *row_of(const cli_verify *v, size_t i) {
  return v->kept.at + i * v->last.count;
}

/* Compares a row of the second run with the row of the first run at the same x. */
static ritt_status compare_row(void *user, const double *values, size_t width) {
  second *s = user;
  const cli_verify *v = s->verify;
  size_t count = v->last.count; /* later columns belong to plots */
  (void)width;
  if (s->at >= v->rows || row_of(v, s->at)[0] != values[0]) return RITT_OK;
  const double *first = row_of(v, s->at++);
  for (size_t i = 1; i < count; i++) {
    double apart = fabs(values[i] - first[i]);
    s->size[i] = fmax(s->size[i], fmax(fabs(first[i]), fabs(values[i])));
    if (!(apart <= s->apart[i])) s->apart[i] = apart; /* true for NaN */
    if (s->at == v->rows) s->apart[count + i] = apart;
  }
  return RITT_OK;
}

/* ---- rounding errors of the equations ---- */

enum { POINTS = 9, MOST_COORDINATES = 1000 };

/* Points of the second run, at which the derivatives are computed again in quadruple precision. */
typedef struct samples {
  ritt_solver *solver; /* of the second run */
  size_t coordinates;
  size_t count;
  long steps; /* the number of steps taken */
  int thin;   /* every 2^thin-th step is kept */
  double s[POINTS];
  double *z, *derivative; /* of each point; NULL: the problem is too large */
} samples;

/* Keeps the point of the second run. */
static void keep_point(samples *p) {
  ritt_point now;
  ritt_statistics statistics;
  ritt_solver_statistics(p->solver, &statistics);
  if (statistics.recompletions > 0) return; /* its coordinates have changed */

  if (p->count == POINTS) {
    for (size_t i = 0; i < POINTS / 2; i++) {
      size_t from = (2 * i + 1) * p->coordinates, to = i * p->coordinates;
      p->s[i] = p->s[2 * i + 1];
      memmove(p->z + to, p->z + from, p->coordinates * sizeof *p->z);
      memmove(p->derivative + to, p->derivative + from, p->coordinates * sizeof *p->z);
    }
    p->count = POINTS / 2;
    p->thin++;
  }
  if (ritt_solver_point(p->solver, &now, NULL) != RITT_OK) return;
  p->s[p->count] = now.s;
  memcpy(p->z + p->count * p->coordinates, now.z, p->coordinates * sizeof *p->z);
  memcpy(p->derivative + p->count * p->coordinates, now.derivative, p->coordinates * sizeof *p->z);
  p->count++;
}

/* Called after every step of the second run: keeps points, and ends the run if the user interrupts. */
static ritt_status watch_second(void *user, const ritt_progress *now) {
  samples *p = user;
  (void)now;
  if (p->z && ++p->steps % (1L << p->thin) == 0) keep_point(p);
  return cli_was_interrupted() ? RITT_STOPPED : RITT_OK;
}

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Replaces the derivatives of the points by how far those in quadruple precision are from them. Drops
 * points at which they cannot be computed. */
static void compare_derivatives(cli_job *j, samples *p) {
  ritt_options quad = j->options->run;
  size_t kept = 0;
  quad.precision = "quad";
  for (size_t i = 0; i < p->count; i++) {
    ritt_solver *solver;
    ritt_point exact;
    double *here = p->derivative + i * p->coordinates, *to = p->derivative + kept * p->coordinates;
    if (ritt_solver_from_model_at(j->model, p->s[i], p->z + i * p->coordinates, &quad, NULL,
                                  &solver) != RITT_OK)
      continue;
    if (ritt_solver_point(solver, &exact, NULL) == RITT_OK) {
      for (size_t k = 0; k < p->coordinates; k++) to[k] = fabs(exact.derivative[k] - here[k]);
      kept++;
    }
    ritt_solver_free(solver);
  }
  p->count = kept;
}

/* Counts the rounding errors of the equations as differences. Both runs compute the same functions with
 * the same rounding, so they may agree on digits that are rounding errors. The derivatives in quadruple
 * precision show them: the median of the differences, times the length of the run. */
static void add_rounding(cli_job *j, samples *p, second *s, double length) {
  const ritt_problem *problem;
  double column[POINTS];
  compare_derivatives(j, p);
  if (p->count == 0 || ritt_model_problem(j->model, NULL, &problem) != RITT_OK) return;
  const ritt_shape *shape = ritt_problem_shape(problem);
  for (size_t k = 1; k < p->coordinates && k < shape->coordinates; k++) {
    for (size_t i = 0; i < p->count; i++) column[i] = p->derivative[i * p->coordinates + k];
    qsort(column, p->count, sizeof *column, compare_doubles);
    double error = column[p->count / 2] * length;
    for (size_t i = 1; i < s->verify->last.count; i++) {
      if (strcmp(j->tables.about.name[i], shape->coordinate_names[k])) continue;
      s->apart[i] = fmax(s->apart[i], error);
      s->apart[s->verify->last.count + i] = fmax(s->apart[s->verify->last.count + i], error);
      s->size[i] = fmax(s->size[i], error);
    }
  }
}

/* Decides for which columns digits can be claimed. */
static void choose_columns(cli_job *j, const second *s, size_t count) {
  cli_verify *v = &j->verify;
  double tolerance = j->statistics.tolerance;
  for (size_t i = 1; i < count; i++) {
    double largest, absolute;
    bool variable =
        ritt_solver_size(j->solver, j->tables.about.name[i], &largest, &absolute, NULL) == RITT_OK;
    v->ignored[i] = variable && fmax(largest, s->size[i]) < absolute;
    if (!variable) v->ignored[i] = s->size[i] < 10 * s->apart[i] && s->size[i] < 1e3 * tolerance;
    if (!variable && j->statistics.below > 0 && s->size[i] < tolerance) v->ignored[i] = true;
    if (s->size[i] == 0) v->ignored[i] = false;
  }
}

/* The number of digits in which the worst column agrees, at most 15: both runs may share the rounding
 * of the last one. *column is this column. */
static double worst_digits(const second *s, const double *apart, size_t count, size_t *column) {
  double least = 15;
  *column = 0;
  for (size_t i = 1; i < count; i++) {
    double digits = apart[i] == 0 ? 15 : -log10(apart[i] / s->size[i]);
    if (s->verify->ignored[i] || digits >= least) continue;
    least = digits > 0 ? digits : 0;
    *column = i;
  }
  return least;
}

/* Chooses another method of the same type, with at least the same order. */
static const char *other_method(const ritt_statistics *s) {
  const char *method = s->method ? s->method : "";
  if (s->stage_jacobians > 0) return strcmp(method, "radau9") ? "radau9" : "radau5";
  return strcmp(method, "dop853") ? "dop853" : "vern98";
}

/* Runs with these options and compares. length: of the run */
static ritt_status run_second(cli_job *j, second *s, ritt_options *run, double length,
                              ritt_error *error) {
  samples points = {0};
  const ritt_problem *problem;
  bool quad = run->precision && !strcmp(run->precision, "quad");
  run->watch = watch_second;
  run->watch_user = &points;
  RITT_TRY(ritt_solver_from_model(j->model, run, error, &points.solver));

  /* room for points, unless the problem is large */
  if (ritt_model_problem(j->model, error, &problem) == RITT_OK)
    points.coordinates = ritt_problem_shape(problem)->coordinates;
  if (points.coordinates > 0 && points.coordinates <= MOST_COORDINATES && !quad && !run->kind) {
    points.z = calloc(2 * POINTS * points.coordinates, sizeof *points.z);
    if (points.z) points.derivative = points.z + POINTS * points.coordinates;
  }

  ritt_status status = ritt_solver_run(points.solver, compare_row, s, error);
  ritt_solver_free(points.solver);
  if (status == RITT_OK && points.z) add_rounding(j, &points, s, length);
  free(points.z);
  return status;
}

/* Makes the second run, with rows at the places `at`. */
static ritt_status run_again(cli_job *j, second *s, const double *at, ritt_error *error) {
  cli_verify *v = &j->verify;
  ritt_options run = j->options->run;

  /* another method, a smaller tolerance */
  v->method = run.method = other_method(&j->statistics);
  v->tolerance = run.tolerance = fmax(j->statistics.tolerance / 10, 1e-15);
  if (run.constant_step > 0) run.constant_step /= 2;
  double step = fabs(at[v->rows - 1] - at[0]) / PARTS;
  if (step > 0 && !(run.max_step > 0 && run.max_step < step)) run.max_step = step;

  /* rows only at the given places */
  run.points = 0;
  run.every = 0;
  run.row_step = 0;
  run.at = at;
  run.at_count = v->rows;
  return run_second(j, s, &run, fabs(at[v->rows - 1] - at[0]), error);
}

void cli_verify_run(cli_job *j) {
  cli_verify *v = &j->verify;
  size_t count = v->last.count, i;
  if (!count) return;
  /* if an event ended the run, the second run ends elsewhere: compare the rows before the end */
  if (j->statistics.ended_by && row_of(v, v->rows - 1)[0] == v->last.at[0]) v->rows--;
  if (!v->rows) return;

  /* otherwise the last row is compared, too */
  if (!j->statistics.ended_by && row_of(v, v->rows - 1)[0] != v->last.at[0]) {
    v->rows++;
    for (i = 0; i < count; i++)
      if (RITTI_PUSH(v->kept, v->last.at[i]) != RITT_OK) return;
  }

  /* make the second run and count the digits */
  second s = {.verify = v};
  ritt_error *error = ritt_error_new();
  double *at = malloc(v->rows * sizeof *at);
  s.size = calloc(count, sizeof *s.size);
  v->ignored = calloc(count, sizeof *v->ignored);
  v->columns = count;
  s.apart = calloc(2 * count, sizeof *s.apart);
  if (error && at && s.size && s.apart && v->ignored) {
    for (i = 0; i < v->rows; i++) at[i] = row_of(v, i)[0];
    v->status = run_again(j, &s, at, error);
    v->done = v->status == RITT_OK && s.at == v->rows;
    choose_columns(j, &s, count);
    v->digits = worst_digits(&s, s.apart, count, &v->column);
    v->end_digits = worst_digits(&s, s.apart + count, count, &i);
  }
  free(at);
  free(s.size);
  free(s.apart);
  ritt_error_free(error);
}

void cli_verify_add(const cli_verify *v, const char *const *columns, ritti_text *out) {
  if (!v->method) return;
  if (!v->done) {
    ritti_text_add(
        out, "  verified  no: the second run, %s with tolerance %.2g, did not reach the end\n",
        v->method, v->tolerance);
    return;
  }

  size_t ignored = 0;
  for (size_t i = 1; i < v->columns; i++) ignored += v->ignored[i];
  if (ignored + 1 < v->columns) {
    ritti_text_add(out, "  verified  %.1f digits at the end, %.1f over the run", v->end_digits,
                   v->digits);
    if (v->column) ritti_text_add(out, " (least in %s)", columns[v->column]);
    ritti_text_add(out, ", against %s with tolerance %.2g\n", v->method, v->tolerance);
  }
  if (!ignored) return;

  /* the columns without digits */
  ritti_text_add(out,
                 ignored + 1 < v->columns ? "            no digits for" : "  verified  no digits:");
  size_t named = 0;
  for (size_t i = 1; i < v->columns && named < NAMED; i++)
    if (v->ignored[i]) ritti_text_add(out, "%s %s", named++ ? "," : "", columns[i]);
  if (ignored > named) ritti_text_add(out, " and %zu more", ignored - named);
  ritti_text_add(out, ", which stay%s below the absolute tolerance or %s only errors\n",
                 ignored == 1 ? "s" : "", ignored == 1 ? "holds" : "hold");
}

void cli_verify_json(const cli_verify *v, const char *const *columns, ritti_text *out) {
  cli_json_text(out, "verified_by", v->method);
  cli_json_real(out, "verified_tolerance", v->method ? v->tolerance : NAN);
  size_t ignored = 0;
  for (size_t i = 1; v->ignored && i < v->columns; i++) ignored += v->ignored[i];
  bool claims = v->done && ignored + 1 < v->columns;
  cli_json_real(out, "verified_digits", claims ? v->digits : NAN);
  cli_json_real(out, "verified_digits_end", claims ? v->end_digits : NAN);

  /* the columns without digits */
  const char **name = calloc(ignored + 1, sizeof *name);
  size_t named = 0;
  for (size_t i = 1; name && v->ignored && i < v->columns; i++)
    if (v->ignored[i]) name[named++] = columns[i];
  cli_json_list(out, "verified_without_digits", name, named);
  free(name);
  cli_json_text(out, "verified_column", v->done && v->column ? columns[v->column] : NULL);
}

void cli_verify_free(cli_verify *v) {
  RITTI_ARRAY_FREE(v->kept);
  RITTI_ARRAY_FREE(v->last);
  free(v->ignored);
}
