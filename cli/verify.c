/* `ritt run --verify`: makes the run again by another method with a tenth of the tolerance, and
 * reports how many digits agree. The second run is the more accurate one, so the difference is
 * about the error of the first. Rows of the first run are kept, every 2^k-th if there are many; the
 * second run gives rows at the same places. A column is measured relative to its largest value over
 * the run, or absolutely if it is 0 within the tolerance. */
#include <math.h>
#include <stdlib.h>
#include "run.h"

enum { MOST = 256 }; /* rows kept */

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

/* Ends the second run if the user interrupts. */
static ritt_status stop_if_interrupted(void *user, const ritt_progress *now) {
  (void)user, (void)now;
  return cli_was_interrupted() ? RITT_STOPPED : RITT_OK;
}

/* Measures columns that contain only errors, such as an energy of 0, absolutely, because the solver
 * measures steps in units of max(1, |z|). */
static void size_zeros(second *s, size_t count, double tolerance) {
  for (size_t i = 1; i < count; i++)
    if (s->size[i] < 10 * s->apart[i] && s->size[i] < 1e3 * tolerance) s->size[i] = 1;
}

/* The number of digits in which the worst column agrees, at most 17; *column is this column. */
static double worst_digits(const second *s, const double *apart, size_t count, size_t *column) {
  double least = 17;
  *column = 0;
  for (size_t i = 1; i < count; i++) {
    double digits = apart[i] == 0 ? 17 : -log10(apart[i] / s->size[i]);
    if (!(digits >= least)) {
      least = digits >= 0 ? digits : 0;
      *column = i;
    }
  }
  return least;
}

/* Chooses another method of the same type, with at least the same order. */
static const char *other_method(const ritt_statistics *s) {
  const char *method = s->method ? s->method : "";
  if (s->stage_iterations > 0) return strcmp(method, "radau9") ? "radau9" : "radau5";
  return strcmp(method, "dop853") ? "dop853" : "vern98";
}

/* Makes the second run, with rows at the places `at`. */
static ritt_status run_again(cli_job *j, second *s, const double *at, ritt_error *error) {
  cli_verify *v = &j->verify;
  ritt_options run = j->options->run;

  /* another method, a smaller tolerance */
  v->method = run.method = other_method(&j->statistics);
  v->tolerance = run.tolerance = fmax(j->statistics.tolerance / 10, 1e-15);
  if (run.constant_step > 0) run.constant_step /= 2;

  /* rows only at the given places */
  run.points = 0;
  run.every = 0;
  run.row_step = 0;
  run.at = at;
  run.at_count = v->rows;
  run.watch = stop_if_interrupted;
  ritt_statistics statistics;
  return ritt_model_run(j->model, &run, compare_row, s, &statistics, error);
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
  s.apart = calloc(2 * count, sizeof *s.apart);
  if (error && at && s.size && s.apart) {
    for (i = 0; i < v->rows; i++) at[i] = row_of(v, i)[0];
    v->status = run_again(j, &s, at, error);
    v->done = v->status == RITT_OK && s.at == v->rows;
    size_zeros(&s, count, j->statistics.tolerance);
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
        out, "  verified  no: the second run, %s with tolerance %.2g, did not get to the end\n",
        v->method, v->tolerance);
    return;
  }
  ritti_text_add(out, "  verified  %.1f digits at the end, %.1f over the run", v->end_digits,
                 v->digits);
  if (v->column) ritti_text_add(out, " (least in %s)", columns[v->column]);
  ritti_text_add(out, ", against %s with tolerance %.2g\n", v->method, v->tolerance);
}

void cli_verify_json(const cli_verify *v, const char *const *columns, ritti_text *out) {
  cli_json_text(out, "verified_by", v->method);
  cli_json_real(out, "verified_tolerance", v->method ? v->tolerance : NAN);
  cli_json_real(out, "verified_digits", v->done ? v->digits : NAN);
  cli_json_real(out, "verified_digits_end", v->done ? v->end_digits : NAN);
  cli_json_text(out, "verified_column", v->done && v->column ? columns[v->column] : NULL);
}

void cli_verify_free(cli_verify *v) {
  RITTI_ARRAY_FREE(v->kept);
  RITTI_ARRAY_FREE(v->last);
}
