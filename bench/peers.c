/* Ritt against SUNDIALS and against a plain program for the hand-reduced system, in one run: the
 * time to 6, 8 and 9 digits.
 *
 * Ritt gets the equations as they are published (index 3, or with their invariants); the others get
 * what a careful user writes for them: IDA the stabilised index-2 form, CVODE the reduced system
 * and a projection, ARKODE and the plain program the reduced system alone.
 *
 * A run keeps the constraints if its method has them in it, and those on positions (the invariants,
 * where there are some) stay below KEPT at every step. Runs of methods that know nothing of them
 * may do so, too, if they are accurate enough; they are compared apart. */
#include "peers/contest.h"

#define KEPT 1e-8
static FILE *csv;

static const contest_solver solvers[] = {
    {"Ritt dopri54", NULL, "dopri54", "never"},
    {"Ritt dop853", NULL, "dop853", "never"},
    {"Ritt vern98", NULL, "vern98", "never"},
    {"Ritt taylor:12", NULL, "taylor:12", "never"},
    {"Ritt taylor:20", NULL, "taylor:20", "never"},
    {"Ritt dopri54 native", NULL, "dopri54", "always"},
    {"Ritt dop853 native", NULL, "dop853", "always"},
    {"Ritt vern98 native", NULL, "vern98", "always"},
    {"plain dop853", plain_dop853, .plain = true},
#if HAVE_SUNDIALS
    {"IDA index 2", sundials_ida, .keeps = true, .needs = NEEDS_DAE},
    {"IDA index 2 loose", sundials_ida_loose, .keeps = true, .needs = NEEDS_DAE},
    {"CVODE BDF projected", sundials_cvode_projected, .keeps = true, .needs = NEEDS_PROJECTION},
    {"CVODE Adams", sundials_cvode_adams},
    {"ARKODE order 5", sundials_arkode_5, .arkode = true},
    {"ARKODE order 8", sundials_arkode_8, .arkode = true},
#endif
};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

static const char *const four[] = {"y1", "y2", "y1'", "y2'"};
static const struct {
  const peer_problem *peer;
  const char *const *names;
  bool ten, three; /* targets: over SUNDIALS that keeps the constraints, over ARKODE */
} problems[] = {{&peer_henon_heiles, four, true, true},
                {&peer_kepler, four, false, false},
                {&peer_pendulum, NULL, true, true},
                {&peer_andrews, NULL, true, false},
                {&peer_car_axis, NULL, true, false}};

static bool is_ours(const contest_solver *s, const bench_result *r) {
  return !s->peer && r->residual < KEPT;
}
static bool is_plain(const contest_solver *s, const bench_result *r) { return s->plain && r->done; }
static bool is_keeper(const contest_solver *s, const bench_result *r) {
  return s->keeps && r->residual < KEPT;
}
static bool is_arkode(const contest_solver *s, const bench_result *r) {
  return s->arkode && r->done;
}
static bool is_small(const contest_solver *s, const bench_result *r) {
  return s->peer && !s->plain && r->residual < KEPT;
}

/* Times faster than the fastest of some others; limit 0: there is no target. */
static void judge_one(const contest *c, const contest_entry *e, int d, double ours,
                      const char *than, contest_counts *counts, double limit) {
  char what[200];
  int which;
  double peer = contest_fastest(c, e, d, counts, &which);
  if (which < 0 && bench_quick()) peer = NAN; /* its scan was cut short */
  snprintf(what, sizeof what, "%s, %d digits: times faster than %s (%s)", c->problem->name,
           c->digits[d], than, which < 0 ? "none has these digits" : solvers[which].name);
  if (limit > 0) bench_target(what, peer / ours, true, limit);
  else printf("%s: %.3g\n", what, peer / ours);
}

static void compare(const contest *c, bool ten, bool three) {
  contest_entry e[SOLVERS];
  double ours[CONTEST_DIGITS];
  int which;
  contest_hold(c, e);
  for (int d = 0; d < c->digit_count; d++) ours[d] = contest_fastest(c, e, d, is_ours, &which);
  contest_print(c, e, ours, true, csv);
  for (int d = 0; d < c->digit_count; d++) {
    if (c->problem == &peer_andrews && c->digits[d] == 8)
      bench_target("Andrews, 8 digits: time over that of a hand-reduced dop853 program",
                   ours[d] / contest_fastest(c, e, d, is_plain, &which), false, 1.2);
    if (c->digits[d] == 8 || !HAVE_SUNDIALS) continue;
    judge_one(c, e, d, ours[d], "the best SUNDIALS run that keeps the constraints", is_keeper,
              ten ? 10 : 0);
    judge_one(c, e, d, ours[d], "ARKODE on the hand-reduced system", is_arkode, three ? 3 : 0);
    judge_one(c, e, d, ours[d], "any SUNDIALS run whose residual is that small", is_small, 0);
  }
  printf("\n");
  fflush(stdout);
}

int main(int count, char **word) {
  const char *only = count > 1 ? word[1] : NULL; /* one of the problems */
  peer_prepare();
  csv = bench_csv("peers", CONTEST_CSV);
#if HAVE_SUNDIALS
  printf("Against SUNDIALS %s", sundials_version());
#else
  printf("SUNDIALS was not there when this was built (libsundials-dev)");
#endif
  printf("; constraints are kept if they stay below %.0e at every step%s\n", KEPT,
         bench_native() ? "" : "; this build has no native code");
  contest c = {.solvers = solvers,
               .solver_count = SOLVERS,
               .digits = {6, 8, 9},
               .digit_count = 3,
               .limit = bench_quick() ? 0.3 : 4};
  contest_print_head(&c, true);
  for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
    c.problem = problems[i].peer, c.names = problems[i].names;
    if (only && strcmp(only, c.problem->name) != 0) continue;
    compare(&c, problems[i].ten, problems[i].three);
  }
  bench_end(csv);
  return 0;
}
