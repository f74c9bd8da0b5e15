/* A mass that varies, (1 + u^2) u' = v, v u' + v' = -u: the graph kind, A(z) top + b(z) = 0. The
 * same table as ritt run graph.ritt -o -  */
#include "common.h"

/* z = (t, u, v), top = (u', v'); A row by row */
static ritt_status system_of(void *user_data, const double *z, double *A, double *b) {
  double u = z[1], v = z[2];
  (void)user_data;
  A[0] = 1 + u * u, A[1] = 0;
  A[2] = v, A[3] = 1;
  b[0] = -v;
  b[1] = u;
  return RITT_OK;
}

int main(void) {
  static const char *const names[] = {"u", "v"};
  const ritt_definition definition = {
      .kind = RITT_GRAPH, .unknowns = 2, .system = system_of, .independent = "t", .names = names};
  const double z[] = {0, 0, 1};
  ritt_error *error = ritt_error_new();
  ritt_options options = ritt_options_default();
  ritt_problem *problem = NULL;
  ritt_solver *solver = NULL;
  options.to = 3;
  options.points = 7;
  options.method = "dop853";

  ritt_status status = ritt_problem_new(&definition, error, &problem);
  if (status == RITT_OK) status = ritt_solver_from_problem(problem, z, &options, error, &solver);
  if (status == RITT_OK) {
    print_columns(solver);
    status = ritt_solver_run(solver, print_row, NULL, error);
  }
  ritt_solver_free(solver);
  ritt_problem_free(problem);
  return finish(status, error);
}
