/* Stiffness is reported where stability limits the steps of explicit methods, and nowhere else. */
#include "run.h"

static ritt_statistics statistics_of(run *r, const char *method, double tolerance, long most) {
  ritt_options o = ritt_options_default();
  ritt_statistics s = {0};
  o.method = method, o.tolerance = tolerance, o.max_steps = most;
  ritt_error_clear(r->error);
  r->status = ritt_model_run(r->model, &o, NULL, NULL, &s, r->error);
  return s;
}

/* y follows cos t at the rate L: steps are as long as 3.3 / L for dopri54, whatever the tolerance.
 */
static const char linear[] =
    "model linear\nparameter L = 1000\nvariable y\nequation y' = -L*(y - cos(t)) - sin(t)\n"
    "start t = 0\n  y = 2\nsolve t = 0 .. 10\n";
static const char relaxation[] =
    "model relaxation\nvariable x\nequation x'' = 1000*(1 - x^2)*x' - x\n"
    "start x = 2, x' = 0\nsolve t = 0 .. 20\n";

/* The same y, with an unknown v that is solved for: v = -sin(t). */
static const char solved[] =
    "model solved\nparameter L = 1000\nvariable y, v\nequation y' = -L*(y - cos(t)) + v\n"
    "  v + v^3 = -sin(t) - sin(t)^3\nstart t = 0\n  y = 2, v ~ 0\nsolve t = 0 .. 10\n";

static void check_stiff(run *r, const char *name, double tolerance) {
  static const char *const methods[] = {"rk4", "dopri54", "dopri54:4", "tsit5", "dop853", "vern98"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    ritt_statistics s = statistics_of(r, methods[i], tolerance, 0);
    /* step doubling halves steps, so that not all of them are at the border */
    long least = i == 0 ? s.accepted / 3 : 9 * s.accepted / 10;
    bool good = r->status == RITT_OK && s.stiff && s.stability_limited > least;
    if (!good) printf("%s, %s: %ld of %ld\n", name, methods[i], s.stability_limited, s.accepted);
    CHECK(good);
  }
  ritt_statistics s = statistics_of(r, "radau5", tolerance, 0);
  CHECK(r->status == RITT_OK && !s.stiff && s.stability_limited == 0);
  /* a run that ends early says so in its hint */
  s = statistics_of(r, "dopri54", tolerance, 500);
  const ritt_message *m = ritt_error_count(r->error) ? ritt_error_get(r->error, 0) : NULL;
  CHECK(r->status == RITT_STOPPED && m && m->hint && strstr(m->hint, "radau5"));
}

static void check_models(void) {
  static const char *const models[] = {
      "classics/kepler",       "classics/lorenz",          "classics/double_pendulum",
      "classics/henon_heiles", "classics/van_der_pol",     "classics/n_pendulum",
      "classics/resonance",    "classics/rolling_disk",    "classics/slider_crank",
      "classics/toda",         "papers/fourbar",           "papers/henon_heiles",
      "papers/stiff_pendulum", "papers/plug_flow",         "papers/mech6",
      "papers/rigid_body",     "papers/magnetic_particle", "ivp/andrews",
      "ivp/car_axis"};
  static const char *const methods[] = {"dopri54", "dop853"};
  for (size_t i = 0; i < sizeof models / sizeof *models; i++)
    for (size_t k = 0; k < 2; k++) {
      run *r = run_file(models[i], NULL);
      ritt_statistics s = statistics_of(r, methods[k], 0, 3000);
      if (s.stiff)
        printf("%s, %s: %ld of %ld\n", models[i], methods[k], s.stability_limited, s.accepted);
      CHECK(s.accepted > 0 && !s.stiff);
      run_free(r);
    }
}

int main(void) {
  run *a = run_text(linear), *b = run_text(relaxation), *c = run_file("classics/robertson", NULL);
  run *e = run_text(solved);
  check_stiff(a, "linear", 1e-5);
  check_stiff(b, "relaxation", 1e-5);
  check_stiff(c, "robertson", 1e-7);
  check_stiff(e, "solved", 1e-5);
  /* the step is the one that stability allows: 3.3066 / L */
  ritt_statistics s = statistics_of(a, "dopri54", 1e-5, 0);
  CHECK_NEAR(10. / (double)s.accepted, 3.3066e-3, 1.5e-4);
  run_free(a), run_free(b), run_free(c), run_free(e);
  check_models();
  return CHECKS_DONE();
}
