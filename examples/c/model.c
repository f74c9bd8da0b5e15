/* A model from text, another value for a parameter, and its rows. The same table as
 *     ritt run model.ritt --set L=2 -o - */
#include "common.h"
#include <string.h>

static const char text[] = "model pendulum\n"
                           "parameter g = 1, L = 1\n"
                           "variable x, y, lambda\n"
                           "equation\n"
                           "  x'' + lambda*x = 0\n"
                           "  y'' + lambda*y + g = 0\n"
                           "  x^2 + y^2 = L^2\n"
                           "start t = 0\n"
                           "  x = L, y = 0, x' ~ 0, y' ~ 0\n"
                           "solve t = 0 .. 10\n"
                           "  rows 11\n"
                           "output x, y, lambda\n";

int main(void) {
  ritt_error *error = ritt_error_new();
  ritt_model *model = NULL;
  ritt_solver *solver = NULL;
  ritt_status status = ritt_model_read_text(text, strlen(text), "pendulum", error, &model);
  if (status == RITT_OK) status = ritt_model_set(model, "L", "2", error);
  if (status == RITT_OK) status = ritt_solver_from_model(model, NULL, error, &solver);
  if (status == RITT_OK) {
    print_columns(solver);
    status = ritt_solver_run(solver, print_row, NULL, error);
  }
  ritt_solver_free(solver);
  ritt_model_free(model);
  return finish(status, error);
}
