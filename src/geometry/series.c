/* Power series, coefficient by coefficient: every operation by the recurrence that its differential
 * equation gives (R. E. Moore, Interval Analysis, 1966, chapter 11; A. Griewank, A. Walther,
 * Evaluating Derivatives, 2nd ed. 2008, chapter 13). Those of the functions come from their
 * derivatives, for which the program has slots.
 *
 * In: a program, the row of a problem's work, coefficients of the coordinates. Out: the same of all
 * slots. Below w = the result, u and v = the operands, and a coefficient k > 0 is found from those
 * below it and from the operands' up to k. Kinks (abs, min, floor, ...) take the side on which
 * coefficient 0 lies.
 */
#include "geometry/series.h"

/* sum_{i<n} a_i b_{-i}; two sums, so that they do not wait for each other */
static ritt_real fold_product(const ritt_real *a, const ritt_real *b, int n) {
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
static ritt_real fold_rising(const ritt_real *a, const ritt_real *b, int n) {
  ritt_real even = 0, odd = 0, j = 1;
  int i = 0;
  for (; i + 1 < n; i += 2, j += 2) {
    even += j * a[i] * b[-i];
    odd += (j + 1) * a[i + 1] * b[-i - 1];
  }
  if (i < n) even += j * a[i] * b[-i];
  return even + odd;
}

/* coefficient k of u u, except for what u_k contributes: k > 0 */
static ritt_real inner_square(const ritt_real *u, int k) {
  ritt_real sum = 2 * fold_product(u + 1, u + k - 1, (k - 1) / 2);
  return k % 2 ? sum : sum + u[k / 2] * u[k / 2];
}

/* coefficient k - 1 of u' v, and of u' v with u_k left out */
static ritt_real slope_times(const ritt_real *u, const ritt_real *v, int k) {
  return fold_rising(u + 1, v + k - 1, k);
}
static ritt_real inner_slope_times(const ritt_real *u, const ritt_real *v, int k) {
  return fold_rising(u + 1, v + k - 1, k - 1);
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
static ritt_real power_coefficient(const ritt_real *u, ritt_real r, const ritt_real *w, int k) {
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
  for (int j = 0; j < degree; j++)
    w[j * terms + k] = fold_product(u + 1, w + (j + 1) * terms + k - 1, k);
  w[degree * terms + k] = 0;
}

/* ---- coefficient 0 ---- */

static void begin_step(const ritti_series *S, const ritti_series_step *c, int terms,
                       ritt_real *value) {
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
  case RITTI_SERIES_POWER: w[0] = RITTI_ELEMENTARY(pow)(a, b); return;
  case RITTI_SERIES_MIN: w[0] = a != a || a < b ? a : b; return;
  case RITTI_SERIES_MAX: w[0] = a != a || a > b ? a : b; return;
  case RITTI_SERIES_WHEN: w[0] = a > 0 ? b : a <= 0 ? 0 : a; return;
  case RITTI_SERIES_UNLESS: w[0] = a > 0 ? 0 : a <= 0 ? b : a; return;
  case RITTI_SERIES_TABLE: begin_table(S, a, b, terms, w); return;
#define BEGIN(id, value)                                                                           \
  case RITTI_SERIES_##id: {                                                                        \
    w[0] = value;                                                                                  \
    return;                                                                                        \
  }
#define RITTI_FUNCTION(id, name, at, is, p, r)         BEGIN(id, RITTI_ELEMENTARY(name)(a))
#define RITTI_FUNCTION2(id, name, pu, pv, r)           BEGIN(id, RITTI_ELEMENTARY(name)(a, b))
#define RITTI_SWITCH(id, text, language, value, slope) BEGIN(id, value)
#include "base/functions.def"
  }
}

/* ---- coefficient k > 0 ---- */

static ritt_real root_coefficient(const ritt_real *u, const ritt_real *w, int k) {
  return (u[k] - inner_square(w, k)) / (2 * w[0]);
}

/* r w' = p u' + q v' */
static ritt_real function_coefficient(const ritti_series_step *c, int terms, int k,
                                      const ritt_real *value) {
  const size_t n = (size_t)terms;
  const ritt_real *u = value + c->a * n, *v = value + c->b * n;
  ritt_real sum = (ritt_real)k * u[k];
  if (c->p != RITTI_SERIES_NONE) sum = slope_times(u, value + c->p * n, k);
  if (c->q != RITTI_SERIES_NONE) sum += slope_times(v, value + c->q * n, k);
  if (c->r == RITTI_SERIES_NONE) return sum / (ritt_real)k;

  /* w = the integral of p / q, coefficient k - 1 of p given */
  const ritt_real *q = value + c->r * n;
  const ritt_real *w = value + c->out * n;
  return (sum - inner_slope_times(w, q, k)) / ((ritt_real)k * q[0]);
}

/* abs follows its argument with the sign of coefficient 0; the other switches are constant */
static ritt_real beside_jumps(uint32_t op, const ritt_real *u, int k) {
  if (op != RITTI_SERIES_ABS) return 0;
  return u[0] < 0 ? -u[k] : u[k];
}

static void advance_step(const ritti_series *S, const ritti_series_step *c, int terms, int k,
                         ritt_real *value) {
  ritt_real *w = value + (size_t)c->out * (size_t)terms;
  const ritt_real *u = value + (size_t)c->a * (size_t)terms,
                  *v = value + (size_t)c->b * (size_t)terms;
  switch ((ritti_series_operation)c->op) {
  case RITTI_SERIES_ADD: w[k] = u[k] + v[k]; return;
  case RITTI_SERIES_SUBTRACT: w[k] = u[k] - v[k]; return;
  case RITTI_SERIES_MULTIPLY: w[k] = fold_product(u, v + k, k + 1); return;
  case RITTI_SERIES_SQUARE: w[k] = 2 * u[0] * u[k] + inner_square(u, k); return;
  case RITTI_SERIES_DIVIDE: w[k] = (u[k] - fold_product(v + 1, w + k - 1, k)) / v[0]; return;
  case RITTI_SERIES_NEGATE:
  case RITTI_SERIES_REFLECT: w[k] = -u[k]; return;
  case RITTI_SERIES_SHIFT: w[k] = u[k]; return;
  case RITTI_SERIES_SCALE: w[k] = u[k] * v[0]; return;
  case RITTI_SERIES_REDUCE: w[k] = u[k] / v[0]; return;
  case RITTI_SERIES_SQRT: w[k] = root_coefficient(u, w, k); return;
  case RITTI_SERIES_POWER: w[k] = power_coefficient(u, v[0], w, k); return;
  case RITTI_SERIES_MIN: w[k] = u[0] < v[0] ? u[k] : v[k]; return;
  case RITTI_SERIES_MAX: w[k] = u[0] > v[0] ? u[k] : v[k]; return;
  case RITTI_SERIES_WHEN: w[k] = u[0] > 0 ? v[k] : 0; return;
  case RITTI_SERIES_UNLESS: w[k] = u[0] > 0 ? 0 : v[k]; return;
  case RITTI_SERIES_TABLE: advance_table(S, u, v[0], terms, k, w); return;
#define ADVANCE(id, coefficient)                                                                   \
  case RITTI_SERIES_##id: {                                                                        \
    w[k] = coefficient;                                                                            \
    return;                                                                                        \
  }
#define RITTI_FUNCTION(id, name, at, is, p, r)           ADVANCE(id, function_coefficient(c, terms, k, value))
#define RITTI_FUNCTION2(id, name, pu, pv, r)             ADVANCE(id, function_coefficient(c, terms, k, value))
#define RITTI_SWITCH(id, text, language, formula, slope) ADVANCE(id, beside_jumps(c->op, u, k))
#include "base/functions.def"
  }
}

static ritt_real constant_of(const ritti_series_constant *c, const ritt_real *work) {
  return c->place == RITTI_SERIES_NONE ? c->value : work[c->place];
}

/* Constants have coefficients 0 from k = 1 on: the value begins as zeros, and nothing else is put
 * there. */
void ritti_series_run(const ritti_series *S, const ritt_real *work, int terms, int k,
                      ritt_real *value) {
  if (k > 0) {
    for (size_t i = S->once; i < S->count; i++) advance_step(S, &S->code[i], terms, k, value);
    return;
  }
  for (size_t i = 0; i < S->constants; i++)
    value[(size_t)S->constant[i].slot * (size_t)terms] = constant_of(&S->constant[i], work);
  for (size_t i = 0; i < S->count; i++) begin_step(S, &S->code[i], terms, value);
}

bool ritti_series_holds(const ritti_series *S, const ritt_real *work, int terms,
                        const ritt_real *value) {
  for (size_t i = 0; i < S->constants; i++)
    if (!(value[(size_t)S->constant[i].slot * (size_t)terms] == constant_of(&S->constant[i], work)))
      return false;
  return true;
}
