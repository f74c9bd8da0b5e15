/* The equations of a model with a strong potential -> M, f, grad U, H.
 *
 * In: equations of second order, one for each variable, linear in the accelerations, in any order
 * and with any sign: residual = s (M y'' - f + grad U/eps^2). Which row belongs to which variable,
 * and its sign, is seen from the part of the residual that goes with eps^-2, at points that are not
 * special; where grad U says nothing (it is zero, or that of another variable, too) the matrix of
 * the accelerations decides.
 */
#include "complete/strong_impl.h"

enum { POINTS = 3, EPSILONS = 3 };
static const double epsilon[EPSILONS] = {1, 0.5, 0.25};
/* rounding in the terms of a residual; two numbers that are the same except for it */
static const ritti_quad ROUNDING = 1e-28, SAME = 1e-12;

typedef struct finder {
  ritti_strong_system *S;
  ritti_model *model;
  ritti_arena *arena;
  ritti_dag *dag;
  int n;
  const double *start;          /* 3 n: y, y', y'' of the start values, 0 where there is none */
  ritti_quad *parameter;        /* those of the model */
  ritti_quad *pulled[POINTS];   /* n: the part of each residual with eps^-2 */
  ritti_quad *gradient[POINTS]; /* n */
  ritti_quad *plain[POINTS];    /* n: the residuals for eps = 1 */
  ritti_quad *weight; /* n x n at the first point: of the acceleration of variable j in row i */
  int *sign;          /* n: of each row */
  ritti_quad floor;   /* rounding in gradients, over SAME */
  bool *other;        /* n: the residual depends on eps in another way */
} finder;

typedef struct place_at {
  const finder *F;
  int number;
} place_at;

/* A point that is not special, near the start. */
static ritti_quad jet_value(const void *context, int variable, int order) {
  const place_at *at = context;
  const finder *F = at->F;
  if (order > 2) return NAN;
  double value = F->start[3 * variable + order], scale = F->model->variable[variable].scale;
  double size = fmax(fabs(value), scale > 0 ? scale : 1);
  return value + 0.1 * size * ritti_quasi_random(3 * variable + order, at->number + 1);
}

static ritti_quad_values values_at(const place_at *at) {
  return (ritti_quad_values){.independent = at->F->model->start_x + 0.01 * at->number,
                             .jet = jet_value,
                             .context = at,
                             .parameter = at->F->parameter};
}

/* ---- the form ---- */

static ritt_status note_unlike(finder *F, const char *why) {
  F->S->unlike = true;
  F->S->why = why;
  return why ? RITT_OK : RITT_NO_MEMORY;
}

/* One equation of second order for each variable? */
static ritt_status check_orders(finder *F) {
  const ritti_model *model = F->model;
  int n = model->variables, *highest;
  RITTI_NEW(highest, F->arena, n + 1);
  for (int i = 0; i < model->equations; i++) {
    ritti_nodes jets;
    RITT_TRY(ritti_leaves(F->dag, model->equation[i].residual, RITTI_JET, &jets));
    for (size_t k = 0; k < jets.count; k++) {
      int j = ritti_index_of(F->dag, jets.at[k]), order = ritti_order_of(F->dag, jets.at[k]);
      if (order > highest[j]) highest[j] = order;
    }
    ritti_free(jets.at);
  }
  for (int j = 0; j < n; j++)
    if (highest[j] != 2)
      return note_unlike(F, ritti_arena_format(F->arena,
                                               "the variable '%s' has no equation of second order",
                                               model->variable[j].name));
  if (model->equations != n)
    return note_unlike(F, ritti_arena_format(F->arena, "there are %d equations of %d variables",
                                             model->equations, n));
  return RITT_OK;
}

/* ---- derivatives ---- */

/* The derivatives of some expressions by the jets of an order, as a matrix with the variables for
 * columns. */
static ritt_status by_jets(finder *F, const ritti_expr *root, int rows, int order,
                           ritti_expr_matrix *out) {
  RITTI_ARRAY(ritti_expr) entry = {0};
  RITTI_ARRAY(int) col = {0};
  int *start, *kept;
  ritt_status status = RITT_OK;
  RITTI_NEW(start, F->arena, rows + 1);
  for (int i = 0; i < rows && status == RITT_OK; i++) {
    ritti_gradient g = {0};
    status = ritti_dag_gradient_of(F->dag, root[i], 1u << RITTI_JET, &g);
    for (int j = 0; j < F->n && status == RITT_OK; j++) /* columns ascending */
      for (size_t e = 0; e < g.count && status == RITT_OK; e++) {
        if (ritti_index_of(F->dag, g.leaf[e]) != j || ritti_order_of(F->dag, g.leaf[e]) != order)
          continue;
        status = RITTI_PUSH(entry, g.derivative[e]);
        if (status == RITT_OK) status = RITTI_PUSH(col, j);
      }
    ritti_gradient_clear(&g);
    start[i + 1] = (int)col.count;
  }
  kept = status == RITT_OK ? ritti_arena_alloc(F->arena, col.count + 1, sizeof *kept) : NULL;
  out->entry = kept ? ritti_arena_alloc(F->arena, entry.count + 1, sizeof *out->entry) : NULL;
  if (status == RITT_OK && !out->entry) status = RITT_NO_MEMORY;
  if (status == RITT_OK && col.count) {
    memcpy(kept, col.at, col.count * sizeof *kept);
    memcpy(out->entry, entry.at, entry.count * sizeof *out->entry);
  }
  out->pattern = (ritti_pattern){rows, F->n, start, kept};
  RITTI_ARRAY_FREE(entry);
  RITTI_ARRAY_FREE(col);
  return status;
}

/* grad U, and its derivatives. */
static ritt_status derive_potential(finder *F) {
  ritti_strong_system *S = F->S;
  ritti_gradient g;
  RITTI_NEW(S->gradient, F->arena, F->n);
  for (int j = 0; j < F->n; j++) S->gradient[j] = ritti_number(F->dag, 0, 1);
  RITT_TRY(ritti_dag_gradient_of(F->dag, F->model->strong_potential, 1u << RITTI_JET, &g));
  for (size_t e = 0; e < g.count; e++)
    S->gradient[ritti_index_of(F->dag, g.leaf[e])] = g.derivative[e];
  ritti_gradient_clear(&g);
  return by_jets(F, S->gradient, F->n, 0, &S->H);
}

/* ---- which row is whose ---- */

/* The part with eps^-2 of every residual, from three values of eps, and grad U, at points. */
static ritt_status find_strong_part(finder *F, const ritti_expr_matrix *A) {
  int n = F->n;
  size_t entries = ritti_entries(&A->pattern), count = 2 * (size_t)n + entries;
  ritti_expr *root;
  ritti_quad *value, *residual;
  ritti_quad_plan *plan;
  RITTI_NEW(root, F->arena, count);
  RITTI_NEW(value, F->arena, count);
  RITTI_NEW(residual, F->arena, EPSILONS * n);
  RITTI_NEW(F->weight, F->arena, n * n);
  RITTI_NEW(F->other, F->arena, n);
  for (int i = 0; i < n; i++)
    root[i] = F->model->equation[i].residual, root[n + i] = F->S->gradient[i];
  if (entries) memcpy(root + 2 * n, A->entry, entries * sizeof *root);
  for (int p = 0; p < POINTS; p++) {
    RITTI_NEW(F->pulled[p], F->arena, n);
    RITTI_NEW(F->gradient[p], F->arena, n);
    RITTI_NEW(F->plain[p], F->arena, n);
  }
  RITT_TRY(ritti_quad_plan_new(F->dag, root, count, &plan));
  for (int p = 0; p < POINTS; p++) {
    place_at at = {F, p};
    ritti_quad_values values = values_at(&at);
    for (int k = 0; k < EPSILONS; k++) {
      F->parameter[F->model->strong_parameter] = epsilon[k];
      ritti_quad_plan_evaluate(plan, &values, value, NULL);
      memcpy(residual + k * n, value, (size_t)n * sizeof *residual);
    }
    for (int i = 0; i < n; i++) {
      ritti_quad one = 1 / (ritti_quad)(epsilon[1] * epsilon[1]) - 1;
      ritti_quad two = 1 / ((ritti_quad)epsilon[2] * epsilon[2]) - 1;
      ritti_quad pulled = (residual[n + i] - residual[i]) / one,
                 again = (residual[2 * n + i] - residual[i]) / two;
      ritti_quad size = fabsq(residual[i]) + fabsq(residual[n + i]) + fabsq(residual[2 * n + i]);
      F->pulled[p][i] = fabsq(pulled) <= ROUNDING * size ? 0 : pulled;
      F->gradient[p][i] = value[n + i];
      F->floor = fmaxq(F->floor, 1e-14 * fabsq(value[n + i]));
      F->plain[p][i] = residual[i];
      F->other[i] = F->other[i] || !(fabsq(pulled - again) <= ROUNDING * size);
      for (int e = A->pattern.start[i]; p == 0 && e < A->pattern.start[i + 1]; e++)
        F->weight[i * n + A->pattern.col[e]] = value[2 * n + e];
    }
  }
  ritti_quad_plan_free(plan);
  return RITT_OK;
}

/* The sign with which row i has the strong force of variable j: 0: it has not; 2: both have none.
 */
static int sign_for(const finder *F, int i, int j) {
  bool plus = true, minus = true;
  for (int p = 0; p < POINTS; p++) {
    ritti_quad a = F->pulled[p][i], b = F->gradient[p][j], size = fabsq(a) + fabsq(b) + F->floor;
    plus = plus && fabsq(a - b) <= SAME * size;
    minus = minus && fabsq(a + b) <= SAME * size;
  }
  return plus && minus ? 2 : plus ? 1 : minus ? -1 : 0;
}

/* Gives every row its variable, first the heaviest accelerations. */
static ritt_status match_rows(finder *F, ritt_error *error) {
  int n = F->n, *row;
  bool *taken;
  RITTI_NEW(row, F->arena, n);
  RITTI_NEW(taken, F->arena, n);
  RITTI_NEW(F->sign, F->arena, n);
  for (int j = 0; j < n; j++) row[j] = -1;
  for (int k = 0; k < n; k++) {
    int best_i = -1, best_j = -1, sign = 0;
    ritti_quad best = 0;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n && !taken[i] && !F->other[i]; j++) {
        ritti_quad w = fabsq(F->weight[i * n + j]);
        if (row[j] >= 0 || !(w > best)) continue;
        int s = sign_for(F, i, j);
        if (s) best = w, best_i = i, best_j = j, sign = s;
      }
    if (best_i < 0) break;
    taken[best_i] = true, row[best_j] = best_i;
    F->sign[best_i] = sign != 2 ? sign : F->weight[best_i * n + best_j] > 0 ? 1 : -1;
  }
  F->S->row = row;
  for (int i = 0; i < n; i++) {
    if (taken[i]) continue;
    const char *where = ritti_origin_text(
        F->arena, F->model, (ritti_origin){.equation = i, .invariant = -1, .order = 0});
    return ritti_fail(
        error, RITT_IMPOSSIBLE, &F->model->equation[i].place,
        "write every equation as M y'' = f - grad U/eps^2, with U of the section 'stiff'",
        F->other[i] ? "%s depends on the small parameter in another way than through grad U/eps^2"
                    : "%s does not contain the derivative of U by one of the variables, over eps^2",
        where ? where : "an equation");
  }
  return RITT_OK;
}

/* ---- f ---- */

/* eps to a negative power is 0 where eps is infinite */
static ritti_expr drop_eps(void *context, ritti_dag *dag, ritti_expr node, const ritti_expr *args,
                           size_t count) {
  ritti_expr eps = *(const ritti_expr *)context;
  if (ritti_op_of(dag, node) != RITTI_POWER || count != 2 || args[0] != eps) return RITTI_NIL;
  bool number = ritti_op_of(dag, args[1]) == RITTI_NUMBER;
  return number && mpq_sgn(ritti_rational_of(dag, args[1])) < 0 ? ritti_number(dag, 0, 1)
                                                                : RITTI_NIL;
}

/* The residuals without their strong force, for the variables one after the other: by eps^-2 = 0,
 */
static ritt_status by_rebuilding(finder *F, ritti_expr eps, ritti_expr *rest) {
  for (int j = 0; j < F->n; j++) rest[j] = F->model->equation[F->S->row[j]].residual;
  return ritti_dag_rebuild(F->dag, drop_eps, &eps, rest, (size_t)F->n);
}

/* or by taking the force away where eps = 1, so that it is not large. */
static ritt_status by_subtraction(finder *F, ritti_expr eps, int j, ritti_expr *rest) {
  ritti_expr one = ritti_number(F->dag, 1, 1), force = F->S->gradient[j];
  *rest = F->model->equation[F->S->row[j]].residual;
  RITT_TRY(ritti_dag_substitute(F->dag, &eps, &one, 1, rest, 1));
  *rest = F->sign[F->S->row[j]] > 0 ? ritti_subtract(F->dag, *rest, force)
                                    : ritti_add(F->dag, *rest, force);
  return RITT_OK;
}

/* right[j]: rest[j] is the residual without its force, seen at the points */
static ritt_status compare_rest(finder *F, const ritti_expr *rest, bool *right) {
  int n = F->n;
  ritti_quad *value;
  ritti_quad_plan *plan;
  RITTI_NEW(value, F->arena, n);
  RITT_TRY(ritti_quad_plan_new(F->dag, rest, (size_t)n, &plan));
  for (int j = 0; j < n; j++) right[j] = true;
  for (int p = 0; p < POINTS; p++) {
    place_at at = {F, p};
    ritti_quad_values values = values_at(&at);
    ritti_quad_plan_evaluate(plan, &values, value, NULL);
    for (int j = 0; j < n; j++) {
      int i = F->S->row[j];
      ritti_quad whole = F->plain[p][i], force = F->sign[i] * F->gradient[p][j];
      right[j] =
          right[j] && fabsq(value[j] + force - whole) <= 1e-25 * (fabsq(whole) + fabsq(force));
    }
  }
  ritti_quad_plan_free(plan);
  return RITT_OK;
}

/* f = -s (the residual at y'' = 0 without its strong force) */
static ritt_status find_forces(finder *F) {
  ritti_strong_system *S = F->S;
  ritti_dag *dag = F->dag;
  int n = F->n;
  ritti_expr eps = ritti_parameter(dag, F->model->strong_parameter), *top, *zero;
  bool *right;
  RITTI_NEW(S->force, F->arena, n);
  RITTI_NEW(right, F->arena, n);
  RITTI_NEW(top, F->arena, n);
  RITTI_NEW(zero, F->arena, n);
  for (int j = 0; j < n; j++) top[j] = ritti_jet(dag, j, 2), zero[j] = ritti_number(dag, 0, 1);
  RITT_TRY(by_rebuilding(F, eps, S->force));
  RITT_TRY(ritti_dag_status(dag));
  RITT_TRY(compare_rest(F, S->force, right));
  for (int j = 0; j < n; j++) {
    if (!right[j] || ritti_depends_on(dag, S->force[j], eps))
      RITT_TRY(by_subtraction(F, eps, j, &S->force[j]));
    if (F->sign[S->row[j]] > 0) S->force[j] = ritti_negate(dag, S->force[j]);
  }
  return ritti_dag_substitute(dag, top, zero, (size_t)n, S->force, (size_t)n);
}

/* M, in the order of the variables. */
static ritt_status find_mass(finder *F) {
  ritti_strong_system *S = F->S;
  ritti_expr *residual;
  RITTI_NEW(residual, F->arena, F->n);
  for (int j = 0; j < F->n; j++) {
    ritti_expr r = F->model->equation[S->row[j]].residual;
    residual[j] = F->sign[S->row[j]] > 0 ? r : ritti_negate(F->dag, r);
  }
  RITT_TRY(by_jets(F, residual, F->n, 2, &S->M));
  for (size_t e = 0; e < ritti_entries(&S->M.pattern); e++) {
    ritti_nodes jets;
    bool plain = true;
    RITT_TRY(ritti_leaves(F->dag, S->M.entry[e], RITTI_JET, &jets));
    for (size_t k = 0; k < jets.count; k++)
      plain = plain && ritti_order_of(F->dag, jets.at[k]) == 0;
    ritti_free(jets.at);
    if (!plain)
      return note_unlike(F,
                         "the factors of the accelerations depend on velocities or accelerations");
  }
  return RITT_OK;
}

/* ---- all together ---- */

static ritt_status take_start(finder *F) {
  double *start;
  RITTI_NEW(start, F->arena, 3 * F->model->variables + 1);
  RITT_TRY(ritti_strong_parameters(F->S, &F->parameter));
  for (int i = 0; i < F->model->starts; i++) {
    const ritti_start_def *s = &F->model->start[i];
    if (s->order <= 2) start[3 * s->variable + s->order] = s->number;
  }
  F->start = start;
  return RITT_OK;
}

ritt_status ritti_strong_parts(ritti_model *model, ritti_arena *arena, ritt_error *error,
                               ritti_strong_system **out) {
  finder F = {.model = model, .arena = arena, .dag = model->dag, .n = model->variables};
  ritti_expr_matrix A;
  ritti_expr *residual;
  RITTI_NEW(F.S, arena, 1);
  *out = F.S;
  *F.S = (ritti_strong_system){.model = model, .arena = arena, .n = F.n};
  RITT_TRY(check_orders(&F));
  if (!F.S->unlike && ritti_depends_on(F.dag, model->strong_potential, ritti_independent(F.dag)))
    RITT_TRY(note_unlike(&F, "the strong potential depends on the independent variable"));
  if (F.S->unlike) return RITT_OK;
  RITT_TRY(take_start(&F));
  RITT_TRY(derive_potential(&F));
  RITTI_NEW(residual, arena, F.n);
  for (int i = 0; i < F.n; i++) residual[i] = model->equation[i].residual;
  RITT_TRY(by_jets(&F, residual, F.n, 2, &A));
  RITT_TRY(find_strong_part(&F, &A));
  RITT_TRY(match_rows(&F, error));
  RITT_TRY(find_mass(&F));
  if (!F.S->unlike) RITT_TRY(find_forces(&F));
  return ritti_dag_status(model->dag);
}
