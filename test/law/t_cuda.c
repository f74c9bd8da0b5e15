/* Sources for a GPU: clang, if it is there and knows CUDA, compiles the legs of a system without
 * constraints, of the pendulum with projected ends and stages, and of a model with elementary
 * functions. */
#include <stdio.h>
#include <stdlib.h>
#include "api/session.h"
#include "check.h"

static const char oscillator[] =
    "model m\nvariable x\nequation\n  x'' = -sin(x) + exp(-x^2)\nstart t = 0\n  x "
    "= 1, x' = 0\nsolve t = 0 .. 10\n  method dopri54\n";
static const char pendulum[] =
    "model m\nvariable x, y, l\nequation\n  x'' + l*x = 0\n  y'' + l*y + 1 = 0\n  x^2 + y^2 = 1\n"
    "start t = 0\n  x = 1, y = 0, x' ~ 0, y' ~ 0\nsolve t = 0 .. 10\n  method dopri54\n";

/* Writes the source of the model to a file. */
static bool write_source(const char *text, const char *project, const char *path) {
  ritt_error *error = ritt_error_new();
  ritt_model *model = NULL;
  ritt_solver *solver = NULL;
  char all[1000];
  snprintf(all, sizeof all, "%s%s", text, project);
  bool good = ritt_model_read_text(all, strlen(all), "t_cuda", error, &model) == RITT_OK;
  ritt_options options = ritt_options_default();

  good = good && ritt_solver_from_model(model, &options, error, &solver) == RITT_OK;
  if (good) {
    ritti_session *S = solver->session;
    ritti_driver *d = S->driver;
    const ritti_solve_options *o = &S->settings.solve;
    ritti_arena *arena = ritti_arena_new();
    ritti_step_method method;
    ritti_text out = {0};
    int *read, reads;
    good = ritti_tableau_step_method(o->tableau, o->project_stages, false, o->weighted, &method) &&
           ritti_batch_fits(d->problem, &method) &&
           ritti_list_leg_reads(d->problem, arena, &read, &reads) == RITT_OK;
    double *record = malloc((good ? ritti_leg_size(d->problem, reads) : 1) * sizeof *record);
    if (good) ritti_leg_save(d, read, reads, record, 1);
    good = good && ritti_cuda_write(d->problem, &method, record, &out) == RITT_OK;
    FILE *file = good ? fopen(path, "w") : NULL;
    good = file && fputs(out.at, file) >= 0;
    if (file) fclose(file);
    free(record);
    ritti_text_free(&out);
    ritti_arena_free(arena);
  }
  for (size_t i = 0; !good && i < ritt_error_count(error); i++)
    printf("%s\n", ritt_error_get(error, i)->text);
  ritt_solver_free(solver);
  ritt_model_free(model);
  ritt_error_free(error);
  return good;
}

static const char options[] = "clang -x cuda --cuda-gpu-arch=sm_70 --cuda-device-only -nocudainc "
                              "-nocudalib -std=c++20 -O1 -ffp-contract=off -w -S";

static int compile(const char *path) {
  char command[400];
  snprintf(command, sizeof command, "%s %s -o %s.ptx", options, path, path);
  return system(command); /* a fixed command */
}

int main(void) {
  FILE *file = fopen("t_cuda_probe.cu", "w");
  bool probe =
      file && fputs("__attribute__((global)) void kernel(int *a) { *a = 1; }\n", file) >= 0;
  if (file) fclose(file);
  probe = probe && compile("t_cuda_probe.cu 2>/dev/null") == 0;
  if (!probe) printf("skipped: clang does not compile CUDA here\n");
  const struct {
    const char *text, *project;
  } sources[] = {{oscillator, ""}, {pendulum, "  project end\n"}, {pendulum, "  project stages\n"}};
  for (int i = 0; i < 3; i++) {
    CHECK(write_source(sources[i].text, sources[i].project, "t_cuda.cu"));
    if (probe) CHECK(compile("t_cuda.cu") == 0);
  }
  return CHECKS_DONE();
}
