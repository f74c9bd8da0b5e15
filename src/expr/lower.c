/* Lowering: which floating-point operations compute an expression, and in which order.
 *
 * Sums run from left to right; a product is its numerators times each other, divided by its
 * denominators times each other (factors with a negative rational exponent); integer powers up to
 * 64 by repeated squaring, half-integer ones with one square root, others by pow. Signs are carried
 * beside the steps and cost an operation only where a function needs the value itself: a + (-1)*b
 * is one subtraction. Steps of constants are done here.
 */
#include "expr/quad.h"
#include "expr_impl.h"

enum { LARGEST_POWER = 64 };
#define NO_STEP UINT32_MAX

const char *const ritti_machine_text[RITTI_M_COUNT] = {
#define RITTI_MACHINE(id, text, arguments, value) text,
#include "expr/machine.def"
#undef RITTI_MACHINE
};

const unsigned char ritti_machine_arguments[RITTI_M_COUNT] = {
#define RITTI_MACHINE(id, text, arguments, value) arguments,
#include "expr/machine.def"
#undef RITTI_MACHINE
};

/* The value of a machine operation; NaN for tables, whose data the DAG has. */
ritt_real ritti_machine_value(ritti_machine op, ritt_real a, ritt_real b) {
  if (op == RITTI_M_TABLE) return NAN; /* needs the DAG */
  const ritti_table *const *none = NULL;
#define RITTI_TABLES none
  switch (op) {
#define RITTI_MACHINE(id, text, arguments, value)                                                  \
  case RITTI_M_##id:                                                                               \
    return value;
#include "expr/machine.def"
#undef RITTI_MACHINE
  default: return NAN;
  }
}

/* A value: the step, and whether it is to be taken with the other sign. step = NO_STEP: nothing
 * yet. */
typedef struct value {
  uint32_t step;
  bool negative;
} value;
static const value nothing = {NO_STEP, false};

typedef struct lowering {
  const ritti_dag *dag;
  sweep nodes;
  value *of;    /* of each node */
  bool *needed; /* each node: does a step use it? */
  RITTI_ARRAY(ritti_step) steps;
  RITTI_ARRAY(ritt_real) constants;
  uint32_t *table; /* steps but leaves by their operation and operands, + 1; 0: free */
  size_t lines;
  ritt_status status;
} lowering;

/* ---- steps: each one once ---- */
/* The cell of a step in the table; free if the step is new. */
static uint32_t *cell_of(const lowering *l, const ritti_step *s) {
  /* a step has its home near its later argument, a constant at its hash */
  uint64_t bits = (uint64_t)s->a << 32 | s->b;
  const ritt_real *c = s->op == RITTI_M_CONSTANT ? &l->constants.at[s->a] : NULL;
  if (c) memcpy(&bits, (const char *)(c + 1) - sizeof bits, sizeof bits);
  uint64_t hash = bits * 0x9E3779B97F4A7C15u;
  hash = (hash ^ hash >> 32 ^ s->op) * 0x9E3779B97F4A7C15u;
  uint32_t later = s->a > s->b ? s->a : s->b;
  uint32_t home = c ? (uint32_t)(hash >> 32) : later;
  /* search line by line */
  for (size_t try = 0;; try++) {
    uint32_t *cell =
        l->table + RITTI_LINE * ritti_line(home, (uint32_t)(hash >> 32), l->lines, try);
    for (uint32_t i = 0; i < RITTI_LINE; i++) {
      uint32_t at = ((uint32_t)hash + i) % RITTI_LINE;
      if (!cell[at]) return &cell[at];
      const ritti_step *t = &l->steps.at[cell[at] - 1];
      if (t->op != s->op) continue;
      if (c ? !memcmp(c, &l->constants.at[t->a], sizeof *c) : t->a == s->a && t->b == s->b)
        return &cell[at];
    }
  }
}

/* Twice the lines, at first as many as the nodes will need. */
static ritt_status grow_table(lowering *l) {
  size_t lines = l->lines ? 2 * l->lines : 1;
  while (RITTI_LINE * lines < l->nodes.count) lines *= 2;
  ritti_free(l->table);
  l->table = ritti_malloc(lines * RITTI_LINE * sizeof *l->table);
  l->lines = l->table ? lines : 0;
  if (!l->table) return RITT_NO_MEMORY;
  memset(l->table, 0, lines * RITTI_LINE * sizeof *l->table);
  for (size_t i = 0; i < l->steps.count; i++)
    if (l->steps.at[i].op != RITTI_M_LEAF) *cell_of(l, &l->steps.at[i]) = (uint32_t)i + 1;
  return RITT_OK;
}

/* Appends a step without a search; an error is kept in l->status. */
static uint32_t new_step(lowering *l, ritti_step s) {
  if (l->status == RITT_OK)
    l->status = l->steps.count < NO_STEP - 1 ? RITTI_PUSH(l->steps, s) : RITT_NO_MEMORY;
  return l->status == RITT_OK ? (uint32_t)l->steps.count - 1 : 0;
}

/* The step op(a, b), which is added if it is new. */
static uint32_t add_step(lowering *l, ritti_machine op, uint32_t a, uint32_t b) {
  if (l->status == RITT_OK && 4 * l->steps.count >= 3 * RITTI_LINE * l->lines)
    l->status = grow_table(l);
  if (l->status != RITT_OK) return 0;
  uint32_t *cell = cell_of(l, &(ritti_step){op, a, b});
  if (!*cell) *cell = new_step(l, (ritti_step){op, a, b}) + 1;
  return *cell - 1;
}

/* The step of a constant; a constant that exists already is not stored twice. */
static uint32_t make_constant(lowering *l, ritt_real c) {
  size_t place = l->constants.count;
  if (l->status == RITT_OK) l->status = RITTI_PUSH(l->constants, c);
  uint32_t step = add_step(l, RITTI_M_CONSTANT, (uint32_t)place, 0);
  if (l->status == RITT_OK && l->steps.at[step].a != place) l->constants.count--; /* it was there */
  return step;
}

/* The nearest real of the precision of this build. */
static ritt_real round_rational(mpq_srcptr q) {
  if (RITTI_REAL_IS_DOUBLE) return ritti_rational_double(q);
  return (ritt_real)ritti_quad_of(q);
}

static bool constant_step(const lowering *l, uint32_t step) {
  return l->steps.at[step].op == RITTI_M_CONSTANT;
}

/* The value of a constant step. */
static ritt_real constant_of(const lowering *l, uint32_t step) {
  return l->constants.at[l->steps.at[step].a];
}

/* The step op(a, b): folded if both are constant, with the arguments in order if they commute. */
static uint32_t emit_step(lowering *l, ritti_machine op, uint32_t a, uint32_t b) {
  if (l->status != RITT_OK) return 0;
  bool binary = ritti_machine_arguments[op] == 2;
  if (!binary) b = 0;
  if (op != RITTI_M_TABLE && constant_step(l, a) && (!binary || constant_step(l, b))) {
    ritt_real x = constant_of(l, a), y = binary ? constant_of(l, b) : 0;
    return make_constant(l, ritti_machine_value(op, x, y));
  }
  if ((op == RITTI_M_ADD || op == RITTI_M_MULTIPLY) && a > b) return add_step(l, op, b, a);
  return add_step(l, op, a, b);
}

/* The step of the value itself, its sign included. */
static uint32_t settle_sign(lowering *l, value v) {
  return v.negative ? emit_step(l, RITTI_M_NEGATE, v.step, 0) : v.step;
}

/* ---- values ---- */
static value make_number(lowering *l, mpq_srcptr q) {
  return (value){make_constant(l, RITTI_MATH(fabs)(round_rational(q))), mpq_sgn(q) < 0};
}

/* a + b, where a sign costs nothing until it must be applied. */
static value add_values(lowering *l, value a, value b) {
  if (a.step == NO_STEP) return b;
  if (a.negative == b.negative)
    return (value){emit_step(l, RITTI_M_ADD, a.step, b.step), a.negative};
  if (a.negative) return (value){emit_step(l, RITTI_M_SUBTRACT, b.step, a.step), false};
  return (value){emit_step(l, RITTI_M_SUBTRACT, a.step, b.step), false};
}

/* a b; the sign of the result is kept apart. */
static value multiply_values(lowering *l, value a, value b) {
  if (a.step == NO_STEP) return b;
  return (value){emit_step(l, RITTI_M_MULTIPLY, a.step, b.step), a.negative != b.negative};
}

/* a / b; without a numerator 1 / b. */
static value divide_values(lowering *l, value a, value b) {
  if (b.step == NO_STEP) return a;
  if (a.step == NO_STEP) a = (value){make_constant(l, 1), false};
  return (value){emit_step(l, RITTI_M_DIVIDE, a.step, b.step), a.negative != b.negative};
}

/* base^n by squaring; the order of products is fixed, so that all back-ends have the same bits. */
static value integer_power(lowering *l, value base, unsigned long n) {
  value result = nothing;
  for (value square = base; n; n >>= 1) {
    if (n & 1) result = multiply_values(l, result, square);
    if (n > 1) square = multiply_values(l, square, square);
  }
  return result;
}

/* base^|exponent| */
static value rational_power(lowering *l, value base, mpq_srcptr exponent) {
  mpz_t whole;
  mpz_init(whole);
  /* the whole part, if it is small enough for products */
  mpz_abs(whole, mpq_numref(exponent));
  mpz_fdiv_q(whole, whole, mpq_denref(exponent));
  unsigned long n = mpz_cmp_ui(whole, LARGEST_POWER) <= 0 ? mpz_get_ui(whole) : LARGEST_POWER + 1;
  mpz_clear(whole);
  bool integer = mpz_cmp_ui(mpq_denref(exponent), 1) == 0,
       half = mpz_cmp_ui(mpq_denref(exponent), 2) == 0;
  if (n <= LARGEST_POWER && integer) return integer_power(l, base, n);
  uint32_t u = settle_sign(l, base);
  /* k + 1/2: a product and a root */
  if (n <= LARGEST_POWER && half) {
    value root = {emit_step(l, RITTI_M_SQRT, u, 0), false};
    return multiply_values(l, integer_power(l, (value){u, false}, n), root);
  }
  return (value){
      emit_step(l, RITTI_M_POW, u, make_constant(l, RITTI_MATH(fabs)(round_rational(exponent)))),
      false};
}

/* ---- nodes ---- */
/* Is the node a power with a number as exponent? Its sign is -1 or 1, else 0. */
static int power_sign(const ritti_dag *dag, ritti_expr e) {
  if (ritti_op_of(dag, e) != RITTI_POWER) return 0;
  ritti_expr exponent = ritti_argument(dag, e, 1);
  return ritti_op_of(dag, exponent) == RITTI_NUMBER ? mpq_sgn(ritti_rational_of(dag, exponent)) : 0;
}

static void need(lowering *l, ritti_expr e) { l->needed[ritti_sweep_place(&l->nodes, e)] = true; }

/* Marks what the steps of a node use: as in lower_node below. */
static void need_arguments(lowering *l, ritti_expr e) {
  const ritti_dag *dag = l->dag;
  bool product = ritti_op_of(dag, e) == RITTI_MULTIPLY;
  if (power_sign(dag, e)) {
    need(l, ritti_argument(dag, e, 0));
    return;
  }
  for (size_t i = 0, n = ritti_argument_count(dag, e); i < n; i++) {
    ritti_expr u = ritti_argument(dag, e, i);
    if (product && power_sign(dag, u) < 0) need(l, ritti_argument(dag, u, 0));
    else if (!product || ritti_op_of(dag, u) != RITTI_NUMBER) need(l, u);
  }
}

/* The value of a node that is already lowered. */
static value value_of(const lowering *l, ritti_expr e) {
  return l->of[ritti_sweep_place(&l->nodes, e)];
}

/* The sum from left to right. */
static value lower_sum(lowering *l, ritti_expr e) {
  value sum = nothing;
  for (size_t i = 0, n = ritti_argument_count(l->dag, e); i < n; i++)
    sum = add_values(l, sum, value_of(l, ritti_argument(l->dag, e, i)));
  return sum;
}

/* the absolute value of e^exponent for a factor that is a power with a number as exponent */
static value lower_power(lowering *l, ritti_expr e) {
  ritti_expr exponent = ritti_argument(l->dag, e, 1);
  return rational_power(l, value_of(l, ritti_argument(l->dag, e, 0)),
                        ritti_rational_of(l->dag, exponent));
}

/* A number times an expression; -1 and 1 become signs. */
static value lower_scaled(lowering *l, ritti_expr e) {
  mpq_srcptr c = ritti_rational_of(l->dag, ritti_argument(l->dag, e, 0));
  ritti_expr u = ritti_argument(l->dag, e, 1);
  value v =
      power_sign(l->dag, u) < 0 ? divide_values(l, nothing, lower_power(l, u)) : value_of(l, u);
  if (mpz_cmpabs_ui(mpq_numref(c), 1) == 0 && mpz_cmp_ui(mpq_denref(c), 1) == 0)
    return (value){v.step, v.negative != (mpq_sgn(c) < 0)};
  return multiply_values(l, make_number(l, c), v);
}

/* A product: positive powers above, negative powers below, and one division. */
static value lower_product(lowering *l, ritti_expr e) {
  if (ritti_op_of(l->dag, ritti_argument(l->dag, e, 0)) == RITTI_NUMBER) return lower_scaled(l, e);
  value above = nothing, below = nothing;
  for (size_t i = 0, n = ritti_argument_count(l->dag, e); i < n; i++) {
    ritti_expr u = ritti_argument(l->dag, e, i);
    if (power_sign(l->dag, u) < 0) below = multiply_values(l, below, lower_power(l, u));
    else above = multiply_values(l, above, value_of(l, u));
  }
  return divide_values(l, above, below);
}

static value lower_function(lowering *l, ritti_expr e) {
  static const ritti_machine machine[RITTI_OP_COUNT] = {
      [RITTI_POWER] = RITTI_M_POW, [RITTI_MIN] = RITTI_M_MIN,   [RITTI_TABLE] = RITTI_M_TABLE,
      [RITTI_MAX] = RITTI_M_MAX,   [RITTI_WHEN] = RITTI_M_WHEN, [RITTI_UNLESS] = RITTI_M_UNLESS,
#define RITTI_FUNCTION(id, name, at, is, p, r)         [RITTI_##id] = RITTI_M_##id,
#define RITTI_FUNCTION2(id, name, pu, pv, r)           [RITTI_##id] = RITTI_M_##id,
#define RITTI_SWITCH(id, text, language, value, slope) [RITTI_##id] = RITTI_M_##id,
#include "base/functions.def"
  };
  uint32_t a = settle_sign(l, value_of(l, ritti_argument(l->dag, e, 0))), b = 0;
  if (ritti_argument_count(l->dag, e) == 2)
    b = settle_sign(l, value_of(l, ritti_argument(l->dag, e, 1)));
  return (value){emit_step(l, machine[ritti_op_of(l->dag, e)], a, b), false};
}

static value lower_node(lowering *l, ritti_expr e) {
  switch (ritti_op_of(l->dag, e)) {
  case RITTI_NUMBER: return make_number(l, ritti_rational_of(l->dag, e));
  case RITTI_PI: return (value){make_constant(l, RITTI_PI_NUMBER), false};
  case RITTI_ADD: return lower_sum(l, e);
  case RITTI_MULTIPLY: return lower_product(l, e);
  case RITTI_POWER:
    if (power_sign(l->dag, e) > 0) return lower_power(l, e);
    if (power_sign(l->dag, e) < 0) return divide_values(l, nothing, lower_power(l, e));
    return lower_function(l, e);
  default:
    if (ritti_is_leaf(l->dag, e))
      return (value){new_step(l, (ritti_step){RITTI_M_LEAF, e, 0}), false};
    return lower_function(l, e);
  }
}

static ritt_status lower_roots(lowering *l, const ritti_expr *roots, size_t count,
                               ritti_lowered *out) {
  size_t n = l->nodes.count;
  l->of = ritti_malloc(n * sizeof *l->of);
  l->needed = ritti_malloc(n * sizeof *l->needed);
  out->result = ritti_malloc(count * sizeof *out->result);
  out->node_step = ritti_malloc(n * sizeof *out->node_step);
  if (!l->of || !l->needed || !out->result || !out->node_step) return RITT_NO_MEMORY;
  /* from the roots down: what is needed */
  memset(l->needed, 0, n * sizeof *l->needed);
  for (size_t i = 0; i < count; i++) need(l, roots[i]);
  for (size_t i = n; i-- > 0;)
    if (l->needed[i]) need_arguments(l, l->nodes.at[i]);
  /* from the leaves up: steps */
  for (size_t i = 0; i < n && l->status == RITT_OK; i++) {
    l->of[i] = l->needed[i] ? lower_node(l, l->nodes.at[i]) : nothing;
    out->node_step[i] = l->of[i].step;
  }
  for (size_t i = 0; i < count && l->status == RITT_OK; i++)
    out->result[i] = settle_sign(l, value_of(l, roots[i]));
  return l->status;
}

ritt_status ritti_lower(const ritti_dag *dag, const ritti_expr *roots, size_t count,
                        ritti_lowered *out) {
  lowering l = {.dag = dag};
  *out = (ritti_lowered){0};
  RITT_TRY(ritti_sweep_init(&l.nodes, dag, roots, count, 0));
  ritt_status status = lower_roots(&l, roots, count, out);
  out->step = l.steps.at, out->steps = l.steps.count;
  out->constant = l.constants.at;
  ritt_status taken = ritti_sweep_take(&l.nodes, &out->nodes);
  if (status == RITT_OK) status = taken;
  out->results = count;
  ritti_free(l.of);
  ritti_free(l.needed);
  ritti_free(l.table);
  if (status != RITT_OK) ritti_lowered_clear(out);
  return status;
}

void ritti_lowered_clear(ritti_lowered *lowered) {
  ritti_free(lowered->step);
  ritti_free(lowered->constant);
  ritti_free(lowered->result);
  ritti_free(lowered->nodes.at);
  ritti_free(lowered->node_step);
  *lowered = (ritti_lowered){0};
}
