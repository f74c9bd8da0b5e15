/* Is the start a singular point? There the gradient of a row vanishes, or the highest derivatives are not
 * determined, though both are as they should be beside it. */
#include "complete/complete_impl.h"

/* A start that was asked for is singular; of one that guesses were moved to nothing follows for
 * others. */
ritt_status ritti_refuse_singular(ritti_completion *C, const char *hint, const char *reason) {
  if (!reason) return RITT_NO_MEMORY;
  if (C->moved)
    return ritti_refuse_model(
        C, "undecided", RITT_UNDECIDED, &C->model->start_place, hint,
        ritti_arena_format(
            C->arena, "the start found from the guesses given is a singular point: %s", reason));
  return ritti_refuse_model(
      C, "singular", RITT_IMPOSSIBLE, &C->model->start_place, hint,
      ritti_arena_format(C->arena, "the start is a singular point: %s", reason));
}

/* The least size of each jet: its scale, if the model gives one; else 1, or, if that is less, the
 * largest value of the same order in one of its rows (lengths of nanometres, in metres). Of several
 * rows the one with the smallest such value counts: another row may contain a large multiplier. */
static ritt_status find_sizes(ritti_completion *C, const ritti_rows_system *S, double *size) {
  int *order;
  RITTI_NEW(order, C->arena, C->jets + 1);
  for (int j = 0; j < C->n; j++)
    for (int k = 0; k <= C->d[j]; k++) order[C->first[j] + k] = k;
  memset(size, 0, (size_t)C->jets * sizeof *size);
  for (int i = 0; i < S->rows; i++)
    for (int order_here = 0, more = 1; more; order_here++) {
      double most = 0;
      more = 0;
      for (int e = S->start[i]; e < S->start[i + 1]; e++) {
        if (order[S->col[e]] == order_here) most = fmax(most, fabs(C->point[S->col[e]]));
        if (order[S->col[e]] > order_here) more = 1;
      }
      for (int e = S->start[i]; e < S->start[i + 1]; e++) {
        double *here = &size[S->col[e]];
        if (order[S->col[e]] == order_here && most > 0 && (*here == 0 || most < *here))
          *here = most;
      }
    }
  for (int j = 0; j < C->n; j++)
    for (int k = 0; k <= C->d[j]; k++) {
      double *here = &size[C->first[j] + k], scale = C->model->variable[j].scale,
             usual = ritti_jet_size(C, j, k);
      double most = scale <= 0 && *here > 1e-14 * usual ? fmin(*here, usual) : usual;
      *here = fmax(fabs(C->point[C->first[j] + k]), most);
    }
  return RITT_OK;
}

/* Is this jet number that of a top? */
static bool is_top(const ritti_completion *C, int jet) {
  for (int low = 0, high = C->n - 1;;) {
    int j = low + (high - low + 1) / 2;
    if (low == high) return jet == C->first[low] + C->d[low];
    if (C->first[j] <= jet) low = j;
    else high = j - 1;
  }
}

/* size[i]: the largest entry of the gradient of row i of M, or of the derivatives of row i for the
 * tops by the tops, at a point beside the start, `far` away, in units of the jets; false: no values. */
static bool sizes_beside(ritti_completion *C, ritti_rows_system *S, bool of_tops, double far,
                         const double *unit, double *point, double *size) {
  int first = of_tops ? C->rows : 0, count = of_tops ? C->top_rows : C->rows;
  for (int j = 0; j < C->jets; j++)
    point[j] = C->point[j] + far * unit[j] * ritti_quasi_random(j, 1);
  ritti_rows_evaluate(C, S, point);
  for (int i = 0; i < count; i++) {
    size[i] = 0;
    for (int e = S->start[first + i]; e < S->start[first + i + 1]; e++)
      if (!of_tops || is_top(C, S->col[e]))
        size[i] = fmax(size[i], fabs(S->value[S->rows + e]) * unit[S->col[e]]);
  }
  return ritti_rows_finite(S, first, count);
}

/* *row: a row whose derivatives vanish at the start, though not beside it; -1: none. Farther away and
 * near it: a row with exponentials is large far away, and not small at the start. */
ritt_status ritti_find_vanishing(ritti_completion *C, bool of_tops, int *row) {
  ritti_rows_system S = {0};
  double *here, *near, *far, *point, *unit;
  int count = of_tops ? C->top_rows : C->rows;
  RITTI_NEW(here, C->arena, count + 1);
  RITTI_NEW(near, C->arena, count + 1);
  RITTI_NEW(far, C->arena, count + 1);
  RITTI_NEW(point, C->arena, C->jets + 1);
  RITTI_NEW(unit, C->arena, C->jets + 1);
  RITT_TRY(ritti_all_rows(C, true, &S));
  RITT_TRY(find_sizes(C, &S, unit));
  *row = -1;
  for (int pass = 0; pass < (of_tops ? 2 : 1); pass++) {
    /* tops at 0 to rounding have no size of their own */
    for (int j = 0; pass == 1 && j < C->n; j++)
      for (int k = 0; k <= C->d[j]; k++) {
        double *own = &unit[C->first[j] + k];
        *own = fmax(*own, ritti_jet_size(C, j, k));
      }
    bool finite = sizes_beside(C, &S, of_tops, 0, unit, point, here) &&
                  sizes_beside(C, &S, of_tops, 0.1, unit, point, far) &&
                  sizes_beside(C, &S, of_tops, 1e-3, unit, point, near);
    for (int i = 0; finite && i < count; i++)
      if (here[i] < 1e-7 * far[i] && here[i] < 1e-5 * near[i]) *row = i;
  }
  return RITT_OK;
}

ritt_status ritti_check_gradients(ritti_completion *C) {
  int vanishing;
  RITT_TRY(ritti_find_vanishing(C, false, &vanishing));
  bool same = true, sure;
  if (vanishing >= 0) RITT_TRY(ritti_same_at_start(C, &same, &sure));
  if (same) return RITT_OK;
  const char *from = ritti_origin_text(C->arena, C->model, C->origin[vanishing]);
  C->check->degrees_of_freedom = RITT_UNKNOWN;
  return ritti_refuse_singular(
      C,
      "start beside it: several motions may pass through such a point, or none; or write the constraint "
      "without a square",
      ritti_arena_format(C->arena, "the derivatives of %s all vanish there",
                         from ? from : "a constraint"));
}

/* Regular at generic points, but not at the start: a singular point of the system. The fast path
 * was taken because the matrix is regular at the start. */
ritt_status ritti_check_start(ritti_completion *C) {
  bool full, sure = true;
  double condition;
  if (C->fast) return RITT_OK;
  RITT_TRY(ritti_full_rank(C, C->point, &full, &condition));
  if (!full) RITT_TRY(ritti_same_at_start(C, &full, &sure));
  if (full) return RITT_OK;
  C->check->degrees_of_freedom = C->check->hidden_constraints = RITT_UNKNOWN;
  const char *hint = "choose another start point";
  /* the rows may be singular there although the equations are not: an elimination may have divided by
   * zero, or a dependent equation is needed, as y' = 1 beside x*(y' - 1) = 0 at x = 0 */
  if (!sure)
    return ritti_refuse_model(
        C, "undecided", RITT_UNDECIDED, &C->model->start_place, hint,
        ritti_arena_format(
            C->arena,
            "the completed equations do not determine the highest derivatives at the "
            "start (condition number %.0e); whether the equations as written do was "
            "not decided",
            condition));
  return ritti_refuse_singular(
      C, hint,
      ritti_arena_format(
          C->arena,
          "the equations do not determine the highest derivatives there (condition number %.0e)",
          condition));
}
