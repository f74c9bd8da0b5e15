/* The rows of Tables 1 to 15 of the enhanced linear algebra paper as it made them, with its
 * tolerances of the projection: for each column one line with the number of the table, whether the
 * projections begin with the initial step, the column, steps, rejected steps, Newton iterations of
 * a projection (average and most), and milliseconds of CPU time. tools/papers reads this. With an
 * argument only the tables named: `papers_tables 3 5 12`. */
#include <stdlib.h>
#include <time.h>
#include "papers_runs.h"

enum { COLUMNS = 4 };

typedef struct table {
  int number;
  const char *model, *kind; /* of models/papers; NULL: chains of `particles` */
  int particles;
  double h, end, tolerance, most;
  bool inexact;
  const ritt_real *start; /* of runs with constant steps, where it is not the model's */
} table;

static const ritt_real mhd_start[] = {0, 1, 1, 1, 0.4, 0.5, 0.6, 0, 0.3333, 4};

static const table tables[] = {
    {1, "rigid_body_general", "general", 0, 0.2, 3600, 1e-6, 5, false, NULL},
    {2, "rigid_body_general", "general", 0, 0.2, 3600, 1e-6, 5, true, NULL},
    {3, "rigid_body", "auto", 0, 0.2, 3600, 1e-6, 5, false, NULL},
    {4, "rigid_body", "auto", 0, 0.2, 3600, 1e-6, 5, true, NULL},
    {5, "plug_flow", "auto", 0, 0.1, 3.2188, 1e-10, 4, false, NULL},
    {6, "plug_flow", "auto", 0, 0.1, 3.2188, 1e-10, 4, true, NULL},
    {7, "magnetic_particle_general", "general", 0, 0.01, 20, 1e-5, 5, false, NULL},
    {8, "magnetic_particle_general", "general", 0, 0.01, 20, 1e-5, 5, true, NULL},
    {9, "magnetic_particle", "auto", 0, 0.01, 20, 1e-5, 5, false, NULL},
    {10, "magnetic_particle", "auto", 0, 0.01, 20, 1e-5, 5, true, NULL},
    {11, "mhd_general", "general", 0, 0.05, 1.75, 1e-7, 2.5, false, mhd_start},
    {12, "mhd", "auto", 0, 0.05, 1.75, 1e-7, 2.5, false, NULL},
    {13, NULL, NULL, 6, 0.02, 1, 1e-6, 3, false, NULL},
    {14, NULL, NULL, 24, 5, 1, 1e-6, 3, false, NULL},
    {15, NULL, NULL, 50, 5, 0.73, 1e-6, 3, false, NULL},
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Exact Newton takes its initial step by conjugate gradients with tolerance 0.01, as they did. */
static papers_way way_of(bool inexact, bool initial_step) {
  return (papers_way){inexact ? RITTI_PROJECT_INEXACT : RITTI_PROJECT_NEWTON, initial_step,
                      inexact ? 0 : 0.01};
}

static papers_counts run_column(const papers_model *p, const table *t, int column, papers_way way) {
  const char *method = column < 2 ? "euler" : "dopri54";
  if (column % 2 == 0) return papers_constant_from(p, t->start, method, way, t->h, t->end);
  return papers_adaptive_by(p, method, way, t->h, t->end, t->tolerance, t->most);
}

static void print_line(const table *t, bool initial_step, int column, const papers_counts *c,
                       double seconds) {
  printf("%d %d %d %ld %ld %.3g %d %.2f\n", t->number, initial_step, column, c->steps, c->rejected,
         c->average, c->most, 1e3 * seconds);
  fflush(stdout);
}

static void make_table(const table *t) {
  papers_model p = papers_open_as(t->model, t->kind);
  if (!p.problem) return;
  for (int initial = 0; initial < 2; initial++)
    for (int column = 0; column < COLUMNS; column++) {
      double began = now();
      papers_counts c = run_column(&p, t, column, way_of(t->inexact, initial));
      print_line(t, initial, column, &c, now() - began);
    }
  papers_close(&p);
}

/* The columns of a chain: with energy and without, each by exact and by inexact Newton. That of 6
 * begins where the paper on jets prints it, the others at the zigzag that satisfies all
 * constraints. */
static void make_chain_table(const table *t) {
  for (int column = 0; column < COLUMNS; column += 2) {
    bool energy = column == 0;
    papers_model p = t->particles == 6 ? papers_open_as(energy ? "mech6_energy" : "mech6", "auto")
                                       : papers_chain(t->particles, energy);
    if (!p.problem) return;
    for (int initial = 0; initial < 2; initial++)
      for (int inexact = 0; inexact < 2; inexact++) {
        double began = now();
        papers_counts c =
            papers_adaptive(&p, way_of(inexact, initial), t->h, t->end, t->tolerance, t->most);
        print_line(t, initial, column + inexact, &c, now() - began);
      }
    papers_close(&p);
  }
}

int main(int argc, char **argv) {
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    bool wanted = argc < 2;
    for (int j = 1; j < argc; j++) wanted = wanted || atoi(argv[j]) == tables[i].number;
    if (!wanted) continue;
    if (tables[i].model) make_table(&tables[i]);
    else make_chain_table(&tables[i]);
  }
  return checks_failed > 0 || checks_passed > 0; /* nothing is checked here */
}
