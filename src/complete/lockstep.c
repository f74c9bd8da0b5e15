/* Elimination in lock-step at the fine and at the coarse point, one order of jets at a time.
 *
 * The columns of one order (relative to the top of their variable) are a level; all lower jets are
 * the last one. On each level a row is the combination of the rows given that vanishes on the
 * levels before. It either gets a pivot there, or vanishes there too: then the combination is
 * found by a sweep back through the eliminations, and the row goes on to the next level. So pivot
 * rows hold the columns of their own level only, and nothing fills.
 */
#include <limits.h>
#include "complete/precise_impl.h"

/* A number at both points. */
typedef struct pair {
  ritti_big fine, coarse;
} pair;

typedef struct vector {
  int count, *at;
  pair *x;
} vector;

typedef struct pivot_row {
  int column;
  vector row;           /* the columns of this level, divided by the pivot */
  vector factor;        /* of the pivot rows before it that were subtracted */
  const vector *lambda; /* of the rows given, before these subtractions */
  pair inverse;         /* 1 / pivot */
} pivot_row;

typedef struct lockstep {
  ritti_precise *N;
  ritti_arena *arena;
  const int *top;
  int rows, columns;
  int *column;    /* of each compact column: v * RITTI_ORDERS + m */
  int *level;     /* of each compact column */
  int *entries;   /* of each compact column: rows that contain it */
  vector **part;  /* part[l][i]: row i on level l */
  pair *value;    /* of each row */
  int levels;     /* levels 0 .. levels - 1, the lower jets last */
  vector *lambda; /* of each row: the combination that it stands for; count 0: itself */
  /* scratch */
  pair *work; /* compact columns, later rows or pivots */
  bool *used;
  int *touched, touches;
  int *heap, heaps;
  bool *queued;
  pivot_row *pivot;
  int pivots, *pivot_of; /* of this level; of each compact column, -1 */
  pair t;
} lockstep;

static ritt_status new_pairs(const lockstep *L, size_t count, pair **out) {
  ritti_big *fine, *coarse;
  RITTI_NEW(*out, L->arena, count + 1);
  RITT_TRY(ritti_bigs_new(L->arena, count + 1, L->N->fine.bits, &fine));
  RITT_TRY(ritti_bigs_new(L->arena, count + 1, L->N->coarse.bits, &coarse));
  for (size_t i = 0; i <= count; i++) (*out)[i] = (pair){fine[i], coarse[i]};
  return RITT_OK;
}

static void set_pair(pair *r, const pair *a) {
  mpfr_set(&r->fine, &a->fine, MPFR_RNDN);
  mpfr_set(&r->coarse, &a->coarse, MPFR_RNDN);
}
static void add_pair(pair *r, const pair *a) {
  mpfr_add(&r->fine, &r->fine, &a->fine, MPFR_RNDN);
  mpfr_add(&r->coarse, &r->coarse, &a->coarse, MPFR_RNDN);
}
static void multiply_pair(pair *r, const pair *a, const pair *b) {
  mpfr_mul(&r->fine, &a->fine, &b->fine, MPFR_RNDN);
  mpfr_mul(&r->coarse, &a->coarse, &b->coarse, MPFR_RNDN);
}
static void negate_pair(pair *r) {
  mpfr_neg(&r->fine, &r->fine, MPFR_RNDN);
  mpfr_neg(&r->coarse, &r->coarse, MPFR_RNDN);
}
/* r += a b */
static void add_product(lockstep *L, pair *r, const pair *a, const pair *b) {
  multiply_pair(&L->t, a, b);
  add_pair(r, &L->t);
}
/* r -= a b */
static void subtract_product(lockstep *L, pair *r, const pair *a, const pair *b) {
  multiply_pair(&L->t, a, b);
  negate_pair(&L->t);
  add_pair(r, &L->t);
}
static void clear_pair(pair *r) {
  mpfr_set_zero(&r->fine, 1);
  mpfr_set_zero(&r->coarse, 1);
}
static bool is_plain_zero(const pair *a) {
  return mpfr_zero_p(&a->fine) && mpfr_zero_p(&a->coarse);
}

/* Zero: it shrinks with the digits at both points. Not zero: both agree. */
static ritti_zero decide_zero(const lockstep *L, const pair *a) {
  double D = L->N->D, fine = ritti_big_magnitude(&a->fine),
         coarse = ritti_big_magnitude(&a->coarse);
  bool agree = fabs(fine - coarse) < 1.5;
  if (agree && fine > -12 * D &&
      (fine > -0.75 * D || coarse < -1.3 * D || fabs(fine - coarse) < 1e-6))
    return RITTI_NOT_ZERO;
  if (fine < -1.5 * D && coarse < -0.75 * D) return RITTI_IS_ZERO;
  return RITTI_ZERO_UNKNOWN;
}

static ritt_status say_unknown(lockstep *L, const pair *a, const char *what, ritti_row_id id) {
  L->N->backend.reason = ritti_arena_format(
      L->N->arena,
      "%s of equation %d, differentiated %d times, is %.0e with %d digits and %.0e with %d digits",
      what, id.equation + 1, id.order, pow(10, fmax(ritti_big_magnitude(&a->coarse), -300)),
      L->N->D, pow(10, fmax(ritti_big_magnitude(&a->fine), -300)), 2 * L->N->D);
  return L->N->backend.reason ? RITT_UNDECIDED : RITT_NO_MEMORY;
}

/* ---- set up ---- */

/* The exponent of 2 of the size of a jet: its unit, or its value if it was typed as the start. */
static long size_of_jet(ritti_precise *N, int v, int m) {
  int column = v * RITTI_ORDERS + m, unit = ritti_precise_unit(N, column);
  const ritti_big *x = &N->fine.a[column];
  const ritti_model *model = N->C->model;
  if (!N->task.at_start || mpfr_zero_p(x)) return unit;
  for (int i = 0; i < model->starts; i++)
    if (model->start[i].variable == v && model->start[i].order == m &&
        model->start[i].number != 0 && mpfr_get_exp(x) < unit)
      return mpfr_get_exp(x);
  return unit;
}

/* The copy of the point beside it. */
void ritti_precise_move_coarse(ritti_precise *N) {
  mpfr_t shift;
  mpfr_init2(shift, N->coarse.bits);
  mpfr_set(N->coarse.x, N->fine.x, MPFR_RNDN);
  for (int v = 0; v < N->n; v++)
    for (int m = 0; m < N->have[v]; m++) {
      int column = v * RITTI_ORDERS + m;
      mpfr_set_si(shift, 10, MPFR_RNDN);
      mpfr_pow_si(shift, shift, -N->D, MPFR_RNDN);
      mpfr_mul_d(shift, shift, ritti_precise_random(column, 1000), MPFR_RNDN);
      mpfr_mul_2si(shift, shift, size_of_jet(N, v, m), MPFR_RNDN);
      mpfr_set(&N->coarse.a[column], &N->fine.a[column], MPFR_RNDN);
      mpfr_add(&N->coarse.a[column], &N->coarse.a[column], shift, MPFR_RNDN);
    }
  mpfr_clear(shift);
}

static const ritti_big *find_entry(const ritti_precise_row *row, int column) {
  for (int e = 0; e < row->count; e++)
    if (row->column[e] == column) return &row->entry[e];
  return NULL;
}

/* One row: both gradients over the same columns, scaled by the units of columns and by the largest
 * entry. */
static ritt_status take_row(lockstep *L, int i, const ritti_precise_row *fine,
                            const ritti_precise_row *coarse, int *compact) {
  ritti_precise *N = L->N;
  int count = 0, *column, scale = 0, noise = INT_MIN;
  bool any = false;
  RITTI_NEW(column, L->arena, fine->count + coarse->count + 1);
  for (int e = 0; e < fine->count; e++) {
    const ritti_big *beside = find_entry(coarse, fine->column[e]);
    column[count++] = fine->column[e];
    if (!beside || mpfr_zero_p(&fine->entry[e])) continue;
    int size = (int)mpfr_get_exp(&fine->entry[e]) + ritti_precise_unit(N, fine->column[e]);
    bool sound = fabs(ritti_big_magnitude(&fine->entry[e]) - ritti_big_magnitude(beside)) < 1.5;
    if (!sound && size > noise) noise = size;
    if (!sound) continue;
    if (!any || size > scale) scale = size;
    any = true;
  }
  for (int e = 0; e < coarse->count; e++)
    if (!find_entry(fine, coarse->column[e])) column[count++] = coarse->column[e];
  /* nothing but rounding */
  if (!any && noise > INT_MIN) scale = noise + (int)(2 * N->D * 3.32);
  mpfr_mul_2si(&L->value[i].fine, fine->value, -scale, MPFR_RNDN);
  mpfr_mul_2si(&L->value[i].coarse, coarse->value, -scale, MPFR_RNDN);

  pair *x;
  int *here, *counts;
  RITT_TRY(new_pairs(L, (size_t)count, &x));
  RITTI_NEW(here, L->arena, count + 1);
  RITTI_NEW(counts, L->arena, L->levels + 1);
  for (int e = 0; e < count; e++) counts[L->level[compact[column[e]]]]++;
  int first = 0;
  for (int l = 0; l < L->levels; l++) {
    L->part[l][i] = (vector){.at = here + first, .x = x + first};
    first += counts[l];
  }
  for (int e = 0; e < count; e++) {
    int unit = ritti_precise_unit(N, column[e]) - scale;
    vector *part = &L->part[L->level[compact[column[e]]]][i];
    pair *to = &part->x[part->count];
    part->at[part->count++] = compact[column[e]];
    L->entries[compact[column[e]]]++;
    const ritti_big *a = find_entry(fine, column[e]), *b = find_entry(coarse, column[e]);
    if (a) mpfr_mul_2si(&to->fine, a, unit, MPFR_RNDN);
    if (b) mpfr_mul_2si(&to->coarse, b, unit, MPFR_RNDN);
  }
  return RITT_OK;
}

/* Compact numbers of the columns in use, and their levels. */
static ritt_status number_columns(lockstep *L, const ritti_precise_row *fine,
                                  const ritti_precise_row *coarse, int *compact) {
  ritti_precise *N = L->N;
  int highest = 0, all = N->n * RITTI_ORDERS;
  for (int j = 0; j < all; j++) compact[j] = -1;
  for (int i = 0; i < L->rows; i++) {
    for (int e = 0; e < fine[i].count; e++) compact[fine[i].column[e]] = 0;
    for (int e = 0; e < coarse[i].count; e++) compact[coarse[i].column[e]] = 0;
  }
  for (int j = 0; j < all; j++) {
    if (compact[j] < 0) continue;
    compact[j] = L->columns++;
    int over = j % RITTI_ORDERS - L->top[j / RITTI_ORDERS];
    if (over > highest) highest = over;
  }
  RITTI_NEW(L->column, L->arena, L->columns + 1);
  RITTI_NEW(L->level, L->arena, L->columns + 1);
  RITTI_NEW(L->entries, L->arena, L->columns + 1);
  L->levels = highest + 2;
  for (int j = 0; j < all; j++) {
    if (compact[j] < 0) continue;
    int over = j % RITTI_ORDERS - L->top[j / RITTI_ORDERS];
    L->column[compact[j]] = j;
    L->level[compact[j]] = highest - (over < -1 ? -1 : over);
  }
  return RITT_OK;
}

static ritt_status set_up(lockstep *L, const ritti_precise_row *fine,
                          const ritti_precise_row *coarse) {
  int *compact, most;
  RITTI_NEW(compact, L->arena, L->N->n * RITTI_ORDERS + 1);
  RITT_TRY(number_columns(L, fine, coarse, compact));
  RITTI_NEW(L->part, L->arena, L->levels + 1);
  for (int l = 0; l < L->levels; l++) RITTI_NEW(L->part[l], L->arena, L->rows + 1);
  RITTI_NEW(L->lambda, L->arena, L->rows + 1);
  RITT_TRY(new_pairs(L, (size_t)L->rows, &L->value));
  for (int i = 0; i < L->rows; i++) RITT_TRY(take_row(L, i, &fine[i], &coarse[i], compact));
  most = (L->columns > L->rows ? L->columns : L->rows) + 1;
  RITT_TRY(new_pairs(L, (size_t)most, &L->work));
  RITTI_NEW(L->used, L->arena, most);
  RITTI_NEW(L->touched, L->arena, most);
  RITTI_NEW(L->heap, L->arena, most);
  RITTI_NEW(L->queued, L->arena, most);
  RITTI_NEW(L->pivot, L->arena, L->rows + 1);
  RITTI_NEW(L->pivot_of, L->arena, L->columns + 1);
  pair *t;
  RITT_TRY(new_pairs(L, 1, &t));
  L->t = *t;
  return RITT_OK;
}

/* ---- a sparse accumulator with a queue ---- */

static void touch_column(lockstep *L, int at) {
  if (L->used[at]) return;
  L->used[at] = true;
  clear_pair(&L->work[at]);
  L->touched[L->touches++] = at;
}

static void untouch_all(lockstep *L) {
  for (int i = 0; i < L->touches; i++) L->used[L->touched[i]] = false;
  L->touches = 0;
}

/* A heap of numbers, each at most once. sign 1: the least first; -1: the greatest. */
static void queue_number(lockstep *L, int number, int sign) {
  int at = L->heaps;
  if (L->queued[number]) return;
  L->queued[number] = true;
  L->heaps++;
  while (at > 0 && sign * L->heap[(at - 1) / 2] > sign * number) {
    L->heap[at] = L->heap[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  L->heap[at] = number;
}

static int take_first(lockstep *L, int sign) {
  int first = L->heap[0], last = L->heap[--L->heaps], at = 0;
  for (;;) {
    int child = 2 * at + 1;
    if (child >= L->heaps) break;
    if (child + 1 < L->heaps && sign * L->heap[child + 1] < sign * L->heap[child]) child++;
    if (sign * L->heap[child] >= sign * last) break;
    L->heap[at] = L->heap[child];
    at = child;
  }
  L->heap[at] = last;
  L->queued[first] = false;
  return first;
}

/* ---- one row on one level ---- */

/* The row's part on this level, from the combination that it stands for, in the accumulator. */
static void load_row(lockstep *L, int i, int level) {
  const vector *lambda = &L->lambda[i];
  int count = lambda->count ? lambda->count : 1;
  for (int k = 0; k < count; k++) {
    const vector *part = &L->part[level][lambda->count ? lambda->at[k] : i];
    for (int e = 0; e < part->count; e++) {
      int c = part->at[e];
      touch_column(L, c);
      if (lambda->count) add_product(L, &L->work[c], &lambda->x[k], &part->x[e]);
      else add_pair(&L->work[c], &part->x[e]);
    }
  }
}

/* Subtracts the pivot rows of the level; `factor`: which, how often. */
static ritt_status subtract_pivots(lockstep *L, vector *factor) {
  RITTI_ARRAY(int) which = {0};
  ritt_status status = RITT_OK;
  pair *x;
  for (int i = 0; i < L->touches; i++)
    if (L->pivot_of[L->touched[i]] >= 0) queue_number(L, L->pivot_of[L->touched[i]], 1);
  while (L->heaps > 0) {
    int k = take_first(L, 1);
    const pivot_row *p = &L->pivot[k];
    if (status != RITT_OK || is_plain_zero(&L->work[p->column])) continue;
    status = RITTI_PUSH(which, k);
    if (status == RITT_OK) status = new_pairs(L, 1, &x);
    if (status != RITT_OK) continue;
    set_pair(x, &L->work[p->column]);
    for (int e = 0; e < p->row.count; e++) {
      int c = p->row.at[e];
      if (c == p->column) continue;
      if (!L->used[c] && L->pivot_of[c] > k) queue_number(L, L->pivot_of[c], 1);
      touch_column(L, c);
      subtract_product(L, &L->work[c], x, &p->row.x[e]);
    }
    set_pair(&L->work[p->column], x); /* kept as the factor */
  }
  factor->count = (int)which.count;
  factor->at = ritti_arena_alloc(L->arena, which.count + 1, sizeof *factor->at);
  if (status == RITT_OK && !factor->at) status = RITT_NO_MEMORY;
  if (status == RITT_OK) status = new_pairs(L, which.count, &factor->x);
  for (size_t i = 0; status == RITT_OK && i < which.count; i++) {
    int column = L->pivot[which.at[i]].column;
    factor->at[i] = which.at[i];
    set_pair(&factor->x[i], &L->work[column]);
    clear_pair(&L->work[column]);
  }
  RITTI_ARRAY_FREE(which);
  return status;
}

/* An entry that is not zero, -1: none. Of those within a factor of 100 of the largest, the one whose
 * column has the fewest entries. Zeros are cleared. */
static ritt_status find_pivot(lockstep *L, ritti_row_id id, int *pivot) {
  double best = -INFINITY;
  *pivot = -1;
  for (int i = 0; i < L->touches; i++) {
    int c = L->touched[i];
    if (is_plain_zero(&L->work[c])) continue;
    ritti_zero zero = decide_zero(L, &L->work[c]);
    if (zero == RITTI_ZERO_UNKNOWN) return say_unknown(L, &L->work[c], "a coefficient", id);
    if (zero == RITTI_IS_ZERO) {
      clear_pair(&L->work[c]);
      continue;
    }
    best = fmax(best, ritti_big_magnitude(&L->work[c].fine));
  }
  for (int i = 0; i < L->touches; i++) {
    int c = L->touched[i];
    if (is_plain_zero(&L->work[c]) || ritti_big_magnitude(&L->work[c].fine) < best - 2) continue;
    if (*pivot < 0 || L->entries[c] < L->entries[*pivot] ||
        (L->entries[c] == L->entries[*pivot] && c < *pivot))
      *pivot = c;
  }
  return RITT_OK;
}

static ritt_status keep_pivot(lockstep *L, int i, int column, const vector *factor) {
  pivot_row *p = &L->pivot[L->pivots];
  pair *inverse;
  int count = 0;
  RITT_TRY(new_pairs(L, 1, &inverse));
  mpfr_ui_div(&inverse->fine, 1, &L->work[column].fine, MPFR_RNDN);
  mpfr_ui_div(&inverse->coarse, 1, &L->work[column].coarse, MPFR_RNDN);
  for (int k = 0; k < L->touches; k++) count += !is_plain_zero(&L->work[L->touched[k]]);
  *p = (pivot_row){
      .column = column, .factor = *factor, .lambda = &L->lambda[i], .inverse = *inverse};
  RITTI_NEW(p->row.at, L->arena, count + 1);
  RITT_TRY(new_pairs(L, (size_t)count, &p->row.x));
  for (int k = 0; k < L->touches; k++) {
    int c = L->touched[k];
    if (is_plain_zero(&L->work[c])) continue;
    p->row.at[p->row.count] = c;
    multiply_pair(&p->row.x[p->row.count++], &L->work[c], inverse);
  }
  L->pivot_of[column] = L->pivots++;
  return RITT_OK;
}

/* The row vanishes on this level: the combination of the rows given that it is. `owner`: of each
 * pivot the row that has it. */
static ritt_status sweep_back(lockstep *L, int i, const vector *factor, const int *owner) {
  pair *share, *x;
  int *rows, count = 0;
  vector *lambda = &L->lambda[i];
  if (factor->count == 0) return RITT_OK;
  /* how often each pivot row is subtracted in all */
  RITT_TRY(new_pairs(L, (size_t)L->pivots, &share));
  RITT_TRY(new_pairs(L, 1, &x));
  for (int k = 0; k < factor->count; k++) {
    set_pair(&share[factor->at[k]], &factor->x[k]);
    negate_pair(&share[factor->at[k]]);
    queue_number(L, factor->at[k], -1);
  }
  int own = lambda->count ? lambda->count : 1;
  for (int k = 0; k < own; k++) {
    int row = lambda->count ? lambda->at[k] : i;
    touch_column(L, row);
    if (lambda->count) set_pair(&L->work[row], &lambda->x[k]);
    else {
      mpfr_set_si(&L->work[row].fine, 1, MPFR_RNDN);
      mpfr_set_si(&L->work[row].coarse, 1, MPFR_RNDN);
    }
  }
  while (L->heaps > 0) {
    int k = take_first(L, -1);
    const pivot_row *p = &L->pivot[k];
    multiply_pair(x, &share[k], &p->inverse);
    int parts = p->lambda->count ? p->lambda->count : 1;
    for (int e = 0; e < parts; e++) {
      int row = p->lambda->count ? p->lambda->at[e] : owner[k];
      touch_column(L, row);
      if (p->lambda->count) add_product(L, &L->work[row], x, &p->lambda->x[e]);
      else add_pair(&L->work[row], x);
    }
    for (int e = 0; e < p->factor.count; e++) {
      subtract_product(L, &share[p->factor.at[e]], x, &p->factor.x[e]);
      queue_number(L, p->factor.at[e], -1);
    }
  }

  /* scaled to a largest coefficient near 1; what is zero in both is left out */
  long scale = 0;
  bool any = false;
  for (int k = 0; k < L->touches; k++) {
    const ritti_big *a = &L->work[L->touched[k]].fine;
    if (mpfr_zero_p(a)) continue;
    if (!any || mpfr_get_exp(a) > scale) scale = mpfr_get_exp(a);
    any = true;
  }
  RITTI_NEW(rows, L->arena, L->touches + 1);
  RITT_TRY(new_pairs(L, (size_t)L->touches, &x));
  for (int k = 0; k < L->touches; k++) {
    pair *w = &L->work[L->touched[k]];
    mpfr_mul_2si(&w->fine, &w->fine, -scale, MPFR_RNDN);
    mpfr_mul_2si(&w->coarse, &w->coarse, -scale, MPFR_RNDN);
    if (L->touched[k] != i && ritti_big_magnitude(&w->fine) < -1.2 * L->N->D) continue;
    rows[count] = L->touched[k];
    set_pair(&x[count++], w);
  }
  *lambda = (vector){.count = count, .at = rows, .x = x};
  return RITT_OK;
}

/* ---- all levels ---- */

/* The support of a row: the rows that its combination consists of. */
static ritt_status take_support(const lockstep *L, int i, ritti_echelon_row *out) {
  const vector *lambda = &L->lambda[i];
  int count = lambda->count ? lambda->count : 1, *support;
  RITTI_NEW(support, L->arena, count + 1);
  for (int k = 0; k < count; k++) support[k] = lambda->count ? lambda->at[k] : i;
  out->support = support;
  out->supports = count;
  return RITT_OK;
}

/* The row of the same order with the largest coefficient in the combination that row i stands for; i
 * itself unless its own coefficient is much smaller. */
static int find_strongest(const lockstep *L, const ritti_row_id *row, int i) {
  static const double MUCH_SMALLER = -0.5;
  const vector *lambda = &L->lambda[i];
  int strongest = i;
  double own = 0, most = -INFINITY;
  for (int k = 0; k < lambda->count; k++) {
    double size = ritti_big_magnitude(&lambda->x[k].fine);
    if (lambda->at[k] == i) own = size;
    if (row[lambda->at[k]].order != row[i].order || size <= most) continue;
    most = size;
    strongest = lambda->at[k];
  }
  return own < most + MUCH_SMALLER ? strongest : i;
}

/* Tops without a pivot, and those whose reduced row holds one of them. */
static ritt_status find_open(lockstep *L, int level, bool *open) {
  int free_tops = 0, *free_number;
  ritti_precise *N = L->N;
  RITTI_NEW(free_number, L->arena, L->columns + 1);
  for (int v = 0; v < N->n; v++) open[v] = true;
  for (int c = 0; c < L->columns; c++) {
    free_number[c] = -1;
    if (L->level[c] != level) continue;
    if (L->pivot_of[c] >= 0) open[L->column[c] / RITTI_ORDERS] = false;
    else free_number[c] = free_tops++;
  }
  if (free_tops == 0) return RITT_OK;
  vector *reduced;
  RITTI_NEW(reduced, L->arena, L->pivots + 1);
  for (int k = L->pivots - 1; k >= 0; k--) {
    const pivot_row *p = &L->pivot[k];
    untouch_all(L);
    for (int e = 0; e < p->row.count; e++) {
      int c = p->row.at[e], other = L->pivot_of[c];
      if (c == p->column) continue;
      if (other < 0) {
        touch_column(L, c);
        add_pair(&L->work[c], &p->row.x[e]);
      } else
        for (int f = 0; f < reduced[other].count; f++) {
          touch_column(L, reduced[other].at[f]);
          subtract_product(L, &L->work[reduced[other].at[f]], &p->row.x[e], &reduced[other].x[f]);
        }
    }
    RITTI_NEW(reduced[k].at, L->arena, L->touches + 1);
    RITT_TRY(new_pairs(L, (size_t)L->touches, &reduced[k].x));
    for (int t = 0; t < L->touches; t++) {
      pair *w = &L->work[L->touched[t]];
      if (is_plain_zero(w) || decide_zero(L, w) == RITTI_IS_ZERO) continue;
      reduced[k].at[reduced[k].count] = L->touched[t];
      set_pair(&reduced[k].x[reduced[k].count++], w);
    }
    if (reduced[k].count > 0) open[L->column[p->column] / RITTI_ORDERS] = true;
  }
  untouch_all(L);
  return RITT_OK;
}

static ritt_status run_level(lockstep *L, const ritti_row_id *row, int level,
                             ritti_echelon_row *out) {
  bool lower = level == L->levels - 1;
  int *owner;
  RITTI_NEW(owner, L->arena, L->rows + 1);
  L->pivots = 0;
  for (int c = 0; c < L->columns; c++) L->pivot_of[c] = -1;
  for (int i = 0; i < L->rows; i++) {
    vector factor = {0};
    int pivot;
    if (out[i].class != RITTI_NO_PIVOT) continue;
    untouch_all(L);
    load_row(L, i, level);
    RITT_TRY(subtract_pivots(L, &factor));
    RITT_TRY(find_pivot(L, row[i], &pivot));
    if (pivot < 0) {
      untouch_all(L);
      RITT_TRY(sweep_back(L, i, &factor, owner));
      continue;
    }
    if (lower) RITT_TRY(take_support(L, i, &out[i]));
    owner[L->pivots] = i;
    RITT_TRY(keep_pivot(L, i, pivot, &factor));
    out[i].class = lower ? RITTI_LOWER : level == L->levels - 2 ? RITTI_TOP : RITTI_ABOVE;
    out[i].pivot = (ritti_jet_id){L->column[pivot] / RITTI_ORDERS, L->column[pivot] % RITTI_ORDERS};
  }
  untouch_all(L);
  return RITT_OK;
}

/* Values of the combinations that vanish on all levels. */
static ritt_status take_values(lockstep *L, const ritti_row_id *row, ritti_echelon_row *out) {
  pair *sum;
  RITT_TRY(new_pairs(L, 1, &sum));
  for (int i = 0; i < L->rows; i++) {
    const vector *lambda = &L->lambda[i];
    if (out[i].class != RITTI_NO_PIVOT) continue;
    clear_pair(sum);
    if (lambda->count == 0) add_pair(sum, &L->value[i]);
    for (int k = 0; k < lambda->count; k++)
      add_product(L, sum, &lambda->x[k], &L->value[lambda->at[k]]);
    out[i].value = is_plain_zero(sum) ? RITTI_IS_ZERO : decide_zero(L, sum);
    if (out[i].value == RITTI_ZERO_UNKNOWN &&
        say_unknown(L, sum, "the value", row[i]) == RITT_NO_MEMORY)
      return RITT_NO_MEMORY;
    RITT_TRY(take_support(L, i, &out[i]));
    out[i].strongest = find_strongest(L, row, i);
  }
  return RITT_OK;
}

static ritt_status run_elimination(lockstep *L, const ritti_row_id *row,
                                   const ritti_precise_row *fine, const ritti_precise_row *coarse,
                                   bool *open, ritti_echelon_row *out) {
  RITT_TRY(set_up(L, fine, coarse));
  for (int i = 0; i < L->rows; i++)
    out[i] = (ritti_echelon_row){.class = RITTI_NO_PIVOT, .strongest = i};
  for (int level = 0; level < L->levels; level++) {
    RITT_TRY(run_level(L, row, level, out));
    if (open && level == L->levels - 2) RITT_TRY(find_open(L, level, open));
  }
  return take_values(L, row, out);
}

ritt_status ritti_lockstep(ritti_precise *N, const ritti_row_id *row, const ritti_precise_row *fine,
                           const ritti_precise_row *coarse, int count, const int *top, bool *open,
                           ritti_arena *arena, ritti_echelon_row *out) {
  lockstep L = {.N = N, .arena = ritti_arena_new(), .top = top, .rows = count};
  ritt_status status = L.arena ? run_elimination(&L, row, fine, coarse, open, out) : RITT_NO_MEMORY;
  /* what the caller keeps */
  for (int i = 0; i < count && status == RITT_OK; i++) {
    if (!out[i].support) continue;
    int *support = ritti_arena_alloc(arena, (size_t)out[i].supports + 1, sizeof *support);
    if (!support) status = RITT_NO_MEMORY;
    else memcpy(support, out[i].support, (size_t)out[i].supports * sizeof *support);
    out[i].support = support;
  }
  ritti_arena_free(L.arena);
  return status;
}

ritt_status ritti_precise_echelon(void *data, const ritti_row_id *row, int count, const int *top,
                                  bool *open, ritti_arena *arena, ritti_echelon_row *out) {
  ritti_precise *N = data;
  ritti_precise_row *fine, *coarse;
  bool finite, finite_too;
  int order = 0;
  RITTI_NEW(fine, arena, count + 1);
  RITTI_NEW(coarse, arena, count + 1);
  for (int i = 0; i < count; i++)
    if (row[i].order > order) order = row[i].order;
  ritti_precise_ensure(N, order);
  ritti_precise_move_coarse(N);
  RITT_TRY(ritti_precise_rows(N, &N->fine, row, count, arena, fine, &finite));
  RITT_TRY(ritti_precise_rows(N, &N->coarse, row, count, arena, coarse, &finite_too));
  if (finite && finite_too)
    return ritti_lockstep(N, row, fine, coarse, count, top, open, arena, out);
  N->no_value = true;
  N->backend.reason = "the equations have no value at a point near the start";
  return RITT_UNDECIDED;
}
