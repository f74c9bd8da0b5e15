/* Newton's method on (q, mu) for large sparse systems: dF = [A B^T; B 0] of manifold_impl.h,
 * factored as a whole.
 *
 * In: H and B of newton_projection.c. Out: du and dmu from dF (du, dmu) = -(F1, f). The Schur
 * complement of Algorithm 4.3 would fill up where A is not diagonal; the factors L D L^T of dF
 * itself stay as sparse as the constraints are, O(N) for a chain of N bodies. Their signs must be
 * those of Lemma 2.2, A positive definite; where they are not A = I serves.
 */
#include "geometry/manifold_impl.h"

typedef struct ritti_kkt {
  ritti_pattern pattern; /* lower triangle, m + k rows: those of A end with their diagonals */
  ritti_linear linear;
  ritt_real *value, *x; /* nonzeros; m + k */
} ritti_kkt;

ritt_status ritti_kkt_init(ritti_manifold *M, ritti_arena *arena) {
  const ritti_pattern *h = &M->problem->d2f, *b = &M->problem->df;
  int m = b->cols, k = b->rows, *start, *col, count = 0;
  ritti_kkt *K;
  RITTI_NEW(K, arena, 1);
  RITTI_NEW(start, arena, m + k + 1);
  RITTI_NEW(col, arena, (h->rows ? h->start[h->rows] : 0) + m + b->start[k] + 1);
  for (int i = 0; i < m; i++) {
    for (int e = h->rows ? h->start[i] : 0; h->rows && e < h->start[i + 1]; e++)
      if (h->col[e] < i) col[count++] = h->col[e];
    col[count++] = i;
    start[i + 1] = count;
  }
  for (int i = 0; i < k; i++) {
    for (int e = b->start[i]; e < b->start[i + 1]; e++) col[count++] = b->col[e];
    start[m + i + 1] = count;
  }
  K->pattern = (ritti_pattern){m + k, m + k, start, col};
  RITTI_NEW(K->value, arena, count + 1);
  RITTI_NEW(K->x, arena, m + k);
  RITT_TRY(ritti_linear_init(&K->linear, RITTI_SYMMETRIC, &K->pattern, m, M->algebra, arena));
  /* dense, the Schur complement is cheaper */
  if (K->linear.algebra != RITTI_ALGEBRA_DENSE) M->newton->kkt = K;
  return RITT_OK;
}

/* dF with A = I + H, or with A = I */
static bool factor_kkt(ritti_manifold *M, bool plain) {
  const ritti_pattern *h = &M->problem->d2f, *b = &M->problem->df;
  const ritti_newton *N = M->newton;
  ritti_kkt *K = N->kkt;
  int m = b->cols, k = b->rows, count = 0;
  for (int i = 0; i < m; i++) {
    ritt_real diagonal = 1;
    for (int e = h->rows ? h->start[i] : 0; h->rows && e < h->start[i + 1]; e++) {
      if (h->col[e] < i) K->value[count++] = plain ? 0 : N->H[e];
      else if (!plain) diagonal += N->H[e];
    }
    K->value[count++] = diagonal;
  }
  for (int e = b->start[0]; e < b->start[k]; e++) K->value[count++] = N->B[e];
  return ritti_linear_factor(&K->linear, K->value, NULL);
}

ritt_status ritti_kkt_solve(ritti_manifold *M, const ritt_real *q, int iteration) {
  ritti_newton *N = M->newton;
  ritti_kkt *K = N->kkt;
  int m = M->problem->m, k = M->problem->k;
  if (iteration % N->every == 0) {
    bool plain = !ritti_newton_needs_second(M);
    if (!plain) RITT_TRY(ritti_newton_second(M, q));
    M->counts.factorisations++;
    if (!factor_kkt(M, plain) && (plain || !factor_kkt(M, true)))
      return ritti_projection_fail(M, RITTI_DEPENDENT_ROWS, q);
  }
  for (int j = 0; j < m; j++) K->x[j] = -N->F[j];
  for (int i = 0; i < k; i++) K->x[m + i] = -M->f[i];
  ritti_linear_solve(&K->linear, K->x);
  memcpy(N->du, K->x, (size_t)m * sizeof *N->du);
  memcpy(N->dmu, K->x + m, (size_t)k * sizeof *N->dmu);
  return RITT_OK;
}
