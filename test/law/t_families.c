/* Random systems of known truth, by family: linear systems with constant coefficients of random
 * Kronecker structure, circuits, pin-jointed frameworks, and linear systems under nonlinear changes
 * of variables. Verdict, free initial values and index come from ranks modulo a prime
 * (test/linear_system.h; for frameworks from the rank of the lengths' derivatives) and from the
 * construction, never from the completion.
 *
 * t_families [FAMILY|all [FIRST [LAST]]]: systems FIRST to LAST of a family; one alone is printed.
 * Without arguments a sample of each family; the environment variable RITT_SAMPLE says which one.
 * `./do random` counts thousands of each. */
#include <stdlib.h>
#include <time.h>
#include "linear_system.h"
#include "run.h"

static const double END = 0.5;
enum { SAMPLE = CHECK_SLOW ? 5 : 20, MODEL = LINEAR_MOST * LINEAR_TEXT };

/* ---- choices ---- */

static int pick(int count) {
  int i = (int)((check_random() + 1) / 2 * count);
  return i < count ? i : count - 1;
}
static bool chance(double p) { return (check_random() + 1) / 2 < p; }
static int nonzero(int most) { return (1 + pick(most)) * (chance(0.5) ? 1 : -1); }
static residue random_residue(void) {
  (void)check_random();
  return check_seed % (MOD_PRIME - 1) + 1;
}

static linear_number number(long a) { return (linear_number){a, 1, 0}; }
static linear_number fraction(long a, long b) { return (linear_number){a, b, 0}; }

/* What a member of a family is: as it is, with equations that follow from the others, with one that
 * contradicts them, with too few. */
typedef enum { PLAIN, REDUNDANT, CONTRADICTORY, OPEN } treatment;

static treatment pick_treatment(void) {
  int kind = pick(100);
  return kind < 50 ? PLAIN : kind < 67 ? REDUNDANT : kind < 84 ? CONTRADICTORY : OPEN;
}

/* A member: its text and its truth. */
typedef struct member {
  char text[MODEL];
  linear_verdict verdict;
  int free_values, index, hidden; /* -1: not defined */
  bool no_real_point; /* nobody needs to decide it, but it must not be called determined */
  int columns; /* 0: nothing is run; else a run to END from the start of a solution ends there */
  double end[LINEAR_MOST];
} member;

static void begin_text(member *m, const linear_system *S) {
  m->text[0] = 0;
  linear_write(m->text, MODEL, "model member\nvariable ");
  for (int j = 0; j < S->unknowns; j++)
    linear_write(m->text, MODEL, "%s%s", j ? ", " : "", S->name[j]);
}

static void write_equations(member *m, const linear_system *S) {
  linear_write(m->text, MODEL, "\nequation\n");
  for (int i = 0; i < S->equations; i++)
    linear_write(m->text, MODEL, "  %s = 0\n", *S->equation[i] ? S->equation[i] : "0");
}

static void take_truth(member *m, const linear_system *S) {
  m->verdict = S->verdict;
  m->free_values = S->free_values;
  m->index = S->index;
  m->hidden = S->hidden;
}

static void write_linear(member *m, linear_system *S, int most) {
  begin_text(m, S);
  write_equations(m, S);
  linear_write(m->text, MODEL, "start t = 0\n");
  linear_find_truth(S, most);
  take_truth(m, S);
}

/* ---- pencils: E v' + A v = f with random Kronecker structure ---- */

enum { PENCIL_MOST = 40 };

typedef struct pencil {
  int n, m;
  long E[PENCIL_MOST][PENCIL_MOST], A[PENCIL_MOST][PENCIL_MOST]; /* blocks, not mixed */
  long solution[PENCIL_MOST][LINEAR_BASIS];
  long forcing[PENCIL_MOST][LINEAR_BASIS];
  long P[PENCIL_MOST][PENCIL_MOST], Q[PENCIL_MOST][PENCIL_MOST]; /* rows P (.) , v = Q x */
  int nilpotent, finite; /* largest nilpotent block; unknowns in blocks of differential equations */
} pencil;

/* v' = J v + g */
static void add_ode(pencil *p, int size) {
  for (int i = 0; i < size; i++) {
    p->E[p->m + i][p->n + i] = 1;
    for (int j = 0; j < size; j++)
      if (i == j || chance(0.5)) p->A[p->m + i][p->n + j] = pick(5) - 2;
  }
  p->finite += size;
  p->m += size;
  p->n += size;
}

/* v1 = g1, v2 + v1' = g2, ..., and with one more equation v_size' = g */
static void add_chain(pencil *p, int size, bool one_more) {
  for (int i = 0; i < size; i++) {
    p->A[p->m + i][p->n + i] = 1;
    p->E[p->m + i + 1][p->n + i] = i + 1 < size || one_more;
  }
  if (!one_more && size > p->nilpotent) p->nilpotent = size;
  p->m += size + one_more;
  p->n += size;
}

/* v1' = v2, ..., v_size' = v_(size+1): one unknown too many */
static void add_open_chain(pencil *p, int size) {
  for (int i = 0; i < size; i++) {
    p->E[p->m + i][p->n + i] = 1;
    p->A[p->m + i][p->n + i + 1] = -1;
  }
  p->m += size;
  p->n += size + 1;
}

/* f = E v*' + A v* */
static void force_solution(pencil *p) {
  for (int i = 0; i < p->m; i++)
    for (int j = 0; j < p->n; j++) {
      const long *f = p->solution[j];
      const long d[LINEAR_BASIS] = {f[1], 2 * f[2],  3 * f[3], 0,    -f[5],
                                    f[4], -2 * f[7], 2 * f[6], f[8], -f[9]};
      for (int b = 0; b < LINEAR_BASIS; b++)
        p->forcing[i][b] += p->E[i][j] * d[b] + p->A[i][j] * f[b];
    }
}

static void make_blocks(pencil *p, int most, int deep, treatment how, bool homogeneous) {
  memset(p, 0, sizeof *p);
  int n = 2 + pick(most - 1), contradiction = -1;
  if (deep) add_chain(p, 3 + pick(deep - 2), false);
  if (how == OPEN) add_open_chain(p, pick(3));
  if (how == CONTRADICTORY || how == REDUNDANT || (how == OPEN && chance(0.3))) {
    add_chain(p, pick(3), true);
    contradiction = p->m - 1;
  }
  while (p->n < n) {
    int room = n - p->n;
    if (chance(0.4)) add_ode(p, 1 + pick(room < 3 ? room : 3));
    else if (chance(0.8)) add_chain(p, 1 + pick(room < 4 ? room : 4), false);
    else if (how == REDUNDANT) add_chain(p, 1 + pick(room < 2 ? room : 2), true);
  }
  if (!homogeneous) {
    for (int j = 0; j < p->n; j++)
      for (int k = 0; k < 2; k++) p->solution[j][pick(LINEAR_BASIS)] = pick(7) - 3;
    force_solution(p);
    if (how == CONTRADICTORY) p->forcing[contradiction][pick(LINEAR_BASIS)] += nonzero(3);
  }
}

static void set_unit(int n, long a[][PENCIL_MOST]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) a[i][j] = i == j;
}

/* Multiples of rows are added to others: the determinant stays 1. */
static void mix_by_steps(int n, long a[][PENCIL_MOST], int steps) {
  set_unit(n, a);
  for (int s = 0; s < steps && n > 1; s++) {
    int i = pick(n), j = pick(n), c = nonzero(2);
    bool small = true;
    for (int k = 0; k < n; k++) small = small && labs(a[i][k] + c * a[j][k]) < 30;
    if (i == j || !small) continue;
    for (int k = 0; k < n; k++) a[i][k] += c * a[j][k];
  }
}

/* A dense matrix of whole numbers up to `most` with an inverse. */
static void mix_densely(int n, long a[][PENCIL_MOST], int most) {
  static residue copy[PENCIL_MOST * PENCIL_MOST];
  do
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        a[i][j] = pick(2 * most + 1) - most;
        copy[i * n + j] = mod_integer(a[i][j]);
      }
  while (mod_rank(n, n, copy) < n);
}

/* P B Q, for row i and column j */
static long mixed(const pencil *p, const long B[][PENCIL_MOST], int i, int j) {
  long sum = 0;
  for (int k = 0; k < p->m; k++)
    for (int l = 0; l < p->n; l++)
      if (B[k][l]) sum += p->P[i][k] * B[k][l] * p->Q[l][j];
  return sum;
}

/* The pencil as a linear system; units: rows and unknowns by powers of ten up to this one. */
static void write_pencil(const pencil *p, linear_system *S, int units) {
  int row_unit[PENCIL_MOST] = {0}, unit[PENCIL_MOST] = {0};
  memset(S, 0, sizeof *S);
  S->unknowns = p->n;
  S->equations = p->m;
  for (int i = 0; i < p->m && units; i++) row_unit[i] = pick(2 * units + 1) - units;
  for (int j = 0; j < p->n && units; j++) unit[j] = pick(2 * units + 1) - units;
  for (int j = 0; j < p->n; j++) snprintf(S->name[j], LINEAR_NAME, "v%d", j + 1);
  for (int i = 0; i < p->m; i++) {
    for (int j = 0; j < p->n; j++) {
      int ten = row_unit[i] + unit[j];
      linear_add(S, i, j, 1, (linear_number){mixed(p, p->E, i, j), 1, ten});
      linear_add(S, i, j, 0, (linear_number){mixed(p, p->A, i, j), 1, ten});
    }
    for (int b = 0; b < LINEAR_BASIS; b++) {
      long sum = 0;
      for (int k = 0; k < p->m; k++) sum += p->P[i][k] * p->forcing[k][b];
      linear_force(S, i, b, (linear_number){-sum, 1, row_unit[i]});
    }
  }
}

/* The solution x* with Q x* = v*(t), by elimination with pivots. */
static void solution_at(const pencil *p, double t, double *x) {
  const long double function[LINEAR_BASIS] = {
      1, t, t * t, t * t * t, sinl(t), cosl(t), sinl(2 * t), cosl(2 * t), expl(t), expl(-t)};
  long double a[PENCIL_MOST][PENCIL_MOST + 1];
  int n = p->n;
  for (int i = 0; i < n; i++) {
    a[i][n] = 0;
    for (int j = 0; j < n; j++) a[i][j] = p->Q[i][j];
    for (int b = 0; b < LINEAR_BASIS; b++) a[i][n] += p->solution[i][b] * function[b];
  }
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabsl(a[i][k]) > fabsl(a[best][k])) best = i;
    for (int j = 0; j <= n; j++) {
      long double swap = a[k][j];
      a[k][j] = a[best][j];
      a[best][j] = swap;
    }
    for (int i = 0; i < n; i++) {
      long double factor = i == k ? 0 : a[i][k] / a[k][k];
      for (int j = k; j <= n && i != k; j++) a[i][j] -= factor * a[k][j];
    }
  }
  for (int i = 0; i < n; i++) x[i] = (double)(a[i][n] / a[i][i]);
}

/* A start on the solution, and where it ends. */
static void write_run(member *m, const pencil *p) {
  double x[PENCIL_MOST];
  solution_at(p, 0, x);
  for (int j = 0; j < p->n; j++) linear_write(m->text, MODEL, "  v%d ~ %.17g\n", j + 1, x[j]);
  linear_write(m->text, MODEL, "solve t = 0 .. %g\noutput ", END);
  for (int j = 0; j < p->n; j++) linear_write(m->text, MODEL, "%sv%d", j ? ", " : "", j + 1);
  linear_write(m->text, MODEL, "\n");
  solution_at(p, END, m->end);
  m->columns = p->n;
}

/* By construction: a regular pencil has as many free values as its finite part, and the index of
 * its largest nilpotent block. */
static void check_construction(const pencil *p, const linear_system *S, treatment how) {
  if (how == CONTRADICTORY) CHECK(S->verdict == LINEAR_INCONSISTENT || S->free_values >= 0);
  if (how != PLAIN) return;
  CHECK(S->verdict == LINEAR_DETERMINED);
  CHECK(S->free_values == p->finite);
  CHECK(S->index == p->nilpotent);
}

static void make_pencil(member *m, int most, int dense, int units, bool homogeneous) {
  static pencil p;
  static linear_system S;
  treatment how = pick_treatment();
  int deep = dense && most > 4 && chance(0.5) ? 3 + pick(3) : 0;
  make_blocks(&p, most, deep, how, homogeneous);
  if (dense) {
    mix_densely(p.m, p.P, dense);
    mix_densely(p.n, p.Q, dense);
  } else {
    mix_by_steps(p.m, p.P, 2 * p.m);
    mix_by_steps(p.n, p.Q, 2 * p.n);
  }
  write_pencil(&p, &S, units);
  write_linear(m, &S, 7);
  check_construction(&p, &S, how);
  if (how == PLAIN && !units && !homogeneous && most <= 8) write_run(m, &p);
}

static void make_pencil_8(member *m) { make_pencil(m, 8, 0, 0, false); }
static void make_pencil_16(member *m) { make_pencil(m, 16, 0, 0, false); }
static void make_pencil_30(member *m) { make_pencil(m, 30, 0, 0, false); }
static void make_dense_9(member *m) { make_pencil(m, 8, 9, 0, false); }
static void make_dense_99(member *m) { make_pencil(m, 7, 99, 0, false); }
static void make_units(member *m) { make_pencil(m, 7, chance(0.3) ? 5 : 0, 12, false); }
static void make_homogeneous(member *m) { make_pencil(m, 4, chance(0.5) ? 9 : 0, 0, true); }

/* ---- nonlinear changes of variables: v_j = x_j + functions of x_k, k > j ---- */

/* The solution at t = 0, as guesses for x: v first, then x from the last unknown on. */
static void solution_at_start(const pencil *p, double *v) {
  static const double at_zero[LINEAR_BASIS] = {1, 0, 0, 0, 0, 1, 0, 1, 1, 1};
  for (int j = 0; j < p->n; j++) {
    v[j] = 0;
    for (int b = 0; b < LINEAR_BASIS; b++) v[j] += (double)p->solution[j][b] * at_zero[b];
  }
}

static void make_changed(member *m, int most, int deep, bool factors) {
  static pencil p;
  static linear_system S;
  static char lets[MODEL], factored[LINEAR_TEXT];
  double v[PENCIL_MOST], x[PENCIL_MOST];
  treatment how = pick_treatment();
  make_blocks(&p, most, deep, how, false);
  mix_by_steps(p.m, p.P, 2 * p.m);
  set_unit(p.n, p.Q);
  write_pencil(&p, &S, 0);
  linear_find_truth(&S, 8);
  take_truth(m, &S);
  check_construction(&p, &S, how);

  /* another name for each unknown, and the old one as a function of the new ones */
  solution_at_start(&p, v);
  lets[0] = 0;
  for (int j = p.n - 1; j >= 0; j--) {
    linear_write(lets, MODEL, "  v%d = x%d", j + 1, j + 1);
    x[j] = v[j];
    for (int terms = j + 1 < p.n ? pick(3) : 0; terms > 0; terms--) {
      int k = j + 1 + pick(p.n - j - 1), c = nonzero(2), kind = pick(4);
      static const char *const form[] = {" + %d/2*x%d", " + %d/4*x%d^2", " + %d/2*sin(x%d)",
                                         " + %d/2*exp(x%d/3)"};
      double value[] = {c / 2.0 * x[k], c / 4.0 * x[k] * x[k], c / 2.0 * sin(x[k]),
                        c / 2.0 * exp(x[k] / 3)};
      char term[64];
      snprintf(term, sizeof term,
               kind == 0   ? form[0]
               : kind == 1 ? form[1]
               : kind == 2 ? form[2]
                           : form[3],
               c, k + 1);
      linear_write(lets, MODEL, "%s", term);
      x[j] -= value[kind];
    }
    linear_write(lets, MODEL, "\n");
  }

  /* multiples of rows by functions are added to other rows */
  for (int i = 0; i < p.m; i++)
    if (!*S.equation[i]) strcpy(S.equation[i], "0");
  for (int steps = factors ? 1 + pick(3) : 0; steps > 0; steps--) {
    int i = pick(p.m), k = pick(p.m), by = pick(p.n);
    if (i == k || strlen(S.equation[i]) + strlen(S.equation[k]) > 3000) continue;
    snprintf(factored, sizeof factored, chance(0.5) ? " + (1 + x%d^2)*(" : " + x%d*(", by + 1);
    linear_write(S.equation[i], LINEAR_TEXT, "%s%s)", factored, S.equation[k]);
  }
  for (int j = 0; j < p.n; j++) snprintf(S.name[j], LINEAR_NAME, "x%d", j + 1);
  begin_text(m, &S);
  linear_write(m->text, MODEL, "\nlet\n%s", lets);
  write_equations(m, &S);
  linear_write(m->text, MODEL, "start t = 0\n");
  for (int j = 0; j < p.n; j++) linear_write(m->text, MODEL, "  x%d ~ %.6f\n", j + 1, x[j]);

  /* which unknowns are differentiated is another question now */
  if (m->verdict == LINEAR_UNDERDETERMINED && p.m >= p.n) m->verdict = LINEAR_EITHER;
  if (m->verdict == LINEAR_EITHER) m->free_values = m->index = m->hidden = -1;
}

static void make_nonlinear(member *m) { make_changed(m, 6, 0, chance(0.3)); }
static void make_deep(member *m) { make_changed(m, 6, 5, chance(0.6)); }

/* ---- circuits: nodal analysis ---- */

typedef enum { RESISTOR, CAPACITOR, INDUCTOR, VOLTAGE, CURRENT, CUBIC } element_kind;

typedef struct circuit {
  linear_system S;
  int nodes; /* without ground; unknown j is the potential of node j + 1 */
  bool si, constant;
} circuit;

/* The current (e_a - e_b) * factor, or of e_a' - e_b', leaves node a and enters node b. */
static void add_flow(circuit *c, int a, int b, int order, linear_number factor) {
  linear_number minus = {-factor.numerator, factor.denominator, factor.ten};
  for (int side = 0; side < 2; side++) {
    int node = side ? b : a;
    if (!node) continue;
    if (a) linear_add(&c->S, node - 1, a - 1, order, side ? minus : factor);
    if (b) linear_add(&c->S, node - 1, b - 1, order, side ? factor : minus);
  }
}

/* A resistor with the current u/r + u^3/r: what it conducts is as good as a random number. */
static void add_cubic(circuit *c, int a, int b) {
  residue conductance = random_residue();
  int r = 2 + pick(4);
  char u[64];
  if (!b) snprintf(u, sizeof u, "%s", c->S.name[a - 1]);
  else if (!a) snprintf(u, sizeof u, "(-%s)", c->S.name[b - 1]);
  else snprintf(u, sizeof u, "(%s - %s)", c->S.name[a - 1], c->S.name[b - 1]);
  for (int side = 0; side < 2; side++) {
    int node = side ? b : a;
    if (!node) continue;
    char *text = c->S.equation[node - 1];
    linear_write(text, LINEAR_TEXT, "%s%s(%s/%d + %s^3/%d)", *text ? " + " : "", side ? "-1*" : "",
                 u, r, u, r);
    residue own = side ? mod_negate(conductance) : conductance;
    if (a) linear_add_entry(&c->S, node - 1, a - 1, 0, own);
    if (b) linear_add_entry(&c->S, node - 1, b - 1, 0, mod_negate(own));
  }
}

static int add_current_unknown(circuit *c, int a, int b) {
  linear_system *S = &c->S;
  int j = S->unknowns++;
  snprintf(S->name[j], LINEAR_NAME, "i%d", j + 1);
  if (a) linear_add(S, a - 1, j, 0, number(1));
  if (b) linear_add(S, b - 1, j, 0, number(-1));
  return j;
}

typedef struct source {
  int function;
  long value;
} source;

static source pick_source(const circuit *c) {
  static const int functions[] = {0, 0, 4, 5, 7, 8};
  return (source){functions[c->constant ? 0 : pick(6)], 1 + pick(5)};
}

static void add_voltage(circuit *c, int a, int b, source s) {
  linear_system *S = &c->S;
  (void)add_current_unknown(c, a, b);
  int i = S->equations++;
  if (a) linear_add(S, i, a - 1, 0, number(1));
  if (b) linear_add(S, i, b - 1, 0, number(-1));
  linear_force(S, i, s.function, number(-s.value));
}

static linear_number element_value(const circuit *c, element_kind kind) {
  static const int lowest[] = {-6, -12, -6}, range[] = {6, 7, 4};
  long value = 1 + pick(9);
  if (!c->si) return fraction(1 + pick(3), 1 + pick(4));
  return (linear_number){value, 1, lowest[kind] + pick(range[kind])};
}

static void add_element(circuit *c, element_kind kind, int a, int b) {
  linear_system *S = &c->S;
  source s = pick_source(c);
  switch (kind) {
  case RESISTOR: add_flow(c, a, b, 0, element_value(c, kind)); break;
  case CUBIC: add_cubic(c, a, b); break;
  case CAPACITOR: add_flow(c, a, b, 1, element_value(c, kind)); break;
  case INDUCTOR: {
    int j = add_current_unknown(c, a, b), i = S->equations++;
    linear_add(S, i, j, 1, element_value(c, kind));
    if (a) linear_add(S, i, a - 1, 0, number(-1));
    if (b) linear_add(S, i, b - 1, 0, number(1));
    break;
  }
  case VOLTAGE: add_voltage(c, a, b, s); break;
  case CURRENT: {
    linear_number value = {s.value, 1, c->si ? -3 : 0};
    if (a) linear_force(S, a - 1, s.function, value);
    value.numerator = -value.numerator;
    if (b) linear_force(S, b - 1, s.function, value);
    break;
  }
  }
}

static element_kind pick_element(const circuit *c, bool cubic) {
  static const element_kind moving[] = {RESISTOR, RESISTOR, CAPACITOR, CAPACITOR,
                                        INDUCTOR, VOLTAGE,  CURRENT};
  static const element_kind still[] = {RESISTOR, RESISTOR, RESISTOR, VOLTAGE, CURRENT};
  element_kind kind = c->constant ? still[pick(5)] : moving[pick(7)];
  return kind == RESISTOR && cubic && chance(0.4) ? CUBIC : kind;
}

static void make_circuit(member *m, bool si, bool constant, bool cubic) {
  static circuit c;
  memset(&c, 0, sizeof c);
  c.si = si;
  c.constant = constant;
  c.nodes = c.S.unknowns = c.S.equations = 2 + pick(6);
  for (int j = 0; j < c.nodes; j++) snprintf(c.S.name[j], LINEAR_NAME, "e%d", j + 1);
  treatment how = pick_treatment();

  /* Trees without current sources, so that every potential occurs in some equation; then more
   * elements, so that there are loops. Nodes from `island` on have no connection with ground. */
  int island = how == OPEN && c.nodes > 2 && chance(0.7) ? 2 + pick(c.nodes - 2) : c.nodes + 1;
  for (int node = 1; node <= c.nodes; node++) {
    element_kind kind = pick_element(&c, cubic);
    if (kind == CURRENT) kind = VOLTAGE;
    if (node < island) add_element(&c, kind, node, pick(node));
    if (node > island) add_element(&c, kind, node, island + pick(node - island));
  }
  for (int more = pick(c.nodes + 2); more > 0; more--) {
    int a = 1 + pick(c.nodes), b = pick(c.nodes + 1);
    if (a != b && (a < island) == (b < island)) add_element(&c, pick_element(&c, cubic), a, b);
  }
  /* a part that nothing connects with ground: a resistor between two nodes of its own */
  if (how == OPEN && chance(0.5)) {
    int left = c.S.unknowns, right = left + 1, row = c.S.equations;
    linear_number value = element_value(&c, RESISTOR);
    linear_number minus = {-value.numerator, value.denominator, value.ten};
    snprintf(c.S.name[left], LINEAR_NAME, "f1");
    snprintf(c.S.name[right], LINEAR_NAME, "f2");
    c.S.unknowns += 2;
    c.S.equations += 2;
    linear_add(&c.S, row, left, 0, value);
    linear_add(&c.S, row, right, 0, minus);
    linear_add(&c.S, row + 1, left, 0, minus);
    linear_add(&c.S, row + 1, right, 0, value);
  }
  if (how == REDUNDANT || how == CONTRADICTORY) {
    int a = 1 + pick(c.nodes), b = pick(a);
    source s = pick_source(&c);
    add_voltage(&c, a, b, s);
    if (how == CONTRADICTORY) s.value += nonzero(2);
    add_voltage(&c, a, b, s);
  }
  write_linear(m, &c.S, 6);
}

static void make_circuit_unit(member *m) { make_circuit(m, false, false, chance(0.2)); }
static void make_circuit_si(member *m) { make_circuit(m, true, false, false); }
static void make_circuit_dc(member *m) { make_circuit(m, chance(0.5), true, chance(0.3)); }

/* ---- pin-jointed frameworks: x'' = force, bars of given length ---- */

enum { JOINTS = 7, BARS = 20 };

typedef struct framework {
  int space, joints, bars; /* space: 2 or 3 */
  bool fixed[JOINTS];
  int place[JOINTS][3]; /* in quarters */
  int end[BARS][2];
} framework;

static int rank_without(const framework *f, int left_out, residue at[JOINTS][3]) {
  residue a[BARS * JOINTS * 3] = {0};
  int rows = 0, columns = f->joints * f->space;
  for (int b = 0; b < f->bars; b++) {
    if (b == left_out) continue;
    for (int side = 0; side < 2; side++)
      for (int k = 0; k < f->space; k++) {
        int here = f->end[b][side], there = f->end[b][1 - side];
        if (f->fixed[here]) continue;
        a[rows * columns + here * f->space + k] = mod_add(at[here][k], mod_negate(at[there][k]));
      }
    rows++;
  }
  return mod_rank(rows, columns, a);
}

static void place_framework(const framework *f, bool generic, residue at[JOINTS][3]) {
  for (int i = 0; i < f->joints; i++)
    for (int k = 0; k < f->space; k++)
      at[i][k] = generic ? random_residue() : mod_integer(f->place[i][k]);
}

/* Joints at random places, no two of them the same; the positions are as good as generic ones. */
static void pick_framework(framework *f, int space) {
  residue at[JOINTS][3];
  bool good;
  do {
    memset(f, 0, sizeof *f);
    f->space = space;
    f->joints = 2 + pick(space == 2 ? 5 : 4);
    for (int i = 0; i < f->joints; i++)
      for (int k = 0; k < space; k++) f->place[i][k] = pick(33) - 16;
    f->fixed[0] = true;
    for (int i = 1; i < f->joints; i++) f->fixed[i] = i + 1 < f->joints && chance(0.25);
    for (int i = 1; i < f->joints; i++)
      for (int k = 0; k < i; k++) {
        if (f->fixed[i] && f->fixed[k]) continue;
        if (!chance(0.6) || f->bars == BARS) continue;
        f->end[f->bars][0] = i;
        f->end[f->bars++][1] = k;
      }
    place_framework(f, true, at);
    int generic = rank_without(f, -1, at);
    place_framework(f, false, at);
    good = f->bars > 0 && rank_without(f, -1, at) == generic;
  } while (!good);
}

static void make_framework(member *m, int space) {
  static framework f;
  residue at[JOINTS][3];
  char text[LINEAR_TEXT];
  bool open[BARS], any_unique = false;
  int moving = 0, changed = -1, left_out = -1;
  treatment how = pick_treatment();
  bool motion = chance(0.5);
  do pick_framework(&f, space);
  while (how == REDUNDANT && f.bars < 3 + pick(4));
  place_framework(&f, false, at);
  int rank = rank_without(&f, -1, at);
  for (int b = 0; b < f.bars; b++) {
    open[b] = rank_without(&f, b, at) == rank;
    if (open[b]) changed = b;
    any_unique = any_unique || !open[b];
  }
  for (int i = 0; i < f.joints; i++) moving += f.fixed[i] ? 0 : space;

  m->verdict = LINEAR_DETERMINED;
  m->free_values = 2 * (moving - rank);
  m->index = any_unique ? 3 : 2;
  if (how != CONTRADICTORY) changed = -1;
  if (changed >= 0) m->verdict = LINEAR_INCONSISTENT;
  else if (how == CONTRADICTORY && chance(0.2)) {
    /* the square of a length that is negative */
    m->no_real_point = true;
    m->verdict = LINEAR_INCONSISTENT;
    changed = pick(f.bars);
  }
  if (how == OPEN) {
    left_out = pick(moving);
    m->verdict = LINEAR_UNDERDETERMINED;
  }

  m->text[0] = 0;
  linear_write(m->text, MODEL, "model framework\nvariable ");
  for (int i = 0; i < f.joints; i++)
    for (int k = 0; k < space && !f.fixed[i]; k++)
      linear_write(m->text, MODEL, "%c%d, ", "xyz"[k], i);
  for (int b = 0; b < f.bars; b++) linear_write(m->text, MODEL, "%sl%d", b ? ", " : "", b);
  linear_write(m->text, MODEL, "\nequation\n");
  for (int i = 0, row = 0; i < f.joints; i++)
    for (int k = 0; k < space && !f.fixed[i]; k++, row++) {
      if (row == left_out) continue;
      linear_write(m->text, MODEL, "  %d*%c%d'' = %s", 1 + i % 3, "xyz"[k], i,
                   k == space - 1 ? "-9.81" : "0");
      for (int b = 0; b < f.bars; b++)
        for (int side = 0; side < 2; side++) {
          int other = f.end[b][1 - side];
          if (f.end[b][side] != i) continue;
          if (f.fixed[other]) snprintf(text, sizeof text, "(%d/4)", f.place[other][k]);
          else snprintf(text, sizeof text, "%c%d", "xyz"[k], other);
          linear_write(m->text, MODEL, " + l%d*(%s - %c%d)", b, text, "xyz"[k], i);
        }
      linear_write(m->text, MODEL, "\n");
    }
  for (int b = 0; b < f.bars; b++) {
    int square = 0;
    linear_write(m->text, MODEL, "  ");
    for (int k = 0; k < space; k++) {
      int i = f.end[b][0], j = f.end[b][1], d = f.place[i][k] - f.place[j][k];
      square += d * d;
      linear_write(m->text, MODEL, "%s(", k ? " + " : "");
      if (f.fixed[i]) linear_write(m->text, MODEL, "%d/4", f.place[i][k]);
      else linear_write(m->text, MODEL, "%c%d", "xyz"[k], i);
      if (f.fixed[j]) linear_write(m->text, MODEL, " - %d/4", f.place[j][k]);
      else linear_write(m->text, MODEL, " - %c%d", "xyz"[k], j);
      linear_write(m->text, MODEL, ")^2");
    }
    if (b == changed) square = m->no_real_point ? -square - 1 : square + 1 + pick(3);
    linear_write(m->text, MODEL, " = %d/16\n", square);
  }
  linear_write(m->text, MODEL, "start t = 0\n");
  for (int i = 0; i < f.joints; i++)
    for (int k = 0; k < space && !f.fixed[i]; k++) {
      linear_write(m->text, MODEL, "  %c%d ~ %d/4\n", "xyz"[k], i, f.place[i][k]);
      linear_write(m->text, MODEL, "  %c%d' ~ %d/4\n", "xyz"[k], i, motion ? pick(9) - 4 : 0);
    }
}

static void make_framework_plane(member *m) { make_framework(m, 2); }
static void make_framework_space(member *m) { make_framework(m, 3); }

/* ---- the families ---- */

typedef struct family {
  const char *name, *title;
  void (*make)(member *m);
  bool nonlinear; /* takes longer: half as many in the sample */
  /* counts */
  int tried, right, undecided, wrong, no_real_point, no_real_right, runs, wrong_runs;
  double worst; /* error of a run */
  double slowest;
  int slowest_number;
} family;

static family families[] = {
    {"pencil8", "pencils, up to 8 unknowns", make_pencil_8},
    {"pencil16", "pencils, up to 16", make_pencil_16},
    {"pencil30", "pencils, up to 30", make_pencil_30},
    {"dense9", "dense mixing up to 9", make_dense_9},
    {"dense99", "dense mixing up to 99", make_dense_99},
    {"units", "rows and unknowns in units up to 10^12", make_units},
    {"homogeneous", "homogeneous", make_homogeneous},
    {"circuit", "circuits, unit values", make_circuit_unit},
    {"circuit_si", "circuits, SI units", make_circuit_si},
    {"circuit_dc", "circuits, constant", make_circuit_dc},
    {"plane", "frameworks in the plane", make_framework_plane, true},
    {"space", "frameworks in space", make_framework_space, true},
    {"nonlinear", "nonlinear change of variables", make_nonlinear, true},
    {"deep", "nonlinear, of deep index", make_deep, true},
};
enum { FAMILIES = sizeof families / sizeof *families };

/* Members of `deep` that are always tried, since they need what few others do: a start that is found
 * from the generic point alone (877, 1394), steps of Newton's method that residuals would refuse
 * (1738). */
static const int hard[] = {877, 1394, 1738};

/* Each system has a seed of its own. */
static void seed_member(int which, int number) {
  check_seed = 88172645463325252ull ^ ((unsigned long long)(which + 1) << 48) ^
               ((unsigned long long)number * 0x9e3779b97f4a7c15ull);
  if (!check_seed) check_seed = 1;
  for (int i = 0; i < 20; i++) (void)check_random();
}

/* What is wrong; "": nothing. */
static void compare_check(const member *m, const ritt_check *c, char *why, size_t room) {
  static const char *const words[] = {"determined", "determined or underdetermined",
                                      "underdetermined", "inconsistent"};
  bool determined = !strcmp(c->verdict, "determined");
  bool right = m->verdict == LINEAR_EITHER ? determined || !strcmp(c->verdict, "underdetermined")
                                           : !strcmp(c->verdict, words[m->verdict]);
  *why = 0;
  if (!right)
    snprintf(why, room, "%s (%s), expected %s", c->verdict, c->reason ? c->reason : "",
             words[m->verdict]);
  else if (determined && m->free_values >= 0 && c->degrees_of_freedom != m->free_values)
    snprintf(why, room, "%d free values, expected %d", c->degrees_of_freedom, m->free_values);
  else if (determined && m->index >= 0 && c->index != RITT_UNKNOWN && c->index != m->index)
    snprintf(why, room, "index %d, expected %d", c->index, m->index);
  else if (determined && m->hidden >= 0 && c->hidden_constraints != RITT_UNKNOWN &&
           c->hidden_constraints != m->hidden)
    snprintf(why, room, "%d hidden constraints, expected %d", c->hidden_constraints, m->hidden);
}

/* The run's end against the solution, relative to the largest unknown there. */
static void check_run(family *f, int number, const member *m, run *r) {
  ritt_options options = run_options(NULL, 1e-10, END);
  double size = 1, error = 0;
  options.max_steps = 100000;
  run_try(r, &options);
  f->runs++;
  bool ended = r->status == RITT_OK && r->rows > 1;
  for (int j = 0; j < m->columns; j++) size = fmax(size, fabs(m->end[j]));
  for (int j = 0; j < m->columns && ended; j++)
    error = fmax(error, fabs(r->row[(r->rows - 1) * r->width + 1 + (size_t)j] - m->end[j]) / size);
  if (ended && error > f->worst) f->worst = error;
  if (ended && error <= 1e-7) return;
  f->wrong_runs++;
  if (ended) printf("%s %d: the run ends with an error of %.1e\n", f->name, number, error);
  else
    printf("%s %d: the run stops: %s\n", f->name, number,
           ritt_error_count(r->error) ? ritt_error_get(r->error, 0)->text
                                      : ritt_status_text(r->status));
}

static void check_member(family *f, int number, bool show) {
  static member m;
  char why[512];
  memset(&m, 0, sizeof m);
  m.free_values = m.index = m.hidden = -1;
  seed_member((int)(f - families), number);
  f->make(&m);
  if (show)
    printf("%sexpected: verdict %d, %d free values, index %d\n", m.text, (int)m.verdict,
           m.free_values, m.index);

  const ritt_check *c = NULL;
  run *r = run_text(m.text);
  f->tried++;
  if (!r->model) {
    run_complain(r, m.text);
    run_free(r);
    return;
  }
  clock_t begin = clock();
  r->status = ritt_model_check(r->model, r->error, &c);
  double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
  if (seconds > f->slowest) {
    f->slowest = seconds;
    f->slowest_number = number;
  }
  compare_check(&m, c, why, sizeof why);
  bool undecided = !strcmp(c->verdict, "undecided");
  if (m.no_real_point && (undecided || !*why)) {
    f->no_real_point++;
    f->no_real_right += !undecided;
  } else if (!*why) f->right++;
  else if (undecided) f->undecided++;
  else f->wrong++;
  if (*why && !m.no_real_point) printf("%s %d: %s\n", f->name, number, why);
  if (!*why && m.columns) check_run(f, number, &m, r);
  run_free(r);
}

static void add_counts(family *sum, const family *f) {
  sum->tried += f->tried;
  sum->right += f->right;
  sum->undecided += f->undecided;
  sum->wrong += f->wrong;
  sum->no_real_point += f->no_real_point;
  sum->no_real_right += f->no_real_right;
  sum->runs += f->runs;
  sum->wrong_runs += f->wrong_runs;
  if (f->worst > sum->worst) sum->worst = f->worst;
  if (f->slowest <= sum->slowest) return;
  sum->slowest = f->slowest;
  sum->slowest_number = f->slowest_number;
  sum->name = f->name;
}

int main(int count, char **word) {
  const char *sample = getenv("RITT_SAMPLE"), *which = count > 1 ? word[1] : "all";
  for (int i = 0; i < FAMILIES; i++) {
    int members = families[i].nonlinear ? SAMPLE / 2 : SAMPLE;
    int first = 1 + (sample ? members * (atoi(sample) % 100000) : 0), last = first + members - 1;
    if (count > 2) first = last = atoi(word[2]);
    if (count > 3) last = atoi(word[3]);
    if (strcmp(which, "all") && strcmp(which, families[i].name)) continue;
    bool deep = !strcmp(families[i].name, "deep");
    for (size_t k = 0; k < sizeof hard / sizeof *hard && deep && count == 1; k++) {
      check_member(&families[i], hard[k], false);
      CHECK(families[i].right == families[i].tried);
    }
    for (int number = first; number <= last; number++) {
      check_member(&families[i], number, first == last);
      fflush(stdout);
    }
  }

  printf(
      "\n| family | tried | right | undecided | wrong | no real point (decided) | slowest, s | runs | "
      "wrong runs | worst error |\n|---|---|---|---|---|---|---|---|---|---|\n");
  family all = {.name = "all", .title = "all"};
  for (int i = 0; i < FAMILIES; i++) add_counts(&all, &families[i]);
  for (int i = -1; i < FAMILIES; i++) {
    const family *f = i < 0 ? &all : &families[i];
    if (!f->tried) continue;
    printf("| %s | %d | %d | %d | %d | %d (%d) | %.2f (%s %d) | %d | %d | %.1e |\n", f->title,
           f->tried, f->right, f->undecided, f->wrong, f->no_real_point, f->no_real_right,
           f->slowest, f->name, f->slowest_number, f->runs, f->wrong_runs, f->worst);
    CHECK(f->wrong == 0 && f->wrong_runs == 0);
  }
  printf("\n");
  CHECK(all.tried > 0);
  CHECK(all.undecided * 200 <= all.tried);
  return CHECKS_DONE();
}
