/* The linearisation of a completed system on its manifold.
 *
 * Near a point z of M some coordinates, the states, parametrise M: the rows of M determine changes of
 * the others. So dz = P ds with f_z P = 0, and the rows for the tops w give dw = W dz with T_w W =
 * -T_z. The direction V, whose entries are coordinates or tops, then changes by J dz, and those of
 * its entries that belong to states give A = (J P) restricted to the states. There is one eigenvalue
 * for each free initial value, and no other. */
#include "derive/derive.h"

/* A dense matrix in an arena, row by row. */
typedef struct dense {
  int rows, columns;
  double *at;
} dense;

static ritt_status make_dense(ritti_arena *arena, int rows, int columns, dense *out) {
  *out = (dense){rows, columns, NULL};
  RITTI_NEW(out->at, arena, (size_t)rows * (size_t)columns + 1);
  return RITT_OK;
}

static double *row_of(const dense *m, int i) { return m->at + (size_t)i * (size_t)m->columns; }

/* A part of the matrix of derivatives. */
static ritt_status take_part(const ritti_linear_rows *rows, int first_row, int count,
                             int first_column, int columns, ritti_arena *arena, dense *out) {
  const ritti_jacobian *J = rows->jacobian;
  RITT_TRY(make_dense(arena, count, columns, out));
  for (int i = 0; i < count; i++)
    memcpy(row_of(out, i),
           J->matrix + (size_t)(first_row + i) * (size_t)J->columns + (size_t)first_column,
           (size_t)columns * sizeof *out->at);
  return RITT_OK;
}

static ritt_status multiply_matrices(const dense *a, const dense *b, ritti_arena *arena,
                                     dense *out) {
  RITT_TRY(make_dense(arena, a->rows, b->columns, out));
  for (int i = 0; i < a->rows; i++)
    for (int k = 0; k < a->columns; k++) {
      double factor = row_of(a, i)[k];
      if (factor == 0) continue;
      for (int j = 0; j < b->columns; j++) row_of(out, i)[j] += factor * row_of(b, k)[j];
    }
  return RITT_OK;
}

/* The derivatives of the tops by the coordinates and inputs: T_w W = -(T_z T_u). */
static ritt_status solve_tops(const ritti_linear_rows *rows, ritti_arena *arena, ritt_error *error,
                              dense *out) {
  const ritti_reduced *R = rows->reduced;
  int columns = R->m + rows->inputs, tops = R->tops, *pivot;
  dense Tw, Tz, Tu;
  double *right, *solution, *scratch;
  RITT_TRY(make_dense(arena, tops, columns, out));
  if (tops == 0) return RITT_OK;
  RITT_TRY(take_part(rows, rows->manifold, rows->tops, R->m, tops, arena, &Tw));
  RITT_TRY(take_part(rows, rows->manifold, rows->tops, 0, R->m, arena, &Tz));
  RITT_TRY(take_part(rows, rows->manifold, rows->tops, R->m + tops, rows->inputs, arena, &Tu));
  RITTI_NEW(right, arena, rows->tops + 1);
  RITTI_NEW(solution, arena, tops);
  RITTI_NEW(scratch, arena, ritti_least_norm_scratch(rows->tops, tops));
  RITTI_NEW(pivot, arena, rows->tops + tops + 1);
  for (int j = 0; j < columns; j++) {
    for (int i = 0; i < rows->tops; i++)
      right[i] = j < R->m ? -row_of(&Tz, i)[j] : -row_of(&Tu, i)[j - R->m];
    int rank = ritti_least_norm(rows->tops, tops, Tw.at, right, 1e-13, solution, scratch, pivot);
    bool singular = rank < tops && rank < rows->tops;
    if (singular)
      return ritti_fail(error, RITT_IMPOSSIBLE, NULL,
                        "linearise at another point, with --at or other start values",
                        "the highest derivatives are not determined at this point");
    for (int i = 0; i < tops; i++) row_of(out, i)[j] = solution[i];
  }
  return RITT_OK;
}

/* The derivatives of V by the coordinates and inputs. */
static ritt_status make_direction(const ritti_linear_rows *rows, const dense *W, ritti_arena *arena,
                                  dense *out) {
  const ritti_reduced *R = rows->reduced;
  RITT_TRY(make_dense(arena, R->m, W->columns, out));
  for (int i = 1; i < R->m; i++) {
    if (R->next[i] >= 0) row_of(out, i)[R->next[i]] = 1;
    else memcpy(row_of(out, i), row_of(W, -1 - R->next[i]), (size_t)W->columns * sizeof *out->at);
  }
  return RITT_OK;
}

/* The rows of M while they are eliminated. */
typedef struct elimination {
  dense F;
  int done;        /* rows that have a pivot: the first ones */
  int *column;     /* of each pivot */
  bool *dependent; /* of each coordinate: it has a pivot */
} elimination;

/* The largest entry of a row without a pivot in a coordinate that is a derivative of this order; any
 * order: -1. */
static double find_pivot(const elimination *E, const ritti_reduced *R, int order, int *row,
                         int *column) {
  const ritti_dag *dag = R->model->dag;
  double most = 0;
  for (int j = 1; j < R->m; j++) {
    if (E->dependent[j] || (order >= 0 && ritti_order_of(dag, R->coordinate[j]) != order)) continue;
    for (int i = E->done; i < E->F.rows; i++)
      if (fabs(row_of(&E->F, i)[j]) > most) {
        most = fabs(row_of(&E->F, i)[j]);
        *row = i;
        *column = j;
      }
  }
  return most;
}

/* Makes column j of all other rows 0. */
static void eliminate_column(elimination *E, int row, int j) {
  dense *F = &E->F;
  int step = E->done++;
  E->column[step] = j;
  E->dependent[j] = true;
  for (int c = 0; c < F->columns; c++) {
    double here = row_of(F, row)[c];
    row_of(F, row)[c] = row_of(F, step)[c];
    row_of(F, step)[c] = here;
  }
  double pivot = row_of(F, step)[j];
  for (int c = 0; c < F->columns; c++) row_of(F, step)[c] /= pivot;
  for (int i = 0; i < F->rows; i++) {
    double factor = row_of(F, i)[j];
    if (i == step || factor == 0) continue;
    for (int c = 0; c < F->columns; c++) row_of(F, i)[c] -= factor * row_of(F, step)[c];
    row_of(F, i)[j] = 0;
  }
}

/* Eliminates with the largest pivots, those of the highest derivatives first, so that a position and
 * its velocity tend to be states together. The coordinates without a pivot are the states; *P gives
 * the changes of all coordinates by those of the states. */
static ritt_status find_states(const ritti_linear_rows *rows, ritti_arena *arena, ritt_error *error,
                               int **state, dense *P) {
  const double usable = 1e-2, independent = 1e-11;
  const ritti_reduced *R = rows->reduced;
  elimination E = {0};
  int k = rows->manifold, m = R->m, states = m - 1 - k, highest = 0, i = 0, j = 0;
  RITT_TRY(take_part(rows, 0, k, 0, m, arena, &E.F));
  RITTI_NEW(E.column, arena, k + 1);
  RITTI_NEW(E.dependent, arena, m);
  for (int c = 1; c < m; c++) {
    int order = ritti_order_of(R->model->dag, R->coordinate[c]);
    if (order > highest) highest = order;
  }

  /* rows of length 1 */
  for (int r = 0; r < k; r++) {
    row_of(&E.F, r)[0] = 0;
    double size = ritti_norm(m, row_of(&E.F, r));
    for (int c = 0; c < m && size > 0; c++) row_of(&E.F, r)[c] /= size;
  }

  for (int order = highest; order >= -1; order--) {
    double least = order >= 0 ? usable : independent;
    while (E.done < k && find_pivot(&E, R, order, &i, &j) > least) eliminate_column(&E, i, j);
  }
  if (E.done < k)
    return ritti_fail(error, RITT_IMPOSSIBLE, NULL,
                      "linearise at another point, with --at or other start values",
                      "the constraints are dependent at this point: it has no tangent space");

  RITTI_NEW(*state, arena, states + 1);
  RITT_TRY(make_dense(arena, m, states, P));
  int at = 0;
  for (int c = 1; c < m; c++) {
    if (E.dependent[c]) continue;
    (*state)[at] = c;
    row_of(P, c)[at] = 1;
    for (int r = 0; r < k; r++) row_of(P, E.column[r])[at] = -row_of(&E.F, r)[c];
    at++;
  }
  return RITT_OK;
}

/* An input in the constraints acts by its derivatives too, which B cannot express. */
static ritt_status check_inputs(const ritti_linear_rows *rows, ritti_arena *arena,
                                ritt_error *error) {
  dense Fu;
  RITT_TRY(take_part(rows, 0, rows->manifold, rows->reduced->m + rows->reduced->tops, rows->inputs,
                     arena, &Fu));
  for (int i = 0; i < Fu.rows * Fu.columns; i++)
    if (Fu.at[i] != 0)
      return ritti_fail(error, RITT_IMPOSSIBLE, NULL,
                        "let the input act by a filter, such as tau*v' = u - v",
                        "the parameter '%s' stands in a constraint, so that its derivatives act "
                        "on the states too",
                        rows->reduced->model->parameter[rows->input[i % Fu.columns]].name);
  return RITT_OK;
}

ritt_status ritti_linearize(const ritti_linear_rows *rows, ritti_arena *arena, ritt_error *error,
                            ritti_linear_system *out) {
  const ritti_reduced *R = rows->reduced;
  int outputs_at = rows->manifold + rows->tops, m = R->m;
  dense W, V, P = {0}, inputs, wide, Oz, Ow, direct, C;
  *out = (ritti_linear_system){
      .states = m - 1 - rows->manifold, .inputs = rows->inputs, .outputs = rows->outputs};
  RITT_TRY(check_inputs(rows, arena, error));
  RITT_TRY(find_states(rows, arena, error, &out->state, &P));
  RITT_TRY(solve_tops(rows, arena, error, &W));
  RITT_TRY(make_direction(rows, &W, arena, &V));

  /* the changes of coordinates and inputs by those of states and inputs */
  int n = out->states, u = out->inputs;
  RITT_TRY(make_dense(arena, m + u, n + u, &inputs));
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) row_of(&inputs, i)[j] = row_of(&P, i)[j];
  for (int i = 0; i < u; i++) row_of(&inputs, m + i)[n + i] = 1;

  /* A and B */
  RITT_TRY(multiply_matrices(&V, &inputs, arena, &wide));
  RITTI_NEW(out->A, arena, n * n + 1);
  RITTI_NEW(out->B, arena, n * u + 1);
  for (int i = 0; i < n; i++) {
    const double *from = row_of(&wide, out->state[i]);
    memcpy(out->A + i * n, from, (size_t)n * sizeof *from);
    memcpy(out->B + i * u, from + n, (size_t)u * sizeof *from);
  }

  /* C and D */
  RITT_TRY(take_part(rows, outputs_at, rows->outputs, m, R->tops, arena, &Ow));
  RITT_TRY(take_part(rows, outputs_at, rows->outputs, m + R->tops, u, arena, &direct));
  RITT_TRY(multiply_matrices(&Ow, &W, arena, &Oz));
  for (int i = 0; i < rows->outputs; i++) {
    const double *z =
        rows->jacobian->matrix + (size_t)(outputs_at + i) * (size_t)rows->jacobian->columns;
    for (int j = 0; j < m; j++) row_of(&Oz, i)[j] += z[j];
    for (int j = 0; j < u; j++) row_of(&Oz, i)[m + j] += row_of(&direct, i)[j];
  }
  RITT_TRY(multiply_matrices(&Oz, &inputs, arena, &C));
  RITTI_NEW(out->C, arena, rows->outputs * n + 1);
  RITTI_NEW(out->D, arena, rows->outputs * u + 1);
  for (int i = 0; i < rows->outputs; i++) {
    memcpy(out->C + i * n, row_of(&C, i), (size_t)n * sizeof *C.at);
    memcpy(out->D + i * u, row_of(&C, i) + n, (size_t)u * sizeof *C.at);
  }

  RITTI_NEW_ARRAYS(arena, n + 1, out->real, out->imaginary);
  RITTI_NEW_ARRAYS(arena, n * n + 1, out->mode_real, out->mode_imaginary);
  ritt_status status =
      ritti_eigen(n, out->A, arena, out->real, out->imaginary, out->mode_real, out->mode_imaginary);
  if (status == RITT_STOPPED)
    return ritti_fail(error, status, NULL, NULL, "the eigenvalues could not be computed");
  return status;
}
