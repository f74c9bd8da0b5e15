/* Tables 1 to 15 of the enhanced linear algebra paper (Tuomela, Arponen, Normi): "CPU total" in
 * seconds as printed, on the machine of its authors, and of the same runs here. How many steps,
 * iterations and factorisations these are stands in test/law/t_papers_counts.c;
 * bench/linear_algebra.c compares further ways to project. */
#include "papers_runs.h"
#include "measure.h"

enum { COLUMNS = 4 };
typedef struct table {
  int number;
  const char *model, *kind; /* model NULL: a chain of particles, with columns of its own */
  int particles;
  bool inexact;
  double tolerance, h, facmax, end;
  double printed[2][COLUMNS]; /* without and with the initial step; Euler and dopri54, each constant
                                 and adaptive */
} table;

static const table tables[] = {
    {1,
     "rigid_body",
     "general",
     0,
     false,
     1e-6,
     0.2,
     5,
     3600,
     {{2.52, 7.78, 12.34, 0.48}, {2.00, 4.73, 10.83, 0.32}}},
    {2,
     "rigid_body",
     "general",
     0,
     true,
     1e-6,
     0.2,
     5,
     3600,
     {{2.86, 9.29, 11.80, 0.64}, {2.53, 6.67, 10.99, 0.50}}},
    {3,
     "rigid_body",
     "auto",
     0,
     false,
     1e-6,
     0.2,
     5,
     3600,
     {{0.56, 1.56, 4.08, 0.12}, {0.44, 1.09, 3.37, 0.09}}},
    {4,
     "rigid_body",
     "auto",
     0,
     true,
     1e-6,
     0.2,
     5,
     3600,
     {{0.58, 2.06, 3.87, 0.16}, {0.47, 1.32, 3.34, 0.11}}},
    {5,
     "plug_flow",
     "auto",
     0,
     false,
     1e-10,
     0.1,
     4,
     3.2188,
     {{0.08, 51.01, 0.34, 0.06}, {0.09, 30.40, 0.29, 0.06}}},
    {6,
     "plug_flow",
     "auto",
     0,
     true,
     1e-10,
     0.1,
     4,
     3.2188,
     {{0.52, 59.82, 0.66, 0.19}, {0.52, 29.41, 0.54, 0.18}}},
    {7,
     "magnetic_particle",
     "general",
     0,
     false,
     1e-5,
     0.01,
     5,
     20,
     {{6.76, 11.56, 3.26, 1.13}, {4.20, 7.10, 2.86, 0.79}}},
    {8,
     "magnetic_particle",
     "general",
     0,
     true,
     1e-5,
     0.01,
     5,
     20,
     {{7.77, 13.25, 3.01, 1.77}, {5.84, 9.97, 2.87, 1.50}}},
    {9,
     "magnetic_particle",
     "auto",
     0,
     false,
     1e-5,
     0.01,
     5,
     20,
     {{1.15, 2.13, 0.88, 0.25}, {0.73, 1.35, 0.71, 0.18}}},
    {10,
     "magnetic_particle",
     "auto",
     0,
     true,
     1e-5,
     0.01,
     5,
     20,
     {{1.50, 2.80, 0.78, 0.43}, {1.15, 2.13, 0.70, 0.38}}},
    {11,
     "mhd",
     "general",
     0,
     false,
     1e-7,
     0.05,
     2.5,
     1.75,
     {{232.87, 36.69, 295.97, 0.53}, {69.40, 20.51, 256.31, 0.43}}},
    {12,
     "mhd",
     "auto",
     0,
     false,
     1e-7,
     0.05,
     2.5,
     1.75,
     {{5.21, 4.63, 12.22, 0.09}, {1.78, 2.46, 7.10, 0.05}}},
    {13,
     NULL,
     NULL,
     6,
     false,
     1e-6,
     0.02,
     3,
     1,
     {{2.01, 1.69, 1.65, 1.10}, {1.30, 1.53, 0.99, 0.97}}},
    {14,
     NULL,
     NULL,
     24,
     false,
     1e-6,
     5,
     3,
     1,
     {{364.70, 303.78, 315.23, 240.98}, {242.96, 285.22, 196.19, 222.62}}},
    {15,
     NULL,
     NULL,
     50,
     false,
     1e-6,
     5,
     3,
     0.73,
     {{1071.50, 586.61, 889.01, 432.84}, {665.83, 557.81, 529.45, 399.21}}},
};

static const char *const columns[2][COLUMNS] = {
    {"Euler, constant", "Euler, adaptive", "dopri54, constant", "dopri54, adaptive"},
    {"energy, exact", "energy, inexact", "no energy, exact", "no energy, inexact"}};

/* One column of a table, once. */
static papers_counts run(const table *t, const papers_model *p, int column, bool initial) {
  bool inexact = t->model ? t->inexact : column % 2;
  papers_way way = {inexact ? RITTI_PROJECT_INEXACT : RITTI_PROJECT_NEWTON, initial,
                    initial && !inexact ? 0.01 : 0};
  const char *method = t->model && column < 2 ? "euler" : "dopri54";
  if (t->model && column % 2 == 0) return papers_constant(p, method, way, t->h, t->end);
  return papers_adaptive_by(p, method, way, t->h, t->end, t->tolerance, t->facmax);
}

static void measure(const table *t, const papers_model *p, int column, FILE *csv) {
  double time[2] = {INFINITY, INFINITY};
  papers_counts counts = {0};
  for (int initial = 0; initial < 2; initial++)
    for (double i = 0, spent = 0; i < 1 || (i < 10 && spent < 0.3); i++) {
      double began = bench_now();
      counts = run(t, p, column, initial);
      double took = bench_now() - began;
      spent += took, time[initial] = fmin(time[initial], took);
    }
  const char *name = columns[!t->model][column];
  char model[64];
  if (t->model)
    snprintf(model, sizeof model, "%s%s%s", t->model, strcmp(t->kind, "auto") ? ", general" : "",
             t->inexact ? ", inexact" : "");
  else snprintf(model, sizeof model, "mech%d", t->particles);
  printf("%5d  %-34s %-19s %9ld(%ld)", t->number, model, name, counts.steps, counts.rejected);
  for (int i = 0; i < 2; i++)
    printf(" | %8.2f %9.4f %8.0f", t->printed[i][column], time[i], t->printed[i][column] / time[i]);
  printf("\n");
  BENCH_CSV(csv, "%d,\"%s\",\"%s\",%ld,%ld,%g,%.4g,%g,%.4g\n", t->number, model, name, counts.steps,
            counts.rejected, t->printed[0][column], time[0], t->printed[1][column], time[1]);
  fflush(stdout);
}

int main(void) {
  FILE *csv = bench_csv(
      "seeds",
      "table,model,column,steps,rejected,paper s,s,paper with initial step s,with initial step s");
  printf("Tables 1 to 15 of the enhanced linear algebra paper: CPU seconds as printed, and here\n");
  printf("%5s  %-34s %-19s %12s", "table", "model", "column", "steps");
  for (int i = 0; i < 2; i++) printf(" | %8s %9s %8s", i ? "w/INIT" : "no INIT", "here", "ratio");
  printf("\n");
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    const table *t = &tables[i];
    papers_model p[2] = {{0}};
    for (int k = 0; k < (t->model ? 1 : 2); k++)
      p[k] = t->model ? papers_open_as(t->model, t->kind) : papers_chain(t->particles, k == 0);
    for (int column = 0; column < COLUMNS; column++) {
      const papers_model *q = &p[t->model ? 0 : column / 2];
      if (q->problem) measure(t, q, column, csv);
    }
    for (int k = 0; k < (t->model ? 1 : 2); k++) papers_close(&p[k]);
  }
  bench_end(csv);
  return checks_failed > 0 || checks_passed > 0;
}
