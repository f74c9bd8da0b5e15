/* Differentiation index and hidden constraints, by ranks of the derivative array at the start point.
 *
 * z = the jets of each variable below its highest order in the equations (order 0 where it is never
 * differentiated). (Variables that are not unique are no part of z.) index: fewest differentiations K of all
 * equations after which z' is a function of z: every null vector of the Jacobian of the array in the jets
 * above z vanishes in z'. hidden constraints: dim { z allowed by the equations as written } minus the degrees
 * of freedom. Neither is needed to solve anything; where a rank is not clear they stay unknown.
 */
#include "complete/complete_impl.h"

enum { MOST_COLUMNS = 500 };
static const double SMALL = 1e-9, GAP = 1e3;

/* Rank of a dense matrix, -1: not clear. a is overwritten. */
static ritt_status numeric_rank(ritti_arena *arena, int rows, int cols, double *a, int *rank) {
  double *r, *c, *sigma, *scratch;
  *rank = 0;
  if (rows == 0 || cols == 0) return RITT_OK;
  RITTI_NEW(r, arena, rows);
  RITTI_NEW(c, arena, cols);
  RITTI_NEW(sigma, arena, cols + rows);
  RITTI_NEW(scratch, arena, ritti_singular_values_scratch(rows, cols));
  ritti_equilibrate(rows, cols, a, r, c);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) a[i * cols + j] *= r[i] * c[j];
  if (!ritti_singular_values(rows, cols, a, sigma, NULL, scratch)) {
    *rank = -1;
    return RITT_OK;
  }
  int most = rows < cols ? rows : cols;
  while (*rank < most && sigma[*rank] > SMALL * sigma[0]) ++*rank;
  if (*rank > 0 && *rank < most && sigma[*rank] > 0 && sigma[*rank - 1] < GAP * sigma[*rank]) *rank = -1;
  return RITT_OK;
}

/* The columns of a rows system whose jets satisfy lowest_j <= order <= highest_j, as a dense matrix; *cols of
 * them. */
static ritt_status dense_part(const ritti_completion *C, const ritti_rows_system *S, const int *lowest,
                              const int *highest, double **out, int *cols) {
  int *place;
  RITTI_NEW(place, C->arena, C->jets + 1);
  *cols = 0;
  for (int j = 0; j < C->n; j++)
    for (int k = 0; k <= C->d[j]; k++)
      place[C->first[j] + k] = k >= lowest[j] && k <= highest[j] ? (*cols)++ : -1;
  RITTI_NEW(*out, C->arena, (size_t)S->rows * (size_t)*cols + 1);
  for (int i = 0; i < S->rows; i++)
    for (int e = S->start[i]; e < S->start[i + 1]; e++)
      if (place[S->col[e]] >= 0) (*out)[i * *cols + place[S->col[e]]] = S->value[S->rows + e];
  return RITT_OK;
}

ritt_status ritti_part_rank(const ritti_completion *C, const ritti_rows_system *S, const int *lowest,
                            const int *highest, int *rank) {
  double *dense;
  int cols;
  RITT_TRY(dense_part(C, S, lowest, highest, &dense, &cols));
  return numeric_rank(C->arena, S->rows, cols, dense, rank);
}

/* The same completion with every variable `more` orders further up; the values there follow from the
 * prolonged top rows, which are linear in y_j^(d_j+s) with the matrix A of the top rows themselves. */
static ritt_status extend(ritti_completion *C, int more, ritti_completion *wide) {
  double *A, *b, *next, *scratch;
  ritti_expr *row;
  int *iscratch, n = C->n, rows = C->top_rows;
  *wide = *C;
  RITTI_NEW(wide->d, C->arena, n + 1);
  RITTI_NEW(wide->first, C->arena, n + 1);
  RITTI_NEW(wide->point, C->arena, C->jets + n * more + 1);
  RITTI_NEW(A, C->arena, rows * n + 1);
  RITTI_NEW(b, C->arena, rows + 1);
  RITTI_NEW(next, C->arena, n + 1);
  RITTI_NEW(row, C->arena, rows + 1);
  RITTI_NEW(scratch, C->arena, ritti_least_norm_scratch(rows, n) + 1);
  RITTI_NEW(iscratch, C->arena, rows + n + 1);
  wide->jets = 0;
  for (int j = 0; j < n; j++) {
    wide->d[j] = C->d[j] + more;
    wide->first[j] = wide->jets;
    for (int k = 0; k <= C->d[j]; k++) wide->point[wide->first[j] + k] = C->point[C->first[j] + k];
    wide->jets += wide->d[j] + 1;
  }
  RITT_TRY(ritti_top_matrix(C, C->point, A));
  ritti_at at = {wide, wide->point};
  ritti_values values = ritti_values_at(&at);
  if (rows) memcpy(row, C->top_row, (size_t)rows * sizeof *row);
  for (int s = 1; s <= more; s++) {
    for (int i = 0; i < rows; i++) {
      row[i] = ritti_dag_total(C->dag, row[i]);
      RITT_TRY(ritti_dag_status(C->dag));
      RITT_TRY(ritti_dag_evaluate(C->dag, row[i], &values, &b[i]));
      b[i] = -b[i];
    }
    if (ritti_least_norm(rows, n, A, b, 1e-13, next, scratch, iscratch) < 0) return RITT_UNDECIDED;
    for (int j = 0; j < n; j++) wide->point[wide->first[j] + C->d[j] + s] = next[j];
  }
  return RITT_OK;
}

/* The array of all equations differentiated 0 .. K times, evaluated at the extended point. */
static ritt_status array_rows(ritti_completion *wide, int K, ritti_rows_system *S) {
  ritti_expr *rows;
  int equations = wide->model->equations;
  RITTI_NEW(rows, wide->arena, equations * (K + 1) + 1);
  for (int i = 0; i < equations; i++) {
    RITT_TRY(ritti_prolong(wide, i, K));
    for (int k = 0; k <= K; k++) rows[i * (K + 1) + k] = wide->stage[i][k];
  }
  RITT_TRY(ritti_rows_make(wide, rows, equations * (K + 1), S));
  return ritti_rows_evaluate(wide, S, wide->point) ? RITT_OK : RITT_UNDECIDED;
}

typedef struct orders {
  int *q, *above, *next, *top, *zero; /* q_j; first order above z; one more; last order in the array; 0 */
} orders;

/* Is z' a function of z after K differentiations? 1 yes, 0 no, -1 not clear. */
static ritt_status determined_by(ritti_completion *C, const orders *o, int K, int *answer) {
  ritti_completion wide;
  ritti_rows_system S = {0};
  int more = 0, with, without, wanted = 0;
  for (int j = 0; j < C->n; j++) {
    wanted += !C->non_unique[j];
    if (o->q[j] + K - C->d[j] > more) more = o->q[j] + K - C->d[j];
    if (o->above[j] - C->d[j] > more) more = o->above[j] - C->d[j];
  }
  if (K > more) more = K;
  *answer = -1;
  RITT_TRY(extend(C, more, &wide));
  for (int j = 0; j < C->n; j++) o->top[j] = wide.d[j];
  ritt_status status = array_rows(&wide, K, &S);
  if (status == RITT_OK) status = ritti_part_rank(&wide, &S, o->above, o->top, &with);
  if (status == RITT_OK) status = ritti_part_rank(&wide, &S, o->next, o->top, &without);
  ritti_rows_clear(&S);
  RITT_TRY(status);
  if (with >= 0 && without >= 0) *answer = with == wanted + without;
  return RITT_OK;
}

static ritt_status count_hidden(ritti_completion *C, const orders *o) {
  ritti_rows_system S = {0};
  ritti_expr *rows;
  int all, tops, size = 0;
  int equations = C->model->equations;
  RITTI_NEW(rows, C->arena, equations + 1);
  for (int i = 0; i < equations; i++) rows[i] = C->residual[i];
  for (int j = 0; j < C->n; j++) size += o->above[j], o->top[j] = o->q[j];
  RITT_TRY(ritti_rows_make(C, rows, equations, &S));
  ritti_rows_evaluate(C, &S, C->point);
  ritt_status status = ritti_part_rank(C, &S, o->zero, o->top, &all);
  if (status == RITT_OK) status = ritti_part_rank(C, &S, o->above, o->top, &tops);
  ritti_rows_clear(&S);
  RITT_TRY(status);
  if (all >= 0 && tops >= 0) C->check->hidden_constraints = size - (all - tops) - C->dof;
  return RITT_OK;
}

ritt_status ritti_count_index(ritti_completion *C) {
  orders o;
  int highest = 0;
  RITTI_NEW(o.q, C->arena, C->n + 1);
  RITTI_NEW(o.above, C->arena, C->n + 1);
  RITTI_NEW(o.next, C->arena, C->n + 1);
  RITTI_NEW(o.top, C->arena, C->n + 1);
  RITTI_NEW(o.zero, C->arena, C->n + 1);
  for (int e = 0; e < C->sigma.start[C->model->equations]; e++)
    if (C->sigma.order[e] > o.q[C->sigma.var[e]]) o.q[C->sigma.var[e]] = C->sigma.order[e];
  for (int j = 0; j < C->n; j++) {
    o.above[j] = C->non_unique[j] ? 0 : o.q[j] > 1 ? o.q[j] : 1;
    o.next[j] = C->non_unique[j] ? 0 : o.above[j] + 1;
    if (o.q[j] > highest) highest = o.q[j];
  }
  if (C->n * (highest + 1) > MOST_COLUMNS) return RITT_OK;
  RITT_TRY(count_hidden(C, &o));
  for (int K = 0; K <= C->prolongations + 1 && C->n * (highest + K) <= MOST_COLUMNS; K++) {
    int answer;
    ritt_status status = determined_by(C, &o, K, &answer);
    if (status == RITT_UNDECIDED || (status == RITT_OK && answer < 0)) return RITT_OK;
    RITT_TRY(status);
    if (answer) {
      C->check->index = K;
      return RITT_OK;
    }
  }
  return RITT_OK;
}
