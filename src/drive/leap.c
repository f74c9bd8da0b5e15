/* Jumps at folds, if they are asked for: `singular jump`.
 *
 * At a fold the unknowns that follow from the states have no solution beyond the point: a Schmitt trigger
 * switches over. In: the fold, states z and following unknowns w with f(z, w) = 0. The states go on as they
 * went before, z + s z', and the curve f(z + s z', w) = 0 is followed by pseudo arc length round the fold:
 * s falls along the middle part of an S, turns again, and where it comes back to 0 the run goes on with
 * the w found there. States keep their values. Nothing is found if the curve does not come back.
 */
#include "drive/driver_impl.h"

enum { MOST_POINTS = 4000, MOST_ROUNDS = 8, LARGEST = 300 };

typedef struct leap {
  ritti_driver *d;
  int n;           /* number of following unknowns, and of rows that hold them */
  int *coordinate; /* of each */
  int *row;
  ritt_real *fold, *rate, *size; /* m; m; n + 1: s, then the unknowns */
  ritt_real *y, *tangent, *try;  /* n + 1 each: s and the unknowns */
  ritt_real *z;                  /* m */
  ritt_real *f, *df, *B, *right;
  int *pivot;
} leap;

static bool row_contains_follower(const leap *L, int row) {
  const ritti_problem *p = L->d->problem;
  for (int e = p->df.start[row]; e < p->df.start[row + 1]; e++)
    if (p->role[p->df.col[e]] == RITTI_ROLE_FOLLOWS) return true;
  return false;
}

/* RITT_RETRY: the unknowns do not follow from as many rows. */
static ritt_status begin_leap(leap *L, const ritt_real *fold) {
  ritti_driver *d = L->d;
  const ritti_problem *p = d->problem;
  int rows = 0;
  if (!p->role || p->k == 0 || p->k > LARGEST) return RITT_RETRY;
  RITTI_NEW(L->coordinate, d->arena, p->m);
  RITTI_NEW(L->row, d->arena, p->k);
  for (int i = 1; i < p->m; i++)
    if (p->role[i] == RITTI_ROLE_FOLLOWS) L->coordinate[L->n++] = i;
  for (int i = 0; i < p->k; i++)
    if (row_contains_follower(L, i)) L->row[rows++] = i;
  if (rows != L->n || rows == 0) return RITT_RETRY;

  int n = L->n + 1;
  RITTI_NEW_ARRAYS(d->arena, p->m, L->fold, L->rate, L->z);
  RITTI_NEW_ARRAYS(d->arena, n, L->size, L->y, L->tangent, L->try, L->right, L->pivot);
  RITTI_NEW(L->f, d->arena, p->k);
  RITTI_NEW(L->df, d->arena, p->df.start[p->k] + 1);
  RITTI_NEW(L->B, d->arena, n * n);
  memcpy(L->fold, fold, (size_t)p->m * sizeof *fold);
  const ritt_real *V = d->step.V[0];
  ritt_real along = d->passage.along, span = RITTI_MATH(fabs)(d->plan.end - d->plan.from);
  L->rate[0] = along;
  L->size[0] = span;
  for (int i = 1; i < p->m; i++) {
    if (p->role[i] == RITTI_ROLE_FOLLOWS) continue;
    L->rate[i] = V[i] / V[0] * along;
    ritt_real size = RITTI_MATH(fabs)(fold[i]) + ritti_size_of(d, i), rate = L->rate[i];
    if (RITTI_MATH(fabs)(rate) * L->size[0] > size) L->size[0] = size / RITTI_MATH(fabs)(rate);
  }
  for (int j = 0; j < L->n; j++) L->size[1 + j] = ritti_size_of(d, L->coordinate[j]);
  return RITT_OK;
}

/* The rows at y, and their derivatives by y / size, over `tangent` as the last row. */
static ritt_status fill_system(leap *L, const ritt_real *y) {
  const ritti_problem *p = L->d->problem;
  int n = L->n + 1;
  for (int i = 0; i < p->m; i++) L->z[i] = L->fold[i] + y[0] * L->rate[i];
  for (int j = 0; j < L->n; j++) L->z[L->coordinate[j]] = y[1 + j];
  RITT_TRY(p->call.f_df(p->data, L->d->work, L->z, L->f, L->df));
  memset(L->B, 0, (size_t)(n * n) * sizeof *L->B);
  for (int r = 0; r < L->n; r++)
    for (int e = p->df.start[L->row[r]]; e < p->df.start[L->row[r] + 1]; e++) {
      int col = p->df.col[e], j = 0;
      while (j < L->n && L->coordinate[j] != col) j++;
      if (j < L->n) L->B[r * n + 1 + j] += L->df[e] * L->size[1 + j];
      else L->B[r * n] += L->df[e] * L->rate[col] * L->size[0];
    }
  memcpy(L->B + L->n * n, L->tangent, (size_t)n * sizeof *L->tangent);
  for (int r = 0; r < L->n; r++) L->right[r] = -L->f[L->row[r]];
  L->right[L->n] = 0;
  return RITT_OK;
}

/* Newton's method from L->try, in the plane across the tangent. *rounds: how many it took. */
static ritt_status correct_point(leap *L, int *rounds) {
  const ritt_real ENOUGH = 64 * RITTI_EPS;
  int n = L->n + 1;
  for (*rounds = 0; *rounds < MOST_ROUNDS; ++*rounds) {
    ritt_real moved = 0;
    RITT_TRY(fill_system(L, L->try));
    if (!ritti_lu_factor(n, L->B, L->pivot, NULL)) return RITT_RETRY;
    ritti_lu_solve(n, L->B, L->pivot, L->right);
    for (int i = 0; i < n; i++) {
      L->try[i] += L->right[i] * L->size[i];
      moved = RITTI_MATH(fmax)(moved, RITTI_MATH(fabs)(L->right[i]));
    }
    if (!(moved < 1)) return RITT_RETRY;
    if (moved <= ENOUGH * (1 + RITTI_MATH(fabs)(L->try[0] / L->size[0]))) return RITT_OK;
  }
  return RITT_RETRY;
}

/* The tangent at L->y, of length 1 in the sizes, on the side of the one before. */
static ritt_status turn_tangent(leap *L) {
  int n = L->n + 1;
  ritt_real square = 0;
  RITT_TRY(fill_system(L, L->y));
  for (int i = 0; i < L->n; i++) L->right[i] = 0;
  L->right[L->n] = 1;
  if (!ritti_lu_factor(n, L->B, L->pivot, NULL)) return RITT_RETRY;
  ritti_lu_solve(n, L->B, L->pivot, L->right);
  for (int i = 0; i < n; i++) square += L->right[i] * L->right[i];
  if (!(square > 0 && square < INFINITY)) return RITT_RETRY;
  for (int i = 0; i < n; i++) L->tangent[i] = L->right[i] / RITTI_MATH(sqrt)(square);
  return RITT_OK;
}

/* Follows the curve until s comes back to 0, and puts the point there into L->try. */
static ritt_status follow_curve(leap *L) {
  const ritt_real LEAST = (ritt_real)1e-10, MOST = (ritt_real)0.05;
  int n = L->n + 1, rounds;
  ritt_real h = (ritt_real)1e-3;
  bool before_fold = false; /* the curve has left s = 0 */
  for (int k = 0; k < MOST_POINTS; k++) {
    RITT_TRY(turn_tangent(L));
    ritt_status status = RITT_RETRY;
    while (status == RITT_RETRY && h > LEAST) {
      for (int i = 0; i < n; i++) L->try[i] = L->y[i] + h * L->tangent[i] * L->size[i];
      status = correct_point(L, &rounds);
      if (status == RITT_RETRY) h /= 4;
    }
    RITT_TRY(status);

    /* back at the place of the fold: put s to 0 exactly */
    if (before_fold && L->try[0] >= 0) {
      ritt_real part = L->y[0] / (L->y[0] - L->try[0]);
      for (int i = 0; i < n; i++) L->try[i] = L->y[i] + part * (L->try[i] - L->y[i]);
      L->try[0] = 0;
      for (int i = 0; i < n; i++) L->tangent[i] = i == 0;
      return correct_point(L, &rounds);
    }
    before_fold = before_fold || L->try[0] < -(ritt_real)1e-9 * L->size[0];
    memcpy(L->y, L->try, (size_t)n * sizeof *L->y);
    if (rounds <= 4 && h < MOST) h *= (ritt_real)1.5;
  }
  return RITT_RETRY;
}

bool ritti_can_leap(const ritti_problem *p) {
  if (!p->role) return false;
  for (int i = 1; i < p->m; i++) {
    bool derivative = false;
    for (int j = 1; j < p->m; j++) derivative = derivative || p->next[j] == i;
    if (p->role[i] == RITTI_ROLE_FOLLOWS && !derivative) return true;
  }
  return false;
}

ritt_status ritti_find_leap(ritti_driver *d, const ritt_real *fold, const ritt_real *V,
                            ritt_real *z) {
  leap L = {.d = d};
  ritt_real square = 0;
  if (!ritti_can_leap(d->problem)) return RITT_RETRY;
  RITT_TRY(begin_leap(&L, fold));
  for (int j = 0; j < L.n; j++) {
    L.y[1 + j] = fold[L.coordinate[j]];
    L.tangent[1 + j] = V[L.coordinate[j]] / L.size[1 + j];
    square += L.tangent[1 + j] * L.tangent[1 + j];
  }
  if (!(square > 0)) return RITT_RETRY;
  for (int j = 0; j < L.n; j++) L.tangent[1 + j] /= RITTI_MATH(sqrt)(square);
  RITT_TRY(follow_curve(&L));
  memcpy(z, fold, (size_t)d->problem->m * sizeof *z);
  for (int j = 0; j < L.n; j++) z[L.coordinate[j]] = L.try[1 + j];
  return RITT_OK;
}
