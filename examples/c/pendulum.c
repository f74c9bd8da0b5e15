/* The pendulum as mechanics: mass, force, and the rod as a constraint; the holonomic kind. The
 * start is a guess that is moved onto the manifold. The same table as ritt run pendulum.ritt -o -
 */
#include "common.h"

/* z = (t, x, y, x', y'), top = (x'', y'', lambda): mass (x'', y'') + dg^T lambda = force */
static ritt_status mass(void *user_data, const double *z, double *E) {
  (void)user_data, (void)z;
  E[0] = 1, E[1] = 0;
  E[2] = 0, E[3] = 1;
  return RITT_OK;
}

static ritt_status force(void *user_data, const double *z, double *F) {
  (void)user_data, (void)z;
  F[0] = 0;
  F[1] = -1;
  return RITT_OK;
}

static ritt_status rod(void *user_data, const double *z, double *g) {
  (void)user_data;
  g[0] = z[1] * z[1] + z[2] * z[2] - 1;
  return RITT_OK;
}

/* by t, x and y */
static ritt_status d_rod(void *user_data, const double *z, double *dg) {
  (void)user_data;
  dg[0] = 0, dg[1] = 2 * z[1], dg[2] = 2 * z[2];
  return RITT_OK;
}

/* the derivative of that along the motion */
static ritt_status d2_rod(void *user_data, const double *z, double *d2g) {
  (void)user_data;
  d2g[0] = 0, d2g[1] = 2 * z[3], d2g[2] = 2 * z[4];
  return RITT_OK;
}

int main(void) {
  static const char *const names[] = {"x", "y", "lambda"};
  const ritt_definition definition = {.kind = RITT_HOLONOMIC,
                                      .unknowns = 2,
                                      .constraints = 1,
                                      .mass = mass,
                                      .force = force,
                                      .g = rod,
                                      .dg = d_rod,
                                      .d2g = d2_rod,
                                      .independent = "t",
                                      .names = names};
  double z[] = {0, 1, 0, 0, 0.5};
  ritt_error *error = ritt_error_new();
  ritt_options options = ritt_options_default();
  ritt_problem *problem = NULL;
  ritt_solver *solver = NULL;
  options.to = 10;
  options.row_step = 0.5;

  ritt_status status = ritt_problem_new(&definition, error, &problem);
  if (status == RITT_OK) status = ritt_problem_project(problem, NULL, z, error);
  if (status == RITT_OK) status = ritt_solver_from_problem(problem, z, &options, error, &solver);
  if (status == RITT_OK) {
    print_columns(solver);
    status = ritt_solver_run(solver, print_row, NULL, error);
  }
  ritt_solver_free(solver);
  ritt_problem_free(problem);
  return finish(status, error);
}
