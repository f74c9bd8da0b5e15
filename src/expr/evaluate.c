/* Evaluation in doubles: a plan is the lowered steps and one value for each. */
#include "expr_impl.h"

struct ritti_plan {
  const ritti_dag *dag;
  ritti_lowered lowered;
  double *value; /* of each step, from the last evaluation */
};

/* A plan to evaluate the roots with doubles, each node once. */
ritt_status ritti_plan_new(const ritti_dag *dag, const ritti_expr *roots, size_t count,
                           ritti_plan **out) {
  *out = NULL;
  ritti_plan *plan = ritti_malloc(sizeof *plan);
  if (!plan) return RITT_NO_MEMORY;
  *plan = (ritti_plan){.dag = dag};
  ritt_status status = ritti_lower(dag, roots, count, &plan->lowered);
  if (status == RITT_OK) plan->value = ritti_malloc(plan->lowered.steps * sizeof *plan->value);
  if (status == RITT_OK && !plan->value) status = RITT_NO_MEMORY;
  if (status == RITT_OK) {
    for (size_t i = 0; i < plan->lowered.steps; i++) plan->value[i] = 0;
    *out = plan;
  } else ritti_plan_free(plan);
  return status;
}

void ritti_plan_free(ritti_plan *plan) {
  if (!plan) return;
  ritti_lowered_clear(&plan->lowered);
  ritti_free(plan->value);
  ritti_free(plan);
}

/* The value of a leaf; NaN if the caller gives none. */
static double leaf_value(const ritti_dag *dag, ritti_expr e, const ritti_values *v) {
  int index = ritti_index_of(dag, e);
  switch (ritti_op_of(dag, e)) {
  case RITTI_INDEPENDENT: return v->independent;
  case RITTI_JET: return v->jet ? v->jet(v->context, index, ritti_order_of(dag, e)) : NAN;
  case RITTI_PARAMETER: return v->parameter ? v->parameter[index] : NAN;
  case RITTI_LEVEL: return v->level ? v->level[index] : NAN;
  case RITTI_MULTIPLIER: return v->multiplier ? v->multiplier[index] : NAN;
  default: return NAN;
  }
}

/* Evaluates all roots at the given values of the leaves. */
void ritti_plan_evaluate(const ritti_plan *plan, const ritti_values *values, double *out) {
  const ritti_lowered *l = &plan->lowered;
  double *v = plan->value;
  for (size_t i = 0; i < l->steps; i++) {
    const ritti_step *s = &l->step[i];
    switch (s->op) {
    case RITTI_M_LEAF: v[i] = leaf_value(plan->dag, s->a, values); break;
    case RITTI_M_CONSTANT: v[i] = l->constant[s->a]; break;
    case RITTI_M_TABLE:
      v[i] = ritti_table_value(ritti_dag_tables(plan->dag), v[s->b], v[s->a]);
      break;
    /* the commonest without a call */
    case RITTI_M_ADD: v[i] = v[s->a] + v[s->b]; break;
    case RITTI_M_SUBTRACT: v[i] = v[s->a] - v[s->b]; break;
    case RITTI_M_MULTIPLY: v[i] = v[s->a] * v[s->b]; break;
    default: v[i] = ritti_machine_value((ritti_machine)s->op, v[s->a], v[s->b]);
    }
  }
  for (size_t i = 0; i < l->results; i++) out[i] = v[l->result[i]];
}

/* A node without a step of its own has no value that could be wrong: what uses it is asked. */
static bool finite_node(const ritti_plan *plan, size_t place) {
  uint32_t step = plan->lowered.node_step[place];
  return step == UINT32_MAX || isfinite(plan->value[step]);
}

size_t ritti_plan_steps(const ritti_plan *plan) { return plan->lowered.steps; }

/* The first node that is not finite although its arguments are; NIL if there is none. For
   messages. */
ritti_expr ritti_plan_culprit(const ritti_plan *plan) {
  const ritti_nodes *nodes = &plan->lowered.nodes;
  for (size_t i = 0; i < nodes->count; i++) {
    if (finite_node(plan, i)) continue;
    bool arguments_finite = true;
    for (size_t j = 0, n = ritti_argument_count(plan->dag, nodes->at[i]); j < n && arguments_finite;
         j++)
      arguments_finite =
          finite_node(plan, ritti_node_place(nodes, ritti_argument(plan->dag, nodes->at[i], j)));
    if (arguments_finite) return nodes->at[i];
  }
  return RITTI_NIL;
}

/* Evaluates one expression; for several, or several times, a plan is cheaper. */
ritt_status ritti_dag_evaluate(const ritti_dag *dag, ritti_expr root, const ritti_values *values,
                               double *out) {
  ritti_plan *plan;
  RITT_TRY(ritti_plan_new(dag, &root, 1, &plan));
  ritti_plan_evaluate(plan, values, out);
  ritti_plan_free(plan);
  return RITT_OK;
}

/* The value of an operator with one or two arguments. */
double ritti_op_value(ritti_op op, double a, double b) {
  switch (op) {
  case RITTI_ADD: return ritti_machine_value(RITTI_M_ADD, a, b);
  case RITTI_MULTIPLY: return ritti_machine_value(RITTI_M_MULTIPLY, a, b);
  case RITTI_POWER: return ritti_machine_value(RITTI_M_POW, a, b);
  case RITTI_MIN: return ritti_machine_value(RITTI_M_MIN, a, b);
  case RITTI_MAX: return ritti_machine_value(RITTI_M_MAX, a, b);
  case RITTI_WHEN: return ritti_machine_value(RITTI_M_WHEN, a, b);
  case RITTI_UNLESS: return ritti_machine_value(RITTI_M_UNLESS, a, b);
#define RITTI_FUNCTION(id, name, at, is, p, r)                                                     \
  RETURN_FOR(id, ritti_machine_value(RITTI_M_##id, a, b))
#define RITTI_FUNCTION2(id, name, pu, pv, r)           RITTI_FUNCTION(id, name, 0, 0, pu, r)
#define RITTI_SWITCH(id, text, language, value, slope) RITTI_FUNCTION(id, text, 0, 0, slope, 1)
#include "base/functions.def"
  default: return NAN;
  }
}
