/* Start values set by the caller, over those of the model's start section; and the start point as a
 * section to keep.
 *
 * The values are kept by name: a new parameter value reads the text again, and then they are applied
 * again.
 */
#include <stdio.h>
#include <stdlib.h>
#include "pipeline.h"

/* ---- names ---- */

static int find_variable(const ritti_model *model, const char *name, size_t length) {
  for (int j = 0; j < model->variables; j++)
    if (strlen(model->variable[j].name) == length && !memcmp(model->variable[j].name, name, length))
      return j;
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

static bool same_name(const char *a, const char *b) {
  for (;; a++, b++) {
    while (*a == ' ') a++;
    while (*b == ' ') b++;
    if (*a != *b || !*a) return *a == *b;
  }
}

ritt_meaning ritt_model_meaning(const ritt_model *M, const char *name) {
  const ritti_model *model = M->model;
  int variable, order;
  if (!strcmp(name, model->independent)) return RITT_INDEPENDENT;
  if (find_jet(model, name, &variable, &order)) return RITT_VARIABLE;
  for (int i = 0; i < model->parameters; i++)
    if (same_name(model->parameter[i].name, name)) return RITT_PARAMETER;
  for (int i = 0; i < model->parameter_names; i++)
    if (!strcmp(model->parameter_name[i].name, name)) return RITT_WHOLE_ARRAY;
  for (int i = 0; i < model->variable_names; i++)
    if (!strcmp(model->variable_name[i].name, name)) return RITT_WHOLE_ARRAY;
  return RITT_NOTHING;
}

static const char *find_nearest(const ritti_model *model, const char *name, bool parameters) {
  size_t count = 0, room = (size_t)(model->variables + model->parameters) + 1;
  const char **known = ritti_malloc(room * sizeof *known);
  if (!known) return NULL;
  for (int j = 0; j < model->variables; j++) known[count++] = model->variable[j].name;
  for (int i = 0; i < model->parameters && parameters; i++)
    known[count++] = model->parameter[i].name;
  const char *near = ritti_nearest(name, known, count);
  ritti_free(known);
  return near;
}

const char *ritt_model_nearest(const ritt_model *M, const char *name) {
  return find_nearest(M->model, name, true);
}

static ritt_status refuse_name(const ritti_model *model, const char *name, ritt_error *error) {
  if (!strcmp(name, model->independent))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "use ritt_model_start_at",
                      "'%s' is the independent variable: it has no start value of this kind", name);
  const char *near = find_nearest(model, name, false);
  char hint[128];
  snprintf(hint, sizeof hint, "did you mean '%.80s'?", near ? near : "");
  return ritti_fail(error, RITT_WRONG_CALL, NULL,
                    near ? hint : "start values belong to x, x', x'' and so on",
                    "'%.60s' is neither a variable nor a derivative of one", name);
}

/* ---- values ---- */

/* model->start has room for the value. */
static void put_value(ritti_model *model, const ritti_start_set *set) {
  int variable, order, at = 0;
  if (!find_jet(model, set->name, &variable, &order)) return;
  while (at < model->starts &&
         (model->start[at].variable != variable || model->start[at].order != order))
    at++;
  if (at == model->starts) model->starts++;
  /* a double is a number typed with all its digits */
  model->start[at] = (ritti_start_def){.variable = variable,
                                       .order = order,
                                       .fixed = set->fixed,
                                       .number = set->value,
                                       .half_unit = fabs(set->value) * RITTI_EPS / 2,
                                       .text = set->text};
}

ritt_status ritti_start_values_apply(ritt_model *M) {
  ritti_model *model = M->model;

  /* Allocates room for the text's values and all of the caller's, once. */
  ritti_start_def *start;
  size_t need = (size_t)model->starts + M->starts.count + 1;
  if (!(M->start_room >= need)) {
    RITTI_NEW(start, model->arena, 2 * need);
    if (model->starts) memcpy(start, model->start, (size_t)model->starts * sizeof *start);
    model->start = start;
    M->start_room = 2 * need;
  }

  for (int i = 0; M->start_relaxed && i < model->starts; i++) {
    /* Makes a fixed value a guess: "x = 1" becomes "x ~ 1". */
    ritti_start_def *def = &model->start[i];
    char *text = def->fixed ? ritti_arena_text(model->arena, def->text, strlen(def->text)) : NULL;
    if (def->fixed && !text) return RITT_NO_MEMORY;
    if (text && strchr(text, '=')) *strchr(text, '=') = '~', def->text = text;
    def->fixed = false;
    def->stale = true;
  }
  if (M->start_relaxed) model->steady = false;
  if (M->start_relaxed) model->smooth = 0; /* the values are those of the model, not of its limit */
  for (size_t i = 0; i < M->starts.count; i++) put_value(model, &M->starts.at[i]);
  if (M->start_moved) model->start_x = M->start_x;
  return RITT_OK;
}

static ritt_status apply_values(ritt_model *M, ritt_error *error) {
  ritti_model_forget(M);
  return ritti_start_values_apply(M) == RITT_OK ? RITT_OK : ritti_no_memory(error);
}

static ritt_status make_set(const char *name, double value, bool fixed, ritti_start_set *out) {
  char number[32];
  ritti_text own = {0}, text = {0};
  ritti_text_add(&own, "%s", name);
  ritti_text_add(&text, "%s %c %s", name, fixed ? '=' : '~', ritti_shortest(value, number));
  *out = (ritti_start_set){.name = own.at, .text = text.at, .value = value, .fixed = fixed};
  if (own.status == RITT_OK && text.status == RITT_OK) return RITT_OK;
  ritti_text_free(&own), ritti_text_free(&text);
  return RITT_NO_MEMORY;
}

static bool same_jet(const ritti_model *model, const char *a, const char *b) {
  int j[2], order[2];
  return find_jet(model, a, &j[0], &order[0]) && find_jet(model, b, &j[1], &order[1]) &&
         j[0] == j[1] && order[0] == order[1];
}

/* Replaces the value of the same jet, or adds one at the end. */
static ritt_status keep_set(ritt_model *M, ritti_start_set set) {
  size_t at = 0;
  while (at < M->starts.count && !same_jet(M->model, M->starts.at[at].name, set.name)) at++;
  if (at == M->starts.count) RITT_TRY(RITTI_PUSH(M->starts, set));
  ritti_start_set old = M->starts.at[at];
  M->starts.at[at] = set;
  ritt_status status = ritti_start_values_apply(M);
  if (old.name != set.name && status == RITT_OK) ritti_free(old.name), ritti_free(old.text);
  else if (old.name != set.name)
    M->starts.at[at] = old; /* the text's entry still shows the old one */
  return status;
}

/* Does the value take the place of another one of the same kind, so that nothing but a number
 * changes? */
static bool only_number_changes(const ritt_model *M, const ritti_start_set *set) {
  const ritti_model *model = M->model;
  int variable, order;
  if (!ritti_model_keeps(M) || M->start_relaxed) return false;
  if (!find_jet(model, set->name, &variable, &order)) return false;
  for (int i = 0; i < model->starts; i++) {
    const ritti_start_def *def = &model->start[i];
    if (def->variable == variable && def->order == order) return def->fixed == set->fixed;
  }
  return false;
}

ritt_status ritt_model_start_value(ritt_model *M, const char *name, double value, int fixed,
                                   ritt_error *error) {
  RITT_TRY(ritti_model_require_idle(M, error));
  RITT_TRY(ritti_require(name, "name", error));
  int variable, order;
  ritti_start_set set;
  if (!find_jet(M->model, name, &variable, &order)) return refuse_name(M->model, name, error);
  if (!isfinite(value))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL,
                      "the start value of '%.60s' is not finite", name);
  if (make_set(name, value, fixed, &set) != RITT_OK) return ritti_no_memory(error);
  if (only_number_changes(M, &set)) M->renumbered = true;
  else ritti_model_forget(M);
  size_t count = M->starts.count;
  if (keep_set(M, set) == RITT_OK) return RITT_OK;
  if (M->starts.count == count) ritti_free(set.name), ritti_free(set.text);
  return ritti_no_memory(error);
}

ritt_status ritt_model_start_at(ritt_model *M, double x, ritt_error *error) {
  RITT_TRY(ritti_model_require_idle(M, error));
  if (!isfinite(x))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL, "the start value of '%s' is not finite",
                      M->model->independent);
  M->start_moved = true;
  M->start_x = x;
  return apply_values(M, error);
}

ritt_status ritt_model_start_relax(ritt_model *M, ritt_error *error) {
  RITT_TRY(ritti_model_require_idle(M, error));
  M->start_relaxed = true;
  return apply_values(M, error);
}

const char *ritt_model_independent(const ritt_model *M) { return M ? M->model->independent : NULL; }

/* ---- the start point as a section ---- */

static ritt_status add_value(const ritt_model *M, ritti_expr jet, char relation, double value,
                             ritti_text *out) {
  const ritti_model *model =
      M->reduced->model; /* the limit of a strong potential has variables of its own */
  const ritti_variable_def *variable = &model->variable[ritti_index_of(model->dag, jet)];
  if (variable->combination) return RITT_OK; /* it follows from the values of its parts */
  const char *name = ritti_jet_name(M->arena, variable->name, ritti_order_of(model->dag, jet));
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
  for (int i = 0; i < R->removals; i++)
    RITT_TRY(add_value(M, ritti_jet(M->model->dag, R->removed[i].variable, 0), '~',
                       R->removed[i].start, out));
  return out->status;
}

ritt_status ritt_model_start_text(ritt_model *M, ritt_error *error, const char **out) {
  RITT_TRY(ritti_require(M, "model", error));
  RITT_TRY(ritti_require(out, "place for the result", error));
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
