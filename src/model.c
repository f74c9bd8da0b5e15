/* The public model object: a text with parameter values, and what was made of it. */
#include <errno.h>
#include <stdio.h>
#include "method/method.h"
#include "pipeline.h"

void ritti_model_forget(ritt_model *M) {
  for (int i = 0; i < 6; i++) ritti_free(M->printed[i / 3][i % 3]), M->printed[i / 3][i % 3] = NULL;
  ritti_free(M->start_text), M->start_text = NULL;
  ritti_arena_free(M->arena);
  M->arena = NULL;
  M->reduced = NULL;
  M->problem = NULL;
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
  for (size_t i = 0; i < M->starts.count; i++) ritti_free(M->starts.at[i].name);
  RITTI_ARRAY_FREE(M->starts);
  ritti_free(M->text);
  ritti_free(M->name);
  ritti_free(M);
}

static char *copy_text(const char *text, size_t length) {
  char *copy = ritti_malloc(length + 1);
  if (copy) memcpy(copy, text, length), copy[length] = '\0';
  return copy;
}

ritt_status ritt_model_read_text(const char *text, size_t length, const char *name, ritt_error *error,
                                 ritt_model **out) {
  ritt_model *M = ritti_malloc(sizeof *M);
  *out = NULL;
  if (!M) return ritti_no_memory(error);
  *M = (ritt_model){.length = length, .text = copy_text(text, length), .name = copy_text(name, strlen(name))};
  ritt_status status = M->text && M->name
                           ? ritti_model_read(M->text, length, M->name, NULL, 0, error, &M->model)
                           : ritti_no_memory(error);
  if (status == RITT_OK) *out = M;
  else ritt_model_free(M);
  return status;
}

enum { MOST_BYTES = 64 << 20 };

static ritt_status read_all(FILE *file, const char *path, ritti_text *text, ritt_error *error) {
  char buffer[65536];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, file)) > 0;) {
    ritti_text_add_bytes(text, buffer, n);
    if (text->count > MOST_BYTES)
      return ritti_fail(error, RITT_WRONG_MODEL, NULL, NULL, "the file '%s' is larger than 64 MiB", path);
  }
  if (ferror(file))
    return ritti_fail(error, RITT_SYSTEM, NULL, NULL, "cannot read '%s': %s", path, strerror(errno));
  return text->status == RITT_OK ? RITT_OK : ritti_no_memory(error);
}

ritt_status ritt_model_read_file(const char *path, ritt_error *error, ritt_model **out) {
  ritti_text text = {0};
  *out = NULL;
  FILE *file = fopen(path, "rb");
  if (!file)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "check the name and the folder", "cannot open '%s': %s",
                      path, strerror(errno));
  ritt_status status = read_all(file, path, &text, error);
  fclose(file);
  if (status == RITT_OK) status = ritt_model_read_text(text.at ? text.at : "", text.count, path, error, out);
  ritti_text_free(&text);
  return status;
}

static ritt_status remember(ritt_model *M, const char *name, const char *value) {
  char *n = copy_text(name, strlen(name)), *v = copy_text(value, strlen(value));
  for (size_t i = 0; n && v && i < M->set.count; i++)
    if (!strcmp(M->set.at[i].name, name)) {
      ritti_free(n);
      ritti_free((char *)M->set.at[i].value);
      M->set.at[i].value = v;
      return RITT_OK;
    }
  if (n && v && RITTI_PUSH(M->set, (ritti_override){n, v}) == RITT_OK) return RITT_OK;
  ritti_free(n);
  ritti_free(v);
  return RITT_NO_MEMORY;
}

ritt_status ritt_model_set(ritt_model *M, const char *name, const char *value, ritt_error *error) {
  ritti_model *model;
  RITTI_ARRAY(ritti_override) try = {0};
  /* read with the new value first: a wrong one leaves the model as it was */
  ritt_status status = RITT_OK;
  for (size_t i = 0; i < M->set.count && status == RITT_OK; i++)
    if (strcmp(M->set.at[i].name, name)) status = RITTI_PUSH(try, M->set.at[i]);
  if (status == RITT_OK) status = RITTI_PUSH(try, (ritti_override){name, value});
  if (status == RITT_OK)
    status = ritti_model_read(M->text, M->length, M->name, try.at, try.count, error, &model);
  RITTI_ARRAY_FREE(try);
  RITT_TRY(status);
  if (remember(M, name, value) != RITT_OK) {
    ritti_model_free(model);
    return ritti_no_memory(error);
  }
  ritti_model_forget(M);
  ritti_model_free(M->model);
  M->model = model;
  return ritti_start_values_apply(M) == RITT_OK ? RITT_OK : ritti_no_memory(error);
}

ritt_status ritt_model_kind(ritt_model *M, const char *kind, ritt_error *error) {
  const char *word = ritti_kind_word(kind, error);
  if (!word) return RITT_WRONG_CALL;
  M->kind = word;
  ritti_model_forget(M);
  return RITT_OK;
}

const char *ritt_model_text(const ritt_model *M) { return M->text; }
const char *ritt_model_name(const ritt_model *M) { return M->model->name; }
const char *ritt_model_title(const ritt_model *M) {
  return M->model->title ? M->model->title : M->model->name;
}

ritt_status ritt_model_check(ritt_model *M, ritt_error *error, const ritt_check **out) {
  ritt_status status = ritti_pipeline_prepare(M, error);
  *out = &M->check;
  return status;
}

static ritt_status print_system(ritt_model *M, ritt_system system, ritt_form form, ritt_error *error,
                                ritti_text *text) {
  if (system == RITT_INVOLUTIVE) {
    ritti_arena *arena = ritti_arena_new();
    if (!arena) return RITT_NO_MEMORY;
    ritt_status status = ritti_involutive_print(M->model, arena, form, error, text);
    ritti_arena_free(arena);
    return status;
  }
  RITT_TRY(ritti_pipeline_prepare(M, error));
  return ritti_reduced_print(M->reduced, form, text);
}

ritt_status ritt_model_complete(ritt_model *M, ritt_system system, ritt_form form, ritt_error *error,
                                const char **out) {
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

ritt_status ritt_model_columns(ritt_model *M, ritt_error *error, const char *const **names, size_t *count) {
  RITT_TRY(ritti_pipeline_prepare(M, error));
  *names = M->column;
  *count = M->table_columns;
  return RITT_OK;
}

ritt_status ritt_model_curves(ritt_model *M, ritt_error *error, const ritt_curve **curves, size_t *count) {
  RITT_TRY(ritti_pipeline_prepare(M, error));
  *curves = M->curve;
  *count = M->curves;
  return RITT_OK;
}

int ritt_method_get(size_t i, ritt_method *out) {
  const ritti_tableau *t = ritti_method_get(i);
  if (!t) return 0;
  *out = (ritt_method){.name = t->name,
                       .order = t->order,
                       .stages = t->stages,
                       .embedded_order = t->embedded,
                       .source = t->source};
  return 1;
}
