/* Power series through the DAG: every operator by the recurrence that its differential equation gives (Moore;
 * Griewank & Walther, Evaluating Derivatives, chapter 13). No expression grows: n terms cost n^2 operations a
 * node.
 */
#include "expr_impl.h"
#include "expr/series.h"

struct ritti_series_plan {
  const ritti_dag *dag;
  sweep nodes;
  ritti_expr *root;
  size_t roots;
  int room;        /* terms of each series */
  double *value;   /* nodes x room */
  double *scratch; /* 4 x room */
};

void ritti_series_plan_free(ritti_series_plan *plan) {
  if (!plan) return;
  ritti_sweep_clear(&plan->nodes);
  ritti_free(plan->root);
  ritti_free(plan->value);
  ritti_free(plan->scratch);
  ritti_free(plan);
}

ritt_status ritti_series_plan_new(const ritti_dag *dag, const ritti_expr *roots, size_t count, int terms,
                                  ritti_series_plan **out) {
  *out = NULL;
  ritti_series_plan *plan = ritti_malloc(sizeof *plan);
  if (!plan) return RITT_NO_MEMORY;
  *plan = (ritti_series_plan){.dag = dag, .roots = count, .room = terms};
  ritt_status status = ritti_sweep_init(&plan->nodes, dag, roots, count, 0);
  if (status == RITT_OK) {
    plan->root = ritti_malloc((count + 1) * sizeof *plan->root);
    plan->value = ritti_malloc((plan->nodes.count * (size_t)terms + 1) * sizeof *plan->value);
    plan->scratch = ritti_malloc(4 * (size_t)terms * sizeof *plan->scratch);
    if (!plan->root || !plan->value || !plan->scratch) status = RITT_NO_MEMORY;
  }
  if (status != RITT_OK) {
    ritti_series_plan_free(plan);
    return status;
  }
  if (count) memcpy(plan->root, roots, count * sizeof *roots);
  *out = plan;
  return RITT_OK;
}

/* ---- series arithmetic; n terms ---------------------------------------------------------------------- */

/* out may not overlap a or b */
static void times(int n, const double *a, const double *b, double *out) {
  for (int k = 0; k < n; k++) {
    out[k] = 0;
    for (int i = 0; i <= k; i++) out[k] += a[i] * b[k - i];
  }
}

/* the k-th coefficient of u' w, from u_1 .. and w_0 .. */
static double derivative_times(int k, const double *u, const double *w) {
  double sum = 0;
  for (int i = 0; i <= k; i++) sum += (i + 1) * u[i + 1] * w[k - i];
  return sum;
}

/* w = w0 + integral of p / q */
static void integral_of_quotient(int n, double w0, const double *p, const double *q, double *w) {
  w[0] = w0;
  for (int k = 0; k + 1 < n; k++) {
    double sum = p[k]; /* (k+1) w_{k+1} is coefficient k of p/q */
    for (int i = 0; i < k; i++) sum -= (i + 1) * w[i + 1] * q[k - i];
    w[k + 1] = sum / q[0] / (k + 1);
  }
}

static void derive(int n, const double *u, double *out) {
  for (int k = 0; k + 1 < n; k++) out[k] = (k + 1) * u[k + 1];
  out[n - 1] = 0;
}

/* u^r for a rational r, u_0 not 0: u w' = r u' w */
static void power(int n, const double *u, double r, double *w) {
  w[0] = pow(u[0], r);
  for (int k = 1; k < n; k++) {
    double sum = 0;
    for (int i = 1; i <= k; i++) sum += (r * i - (k - i)) * u[i] * w[k - i];
    w[k] = sum / (k * u[0]);
  }
}

/* u^m for a whole m >= 0, also where u_0 = 0; scratch: 2 n */
static void whole_power(int n, const double *u, unsigned long m, double *w, double *scratch) {
  double *square = scratch, *product = scratch + n;
  for (int k = 0; k < n; k++) w[k] = k == 0, square[k] = u[k];
  for (; m; m >>= 1) {
    if (m & 1) times(n, w, square, product), memcpy(w, product, (size_t)n * sizeof *w);
    if (m > 1) times(n, square, square, product), memcpy(square, product, (size_t)n * sizeof *square);
  }
}

static void exponential(int n, const double *u, double *w) {
  w[0] = exp(u[0]);
  for (int k = 0; k + 1 < n; k++) w[k + 1] = derivative_times(k, u, w) / (k + 1);
}

static void logarithm(int n, const double *u, double *w, double *scratch) {
  derive(n, u, scratch);
  integral_of_quotient(n, log(u[0]), scratch, u, w);
}

/* s' = u' c, c' = sign u' s: sine and cosine (sign -1), or the hyperbolic ones (+1) */
static void sine_pair(int n, const double *u, double sign, double *s, double *c) {
  s[0] = sign < 0 ? sin(u[0]) : sinh(u[0]);
  c[0] = sign < 0 ? cos(u[0]) : cosh(u[0]);
  for (int k = 0; k + 1 < n; k++) {
    s[k + 1] = derivative_times(k, u, c) / (k + 1);
    c[k + 1] = sign * derivative_times(k, u, s) / (k + 1);
  }
}

/* w' = u' (1 + sign w^2): tangent (+1) or hyperbolic tangent (-1); scratch: n */
static void tangent(int n, const double *u, double sign, double *w, double *q) {
  w[0] = sign > 0 ? tan(u[0]) : tanh(u[0]);
  for (int k = 0; k + 1 < n; k++) {
    q[k] = k == 0;
    for (int i = 0; i <= k; i++) q[k] += sign * w[i] * w[k - i];
    w[k + 1] = derivative_times(k, u, q) / (k + 1);
  }
}

/* the inverse trigonometric ones: w' = factor u' / q, q = sqrt(1 - u^2) or 1 + u^2; scratch: 3 n */
static void inverse(int n, ritti_op op, const double *u, double *w, double *scratch) {
  double *p = scratch, *q = scratch + n, *r = scratch + 2 * n;
  times(n, u, u, q);
  for (int k = 0; k < n; k++) q[k] = (k == 0) + (op == RITTI_ATAN ? q[k] : -q[k]);
  if (op != RITTI_ATAN) power(n, q, 0.5, r), memcpy(q, r, (size_t)n * sizeof *q);
  derive(n, u, p);
  for (int k = 0; op == RITTI_ACOS && k < n; k++) p[k] = -p[k];
  integral_of_quotient(n,
                       op == RITTI_ASIN   ? asin(u[0])
                       : op == RITTI_ACOS ? acos(u[0])
                                          : atan(u[0]),
                       p, q, w);
}

/* w' = (x y' - y x') / (x^2 + y^2); scratch: 4 n */
static void angle(int n, const double *y, const double *x, double *w, double *scratch) {
  double *p = scratch, *q = scratch + n, *r = scratch + 2 * n;
  for (int k = 0; k < n; k++) p[k] = k + 1 < n ? derivative_times(k, y, x) - derivative_times(k, x, y) : 0;
  times(n, x, x, q);
  times(n, y, y, r);
  for (int k = 0; k < n; k++) q[k] += r[k];
  integral_of_quotient(n, atan2(y[0], x[0]), p, q, w);
}

static void scale(int n, double factor, const double *u, double *w) {
  for (int k = 0; k < n; k++) w[k] = factor * u[k];
}

static void constant(int n, double c, double *w) {
  for (int k = 0; k < n; k++) w[k] = k == 0 ? c : 0;
}

/* w = sum d_j (u - u_0)^j, d_j the derivatives by j!; scratch: 2 n */
static void compose(int n, const double *d, const double *u, double *w, double *scratch) {
  double *step = scratch, *product = scratch + n;
  for (int k = 0; k < n; k++) step[k] = k == 0 ? 0 : u[k], w[k] = k == 0 ? d[n - 1] : 0;
  for (int j = n - 2; j >= 0; j--) {
    times(n, w, step, product);
    memcpy(w, product, (size_t)n * sizeof *w);
    w[0] += d[j];
  }
}

/* ---- one node ---------------------------------------------------------------------------------------- */

static void power_node(const ritti_series_plan *plan, int n, ritti_expr exponent, const double *a,
                       const double *b, double *w) {
  double *t = plan->scratch;
  if (ritti_op_of(plan->dag, exponent) != RITTI_NUMBER) {
    logarithm(n, a, t, t + n);
    times(n, t, b, t + n);
    exponential(n, t + n, w);
    return;
  }
  mpq_srcptr q = ritti_rational_of(plan->dag, exponent);
  if (mpz_cmp_ui(mpq_denref(q), 1) == 0 && mpz_sgn(mpq_numref(q)) > 0 && mpz_cmp_ui(mpq_numref(q), 64) <= 0)
    whole_power(n, a, mpz_get_ui(mpq_numref(q)), w, t);
  else power(n, a, ritti_rational_double(q), w);
}

static void table_node(const ritti_series_plan *plan, int n, ritti_expr e, const double *u, double *w) {
  double code = ritti_table_code_of(plan->dag, e), factorial = 1, *d = plan->scratch;
  int order = ritti_table_order(code);
  for (int j = 0; j < n; j++) {
    d[j] = order + j < RITTI_TABLE_SLOPE || j == 0
               ? ritti_table_value(ritti_dag_tables(plan->dag), code + 4 * j, u[0]) / factorial
               : 0;
    factorial *= j + 1;
  }
  if (order == RITTI_TABLE_KNOT && n > 1)
    d[1] = ritti_table_value(ritti_dag_tables(plan->dag), code - 4, u[0]);
  compose(n, d, u, w, plan->scratch + n);
}

static void unary_node(const ritti_series_plan *plan, int n, ritti_op op, const double *a, double *w) {
  double *t = plan->scratch;
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
  case RITTI_STEP: constant(n, ritti_op_value(op, a[0], 0), w); return;
  default: constant(n, NAN, w); return;
  }
}

static void leaf_node(const ritti_series_plan *plan, int n, ritti_expr e, const ritti_series_values *v,
                      double *w) {
  const ritti_dag *dag = plan->dag;
  switch (ritti_op_of(dag, e)) {
  case RITTI_NUMBER: constant(n, ritti_rational_double(ritti_rational_of(dag, e)), w); return;
  case RITTI_PI: constant(n, 3.14159265358979323846, w); return;
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

static const double *series_of(const ritti_series_plan *plan, ritti_expr e) {
  return plan->value + ritti_sweep_place(&plan->nodes, e) * (size_t)plan->room;
}

static void inner_node(ritti_series_plan *plan, int n, ritti_expr e, double *w) {
  const ritti_dag *dag = plan->dag;
  ritti_op op = ritti_op_of(dag, e);
  size_t count = ritti_argument_count(dag, e);
  const double *a = series_of(plan, ritti_argument(dag, e, 0));
  const double *b = count > 1 ? series_of(plan, ritti_argument(dag, e, 1)) : a;
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

void ritti_series_plan_evaluate(ritti_series_plan *plan, const ritti_series_values *values, int n,
                                double *out) {
  for (size_t i = 0; i < plan->nodes.count; i++) {
    double *w = plan->value + i * (size_t)plan->room;
    if (ritti_is_leaf(plan->dag, plan->nodes.at[i])) leaf_node(plan, n, plan->nodes.at[i], values, w);
    else inner_node(plan, n, plan->nodes.at[i], w);
  }
  for (size_t i = 0; i < plan->roots; i++)
    memcpy(out + i * (size_t)n, series_of(plan, plan->root[i]), (size_t)n * sizeof *out);
}
