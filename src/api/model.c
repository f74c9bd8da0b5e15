/* The public model object: a text with parameter values, and what was made of it. */
#include <errno.h>
#include "step/method.h"
#include "input.h"
#include "pipeline.h"

void ritti_model_forget(ritt_model *M) {
  M->version++;
  for (int i = 0; i < 8; i++) {
    ritti_free(M->printed[i / 4][i % 4]);
    M->printed[i / 4][i % 4] = NULL;
  }
  ritti_free(M->start_text), M->start_text = NULL;
  ritti_free(M->emitted), M->emitted = NULL;
  ritti_arena_free(M->fmu), M->fmu = NULL;
  ritti_branch_take_out(M->model, &M->written);
  ritti_tangents_take_out(M);
  ritti_arena_free(M->arena);
  M->arena = NULL;
  M->reduced = NULL;
  M->problem = NULL;
  M->renumbered = M->unreported = false;
}

const char *ritt_model_input(const ritt_model *M, size_t i, int *derivatives) {
  if (derivatives) *derivatives = RITT_UNKNOWN;
  if (!M || i >= (size_t)M->model->inputs) return NULL;
  const ritti_input_def *input = &M->model->input[i];
  if (derivatives && M->problem &&
      ritti_input_derivatives(M->reduced, M->problem, input, derivatives) != RITT_OK)
    *derivatives = RITT_UNKNOWN;
  return input->name;
}

void ritt_model_free(ritt_model *M) {
  if (!M) return;
  ritti_model_forget(M);
  ritti_model_free(M->model);
  for (size_t i = 0; i < M->set.count; i++) {
    ritti_free((char *)M->set.at[i].name);
    ritti_free((char *)M->set.at[i].value);
  }
  RITTI_ARRAY_FREE(M->set);
  for (size_t i = 0; i < M->starts.count; i++)
    ritti_free(M->starts.at[i].name), ritti_free(M->starts.at[i].text);
  RITTI_ARRAY_FREE(M->starts);
  for (size_t i = 0; i < M->tangents.count; i++) ritti_free(M->tangents.at[i]);
  RITTI_ARRAY_FREE(M->tangents);
  for (size_t i = 0; i < M->folders.count; i++) ritti_free(M->folders.at[i]);
  RITTI_ARRAY_FREE(M->folders);
  ritti_forget_files(M);
  ritti_free(M->text);
  ritti_free(M->name);
  ritti_free(M->path);
  ritti_free(M->branch);
  ritti_free(M->singular);
  ritti_free(M->branch_list);
  ritti_free(M);
}

static char *copy_text(const char *text, size_t length) {
  char *copy = ritti_malloc(length + 1);
  if (copy) memcpy(copy, text, length), copy[length] = '\0';
  return copy;
}

static ritt_status new_model(const char *text, size_t length, const char *name, ritt_error *error,
                             ritt_model **out) {
  ritt_model *M = ritti_malloc(sizeof *M);
  *out = NULL;
  if (!M) return ritti_no_memory(error);
  *M = (ritt_model){
      .length = length, .text = copy_text(text, length), .name = copy_text(name, strlen(name))};
  if (M->text && M->name) {
    *out = M;
    return RITT_OK;
  }
  ritt_model_free(M);
  return ritti_no_memory(error);
}

/* The text with these values of parameters. */
static ritt_status read_with(ritt_model *M, const ritti_override *override, size_t overrides,
                             ritt_error *error, ritti_model **out) {
  ritti_files files = ritti_model_files(M);
  M->files = RITTI_CHECKSUM;
  const ritti_files *named = M->path || M->folders.count ? &files : NULL;
  return ritti_model_read_with(M->text, M->length, M->name, named, override, overrides, error, out);
}

static ritt_status read_first(ritt_model *M, ritt_error *error, ritt_model **out) {
  ritt_status status = read_with(M, NULL, 0, error, &M->model);
  if (status == RITT_OK) *out = M;
  else ritt_model_free(M);
  return status;
}

ritt_status ritt_model_read_text(const char *text, size_t length, const char *name,
                                 ritt_error *error, ritt_model **out) {
  ritt_model *M;
  *out = NULL;
  if (!text) text = "", length = 0;
  RITT_TRY(new_model(text, length, name ? name : "model", error, &M));
  return read_first(M, error, out);
}

static ritt_status add_folder(ritt_model *M, const char *folder, ritt_error *error) {
  char *path = ritti_real_path(folder);
  if (!path && errno == ENOMEM) return ritti_no_memory(error);
  if (!path)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "check the name",
                      "cannot open the folder '%s': %s", folder, strerror(errno));
  if (RITTI_PUSH(M->folders, path) == RITT_OK) return RITT_OK;
  ritti_free(path);
  return ritti_no_memory(error);
}

ritt_status ritt_model_read_as(const char *path, const char *text, size_t length,
                               const char *const *folders, size_t count, ritt_error *error,
                               ritt_model **out) {
  ritt_model *M = NULL;
  *out = NULL;
  ritt_status status = new_model(text ? text : "", text ? length : 0, path, error, &M);
  if (status == RITT_OK) M->path = ritti_real_path(path);
  if (status == RITT_OK && !M->path && errno == ENOMEM) status = ritti_no_memory(error);
  for (size_t i = 0; i < count && status == RITT_OK; i++) status = add_folder(M, folders[i], error);
  if (status == RITT_OK) return read_first(M, error, out);
  ritt_model_free(M);
  return status;
}

ritt_status ritt_model_read_folders(const char *path, const char *const *folders, size_t count,
                                    ritt_error *error, ritt_model **out) {
  ritti_text text = {0};
  *out = NULL;
  ritt_status status = ritti_file_read(path, &text, error);
  if (status == RITT_OK)
    status = ritt_model_read_as(path, text.at, text.count, folders, count, error, out);
  ritti_text_free(&text);
  return status;
}

ritt_status ritt_model_read_file(const char *path, ritt_error *error, ritt_model **out) {
  return ritt_model_read_folders(path, NULL, 0, error, out);
}

typedef RITTI_ARRAY(ritti_override) overrides;

static void free_overrides(overrides *list) {
  for (size_t i = 0; i < list->count; i++) {
    ritti_free((char *)list->at[i].name);
    ritti_free((char *)list->at[i].value);
  }
  RITTI_ARRAY_FREE(*list);
}

/* A copy of the value in the list, in the place of one that the name has. */
static ritt_status put_override(overrides *list, const char *name, const char *value) {
  char *v = copy_text(value, strlen(value)), *n = NULL;
  if (!v) return RITT_NO_MEMORY;
  for (size_t i = 0; i < list->count; i++)
    if (!strcmp(list->at[i].name, name)) {
      ritti_free((char *)list->at[i].value);
      list->at[i].value = v;
      return RITT_OK;
    }
  n = copy_text(name, strlen(name));
  if (n && RITTI_PUSH(*list, (ritti_override){n, v}) == RITT_OK) return RITT_OK;
  ritti_free(n);
  ritti_free(v);
  return RITT_NO_MEMORY;
}

static int find_parameter(const ritti_model *model, const char *name) {
  for (int p = 0; p < model->parameters; p++)
    if (!strcmp(model->parameter[p].name, name)) return p;
  return -1;
}

/* Changes the values in the model without reading its text. *done = false: the text must be read; the
 * model may hold some of the values then. */
static ritt_status renumber_parameters(ritt_model *M, const char *const *names,
                                       const char *const *values, size_t count, bool *done) {
  enum { MOST = 1000 }; /* every value leaves a number in the model */
  *done = ritti_model_keeps(M) && M->readings < MOST;
  for (size_t i = 0; i < count && *done; i++) {
    int p = find_parameter(M->model, names[i]);
    *done = p >= 0 && !M->model->parameter[p].read;
  }
  if (!*done) return RITT_OK;
  M->readings++;
  M->renumbered = M->unread = true;
  for (size_t i = 0; i < count && *done; i++)
    RITT_TRY(ritti_model_renumber(M->model, find_parameter(M->model, names[i]), values[i], done));
  if (!*done) M->reduced->kept = NULL;
  return RITT_OK;
}

ritt_status ritti_model_reread(ritt_model *M, ritt_error *error) {
  ritti_model *model = NULL;
  RITT_TRY(read_with(M, M->set.at, M->set.count, error, &model));
  ritti_model_forget(M);
  ritti_model_free(M->model);
  M->model = model;
  M->start_room = 0;
  M->unread = false;
  M->readings = 0;
  return ritti_start_values_apply(M) == RITT_OK ? RITT_OK : ritti_no_memory(error);
}

/* Reads with the new values first: wrong ones leave the model as it was. */
ritt_status ritt_model_set_all(ritt_model *M, const char *const *names, const char *const *values,
                               size_t count, ritt_error *error) {
  RITT_TRY(ritti_model_require_idle(M, error));
  if (count > 0)
    RITT_TRY(ritti_require(names && values ? names : NULL, "list of names and values", error));
  ritti_model *model = NULL;
  overrides next = {0};
  uint64_t files = M->files;
  ritt_status status = RITT_OK;
  for (size_t i = 0; i < M->set.count && status == RITT_OK; i++)
    status = put_override(&next, M->set.at[i].name, M->set.at[i].value);
  for (size_t i = 0; i < count && status == RITT_OK; i++)
    status = put_override(&next, names[i], values[i]);
  bool renumbered = false;
  if (status == RITT_OK) status = renumber_parameters(M, names, values, count, &renumbered);
  if (status == RITT_OK && !renumbered) status = read_with(M, next.at, next.count, error, &model);
  if (status != RITT_OK) {
    M->files = files;
    free_overrides(&next);
    return status == RITT_NO_MEMORY ? ritti_no_memory(error) : status;
  }
  overrides old = {M->set.at, M->set.count, M->set.room};
  M->set.at = next.at, M->set.count = next.count, M->set.room = next.room;
  free_overrides(&old);
  if (renumbered) return RITT_OK;
  ritti_model_forget(M);
  ritti_model_free(M->model);
  M->model = model;
  M->start_room = 0;
  M->unread = false;
  M->readings = 0;
  return ritti_start_values_apply(M) == RITT_OK ? RITT_OK : ritti_no_memory(error);
}

ritt_status ritt_model_set(ritt_model *M, const char *name, const char *value, ritt_error *error) {
  RITT_TRY(ritti_model_require_idle(M, error));
  RITT_TRY(ritti_require(name, "name", error));
  RITT_TRY(ritti_require(value, "value", error));
  return ritt_model_set_all(M, &name, &value, 1, error);
}

ritt_status ritt_model_kind(ritt_model *M, const char *kind, ritt_error *error) {
  RITT_TRY(ritti_model_require_idle(M, error));
  RITT_TRY(ritti_require(kind, "kind", error));
  const char *word = ritti_kind_word(kind, error);
  if (!word) return RITT_WRONG_CALL;
  M->kind = word;
  ritti_model_forget(M);
  return RITT_OK;
}

const char *ritt_model_text(const ritt_model *M) { return M ? M->text : NULL; }
const char *ritt_model_name(const ritt_model *M) { return M ? M->model->name : NULL; }
const char *ritt_model_title(const ritt_model *M) {
  return M->model->title ? M->model->title : M->model->name;
}

ritt_status ritt_model_check(ritt_model *M, ritt_error *error, const ritt_check **out) {
  RITT_TRY(ritti_require(M, "model", error));
  RITT_TRY(ritti_require(out, "place for the result", error));
  if (M->unreported) ritti_model_forget(M);
  ritt_status status = ritti_pipeline_prepare(M, error);
  if (status == RITT_OK && ritti_list_singular_points(M) != RITT_OK)
    status = ritti_no_memory(error);
  if (status != RITT_NO_MEMORY && ritti_report(M) != RITT_OK) status = ritti_no_memory(error);
  *out = &M->check;
  return status;
}

/* Equations that follow from others, and unknowns that these leave open. */
static void explain_redundant(const ritt_check *check, ritti_text *out) {
  enum { MOST = 12 };
  if (check->dependent_count)
    ritti_text_add(out, "\nLeft out, since other equations imply %s:\n",
                   check->dependent_count == 1 ? "it" : "them");
  for (size_t i = 0; i < check->dependent_count && i < MOST; i++)
    ritti_text_add(out, "    %s\n", check->dependent_equations[i]);
  if (check->dependent_count > MOST)
    ritti_text_add(out, "    and %zu more\n", check->dependent_count - MOST);

  if (check->non_unique_count) {
    ritti_text_add(out, "\nNot unique; the values of least norm are used: ");
    ritti_text_add_names(out, check->non_unique, check->non_unique_count, 80);
    ritti_text_add(out, "\n");
  }
}

static ritt_status print_system(ritt_model *M, ritt_system system, ritt_form form,
                                ritt_error *error, ritti_text *text) {
  if (system == RITT_INVOLUTIVE && form == RITT_WORDS)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "use RITT_REDUCED",
                      "the involutive form has no story in words");
  if (system == RITT_INVOLUTIVE) {
    ritti_arena *arena = ritti_arena_new();
    if (!arena) return RITT_NO_MEMORY;
    ritti_dag_mend(M->model->dag);
    ritt_status status = ritti_involutive_print(M->model, arena, form, error, text);
    ritti_arena_free(arena);
    return status;
  }
  ritti_tangents_make_unknowns(M);
  RITT_TRY(ritti_pipeline_prepare(M, error));
  if (form == RITT_WORDS) {
    RITT_TRY(ritti_reduced_explain(M->reduced, M->check.degrees_of_freedom, text));
    explain_redundant(&M->check, text);
    return text->status;
  }
  return ritti_reduced_print(M->reduced, form, text);
}

ritt_status ritt_model_complete(ritt_model *M, ritt_system system, ritt_form form,
                                ritt_error *error, const char **out) {
  RITT_TRY(ritti_require(M, "model", error));
  RITT_TRY(ritti_require(out, "place for the result", error));
  char **printed = &M->printed[system][form];
  *out = NULL;
  if (!*printed) {
    ritti_text text = {0};
    ritt_status status = print_system(M, system, form, error, &text);
    if (status != RITT_OK) {
      ritti_text_free(&text);
      return status == RITT_NO_MEMORY ? ritti_no_memory(error) : status;
    }
    *printed = text.at;
  }
  *out = *printed;
  return RITT_OK;
}

ritt_status ritt_model_columns(ritt_model *M, ritt_error *error, const char *const **names,
                               size_t *count) {
  RITT_TRY(ritti_require(M, "model", error));
  RITT_TRY(ritti_require(names, "place for the result", error));
  RITT_TRY(ritti_require(count, "place for the result", error));
  RITT_TRY(ritti_pipeline_prepare(M, error));
  *names = M->column;
  *count = M->table_columns;
  return RITT_OK;
}

ritt_status ritt_model_units(ritt_model *M, ritt_error *error, const char *const **units,
                             size_t *count) {
  RITT_TRY(ritti_require(M, "model", error));
  RITT_TRY(ritti_require(units, "place for the result", error));
  RITT_TRY(ritti_require(count, "place for the result", error));
  RITT_TRY(ritti_pipeline_prepare(M, error));
  *units = M->unit;
  *count = M->columns;
  return RITT_OK;
}

const char *ritt_model_doc(const ritt_model *M, const char *name) {
  for (int i = 0; i < M->model->docs; i++) {
    const ritti_doc_def *d = &M->model->doc[i];
    if (name ? d->name && !strcmp(d->name, name) : !d->name) return d->text;
  }
  return NULL;
}

const char *ritt_model_event_name(const ritt_model *M, size_t i) {
  return i < (size_t)M->model->events ? M->model->event[i].name : NULL;
}

void ritt_model_sweep(const ritt_model *M, const char *const **lines, size_t *count) {
  *lines = M->model->sweep;
  *count = (size_t)M->model->sweeps;
}

ritt_status ritt_model_curves(ritt_model *M, ritt_error *error, const ritt_curve **curves,
                              size_t *count) {
  RITT_TRY(ritti_require(M, "model", error));
  RITT_TRY(ritti_require(curves, "place for the result", error));
  RITT_TRY(ritti_require(count, "place for the result", error));
  RITT_TRY(ritti_pipeline_prepare(M, error));
  *curves = M->curve;
  *count = M->curves;
  return RITT_OK;
}

ritt_status ritt_model_scene(ritt_model *M, ritt_error *error, const ritt_figure **figures,
                             size_t *count) {
  RITT_TRY(ritti_require(M, "model", error));
  RITT_TRY(ritti_require(figures, "place for the result", error));
  RITT_TRY(ritti_require(count, "place for the result", error));

  /* the rows get more columns; without a scene nothing changes */
  if (!M->scene && M->model->figures) {
    RITT_TRY(ritti_model_require_idle(M, error));
    ritti_model_forget(M);
    M->scene = true;
  }
  RITT_TRY(ritti_pipeline_prepare(M, error));
  *figures = M->figure;
  *count = M->figures;
  return RITT_OK;
}

int ritt_method_get(size_t i, ritt_method *out) {
  const ritti_tableau *t = ritti_method_get(i);
  if (!t) return 0;
  *out = (ritt_method){.name = t->name,
                       .order = t->order,
                       .stages = t->stages,
                       .embedded_order = t->embedded,
                       .implicit = ritti_is_implicit(t),
                       .source = t->source};
  return 1;
}

int ritt_library_get(size_t i, ritt_library *out) {
  for (size_t k = 0; k <= i; k++)
    if (!ritti_libraries[k].name) return 0;
  *out = (ritt_library){.name = ritti_libraries[i].name, .line = ritti_libraries[i].line};
  return 1;
}

ritt_status ritt_format(const char *text, size_t length, const char *name, ritt_error *error,
                        char **out) {
  ritti_text laid_out = {0};
  *out = NULL;
  ritt_status status = ritti_model_format(text, length, name ? name : "model", error, &laid_out);
  ritti_text_add(&laid_out, "%s", "");
  if (status == RITT_OK && laid_out.status != RITT_OK) status = ritti_no_memory(error);
  if (status == RITT_OK) *out = laid_out.at;
  else ritti_text_free(&laid_out);
  return status;
}

void ritt_free(char *text) { ritti_free(text); }
