/* Power series through the DAG: every operator by the recurrence that its differential equation
 * gives (Moore; Griewank & Walther, Evaluating Derivatives, chapter 13). No expression grows: n
 * terms cost n^2 operations a node.
 *
 * The body of series.c and quad_series.c, which say what a real is: `real`, the functions FN(sin)
 * of it, the number NUMBER(q) of a rational, and the names NAME(plan) of the types and functions.
 */
struct NAME(plan) {
  const ritti_dag *dag;
  sweep nodes;
  ritti_expr *root;
  size_t roots;
  int room;      /* terms of each series */
  real *value;   /* nodes x room */
  real *scratch; /* 4 x room */
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
    plan->scratch = ritti_malloc(4 * (size_t)terms * sizeof *plan->scratch);
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

/* the k-th coefficient of u' w, from u_1 .. and w_0 .. */
static real derivative_times(int k, const real *u, const real *w) {
  real sum = 0;
  for (int i = 0; i <= k; i++) sum += (i + 1) * u[i + 1] * w[k - i];
  return sum;
}

/* w = w0 + integral of p / q */
static void integral_of_quotient(int n, real w0, const real *p, const real *q, real *w) {
  w[0] = w0;
  for (int k = 0; k + 1 < n; k++) {
    real sum = p[k]; /* (k+1) w_{k+1} is coefficient k of p/q */
    for (int i = 0; i < k; i++) sum -= (i + 1) * w[i + 1] * q[k - i];
    w[k + 1] = sum / q[0] / (k + 1);
  }
}

static void derive(int n, const real *u, real *out) {
  for (int k = 0; k + 1 < n; k++) out[k] = (k + 1) * u[k + 1];
  out[n - 1] = 0;
}

/* u^r for a rational r, u_0 not 0: u w' = r u' w */
static void power(int n, const real *u, real r, real *w) {
  w[0] = FN(pow)(u[0], r);
  for (int k = 1; k < n; k++) {
    real sum = 0;
    for (int i = 1; i <= k; i++) sum += (r * i - (k - i)) * u[i] * w[k - i];
    w[k] = sum / (k * u[0]);
  }
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

static void exponential(int n, const real *u, real *w) {
  w[0] = FN(exp)(u[0]);
  for (int k = 0; k + 1 < n; k++) w[k + 1] = derivative_times(k, u, w) / (k + 1);
}

static void logarithm(int n, const real *u, real *w, real *scratch) {
  derive(n, u, scratch);
  integral_of_quotient(n, FN(log)(u[0]), scratch, u, w);
}

/* s' = u' c, c' = sign u' s: sine and cosine (sign -1), or the hyperbolic ones (+1) */
static void sine_pair(int n, const real *u, real sign, real *s, real *c) {
  s[0] = sign < 0 ? FN(sin)(u[0]) : FN(sinh)(u[0]);
  c[0] = sign < 0 ? FN(cos)(u[0]) : FN(cosh)(u[0]);
  for (int k = 0; k + 1 < n; k++) {
    s[k + 1] = derivative_times(k, u, c) / (k + 1);
    c[k + 1] = sign * derivative_times(k, u, s) / (k + 1);
  }
}

/* w' = u' (1 + sign w^2): tangent (+1) or hyperbolic tangent (-1); scratch: n */
static void tangent(int n, const real *u, real sign, real *w, real *q) {
  w[0] = sign > 0 ? FN(tan)(u[0]) : FN(tanh)(u[0]);
  for (int k = 0; k + 1 < n; k++) {
    q[k] = k == 0;
    for (int i = 0; i <= k; i++) q[k] += sign * w[i] * w[k - i];
    w[k + 1] = derivative_times(k, u, q) / (k + 1);
  }
}

/* the inverse trigonometric ones: w' = factor u' / q, q = sqrt(1 - u^2) or 1 + u^2; scratch: 3 n */
static void inverse(int n, ritti_op op, const real *u, real *w, real *scratch) {
  real *p = scratch, *q = scratch + n, *r = scratch + 2 * n;
  times(n, u, u, q);
  for (int k = 0; k < n; k++) q[k] = (k == 0) + (op == RITTI_ATAN ? q[k] : -q[k]);
  if (op != RITTI_ATAN) power(n, q, (real)0.5, r), memcpy(q, r, (size_t)n * sizeof *q);
  derive(n, u, p);
  for (int k = 0; op == RITTI_ACOS && k < n; k++) p[k] = -p[k];
  integral_of_quotient(n,
                       op == RITTI_ASIN   ? FN(asin)(u[0])
                       : op == RITTI_ACOS ? FN(acos)(u[0])
                                          : FN(atan)(u[0]),
                       p, q, w);
}

/* w' = (x y' - y x') / (x^2 + y^2); scratch: 4 n */
static void angle(int n, const real *y, const real *x, real *w, real *scratch) {
  real *p = scratch, *q = scratch + n, *r = scratch + 2 * n;
  for (int k = 0; k < n; k++)
    p[k] = k + 1 < n ? derivative_times(k, y, x) - derivative_times(k, x, y) : 0;
  times(n, x, x, q);
  times(n, y, y, r);
  for (int k = 0; k < n; k++) q[k] += r[k];
  integral_of_quotient(n, FN(atan2)(y[0], x[0]), p, q, w);
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

/* ---- one node ---- */

static void power_node(const NAME(plan) * plan, int n, ritti_expr exponent, const real *a,
                       const real *b, real *w) {
  real *t = plan->scratch;
  if (ritti_op_of(plan->dag, exponent) != RITTI_NUMBER) {
    logarithm(n, a, t, t + n);
    times(n, t, b, t + n);
    exponential(n, t + n, w);
    return;
  }
  mpq_srcptr q = ritti_rational_of(plan->dag, exponent);
  if (mpz_cmp_ui(mpq_denref(q), 1) == 0 && mpz_sgn(mpq_numref(q)) > 0 &&
      mpz_cmp_ui(mpq_numref(q), 64) <= 0)
    whole_power(n, a, mpz_get_ui(mpq_numref(q)), w, t);
  else power(n, a, NUMBER(q), w);
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

/* sign, floor and step: constant beside their jumps */
static real step_value(ritti_op op, real a) {
  real value = (real)ritti_op_value(op, (double)a, 0);
  return op == RITTI_FLOOR && value > a ? value - 1
                                        : value; /* the double next to a may lie beyond it */
}

static void unary_node(const NAME(plan) * plan, int n, ritti_op op, const real *a, real *w) {
  real *t = plan->scratch;
  switch (op) {
  case RITTI_EXP: exponential(n, a, w); return;
  case RITTI_LOG: logarithm(n, a, w, t); return;
  case RITTI_SIN: sine_pair(n, a, -1, w, t); return;
  case RITTI_COS: sine_pair(n, a, -1, t, w); return;
  case RITTI_SINH: sine_pair(n, a, 1, w, t); return;
  case RITTI_COSH: sine_pair(n, a, 1, t, w); return;
  case RITTI_TAN: tangent(n, a, 1, w, t); return;
  case RITTI_TANH: tangent(n, a, -1, w, t); return;
  case RITTI_ASIN:
  case RITTI_ACOS:
  case RITTI_ATAN: inverse(n, op, a, w, t); return;
  case RITTI_ABS: scale(n, a[0] < 0 ? -1 : 1, a, w); return;
  case RITTI_SIGN:
  case RITTI_FLOOR:
  case RITTI_STEP: constant(n, step_value(op, a[0]), w); return;
  default: constant(n, NAN, w); return;
  }
}

static void leaf_node(const NAME(plan) * plan, int n, ritti_expr e, const NAME(values) * v,
                      real *w) {
  const ritti_dag *dag = plan->dag;
  switch (ritti_op_of(dag, e)) {
  case RITTI_NUMBER: constant(n, NUMBER(ritti_rational_of(dag, e)), w); return;
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
  case RITTI_ATAN2: angle(n, a, b, w, plan->scratch); return;
  case RITTI_MIN: memcpy(w, a[0] < b[0] ? a : b, (size_t)n * sizeof *w); return;
  case RITTI_MAX: memcpy(w, a[0] > b[0] ? a : b, (size_t)n * sizeof *w); return;
  case RITTI_WHEN:
  case RITTI_UNLESS:
    if ((a[0] > 0) == (op == RITTI_WHEN)) memcpy(w, b, (size_t)n * sizeof *w);
    else constant(n, 0, w);
    if (a[0] != a[0]) w[0] = a[0];
    return;
  default: unary_node(plan, n, op, a, w); return;
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
