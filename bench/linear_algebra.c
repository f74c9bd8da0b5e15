/* The tables of the enhanced linear algebra paper, remade: what the projections of a run cost,
 * exact against inexact Newton, with and without the initial step, in the kinds that a system has.
 * CPU time, the least of several runs, as ratios within one run of this program; the paper's
 * ratios, of its CPU totals, beside them. */
#include <time.h>
#include "papers_runs.h"

enum { WAYS = 6, PAPER = 4 };
static const struct {
  const char *name;
  papers_way way;
} ways[WAYS] = {
    {"exact", {RITTI_PROJECT_NEWTON, false, 0}},
    {"exact+init", {RITTI_PROJECT_NEWTON, true, 0.01}},
    {"inexact", {RITTI_PROJECT_INEXACT, false, 0}},
    {"inexact+init", {RITTI_PROJECT_INEXACT, true, 0}},
    {"blocks+init", {RITTI_PROJECT_BLOCKS, true, 0}},
    {"gauss", {RITTI_PROJECT_GAUSS, true, 0}},
};

static const struct example {
  const char *model, *kind; /* of models/papers; NULL: a chain of `particles` */
  int particles;
  bool energy;
  const char *method;
  double h, end;
  double paper[PAPER]; /* CPU totals as printed, in the order of the first ways; 0: not printed */
} examples[] = {
    {"rigid_body", "general", 0, 0, "euler", 0.2, 3600, {2.52, 2.00, 2.86, 2.53}},
    {"rigid_body", "auto", 0, 0, "euler", 0.2, 3600, {0.56, 0.44, 0.58, 0.47}},
    {"rigid_body", "general", 0, 0, "dopri54", 0.2, 3600, {12.34, 10.83, 11.80, 10.99}},
    {"rigid_body", "auto", 0, 0, "dopri54", 0.2, 3600, {4.08, 3.37, 3.87, 3.34}},
    {"plug_flow", "auto", 0, 0, "euler", 0.1, 3.2188, {0.08, 0.09, 0.52, 0.52}},
    {"plug_flow", "auto", 0, 0, "dopri54", 0.1, 3.2188, {0.34, 0.29, 0.66, 0.54}},
    {"magnetic_particle", "general", 0, 0, "euler", 0.01, 20, {6.76, 4.20, 7.77, 5.84}},
    {"magnetic_particle", "auto", 0, 0, "euler", 0.01, 20, {1.15, 0.73, 1.50, 1.15}},
    {"magnetic_particle", "general", 0, 0, "dopri54", 0.01, 20, {3.26, 2.86, 3.01, 2.87}},
    {"magnetic_particle", "auto", 0, 0, "dopri54", 0.01, 20, {0.88, 0.71, 0.78, 0.70}},
    {"mhd", "general", 0, 0, "euler", 0.05, 1.75, {232.87, 69.40, 0, 0}},
    {"mhd", "auto", 0, 0, "euler", 0.05, 1.75, {5.21, 1.78, 0, 0}},
    {"mhd", "auto", 0, 0, "dopri54", 0.05, 1.75, {12.22, 7.10, 0, 0}},
    {NULL, NULL, 6, true, NULL, 0.02, 1, {2.01, 1.30, 1.69, 1.53}},
    {NULL, NULL, 6, false, NULL, 0.02, 1, {1.65, 0.99, 1.10, 0.97}},
    {NULL, NULL, 24, true, NULL, 5, 1, {364.70, 242.96, 303.78, 285.22}},
    {NULL, NULL, 24, false, NULL, 5, 1, {315.23, 196.19, 240.98, 222.62}},
    {NULL, NULL, 50, true, NULL, 5, 0.73, {1071.50, 665.83, 586.61, 557.81}},
    {NULL, NULL, 50, false, NULL, 5, 0.73, {889.01, 529.45, 432.84, 399.21}},
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static papers_counts run_once(const papers_model *p, const struct example *x, papers_way way) {
  if (x->model) return papers_constant(p, x->method, way, x->h, x->end);
  return papers_adaptive(p, way, x->h, x->end, 1e-6, 3);
}

/* The least time of several runs, which may take half a second together. */
static double measure(const papers_model *p, const struct example *x, papers_way way,
                      papers_counts *counts) {
  double least = INFINITY, began = now();
  for (int i = 0; i < 3 || (i < 20 && now() - began < 0.5); i++) {
    double start = now();
    *counts = run_once(p, x, way);
    least = fmin(least, now() - start);
  }
  return least;
}

/* The name of the example, and how exact Newton without the initial step does it. */
static void print_head(const struct example *x, const papers_model *p, const papers_counts *c,
                       double time) {
  char name[64];
  if (x->model) snprintf(name, sizeof name, "%s, %s", x->model, x->method);
  else snprintf(name, sizeof name, "chain of %d%s", x->particles, x->energy ? " with energy" : "");
  printf("%-27s %-9s %6ld(%ld) %9.2f ms", name, ritt_kind_text(p->problem->kind), c->steps,
         c->rejected, 1e3 * time);
}

static void measure_example(const struct example *x, double *before) {
  papers_model p =
      x->model ? papers_open_as(x->model, x->kind) : papers_chain(x->particles, x->energy);
  papers_counts counts[WAYS];
  double time[WAYS] = {0};
  if (!p.problem) return;
  for (int w = 0; w < WAYS; w++) {
    if (w == 4 && p.problem->kind != RITT_HOLONOMIC) continue;
    time[w] = measure(&p, x, ways[w].way, &counts[w]);
  }
  print_head(x, &p, &counts[0], time[0]);
  for (int w = 1; w < WAYS; w++) {
    char paper[32] = "";
    if (w < PAPER && x->paper[w] > 0)
      snprintf(paper, sizeof paper, " (%.2f)", x->paper[w] / x->paper[0]);
    if (time[w] > 0) printf(" %6.2f%-7s", time[w] / time[0], paper);
    else printf(" %6s%-7s", "-", "");
  }
  printf("\n%-60s", "");
  printf("av(max), second derivatives, factorisations, products:");
  for (int w = 0; w < PAPER; w++)
    printf(" %.3g(%d) %ld %ld %ld;", counts[w].average, counts[w].most, counts[w].second,
           counts[w].factorisations, counts[w].products);
  printf("\n");
  /* the general kind comes before the one with invariants */
  if (x->model && before[0] > 0 && p.problem->kind != RITT_GENERAL)
    printf("%-60s %.2f (%.2f) of the time of the general kind\n", "", time[0] / before[0],
           x->paper[0] / before[1]);
  before[0] = x->model && !strcmp(x->kind, "general") ? time[0] : 0;
  before[1] = x->paper[0];
  papers_close(&p);
}

int main(void) {
  double before[2] = {0};
  printf(
      "times are parts of that of exact Newton without the initial step; in brackets the paper's\n");
  printf("%-27s %-9s %9s %12s", "example", "kind", "steps", "exact");
  for (int w = 1; w < WAYS; w++) printf(" %-13s", ways[w].name);
  printf("\n");
  for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
    measure_example(&examples[i], before);
  return checks_failed > 0 || checks_passed > 0;
}
