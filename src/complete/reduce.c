/* Reduction: from the completed system to the smallest problem.
 *
 * In: stages f_i^(k) and offsets. Out: coordinates (jets below the tops), rows of M (stages below
 * the top one, invariants), the linear system A top + b = 0 of the top stage; mechanics (every d_j
 * 2 or 0, every c_i 0 or 2) keeps its block form [E H; G 0] (section 3.3 of the enhanced linear
 * algebra paper); where the top jets follow one after another with constant pivots they become
 * formulas (the explicit kind).
 */
#include "complete/complete_impl.h"

/* ---- coordinates and tops ---- */

typedef struct places {
  int *coordinate; /* of each jet number; -1: a top */
  int *top;        /* of each variable */
} places;

static int greatest_entry(const int *a, int n) {
  int most = 0;
  for (int i = 0; i < n; i++)
    if (a[i] > most) most = a[i];
  return most;
}

static ritt_status lay_out(ritti_completion *C, ritti_reduced *R, places *P) {
  int n = C->n, highest = greatest_entry(C->d, n), count = 0;
  R->m = 1;
  for (int j = 0; j < n; j++) R->m += C->d[j];
  R->tops = n;
  RITTI_NEW(R->coordinate, C->arena, R->m);
  RITTI_NEW(R->next, C->arena, R->m);
  RITTI_NEW(R->top, C->arena, n + 1);
  RITTI_NEW(R->z, C->arena, R->m);
  RITTI_NEW(R->top_value, C->arena, n + 1);
  RITTI_NEW(P->coordinate, C->arena, C->jets + 1);
  RITTI_NEW(P->top, C->arena, n + 1);

  /* tops by falling order, so that accelerations come before multipliers */
  for (int d = highest; d >= 0; d--)
    for (int j = 0; j < n; j++)
      if (C->d[j] == d) {
        P->top[j] = count;
        R->top[count] = ritti_jet(C->dag, j, d);
        R->top_value[count++] = C->point[C->first[j] + d];
        P->coordinate[C->first[j] + d] = -1;
      }
  count = 1;
  R->coordinate[0] = ritti_independent(C->dag);
  R->z[0] = C->x;
  for (int k = 0; k < highest; k++)
    for (int j = 0; j < n; j++)
      if (k < C->d[j]) {
        P->coordinate[C->first[j] + k] = count;
        R->coordinate[count] = ritti_jet(C->dag, j, k);
        R->z[count++] = C->point[C->first[j] + k];
      }
  for (int j = 0; j < n; j++)
    for (int k = 0; k < C->d[j]; k++) {
      int here = P->coordinate[C->first[j] + k];
      R->next[here] = k + 1 < C->d[j] ? P->coordinate[C->first[j] + k + 1] : -1 - P->top[j];
    }
  return ritti_dag_status(C->dag);
}

/* ---- matrices of expressions ---- */

/* Which column a leaf belongs to, -1: none. */
typedef int (*column_of)(const ritti_completion *C, const places *P, ritti_expr leaf);

static int coordinate_column(const ritti_completion *C, const places *P, ritti_expr leaf) {
  if (ritti_op_of(C->dag, leaf) == RITTI_INDEPENDENT) return 0;
  if (ritti_op_of(C->dag, leaf) != RITTI_JET) return -1;
  int jet = ritti_jet_number(C, ritti_index_of(C->dag, leaf), ritti_order_of(C->dag, leaf));
  return jet < 0 ? -1 : P->coordinate[jet];
}

static int top_column(const ritti_completion *C, const places *P, ritti_expr leaf) {
  if (ritti_op_of(C->dag, leaf) != RITTI_JET) return -1;
  int j = ritti_index_of(C->dag, leaf);
  return ritti_order_of(C->dag, leaf) == C->d[j] ? P->top[j] : -1;
}

typedef RITTI_ARRAY(int) ints;
typedef RITTI_ARRAY(ritti_expr) exprs;

/* One row: entries sorted by column. */
static ritt_status add_matrix_row(ritti_completion *C, const places *P, ritti_expr row,
                                  column_of column, ints *cols, exprs *entries) {
  ritti_gradient g;
  size_t first = cols->count;
  RITT_TRY(ritti_dag_gradient(C->dag, row, &g));
  ritt_status status = RITT_OK;
  for (size_t i = 0; i < g.count && status == RITT_OK; i++) {
    int c = column(C, P, g.leaf[i]);
    if (c < 0) continue;
    status = RITTI_PUSH(*cols, c);
    if (status == RITT_OK) status = RITTI_PUSH(*entries, g.derivative[i]);
    for (size_t at = cols->count - 1; status == RITT_OK && at > first && cols->at[at - 1] > c;
         at--) {
      cols->at[at] = cols->at[at - 1], entries->at[at] = entries->at[at - 1];
      cols->at[at - 1] = c, entries->at[at - 1] = g.derivative[i];
    }
  }
  ritti_gradient_clear(&g);
  return status;
}

static ritt_status make_matrix(ritti_completion *C, const places *P, const ritti_expr *rows,
                               int count, int width, column_of column, ritti_expr_matrix *out) {
  ints cols = {0};
  exprs entries = {0};
  int *start, *col = NULL;
  RITTI_NEW(start, C->arena, count + 1);
  ritt_status status = RITT_OK;
  for (int i = 0; i < count && status == RITT_OK; i++) {
    status = add_matrix_row(C, P, rows[i], column, &cols, &entries);
    start[i + 1] = (int)cols.count;
  }
  if (status == RITT_OK) {
    col = ritti_arena_alloc(C->arena, cols.count + 1, sizeof *col);
    out->entry = ritti_arena_alloc(C->arena, cols.count + 1, sizeof *out->entry);
    if (!col || !out->entry) status = RITT_NO_MEMORY;
  }
  for (size_t i = 0; status == RITT_OK && i < cols.count; i++)
    col[i] = cols.at[i], out->entry[i] = entries.at[i];
  out->pattern = (ritti_pattern){.rows = count, .cols = width, .start = start, .col = col};
  RITTI_ARRAY_FREE(cols);
  RITTI_ARRAY_FREE(entries);
  return status;
}

/* ---- rows of M, and the top system ---- */

static ritt_status make_manifold(ritti_completion *C, const places *P, ritti_reduced *R) {
  RITTI_NEW(R->f, C->arena, C->rows + C->model->invariants + 1);
  RITTI_NEW(R->origin, C->arena, C->rows + C->model->invariants + 1);
  for (; R->k < C->rows; R->k++) {
    R->f[R->k] = C->row[R->k];
    R->origin[R->k] = C->origin[R->k];
  }
  for (int i = 0; i < C->model->invariants; i++)
    if (C->given[i] != RITTI_NIL) {
      R->forced = R->forced || C->model->invariant[i].projected;
      R->f[R->k] = C->given[i];
      R->origin[R->k++] = (ritti_origin){.equation = -1, .invariant = i};
    }
  R->levels = C->levels;
  R->level = C->level;
  return make_matrix(C, P, R->f, R->k, R->m, coordinate_column, &R->df);
}

/* Comparisons of expressions that hold tops. They are constant on each side of their surfaces and
 * keep their tops: a leaf stands for each of them while the tops are set to 0. */
typedef struct comparisons {
  ritti_completion *C;
  int first; /* number of the first leaf, a parameter that no model has */
  RITTI_ARRAY(ritti_expr) leaf;
  RITTI_ARRAY(ritti_expr) compared;
  ritt_status status;
} comparisons;

static bool holds_top(const ritti_completion *C, ritti_expr e) {
  ritti_nodes jets;
  bool any = false;
  if (ritti_leaves(C->dag, e, RITTI_JET, &jets) != RITT_OK) return false;
  for (size_t i = 0; i < jets.count; i++)
    any |= ritti_order_of(C->dag, jets.at[i]) >= C->d[ritti_index_of(C->dag, jets.at[i])];
  ritti_free(jets.at);
  return any;
}

/* The leaf that stands for u. */
static ritti_expr stand_in(comparisons *all, ritti_expr u) {
  for (size_t i = 0; i < all->compared.count; i++)
    if (all->compared.at[i] == u) return all->leaf.at[i];
  ritti_expr leaf = ritti_parameter(all->C->dag, all->first + (int)all->leaf.count);
  if (RITTI_PUSH(all->leaf, leaf) != RITT_OK || RITTI_PUSH(all->compared, u) != RITT_OK)
    all->status = RITT_NO_MEMORY;
  return leaf;
}

static ritti_expr protect_comparison(void *context, ritti_dag *dag, ritti_expr node,
                                     const ritti_expr *args, size_t count) {
  comparisons *all = context;
  ritti_op op = ritti_op_of(dag, node);
  bool bends = op == RITTI_ABS || op == RITTI_MIN || op == RITTI_MAX;
  if (!bends && !ritti_compares_first(op)) return RITTI_NIL;
  ritti_expr u = ritti_kink_argument(dag, node);
  if (!holds_top(all->C, u)) return RITTI_NIL;
  ritti_expr leaf = stand_in(all, u);
  switch (op) {
  case RITTI_ABS: return ritti_multiply(dag, ritti_apply(dag, RITTI_SIGN, &leaf, 1), args[0]);
  case RITTI_MIN:
  case RITTI_MAX: {
    ritti_expr where = ritti_apply(dag, op == RITTI_MAX ? RITTI_WHEN : RITTI_UNLESS,
                                   (ritti_expr[]){leaf, args[0]}, 2);
    ritti_expr elsewhere = ritti_apply(dag, op == RITTI_MAX ? RITTI_UNLESS : RITTI_WHEN,
                                       (ritti_expr[]){leaf, args[1]}, 2);
    return ritti_add(dag, where, elsewhere);
  }
  default: return ritti_apply(dag, op, (ritti_expr[]){leaf, args[count - 1]}, count);
  }
}

/* Sets the tops to 0, except in comparisons. */
static ritt_status set_tops_to_zero(ritti_completion *C, const ritti_reduced *R, ritti_expr *row,
                                    size_t count) {
  ritti_expr *zero;
  RITTI_NEW(zero, C->arena, R->tops + 1);
  for (int j = 0; j < R->tops; j++) zero[j] = ritti_number(C->dag, 0, 1);
  comparisons all = {.C = C, .first = C->model->parameters};
  const unsigned char *mark = ritti_marks(C);
  bool compares = false;
  for (size_t i = 0; mark && i < count; i++) compares |= (mark[row[i]] & RITTI_COMPARES) != 0;
  ritt_status status = mark ? RITT_OK : RITT_NO_MEMORY;
  if (compares) status = ritti_dag_rebuild(C->dag, protect_comparison, &all, row, count);
  if (status == RITT_OK) status = all.status;
  if (status == RITT_OK)
    status = ritti_dag_substitute(C->dag, R->top, zero, (size_t)R->tops, row, count);
  if (status == RITT_OK && all.leaf.count)
    status = ritti_dag_substitute(C->dag, all.leaf.at, all.compared.at, all.leaf.count, row, count);
  RITTI_ARRAY_FREE(all.leaf);
  RITTI_ARRAY_FREE(all.compared);
  return status;
}

static ritt_status make_top_system(ritti_completion *C, const places *P, ritti_reduced *R) {
  int n = C->n;
  RITTI_NEW(R->b, C->arena, n + 1);
  R->top_row = C->top_row;
  R->top_origin = C->top_origin;
  R->top_rows = C->top_rows;
  for (int r = 0; r < C->top_rows; r++) R->b[r] = R->top_row[r];
  RITT_TRY(make_matrix(C, P, R->top_row, C->top_rows, n, top_column, &R->A));
  if (C->implicit) return RITT_OK;
  return set_tops_to_zero(C, R, R->b, (size_t)C->top_rows);
}

/* ---- the explicit kind ---- */

ritt_status ritti_is_fixed(ritti_completion *C, ritti_expr e, bool *constant) {
  ritti_nodes jets = {0}, x = {0};
  ritt_status status = ritti_leaves(C->dag, e, RITTI_JET, &jets);
  if (status == RITT_OK) status = ritti_leaves(C->dag, e, RITTI_INDEPENDENT, &x);
  *constant = jets.count == 0 && x.count == 0;
  ritti_free(jets.at);
  ritti_free(x.at);
  return status;
}

/* *found = the only unsolved column of row i, if its entry is constant; -1 else. */
static ritt_status find_pivot(ritti_completion *C, const ritti_reduced *R, int i,
                              const bool *solved, int *entry, int *found) {
  bool constant;
  *found = -1;
  for (int e = R->A.pattern.start[i]; e < R->A.pattern.start[i + 1]; e++) {
    int j = R->A.pattern.col[e];
    if (solved[j]) continue;
    bool second = *found >= 0;
    *found = second ? -1 : j;
    if (second) return RITT_OK;
    *entry = e;
  }
  if (*found < 0) return RITT_OK;
  RITT_TRY(ritti_is_fixed(C, R->A.entry[*entry], &constant));
  if (!constant) *found = -1;
  return RITT_OK;
}

/* top_j = -(b_i + sum over solved tops) / A_ij, row after row; NIL for tops that do not follow so.
 * *left = their number. */
static ritt_status find_formulas(ritti_completion *C, const ritti_reduced *R, ritti_expr *formula,
                                 int *left) {
  int n = R->tops;
  ritti_expr *term;
  bool *solved, *used;
  RITTI_NEW(term, C->arena, n + 1);
  RITTI_NEW(solved, C->arena, n + 1);
  RITTI_NEW(used, C->arena, n + 1);
  *left = n;
  for (bool progress = true; progress && *left > 0;) {
    progress = false;
    for (int i = 0; i < n; i++) {
      int entry = 0, j = -1, terms = 0;
      if (!used[i]) RITT_TRY(find_pivot(C, R, i, solved, &entry, &j));
      if (j < 0) continue;
      term[terms++] = R->b[i];
      for (int e = R->A.pattern.start[i]; e < R->A.pattern.start[i + 1]; e++)
        if (e != entry)
          term[terms++] = ritti_multiply(C->dag, R->A.entry[e], formula[R->A.pattern.col[e]]);
      ritti_expr sum = ritti_sum(C->dag, term, (size_t)terms);
      formula[j] = ritti_divide(C->dag, ritti_negate(C->dag, sum), R->A.entry[entry]);
      solved[j] = used[i] = progress = true;
      --*left;
    }
  }
  return ritti_dag_status(C->dag);
}

static ritt_status try_explicit(ritti_completion *C, ritti_reduced *R) {
  int left;
  ritti_expr *formula;
  RITTI_NEW(formula, C->arena, R->tops + 1);
  RITT_TRY(find_formulas(C, R, formula, &left));
  if (left > 0) return RITT_OK;
  R->formula = formula;
  R->kind = RITT_EXPLICIT;
  return RITT_OK;
}

/* Functions of surfaces that hold tops, written in coordinates if formulas for these tops are known:
 * then their rates decide whether the run slides. */
static ritt_status express_surfaces(ritti_completion *C, ritti_reduced *R) {
  int left;
  bool any = false;
  ritti_expr *formula, *leaf, *value;
  for (int i = 0; i < R->kinks; i++) any |= holds_top(C, R->kink[i].argument);
  if (!any || C->top_rows != C->n) return RITT_OK;
  RITTI_NEW_ARRAYS(C->arena, R->tops + 1, formula, leaf, value);
  RITT_TRY(find_formulas(C, R, formula, &left));
  size_t known = 0;
  for (int j = 0; j < R->tops; j++) {
    if (formula[j] == RITTI_NIL) continue;
    leaf[known] = R->top[j];
    value[known++] = formula[j];
  }
  for (int i = 0; i < R->kinks; i++) {
    ritti_expr e = R->kink[i].argument;
    RITT_TRY(ritti_dag_substitute(C->dag, leaf, value, known, &e, 1));
    if (!holds_top(C, e)) R->kink[i].function = e;
  }
  return ritti_dag_status(C->dag);
}

/* ---- the holonomic kind ---- */

static bool is_holonomic(const ritti_completion *C) {
  int constraints = 0;
  if (!C->fast || C->top_rows < C->n) return false;
  for (int i = 0; i < C->n; i++) {
    if ((C->d[i] != 2 && C->d[i] != 0) || (C->c[i] != 0 && C->c[i] != 2)) return false;
    constraints += C->c[i] == 2;
  }
  return constraints > 0;
}

/* Number of the entry (i, j), -1: none; the columns of a row ascend. */
static int entry_number(const ritti_pattern *p, int i, int j) {
  int low = p->start[i], high = p->start[i + 1];
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (p->col[middle] < j) low = middle + 1;
    else high = middle;
  }
  return low < p->start[i + 1] && p->col[low] == j ? low : -1;
}

/* row[i]: which row of A is to stand at place i. A row that has no y_j'' at place j changes places
 * with the next one that has. */
static ritt_status order_rows(ritti_completion *C, const ritti_reduced *R, int *row) {
  const ritti_pattern *A = &R->A.pattern;
  int n = R->positions, *place, *start, *rows;
  RITTI_NEW(place, C->arena, R->tops + 1);
  for (int i = 0; i < R->tops; i++) row[i] = place[i] = i;
  RITT_TRY(ritti_pattern_columns(A, C->arena, &start, &rows));
  for (int j = 0; j < n; j++) {
    int other = n;
    if (entry_number(A, row[j], j) >= 0) continue;
    for (int e = start[j]; e < start[j + 1]; e++) {
      int i = place[rows[e]];
      if (i > j && i < other) other = i;
    }
    if (other == n) continue;
    int here = row[j];
    row[j] = row[other], row[other] = here;
    place[row[j]] = j, place[here] = other;
  }
  return RITT_OK;
}

/* The top rows in another order. */
static ritt_status permute_rows(ritti_completion *C, ritti_reduced *R, const int *row) {
  ritti_expr *rows, *rest;
  ritti_origin *origin;
  RITTI_NEW(rows, C->arena, R->tops + 1);
  RITTI_NEW(rest, C->arena, R->tops + 1);
  RITTI_NEW(origin, C->arena, R->tops + 1);
  for (int i = 0; i < R->tops; i++)
    rows[i] = R->top_row[row[i]], rest[i] = R->b[row[i]], origin[i] = R->top_origin[row[i]];
  for (int i = 0; i < R->tops; i++)
    R->top_row[i] = rows[i], R->b[i] = rest[i], R->top_origin[i] = origin[i];
  return RITT_OK;
}

/* Puts the force balance that holds y_j'' alone (E diagonal) into row j, with a positive
 * coefficient at the start. */
static ritt_status match_rows(ritti_completion *C, const places *P, ritti_reduced *R) {
  int n = R->positions, *row;
  ritti_expr *diagonal;
  double *value;
  ritti_at at = {C, C->point};
  ritti_values values = ritti_values_at(&at);
  RITTI_NEW(row, C->arena, R->tops + 1);
  RITTI_NEW(diagonal, C->arena, n + 1);
  RITTI_NEW(value, C->arena, n + 1);
  RITT_TRY(order_rows(C, R, row));
  for (int i = 0; i < n; i++) {
    int e = entry_number(&R->A.pattern, row[i], i);
    diagonal[i] = e >= 0 ? R->A.entry[e] : ritti_number(C->dag, 1, 1);
  }
  RITT_TRY(permute_rows(C, R, row));
  ritti_plan *plan;
  RITT_TRY(ritti_plan_new(C->dag, diagonal, (size_t)n, &plan));
  ritti_plan_evaluate(plan, &values, value);
  ritti_plan_free(plan);
  for (int i = 0; i < n; i++) {
    if (!(value[i] < 0)) continue;
    R->top_row[i] = ritti_negate(C->dag, R->top_row[i]);
    R->b[i] = ritti_negate(C->dag, R->b[i]);
  }
  return make_matrix(C, P, R->top_row, R->tops, R->tops, top_column, &R->A);
}

static bool nearly(double a, double b, double size) { return fabs(a - b) <= 1e-12 * size; }

/* Is A symmetric up to the factors s in H = G^T diag(s)? For its values at one point; entries
 * without a counterpart must be 0. s is set at the first. most: constraints. */
static bool is_symmetric(ritti_reduced *R, const double *value, double *most, bool first) {
  const ritti_pattern *A = &R->A.pattern;
  int n = R->tops, p = R->positions;
  if (p + R->constraints != n) return false; /* a constraint without a multiplier: x = sin(t) */
  /* the ratio at the largest entry of a row of G */
  for (int l = 0; l < R->constraints; l++) {
    double ratio = 0;
    most[l] = 0;
    for (int e = A->start[p + l]; e < A->start[p + l + 1]; e++) {
      int other = A->col[e] < p ? entry_number(A, A->col[e], p + l) : -1;
      if (A->col[e] >= p || !(fabs(value[e]) > most[l])) continue;
      most[l] = fabs(value[e]), ratio = other >= 0 ? value[other] / value[e] : 0;
    }
    if (first) R->s[l] = ratio;
    if (!(fabs(ratio) > 0) || !nearly(ratio, R->s[l], fabs(ratio))) return false;
  }
  for (int i = 0; i < n; i++)
    for (int e = A->start[i]; e < A->start[i + 1]; e++) {
      int j = A->col[e], other = entry_number(A, j, i);
      double here = value[e], there = other >= 0 ? value[other] : 0;
      if (i < p && j < p && !nearly(here, there, fabs(here) + fabs(there))) return false;
      if (i < p && j >= p && !nearly(here, R->s[j - p] * there, fabs(R->s[j - p]) * most[j - p]))
        return false;
      if (i >= p && j < p && !nearly(there, R->s[i - p] * here, fabs(R->s[i - p]) * most[i - p]))
        return false;
    }
  return true;
}

/* E symmetric and H = G^T diag(s), tested at one generic point (no need for it to lie on M: both
 * are identities). s is set at the first. */
static ritt_status symmetric_at(ritti_completion *C, ritti_reduced *R, const ritti_plan *plan,
                                const double *point, bool first, bool *yes) {
  double *value, *most;
  ritti_at at = {C, point};
  ritti_values values = ritti_values_at(&at);
  RITTI_NEW(value, C->arena, R->A.pattern.start[R->tops] + 1);
  RITTI_NEW(most, C->arena, R->constraints + 1);
  ritti_plan_evaluate(plan, &values, value);
  *yes = is_symmetric(R, value, most, first);
  return RITT_OK;
}

/* E symmetric and H = G^T diag(s), tested at several points. */
static ritt_status test_symmetry(ritti_completion *C, ritti_reduced *R, const ritti_plan *plan,
                                 double *point, bool *yes) {
  *yes = true;
  for (int number = 0; number < 5 && *yes; number++) {
    for (int i = 0; i < C->jets; i++) {
      double r = ritti_quasi_random(i, number);
      point[i] = C->point[i] + 0.3 * r * fmax(1, fabs(C->point[i]));
    }
    RITT_TRY(symmetric_at(C, R, plan, point, number == 0, yes));
  }
  return RITT_OK;
}

static ritt_status make_holonomic(ritti_completion *C, const places *P, ritti_reduced *R) {
  double *point;
  bool yes = true;
  R->kind = RITT_HOLONOMIC;
  for (int i = 0; i < C->n; i++) {
    R->positions += C->d[i] == 2;
    R->constraints += C->c[i] == 2;
  }
  RITTI_NEW(R->s, C->arena, R->constraints + 1);
  RITTI_NEW(point, C->arena, C->jets + 1);
  RITT_TRY(match_rows(C, P, R));
  ritti_plan *plan;
  RITT_TRY(ritti_plan_new(C->dag, R->A.entry, (size_t)R->A.pattern.start[R->tops], &plan));
  ritt_status status = test_symmetry(C, R, plan, point, &yes);
  ritti_plan_free(plan);
  R->symmetric = yes;
  return status;
}

/* ---- which kind ---- */

/* Where the model asks for the kind; NULL: it was the caller. */
static const ritti_place *kind_place(const ritti_model *model) {
  for (int i = 0; i < model->settings; i++)
    if (model->setting[i].word == model->kind) return &model->setting[i].place;
  return NULL;
}

/* Why the kind that was asked for is not the one found; NULL: it is. */
static const char *kind_misfit(const ritti_completion *C, const ritti_reduced *R,
                               ritt_kind wanted) {
  if (R->kind == wanted) return NULL;
  if (C->raised) return "the equations are not linear in their highest derivatives";
  switch (wanted) {
  case RITT_GENERAL: return "some multipliers are not unique";
  case RITT_HOLONOMIC: return "the equations are not those of mechanics with position constraints";
  case RITT_EXPLICIT:
    return "the highest derivatives do not follow one after another with constant coefficients";
  case RITT_IMPLICIT: return "the equations are linear in their highest derivatives, or singular";
  default: return "the equations have another form";
  }
}

/* The kind that was asked for, or the most special one that fits. */
static ritt_status choose_kind(ritti_completion *C, const places *P, ritti_reduced *R) {
  const char *word = C->model->kind;
  bool asked = word != NULL;
  ritt_kind wanted = RITT_GENERAL;
  while (asked && strcmp(word, ritt_kind_text(wanted)) && wanted < RITT_IMPLICIT) wanted++;
  R->kind = C->implicit ? RITT_IMPLICIT : C->raised ? RITT_GENERAL : RITT_GRAPH;
  if (C->implicit) RITT_TRY(ritti_group_tops(C, R));
  else if (is_holonomic(C) && (!asked || wanted == RITT_HOLONOMIC))
    RITT_TRY(make_holonomic(C, P, R));
  else if (C->top_rows == C->n && (!asked || wanted == RITT_EXPLICIT)) RITT_TRY(try_explicit(C, R));
  const char *reason = asked ? kind_misfit(C, R, wanted) : NULL;
  if (!reason) return RITT_OK;
  C->check->verdict = "determined";
  return ritti_fail(
      C->error, kind_place(C->model) ? RITT_WRONG_MODEL : RITT_WRONG_CALL, kind_place(C->model),
      R->kind == RITT_GENERAL ? "leave it out, or ask for 'kind general'" : "leave it out",
      "the kind '%s' does not fit this system: %s", word, reason);
}

ritt_status ritti_reduce(ritti_completion *C, ritti_reduced **out) {
  ritti_reduced *R;
  places P;
  RITTI_NEW(R, C->arena, 1);
  R->model = C->model;
  R->arena = C->arena;
  RITT_TRY(lay_out(C, R, &P));
  RITT_TRY(make_manifold(C, &P, R));
  RITT_TRY(make_top_system(C, &P, R));
  RITT_TRY(ritti_dag_status(C->dag));
  RITT_TRY(choose_kind(C, &P, R));
  R->chosen = C->chosen;
  R->own_line = R->kind == RITT_GENERAL && C->own_line && !R->forced;
  RITT_TRY(ritti_find_kinks(C, R));
  RITT_TRY(express_surfaces(C, R));
  RITT_TRY(ritti_find_validity(C, R));
  C->check->kind = ritt_kind_text(R->kind);
  *out = R;
  return ritti_dag_status(C->dag);
}

/* ---- again with other numbers ---- */

/* Are the coefficients by which rows were put in order and signs were chosen positive as before? */
static bool has_positive_diagonal(const ritti_reduced *R, const double *value) {
  for (int i = 0; i < R->positions; i++) {
    int e = entry_number(&R->A.pattern, i, i);
    if (e >= 0 && !(value[e] > 0)) return false;
  }
  return true;
}

/* The factors s and the symmetry of the holonomic kind must be the same. */
static ritt_status repeat_holonomic(ritti_completion *C, ritti_reduced *R, const ritti_plan *plan,
                                    bool *same) {
  double *point, *value;
  ritti_reduced now = *R;
  bool yes = true;
  ritti_at at = {C, C->point};
  ritti_values values = ritti_values_at(&at);
  RITTI_NEW(now.s, C->arena, R->constraints + 1);
  RITTI_NEW(point, C->arena, C->jets + 1);
  RITTI_NEW(value, C->arena, R->A.pattern.start[R->tops] + 1);
  ritti_plan_evaluate(plan, &values, value);
  *same = has_positive_diagonal(R, value);
  if (*same) RITT_TRY(test_symmetry(C, &now, plan, point, &yes));
  *same =
      *same && yes == R->symmetric && !memcmp(now.s, R->s, (size_t)R->constraints * sizeof *R->s);
  return RITT_OK;
}

ritt_status ritti_reduce_again(ritti_completion *C, ritti_reduced *R, const ritti_plan *plan,
                               bool *same) {
  *same = true;
  if (R->kind == RITT_HOLONOMIC) RITT_TRY(repeat_holonomic(C, R, plan, same));
  if (!*same) return RITT_OK;
  for (int i = 1; i < R->m; i++)
    R->z[i] = C->point[ritti_jet_number(C, ritti_index_of(C->dag, R->coordinate[i]),
                                        ritti_order_of(C->dag, R->coordinate[i]))];
  for (int i = 0; i < R->tops; i++)
    R->top_value[i] = C->point[ritti_jet_number(C, ritti_index_of(C->dag, R->top[i]),
                                                ritti_order_of(C->dag, R->top[i]))];
  if (R->levels) memcpy(R->level, C->level, (size_t)R->levels * sizeof *R->level);
  return RITT_OK;
}
