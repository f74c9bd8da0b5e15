/* Large stiff systems with few entries in each row: Ritt, and CVODE and IDA with KLU. */
#ifndef RITT_BENCH_SPARSE_H
#define RITT_BENCH_SPARSE_H

#include "solvers.h"

/* y' = rhs(t, y); the Jacobian by rows, with the same pattern everywhere */
typedef struct sparse_problem {
  const char *name, *model; /* the model has a parameter n */
  int size, unknowns;       /* n, and what it makes of it */
  double end;
  void (*start)(int size, double *y);
  void (*rhs)(int size, double t, const double *y, double *out);
  /* entries of row i: columns and values; returns how many */
  int (*row)(int size, int i, double t, const double *y, int *col, double *value);
} sparse_problem;

enum { SPARSE_MOST_IN_ROW = 6 };

extern const sparse_problem sparse_problems[];
extern const int sparse_problem_count;

/* These are there where HAVE_SUNDIALS is 1; y: the values at the end, may be NULL. */
bench_result sparse_cvode(const sparse_problem *p, double tolerance, double *y);
bench_result sparse_ida(const sparse_problem *p, double tolerance, double *y);

#endif
