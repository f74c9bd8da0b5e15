/* The gradient of one end value of a chain of 50 masses on rods by its 100 parameters: the run, and the
 * adjoints of its steps on the way back, in times of the run alone. Everything is interpreted; times are
 * CPU times, the least of several. Beside it the same derivatives taken along forward. */
#include "measure.h"

enum { MASSES = 50, PARAMETERS = 2 * MASSES };
static const double end = 1;

static void stop_on(ritt_status status, ritt_error *error) {
  if (status == RITT_OK) return;
  const ritt_message *said = ritt_error_count(error) ? ritt_error_get(error, 0) : NULL;
  fprintf(stderr, "%s\n", said ? said->text : ritt_status_text(status));
  exit(1);
}

/* CPU seconds of a run, the least of several. */
static double time_run(ritt_model *model, const ritt_options *o, ritt_error *error) {
  double least = INFINITY, spent = 0;
  for (int i = 0; bench_again(i, spent); i++) {
    ritt_solver *solver = NULL;
    stop_on(ritt_solver_from_model(model, o, error, &solver), error);
    double begin = bench_now();
    stop_on(ritt_solver_run_to(solver, end, error), error);
    double used = bench_now() - begin;
    ritt_solver_free(solver);
    least = fmin(least, used);
    spent += used;
  }
  return least;
}

int main(void) {
  ritt_error *error = ritt_error_new();
  ritt_model *model = NULL;
  ritt_adjoint *adjoint = NULL;
  ritt_options o = ritt_options_default();
  char text[PARAMETERS][16];
  const char *names[PARAMETERS];
  double gradient[PARAMETERS], weight[2] = {1, 0}, back = INFINITY, spent = 0;
  o.native = "never";
  for (int i = 0; i < PARAMETERS; i++) {
    snprintf(text[i], sizeof text[i], "%s[%d]", i < MASSES ? "m" : "L", 1 + i % MASSES);
    names[i] = text[i];
  }
  stop_on(ritt_model_read_file(RITT_SOURCE_DIR "/bench/models/hundred.ritt", error, &model), error);
  double run = time_run(model, &o, error);
  stop_on(ritt_model_adjoint(model, names, PARAMETERS, &end, 1, &o, error, &adjoint), error);
  for (int i = 0; bench_again(i, spent); i++) {
    double begin = bench_now();
    stop_on(ritt_adjoint_gradient(adjoint, weight, gradient, error), error);
    double used = bench_now() - begin;
    back = fmin(back, used);
    spent += used;
  }
  printf("gradient of x[n] by %d parameters of a chain of %d masses, %ld steps\n", PARAMETERS,
         MASSES, adjoint->steps);
  ritt_adjoint_free(adjoint);
  double forward = time_run(model, &o, error); /* the model still has its 100 derivatives */
  printf("  run                      %8.3f ms\n", 1e3 * run);
  printf("  gradient, run included   %8.3f ms, %.1f runs\n", 1e3 * (run + back), 1 + back / run);
  printf("  100 forward derivatives  %8.3f ms, %.1f runs\n", 1e3 * forward, forward / run);
  bench_target("gradient of 100 parameters, in runs", 1 + back / run, false, 6);
  ritt_model_free(model);
  ritt_error_free(error);
  return 0;
}
