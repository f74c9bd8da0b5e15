/* Branches of a model: finds the one that its text or the caller asks for, and puts the model on it.
 *
 * A model that asks for none is completed as it is. Only if this fails and the constraints lose rank at
 * the start, the components are computed, and the one through the start is taken if it is the only one.
 */
#include <ctype.h>
#include <stdlib.h>
#include "branches/algebra.h"
#include "pipeline.h"

/* ---- the caller's words ---- */

static const char *skip_blanks(const char *at) {
  while (isspace((unsigned char)*at)) at++;
  return at;
}

static bool take_word(const char **at, const char *word) {
  size_t length = strlen(word);
  const char *here = skip_blanks(*at);
  if (strncmp(here, word, length) || (here[length] && !isspace((unsigned char)here[length])))
    return false;
  *at = skip_blanks(here + length);
  return true;
}

static ritt_status refuse_branch(ritt_error *error, const char *text) {
  return ritti_fail(error, RITT_WRONG_CALL, NULL,
                    "give a number, 'through x = 1, y = 2' with numbers, or 'through start'",
                    "'%.80s' does not choose a branch", text);
}

/* "x = 1, y = 2" */
static ritt_status read_values(const ritti_model *model, const char *text, const char *at,
                               ritti_arena *arena, ritt_error *error, ritti_branch_def *out) {
  RITTI_NEW(out->value, arena, strlen(at) + 1);
  for (;;) {
    const char *equals = strchr(at, '='), *end = equals;
    char *after;
    int variable = -1;
    if (!equals) return refuse_branch(error, text);
    at = skip_blanks(at);
    while (end > at && isspace((unsigned char)end[-1])) end--;
    for (int j = 0; j < model->variables; j++)
      if (strlen(model->variable[j].name) == (size_t)(end - at) &&
          !memcmp(model->variable[j].name, at, (size_t)(end - at)))
        variable = j;
    if (variable < 0)
      return ritti_fail(error, RITT_WRONG_CALL, NULL, "a branch is chosen by values of variables",
                        "there is no variable '%.*s'", (int)(end - at < 60 ? end - at : 60), at);
    double number = strtod(equals + 1, &after);
    if (after == equals + 1 || !isfinite(number)) return refuse_branch(error, text);
    out->value[out->values++] =
        (ritti_start_def){.variable = variable, .fixed = true, .number = number};
    at = skip_blanks(after);
    if (!*at) return RITT_OK;
    if (*at++ != ',') return refuse_branch(error, text);
  }
}

static ritt_status read_branch(const ritti_model *model, const char *text, ritti_arena *arena,
                               ritt_error *error, ritti_branch_def *out) {
  const char *at = text;
  *out = (ritti_branch_def){.asked = true};
  if (take_word(&at, "through")) {
    if (take_word(&at, "start") && !*at) return RITT_OK;
    return read_values(model, text, at, arena, error, out);
  }
  char *end;
  long number = strtol(text, &end, 10);
  if (end == text || *skip_blanks(end) || number < 1 || number > 1000)
    return refuse_branch(error, text);
  out->number = (int)number;
  return RITT_OK;
}

ritt_status ritt_model_branch(ritt_model *M, const char *text, ritt_error *error) {
  RITT_TRY(ritti_model_require_idle(M, error));
  ritti_branch_def def;
  ritti_arena *arena = ritti_arena_new();
  char *copy = text ? ritti_malloc(strlen(text) + 1) : NULL;
  ritt_status status = !arena || (text && !copy) ? RITT_NO_MEMORY : RITT_OK;
  ritti_model_forget(M);
  if (status == RITT_OK && text) status = read_branch(M->model, text, arena, error, &def);
  ritti_arena_free(arena);
  if (status != RITT_OK) {
    ritti_free(copy);
    return status == RITT_NO_MEMORY ? ritti_no_memory(error) : status;
  }
  if (copy) memcpy(copy, text, strlen(text) + 1);
  ritti_free(M->branch);
  M->branch = copy;
  return RITT_OK;
}

ritt_status ritt_model_singular(ritt_model *M, const char *program, double seconds,
                                ritt_error *error) {
  RITT_TRY(ritti_model_require_idle(M, error));
  char *copy = program ? ritti_malloc(strlen(program) + 1) : NULL;
  if (program && !copy) return ritti_no_memory(error);
  if (copy) memcpy(copy, program, strlen(program) + 1);
  ritti_model_forget(M);
  ritti_free(M->singular);
  M->singular = copy;
  M->singular_seconds = seconds > 0 ? seconds : 0;
  return RITT_OK;
}

/* ---- the model on a branch ---- */

static ritti_singular_call find_singular_call(const ritt_model *M) {
  return (ritti_singular_call){.program = M->singular, .seconds = M->singular_seconds};
}

static ritt_status apply_branch(ritt_model *M, ritti_branches *B, int number, ritt_error *error) {
  RITT_TRY(ritti_branch_put_in(B, number, &M->written, error));

  const ritti_component *c = &B->component[number];
  M->branch_note = ritti_arena_format(
      M->arena, "on branch %d of %d of its position constraints%s%s", number + 1, B->components,
      c->independent == RITTI_YES ? "" : "; its equations may lose rank away from the start",
      c->smooth == RITTI_NO ? "; it has singular points of its own" : "");
  return M->branch_note ? RITT_OK : RITT_NO_MEMORY;
}

static ritt_status find_requested_branch(ritt_model *M, ritt_error *error, ritti_branch_def *out) {
  *out = M->model->branch;
  if (M->branch) RITT_TRY(read_branch(M->model, M->branch, M->arena, error, out));
  return RITT_OK;
}

ritt_status ritti_branch_prepare(ritt_model *M, ritt_error *error) {
  ritti_branch_def asked;
  ritti_branches *B;
  ritti_singular_call call = find_singular_call(M);
  int number;
  M->branch_note = NULL;
  RITT_TRY(find_requested_branch(M, error, &asked));
  if (!asked.asked) return RITT_OK;
  const ritti_place *place = asked.place.line ? &asked.place : NULL;
  RITT_TRY(ritti_branches_find(M->model, &call, &asked, M->arena, error, &B));
  number = asked.number - 1;
  if (asked.number > B->components)
    return ritti_fail(error, RITT_WRONG_MODEL, place, "see 'ritt complete --branches' for the list",
                      "there is no branch %d: the position constraints have %d branch%s",
                      asked.number, B->components, B->components == 1 ? "" : "es");
  if (asked.number == 0) RITT_TRY(ritti_branches_choose(B, place, error, &number));
  return apply_branch(M, B, number, error);
}

ritt_status ritti_branch_rescue(ritt_model *M, ritt_error *error, bool *switched, bool *ambiguous) {
  ritti_branch_def asked;
  ritti_branches *B;
  ritti_singular_call call = find_singular_call(M);
  int number;
  ritt_error *own = ritt_error_new();
  *switched = *ambiguous = false;
  if (!own) return RITT_NO_MEMORY;
  ritt_status status = find_requested_branch(M, own, &asked);
  bool drops = false;
  if (status == RITT_OK && !asked.asked)
    status = ritti_positions_singular(M->model, M->arena, &drops);
  if (status == RITT_OK && drops) {
    status = ritti_branches_find(M->model, &call, &asked, M->arena, own, &B);
    if (status == RITT_OK && B->components > 1) {
      status = ritti_branches_choose(B, &M->model->start_place, error, &number);
      *ambiguous = status != RITT_OK;
      if (status == RITT_OK) *switched = apply_branch(M, B, number, own) == RITT_OK;
    }
  }
  ritt_error_free(own);
  return status == RITT_NO_MEMORY ? RITT_NO_MEMORY : RITT_OK;
}

/* ---- the list ---- */

static ritt_status list_branches(ritt_model *M, ritt_form form, ritti_arena *arena,
                                 ritt_error *error, ritti_text *text) {
  ritti_branch_def asked;
  ritti_branches *B;
  ritti_singular_call call = find_singular_call(M);
  RITT_TRY(find_requested_branch(M, error, &asked));
  RITT_TRY(ritti_branches_find(M->model, &call, &asked, arena, error, &B));
  return ritti_branches_print(B, form, text);
}

ritt_status ritt_model_branches(ritt_model *M, ritt_form form, ritt_error *error,
                                const char **out) {
  RITT_TRY(ritti_require(M, "model", error));
  RITT_TRY(ritti_require(out, "place for the result", error));
  ritti_text text = {0};
  ritti_arena *arena = ritti_arena_new();
  *out = NULL;
  ritti_model_forget(M); /* as it is written */
  if (!M->arena) M->arena = ritti_arena_new();
  ritt_status status =
      arena && M->arena ? list_branches(M, form, arena, error, &text) : RITT_NO_MEMORY;
  ritti_arena_free(arena);
  if (status != RITT_OK) {
    ritti_text_free(&text);
    return status == RITT_NO_MEMORY ? ritti_no_memory(error) : status;
  }
  ritti_free(M->branch_list);
  *out = M->branch_list = text.at;
  return RITT_OK;
}
