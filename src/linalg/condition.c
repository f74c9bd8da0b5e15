/* The norm of an inverse from a few solves: Hager's ascent on the unit ball (Higham, Accuracy and
 * Stability of Numerical Algorithms, Algorithm 15.1). */
#include "linalg/linalg_impl.h"

/* The 1-norm of x. */
static ritt_real sum_of_sizes(int n, const ritt_real *x) {
  ritt_real sum = 0;
  for (int i = 0; i < n; i++) sum += RITTI_MATH(fabs)(x[i]);
  return sum;
}

/* Signs of y to `sign` and to z; true: they are those of the last time. */
static bool take_signs(int n, const ritt_real *y, int *sign, ritt_real *z) {
  bool same = true;
  for (int i = 0; i < n; i++) {
    int s = y[i] < 0 ? -1 : 1;
    if (s != sign[i]) same = false;
    z[i] = (ritt_real)(sign[i] = s);
  }
  return same;
}

/* Estimates the 1-norm of an inverse from a few solutions, by Hager's method with Higham's last
   vector. */
ritt_real ritti_inverse_norm(int n, ritti_solve *solve, void *context, ritt_real *y, ritt_real *z,
                             int *sign) {
  // start in the middle of the face
  for (int i = 0; i < n; i++) y[i] = 1 / (ritt_real)n, sign[i] = 0;
  solve(context, y, false);
  ritt_real norm = sum_of_sizes(n, y);
  if (n == 1) return norm;
  // climb from vertex to vertex
  int last = -1;
  for (int step = 0; step < 5; step++) {
    if (take_signs(n, y, sign, z)) break;
    solve(context, z, true);
    int vertex = 0;
    for (int i = 1; i < n; i++)
      if (RITTI_MATH(fabs)(z[i]) > RITTI_MATH(fabs)(z[vertex])) vertex = i;
    if (vertex == last) break;
    last = vertex;
    for (int i = 0; i < n; i++) y[i] = i == vertex;
    solve(context, y, false);
    ritt_real higher = sum_of_sizes(n, y);
    if (!(higher > norm)) break;
    norm = higher;
  }
  // a vector of growing alternating entries, against matrices built to deceive the ascent
  for (int i = 0; i < n; i++) y[i] = (i % 2 ? -1 : 1) * (1 + (ritt_real)i / (ritt_real)(n - 1));
  solve(context, y, false);
  ritt_real other = 2 * sum_of_sizes(n, y) / (3 * (ritt_real)n);
  return other > norm ? other : norm;
}
