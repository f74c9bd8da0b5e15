/* A user's program with the installed library: x' = -x from 1 to t = 1, compared with exp(-1). */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <ritt.h>

static ritt_status keep_last(void *user, const double *values, size_t count) {
  double *last = user;
  last[0] = values[0];
  last[1] = count > 1 ? values[1] : NAN;
  return RITT_OK;
}

int main(void) {
  const char *text =
      "model decay\nvariable x\nequation x' = -x\nstart x = 1\nsolve t = 0 .. 1\noutput x\n";
  double last[2] = {NAN, NAN};
  ritt_error *error = ritt_error_new();
  ritt_model *model = NULL;
  ritt_options options = ritt_options_default();
  ritt_statistics statistics;
  options.tolerance = 1e-10;
  ritt_status status = ritt_model_read_text(text, strlen(text), "decay", error, &model);
  if (status == RITT_OK)
    status = ritt_model_run(model, &options, keep_last, last, &statistics, error);
  for (size_t i = 0; i < ritt_error_count(error); i++)
    printf("%s\n", ritt_error_get(error, i)->text);
  ritt_model_free(model);
  ritt_error_free(error);
  printf("ritt %s: x(%g) = %.17g\n", ritt_version(), last[0], last[1]);
  return !(status == RITT_OK && last[0] == 1 && fabs(last[1] - exp(-1)) < 1e-9 &&
           !strcmp(ritt_version(), RITT_VERSION));
}
