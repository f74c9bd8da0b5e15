/* The tops of one block behind a switch: the way from the old values to the new ones.
 *
 * In: a block T(w) = 0 of the implicit kind as it is behind the switch, and w0, the tops before it. The
 * curve T(w) = (1 - s) T(w0) leads from (s, w) = (0, w0) to a solution at s = 1. If a source steps from u0 to
 * u1 and enters T linearly, this is the source u0 + s (u1 - u0). It is followed by pseudo arc length, in steps
 * that are so short that corrections shrink to a quarter each: it does not come to another curve. Out: w at
 * s = 1; or that s turns back before, at a fold, where a circuit would jump. If jumps are allowed the curve
 * is followed round its folds until it comes to s = 1.
 *
 * It is not needed if corrections shrink that fast already from w0: all curves from w0 are short then
 * (P. Deuflhard, Newton Methods for Nonlinear Problems, 2004, section 2.1).
 */
#include "geometry/top_follow.h"

enum { MOST_POINTS = 2000, MOST_ROUNDS = 8 };

ritt_status ritti_follower_init(ritti_follower *F, int most, ritti_arena *arena) {
  int n = most + 1;
  F->most = most;
  RITTI_NEW_ARRAYS(arena, n, F->y, F->tangent, F->try, F->right, F->size, F->first, F->pivot);
  RITTI_NEW(F->B, arena, n * n);
  return RITT_OK;
}

/* Puts the tops of y in place and evaluates the block. */
static ritt_status evaluate_block(const ritti_follow *f, const ritt_real *y) {
  for (int i = 0; i < f->n; i++) f->top[f->place[i]] = y[1 + i];
  RITT_TRY(f->evaluate(f->context));
  return ritti_are_finite((size_t)f->n, f->T) &&
                 ritti_are_finite((size_t)(f->start[f->n] - f->start[0]), f->dT + f->start[0])
             ? RITT_OK
             : RITT_RETRY;
}

/* The rows at y and their derivatives by y / size, over the tangent as the last row; each row is divided
 * by its largest entry. Factors the matrix. */
static ritt_status factor_system(ritti_follower *F, const ritti_follow *f, const ritt_real *y) {
  int n = f->n + 1;
  RITT_TRY(evaluate_block(f, y));
  memset(F->B, 0, (size_t)(n * n) * sizeof *F->B);
  for (int r = 0; r < f->n; r++) {
    ritt_real *row = F->B + r * n, most = RITTI_MATH(fabs)(F->first[r]);
    row[0] = F->first[r];
    for (int e = f->start[r]; e < f->start[r + 1]; e++) {
      row[1 + f->col[e]] = f->dT[e] * F->size[1 + f->col[e]];
      most = RITTI_MATH(fmax)(most, RITTI_MATH(fabs)(row[1 + f->col[e]]));
    }
    if (!(most > 0)) return RITT_RETRY;
    for (int j = 0; j < n; j++) row[j] /= most;
    F->right[r] = -(f->T[r] - (1 - y[0]) * F->first[r]) / most;
  }
  memcpy(F->B + f->n * n, F->tangent, (size_t)n * sizeof *F->tangent);
  F->right[f->n] = 0;
  return ritti_lu_factor(n, F->B, F->pivot, NULL) ? RITT_OK : RITT_RETRY;
}

/* Newton's method from F->try in the plane across the tangent. RITT_RETRY: corrections do not shrink to
 * a quarter each. */
static ritt_status correct_point(ritti_follower *F, const ritti_follow *f, int *rounds) {
  static const double ENOUGH = 1e-10;
  int n = f->n + 1;
  ritt_real before = INFINITY;
  for (*rounds = 0; *rounds < MOST_ROUNDS; ++*rounds) {
    ritt_real moved = 0;
    RITT_TRY(factor_system(F, f, F->try));
    ritti_lu_solve(n, F->B, F->pivot, F->right);
    for (int i = 0; i < n; i++) {
      F->try[i] += F->right[i] * F->size[i];
      ritt_real part = RITTI_MATH(fabs)(F->right[i]);
      if (!(part <= moved)) moved = part;
    }
    if (!(moved <= before / 4) || !(moved < 1)) return RITT_RETRY;
    if (moved <= (ritt_real)ENOUGH) return RITT_OK;
    before = moved;
  }
  return RITT_RETRY;
}

/* The tangent at F->y, of length 1, on the side of the one before. */
static ritt_status turn_tangent(ritti_follower *F, const ritti_follow *f) {
  int n = f->n + 1;
  ritt_real square = 0;
  RITT_TRY(factor_system(F, f, F->y));
  for (int i = 0; i < f->n; i++) F->right[i] = 0;
  F->right[f->n] = 1;
  ritti_lu_solve(n, F->B, F->pivot, F->right);
  for (int i = 0; i < n; i++) square += F->right[i] * F->right[i];
  if (!(square > 0 && square < INFINITY)) return RITT_RETRY;
  for (int i = 0; i < n; i++) F->tangent[i] = F->right[i] / RITTI_MATH(sqrt)(square);
  return RITT_OK;
}

/* Sizes of the tops: their values before, and those that Newton's method found (w1, or NULL). */
static ritt_status begin_curve(ritti_follower *F, const ritti_follow *f, const ritt_real *w1) {
  ritt_real most = 0;
  F->y[0] = 0, F->size[0] = 1;
  for (int i = 0; i < f->n; i++) {
    F->y[1 + i] = f->top[f->place[i]];
    F->size[1 + i] = RITTI_MATH(fabs)(F->y[1 + i]);
    if (w1) F->size[1 + i] = RITTI_MATH(fmax)(F->size[1 + i], RITTI_MATH(fabs)(w1[i]));
    most = RITTI_MATH(fmax)(most, F->size[1 + i]);
  }
  for (int i = 0; i < f->n; i++)
    if (F->size[1 + i] == 0) F->size[1 + i] = most > 0 ? most : 1;
  RITT_TRY(evaluate_block(f, F->y));
  memcpy(F->first, f->T, (size_t)f->n * sizeof *f->T);
  for (int i = 0; i <= f->n; i++) F->tangent[i] = i == 0;
  return RITT_OK;
}

/* One step along the curve, from F->y to F->try. */
static ritt_status take_step(ritti_follower *F, const ritti_follow *f, ritt_real *h, int *rounds) {
  const ritt_real LEAST = (ritt_real)1e-9;
  for (; *h > LEAST; *h /= 4) {
    for (int i = 0; i <= f->n; i++) F->try[i] = F->y[i] + *h * F->tangent[i] * F->size[i];
    ritt_status status = correct_point(F, f, rounds);
    if (status != RITT_RETRY) return status;
  }
  return RITT_RETRY;
}

/* The point at s = 1, between F->y and F->try. */
static ritt_status end_curve(ritti_follower *F, const ritti_follow *f) {
  int rounds;
  ritt_real part = (1 - F->y[0]) / (F->try[0] - F->y[0]);
  for (int i = 0; i <= f->n; i++) F->try[i] = F->y[i] + part * (F->try[i] - F->y[i]);
  F->try[0] = 1;
  for (int i = 0; i <= f->n; i++) F->tangent[i] = i == 0;
  return correct_point(F, f, &rounds);
}

/* The step from F->y to F->try is accepted: sizes grow with the tops. */
static void accept_point(ritti_follower *F, const ritti_follow *f) {
  for (int i = 0; i <= f->n; i++) {
    ritt_real size = RITTI_MATH(fmax)(F->size[i], i > 0 ? RITTI_MATH(fabs)(F->try[i]) : 1);
    F->y[i] = F->try[i];
    F->tangent[i] *= F->size[i] / size;
    F->size[i] = size;
  }
}

ritt_status ritti_follow_tops(ritti_follower *F, const ritti_follow *f, const ritt_real *w1,
                              bool jumps, ritti_follow_end *way) {
  const ritt_real CLEAR = (ritt_real)1e-8, MOST = (ritt_real)0.25, FAR = (ritt_real)1e6;
  ritt_real h = (ritt_real)0.02, largest = 0, slope = 0, taken = 0, s = 0;
  int rounds;
  *way = (ritti_follow_end){.lost = true};
  RITT_TRY(begin_curve(F, f, w1));
  for (int k = 0; k < MOST_POINTS; k++) {
    RITT_TRY(turn_tangent(F, f));
    /* ds along the curve changes its sign: s is largest between this point and the one before */
    if (slope > 0 && F->tangent[0] < 0)
      way->fold = s + taken * slope * slope / (slope - F->tangent[0]) / 2;
    if (way->turns && !jumps) return RITT_OK;
    slope = F->tangent[0], s = F->y[0];
    RITT_TRY(take_step(F, f, &h, &rounds));
    taken = h;
    if (F->try[0] >= 1) {
      RITT_TRY(end_curve(F, f));
      for (int i = 0; i < f->n; i++) f->top[f->place[i]] = F->try[1 + i];
      way->lost = false;
      return RITT_OK;
    }
    accept_point(F, f);
    if (F->y[0] > largest) largest = F->y[0];
    way->turns |= F->y[0] < largest - CLEAR;
    if (F->y[0] < -FAR) return RITT_OK;
    if (rounds <= 3 && h < MOST) h *= 2;
  }
  return RITT_OK;
}
