/* Random small systems through a known solution, and what is true of them by the derivative array
 * in exact arithmetic.
 *
 * Polynomials y*(t) with random coefficients are the solution. An equation is e = g(t, jets of y) -
 * g(t, jets of y*), a sum of products; it is hidden by differentiation, by multiples of other
 * equations and by functions that vanish with it. So e = 0 along y*, and only the gradients of e
 * count there: they are power series in t, modulo the prime 2^61 - 1, where sin, cos and exp begin
 * at random residues. Ranks of the array of all equations differentiated K times (row (i, k),
 * column (j, m): sum over s of [de_i/dy_j^(s)]_{k-m+s} m!/(m-s)!) are then exact except for an
 * accident of probability 1e-15 or so. The coefficients of y* are random, but they are short
 * numbers, and factors 1 + t may cancel numbers at t = 0 alone. So everything is done twice, the
 * second time with other coefficients and with c + t, c generic: where the truth is another one the
 * start is a special point of the system.
 */
#ifndef RITT_TEST_THROUGH_H
#define RITT_TEST_THROUGH_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "modular.h"

enum {
  THROUGH_VARIABLES = 4,
  THROUGH_EQUATIONS = 6,
  THROUGH_ORDER = 4,   /* the highest derivative in an equation */
  THROUGH_MOST = 12,   /* times that the array is differentiated */
  THROUGH_DEGREE = 16, /* of y*, and of series */
  THROUGH_TEXT = 4096
};

typedef residue series[THROUGH_DEGREE + 1];

/* Choices: 0 .. count-1. */
typedef struct through_source {
  int (*pick)(void *context, int count);
  void *context;
  uint64_t seed; /* of what must be generic, and is not chosen */
  int variables; /* at most; 0: THROUGH_VARIABLES */
  int over;      /* number of independent equations minus number of unknowns */
} through_source;

/* all is determined; what is differentiated is; not even that */
typedef enum { THROUGH_FULL, THROUGH_PART, THROUGH_FREE } through_truth;

typedef struct through {
  int n, k;                                          /* variables, equations */
  long value[THROUGH_VARIABLES][THROUGH_DEGREE + 1]; /* 1000 y*^(m)(0) */
  series gradient[THROUGH_EQUATIONS][THROUGH_VARIABLES][THROUGH_ORDER + 1];
  char equation[THROUGH_EQUATIONS][THROUGH_TEXT], lets[4 * THROUGH_TEXT], text[16 * THROUGH_TEXT];
  residue begin;                /* factors in t are this + t */
  int hidden;                   /* how often something was done to hide it */
  int order[THROUGH_VARIABLES]; /* the highest of each variable */
  /* what is true */
  through_truth truth;
  int index, dof, hidden_constraints;
  bool special; /* of t = 0 alone: beside it something else is true */
} through;

/* A number that nobody chose. */
static inline residue through_generic(through_source *s) {
  s->seed += 0x9e3779b97f4a7c15u;
  uint64_t z = s->seed;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (z ^ (z >> 31)) % MOD_PRIME;
}

static inline void series_multiply(const series a, const series b, series out) {
  series c = {0};
  for (int i = 0; i <= THROUGH_DEGREE; i++)
    for (int j = 0; i + j <= THROUGH_DEGREE; j++)
      c[i + j] = mod_add(c[i + j], mod_multiply(a[i], b[j]));
  memcpy(out, c, sizeof c);
}
static inline void series_add(series a, const series b) {
  for (int i = 0; i <= THROUGH_DEGREE; i++) a[i] = mod_add(a[i], b[i]);
}
static inline void series_scale(series a, residue c) {
  for (int i = 0; i <= THROUGH_DEGREE; i++) a[i] = mod_multiply(a[i], c);
}
/* the last coefficient is lost: series are longer than what is needed of them */
static inline void series_differentiate(const series a, series out) {
  for (int i = 0; i < THROUGH_DEGREE; i++) out[i] = mod_multiply(a[i + 1], (residue)i + 1);
  out[THROUGH_DEGREE] = 0;
}
static inline void series_inverse(const series a, series out) {
  residue c = mod_inverse(a[0]);
  for (int k = 0; k <= THROUGH_DEGREE; k++) {
    residue sum = k == 0;
    for (int i = 1; i <= k; i++) sum = mod_add(sum, mod_negate(mod_multiply(a[i], out[k - i])));
    out[k] = mod_multiply(sum, c);
  }
}

/* ---- factors ---- */

typedef enum { F_ONE, F_JET, F_TIME, F_SQUARE, F_SIN, F_COS, F_EXP, F_SMALL, F_KINDS } factor_kind;
typedef struct factor {
  factor_kind kind;
  int variable, order;
} factor;

static inline __attribute__((format(printf, 3, 4))) void through_add(char *text, size_t room,
                                                                     const char *format, ...) {
  size_t have = strlen(text);
  va_list arguments;
  va_start(arguments, format);
  int more = vsnprintf(text + have, room - have, format, arguments);
  va_end(arguments);
  if (more < 0 || (size_t)more >= room - have) printf("a text is too long\n"), exit(1);
}

static inline const char *through_jet(char name, int order, char out[24]) {
  static const char *const primes[] = {"", "'", "''", "'''"};
  if (order < 4) snprintf(out, 24, "%c%s", name, primes[order]);
  else snprintf(out, 24, "der(%c, %d)", name, order);
  return out;
}

/* The factor with variables x, y, ..., or with the solution X, Y, ... */
static inline void write_factor(const factor *f, bool solution, char *out) {
  char jet[24], text[64];
  through_jet((solution ? "XYZW" : "xyzw")[f->variable], f->order, jet);
  if (f->kind == F_ONE || f->kind == F_TIME)
    snprintf(text, sizeof text, "%s", f->kind == F_ONE ? "1" : "(1 + t)");
  else if (f->kind == F_JET) snprintf(text, sizeof text, "%s", jet);
  else if (f->kind == F_SQUARE) snprintf(text, sizeof text, "%s^2", jet);
  else if (f->kind == F_SMALL) snprintf(text, sizeof text, "(1/(2 + %s^2))", jet);
  else
    snprintf(text, sizeof text, "%s(%s)",
             f->kind == F_SIN   ? "sin"
             : f->kind == F_COS ? "cos"
                                : "exp",
             jet);
  through_add(out, THROUGH_TEXT, "*%s", text);
}

/* y*_j^(s) as a series */
static inline void jet_series(const through *S, int j, int s, series out) {
  residue factorial = 1, thousand = mod_inverse(1000);
  memset(out, 0, sizeof(series));
  for (int m = 0; m + s <= THROUGH_DEGREE; m++) {
    if (m) factorial = mod_multiply(factorial, (residue)m);
    out[m] = mod_multiply(mod_multiply(mod_integer(S->value[j][m + s]), thousand),
                          mod_inverse(factorial));
  }
}

/* sin u and cos u, which begin at a point of the circle that belongs to the jet; exp u likewise. */
static inline void function_series(const series u, residue begin, bool exponential, series sine,
                                   series cosine) {
  residue square = mod_multiply(begin, begin), below = mod_inverse(mod_add(1, square));
  sine[0] = exponential ? begin : mod_multiply(mod_add(begin, begin), below);
  cosine[0] = exponential ? begin : mod_multiply(mod_add(1, mod_negate(square)), below);
  for (int k = 1; k <= THROUGH_DEGREE; k++) {
    residue a = 0, b = 0, inverse = mod_inverse((residue)k);
    for (int i = 1; i <= k; i++) {
      residue du = mod_multiply((residue)i, u[i]);
      a = mod_add(a, mod_multiply(du, cosine[k - i]));
      b = mod_add(b, mod_multiply(du, sine[k - i]));
    }
    sine[k] = mod_multiply(a, inverse);
    cosine[k] = exponential ? sine[k] : mod_multiply(mod_negate(b), inverse);
  }
}

/* A factor and its derivative by its jet. */
static inline void factor_series(const through *S, const factor *f, series value, series slope) {
  series u, sine, cosine;
  memset(value, 0, sizeof(series)), memset(slope, 0, sizeof(series));
  through_source belongs = {
      .seed = (uint64_t)(f->variable * 8 + f->order + 64 * (f->kind == F_EXP)) * 7919u +
              (uint64_t)S->value[0][0] * 104729u};
  jet_series(S, f->variable, f->order, u);
  if (f->kind >= F_SIN && f->kind <= F_EXP)
    function_series(u, through_generic(&belongs), f->kind == F_EXP, sine, cosine);
  switch (f->kind) {
  case F_TIME: value[0] = S->begin, value[1] = 1; break;
  case F_JET: memcpy(value, u, sizeof(series)), slope[0] = 1; break;
  case F_SQUARE:
    series_multiply(u, u, value), memcpy(slope, u, sizeof(series)), series_scale(slope, 2);
    break;
  case F_SIN: memcpy(value, sine, sizeof(series)), memcpy(slope, cosine, sizeof(series)); break;
  case F_COS:
    memcpy(value, cosine, sizeof(series)), memcpy(slope, sine, sizeof(series));
    series_scale(slope, MOD_PRIME - 1);
    break;
  case F_EXP: memcpy(value, sine, sizeof(series)), memcpy(slope, sine, sizeof(series)); break;
  case F_SMALL:
    series_multiply(u, u, sine), sine[0] = mod_add(sine[0], 2);
    series_inverse(sine, value);
    series_multiply(value, value, slope), series_multiply(slope, u, slope);
    series_scale(slope, MOD_PRIME - 2);
    break;
  default: value[0] = 1;
  }
}

/* ---- equations ---- */

static inline factor pick_factor(const through *S, through_source *c, bool linear) {
  static const int orders[] = {0, 0, 0, 1, 1, 2};
  int kind = linear ? F_JET : c->pick(c->context, 2) ? F_JET : c->pick(c->context, F_KINDS);
  return (factor){(factor_kind)kind, c->pick(c->context, S->n), orders[c->pick(c->context, 6)]};
}

/* e = sum of c*f1*f2 with the solution's value taken off; its gradient. */
static inline void make_equation(through *S, int i, through_source *c) {
  int terms = 2 + c->pick(c->context, 3);
  char *text = S->equation[i], value[THROUGH_TEXT] = "";
  bool linear = c->pick(c->context, 3) == 0;
  for (int a = 0; a < terms; a++) {
    long number = c->pick(c->context, 8) - 4;
    int factors = 1 + c->pick(c->context, linear ? 1 : 3);
    factor f[3];
    series v[3], d[3], product, rest;
    number += number >= 0;
    through_add(text, THROUGH_TEXT, "%s%ld/2", a ? " + " : "", number);
    through_add(value, sizeof value, "%s%ld/2", a ? " + " : "", number);
    for (int b = 0; b < factors; b++) {
      f[b] = pick_factor(S, c, linear);
      write_factor(&f[b], false, text), write_factor(&f[b], true, value);
      factor_series(S, &f[b], v[b], d[b]);
    }
    for (int b = 0; b < factors; b++) {
      memcpy(product, d[b], sizeof product);
      for (int other = 0; other < factors; other++)
        if (other != b)
          memcpy(rest, v[other], sizeof rest), series_multiply(product, rest, product);
      series_scale(product, mod_multiply(mod_integer(number), mod_inverse(2)));
      series_add(S->gradient[i][f[b].variable][f[b].order], product);
    }
  }
  through_add(text, THROUGH_TEXT, " - (%s)", value);
}

/* The highest order of an equation; -1: it has no variable. */
static inline int equation_order(const through *S, int i) {
  static const series zero = {0};
  for (int s = THROUGH_ORDER; s >= 0; s--)
    for (int j = 0; j < S->n; j++)
      if (memcmp(S->gradient[i][j][s], zero, sizeof zero)) return s;
  return -1;
}

/* e_i becomes e_i' + c e_i */
static inline void differentiate_equation(through *S, int i, int number) {
  char old[THROUGH_TEXT];
  if (equation_order(S, i) >= THROUGH_ORDER || strlen(S->equation[i]) > 1000) return;
  memcpy(old, S->equation[i], sizeof old);
  S->equation[i][0] = 0;
  through_add(S->equation[i], THROUGH_TEXT, "(%s)' + %d*(%s)", old, number, old);
  for (int j = 0; j < S->n; j++) {
    series next[THROUGH_ORDER + 1];
    for (int s = 0; s <= THROUGH_ORDER; s++) {
      series_differentiate(S->gradient[i][j][s], next[s]);
      if (s) series_add(next[s], S->gradient[i][j][s - 1]);
      series more;
      memcpy(more, S->gradient[i][j][s], sizeof more);
      series_scale(more, mod_integer(number));
      series_add(next[s], more);
    }
    memcpy(S->gradient[i][j], next, sizeof next);
  }
  S->hidden++;
}

/* Has equation k a derivative of this variable of at least this order? */
static inline bool reaches(const through *S, int k, int variable, int order) {
  static const series zero = {0};
  for (int s = order; s <= THROUGH_ORDER; s++)
    if (memcmp(S->gradient[k][variable][s], zero, sizeof zero)) return true;
  return false;
}

/* e_i + f e_k, f a factor. With a higher derivative in f than in e_k the order would fall where e_k
 * = 0 alone, and the solution would be a singular one. */
static inline void mix_equation(through *S, int i, int k, const factor *f) {
  series value, slope, more;
  char old[THROUGH_TEXT];
  bool has_jet = f->kind != F_ONE && f->kind != F_TIME;
  if (has_jet && !(reaches(S, k, f->variable, f->order) && reaches(S, i, f->variable, f->order)))
    return;
  if (strlen(S->equation[i]) + strlen(S->equation[k]) > 1500) return;
  memcpy(old, S->equation[i], sizeof old);
  S->equation[i][0] = 0;
  through_add(S->equation[i], THROUGH_TEXT, "%s + 2", old);
  write_factor(f, false, S->equation[i]);
  through_add(S->equation[i], THROUGH_TEXT, "*(%s)", S->equation[k]);
  factor_series(S, f, value, slope);
  series_scale(value, 2);
  for (int j = 0; j < S->n; j++)
    for (int s = 0; s <= THROUGH_ORDER; s++) {
      series_multiply(value, S->gradient[k][j][s], more);
      series_add(S->gradient[i][j][s], more);
    }
  S->hidden++;
}

static inline void wrap_equation(through *S, int i, int kind) {
  char old[THROUGH_TEXT];
  if (strlen(S->equation[i]) > 700) return;
  memcpy(old, S->equation[i], sizeof old);
  S->equation[i][0] = 0;
  if (kind == 0) through_add(S->equation[i], THROUGH_TEXT, "exp(%s) - 1", old);
  else if (kind == 1) through_add(S->equation[i], THROUGH_TEXT, "(%s) + (%s)^3", old, old);
  else through_add(S->equation[i], THROUGH_TEXT, "sin(%s)", old);
  S->hidden++;
}

/* One more equation, from two others: it says nothing new. false: there is no room. */
static inline bool add_combination(through *S, through_source *c) {
  int i = c->pick(c->context, S->k), k = c->pick(c->context, S->k), e = S->k;
  if (S->k >= THROUGH_EQUATIONS || strlen(S->equation[i]) > 1000) return false;
  memcpy(S->equation[e], S->equation[i], THROUGH_TEXT);
  memcpy(S->gradient[e], S->gradient[i], sizeof S->gradient[e]);
  if (c->pick(c->context, 2)) differentiate_equation(S, e, c->pick(c->context, 3));
  factor f = pick_factor(S, c, false);
  if (f.order > 1) f.order = 1;
  mix_equation(S, e, k, &f);
  S->k++;
  return true;
}

/* ---- ranks ---- */

/* The rank of the array of K differentiations in the jets y_j^(m), m >= lowest[j]. */
static inline int array_rank(const through *S, int K, const int *lowest) {
  enum { WIDTH = THROUGH_ORDER + THROUGH_MOST + 1 };
  int rows = S->k * (K + 1), cols = 0, place[THROUGH_VARIABLES][WIDTH];
  for (int j = 0; j < S->n; j++)
    for (int m = 0; m <= S->order[j] + K; m++) place[j][m] = m >= lowest[j] ? cols++ : -1;
  residue *a = calloc((size_t)(rows * cols) + 1, sizeof *a);
  if (!a) printf("no memory\n"), exit(1);
  for (int i = 0; i < S->k; i++)
    for (int j = 0; j < S->n; j++)
      for (int s = 0; s <= S->order[j] && s <= THROUGH_ORDER; s++)
        for (int k = 0; k <= K; k++)
          for (int m = s; m <= s + k; m++) {
            residue falling = 1;
            if (place[j][m] < 0) continue;
            for (int q = 0; q < s; q++) falling = mod_multiply(falling, (residue)(m - q));
            residue *to = &a[(i * (K + 1) + k) * cols + place[j][m]];
            *to = mod_add(*to, mod_multiply(S->gradient[i][j][s][k - m + s], falling));
          }
  int rank = mod_rank(rows, cols, a);
  free(a);
  return rank;
}

/* z: the jets below the highest order of each variable, at least the variable itself. */
static inline void find_truth(through *S) {
  int zero[THROUGH_VARIABLES] = {0}, above[THROUGH_VARIABLES], next[THROUGH_VARIABLES], z = 0,
      moving = 0;
  int part[THROUGH_VARIABLES], part_next[THROUGH_VARIABLES];
  static const series none = {0};
  for (int j = 0; j < S->n; j++) {
    S->order[j] = 0;
    for (int i = 0; i < S->k; i++)
      for (int s = 0; s <= THROUGH_ORDER; s++)
        if (memcmp(S->gradient[i][j][s], none, sizeof none) && s > S->order[j]) S->order[j] = s;
    above[j] = S->order[j] > 1 ? S->order[j] : 1, next[j] = above[j] + 1, z += above[j];
    /* the same for those that are differentiated, whatever the others are */
    part[j] = S->order[j] ? above[j] : 0, part_next[j] = S->order[j] ? next[j] : 0,
    moving += S->order[j] > 0;
  }
  int most = 0;
  for (int j = 0; j < S->n; j++) most += above[j];
  most = most + 1 < THROUGH_MOST - 2 ? most + 1 : THROUGH_MOST - 2;
  S->truth = THROUGH_FREE, S->index = S->dof = S->hidden_constraints = -1;
  for (int K = 0; K <= most; K++) {
    int with = array_rank(S, K, above);
    if (with == S->n + array_rank(S, K, next)) {
      S->truth = THROUGH_FULL, S->index = K;
      int first = z - (array_rank(S, 0, zero) - array_rank(S, 0, above));
      S->dof = z - (array_rank(S, most, zero) - array_rank(S, most, above));
      S->hidden_constraints = first - S->dof;
      return;
    }
    if (array_rank(S, K, part) == moving + array_rank(S, K, part_next)) S->truth = THROUGH_PART;
  }
}

/* ---- the model ---- */

static inline void write_through(through *S, double end) {
  char jet[24];
#define WRITE(...) through_add(S->text, sizeof S->text, __VA_ARGS__)
  WRITE("model through\nvariable ");
  for (int j = 0; j < S->n; j++) WRITE("%s%c", j ? ", " : "", "xyzw"[j]);
  WRITE("\nlet\n");
  for (int j = 0; j < S->n; j++) {
    double factorial = 1000;
    WRITE("  %c = ", "XYZW"[j]);
    for (int m = 0; m <= THROUGH_DEGREE; m++) {
      if (m > 1) factorial *= m;
      if (S->value[j][m]) WRITE("%s%ld/%.0f*t^%d", m ? " + " : "", S->value[j][m], factorial, m);
    }
    WRITE("\n");
  }
  WRITE("equation\n");
  for (int i = 0; i < S->k; i++) WRITE("  %s = 0\n", S->equation[i]);
  WRITE("start t = 0\n");
  for (int j = 0; j < S->n; j++)
    for (int m = 0; m <= S->order[j]; m++)
      WRITE("  %s %s %ld/1000\n", through_jet("xyzw"[j], m, jet),
            m < S->order[j] || m == 0 ? "=" : "~", S->value[j][m]);
  WRITE("solve t = 0 .. %g\noutput ", end);
  for (int j = 0; j < S->n; j++) WRITE("%s%c", j ? ", " : "", "xyzw"[j]);
  WRITE("\n");
#undef WRITE
}

static inline double through_solution(const through *S, int j, double t) {
  double sum = 0;
  for (int m = THROUGH_DEGREE; m > 0; m--) sum = (sum + (double)S->value[j][m] / 1000) * t / m;
  return sum + (double)S->value[j][0] / 1000;
}

/* The system of these choices, its factors in t beginning at `begin`; without its text. */
static inline void choose_through(through *S, through_source *c, residue begin) {
  static const int more[] = {0, 0, 0, 0, 0, 0, 0, -1};
  memset(S, 0, sizeof *S);
  S->begin = begin;
  S->n = 1 + c->pick(c->context, c->variables ? c->variables : THROUGH_VARIABLES);
  S->k = S->n + c->over + more[c->pick(c->context, 8)];
  if (S->k < 1) S->k = 1;
  for (int j = 0; j < S->n; j++)
    for (int m = 0; m <= THROUGH_DEGREE; m++) {
      residue r = through_generic(c);
      S->value[j][m] = (long)(r % 1500) + 100;
      if (r >> 40 & 1) S->value[j][m] = -S->value[j][m];
    }
  for (int i = 0; i < S->k; i++) make_equation(S, i, c);
  /* first differentiated, then mixed: what is mixed in must vanish where the system holds, not
   * along the solution only */
  for (int step = c->pick(c->context, 3); step > 0; step--)
    differentiate_equation(S, c->pick(c->context, S->k), c->pick(c->context, 3));
  for (int step = c->pick(c->context, 4); step > 0; step--) {
    int i = c->pick(c->context, S->k), k = c->pick(c->context, S->k);
    factor f = pick_factor(S, c, false);
    if (f.order > 1) f.order = 1;
    if (c->pick(c->context, 3) == 0) wrap_equation(S, i, c->pick(c->context, 3));
    else if (i != k) mix_equation(S, i, k, &f);
  }
  if (c->pick(c->context, 4) == 0) (void)add_combination(S, c);
  find_truth(S);
}

/* Choices that are made once and remembered. */
typedef struct through_memory {
  through_source *source;
  int made[2000], count, at;
} through_memory;

static inline int through_choose(void *context, int count) {
  through_memory *m = context;
  if (m->at < m->count) return m->made[m->at++];
  if (m->count == (int)(sizeof m->made / sizeof *m->made)) printf("too many choices\n"), exit(1);
  m->at++;
  return m->made[m->count++] = m->source->pick(m->source->context, count);
}

static inline void make_through(through *S, through_source *c, double end) {
  static through beside;
  static through_memory memory;
  memory = (through_memory){.source = c};
  through_source again = {through_choose, &memory, c->seed, c->variables, c->over};
  choose_through(S, &again, 1);
  memory.at = 0;
  again.seed = ~c->seed;
  choose_through(&beside, &again, 0x123456789abcdefu);
  S->special = S->truth != beside.truth || S->index != beside.index || S->dof != beside.dof ||
               S->hidden_constraints != beside.hidden_constraints;
  write_through(S, end);
}

#endif
