/* Native code for a problem that threads share: one of its solvers brings it while the others run,
 * and every one gets the bits of the interpreter. The thread sanitizer watches this test in ./do
 * check-all. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#include "check.h"
#include "ritt.h"

enum { THREADS = 6, ROUNDS = 3 };

typedef struct job {
  const ritt_problem *problem;
  const double *start;
  const char *native, *method, *project;
  unsigned long long hash;
  int has, said;
} job;

static ritt_status take_row(void *user, const double *values, size_t count) {
  check_hash(user, values, count * sizeof *values);
  return RITT_OK;
}

static void *work(void *argument) {
  job *j = argument;
  ritt_error *error = ritt_error_new();
  ritt_solver *solver = NULL;
  ritt_options options = ritt_options_default();
  ritt_statistics s = {0};
  options.native = j->native, options.to = 20;
  options.method = j->method, options.project = j->project;
  j->hash = CHECK_HASH;
  if (ritt_solver_from_problem(j->problem, j->start, &options, error, &solver) != RITT_OK ||
      ritt_solver_run(solver, take_row, &j->hash, error) != RITT_OK)
    j->hash = 0;
  if (solver) ritt_solver_statistics(solver, &s);
  j->has = s.native, j->said = s.native_reason != NULL;
  ritt_solver_free(solver);
  ritt_error_free(error);
  return NULL;
}

static ritt_model *open_model(const char *file, const ritt_problem **problem, const double **z) {
  ritt_error *error = ritt_error_new();
  ritt_model *model = NULL;
  CHECK(ritt_model_read_file(file, error, &model) == RITT_OK);
  CHECK(ritt_model_problem(model, error, problem) == RITT_OK);
  CHECK(ritt_model_start_point(model, error, z) == RITT_OK);
  ritt_error_free(error);
  return model;
}

/* A new model each time, so that its problem has no native code yet. */
static void check_round(const char *file, int round) {
  const ritt_problem *problem = NULL;
  const double *z = NULL;
  ritt_model *model = open_model(file, &problem, &z);
  job alone = {.problem = problem, .start = z, .native = "never"};
  work(&alone);
  CHECK(alone.hash && !alone.has);
  job jobs[THREADS];
  pthread_t thread[THREADS];
  int brought = 0, said = 0;
  for (int i = 0; i < THREADS; i++) {
    jobs[i] = (job){.problem = problem, .start = z, .native = (i + round) % 2 ? "always" : "auto"};
    CHECK(pthread_create(&thread[i], NULL, work, &jobs[i]) == 0);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(thread[i], NULL);
    CHECK(jobs[i].hash == alone.hash);
    brought += jobs[i].has, said += jobs[i].said;
  }
  /* where a solver with `auto` was the first, the others must not wait for it */
  printf("%d of %d solvers brought native code, %d could not\n", brought, THREADS, said);
  CHECK(brought <= 1 || said == 0);
  job after = {.problem = problem, .start = z, .native = "always"};
  work(&after);
  CHECK(after.hash == alone.hash);
  ritt_model_free(model);
}

/* A model that is run with one method after the other gets native code for each, once. */
static void check_methods(const char *file) {
  static const char *const ways[][2] = {{"dopri54", "stages"},
                                        {"dopri54", "end"},
                                        {"dop853", "stages"},
                                        {"dopri54", "stages"},
                                        {"rkf45", "end"}};
  const ritt_problem *problem = NULL;
  const double *z = NULL;
  ritt_model *model = open_model(file, &problem, &z);
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    job never = {.problem = problem,
                 .start = z,
                 .native = "never",
                 .method = ways[i][0],
                 .project = ways[i][1]};
    job always = never;
    always.native = "always";
    work(&never), work(&always);
    CHECK(never.hash && always.hash == never.hash);
    CHECK(always.said || always.has == (i != 3)); /* the fourth is there already */
  }
  ritt_model_free(model);
}

/* A solver that waits does not keep native code from another one that asks for it. */
static void check_waiting(const char *file) {
  const ritt_problem *problem = NULL;
  const double *z = NULL;
  ritt_model *model = open_model(file, &problem, &z);
  ritt_error *error = ritt_error_new();
  ritt_options o = ritt_options_default();
  ritt_solver *waits = NULL;
  o.native = "auto";
  CHECK(ritt_solver_from_problem(problem, z, &o, error, &waits) == RITT_OK);
  job always = {.problem = problem, .start = z, .native = "always"};
  work(&always);
  CHECK(always.hash && (always.has || always.said));
  ritt_solver_free(waits);
  ritt_error_free(error);
  ritt_model_free(model);
}

int main(void) {
  char file[512];
  char folder[512] = "";
  CHECK(getcwd(folder, sizeof folder - 16) != NULL);
  strcat(folder, "/native_cache");
  setenv("XDG_CACHE_HOME", folder, 1);
  snprintf(file, sizeof file, "%s/models/classics/pendulum/pendulum.ritt", RITT_SOURCE_DIR);
  for (int i = 0; i < ROUNDS; i++) check_round(file, i);
  check_methods(file);
  check_waiting(file);
  return CHECKS_DONE();
}
