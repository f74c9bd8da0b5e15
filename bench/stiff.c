/* Stiff problems: the time to 4, 6 and 8 digits with the implicit methods of Ritt, with CVODE and
 * IDA, and with codes in Fortran if RITT_PEERS names a shared library of them (peers/fortran.c).
 * The table has steps, Jacobians and factorisations of each run. The last two lines of a problem are
 * the least time of Ritt over the least time of the others: of those that have Jacobians written by
 * hand, and of codes in Fortran that find them by differences ("diff"). Ritt derives its Jacobians. */
#include "peers/contest.h"
#include "peers/sparse.h"

static const contest_solver solvers[] = {
    {"Ritt radau5", NULL, "radau5", "always"},
    {"Ritt radau9", NULL, "radau9", "always"},
    {"Ritt radau13", NULL, "radau13", "always"},
    {"Ritt radau", NULL, "radau", "always"},
    {"Ritt rodas4", NULL, "rodas4", "always"},
    {"Ritt rodas5p", NULL, "rodas5p", "always"},
#if HAVE_SUNDIALS
    {"IDA", sundials_ida, .needs = NEEDS_DAE},
    {"CVODE BDF", sundials_cvode_bdf},
#endif
    {"RADAU5", fortran_radau5, .needs = NEEDS_DAE},
    {"RADAU", fortran_radau, .needs = NEEDS_DAE},
    {"RODAS", fortran_rodas, .needs = NEEDS_DAE},
    {"MEBDFI", fortran_mebdfi, .needs = NEEDS_DAE},
    {"RADAU5 diff", fortran_radau5_numeric, .needs = NEEDS_DAE},
    {"RADAU diff", fortran_radau_numeric, .needs = NEEDS_DAE},
    {"RODAS diff", fortran_rodas_numeric, .needs = NEEDS_DAE},
    {"MEBDFI diff", fortran_mebdfi_numeric, .needs = NEEDS_DAE},
    {"PSIDE diff", fortran_pside_numeric, .needs = NEEDS_DAE},
};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

static const peer_problem *const problems[] = {
    &peer_hires,          &peer_van_der_pol,   &peer_oregonator,
    &peer_robertson,      &peer_chemical_akzo, &peer_transistor_amplifier,
    &peer_ring_modulator, &peer_pollution,     &peer_e5};

static bool is_ours(const contest_solver *s, const bench_result *r) { return !s->peer && r->done; }
static bool has_differences(const contest_solver *s) { return strstr(s->name, " diff") != NULL; }
static bool is_other(const contest_solver *s, const bench_result *r) {
  return s->peer && !has_differences(s) && r->done;
}
static bool is_other_by_differences(const contest_solver *s, const bench_result *r) {
  return s->peer && has_differences(s) && r->done;
}

/* The least time of Ritt over that of the others. */
static void print_ratio(const contest *c, const contest_entry *e, const char *label,
                        contest_counts *others) {
  printf("%-21s %-12s", c->problem->name, label);
  for (int d = 0; d < c->digit_count; d++) {
    int which;
    double ours = contest_fastest(c, e, d, is_ours, &which);
    printf(" | %9.2f %20s", ours / contest_fastest(c, e, d, others, &which), "");
  }
  printf("\n");
}

static void print_runs(const contest *c, const contest_entry *e, FILE *csv) {
  for (int i = 0; i < c->solver_count; i++) {
    bool any = false;
    for (int d = 0; d < c->digit_count; d++) any |= e[i].at[d].done;
    if (!any) continue;
    printf("%-21s %-12s", c->problem->name, c->solvers[i].name);
    for (int d = 0; d < c->digit_count; d++) {
      const bench_result *r = &e[i].at[d];
      if (!r->done) {
        printf(" | %9s %6s %6s %6s", "-", "", "", "");
        continue;
      }
      printf(" | %9.4f %6ld %6ld %6ld", 1e3 * r->seconds, r->steps, r->jacobians,
             r->factorisations);
      BENCH_CSV(csv, "%s,%s,%d,%.3g,%ld,%ld,%ld,%ld,%.6g,%.3g\n", c->problem->name,
                c->solvers[i].name, c->digits[d], r->tolerance, r->steps, r->evaluations,
                r->jacobians, r->factorisations, 1e3 * r->seconds, r->error);
    }
    printf("\n");
  }
}

/* ---- large systems: errors at the end against a run of CVODE with a tight tolerance ---- */

enum { LARGE_TOLERANCES = 7 };

typedef bench_result large_run(const sparse_problem *p, double tolerance, double *y);

static void print_large(const sparse_problem *p, const char *solver, const bench_result *r,
                        double *times, FILE *csv) {
  static const double wanted[] = {1e-4, 1e-6};
  for (int i = 0; i < LARGE_TOLERANCES; i++) {
    if (!r[i].done) continue;
    printf("%-21s %-12s %7.0e | %10.2f %6ld %6ld %6ld | %8.1e\n", p->name, solver, r[i].tolerance,
           1e3 * r[i].seconds, r[i].steps, r[i].jacobians, r[i].factorisations, r[i].error);
    BENCH_CSV(csv, "%s,%s,,%.3g,%ld,%ld,%ld,%ld,%.6g,%.3g\n", p->name, solver, r[i].tolerance,
              r[i].steps, r[i].evaluations, r[i].jacobians, r[i].factorisations, 1e3 * r[i].seconds,
              r[i].error);
  }
  for (int d = 0; d < 2; d++)
    times[d] = fmin(times[d], bench_time_to(r, LARGE_TOLERANCES, wanted[d]));
  fflush(stdout);
}

static void run_ritt(const sparse_problem *p, const char *method, const double *exact,
                     const double *tolerances, double *times, FILE *csv) {
  bench_model m = bench_open(p->model);
  bench_result r[LARGE_TOLERANCES] = {{.done = false}};
  char size[16];
  snprintf(size, sizeof size, "%d", p->size);
  if (ritt_model_set(m.model, "n", size, m.error) != RITT_OK) exit(1);
  for (int i = 0; i < LARGE_TOLERANCES; i++) {
    ritt_options o = ritt_options_default();
    o.method = method, o.tolerance = o.absolute = tolerances[i];
    bench_case one = {.model = &m, .end = p->end, .exact = exact, .n = p->unknowns, .limit = 1};
    r[i] = bench_run(&one, &o);
  }
  print_large(p, method, r, times, csv);
  bench_close(&m);
}

#if HAVE_SUNDIALS
static void run_sundials(const sparse_problem *p, const char *name, large_run *run,
                         const double *exact, const double *tolerances, double *y, double *times,
                         FILE *csv) {
  bench_result r[LARGE_TOLERANCES] = {{.done = false}};
  for (int i = 0; i < LARGE_TOLERANCES; i++) {
    r[i] = run(p, tolerances[i], y);
    if (r[i].done) r[i].error = bench_error(y, exact, p->unknowns, false);
    for (int k = 0; k < 2 && r[i].seconds < 0.5; k++)
      r[i].seconds = fmin(r[i].seconds, run(p, tolerances[i], NULL).seconds);
  }
  print_large(p, name, r, times, csv);
}

static void hold_large(const sparse_problem *p, FILE *csv) {
  static const double tolerances[LARGE_TOLERANCES] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
  double *y = calloc((size_t)p->unknowns, sizeof *y),
         *exact = calloc((size_t)p->unknowns, sizeof *y);
  double ours[2] = {INFINITY, INFINITY}, others[2] = {INFINITY, INFINITY};
  if (!y || !exact || !sparse_cvode(p, 1e-10, exact).done) exit(1);
  run_ritt(p, "radau5", exact, tolerances, ours, csv);
  run_ritt(p, "radau", exact, tolerances, ours, csv);
  run_ritt(p, "rodas4", exact, tolerances, ours, csv);
  run_ritt(p, "rodas5p", exact, tolerances, ours, csv);
  run_sundials(p, "CVODE, KLU", sparse_cvode, exact, tolerances, y, others, csv);
  run_sundials(p, "IDA, KLU", sparse_ida, exact, tolerances, y, others, csv);
  printf("%-21s ratio at 4 digits %.2f, at 6 digits %.2f\n\n", p->name, ours[0] / others[0],
         ours[1] / others[1]);
  fflush(stdout);
  free(y), free(exact);
}
#endif

int main(int count, char **word) {
  FILE *csv = bench_csv("stiff", "problem,solver,digits,tolerance,steps,evaluations,jacobians,"
                                 "factorisations,ms,error");
  contest c = {.solvers = solvers,
               .solver_count = SOLVERS,
               .digits = {4, 6, 8},
               .digit_count = 3,
               .limit = 2,
               .most = 1000000};
  printf("Stiff problems: CPU ms, steps (rejected ones included), Jacobians, factorisations\n");
  printf("%-21s %-12s", "problem", "solver");
  for (int d = 0; d < c.digit_count; d++)
    printf(" | %d digits %6s %6s %6s", c.digits[d], "steps", "Jac.", "fact.");
  printf("\n");
  for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
    if (count > 1 && !strstr(problems[i]->name, word[1])) continue;
    contest_entry e[SOLVERS];
    c.problem = problems[i];
    contest_hold(&c, e);
    print_runs(&c, e, csv);
    print_ratio(&c, e, "ratio", is_other);
    print_ratio(&c, e, "ratio, diff", is_other_by_differences);
    printf("\n");
    fflush(stdout);
  }
#if HAVE_SUNDIALS
  printf("Large systems: tolerance | CPU ms, steps, Jacobians, factorisations | error\n");
  for (int i = 0; i < sparse_problem_count; i++)
    if (count < 2 || strstr(sparse_problems[i].name, word[1])) hold_large(&sparse_problems[i], csv);
#endif
  bench_end(csv);
  return 0;
}
