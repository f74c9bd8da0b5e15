/* Newton with least moves: from a guess to a point that satisfies some rows.
 *
 * In: rows F(p) = 0 (any number, redundant ones too) and how free each jet is. Out: the nearest point found.
 * Each step is the least-norm least-squares solution in the scaled variables (move / freedom), rank-revealing
 * so that dependent rows do no harm, damped until the scaled residual falls. After convergence one more full
 * step brings it to round-off.
 */
#include "complete/complete_impl.h"

enum { MOST_STEPS = 100, MOST_HALVINGS = 30 };

typedef struct newton {
  ritti_completion *C;
  ritti_rows_system *S;
  const double *freedom;
  const bool *loose;
  int rows, cols;    /* rows, and the jets that may move */
  int *jet, *column; /* of each column; of each jet, where it may move */
  double *J, *F, *step, *scratch, *trial, *guess, *weight;
  int *iscratch;
} newton;

static ritt_status prepare(newton *N, ritti_completion *C, ritti_rows_system *S, const double *freedom,
                           const bool *loose) {
  *N = (newton){.C = C, .S = S, .freedom = freedom, .loose = loose, .rows = S->rows};
  RITTI_NEW(N->jet, C->arena, S->cols + 1);
  RITTI_NEW(N->column, C->arena, S->cols + 1);
  for (int j = 0; j < S->cols; j++)
    if (freedom[j] > 0) N->column[j] = N->cols, N->jet[N->cols++] = j;
  size_t size = (size_t)(N->rows + 1) * (size_t)(N->cols + 1);
  RITTI_NEW(N->J, C->arena, size);
  RITTI_NEW(N->F, C->arena, N->rows + 1);
  RITTI_NEW(N->weight, C->arena, N->rows + 1);
  RITTI_NEW(N->step, C->arena, N->cols + 1);
  RITTI_NEW(N->scratch, C->arena, ritti_least_norm_scratch(N->rows, N->cols) + 1);
  RITTI_NEW(N->iscratch, C->arena, N->rows + N->cols + 1);
  RITTI_NEW(N->trial, C->arena, S->cols + 1);
  RITTI_NEW(N->guess, C->arena, S->cols + 1);
  return RITT_OK;
}

/* How large the terms of row i are: sum |dF/dp_j| max(|p_j|, 1); its rounding error is eps times this. */
static double row_size(const ritti_rows_system *S, int i, const double *point) {
  const double *entry = S->value + S->rows;
  double size = 0;
  for (int e = S->start[i]; e < S->start[i + 1]; e++)
    size += fabs(entry[e]) * fmax(fabs(point[S->col[e]]), 1);
  return size;
}

/* Row weights that make every row a distance: 1 / |row of J in scaled variables|, over all jets so that a row
 * whose jets are all kept still counts. */
static void set_weights(newton *N) {
  const ritti_rows_system *S = N->S;
  const double *entry = S->value + S->rows;
  for (int i = 0; i < N->rows; i++) {
    double square = 0;
    for (int e = S->start[i]; e < S->start[i + 1]; e++) {
      double f = N->freedom[S->col[e]], a = entry[e] * (f > 0 ? f : 1);
      square += a * a;
    }
    N->weight[i] = square > 0 ? 1 / sqrt(square) : 1;
  }
}

static double merit(const newton *N) {
  double sum = 0;
  for (int i = 0; i < N->rows; i++) sum += pow(N->S->value[i] * N->weight[i], 2);
  return sum;
}

/* The least-norm step at `point` towards F = 0 and, of all such, back towards the guess: the Gauss-Newton
 * iteration p <- guess - D J^T mu whose fixed points are orthogonal. Loose jets are not drawn back: their
 * guess follows them. */
static void find_step(newton *N, const double *point) {
  const ritti_rows_system *S = N->S;
  const double *entry = S->value + S->rows;
  memset(N->J, 0, (size_t)N->rows * (size_t)N->cols * sizeof *N->J);
  for (int c = 0; N->loose && c < N->cols; c++)
    if (N->loose[N->jet[c]]) N->guess[N->jet[c]] = point[N->jet[c]];
  for (int i = 0; i < N->rows; i++) {
    double right = -S->value[i];
    for (int e = S->start[i]; e < S->start[i + 1]; e++) {
      int j = S->col[e];
      if (!(N->freedom[j] > 0)) continue;
      N->J[i * N->cols + N->column[j]] = N->weight[i] * entry[e] * N->freedom[j];
      right -= entry[e] * (N->guess[j] - point[j]);
    }
    N->F[i] = N->weight[i] * right;
  }
  if (N->cols) ritti_least_norm(N->rows, N->cols, N->J, N->F, 1e-11, N->step, N->scratch, N->iscratch);
  for (int c = 0; c < N->cols; c++) {
    int j = N->jet[c];
    N->step[c] = N->guess[j] + N->freedom[j] * N->step[c] - point[j];
  }
}

static bool at_round_off(const newton *N, const double *point, double tolerance) {
  for (int i = 0; i < N->rows; i++)
    if (!(fabs(N->S->value[i]) <= tolerance * row_size(N->S, i, point))) return false;
  return true;
}

static void shift(const newton *N, const double *point, double fraction, double *out) {
  memcpy(out, point, (size_t)N->S->cols * sizeof *out);
  for (int c = 0; c < N->cols; c++) out[N->jet[c]] += fraction * N->step[c];
}

/* Goes along the step as far as the merit falls; false: nowhere. The rows are evaluated at the new point. */
static bool advance(newton *N, double *point) {
  double before = merit(N), fraction = 1;
  for (int i = 0; i < MOST_HALVINGS; i++, fraction /= 2) {
    shift(N, point, fraction, N->trial);
    if (!ritti_rows_evaluate(N->C, N->S, N->trial)) continue;
    if (merit(N) <= before * (1 - fraction / 4)) {
      memcpy(point, N->trial, (size_t)N->S->cols * sizeof *point);
      return true;
    }
  }
  ritti_rows_evaluate(N->C, N->S, point);
  return false;
}

ritt_status ritti_newton(ritti_completion *C, ritti_rows_system *S, const double *freedom, const bool *loose,
                         double *point, bool *reached) {
  newton N;
  *reached = false;
  RITT_TRY(prepare(&N, C, S, freedom, loose));
  memcpy(N.guess, point, (size_t)S->cols * sizeof *point);
  if (!ritti_rows_evaluate(C, S, point)) return RITT_OK;
  for (int k = 0; k < MOST_STEPS && !at_round_off(&N, point, 1e-12); k++) {
    set_weights(&N);
    find_step(&N, point);
    if (!advance(&N, point)) break;
  }
  if (!at_round_off(&N, point, 1e-11)) return RITT_OK;

  /* to the orthogonal point and to round-off: full steps while they get shorter */
  *reached = true;
  double last = INFINITY;
  for (int k = 0; k < 30; k++) {
    double length = 0;
    set_weights(&N);
    find_step(&N, point);
    for (int c = 0; c < N.cols; c++) length = fmax(length, fabs(N.step[c]));
    if (!(length < last)) break;
    last = length;
    shift(&N, point, 1, N.trial);
    if (!ritti_rows_evaluate(C, S, N.trial) || !at_round_off(&N, N.trial, 1e-11)) break;
    memcpy(point, N.trial, (size_t)S->cols * sizeof *point);
    if (length == 0) break;
  }
  ritti_rows_evaluate(C, S, point);
  return RITT_OK;
}
