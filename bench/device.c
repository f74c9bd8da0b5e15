/* Runs on a GPU: runs per second of legs for 2^8 to 2^N runs of a model with different start points, and
 * whether they end with the bits of the processor.
 *
 *     bench_device MODEL.ritt [N] [strict|fast]      N: 20 if not given
 *     bench_device MODEL.ritt N strict|fast FILE.cu  with a source of its own
 *     bench_device MODEL.ritt source                 prints the source for the GPU
 */
#include <stdio.h>
#include <stdlib.h>
#include "api/session.h"
#include "jit/cuda.h"

enum { STARTS = 4096, CHECKED = 256 };

static double draw(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return (double)(*state >> 11) * 0x1p-53;
}

/* Starts a run of its own at its own point of M, on the way to the end, and takes the first steps of
 * the driver, until the run fits. NULL: it cannot start. */
static ritt_solver *start_run(ritt_model *model, const ritt_options *options, const double *z0,
                              long run, ritt_error *error) {
  ritt_solver *solver = NULL;
  if (ritt_solver_from_model(model, options, error, &solver) != RITT_OK) return NULL;
  ritti_driver *d = solver->session->driver;
  const int m = d->problem->m;
  uint64_t state = 88172645463325252u + 977 * (uint64_t)run;
  ritt_real z[128];
  for (int i = 0; i < 8; i++) draw(&state);
  for (int i = 0; i < m; i++) z[i] = z0[i] + (i ? 0.02 * (draw(&state) - 0.5) : 0);
  bool good = ritti_manifold_project(&d->manifold, z, z) == RITT_OK &&
              ritti_driver_start(d, z[0], z, error) == RITT_OK;
  if (good) ritti_driver_begin(d, solver->session->settings.end, NULL, NULL, NULL, error);
  good = good && ritti_driver_next(d) == RITTI_NEED_STEP;
  for (int i = 0; i < 5 && good && !ritti_leg_fits(d); i++) {
    ritti_driver_take(d);
    good = ritti_driver_next(d) == RITTI_NEED_STEP;
  }
  if (good) return solver;
  ritt_solver_free(solver);
  return NULL;
}

static int quit(const ritt_error *error, const char *what) {
  fprintf(stderr, "%s: %s\n", what,
          ritt_error_count(error) ? ritt_error_get(error, 0)->text : "no reason");
  return 1;
}

/* Puts the contents of a file in place of the text. */
static bool read_source(const char *path, ritti_text *text) {
  static char line[100000];
  FILE *file = fopen(path, "r");
  *text = (ritti_text){0};
  while (file && fgets(line, sizeof line, file)) ritti_text_add_bytes(text, line, strlen(line));
  return file && fclose(file) == 0;
}

int main(int count, char **argument) {
  ritt_error *error = ritt_error_new();
  ritt_model *model = NULL;
  ritt_solver *solver = NULL;
  const bool print = count > 2 && !strcmp(argument[2], "source");
  const int asked = count > 2 && !print ? atoi(argument[2]) : 20, largest = asked < 30 ? asked : 30;
  const bool fast = count > 3 && !strcmp(argument[3], "fast");
  if (count < 2 || ritt_model_read_file(argument[1], error, &model) != RITT_OK)
    return quit(error, "MODEL.ritt");
  ritt_options options = ritt_options_default();

  if (ritt_solver_from_model(model, &options, error, &solver) != RITT_OK)
    return quit(error, "solver");
  ritti_session *S = solver->session;
  ritti_driver *d = S->driver;
  const ritti_problem *p = d->problem;
  const ritti_solve_options *o = &S->settings.solve;
  ritti_step_method method;
  ritti_text text = {0};
  ritti_arena *arena = ritti_arena_new();
  int *read, reads;
  if (!ritti_tableau_step_method(o->tableau, o->project_stages,
                                 o->projection == RITTI_PROJECT_SEQUENTIAL, o->weighted, &method) ||
      !ritti_batch_fits(p, &method) || ritti_list_leg_reads(p, arena, &read, &reads) != RITT_OK)
    return quit(error, "the model does not fit");

  /* the records of some runs, and the ends that the processor finds */
  const size_t size = ritti_leg_size(p, reads);
  double *z0 = malloc((size_t)p->m * sizeof *z0), *some = malloc(size * STARTS * sizeof *some),
         *ends = malloc((size_t)p->m * CHECKED * sizeof *ends);
  memcpy(z0, d->step.z, (size_t)p->m * sizeof *z0);
  int fits = 0;
  long steps = 0;
  for (int run = 0; run < STARTS; run++) {
    ritt_solver *one = start_run(model, &options, z0, run, error);
    if (!one) return quit(error, "start");
    ritti_driver *own = one->session->driver;
    fits += ritti_leg_fits(own);
    ritti_leg_save(own, read, reads, some + run, STARTS);
    if (run == 0) {
      double *first = malloc(size * sizeof *first);
      ritti_leg_save(own, read, reads, first, 1);
      if (ritti_cuda_write(p, &method, first, &text) != RITT_OK) return quit(error, "source");
      free(first);
      if (print) return puts(text.at) < 0;
    }
    if (run < CHECKED) {
      while (ritti_driver_next(own) == RITTI_NEED_STEP) ritti_driver_take(own);
      memcpy(ends + run * p->m, own->step.z, (size_t)p->m * sizeof *ends);
      steps += own->count.accepted + own->count.rejected;
    }
    ritt_solver_free(one);
  }

  if (count > 4 && !read_source(argument[4], &text)) return quit(error, argument[4]);

  /* the device */
  ritti_cuda *cuda = NULL;
  ritti_cuda_kernel *kernel = NULL;
  if (ritti_cuda_open(0, error, &cuda) != RITT_OK ||
      ritti_cuda_compile(cuda, text.at, fast, error, &kernel) != RITT_OK)
    return quit(error, "device");
  printf("%s on %s, %s; %d of %d starts fit, %.0f steps in a run\n", argument[1],
         ritti_cuda_name(cuda), fast ? "fast" : "strict", fits, STARTS,
         (double)steps / (double)CHECKED);
  double rate[64] = {0}, peak = 0;
  for (int power = 8; power <= largest; power += power < 16 ? 4 : 1) {
    const long runs = 1L << power;
    ritti_cuda_room *room = ritti_cuda_room_new(cuda);
    double *records = malloc(size * (size_t)runs * sizeof *records), seconds, best = 1e300,
           worst = 0;
    if (!records || !room) return quit(error, "memory");
    for (int repeat = 0; repeat < 3; repeat++) {
      for (size_t i = 0; i < size; i++)
        for (long r = 0; r < runs; r++)
          records[i * (size_t)runs + r] = some[i * STARTS + r % STARTS];
      if (ritti_cuda_legs(kernel, room, records, size, runs, 1000000, &seconds, error) != RITT_OK)
        return quit(error, "legs");
      if (seconds < best) best = seconds;
    }
    long done = 0, same = 0, checked = runs < CHECKED ? runs : CHECKED;
    double residual = 0;
    for (long r = 0; r < runs; r++) {
      done += records[RITTI_LEG_WHY * runs + r] == 0;
      residual = fmax(residual, records[RITTI_LEG_RESIDUAL * runs + r]);
    }
    for (long r = 0; r < checked; r++) {
      bool equal = true;
      for (int i = 0; i < p->m; i++) {
        double a = records[(RITTI_LEG_HEAD + i) * runs + r], b = ends[r * p->m + i];
        equal = equal && a == b;
        worst = fmax(worst, fabs(a - b));
      }
      same += equal;
    }
    rate[power] = (double)runs / best;
    peak = fmax(peak, rate[power]);
    printf("2^%-2d  %10.4g runs/s  %.3g s  %ld of %ld whole  %ld of %ld with the processor's bits "
           "(largest difference %.1e)  residual %.1e\n",
           power, (double)runs / best, best, done, runs, same, checked, worst, residual);
    free(records);
    ritti_cuda_room_free(room);
  }
  printf("part of the peak:");
  for (int power = 8; power <= largest; power++)
    if (rate[power] > 0) printf("  2^%d %.0f %%", power, 100 * rate[power] / peak);
  printf("\n");
  return 0;
}
