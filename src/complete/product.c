/* From the selected rows to the rows that the reduction gets: rows of M, and rows that give the
 * highest derivatives.
 *
 * Direct: the selected rows themselves, if those with a highest derivative determine them and the
 * others leave as much freedom as there is. No expression is combined.
 * Otherwise by elimination: with D_x f = b + A y_{q+1}, rows of A without a pivot leave conditions
 * on the jets up to q; those that are new on M join f, until none is. Pivots are chosen at the
 * generic point of M, so that a coefficient that vanishes there is none. The elimination is a
 * straight line of operations in the DAG.
 */
#include "complete/product_impl.h"
#include <stdlib.h>

/* Limits of the growth of the DAG: number of nodes, and ratio to the number before. */
enum { MOST_NODES = 500000, MOST_TIMES = 100 };

typedef struct product {
  ritti_completion *C;
  ritti_precise *N;
  const ritti_selection *S;
  int count, room;
  ritti_expr *f;
  ritti_origin *origin;
  size_t most; /* nodes */
} product;

static bool has_outgrown(const product *P) { return ritti_dag_count(P->C->dag) > P->most; }

/* ---- numbers ---- */

/* Gradients of expressions in jets with lowest_v <= order <= highest_v, at both points. */
typedef struct gradients {
  ritti_precise_row *fine, *coarse;
  ritti_row_id *id;
} gradients;

static ritt_status evaluate_gradients(product *P, const ritti_expr *e, int count, const int *lowest,
                                      const int *highest, ritti_arena *arena, gradients *out) {
  ritti_completion *C = P->C;
  RITTI_NEW(out->fine, arena, count + 1);
  RITTI_NEW(out->coarse, arena, count + 1);
  RITTI_NEW(out->id, arena, count + 1);
  for (int i = 0; i < count; i++) {
    ritti_gradient g;
    ritti_expr *root;
    ritti_precise_partial *partial;
    int entries = 0;
    RITT_TRY(ritti_dag_gradient_of(C->dag, e[i], 1u << RITTI_JET, &g));
    root = ritti_arena_alloc(arena, g.count + 1, sizeof *root);
    partial = ritti_arena_alloc(arena, g.count + 1, sizeof *partial);
    for (size_t k = 0; root && partial && k < g.count; k++) {
      int v = ritti_index_of(C->dag, g.leaf[k]), order = ritti_order_of(C->dag, g.leaf[k]);
      if (order < lowest[v] || order > highest[v]) continue;
      root[entries] = g.derivative[k];
      partial[entries++] = (ritti_precise_partial){v, order};
    }
    ritti_gradient_clear(&g);
    if (!root || !partial) return RITT_NO_MEMORY;
    RITT_TRY(ritti_precise_gradient(P->N, root, partial, entries, arena, &out->fine[i],
                                    &out->coarse[i]));
    out->id[i] = (ritti_row_id){i, 0};
  }
  return ritti_dag_status(C->dag);
}

/* Echelon form of the gradients in those columns. */
static ritt_status reduce_gradients(product *P, const ritti_expr *e, int count, const int *lowest,
                                    const int *highest, ritti_arena *arena,
                                    ritti_echelon_row *out) {
  gradients G;
  int *below;
  RITTI_NEW(below, arena, P->C->n + 1);
  for (int v = 0; v < P->C->n; v++) below[v] = RITTI_ORDERS;
  RITT_TRY(evaluate_gradients(P, e, count, lowest, highest, arena, &G));
  return ritti_lockstep(P->N, G.id, G.fine, G.coarse, count, below, NULL, arena, out);
}

/* ---- elimination of expressions ---- */

/* Rows of a matrix of expressions over the variables with a right side, and a pivot for some. */
typedef struct expr_row {
  int count, *variable;
  ritti_expr *entry, right;
  int pivot; /* place among the entries, -1: none */
} expr_row;

static ritt_status remember_pivot(ritti_completion *C, ritti_expr e) {
  ritti_expr *longer;
  if (ritti_op_of(C->dag, e) == RITTI_NUMBER) return RITT_OK;
  for (int i = 0; i < C->pivots; i++)
    if (C->pivot[i] == e) return RITT_OK;
  RITTI_NEW(longer, C->arena, C->pivots + 1);
  if (C->pivots) memcpy(longer, C->pivot, (size_t)C->pivots * sizeof *longer);
  longer[C->pivots++] = e;
  C->pivot = longer;
  return RITT_OK;
}

/* Eliminates row after row in the order that the echelon form was made in; what is left of the
 * right side of a row without a pivot is a condition. Entries that vanish on M are dropped. */
static ritt_status eliminate_rows(product *P, expr_row *row, const ritti_echelon_row *e, int count,
                                  ritti_arena *arena) {
  ritti_completion *C = P->C;
  ritti_dag *dag = C->dag;
  ritti_expr *work, zero = ritti_number(dag, 0, 1);
  RITTI_NEW(work, arena, C->n + 1);
  for (int v = 0; v < C->n; v++) work[v] = zero;
  for (int i = 0; i < count && !has_outgrown(P); i++) {
    ritti_expr right = row[i].right;
    int touched = 0, *variable;
    RITTI_NEW(variable, arena, C->n + 1);
    for (int k = 0; k < row[i].count; k++) {
      work[row[i].variable[k]] = row[i].entry[k];
      variable[touched++] = row[i].variable[k];
    }
    /* pivot rows by ascending number: a later one may bring the column of one later still */
    for (int k = 0; k < i; k++) {
      const expr_row *p = &row[k];
      if (p->pivot < 0 || ritti_is_zero(dag, work[p->variable[p->pivot]])) continue;
      int column = p->variable[p->pivot];
      ritti_expr factor = ritti_divide(dag, work[column], p->entry[p->pivot]);
      for (int m = 0; m < p->count; m++) {
        int v = p->variable[m];
        if (m == p->pivot) continue;
        bool new = ritti_is_zero(dag, work[v]);
        work[v] = ritti_subtract(dag, work[v], ritti_multiply(dag, factor, p->entry[m]));
        for (int t = 0; t < touched && new; t++) new = variable[t] != v;
        if (new) variable[touched++] = v;
      }
      right = ritti_subtract(dag, right, ritti_multiply(dag, factor, p->right));
      work[column] = zero;
    }

    row[i].right = right;
    row[i].pivot = -1;
    row[i].count = 0;
    RITTI_NEW(row[i].variable, arena, touched + 1);
    RITTI_NEW(row[i].entry, arena, touched + 1);
    for (int t = 0; t < touched; t++) {
      int v = variable[t];
      if (e[i].class != RITTI_NO_PIVOT && !ritti_is_zero(dag, work[v])) {
        if (e[i].pivot.variable == v) row[i].pivot = row[i].count;
        row[i].variable[row[i].count] = v;
        row[i].entry[row[i].count++] = work[v];
      }
      work[v] = zero;
    }
    if (row[i].pivot >= 0) RITT_TRY(remember_pivot(C, row[i].entry[row[i].pivot]));
  }
  return ritti_dag_status(dag);
}

/* Rows with constant coefficients first, then those with few entries: expressions stay small. */
typedef struct ranked {
  int row, weight;
} ranked;

static int compare_ranked(const void *a, const void *b) {
  const ranked *l = a, *r = b;
  if (l->weight != r->weight) return l->weight < r->weight ? -1 : 1;
  return (l->row > r->row) - (l->row < r->row);
}

/* order[k]: the row to take k-th; entries in the highest derivatives alone count. */
static ritt_status order_rows(product *P, const ritti_expr *f, int count, ritti_arena *arena,
                              int *order) {
  ritti_completion *C = P->C;
  ranked *rank;
  RITTI_NEW(rank, arena, count + 1);
  for (int i = 0; i < count; i++) {
    ritti_gradient g;
    rank[i].row = i;
    RITT_TRY(ritti_dag_gradient_of(C->dag, f[i], 1u << RITTI_JET, &g));
    for (size_t k = 0; k < g.count; k++) {
      int v = ritti_index_of(C->dag, g.leaf[k]);
      if (ritti_order_of(C->dag, g.leaf[k]) != C->d[v]) continue;
      rank[i].weight += ritti_op_of(C->dag, g.derivative[k]) == RITTI_NUMBER ? 1 : 100;
    }
    ritti_gradient_clear(&g);
  }
  qsort(rank, (size_t)count, sizeof *rank, compare_ranked);
  for (int i = 0; i < count; i++) order[i] = rank[i].row;
  return RITT_OK;
}

/* Coefficients of the highest derivatives in f, and the right side of D_x f = b + A y_{q+1}. */
static ritt_status fill_row(product *P, ritti_expr f, ritti_arena *arena, expr_row *row) {
  ritti_completion *C = P->C;
  ritti_gradient g;
  RITT_TRY(ritti_dag_gradient(C->dag, f, &g));
  row->variable = ritti_arena_alloc(arena, g.count + 1, sizeof *row->variable);
  row->entry = ritti_arena_alloc(arena, g.count + 1, sizeof *row->entry);
  row->right = ritti_number(C->dag, 0, 1);
  row->count = 0;
  for (size_t e = 0; row->variable && row->entry && e < g.count; e++) {
    ritti_op op = ritti_op_of(C->dag, g.leaf[e]);
    ritti_expr term = RITTI_NIL;
    if (op == RITTI_INDEPENDENT) term = g.derivative[e];
    if (op == RITTI_JET) {
      int j = ritti_index_of(C->dag, g.leaf[e]), k = ritti_order_of(C->dag, g.leaf[e]);
      if (k == C->d[j]) {
        row->variable[row->count] = j;
        row->entry[row->count++] = g.derivative[e];
      } else term = ritti_multiply(C->dag, g.derivative[e], ritti_jet(C->dag, j, k + 1));
    }
    if (term != RITTI_NIL) row->right = ritti_add(C->dag, row->right, term);
  }
  bool memory = row->variable && row->entry;
  ritti_gradient_clear(&g);
  return memory ? ritti_dag_status(C->dag) : RITT_NO_MEMORY;
}

/* Where a combination of rows comes from; `more`: times differentiated besides. */
static ritt_status combine_origins(product *P, const int *support, int supports, const int *order,
                                   int more, ritti_origin *out) {
  ritti_completion *C = P->C;
  bool *used;
  int *source, count = 0, most = 0;
  const ritti_origin *first = &P->origin[order[support[0]]];
  if (supports == 1 && first->equation >= 0) {
    *out = *first;
    out->order += more;
    return RITT_OK;
  }
  RITTI_NEW(used, C->arena, C->model->equations + 1);
  RITTI_NEW(source, C->arena, C->model->equations + 1);
  for (int k = 0; k < supports; k++) {
    const ritti_origin *o = &P->origin[order[support[k]]];
    if (o->equation >= 0) used[o->equation] = true;
    for (int s = 0; s < o->sources; s++) used[o->source[s]] = true;
    if (o->order > most) most = o->order;
  }
  for (int e = 0; e < C->model->equations; e++)
    if (used[e]) source[count++] = e;
  *out = (ritti_origin){
      .equation = -1, .invariant = -1, .order = most + more, .source = source, .sources = count};
  return RITT_OK;
}

/* The highest derivatives of f, its rows in a good order, and their echelon form. */
typedef struct top_part {
  int *order;
  ritti_echelon_row *e;
  expr_row *row;
} top_part;

static ritt_status take_top_part(product *P, ritti_arena *arena, top_part *T) {
  ritti_completion *C = P->C;
  ritti_expr *f;
  RITTI_NEW(f, arena, P->count + 1);
  RITTI_NEW(T->order, arena, P->count + 1);
  RITTI_NEW(T->e, arena, P->count + 1);
  RITTI_NEW(T->row, arena, P->count + 1);
  RITT_TRY(order_rows(P, P->f, P->count, arena, T->order));
  for (int i = 0; i < P->count; i++) f[i] = P->f[T->order[i]];
  RITT_TRY(reduce_gradients(P, f, P->count, C->d, C->d, arena, T->e));
  for (int i = 0; i < P->count; i++) RITT_TRY(fill_row(P, f[i], arena, &T->row[i]));
  return RITT_OK;
}

/* ---- completion by elimination ---- */

/* One pass: the conditions that D_x f = 0 leaves on the jets up to q. *grown: one was new. */
static ritt_status prolong_rows(product *P, ritti_arena *arena, bool *grown) {
  ritti_completion *C = P->C;
  top_part T;
  ritti_expr *candidate;
  ritti_echelon_row *e;
  int *zero, count = P->count;
  RITT_TRY(take_top_part(P, arena, &T));
  RITT_TRY(eliminate_rows(P, T.row, T.e, P->count, arena));
  RITTI_NEW(candidate, arena, 2 * P->count + 1);
  RITTI_NEW(e, arena, 2 * P->count + 1);
  RITTI_NEW(zero, arena, C->n + 1);
  memcpy(candidate, P->f, (size_t)P->count * sizeof *candidate);
  int *from;
  RITTI_NEW(from, arena, 2 * P->count + 1);
  for (int i = 0; i < P->count && !has_outgrown(P); i++)
    if (T.e[i].class == RITTI_NO_PIVOT && ritti_op_of(C->dag, T.row[i].right) != RITTI_NUMBER) {
      from[count] = i;
      candidate[count++] = T.row[i].right;
    }
  *grown = false;
  if (has_outgrown(P)) return RITT_OK;
  RITT_TRY(reduce_gradients(P, candidate, count, zero, C->d, arena, e));
  int before = P->count;
  for (int i = before; i < count; i++) {
    if (e[i].class == RITTI_NO_PIVOT || P->count == P->room) continue;
    const ritti_echelon_row *row = &T.e[from[i]];
    RITT_TRY(combine_origins(P, row->support, row->supports, T.order, 1, &P->origin[P->count]));
    P->f[P->count++] = candidate[i];
    *grown = true;
  }
  return RITT_OK;
}

static ritt_status new_rows(ritti_completion *C, int rows) {
  RITTI_NEW(C->row, C->arena, rows + 1);
  RITTI_NEW(C->origin, C->arena, rows + 1);
  RITTI_NEW(C->top_row, C->arena, rows + C->n + 1);
  RITTI_NEW(C->top_origin, C->arena, rows + C->n + 1);
  C->rows = C->top_rows = 0;
  return RITT_OK;
}

/* f is linear in the tops: rows with a pivot give them, the others, with the tops eliminated,
 * define M below. */
static ritt_status drop_tops(product *P, ritti_arena *arena) {
  ritti_completion *C = P->C;
  top_part T;
  ritti_expr *top, *zero, *rest;
  bool *is_top;
  ritti_origin *origin;
  ritti_expr *left;
  RITT_TRY(take_top_part(P, arena, &T));
  RITTI_NEW(top, arena, C->n + 1);
  RITTI_NEW(zero, arena, C->n + 1);
  RITTI_NEW(rest, arena, P->count + 1);
  RITTI_NEW(is_top, arena, P->count + 1);
  RITTI_NEW(origin, arena, P->count + 1);
  RITTI_NEW(left, arena, P->count + 1);
  for (int j = 0; j < C->n; j++)
    top[j] = ritti_jet(C->dag, j, C->d[j]), zero[j] = ritti_number(C->dag, 0, 1);
  for (int i = 0; i < P->count; i++) rest[i] = P->f[T.order[i]];
  RITT_TRY(ritti_dag_substitute(C->dag, top, zero, (size_t)C->n, rest, (size_t)P->count));
  for (int i = 0; i < P->count; i++) T.row[i].right = rest[i];
  RITT_TRY(eliminate_rows(P, T.row, T.e, P->count, arena));
  for (int i = 0; i < P->count; i++) {
    int row = T.order[i];
    is_top[row] = T.e[i].class != RITTI_NO_PIVOT;
    left[row] = T.row[i].right;
    if (!is_top[row])
      RITT_TRY(combine_origins(P, T.e[i].support, T.e[i].supports, T.order, 0, &origin[row]));
  }
  RITT_TRY(new_rows(C, P->count));
  for (int i = 0; i < P->count; i++) {
    if (is_top[i]) {
      C->top_row[C->top_rows] = P->f[i];
      C->top_origin[C->top_rows++] = P->origin[i];
      continue;
    }
    C->origin[C->rows] = origin[i];
    C->row[C->rows++] = left[i];
  }
  return RITT_OK;
}

/* f keeps the tops as coordinates; derivatives of rows give the next jets. */
static ritt_status raise_tops(product *P, ritti_arena *arena) {
  ritti_completion *C = P->C;
  top_part T;
  bool *is_top;
  RITT_TRY(take_top_part(P, arena, &T));
  RITTI_NEW(is_top, arena, P->count + 1);
  for (int i = 0; i < P->count; i++) is_top[T.order[i]] = T.e[i].class != RITTI_NO_PIVOT;
  RITT_TRY(new_rows(C, P->count));
  for (int i = 0; i < P->count; i++) {
    C->row[C->rows] = P->f[i];
    C->origin[C->rows++] = P->origin[i];
    if (!is_top[i]) continue;
    C->top_row[C->top_rows] = ritti_dag_total(C->dag, P->f[i]);
    C->top_origin[C->top_rows] = P->origin[i];
    C->top_origin[C->top_rows++].order++;
  }
  C->raised = true;
  C->own_line = C->top_rows == C->n;
  for (int j = 0; j < C->n; j++) C->d[j]++;
  return ritti_dag_status(C->dag);
}

/* ---- the selected rows as they are ---- */

static ritt_status take_selected(product *P) {
  ritti_completion *C = P->C;
  const ritti_selection *S = P->S;
  P->count = 0;
  for (int i = 0; i < S->rows; i++) {
    ritti_row_id id = S->row[i];
    RITT_TRY(ritti_prolong(C, id.equation, id.order));
    P->f[P->count] = C->stage[id.equation][id.order];
    P->origin[P->count++] =
        (ritti_origin){.equation = id.equation, .invariant = -1, .order = id.order};
  }
  return RITT_OK;
}

/* d_v: the highest order of v in the rows, and at least least[v]. */
static ritt_status raise_orders(product *P, const int *least, int *d) {
  ritti_completion *C = P->C;
  for (int v = 0; v < C->n; v++) d[v] = least[v];
  for (int i = 0; i < P->count; i++) {
    ritti_nodes jets;
    RITT_TRY(ritti_leaves(C->dag, P->f[i], RITTI_JET, &jets));
    for (size_t k = 0; k < jets.count; k++) {
      int v = ritti_index_of(C->dag, jets.at[k]), order = ritti_order_of(C->dag, jets.at[k]);
      if (order > d[v]) d[v] = order;
    }
    ritti_free(jets.at);
  }
  return RITT_OK;
}

static ritt_status holds_top(const product *P, ritti_expr f, bool *holds) {
  ritti_nodes jets;
  *holds = false;
  RITT_TRY(ritti_leaves(P->C->dag, f, RITTI_JET, &jets));
  for (size_t k = 0; k < jets.count; k++) {
    int v = ritti_index_of(P->C->dag, jets.at[k]);
    *holds = *holds || ritti_order_of(P->C->dag, jets.at[k]) == P->C->d[v];
  }
  ritti_free(jets.at);
  return RITT_OK;
}

/* Do the selected rows give M and the tops as they are? Then C has them. */
static ritt_status try_direct(product *P, const int *least, ritti_arena *arena, bool *direct) {
  ritti_completion *C = P->C;
  const ritti_selection *S = P->S;
  ritti_echelon_row *e;
  ritti_backend *backend = ritti_precise_backend(P->N);
  bool *top, linear = true;
  int tops = 0, coordinates = 0;
  RITTI_NEW(e, arena, S->rows + 1);
  RITTI_NEW(top, arena, S->rows + 1);
  RITT_TRY(take_selected(P));
  RITT_TRY(raise_orders(P, least, C->d));
  RITT_TRY(backend->echelon(backend->data, S->row, S->rows, C->d, NULL, arena, e));
  *direct = true;
  for (int i = 0; i < S->rows; i++) {
    RITT_TRY(holds_top(P, P->f[i], &top[i]));
    tops += top[i];
    if (e[i].class != (top[i] ? RITTI_TOP : RITTI_LOWER)) *direct = false;
  }
  for (int v = 0; v < C->n; v++) coordinates += C->d[v];
  if (tops + S->opens != C->n || coordinates - (S->rows - tops) != S->free_values) *direct = false;
  if (!*direct) return RITT_OK;

  ritti_marks_restart(C);
  for (int i = 0; i < S->rows && linear; i++)
    if (top[i]) RITT_TRY(ritti_linear_in_tops(C, P->f[i], &linear));
  if (!linear || (C->general && tops == C->n)) return raise_tops(P, arena);
  RITT_TRY(new_rows(C, S->rows));
  for (int i = 0; i < S->rows; i++) {
    if (top[i]) C->top_row[C->top_rows] = P->f[i], C->top_origin[C->top_rows++] = P->origin[i];
    else C->row[C->rows] = P->f[i], C->origin[C->rows++] = P->origin[i];
  }
  return RITT_OK;
}

/* ---- both ways ---- */

static ritt_status refuse_outgrown(product *P) {
  ritti_completion *C = P->C;
  C->check->verdict = "undecided";
  C->check->reason = ritti_arena_format(
      C->arena,
      "the completion stopped: after %d differentiations the conditions that follow from the "
      "equations have grown to more than %zu operations",
      C->prolongations, P->most);
  return C->check->reason
             ? ritti_fail(C->error, RITT_UNDECIDED, &C->model->equation[0].place,
                          "leave out equations that follow from the others, or write the equations "
                          "with simpler terms",
                          "%s", C->check->reason)
             : RITT_NO_MEMORY;
}

/* Equations as written, completed by elimination in the jets up to C->d. */
static ritt_status complete_rows(product *P, ritti_arena *arena) {
  int kept = 0;
  bool grown = true;
  RITT_TRY(take_selected(P));
  for (int i = 0; i < P->count; i++)
    if (P->S->row[i].order == 0) {
      P->f[kept] = P->f[i];
      P->origin[kept++] = P->origin[i];
    }
  P->count = kept;
  while (grown) {
    ritti_arena_clear(arena);
    RITT_TRY(prolong_rows(P, arena, &grown));
    if (has_outgrown(P)) return refuse_outgrown(P);
  }
  return RITT_OK;
}

static ritt_status begin_product(product *P) {
  ritti_completion *C = P->C;
  int jets = 0;
  for (int v = 0; v < C->n; v++) jets += C->d[v] + 2;
  P->room = jets + P->S->rows + C->model->equations + 1;
  P->most = MOST_NODES + MOST_TIMES * ritti_dag_count(C->dag);
  for (int i = 0; i < P->S->rows; i++)
    if (P->S->row[i].order > C->prolongations) C->prolongations = P->S->row[i].order;
  RITTI_NEW(P->f, C->arena, P->room + 1);
  RITTI_NEW(P->origin, C->arena, P->room + 1);
  return RITT_OK;
}

static ritt_status make_product(product *P, const int *least, ritti_arena *arena) {
  ritti_completion *C = P->C;
  bool direct, linear = true;
  int tops = C->n - P->S->opens;
  RITT_TRY(try_direct(P, least, arena, &direct));
  if (direct) return RITT_OK;
  memcpy(C->d, least, (size_t)C->n * sizeof *C->d);
  RITT_TRY(complete_rows(P, arena));
  ritti_marks_restart(C);
  for (int i = 0; i < P->count && linear; i++) RITT_TRY(ritti_linear_in_tops(C, P->f[i], &linear));
  if (linear && !(C->general && tops == C->n)) return drop_tops(P, arena);
  return raise_tops(P, arena);
}

/* The rows of a linear system, eliminated over the rationals. The general kind has the equations
 * for the tops among its rows, and their derivatives give the next jets. */
static ritt_status take_linear(ritti_completion *C, const ritti_linear_rows *L) {
  RITT_TRY(new_rows(C, L->rows + L->top_rows));
  bool raise = C->general && L->top_rows == C->n;
  for (int i = 0; i < L->rows; i++) {
    C->row[C->rows] = L->row[i];
    C->origin[C->rows++] = L->origin[i];
  }
  for (int i = 0; i < L->top_rows; i++) {
    C->top_row[C->top_rows] = L->top_row[i];
    C->top_origin[C->top_rows++] = L->top_origin[i];
    if (!raise) continue;
    C->row[C->rows] = L->top_row[i];
    C->origin[C->rows++] = L->top_origin[i];
    C->top_row[i] = ritti_dag_total(C->dag, L->top_row[i]);
    C->top_origin[i].order++;
  }
  if (raise) {
    C->raised = C->own_line = true;
    for (int j = 0; j < C->n; j++) C->d[j]++;
  }
  return ritti_dag_status(C->dag);
}

/* A linear system whose rows cannot be eliminated over the rationals is completed at a point. */
static ritt_status make_linear_product(ritti_completion *C, const ritti_decision *decision) {
  ritti_linear_rows rows;
  ritti_decision at_point;
  bool done;
  RITT_TRY(ritti_linear_eliminate(decision->linear, decision->backend, &decision->selection, C->d,
                                  C->arena, &rows, &done));
  if (done) return take_linear(C, &rows);
  RITT_TRY(ritti_decide_at_points(C, C->d, &at_point));
  ritt_status status = RITT_UNDECIDED;
  if (at_point.selection.verdict == RITTI_SELECTED) status = ritti_make_product(C, &at_point);
  ritti_decision_clear(&at_point);
  return status;
}

ritt_status ritti_make_product(ritti_completion *C, const ritti_decision *decision) {
  if (decision->linear) return make_linear_product(C, decision);
  product P = {.C = C, .N = decision->precise, .S = &decision->selection};
  int *least;
  RITTI_NEW(least, C->arena, C->n + 1);
  memcpy(least, C->d, (size_t)C->n * sizeof *least);
  RITT_TRY(begin_product(&P));
  ritti_arena *arena = ritti_arena_new();
  ritt_status status = arena ? make_product(&P, least, arena) : RITT_NO_MEMORY;
  ritti_arena_free(arena);
  return status;
}

ritt_status ritti_make_classical(ritti_completion *C, const ritti_decision *decision) {
  product P = {.C = C, .N = decision->precise, .S = &decision->selection};
  RITT_TRY(begin_product(&P));
  ritti_arena *arena = ritti_arena_new();
  ritt_status status = arena ? complete_rows(&P, arena) : RITT_NO_MEMORY;
  ritti_arena_free(arena);
  C->row = P.f;
  C->origin = P.origin;
  C->rows = P.count;
  return status;
}
