/* Random circuits of resistors, inductors, capacitors, diodes and MOSFETs in SI units against an
 * independent solution: the nodal equations, written down a second time in C, by the implicit Euler
 * method with extrapolation to steps of length 0, each step by a damped Newton iteration.
 *
 * Capacitors may lie between any two nodes, so that derivatives occur in differences. Node 1 is driven
 * by a sine behind a resistor; a tree of resistors joins all nodes to ground. MOSFETs follow the square
 * law, with drain and source exchanged if the voltage between them is negative.
 *
 * t_random_circuits [FIRST [LAST]]: these circuits; without arguments some of the 300.
 */
#include <stdarg.h>
#include "run.h"

enum { ALL = 300, SAMPLE = 24, MOST_NODES = 5, MOST_ELEMENTS = 12, MOST_UNKNOWNS = 12 };
static const double VT = 0.02585, THRESHOLD = 0.7;

typedef struct element {
  char kind; /* R, L, C, D, M */
  int a, b;  /* nodes, 0: ground; current flows from a to b */
  int gate;
  double value;
} element;

typedef struct circuit {
  int nodes, elements, coils;
  element element[MOST_ELEMENTS];
  double frequency, amplitude, resistance; /* of the source */
} circuit;

static unsigned long long state;

/* Uniform in [0, 1). */
static double draw(void) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(state >> 11) / 9007199254740992.0;
}

static int draw_below(int n) { return (int)(draw() * n); }

static double draw_power(double low, double high) { return pow(10, low + (high - low) * draw()); }

static circuit draw_circuit(int number) {
  static const char kinds[] = "RLCCDDM";
  circuit c = {0};
  state = (unsigned long long)number * 7919 + 17;
  for (int i = 0; i < 5; i++) draw();
  c.nodes = 2 + draw_below(4);
  c.frequency = draw_power(2, 5);
  c.amplitude = 1 + 9 * draw();
  c.resistance = draw_power(1, 3);
  for (int k = 1; k <= c.nodes; k++)
    c.element[c.elements++] = (element){'R', k, k > 1 ? draw_below(k) : 0, 0, draw_power(1, 5)};
  for (int more = 2 + draw_below(5); more > 0; more--) {
    element e = {.kind = kinds[draw_below(7)], .a = draw_below(c.nodes + 1)};
    e.b = (e.a + 1 + draw_below(c.nodes)) % (c.nodes + 1);
    e.gate = draw_below(c.nodes + 1);
    if (e.kind == 'R') e.value = draw_power(1, 5);
    if (e.kind == 'L') e.value = draw_power(-5, -2);
    if (e.kind == 'C') e.value = draw_power(-10, -6);
    if (e.kind == 'D') e.value = draw_power(-15, -9);
    if (e.kind == 'M') e.value = draw_power(-4, -2);
    c.coils += e.kind == 'L';
    c.element[c.elements++] = e;
  }
  return c;
}

/* ---- the model ---- */

typedef struct text {
  char at[20000];
  size_t length;
} text;

static void add(text *t, const char *format, ...) {
  va_list list;
  va_start(list, format);
  t->length += (size_t)vsnprintf(t->at + t->length, sizeof t->at - t->length, format, list);
  va_end(list);
}

/* The current of an element from a to b; v[0] is ground. */
static void add_current(text *t, const element *e, int number) {
  double x = e->value;
  if (e->kind == 'R') add(t, "(v[%d] - v[%d])/%.17g", e->a, e->b, x);
  if (e->kind == 'L') add(t, "i[%d]", number);
  if (e->kind == 'C') add(t, "%.17g*(v[%d]' - v[%d]')", x, e->a, e->b);
  if (e->kind == 'D') add(t, "%.17g*(exp((v[%d] - v[%d])/%.17g) - 1)", x, e->a, e->b, VT);
  if (e->kind == 'M')
    add(t, "%.17g*(max(v[%d] - v[%d] - %.17g, 0)^2 - max(v[%d] - v[%d] - %.17g, 0)^2)", x, e->gate,
        e->b, THRESHOLD, e->gate, e->a, THRESHOLD);
}

static void write_model(const circuit *c, text *t) {
  int coil = 0;
  add(t, "model circuit\nvariable v[0..%d]", c->nodes);
  if (c->coils) add(t, ", i[1..%d]", c->coils);
  add(t, "\nequation\n  v[0] = 0\n");
  for (int k = 1; k <= c->nodes; k++) {
    add(t, "  0");
    coil = 0;
    for (int n = 0; n < c->elements; n++) {
      const element *e = &c->element[n];
      coil += e->kind == 'L';
      if (e->a != k && e->b != k) continue;
      add(t, e->a == k ? " + " : " - ");
      add_current(t, e, coil);
    }
    if (k == 1)
      add(t, " = (%.17g*sin(2*pi*%.17g*t) - v[1])/%.17g\n", c->amplitude, c->frequency,
          c->resistance);
    else add(t, " = 0\n");
  }
  coil = 0;
  for (int n = 0; n < c->elements; n++) {
    const element *e = &c->element[n];
    if (e->kind == 'L') add(t, "  %.17g*i[%d]' = v[%d] - v[%d]\n", e->value, ++coil, e->a, e->b);
  }
  add(t, "start t = 0\n");
  if (c->coils) add(t, "  i = 0\n");
  add(t, "solve t = 0 .. %.17g\n  method radau5\n  tolerance 1e-7\n  tolerance v = 1e-7\n",
      2 / c->frequency);
  add(t, "output v\n");
}

/* ---- the independent solution ---- */

typedef struct system {
  const circuit *c;
  int n;                                  /* nodes, then coils */
  double Q[MOST_UNKNOWNS][MOST_UNKNOWNS]; /* Q y' + F(t, y) = 0 */
  double F[MOST_UNKNOWNS], J[MOST_UNKNOWNS][MOST_UNKNOWNS];
} system_of;

/* Adds a current from a to b that depends on the voltage of node k by the slope. */
static void add_slope(system_of *s, int a, int b, int k, double slope) {
  if (k == 0) return;
  if (a) s->J[a - 1][k - 1] += slope;
  if (b) s->J[b - 1][k - 1] -= slope;
}

static void fill_element(system_of *s, const element *e, int coil, const double *y) {
  double va = e->a ? y[e->a - 1] : 0, vb = e->b ? y[e->b - 1] : 0, u = va - vb, i = 0;
  if (e->kind == 'R') {
    i = u / e->value;
    add_slope(s, e->a, e->b, e->a, 1 / e->value);
    add_slope(s, e->a, e->b, e->b, -1 / e->value);
  }
  if (e->kind == 'D') {
    double x = fmin(u / VT, 80), g = e->value * exp(x) / VT;
    i = e->value * (exp(x) - 1) + g * (u - x * VT);
    add_slope(s, e->a, e->b, e->a, g);
    add_slope(s, e->a, e->b, e->b, -g);
  }
  if (e->kind == 'M') {
    double vg = e->gate ? y[e->gate - 1] : 0;
    double on = fmax(vg - vb - THRESHOLD, 0), off = fmax(vg - va - THRESHOLD, 0);
    i = e->value * (on * on - off * off);
    add_slope(s, e->a, e->b, e->gate, 2 * e->value * (on - off));
    add_slope(s, e->a, e->b, e->b, -2 * e->value * on);
    add_slope(s, e->a, e->b, e->a, 2 * e->value * off);
  }
  if (e->kind == 'L') {
    int j = s->c->nodes + coil - 1;
    i = y[j];
    if (e->a) s->J[e->a - 1][j] += 1;
    if (e->b) s->J[e->b - 1][j] -= 1;
    s->F[j] = -u;
    if (e->a) s->J[j][e->a - 1] -= 1;
    if (e->b) s->J[j][e->b - 1] += 1;
  }
  if (e->a) s->F[e->a - 1] += i;
  if (e->b) s->F[e->b - 1] -= i;
}

static void fill(system_of *s, double t, const double *y) {
  const circuit *c = s->c;
  int coil = 0;
  memset(s->F, 0, sizeof s->F);
  memset(s->J, 0, sizeof s->J);
  for (int n = 0; n < c->elements; n++) {
    coil += c->element[n].kind == 'L';
    fill_element(s, &c->element[n], coil, y);
  }
  s->F[0] -= (c->amplitude * sin(2 * acos(-1) * c->frequency * t) - y[0]) / c->resistance;
  s->J[0][0] += 1 / c->resistance;
}

static void make_charges(system_of *s) {
  int coil = 0;
  for (int n = 0; n < s->c->elements; n++) {
    const element *e = &s->c->element[n];
    if (e->kind == 'L') {
      int j = s->c->nodes + coil++;
      s->Q[j][j] = e->value;
    }
    if (e->kind != 'C') continue;
    if (e->a) s->Q[e->a - 1][e->a - 1] += e->value;
    if (e->b) s->Q[e->b - 1][e->b - 1] += e->value;
    if (e->a && e->b) s->Q[e->a - 1][e->b - 1] -= e->value;
    if (e->a && e->b) s->Q[e->b - 1][e->a - 1] -= e->value;
  }
}

/* Solves A x = b by elimination with row exchanges. */
static void solve(int n, double A[MOST_UNKNOWNS][MOST_UNKNOWNS], double *b) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k; i < n; i++)
      if (fabs(A[i][k]) > fabs(A[best][k])) best = i;
    for (int j = 0; j < n; j++) {
      double swap = A[k][j];
      A[k][j] = A[best][j];
      A[best][j] = swap;
    }
    double swap = b[k];
    b[k] = b[best];
    b[best] = swap;
    for (int i = k + 1; i < n; i++) {
      double factor = A[i][k] / A[k][k];
      for (int j = k; j < n; j++) A[i][j] -= factor * A[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) b[k] -= A[k][j] * b[j];
    b[k] /= A[k][k];
  }
}

/* One step of the implicit Euler method; false: Newton's method has not converged. */
static bool take_step(system_of *s, double t, double h, double *y) {
  enum { ROUNDS = 1000 };
  double before[MOST_UNKNOWNS], matrix[MOST_UNKNOWNS][MOST_UNKNOWNS], step[MOST_UNKNOWNS];
  memcpy(before, y, sizeof before);
  for (int round = 0; round < ROUNDS; round++) {
    double most = 0;
    bool small = true;
    fill(s, t, y);
    for (int i = 0; i < s->n; i++) {
      step[i] = -s->F[i];
      for (int j = 0; j < s->n; j++) {
        step[i] -= s->Q[i][j] * (y[j] - before[j]) / h;
        matrix[i][j] = s->Q[i][j] / h + s->J[i][j];
      }
    }
    solve(s->n, matrix, step);
    for (int i = 0; i < s->c->nodes; i++) most = fmax(most, fabs(step[i]));
    double part = most > 0.5 ? 0.5 / most : 1;
    for (int i = 0; i < s->n; i++) {
      y[i] += part * step[i];
      small = small && fabs(step[i]) <= 1e-10 * (1e-3 + fabs(y[i]));
    }
    if (small) return true;
  }
  return false;
}

/* The voltages at the end by N, 2 N and 4 N steps, extrapolated; *error: how much the last
 * extrapolation has changed. false: no solution. */
static bool solve_circuit_by(int N, const circuit *c, double *v, double *error) {
  double table[3][MOST_UNKNOWNS], end = 2 / c->frequency;
  system_of s = {.c = c, .n = c->nodes + c->coils};
  make_charges(&s);
  for (int k = 0; k < 3; k++) {
    double y[MOST_UNKNOWNS] = {0};
    int steps = N << k;
    for (int i = 1; i <= steps; i++)
      if (!take_step(&s, end * i / steps, end / steps, y)) return false;
    memcpy(table[k], y, sizeof y);
  }
  *error = 0;
  for (int i = 0; i < c->nodes; i++) {
    double first = 2 * table[1][i] - table[0][i], second = 2 * table[2][i] - table[1][i];
    v[i] = (4 * second - first) / 3;
    *error = fmax(*error, fabs(v[i] - second));
  }
  return true;
}

/* Resonances with little damping need more steps than others. */
static bool solve_circuit(const circuit *c, double *v, double *error) {
  if (!solve_circuit_by(8000, c, v, error)) return false;
  return *error < 1e-3 || solve_circuit_by(128000, c, v, error);
}

/* ---- one circuit ---- */

static void check_circuit(int number) {
  circuit c = draw_circuit(number);
  static text t;
  double v[MOST_UNKNOWNS] = {0}, error = 0, worst = 0;
  t.length = 0;
  write_model(&c, &t);
  run *r = run_text(t.at);
  bool solved = solve_circuit(&c, v, &error);
  CHECK(solved);
  if (!run_go(r, NULL)) {
    printf("circuit %d\n%s", number, t.at);
    run_free(r);
    return;
  }
  for (int k = 1; k <= c.nodes && solved; k++) {
    char name[16];
    snprintf(name, sizeof name, "v[%d]", k);
    worst = fmax(worst, fabs(run_last(r, name) - v[k - 1]));
  }
  bool right = worst <= 2e-4 + 5 * error && error < 0.05;
  CHECK(right);
  if (!right) printf("circuit %d: off by %.1e, reference by %.1e\n%s", number, worst, error, t.at);
  run_free(r);
}

int main(int count, char **word) {
  int first = count > 1 ? atoi(word[1]) : 0, last = count > 2 ? atoi(word[2]) : first;
  if (count > 1)
    for (int i = first; i <= last; i++) check_circuit(i);
  else
    for (int i = 0; i < SAMPLE; i++) check_circuit(i * ALL / SAMPLE);
  return CHECKS_DONE();
}
