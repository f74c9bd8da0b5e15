/* Hash-consing: the node with given contents is found, or made if there is none. Ids follow from
 * the order of making alone.
 */
#include "expr_impl.h"

/* What a node to be found or made looks like. */
typedef struct candidate {
  ritti_op op;
  uint32_t a, b;
  uint32_t hash, home;
  const ritti_expr *args; /* NULL: none */
  mpq_srcptr value;       /* NUMBER only */
  bool ratio;             /* NUMBER, in lowest terms: small_n / small_d instead of value */
  long small_n;
  unsigned long small_d;
} candidate;

/* ---- hash ---- */
static uint64_t mix_hash(uint64_t hash, uint64_t v) {
  hash = (hash ^ v) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 32;
}

/* Mixes an integer of any length into a hash. */
static uint64_t mix_integer(uint64_t hash, mpz_srcptr z) {
  hash = mix_hash(hash, (uint64_t)mpz_sgn(z) + mpz_size(z));
  for (size_t i = 0; i < mpz_size(z); i++) hash = mix_hash(hash, mpz_getlimbn(z, (mp_size_t)i));
  return hash;
}

/* the same for a number that fits into a word */
static uint64_t mix_word(uint64_t hash, long n) {
  unsigned long size = n < 0 ? -(unsigned long)n : (unsigned long)n;
  hash = mix_hash(hash, (uint64_t)((n > 0) - (n < 0)) + (size > 0));
  return size ? mix_hash(hash, size) : hash;
}

/* Sets hash and home. */
static void place_candidate(candidate *c) {
  const uint32_t far = 0x3D4D51CB; /* between the homes of a jet and its derivative */
  uint64_t hash = mix_hash(c->op, c->b);
  uint32_t most = 0;
  for (size_t i = 0; c->args && i < c->b; i++) {
    hash = mix_hash(hash, c->args[i]);
    if (c->args[i] > most) most = c->args[i];
  }
  if (c->ratio) hash = mix_word(mix_word(hash, c->small_n), (long)c->small_d);
  else if (c->value)
    hash = mix_integer(mix_integer(hash, mpq_numref(c->value)), mpq_denref(c->value));
  else if (!c->args) hash = mix_hash(hash, c->a);
  c->hash = (uint32_t)(hash ^ hash >> 29);
  c->home = c->args ? most : c->value || c->ratio ? c->hash : c->a + c->b * far;
}

/* ---- table ---- */
static ritti_slot *free_slot(ritti_slot *table, size_t lines, const candidate *c) {
  for (size_t try = 0;; try++) {
    ritti_slot *slot = table + RITTI_LINE * ritti_line(c->home, c->hash, lines, try);
    for (uint32_t i = 0; i < RITTI_LINE; i++) {
      uint32_t at = (c->hash + i) % RITTI_LINE;
      if (!slot[at].id) return &slot[at];
    }
  }
}

/* The description of an existing node, to find its place in a new table. */
static candidate candidate_of(const ritti_dag *dag, ritti_expr e) {
  const ritti_dag_node *n = ritti_dag_node_at(dag, e);
  candidate c = {.op = (ritti_op)n->op, .a = n->a, .b = n->b, .args = ritti_arguments(dag, e)};
  if (n->op == RITTI_NUMBER) c.value = ritti_rational_of(dag, e);
  place_candidate(&c);
  return c;
}

/* Twice the lines. The table begins at a multiple of the length of a line, so that each line lies
 * in one line of the cache. */
static ritt_status grow_table(ritti_dag *dag) {
  enum { BYTES = RITTI_LINE * sizeof(ritti_slot) };
  size_t lines = dag->lines ? 2 * dag->lines : 1;
  if (lines > SIZE_MAX / BYTES - 1) return RITT_NO_MEMORY;
  unsigned char *block = ritti_malloc((lines + 1) * BYTES);
  if (!block) return RITT_NO_MEMORY;
  size_t skip = (BYTES - (uintptr_t)block % BYTES) % BYTES;
  ritti_slot *table = memset(block + skip, 0, lines * BYTES);
  for (size_t i = 1; i < dag->nodes.count; i++) {
    candidate c = candidate_of(dag, (ritti_expr)i);
    *free_slot(table, lines, &c) = (ritti_slot){c.hash, (ritti_expr)i};
  }
  ritti_free(dag->table_block);
  dag->table_block = block;
  dag->table = table;
  dag->lines = lines;
  return RITT_OK;
}

/* Number i; blocks never move, so pointers to numbers stay valid. */
static mpq_ptr number_at(const ritti_dag *dag, size_t i) {
  return &dag->blocks.at[i / RITTI_NUMBER_BLOCK][i % RITTI_NUMBER_BLOCK];
}

/* True if the node is the one that is looked for. */
static bool is_same_node(const ritti_dag *dag, const ritti_dag_node *n, const candidate *c) {
  if (n->op != c->op) return false;
  if (c->ratio) return mpq_cmp_si(number_at(dag, n->a), c->small_n, c->small_d) == 0;
  if (c->value) return mpq_equal(number_at(dag, n->a), c->value);
  if (n->b != c->b) return false;
  if (!c->args) return n->a == c->a;
  const ritti_expr *args = dag->pool.at + n->a;
  for (uint32_t i = 0; i < c->b; i++)
    if (args[i] != c->args[i]) return false;
  return true;
}

/* Where the node is, or the place for it. */
static ritti_slot *find_slot(const ritti_dag *dag, const candidate *c) {
  for (size_t try = 0;; try++) {
    ritti_slot *slot = dag->table + RITTI_LINE * ritti_line(c->home, c->hash, dag->lines, try);
    for (uint32_t i = 0; i < RITTI_LINE; i++) {
      uint32_t at = (c->hash + i) % RITTI_LINE;
      if (!slot[at].id) return &slot[at];
      if (slot[at].hash == c->hash && is_same_node(dag, &dag->nodes.at[slot[at].id], c))
        return &slot[at];
    }
  }
}

/* ---- nodes ---- */
static ritt_status store_number(ritti_dag *dag, const candidate *c) {
  if (dag->numbers == dag->blocks.count * RITTI_NUMBER_BLOCK) {
    __mpq_struct *block = ritti_malloc(RITTI_NUMBER_BLOCK * sizeof *block);
    if (!block || RITTI_PUSH(dag->blocks, block) != RITT_OK) {
      ritti_free(block);
      return RITT_NO_MEMORY;
    }
  }
  mpq_ptr number = number_at(dag, dag->numbers++);
  mpq_init(number);
  if (c->ratio) mpq_set_si(number, c->small_n, c->small_d);
  else mpq_set(number, c->value);
  return RITT_OK;
}

/* Adds what the node of the candidate refers to, and the node. */
static ritt_status store_node(ritti_dag *dag, const candidate *c) {
  ritti_dag_node n = {.op = c->op, .a = c->a, .b = c->b};
  if (dag->nodes.count >= UINT32_MAX || c->b > UINT32_MAX - dag->pool.count) return RITT_NO_MEMORY;
  if (c->value || c->ratio) {
    n.a = (uint32_t)dag->numbers;
    RITT_TRY(store_number(dag, c));
  }
  if (c->args) {
    n.a = (uint32_t)dag->pool.count;
    for (size_t i = 0; i < c->b; i++) RITT_TRY(RITTI_PUSH(dag->pool, c->args[i]));
  }
  return RITTI_PUSH(dag->nodes, n);
}

/* The node that c describes, which is made if there is none; so equal expressions are one node. */
static ritti_expr find_or_make(ritti_dag *dag, candidate *c) {
  if (dag->status != RITT_OK) return RITTI_NIL;
  if (4 * dag->nodes.count >= 3 * RITTI_LINE * dag->lines && grow_table(dag) != RITT_OK)
    return ritti_fail_dag(dag);
  place_candidate(c);
  ritti_slot *slot = find_slot(dag, c);
  if (slot->id) return slot->id;
  if (store_node(dag, c) != RITT_OK) return ritti_fail_dag(dag);
  *slot = (ritti_slot){c->hash, (ritti_expr)(dag->nodes.count - 1)};
  return slot->id;
}

/* The node op(args) as it stands, without rules. */
ritti_expr ritti_intern(ritti_dag *dag, ritti_op op, const ritti_expr *args, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (args[i] == RITTI_NIL) return RITTI_NIL;
  if (count > UINT32_MAX) return ritti_fail_dag(dag);
  candidate c = {.op = op, .b = (uint32_t)count, .args = args};
  return find_or_make(dag, &c);
}

/* The node of a leaf. */
ritti_expr ritti_intern_leaf(ritti_dag *dag, ritti_op op, uint32_t index, uint32_t order) {
  candidate c = {.op = op, .a = index, .b = order};
  return find_or_make(dag, &c);
}

/* The node of an exact number, which is copied. */
ritti_expr ritti_rational(ritti_dag *dag, mpq_srcptr value) {
  candidate c = {.op = RITTI_NUMBER, .value = value};
  return find_or_make(dag, &c);
}

/* The node of n / d, which must be reduced; small whole numbers are found without a search. */
ritti_expr ritti_ratio(ritti_dag *dag, long n, unsigned long d) {
  bool whole = d == 1 && n >= -RITTI_SMALL_NUMBER && n <= RITTI_SMALL_NUMBER;
  if (whole && dag->whole[n + RITTI_SMALL_NUMBER]) return dag->whole[n + RITTI_SMALL_NUMBER];
  candidate c = {.op = RITTI_NUMBER, .ratio = true, .small_n = n, .small_d = d};
  ritti_expr e = find_or_make(dag, &c);
  if (whole) dag->whole[n + RITTI_SMALL_NUMBER] = e;
  return e;
}
