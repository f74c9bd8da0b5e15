/* Models with a strong potential (`stiff`) on their way through the pipeline.
 *
 * Unless the vibrations are to be followed, such a model must be of the form M y'' = f - grad
 * U/eps^2 and satisfy the conditions under which it has smooth motions (complete/strong.h). `limit`
 * completes the limit of eps -> 0 instead, or takes its start for index-3 steps; `start smooth`
 * completes the limit for the sake of its start values, and then the model with those of the smooth
 * motion above them.
 */
#include <math.h>
#include "complete/strong.h"
#include "pipeline.h"

typedef struct strong_run {
  ritt_model *M;
  ritti_strong_system *S;
  ritt_error *error;
  ritti_reduced *limit; /* the limit, completed; NULL: not asked for */
  ritt_check limit_check;
  double shift[2];
} strong_run;

/* Adds a sentence to the report. */
static ritt_status add_note(ritt_model *M, const char *text) {
  const char **notes;
  if (!text) return RITT_NO_MEMORY;
  RITTI_NEW(notes, M->arena, M->check.note_count + 1);
  if (M->check.note_count) memcpy(notes, M->check.notes, M->check.note_count * sizeof *notes);
  notes[M->check.note_count++] = text;
  M->check.notes = notes;
  return RITT_OK;
}

/* An explicit method that the model names follows the vibrations. */
static ritt_status note_explicit_method(ritt_model *M) {
  const ritti_tableau *t = NULL;
  for (int i = 0; i < M->model->settings; i++) {
    const ritti_setting_def *s = &M->model->setting[i];
    if (!strcmp(s->name, "method") && !s->text) t = ritti_method_find(s->word);
  }
  if (!t || t->family == RITTI_IMPLICIT || M->model->vibrations) return RITT_OK;
  return add_note(
      M, ritti_arena_format(M->arena, "the method %s is explicit: its steps follow the vibrations",
                            t->name));
}

/* Adds the result of the conditions to the report. */
static ritt_status note_conditions(const strong_run *R) {
  const ritti_strong_system *S = R->S;
  const ritti_parameter_def *eps = &S->model->parameter[S->model->strong_parameter];
  double low = sqrt(S->least) / eps->number, high = sqrt(S->largest) / eps->number;
  ritti_arena *arena = R->M->arena;
  RITT_TRY(add_note(
      R->M,
      ritti_arena_format(
          arena,
          "strong potential: M is positive definite, grad U = 0 has codimension %d in %d coordinates, U is "
          "convex across it with alpha = %.3g",
          S->m, S->n, S->least)));
  if (S->model->limit)
    return add_note(
        R->M, ritti_arena_format(arena, "the limit of %s -> 0 is solved, as a constrained system%s",
                                 eps->name,
                                 strcmp(S->model->limit, "index3") ? "" : " in its index-3 form"));
  RITT_TRY(add_note(R->M, ritti_arena_format(arena,
                                             high > 1.01 * low
                                                 ? "vibrations have frequencies of %.3g to %.3g"
                                                 : "vibrations have a frequency of %.3g",
                                             low, high)));
  RITT_TRY(note_explicit_method(R->M));
  if (!S->model->smooth) return RITT_OK;
  return add_note(
      R->M, ritti_arena_format(
                arena,
                "smooth start of order %d: positions are up to %.2e and velocities up to %.2e "
                "from those of the limit",
                S->model->smooth, R->shift[0], R->shift[1]));
}

/* Keeps the report of a model that is refused. */
static ritt_status report_refusal(const strong_run *R, ritt_status status) {
  ritt_model *M = R->M;
  if (status == RITT_NO_MEMORY) return ritti_no_memory(R->error);
  RITT_TRY(ritti_check_begin(M->model, M->arena, &M->check));
  if (status == RITT_IMPOSSIBLE) M->check.verdict = "singular";
  size_t count = ritt_error_count(R->error);
  if (count)
    M->check.reason = ritti_arena_format(M->arena, "%s", ritt_error_get(R->error, count - 1)->text);
  return status;
}

static ritt_status complete_model(strong_run *R, ritti_model *model) {
  return ritti_complete(model, R->M->arena, R->error, &R->M->check, &R->M->reduced);
}

/* A model of another form: takes its equations as they stand, unless it asks for more. */
static ritt_status take_unlike(strong_run *R) {
  const ritti_model *model = R->M->model;
  const char *asked = model->limit    ? "limit"
                      : model->smooth ? "start smooth"
                      : model->motion ? "follow motion"
                                      : NULL;
  if (asked)
    return report_refusal(R, ritti_fail(R->error, RITT_IMPOSSIBLE, &model->strong_place,
                                        "remove it, and write 'follow vibrations' below solve",
                                        "'%s' is for equations M y'' = f - grad U/eps^2: %s", asked,
                                        R->S->why));
  RITT_TRY(complete_model(R, R->M->model));
  return add_note(
      R->M, ritti_arena_format(R->M->arena,
                               "the equations are solved as they stand, vibrations included: %s",
                               R->S->why));
}

static ritt_status choose_system(strong_run *R) {
  ritt_model *M = R->M;
  ritti_model *model = M->model, *started = model;
  bool index3 = model->limit && !strcmp(model->limit, "index3");
  ritt_status status = ritti_strong_parts(model, M->arena, R->error, &R->S);
  if (status == RITT_OK && R->S->unlike) return take_unlike(R);
  if (status == RITT_OK) status = ritti_strong_check(R->S, R->error);
  if (status != RITT_OK) return report_refusal(R, status);
  if (model->limit || model->smooth) {
    ritti_model *limit;
    RITT_TRY(ritti_strong_limit(R->S, &limit));
    RITT_TRY(ritti_complete(limit, R->M->arena, R->error, &R->M->check, &R->M->reduced));
    R->limit = R->M->reduced;
    R->limit_check = R->M->check;
  }
  if (model->limit && !index3) return note_conditions(R);
  if (R->limit) {
    status = ritti_strong_start(R->S, R->limit, index3 ? 0 : model->smooth, R->error, &started,
                                R->shift);
    if (status != RITT_OK) return report_refusal(R, status);
  }
  RITT_TRY(complete_model(R, started));
  if (R->limit) {
    /* The start values that the limit moved are those that the user typed. */
    ritt_check *check = &R->M->check;
    check->moved = R->limit_check.moved, check->moved_count = R->limit_check.moved_count;
  }
  if (!model->vibrations) M->reduced->strong = R->S;
  return note_conditions(R);
}

ritt_status ritt_model_follow(ritt_model *M, const char *what, ritt_error *error) {
  RITT_TRY(ritti_model_require_idle(M, error));
  RITT_TRY(ritti_require(what, "word", error));
  static const char *const words[] = {"motion", "vibrations", "projected", "index3"};
  if (M->model->strong_potential == RITTI_NIL)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "write 'stiff U, eps = 1e-4' in the model",
                      "the model has no strong potential, of which '%s' could be followed", what);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!strcmp(words[i], what)) {
      M->follow = words[i];
      ritti_model_forget(M);
      return RITT_OK;
    }
  return ritti_fail(error, RITT_WRONG_CALL, NULL,
                    "choose one of: motion vibrations projected index3", "'%s' cannot be followed",
                    what);
}

/* The wishes of the caller replace those of the text. */
static void apply_overrides(const ritt_model *M) {
  ritti_model *model = M->model;
  if (!M->follow) return;
  bool limit = !strcmp(M->follow, "projected") || !strcmp(M->follow, "index3");
  model->limit = limit ? M->follow : NULL;
  model->vibrations = !strcmp(M->follow, "vibrations");
  model->motion = !strcmp(M->follow, "motion");
}

ritt_status ritti_pipeline_complete(ritt_model *M, ritt_error *error) {
  strong_run R = {.M = M, .error = error};
  apply_overrides(M);
  const ritti_model *model = M->model;
  bool plain = model->strong_potential == RITTI_NIL || (model->vibrations && !model->smooth);
  ritt_status status = plain ? complete_model(&R, M->model) : choose_system(&R);
  return status == RITT_NO_MEMORY ? ritti_no_memory(error) : status;
}
