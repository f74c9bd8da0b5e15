/* Nonlinear least squares with bounds and robust losses. */
#ifndef RITTI_LEAST_SQUARES_H
#define RITTI_LEAST_SQUARES_H

#include "linalg/linalg.h"

typedef enum ritti_loss {
  RITTI_LOSS_LINEAR,
  RITTI_LOSS_SOFT,
  RITTI_LOSS_HUBER,
  RITTI_LOSS_CAUCHY
} ritti_loss;
/* The loss with this name; -1: there is none. */
int ritti_find_loss(const char *name);

typedef struct ritti_least_squares {
  int unknowns, rows;
  const double *low, *high; /* bounds of the unknowns */
  ritti_loss loss;
  double scale; /* residuals beyond it count less, except with the linear loss */
  int most_iterations;
  /* Gives the residuals at x and their derivatives, rows x unknowns. RITT_RETRY: there are none. */
  ritt_status (*evaluate)(void *user, const double *x, double *residual, double *slope);
  void *user;
} ritti_least_squares;

typedef struct ritti_least_squares_result {
  double cost;              /* half the sum of the losses */
  double *residual, *slope; /* at the result, with the factors of the loss */
  int iterations;
  bool converged;
} ritti_least_squares_result;

/* Minimises from x, which becomes the result. RITT_RETRY: there are no residuals at x. */
ritt_status ritti_least_squares_solve(const ritti_least_squares *q, ritti_arena *arena, double *x,
                                      ritti_least_squares_result *out) RITT_USE;

/* The covariance of n unknowns, n x n: variance times the inverse of S^T S for the derivatives S, rows
 * x n. Entries of unknowns that are not determined are infinite. */
ritt_status ritti_covariance(int rows, int n, const double *slope, double variance,
                             ritti_arena *arena, double *out) RITT_USE;
/* The factor of a two-sided interval of Student's distribution. */
double ritti_student_factor(double confidence, long degrees);

#endif
