/* Every operation on power series against closed forms: the series of elementary functions of s,
 * and, with random series inside, the identities that join an operation to others. */
#include "check.h"
#include "geometry/series.h"

enum { TERMS = 31, SLOTS = 24 };

static ritt_real value[SLOTS * TERMS];
static ritt_real *const u = value, *const v = value + TERMS; /* the two coordinates */

/* ---- a program: an operation, and what the derivative of a function is made of ---- */

static ritti_series_step code[SLOTS];
static ritti_series_constant constant[SLOTS];
static uint32_t steps, constants, slots;

static uint32_t put_number(ritt_real number) {
  constant[constants++] = (ritti_series_constant){slots, RITTI_SERIES_NONE, number};
  return slots++;
}

static uint32_t put(ritti_series_operation op, uint32_t a, uint32_t b) {
  if (a == RITTI_SERIES_NONE) a = put_number(1);
  code[steps++] =
      (ritti_series_step){op, slots, a, b, RITTI_SERIES_NONE, RITTI_SERIES_NONE, RITTI_SERIES_NONE};
  return slots++;
}

#define NUMBER(n)   put_number(n)
#define ONE         RITTI_SERIES_NONE
#define PI          put_number(RITTI_PI_NUMBER)
#define PLUS(x, y)  put(RITTI_SERIES_ADD, x, y)
#define MINUS(x, y) put(RITTI_SERIES_SUBTRACT, x, y)
#define TIMES(x, y) put(RITTI_SERIES_MULTIPLY, x, y)
#define NEGATE(x)   put(RITTI_SERIES_NEGATE, x, x)
#define SQUARE(x)   put(RITTI_SERIES_SQUARE, x, x)
#define SQRT(x)     put(RITTI_SERIES_SQRT, x, x)
#define CALL(id, x) put_function(RITTI_SERIES_##id, x, x)

static uint32_t put_function(ritti_series_operation op, uint32_t slot_u, uint32_t slot_v) {
  for (uint32_t i = 0; i < steps; i++)
    if (code[i].op == op && code[i].a == slot_u) return code[i].out;
  uint32_t place = steps, f = put(op, slot_u, slot_v);
  switch (op) {
#define SLOPES(id, first, second, below)                                                           \
  case RITTI_SERIES_##id: {                                                                        \
    code[place].p = first;                                                                         \
    code[place].q = second;                                                                        \
    code[place].r = below;                                                                         \
    break;                                                                                         \
  }
#define u                                      slot_u
#define v                                      slot_v
#define RITTI_FUNCTION(id, name, at, is, p, r) SLOPES(id, p, RITTI_SERIES_NONE, r)
#define RITTI_FUNCTION2(id, name, pu, pv, r)   SLOPES(id, pu, pv, r)
#define RITTI_SWITCH(id, text, language, formula, slope)
#include "base/functions.def"
#undef u
#undef v
  default: break;
  }
  return f;
}
#undef ONE

/* Runs one operation on the coordinates; b: slot of the second operand, 2: the number. */
static const ritt_real *apply(ritti_series_operation op, uint32_t b, ritt_real number,
                              const ritti_table *const *tables) {
  steps = constants = 0, slots = 2;
  put_number(number);
  uint32_t out = put_function(op, 0, b);
  ritti_series S = {.slots = SLOTS,
                    .constant = constant,
                    .constants = constants,
                    .code = code,
                    .count = steps,
                    .tables = tables};
  for (int i = 2 * TERMS; i < SLOTS * TERMS; i++) value[i] = 0;
  for (int k = 0; k < TERMS; k++) ritti_series_run(&S, NULL, TERMS, k, value);
  CHECK(ritti_series_holds(&S, NULL, TERMS, value));
  return value + out * TERMS;
}
#define ONE(op)          apply(RITTI_SERIES_##op, 0, 0, NULL)
#define TWO(op)          apply(RITTI_SERIES_##op, 1, 0, NULL)
#define WITH(op, number) apply(RITTI_SERIES_##op, 2, number, NULL)

static void line(ritt_real *w, ritt_real c0, ritt_real c1) {
  for (int k = 0; k < TERMS; k++) w[k] = k == 0 ? c0 : k == 1 ? c1 : 0;
}

/* terms that shrink like 2^-k, and are small against the first, so that roots and inverses keep
 * their digits */
static void random_series(ritt_real *w, ritt_real c0) {
  ritt_real size = 1;
  for (int k = 0; k < TERMS; k++, size /= 2)
    w[k] = k == 0 ? c0 : (ritt_real)check_random() * size / 8;
}

static void near(const char *what, int k, ritt_real a, ritt_real b, ritt_real size) {
  bool good = RITTI_MATH(fabs)(a - b) <= 400 * RITTI_EPS * (RITTI_MATH(fabs)(b) + size);
  if (!good) printf("%s: coefficient %d is %.17g, not %.17g\n", what, k, (double)a, (double)b);
  CHECK(good);
}

static void copy(ritt_real *to, const ritt_real *from) { memcpy(to, from, TERMS * sizeof *to); }

static void times(const ritt_real *a, const ritt_real *b, ritt_real *out) {
  for (int k = 0; k < TERMS; k++) {
    out[k] = 0;
    for (int i = 0; i <= k; i++) out[k] += a[i] * b[k - i];
  }
}

static void same(const char *what, const ritt_real *a, const ritt_real *b) {
  ritt_real size = 1;
  for (int k = 0; k < TERMS; k++, size *= (ritt_real)0.8) near(what, k, a[k], b[k], size);
}

/* ---- closed forms ---- */

static void test_closed_forms(void) {
  const ritt_real *w;
  ritt_real c;
  int k;
  line(u, 0, 1);
  for (w = ONE(EXP), k = 0, c = 1; k < TERMS; c /= (ritt_real)++k) near("exp", k, w[k], c, 0);
  for (w = ONE(SIN), k = 0, c = 1; k < TERMS; c /= (ritt_real)++k)
    near("sin", k, w[k], k % 4 == 1 ? c : k % 4 == 3 ? -c : 0, 0);
  for (w = ONE(COS), k = 0, c = 1; k < TERMS; c /= (ritt_real)++k)
    near("cos", k, w[k], k % 4 == 0 ? c : k % 4 == 2 ? -c : 0, 0);
  for (w = ONE(SINH), k = 0, c = 1; k < TERMS; c /= (ritt_real)++k)
    near("sinh", k, w[k], k % 2 ? c : 0, 0);
  for (w = ONE(COSH), k = 0, c = 1; k < TERMS; c /= (ritt_real)++k)
    near("cosh", k, w[k], k % 2 ? 0 : c, 0);
  for (w = ONE(ATAN), k = 0; k < TERMS; k++)
    near("atan", k, w[k], k % 2 ? (ritt_real)(k % 4 == 1 ? 1 : -1) / (ritt_real)k : 0, 0);
  /* (2j)! / (4^j j!^2 (2j + 1)) */
  for (w = ONE(ASIN), k = 1, c = 1; k < TERMS; c *= (ritt_real)k / (ritt_real)(k + 1), k += 2)
    near("asin", k, w[k], c / (ritt_real)k, 0), near("asin", k - 1, w[k - 1], 0, 0);
  for (w = ONE(ACOS), k = 1, c = 1; k < TERMS; c *= (ritt_real)k / (ritt_real)(k + 1), k += 2)
    near("acos", k, w[k], -c / (ritt_real)k, 0);
  /* Bernoulli numbers: 2^2n (2^2n - 1) |B_2n| / (2n)! */
  static const ritt_real tangent[][2] = {{1, 1},     {1, 3},         {2, 15},         {17, 315},
                                         {62, 2835}, {1382, 155925}, {21844, 6081075}};
  for (w = ONE(TAN), k = 1; k < 14; k += 2)
    near("tan", k, w[k], tangent[k / 2][0] / tangent[k / 2][1], 0);
  for (w = ONE(TANH), k = 1; k < 14; k += 2)
    near("tanh", k, w[k], (k % 4 == 1 ? 1 : -1) * tangent[k / 2][0] / tangent[k / 2][1], 0);
  /* 2/sqrt(pi) (-1)^j / (j! (2j + 1)) */
  const ritt_real gauss = 2 / RITTI_MATH(sqrt)(RITTI_PI_NUMBER);
  for (w = ONE(ERF), k = 0, c = gauss; k < TERMS; k += 2, c /= -(ritt_real)(k / 2)) {
    near("erf", k, w[k], 0, 0);
    if (k + 1 < TERMS) near("erf", k + 1, w[k + 1], c / (ritt_real)(k + 1), 0);
  }
  for (w = ONE(ERFC), k = 0, c = gauss; k < TERMS; k += 2, c /= -(ritt_real)(k / 2)) {
    near("erfc", k, w[k], k == 0, 0);
    if (k + 1 < TERMS) near("erfc", k + 1, w[k + 1], -c / (ritt_real)(k + 1), 0);
  }
  line(u, 1, 1);
  for (w = ONE(LOG), k = 1; k < TERMS; k++)
    near("log", k, w[k], (ritt_real)(k % 2 ? 1 : -1) / (ritt_real)k, 0);
  for (w = ONE(LOG2), k = 1; k < TERMS; k++)
    near("log2", k, w[k], (ritt_real)(k % 2 ? 1 : -1) / (ritt_real)k / RITTI_MATH(log)(2), 0);
  for (w = ONE(LOG10), k = 1; k < TERMS; k++)
    near("log10", k, w[k], (ritt_real)(k % 2 ? 1 : -1) / (ritt_real)k / RITTI_MATH(log)(10), 0);
  for (w = ONE(CBRT), k = 0, c = 1; k < TERMS;
       c *= ((ritt_real)1 / 3 - (ritt_real)k) / (ritt_real)(k + 1), k++)
    near("cbrt", k, w[k], c, 0);
  for (w = ONE(SQRT), k = 0, c = 1; k < TERMS;
       c *= ((ritt_real)0.5 - (ritt_real)k) / (ritt_real)(k + 1), k++)
    near("sqrt", k, w[k], c, 0);
  const ritt_real r = RITTI_D(-2.375);
  for (w = WITH(POWER, r), k = 0, c = 1; k < TERMS;
       c *= (r - (ritt_real)k) / (ritt_real)(k + 1), k++)
    near("power", k, w[k], c, 0);
  for (w = WITH(POWER, 5), k = 0, c = 1; k < TERMS;
       c *= (ritt_real)(5 - k) / (ritt_real)(k + 1), k++)
    near("fifth power", k, w[k], c, 0);
  /* 1/(1 - s), then (1 + s)^5 with s^5 from u_0 = 0 */
  line(v, 1, -1), line(u, 1, 0);
  for (w = TWO(DIVIDE), k = 0; k < TERMS; k++) near("quotient", k, w[k], 1, 0);
  line(u, 0, 1), u[2] = 1;
  static const int binomial[] = {1, 5, 10, 10, 5, 1};
  for (w = WITH(POWER, 5), k = 0; k < TERMS; k++)
    near("power of 0", k, w[k], k >= 5 && k <= 10 ? (ritt_real)binomial[k - 5] : 0, 0);
  for (w = WITH(POWER, 0), k = 0; k < TERMS; k++) near("power 0 of 0", k, w[k], k == 0, 0);
}

/* ---- identities, with random series inside ---- */

static void test_identities(void) {
  static ritt_real a[TERMS], b[TERMS], c[TERMS], d[TERMS], one[TERMS];
  one[0] = 1;
  random_series(u, RITTI_D(0.4));
  random_series(v, RITTI_D(0.9));
  copy(a, u), copy(b, v);
  times(a, b, c);
  same("product", TWO(MULTIPLY), c);
  times(a, a, c);
  same("square", ONE(SQUARE), c);
  copy(c, TWO(DIVIDE)), times(c, b, d);
  same("quotient", d, a);
  copy(c, ONE(SQRT)), times(c, c, d);
  same("root", d, a);
  copy(c, ONE(EXP)), copy(u, c);
  same("log exp", ONE(LOG), a);
  copy(u, a);
  copy(c, ONE(SIN)), copy(d, ONE(COS)), copy(u, c), copy(v, d);
  same("atan2(sin, cos)", TWO(ATAN2), a);
  same("asin(sin)", ONE(ASIN), a);
  copy(u, d);
  same("acos(cos)", ONE(ACOS), a);
  copy(u, c), copy(c, TWO(DIVIDE)), copy(u, a);
  same("tan = sin/cos", ONE(TAN), c);
  copy(u, c);
  same("atan(tan)", ONE(ATAN), a);
  copy(u, a), copy(c, ONE(SINH)), copy(v, ONE(COSH)), copy(u, c), copy(c, TWO(DIVIDE)), copy(u, a);
  same("tanh = sinh/cosh", ONE(TANH), c);
  copy(u, a), copy(v, b), copy(c, TWO(HYPOT)), times(c, c, d), times(a, a, c), times(b, b, one);
  for (int k = 0; k < TERMS; k++) c[k] += one[k];
  same("hypot squared", d, c);
  copy(c, ONE(CBRT)), times(c, c, d), times(d, c, one);
  same("cbrt cubed", one, a);
  /* u^(1/3) cubed */
  copy(c, WITH(POWER, (ritt_real)1 / 3)), times(c, c, d), times(d, c, one);
  same("third root", one, a);
  copy(v, b);
}

/* sums, constants, and the sides of kinks */
static void test_simple(void) {
  static ritt_real c[TERMS];
  random_series(u, RITTI_D(-0.4));
  random_series(v, RITTI_D(0.9));
  for (int k = 0; k < TERMS; k++) c[k] = u[k] + v[k];
  same("sum", TWO(ADD), c);
  for (int k = 0; k < TERMS; k++) c[k] = u[k] - v[k];
  same("difference", TWO(SUBTRACT), c);
  for (int k = 0; k < TERMS; k++) c[k] = -u[k];
  same("negative", ONE(NEGATE), c);
  same("abs", ONE(ABS), c);
  c[0] += 3;
  same("reflect", WITH(REFLECT, 3), c);
  for (int k = 0; k < TERMS; k++) c[k] = u[k] + (k == 0 ? 3 : 0);
  same("shift", WITH(SHIFT, 3), c);
  for (int k = 0; k < TERMS; k++) c[k] = u[k] * 3;
  same("scale", WITH(SCALE, 3), c);
  for (int k = 0; k < TERMS; k++) c[k] = u[k] / 3;
  same("reduce", WITH(REDUCE, 3), c);
  same("min", TWO(MIN), u);
  same("max", TWO(MAX), v);
  same("unless", TWO(UNLESS), v);
  line(c, 0, 0);
  same("when", TWO(WHEN), c);
  same("step", ONE(STEP), c);
  line(c, -1, 0);
  same("sign", ONE(SIGN), c);
  same("floor", ONE(FLOOR), c);
  line(c, 0, 0);
  same("ceil", ONE(CEIL), c);
  same("round", ONE(ROUND), c);
}

/* The table of s^3 - s on two pieces, and its derivatives; the number of a knot. */
static void test_tables(void) {
  static const double knot[] = {-1, 1, 4}, coefficient[] = {0, 2, -3, 1, 0, 2, 3, 1};
  static const ritti_table table = {.name = "p",
                                    .degree = 3,
                                    .pieces = 2,
                                    .knot = knot,
                                    .base = knot,
                                    .coefficient = coefficient};
  const ritti_table *const tables[] = {&table};
  static ritt_real square[TERMS], cube[TERMS], c[TERMS], zero[TERMS];
  for (int piece = 0; piece < 2; piece++) {
    random_series(u, piece ? RITTI_D(1.75) : RITTI_D(-0.375));
    times(u, u, square), times(square, u, cube);
    for (int order = 0; order < 5; order++) {
      for (int k = 0; k < TERMS; k++)
        c[k] = order == 0   ? cube[k] - u[k]
               : order == 1 ? 3 * square[k] - (k == 0)
               : order == 2 ? 6 * u[k]
               : order == 3 ? 6 * (ritt_real)(k == 0)
                            : 0;
      same("table",
           apply(RITTI_SERIES_TABLE, 2, (ritt_real)ritti_table_code(0, order, RITTI_TABLE_ANY),
                 tables),
           c);
    }
    const ritt_real *w =
        apply(RITTI_SERIES_TABLE, 2,
              (ritt_real)ritti_table_code(0, RITTI_TABLE_SLOPE, RITTI_TABLE_ANY), tables);
    CHECK(RITTI_MATH(fabs)(w[0]) > 0);
    line(c, w[0], 0);
    same("slope", w, c);
    for (int k = 1; k < TERMS; k++) zero[k] = u[k] * c[0];
    w = apply(RITTI_SERIES_TABLE, 2,
              (ritt_real)ritti_table_code(0, RITTI_TABLE_KNOT, RITTI_TABLE_ANY), tables);
    zero[0] = w[0];
    same("knot", w, zero);
  }
}

int main(void) {
  test_closed_forms();
  for (int i = 0; i < 20; i++) test_identities();
  test_simple();
  test_tables();
  return CHECKS_DONE();
}
