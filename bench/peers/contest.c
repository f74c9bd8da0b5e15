#include "contest.h"

static bool able(const contest_solver *s, const peer_problem *p) {
  if (!s->peer) return strcmp(s->native, "never") == 0 || bench_native();
  return s->needs == NEEDS_DAE          ? p->residual != NULL
         : s->needs == NEEDS_PROJECTION ? p->project != NULL
                                        : p->rhs != NULL;
}

/* One run, or, where `timed`, the best of several. */
static bench_result run(const contest *c, const contest_solver *s, const bench_model *m,
                        double tolerance, bool timed) {
  const peer_problem *p = c->problem;
  if (s->peer) return timed ? peer_run(s->peer, p, tolerance) : s->peer(p, tolerance);
  ritt_options o = ritt_options_default();
  o.method = s->method, o.tolerance = tolerance, o.max_steps = c->most;
  o.absolute = p->absolute > 0 ? p->absolute * tolerance : 0;
  if (bench_native() && !bench_option(&o, "native", s->native)) exit(1);
  bench_case one = {.model = m,
                    .end = p->end,
                    .names = p->columns,
                    .exact = p->exact,
                    .n = p->compared,
                    .relative = p->relative,
                    .limit = timed ? 1 : 1e-12};
  return bench_run(&one, &o);
}

static contest_entry scan(const contest *c, const contest_solver *s, const bench_model *m) {
  contest_entry e = {.at = {{.done = false}}};
  bench_result best[CONTEST_DIGITS] = {{.done = false}};
  double step = bench_quick() ? 1 : 0.5, least = INFINITY;
  for (double exponent = 3, worse = 0; exponent <= 14 && worse < 8; exponent += step) {
    bench_result r = run(c, s, m, pow(10, -exponent), false);
    for (int d = 0; d < c->digit_count; d++)
      if (r.done && r.error <= pow(10, -c->digits[d]) && (!best[d].done || r.steps < best[d].steps))
        best[d] = r;
    if (best[c->digit_count - 1].done || (isfinite(r.seconds) && r.seconds > c->limit)) break;
    worse = r.done && r.error >= least ? worse + 1 : 0; /* rounding, or a stall */
    least = fmin(least, r.done ? r.error : 1);
  }
  for (int d = 0; d < c->digit_count; d++)
    if (best[d].done) e.at[d] = run(c, s, m, best[d].tolerance, true);
  return e;
}

void contest_hold(const contest *c, contest_entry *out) {
  const peer_problem *p = c->problem;
  /* native code stays with a model: each has its own */
  bench_model m[2] = {bench_open(p->model), bench_open(p->model)};
  for (int i = 0; c->names && i < 2 * p->n; i++) {
    const bench_model *one = &m[i / p->n];
    if (ritt_model_start_value(one->model, c->names[i % p->n], p->start[i % p->n], 1, one->error) !=
        RITT_OK)
      exit(1);
  }
  for (int i = 0; i < c->solver_count; i++) {
    const contest_solver *s = &c->solvers[i];
    bool native = !s->peer && strcmp(s->native, "never") != 0;
    out[i] = able(s, p) ? scan(c, s, &m[native]) : (contest_entry){.at = {{.done = false}}};
  }
  bench_close(&m[0]), bench_close(&m[1]);
}

double contest_fastest(const contest *c, const contest_entry *e, int d, contest_counts *counts,
                       int *which) {
  double least = INFINITY;
  *which = -1;
  for (int i = 0; i < c->solver_count; i++)
    if (e[i].at[d].done && counts(&c->solvers[i], &e[i].at[d]) && e[i].at[d].seconds < least)
      least = e[i].at[d].seconds, *which = i;
  return least;
}

void contest_print_head(const contest *c, bool wide) {
  printf("%-21s %-22s", "problem", "solver");
  for (int d = 0; d < c->digit_count; d++)
    if (wide) printf(" | %2d digits: ms %6s %8s %6s", c->digits[d], "steps", "residual", "ratio");
    else printf(" | %2d digits: ms %6s", c->digits[d], "ratio");
  printf("\n");
}

void contest_print(const contest *c, const contest_entry *e, const double *reference, bool wide,
                   FILE *csv) {
  for (int i = 0; i < c->solver_count; i++) {
    bool any = false;
    for (int d = 0; d < c->digit_count; d++) any |= e[i].at[d].done;
    if (!any) continue;
    printf("%-21s %-22s", c->problem->name, c->solvers[i].name);
    for (int d = 0; d < c->digit_count; d++) {
      const bench_result *r = &e[i].at[d];
      if (!r->done) {
        printf(" | %13s %6s", "-", "");
        if (wide) printf(" %8s %6s", "", "");
        continue;
      }
      printf(" | %13.4f", 1e3 * r->seconds);
      if (wide) printf(" %6ld %8.0e", r->steps, r->residual);
      printf(" %6.2f", r->seconds / reference[d]);
      BENCH_CSV(csv, "%s,%s,%d,%.3g,%ld,%ld,%.6g,%.3g,%.3g,%.4g\n", c->problem->name,
                c->solvers[i].name, c->digits[d], r->tolerance, r->steps, r->evaluations,
                1e3 * r->seconds, r->error, r->residual, r->seconds / reference[d]);
    }
    printf("\n");
  }
}
