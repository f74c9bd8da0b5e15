/* Least-norm least-squares solutions with sparse matrices: x = A^T mu, (A A^T + delta^2 I) mu = b,
 * refined.
 *
 * Where the rows of A are independent delta is 0 and one refinement brings back what the square of
 * the condition number has cost. Else delta stands in for a rank decision: directions with singular
 * values far below it hardly move, those far above it are solved for by repeating with what is left
 * of b (iterated Tikhonov regularisation: Engl, Hanke and Neubauer, Regularization of Inverse
 * Problems, section 5.1).
 */
#include "linalg/sparse_impl.h"

enum { REFINEMENTS = 4 };
/* delta where the rows depend on each other: its square is well above rounding */
static const ritt_real LEAST_DELTA = (ritt_real)1e-6;
/* tolerances from here on are meant to leave directions out */
static const ritt_real COARSE = (ritt_real)1e-7;

/* Prepares least squares of shortest length with the pattern (A | I), whose Gram matrix A A^T +
   delta^2 I has the shift as weights of the last columns. */
ritt_status ritti_least_init(ritti_least *L, const ritti_pattern *a, ritti_arena *arena) {
  int first = a->rows ? a->start[0] : 0, count = (a->rows ? a->start[a->rows] : 0) - first, *start,
      *col;
  *L = (ritti_least){.cols = a->cols};
  RITTI_NEW(start, arena, a->rows + 1);
  RITTI_NEW(col, arena, count + a->rows + 1);
  /* append a column of its own to every row */
  for (int i = 0; i < a->rows; i++) {
    int length = a->start[i + 1] - a->start[i];
    memcpy(col + start[i], a->col + a->start[i], (size_t)length * sizeof *col);
    col[start[i] + length] = a->cols + i;
    start[i + 1] = start[i] + length + 1;
  }
  L->pattern =
      (ritti_pattern){.rows = a->rows, .cols = a->cols + a->rows, .start = start, .col = col};
  RITTI_NEW(L->value, arena, count + a->rows + 1);
  RITTI_NEW_ARRAYS(arena, L->pattern.cols + 1, L->d, L->step);
  RITTI_NEW(L->mu, arena, a->rows + 1);
  for (int j = 0; j < a->cols; j++) L->d[j] = 1;
  return ritti_linear_init(&L->gram, RITTI_GRAM, &L->pattern, 0, RITTI_ALGEBRA_AUTO, arena);
}

/* Factors A A^T + delta^2 I; false if it is not positive definite. */
static bool factor_shifted(ritti_least *L, ritt_real delta) {
  for (int i = 0; i < L->pattern.rows; i++) L->d[L->cols + i] = delta * delta;
  return ritti_linear_factor(&L->gram, L->value, L->d);
}

/* The x of shortest length with A x = b in the least-squares sense; NaN if no shift helps. */
void ritti_least_solve(ritti_least *L, const ritt_real *a, const ritt_real *b, ritt_real tolerance,
                       ritt_real *x) {
  const ritti_pattern *p = &L->pattern;
  int at = 0;
  /* the entries, with a 1 in each row's own column */
  for (int i = 0; i < p->rows; i++) {
    for (int e = p->start[i]; e < p->start[i + 1] - 1; e++) L->value[e] = a[at++];
    L->value[p->start[i + 1] - 1] = 1;
  }
  for (int j = 0; j < L->cols; j++) x[j] = 0;
  /* without a shift if the rows are independent; otherwise with one, which iterations correct */
  int rounds = 2;
  bool coarse = tolerance >= COARSE;
  if (coarse || !factor_shifted(L, 0)) {
    rounds = coarse ? 1 : REFINEMENTS;
    if (!factor_shifted(L, tolerance > LEAST_DELTA ? tolerance : LEAST_DELTA)) {
      for (int j = 0; j < L->cols; j++) x[j] = NAN;
      return;
    }
  }
  for (int round = 0; round < rounds; round++) {
    /* x += A^T (A A^T + delta^2)^-1 (b - A x) */
    for (int i = 0; i < p->rows; i++) {
      ritt_real sum = b[i];
      for (int e = p->start[i]; e < p->start[i + 1] - 1; e++) sum -= L->value[e] * x[p->col[e]];
      L->mu[i] = sum;
    }
    ritti_linear_solve(&L->gram, L->mu);
    ritti_csr_times_transposed(p, L->value, L->mu, L->step);
    for (int j = 0; j < L->cols; j++) x[j] += L->step[j];
  }
}
