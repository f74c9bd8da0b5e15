/* The null vector by QR with column pivoting: matrix^T P = Q R, the last column of Q.
 *
 * The diagonal of R estimates the singular values. This is also the default over arc length.
 */
#include "geometry/direction_impl.h"

bool ritti_line_qr(ritti_direction *D) {
  int n = D->problem->tops, rows = D->rows;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j <= n; j++) D->null.a[j * rows + i] = D->matrix[i * (n + 1) + j];
  ritti_qr_factor(&D->null, 0, D->null_scratch);
  if (D->null.rank < 0) return false;
  for (int k = 0; k < 3; k++) {
    int at = k == 0 ? 0 : n + k - 2;
    D->sigma[k] = at < rows ? RITTI_MATH(fabs)(D->null.a[at * (rows + 1)]) : 0;
  }
  if (!ritti_line_is_clear(D)) return false;
  for (int i = 0; i <= n; i++) D->null_vector[i] = i == n;
  ritti_qr_apply_q(&D->null, D->null_vector);
  return true;
}

/* matrix = P R^T Q^T, so the determinant is that of P times the diagonal of R times that of Q, a
 * product of reflections. */
int ritti_line_qr_sign(const ritti_direction *D) {
  int n = D->problem->tops, sign = 1;
  const int *column = D->null.column;
  for (int i = 0; i < n; i++) {
    if (D->null.a[i * (n + 1)] < 0) sign = -sign;
    if (D->null.beta[i] != 0) sign = -sign;
    for (int j = 0; j < i; j++)
      if (column[j] > column[i]) sign = -sign;
  }
  return sign;
}
