/* The watch for crossings, as text for the library and for legs (base/width.h): the least singular
 * value of dg at a position, whether it has changed its sign, and the positions of a step at which to
 * look. */
#ifndef RITTI_CROSSING_WATCH_H
#define RITTI_CROSSING_WATCH_H

#include "linalg/small.h"

enum { RITTI_MOST_PARTS = 8 }; /* of a step that is looked at */

/* What is kept from look to look, for l constraints of n positions. */
typedef struct ritti_rank_view {
  ritt_real *row_scale; /* l: 1 over the largest length of a row of dg so far */
  ritt_real *left;      /* l: the left singular vector of the least singular value, and */
  ritt_real *across;    /* n: its right one */
  ritt_real sigma;      /* least singular value of dg with those rows */
} ritti_rank_view;

/* Room for a look: l x n, l x l, l, n */
typedef struct ritti_rank_room {
  ritt_real *G, *gram, *vector, *Gu;
} ritti_rank_room;

/* The lanes in which a square can be the square of a length */
static inline ritti_mask ritti_is_square(ritt_real square) {
  return RITTI_AND(square > 0x1p-900, square < 0x1p900);
}

/* Rows of length 1 at first, and never longer. */
static inline void ritti_limit_rows(const int l, const int n, const bool first, ritt_real *G,
                                    ritt_real *row_scale) {
  for (int i = 0; i < l; i++) {
    ritt_real *row = G + i * n, length = RITTI_MATH(sqrt)(ritti_small_dot(n, row, row));
    const ritti_mask longer = length > (ritti_single)(first ? 0 : 1);
    if (!RITTI_ANY(longer)) continue;
    const ritt_real divisor = RITTI_SELECT(longer, length, RITTI_ZERO + 1);
    for (int j = 0; j < n; j++) row[j] = RITTI_QUOTIENT(row[j], divisor);
    row_scale[i] = RITTI_QUOTIENT(row_scale[i], divisor);
  }
}

/* gram = L L^T of G G^T in place, with 1 over its pivots on the diagonal. Returns the lanes in which
 * all pivots are more than rounding errors. */
static inline ritti_mask ritti_factor_gram(const int l, const int n, const ritt_real *G,
                                           ritt_real *gram) {
  ritti_mask sound = RITTI_ALL_LANES;
  for (int i = 0; i < l; i++) {
    ritt_real *row = gram + i * l;
    for (int j = 0; j < i; j++)
      row[j] = (ritti_small_dot(n, G + i * n, G + j * n) - ritti_small_dot(j, row, gram + j * l)) *
               gram[j * l + j];
    const ritt_real diagonal =
        ritti_small_dot(n, G + i * n, G + i * n) + 16 * (ritti_single)l * RITTI_EPS;
    const ritt_real pivot = diagonal - ritti_small_dot(i, row, row);
    sound = RITTI_AND(sound, pivot > 4 * (ritti_single)l * RITTI_EPS * diagonal);
    sound = RITTI_AND(sound, pivot < INFINITY);
    if (RITTI_ALONE && !RITTI_ANY(sound)) return sound;
    row[i] = RITTI_RECIPROCAL(RITTI_MATH(sqrt)(pivot));
  }
  return sound;
}

static inline void ritti_solve_gram(const int l, const ritt_real *gram, ritt_real *x) {
  for (int i = 0; i < l; i++) x[i] = (x[i] - ritti_small_dot(i, gram + i * l, x)) * gram[i * l + i];
  for (int i = l - 1; i >= 0; i--) {
    x[i] *= gram[i * l + i];
    for (int j = 0; j < i; j++) x[j] -= x[i] * gram[i * l + j];
  }
}

/* Looks at the rows dg in room->G, scaled by view->row_scale, in the lanes that are on. *side: 1 or
 * -1, whether sigma has kept its sign since the last look; 0: it cannot be told, or this is the first
 * look. Returns the lanes in which something can be said; the view of the others does not change,
 * except for row_scale. */
static inline ritti_mask ritti_look_at_rank(const int l, const int n, const bool first,
                                            ritti_mask on, const ritti_rank_room *room,
                                            ritti_rank_view *view, ritt_real *side) {
  ritt_real *vector = room->vector, *Gu = room->Gu;
  *side = RITTI_ZERO;
  ritti_limit_rows(l, n, first, room->G, view->row_scale);

  /* The left vector by inverse iteration from where it is. It begins with a part of every vector:
   * linkages that are symmetric have vectors which the iteration would never leave. */
  for (int i = 0; i < l; i++)
    vector[i] = view->left[i] + (ritti_single)0.25 / (ritti_single)(i + 1);
  on = RITTI_AND(on, ritti_factor_gram(l, n, room->G, room->gram));
  if (!RITTI_ANY(on)) return on;
  for (int again = 0; again < (first ? 5 : 1); again++) {
    for (int times = 0; times < 4; times++) ritti_solve_gram(l, room->gram, vector);
    const ritt_real square = ritti_small_dot(l, vector, vector);
    on = RITTI_AND(on, ritti_is_square(square));
    if (!RITTI_ANY(on)) return on;
    const ritt_real per_length = RITTI_RECIPROCAL(RITTI_MATH(sqrt)(square));
    for (int i = 0; i < l; i++) vector[i] *= per_length;
  }

  /* the value, and the right vector */
  for (int j = 0; j < n; j++) Gu[j] = RITTI_ZERO;
  for (int i = 0; i < l; i++)
    for (int j = 0; j < n; j++) Gu[j] += room->G[i * n + j] * vector[i];
  const ritt_real square = ritti_small_dot(n, Gu, Gu);
  on = RITTI_AND(on, ritti_is_square(square));
  if (!RITTI_ANY(on)) return on;
  const ritt_real sigma = RITTI_MATH(sqrt)(square);
  for (int j = 0; j < n; j++) Gu[j] = RITTI_QUOTIENT(Gu[j], sigma);

  /* on which side */
  const ritt_real left = ritti_small_dot(l, vector, view->left),
                  across = ritti_small_dot(n, Gu, view->across);
  const ritti_mask clear = RITTI_AND(RITTI_MATH(fabs)(left) > (ritti_single)0.3,
                                     RITTI_MATH(fabs)(across) > (ritti_single)0.3);
  if (!first)
    *side = RITTI_SELECT(clear, RITTI_SELECT(left * across > 0, RITTI_ZERO + 1, RITTI_ZERO - 1),
                         RITTI_ZERO);
  view->sigma = RITTI_IF_ON(on, sigma, view->sigma);
  for (int i = 0; i < l; i++) view->left[i] = RITTI_IF_ON(on, vector[i], view->left[i]);
  for (int j = 0; j < n; j++) view->across[j] = RITTI_IF_ON(on, Gu[j], view->across[j]);
  return on;
}

/* G <- dg from the nonzeros of df, rows scaled */
static inline void ritti_fill_rank_rows(const int l, const int n, const int *start, const int *col,
                                        const ritt_real *df, const ritt_real *row_scale,
                                        ritt_real *G) {
  for (int i = 0; i < l * n; i++) G[i] = RITTI_ZERO;
  for (int i = 0; i < l; i++)
    for (int e = start[i]; e < start[i + 1]; e++) G[i * n + col[e] - 1] += df[e] * row_scale[i];
}

/* ---- where to look along a step ---- */

/* The largest size of a position at the start of the step */
static inline ritt_real ritti_largest_position(const int n, const ritt_real *z,
                                               const ritt_real *size) {
  ritt_real most = RITTI_ZERO;
  for (int i = 1; i <= n; i++) {
    const ritt_real here = RITTI_MATH(fabs)(z[i]) + size[i];
    most = RITTI_SELECT(here > most, here, most);
  }
  return most;
}

/* The length of a step in the positions, from V at its ends */
static inline ritt_real ritti_path_of_step(const int n, ritt_real h, const ritt_real *V,
                                           const ritt_real *W) {
  ritt_real begin = RITTI_ZERO, end = RITTI_ZERO;
  for (int i = 1; i <= n; i++) begin += V[i] * V[i], end += W[i] * W[i];
  return RITTI_MATH(fabs)(h) * RITTI_MATH(sqrt)(RITTI_SELECT(begin > end, begin, end));
}

/* Into how many parts is a step to be cut, such that dg cannot have lost rank and gained it again on
 * one of them? Its rows have about length 1, and turn by an angle on a path as long as the sizes. */
static inline ritt_real ritti_parts_of_step(ritt_real path, ritt_real sigma, ritt_real largest) {
  const ritt_real ratio = RITTI_QUOTIENT(4 * path, sigma * largest);
  ritt_real parts = RITTI_ZERO;
  for (int i = 0; i < RITTI_MOST_PARTS; i++)
    parts += RITTI_SELECT(ratio <= (ritti_single)i, RITTI_ZERO, RITTI_ZERO + 1);
  return parts;
}

/* out <- positions at the fraction theta of a step, by the cubic through its ends: near enough to
 * look at, and much cheaper than points of M. Velocities are those of its end. */
static inline void ritti_interpolate_position(const int m, const int n, ritt_real theta,
                                              ritt_real h, const ritt_real *z, const ritt_real *end,
                                              const ritt_real *V, const ritt_real *W,
                                              ritt_real *out) {
  const ritt_real rest = 1 - theta;
  for (int i = 0; i < m; i++) out[i] = end[i];
  for (int i = 0; i <= n; i++)
    out[i] = rest * rest * ((1 + 2 * theta) * z[i] + theta * h * V[i]) +
             theta * theta * ((1 + 2 * rest) * end[i] - rest * h * W[i]);
}

#endif
