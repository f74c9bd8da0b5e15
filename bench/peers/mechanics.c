#include <string.h>
#include "problem.h"

/* The compiler knows the sizes of these problems. */
static void solve_sized(int n, double *A, double *b) {
  switch (n) {
  case 6: solve_symmetric(6, A, b); break;
  case 13: solve_symmetric(13, A, b); break;
  case 2: solve_symmetric(2, A, b); break;
  default: solve_symmetric(n, A, b);
  }
}

void mechanics_rhs(const mechanics *s, double t, const double *y, double *out, double *lambda) {
  mechanics_terms terms;
  double A[MECHANICS_MOST * MECHANICS_MOST], b[MECHANICS_MOST];
  int n = s->n, m = s->m, k = n + m;
  s->terms(t, y, y + n, &terms);
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) A[i * k + j] = terms.mass[i * n + j];
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++) A[(n + i) * k + j] = terms.G[i * n + j];
    for (int j = 0; j <= i; j++) A[(n + i) * k + n + j] = 0;
  }
  memcpy(b, terms.force, (size_t)n * sizeof *b);
  memcpy(b + n, terms.second, (size_t)m * sizeof *b);
  solve_sized(k, A, b);
  memcpy(out, y + n, (size_t)n * sizeof *out);
  memcpy(out + n, b, (size_t)n * sizeof *out);
  if (lambda) memcpy(lambda, b + n, (size_t)m * sizeof *lambda);
}

void mechanics_residual(const mechanics *s, double t, const double *w, const double *derivative,
                        double *out) {
  mechanics_terms T;
  int n = s->n, m = s->m;
  const double *v = w + n, *lambda = w + 2 * n, *mu = lambda + m;
  s->terms(t, w, v, &T);
  for (int i = 0; i < n; i++) {
    double q = derivative[i] - v[i], f = -T.force[i];
    for (int j = 0; j < n; j++) f += T.mass[i * n + j] * derivative[n + j];
    for (int j = 0; j < m; j++) q += T.G[j * n + i] * mu[j], f += T.G[j * n + i] * lambda[j];
    out[i] = q, out[n + i] = f;
  }
  for (int i = 0; i < m; i++) {
    double rate = T.by_time[i];
    for (int j = 0; j < n; j++) rate += T.G[i * n + j] * v[j];
    out[2 * n + i] = T.g[i], out[2 * n + m + i] = rate;
  }
}

void mechanics_dae_start(const mechanics *s, const double *y, double *w, double *derivative) {
  int n = s->n, m = s->m;
  memset(w, 0, (size_t)(2 * n + 2 * m) * sizeof *w);
  memset(derivative, 0, (size_t)(2 * n + 2 * m) * sizeof *w);
  memcpy(w, y, 2 * (size_t)n * sizeof *w);
  mechanics_rhs(s, 0, y, derivative, w + 2 * n);
}

/* b -> (G G^T)^-1 b, and x -= G^T b */
static void subtract(const mechanics *s, const double *G, double *b, double *x) {
  double A[64];
  int n = s->n, m = s->m;
  for (int i = 0; i < m; i++)
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += G[i * n + k] * G[j * n + k];
      A[i * m + j] = sum;
    }
  solve_sized(m, A, b);
  for (int i = 0; i < m; i++)
    for (int k = 0; k < n; k++) x[k] -= G[i * n + k] * b[i];
}

void mechanics_project(const mechanics *s, double t, double *y) {
  mechanics_terms T;
  int n = s->n, m = s->m;
  for (int k = 0; k < 5; k++) {
    double most = 0;
    s->terms(t, y, y + n, &T);
    for (int i = 0; i < m; i++) {
      double size = T.g[i] < 0 ? -T.g[i] : T.g[i];
      if (size > most) most = size;
    }
    if (most < 1e-14) break;
    subtract(s, T.G, T.g, y);
  }
  double rate[8];
  for (int i = 0; i < m; i++) {
    rate[i] = T.by_time[i];
    for (int j = 0; j < n; j++) rate[i] += T.G[i * n + j] * y[n + j];
  }
  subtract(s, T.G, rate, y + n);
}
