/* Rooted trees, and the order of Runge-Kutta weights by them. */
#ifndef RITTI_TREES_H
#define RITTI_TREES_H

#include "base/base.h"

/* Orders beyond this one are not looked for; how many trees there are up to it. */
enum { RITTI_TREE_ORDER = 12, RITTI_TREES = 7813 };

/* All trees up to an order, in ascending order. Tree t grows from tree left[t] when tree right[t]
 * is set on its root; the first one is a single vertex. */
typedef struct ritti_trees {
  int count,
      first[RITTI_TREE_ORDER + 2]; /* the trees of order p are first[p] ... first[p + 1] - 1 */
  int order[RITTI_TREES], left[RITTI_TREES], right[RITTI_TREES];
  double density[RITTI_TREES]; /* gamma, an integer */
} ritti_trees;
void ritti_trees_grow(ritti_trees *trees, int order);

/* The largest p <= most such that the weights b, with the matrix a (stages x stages, rows of zeros
 * and all), satisfy all conditions up to order p; 0: not even sum b = 1. Conditions hold up to
 * rounding. */
ritt_status ritti_order_find(int stages, const ritt_real *a, const ritt_real *b, int most,
                             int *order) RITT_USE;

#endif
