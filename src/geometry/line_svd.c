/* The null vector by singular values: the last right singular vector (section 6.1 of the jet paper,
 * section 5.1 of the enhanced linear algebra paper). The most costly variant, and the measure of
 * the others. */
#include "geometry/direction_impl.h"

typedef struct own {
  ritt_real *copy, *sigma, *v, *scratch;
} own;

ritt_status ritti_line_svd_init(ritti_direction *D, ritti_arena *arena) {
  int rows = D->rows, cols = D->problem->tops + 1;
  own *O;
  RITTI_NEW(O, arena, 1);
  RITTI_NEW(O->copy, arena, (size_t)rows * (size_t)cols + 1);
  RITTI_NEW(O->sigma, arena, rows + cols);
  RITTI_NEW(O->v, arena, (size_t)cols * (size_t)cols);
  RITTI_NEW(O->scratch, arena, ritti_singular_values_scratch(rows, cols) + 1);
  D->own = O;
  return RITT_OK;
}

bool ritti_line_svd(ritti_direction *D) {
  int rows = D->rows, n = D->problem->tops;
  own *O = D->own;
  memcpy(O->copy, D->matrix, (size_t)rows * (size_t)(n + 1) * sizeof *O->copy);
  if (!ritti_singular_values(rows, n + 1, O->copy, O->sigma, O->v, O->scratch)) return false;
  for (int k = 0; k < 3; k++) {
    int at = k == 0 ? 0 : n + k - 2;
    D->sigma[k] = at < rows ? O->sigma[at] : 0;
  }
  if (!ritti_line_is_clear(D)) return false;
  memcpy(D->null_vector, O->v + (size_t)n * (size_t)(n + 1), (size_t)(n + 1) * sizeof *O->v);
  return true;
}
