/* Decisions modulo primes about equations that are linear with constant coefficients.
 *
 * Row (i, r) has the coefficient c (r + k)!/r! in the column of y_v^(r + k) for a term c y_v^(k),
 * and as its value the r-th Taylor coefficient of the forcing at a random t. The forcing is a point
 * of its differential field: exp(u) and exp(i u) of the monomials u = t^k pi^l are algebraically
 * independent, so they begin at random residues, and sums of rational multiples of such monomials
 * at products of powers of these. A function of any other kind has random Taylor coefficients: if a
 * combination vanishes for these it vanishes for every function, and otherwise nothing is known.
 *
 * Elimination goes level by level: level l holds the jets y_v^(top[v] + l), and the last level all
 * jets below the tops. Pivot rows have the columns of their own level only. A row that vanishes on
 * a level is carried to the next one as a combination of the rows given, which is formed by a
 * transposed sweep; so a band stays a band.
 *
 * A rank modulo p is at most the true rank, and less with a probability of about 1e-15. Two primes
 * must give the same pivots and values; if they differ, other primes are asked. */
#include <stdlib.h>
#include "complete/linear.h"
#include "complete/residue.h"

/* ---- the forcing ---- */

enum { MOST_MONOMIALS = 8 };

/* u = sum of coefficient * t^power * pi^pi */
typedef struct monomials {
  int count;
  struct {
    int power, pi;
    mpq_t coefficient;
  } at[MOST_MONOMIALS];
} monomials;

/* Is it t^k, k >= 1? */
static bool is_time_power(const ritti_dag *dag, ritti_expr e, int *power) {
  *power = 1;
  if (ritti_op_of(dag, e) == RITTI_INDEPENDENT) return true;
  if (ritti_op_of(dag, e) != RITTI_POWER) return false;
  ritti_expr base = ritti_argument(dag, e, 0), exponent = ritti_argument(dag, e, 1);
  if (ritti_op_of(dag, base) != RITTI_INDEPENDENT) return false;
  if (ritti_op_of(dag, exponent) != RITTI_NUMBER) return false;
  mpq_srcptr k = ritti_rational_of(dag, exponent);
  if (mpz_cmp_ui(mpq_denref(k), 1) || mpq_cmp_ui(k, 1, 1) < 0 || mpq_cmp_ui(k, 50, 1) > 0)
    return false;
  *power = (int)mpz_get_si(mpq_numref(k));
  return true;
}

/* Adds factor * e; false: e is no sum of rational multiples of monomials. */
static bool add_monomials(const ritti_dag *dag, ritti_expr e, mpq_srcptr factor, monomials *out) {
  int power = 0, pi = 0;
  bool good = true;
  mpq_t product;
  switch (ritti_op_of(dag, e)) {
  case RITTI_ADD:
    for (size_t i = 0; i < ritti_argument_count(dag, e) && good; i++)
      good = add_monomials(dag, ritti_argument(dag, e, i), factor, out);
    return good;
  case RITTI_MULTIPLY:
    if (ritti_op_of(dag, ritti_argument(dag, e, 0)) == RITTI_NUMBER) {
      mpq_init(product);
      mpq_mul(product, factor, ritti_rational_of(dag, ritti_argument(dag, e, 0)));
      good = add_monomials(dag, ritti_argument(dag, e, 1), product, out);
      mpq_clear(product);
      return good;
    }
    for (size_t i = 0; i < ritti_argument_count(dag, e); i++) {
      ritti_expr f = ritti_argument(dag, e, i);
      if (ritti_op_of(dag, f) == RITTI_PI) pi++;
      else if (power > 0 || !is_time_power(dag, f, &power)) return false;
    }
    break;
  case RITTI_NUMBER: break;
  default:
    if (!is_time_power(dag, e, &power)) return false;
  }

  int at = 0;
  while (at < out->count && (out->at[at].power != power || out->at[at].pi != pi)) at++;
  if (at == MOST_MONOMIALS) return false;
  if (at == out->count) {
    out->at[at].power = power;
    out->at[at].pi = pi;
    mpq_init(out->at[out->count++].coefficient);
  }
  mpq_init(product);
  mpq_set(product, factor);
  if (ritti_op_of(dag, e) == RITTI_NUMBER) mpq_mul(product, product, ritti_rational_of(dag, e));
  mpq_add(out->at[at].coefficient, out->at[at].coefficient, product);
  mpq_clear(product);
  return true;
}

/* A whole number that the denominators in arguments of exp, sin and cos divide. */
static void set_denominator(mpz_t d) {
  mpz_set_str(d, "100000000000000000000", 10); /* 10^20 */
  mpz_mul_ui(d, d, 729ul * 343 * 11 * 13 * 17 * 19);
  mpz_mul_ui(d, d, 23ul * 29 * 31 * 37 * 41 * 43 * 47);
}

/* exp(u), or exp(i u) if turning, as a residue; false: u is not of the form that is known. */
static bool exponential_begin(const ritti_dag *dag, ritti_expr u, bool turning,
                              const ritti_prime *P, ritti_residue *out) {
  monomials sum = {0};
  mpz_t d, e;
  mpq_t one;
  mpz_inits(d, e, NULL);
  mpq_init(one);
  mpq_set_ui(one, 1, 1);
  set_denominator(d);
  bool good = add_monomials(dag, u, one, &sum);
  *out = P->one;
  for (int i = 0; i < sum.count && good; i++) {
    uint64_t key = ((uint64_t)sum.at[i].power * 64 + (uint64_t)sum.at[i].pi) * 2 + turning;
    bool constant = sum.at[i].power == 0;
    /* sin(t + pi/2) is cos(t): constant multiples of pi are not independent of numbers */
    good = mpz_divisible_p(d, mpq_denref(sum.at[i].coefficient)) &&
           !(constant && turning && sum.at[i].pi > 0);
    if (!good) break;
    mpz_divexact(e, d, mpq_denref(sum.at[i].coefficient));
    mpz_mul(e, e, mpq_numref(sum.at[i].coefficient));
    ritti_residue base = ritti_residue_random(P, key + ((uint64_t)1 << 40));
    *out = ritti_residue_multiply(P, *out, ritti_residue_power(P, base, mpz_fdiv_ui(e, P->p - 1)));
  }
  for (int i = 0; i < sum.count; i++) mpq_clear(sum.at[i].coefficient);
  mpz_clears(d, e, NULL);
  mpq_clear(one);
  return good;
}

/* What is known of a node below the forcings. */
typedef struct node_kind {
  bool moves;  /* depends on t */
  bool opaque; /* holds a function whose Taylor coefficients are taken at random */
} node_kind;

/* Everything modulo one prime. */
typedef struct image {
  ritti_prime P;
  ritti_residue *coefficient; /* of each term */
  ritti_residue *series;      /* of each forcing: terms */
  int terms;
} image;

enum { AGREEING = 2 };

typedef struct modular {
  const ritti_linear *L;
  ritti_arena *arena;
  ritti_backend *backend;
  ritti_nodes nodes; /* below the forcings */
  node_kind *kind;   /* of each node */
  bool *opaque;      /* of each forcing */
  image image[AGREEING];
  int next_prime;
} modular;

static bool is_whole(const ritti_dag *dag, ritti_expr e) {
  return ritti_op_of(dag, e) == RITTI_NUMBER &&
         mpz_cmp_ui(mpq_denref(ritti_rational_of(dag, e)), 1) == 0 &&
         mpz_fits_sshort_p(mpq_numref(ritti_rational_of(dag, e)));
}

/* Is it one of the functions that begin at a known residue? */
static bool is_known_function(const ritti_dag *dag, ritti_expr e) {
  ritti_prime P = ritti_prime_make(0);
  ritti_residue begin;
  ritti_op op = ritti_op_of(dag, e);
  bool turning = op == RITTI_SIN || op == RITTI_COS || op == RITTI_TAN;
  if (!turning && op != RITTI_EXP && op != RITTI_SINH && op != RITTI_COSH && op != RITTI_TANH)
    return false;
  return exponential_begin(dag, ritti_argument(dag, e, 0), turning, &P, &begin);
}

static ritt_status find_kinds(modular *M) {
  const ritti_dag *dag = M->L->dag;
  RITTI_NEW(M->kind, M->arena, M->nodes.count + 1);
  RITTI_NEW(M->opaque, M->arena, M->L->equations + 1);
  for (size_t n = 0; n < M->nodes.count; n++) {
    ritti_expr e = M->nodes.at[n];
    ritti_op op = ritti_op_of(dag, e);
    node_kind *kind = &M->kind[n];
    bool known = op == RITTI_NUMBER || op == RITTI_PI || op == RITTI_INDEPENDENT ||
                 op == RITTI_ADD || op == RITTI_MULTIPLY ||
                 (op == RITTI_POWER && is_whole(dag, ritti_argument(dag, e, 1))) ||
                 is_known_function(dag, e);
    kind->opaque = !known;
    kind->moves = op == RITTI_INDEPENDENT;
    for (size_t i = 0; i < ritti_argument_count(dag, e); i++) {
      const node_kind *below = &M->kind[ritti_node_place(&M->nodes, ritti_argument(dag, e, i))];
      kind->opaque = kind->opaque || below->opaque;
      kind->moves = kind->moves || below->moves;
    }
  }
  for (int i = 0; i < M->L->equations; i++)
    M->opaque[i] = M->kind[ritti_node_place(&M->nodes, M->L->forcing[i])].opaque;
  return RITT_OK;
}

/* ---- power series modulo a prime ---- */

static void series_multiply(const ritti_prime *P, int terms, const ritti_residue *a,
                            const ritti_residue *b, ritti_residue *out) {
  for (int k = terms - 1; k >= 0; k--) {
    ritti_residue sum = 0;
    for (int i = 0; i <= k; i++)
      sum = ritti_residue_add(P, sum, ritti_residue_multiply(P, a[i], b[k - i]));
    out[k] = sum;
  }
}

/* out is not a; false: a begins with 0 */
static bool series_invert(const ritti_prime *P, int terms, const ritti_residue *a,
                          ritti_residue *out) {
  if (!a[0]) return false;
  ritti_residue first = ritti_residue_inverse(P, a[0]);
  for (int k = 0; k < terms; k++) {
    ritti_residue sum = k == 0 ? P->one : 0;
    for (int i = 1; i <= k; i++) {
      ritti_residue product = ritti_residue_multiply(P, a[i], out[k - i]);
      sum = ritti_residue_add(P, sum, ritti_residue_negate(P, product));
    }
    out[k] = ritti_residue_multiply(P, sum, first);
  }
  return true;
}

static bool series_power(const ritti_prime *P, int terms, const ritti_residue *a, long exponent,
                         ritti_residue *scratch, ritti_residue *out) {
  ritti_residue *base = scratch, *inverse = scratch + terms;
  memcpy(base, a, (size_t)terms * sizeof *base);
  if (exponent < 0) {
    if (!series_invert(P, terms, a, inverse)) return false;
    memcpy(base, inverse, (size_t)terms * sizeof *base);
  }
  memset(out, 0, (size_t)terms * sizeof *out);
  out[0] = P->one;
  for (long left = labs(exponent); left; left >>= 1) {
    if (left & 1) series_multiply(P, terms, out, base, out);
    series_multiply(P, terms, base, base, base);
  }
  return true;
}

/* e^(c u) along u, from its first coefficient: k out_k = c sum i u_i out_(k-i). */
static void series_exponential(const ritti_prime *P, int terms, const ritti_residue *u,
                               ritti_residue factor, ritti_residue begin, ritti_residue *out) {
  out[0] = begin;
  for (int k = 1; k < terms; k++) {
    ritti_residue sum = 0;
    for (int i = 1; i <= k; i++) {
      ritti_residue slope = ritti_residue_multiply(P, ritti_residue_from(P, (uint64_t)i), u[i]);
      sum = ritti_residue_add(P, sum, ritti_residue_multiply(P, slope, out[k - i]));
    }
    ritti_residue inverse = ritti_residue_inverse(P, ritti_residue_from(P, (uint64_t)k));
    out[k] = ritti_residue_multiply(P, ritti_residue_multiply(P, sum, inverse), factor);
  }
}

/* sin, cos, tan, sinh, cosh, tanh and exp by exponentials: E = e^u or e^(i u). */
static bool series_function(const ritti_dag *dag, ritti_expr e, const ritti_prime *P, int terms,
                            const ritti_residue *u, ritti_residue *scratch, ritti_residue *out) {
  ritti_op op = ritti_op_of(dag, e);
  bool turning = op == RITTI_SIN || op == RITTI_COS || op == RITTI_TAN;
  ritti_residue *up = scratch, *down = scratch + terms, *sine = scratch + 2 * terms;
  ritti_residue two = ritti_residue_from(P, 2), begin;
  ritti_residue i = ritti_residue_power(P, two, (P->p - 1) / 4); /* its square is -1 */
  ritti_residue factor = turning ? i : P->one, half = ritti_residue_inverse(P, two);
  if (!exponential_begin(dag, ritti_argument(dag, e, 0), turning, P, &begin)) return false;

  series_exponential(P, terms, u, factor, begin, up);
  if (op == RITTI_EXP) {
    memcpy(out, up, (size_t)terms * sizeof *out);
    return true;
  }
  series_exponential(P, terms, u, ritti_residue_negate(P, factor), ritti_residue_inverse(P, begin),
                     down);
  ritti_residue over = ritti_residue_multiply(P, half, ritti_residue_inverse(P, factor));
  for (int k = 0; k < terms; k++) {
    sine[k] = ritti_residue_add(P, up[k], ritti_residue_negate(P, down[k]));
    sine[k] = ritti_residue_multiply(P, sine[k], over);
    out[k] = ritti_residue_multiply(P, ritti_residue_add(P, up[k], down[k]), half);
  }
  if (op == RITTI_COS || op == RITTI_COSH) return true;
  if (op == RITTI_SIN || op == RITTI_SINH) {
    memcpy(out, sine, (size_t)terms * sizeof *out);
    return true;
  }
  if (!series_invert(P, terms, out, up)) return false;
  series_multiply(P, terms, sine, up, out);
  return true;
}

/* The residue of a number; false: p divides its numerator or its denominator. */
static bool number_value(const ritti_dag *dag, ritti_expr e, const ritti_prime *P,
                         ritti_residue *out) {
  mpq_srcptr number = ritti_rational_of(dag, e);
  return ritti_residue_rational(P, number, out) && (*out || mpq_sgn(number) == 0);
}

/* The series of one node from those of its arguments; false: p divides a number. */
static bool node_series(const modular *M, const ritti_prime *P, size_t n, int terms,
                        ritti_residue *series, ritti_residue *scratch) {
  const ritti_dag *dag = M->L->dag;
  ritti_expr e = M->nodes.at[n];
  ritti_residue *out = series + n * (size_t)terms;
  const ritti_residue *first = NULL;
  size_t arguments = ritti_argument_count(dag, e);
  if (arguments)
    first = series + ritti_node_place(&M->nodes, ritti_argument(dag, e, 0)) * (size_t)terms;

  switch (ritti_op_of(dag, e)) {
  case RITTI_NUMBER: return number_value(dag, e, P, &out[0]);
  case RITTI_PI: out[0] = ritti_residue_random(P, 1); return true;
  case RITTI_INDEPENDENT:
    out[0] = ritti_residue_random(P, 2);
    if (terms > 1) out[1] = P->one;
    return true;
  case RITTI_ADD:
    for (size_t i = 0; i < arguments; i++) {
      size_t place = ritti_node_place(&M->nodes, ritti_argument(dag, e, i));
      for (int k = 0; k < terms; k++)
        out[k] = ritti_residue_add(P, out[k], series[place * (size_t)terms + (size_t)k]);
    }
    return true;
  case RITTI_MULTIPLY:
    memcpy(out, first, (size_t)terms * sizeof *out);
    for (size_t i = 1; i < arguments; i++) {
      size_t place = ritti_node_place(&M->nodes, ritti_argument(dag, e, i));
      series_multiply(P, terms, out, series + place * (size_t)terms, out);
    }
    return true;
  case RITTI_POWER:
    if (!is_whole(dag, ritti_argument(dag, e, 1))) break;
    return series_power(P, terms, first,
                        mpz_get_si(mpq_numref(ritti_rational_of(dag, ritti_argument(dag, e, 1)))),
                        scratch, out);
  default:
    if (is_known_function(dag, e)) return series_function(dag, e, P, terms, first, scratch, out);
  }

  for (int k = 0; k < (M->kind[n].moves ? terms : 1); k++)
    out[k] = ritti_residue_random(P, ((uint64_t)e << 12) + (uint64_t)k + ((uint64_t)1 << 50));
  return true;
}

/* The value of a coefficient; false: a division by 0 modulo p. */
static bool constant_value(const ritti_dag *dag, ritti_expr e, const ritti_prime *P,
                           ritti_residue *out) {
  ritti_residue value;
  switch (ritti_op_of(dag, e)) {
  case RITTI_NUMBER: return number_value(dag, e, P, out);
  case RITTI_PI: *out = ritti_residue_random(P, 1); return true;
  case RITTI_POWER: {
    long exponent = mpz_get_si(mpq_numref(ritti_rational_of(dag, ritti_argument(dag, e, 1))));
    if (!constant_value(dag, ritti_argument(dag, e, 0), P, &value)) return false;
    if (exponent < 0 && !value) return false;
    if (exponent < 0) value = ritti_residue_inverse(P, value);
    *out = ritti_residue_power(P, value, (uint64_t)labs(exponent));
    return true;
  }
  default: {
    bool add = ritti_op_of(dag, e) == RITTI_ADD;
    *out = add ? 0 : P->one;
    for (size_t i = 0; i < ritti_argument_count(dag, e); i++) {
      if (!constant_value(dag, ritti_argument(dag, e, i), P, &value)) return false;
      *out = add ? ritti_residue_add(P, *out, value) : ritti_residue_multiply(P, *out, value);
    }
    return true;
  }
  }
}

/* Taylor coefficients of the forcings, `terms` of each; *good = false: a division by 0. */
static ritt_status make_series(modular *M, image *I, int terms, bool *good) {
  const ritti_linear *L = M->L;
  size_t all = M->nodes.count * (size_t)terms;
  ritti_residue *series = ritti_malloc((all + 4 * (size_t)terms + 1) * sizeof *series);
  if (!series) return RITT_NO_MEMORY;
  memset(series, 0, all * sizeof *series);
  *good = true;
  for (size_t n = 0; n < M->nodes.count && *good; n++)
    *good = node_series(M, &I->P, n, terms, series, series + all);
  I->series =
      ritti_arena_alloc(M->arena, (size_t)L->equations * (size_t)terms + 1, sizeof *I->series);
  I->terms = terms;
  for (int i = 0; i < L->equations && I->series; i++)
    memcpy(I->series + i * terms,
           series + ritti_node_place(&M->nodes, L->forcing[i]) * (size_t)terms,
           (size_t)terms * sizeof *series);
  ritti_free(series);
  return I->series ? RITT_OK : RITT_NO_MEMORY;
}

/* false: a division by 0 modulo p */
static bool set_coefficients(const ritti_linear *L, image *I) {
  for (int e = 0; e < L->start[L->equations]; e++)
    if (!constant_value(L->dag, L->term[e].coefficient, &I->P, &I->coefficient[e])) return false;
  return true;
}

/* The system modulo the next prime that divides no denominator. */
static ritt_status next_image(modular *M, image *I, int terms) {
  const ritti_linear *L = M->L;
  for (bool good = false; !good;) {
    if (M->next_prime == RITTI_PRIMES) {
      M->backend->reason = "every prime that was tried divides a number of the model";
      return RITT_UNDECIDED;
    }
    I->P = ritti_prime_make(M->next_prime++);
    good = set_coefficients(L, I);
    if (good) RITT_TRY(make_series(M, I, terms, &good));
  }
  return RITT_OK;
}

/* ---- elimination ---- */

typedef struct entry {
  int at; /* a column, a pivot, or a position in the list of rows */
  ritti_residue value;
} entry;
typedef RITTI_ARRAY(entry) entries;

typedef struct pivot_row {
  int position;     /* of the row in the list */
  int column;       /* whose entry is 1; the others follow */
  int first, last;  /* entries of the row beside the pivot */
  int ops, ops_end; /* multiples of earlier pivot rows that were subtracted */
  int combination, combination_end;
  ritti_residue inverse;
} pivot_row;

/* Scratch of one elimination. */
typedef struct elimination {
  const modular *M;
  const image *I;
  const ritti_row_id *rows;
  int count;
  const int *top;
  ritti_combination *combination_out; /* of each row; NULL: not wanted */
  int columns;                        /* of the widest level */
  int *first_lower;                   /* of each variable: its first column of the last level */
  ritti_residue *work;                /* columns */
  int *pivot_of;                      /* columns: number of the pivot row, -1: none */
  int *uses;                          /* columns: rows that have an entry there */
  bool *touched, *queued;             /* columns, pivot rows */
  ritti_residue *weight;              /* of each pivot row; 0 between uses */
  ritti_residue *sum;                 /* of each position, or variable; 0 between uses */
  RITTI_ARRAY(int) columns_used, heap, used;
  RITTI_ARRAY(pivot_row) pivot;
  entries row, op, combination[2];
  RITTI_ARRAY(int) active[2], begin[2]; /* positions; starts of their combinations */
} elimination;

static ritt_status heap_add(elimination *E, int item, int sign) {
  RITT_TRY(RITTI_PUSH(E->heap, item));
  size_t at = E->heap.count - 1;
  while (at > 0 && sign * E->heap.at[(at - 1) / 2] > sign * item) {
    E->heap.at[at] = E->heap.at[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  E->heap.at[at] = item;
  return RITT_OK;
}

static int heap_take(elimination *E, int sign) {
  int first = E->heap.at[0], item = E->heap.at[--E->heap.count];
  size_t at = 0;
  for (;;) {
    size_t child = 2 * at + 1;
    if (child >= E->heap.count) break;
    if (child + 1 < E->heap.count && sign * E->heap.at[child + 1] < sign * E->heap.at[child])
      child++;
    if (sign * E->heap.at[child] >= sign * item) break;
    E->heap.at[at] = E->heap.at[child];
    at = child;
  }
  E->heap.at[at] = item;
  return first;
}

/* The level of y_v^(order): how far it is above the top, -1 for all jets below. */
static int level_of(const elimination *E, int variable, int order) {
  int level = order - E->top[variable];
  return level < 0 ? -1 : level;
}

static int column_of(const elimination *E, int level, int variable, int order) {
  return level < 0 ? E->first_lower[variable] + order : variable;
}

/* work[column] += value; a column that was not there may bring a pivot row into the heap */
static ritt_status add_entry(elimination *E, int column, ritti_residue value) {
  if (!E->touched[column]) {
    E->touched[column] = true;
    RITT_TRY(RITTI_PUSH(E->columns_used, column));
    int pivot = E->pivot_of[column];
    if (pivot >= 0 && !E->queued[pivot]) {
      E->queued[pivot] = true;
      RITT_TRY(heap_add(E, pivot, 1));
    }
  }
  E->work[column] = ritti_residue_add(&E->I->P, E->work[column], value);
  return RITT_OK;
}

/* The entries of a row (i, r) on a level, times a factor, into the work vector. */
static ritt_status add_row(elimination *E, int position, int level, ritti_residue factor) {
  const ritti_linear *L = E->M->L;
  const ritti_prime *P = &E->I->P;
  ritti_row_id row = E->rows[position];
  for (int e = L->start[row.equation]; e < L->start[row.equation + 1]; e++) {
    const ritti_linear_term *term = &L->term[e];
    int order = term->order + row.order;
    if (level_of(E, term->variable, order) != level) continue;
    ritti_residue value = ritti_residue_multiply(P, factor, E->I->coefficient[e]);
    for (int k = row.order + 1; k <= order; k++)
      value = ritti_residue_multiply(P, value, ritti_residue_from(P, (uint64_t)k));
    RITT_TRY(add_entry(E, column_of(E, level, term->variable, order), value));
  }
  return RITT_OK;
}

/* Subtracts pivot rows until no pivot column is left; what was subtracted goes to E->op. */
static ritt_status reduce_work(elimination *E) {
  const ritti_prime *P = &E->I->P;
  while (E->heap.count > 0) {
    int k = heap_take(E, 1);
    const pivot_row pivot = E->pivot.at[k];
    ritti_residue factor = E->work[pivot.column];
    E->queued[k] = false;
    if (!factor) continue;
    E->work[pivot.column] = 0;
    RITT_TRY(RITTI_PUSH(E->op, ((entry){k, factor})));
    ritti_residue minus = ritti_residue_negate(P, factor);
    for (int e = pivot.first; e < pivot.last; e++) {
      entry other = E->row.at[e];
      RITT_TRY(add_entry(E, other.at, ritti_residue_multiply(P, minus, other.value)));
    }
  }
  return RITT_OK;
}

/* The row in the work vector becomes a pivot row at the column that the fewest rows use. */
static ritt_status keep_pivot(elimination *E, pivot_row pivot) {
  const ritti_prime *P = &E->I->P;
  pivot.column = -1;
  for (size_t i = 0; i < E->columns_used.count; i++) {
    int c = E->columns_used.at[i];
    if (!E->work[c]) continue;
    if (pivot.column < 0 || E->uses[c] < E->uses[pivot.column] ||
        (E->uses[c] == E->uses[pivot.column] && c < pivot.column))
      pivot.column = c;
  }
  pivot.inverse = ritti_residue_inverse(P, E->work[pivot.column]);
  pivot.first = (int)E->row.count;
  for (size_t i = 0; i < E->columns_used.count; i++) {
    int c = E->columns_used.at[i];
    if (c == pivot.column || !E->work[c]) continue;
    RITT_TRY(
        RITTI_PUSH(E->row, ((entry){c, ritti_residue_multiply(P, E->work[c], pivot.inverse)})));
  }
  pivot.last = (int)E->row.count;
  pivot.ops_end = (int)E->op.count;
  E->pivot_of[pivot.column] = (int)E->pivot.count;
  return RITTI_PUSH(E->pivot, pivot);
}

/* sum[position] += value; `used` lists the positions */
static ritt_status add_to_sum(elimination *E, int position, ritti_residue value) {
  if (!E->sum[position]) RITT_TRY(RITTI_PUSH(E->used, position));
  E->sum[position] = ritti_residue_add(&E->I->P, E->sum[position], value);
  return RITT_OK;
}

/* The combination of given rows that has vanished: the row's own one minus those of the pivot rows
 * subtracted from it, each of which is a combination itself. */
static ritt_status carry_combination(elimination *E, const entries *from, int begin, int end,
                                     int ops, entries *to) {
  const ritti_prime *P = &E->I->P;
  E->used.count = 0;
  for (int e = begin; e < end; e++) RITT_TRY(add_to_sum(E, from->at[e].at, from->at[e].value));
  for (size_t o = (size_t)ops; o < E->op.count; o++) {
    entry op = E->op.at[o];
    E->weight[op.at] = ritti_residue_negate(P, op.value);
    E->queued[op.at] = true;
    RITT_TRY(heap_add(E, op.at, -1));
  }
  while (E->heap.count > 0) {
    int k = heap_take(E, -1);
    const pivot_row *pivot = &E->pivot.at[k];
    ritti_residue factor = ritti_residue_multiply(P, E->weight[k], pivot->inverse);
    ritti_residue minus = ritti_residue_negate(P, factor);
    E->weight[k] = 0;
    E->queued[k] = false;
    for (int e = pivot->combination; e < pivot->combination_end; e++) {
      ritti_residue part = ritti_residue_multiply(P, factor, from->at[e].value);
      RITT_TRY(add_to_sum(E, from->at[e].at, part));
    }
    for (int o = pivot->ops; o < pivot->ops_end; o++) {
      int j = E->op.at[o].at;
      ritti_residue part = ritti_residue_multiply(P, minus, E->op.at[o].value);
      E->weight[j] = ritti_residue_add(P, E->weight[j], part);
      if (E->queued[j]) continue;
      E->queued[j] = true;
      RITT_TRY(heap_add(E, j, -1));
    }
  }
  for (size_t i = 0; i < E->used.count; i++) {
    entry e = {E->used.at[i], E->sum[E->used.at[i]]};
    E->sum[e.at] = 0;
    if (e.value) RITT_TRY(RITTI_PUSH(*to, e));
  }
  return RITT_OK;
}

static int compare_entries(const void *a, const void *b) {
  const entry *l = a, *r = b;
  return (l->at > r->at) - (l->at < r->at);
}

/* The positions in a combination, ascending, and the weights if they are wanted. */
static ritt_status keep_support(const elimination *E, entries *from, int begin, int end,
                                int position, ritti_arena *arena, ritti_echelon_row *out) {
  int *support, count = end - begin;
  uint64_t *weight;
  RITTI_NEW(support, arena, count + 1);
  qsort(from->at + begin, (size_t)count, sizeof *from->at, compare_entries);
  for (int e = 0; e < count; e++) support[e] = from->at[begin + e].at;
  if (out->class != RITTI_TOP) {
    out->support = support;
    out->supports = count;
  }
  if (!E->combination_out) return RITT_OK;
  RITTI_NEW(weight, arena, count + 1);
  for (int e = 0; e < count; e++) weight[e] = from->at[begin + e].value;
  E->combination_out[position] =
      (ritti_combination){.position = support, .weight = weight, .count = count};
  return RITT_OK;
}

/* Which tops a null vector of the pivot rows of level 0 touches: random values of the tops without
 * a pivot, the others by substitution from the last pivot row to the first. */
static void find_open(const elimination *E, bool *open) {
  const ritti_prime *P = &E->I->P;
  ritti_residue *value = E->sum;
  for (int v = 0; v < E->M->L->variables; v++) {
    bool free = E->top[v] >= 0 && E->pivot_of[v] < 0;
    value[v] = free ? ritti_residue_random(P, (uint64_t)v + ((uint64_t)1 << 45)) : 0;
  }
  for (size_t k = E->pivot.count; k-- > 0;) {
    const pivot_row *pivot = &E->pivot.at[k];
    ritti_residue sum = 0;
    for (int e = pivot->first; e < pivot->last; e++) {
      entry other = E->row.at[e];
      sum = ritti_residue_add(P, sum, ritti_residue_multiply(P, other.value, value[other.at]));
    }
    value[pivot->column] = ritti_residue_negate(P, sum);
  }
  for (int v = 0; v < E->M->L->variables; v++) open[v] = value[v] != 0;
  memset(value, 0, (size_t)E->M->L->variables * sizeof *value);
}

/* How many of the rows given use each column of the level. */
static void count_uses(elimination *E, int level) {
  const ritti_linear *L = E->M->L;
  memset(E->uses, 0, (size_t)E->columns * sizeof *E->uses);
  for (int r = 0; r < E->count; r++) {
    ritti_row_id row = E->rows[r];
    for (int e = L->start[row.equation]; e < L->start[row.equation + 1]; e++) {
      int order = L->term[e].order + row.order, v = L->term[e].variable;
      if (level_of(E, v, order) == level) E->uses[column_of(E, level, v, order)]++;
    }
  }
}

/* The jet of a column. */
static ritti_jet_id jet_of(const elimination *E, int level, int column) {
  if (level >= 0) return (ritti_jet_id){column, E->top[column] + level};
  int v = 0, last = E->M->L->variables - 1;
  while (v < last) {
    int middle = v + (last - v + 1) / 2;
    if (E->first_lower[middle] <= column) v = middle;
    else last = middle - 1;
  }
  return (ritti_jet_id){v, column - E->first_lower[v]};
}

/* One level: active[side] and their combinations in combination[side]; rows without a pivot here
 * are left in the other side. */
static ritt_status eliminate_level(elimination *E, int level, int side, ritti_arena *arena,
                                   ritti_echelon_row *out) {
  entries *from = &E->combination[side], *to = &E->combination[1 - side];
  to->count = E->active[1 - side].count = E->begin[1 - side].count = 0;
  E->pivot.count = E->row.count = E->op.count = 0;
  for (int c = 0; c < E->columns; c++) E->pivot_of[c] = -1;
  count_uses(E, level);

  for (size_t a = 0; a < E->active[side].count; a++) {
    int position = E->active[side].at[a], begin = E->begin[side].at[a];
    int end = a + 1 < E->begin[side].count ? E->begin[side].at[a + 1] : (int)from->count;
    int ops = (int)E->op.count;
    bool vanished = true;
    E->columns_used.count = 0;
    for (int e = begin; e < end; e++)
      RITT_TRY(add_row(E, from->at[e].at, level, from->at[e].value));
    RITT_TRY(reduce_work(E));
    for (size_t i = 0; i < E->columns_used.count && vanished; i++)
      vanished = !E->work[E->columns_used.at[i]];

    if (vanished) {
      RITT_TRY(RITTI_PUSH(E->active[1 - side], position));
      RITT_TRY(RITTI_PUSH(E->begin[1 - side], (int)to->count));
      RITT_TRY(carry_combination(E, from, begin, end, ops, to));
      E->op.count = (size_t)ops;
    } else {
      RITT_TRY(keep_pivot(
          E, (pivot_row){
                 .position = position, .ops = ops, .combination = begin, .combination_end = end}));
      const pivot_row *pivot = &E->pivot.at[E->pivot.count - 1];
      out[position].class = level > 0 ? RITTI_ABOVE : level == 0 ? RITTI_TOP : RITTI_LOWER;
      out[position].pivot = jet_of(E, level, pivot->column);
      if (level < 0 || (level == 0 && E->combination_out))
        RITT_TRY(keep_support(E, from, begin, end, position, arena, &out[position]));
    }
    for (size_t i = 0; i < E->columns_used.count; i++) {
      E->work[E->columns_used.at[i]] = 0;
      E->touched[E->columns_used.at[i]] = false;
    }
  }
  return RITT_OK;
}

/* A row that has vanished on every level: do the values cancel, too? */
static ritti_zero combined_value(const elimination *E, const entries *from, int begin, int end) {
  const ritti_prime *P = &E->I->P;
  ritti_residue sum = 0;
  bool opaque = false;
  for (int e = begin; e < end; e++) {
    ritti_row_id row = E->rows[from->at[e].at];
    ritti_residue value = E->I->series ? E->I->series[row.equation * E->I->terms + row.order] : 0;
    sum = ritti_residue_add(P, sum, ritti_residue_multiply(P, from->at[e].value, value));
    opaque = opaque || E->M->opaque[row.equation];
  }
  if (!sum) return RITTI_IS_ZERO;
  return opaque ? RITTI_ZERO_UNKNOWN : RITTI_NOT_ZERO;
}

static ritt_status eliminate_levels(elimination *E, bool *open, ritti_arena *arena,
                                    ritti_arena *scratch, ritti_echelon_row *out) {
  const ritti_linear *L = E->M->L;
  int highest = -1, side = 0;
  for (int r = 0; r < E->count; r++)
    for (int e = L->start[E->rows[r].equation]; e < L->start[E->rows[r].equation + 1]; e++) {
      int level = level_of(E, L->term[e].variable, L->term[e].order + E->rows[r].order);
      if (level > highest) highest = level;
    }
  RITTI_NEW(E->first_lower, scratch, L->variables + 1);
  E->columns = L->variables;
  int lower = 0;
  for (int v = 0; v < L->variables; v++) {
    E->first_lower[v] = lower;
    if (E->top[v] > 0) lower += E->top[v];
  }
  if (lower > E->columns) E->columns = lower;
  RITTI_NEW(E->work, scratch, E->columns + 1);
  RITTI_NEW(E->pivot_of, scratch, E->columns + 1);
  RITTI_NEW(E->uses, scratch, E->columns + 1);
  RITTI_NEW(E->touched, scratch, E->columns + 1);
  RITTI_NEW(E->queued, scratch, E->count + 1);
  RITTI_NEW(E->weight, scratch, E->count + 1);
  RITTI_NEW(E->sum, scratch, (E->count > L->variables ? E->count : L->variables) + 1);

  for (int r = 0; r < E->count; r++) {
    out[r] = (ritti_echelon_row){.class = RITTI_NO_PIVOT};
    RITT_TRY(RITTI_PUSH(E->active[0], r));
    RITT_TRY(RITTI_PUSH(E->begin[0], r));
    RITT_TRY(RITTI_PUSH(E->combination[0], ((entry){r, E->I->P.one})));
  }
  if (highest < 0) highest = 0;
  for (int level = highest; level >= -1; level--) {
    RITT_TRY(eliminate_level(E, level, side, arena, out));
    if (level == 0 && open) find_open(E, open);
    side = 1 - side;
  }

  entries *from = &E->combination[side];
  for (size_t a = 0; a < E->active[side].count; a++) {
    int position = E->active[side].at[a], begin = E->begin[side].at[a];
    int end = a + 1 < E->begin[side].count ? E->begin[side].at[a + 1] : (int)from->count;
    RITT_TRY(keep_support(E, from, begin, end, position, arena, &out[position]));
    out[position].value = combined_value(E, from, begin, end);
  }
  return RITT_OK;
}

static ritt_status eliminate_rows(const modular *M, const image *I, const ritti_row_id *rows,
                                  int count, const int *top, bool *open, ritti_arena *arena,
                                  ritti_echelon_row *out, ritti_combination *combination) {
  elimination E = {
      .M = M, .I = I, .rows = rows, .count = count, .top = top, .combination_out = combination};
  ritti_arena *scratch = ritti_arena_new();
  if (!scratch) return RITT_NO_MEMORY;
  ritt_status status = eliminate_levels(&E, open, arena, scratch, out);
  RITTI_ARRAY_FREE(E.columns_used);
  RITTI_ARRAY_FREE(E.heap);
  RITTI_ARRAY_FREE(E.used);
  RITTI_ARRAY_FREE(E.pivot);
  RITTI_ARRAY_FREE(E.row);
  RITTI_ARRAY_FREE(E.op);
  for (int side = 0; side < 2; side++) {
    RITTI_ARRAY_FREE(E.combination[side]);
    RITTI_ARRAY_FREE(E.active[side]);
    RITTI_ARRAY_FREE(E.begin[side]);
  }
  ritti_arena_free(scratch);
  return status;
}

/* ---- the backend ---- */

static bool same_echelon(const ritti_echelon_row *a, const ritti_echelon_row *b, int count) {
  for (int r = 0; r < count; r++) {
    if (a[r].class != b[r].class || a[r].value != b[r].value) return false;
    if (a[r].supports != b[r].supports) return false;
    for (int s = 0; s < a[r].supports; s++)
      if (a[r].support[s] != b[r].support[s]) return false;
    if (a[r].class == RITTI_NO_PIVOT) continue;
    if (a[r].pivot.variable != b[r].pivot.variable || a[r].pivot.order != b[r].pivot.order)
      return false;
  }
  return true;
}

static ritt_status modular_echelon(void *data, const ritti_row_id *rows, int count, const int *top,
                                   bool *open, ritti_arena *arena, ritti_echelon_row *out) {
  modular *M = data;
  int highest = 0, variables = M->L->variables;
  ritti_echelon_row *other;
  bool *other_open = NULL;
  RITTI_NEW(other, arena, count + 1);
  if (open) RITTI_NEW(other_open, arena, variables + 1);
  for (int r = 0; r < count; r++)
    if (rows[r].order > highest) highest = rows[r].order;
  for (int i = 0; i < AGREEING; i++) {
    bool good = true;
    if (highest >= M->image[i].terms)
      RITT_TRY(make_series(M, &M->image[i], 2 * (highest + 1), &good));
    if (!good) RITT_TRY(next_image(M, &M->image[i], 2 * (highest + 1)));
  }

  RITT_TRY(eliminate_rows(M, &M->image[0], rows, count, top, open, arena, out, NULL));
  for (;;) {
    RITT_TRY(eliminate_rows(M, &M->image[1], rows, count, top, other_open, arena, other, NULL));
    bool same = same_echelon(out, other, count);
    if (open && same) same = !memcmp(open, other_open, (size_t)variables * sizeof *open);
    if (same) return RITT_OK;

    /* one of the two primes is unlucky: the second result is compared with a third one */
    M->image[0] = M->image[1];
    memcpy(out, other, (size_t)count * sizeof *out);
    if (open) memcpy(open, other_open, (size_t)variables * sizeof *open);
    M->image[1].coefficient = ritti_arena_alloc(M->arena, (size_t)M->L->start[M->L->equations] + 1,
                                                sizeof(ritti_residue));
    if (!M->image[1].coefficient) return RITT_NO_MEMORY;
    RITT_TRY(next_image(M, &M->image[1], M->image[0].terms));
  }
}

ritt_status ritti_modular_combine(const ritti_backend *backend, int prime, const ritti_row_id *rows,
                                  int count, const int *top, ritti_arena *arena,
                                  ritti_echelon_row *echelon, ritti_combination *combination,
                                  bool *good) {
  const modular *M = backend->data;
  image I = {.P = ritti_prime_make(prime)};
  RITTI_NEW(I.coefficient, arena, M->L->start[M->L->equations] + 1);
  *good = set_coefficients(M->L, &I);
  if (!*good) return RITT_OK;
  return eliminate_rows(M, &I, rows, count, top, NULL, arena, echelon, combination);
}

static void free_nodes(void *data) { ritti_free(((modular *)data)->nodes.at); }

ritt_status ritti_modular_backend(const ritti_linear *L, ritti_arena *arena, ritti_backend *out) {
  modular *M;
  RITTI_NEW(M, arena, 1);
  M->L = L;
  M->arena = arena;
  M->backend = out;
  *out = (ritti_backend){.data = M, .echelon = modular_echelon};
  RITT_TRY(ritti_nodes_below(L->dag, L->forcing, (size_t)L->equations, &M->nodes));
  ritt_status status = ritti_arena_at_end(arena, free_nodes, M);
  if (status != RITT_OK) ritti_free(M->nodes.at);
  RITT_TRY(status);
  RITT_TRY(find_kinds(M));
  for (int i = 0; i < AGREEING; i++) {
    RITTI_NEW(M->image[i].coefficient, arena, L->start[L->equations] + 1);
    RITT_TRY(next_image(M, &M->image[i], 4));
  }
  return RITT_OK;
}
