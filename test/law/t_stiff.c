/* Stiff problems by implicit methods: the end values to 8 digits, and no step control gone astray.
 *
 * References: the test set for IVP solvers (Mazzia, Magherini), as measured for this project in
 * ivp/reference.json; those of Robertson's reaction are of the same test set.
 */
#include "run.h"

typedef struct problem {
  const char *model, *columns;
  int count;
  double reference[8];
  long most; /* steps: far fewer than stability lets an explicit method take, a quarter above what
                is taken */
} problem;

static const problem problems[] = {
    {"ivp/hires",
     "y[1] y[2] y[3] y[4] y[5] y[6] y[7] y[8]",
     8,
     {0.0007371312573325668, 0.0001442485726316185, 5.888729740967575e-05, 0.001175651343283149,
      0.002386356198831331, 0.006238968252742796, 0.002849998395185769, 0.002850001604814231},
     500},
    {"ivp/van_der_pol_stiff", "x y", 2, {1.706167732170483, -0.8928097010247975}, 2500},
    {"ivp/oregonator", "x y z", 3, {1.000814870318523, 1228.178521549917, 132.0554942846706}, 3000},
    {"ivp/chemical_akzo",
     "y[1] y[2] y[3] y[4] y[5] y[6]",
     6,
     {0.1150794920661702, 0.001203831471567715, 0.1611562887407974, 0.0003656156421249283,
      0.01708010885264404, 0.004873531310307455},
     400},
    {"ivp/transistor_amplifier",
     "y[1] y[2] y[3] y[4] y[5] y[6] y[7] y[8]",
     8,
     {-0.005562145012262709, 3.006522471903042, 2.849958788608128, 2.926422536206241,
      2.704617865010554, 2.761837778393145, 4.770927631616772, 1.236995868091548},
     5000},
    {"ivp/robertson_long",
     "x y z",
     3,
     {0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050},
     1500},
    {"ivp/pollution",
     "y[1] y[2] y[7] y[8] y[20]",
     5,
     {0.05646255480022769, 0.1342484130422339, 0.07784249118997964, 0.3245075353396018,
      5.682943292316392e-05},
     200},
    {"ivp/e5",
     "y[1] y[2] y[3] y[4]",
     4,
     {4.715033363040163e-10, 1.818889586080702e-14, 1.818881237678673e-14, 8.348402029632169e-20},
     900},
};

static void check_problem(const problem *p) {
  run *r = run_file(p->model, NULL);
  if (run_go(r, NULL)) {
    double value[8];
    run_list(r, r->rows - 1, p->columns, value);
    for (int i = 0; i < p->count; i++) CHECK_NEAR(value[i] / p->reference[i] - 1, 0, 1e-8);
    CHECK(r->statistics.accepted + r->statistics.rejected < p->most);
    CHECK(r->statistics.stage_jacobians > 0 &&
          r->statistics.stage_factorisations >= r->statistics.stage_jacobians);
    CHECK(r->statistics.stage_iterations < 8 * r->statistics.accepted);
  }
  run_free(r);
}

/* A linear part, whose stages one iteration finds, beside a part with a Jacobian that changes from
 * stiff to slow: y = cos t, u = cos 5t. */
static void check_slow_part(void) {
  static const struct {
    const char *method;
    double error;
    long most;
  } cases[] = {
      {"radau5", 1e-6, 4000}, {"radau9", 1e-7, 600}, {"radau13", 1e-7, 250}, {"radau", 1e-7, 250}};
  run *r = run_text("model fading\nvariable y, u\nequation\n"
                    "  y' = -1e4*exp(-t)*(y - cos(t)) - sin(t)\n  u'' = -25*u\n"
                    "start t = 0\n  y = 1, u = 1, u' = 0\nsolve t = 0 .. 60\noutput y, u\n");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ritt_options o = run_options(cases[i].method, 1e-8, 60);
    CHECK(run_go(r, &o) && r->statistics.accepted < cases[i].most);
    for (size_t row = 0; row < r->rows; row++) {
      double t = run_get(r, row, "t");
      CHECK_NEAR(run_get(r, row, "y"), cos(t), cases[i].error);
      CHECK_NEAR(run_get(r, row, "u"), cos(5 * t), cases[i].error);
    }
  }
  run_free(r);
}

/* Diffusion with a reaction on a grid of 10 x 10 points: large enough for sparse factors. Complex
 * sparse pairs give the rows that dense ones give; a saved state goes on with the same bits. */
static const char grid[] =
    "model grid\nparameter N = 10\nvariable u[1..N, 1..N]\nequation\n"
    "  for i in 1..N, j in 1..N: u[i,j]' = (if i > 1 then u[i-1,j] else 0)*50 "
    "+ (if i < N then u[i+1,j] else 0)*50 + (if j > 1 then u[i,j-1] else 0)*50 "
    "+ (if j < N then u[i,j+1] else 0)*50 - 200*u[i,j] - u[i,j]^3 + i\n"
    "start t = 0\n  for i in 1..N, j in 1..N: u[i,j] = j/10\nsolve t = 0 .. 1\n"
    "output u[1,1], u[5,7]\n";

static void check_sparse_pairs(void) {
  static const char *const methods[] = {"radau5", "radau9", "radau"};
  run *r = run_text(grid);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    double value[2][2];
    for (int sparse = 0; sparse < 2; sparse++) {
      ritt_options o = run_options(methods[i], 1e-8, 1);
      o.linear = sparse ? "sparse" : "dense";
      CHECK(run_go(r, &o));
      value[sparse][0] = run_last(r, "u[1,1]"), value[sparse][1] = run_last(r, "u[5,7]");
    }
    for (int k = 0; k < 2; k++) CHECK_NEAR(value[1][k], value[0][k], 1e-12);
  }
  run_free(r);
}

static void check_sparse_state(void) {
  run *r = run_text(grid);
  ritt_options o = run_options("radau5", 1e-6, 1);
  ritt_solver *S = NULL, *other = NULL;
  static unsigned char bytes[1 << 21];
  o.linear = "sparse";
  CHECK(ritt_solver_from_model(r->model, &o, r->error, &S) == RITT_OK);
  CHECK(ritt_solver_from_model(r->model, &o, r->error, &other) == RITT_OK);
  for (int i = 0; i < 100; i++) {
    ritt_point p, q;
    size_t size = 0;
    if (i % 3 == 0) {
      CHECK(ritt_solver_save(S, bytes, sizeof bytes, &size, r->error) == RITT_OK);
      CHECK(ritt_solver_load(other, bytes, size, r->error) == RITT_OK);
    }
    CHECK(ritt_solver_step(S, 1, r->error) == RITT_OK);
    CHECK(ritt_solver_step(other, 1, r->error) == RITT_OK);
    CHECK(ritt_solver_point(S, &p, r->error) == RITT_OK);
    CHECK(ritt_solver_point(other, &q, r->error) == RITT_OK);
    CHECK(p.s == q.s && !memcmp(p.z, q.z, 101 * sizeof *p.z));
    if (p.s == 1) break;
  }
  ritt_solver_free(S);
  ritt_solver_free(other);
  run_free(r);
}

int main(void) {
  for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) check_problem(&problems[i]);
  check_slow_part();
  check_sparse_pairs();
  check_sparse_state();
  return CHECKS_DONE();
}
