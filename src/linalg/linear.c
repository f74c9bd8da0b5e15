/* ritti_linear: one face for dense, band and sparse factorisations.
 *
 * In: a pattern. Out: the algebra chosen for it, where each value of the matrix goes, and from then on
 * factorisations and solves. The choice compares the multiplications of a factorisation and a solve in each
 * algebra, weighed by what one of them costs there.
 */
#include "linalg/sparse_impl.h"

struct ritti_scheme {
  ritti_pattern pattern;
  const unsigned char *keep; /* Gram: columns that count; NULL: all */
  int positive;
  ritt_real *value; /* the matrix where the algebra wants it, then (dense, band) its factors */
  size_t values;
  int *
      slot; /* where an entry goes: those of the pattern, or the pairs of rows of a Gram matrix; -1: nowhere */
  int *order;        /* the row that comes k-th; NULL: as they are */
  ritt_real *x;      /* n: a right side in this order */
  signed char *sign; /* band L D L^T: of pivot k */
  int *pivot;
  int lower, upper;     /* band */
  ritti_narrow *narrow; /* band, Gram */
  struct schur *schur;  /* symmetric, E diagonal */
  ritti_ldlt ldlt;
  ritti_klu *klu;
  /* Gram: row i meets the rows pair_row[pair_start[i]] .., none of them longer than itself */
  int *pair_start, *pair_row;
  ritt_real *spread_row; /* cols */
  /* pair q: the sum of a[one] d[col] a[two] over its products; NULL: an entry is listed twice */
  int *product_start;
  struct schur_product {
    int one, two, col;
  } * product;
  /* the condition estimate */
  ritt_real *y, *z;
  int *signs;
};

/* [E G^T; G 0] with a diagonal E by its Schur complement G E^-1 G^T */
struct schur {
  ritti_pattern G;
  ritti_columns columns, rows;
  ritti_linear gram;
  int *diagonal;      /* the entries of E */
  bool known, plain;  /* there is one already; all of it is 1 */
  ritt_real *e, *E;   /* E, which is often the same as before, and 1/E */
  ritt_real *kept;    /* a copy of G, and */
  const ritt_real *g; /* the G that solutions take, counted as in the pattern */
};

enum { FEW_GRAM = 8 }; /* rows of a Gram matrix that is dense whatever its pattern */
/* What a multiplication costs in each algebra, in those of the sparse L D L^T. */
static const double DENSE_COST = 0.1, BAND_COST = 0.5, KLU_COST = 3;
/* roundings of its terms that a pivot must exceed; as the dense kernels have it */
static const ritt_real GRAM_NOISE = 4, SYMMETRIC_NOISE = 1024;

static int entries_of(const ritti_pattern *p) { return p->rows ? p->start[p->rows] - p->start[0] : 0; }

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

/* ---- Gram matrices: which rows meet ------------------------------------------------------------------- */

/* does row i come before row j by length? */
static bool is_shorter(const ritti_pattern *p, int i, int j) {
  int a = p->start[i + 1] - p->start[i], b = p->start[j + 1] - p->start[j];
  return a < b || (a == b && i < j);
}

/* Every pair of rows that share a column, once, with the longer row, and every row with itself: the products are then
 * sums over the shorter row of each pair. */
static ritt_status list_pairs(ritti_scheme *s, const ritti_graph *g, ritti_arena *arena) {
  const ritti_pattern *p = &s->pattern;
  RITTI_NEW(s->pair_start, arena, g->n + 1);
  RITTI_NEW(s->pair_row, arena, (size_t)g->start[g->n] / 2 + (size_t)g->n + 1);
  int count = 0;
  for (int i = 0; i < g->n; i++) {
    for (int e = g->start[i]; e < g->start[i + 1]; e++)
      if (is_shorter(p, g->to[e], i)) s->pair_row[count++] = g->to[e];
    s->pair_row[count++] = i;
    s->pair_start[i + 1] = count;
  }
  RITTI_NEW(s->spread_row, arena, p->cols + 1);
  return RITT_OK;
}

/* The products of every pair, in the order of the shorter row. Where a row lists an entry twice there are none. */
static ritt_status list_products(ritti_scheme *s, ritti_arena *arena) {
  const int *start = s->pattern.start, *col = s->pattern.col, rows = s->pattern.rows;
  int *at, count = 0;
  struct schur_product *product = NULL;
  RITTI_NEW(at, arena, s->pattern.cols + 1);
  RITTI_NEW(s->product_start, arena, s->pair_start[rows] + 1);
  for (int round = 0; round < 2; round++) {
    if (round) RITTI_NEW(product, arena, count + 1);
    count = 0;
    for (int i = 0; i < rows; i++) {
      for (int e = start[i]; e < start[i + 1]; e++) {
        if (at[col[e]]) {
          s->product_start = NULL;
          return RITT_OK;
        }
        at[col[e]] = e + 1;
      }
      for (int q = s->pair_start[i]; q < s->pair_start[i + 1]; q++) {
        for (int j = s->pair_row[q], e = start[j]; e < start[j + 1]; e++)
          if (at[col[e]] && product) product[count++] = (struct schur_product){at[col[e]] - 1, e, col[e]};
          else count += at[col[e]] != 0;
        s->product_start[q + 1] = count;
      }
      for (int e = start[i]; e < start[i + 1]; e++) at[col[e]] = 0;
    }
  }
  s->product = product;
  return RITT_OK;
}

static void fill_by_products(ritti_scheme *s, const ritt_real *a, const ritt_real *d) {
  const struct schur_product *p = s->product;
  for (int q = 0, pairs = s->pair_start[s->pattern.rows]; q < pairs; q++) {
    const struct schur_product *end = s->product + s->product_start[q + 1];
    ritt_real sum = 0;
    if (d)
      for (; p < end; p++) sum += a[p->two] * (a[p->one] * d[p->col]);
    else
      for (; p < end; p++) sum += a[p->two] * a[p->one];
    s->value[s->slot[q]] = sum;
  }
}

static void fill_gram(ritti_scheme *s, const ritt_real *a, const ritt_real *d) {
  const int *start = s->pattern.start, *col = s->pattern.col;
  ritt_real *spread = s->spread_row;
  if (s->product_start) {
    fill_by_products(s, a, d);
    return;
  }
  for (int i = 0; i < s->pattern.rows; i++) {
    for (int e = start[i]; e < start[i + 1]; e++) spread[col[e]] += d ? a[e] * d[col[e]] : a[e];
    for (int q = s->pair_start[i]; q < s->pair_start[i + 1]; q++) {
      int j = s->pair_row[q];
      ritt_real sum = 0;
      for (int e = start[j]; e < start[j + 1]; e++) sum += a[e] * spread[col[e]];
      s->value[s->slot[q]] = sum;
    }
    for (int e = start[i]; e < start[i + 1]; e++) spread[col[e]] = 0;
  }
}

/* ---- entries as pairs of places ----------------------------------------------------------------------- */

/* Entries of the matrix: those of the pattern, or the pairs of a Gram matrix. */
static int entry_count(const ritti_scheme *s) {
  return s->pair_start ? s->pair_start[s->pattern.rows] : entries_of(&s->pattern);
}

/* Calls visit for every entry in order, with its row and column. */
typedef void visitor(void *context, int entry, int i, int j);
static void each_entry(const ritti_scheme *s, visitor *visit, void *context) {
  const ritti_pattern *p = &s->pattern;
  for (int i = 0; i < p->rows; i++)
    if (s->pair_start)
      for (int q = s->pair_start[i]; q < s->pair_start[i + 1]; q++) visit(context, q, i, s->pair_row[q]);
    else
      for (int e = p->start[i]; e < p->start[i + 1]; e++) visit(context, e - p->start[0], i, p->col[e]);
}

/* where entries go in a band, or in the rows of an L D L^T */
typedef struct target {
  const ritti_scheme *s;
  bool gram, symmetric;
  const int *place;
  int *slot, *next, *col; /* next: NULL while counting; then the next free place of each row */
} target;

/* Rows and columns in the new order; a symmetric entry below the diagonal. false: not read. */
static bool placed(const target *t, int i, int j, int *row, int *col) {
  if (t->symmetric && !t->gram && j > i) return false;
  *row = t->place[i], *col = t->place[j];
  if (t->symmetric && *row < *col) *row = t->place[j], *col = t->place[i];
  return true;
}

static void put_in_band(void *context, int entry, int i, int j) {
  target *t = context;
  int row, col, lower = t->s->lower, upper = t->s->upper;
  t->slot[entry] = -1;
  if (!placed(t, i, j, &row, &col)) return;
  int width = t->symmetric ? lower + 1 : 2 * lower + upper + 1;
  t->slot[entry] = row * width + (col - row + lower);
}

static void count_in_row(void *context, int entry, int i, int j) {
  target *t = context;
  int row, col;
  (void)entry;
  if (placed(t, i, j, &row, &col)) t->next[row + 1]++;
}

static void put_in_row(void *context, int entry, int i, int j) {
  target *t = context;
  int row, col;
  t->slot[entry] = -1;
  if (!placed(t, i, j, &row, &col)) return;
  t->slot[entry] = t->next[row]++;
  t->col[t->slot[entry]] = col;
}

/* The matrix in the order given, as rows of its lower triangle; slot of every entry. */
static ritt_status place_rows(const ritti_scheme *s, bool gram, const int *order, ritti_arena *scratch,
                              ritti_arena *arena, ritti_ldlt *out, int *slot) {
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

/* ---- choosing ----------------------------------------------------------------------------------------- */

static double dense_cost(ritti_matrix matrix, double n) {
  return (n * n * n / (matrix == RITTI_GENERAL ? 3 : 6) + n * n) * DENSE_COST;
}

/* The widths of a square pattern in an order: how far entries lie below and above the diagonal. */
typedef struct widths {
  const int *place;
  int lower, upper;
} widths;
static void widen(void *context, int entry, int i, int j) {
  widths *w = context;
  int below = w->place[i] - w->place[j];
  (void)entry;
  if (below > w->lower) w->lower = below;
  if (-below > w->upper) w->upper = -below;
}

static ritt_status band_plan(const ritti_scheme *s, bool symmetric, int *order, ritti_arena *scratch,
                             plan *out) {
  int n = s->pattern.rows, *place;
  RITTI_NEW(place, scratch, n + 1);
  ritti_order_invert(n, order, place);
  widths w = {.place = place};
  each_entry(s, widen, &w);
  if (symmetric && w.upper > w.lower) w.lower = w.upper;
  if (symmetric) w.upper = 0;
  double lower = w.lower, upper = w.upper, cost, width = symmetric ? lower + 1 : 2 * lower + upper + 1;
  if (symmetric) cost = n * (lower + 1) * (lower + 2) / 2 + 2 * n * (lower + 1);
  else cost = n * (lower + 1) * (lower + upper + 1) + n * (2 * lower + upper + 1);
  *out = (plan){RITTI_ALGEBRA_BAND, cost * BAND_COST, order, w.lower, w.upper};
  if (n * width > (1 << 30)) out->cost = INFINITY; /* entries are counted in ints */
  return RITT_OK;
}

/* L D L^T in this order: its cost, and the order to sort by it */
static ritt_status ldlt_plan(const ritti_scheme *s, bool gram, int *order, ritti_arena *scratch, plan *out) {
  ritti_ldlt F;
  int *slot;
  RITTI_NEW(slot, scratch, entry_count(s) + 1);
  RITT_TRY(place_rows(s, gram, order, scratch, scratch, &F, slot));
  RITT_TRY(ritti_ldlt_analyse(&F, scratch));
  *out = (plan){RITTI_ALGEBRA_SPARSE, F.operations + 2 * F.fill, order, 0, 0};
  if (F.fill >= (1 << 30)) out->cost = INFINITY;
  return RITT_OK;
}

static ritt_status plan_gram(ritti_scheme *s, ritti_algebra wanted, ritti_arena *arena, ritti_arena *scratch,
                             plan *best) {
  int n = s->pattern.rows, *narrow, *sparse;
  ritti_graph graph;
  plan other;
  // more than half of all pairs: dense
  size_t most = wanted == RITTI_ALGEBRA_AUTO ? (size_t)n * (size_t)n / 2 : (size_t)1 << 30;
  RITT_TRY(ritti_graph_share(&s->pattern, s->keep, most, scratch, &graph));
  if (!graph.start) return RITT_OK;
  RITT_TRY(list_pairs(s, &graph, arena));
  RITTI_NEW(narrow, arena, n + 1);
  RITTI_NEW(sparse, arena, n + 1);
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
  RITTI_NEW(narrow, arena, n + 1);
  RITTI_NEW(first, arena, n + 1);
  RITTI_NEW(pairs, arena, n + 1);
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
static ritt_status compress(ritti_scheme *s, ritti_arena *arena, ritti_arena *scratch, int **start,
                            int **col) {
  const ritti_pattern *p = &s->pattern;
  int n = p->rows, *by_col, *row, *last, *next, count = 0;
  RITT_TRY(ritti_pattern_columns(p, scratch, &by_col, &row));
  RITTI_NEW(*start, arena, n + 1);
  RITTI_NEW(*col, arena, entries_of(p) + 1);
  RITTI_NEW(last, scratch, n + 1);
  RITTI_NEW(next, scratch, n + 1);
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
  for (int i = 0; i < n; i++) {
    for (int q = (*start)[i]; q < (*start)[i + 1]; q++) last[(*col)[q]] = q;
    for (int e = p->start[i]; e < p->start[i + 1]; e++) s->slot[e - p->start[0]] = last[p->col[e]];
  }
  count = (*start)[n];
  s->values = (size_t)count;
  return RITT_OK;
}

static ritt_status plan_general(ritti_scheme *s, ritti_algebra wanted, ritti_arena *arena,
                                ritti_arena *scratch, plan *best) {
  int n = s->pattern.rows, *narrow, *start, *col;
  ritti_graph graph;
  plan other;
  RITTI_NEW(narrow, arena, n + 1);
  RITT_TRY(ritti_graph_of(&s->pattern, false, NULL, n, scratch, &graph));
  RITT_TRY(ritti_order_narrow(&graph, scratch, narrow));
  RITT_TRY(band_plan(s, false, narrow, scratch, &other));
  take_cheaper(best, other, wanted);
  if (wanted == RITTI_ALGEBRA_BAND) return RITT_OK;
  RITT_TRY(compress(s, arena, scratch, &start, &col));
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

/* ---- setting up --------------------------------------------------------------------------------------- */

static ritt_status set_dense(ritti_linear *L, ritti_scheme *s, ritti_arena *arena) {
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
  for (int k = 0; k < L->n; k++) sign[k] = L->matrix == RITTI_GRAM || s->order[k] < s->positive ? 1 : -1;
}

static ritt_status set_band(ritti_linear *L, ritti_scheme *s, const plan *chosen, ritti_arena *arena,
                            ritti_arena *scratch) {
  bool symmetric = L->matrix != RITTI_GENERAL;
  int n = L->n, *place, lower = chosen->lower, upper = chosen->upper;
  double l = lower, u = upper;
  s->lower = lower, s->upper = upper;
  s->values = (size_t)n * (size_t)(symmetric ? lower + 1 : 2 * lower + upper + 1);
  RITTI_NEW(s->value, arena, s->values + 1);
  RITTI_NEW(place, scratch, n + 1);
  ritti_order_invert(n, s->order, place);
  target t = {
      .s = s, .gram = L->matrix == RITTI_GRAM, .symmetric = symmetric, .place = place, .slot = s->slot};
  each_entry(s, put_in_band, &t);
  if (symmetric) {
    RITTI_NEW(s->sign, arena, n + 1);
    set_signs(L, s, s->sign);
  } else RITTI_NEW(s->pivot, arena, n + 1);
  L->fill = (double)s->values;
  L->operations = symmetric ? n * (l + 1) * (l + 2) / 2 : n * (l + 1) * (l + u + 1);
  return RITT_OK;
}

/* Gram matrices have narrow bands more often than not. */
static ritt_status set_narrow(ritti_linear *L, ritti_scheme *s, const plan *chosen, ritti_arena *arena,
                              ritti_arena *scratch) {
  double n = L->n, w = chosen->lower;
  ritt_real noise = GRAM_NOISE * (ritt_real)(w + 1) * RITTI_EPS;
  RITT_TRY(
      ritti_narrow_new(&s->pattern, s->keep, s->order, chosen->lower, noise, arena, scratch, &s->narrow));
  if (!s->narrow) return RITT_OK;
  L->kept = true;
  s->values = ritti_narrow_values(s->narrow);
  RITTI_NEW(s->value, arena, s->values + 1);
  ritti_narrow_place(s->narrow, s->value);
  L->fill = (n + w) * (w + 1);
  L->operations = n * (w + 1) * (w + 2) / 2;
  return RITT_OK;
}

/* The entries of a diagonal E; false: it is not, or the rows behind it are not those of G alone. */
static bool find_diagonal(const ritti_scheme *s, int *diagonal) {
  const ritti_pattern *p = &s->pattern;
  for (int i = 0; i < p->rows; i++) {
    int found = 0;
    for (int e = p->start[i]; e < p->start[i + 1]; e++) {
      if (p->col[e] > i) continue;
      if (i >= s->positive && p->col[e] >= s->positive) return false;
      if (i < s->positive && p->col[e] != i) return false;
      if (i < s->positive) diagonal[i] = e, found++;
    }
    if (i < s->positive && found != 1) return false;
  }
  return true;
}

/* Where the Schur complement is a narrow band it is the whole matrix. */
static ritt_status set_schur(ritti_linear *L, ritti_scheme *s, ritti_arena *arena, ritti_arena *scratch) {
  struct schur *c;
  const ritti_pattern *p = &s->pattern;
  int *diagonal, rest = p->rows - s->positive;
  RITTI_NEW(diagonal, scratch, s->positive + 1);
  if (rest <= FEW_GRAM || !find_diagonal(s, diagonal)) return RITT_OK;
  ritti_pattern G = {.rows = rest, .cols = s->positive, .start = p->start + s->positive, .col = p->col};
  for (int e = G.start[0]; e < G.start[rest]; e++)
    if (p->col[e] >= s->positive) return RITT_OK; /* above the diagonal */
  RITTI_NEW(c, arena, 1);
  c->G = G;
  RITT_TRY(ritti_linear_init(&c->gram, RITTI_GRAM, &c->G, 0, RITTI_ALGEBRA_AUTO, arena));
  if (!c->gram.scheme->narrow) return RITT_OK;
  ritti_narrow_noise(c->gram.scheme->narrow, SYMMETRIC_NOISE * RITTI_EPS);
  RITT_TRY(ritti_columns_init(&c->columns, &c->G, arena));
  RITTI_NEW(c->diagonal, arena, s->positive + 1);
  memcpy(c->diagonal, diagonal, (size_t)s->positive * sizeof *diagonal);
  RITTI_NEW(c->e, arena, s->positive + 1);
  RITTI_NEW(c->E, arena, s->positive + 1);
  RITTI_NEW(c->kept, arena, G.start[rest] - G.start[0] + 1);
  RITT_TRY(ritti_rows_init(&c->rows, &c->G, arena));
  s->schur = c;
  L->algebra = RITTI_ALGEBRA_BAND;
  L->fill = c->gram.fill + s->positive + G.start[rest] - G.start[0];
  L->operations = c->gram.operations + s->positive;
  return RITT_OK;
}

static ritt_status set_ldlt(ritti_linear *L, ritti_scheme *s, ritti_arena *arena, ritti_arena *scratch) {
  RITT_TRY(place_rows(s, L->matrix == RITTI_GRAM, s->order, scratch, arena, &s->ldlt, s->slot));
  RITT_TRY(ritti_ldlt_analyse(&s->ldlt, arena));
  RITT_TRY(ritti_ldlt_prepare(&s->ldlt, arena));
  set_signs(L, s, s->ldlt.sign);
  s->ldlt.noise = L->matrix == RITTI_GRAM ? GRAM_NOISE : SYMMETRIC_NOISE;
  s->value = s->ldlt.c;
  s->values = (size_t)s->ldlt.c_start[L->n];
  L->fill = s->ldlt.fill;
  L->operations = s->ldlt.operations;
  return RITT_OK;
}

static ritt_status set_sparse(ritti_linear *L, ritti_scheme *s, ritti_arena *arena, ritti_arena *scratch) {
  if (L->matrix != RITTI_GENERAL) return set_ldlt(L, s, arena, scratch);
  RITTI_NEW(s->value, arena, s->values + 1);
  ritti_klu_costs(s->klu, &L->fill, &L->operations);
  return RITT_OK;
}

static ritt_status choose(ritti_linear *L, ritti_algebra wanted, ritti_arena *arena, ritti_arena *scratch) {
  ritti_scheme *s = L->scheme;
  plan best = {.algebra = RITTI_ALGEBRA_DENSE, .cost = INFINITY};
  if (wanted == RITTI_ALGEBRA_AUTO) best.cost = dense_cost(L->matrix, L->n);
  // scratch for the slots of the pattern: Gram pairs get theirs when they are known
  if (L->matrix == RITTI_SYMMETRIC && (wanted == RITTI_ALGEBRA_AUTO || wanted == RITTI_ALGEBRA_BAND))
    RITT_TRY(set_schur(L, s, arena, scratch));
  if (s->schur) return RITT_OK;
  if (L->matrix != RITTI_GRAM) RITTI_NEW(s->slot, arena, entries_of(&s->pattern) + 1);
  switch (L->matrix) {
  case RITTI_GRAM: RITT_TRY(plan_gram(s, wanted, arena, scratch, &best)); break;
  case RITTI_SYMMETRIC: RITT_TRY(plan_symmetric(s, wanted, arena, scratch, &best)); break;
  case RITTI_GENERAL: RITT_TRY(plan_general(s, wanted, arena, scratch, &best)); break;
  }
  L->algebra = best.algebra;
  if (best.algebra == RITTI_ALGEBRA_DENSE) return set_dense(L, s, arena);
  s->order = best.order;
  if (best.algebra == RITTI_ALGEBRA_BAND && L->matrix == RITTI_GRAM)
    RITT_TRY(set_narrow(L, s, &best, arena, scratch));
  if (s->narrow) return RITT_OK;
  if (L->matrix == RITTI_GRAM) {
    RITTI_NEW(s->slot, arena, entry_count(s) + 1);
    RITT_TRY(list_products(s, arena));
  }
  RITTI_NEW(s->x, arena, L->n + 1);
  return best.algebra == RITTI_ALGEBRA_BAND ? set_band(L, s, &best, arena, scratch)
                                            : set_sparse(L, s, arena, scratch);
}

static ritt_status init(ritti_linear *L, ritti_matrix matrix, const ritti_pattern *pattern,
                        const unsigned char *keep, int positive, ritti_algebra algebra, ritti_arena *arena) {
  ritti_scheme *s;
  *L = (ritti_linear){.matrix = matrix, .n = pattern->rows};
  RITTI_NEW(s, arena, 1);
  L->scheme = s;
  s->pattern = *pattern;
  s->keep = keep;
  s->positive = matrix == RITTI_SYMMETRIC ? positive : pattern->rows;
  RITTI_NEW(s->y, arena, L->n + 1);
  RITTI_NEW(s->z, arena, L->n + 1);
  RITTI_NEW(s->signs, arena, L->n + 1);
  /* a Gram matrix is often a narrow band, and nothing asks for its dense factors */
  int most = matrix == RITTI_GRAM ? FEW_GRAM : RITTI_SMALL;
  bool small = L->n == 0 || (algebra == RITTI_ALGEBRA_AUTO && L->n <= most);
  if (small || algebra == RITTI_ALGEBRA_DENSE) return set_dense(L, s, arena);
  // where there is no memory but the arena's, that one
  ritti_arena *own = ritti_arena_beside(arena);
  ritt_status status = choose(L, algebra, arena, own ? own : arena);
  ritti_arena_free(own);
  return status;
}

ritt_status ritti_linear_init(ritti_linear *L, ritti_matrix matrix, const ritti_pattern *pattern,
                              int positive, ritti_algebra algebra, ritti_arena *arena) {
  return init(L, matrix, pattern, NULL, positive, algebra, arena);
}

ritt_status ritti_linear_init_gram(ritti_linear *L, const ritti_pattern *pattern, const unsigned char *keep,
                                   ritti_algebra algebra, ritti_arena *arena) {
  return init(L, RITTI_GRAM, pattern, keep, 0, algebra, arena);
}

/* ---- factoring and solving ---------------------------------------------------------------------------- */

static int sign_of_lu(const ritti_linear *L) {
  const ritti_scheme *s = L->scheme;
  bool band = L->algebra == RITTI_ALGEBRA_BAND;
  size_t width = band ? (size_t)(2 * s->lower + s->upper + 1) : (size_t)L->n;
  int sign = 1;
  for (int i = 0; i < L->n; i++) {
    ritt_real pivot = s->value[(size_t)i * width + (size_t)(band ? s->lower : i)];
    if ((pivot < 0) != (s->pivot[i] != i)) sign = -sign;
  }
  return sign;
}

/* E has positive pivots, the rest negative ones */
static int sign_of_signs(const ritti_linear *L) { return (L->n - L->scheme->positive) % 2 ? -1 : 1; }

static bool factor_dense(ritti_linear *L, const ritt_real *a, const ritt_real *d) {
  ritti_scheme *s = L->scheme;
  if (L->matrix == RITTI_GRAM) {
    ritti_csr_gram(&s->pattern, a, d, s->spread_row, s->value);
    return ritti_cholesky_factor(L->n, s->value);
  }
  ritti_csr_to_dense(&s->pattern, a, s->value);
  if (L->matrix == RITTI_SYMMETRIC) return ritti_ldlt_factor(L->n, s->positive, s->value);
  return ritti_lu_factor(L->n, s->value, s->pivot, NULL);
}

/* false: an entry is not finite */
static bool fill(ritti_linear *L, const ritt_real *a, const ritt_real *d) {
  ritti_scheme *s = L->scheme;
  int count = entries_of(&s->pattern), first = s->pattern.start[0];
  ritt_real zero = 0;
  for (int e = first; e < first + count; e++) zero += 0 * a[e];
  if (!(zero == 0)) return false; /* an entry is not finite */
  if (L->algebra == RITTI_ALGEBRA_BAND || L->matrix != RITTI_GRAM)
    for (size_t i = 0; i < s->values; i++) s->value[i] = 0;
  if (L->matrix == RITTI_GRAM) fill_gram(s, a, d);
  else
    for (int e = 0; e < count; e++)
      if (s->slot[e] >= 0) s->value[s->slot[e]] += a[first + e];
  return true;
}

static bool factor_band(ritti_linear *L) {
  ritti_scheme *s = L->scheme;
  ritt_real noise = L->matrix == RITTI_GRAM ? GRAM_NOISE : SYMMETRIC_NOISE;
  if (L->matrix != RITTI_GENERAL) return ritti_band_ldlt_factor(L->n, s->lower, s->value, s->sign, noise);
  return ritti_band_lu_factor(L->n, s->lower, s->upper, s->value, s->pivot);
}

static bool factor_sparse(ritti_linear *L) {
  ritti_scheme *s = L->scheme;
  if (L->matrix != RITTI_GENERAL) return ritti_ldlt_numeric(&s->ldlt);
  bool good = ritti_klu_factor(s->klu, s->value, &L->sign);
  if (good && L->full != ritti_klu_full(s->klu)) ritti_klu_costs(s->klu, &L->fill, &L->operations);
  L->full = ritti_klu_full(s->klu);
  return good;
}

/* E and 1/E; false: an entry is not positive */
static bool take_diagonal(ritti_linear *L, const ritt_real *a) {
  struct schur *c = L->scheme->schur;
  bool same = true, good = true;
  int n = L->scheme->positive;
  if (L->same && c->known) return true;
  for (int i = 0; i < n; i++) {
    same &= c->e[i] == a[c->diagonal[i]];
    c->e[i] = a[c->diagonal[i]];
  }
  if (same && c->known) return true;
  c->plain = true;
  for (int i = 0; i < n; i++) {
    good &= c->e[i] > 0 && c->e[i] < INFINITY;
    c->plain &= c->e[i] == 1;
    c->E[i] = 1 / c->e[i];
  }
  return c->known = good;
}

static bool factor_schur(ritti_linear *L, const ritt_real *a) {
  struct schur *c = L->scheme->schur;
  int first = c->G.start[0];
  if (!take_diagonal(L, a)) return false;
  memcpy(c->kept, a + first, (size_t)(c->G.start[c->G.rows] - first) * sizeof *c->kept);
  c->g = c->kept - first;
  return ritti_linear_factor(&c->gram, a, c->plain ? NULL : c->E);
}

enum { BLOCK = 64 };

/* u = E^-1 x_1, (G E^-1 G^T) mu = G u - x_2, x_1 = u - E^-1 G^T mu */
static void begin_schur(const ritti_linear *L, ritt_real *x) {
  const struct schur *c = L->scheme->schur;
  int positive = L->scheme->positive;
  ritt_real *mu = x + positive, sum[BLOCK];
  for (int i = 0; i < positive && !c->plain; i++) x[i] *= c->E[i];
  for (int i = 0, run = 0; i < c->G.rows; i += BLOCK) {
    int count = c->G.rows - i < BLOCK ? c->G.rows - i : BLOCK;
    ritti_columns_times(&c->rows, &run, i, count, c->g, x, sum);
    for (int j = 0; j < count; j++) mu[i + j] = sum[j] - mu[i + j];
  }
}

static void end_schur(const ritti_linear *L, ritt_real *x) {
  const struct schur *c = L->scheme->schur;
  int positive = L->scheme->positive;
  const ritt_real *E = c->E, *mu = x + positive;
  ritt_real sum[BLOCK];
  for (int i = 0, run = 0; i < positive; i += BLOCK) {
    int count = positive - i < BLOCK ? positive - i : BLOCK;
    ritti_columns_times(&c->columns, &run, i, count, c->g, mu, sum);
    if (c->plain)
      for (int j = 0; j < count; j++) x[i + j] -= sum[j];
    else
      for (int j = 0; j < count; j++) x[i + j] -= E[i + j] * sum[j];
  }
}

static void solve_schur(ritti_linear *L, ritt_real *x) {
  begin_schur(L, x);
  ritti_linear_solve(&L->scheme->schur->gram, x + L->scheme->positive);
  end_schur(L, x);
}

static bool factor_solve_schur(ritti_linear *L, const ritt_real *a, ritt_real *x) {
  struct schur *c = L->scheme->schur;
  if (!take_diagonal(L, a)) return false;
  c->g = a;
  begin_schur(L, x);
  if (!ritti_linear_factor_solve(&c->gram, a, c->plain ? NULL : c->E, x + L->scheme->positive)) return false;
  end_schur(L, x);
  return true;
}

bool ritti_linear_factor(ritti_linear *L, const ritt_real *a, const ritt_real *d) {
  bool good;
  L->sign = 0;
  L->factorisations++;
  if (L->algebra == RITTI_ALGEBRA_DENSE) good = factor_dense(L, a, d);
  else if (L->scheme->narrow) good = ritti_narrow_factor(L->scheme->narrow, a, d);
  else if (L->scheme->schur) good = factor_schur(L, a);
  else good = fill(L, a, d) && (L->algebra == RITTI_ALGEBRA_BAND ? factor_band(L) : factor_sparse(L));
  if (!good) L->sign = 0;
  else if (L->matrix != RITTI_GENERAL) L->sign = sign_of_signs(L);
  else if (L->algebra != RITTI_ALGEBRA_SPARSE) L->sign = sign_of_lu(L);
  return good;
}

bool ritti_linear_factor_solve(ritti_linear *L, const ritt_real *a, const ritt_real *d, ritt_real *x) {
  ritti_scheme *s = L->scheme;
  if (!s->narrow && !s->schur) {
    if (!ritti_linear_factor(L, a, d)) return false;
    ritti_linear_solve(L, x);
    return true;
  }
  L->factorisations++;
  bool good = s->narrow ? ritti_narrow_factor_solve(s->narrow, a, d, x) : factor_solve_schur(L, a, x);
  L->sign = good ? sign_of_signs(L) : 0;
  L->solves += good;
  return good;
}

static ritti_narrow *narrow_of(const ritti_linear *L) {
  const ritti_scheme *s = L->scheme;
  return !s ? NULL : s->schur ? s->schur->gram.scheme->narrow : s->narrow;
}

void ritti_linear_write_forms(const ritti_linear *L, ritti_form_keys *keys, ritti_text *out) {
  if (narrow_of(L)) ritti_narrow_write_forms(narrow_of(L), keys, out);
}

void ritti_linear_take_forms(ritti_linear *L, ritti_form *(*find)(const void *from, uint64_t key),
                             const void *from) {
  if (narrow_of(L)) ritti_narrow_take_forms(narrow_of(L), find, from);
  L->formed = true;
}

bool ritti_linear_is_plain(const ritti_linear *L, const ritt_real *d) {
  return L->scheme->narrow && ritti_narrow_is_plain(L->scheme->narrow, d);
}

static void solve_dense(ritti_linear *L, ritt_real *x, bool transposed) {
  const ritti_scheme *s = L->scheme;
  if (L->matrix == RITTI_GRAM) ritti_cholesky_solve(L->n, s->value, x);
  else if (L->matrix == RITTI_SYMMETRIC) ritti_ldlt_solve(L->n, s->value, x);
  else if (transposed) ritti_lu_solve_transposed(L->n, s->value, s->pivot, x);
  else ritti_lu_solve(L->n, s->value, s->pivot, x);
}

static void solve_ordered(ritti_linear *L, ritt_real *x, bool transposed) {
  const ritti_scheme *s = L->scheme;
  ritt_real *y = s->x;
  int n = L->n, lower = s->lower, upper = s->upper;
  for (int k = 0; k < n; k++) y[k] = x[s->order[k]];
  if (L->algebra == RITTI_ALGEBRA_SPARSE) ritti_ldlt_backsolve(&s->ldlt, y);
  else if (L->matrix != RITTI_GENERAL) ritti_band_ldlt_solve(n, lower, s->value, y);
  else if (transposed) ritti_band_lu_solve_transposed(n, lower, upper, s->value, s->pivot, y);
  else ritti_band_lu_solve(n, lower, upper, s->value, s->pivot, y);
  for (int k = 0; k < n; k++) x[s->order[k]] = y[k];
}

static void solve(void *context, ritt_real *x, bool transposed) {
  ritti_linear *L = context;
  L->solves++;
  if (L->algebra == RITTI_ALGEBRA_DENSE) solve_dense(L, x, transposed);
  else if (L->scheme->narrow) ritti_narrow_solve(L->scheme->narrow, x);
  else if (L->scheme->schur) solve_schur(L, x);
  else if (L->scheme->order) solve_ordered(L, x, transposed);
  else {
    ritti_klu_solve(L->scheme->klu, x, transposed);
    L->full = ritti_klu_full(L->scheme->klu);
  }
}

void ritti_linear_solve(ritti_linear *L, ritt_real *x) { solve(L, x, false); }
void ritti_linear_solve_transposed(ritti_linear *L, ritt_real *x) { solve(L, x, true); }

void ritti_linear_state(ritti_linear *L, bool factors, ritti_state *state) {
  ritti_scheme *s = L->scheme;
  bool klu = L->n && L->algebra == RITTI_ALGEBRA_SPARSE && L->matrix == RITTI_GENERAL;
  if (!s) return;
  ritti_state_long(state, "linear.factorisations", &L->factorisations);
  ritti_state_long(state, "linear.solves", &L->solves);
  ritti_state_long(state, "linear.full", &L->full);
  ritti_state_item(state, "linear.fill", &L->fill, sizeof L->fill);
  ritti_state_item(state, "linear.operations", &L->operations, sizeof L->operations);
  if (s->schur) {
    ritti_linear_state(&s->schur->gram, factors, state);
    if (factors) ritti_state_reals(state, "linear.E", s->schur->e, (size_t)s->positive);
    if (factors) {
      struct schur *c = s->schur;
      size_t first = (size_t)c->G.start[0], count = ritti_entries(&c->G) - first;
      if (c->g && c->g + first != c->kept) memcpy(c->kept, c->g + first, count * sizeof *c->kept);
      c->g = c->kept - first;
      ritti_state_reals(state, "linear.G", c->kept, count);
    }
    if (factors) ritti_state_ints(state, "linear.sign", &L->sign, 1, -1, 1);
    if (factors && state->mode == RITTI_STATE_LOAD) {
      s->schur->plain = s->schur->known = true;
      for (int i = 0; i < s->positive; i++) {
        s->schur->E[i] = 1 / s->schur->e[i];
        s->schur->plain &= s->schur->e[i] == 1;
      }
    }
    return;
  }
  if (factors) {
    size_t n = (size_t)L->n, values = L->algebra == RITTI_ALGEBRA_DENSE ? n * n : s->values;
    /* a factorisation that failed leaves no pivots */
    if (state->mode == RITTI_STATE_SAVE && L->sign == 0 && s->pivot)
      memset(s->pivot, 0, n * sizeof *s->pivot);
    ritti_state_ints(state, "linear.sign", &L->sign, 1, -1, 1);
    ritti_state_reals(state, "linear.value", s->value, values);
    ritti_state_ints(state, "linear.pivot", s->pivot, n, 0, L->n - 1);
    if (s->ldlt.l) {
      ritti_state_reals(state, "linear.l", s->ldlt.l, (size_t)s->ldlt.col_start[L->n]);
      ritti_state_reals(state, "linear.d", s->ldlt.d, n);
    }
  }
  if (klu) ritti_klu_state(s->klu, s->value, factors, state);
}

ritt_real ritti_linear_inverse_norm(ritti_linear *L) {
  const ritti_scheme *s = L->scheme;
  if (L->n == 0) return 0;
  return ritti_inverse_norm(L->n, solve, L, s->y, s->z, s->signs);
}

ritt_real *ritti_linear_dense(const ritti_linear *linear) {
  return linear->algebra == RITTI_ALGEBRA_DENSE ? linear->scheme->value : NULL;
}

void ritti_linear_taken(ritti_linear *L, long count) {
  L->factorisations += count, L->solves += count;
  L->sign = sign_of_signs(L);
}

ritt_real ritti_linear_log2(const ritti_linear *linear) {
  if (linear->algebra != RITTI_ALGEBRA_DENSE) return NAN;
  return ritti_log2_product(linear->n, linear->scheme->value, linear->n + 1);
}
