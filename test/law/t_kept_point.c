/* A solver at a point that was kept: it goes on with the settings of the model, and invariants have
 * the values of that point.
 *
 * y'' = -2 with the invariant y'^2/2 + 2 y, from y = 0, y' = 1 at t = 1: y = u - u^2 with u = t -
 * 1, though the start of the model has another value of the invariant. */
#include "check.h"
#include "ritt.h"

static const char text[] =
    "model ball\nvariable y\nequation y'' = -2\ninvariant y'^2/2 + 2*y\n"
    "start t = 0\n  y = 1, y' = 0\nsolve t = 0 .. 1.5\n  method dop853\n  tolerance 1e-12\n";

int main(void) {
  ritt_error *error = ritt_error_new();
  ritt_model *model = NULL;
  ritt_solver *solver = NULL;
  ritt_options options = ritt_options_default();
  ritt_statistics statistics;
  const double z[] = {1, 0, 1};
  double y = NAN;
  CHECK(ritt_model_read_text(text, strlen(text), "ball", error, &model) == RITT_OK);
  CHECK(ritt_solver_from_model_at(model, 1, z, NULL, error, &solver) == RITT_OK);
  CHECK(ritt_solver_run(solver, NULL, NULL, error) == RITT_OK);
  CHECK(ritt_solver_value(solver, "y", &y, error) == RITT_OK);
  CHECK_NEAR(y, 0.25, 1e-14);
  ritt_solver_statistics(solver, &statistics);
  CHECK_TEXT(statistics.method, "dop853");
  CHECK_NEAR(statistics.x, 1.5, 0);
  ritt_solver_free(solver);

  options.kind = "graph"; /* another kind may have other coordinates */
  CHECK(ritt_solver_from_model_at(model, 1, z, &options, error, &solver) == RITT_WRONG_CALL &&
        !solver);
  CHECK(ritt_error_count(error) == 1);
  ritt_model_free(model);
  ritt_error_free(error);
  return CHECKS_DONE();
}
