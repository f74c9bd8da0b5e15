/* The public calls one by one, in double and in quadruple precision, and the messages for wrong ones:
 * on y'' = -y, y = cos x, and x' = y, y' = -x, whose names are outputs, coordinates and neither. */
#include <stdlib.h>
#include "run.h"

static const char text[] =
    "model wave \"a wave\"\nindependent s\nparameter w = 1\nvariable y, u, v\n"
    "equation\n  y'' = -w^2*y\n  u' = v\n  v' = -u\nstart y = 1, y' = 0\n  u = 0, v = 1\n"
    "solve s = 0 .. 2\noutput y, both = u^2 + v^2, v\ndoc \"waves\"\n  y \"the height\"\n";
static ritt_error *error;
static const char *said(void) {
  return ritt_error_count(error) ? ritt_error_get(error, 0)->text : "";
}
static const char *hint(void) {
  const char *h = ritt_error_count(error) ? ritt_error_get(error, 0)->hint : NULL;
  return h ? h : "";
}

static ritt_model *open_model(const char *words) {
  ritt_model *model;
  ritt_error_clear(error);
  CHECK(ritt_model_read_text(words, strlen(words), "wave.ritt", error, &model) == RITT_OK);
  if (!model) printf("%s\n", said());
  return model;
}

/* ---- options: a word that an option does not have ---- */

static void check_words(ritt_model *model) {
  ritt_solver *solver;
  ritt_options plain = ritt_options_default();
  const char **const word[] = {
      &plain.method,  &plain.project,  &plain.projection, &plain.predictor, &plain.direction,
      &plain.linear,  &plain.singular, &plain.precision,  &plain.metric,    &plain.over,
      &plain.control, &plain.norm,     &plain.kind};
  for (size_t i = 0; i < sizeof word / sizeof *word; i++) {
    plain = ritt_options_default();
    *word[i] = "nonsense";
    ritt_error_clear(error);
    CHECK(ritt_solver_from_model(model, &plain, error, &solver) == RITT_WRONG_CALL && !solver);
    bool named = strstr(said(), "nonsense") != NULL;
    CHECK(named);
    if (!named) printf("  %zu: %s\n", i, said());
  }
  const double wrong[][3] = {{1.5, 0, 0}, {-1, 0, 0},  {0, 1, 0},
                             {0, -1, 0},  {0, 0, 0.5}, {NAN, 0, 0}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    plain = ritt_options_default();
    plain.fac = wrong[i][0], plain.facmin = wrong[i][1], plain.facmax = wrong[i][2];
    CHECK(ritt_solver_from_model(model, &plain, error, &solver) == RITT_WRONG_CALL && !solver);
  }
  plain = ritt_options_default(), plain.tolerance = 1e-17;
  ritt_error_clear(error);
  CHECK(ritt_solver_from_model(model, &plain, error, &solver) == RITT_WRONG_CALL && !solver);
  plain = ritt_options_default(), plain.row_step = 1e-30;
  CHECK(ritt_solver_from_model(model, &plain, error, &solver) == RITT_WRONG_CALL && !solver);
}

/* ---- a solver, step by step ---- */

static int rows;
static ritt_status count_row(void *user, const double *values, size_t count) {
  (void)user, (void)values, (void)count;
  return ++rows, RITT_OK;
}

static void check_solver(ritt_model *model, const char *precision, double near) {
  ritt_options o = ritt_options_default();
  ritt_solver *solver;
  ritt_point p;
  const char *const *names;
  double value = NAN, values[8], rest[8];
  size_t count;
  o.precision = precision, o.method = "dop853", o.tolerance = 1e-12;
  CHECK(ritt_solver_from_model(model, &o, error, &solver) == RITT_OK);
  ritt_solver_columns(solver, &names, &count);
  CHECK(count == 4 && !strcmp(names[0], "s") && !strcmp(names[2], "both"));
  CHECK(ritt_solver_point(solver, &p, error) == RITT_OK && p.s == 0 && p.z[1] == 1);
  for (int i = 0; i < 3; i++) CHECK(ritt_solver_step(solver, 1, error) == RITT_OK);
  CHECK(ritt_solver_point(solver, &p, error) == RITT_OK && p.s > 0 && p.s <= 1);
  CHECK_NEAR(p.z[1], cos(p.s), near);
  double before = ritt_solver_before(solver), middle = (before + p.s) / 2;
  CHECK(before >= 0 && before < p.s);
  CHECK(ritt_solver_dense(solver, middle, &p, error) == RITT_OK && p.s == middle);
  CHECK_NEAR(p.z[1], cos(middle), 1e4 * near);
  CHECK(ritt_solver_values(solver, middle, values, error) == RITT_OK && values[0] == middle);
  CHECK_NEAR(values[2], 1, 1e4 * near);
  ritt_solver_remainders(solver, rest);
  CHECK(fabs(rest[1]) <= 2e-16 && (!strcmp(precision, "quad") || rest[1] == 0));
  CHECK(ritt_solver_run_to(solver, 1, error) == RITT_OK);
  CHECK(ritt_solver_value(solver, "y'", &value, error) == RITT_OK);
  CHECK_NEAR(value, -sin(1), near);
  CHECK(ritt_solver_value(solver, "both", &value, error) == RITT_OK);
  CHECK_NEAR(value, 1, near);
  CHECK(ritt_solver_value(solver, "s", &value, error) == RITT_OK && value == 1);
  rows = 0;
  CHECK(ritt_solver_run(solver, count_row, NULL, error) == RITT_OK && rows > 0);
  CHECK(ritt_solver_value(solver, "u", &value, error) == RITT_OK);
  CHECK_NEAR(value, sin(2), near);
  // backward
  CHECK(ritt_solver_run_to(solver, 0.5, error) == RITT_OK &&
        ritt_solver_value(solver, "u", &value, error) == RITT_OK);
  CHECK_NEAR(value, sin(0.5), near);

  ritt_error_clear(error);
  CHECK(ritt_solver_value(solver, "boht", &value, error) == RITT_WRONG_CALL);
  CHECK(strstr(said(), "boht") && strstr(hint(), "both"));
  ritt_error_clear(error);
  CHECK(ritt_solver_value(solver, "zzzzzzzzzz", &value, error) == RITT_WRONG_CALL && !*hint());
  CHECK(ritt_solver_run_to(solver, NAN, error) == RITT_WRONG_CALL);
  CHECK(ritt_solver_run_to(solver, INFINITY, error) == RITT_WRONG_CALL);
  CHECK(ritt_solver_step(solver, NAN, error) == RITT_WRONG_CALL);
  CHECK(ritt_solver_dense(solver, 17, &p, error) == RITT_WRONG_CALL);
  CHECK(ritt_solver_values(solver, 17, values, error) == RITT_WRONG_CALL);
  ritt_solver_free(solver);
}

/* A solver goes on from another point of the manifold; bytes of a state are those of its own kind.
 */
static void check_at(ritt_model *model, const char *precision) {
  const double z[] = {1, cos(1), sin(1), cos(1), -sin(1)}, none[] = {1, NAN, 0, 0, 0};
  ritt_options o = ritt_options_default(), other = o;
  ritt_solver *solver, *second;
  const double *start;
  double value = NAN;
  size_t size;
  static char state[1 << 16];
  o.precision = precision, o.tolerance = 1e-11;
  CHECK(ritt_model_start_point(model, error, &start) == RITT_OK);
  ritt_status status = ritt_solver_from_model_at(model, 1, z, &o, error, &solver);
  CHECK(status == RITT_OK);
  if (status != RITT_OK) {
    printf("%s\n", said());
    return;
  }
  CHECK(ritt_solver_run_to(solver, 2, error) == RITT_OK &&
        ritt_solver_value(solver, "y", &value, error) == RITT_OK);
  CHECK_NEAR(value, cos(2), 1e-8);
  CHECK(ritt_solver_save(solver, NULL, 0, &size, error) == RITT_OK && size < sizeof state);
  CHECK(ritt_solver_save(solver, state, size - 1, &size, error) == RITT_WRONG_CALL);
  CHECK(ritt_solver_save(solver, state, sizeof state, &size, error) == RITT_OK);
  CHECK(ritt_solver_from_model_at(model, 1, none, &o, error, &second) != RITT_OK && !second);
  CHECK(ritt_solver_from_model(model, &o, error, &second) == RITT_OK);
  CHECK(ritt_solver_load(second, state, size - 1, error) == RITT_WRONG_CALL);
  CHECK(ritt_solver_load(second, state, 3, error) == RITT_WRONG_CALL);
  CHECK(ritt_solver_load(second, state, size, error) == RITT_OK);
  CHECK(ritt_solver_value(second, "y", &value, error) == RITT_OK);
  CHECK_NEAR(value, cos(2), 1e-8);
  state[size / 2]++;
  CHECK(ritt_solver_load(second, state, size, error) == RITT_WRONG_CALL);
  state[size / 2]--;
  ritt_solver_free(second);
  other.precision = precision, other.method = "radau5";
  CHECK(ritt_solver_from_model(model, &other, error, &second) == RITT_OK);
  CHECK(ritt_solver_load(second, state, size, error) == RITT_WRONG_CALL);
  ritt_solver_free(second);
  ritt_solver_free(solver);
}

/* ---- models ---- */

static void check_model(void) {
  ritt_model *model;
  ritt_error_clear(error);
  CHECK(ritt_model_read_text(NULL, 0, NULL, error, &model) != RITT_OK && !model && *said());
  model = open_model(text);
  CHECK_TEXT(ritt_model_doc(model, "y"), "the height");
  CHECK_TEXT(ritt_model_doc(model, NULL), "waves");
  CHECK(!ritt_model_doc(model, "u") && !ritt_model_doc(model, "nobody"));
  CHECK(ritt_model_kind(model, "nonsense", error) == RITT_WRONG_CALL);
  CHECK(ritt_model_follow(model, "nonsense", error) == RITT_WRONG_CALL);
  static const char *const wrong[] = {"",
                                      "0",
                                      "-1",
                                      "1001",
                                      "2 3",
                                      "through",
                                      "through y",
                                      "through = 1",
                                      "through y = ",
                                      "through y = nan",
                                      "through y = 1 2",
                                      "startle"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    ritt_error_clear(error);
    bool refused = ritt_model_branch(model, wrong[i], error) != RITT_OK && *said();
    CHECK(refused);
    if (!refused) printf("  branch '%s'\n", wrong[i]);
  }
  ritt_error_clear(error);
  CHECK(ritt_model_branch(model, "through nobody = 1", error) != RITT_OK);
  CHECK(strstr(said(), "'nobody'"));
  CHECK(ritt_model_branch(model, "  through   y = 0.5 ,  u = 1e-3", error) == RITT_OK);
  CHECK(ritt_model_branch(model, "through start", error) == RITT_OK);
  CHECK(ritt_model_branch(model, " 2 ", error) == RITT_OK);
  CHECK(ritt_model_branch(model, NULL, error) == RITT_OK);
  CHECK(ritt_model_singular(model, "nothing-like-this", 3, error) == RITT_OK);
  CHECK(ritt_model_singular(model, NULL, 0, error) == RITT_OK);
  static const char *const starts[] = {"nobody",    "der(y, 101)",    "der(y",
                                       "der(y, x)", "der(nobody, 1)", "w"};
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
    ritt_error_clear(error);
    CHECK(ritt_model_start_value(model, starts[i], 1, 1, error) != RITT_OK && *said());
  }
  // the same jet in two spellings: the second takes the place of the first
  const double *z;
  CHECK(ritt_model_start_value(model, "y'", 3, 1, error) == RITT_OK);
  CHECK(ritt_model_start_value(model, "der(y, 1)", 4, 1, error) == RITT_OK);
  CHECK(ritt_model_start_point(model, error, &z) == RITT_OK && z[4] == 4 && z[1] == 1);
  ritt_model_free(model);
}

/* x'' = -sign(x') - x/9 from (0, 1): the block stops at t = 3 atan(1/3), x = sqrt(90) - 9, and
 * stays there, where a run by arc length cannot slide. */
static void check_slide(void) {
  ritt_model *model =
      open_model("model block\nvariable x, v\nequation\n  x' = v\n  v' = -sign(v) - x/9\n"
                 "start x = 0, v = 1\nsolve arc = 0 .. 5\n  tolerance 1e-11\n");
  ritt_solver *solver;
  double x = NAN, t = NAN;
  CHECK(ritt_solver_from_model(model, NULL, error, &solver) == RITT_OK);
  CHECK(ritt_solver_run(solver, count_row, NULL, error) == RITT_STOPPED);
  CHECK(strstr(said(), "the run would have to slide there") &&
        strstr(hint(), "'solve' over the independent variable"));
  CHECK(ritt_solver_value(solver, "t", &t, error) == RITT_OK &&
        ritt_solver_value(solver, "x", &x, error) == RITT_OK);
  CHECK_NEAR(t, 3 * atan(1.0 / 3), 1e-8);
  CHECK_NEAR(x, sqrt(90) - 9, 1e-8);
  ritt_solver_free(solver);
  ritt_model_free(model);
}

int main(void) {
  error = ritt_error_new();
  check_model();
  check_slide();
  ritt_model *model = open_model(text);
  check_words(model);
  check_solver(model, "double", 1e-10);
  if (RITTI_HAS_QUAD) check_solver(model, "quad", 1e-10);
  check_at(model, "double");
  if (RITTI_HAS_QUAD) check_at(model, "quad");
  ritt_model_free(model);
  ritt_error_free(error);
  return CHECKS_DONE();
}
