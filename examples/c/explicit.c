/* Predators and prey, u' = u (a - b v), v' = v (c u - d), with their invariant b v + c u - d log u
 * - a log v: the explicit kind. The same table as ritt run explicit.ritt -o - */
#include "common.h"
#include <math.h>

typedef struct parameters {
  double a, b, c, d, level;
} parameters;

/* z = (t, u, v), top = (u', v') */
static ritt_status formula(void *user_data, const double *z, double *top) {
  const parameters *p = user_data;
  double u = z[1], v = z[2];
  top[0] = u * (p->a - p->b * v);
  top[1] = v * (p->c * u - p->d);
  return RITT_OK;
}

/* one row; RITT_RETRY: no value here, a shorter step may help */
static ritt_status invariant(void *user_data, const double *z, double *f) {
  const parameters *p = user_data;
  double u = z[1], v = z[2];
  if (!(u > 0 && v > 0)) return RITT_RETRY;
  f[0] = p->b * v + p->c * u - p->d * log(u) - p->a * log(v) - p->level;
  return RITT_OK;
}

/* its derivatives, in the columns of u and v only */
static ritt_status gradient(void *user_data, const double *z, double *df) {
  const parameters *p = user_data;
  df[0] = p->c - p->d / z[1];
  df[1] = p->b - p->a / z[2];
  return RITT_OK;
}

int main(void) {
  static const int start[] = {0, 2}, column[] = {1, 2};
  static const char *const names[] = {"u", "v"};
  parameters p = {.a = 2, .b = 1, .c = 1, .d = 3};
  const ritt_definition definition = {.kind = RITT_EXPLICIT,
                                      .unknowns = 2,
                                      .formula = formula,
                                      .rows = 1,
                                      .f = invariant,
                                      .df = gradient,
                                      .df_sparsity = {start, column},
                                      .user_data = &p,
                                      .independent = "t",
                                      .names = names};
  const double z[] = {0, 1, 1};
  ritt_error *error = ritt_error_new();
  ritt_options options = ritt_options_default();
  ritt_problem *problem = NULL;
  ritt_solver *solver = NULL;
  invariant(&p, z, &p.level); /* its value at the start is the one that is kept */

  ritt_status status = ritt_problem_new(&definition, error, &problem);
  if (status == RITT_OK) status = ritt_problem_check_derivatives(problem, z, 0, error);
  if (status == RITT_OK) status = ritt_options_set(&options, "to", "10", error);
  if (status == RITT_OK) status = ritt_options_set(&options, "rows", "11", error);
  if (status == RITT_OK) status = ritt_solver_from_problem(problem, z, &options, error, &solver);
  if (status == RITT_OK) {
    print_columns(solver);
    status = ritt_solver_run(solver, print_row, NULL, error);
  }
  ritt_solver_free(solver);
  ritt_problem_free(problem);
  return finish(status, error);
}
