/* Sets of nodes: what lies below some roots, ascending, with the place of each. */
#include <stdlib.h>
#include "expr_impl.h"

static uint32_t *sweep_cell(const sweep *s, ritti_expr e) {
  if (s->direct) return &s->table[e];
  size_t mask = s->table_size - 1, at = (size_t)(e * 2654435769u) & mask;
  while (s->table[at] && s->at[s->table[at] - 1] != e) at = (at + 1) & mask;
  return &s->table[at];
}

size_t ritti_sweep_place(const sweep *s, ritti_expr e) {
  if (s->direct && e >= s->table_size) return SIZE_MAX; /* made later */
  uint32_t cell = s->table_size ? *sweep_cell(s, e) : 0;
  return cell ? cell - 1 : SIZE_MAX;
}

/* A new table for the nodes as they stand. */
static ritt_status index_sweep(sweep *s, size_t size, bool direct) {
  uint32_t *table = ritti_malloc(size * sizeof *table);
  if (!table) return RITT_NO_MEMORY;
  memset(table, 0, size * sizeof *table);
  ritti_free(s->table);
  s->table = table;
  s->table_size = size;
  s->direct = direct;
  for (size_t i = 0; i < s->count; i++) *sweep_cell(s, s->at[i]) = (uint32_t)i + 1;
  return RITT_OK;
}

enum { FIRST_TABLE = 32, MANY = 16 }; /* a 16th of all nodes is many */

static ritt_status grow_sweep(sweep *s, const ritti_dag *dag) {
  if (s->table_size >= 64 && s->count >= dag->nodes.count / MANY)
    return index_sweep(s, dag->nodes.count, true);
  return index_sweep(s, s->table_size ? 2 * s->table_size : FIRST_TABLE, false);
}

static ritt_status add_to_sweep(sweep *s, const ritti_dag *dag, ritti_expr e) {
  if (!s->direct && 2 * s->count >= s->table_size) RITT_TRY(grow_sweep(s, dag));
  uint32_t *cell = sweep_cell(s, e);
  if (*cell) return RITT_OK;
  RITT_TRY(RITTI_PUSH(*s, e));
  *cell = (uint32_t)s->count;
  return RITT_OK;
}

static int by_id(const void *a, const void *b) {
  ritti_expr x = *(const ritti_expr *)a, y = *(const ritti_expr *)b;
  return (x > y) - (x < y);
}

/* Ascending, and the table with the new places. */
static void sort_sweep(sweep *s) {
  size_t kept = 0;
  if (s->direct) {
    for (size_t e = 0; e < s->table_size; e++)
      if (s->table[e]) s->at[kept++] = (ritti_expr)e, s->table[e] = (uint32_t)kept;
    return;
  }
  for (size_t i = 1; i < s->count && s->count <= 24; i++) {
    ritti_expr e = s->at[i];
    size_t j = i;
    for (; j && s->at[j - 1] > e; j--) s->at[j] = s->at[j - 1];
    s->at[j] = e;
  }
  if (s->count > 24) qsort(s->at, s->count, sizeof *s->at, by_id);
  if (s->table_size) memset(s->table, 0, s->table_size * sizeof *s->table);
  for (size_t i = 0; i < s->count; i++) *sweep_cell(s, s->at[i]) = (uint32_t)i + 1;
}

static ritt_status fill_sweep(sweep *s, const ritti_dag *dag, const ritti_expr *roots, size_t count,
                              ritti_expr lowest) {
  for (size_t i = 0; i < count; i++) {
    if (roots[i] == RITTI_NIL) return RITT_NO_MEMORY;
    if (roots[i] >= lowest) RITT_TRY(add_to_sweep(s, dag, roots[i]));
  }
  /* what was found is itself the queue of what to look into */
  for (size_t i = 0; i < s->count; i++) {
    const ritti_expr *args = ritti_arguments(dag, s->at[i]);
    for (size_t j = 0, n = ritti_argument_count(dag, s->at[i]); j < n; j++)
      if (args[j] >= lowest) RITT_TRY(add_to_sweep(s, dag, args[j]));
  }
  sort_sweep(s);
  return RITT_OK;
}

ritt_status ritti_sweep_init(sweep *s, const ritti_dag *dag, const ritti_expr *roots, size_t count,
                             ritti_expr lowest) {
  *s = (sweep){0};
  ritt_status status = fill_sweep(s, dag, roots, count, lowest);
  if (status != RITT_OK) ritti_sweep_clear(s);
  return status;
}

void ritti_sweep_clear(sweep *s) {
  ritti_free(s->at);
  ritti_free(s->table);
  *s = (sweep){0};
}

ritt_status ritti_nodes_below(const ritti_dag *dag, const ritti_expr *roots, size_t count,
                              ritti_nodes *nodes) {
  sweep s;
  *nodes = (ritti_nodes){0};
  RITT_TRY(ritti_sweep_init(&s, dag, roots, count, 0));
  *nodes = (ritti_nodes){s.at, s.count};
  ritti_free(s.table);
  return RITT_OK;
}

ritt_status ritti_leaves(const ritti_dag *dag, ritti_expr root, ritti_op kind, ritti_nodes *out) {
  RITT_TRY(ritti_nodes_below(dag, &root, 1, out));
  size_t kept = 0;
  for (size_t i = 0; i < out->count; i++)
    if (ritti_op_of(dag, out->at[i]) == kind) out->at[kept++] = out->at[i];
  out->count = kept;
  return RITT_OK;
}

/* Without memory the answer is yes: that is never wrong by much. */
bool ritti_depends_on(const ritti_dag *dag, ritti_expr root, ritti_expr leaf_) {
  sweep s;
  if (root < leaf_) return false;
  if (ritti_sweep_init(&s, dag, &root, 1, leaf_) != RITT_OK) return true;
  bool found = ritti_sweep_place(&s, leaf_) != SIZE_MAX;
  ritti_sweep_clear(&s);
  return found;
}
