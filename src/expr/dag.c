/* The store: nodes by id, hash-consed through one table of ids; arguments in one pool, numbers in blocks. */
#include <assert.h>
#include <stdlib.h>
#include "expr_impl.h"

const char *const ritti_op_text[RITTI_OP_COUNT] = {
#define RITTI_OP(id, text, arguments) text,
#include "expr/ops.def"
#undef RITTI_OP
};

/* What a node to be found or made looks like. */
typedef struct candidate {
  ritti_op op;
  uint32_t a, b;
  uint32_t hash;
  const ritti_expr *args; /* NULL: none */
  mpq_srcptr value;       /* NUMBER only */
  bool ratio;             /* NUMBER, in lowest terms: small_n / small_d instead of value */
  long small_n;
  unsigned long small_d;
} candidate;

ritti_dag *ritti_dag_new(void) {
  ritti_dag *dag = ritti_malloc(sizeof *dag);
  if (!dag) return NULL;
  *dag = (ritti_dag){0};
  if (RITTI_PUSH(dag->nodes, (node){0}) == RITT_OK) return dag;
  ritti_free(dag);
  return NULL;
}

void ritti_dag_free(ritti_dag *dag) {
  if (!dag) return;
  for (size_t i = 0; i < dag->numbers; i++) mpq_clear(&dag->blocks.at[i / NUMBER_BLOCK][i % NUMBER_BLOCK]);
  for (size_t i = 0; i < dag->blocks.count; i++) ritti_free(dag->blocks.at[i]);
  RITTI_ARRAY_FREE(dag->blocks);
  RITTI_ARRAY_FREE(dag->nodes);
  RITTI_ARRAY_FREE(dag->pool);
  RITTI_ARRAY_FREE(dag->tables);
  ritti_free(dag->table);
  ritti_forget_gradients(dag);
  ritti_free(dag);
}

ritt_status ritti_dag_status(const ritti_dag *dag) { return dag->status; }
ritti_expr ritti_dag_count(const ritti_dag *dag) { return (ritti_expr)dag->nodes.count; }

ritti_expr ritti_fail_dag(ritti_dag *dag) {
  dag->status = RITT_NO_MEMORY;
  return RITTI_NIL;
}

/* ---- hash table -------------------------------------------------------------------------------------- */
static uint64_t mix(uint64_t hash, uint64_t v) {
  hash = (hash ^ v) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 32;
}

static uint64_t mix_integer(uint64_t hash, mpz_srcptr z) {
  hash = mix(hash, (uint64_t)mpz_sgn(z) + mpz_size(z));
  for (size_t i = 0; i < mpz_size(z); i++) hash = mix(hash, mpz_getlimbn(z, (mp_size_t)i));
  return hash;
}

/* the same for a number that fits into a word */
static uint64_t mix_word(uint64_t hash, long n) {
  unsigned long size = n < 0 ? -(unsigned long)n : (unsigned long)n;
  hash = mix(hash, (uint64_t)((n > 0) - (n < 0)) + (size > 0));
  return size ? mix(hash, size) : hash;
}

static uint32_t hash_of(const candidate *c) {
  uint64_t hash = mix(c->op, c->b);
  if (c->ratio) hash = mix_word(mix_word(hash, c->small_n), (long)c->small_d);
  else if (c->value) hash = mix_integer(mix_integer(hash, mpq_numref(c->value)), mpq_denref(c->value));
  else if (!c->args) hash = mix(hash, c->a);
  for (size_t i = 0; c->args && i < c->b; i++) hash = mix(hash, c->args[i]);
  return (uint32_t)(hash ^ hash >> 29);
}

static mpq_ptr number_at(const ritti_dag *dag, size_t i) {
  return &dag->blocks.at[i / NUMBER_BLOCK][i % NUMBER_BLOCK];
}

static bool same(const ritti_dag *dag, const node *n, const candidate *c) {
  if (n->hash != c->hash || n->op != c->op) return false;
  if (c->ratio) return mpq_cmp_si(number_at(dag, n->a), c->small_n, c->small_d) == 0;
  if (c->value) return mpq_equal(number_at(dag, n->a), c->value);
  if (n->b != c->b) return false;
  if (!c->args) return n->a == c->a;
  return !memcmp(dag->pool.at + n->a, c->args, c->b * sizeof *c->args);
}

static ritt_status grow_table(ritti_dag *dag) {
  size_t size = dag->table_size ? 2 * dag->table_size : 4;
  if (size > SIZE_MAX / sizeof *dag->table) return RITT_NO_MEMORY;
  uint32_t *table = ritti_malloc(size * sizeof *table);
  if (!table) return RITT_NO_MEMORY;
  memset(table, 0, size * sizeof *table);
  for (size_t i = 1; i < dag->nodes.count; i++) {
    size_t at = dag->nodes.at[i].hash & (size - 1);
    while (table[at]) at = (at + 1) & (size - 1);
    table[at] = (uint32_t)i;
  }
  ritti_free(dag->table);
  dag->table = table;
  dag->table_size = size;
  return RITT_OK;
}

static ritt_status store_number(ritti_dag *dag, const candidate *c) {
  if (dag->numbers == dag->blocks.count * NUMBER_BLOCK) {
    __mpq_struct *block = ritti_malloc(NUMBER_BLOCK * sizeof *block);
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
static ritt_status store(ritti_dag *dag, const candidate *c) {
  node n = {.op = c->op, .a = c->a, .b = c->b, .hash = c->hash};
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

static ritti_expr find_or_make(ritti_dag *dag, candidate *c) {
  if (dag->status != RITT_OK) return RITTI_NIL;
  if (2 * dag->nodes.count >= dag->table_size && grow_table(dag) != RITT_OK) return ritti_fail_dag(dag);
  c->hash = hash_of(c);
  size_t mask = dag->table_size - 1, at = c->hash & mask;
  for (; dag->table[at]; at = (at + 1) & mask)
    if (same(dag, &dag->nodes.at[dag->table[at]], c)) return dag->table[at];
  if (store(dag, c) != RITT_OK) return ritti_fail_dag(dag);
  return dag->table[at] = (uint32_t)(dag->nodes.count - 1);
}

ritti_expr ritti_intern(ritti_dag *dag, ritti_op op, const ritti_expr *args, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (args[i] == RITTI_NIL) return RITTI_NIL;
  if (count > UINT32_MAX) return ritti_fail_dag(dag);
  candidate c = {.op = op, .b = (uint32_t)count, .args = args};
  return find_or_make(dag, &c);
}

/* ---- leaves ------------------------------------------------------------------------------------------ */
static ritti_expr leaf(ritti_dag *dag, ritti_op op, int index, int order) {
  assert(index >= 0 && order >= 0);
  candidate c = {.op = op, .a = (uint32_t)index, .b = (uint32_t)order};
  return find_or_make(dag, &c);
}

ritti_expr ritti_rational(ritti_dag *dag, mpq_srcptr value) {
  candidate c = {.op = RITTI_NUMBER, .value = value};
  return find_or_make(dag, &c);
}

ritti_expr ritti_ratio(ritti_dag *dag, long n, unsigned long d) {
  bool whole = d == 1 && n >= -SMALL_NUMBER && n <= SMALL_NUMBER;
  if (whole && dag->whole[n + SMALL_NUMBER]) return dag->whole[n + SMALL_NUMBER];
  candidate c = {.op = RITTI_NUMBER, .ratio = true, .small_n = n, .small_d = d};
  ritti_expr e = find_or_make(dag, &c);
  if (whole) dag->whole[n + SMALL_NUMBER] = e;
  return e;
}

ritti_expr ritti_number(ritti_dag *dag, long numerator, unsigned long denominator) {
  assert(denominator);
  unsigned long a = numerator < 0 ? -(unsigned long)numerator : (unsigned long)numerator, b = denominator;
  while (b) {
    unsigned long rest = a % b;
    a = b, b = rest;
  }
  return ritti_ratio(dag, numerator / (long)a, denominator / a);
}

bool ritti_small_number(mpq_srcptr q, long *n, long *d) {
  enum { LIMIT = 0x7fffffff };
  if (mpz_cmpabs_ui(mpq_numref(q), LIMIT) > 0 || mpz_cmp_ui(mpq_denref(q), LIMIT) > 0) return false;
  *n = mpz_get_si(mpq_numref(q));
  *d = mpz_get_si(mpq_denref(q));
  return true;
}

ritti_expr ritti_pi(ritti_dag *dag) { return leaf(dag, RITTI_PI, 0, 0); }
ritti_expr ritti_independent(ritti_dag *dag) { return leaf(dag, RITTI_INDEPENDENT, 0, 0); }
ritti_expr ritti_jet(ritti_dag *dag, int variable, int order) {
  return leaf(dag, RITTI_JET, variable, order);
}
ritti_expr ritti_parameter(ritti_dag *dag, int index) { return leaf(dag, RITTI_PARAMETER, index, 0); }
ritti_expr ritti_level(ritti_dag *dag, int index) { return leaf(dag, RITTI_LEVEL, index, 0); }
ritti_expr ritti_multiplier(ritti_dag *dag, int index) { return leaf(dag, RITTI_MULTIPLIER, index, 0); }
ritti_expr ritti_side(ritti_dag *dag, int index) { return leaf(dag, RITTI_SIDE, index, 0); }

/* ---- tables ------------------------------------------------------------------------------------------ */
int ritti_dag_add_table(ritti_dag *dag, const ritti_table *table) {
  if (RITTI_PUSH(dag->tables, table) == RITT_OK) return (int)dag->tables.count - 1;
  ritti_fail_dag(dag);
  return -1;
}

size_t ritti_dag_table_count(const ritti_dag *dag) { return dag->tables.count; }

const ritti_table *const *ritti_dag_tables(const ritti_dag *dag) {
  return (const ritti_table *const *)dag->tables.at;
}

ritti_expr ritti_table_at(ritti_dag *dag, int table, int order, int parity, ritti_expr u) {
  ritti_expr code = ritti_number(dag, (long)ritti_table_code(table, order, parity), 1);
  return ritti_intern(dag, RITTI_TABLE, (ritti_expr[]){u, code}, 2);
}

double ritti_table_code_of(const ritti_dag *dag, ritti_expr e) {
  assert(ritti_op_of(dag, e) == RITTI_TABLE);
  return mpq_get_d(ritti_rational_of(dag, ritti_argument(dag, e, 1)));
}

/* ---- look -------------------------------------------------------------------------------------------- */
static const node *node_at(const ritti_dag *dag, ritti_expr e) {
  assert(e < dag->nodes.count);
  return &dag->nodes.at[e];
}

ritti_op ritti_op_of(const ritti_dag *dag, ritti_expr e) { return (ritti_op)node_at(dag, e)->op; }
bool ritti_is_leaf(const ritti_dag *dag, ritti_expr e) { return node_at(dag, e)->op < RITTI_ADD; }

size_t ritti_argument_count(const ritti_dag *dag, ritti_expr e) {
  return ritti_is_leaf(dag, e) ? 0 : node_at(dag, e)->b;
}

const ritti_expr *ritti_arguments(const ritti_dag *dag, ritti_expr e) {
  return ritti_is_leaf(dag, e) ? NULL : dag->pool.at + node_at(dag, e)->a;
}

ritti_expr ritti_argument(const ritti_dag *dag, ritti_expr e, size_t i) {
  assert(i < ritti_argument_count(dag, e));
  return ritti_arguments(dag, e)[i];
}

mpq_srcptr ritti_rational_of(const ritti_dag *dag, ritti_expr e) {
  assert(ritti_op_of(dag, e) == RITTI_NUMBER);
  return number_at(dag, node_at(dag, e)->a);
}

int ritti_index_of(const ritti_dag *dag, ritti_expr e) {
  assert(ritti_is_leaf(dag, e) && ritti_op_of(dag, e) != RITTI_NUMBER);
  return (int)node_at(dag, e)->a;
}

int ritti_order_of(const ritti_dag *dag, ritti_expr e) {
  assert(ritti_op_of(dag, e) == RITTI_JET);
  return (int)node_at(dag, e)->b;
}

bool ritti_is_zero(const ritti_dag *dag, ritti_expr e) {
  if (dag->whole[SMALL_NUMBER]) return e == dag->whole[SMALL_NUMBER];
  return ritti_op_of(dag, e) == RITTI_NUMBER && mpq_sgn(ritti_rational_of(dag, e)) == 0;
}

/* The quotient to 55 or 56 bits with a sticky bit below, rounded once; fewer bits where the result is
 * subnormal. */
double ritti_rational_double(mpq_srcptr value) {
  enum { DIGITS = 55, SUBNORMAL = 1076 };
  long small_n, small_d;
  if (ritti_small_number(value, &small_n, &small_d)) return (double)small_n / (double)small_d;
  mpz_srcptr n = mpq_numref(value), d = mpq_denref(value);
  long exponent = (long)mpz_sizeinbase(n, 2) - (long)mpz_sizeinbase(d, 2);
  if (exponent > 1100) return mpq_sgn(value) < 0 ? -INFINITY : INFINITY;
  if (exponent < -1200) return mpq_sgn(value) < 0 ? -0.0 : 0.0;
  long shift = DIGITS - exponent < SUBNORMAL ? DIGITS - exponent : SUBNORMAL;

  mpz_t a, b, rest;
  mpz_inits(a, b, rest, NULL);
  mpz_abs(a, n);
  mpz_set(b, d);
  if (shift >= 0) mpz_mul_2exp(a, a, (mp_bitcnt_t)shift);
  else mpz_mul_2exp(b, b, (mp_bitcnt_t)-shift);
  mpz_tdiv_qr(a, rest, a, b);
  uint64_t bits = 0;
  mpz_export(&bits, NULL, -1, sizeof bits, 0, 0, a);
  bits = bits << 1 | (mpz_sgn(rest) != 0);
  mpz_clears(a, b, rest, NULL);

  if (shift == SUBNORMAL) {
    uint64_t low = bits & 7;
    bits >>= 3;
    bits += low > 4 || (low == 4 && (bits & 1));
    shift -= 3;
  }
  double result = ldexp((double)bits, (int)-(shift + 1));
  return mpq_sgn(value) < 0 ? -result : result;
}

/* ---- sets of nodes ----------------------------------------------------------------------------------- */
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
