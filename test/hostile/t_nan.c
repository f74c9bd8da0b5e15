/* The k-th value that a function gives is NaN, or no value, or the function gives up, for every k;
 * once, or from then on. Whatever comes of it is defined: the same solution within the tolerance
 * (by a shorter step), or a status with a sentence; a row never holds NaN. All four kinds,
 * derivatives given and by differences; explicit and implicit methods, a pair and doubled steps,
 * over x and over arc length.
 */
#include "check.h"
#include "ritt.h"
#include <stdlib.h>

typedef enum trouble { NOTHING, BECOMES_NAN, HAS_NO_VALUE, GIVES_UP } trouble;
static trouble what;
static long calls, bad_call;
static int for_ever;

/* The end of every function: `count` values. */
static ritt_status give(double *out, int count) {
  calls++;
  if (!bad_call || !(calls == bad_call || (for_ever && calls > bad_call))) return RITT_OK;
  if (what == BECOMES_NAN) out[calls % count] = calls % 2 ? NAN : INFINITY;
  return what == HAS_NO_VALUE ? RITT_RETRY : what == GIVES_UP ? RITT_SYSTEM : RITT_OK;
}

/* ---- the circle, four times: u = sin t, v = cos t ---- */

static ritt_status formula(void *user, const double *z, double *top) {
  (void)user;
  top[0] = z[2], top[1] = -z[1];
  return give(top, 2);
}
static ritt_status linear(void *user, const double *z, double *A, double *b) {
  (void)user;
  A[0] = 2, A[1] = 0, A[2] = 1, A[3] = 1;
  b[0] = -2 * z[2], b[1] = z[1] - z[2];
  ritt_status status = give(A, 4);
  return status == RITT_OK ? give(b, 2) : status;
}
static ritt_status circle(void *user, const double *z, double *f) {
  (void)user;
  f[0] = z[1] * z[1] + z[2] * z[2] - 1;
  return give(f, 1);
}
static ritt_status d_circle(void *user, const double *z, double *df) {
  (void)user;
  df[0] = 0, df[1] = 2 * z[1], df[2] = 2 * z[2];
  return give(df, 3);
}
/* on the unit circle with speed 1 and no force: (u, v) = (sin t, cos t) */
static ritt_status mass(void *user, const double *z, double *E) {
  (void)user, (void)z;
  E[0] = E[3] = 1, E[1] = E[2] = 0;
  return give(E, 4);
}
static ritt_status force(void *user, const double *z, double *F) {
  (void)user, (void)z;
  F[0] = F[1] = 0;
  return give(F, 2);
}
static ritt_status d2_circle(void *user, const double *z, double *d2g) {
  (void)user;
  d2g[0] = 0, d2g[1] = 2 * z[3], d2g[2] = 2 * z[4];
  return give(d2g, 3);
}
static ritt_status rows(void *user, const double *z, double *f) {
  (void)user;
  f[0] = z[3] - z[2];
  f[1] = z[4] + z[1];
  return give(f, 2);
}
static ritt_status d_rows(void *user, const double *z, double *df) {
  (void)user, (void)z;
  const double d[] = {0, 0, -1, 1, 0, 0, 1, 0, 0, 1};
  memcpy(df, d, sizeof d);
  return give(df, 10);
}
static ritt_status output(void *user, const double *z, const double *top, double *out) {
  (void)user, (void)top;
  out[0] = z[1], out[1] = z[2];
  return give(out, 2);
}

static const double start[] = {0, 0, 1, 1, 0};

/* ---- one run ---- */

static const char *method, *over; /* NULL: as without */

typedef struct last {
  double t, u, v;
  int finite, rows;
} last;

static ritt_status take(void *user, const double *values, size_t count) {
  last *l = user;
  if (over) values++, count--; /* the arc length */
  l->t = values[0], l->u = values[1], l->v = values[2];
  for (size_t i = 0; i < 3 && i < count; i++) l->finite = l->finite && isfinite(values[i]);
  l->rows++;
  return RITT_OK;
}

static ritt_status solve(const ritt_problem *problem, ritt_error *error, last *l) {
  ritt_options options = ritt_options_default();
  ritt_solver *solver;
  double z[5];
  options.to = 0.5;
  options.points = 4;
  options.method = method;
  options.over = over;
  memcpy(z, start, sizeof z);
  *l = (last){.finite = 1};
  ritt_status status = ritt_problem_project(problem, NULL, z, error);
  if (status != RITT_OK) return status;
  status = ritt_solver_from_problem(problem, z, &options, error, &solver);
  if (status != RITT_OK) return status;
  status = ritt_solver_run(solver, take, l, error);
  ritt_solver_free(solver);
  return status;
}

static const char *const words[] = {"nothing", "NaN", "no value", "give up"};

/* At the end, on the solution? */
static int right(const last *l, double tolerance) {
  return (over ? l->t > 0.25 : l->t == 0.5) && fabs(l->u - sin(l->t)) <= tolerance;
}

static void every_call(const char *name, const ritt_definition *definition, double tolerance,
                       long stride) {
  ritt_problem *problem;
  ritt_error *error = ritt_error_new();
  last l;
  bad_call = calls = 0;
  CHECK(ritt_problem_new(definition, error, &problem) == RITT_OK);
  CHECK(solve(problem, error, &l) == RITT_OK);
  CHECK(right(&l, tolerance));
  long all = calls, reached = 0, most = 0;
  for (int kind = BECOMES_NAN; kind <= GIVES_UP; kind++)
    for (int ever = 0; ever < 2; ever++)
      for (long k = 1; k <= all; k += stride) {
        what = (trouble)kind, for_ever = ever, bad_call = k, calls = 0;
        ritt_error_clear(error);
        ritt_status status = solve(problem, error, &l);
        int good = l.finite || definition->output; /* an output without a value is NaN in its row */
        if (status == RITT_OK) {
          reached++;
          good = good && (definition->output ? l.t == 0.5 : right(&l, tolerance));
          good = good && (kind != GIVES_UP);
        } else {
          good = good && ritt_error_count(error) > 0 &&
                 (kind == GIVES_UP ? status == RITT_SYSTEM
                                   : status == RITT_STOPPED || status == RITT_IMPOSSIBLE);
        }
        if (calls > most) most = calls;
        CHECK(good);
        if (!good)
          printf("  %s: %s at call %ld of %ld%s: %s: %s\n", name, words[kind], k, all,
                 ever ? " and later" : "", ritt_status_text(status),
                 ritt_error_count(error) ? ritt_error_get(error, 0)->text : "nothing was said");
      }
  printf("%s%s%s%s: %ld calls, %ld runs reached the end, the longest took %ld calls\n", name,
         method ? ", " : "", method ? method : "", over ? " over arc" : "", all, reached, most);
  CHECK(reached > 0);
  bad_call = 0;
  ritt_problem_free(problem);
  ritt_error_free(error);
}

int main(void) {
  const ritt_definition explicit_given = {.kind = RITT_EXPLICIT,
                                          .unknowns = 2,
                                          .formula = formula,
                                          .rows = 1,
                                          .f = circle,
                                          .df = d_circle};
  const ritt_definition graph = {
      .kind = RITT_GRAPH, .unknowns = 2, .system = linear, .rows = 1, .f = circle};
  const ritt_definition holonomic = {.kind = RITT_HOLONOMIC,
                                     .unknowns = 2,
                                     .constraints = 1,
                                     .mass = mass,
                                     .force = force,
                                     .g = circle,
                                     .dg = d_circle,
                                     .d2g = d2_circle};
  const ritt_definition general = {
      .kind = RITT_GENERAL, .unknowns = 2, .rows = 2, .f = rows, .df = d_rows};
  ritt_definition d;
  every_call("explicit", &explicit_given, 1e-7, 1);
  every_call("graph, df by differences", &graph, 1e-7, 1);
  every_call("holonomic", &holonomic, 1e-7, 1);
  every_call("general", &general, 1e-7, 1);
  d = holonomic;
  d.d2g = NULL;
  every_call("holonomic, d2g by differences", &d, 1e-7, 1);
  d.dg = NULL;
  every_call("holonomic, dg by differences", &d, 1e-7, CHECK_SLOW ? 7 : 1);
  d = general;
  d.df = NULL;
  every_call("general, df by differences", &d, 1e-7, CHECK_SLOW ? 5 : 1);
  d = explicit_given;
  d.outputs = 2;
  d.output = output;
  every_call("explicit with outputs", &d, 1e-7, 1);
  /* other ways to step; what is left out under the sanitizers differs from method to method */
  static const char *const methods[] = {"dop853", "rk4", "radau5", "gauss4", "auto"};
  for (int i = 0; i < (int)(sizeof methods / sizeof *methods); i++) {
    long stride = CHECK_SLOW ? 11 + i : 1;
    method = methods[i];
    every_call("explicit", &explicit_given, 1e-6, stride);
    every_call("graph", &graph, 1e-6, stride + 6);
    every_call("holonomic", &holonomic, 1e-6, stride + 6);
    every_call("general", &general, 1e-6, stride + 6);
  }
  method = NULL, over = "arc";
  every_call("explicit", &explicit_given, 1e-7, CHECK_SLOW ? 7 : 1);
  every_call("general", &general, 1e-7, CHECK_SLOW ? 7 : 1);
  return CHECKS_DONE();
}
