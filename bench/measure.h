/* What all measurements share: the clock, runs of Ritt in this process, errors, tables on stdout
 * and as CSV, and the targets of the project beside what was measured.
 *
 * Times are CPU times of the process, of the run alone (what is made before it, completion
 * included, is not in it), the least of several. They mean something as ratios within one run of
 * one program. */
#ifndef RITT_BENCH_MEASURE_H
#define RITT_BENCH_MEASURE_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "ritt.h"

/* ---- the clock ---- */

static inline double bench_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* `./do bench quick` sets RITT_BENCH_QUICK: fewer repeats and smaller sizes. */
static inline bool bench_quick(void) { return getenv("RITT_BENCH_QUICK") != NULL; }

/* How much time the repeats of one measurement may take together, and their least and largest
 * number. */
static inline bool bench_again(int done, double spent) {
  double room = bench_quick() ? 0.01 : 0.1;
  return done < (bench_quick() ? 3 : 5) || (done < 200 && spent < room);
}

/* ---- errors ---- */

/* The largest |y - Y|/(1 + |Y|), or |y - Y|/|Y|, the measures of the test set for IVP solvers; not
 * finite: 1. */
static inline double bench_error(const double *y, const double *exact, int n, bool relative) {
  double most = 0;
  for (int i = 0; i < n; i++) {
    double e = fabs(y[i] - exact[i]) / (!relative + fabs(exact[i]));
    if (!(e <= most)) most = e;
  }
  return most < 1 ? most : 1;
}
static inline double bench_digits(double error) { return error > 1e-16 ? -log10(error) : 16; }

/* ---- what a run gave ---- */

typedef struct bench_result {
  bool done;                      /* it came to the end */
  double seconds;                 /* the least of the repeats */
  double error;                   /* at the end, by bench_error */
  double residual;                /* the largest of the constraints, over all steps */
  double tolerance;               /* with which it ran */
  double iterations;              /* of a projection */
  long steps;                     /* accepted and rejected */
  long evaluations;               /* of the direction, or of the right side */
  long jacobians, factorisations; /* of implicit methods */
  char setting[48];               /* the method, and what else matters */
} bench_result;

/* ---- runs of Ritt ---- */

typedef struct bench_model {
  ritt_model *model;
  ritt_error *error;
} bench_model;

static inline void bench_complain(const bench_model *m, const char *what) {
  fprintf(stderr, "%s\n", what);
  for (size_t i = 0; i < ritt_error_count(m->error); i++)
    fprintf(stderr, "  %s\n", ritt_error_get(m->error, i)->text);
}

/* A model of the source tree: "models/ivp/andrews.ritt". */
static inline bench_model bench_open(const char *path) {
  bench_model m = {.error = ritt_error_new()};
  char name[1024];
  snprintf(name, sizeof name, "%s/%s", RITT_SOURCE_DIR, path);
  if (ritt_model_read_file(name, m.error, &m.model) == RITT_OK) return m;
  bench_complain(&m, path);
  exit(1);
}
static inline void bench_close(bench_model *m) {
  ritt_model_free(m->model);
  ritt_error_free(m->error);
}

static inline bool bench_option(ritt_options *o, const char *name, const char *value) {
  return ritt_options_set(o, name, value, NULL) == RITT_OK;
}
/* Whether this build knows native code; `bench_option(&o, "native", ...)` may be called if so. */
static inline bool bench_native(void) {
  ritt_options o = ritt_options_default();
  return bench_option(&o, "native", "never");
}

/* The values of columns or coordinates where the solver is: names separated by blanks. Returns how
 * many. */
static inline int bench_values(ritt_solver *S, const char *names, double *y) {
  char list[8192];
  int n = 0;
  snprintf(list, sizeof list, "%s", names);
  for (char *rest, *name = strtok_r(list, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
    if (ritt_solver_value(S, name, &y[n++], NULL) != RITT_OK)
      return fprintf(stderr, "no %s\n", name), 0;
  return n;
}

/* A run: from the start of the model or from z, to `end`; n coordinates (after x), or the columns
 * `names` instead, are compared with `exact` there. */
typedef struct bench_case {
  const bench_model *model;
  const double *z;
  double end;
  const char *names;
  const double *exact; /* NULL: they are not */
  int n;
  bool relative; /* errors */
  double limit;  /* seconds, after which it is not repeated; 0: 1 */
} bench_case;

/* The error of the solver where it is. */
static inline double bench_error_of(const bench_case *c, ritt_solver *S) {
  double y[8192];
  ritt_point p;
  if (!c->exact) return 0;
  if (c->names)
    return bench_values(S, c->names, y) ? bench_error(y, c->exact, c->n, c->relative) : 1;
  return ritt_solver_point(S, &p, NULL) == RITT_OK
             ? bench_error(p.z + 1, c->exact, c->n, c->relative)
             : 1;
}

/* Runs as often as bench_again says, each time with a new solver. */
static inline bench_result bench_run(const bench_case *c, const ritt_options *o) {
  bench_result r = {.seconds = INFINITY, .tolerance = o->tolerance, .error = 1};
  double spent = 0;
  snprintf(r.setting, sizeof r.setting, "%s", o->method ? o->method : "");
  for (int i = 0; bench_again(i, spent); i++) {
    ritt_solver *S;
    ritt_statistics s;
    ritt_status status =
        c->z ? ritt_solver_from_model_at(c->model->model, 0, c->z, o, c->model->error, &S)
             : ritt_solver_from_model(c->model->model, o, c->model->error, &S);
    if (status != RITT_OK) return r;
    double began = bench_now();
    status = ritt_solver_run_to(S, c->end, c->model->error);
    double took = bench_now() - began;
    ritt_solver_statistics(S, &s);
    r.done = status == RITT_OK;
    r.seconds = fmin(r.seconds, took), spent += took;
    r.steps = s.accepted + s.rejected, r.evaluations = s.evaluations,
    r.residual = s.largest_residual;
    r.jacobians = s.stage_jacobians;
    r.factorisations = s.stage_factorisations;
    r.iterations = s.projections ? (double)s.newton_iterations / (double)s.projections : 0;
    r.error = r.done ? bench_error_of(c, S) : 1;
    ritt_solver_free(S);
    if (!r.done || spent > (c->limit > 0 ? c->limit : 1)) break;
  }
  return r;
}

/* The time that an error costs, from runs with falling tolerances: between the first run that
 * reaches it and the one before by logarithms; infinite: none reaches it. */
static inline double bench_time_to(const bench_result *r, int count, double error) {
  for (int i = 0; i < count; i++) {
    if (!r[i].done || !(r[i].error <= error)) continue;
    if (i == 0 || !r[i - 1].done || r[i - 1].error <= r[i].error || r[i].error <= 0)
      return r[i].seconds;
    double part = log(error / r[i].error) / log(r[i - 1].error / r[i].error);
    return r[i].seconds * pow(r[i - 1].seconds / r[i].seconds, part);
  }
  return INFINITY;
}

/* ---- tables ---- */

/* NAME.csv in the folder RITT_BENCH_OUT, which `./do bench` sets; nothing is written without it. */
static inline FILE *bench_csv(const char *name, const char *head) {
  const char *folder = getenv("RITT_BENCH_OUT");
  char path[1024];
  if (!folder) return NULL;
  snprintf(path, sizeof path, "%s/%s.csv", folder, name);
  FILE *csv = fopen(path, "w");
  if (csv) fprintf(csv, "%s\n", head);
  return csv;
}
#define BENCH_CSV(csv, ...) ((csv) ? (void)fprintf(csv, __VA_ARGS__) : (void)0)
static inline void bench_end(FILE *csv) {
  if (csv) fclose(csv);
}

/* A target: `measured` must be at most `limit`, or at least (`at_least`). bench/all collects these
 * lines. */
static inline void bench_target(const char *what, double measured, bool at_least, double limit) {
  bool reached = at_least ? measured >= limit : measured <= limit;
  const char *verdict = isnan(measured) || (!reached && isinf(measured)) ? "not measured"
                        : reached                                        ? "reached"
                                                                         : "not reached";
  printf("target: %s: %.3g, %s %.3g: %s\n", what, measured, at_least ? "at least" : "at most",
         limit, verdict);
}

#endif
