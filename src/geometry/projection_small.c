/* Projections onto up to RITTI_SMALL_ROWS rows: the library's instance of the Gauss-Newton iteration of
 * geometry/step_kernel.h.
 *
 * In: a point a near M, rows first .. first+k-1 of df, inverse weights, and where the iteration
 * begins: q, mu. Out: q.
 */
#include "geometry/manifold_impl.h"

ritt_status ritti_small_rows_init(ritti_manifold *M, ritti_arena *arena) {
  M->no_duplicates = ritti_pattern_is_sorted(&M->problem->df);
  RITTI_NEW(M->packed, arena, 2 * (size_t)RITTI_SMALL_ROWS * (size_t)M->problem->m + 1);
  return RITT_OK;
}

/* The rows and the parts of f and df that they need. */
typedef struct row_functions {
  const ritti_problem *problem;
  const ritti_small_rows *rows;
  unsigned parts; /* RITTI_PART_... */
} row_functions;

static int evaluate_f_df(const void *data, ritt_real *work, const ritt_real *z, ritt_real *f,
                         ritt_real *df) {
  const row_functions *R = data;
  const ritti_problem *p = R->problem;
  bool sized = R->rows->freeze_sizes && R->rows->sizes->known;
  return p->call.f_df_part
             ? p->call.f_df_part(p->data, work, z, sized ? R->parts : RITTI_PART_ALL, f, df)
             : p->call.f_df(p->data, work, z, f, df);
}

static int evaluate_f(const void *data, ritt_real *work, const ritt_real *z, ritt_real *f) {
  const row_functions *R = data;
  const ritti_problem *p = R->problem;
  return p->call.f_part ? p->call.f_part(p->data, work, z, R->parts, f)
                        : p->call.f(p->data, work, z, f);
}

/* Numbers of rows are constants, so that the compiler unrolls the loops over them. */
static bool project_rows(ritti_small_rows *F, const ritti_problem *p, const ritt_real *a,
                         ritt_real *q, int low, int high, int first, int k) {
  ritti_rows_f *f = p->call.f ? evaluate_f : NULL;
#define CASE(k)                                                                                    \
  case k:                                                                                          \
    return ritti_project_rows(F, &p->df, evaluate_f_df, f, true, a, q,                             \
                              (ritti_row_range){p->m, low, high, first, k})
  switch (k) {
    CASE(1);
    CASE(2);
    CASE(3);
    CASE(4);
    CASE(5);
  default: CASE(6);
  }
#undef CASE
}

ritt_status ritti_small_rows_project(ritti_manifold *M, const ritt_real *a, ritt_real *q, int low,
                                     int high, int first, int k, bool orthogonal) {
  const ritti_problem *p = M->problem;
  const bool all = first == 0 && k == p->k;
  row_functions R = {.problem = p,
                     .parts = all         ? RITTI_PART_ALL
                              : first > 0 ? RITTI_PART_VELOCITIES
                                          : RITTI_PART_POSITIONS};
  const ritt_real *d = M->inverse_weights;
  ritti_small_rows F = {.d = d,
                        .size = M->size,
                        .f = M->f,
                        .df = M->df,
                        .mu = M->mu,
                        .B = M->packed,
                        .dB = M->packed + RITTI_SMALL_ROWS * p->m,
                        .no_duplicates = M->no_duplicates,
                        .data = &R,
                        .work = M->work,
                        .stage_tolerance = M->stage_tolerance,
                        .end_tolerance = M->end_tolerance,
                        .orthogonal = orthogonal,
                        .begins_at_a = M->predictor.scale == 0,
                        .linear = first > 0,
                        .freeze_sizes = M->cache.freeze,
                        .sizes = &M->cache.small[first > 0]};
  /* coordinates that do not move have no part in the sizes */
  while (low < high && !(d[low] > 0)) low++;
  while (low < high && !(d[high - 1] > 0)) high--;
  R.rows = &F;
  const bool converged = project_rows(&F, p, a, q, low, high, first, k);
  M->counts.iterations += F.iterations;
  M->counts.factorisations += F.factorisations;
  if (converged) return RITT_OK;
  switch (F.end) {
  case RITTI_WITHOUT_VALUE:
    return ritti_projection_no_value(M, F.status ? (ritt_status)F.status : RITT_RETRY, q);
  case RITTI_RANK_LOSS: return ritti_projection_fail(M, RITTI_DEPENDENT_ROWS, q);
  default: return ritti_projection_fail(M, RITTI_NO_CONVERGENCE, q);
  }
}
