/* Ritt against the programs of bench/ideal, all with Dormand and Prince's method of order 5: all
 * stages projected, and the end of steps only; by the interpreter and in native code.
 *
 * Small problems are run with a series of tolerances, and times to the same error are compared;
 * long chains, for which errors mean less, with one tolerance, and times per step. */
#include "ideal/ideal.h"
#include "measure.h"
#include "peers/exact.h"

enum { TOLERANCES = 10 };
static FILE *csv;

/* ---- what is compared ---- */

typedef ideal_counts ideal_small(double *y, double end, double tolerance, double stop,
                                 ideal_project project);

typedef struct small_problem {
  const char *name, *model;
  ideal_small *ideal;
  double start[4], end, stop;
  const char *const *names; /* of the start values, NULL: the model has them */
} small_problem;

static const char *const henon_heiles_names[] = {"y1", "y2", "y1'", "y2'"};
static const small_problem small[] = {
    {"Henon-Heiles",
     "models/papers/henon_heiles.ritt",
     ideal_henon_heiles,
     {0, .1, .35, .1},
     1100,
     1e-12,
     henon_heiles_names},
    {"pendulum", "models/ivp/pendulum.ritt", ideal_pendulum, {1, 0, 0, 0}, 10, 1e-13, NULL},
};

static void print_row(const char *problem, const char *program, const char *project,
                      const bench_result *r) {
  BENCH_CSV(csv, "%s,%s,%s,%g,%ld,%.6g,%.6g,%.3g,%.3g,%.3g\n", problem, program, project,
            r->tolerance, r->steps, 1e3 * r->seconds, 1e9 * r->seconds / (double)r->steps, r->error,
            r->residual, r->iterations);
}

static bench_result run_ideal(const small_problem *p, const double *exact, double tolerance,
                              ideal_project project) {
  bench_result r = {.done = true, .seconds = INFINITY, .tolerance = tolerance};
  double spent = 0, y[4];
  for (int i = 0; bench_again(i, spent); i++) {
    memcpy(y, p->start, sizeof y);
    double began = bench_now();
    ideal_counts c = p->ideal(y, p->end, tolerance, p->stop, project);
    double took = bench_now() - began;
    spent += took, r.seconds = fmin(r.seconds, took);
    r.steps = c.accepted + c.rejected, r.residual = c.residual;
    r.iterations = c.projections ? (double)c.iterations / (double)c.projections : 0;
  }
  r.error = bench_error(y, exact, 4, false);
  return r;
}

/* ---- the ways of Ritt ---- */

enum { WAYS = 4 };
static const struct {
  const char *program, *project, *native;
  ideal_project ideal;
} ways[WAYS] = {
    {"interpreter", "stages", "never", IDEAL_STAGES},
    {"native", "stages", "always", IDEAL_STAGES},
    {"interpreter", "end", "never", IDEAL_END},
    {"native", "end", "always", IDEAL_END},
};

static ritt_options way_options(int way, double tolerance) {
  ritt_options o = ritt_options_default();
  o.method = "dopri54", o.project = ways[way].project, o.tolerance = tolerance;
  if (bench_native() && !bench_option(&o, "native", ways[way].native)) exit(1);
  return o;
}
static bool way_there(int way) { return bench_native() || strcmp(ways[way].native, "never") == 0; }

/* What is compared is run in turn, several times, and the best of each counts: other work on a
 * machine comes in bursts. */
static int rounds(void) { return bench_quick() ? 1 : 5; }
static void keep_best(bench_result *best, bench_result now, int round) {
  if (round == 0 || now.seconds < best->seconds) *best = now;
}

static double tolerance_of(int i) { return pow(10, -4 - i); }

static void compare_small(const small_problem *p, const double *exact) {
  /* native code stays with a model: each has its own */
  bench_model m[2] = {bench_open(p->model), bench_open(p->model)};
  bench_result ideal[3][TOLERANCES], ours[WAYS][TOLERANCES];
  for (int i = 0; p->names && i < 8; i++)
    if (ritt_model_start_value(m[i / 4].model, p->names[i % 4], p->start[i % 4], 1,
                               m[i / 4].error) != RITT_OK)
      exit(1);
  for (int i = 0; i < rounds() * TOLERANCES; i++) {
    int round = i / TOLERANCES, k = i % TOLERANCES;
    for (int q = IDEAL_NONE; q <= IDEAL_STAGES; q++)
      keep_best(&ideal[q][k], run_ideal(p, exact, tolerance_of(k), (ideal_project)q), round);
    for (int w = 0; w < WAYS; w++) {
      if (!way_there(w)) continue;
      ritt_options o = way_options(w, tolerance_of(k));
      bench_case c = {.model = &m[w % 2], .end = p->end, .exact = exact, .n = 4};
      keep_best(&ours[w][k], bench_run(&c, &o), round);
    }
  }
  for (int k = 0; k < TOLERANCES; k++) {
    static const char *const words[] = {"none", "end", "stages"};
    for (int q = IDEAL_NONE; q <= IDEAL_STAGES; q++)
      print_row(p->name, "ideal", words[q], &ideal[q][k]);
    for (int w = 0; w < WAYS; w++)
      if (way_there(w)) print_row(p->name, ways[w].program, ways[w].project, &ours[w][k]);
  }
  printf("\n%-14s %-7s %-12s %7s %9s %9s %7s %9s %9s %7s %6s %6s\n", p->name, "project", "program",
         "digits", "ideal ms", "ms", "ratio", "ideal ns", "ns/step", "ratio", "its", "ideal");
  for (int w = 0; w < WAYS; w++)
    for (int digits = 6; digits <= 9 && way_there(w); digits += 3) {
      const bench_result *best = ideal[ways[w].ideal];
      double limit = bench_time_to(best, TOLERANCES, pow(10, -digits));
      double time = bench_time_to(ours[w], TOLERANCES, pow(10, -digits));
      /* steps by a tolerance in the middle of the range */
      const bench_result *a = &best[digits - 2], *b = &ours[w][digits - 2];
      double step[] = {a->seconds / (double)a->steps, b->seconds / (double)b->steps};
      printf("%-14s %-7s %-12s %7d %9.4f %9.4f %7.2f %9.1f %9.1f %7.2f %6.2f %6.2f\n", "",
             ways[w].project, ways[w].program, digits, 1e3 * limit, 1e3 * time, time / limit,
             1e9 * step[0], 1e9 * step[1], step[1] / step[0], b->iterations, a->iterations);
      char what[128];
      snprintf(what, sizeof what,
               "%s, all stages projected, native: time to %d digits over the ideal program's",
               p->name, digits);
      if (w == 1) bench_target(what, time / limit, false, 1.5);
    }
  for (int digits = 6; digits <= 9 && bench_native(); digits += 3) {
    char what[128];
    snprintf(what, sizeof what, "%s, all stages projected: interpreter over native, %d digits",
             p->name, digits);
    bench_target(what,
                 bench_time_to(ours[0], TOLERANCES, pow(10, -digits)) /
                     bench_time_to(ours[1], TOLERANCES, pow(10, -digits)),
                 false, 5);
  }
  bench_close(&m[0]), bench_close(&m[1]);
}

/* ---- chains ---- */

static bench_result run_chain(int n, const double *start, const double *exact, double end,
                              double tolerance, double stop, ideal_project project, int blocks,
                              double *out) {
  bench_result r = {.done = true, .seconds = INFINITY, .tolerance = tolerance};
  double spent = 0;
  for (int i = 0; i < 1 || (exact && bench_again(i, spent)); i++) {
    memcpy(out, start, 4 * (size_t)n * sizeof *out);
    double began = bench_now();
    ideal_counts c = ideal_chain(n, out, end, tolerance, stop, project, blocks);
    double took = bench_now() - began;
    spent += took, r.seconds = fmin(r.seconds, took);
    r.steps = c.accepted + c.rejected, r.residual = c.residual;
    r.iterations = c.projections ? (double)c.iterations / (double)c.projections : 0;
  }
  r.error = exact ? bench_error(out, exact, 4 * n, false) : 0;
  return r;
}

static void print_chain(const char *name, const char *program, const char *project,
                        const bench_result *r, const bench_result *ideal) {
  print_row(name, program, project, r);
  printf("%-14s %-20s %-12s %7ld %10.3f %10.3f %9.1e %9.1e %6.2f", name, project, program, r->steps,
         1e3 * r->seconds, 1e6 * r->seconds / (double)r->steps, r->error, r->residual,
         r->iterations);
  if (ideal)
    printf(" %9.2f %9.2f", r->seconds / ideal->seconds,
           r->seconds / (double)r->steps / (ideal->seconds / (double)ideal->steps));
  printf("\n");
}

static void compare_chain(int n, double end, double tolerance) {
  size_t size = 4 * (size_t)n;
  double *start = malloc(size * sizeof *start), *exact = malloc(size * sizeof *exact),
         *y = malloc(size * sizeof *y), *z = malloc((size + 1) * sizeof *z);
  char count[16], name[32], what[128];
  snprintf(count, sizeof count, "%d", n), snprintf(name, sizeof name, "mech%d", n);
  bench_model m[2];
  for (int i = 0; i < 2; i++) {
    m[i] = bench_open("bench/models/chain.ritt");
    if (ritt_model_set(m[i].model, "n", count, m[i].error) != RITT_OK) exit(1);
  }
  if (!start || !exact || !y || !z) exit(1);
  ideal_chain_start(n, start);
  run_chain(n, start, NULL, end, 1e-4 * tolerance, 1e-14, IDEAL_NONE, 0, exact);
  z[0] = 0, memcpy(z + 1, start, size * sizeof *z);

  static const struct {
    const char *name, *projection; /* of Ritt */
    ideal_project project;
    int blocks;
  } kinds[] = {{"stages together", "gauss", IDEAL_STAGES, 1},
               {"stages q then v", "sequential", IDEAL_STAGES, 0},
               {"end together", "gauss", IDEAL_END, 1},
               {"end q then v", "sequential", IDEAL_END, 0}};
  printf("\n%-14s %-20s %-12s %7s %10s %10s %9s %9s %6s %9s %9s\n", "", "project", "program",
         "steps", "ms", "us/step", "error", "residual", "its", "ratio", "per step");
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    bench_result ideal, sharp, ours[WAYS];
    for (int round = 0; round < rounds(); round++) {
      const ideal_project project = kinds[k].project;
      const int blocks = kinds[k].blocks;
      keep_best(&ideal, run_chain(n, start, exact, end, tolerance, 1e-9, project, blocks, y),
                round);
      keep_best(&sharp, run_chain(n, start, exact, end, tolerance, 1e-15 * n, project, blocks, y),
                round);
      for (int w = 0; w < WAYS; w++) {
        if (!way_there(w) || ways[w].ideal != project) continue;
        ritt_options o = way_options(w, tolerance);
        o.projection = kinds[k].projection;
        bench_case c = {.model = &m[w % 2], .z = z, .end = end, .exact = exact, .n = (int)size};
        keep_best(&ours[w], bench_run(&c, &o), round);
      }
    }
    print_chain(name, "ideal", kinds[k].name, &ideal, NULL);
    print_chain(name, "ideal sharp", kinds[k].name, &sharp, &ideal);
    double times[2] = {INFINITY, INFINITY};
    for (int w = 0; w < WAYS; w++) {
      if (!way_there(w) || ways[w].ideal != kinds[k].project) continue;
      bench_result r = ours[w];
      if (!r.done) {
        bench_complain(&m[w % 2], kinds[k].name);
        continue;
      }
      print_chain(name, ways[w].program, kinds[k].name, &r, &ideal);
      times[w % 2] = r.seconds;
      snprintf(what, sizeof what, "%s, %s, native: time per step over the ideal program's", name,
               kinds[k].name);
      if (w == 1)
        bench_target(what, r.seconds / (double)r.steps / (ideal.seconds / (double)ideal.steps),
                     false, 2);
    }
    snprintf(what, sizeof what, "%s, %s: interpreter over native", name, kinds[k].name);
    if (kinds[k].project == IDEAL_STAGES && bench_native())
      bench_target(what, times[0] / times[1], false, 5);
  }
  bench_close(&m[0]), bench_close(&m[1]);
  free(start), free(exact), free(y), free(z);
}

int main(int count, char **word) {
  const char *only = count > 1 ? word[1] : NULL; /* one of the problems */
  csv = bench_csv("limit",
                  "problem,program,project,tolerance,steps,ms,ns a step,error,residual,iterations");
  printf("Against programs written by hand for one problem (dopri54)%s\n",
         bench_native() ? "" : "; this build has no native code");
  for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
    double exact[4];
    if (only && strcmp(only, small[i].name) != 0) continue;
    memcpy(exact, small[i].start, sizeof exact);
    if (i == 0) exact_henon_heiles(exact, small[i].end);
    else exact_pendulum(exact, small[i].end);
    compare_small(&small[i], exact);
  }
  if (!only || strcmp(only, "mech50") == 0) compare_chain(50, 5, 1e-9);
  if (!only || strcmp(only, "mech1000") == 0) compare_chain(1000, 2, 1e-6);
  bench_end(csv);
  return 0;
}
