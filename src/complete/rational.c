/* Elimination over the rationals of selected rows that are linear with constant coefficients.
 *
 * In: rows (i, r) that the selection has found independent. Out: conditions on the jets below the
 * tops and equations for the tops, as expressions; the jets above the tops are gone. Everything is
 * computed modulo primes, and rational numbers are reconstructed from their residues until one more
 * prime confirms them. The forcing takes part as further columns: each D^r of a forcing is a sum of
 * rational multiples of expressions ("atoms"), so that large multiples that cancel do so exactly.
 *
 * The reduced echelon form does not depend on how the equations were mixed, so its numbers are
 * those of the system and not those of its presentation. It fills, though: where it would be much
 * longer than the rows themselves, these are kept unreduced. */
#include <stdlib.h>
#include "complete/linear.h"
#include "complete/residue.h"

/* A row is written in these columns: tops, jets below them, atoms. */
typedef struct layout {
  const ritti_linear *L;
  const int *top;
  int lower, *first_lower; /* of each variable: its first column behind those of the tops */
  int *lower_variable;     /* of each of these columns */
  RITTI_ARRAY(ritti_expr) atom;
  int columns;
} layout;

/* D^r of the forcing of a selected row, as multiples of atoms. */
typedef struct atom_term {
  int atom;
  mpq_t factor;
} atom_term;
typedef RITTI_ARRAY(atom_term) atom_terms;

typedef struct entry {
  int column;
  ritti_residue value;
} entry;

/* Rows modulo one prime: conditions first, then those for the tops. */
typedef struct sparse_rows {
  int *start; /* rows + 1 */
  RITTI_ARRAY(entry) entries;
} sparse_rows;

/* The elimination in progress. */
typedef struct rational {
  layout at;
  const ritti_selection *S;
  ritti_arena *scratch; /* lives as long as this struct */
  atom_terms terms;
  int *terms_end;                 /* of each selected row */
  int conditions, tops, *chosen;  /* positions of the selected rows behind each result */
  int *pivot;                     /* column of each result */
  ritti_combination *combination; /* of each selected row, the weights modulo some prime */
  bool *joined; /* results x results: rows that the reduction has added to a row */
  bool single;  /* every result is a selected row itself */
  bool reduced;
} rational;

/* ---- the forcing ---- */

/* Adds factor * e. */
static ritt_status add_atoms(rational *R, ritti_expr e, mpq_srcptr factor) {
  const ritti_dag *dag = R->at.L->dag;
  ritt_status status = RITT_OK;
  mpq_t product;
  if (ritti_op_of(dag, e) == RITTI_ADD) {
    for (size_t i = 0; i < ritti_argument_count(dag, e) && status == RITT_OK; i++)
      status = add_atoms(R, ritti_argument(dag, e, i), factor);
    return status;
  }
  mpq_init(product);
  mpq_set(product, factor);
  ritti_expr number = RITTI_NIL, rest = e;
  if (ritti_op_of(dag, e) == RITTI_NUMBER) {
    number = e;
    rest = ritti_number(R->at.L->dag, 1, 1);
  } else if (ritti_op_of(dag, e) == RITTI_MULTIPLY &&
             ritti_op_of(dag, ritti_argument(dag, e, 0)) == RITTI_NUMBER) {
    number = ritti_argument(dag, e, 0);
    rest = ritti_argument(dag, e, 1);
  }
  if (number != RITTI_NIL) mpq_mul(product, product, ritti_rational_of(dag, number));

  if (mpq_sgn(product) && ritti_op_of(dag, rest) == RITTI_ADD) {
    status = add_atoms(R, rest, product);
  } else if (mpq_sgn(product)) {
    atom_term term = {.atom = 0};
    while ((size_t)term.atom < R->at.atom.count && R->at.atom.at[term.atom] != rest) term.atom++;
    if ((size_t)term.atom == R->at.atom.count) status = RITTI_PUSH(R->at.atom, rest);
    mpq_init(term.factor);
    mpq_set(term.factor, product);
    if (status == RITT_OK) status = RITTI_PUSH(R->terms, term);
    if (status != RITT_OK) mpq_clear(term.factor);
  }
  mpq_clear(product);
  return status;
}

/* The atoms of the forcings of all selected rows. */
static ritt_status take_forcings(rational *R) {
  const ritti_linear *L = R->at.L;
  mpq_t one;
  RITTI_NEW(R->terms_end, R->scratch, R->S->rows + 1);
  mpq_init(one);
  mpq_set_ui(one, 1, 1);
  ritt_status status = RITT_OK;
  for (int s = 0; s < R->S->rows && status == RITT_OK; s++) {
    ritti_row_id id = R->S->row[s];
    ritti_expr e = ritti_dag_total_of_order(L->dag, L->written[id.equation], id.order);
    status = ritti_dag_status(L->dag);
    if (status == RITT_OK) status = add_atoms(R, e, one);
    R->terms_end[s] = (int)R->terms.count;
  }
  mpq_clear(one);
  return status;
}

/* ---- rows modulo a prime ---- */

static ritti_residue factorial_inverse(const ritti_prime *P, int n) {
  ritti_residue f = P->one;
  for (int k = 2; k <= n; k++) f = ritti_residue_multiply(P, f, ritti_residue_from(P, (uint64_t)k));
  return ritti_residue_inverse(P, f);
}

/* work += factor * D^r f_i of the selected row s, without jets above the tops. The rows of the
 * backend are Taylor coefficients, D^r f / r!. false: p divides a denominator. */
static bool add_selected(const rational *R, const ritti_prime *P, int s, ritti_residue factor,
                         ritti_residue *work) {
  const ritti_linear *L = R->at.L;
  ritti_row_id id = R->S->row[s];
  ritti_residue value;
  factor = ritti_residue_multiply(P, factor, factorial_inverse(P, id.order));
  for (int e = L->start[id.equation]; e < L->start[id.equation + 1]; e++) {
    const ritti_linear_term *term = &L->term[e];
    int order = term->order + id.order, v = term->variable;
    if (order > R->at.top[v]) continue;
    int column = order == R->at.top[v] ? v : L->variables + R->at.first_lower[v] + order;
    if (!ritti_residue_rational(P, ritti_rational_of(L->dag, term->coefficient), &value))
      return false;
    work[column] = ritti_residue_add(P, work[column], ritti_residue_multiply(P, factor, value));
  }
  for (int e = s ? R->terms_end[s - 1] : 0; e < R->terms_end[s]; e++) {
    int column = L->variables + R->at.lower + R->terms.at[e].atom;
    if (!ritti_residue_rational(P, R->terms.at[e].factor, &value)) return false;
    work[column] = ritti_residue_add(P, work[column], ritti_residue_multiply(P, factor, value));
  }
  return true;
}

/* The rows of the results as they come from the levels above them, scaled so that the pivot is 1 if
 * that entry is there; *good = false: the prime is of no use. */
static ritt_status make_rows(const rational *R, const ritti_backend *backend, int prime,
                             ritti_arena *scratch, sparse_rows *out, bool *good) {
  const ritti_selection *S = R->S;
  ritti_prime P = ritti_prime_make(prime);
  ritti_echelon_row *echelon;
  ritti_combination *combination;
  ritti_residue *work;
  int results = R->conditions + R->tops;
  RITTI_NEW(echelon, scratch, S->rows + 1);
  RITTI_NEW(combination, scratch, S->rows + 1);
  RITTI_NEW(work, scratch, R->at.columns + 1);
  RITTI_NEW(out->start, scratch, results + 1);
  out->entries.count = 0;
  RITT_TRY(ritti_modular_combine(backend, prime, S->row, S->rows, R->at.top, scratch, echelon,
                                 combination, good));
  for (int i = 0; i < results && *good; i++) {
    const ritti_combination *c = &combination[R->chosen[i]];
    *good = c->count > 0;
    for (int k = 0; k < c->count && *good; k++)
      *good = add_selected(R, &P, c->position[k], c->weight[k], work);
    if (!*good) break;
    ritti_residue scale = work[R->pivot[i]];
    scale = scale ? ritti_residue_inverse(&P, scale) : P.one;
    for (int column = 0; column < R->at.columns; column++) {
      if (!work[column]) continue;
      entry e = {column, ritti_residue_multiply(&P, work[column], scale)};
      RITT_TRY(RITTI_PUSH(out->entries, e));
      work[column] = 0;
    }
    out->start[i + 1] = (int)out->entries.count;
  }
  return RITT_OK;
}

/* a -= factor * b */
static void subtract_row(const ritti_prime *P, int columns, ritti_residue factor,
                         const ritti_residue *b, ritti_residue *a) {
  ritti_residue minus = ritti_residue_negate(P, factor);
  for (int c = 0; c < columns; c++)
    if (b[c]) a[c] = ritti_residue_add(P, a[c], ritti_residue_multiply(P, minus, b[c]));
}

/* The reduced echelon form of the rows, in place. Gauss and Jordan: each row is reduced by those
 * before it, and they by it. Then rows for the tops lose the pivots of the conditions. */
static ritt_status reduce_rows(rational *R, int prime, ritti_arena *scratch, sparse_rows *rows,
                               bool *good) {
  ritti_prime P = ritti_prime_make(prime);
  int results = R->conditions + R->tops, columns = R->at.columns;
  ritti_residue *dense;
  if (!R->joined) RITTI_NEW(R->joined, R->scratch, (size_t)results * (size_t)results + 1);
  RITTI_NEW(dense, scratch, (size_t)results * (size_t)columns + 1);
  for (int i = 0; i < results; i++)
    for (int e = rows->start[i]; e < rows->start[i + 1]; e++)
      dense[(size_t)i * (size_t)columns + (size_t)rows->entries.at[e].column] =
          rows->entries.at[e].value;

#define ROW(i) (dense + (size_t)(i) * (size_t)columns)
#define SUBTRACT(from, other)                                                                      \
  do {                                                                                             \
    ritti_residue factor_ = ROW(from)[R->pivot[other]];                                            \
    if (!factor_) break;                                                                           \
    subtract_row(&P, columns, factor_, ROW(other), ROW(from));                                     \
    for (int q = 0; q < results; q++)                                                              \
      R->joined[(from)*results + q] |= q == (other) || R->joined[(other)*results + q];             \
  } while (0)
  for (int i = 0; i < results && *good; i++) {
    int first = i < R->conditions ? 0 : R->conditions;
    for (int k = first; k < i; k++) SUBTRACT(i, k);
    ritti_residue pivot = ROW(i)[R->pivot[i]];
    *good = pivot != 0;
    if (!*good) break;
    ritti_residue inverse = ritti_residue_inverse(&P, pivot);
    for (int c = 0; c < columns; c++) ROW(i)[c] = ritti_residue_multiply(&P, ROW(i)[c], inverse);
    for (int k = first; k < i; k++) SUBTRACT(k, i);
  }
  for (int i = R->conditions; i < results && *good; i++)
    for (int k = 0; k < R->conditions; k++) SUBTRACT(i, k);
#undef SUBTRACT

  rows->entries.count = 0;
  for (int i = 0; i < results; i++) {
    for (int c = 0; c < columns; c++)
      if (ROW(i)[c]) RITT_TRY(RITTI_PUSH(rows->entries, ((entry){c, ROW(i)[c]})));
    rows->start[i + 1] = (int)rows->entries.count;
  }
#undef ROW
  return RITT_OK;
}

/* ---- from residues to rationals ---- */

/* n/d = x modulo m with |n| and d at most sqrt(m/2), by Euclid's algorithm; false: there is none.
 */
static bool reconstruct_rational(mpz_srcptr x, mpz_srcptr m, mpq_t out) {
  mpz_t bound, r0, r1, t0, t1, q;
  mpz_inits(bound, r0, r1, t0, t1, q, NULL);
  mpz_fdiv_q_2exp(bound, m, 1);
  mpz_sqrt(bound, bound);
  mpz_set(r0, m);
  mpz_set(r1, x);
  mpz_set_ui(t1, 1);
  while (mpz_cmp(r1, bound) > 0) {
    mpz_fdiv_q(q, r0, r1);
    mpz_submul(r0, q, r1);
    mpz_submul(t0, q, t1);
    mpz_swap(r0, r1);
    mpz_swap(t0, t1);
  }
  bool good = mpz_sgn(t1) && mpz_cmpabs(t1, bound) <= 0;
  mpz_gcd(q, r1, t1);
  good = good && mpz_cmp_ui(q, 1) == 0;
  if (good) {
    mpz_set(mpq_numref(out), r1);
    mpz_set(mpq_denref(out), t1);
    mpq_canonicalize(out);
  }
  mpz_clears(bound, r0, r1, t0, t1, q, NULL);
  return good;
}

/* Numbers that are known modulo a product of primes, and the rationals they may be. */
typedef struct numbers {
  size_t count;
  mpz_t *residue, modulus;
  mpq_t *value;
  bool guessed; /* value is set */
} numbers;

static ritt_status begin_numbers(numbers *N, size_t count) {
  *N = (numbers){.residue = ritti_malloc((count + 1) * sizeof *N->residue),
                 .value = ritti_malloc((count + 1) * sizeof *N->value)};
  mpz_init_set_ui(N->modulus, 1);
  if (!N->residue || !N->value) return RITT_NO_MEMORY;
  for (size_t i = 0; i < count; i++) {
    mpz_init(N->residue[i]);
    mpq_init(N->value[i]);
  }
  N->count = count;
  return RITT_OK;
}

static void end_numbers(numbers *N) {
  for (size_t i = 0; i < N->count; i++) {
    mpz_clear(N->residue[i]);
    mpq_clear(N->value[i]);
  }
  ritti_free(N->residue);
  ritti_free(N->value);
  mpz_clear(N->modulus);
}

/* Does one more prime confirm the values? Otherwise it joins the modulus. */
static bool confirm_numbers(numbers *N, const ritti_prime *P, const entry *entries) {
  ritti_residue value;
  bool same = N->guessed;
  for (size_t i = 0; i < N->count && same; i++)
    same = ritti_residue_rational(P, N->value[i], &value) && value == entries[i].value;
  if (same) return true;

  mpz_t step;
  mpz_init(step);
  ritti_residue modulus = ritti_residue_from(P, mpz_fdiv_ui(N->modulus, P->p));
  ritti_residue inverse = ritti_residue_inverse(P, modulus);
  for (size_t i = 0; i < N->count; i++) {
    value = ritti_residue_from(P, mpz_fdiv_ui(N->residue[i], P->p));
    value = ritti_residue_add(P, entries[i].value, ritti_residue_negate(P, value));
    uint64_t times = ritti_residue_number(P, ritti_residue_multiply(P, value, inverse));
    mpz_mul_ui(step, N->modulus, times);
    mpz_add(N->residue[i], N->residue[i], step);
  }
  mpz_mul_ui(N->modulus, N->modulus, P->p);
  mpz_clear(step);
  N->guessed = true;
  for (size_t i = 0; i < N->count && N->guessed; i++)
    N->guessed = reconstruct_rational(N->residue[i], N->modulus, N->value[i]);
  return false;
}

/* ---- results ---- */

/* Which selected rows lead to results, and where their pivots are. */
static ritt_status choose_results(rational *R, const ritti_backend *backend) {
  ritti_arena *scratch = R->scratch;
  const ritti_selection *S = R->S;
  const ritti_linear *L = R->at.L;
  ritti_echelon_row *echelon;
  bool good = false;
  RITTI_NEW(echelon, scratch, S->rows + 1);
  RITTI_NEW(R->combination, scratch, S->rows + 1);
  RITTI_NEW(R->chosen, scratch, S->rows + 1);
  RITTI_NEW(R->pivot, scratch, S->rows + 1);
  for (int prime = 0; prime < RITTI_PRIMES && !good; prime++)
    RITT_TRY(ritti_modular_combine(backend, prime, S->row, S->rows, R->at.top, scratch, echelon,
                                   R->combination, &good));
  if (!good) return RITT_UNDECIDED;
  int results = 0;
  for (int class = RITTI_LOWER; class >= RITTI_TOP; class --) {
    for (int s = 0; s < S->rows; s++) {
      if ((int)echelon[s].class != class) continue;
      ritti_jet_id jet = echelon[s].pivot;
      R->chosen[results] = s;
      R->pivot[results++] = class == RITTI_TOP
                                ? jet.variable
                                : L->variables + R->at.first_lower[jet.variable] + jet.order;
    }
    if (class == RITTI_LOWER) R->conditions = results;
  }
  R->tops = results - R->conditions;

  R->single = true;
  for (int i = 0; i < results; i++)
    R->single = R->single && R->combination[R->chosen[i]].count == 1;
  return RITT_OK;
}

/* The origin of a result, in the model's numbers. */
static ritt_status make_origin(const rational *R, int result, ritti_arena *arena,
                               ritti_origin *out) {
  const ritti_linear *L = R->at.L;
  int *list, count = 0, results = R->conditions + R->tops;
  bool *used;
  RITTI_NEW(used, R->scratch, L->equations + 1);
  *out = (ritti_origin){.equation = -1, .invariant = -1};
  for (int k = 0; k < results; k++) {
    if (k != result && !(R->reduced && R->joined[result * results + k])) continue;
    const ritti_combination *c = &R->combination[R->chosen[k]];
    for (int e = 0; e < c->count; e++) {
      ritti_row_id id = R->S->row[c->position[e]];
      count += !used[id.equation];
      used[id.equation] = true;
      if (id.order > out->order) out->order = id.order;
    }
  }
  RITTI_NEW(list, arena, count + 1);
  for (int i = 0, at = 0; i < L->equations; i++)
    if (used[i]) list[at++] = L->equation[i];
  if (count == 1) {
    out->equation = list[0];
    return RITT_OK;
  }
  out->source = list;
  out->sources = count;
  return RITT_OK;
}

/* The sum of the entries of a row times their jets and atoms. */
static ritt_status make_expression(const rational *R, const entry *entries, mpq_t *value, int count,
                                   ritti_arena *scratch, ritti_expr *out) {
  const ritti_linear *L = R->at.L;
  ritti_expr *term;
  RITTI_NEW(term, scratch, count + 1);
  for (int e = 0; e < count; e++) {
    int column = entries[e].column - L->variables;
    ritti_expr leaf;
    if (column < 0) {
      int v = entries[e].column;
      leaf = ritti_jet(L->dag, L->variable[v], R->at.top[v]);
    } else if (column < R->at.lower) {
      int v = R->at.lower_variable[column];
      leaf = ritti_jet(L->dag, L->variable[v], column - R->at.first_lower[v]);
    } else {
      leaf = R->at.atom.at[column - R->at.lower];
    }
    term[e] = ritti_multiply(L->dag, ritti_rational(L->dag, value[e]), leaf);
  }
  *out = ritti_sum(L->dag, term, (size_t)count);
  return ritti_dag_status(L->dag);
}

static ritt_status new_results(const rational *R, ritti_arena *arena, ritti_linear_rows *out) {
  *out = (ritti_linear_rows){.rows = R->conditions, .top_rows = R->tops, .reduced = R->reduced};
  RITTI_NEW(out->row, arena, R->conditions + 1);
  RITTI_NEW(out->top_row, arena, R->tops + 1);
  RITTI_NEW(out->origin, arena, R->conditions + 1);
  RITTI_NEW(out->top_origin, arena, R->tops + 1);
  for (int i = 0; i < R->conditions; i++) RITT_TRY(make_origin(R, i, arena, &out->origin[i]));
  for (int i = 0; i < R->tops; i++)
    RITT_TRY(make_origin(R, R->conditions + i, arena, &out->top_origin[i]));
  return RITT_OK;
}

/* One more prime: rows modulo it, of which numbers are reconstructed. The first one decides which
 * form is used. *done: the numbers are confirmed, and the results are there. */
static ritt_status use_prime(rational *R, const ritti_backend *backend, int prime,
                             ritti_arena *arena, ritti_arena *scratch, numbers *N,
                             sparse_rows *rows, ritti_linear_rows *out, bool *done) {
  enum { MORE = 64, TIMES = 4 };
  static const double MOST_WORK = 1e8;
  int results = R->conditions + R->tops;
  bool good = true, first = !N->residue;
  ritti_prime P = ritti_prime_make(prime);
  RITT_TRY(make_rows(R, backend, prime, scratch, rows, &good));
  if (!good) return RITT_OK;

  size_t unreduced = rows->entries.count;
  bool reduce = R->reduced;
  if (first) reduce = (double)results * results * R->at.columns <= MOST_WORK;
  if (reduce) RITT_TRY(reduce_rows(R, prime, scratch, rows, &good));
  if (!good) return RITT_OK;
  if (first) {
    R->reduced = reduce && rows->entries.count <= TIMES * unreduced + MORE;
    if (reduce && !R->reduced) RITT_TRY(make_rows(R, backend, prime, scratch, rows, &good));
    RITT_TRY(begin_numbers(N, rows->entries.count));
  }
  if (rows->entries.count != N->count) return RITT_OK;
  *done = confirm_numbers(N, &P, rows->entries.at);
  if (!*done) return RITT_OK;

  RITT_TRY(new_results(R, arena, out));
  for (int i = 0; i < results; i++) {
    int begin = rows->start[i];
    ritti_expr *to = i < R->conditions ? &out->row[i] : &out->top_row[i - R->conditions];
    RITT_TRY(make_expression(R, rows->entries.at + begin, N->value + begin,
                             rows->start[i + 1] - begin, scratch, to));
  }
  return RITT_OK;
}

/* Reconstructs the rows, by as many primes as are needed. */
static ritt_status make_results(rational *R, const ritti_backend *backend, ritti_arena *arena,
                                numbers *N, sparse_rows *rows, ritti_linear_rows *out, bool *done) {
  for (int prime = 0; prime < RITTI_PRIMES && !*done; prime++) {
    ritti_arena *scratch = ritti_arena_new();
    if (!scratch) return RITT_NO_MEMORY;
    ritt_status status = use_prime(R, backend, prime, arena, scratch, N, rows, out, done);
    ritti_arena_free(scratch);
    RITT_TRY(status);
  }
  return RITT_OK;
}

/* The selected rows themselves, as they are written. */
static ritt_status take_selected(const rational *R, ritti_arena *arena, ritti_linear_rows *out) {
  const ritti_linear *L = R->at.L;
  RITT_TRY(new_results(R, arena, out));
  for (int i = 0; i < R->conditions + R->tops; i++) {
    ritti_row_id id = R->S->row[R->chosen[i]];
    ritti_expr e = ritti_dag_total_of_order(L->dag, L->residual[id.equation], id.order);
    if (i < R->conditions) out->row[i] = e;
    else out->top_row[i - R->conditions] = e;
  }
  return ritti_dag_status(L->dag);
}

static ritt_status eliminate_selected(rational *R, const ritti_backend *backend, ritti_arena *arena,
                                      ritti_linear_rows *out, bool *done) {
  const ritti_linear *L = R->at.L;
  RITTI_NEW(R->at.first_lower, R->scratch, L->variables + 1);
  for (int v = 0; v < L->variables; v++) {
    R->at.first_lower[v] = R->at.lower;
    R->at.lower += R->at.top[v];
  }
  RITTI_NEW(R->at.lower_variable, R->scratch, R->at.lower + 1);
  for (int v = 0; v < L->variables; v++)
    for (int k = 0; k < R->at.top[v]; k++) R->at.lower_variable[R->at.first_lower[v] + k] = v;
  RITT_TRY(choose_results(R, backend));
  if (!L->rational || L->parameters) {
    *done = R->single;
    return R->single ? take_selected(R, arena, out) : RITT_OK;
  }
  RITT_TRY(take_forcings(R));
  R->at.columns = L->variables + R->at.lower + (int)R->at.atom.count;

  numbers N = {0};
  sparse_rows rows = {0};
  ritt_status status = make_results(R, backend, arena, &N, &rows, out, done);
  if (status == RITT_OK && *done && R->single && !R->reduced) status = take_selected(R, arena, out);
  if (N.residue || N.value) end_numbers(&N);
  RITTI_ARRAY_FREE(rows.entries);
  return status;
}

ritt_status ritti_linear_eliminate(const ritti_linear *L, const ritti_backend *backend,
                                   const ritti_selection *S, const int *top, ritti_arena *arena,
                                   ritti_linear_rows *out, bool *done) {
  rational R = {.at = {.L = L, .top = top}, .S = S};
  ritti_arena *scratch = R.scratch = ritti_arena_new();
  *done = false;
  if (!scratch) return RITT_NO_MEMORY;
  ritt_status status = eliminate_selected(&R, backend, arena, out, done);
  for (size_t i = 0; i < R.terms.count; i++) mpq_clear(R.terms.at[i].factor);
  RITTI_ARRAY_FREE(R.terms);
  RITTI_ARRAY_FREE(R.at.atom);
  ritti_arena_free(scratch);
  return status == RITT_UNDECIDED ? RITT_OK : status;
}
