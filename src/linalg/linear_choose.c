/* Which algebra a ritti_linear takes.
 *
 * In: a pattern and the sort of its matrix. Out: dense kernels, a band in a new order, or sparse
 * factors, and where each entry goes. The choice compares the multiplications of a factorisation
 * and a solve in each algebra, weighed by what one of them costs there.
 */
#include "linalg/linear_impl.h"

/* What a multiplication costs in each algebra, in those of the sparse L D L^T. */
static const double DENSE_COST = 0.1, BAND_COST = 0.5, KLU_COST = 3;

/* A plan for an algebra: what it costs to factor and to solve, and what it takes to do it. */
typedef struct plan {
  ritti_algebra algebra;
  double cost;
  int *order;
  int lower, upper;
} plan;

static void take_cheaper(plan *best, plan other, ritti_algebra wanted) {
  if (wanted != RITTI_ALGEBRA_AUTO && other.algebra != wanted) return;
  if (other.cost < best->cost) *best = other;
}

/* ---- entries as pairs of places ---- */

/* Entries of the matrix: those of the pattern, or the pairs of a Gram matrix. */
static int entry_count(const ritti_scheme *s) {
  return s->pair_start ? s->pair_start[s->pattern.rows] : ritti_entries_of(&s->pattern);
}

/* Calls visit for every entry in order, with its row and column. */
typedef void visitor(void *context, int entry, int i, int j);
static void each_entry(const ritti_scheme *s, visitor *visit, void *context) {
  const ritti_pattern *p = &s->pattern;
  for (int i = 0; i < p->rows; i++)
    if (s->pair_start)
      for (int q = s->pair_start[i]; q < s->pair_start[i + 1]; q++)
        visit(context, q, i, s->pair_row[q]);
    else
      for (int e = p->start[i]; e < p->start[i + 1]; e++)
        visit(context, e - p->start[0], i, p->col[e]);
}

/* where entries go in a band, or in the rows of an L D L^T */
typedef struct target {
  const ritti_scheme *s;
  bool gram, symmetric;
  const int *place;
  int *slot, *next, *col; /* next: NULL while counting; then the next free place of each row */
} target;

/* Rows and columns in the new order; a symmetric entry below the diagonal. false: not read. */
static bool place_entry(const target *t, int i, int j, int *row, int *col) {
  if (t->symmetric && !t->gram && j > i) return false;
  *row = t->place[i], *col = t->place[j];
  if (t->symmetric && *row < *col) *row = t->place[j], *col = t->place[i];
  return true;
}

static void put_in_band(void *context, int entry, int i, int j) {
  target *t = context;
  int row, col, lower = t->s->lower, upper = t->s->upper;
  t->slot[entry] = -1;
  if (!place_entry(t, i, j, &row, &col)) return;
  int width = t->symmetric ? lower + 1 : 2 * lower + upper + 1;
  t->slot[entry] = row * width + (col - row + lower);
}

static void count_in_row(void *context, int entry, int i, int j) {
  target *t = context;
  int row, col;
  (void)entry;
  if (place_entry(t, i, j, &row, &col)) t->next[row + 1]++;
}

static void put_in_row(void *context, int entry, int i, int j) {
  target *t = context;
  int row, col;
  t->slot[entry] = -1;
  if (!place_entry(t, i, j, &row, &col)) return;
  t->slot[entry] = t->next[row]++;
  t->col[t->slot[entry]] = col;
}

/* The matrix in the order given, as rows of its lower triangle; slot of every entry. */
static ritt_status place_rows(const ritti_scheme *s, bool gram, const int *order,
                              ritti_arena *scratch, ritti_arena *arena, ritti_ldlt *out,
                              int *slot) {
  int n = s->pattern.rows, *place;
  target t = {.s = s, .gram = gram, .symmetric = true, .slot = slot};
  *out = (ritti_ldlt){.n = n};
  RITTI_NEW(place, scratch, n + 1);
  ritti_order_invert(n, order, place);
  RITTI_NEW(out->c_start, arena, n + 1);
  RITTI_NEW(out->c_col, arena, entry_count(s) + 1);
  RITTI_NEW(t.next, scratch, n + 1);
  t.place = place;
  t.col = out->c_col;
  each_entry(s, count_in_row, &t);
  for (int k = 0; k < n; k++) t.next[k + 1] += t.next[k];
  memcpy(out->c_start, t.next, (size_t)(n + 1) * sizeof *t.next);
  each_entry(s, put_in_row, &t);
  return RITT_OK;
}

/* ---- choosing ---- */

static double dense_cost(ritti_matrix matrix, double n) {
  return (n * n * n / (matrix == RITTI_GENERAL ? 3 : 6) + n * n) * DENSE_COST;
}

/* The widths of a square pattern in an order: how far entries lie below and above the diagonal. */
typedef struct widths {
  const int *place;
  int lower, upper;
} widths;
static void widen_band(void *context, int entry, int i, int j) {
  widths *w = context;
  int below = w->place[i] - w->place[j];
  (void)entry;
  if (below > w->lower) w->lower = below;
  if (-below > w->upper) w->upper = -below;
}

static ritt_status band_plan(const ritti_scheme *s, bool symmetric, int *order,
                             ritti_arena *scratch, plan *out) {
  int n = s->pattern.rows, *place;
  RITTI_NEW(place, scratch, n + 1);
  ritti_order_invert(n, order, place);
  widths w = {.place = place};
  each_entry(s, widen_band, &w);
  if (symmetric && w.upper > w.lower) w.lower = w.upper;
  if (symmetric) w.upper = 0;
  double lower = w.lower, upper = w.upper, cost,
         width = symmetric ? lower + 1 : 2 * lower + upper + 1;
  if (symmetric) cost = n * (lower + 1) * (lower + 2) / 2 + 2 * n * (lower + 1);
  else cost = n * (lower + 1) * (lower + upper + 1) + n * (2 * lower + upper + 1);
  *out = (plan){RITTI_ALGEBRA_BAND, cost * BAND_COST, order, w.lower, w.upper};
  if (n * width > (1 << 30)) out->cost = INFINITY; /* entries are counted in ints */
  return RITT_OK;
}

/* L D L^T in this order: its cost, and the order to sort by it */
static ritt_status ldlt_plan(const ritti_scheme *s, bool gram, int *order, ritti_arena *scratch,
                             plan *out) {
  ritti_ldlt F;
  int *slot;
  RITTI_NEW(slot, scratch, entry_count(s) + 1);
  RITT_TRY(place_rows(s, gram, order, scratch, scratch, &F, slot));
  RITT_TRY(ritti_ldlt_analyse(&F, scratch));
  *out = (plan){RITTI_ALGEBRA_SPARSE, F.operations + 2 * F.fill, order, 0, 0};
  if (F.fill >= (1 << 30)) out->cost = INFINITY;
  return RITT_OK;
}

static ritt_status plan_gram(ritti_scheme *s, ritti_algebra wanted, ritti_arena *arena,
                             ritti_arena *scratch, plan *best) {
  int n = s->pattern.rows, *narrow, *sparse;
  ritti_graph graph;
  plan other;
  // more than half of all pairs: dense
  size_t most = wanted == RITTI_ALGEBRA_AUTO ? (size_t)n * (size_t)n / 2 : (size_t)1 << 30;
  RITT_TRY(ritti_graph_share(&s->pattern, s->keep, most, scratch, &graph));
  if (!graph.start) return RITT_OK;
  RITT_TRY(ritti_gram_list_pairs(s, &graph, arena));
  RITTI_NEW_ARRAYS(arena, n + 1, narrow, sparse);
  RITT_TRY(ritti_order_narrow(&graph, scratch, narrow));
  RITT_TRY(band_plan(s, true, narrow, scratch, &other));
  take_cheaper(best, other, wanted);
  RITT_TRY(ritti_order_sparse(&graph, scratch, sparse));
  RITT_TRY(ldlt_plan(s, true, sparse, scratch, &other));
  take_cheaper(best, other, wanted);
  return RITT_OK;
}

static ritt_status plan_symmetric(ritti_scheme *s, ritti_algebra wanted, ritti_arena *arena,
                                  ritti_arena *scratch, plan *best) {
  int n = s->pattern.rows, *narrow, *first, *pairs;
  bool found;
  plan other;
  RITTI_NEW_ARRAYS(arena, n + 1, narrow, first, pairs);
  RITT_TRY(ritti_order_kkt_first(&s->pattern, s->positive, scratch, first, &found));
  if (found) {
    RITT_TRY(ldlt_plan(s, false, first, scratch, &other));
    take_cheaper(best, other, wanted);
  }
  // pairs must be worth their risk
  RITT_TRY(ritti_order_kkt_pairs(&s->pattern, s->positive, false, scratch, pairs));
  RITT_TRY(ldlt_plan(s, false, pairs, scratch, &other));
  other.cost *= 2;
  take_cheaper(best, other, wanted);
  RITT_TRY(ritti_order_kkt_pairs(&s->pattern, s->positive, true, scratch, narrow));
  RITT_TRY(band_plan(s, true, narrow, scratch, &other));
  other.cost *= 2;
  take_cheaper(best, other, wanted);
  return RITT_OK;
}

/* Every place once, columns ascending; slot of every entry. */
static ritt_status compress_entries(ritti_scheme *s, ritti_arena *arena, ritti_arena *scratch,
                                    int **start, int **col) {
  const ritti_pattern *p = &s->pattern;
  int n = p->rows, *by_col, *row, *last, *next, count = 0;
  RITT_TRY(ritti_pattern_columns(p, scratch, &by_col, &row));
  RITTI_NEW(*start, arena, n + 1);
  RITTI_NEW(*col, arena, ritti_entries_of(p) + 1);
  RITTI_NEW_ARRAYS(scratch, n + 1, last, next);
  for (int i = 0; i < n; i++) last[i] = -1;
  // how many different columns a row has; then the columns in ascending order
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < n; i++) last[i] = -1;
    for (int j = 0; j < n; j++)
      for (int e = by_col[j]; e < by_col[j + 1]; e++) {
        int i = row[e];
        if (last[i] == j) continue;
        last[i] = j;
        if (pass == 0) (*start)[i + 1]++;
        else (*col)[next[i]++] = j;
      }
    if (pass == 1) break;
    for (int i = 0; i < n; i++) (*start)[i + 1] += (*start)[i];
    memcpy(next, *start, (size_t)n * sizeof *next);
  }
  /* the place of every entry of the pattern among the compressed ones */
  for (int i = 0; i < n; i++) {
    for (int q = (*start)[i]; q < (*start)[i + 1]; q++) last[(*col)[q]] = q;
    for (int e = p->start[i]; e < p->start[i + 1]; e++) s->slot[e - p->start[0]] = last[p->col[e]];
  }
  count = (*start)[n];
  s->values = (size_t)count;
  return RITT_OK;
}

/* Compares band and sparse LU factorisations for a general matrix and keeps the cheapest plan. */
static ritt_status plan_general(ritti_scheme *s, ritti_algebra wanted, ritti_arena *arena,
                                ritti_arena *scratch, plan *best) {
  int n = s->pattern.rows, *narrow, *start, *col;
  ritti_graph graph;
  plan other;
  /* a band, in an order that makes it narrow */
  RITTI_NEW(narrow, arena, n + 1);
  RITT_TRY(ritti_graph_of(&s->pattern, false, NULL, n, scratch, &graph));
  RITT_TRY(ritti_order_narrow(&graph, scratch, narrow));
  RITT_TRY(band_plan(s, false, narrow, scratch, &other));
  take_cheaper(best, other, wanted);
  if (wanted == RITTI_ALGEBRA_BAND) return RITT_OK;
  /* a sparse factorisation by KLU */
  RITT_TRY(compress_entries(s, arena, scratch, &start, &col));
  RITT_TRY(ritti_klu_new(n, start, col, arena, &s->klu));
  if (!s->klu) {
    // the next best
    best->cost = dense_cost(RITTI_GENERAL, n);
    take_cheaper(best, other, RITTI_ALGEBRA_AUTO);
    return RITT_OK;
  }
  double fill, operations;
  ritti_klu_costs(s->klu, &fill, &operations);
  other = (plan){RITTI_ALGEBRA_SPARSE, KLU_COST * (operations + 2 * fill), NULL, 0, 0};
  if (!(other.cost < INFINITY)) other.cost = 1e300;
  take_cheaper(best, other, wanted);
  return RITT_OK;
}

/* ---- setting up ---- */

/* Uses dense factors, and sets the figures of their cost. */
ritt_status ritti_linear_set_dense(ritti_linear *L, ritti_scheme *s, ritti_arena *arena) {
  size_t n = (size_t)L->n;
  RITTI_NEW(s->value, arena, n * n + 1);
  RITTI_NEW(s->pivot, arena, n + 1);
  RITTI_NEW(s->spread_row, arena, s->pattern.cols + 1);
  L->algebra = RITTI_ALGEBRA_DENSE;
  L->fill = (double)n * (double)(L->matrix == RITTI_GENERAL ? n : (n + 1) / 2);
  L->operations = (double)n * (double)n * (double)n / (L->matrix == RITTI_GENERAL ? 3 : 6);
  s->klu = NULL;
  s->pair_start = NULL;
  return RITT_OK;
}

/* signs of the pivots in their order */
static void set_signs(const ritti_linear *L, const ritti_scheme *s, signed char *sign) {
  for (int k = 0; k < L->n; k++)
    sign[k] = L->matrix == RITTI_GRAM || s->order[k] < s->positive ? 1 : -1;
}

/* Uses band factors with the bandwidths of the plan. */
static ritt_status set_band(ritti_linear *L, ritti_scheme *s, const plan *chosen,
                            ritti_arena *arena, ritti_arena *scratch) {
  bool symmetric = L->matrix != RITTI_GENERAL;
  int n = L->n, *place, lower = chosen->lower, upper = chosen->upper;
  double l = lower, u = upper;
  /* room for the factors */
  s->lower = lower, s->upper = upper;
  s->values = (size_t)n * (size_t)(symmetric ? lower + 1 : 2 * lower + upper + 1);
  RITTI_NEW(s->value, arena, s->values + 1);
  /* the slot of every entry in the band */
  RITTI_NEW(place, scratch, n + 1);
  ritti_order_invert(n, s->order, place);
  target t = {.s = s,
              .gram = L->matrix == RITTI_GRAM,
              .symmetric = symmetric,
              .place = place,
              .slot = s->slot};
  each_entry(s, put_in_band, &t);
  /* what the factorisation needs besides: signs of pivots, or row exchanges */
  if (symmetric) {
    RITTI_NEW(s->sign, arena, n + 1);
    set_signs(L, s, s->sign);
  } else RITTI_NEW(s->pivot, arena, n + 1);
  /* figures of the cost */
  L->fill = (double)s->values;
  L->operations = symmetric ? n * (l + 1) * (l + 2) / 2 : n * (l + 1) * (l + u + 1);
  return RITT_OK;
}

/* Gram matrices have narrow bands more often than not. */
static ritt_status set_narrow(ritti_linear *L, ritti_scheme *s, const plan *chosen,
                              ritti_arena *arena, ritti_arena *scratch) {
  double n = L->n, w = chosen->lower;
  ritt_real noise = RITTI_GRAM_NOISE * (ritt_real)(w + 1) * RITTI_EPS;
  RITT_TRY(ritti_narrow_new(&s->pattern, s->keep, s->order, chosen->lower, noise, arena, scratch,
                            &s->narrow));
  if (!s->narrow) return RITT_OK;
  L->kept = true;
  s->values = ritti_narrow_values(s->narrow);
  RITTI_NEW(s->value, arena, s->values + 1);
  ritti_narrow_place(s->narrow, s->value);
  L->fill = (n + w) * (w + 1);
  L->operations = n * (w + 1) * (w + 2) / 2;
  return RITT_OK;
}

/* Uses sparse factors: L D L^T for symmetric matrices, KLU for general ones. */
static ritt_status set_sparse(ritti_linear *L, ritti_scheme *s, ritti_arena *arena,
                              ritti_arena *scratch) {
  if (L->matrix != RITTI_GENERAL) {
    RITT_TRY(place_rows(s, L->matrix == RITTI_GRAM, s->order, scratch, arena, &s->ldlt, s->slot));
    RITT_TRY(ritti_ldlt_analyse(&s->ldlt, arena));
    RITT_TRY(ritti_ldlt_prepare(&s->ldlt, arena));
    set_signs(L, s, s->ldlt.sign);
    s->ldlt.noise = L->matrix == RITTI_GRAM ? RITTI_GRAM_NOISE : RITTI_SYMMETRIC_NOISE;
    s->value = s->ldlt.c;
    s->values = (size_t)s->ldlt.c_start[L->n];
    L->fill = s->ldlt.fill;
    L->operations = s->ldlt.operations;
    return RITT_OK;
  }
  RITTI_NEW(s->value, arena, s->values + 1);
  ritti_klu_costs(s->klu, &L->fill, &L->operations);
  return RITT_OK;
}

/* Chooses among dense, band and sparse factors the cheapest ones that `wanted` allows. */
ritt_status ritti_linear_choose(ritti_linear *L, ritti_algebra wanted, ritti_arena *arena,
                                ritti_arena *scratch) {
  ritti_scheme *s = L->scheme;
  plan best = {.algebra = RITTI_ALGEBRA_DENSE, .cost = INFINITY};
  if (wanted == RITTI_ALGEBRA_AUTO) best.cost = dense_cost(L->matrix, L->n);
  // scratch for the slots of the pattern: Gram pairs get theirs when they are known
  if (L->matrix == RITTI_SYMMETRIC &&
      (wanted == RITTI_ALGEBRA_AUTO || wanted == RITTI_ALGEBRA_BAND))
    RITT_TRY(ritti_schur_set(L, s, arena, scratch));
  if (s->schur) return RITT_OK;
  if (L->matrix != RITTI_GRAM) RITTI_NEW(s->slot, arena, ritti_entries_of(&s->pattern) + 1);
  /* the cheapest plan for this type of matrix */
  switch (L->matrix) {
  case RITTI_GRAM: RITT_TRY(plan_gram(s, wanted, arena, scratch, &best)); break;
  case RITTI_SYMMETRIC: RITT_TRY(plan_symmetric(s, wanted, arena, scratch, &best)); break;
  case RITTI_GENERAL: RITT_TRY(plan_general(s, wanted, arena, scratch, &best)); break;
  }
  L->algebra = best.algebra;
  if (best.algebra == RITTI_ALGEBRA_DENSE) return ritti_linear_set_dense(L, s, arena);
  /* set up what the plan needs */
  s->order = best.order;
  if (best.algebra == RITTI_ALGEBRA_BAND && L->matrix == RITTI_GRAM)
    RITT_TRY(set_narrow(L, s, &best, arena, scratch));
  if (s->narrow) return RITT_OK;
  if (L->matrix == RITTI_GRAM) {
    RITTI_NEW(s->slot, arena, entry_count(s) + 1);
    RITT_TRY(ritti_gram_list_products(s, arena));
  }
  RITTI_NEW(s->x, arena, L->n + 1);
  return best.algebra == RITTI_ALGEBRA_BAND ? set_band(L, s, &best, arena, scratch)
                                            : set_sparse(L, s, arena, scratch);
}
