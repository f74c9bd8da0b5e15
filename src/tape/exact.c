/* Numbers of a model as reals: doubles are what the model holds; the build in quadruple precision
 * takes them again from the exact expressions that the model keeps, rounded once.
 */
#include "tape/eval.h"
#include "expr/quad.h"

/* out[i] = value of expr[i], which holds numbers and parameters only */
static ritt_status values_of(const ritti_model *model, const ritti_expr *expr, size_t count,
                             const ritti_quad *parameter, ritti_quad *out) {
  ritti_quad_plan *plan;
  ritti_quad_values values = {.parameter = parameter};
  if (count == 0) return RITT_OK;
  RITT_TRY(ritti_quad_plan_new(model->dag, expr, count, &plan));
  ritti_quad_plan_evaluate(plan, &values, out, NULL);
  ritti_quad_plan_free(plan);
  return RITT_OK;
}

/* The values of the parameters in quadruple precision. */
static ritt_status exact_parameters(const ritti_model *model, ritti_arena *arena,
                                    ritti_quad **out) {
  ritti_expr *value;
  RITTI_NEW_ARRAYS(arena, model->parameters + 1, *out, value);
  for (int i = 0; i < model->parameters; i++) value[i] = model->parameter[i].value;
  return values_of(model, value, (size_t)model->parameters, NULL, *out);
}

/* The values of the parameters in the precision of this build. */
ritt_status ritti_exact_parameters(const ritti_model *model, ritti_arena *arena, ritt_real *out) {
  ritti_quad *exact;
  if (!RITTI_REAL_IS_DOUBLE) RITT_TRY(exact_parameters(model, arena, &exact));
  for (int i = 0; i < model->parameters; i++)
    out[i] = RITTI_REAL_IS_DOUBLE ? model->parameter[i].number : (ritt_real)exact[i];
  return RITT_OK;
}

/* The coordinate that is this derivative of this variable; -1 if there is none. */
static int coordinate_of(const ritti_reduced *r, int variable, int order) {
  const ritti_dag *dag = r->model->dag;
  for (int i = 1; i < r->m; i++)
    if (ritti_index_of(dag, r->coordinate[i]) == variable &&
        ritti_order_of(dag, r->coordinate[i]) == order)
      return i;
  return -1;
}

/* Replaces start values that the model fixes by their values in quadruple precision. exact[i]
   tells which coordinates have such a value. */
ritt_status ritti_exact_start(const ritti_reduced *r, ritti_arena *arena, ritt_real *z,
                              bool *exact) {
  const ritti_model *model = r->model;
  ritti_quad *parameter, value;
  RITT_TRY(exact_parameters(model, arena, &parameter));
  memset(exact, 0, (size_t)r->m * sizeof *exact);
  for (int k = 0; k < model->starts; k++) {
    const ritti_start_def *start = &model->start[k];
    int i = start->fixed && start->expr != RITTI_NIL
                ? coordinate_of(r, start->variable, start->order)
                : -1;
    if (i < 0) continue;
    RITT_TRY(values_of(model, &start->expr, 1, parameter, &value));
    if (!(fabsq(value - z[i]) <= 0x1p-50 * fabsq(value)))
      continue; /* the completion has moved it */
    z[i] = (ritt_real)value;
    exact[i] = true;
  }
  return RITT_OK;
}
