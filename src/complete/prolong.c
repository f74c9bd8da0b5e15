/* Pryce's Sigma-method: how often each equation is differentiated, and the rows that this gives.
 *
 * M = { f_i^(k) = 0, k < c_i } in the jets below y_j^(d_j), the tops from f_i^(c_i) = 0. If the top stage
 * is not linear in the tops the problem is of the implicit kind; if that kind does not fit, these
 * equations and what depends on them are differentiated once more.
 */
#include <limits.h>
#include "complete/complete_impl.h"

enum { MOST_PROLONGATIONS = 100 };

ritt_status ritti_prolong(ritti_completion *C, int equation, int k) {
  if (k < C->stages[equation]) return RITT_OK;
  ritti_expr *stage;
  RITTI_NEW(stage, C->arena, k + 1);
  int have = C->stages[equation];
  if (have) memcpy(stage, C->stage[equation], (size_t)have * sizeof *stage);
  else stage[have++] = C->residual[equation];
  for (; have <= k; have++) stage[have] = ritti_dag_total_of_order(C->dag, stage[0], have);
  C->stage[equation] = stage;
  C->stages[equation] = have;
  return ritti_dag_status(C->dag);
}

/* d_j must reach the highest order of y_j in e, plus `above`. */
static ritt_status reach_jets(ritti_completion *C, ritti_expr e, int above, int *d_least) {
  ritti_nodes jets;
  RITT_TRY(ritti_leaves(C->dag, e, RITTI_JET, &jets));
  for (size_t i = 0; i < jets.count; i++) {
    int j = ritti_index_of(C->dag, jets.at[i]), order = ritti_order_of(C->dag, jets.at[i]) + above;
    if (order > d_least[j]) d_least[j] = order;
  }
  ritti_free(jets.at);
  return RITT_OK;
}

/* What outputs, plots, start values and invariants need. */
ritt_status ritti_least_orders(ritti_completion *C, int *d_least) {
  const ritti_model *model = C->model;
  for (int i = 0; i < model->outputs; i++)
    RITT_TRY(reach_jets(C, model->output[i].expr, 0, d_least));
  for (int i = 0; i < model->plot_columns; i++)
    RITT_TRY(reach_jets(C, model->plot_column[i].expr, 0, d_least));
  for (int i = 0; i < model->events; i++) {
    RITT_TRY(reach_jets(C, model->event[i].function, 0, d_least));
    for (int j = 0; j < model->event[i].jumps; j++)
      if (!model->event[i].jump[j].optional)
        RITT_TRY(reach_jets(C, model->event[i].jump[j].value, 0, d_least));
  }
  for (int i = 0; i < model->invariants; i++)
    RITT_TRY(reach_jets(C, model->invariant[i].expr, 1, d_least));
  for (int i = 0; i < model->starts; i++) {
    const ritti_start_def *def = &model->start[i];
    if (def->order > d_least[def->variable]) d_least[def->variable] = def->order;
  }
  return RITT_OK;
}

/* A staircase of a top has the derivative 0, but it is not linear. */
ritt_status ritti_linear_in_tops(ritti_completion *C, ritti_expr row, bool *linear) {
  ritti_gradient g;
  RITT_TRY(ritti_dag_gradient(C->dag, row, &g));
  const unsigned char *mark = ritti_marks(C);
  *linear = mark && !(mark[row] & RITTI_HAS_STAIRS);
  for (size_t e = 0; mark && e < g.count && *linear; e++)
    if (mark[g.leaf[e]] & RITTI_HAS_TOP) *linear = !(mark[g.derivative[e]] & RITTI_HAS_TOP);
  ritti_gradient_clear(&g);
  return mark ? RITT_OK : RITT_NO_MEMORY;
}

static int highest_order(const ritti_signature *sigma, int equation) {
  int most = 0;
  for (int e = sigma->start[equation]; e < sigma->start[equation + 1]; e++)
    if (sigma->order[e] > most) most = sigma->order[e];
  return most;
}

/* Raises the equations whose top stage is not linear in the tops, those of the lowest order first:
 * where algebraic ones are differentiated the others are often linear already. *raised: there were
 * some. */
static ritt_status raise_nonlinear(ritti_completion *C, int *c_least, bool *raised) {
  bool *nonlinear, linear;
  int lowest = INT_MAX;
  RITTI_NEW(nonlinear, C->arena, C->n + 1);
  ritti_marks_restart(C);
  for (int i = 0; i < C->n; i++) {
    RITT_TRY(ritti_prolong(C, i, C->c[i]));
    RITT_TRY(ritti_linear_in_tops(C, C->stage[i][C->c[i]], &linear));
    nonlinear[i] = !linear;
    if (!linear && highest_order(&C->sigma, i) < lowest) lowest = highest_order(&C->sigma, i);
  }
  *raised = lowest < INT_MAX;
  for (int i = 0; i < C->n; i++)
    if (nonlinear[i] && highest_order(&C->sigma, i) == lowest) c_least[i] = C->c[i] + 1;
  return RITT_OK;
}

/* Does an unknown that is not differentiated at all enter the rows for the tops nonlinearly? If only
 * derivatives do (y'^2 = 1 - y^2) the general kind is the better one: it passes points at which two
 * values of a derivative meet. */
static ritt_status holds_algebraic(ritti_completion *C, bool *yes) {
  *yes = false;
  const unsigned char *mark = ritti_marks(C);
  if (!mark) return RITT_NO_MEMORY;
  for (int i = 0; i < C->n && !*yes; i++) {
    ritti_gradient g;
    RITT_TRY(ritti_dag_gradient(C->dag, C->stage[i][C->c[i]], &g));
    mark = ritti_marks(C);
    for (size_t e = 0; mark && e < g.count && !*yes; e++) {
      bool top = ritti_op_of(C->dag, g.leaf[e]) == RITTI_JET && mark[g.leaf[e]] & RITTI_HAS_TOP;
      *yes = top && ritti_order_of(C->dag, g.leaf[e]) == 0 && mark[g.derivative[e]] & RITTI_HAS_TOP;
    }
    ritti_gradient_clear(&g);
    if (!mark) return RITT_NO_MEMORY;
  }
  return RITT_OK;
}

/* The general kind has every equation among its rows. true: some were not. */
static bool raise_undifferentiated(const ritti_completion *C, int *c_least) {
  bool any = false;
  for (int i = 0; i < C->n; i++)
    if (C->c[i] == 0) c_least[i] = 1, any = true;
  return any;
}

static int greatest_entry(const int *a, int n) {
  int most = 0;
  for (int i = 0; i < n; i++)
    if (a[i] > most) most = a[i];
  return most;
}

ritt_status ritti_prolong_all(ritti_completion *C) {
  int *c_least, *d_least;
  RITTI_NEW(c_least, C->arena, C->n + 1);
  RITTI_NEW(d_least, C->arena, C->n + 1);
  RITT_TRY(ritti_least_orders(C, d_least));
  C->rows = C->levels = 0;
  C->raised = C->implicit = false;
  for (bool raised = true; raised;) {
    RITT_TRY(
        ritti_offsets(&C->sigma, C->variable_of, C->equation_of, c_least, d_least, C->c, C->d));
    if (greatest_entry(C->c, C->n) > MOST_PROLONGATIONS) return RITT_UNDECIDED;
    RITT_TRY(raise_nonlinear(C, c_least, &raised));
    if (raised && C->may_be_implicit) RITT_TRY(holds_algebraic(C, &C->implicit));
    if (C->implicit) break;
    if (C->general && !raised) raised = raise_undifferentiated(C, c_least);
    C->raised = C->raised || raised || C->general;
  }
  C->own_line = true;
  for (int i = 0; i < C->n; i++) C->own_line = C->own_line && C->c[i] > 0;
  C->jets = 0;
  for (int j = 0; j < C->n; j++) {
    C->first[j] = C->jets;
    C->jets += C->d[j] + 1;
  }
  RITTI_NEW(C->point, C->arena, C->jets + 1);
  return RITT_OK;
}

ritt_status ritti_list_rows(ritti_completion *C) {
  int n = C->n, top = 0, most = greatest_entry(C->c, n);
  for (int i = 0; i < n; i++) C->rows += C->c[i];
  RITTI_NEW(C->row, C->arena, C->rows + 1);
  RITTI_NEW(C->origin, C->arena, C->rows + 1);
  RITTI_NEW(C->top_row, C->arena, n + 1);
  RITTI_NEW(C->top_origin, C->arena, n + 1);
  C->rows = 0;
  for (int k = 0; k <= most; k++)
    for (int i = 0; i < n; i++) {
      ritti_origin origin = {.equation = i, .invariant = -1, .order = k};
      if (k < C->c[i]) C->row[C->rows] = C->stage[i][k], C->origin[C->rows++] = origin;
      if (k == C->c[i]) C->top_row[top] = C->stage[i][k], C->top_origin[top++] = origin;
    }
  C->top_rows = n;
  C->prolongations = most;
  return RITT_OK;
}
