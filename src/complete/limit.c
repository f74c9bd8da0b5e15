/* The limit of a model with a strong potential for eps -> 0, as a model: (2.25.0) of Ch. Lubich
 * (1992),
 *
 *    M(y) y'' = f(t, y, y') - G^T lambda,   g(t, y) = 0,   G = dg/dy
 *
 * g: where U is a sum of c_k g_k^2 with factors c_k free of variables, and as many g_k as the
 * codimension m, and they vanish where grad U does, these; else the m components of grad U whose
 * derivatives, rows of the Hessian, are independent.
 */
#include "complete/strong_impl.h"

/* u solves grad U = 0 nearly to quadruple precision */
static const ritti_quad VANISHED = 1e-9;

typedef RITTI_ARRAY(ritti_expr) expressions;

static ritt_status holds_variables(const ritti_dag *dag, ritti_expr e, bool *yes) {
  ritti_nodes jets;
  RITT_TRY(ritti_leaves(dag, e, RITTI_JET, &jets));
  *yes = jets.count > 0;
  ritti_free(jets.at);
  return RITT_OK;
}

static bool is_square(const ritti_dag *dag, ritti_expr e) {
  if (ritti_op_of(dag, e) != RITTI_POWER) return false;
  ritti_expr exponent = ritti_argument(dag, e, 1);
  return ritti_op_of(dag, exponent) == RITTI_NUMBER &&
         mpq_cmp_si(ritti_rational_of(dag, exponent), 2, 1) == 0;
}

/* The g_k of a sum of squares, terms without variables left out. *squares: it is one. */
static ritt_status list_squares(const ritti_dag *dag, ritti_expr U, expressions *g, bool *squares) {
  expressions waiting = {0};
  ritt_status status = RITTI_PUSH(waiting, U);
  *squares = true;
  while (status == RITT_OK && waiting.count && *squares) {
    ritti_expr e = waiting.at[--waiting.count];
    bool moves = false, other = false;
    status = holds_variables(dag, e, &moves);
    if (status != RITT_OK || !moves) continue;
    ritti_op op = ritti_op_of(dag, e);
    if (is_square(dag, e)) {
      status = RITTI_PUSH(*g, ritti_argument(dag, e, 0));
      continue;
    }
    size_t count = op == RITTI_ADD || op == RITTI_MULTIPLY ? ritti_argument_count(dag, e) : 0;
    int moving = 0;
    for (size_t i = 0; i < count && status == RITT_OK; i++) {
      status = holds_variables(dag, ritti_argument(dag, e, i), &other);
      moving += other;
      if (status == RITT_OK && other) status = RITTI_PUSH(waiting, ritti_argument(dag, e, i));
    }
    *squares = op == RITTI_ADD || (op == RITTI_MULTIPLY && moving == 1);
  }
  RITTI_ARRAY_FREE(waiting);
  return status;
}

/* Do they vanish where grad U does? Springs that pull against each other do not. */
static ritt_status all_vanish(const ritti_strong_system *S, const expressions *g, bool *yes) {
  ritti_strong_values values = {.count = g->count};
  ritti_quad *parameter, *value;
  RITTI_NEW(value, S->arena, g->count);
  RITT_TRY(ritti_strong_parameters(S, &parameter));
  values.parameter = parameter;
  RITT_TRY(ritti_quad_plan_new(S->model->dag, g->at, g->count, &values.plan));
  ritti_strong_evaluate(&values, S->model->start_x, S->u, NULL, value);
  ritti_quad_plan_free(values.plan);
  *yes = true;
  for (size_t k = 0; k < g->count; k++) *yes = *yes && fabsq(value[k]) < VANISHED;
  return RITT_OK;
}

static ritt_status list_constraints(const ritti_strong_system *S, expressions *g) {
  bool squares;
  RITT_TRY(list_squares(S->model->dag, S->model->strong_potential, g, &squares));
  squares = squares && (int)g->count == S->m;
  if (squares) RITT_TRY(all_vanish(S, g, &squares));
  if (squares) {
    /* in the order of the text, which is that of the sum */
    for (size_t i = 0; i < g->count / 2; i++) {
      ritti_expr e = g->at[i];
      g->at[i] = g->at[g->count - 1 - i], g->at[g->count - 1 - i] = e;
    }
    return RITT_OK;
  }
  g->count = 0;
  for (int k = 0; k < S->m; k++) RITT_TRY(RITTI_PUSH(*g, S->gradient[S->column[k]]));
  return RITT_OK;
}

static bool is_taken(const ritti_model *model, const char *name) {
  for (int i = 0; i < model->variable_names; i++)
    if (!strcmp(model->variable_name[i].name, name)) return true;
  for (int i = 0; i < model->parameter_names; i++)
    if (!strcmp(model->parameter_name[i].name, name)) return true;
  return false;
}

/* The multipliers behind the variables: lambda[1], ... */
static ritt_status add_multipliers(const ritti_strong_system *S, ritti_model *out) {
  ritti_arena *arena = S->arena;
  const ritti_model *model = S->model;
  int n = S->n, m = S->m;
  const char *name = is_taken(model, "lambda") ? "limit_lambda" : "lambda", **names;
  RITTI_NEW(out->variable, arena, n + m);
  RITTI_NEW(out->variable_name, arena, model->variable_names + 1);
  RITTI_NEW(names, arena, n + m);
  memcpy(out->variable, model->variable, (size_t)n * sizeof *out->variable);
  memcpy(out->variable_name, model->variable_name,
         (size_t)model->variable_names * sizeof *out->variable_name);
  memcpy(names, model->names.variable, (size_t)n * sizeof *names);
  for (int k = 0; k < m; k++) {
    names[n + k] = ritti_arena_format(arena, "%s[%d]", name, k + 1);
    if (!names[n + k]) return RITT_NO_MEMORY;
    out->variable[n + k] = (ritti_variable_def){.name = names[n + k], .place = model->strong_place};
  }
  const char *shown = ritti_arena_format(arena, "%s[1..%d]", name, m);
  if (!shown) return RITT_NO_MEMORY;
  out->variable_name[out->variable_names++] =
      (ritti_name_def){.name = name, .shown = shown, .first = n, .count = m};
  out->variables = n + m;
  out->names.variable = names;
  return RITT_OK;
}

/* sum_k dg_k/dy_i lambda_k for all i */
static ritt_status gather_reactions(const ritti_strong_system *S, const ritti_expr *g,
                                    ritti_expr *reaction) {
  ritti_dag *dag = S->model->dag;
  for (int i = 0; i < S->n; i++) reaction[i] = ritti_number(dag, 0, 1);
  for (int k = 0; k < S->m; k++) {
    ritti_gradient row;
    RITT_TRY(ritti_dag_gradient_of(dag, g[k], 1u << RITTI_JET, &row));
    for (size_t e = 0; e < row.count; e++) {
      int i = ritti_index_of(dag, row.leaf[e]);
      reaction[i] = ritti_add(dag, reaction[i],
                              ritti_multiply(dag, row.derivative[e], ritti_jet(dag, S->n + k, 0)));
    }
    ritti_gradient_clear(&row);
  }
  return RITT_OK;
}

static ritt_status add_equations(const ritti_strong_system *S, const ritti_expr *g,
                                 ritti_model *out) {
  ritti_dag *dag = S->model->dag;
  ritti_expr *reaction, *terms;
  int n = S->n;
  RITTI_NEW(reaction, S->arena, n);
  RITTI_NEW(terms, S->arena, n);
  RITTI_NEW(out->equation, S->arena, n + S->m);
  RITT_TRY(gather_reactions(S, g, reaction));
  for (int i = 0; i < n; i++) {
    ritti_equation_def *e = &out->equation[S->row[i]];
    size_t count = 0;
    for (int k = S->M.pattern.start[i]; k < S->M.pattern.start[i + 1]; k++)
      terms[count++] = ritti_multiply(dag, S->M.entry[k], ritti_jet(dag, S->M.pattern.col[k], 2));
    *e = S->model->equation[S->row[i]];
    e->source = "stiff";
    e->left = ritti_sum(dag, terms, count);
    e->right = ritti_subtract(dag, S->force[i], reaction[i]);
    e->residual = ritti_subtract(dag, e->left, e->right);
  }
  for (int k = 0; k < S->m; k++) {
    ritti_equation_def *e = &out->equation[n + k];
    *e = (ritti_equation_def){.subject =
                                  ritti_arena_format(S->arena, "constraint %d of the limit", k + 1),
                              .source = "stiff",
                              .left = g[k],
                              .right = ritti_number(dag, 0, 1),
                              .residual = g[k],
                              .place = S->model->strong_place};
    if (!e->subject) return RITT_NO_MEMORY;
  }
  out->equations = n + S->m;
  return ritti_dag_status(dag);
}

ritt_status ritti_strong_limit(const ritti_strong_system *S, ritti_model **out) {
  expressions g = {0};
  RITTI_NEW(*out, S->arena, 1);
  **out = *S->model;
  (*out)->strong_potential = RITTI_NIL;
  ritt_status status = list_constraints(S, &g);
  if (status == RITT_OK) status = add_multipliers(S, *out);
  if (status == RITT_OK) status = add_equations(S, g.at, *out);
  RITTI_ARRAY_FREE(g);
  return status;
}
