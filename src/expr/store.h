/* The store of the DAG: nodes by id, their arguments in one pool, numbers in blocks; and what looks
 * at a node, here so that it costs no call. Everybody else goes by the functions. */
#ifndef RITTI_STORE_H
#define RITTI_STORE_H

#include <assert.h>

typedef struct ritti_dag_node {
  uint32_t op;
  /* leaf: index and order; NUMBER: index of the number; else first argument in the pool, their
   * count */
  uint32_t a, b;
} ritti_dag_node;

enum { RITTI_NUMBER_BLOCK = 64 }; /* numbers live in blocks, so that a pointer to one stays good */
enum { RITTI_SMALL_NUMBER = 8 };  /* whole numbers from -8 to 8 are found without looking */

/* A place in the hash table; id = NIL: free. */
typedef struct ritti_slot {
  uint32_t hash;
  ritti_expr id;
} ritti_slot;

/* A gradient that was computed once; in no list: root = NIL. */
typedef struct ritti_known_gradient {
  ritti_expr root;
  ritti_gradient gradient;
} ritti_known_gradient;

struct ritti_dag {
  RITTI_ARRAY(ritti_dag_node) nodes; /* [0] is RITTI_NIL */
  RITTI_ARRAY(ritti_expr) pool;
  RITTI_ARRAY(__mpq_struct *) blocks;
  size_t numbers;
  RITTI_ARRAY(const ritti_table *) tables;
  ritti_slot *table; /* intern.c; inside table_block */
  void *table_block;
  size_t lines;
  ritti_expr whole[2 * RITTI_SMALL_NUMBER + 1]; /* those made so far; NIL: not yet */
  struct {
    ritti_known_gradient *table; /* open addressing */
    size_t size, count;
  } gradients;
  struct ritti_reverse *reverse; /* derive.c: for the next gradient; NULL: none, or in use */
  struct ritti_towers *towers;   /* higher.c: derivatives of high order; NULL: none yet */
  ritt_status status;
};

static inline const ritti_dag_node *ritti_dag_node_at(const ritti_dag *dag, ritti_expr e) {
  assert(e < dag->nodes.count);
  return &dag->nodes.at[e];
}

/* ids are 1 .. count-1 */
static inline ritti_expr ritti_dag_count(const ritti_dag *dag) {
  return (ritti_expr)dag->nodes.count;
}

static inline ritti_op ritti_op_of(const ritti_dag *dag, ritti_expr e) {
  return (ritti_op)ritti_dag_node_at(dag, e)->op;
}

static inline bool ritti_is_leaf(const ritti_dag *dag, ritti_expr e) {
  return ritti_dag_node_at(dag, e)->op < RITTI_ADD;
}

static inline size_t ritti_argument_count(const ritti_dag *dag, ritti_expr e) {
  const ritti_dag_node *n = ritti_dag_node_at(dag, e);
  return n->op < RITTI_ADD ? 0 : n->b;
}

/* The arguments, until the next node is made; NULL: a leaf. */
static inline const ritti_expr *ritti_arguments(const ritti_dag *dag, ritti_expr e) {
  const ritti_dag_node *n = ritti_dag_node_at(dag, e);
  return n->op < RITTI_ADD ? NULL : dag->pool.at + n->a;
}

static inline ritti_expr ritti_argument(const ritti_dag *dag, ritti_expr e, size_t i) {
  assert(i < ritti_argument_count(dag, e));
  return dag->pool.at[ritti_dag_node_at(dag, e)->a + i];
}

/* of a NUMBER */
static inline mpq_srcptr ritti_rational_of(const ritti_dag *dag, ritti_expr e) {
  const ritti_dag_node *n = ritti_dag_node_at(dag, e);
  assert(n->op == RITTI_NUMBER);
  return &dag->blocks.at[n->a / RITTI_NUMBER_BLOCK][n->a % RITTI_NUMBER_BLOCK];
}

/* of a variable, parameter, level, multiplier or side */
static inline int ritti_index_of(const ritti_dag *dag, ritti_expr e) {
  const ritti_dag_node *n = ritti_dag_node_at(dag, e);
  assert(n->op < RITTI_ADD && n->op != RITTI_NUMBER);
  return (int)n->a;
}

/* of a jet */
static inline int ritti_order_of(const ritti_dag *dag, ritti_expr e) {
  const ritti_dag_node *n = ritti_dag_node_at(dag, e);
  assert(n->op == RITTI_JET);
  return (int)n->b;
}

/* Is it the number 0 (structurally)? */
static inline bool ritti_is_zero(const ritti_dag *dag, ritti_expr e) {
  if (dag->whole[RITTI_SMALL_NUMBER]) return e == dag->whole[RITTI_SMALL_NUMBER];
  return ritti_op_of(dag, e) == RITTI_NUMBER && mpq_sgn(ritti_rational_of(dag, e)) == 0;
}

#endif
