/* The rows of a completed system with their derivatives: those of the manifold, those that determine
 * the tops, and outputs. */
#include "derive/derive.h"

/* Row i of those for the tops. */
static ritti_expr top_row(const ritti_reduced *R, int i, ritti_expr *terms) {
  ritti_dag *dag = R->model->dag;
  const ritti_pattern *A = &R->A.pattern;
  size_t count = 0;
  if (R->kind == RITT_EXPLICIT) return ritti_subtract(dag, R->formula[i], R->top[i]);
  if (R->kind == RITT_IMPLICIT) return R->b[i];
  for (int e = A->start[i]; e < A->start[i + 1]; e++)
    terms[count++] = ritti_multiply(dag, R->A.entry[e], R->top[A->col[e]]);
  terms[count++] = R->b[i];
  return ritti_sum(dag, terms, count);
}

ritt_status ritti_linear_rows_new(const ritti_reduced *R, const ritti_expr *output, int outputs,
                                  const int *input, int inputs, ritti_arena *arena,
                                  ritti_linear_rows **out) {
  int tops = R->kind == RITT_EXPLICIT ? R->tops : R->top_rows, count = 0;
  ritti_linear_rows *rows;
  ritti_expr *row, *terms;
  RITTI_NEW(rows, arena, 1);
  RITTI_NEW(row, arena, R->k + tops + outputs + 1);
  RITTI_NEW(terms, arena, R->tops + 1);
  *rows = (ritti_linear_rows){
      .reduced = R, .tops = tops, .outputs = outputs, .inputs = inputs, .input = input};
  RITTI_NEW(rows->z, arena, R->m);
  RITTI_NEW(rows->top, arena, R->tops + 1);

  /* every motion keeps its invariants, whatever their values: they do not restrict the states */
  for (int i = 0; i < R->k; i++)
    if (R->origin[i].invariant < 0) row[count++] = R->f[i];
  rows->manifold = count;
  for (int i = 0; i < tops; i++) row[count++] = top_row(R, i, terms);
  for (int i = 0; i < outputs; i++) row[count++] = output[i];

  RITT_TRY(ritti_dag_status(R->model->dag));
  RITT_TRY(ritti_jacobian_new(R, row, count, input, inputs, arena, &rows->jacobian));
  *out = rows;
  return RITT_OK;
}

/* One step of Newton's method for the tops. *size: its largest entry against the tops. */
static ritt_status correct_tops(ritti_linear_rows *rows, ritti_arena *arena, double *size) {
  const ritti_reduced *R = rows->reduced;
  const ritti_jacobian *J = rows->jacobian;
  int tops = R->tops, *pivot;
  double *matrix, *right, *step, *scratch, most = 0, largest = 0;
  RITTI_NEW(matrix, arena, rows->tops * tops + 1);
  RITTI_NEW(right, arena, rows->tops + 1);
  RITTI_NEW(step, arena, tops + 1);
  RITTI_NEW(scratch, arena, ritti_least_norm_scratch(rows->tops, tops));
  RITTI_NEW(pivot, arena, rows->tops + tops + 1);
  for (int i = 0; i < rows->tops; i++) {
    const double *from = J->matrix + (size_t)(rows->manifold + i) * (size_t)J->columns;
    for (int j = 0; j < tops; j++) matrix[i * tops + j] = from[R->m + j];
    right[i] = -J->value[rows->manifold + i];
  }
  int rank = ritti_least_norm(rows->tops, tops, matrix, right, 1e-13, step, scratch, pivot);
  if (rank < 0) return RITT_RETRY;
  for (int j = 0; j < tops; j++) {
    rows->top[j] += step[j];
    most = fmax(most, fabs(step[j]));
    largest = fmax(largest, fabs(rows->top[j]));
  }
  *size = most / (1 + largest);
  return RITT_OK;
}

ritt_status ritti_linear_rows_at(ritti_linear_rows *rows, const double *z, const double *top,
                                 ritti_arena *arena) {
  enum { MOST = 50 };
  double size = rows->reduced->tops > 0 ? INFINITY : 0;
  memmove(rows->z, z, (size_t)rows->reduced->m * sizeof *z);
  if (rows->reduced->tops > 0) memmove(rows->top, top, (size_t)rows->reduced->tops * sizeof *top);
  RITT_TRY(ritti_jacobian_at(rows->jacobian, rows->z, rows->top));
  for (int i = 0; i < MOST && size > 1e-14; i++) {
    RITT_TRY(correct_tops(rows, arena, &size));
    RITT_TRY(ritti_jacobian_at(rows->jacobian, rows->z, rows->top));
  }
  return size < 1e-8 ? RITT_OK : RITT_RETRY;
}

double ritti_velocity(const ritti_linear_rows *rows, int coordinate) {
  if (coordinate == 0) return 1;
  int next = rows->reduced->next[coordinate];
  return next >= 0 ? rows->z[next] : rows->top[-1 - next];
}
