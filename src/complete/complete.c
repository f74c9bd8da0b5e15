/* Completion: structure, prolongation, start point, checks, reduction.
 *
 * In: a Model. Out: a Reduced problem, and the report of what kind of system it is. The fast path
 * takes square systems whose system Jacobian is regular at the start point (Pryce's Sigma-method: M
 * = { f_i^(k) = 0, k < c_i } in the jets below y_j^(d_j), the tops from f_i^(c_i) = 0). If the top
 * stage is not linear in the tops the problem is of the implicit kind; if that kind does not fit,
 * these equations and what depends on them are differentiated once more. Everything else is refused
 * with the reason.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include "complete/remove.h"
#include "complete/series_start.h"

enum { MOST_PROLONGATIONS = 100 };

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

static ritt_status refuse_model(ritti_completion *C, const char *verdict, ritt_status status,
                                const ritti_place *place, const char *hint, const char *reason) {
  C->check->verdict = verdict;
  C->check->reason = reason;
  return reason ? ritti_fail(C->error, status, place, hint, "%s", reason) : RITT_NO_MEMORY;
}

/* ---- the equations as used ---- */

static ritt_status same_jets(const ritti_dag *dag, ritti_expr a, ritti_expr b, bool *same) {
  ritti_nodes left = {0}, right = {0};
  *same = a == b;
  if (*same) return RITT_OK;
  ritt_status status = ritti_leaves(dag, a, RITTI_JET, &left);
  if (status == RITT_OK) status = ritti_leaves(dag, b, RITTI_JET, &right);
  *same = status == RITT_OK && left.count == right.count;
  for (size_t i = 0; *same && i < left.count; i++) *same = left.at[i] == right.at[i];
  ritti_free(left.at);
  ritti_free(right.at);
  return status;
}

/* Parameters and their exact values. */
typedef struct exact_values {
  ritti_expr *leaf, *value;
  size_t count;
} exact_values;

/* Puts the values of as few parameters as possible into equation i, so that it has the jets of exact:
 * d*y' with d = 0 needs the value of d, and all other parameters of the equation stay slots. */
static ritt_status put_in_few(ritti_completion *C, int i, ritti_expr exact) {
  enum { MOST = 64 }; /* of more, all are put in */
  ritti_nodes found;
  exact_values in = {0};
  RITT_TRY(ritti_leaves(C->dag, C->residual[i], RITTI_PARAMETER, &found));
  in.leaf = found.at, in.count = found.count;
  in.value = ritti_malloc((found.count + 1) * sizeof *in.value);
  ritt_status status = in.value ? RITT_OK : RITT_NO_MEMORY;
  for (size_t k = 0; status == RITT_OK && k < in.count; k++)
    in.value[k] = C->model->parameter[ritti_index_of(C->dag, in.leaf[k])].value;

  ritti_expr used = exact;
  for (size_t tries = in.count <= MOST ? in.count : 0; status == RITT_OK && tries > 0; tries--) {
    /* without the last one; it goes to the front if it is needed */
    size_t last = in.count - 1;
    ritti_expr e = C->residual[i], leaf = in.leaf[last], value = in.value[last];
    bool same = false;
    status = ritti_dag_substitute(C->dag, in.leaf, in.value, last, &e, 1);
    if (status == RITT_OK) status = same_jets(C->dag, e, exact, &same);
    if (same) used = e, in.count--;
    else {
      memmove(in.leaf + 1, in.leaf, last * sizeof *in.leaf);
      memmove(in.value + 1, in.value, last * sizeof *in.value);
      in.leaf[0] = leaf, in.value[0] = value;
    }
  }
  for (size_t k = 0; status == RITT_OK && C->model->put_in && k < in.count; k++)
    C->model->put_in[ritti_index_of(C->dag, in.leaf[k])] = true;
  C->residual[i] = used;
  ritti_free(in.value);
  ritti_free(found.at);
  return status;
}

/* Structure is decided with the exact values of the parameters: exact[i] is equation i with these. If
 * putting them in removes a jet (m*x'' with m = 0) the equation with the values is used; otherwise
 * parameters stay slots. */
ritt_status ritti_put_in_parameters(ritti_completion *C, ritti_expr *exact) {
  const ritti_model *model = C->model;
  ritti_expr *leaf, *value;
  RITTI_NEW(leaf, C->arena, model->parameters + 1);
  RITTI_NEW(value, C->arena, model->parameters + 1);
  for (int p = 0; p < model->parameters; p++) {
    leaf[p] = ritti_parameter(C->dag, p);
    value[p] = model->parameter[p].value;
    C->parameter[p] = model->parameter[p].number;
  }
  for (int i = 0; i < model->equations; i++) exact[i] = C->residual[i];
  RITT_TRY(ritti_dag_substitute(C->dag, leaf, value, (size_t)model->parameters, exact,
                                (size_t)model->equations));
  for (int i = 0; i < model->equations; i++) {
    bool same;
    RITT_TRY(same_jets(C->dag, exact[i], C->residual[i], &same));
    if (same) continue;
    RITT_TRY(put_in_few(C, i, exact[i]));
    C->model->keep = false;
  }
  return ritti_dag_status(C->dag);
}

/* An equation without unknowns: always true (dependent) or never (contradiction). */
static ritt_status check_constants(ritti_completion *C, const ritti_expr *exact) {
  for (int i = 0; i < C->model->equations; i++) {
    const unsigned char *mark = ritti_marks(C);
    if (!mark) return RITT_NO_MEMORY;
    if (mark[exact[i]] & RITTI_MOVES) continue;
    double value;
    ritti_at at = {C, NULL};
    ritti_values values = ritti_values_at(&at);
    RITT_TRY(ritti_dag_evaluate(C->dag, exact[i], &values, &value));
    const char *text = ritti_show_equation(C, i);
    const ritti_place *place = &C->model->equation[i].place;
    /* what is always true goes on to the general path, which names it dependent */
    if (fabs(value) > 1e-9 || !(value == value))
      return refuse_model(
          C, "inconsistent", RITT_IMPOSSIBLE, place, "correct or remove this equation",
          ritti_arena_format(C->arena,
                             "no values of the variables satisfy %s: it reduces to %.6g = 0", text,
                             value));
  }
  return RITT_OK;
}

static int compare_entries(const void *a, const void *b) {
  const int *l = a, *r = b;
  return (l[0] > r[0]) - (l[0] < r[0]);
}

static ritt_status make_signature(ritti_completion *C, const ritti_expr *exact) {
  ritti_signature *sigma = &C->sigma;
  int rows = C->model->equations, room = 0, count = 0, (*pair)[2];
  ritti_nodes *jets;
  RITTI_NEW(jets, C->arena, rows + 1);
  ritt_status status = RITT_OK;
  for (int i = 0; i < rows && status == RITT_OK; i++) {
    status = ritti_leaves(C->dag, exact[i], RITTI_JET, &jets[i]);
    room += (int)jets[i].count;
  }
  sigma->n = rows;
  sigma->start = ritti_arena_alloc(C->arena, (size_t)rows + 1, sizeof(int));
  sigma->var = ritti_arena_alloc(C->arena, (size_t)room + 1, sizeof(int));
  sigma->order = ritti_arena_alloc(C->arena, (size_t)room + 1, sizeof(int));
  pair = ritti_arena_alloc(C->arena, (size_t)room + 1, sizeof *pair);
  if (!sigma->start || !sigma->var || !sigma->order || !pair) status = RITT_NO_MEMORY;
  for (int i = 0; i < rows && status == RITT_OK; i++) {
    int here = 0;
    for (size_t k = 0; k < jets[i].count; k++) {
      int j = ritti_index_of(C->dag, jets[i].at[k]), order = ritti_order_of(C->dag, jets[i].at[k]),
          at = 0;
      while (at < here && pair[at][0] != j) at++;
      if (at == here) pair[here][0] = j, pair[here++][1] = order;
      else if (order > pair[at][1]) pair[at][1] = order;
    }
    qsort(pair, (size_t)here, sizeof *pair, compare_entries);
    for (int e = 0; e < here; e++, count++)
      sigma->var[count] = pair[e][0], sigma->order[count] = pair[e][1];
    sigma->start[i + 1] = count;
  }
  for (int i = 0; i < rows; i++) ritti_free(jets[i].at);
  return status;
}

/* ---- is every variable there ---- */

static ritt_status check_unused(ritti_completion *C) {
  const ritti_model *model = C->model;
  bool *used;
  const char *first = NULL;
  const ritti_place *place = NULL;
  RITTI_NEW(used, C->arena, model->variables + 1);
  for (int e = 0; e < C->sigma.start[model->equations]; e++) used[C->sigma.var[e]] = true;
  for (int j = 0; j < model->variables; j++) {
    if (used[j] || model->variable[j].potential) continue;
    RITT_TRY(ritti_add_name(C, &C->check->undetermined_variables, &C->check->undetermined_count,
                            model->variable[j].name));
    if (!first) first = model->variable[j].name, place = &model->variable[j].place;
  }
  if (!first) return RITT_OK;
  const char *hint = "add an equation for it, or remove the variable";
  const ritti_part_def *part = ritti_owner_of(model, first);
  if (part) {
    place = &part->place;
    hint = ritti_arena_format(C->arena, "connect %s, or look for a value of this %s that is 0",
                              part->path, part->component);
    if (!hint) return RITT_NO_MEMORY;
  }
  return refuse_model(
      C, "underdetermined", RITT_IMPOSSIBLE, place, hint,
      ritti_arena_format(C->arena, "the variable '%s' occurs in no equation", first));
}

/* ---- offsets, stages, jets ---- */

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

/* Offsets and stages, raised until the top stage is linear in the tops, unless the implicit kind
 * takes it as it is; for the general kind until the stage below it is among the rows for every
 * equation. RITT_UNDECIDED: an equation would have to be differentiated too often. */
static ritt_status prolong_all(ritti_completion *C) {
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

/* M = { f_i^(k) = 0, k < c_i }, by k; the tops from f_i^(c_i) = 0, by c. */
static ritt_status list_rows(ritti_completion *C) {
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

static ritt_status set_up_invariants(ritti_completion *C) {
  const ritti_model *model = C->model;
  RITTI_NEW(C->given, C->arena, model->invariants + 1);
  RITTI_NEW(C->level, C->arena, model->invariants + 1);
  RITTI_NEW(C->level_invariant, C->arena, model->invariants + 1);
  for (int i = 0; i < model->invariants; i++) {
    ritti_expr value = model->invariant[i].value;
    if (value == RITTI_NIL) {
      value = ritti_level(C->dag, C->levels);
      C->level_invariant[C->levels++] = i;
    }
    C->given[i] = ritti_subtract(C->dag, model->invariant[i].expr, value);
  }
  return ritti_dag_status(C->dag);
}

static ritt_status take_levels(ritti_completion *C) {
  ritti_at at = {C, C->point};
  ritti_values values = ritti_values_at(&at);
  for (int l = 0; l < C->levels; l++)
    RITT_TRY(ritti_dag_evaluate(C->dag, C->model->invariant[C->level_invariant[l]].expr, &values,
                                &C->level[l]));
  return RITT_OK;
}

/* ---- singular points ---- */

/* A start that was asked for is singular; of one that guesses were moved to nothing follows for
 * others. */
ritt_status ritti_refuse_singular(ritti_completion *C, const char *hint, const char *reason) {
  if (!reason) return RITT_NO_MEMORY;
  if (C->moved)
    return refuse_model(
        C, "undecided", RITT_UNDECIDED, &C->model->start_place, hint,
        ritti_arena_format(
            C->arena, "the start found from the guesses given is a singular point: %s", reason));
  return refuse_model(C, "singular", RITT_IMPOSSIBLE, &C->model->start_place, hint,
                      ritti_arena_format(C->arena, "the start is a singular point: %s", reason));
}

/* The least size of each jet: its scale, if the model gives one; else 1, or, if that is less, the
 * largest value of the same order in one of its rows (lengths of nanometres, in metres). Of several
 * rows the one with the smallest such value counts: another row may contain a large multiplier. */
static ritt_status find_sizes(ritti_completion *C, const ritti_rows_system *S, double *size) {
  int *order;
  RITTI_NEW(order, C->arena, C->jets + 1);
  for (int j = 0; j < C->n; j++)
    for (int k = 0; k <= C->d[j]; k++) order[C->first[j] + k] = k;
  memset(size, 0, (size_t)C->jets * sizeof *size);
  for (int i = 0; i < S->rows; i++)
    for (int order_here = 0, more = 1; more; order_here++) {
      double most = 0;
      more = 0;
      for (int e = S->start[i]; e < S->start[i + 1]; e++) {
        if (order[S->col[e]] == order_here) most = fmax(most, fabs(C->point[S->col[e]]));
        if (order[S->col[e]] > order_here) more = 1;
      }
      for (int e = S->start[i]; e < S->start[i + 1]; e++) {
        double *here = &size[S->col[e]];
        if (order[S->col[e]] == order_here && most > 0 && (*here == 0 || most < *here))
          *here = most;
      }
    }
  for (int j = 0; j < C->n; j++)
    for (int k = 0; k <= C->d[j]; k++) {
      double *here = &size[C->first[j] + k], scale = C->model->variable[j].scale,
             usual = ritti_jet_size(C, j, k);
      double most = scale <= 0 && *here > 1e-14 * usual ? fmin(*here, usual) : usual;
      *here = fmax(fabs(C->point[C->first[j] + k]), most);
    }
  return RITT_OK;
}

/* Is this jet number that of a top? */
static bool is_top(const ritti_completion *C, int jet) {
  for (int low = 0, high = C->n - 1;;) {
    int j = low + (high - low + 1) / 2;
    if (low == high) return jet == C->first[low] + C->d[low];
    if (C->first[j] <= jet) low = j;
    else high = j - 1;
  }
}

/* size[i]: the largest entry of the gradient of row i of M, or of the derivatives of row i for the
 * tops by the tops, at a point beside the start, `far` away, in units of the jets; false: no values. */
static bool sizes_beside(ritti_completion *C, ritti_rows_system *S, bool of_tops, double far,
                         const double *unit, double *point, double *size) {
  int first = of_tops ? C->rows : 0, count = of_tops ? C->top_rows : C->rows;
  for (int j = 0; j < C->jets; j++)
    point[j] = C->point[j] + far * unit[j] * ritti_quasi_random(j, 1);
  ritti_rows_evaluate(C, S, point);
  for (int i = 0; i < count; i++) {
    size[i] = 0;
    for (int e = S->start[first + i]; e < S->start[first + i + 1]; e++)
      if (!of_tops || is_top(C, S->col[e]))
        size[i] = fmax(size[i], fabs(S->value[S->rows + e]) * unit[S->col[e]]);
  }
  return ritti_rows_finite(S, first, count);
}

/* *row: a row whose derivatives vanish at the start, though not beside it; -1: none. Farther away and
 * near it: a row with exponentials is large far away, and not small at the start. */
ritt_status ritti_find_vanishing(ritti_completion *C, bool of_tops, int *row) {
  ritti_rows_system S = {0};
  double *here, *near, *far, *point, *unit;
  int count = of_tops ? C->top_rows : C->rows;
  RITTI_NEW(here, C->arena, count + 1);
  RITTI_NEW(near, C->arena, count + 1);
  RITTI_NEW(far, C->arena, count + 1);
  RITTI_NEW(point, C->arena, C->jets + 1);
  RITTI_NEW(unit, C->arena, C->jets + 1);
  RITT_TRY(ritti_all_rows(C, true, &S));
  RITT_TRY(find_sizes(C, &S, unit));
  *row = -1;
  for (int pass = 0; pass < (of_tops ? 2 : 1); pass++) {
    /* tops at 0 to rounding have no size of their own */
    for (int j = 0; pass == 1 && j < C->n; j++)
      for (int k = 0; k <= C->d[j]; k++) {
        double *own = &unit[C->first[j] + k];
        *own = fmax(*own, ritti_jet_size(C, j, k));
      }
    bool finite = sizes_beside(C, &S, of_tops, 0, unit, point, here) &&
                  sizes_beside(C, &S, of_tops, 0.1, unit, point, far) &&
                  sizes_beside(C, &S, of_tops, 1e-3, unit, point, near);
    for (int i = 0; finite && i < count; i++)
      if (here[i] < 1e-7 * far[i] && here[i] < 1e-5 * near[i]) *row = i;
  }
  return RITT_OK;
}

/* Does the gradient of a row of M vanish at the start, though not beside it? Then M is not a manifold
 * there. */
static ritt_status check_gradients(ritti_completion *C) {
  int vanishing;
  RITT_TRY(ritti_find_vanishing(C, false, &vanishing));
  bool same = true, sure;
  if (vanishing >= 0) RITT_TRY(ritti_same_at_start(C, &same, &sure));
  if (same) return RITT_OK;
  const char *from = ritti_origin_text(C->arena, C->model, C->origin[vanishing]);
  C->check->degrees_of_freedom = RITT_UNKNOWN;
  return ritti_refuse_singular(
      C,
      "start beside it: several motions may pass through such a point, or none; or write the constraint "
      "without a square",
      ritti_arena_format(C->arena, "the derivatives of %s all vanish there",
                         from ? from : "a constraint"));
}

/* Regular at generic points, but not at the start: a singular point of the system. The fast path
 * was taken because the matrix is regular at the start. */
static ritt_status check_start(ritti_completion *C) {
  bool full, sure = true;
  double condition;
  if (C->fast) return RITT_OK;
  RITT_TRY(ritti_full_rank(C, C->point, &full, &condition));
  if (!full) RITT_TRY(ritti_same_at_start(C, &full, &sure));
  if (full) return RITT_OK;
  C->check->degrees_of_freedom = C->check->hidden_constraints = RITT_UNKNOWN;
  const char *hint = "choose another start point";
  /* the rows may be singular there although the equations are not: an elimination may have divided by
   * zero, or a dependent equation is needed, as y' = 1 beside x*(y' - 1) = 0 at x = 0 */
  if (!sure)
    return refuse_model(
        C, "undecided", RITT_UNDECIDED, &C->model->start_place, hint,
        ritti_arena_format(
            C->arena,
            "the completed equations do not determine the highest derivatives at the "
            "start (condition number %.0e); whether the equations as written do was "
            "not decided",
            condition));
  return ritti_refuse_singular(
      C, hint,
      ritti_arena_format(
          C->arena,
          "the equations do not determine the highest derivatives there (condition number %.0e)",
          condition));
}

/* ---- all together ---- */

static ritt_status set_up(ritti_completion *C) {
  int n = C->model->variables, k = C->model->equations;
  RITTI_NEW(C->residual, C->arena, k + 1);
  RITTI_NEW(C->parameter, C->arena, C->model->parameters + 1);
  RITTI_NEW(C->equation_of, C->arena, (n > k ? n : k) + 1);
  RITTI_NEW(C->variable_of, C->arena, (n > k ? n : k) + 1);
  RITTI_NEW(C->c, C->arena, k + 1);
  RITTI_NEW(C->d, C->arena, n + 1);
  RITTI_NEW(C->first, C->arena, n + 1);
  RITTI_NEW(C->stage, C->arena, k + 1);
  RITTI_NEW(C->stages, C->arena, k + 1);
  RITTI_NEW(C->non_unique, C->arena, n + 1);
  C->n = n;
  C->x = C->model->start_x;
  return RITT_OK;
}

/* The rows with the invariants, the start point, the levels. */
ritt_status ritti_take_start(ritti_completion *C) {
  RITT_TRY(set_up_invariants(C));
  RITT_TRY(ritti_find_start(C));
  return take_levels(C);
}

/* The fast path found no start: is that the user's values, or the structure? The values, if some
 * other point of the manifold exists where the tops are determined. */
static ritt_status blame_values(ritti_completion *C, bool *values) {
  ritti_rows_system S = {0};
  double *point, condition;
  bool reached = false;
  *values = false;
  RITTI_NEW(point, C->arena, C->jets + 1);
  ritt_status status = ritti_all_rows(C, false, &S);
  for (int number = 1; number <= 3 && status == RITT_OK && !*values; number++) {
    status = ritti_generic_point(C, &S, number, point, &reached);
    if (status == RITT_OK && reached) status = ritti_full_rank(C, point, values, &condition);
  }
  return status;
}

/* Pryce's way. prolonged: offsets and stages are known. *taken: it applies; what went wrong then is in
 * C->error. */
static ritt_status fast_path(ritti_completion *C, bool prolonged, bool *taken) {
  ritt_error *listener = C->error, *own = ritt_error_new();
  *taken = false;
  if (!own) return RITT_NO_MEMORY;
  C->error = own;
  C->trial = true;
  ritt_status status = prolonged ? RITT_OK : prolong_all(C);
  bool too_often = status == RITT_UNDECIDED;
  if (status == RITT_OK) status = list_rows(C);
  if (status == RITT_OK) status = ritti_take_start(C);
  if (status == RITT_OK) *taken = C->full_at_start || C->leaves_singular_tops;
  else if (status != RITT_NO_MEMORY && !too_often) {
    ritt_status blame = blame_values(C, taken);
    if (blame != RITT_OK) status = blame;
  }
  C->trial = false;
  C->error = listener;
  if (*taken) ritti_error_move(listener, own);
  else if (status != RITT_NO_MEMORY) status = RITT_OK;
  ritt_error_free(own);
  return status;
}

ritt_status ritti_find_structure(ritti_completion *C) {
  ritti_expr *exact;
  bool changed;
  RITT_TRY(set_up(C));
  RITTI_NEW(exact, C->arena, C->model->equations + 1);
  for (int i = 0; i < C->model->equations; i++) C->residual[i] = C->model->equation[i].residual;
  RITT_TRY(ritti_put_in_parameters(C, exact));
  RITT_TRY(check_constants(C, exact));
  RITT_TRY(ritti_combine_equations(C, exact, &changed));
  if (changed) C->model->keep = false;
  if (C->model->keep) RITT_TRY(ritti_may_combine(C, &C->may_combine));
  if (changed) RITT_TRY(ritti_put_in_parameters(C, exact));
  RITT_TRY(ritti_find_jet_sizes(C));
  RITT_TRY(make_signature(C, exact));
  return check_unused(C);
}

/* The general path. *known: the rows are known. *regular: they determine the highest derivatives at
 * the start. */
static ritt_status general_path(ritti_completion *C, const ritt_check *before, bool *known,
                                bool *regular) {
  double condition;
  *known = *regular = false;
  *C->check = *before;
  C->levels = C->pivots = C->rows = C->top_rows = C->prolongations = C->dependents = 0;
  C->raised = C->implicit = C->own_line = false;
  RITTI_NEW(C->d, C->arena, C->n + 1);
  RITTI_NEW(C->first, C->arena, C->n + 1);
  RITTI_NEW(C->non_unique, C->arena, C->n + 1);
  ritti_marks_restart(C);
  RITT_TRY(ritti_complete_general(C));
  *known = true;
  RITT_TRY(ritti_take_start(C));
  return ritti_full_rank(C, C->point, regular, &condition);
}

/* The general path once more, decided near the start. *taken: the result is regular there, and C
 * holds it. */
static ritt_status retry_near_start(ritti_completion *C, const ritt_check *before, bool *taken) {
  ritti_completion near = *C;
  ritt_check report;
  bool known;
  near.near_start = true;
  near.check = &report;
  near.error = ritt_error_new();
  if (!near.error) return RITT_NO_MEMORY;
  ritt_status status = general_path(&near, before, &known, taken);
  /* at the start itself a coefficient may vanish that makes another system of it: x*y'' + y' + x*y = 0
   * at x = 0 */
  *taken = *taken && near.dof == C->dof;
  ritt_error_free(near.error);
  near.error = C->error;
  near.check = C->check;

  /* plans and marks belong to both */
  C->memo = near.memo;
  C->marks = near.marks;
  ritti_marks_restart(C);
  if (*taken) {
    *C = near;
    *C->check = report;
  }
  return status == RITT_NO_MEMORY ? status : RITT_OK;
}

/* The rows of the general path are made by an elimination whose pivots are chosen at a generic
 * point. If no start is found on these rows, or if they are singular there, such a pivot may vanish
 * at the start; pivots that are chosen near the start do not. */
static ritt_status complete_generally(ritti_completion *C, const ritt_check *before) {
  ritt_error *listener = C->error, *own = ritt_error_new();
  bool known, regular, taken = false;
  if (!own) return RITT_NO_MEMORY;
  C->error = own;
  ritt_status status = general_path(C, before, &known, &regular);
  if (known && !regular && status != RITT_NO_MEMORY) {
    ritt_status again = retry_near_start(C, before, &taken);
    if (taken || again != RITT_OK) status = again;
  }
  C->error = listener;
  if (!taken) ritti_error_move(listener, own);
  ritt_error_free(own);
  return status;
}

/* The fast path without differentiating nonlinear rows for the tops once more. C->fast: it applies
 * and has a start point. *prolonged: the rows are linear, and they are known; otherwise nothing has
 * changed, and the rows are to be made linear. */
static ritt_status try_implicit(ritti_completion *C, const ritt_check *before, bool *prolonged) {
  ritt_error *listener = C->error, *own = ritt_error_new();
  if (!own) return RITT_NO_MEMORY;
  C->error = own;
  ritt_status status = prolong_all(C);
  *prolonged = status == RITT_OK && !C->implicit;
  if (status == RITT_OK && C->implicit) status = fast_path(C, true, &C->fast);
  C->error = listener;
  C->fast = C->fast && status == RITT_OK && C->implicit;
  if (C->fast && !C->leaves_singular_tops) {
    int vanishing = -1;
    status = ritti_find_vanishing(C, true, &vanishing);
    C->fast = status == RITT_OK && vanishing < 0;
  }
  C->may_be_implicit = C->fast;
  if (C->fast) ritti_error_move(listener, own);
  else *C->check = *before;
  ritt_error_free(own);
  return status == RITT_NO_MEMORY ? status : RITT_OK;
}

/* The general path near the start, whose rows must be regular there. */
static ritt_status choose_rows(ritti_completion *C, const ritt_check *before) {
  bool known, regular;
  C->near_start = true;
  RITT_TRY(general_path(C, before, &known, &regular));
  return regular ? RITT_OK : RITT_UNDECIDED;
}

static ritt_status find_rows(ritti_completion *C) {
  ritt_check before;
  bool perfect = false, prolonged = false;
  RITT_TRY(ritti_find_structure(C));
  before = *C->check;
  if (C->model->choose_rows) return choose_rows(C, &before);
  if (C->model->equations == C->model->variables)
    RITT_TRY(ritti_assign(&C->sigma, C->arena, C->equation_of, C->variable_of, &perfect));
  if (perfect && C->may_be_implicit) RITT_TRY(try_implicit(C, &before, &prolonged));
  if (perfect && !C->fast) RITT_TRY(fast_path(C, prolonged, &C->fast));
  if (C->fast) {
    for (int j = 0; j < C->n; j++) C->dof += C->d[j] - C->c[j];
    C->check->degrees_of_freedom = C->dof;
    RITT_TRY(ritti_confirm_fast(C, &C->fast));
  }
  return C->fast ? RITT_OK : complete_generally(C, &before);
}

static ritt_status run_passes(ritti_completion *C, ritti_reduced **out) {
  RITT_TRY(ritti_check_table_start(C));
  RITT_TRY(find_rows(C));
  RITT_TRY(check_gradients(C));
  RITT_TRY(check_start(C));
  RITT_TRY(ritti_check_invariants(C));
  RITT_TRY(ritti_reduce(C, out));
  RITT_TRY(ritti_check_tables(C, *out));
  RITT_TRY(ritti_offer_invariants(C));
  C->check->verdict = "determined";
  return RITT_OK;
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
    return refuse_model(&C, "undecided", RITT_WRONG_MODEL, NULL,
                        "write the unknowns under 'variable' and the equations under 'equation'",
                        model->variables == 0 ? "the model has no variables"
                                              : "the model has no equations");
  ritt_status status = run_passes(&C, out);
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

ritt_status ritti_involutive(ritti_completion *C) {
  ritt_status status = ritti_find_structure(C);
  if (status == RITT_OK) status = ritti_complete_classical(C);
  ritti_completion_clear(C);
  return status;
}
