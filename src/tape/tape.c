/* Tapes: lowered steps put on slots, and their interpreter.
 *
 * The steps are put in an order in which values are used soon after they are computed; each does
 * what it did, so that the bits stay those of a plan. Slots are given by one scan (linear-scan
 * allocation): a temporary is free again after its last use. While tapes are recorded temporaries
 * are numbered from RITTI_TEMPORARY on, because constants, which come before them in the row, are
 * still being gathered; ritti_layout_finish moves them to their place.
 */
#include <assert.h>
#include <stdlib.h>
#include "tape/eval_impl.h"

#define NONE UINT32_MAX

/* A tape to be finished. */
typedef struct recorded recorded;
struct recorded {
  recorded *next;
  ritti_instruction *code;
  ritti_fused *fused;
  uint32_t *result;
  size_t count, length, results;
  ritti_kernels kernels;
};

struct ritti_layout {
  const ritti_reduced *reduced;
  ritti_arena *arena;
  uint32_t *jet; /* slots of y_j^(k): jet[first_jet[j] + k]; NONE: neither a coordinate nor a top */
  size_t *first_jet;                             /* of each variable, and the end */
  size_t leaves;                                 /* coordinates and tops */
  uint32_t mu, parameter, level, side, constant; /* first slot of each */
  ritt_real *number;                             /* of the parameters */
  ritt_real *value;                              /* of the constants */
  size_t constants, room;
  uint32_t *table; /* constants by their bits, + 1; 0: free. Of size 2*room */
  uint32_t temporaries;
  recorded *tapes;
  bool finished;
};

/* ---- layout ---- */
/* Coordinate or top. */
static ritti_expr leaf_of(const ritti_reduced *r, int i) {
  return i < r->m ? r->coordinate[i] : r->top[i - r->m];
}

/* The slots of jets by variable and order. */
static ritt_status place_jets(ritti_layout *l) {
  const ritti_reduced *r = l->reduced;
  const ritti_dag *dag = r->model->dag;
  int variables = r->model->variables, leaves = r->m + r->tops;
  RITTI_NEW(l->first_jet, l->arena, variables + 1);
  for (int i = 0; i < leaves; i++) {
    if (ritti_op_of(dag, leaf_of(r, i)) != RITTI_JET) continue;
    size_t *room = &l->first_jet[ritti_index_of(dag, leaf_of(r, i)) + 1],
           order = (size_t)ritti_order_of(dag, leaf_of(r, i));
    if (order >= *room) *room = order + 1;
  }
  for (int j = 0; j < variables; j++) l->first_jet[j + 1] += l->first_jet[j];
  RITTI_NEW(l->jet, l->arena, l->first_jet[variables] + 1);
  for (size_t i = 0; i < l->first_jet[variables]; i++) l->jet[i] = NONE;
  for (int i = 0; i < leaves; i++)
    if (ritti_op_of(dag, leaf_of(r, i)) == RITTI_JET)
      l->jet[l->first_jet[ritti_index_of(dag, leaf_of(r, i))] +
             (size_t)ritti_order_of(dag, leaf_of(r, i))] = (uint32_t)i;
  return RITT_OK;
}

ritt_status ritti_layout_new(ritti_arena *arena, const ritti_reduced *r, ritti_layout **out) {
  ritti_layout *l;
  RITTI_NEW(l, arena, 1);
  l->reduced = r;
  l->arena = arena;
  l->leaves = (size_t)r->m + (size_t)r->tops;
  RITT_TRY(place_jets(l));
  l->mu = (uint32_t)l->leaves;
  /* multipliers of the rows; or a tangent of the point, and values known there */
  int along = r->model->by_count ? r->m + RITTI_MOST_SHARED : 0;
  l->parameter = l->mu + (uint32_t)(along > r->k ? along : r->k);
  l->level = l->parameter + (uint32_t)r->model->parameters;
  l->side = l->level + (uint32_t)r->levels;
  l->constant = l->side + (uint32_t)(r->kinks - r->validities);
  RITTI_NEW(l->number, arena, r->model->parameters + 1);
  *out = l;
  return ritti_exact_parameters(r->model, arena, l->number);
}

ritt_status ritti_layout_renumber(ritti_layout *l) {
  return ritti_exact_parameters(l->reduced->model, l->arena, l->number);
}

uint32_t ritti_layout_slot(const ritti_layout *l, ritti_expr leaf) {
  const ritti_dag *dag = l->reduced->model->dag;
  uint32_t index = (uint32_t)ritti_index_of(dag, leaf);
  switch (ritti_op_of(dag, leaf)) {
  case RITTI_MULTIPLIER: return index < l->parameter - l->mu ? l->mu + index : NONE;
  case RITTI_PARAMETER: return index < l->level - l->parameter ? l->parameter + index : NONE;
  case RITTI_LEVEL: return index < l->side - l->level ? l->level + index : NONE;
  case RITTI_SIDE: return index < l->constant - l->side ? l->side + index : NONE;
  case RITTI_INDEPENDENT: return 0;
  case RITTI_JET: break;
  default: return NONE;
  }
  size_t at = l->first_jet[index] + (size_t)ritti_order_of(dag, leaf);
  return at < l->first_jet[index + 1] ? l->jet[at] : NONE;
}

static uint32_t *constant_cell(const ritti_layout *l, ritt_real c) {
  uint64_t bits;
  memcpy(&bits, &c, sizeof bits);
  size_t mask = 2 * l->room - 1,
         at = (size_t)((bits ^ bits >> 32) * 0x9E3779B97F4A7C15u >> 32) & mask;
  while (l->table[at] && memcmp(&l->value[l->table[at] - 1], &c, sizeof c)) at = (at + 1) & mask;
  return &l->table[at];
}

static ritt_status constant_slot(ritti_layout *l, ritt_real c, uint32_t *slot) {
  if (l->constants == l->room) {
    const ritt_real *old = l->value;
    l->room = l->room ? 2 * l->room : 16;
    RITTI_NEW(l->value, l->arena, l->room);
    RITTI_NEW(l->table, l->arena, 2 * l->room);
    if (old) memcpy(l->value, old, l->constants * sizeof *old);
    for (size_t i = 0; i < l->constants; i++) *constant_cell(l, l->value[i]) = (uint32_t)i + 1;
  }
  uint32_t *cell = constant_cell(l, c);
  if (!*cell) {
    l->value[l->constants++] = c;
    *cell = (uint32_t)l->constants;
  }
  *slot = l->constant + *cell - 1;
  return RITT_OK;
}

static uint32_t settle_slot(uint32_t slot, uint32_t first) {
  return slot >= RITTI_TEMPORARY ? slot - RITTI_TEMPORARY + first : slot;
}

void ritti_layout_finish(ritti_layout *l) {
  uint32_t first = l->constant + (uint32_t)l->constants;
  assert(!l->finished);
  for (recorded *t = l->tapes; t; t = t->next) {
    for (size_t i = 0; i < t->count; i++) {
      ritti_instruction *c = &t->code[i];
      c->out = settle_slot(c->out, first), c->a = settle_slot(c->a, first),
      c->b = settle_slot(c->b, first);
    }
    for (size_t i = 0; i < t->length; i++) {
      ritti_fused *c = &t->fused[i];
      c->out = settle_slot(c->out, first), c->a = settle_slot(c->a, first),
      c->b = settle_slot(c->b, first);
      c->c = settle_slot(c->c, first), c->d = settle_slot(c->d, first);
    }
    for (size_t i = 0; i < t->results; i++) t->result[i] = settle_slot(t->result[i], first);
    ritti_kernels_settle(&t->kernels, first);
  }
  l->finished = true;
}

size_t ritti_layout_levels(const ritti_layout *l) { return l->level; }
size_t ritti_layout_sides(const ritti_layout *l) { return l->side; }
ritti_row_parts ritti_layout_parts(const ritti_layout *l) {
  uint32_t temporary = l->constant + (uint32_t)l->constants;
  return (ritti_row_parts){l->parameter, l->constant, temporary, temporary + l->temporaries};
}

size_t ritti_layout_size(const ritti_layout *l) {
  return l->constant + l->constants + l->temporaries;
}

void ritti_layout_init(const ritti_layout *l, ritt_real *row) {
  const ritti_reduced *r = l->reduced;
  for (size_t i = 0, n = ritti_layout_size(l); i < n; i++) row[i] = 0;
  for (int i = 0; i < r->model->parameters; i++) row[l->parameter + (uint32_t)i] = l->number[i];
  for (int i = 0; i < r->levels; i++) row[l->level + (uint32_t)i] = r->level[i];
  for (uint32_t i = l->side; i < l->constant; i++) row[i] = 1;
  for (size_t i = 0; i < l->constants; i++) row[l->constant + i] = l->value[i];
}

/* ---- recording ---- */
typedef struct recorder {
  ritti_layout *layout;
  const ritti_lowered *lowered;
  uint32_t *order; /* the steps that compute, as they will run */
  size_t ordered;
  uint32_t *slot; /* of each step; NONE: not yet */
  /* each step: the last place in the order that uses it; NONE: a result, never given back */
  uint32_t *last;
  uint32_t *sine, *cosine; /* each step: the step that is its sine, its cosine; NONE */
  bool *absorbed;          /* each step: it is done by the one that uses it */
  uint32_t *free;          /* temporaries to be used again */
  size_t free_count;
  uint32_t temporaries;
  ritti_instruction *code;
  ritti_fused *fused;
  size_t count, length;
} recorder;

static bool is_computed(const ritti_step *s) {
  return s->op != RITTI_M_LEAF && s->op != RITTI_M_CONSTANT;
}
static bool binary(const ritti_step *s) { return ritti_machine_arguments[s->op] == 2; }

/* An operand that is not yet in the order; NONE: all are. The later one goes first: in a sum that
 * is the part summed up so far, so that a term is computed just before it is added. */
static uint32_t find_missing(const recorder *r, const ritti_step *s, const bool *done) {
  const ritti_step *step = r->lowered->step;
  uint32_t a = s->a, b = binary(s) ? s->b : a, later = a > b ? a : b, earlier = a > b ? b : a;
  if (is_computed(&step[later]) && !done[later]) return later;
  return is_computed(&step[earlier]) && !done[earlier] ? earlier : NONE;
}

/* Depth first from each result. `stack` has room for every step. */
static void put_in_order(recorder *r, bool *done, uint32_t *stack) {
  const ritti_lowered *l = r->lowered;
  memset(done, 0, l->steps * sizeof *done);
  for (size_t i = 0; i < l->results; i++) {
    size_t depth = 0;
    if (is_computed(&l->step[l->result[i]]) && !done[l->result[i]]) stack[depth++] = l->result[i];
    while (depth) {
      uint32_t top = stack[depth - 1], next = find_missing(r, &l->step[top], done);
      if (next != NONE) stack[depth++] = next;
      else {
        done[top] = true;
        r->order[r->ordered++] = top;
        depth--;
      }
    }
  }
}

/* The operands of a step that another one does are used there. */
static void use_operands(recorder *r, uint32_t step, size_t i) {
  const ritti_step *s = &r->lowered->step[step];
  r->last[step] = (uint32_t)i;
  if (r->absorbed[step]) r->last[s->a] = r->last[s->b] = (uint32_t)i;
}

/* The slot of an operand; constants get theirs when they are first used. */
static ritt_status find_operand(recorder *r, uint32_t step, uint32_t *slot) {
  const ritti_step *s = &r->lowered->step[step];
  if (r->slot[step] == NONE && s->op == RITTI_M_CONSTANT)
    RITT_TRY(constant_slot(r->layout, r->lowered->constant[s->a], &r->slot[step]));
  if (r->slot[step] == NONE && s->op == RITTI_M_LEAF)
    r->slot[step] = ritti_layout_slot(r->layout, s->a);
  *slot = r->slot[step];
  return *slot == NONE ? RITT_WRONG_CALL : RITT_OK;
}

static uint32_t take_slot(recorder *r) {
  return r->free_count ? r->free[--r->free_count] : RITTI_TEMPORARY + r->temporaries++;
}

/* Gives back what place i of the order used last. */
static void release_one(recorder *r, uint32_t step, size_t i) {
  if (r->last[step] == i && r->slot[step] >= RITTI_TEMPORARY) {
    r->free[r->free_count++] = r->slot[step];
    r->last[step] = NONE;
  }
}

static void release_operands(recorder *r, uint32_t step, size_t i) {
  release_one(r, step, i);
  if (!r->absorbed[step]) return;
  release_one(r, r->lowered->step[step].a, i);
  release_one(r, r->lowered->step[step].b, i);
}

/* The instruction of a step, with those that it does. */
static void record_fused(recorder *r, uint32_t step) {
  ritti_fused c = ritti_fused_step(r->lowered, r->absorbed, step);
  const uint32_t *slot = r->slot;
  r->fused[r->length++] =
      (ritti_fused){c.op, slot[step], slot[c.a], slot[c.b], slot[c.c], slot[c.d]};
}

static ritt_status record_step(recorder *r, size_t i) {
  uint32_t step = r->order[i], a, b = 0;
  const ritti_step *s = &r->lowered->step[step];
  RITT_TRY(find_operand(r, s->a, &a));
  if (binary(s)) RITT_TRY(find_operand(r, s->b, &b));
  release_operands(r, s->a, i);
  if (binary(s)) release_operands(r, s->b, i);
  if (r->slot[step] != NONE) return RITT_OK; /* the other half of a SINCOS */

  uint32_t sine = r->sine[s->a], cosine = r->cosine[s->a];
  bool both = (s->op == RITTI_M_SIN || s->op == RITTI_M_COS) && sine != NONE && cosine != NONE;
  r->slot[both ? sine : step] = take_slot(r);
  if (both) b = r->slot[cosine] = take_slot(r);
  ritti_instruction c = {both ? RITTI_TAPE_SINCOS : s->op, r->slot[both ? sine : step], a, b};
  r->code[r->count++] = c;
  if (both) r->fused[r->length++] = (ritti_fused){c.op, c.out, a, b, a, a};
  else if (!r->absorbed[step]) record_fused(r, step);
  return RITT_OK;
}

/* The tape of `results` roots, of which `taken` are kernels; NULL: none. */
static ritt_status record_steps(recorder *r, ritti_arena *arena, recorded *tape, const bool *taken,
                                ritti_tape *out) {
  const ritti_lowered *l = r->lowered;
  for (size_t i = 0; i < r->ordered; i++) RITT_TRY(record_step(r, i));
  if (r->temporaries > r->layout->temporaries) r->layout->temporaries = r->temporaries;
  /* what lasts goes to the arena */
  RITTI_NEW(tape->code, arena, r->count);
  RITTI_NEW(tape->fused, arena, r->length);
  if (r->count) memcpy(tape->code, r->code, r->count * sizeof *r->code);
  if (r->length) memcpy(tape->fused, r->fused, r->length * sizeof *r->fused);
  for (size_t i = 0, k = 0; i < tape->results; i++)
    if (!taken || !taken[i]) RITT_TRY(find_operand(r, l->result[k++], &tape->result[i]));
  tape->count = r->count, tape->length = r->length;
  tape->next = r->layout->tapes;
  r->layout->tapes = tape;
  *out = (ritti_tape){.code = tape->code,
                      .count = tape->count,
                      .fused = tape->fused,
                      .length = tape->length,
                      .result = tape->result,
                      .results = tape->results,
                      .kernels = tape->kernels.count ? &tape->kernels : NULL,
                      .dag = r->layout->reduced->model->dag,
                      .native = out->native};
  return RITT_OK;
}

/* The results that are not those of kernels. */
static ritt_status list_others(const bool *taken, size_t count, ritti_arena *arena,
                               ritti_tape *out) {
  uint32_t *other;
  size_t others = 0;
  for (size_t i = 0; i < count; i++) others += !taken[i];
  RITTI_NEW(other, arena, others + 1);
  out->other = other;
  for (size_t i = 0; i < count; i++)
    if (taken[i]) out->taken = (uint32_t)i;
    else other[out->others++] = (uint32_t)i;
  return RITT_OK;
}

static ritt_status record_lowered(ritti_layout *layout, ritti_arena *arena,
                                  const ritti_lowered *lowered, uint32_t temporaries,
                                  recorded *tape, const bool *taken, ritti_tape *out) {
  ritt_status status = RITT_NO_MEMORY;
  size_t n = lowered->steps;
  uint32_t *store = n < SIZE_MAX / 64 ? ritti_malloc((6 * n + 1) * sizeof *store) : NULL;
  ritti_instruction *code = store ? ritti_malloc((n + 1) * sizeof *code) : NULL;
  ritti_fused *fused = store ? ritti_malloc((n + 1) * sizeof *fused) : NULL;
  bool *done = store ? ritti_malloc((2 * n + 1) * sizeof *done) : NULL;
  unsigned char *uses = ritti_malloc(n + 1);
  if (code && fused && done && uses) {
    recorder r = {
        .layout = layout, .lowered = lowered, .slot = store, .last = store + n, .code = code};
    r.fused = fused, r.absorbed = done + n;
    r.sine = store + 2 * n, r.cosine = store + 3 * n, r.free = store + 4 * n,
    r.order = store + 5 * n;
    r.temporaries = temporaries;
    put_in_order(&r, done, r.free); /* nothing is free yet: its room serves as the stack */
    ritti_fuse(lowered, uses, r.absorbed, done);

    /* last uses, sines and cosines */
    const ritti_lowered *l = r.lowered;
    for (size_t i = 0; i < l->steps; i++) r.slot[i] = r.sine[i] = r.cosine[i] = r.last[i] = NONE;
    for (size_t i = 0; i < r.ordered; i++) {
      const ritti_step *s = &l->step[r.order[i]];
      use_operands(&r, s->a, i);
      if (binary(s)) use_operands(&r, s->b, i);
      if (s->op == RITTI_M_SIN) r.sine[s->a] = r.order[i];
      if (s->op == RITTI_M_COS) r.cosine[s->a] = r.order[i];
    }
    for (size_t i = 0; i < l->results; i++) r.last[l->result[i]] = NONE;

    status = record_steps(&r, arena, tape, taken, out);
  }
  ritti_free(store);
  ritti_free(code);
  ritti_free(fused);
  ritti_free(done);
  ritti_free(uses);
  return status;
}

/* Large systems: what occurs often becomes kernels, the rest plain code. */
static ritt_status record_large(ritti_layout *layout, ritti_arena *arena, const ritti_expr *roots,
                                size_t count, recorded *tape, bool *taken, ritti_expr *rest,
                                ritti_tape *out) {
  const ritti_dag *dag = layout->reduced->model->dag;
  ritti_lowered lowered = {0};
  uint32_t temporaries = 0;
  size_t left = 0;
  memset(taken, 0, count * sizeof *taken);
  RITT_TRY(ritti_kernels_make(layout, dag, arena, roots, count, &temporaries, taken, tape->result,
                              &tape->kernels));
  for (size_t i = 0; i < count; i++)
    if (!taken[i]) rest[left++] = roots[i];
  if (left) RITT_TRY(ritti_lower(dag, rest, left, &lowered));
  ritt_status status = record_lowered(layout, arena, &lowered, temporaries, tape, taken, out);
  ritti_lowered_clear(&lowered);
  if (status == RITT_OK && out->kernels) status = list_others(taken, count, arena, out);
  return status;
}

ritt_status ritti_tape_record(ritti_layout *layout, ritti_arena *arena, const ritti_expr *roots,
                              size_t count, ritti_tape *out) {
  enum { LARGE = 150 }; /* coordinates and tops of a system in which kernels are looked for */
  recorded *tape;
  *out = (ritti_tape){0};
  RITTI_NEW(out->native, arena, 1);
  if (layout->finished) return RITT_WRONG_CALL;
  if (count == 0) return RITT_OK;
  RITTI_NEW(tape, arena, 1);
  RITTI_NEW(tape->result, arena, count);
  tape->results = count;
  if (layout->leaves >= LARGE) {
    bool *taken = ritti_malloc(count * sizeof *taken);
    ritti_expr *rest = ritti_malloc(count * sizeof *rest);
    ritt_status status = taken && rest
                             ? record_large(layout, arena, roots, count, tape, taken, rest, out)
                             : RITT_NO_MEMORY;
    ritti_free(taken);
    ritti_free(rest);
    return status;
  }
  ritti_lowered lowered;
  RITT_TRY(ritti_lower(layout->reduced->model->dag, roots, count, &lowered));
  ritt_status status = record_lowered(layout, arena, &lowered, 0, tape, NULL, out);
  ritti_lowered_clear(&lowered);
  return status;
}

/* ---- interpreter ---- */
static void execute_code(const ritti_tape *tape, ritt_real *row) {
  ritti_native_code *native = atomic_load_explicit(&tape->native->plain, memory_order_acquire);
  if (native) {
    native(row);
    return;
  }
  for (const ritti_fused *i = tape->fused, *end = i + tape->length; i != end; i++) {
    switch (i->op) {
#define RITTI_TABLES ritti_dag_tables(tape->dag)
#define RITTI_MACHINE(id, text, arguments, value)                                                  \
  case RITTI_M_##id: {                                                                             \
    const ritt_real a = row[i->a], b = row[i->b];                                                  \
    (void)b;                                                                                       \
    row[i->out] = value;                                                                           \
    break;                                                                                         \
  }
#include "expr/machine.def"
#undef RITTI_MACHINE
#define RITTI_FUSED(id, inner, outer, side, value)                                                 \
  case RITTI_FUSED_##id: {                                                                         \
    const ritt_real a = row[i->a], b = row[i->b], c = row[i->c], d = row[i->d];                    \
    (void)c, (void)d;                                                                              \
    row[i->out] = value;                                                                           \
    break;                                                                                         \
  }
#include "tape/fused.def"
#undef RITTI_FUSED
    case RITTI_TAPE_SINCOS: {
      const ritt_real a = row[i->a];
      RITTI_SINCOS(a, &row[i->out], &row[i->b]);
      break;
    }
    }
  }
}

void ritti_tape_execute(const ritti_tape *tape, ritt_real *row) {
  if (tape->kernels) ritti_kernels_execute(tape->kernels, row, 0, SIZE_MAX, row, row);
  execute_code(tape, row);
}

void ritti_tape_execute_to(const ritti_tape *tape, const ritt_real *z, size_t m, ritt_real *row,
                           size_t count, unsigned parts, ritt_real *one, ritt_real *two) {
  const ritti_loops *loops = tape->loops;
  if (loops) {
    for (size_t i = 0; i < loops->reads; i++) row[loops->read[i]] = z[loops->read[i]];
    execute_code(tape, row);
    ritti_loops_execute(loops, tape->dag, parts, z, row, one, two);
    return;
  }
  size_t first = tape->result[tape->taken] - tape->taken;
  memcpy(row, z, m * sizeof *row);
  ritti_kernels_execute(tape->kernels, row, first, first + count, one, two);
  execute_code(tape, row);
  for (size_t i = 0; i < tape->others; i++) {
    size_t at = tape->other[i];
    *(at < count ? one + at : two + (at - count)) = row[tape->result[at]];
  }
}

void ritti_tape_run(const ritti_tape *tape, ritt_real *row, ritt_real *out) {
  ritti_tape_execute(tape, row);
  for (size_t i = 0; i < tape->results; i++) out[i] = row[tape->result[i]];
}

void ritti_tape_print(const ritti_tape *tape, ritti_text *out) {
  for (size_t i = 0; i < tape->count; i++) {
    const ritti_instruction *c = &tape->code[i];
    if (c->op == RITTI_TAPE_SINCOS)
      ritti_text_add(out, "r%u, r%u = sincos r%u\n", c->out, c->b, c->a);
    else if (ritti_machine_arguments[c->op] == 2)
      ritti_text_add(out, "r%u = %s r%u r%u\n", c->out, ritti_machine_text[c->op], c->a, c->b);
    else ritti_text_add(out, "r%u = %s r%u\n", c->out, ritti_machine_text[c->op], c->a);
  }
  ritti_text_add(out, "results");
  for (size_t i = 0; i < tape->results; i++) ritti_text_add(out, " r%u", tape->result[i]);
  ritti_text_add(out, "\n");
}
