/* Equilibria: points of the manifold at which V has no entries except dx = 1. They solve
 *
 *     f(z) = 0,   T(z, w) = 0,   V_i(z, w) = 0 for all coordinates that must not move
 *
 * for the coordinates z and the tops w together. There are more rows than unknowns, and a family of
 * equilibria makes the rank smaller, so each step is a damped least-squares step of least length. */
#include "derive/derive.h"

typedef struct search {
  ritti_linear_rows *rows;
  const bool *moving, *held;
  int count, unknowns;    /* rows and columns of the system */
  int *unknown;           /* numbers of the columns: coordinates, then tops */
  double *matrix, *right; /* count x unknowns, count */
  double *size;           /* count: sizes of the terms of the rows */
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
  RITTI_NEW(s->matrix, arena, (size_t)most * (size_t)s->unknowns + 1);
  s->count = most;
  return RITT_OK;
}

/* The step of least length that solves the rows as well as possible. */
static ritt_status find_step(search *s, ritti_arena *arena, double *step) {
  double *scratch;
  int *pivot;
  RITTI_NEW(scratch, arena, ritti_least_norm_scratch(s->count, s->unknowns));
  RITTI_NEW(pivot, arena, s->count + s->unknowns);
  int rank =
      ritti_least_norm(s->count, s->unknowns, s->matrix, s->right, 1e-11, step, scratch, pivot);
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

ritt_status ritti_find_steady(ritti_linear_rows *rows, const bool *moving, const bool *held,
                              ritti_arena *arena, double *misfit) {
  enum { MOST = 200, HALVINGS = 30 };
  search s = {.rows = rows, .moving = moving, .held = held};
  double *step, *before, most;
  RITT_TRY(make_search(&s, arena));
  RITTI_NEW_ARRAYS(arena, s.unknowns + 1, step, before);
  RITT_TRY(ritti_jacobian_at(rows->jacobian, rows->z, rows->top));
  *misfit = most = fill_system(&s);
  for (int iteration = 0; iteration < MOST; iteration++) {
    double square = sum_of_squares(&s), longest = 0, factor = 1;
    RITT_TRY(find_step(&s, arena, step));
    for (int j = 0; j < s.unknowns; j++) {
      before[j] = *place_of(&s, s.unknown[j]);
      longest = fmax(longest, fabs(step[j]) / (1 + fabs(before[j])));
    }

    ritt_status status = move_by(&s, before, step, factor, &most);

    /* the last step is taken whole: it is below the rounding of the rows */
    if (status == RITT_OK && longest < 1e-13 && most < 1e-9) break;
    for (int i = 0; i < HALVINGS; i++) {
      bool better = status == RITT_OK && sum_of_squares(&s) <= (1 - 1e-4 * factor) * square;
      if (better || (status == RITT_OK && most < 1e-13)) break;
      factor /= 2;
      status = move_by(&s, before, step, factor, &most);
    }
    RITT_TRY(status);
    *misfit = most;
    if (longest * factor < 1e-14) break;
  }
  return most < 1e-9 ? RITT_OK : RITT_RETRY;
}
