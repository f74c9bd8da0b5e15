/* Steps with a strong potential in double precision: what they cost, how long they are, that
 * vibrations are damped as Theorem 3.2 of the paper on them says, that coordinates do not matter,
 * and that a saved run goes on to the same bits. The motion to compare with is that of
 * test/strong.h: series in polar coordinates.
 */
#include "strong.h"

static double distance(const ritt_real *a, const ritt_real *b) {
  return hypot(a[1] - b[1], a[2] - b[2]);
}

static strong_run go(const char *method, ritt_real eps, ritt_real h, ritt_real tolerance,
                     ritt_real *z) {
  pendulum p = {eps};
  ritti_problem problem = pendulum_problem(&p, true);
  strong_run run = {
      .tableau = ritti_method_find(method), .outer = -1, .h = h, .tolerance = tolerance};
  CHECK(strong_go(&run, &problem, z, 1));
  return run;
}

/* ---- cost ---- */

static void check_cost(const char *method) {
  pendulum p = {1e-4};
  ritti_problem explicit_one = pendulum_problem(&p, false);
  ritt_real stiff[5], limit[5], small[5], exact[5], followed[5];
  smooth_motion(1e-4, 0, stiff), smooth_motion(0, 0, limit);
  memcpy(small, stiff, sizeof small), memcpy(followed, stiff, sizeof followed);
  smooth_motion(1e-4, 1, exact);
  /* equal steps, to rounding */
  strong_run a = go(method, 1e-4, 0.05, 0, stiff), b = go(method, 0, 0.05, 0, limit);
  CHECK(2 * a.evaluations <= 3 * b.evaluations &&
        2 * a.counts.factorisations <= 3 * b.counts.factorisations);
  CHECK(2 * a.counts.jacobians <= 3 * b.counts.jacobians);
  /* steps by a tolerance, against an explicit method with the same one */
  strong_run c = go(method, 1e-4, 0, 1e-5, small);
  strong_run d = {.tableau = ritti_method_find("dopri54"), .tolerance = 1e-5};
  CHECK(strong_go(&d, &explicit_one, followed, 1));
  CHECK(100 * c.evaluations <= d.evaluations && 100 * a.evaluations <= d.evaluations);
  CHECK(distance(small, exact) < 1e-5 && distance(followed, exact) < 1e-5);
  if (getenv("RITT_SHOW"))
    printf(
        "%s: evaluations %ld, constrained %ld; factorisations %ld, %ld; tolerance 1e-5: %ld, dopri54 %ld\n",
        method, a.evaluations, b.evaluations, a.counts.factorisations, b.counts.factorisations,
        c.evaluations, d.evaluations);
}

/* ---- steps far above eps, errors of positions near the tolerance ---- */

static void check_steps(const char *method) {
  static const double eps[] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
  for (int e = 0; e < 5; e++)
    for (int digits = 4; digits <= 8; digits += 2) {
      ritt_real z[5], exact[5], tolerance = pow(10, -digits);
      smooth_motion(eps[e], 0, z), smooth_motion(eps[e], 1, exact);
      strong_run run = go(method, eps[e], 0, tolerance, z);
      double error = distance(z, exact), speed = hypot(z[3] - exact[3], z[4] - exact[4]);
      CHECK(error < 4 * tolerance && run.counts.failures == 0 && 2 * run.rejected <= run.accepted);
      /* velocities count times h: their errors are larger by about 1/h */
      CHECK(speed < 20 * tolerance / run.largest);
      CHECK(run.vibration.first == 0);
      if (eps[e] <= 1e-4) CHECK(run.largest > 100 * eps[e]);
      if (getenv("RITT_SHOW"))
        printf("| %s | %.0e | 1e-%02d | %ld | %ld | %.3g | %.1e | %.1e |\n", method, eps[e], digits,
               run.accepted, run.evaluations, (double)run.largest, error, speed);
    }
}

/* What double precision can give: eps = 1e-6, where grad U / eps^2 has no more than 4 digits. */
static void check_rounding(void) {
  static const double eps[] = {1e-3, 1e-4, 1e-5, 1e-6, 0};
  for (int e = 0; e < 5; e++) {
    ritt_real z[5], exact[5];
    smooth_motion(eps[e], 0, z), smooth_motion(eps[e], 1, exact);
    go("radau2a5", eps[e], 0.05, 0, z);
    CHECK(distance(z, exact) < 2e-13);
    if (getenv("RITT_SHOW")) printf("rounding: eps %g error %.1e\n", eps[e], distance(z, exact));
  }
}

/* ---- vibrations ---- */

/* The start moved across the manifold. */
static void disturb(ritt_real *z, ritt_real place, ritt_real speed) {
  ritt_real r = hypot(z[1], z[2]), a = z[1] / r, b = z[2] / r;
  z[1] += place * a, z[2] += place * b;
  z[3] += speed * a, z[4] += speed * b;
}

/* Collocation at 1/3 and 9/10: R(inf) = (1 - 3)(1 - 10/9) = 2/9. */
static ritti_tableau own_method(void) {
  static ritt_real a[4], b[2], c[2];
  c[0] = 1. / 3, c[1] = 0.9;
  for (int i = 0; i < 3; i++) {
    ritt_real x = i < 2 ? c[i] : 1, *row = i < 2 ? a + 2 * i : b;
    row[0] = (x * x / 2 - c[1] * x) / (c[0] - c[1]);
    row[1] = (x * x / 2 - c[0] * x) / (c[1] - c[0]);
  }
  return (ritti_tableau){.name = "own",
                         .family = RITTI_IMPLICIT,
                         .order = 2,
                         .stages = 2,
                         .embedded = 2,
                         .a = a,
                         .b = b,
                         .c = c};
}

/* r less that of a run from the smooth start falls by R(inf) with every step, and the solver has
 * seen it. */
static void check_damping(void) {
  ritti_tableau own = own_method();
  pendulum p = {1e-5};
  ritti_problem problem = pendulum_problem(&p, true);
  char why[100];
  double before = 0, damping = 2. / 9;
  CHECK(ritti_strong_fits(&own, why, sizeof why));
  CHECK_NEAR(ritti_strong_damping(&own), damping, 1e-12);
  for (int n = 1; n <= 5; n++) {
    strong_run run = {.tableau = &own, .outer = -1, .h = 0.05}, other = run;
    ritt_real z[5], y[5];
    smooth_motion(1e-5, 0, y);
    memcpy(z, y, sizeof z);
    disturb(z, 1e-4, 0);
    CHECK(strong_go(&run, &problem, z, n * 0.05) && strong_go(&other, &problem, y, n * 0.05));
    double off = hypot(z[1], z[2]) - hypot(y[1], y[2]);
    if (getenv("RITT_SHOW"))
      printf("damping: %d %.3e %g, factor %g\n", n, off, off / before,
             (double)run.vibration.factor);
    if (n > 1) CHECK_NEAR(off / before, damping, 0.05 * damping);
    if (n > 1) CHECK_NEAR(run.vibration.first, 1e-4 / 1e-5, 0.1);
    if (n > 3)
      CHECK(run.vibration.factor > damping && run.vibration.factor < 3 * damping); /* n R(inf)^n */
    before = off;
  }
  /* Radau IIA: in one step, up to eps^2 */
  for (int s = 2; s <= 5; s++) {
    ritt_real z[5];
    static const char *const name[] = {"", "", "radau2a2", "radau2a3", "", "radau2a5"};
    if (!name[s][0]) continue;
    smooth_motion(1e-5, 0, z);
    disturb(z, 1e-4, 0.01);
    strong_run run = {.tableau = ritti_method_find(name[s]), .outer = -1, .h = 0.05};
    CHECK(strong_go(&run, &problem, z, 0.05));
    CHECK(fabs(hypot(z[1], z[2]) - 1) < 1e-8);
  }
}

/* A start that is not smooth is found, of the size that it was disturbed by, and damped within some
 * steps that are longer than eps; the motion then is one of those near by (Theorem 3.2). */
static void check_disturbed(const char *method) {
  static const double eps[] = {1e-3, 1e-4, 1e-5},
                      disturbance[][2] = {{0, 1e-2}, {0, 1e-1}, {0.1, 0}, {1, 0}};
  for (int e = 0; e < 3; e++)
    for (int d = 0; d < 4; d++) {
      ritt_real z[5], exact[5], place = disturbance[d][0] * eps[e], speed = disturbance[d][1];
      smooth_motion(eps[e], 0, z), smooth_motion(eps[e], 1, exact);
      disturb(z, place, speed);
      strong_run run = go(method, eps[e], 0, 1e-6, z);
      const ritti_vibration *v = &run.vibration;
      CHECK_NEAR(v->first, disturbance[d][0] + speed, 0.02 * (disturbance[d][0] + speed));
      CHECK(!v->going && v->steps >= 1 && v->steps <= 10 && run.accepted <= 40);
      CHECK(distance(z, exact) < 5e-6 + place);
    }
}

/* ---- coordinates ---- */

/* y = Q x with a third coordinate that swings by itself: M = Q^T Q is full, and H has rank 1 of 3.
 */
static const double Q[3][3] = {{0.2, -0.9, 0.4}, {0.1, 0.3, 1.1}, {1.3, 0.2, -0.1}};
static double Q_inverse[3][3];

static void invert_Q(void) {
  for (int j = 0; j < 3; j++) {
    ritt_real lu[9], x[3] = {0};
    int pivot[3];
    for (int i = 0; i < 9; i++) lu[i] = Q[i / 3][i % 3];
    x[j] = 1;
    CHECK(ritti_lu_factor(3, lu, pivot, NULL));
    ritti_lu_solve(3, lu, pivot, x);
    for (int i = 0; i < 3; i++) Q_inverse[i][j] = x[i];
  }
}
/* (t, y1, y2, y1', y2') of z = (t, x, x') */
static void to_pendulum(const ritt_real *z, ritt_real *y) {
  y[0] = z[0];
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++) {
      y[1 + i + 2 * k] = 0;
      for (int j = 0; j < 3; j++) y[1 + i + 2 * k] += Q[i][j] * z[1 + j + 3 * k];
    }
}
static void from_pendulum(const ritt_real *y, ritt_real third, ritt_real *z) {
  z[0] = y[0];
  for (int i = 0; i < 3; i++) {
    z[1 + i] = Q_inverse[i][0] * y[1] + Q_inverse[i][1] * y[2] + Q_inverse[i][2] * third;
    z[4 + i] = Q_inverse[i][0] * y[3] + Q_inverse[i][1] * y[4];
  }
}
static ritt_status turned_mass(const void *data, ritt_real *work, const ritt_real *z,
                               ritt_real *M) {
  (void)data, (void)work, (void)z;
  for (int i = 0; i < 9; i++) {
    M[i] = 0;
    for (int k = 0; k < 3; k++) M[i] += Q[k][i / 3] * Q[k][i % 3];
  }
  return RITT_OK;
}
static void turn(const ritt_real *y, ritt_real *x) {
  for (int i = 0; i < 3; i++) x[i] = Q[0][i] * y[0] + Q[1][i] * y[1] + Q[2][i] * y[2];
}
static ritt_status turned_force(const void *data, ritt_real *work, const ritt_real *z,
                                ritt_real *f) {
  ritt_real y[5], own[3];
  to_pendulum(z, y);
  RITT_TRY(pendulum_force(data, work, y, own));
  own[2] = 0;
  for (int j = 0; j < 3; j++) own[2] -= Q[2][j] * z[1 + j];
  turn(own, f);
  return RITT_OK;
}
static ritt_status turned_gradient(const void *data, ritt_real *work, const ritt_real *z,
                                   ritt_real *g) {
  ritt_real y[5], own[3] = {0};
  to_pendulum(z, y);
  RITT_TRY(pendulum_gradient(data, work, y, own));
  turn(own, g);
  return RITT_OK;
}
static ritt_status turned_hessian(const void *data, ritt_real *work, const ritt_real *z,
                                  ritt_real *H) {
  ritt_real y[5], own[4];
  to_pendulum(z, y);
  RITT_TRY(pendulum_hessian(data, work, y, own));
  for (int i = 0; i < 9; i++) {
    H[i] = 0;
    for (int k = 0; k < 4; k++) H[i] += Q[k / 2][i / 3] * own[k] * Q[k % 2][i % 3];
  }
  return RITT_OK;
}
static ritt_status turned_formula(const void *data, ritt_real *work, const ritt_real *z,
                                  ritt_real *top) {
  ritt_real f[3], g[3], eps = pendulum_eps(data, work), M[9];
  int pivot[3];
  RITT_TRY(turned_force(data, work, z, f));
  RITT_TRY(turned_gradient(data, work, z, g));
  RITT_TRY(turned_mass(data, work, z, M));
  for (int i = 0; i < 3; i++) top[i] = f[i] - g[i] / eps / eps;
  if (!ritti_lu_factor(3, M, pivot, NULL)) return RITT_RETRY;
  ritti_lu_solve(3, M, pivot, top);
  return RITT_OK;
}

static void check_coordinates(void) {
  static const int place[] = {1, 2, 3}, speed[] = {4, 5, 6}, rows[] = {0, 3, 6, 9};
  static const int columns[] = {0, 1, 2, 0, 1, 2, 0, 1, 2}, next[] = {0, 4, 5, 6, -1, -2, -3},
                   none[] = {0};
  ritti_strong turned = pendulum_strong;
  pendulum p = {1e-3};
  ritti_problem plain = pendulum_problem(&p, true), problem = plain;
  invert_Q();
  turned.n = 3, turned.position = place, turned.velocity = speed;
  turned.M = turned.H = (ritti_pattern){3, 3, rows, columns};
  turned.mass = turned_mass, turned.force = turned_force;
  turned.gradient = turned_gradient, turned.hessian = turned_hessian;
  problem.m = 7, problem.tops = 3, problem.next = next, problem.call.formula = turned_formula,
  problem.strong = &turned;
  problem.df = problem.A = problem.d2f = (ritti_pattern){.start = none, .col = none};
  for (int first = 0; first < 3; first++) {
    int column[] = {first}, row[] = {(first + 1) % 3};
    turned.column = column, turned.row = row;
    ritt_real y[5], z[7], back[5];
    smooth_motion(p.eps, 0, y);
    from_pendulum(y, 0.7, z);
    strong_run a = {.tableau = ritti_method_find("radau2a3"), .outer = -1, .h = 0.05}, b = a;
    CHECK(strong_go(&a, &plain, y, 2) && strong_go(&b, &problem, z, 2));
    to_pendulum(z, back);
    if (getenv("RITT_SHOW"))
      printf("coordinates: %d, iterations %ld %ld failures %ld\n", first, a.counts.iterations,
             b.counts.iterations, b.counts.failures);
    for (int i = 1; i < 5; i++) CHECK_NEAR(back[i], y[i], 1e-11);
    /* the third one: cos t to the order of the method */
    CHECK_NEAR(Q[2][0] * z[1] + Q[2][1] * z[2] + Q[2][2] * z[3], 0.7 * cos(2), 1e-8);
  }
}

/* All the way round, so that every column is poor at times; the period from the energy is not
 * needed: a run with half the steps, and the polar equation by dop853. */
static ritt_status polar_formula(const void *data, ritt_real *work, const ritt_real *z,
                                 ritt_real *top) {
  (void)data, (void)work;
  top[0] = -sin(z[1]);
  return RITT_OK;
}
static void check_turns(void) {
  static const int next[] = {0, 2, -1}, none[] = {0};
  ritti_problem polar = {
      .kind = RITT_EXPLICIT, .m = 3, .tops = 1, .next = next, .call.formula = polar_formula};
  polar.df = polar.A = polar.d2f = (ritti_pattern){.start = none, .col = none};
  pendulum p = {0};
  ritti_problem problem = pendulum_problem(&p, true);
  ritt_real angle[3] = {0, 1, 3}, z[5] = {0, sin(1), -cos(1), 3 * cos(1), 3 * sin(1)};
  strong_run exact = {.tableau = ritti_method_find("dop853"), .tolerance = 1e-13};
  CHECK(strong_go(&exact, &polar, angle, 10));
  CHECK(angle[1] > 20); /* three turns */
  for (int k = 0; k < 4; k++) {
    static const double eps[] = {0, 1e-6, 1e-8, 1e-7};
    ritt_real x[5];
    p.eps = eps[k];
    memcpy(x, z, sizeof x);
    strong_run run = {.tableau = ritti_method_find("radau2a5"), .outer = -1, .h = 0.05};
    CHECK(strong_go(&run, &problem, x, 10) && run.counts.failures == 0);
    CHECK_NEAR(x[1], sin(angle[1]), 3e-9);
    CHECK_NEAR(x[2], -cos(angle[1]), 3e-9);
  }
}

/* ---- other Newton methods, dense output, state ---- */

/* They find the same stages where they converge, and none where they must not. */
static void check_newton(void) {
  for (int newton = RITTI_NEWTON_J0; newton <= RITTI_NEWTON_J2; newton++) {
    pendulum p = {1e-2};
    ritti_problem problem = pendulum_problem(&p, true);
    ritt_real y[5], z[5];
    smooth_motion(p.eps, 0, y);
    memcpy(z, y, sizeof z);
    strong_run run = {
        .tableau = ritti_method_find("radau2a3"), .newton = newton, .outer = -1, .h = 0.05};
    CHECK(strong_go(&run, &problem, z, 1) && run.counts.failures == 0);
    go("radau2a3", p.eps, 0.05, 0, y);
    for (int i = 1; i < 5; i++) CHECK_NEAR(z[i], y[i], 1e-11);
  }
  /* with a tolerance they go, too, but J0 in shorter steps */
  long steps[4];
  for (int newton = RITTI_NEWTON_STIFF; newton <= RITTI_NEWTON_J2; newton++) {
    pendulum p = {1e-4};
    ritti_problem problem = pendulum_problem(&p, true);
    ritt_real z[5], exact[5];
    smooth_motion(p.eps, 0, z), smooth_motion(p.eps, 1, exact);
    strong_run run = {
        .tableau = ritti_method_find("radau2a3"), .newton = newton, .outer = -1, .tolerance = 1e-5};
    CHECK(strong_go(&run, &problem, z, 1));
    CHECK(distance(z, exact) < 1e-5);
    if (getenv("RITT_SHOW"))
      printf("newton %d: %ld steps %ld rejected %ld failures, error %.1e\n", newton, run.accepted,
             run.rejected, run.counts.failures, distance(z, exact));
    steps[newton] = run.accepted;
  }
  CHECK(steps[RITTI_NEWTON_J0] > 4 * steps[RITTI_NEWTON_STIFF]);
}

/* Rows within steps: errors like those at the ends of the steps of the collocation polynomial, of
 * order s
 * + 1. */
static ritt_status compare(void *user, ritt_real s, const ritt_real *z, const ritt_real *top) {
  ritt_real exact[5];
  double *worst = user;
  (void)top;
  smooth_motion(1e-4, s, exact);
  *worst = fmax(*worst, distance(z, exact));
  return RITT_OK;
}
static void check_rows(void) {
  double error[2] = {0};
  for (int k = 0; k < 2; k++) {
    pendulum p = {1e-4};
    ritti_problem problem = pendulum_problem(&p, true);
    ritti_arena *arena = ritti_arena_new();
    ritti_driver *S;
    ritt_real z[5], one[] = {1, 1, 1, 1, 1};
    ritti_solve_options o = {
        .tableau = ritti_method_find("radau2a3"), .relative = one, .absolute = one};
    o.constant_step = k ? 0.05 : 0.1;
    ritti_rows rows = {.points = 34};
    smooth_motion(p.eps, 0, z);
    CHECK(ritti_driver_new(&problem, &o, arena, &S) == RITT_OK &&
          ritti_driver_start(S, 0, z, NULL) == RITT_OK);
    CHECK(ritti_driver_run(S, 1, &rows, compare, &error[k], NULL) == RITT_OK &&
          S->count.rows == 34);
    ritti_arena_free(arena);
  }
  CHECK(error[0] < 1e-5 && log2(error[0] / error[1]) > 3.5);
}

/* Saved after every step and loaded into another solver, which goes on to the same bits. */
static void check_state(void) {
  enum { MOST = 1 << 16 };
  static unsigned char bytes[MOST];
  pendulum p = {1e-4};
  ritti_problem problem = pendulum_problem(&p, true);
  ritti_arena *arena = ritti_arena_new();
  ritti_driver *S, *other;
  ritt_real z[5], tolerance[] = {1e-7, 1e-7, 1e-7, 1e-7, 1e-7};
  ritti_solve_options o = {
      .tableau = ritti_method_find("radau2a3"), .relative = tolerance, .absolute = tolerance};
  smooth_motion(p.eps, 0, z);
  disturb(z, 0, 1e-2);
  CHECK(ritti_driver_new(&problem, &o, arena, &S) == RITT_OK &&
        ritti_driver_start(S, 0, z, NULL) == RITT_OK);
  while (S->at.s < 1) {
    CHECK(ritti_driver_step(S, 1, NULL) == RITT_OK);
    ritti_state save = {.mode = RITTI_STATE_SAVE, .to = bytes, .size = MOST};
    CHECK(ritti_driver_state(S, &save) == RITT_OK && save.at < MOST);
    CHECK(ritti_driver_new(&problem, &o, arena, &other) == RITT_OK);
    ritti_state load = {.mode = RITTI_STATE_LOAD, .from = bytes, .size = save.at};
    CHECK(ritti_driver_state(other, &load) == RITT_OK);
    if (S->at.s < 1)
      CHECK(ritti_driver_step(S, 1, NULL) == RITT_OK &&
            ritti_driver_step(other, 1, NULL) == RITT_OK);
    CHECK(!memcmp(S->step.z, other->step.z, sizeof z) && S->next.h == other->next.h &&
          S->count.accepted == other->count.accepted);
    CHECK(S->step.counts.iterations == other->step.counts.iterations);
    S = other;
  }
  ritti_arena_free(arena);
}

int main(void) {
  static const char *const methods[] = {"radau2a2", "radau2a3"};
  for (int i = 0; i < 2; i++) check_cost(methods[i]), check_steps(methods[i]);
  check_steps("radau2a5");
  check_rounding();
  check_damping();
  check_disturbed("radau2a3");
  check_coordinates();
  check_turns();
  check_newton();
  check_rows();
  check_state();
  return CHECKS_DONE();
}
