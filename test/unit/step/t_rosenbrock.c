/* The coefficients of Rosenbrock methods: order, companion, dense output, stability. The conditions are
 * those of section IV.7 of E. Hairer, G. Wanner, Solving Ordinary Differential Equations II: a vertex
 * with one child has the matrix beta = alpha + Gamma, one with several alpha. */
#include <math.h>
#include <stdlib.h>
#include "check.h"
#include "step/method.h"
#include "step/trees.h"

enum { STAGES = 8, ORDER = 6, TREES = 64 };

typedef struct weights {
  int s;
  double alpha[STAGES][STAGES], gamma[STAGES][STAGES], beta[STAGES][STAGES];
  double phi[TREES][STAGES];
} weights;

/* Gamma = (I/gamma - g)^-1, lower triangular, column by column; alpha = a Gamma. */
static void fill_matrices(const ritti_tableau *t, weights *w) {
  *w = (weights){.s = t->stages};
  for (int j = 0; j < w->s; j++)
    for (int i = j; i < w->s; i++) {
      double sum = i == j;
      for (int k = j; k < i; k++) sum += (double)t->g[i * (i - 1) / 2 + k] * w->gamma[k][j];
      w->gamma[i][j] = (double)t->gamma * sum;
    }
  for (int i = 0; i < w->s; i++)
    for (int j = 0; j < w->s; j++) {
      for (int k = 0; k < i; k++)
        w->alpha[i][j] += (double)t->a[i * (i - 1) / 2 + k] * w->gamma[k][j];
      w->beta[i][j] = w->alpha[i][j] + w->gamma[i][j];
    }
}

/* `several`: the products over the children with alpha, as if the vertex had another one */
static void fill_trees(const ritti_trees *all, weights *w) {
  double several[TREES][STAGES];
  for (int k = 0; k < all->first[ORDER + 1]; k++)
    for (int i = 0; i < w->s; i++) {
      several[k][i] = w->phi[k][i] = 1;
      if (all->order[k] == 1) continue;
      double by_alpha = 0, by_beta = 0;
      for (int j = 0; j < w->s; j++) {
        by_alpha += w->alpha[i][j] * w->phi[all->right[k]][j];
        by_beta += w->beta[i][j] * w->phi[all->right[k]][j];
      }
      several[k][i] = several[all->left[k]][i] * by_alpha;
      w->phi[k][i] = all->order[all->left[k]] == 1 ? by_beta : several[k][i];
    }
}

/* The order of sum u_j U_j = sum b_i k_i over a part theta of the step. */
static int find_order(const ritti_trees *all, const weights *w, const double *u, double theta) {
  double b[STAGES] = {0};
  for (int i = 0; i < w->s; i++)
    for (int j = 0; j < w->s; j++) b[j] += u[i] * w->gamma[i][j];
  for (int k = 0; k < all->first[ORDER + 1]; k++) {
    double sum = 0;
    for (int i = 0; i < w->s; i++) sum += b[i] * w->phi[k][i];
    if (fabs(sum - pow(theta, all->order[k]) / all->density[k]) > 1e-13) return all->order[k] - 1;
  }
  return ORDER;
}

static void check_method(const ritti_trees *all, const ritti_tableau *t) {
  weights w;
  double u[STAGES];
  int s = t->stages;
  fill_matrices(t, &w);
  fill_trees(all, &w);

  for (int i = 0; i < s; i++) u[i] = (double)t->b[i];
  CHECK(find_order(all, &w, u, 1) == t->order);
  for (int i = 0; i < s; i++) u[i] = (double)(t->b[i] - t->e[i]);
  CHECK(find_order(all, &w, u, 1) == t->embedded);
  for (double theta = 0.25; theta < 1; theta += 0.25) {
    for (int j = 0; j < s; j++) {
      double sum = 0;
      for (int q = t->dense_degree - 1; q >= 0; q--)
        sum = sum * theta + (double)t->dense[q * s + j];
      u[j] = theta * ((double)t->b[j] + (1 - theta) * sum);
    }
    CHECK(find_order(all, &w, u, theta) == t->dense_order);
  }

  /* where stages are, and what dV/dx counts */
  for (int i = 0; i < s; i++) {
    double c = 0, sum = 0;
    for (int j = 0; j < s; j++) c += w.alpha[i][j], sum += w.gamma[i][j];
    CHECK_NEAR(c, (double)t->c[i], 1e-13);
    CHECK_NEAR(sum, (double)t->g_sum[i], 1e-13);
  }

  /* stiffly accurate, also the companion: the last stages are taken at the ends of both */
  for (int j = 0; j + 1 < s; j++) CHECK(t->a[(s - 1) * (s - 2) / 2 + j] == t->b[j]);
  CHECK(t->b[s - 1] == 1 && t->e[s - 1] == 1 && t->c[s - 1] == 1 && t->c[s - 2] == 1);

  /* |R(iy)| <= 1 and R(-inf) = 0, by steps for y' = lambda y with h = 1, in complex numbers */
  for (double y = 1e-2; y < 1e8; y *= 1.3)
    for (int real = 0; real < 2; real++) {
      double re = real ? -y : 0, im = real ? 0 : y, U[STAGES][2], R[2] = {1, 0};
      for (int i = 0; i < s; i++) {
        double p[2] = {1, 0}, r[2] = {0, 0};
        for (int j = 0; j < i; j++)
          for (int part = 0; part < 2; part++) {
            p[part] += (double)t->a[i * (i - 1) / 2 + j] * U[j][part];
            r[part] += (double)t->g[i * (i - 1) / 2 + j] * U[j][part];
          }
        r[0] += re * p[0] - im * p[1], r[1] += re * p[1] + im * p[0];
        double d = 1 / (double)t->gamma - re, square = d * d + im * im;
        U[i][0] = (r[0] * d - r[1] * im) / square, U[i][1] = (r[1] * d + r[0] * im) / square;
        for (int part = 0; part < 2; part++) R[part] += (double)t->b[i] * U[i][part];
      }
      CHECK(hypot(R[0], R[1]) <= 1 + 1e-12);
      if (y > 1e7) CHECK(hypot(R[0], R[1]) < 1e-5);
    }
}

int main(void) {
  ritti_trees *all = malloc(sizeof *all);
  int methods = 0;
  if (!all) return 1;
  ritti_trees_grow(all, ORDER);
  CHECK(all->first[ORDER + 1] <= TREES);
  for (size_t i = 0; ritti_method_get(i); i++)
    if (ritti_method_get(i)->family == RITTI_ROSENBROCK)
      check_method(all, ritti_method_get(i)), methods++;
  CHECK(methods == 2);
  free(all);
  return CHECKS_DONE();
}
