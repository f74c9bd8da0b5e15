/* Power series through the DAG: every operator by the recurrence that its differential equation
 * gives (Moore; Griewank & Walther, Evaluating Derivatives, chapter 13); that of a function comes
 * from its derivative in base/functions.def. No expression grows: n terms cost n^2 operations a
 * node.
 *
 * The body of series.c, quad_series.c and big_series.c. They define the type `real`, the names
 * NAME(plan) of the types and functions, and these operations:
 *   SET(r, a)  SET_INT(r, i)  SET_DOUBLE(r, x)  SET_RATIONAL(r, q)  SET_PI(r)
 *   ADD_TO(r, a)  SET_PRODUCT(r, a, b)  ADD_PRODUCT(r, a, b)  SUBTRACT_PRODUCT(r, a, b)
 *   SET_MULTIPLE(r, a, i)  SET_QUOTIENT(r, a, b)  SET_FRACTION(r, a, i)  SET_NEGATIVE(r, a)
 *   APPLY(f, r, a)  APPLY2(f, r, a, b)  SIGN_OF(a)  LESS(a, b)  IS_ABOVE(x, a): the double x is
 *   IS_NAN(a)  AS_DOUBLE(a)  NEW_NUMBERS(plan, count, out): in the arena of the plan
 *   POWER(r, a, e): a to the power of the rational number e
 *   FIRST_ONLY(values): is only the series of the first root wanted?
 */
enum { SCRATCH = 18, TEMPORARIES = 4 }; /* series: those of a function, and 2; numbers */

struct NAME(plan) {
  const ritti_dag *dag;
  ritti_arena *arena;
  sweep nodes;
  uint32_t *root; /* the place of each root among the nodes */
  size_t roots;
  uint32_t *first, *edge; /* edge[first[i] ...]: the places of the arguments of node i */
  bool *of_first;         /* of each node: does the first root use it? */
  int room;               /* terms of each series */
  long bits;              /* of each number, if that can be chosen */
  real *value;            /* nodes x room */
  real *scratch;          /* SCRATCH x room */
  real *t;                /* TEMPORARIES */
};
typedef const NAME(plan) plan_type;

void NAME(plan_free)(NAME(plan) * plan) {
  if (!plan) return;
  ritti_sweep_clear(&plan->nodes);
  ritti_arena_free(plan->arena);
  ritti_free(plan);
}

/* The places of roots and arguments, and what the first root uses. */
static ritt_status link_nodes(NAME(plan) * plan, const ritti_expr *roots) {
  size_t nodes = plan->nodes.count, edges = 0;
  RITTI_NEW(plan->root, plan->arena, plan->roots + 1);
  RITTI_NEW(plan->first, plan->arena, nodes + 1);
  RITTI_NEW(plan->of_first, plan->arena, nodes + 1);
  for (size_t i = 0; i < nodes; i++) {
    plan->first[i] = (uint32_t)edges;
    edges += ritti_argument_count(plan->dag, plan->nodes.at[i]);
  }
  RITTI_NEW(plan->edge, plan->arena, edges + 1);
  for (size_t i = 0; i < plan->roots; i++)
    plan->root[i] = (uint32_t)ritti_sweep_place(&plan->nodes, roots[i]);

  if (plan->roots) plan->of_first[plan->root[0]] = true;
  for (size_t i = nodes; i-- > 0;)
    for (size_t j = 0, n = ritti_argument_count(plan->dag, plan->nodes.at[i]); j < n; j++) {
      ritti_expr argument = ritti_argument(plan->dag, plan->nodes.at[i], j);
      size_t place = ritti_sweep_place(&plan->nodes, argument);
      plan->edge[plan->first[i] + j] = (uint32_t)place;
      if (plan->of_first[i]) plan->of_first[place] = true;
    }
  return RITT_OK;
}

static ritt_status fill_plan(NAME(plan) * plan, const ritti_expr *roots) {
  size_t terms = (size_t)plan->room;
  RITT_TRY(ritti_sweep_init(&plan->nodes, plan->dag, roots, plan->roots, 0));
  RITT_TRY(link_nodes(plan, roots));
  NEW_NUMBERS(plan, plan->nodes.count * terms + 1, plan->value);
  NEW_NUMBERS(plan, SCRATCH * terms, plan->scratch);
  NEW_NUMBERS(plan, TEMPORARIES, plan->t);
  return RITT_OK;
}

static ritt_status make_plan(const ritti_dag *dag, const ritti_expr *roots, size_t count, int terms,
                             long bits, NAME(plan) * *out) {
  *out = NULL;
  NAME(plan) *plan = ritti_malloc(sizeof *plan);
  if (!plan) return RITT_NO_MEMORY;
  *plan = (NAME(plan)){.dag = dag, .roots = count, .room = terms, .bits = bits};
  plan->arena = ritti_arena_new();
  ritt_status status = plan->arena ? fill_plan(plan, roots) : RITT_NO_MEMORY;
  if (status == RITT_OK) *out = plan;
  else NAME(plan_free)(plan);
  return status;
}

/* ---- series arithmetic; n terms ---- */

static void copy(int n, const real *a, real *out) {
  for (int k = 0; k < n; k++) SET(out[k], a[k]);
}

/* out may not overlap a or b */
static void times(int n, const real *a, const real *b, real *out) {
  for (int k = 0; k < n; k++) {
    SET_INT(out[k], 0);
    for (int i = 0; i <= k; i++) ADD_PRODUCT(out[k], a[i], b[k - i]);
  }
}

/* coefficient k of w = u^r for a rational r, u_0 not 0: u w' = r u' w; r is temporary 3 */
static void power_coefficient(plan_type *p, int k, const real *u, real *w) {
  if (k == 0) {
    POWER(w[0], u[0], p->t[3]);
    return;
  }
  SET_INT(p->t[0], 0);
  for (int i = 1; i <= k; i++) {
    SET_MULTIPLE(p->t[1], p->t[3], i);
    SET_INT(p->t[2], -(k - i));
    ADD_TO(p->t[1], p->t[2]);
    SET_PRODUCT(p->t[1], p->t[1], u[i]);
    ADD_PRODUCT(p->t[0], p->t[1], w[k - i]);
  }
  SET_MULTIPLE(p->t[1], u[0], k);
  SET_QUOTIENT(w[k], p->t[0], p->t[1]);
}

/* u^m for a whole m >= 0, also if u_0 = 0; scratch: 2 n */
static void whole_power(int n, const real *u, unsigned long m, real *w, real *scratch) {
  real *square = scratch, *product = scratch + n;
  bool begun = false;
  for (int k = 0; k < n; k++) {
    SET_INT(w[k], k == 0);
    SET(square[k], u[k]);
  }
  for (; m; m >>= 1) {
    if (m & 1) {
      if (begun) times(n, w, square, product);
      copy(n, begun ? product : square, w);
      begun = true;
    }
    if (m > 1) {
      times(n, square, square, product);
      copy(n, product, square);
    }
  }
}

static void constant(int n, real c, real *w) {
  SET(w[0], c);
  for (int k = 1; k < n; k++) SET_INT(w[k], 0);
}

static void constant_double(int n, double c, real *w) {
  SET_DOUBLE(w[0], c);
  for (int k = 1; k < n; k++) SET_INT(w[k], 0);
}

/* w = sum d_j (u - u_0)^j, d_j the derivatives by j!; scratch: 2 n */
static void compose(int n, const real *d, const real *u, real *w, real *scratch) {
  real *step = scratch, *product = scratch + n;
  copy(n, u, step);
  SET_INT(step[0], 0);
  constant(n, d[n - 1], w);
  for (int j = n - 2; j >= 0; j--) {
    times(n, w, step, product);
    copy(n, product, w);
    ADD_TO(w[0], d[j]);
  }
}

/* ---- functions ---- */

/* A function and what its derivative is made of, found coefficient by coefficient: coefficient k of
 * a function needs its derivative up to k - 1 only, which may be made of the function. */
typedef enum { GIVEN, CONSTANT, CIRCLE, SUM, NEGATIVE, PRODUCT, ROOT, FUNCTION } part_kind;
enum { NO_PART = -1, MOST_PARTS = 16 };
typedef struct part {
  part_kind kind;
  ritti_op op;
  int a, b;     /* operands */
  int slope[3]; /* FUNCTION: p, q, r of r w' = p a' + q b'; NO_PART: p = 1, q = 0, r = 1 */
  double constant;
} part;
typedef struct program {
  plan_type *plan;
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
#define PI          add_part(P, (part){.kind = CIRCLE})
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

/* w = op(a, b) */
static void function_value(ritti_op op, real a, real b, real *w) {
  switch (op) {
#define RITTI_FUNCTION(id, name, at, is, p, r)                                                     \
  case RITTI_##id: {                                                                               \
    APPLY(name, *w, a);                                                                            \
    return;                                                                                        \
  }
#define RITTI_FUNCTION2(id, name, pu, pv, r)                                                       \
  case RITTI_##id: {                                                                               \
    APPLY2(name, *w, a, b);                                                                        \
    return;                                                                                        \
  }
#include "expr/ops.def"
  default: SET_DOUBLE(*w, NAN); return;
  }
}

/* temporary 0 += coefficient k - 1 of u' p; p = NULL: 1 */
static void add_slope(plan_type *plan, int k, const real *u, const real *p) {
  real *t = plan->t;
  SET_INT(t[1], 0);
  if (!p) SET_MULTIPLE(t[1], u[k], k);
  for (int i = 1; p && i <= k; i++) {
    SET_MULTIPLE(t[2], u[i], i);
    ADD_PRODUCT(t[1], t[2], p[k - i]);
  }
  ADD_TO(t[0], t[1]);
}

static const real *series_of_part(const program *P, int i) {
  return i == NO_PART ? NULL : P->series[i];
}

/* coefficient k of a function: r w' = p u' + q v' */
static void function_coefficient(const program *P, const part *f, int k, real *w) {
  const real *u = series_of_part(P, f->a), *v = series_of_part(P, f->b);
  real *t = P->plan->t;
  if (k == 0) {
    function_value(f->op, u[0], v ? v[0] : u[0], &w[0]);
    return;
  }
  SET_INT(t[0], 0);
  add_slope(P->plan, k, u, series_of_part(P, f->slope[0]));
  if (v) add_slope(P->plan, k, v, series_of_part(P, f->slope[1]));
  const real *r = series_of_part(P, f->slope[2]);
  for (int i = 1; r && i < k; i++) {
    SET_MULTIPLE(t[1], w[i], i);
    SUBTRACT_PRODUCT(t[0], t[1], r[k - i]);
  }
  if (r) SET_QUOTIENT(t[0], t[0], r[0]);
  SET_FRACTION(w[k], t[0], k);
}

static void part_coefficient(const program *P, int i, int k) {
  const part *one = &P->at[i];
  const real *a = series_of_part(P, one->a), *b = series_of_part(P, one->b);
  real *w = P->series[i];
  switch (one->kind) {
  case GIVEN: return;
  case CONSTANT: SET_DOUBLE(w[k], k == 0 ? one->constant : 0); return;
  case CIRCLE:
    SET_INT(w[k], 0);
    if (k == 0) SET_PI(w[k]);
    return;
  case SUM:
    if (a) SET(w[k], a[k]);
    else SET_INT(w[k], k == 0);
    if (b) {
      ADD_TO(w[k], b[k]);
      return;
    }
    SET_INT(P->plan->t[0], k == 0);
    ADD_TO(w[k], P->plan->t[0]);
    return;
  case NEGATIVE: SET_NEGATIVE(w[k], a[k]); return;
  case PRODUCT:
    SET_INT(w[k], 0);
    for (int j = 0; j <= k; j++) ADD_PRODUCT(w[k], a[j], b[k - j]);
    return;
  case ROOT:
    SET_DOUBLE(P->plan->t[3], 0.5);
    power_coefficient(P->plan, k, a, w);
    return;
  case FUNCTION: function_coefficient(P, one, k, w); return;
  }
}

/* w = op(u, v), n terms; room: MOST_PARTS series */
static void function(plan_type *plan, int n, ritti_op op, const real *u, const real *v, real *w,
                     real *room) {
  program P = {.plan = plan, .terms = n, .room = room};
  int a = add_part(&P, (part){.kind = GIVEN}), b = add_part(&P, (part){.kind = GIVEN});
  copy(n, u, P.series[a]);
  copy(n, v, P.series[b]);
  int f = add_function(&P, op, a, ritti_op_arguments[op] == 2 ? b : NO_PART);
  for (int k = 0; k < n; k++)
    for (int i = 0; i < P.count; i++) part_coefficient(&P, i, k);
  copy(n, P.series[f], w);
}

/* ---- one node ---- */

static void power_node(plan_type *plan, int n, ritti_expr exponent, const real *a, const real *b,
                       real *w) {
  real *t = plan->scratch;
  if (ritti_op_of(plan->dag, exponent) != RITTI_NUMBER) {
    real *room = t + 2 * n;
    function(plan, n, RITTI_LOG, a, a, t, room);
    times(n, t, b, t + n);
    function(plan, n, RITTI_EXP, t + n, t + n, w, room);
    return;
  }
  mpq_srcptr q = ritti_rational_of(plan->dag, exponent);
  if (mpz_cmp_ui(mpq_denref(q), 1) == 0 && mpz_sgn(mpq_numref(q)) > 0 &&
      mpz_cmp_ui(mpq_numref(q), 64) <= 0) {
    whole_power(n, a, mpz_get_ui(mpq_numref(q)), w, t);
    return;
  }
  SET_RATIONAL(plan->t[3], q);
  for (int k = 0; k < n; k++) power_coefficient(plan, k, a, w);
}

/* d_j = the j-th derivative by j!, of the polynomial at u_0 */
static void table_piece(plan_type *p, int n, const ritti_table *t, double code, const real *u,
                        real *d) {
  double turn, shift;
  size_t piece = ritti_table_locate(t, ritti_table_parity(code), AS_DOUBLE(u[0]), &turn, &shift);
  const double *c = t->coefficient + piece * ((size_t)t->degree + 1);
  int order = ritti_table_order(code);
  SET_DOUBLE(p->t[1], t->base[piece] + shift);
  SET_NEGATIVE(p->t[1], p->t[1]);
  ADD_TO(p->t[1], u[0]);
  for (int j = 0; j < n; j++) {
    SET_INT(d[j], 0);
    for (int i = t->degree; i >= order + j; i--) {
      double factor = 1; /* i! / (i - order - j)! / j!, exact: degrees are small */
      for (int k = 0; k < order + j; k++) factor *= i - k;
      for (int k = 2; k <= j; k++) factor /= k;
      SET_PRODUCT(d[j], d[j], p->t[1]);
      SET_DOUBLE(p->t[0], factor);
      SET_DOUBLE(p->t[2], c[i]);
      ADD_PRODUCT(d[j], p->t[0], p->t[2]);
    }
  }
}

static void table_node(plan_type *plan, int n, ritti_expr e, const real *u, real *w) {
  const ritti_table *const *tables = ritti_dag_tables(plan->dag);
  double code = ritti_table_code_of(plan->dag, e), at = AS_DOUBLE(u[0]), factorial = 1;
  const ritti_table *t = tables[ritti_table_of_code(code)];
  real *d = plan->scratch;
  int order = ritti_table_order(code);
  bool inside = ritti_table_beyond(code) || ritti_table_has(t, at);
  if (order < RITTI_TABLE_SLOPE && inside) table_piece(plan, n, t, code, u, d);
  else
    for (int j = 0; j < n; j++) {
      bool has = order + j < RITTI_TABLE_SLOPE || j == 0;
      SET_DOUBLE(d[j], has ? ritti_table_value(tables, code + 4 * j, at) / factorial : 0);
      factorial *= j + 1;
    }
  if (order == RITTI_TABLE_KNOT && n > 1) SET_DOUBLE(d[1], ritti_table_value(tables, code - 4, at));
  compose(n, d, u, w, plan->scratch + n);
}

/* A function with jumps is constant between them. */
static double switch_value(ritti_op op, real a) {
  double value = ritti_op_value(op, AS_DOUBLE(a), 0);
  if (op == RITTI_SIGN && value == 0) value = SIGN_OF(a); /* tiny */
  /* the double next to a may lie beyond it */
  return op == RITTI_FLOOR && IS_ABOVE(value, a) ? value - 1 : value;
}

static void function_node(plan_type *plan, int n, ritti_op op, const real *a, const real *b,
                          real *w) {
  if (op == RITTI_ABS) {
    for (int k = 0; k < n; k++) SET_MULTIPLE(w[k], a[k], SIGN_OF(a[0]) < 0 ? -1 : 1);
    return;
  }
  switch (op) {
#define RITTI_SWITCH(id, text, language, value, slope)                                             \
  case RITTI_##id: {                                                                               \
    constant_double(n, switch_value(op, a[0]), w);                                                 \
    return;                                                                                        \
  }
#include "expr/ops.def"
  default: function(plan, n, op, a, b, w, plan->scratch); return;
  }
}

static void leaf_node(plan_type *plan, int n, ritti_expr e, const NAME(values) * v, real *w) {
  const ritti_dag *dag = plan->dag;
  switch (ritti_op_of(dag, e)) {
  case RITTI_NUMBER:
    SET_RATIONAL(plan->t[0], ritti_rational_of(dag, e));
    constant(n, plan->t[0], w);
    return;
  case RITTI_PI:
    SET_PI(plan->t[0]);
    constant(n, plan->t[0], w);
    return;
  case RITTI_JET: v->jet(v->context, ritti_index_of(dag, e), ritti_order_of(dag, e), n, w); return;
  case RITTI_PARAMETER: constant(n, v->parameter[ritti_index_of(dag, e)], w); return;
  case RITTI_LEVEL: constant(n, v->level[ritti_index_of(dag, e)], w); return;
  case RITTI_INDEPENDENT:
    constant(n, v->independent, w);
    if (n > 1) SET_INT(w[1], 1);
    return;
  default: constant_double(n, NAN, w); return;
  }
}

static real *series_at(plan_type *plan, uint32_t place) {
  return plan->value + place * (size_t)plan->room;
}

static void inner_node(plan_type *plan, int n, size_t place, real *w) {
  const ritti_dag *dag = plan->dag;
  const uint32_t *argument = plan->edge + plan->first[place];
  ritti_expr e = plan->nodes.at[place];
  ritti_op op = ritti_op_of(dag, e);
  size_t count = ritti_argument_count(dag, e);
  const real *a = series_at(plan, argument[0]);
  const real *b = count > 1 ? series_at(plan, argument[1]) : a;
  switch (op) {
  case RITTI_ADD:
    copy(n, a, w);
    for (size_t i = 1; i < count; i++) {
      b = series_at(plan, argument[i]);
      for (int k = 0; k < n; k++) ADD_TO(w[k], b[k]);
    }
    return;
  case RITTI_MULTIPLY:
    if (count == 1) copy(n, a, w);
    else times(n, a, b, w);
    for (size_t i = 2; i < count; i++) {
      times(n, w, series_at(plan, argument[i]), plan->scratch);
      copy(n, plan->scratch, w);
    }
    return;
  case RITTI_POWER: power_node(plan, n, ritti_argument(dag, e, 1), a, b, w); return;
  case RITTI_TABLE: table_node(plan, n, e, a, w); return;
  case RITTI_MIN: copy(n, LESS(a[0], b[0]) ? a : b, w); return;
  case RITTI_MAX: copy(n, LESS(b[0], a[0]) ? a : b, w); return;
  case RITTI_WHEN:
  case RITTI_UNLESS:
    if ((SIGN_OF(a[0]) > 0) == (op == RITTI_WHEN)) copy(n, b, w);
    else constant_double(n, 0, w);
    if (IS_NAN(a[0])) SET(w[0], a[0]);
    return;
  default: function_node(plan, n, op, a, b, w); return;
  }
}

void NAME(plan_evaluate)(NAME(plan) * plan, const NAME(values) * values, int n, real *out) {
  bool first_only = FIRST_ONLY(values);
  for (size_t i = 0; i < plan->nodes.count; i++) {
    real *w = plan->value + i * (size_t)plan->room;
    if (first_only && !plan->of_first[i]) continue;
    if (ritti_is_leaf(plan->dag, plan->nodes.at[i]))
      leaf_node(plan, n, plan->nodes.at[i], values, w);
    else inner_node(plan, n, i, w);
  }
  for (size_t i = 0; i < (first_only ? 1 : plan->roots); i++)
    copy(n, series_at(plan, plan->root[i]), out + i * (size_t)n);
}
