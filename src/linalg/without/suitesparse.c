/* In place of ../suitesparse.c where the tower is built without SuiteSparse: it has neither AMD nor
 * KLU, and the callers take own orders, bands and dense matrices. */
#include "linalg/sparse_impl.h"

bool ritti_amd(int n, const int *start, const int *to, int *order) {
  (void)n, (void)start, (void)to, (void)order;
  return false;
}

ritt_status ritti_klu_new(int n, int *start, int *col, ritti_arena *arena, ritti_klu **out) {
  (void)n, (void)start, (void)col, (void)arena;
  *out = NULL;
  return RITT_OK;
}

bool ritti_klu_factor(ritti_klu *klu, ritt_real *a, int *sign) {
  (void)klu, (void)a, (void)sign;
  return false;
}

void ritti_klu_solve(ritti_klu *klu, ritt_real *x, bool transposed) {
  (void)klu, (void)x, (void)transposed;
}

void ritti_klu_forget(ritti_klu *klu) { (void)klu; }

void ritti_klu_state(ritti_klu *klu, ritt_real *a, bool factors, ritti_state *state) {
  (void)klu, (void)a, (void)factors, (void)state;
}

long ritti_klu_full(const ritti_klu *klu) {
  (void)klu;
  return 0;
}

void ritti_klu_costs(const ritti_klu *klu, double *fill, double *operations) {
  (void)klu;
  *fill = *operations = INFINITY;
}

ritt_status ritti_complex_sparse_new(const ritti_pattern *pattern, ritti_arena *arena,
                                     ritti_complex_sparse **out) {
  (void)pattern, (void)arena;
  *out = NULL;
  return RITT_OK;
}

bool ritti_complex_sparse_factor(ritti_complex_sparse *sparse, const ritt_real *entry, int entries,
                                 const int *diagonal, int shifts, ritt_real alpha, ritt_real beta) {
  (void)sparse, (void)entry, (void)entries, (void)diagonal, (void)shifts, (void)alpha, (void)beta;
  return false;
}

void ritti_complex_sparse_solve(ritti_complex_sparse *sparse, ritt_real *re, ritt_real *im) {
  (void)sparse, (void)re, (void)im;
}

void ritti_complex_sparse_forget(ritti_complex_sparse *sparse) { (void)sparse; }

void ritti_complex_sparse_state(ritti_complex_sparse *sparse, ritti_state *state) {
  (void)sparse, (void)state;
}
