/* Equations that are linear with constant coefficients.
 *
 * In: residuals of the model's equations. Out: their coefficients, the parameters at their exact
 * values, and the forcing, which is the residual with all jets 0. An equation counts as linear if
 * every partial derivative by a jet is written without jets and without the independent variable;
 * (x + 1)^2 - x^2 does not. */
#include "complete/linear.h"

typedef RITTI_ARRAY(ritti_linear_term) terms;

/* Is the expression made of numbers and pi by sums, products and whole powers? */
static bool is_constant(const ritti_dag *dag, ritti_expr e) {
  switch (ritti_op_of(dag, e)) {
  case RITTI_NUMBER:
  case RITTI_PI: return true;
  case RITTI_POWER: {
    ritti_expr exponent = ritti_argument(dag, e, 1);
    return ritti_op_of(dag, exponent) == RITTI_NUMBER &&
           mpz_cmp_ui(mpq_denref(ritti_rational_of(dag, exponent)), 1) == 0 &&
           mpz_fits_sshort_p(mpq_numref(ritti_rational_of(dag, exponent))) &&
           is_constant(dag, ritti_argument(dag, e, 0));
  }
  case RITTI_ADD:
  case RITTI_MULTIPLY:
    for (size_t i = 0; i < ritti_argument_count(dag, e); i++)
      if (!is_constant(dag, ritti_argument(dag, e, i))) return false;
    return true;
  default: return false;
  }
}

/* The partial derivatives of one equation by its jets, in the model's numbers. */
static ritt_status add_gradient(ritti_completion *C, ritti_expr residual, terms *out) {
  ritti_gradient g;
  RITT_TRY(ritti_dag_gradient_of(C->dag, residual, 1u << RITTI_JET, &g));
  ritt_status status = RITT_OK;
  for (size_t e = 0; e < g.count; e++) {
    ritti_linear_term term = {ritti_index_of(C->dag, g.leaf[e]), ritti_order_of(C->dag, g.leaf[e]),
                              g.derivative[e]};
    status = RITTI_PUSH(*out, term);
    if (status != RITT_OK) break;
  }
  ritti_gradient_clear(&g);
  return status;
}

/* The coefficients of all terms, the parameters at their exact values. */
static ritt_status find_coefficients(ritti_completion *C, const terms *all, ritti_arena *scratch,
                                     ritti_expr **out) {
  const ritti_model *model = C->model;
  ritti_expr *leaf, *value;
  RITTI_NEW(*out, scratch, all->count + 1);
  RITTI_NEW(leaf, scratch, model->parameters + 1);
  RITTI_NEW(value, scratch, model->parameters + 1);
  for (int p = 0; p < model->parameters; p++) {
    leaf[p] = ritti_parameter(C->dag, p);
    value[p] = model->parameter[p].value;
  }
  for (size_t e = 0; e < all->count; e++) (*out)[e] = all->at[e].coefficient;
  RITT_TRY(ritti_dag_substitute(C->dag, leaf, value, (size_t)model->parameters, *out, all->count));
  return ritti_dag_status(C->dag);
}

/* The forcings are the residuals with all jets 0; with parameters, and with their values. */
static ritt_status find_forcings(ritti_completion *C, const terms *all, ritti_arena *scratch,
                                 ritti_linear *L) {
  const ritti_model *model = C->model;
  ritti_expr *leaf, *value;
  size_t room = all->count + (size_t)model->parameters, equations = (size_t)L->equations;
  RITTI_NEW(leaf, scratch, room + 1);
  RITTI_NEW(value, scratch, room + 1);
  for (size_t e = 0; e < all->count; e++) {
    leaf[e] = ritti_jet(C->dag, all->at[e].variable, all->at[e].order);
    value[e] = ritti_number(C->dag, 0, 1);
  }
  RITT_TRY(ritti_dag_substitute(C->dag, leaf, value, all->count, L->written, equations));
  for (int p = 0; p < model->parameters; p++) {
    leaf[p] = ritti_parameter(C->dag, p);
    value[p] = model->parameter[p].value;
  }
  memcpy(L->forcing, L->written, equations * sizeof *L->forcing);
  RITT_TRY(
      ritti_dag_substitute(C->dag, leaf, value, (size_t)model->parameters, L->forcing, equations));
  return ritti_dag_status(C->dag);
}

static ritt_status mark_linear(ritti_completion *C, terms *all, ritti_arena *scratch,
                               bool *linear) {
  int equations = C->model->equations;
  ritti_expr *coefficient;
  size_t *end, e = 0;
  RITTI_NEW(end, scratch, equations + 1);
  for (int i = 0; i < equations; i++) {
    RITT_TRY(add_gradient(C, C->residual[i], all));
    end[i] = all->count;
  }
  RITT_TRY(find_coefficients(C, all, scratch, &coefficient));
  for (int i = 0; i < equations; i++) {
    linear[i] = true;
    for (; e < end[i]; e++) linear[i] = linear[i] && is_constant(C->dag, coefficient[e]);
  }
  return RITT_OK;
}

ritt_status ritti_linear_mark(ritti_completion *C, bool *linear) {
  terms all = {0};
  ritti_arena *scratch = ritti_arena_new();
  ritt_status status = scratch ? mark_linear(C, &all, scratch, linear) : RITT_NO_MEMORY;
  RITTI_ARRAY_FREE(all);
  ritti_arena_free(scratch);
  return status;
}

/* Fills everything but the numbers of equations and variables. */
static ritt_status read_linear(ritti_completion *C, const int *part_of, terms *all,
                               ritti_arena *scratch, ritti_linear *L) {
  ritti_expr *coefficient, *residual;
  int *end;
  RITTI_NEW(end, scratch, L->equations + 1);
  RITTI_NEW(residual, C->arena, L->equations + 1);
  RITTI_NEW(L->start, C->arena, L->equations + 1);
  RITTI_NEW(L->forcing, C->arena, L->equations + 1);
  RITTI_NEW(L->written, C->arena, L->equations + 1);
  RITTI_NEW(L->top, C->arena, L->variables + 1);
  for (int i = 0; i < L->equations; i++) {
    residual[i] = L->written[i] = C->residual[L->equation[i]];
    RITT_TRY(add_gradient(C, residual[i], all));
    end[i] = (int)all->count;
  }
  L->residual = residual;
  RITT_TRY(find_coefficients(C, all, scratch, &coefficient));
  RITT_TRY(find_forcings(C, all, scratch, L));

  /* terms whose coefficient is 0 for these values of the parameters are left out */
  int kept = 0, e = 0;
  RITTI_NEW(L->term, C->arena, all->count + 1);
  for (int i = 0; i < L->equations; i++) {
    for (; e < end[i]; e++) {
      ritti_linear_term term = all->at[e];
      L->parameters = L->parameters || coefficient[e] != term.coefficient;
      if (ritti_is_zero(C->dag, coefficient[e])) continue;
      L->rational = L->rational && ritti_op_of(C->dag, coefficient[e]) == RITTI_NUMBER;
      term.coefficient = coefficient[e];
      term.variable = part_of[term.variable];
      if (term.order > L->top[term.variable]) L->top[term.variable] = term.order;
      L->term[kept++] = term;
    }
    L->start[i + 1] = kept;
  }
  return RITT_OK;
}

ritt_status ritti_linear_read(ritti_completion *C, const int *equation, int count,
                              const int *part_of, int variables, ritti_linear *out) {
  terms all = {0};
  *out =
      (ritti_linear){.dag = C->dag, .equations = count, .variables = variables, .rational = true};
  RITTI_NEW(out->equation, C->arena, count + 1);
  RITTI_NEW(out->variable, C->arena, variables + 1);
  memcpy(out->equation, equation, (size_t)count * sizeof *equation);
  for (int j = 0; j < C->model->variables; j++)
    if (part_of[j] >= 0) out->variable[part_of[j]] = j;

  ritti_arena *scratch = ritti_arena_new();
  ritt_status status = scratch ? read_linear(C, part_of, &all, scratch, out) : RITT_NO_MEMORY;
  RITTI_ARRAY_FREE(all);
  ritti_arena_free(scratch);
  return status;
}
