/* Models of a batch are completed once: if a number changes, only the start point is found again.
 * Every run must have the bits, the statuses and the messages of a model of its own that is read and
 * completed with the same numbers. Among the values are such that change the structure: 0, and values
 * that make a start impossible. */
#include <stdbool.h>
#include <stdlib.h>
#include "check.h"
#include "ritt.h"

enum { STEPS = 12 };

/* What comes of a model with its numbers. */
typedef struct outcome {
  ritt_status status;
  char message[400];
  unsigned long long hash; /* of the start point and the ends of steps */
} outcome;

static void note_message(outcome *o, const ritt_error *error) {
  const char *text = ritt_error_count(error) ? ritt_error_get(error, 0)->text : "";
  snprintf(o->message, sizeof o->message, "%s", text);
}

static outcome try_model(ritt_model *model, ritt_error *error) {
  outcome o = {.hash = CHECK_HASH};
  ritt_options options = ritt_options_default();
  const ritt_problem *problem;
  const double *z;
  ritt_solver *solver = NULL;
  ritt_point point;
  options.native = "never";
  ritt_error_clear(error);
  o.status = ritt_model_start_point(model, error, &z);
  if (o.status == RITT_OK) {
    CHECK(ritt_model_problem(model, error, &problem) == RITT_OK);
    size_t m = ritt_problem_shape(problem)->coordinates;
    check_hash(&o.hash, z, m * sizeof *z);
    o.status = ritt_solver_from_model(model, &options, error, &solver);
    for (int i = 0; i < STEPS && o.status == RITT_OK; i++) {
      o.status = ritt_solver_step(solver, z[0] + 1, error);
      if (o.status == RITT_OK) o.status = ritt_solver_point(solver, &point, error);
      if (o.status == RITT_OK) check_hash(&o.hash, point.z, m * sizeof *point.z);
    }
  }
  note_message(&o, error);
  ritt_solver_free(solver);
  return o;
}

static ritt_status set_value(ritt_model *model, const char *name, const char *value, bool start,
                             ritt_error *error) {
  return start ? ritt_model_start_value(model, name, strtod(value, NULL), 1, error)
               : ritt_model_set(model, name, value, error);
}

static bool same_outcomes(const outcome *a, const outcome *b) {
  return a->status == b->status && a->hash == b->hash && !strcmp(a->message, b->message);
}

static ritt_model *read_model(const char *file, ritt_error *error) {
  ritt_model *model = NULL;
  char path[600];
  snprintf(path, sizeof path, file[0] == '/' ? "%s%s" : "%s/models/%s",
           file[0] == '/' ? "" : RITT_SOURCE_DIR, file);
  CHECK(ritt_model_read_file(path, error, &model) == RITT_OK);
  return model;
}

/* One name takes the values one after the other, in a model of a batch and in models of their own.
 * "x=" in front of a name: a start value. */
static void compare_values(const char *file, const char *name, const char *const *value) {
  ritt_error *error = ritt_error_new();
  ritt_batch *batch = ritt_batch_new(100, 0);
  ritt_model *shared = read_model(file, error);
  bool start = ritt_model_meaning(shared, name) == RITT_VARIABLE;
  ritt_batch_add(batch, shared);
  for (; *value; value++) {
    ritt_model *own = read_model(file, error);
    outcome alone = {.status = set_value(own, name, *value, start, error)};
    note_message(&alone, error);
    ritt_error_clear(error);
    outcome here = {.status = set_value(shared, name, *value, start, error)};
    note_message(&here, error);
    ritt_error_clear(error);
    if (alone.status == RITT_OK) alone = try_model(own, error);
    if (here.status == RITT_OK) here = try_model(shared, error);
    CHECK(same_outcomes(&here, &alone));
    if (!same_outcomes(&here, &alone))
      printf("  %s, %s = %s: status %d, '%s', hash %llx; alone %d, '%s', hash %llx\n", file, name,
             *value, here.status, here.message, here.hash, alone.status, alone.message, alone.hash);
    ritt_model_free(own);
  }
  ritt_model_free(shared);
  ritt_batch_free(batch);
  ritt_error_free(error);
}

/* The report of such a model is that of its own numbers. */
static void check_reports(void) {
  ritt_error *error = ritt_error_new();
  ritt_batch *batch = ritt_batch_new(10, 0);
  ritt_model *model = read_model("ivp/pendulum.ritt", error);
  const ritt_check *report;
  const char *text;
  ritt_batch_add(batch, model);
  CHECK(ritt_model_start_text(model, error, &text) == RITT_OK);
  CHECK(ritt_model_set(model, "g", "2", error) == RITT_OK);
  CHECK(ritt_model_start_text(model, error, &text) == RITT_OK);
  CHECK(ritt_model_check(model, error, &report) == RITT_OK);
  CHECK(report->index == 3 && report->degrees_of_freedom == 2);

  /* a wrong value leaves the model as it was */
  CHECK(ritt_model_set(model, "g", "2 +", error) == RITT_WRONG_CALL);
  CHECK(ritt_model_set(model, "g", "3", error) == RITT_OK);
  CHECK(ritt_model_set(model, "h", "3", error) == RITT_WRONG_CALL);
  CHECK(ritt_model_start_text(model, error, &text) == RITT_OK);
  ritt_model_free(model);
  ritt_batch_free(batch);
  ritt_error_free(error);
}

int main(int count, char **argument) {
  static const char *const values[] = {"1",   "1.5", "0.7",   "2",   "1e-3", "0.012345678901234567",
                                       "0",   "3",   "-1.25", "1/3", "2",    "1000000",
                                       "0.5", NULL};
  static const struct {
    const char *file, *name;
  } models[] = {
      {"ivp/pendulum.ritt", "g"},
      {"ivp/pendulum.ritt", "x'"},
      {"classics/robertson.ritt", "k1"},
      {"classics/robertson.ritt", "z"},
      {"classics/henon_heiles.ritt", "x"},
      {"classics/rolling_disk.ritt", "m"},
      {"classics/slider_crank.ritt", "m"},
      {"classics/van_der_pol.ritt", "mu"},
      {"papers/fourbar_energy.ritt", "gamma"},
      {"papers/fourbar.ritt", "y1"},
      {"classics/bouncing_ball.ritt", "g"},
      {"classics/spinning_body.ritt", "I[2]"},
  };
  if (count > 2) {
    for (int i = 2; i < count; i++) compare_values(argument[1], argument[i], values);
    return CHECKS_DONE();
  }
  for (size_t i = 0; i < sizeof models / sizeof *models; i++)
    compare_values(models[i].file, models[i].name, values);
  check_reports();
  return CHECKS_DONE();
}
