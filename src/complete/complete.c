/* Completion: a model to its reduced problem, and the report of what kind of system it is.
 *
 * The model may be completed in several ways, one after the other: without the unknowns that one equation
 * determines, as it is written, with combinations of unknowns as states, along a power series from a
 * singular start, with the numbers of constants. Each way runs the passes of passes.c.
 */
#include "complete/remove.h"
#include "complete/series_start.h"

ritt_status ritti_add_name(ritti_completion *C, const char *const **list, size_t *count,
                           const char *text) {
  const char **longer;
  RITTI_NEW(longer, C->arena, *count + 1);
  for (size_t i = 0; i < *count; i++) longer[i] = (*list)[i];
  longer[(*count)++] = text;
  *list = longer;
  return RITT_OK;
}

ritt_status ritti_add_note(ritti_completion *C, const char *text) {
  return ritti_add_name(C, &C->check->notes, &C->check->note_count, text);
}

ritt_status ritti_refuse_model(ritti_completion *C, const char *verdict, ritt_status status,
                               const ritti_place *place, const char *hint, const char *reason) {
  C->check->verdict = verdict;
  C->check->reason = reason;
  return reason ? ritti_fail(C->error, status, place, hint, "%s", reason) : RITT_NO_MEMORY;
}

ritt_status ritti_check_begin(const ritti_model *model, ritti_arena *arena, ritt_check *check) {
  const char **names;
  *check = (ritt_check){.model = model->name,
                        .unknowns = model->variables,
                        .equations = model->equations,
                        .invariants = model->invariants,
                        .verdict = "undecided",
                        .degrees_of_freedom = RITT_UNKNOWN,
                        .index = RITT_UNKNOWN,
                        .hidden_constraints = RITT_UNKNOWN};
  RITTI_NEW(names, arena, model->variable_names);
  for (int i = 0; i < model->variable_names; i++) names[i] = model->variable_name[i].shown;
  check->variables = names;
  check->variable_count = (size_t)model->variable_names;
  return RITT_OK;
}

static ritt_status complete_model(ritti_model *model, ritti_arena *arena, ritt_error *error,
                                  ritt_check *check, ritti_reduced **out) {
  ritti_completion C = {
      .model = model,
      .dag = model->dag,
      .arena = arena,
      .error = error,
      .check = check,
      .general = model->kind && !strcmp(model->kind, ritt_kind_text(RITT_GENERAL)),
      .may_be_implicit = model->kind ? !strcmp(model->kind, ritt_kind_text(RITT_IMPLICIT))
                                     : !model->never_implicit};
  if (model->variables == 0 || model->equations == 0)
    return ritti_refuse_model(
        &C, "undecided", RITT_WRONG_MODEL, NULL,
        "write the unknowns under 'variable' and the equations under 'equation'",
        model->variables == 0 ? "the model has no variables" : "the model has no equations");
  ritt_status status = ritti_run_passes(&C, out);
  if (status == RITT_OK && C.fast && model->keep) return ritti_keep(&C, *out);
  ritti_completion_clear(&C);
  return status;
}

/* Completes what is left when unknowns that one equation determines are taken out. *done: that is
 * the answer. A system that is not determined, or has something to name, is completed as it was
 * written. */
static ritt_status complete_rest(ritti_model *model, ritti_arena *arena, ritt_error *error,
                                 ritt_check *check, ritti_reduced **out, bool *done) {
  ritti_removal *removal;
  ritt_check before = *check;
  *done = false;
  if (model->choose_rows) return RITT_OK;
  RITT_TRY(ritti_remove_unknowns(model, arena, &removal));
  if (!removal) return RITT_OK;
  model->keep = removal->model->keep = false; /* start values were passed on */
  removal->model->rest = true;
  ritt_error *own = ritt_error_new();
  if (!own) return RITT_NO_MEMORY;
  ritt_status status = complete_model(removal->model, arena, own, check, out);
  *done = status == RITT_OK && check->dependent_count == 0 && check->non_unique_count == 0;
  if (*done) status = ritti_restore_unknowns(removal, *out, check);
  if (*done) ritti_error_move(error, own);
  ritt_error_free(own);
  if (*done || status == RITT_NO_MEMORY) return status;
  *check = before;
  *out = NULL;
  return RITT_OK;
}

/* Completes the model; unknowns that one equation determines are taken out if that is possible. */
static ritt_status complete_as_written(ritti_model *model, ritti_arena *arena, ritt_error *error,
                                       ritt_check *check, ritti_reduced **out) {
  bool done;
  ritt_status status = complete_rest(model, arena, error, check, out, &done);
  if (status == RITT_OK && !done) status = complete_model(model, arena, error, check, out);
  return status;
}

/* If the completion has failed or has given the general kind, and derivatives occur only in
 * combinations: the model with these combinations as states, if that is of the implicit kind. *model
 * becomes that model. */
static ritt_status complete_differences(ritti_model *model, ritti_arena *arena, ritt_check *check,
                                        ritti_reduced **out, bool *done) {
  ritti_model *combined;
  ritt_check own = *check;
  ritti_reduced *reduced = NULL;
  *done = false;
  bool kind_is_asked = model->kind && strcmp(model->kind, ritt_kind_text(RITT_IMPLICIT));
  if (model->never_implicit || model->choose_rows || kind_is_asked) return RITT_OK;
  RITT_TRY(ritti_take_differences(model, &combined));
  if (!combined) return RITT_OK;
  if (ritti_check_begin(model, arena, &own) != RITT_OK) return RITT_NO_MEMORY;
  ritt_error *unused = ritt_error_new();
  if (!unused) return RITT_NO_MEMORY;
  ritt_status status = complete_as_written(combined, arena, unused, &own, &reduced);
  ritt_error_free(unused);
  *done = status == RITT_OK && reduced->kind == RITT_IMPLICIT;
  if (*done) {
    *model = *combined;
    *check = own;
    *out = reduced;
  }
  return status == RITT_NO_MEMORY ? status : RITT_OK;
}

/* The start was refused: it may be a regular singular point. *done: it is one, and *out follows its
 * smooth solution. Otherwise the message may become a better one. */
static ritt_status complete_series(const ritti_model *model, ritti_arena *arena, ritt_error *error,
                                   ritt_check *check, ritti_reduced **out, bool *done) {
  ritti_model *series;
  const char *note, *reason, *hint;
  int free;
  *done = false;
  RITT_TRY(ritti_take_series_start(model, arena, &series, &note, &reason, &hint, &free));
  if (reason) {
    check->verdict = "singular";
    check->reason = reason;
    ritt_error_clear(error);
    return ritti_fail(error, RITT_IMPOSSIBLE, &model->start_place, hint, "%s", reason);
  }
  if (!series) return RITT_OK;

  ritt_check own;
  ritti_reduced *reduced = NULL;
  ritt_error *unused = ritt_error_new();
  if (!unused) return RITT_NO_MEMORY;
  ritt_status status = ritti_check_begin(model, arena, &own);
  if (status == RITT_OK) status = complete_as_written(series, arena, unused, &own, &reduced);
  ritt_error_free(unused);
  if (status != RITT_OK) return status == RITT_NO_MEMORY ? status : RITT_OK;
  ritti_completion C = {.arena = arena, .check = &own};
  RITT_TRY(ritti_add_note(&C, note));
  own.degrees_of_freedom = free;
  *check = own;
  *out = reduced;
  *done = true;
  return RITT_OK;
}

/* ---- starts at v = 0 with u/sqrt(v^2), which has no value there ---- */

/* The start value of a jet that is given as 0; NULL: none. */
static ritti_start_def *find_zero_start(const ritti_model *model, ritti_expr jet) {
  for (int i = 0; i < model->starts; i++) {
    ritti_start_def *def = &model->start[i];
    if (def->fixed && def->number == 0 && ritti_jet(model->dag, def->variable, def->order) == jet)
      return def;
  }
  return NULL;
}

/* Gives one velocity of each direction that begins at rest a value that is nearly 0. The completion
 * needs some direction; the run finds the right one. moved: starts of the model, those changed. */
static ritt_status move_from_rest(const ritti_model *model, bool *moved) {
  ritti_nodes nodes;
  ritti_expr *root = ritti_malloc(((size_t)model->equations + 1) * sizeof *root);
  ritt_status status = root ? RITT_OK : RITT_NO_MEMORY;
  for (int i = 0; root && i < model->equations; i++) root[i] = model->equation[i].residual;
  if (status == RITT_OK)
    status = ritti_nodes_below(model->dag, root, (size_t)model->equations, &nodes);
  ritti_free(root);
  RITT_TRY(status);
  for (size_t n = 0; n < nodes.count; n++) {
    ritti_expr u[RITTI_MOST_SQUARES], k[RITTI_MOST_SQUARES];
    ritti_expr q = ritti_norm_below(model->dag, nodes.at[n]);
    int terms = q == RITTI_NIL ? 0 : ritti_split_squares(model->dag, q, u, k), zeros = 0;
    for (int i = 0; i < terms; i++) zeros += find_zero_start(model, u[i]) != NULL;
    if (terms == 0 || zeros < terms) continue;
    ritti_start_def *first = find_zero_start(model, u[0]);
    first->number = RITTI_NEARLY_ZERO;
    moved[first - model->start] = true;
  }
  ritti_free(nodes.at);
  return RITT_OK;
}

static void set_at_rest(ritti_model *model, const bool *moved, ritti_reduced *R) {
  for (int i = 0; i < model->starts; i++) {
    if (!moved[i]) continue;
    ritti_expr jet = ritti_jet(model->dag, model->start[i].variable, model->start[i].order);
    model->start[i].number = 0;
    model->keep = false;
    for (int j = 1; R && j < R->m; j++)
      if (R->coordinate[j] == jet) R->z[j] = 0;
  }
}

/* As it is written, also from rest. */
static ritt_status complete_from_rest(ritti_model *model, ritti_arena *arena, ritt_error *error,
                                      ritt_check *check, ritti_reduced **out) {
  bool *moved;
  RITTI_NEW(moved, arena, model->starts + 1);
  RITT_TRY(move_from_rest(model, moved));
  ritt_status status = complete_as_written(model, arena, error, check, out);
  set_at_rest(model, moved, status == RITT_OK ? *out : NULL);
  return status;
}

/* Completes the model as it is, by all ways. *singular: only as a singular start, along a power series. */
static ritt_status complete_given(ritti_model *model, ritti_arena *arena, ritt_error *error,
                                  ritt_check *check, ritti_reduced **out, bool *singular) {
  *singular = false;
  ritt_error *own = ritt_error_new();
  if (!own) return ritti_no_memory(error);
  ritt_status status = complete_from_rest(model, arena, own, check, out);
  bool done = false, formed = status == RITT_OK && (*out)->kind != RITT_GENERAL;
  if (!formed && status != RITT_NO_MEMORY) {
    ritt_status other = complete_differences(model, arena, check, out, &done);
    if (done || other != RITT_OK) status = other;
  }
  bool refused = !done && status != RITT_OK && status != RITT_NO_MEMORY &&
                 (!strcmp(check->verdict, "singular") || !strcmp(check->verdict, "undecided"));
  if (refused && !model->choose_rows) {
    ritt_status other = complete_series(model, arena, own, check, out, &done);
    if (done || other != RITT_OK) status = other;
    *singular = done;
  }
  if (!done) ritti_error_move(error, own);
  ritt_error_free(own);
  if (status == RITT_NO_MEMORY) return ritti_no_memory(error);
  if (status != RITT_OK && !check->reason && ritt_error_count(error) > 0)
    check->reason =
        ritti_arena_format(arena, "%s", ritt_error_get(error, ritt_error_count(error) - 1)->text);
  return status;
}

/* Does the completion fail where an event gives a constant another value, or is it another one there than
 * at the start? `here`: its report at the start. */
static ritt_status fails_for_others(const ritti_model *model, ritti_arena *arena,
                                    const ritt_check *here, bool *fails) {
  *fails = false;
  for (int which = 0; !*fails; which++) {
    ritti_model *other;
    ritti_reduced *reduced;
    ritt_check check;
    bool singular = false;
    RITT_TRY(ritti_try_constant(model, arena, which, &other));
    if (!other) break;
    ritt_error *unused = ritt_error_new();
    if (!unused) return RITT_NO_MEMORY;
    ritt_status status = ritti_check_begin(other, arena, &check);
    if (status == RITT_OK)
      status = complete_given(other, arena, unused, &check, &reduced, &singular);
    ritt_error_free(unused);
    if (status == RITT_NO_MEMORY) return status;
    *fails = status != RITT_OK || singular || check.degrees_of_freedom != here->degrees_of_freedom;
  }
  return RITT_OK;
}

/* Says which values the equations hold. */
static ritt_status note_constants(const ritti_model *model, ritti_arena *arena, ritt_check *check) {
  ritti_completion C = {.arena = arena, .check = check};
  for (int i = 0; i < model->constants; i++) {
    const char *name = model->variable[model->constant[i]].name;
    const char *note = ritti_arena_format(
        arena,
        "%s changes the form of the equations: they are completed again when an event changes it",
        name);
    if (!note) return RITT_NO_MEMORY;
    RITT_TRY(ritti_add_note(&C, note));
  }
  return RITT_OK;
}

/* Completes the model with the numbers of constants in its equations, if its form depends on them, or if
 * it is not `complete` as it is written. *done: *out is another one. */
static ritt_status complete_constants(ritti_model *model, ritti_arena *arena, bool complete,
                                      ritt_check *check, ritti_reduced **out, bool *done) {
  ritti_model *valued;
  ritti_reduced *reduced = NULL;
  ritt_check own;
  bool highest, singular, wanted = !complete;
  *done = false;
  RITT_TRY(ritti_take_constants(model, arena, &highest, &valued));
  if (!valued) return RITT_OK;
  if (!wanted && !highest) return RITT_OK;
  if (!wanted) RITT_TRY(fails_for_others(model, arena, check, &wanted));
  if (!wanted) return RITT_OK;

  valued->valued = true;
  ritt_error *unused = ritt_error_new();
  if (!unused) return RITT_NO_MEMORY;
  ritt_status other = ritti_check_begin(model, arena, &own);
  if (other == RITT_OK) other = complete_given(valued, arena, unused, &own, &reduced, &singular);
  ritt_error_free(unused);
  if (other != RITT_OK) return other == RITT_NO_MEMORY ? other : RITT_OK;
  RITT_TRY(note_constants(valued, arena, &own));
  *check = own;
  *out = reduced;
  *done = true;
  model->keep = false;
  return RITT_OK;
}

ritt_status ritti_complete(ritti_model *model, ritti_arena *arena, ritt_error *error,
                           ritt_check *check, ritti_reduced **out) {
  if (ritti_check_begin(model, arena, check) != RITT_OK) return ritti_no_memory(error);
  if (model->steady) {
    ritti_model *steady;
    ritt_status status = ritti_steady_start(model, arena, error, check, &steady);
    model->keep = false;
    if (status == RITT_NO_MEMORY) return ritti_no_memory(error);
    if (status != RITT_OK) return status;
    status = ritti_complete(steady, arena, error, check, out);

    /* combinations that became states */
    model->variable = steady->variable;
    model->variables = steady->variables;
    model->equation = steady->equation;
    model->equations = steady->equations;
    model->names = steady->names;
    return status;
  }
  bool singular;
  if (model->valued) { /* at a point of a run */
    bool highest;
    ritti_model *valued;
    if (ritti_take_constants(model, arena, &highest, &valued) != RITT_OK)
      return ritti_no_memory(error);
    if (valued) return complete_given(valued, arena, error, check, out, &singular);
  }
  ritt_error *own = ritt_error_new();
  if (!own) return ritti_no_memory(error);
  ritt_status status = complete_given(model, arena, own, check, out, &singular);
  bool done = false, complete = status == RITT_OK && !singular;
  if (status != RITT_NO_MEMORY) {
    ritt_status other = complete_constants(model, arena, complete, check, out, &done);
    if (done || other != RITT_OK) status = other;
  }
  if (!done) ritti_error_move(error, own);
  ritt_error_free(own);
  return status == RITT_NO_MEMORY ? ritti_no_memory(error) : status;
}
