/* `ritt linearize` and `ritt steady`: the system near a point of its manifold, and equilibria. */
#include <math.h>
#include <stdlib.h>
#include "cli.h"

/* ---- what both commands have ---- */

typedef struct job {
  const cli_options *options;
  ritt_model *model;
  cli_names inputs, moving, hold;
  ritt_steady *steady;
  ritt_solver *solver; /* of --at */
  ritt_linearization *linear;
} job;

/* Finds the equilibrium. */
static ritt_status find_steady(job *j, ritt_error *error) {
  return ritt_model_steady(j->model, (const char *const *)j->moving.at, j->moving.count,
                           (const char *const *)j->hold.at, j->hold.count, error, &j->steady);
}

/* Runs to the place of --at. */
static ritt_status run_to(job *j, ritt_point *out, ritt_error *error) {
  char *end;
  ritt_statistics statistics;
  double x = strtod(j->options->at, &end);
  if (end == j->options->at || *end || !isfinite(x))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL, "--at needs a number, not '%s'",
                      j->options->at);
  RITT_TRY(ritt_solver_from_model(j->model, &j->options->run, error, &j->solver));
  RITT_TRY(ritt_solver_run_to(j->solver, x, error));
  ritt_solver_statistics(j->solver, &statistics);
  if (statistics.ended_by)
    return ritti_fail(error, RITT_STOPPED, NULL, NULL, "the event '%s' ends the run before %s",
                      statistics.ended_by, j->options->at);
  if (statistics.recompletions > 0)
    return ritti_fail(error, RITT_IMPOSSIBLE, NULL,
                      "write the point with 'ritt run -o' and linearise there with --start",
                      "the system was completed again before %s: its coordinates are different "
                      "there",
                      j->options->at);
  return ritt_solver_point(j->solver, out, error);
}

static ritt_status linearize(job *j, ritt_error *error) {
  ritt_point at;
  const ritt_point *where = NULL;
  if (j->steady) where = &j->steady->point;
  else if (j->options->at) {
    RITT_TRY(run_to(j, &at, error));
    where = &at;
  }
  return ritt_model_linearize(j->model, where, (const char *const *)j->inputs.at, j->inputs.count,
                              error, &j->linear);
}

/* Reads the model and computes what the command asks for. */
static ritt_status prepare(job *j, bool steady, ritt_error *error) {
  const cli_options *o = j->options;
  if (steady && o->at)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "leave one of them out",
                      "--at and --steady name two different points");
  if (!steady && (o->moving.count > 0 || o->hold.count > 0))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "add --steady",
                      "--moving and --hold belong to equilibria");
  RITT_TRY(cli_list_names(&o->input, &j->inputs, error));
  RITT_TRY(cli_list_names(&o->moving, &j->moving, error));
  RITT_TRY(cli_list_names(&o->hold, &j->hold, error));
  RITT_TRY(cli_read_model(o, error, &j->model));
  if (steady) RITT_TRY(find_steady(j, error));
  return linearize(j, error);
}

static void free_job(job *j) {
  ritt_linearization_free(j->linear);
  ritt_steady_free(j->steady);
  ritt_solver_free(j->solver);
  ritt_model_free(j->model);
  cli_free_names(&j->inputs);
  cli_free_names(&j->moving);
  cli_free_names(&j->hold);
}

/* ---- eigenvalues in words ---- */

/* Eigenvalues smaller than this count as 0: those of a family of equilibria are 0 up to rounding,
 * and rounding changes a multiple one by its root. */
static double zero_below(const ritt_linearization *L) {
  double most = 0;
  for (size_t i = 0; i < L->states; i++)
    most = fmax(most, hypot(L->eigenvalue_real[i], L->eigenvalue_imaginary[i]));
  return 1e-6 * most;
}

/* Stable if all real parts are negative, unstable if one is positive; zeros leave it open. */
static const char *judge_stability(const ritt_linearization *L) {
  double zero = zero_below(L), largest = -INFINITY;
  bool all = true;
  for (size_t i = 0; i < L->states; i++) {
    largest = fmax(largest, L->eigenvalue_real[i]);
    all = all && L->eigenvalue_real[i] < -zero;
  }
  if (L->states > 0 && largest > zero) return "unstable";
  return all ? "stable" : "not decided by the linearisation";
}

/* The largest entries of a mode: "x 1, x' 0.5". */
static void add_mode(ritti_text *out, const ritt_linearization *L, size_t j) {
  enum { SHOWN = 3 };
  size_t shown[SHOWN], count = 0;
  for (; count < SHOWN && count < L->states; count++) {
    double most = -1;
    for (size_t i = 0; i < L->states; i++) {
      double size = hypot(L->mode_real[i * L->states + j], L->mode_imaginary[i * L->states + j]);
      bool known = false;
      for (size_t k = 0; k < count; k++) known = known || shown[k] == i;
      if (known || size <= most * (1 + 1e-9)) continue; /* equal ones in their order */
      most = size;
      shown[count] = i;
    }
    if (most < 0.01) break;
    ritti_text_add(out, "%s%s %.2f", count ? ", " : "", L->state_names[shown[count]], most);
  }
}

static void add_eigenvalues(ritti_text *out, const ritt_linearization *L) {
  double rounding = 1e-8 * zero_below(L);
  ritti_text_add(out, "  %-20s %-20s %-9s %-11s %s\n", "real part", "imaginary part", "damping",
                 "frequency", "mode");
  for (size_t i = 0; i < L->states; i++) {
    double re = L->eigenvalue_real[i], im = L->eigenvalue_imaginary[i], size = hypot(re, im);
    if (im < 0) continue; /* it stands in the line of its partner */
    if (fabs(re) < rounding) re = 0;
    char imaginary[32] = "0", damping[32] = "", frequency[32] = "";
    if (im > 0) {
      snprintf(imaginary, sizeof imaginary, "+-%.12g", im);
      snprintf(frequency, sizeof frequency, "%.6g", im / (2 * 3.14159265358979323846));
      snprintf(damping, sizeof damping, "%.4f", re == 0 ? 0 : -re / size);
    }
    ritti_text_add(out, "  %-20.12g %-20s %-9s %-11s ", re, imaginary, damping, frequency);
    add_mode(out, L, i);
    ritti_text_add(out, "\n");
  }
}

/* ---- JSON ---- */

static void add_linear_json(ritti_text *out, const ritt_linearization *L) {
  size_t n = L->states;
  cli_json_list(out, "states", L->state_names, n);
  cli_json_list(out, "inputs", L->input_names, L->inputs);
  cli_json_list(out, "outputs", L->output_names, L->outputs);
  cli_json_matrix(out, "A", L->A, n, n);
  cli_json_matrix(out, "B", L->B, n, L->inputs);
  cli_json_matrix(out, "C", L->C, L->outputs, n);
  cli_json_matrix(out, "D", L->D, L->outputs, L->inputs);
  cli_json_vector(out, "eigenvalues_real", L->eigenvalue_real, n);
  cli_json_vector(out, "eigenvalues_imaginary", L->eigenvalue_imaginary, n);
  cli_json_matrix(out, "modes_real", L->mode_real, n, n);
  cli_json_matrix(out, "modes_imaginary", L->mode_imaginary, n, n);
  cli_json_real(out, "largest_velocity", L->largest_velocity);
  cli_json_text(out, "stability", judge_stability(L));
}

static void add_steady_json(ritti_text *out, const ritt_steady *s) {
  cli_json_list(out, "columns", s->column_names, s->columns);
  cli_json_vector(out, "values", s->values, s->columns);
}

/* ---- files ---- */

static void add_json(ritti_text *out, const job *j) {
  cli_json_text(out, "model", ritt_model_name(j->model));
  cli_json_real(out, "x", j->linear->x);
  if (j->steady) add_steady_json(out, j->steady);
  add_linear_json(out, j->linear);
}

/* Writes the linear system to a file. */
static ritt_status write_file(const job *j, const char *path, ritt_error *error) {
  const ritt_linearization *L = j->linear;
  size_t n = L->states, u = L->inputs, y = L->outputs;
  const char *ending = strrchr(path, '.');
  if (ending && !strcmp(ending, ".json")) {
    ritti_text out = {0};
    add_json(&out, j);
    ritti_text_add(&out, "\n}\n");
    ritt_status status = out.status == RITT_OK ? ritti_file_replace(path, out.at, out.count, error)
                                               : ritti_no_memory(error);
    ritti_text_free(&out);
    return status;
  }
  const ritti_named_matrix matrix[] = {
      {"A", n, n, L->A, NULL},
      {"B", n, u, L->B, NULL},
      {"C", y, n, L->C, NULL},
      {"D", y, u, L->D, NULL},
      {"eigenvalues_real", n, 1, L->eigenvalue_real, NULL},
      {"eigenvalues_imaginary", n, 1, L->eigenvalue_imaginary, NULL},
      {"modes_real", n, n, L->mode_real, NULL},
      {"modes_imaginary", n, n, L->mode_imaginary, NULL},
      {"states", n, 0, NULL, L->state_names},
      {"inputs", u, 0, NULL, L->input_names},
      {"outputs", y, 0, NULL, L->output_names}};
  return ritti_write_matrices(path, matrix, sizeof matrix / sizeof *matrix, error);
}

/* Writes all files that the call asks for. */
static ritt_status write_files(const job *j, ritt_error *error) {
  const cli_options *o = j->options;
  for (size_t i = 0; i < o->tables.count; i++) RITT_TRY(write_file(j, o->tables.at[i], error));
  if (!o->bode) return RITT_OK;
  return cli_draw_bode(j->linear, o->bode, ritt_model_title(j->model), error);
}

/* ---- text ---- */

static void add_matrix_text(ritti_text *out, const char *name, const double *m, size_t rows,
                            size_t columns, const char *const *row, const char *const *column) {
  double most = 0;
  if (rows == 0 || columns == 0) return;
  for (size_t i = 0; i < rows * columns; i++) most = fmax(most, fabs(m[i]));
  ritti_text_add(out, "%s\n  %-12s", name, "");
  for (size_t j = 0; j < columns; j++) ritti_text_add(out, " %13s", column[j]);
  ritti_text_add(out, "\n");
  for (size_t i = 0; i < rows; i++) {
    ritti_text_add(out, "  %-12s", row[i]);
    for (size_t j = 0; j < columns; j++) {
      double value = m[i * columns + j];
      if (fabs(value) < 1e-13 * most) value = 0; /* rounding */
      ritti_text_add(out, " %13.6g", value);
    }
    ritti_text_add(out, "\n");
  }
}

static void add_linear_text(ritti_text *out, const job *j) {
  enum { LARGE = 12 };
  const ritt_linearization *L = j->linear;
  ritti_text_add(out, "%s at %s = %.10g: %zu state%s", ritt_model_name(j->model),
                 ritt_model_independent(j->model), L->x, L->states, L->states == 1 ? "" : "s");
  for (size_t i = 0; i < L->states && i < LARGE; i++)
    ritti_text_add(out, "%s%s", i ? ", " : ": ", L->state_names[i]);
  if (L->states > LARGE) ritti_text_add(out, ", ...");
  ritti_text_add(out, "\n");
  if (L->largest_velocity > 1e-9)
    ritti_text_add(out, "not an equilibrium: the states change by up to %.3g\n",
                   L->largest_velocity);
  if (L->states <= LARGE) {
    add_matrix_text(out, "A", L->A, L->states, L->states, L->state_names, L->state_names);
    add_matrix_text(out, "B", L->B, L->states, L->inputs, L->state_names, L->input_names);
  }
  if (L->states <= LARGE && L->inputs > 0) {
    add_matrix_text(out, "C", L->C, L->outputs, L->states, L->output_names, L->state_names);
    add_matrix_text(out, "D", L->D, L->outputs, L->inputs, L->output_names, L->input_names);
  }
  ritti_text_add(out, "eigenvalues\n");
  add_eigenvalues(out, L);
}

static void add_steady_text(ritti_text *out, const job *j) {
  const char *name = ritt_model_name(j->model);
  ritti_text_add(out, "%s has %s equilibrium; stability: %s\n", name,
                 j->moving.count ? "a relative" : "an", judge_stability(j->linear));
  for (size_t i = 0; i < j->steady->columns; i++) {
    double value = j->steady->values[i];
    if (fabs(value) < 1e-14) value = 0;
    ritti_text_add(out, "  %-12s %.12g\n", j->steady->column_names[i], value);
  }
  ritti_text_add(out, "eigenvalues\n");
  add_eigenvalues(out, j->linear);
}

/* ---- the commands ---- */

static int run_job(const cli_options *options, bool steady, bool matrices, ritt_error *error) {
  job j = {.options = options};
  ritti_text out = {0};
  int printed = 0;
  ritt_status status = prepare(&j, steady, error);
  if (status == RITT_OK) status = write_files(&j, error);
  cli_print_messages(error, status);
  if (status == RITT_OK && options->json) {
    add_json(&out, &j);
    printed = cli_print_json(&out);
  } else if (status == RITT_OK) {
    if (matrices) add_linear_text(&out, &j);
    else add_steady_text(&out, &j);
    printed = cli_print(&out);
  }
  free_job(&j);
  return printed ? printed : ritt_status_exit_code(status);
}

int cli_linearize(const cli_options *options, ritt_error *error) {
  return run_job(options, options->steady, true, error);
}

int cli_steady(const cli_options *options, ritt_error *error) {
  return run_job(options, true, false, error);
}
