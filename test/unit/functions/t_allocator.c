/* A problem of functions and its solvers live in the caller's memory alone, give all of it back,
 * and ask for none while the solver runs. Linked before the library, the three functions below take
 * the place of its own. */
#include <stdbool.h>
#include <stdlib.h>
#include "base/base.h"
#include "check.h"

static long from_malloc;
void *ritti_malloc(size_t size) {
  from_malloc++;
  return malloc(size ? size : 1);
}
void *ritti_realloc(void *old, size_t size) {
  from_malloc++;
  return realloc(old, size ? size : 1);
}
void ritti_free(void *p) { free(p); }

typedef struct pool {
  long asked, live, most; /* most: the upper limit */
} pool;

static void *allocate(void *user, size_t size) {
  pool *p = user;
  if (p->asked++ >= p->most) return NULL;
  p->live++;
  return malloc(size);
}
static void release(void *user, void *memory) {
  pool *p = user;
  p->live--;
  free(memory);
}

static ritt_status formula(void *user, const double *z, double *top) {
  (void)user;
  top[0] = z[2], top[1] = -z[1];
  return RITT_OK;
}
static ritt_status circle(void *user, const double *z, double *f) {
  (void)user;
  f[0] = z[1] * z[1] + z[2] * z[2] - 1;
  return RITT_OK;
}

static ritt_status use(const ritt_problem *problem, pool *p) {
  double z[] = {0, 0.1, 1}, u;
  ritt_solver *solver;
  RITT_TRY(ritt_problem_project(problem, NULL, z, NULL));
  RITT_TRY(ritt_problem_check_derivatives(problem, z, 0, NULL));
  RITT_TRY(ritt_solver_from_problem(problem, z, NULL, NULL, &solver));
  long before = p->asked;
  ritt_status status = ritt_solver_run_to(solver, 3, NULL);
  if (status == RITT_OK) status = ritt_solver_value(solver, "y1", &u, NULL);
  CHECK(p->asked == before);
  ritt_solver_free(solver);
  return status;
}

static ritt_status make_and_use(pool *p) {
  ritt_allocator allocator = {allocate, release, p};
  const ritt_definition definition = {.kind = RITT_EXPLICIT,
                                      .unknowns = 2,
                                      .formula = formula,
                                      .rows = 1,
                                      .f = circle,
                                      .allocator = &allocator};
  ritt_problem *problem;
  RITT_TRY(ritt_problem_new(&definition, NULL, &problem));
  allocator = (ritt_allocator){0}; /* it was copied */
  ritt_status status = use(problem, p);
  ritt_problem_free(problem);
  return status;
}

int main(void) {
  pool all = {.most = 1000000};
  CHECK(make_and_use(&all) == RITT_OK);
  CHECK(from_malloc == 0 && all.asked > 3 && all.live == 0);
  for (long k = 0; k < all.asked; k++) {
    pool some = {.most = k};
    CHECK(make_and_use(&some) == RITT_NO_MEMORY);
    CHECK(some.live == 0);
  }
  CHECK(from_malloc == 0);

  /* a solver with memory of its own, on a problem from malloc; and on a model */
  pool own = {.most = 1000000};
  const ritt_allocator allocator = {allocate, release, &own};
  ritt_options options = ritt_options_default();
  options.allocator = &allocator;
  const char text[] = "model m\nvariable x\nequation x' = -x\nstart x = 1\nsolve t = 0 .. 1\n";
  ritt_model *model;
  CHECK(ritt_model_read_text(text, strlen(text), "test", NULL, &model) == RITT_OK);
  const ritt_check *check;
  CHECK(ritt_model_check(model, NULL, &check) == RITT_OK);
  from_malloc = 0;
  CHECK(ritt_model_run(model, &options, NULL, NULL, NULL, NULL) == RITT_OK);
  CHECK(from_malloc == 0 && own.asked > 0 && own.live == 0);
  ritt_model_free(model);
  const ritt_allocator half = {allocate, NULL, &own};
  ritt_problem *problem;
  CHECK(ritt_problem_new(
            &(ritt_definition){
                .kind = RITT_EXPLICIT, .unknowns = 2, .formula = formula, .allocator = &half},
            NULL, &problem) == RITT_WRONG_CALL);
  return CHECKS_DONE();
}
