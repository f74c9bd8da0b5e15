/* Batches through ritt.h: twelve runs of Henon-Heiles with different start values, in slices on one
 * thread, have the bits of the same runs alone, whether steps are taken together or not. */
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>
#include "check.h"
#include "ritt.h"

enum { RUNS = 12 };

typedef struct run {
  ritt_model *model;
  ritt_solver *solver;
  unsigned long long hash; /* of its rows */
  long rows, together;
  int finished;
} run;

static ritt_status take_row(void *user, const double *values, size_t count) {
  run *r = user;
  check_hash(&r->hash, values, count * sizeof *values);
  r->rows++;
  return RITT_OK;
}

/* A solver of its own model with other start values; in the batch, if there is one. */
static void make_run(run *r, int i, const char *native, ritt_batch *batch, ritt_error *error) {
  char file[512];
  ritt_options options = ritt_options_default();
  *r = (run){.hash = CHECK_HASH};
  options.native = native;
  options.to = 20;
  options.points = 41;
  options.method = "dopri54";
  options.project = "stages";
  snprintf(file, sizeof file, "%s/models/classics/henon_heiles.ritt", RITT_SOURCE_DIR);
  CHECK(ritt_model_read_file(file, error, &r->model) == RITT_OK);
  if (batch) ritt_batch_add(batch, r->model);
  CHECK(ritt_model_start_value(r->model, "x", 0.1 + 0.01 * i, 1, error) == RITT_OK);
  CHECK(ritt_solver_from_model(r->model, &options, error, &r->solver) == RITT_OK);
}

static void free_run(run *r) {
  ritt_solver_free(r->solver);
  ritt_model_free(r->model);
}

/* All runs in slices; one of them leaves the batch at once. */
static void go_together(run *r, ritt_error *error) {
  ritt_solver *waiting[RUNS];
  ritt_batch_leave(r[3].solver);
  for (int active = RUNS; active > 0;) {
    active = 0;
    for (int i = 0; i < RUNS; i++) {
      if (!r[i].finished)
        CHECK(ritt_batch_run(r[i].solver, take_row, &r[i], &r[i].finished, error) == RITT_OK);
      waiting[i] = r[i].finished ? NULL : r[i].solver;
      active += !r[i].finished;
    }
    ritt_batch_step(waiting, RUNS);
  }
}

int main(void) {
  char folder[512] = "";
  run alone[RUNS], batched[RUNS];
  ritt_error *error = ritt_error_new();
  CHECK(getcwd(folder, sizeof folder - 16) != NULL);
  strcat(folder, "/batch_cache");
  setenv("XDG_CACHE_HOME", folder, 1);

  for (int i = 0; i < RUNS; i++) {
    make_run(&alone[i], i, "never", NULL, error);
    CHECK(ritt_solver_run(alone[i].solver, take_row, &alone[i], error) == RITT_OK);
    CHECK(alone[i].rows > 10 && (i == 0 || alone[i].hash != alone[0].hash));
    CHECK(ritt_batch_steps(alone[i].solver) == 0);
  }
  for (int together = 0; together <= 1; together++) {
    ritt_batch *batch = ritt_batch_new(RUNS, together);
    long steps = 0;
    bool native = true;
    CHECK(batch != NULL);
    for (int i = 0; i < RUNS; i++) make_run(&batched[i], i, "always", batch, error);
    go_together(batched, error);
    for (int i = 0; i < RUNS; i++) {
      ritt_statistics statistics;
      CHECK(batched[i].hash == alone[i].hash && batched[i].rows == alone[i].rows);
      ritt_solver_statistics(batched[i].solver, &statistics);
      native = native && statistics.native;
      steps += ritt_batch_steps(batched[i].solver);
      free_run(&batched[i]);
    }
    /* without a compiler there is no native code, and nothing to take together */
    printf("together %d: %ld steps in batches\n", together, steps);
    CHECK(!native || (steps > 0) == (together == 1));
    ritt_batch_free(batch);
  }
  for (int i = 0; i < RUNS; i++) free_run(&alone[i]);
  ritt_error_free(error);
  return CHECKS_DONE();
}
