/* A free chain of n unit masses on rods of length 1 under gravity: the multipliers of the field and
 * of projections solve tridiagonal systems, factored from both ends to the middle at once.
 * Positions and velocities are projected together (2 x 2 blocks) or one after the other (numbers).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "ideal.h"

enum { MOST = 10 };

typedef struct chain {
  int n, m;                       /* masses, rods */
  double *dx, *dy, *wx, *wy;      /* differences of positions and velocities along the rods */
  double *ex, *ey, *fx, *fy;      /* the same of the way back to the point that is projected */
  double *diagonal, *off, *pivot; /* the tridiagonal matrix; inverse pivots */
  double *lambda, *r, *s, *from, *block;
  ideal_counts counts;
} chain;

static double *reals(size_t n) {
  double *at = aligned_alloc(64, (n * sizeof *at / 64 + 2) * 64);
  if (!at) abort();
  return memset(at, 0, n * sizeof *at);
}

static void chain_new(chain *c, int n) {
  double **part[] = {&c->dx, &c->dy, &c->wx,       &c->wy,  &c->ex,    &c->ey,     &c->fx,
                     &c->fy, &c->r,  &c->diagonal, &c->off, &c->pivot, &c->lambda, &c->s};
  *c = (chain){.n = n, .m = n - 1};
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) *part[i] = reals((size_t)n);
  c->from = reals(4 * (size_t)n), c->block = reals(8 * (size_t)n);
}
static void chain_free(chain *c) {
  double *part[] = {c->dx, c->dy, c->wx,       c->wy,  c->ex,    c->ey,     c->fx,   c->fy,
                    c->r,  c->s,  c->diagonal, c->off, c->pivot, c->lambda, c->from, c->block};
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) free(part[i]);
}

/* ---- tridiagonal systems ---- */

static void factor(const chain *c) {
  const double *d = c->diagonal, *o = c->off;
  double *restrict at = c->pivot, p = 1 / d[0], q = 1 / d[c->m - 1];
  int h = c->m / 2, i = 1, j = c->m - 2;
  at[0] = p, at[c->m - 1] = q;
  for (; i < h && j > h; i++, j--) {
    p = 1 / (d[i] - o[i - 1] * o[i - 1] * p), q = 1 / (d[j] - o[j] * o[j] * q);
    at[i] = p, at[j] = q;
  }
  for (; i < h; i++) at[i] = p = 1 / (d[i] - o[i - 1] * o[i - 1] * p);
  for (; j > h; j--) at[j] = q = 1 / (d[j] - o[j] * o[j] * q);
  at[h] = 1 / (d[h] - o[h - 1] * o[h - 1] * p - o[h] * o[h] * q);
}

static void solve(const chain *c, double *restrict r) {
  const double *o = c->off, *p = c->pivot;
  int m = c->m, h = m / 2, i = 1, j = m - 2;
  double a = r[0], b = r[m - 1];
  for (; i < h && j > h; i++, j--) {
    a = r[i] - o[i - 1] * p[i - 1] * a, b = r[j] - o[j] * p[j + 1] * b;
    r[i] = a, r[j] = b;
  }
  for (; i < h; i++) r[i] = a = r[i] - o[i - 1] * p[i - 1] * a;
  for (; j > h; j--) r[j] = b = r[j] - o[j] * p[j + 1] * b;
  a = b = r[h] = (r[h] - o[h - 1] * p[h - 1] * a - o[h] * p[h + 1] * b) * p[h];
  for (i = h - 1, j = h + 1; i >= 0 && j < m; i--, j++) {
    a = (r[i] - o[i] * a) * p[i], b = (r[j] - o[j - 1] * b) * p[j];
    r[i] = a, r[j] = b;
  }
  for (; i >= 0; i--) r[i] = a = (r[i] - o[i] * a) * p[i];
  for (; j < m; j++) r[j] = b = (r[j] - o[j - 1] * b) * p[j];
}

static void differences(const chain *c, const double *restrict y, double *restrict a,
                        double *restrict b) {
  for (int i = 0; i < c->m; i++) a[i] = y[i + 1] - y[i], b[i] = y[c->n + i + 1] - y[c->n + i];
}

/* G G^T from the rods */
static void form(const chain *c) {
  const double *dx = c->dx, *dy = c->dy;
  for (int i = 0; i < c->m; i++) c->diagonal[i] = 2 * (dx[i] * dx[i] + dy[i] * dy[i]);
  for (int i = 0; i < c->m - 1; i++) c->off[i] = -(dx[i] * dx[i + 1] + dy[i] * dy[i + 1]);
}

/* y -= G^T mu, with the differences a, b in G */
static void add_transposed(const chain *c, double *restrict y, const double *restrict a,
                           const double *restrict b, const double *restrict mu) {
  int n = c->n, m = c->m;
  y[0] += a[0] * mu[0], y[n] += b[0] * mu[0];
  for (int i = 1; i < m; i++) {
    y[i] += a[i] * mu[i] - a[i - 1] * mu[i - 1];
    y[n + i] += b[i] * mu[i] - b[i - 1] * mu[i - 1];
  }
  y[m] -= a[m - 1] * mu[m - 1], y[n + m] -= b[m - 1] * mu[m - 1];
}

static void field(const chain *c, const double *restrict y, double *restrict k) {
  int n = c->n, m = c->m;
  const double *dx = c->dx, *dy = c->dy, *lambda = c->lambda;
  differences(c, y, c->dx, c->dy), differences(c, y + 2 * n, c->wx, c->wy);
  form(c);
  for (int i = 0; i < m; i++) c->lambda[i] = c->wx[i] * c->wx[i] + c->wy[i] * c->wy[i];
  factor(c), solve(c, c->lambda);
  memcpy(k, y + 2 * n, 2 * (size_t)n * sizeof *k);
  double *restrict ax = k + 2 * n, *restrict ay = k + 3 * n;
  ax[0] = dx[0] * lambda[0], ay[0] = -1 + dy[0] * lambda[0];
  for (int i = 1; i < m; i++) {
    ax[i] = dx[i] * lambda[i] - dx[i - 1] * lambda[i - 1];
    ay[i] = -1 + dy[i] * lambda[i] - dy[i - 1] * lambda[i - 1];
  }
  ax[m] = -dx[m - 1] * lambda[m - 1], ay[m] = -1 - dy[m - 1] * lambda[m - 1];
}

/* ---- projections ---- */

/* df df^T mu = (r, s) in blocks of a position and its velocity: elimination along the chain, in
 * place */
static void solve_blocks(const chain *c) {
  const double *dx = c->dx, *dy = c->dy, *wx = c->wx, *wy = c->wy;
  double *r = c->r, *s = c->s, pa = 0, pb = 0,
         pc = 0; /* the inverse of the last block on the diagonal */
  int m = c->m;
  for (int i = 0; i < m; i++) {
    double d = dx[i] * dx[i] + dy[i] * dy[i], e = dx[i] * wx[i] + dy[i] * wy[i];
    double a = 2 * d, b = 2 * e, g = 2 * (d + wx[i] * wx[i] + wy[i] * wy[i]), r1 = r[i], r2 = s[i];
    double *q = c->block + 8 * i;
    if (i) {
      double c11 = -(dx[i - 1] * dx[i] + dy[i - 1] * dy[i]),
             c12 = -(dx[i - 1] * wx[i] + dy[i - 1] * wy[i]);
      double c21 = -(wx[i - 1] * dx[i] + wy[i - 1] * dy[i]),
             c22 = c11 - (wx[i - 1] * wx[i] + wy[i - 1] * wy[i]);
      double w11 = pa * c11 + pb * c21, w12 = pa * c12 + pb * c22;
      double w21 = pb * c11 + pc * c21, w22 = pb * c12 + pc * c22;
      a -= c11 * w11 + c21 * w21, b -= c11 * w12 + c21 * w22, g -= c12 * w12 + c22 * w22;
      r1 -= w11 * r[i - 1] + w21 * s[i - 1], r2 -= w12 * r[i - 1] + w22 * s[i - 1];
      q[-4] = w11, q[-3] = w12, q[-2] = w21, q[-1] = w22;
    }
    double inverse = 1 / (a * g - b * b);
    q[0] = pa = g * inverse, q[1] = pb = -b * inverse, q[2] = pc = a * inverse;
    r[i] = r1, s[i] = r2;
  }
  for (int i = m - 1; i >= 0; i--) {
    const double *q = c->block + 8 * i;
    double a = r[i], b = s[i];
    r[i] = q[0] * a + q[1] * b, s[i] = q[1] * a + q[2] * b;
    if (i == m - 1) continue;
    r[i] -= q[4] * r[i + 1] + q[5] * s[i + 1], s[i] -= q[6] * r[i + 1] + q[7] * s[i + 1];
  }
}

static double larger(double a, double b) { return a > b ? a : b; }

/* (q, v) orthogonally onto all constraints */
static void project_together(chain *c, double *restrict y, double stop) {
  int n = c->n, m = c->m;
  memcpy(c->from, y, 4 * (size_t)n * sizeof *y);
  for (int k = 0; k < MOST; k++) {
    double most = 0, moved = 0;
    differences(c, y, c->dx, c->dy), differences(c, y + 2 * n, c->wx, c->wy);
    for (int i = 0; i < m; i++) {
      c->r[i] = .5 * (c->dx[i] * c->dx[i] + c->dy[i] * c->dy[i] - 1);
      c->s[i] = c->dx[i] * c->wx[i] + c->dy[i] * c->wy[i];
      most = larger(most, larger(fabs(c->r[i]), fabs(c->s[i])));
    }
    if (most <= stop) break;
    if (k) {
      for (int i = 0; i < 4 * n; i++) y[i] = c->from[i] - y[i];
      differences(c, y, c->ex, c->ey), differences(c, y + 2 * n, c->fx, c->fy);
      for (int i = 0; i < m; i++) {
        c->r[i] += c->dx[i] * c->ex[i] + c->dy[i] * c->ey[i];
        c->s[i] +=
            c->wx[i] * c->ex[i] + c->wy[i] * c->ey[i] + c->dx[i] * c->fx[i] + c->dy[i] * c->fy[i];
      }
    }
    solve_blocks(c);
    for (int i = 0; i < m; i++) moved = larger(moved, larger(fabs(c->r[i]), fabs(c->s[i])));
    memcpy(y, c->from, 4 * (size_t)n * sizeof *y);
    add_transposed(c, y, c->dx, c->dy, c->r), add_transposed(c, y, c->wx, c->wy, c->s);
    add_transposed(c, y + 2 * n, c->dx, c->dy, c->s);
    c->counts.iterations++;
    if (k == 0 && 8 * moved * moved <= stop) break;
  }
}

/* q onto the rods by Newton's method, then v, which is linear */
static void project_in_turn(chain *c, double *restrict y, double stop) {
  int n = c->n, m = c->m;
  for (int k = 0; k < MOST; k++) {
    double most = 0;
    differences(c, y, c->dx, c->dy);
    for (int i = 0; i < m; i++) {
      c->r[i] = .5 * (c->dx[i] * c->dx[i] + c->dy[i] * c->dy[i] - 1);
      most = larger(most, fabs(c->r[i]));
    }
    form(c), factor(c);
    if (most <= stop) break;
    solve(c, c->r), add_transposed(c, y, c->dx, c->dy, c->r);
    c->counts.iterations++;
  }
  double most = 0;
  differences(c, y + 2 * n, c->wx, c->wy);
  for (int i = 0; i < m; i++) {
    c->r[i] = c->dx[i] * c->wx[i] + c->dy[i] * c->wy[i];
    most = larger(most, fabs(c->r[i]));
  }
  if (most <= stop) return;
  solve(c, c->r), add_transposed(c, y + 2 * n, c->dx, c->dy, c->r);
  c->counts.iterations++;
}

static void project(chain *c, double *y, double stop, int blocks) {
  if (blocks) project_together(c, y, stop);
  else project_in_turn(c, y, stop);
  c->counts.projections++;
}

/* ---- the integration ---- */

static void combine(int n, double *restrict z, const double *restrict y, double h,
                    const double *restrict a, double *const *k, int count) {
  const double *k1 = k[0], *k2 = k[1], *k3 = k[2], *k4 = k[3], *k5 = k[4], *k6 = k[5];
  switch (count) {
  case 1:
    for (int i = 0; i < n; i++) z[i] = y[i] + h * a[0] * k1[i];
    break;
  case 2:
    for (int i = 0; i < n; i++) z[i] = y[i] + h * (a[0] * k1[i] + a[1] * k2[i]);
    break;
  case 3:
    for (int i = 0; i < n; i++) z[i] = y[i] + h * (a[0] * k1[i] + a[1] * k2[i] + a[2] * k3[i]);
    break;
  case 4:
    for (int i = 0; i < n; i++)
      z[i] = y[i] + h * (a[0] * k1[i] + a[1] * k2[i] + a[2] * k3[i] + a[3] * k4[i]);
    break;
  case 5:
    for (int i = 0; i < n; i++)
      z[i] = y[i] + h * (a[0] * k1[i] + a[1] * k2[i] + a[2] * k3[i] + a[3] * k4[i] + a[4] * k5[i]);
    break;
  default: /* the end, which does not use the second stage */
    for (int i = 0; i < n; i++)
      z[i] = y[i] + h * (a[0] * k1[i] + a[1] * k3[i] + a[2] * k4[i] + a[3] * k5[i] + a[4] * k6[i]);
  }
}

static double square_error(int n, double h, double *const *k) {
  static const double e[] = {IDEAL_E};
  const double *k1 = k[0], *k3 = k[2], *k4 = k[3], *k5 = k[4], *k6 = k[5], *k7 = k[6];
  double sum = 0;
  for (int i = 0; i < n; i++) {
    double d =
        e[0] * k1[i] + e[1] * k3[i] + e[2] * k4[i] + e[3] * k5[i] + e[4] * k6[i] + e[5] * k7[i];
    sum += d * d;
  }
  return sum * h * h / n;
}

ideal_counts ideal_chain(int bodies, double *state, double end, double tolerance, double stop,
                         ideal_project project_what, int blocks) {
  static const double a2[] = {IDEAL_A2}, a3[] = {IDEAL_A3}, a4[] = {IDEAL_A4}, a5[] = {IDEAL_A5},
                      a6[] = {IDEAL_A6}, b[] = {IDEAL_B};
  static const double *const rows[] = {a2, a3, a4, a5, a6, b};
  chain c;
  int n = 4 * bodies;
  double *k[7], *y = reals((size_t)n), *z = reals((size_t)n), t = 0, h = 1e-3, *swap;
  chain_new(&c, bodies);
  for (int i = 0; i < 7; i++) k[i] = reals((size_t)n);
  memcpy(y, state, (size_t)n * sizeof *y);
  field(&c, y, k[0]);
  while (t < end) {
    if (t + h > end) h = end - t;
    for (int i = 0; i < 6; i++) {
      combine(n, z, y, h, rows[i], k, i + 1);
      if (project_what == IDEAL_STAGES || (project_what == IDEAL_END && i == 5))
        project(&c, z, stop, blocks);
      field(&c, z, k[i + 1]);
    }
    double error = square_error(n, h, k) / (tolerance * tolerance);
    if (error <= 1) {
      t += h, c.counts.accepted++;
      swap = y, y = z, z = swap;
      swap = k[0], k[0] = k[6], k[6] = swap;
    } else {
      c.counts.rejected++;
    }
    h *= ideal_factor(error);
  }
  differences(&c, y, c.dx, c.dy);
  for (int i = 0; i < c.m; i++)
    c.counts.residual = larger(c.counts.residual, fabs(c.dx[i] * c.dx[i] + c.dy[i] * c.dy[i] - 1));
  memcpy(state, y, (size_t)n * sizeof *y);
  for (int i = 0; i < 7; i++) free(k[i]);
  free(y), free(z), chain_free(&c);
  return c.counts;
}

void ideal_chain_start(int n, double *y) {
  const double turn = 6.283185307179586476925286766559;
  double *vx = y + 2 * n, *vy = y + 3 * n;
  y[0] = y[n] = vx[0] = vy[0] = 0;
  for (int i = 0; i < n - 1; i++) {
    double angle = .8 * sin(turn * 3 * i / n), rate = cos(turn * 2 * i / n);
    y[i + 1] = y[i] + cos(angle), y[n + i + 1] = y[n + i] + sin(angle);
    vx[i + 1] = vx[i] - rate * sin(angle), vy[i + 1] = vy[i] + rate * cos(angle);
  }
}
