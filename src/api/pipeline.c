/* From a model to its problem on one page: complete, reduce, make evaluators, name the columns.
 * solver.c runs it. */
#include "pipeline.h"

/* ---- columns ---- */

typedef RITTI_ARRAY(ritti_output_def) outputs;

/* The output list; without one all variables, then their derivatives that are coordinates. */
static ritt_status list_outputs(ritt_model *M, outputs *list) {
  const ritti_reduced *R = M->reduced;
  const ritti_model *model = R->model;
  for (int i = 0; i < model->outputs; i++) RITT_TRY(RITTI_PUSH(*list, model->output[i]));
  for (int j = 0; model->outputs == 0 && j < model->variables; j++) {
    if (model->variable[j].combination) continue;
    RITT_TRY(RITTI_PUSH(
        *list,
        (ritti_output_def){model->variable[j].name, ritti_jet(model->dag, j, 0), {0}, NULL}));
  }
  for (int i = 1; model->outputs == 0 && i < R->m; i++) {
    int order = ritti_order_of(model->dag, R->coordinate[i]);
    if (order == 0) continue;
    const char *name = ritti_jet_name(
        M->arena, model->names.variable[ritti_index_of(model->dag, R->coordinate[i])], order);
    if (!name) return RITT_NO_MEMORY;
    RITT_TRY(RITTI_PUSH(*list, (ritti_output_def){name, R->coordinate[i], {0}, NULL}));
  }
  for (size_t i = 0; model->outputs == 0 && i < list->count; i++)
    list->at[i].unit = ritti_unit_of(model, M->arena, list->at[i].expr);
  for (size_t i = 0; i < list->count; i++) RITT_TRY(ritti_express(R, &list->at[i].expr, 1));
  return RITT_OK;
}

static ritt_status name_columns(ritt_model *M, const outputs *list, size_t table) {
  size_t before = M->model->run == RITTI_RUN_ARC ? 2 : 1, at = 0;
  M->columns = before + list->count;
  M->table_columns = before + table;
  RITTI_NEW(M->column, M->arena, M->columns);
  if (before == 2) M->column[at++] = "arc";
  M->column[at++] = M->model->independent;
  for (size_t i = 0; i < list->count; i++) M->column[at++] = list->at[i].name;

  /* The units of the columns; NULL if no column has one. */
  bool any = M->model->independent_unit != NULL;
  for (size_t i = 0; i < list->count; i++) any = any || list->at[i].unit;
  M->unit = NULL;
  if (!any) return RITT_OK;
  RITTI_NEW(M->unit, M->arena, M->columns);
  for (size_t i = 0; i < M->columns; i++) {
    const char *unit = i + 1 == before ? M->model->independent_unit
                       : i < before    ? NULL
                                       : list->at[i - before].unit;
    M->unit[i] = unit ? unit : "";
  }
  return RITT_OK;
}

static ritt_status list_curves(ritt_model *M) {
  const ritti_model *model = M->model;
  for (int p = 0; p < model->panels; p++) M->curves += (size_t)model->panel[p].curves;
  RITTI_NEW(M->curve, M->arena, M->curves + 1);
  size_t at = 0;
  for (int p = 0; p < model->panels; p++)
    for (int c = 0; c < model->panel[p].curves; c++) {
      ritti_curve_def def = model->panel[p].curve[c];
      M->curve[at++] = (ritt_curve){.panel = p,
                                    .x = M->table_columns + (size_t)def.x,
                                    .y = M->table_columns + (size_t)def.y,
                                    .x_name = model->plot_column[def.x].name,
                                    .y_name = model->plot_column[def.y].name,
                                    .axis = {model->panel[p].axis[0], model->panel[p].axis[1]}};
      if (def.z >= 0) M->curve[at - 1].z = M->table_columns + (size_t)def.z;
      if (def.z >= 0) M->curve[at - 1].z_name = model->plot_column[def.z].name;
      if (def.event >= 0) M->curve[at - 1].event = model->event[def.event].name;
    }
  return RITT_OK;
}

/* Lists the shapes of the scene with the columns of the rows. */
static ritt_status list_figures(ritt_model *M) {
  const ritti_model *model = M->model;
  size_t first = M->columns - (size_t)model->scene_columns;
  M->figure = NULL;
  M->figures = 0;
  if (!M->scene) return RITT_OK;
  RITTI_NEW(M->figure, M->arena, model->figures + 1);
  for (int i = 0; i < model->figures; i++) {
    const ritti_figure_def *def = &model->figure[i];
    ritt_look *look;
    RITTI_NEW(look, M->arena, def->looks);
    for (int k = 0; k < def->looks; k++) {
      size_t *column;
      RITTI_NEW(column, M->arena, def->look[k].columns + 1);
      for (int c = 0; c < def->look[k].columns; c++)
        column[c] = first + (size_t)def->look[k].column[c];
      look[k] = (ritt_look){.word = def->look[k].word,
                            .text = def->look[k].text,
                            .column = column,
                            .columns = (size_t)def->look[k].columns};
    }
    M->figure[M->figures++] =
        (ritt_figure){.word = def->word, .look = look, .looks = (size_t)def->looks};
  }
  return RITT_OK;
}

/* What the columns show as it is written, if events change the form of the equations: in another form
 * other unknowns are taken out. */
static ritt_status keep_columns(ritt_model *M, const outputs *list) {
  const ritti_model *written = M->reduced->model->written;
  size_t at = 0;
  ritti_expr *shown;
  M->shown = NULL;
  if (!written) return RITT_OK;
  RITTI_NEW(shown, M->arena, list->count + 1);
  for (int i = 0; i < written->outputs; i++) shown[at++] = written->output[i].expr;
  for (int j = 0; written->outputs == 0 && j < written->variables; j++)
    shown[at++] = ritti_jet(written->dag, j, 0);
  for (; at < list->count; at++) shown[at] = list->at[at].expr;
  at = list->count - (size_t)M->model->plot_columns;
  for (int i = 0; i < M->model->plot_columns; i++) shown[at++] = written->plot_column[i].expr;
  M->shown = shown;
  return ritti_dag_status(written->dag);
}

static ritt_status make_problem(ritt_model *M, const outputs *list, ritt_error *error) {
  ritti_expr *expr;
  RITTI_NEW(expr, M->arena, list->count + 1);
  for (size_t i = 0; i < list->count; i++) expr[i] = list->at[i].expr;
  M->output = expr;
  M->outputs = list->count;
  RITT_TRY(ritti_dag_status(M->model->dag));
  return ritti_problem_make_for(ritti_model_wants(M->model), M->reduced, expr, list->count,
                                M->arena, error, &M->problem);
}

/* Makes the problem a public object. */
static ritt_status publish_problem(ritt_model *M) {
  const ritti_problem *p = M->problem;
  size_t arc = M->model->run == RITTI_RUN_ARC; /* not a column of the problem */
  const char **name;
  RITTI_NEW(name, M->arena, p->m);
  for (int i = 0; i < p->m; i++) name[i] = p->name.coordinate(p->data, i);
  M->shared = (ritt_problem){.problem = p,
                             .shape = {.kind = p->kind,
                                       .coordinates = (size_t)p->m,
                                       .tops = (size_t)p->tops,
                                       .rows = (size_t)p->k,
                                       .columns = M->columns - arc,
                                       .coordinate_names = name,
                                       .column_names = M->column + arc}};
  return RITT_OK;
}

/* ---- complete, reduce, make evaluators ---- */

static ritt_status complete_once(ritt_model *M, ritt_error *error) {
  ritt_status status = ritti_pipeline_complete(M, error);
  if (!M->branch_note) return status;
  const char **notes;
  RITTI_NEW(notes, M->arena, M->check.note_count + 1);
  notes[0] = M->branch_note;
  for (size_t i = 0; i < M->check.note_count; i++) notes[i + 1] = M->check.notes[i];
  M->check.notes = notes;
  M->check.note_count++;
  return status;
}

/* Completes the model, on the branch that is asked for. If none is asked for and the constraints lose
 * rank at the start, takes the branch through the start if there is only one. */
static ritt_status complete_model(ritt_model *M, ritt_error *error) {
  bool switched_branch = false, ambiguous = false;
  RITT_TRY(ritti_check_begin(M->model, M->arena, &M->check));
  RITT_TRY(ritti_branch_prepare(M, error));
  ritt_error *own = ritt_error_new();
  if (!own) return RITT_NO_MEMORY;
  ritt_status status = complete_once(M, own);
  if ((status == RITT_IMPOSSIBLE || status == RITT_UNDECIDED) &&
      ritti_branch_rescue(M, error, &switched_branch, &ambiguous) != RITT_OK)
    status = RITT_NO_MEMORY;
  if (ambiguous) status = RITT_IMPOSSIBLE;
  if (ambiguous) M->check.verdict = "singular";
  if (ambiguous)
    M->check.reason =
        "the start is a singular point: branches of the position constraints meet there";
  if (!switched_branch && !ambiguous) ritti_error_move(error, own);
  ritt_error_free(own);
  return switched_branch ? complete_once(M, error) : status;
}

/* Numbers have changed: finds the start point for them. If the form of the system may have changed,
 * drops what completion made. */
static ritt_status take_numbers(ritt_model *M) {
  bool same = false;
  M->version++;
  if (M->problem) RITT_TRY(ritti_complete_again(M->reduced, &same));
  if (same) RITT_TRY(ritti_problem_renumber(M->problem));
  M->renumbered = false;
  M->unreported = true;
  if (!same) ritti_model_forget(M);
  return RITT_OK;
}

ritt_status ritti_pipeline_prepare(ritt_model *M, ritt_error *error) {
  if (M->renumbered && take_numbers(M) != RITT_OK) return ritti_no_memory(error);
  if (M->problem) return RITT_OK;
  if (M->unread) RITT_TRY(ritti_model_reread(M, error));
  outputs list = {0};
  ritti_branch_take_out(M->model, &M->written);
  ritti_tangents_take_out(M);
  ritti_dag_mend(M->model->dag); /* there may have been too little memory before */
  ritti_arena_free(M->arena);
  M->reduced = NULL;
  M->curves = 0;
  M->arena = ritti_arena_new();
  if (!M->arena) return ritti_no_memory(error);
  if (M->kind) M->model->kind = strcmp(M->kind, "auto") ? M->kind : NULL;
  M->model->keep =
      M->batch && !M->branch && !M->model->branch.asked && ritti_tangents_count(M) == 0;
  M->model->never_implicit = M->never_implicit || ritti_refuses_implicit(M->model, NULL);
  if (M->scene && !M->model->scene_shown) {
    M->model->plot_columns += M->model->scene_columns;
    M->model->scene_shown = true;
  }
  RITTI_NEW(M->model->put_in, M->arena, M->model->parameters + 1);
  ritt_status status = ritti_tangents_put_in(M, error);
  if (status == RITT_OK) status = complete_model(M, error);
  if (status == RITT_OK) status = list_outputs(M, &list);
  size_t table = list.count;
  for (int i = 0; status == RITT_OK && i < M->model->plot_columns; i++)
    status = RITTI_PUSH(list, M->reduced->model->plot_column[i]);
  if (status == RITT_OK) status = name_columns(M, &list, table);
  if (status == RITT_OK) status = list_curves(M);
  if (status == RITT_OK) status = list_figures(M);
  if (status == RITT_OK) status = keep_columns(M, &list);
  if (status == RITT_OK) status = make_problem(M, &list, error);
  if (status == RITT_OK) status = ritti_note_pulses(M);
  if (status == RITT_OK && publish_problem(M) != RITT_OK)
    M->problem = NULL, status = RITT_NO_MEMORY;
  RITTI_ARRAY_FREE(list);
  return status == RITT_NO_MEMORY ? ritti_no_memory(error) : status;
}

ritt_status ritt_model_problem(ritt_model *M, ritt_error *error, const ritt_problem **out) {
  RITT_TRY(ritti_require(M, "model", error));
  RITT_TRY(ritti_require(out, "place for the result", error));
  *out = NULL;
  ritti_tangents_make_unknowns(M);
  RITT_TRY(ritti_pipeline_prepare(M, error));
  *out = &M->shared;
  return RITT_OK;
}

ritt_status ritt_model_start_point(ritt_model *M, ritt_error *error, const double **z) {
  RITT_TRY(ritti_require(M, "model", error));
  RITT_TRY(ritti_require(z, "place for the result", error));
  *z = NULL;
  RITT_TRY(ritti_pipeline_prepare(M, error));
  *z = M->reduced->z;
  return RITT_OK;
}
