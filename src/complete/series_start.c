/* A start at a regular singular point: the centre of a star in y'' + 2/x*y' + y^n = 0, x = 0.
 *
 * In: a model whose start was refused, since an equation has no value there (0/0) or does not determine
 * the highest derivatives. Out: the same model with other equations near the start. Denominators that
 * vanish at the start are cleared (cleared.c); if the equations have one solution that is a power series
 * (series_terms.c), up to a place x1 each equation is replaced by
 *
 *    y_j^(d_j) = the d_j-th derivative of the series of y_j,
 *
 * with the `if` of the language. This is a regular system like any other, so that rows, events, native
 * code and all methods work as usual. x1 is where the last terms of the series are below rounding in
 * quadruple precision. Outputs that have no value at the start are replaced likewise.
 */
#include "complete/series_start.h"

enum { TERMS = RITTI_SERIES_TERMS, LAST = 4 };

typedef struct series_start {
  const ritti_model *model;
  ritti_dag *dag;
  ritti_arena *arena;
  ritti_series_solution S;
  int *equation_of; /* of each variable: the equation in whose place its series stands */
  bool cleared;     /* there was a denominator that vanishes */
  double end;       /* x1 */
} series_start;

/* ---- in ---- */

static ritti_quad jet_value(const void *context, int variable, int order) {
  const ritti_series_solution *S = context;
  ritti_quad factor = 1;
  for (int i = 2; i <= order; i++) factor *= i;
  return order < S->length ? factor * S->c[variable * S->length + order] : 0;
}

static ritt_status evaluate_exact(const series_start *W, ritti_expr e, ritti_quad *value,
                                  ritti_quad *size) {
  ritti_quad_plan *plan;
  ritti_quad_values values = {.independent = W->S.x, .jet = jet_value, .context = &W->S};
  RITT_TRY(ritti_quad_plan_new(W->dag, &e, 1, &plan));
  ritti_quad_plan_evaluate(plan, &values, value, size);
  ritti_quad_plan_free(plan);
  return RITT_OK;
}

static ritt_status vanishes_at_start(void *context, ritti_expr e, bool *yes) {
  ritti_quad value, size;
  RITT_TRY(evaluate_exact(context, e, &value, &size));
  *yes = fabsq(value) <= (ritti_quad)1e4 * (ritti_quad)RITTI_QUAD_EPS * size;
  return RITT_OK;
}

static ritt_status put_in_parameters(const series_start *W, ritti_expr *e, size_t count) {
  ritti_expr *leaf, *value;
  RITTI_NEW(leaf, W->arena, W->model->parameters + 1);
  RITTI_NEW(value, W->arena, W->model->parameters + 1);
  for (int p = 0; p < W->model->parameters; p++) {
    leaf[p] = ritti_parameter(W->dag, p);
    value[p] = W->model->parameter[p].value;
  }
  return ritti_dag_substitute(W->dag, leaf, value, (size_t)W->model->parameters, e, count);
}

/* The highest derivative of each unknown, and an equation for each of them. *fits: there is one. */
static ritt_status find_orders(series_start *W, bool *fits) {
  ritti_signature sigma = {.n = W->S.n};
  int *variable_of, count = 0, room = 0;
  ritti_nodes *jets;
  ritt_status status = RITT_OK;
  RITTI_NEW(jets, W->arena, W->S.n + 1);
  RITTI_NEW(variable_of, W->arena, W->S.n + 1);
  RITTI_NEW(sigma.start, W->arena, W->S.n + 1);
  for (int i = 0; i < W->S.n && status == RITT_OK; i++) {
    status = ritti_leaves(W->dag, W->S.row[i], RITTI_JET, &jets[i]);
    room += (int)jets[i].count;
  }
  sigma.var = ritti_arena_alloc(W->arena, (size_t)room + 1, sizeof(int));
  sigma.order = ritti_arena_alloc(W->arena, (size_t)room + 1, sizeof(int));
  if (!sigma.var || !sigma.order) status = RITT_NO_MEMORY;
  for (int i = 0; i < W->S.n && status == RITT_OK; i++) {
    for (size_t k = 0; k < jets[i].count; k++) {
      int j = ritti_index_of(W->dag, jets[i].at[k]), order = ritti_order_of(W->dag, jets[i].at[k]);
      int e = sigma.start[i];
      while (e < count && sigma.var[e] != j) e++;
      if (e == count) sigma.var[count] = j, sigma.order[count++] = order;
      else if (order > sigma.order[e]) sigma.order[e] = order;
      if (order > W->S.order[j]) W->S.order[j] = order;
    }
    sigma.start[i + 1] = count;
  }
  for (int i = 0; i < W->S.n; i++) ritti_free(jets[i].at);
  RITT_TRY(status);
  return ritti_assign(&sigma, W->arena, W->equation_of, variable_of, fits);
}

/* The start values are terms of the series. */
static ritt_status take_start_values(series_start *W) {
  const ritti_model *model = W->model;
  for (int i = 0; i < model->starts; i++) {
    const ritti_start_def *def = &model->start[i];
    int at = def->variable * W->S.length + def->order;
    ritti_quad value = def->number, size;
    if (def->order >= W->S.length) continue;
    if (def->expr != RITTI_NIL) {
      ritti_expr e = def->expr;
      RITT_TRY(put_in_parameters(W, &e, 1));
      RITT_TRY(evaluate_exact(W, e, &value, &size));
    }
    for (int k = 2; k <= def->order; k++) value /= k;
    W->S.c[at] = value;
    W->S.given[at] = def->fixed;
  }
  return RITT_OK;
}

/* The place of the start: a decimal number like 0.1 is meant exactly. */
static ritti_quad exact_place(double x) {
  static const double UNIT = 1e12;
  ritti_quad rounded = roundq((ritti_quad)x * (ritti_quad)UNIT) / (ritti_quad)UNIT;
  return (double)rounded == x ? rounded : (ritti_quad)x;
}

static ritt_status set_up(series_start *W, bool *fits) {
  const ritti_model *model = W->model;
  int n = model->variables;
  W->S = (ritti_series_solution){
      .dag = W->dag, .arena = W->arena, .n = n, .x = exact_place(model->start_x)};
  RITTI_NEW(W->S.order, W->arena, n + 1);
  RITTI_NEW(W->S.row, W->arena, n + 1);
  RITTI_NEW(W->equation_of, W->arena, n + 1);
  for (int i = 0; i < n; i++) W->S.row[i] = model->equation[i].residual;
  RITT_TRY(put_in_parameters(W, W->S.row, (size_t)n));
  RITT_TRY(find_orders(W, fits));
  if (!*fits) return RITT_OK;

  W->S.length = TERMS;
  for (int j = 0; j < n; j++)
    if (TERMS + W->S.order[j] > W->S.length) W->S.length = TERMS + W->S.order[j];
  RITTI_NEW(W->S.c, W->arena, n * W->S.length + 1);
  RITTI_NEW(W->S.given, W->arena, n * W->S.length + 1);
  RITT_TRY(take_start_values(W));
  ritti_clearing task = {
      .dag = W->dag, .arena = W->arena, .vanishes = vanishes_at_start, .context = W};
  for (int i = 0; i < n; i++) {
    ritti_expr below;
    RITT_TRY(ritti_clear_denominators(&task, W->S.row[i], &W->S.row[i], &below));
    W->cleared = W->cleared || ritti_op_of(W->dag, below) != RITTI_NUMBER;
  }
  return RITT_OK;
}

/* Are the equations linear in the highest derivatives, with coefficients that depend on x alone? Then
 * it is the place that is singular, and not the values there. */
static ritt_status place_is_singular(const series_start *W, bool *yes) {
  *yes = true;
  for (int i = 0; i < W->S.n && *yes; i++) {
    ritti_gradient g;
    RITT_TRY(ritti_dag_gradient_of(W->dag, W->S.row[i], 1u << RITTI_JET, &g));
    ritt_status status = RITT_OK;
    for (size_t k = 0; k < g.count && *yes && status == RITT_OK; k++) {
      ritti_nodes jets = {0};
      bool top = ritti_order_of(W->dag, g.leaf[k]) == W->S.order[ritti_index_of(W->dag, g.leaf[k])];
      if (!top) continue;
      status = ritti_leaves(W->dag, g.derivative[k], RITTI_JET, &jets);
      *yes = jets.count == 0;
      ritti_free(jets.at);
    }
    ritti_gradient_clear(&g);
    RITT_TRY(status);
  }
  return RITT_OK;
}

/* ---- out ---- */

/* The size of the last terms of a series over that of its largest term, at the distance h. */
static ritti_quad size_of_rest(const ritti_quad *c, int terms, int order, ritti_quad h) {
  ritti_quad most = 0, rest = 0, power = 1;
  for (int l = order; l < terms; l++, power *= h) {
    ritti_quad term = fabsq(c[l]) * power;
    for (int o = 0; o < order; o++) term *= l - o;
    most = fmaxq(most, term);
    if (l >= terms - LAST) rest = fmaxq(rest, term);
  }
  return most > 0 ? rest / most : 0;
}

/* Up to where the series are exact. false: hardly anywhere. */
static bool find_end(series_start *W) {
  enum { HALVINGS = 40 };
  double length = W->model->run_end - W->model->start_x;
  ritti_quad h = (ritti_quad)fabs(length) / 8;
  for (int k = 0; k < HALVINGS; k++, h /= 2) {
    bool exact = true;
    for (int j = 0; j < W->S.n && exact; j++)
      exact = size_of_rest(W->S.c + j * W->S.length, TERMS, W->S.order[j], h) <=
              10 * (ritti_quad)RITTI_QUAD_EPS;
    if (!exact) continue;
    W->end = W->model->start_x + copysign((double)h, length);
    return W->end != W->model->start_x;
  }
  return false;
}

/* The derivative of a series as an expression of x. */
static ritti_expr write_series(const series_start *W, const ritti_quad *c, int terms, int order) {
  ritti_dag *dag = W->dag;
  ritti_expr s = ritti_subtract(dag, ritti_independent(dag), ritti_exact_quad(dag, W->S.x));
  ritti_expr sum = ritti_number(dag, 0, 1);
  for (int l = terms - 1; l >= order; l--) {
    ritti_quad term = c[l];
    for (int o = 0; o < order; o++) term *= l - o;
    sum = ritti_add(dag, ritti_multiply(dag, sum, s), ritti_exact_quad(dag, term));
  }
  return sum;
}

/* `near` up to x1, `far` beyond it */
static ritti_expr choose_by_place(const series_start *W, ritti_expr near, ritti_expr far) {
  ritti_dag *dag = W->dag;
  ritti_expr end = ritti_exact_quad(dag, W->end), x = ritti_independent(dag);
  bool forward = W->end > W->model->start_x;
  ritti_expr left = forward ? ritti_subtract(dag, end, x) : ritti_subtract(dag, x, end);
  ritti_expr when = ritti_apply(dag, RITTI_WHEN, (ritti_expr[]){left, near}, 2);
  ritti_expr unless = ritti_apply(dag, RITTI_UNLESS, (ritti_expr[]){left, far}, 2);
  return ritti_add(dag, when, unless);
}

static ritt_status write_equations(const series_start *W, ritti_model *out) {
  RITTI_NEW(out->equation, W->arena, out->equations + 1);
  memcpy(out->equation, W->model->equation, (size_t)out->equations * sizeof *out->equation);
  for (int j = 0; j < W->S.n; j++) {
    ritti_expr *residual = &out->equation[W->equation_of[j]].residual;
    int order = W->S.order[j];
    ritti_expr series = write_series(W, W->S.c + j * W->S.length, TERMS, order);
    ritti_expr near = ritti_subtract(W->dag, ritti_jet(W->dag, j, order), series);
    *residual = choose_by_place(W, near, *residual);
  }
  return ritti_dag_status(W->dag);
}

static ritt_status write_start(const series_start *W, ritti_model *out) {
  int count = 0;
  for (int j = 0; j < W->S.n; j++) count += W->S.order[j] + 1;
  RITTI_NEW(out->start, W->arena, count + 1);
  out->starts = 0;
  for (int j = 0; j < W->S.n; j++)
    for (int k = 0; k <= W->S.order[j]; k++) {
      ritti_start_def *def = &out->start[out->starts++];
      ritti_quad value = jet_value(&W->S, j, k);
      const char *name = ritti_jet_name(W->arena, W->model->variable[j].name, k);
      char digits[32];
      *def = (ritti_start_def){.variable = j,
                               .order = k,
                               .fixed = k < W->S.order[j],
                               .expr = ritti_exact_quad(W->dag, value),
                               .number = (double)value,
                               .place = W->model->start_place};
      if (!name) return RITT_NO_MEMORY;
      def->text = ritti_arena_format(W->arena, "%s %c %s", name, def->fixed ? '=' : '~',
                                     ritti_shortest(def->number, digits));
      if (!def->text) return RITT_NO_MEMORY;
    }
  return ritti_dag_status(W->dag);
}

static void jet_series(const void *context, int variable, int order, int terms, ritti_quad *out) {
  const ritti_series_solution *S = context;
  for (int t = 0; t < terms; t++) {
    out[t] = S->c[variable * S->length + t + order];
    for (int o = 0; o < order; o++) out[t] *= t + order - o;
  }
}

/* The series of a quotient whose parts both may vanish. *terms: how many are known; 0: it has a pole. */
static void divide_series(ritti_quad *above, const ritti_quad *below, int *terms) {
  int zeros = 0;
  while (zeros < *terms && below[zeros] == 0) zeros++;
  for (int k = 0; k < zeros; k++)
    if (fabsq(above[k]) > sqrtq((ritti_quad)RITTI_QUAD_EPS)) zeros = *terms;
  *terms -= zeros;
  for (int k = 0; k < *terms; k++) {
    ritti_quad rest = above[k + zeros];
    for (int i = 1; i <= k; i++) rest -= below[zeros + i] * above[k - i];
    above[k] = rest / below[zeros];
  }
}

/* An output that has no value at the start has that of its series. */
static ritt_status rewrite_output(series_start *W, ritti_expr *output) {
  ritti_expr root[2], e = *output;
  ritti_quad value[2 * TERMS];
  ritti_quad_series_plan *plan;
  ritti_clearing task = {
      .dag = W->dag, .arena = W->arena, .vanishes = vanishes_at_start, .context = W};
  RITT_TRY(put_in_parameters(W, &e, 1));
  RITT_TRY(ritti_clear_denominators(&task, e, &root[0], &root[1]));
  if (ritti_op_of(W->dag, root[1]) == RITTI_NUMBER) return RITT_OK;

  int terms = TERMS - 4;
  ritti_quad_series_values values = {.independent = W->S.x, .jet = jet_series, .context = &W->S};
  RITT_TRY(ritti_quad_series_plan_new(W->dag, root, 2, terms, &plan));
  ritti_quad_series_plan_evaluate(plan, &values, terms, value);
  ritti_quad_series_plan_free(plan);
  int known = terms;
  divide_series(value, value + terms, &known);
  if (known > TERMS / 2) *output = choose_by_place(W, write_series(W, value, known, 0), *output);
  return ritti_dag_status(W->dag);
}

static ritt_status rewrite_outputs(series_start *W, int count, ritti_output_def **list) {
  ritti_output_def *own;
  RITTI_NEW(own, W->arena, count + 1);
  if (count) memcpy(own, *list, (size_t)count * sizeof *own);
  *list = own;
  for (int i = 0; i < count; i++) RITT_TRY(rewrite_output(W, &own[i].expr));
  return RITT_OK;
}

/* ---- messages ---- */

static ritt_status name_family(series_start *W, const char **reason, const char **hint) {
  const char *name = ritti_jet_name(W->arena, W->model->variable[W->S.variable].name, W->S.jet);
  if (!name) return RITT_NO_MEMORY;
  *reason = ritti_arena_format(
      W->arena,
      "the start is a singular point, and more than one smooth solution begins there: %s is not "
      "determined",
      name);
  *hint = ritti_arena_format(W->arena, "give %s a value under 'start', or start beside this point",
                             name);
  return *reason && *hint ? RITT_OK : RITT_NO_MEMORY;
}

static ritt_status name_contradiction(series_start *W, const char **reason, const char **hint) {
  const char *from = ritti_origin_text(W->arena, W->model,
                                       (ritti_origin){.equation = W->S.equation, .invariant = -1});
  const char *power = W->S.term == 0
                          ? ""
                          : ritti_arena_format(W->arena, "*(%s - %.6g)^%d", W->model->independent,
                                               W->model->start_x, W->S.term);
  if (!from || !power) return RITT_NO_MEMORY;
  *reason = ritti_arena_format(
      W->arena,
      "the start is a singular point, and no smooth solution with these start values begins there: "
      "%s%s leaves %.3g%s",
      from, W->cleared ? ", without its denominators," : "", W->S.leaves, power);
  *hint = "leave out a start value, or start beside this point";
  return *reason ? RITT_OK : RITT_NO_MEMORY;
}

static ritt_status take_series(series_start *W, ritti_model **out, const char **note,
                               const char **reason, const char **hint) {
  ritti_series_verdict verdict;
  bool singular;
  RITT_TRY(ritti_find_series(&W->S, &verdict));
  RITT_TRY(place_is_singular(W, &singular));
  bool sure = W->cleared || singular;
  if (verdict == RITTI_SERIES_FAMILY && sure) return name_family(W, reason, hint);
  if (verdict == RITTI_SERIES_NONE && sure) return name_contradiction(W, reason, hint);
  if (verdict == RITTI_SERIES_DIVERGES && sure) {
    *reason = "the start is an irregular singular point: the power series of a smooth solution "
              "diverges there, and many solutions may have it";
    *hint = "start beside this point";
    return RITT_OK;
  }
  if (verdict != RITTI_SERIES_FOUND || !find_end(W)) return RITT_OK;

  ritti_model *own;
  RITTI_NEW(own, W->arena, 1);
  *own = *W->model;
  own->keep = false;
  RITT_TRY(write_equations(W, own));
  RITT_TRY(write_start(W, own));
  RITT_TRY(rewrite_outputs(W, own->outputs, &own->output));
  RITT_TRY(rewrite_outputs(W, own->plot_columns, &own->plot_column));
  *note = ritti_arena_format(W->arena,
                             "the start is a regular singular point with one smooth solution; up "
                             "to %s = %.6g its power series is followed",
                             W->model->independent, W->end);
  if (!*note) return RITT_NO_MEMORY;
  *out = own;
  return RITT_OK;
}

ritt_status ritti_take_series_start(const ritti_model *model, ritti_arena *arena, ritti_model **out,
                                    const char **note, const char **reason, const char **hint,
                                    int *free) {
  series_start W = {.model = model, .dag = model->dag, .arena = arena};
  bool fits;
  *out = NULL;
  *note = *reason = *hint = NULL;
  if (model->equations != model->variables || model->run != RITTI_RUN_X) return RITT_OK;
  if (!(model->run_end != model->start_x)) return RITT_OK;
  RITT_TRY(set_up(&W, &fits));
  if (!fits) return RITT_OK;
  RITT_TRY(take_series(&W, out, note, reason, hint));
  *free = W.S.free;
  return RITT_OK;
}
