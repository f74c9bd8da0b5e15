/* Periodic orbits. Van der Pol: the period of M. Urabe and later computations; the product of the
 * multipliers by Liouville's formula. Lorenz: the shortest orbit of D. Viswanath (2003), and the
 * constant divergence. Arenstorf's orbit of the restricted three-body problem: start and period from
 * Hairer, Norsett and Wanner, Solving ODEs I, II.0; its multipliers from Taylor series with 45 digits
 * and differences with a step of 1e-18. A pendulum of index 3: the arithmetic-geometric mean. */
#include "run.h"

static ritt_orbit *find_orbit(run *r, double period, const ritt_orbit_options *how) {
  ritt_orbit *found = NULL;
  r->status = ritt_model_orbit(r->model, period, how, NULL, r->error, &found);
  if (r->status != RITT_OK) run_complain(r, "orbit");
  return found;
}

static double start_value(const ritt_orbit *o, const char *name) {
  for (size_t i = 0; i < o->states; i++)
    if (!strcmp(o->state_names[i], name)) return o->start[i];
  return NAN;
}

static void test_van_der_pol(void) {
  run *r = run_text("model vdp\nparameter mu = 1\nvariable x, v, q\nequation\n  x' = v\n"
                    "  v' = mu*(1 - x^2)*v - x\n  q' = -q\nstart t = 0\n  x = 2, v = 0, q = 0\n"
                    "solve t = 0 .. 7\n");
  ritt_orbit *o = find_orbit(r, 6.5, NULL);
  if (o) {
    CHECK_NEAR(o->period, 6.663286859323130, 1e-9);
    CHECK(o->stable == 1 && o->states == 3);
    CHECK_NEAR(o->multiplier_real[0], 1, 1e-8);
    CHECK_NEAR(start_value(o, "x"), 2.00861986087484, 1e-9);

    /* the multiplier of q is exp(-T) */
    double least = INFINITY, away = exp(-o->period);
    for (size_t i = 0; i < 3; i++) least = fmin(least, fabs(o->multiplier_real[i] - away));
    CHECK_NEAR(least, 0, 1e-9);
  }
  ritt_orbit_free(o);
  run_free(r);

  /* the integral of the divergence over one period, from a run that begins on the orbit */
  r = run_text(
      "model vdp\nparameter mu = 1\nvariable x, v, q\nequation\n  x' = v\n"
      "  v' = mu*(1 - x^2)*v - x\n  q' = mu*(1 - x^2)\nstart t = 0\n"
      "  x = 2.00861986087484, v = 0, q = 0\nsolve t = 0 .. 6.663286859323130\n  tolerance 1e-12\n");
  run_go(r, NULL);
  double product = exp(run_get(r, r->rows - 1, "q"));
  run_free(r);
  r = run_text("model vdp\nparameter mu = 1\nvariable x, v\nequation\n  x' = v\n"
               "  v' = mu*(1 - x^2)*v - x\nstart t = 0\n  x = 2, v = 0\nsolve t = 0 .. 7\n");
  o = find_orbit(r, 6.5, NULL);
  if (o) CHECK_NEAR(o->multiplier_real[0] * o->multiplier_real[1] / product, 1, 1e-7);
  ritt_orbit_free(o);
  run_free(r);
}

static void test_lorenz(void) {
  run *r = run_text("model lorenz\nparameter s = 10, r = 28, b = 8/3\nvariable x, y, z\nequation\n"
                    "  x' = s*(y - x)\n  y' = x*(r - z) - y\n  z' = x*y - b*z\nstart t = 0\n"
                    "  x = -13.7, y = -19.5, z = 27\nsolve t = 0 .. 1\n");
  ritt_orbit_options how = ritt_orbit_options_default();
  how.segments = 6;
  ritt_orbit *o = find_orbit(r, 1.56, &how);
  if (o) {
    CHECK_NEAR(o->period, 1.5586522107161747, 1e-10);
    CHECK(o->stable == -1);
    CHECK_NEAR(o->multiplier_real[1], 1, 1e-7);
    double product = o->multiplier_real[0] * o->multiplier_real[1] * o->multiplier_real[2];
    CHECK_NEAR(product / exp(-41.0 / 3 * o->period), 1, 1e-4);
  }
  ritt_orbit_free(o);
  run_free(r);
}

static void test_arenstorf(void) {
  run *r = run_text(
      "model arenstorf\nparameter mu = 0.012277471, mv = 1 - mu\nvariable x, y\nequation\n"
      "  x'' = x + 2*y' - mv*(x + mu)/((x + mu)^2 + y^2)^(3/2) - mu*(x - mv)/((x - mv)^2 + y^2)^(3/2)\n"
      "  y'' = y - 2*x' - mv*y/((x + mu)^2 + y^2)^(3/2) - mu*y/((x - mv)^2 + y^2)^(3/2)\n"
      "start t = 0\n  x = 0.994, y = 0, x' = 0, y' = -2.0015851\nsolve t = 0 .. 17\n");
  ritt_orbit_options how = ritt_orbit_options_default();
  const char *hold[] = {"x"};
  how.hold = hold;
  how.hold_count = 1;
  how.segments = 8;
  ritt_orbit *o = find_orbit(r, 17.065, &how);
  if (o) {
    CHECK_NEAR(o->period, 17.06521656015796256, 1e-7);
    CHECK_NEAR(start_value(o, "y'"), -2.00158510637908252, 1e-9);
    CHECK_NEAR(o->multiplier_real[0] / 285.40371174897651617, 1, 1e-6);
    CHECK_NEAR(o->multiplier_real[3] / 0.00350380867113437683, 1, 1e-3);
    CHECK(o->stable == -1);
  }
  ritt_orbit_free(o);
  run_free(r);
}

/* The period of the amplitude a is 2 pi sqrt(L/g)/agm(1, cos(a/2)). */
static void test_pendulum(void) {
  run *r =
      run_text("model pendulum\nparameter g = 9.81, L = 2\nvariable x, y, lambda\nequation\n"
               "  x'' + lambda*x = 0\n  y'' + lambda*y + g = 0\n  x^2 + y^2 = L^2\nstart t = 0\n"
               "  x = 1, y ~ -2, x' = 0\nsolve t = 0 .. 1\n");
  ritt_orbit_options how = ritt_orbit_options_default();
  const char *hold[] = {"x"};
  how.hold = hold;
  how.hold_count = 1;
  ritt_orbit *o = find_orbit(r, 2.8, &how);
  if (o) {
    double a = 1, b = cos(asin(0.5) / 2);
    for (int i = 0; i < 20; i++) {
      double mean = (a + b) / 2;
      b = sqrt(a * b);
      a = mean;
    }
    CHECK_NEAR(start_value(o, "x"), 1, 1e-12);
    CHECK_NEAR(start_value(o, "x'"), 0, 1e-9);
    CHECK_NEAR(o->period, 2 * 3.14159265358979323846 * sqrt(2 / 9.81) / a, 1e-9);
    CHECK(o->states == 2 && o->stable == 0);
    CHECK_NEAR(hypot(o->multiplier_real[0] - 1, o->multiplier_imaginary[0]), 0, 1e-4);

    /* the model starts on the orbit from now on */
    ritt_options options = ritt_options_default();
    options.to = o->period;
    options.tolerance = 1e-11;
    run_go(r, &options);
    CHECK_NEAR(run_get(r, r->rows - 1, "x"), 1, 1e-9);
  }
  ritt_orbit_free(o);
  run_free(r);
}

/* A pendulum on a circle with friction that is driven: x'' + 2 c x' + ... has the multipliers of
 * exp(-c T) times a rotation, here from a linear oscillator on a plane through the origin of space. */
static void test_driven_on_a_plane(void) {
  /* x, y, z on the plane z = x + y; x'' = -4 x - x' + cos t, and y' = -y + sin t */
  run *r = run_text("model plane\nvariable x, y, z, n\nequation\n  x'' + n = -4*x - x' + cos(t)\n"
                    "  y' = -y + sin(t)\n  z = x + y\n  n = z - x - y\nstart t = 0\n"
                    "  x = 0, x' = 0, y = 0\nsolve t = 0 .. 1\n");
  ritt_orbit_options how = ritt_orbit_options_default();
  how.fixed_period = 1;
  ritt_orbit *o = find_orbit(r, 2 * 3.14159265358979323846, &how);
  if (o) {
    /* x = (3 cos t + sin t)/10, y = (sin t - cos t)/2 */
    CHECK_NEAR(start_value(o, "x"), 0.3, 1e-9);
    CHECK_NEAR(start_value(o, "x'"), 0.1, 1e-9);
    CHECK_NEAR(start_value(o, "y"), -0.5, 1e-9);
    double T = o->period;
    CHECK_NEAR(hypot(o->multiplier_real[0], o->multiplier_imaginary[0]) / exp(-T / 2), 1, 1e-7);
    CHECK_NEAR(o->multiplier_real[0] / (exp(-T / 2) * cos(sqrt(3.75) * T)), 1, 1e-7);
    CHECK_NEAR(o->multiplier_real[2] / exp(-T), 1, 1e-6);
    CHECK(o->stable == 1);
  }
  ritt_orbit_free(o);
  run_free(r);
}

/* A ball on a table that is driven: through the event of its bounce, with the saltation matrix. */
static void test_through_an_event(void) {
  /* x' = -1; at x = 0 it jumps to 1 + q, and q' = -q: the orbit q = 0 has the period 1 */
  run *r = run_text("model saw\nvariable x, q\nequation\n  x' = -1\n  q' = -q\nstart t = 0\n"
                    "  x = 0.6, q = 0\nsolve t = 0 .. 2\nevent top: x = 0 falling -> x := 1 + q\n");
  ritt_orbit_options how = ritt_orbit_options_default();
  how.segments = 2;
  ritt_orbit *o = find_orbit(r, 1.01, &how);
  if (o) {
    CHECK_NEAR(o->period, 1, 1e-9);
    CHECK_NEAR(o->multiplier_real[0], 1, 1e-9);
    CHECK_NEAR(o->multiplier_real[1], exp(-1), 1e-9);
    /* the bounce comes at t = 0.6 when q is exp(-0.6) of its start: x ends later by as much */
    double entry = 0;
    for (size_t i = 0; i < 4; i++)
      if (!strcmp(o->state_names[i / 2], "x") && !strcmp(o->state_names[i % 2], "q"))
        entry = o->monodromy[i];
    CHECK_NEAR(entry, exp(-0.6), 1e-8);
  }
  ritt_orbit_free(o);
  run_free(r);
}

static void test_refused(void) {
  ritt_orbit *o = NULL;
  run *r = run_text(
      "model grow\nvariable x\nequation x' = 1 + x^2\nstart t = 0\n  x = 0\nsolve t = 0 .. 1\n");
  CHECK(ritt_model_orbit(r->model, 1, NULL, NULL, r->error, &o) == RITT_IMPOSSIBLE && !o);
  CHECK(ritt_model_orbit(r->model, -1, NULL, NULL, r->error, &o) == RITT_WRONG_CALL && !o);
  run_free(r);

  /* a damped swing: only rest is periodic */
  r = run_text("model swing\nvariable x\nequation x'' = -sin(x) - x'/10\nstart t = 0\n"
               "  x = 0.5, x' = 0\nsolve t = 0 .. 7\n");
  CHECK(ritt_model_orbit(r->model, 6.5, NULL, NULL, r->error, &o) == RITT_IMPOSSIBLE && !o);
  CHECK(strstr(ritt_error_get(r->error, 0)->text, "ended at an equilibrium"));
  run_free(r);
}

int main(void) {
  test_van_der_pol();
  test_lorenz();
  test_arenstorf();
  test_pendulum();
  test_driven_on_a_plane();
  test_through_an_event();
  test_refused();
  return CHECKS_DONE();
}
