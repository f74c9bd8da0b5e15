/* Power series, coefficient by coefficient: every operation by the recurrence that its differential
 * equation gives (R. E. Moore, Interval Analysis, 1966, chapter 11; A. Griewank, A. Walther,
 * Evaluating Derivatives, 2nd ed. 2008, chapter 13).
 *
 * In: a program, the row of a problem's work, coefficients of the coordinates. Out: the same of all
 * slots. Below w = the result, u and v = the operands, and a coefficient k > 0 is found from those
 * below it and from the operands' up to k. Kinks (abs, min, floor, ...) take the side on which
 * coefficient 0 lies.
 */
#include "geometry/series.h"

int ritti_series_more(ritti_series_operation op, int degree) {
  static const unsigned char more[RITTI_SERIES_COUNT] = {
#define X(id, slots) slots,
      RITTI_SERIES_OPERATIONS(X)
#undef X
  };
  return op == RITTI_SERIES_TABLE ? degree : more[op];
}

/* sum_{i<n} a_i b_{-i}; two sums, so that they do not wait for each other */
static ritt_real fold(const ritt_real *a, const ritt_real *b, int n) {
  ritt_real even = 0, odd = 0;
  int i = 0;
  for (; i + 1 < n; i += 2) {
    even += a[i] * b[-i];
    odd += a[i + 1] * b[-i - 1];
  }
  if (i < n) even += a[i] * b[-i];
  return even + odd;
}

/* sum_{i<n} (i + 1) a_i b_{-i} */
static ritt_real rising(const ritt_real *a, const ritt_real *b, int n) {
  ritt_real even = 0, odd = 0, j = 1;
  int i = 0;
  for (; i + 1 < n; i += 2, j += 2) {
    even += j * a[i] * b[-i];
    odd += (j + 1) * a[i + 1] * b[-i - 1];
  }
  if (i < n) even += j * a[i] * b[-i];
  return even + odd;
}

/* coefficient k of u u, but for what u_k contributes: k > 0 */
static ritt_real inner_square(const ritt_real *u, int k) {
  ritt_real sum = 2 * fold(u + 1, u + k - 1, (k - 1) / 2);
  return k % 2 ? sum : sum + u[k / 2] * u[k / 2];
}

/* coefficient k - 1 of u' v, and of u' v with u_k left out */
static ritt_real slope_times(const ritt_real *u, const ritt_real *v, int k) {
  return rising(u + 1, v + k - 1, k);
}
static ritt_real inner_slope_times(const ritt_real *u, const ritt_real *v, int k) {
  return rising(u + 1, v + k - 1, k - 1);
}

/* ---- powers ---- */

/* u^r where u_0 = 0 and r is a whole number: k r products of sums, which is rare */
static ritt_real whole_power(const ritt_real *u, int r, int k) {
  ritt_real w[64] = {1};
  for (int n = 0; n < r; n++)
    for (int j = k; j >= 0; j--) {
      ritt_real sum = 0;
      for (int i = 0; i <= j; i++) sum += w[i] * u[j - i];
      w[j] = sum;
    }
  return w[k];
}

/* u w' = r u' w */
static ritt_real power(const ritt_real *u, ritt_real r, const ritt_real *w, int k) {
  if (u[0] == 0 && r >= 0 && r <= 64 && r == RITTI_MATH(floor)(r) && k < 64)
    return whole_power(u, (int)r, k);
  ritt_real sum = 0;
  for (int i = 1; i <= k; i++) sum += (r * (ritt_real)i - (ritt_real)(k - i)) * u[i] * w[k - i];
  return sum / ((ritt_real)k * u[0]);
}

/* ---- tables: w = d_0 + s (d_1 + s (d_2 + ...)), s = u - u_0 ---- */

/* How many derivatives a table of this code has that do not vanish. */
static int table_degree(const ritti_series *S, ritt_real code) {
  int order = ritti_table_order((double)code);
  if (order == RITTI_TABLE_SLOPE) return 0;
  if (order == RITTI_TABLE_KNOT) return 1;
  int degree = S->tables[ritti_table_of_code((double)code)]->degree - order;
  return degree > 0 ? degree : 0;
}

static void begin_table(const ritti_series *S, ritt_real u, ritt_real code, int terms,
                        ritt_real *w) {
  int degree = table_degree(S, code);
  bool knots = ritti_table_order((double)code) == RITTI_TABLE_KNOT;
  ritt_real factorial = 1;
  for (int j = 0; j <= degree; j++, factorial *= (ritt_real)j)
    w[j * terms] =
        ritti_table_value(S->tables, knots ? code - 4 * (ritt_real)j : code + 4 * (ritt_real)j, u) /
        factorial;
}

static void advance_table(const ritti_series *S, const ritt_real *u, ritt_real code, int terms,
                          int k, ritt_real *w) {
  int degree = table_degree(S, code);
  for (int j = 0; j < degree; j++) w[j * terms + k] = fold(u + 1, w + (j + 1) * terms + k - 1, k);
  w[degree * terms + k] = 0;
}

/* ---- coefficient 0 ---- */

static void begin(const ritti_series *S, const ritti_series_step *c, int terms, ritt_real *value) {
  ritt_real *w = value + (size_t)c->out * (size_t)terms;
  const ritt_real a = value[(size_t)c->a * (size_t)terms], b = value[(size_t)c->b * (size_t)terms];
  switch ((ritti_series_operation)c->op) {
  case RITTI_SERIES_ADD:
  case RITTI_SERIES_SHIFT: w[0] = a + b; return;
  case RITTI_SERIES_SUBTRACT: w[0] = a - b; return;
  case RITTI_SERIES_REFLECT: w[0] = b - a; return;
  case RITTI_SERIES_MULTIPLY:
  case RITTI_SERIES_SQUARE:
  case RITTI_SERIES_SCALE: w[0] = a * b; return;
  case RITTI_SERIES_DIVIDE:
  case RITTI_SERIES_REDUCE: w[0] = a / b; return;
  case RITTI_SERIES_NEGATE: w[0] = -a; return;
  case RITTI_SERIES_SQRT: w[0] = RITTI_MATH(sqrt)(a); return;
  case RITTI_SERIES_POWER: w[0] = RITTI_MATH(pow)(a, b); return;
  case RITTI_SERIES_EXP: w[0] = RITTI_MATH(exp)(a); return;
  case RITTI_SERIES_LOG: w[0] = RITTI_MATH(log)(a); return;
  case RITTI_SERIES_SINCOS: w[0] = RITTI_MATH(sin)(a), w[terms] = RITTI_MATH(cos)(a); return;
  case RITTI_SERIES_SINHCOSH: w[0] = RITTI_MATH(sinh)(a), w[terms] = RITTI_MATH(cosh)(a); return;
  case RITTI_SERIES_TAN: w[0] = RITTI_MATH(tan)(a), w[terms] = 1 + w[0] * w[0]; return;
  case RITTI_SERIES_TANH: w[0] = RITTI_MATH(tanh)(a), w[terms] = 1 - w[0] * w[0]; return;
  case RITTI_SERIES_ATAN: w[0] = RITTI_MATH(atan)(a), w[terms] = 1 + a * a; return;
  case RITTI_SERIES_ASIN:
  case RITTI_SERIES_ACOS:
    w[0] = c->op == RITTI_SERIES_ASIN ? RITTI_MATH(asin)(a) : RITTI_MATH(acos)(a);
    w[terms] = (1 - a) * (1 + a);
    w[2 * terms] = RITTI_MATH(sqrt)(w[terms]);
    return;
  case RITTI_SERIES_ATAN2: w[0] = RITTI_MATH(atan2)(a, b), w[terms] = a * a + b * b; return;
  case RITTI_SERIES_ABS: w[0] = RITTI_MATH(fabs)(a); return;
  case RITTI_SERIES_SIGN: w[0] = a > 0 ? 1 : a < 0 ? -1 : a * 0; return;
  case RITTI_SERIES_STEP: w[0] = a > 0 ? 1 : a < 0 ? 0 : (ritt_real)0.5 + a; return;
  case RITTI_SERIES_FLOOR: w[0] = RITTI_MATH(floor)(a); return;
  case RITTI_SERIES_MIN: w[0] = a != a || a < b ? a : b; return;
  case RITTI_SERIES_MAX: w[0] = a != a || a > b ? a : b; return;
  case RITTI_SERIES_WHEN: w[0] = a > 0 ? b : a <= 0 ? 0 : a; return;
  case RITTI_SERIES_UNLESS: w[0] = a > 0 ? 0 : a <= 0 ? b : a; return;
  case RITTI_SERIES_TABLE: begin_table(S, a, b, terms, w); return;
  case RITTI_SERIES_COUNT: return;
  }
}

/* ---- coefficient k > 0 ---- */

/* w' = u' v and v' = sign u' w, v in the next slot */
static void advance_pair(ritt_real sign, const ritt_real *u, int terms, int k, ritt_real *w) {
  ritt_real *v = w + terms;
  w[k] = slope_times(u, v, k) / (ritt_real)k;
  v[k] = sign * slope_times(u, w, k) / (ritt_real)k;
}

/* w' = u' q, q = 1 + sign w^2 */
static void advance_tangent(ritt_real sign, const ritt_real *u, int terms, int k, ritt_real *w) {
  ritt_real *q = w + terms;
  w[k] = slope_times(u, q, k) / (ritt_real)k;
  q[k] = sign * (2 * w[0] * w[k] + inner_square(w, k));
}

/* w = the integral of p / q, coefficient k - 1 of p given */
static ritt_real integral(ritt_real p, const ritt_real *q, const ritt_real *w, int k) {
  return (p - inner_slope_times(w, q, k)) / ((ritt_real)k * q[0]);
}

static ritt_real root(const ritt_real *u, const ritt_real *w, int k) {
  return (u[k] - inner_square(w, k)) / (2 * w[0]);
}

/* w' = sign u' / sqrt(1 - u^2) */
static void advance_arc(ritt_real sign, const ritt_real *u, int terms, int k, ritt_real *w) {
  ritt_real *p = w + terms, *r = w + 2 * terms;
  p[k] = -(2 * u[0] * u[k] + inner_square(u, k));
  r[k] = root(p, r, k);
  w[k] = integral(sign * (ritt_real)k * u[k], r, w, k);
}

/* w' = (v u' - u v') / (u^2 + v^2) */
static void advance_angle(const ritt_real *u, const ritt_real *v, int terms, int k, ritt_real *w) {
  ritt_real *q = w + terms;
  q[k] = 2 * (u[0] * u[k] + v[0] * v[k]) + inner_square(u, k) + inner_square(v, k);
  w[k] = integral(slope_times(u, v, k) - slope_times(v, u, k), q, w, k);
}

static void advance(const ritti_series *S, const ritti_series_step *c, int terms, int k,
                    ritt_real *value) {
  ritt_real *w = value + (size_t)c->out * (size_t)terms;
  const ritt_real *u = value + (size_t)c->a * (size_t)terms,
                  *v = value + (size_t)c->b * (size_t)terms;
  switch ((ritti_series_operation)c->op) {
  case RITTI_SERIES_ADD: w[k] = u[k] + v[k]; return;
  case RITTI_SERIES_SUBTRACT: w[k] = u[k] - v[k]; return;
  case RITTI_SERIES_MULTIPLY: w[k] = fold(u, v + k, k + 1); return;
  case RITTI_SERIES_SQUARE: w[k] = 2 * u[0] * u[k] + inner_square(u, k); return;
  case RITTI_SERIES_DIVIDE: w[k] = (u[k] - fold(v + 1, w + k - 1, k)) / v[0]; return;
  case RITTI_SERIES_NEGATE:
  case RITTI_SERIES_REFLECT: w[k] = -u[k]; return;
  case RITTI_SERIES_SHIFT: w[k] = u[k]; return;
  case RITTI_SERIES_SCALE: w[k] = u[k] * v[0]; return;
  case RITTI_SERIES_REDUCE: w[k] = u[k] / v[0]; return;
  case RITTI_SERIES_SQRT: w[k] = root(u, w, k); return;
  case RITTI_SERIES_POWER: w[k] = power(u, v[0], w, k); return;
  case RITTI_SERIES_EXP: w[k] = slope_times(u, w, k) / (ritt_real)k; return;
  case RITTI_SERIES_LOG: w[k] = integral((ritt_real)k * u[k], u, w, k); return;
  case RITTI_SERIES_SINCOS: advance_pair(-1, u, terms, k, w); return;
  case RITTI_SERIES_SINHCOSH: advance_pair(1, u, terms, k, w); return;
  case RITTI_SERIES_TAN: advance_tangent(1, u, terms, k, w); return;
  case RITTI_SERIES_TANH: advance_tangent(-1, u, terms, k, w); return;
  case RITTI_SERIES_ATAN:
    w[terms + k] = 2 * u[0] * u[k] + inner_square(u, k);
    w[k] = integral((ritt_real)k * u[k], w + terms, w, k);
    return;
  case RITTI_SERIES_ASIN: advance_arc(1, u, terms, k, w); return;
  case RITTI_SERIES_ACOS: advance_arc(-1, u, terms, k, w); return;
  case RITTI_SERIES_ATAN2: advance_angle(u, v, terms, k, w); return;
  case RITTI_SERIES_ABS: w[k] = u[0] < 0 ? -u[k] : u[k]; return;
  case RITTI_SERIES_SIGN:
  case RITTI_SERIES_STEP:
  case RITTI_SERIES_FLOOR: w[k] = 0; return;
  case RITTI_SERIES_MIN: w[k] = u[0] < v[0] ? u[k] : v[k]; return;
  case RITTI_SERIES_MAX: w[k] = u[0] > v[0] ? u[k] : v[k]; return;
  case RITTI_SERIES_WHEN: w[k] = u[0] > 0 ? v[k] : 0; return;
  case RITTI_SERIES_UNLESS: w[k] = u[0] > 0 ? 0 : v[k]; return;
  case RITTI_SERIES_TABLE: advance_table(S, u, v[0], terms, k, w); return;
  case RITTI_SERIES_COUNT: return;
  }
}

static ritt_real constant_of(const ritti_series_constant *c, const ritt_real *work) {
  return c->place == UINT32_MAX ? c->value : work[c->place];
}

/* Constants have coefficients 0 from k = 1 on: the value begins as zeros, and nothing else is put
 * there. */
void ritti_series_run(const ritti_series *S, const ritt_real *work, int terms, int k,
                      ritt_real *value) {
  if (k > 0) {
    for (size_t i = S->once; i < S->count; i++) advance(S, &S->code[i], terms, k, value);
    return;
  }
  for (size_t i = 0; i < S->constants; i++)
    value[(size_t)S->constant[i].slot * (size_t)terms] = constant_of(&S->constant[i], work);
  for (size_t i = 0; i < S->count; i++) begin(S, &S->code[i], terms, value);
}

bool ritti_series_holds(const ritti_series *S, const ritt_real *work, int terms,
                        const ritt_real *value) {
  for (size_t i = 0; i < S->constants; i++)
    if (!(value[(size_t)S->constant[i].slot * (size_t)terms] == constant_of(&S->constant[i], work)))
      return false;
  return true;
}
