/* Random hidden systems: equations whose solutions are known are hidden by changes of variables, by
 * mixing of equations, by differentiation, by combinations that add nothing or contradict, or by
 * leaving one out. The verdict and the degrees of freedom are known by construction; where the
 * equations themselves are kept, a short run must give the solution of the explicit system.
 *
 * t_hidden [FIRST [LAST]]: some of the systems only; one alone is printed. `./do random` counts
 * thousands.
 */
#include <stdarg.h>
#include "run.h"
#include "tally.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SYSTEMS = 500 };
#else
enum { SYSTEMS = 1000 };
#endif

enum { MOST = 16, TEXT = 2048, STATES = 8 };
static const double END = 0.2;

/* ---- small tools ---- */

static int pick(int count) {
  int i = (int)((check_random() + 1) / 2 * count);
  return i < count ? i : count - 1;
}
static bool chance(double p) { return (check_random() + 1) / 2 < p; }
static int nonzero(int most) { return (1 + pick(most)) * (chance(0.5) ? 1 : -1); }

__attribute__((format(printf, 2, 3))) static void add(char *text, const char *format, ...) {
  size_t have = strlen(text);
  va_list arguments;
  va_start(arguments, format);
  int more = vsnprintf(text + have, TEXT - have, format, arguments);
  va_end(arguments);
  if (more < 0 || (size_t)more >= TEXT - have) printf("a text is too long\n"), exit(1);
}

/* ---- right sides: written and evaluated ---- */

/* What a right side may hold: names with their values. */
typedef struct pool {
  int count;
  char name[MOST][24];
} pool;

typedef struct term {
  int kind, a, b;
  double c; /* a multiple of 1/4 */
} term;
typedef struct side {
  int terms;
  term term[3];
} side;

static side random_side(const pool *p, int most) {
  side s = {.terms = 1 + pick(most)};
  for (int i = 0; i < s.terms; i++)
    s.term[i] =
        (term){.kind = pick(5), .a = pick(p->count), .b = pick(p->count), .c = nonzero(4) / 4.0};
  return s;
}

static void write_side(const side *s, const pool *p, char *out) {
  for (int i = 0; i < s->terms; i++) {
    const char *a = p->name[s->term[i].a], *b = p->name[s->term[i].b];
    add(out, "%s%g*", i ? " + " : "", s->term[i].c);
    switch (s->term[i].kind) {
    case 0: add(out, "%s", a); break;
    case 1: add(out, "%s*%s", a, b); break;
    case 2: add(out, "sin(%s)", a); break;
    case 3: add(out, "cos(%s)", a); break;
    default: add(out, "%s^2", a);
    }
  }
}

static double side_value(const side *s, const double *value) {
  double sum = 0;
  for (int i = 0; i < s->terms; i++) {
    const term *t = &s->term[i];
    double a = value[t->a], b = value[t->b];
    sum += t->c * (t->kind == 0   ? a
                   : t->kind == 1 ? a * b
                   : t->kind == 2 ? sin(a)
                   : t->kind == 3 ? cos(a)
                                  : a * a);
  }
  return sum;
}

/* ---- the system in the open ---- */

/* u_i' = F_i;  q'' = F + G lambda with g(q) = q1 + ga sin(q2) + gb q2^2 = g0 where there is one; a1
 * prescribed, a_k' = a_{k+1} + ac a_k^2;  b_i = a function. All F in the same pool: u, q, q', a1,
 * t. */
typedef struct open_system {
  int u, chain, algebraic;
  bool constraint, twice; /* the constraint written twice, with two multipliers */
  pool names;
  side right[STATES], motion[2], function[2];
  double ga, gb, ac;
  /* unknowns and residuals as text */
  int unknowns, residuals, free, dof;
  char unknown[MOST][24], residual[MOST][TEXT];
  double guess[MOST];
} open_system;

static double prescribed(double t) { return 0.5 * sin(t) + 0.25 * t * t; }

static void add_unknown(open_system *s, double guess, const char *format, int number) {
  snprintf(s->unknown[s->unknowns], sizeof s->unknown[0], format, number);
  s->guess[s->unknowns++] = guess;
}

static void make_pool(open_system *s) {
  pool *p = &s->names;
  for (int i = 0; i < s->u; i++) snprintf(p->name[p->count++], sizeof p->name[0], "u%d", i + 1);
  if (s->constraint) {
    static const char *const name[] = {"q1", "q2", "q1'", "q2'"};
    for (int i = 0; i < 4; i++) strcpy(p->name[p->count++], name[i]);
  }
  if (s->chain) strcpy(p->name[p->count++], "a1");
  strcpy(p->name[p->count++], "t");
}

static void make_constraint(open_system *s) {
  s->ga = nonzero(3) / 4.0, s->gb = nonzero(3) / 4.0;
  for (int i = 0; i < 2; i++) {
    char *r = s->residual[s->residuals++];
    s->motion[i] = random_side(&s->names, 3);
    add(r, "q%d'' - (", i + 1);
    write_side(&s->motion[i], &s->names, r);
    add(r, ")");
    if (i == 0) add(r, " - (m1%s)", s->twice ? " + 2*m2" : "");
    else add(r, " - (m1%s)*(%g*cos(q2) + %g*q2)", s->twice ? " + 2*m2" : "", s->ga, 2 * s->gb);
  }
  add(s->residual[s->residuals++], "q1 + %g*sin(q2) + %g*q2^2 - 1", s->ga, s->gb);
  if (s->twice)
    add(s->residual[s->residuals++], "2*q1 + %g*sin(q2) + %g*q2^2 - 2", 2 * s->ga, 2 * s->gb);
  double q2 = 0.5 * check_random();
  add_unknown(s, 1 - s->ga * sin(q2) - s->gb * q2 * q2, "q%d", 1);
  add_unknown(s, q2, "q%d", 2);
  s->free = s->unknowns; /* multipliers that are not unique stay out of the change of variables */
  add_unknown(s, 0, "m%d", 1);
  if (s->twice) add_unknown(s, 0, "m%d", 2);
  s->dof += 2;
}

static void make_open(open_system *s) {
  *s = (open_system){.u = 1 + pick(4)};
  s->constraint = chance(0.3);
  s->twice = s->constraint && chance(0.2);
  s->chain = chance(0.3) ? 1 + pick(5) : 0;
  s->algebraic = chance(0.4) ? 1 + pick(2) : 0;
  make_pool(s);
  for (int i = 0; i < s->u; i++) {
    char *r = s->residual[s->residuals++];
    s->right[i] = random_side(&s->names, 3);
    add(r, "u%d' - (", i + 1);
    write_side(&s->right[i], &s->names, r);
    add(r, ")");
    add_unknown(s, check_random(), "u%d", i + 1);
  }
  s->dof = s->u;
  s->ac = nonzero(3) / 4.0;
  for (int i = 0; i < s->chain; i++) {
    char *r = s->residual[s->residuals++];
    if (i == 0) add(r, "a1 - sin(t)/2 - t^2/4");
    else add(r, "a%d' - a%d - %g*a%d^2", i, i + 1, s->ac, i);
    add_unknown(s, 0, "a%d", i + 1);
  }
  for (int i = 0; i < s->algebraic; i++) {
    char *r = s->residual[s->residuals++];
    s->function[i] = random_side(&s->names, 2);
    add(r, "b%d - (", i + 1);
    write_side(&s->function[i], &s->names, r);
    add(r, ")");
    add_unknown(s, 0, "b%d", i + 1);
  }
  s->free = s->unknowns;
  if (s->constraint) make_constraint(s);
  if (!s->twice) s->free = s->unknowns;
}

/* ---- its solution ---- */

/* y = u, then q, q'; d = its derivative. The multiplier follows from the second derivative of the
 * constraint. */
static void slope(const open_system *s, double t, const double *y, double *d) {
  double value[MOST];
  int states = s->u + (s->constraint ? 4 : 0), count = states;
  memcpy(value, y, (size_t)states * sizeof *y);
  if (s->chain) value[count++] = prescribed(t);
  value[count++] = t;
  for (int i = 0; i < s->u; i++) d[i] = side_value(&s->right[i], value);
  if (!s->constraint) return;
  const double *q = y + s->u, *v = q + 2;
  double g2 = s->ga * cos(q[1]) + 2 * s->gb * q[1], curve = -s->ga * sin(q[1]) + 2 * s->gb;
  double f1 = side_value(&s->motion[0], value), f2 = side_value(&s->motion[1], value);
  double m = -(f1 + g2 * f2 + curve * v[1] * v[1]) / (1 + g2 * g2);
  d[s->u] = v[0], d[s->u + 1] = v[1];
  d[s->u + 2] = f1 + m, d[s->u + 3] = f2 + m * g2;
}

static void integrate(const open_system *s, double *y) {
  enum { STEPS = 200 };
  int n = s->u + (s->constraint ? 4 : 0);
  double h = END / STEPS, k[4][STATES], z[STATES];
  for (int step = 0; step < STEPS; step++) {
    double t = step * h;
    slope(s, t, y, k[0]);
    for (int i = 0; i < n; i++) z[i] = y[i] + h / 2 * k[0][i];
    slope(s, t + h / 2, z, k[1]);
    for (int i = 0; i < n; i++) z[i] = y[i] + h / 2 * k[1][i];
    slope(s, t + h / 2, z, k[2]);
    for (int i = 0; i < n; i++) z[i] = y[i] + h * k[2][i];
    slope(s, t + h, z, k[3]);
    for (int i = 0; i < n; i++) y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
}

/* ---- hiding it ---- */

typedef enum { KEPT, REDUNDANT, CONTRADICTORY, OPEN } treatment;

typedef struct hidden {
  open_system open;
  treatment how;
  int differentiated, equations;
  bool changed;
  char equation[MOST + 4][TEXT];
  char lets[8 * TEXT], text[64 * TEXT];
} hidden;

/* Names of the variables of the model: w1, w2, ... where they were changed. */
static void variable_name(const hidden *h, int i, char *out) {
  if (h->changed && i < h->open.free) snprintf(out, 24, "w%d", i + 1);
  else strcpy(out, h->open.unknown[i]);
}

/* The unknowns as invertible functions of w: unknown = L w + something triangular. Guesses become
 * guesses of w. */
static void change_variables(hidden *h) {
  open_system *s = &h->open;
  int n = s->free, L[MOST][MOST] = {{0}}, inverse[MOST][MOST] = {{0}};
  double v[MOST];
  pool names = {0};
  side bend[MOST] = {{0}};
  for (int i = 0; i < n; i++) L[i][i] = inverse[i][i] = 1;
  h->changed = n > 1 && chance(0.6);
  if (!h->changed) return;
  /* elementary steps on the columns of L, undone on the rows of its inverse */
  for (int step = pick(4); step > 0; step--) {
    int i = pick(n), j = pick(n), c = nonzero(2);
    if (i == j) continue;
    for (int r = 0; r < n; r++) L[r][j] += c * L[r][i];
    for (int r = 0; r < n; r++) inverse[i][r] -= c * inverse[j][r];
  }
  for (int i = 0; i < n; i++) {
    char *name = names.name[i];
    snprintf(name, sizeof names.name[0], "v%d", i + 1);
    if (i > 0 && chance(0.3)) bend[i] = random_side(&names, 1);
    names.count++;
  }
  for (int i = 0; i < n; i++) {
    char line[TEXT] = "";
    add(line, "  v%d = 0", i + 1);
    for (int j = 0; j < n; j++)
      if (L[i][j]) add(line, " + %d*w%d", L[i][j], j + 1);
    add(line, "\n  %s = v%d", s->unknown[i], i + 1);
    if (bend[i].terms) add(line, " + "), write_side(&bend[i], &names, line);
    add(line, "\n");
    strcat(h->lets, line);
    v[i] = s->guess[i] - side_value(&bend[i], v);
  }
  for (int i = 0; i < n; i++) {
    s->guess[i] = 0;
    for (int j = 0; j < n; j++) s->guess[i] += inverse[i][j] * v[j];
  }
}

/* One of the open equations is left out; another one keeps its unknown in derivative form. */
static void leave_out(open_system *s) {
  int i = pick(s->u), k = (i + 1 + pick(s->u - 1)) % s->u;
  add(s->residual[k], " + %d*u%d'", nonzero(2), i + 1);
  for (int r = i; r + 1 < s->residuals; r++) strcpy(s->residual[r], s->residual[r + 1]);
  s->residuals--;
}

static void mix_equations(hidden *h) {
  open_system *s = &h->open;
  char name[24];
  h->equations = s->residuals;
  for (int i = 0; i < s->residuals; i++) {
    char line[TEXT + 64];
    snprintf(line, sizeof line, "  r%d = %s\n", i + 1, s->residual[i]);
    strcat(h->lets, line);
    bool more = h->how != OPEN && h->differentiated < 2 && !s->twice && chance(0.08);
    if (!more) add(h->equation[i], "r%d", i + 1);
    else add(h->equation[i], "r%d' + %d*r%d", i + 1, pick(3), i + 1), h->differentiated++;
  }
  /* add a multiple of one equation to another; the factor is a number, or a function of one
   * variable */
  for (int step = chance(0.6) ? pick(4) : 0; step > 0; step--) {
    int i = pick(h->equations), j = pick(h->equations), kind = pick(5);
    if (i == j || strlen(h->equation[i]) + strlen(h->equation[j]) > 300) continue;
    variable_name(h, pick(s->unknowns), name);
    add(h->equation[i], " + %d*", nonzero(2));
    if (kind == 3) add(h->equation[i], "sin(%s)*", name);
    if (kind == 4) add(h->equation[i], "%s*", name);
    add(h->equation[i], "(%s)", h->equation[j]);
  }
  if (chance(0.15)) {
    char wrapped[TEXT] = "";
    int i = pick(h->equations), kind = pick(3);
    variable_name(h, pick(s->free), name);
    if (kind == 0) add(wrapped, "(%s)*(2 + cos(%s))", h->equation[i], name);
    if (kind == 1) add(wrapped, "exp(%s) - 1", h->equation[i]);
    if (kind == 2) add(wrapped, "(%s) + (%s)^3", h->equation[i], h->equation[i]);
    strcpy(h->equation[i], wrapped);
  }
}

/* One more equation that follows from two of the others, or that cannot hold with them. */
static void add_combination(hidden *h) {
  int i = pick(h->equations), j = pick(h->equations);
  char *e = h->equation[h->equations];
  char name[24];
  variable_name(h, pick(h->open.free), name);
  add(e, "%d*(%s)%s + ", nonzero(3), h->equation[i], "");
  /* multipliers that are not unique must not get a derivative */
  switch (pick(h->open.twice ? 2 : 3)) {
  case 0: add(e, "%d*(%s)", nonzero(3), h->equation[j]); break;
  case 1: add(e, "sin(%s)*(%s)", name, h->equation[j]); break;
  default: add(e, "(%s)'", h->equation[j]);
  }
  if (h->how == CONTRADICTORY) add(e, " - 1");
  h->equations++;
}

static void write_model(hidden *h) {
  open_system *s = &h->open;
  char *t = h->text, name[24];
  size_t room = sizeof h->text;
#define WRITE(...) snprintf(t + strlen(t), room - strlen(t), __VA_ARGS__)
  WRITE("model hidden\nvariable ");
  for (int i = 0; i < s->unknowns; i++)
    variable_name(h, i, name), WRITE("%s%s", i ? ", " : "", name);
  WRITE("\nlet\n%s\nequation\n", h->lets);
  for (int i = 0; i < h->equations; i++) WRITE("  %s = 0\n", h->equation[i]);
  WRITE("start t = 0\n");
  for (int i = 0; i < s->unknowns; i++)
    variable_name(h, i, name), WRITE("  %s ~ %.6f\n", name, s->guess[i]);
  WRITE("solve t = 0 .. %g\noutput ", END);
  for (int i = 0; i < s->u; i++) WRITE("%sU%d = u%d", i ? ", " : "", i + 1, i + 1);
  if (s->constraint) WRITE(", Q1 = q1, Q2 = q2, V1 = q1', V2 = q2'");
  if (s->chain) WRITE(", A1 = a1");
  WRITE("\n");
#undef WRITE
}

static void make_hidden(hidden *h) {
  memset(h, 0, sizeof *h);
  int kind = pick(100);
  h->how = kind < 55 ? KEPT : kind < 72 ? REDUNDANT : kind < 87 ? CONTRADICTORY : OPEN;
  do make_open(&h->open);
  while (h->how == OPEN && h->open.u < 2);
  change_variables(h);
  if (h->how == OPEN) leave_out(&h->open);
  mix_equations(h);
  if (h->how == REDUNDANT || h->how == CONTRADICTORY) add_combination(h);
  if (h->how == REDUNDANT && chance(0.3)) add_combination(h);
  write_model(h);
}

/* ---- what must come out ---- */

/* The run's last row is the solution of the explicit system from its first row. */
static tally_run compare_run(const hidden *h, run *r, double *error, char *why, size_t room) {
  const open_system *s = &h->open;
  ritt_options options = run_options(NULL, 1e-9, END);
  double y[STATES], value;
  int n = s->u + (s->constraint ? 4 : 0);
  options.max_steps = 100000;
  run_try(r, &options);
  if (r->status != RITT_OK || r->rows < 2) {
    snprintf(why, room, "%s",
             ritt_error_count(r->error) ? ritt_error_get(r->error, 0)->text
                                        : ritt_status_text(r->status));
    return TALLY_STOPPED;
  }
  for (int i = 0; i < n; i++) y[i] = r->row[1 + i];
  integrate(s, y);
  const double *last = r->row + (r->rows - 1) * r->width + 1;
  for (int i = 0; i < n + (s->chain > 0); i++) {
    value = i < n ? y[i] : prescribed(END);
    double e = fabs(last[i] - value) / fmax(1, fabs(value));
    if (e <= *error) continue;
    *error = e;
    snprintf(why, room, "column %d ends at %.12g, expected %.12g", i + 2, last[i], value);
  }
  return *error <= 1e-7 ? TALLY_SAME : TALLY_OTHER;
}

static void check_hidden(const hidden *h, int number, bool show) {
  static const char *const verdicts[] = {"determined", "determined", "inconsistent",
                                         "underdetermined"};
  static const char *const kinds[] = {"hidden", "hidden, with equations that say nothing new",
                                      "contradictory", "with an equation left out"};
  const ritt_check *c = NULL;
  char why[512] = "";
  run *r = run_text(h->text);
  if (show) printf("---- system %d\n%s", number, h->text);
  if (!r->model) {
    run_complain(r, h->text);
    run_free(r);
    return;
  }
  r->status = ritt_model_check(r->model, r->error, &c);
  int dof = h->open.dof + h->differentiated;
  tally_verdict v = tally_look(c, verdicts[h->how]);
  if (v != TALLY_RIGHT)
    printf("system %d: %s (%s), expected %s\n", number, c->verdict, c->reason ? c->reason : "",
           verdicts[h->how]);
  else if (h->how <= REDUNDANT && c->degrees_of_freedom != dof)
    v = TALLY_WRONG, printf("system %d: dof %d, expected %d\n", number, c->degrees_of_freedom, dof);
  double error = 0;
  tally_run ran = TALLY_NOT_RUN;
  if (v == TALLY_RIGHT && h->how <= REDUNDANT && !h->differentiated)
    ran = compare_run(h, r, &error, why, sizeof why);
  if (ran >= TALLY_STOPPED) printf("system %d: run: %s\n", number, why);
  tally_add(kinds[h->how], v == TALLY_RIGHT && h->how <= REDUNDANT ? c->index : -1,
            h->open.unknowns, v, ran, error);
  run_free(r);
}

int main(int count, char **word) {
  static hidden h;
  int first = count > 1 ? atoi(word[1]) : 1, last = count > 2   ? atoi(word[2])
                                                    : count > 1 ? first
                                                                : SYSTEMS;
  for (int number = 1; number <= last; number++) {
    make_hidden(&h);
    if (number >= first) check_hidden(&h, number, first == last);
  }
  return tally_done(last - first + 1);
}
