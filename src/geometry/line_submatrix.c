/* The null vector by a square submatrix (Algorithm 5.1 of the enhanced linear algebra paper).
 *
 * Rows are chosen once, by QR with pivoting, so that they are independent; one component of the
 * null vector is put to 1 and the others solve a square system by LU. The component is dx where
 * that is not small, as in the paper, else the largest, so that folds are passed too. The choice is
 * kept while it is sound.
 */
#include "geometry/direction_impl.h"

/* other components larger than this, in units of the fixed one, make a new choice */
static const ritt_real LARGE = 100;

typedef struct own {
  int *row, column; /* tops rows, the column of the fixed component; -1: none chosen yet */
  ritt_real *lu, *x;
  int *pivot;
} own;

ritt_status ritti_line_submatrix_init(ritti_direction *D, ritti_arena *arena) {
  int n = D->problem->tops;
  own *O;
  RITTI_NEW(O, arena, 1);
  RITTI_NEW_ARRAYS(arena, n + 1, O->row, O->x, O->pivot);
  RITTI_NEW(O->lu, arena, (size_t)n * (size_t)n + 1);
  O->column = -1;
  D->own = O;
  return RITT_OK;
}

static bool choose_column(ritti_direction *D, own *O) {
  int n = D->problem->tops, best = 0;
  if (!ritti_line_qr(D)) return false;
  for (int i = 0; i < n; i++) O->row[i] = D->null.column[i];
  for (int j = 1; j <= n; j++)
    if (RITTI_MATH(fabs)(D->null_vector[j]) > RITTI_MATH(fabs)(D->null_vector[best])) best = j;
  bool steep = LARGE * RITTI_MATH(fabs)(D->null_vector[0]) <
               (ritt_real)10 * RITTI_MATH(fabs)(D->null_vector[best]);
  O->column = steep ? best : 0;
  return true;
}

/* false: the choice is not sound here */
static bool solve_submatrix(ritti_direction *D, own *O) {
  int n = D->problem->tops, c = O->column;
  ritt_real ratio, most = 0;
  for (int i = 0; i < n; i++) {
    const ritt_real *row = D->matrix + (size_t)O->row[i] * (size_t)(n + 1);
    O->x[i] = -row[c];
    for (int j = 0; j < n; j++) O->lu[(size_t)i * (size_t)n + (size_t)j] = row[j < c ? j : j + 1];
  }
  if (!ritti_lu_factor(n, O->lu, O->pivot, &ratio) || !(ratio > (ritt_real)1e-12)) return false;
  ritti_lu_solve(n, O->lu, O->pivot, O->x);
  for (int j = 0; j < n; j++) most = RITTI_MATH(fmax)(most, RITTI_MATH(fabs)(O->x[j]));
  if (!(most <= LARGE)) return false;
  for (int j = 0; j <= n; j++) D->null_vector[j] = j == c ? 1 : O->x[j < c ? j : j - 1];
  ritt_real length = ritti_norm(n + 1, D->null_vector);
  for (int j = 0; j <= n; j++) D->null_vector[j] /= length;
  return true;
}

bool ritti_line_submatrix(ritti_direction *D) {
  own *O = D->own;
  D->sigma[0] = D->sigma[1] = D->sigma[2] = NAN;
  if (O->column >= 0 && solve_submatrix(D, O)) return true;
  return choose_column(D, O) && (solve_submatrix(D, O) || ritti_line_qr(D));
}

void ritti_line_submatrix_state(ritti_direction *D, ritti_state *state) {
  own *O = D->own;
  ritti_state_ints(state, "submatrix.row", O->row, (size_t)D->problem->tops, 0, D->rows - 1);
  ritti_state_ints(state, "submatrix.column", &O->column, 1, -1, D->problem->tops);
}
