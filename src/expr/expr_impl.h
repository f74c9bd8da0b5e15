/* Private to the folder: the store of the DAG, and sets of nodes. */
#ifndef RITTI_EXPR_IMPL_H
#define RITTI_EXPR_IMPL_H

#include "expr/expr.h"

typedef struct node {
  uint32_t op;
  uint32_t a, b; /* leaf: index and order; NUMBER: index of the number; else first argument in the pool, their
                    count */
  uint32_t hash;
} node;

enum { NUMBER_BLOCK = 64 }; /* numbers live in blocks, so that a pointer to one stays good */

struct ritti_dag {
  RITTI_ARRAY(node) nodes; /* [0] is RITTI_NIL */
  RITTI_ARRAY(ritti_expr) pool;
  RITTI_ARRAY(__mpq_struct *) blocks;
  size_t numbers;
  uint32_t *table; /* open addressing, 0: free */
  size_t table_size;
  ritt_status status;
};

/* The node with this operator and these arguments as they are. `args` must not lie in the dag's own pool. */
ritti_expr ritti_intern(ritti_dag *dag, ritti_op op, const ritti_expr *args, size_t count);
/* The arguments, until the next node is made. */
const ritti_expr *ritti_arguments(const ritti_dag *dag, ritti_expr e);
ritti_expr ritti_fail_dag(ritti_dag *dag);

/* Nodes in ascending order, with the place of each. */
typedef struct sweep {
  ritti_expr *at;
  size_t count, room;
  uint32_t *table; /* place + 1 of an id; 0: free */
  size_t table_size;
} sweep;
/* The nodes below the roots with ids from `lowest` on. */
ritt_status ritti_sweep_init(sweep *s, const ritti_dag *dag, const ritti_expr *roots, size_t count,
                             ritti_expr lowest) RITT_USE;
void ritti_sweep_clear(sweep *s);
/* SIZE_MAX: not in it */
size_t ritti_sweep_place(const sweep *s, ritti_expr e);

#endif
