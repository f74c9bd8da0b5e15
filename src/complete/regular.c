/* The system Jacobian: the matrix of the top rows in the tops, and whether it is regular at a
 * point.
 *
 * Decided by the condition number after scaling: from singular values where the matrix is small,
 * from sparse factors and an estimate of the norm of the inverse (Hager) where it is large and
 * square. A matrix of the implicit kind may be as small as the current of a blocking diode: it is
 * regular as well if small relative changes of its entries leave its determinant almost the same.
 */
#include "complete/complete_impl.h"
#include "expr/quad.h"
#include "linalg/sparse.h"

enum { LARGE = 300 }; /* rows from which on singular values cost too much */
static const double NOISE = 1e-11, MOST_CONDITION = 1e12;

typedef struct quad_at {
  const ritti_completion *C;
  const double *point;
} quad_at;

static ritti_quad quad_jet(const void *context, int variable, int order) {
  const quad_at *at = context;
  int i = ritti_jet_number(at->C, variable, order);
  return i < 0 ? (ritti_quad)NAN : (ritti_quad)at->point[i];
}

/* Expressions in quadruple precision, at a point and beside it. */
typedef struct noise {
  ritti_completion *C;
  const double *point;
  ritti_quad_plan *plan;
  ritti_quad *parameter, *level;
  double *moved;
} noise;

/* direction 0: at the point; else beside it, by its last digits. */
static void look_beside(const noise *N, int direction, ritti_quad *value, ritti_quad *size) {
  ritti_completion *C = N->C;
  quad_at at = {C, N->moved};
  for (int j = 0; j < C->n; j++)
    for (int k = 0; k <= C->d[j]; k++) {
      int i = C->first[j] + k;
      N->moved[i] = N->point[i] + (direction ? NOISE * ritti_shift(C, j, k, direction) : 0);
    }
  for (int i = 0; i < C->model->parameters; i++)
    N->parameter[i] =
        C->parameter[i] * (1 + (direction ? NOISE * ritti_quasi_random(i, direction) : 0));
  ritti_quad_values values = {
      .independent = C->x + (direction ? NOISE * fmax(ritti_x_size(C), fabs(C->x)) : 0),
      .jet = quad_jet,
      .context = &at,
      .parameter = N->parameter,
      .level = N->level};
  ritti_quad_plan_evaluate(N->plan, &values, value, size);
}

static ritt_status begin_noise(noise *N, const ritti_expr *e, int count, ritti_arena *arena) {
  ritti_completion *C = N->C;
  RITTI_NEW(N->moved, arena, C->jets + 1);
  RITTI_NEW(N->parameter, arena, C->model->parameters + 1);
  RITTI_NEW(N->level, arena, C->levels + 1);
  for (int i = 0; i < C->levels; i++) N->level[i] = C->level[i];
  return ritti_quad_plan_new(C->dag, e, (size_t)count, &N->plan);
}

ritt_status ritti_size_of_terms(ritti_completion *C, ritti_expr e, const double *point,
                                double *out) {
  noise N = {.C = C, .point = point};
  ritti_quad value, size;
  ritti_arena *arena = ritti_arena_new();
  if (!arena) return RITT_NO_MEMORY;
  ritt_status status = begin_noise(&N, &e, 1, arena);
  if (status == RITT_OK) look_beside(&N, 0, &value, &size);
  if (status == RITT_OK) *out = (double)size;
  ritti_quad_plan_free(N.plan);
  ritti_arena_free(arena);
  return status;
}

/* Finds the value of a short expression of sums and products in doubles, and its size: the sum of
 * the absolute values of all terms that are added up. false: the expression is of another kind. */
static bool weigh_terms(const ritti_completion *C, ritti_expr e, const double *point, int *nodes,
                        double *value, double *size) {
  ritti_op op = ritti_op_of(C->dag, e);
  if (op == RITTI_NUMBER) *value = ritti_rational_double(ritti_rational_of(C->dag, e));
  else if (op == RITTI_PARAMETER) *value = C->parameter[ritti_index_of(C->dag, e)];
  else if (op == RITTI_JET) {
    int jet = ritti_jet_number(C, ritti_index_of(C->dag, e), ritti_order_of(C->dag, e));
    if (jet < 0) return false;
    *value = point[jet];
  } else if (op != RITTI_ADD && op != RITTI_MULTIPLY) return false;
  *size = fabs(*value);
  if (op != RITTI_ADD && op != RITTI_MULTIPLY) return true;

  *value = *size = op == RITTI_ADD ? 0 : 1;
  for (size_t i = 0, n = ritti_argument_count(C->dag, e); i < n; i++) {
    double v, s;
    if (--*nodes < 0) return false;
    if (!weigh_terms(C, ritti_argument(C->dag, e, i), point, nodes, &v, &s)) return false;
    if (op == RITTI_ADD) {
      *value += v;
      *size += s;
    } else {
      *value *= v;
      *size *= s;
    }
  }
  return true;
}

/* May the entry be the small difference of larger terms? */
static bool may_cancel(const ritti_completion *C, ritti_expr entry, const double *point) {
  double value = 0, size = 0;
  enum { MOST = 50 };
  int nodes = MOST;
  if (!weigh_terms(C, entry, point, &nodes, &value, &size)) return true;
  /* where all terms are 0 there is nothing to drop */
  return size != 0 && !(fabs(value) > MOST * NOISE * size);
}

/* Entries that are the small difference of larger terms, and that change as much as they are where
 * the point changes in its last digits, are zero: a point of M is only known so far, and what is
 * left of such a sum must not be scaled up. Sizes alone do not tell: they are bounds, and those of
 * rows that were made by several eliminations lie far above. */
static ritt_status drop_noise(ritti_completion *C, const ritti_expr *entries, int count,
                              const double *point, ritti_arena *arena, double *a) {
  enum { DIRECTIONS = 3 };
  static const double SURELY = 1e-24;
  noise N = {.C = C, .point = point};
  ritti_quad *value, *size, *beside;
  ritti_expr *entry;
  int *place, suspects = 0;
  bool *zero, any = false;

  /* quadruple precision costs much: only entries that may cancel need it */
  RITTI_NEW(entry, arena, count + 1);
  RITTI_NEW(place, arena, count + 1);
  for (int e = 0; e < count; e++) {
    if (!may_cancel(C, entries[e], point)) continue;
    entry[suspects] = entries[e];
    place[suspects++] = e;
  }
  if (suspects == 0) return RITT_OK;

  RITTI_NEW(value, arena, suspects);
  RITTI_NEW(size, arena, suspects);
  RITTI_NEW(beside, arena, suspects);
  RITTI_NEW(zero, arena, suspects);
  RITT_TRY(begin_noise(&N, entry, suspects, arena));
  look_beside(&N, 0, value, size);
  for (int e = 0; e < suspects; e++) {
    any = any || fabsq(value[e]) <= NOISE * size[e];
    zero[e] = fabsq(value[e]) <= SURELY * size[e];
  }
  for (int direction = 1; any && direction <= DIRECTIONS; direction++) {
    look_beside(&N, direction, beside, NULL);
    for (int e = 0; e < suspects; e++)
      zero[e] = zero[e] || !(fabsq(beside[e] - value[e]) < fabsq(value[e]));
  }
  for (int e = 0; e < suspects; e++)
    if (zero[e] && fabsq(value[e]) <= NOISE * size[e]) a[place[e]] = 0;
  ritti_quad_plan_free(N.plan);
  return RITT_OK;
}

/* The top rows with their noise dropped, and their entries in the tops as compressed rows. */
typedef struct top {
  ritti_rows_system S;
  ritti_pattern pattern;
  double *a;
} top;

/* RITT_UNDECIDED: no value at this point. */
static ritt_status make_top(ritti_completion *C, const double *point, ritti_arena *arena, top *T) {
  int *variable, *start, *col, count = 0;
  ritti_expr *entry;
  int rows = C->top_rows, before = C->rows;
  RITT_TRY(ritti_all_rows(C, true, &T->S));
  ritti_rows_evaluate(C, &T->S, point);
  if (!ritti_rows_finite(&T->S, before, rows)) return RITT_UNDECIDED;
  RITTI_NEW(variable, arena, C->jets + 1);
  RITTI_NEW(entry, arena, T->S.start[T->S.rows] + 1);
  RITTI_NEW(start, arena, rows + 1);
  RITTI_NEW(col, arena, T->S.start[T->S.rows] + 1);
  RITTI_NEW(T->a, arena, T->S.start[T->S.rows] + 1);
  for (int i = 0; i < C->jets; i++) variable[i] = -1;
  for (int j = 0; j < C->n; j++) variable[C->first[j] + C->d[j]] = j;
  for (int i = 0; i < rows; i++) {
    for (int e = T->S.start[before + i]; e < T->S.start[before + i + 1]; e++) {
      if (variable[T->S.col[e]] < 0) continue;
      col[count] = variable[T->S.col[e]];
      entry[count] = T->S.root[T->S.rows + e];
      T->a[count++] = T->S.value[T->S.rows + e];
    }
    start[i + 1] = count;
  }
  T->pattern = (ritti_pattern){.rows = rows, .cols = C->n, .start = start, .col = col};
  return drop_noise(C, entry, count, point, arena, T->a);
}

ritt_status ritti_top_matrix(ritti_completion *C, const double *point, double *A) {
  top T = {0};
  ritti_arena *arena = ritti_arena_new();
  ritt_status status = arena ? make_top(C, point, arena, &T) : RITT_NO_MEMORY;
  if (status == RITT_OK) ritti_csr_to_dense(&T.pattern, T.a, A);
  ritti_arena_free(arena);
  return status;
}

/* log2 |det A| by complete pivoting in quadruple precision, each entry changed by some units of its
 * last place; -infinity: it is 0. a: room. */
static double log_of_changed(int n, const double *A, unsigned seed, ritti_quad *a) {
  double sum = 0;
  for (int i = 0; i < n * n; i++) {
    seed = seed * 1103515245u + 12345u;
    double change = (double)(seed >> 16) / 65536 - 0.5;
    a[i] = (ritti_quad)A[i] * (1 + 1e-14 * change);
  }
  for (int k = 0; k < n; k++) {
    int row = k, col = k;
    double most = 0;
    for (int i = k; i < n; i++)
      for (int j = k; j < n; j++)
        if (fabs((double)a[i * n + j]) > most) {
          most = fabs((double)a[i * n + j]);
          row = i;
          col = j;
        }
    if (!(most > 0 && most < INFINITY)) return -INFINITY;
    sum += log2(most);
    for (int j = 0; j < n; j++) {
      ritti_quad x = a[row * n + j];
      a[row * n + j] = a[k * n + j];
      a[k * n + j] = x;
    }
    for (int i = 0; i < n; i++) {
      ritti_quad x = a[i * n + col];
      a[i * n + col] = a[i * n + k];
      a[i * n + k] = x;
    }
    for (int i = k + 1; i < n; i++) {
      ritti_quad factor = a[i * n + k] / a[k * n + k];
      for (int j = k; factor != 0 && j < n; j++) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return sum;
}

/* Is the determinant the same within a factor 1.4 after small relative changes of the entries? */
static ritt_status has_stable_determinant(int n, const double *A, ritti_arena *arena, bool *yes) {
  enum { TRIES = 4 };
  ritti_quad *a;
  RITTI_NEW(a, arena, n * n + 1);
  double least = INFINITY, most = -INFINITY;
  for (unsigned i = 1; i <= TRIES; i++) {
    double size = log_of_changed(n, A, i, a);
    least = fmin(least, size);
    most = fmax(most, size);
  }
  *yes = least > -INFINITY && most - least < 0.5;
  return RITT_OK;
}

/* By the ratio of its singular values after scaling. */
static ritt_status dense_rank(ritti_completion *C, const double *point, ritti_arena *arena,
                              double *condition, bool *stable) {
  enum { MOST = 64 };
  double *A, *row, *column, *sigma, *scratch;
  int n = C->n, rows = C->top_rows;
  if (rows == 0) { /* nothing is left to solve for */
    *condition = 1;
    return RITT_OK;
  }
  RITTI_NEW(A, arena, rows * n + 1);
  RITTI_NEW(row, arena, rows + 1);
  RITTI_NEW(column, arena, n + 1);
  RITTI_NEW(sigma, arena, rows + n + 1);
  RITTI_NEW(scratch, arena, ritti_singular_values_scratch(rows, n) + 1);
  RITT_TRY(ritti_top_matrix(C, point, A));
  ritti_equilibrate(rows, n, A, row, column);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < n; j++) A[i * n + j] *= row[i] * column[j];
  if (!ritti_singular_values(rows, n, A, sigma, NULL, scratch)) return RITT_OK;
  if (sigma[rows - 1] > 0) *condition = sigma[0] / sigma[rows - 1];
  if (!C->implicit || rows != n || n > MOST || *condition < MOST_CONDITION) return RITT_OK;

  /* the singular values overwrote A */
  RITT_TRY(ritti_top_matrix(C, point, A));
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < n; j++) A[i * n + j] *= row[i] * column[j];
  return has_stable_determinant(n, A, arena, stable);
}

/* By sparse factors. */
static ritt_status sparse_rank(ritti_completion *C, const double *point, ritti_arena *arena,
                               double *condition) {
  top T = {0};
  ritti_linear L;
  int n = C->n;
  double *row, *column, *sum, norm = 0;
  RITTI_NEW(row, arena, n + 1);
  RITTI_NEW(column, arena, n + 1);
  RITTI_NEW(sum, arena, n + 1);
  RITT_TRY(make_top(C, point, arena, &T));
  ritti_csr_equilibrate(&T.pattern, T.a, row, column, sum);
  memset(sum, 0, (size_t)n * sizeof *sum);
  for (int i = 0; i < n; i++)
    for (int e = T.pattern.start[i]; e < T.pattern.start[i + 1]; e++) {
      T.a[e] *= row[i] * column[T.pattern.col[e]];
      sum[T.pattern.col[e]] += fabs(T.a[e]);
    }
  for (int j = 0; j < n; j++) norm = fmax(norm, sum[j]);
  RITT_TRY(ritti_linear_init(&L, RITTI_GENERAL, &T.pattern, 0, RITTI_ALGEBRA_AUTO, arena));
  if (ritti_linear_factor(&L, T.a, NULL)) *condition = norm * ritti_linear_inverse_norm(&L);
  return RITT_OK;
}

ritt_status ritti_full_rank(ritti_completion *C, const double *point, bool *full,
                            double *condition) {
  bool large = C->top_rows == C->n && C->n > LARGE, stable = false;
  *full = false;
  *condition = INFINITY;
  ritti_arena *arena = ritti_arena_new();
  if (!arena) return RITT_NO_MEMORY;
  ritt_status status = large ? sparse_rank(C, point, arena, condition)
                             : dense_rank(C, point, arena, condition, &stable);
  ritti_arena_free(arena);
  if (status == RITT_UNDECIDED) return RITT_OK;
  *full = *condition < MOST_CONDITION || stable;
  return status;
}
