/* Derivatives that a caller gives: used where they are right, named where they are wrong, all
 * kinds; guesses that cannot be moved onto the manifold; and definitions that are refused. */
#include "run.h"

static ritt_error *error;
static const char *said(void) {
  return ritt_error_count(error) ? ritt_error_get(error, 0)->text : "";
}

/* ---- a bead on the sphere q1^2 + q2^2 + q3^2 = 1 + a t^2, free of forces; its energy for a = 0
 * ---- */

static double spoilt, a_half;     /* what is added to the derivatives; a/2 */
static bool no_value, no_support; /* functions fail; f is no equation of the sphere */

static ritt_status mass(void *user, const double *z, double *E) {
  (void)user, (void)z;
  memset(E, 0, 9 * sizeof *E);
  E[0] = E[4] = E[8] = 1;
  return RITT_OK;
}
static ritt_status no_force(void *user, const double *z, double *F) {
  (void)user, (void)z;
  F[0] = F[1] = F[2] = 0;
  return RITT_OK;
}
static ritt_status sphere(void *user, const double *z, double *g) {
  (void)user;
  g[0] = no_support ? z[1] * z[1] + 1
                    : z[1] * z[1] + z[2] * z[2] + z[3] * z[3] - 1 - a_half * z[0] * z[0];
  return no_value ? RITT_RETRY : RITT_OK;
}
static ritt_status d_sphere(void *user, const double *z, double *dg) {
  (void)user;
  dg[0] = -2 * a_half * z[0], dg[1] = 2 * z[1], dg[2] = no_support ? 0 : 2 * z[2],
  dg[3] = no_support ? 0 : 2 * z[3];
  return RITT_OK;
}
static ritt_status d2_sphere(void *user, const double *z, double *d2g) {
  (void)user;
  d2g[0] = -2 * a_half, d2g[1] = 2 * z[4], d2g[2] = 2 * z[5] + spoilt, d2g[3] = 2 * z[6];
  return RITT_OK;
}
static ritt_status energy(void *user, const double *z, double *f) {
  (void)user;
  f[0] = z[4] * z[4] + z[5] * z[5] + z[6] * z[6] - 1;
  return RITT_OK;
}
static ritt_status d_energy(void *user, const double *z, double *df) {
  (void)user;
  const double d[] = {0, 0, 0, 0, 2 * z[4], 2 * z[5], 2 * z[6]};
  memcpy(df, d, sizeof d);
  return RITT_OK;
}
static const ritt_definition bead = {.kind = RITT_HOLONOMIC,
                                     .unknowns = 3,
                                     .constraints = 1,
                                     .rows = 1,
                                     .mass = mass,
                                     .force = no_force,
                                     .g = sphere,
                                     .dg = d_sphere,
                                     .d2g = d2_sphere,
                                     .f = energy,
                                     .df = d_energy};

/* The great circle (cos t, sin t, 0), with the derivatives given and by differences; lambda = 1/2
 * by M q'' + 2 q lambda = 0. */
static void check_circle(ritt_definition d, double near) {
  ritt_problem *problem;
  ritt_solver *solver;
  ritt_options o = run_options("dop853", 1e-11, NAN);
  const double z[] = {0, 1, 0, 0, 0, 1, 0};
  double x = NAN;
  CHECK(ritt_problem_new(&d, error, &problem) == RITT_OK);
  CHECK(ritt_problem_check_derivatives(problem, z, 1e-8, error) == RITT_OK);
  CHECK(ritt_solver_from_problem(problem, z, &o, error, &solver) == RITT_OK);
  CHECK(ritt_solver_run_to(solver, 2, error) == RITT_OK);
  CHECK(ritt_solver_value(solver, "y1", &x, error) == RITT_OK);
  CHECK_NEAR(x, cos(2), near);
  ritt_solver_free(solver);
  ritt_problem_free(problem);
}

static void check_bead(void) {
  ritt_definition d = bead;
  check_circle(d, 1e-9);
  d.d2g = NULL;
  check_circle(d, 1e-8);
  d.dg = NULL, d.df = NULL;
  check_circle(d, 1e-7);
  d = bead, d.rows = 0, d.f = d.df = NULL; /* without its energy */
  check_circle(d, 1e-9);
  d.constraints = 0, d.g = d.dg = d.d2g = NULL; /* a free particle: (1, t, 0) */
  ritt_problem *problem;
  ritt_solver *solver;
  const double z[] = {0, 1, 0, 0, 0, 1, 0};
  double y = NAN;
  CHECK(ritt_problem_new(&d, error, &problem) == RITT_OK);
  CHECK(ritt_problem_check_derivatives(problem, z, 1e-8, error) == RITT_OK);
  CHECK(ritt_solver_from_problem(problem, z, NULL, error, &solver) == RITT_OK);
  CHECK(ritt_solver_run_to(solver, 2, error) == RITT_OK &&
        ritt_solver_value(solver, "y2", &y, error) == RITT_OK);
  CHECK_NEAR(y, 2, 1e-12);
  ritt_solver_free(solver);
  ritt_problem_free(problem);
}

static void check_wrong(void) {
  ritt_problem *problem;
  const double z[] = {0.3, 0.6, 0, 0.8, 0, 1, 0};
  CHECK(ritt_problem_new(&bead, error, &problem) == RITT_OK);
  a_half = 0.5;
  CHECK(ritt_problem_check_derivatives(problem, z, 0, error) == RITT_OK);
  spoilt = 0.25;
  ritt_error_clear(error);
  CHECK(ritt_problem_check_derivatives(problem, z, 0, error) == RITT_WRONG_CALL);
  CHECK(ritt_error_count(error) == 1 &&
        strstr(said(), "d2g, row 0, column 2 (y2): 2.25 was given") == said());
  spoilt = a_half = 0;
  no_value = true;
  ritt_error_clear(error);
  CHECK(ritt_problem_check_derivatives(problem, z, 0, error) == RITT_RETRY);
  CHECK_TEXT(said(), "a function has no value at or near the point");
  no_value = false;
  ritt_problem_free(problem);
}

/* ---- many rows: y_i' = 0 and f_i = y_i - 1, with derivatives that are all wrong ---- */

enum { MANY = 5 };
static ritt_status nothing(void *user, const double *z, double *top) {
  (void)user, (void)z;
  memset(top, 0, MANY * sizeof *top);
  return RITT_OK;
}
static ritt_status ones(void *user, const double *z, double *f) {
  (void)user;
  for (int i = 0; i < MANY; i++) f[i] = z[1 + i] - 1;
  return RITT_OK;
}
static ritt_status sevens(void *user, const double *z, double *df) {
  (void)user, (void)z;
  for (int i = 0; i < MANY * (MANY + 1); i++) df[i] = 7;
  return RITT_OK;
}
static ritt_status no_second(void *user, const double *z, const double *mu, double *h) {
  (void)user, (void)z, (void)mu;
  h[0] = NAN;
  return RITT_OK;
}

static void check_many(void) {
  ritt_definition d = {.kind = RITT_EXPLICIT,
                       .unknowns = MANY,
                       .formula = nothing,
                       .rows = MANY,
                       .f = ones,
                       .df = sevens};
  ritt_problem *problem;
  const double z[1 + MANY] = {0, 1, 1, 1, 1, 1};
  CHECK(ritt_problem_new(&d, error, &problem) == RITT_OK);
  ritt_error_clear(error);
  CHECK(ritt_problem_check_derivatives(problem, z, 0, error) == RITT_WRONG_CALL);
  /* all 30 entries are wrong, and 20 are reported */
  CHECK(ritt_error_count(error) == 21);
  CHECK_TEXT(ritt_error_get(error, 20)->text, "and 10 more entries");
  ritt_problem_free(problem);
}

/* ---- guesses ---- */

/* u^2 + v^2 = 1, u v = 0; the same row twice; u^2 + 1 = 0, v = 0 */
static ritt_status cross(void *user, const double *z, double *f) {
  const int *which = user;
  f[0] = *which == 2 ? z[1] * z[1] + 1 : z[1] * z[1] + z[2] * z[2] - 1;
  f[1] = *which == 1 ? 2 * f[0] : *which == 2 ? z[2] : z[1] * z[2];
  return *which == 3 ? RITT_SYSTEM : *which == 4 ? RITT_RETRY : RITT_OK;
}
static ritt_status still(void *user, const double *z, double *top) {
  (void)user, (void)z;
  top[0] = top[1] = 0;
  return RITT_OK;
}

static void check_guesses(void) {
  static int which;
  ritt_definition d = {.kind = RITT_EXPLICIT,
                       .unknowns = 2,
                       .formula = still,
                       .rows = 2,
                       .f = cross,
                       .user_data = &which};
  static const struct {
    ritt_status status;
    const char *text;
  } expected[] = {
      {RITT_OK, ""},
      {RITT_IMPOSSIBLE, "the rows of the manifold are dependent near the guess"},
      {RITT_IMPOSSIBLE, "no point of the manifold was found near the guess: f[0] stays at "},
      {RITT_SYSTEM, "a function ended the projection: "},
      {RITT_IMPOSSIBLE, "a function has no value on the way from the guess to the manifold"},
  };
  ritt_problem *problem;
  CHECK(ritt_problem_new(&d, error, &problem) == RITT_OK);
  for (which = 0; which < 5; which++) {
    double z[] = {0, 0.9, 0.1};
    ritt_error_clear(error);
    CHECK(ritt_problem_project(problem, NULL, z, error) == expected[which].status);
    bool same = strstr(said(), expected[which].text) == said();
    CHECK(same);
    if (!same) printf("  %d: %s\n", which, said());
    if (which == 0) CHECK(fabs(z[1] - 1) < 1e-15 && fabs(z[2]) < 1e-15 && z[0] == 0);
  }
  ritt_problem_free(problem);
}

/* ---- definitions ---- */

static void *give(void *user, size_t size) {
  (void)user, (void)size;
  return NULL;
}

static void refuse(ritt_definition d, const char *text) {
  ritt_problem *problem;
  ritt_error_clear(error);
  CHECK(ritt_problem_new(&d, error, &problem) != RITT_OK && !problem);
  CHECK_TEXT(said(), text);
}

static void check_definitions(void) {
  static const int high[] = {1, 101, 1, 1, 1}, orders[] = {2, 2, 2}, begins[] = {1, 2},
                   falls[] = {0, -1}, wide[] = {0, 9}, row[] = {0, 1}, outside[] = {9},
                   before[] = {-1};
  static const double sizes[] = {1, 0, -2, 1, 1, 1};
  const ritt_allocator half = {give, NULL, NULL}, other = {NULL, NULL, NULL};
  ritt_definition many = {.kind = RITT_EXPLICIT, .unknowns = MANY, .formula = nothing}, d;
  d = many, d.unknowns = 20000000, refuse(d, "a problem has at most 10000000 unknowns");
  d = many, d.outputs = -1, refuse(d, "a count of the definition is negative");
  d = many, d.constraints = -1, refuse(d, "a count of the definition is negative");
  d = many, d.orders = high, refuse(d, "the order of unknown 1 is 101");
  d = many, d.sizes = sizes, refuse(d, "the size of coordinate 2 is not positive");
  d = many, d.constraints = 1, refuse(d, "only the holonomic kind has constraints of its own");
  d = many, d.allocator = &half, refuse(d, "the allocator needs both of its functions");
  d = many, d.allocator = &other, refuse(d, "the allocator needs both of its functions");
  d = bead, d.orders = orders, refuse(d, "holonomic problems have order 2");
  d = bead, d.force = NULL,
  refuse(d, "the holonomic kind needs the functions mass and force, and g for constraints");
  d = bead, d.g = NULL,
  refuse(d, "the holonomic kind needs the functions mass and force, and g for constraints");
  d = bead, d.dg_sparsity = (ritt_sparsity){begins, row},
  refuse(d, "row 0 of the sparsity of dg is wrong");
  d = bead, d.dg_sparsity = (ritt_sparsity){falls, row},
  refuse(d, "row 0 of the sparsity of dg is wrong");
  d = bead, d.dg_sparsity = (ritt_sparsity){wide, row},
  refuse(d, "row 0 of the sparsity of dg is wrong");
  d = bead, d.dg_sparsity = (ritt_sparsity){row, outside},
  refuse(d, "column 9 in row 0 of the sparsity of dg is wrong");
  d = bead, d.dg_sparsity = (ritt_sparsity){row, before},
  refuse(d, "column -1 in row 0 of the sparsity of dg is wrong");
  d = (ritt_definition){.kind = RITT_GENERAL, .unknowns = 2, .rows = 2};
  refuse(d, "the general kind needs f with at least one row for every unknown");
}

/* ---- second derivatives: where they have no value the projection does without ---- */

static ritt_status turn(void *user, const double *z, double *top) {
  (void)user;
  top[0] = z[2], top[1] = -z[1];
  return RITT_OK;
}
static ritt_status ring(void *user, const double *z, double *f) {
  (void)user;
  f[0] = z[1] * z[1] + z[2] * z[2] - 1;
  return RITT_OK;
}
static ritt_status d2_ring(void *user, const double *z, const double *mu, double *h) {
  (void)user, (void)z;
  memset(h, 0, 6 * sizeof *h);
  h[2] = h[5] = 2 * mu[0];
  return RITT_OK;
}

static void check_second(void) {
  ritt_definition d = {
      .kind = RITT_EXPLICIT, .unknowns = 2, .formula = turn, .rows = 1, .f = ring, .d2f = d2_ring};
  ritt_problem *problem;
  ritt_solver *solver;
  ritt_options o = run_options("rk4", 1e-6, NAN);
  const double z[] = {0, 0, 1};
  double u = NAN;
  o.projection = "newton", o.constant_step = 0.1;
  CHECK(ritt_problem_new(&d, error, &problem) == RITT_OK);
  CHECK(ritt_problem_check_derivatives(problem, z, 1e-7, error) == RITT_OK);
  CHECK(ritt_solver_from_problem(problem, z, &o, error, &solver) == RITT_OK);
  CHECK(ritt_solver_run_to(solver, 1, error) == RITT_OK &&
        ritt_solver_value(solver, "y1", &u, error) == RITT_OK);
  CHECK_NEAR(u, sin(1), 1e-6);
  ritt_solver_free(solver);
  ritt_problem_free(problem);
  d.d2f = no_second;
  CHECK(ritt_problem_new(&d, error, &problem) == RITT_OK);
  CHECK(ritt_solver_from_problem(problem, z, &o, error, &solver) == RITT_OK);
  CHECK(ritt_solver_run_to(solver, 1, error) == RITT_OK &&
        ritt_solver_value(solver, "y1", &u, error) == RITT_OK);
  CHECK_NEAR(u, sin(1), 1e-6);
  ritt_solver_free(solver);
  ritt_problem_free(problem);
}

int main(void) {
  error = ritt_error_new();
  check_bead();
  check_wrong();
  check_many();
  check_guesses();
  check_definitions();
  check_second();
  ritt_error_free(error);
  return CHECKS_DONE();
}
