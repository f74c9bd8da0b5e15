/* Strong potentials where the manifold of grad U = 0 is not near: eps not small, starts far from
 * it, steps shorter than the vibrations, and springs that pull against each other.
 *
 * The spring pendulum in space keeps its energy and its angular momentum about the vertical,
 * whatever its vibrations are. A step over vibrations that is shorter than they are is an ordinary
 * step: as accurate, and as often taken, as one that follows them.
 */
#include "check.h"
#include "ritt.h"

#include <stdbool.h>

static void say(const ritt_error *error) {
  for (size_t i = 0; i < ritt_error_count(error); i++) puts(ritt_error_get(error, i)->text);
}

enum { COLUMNS = 8 };
typedef struct ends {
  double first[COLUMNS], last[COLUMNS];
  bool any;
  ritt_statistics statistics;
} ends;

static ritt_status keep(void *user, const double *values, size_t count) {
  ends *e = user;
  for (size_t i = 0; i < count && i < COLUMNS; i++) {
    e->last[i] = values[i];
    if (!e->any) e->first[i] = values[i];
  }
  e->any = true;
  return RITT_OK;
}

static ends run(const char *text, const char *settings) {
  char all[2000];
  ends e = {.any = false};
  ritt_error *error = ritt_error_new();
  ritt_model *model = NULL;
  ritt_options options = ritt_options_default();
  snprintf(all, sizeof all, "%s%s", text, settings);
  bool done = ritt_model_read_text(all, strlen(all), "far", error, &model) == RITT_OK &&
              ritt_model_run(model, &options, keep, &e, &e.statistics, error) == RITT_OK;
  if (!done) say(error);
  CHECK(done && e.any);
  ritt_model_free(model);
  ritt_error_free(error);
  return e;
}

/* ---- laws with eps = 0.3 ---- */

static const char space[] =
    "model space\nvariable x, y, z\nlet r = sqrt(x^2 + y^2 + z^2)\n"
    "lagrangian (x'^2 + y'^2 + z'^2)/2 - z\nstiff (r - 1)^2/2, eps = 0.3\n"
    "start smooth t = 0\n  x = 0.6, y = 0, z = -0.8, x' = 0, y' = 1, z' = 0\n"
    "output energy, momentum = x*y' - y*x', x, y, z\nsolve t = 0 .. 5\n";

static void check_conserved(const ends *e, double within) {
  printf("energy %.2e, momentum %.2e\n", e->last[1] - e->first[1], e->last[2] - e->first[2]);
  CHECK_NEAR(e->last[1], e->first[1], within);
  CHECK_NEAR(e->last[2], e->first[2], within);
}

static void check_laws(void) {
  ends equal = run(space, "  method radau5\n  steps constant h = 0.001\n");
  check_conserved(&equal, 5e-9);
  ends free = run(space, "  method radau5\n  tolerance 1e-9\n");
  check_conserved(&free, 5e-9);
  ends followed = run(space, "  method radau5\n  tolerance 1e-9\n  follow vibrations\n");
  printf("%ld steps, %ld that follow vibrations\n", free.statistics.accepted,
         followed.statistics.accepted);
  CHECK(free.statistics.accepted < 4 * followed.statistics.accepted);
  for (int i = 3; i < 6; i++) CHECK_NEAR(free.last[i], followed.last[i], 1e-8);
}

/* ---- a start too far away for stages of long steps ---- */

static const char away[] =
    "model away\nvariable x, y, z\nlet g = x^2 + y^2 - 1 - 0.2*z\nequation\n"
    "  2*x'' = -2*x*g/eps^2\n  2*y'' = -2 - 2*y*g/eps^2\n  z'' = -z + 0.2*g/eps^2\n"
    "stiff g^2/2, eps = 0.01\nstart x = 1.2, y = 0, z = 0, x' = 0, y' = 0, z' = 0\n"
    "output x, y, z\nsolve t = 0 .. 0.05\n";

static void check_away(void) {
  ends followed = run(away, "  method dop853\n  tolerance 1e-12\n");
  ends e = run(away, "  method radau5\n  tolerance 1e-9\n");
  for (int i = 1; i < 4; i++) CHECK_NEAR(e.last[i], followed.last[i], 2e-7);
  CHECK(e.statistics.vibration > 10);       /* 0.2 times the frequency 140 */
  CHECK(e.statistics.vibration_steps == 0); /* they are not damped */
  ends equal = run(away, "  method radau5\n  steps constant h = 1e-5\n");
  for (int i = 1; i < 4; i++) CHECK_NEAR(equal.last[i], followed.last[i], 1e-8);
}

/* ---- springs that pull against each other ---- */

/* Two springs of length 1 between points 3 apart: both are stretched where grad U = 0, at (1.5, 0).
 */
static const char between[] =
    "model between\nvariable x, y, z\n"
    "let a = sqrt(x^2 + y^2), b = sqrt((x - 3)^2 + y^2)\n"
    "lagrangian (x'^2 + y'^2 + z'^2)/2 - y - z^2*(1 + x)/2\n"
    "stiff (a - 1)^2/2 + (b - 1)^2/2, eps = 1e-3\n"
    "start smooth t = 0\n  x ~ 1.4, y ~ 0, z = 1, x' ~ 0, y' ~ 0, z' = 0\n"
    "output x, y, z\nsolve t = 0 .. 3\n  tolerance 1e-9\n";

static void check_between(void) {
  static const char *const settings[] = {"", "  limit projected\n", "  limit index3\n"};
  for (int i = 0; i < 3; i++) {
    ends e = run(between, settings[i]);
    CHECK_NEAR(e.last[1], 1.5, i ? 1e-12 : 1e-6);
    /* across the springs H is 2 (1 - 1/1.5) */
    CHECK_NEAR(e.last[2], i ? 0 : -1.5e-6, i ? 1e-12 : 1e-9);
    CHECK_NEAR(e.last[3], cos(3 * sqrt(2.5)), i ? 3e-8 : 1e-6);
  }
}

/* ---- no force at all ---- */

static void check_free(void) {
  ends e =
      run("model free\nvariable x, y\nlagrangian (x'^2 + y'^2)/2\nstiff (x*y)^2/2, eps = 1e-3\n"
          "start smooth t = 0\n  x = 0, y = 1, x' = 0, y' = 1\noutput x, y\nsolve t = 0 .. 2\n",
          "");
  CHECK_NEAR(e.last[1], 0, 1e-14);
  CHECK_NEAR(e.last[2], 3, 1e-14);
}

/* ---- accelerations ---- */

/* theta'' = -sin(theta) from rest, (x, y) = (sin(theta), -cos(theta)): theta'^2 = 2 (-0.8 - y),
 * whatever eps. Rows at the start, at the ends of steps, and between them. */
static void check_accelerations(void) {
  static const char *const settings[] = {"stiff (r - 1)^2/2, eps = 1e-7\n",
                                         "stiff (r - 1)^2/2, eps = 1e-4\n"};
  static const char *const limits[] = {"", "  limit index3\n"};
  for (int i = 0; i < 4; i++) {
    char text[1000];
    snprintf(text, sizeof text,
             "model a\nvariable x, y\nlet r = sqrt(x^2 + y^2)\nlagrangian (x'^2 + y'^2)/2 - y\n%s"
             "start smooth t = 0\n  x = 0.6, y = -0.8, x' = 0, y' = 0\noutput x, y, x'', y''\n"
             "solve t = 0 .. 3\n  tolerance 1e-8\n%s%s",
             settings[i % 2], limits[i / 2], i % 2 ? "  rows step 0.7\n" : "");
    ends e = run(text, "");
    double x = e.last[1], y = e.last[2];
    CHECK_NEAR(e.last[3], x * (3 * y + 1.6), 1e-3);
    CHECK_NEAR(e.last[4], 3 * y * y + 1.6 * y - 1, 1e-3);
    CHECK_NEAR(e.first[3], -0.48, 1e-6);
    CHECK_NEAR(e.first[4], -0.36, 1e-6);
  }
}

int main(void) {
  check_free();
  check_accelerations();
  check_laws();
  check_away();
  check_between();
  return CHECKS_DONE();
}
