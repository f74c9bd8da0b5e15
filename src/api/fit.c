/* Fits: parameters and start values for which the solution of a model is nearest to data. Residuals
 * and their exact derivatives come from runs with sensitivities; the search is that of
 * derive/least_squares.h. */
#include <stdlib.h>
#include "derive/least_squares.h"
#include "pipeline.h"

typedef struct owned_fit {
  ritt_fit shown; /* first: the caller has its address */
  ritti_arena *arena;
} owned_fit;

void ritt_fit_free(ritt_fit *fit) {
  if (fit) ritti_arena_free(((owned_fit *)fit)->arena);
}

ritt_fit_options ritt_fit_options_default(void) {
  return (ritt_fit_options){
      .loss = "linear", .scale = 1, .starts = 1, .confidence = 0.95, .max_iterations = 100};
}

typedef struct fitter {
  ritt_model *model;
  const ritt_fit_data *data;
  const ritt_fit_unknown *unknown;
  size_t unknowns;
  ritt_fit_options how;
  ritt_options run;
  ritti_arena *arena;
  bool *is_parameter;            /* unknowns */
  size_t independent;            /* the column of the data with the independent variable */
  double *time;                  /* the places of the data, ascending, each once */
  size_t times, *time_of;        /* of each row of the data: its place */
  size_t present;                /* values that are not gaps */
  const char **slope_name;       /* columns x unknowns: names of the columns of derivatives */
  size_t *column, *slope_column; /* columns; columns x unknowns: places in a row of the run */
  double *table;                 /* times x columns x (1 + unknowns): model and derivatives */
  size_t next;                   /* the place of the next row of the run */
  ritt_error *trouble;           /* why the last run failed */
} fitter;

/* ---- the data ---- */

static int compare_times(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Lists the places of the data in ascending order. */
static ritt_status sort_times(fitter *f, ritt_error *error) {
  const ritt_fit_data *d = f->data;
  RITTI_NEW_ARRAYS(f->arena, d->rows + 1, f->time, f->time_of);
  for (size_t i = 0; i < d->rows; i++) {
    f->time[i] = d->values[i * d->columns + f->independent];
    if (!isfinite(f->time[i]))
      return ritti_fail(error, RITT_WRONG_CALL, NULL, "leave this row out",
                        "row %zu of the data has no finite value of '%s'", i + 1,
                        d->names[f->independent]);
  }
  qsort(f->time, d->rows, sizeof *f->time, compare_times);
  for (size_t i = 0; i < d->rows; i++)
    if (i == 0 || f->time[i] > f->time[f->times - 1]) f->time[f->times++] = f->time[i];
  for (size_t i = 0; i < d->rows; i++) {
    const double *found = bsearch(&d->values[i * d->columns + f->independent], f->time, f->times,
                                  sizeof *f->time, compare_times);
    f->time_of[i] = (size_t)(found - f->time);
  }
  return RITT_OK;
}

static ritt_status read_data(fitter *f, ritt_error *error) {
  const ritt_fit_data *d = f->data;
  const char *independent = ritt_model_independent(f->model);
  const char *const *names;
  size_t count, others = 0;
  f->independent = d->columns;
  for (size_t i = 0; i < d->columns; i++)
    if (!strcmp(d->names[i], independent)) f->independent = i;
  if (f->independent == d->columns)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "add it: it says where the data were measured",
                      "the data have no column '%s'", independent);

  /* every other column is an output of the model */
  RITT_TRY(ritt_model_columns(f->model, error, &names, &count));
  for (size_t i = 0; i < d->columns; i++) {
    bool known = i == f->independent;
    for (size_t k = 0; k < count; k++) known = known || !strcmp(names[k], d->names[i]);
    others += i != f->independent;
    if (known) continue;
    ritti_text list = {0};
    for (size_t k = 0; k < count && k < 12; k++)
      ritti_text_add(&list, "%s%s", k ? ", " : "the columns of the model are ", names[k]);
    ritt_status status = ritti_fail(error, RITT_WRONG_CALL, NULL, list.at,
                                    "the model has no column '%s'", d->names[i]);
    ritti_text_free(&list);
    return status;
  }
  if (others == 0)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "add a column of the model",
                      "the data have no column besides '%s'", independent);
  for (size_t i = 0; i < d->rows * d->columns; i++)
    if (i % d->columns != f->independent) f->present += isfinite(d->values[i]);
  if (f->present == 0)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL, "the data have no values");
  return sort_times(f, error);
}

/* ---- what varies ---- */

static ritt_status read_unknowns(fitter *f, ritt_error *error) {
  const char **name;
  RITTI_NEW(f->is_parameter, f->arena, f->unknowns + 1);
  RITTI_NEW(name, f->arena, f->unknowns + 1);
  if (f->unknowns == 0)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "name parameters or start values",
                      "nothing varies in this fit");
  for (size_t i = 0; i < f->unknowns; i++) {
    const ritt_fit_unknown *u = &f->unknown[i];
    name[i] = u->name;
    f->is_parameter[i] = ritt_model_meaning(f->model, u->name) == RITT_PARAMETER;
    if (u->low >= u->high)
      return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL,
                        "the lower bound of %s, %.6g, is not below the upper one, %.6g", u->name,
                        u->low, u->high);
    bool bounded = isfinite(u->low) && isfinite(u->high);
    if (f->how.starts > 1 && !bounded)
      return ritti_fail(error, RITT_WRONG_CALL, NULL, "add two bounds for it",
                        "several starts are drawn between bounds, but %s has none", u->name);
  }

  /* names of the derivatives, as ritt_model_sensitivity makes them */
  const ritt_fit_data *d = f->data;
  RITTI_NEW_ARRAYS(f->arena, d->columns * f->unknowns + 1, f->slope_name, f->slope_column);
  RITTI_NEW(f->column, f->arena, d->columns);
  RITTI_NEW(f->table, f->arena, f->times * d->columns * (1 + f->unknowns) + 1);
  for (size_t c = 0; c < d->columns; c++)
    for (size_t i = 0; i < f->unknowns; i++) {
      const char *text = ritti_arena_format(f->arena, "d(%s)/d(%s)", d->names[c], name[i]);
      f->slope_name[c * f->unknowns + i] = text;
      if (!text) return RITT_NO_MEMORY;
    }
  return ritt_model_sensitivity(f->model, name, f->unknowns, error);
}

/* The value of the model at which the search begins. */
static ritt_status find_begin(const fitter *f, size_t i, ritt_error *error, double *out) {
  const ritti_model *model = f->model->model;
  const char *name = f->unknown[i].name;
  *out = f->unknown[i].begin;
  if (!isnan(*out)) return RITT_OK;
  for (int k = 0; k < model->parameters && f->is_parameter[i]; k++)
    if (!strcmp(model->parameter[k].name, name)) *out = model->parameter[k].number;
  for (int k = 0; k < model->starts && !f->is_parameter[i]; k++) {
    const ritti_start_def *start = &model->start[k];
    const char *jet = ritti_jet_name(f->arena, model->variable[start->variable].name, start->order);
    if (jet && !strcmp(jet, name)) *out = start->number;
  }
  if (!isnan(*out)) return RITT_OK;
  return ritti_fail(error, RITT_WRONG_CALL, NULL, "say where its search begins",
                    "the model has no start value of %s", name);
}

/* ---- the model at values of the unknowns ---- */

static ritt_status set_unknowns(fitter *f, const double *x, ritt_error *error) {
  for (size_t i = 0; i < f->unknowns; i++) {
    char digits[32];
    const char *name = f->unknown[i].name;
    if (f->is_parameter[i])
      RITT_TRY(ritt_model_set(f->model, name, ritti_shortest(x[i], digits), error));
    else RITT_TRY(ritt_model_start_value(f->model, name, x[i], 1, error));
  }
  return RITT_OK;
}

/* Finds the columns of the data and of their derivatives in the rows of the run. */
static ritt_status find_columns(fitter *f, ritt_error *error) {
  const char *const *names;
  size_t count;
  RITT_TRY(ritt_model_columns(f->model, error, &names, &count));
  for (size_t k = 0; k < count; k++)
    for (size_t c = 0; c < f->data->columns; c++) {
      if (!strcmp(names[k], f->data->names[c])) f->column[c] = k;
      for (size_t i = 0; i < f->unknowns; i++)
        if (!strcmp(names[k], f->slope_name[c * f->unknowns + i]))
          f->slope_column[c * f->unknowns + i] = k;
    }
  return RITT_OK;
}

static ritt_status take_row(void *user, const double *values, size_t count) {
  fitter *f = user;
  size_t n = f->unknowns;
  (void)count;
  if (f->next >= f->times) return RITT_OK;
  double *to = f->table + f->next++ * f->data->columns * (1 + n);
  for (size_t c = 0; c < f->data->columns; c++, to += 1 + n) {
    to[0] = values[f->column[c]];
    for (size_t i = 0; i < n; i++) to[1 + i] = values[f->slope_column[c * n + i]];
  }
  return RITT_OK;
}

/* Runs the model over the data. RITT_RETRY: the run did not reach their end. */
static ritt_status run_model(fitter *f, const double *x) {
  ritt_solver *solver = NULL;
  ritt_error_clear(f->trouble);
  f->next = 0;
  ritt_status status = set_unknowns(f, x, f->trouble);
  if (status == RITT_OK) status = find_columns(f, f->trouble);
  if (status == RITT_OK) status = ritt_solver_from_model(f->model, &f->run, f->trouble, &solver);
  if (status == RITT_OK) status = ritt_solver_run(solver, take_row, f, f->trouble);
  ritt_solver_free(solver);
  if (status == RITT_NO_MEMORY) return status;
  return status == RITT_OK && f->next == f->times ? RITT_OK : RITT_RETRY;
}

/* Residuals of all values that are not gaps: weight times data minus model. */
static ritt_status evaluate_residuals(void *user, const double *x, double *residual,
                                      double *slope) {
  fitter *f = user;
  const ritt_fit_data *d = f->data;
  size_t n = f->unknowns, at = 0;
  RITT_TRY(run_model(f, x));
  for (size_t row = 0; row < d->rows; row++)
    for (size_t c = 0; c < d->columns; c++) {
      double measured = d->values[row * d->columns + c];
      if (c == f->independent || !isfinite(measured)) continue;
      double weight = f->how.weights ? f->how.weights[c] : 1;
      const double *from = f->table + (f->time_of[row] * d->columns + c) * (1 + n);
      residual[at] = weight * (measured - from[0]);
      for (size_t i = 0; i < n; i++) slope[at * n + i] = -weight * from[1 + i];
      at++;
    }
  return RITT_OK;
}

/* ---- the search ---- */

/* A number between 0 and 1 that depends on its place alone (the mixer of Steele, Lea and Flood's
 * splittable generator). */
static double draw_number(uint64_t seed, uint64_t place) {
  uint64_t z = (seed + 1) * 0x9e3779b97f4a7c15u + place * 0xd1342543de82ef95u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* Draws the starts after the first one between the bounds: for each unknown, its range is cut into as
 * many parts as there are starts, and each part has one (a Latin hypercube). */
static ritt_status draw_starts(const fitter *f, const ritti_least_squares *q, double **out) {
  long count = f->how.starts - 1, *part;
  uint64_t seed = (uint64_t)f->how.seed, place = 0;
  RITTI_NEW(*out, f->arena, (size_t)count * f->unknowns + 1);
  RITTI_NEW(part, f->arena, count + 1);
  for (size_t i = 0; i < f->unknowns; i++) {
    for (long k = 0; k < count; k++) part[k] = k;
    for (long k = count - 1; k > 0; k--) {
      long other = (long)(draw_number(seed, place++) * (double)(k + 1)), here = part[k];
      part[k] = part[other];
      part[other] = here;
    }
    for (long k = 0; k < count; k++) {
      double share = ((double)part[k] + draw_number(seed, place++)) / (double)count;
      (*out)[(size_t)k * f->unknowns + i] = q->low[i] + (q->high[i] - q->low[i]) * share;
    }
  }
  return RITT_OK;
}

/* Searches from all starts and keeps the best result in x. */
static ritt_status search_all(fitter *f, const ritti_least_squares *q, const double *begin,
                              double *x, ritti_least_squares_result *best, ritt_error *error) {
  double *here, *drawn;
  bool found = false;
  RITTI_NEW(here, f->arena, f->unknowns);
  RITT_TRY(draw_starts(f, q, &drawn));
  for (long start = 0; start < f->how.starts; start++) {
    ritti_least_squares_result result;
    for (size_t i = 0; i < f->unknowns; i++)
      here[i] = start == 0 ? fmin(fmax(begin[i], q->low[i]), q->high[i])
                           : drawn[(size_t)(start - 1) * f->unknowns + i];
    ritt_status status = ritti_least_squares_solve(q, f->arena, here, &result);
    if (status == RITT_RETRY) continue;
    RITT_TRY(status);
    if (found && result.cost >= best->cost) continue;
    found = true;
    *best = result;
    memcpy(x, here, f->unknowns * sizeof *x);
  }
  if (found) return RITT_OK;
  const ritt_message *reason =
      ritt_error_count(f->trouble) > 0 ? ritt_error_get(f->trouble, 0) : NULL;
  return ritti_fail(error, RITT_IMPOSSIBLE, NULL, "begin at other values, or narrow the bounds",
                    "the model cannot be run over the data from where the search begins: %.200s",
                    reason ? reason->text : "the run ends before the last of them");
}

/* ---- the result ---- */

/* Covariance, deviations and intervals of the unknowns that are not at a bound. */
static ritt_status find_intervals(fitter *f, const ritti_least_squares *q, const double *x,
                                  const ritti_least_squares_result *r, ritt_fit *out) {
  size_t n = f->unknowns, rows = f->present, count = 0, *at;
  double *slope, *small, *covariance, *deviation, *low, *high, square = 0;
  int *bounded;
  RITTI_NEW_ARRAYS(f->arena, n, at, bounded, deviation, low, high);
  RITTI_NEW_ARRAYS(f->arena, n * n, small, covariance);
  for (size_t i = 0; i < n; i++) {
    bounded[i] = x[i] <= q->low[i] || x[i] >= q->high[i];
    if (!bounded[i]) at[count++] = i;
  }
  RITTI_NEW(slope, f->arena, rows * count + 1);
  for (size_t i = 0; i < rows; i++) {
    square += r->residual[i] * r->residual[i];
    for (size_t j = 0; j < count; j++) slope[i * count + j] = r->slope[i * n + at[j]];
  }
  long degrees = rows > count ? (long)(rows - count) : 1;
  double variance = square / (double)degrees;
  double factor = ritti_student_factor(f->how.confidence, degrees);
  RITT_TRY(ritti_covariance((int)rows, (int)count, slope, variance, f->arena, small));
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < count; j++) covariance[at[i] * n + at[j]] = small[i * count + j];
  for (size_t i = 0; i < n; i++) {
    /* as many unknowns as values: the residuals say nothing about errors of the data */
    deviation[i] = rows > count ? sqrt(covariance[i * n + i]) : INFINITY;
    low[i] = x[i] - factor * deviation[i];
    high[i] = x[i] + factor * deviation[i];
  }
  out->covariance = covariance;
  out->deviations = deviation;
  out->low = low;
  out->high = high;
  out->bounded = bounded;
  out->residual_deviation = sqrt(variance);
  return RITT_OK;
}

/* The residuals in the arrangement of the data. */
static ritt_status arrange_residuals(fitter *f, const double *x, ritt_fit *out) {
  const ritt_fit_data *d = f->data;
  double *residual, *solution, *raw, *slope;
  size_t at = 0;
  RITTI_NEW_ARRAYS(f->arena, d->rows * d->columns, residual, solution);
  RITTI_NEW(raw, f->arena, f->present);
  RITTI_NEW(slope, f->arena, f->present * f->unknowns);
  RITT_TRY(evaluate_residuals(f, x, raw, slope));
  for (size_t i = 0; i < d->rows * d->columns; i++) {
    size_t row = i / d->columns, c = i % d->columns;
    bool gap = c == f->independent || !isfinite(d->values[i]);
    residual[i] = gap ? NAN : raw[at];
    at += !gap;
    solution[i] = f->table[(f->time_of[row] * d->columns + c) * (1 + f->unknowns)];
    if (c == f->independent) solution[i] = d->values[i];
  }
  out->residuals = residual;
  out->solution = solution;
  return RITT_OK;
}

static ritt_status fit_model(fitter *f, ritt_error *error, ritt_fit **out) {
  size_t n = f->unknowns;
  owned_fit *owned;
  double *begin, *low, *high, *x;
  const char **name;
  ritti_least_squares_result result = {0};
  RITT_TRY(read_data(f, error));
  RITT_TRY(read_unknowns(f, error));
  RITTI_NEW_ARRAYS(f->arena, n, begin, low, high, x, name);
  for (size_t i = 0; i < n; i++) {
    RITT_TRY(find_begin(f, i, error, &begin[i]));
    low[i] = isnan(f->unknown[i].low) ? -INFINITY : f->unknown[i].low;
    high[i] = isnan(f->unknown[i].high) ? INFINITY : f->unknown[i].high;
    name[i] = ritti_arena_text(f->arena, f->unknown[i].name, strlen(f->unknown[i].name));
    if (!name[i]) return RITT_NO_MEMORY;
  }
  f->run.at = f->time;
  f->run.at_count = f->times;
  f->run.to = f->time[f->times - 1];

  ritti_least_squares q = {.unknowns = (int)n,
                           .rows = (int)f->present,
                           .low = low,
                           .high = high,
                           .loss = (ritti_loss)ritti_find_loss(f->how.loss),
                           .scale = f->how.scale,
                           .most_iterations = (int)f->how.max_iterations,
                           .evaluate = evaluate_residuals,
                           .user = f};
  RITT_TRY(search_all(f, &q, begin, x, &result, error));

  RITTI_NEW(owned, f->arena, 1);
  owned->arena = f->arena;
  owned->shown = (ritt_fit){.unknowns = n,
                            .names = name,
                            .values = x,
                            .data = f->present,
                            .cost = result.cost,
                            .iterations = result.iterations,
                            .converged = result.converged};
  RITT_TRY(find_intervals(f, &q, x, &result, &owned->shown));
  RITT_TRY(arrange_residuals(f, x, &owned->shown));
  RITT_TRY(ritt_model_sensitivity(f->model, NULL, 0, error));
  *out = &owned->shown;
  return RITT_OK;
}

static ritt_status check_options(const ritt_fit_options *how, ritt_error *error) {
  if (!how->loss || ritti_find_loss(how->loss) < 0)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "linear, soft, huber or cauchy",
                      "there is no loss '%s'", how->loss ? how->loss : "");
  if (!(how->scale > 0) || !isfinite(how->scale))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL, "the scale of a loss must be positive");
  if (!(how->confidence > 0 && how->confidence < 1))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "0.95 is usual",
                      "the confidence must lie between 0 and 1");
  if (how->starts < 1 || how->max_iterations < 1)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL,
                      "a fit needs at least one start and one iteration");
  return RITT_OK;
}

ritt_status ritt_model_fit(ritt_model *M, const ritt_fit_data *data,
                           const ritt_fit_unknown *unknown, size_t unknowns,
                           const ritt_fit_options *how, const ritt_options *run, ritt_error *error,
                           ritt_fit **out) {
  RITT_TRY(ritti_model_require_idle(M, error));
  RITT_TRY(ritti_require(data, "table of data", error));
  RITT_TRY(ritti_require(out, "place for the result", error));
  if (unknowns > 0) RITT_TRY(ritti_require(unknown, "list of what varies", error));
  *out = NULL;
  fitter f = {.model = M,
              .data = data,
              .unknown = unknown,
              .unknowns = unknowns,
              .how = how ? *how : ritt_fit_options_default(),
              .run = run ? *run : ritt_options_default()};
  RITT_TRY(check_options(&f.how, error));
  f.arena = ritti_arena_new();
  f.trouble = ritt_error_new();
  ritt_status status = f.arena && f.trouble ? fit_model(&f, error, out) : RITT_NO_MEMORY;
  ritt_error_free(f.trouble);
  if (status != RITT_OK) ritti_arena_free(f.arena);
  return status == RITT_NO_MEMORY ? ritti_no_memory(error) : status;
}
