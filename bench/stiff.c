/* Stiff problems: the time to 4, 6 and 8 digits with the implicit methods of Ritt, with CVODE and
 * IDA, and with codes in Fortran if RITT_PEERS names a shared library of them (peers/fortran.c).
 * The table has steps, Jacobians and factorisations of each run. The last line of a problem is the
 * least time of Ritt over the least time of the others. */
#include "peers/contest.h"

static const contest_solver solvers[] = {
    {"Ritt radau5", NULL, "radau5", "always"},      {"Ritt radau9", NULL, "radau9", "always"},
    {"Ritt radau13", NULL, "radau13", "always"},    {"Ritt radau", NULL, "radau", "always"},
#if HAVE_SUNDIALS
    {"IDA", sundials_ida, .needs = NEEDS_DAE},      {"CVODE BDF", sundials_cvode_bdf},
#endif
    {"RADAU5", fortran_radau5, .needs = NEEDS_DAE}, {"RADAU", fortran_radau, .needs = NEEDS_DAE},
    {"RODAS", fortran_rodas, .needs = NEEDS_DAE},
};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

static const peer_problem *const problems[] = {
    &peer_hires,         &peer_van_der_pol,          &peer_oregonator,    &peer_robertson,
    &peer_chemical_akzo, &peer_transistor_amplifier, &peer_ring_modulator};

static bool is_ours(const contest_solver *s, const bench_result *r) { return !s->peer && r->done; }
static bool is_other(const contest_solver *s, const bench_result *r) { return s->peer && r->done; }

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
    printf("%-21s %-12s", c.problem->name, "ratio");
    for (int d = 0; d < c.digit_count; d++) {
      int which;
      double ours = contest_fastest(&c, e, d, is_ours, &which);
      printf(" | %9.2f %20s", ours / contest_fastest(&c, e, d, is_other, &which), "");
    }
    printf("\n\n");
    fflush(stdout);
  }
  bench_end(csv);
  return 0;
}
