/* Private to the folder: making nodes, and sets of nodes. */
#ifndef RITTI_EXPR_IMPL_H
#define RITTI_EXPR_IMPL_H

#include "expr/expr.h"

/* A row of the tables of operators as a case of a switch. */
#define RETURN_FOR(id, value)                                                                      \
  case RITTI_##id: {                                                                               \
    return value;                                                                                  \
  }

/* The node with this operator and these arguments as they are. `args` must not lie in the dag's own
 * pool. */
ritti_expr ritti_intern(ritti_dag *dag, ritti_op op, const ritti_expr *args, size_t count);
/* The leaf with these numbers. */
ritti_expr ritti_intern_leaf(ritti_dag *dag, ritti_op op, uint32_t index, uint32_t order);
ritti_expr ritti_fail_dag(ritti_dag *dag);
/* The rational n/d, d > 0, in lowest terms. */
ritti_expr ritti_ratio(ritti_dag *dag, long n, unsigned long d);
/* Is the number n/d with |n|, d < 2^31? Products of two such numbers fit into an int64_t, but not
 * into a long of 32 bits. */
static inline bool ritti_small_number(mpq_srcptr q, int64_t *n, int64_t *d) {
  enum { LIMIT = 0x7fffffff };
  if (mpz_size(mpq_numref(q)) > 1 || mpz_size(mpq_denref(q)) > 1) return false;
  mp_limb_t above = mpz_getlimbn(mpq_numref(q), 0), below = mpz_getlimbn(mpq_denref(q), 0);
  if (above > LIMIT || below > LIMIT) return false;
  *n = mpq_sgn(q) < 0 ? -(int64_t)above : (int64_t)above, *d = (int64_t)below;
  return true;
}
void ritti_forget_gradients(ritti_dag *dag);
void ritti_forget_towers(ritti_dag *dag);
/* The partial derivative of e by its argument i; not for sums, products and branches. */
ritti_expr ritti_argument_slope(ritti_dag *dag, ritti_expr e, size_t i);

/* Hash tables that keep neighbours together. What is built for one row of a large system uses nodes
 * with ids near each other, so what is made of nodes is looked for in a line that follows from the
 * largest of them, its home; where that line is full, in one as far from it as from those of its
 * neighbours; only after some such tries in lines that follow from the hash. Row after row then
 * goes through the table as through the nodes, from the front to the back, and memory that is far
 * away is seldom waited for. A place is never given back, so that a search ends at the first free
 * one. */
enum { RITTI_LINE = 8 }; /* places of a line */

/* The line of a try; `lines` is a power of two. */
static inline size_t ritti_line(uint32_t home, uint32_t hash, size_t lines, size_t try) {
  enum { NEAR = 4 }; /* tries that keep neighbours together */
  uint64_t mixed = (hash + try) * 0x9E3779B97F4A7C15u;
  size_t line =
      try < NEAR ? (home >> 2) + try * (lines / 8 * 3 + 1) : (size_t)(mixed >> 32 ^ mixed);
  return line & (lines - 1);
}

/* Nodes in ascending order, with the place of each: by a hash table, or by an array over all ids
 * where the nodes are many of them. It points into itself while the nodes are few: it is not to be
 * copied. */
enum { RITTI_SMALL_SWEEP = 128 };
typedef struct sweep {
  ritti_expr *at;
  size_t count, room;
  uint32_t *table; /* place + 1 of an id; 0: free, or not in it */
  size_t table_size;
  bool direct; /* table[id] */
  ritti_expr small_at[RITTI_SMALL_SWEEP];
  uint32_t small_table[2 * RITTI_SMALL_SWEEP];
} sweep;
/* The nodes below the roots with ids from `lowest` on. */
ritt_status ritti_sweep_init(sweep *s, const ritti_dag *dag, const ritti_expr *roots, size_t count,
                             ritti_expr lowest) RITT_USE;
void ritti_sweep_clear(sweep *s);
/* The nodes alone, and the sweep cleared. Free with ritti_free(nodes->at). */
ritt_status ritti_sweep_take(sweep *s, ritti_nodes *nodes) RITT_USE;
static inline uint32_t *ritti_sweep_cell(const sweep *s, ritti_expr e) {
  if (s->direct) return &s->table[e];
  size_t mask = s->table_size - 1, at = (size_t)(e * 2654435769u) & mask;
  while (s->table[at] && s->at[s->table[at] - 1] != e) at = (at + 1) & mask;
  return &s->table[at];
}

/* SIZE_MAX: not in it */
static inline size_t ritti_sweep_place(const sweep *s, ritti_expr e) {
  if (s->direct && e >= s->table_size) return SIZE_MAX; /* made later */
  uint32_t cell = *ritti_sweep_cell(s, e);
  return cell ? cell - 1 : SIZE_MAX;
}

#endif
