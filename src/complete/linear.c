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
  for (size_t e = 0; e < g.count && status == RITT_OK; e++)
    status =
        RITTI_PUSH(*out, ((ritti_linear_term){ritti_index_of(C->dag, g.leaf[e]),
                                              ritti_order_of(C->dag, g.leaf[e]), g.derivative[e]}));
  ritti_gradient_clear(&g);
  return status;
}

/* Puts the exact values of the parameters into the coefficients and into the forcing, which is the
 * residual with all jets 0. L NULL: there is no forcing. */
static ritt_status put_values(ritti_completion *C, const terms *all, ritti_expr *coefficient,
                              ritti_linear *L) {
  const ritti_model *model = C->model;
  size_t count = (size_t)model->parameters, room = count + all->count + 1;
  ritti_expr *leaf = ritti_malloc(room * sizeof *leaf), *value = ritti_malloc(room * sizeof *value);
  ritt_status status = leaf && value ? RITT_OK : RITT_NO_MEMORY;

  for (size_t p = 0; p < count && status == RITT_OK; p++) {
    leaf[p] = ritti_parameter(C->dag, (int)p);
    value[p] = model->parameter[p].value;
  }
  if (status == RITT_OK)
    status = ritti_dag_substitute(C->dag, leaf, value, count, coefficient, all->count);

  ritti_expr *jet = leaf + count, *zero = value + count;
  for (size_t e = 0; e < all->count && L && status == RITT_OK; e++) {
    jet[e] = ritti_jet(C->dag, all->at[e].variable, all->at[e].order);
    zero[e] = ritti_number(C->dag, 0, 1);
  }
  if (status == RITT_OK && L)
    status = ritti_dag_substitute(C->dag, jet, zero, all->count, L->written, (size_t)L->equations);
  if (status == RITT_OK && L) {
    memcpy(L->forcing, L->written, (size_t)L->equations * sizeof *L->forcing);
    status = ritti_dag_substitute(C->dag, leaf, value, count, L->forcing, (size_t)L->equations);
  }

  ritti_free(leaf);
  ritti_free(value);
  return status == RITT_OK ? ritti_dag_status(C->dag) : status;
}

ritt_status ritti_linear_mark(ritti_completion *C, bool *linear) {
  int equations = C->model->equations;
  terms all = {0};
  size_t *end = ritti_malloc(((size_t)equations + 1) * sizeof *end);
  ritti_expr *coefficient = NULL;
  ritt_status status = end ? RITT_OK : RITT_NO_MEMORY;

  for (int i = 0; i < equations && status == RITT_OK; i++) {
    status = add_gradient(C, C->residual[i], &all);
    end[i] = all.count;
  }
  if (status == RITT_OK) {
    coefficient = ritti_malloc((all.count + 1) * sizeof *coefficient);
    if (!coefficient) status = RITT_NO_MEMORY;
  }
  for (size_t e = 0; e < all.count && status == RITT_OK; e++)
    coefficient[e] = all.at[e].coefficient;
  if (status == RITT_OK) status = put_values(C, &all, coefficient, NULL);

  for (int i = 0; i < equations && status == RITT_OK; i++) {
    linear[i] = true;
    for (size_t e = i ? end[i - 1] : 0; e < end[i] && linear[i]; e++)
      linear[i] = is_constant(C->dag, coefficient[e]);
  }
  ritti_free(end);
  ritti_free(coefficient);
  RITTI_ARRAY_FREE(all);
  return status;
}

ritt_status ritti_linear_read(ritti_completion *C, const int *equation, int count,
                              const int *part_of, int variables, ritti_linear *out) {
  terms all = {0};
  ritti_expr *coefficient, *residual;
  *out =
      (ritti_linear){.dag = C->dag, .equations = count, .variables = variables, .rational = true};
  RITTI_NEW(out->start, C->arena, count + 1);
  RITTI_NEW(residual, C->arena, count + 1);
  RITTI_NEW(out->forcing, C->arena, count + 1);
  RITTI_NEW(out->written, C->arena, count + 1);
  RITTI_NEW(out->equation, C->arena, count + 1);
  RITTI_NEW(out->variable, C->arena, variables + 1);
  RITTI_NEW(out->top, C->arena, variables + 1);

  ritt_status status = RITT_OK;
  for (int j = 0; j < C->model->variables; j++)
    if (part_of[j] >= 0) out->variable[part_of[j]] = j;
  for (int i = 0; i < count && status == RITT_OK; i++) {
    out->equation[i] = equation[i];
    residual[i] = out->written[i] = C->residual[equation[i]];
    status = add_gradient(C, C->residual[equation[i]], &all);
    out->start[i + 1] = (int)all.count;
  }
  out->residual = residual;
  out->term = ritti_arena_alloc(C->arena, all.count + 1, sizeof *out->term);
  coefficient = ritti_arena_alloc(C->arena, all.count + 1, sizeof *coefficient);
  if (!out->term || !coefficient) status = RITT_NO_MEMORY;
  for (size_t e = 0; e < all.count && status == RITT_OK; e++)
    coefficient[e] = all.at[e].coefficient;
  if (status == RITT_OK) status = put_values(C, &all, coefficient, out);

  /* terms whose coefficient is 0 for these values of the parameters are left out */
  int kept = 0, e = 0;
  for (int i = 0; i < count && status == RITT_OK; i++) {
    for (; e < out->start[i + 1]; e++) {
      ritti_linear_term term = all.at[e];
      out->parameters = out->parameters || coefficient[e] != term.coefficient;
      if (ritti_is_zero(C->dag, coefficient[e])) continue;
      out->rational = out->rational && ritti_op_of(C->dag, coefficient[e]) == RITTI_NUMBER;
      term.coefficient = coefficient[e];
      term.variable = part_of[term.variable];
      if (term.order > out->top[term.variable]) out->top[term.variable] = term.order;
      out->term[kept++] = term;
    }
    out->start[i + 1] = kept;
  }
  RITTI_ARRAY_FREE(all);
  return status;
}
