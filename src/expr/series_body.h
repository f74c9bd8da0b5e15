/* Power series through the DAG: every operator by the recurrence that its differential equation
 * gives (Moore; Griewank & Walther, Evaluating Derivatives, chapter 13); that of a function comes
 * from its derivative in base/functions.def. No expression grows: n terms cost n^2 operations a
 * node.
 *
 * The body of series.c and quad_series.c, which say what a real is: `real`, the functions FN(sin)
 * of it, the number RATIONAL(q) of a rational, and the names NAME(plan) of the types and functions.
 */
enum { SCRATCH = 18 }; /* series: those of a function, and 2 */

struct NAME(plan) {
  const ritti_dag *dag;
  sweep nodes;
  ritti_expr *root;
  size_t roots;
  int room;      /* terms of each series */
  real *value;   /* nodes x room */
  real *scratch; /* SCRATCH x room */
};

void NAME(plan_free)(NAME(plan) * plan) {
  if (!plan) return;
  ritti_sweep_clear(&plan->nodes);
  ritti_free(plan->root);
  ritti_free(plan->value);
  ritti_free(plan->scratch);
  ritti_free(plan);
}

ritt_status NAME(plan_new)(const ritti_dag *dag, const ritti_expr *roots, size_t count, int terms,
                           NAME(plan) * *out) {
  *out = NULL;
  NAME(plan) *plan = ritti_malloc(sizeof *plan);
  if (!plan) return RITT_NO_MEMORY;
  *plan = (NAME(plan)){.dag = dag, .roots = count, .room = terms};
  ritt_status status = ritti_sweep_init(&plan->nodes, dag, roots, count, 0);
  if (status == RITT_OK) {
    plan->root = ritti_malloc((count + 1) * sizeof *plan->root);
    plan->value = ritti_malloc((plan->nodes.count * (size_t)terms + 1) * sizeof *plan->value);
    plan->scratch = ritti_malloc(SCRATCH * (size_t)terms * sizeof *plan->scratch);
    if (!plan->root || !plan->value || !plan->scratch) status = RITT_NO_MEMORY;
  }
  if (status != RITT_OK) {
    NAME(plan_free)(plan);
    return status;
  }
  if (count) memcpy(plan->root, roots, count * sizeof *roots);
  *out = plan;
  return RITT_OK;
}

/* ---- series arithmetic; n terms ---- */

/* out may not overlap a or b */
static void times(int n, const real *a, const real *b, real *out) {
  for (int k = 0; k < n; k++) {
    out[k] = 0;
    for (int i = 0; i <= k; i++) out[k] += a[i] * b[k - i];
  }
}

/* coefficient k of w = u^r for a rational r, u_0 not 0: u w' = r u' w */
static real power_coefficient(int k, const real *u, real r, const real *w) {
  if (k == 0) return FN(pow)(u[0], r);
  real sum = 0;
  for (int i = 1; i <= k; i++) sum += (r * i - (k - i)) * u[i] * w[k - i];
  return sum / (k * u[0]);
}

/* u^m for a whole m >= 0, also where u_0 = 0; scratch: 2 n */
static void whole_power(int n, const real *u, unsigned long m, real *w, real *scratch) {
  real *square = scratch, *product = scratch + n;
  for (int k = 0; k < n; k++) w[k] = k == 0, square[k] = u[k];
  for (; m; m >>= 1) {
    if (m & 1) times(n, w, square, product), memcpy(w, product, (size_t)n * sizeof *w);
    if (m > 1)
      times(n, square, square, product), memcpy(square, product, (size_t)n * sizeof *square);
  }
}

static void scale(int n, real factor, const real *u, real *w) {
  for (int k = 0; k < n; k++) w[k] = factor * u[k];
}

static void constant(int n, real c, real *w) {
  for (int k = 0; k < n; k++) w[k] = k == 0 ? c : 0;
}

/* w = sum d_j (u - u_0)^j, d_j the derivatives by j!; scratch: 2 n */
static void compose(int n, const real *d, const real *u, real *w, real *scratch) {
  real *step = scratch, *product = scratch + n;
  for (int k = 0; k < n; k++) step[k] = k == 0 ? 0 : u[k], w[k] = k == 0 ? d[n - 1] : 0;
  for (int j = n - 2; j >= 0; j--) {
    times(n, w, step, product);
    memcpy(w, product, (size_t)n * sizeof *w);
    w[0] += d[j];
  }
}

/* ---- functions ---- */

/* A function and what its derivative is made of, found coefficient by coefficient: coefficient k of
 * a function needs its derivative up to k - 1 only, which may be made of the function. */
typedef enum { GIVEN, CONSTANT, SUM, NEGATIVE, PRODUCT, ROOT, FUNCTION } part_kind;
enum { NO_PART = -1, MOST_PARTS = 16 };
typedef struct part {
  part_kind kind;
  ritti_op op;
  int a, b;     /* operands */
  int slope[3]; /* FUNCTION: p, q, r of r w' = p a' + q b'; NO_PART: p = 1, q = 0, r = 1 */
  real constant;
} part;
typedef struct program {
  part at[MOST_PARTS];
  real *series[MOST_PARTS];
  int count, terms;
  real *room; /* for the next series */
} program;

static int add_part(program *P, part one) {
  for (int i = 0; i < P->count; i++) /* a function of this argument may be there already */
    if (one.kind == FUNCTION && P->at[i].kind == FUNCTION && P->at[i].op == one.op &&
        P->at[i].a == one.a)
      return i;
  assert(P->count < MOST_PARTS);
  P->at[P->count] = one;
  P->series[P->count] = P->room;
  P->room += P->terms;
  return P->count++;
}

/* in which base/functions.def writes derivatives */
#define NUMBER(n)   add_part(P, (part){.kind = CONSTANT, .constant = (n)})
#define ONE         NO_PART
#define PI          add_part(P, (part){.kind = CONSTANT, .constant = 4 * FN(atan)((real)1)})
#define PLUS(x, y)  add_part(P, (part){.kind = SUM, .a = x, .b = y})
#define MINUS(x, y) PLUS(x, NEGATE(y))
#define TIMES(x, y) add_part(P, (part){.kind = PRODUCT, .a = x, .b = y})
#define NEGATE(x)   add_part(P, (part){.kind = NEGATIVE, .a = x})
#define SQUARE(x)   square_part(P, x)
#define SQRT(x)     add_part(P, (part){.kind = ROOT, .a = x})
#define CALL(id, x) add_function(P, RITTI_##id, x, NO_PART)

static int square_part(program *P, int x) { return TIMES(x, x); }

/* Function op of the parts u and v, with its derivative. */
static int add_function(program *P, ritti_op op, int u, int v) {
  int before = P->count;
  int f = add_part(P, (part){.kind = FUNCTION, .op = op, .a = u, .b = v});
  if (f < before) return f;
  int *slope = P->at[f].slope;
  switch (op) {
#define SLOPES(id, first, second, below)                                                           \
  case RITTI_##id: {                                                                               \
    slope[0] = first;                                                                              \
    slope[1] = second;                                                                             \
    slope[2] = below;                                                                              \
    break;                                                                                         \
  }
#define RITTI_FUNCTION(id, name, at, is, p, r) SLOPES(id, p, NO_PART, r)
#define RITTI_FUNCTION2(id, name, pu, pv, r)   SLOPES(id, pu, pv, r)
#include "expr/ops.def"
  default: break;
  }
  return f;
}

static real function_value(ritti_op op, real a, real b) {
  switch (op) {
#define RITTI_FUNCTION(id, name, at, is, p, r) RETURN_FOR(id, FN(name)(a))
#define RITTI_FUNCTION2(id, name, pu, pv, r)   RETURN_FOR(id, FN(name)(a, b))
#include "expr/ops.def"
  default: return NAN;
  }
}

/* coefficient k - 1 of u' p; p = NULL: 1 */
static real slope_times(int k, const real *u, const real *p) {
  if (!p) return k * u[k];
  real sum = 0;
  for (int i = 1; i <= k; i++) sum += i * u[i] * p[k - i];
  return sum;
}

static const real *series_of_part(const program *P, int i) {
  return i == NO_PART ? NULL : P->series[i];
}

/* coefficient k of a function: r w' = p u' + q v' */
static real function_coefficient(const program *P, const part *f, int k, const real *w) {
  const real *u = series_of_part(P, f->a), *v = series_of_part(P, f->b);
  if (k == 0) return function_value(f->op, u[0], v ? v[0] : 0);
  real sum = slope_times(k, u, series_of_part(P, f->slope[0]));
  if (v) sum += slope_times(k, v, series_of_part(P, f->slope[1]));
  const real *r = series_of_part(P, f->slope[2]);
  if (!r) return sum / k;
  for (int i = 1; i < k; i++) sum -= i * w[i] * r[k - i];
  return sum / r[0] / k;
}

static real part_coefficient(const program *P, int i, int k) {
  const part *one = &P->at[i];
  const real *a = series_of_part(P, one->a), *b = series_of_part(P, one->b);
  real sum = 0;
  switch (one->kind) {
  case GIVEN: return P->series[i][k];
  case CONSTANT: return k == 0 ? one->constant : 0;
  case SUM: return (a ? a[k] : k == 0) + (b ? b[k] : k == 0);
  case NEGATIVE: return -a[k];
  case PRODUCT:
    for (int j = 0; j <= k; j++) sum += a[j] * b[k - j];
    return sum;
  case ROOT: return power_coefficient(k, a, (real)0.5, P->series[i]);
  case FUNCTION: return function_coefficient(P, one, k, P->series[i]);
  }
  return NAN;
}

/* w = op(u, v), n terms; room: MOST_PARTS series */
static void function(int n, ritti_op op, const real *u, const real *v, real *w, real *room) {
  program P = {.terms = n, .room = room};
  int a = add_part(&P, (part){.kind = GIVEN}), b = add_part(&P, (part){.kind = GIVEN});
  memcpy(P.series[a], u, (size_t)n * sizeof *u);
  memcpy(P.series[b], v, (size_t)n * sizeof *v);
  int f = add_function(&P, op, a, ritti_op_arguments[op] == 2 ? b : NO_PART);
  for (int k = 0; k < n; k++)
    for (int i = 0; i < P.count; i++) P.series[i][k] = part_coefficient(&P, i, k);
  memcpy(w, P.series[f], (size_t)n * sizeof *w);
}

/* ---- one node ---- */

static void power_node(const NAME(plan) * plan, int n, ritti_expr exponent, const real *a,
                       const real *b, real *w) {
  real *t = plan->scratch;
  if (ritti_op_of(plan->dag, exponent) != RITTI_NUMBER) {
    real *room = t + 2 * n;
    function(n, RITTI_LOG, a, a, t, room);
    times(n, t, b, t + n);
    function(n, RITTI_EXP, t + n, t + n, w, room);
    return;
  }
  mpq_srcptr q = ritti_rational_of(plan->dag, exponent);
  if (mpz_cmp_ui(mpq_denref(q), 1) == 0 && mpz_sgn(mpq_numref(q)) > 0 &&
      mpz_cmp_ui(mpq_numref(q), 64) <= 0)
    whole_power(n, a, mpz_get_ui(mpq_numref(q)), w, t);
  else
    for (int k = 0; k < n; k++) w[k] = power_coefficient(k, a, RATIONAL(q), w);
}

static void table_node(const NAME(plan) * plan, int n, ritti_expr e, const real *u, real *w) {
  double code = ritti_table_code_of(plan->dag, e);
  real factorial = 1, *d = plan->scratch;
  int order = ritti_table_order(code);
  for (int j = 0; j < n; j++) {
    d[j] =
        order + j < RITTI_TABLE_SLOPE || j == 0
            ? ritti_table_value(ritti_dag_tables(plan->dag), code + 4 * j, (double)u[0]) / factorial
            : 0;
    factorial *= j + 1;
  }
  if (order == RITTI_TABLE_KNOT && n > 1)
    d[1] = ritti_table_value(ritti_dag_tables(plan->dag), code - 4, (double)u[0]);
  compose(n, d, u, w, plan->scratch + n);
}

static real switch_value(ritti_op op, real a) {
  switch (op) {
#define ritt_real                                      real
#define RITTI_SWITCH(id, text, language, value, slope) RETURN_FOR(id, value)
#include "expr/ops.def"
#undef ritt_real
  default: return NAN;
  }
}

static void function_node(const NAME(plan) * plan, int n, ritti_op op, const real *a, const real *b,
                          real *w) {
  if (op == RITTI_ABS) {
    scale(n, a[0] < 0 ? -1 : 1, a, w);
    return;
  }
  switch (op) {
#define RITTI_SWITCH(id, text, language, value, slope)                                             \
  case RITTI_##id: {                                                                               \
    constant(n, switch_value(op, a[0]), w); /* between jumps */                                    \
    return;                                                                                        \
  }
#include "expr/ops.def"
  default: function(n, op, a, b, w, plan->scratch); return;
  }
}

static void leaf_node(const NAME(plan) * plan, int n, ritti_expr e, const NAME(values) * v,
                      real *w) {
  const ritti_dag *dag = plan->dag;
  switch (ritti_op_of(dag, e)) {
  case RITTI_NUMBER: constant(n, RATIONAL(ritti_rational_of(dag, e)), w); return;
  case RITTI_PI: constant(n, 4 * FN(atan)((real)1), w); return;
  case RITTI_JET: v->jet(v->context, ritti_index_of(dag, e), ritti_order_of(dag, e), n, w); return;
  case RITTI_PARAMETER: constant(n, v->parameter[ritti_index_of(dag, e)], w); return;
  case RITTI_LEVEL: constant(n, v->level[ritti_index_of(dag, e)], w); return;
  case RITTI_INDEPENDENT:
    constant(n, v->independent, w);
    if (n > 1) w[1] = 1;
    return;
  default: constant(n, NAN, w); return;
  }
}

static const real *series_of(const NAME(plan) * plan, ritti_expr e) {
  return plan->value + ritti_sweep_place(&plan->nodes, e) * (size_t)plan->room;
}

static void inner_node(NAME(plan) * plan, int n, ritti_expr e, real *w) {
  const ritti_dag *dag = plan->dag;
  ritti_op op = ritti_op_of(dag, e);
  size_t count = ritti_argument_count(dag, e);
  const real *a = series_of(plan, ritti_argument(dag, e, 0));
  const real *b = count > 1 ? series_of(plan, ritti_argument(dag, e, 1)) : a;
  switch (op) {
  case RITTI_ADD:
  case RITTI_MULTIPLY:
    memcpy(w, a, (size_t)n * sizeof *w);
    for (size_t i = 1; i < count; i++) {
      b = series_of(plan, ritti_argument(dag, e, i));
      if (op == RITTI_ADD)
        for (int k = 0; k < n; k++) w[k] += b[k];
      else times(n, w, b, plan->scratch), memcpy(w, plan->scratch, (size_t)n * sizeof *w);
    }
    return;
  case RITTI_POWER: power_node(plan, n, ritti_argument(dag, e, 1), a, b, w); return;
  case RITTI_TABLE: table_node(plan, n, e, a, w); return;
  case RITTI_MIN: memcpy(w, a[0] < b[0] ? a : b, (size_t)n * sizeof *w); return;
  case RITTI_MAX: memcpy(w, a[0] > b[0] ? a : b, (size_t)n * sizeof *w); return;
  case RITTI_WHEN:
  case RITTI_UNLESS:
    if ((a[0] > 0) == (op == RITTI_WHEN)) memcpy(w, b, (size_t)n * sizeof *w);
    else constant(n, 0, w);
    if (a[0] != a[0]) w[0] = a[0];
    return;
  default: function_node(plan, n, op, a, b, w); return;
  }
}

void NAME(plan_evaluate)(NAME(plan) * plan, const NAME(values) * values, int n, real *out) {
  for (size_t i = 0; i < plan->nodes.count; i++) {
    real *w = plan->value + i * (size_t)plan->room;
    if (ritti_is_leaf(plan->dag, plan->nodes.at[i]))
      leaf_node(plan, n, plan->nodes.at[i], values, w);
    else inner_node(plan, n, plan->nodes.at[i], w);
  }
  for (size_t i = 0; i < plan->roots; i++)
    memcpy(out + i * (size_t)n, series_of(plan, plan->root[i]), (size_t)n * sizeof *out);
}
