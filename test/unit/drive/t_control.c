/* The laws of step control, number by number; step doubling; errors with scaled derivatives.
 * Solutions are closed forms. */
#include "check.h"
#include "drive/driver_impl.h"

/* ---- u'' = -u as u' = v, and w' = -2 w beside it: (sin x, cos x, exp(-2 x)) ---- */

static ritt_status no_rows(const void *data, ritt_real *work, const ritt_real *z, ritt_real *f) {
  (void)data, (void)work, (void)z, (void)f;
  return RITT_OK;
}
static ritt_status no_rows_df(const void *data, ritt_real *work, const ritt_real *z, ritt_real *f,
                              ritt_real *df) {
  (void)df;
  return no_rows(data, work, z, f);
}
static ritt_status top(const void *data, ritt_real *work, const ritt_real *z, ritt_real *out) {
  (void)data, (void)work;
  out[0] = -z[1], out[1] = -2 * z[3];
  return RITT_OK;
}
enum { M = 4 };
static const int next[] = {0, 2, -1, -2}, no_entry[] = {0};
static const ritti_problem swing = {.kind = RITT_EXPLICIT,
                                    .m = M,
                                    .tops = 2,
                                    .next = next,
                                    .df = {0, M, no_entry, no_entry},
                                    .call.f = no_rows,
                                    .call.f_df = no_rows_df,
                                    .call.formula = top};
static const ritt_real origin[M] = {0, 0, 1, 1};

typedef struct outcome {
  long accepted, rejected, evaluations;
  double error; /* largest in any row */
} outcome;

static ritt_status compare(void *user, ritt_real s, const ritt_real *z, const ritt_real *tops) {
  (void)tops;
  outcome *o = user;
  double off[] = {(double)z[1] - sin((double)s), (double)z[2] - cos((double)s),
                  (double)z[3] - exp(-2 * (double)s)};
  for (int i = 0; i < 3; i++) o->error = fmax(o->error, fabs(off[i]));
  return RITT_OK;
}

static ritti_driver *made(ritti_solve_options o, const char *method, const ritt_real *tolerance,
                          ritti_arena *arena) {
  ritti_driver *S = NULL;
  o.tableau = ritti_method_find(method);
  o.relative = o.absolute = tolerance;
  o.doubled = o.tableau->embedded == 0 || o.control == RITTI_CONTROL_DOUBLING;
  CHECK(ritti_driver_new(&swing, &o, arena, &S) == RITT_OK);
  CHECK(ritti_driver_start(S, 0, origin, NULL) == RITT_OK);
  return S;
}

static outcome run(ritti_solve_options o, const char *method, double tolerance, double end) {
  ritt_real tolerances[M] = {tolerance, tolerance, tolerance, tolerance};
  ritti_arena *arena = ritti_arena_new();
  ritti_driver *S = made(o, method, tolerances, arena);
  outcome out = {0};
  CHECK(ritti_driver_run(S, end, &(ritti_rows){.points = 101}, compare, &out, NULL) == RITT_OK);
  out.accepted = S->count.accepted, out.rejected = S->count.rejected,
  out.evaluations = S->direction.evaluations;
  ritti_arena_free(arena);
  return out;
}

/* ---- the laws ---- */

/* of powers in the control, which is as much as they need */
#define POWERS 1e-5
static void check_laws(void) {
  static const ritt_real tolerance[M] = {1e-6, 1e-6, 1e-6, 1e-6};
  static const struct {
    ritti_control control;
    double now, before, before2; /* exponents, in units of 1/k */
  } laws[] = {{RITTI_CONTROL_EMBEDDED, -1, 0, 0},
              {RITTI_CONTROL_PAPERS, -1, 0, 0},
              {RITTI_CONTROL_PI, -0.7, 0.4, 0},
              {RITTI_CONTROL_PID, -0.58, 0.21, -0.1}};
  for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
    ritti_arena *arena = ritti_arena_new();
    ritti_solve_options o = {.control = laws[i].control, .fac = 0.8, .facmin = 0.3, .facmax = 4};
    ritti_driver *S = made(o, "dopri54", tolerance, arena);
    double k = 5, err = 0.3;
    /* nothing before it is known */
    CHECK_NEAR(ritti_control_factor(S, err * err), 0.8 * pow(err, -1 / k), POWERS);
    ritti_control_accept(S, 0.36);
    ritti_control_accept(S, 0.04);
    CHECK_NEAR(ritti_control_factor(S, err * err),
               0.8 * pow(err, laws[i].now / k) * pow(0.2, laws[i].before / k) *
                   pow(0.6, laws[i].before2 / k),
               POWERS);
    /* a rejected step, the bounds, and what is not a number */
    CHECK_NEAR(ritti_control_factor(S, 49), 0.8 * pow(7, -1 / k), POWERS);
    CHECK(ritti_control_factor(S, 1e18) == (ritt_real)0.3 && ritti_control_factor(S, 1e-60) == 4);
    CHECK(ritti_control_factor(S, 0) == 4 && ritti_control_factor(S, NAN) == (ritt_real)0.3);
    CHECK(ritti_control_factor(S, INFINITY) == (ritt_real)0.3);
    ritti_control_forget(S);
    CHECK_NEAR(ritti_control_factor(S, err * err), 0.8 * pow(err, -1 / k), POWERS);
    ritti_arena_free(arena);
  }
}

/* Every method under every control: each step may err by the tolerance times 1 + |z|, and the
 * errors of explicit methods of order p fall like its power p / (p + 1) at least. */
static void check_runs(void) {
  static const ritti_control controls[] = {RITTI_CONTROL_EMBEDDED, RITTI_CONTROL_PAPERS,
                                           RITTI_CONTROL_DOUBLING, RITTI_CONTROL_PI,
                                           RITTI_CONTROL_PID};
  for (size_t i = 0; ritti_method_get(i); i++)
    for (size_t c = 0; c < sizeof controls / sizeof *controls; c++) {
      const ritti_tableau *t = ritti_method_get(i);
      /* the others need series of the functions */
      if (t->family != RITTI_EXPLICIT && t->family != RITTI_IMPLICIT) continue;
      double tolerance = t->order < 3 ? 1e-4 : 1e-7;
      ritti_solve_options o = {.control = controls[c]};
      outcome coarse = run(o, t->name, tolerance, 8), fine = run(o, t->name, tolerance / 64, 8);
      double less = t->family == RITTI_EXPLICIT ? 0.5 * pow(64, t->order / (1. + t->order)) : 1;
      bool good = coarse.error < 4 * (double)coarse.accepted * tolerance &&
                  fine.error < coarse.error / less;
      if (!good) printf("%s, control %zu: errors %g, %g\n", t->name, c, coarse.error, fine.error);
      CHECK(good);
      CHECK(fine.accepted > coarse.accepted);
    }
}

/* ---- step doubling ---- */

/* The estimate is the error of a step, the better the shorter it is. */
static void check_estimate(const char *method, double h) {
  static const ritt_real tolerance[M] = {1, 1, 1, 1};
  ritti_arena *arena = ritti_arena_new();
  ritti_driver *S = made((ritti_solve_options){0}, method, tolerance, arena);
  ritt_real err[M];
  CHECK(ritti_stepper_take(&S->step, h, h) == RITT_OK && ritti_stepper_error(&S->step, 0, err));
  double true_error = exp(-2 * h) - (double)S->step.z_new[3];
  CHECK_NEAR(-(double)err[3] / true_error, -1, 4 * h);
  ritti_arena_free(arena);
}

/* A step that is taken again with half its length knows its whole one. */
static void check_reuse(const char *method, double first, double tolerance) {
  ritt_real tolerances[M] = {tolerance, tolerance, tolerance, tolerance};
  ritti_arena *arena = ritti_arena_new();
  ritti_driver *S = made((ritti_solve_options){.first_step = first}, method, tolerances, arena);
  int s = ritti_method_find(method)->stages;
  long before = S->direction.evaluations;
  CHECK(ritti_driver_step(S, 100, NULL) == RITT_OK);
  CHECK(S->count.rejected == 1 && S->count.accepted == 1);
  CHECK_NEAR(S->at.s, first / 2, 1e-15);
  CHECK(S->direction.evaluations - before == (3 * s - 1) + 2 * s);
  ritti_arena_free(arena);
}

/* ---- scaled derivatives ---- */

static void check_scaled(void) {
  static const ritt_real tolerance[M] = {1e-6, 1e-6, 1e-6, 1e-6};
  const double h = 0.01;
  ritti_arena *arena = ritti_arena_new();
  ritti_driver *S = made((ritti_solve_options){.scaled = true}, "dopri54", tolerance, arena);
  ritt_real err[M], found;
  double sum = 0;
  CHECK(S->derivative_order[1] == 0 && S->derivative_order[2] == 1 && S->derivative_order[3] == 0);
  CHECK(ritti_stepper_take(&S->step, h, h) == RITT_OK && ritti_stepper_error(&S->step, 0, err));
  for (int i = 1; i < M; i++) {
    double size = fmax(fabs((double)S->step.z[i]), fabs((double)S->step.z_new[i]));
    sum += pow((double)err[i] * (i == 2 ? h : 1) / (1e-6 * (1 + size)), 2) / 3;
  }
  CHECK(ritti_step_square(S, &found) == RITT_OK);
  CHECK_NEAR(found / sum, 1, 1e-12);
  ritti_arena_free(arena);
}

/* A variable with a loose tolerance of its own does not hold the steps back. */
static void check_own_tolerance(void) {
  static const ritt_real all[M] = {1e-10, 1e-10, 1e-10, 1e-10},
                         some[M] = {1e-10, 1e-3, 1e-3, 1e-10};
  long steps[2];
  for (int k = 0; k < 2; k++) {
    ritti_arena *arena = ritti_arena_new();
    ritti_driver *S = made((ritti_solve_options){0}, "dopri54", k ? some : all, arena);
    CHECK(ritti_driver_run(S, 30, &(ritti_rows){.points = 2}, NULL, NULL, NULL) == RITT_OK);
    CHECK_NEAR(S->step.z[3], exp(-60), 1e-9);
    steps[k] = S->count.accepted;
    ritti_arena_free(arena);
  }
  CHECK(3 * steps[1] < steps[0]);
}

int main(void) {
  check_laws();
  check_runs();
  check_estimate("euler", 1e-3);
  check_estimate("heun", 1e-3);
  check_estimate("kutta3", 1e-2);
  check_estimate("rk4", 1e-2);
  check_reuse("rk4", 0.4, 1e-5);
  check_reuse("euler", 0.2, 1e-2);
  check_scaled();
  check_own_tolerance();
  return CHECKS_DONE();
}
