/* Start values set by the caller, over those of the model's start section; and the start point as a section
 * to keep.
 *
 * The values are kept by name: another parameter value reads the text again, and they are put in again after
 * that.
 */
#include <stdio.h>
#include <stdlib.h>
#include "pipeline.h"

/* ---- names ------------------------------------------------------------------------------------------- */

static int find_variable(const ritti_model *model, const char *name, size_t length) {
  for (int j = 0; j < model->variables; j++)
    if (strlen(model->variable[j].name) == length && !memcmp(model->variable[j].name, name, length)) return j;
  return -1;
}

/* x, x', x'', der(x, 4); false: no such jet. */
static bool find_jet(const ritti_model *model, const char *name, int *variable, int *order) {
  size_t length = strcspn(name, "'");
  if (!strncmp(name, "der(", 4)) {
    char *end;
    const char *at = strrchr(name, ','); /* an index may have commas too */
    if (!at) return false;
    *variable = find_variable(model, name + 4, (size_t)(at - name - 4));
    while (*at == ' ' || *at == ',') at++;
    long k = strtol(at, &end, 10);
    *order = (int)k;
    return *variable >= 0 && end != at && k >= 0 && k <= 100 && !strcmp(end, ")");
  }
  *variable = find_variable(model, name, length);
  *order = (int)strspn(name + length, "'");
  return *variable >= 0 && !name[length + (size_t)*order] && *order <= 100;
}

static ritt_status unknown(const ritti_model *model, const char *name, ritt_error *error) {
  if (!strcmp(name, model->independent))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "use ritt_model_start_at",
                      "'%s' is the independent variable: it has no start value of this kind", name);
  const char **known = ritti_malloc(((size_t)model->variables + 1) * sizeof *known);
  if (!known) return ritti_no_memory(error);
  for (int j = 0; j < model->variables; j++) known[j] = model->variable[j].name;
  const char *near = ritti_nearest(name, known, (size_t)model->variables);
  char hint[128];
  snprintf(hint, sizeof hint, "did you mean '%.80s'?", near ? near : "");
  ritti_free(known);
  return ritti_fail(error, RITT_WRONG_CALL, NULL, near ? hint : "start values belong to x, x', x'' and so on",
                    "'%.60s' is neither a variable nor a derivative of one", name);
}

/* ---- values ------------------------------------------------------------------------------------------ */

static ritt_status put_value(ritti_model *model, const ritti_start_set *set) {
  int variable, order, at = 0;
  char number[32];
  if (!find_jet(model, set->name, &variable, &order)) return RITT_OK;
  while (at < model->starts && (model->start[at].variable != variable || model->start[at].order != order))
    at++;
  const char *text = ritti_arena_format(model->arena, "%s %c %s", set->name, set->fixed ? '=' : '~',
                                        ritti_shortest(set->value, number));
  if (!text) return RITT_NO_MEMORY;
  if (at == model->starts) model->starts++;
  /* a double is a number typed with all its digits */
  model->start[at] = (ritti_start_def){.variable = variable,
                                       .order = order,
                                       .fixed = set->fixed,
                                       .number = set->value,
                                       .half_unit = fabs(set->value) * RITTI_EPS / 2,
                                       .text = text};
  return RITT_OK;
}

/* A kept value as a guess: "x = 1" becomes "x ~ 1". */
static ritt_status relax(ritti_model *model, ritti_start_def *def) {
  char *text = def->fixed ? ritti_arena_text(model->arena, def->text, strlen(def->text)) : NULL;
  if (def->fixed && !text) return RITT_NO_MEMORY;
  if (text && strchr(text, '=')) *strchr(text, '=') = '~', def->text = text;
  def->fixed = false;
  def->stale = true;
  return RITT_OK;
}

ritt_status ritti_start_values_apply(ritt_model *M) {
  ritti_model *model = M->model;
  ritti_start_def *start;
  RITTI_NEW(start, model->arena, (size_t)model->starts + M->starts.count + 1);
  if (model->starts) memcpy(start, model->start, (size_t)model->starts * sizeof *start);
  model->start = start;
  for (int i = 0; M->start_relaxed && i < model->starts; i++) RITT_TRY(relax(model, &model->start[i]));
  for (size_t i = 0; i < M->starts.count; i++) RITT_TRY(put_value(model, &M->starts.at[i]));
  if (M->start_moved) model->start_x = M->start_x;
  return RITT_OK;
}

static ritt_status apply(ritt_model *M, ritt_error *error) {
  ritti_model_forget(M);
  return ritti_start_values_apply(M) == RITT_OK ? RITT_OK : ritti_no_memory(error);
}

ritt_status ritt_model_start_value(ritt_model *M, const char *name, double value, int fixed,
                                   ritt_error *error) {
  int variable, order;
  if (!find_jet(M->model, name, &variable, &order)) return unknown(M->model, name, error);
  if (!isfinite(value))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL, "the start value of '%.60s' is not finite", name);
  char *copy = ritti_malloc(strlen(name) + 1);
  if (!copy) return ritti_no_memory(error);
  memcpy(copy, name, strlen(name) + 1);
  if (RITTI_PUSH(M->starts, (ritti_start_set){.name = copy, .value = value, .fixed = fixed}) != RITT_OK) {
    ritti_free(copy);
    return ritti_no_memory(error);
  }
  return apply(M, error);
}

ritt_status ritt_model_start_at(ritt_model *M, double x, ritt_error *error) {
  if (!isfinite(x))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL, "the start value of '%s' is not finite",
                      M->model->independent);
  M->start_moved = true;
  M->start_x = x;
  return apply(M, error);
}

ritt_status ritt_model_start_relax(ritt_model *M, ritt_error *error) {
  M->start_relaxed = true;
  return apply(M, error);
}

const char *ritt_model_independent(const ritt_model *M) { return M->model->independent; }

/* ---- the start point as a section -------------------------------------------------------------------- */

static ritt_status add_value(const ritt_model *M, ritti_expr jet, char relation, double value,
                             ritti_text *out) {
  const ritti_model *model = M->model;
  const char *name = ritti_jet_name(M->arena, model->variable[ritti_index_of(model->dag, jet)].name,
                                    ritti_order_of(model->dag, jet));
  if (!name) return RITT_NO_MEMORY;
  ritti_text_add(out, "  %s %c %.17g\n", name, relation, value);
  return RITT_OK;
}

static ritt_status print_start(const ritt_model *M, ritti_text *out) {
  const ritti_reduced *R = M->reduced;
  ritti_text_add(out, "start %s = %.17g\n", M->model->independent, R->z[0]);
  for (int i = 1; i < R->m; i++) RITT_TRY(add_value(M, R->coordinate[i], '=', R->z[i], out));
  for (int i = 0; i < R->tops; i++)
    if (ritti_order_of(M->model->dag, R->top[i]) == 0)
      RITT_TRY(add_value(M, R->top[i], '~', R->top_value[i], out));
  return out->status;
}

ritt_status ritt_model_start_text(ritt_model *M, ritt_error *error, const char **out) {
  *out = NULL;
  RITT_TRY(ritti_pipeline_prepare(M, error));
  if (!M->start_text) {
    ritti_text text = {0};
    if (print_start(M, &text) != RITT_OK) {
      ritti_text_free(&text);
      return ritti_no_memory(error);
    }
    M->start_text = text.at;
  }
  *out = M->start_text;
  return RITT_OK;
}
