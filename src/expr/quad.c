/* Evaluation in quadruple precision, node by node, with exact numbers and parameters rounded once.
 */
#include "expr_impl.h"
#include "expr/quad.h"

#undef RITTI_MATH
#define RITTI_MATH(f) f##q

struct ritti_quad_plan {
  const ritti_dag *dag;
  sweep nodes;
  ritti_expr *root;
  size_t roots;
  ritti_quad *value,
      *size; /* of each node; the rounding error of a value is about eps times its size */
};

void ritti_quad_plan_free(ritti_quad_plan *plan) {
  if (!plan) return;
  ritti_sweep_clear(&plan->nodes);
  ritti_free(plan->root);
  ritti_free(plan->value);
  ritti_free(plan->size);
  ritti_free(plan);
}

ritt_status ritti_quad_plan_new(const ritti_dag *dag, const ritti_expr *roots, size_t count,
                                ritti_quad_plan **out) {
  *out = NULL;
  ritti_quad_plan *plan = ritti_malloc(sizeof *plan);
  if (!plan) return RITT_NO_MEMORY;
  *plan = (ritti_quad_plan){.dag = dag, .roots = count};
  ritt_status status = ritti_sweep_init(&plan->nodes, dag, roots, count, 0);
  plan->root = ritti_malloc((count + 1) * sizeof *plan->root);
  plan->value =
      status == RITT_OK ? ritti_malloc((plan->nodes.count + 1) * sizeof *plan->value) : NULL;
  plan->size =
      status == RITT_OK ? ritti_malloc((plan->nodes.count + 1) * sizeof *plan->size) : NULL;
  if (status == RITT_OK && (!plan->root || !plan->value || !plan->size)) status = RITT_NO_MEMORY;
  if (status != RITT_OK) {
    ritti_quad_plan_free(plan);
    return status;
  }
  if (count) memcpy(plan->root, roots, count * sizeof *roots);
  *out = plan;
  return RITT_OK;
}

/* An integer as a quad: its leading limbs */
static ritti_quad quad_of_integer(mpz_srcptr z) {
  ritti_quad sum = 0;
  for (size_t i = mpz_size(z); i-- > 0;)
    sum = sum * 0x1p64 + (ritti_quad)mpz_getlimbn(z, (mp_size_t)i);
  return mpz_sgn(z) < 0 ? -sum : sum;
}

ritti_quad ritti_quad_of(mpq_srcptr q) {
  return quad_of_integer(mpq_numref(q)) / quad_of_integer(mpq_denref(q));
}

static ritti_quad leaf_value(const ritti_dag *dag, ritti_expr e, const ritti_quad_values *v) {
  int index = ritti_index_of(dag, e);
  switch (ritti_op_of(dag, e)) {
  case RITTI_INDEPENDENT: return v->independent;
  case RITTI_JET: return v->jet(v->context, index, ritti_order_of(dag, e));
  case RITTI_PARAMETER: return v->parameter[index];
  case RITTI_LEVEL: return v->level[index];
  default: return (ritti_quad)NAN;
  }
}

static ritti_quad integer_power(ritti_quad base, unsigned long n) {
  ritti_quad result = 1;
  for (; n; n >>= 1, base *= base)
    if (n & 1) result *= base;
  return result;
}

/* whole and half powers without pow, which would lose the sign of the base */
static ritti_quad power_value(const ritti_dag *dag, ritti_expr e, ritti_quad a, ritti_quad b) {
  ritti_expr exponent = ritti_argument(dag, e, 1);
  if (ritti_op_of(dag, exponent) != RITTI_NUMBER) return powq(a, b);
  mpq_srcptr q = ritti_rational_of(dag, exponent);
  if (!mpz_fits_slong_p(mpq_numref(q)) || mpz_cmp_ui(mpq_denref(q), 2) > 0) return powq(a, b);
  long n = mpz_get_si(mpq_numref(q));
  if (mpz_cmp_ui(mpq_denref(q), 2) == 0) a = sqrtq(a);
  ritti_quad r = integer_power(a, n < 0 ? -(unsigned long)n : (unsigned long)n);
  return n < 0 ? 1 / r : r;
}

static ritti_quad table_value(const ritti_dag *dag, ritti_expr e, ritti_quad u) {
  double code = ritti_table_code_of(dag, e);
  const ritti_table *t = ritti_dag_tables(dag)[ritti_table_of_code(code)];
  int order = ritti_table_order(code);
  bool inside = ritti_table_beyond(code) || ritti_table_has(t, (double)u);
  if (order >= RITTI_TABLE_SLOPE || !inside)
    return (ritti_quad)ritti_table_value(ritti_dag_tables(dag), code, (double)u);
  ritti_quad value;
  double turn, shift;
  size_t piece = ritti_table_locate(t, ritti_table_parity(code), (double)u, &turn, &shift);
  RITTI_TABLE_PIECE(ritti_quad, t, piece, order, u - (ritti_quad)shift, value);
  return value;
}

/* A function of base/functions.def. */
static ritti_quad function_value(ritti_op op, ritti_quad a, ritti_quad b) {
  switch (op) {
#define ritt_real                                      ritti_quad
#define RITTI_FUNCTION(id, name, at, is, p, r)         RETURN_FOR(id, name##q(a))
#define RITTI_FUNCTION2(id, name, pu, pv, r)           RETURN_FOR(id, name##q(a, b))
#define RITTI_SWITCH(id, text, language, value, slope) RETURN_FOR(id, value)
#include "expr/ops.def"
#undef ritt_real
  default: return (ritti_quad)NAN;
  }
}

static ritti_quad apply_operator(const ritti_dag *dag, ritti_expr e, ritti_quad a, ritti_quad b) {
  switch (ritti_op_of(dag, e)) {
  case RITTI_PI: return 4 * atanq(1);
  case RITTI_POWER: return power_value(dag, e, a, b);
  case RITTI_TABLE: return table_value(dag, e, a);
  case RITTI_MIN: return a != a || a < b ? a : b;
  case RITTI_MAX: return a != a || a > b ? a : b;
  case RITTI_WHEN: return a > 0 ? b : a <= 0 ? 0 : a;
  case RITTI_UNLESS: return a > 0 ? 0 : a <= 0 ? b : a;
  default: return function_value(ritti_op_of(dag, e), a, b);
  }
}

/* in which base/functions.def writes derivatives */
#define NUMBER(n)   ((ritti_quad)(n))
#define ONE         NUMBER(1)
#define PI          (4 * atanq(1))
#define PLUS(a, b)  ((a) + (b))
#define MINUS(a, b) ((a) - (b))
#define TIMES(a, b) ((a) * (b))
#define NEGATE(a)   (-(a))
#define SQUARE(a)   ((a) * (a))
#define SQRT(a)     sqrtq(a)
#define CALL(op, a) function_value(RITTI_##op, a, 0)

/* The derivatives of f = op(u, v) by u and v: how errors of the arguments show in f. */
static void find_slopes(ritti_op op, ritti_quad u, ritti_quad v, ritti_quad f,
                        ritti_quad slope[2]) {
  switch (op) {
#define SLOPES(id, first, second)                                                                  \
  case RITTI_##id: {                                                                               \
    slope[0] = first;                                                                              \
    slope[1] = second;                                                                             \
    return;                                                                                        \
  }
#define RITTI_FUNCTION(id, name, at, is, p, r) SLOPES(id, (p) / (r), 0)
#define RITTI_FUNCTION2(id, name, pu, pv, r)   SLOPES(id, (pu) / (r), (pv) / (r))
#define RITTI_SWITCH(id, text, language, value, slope)                                             \
  SLOPES(id, op == RITTI_ABS, 0) /* that of abs is 1 at 0, too */
#include "expr/ops.def"
  default: slope[0] = slope[1] = 1; return;
  }
}

/* Size of op(a, b) with value v, from the sizes of its arguments: a running error analysis. */
static ritti_quad size_of(ritti_op op, ritti_quad v, ritti_quad a, ritti_quad a_size, ritti_quad b,
                          ritti_quad b_size) {
  ritti_quad size = fabsq(v);
  if (op == RITTI_POWER && a != 0) {
    size += size * fabsq(b) * a_size / fabsq(a);
    if (a > 0 && b_size > fabsq(b)) size += fabsq(v * logq(a)) * b_size;
    return size;
  }
  if (op == RITTI_TABLE) return size + a_size; /* doubles made it: it is no better */
  if (op == RITTI_WHEN || op == RITTI_UNLESS) return v == 0 ? 0 : b_size;
  ritti_quad slope[2];
  find_slopes(op, a, b, v, slope);
  ritti_quad grown = size + fabsq(slope[0]) * a_size + fabsq(slope[1]) * b_size;
  return grown == grown ? grown : size; /* no slope, as that of atan2 at 0, 0 */
}

void ritti_quad_plan_evaluate(ritti_quad_plan *plan, const ritti_quad_values *values,
                              ritti_quad *out, ritti_quad *size) {
  const ritti_dag *dag = plan->dag;
  for (size_t i = 0; i < plan->nodes.count; i++) {
    ritti_expr e = plan->nodes.at[i];
    ritti_op op = ritti_op_of(dag, e);
    size_t count = ritti_argument_count(dag, e);
    ritti_quad a = 0, b = 0, a_size = 0, b_size = 0;
    for (size_t k = 0; k < count; k++) {
      size_t place = ritti_sweep_place(&plan->nodes, ritti_argument(dag, e, k));
      ritti_quad w = plan->value[place], w_size = plan->size[place];
      if (k == 0) a = w, a_size = w_size;
      else if (op == RITTI_ADD) a += w, a_size += w_size;
      else if (op == RITTI_MULTIPLY) a_size = fabsq(a) * w_size + fabsq(w) * a_size, a *= w;
      else b = w, b_size = w_size;
    }
    if (op == RITTI_NUMBER) a = ritti_quad_of(ritti_rational_of(dag, e));
    else if (count == 0 && op != RITTI_PI) a = leaf_value(dag, e, values);
    bool done = count == 0 ? op != RITTI_PI : op == RITTI_ADD || op == RITTI_MULTIPLY;
    plan->value[i] = done ? a : apply_operator(dag, e, a, b);
    plan->size[i] = count == 0 ? fabsq(plan->value[i])
                    : done     ? a_size
                               : size_of(op, plan->value[i], a, a_size, b, b_size);
  }
  for (size_t i = 0; i < plan->roots; i++) {
    size_t place = ritti_sweep_place(&plan->nodes, plan->root[i]);
    out[i] = plan->value[place];
    if (size) size[i] = plan->size[place];
  }
}

/* A number of 113 bits is a sum of three doubles. */
ritti_expr ritti_exact_quad(ritti_dag *dag, ritti_quad value) {
  mpq_t sum, part;
  mpq_inits(sum, part, NULL);
  for (int i = 0; i < 3; i++) {
    double d = (double)value;
    value -= d;
    mpq_set_d(part, d);
    mpq_add(sum, sum, part);
  }
  ritti_expr e = ritti_rational(dag, sum);
  mpq_clears(sum, part, NULL);
  return e;
}
