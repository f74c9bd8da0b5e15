/* Models run through the public interface, their rows kept: run_file or run_text opens, run_go runs
 * (as often as one likes, with other options), run_get looks at a row by the name of its column,
 * run_free ends. */
#ifndef RITT_TEST_RUN_H
#define RITT_TEST_RUN_H

#include "check.h"
#include "ritt.h"

#include <stdbool.h>
#include <stdlib.h>

typedef struct run {
  ritt_model *model;
  ritt_error *error;
  ritt_status status; /* of the last call */
  ritt_statistics statistics;
  const char *const *name; /* columns of the table */
  size_t names;
  double *row; /* rows x width */
  size_t rows, width, room;
} run;

/* What the library said, for the log of a failed test. */
static inline void run_complain(const run *r, const char *what) {
  checks_failed++;
  printf("%s: %s\n", what, ritt_status_text(r->status));
  for (size_t i = 0; i < ritt_error_count(r->error); i++) {
    const ritt_message *m = ritt_error_get(r->error, i);
    printf("  %s:%d:%d: %s\n", m->file ? m->file : "", m->line, m->column, m->text);
    if (m->hint) printf("  %s\n", m->hint);
  }
}

static inline void *run_memory(void *old, size_t size) {
  void *p = realloc(old, size);
  if (!p) {
    printf("out of memory\n");
    exit(1);
  }
  return p;
}

static inline run *run_new(void) {
  run *r = run_memory(NULL, sizeof *r);
  *r = (run){.error = ritt_error_new()};
  return r;
}

static inline void run_free(run *r) {
  ritt_model_free(r->model);
  ritt_error_free(r->error);
  free(r->row);
  free(r);
}

/* Opens a model given as text. A text that is refused is for the caller to see: status is not
 * RITT_OK, model is NULL. */
static inline run *run_text(const char *text) {
  run *r = run_new();
  r->status = ritt_model_read_text(text, strlen(text), "test.ritt", r->error, &r->model);
  return r;
}

/* Opens models/NAME.ritt with more sections behind it (an output list, say); extra may be NULL. */
static inline run *run_file(const char *name, const char *extra) {
  char path[1024];
  snprintf(path, sizeof path, "%s/models/%s.ritt", RITT_SOURCE_DIR, name);
  run *r = run_new();
  if (!extra) {
    r->status = ritt_model_read_file(path, r->error, &r->model);
  } else {
    FILE *file = fopen(path, "rb");
    char *text = run_memory(NULL, 65536);
    size_t length = file ? fread(text, 1, 65536 - strlen(extra) - 2, file) : 0;
    if (file) fclose(file);
    text[length++] = '\n';
    memcpy(text + length, extra, strlen(extra));
    length += strlen(extra);
    text[length++] = '\n';
    r->status = ritt_model_read_text(text, length, path, r->error, &r->model);
    free(text);
  }
  if (r->status != RITT_OK) run_complain(r, name);
  return r;
}

static inline void run_set(run *r, const char *name, const char *value) {
  r->status = ritt_model_set(r->model, name, value, r->error);
  if (r->status != RITT_OK) run_complain(r, name);
}

static inline ritt_status run_keep(void *user, const double *values, size_t count) {
  run *r = user;
  if (r->rows && count != r->width) return RITT_SYSTEM;
  r->width = count;
  if (r->rows == r->room) {
    r->room = 2 * r->room + 64;
    r->row = run_memory(r->row, r->room * count * sizeof *r->row);
  }
  memcpy(r->row + r->rows++ * count, values, count * sizeof *values);
  return RITT_OK;
}

/* Runs; the status is for the caller to see. */
static inline ritt_status run_try(run *r, const ritt_options *options) {
  if (!r->model) return r->status;
  free(r->row);
  r->row = NULL;
  r->rows = r->room = 0;
  ritt_error_clear(r->error);
  r->status = ritt_model_columns(r->model, r->error, &r->name, &r->names);
  if (r->status == RITT_OK)
    r->status = ritt_model_run(r->model, options, run_keep, r, &r->statistics, r->error);
  return r->status;
}

/* Runs to the end: anything else is a failed check. */
static inline bool run_go(run *r, const ritt_options *options) {
  run_try(r, options);
  if (r->status == RITT_OK && r->rows > 0) checks_passed++;
  else run_complain(r, r->model ? ritt_model_name(r->model) : "no model");
  return r->status == RITT_OK && r->rows > 0;
}

/* The value of a column in a row; NaN, and a failed check, where there is none. */
static inline double run_get(const run *r, size_t row, const char *name) {
  if (row < r->rows)
    for (size_t i = 0; i < r->names; i++)
      if (!strcmp(r->name[i], name)) return r->row[row * r->width + i];
  checks_failed++;
  printf("no column %s in row %zu of %zu\n", name, row, r->rows);
  return NAN;
}
static inline double run_last(const run *r, const char *name) {
  return run_get(r, r->rows - 1, name);
}

/* Columns of a row, named in one string with blanks between. */
static inline void run_list(const run *r, size_t row, const char *names, double *out) {
  char name[64];
  for (int used = 0, k = 0; sscanf(names, "%63s%n", name, &used) == 1; names += used)
    out[k++] = run_get(r, row, name);
}

/* Options: the method, the tolerance and the end; the rest as the model says. */
static inline ritt_options run_options(const char *method, double tolerance, double to) {
  ritt_options o = ritt_options_default();
  o.method = method;
  o.tolerance = tolerance;
  o.to = to;
  return o;
}

/* Largest error relative to max(1, |reference|); NaN where a value is. */
static inline double run_error(const double *value, const double *reference, int n) {
  double worst = 0;
  for (int i = 0; i < n; i++) {
    double e = fabs(value[i] - reference[i]) / fmax(1, fabs(reference[i]));
    if (!(e >= 0)) return NAN;
    worst = fmax(worst, e);
  }
  return worst;
}

/* The last row agrees with the reference to at least this many digits. */
static inline void run_digits(const run *r, const char *names, const double *reference, int n,
                              double digits, const char *what) {
  double value[256];
  if (r->status != RITT_OK || !r->rows) return;
  run_list(r, r->rows - 1, names, value);
  double e = run_error(value, reference, n);
  if (e <= pow(10, -digits)) checks_passed++;
  else checks_failed++, printf("failed: %s: %.2f digits, expected %g\n", what, -log10(e), digits);
}

#endif
