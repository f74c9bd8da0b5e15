/* Gauss-Newton for one, two or three rows: the iteration of manifold.c, each point of it in two passes over the
 * coordinates.
 *
 * In: a point a near M, where the iteration begins, rows first .. first+k-1 of df, spreads d. Out: q. The first pass
 * gathers everything that an iteration asks for: the size of the terms of each row, df D df^T, df (a - q), what is left
 * of a - q - D df^T mu. The second moves q. Tolerances and decisions are those of manifold.c, where they are explained.
 */
#include "geometry/manifold_impl.h"

/* What one pass gathers at q, for k rows. */
typedef struct gathered {
  ritt_real S[RITTI_FEW][RITTI_FEW]; /* lower triangle */
  ritt_real right[RITTI_FEW];        /* df (a - q) */
  ritt_real terms[RITTI_FEW];
  ritt_real rest, size, free,
      distance; /* largest entries: of what is left, of the point, of what of it may move, of a - q */
} gathered;

static inline ritt_real larger(ritt_real a, ritt_real b) { return a > b ? a : b; }

/* The rows as they stand in `few`, one coordinate after the other. */
static inline void spread_rows(const ritti_manifold *M, int first, const int k) {
  const ritti_pattern *p = &M->problem->df;
  ritt_real *B = M->few;
  for (int j = 0; j < p->cols * k; j++) B[j] = 0;
  for (int i = 0; i < k; i++)
    for (int e = p->start[first + i]; e < p->start[first + i + 1]; e++) B[p->col[e] * k + i] += M->df[e];
}

static inline void gather(const ritti_manifold *M, const ritt_real *d, const ritt_real *a, const ritt_real *q,
                          const int k, gathered *G) {
  const ritt_real *B = M->few, *size = M->size, *mu = M->mu;
  ritt_real S[RITTI_FEW][RITTI_FEW] = {{0}}, right[RITTI_FEW] = {0}, terms[RITTI_FEW] = {0};
  ritt_real rest = 0, most = 0, distance = 0, can_move = 0;
  for (int j = 0; j < M->problem->m; j++, B += k) {
    ritt_real at = larger(RITTI_MATH(fabs)(q[j]), size[j]), off = d[j] > 0 ? a[j] - q[j] : 0, normal = 0;
    most = larger(at, most);
    can_move = larger(d[j] > 0 ? at : 0, can_move);
    for (int i = 0; i < k; i++) {
      ritt_real w = B[i] * d[j];
      terms[i] += RITTI_MATH(fabs)(B[i]) * at;
      right[i] += B[i] * off;
      normal += w * mu[i];
      for (int l = 0; l <= i; l++) S[i][l] += w * B[l];
    }
    ritt_real left = RITTI_MATH(fabs)(off - normal);
    if (!(left <= rest)) rest = left;
    distance = larger(RITTI_MATH(fabs)(off), distance);
  }
  for (int i = 0; i < k; i++) {
    G->right[i] = right[i], G->terms[i] = terms[i];
    for (int l = 0; l <= i; l++) G->S[i][l] = S[i][l];
  }
  G->rest = rest, G->size = most, G->free = can_move, G->distance = distance;
}

static inline ritt_real residual_of(const ritti_manifold *M, const gathered *G, int first, const int k) {
  ritt_real worst = 0;
  for (int i = 0; i < k; i++) {
    ritt_real r = RITTI_MATH(fabs)(M->f[first + i]);
    if (r > 0) r = G->terms[i] > 0 ? r / G->terms[i] : INFINITY;
    if (!(r <= worst)) worst = r;
  }
  return worst;
}

/* S x = x by L D L^T; false: a pivot is what cancellation leaves, as in ritti_cholesky_factor */
static inline bool solve(gathered *G, const int k, ritt_real *x) {
  ritt_real D[RITTI_FEW], LD[RITTI_FEW];
  for (int i = 0; i < k; i++) {
    ritt_real diagonal = G->S[i][i], pivot = diagonal;
    for (int l = 0; l < i; l++) {
      LD[l] = G->S[i][l];
      for (int n = 0; n < l; n++) LD[l] -= LD[n] * G->S[l][n];
      G->S[i][l] = LD[l] / D[l];
      pivot -= LD[l] * G->S[i][l];
    }
    if (!(pivot > 4 * (ritt_real)k * RITTI_EPS * diagonal) || !(pivot < INFINITY)) return false;
    D[i] = pivot;
  }
  for (int i = 1; i < k; i++)
    for (int l = 0; l < i; l++) x[i] -= G->S[i][l] * x[l];
  for (int i = 0; i < k; i++) x[i] /= D[i];
  for (int i = k - 1; i > 0; i--)
    for (int l = 0; l < i; l++) x[l] -= G->S[i][l] * x[i];
  return true;
}

/* q = from - D df^T mu; returns the largest change of a coordinate. */
static inline ritt_real move(const ritti_manifold *M, const ritt_real *d, const ritt_real *from, ritt_real *q,
                             const int k) {
  const ritt_real *B = M->few;
  ritt_real most = 0, mu[RITTI_FEW];
  for (int i = 0; i < k; i++) mu[i] = M->mu[i];
  for (int j = 0; j < M->problem->m; j++, B += k) {
    ritt_real before = q[j], normal = 0;
    for (int i = 0; i < k; i++) normal += B[i] * mu[i];
    ritt_real next = d[j] > 0 ? from[j] - d[j] * normal : before;
    ritt_real change = RITTI_MATH(fabs)(next - before);
    q[j] = next;
    if (!(change <= most)) most = change;
  }
  return most;
}

static inline ritt_status project(ritti_manifold *M, const ritt_real *d, const ritt_real *a, ritt_real *q,
                                  int first, const int k, bool orthogonal) {
  const ritti_problem *p = M->problem;
  ritti_progress at = {.near = orthogonal, .before = INFINITY, .ratio = INFINITY, .moved = INFINITY};
  for (; at.iteration < RITTI_MOST_ITERATIONS; at.iteration++) {
    gathered G;
    ritt_status status = p->f_df(p->data, M->work, q, M->f, M->df);
    if (status != RITT_OK) return ritti_projection_no_value(M, status, q);
    spread_rows(M, first, k);
    gather(M, d, a, q, k, &G);
    ritt_real r = residual_of(M, &G, first, k), rest = G.rest > 0 ? G.rest / G.size : G.rest;
    if (at.near && !(rest <= r)) r = rest;
    ritti_verdict verdict = ritti_projection_judge(&at, r);
    if (verdict == RITTI_ARRIVED) return RITT_OK;
    if (verdict == RITTI_LOST) break;
    bool plain = verdict == RITTI_ON_BY_NEWTON;
    for (int i = 0; i < k; i++) M->mu[i] = M->f[first + i] + (plain ? 0 : G.right[i]);
    M->factorisations++;
    if (!solve(&G, k, M->mu)) return ritti_projection_fail(M, RITTI_DEPENDENT_ROWS, q);
    ritt_real moved = move(M, d, plain ? q : a, q, k);
    M->iterations++;
    at.moved = moved > 0 ? moved / G.size : moved;
    if (ritti_projection_foreseen(M, &at, moved / G.free, larger(G.distance, moved) / G.free)) return RITT_OK;
  }
  return ritti_projection_fail(M, RITTI_NO_CONVERGENCE, q);
}

ritt_status ritti_few_init(ritti_manifold *M, ritti_arena *arena) {
  RITTI_NEW(M->few, arena, (size_t)RITTI_FEW * (size_t)M->problem->m + 1);
  return RITT_OK;
}

ritt_status ritti_few_project(ritti_manifold *M, const ritt_real *d, const ritt_real *a, ritt_real *q,
                              int first, int k, bool orthogonal) {
  switch (k) {
  case 1: return project(M, d, a, q, first, 1, orthogonal);
  case 2: return project(M, d, a, q, first, 2, orthogonal);
  default: return project(M, d, a, q, first, 3, orthogonal);
  }
}
