/* Sparse elimination of the rows of a linear system modulo a prime.
 *
 * Row (i, r) has the coefficient c (r + k)!/r! in the column of y_v^(r + k) for a term c y_v^(k), and
 * as its value the r-th Taylor coefficient of the forcing.
 *
 * Elimination goes level by level: level l holds the jets y_v^(top[v] + l), and the last level all
 * jets below the tops. Pivot rows have the columns of their own level only. A row that vanishes on a
 * level is carried to the next one as a combination of the rows given, which is formed by a transposed
 * sweep; so a band stays a band.
 */
#include <stdlib.h>
#include "complete/modular_impl.h"

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
  const ritti_modular *M;
  const ritti_image *I;
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

/* The positions in a combination, ascending, and the weights if they are requested. */
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
    out[r] = (ritti_echelon_row){.class = RITTI_NO_PIVOT, .strongest = r};
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

ritt_status ritti_modular_eliminate(const ritti_modular *M, const ritti_image *I,
                                    const ritti_row_id *rows, int count, const int *top, bool *open,
                                    ritti_arena *arena, ritti_echelon_row *out,
                                    ritti_combination *combination) {
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
