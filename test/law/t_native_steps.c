/* Whole steps of native code are the steps of the general code: the same rows, bit for bit, and the
 * same number of steps, rejections, iterations and evaluations.
 *
 * Models with a constraint, mechanisms with a watch for crossings, also ones that pass them; more rows
 * than native code projects on; many rows, few rows, none; controls that remember errors; tolerances
 * with many rejections; the limit of steps; runs backwards; callbacks that end the run. */
#include <stdlib.h>
#include <unistd.h>
#include "check.h"
#include "ritt.h"

typedef struct way {
  double tolerance;
  long points, max_steps;
  const char *control, *method, *project, *projection, *metric;
} way;

typedef struct outcome {
  ritt_status status;
  unsigned long long hash;
  ritt_statistics counts;
} outcome;

static ritt_status take_row(void *user, const double *values, size_t count) {
  check_hash(user, values, count * sizeof *values);
  return RITT_OK;
}

/* With rows; without, to the middle and on to the end, or back to the start. */
static outcome run(const char *file, const way *w, const char *native, int legs, double to) {
  ritt_error *error = ritt_error_new();
  ritt_model *model = NULL;
  ritt_solver *solver = NULL;
  outcome out = {.hash = CHECK_HASH};
  ritt_options o = ritt_options_default();
  o.native = native, o.to = to, o.tolerance = w->tolerance, o.points = w->points,
  o.max_steps = w->max_steps;
  o.control = w->control, o.method = w->method, o.project = w->project;
  o.projection = w->projection, o.metric = w->metric;
  CHECK(ritt_model_read_file(file, error, &model) == RITT_OK);
  CHECK(ritt_solver_from_model(model, &o, error, &solver) == RITT_OK);
  ritt_solver_statistics(solver, &out.counts);
  double from = out.counts.x;
  if (legs == 0) out.status = ritt_solver_run(solver, take_row, &out.hash, error);
  if (legs > 0) out.status = ritt_solver_run_to(solver, from + (to - from) * 0.375, error);
  if (legs > 0 && out.status == RITT_OK)
    out.status = ritt_solver_run_to(solver, legs == 1 ? to : from, error);
  ritt_solver_statistics(solver, &out.counts);
  size_t columns;
  const char *const *names;
  ritt_solver_columns(solver, &names, &columns);
  double *values = calloc(columns + 1, sizeof *values);
  CHECK(ritt_solver_values(solver, out.counts.x, values, error) == RITT_OK);
  check_hash(&out.hash, values, columns * sizeof *values);
  free(values);
  ritt_solver_free(solver);
  ritt_model_free(model);
  ritt_error_free(error);
  return out;
}

static void check_model(const char *name, double to, const way *w) {
  char file[512];
  snprintf(file, sizeof file, "%s/models/%s", RITT_SOURCE_DIR, name);
  for (int legs = 0; legs < 3; legs++) {
    outcome a = run(file, w, "never", legs, to), b = run(file, w, "always", legs, to);
    if (b.counts.native_reason) printf("no native code: %s\n", b.counts.native_reason);
    CHECK(a.status == b.status && a.hash == b.hash);
    CHECK(a.counts.accepted > 20 || w->max_steps);
    CHECK(a.counts.accepted == b.counts.accepted && a.counts.rejected == b.counts.rejected);
    CHECK(a.counts.newton_iterations == b.counts.newton_iterations);
    CHECK(a.counts.evaluations == b.counts.evaluations &&
          a.counts.projections == b.counts.projections);
    CHECK(a.counts.largest_residual == b.counts.largest_residual && a.counts.rows == b.counts.rows);
    CHECK(a.counts.specials == b.counts.specials &&
          a.counts.stability_limited == b.counts.stability_limited);
    for (int i = 0; i < a.counts.specials; i++)
      CHECK(!strcmp(a.counts.special[i].point, b.counts.special[i].point));
    if (w->max_steps) CHECK(a.status == RITT_STOPPED && a.counts.accepted == w->max_steps);
  }
}

static ritt_status end_at_nine(void *user, const ritt_progress *progress) {
  return progress->accepted == 9 ? *(ritt_status *)user : RITT_OK;
}

/* A watcher that ends the run ends it with its own status, and the message says so. */
static void check_watcher(ritt_status ends) {
  char file[512], said[2][400] = {"", ""};
  snprintf(file, sizeof file, "%s/models/ivp/pendulum.ritt", RITT_SOURCE_DIR);
  for (int i = 0; i < 2; i++) {
    ritt_error *error = ritt_error_new();
    ritt_model *model = NULL;
    ritt_options o = ritt_options_default();
    unsigned long long hash = 0;
    o.native = i ? "always" : "never", o.points = 3, o.watch = end_at_nine, o.watch_user = &ends;
    CHECK(ritt_model_read_file(file, error, &model) == RITT_OK);
    CHECK(ritt_model_run(model, &o, take_row, &hash, NULL, error) == ends);
    CHECK(ritt_error_count(error) == 1);
    snprintf(said[i], sizeof said[i], "%s", ritt_error_get(error, 0)->text);
    CHECK(strstr(said[i], "a function ended the run") != NULL);
    ritt_model_free(model);
    ritt_error_free(error);
  }
  CHECK(!strcmp(said[0], said[1]));
}

int main(void) {
  static const way ways[] = {
      {.tolerance = 1e-9, .points = 11, .project = "stages"},
      {.tolerance = 1e-4, .points = 200, .project = "stages"},
      {.tolerance = 1e-7, .points = 3, .control = "pi", .project = "end"},
      {.tolerance = 1e-3, .points = 3, .control = "predictive", .project = "stages"},
      {.tolerance = 1e-8, .points = 5, .method = "dop853", .control = "pid"},
      {.tolerance = 1e-9, .points = 11, .max_steps = 37}};
  char folder[512] = "";
  CHECK(getcwd(folder, sizeof folder - 16) != NULL);
  strcat(folder, "/native_steps_cache");
  setenv("XDG_CACHE_HOME", folder, 1);
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    check_model("papers/henon_heiles.ritt", 40, &ways[i]);
    check_model("ivp/pendulum.ritt", 8, &ways[i]);
  }
  check_model("ivp/andrews.ritt", 0.03, &ways[0]);
  check_model("papers/fourbar_parallel.ritt", 10, &ways[0]);
  check_model("branches/fourbar_node.ritt", 10,
              &(way){.tolerance = 1e-5, .points = 9, .metric = "weighted"});
  /* more rows than native code projects on */
  check_model("ivp/andrews.ritt", 0.03,
              &(way){.tolerance = 1e-6, .points = 9, .project = "end", .projection = "gauss"});
  check_model("papers/kepler.ritt", -20, &ways[0]);
  check_model("ivp/hires.ritt", 30, &(way){.tolerance = 1e-5, .points = 4, .method = "dopri54"});
  check_watcher(RITT_RETRY);
  check_watcher(RITT_STOPPED);
  return CHECKS_DONE();
}
