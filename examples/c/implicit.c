/* An implicit equation, y'^3 + y' = x + z, z' = y: the general kind. f holds all coordinates, the
 * highest derivatives y', z' among them; the derivatives of f determine the direction. Without df
 * differences give it. The same table as ritt run implicit.ritt -o - */
#include "common.h"

/* coordinates (x, y, z, y', z') */
static ritt_status f(void *user_data, const double *at, double *out) {
  double x = at[0], y = at[1], z = at[2], dy = at[3], dz = at[4];
  (void)user_data;
  out[0] = dy * dy * dy + dy - x - z;
  out[1] = dz - y;
  return RITT_OK;
}

static ritt_status df(void *user_data, const double *at, double *out) {
  double dy = at[3];
  (void)user_data;
  out[0] = -1, out[1] = -1, out[2] = 3 * (dy * dy) + 1; /* by x, z, y' */
  out[3] = -1, out[4] = 1;                              /* by y, z' */
  return RITT_OK;
}

int main(void) {
  static const int start[] = {0, 3, 5}, column[] = {0, 2, 3, 1, 4};
  static const char *const names[] = {"y", "z"};
  const ritt_definition definition = {.kind = RITT_GENERAL,
                                      .unknowns = 2,
                                      .rows = 2,
                                      .f = f,
                                      .df = df,
                                      .df_sparsity = {start, column},
                                      .names = names};
  /* y = 1, z = 0 stay where they are; y' and z' are guesses */
  double at[] = {0, 1, 0, 0.1, 0.9};
  const int fixed[] = {1, 1, 1, 0, 0};
  ritt_error *error = ritt_error_new();
  ritt_options options = ritt_options_default();
  ritt_problem *problem = NULL;
  ritt_solver *solver = NULL;
  options.to = 3;
  options.points = 7;

  ritt_status status = ritt_problem_new(&definition, error, &problem);
  if (status == RITT_OK) status = ritt_problem_project(problem, fixed, at, error);
  if (status == RITT_OK) status = ritt_solver_from_problem(problem, at, &options, error, &solver);
  if (status == RITT_OK) {
    print_columns(solver);
    status = ritt_solver_run(solver, print_row, NULL, error);
  }
  ritt_solver_free(solver);
  ritt_problem_free(problem);
  return finish(status, error);
}
