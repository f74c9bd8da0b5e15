/* One factorisation for all projections of a step.
 *
 * In: S mu = b, S = df D df^T at a point, and factors P of the same matrix at another point of the
 * same step. Out: mu, by conjugate gradients preconditioned with P. The points of a step are O(h)
 * apart, so that P^-1 S = I + O(h) and a few products are enough; if they are not, the caller
 * computes new factors. The residual is measured by r^T P^-1 r, which is about the length of what is still
 * missing in the metric of the projection, however the rows are scaled.
 */
#include "geometry/manifold_impl.h"

enum { MOST_PRODUCTS = 12, WORTH = 6 };

ritt_status ritti_reuse_init(ritti_manifold *M, ritti_arena *arena) {
  RITTI_NEW(M->reuse_scratch, arena, 5 * (M->problem->k + 1) + M->problem->m);
  return RITT_OK;
}

/* Does a factorisation cost more than the few products and solutions that replace it? */
static bool reuse_pays(const ritti_manifold *M, const ritti_linear *S, int entries) {
  if (M->reuse != RITTI_REUSE_AUTO) return M->reuse == RITTI_REUSE_ON;
  return S->operations > WORTH * 2 * (S->fill + (double)entries);
}

/* y = S x for the rows of df; scratch: m */
static void multiply_gram(ritti_manifold *M, const ritti_pattern *rows, const ritt_real *d,
                          const ritt_real *x, ritt_real *scratch, ritt_real *y) {
  ritti_csr_times_transposed(rows, M->df, x, scratch);
  for (int j = 0; j < rows->cols; j++) scratch[j] *= d[j];
  ritti_csr_times(rows, M->df, scratch, y);
  M->counts.products += 2;
}

/* x += the solution of S x = r, to a part of `tolerance` of it; r is used up. */
static bool iterate_pcg(ritti_manifold *M, ritti_linear *S, const ritti_pattern *rows,
                        const ritt_real *d, ritt_real tolerance, ritt_real *r, ritt_real *x) {
  int k = rows->rows;
  ritt_real *p = r + k, *z = p + k, *Sp = z + k, *scratch = Sp + k, kept = 0;
  memcpy(z, r, (size_t)k * sizeof *z);
  ritti_linear_solve(S, z);
  ritt_real rz = ritti_dot(k, r, z), goal = tolerance * tolerance * rz;
  if (rz == 0) return true;
  for (int i = 0; i < MOST_PRODUCTS; i++) {
    for (int j = 0; j < k; j++) p[j] = z[j] + (kept > 0 ? kept * p[j] : 0);
    multiply_gram(M, rows, d, p, scratch, Sp);
    ritt_real curvature = ritti_dot(k, p, Sp);
    if (!(curvature > 0)) return false;
    for (int j = 0; j < k; j++) {
      x[j] += rz / curvature * p[j];
      r[j] -= rz / curvature * Sp[j];
      z[j] = r[j];
    }
    ritti_linear_solve(S, z);
    ritt_real next = ritti_dot(k, r, z);
    if (next <= goal) return true;
    kept = next / rz;
    rz = next;
  }
  return false;
}

bool ritti_reuse_solve(ritti_manifold *M, ritti_linear *S, const ritti_pattern *rows,
                       const ritt_real *d, ritt_real tolerance, const ritt_real *b, ritt_real *mu) {
  int k = rows->rows;
  ritt_real *x = M->reuse_scratch, *r = x + k, *scratch = r + 4 * (size_t)k;
  if (!reuse_pays(M, S, rows->start[k] - rows->start[0])) return false;
  /* the residual of the mu given */
  memcpy(x, mu, (size_t)k * sizeof *x);
  multiply_gram(M, rows, d, x, scratch, r);
  for (int i = 0; i < k; i++) r[i] = b[i] - r[i];
  if (!iterate_pcg(M, S, rows, d, tolerance, r, x)) return false;
  memcpy(mu, x, (size_t)k * sizeof *mu);
  return true;
}
