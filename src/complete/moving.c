/* Moves the generic point onto a set of rows: Newton's method with least-norm steps.
 *
 * Factors are doubles, and gradients need few digits for them; near the set residuals have all
 * digits, and each step gains about 15 of them. If the scaled rows are too dependent for doubles, a
 * basic solution is found by elimination with all digits. The units of the columns decide zeros; as
 * weights of a step they are wrong for a column with tiny coefficients only, so several kinds of
 * weights are tried in turn.
 */
#include "complete/precise_impl.h"
#include <limits.h>
#include "linalg/sparse.h"

static const double LOG10_OF_2 = 0.30102999566398120;
/* Kinds of weights. HIGH_ONLY: lower jets stay, since derivatives are linear in their highest jets.
 */
enum { HIGH_ONLY = 3, WEIGHTS = 4 };
enum { MOST_STEPS = 80, MOST_SLOW = 12, MOST_HALVINGS = 12 };
/* Above this many entries the Jacobian is kept sparse; above the smaller number if so few are not zero. */
enum { DENSE_ENTRIES = 300000, SPARSE_ENTRIES = 100000, SPARSE_PART = 50 };

typedef struct moving {
  ritti_precise *N;
  ritti_arena *arena; /* for one factorisation */
  ritti_arena *shelf; /* for one evaluation of rows with gradients */
  ritti_arena *shelf_of_values;
  const ritti_row_id *id;
  int rows, first_new;
  int weights;             /* which kind */
  const bool *frozen;      /* of each column: it may not move; NULL: all may */
  const bool *settled;     /* columns that are frozen all the time; NULL: none */
  ritti_precise_row *row;  /* at the point where gradients were evaluated last */
  const ritti_big **value; /* of each row at the present point */
  int *scale;              /* exponent of each row */
  /* the factored matrix, rows and columns scaled */
  int columns, *column, *place; /* of each compact column; of each column, -1 */
  int *weight;                  /* exponent of each compact column */
  ritti_pattern pattern;
  double *a;
  bool dense, full; /* full: all rows independent in doubles */
  double condition; /* about the inverse condition, dense only */
  ritti_qr qr;
  ritti_linear gram;
  double *step, *right, *scratch;
  int *iscratch;
  double worst;     /* log10 of the largest scaled residual */
  double factored;  /* `worst` where the rows were factored last */
  long exponent;    /* of 2, of that residual */
  bool current;     /* the rows are evaluated at the point as it is */
  long *first_size; /* of each row: its size at the point from which Newton's method starts */
} moving;

/* ---- rows at the point ---- */

/* Gradients and values with the digits of P, which holds the point. */
static ritt_status evaluate_rows_at(moving *M, ritti_precise_point *P, bool *finite) {
  ritti_precise *N = M->N;
  for (int i = 0; i < M->rows; i++) N->effort += (M->id[i].order + 1) * (M->id[i].order + 1);
  ritti_arena_clear(M->shelf);
  RITTI_NEW(M->row, M->shelf, M->rows + 1);
  RITTI_NEW(M->value, M->shelf, M->rows + 1);
  RITT_TRY(ritti_precise_rows(N, P, M->id, M->rows, M->shelf, M->row, finite));
  for (int i = 0; i < M->rows; i++) M->value[i] = M->row[i].value;
  return RITT_OK;
}

/* With few digits, enough for factors in doubles. */
static ritt_status evaluate_rows(moving *M, bool *finite) {
  ritti_precise_copy_to_coarse(M->N);
  return evaluate_rows_at(M, &M->N->coarse, finite);
}

/* Values with all digits; gradients stay as they are. */
static ritt_status evaluate_values(moving *M, bool *finite) {
  ritti_arena_clear(M->shelf_of_values);
  return ritti_precise_values(M->N, &M->N->fine, M->id, M->rows, M->shelf_of_values, M->value,
                              finite);
}

/* The largest scaled residual. */
static void measure_rows(moving *M) {
  M->exponent = LONG_MIN;
  M->worst = -1e9;
  for (int i = 0; i < M->rows; i++) {
    const ritti_big *f = M->value[i];
    if (mpfr_zero_p(f)) continue;
    M->worst = fmax(M->worst, ritti_big_magnitude(f) + LOG10_OF_2 * M->scale[i]);
    if (mpfr_get_exp(f) + M->scale[i] > M->exponent) M->exponent = mpfr_get_exp(f) + M->scale[i];
  }
}

/* The exponent of the weight of a column. If start values are to be kept their weight is smaller, so
 * that the point stays near the start, on the branch that the user means. */
static int choose_weight(const moving *M, int column) {
  enum { KEPT = 6 };
  ritti_precise *N = M->N;
  const ritti_big *x = &N->fine.a[column];
  int weight = ritti_precise_unit(N, column);
  if (M->weights == 1) {
    int size = ritti_precise_usual(N, column), least = size - 3;
    if (!mpfr_zero_p(x)) size = (int)mpfr_get_exp(x) > least ? (int)mpfr_get_exp(x) : least;
    if (size < weight) weight = size;
  } else if (M->weights == 2 &&
             ritti_big_magnitude(x) > LOG10_OF_2 * ritti_precise_usual(N, column) - 20)
    weight = (int)mpfr_get_exp(x);
  return N->task.keep_typed && N->typed[column] ? weight - KEPT : weight;
}

/* ---- factors ---- */

static bool may_move(const moving *M, int column) {
  if (M->frozen && M->frozen[column]) return false;
  if (M->N->task.keep_fixed && M->N->fixed[column]) return false;
  return M->weights != HIGH_ONLY || column % RITTI_ORDERS >= M->N->task.top[column / RITTI_ORDERS];
}

static double scaled_entry(const moving *M, int i, int e) {
  long exponent;
  const ritti_precise_row *r = &M->row[i];
  if (mpfr_zero_p(&r->entry[e])) return 0;
  double mantissa = mpfr_get_d_2exp(&exponent, &r->entry[e], MPFR_RNDN);
  return ldexp(mantissa, (int)exponent + M->scale[i] + M->weight[M->place[r->column[e]]]);
}

/* Clears entries that vanish on the set: far below the largest of their row. */
static void clear_vanishing(moving *M) {
  long digits = (long)(0.75 * 3.32 * M->N->D);
  for (int i = 0; i < M->rows; i++) {
    ritti_precise_row *r = &M->row[i];
    long largest = LONG_MIN;
    for (int e = 0; e < r->count; e++) {
      if (mpfr_zero_p(&r->entry[e])) continue;
      long size = mpfr_get_exp(&r->entry[e]) + ritti_precise_unit(M->N, r->column[e]);
      if (size > largest) largest = size;
    }
    for (int e = 0; e < r->count; e++) {
      if (mpfr_zero_p(&r->entry[e])) continue;
      long size = mpfr_get_exp(&r->entry[e]) + ritti_precise_unit(M->N, r->column[e]);
      if (size < largest - digits) mpfr_set_zero(&r->entry[e], 1);
    }
  }
}

/* Columns in use, weights, row scales, and the entries as doubles. */
static ritt_status take_matrix(moving *M) {
  ritti_precise *N = M->N;
  int all = N->n * RITTI_ORDERS, count = 0, *start, *col;
  ritti_arena_clear(M->arena);
  RITTI_NEW(M->place, M->arena, all + 1);
  RITTI_NEW(M->scale, M->arena, M->rows + 1);
  for (int j = 0; j < all; j++) M->place[j] = -1;
  for (int i = 0; i < M->rows; i++) {
    for (int e = 0; e < M->row[i].count; e++)
      if (may_move(M, M->row[i].column[e])) M->place[M->row[i].column[e]] = 0;
    count += M->row[i].count;
  }
  M->columns = 0;
  for (int j = 0; j < all; j++)
    if (M->place[j] >= 0) M->place[j] = M->columns++;
  RITTI_NEW(M->column, M->arena, M->columns + 1);
  RITTI_NEW(M->weight, M->arena, M->columns + 1);
  RITTI_NEW(start, M->arena, M->rows + 1);
  RITTI_NEW(col, M->arena, count + 1);
  RITTI_NEW(M->a, M->arena, count + 1);
  RITTI_NEW(M->step, M->arena, M->columns + 1);
  RITTI_NEW(M->right, M->arena, M->columns + M->rows + 1);
  for (int j = 0; j < all; j++)
    if (M->place[j] >= 0) M->column[M->place[j]] = j, M->weight[M->place[j]] = choose_weight(M, j);
  count = 0;
  for (int i = 0; i < M->rows; i++) {
    const ritti_precise_row *r = &M->row[i];
    bool any = false;
    for (int e = 0; e < r->count; e++) {
      if (mpfr_zero_p(&r->entry[e]) || M->place[r->column[e]] < 0) continue;
      int size = -(int)mpfr_get_exp(&r->entry[e]) - M->weight[M->place[r->column[e]]];
      if (!any || size < M->scale[i]) M->scale[i] = size;
      any = true;
    }
    for (int e = 0; e < r->count; e++) {
      if (M->place[r->column[e]] < 0) continue;
      col[count] = M->place[r->column[e]];
      M->a[count++] = scaled_entry(M, i, e);
    }
    start[i + 1] = count;
  }
  M->pattern = (ritti_pattern){.rows = M->rows, .cols = M->columns, .start = start, .col = col};
  return RITT_OK;
}

/* QR factors of the transposed matrix. */
static ritt_status factor_dense(moving *M) {
  int rows = M->rows, columns = M->columns, least = rows < columns ? rows : columns;
  double *scratch;
  RITTI_NEW(scratch, M->arena, 2 * rows + 1);
  M->qr = (ritti_qr){.rows = columns, .cols = rows};
  RITTI_NEW(M->qr.a, M->arena, rows * columns + 1);
  RITTI_NEW(M->qr.beta, M->arena, least + 1);
  RITTI_NEW(M->qr.column, M->arena, rows + 1);
  for (int i = 0; i < rows; i++)
    for (int e = M->pattern.start[i]; e < M->pattern.start[i + 1]; e++)
      M->qr.a[M->pattern.col[e] * rows + i] += M->a[e];
  ritti_qr_factor(&M->qr, 1e-13, scratch);
  M->full = M->qr.rank == rows;
  M->condition = M->full ? M->qr.gap : 0;
  if (M->full) return RITT_OK;
  RITTI_NEW(M->scratch, M->arena, ritti_least_norm_scratch(rows, columns) + 1);
  RITTI_NEW(M->iscratch, M->arena, rows + columns + 1);
  return RITT_OK;
}

static ritt_status factor_rows(moving *M) {
  RITT_TRY(take_matrix(M));
  double entries = (double)M->rows * M->columns, filled = M->pattern.start[M->rows];
  M->dense =
      entries <= SPARSE_ENTRIES || (entries <= DENSE_ENTRIES && SPARSE_PART * filled > entries);
  M->condition = 1;
  if (M->dense) return factor_dense(M);
  RITT_TRY(ritti_linear_init(&M->gram, RITTI_GRAM, &M->pattern, 0, RITTI_ALGEBRA_AUTO, M->arena));
  M->full = ritti_linear_factor(&M->gram, M->a, NULL);
  return RITT_OK;
}

/* R^T y = P^T b, x = Q y */
static void solve_dense(moving *M, const double *b) {
  int rows = M->rows;
  double *x = M->right;
  memset(x, 0, (size_t)M->columns * sizeof *x);
  for (int i = 0; i < rows; i++) {
    double sum = b[M->qr.column[i]];
    for (int k = 0; k < i; k++) sum -= M->qr.a[k * rows + i] * x[k];
    x[i] = sum / M->qr.a[i * rows + i];
  }
  ritti_qr_apply_q(&M->qr, x);
  memcpy(M->step, x, (size_t)M->columns * sizeof *x);
}

/* x = A^T (A A^T)^-1 b. The factors of A A^T have few digits if A is ill-conditioned: the residual
 * b - A x is solved for again while that helps. */
static ritt_status solve_by_gram(moving *M, const double *b) {
  enum { MOST_ROUNDS = 12 };
  const ritti_pattern *P = &M->pattern;
  double *y, *left, before = INFINITY;
  RITTI_NEW(y, M->arena, M->rows + 1);
  RITTI_NEW(left, M->arena, M->rows + 1);
  memcpy(left, b, (size_t)M->rows * sizeof *left);
  memset(M->step, 0, (size_t)M->columns * sizeof *M->step);
  for (int round = 0; round < MOST_ROUNDS; round++) {
    memcpy(y, left, (size_t)M->rows * sizeof *y);
    ritti_linear_solve(&M->gram, y);
    for (int i = 0; i < M->rows; i++)
      for (int e = P->start[i]; e < P->start[i + 1]; e++) M->step[P->col[e]] += M->a[e] * y[i];

    double most = 0;
    for (int i = 0; i < M->rows; i++) {
      left[i] = b[i];
      for (int e = P->start[i]; e < P->start[i + 1]; e++) left[i] -= M->a[e] * M->step[P->col[e]];
      most = fmax(most, fabs(left[i]));
    }
    if (!(most < 0.5 * before)) break;
    before = most;
  }
  return RITT_OK;
}

/* The step in scaled variables for the scaled right side b, rows numbers. */
static ritt_status solve_rows(moving *M, double *b) {
  if (M->dense && M->full) {
    solve_dense(M, b);
    return RITT_OK;
  }
  if (M->dense) {
    double *dense;
    RITTI_NEW(dense, M->arena, M->rows * M->columns + 1);
    ritti_csr_to_dense(&M->pattern, M->a, dense);
    ritti_least_norm(M->rows, M->columns, dense, b, 1e-12, M->step, M->scratch, M->iscratch);
    return RITT_OK;
  }
  if (M->full) return solve_by_gram(M, b);
  ritti_least least;
  RITT_TRY(ritti_least_init(&least, &M->pattern, M->arena));
  ritti_least_solve(&least, M->a, b, 1e-11, M->step);
  return RITT_OK;
}

/* ---- steps ---- */

/* -f / 2^exponent, scaled */
static void take_right(const moving *M, double *b) {
  for (int i = 0; i < M->rows; i++) {
    long exponent;
    double mantissa = mpfr_get_d_2exp(&exponent, M->value[i], MPFR_RNDN);
    b[i] = 0;
    if (mpfr_zero_p(M->value[i])) continue;
    exponent += M->scale[i] - M->exponent;
    if (exponent > -1000) b[i] = -ldexp(mantissa, (int)exponent);
  }
}

/* point += fraction * step * 2^exponent */
static void apply_step(const moving *M, double fraction) {
  ritti_precise *N = M->N;
  mpfr_t move;
  mpfr_init2(move, 64);
  for (int c = 0; c < M->columns; c++) {
    mpfr_set_d(move, fraction * M->step[c], MPFR_RNDN);
    mpfr_mul_2si(move, move, M->weight[c] + M->exponent, MPFR_RNDN);
    mpfr_add(&N->fine.a[M->column[c]], &N->fine.a[M->column[c]], move, MPFR_RNDN);
  }
  mpfr_clear(move);
}

static double length_of_step(const moving *M) {
  double sum = 0;
  for (int c = 0; c < M->columns; c++) sum += M->step[c] * M->step[c];
  return sqrt(sum);
}

/* Points as they were. */
static void copy_point(const ritti_precise *N, const ritti_big *from, ritti_big *to) {
  for (int v = 0; v < N->n; v++)
    for (int m = 0; m < N->have[v]; m++)
      mpfr_set(&to[v * RITTI_ORDERS + m], &from[v * RITTI_ORDERS + m], MPFR_RNDN);
}

/* As far along the step as the next step with the same factors gets shorter: a measure of the
 * distance to the set that does not depend on how the rows are scaled or mixed, as their residuals
 * do. *moved = false: nowhere. */
static ritt_status damp_step(moving *M, ritti_big *before, bool *moved) {
  ritti_precise *N = M->N;
  double length = length_of_step(M), fraction = 1, *step, *b;
  bool finite;
  RITTI_NEW(step, M->arena, M->columns + 1);
  RITTI_NEW(b, M->arena, M->rows + 1);
  memcpy(step, M->step, (size_t)M->columns * sizeof *step);
  copy_point(N, N->fine.a, before);
  *moved = false;
  for (int k = 0; k < MOST_HALVINGS && !*moved; k++, fraction /= 2) {
    copy_point(N, before, N->fine.a);
    memcpy(M->step, step, (size_t)M->columns * sizeof *step);
    apply_step(M, fraction);
    RITT_TRY(evaluate_rows(M, &finite));
    if (!finite) continue;
    take_right(M, b);
    RITT_TRY(solve_rows(M, b));
    *moved = length_of_step(M) < length * (1 - 0.25 * fraction);
  }
  M->current = *moved;
  return RITT_OK;
}

/* A basic solution by elimination with all digits, added to the point; *solved = false: the rows
 * depend on each other. */
static ritt_status step_in_full(moving *M, bool *solved) {
  ritti_precise *N = M->N;
  long bits = N->fine.bits;
  int rows = M->rows, columns = M->columns, *pivot;
  ritti_big *w, *b, *t;
  bool finite;
  *solved = false;
  if ((double)rows * columns > DENSE_ENTRIES) return RITT_OK;
  RITT_TRY(evaluate_rows_at(M, &N->fine, &finite));
  if (!finite) return RITT_OK;
  RITTI_NEW(pivot, M->arena, rows + 1);
  RITT_TRY(ritti_bigs_new(M->arena, (size_t)rows * (size_t)columns + 1, bits, &w));
  RITT_TRY(ritti_bigs_new(M->arena, (size_t)rows + 1, bits, &b));
  RITT_TRY(ritti_bigs_new(M->arena, 1, bits, &t));
  for (int i = 0; i < rows; i++) {
    ritti_big *row = w + (size_t)i * (size_t)columns;
    for (int e = 0; e < M->row[i].count; e++) {
      int c = M->place[M->row[i].column[e]];
      if (c < 0) continue;
      mpfr_mul_2si(&row[c], &M->row[i].entry[e], M->scale[i] + M->weight[c], MPFR_RNDN);
    }
    mpfr_mul_2si(&b[i], M->value[i], M->scale[i], MPFR_RNDN);
    mpfr_neg(&b[i], &b[i], MPFR_RNDN);
    for (int k = 0; k < i; k++) {
      const ritti_big *other = w + (size_t)k * (size_t)columns;
      if (mpfr_zero_p(&row[pivot[k]])) continue;
      mpfr_set(t, &row[pivot[k]], MPFR_RNDN);
      mpfr_neg(t, t, MPFR_RNDN);
      for (int c = 0; c < columns; c++)
        if (!mpfr_zero_p(&other[c])) mpfr_fma(&row[c], t, &other[c], &row[c], MPFR_RNDN);
      mpfr_fma(&b[i], t, &b[k], &b[i], MPFR_RNDN);
      mpfr_set_zero(&row[pivot[k]], 1);
    }
    pivot[i] = -1;
    for (int c = 0; c < columns; c++)
      if (!mpfr_zero_p(&row[c]) && (pivot[i] < 0 || mpfr_cmpabs(&row[c], &row[pivot[i]]) > 0))
        pivot[i] = c;
    if (pivot[i] < 0 || ritti_big_magnitude(&row[pivot[i]]) < -1.5 * N->D) return RITT_OK;
    mpfr_ui_div(t, 1, &row[pivot[i]], MPFR_RNDN);
    for (int c = 0; c < columns; c++) mpfr_mul(&row[c], &row[c], t, MPFR_RNDN);
    mpfr_mul(&b[i], &b[i], t, MPFR_RNDN);
  }
  for (int i = rows - 1; i >= 0; i--) {
    const ritti_big *row = w + (size_t)i * (size_t)columns;
    for (int k = i + 1; k < rows; k++) {
      if (mpfr_zero_p(&row[pivot[k]])) continue;
      mpfr_mul(t, &row[pivot[k]], &b[k], MPFR_RNDN);
      mpfr_sub(&b[i], &b[i], t, MPFR_RNDN);
    }
  }
  for (int i = 0; i < rows; i++) {
    mpfr_mul_2si(t, &b[i], M->weight[pivot[i]], MPFR_RNDN);
    ritti_big *x = &N->fine.a[M->column[pivot[i]]];
    mpfr_add(x, x, t, MPFR_RNDN);
  }
  *solved = true;
  return RITT_OK;
}

/* One Newton step; *moved = false: none helps. */
static ritt_status take_step(moving *M, ritti_big *before, bool *moved) {
  double *b;
  bool solved = false;
  *moved = true;
  /* far from the set a basic solution may lead astray, unless little is left to move */
  if (M->condition < 1e-11 && (M->worst < -1 || M->N->task.keep_fixed))
    RITT_TRY(step_in_full(M, &solved));
  if (solved) return RITT_OK;
  RITTI_NEW(b, M->arena, M->rows + 1);
  take_right(M, b);
  RITT_TRY(solve_rows(M, b));
  for (int c = 0; c < M->columns; c++)
    if (!(fabs(M->step[c]) < INFINITY)) *moved = false;
  if (!*moved) return RITT_OK;
  if (M->worst > -2) return damp_step(M, before, moved);
  apply_step(M, 1);
  return RITT_OK;
}

/* The exponent of 2 of the largest entry of a row, in units of the columns. */
static long size_of_row(const moving *M, int i) {
  const ritti_precise_row *r = &M->row[i];
  long size = LONG_MIN;
  for (int e = 0; e < r->count; e++) {
    if (mpfr_zero_p(&r->entry[e])) continue;
    long here = mpfr_get_exp(&r->entry[e]) + ritti_precise_unit(M->N, r->column[e]);
    if (here > size) size = here;
  }
  return size;
}

static ritt_status run_newton(moving *M, ritti_big *before, bool *reached) {
  double last = INFINITY, goal = -(2.0 * M->N->D + 8);
  int slow = 0;
  bool finite, moved;
  *reached = M->current = false;
  for (int k = 0; k < MOST_STEPS; k++) {
    /* while the factors serve well no gradients are needed, and far from the set few digits are */
    bool near = k > 0 && M->worst < -0.5 * M->N->D;
    bool old = k > 0 && (M->factored < -16 || (M->worst < -8 && M->worst < last - 8));
    if (M->weights == HIGH_ONLY && k > 0 && M->worst < -12) { /* near: all jets, to the end */
      M->weights = 0;
      old = false;
    }
    finite = true;
    if (!M->current && !old) RITT_TRY(evaluate_rows(M, &finite));
    if ((old || near) && finite) RITT_TRY(evaluate_values(M, &finite));
    M->current = false;
    if (!finite) {
      M->N->no_value = true;
      return RITT_OK;
    }
    for (int i = 0; k == 0 && i < M->rows; i++) M->first_size[i] = size_of_row(M, i);
    last = k > 0 ? M->worst : INFINITY;
    if (!old) RITT_TRY(factor_rows(M));
    measure_rows(M);
    if (!old) M->factored = M->worst;
    if (M->worst < goal) {
      *reached = true;
      return RITT_OK;
    }
    if (M->worst > last - (M->worst < -3 ? 0.3 : 0.03) && ++slow > MOST_SLOW) return RITT_OK;
    RITT_TRY(take_step(M, before, &moved));
    if (!moved) return RITT_OK;
  }
  return RITT_OK;
}

/* Solves the rows for the jets that may move, twice. Derivatives are linear in their highest jets, so
 * their factors serve for both steps. */
static ritt_status solve_for_new_jets(moving *M) {
  bool finite;
  for (int k = 0; k < 2; k++) {
    double *b;
    bool sound = true, again = k > 0 && M->first_new > 0;
    RITT_TRY(again ? evaluate_values(M, &finite) : evaluate_rows(M, &finite));
    if (!finite) return RITT_OK;
    if (!again) {
      bool any = false;
      for (int i = 0; i < M->rows; i++)
        for (int e = 0; e < M->row[i].count; e++) any = any || may_move(M, M->row[i].column[e]);
      if (!any) return RITT_OK;
      clear_vanishing(M);
      RITT_TRY(factor_rows(M));
    }
    measure_rows(M);
    if (M->worst < -1e8) return RITT_OK;
    RITTI_NEW(b, M->arena, M->rows + 1);
    take_right(M, b);
    RITT_TRY(solve_rows(M, b));
    for (int c = 0; c < M->columns; c++) sound = sound && fabs(M->step[c]) < 1e30;
    if (sound) apply_step(M, 1);
  }
  return RITT_OK;
}

/* New rows are linear in the jets that only they contain: these are solved for first. */
static ritt_status extend_point(moving *M) {
  ritti_precise *N = M->N;
  int all = N->n * RITTI_ORDERS, rows = M->rows;
  const ritti_row_id *id = M->id;
  bool *old = ritti_malloc((size_t)all * sizeof *old + 1);
  if (!old) return RITT_NO_MEMORY;
  for (int j = 0; j < all; j++) {
    int top = N->task.top[j / RITTI_ORDERS];
    if (M->settled) old[j] = M->settled[j];
    else old[j] = M->first_new == 0 && (j % RITTI_ORDERS < top || top == 0);
  }
  for (int i = 0; i < M->first_new; i++) ritti_precise_mark_columns(N, id[i], old);
  M->id += M->first_new;
  M->rows -= M->first_new;
  M->frozen = old;
  ritt_status status = solve_for_new_jets(M);
  ritti_free(old);
  M->frozen = M->settled;
  M->id = id;
  M->rows = rows;
  return status;
}

/* Has a jet, or the largest coefficient of a row, grown by more than ten powers of ten? Rows such as
 * t + (1 + x^2)*e = 0 and e = 0, or t + exp(x)*e = 0 and e = 0, seem to hold where x is large enough,
 * because residuals are measured relative to the row; but there is no point. */
static bool has_run_away(const moving *M, const ritti_big *start) {
  ritti_precise *N = M->N;
  const double MOST = N->task.keep_fixed ? 16 : 10; /* 16: rows that are known to have points */
  for (int c = 0; c < N->n * RITTI_ORDERS; c++) {
    if (mpfr_zero_p(&N->fine.a[c])) continue;
    double size = fmax(ritti_big_magnitude(&start[c]), LOG10_OF_2 * ritti_precise_unit(N, c));
    if (ritti_big_magnitude(&N->fine.a[c]) > size + MOST) return true;
  }
  for (int i = 0; i < M->rows; i++)
    if (LOG10_OF_2 * (double)(size_of_row(M, i) - M->first_size[i]) > MOST) return true;
  return false;
}

static ritt_status move_point(moving *M, bool *reached) {
  ritti_precise *N = M->N;
  ritti_arena *kept = ritti_arena_new();
  ritti_big *start = NULL, *extended = NULL, *before = NULL;
  size_t all = (size_t)N->n * RITTI_ORDERS;
  ritt_status status = kept ? RITT_OK : RITT_NO_MEMORY;
  if (status == RITT_OK) status = ritti_bigs_new(kept, all, N->fine.bits, &start);
  if (status == RITT_OK) status = ritti_bigs_new(kept, all, N->fine.bits, &extended);
  if (status == RITT_OK) status = ritti_bigs_new(kept, all, N->fine.bits, &before);
  if (status == RITT_OK) {
    M->first_size = ritti_arena_alloc(kept, (size_t)M->rows + 1, sizeof *M->first_size);
    if (!M->first_size) status = RITT_NO_MEMORY;
  }
  if (status == RITT_OK) {
    copy_point(N, N->fine.a, start);
    status = extend_point(M);
    copy_point(N, N->fine.a, extended);
  }
  /* at other points than the first the other kinds of weights help less than another point does */
  int kinds = N->task.number == 0 ? WEIGHTS : 2;
  for (int k = 0; k < kinds && status == RITT_OK && !*reached; k++) {
    static const int order[WEIGHTS] = {0, HIGH_ONLY, 1, 2};
    M->weights = order[k];
    copy_point(N, extended, N->fine.a);
    status = run_newton(M, before, reached);
    if (*reached && has_run_away(M, extended)) *reached = false;
  }
  if (status == RITT_OK && !*reached) copy_point(N, start, N->fine.a);
  ritti_arena_free(kept);
  return status;
}

static ritt_status with_arenas(moving *M, ritt_status (*work)(moving *, bool *), bool *done) {
  M->arena = ritti_arena_new();
  M->shelf = ritti_arena_new();
  M->shelf_of_values = ritti_arena_new();
  bool made = M->arena && M->shelf && M->shelf_of_values;
  ritt_status status = made ? work(M, done) : RITT_NO_MEMORY;
  ritti_arena_free(M->arena);
  ritti_arena_free(M->shelf);
  ritti_arena_free(M->shelf_of_values);
  return status;
}

static bool is_settled(const ritti_backend *backend, ritti_row_id row) {
  for (int i = 0; i < backend->settleds; i++)
    if (backend->settled[i].equation == row.equation && backend->settled[i].order == row.order)
      return true;
  return false;
}

/* Moves the point without the jets that the settled rows contain. */
static ritt_status move_beside_settled(ritti_precise *N, const ritti_row_id *row, int count,
                                       int first_new, ritti_arena *arena, bool *reached) {
  moving M = {.N = N};
  ritti_row_id *id;
  bool *settled;
  RITTI_NEW(id, arena, count + 1);
  RITTI_NEW(settled, arena, N->n * RITTI_ORDERS + 1);
  for (int i = 0; i < count; i++) {
    if (is_settled(&N->backend, row[i])) continue;
    M.first_new += i < first_new;
    id[M.rows++] = row[i];
  }
  for (int i = 0; i < N->backend.settleds; i++)
    ritti_precise_mark_columns(N, N->backend.settled[i], settled);
  M.id = id;
  M.frozen = M.settled = settled;
  return with_arenas(&M, move_point, reached);
}

ritt_status ritti_precise_move(void *data, const ritti_row_id *row, int count, int first_new,
                               bool *reached) {
  ritti_precise *N = data;
  moving M = {.N = N, .id = row, .rows = count, .first_new = first_new};
  int order = 0;
  for (int i = 0; i < count; i++)
    if (row[i].order > order) order = row[i].order;
  ritti_precise_ensure(N, order);
  N->no_value = false;
  *reached = false;
  if (N->backend.settleds) {
    ritti_arena *arena = ritti_arena_new();
    if (!arena) return RITT_NO_MEMORY;
    ritt_status status = move_beside_settled(N, row, count, first_new, arena, reached);
    ritti_arena_free(arena);
    if (status != RITT_OK || *reached) return status;
  }
  return with_arenas(&M, move_point, reached);
}

/* Plain least-squares steps on all rows. */
static ritt_status search_point(moving *M, bool *found) {
  enum { STEPS = 40 };
  for (int k = 0; k < STEPS; k++) {
    double *b;
    bool finite, near = k > 0 && M->worst < -0.5 * M->N->D;
    RITT_TRY(evaluate_rows(M, &finite));
    if (near && finite) RITT_TRY(evaluate_values(M, &finite));
    if (!finite) return RITT_OK;
    for (int i = 0; k == 0 && i < M->rows; i++) M->first_size[i] = size_of_row(M, i);
    RITT_TRY(factor_rows(M));
    measure_rows(M);
    if (M->worst < -1.2 * M->N->D) {
      *found = true;
      return RITT_OK;
    }
    if (M->worst > 200) return RITT_OK;
    RITTI_NEW(b, M->arena, M->rows + 1);
    take_right(M, b);
    RITT_TRY(solve_rows(M, b));
    for (int c = 0; c < M->columns; c++)
      if (!(fabs(M->step[c]) < INFINITY)) return RITT_OK;
    apply_step(M, 1);
  }
  return RITT_OK;
}

/* A point that has not run away. */
static ritt_status search_nearby(moving *M, bool *found) {
  ritti_precise *N = M->N;
  ritti_arena *kept = ritti_arena_new();
  ritti_big *start = NULL;
  size_t all = (size_t)N->n * RITTI_ORDERS;
  ritt_status status = kept ? ritti_bigs_new(kept, all, N->fine.bits, &start) : RITT_NO_MEMORY;
  if (status == RITT_OK) {
    M->first_size = ritti_arena_alloc(kept, (size_t)M->rows + 1, sizeof *M->first_size);
    if (!M->first_size) status = RITT_NO_MEMORY;
  }
  if (status == RITT_OK) {
    copy_point(N, N->fine.a, start);
    status = search_point(M, found);
    if (*found && has_run_away(M, start)) *found = false;
  }
  ritti_arena_free(kept);
  return status;
}

ritt_status ritti_precise_search(ritti_precise *N, const ritti_row_id *row, int count,
                                 bool *found) {
  moving M = {.N = N, .id = row, .rows = count};
  int order = 0;
  for (int i = 0; i < count; i++)
    if (row[i].order > order) order = row[i].order;
  ritti_precise_ensure(N, order);
  *found = false;
  return with_arenas(&M, search_nearby, found);
}

/* Newton's method on one row whose gradient vanishes on its set halves the distance at best, and the
 * gradient shrinks with it, but less than the value does: as x^2 for x^3 = 0. Both shrink alike where a
 * row has no zero at all, as exp(x) = 0. */
static ritt_status watch_gradient(moving *M, bool *loses) {
  enum { STEPS = 60, SHRUNK = 30 }; /* SHRUNK: exponent of 2 */
  static const double MORE = 1.05;
  long gradient = 0, value = 0;
  bool finite;
  for (int k = 0; k <= STEPS; k++) {
    double *b;
    RITT_TRY(evaluate_rows(M, &finite));
    if (!finite || mpfr_zero_p(M->value[0])) return RITT_OK;
    long size = size_of_row(M, 0);
    if (size == LONG_MIN) return RITT_OK;
    if (k == 0) {
      gradient = size;
      value = mpfr_get_exp(M->value[0]);
    }
    double shrunk = (double)(gradient - size), fallen = (double)(value - mpfr_get_exp(M->value[0]));
    *loses = shrunk > SHRUNK && fallen > 2 * SHRUNK && fallen > MORE * shrunk;
    if (*loses || k == STEPS) return RITT_OK;
    RITT_TRY(factor_rows(M));
    measure_rows(M);
    RITTI_NEW(b, M->arena, 1);
    take_right(M, b);
    RITT_TRY(solve_rows(M, b));
    apply_step(M, 1);
  }
  return RITT_OK;
}

ritt_status ritti_precise_loses_gradient(ritti_precise *N, int equation, bool *loses) {
  ritti_row_id row = {equation, 0};
  moving M = {.N = N, .id = &row, .rows = 1};
  *loses = false;
  return with_arenas(&M, watch_gradient, loses);
}
