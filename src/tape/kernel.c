/* Kernels: roots of one shape as one piece of code and a table of slots.
 *
 * In: many roots, as the rows of a family give them. Two roots have the same shape when they are
 * the same operations of the same numbers, and only their leaves differ. Of every shape that occurs
 * often one root is lowered; the others add a line to its table: the slots of their leaves, in the
 * order in which the shape meets them. So code does not grow with the size of a family. Kernels run
 * eight instances at a time, each lane doing what the plain tape would do: the bits are the same.
 */
#include <stdlib.h>
#include "tape/eval_impl.h"

enum { FEWEST = 24, LONGEST = 400, LANES = RITTI_KERNEL_LANES };

/* ---- shapes ---- */

/* A root as a line of words: for each node in the order of a walk from the leaves up its operator
 * and the places of its arguments; leaves are numbered as they come. */
enum { CELLS = 1024 }; /* more than twice LONGEST */
typedef struct walk {
  RITTI_ARRAY(uint32_t) word;
  RITTI_ARRAY(ritti_expr) leaf;
  RITTI_ARRAY(ritti_expr) node; /* met so far; its place is its number */
  RITTI_ARRAY(uint16_t) cell;   /* of each node in the table */
  RITTI_ARRAY(uint32_t) place;  /* of the arguments of nodes that are being met */
  uint16_t table[CELLS];        /* place + 1; 0: free */
  bool too_long;
} walk;

/* The cell of a node, free if it was not met. */
static uint16_t cell_of_node(const walk *w, ritti_expr e) {
  uint16_t at = (uint16_t)(e * 2654435769u >> 22);
  while (w->table[at] && w->node.at[w->table[at] - 1] != e) at = (uint16_t)((at + 1) % CELLS);
  return at;
}

/* True for leaves that are the same in all instances of a shape. */
static bool is_fixed(const ritti_dag *dag, ritti_expr e) {
  ritti_op op = ritti_op_of(dag, e);
  return op == RITTI_NUMBER || op == RITTI_PI;
}

/* Arguments before what uses them, the first ones first. Adds the place of the node to the others.
 */
static ritt_status visit_node(walk *w, const ritti_dag *dag, ritti_expr e, int depth) {
  uint16_t known = w->table[cell_of_node(w, e)];
  if (known) return RITTI_PUSH(w->place, (uint32_t)(known - 1));
  w->too_long = w->too_long || w->node.count >= LONGEST || depth > LONGEST;
  for (size_t i = 0, n = ritti_argument_count(dag, e); i < n && !w->too_long; i++)
    RITT_TRY(visit_node(w, dag, ritti_argument(dag, e, i), depth + 1));
  if (w->too_long) return RITT_OK;

  /* Adds the node, whose arguments have the last places. */
  uint16_t cell = cell_of_node(w, e);
  RITT_TRY(RITTI_PUSH(w->word, (uint32_t)ritti_op_of(dag, e)));
  if (is_fixed(dag, e))
    RITT_TRY(RITTI_PUSH(w->word, e)); /* hash-consed: the same number is the same node */
  else if (ritti_is_leaf(dag, e)) {
    RITT_TRY(RITTI_PUSH(w->word, (uint32_t)w->leaf.count));
    RITT_TRY(RITTI_PUSH(w->leaf, e));
  } else {
    size_t n = ritti_argument_count(dag, e);
    RITT_TRY(RITTI_PUSH(w->word, (uint32_t)n));
    w->place.count -= n;
    for (size_t i = 0; i < n; i++) RITT_TRY(RITTI_PUSH(w->word, w->place.at[w->place.count + i]));
  }
  RITT_TRY(RITTI_PUSH(w->cell, cell));
  RITT_TRY(RITTI_PUSH(w->node, e));
  w->table[cell] = (uint16_t)w->node.count;

  return RITTI_PUSH(w->place, (uint32_t)w->node.count - 1);
}

/* Describes a root as words in which leaves are numbered; roots with equal words have one shape. */
static ritt_status walk_root(walk *w, const ritti_dag *dag, ritti_expr root) {
  for (size_t i = 0; i < w->cell.count; i++) w->table[w->cell.at[i]] = 0;
  w->word.count = w->leaf.count = w->node.count = w->cell.count = w->place.count = 0;
  w->too_long = false;
  return visit_node(w, dag, root, 0);
}

/* ---- shapes that occur often ---- */

typedef struct shape {
  uint32_t *word; /* words of it */
  size_t words, leaves, count;
  ritti_expr root;         /* the first that has it */
  ritti_kernel *kernel;    /* NULL: it is too rare */
  uint32_t *slot, *result; /* being filled */
} shape;

typedef struct shapes {
  RITTI_ARRAY(shape) all;
  uint32_t *table; /* + 1; 0: free */
  size_t size;
  uint32_t *of;                 /* each root: its shape + 1; 0: none */
  size_t *first;                /* each root: the first of its leaves */
  RITTI_ARRAY(ritti_expr) leaf; /* of all roots */
} shapes;

/* The cell of a shape in the table; 0 if it is new. */
static size_t cell_of(const shapes *s, const uint32_t *word, size_t words) {
  uint64_t hash = words;
  for (size_t i = 0; i < words; i++)
    hash = (hash ^ word[i]) * 0x9E3779B97F4A7C15u, hash ^= hash >> 29;
  size_t at = (size_t)(hash >> 20) & (s->size - 1);
  for (; s->table[at]; at = (at + 1) & (s->size - 1)) {
    const shape *other = &s->all.at[s->table[at] - 1];
    if (other->words == words && !memcmp(other->word, word, words * sizeof *word)) break;
  }
  return at;
}

/* Doubles the table of shapes. */
static ritt_status grow_shapes(shapes *s) {
  size_t size = s->size ? 2 * s->size : 256;
  ritti_free(s->table);
  s->table = ritti_malloc(size * sizeof *s->table);
  s->size = s->table ? size : 0;
  if (!s->table) return RITT_NO_MEMORY;
  memset(s->table, 0, size * sizeof *s->table);
  for (size_t i = 0; i < s->all.count; i++)
    s->table[cell_of(s, s->all.at[i].word, s->all.at[i].words)] = (uint32_t)i + 1;
  return RITT_OK;
}

/* Adds a root to its shape, with its leaves. */
static ritt_status add_root(shapes *s, const walk *w, ritti_arena *scratch, size_t i,
                            ritti_expr root) {
  if (2 * s->all.count >= s->size) RITT_TRY(grow_shapes(s));
  size_t cell = cell_of(s, w->word.at, w->word.count);
  if (!s->table[cell]) {
    shape new = {.words = w->word.count, .leaves = w->leaf.count, .root = root};
    RITTI_NEW(new.word, scratch, new.words);
    memcpy(new.word, w->word.at, new.words * sizeof *new.word);
    RITT_TRY(RITTI_PUSH(s->all, new));
    s->table[cell] = (uint32_t)s->all.count;
  }
  /* the instance */
  s->of[i] = s->table[cell];
  s->all.at[s->of[i] - 1].count++;
  s->first[i] = s->leaf.count;
  for (size_t k = 0; k < w->leaf.count; k++) RITT_TRY(RITTI_PUSH(s->leaf, w->leaf.at[k]));
  return RITT_OK;
}

/* ---- one kernel ---- */

/* The register of a step: leaves are where they were put. */
static uint32_t register_of(const ritti_kernel *k, uint32_t step) {
  return k->code[step].op == RITTI_M_LEAF ? k->code[step].a : k->code[step].out;
}

/* What the interpreter runs: constants first, which stay from one batch to the next. */
static ritt_status fuse_code(const ritti_lowered *l, ritti_arena *arena, ritti_kernel *k) {
  ritti_fused *fused;
  bool *absorbed;
  unsigned char *uses;
  RITTI_NEW_ARRAYS(arena, l->steps, fused, uses);
  RITTI_NEW(absorbed, arena, 2 * l->steps);
  ritti_fuse(l, uses, absorbed, absorbed + l->steps);
  /* constants */
  for (uint32_t i = 0; i < l->steps; i++)
    if (l->step[i].op == RITTI_M_CONSTANT)
      fused[k->length++] = (ritti_fused){.op = RITTI_M_CONSTANT, .out = register_of(k, i), .a = i};
  k->constants = k->length;
  /* all other steps, with those they absorb */
  for (uint32_t i = 0; i < l->steps; i++) {
    if (absorbed[i] || l->step[i].op == RITTI_M_CONSTANT || l->step[i].op == RITTI_M_LEAF) continue;
    ritti_fused c = ritti_fused_step(l, absorbed, i);
    fused[k->length++] = (ritti_fused){c.op,
                                       register_of(k, i),
                                       register_of(k, c.a),
                                       register_of(k, c.b),
                                       register_of(k, c.c),
                                       register_of(k, c.d)};
  }
  k->fused = fused, k->fused_out = register_of(k, l->result[0]);
  return RITT_OK;
}

/* Registers: the leaves, then what each step gives. */
static ritt_status make_code(const ritti_dag *dag, const ritti_expr *leaf, size_t count,
                             ritti_expr root, ritti_arena *arena, ritti_kernel *k) {
  ritti_lowered l;
  RITT_TRY(ritti_lower(dag, &root, 1, &l));
  ritti_instruction *code = ritti_arena_alloc(arena, l.steps, sizeof *code);
  ritt_real *constant = ritti_arena_alloc(arena, l.steps, sizeof *constant);
  uint32_t leaves = (uint32_t)count;
  for (size_t i = 0; code && constant && i < l.steps; i++) {
    const ritti_step *s = &l.step[i];
    ritti_instruction c = {.op = s->op, .out = leaves + (uint32_t)i};
    if (s->op == RITTI_M_CONSTANT) constant[i] = l.constant[s->a];
    else if (s->op == RITTI_M_LEAF)
      while (leaf[c.a] != s->a) c.a++;
    else c.a = leaves + s->a, c.b = ritti_machine_arguments[s->op] == 2 ? leaves + s->b : c.a;
    code[i] = c;
  }
  k->code = code, k->constant = constant, k->steps = l.steps, k->leaves = count;
  k->out = leaves + l.result[0];
  ritt_status status = code && constant ? fuse_code(&l, arena, k) : RITT_NO_MEMORY;
  ritti_lowered_clear(&l);
  return status;
}

/* The table of one more instance. */
static ritt_status add_instance(ritti_layout *layout, const ritti_expr *leaf, shape *s,
                                uint32_t result) {
  ritti_kernel *k = s->kernel;
  for (size_t i = 0; i < k->leaves; i++) {
    uint32_t slot = ritti_layout_slot(layout, leaf[i]);
    if (slot == UINT32_MAX) return RITT_WRONG_CALL;
    s->slot[k->count * k->leaves + i] = slot;
  }
  s->result[k->count++] = result;
  return RITT_OK;
}

/* Gives a kernel to each shape that occurs often enough. */
static ritt_status make_kernels(ritti_arena *arena, shapes *s, ritti_kernels *out) {
  for (size_t i = 0; i < s->all.count; i++)
    out->count += s->all.at[i].count >= FEWEST && s->all.at[i].words > 2;
  RITTI_NEW(out->at, arena, out->count);
  size_t made = 0;
  for (size_t i = 0; i < s->all.count; i++) {
    shape *h = &s->all.at[i];
    if (h->count < FEWEST || h->words <= 2) continue; /* a leaf alone needs no code */
    h->kernel = &out->at[made++];
    RITTI_NEW(h->slot, arena, h->count * h->leaves);
    RITTI_NEW(h->result, arena, h->count);
    h->kernel->slot = h->slot, h->kernel->result = h->result;
  }
  return RITT_OK;
}

/* Writes the code of the kernels and the places of their instances. */
static ritt_status fill_layout(ritti_layout *layout, const ritti_dag *dag, ritti_arena *arena,
                               const ritti_expr *roots, size_t count, shapes *s,
                               uint32_t *temporaries, bool *taken, uint32_t *result) {
  for (size_t i = 0; i < count; i++) {
    shape *h = s->of[i] ? &s->all.at[s->of[i] - 1] : NULL;
    if (!h || !h->kernel) continue;
    const ritti_expr *leaf = s->leaf.at + s->first[i];
    if (!h->kernel->code) RITT_TRY(make_code(dag, leaf, h->leaves, roots[i], arena, h->kernel));
    result[i] = RITTI_TEMPORARY + (uint32_t)i;
    *temporaries = (uint32_t)i + 1;
    RITT_TRY(add_instance(layout, leaf, h, result[i]));
    taken[i] = true;
  }
  return RITT_OK;
}

/* Finds families: roots of one shape become one kernel with a table of places, so that code does
   not grow with the family. */
ritt_status ritti_kernels_make(ritti_layout *layout, const ritti_dag *dag, ritti_arena *arena,
                               const ritti_expr *roots, size_t count, uint32_t *temporaries,
                               bool *taken, uint32_t *result, ritti_kernels *out) {
  walk w = {0};
  shapes s = {0};
  ritti_arena *scratch = ritti_arena_new();
  s.of = ritti_malloc((count + 1) * sizeof *s.of);
  s.first = ritti_malloc((count + 1) * sizeof *s.first);
  ritt_status status = scratch && s.of && s.first ? RITT_OK : RITT_NO_MEMORY;
  *out = (ritti_kernels){.dag = dag};
  /* shapes of the roots */
  for (size_t i = 0; i < count && status == RITT_OK; i++) {
    s.of[i] = 0;
    status = walk_root(&w, dag, roots[i]);
    if (status == RITT_OK && !w.too_long) status = add_root(&s, &w, scratch, i, roots[i]);
  }
  if (status == RITT_OK) status = make_kernels(arena, &s, out);
  if (status == RITT_OK)
    status = fill_layout(layout, dag, arena, roots, count, &s, temporaries, taken, result);
  RITTI_ARRAY_FREE(w.word);
  RITTI_ARRAY_FREE(w.leaf);
  RITTI_ARRAY_FREE(w.node);
  RITTI_ARRAY_FREE(w.cell);
  RITTI_ARRAY_FREE(w.place);
  RITTI_ARRAY_FREE(s.all);
  ritti_free(s.table);
  ritti_free(s.of);
  ritti_free(s.first);
  RITTI_ARRAY_FREE(s.leaf);
  ritti_arena_free(scratch);
  return status;
}

/* ---- running ---- */

/* Sets the registers of the constants, which all batches share. */
static void run_constants(const ritti_kernel *k, ritt_real (*reg)[LANES]) {
  for (const ritti_fused *i = k->fused, *end = i + k->constants; i != end; i++)
    for (int j = 0; j < LANES; j++) reg[i->out][j] = k->constant[i->a];
}

/* An operation in all lanes; no register is written twice, so that none is where another is. */
#define RITTI_LANES(name, value)                                                                   \
  static inline void name(const ritti_table *const *tables, ritt_real *restrict out,               \
                          const ritt_real *restrict x, const ritt_real *restrict y,                \
                          const ritt_real *restrict z, const ritt_real *restrict w) {              \
    (void)tables;                                                                                  \
    for (int j = 0; j < LANES; j++) {                                                              \
      const ritt_real a = x[j], b = y[j], c = z[j], d = w[j];                                      \
      (void)b, (void)c, (void)d;                                                                   \
      out[j] = value;                                                                              \
    }                                                                                              \
  }
#define RITTI_TABLES                               tables
#define RITTI_MACHINE(id, text, arguments, value)  RITTI_LANES(lanes_##id, value)
#define RITTI_FUSED(id, inner, outer, side, value) RITTI_LANES(fused_##id, value)
#include "expr/machine.def"
#include "tape/fused.def"
#undef RITTI_MACHINE
#undef RITTI_FUSED

/* What is not constant. */
static void run_lanes(const ritti_table *const *tables, const ritti_kernel *k,
                      ritt_real (*reg)[LANES]) {
  for (const ritti_fused *i = k->fused + k->constants, *end = k->fused + k->length; i != end; i++) {
    switch (i->op) {
#define RITTI_MACHINE(id, text, arguments, value)                                                  \
  case RITTI_M_##id:                                                                               \
    lanes_##id(tables, reg[i->out], reg[i->a], reg[i->b], reg[i->a], reg[i->a]);                   \
    break;
#define RITTI_FUSED(id, inner, outer, side, value)                                                 \
  case RITTI_FUSED_##id:                                                                           \
    fused_##id(tables, reg[i->out], reg[i->a], reg[i->b], reg[i->c], reg[i->d]);                   \
    break;
#include "expr/machine.def"
#include "tape/fused.def"
#undef RITTI_MACHINE
#undef RITTI_FUSED
    }
  }
}

/* Runs a kernel for the instances first .. end-1, LANES at a time. */
void ritti_kernel_execute(const ritti_kernel *k, const ritti_dag *dag, size_t first, size_t end,
                          const ritt_real *row, ritt_real *out, size_t shift) {
  ritt_real reg[3 * LONGEST][LANES];
  ritti_native_kernel *native = atomic_load_explicit(&k->native, memory_order_acquire);
  if (!k->steps) /* copies */
    for (; first < end; first++) out[k->result[first] - shift] = row[k->slot[first]];
  /* by native code, if there is some */
  if (native && first < end)
    native(row, k->slot + first * k->leaves, out, shift, k->result + first, end - first);
  if (!native && first < end) run_constants(k, reg);
  for (; !native && first < end; first += LANES) {
    /* lanes beyond the end do what the last one does */
    size_t last = end - first < LANES ? end - first - 1 : LANES - 1;
    for (size_t j = 0; j < LANES; j++)
      for (size_t i = 0; i < k->leaves; i++)
        reg[i][j] = row[k->slot[(first + (j < last ? j : last)) * k->leaves + i]];
    run_lanes(ritti_dag_tables(dag), k, reg);
    for (size_t j = 0; j <= last; j++) out[k->result[first + j] - shift] = reg[k->fused_out][j];
  }
}

/* Runs a strand: instances whose places advance by constant steps, so that no table is read. */
void ritti_strand_execute(const ritti_strand *s, const ritti_dag *dag, size_t m, const ritt_real *z,
                          const ritt_real *row, ritt_real *out, size_t shift) {
  const ritti_kernel *k = s->kernel;
  const uint32_t *slot = k->slot + s->first * k->leaves, *result = k->result + s->first;
  const size_t next = s->period * k->leaves;
  const ptrdiff_t step = (ptrdiff_t)result[s->period] - (ptrdiff_t)result[0];
  ritt_real reg[3 * LONGEST][LANES], *to = out + (result[0] - shift);
  struct {
    const ritt_real *from;
    ptrdiff_t far;
    ritt_real *to;
  } leaf[LONGEST];
  size_t moving = 0;
  run_constants(k, reg);
  /* leaves: from the coordinates themselves if all of them are there; some are the same in all turns */
  for (size_t i = 0; i < k->leaves; i++) {
    const ptrdiff_t far = (ptrdiff_t)slot[next + i] - (ptrdiff_t)slot[i];
    const bool coordinates = slot[i] < m && slot[i + next * (s->turns - 1)] < m;
    const ritt_real *from = (coordinates ? z : row) + slot[i];
    if (far) leaf[moving].from = from, leaf[moving].far = far, leaf[moving++].to = reg[i];
    for (size_t j = 0; !far && j < LANES; j++) reg[i][j] = *from;
  }
  for (size_t turn = 0; turn < s->turns; turn += LANES) {
    /* the last turns: LANES of them, with some once more (a strand has at least that many) */
    const ptrdiff_t first = (ptrdiff_t)(s->turns - turn < LANES ? s->turns - LANES : turn);
    for (size_t i = 0; i < moving; i++) {
      const ptrdiff_t far = leaf[i].far;
      const ritt_real *from = leaf[i].from + first * far;
      if (far == 1) memcpy(leaf[i].to, from, sizeof reg[0]);
      else
        for (ptrdiff_t j = 0; j < LANES; j++) leaf[i].to[j] = from[j * far];
    }
    run_lanes(ritti_dag_tables(dag), k, reg);
    for (ptrdiff_t j = 0; j < LANES; j++) to[(first + j) * step] = reg[k->fused_out][j];
  }
}

/* Runs all kernels, with the results before `split` to `one` and the others to `two`. */
void ritti_kernels_execute(const ritti_kernels *kernels, const ritt_real *row, size_t first,
                           size_t split, ritt_real *one, ritt_real *two) {
  for (size_t i = 0; i < kernels->count; i++) {
    const ritti_kernel *k = &kernels->at[i];
    size_t low = 0, high = k->count;
    /* the first instance that belongs to `two` */
    while (low < high) {
      size_t middle = low + (high - low) / 2;
      if (k->result[middle] < split) low = middle + 1;
      else high = middle;
    }
    ritti_kernel_execute(k, kernels->dag, 0, low, row, one, first);
    ritti_kernel_execute(k, kernels->dag, low, k->count, row, two, split);
  }
}

/* Moves temporary places of results to where the row has them, once its size is known. */
void ritti_kernels_settle(ritti_kernels *kernels, uint32_t first) {
  for (size_t i = 0; i < kernels->count; i++)
    for (size_t j = 0; j < kernels->at[i].count; j++)
      kernels->at[i].result[j] += first - RITTI_TEMPORARY;
}
