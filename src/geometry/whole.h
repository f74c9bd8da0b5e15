/* A whole step of an explicit method on a small problem: one text for the library, where sizes are
 * variables, and for native code, where they are constants (eval/whole.c), so that both have the
 * same bits. What it takes from other headers than linalg/small.h eval/whole.c writes before it.
 *
 * In: z, V there, h, a tableau. Out: z_new = Pi(z + h sum b_j V_j) and V there, the stages Pi(z + h
 * sum a_ij V_j) by Gauss-Newton as in manifold.c, where it is explained, for at most RITTI_SMALL_ROWS
 * rows. Whatever is out of the ordinary (no value, no convergence, a doubtful pivot) is not dealt
 * with here: the step is given back, and taken anew by the general code.
 */
#ifndef RITTI_WHOLE_H
#define RITTI_WHOLE_H

#include "linalg/small.h"

enum {
  RITTI_SMALL_ROWS = 6,
  RITTI_MOST_ITERATIONS = 30,
  RITTI_NEAR_ORTHOGONAL = 7,
  RITTI_MOST_TERMS = 32,
  RITTI_MOST_CHORDS = 3
};

/* Eight runs side by side take their steps in the lanes of vectors: geometry/lanes.h has the
 * decisions of its own and takes everything that computes from here, with ritt_real a vector. So
 * that part is written for both: no branches on reals. Between "lanes: without" and "lanes: with"
 * stands what it does not take. */
/* lanes: without */
typedef ritt_real
    ritti_single; /* never a vector: coefficients of a method, what a run has of its own */
#define RITTI_ZERO                     0
#define RITTI_PICK(condition, yes, no) ((condition) ? (yes) : (no))
/* where = value, unless that holds */
#define RITTI_PUT_UNLESS(condition, where, value)                                                  \
  ((condition) ? (void)0 : (void)((where) = (value)))
/* lanes: with */

/* Where native code is short enough its loops over stages are written out, and iterations have a
 * text of their own for the first one, which is often the last. */
#ifndef RITTI_UNROLLED
#define RITTI_UNROLLED
#endif
#ifndef RITTI_FIRST_APART
#define RITTI_FIRST_APART 0
#endif

static inline ritt_real ritti_max(ritt_real a, ritt_real b) { return RITTI_PICK(a > b, a, b); }

/* out = from + h sum_{j<count} w_j V_j from coordinate `first` on, all in one pass, the terms in
 * their order; from NULL: 0 */
static inline void ritti_combine_stages(const int first, const int m, const ritt_real *from,
                                        ritt_real h, const ritti_single *w, ritt_real *const *V,
                                        int count, ritt_real *restrict out) {
  ritt_real c[RITTI_MOST_TERMS];
  const ritt_real *v[RITTI_MOST_TERMS];
  int terms = 0;
  RITTI_UNROLLED
  for (int j = 0; j < count; j++)
    if (w[j] != 0) c[terms] = h * w[j], v[terms++] = V[j];
  int i = first;
  for (; i + 4 <= m; i += 4) {
    ritt_real s0 = RITTI_ZERO, s1 = RITTI_ZERO, s2 = RITTI_ZERO, s3 = RITTI_ZERO;
    if (from) s0 = from[i], s1 = from[i + 1], s2 = from[i + 2], s3 = from[i + 3];
    RITTI_UNROLLED
    for (int j = 0; j < terms; j++) {
      const ritt_real *x = v[j] + i, factor = c[j];
      s0 += factor * x[0], s1 += factor * x[1], s2 += factor * x[2], s3 += factor * x[3];
    }
    out[i] = s0, out[i + 1] = s1, out[i + 2] = s2, out[i + 3] = s3;
  }
  for (; i < m; i++) {
    ritt_real sum = RITTI_ZERO;
    if (from) sum = from[i];
    RITTI_UNROLLED
    for (int j = 0; j < terms; j++) sum += c[j] * v[j][i];
    out[i] = sum;
  }
}

/* ---- how an iteration stands ---- */

typedef struct ritti_progress {
  int iteration;
  bool near;        /* it goes for the orthogonal point */
  bool still;       /* the last change was at round-off of the point */
  ritt_real before; /* what was left at the iteration before, and */
  ritt_real ratio;  /* that over what was left before it; infinite: not known */
} ritti_progress;
typedef enum ritti_verdict {
  RITTI_ARRIVED,
  RITTI_LOST,
  RITTI_ON,
  RITTI_ON_BY_NEWTON
} ritti_verdict;

/* lanes: without */
/* r is what is left now, over the size of its terms */
static inline ritti_verdict ritti_projection_judge(ritti_progress *at, ritt_real r) {
  ritt_real before = at->before;
  int iteration = at->iteration;
  /* at round-off: of the rows, or of the point itself, or no better than last time */
  if (r <= 4 * RITTI_EPS || at->still) return RITTI_ARRIVED;
  if (r < (ritt_real)1e-13 && !(r < before / 2)) return RITTI_ARRIVED;
  /* plain Newton steps that do not help have come as near as the rounding of the rows allows */
  if (iteration > RITTI_NEAR_ORTHOGONAL + 1 && !(r < before / 2) && r < (ritt_real)1e-10)
    return RITTI_ARRIVED;
  if (iteration > RITTI_NEAR_ORTHOGONAL + 2 && !(r < before)) return RITTI_LOST;
  /* far from M the way to the orthogonal point is long: settle for a near one, quadratically */
  if (at->near && iteration >= RITTI_NEAR_ORTHOGONAL && !(r < before / 4)) at->near = false;
  at->ratio = iteration == 0 ? INFINITY : r / before;
  at->before = r;
  return at->near || iteration < RITTI_NEAR_ORTHOGONAL ? RITTI_ON : RITTI_ON_BY_NEWTON;
}

/* After a change of the coordinates that may move, which are as large as `size`: will the point be
 * where it should, so that nobody needs to look? After a change by `moved` the rows are left with
 * about its square, times how much they are curved over the size of the point, and a - q with
 * `moved` times the distance |a - q|; after two changes it is known how much each one left of what
 * was there. Where that is lost in rounding, with room for curvature, the functions need not be
 * evaluated to see it. Stages need less: `loose`, a part of the tolerance, on any way to M. */
static inline bool ritti_projection_foreseen(const ritti_progress *at, ritt_real loose,
                                             ritt_real moved, ritt_real distance, ritt_real size) {
  ritt_real rows = moved * moved, unit = size * size;
  if (!(distance < (ritt_real)0.1 * size)) return false;
  if (4 * rows <= loose * unit) return true;
  if (!(64 * rows <= 4 * RITTI_EPS * unit)) return false;
  return 64 * at->before * at->ratio <= 4 * RITTI_EPS ||
         1000 * moved * distance <= 4 * RITTI_EPS * unit;
}
/* lanes: with */

/* ---- Gauss-Newton for few rows ---- */

/* f and df, as functions of a Problem. Rows that are used must have values, and derivatives by what
 * moves: they need not look, since nothing that follows from others is a number. */
typedef int ritti_few_function(const void *data, ritt_real *work, const ritt_real *z, ritt_real *f,
                               ritt_real *df);
typedef int ritti_few_rows(const void *data, ritt_real *work, const ritt_real *z, ritt_real *f);

/* 1 over the sizes of the terms of rows; the size of what may move, and 1 over it. */
typedef struct ritti_sizes {
  bool known;
  ritt_real per_terms[RITTI_SMALL_ROWS], size, per_size;
} ritti_sizes;

typedef struct ritti_few {
  const ritt_real *d, *size; /* m: spreads of what moves, NULL: 1; typical sizes */
  ritt_real *f, *df, *mu;    /* room: all rows; mu is where the iteration begins */
  ritt_real *B, *dB; /* k m: the rows, coordinate by coordinate; times d, where there is no d the
                        same place */
  bool single;       /* no place of df stands in its pattern twice */
  const void *data;  /* of the function */
  ritt_real *work;
  ritt_real loose; /* so near to M is enough, over the size of the point, on any way to it; 0: to
                      round-off, and */
  ritt_real aside; /* so near to the nearest point; 0: to round-off */
  bool orthogonal; /* to the nearest point; else to any near one */
  bool there;      /* q = a and mu = 0 at the beginning */
  bool linear;     /* the rows are linear in what may move */
  bool frozen;     /* the sizes, where they are known, serve all points */
  ritti_sizes *sizes;
  long iterations, factorisations;
  int status; /* of the function, where it says that it has no value */
} ritti_few;

typedef enum ritti_few_end {
  RITTI_FEW_DONE,
  RITTI_FEW_VALUE,
  RITTI_FEW_RANK,
  RITTI_FEW_LOST,
  RITTI_FEW_ON
} ritti_few_end;

/* What one pass gathers at q. */
typedef struct ritti_gathered {
  ritt_real S[RITTI_SMALL_ROWS][RITTI_SMALL_ROWS]; /* df D df^T, lower triangle; factored: L, and */
  ritt_real pivot[RITTI_SMALL_ROWS], per_pivot[RITTI_SMALL_ROWS]; /* D, 1 / D */
  ritt_real right[RITTI_SMALL_ROWS];                              /* df (a - q) */
  ritt_real rest, distance; /* largest entries: of a - q - D df^T mu, of a - q */
} ritti_gathered;

static inline void ritti_few_spread(const ritti_few *F, const ritti_pattern *p, const int m,
                                    const int first, const int k) {
  for (int j = 0; j < m * k; j++) F->B[j] = RITTI_ZERO;
  if (F->d)
    for (int j = 0; j < m * k; j++) F->dB[j] = RITTI_ZERO;
  for (int i = 0; i < k; i++)
    for (int e = p->start[first + i]; e < p->start[first + i + 1]; e++) {
      const int at = p->col[e] * k + i;
      F->B[at] = F->single ? F->df[e] : F->B[at] + F->df[e];
      if (F->d) F->dB[at] = F->d[p->col[e]] * F->B[at];
    }
}

/* The size of the terms of a row is sum_j |df_ij| |z_j|; coordinates count at least with their
 * typical sizes. */
static inline void ritti_few_sizes(const ritti_few *F, const ritt_real *q, const int m,
                                   const int low, const int high, const int k) {
  ritt_real terms[RITTI_SMALL_ROWS], most = RITTI_ZERO;
  for (int i = 0; i < k; i++) terms[i] = RITTI_ZERO;
  for (int j = 0; j < m; j++) {
    ritt_real at = ritti_max(RITTI_MATH(fabs)(q[j]), F->size[j]);
    for (int i = 0; i < k; i++) terms[i] += RITTI_MATH(fabs)(F->B[j * k + i]) * at;
    if (j >= low && j < high) most = ritti_max(at, most);
  }
  for (int i = 0; i < k; i++)
    F->sizes->per_terms[i] = RITTI_PICK((terms[i] > 0) & (terms[i] < INFINITY), 1 / terms[i],
                                        RITTI_ZERO + (ritti_single)1e300);
  F->sizes->size = most, F->sizes->per_size = 1 / most;
  F->sizes->known = true;
}

/* Sums in two lanes, so that they need not wait for each other. */
static inline void ritti_few_gather(const ritti_few *F, const ritt_real *a, const ritt_real *q,
                                    const int low, const int high, const int k, const bool there,
                                    ritti_gathered *G) {
  ritt_real S[2][RITTI_SMALL_ROWS][RITTI_SMALL_ROWS], right[2][RITTI_SMALL_ROWS],
      rest = RITTI_ZERO, distance = RITTI_ZERO;
  for (int i = 0; i < k; i++) {
    right[0][i] = right[1][i] = RITTI_ZERO;
    for (int l = 0; l <= i; l++) S[0][i][l] = S[1][i][l] = RITTI_ZERO;
  }
  for (int j = low; j < high; j++) {
    const ritt_real *B = F->B + j * k, *dB = F->dB + j * k;
    const int lane = (j - low) & 1;
    for (int i = 0; i < k; i++)
      for (int l = 0; l <= i; l++) S[lane][i][l] += dB[i] * B[l];
    if (there) continue;
    ritt_real off = a[j] - q[j], normal = RITTI_ZERO;
    for (int i = 0; i < k; i++) {
      right[lane][i] += B[i] * off;
      normal += dB[i] * F->mu[i];
    }
    rest = ritti_max(RITTI_MATH(fabs)(off - normal), rest);
    distance = ritti_max(RITTI_MATH(fabs)(off), distance);
  }
  for (int i = 0; i < k; i++) {
    G->right[i] = right[0][i] + right[1][i];
    for (int l = 0; l <= i; l++) G->S[i][l] = S[0][i][l] + S[1][i][l];
  }
  G->rest = rest, G->distance = distance;
}

/* Largest |f_i| over the size of its terms */
static inline ritt_real ritti_few_residual(const ritti_few *F, const int first, const int k) {
  ritt_real worst = RITTI_ZERO;
  for (int i = 0; i < k; i++) {
    ritt_real r = RITTI_MATH(fabs)(F->f[first + i]) * F->sizes->per_terms[i];
    RITTI_PUT_UNLESS(r <= worst, worst, r);
  }
  return worst;
}

/* lanes: without */
/* S = L D L^T; RITTI_FEW_RANK: a pivot is what cancellation leaves, as in ritti_cholesky_factor;
 * RITTI_FEW_VALUE: S is not finite. */
static inline ritti_few_end ritti_few_factor(ritti_gathered *G, const int k) {
  ritt_real LD[RITTI_SMALL_ROWS], *per = G->per_pivot;
  for (int i = 0; i < k; i++) {
    ritt_real diagonal = G->S[i][i], pivot = diagonal;
    for (int l = 0; l < i; l++) {
      LD[l] = G->S[i][l];
      for (int n = 0; n < l; n++) LD[l] -= LD[n] * G->S[l][n];
      G->S[i][l] = LD[l] * per[l];
      pivot -= LD[l] * G->S[i][l];
    }
    if (!(pivot > 4 * (ritt_real)k * RITTI_EPS * diagonal) || !(pivot < INFINITY))
      return diagonal < INFINITY ? RITTI_FEW_RANK : RITTI_FEW_VALUE;
    G->pivot[i] = pivot, per[i] = 1 / pivot;
  }
  return RITTI_FEW_DONE;
}
/* lanes: with */

/* Those who do not wait for the pivots multiply. */
static inline void ritti_few_solve(const ritti_gathered *G, const int k, const bool waits,
                                   ritt_real *x) {
  for (int i = 1; i < k; i++)
    for (int l = 0; l < i; l++) x[i] -= G->S[i][l] * x[l];
  for (int i = 0; i < k; i++) x[i] = waits ? x[i] / G->pivot[i] : x[i] * G->per_pivot[i];
  for (int i = k - 1; i > 0; i--)
    for (int l = 0; l < i; l++) x[l] -= G->S[i][l] * x[i];
}

/* q = from - D df^T mu; returns the largest change of a coordinate. */
static inline ritt_real ritti_few_move(const ritti_few *F, const ritt_real *mu,
                                       const ritt_real *from, ritt_real *q, const int low,
                                       const int high, const int k) {
  ritt_real most = RITTI_ZERO;
  for (int j = low; j < high; j++) {
    ritt_real before = q[j], normal = RITTI_ZERO;
    for (int i = 0; i < k; i++) normal += F->dB[j * k + i] * mu[i];
    q[j] = from[j] - normal;
    most = ritti_max(RITTI_MATH(fabs)(q[j] - before), most);
  }
  return most;
}

/* lanes: without */
/* After a change of q by `moved` the rows alone, with the factors of where the iteration began,
 * which are wrong by about what q has moved since, bring it near enough to M at the price of f; how
 * far it is from the nearest point, about moved times distance, does not change any more. false:
 * they do not, or that is too far, or f has no value, see F->status. */
static inline bool ritti_few_chords(ritti_few *F, const ritti_gathered *G, ritti_few_rows *f,
                                    ritt_real *q, const int low, const int high, const int first,
                                    const int k, const ritt_real moved) {
  const ritt_real size = F->sizes->size, unit = size * size;
  const ritt_real enough = F->loose > 0 ? F->loose / 4 : RITTI_EPS / 16;
  if (!(moved < (ritt_real)0.05 * size)) return false;
  if (!(F->loose > 0) && !(4 * moved * ritti_max(G->distance, moved) <= F->aside * unit))
    return false;
  /* each leaves about moved / size of what was there: if the first is not enough Newton's method is
   * faster */
  if (!(moved * moved * moved <= enough * unit * size)) return false;
  ritt_real before = moved;
  for (int i = 0; i < RITTI_MOST_CHORDS; i++) {
    ritt_real mu[RITTI_SMALL_ROWS];
    F->status = f(F->data, F->work, q, F->f);
    if (F->status) return false;
    for (int l = 0; l < k; l++) mu[l] = F->f[first + l];
    ritti_few_solve(G, k, false, mu);
    if (!ritti_are_finite((size_t)k, mu)) return false;
    ritt_real now = ritti_few_move(F, mu, q, q, low, high, k);
    for (int l = 0; l < k; l++) F->mu[l] += mu[l];
    F->iterations++;
    if (now * moved <= enough * unit) return true;
    if (!(now < before / 8)) return false;
    before = now;
  }
  return false;
}

/* One iteration. RITTI_FEW_ON: another one is needed. */
static inline ritti_few_end ritti_few_pass(ritti_few *F, ritti_progress *at, const bool begins,
                                           const ritti_pattern *p, ritti_few_function *f_df,
                                           ritti_few_rows *f, const ritt_real *a, ritt_real *q,
                                           const int m, const int low, const int high,
                                           const int first, const int k) {
  ritti_gathered G;
  F->status = f_df(F->data, F->work, q, F->f, F->df);
  if (F->status) return RITTI_FEW_VALUE;
  ritti_few_spread(F, p, m, first, k);
  if (!(F->frozen && F->sizes->known)) ritti_few_sizes(F, q, m, low, high, k);
  if (F->there && begins) ritti_few_gather(F, a, q, low, high, k, true, &G);
  else ritti_few_gather(F, a, q, low, high, k, false, &G);
  const ritt_real size = F->sizes->size;
  ritt_real r = ritti_few_residual(F, first, k), rest = G.rest * F->sizes->per_size;
  if (at->near && !(rest <= r)) r = rest;
  ritti_verdict verdict = ritti_projection_judge(at, r);
  if (verdict == RITTI_ARRIVED)
    return ritti_are_finite((size_t)((high - low) * k), F->B + low * k) ? RITTI_FEW_DONE
                                                                        : RITTI_FEW_VALUE;
  if (verdict == RITTI_LOST) return RITTI_FEW_LOST;
  bool plain = verdict == RITTI_ON_BY_NEWTON;
  for (int i = 0; i < k; i++) F->mu[i] = F->f[first + i] + (plain ? 0 : G.right[i]);
  F->factorisations++;
  const ritti_few_end factored = ritti_few_factor(&G, k);
  if (factored != RITTI_FEW_DONE) return factored;
  ritti_few_solve(&G, k, true, F->mu);
  /* what is not a number must not pass for a small change */
  if (!ritti_are_finite((size_t)k, F->mu)) return RITTI_FEW_VALUE;
  ritt_real moved = ritti_few_move(F, F->mu, plain ? q : a, q, low, high, k);
  F->iterations++;
  at->still = moved <= 4 * RITTI_EPS * size;
  /* linear rows are met at once, but for what rounding leaves of the change */
  if (F->linear && moved <= (ritt_real)1e-3 * size) return RITTI_FEW_DONE;
  if (ritti_projection_foreseen(at, F->loose, moved, ritti_max(G.distance, moved), size))
    return RITTI_FEW_DONE;
  if ((F->loose > 0 || F->aside > 0) && f &&
      ritti_few_chords(F, &G, f, q, low, high, first, k, moved))
    return RITTI_FEW_DONE;
  return F->status ? RITTI_FEW_VALUE : RITTI_FEW_ON;
}

/* Projects a to q on the rows first .. first + k - 1, whose pattern is that of rows in p; the
 * coordinates low .. high - 1 move. */
static inline ritti_few_end ritti_few_iterate(ritti_few *F, const ritti_pattern *p,
                                              ritti_few_function *f_df, ritti_few_rows *f,
                                              const ritt_real *a, ritt_real *q, const int m,
                                              const int low, const int high, const int first,
                                              const int k) {
  ritti_progress at = {.near = F->orthogonal, .before = INFINITY, .ratio = INFINITY};
  ritti_few_end end = RITTI_FEW_ON;
  if (RITTI_FIRST_APART) {
    end = ritti_few_pass(F, &at, true, p, f_df, f, a, q, m, low, high, first, k);
    at.iteration = 1;
  }
  for (; end == RITTI_FEW_ON && at.iteration < RITTI_MOST_ITERATIONS; at.iteration++)
    end = ritti_few_pass(F, &at, at.iteration == 0, p, f_df, f, a, q, m, low, high, first, k);
  return end == RITTI_FEW_ON ? RITTI_FEW_LOST : end;
}
/* lanes: with */

/* ---- the step ---- */

/* How near to M stages must be, and ends to the nearest point of M: a part of the tolerance of any
 * coordinate, over the size of the point. What is off M in a stage changes the end by h |dV| times
 * that, times the coefficients of the method, some of which are above 10. Coordinates from `first`
 * on, in two lanes. */
static inline ritt_real ritti_stage_tolerance(const int m, const int first, const ritt_real *z,
                                              const ritt_real *relative, const ritt_real *absolute,
                                              const ritt_real *sizes) {
  ritt_real least[2] = {RITTI_ZERO + INFINITY, RITTI_ZERO + INFINITY},
            size[2] = {RITTI_ZERO, RITTI_ZERO};
  for (int i = first; i < m; i++) {
    const int lane = i & 1;
    ritt_real at = RITTI_MATH(fabs)(z[i]), scale = relative[i] * at + absolute[i];
    least[lane] = RITTI_PICK(scale < least[lane], scale, least[lane]);
    size[lane] = ritti_max(ritti_max(at, sizes[i]), size[lane]);
  }
  const ritt_real tolerance = RITTI_PICK(least[1] < least[0], least[1], least[0]),
                  most = ritti_max(size[1], size[0]);
  return RITTI_PICK((most > 0) & (tolerance < most), (ritti_single)0.01 * tolerance / most,
                    RITTI_ZERO);
}

/* 1 over the tolerance of each coordinate, i >= first, at the ends of a step */
static inline void ritti_per_tolerance(const int m, const int first, const ritt_real *z,
                                       const ritt_real *z_new, const ritt_real *relative,
                                       const ritt_real *absolute, ritt_real *per) {
  for (int i = first; i < m; i++) {
    ritt_real size = ritti_max(RITTI_MATH(fabs)(z[i]), RITTI_MATH(fabs)(z_new[i]));
    per[i] = 1 / (relative[i] * size + absolute[i]);
  }
}

/* Mean square of e_i per_i, i >= first, in two lanes */
static inline ritt_real ritti_mean_square(const int m, const int first, const ritt_real *e,
                                          const ritt_real *per) {
  ritt_real sum[2] = {RITTI_ZERO, RITTI_ZERO};
  for (int i = first; i < m; i++) {
    ritt_real r = e[i] * per[i];
    sum[i & 1] += r * r;
  }
  return m > first ? (sum[0] + sum[1]) / (ritti_single)(m - first) : sum[0];
}

/* The length of a step, sum w_i dz_i^2 the metric: s' = |V| integrated by the method itself, with
 * the stages that are there, four of them at a time. */
static inline ritt_real ritti_step_length(const int m, int stages, const ritti_single *b,
                                          ritt_real *const *V, const ritt_real *weights,
                                          ritt_real h) {
  ritt_real sum = RITTI_ZERO;
  int last = stages - 1;
  for (int j = 0; j < stages; j += 4) {
    ritt_real square[4] = {RITTI_ZERO, RITTI_ZERO, RITTI_ZERO, RITTI_ZERO};
    const ritt_real *V0 = V[j], *V1 = V[j + 1 < last ? j + 1 : last],
                    *V2 = V[j + 2 < last ? j + 2 : last], *V3 = V[j + 3 < last ? j + 3 : last];
    for (int i = 0; i < m; i++) {
      square[0] += weights[i] * V0[i] * V0[i];
      square[1] += weights[i] * V1[i] * V1[i];
      square[2] += weights[i] * V2[i] * V2[i];
      square[3] += weights[i] * V3[i] * V3[i];
    }
    for (int k = 0; k < 4 && j + k <= last; k++)
      if (b[j + k] != 0) sum += b[j + k] * RITTI_MATH(sqrt)(square[k]);
  }
  return RITTI_MATH(fabs)(h) * sum;
}

static inline void ritti_whole_copy(const int m, const ritt_real *from, ritt_real *to) {
  for (int j = 0; j < m; j++) to[j] = from[j];
}

/* What a step needs of its solver, and what it gives back. */
typedef struct ritti_step_job {
  unsigned long key; /* of the method by which it is to be taken */
  int directed;      /* V at z_new is asked for */
  ritti_single h, x_new;
  const ritti_single *z, *spread, *size;
  const ritti_single *relative, *absolute,
      *metric;            /* of the error, NULL: not asked for; of the length */
  ritti_single *const *V; /* stages + 1 */
  ritti_single *point, *end, *z_new,
      *top;              /* the last stage; what the step is about; tops at z_new */
  ritti_single *factors; /* of A at z_new, where A is symmetric */
  ritti_single *work;
  long projections, iterations, idle, factorisations, most; /* added to; most: the largest */
  /* mean squares in units of the tolerance: of the estimates of the error, of what the projection
   * moved; the length of the step; largest |f_i| at z_new */
  ritti_single square, other, moved, length, residual;
  ritti_single loose; /* how near to M its stages are */
} ritti_step_job;

/* The same for every step: constants where the compiler is to know them. */
typedef struct ritti_step_method {
  unsigned long key; /* another one where anything of what follows is another */
  int project_stages, sequential, weighted;
  int stages, fsal;
  const ritti_single *a, *b, *c, *e, *e3; /* the tableau; e, e3 NULL: no such estimate */
} ritti_step_method;

typedef struct ritti_whole_problem {
  int m, k, tops;
  int symmetric, positions,
      constraints; /* top = (y_2, lambda) from [E G^T; G 0]; else by formula */
  const int *next;
  ritti_pattern df;
  int single; /* no place of it stands there twice */
  const void *data;
  ritti_few_function *f_df, *system; /* which need not look, as above */
  ritti_few_rows *f;
  int (*solve)(const ritt_real *A, const ritt_real *b, ritt_real *factors,
               ritt_real *top); /* 0: a pivot is doubtful */
  int (*formula)(const void *data, ritt_real *work, const ritt_real *z, ritt_real *top);
} ritti_whole_problem;

/* Room of a step: all of it of native code's own, so that nothing needs to be in memory. */
typedef struct ritti_whole_room {
  ritt_real *f, *df, *mu, *B, *dB; /* of projections */
  ritt_real *A, *b;
  ritt_real *from, *per, *z, *point, *z_new; /* m */
  ritt_real *top;
  ritt_real *const *V; /* stages + 1 */
  ritti_sizes *sizes;  /* 2 */
} ritti_whole_room;

/* lanes: without */
/* V at q, with its top jets. false: not to be had here. */
static inline bool ritti_whole_direction(ritti_step_job *W, const ritti_whole_problem *P,
                                         const ritti_whole_room *R, const ritt_real *q,
                                         ritt_real *V) {
  if (P->symmetric
          ? P->system(P->data, W->work, q, R->A, R->b) || !P->solve(R->A, R->b, W->factors, R->top)
          : P->formula(P->data, W->work, q, R->top))
    return false;
  if (!ritti_are_finite((size_t)P->tops, R->top)) return false;
  V[0] = 1;
  for (int j = 1; j < P->m; j++) V[j] = P->next[j] >= 0 ? q[P->next[j]] : R->top[-1 - P->next[j]];
  return true;
}

/* q = the projection of R->from, where q is already; positions first where that is asked for.
 * false: not to be had here. */
static inline bool ritti_whole_project(ritti_few *F, const ritti_whole_problem *P,
                                       const bool sequential, const ritti_whole_room *R,
                                       ritt_real *q) {
  const int m = P->m, n = P->positions, l = P->constraints;
  for (int j = 0; j < P->k; j++) R->mu[j] = 0;
  F->sizes = R->sizes;
  if (!sequential || !l || l > RITTI_SMALL_ROWS) {
    F->orthogonal = true, F->linear = false;
    return P->k <= RITTI_SMALL_ROWS && ritti_few_iterate(F, &P->df, P->f_df, P->f, R->from, q, m, 1,
                                                         m, 0, P->k) == RITTI_FEW_DONE;
  }
  F->orthogonal = F->linear = false;
  if (ritti_few_iterate(F, &P->df, P->f_df, P->f, R->from, q, m, 1, n + 1, 0, l) != RITTI_FEW_DONE)
    return false;
  for (int j = 0; j < P->k; j++) R->mu[j] = 0;
  F->linear = true, F->sizes = R->sizes + 1;
  return ritti_few_iterate(F, &P->df, P->f_df, P->f, R->from, q, m, n + 1, m, l, l) ==
         RITTI_FEW_DONE;
}

/* What is asked about the step once it is taken; R->from is where its end was before the
 * projection. */
static inline void ritti_whole_look(ritti_step_job *W, const ritti_whole_problem *P,
                                    const ritti_step_method *T, const ritti_whole_room *R) {
  const int m = P->m;
  W->square = W->other = W->moved = W->residual = 0;
  if (W->relative) {
    ritt_real *err = R->from;
    ritti_per_tolerance(m, 1, R->z, R->z_new, W->relative, W->absolute, R->per);
    for (int j = 1; j < m; j++) err[j] -= R->z_new[j];
    W->moved = ritti_mean_square(m, 1, err, R->per);
    if (T->e) {
      ritti_combine_stages(1, m, NULL, W->h, T->e, R->V, T->stages + T->fsal, err);
      W->square = ritti_mean_square(m, 1, err, R->per);
    }
    if (T->e3) {
      ritti_combine_stages(1, m, NULL, W->h, T->e3, R->V, T->stages + T->fsal, err);
      W->other = ritti_mean_square(m, 1, err, R->per);
    }
  }
  W->length = W->metric ? ritti_step_length(m, T->stages, T->b, R->V, W->metric, W->h) : 0;
  if (!P->k) return;
  P->f(P->data, W->work, R->z_new, R->f);
  for (int i = 0; i < P->k; i++)
    if (!(RITTI_MATH(fabs)(R->f[i]) <= W->residual)) W->residual = RITTI_MATH(fabs)(R->f[i]);
}

/* What of a step native code has done: all of it; all but V at z_new, which nobody asked for; the
 * stages. */
enum { RITTI_STEP_WHOLE, RITTI_STEP_END, RITTI_STEP_STAGES, RITTI_STEP_NOTHING };

/* What the solver may ask for later: the first `count` stages, the last point. */
static inline void ritti_whole_give(const ritti_step_job *W, const ritti_whole_problem *P,
                                    const ritti_whole_room *R, const int count) {
  RITTI_UNROLLED
  for (int i = 1; i < count; i++) ritti_whole_copy(P->m, R->V[i], W->V[i]);
  ritti_whole_copy(P->m, R->point, W->point);
}

/* Are there few rows to be projected on, or few constraints where their positions and velocities
 * follow one another? */
static inline bool ritti_are_small_rows(const bool sequential, const int constraints, const int k) {
  return (sequential && constraints ? constraints : k) <= RITTI_SMALL_ROWS;
}

/* With more rows than few only the stages are taken, where they are not projected. */
static inline int ritti_whole_take(ritti_step_job *W, const ritti_whole_problem *P,
                                   const ritti_step_method *T, const ritti_whole_room *R) {
  const int m = P->m, stages = T->stages;
  const bool few = ritti_are_small_rows(T->sequential, P->constraints, P->k);
  if (W->key != T->key || (!few && T->project_stages)) return RITTI_STEP_NOTHING;
  const ritt_real *row = T->a;
  long projections = 0, idle = 0, most = 0;
  ritti_few F = {.d = T->weighted ? W->spread : NULL,
                 .size = W->size,
                 .f = R->f,
                 .df = R->df,
                 .mu = R->mu,
                 .B = R->B,
                 .dB = T->weighted ? R->dB : R->B,
                 .data = P->data};
  F.work = W->work, F.there = F.frozen = true, F.single = P->single;
  R->sizes[0].known = R->sizes[1].known = false;
  ritti_whole_copy(m, W->z, R->z);
  const ritt_real loose =
      W->relative ? ritti_stage_tolerance(m, 1, R->z, W->relative, W->absolute, W->size) : 0;
  W->loose = loose;
  ritti_whole_copy(m, W->V[0], R->V[0]);
  RITTI_UNROLLED
  for (int i = 1; i <= stages; i++) {
    const bool last = i == stages;
    if (last && !few) {
      ritti_whole_give(W, P, R, stages);
      return RITTI_STEP_STAGES;
    }
    ritt_real *q = last ? R->z_new : R->point;
    ritti_combine_stages(1, m, R->z, W->h, last ? T->b : row, R->V, i, R->from);
    row += i;
    R->from[0] = last ? W->x_new : R->z[0] + T->c[i] * W->h;
    ritti_whole_copy(m, R->from, q);
    if (P->k && (last || T->project_stages)) {
      long before = F.iterations;
      F.loose = last ? 0 : loose, F.aside = last ? loose : 0;
      if (!ritti_whole_project(&F, P, T->sequential, R, q)) return RITTI_STEP_NOTHING;
      before = F.iterations - before;
      projections++, idle += before == 0;
      if (before > most) most = before;
    }
    if ((!last || W->directed) && !ritti_whole_direction(W, P, R, q, R->V[i]))
      return RITTI_STEP_NOTHING;
  }
  W->projections += projections, W->idle += idle, W->iterations += F.iterations;
  W->factorisations += F.factorisations;
  if (most > W->most) W->most = most;
  ritti_whole_copy(m, R->from, W->end);
  ritti_whole_copy(m, R->z_new, W->z_new);
  ritti_whole_give(W, P, R, stages + (W->directed ? 1 : 0));
  if (!W->directed) return RITTI_STEP_END;
  ritti_whole_copy(P->tops, R->top, W->top);
  ritti_whole_look(W, P, T, R);
  return RITTI_STEP_WHOLE;
}
/* lanes: with */

#endif
