/* Gauss-Newton for up to RITTI_FEW rows: the iteration of manifold.c, each point of it in two passes over the
 * coordinates (whole.h).
 *
 * In: a point a near M, rows first .. first+k-1 of df, spreads d, and where the iteration begins: q, mu. Out: q.
 */
#include "geometry/manifold_impl.h"

ritt_status ritti_few_init(ritti_manifold *M, ritti_arena *arena) {
  M->single = ritti_pattern_is_sorted(&M->problem->df);
  RITTI_NEW(M->few, arena, 2 * (size_t)RITTI_FEW * (size_t)M->problem->m + 1);
  return RITT_OK;
}

static int f_df(const void *data, ritt_real *work, const ritt_real *z, ritt_real *f, ritt_real *df) {
  const ritti_problem *p = data;
  return p->f_df(p->data, work, z, f, df);
}

static int rows(const void *data, ritt_real *work, const ritt_real *z, ritt_real *f) {
  const ritti_problem *p = data;
  return p->f(p->data, work, z, f);
}

static ritti_few_end iterate(ritti_few *F, const ritti_problem *p, const ritt_real *a, ritt_real *q, int low,
                             int high, int first, int k) {
  ritti_few_rows *f = p->f ? rows : NULL;
  switch (k) {
  case 1: return ritti_few_iterate(F, &p->df, f_df, f, a, q, p->m, low, high, first, 1);
  case 2: return ritti_few_iterate(F, &p->df, f_df, f, a, q, p->m, low, high, first, 2);
  case 3: return ritti_few_iterate(F, &p->df, f_df, f, a, q, p->m, low, high, first, 3);
  case 4: return ritti_few_iterate(F, &p->df, f_df, f, a, q, p->m, low, high, first, 4);
  case 5: return ritti_few_iterate(F, &p->df, f_df, f, a, q, p->m, low, high, first, 5);
  default: return ritti_few_iterate(F, &p->df, f_df, f, a, q, p->m, low, high, first, 6);
  }
}

ritt_status ritti_few_project(ritti_manifold *M, const ritt_real *d, const ritt_real *a, ritt_real *q,
                              int low, int high, int first, int k, bool orthogonal) {
  ritti_few F = {.d = d,
                 .size = M->size,
                 .f = M->f,
                 .df = M->df,
                 .mu = M->mu,
                 .B = M->few,
                 .dB = M->few + RITTI_FEW * M->problem->m,
                 .single = M->single,
                 .data = M->problem,
                 .work = M->work,
                 .loose = M->loose,
                 .aside = M->aside,
                 .orthogonal = orthogonal,
                 .there = M->bend == 0,
                 .linear = first > 0,
                 .frozen = M->frozen,
                 .sizes = &M->sizes[first > 0]};
  /* what does not move has no part in the sizes */
  while (low < high && !(d[low] > 0)) low++;
  while (low < high && !(d[high - 1] > 0)) high--;
  ritti_few_end end = iterate(&F, M->problem, a, q, low, high, first, k);
  M->iterations += F.iterations;
  M->factorisations += F.factorisations;
  switch (end) {
  case RITTI_FEW_DONE: return RITT_OK;
  case RITTI_FEW_VALUE: return ritti_projection_no_value(M, (ritt_status)F.status, q);
  case RITTI_FEW_RANK: return ritti_projection_fail(M, RITTI_DEPENDENT_ROWS, q);
  case RITTI_FEW_LOST: break;
  }
  return ritti_projection_fail(M, RITTI_NO_CONVERGENCE, q);
}
