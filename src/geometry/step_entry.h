/* How native code enters the step kernel (geometry/step_kernel.h): text for native code alone, behind
 * the functions and constants of one problem and method (codegen/unit.c).
 *
 * In: the jobs of RITTI_WIDTH runs. Out: their steps. At width 1 inputs are read in place; a batch
 * gathers the numbers of its runs into vectors and scatters the results. The unit defines step_problem,
 * step_method, and the sizes RITTI_M, RITTI_K, RITTI_DF (entries), RITTI_TOPS, RITTI_STAGES; for a
 * batch also RITTI_ROW (slots of the work row), and the lists step_reads (RITTI_READS slots that the
 * functions read) and step_factors (RITTI_FACTORS entries of L that are not always 0).
 */
#ifndef RITTI_STEP_ENTRY_H
#define RITTI_STEP_ENTRY_H

#include "geometry/step_kernel.h"

/* Writes the points of a step to the job of lane l: the first `vectors` vectors V, and the end unless
 * only stages were taken. */
static inline void ritti_store_points(const ritti_kernel_step *S, const int l, const int vectors,
                                      const bool ended, ritti_step_job *W) {
  RITTI_UNROLLED
  for (int i = 1; i < vectors; i++)
    for (int j = 0; j < RITTI_M; j++) W->V[i][j] = RITTI_LANE(S->V[i][j], l);
  for (int j = 0; j < RITTI_M; j++) W->point[j] = RITTI_LANE(S->point[j], l);
  if (!ended) return;
  for (int j = 0; j < RITTI_M; j++) W->end[j] = RITTI_LANE(S->end_from[j], l);
  for (int j = 0; j < RITTI_M; j++) W->z_new[j] = RITTI_LANE(S->z_new[j], l);
  W->iterations = RITTI_LANE(S->iterations, l);
  W->idle = RITTI_LANE(S->idle, l);
  W->factorisations = RITTI_LANE(S->factorisations, l);
  W->most = RITTI_LANE(S->most, l);
}

/* Writes the norms of a step and the highest derivatives at its end to the job of lane l. */
static inline void ritti_store_norms(const ritti_kernel_step *S, const int l, ritti_step_job *W) {
  for (int i = 0; i < RITTI_TOPS; i++) W->top[i] = RITTI_LANE(S->top[i], l);
  W->norms.square = RITTI_LANE(S->square, l);
  W->norms.other = RITTI_LANE(S->other, l);
  W->norms.moved = RITTI_LANE(S->moved, l);
  W->norms.length = RITTI_LANE(S->length, l);
  W->norms.residual = RITTI_LANE(S->residual, l);
}

#if RITTI_WIDTH == 1

/* A step of one run, or the part of it that was taken. */
static inline int ritti_run_job(ritti_step_job *W, ritti_kernel_step *S) {
  const ritti_step_problem *P = &step_problem;
  const ritti_step_method *T = &step_method;
  const bool small = ritti_are_small_rows(T->sequential, P->constraints, P->k);
  if (W->key != T->key || (!small && T->project_stages)) return RITTI_STEP_NOTHING;

  /* the job, partly in place */
  S->h = W->h, S->x_new = W->x_new, S->work = W->work, S->factors = W->factors;
  S->spread = W->spread, S->size = W->size, S->metric = W->metric;
  S->relative = W->relative, S->absolute = W->absolute, S->kept = W->kept;
  ritti_copy_reals(RITTI_M, W->z, S->z);
  ritti_copy_reals(RITTI_M, W->V[0], S->V[0]);
  S->loose =
      S->relative ? ritti_stage_tolerance(RITTI_M, 1, S->z, S->relative, S->absolute, S->size) : 0;
  W->loose = S->loose;

  /* with many rows the stages alone are taken, if they are not projected */
  if (!ritti_take_points(S, P, T, 1, 1, RITTI_STAGES - !small, W->directed))
    return RITTI_STEP_NOTHING;
  ritti_store_points(S, 0, RITTI_STAGES + (small && W->directed), small, W);
  if (!small) return RITTI_STEP_STAGES;
  if (!W->directed) return RITTI_STEP_END;
  ritti_measure_step(S, P, T);
  ritti_store_norms(S, 0, W);
  return RITTI_STEP_WHOLE;
}

#else

/* Gathers one number of each job, and arrays of m of them. */
#define RITTI_GATHER(place, number)                                                                \
  for (int l = 0; l < RITTI_WIDTH; l++) (place)[l] = W[l]->number
#define RITTI_GATHER_ALL(array, member)                                                            \
  for (int i = 0; i < RITTI_M; i++) RITTI_GATHER((array)[i], member[i])

/* The steps of RITTI_WIDTH runs, all with V at the end, tolerances and a metric. Returns the lanes
 * whose steps were taken. */
static inline ritti_mask ritti_run_batch(ritti_step_job *const *W, const int count,
                                         ritti_kernel_step *S) {
  const ritti_step_problem *P = &step_problem;
  const ritti_step_method *T = &step_method;
  ritt_real spread[RITTI_M], size[RITTI_M], relative[RITTI_M], absolute[RITTI_M], metric[RITTI_M];
  ritt_real work[RITTI_ROW], factors[RITTI_TOPS * RITTI_TOPS];

  S->spread = spread, S->size = size, S->metric = metric, S->work = work, S->factors = factors;
  S->relative = relative, S->absolute = absolute;
  RITTI_GATHER(S->h, h);
  RITTI_GATHER(S->x_new, x_new);
  RITTI_GATHER_ALL(S->z, z);
  RITTI_GATHER_ALL(S->V[0], V[0]);
  RITTI_GATHER_ALL(spread, spread);
  RITTI_GATHER_ALL(size, size);
  RITTI_GATHER_ALL(relative, relative);
  RITTI_GATHER_ALL(absolute, absolute);
  RITTI_GATHER_ALL(metric, metric);
  for (int i = 0; i < RITTI_READS; i++) RITTI_GATHER(work[step_reads[i]], work[step_reads[i]]);
  S->loose = ritti_stage_tolerance(RITTI_M, 1, S->z, relative, absolute, size);

  ritti_mask on = ritti_take_points(S, P, T, 1, 1, RITTI_STAGES, true);
  on = RITTI_AND(on, ritti_are_finite(RITTI_M, S->z_new));
  if (!RITTI_ANY(on)) return on;
  for (int l = 0; l < count; l++)
    if (on[l]) ritti_store_points(S, l, RITTI_STAGES + 1, true, W[l]);
  ritti_measure_step(S, P, T);
  on = RITTI_AND(on, S->square < INFINITY); /* else a stage had no value */
  for (int l = 0; l < count; l++) {
    if (!on[l]) continue;
    ritti_store_norms(S, l, W[l]);
    W[l]->loose = S->loose[l];
    for (int i = 0; i < RITTI_FACTORS; i++)
      W[l]->factors[step_factors[i]] = factors[step_factors[i]][l];
  }
  return on;
}

#endif

/* A step with arrays of its own */
#define RITTI_STEP_ARRAYS                                                                          \
  ritt_real f[RITTI_K + 1], df[RITTI_DF + 1], mu[RITTI_K + 1], B[RITTI_K * RITTI_M + 1];           \
  ritt_real dB[RITTI_K * RITTI_M + 1], per[RITTI_M], from[RITTI_M], z[RITTI_M], point[RITTI_M];    \
  ritt_real z_new[RITTI_M], top[RITTI_TOPS], vectors[RITTI_M * (RITTI_STAGES + 1)];                \
  ritt_real *V[RITTI_STAGES + 1];                                                                  \
  ritti_sizes sizes[2];                                                                            \
  ritti_kernel_step S = {.z = z,                                                                   \
                         .point = point,                                                           \
                         .z_new = z_new,                                                           \
                         .top = top,                                                               \
                         .V = V,                                                                   \
                         .stage_from = from,                                                       \
                         .end_from = from,                                                         \
                         .f = f,                                                                   \
                         .df = df,                                                                 \
                         .mu = mu,                                                                 \
                         .B = B,                                                                   \
                         .dB = dB,                                                                 \
                         .per = per,                                                               \
                         .sizes = sizes};                                                          \
  sizes[0].known = sizes[1].known = false;                                                         \
  RITTI_UNROLLED                                                                                   \
  for (int i = 0; i <= RITTI_STAGES; i++) V[i] = vectors + RITTI_M * i

#if RITTI_WIDTH == 1
int ritt_step(ritti_step_job *W) {
  RITTI_STEP_ARRAYS;
  return ritti_run_job(W, &S);
}
unsigned long ritt_step_key(void) { return step_method.key; }
#else
/* The steps of `count` runs, at least 1; done: 1 or 0 for each. Lanes of the last vector that are
 * left over copy the last run. */
void ritt_batch_steps(int count, ritti_step_job *const *jobs, int *done) {
  for (int first = 0; first < count; first += RITTI_WIDTH) {
    const int left = count - first < RITTI_WIDTH ? count - first : RITTI_WIDTH;
    ritti_step_job *W[RITTI_WIDTH];
    RITTI_STEP_ARRAYS;
    for (int l = 0; l < RITTI_WIDTH; l++) W[l] = jobs[first + (l < left ? l : left - 1)];
    const ritti_mask on = ritti_run_batch(W, left, &S);
    for (int l = 0; l < left; l++) done[first + l] = on[l] != 0;
  }
}
#endif

#endif
