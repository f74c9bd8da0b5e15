/* `ritt gradient`: derivatives of the end of a run, or of its distance to data, by many parameters. */
#include <math.h>
#include <stdlib.h>
#include "cli.h"

typedef struct job {
  const cli_options *options;
  ritti_arena *arena;
  ritt_model *model;
  ritti_result measured;
  cli_names by, of;
  ritt_adjoint *adjoint;
  /* what is differentiated: names, values, and gradients one after another */
  size_t count;
  const char **name;
  double *value, *gradient;
} job;

static size_t find_column(const ritt_adjoint *a, const char *name) {
  size_t c = 0;
  while (c < a->columns && strcmp(a->column_names[c], name)) c++;
  return c;
}

static ritt_status refuse_column(const ritt_adjoint *a, const char *name, ritt_error *error) {
  ritti_text list = {0};
  for (size_t i = 0; i < a->columns && i < 12; i++)
    ritti_text_add(&list, "%s%s", i ? ", " : "the columns of the model are ", a->column_names[i]);
  ritt_status status =
      ritti_fail(error, RITT_WRONG_CALL, NULL, list.at, "the model has no column '%.60s'", name);
  ritti_text_free(&list);
  return status;
}

/* ---- the end ---- */

/* Differentiates the columns at the end one by one. */
static ritt_status differentiate_end(job *j, ritt_error *error) {
  const char *const *names = (const char *const *)j->by.at;
  RITT_TRY(ritt_model_adjoint(j->model, names, j->by.count, NULL, 0, &j->options->run, error,
                              &j->adjoint));
  const ritt_adjoint *a = j->adjoint;
  double *weight;
  j->count = j->of.count ? j->of.count : a->columns;
  RITTI_NEW(j->name, j->arena, j->count + 1);
  RITTI_NEW(j->value, j->arena, j->count + 1);
  RITTI_NEW(j->gradient, j->arena, j->count * a->quantities + 1);
  RITTI_NEW(weight, j->arena, a->columns + 1);
  for (size_t i = 0; i < j->count; i++) {
    size_t c = j->of.count ? find_column(a, j->of.at[i]) : i;
    if (c == a->columns) return refuse_column(a, j->of.at[i], error);
    j->name[i] = a->column_names[c];
    j->value[i] = a->values[c];
    weight[c] = 1;
    RITT_TRY(ritt_adjoint_gradient(j->adjoint, weight, j->gradient + i * a->quantities, error));
    weight[c] = 0;
  }
  return RITT_OK;
}

/* ---- data ---- */

static int compare_reals(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Lists the places of the data, each once, in the order of the run. */
static ritt_status list_places(job *j, const double *at, double **out, size_t *count,
                               ritt_error *error) {
  double *place;
  RITTI_NEW(place, j->arena, j->measured.rows + 1);
  for (size_t i = 0; i < j->measured.rows; i++) {
    place[i] = at[i];
    if (!isfinite(at[i]))
      return ritti_fail(error, RITT_WRONG_CALL, NULL, "leave this row out",
                        "row %zu of the data has no finite value of '%s'", i + 1,
                        ritt_model_independent(j->model));
  }
  qsort(place, j->measured.rows, sizeof *place, compare_reals);
  for (size_t i = 0; i < j->measured.rows; i++)
    if (*count == 0 || place[i] > place[*count - 1]) place[(*count)++] = place[i];
  *out = place;
  return RITT_OK;
}

/* Differentiates half the sum of the squares of data minus solution. */
static ritt_status differentiate_distance(job *j, ritt_error *error) {
  const char *const *names = (const char *const *)j->by.at;
  const ritti_about *about;
  double *place = NULL, *weight;
  size_t places = 0, first;
  if (j->of.count)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "leave one of them out",
                      "--of names values at the end, --data asks for the distance to data");
  RITT_TRY(ritti_result_read(j->options->data, error, &j->measured));
  about = j->measured.about;
  RITT_TRY(
      ritti_about_find(about, j->options->data, ritt_model_independent(j->model), error, &first));
  RITT_TRY(list_places(j, j->measured.column[first], &place, &places, error));
  RITT_TRY(ritt_model_adjoint(j->model, names, j->by.count, place, places, &j->options->run, error,
                              &j->adjoint));

  const ritt_adjoint *a = j->adjoint;
  RITTI_NEW(j->name, j->arena, 1);
  RITTI_NEW(j->value, j->arena, 1);
  RITTI_NEW(j->gradient, j->arena, a->quantities + 1);
  RITTI_NEW(weight, j->arena, a->rows * a->columns + 1);
  j->name[0] = "distance";
  j->count = 1;
  for (size_t k = 0; k < about->columns; k++) {
    if (k == first) continue;
    size_t c = find_column(a, about->name[k]);
    if (c == a->columns) return refuse_column(a, about->name[k], error);
    for (size_t i = 0; i < j->measured.rows; i++) {
      double data = j->measured.column[k][i];
      if (!isfinite(data)) continue; /* a gap */
      const double *found = bsearch(&j->measured.column[first][i], a->places, a->rows,
                                    sizeof *a->places, compare_reals);
      size_t at = (size_t)(found - a->places) * a->columns + c;
      double residual = a->values[at] - data;
      j->value[0] += residual * residual / 2;
      weight[at] += residual;
    }
  }
  return ritt_adjoint_gradient(j->adjoint, weight, j->gradient, error);
}

/* ---- the report ---- */

static void add_text(const job *j, ritti_text *out) {
  const ritt_adjoint *a = j->adjoint;
  double end = a->rows ? a->places[a->rows - 1] : 0;
  for (size_t i = 0; i < j->count; i++) {
    if (j->options->data)
      ritti_text_add(out, "half the sum of the squares of data minus solution: %.12g\n",
                     j->value[i]);
    else
      ritti_text_add(out, "%s = %.12g at %s = %.12g\n", j->name[i], j->value[i],
                     ritt_model_independent(j->model), end);
    for (size_t p = 0; p < a->quantities; p++)
      ritti_text_add(out, "  d/d(%s) = %.12g\n", j->by.at[p], j->gradient[i * a->quantities + p]);
  }
}

static void add_json(const job *j, ritti_text *out) {
  const ritt_adjoint *a = j->adjoint;
  cli_json_text(out, "model", ritt_model_name(j->model));
  cli_json_list(out, "of", j->name, j->count);
  cli_json_vector(out, "values", j->value, j->count);
  cli_json_list(out, "by", (const char *const *)j->by.at, j->by.count);
  cli_json_matrix(out, "gradients", j->gradient, j->count, a->quantities);
  cli_json_count(out, "steps", a->steps);
}

static ritt_status find_gradient(job *j, ritt_error *error) {
  const cli_options *o = j->options;
  j->arena = ritti_arena_new();
  if (!j->arena) return ritti_no_memory(error);
  RITT_TRY(cli_list_names(&o->by, &j->by, error));
  RITT_TRY(cli_list_names(&o->of, &j->of, error));
  if (j->by.count == 0)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "write --by g,L",
                      "'ritt gradient' needs names of parameters or start values");
  RITT_TRY(cli_read_model(o, error, &j->model));
  return o->data ? differentiate_distance(j, error) : differentiate_end(j, error);
}

int cli_gradient(const cli_options *options, ritt_error *error) {
  job j = {.options = options};
  ritti_text out = {0};
  int printed = 0;
  ritt_status status = find_gradient(&j, error);
  cli_print_messages(error, status);
  if (status == RITT_OK && options->json) {
    add_json(&j, &out);
    printed = cli_print_json(&out);
  } else if (status == RITT_OK) {
    add_text(&j, &out);
    printed = cli_print(&out);
  }
  ritt_adjoint_free(j.adjoint);
  ritt_model_free(j.model);
  ritti_result_free(&j.measured);
  cli_free_names(&j.by);
  cli_free_names(&j.of);
  ritti_arena_free(j.arena);
  return printed ? printed : ritt_status_exit_code(status);
}
