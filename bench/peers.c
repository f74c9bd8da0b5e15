/* Ritt against SUNDIALS and against a plain program for the hand-reduced system, in one run: the time to 6, 8 and 9 digits.
 *
 * Ritt gets the equations as they are published (index 3, or with their invariants); the others get what a careful user
 * writes for them: IDA the stabilised index-2 form, CVODE the reduced system and a projection, ARKODE and the plain
 * program the reduced system alone. Tolerances are scanned by half decades; of each method the run with the fewest steps
 * that has the digits counts, and it is then timed.
 *
 * A run keeps the constraints if its method has them in it, and those on positions (the invariants, where there are some)
 * stay below KEPT at every step. Runs of methods that know nothing of them may do so, too, if they are accurate enough;
 * they are compared apart. */
#include "measure.h"
#include "peers/solvers.h"

#define KEPT 1e-8
enum { DIGITS = 3 };
static const int digits[DIGITS] = {6, 8, 9};
static FILE *csv;

/* ---- the solvers ---- */

typedef struct solver {
  const char *name;
  peer_solver *peer; /* NULL: Ritt */
  const char *method, *native;
  bool keeps, arkode, plain; /* keeps: its method has the constraints in it */
} solver;

static const solver solvers[] = {
    {"Ritt dopri54", NULL, "dopri54", "never"},
    {"Ritt dop853", NULL, "dop853", "never"},
    {"Ritt vern98", NULL, "vern98", "never"},
    {"Ritt taylor:12", NULL, "taylor:12", "never"},
    {"Ritt taylor:20", NULL, "taylor:20", "never"},
    {"Ritt dopri54, native", NULL, "dopri54", "always"},
    {"Ritt dop853, native", NULL, "dop853", "always"},
    {"Ritt vern98, native", NULL, "vern98", "always"},
    {"plain dop853", plain_dop853, .plain = true},
#if HAVE_SUNDIALS
    {"IDA, index 2", sundials_ida, .keeps = true},
    {"IDA, index 2, loose", sundials_ida_loose, .keeps = true},
    {"CVODE BDF, projected", sundials_cvode_projected, .keeps = true},
    {"CVODE Adams", sundials_cvode_adams},
    {"ARKODE, order 5", sundials_arkode_5, .arkode = true},
    {"ARKODE, order 8", sundials_arkode_8, .arkode = true},
#endif
};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

typedef struct problem {
  const peer_problem *peer;
  const char *const *names; /* of start values that are not the model's */
  bool ten, three;          /* targets: over SUNDIALS that keeps the constraints, over ARKODE */
} problem;

static const char *const four[] = {"y1", "y2", "y1'", "y2'"};
static const problem problems[] = {{&peer_henon_heiles, four, true, true},
                                   {&peer_kepler, four, false, false},
                                   {&peer_pendulum, NULL, true, true},
                                   {&peer_andrews, NULL, true, false},
                                   {&peer_car_axis, NULL, true, false}};

/* One run, or, where `timed`, the best of several. */
static bench_result run(const solver *s, const problem *p, const bench_model *m, double tolerance,
                        bool timed) {
  if (s->peer) return timed ? peer_run(s->peer, p->peer, tolerance) : s->peer(p->peer, tolerance);
  ritt_options o = ritt_options_default();
  o.method = s->method, o.tolerance = tolerance;
  if (bench_native() && !bench_option(&o, "native", s->native)) exit(1);
  bench_case c = {.model = m, .end = p->peer->end, .exact = p->peer->exact, .n = p->peer->compared};
  c.limit = timed ? 1 : 1e-12;
  return bench_run(&c, &o);
}

/* ---- scans ---- */

typedef struct entry {
  bench_result at[DIGITS]; /* not done: these digits were not reached */
} entry;

static entry scan(const solver *s, const problem *p, const bench_model *m) {
  entry e = {.at = {{.seconds = INFINITY}, {.seconds = INFINITY}, {.seconds = INFINITY}}};
  bench_result best[DIGITS] = {{.done = false}};
  double step = bench_quick() ? 1 : 0.5, least = INFINITY;
  int worse = 0;
  for (double exponent = 4; exponent <= 14; exponent += step) {
    bench_result r = run(s, p, m, pow(10, -exponent), false);
    for (int d = 0; d < DIGITS; d++)
      if (r.done && r.error <= pow(10, -digits[d]) && (!best[d].done || r.steps < best[d].steps)) best[d] = r;
    if (best[DIGITS - 1].done || (isfinite(r.seconds) && r.seconds > (bench_quick() ? 0.3 : 4))) break;
    worse = r.done && r.error >= least ? worse + 1 : 0; /* rounding, or a stall */
    least = fmin(least, r.done ? r.error : 1);
    if (worse == 3) break;
  }
  for (int d = 0; d < DIGITS; d++)
    if (best[d].done) e.at[d] = run(s, p, m, best[d].tolerance, true);
  return e;
}

static double fastest(const entry *e, int d, bool (*counts)(const solver *s, const bench_result *r),
                      int *which) {
  double least = INFINITY;
  *which = -1;
  for (int i = 0; i < SOLVERS; i++)
    if (e[i].at[d].done && counts(&solvers[i], &e[i].at[d]) && e[i].at[d].seconds < least)
      least = e[i].at[d].seconds, *which = i;
  return least;
}
static bool is_ours(const solver *s, const bench_result *r) { return !s->peer && r->residual < KEPT; }
static bool is_plain(const solver *s, const bench_result *r) { return s->plain && r->done; }
static bool is_keeper(const solver *s, const bench_result *r) { return s->keeps && r->residual < KEPT; }
static bool is_small(const solver *s, const bench_result *r) {
  return s->peer && !s->plain && r->residual < KEPT;
}
static bool is_arkode(const solver *s, const bench_result *r) { return s->arkode && r->done; }

static void print_entry(const char *name, const solver *s, const entry *e, const double *ours) {
  printf("%-13s %-22s", name, s->name);
  for (int d = 0; d < DIGITS; d++) {
    const bench_result *r = &e->at[d];
    if (!r->done) {
      printf(" | %9s %7s %8s %6s", "-", "", "", "");
      continue;
    }
    printf(" | %9.4f %7ld %8.0e %6.2f", 1e3 * r->seconds, r->steps, r->residual, r->seconds / ours[d]);
    BENCH_CSV(csv, "%s,%s,%d,%.3g,%ld,%ld,%.6g,%.3g,%.3g,%.4g\n", name, s->name, digits[d], r->tolerance,
              r->steps, r->evaluations, 1e3 * r->seconds, r->error, r->residual, r->seconds / ours[d]);
  }
  printf("\n");
}

/* Times faster than the fastest of some others. */
static void judge_one(const problem *p, const entry *e, int d, double ours, const char *than,
                      bool (*counts)(const solver *s, const bench_result *r), double limit) {
  char what[160];
  int which;
  double peer = fastest(e, d, counts, &which);
  snprintf(what, sizeof what, "%s, %d digits: times faster than %s (%s)", p->peer->name, digits[d], than,
           which < 0 ? "none" : solvers[which].name);
  if (limit > 0) bench_target(what, peer / ours, true, limit);
  else printf("%s: %.3g\n", what, peer / ours);
}

static void judge(const problem *p, const entry *e, int d, double ours) {
  int which;
  if (digits[d] != 8 && HAVE_SUNDIALS) {
    judge_one(p, e, d, ours, "the best SUNDIALS run that keeps the constraints", is_keeper, p->ten ? 10 : 0);
    judge_one(p, e, d, ours, "ARKODE on the hand-reduced system", is_arkode, p->three ? 3 : 0);
    judge_one(p, e, d, ours, "any SUNDIALS run whose residual is that small", is_small, 0);
  }
  if (p->peer == &peer_andrews && digits[d] == 8)
    bench_target("Andrews, 8 digits: time over that of a hand-reduced dop853 program",
                 ours / fastest(e, d, is_plain, &which), false, 1.2);
}

static void compare(const problem *p) {
  bench_model m = bench_open(p->peer->model);
  entry e[SOLVERS];
  double ours[DIGITS];
  for (int i = 0; p->names && i < 4; i++)
    if (ritt_model_start_value(m.model, p->names[i], p->peer->start[i], 1, m.error) != RITT_OK) exit(1);
  for (int i = 0; i < SOLVERS; i++) {
    e[i] = (entry){0};
    if (!solvers[i].peer && strcmp(solvers[i].native, "never") != 0 && !bench_native()) continue;
    e[i] = scan(&solvers[i], p, &m);
  }
  int which[DIGITS];
  for (int d = 0; d < DIGITS; d++) ours[d] = fastest(e, d, is_ours, &which[d]);
  for (int i = 0; i < SOLVERS; i++) print_entry(p->peer->name, &solvers[i], &e[i], ours);
  for (int d = 0; d < DIGITS; d++) judge(p, e, d, ours[d]);
  printf("\n");
  bench_close(&m);
}

int main(void) {
  peer_prepare();
  csv = bench_csv("peers", "problem,solver,digits,tolerance,steps,evaluations,ms,error,residual,over Ritt");
#if HAVE_SUNDIALS
  printf("Against SUNDIALS %s", sundials_version());
#else
  printf("SUNDIALS was not there when this was built (libsundials-dev)");
#endif
  printf("; constraints are kept if they stay below %.0e at every step%s\n", KEPT,
         bench_native() ? "" : "; this build has no native code");
  printf("%-13s %-22s", "problem", "solver");
  for (int d = 0; d < DIGITS; d++)
    printf(" | %d digits: ms %5s %8s %6s", digits[d], "steps", "residual", "ratio");
  printf("\n");
  for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) compare(&problems[i]);
  bench_end(csv);
  return 0;
}
