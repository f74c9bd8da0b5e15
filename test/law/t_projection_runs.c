/* Runs with every variant of the projection: on every model of the papers they give the same
 * trajectory within the tolerance, whether stages are projected or only the end, with the predictor
 * or without. Where a projection does not converge the step is taken again, shorter, and that is
 * counted. */
#include "run.h"

static const char *const projection[] = {"gauss",   "newton", "chord",
                                         "inexact", "blocks", "sequential"};
static const char *const project[] = {"end", "stages"}, *const predictor[] = {"off", "on"};

/* models, how far they run, and whether they are mechanics with constraints on positions; 2: with
 * no further invariant */
static const struct {
  const char *name;
  double to;
  int mechanics;
} models[] = {{"asymptotic_curves", -1, 0},
              {"discharge_pressure", 10, 0},
              {"fourbar", 1, 2},
              {"fourbar_folding", 1, 2},
              {"henon_heiles", 20, 0},
              {"kepler", 10, 0},
              {"magnetic_particle", 10, 0},
              {"mech6", 0.5, 2},
              {"mhd", 1.5, 0},
              {"parabolas", 2, 0},
              {"pendulum_energy", 5.1, 1},
              {"plug_flow", 3.2188, 0},
              {"rigid_body", 20, 0},
              {"simple", 0.01, 0},
              {"sphere", 1, 0},
              {"stiff_pendulum", 1.7, 0}};

static void check_model(const char *name, double to, int mechanics) {
  char path[128];
  double first[64], last[64];
  snprintf(path, sizeof path, "papers/%s", name);
  run *r = run_file(path, NULL);
  int compared = 0;
  for (int v = 0; v < (mechanics == 2 ? 6 : mechanics ? 5 : 4); v++)
    for (int way = 0; way < (v == 5 ? 2 : 4); way++) {
      ritt_options o = run_options("dopri54", 1e-10, to);
      o.projection = projection[v];
      o.project = project[way % 2];
      o.predictor = predictor[way / 2];
      if (!run_go(r, &o)) continue;
      for (size_t i = 0; i < r->names; i++) last[i] = r->row[(r->rows - 1) * r->width + i];
      if (compared++ == 0) memcpy(first, last, sizeof first);
      double e = run_error(last, first, (int)r->names);
      /* errors of a run are those of its steps, 1e-10 each, and what has grown of them */
      if (e <= 2e-7) checks_passed++;
      else
        checks_failed++,
            printf("failed: %s, projection %s of the %s, predictor %s: %g from gauss\n", name,
                   o.projection, o.project, o.predictor, e);
      CHECK(r->statistics.failed_projections == 0);
      CHECK((r->statistics.matrix_products > 0) == (v == 3 && r->statistics.newton_iterations > 0));
      CHECK((v != 0 && v != 5) || r->statistics.second_derivatives == 0);
    }
  run_free(r);
}

/* ---- no convergence: a wave with 40 radians a unit, along which steps of 1/10 fall far beside it
 * ---- */

static const char wave[] = "model wave\n"
                           "variable y, z\n"
                           "equation\n"
                           "  y' = 1\n"
                           "  z' = 40*cos(40*y)\n"
                           "invariant z - sin(40*y) = 0\n"
                           "start t = 0\n"
                           "  y = 0, z = 0\n"
                           "output y, z, z - sin(40*y)\n";

static void check_no_convergence(void) {
  for (int v = 0; v < 4; v++)
    for (int way = 0; way < 2; way++) {
      run *r = run_text(wave);
      ritt_options o = run_options("rk4", 0, 1);
      o.constant_step = 0.1;
      o.projection = projection[v];
      o.project = project[way];
      if (run_go(r, &o)) {
        const ritt_statistics *s = &r->statistics;
        /* every failure cost a step, the equal ones were finished all the same, and the end is
         * exact */
        CHECK(s->failed_projections > 0 && s->rejected >= s->failed_projections);
        CHECK(s->accepted > 10 && run_last(r, "t") == 1);
        CHECK(s->largest_residual < 1e-13);
        int met = 0;
        for (size_t i = 0; i < r->rows; i++)
          for (int j = 0; j <= 10; j++) met += fabs(run_get(r, i, "t") - j * 0.1) < 1e-15;
        CHECK(met == 11);
      }
      /* with a tolerance the steps are short enough, and the solution is y = t */
      o = run_options("dopri54", 1e-9, 1);
      o.projection = projection[v];
      o.project = project[way];
      if (run_go(r, &o)) CHECK_NEAR(run_last(r, "y"), 1, 1e-7);
      run_free(r);
    }
}

/* ---- the predictor: one iteration less, and one Jacobian a projection, as section 5.3 of the
 * higher order paper has it for the chord ---- */

static void check_predictor(void) {
  run *r = run_file("classics/pendulum/pendulum", NULL);
  ritt_statistics s[2];
  for (int on = 0; on < 2; on++) {
    ritt_options o = run_options("euler", 0, 20);
    o.constant_step = 0.02;
    o.projection = "chord";
    o.project = "stages";
    o.predictor = predictor[on];
    if (!run_go(r, &o)) return;
    s[on] = r->statistics;
  }
  CHECK(s[0].projections == 1000 && s[1].projections == 1000);
  CHECK(s[1].newton_iterations <= s[0].newton_iterations - 1000);
  CHECK(s[1].second_derivatives <= 1000);
  run_free(r);
}

/* ---- two-phase plug flow: constant steps of 0.1 over arc length, through the impasse point ----
 */

static void check_plug_flow(void) {
  static const double reference[] = {3.2188, -8.421928371922572, 9.771298339770746,
                                     -10.61582905773642};
  char text[4096], path[1024];
  snprintf(path, sizeof path, "%s/models/papers/plug_flow.ritt", RITT_SOURCE_DIR);
  FILE *file = fopen(path, "rb");
  size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
  if (file) fclose(file);
  text[length] = '\0';
  char *solve = strstr(text, "solve x = 0 .. 3.2188");
  CHECK(solve);
  if (!solve) return;
  memcpy(solve, "solve arc = 0 .. 28.9", 21);
  run *r = run_text(text);
  for (int v = 0; v < 4; v++) {
    ritt_options o = run_options("dopri54", 0, 28.9);
    o.constant_step = 0.1;
    o.projection = projection[v];
    o.project = "stages";
    if (!run_go(r, &o)) continue;
    CHECK(r->statistics.accepted == 289 && r->rows == 290);
    CHECK(run_get(r, 288, "x") < 3.2188 && run_get(r, 289, "x") > 3.2188);
    /* the arc length at which x is 3.2188 */
    o.to = 28.8728939435;
    if (run_go(r, &o)) {
      CHECK(r->statistics.accepted == 289);
      run_digits(r, "x y1 y2 y3", reference, 4, 8, projection[v]);
    }
  }
  run_free(r);
}

int main(void) {
  for (size_t i = 0; i < sizeof models / sizeof *models; i++)
    check_model(models[i].name, models[i].to, models[i].mechanics);
  check_no_convergence();
  check_predictor();
  check_plug_flow();
  return CHECKS_DONE();
}
