/* Private to strong*.c, limit.c and smooth.c. */
#ifndef RITTI_STRONG_IMPL_H
#define RITTI_STRONG_IMPL_H

#include "complete/complete_impl.h"
#include "complete/strong.h"
#include "expr/quad.h"

/* Expressions of (t, y, y') in quadruple precision. */
typedef struct ritti_strong_values {
  ritti_quad_plan *plan;
  const ritti_quad *parameter;
  size_t count;
} ritti_strong_values;
ritt_status ritti_strong_parameters(const ritti_strong_system *strong, ritti_quad **out) RITT_USE;
/* out[i] = root i at (t, y, v); v may be NULL where no velocity occurs */
void ritti_strong_evaluate(const ritti_strong_values *values, double t, const ritti_quad *y,
                           const ritti_quad *v, ritti_quad *out);

/* Symmetric positive definite systems, dense, by rows: L overwrites the lower triangle. false: not
 * definite. */
bool ritti_quad_cholesky(int n, ritti_quad *a);
void ritti_quad_cholesky_solve(int n, const ritti_quad *L, ritti_quad *x);
/* A sparse matrix of values as a dense one. */
void ritti_quad_dense(const ritti_pattern *pattern, const ritti_quad *entry, ritti_quad *out);

#endif
