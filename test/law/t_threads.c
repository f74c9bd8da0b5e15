/* Problems shared by 8 threads, of models and of functions: every thread gets the rows, the
 * statistics and the sentences that one thread alone gets, bit by bit. The thread sanitizer watches
 * this test in ./do check-all. */
#include "check.h"
#include "ritt.h"
#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 8, ROUNDS = 3 };

typedef struct job {
  const ritt_problem *problem;
  const double *start;
  const ritt_options *options;
  unsigned long long hash;
} job;

static ritt_status take_row(void *user, const double *values, size_t count) {
  check_hash(user, values, count * sizeof *values);
  return RITT_OK;
}

/* Everything that a thread may do with a problem. */
static void *work(void *argument) {
  job *j = argument;
  const ritt_shape *shape = ritt_problem_shape(j->problem);
  double z[16];
  ritt_error *error = ritt_error_new();
  ritt_solver *solver = NULL;
  ritt_statistics s;
  j->hash = CHECK_HASH;
  memcpy(z, j->start, shape->coordinates * sizeof *z);
  ritt_status status = ritt_problem_project(j->problem, NULL, z, error);
  check_hash(&j->hash, &status, sizeof status);
  check_hash(&j->hash, z, shape->coordinates * sizeof *z);
  status = ritt_problem_check_derivatives(j->problem, z, 0, error);
  check_hash(&j->hash, &status, sizeof status);
  if (ritt_solver_from_problem(j->problem, z, j->options, error, &solver) == RITT_OK) {
    status = ritt_solver_run(solver, take_row, &j->hash, error);
    check_hash(&j->hash, &status, sizeof status);
    ritt_solver_statistics(solver, &s);
    check_hash(&j->hash, &s.evaluations, sizeof s.evaluations);
  }
  for (size_t i = 0; i < ritt_error_count(error); i++) {
    const char *text = ritt_error_get(error, i)->text;
    check_hash(&j->hash, text, strlen(text));
  }
  ritt_solver_free(solver);
  ritt_error_free(error);
  return NULL;
}

static unsigned long long alone;
static void check_shared(const ritt_problem *problem, const double *start, const char *settings) {
  ritt_options options = ritt_options_default();
  char name[32], value[32];
  for (int used = 0; sscanf(settings, "%31s %31s%n", name, value, &used) == 2; settings += used)
    CHECK(ritt_options_set(&options, name, value, NULL) == RITT_OK);
  job one = {problem, start, &options, 0};
  work(&one);
  CHECK(one.hash != alone); /* another run than the last one */
  alone = one.hash;
  for (int round = 0; round < ROUNDS; round++) {
    pthread_t thread[THREADS];
    job jobs[THREADS];
    for (int i = 0; i < THREADS; i++) {
      jobs[i] = (job){problem, start, &options, 0};
      CHECK(pthread_create(&thread[i], NULL, work, &jobs[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
      pthread_join(thread[i], NULL);
      CHECK(jobs[i].hash == one.hash);
    }
  }
}

static void check_model(const char *text, const char *settings) {
  ritt_error *error = ritt_error_new();
  ritt_model *model = NULL;
  const ritt_problem *problem = NULL;
  const double *z = NULL;
  CHECK(ritt_model_read_text(text, strlen(text), "test", error, &model) == RITT_OK);
  CHECK(model && ritt_model_problem(model, error, &problem) == RITT_OK);
  CHECK(model && ritt_model_start_point(model, error, &z) == RITT_OK);
  for (size_t i = 0; i < ritt_error_count(error); i++)
    printf("%s\n", ritt_error_get(error, i)->text);
  if (problem) check_shared(problem, z, settings);
  ritt_model_free(model);
  ritt_error_free(error);
}

static ritt_status mass(void *user, const double *z, double *E) {
  (void)user, (void)z;
  E[0] = E[3] = 1, E[1] = E[2] = 0;
  return RITT_OK;
}
static ritt_status force(void *user, const double *z, double *F) {
  (void)z;
  F[0] = 0, F[1] = -*(const double *)user;
  return RITT_OK;
}
static ritt_status rod(void *user, const double *z, double *g) {
  (void)user;
  g[0] = z[1] * z[1] + z[2] * z[2] - 1;
  return RITT_OK;
}
static ritt_status rows(void *user, const double *z, double *f) {
  (void)user;
  f[0] = z[3] * z[3] * z[3] + z[3] - z[0] - z[2];
  f[1] = z[4] - z[1];
  return RITT_OK;
}

static void check_functions(void) {
  double gravity = 1;
  const ritt_definition pendulum = {.kind = RITT_HOLONOMIC,
                                    .unknowns = 2,
                                    .constraints = 1,
                                    .mass = mass,
                                    .force = force,
                                    .g = rod,
                                    .user_data = &gravity},
                        implicit = {.kind = RITT_GENERAL, .unknowns = 2, .rows = 2, .f = rows};
  const double z[] = {0, 1, 0.1, 0, 0.3}, y[] = {0, 1, 0, 0, 1};
  ritt_problem *problem;
  CHECK(ritt_problem_new(&pendulum, NULL, &problem) == RITT_OK);
  check_shared(problem, z, "to 5 rows 11");
  check_shared(problem, z, "to 5 rows 11 projection newton");
  ritt_problem_free(problem);
  CHECK(ritt_problem_new(&implicit, NULL, &problem) == RITT_OK);
  check_shared(problem, y, "to 2 rows 11");
  check_shared(problem, y, "to 2 over arc method dop853");
  ritt_problem_free(problem);
}

int main(void) {
  static const char pendulum[] = "model p\nvariable x, y, lambda\nequation\n x'' + lambda*x = 0\n"
                                 " y'' + lambda*y + 1 = 0\n x^2 + y^2 = 1\n"
                                 "start x = 1, y = 0, x' ~ 0, y' ~ 0\noutput x, y, x'^2 + y'^2\n";
  check_model(pendulum, "to 10 rows 21");
  check_model(pendulum, "to 10 rows 21 projection newton method dop853");
  check_model("model i\nvariable u, v\nequation\n u' = v\n v' = -sin(u)\ninvariant v^2/2 - cos(u)\n"
              "start u = 1, v = 0\n",
              "to 10");
  /* stops, with a sentence that names the place: the text is looked for in the model */
  check_model("model s\nvariable x\nequation x' = -1/sqrt(x)\nstart x = 1\n", "to 2");
  check_model("model e\nvariable x\nequation x'' = -1\nstart x = 1, x' = 0\n"
              "event bounce: x = 0 falling -> x' := -x'/2\n",
              "to 3");
  check_model("model k\nvariable x\nequation x' = 1/2 - sign(x)\nstart x = 1\n", "to 4");
  check_functions();
  return CHECKS_DONE();
}
