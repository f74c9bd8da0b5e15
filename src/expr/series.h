/* Expressions along a curve: truncated power series in x, propagated through the DAG. */
#ifndef RITTI_EXPR_SERIES_H
#define RITTI_EXPR_SERIES_H

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
ritt_status ritti_series_plan_new(const ritti_dag *dag, const ritti_expr *roots, size_t count, int terms,
                                  ritti_series_plan **out) RITT_USE;
void ritti_series_plan_free(ritti_series_plan *plan);
/* out: count x terms coefficients (terms at most those of the plan). */
void ritti_series_plan_evaluate(ritti_series_plan *plan, const ritti_series_values *values, int terms,
                                double *out);

#endif
