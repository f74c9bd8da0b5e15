/* The problems of the test set for IVP solvers (models/ivp): the time to 4, 6, 8 and 10 digits with
 * explicit and implicit methods of Ritt, and with SUNDIALS where the functions are written in C
 * (bench/peers). Stiff problems count relative errors, as the test set does, the others |error|/(1
 * + |value|) of the positions. */
#include "peers/contest.h"

static const contest_solver solvers[] = {
    {"Ritt dopri54", NULL, "dopri54", "never"},
    {"Ritt dop853", NULL, "dop853", "never"},
    {"Ritt vern98", NULL, "vern98", "never"},
    {"Ritt taylor:12", NULL, "taylor:12", "never"},
    {"Ritt taylor:20", NULL, "taylor:20", "never"},
    {"Ritt radau5", NULL, "radau5", "never"},
    {"Ritt radau9", NULL, "radau9", "never"},
    {"Ritt gauss6", NULL, "gauss6", "never"},
    {"Ritt dop853 native", NULL, "dop853", "always"},
    {"Ritt vern98 native", NULL, "vern98", "always"},
    {"Ritt radau5 native", NULL, "radau5", "always"},
    {"Ritt radau9 native", NULL, "radau9", "always"},
    {"plain dop853", plain_dop853},
#if HAVE_SUNDIALS
    {"IDA", sundials_ida, .needs = NEEDS_DAE},
    {"IDA loose", sundials_ida_loose, .needs = NEEDS_DAE},
    {"CVODE BDF", sundials_cvode_bdf},
    {"CVODE BDF projected", sundials_cvode_projected, .needs = NEEDS_PROJECTION},
    {"CVODE Adams", sundials_cvode_adams},
    {"ARKODE order 8", sundials_arkode_8},
#endif
};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

static const peer_problem *const problems[] = {&peer_andrews,
                                               &peer_car_axis,
                                               &peer_pendulum,
                                               &peer_slider_crank,
                                               &peer_slider_crank_2,
                                               &peer_fekete,
                                               &peer_pleiades,
                                               &peer_hires,
                                               &peer_van_der_pol,
                                               &peer_oregonator,
                                               &peer_robertson,
                                               &peer_chemical_akzo,
                                               &peer_transistor_amplifier};

static bool is_ours(const contest_solver *s, const bench_result *r) { return !s->peer && r->done; }
static bool is_sundials(const contest_solver *s, const bench_result *r) {
  return s->peer && s->peer != plain_dop853 && r->done;
}

int main(int count, char **word) {
  peer_prepare();
  FILE *csv = bench_csv("test_set", CONTEST_CSV),
       *best = bench_csv("test_set_best", "problem,digits,ours,ms,peer,ms,ratio");
  contest c = {.solvers = solvers,
               .solver_count = SOLVERS,
               .digits = {4, 6, 8, 10},
               .digit_count = 4,
               .limit = bench_quick() ? 0.1 : 1,
               .most = 100000};
  printf("The test set for IVP solvers; ratios are over the fastest run of Ritt%s\n",
         bench_native() ? "" : "; this build has no native code");
  contest_print_head(&c, false);
  for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
    if (count > 1 && !strstr(problems[i]->name, word[1])) continue;
    if (bench_quick() && (i >= 3 && i <= 5)) continue; /* those that take longest */
    contest_entry e[SOLVERS];
    double ours[CONTEST_DIGITS];
    int which, peer;
    c.problem = problems[i];
    contest_hold(&c, e);
    for (int d = 0; d < c.digit_count; d++) ours[d] = contest_fastest(&c, e, d, is_ours, &which);
    contest_print(&c, e, ours, false, csv);
    for (int d = 0; d < c.digit_count; d++) {
      contest_fastest(&c, e, d, is_ours, &which);
      double time = contest_fastest(&c, e, d, is_sundials, &peer);
      BENCH_CSV(best, "%s,%d,%s,%.4g,%s,%.4g,%.3g\n", problems[i]->name, c.digits[d],
                which < 0 ? "none" : solvers[which].name, 1e3 * ours[d],
                peer < 0 ? "none" : solvers[peer].name, 1e3 * time, time / ours[d]);
    }
    printf("\n");
    fflush(stdout);
  }
  bench_end(csv), bench_end(best);
  return 0;
}
