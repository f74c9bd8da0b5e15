/* The terms of the power series that solve some equations at a point, which may be a singular one.
 *
 * In: n equations F_i(x, y, y', ...) = 0 that are analytic at the point, and some terms c_jl of the
 * unknowns y_j = sum c_jl (x - x0)^l. Out: the others, order by order. The term r of F_i along the
 * series must be 0. At stage k the terms r <= k of all equations are made 0 by Newton's method in the
 * unknown c_jl with l <= k + (order of y_j). From the second stage on they are nearly always linear. At
 * a regular point each stage determines n new terms. At a singular point a row may determine a term
 * only later, since its leading coefficient vanishes, so that terms stay unknown until the rows of some
 * stage determine them: those whose entry in every null vector is 0.
 *
 * Afterwards c_jl is varied for larger l, without new terms: if such a variation leaves all rows 0 the
 * solution is one of a family. Terms that grow like l! belong to an irregular singular point. All in
 * quadruple precision.
 */
#include "complete/series_start.h"

enum { TERMS = RITTI_SERIES_TERMS, LAST_CHECKED = 100, MOST_ITERATIONS = 40, MOST_COLUMNS = 400 };

typedef struct matrix {
  int rows, cols, rank;
  ritti_quad *a, *right; /* rows x cols: reduced echelon form in balanced units, after eliminate */
  ritti_quad *column;    /* units of the columns */
  int *pivot;            /* column of each row of the form */
  bool *is_pivot;        /* of each column */
} matrix;

typedef struct finder {
  ritti_series_solution *S;
  ritti_arena *arena;
  ritti_quad_series_plan *plan; /* roots: the equations, then the entries */
  int entries, *entry_row, *entry_variable, *entry_order;
  ritti_quad *value; /* (n + entries) x terms */
  int terms;         /* of the last evaluation */
  bool *known;       /* n x length */
  int *unknown;      /* places in c */
  int unknowns, widest;
} finder;

/* As small as rounding in matrices, and in residuals. */
static ritti_quad small_pivot(void) { return powq((ritti_quad)RITTI_QUAD_EPS, (ritti_quad)0.66); }
static ritti_quad small_residual(void) { return powq((ritti_quad)RITTI_QUAD_EPS, (ritti_quad)0.7); }

/* l (l - 1) ... (l - order + 1) */
static ritti_quad falling_factorial(int l, int order) {
  ritti_quad product = 1;
  for (int i = 0; i < order; i++) product *= l - i;
  return product;
}

static void jet_series(const void *context, int variable, int order, int terms, ritti_quad *out) {
  const ritti_series_solution *S = context;
  for (int t = 0; t < terms; t++)
    out[t] = t + order < S->length
                 ? falling_factorial(t + order, order) * S->c[variable * S->length + t + order]
                 : 0;
}

/* The series of the equations and of their derivatives. false: some have no value. */
static bool evaluate_rows(finder *W, int terms) {
  ritti_quad_series_values values = {.independent = W->S->x, .jet = jet_series, .context = W->S};
  W->terms = terms;
  ritti_quad_series_plan_evaluate(W->plan, &values, terms, W->value);
  for (int i = 0; i < (W->S->n + W->entries) * terms; i++)
    if (!(fabsq(W->value[i]) < (ritti_quad)1e300)) return false;
  return true;
}

/* The derivative of term r of equation i by c_jl. */
static ritti_quad derivative_of_term(const finder *W, int i, int r, int j, int l) {
  ritti_quad sum = 0;
  for (int e = 0; e < W->entries; e++) {
    int at = r - l + W->entry_order[e];
    if (W->entry_row[e] != i || W->entry_variable[e] != j || at < 0 || at >= W->terms) continue;
    if (l < W->entry_order[e]) continue;
    sum += falling_factorial(l, W->entry_order[e]) * W->value[(W->S->n + e) * W->terms + at];
  }
  return sum;
}

/* How large the parts of term r of equation i are. */
static ritti_quad size_of_term(const finder *W, int i, int r) {
  const ritti_series_solution *S = W->S;
  ritti_quad size = 0;
  for (int e = 0; e < W->entries; e++) {
    if (W->entry_row[e] != i) continue;
    int j = W->entry_variable[e], o = W->entry_order[e];
    for (int s = 0; s <= r; s++) {
      int l = r - s + o;
      if (l < S->length)
        size += fabsq(W->value[(S->n + e) * W->terms + s] * S->c[j * S->length + l]) *
                falling_factorial(l, o);
    }
  }
  return size;
}

/* ---- elimination ---- */

static ritt_status make_matrix(ritti_arena *arena, int rows, int cols, matrix *M) {
  *M = (matrix){.rows = rows, .cols = cols};
  RITTI_NEW(M->a, arena, (size_t)rows * (size_t)cols + 1);
  RITTI_NEW(M->right, arena, rows + 1);
  RITTI_NEW(M->column, arena, cols + 1);
  RITTI_NEW(M->pivot, arena, rows + 1);
  RITTI_NEW(M->is_pivot, arena, cols + 1);
  return RITT_OK;
}

/* Makes the largest entry of each row and of each column about 1. */
static void balance_matrix(matrix *M) {
  enum { PASSES = 4 };
  for (int j = 0; j < M->cols; j++) M->column[j] = 1;
  for (int pass = 0; pass < PASSES; pass++) {
    for (int i = 0; i < M->rows; i++) {
      ritti_quad most = 0;
      for (int j = 0; j < M->cols; j++) most = fmaxq(most, fabsq(M->a[i * M->cols + j]));
      if (most == 0) continue;
      for (int j = 0; j < M->cols; j++) M->a[i * M->cols + j] /= most;
      M->right[i] /= most;
    }
    for (int j = 0; j < M->cols; j++) {
      ritti_quad most = 0;
      for (int i = 0; i < M->rows; i++) most = fmaxq(most, fabsq(M->a[i * M->cols + j]));
      if (most == 0) continue;
      for (int i = 0; i < M->rows; i++) M->a[i * M->cols + j] /= most;
      M->column[j] /= most;
    }
  }
}

static void swap_rows(matrix *M, int i, int k) {
  ritti_quad right = M->right[i];
  M->right[i] = M->right[k];
  M->right[k] = right;
  for (int j = 0; j < M->cols; j++) {
    ritti_quad a = M->a[i * M->cols + j];
    M->a[i * M->cols + j] = M->a[k * M->cols + j];
    M->a[k * M->cols + j] = a;
  }
}

/* The reduced echelon form, by complete pivoting. */
static void eliminate(matrix *M) {
  int cols = M->cols;
  balance_matrix(M);
  for (M->rank = 0; M->rank < M->rows; M->rank++) {
    ritti_quad most = small_pivot();
    int row = -1, col = -1;
    for (int i = M->rank; i < M->rows; i++)
      for (int j = 0; j < cols; j++)
        if (!M->is_pivot[j] && fabsq(M->a[i * cols + j]) > most)
          most = fabsq(M->a[i * cols + j]), row = i, col = j;
    if (row < 0) return;

    swap_rows(M, M->rank, row);
    M->pivot[M->rank] = col;
    M->is_pivot[col] = true;
    ritti_quad *at = M->a + M->rank * cols, divisor = at[col];
    for (int j = 0; j < cols; j++) at[j] /= divisor;
    M->right[M->rank] /= divisor;
    for (int i = 0; i < M->rows; i++) {
      ritti_quad factor = M->a[i * cols + col];
      if (i == M->rank || factor == 0) continue;
      for (int j = 0; j < cols; j++) M->a[i * cols + j] -= factor * at[j];
      M->a[i * cols + col] = 0;
      M->right[i] -= factor * M->right[M->rank];
    }
  }
}

/* Is the unknown of row i of the form independent of those that are free? Terms that follow from each
 * other may depend on each other by small numbers only. */
static bool is_determined(const matrix *M, int i) {
  for (int j = 0; j < M->cols; j++)
    if (!M->is_pivot[j] && fabsq(M->a[i * M->cols + j]) > 1000 * small_pivot()) return false;
  return true;
}

/* ---- stages ---- */

/* Those of the rows 0 .. k of all equations that contain the unknowns listed. */
static ritt_status fill_stage(const finder *W, int k, ritti_arena *arena, matrix *M) {
  const ritti_series_solution *S = W->S;
  RITT_TRY(make_matrix(arena, (k + 1) * S->n, W->unknowns, M));
  M->rows = 0;
  for (int r = 0; r <= k; r++)
    for (int i = 0; i < S->n; i++) {
      bool any = false;
      M->right[M->rows] = -W->value[i * W->terms + r];
      for (int u = 0; u < W->unknowns; u++) {
        int j = W->unknown[u] / S->length, l = W->unknown[u] % S->length;
        ritti_quad a = derivative_of_term(W, i, r, j, l);
        M->a[M->rows * W->unknowns + u] = a;
        any = any || a != 0;
      }
      M->rows += any;
    }
  return RITT_OK;
}

static void list_unknowns(finder *W, int k) {
  const ritti_series_solution *S = W->S;
  W->unknowns = 0;
  for (int j = 0; j < S->n; j++)
    for (int l = 0; l <= k + S->order[j] && l < S->length; l++)
      if (!W->known[j * S->length + l]) W->unknown[W->unknowns++] = j * S->length + l;
}

/* Are the rows 0 .. k satisfied? Otherwise S says which is not. */
static bool are_satisfied(finder *W, int k) {
  ritti_series_solution *S = W->S;
  for (int r = 0; r <= k; r++)
    for (int i = 0; i < S->n; i++) {
      ritti_quad leaves = W->value[i * W->terms + r];
      if (fabsq(leaves) <= small_residual() * size_of_term(W, i, r)) continue;
      S->equation = i;
      S->term = r;
      S->leaves = (double)leaves;
      return false;
    }
  return true;
}

/* Newton's method on the rows 0 .. k. */
static ritt_status solve_stage(finder *W, int k, ritti_arena *scratch, bool *solved,
                               bool *has_values) {
  ritti_series_solution *S = W->S;
  matrix M;
  *solved = false;
  for (int iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
    *has_values = evaluate_rows(W, k + 1);
    if (!*has_values) return RITT_OK;
    *solved = are_satisfied(W, k);
    if (*solved || W->unknowns == 0) break;
    RITT_TRY(fill_stage(W, k, scratch, &M));
    eliminate(&M);
    ritti_quad most = 0;
    for (int i = 0; i < M.rank; i++) {
      ritti_quad step = M.right[i] * M.column[M.pivot[i]];
      S->c[W->unknown[M.pivot[i]]] += step;
      most = fmaxq(most, fabsq(step));
    }
    if (most == 0) break;
  }
  return RITT_OK;
}

/* Marks the unknowns that the rows determine. */
static ritt_status mark_known(finder *W, int k, ritti_arena *scratch) {
  matrix M;
  if (W->unknowns == 0) return RITT_OK;
  RITT_TRY(fill_stage(W, k, scratch, &M));
  eliminate(&M);
  for (int i = 0; i < M.rank; i++)
    if (is_determined(&M, i)) W->known[W->unknown[M.pivot[i]]] = true;
  return RITT_OK;
}

/* ---- what holds beyond the terms that were found ---- */

/* Does a variation that begins with terms of order `first` leave all rows as they are? */
static ritt_status may_vary(finder *W, int first, bool *yes) {
  const ritti_series_solution *S = W->S;
  int window = W->widest + 4;
  matrix M;
  W->unknowns = S->n * (window + W->widest + 1);
  RITT_TRY(make_matrix(W->arena, S->n * (window + W->widest + 1), W->unknowns, &M));
  /* the rows first - widest .. first + window; unknowns first .. first + window + widest */
  for (int r = 0; r < window + W->widest + 1; r++)
    for (int i = 0; i < S->n; i++)
      for (int u = 0; u < W->unknowns; u++) {
        int j = u % S->n, l = first + u / S->n;
        if (u / S->n > window + S->order[j]) continue;
        M.a[(r * S->n + i) * W->unknowns + u] =
            derivative_of_term(W, i, first - W->widest + r, j, l);
      }
  eliminate(&M);
  *yes = false;
  for (int j = 0; j < S->n; j++) {
    bool fixed = false;
    for (int i = 0; i < M.rank && !fixed; i++) fixed = M.pivot[i] == j && is_determined(&M, i);
    *yes = *yes || !fixed;
  }
  return RITT_OK;
}

/* Do the terms grow faster than a geometric series? For l! the roots |c_l|^(1/l) grow like l. */
static bool terms_diverge(const ritti_series_solution *S) {
  for (int j = 0; j < S->n; j++) {
    double early = 0, late = 0;
    for (int l = TERMS / 4; l < TERMS; l++) {
      double size = (double)fabsq(S->c[j * S->length + l]), root = pow(size, 1.0 / l);
      if (l < TERMS / 2) early = fmax(early, root);
      else if (l >= TERMS - TERMS / 4) late = fmax(late, root);
    }
    if (early > 0 && late > 1.5 * early) return true;
  }
  return false;
}

/* The number of values that may be given: the dimension of all variations, seen in terms of low order. */
static ritt_status count_free(finder *W) {
  ritti_series_solution *S = W->S;
  int k = TERMS / 2, low = TERMS / 4;
  matrix M, low_part;
  memset(W->known, 0, (size_t)(S->n * S->length) * sizeof *W->known);
  list_unknowns(W, k);
  S->free = RITT_UNKNOWN;
  if (W->unknowns > MOST_COLUMNS) return RITT_OK;
  RITT_TRY(fill_stage(W, k, W->arena, &M));
  eliminate(&M);

  /* a null vector for each column that is no pivot */
  RITT_TRY(make_matrix(W->arena, M.cols - M.rank, M.cols, &low_part));
  int vector = 0;
  for (int j = 0; j < M.cols; j++) {
    if (M.is_pivot[j]) continue;
    ritti_quad *row = low_part.a + vector++ * M.cols;
    row[j] = M.column[j];
    for (int i = 0; i < M.rank; i++) row[M.pivot[i]] = -M.a[i * M.cols + j] * M.column[M.pivot[i]];
    for (int u = 0; u < M.cols; u++)
      if (W->unknown[u] % S->length > low || fabsq(row[u]) < 1000 * small_pivot()) row[u] = 0;
  }
  eliminate(&low_part);
  S->free = low_part.rank;
  return RITT_OK;
}

/* ---- all together ---- */

static ritt_status list_entries(finder *W, ritti_expr **roots) {
  ritti_series_solution *S = W->S;
  size_t room = 0;
  ritti_gradient *g;
  ritt_status status = RITT_OK;
  RITTI_NEW(g, W->arena, S->n + 1);
  for (int i = 0; i < S->n && status == RITT_OK; i++) {
    status = ritti_dag_gradient_of(S->dag, S->row[i], 1u << RITTI_JET, &g[i]);
    room += g[i].count;
  }
  *roots = ritti_arena_alloc(W->arena, (size_t)S->n + room + 1, sizeof **roots);
  W->entry_row = ritti_arena_alloc(W->arena, room + 1, sizeof(int));
  W->entry_variable = ritti_arena_alloc(W->arena, room + 1, sizeof(int));
  W->entry_order = ritti_arena_alloc(W->arena, room + 1, sizeof(int));
  bool memory = *roots && W->entry_row && W->entry_variable && W->entry_order;
  if (status == RITT_OK && !memory) status = RITT_NO_MEMORY;
  for (int i = 0; i < S->n; i++) {
    if (status == RITT_OK) (*roots)[i] = S->row[i];
    for (size_t k = 0; k < g[i].count && status == RITT_OK; k++) {
      int e = W->entries++;
      (*roots)[S->n + e] = g[i].derivative[k];
      W->entry_row[e] = i;
      W->entry_variable[e] = ritti_index_of(S->dag, g[i].leaf[k]);
      W->entry_order[e] = ritti_order_of(S->dag, g[i].leaf[k]);
    }
    ritti_gradient_clear(&g[i]);
  }
  return status;
}

/* *verdict: FOUND if the stage was solved. */
static ritt_status take_stage(finder *W, int k, ritti_series_verdict *verdict) {
  bool solved = false, has_values = false;
  *verdict = RITTI_SERIES_UNKNOWN;
  list_unknowns(W, k);
  if (W->unknowns > MOST_COLUMNS) return RITT_OK;
  ritti_arena *scratch = ritti_arena_new();
  if (!scratch) return RITT_NO_MEMORY;
  ritt_status status = solve_stage(W, k, scratch, &solved, &has_values);
  if (status == RITT_OK && solved) status = mark_known(W, k, scratch);
  ritti_arena_free(scratch);
  if (solved) *verdict = RITTI_SERIES_FOUND;
  else if (has_values) *verdict = RITTI_SERIES_NONE;
  return status;
}

/* Is a term still unknown that many rows could have determined? Then S says which. */
static bool is_late(finder *W, int k) {
  enum { LATE = 8 };
  ritti_series_solution *S = W->S;
  for (S->jet = 0; S->jet + LATE + W->widest <= k; S->jet++)
    for (S->variable = 0; S->variable < S->n; S->variable++)
      if (!W->known[S->variable * S->length + S->jet]) return true;
  return false;
}

static ritt_status find_terms(finder *W, ritti_series_verdict *verdict) {
  ritti_series_solution *S = W->S;
  memcpy(W->known, S->given, (size_t)(S->n * S->length) * sizeof *W->known);
  for (int k = 0; k < TERMS; k++) {
    RITT_TRY(take_stage(W, k, verdict));
    if (*verdict == RITTI_SERIES_FOUND && is_late(W, k)) *verdict = RITTI_SERIES_FAMILY;
    if (*verdict != RITTI_SERIES_FOUND) return RITT_OK;
  }

  *verdict = RITTI_SERIES_FAMILY;
  S->variable = 0;
  for (S->jet = TERMS / 2; S->jet < LAST_CHECKED; S->jet++) {
    bool varies;
    RITT_TRY(may_vary(W, S->jet, &varies));
    if (varies) return RITT_OK;
  }
  *verdict = terms_diverge(S) ? RITTI_SERIES_DIVERGES : RITTI_SERIES_FOUND;
  return count_free(W);
}

ritt_status ritti_find_series(ritti_series_solution *S, ritti_series_verdict *verdict) {
  finder W = {.S = S, .arena = ritti_arena_new()};
  ritti_expr *roots = NULL;
  if (!W.arena) return RITT_NO_MEMORY;
  for (int j = 0; j < S->n; j++)
    if (S->order[j] > W.widest) W.widest = S->order[j];
  ritt_status status = list_entries(&W, &roots);
  W.known = ritti_arena_alloc(W.arena, (size_t)(S->n * S->length) + 1, sizeof *W.known);
  W.unknown = ritti_arena_alloc(W.arena, (size_t)(S->n * S->length) + 1, sizeof *W.unknown);
  W.value = ritti_arena_alloc(W.arena, (size_t)(S->n + W.entries) * TERMS + 1, sizeof *W.value);
  if (status == RITT_OK && (!W.known || !W.unknown || !W.value)) status = RITT_NO_MEMORY;
  if (status == RITT_OK)
    status = ritti_quad_series_plan_new(S->dag, roots, (size_t)(S->n + W.entries), TERMS, &W.plan);
  if (status == RITT_OK) status = find_terms(&W, verdict);
  ritti_quad_series_plan_free(W.plan);
  ritti_arena_free(W.arena);
  return status;
}
