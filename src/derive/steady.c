/* Equilibria: points of the manifold at which V has no entries except dx = 1. They solve
 *
 *     f(z) = 0,   T(z, w) = 0,   V_i(z, w) = 0 for all coordinates that must not move
 *
 * for the coordinates z and the tops w together. There are more rows than unknowns, and a family of
 * equilibria makes the rank smaller, so each step is a damped least-squares step of least length.
 *
 * Such steps may end where the squares of the rows have a least value that is not 0. Then the solutions
 * of G(u) = (1 - tau) G(u_0), G all the rows, are followed from u_0 at tau = 0 along their curve, also
 * where it turns back in tau, until tau is 1. */
#include "derive/derive.h"

typedef struct search {
  ritti_linear_rows *rows;
  const bool *moving, *held;
  int count, unknowns;    /* rows and columns of the system */
  int *unknown;           /* numbers of the columns: coordinates, then tops */
  double *matrix, *right; /* count x unknowns, count */
  double *size;           /* count: sizes of the terms of the rows */
  double *unit;           /* unknowns: their sizes as the model declares them (`scale`), else 1 */
  double *first, tau;     /* count: the rows at u_0; NULL: tau is 1 */
} search;

/* The value of coordinate or top j. */
static double *place_of(const search *s, int j) {
  int m = s->rows->reduced->m;
  return j < m ? &s->rows->z[j] : &s->rows->top[j - m];
}

/* Fills the system at the point of the rows, row after row scaled by the size of its terms. Returns
 * the largest entry of the right side. */
static double fill_system(search *s) {
  const ritti_linear_rows *rows = s->rows;
  const ritti_reduced *R = rows->reduced;
  const ritti_jacobian *J = rows->jacobian;
  int from = rows->manifold + rows->tops, at = 0;
  double most = 0;
  memset(s->matrix, 0, (size_t)s->count * (size_t)s->unknowns * sizeof *s->matrix);
  for (int i = 0; i < from; i++, at++) {
    const double *row = J->matrix + (size_t)i * (size_t)J->columns;
    s->size[at] = 1;
    for (int j = 0; j < s->unknowns; j++) {
      s->matrix[at * s->unknowns + j] = row[s->unknown[j]];
      s->size[at] = fmax(s->size[at], fabs(row[s->unknown[j]] * *place_of(s, s->unknown[j])));
    }
    s->right[at] = -J->value[i];
  }
  for (int i = 1; i < R->m; i++) {
    if (s->moving[i]) continue;
    int column = R->next[i] >= 0 ? R->next[i] : R->m - 1 - R->next[i];
    s->size[at] = 1;
    for (int j = 0; j < s->unknowns; j++)
      if (s->unknown[j] == column) s->matrix[at * s->unknowns + j] = 1;
    s->right[at++] = -ritti_velocity(rows, i);
  }
  s->count = at;
  for (int i = 0; i < at; i++) {
    if (s->first) s->right[i] += (1 - s->tau) * s->first[i];
    s->right[i] /= s->size[i];
    for (int j = 0; j < s->unknowns; j++) s->matrix[i * s->unknowns + j] /= s->size[i];
    most = fmax(most, fabs(s->right[i]));
  }
  return most;
}

static double sum_of_squares(const search *s) {
  double sum = 0;
  for (int i = 0; i < s->count; i++) sum += s->right[i] * s->right[i];
  return sum;
}

static ritt_status make_search(search *s, ritti_arena *arena) {
  const ritti_reduced *R = s->rows->reduced;
  int most = s->rows->manifold + s->rows->tops + R->m;
  RITTI_NEW(s->unknown, arena, R->m + R->tops);
  for (int i = 1; i < R->m + R->tops; i++)
    if (i >= R->m || !s->held[i]) s->unknown[s->unknowns++] = i;
  RITTI_NEW_ARRAYS(arena, most + 1, s->right, s->size);
  RITTI_NEW(s->unit, arena, s->unknowns + 1);
  for (int j = 0; j < s->unknowns; j++) {
    int i = s->unknown[j];
    ritti_expr jet = i < R->m ? R->coordinate[i] : R->top[i - R->m];
    double scale = R->model->variable[ritti_index_of(R->model->dag, jet)].scale;
    s->unit[j] = scale > 0 ? scale : 1;
  }
  RITTI_NEW(s->matrix, arena, (size_t)most * (size_t)s->unknowns + 1);
  s->count = most;
  return RITT_OK;
}

/* The step of least length, in the units of the unknowns, that solves the rows as well as possible. The
 * matrix is used up. */
static ritt_status find_step(search *s, ritti_arena *arena, double *step) {
  double *scratch;
  int *pivot;
  for (int i = 0; i < s->count; i++)
    for (int j = 0; j < s->unknowns; j++) s->matrix[i * s->unknowns + j] *= s->unit[j];
  RITTI_NEW(scratch, arena, ritti_least_norm_scratch(s->count, s->unknowns));
  RITTI_NEW(pivot, arena, s->count + s->unknowns);
  int rank =
      ritti_least_norm(s->count, s->unknowns, s->matrix, s->right, 1e-11, step, scratch, pivot);
  for (int j = 0; j < s->unknowns; j++) step[j] *= s->unit[j];
  return rank < 0 ? RITT_RETRY : RITT_OK;
}

/* Moves by `factor` times the step, from the unknowns in `before`. */
static ritt_status move_by(search *s, const double *before, const double *step, double factor,
                           double *most) {
  for (int j = 0; j < s->unknowns; j++) *place_of(s, s->unknown[j]) = before[j] + factor * step[j];
  RITT_TRY(ritti_jacobian_at(s->rows->jacobian, s->rows->z, s->rows->top));
  *most = fill_system(s);
  return RITT_OK;
}

/* Newton's method from the point of the rows. Its last step must be short: where the velocities only
 * tend to 0 far away, steps grow. */
static ritt_status iterate_newton(search *s, ritti_arena *arena, double *misfit) {
  enum { MOST = 200, HALVINGS = 30 };
  double *step, *before, most, moved = INFINITY;
  RITTI_NEW_ARRAYS(arena, s->unknowns + 1, step, before);
  RITT_TRY(ritti_jacobian_at(s->rows->jacobian, s->rows->z, s->rows->top));
  *misfit = most = fill_system(s);
  for (int iteration = 0; iteration < MOST; iteration++) {
    double square = sum_of_squares(s), longest = 0, factor = 1;
    RITT_TRY(find_step(s, arena, step));
    for (int j = 0; j < s->unknowns; j++) {
      before[j] = *place_of(s, s->unknown[j]);
      longest = fmax(longest, fabs(step[j]) / (s->unit[j] + fabs(before[j])));
    }
    moved = longest;

    ritt_status status = move_by(s, before, step, factor, &most);

    /* the last step is taken whole: it is below the rounding of the rows */
    if (status == RITT_OK && longest < 1e-13 && most < 1e-9) break;
    for (int i = 0; i < HALVINGS; i++) {
      bool better = status == RITT_OK && sum_of_squares(s) <= (1 - 1e-4 * factor) * square;
      if (better || (status == RITT_OK && most < 1e-13)) break;
      factor /= 2;
      status = move_by(s, before, step, factor, &most);
    }
    RITT_TRY(status);
    *misfit = most;
    moved = longest * factor;
    if (moved < 1e-14) break;
  }
  return most < 1e-9 && moved < 1e-6 ? RITT_OK : RITT_RETRY;
}

/* ---- homotopy ---- */

/* A point (u, tau) of the curve, and memory for the systems along it. */
typedef struct curve {
  search *s;
  int columns;                             /* unknowns + 1 */
  double *at, *predicted, *tangent, *step; /* columns */
  double *matrix, *right, *scratch;
  int *pivot;
} curve;

static ritt_status make_curve(curve *c, ritti_arena *arena) {
  const search *s = c->s;
  int rows = s->count + 1;
  c->columns = s->unknowns + 1;
  RITTI_NEW_ARRAYS(arena, c->columns, c->at, c->predicted, c->tangent, c->step);
  RITTI_NEW(c->matrix, arena, (size_t)rows * (size_t)c->columns);
  RITTI_NEW(c->right, arena, rows);
  RITTI_NEW(c->scratch, arena, ritti_least_norm_scratch(rows, c->columns));
  RITTI_NEW(c->pivot, arena, rows + c->columns);
  return RITT_OK;
}

/* Puts the rows at a point of the space of (u, tau). */
static ritt_status move_curve(curve *c, const double *to, double *most) {
  search *s = c->s;
  for (int j = 0; j < s->unknowns; j++) *place_of(s, s->unknown[j]) = to[j];
  s->tau = to[s->unknowns];
  RITT_TRY(ritti_jacobian_at(s->rows->jacobian, s->rows->z, s->rows->top));
  *most = fill_system(s);
  return RITT_OK;
}

/* Solves the rows, linearised in (u, tau), together with tangent . x = `along`; `homogeneous`: with
 * right sides 0, which gives a tangent. */
static ritt_status solve_curve(curve *c, bool homogeneous, double along, double *x) {
  const search *s = c->s;
  int n = s->unknowns, rows = s->count;
  for (int i = 0; i < rows; i++) {
    memcpy(c->matrix + i * c->columns, s->matrix + i * n, (size_t)n * sizeof *c->matrix);
    c->matrix[i * c->columns + n] = s->first[i] / s->size[i];
    c->right[i] = homogeneous ? 0 : s->right[i];
  }
  memcpy(c->matrix + rows * c->columns, c->tangent, (size_t)c->columns * sizeof *c->matrix);
  c->right[rows] = along;
  int rank =
      ritti_least_norm(rows + 1, c->columns, c->matrix, c->right, 1e-11, x, c->scratch, c->pivot);
  return rank < 0 ? RITT_RETRY : RITT_OK;
}

/* Finds the tangent of the curve, of length 1, in the sense of the tangent before. */
static ritt_status find_tangent(curve *c) {
  double square = 0;
  RITT_TRY(solve_curve(c, true, 1, c->step));
  for (int j = 0; j < c->columns; j++) square += c->step[j] * c->step[j];
  if (!(square > 0)) return RITT_RETRY;
  for (int j = 0; j < c->columns; j++) c->tangent[j] = c->step[j] / sqrt(square);
  return RITT_OK;
}

/* Goes a step of this length along the curve. RITT_RETRY: it is too long. */
static ritt_status advance_curve(curve *c, double length) {
  enum { MOST = 8 };
  double most, longest = INFINITY;
  for (int j = 0; j < c->columns; j++) c->predicted[j] = c->at[j] + length * c->tangent[j];
  for (int i = 0; i < MOST && longest > 1e-10; i++) {
    longest = 0;
    RITT_TRY(move_curve(c, c->predicted, &most));
    RITT_TRY(solve_curve(c, false, 0, c->step));
    for (int j = 0; j < c->columns; j++) {
      c->predicted[j] += c->step[j];
      longest = fmax(longest, fabs(c->step[j]) / (1 + fabs(c->predicted[j])));
    }
    if (!(longest < 0.5)) return RITT_RETRY;
  }
  RITT_TRY(move_curve(c, c->predicted, &most));
  return longest <= 1e-10 && most < 1e-7 ? RITT_OK : RITT_RETRY;
}

/* Follows the curve from the point of the rows to tau = 1. */
static ritt_status follow_curve(search *s, ritti_arena *arena, double *misfit) {
  enum { MOST = 2000 };
  curve c = {.s = s};
  double length = 0.02, most;
  RITT_TRY(ritti_jacobian_at(s->rows->jacobian, s->rows->z, s->rows->top));
  fill_system(s);
  RITTI_NEW(s->first, arena, s->count + 1);
  for (int i = 0; i < s->count; i++) s->first[i] = -s->right[i] * s->size[i];
  RITT_TRY(make_curve(&c, arena));
  for (int j = 0; j < s->unknowns; j++) c.at[j] = *place_of(s, s->unknown[j]);
  c.tangent[s->unknowns] = 1; /* tau grows at first */
  RITT_TRY(move_curve(&c, c.at, &most));

  for (int i = 0; i < MOST && length > 1e-8; i++) {
    RITT_TRY(find_tangent(&c));
    if (advance_curve(&c, length) != RITT_OK) {
      length /= 2;
      RITT_TRY(move_curve(&c, c.at, &most));
      continue;
    }
    memcpy(c.at, c.predicted, (size_t)c.columns * sizeof *c.at);
    length *= 1.5;
    if (c.at[s->unknowns] < 1) continue;

    /* behind tau = 1: Newton's method from there */
    s->first = NULL;
    return iterate_newton(s, arena, misfit);
  }
  return RITT_RETRY;
}

/* Is the point so far from the start that velocities vanish only because everything is far away? */
static bool is_far(const search *s, const double *before) {
  double largest = 0;
  for (int j = 0; j < s->unknowns; j++)
    if (s->unknown[j] < s->rows->reduced->m) largest = fmax(largest, fabs(before[j]));
  for (int j = 0; j < s->unknowns; j++)
    if (fabs(*place_of(s, s->unknown[j]) - before[j]) > 1e6 * (s->unit[j] + largest)) return true;
  return false;
}

ritt_status ritti_find_steady(ritti_linear_rows *rows, const bool *moving, const bool *held,
                              ritti_arena *arena, double *misfit) {
  search s = {.rows = rows, .moving = moving, .held = held};
  double *before, rest;
  RITT_TRY(make_search(&s, arena));
  RITTI_NEW(before, arena, s.unknowns + 1);
  for (int j = 0; j < s.unknowns; j++) before[j] = *place_of(&s, s.unknown[j]);
  ritt_status status = iterate_newton(&s, arena, misfit);
  if (status == RITT_OK && !is_far(&s, before)) return status;
  if (status != RITT_OK && status != RITT_RETRY) return status;

  for (int j = 0; j < s.unknowns; j++) *place_of(&s, s.unknown[j]) = before[j];
  rest = *misfit;
  status = follow_curve(&s, arena, &rest);
  *misfit = fmin(*misfit, rest);
  return status == RITT_OK && is_far(&s, before) ? RITT_RETRY : status;
}
