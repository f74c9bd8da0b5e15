/* Expressions in quadruple precision, for decisions. */
#ifndef RITTI_EXPR_QUAD_H
#define RITTI_EXPR_QUAD_H

#include "base/quad.h"
#include "expr/expr.h"

typedef struct ritti_quad_values {
  ritti_quad independent;
  ritti_quad (*jet)(const void *context, int variable, int order);
  const void *context;
  const ritti_quad *parameter, *level;
} ritti_quad_values;

typedef struct ritti_quad_plan ritti_quad_plan;
ritt_status ritti_quad_plan_new(const ritti_dag *dag, const ritti_expr *roots, size_t count,
                                ritti_quad_plan **out) RITT_USE;
void ritti_quad_plan_free(ritti_quad_plan *plan);
/* out[i] = value of root i, and (size may be NULL) how large the terms are that made it: the
 * rounding error of out[i] is about size[i] times RITTI_QUAD_EPS, so that a value far below its
 * size is zero. */
void ritti_quad_plan_evaluate(ritti_quad_plan *plan, const ritti_quad_values *values,
                              ritti_quad *out, ritti_quad *size);
ritti_quad ritti_quad_of(mpq_srcptr q);
/* The number as an expression, exactly. */
ritti_expr ritti_exact_quad(ritti_dag *dag, ritti_quad value);

#endif
