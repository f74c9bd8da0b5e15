/* Tape -> program on power series (geometry/series.h).
 *
 * In: a tape, whose slots are used again and again, and its kernels. Out: the same operations,
 * every result in a slot of its own, since coefficient k needs all coefficients below it; instances
 * of kernels written out. What depends on constants alone is computed once, and operations with one
 * constant operand have forms of their own that cost no product of series. The program stands in
 * the arena given, that of a solver.
 */
#include "tape/eval_impl.h"

#define NONE RITTI_SERIES_NONE

typedef RITTI_ARRAY(ritti_series_step) step_list;

/* A function of a slot that there is already. */
typedef struct call {
  uint32_t op, slot;
  uint32_t next; /* + 1: another one of this argument; 0: none */
} call;

typedef struct writer {
  const ritti_dag *dag;
  const ritt_real *row;         /* with its constants */
  uint32_t *of;                 /* row slot -> program slot; NONE: not yet */
  RITTI_ARRAY(bool) varies;     /* program slots */
  RITTI_ARRAY(uint32_t) called; /* program slots: + 1, the first call; 0: none */
  RITTI_ARRAY(call) calls;
  RITTI_ARRAY(ritti_series_constant) constant;
  step_list once, code;
  ritt_status status; /* the first failure sticks */
} writer;

/* Keeps the first error. */
static void keep_status(writer *w, ritt_status status) {
  if (w->status == RITT_OK) w->status = status;
}

/* Adds slots for coefficients; `varies` tells whether they depend on the point. */
static uint32_t new_slots(writer *w, int count, bool varies) {
  uint32_t first = (uint32_t)w->varies.count;
  for (int i = 0; i < count; i++) {
    keep_status(w, RITTI_PUSH(w->varies, varies));
    keep_status(w, RITTI_PUSH(w->called, 0));
  }
  return first;
}

/* Adds a constant: a value, or a place of the row that is read once. */
static uint32_t new_constant(writer *w, uint32_t place, ritt_real value) {
  uint32_t slot = new_slots(w, 1, false);
  keep_status(w, RITTI_PUSH(w->constant, (ritti_series_constant){slot, place, value}));
  return slot;
}

/* What stands in a slot of the row: a coordinate, a result of the code before, or a constant. */
static uint32_t find_operand(writer *w, uint32_t row_slot) {
  if (w->of[row_slot] == NONE) w->of[row_slot] = new_constant(w, row_slot, w->row[row_slot]);
  return w->of[row_slot];
}

/* The program slot of op(a, b); `more` slots follow it. */
static uint32_t put_step(writer *w, ritti_series_operation op, uint32_t a, uint32_t b, int more) {
  if (w->status != RITT_OK) return 0;
  bool varies = w->varies.at[a] || w->varies.at[b];
  uint32_t out = new_slots(w, 1 + more, varies);
  ritti_series_step step = {op, out, a, b, NONE, NONE, NONE};
  keep_status(w, varies ? RITTI_PUSH(w->code, step) : RITTI_PUSH(w->once, step));
  return out;
}

/* a + b and the like, where one of them may be a constant */
static uint32_t put_two(writer *w, ritti_series_operation op, ritti_series_operation with_constant,
                        uint32_t a, uint32_t b) {
  return put_step(w, w->varies.at[b] ? op : with_constant, a, b, 0);
}

/* A table: its degree bounds the number of coefficients. */
static uint32_t put_table(writer *w, uint32_t a, uint32_t b) {
  double code = 0;
  for (size_t i = 0; i < w->constant.count; i++)
    if (w->constant.at[i].slot == b) code = (double)w->constant.at[i].value;
  return put_step(w, RITTI_SERIES_TABLE, a, b,
                  ritti_dag_tables(w->dag)[ritti_table_of_code(code)]->degree);
}

static uint32_t translate_step(writer *w, uint32_t op, uint32_t a, uint32_t b);

/* a^b; exp(b log a) if the exponent varies, too. */
static uint32_t put_power(writer *w, uint32_t a, uint32_t b) {
  if (!w->varies.at[b]) return put_step(w, RITTI_SERIES_POWER, a, b, 0);
  uint32_t log = translate_step(w, RITTI_M_LOG, a, a);
  uint32_t product = translate_step(w, RITTI_M_MULTIPLY, b, log);
  return translate_step(w, RITTI_M_EXP, product, product);
}

/* ---- functions ---- */

/* in which base/functions.def writes derivatives */
#define NUMBER(n)   new_constant(w, NONE, n)
#define ONE         NONE
#define PI          new_constant(w, NONE, RITTI_PI_NUMBER)
#define PLUS(x, y)  translate_one(w, RITTI_M_ADD, x, y)
#define MINUS(x, y) translate_one(w, RITTI_M_SUBTRACT, x, y)
#define TIMES(x, y) translate_step(w, RITTI_M_MULTIPLY, x, y)
#define NEGATE(x)   put_step(w, RITTI_SERIES_NEGATE, x, x, 0)
#define SQUARE(x)   put_step(w, RITTI_SERIES_SQUARE, x, x, 0)
#define SQRT(x)     put_step(w, RITTI_SERIES_SQRT, x, x, 0)
#define CALL(id, x) translate_step(w, RITTI_M_##id, x, x)

/* The same with ONE for a. */
static uint32_t translate_one(writer *w, uint32_t op, uint32_t a, uint32_t b) {
  return translate_step(w, op, a == ONE ? NUMBER(1) : a, b);
}

/* A function of u and v (v = u: of one argument) that varies, with what its derivative is made of:
 * coefficient k of it needs coefficients of its derivative up to k - 1, so that the derivative may
 * come behind it. */
static uint32_t put_function(writer *w, uint32_t op, uint32_t u, uint32_t v) {
  static const ritti_series_operation function[RITTI_M_COUNT] = {
#define RITTI_FUNCTION(id, name, at, is, p, r)         [RITTI_M_##id] = RITTI_SERIES_##id,
#define RITTI_FUNCTION2(id, name, pu, pv, r)           [RITTI_M_##id] = RITTI_SERIES_##id,
#define RITTI_SWITCH(id, text, language, value, slope) [RITTI_M_##id] = RITTI_SERIES_##id,
#include "base/functions.def"
  };
  /* a function of this argument that is there already */
  if (w->status != RITT_OK) return 0;
  if (u == v)
    for (uint32_t i = w->called.at[u]; i; i = w->calls.at[i - 1].next)
      if (w->calls.at[i - 1].op == op) return w->calls.at[i - 1].slot;
  size_t place = w->code.count;
  uint32_t f = put_step(w, function[op], u, v, 0), p = NONE, q = NONE, r = NONE;
  if (w->status != RITT_OK || !w->varies.at[f]) return f;
  if (u == v) {
    keep_status(w, RITTI_PUSH(w->calls, (call){op, f, w->called.at[u]}));
    w->called.at[u] = (uint32_t)w->calls.count;
  }
  /* the parts of its derivative, from the table of functions */
  switch (op) {
#define SLOPES(id, first, second, below)                                                           \
  case RITTI_M_##id: {                                                                             \
    p = first;                                                                                     \
    q = second;                                                                                    \
    r = below;                                                                                     \
    break;                                                                                         \
  }
#define RITTI_FUNCTION(id, name, at, is, p, r) SLOPES(id, p, NONE, r)
#define RITTI_FUNCTION2(id, name, pu, pv, r)   SLOPES(id, pu, pv, r)
#define RITTI_SWITCH(id, text, language, value, slope)
#include "base/functions.def"
  default: break;
  }
  if (w->status != RITT_OK) return 0;
  ritti_series_step *step = &w->code.at[place];
  step->p = p, step->q = q, step->r = r;
  return f;
}

/* One operation of the machine, b = a where there is one operand; SINCOS is put by its caller. */
static uint32_t translate_step(writer *w, uint32_t op, uint32_t a, uint32_t b) {
  if (w->status != RITT_OK) return 0;
  const bool *varies = w->varies.at;
  switch (op) {
  case RITTI_M_CONSTANT:
  case RITTI_M_LEAF: return a;
  case RITTI_M_ADD:
    if (!varies[a]) return put_two(w, RITTI_SERIES_ADD, RITTI_SERIES_SHIFT, b, a);
    return put_two(w, RITTI_SERIES_ADD, RITTI_SERIES_SHIFT, a, b);
  case RITTI_M_SUBTRACT:
    if (varies[b] && !varies[a]) return put_step(w, RITTI_SERIES_REFLECT, b, a, 0);
    return put_step(w, RITTI_SERIES_SUBTRACT, a, b, 0);
  case RITTI_M_MULTIPLY:
    if (a == b) return put_step(w, RITTI_SERIES_SQUARE, a, a, 0);
    if (!varies[a]) return put_two(w, RITTI_SERIES_MULTIPLY, RITTI_SERIES_SCALE, b, a);
    return put_two(w, RITTI_SERIES_MULTIPLY, RITTI_SERIES_SCALE, a, b);
  case RITTI_M_DIVIDE: return put_two(w, RITTI_SERIES_DIVIDE, RITTI_SERIES_REDUCE, a, b);
  case RITTI_M_POW: return put_power(w, a, b);
  case RITTI_M_TABLE: return put_table(w, a, b);
  case RITTI_M_NEGATE: return put_step(w, RITTI_SERIES_NEGATE, a, a, 0);
  case RITTI_M_SQRT: return put_step(w, RITTI_SERIES_SQRT, a, a, 0);
  case RITTI_M_MIN: return put_step(w, RITTI_SERIES_MIN, a, b, 0);
  case RITTI_M_MAX: return put_step(w, RITTI_SERIES_MAX, a, b, 0);
  case RITTI_M_WHEN: return put_step(w, RITTI_SERIES_WHEN, a, b, 0);
  case RITTI_M_UNLESS: return put_step(w, RITTI_SERIES_UNLESS, a, b, 0);
  default: return put_function(w, op, a, b);
  }
}

/* One instance of a kernel; of: its registers -> program slots, those of constants set. */
static void write_instance(writer *w, const ritti_kernel *k, size_t instance, uint32_t *of) {
  for (size_t i = 0; i < k->leaves; i++) of[i] = find_operand(w, k->slot[instance * k->leaves + i]);
  for (size_t i = 0; i < k->steps; i++) {
    const ritti_instruction *c = &k->code[i];
    if (c->op == RITTI_M_CONSTANT) continue;
    of[c->out] = translate_step(w, c->op, of[c->a],
                                ritti_machine_arguments[c->op] == 2 ? of[c->b] : of[c->a]);
  }
  w->of[k->result[instance]] = of[k->out];
}

/* Writes the instances of a kernel one by one. */
static void write_kernel(writer *w, const ritti_kernel *k) {
  uint32_t *of = ritti_malloc((k->leaves + k->steps + 1) * sizeof *of);
  if (!of) {
    keep_status(w, RITT_NO_MEMORY);
    return;
  }
  for (size_t i = 0; i < k->steps; i++)
    if (k->code[i].op == RITTI_M_CONSTANT)
      of[k->code[i].out] = new_constant(w, NONE, k->constant[i]);
  for (size_t i = 0; i < k->count && w->status == RITT_OK; i++) write_instance(w, k, i, of);
  ritti_free(of);
}

/* Copies what was written into the arena; steps that do not vary come first and run once. */
static ritt_status finish_series(writer *w, const ritti_tape *tape, ritti_arena *arena,
                                 ritti_series *out) {
  ritti_series_constant *constant;
  ritti_series_step *code;
  uint32_t *result;
  bool *varies;
  RITTI_NEW_ARRAYS(arena, tape->results, result, varies);
  for (size_t i = 0; i < tape->results; i++) {
    result[i] = find_operand(w, tape->result[i]);
    RITT_TRY(w->status);
    varies[i] = w->varies.at[result[i]];
  }
  RITTI_NEW(constant, arena, w->constant.count);
  RITTI_NEW(code, arena, w->once.count + w->code.count);
  if (w->constant.count) memcpy(constant, w->constant.at, w->constant.count * sizeof *constant);
  if (w->once.count) memcpy(code, w->once.at, w->once.count * sizeof *code);
  if (w->code.count) memcpy(code + w->once.count, w->code.at, w->code.count * sizeof *code);
  *out = (ritti_series){.slots = w->varies.count,
                        .constant = constant,
                        .constants = w->constant.count,
                        .code = code,
                        .count = w->once.count + w->code.count,
                        .once = w->once.count,
                        .result = result,
                        .varies = varies,
                        .results = tape->results,
                        .tables = ritti_dag_tables(w->dag)};
  return RITT_OK;
}

/* Makes the Taylor arithmetic of a tape. */
ritt_status ritti_series_make(const ritti_layout *layout, const ritti_dag *dag, int m,
                              const ritti_tape *tape, ritti_arena *arena, ritti_series *out) {
  writer w = {.dag = dag};
  size_t size = ritti_layout_size(layout);
  ritt_real *row = ritti_malloc((size + 1) * sizeof *row);
  w.of = ritti_malloc((size + 1) * sizeof *w.of);
  if (!row || !w.of) w.status = RITT_NO_MEMORY;
  else {
    ritti_layout_init(layout, row);
    w.row = row;
    for (size_t i = 0; i < size; i++) w.of[i] = i < (size_t)m ? (uint32_t)i : NONE;
    new_slots(&w, m, true);

    /* families, then single instructions */
    for (size_t i = 0; tape->kernels && i < tape->kernels->count; i++)
      write_kernel(&w, &tape->kernels->at[i]);
    for (size_t i = 0; i < tape->count && w.status == RITT_OK; i++) {
      const ritti_instruction *c = &tape->code[i];
      uint32_t a = find_operand(&w, c->a);
      if (c->op == RITTI_TAPE_SINCOS) {
        w.of[c->out] = translate_step(&w, RITTI_M_SIN, a, a);
        w.of[c->b] = translate_step(&w, RITTI_M_COS, a, a);
      } else {
        uint32_t b = ritti_machine_arguments[c->op] == 2 ? find_operand(&w, c->b) : a;
        w.of[c->out] = translate_step(&w, c->op, a, b);
      }
    }
  }
  if (w.status == RITT_OK) w.status = finish_series(&w, tape, arena, out);
  ritti_free(row);
  ritti_free(w.of);
  RITTI_ARRAY_FREE(w.varies);
  RITTI_ARRAY_FREE(w.called);
  RITTI_ARRAY_FREE(w.calls);
  RITTI_ARRAY_FREE(w.constant);
  RITTI_ARRAY_FREE(w.once);
  RITTI_ARRAY_FREE(w.code);
  return w.status;
}
