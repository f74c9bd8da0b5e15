/* One problem, shared by threads: every thread has a solver of its own, from a start of its own.
 * Prints where pendula that start from rest at different angles are at t = 10. */
#include "common.h"
#include <math.h>
#include <pthread.h>
#include <string.h>

enum { THREADS = 8 };

static const char text[] = "model pendulum\n"
                           "variable x, y, lambda\n"
                           "equation\n"
                           "  x'' + lambda*x = 0\n"
                           "  y'' + lambda*y + 1 = 0\n"
                           "  x^2 + y^2 = 1\n"
                           "start x = 1, y = 0, x' ~ 0, y' ~ 0\n";

typedef struct job {
  const ritt_problem *problem;
  double angle, x, y;
  ritt_status status;
} job;

static void *run(void *argument) {
  job *j = argument;
  double z[] = {0, cos(j->angle), sin(j->angle), 0, 0};
  ritt_solver *solver = NULL;
  j->status = ritt_problem_project(j->problem, NULL, z, NULL);
  if (j->status == RITT_OK)
    j->status = ritt_solver_from_problem(j->problem, z, NULL, NULL, &solver);
  if (j->status == RITT_OK) j->status = ritt_solver_run_to(solver, 10, NULL);
  if (j->status == RITT_OK) j->status = ritt_solver_value(solver, "x", &j->x, NULL);
  if (j->status == RITT_OK) j->status = ritt_solver_value(solver, "y", &j->y, NULL);
  ritt_solver_free(solver);
  return NULL;
}

int main(void) {
  ritt_error *error = ritt_error_new();
  ritt_model *model = NULL;
  const ritt_problem *problem = NULL;
  ritt_status status = ritt_model_read_text(text, strlen(text), "pendulum", error, &model);
  if (status == RITT_OK) status = ritt_model_problem(model, error, &problem);
  if (status == RITT_OK) {
    pthread_t thread[THREADS];
    job jobs[THREADS];
    int started = 0;
    for (; started < THREADS; started++) {
      jobs[started] = (job){.problem = problem, .angle = -0.1 * started};
      if (pthread_create(&thread[started], NULL, run, &jobs[started])) break;
    }
    if (started < THREADS) status = RITT_SYSTEM;
    printf("angle,x,y\n");
    for (int i = 0; i < started; i++) {
      pthread_join(thread[i], NULL);
      if (status == RITT_OK) status = jobs[i].status;
      printf("%.17g,%.17g,%.17g\n", jobs[i].angle, jobs[i].x, jobs[i].y);
    }
  }
  ritt_model_free(model);
  return finish(status, error);
}
