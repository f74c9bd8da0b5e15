/* Expressions along a curve: truncated power series in x, propagated through the DAG. */
#ifndef RITTI_EXPR_SERIES_H
#define RITTI_EXPR_SERIES_H

#include "base/quad.h"
#include "expr/expr.h"

/* Coefficients of the leaves: terms of each, c_0 .. c_{terms-1} of (x - x0)^k. */
typedef struct ritti_series_values {
  double independent; /* x0 */
  /* puts the series of the jet y_variable^(order) into out */
  void (*jet)(const void *context, int variable, int order, int terms, double *out);
  const void *context;
  const double *parameter, *level;
} ritti_series_values;

typedef struct ritti_series_plan ritti_series_plan;
ritt_status ritti_series_plan_new(const ritti_dag *dag, const ritti_expr *roots, size_t count,
                                  int terms, ritti_series_plan **out) RITT_USE;
void ritti_series_plan_free(ritti_series_plan *plan);
/* out: count x terms coefficients (terms at most those of the plan). */
void ritti_series_plan_evaluate(ritti_series_plan *plan, const ritti_series_values *values,
                                int terms, double *out);

/* The same in quadruple precision (tables are known to doubles). */
typedef struct ritti_quad_series_values {
  ritti_quad independent;
  void (*jet)(const void *context, int variable, int order, int terms, ritti_quad *out);
  const void *context;
  const ritti_quad *parameter, *level;
} ritti_quad_series_values;

typedef struct ritti_quad_series_plan ritti_quad_series_plan;
ritt_status ritti_quad_series_plan_new(const ritti_dag *dag, const ritti_expr *roots, size_t count,
                                       int terms, ritti_quad_series_plan **out) RITT_USE;
void ritti_quad_series_plan_free(ritti_quad_series_plan *plan);
void ritti_quad_series_plan_evaluate(ritti_quad_series_plan *plan,
                                     const ritti_quad_series_values *values, int terms,
                                     ritti_quad *out);

#endif
