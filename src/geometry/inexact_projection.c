/* Projection by inexact Newton methods: Algorithms 4.2 and 4.4 to 4.7 of the enhanced linear
 * algebra paper.
 *
 * In: a point a near M. Out: the point q of M with q + W^-1 df(q)^T mu = a. F and dF are those of
 * manifold_impl.h. The first iteration solves B B^T mu = f by conjugate gradients; the others go
 * through the Schur complement, whose products solve with A inside. Systems with A = I + small are
 * solved to convergence by SYMMLQ, systems with S by SYMMLQ to |r| < eps_k |F|, eps_k+1 = 0.8
 * eps_k, whence the convergence is superlinear (Theorem 4.1). Nothing is factored and no matrix is
 * made: the cost of a product is the number of nonzeros.
 *
 * Rows of f may be of very different sizes, and iterative methods would see hardly more than the
 * largest: rows of B are scaled to length 1, unless the papers' counts are requested.
 */
#include "geometry/manifold_impl.h"
#include "linalg/krylov.h"

ritt_status ritti_inexact_init(ritti_manifold *M, ritti_arena *arena) {
  int m = M->problem->m, k = M->problem->k;
  if (!M->newton) RITT_TRY(ritti_newton_init(M, arena));
  ritti_inexact *I = &M->newton->inexact;
  I->first = (ritt_real)0.5, I->shrink = (ritt_real)0.8, I->inner = (ritt_real)1e-12;
  I->equal_rows = true;
  RITTI_NEW_ARRAYS(arena, k + 1, I->scale, I->w);
  RITTI_NEW(I->v, arena, m);
  RITTI_NEW(I->scratch_A, arena, RITTI_SYMMLQ_SCRATCH * (m + 1));
  RITTI_NEW(I->scratch_S, arena, RITTI_SYMMLQ_SCRATCH * (k + 1));
  return RITT_OK;
}

/* ---- products ---- */

/* what products need: M is changed by them, its scratch and its counts */
typedef struct operand {
  ritti_manifold *M;
} operand;

/* y = B^T (scale v), y of length m */
static void times_B_transposed(ritti_manifold *M, const ritt_real *v, ritt_real *y) {
  ritti_inexact *I = &M->newton->inexact;
  for (int i = 0; i < M->problem->k; i++) I->w[i] = I->scale[i] * v[i];
  ritti_csr_times_transposed(&M->problem->df, M->newton->B, I->w, y);
  M->counts.products++;
}

/* y = scale (B x) */
static void times_B(ritti_manifold *M, const ritt_real *x, ritt_real *y) {
  ritti_csr_times(&M->problem->df, M->newton->B, x, y);
  for (int i = 0; i < M->problem->k; i++) y[i] *= M->newton->inexact.scale[i];
  M->counts.products++;
}

/* y = A x, A = I + H, H by its lower triangle */
static void times_A(const void *context, const ritt_real *x, ritt_real *y) {
  ritti_manifold *M = ((const operand *)context)->M;
  const ritti_pattern *p = &M->problem->d2f;
  const ritt_real *H = M->newton->H;
  for (int i = 0; i < M->problem->m; i++) y[i] = x[i];
  for (int i = 0; i < p->rows; i++)
    for (int e = p->start[i]; e < p->start[i + 1]; e++) {
      int j = p->col[e];
      y[i] += H[e] * x[j];
      if (j != i) y[j] += H[e] * x[i];
    }
  M->counts.products++;
}

/* y = B B^T v */
static void times_gram(const void *context, const ritt_real *v, ritt_real *y) {
  ritti_manifold *M = ((const operand *)context)->M;
  times_B_transposed(M, v, M->newton->x);
  times_B(M, M->newton->x, y);
}

/* x := A^-1 b, to convergence; b and x do not overlap */
static void solve_A(ritti_manifold *M, const ritt_real *b, ritt_real *x) {
  const ritti_inexact *I = &M->newton->inexact;
  operand A = {M};
  int m = M->problem->m;
  ritti_krylov krylov = {.n = m,
                         .times = times_A,
                         .context = &A,
                         .tolerance = I->inner,
                         .most = 2 * m + 10,
                         .scratch = I->scratch_A};
  for (int j = 0; j < m; j++) x[j] = 0;
  /* where it stops early the iterate is what there is: the iteration outside judges by F */
  (void)ritti_symmlq(&krylov, b, x);
  ritt_real curvature = ritti_dot(m, b, x);
  if (curvature < 0) M->newton->inexact.indefinite = true;
}

/* Algorithm 4.5: y = -S v = B A^-1 B^T v */
static void times_schur(const void *context, const ritt_real *v, ritt_real *y) {
  ritti_manifold *M = ((const operand *)context)->M;
  times_B_transposed(M, v, M->newton->x);
  solve_A(M, M->newton->x, M->newton->inexact.v);
  times_B(M, M->newton->inexact.v, y);
}

/* ---- iterations ---- */

static void scale_rows(ritti_manifold *M) {
  const ritti_pattern *p = &M->problem->df;
  ritti_inexact *I = &M->newton->inexact;
  for (int i = 0; i < p->rows; i++) {
    ritt_real length = ritti_norm(p->start[i + 1] - p->start[i], M->newton->B + p->start[i]);
    I->scale[i] = I->equal_rows && length > 0 ? 1 / length : 1;
  }
}

/* dmu := scale (the solution of op = right side in newton->y) to |r| < goal */
static void solve_rows(ritti_manifold *M, bool gram, ritt_real goal) {
  ritti_newton *N = M->newton;
  operand by = {M};
  int k = M->problem->k;
  ritt_real size = ritti_norm(k, N->y);
  ritti_krylov krylov = {.n = k,
                         .times = gram ? times_gram : times_schur,
                         .context = &by,
                         .tolerance = size > 0 ? goal / size : 0,
                         .most = 4 * k + 10,
                         .scratch = N->inexact.scratch_S};
  for (int i = 0; i < k; i++) N->dmu[i] = 0;
  if (krylov.tolerance < 1)
    (void)(gram ? ritti_cg(&krylov, N->y, N->dmu) : ritti_symmlq(&krylov, N->y, N->dmu));
}

void ritti_inexact_start(ritti_manifold *M, ritt_real tolerance) {
  ritti_newton *N = M->newton;
  int k = M->problem->k, m = M->problem->m;
  scale_rows(M);
  for (int i = 0; i < k; i++) N->y[i] = N->inexact.scale[i] * M->f[i];
  solve_rows(M, true, tolerance * ritti_norm(k, N->y));
  times_B_transposed(M, N->dmu, N->du);
  for (int j = 0; j < m; j++) N->du[j] = -N->du[j];
  for (int i = 0; i < k; i++) N->dmu[i] *= N->inexact.scale[i];
}

/* Algorithm 4.4 with the H there is */
static void solve_blocks(ritti_manifold *M) {
  ritti_newton *N = M->newton;
  ritti_inexact *I = &N->inexact;
  int k = M->problem->k, m = M->problem->m;
  /* A u1 = -F1 */
  for (int j = 0; j < m; j++) N->x[j] = -N->F[j];
  solve_A(M, N->x, N->du);
  /* -S v2 = B u1 + f */
  times_B(M, N->du, N->y);
  ritt_real size = 0;
  for (int i = 0; i < k; i++) {
    ritt_real f = I->scale[i] * M->f[i];
    N->y[i] += f;
    size += f * f;
  }
  size = RITTI_MATH(hypot)(RITTI_MATH(sqrt)(size), ritti_norm(m, N->F));
  solve_rows(M, false, I->eps * size);
  /* du = u1 - A^-1 B^T v2 */
  times_B_transposed(M, N->dmu, N->x);
  solve_A(M, N->x, I->v);
  for (int j = 0; j < m; j++) N->du[j] -= I->v[j];
  for (int i = 0; i < k; i++) N->dmu[i] *= I->scale[i];
}

static ritt_status solve_inexactly(ritti_manifold *M, const ritt_real *q, int iteration) {
  ritti_inexact *I = &M->newton->inexact;
  I->eps = iteration == 0 ? I->first : I->shrink * I->eps;
  if (ritti_newton_at_start(M)) {
    ritti_inexact_start(M, I->eps);
    return RITT_OK;
  }
  if (ritti_newton_needs_second(M)) RITT_TRY(ritti_newton_second(M, q));
  scale_rows(M);
  I->indefinite = false;
  solve_blocks(M);
  if (I->indefinite) {
    /* A = I instead, as exact Newton does */
    const ritti_pattern *p = &M->problem->d2f;
    for (int e = 0; e < p->start[p->rows]; e++) M->newton->H[e] = 0;
    solve_blocks(M);
  }
  return RITT_OK;
}

ritt_status ritti_inexact_project(ritti_manifold *M, const ritt_real *a, ritt_real *q) {
  return ritti_newton_iterate(M, a, q, solve_inexactly);
}
