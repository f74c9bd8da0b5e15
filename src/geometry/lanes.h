/* A whole step of an explicit method (geometry/whole.h) for several runs at once, one in each lane
 * of vectors: text for native code alone, which eval/lanes.c puts behind the functions of a
 * problem.
 *
 * In: what each run tells native code of its step. Out: the same as of a step alone. All that
 * computes is the text of whole.h with vectors for reals; the decisions are made here, lane by
 * lane, such that every lane has the bits of the step taken alone: lanes that have arrived keep
 * their values while others go on. A lane in which something is out of the ordinary (there, or
 * here: a projection that takes more than RITTI_NEAR_ORTHOGONAL iterations) is given back with
 * nothing, and its run takes the step alone.
 *
 * eval/lanes.c writes before it: `lanes`, a vector of RITTI_WIDTH doubles, `which`, a mask (-1:
 * this lane is meant, 0), RITTI_PICK and RITTI_ANY on masks, the sizes of the problem as
 * RITTI_LANES_..., and behind it what is declared first here.
 */
#ifndef RITTI_LANES_H
#define RITTI_LANES_H

#include "geometry/whole.h"

static void lanes_f(const lanes *r, const lanes *z, lanes *f);
static void lanes_f_df(const lanes *r, const lanes *z, lanes *f, lanes *df);
/* Says in which lanes it is to be had. */
static which lanes_top(const lanes *r, const lanes *z, lanes *factors, lanes *top);
static const ritti_step_method ritti_lanes_method;
static const ritti_pattern ritti_lanes_pattern; /* of df */
static const int ritti_lanes_next[RITTI_LANES_M + 1], ritti_lanes_reads[RITTI_LANES_READS + 1];
static const int
    ritti_lanes_filled[RITTI_LANES_FILLED + 1]; /* places of the factors that are not always 0 */

static inline which ritti_lanes_none(void) { return (which){0}; }

static inline which ritti_lanes_finite(const int n, const lanes *a) {
  lanes sum = RITTI_ZERO;
  for (int i = 0; i < n; i++) sum += 0 * a[i];
  return sum == 0;
}

/* As ritti_projection_foreseen. */
static inline which ritti_lanes_foreseen(lanes before, lanes ratio, lanes loose, lanes moved,
                                         lanes distance, lanes size) {
  lanes rows = moved * moved, unit = size * size;
  which sharp =
      (64 * rows <= 4 * RITTI_EPS * unit) &
      ((64 * before * ratio <= 4 * RITTI_EPS) | (1000 * moved * distance <= 4 * RITTI_EPS * unit));
  return (distance < 0.1 * size) & ((4 * rows <= loose * unit) | sharp);
}

/* As in linalg/small.h. */
static inline which ritti_pivot_is_sound(const int n, bool positive, lanes pivot, lanes sizes,
                                         lanes carried) {
  lanes size = positive ? pivot : -pivot;
  return (sizes < INFINITY) & (size > 1024 * (ritti_single)n * RITTI_EPS * sizes) &
         (size > 16 * carried);
}

/* As ritti_few_factor. */
static inline which ritti_lanes_factor(ritti_gathered *G, const int k) {
  lanes LD[RITTI_SMALL_ROWS], *per = G->per_pivot;
  which sound = ~ritti_lanes_none();
  for (int i = 0; i < k; i++) {
    lanes diagonal = G->S[i][i], pivot = diagonal;
    for (int l = 0; l < i; l++) {
      LD[l] = G->S[i][l];
      for (int n = 0; n < l; n++) LD[l] -= LD[n] * G->S[l][n];
      G->S[i][l] = LD[l] * per[l];
      pivot -= LD[l] * G->S[i][l];
    }
    sound &= (pivot > 4 * (ritti_single)k * RITTI_EPS * diagonal) & (pivot < INFINITY);
    G->pivot[i] = pivot, per[i] = 1 / pivot;
  }
  return sound;
}

/* The lanes that are on move; returns the largest change of a coordinate. */
static inline lanes ritti_lanes_move(const ritti_few *F, which on, const lanes *mu,
                                     const lanes *from, lanes *q, const int low, const int high,
                                     const int k) {
  lanes before[RITTI_LANES_M];
  ritti_whole_copy(RITTI_LANES_M, q, before);
  lanes most = ritti_few_move(F, mu, from, q, low, high, k);
  for (int j = low; j < high; j++) q[j] = RITTI_PICK(on, q[j], before[j]);
  return most;
}

/* What the runs of a group need in common, and how often each has done what. */
typedef struct ritti_lanes_group {
  const lanes *r;                   /* parameters and levels of the problem, by slot */
  which alive;                      /* lanes in which nothing out of the ordinary has happened */
  which iterations, factorisations; /* of each lane, as numbers */
  which projections, idle, most, count; /* count: iterations of the projection that goes on */
} ritti_lanes_group;

/* As ritti_few_chords, of the lanes that are on; returns those that have arrived. */
static inline which ritti_lanes_chords(ritti_lanes_group *W, ritti_few *F, const ritti_gathered *G,
                                       which on, lanes *q, const int low, const int high,
                                       const int first, const int k, const lanes moved) {
  const lanes size = F->sizes->size, unit = size * size;
  const which loosely = F->loose > 0;
  const lanes enough = RITTI_PICK(loosely, F->loose / 4, RITTI_ZERO + RITTI_EPS / 16);
  which arrived = ritti_lanes_none();
  on &= loosely | (F->aside > 0);
  on &= moved < 0.05 * size;
  on &= loosely | (4 * moved * ritti_max(G->distance, moved) <= F->aside * unit);
  on &= moved * moved * moved <= enough * unit * size;
  lanes before = moved;
  for (int i = 0; i < RITTI_MOST_CHORDS && RITTI_ANY(on); i++) {
    lanes mu[RITTI_SMALL_ROWS];
    lanes_f(W->r, q, F->f);
    for (int l = 0; l < k; l++) mu[l] = F->f[first + l];
    ritti_few_solve(G, k, false, mu);
    on &= ritti_lanes_finite(k, mu);
    lanes now = ritti_lanes_move(F, on, mu, q, q, low, high, k);
    for (int l = 0; l < k; l++) F->mu[l] = RITTI_PICK(on, F->mu[l] + mu[l], F->mu[l]);
    W->count -= on;
    which there = on & (now * moved <= enough * unit);
    arrived |= there;
    on &= ~there & (now < before / 8);
    before = now;
  }
  return arrived;
}

/* As ritti_few_iterate, to the seventh iteration; takes lanes that do not arrive out of the group.
 */
static inline void ritti_lanes_iterate(ritti_lanes_group *W, ritti_few *F, const lanes *a, lanes *q,
                                       const int low, const int high, const int first,
                                       const int k) {
  lanes before = RITTI_ZERO + INFINITY, ratio = before;
  which on = W->alive, still = ritti_lanes_none();
  for (int iteration = 0; iteration < RITTI_NEAR_ORTHOGONAL && RITTI_ANY(on); iteration++) {
    ritti_gathered G;
    lanes_f_df(W->r, q, F->f, F->df);
    ritti_few_spread(F, &ritti_lanes_pattern, RITTI_LANES_M, first, k);
    if (!F->sizes->known) ritti_few_sizes(F, q, RITTI_LANES_M, low, high, k);
    if (iteration == 0) ritti_few_gather(F, a, q, low, high, k, true, &G);
    else ritti_few_gather(F, a, q, low, high, k, false, &G);
    const lanes size = F->sizes->size;
    lanes r = ritti_few_residual(F, first, k), rest = G.rest * F->sizes->per_size;
    if (F->orthogonal) r = RITTI_PICK(rest <= r, r, rest);
    /* as ritti_projection_judge */
    which arrived = on & ((r <= 4 * RITTI_EPS) | still | ((r < 1e-13) & ~(r < before / 2)));
    which bad = arrived & ~ritti_lanes_finite((high - low) * k, F->B + low * k);
    W->alive &= ~bad, on &= ~(bad | arrived);
    if (!RITTI_ANY(on)) return;
    if (iteration > 0) ratio = r / before;
    before = r;
    for (int i = 0; i < k; i++) F->mu[i] = F->f[first + i] + G.right[i];
    W->factorisations -= on;
    bad = on & ~ritti_lanes_factor(&G, k);
    ritti_few_solve(&G, k, true, F->mu);
    bad |= on & ~ritti_lanes_finite(k, F->mu);
    W->alive &= ~bad, on &= ~bad;
    lanes moved = ritti_lanes_move(F, on, F->mu, a, q, low, high, k);
    W->count -= on;
    still = moved <= 4 * RITTI_EPS * size;
    if (F->linear) on &= ~(moved <= 1e-3 * size);
    on &= ~ritti_lanes_foreseen(before, ratio, F->loose, moved, ritti_max(G.distance, moved), size);
    if (RITTI_ANY(on)) on &= ~ritti_lanes_chords(W, F, &G, on, q, low, high, first, k, moved);
  }
  W->alive &= ~on;
}

/* As ritti_whole_project. */
static inline void ritti_lanes_project(ritti_lanes_group *W, ritti_few *F, ritti_sizes *sizes,
                                       const lanes *from, lanes *q) {
  const int m = RITTI_LANES_M, n = RITTI_LANES_POSITIONS, l = RITTI_LANES_CONSTRAINTS,
            k = RITTI_LANES_K;
  W->count = ritti_lanes_none();
  for (int j = 0; j < k; j++) F->mu[j] = RITTI_ZERO;
  F->sizes = sizes;
  F->orthogonal = !RITTI_LANES_SEQUENTIAL, F->linear = false;
  if (RITTI_LANES_SEQUENTIAL) {
    ritti_lanes_iterate(W, F, from, q, 1, n + 1, 0, l);
    for (int j = 0; j < k; j++) F->mu[j] = RITTI_ZERO;
    F->linear = true, F->sizes = sizes + 1;
    ritti_lanes_iterate(W, F, from, q, n + 1, m, l, l);
  } else ritti_lanes_iterate(W, F, from, q, 1, m, 0, k);
  W->iterations += W->count;
  W->projections += 1;
  W->idle -= W->count == 0;
  W->most = (W->most & (W->most > W->count)) | (W->count & ~(W->most > W->count));
}

/* The numbers of a run before a step, one after the other: */
enum {
  RITTI_IN_H,
  RITTI_IN_X_NEW,
  RITTI_IN_Z,
  RITTI_IN_V = RITTI_IN_Z + RITTI_LANES_M,
  RITTI_IN_SPREAD = RITTI_IN_V + RITTI_LANES_M,
  RITTI_IN_SIZE = RITTI_IN_SPREAD + RITTI_LANES_M,
  RITTI_IN_RELATIVE = RITTI_IN_SIZE + RITTI_LANES_M,
  RITTI_IN_ABSOLUTE = RITTI_IN_RELATIVE + RITTI_LANES_M,
  RITTI_IN_METRIC = RITTI_IN_ABSOLUTE + RITTI_LANES_M,
  RITTI_IN_READS = RITTI_IN_METRIC + RITTI_LANES_M,
  RITTI_IN_ALL = RITTI_IN_READS + RITTI_LANES_READS
};
/* and after it; V from the second stage on */
enum {
  RITTI_OUT_SQUARE,
  RITTI_OUT_OTHER,
  RITTI_OUT_MOVED,
  RITTI_OUT_LENGTH,
  RITTI_OUT_RESIDUAL,
  RITTI_OUT_LOOSE,
  RITTI_OUT_Z,
  RITTI_OUT_END = RITTI_OUT_Z + RITTI_LANES_M,
  RITTI_OUT_POINT = RITTI_OUT_END + RITTI_LANES_M,
  RITTI_OUT_V = RITTI_OUT_POINT + RITTI_LANES_M,
  RITTI_OUT_TOP = RITTI_OUT_V + RITTI_LANES_M * RITTI_LANES_STAGES,
  RITTI_OUT_FACTORS = RITTI_OUT_TOP + RITTI_LANES_TOPS,
  RITTI_OUT_ALL = RITTI_OUT_FACTORS + RITTI_LANES_FACTORS
};

/* As ritti_whole_look. */
static inline void ritti_lanes_look(const ritti_lanes_group *W, const lanes *in, lanes *out,
                                    lanes *from, lanes *const *V, lanes *f) {
  const int m = RITTI_LANES_M, stages = ritti_lanes_method.stages,
            count = stages + ritti_lanes_method.fsal;
  const lanes *z_new = out + RITTI_OUT_Z, h = in[RITTI_IN_H];
  lanes per[RITTI_LANES_M], residual = RITTI_ZERO;
  ritti_per_tolerance(m, 1, in + RITTI_IN_Z, z_new, in + RITTI_IN_RELATIVE, in + RITTI_IN_ABSOLUTE,
                      per);
  for (int j = 1; j < m; j++) from[j] -= z_new[j];
  out[RITTI_OUT_MOVED] = ritti_mean_square(m, 1, from, per);
  out[RITTI_OUT_SQUARE] = out[RITTI_OUT_OTHER] = RITTI_ZERO;
  if (ritti_lanes_method.e) {
    ritti_combine_stages(1, m, NULL, h, ritti_lanes_method.e, V, count, from);
    out[RITTI_OUT_SQUARE] = ritti_mean_square(m, 1, from, per);
  }
  if (ritti_lanes_method.e3) {
    ritti_combine_stages(1, m, NULL, h, ritti_lanes_method.e3, V, count, from);
    out[RITTI_OUT_OTHER] = ritti_mean_square(m, 1, from, per);
  }
  out[RITTI_OUT_LENGTH] =
      ritti_step_length(m, stages, ritti_lanes_method.b, V, in + RITTI_IN_METRIC, h);
  if (RITTI_LANES_K) lanes_f(W->r, z_new, f);
  for (int i = 0; i < RITTI_LANES_K; i++) {
    lanes size = RITTI_MATH(fabs)(f[i]);
    RITTI_PUT_UNLESS(size <= residual, residual, size);
  }
  out[RITTI_OUT_RESIDUAL] = residual;
}

/* As ritti_whole_take, of a step with V at its end and an estimate of its error. */
static inline ritti_lanes_group ritti_lanes_take(const lanes *in, lanes *out) {
  const int m = RITTI_LANES_M, stages = ritti_lanes_method.stages;
  const ritti_single *row = ritti_lanes_method.a;
  const lanes *z = in + RITTI_IN_Z, h = in[RITTI_IN_H];
  lanes f[RITTI_LANES_K + 1], df[RITTI_LANES_DF + 1], mu[RITTI_LANES_K + 1];
  lanes B[RITTI_LANES_K * RITTI_LANES_M + 1], dB[RITTI_LANES_K * RITTI_LANES_M + 1];
  lanes from[RITTI_LANES_M], first[RITTI_LANES_M], r[RITTI_LANES_ROW], *V[RITTI_LANES_STAGES + 1];
  ritti_sizes sizes[2];
  ritti_lanes_group W = {.r = r, .alive = ~ritti_lanes_none()};
  ritti_few F = {.d = ritti_lanes_method.weighted ? in + RITTI_IN_SPREAD : NULL,
                 .size = in + RITTI_IN_SIZE,
                 .f = f,
                 .df = df,
                 .mu = mu,
                 .B = B,
                 .dB = ritti_lanes_method.weighted ? dB : B,
                 .single = RITTI_LANES_SINGLE};
  for (int i = 0; i < RITTI_LANES_READS; i++) r[ritti_lanes_reads[i]] = in[RITTI_IN_READS + i];
  sizes[0].known = sizes[1].known = false;
  const lanes loose = ritti_stage_tolerance(m, 1, z, in + RITTI_IN_RELATIVE, in + RITTI_IN_ABSOLUTE,
                                            in + RITTI_IN_SIZE);
  out[RITTI_OUT_LOOSE] = loose;
  V[0] = first;
  ritti_whole_copy(m, in + RITTI_IN_V, first);
  for (int i = 1; i <= stages; i++) V[i] = out + RITTI_OUT_V + (i - 1) * m;
  RITTI_UNROLLED
  for (int i = 1; i <= stages; i++) {
    const bool last = i == stages;
    lanes *q = out + (last ? RITTI_OUT_Z : RITTI_OUT_POINT);
    ritti_combine_stages(1, m, z, h, last ? ritti_lanes_method.b : row, V, i, from);
    row += i;
    if (last) from[0] = in[RITTI_IN_X_NEW];
    else from[0] = z[0] + ritti_lanes_method.c[i] * h;
    ritti_whole_copy(m, from, q);
    if (RITTI_LANES_K && (last || ritti_lanes_method.project_stages)) {
      F.loose = F.aside = RITTI_ZERO;
      *(last ? &F.aside : &F.loose) = loose;
      ritti_lanes_project(&W, &F, sizes, from, q);
    }
    lanes *top = out + RITTI_OUT_TOP;
    W.alive &=
        lanes_top(r, q, out + RITTI_OUT_FACTORS, top) & ritti_lanes_finite(RITTI_LANES_TOPS, top);
    V[i][0] = RITTI_ZERO + 1;
    for (int j = 1; j < m; j++)
      V[i][j] = ritti_lanes_next[j] >= 0 ? q[ritti_lanes_next[j]] : top[-1 - ritti_lanes_next[j]];
  }
  ritti_whole_copy(m, from, out + RITTI_OUT_END);
  ritti_lanes_look(&W, in, out, from, V, f);
  return W;
}

static inline void ritti_lanes_gather(const ritti_step_job *W, const int l, lanes *in) {
  in[RITTI_IN_H][l] = W->h, in[RITTI_IN_X_NEW][l] = W->x_new;
  for (int i = 0; i < RITTI_LANES_M; i++) {
    in[RITTI_IN_Z + i][l] = W->z[i], in[RITTI_IN_V + i][l] = W->V[0][i];
    in[RITTI_IN_SPREAD + i][l] = W->spread[i], in[RITTI_IN_SIZE + i][l] = W->size[i];
    in[RITTI_IN_RELATIVE + i][l] = W->relative[i], in[RITTI_IN_ABSOLUTE + i][l] = W->absolute[i];
    in[RITTI_IN_METRIC + i][l] = W->metric[i];
  }
  for (int i = 0; i < RITTI_LANES_READS; i++)
    in[RITTI_IN_READS + i][l] = W->work[ritti_lanes_reads[i]];
}

static inline void ritti_lanes_scatter(const lanes *out, const ritti_lanes_group *G, const int l,
                                       ritti_step_job *W) {
  W->square = out[RITTI_OUT_SQUARE][l], W->other = out[RITTI_OUT_OTHER][l],
  W->moved = out[RITTI_OUT_MOVED][l];
  W->length = out[RITTI_OUT_LENGTH][l], W->residual = out[RITTI_OUT_RESIDUAL][l];
  W->loose = out[RITTI_OUT_LOOSE][l];
  W->projections += G->projections[l], W->iterations += G->iterations[l], W->idle += G->idle[l];
  W->factorisations += G->factorisations[l];
  if (G->most[l] > W->most) W->most = G->most[l];
  for (int i = 0; i < RITTI_LANES_M; i++) {
    W->z_new[i] = out[RITTI_OUT_Z + i][l], W->end[i] = out[RITTI_OUT_END + i][l];
    W->point[i] = out[RITTI_OUT_POINT + i][l];
  }
  for (int k = 0; k < RITTI_LANES_STAGES; k++)
    for (int i = 0; i < RITTI_LANES_M; i++)
      W->V[k + 1][i] = out[RITTI_OUT_V + k * RITTI_LANES_M + i][l];
  for (int i = 0; i < RITTI_LANES_TOPS; i++) W->top[i] = out[RITTI_OUT_TOP + i][l];
  for (int i = 0; i < RITTI_LANES_FILLED; i++)
    W->factors[ritti_lanes_filled[i]] = out[RITTI_OUT_FACTORS + ritti_lanes_filled[i]][l];
}

/* The steps of so many runs (at least 1), all with V at the end, tolerances and a metric; done: of
 * each, 1 or 0. Lanes of the last vector that are left over copy the last run. */
static inline void ritti_lanes_all(const int count, ritti_step_job *const *W, int *done) {
  for (int first = 0; first < count; first += RITTI_WIDTH) {
    lanes in[RITTI_IN_ALL], out[RITTI_OUT_ALL];
    for (int l = 0; l < RITTI_WIDTH; l++)
      ritti_lanes_gather(W[first + l < count ? first + l : count - 1], l, in);
    const ritti_lanes_group G = ritti_lanes_take(in, out);
    for (int l = 0; l < RITTI_WIDTH && first + l < count; l++) {
      done[first + l] = G.alive[l] != 0;
      if (done[first + l]) ritti_lanes_scatter(out, &G, l, W[first + l]);
    }
  }
}

#endif
