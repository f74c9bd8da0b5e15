/* Steps one by one, and points between them: the rows of ritt run model.ritt, taken by dense
 * output. */
#include "common.h"
#include <stdlib.h>

int main(int count, char **arguments) {
  ritt_error *error = ritt_error_new();
  ritt_model *model = NULL;
  ritt_solver *solver = NULL;
  const double end = 10;
  double *values = NULL;
  ritt_status status = ritt_model_read_file(count > 1 ? arguments[1] : "model.ritt", error, &model);
  if (status == RITT_OK) status = ritt_model_set(model, "L", "2", error);
  if (status == RITT_OK) status = ritt_solver_from_model(model, NULL, error, &solver);
  if (status == RITT_OK) {
    const char *const *names;
    size_t columns;
    print_columns(solver);
    ritt_solver_columns(solver, &names, &columns);
    values = malloc(columns * sizeof *values);
    if (!values) status = RITT_NO_MEMORY;
    /* the start is the first row */
    if (status == RITT_OK) status = ritt_solver_values(solver, 0, values, error);
    if (status == RITT_OK) status = print_row(NULL, values, columns);
    for (int row = 1; status == RITT_OK && row <= 10;) {
      ritt_point now;
      status = ritt_solver_step(solver, end, error);
      if (status == RITT_OK) status = ritt_solver_point(solver, &now, error);
      /* every row that lies in the step just taken */
      for (; status == RITT_OK && row <= 10 && end * row / 10 <= now.s; row++) {
        status = ritt_solver_values(solver, end * row / 10, values, error);
        if (status == RITT_OK) status = print_row(NULL, values, columns);
      }
    }
  }
  free(values);
  ritt_solver_free(solver);
  ritt_model_free(model);
  return finish(status, error);
}
