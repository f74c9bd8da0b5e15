/* Sets of nodes: what lies below some roots, ascending, with the place of each. */
#include <stdlib.h>
#include "expr_impl.h"

/* A new table for the nodes as they stand. */
static ritt_status index_sweep(sweep *s, size_t size, bool direct) {
  uint32_t *table = ritti_malloc(size * sizeof *table);
  if (!table) return RITT_NO_MEMORY;
  memset(table, 0, size * sizeof *table);
  if (s->table != s->small_table) ritti_free(s->table);
  s->table = table;
  s->table_size = size;
  s->direct = direct;
  for (size_t i = 0; i < s->count; i++) *ritti_sweep_cell(s, s->at[i]) = (uint32_t)i + 1;
  return RITT_OK;
}

enum { MANY = 16 }; /* a 16th of all nodes is many */

static ritt_status grow_table(sweep *s, const ritti_dag *dag) {
  if (s->count >= dag->nodes.count / MANY) return index_sweep(s, dag->nodes.count, true);
  return index_sweep(s, 2 * s->table_size, false);
}

/* Room for one more node. */
static ritt_status grow_sweep(sweep *s) {
  if (s->at != s->small_at) return ritti_array_grow(s, sizeof *s->at);
  ritti_expr *at = ritti_malloc(4 * s->count * sizeof *at);
  if (!at) return RITT_NO_MEMORY;
  memcpy(at, s->at, s->count * sizeof *at);
  s->at = at;
  s->room = 4 * s->count;
  return RITT_OK;
}

static inline ritt_status add_to_sweep(sweep *s, const ritti_dag *dag, ritti_expr e) {
  if (!s->direct && 2 * s->count >= s->table_size) RITT_TRY(grow_table(s, dag));
  uint32_t *cell = ritti_sweep_cell(s, e);
  if (*cell) return RITT_OK;
  if (s->count == s->room) RITT_TRY(grow_sweep(s));
  s->at[s->count++] = e;
  *cell = (uint32_t)s->count;
  return RITT_OK;
}

static int by_id(const void *a, const void *b) {
  ritti_expr x = *(const ritti_expr *)a, y = *(const ritti_expr *)b;
  return (x > y) - (x < y);
}

/* Shell's method, with the gaps of Ciura (2001), for what is short. */
static void sort_short(ritti_expr *at, size_t count) {
  static const unsigned char gap[] = {132, 57, 23, 10, 4, 1};
  for (size_t g = 0; g < sizeof gap; g++)
    for (size_t i = gap[g]; i < count; i++) {
      ritti_expr e = at[i];
      size_t j = i;
      for (; j >= gap[g] && at[j - gap[g]] > e; j -= gap[g]) at[j] = at[j - gap[g]];
      at[j] = e;
    }
}

static void sort_ids(ritti_expr *at, size_t count) {
  if (count <= 512) sort_short(at, count);
  else qsort(at, count, sizeof *at, by_id);
}

/* Ascending, and the table with the new places. */
static void sort_sweep(sweep *s) {
  size_t kept = 0;
  if (s->direct) {
    for (size_t e = 0; e < s->table_size; e++)
      if (s->table[e]) s->at[kept++] = (ritti_expr)e, s->table[e] = (uint32_t)kept;
    return;
  }
  sort_ids(s->at, s->count);
  memset(s->table, 0, s->table_size * sizeof *s->table);
  for (size_t i = 0; i < s->count; i++) *ritti_sweep_cell(s, s->at[i]) = (uint32_t)i + 1;
}

static void start_sweep(sweep *s) {
  s->at = s->small_at, s->room = RITTI_SMALL_SWEEP, s->count = 0;
  s->table = s->small_table, s->table_size = 2 * RITTI_SMALL_SWEEP, s->direct = false;
  memset(s->small_table, 0, sizeof s->small_table);
}

/* The nodes below, in the order in which they are met. */
static ritt_status fill_sweep(sweep *s, const ritti_dag *dag, const ritti_expr *roots, size_t count,
                              ritti_expr lowest) {
  for (size_t i = 0; i < count; i++) {
    if (roots[i] == RITTI_NIL) return RITT_NO_MEMORY;
    if (roots[i] >= lowest) RITT_TRY(add_to_sweep(s, dag, roots[i]));
  }
  /* what was found is itself the queue of what to look into */
  for (size_t i = 0; i < s->count; i++) {
    const ritti_expr *args = ritti_arguments(dag, s->at[i]);
    for (size_t j = 0, n = ritti_argument_count(dag, s->at[i]); args && j < n; j++)
      if (args[j] >= lowest) RITT_TRY(add_to_sweep(s, dag, args[j]));
  }
  return RITT_OK;
}

/* The same for many roots: from the last id down what is needed wants its arguments, which goes
 * through the nodes as they lie. */
static ritt_status scan_down(sweep *s, const ritti_dag *dag, const ritti_expr *roots, size_t count,
                             ritti_expr lowest) {
  RITT_TRY(index_sweep(s, dag->nodes.count, true));
  size_t found = 0;
  for (size_t i = 0; i < count; i++) {
    if (roots[i] == RITTI_NIL) return RITT_NO_MEMORY;
    s->table[roots[i]] = roots[i] >= lowest;
  }
  for (size_t e = dag->nodes.count - 1; e > 0 && e >= lowest; e--) {
    if (!s->table[e]) continue;
    const ritti_expr *args = ritti_arguments(dag, (ritti_expr)e);
    for (size_t j = 0, n = ritti_argument_count(dag, (ritti_expr)e); j < n; j++)
      if (args[j] >= lowest) s->table[args[j]] = 1;
    found++;
  }
  ritti_expr *at = ritti_malloc((found + 1) * sizeof *at);
  if (!at) return RITT_NO_MEMORY;
  s->at = at, s->room = found + 1, s->count = found;
  return RITT_OK;
}

ritt_status ritti_sweep_init(sweep *s, const ritti_dag *dag, const ritti_expr *roots, size_t count,
                             ritti_expr lowest) {
  bool many = count > RITTI_SMALL_SWEEP && count >= dag->nodes.count / (4 * MANY);
  start_sweep(s);
  ritt_status status =
      many ? scan_down(s, dag, roots, count, lowest) : fill_sweep(s, dag, roots, count, lowest);
  if (status == RITT_OK) sort_sweep(s);
  else ritti_sweep_clear(s);
  return status;
}

void ritti_sweep_clear(sweep *s) {
  if (s->at != s->small_at) ritti_free(s->at);
  if (s->table != s->small_table) ritti_free(s->table);
  s->at = NULL, s->table = NULL;
  s->count = 0;
}

ritt_status ritti_sweep_take(sweep *s, ritti_nodes *nodes) {
  *nodes = (ritti_nodes){s->at, s->count};
  if (s->at != s->small_at) s->at = NULL;
  else {
    nodes->at = ritti_malloc((s->count + 1) * sizeof *nodes->at);
    if (nodes->at) memcpy(nodes->at, s->at, s->count * sizeof *nodes->at);
  }
  ritti_sweep_clear(s);
  return nodes->at ? RITT_OK : RITT_NO_MEMORY;
}

ritt_status ritti_nodes_below(const ritti_dag *dag, const ritti_expr *roots, size_t count,
                              ritti_nodes *nodes) {
  sweep s;
  *nodes = (ritti_nodes){0};
  RITT_TRY(ritti_sweep_init(&s, dag, roots, count, 0));
  return ritti_sweep_take(&s, nodes);
}

size_t ritti_node_place(const ritti_nodes *nodes, ritti_expr node) {
  size_t low = 0, high = nodes->count;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (nodes->at[middle] <= node) low = middle;
    else high = middle;
  }
  return low;
}

ritt_status ritti_leaves(const ritti_dag *dag, ritti_expr root, ritti_op kind, ritti_nodes *out) {
  sweep s;
  *out = (ritti_nodes){0};
  start_sweep(&s);
  ritt_status status = fill_sweep(&s, dag, &root, 1, 0);
  size_t kept = 0;
  for (size_t i = 0; i < s.count && status == RITT_OK; i++)
    if (ritti_op_of(dag, s.at[i]) == kind) s.at[kept++] = s.at[i];
  s.count = kept;
  sort_ids(s.at, kept);
  if (status == RITT_OK) return ritti_sweep_take(&s, out);
  ritti_sweep_clear(&s);
  return status;
}

/* Without memory the answer is yes: that is never wrong by much. */
bool ritti_depends_on(const ritti_dag *dag, ritti_expr root, ritti_expr leaf_) {
  sweep s;
  if (root < leaf_) return false;
  start_sweep(&s);
  bool found =
      fill_sweep(&s, dag, &root, 1, leaf_) != RITT_OK || ritti_sweep_place(&s, leaf_) != SIZE_MAX;
  ritti_sweep_clear(&s);
  return found;
}
