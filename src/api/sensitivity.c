/* Derivatives of the solution by parameters and start values. The steps of the run take them along
 * (step/tangent.h); if that is not possible, or if they are to be controlled in error, the model is
 * completed and run with them as further unknowns (derive/tangent.h). */
#include "derive/tangent.h"
#include "pipeline.h"

static void free_names(ritt_model *M) {
  for (size_t i = 0; i < M->tangents.count; i++) ritti_free(M->tangents.at[i]);
  M->tangents.count = 0;
}

static ritt_status add_name(ritt_model *M, const char *name) {
  size_t length = strlen(name) + 1;
  char *copy = ritti_malloc(length);
  if (!copy) return RITT_NO_MEMORY;
  memcpy(copy, name, length);
  if (RITTI_PUSH(M->tangents, copy) == RITT_OK) return RITT_OK;
  ritti_free(copy);
  return RITT_NO_MEMORY;
}

/* Refuses a name that is neither a parameter nor a start value. */
static ritt_status check_name(const ritt_model *M, const char *name, ritt_error *error) {
  ritt_meaning meaning = ritt_model_meaning(M, name);
  if (meaning == RITT_PARAMETER || meaning == RITT_VARIABLE) return RITT_OK;
  if (meaning == RITT_WHOLE_ARRAY)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "name its elements one by one",
                      "'%s' is an array", name);
  const char *near = ritt_model_nearest(M, name);
  char hint[128];
  ritti_format(hint, sizeof hint, "did you mean '%.80s'?", near ? near : "");
  return ritti_fail(error, RITT_WRONG_CALL, NULL,
                    near ? hint : "name a parameter, or a variable with a start value",
                    "'%.60s' is neither a parameter nor a variable", name);
}

ritt_status ritt_model_sensitivity(ritt_model *M, const char *const *names, size_t count,
                                   ritt_error *error) {
  RITT_TRY(ritti_model_require_idle(M, error));
  if (count > 0) RITT_TRY(ritti_require(names, "list of names", error));
  ritti_model_forget(M);
  for (size_t i = 0; i < count; i++) {
    RITT_TRY(check_name(M, names[i], error));
    for (size_t j = 0; j < i; j++)
      if (!strcmp(names[i], names[j]))
        return ritti_fail(error, RITT_WRONG_CALL, NULL, "name it once",
                          "derivatives by '%s' are requested twice", names[i]);
  }
  free_names(M);
  M->unknowns = false;
  for (size_t i = 0; i < count; i++)
    if (add_name(M, names[i]) != RITT_OK) return ritti_no_memory(error);
  return RITT_OK;
}

size_t ritti_tangents_count(const ritt_model *M) {
  if (M->tangents.count > 0) return M->tangents.count;
  return M->bare ? 0 : (size_t)M->model->sensitivities;
}

static const char *get_name(const ritt_model *M, size_t i) {
  return M->tangents.count > 0 ? M->tangents.at[i] : M->model->sensitivity[i];
}

/* ---- parameters that are defined by others ---- */

int ritti_find_parameter(const ritti_model *model, const char *name) {
  for (int i = 0; i < model->parameters; i++)
    if (!strcmp(model->parameter[i].name, name)) return i;
  return -1;
}

/* Reads the model with another value of a parameter, and gets the values of all. */
static ritt_status read_parameters(ritt_model *M, const char *name, double value, double *out) {
  RITTI_ARRAY(ritti_override) set = {0};
  char digits[32];
  ritti_model *model = NULL;
  ritti_files files = ritti_model_files(M);
  uint64_t sum = M->files;
  ritt_status status = RITT_OK;
  for (size_t i = 0; i < M->set.count && status == RITT_OK; i++)
    if (strcmp(M->set.at[i].name, name)) status = RITTI_PUSH(set, M->set.at[i]);
  if (status == RITT_OK)
    status = RITTI_PUSH(set, (ritti_override){name, ritti_shortest(value, digits)});
  if (status == RITT_OK)
    status = ritti_model_read_with(M->text, M->length, M->name,
                                   M->path || M->folders.count ? &files : NULL, set.at, set.count,
                                   NULL, &model);
  M->files = sum;
  RITTI_ARRAY_FREE(set);
  if (status == RITT_OK && model->parameters != M->model->parameters) status = RITT_WRONG_MODEL;
  for (int i = 0; status == RITT_OK && i < model->parameters; i++)
    out[i] = model->parameter[i].number;
  ritti_model_free(model);
  return status;
}

/* Central differences with steps h, h/2, ... are extrapolated to h = 0. A parameter that does not depend
 * on it has differences that are exactly 0. */
ritt_status ritti_find_rates(ritt_model *M, int p, ritti_arena *arena, ritt_error *error,
                             double *rate) {
  enum { LEVELS = 6 };
  const ritti_model *model = M->model;
  const char *name = model->parameter[p].name;
  double value = model->parameter[p].number, h = 0x1p-5 * fabs(value), *before, *after, *table;
  size_t n = (size_t)model->parameters;
  if (h == 0) h = 0x1p-5;
  RITTI_NEW_ARRAYS(arena, n, before, after);
  RITTI_NEW(table, arena, LEVELS * n);
  for (int level = 0; level < LEVELS; level++, h /= 2) {
    ritt_status status = read_parameters(M, name, value - h, before);
    if (status == RITT_OK) status = read_parameters(M, name, value + h, after);
    if (status == RITT_NO_MEMORY) return status;
    if (status != RITT_OK)
      return ritti_fail(error, RITT_IMPOSSIBLE, NULL, "name other parameters",
                        "the model cannot have other values of %s near %.6g", name, value);
    bool alone = level == 0;
    for (size_t i = 0; i < n; i++) alone = alone && (i == (size_t)p || after[i] == before[i]);
    if (alone) break; /* no other parameter depends on it */
    for (size_t i = 0; i < n; i++) {
      double here = (after[i] - before[i]) / ((value + h) - (value - h)), factor = 4;
      for (int k = level; k >= 0; k--) { /* the newest row of the table, in place */
        double older = table[(size_t)(level - k) * n + i];
        table[(size_t)(level - k) * n + i] = here;
        here += (here - older) / (factor - 1);
        factor *= 4;
      }
    }
  }
  for (size_t i = 0; i < n; i++) rate[i] = table[(LEVELS - 1) * n + i];
  rate[p] = 1;
  return RITT_OK;
}

/* ---- the model with tangents ---- */

void ritti_tangents_take_out(ritt_model *M) {
  if (!M->plain) return;
  *M->model = *M->plain;
  ritti_free(M->plain);
  M->plain = NULL;
}

static ritt_status refuse_model(const ritt_model *M, ritt_error *error) {
  const char *what = NULL;
  if (M->model->strong_potential != RITTI_NIL) what = "a strong potential ('stiff')";
  if (M->model->branch.asked || M->branch) what = "constraints that are put on a branch";
  if (M->model->steady) what = "'start steady'";
  if (!what) return RITT_OK;
  return ritti_fail(error, RITT_IMPOSSIBLE, NULL, "run it without them",
                    "derivatives of the solution are not available for models with %s", what);
}

/* Finds the variable and order of a fixed start value that is named. */
static bool find_start(const ritti_model *model, ritti_arena *arena, const char *name,
                       ritti_tangent_by *by) {
  for (int i = 0; i < model->starts; i++) {
    const ritti_start_def *start = &model->start[i];
    const char *jet = ritti_jet_name(arena, model->variable[start->variable].name, start->order);
    if (!start->fixed || !jet || strcmp(jet, name)) continue;
    by->variable = start->variable;
    by->order = start->order;
    return true;
  }
  return false;
}

/* Adds columns for the derivatives of the outputs. The rows of a run get their values from the steps,
 * not from these expressions. */
static ritt_status add_columns(ritt_model *M) {
  ritti_model *model = M->model;
  ritti_output_def *output;
  RITT_TRY(ritti_list_all_outputs(model, M->arena));
  int count = model->outputs, at = count;
  RITTI_NEW(output, M->arena, count * (1 + model->by_count) + 1);
  memcpy(output, model->output, (size_t)count * sizeof *output);
  for (int p = 0; p < model->by_count; p++)
    for (int i = 0; i < count; i++) {
      const char *name =
          ritti_arena_format(M->arena, "d(%s)/d(%s)", output[i].name, model->by[p].name);
      if (!name) return RITT_NO_MEMORY;
      output[at++] = (ritti_output_def){
          .name = name, .expr = ritti_number(model->dag, 0, 1), .place = output[i].place};
    }
  model->output = output;
  model->outputs = at;
  M->slopes = (size_t)count;
  return RITT_OK;
}

ritt_status ritti_tangents_put_in(ritt_model *M, ritt_error *error) {
  ritti_tangent_by *by;
  size_t count = ritti_tangents_count(M);
  if (count == 0) return RITT_OK;
  RITT_TRY(refuse_model(M, error));
  RITTI_NEW(by, M->arena, count);
  for (size_t i = 0; i < count; i++) {
    int p = ritti_find_parameter(M->model, get_name(M, i));
    by[i] = (ritti_tangent_by){.name = get_name(M, i), .variable = -1};
    RITTI_NEW(by[i].rate, M->arena, M->model->parameters + 1);
    if (p >= 0) RITT_TRY(ritti_find_rates(M, p, M->arena, error, by[i].rate));
    else if (!find_start(M->model, M->arena, by[i].name, &by[i]))
      return ritti_fail(error, RITT_WRONG_CALL, NULL, "give it a start value with '='",
                        "the start does not fix %s: there is no derivative by its start value",
                        by[i].name);
  }
  M->plain = ritti_malloc(sizeof *M->plain);
  if (!M->plain) return RITT_NO_MEMORY;
  *M->plain = *M->model;

  bool jumps;
  RITT_TRY(ritti_has_jumps(M->model, M->arena, &jumps));
  M->slopes = 0;
  if (jumps || M->unknowns) return ritti_add_tangents(M->model, by, (int)count, M->arena, error);
  M->model->by = by;
  M->model->by_count = (int)count;
  return add_columns(M);
}

void ritti_tangents_make_unknowns(ritt_model *M) {
  if (ritti_tangents_count(M) == 0 || M->unknowns) return;
  ritti_model_forget(M);
  if (M->tangents.count > 0) M->unknowns = true;
  else M->bare = true;
}

ritt_status ritti_tangents_complete(const ritt_model *M, ritti_arena *arena, ritt_error *error,
                                    ritti_prepared *out) {
  ritti_model *model;
  ritti_expr *output;
  ritt_check check;
  *out = ritti_prepared_of(M);
  RITTI_NEW(model, arena, 1);
  *model = *M->plain;
  model->put_in = NULL;
  RITT_TRY(ritti_add_tangents(model, M->model->by, M->model->by_count, arena, error));
  RITT_TRY(ritti_complete(model, arena, error, &check, &out->reduced));
  model = out->model = out->reduced->model;

  size_t table = (size_t)model->outputs;
  out->outputs = table + (size_t)model->plot_columns;
  RITTI_NEW(output, arena, out->outputs + 1);
  for (size_t i = 0; i < out->outputs; i++)
    output[i] = i < table ? model->output[i].expr : model->plot_column[i - table].expr;
  RITT_TRY(ritti_express(out->reduced, output, table));
  out->output = output;
  return ritti_problem_make_for(ritti_model_wants(model), out->reduced, output, out->outputs, arena,
                                error, &out->problem);
}

/* Has the completion put in the value of a parameter that changes with one of the quantities? */
static bool is_lost(const ritti_model *model) {
  for (int i = 0; i < model->by_count; i++)
    for (int p = 0; p < model->parameters; p++)
      if (model->put_in[p] && model->by[i].rate[p] != 0) return true;
  return false;
}

bool ritti_tangents_fit(const ritt_model *M, const ritt_options *options) {
  enum { MOST = 2000 }; /* coordinates: the start is differentiated with a dense matrix */
  const ritti_problem *p = M->problem;
  const ritti_prepared prepared = ritti_prepared_of(M);
  ritti_run_settings settings;
  bool quad;
  if (ritti_precision(M->model, options, NULL, &quad) != RITT_OK || quad) return false;
  if (options && options->kind && !strcmp(options->kind, ritt_kind_text(RITT_GENERAL)))
    return false;
  if (p->kind == RITT_GENERAL || p->m > MOST || p->surfaces > 0) return false;
  if (p->kind != RITT_EXPLICIT && p->A.rows < p->tops) return false;
  if (is_lost(M->model)) return false;

  ritti_arena *arena = ritti_arena_new();
  if (!arena) return false;
  bool made = ritti_settings_make(&prepared, options, arena, NULL, &settings) == RITT_OK;
  const ritti_solve_options *o = &settings.solve;
  bool fits = made && !settings.controls_tangents && o->tableau->family == RITTI_EXPLICIT &&
              !o->doubled && !o->by_arc && (!o->project_stages || p->k == 0) &&
              o->direction == RITTI_DIRECT_AUTO;
  ritti_arena_free(arena);
  return fits || !made; /* wrong settings are reported by the run */
}
