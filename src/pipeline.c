/* The program on one page: read the model, complete, reduce, make evaluators, start, run. */
#include <math.h>
#include <time.h>
#include "pipeline.h"

/* ---- columns ----------------------------------------------------------------------------------------- */

typedef RITTI_ARRAY(ritti_output_def) outputs;

/* The output list; without one all variables, then their derivatives that are coordinates. */
static ritt_status list_outputs(ritt_model *M, outputs *list) {
  const ritti_model *model = M->model;
  const ritti_reduced *R = M->reduced;
  for (int i = 0; i < model->outputs; i++) RITT_TRY(RITTI_PUSH(*list, model->output[i]));
  for (int j = 0; model->outputs == 0 && j < model->variables; j++)
    RITT_TRY(
        RITTI_PUSH(*list, (ritti_output_def){model->variable[j].name, ritti_jet(model->dag, j, 0), {0}}));
  for (int i = 1; model->outputs == 0 && i < R->m; i++) {
    int order = ritti_order_of(model->dag, R->coordinate[i]);
    if (order == 0) continue;
    const char *name =
        ritti_jet_name(M->arena, model->names.variable[ritti_index_of(model->dag, R->coordinate[i])], order);
    if (!name) return RITT_NO_MEMORY;
    RITT_TRY(RITTI_PUSH(*list, (ritti_output_def){name, R->coordinate[i], {0}}));
  }
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
                                    .y_name = model->plot_column[def.y].name};
    }
  return RITT_OK;
}

static ritt_status make_problem(ritt_model *M, const outputs *list, ritt_error *error) {
  ritti_expr *expr;
  RITTI_NEW(expr, M->arena, list->count + 1);
  for (size_t i = 0; i < list->count; i++) expr[i] = list->at[i].expr;
  M->output = expr;
  M->outputs = list->count;
  RITT_TRY(ritti_dag_status(M->model->dag));
  return ritti_problem_make(M->reduced, expr, list->count, M->arena, error, &M->problem);
}

/* ---- complete, reduce, make evaluators --------------------------------------------------------------- */

ritt_status ritti_pipeline_prepare(ritt_model *M, ritt_error *error) {
  if (M->problem) return RITT_OK;
  outputs list = {0};
  ritti_arena_free(M->arena);
  M->reduced = NULL;
  M->curves = 0;
  M->arena = ritti_arena_new();
  if (!M->arena) return ritti_no_memory(error);
  if (M->kind) M->model->kind = strcmp(M->kind, "auto") ? M->kind : NULL;
  ritt_status status = ritti_complete(M->model, M->arena, error, &M->check, &M->reduced);
  if (status == RITT_OK) status = list_outputs(M, &list);
  size_t table = list.count;
  for (int i = 0; status == RITT_OK && i < M->model->plot_columns; i++)
    status = RITTI_PUSH(list, M->model->plot_column[i]);
  if (status == RITT_OK) status = name_columns(M, &list, table);
  if (status == RITT_OK) status = list_curves(M);
  if (status == RITT_OK) status = make_problem(M, &list, error);
  RITTI_ARRAY_FREE(list);
  return status == RITT_NO_MEMORY ? ritti_no_memory(error) : status;
}

/* ---- start and run ----------------------------------------------------------------------------------- */

typedef struct row_context {
  const ritt_model *M;
  ritti_solver *solver;
  ritt_row row;
  void *user;
  double *values, *after;
  ritt_event_row event;
  void *event_user;
} row_context;

static ritt_status fill_row(const row_context *c, ritt_real s, const ritt_real *z, const ritt_real *top,
                            double *out) {
  const ritti_problem *p = c->M->problem;
  size_t at = 0;
  if (c->solver->options.by_arc) out[at++] = (double)s;
  out[at++] = (double)z[0];
  /* a column without a value is NaN; the run goes on */
  ritt_status status = p->output(p->data, c->solver->work, z, top, out + at);
  return status == RITT_RETRY ? RITT_OK : status;
}

static ritt_status take_row(void *user, ritt_real s, const ritt_real *z, const ritt_real *top) {
  row_context *c = user;
  RITT_TRY(fill_row(c, s, z, top, c->values));
  return c->row ? c->row(c->user, c->values, c->M->columns) : RITT_OK;
}

/* The point of an event. After a jump the tops are those of the point before: outputs that hold tops show them only in
 * the next row. */
static ritt_status take_event(void *user, int event, ritt_real s, const ritt_real *z, const ritt_real *top,
                              const ritt_real *after) {
  row_context *c = user;
  const ritti_event *e = &c->M->problem->event[event];
  if (!c->event) return RITT_OK;
  ritt_event point = {.name = e->name,
                      .jump = after != NULL,
                      .stop = e->stop,
                      .record = e->record,
                      .before = c->values,
                      .count = c->M->columns};
  RITT_TRY(fill_row(c, s, z, top, c->values));
  if (after) RITT_TRY(fill_row(c, s, after, top, c->after));
  if (after) point.after = c->after;
  return c->event(c->event_user, &point);
}

/* Adds what one solver did. */
static void add_statistics(const ritti_solver *S, ritt_statistics *out) {
  out->accepted += S->accepted;
  out->rejected += S->rejected;
  out->evaluations += S->direction.evaluations;
  out->projections += S->manifold.projections;
  out->newton_iterations += S->manifold.iterations;
  out->failed_projections += S->manifold.failures;
  out->factorisations += S->manifold.factorisations;
  out->matrix_products += S->manifold.products;
  out->second_derivatives += S->manifold.second;
  out->rows += S->rows;
  if (!((double)S->largest_residual <= out->largest_residual))
    out->largest_residual = (double)S->largest_residual;
  out->events += S->events;
  out->switches += S->switches;
  out->slidings += S->slidings;
  if (S->ended >= 0) out->ended_by = S->problem->event[S->ended].name;
  out->impasse_points += S->impasses;
  if (S->impasses) out->last_impasse = (double)S->impasse_x;
  out->x = (double)S->s;
}

/* One problem from its start point until it ends, stops, or is no longer valid (*again). */
static ritt_status run_problem(ritt_model *M, const ritt_options *options, ritti_rows *rows,
                               ritti_arena *arena, row_context *context, ritt_statistics *statistics,
                               bool *again, ritt_error *error) {
  ritti_run_settings settings;
  ritti_solver *S;
  *again = false;
  RITT_TRY(ritti_settings_make(M, options, arena, error, &settings));
  if (rows->next == 0) *rows = settings.rows;
  RITT_TRY(ritti_solver_new(M->problem, &settings.solve, arena, &S));
  context->M = M;
  context->solver = S;
  S->event_taker = take_event;
  S->event_user = context;
  statistics->method = settings.solve.tableau->name;
  statistics->end = settings.end;
  double from = settings.solve.by_arc ? statistics->x : M->reduced->z[0];
  if (rows->next == 0) rows->from = from = settings.solve.by_arc ? 0 : from;
  ritt_status status = ritti_solver_start(S, from, M->reduced->z, error);
  if (status == RITT_OK) status = ritti_solver_run(S, settings.end, rows, take_row, context, error);
  add_statistics(S, statistics);
  *again = S->invalid;
  rows->next = S->next_row;
  return status;
}

/* ---- completed anew where a pivot of the completion vanishes ----------------------------------------- */

/* The model with the solver's point as start values, all of them guesses. */
static ritt_status move_start(const ritt_model *M, const ritti_solver *S, ritti_arena *arena,
                              ritti_model **out) {
  const ritti_reduced *R = M->reduced;
  ritti_model *model;
  RITTI_NEW(model, arena, 1);
  *model = *M->model;
  RITTI_NEW(model->start, arena, R->m + R->tops);
  model->starts = 0;
  model->start_x = (double)S->step.z[0];
  for (int i = 1; i < R->m + R->tops; i++) {
    bool top = i >= R->m;
    ritti_expr jet = top ? R->top[i - R->m] : R->coordinate[i];
    double number = (double)(top ? S->step.top[i - R->m] : S->step.z[i]);
    if (!(fabs(number) < INFINITY)) continue;
    model->start[model->starts++] = (ritti_start_def){.variable = ritti_index_of(model->dag, jet),
                                                      .order = ritti_order_of(model->dag, jet),
                                                      .number = number,
                                                      .text = "",
                                                      .place = model->start_place};
  }
  *out = model;
  return RITT_OK;
}

/* M's problem made anew at the solver's point; invariants keep their values. */
static ritt_status complete_anew(const ritt_model *M, const ritti_solver *S, ritti_arena *arena,
                                 ritt_error *error, ritt_model *out) {
  *out = *M;
  RITT_TRY(move_start(M, S, arena, &out->model));
  RITT_TRY(ritti_complete(out->model, arena, error, &out->check, &out->reduced));
  for (int i = 0; i < out->reduced->levels && i < M->reduced->levels; i++)
    out->reduced->level[i] =
        (double)S->work[M->problem->level_at + (size_t)i]; /* jumps may have changed them */
  return ritti_problem_make(out->reduced, M->output, M->outputs, arena, error, &out->problem);
}

/* M's problem of another kind, for one run. */
static ritt_status complete_as(const ritt_model *M, const char *kind, ritti_arena *arena, ritt_error *error,
                               ritt_model *out) {
  const char *word = ritti_kind_word(kind, error);
  if (!word) return RITT_WRONG_CALL;
  *out = *M;
  if (!strcmp(word, "auto")) return RITT_OK;
  RITTI_NEW(out->model, arena, 1);
  *out->model = *M->model;
  out->model->kind = word;
  RITT_TRY(ritti_complete(out->model, arena, error, &out->check, &out->reduced));
  return ritti_problem_make(out->reduced, M->output, M->outputs, arena, error, &out->problem);
}

static ritt_status run_all(ritt_model *M, const ritt_options *options, ritti_arena *arena,
                           row_context *context, ritt_statistics *statistics, ritt_error *error) {
  enum { MOST_TIMES = 1000 };
  ritti_rows rows = {0};
  ritt_model now = *M;
  bool again;
  if (options && options->kind) RITT_TRY(complete_as(M, options->kind, arena, error, &now));
  statistics->kind = now.check.kind;
  ritt_status status = run_problem(&now, options, &rows, arena, context, statistics, &again, error);
  for (int times = 0; again; times++) {
    ritt_model next;
    double x = statistics->x;
    status = times < MOST_TIMES ? complete_anew(&now, context->solver, arena, error, &next) : RITT_STOPPED;
    if (status != RITT_OK)
      return ritti_fail(error, RITT_STOPPED, NULL, "the system changes its form here",
                        "the run stopped at %s = %.12g: a pivot of the completion vanishes",
                        M->model->independent, (double)context->solver->step.z[0]);
    now = next;
    statistics->recompletions++;
    status = run_problem(&now, options, &rows, arena, context, statistics, &again, error);
    if (again && statistics->x == x) times = MOST_TIMES; /* no way on from here */
  }
  return status;
}

ritt_status ritt_model_run(ritt_model *M, const ritt_options *options, ritt_row row, void *user,
                           ritt_statistics *statistics, ritt_error *error) {
  RITT_TRY(ritti_pipeline_prepare(M, error));
  row_context context = {.M = M, .row = row, .user = user};
  ritt_statistics counts = {.kind = M->check.kind,
                            .free_initial_values = M->check.degrees_of_freedom,
                            .hidden_constraints = M->check.hidden_constraints,
                            .last_impasse = NAN};
  ritti_arena *arena = ritti_arena_new();
  if (!arena) return ritti_no_memory(error);
  clock_t began = clock();
  ritt_status status = RITT_NO_MEMORY;
  context.values = ritti_arena_alloc(arena, 2 * M->columns, sizeof(double));
  if (context.values) context.after = context.values + M->columns;
  if (options) context.event = options->event, context.event_user = options->event_user;
  if (context.values) status = run_all(M, options, arena, &context, &counts, error);
  counts.seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
  if (statistics && context.solver) *statistics = counts;
  ritti_arena_free(arena);
  return status == RITT_NO_MEMORY ? ritti_no_memory(error) : status;
}
