/* The step kernel: the only text of an explicit projected step, and of the Gauss-Newton projection
 * onto a few rows.
 *
 * In: a point z of M, V there, h, a tableau. Out: z_new = Pi(z + h sum b_j V_j) and V there; the
 * stages are V at Pi(z + h sum a_ij V_j).
 *
 * The text is written over the words of base/width.h, with sizes as constant arguments. The library
 * and quadruple precision compile it with variable sizes; it reaches their projections and
 * directions through two functions. Native code compiles it with the sizes, patterns and
 * functions of one problem as constants (codegen/unit.c), for one run or for a vector of runs. All
 * instances give the same bits. Native code gives a step back if anything unusual happens (no value,
 * no convergence, a doubtful pivot); the library then takes the step and reports the cause.
 */
#ifndef RITTI_STEP_KERNEL_H
#define RITTI_STEP_KERNEL_H

#include "linalg/small.h"

enum {
  RITTI_SMALL_ROWS = 6, /* projections onto up to this many rows use the packed store */
  RITTI_MOST_ITERATIONS = 30,
  RITTI_NEAR_ORTHOGONAL = 7, /* iterations after which any near point of M is good enough */
  RITTI_MOST_TERMS = 32,
  RITTI_MOST_CHORDS = 3
};

/* Short native code unrolls its loops over stages, and has a copy of the first iteration of a
 * projection, which is often the last. */
#ifndef RITTI_UNROLLED
#define RITTI_UNROLLED
#endif
#ifndef RITTI_PEEL_FIRST
#define RITTI_PEEL_FIRST 0
#endif

/* The weights of a method are constants; the weight w[j], and whether the method has an array of them.
 * A GPU takes them from memory for constants. */
#ifndef RITTI_WEIGHT
#define RITTI_WEIGHT(w, j)            ((w)[j])
#define RITTI_METHOD_HAS(method, row) ((method)->row != NULL)
#endif

static inline ritt_real ritti_max(ritt_real a, ritt_real b) { return RITTI_SELECT(a > b, a, b); }

static inline void ritti_copy_reals(const int count, const ritt_real *from, ritt_real *to) {
  for (int j = 0; j < count; j++) to[j] = from[j];
}

/* out = from + h sum_{j<count} w_j V_j, coordinates first .. m-1, all terms in one pass and in their
 * order. from NULL: 0. */
static inline void ritti_combine_stages(const int first, const int m, const ritt_real *from,
                                        ritt_real h, const ritti_single *w, ritt_real *const *V,
                                        int count, ritt_real *restrict out) {
#ifdef RITTI_FAST
  /* h last: the products h w_j would need registers. All coordinates side by side: the sums of one
   * would wait for each other. */
  for (int i = first; i < m; i++) out[i] = 0;
  RITTI_UNROLLED
  for (int j = 0; j < count; j++)
    if (w[j] != 0)
      for (int i = first; i < m; i++) out[i] += RITTI_WEIGHT(w, j) * V[j][i];
  for (int i = first; i < m; i++) out[i] = from ? from[i] + h * out[i] : h * out[i];
#else
  ritt_real c[RITTI_MOST_TERMS];
  const ritt_real *v[RITTI_MOST_TERMS];
  int terms = 0;
  RITTI_UNROLLED
  for (int j = 0; j < count; j++)
    if (w[j] != 0) {
      c[terms] = h * RITTI_WEIGHT(w, j);
      v[terms++] = V[j];
    }

  /* four coordinates at a time */
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
#endif
}

/* ---- the convergence policy of all Gauss-Newton projections ---- */

typedef struct ritti_iteration {
  int number;       /* from 0 */
  ritti_mask near;  /* the iteration goes for the orthogonal point */
  ritti_mask still; /* the last change was at round-off of the point */
  ritt_real before; /* the residual of the iteration before */
  ritt_real ratio;  /* that over the residual before it; infinite: unknown */
} ritti_iteration;

static RITTI_INLINE ritti_iteration ritti_begin_iteration(const bool orthogonal) {
  ritti_iteration at = {.number = 0};
  at.near = orthogonal ? RITTI_ALL_LANES : RITTI_NO_LANE;
  at.still = RITTI_NO_LANE;
  at.before = at.ratio = RITTI_ZERO + INFINITY;
  return at;
}

/* Has the iteration converged? r is the residual, relative to the sizes of the terms of the rows. */
static RITTI_INLINE ritti_mask ritti_has_converged(const ritti_iteration *at, ritt_real r) {
  /* at round-off of the rows or of the point, or at round-off and no better than last time */
  ritti_mask converged = RITTI_OR(
      r <= 4 * RITTI_EPS,
      RITTI_OR(at->still, RITTI_AND(r < (ritti_single)1e-13, RITTI_NOT(r < at->before / 2))));
  /* Newton steps that no longer help are as near as the rounding of the rows allows */
  if (at->number > RITTI_NEAR_ORTHOGONAL + 1)
    converged =
        RITTI_OR(converged, RITTI_AND(RITTI_NOT(r < at->before / 2), r < (ritti_single)1e-10));
  return converged;
}

/* Not converged: may the iteration go on? Far from M the way to the orthogonal point is long; after a
 * while any near point of M is taken, with quadratic convergence. */
static RITTI_INLINE ritti_mask ritti_may_continue(ritti_iteration *at, ritt_real r) {
  ritti_mask better = RITTI_ALL_LANES;
  if (at->number > RITTI_NEAR_ORTHOGONAL + 2) better = r < at->before;
  if (at->number >= RITTI_NEAR_ORTHOGONAL) at->near = RITTI_AND(at->near, r < at->before / 4);
  if (at->number > 0) at->ratio = RITTI_QUOTIENT(r, at->before);
  at->before = r;
  return better;
}

/* After a change by `moved`, at a distance |a - q| from the start, of coordinates as large as `size`:
 * is the point certain to be good enough, without evaluating the rows again? A change leaves the rows
 * with about its square, times their curvature over the size of the point, and a - q with `moved`
 * times the distance. After two changes the factor by which a change reduces the residual is known.
 * The answer is yes if what is left is lost in rounding, with a margin for curvature. Stages need
 * less: `stage_tolerance`, a part of the tolerance, on any way to M. */
static RITTI_INLINE ritti_mask ritti_convergence_predicted(const ritti_iteration *at,
                                                           ritt_real stage_tolerance,
                                                           ritt_real moved, ritt_real distance,
                                                           ritt_real size) {
  const ritt_real rows = moved * moved, unit = size * size;
  return RITTI_AND(distance < (ritti_single)0.1 * size,
                   RITTI_OR(4 * rows <= stage_tolerance * unit,
                            RITTI_AND(64 * rows <= 4 * RITTI_EPS * unit,
                                      RITTI_OR(64 * at->before * at->ratio <= 4 * RITTI_EPS,
                                               1000 * moved * distance <= 4 * RITTI_EPS * unit))));
}

/* ---- Gauss-Newton projection onto a few rows ---- */

/* f and df, or f alone, as functions of a Problem. They need not check that values are finite: what
 * follows from a value that is not finite is not finite either, and is found out later. */
typedef int ritti_rows_f_df(const void *data, ritt_real *work, const ritt_real *z, ritt_real *f,
                            ritt_real *df);
typedef int ritti_rows_f(const void *data, ritt_real *work, const ritt_real *z, ritt_real *f);

/* Rows first .. first+k-1 of f; the coordinates low .. high-1 of all m may move. */
typedef struct ritti_row_range {
  int m, low, high, first, k;
} ritti_row_range;

/* 1 over the sizes of the terms of rows; the size of the coordinates that may move, and 1 over it. */
typedef struct ritti_sizes {
  bool known;
  ritt_real per_terms[RITTI_SMALL_ROWS], size, per_size;
} ritti_sizes;

typedef enum ritti_projection_status {
  RITTI_WITHOUT_VALUE, /* the least value: what a projection is begun with */
  RITTI_RANK_LOSS,
  RITTI_DIVERGED
} ritti_projection_status;

/* A projection with its packed rows. */
typedef struct ritti_small_rows {
  const ritt_real *d;    /* m: inverse weights of the coordinates; NULL: 1 */
  const ritt_real *size; /* m: typical sizes of the coordinates */
  ritt_real *f, *df;     /* all rows at the last point, and the nonzeros of their derivatives */
  ritt_real *mu;         /* k: multipliers; the iteration begins with those given */
  ritt_real *B, *dB;     /* k m: df coordinate by coordinate; the same times d (without d: B) */
  bool no_duplicates;    /* the pattern of df names no entry twice */
  const void *data;      /* of the functions */
  ritt_real *work;
  ritt_real
      /* enough distance to M, over the size of the point, on any way to M; 0: round-off */
      stage_tolerance;
  ritt_real end_tolerance; /* enough distance to the nearest point of M; 0: round-off */
  bool orthogonal;         /* to the nearest point; else to any near one */
  bool begins_at_a;        /* q = a and mu = 0 at the beginning */
  bool linear;             /* the rows are linear in the coordinates that move */
  bool freeze_sizes;       /* sizes that are known serve all points */
  ritti_sizes *sizes;
  ritti_count iterations, factorisations;
  int status;                  /* of a function without a value */
  ritti_projection_status end; /* at width 1, if the projection failed: why */
} ritti_small_rows;

/* What one pass over the coordinates gathers at q. */
typedef struct ritti_gathered {
  /* df D df^T, lower triangle; once factored L */
  ritt_real S[RITTI_SMALL_ROWS][RITTI_SMALL_ROWS];
  ritt_real pivot[RITTI_SMALL_ROWS], per_pivot[RITTI_SMALL_ROWS]; /* D and 1/D of L D L^T */
  ritt_real right[RITTI_SMALL_ROWS];                              /* df (a - q) */
  ritt_real rest, distance; /* largest entries of a - q - D df^T mu and of a - q */
} ritti_gathered;

/* B and dB from df */
static RITTI_INLINE void ritti_pack_rows(const ritti_small_rows *F, const ritti_pattern *p,
                                         const ritti_row_range at) {
  const int entries = at.m * at.k;
  for (int j = 0; j < entries; j++) F->B[j] = RITTI_ZERO;
  if (F->d)
    for (int j = 0; j < entries; j++) F->dB[j] = RITTI_ZERO;
  for (int i = 0; i < at.k; i++)
    for (int e = p->start[at.first + i]; e < p->start[at.first + i + 1]; e++) {
      const int place = p->col[e] * at.k + i;
      F->B[place] = F->no_duplicates ? F->df[e] : F->B[place] + F->df[e];
      if (F->d) F->dB[place] = F->d[p->col[e]] * F->B[place];
    }
}

/* The size of the terms of a row is sum_j |df_ij| |z_j|; a coordinate counts at least with its
 * typical size. */
static RITTI_INLINE void ritti_measure_sizes(const ritti_small_rows *F, const ritt_real *q,
                                             const ritti_row_range at) {
  ritt_real terms[RITTI_SMALL_ROWS], most = RITTI_ZERO;
  for (int i = 0; i < at.k; i++) terms[i] = RITTI_ZERO;
  for (int j = 0; j < at.m; j++) {
    ritt_real size = ritti_max(RITTI_MATH(fabs)(q[j]), F->size[j]);
    for (int i = 0; i < at.k; i++) terms[i] += RITTI_MATH(fabs)(F->B[j * at.k + i]) * size;
    if (j >= at.low && j < at.high) most = ritti_max(size, most);
  }
  for (int i = 0; i < at.k; i++)
    F->sizes->per_terms[i] =
        RITTI_SELECT((terms[i] > 0) & (terms[i] < INFINITY), RITTI_ABOUT_ONE_OVER(terms[i]),
                     RITTI_ZERO + (ritti_single)1e300);
  F->sizes->size = most;
  F->sizes->per_size = RITTI_ABOUT_ONE_OVER(most);
  F->sizes->known = true;
}

/* Even and odd coordinates have sums of their own, which do not wait for each other. */
static RITTI_INLINE void ritti_gather_rows(const ritti_small_rows *F, const ritt_real *a,
                                           const ritt_real *q, const ritti_row_range at,
                                           const bool is_a, ritti_gathered *G) {
  const int k = at.k;
  ritt_real S[2][RITTI_SMALL_ROWS][RITTI_SMALL_ROWS], right[2][RITTI_SMALL_ROWS];
  ritt_real rest = RITTI_ZERO, distance = RITTI_ZERO;
  for (int i = 0; i < k; i++) {
    right[0][i] = right[1][i] = RITTI_ZERO;
    for (int l = 0; l <= i; l++) S[0][i][l] = S[1][i][l] = RITTI_ZERO;
  }

  for (int j = at.low; j < at.high; j++) {
    const ritt_real *B = F->B + j * k, *dB = F->dB + j * k;
    const int half = (j - at.low) & 1;
    for (int i = 0; i < k; i++)
      for (int l = 0; l <= i; l++) S[half][i][l] += dB[i] * B[l];
    if (is_a) continue; /* a - q = 0 */
    ritt_real off = a[j] - q[j], normal = RITTI_ZERO;
    for (int i = 0; i < k; i++) {
      right[half][i] += B[i] * off;
      normal += dB[i] * F->mu[i];
    }
    rest = ritti_max(RITTI_MATH(fabs)(off - normal), rest);
    distance = ritti_max(RITTI_MATH(fabs)(off), distance);
  }

  for (int i = 0; i < k; i++) {
    G->right[i] = right[0][i] + right[1][i];
    for (int l = 0; l <= i; l++) G->S[i][l] = S[0][i][l] + S[1][i][l];
  }
  G->rest = rest;
  G->distance = distance;
}

/* Largest |f_i| over the size of its terms; not a number if an f_i is not. */
static RITTI_INLINE ritt_real ritti_scaled_residual(const int k, const ritt_real *f,
                                                    const ritt_real *per_terms) {
  ritt_real worst = RITTI_ZERO;
  for (int i = 0; i < k; i++) {
    ritt_real r = RITTI_MATH(fabs)(f[i]) * per_terms[i];
    RITTI_STORE_UNLESS(r <= worst, worst, r);
  }
  return worst;
}

/* Largest |f_i|; not a number if an f_i is not. */
static inline ritt_real ritti_plain_residual(const int k, const ritt_real *f) {
  ritt_real worst = RITTI_ZERO;
  for (int i = 0; i < k; i++) {
    ritt_real r = RITTI_MATH(fabs)(f[i]);
    RITTI_STORE_UNLESS(r <= worst, worst, r);
  }
  return worst;
}

/* S = L D L^T. Returns whether all pivots are larger than what cancellation leaves, as in
 * ritti_cholesky_factor. At width 1 it stops at the first that is not and sets *end. */
static RITTI_INLINE ritti_mask ritti_factor_gathered(ritti_gathered *G, const int k,
                                                     ritti_projection_status *end) {
  ritt_real LD[RITTI_SMALL_ROWS], *per = G->per_pivot;
  ritti_mask sound = RITTI_ALL_LANES;
  for (int i = 0; i < k; i++) {
    ritt_real diagonal = G->S[i][i], pivot = diagonal;
    for (int l = 0; l < i; l++) {
      LD[l] = G->S[i][l];
      for (int n = 0; n < l; n++) LD[l] -= LD[n] * G->S[l][n];
      G->S[i][l] = LD[l] * per[l];
      pivot -= LD[l] * G->S[i][l];
    }
    sound = RITTI_AND(
        sound, RITTI_AND(pivot > 4 * (ritti_single)k * RITTI_EPS * diagonal, pivot < INFINITY));
    if (RITTI_ALONE && !RITTI_ANY(sound)) {
      *end = RITTI_ANY(diagonal < INFINITY) ? RITTI_RANK_LOSS : RITTI_WITHOUT_VALUE;
      return sound;
    }
    G->pivot[i] = pivot;
    per[i] = RITTI_RECIPROCAL(pivot);
  }
  return sound;
}

/* x := (L D L^T)^-1 x. `divide`: by the pivots, which may have been computed just before; else
 * multiply by their reciprocals. */
static RITTI_INLINE void ritti_solve_gathered(const ritti_gathered *G, const int k,
                                              const bool divide, ritt_real *x) {
  for (int i = 1; i < k; i++)
    for (int l = 0; l < i; l++) x[i] -= G->S[i][l] * x[l];
  for (int i = 0; i < k; i++)
    x[i] = divide ? RITTI_QUOTIENT(x[i], G->pivot[i]) : x[i] * G->per_pivot[i];
  for (int i = k - 1; i > 0; i--)
    for (int l = 0; l < i; l++) x[l] -= G->S[i][l] * x[i];
}

/* q = from - D df^T mu in the lanes that are on; returns the largest change of a coordinate. */
static RITTI_INLINE ritt_real ritti_move_point(const ritti_small_rows *F, ritti_mask on,
                                               const ritt_real *mu, const ritt_real *from,
                                               ritt_real *q, const ritti_row_range at) {
  ritt_real most = RITTI_ZERO;
  for (int j = at.low; j < at.high; j++) {
    ritt_real before = q[j], normal = RITTI_ZERO;
    for (int i = 0; i < at.k; i++) normal += F->dB[j * at.k + i] * mu[i];
    ritt_real next = from[j] - normal;
    most = ritti_max(RITTI_MATH(fabs)(next - before), most);
    q[j] = RITTI_IF_ON(on, next, before);
  }
  (void)on;
  return most;
}

/* After a change of q by `moved`: corrections by f alone, with the factors of the point before, which
 * are wrong by about what q has moved since. They bring q near enough to M at the price of f; the
 * distance to the nearest point, about moved times distance, no longer changes. Returns the lanes in
 * which q is near enough. F->status: f had no value. */
static RITTI_INLINE ritti_mask ritti_take_chords(ritti_small_rows *F, const ritti_gathered *G,
                                                 ritti_rows_f *f, ritti_mask on, ritt_real *q,
                                                 const ritti_row_range at, const ritt_real moved) {
  const ritt_real size = F->sizes->size, unit = size * size;
  const ritti_mask is_stage = F->stage_tolerance > 0;
  const ritt_real enough =
      RITTI_SELECT(is_stage, F->stage_tolerance / 4, RITTI_ZERO + RITTI_EPS / 16);
  ritti_mask arrived = RITTI_NO_LANE;

  on = RITTI_AND(on, RITTI_OR(is_stage, F->end_tolerance > 0));
  on = RITTI_AND(on, moved < (ritti_single)0.05 * size);
  on = RITTI_AND(
      on, RITTI_OR(is_stage, 4 * moved * ritti_max(G->distance, moved) <= F->end_tolerance * unit));
  /* each correction leaves about moved / size of the residual: if one is not enough, Newton's method
   * is faster */
  on = RITTI_AND(on, moved * moved * moved <= enough * unit * size);

  ritt_real before = moved;
  for (int i = 0; i < RITTI_MOST_CHORDS && RITTI_ANY(on); i++) {
    ritt_real mu[RITTI_SMALL_ROWS];
    F->status = f(F->data, F->work, q, F->f);
    if (F->status) return arrived;
    for (int l = 0; l < at.k; l++) mu[l] = F->f[at.first + l];
    ritti_solve_gathered(G, at.k, false, mu);
    on = RITTI_AND(on, ritti_are_finite((size_t)at.k, mu));
    if (RITTI_ALONE && !RITTI_ANY(on)) return arrived;
    ritt_real now = ritti_move_point(F, on, mu, q, q, at);
    for (int l = 0; l < at.k; l++) F->mu[l] = RITTI_IF_ON(on, F->mu[l] + mu[l], F->mu[l]);
    RITTI_COUNT_ONE(F->iterations, on);
    const ritti_mask there = RITTI_AND(on, now * moved <= enough * unit);
    arrived = RITTI_OR(arrived, there);
    on = RITTI_AND(on, RITTI_AND(RITTI_NOT(there), now < before / 8));
    before = now;
  }
  return arrived;
}

/* Leaves a projection of one run that failed. */
#define RITTI_LEAVE_IF_OFF(on, why)                                                                \
  if (RITTI_ALONE && !RITTI_ANY(on)) {                                                             \
    F->end = (why);                                                                                \
    return on;                                                                                     \
  }

/* One iteration in the lanes that are on. Adds to *converged; returns the lanes that need another
 * one. */
static RITTI_INLINE ritti_mask ritti_project_once(ritti_small_rows *F, ritti_iteration *at,
                                                  const bool begins, const ritti_pattern *p,
                                                  ritti_rows_f_df *f_df, ritti_rows_f *f,
                                                  ritti_mask on, const ritt_real *a, ritt_real *q,
                                                  const ritti_row_range rows,
                                                  ritti_mask *converged) {
  const int k = rows.k;
  ritti_gathered G;

  /* the rows at q, and how far q is from the solution */
  F->status = f_df(F->data, F->work, q, F->f, F->df);
  if (F->status) return RITTI_NO_LANE;
  ritti_pack_rows(F, p, rows);
  if (!(F->freeze_sizes && F->sizes->known)) ritti_measure_sizes(F, q, rows);
  if (F->begins_at_a && begins) ritti_gather_rows(F, a, q, rows, true, &G);
  else ritti_gather_rows(F, a, q, rows, false, &G);
  const ritt_real size = F->sizes->size;
  ritt_real r = ritti_scaled_residual(k, F->f + rows.first, F->sizes->per_terms);
  const ritt_real rest = G.rest * F->sizes->per_size;
  r = RITTI_SELECT(RITTI_AND(at->near, RITTI_NOT(rest <= r)), rest, r);

  /* converged, if the derivatives are finite; or lost */
  const ritti_mask arrived = RITTI_AND(on, ritti_has_converged(at, r));
  if (RITTI_ANY(arrived)) {
    const size_t entries = (size_t)((rows.high - rows.low) * k);
    const ritti_mask sound = ritti_are_finite(entries, F->B + rows.low * k);
    *converged = RITTI_OR(*converged, RITTI_AND(arrived, sound));
    on = RITTI_AND(on, RITTI_NOT(arrived));
    if (!RITTI_ANY(on)) return on;
  }
  on = RITTI_AND(on, ritti_may_continue(at, r));
  RITTI_LEAVE_IF_OFF(on, RITTI_DIVERGED)

  /* the multipliers; batches stop before lanes differ in whether they take Newton steps */
  const bool newton = RITTI_ALONE && at->number >= RITTI_NEAR_ORTHOGONAL && !RITTI_ANY(at->near);
  for (int i = 0; i < k; i++) F->mu[i] = F->f[rows.first + i] + (newton ? RITTI_ZERO : G.right[i]);
  RITTI_COUNT_ONE(F->factorisations, on);
  on = RITTI_AND(on, ritti_factor_gathered(&G, k, &F->end));
  RITTI_LEAVE_IF_OFF(on, F->end)
  ritti_solve_gathered(&G, k, true, F->mu);
  on = RITTI_AND(on, ritti_are_finite((size_t)k, F->mu));
  RITTI_LEAVE_IF_OFF(on, RITTI_WITHOUT_VALUE) /* it must not pass for a small change */

  /* the next point */
  const ritt_real moved = ritti_move_point(F, on, F->mu, newton ? q : a, q, rows);
  RITTI_COUNT_ONE(F->iterations, on);
  at->still = moved <= 4 * RITTI_EPS * size;

  /* is it good enough? linear rows are solved at once, except for rounding errors of the change */
  ritti_mask done = RITTI_NO_LANE;
  if (F->linear) done = moved <= (ritti_single)1e-3 * size;
  done = RITTI_AND(on,
                   RITTI_OR(done, ritti_convergence_predicted(at, F->stage_tolerance, moved,
                                                              ritti_max(G.distance, moved), size)));
  *converged = RITTI_OR(*converged, done);
  on = RITTI_AND(on, RITTI_NOT(done));
  if (!RITTI_ANY(on) || !f) return on;
  done = ritti_take_chords(F, &G, f, on, q, rows, moved);
  *converged = RITTI_OR(*converged, done);
  if (F->status) return RITTI_NO_LANE;
  return RITTI_AND(on, RITTI_NOT(done));
}

/* Projects a to q in the lanes that are on; q holds the point at which the iteration begins. Returns
 * the lanes that converged. A batch gives up after RITTI_NEAR_ORTHOGONAL iterations. */
static RITTI_INLINE ritti_mask ritti_project_rows(ritti_small_rows *F, const ritti_pattern *p,
                                                  ritti_rows_f_df *f_df, ritti_rows_f *f,
                                                  ritti_mask on, const ritt_real *a, ritt_real *q,
                                                  const ritti_row_range rows) {
  const int most = RITTI_ALONE ? RITTI_MOST_ITERATIONS : RITTI_NEAR_ORTHOGONAL;
  ritti_iteration at = ritti_begin_iteration(F->orthogonal);
  ritti_mask converged = RITTI_NO_LANE;
  if (RITTI_PEEL_FIRST) {
    on = ritti_project_once(F, &at, true, p, f_df, f, on, a, q, rows, &converged);
    at.number = 1;
  }
  for (; at.number < most && RITTI_ANY(on); at.number++)
    on = ritti_project_once(F, &at, at.number == 0, p, f_df, f, on, a, q, rows, &converged);
  if (RITTI_ANY(on)) F->end = RITTI_DIVERGED;
  return converged;
}

/* ---- norms of a step ---- */

/* How near to M stages must be, and ends to the nearest point of M: a part of the tolerance of any
 * coordinate, over the size of the point. A stage that is off M changes the end by h |dV| times
 * its distance, times the coefficients of the method, some of which are above 10. Coordinates from
 * `first` on; even and odd ones apart. */
static inline ritt_real ritti_stage_tolerance(const int m, const int first, const ritt_real *z,
                                              const ritt_real *relative, const ritt_real *absolute,
                                              const ritt_real *sizes) {
  ritt_real least[2] = {RITTI_ZERO + INFINITY, RITTI_ZERO + INFINITY},
            size[2] = {RITTI_ZERO, RITTI_ZERO};
  for (int i = first; i < m; i++) {
    const int half = i & 1;
    ritt_real at = RITTI_MATH(fabs)(z[i]), scale = relative[i] * at + absolute[i];
    least[half] = RITTI_SELECT(scale < least[half], scale, least[half]);
    size[half] = ritti_max(ritti_max(at, sizes[i]), size[half]);
  }
  const ritt_real tolerance = RITTI_SELECT(least[1] < least[0], least[1], least[0]),
                  most = ritti_max(size[1], size[0]);
  return RITTI_SELECT((most > 0) & (tolerance < most), (ritti_single)0.01 * tolerance / most,
                      RITTI_ZERO);
}

/* 1 over the tolerance of each coordinate, i >= first, at the ends of a step */
static inline void ritti_per_tolerance(const int m, const int first, const ritt_real *z,
                                       const ritt_real *z_new, const ritt_real *relative,
                                       const ritt_real *absolute, ritt_real *per) {
  for (int i = first; i < m; i++) {
    const ritt_real larger =
        RITTI_SELECT(RITTI_MATH(fabs)(z[i]) > RITTI_MATH(fabs)(z_new[i]), z[i], z_new[i]);
    per[i] = RITTI_ABOUT_ONE_OVER(relative[i] * RITTI_MATH(fabs)(larger) + absolute[i]);
  }
}

/* Mean square of e_i per_i, i >= first; even and odd i apart */
static inline ritt_real ritti_mean_square(const int m, const int first, const ritt_real *e,
                                          const ritt_real *per) {
  ritt_real sum[2] = {RITTI_ZERO, RITTI_ZERO};
  for (int i = first; i < m; i++) {
    ritt_real r = e[i] * per[i];
    sum[i & 1] = i < first + 2 ? r * r : sum[i & 1] + r * r;
  }
  return m > first ? (sum[0] + sum[1]) / (ritti_single)(m - first) : sum[0];
}

/* The length of a step in the metric sum w_i dz_i^2: s' = |V| integrated by the method itself with
 * its stages, four of them at a time. */
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

/* ---- the step ---- */

/* How much of a step was taken: all of it; all except V at z_new, which was not asked for; the
 * stages; nothing. */
enum { RITTI_STEP_WHOLE, RITTI_STEP_END, RITTI_STEP_STAGES, RITTI_STEP_NOTHING };

/* Norms of a step: mean squares in units of the tolerance of the two estimates of the error and of
 * the move by the projection; the length of the step; the largest |f_i| at its end. */
typedef struct ritti_step_norms {
  ritti_single square, other, moved, length, residual;
} ritti_step_norms;

/* Reals that are kept of a point of a step for its tangents (geometry/tangent_kernel.h): the point,
 * its highest derivatives, factors of A, values that both evaluations share. */
#define RITTI_KEPT(m, tops, shared) ((m) + (tops) + (tops) * (tops) + (shared))

/* One step of one run: what native code reads of its solver and what it writes. */
typedef struct ritti_step_job {
  unsigned long key; /* of the method of the step */
  int directed;      /* V at z_new is asked for */
  ritti_single h, x_new;
  const ritti_single *z, *spread, *size;   /* m: the point, inverse weights, typical sizes */
  const ritti_single *relative, *absolute; /* m: tolerances; NULL: no estimate of the error */
  const ritti_single *metric;              /* m: weights of the length; NULL: no length */
  ritti_single *const *V;                  /* stages + 1 vectors; V[0] is given */
  ritti_single *point, *end;               /* m: the last stage, the end before its projection */
  ritti_single *z_new, *top;               /* m and tops: the new point, its highest derivatives */
  ritti_single *factors;                   /* of A at z_new if A is symmetric */
  ritti_single *work;                      /* the row of the problem's functions */
  ritti_single *kept;                      /* of the points 1, 2, ...; NULL: nothing is kept */
  /* of all projections of the step; most: the largest number of iterations of one of them */
  long iterations, idle, factorisations, most;
  ritti_step_norms norms;
  ritti_single loose; /* the tolerance of the stages' distance to M */
} ritti_step_job;

/* The method of a step: constants in native code. */
typedef struct ritti_step_method {
  unsigned long key; /* a checksum of everything that follows */
  int project_stages, sequential, weighted;
  int stages, fsal;
  const ritti_single *a, *b, *c, *e, *e3; /* the tableau; e, e3 NULL: no such estimate */
} ritti_step_method;

/* A point of a step before its projection: z + h sum_{j<count} w_j V_j, sum w_j = c; `last`: the
 * end of the step. */
typedef struct ritti_step_point {
  const ritti_single *w;
  int count;
  ritti_single c;
  bool last;
  bool weighs; /* V there is a part of the end of the step, or of the estimate of the error */
} ritti_step_point;

/* The problem of a step: constants in native code. */
typedef struct ritti_step_problem {
  int m, k, tops;
  int positions, constraints; /* of mechanics */
  const int *next;            /* m: as in ritti_problem */
  ritti_pattern df;
  int no_duplicates; /* its pattern names no entry twice */
  const void *data;  /* handed to the functions */
  ritti_rows_f_df *f_df;
  ritti_rows_f *f;
  /* the highest derivatives at z, and factors of A if it is symmetric; returns where they exist */
  ritti_mask (*find_top)(const void *data, ritt_real *work, const ritt_real *z, ritt_real *factors,
                         ritt_real *top);
  /* The library's own projection of `from` to q, and V at q. NULL: by the functions above. */
  ritti_mask (*project)(const void *data, ritti_step_point point, const ritt_real *from,
                        ritt_real *q);
  ritti_mask (*direct)(const void *data, const ritt_real *q, ritt_real *V);
} ritti_step_problem;

/* A step in the reals of the instance. Native code keeps everything in arrays of its own, so that
 * nothing needs to be in memory; the library works in the arrays of its stepper. */
typedef struct ritti_kernel_step {
  ritt_real h, x_new;
  const ritt_real *spread, *size, *relative, *absolute, *metric; /* as in ritti_step_job */
  ritt_real *work;
  ritt_real *z, *point, *z_new, *top, *factors;
  ritt_real *const *V;
  ritt_real *stage_from, *end_from;      /* m: a stage and the end before their projections */
  ritt_real *f, *df, *mu, *B, *dB, *per; /* scratch */
  ritti_sizes *sizes;                    /* 2 */
  ritt_real *kept;                       /* of the next point, if the unit has tangents */
  ritt_real loose, square, other, moved, length, residual;
  ritti_count iterations, idle, factorisations, most;
} ritti_kernel_step;

/* Does a projection involve few enough rows at a time for the packed store? */
static inline bool ritti_are_small_rows(const bool sequential, const int constraints, const int k) {
  return (sequential && constraints ? constraints : k) <= RITTI_SMALL_ROWS;
}

/* Projects `from` to q, which holds the same point; with `sequential` first the positions, then the
 * velocities. Returns the lanes that converged. */
static inline ritti_mask ritti_project_point(ritti_kernel_step *S, const ritti_step_problem *P,
                                             const ritti_step_method *T, const bool last,
                                             ritti_mask on, const ritt_real *from, ritt_real *q) {
  const int m = P->m, n = P->positions, l = P->constraints, k = P->k;
  const bool sequential = T->sequential && l && l <= RITTI_SMALL_ROWS;
  ritti_small_rows F = {.d = T->weighted ? S->spread : NULL,
                        .size = S->size,
                        .f = S->f,
                        .df = S->df,
                        .mu = S->mu,
                        .B = S->B,
                        .dB = T->weighted ? S->dB : S->B,
                        .no_duplicates = P->no_duplicates != 0,
                        .data = P->data,
                        .work = S->work,
                        .orthogonal = !sequential,
                        .begins_at_a = true,
                        .freeze_sizes = true,
                        .sizes = S->sizes,
                        .iterations = S->iterations,
                        .factorisations = S->factorisations};
  F.stage_tolerance = last ? RITTI_ZERO : S->loose;
  F.end_tolerance = last ? S->loose : RITTI_ZERO;

  for (int j = 0; j < k; j++) S->mu[j] = RITTI_ZERO;
  if (sequential) {
    const ritti_row_range first = {m, 1, n + 1, 0, l}, second = {m, n + 1, m, l, l};
    on = ritti_project_rows(&F, &P->df, P->f_df, P->f, on, from, q, first);
    if (RITTI_ALONE && !RITTI_ANY(on)) return on;
    for (int j = 0; j < k; j++) S->mu[j] = RITTI_ZERO;
    F.linear = true;
    F.sizes = S->sizes + 1;
    on = ritti_project_rows(&F, &P->df, P->f_df, P->f, on, from, q, second);
  } else if (k <= RITTI_SMALL_ROWS) {
    const ritti_row_range all = {m, 1, m, 0, k};
    on = ritti_project_rows(&F, &P->df, P->f_df, P->f, on, from, q, all);
  } else return RITTI_NO_LANE;

  const ritti_count count = F.iterations - S->iterations;
  S->iterations = F.iterations;
  S->factorisations = F.factorisations;
  RITTI_COUNT_ONE(S->idle, count == 0);
  S->most = RITTI_SELECT(S->most > count, S->most, count);
  return on;
}

/* V at q, with the highest derivatives there. Returns the lanes in which it exists; `noticed`: a value
 * that is not finite is noticed later, too. */
static inline ritti_mask ritti_find_direction(ritti_kernel_step *S, const ritti_step_problem *P,
                                              const bool noticed, const ritt_real *q,
                                              ritt_real *V) {
  ritti_mask found = P->find_top(P->data, S->work, q, S->factors, S->top);
  if (RITTI_ALONE && !RITTI_ANY(found)) return found;
  if (RITTI_ALONE || !noticed) found = RITTI_AND(found, ritti_are_finite((size_t)P->tops, S->top));
  if (RITTI_ALONE && !RITTI_ANY(found)) return found;
  V[0] = RITTI_ZERO + 1;
  for (int j = 1; j < P->m; j++) V[j] = P->next[j] >= 0 ? q[P->next[j]] : S->top[-1 - P->next[j]];
#ifdef RITTI_BY
  if (S->kept) {
    ritti_copy_reals(P->m, q, S->kept);
    ritti_copy_reals(P->tops, S->top, S->kept + P->m);
    if (S->factors) ritti_copy_reals(P->tops * P->tops, S->factors, S->kept + P->m + P->tops);
    ritt_real *shared = S->kept + RITTI_KEPT(P->m, P->tops, 0);
    for (int i = 0; i < RITTI_SHARED; i++) shared[i] = S->work[shared_slot[i]];
    S->kept += RITTI_KEPT(P->m, P->tops, RITTI_SHARED);
  }
#endif
  return found;
}

/* One point of the step: q, projected if `project`, and V there unless it is NULL. In runs over x,
 * first = 1, the point lies at x. */
static inline ritti_mask ritti_take_point(ritti_kernel_step *S, const ritti_step_problem *P,
                                          const ritti_step_method *T, const int first,
                                          const ritti_step_point point, const ritt_real x,
                                          const bool project, ritti_mask on, ritt_real *from,
                                          ritt_real *q, ritt_real *V) {
  ritti_combine_stages(first, P->m, S->z, S->h, point.w, S->V, point.count, from);
  if (first) from[0] = x;

  if (P->project && project) on = P->project(P->data, point, from, q);
  else if (from != q) ritti_copy_reals(P->m, from, q);
  if (!P->project && project) on = ritti_project_point(S, P, T, point.last, on, from, q);
  if (!V || RITTI_NONE(on)) return on;
  /* multipliers are no part of V */
  const bool noticed = RITTI_METHOD_HAS(T, e) && point.weighs && !(point.last && P->constraints);
  return RITTI_AND(on, P->direct ? P->direct(P->data, q, V)
                                 : ritti_find_direction(S, P, noticed, q, V));
}

/* The points begin .. end of a step, the last of which, number `stages`, is its end; V at the end
 * only if `directed`. Returns the lanes in which they exist. */
static inline ritti_mask ritti_take_points(ritti_kernel_step *S, const ritti_step_problem *P,
                                           const ritti_step_method *T, const int first,
                                           const int begin, const int end, const bool directed) {
  const int stages = T->stages;
  const ritti_single *row = T->a + begin * (begin - 1) / 2;
  ritti_mask on = RITTI_ALL_LANES;
  RITTI_UNROLLED
  for (int i = begin; i <= end; i++) {
    const bool last = i == stages;
    const bool weighs = last ? T->fsal && RITTI_METHOD_HAS(T, e) && T->e[i] != 0 : T->b[i] != 0;
    const ritti_step_point point = {last ? T->b : row, i, last ? 1 : T->c[i], last, weighs};
    on = ritti_take_point(S, P, T, first, point, last ? S->x_new : S->z[0] + point.c * S->h,
                          P->k && (last || T->project_stages), on,
                          last ? S->end_from : S->stage_from, last ? S->z_new : S->point,
                          !last || directed ? S->V[i] : NULL);
    if (RITTI_NONE(on)) return on;
    row += i;
  }
  return on;
}

/* Norms of the step once it is taken. S->end_from, the end before its projection, is used up. */
static inline void ritti_measure_step(ritti_kernel_step *S, const ritti_step_problem *P,
                                      const ritti_step_method *T) {
  const int m = P->m, count = T->stages + T->fsal;
  ritt_real *err = S->end_from;
  S->square = S->other = S->moved = S->length = S->residual = RITTI_ZERO;
  if (S->relative) {
    ritti_per_tolerance(m, 1, S->z, S->z_new, S->relative, S->absolute, S->per);
    if (P->k) {
      for (int j = 1; j < m; j++) err[j] -= S->z_new[j];
      S->moved = ritti_mean_square(m, 1, err, S->per);
    }
    if (RITTI_METHOD_HAS(T, e)) {
      ritti_combine_stages(1, m, NULL, S->h, T->e, S->V, count, err);
      S->square = ritti_mean_square(m, 1, err, S->per);
    }
    if (RITTI_METHOD_HAS(T, e3)) {
      ritti_combine_stages(1, m, NULL, S->h, T->e3, S->V, count, err);
      S->other = ritti_mean_square(m, 1, err, S->per);
    }
  }
  if (S->metric) S->length = ritti_step_length(m, T->stages, T->b, S->V, S->metric, S->h);
  if (!P->k) return;
  P->f(P->data, S->work, S->z_new, S->f);
  S->residual = ritti_plain_residual(P->k, S->f);
}

#endif
