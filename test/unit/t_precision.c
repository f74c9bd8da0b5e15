/* `precision quad` runs if the compiler of the library has a real type of 128 bits, and is refused with
 * a sentence otherwise: in the options and in the text. Doubles run in either case. */
#include "base/quad.h"
#include "run.h"

static const char body[] = "variable y\nequation y' = -y\nstart y = 1\nsolve t = 0 .. 1\n";

static ritt_status run_with(const char *line, const char *precision, ritt_error *error) {
  char text[256];
  ritt_model *model = NULL;
  ritt_options options = ritt_options_default();
  options.precision = precision;
  snprintf(text, sizeof text, "model decay\n%s%s", body, line);
  ritt_status status = ritt_model_read_text(text, strlen(text), "decay.ritt", error, &model);
  if (status == RITT_OK) status = ritt_model_run(model, &options, NULL, NULL, NULL, error);
  ritt_model_free(model);
  return status;
}

static void check_refusal(ritt_status status, ritt_status expected, int line, ritt_error *error) {
  if (RITTI_HAS_QUAD) {
    CHECK(status == RITT_OK && ritt_error_count(error) == 0);
    return;
  }
  CHECK(status == expected && ritt_error_count(error) == 1);
  if (ritt_error_count(error) == 0) return;
  const ritt_message *m = ritt_error_get(error, 0);
  CHECK(strstr(m->text, "no quadruple precision") && m->hint && m->line == line);
}

int main(void) {
  ritt_error *error = ritt_error_new();
  CHECK(run_with("", NULL, error) == RITT_OK && run_with("", "double", error) == RITT_OK);
  check_refusal(run_with("", "quad", error), RITT_WRONG_CALL, 0, error);
  ritt_error_clear(error);
  check_refusal(run_with("  precision quad\n", NULL, error), RITT_WRONG_MODEL, 6, error);
  ritt_error_free(error);
  return CHECKS_DONE();
}
