/* Numbers of many digits (MPFR) and power series in them, for decisions. */
#ifndef RITTI_EXPR_BIG_H
#define RITTI_EXPR_BIG_H

#include <mpfr.h>
#include "expr/expr.h"

typedef __mpfr_struct ritti_big; /* an element of ritti_big */

/* An array of numbers of this many bits, all 0, in an arena: never mpfr_clear them. */
ritt_status ritti_bigs_new(ritti_arena *arena, size_t count, long bits, ritti_big **out) RITT_USE;

typedef struct ritti_big_series_values {
  ritti_big independent;
  /* puts the series of the jet y_variable^(order) into out */
  void (*jet)(const void *context, int variable, int order, int terms, ritti_big *out);
  const void *context;
  ritti_big *parameter, *level;
  bool first_only; /* only the series of the first root is needed */
} ritti_big_series_values;

typedef struct ritti_big_series_plan ritti_big_series_plan;
ritt_status ritti_big_series_plan_new(const ritti_dag *dag, const ritti_expr *roots, size_t count,
                                      int terms, long bits, ritti_big_series_plan **out) RITT_USE;
void ritti_big_series_plan_free(ritti_big_series_plan *plan);
/* out: count x terms coefficients (terms at most those of the plan). */
void ritti_big_series_plan_evaluate(ritti_big_series_plan *plan,
                                    const ritti_big_series_values *values, int terms,
                                    ritti_big *out);

#endif
