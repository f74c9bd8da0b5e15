/* Periodic orbits by multiple shooting on the manifold.
 *
 * The orbit is cut into segments. Each begins at a point of its own, which is given by coordinates
 * that parametrise the manifold near it (its chart); the other coordinates follow from the
 * constraints. Newton's method makes the end of each segment meet the beginning of the next one, in
 * the chart there. The derivatives are those of runs with sensitivities by the chart. Their product
 * around the orbit is the monodromy matrix. */
#include "derive/derive.h"
#include "pipeline.h"

typedef struct owned_orbit {
  ritt_orbit shown; /* first: the caller has its address */
  ritti_arena *arena;
} owned_orbit;

void ritt_orbit_free(ritt_orbit *orbit) {
  if (orbit) ritti_arena_free(((owned_orbit *)orbit)->arena);
}

ritt_orbit_options ritt_orbit_options_default(void) {
  return (ritt_orbit_options){.segments = 4, .max_iterations = 30};
}

/* A derivative of a variable. */
typedef struct jet {
  const char *variable, *name; /* "x", "x''" */
  int order;
} jet;

/* A segment: its chart, its beginning, and what its run gives. */
typedef struct segment {
  jet *chart;        /* states */
  double *value;     /* states: where it begins */
  double *guess;     /* coordinates: all values there, as guesses */
  double *end;       /* states: where it ends, in the chart of the next segment */
  double *end_speed; /* states: derivatives there by the independent variable */
  double *speed;     /* states: likewise at its beginning */
  double *slope;     /* states x states: derivatives of the end by the beginning */
} segment;

typedef struct shooter {
  ritt_model *model;
  ritt_orbit_options how;
  ritt_options run;
  ritti_arena *arena;
  int states, coordinates, segments;
  jet *coordinate; /* coordinates of the model, without the independent variable */
  segment *segment;
  double begin, period;
} shooter;

/* ---- jets of a point ---- */

static jet describe_jet(const ritti_reduced *R, ritti_expr e, ritti_arena *arena) {
  const ritti_dag *dag = R->model->dag;
  const char *variable = R->model->variable[ritti_index_of(dag, e)].name;
  int order = ritti_order_of(dag, e);
  return (jet){ritti_arena_text(arena, variable, strlen(variable)),
               ritti_jet_name(arena, variable, order), order};
}

/* The value of a derivative of the variable at a point of the completed system; NaN: the point does
 * not contain it. */
static double find_value(const ritti_reduced *R, const ritt_point *point, const char *variable,
                         int order) {
  const ritti_dag *dag = R->model->dag;
  for (int i = 1; i < R->m + R->tops; i++) {
    ritti_expr e = i < R->m ? R->coordinate[i] : R->top[i - R->m];
    if (ritti_order_of(dag, e) != order) continue;
    if (strcmp(R->model->variable[ritti_index_of(dag, e)].name, variable)) continue;
    return i < R->m ? point->z[i] : point->top[i - R->m];
  }
  return NAN;
}

/* The derivative of a jet by the start value of `by`, at a fixed value of the independent variable. */
static double find_tangent(const shooter *s, const ritti_reduced *R, const ritt_point *point,
                           jet of, jet by) {
  char name[256];
  ritti_format(name, sizeof name, "d(%.100s)/d(%.100s)", of.variable, by.name);
  double tangent = find_value(R, point, name, of.order);

  /* after an event the tangent also has a shift of the independent variable */
  ritti_format(name, sizeof name, "d(%.100s)/d(%.100s)", ritt_model_independent(s->model), by.name);
  double shift = find_value(R, point, name, 0);
  if (isnan(shift) || shift == 0) return tangent;
  return tangent - shift * find_value(R, point, of.variable, of.order + 1);
}

/* ---- the first guess ---- */

/* Takes the chart from the names that the caller gives. */
static ritt_status take_states(shooter *s, jet *chart, ritt_error *error) {
  for (int i = 0; i < s->states; i++) {
    bool found = false;
    for (int k = 0; k < s->coordinates; k++)
      if (!strcmp(s->coordinate[k].name, s->how.states[i])) {
        chart[i] = s->coordinate[k];
        found = true;
      }
    if (!found)
      return ritti_fail(error, RITT_WRONG_CALL, NULL, "'ritt complete' lists the coordinates",
                        "'%s' is not a coordinate of the completed system", s->how.states[i]);
  }
  return RITT_OK;
}

/* Finds a chart at a point, and the values there. */
static ritt_status find_chart(shooter *s, const ritt_point *at, segment *g, ritt_error *error) {
  ritt_linearization *linear;
  RITT_TRY(ritt_model_linearize(s->model, at, NULL, 0, error, &linear));
  s->states = (int)linear->states;
  ritt_status status = RITT_OK;
  g->chart = ritti_arena_alloc(s->arena, linear->states + 1, sizeof *g->chart);
  if (!g->chart) status = RITT_NO_MEMORY;
  for (size_t i = 0; i < linear->states && status == RITT_OK; i++)
    for (int k = 0; k < s->coordinates; k++)
      if (!strcmp(s->coordinate[k].name, linear->state_names[i])) g->chart[i] = s->coordinate[k];
  ritt_linearization_free(linear);
  RITT_TRY(status);
  if (g == s->segment && s->how.states) RITT_TRY(take_states(s, g->chart, error));

  int n = s->states + 1;
  RITTI_NEW_ARRAYS(s->arena, n, g->value, g->end, g->end_speed, g->speed);
  RITTI_NEW(g->slope, s->arena, n * n);
  RITTI_NEW(g->guess, s->arena, s->coordinates + 1);
  for (int i = 0; i < s->coordinates; i++) g->guess[i] = at->z[i + 1];
  for (int i = 0; i < s->states; i++)
    for (int k = 0; k < s->coordinates; k++)
      if (!strcmp(s->coordinate[k].name, g->chart[i].name)) g->value[i] = g->guess[k];
  return RITT_OK;
}

/* Runs once around and chooses the charts. */
static ritt_status choose_charts(shooter *s, ritt_solver *solver, ritt_error *error) {
  for (int i = 0; i < s->segments; i++) {
    ritt_point point;
    ritt_statistics statistics;
    if (i > 0) RITT_TRY(ritt_solver_run_to(solver, s->begin + i * s->period / s->segments, error));
    ritt_solver_statistics(solver, &statistics);
    if (statistics.ended_by || statistics.recompletions > 0)
      return ritti_fail(error, RITT_IMPOSSIBLE, NULL, "start from another point",
                        "the solution from the start %s before one period is over",
                        statistics.ended_by ? "is ended by an event" : "was completed again");
    RITT_TRY(ritt_solver_point(solver, &point, error));
    RITT_TRY(find_chart(s, &point, &s->segment[i], error));
  }
  return RITT_OK;
}

static ritt_status begin_shooting(shooter *s, ritt_error *error) {
  ritt_solver *solver;
  RITT_TRY(ritt_model_sensitivity(s->model, NULL, 0, error));
  RITT_TRY(ritti_pipeline_prepare(s->model, error));
  const ritti_reduced *R = s->model->reduced;
  s->begin = R->z[0];
  s->coordinates = R->m - 1;
  s->segments = (int)s->how.segments;
  RITTI_NEW(s->segment, s->arena, s->segments);
  RITTI_NEW(s->coordinate, s->arena, R->m);
  for (int i = 1; i < R->m; i++) {
    s->coordinate[i - 1] = describe_jet(R, R->coordinate[i], s->arena);
    if (!s->coordinate[i - 1].name) return RITT_NO_MEMORY;
  }
  int free_values = s->model->check.degrees_of_freedom;
  if (s->how.states && (int)s->how.state_count != free_values)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "name one coordinate for each of them",
                      "the model has %d free initial values, not %zu", free_values,
                      s->how.state_count);
  RITT_TRY(ritt_solver_from_model(s->model, &s->run, error, &solver));
  ritt_status status = choose_charts(s, solver, error);
  ritt_solver_free(solver);
  return status;
}

/* ---- one segment ---- */

/* Puts the start of the model at the beginning of a segment. */
static ritt_status set_start(shooter *s, int index, ritt_error *error) {
  const segment *g = &s->segment[index];
  RITT_TRY(ritt_model_start_at(s->model, s->begin + index * s->period / s->segments, error));
  for (int i = 0; i < s->coordinates; i++) {
    int state = -1;
    for (int k = 0; k < s->states; k++)
      if (!strcmp(g->chart[k].name, s->coordinate[i].name)) state = k;
    double value = state >= 0 ? g->value[state] : g->guess[i];
    RITT_TRY(ritt_model_start_value(s->model, s->coordinate[i].name, value, state >= 0, error));
  }
  return RITT_OK;
}

/* Reads the end of a segment in the chart of the next one. */
static ritt_status read_end(shooter *s, int index, ritt_solver *solver, ritt_error *error) {
  segment *g = &s->segment[index], *next = &s->segment[(index + 1) % s->segments];
  const ritti_reduced *R = s->model->reduced;
  ritt_point point;
  double sum = 0;
  RITT_TRY(ritt_solver_point(solver, &point, error));
  for (int i = 0; i < s->states; i++) {
    jet of = next->chart[i];
    g->end[i] = find_value(R, &point, of.variable, of.order);
    g->end_speed[i] = find_value(R, &point, of.variable, of.order + 1);
    sum += g->end[i] + g->end_speed[i];
    for (int k = 0; k < s->states; k++) {
      g->slope[i * s->states + k] = find_tangent(s, R, &point, of, g->chart[k]);
      sum += g->slope[i * s->states + k];
    }
  }
  if (!isfinite(sum))
    return ritti_fail(error, RITT_IMPOSSIBLE, NULL,
                      "leave out variables that are defined by others",
                      "the derivatives of an orbit need coordinates that the completed system "
                      "does not have");
  for (int i = 0; i < s->coordinates && next != s->segment; i++) {
    double value = find_value(R, &point, s->coordinate[i].variable, s->coordinate[i].order);
    if (isfinite(value)) next->guess[i] = value;
  }
  return RITT_OK;
}

static ritt_status run_segment(shooter *s, int index, ritt_error *error) {
  segment *g = &s->segment[index];
  ritt_solver *solver;
  ritt_statistics statistics;
  ritt_point point;
  const char **name;
  RITTI_NEW(name, s->arena, s->states + 1);
  for (int i = 0; i < s->states; i++) name[i] = g->chart[i].name;
  RITT_TRY(set_start(s, index, error));
  RITT_TRY(ritt_model_sensitivity(s->model, name, (size_t)s->states, error));
  ritti_tangents_make_unknowns(s->model); /* they are read as coordinates */
  RITT_TRY(ritt_solver_from_model(s->model, &s->run, error, &solver));

  ritt_status status = ritt_solver_point(solver, &point, error);
  for (int i = 0; i < s->states && status == RITT_OK; i++)
    g->speed[i] =
        find_value(s->model->reduced, &point, g->chart[i].variable, g->chart[i].order + 1);
  double end = s->begin + (index + 1) * s->period / s->segments;
  if (status == RITT_OK) status = ritt_solver_run_to(solver, end, error);
  ritt_solver_statistics(solver, &statistics);
  if (status == RITT_OK && (statistics.ended_by || statistics.recompletions > 0))
    status = ritti_fail(error, RITT_IMPOSSIBLE, NULL, "start from another point",
                        "a segment of the orbit did not reach its end");
  if (status == RITT_OK) status = read_end(s, index, solver, error);
  ritt_solver_free(solver);
  return status;
}

/* ---- Newton's method ---- */

typedef struct step {
  double residual, change; /* misfit of the segments; relative size of the step */
  double *value, *by;      /* size + 1: starts of the segments and the period before it; the step */
} step;

/* Clears the columns of coordinates of the first chart that must not change. */
static ritt_status hold_values(const shooter *s, int rows, int columns, double *matrix,
                               ritt_error *error) {
  for (size_t h = 0; h < s->how.hold_count; h++) {
    int found = -1;
    for (int i = 0; i < s->states; i++)
      if (!strcmp(s->segment[0].chart[i].name, s->how.hold[h])) found = i;
    if (found < 0) {
      ritti_text list = {0};
      for (int i = 0; i < s->states; i++)
        ritti_text_add(&list, "%s%s", i ? ", " : "the start is given by ",
                       s->segment[0].chart[i].name);
      ritt_status status =
          ritti_fail(error, RITT_WRONG_CALL, NULL, list.at,
                     "the start of the orbit is not given by '%s'", s->how.hold[h]);
      ritti_text_free(&list);
      return status;
    }
    for (int i = 0; i < rows; i++) matrix[(size_t)i * (size_t)columns + (size_t)found] = 0;
  }
  return RITT_OK;
}

/* The misfit of the ends of the segments, relative to their values. */
static double find_misfit(const shooter *s) {
  double most = 0, largest = 0;
  for (int i = 0; i < s->segments; i++)
    for (int a = 0; a < s->states; a++) {
      const segment *next = &s->segment[(i + 1) % s->segments];
      double misfit = fabs(next->value[a] - s->segment[i].end[a]);
      if (!(misfit <= most) && !isnan(most)) most = misfit;
      largest = fmax(largest, fabs(s->segment[i].value[a]));
    }
  return most / (1 + largest);
}

/* Goes `factor` times the step from where it began. */
static void go_by(shooter *s, const step *taken, double factor) {
  int n = s->states, size = n * s->segments;
  for (int i = 0; i < size; i++)
    s->segment[i / n].value[i % n] = taken->value[i] + factor * taken->by[i];
  s->period = taken->value[size] + factor * taken->by[size];
}

/* Takes a step; the phase condition keeps the start across the orbit. */
static ritt_status take_step(shooter *s, ritti_arena *scratch, ritt_error *error, step *out) {
  int n = s->states, size = n * s->segments, columns = size + 1, *pivot;
  int rows = size + 1;
  double *matrix, *right, *change, *work, largest = 0;
  RITTI_NEW(matrix, scratch, (size_t)rows * (size_t)columns);
  RITTI_NEW(right, scratch, rows);
  RITTI_NEW(change, scratch, columns);
  RITTI_NEW(work, scratch, ritti_least_norm_scratch(rows, columns));
  RITTI_NEW(pivot, scratch, rows + columns);

  /* the ends of the segments meet the beginnings of the next ones */
  out->change = 0;
  out->residual = find_misfit(s);
  for (int i = 0; i < s->segments; i++) {
    const segment *g = &s->segment[i];
    int following = (i + 1) % s->segments;
    for (int a = 0; a < n; a++) {
      double *row = matrix + (size_t)(n * i + a) * (size_t)columns;
      for (int b = 0; b < n; b++) row[n * i + b] += g->slope[a * n + b];
      row[n * following + a] -= 1;
      if (!s->how.fixed_period) row[size] = g->end_speed[a] / s->segments;
      right[n * i + a] = s->segment[following].value[a] - g->end[a];
      largest = fmax(largest, fabs(g->value[a]));
    }
  }

  /* In a family of orbits the conditions agree only at the solution; least squares would spoil the
   * phase condition, if it had no larger weight. */
  if (!s->how.fixed_period) {
    static const double WEIGHT = 1e3;
    double square = 1e-300;
    for (int a = 0; a < n; a++) square += s->segment[0].speed[a] * s->segment[0].speed[a];
    for (int a = 0; a < n; a++)
      matrix[(size_t)size * (size_t)columns + (size_t)a] =
          WEIGHT * s->segment[0].speed[a] / sqrt(square);
  }
  RITT_TRY(hold_values(s, rows, columns, matrix, error));
  if (ritti_least_norm(rows, columns, matrix, right, 1e-9, change, work, pivot) < 0)
    return ritti_fail(error, RITT_IMPOSSIBLE, NULL, "start from another point",
                      "the segments have derivatives that are not finite");

  /* a period may change by a third at once */
  double factor = fmin(1, s->period / (3 * fabs(change[size]) + 1e-300));
  for (int i = 0; i < size; i++) {
    out->value[i] = s->segment[i / n].value[i % n];
    out->by[i] = factor * change[i];
    out->change = fmax(out->change, fabs(change[i]) / (1 + largest));
  }
  out->value[size] = s->period;
  out->by[size] = factor * change[size];
  go_by(s, out, 1);
  out->change = fmax(out->change, fabs(change[size]) / s->period);
  return RITT_OK;
}

static ritt_status run_segments(shooter *s, ritt_error *error) {
  for (int i = 0; i < s->segments; i++) RITT_TRY(run_segment(s, i, error));
  return RITT_OK;
}

/* Runs the segments from where the last step has led. If they fail or fit worse than before, the step
 * is halved. */
static ritt_status run_or_halve(shooter *s, const step *taken, ritt_error *error) {
  enum { HALVINGS = 6 };
  double factor = 1;
  if (!taken->by) return run_segments(s, error);
  for (int i = 0; i < HALVINGS; i++, factor /= 2) {
    go_by(s, taken, factor);
    ritt_status status = s->period > 0 ? run_segments(s, NULL) : RITT_STOPPED;
    if (status == RITT_NO_MEMORY) return status;
    if (status == RITT_OK && find_misfit(s) <= 2 * taken->residual + s->run.tolerance)
      return RITT_OK;
  }
  /* nothing is better: go the whole way */
  go_by(s, taken, 1);
  return run_segments(s, error);
}

/* The product of the derivatives of all segments, and its eigenvalues. */
static ritt_status find_multipliers(const shooter *s, ritti_arena *arena, ritt_error *error,
                                    ritt_orbit *out) {
  static const double MARGIN = 1e-5; /* rounding moves a double multiplier by its root */
  int n = s->states;
  double *product, *before, *re, *im, *x, *y;
  RITTI_NEW_ARRAYS(arena, n * n + 1, product, before, x, y);
  RITTI_NEW_ARRAYS(arena, n + 1, re, im);
  for (int i = 0; i < n; i++) product[i * n + i] = 1;
  for (int k = 0; k < s->segments; k++) {
    memcpy(before, product, (size_t)(n * n) * sizeof *before);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int l = 0; l < n; l++) sum += s->segment[k].slope[i * n + l] * before[l * n + j];
        product[i * n + j] = sum;
      }
  }
  if (ritti_eigen(n, product, arena, re, im, x, y) != RITT_OK)
    return ritti_fail(error, RITT_IMPOSSIBLE, NULL, "use more segments",
                      "the multipliers of the orbit were not found");

  /* the largest first */
  for (int i = 0; i < n; i++)
    for (int j = n - 1; j > i; j--) {
      if (hypot(re[j], im[j]) <= hypot(re[j - 1], im[j - 1]) * (1 + 1e-12)) continue;
      double r = re[j], m = im[j];
      re[j] = re[j - 1];
      im[j] = im[j - 1];
      re[j - 1] = r;
      im[j - 1] = m;
    }
  out->monodromy = product;
  out->multiplier_real = re;
  out->multiplier_imaginary = im;

  /* the multiplier of the motion along the orbit does not count */
  int along = -1;
  for (int i = 0; i < n && !s->how.fixed_period; i++)
    if (along < 0 || hypot(re[i] - 1, im[i]) < hypot(re[along] - 1, im[along])) along = i;
  out->stable = 1;
  for (int i = 0; i < n; i++) {
    double beyond = hypot(re[i], im[i]) - 1;
    if (i == along || beyond < -MARGIN) continue;
    if (beyond > MARGIN) out->stable = -1;
    else if (out->stable == 1) out->stable = 0;
  }
  return RITT_OK;
}

/* At an equilibrium the ends of segments meet, too, whatever the period. */
static bool is_at_rest(const shooter *s) {
  double moved = 0, largest = 0;
  for (int i = 0; i < s->segments; i++)
    for (int a = 0; a < s->states; a++) {
      moved = fmax(moved, fabs(s->segment[i].speed[a]) * s->period);
      largest = fmax(largest, fabs(s->segment[i].value[a]));
    }
  return moved < 1e-6 * (1 + largest);
}

/* Does the independent variable occur in the equations? */
static bool is_driven(const shooter *s) {
  const ritti_model *model = s->model->model;
  for (int i = 0; i < model->equations; i++)
    if (ritti_depends_on(model->dag, model->equation[i].residual, ritti_independent(model->dag)))
      return true;
  return false;
}

static ritt_status find_orbit(shooter *s, ritt_error *error, ritt_orbit **out) {
  double limit = 1e3 * s->run.tolerance;
  owned_orbit *owned;
  step taken = {.change = INFINITY};
  RITT_TRY(begin_shooting(s, error));
  size_t size = (size_t)(s->states * s->segments) + 1;
  RITT_TRY(ritt_model_start_relax(s->model, error));
  RITTI_NEW(owned, s->arena, 1);
  long iteration = 0;
  while (iteration < s->how.max_iterations && !(taken.change < limit && taken.residual < limit)) {
    iteration++;
    ritti_arena *scratch = ritti_arena_new();
    ritt_status status = scratch ? RITT_OK : RITT_NO_MEMORY;
    if (status == RITT_OK) status = run_or_halve(s, &taken, error);
    if (status == RITT_OK && !taken.by) {
      taken.value = ritti_arena_alloc(s->arena, size, sizeof *taken.value);
      taken.by = ritti_arena_alloc(s->arena, size, sizeof *taken.by);
      if (!taken.value || !taken.by) status = RITT_NO_MEMORY;
    }
    if (status == RITT_OK) status = take_step(s, scratch, error, &taken);
    ritti_arena_free(scratch);
    RITT_TRY(status);
    if (!(s->period > 0) || !isfinite(taken.change)) break;
  }
  if (!(taken.change < limit && taken.residual < limit))
    return ritti_fail(error, RITT_IMPOSSIBLE, NULL,
                      "start nearer to it, give a better period, or use more segments",
                      "no periodic orbit was found: after %ld iterations the ends of the segments "
                      "differ by %.3g",
                      iteration, taken.residual);
  if (is_at_rest(s) && !(s->how.fixed_period && is_driven(s)))
    return ritti_fail(error, RITT_IMPOSSIBLE, NULL,
                      "start nearer to an orbit, or hold one of its start values",
                      "the search for a periodic orbit ended at an equilibrium");

  /* the result; the model starts on the orbit from now on */
  const char **name;
  RITTI_NEW(name, s->arena, s->states + 1);
  for (int i = 0; i < s->states; i++) name[i] = s->segment[0].chart[i].name;
  owned->arena = s->arena;
  owned->shown = (ritt_orbit){.states = (size_t)s->states,
                              .state_names = name,
                              .start = s->segment[0].value,
                              .period = s->period,
                              .residual = taken.residual,
                              .iterations = iteration};
  RITT_TRY(find_multipliers(s, s->arena, error, &owned->shown));
  RITT_TRY(ritt_model_sensitivity(s->model, NULL, 0, error));
  RITT_TRY(set_start(s, 0, error));
  *out = &owned->shown;
  return RITT_OK;
}

ritt_status ritt_model_orbit(ritt_model *M, double period, const ritt_orbit_options *how,
                             const ritt_options *run, ritt_error *error, ritt_orbit **out) {
  RITT_TRY(ritti_model_require_idle(M, error));
  RITT_TRY(ritti_require(out, "place for the result", error));
  *out = NULL;
  shooter s = {.model = M,
               .how = how ? *how : ritt_orbit_options_default(),
               .run = run ? *run : ritt_options_default(),
               .period = period};
  if (!(period > 0) || !isfinite(period) || s.how.segments < 1)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL,
                      "the period and the number of segments must be positive");
  if (s.how.segments > 10000 || s.how.max_iterations < 1)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL,
                      "an orbit has at most 10000 segments and needs at least one iteration");
  if (s.run.tolerance == 0) s.run.tolerance = 1e-11;
  s.arena = ritti_arena_new();
  ritt_status status = s.arena ? find_orbit(&s, error, out) : RITT_NO_MEMORY;
  if (status != RITT_OK) ritti_arena_free(s.arena);
  return status == RITT_NO_MEMORY ? ritti_no_memory(error) : status;
}
