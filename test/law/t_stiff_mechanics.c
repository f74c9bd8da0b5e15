/* The models of models/stiff: their smooth motion is that of the limit up to C eps^2, whichever way
 * the limit is solved, in steps that do not depend on eps; explicit methods follow vibrations.
 */
#include <stdbool.h>
#include <stdlib.h>
#include "check.h"
#include "ritt.h"

static char *load(const char *name) {
  char path[500];
  snprintf(path, sizeof path, "%s/models/stiff/%s.ritt", RITT_SOURCE_DIR, name);
  FILE *file = fopen(path, "r");
  char *text = malloc(20000);
  size_t length = file && text ? fread(text, 1, 19999, file) : 0;
  if (text) text[length] = 0;
  if (file) fclose(file);
  CHECK(length > 0);
  return text;
}

/* The file's text with another line below solve. */
static ritt_model *read(const char *name, const char *line, double eps, ritt_error *error) {
  char *text = load(name), *both = malloc(21000), value[50];
  char *solve = text ? strstr(text, "\nsolve ") : NULL,
       *end = solve ? strchr(solve + 1, '\n') : NULL;
  ritt_model *model = NULL;
  if (end && both) {
    snprintf(both, 21000, "%.*s  %s%s", (int)(end + 1 - text), text, line, end);
    snprintf(value, sizeof value, "%.17g", eps);
    if (ritt_model_read_text(both, strlen(both), name, error, &model) != RITT_OK ||
        ritt_model_set(model, "eps", value, error) != RITT_OK)
      puts("not read");
  }
  free(text);
  free(both);
  return model;
}

enum { MOST_COLUMNS = 20 };
typedef struct ending {
  double value[MOST_COLUMNS];
  size_t count;
} ending;

static ritt_status take(void *user, const double *values, size_t count) {
  ending *e = user;
  e->count = count < MOST_COLUMNS ? count : MOST_COLUMNS;
  memcpy(e->value, values, e->count * sizeof *values);
  return RITT_OK;
}

static ending run(const char *name, const char *line, double eps, double to, double tolerance,
                  ritt_statistics *statistics) {
  ritt_error *error = ritt_error_new();
  ritt_model *model = read(name, line, eps, error);
  ritt_options options = ritt_options_default();
  ending out = {0};
  options.to = to;
  options.tolerance = tolerance;
  ritt_status status =
      model ? ritt_model_run(model, &options, take, &out, statistics, error) : RITT_WRONG_CALL;
  CHECK(status == RITT_OK);
  for (size_t i = 0; i < ritt_error_count(error); i++)
    printf("%s: %s\n", name, ritt_error_get(error, i)->text);
  ritt_model_free(model);
  ritt_error_free(error);
  return out;
}

/* The first columns after t: positions. */
static double apart(const ending *a, const ending *b, int columns) {
  double most = 0;
  for (int i = 1; i <= columns; i++) {
    double d = fabs(a->value[i] - b->value[i]);
    if (!(d <= most)) most = d;
  }
  return most;
}

/* The difference to the limit falls by 16 where eps falls by 4. */
static void check_limit(const char *name, int columns, double eps, double to, double tolerance) {
  ritt_statistics s;
  ending limit = run(name, "limit", eps, to, tolerance, &s);
  CHECK_TEXT(s.kind, "holonomic");
  ending index3 = run(name, "limit index3", eps, to, tolerance, &s);
  CHECK_TEXT(s.method, "radau5");
  ending far = run(name, "follow motion", eps, to, tolerance, &s);
  ending near = run(name, "follow motion", eps / 4, to, tolerance, &s);
  double d = apart(&far, &limit, columns), quarter = apart(&near, &limit, columns);
  double both = apart(&index3, &limit, columns);
  printf(
      "%-16s eps %.0e: %.3e from the limit, over eps^2 %.4g; eps/4: %.3e, ratio %.3f; both limits %.1e\n",
      name, eps, d, d / (eps * eps), quarter, d / quarter, both);
  CHECK(d / quarter > 15 && d / quarter < 17);
  CHECK(both < 0.05 * quarter);
}

/* theta'' = -sin(theta), the pendulum that is the limit, by Runge's steps in this file */
static double limit_angle(double to) {
  enum { STEPS = 20000 };
  long double y[2] = {1, 0.3L}, h = (long double)to / STEPS;
  for (int i = 0; i < STEPS; i++) {
    long double k[4][2], at[2] = {y[0], y[1]};
    for (int s = 0; s < 4; s++) {
      k[s][0] = at[1], k[s][1] = -sinl(at[0]);
      for (int j = 0; j < 2; j++) at[j] = y[j] + (s < 2 ? h / 2 : h) * k[s][j];
    }
    for (int j = 0; j < 2; j++) y[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
  }
  return (double)y[0];
}

/* eps from 1e-1 to 1e-6: C eps^2 from the pendulum with a rod, in as many steps. */
static void check_pendulum(void) {
  double theta = limit_angle(1), constant = 0;
  long steps = 0;
  for (double eps = 0.1; eps > 0.9e-6; eps /= 10) {
    ritt_statistics s;
    bool small = eps < 0.5e-2;
    ending e = run("spring_pendulum", small ? "precision quad" : "precision double", eps, 1,
                   small ? 1e-12 : 1e-9, &s);
    double d = hypot(e.value[1] - sin(theta), e.value[2] + cos(theta));
    printf("spring_pendulum  eps %.0e: %.3e from the rod, over eps^2 %.4g; %ld steps\n", eps, d,
           d / (eps * eps), s.accepted);
    if (eps > 0.5e-4 && eps < 0.5e-2 && constant > 0)
      CHECK_NEAR(d / (eps * eps), constant, 0.01 * constant);
    if (eps < 0.5e-1 && constant == 0) constant = d / (eps * eps);
    CHECK(d < 1.2 * constant * eps * eps + 2e-11 || eps > 0.05);
    if (eps < 2e-4 && steps == 0) steps = s.accepted;
    if (steps) CHECK(labs(s.accepted - steps) < steps / 10);
  }
}

/* Steps of explicit methods resolve vibrations, those of radau5 pass over them. */
static void check_explicit(void) {
  ritt_statistics over, along;
  run("double_pendulum", "method radau5", 1e-4, 0.5, 1e-6, &over);
  run("double_pendulum", "method dopri54", 1e-4, 0.5, 1e-6, &along);
  CHECK(along.evaluations > 100 * over.evaluations);
  run("double_pendulum", "follow vibrations", 1e-4, 0.5, 1e-6, &along);
  CHECK_TEXT(along.method, "dopri54");
}

int main(void) {
  check_pendulum();
  check_limit("double_pendulum", 4, 4e-3, 2, 1e-9);
  check_limit("elastic_fourbar", 4, 4e-3, 1, 1e-9);
  check_limit("spring_chain", 2, 1e-3, 0.5, 1e-8);
  if (!CHECK_SLOW) check_limit("truss", 4, 4e-4, 0.3, 1e-7);
  check_explicit();
  return CHECKS_DONE();
}
