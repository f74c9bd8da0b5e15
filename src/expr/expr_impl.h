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
enum { SMALL_NUMBER = 8 };  /* whole numbers from -8 to 8 are found without looking */

/* A gradient that was computed once; in no list: root = NIL. */
typedef struct known_gradient {
  ritti_expr root;
  ritti_gradient gradient;
} known_gradient;

struct ritti_dag {
  RITTI_ARRAY(node) nodes; /* [0] is RITTI_NIL */
  RITTI_ARRAY(ritti_expr) pool;
  RITTI_ARRAY(__mpq_struct *) blocks;
  size_t numbers;
  RITTI_ARRAY(const ritti_table *) tables;
  uint32_t *table; /* open addressing, 0: free */
  size_t table_size;
  ritti_expr whole[2 * SMALL_NUMBER + 1]; /* those made so far; NIL: not yet */
  struct {
    known_gradient *table; /* open addressing */
    size_t size, count;
  } gradients;
  ritt_status status;
};

/* The node with this operator and these arguments as they are. `args` must not lie in the dag's own pool. */
ritti_expr ritti_intern(ritti_dag *dag, ritti_op op, const ritti_expr *args, size_t count);
/* The arguments, until the next node is made. */
const ritti_expr *ritti_arguments(const ritti_dag *dag, ritti_expr e);
ritti_expr ritti_fail_dag(ritti_dag *dag);
/* The rational n/d, d > 0, in lowest terms. */
ritti_expr ritti_ratio(ritti_dag *dag, long n, unsigned long d);
/* Is the number n/d with |n|, d < 2^31? */
bool ritti_small_number(mpq_srcptr q, long *n, long *d);
void ritti_forget_gradients(ritti_dag *dag);

/* Nodes in ascending order, with the place of each: by a hash table, or by an array over all ids where the nodes
 * are many of them. */
typedef struct sweep {
  ritti_expr *at;
  size_t count, room;
  uint32_t *table; /* place + 1 of an id; 0: free, or not in it */
  size_t table_size;
  bool direct; /* table[id] */
} sweep;
/* The nodes below the roots with ids from `lowest` on. */
ritt_status ritti_sweep_init(sweep *s, const ritti_dag *dag, const ritti_expr *roots, size_t count,
                             ritti_expr lowest) RITT_USE;
void ritti_sweep_clear(sweep *s);
/* SIZE_MAX: not in it */
size_t ritti_sweep_place(const sweep *s, ritti_expr e);

#endif
