/* The start point: from what the user typed to a point that satisfies every equation, hidden ones
 * included.
 *
 * In: start values, '=' to be kept, '~' guesses, the rest free. Out: values of all jets up to the
 * tops. The rules: keep everything typed if the free jets can carry it; else move the guesses, as
 * little as possible; else move kept values that were typed with 5 or more digits within half a
 * unit of their last one; else the values clash, and the message says which, in which equation, by
 * how much. The independent variable never moves.
 *
 * The search, until something is found: order by order (positions by the rows that hold only them,
 * then velocities, ..., then the tops) and then all at once; the same from other values of the free
 * jets and from points near the guess; at last a homotopy, F(p) = (1 - s) F(p0) for s from 0 to 1.
 * The effort is bounded.
 */
#include "complete/start_impl.h"

/* Jets that were not given follow freely; the larger, the fewer iterations until only the guesses
 * count. */
static const double LOOSE = 1e4;
/* Guesses that belong to another place give way to the others. */
static const double STALE = 1e2;
enum { NEAR = 8 }; /* starts near the guess */
/* Operations: some seconds. */
static const double EFFORT = 3e9;
/* For what may improve a point that was found. */
static const double ENOUGH = 5e8;

double ritti_start_size(const ritti_start *W, int jet) {
  int variable = W->variable[jet];
  return ritti_jet_size(W->C, variable, jet - W->C->first[variable]);
}

ritt_status ritti_all_rows(ritti_completion *C, bool with_invariants, ritti_rows_system *out) {
  int count = 0;
  ritti_expr *rows;
  RITTI_NEW(rows, C->arena, C->rows + C->top_rows + C->model->invariants + 1);
  for (int i = 0; i < C->rows; i++) rows[count++] = C->row[i];
  for (int i = 0; i < C->top_rows; i++) rows[count++] = C->top_row[i];
  for (int i = 0; with_invariants && i < C->model->invariants; i++)
    if (C->model->invariant[i].value != RITTI_NIL) rows[count++] = C->given[i];
  return ritti_rows_make(C, rows, count, out);
}

ritti_origin ritti_start_origin(const ritti_completion *C, int row) {
  if (row < C->rows) return C->origin[row];
  if (row < C->rows + C->top_rows) return C->top_origin[row - C->rows];
  row -= C->rows + C->top_rows;
  for (int i = 0; i < C->model->invariants; i++)
    if (C->model->invariant[i].value != RITTI_NIL && row-- == 0)
      return (ritti_origin){.equation = -1, .invariant = i};
  return row < C->dependents ? C->dependent_origin[row]
                             : (ritti_origin){.equation = -1, .invariant = -1};
}

/* ---- dependent equations ---- */

/* Leaves out the rows that hold derivatives beyond the tops. */
static ritt_status take_dependent(ritti_start *W) {
  ritti_completion *C = W->C;
  int kept = 0;
  for (int i = 0; i < C->dependents; i++) {
    ritti_nodes jets;
    bool within = true;
    RITT_TRY(ritti_leaves(C->dag, C->dependent_row[i], RITTI_JET, &jets));
    for (size_t k = 0; k < jets.count; k++)
      within = within && ritti_jet_number(C, ritti_index_of(C->dag, jets.at[k]),
                                          ritti_order_of(C->dag, jets.at[k])) >= 0;
    ritti_free(jets.at);
    C->dependent_row[kept] = C->dependent_row[i];
    C->dependent_origin[kept] = C->dependent_origin[i];
    kept += within;
  }
  C->dependents = kept;
  return kept ? ritti_rows_make(C, C->dependent_row, kept, &W->D) : RITT_OK;
}

ritt_status ritti_start_keeps_dependent(ritti_start *W, const double *point, bool *keeps) {
  static const double OFF = 1e-6, ROUNDING = 1e-10, OF_TERMS = 1e-13;
  ritti_rows_system *D = &W->D;
  *keeps = true;
  if (D->rows == 0 || !ritti_rows_evaluate(W->C, D, point)) return RITT_OK;
  for (int i = 0; i < D->rows; i++) {
    double terms = 0, most = 0;
    for (int e = D->start[i]; e < D->start[i + 1]; e++) {
      double slope = fabs(D->value[D->rows + e]), here = fabs(point[D->col[e]]);
      terms += slope * here;
      most += slope * fmax(here, ritti_start_size(W, D->col[e]));
    }
    double off = fabs(D->value[i]), size;
    if (!(off > OFF * terms && off > ROUNDING * most)) continue;
    /* an identity, such as cosh(a)^2 - sinh(a)^2 = 1, has no slopes */
    RITT_TRY(ritti_size_of_terms(W->C, D->root[i], point, &size));
    *keeps = off <= OF_TERMS * size;
    if (!*keeps) return RITT_OK;
  }
  return RITT_OK;
}

/* ---- what is known before the search ---- */

static ritt_status find_row_levels(ritti_start *W) {
  RITTI_NEW(W->row_level, W->scratch, W->S.rows + 1);
  for (int i = 0; i < W->S.rows; i++) {
    W->row_level[i] = W->lowest;
    for (int e = W->S.start[i]; e < W->S.start[i + 1]; e++)
      if (W->level[W->S.col[e]] > W->row_level[i]) W->row_level[i] = W->level[W->S.col[e]];
  }
  return RITT_OK;
}

static ritt_status set_up(ritti_start *W, ritti_completion *C) {
  W->C = C;
  W->effort = EFFORT;
  W->least = INFINITY;
  RITT_TRY(ritti_all_rows(C, true, &W->S));
  RITTI_NEW(W->typed, W->scratch, C->jets + 1);
  RITTI_NEW(W->variable, W->scratch, C->jets + 1);
  RITTI_NEW(W->level, W->scratch, C->jets + 1);
  RITTI_NEW(W->value, W->scratch, C->jets + 1);
  RITTI_NEW(W->loose, W->scratch, C->jets + 1);
  RITTI_NEW(W->freedom, W->scratch, C->jets + 1);
  RITTI_NEW(W->best, W->scratch, C->jets + 1);
  for (int j = 0; j < C->n; j++)
    for (int k = 0; k <= C->d[j]; k++) {
      int jet = C->first[j] + k;
      W->variable[jet] = j;
      W->level[jet] = k - C->d[j];
      W->loose[jet] = true;
      if (W->level[jet] < W->lowest) W->lowest = W->level[jet];
    }
  for (int i = 0; i < C->model->starts; i++) {
    const ritti_start_def *def = &C->model->start[i];
    int jet = ritti_jet_number(C, def->variable, def->order);
    if (jet < 0) continue;
    W->typed[jet] = def;
    W->value[jet] = def->number;
    W->loose[jet] = false;
  }
  RITT_TRY(find_row_levels(W));
  RITT_TRY(take_dependent(W));
  memcpy(W->best, W->value, (size_t)C->jets * sizeof *W->best);
  RITTI_NEW(W->usual, W->scratch, C->jets + 1);
  ritti_start_freedom(W, RITTI_MOVE_GUESSES, W->usual);
  return RITT_OK;
}

void ritti_start_freedom(const ritti_start *W, ritti_attempt what, double *freedom) {
  for (int i = 0; i < W->C->jets; i++) {
    const ritti_start_def *def = W->typed[i];
    double scale = ritti_start_size(W, i);
    if (!def) freedom[i] = LOOSE * scale;
    else if (def->stale) freedom[i] = STALE * scale;
    else if (!def->fixed) freedom[i] = what == RITTI_KEEP_TYPED ? 0 : scale;
    else freedom[i] = what == RITTI_MOVE_ROUNDED ? def->half_unit * 1e-3 : 0;
  }
}

/* ---- one start: order by order, then all at once ---- */

static ritti_newton_task new_task(ritti_start *W, const double *freedom, const bool *skip) {
  return (ritti_newton_task){.system = &W->S,
                             .freedom = freedom,
                             .loose = W->loose,
                             .skip = skip,
                             .guess = W->value,
                             .effort = &W->effort};
}

/* Can the rows be reached at all: is every row whose jets are all kept satisfied? */
static bool has_hope(ritti_start *W, const double *freedom, const bool *skip, const double *point) {
  const ritti_rows_system *S = &W->S;
  ritti_rows_evaluate(W->C, &W->S, point);
  for (int i = 0; i < S->rows; i++) {
    bool moves = skip && skip[i];
    for (int e = S->start[i]; e < S->start[i + 1]; e++) moves = moves || freedom[S->col[e]] > 0;
    if (!moves && !(fabs(S->value[i]) <= 1e-11 * ritti_row_size(S, i, point, freedom)))
      return false;
  }
  return true;
}

/* The rows up to a level, by the jets of that level; where these cannot, by all up to it. */
static ritt_status try_level(ritti_start *W, const double *freedom, const bool *skip, int level,
                             double *point, bool *reached) {
  double *some = W->freedom;
  bool *left_out;
  RITTI_NEW(left_out, W->scratch, W->S.rows + 1);
  for (int i = 0; i < W->S.rows; i++) left_out[i] = W->row_level[i] > level || (skip && skip[i]);
  *reached = false;
  for (int all = 0; all < 2 && !*reached; all++) {
    ritti_newton_task task = new_task(W, some, left_out);
    for (int j = 0; j < W->C->jets; j++)
      some[j] = W->level[j] == level || (all && W->level[j] < level) ? freedom[j] : 0;
    RITT_TRY(ritti_newton_run(W->C, &task, point, reached));
  }
  return RITT_OK;
}

/* Remembers the point where the rows are nearest to being satisfied. */
static void remember_best(ritti_start *W, const double *point) {
  double worst = 0;
  if (!ritti_rows_evaluate(W->C, &W->S, point)) return;
  W->finite = true;
  for (int i = 0; i < W->S.rows; i++) {
    double size = ritti_row_size(&W->S, i, point, W->usual), value = fabs(W->S.value[i]);
    worst = fmax(worst, size > 0 ? value / size : value);
  }
  if (!(worst < W->least)) return;
  W->least = worst;
  memcpy(W->best, point, (size_t)W->C->jets * sizeof *point);
}

ritt_status ritti_start_try(ritti_start *W, const double *freedom, const bool *skip, double *point,
                            bool *reached) {
  size_t bytes = (size_t)W->C->jets * sizeof *point;
  double *from;
  bool by_order = true;
  ritti_newton_task task = new_task(W, freedom, skip);
  *reached = false;
  RITTI_NEW(from, W->scratch, W->C->jets + 1);
  memcpy(from, point, bytes);
  if (!has_hope(W, freedom, skip, point)) return remember_best(W, point), RITT_OK;
  for (int level = W->lowest; by_order && level < 0; level++)
    RITT_TRY(try_level(W, freedom, skip, level, point, &by_order));
  if (by_order) RITT_TRY(ritti_newton_run(W->C, &task, point, reached));
  if (*reached) return RITT_OK;
  remember_best(W, point);
  memcpy(point, from, bytes);
  RITT_TRY(ritti_newton_run(W->C, &task, point, reached));
  if (!*reached) remember_best(W, point);
  return RITT_OK;
}

/* ---- other starts ---- */

/* Typed values as they are, free jets (and guesses of no worth) somewhere else: off by 1, by -1, or
 * spread.
 */
static void fill_point(const ritti_start *W, int number, double *point) {
  for (int i = 0; i < W->C->jets; i++) {
    double r = number == 0 ? 0 : number == 1 ? 1 : number == 2 ? -1 : ritti_quasi_random(i, number);
    bool free = W->loose[i] || W->typed[i]->stale;
    point[i] = W->value[i] + (free ? r * ritti_start_size(W, i) : 0);
  }
}

static double size_of(const ritti_start *W, int jet) {
  return fmax(fabs(W->value[jet]), ritti_start_size(W, jet));
}

static double distance_to_guesses(const ritti_start *W, const double *point) {
  double sum = 0;
  for (int i = 0; i < W->C->jets; i++)
    if (!W->loose[i]) sum += pow((point[i] - W->value[i]) / ritti_start_size(W, i), 2);
  return sum;
}

static ritt_status try_fills(ritti_start *W, const double *freedom, bool *reached) {
  enum { FILLS = 5 };
  bool any = false;
  for (int i = 0; i < W->C->jets; i++) any = any || W->loose[i] || W->typed[i]->stale;
  for (int number = 1; any && number < FILLS && !*reached && W->effort > 0; number++) {
    fill_point(W, number, W->C->point);
    RITT_TRY(ritti_start_try(W, freedom, NULL, W->C->point, reached));
  }
  return RITT_OK;
}

/* From points around the guess, at last nearer to 0: the nearest of what they lead to. */
static ritt_status try_near(ritti_start *W, const double *freedom, int count, bool *reached) {
  static const double radius[NEAR] = {0.1, 0.3, 0.1, 0.3, 1, 1},
                      shrink[NEAR] = {[6] = 0.9, [7] = 0.99};
  double *point, nearest = *reached ? distance_to_guesses(W, W->C->point) : INFINITY;
  RITTI_NEW(point, W->scratch, W->C->jets + 1);
  for (int number = 0; number < count && W->effort > 0; number++) {
    bool here;
    fill_point(W, *reached ? 0 : number, point);
    for (int i = 0; i < W->C->jets; i++)
      if (freedom[i] > 0 && !W->loose[i])
        point[i] += radius[number] * size_of(W, i) * ritti_quasi_random(i, number + 1) -
                    shrink[number] * point[i];
    RITT_TRY(ritti_start_try(W, freedom, NULL, point, &here));
    if (!here || !(distance_to_guesses(W, point) < nearest)) continue;
    *reached = true;
    nearest = distance_to_guesses(W, point);
    memcpy(W->C->point, point, (size_t)W->C->jets * sizeof *point);
  }
  return RITT_OK;
}

/* F(p) = (1 - s) F(p0), s from 0 to 1 in steps as large as Newton can take. */
static ritt_status try_homotopy(ritti_start *W, const double *freedom, bool *reached) {
  enum { MOST = 60 };
  ritti_completion *C = W->C;
  double *first, *target, *trial, s = 0, step = 0.1;
  RITTI_NEW(first, W->scratch, W->S.rows + 1);
  RITTI_NEW(target, W->scratch, W->S.rows + 1);
  RITTI_NEW(trial, W->scratch, C->jets + 1);
  ritti_newton_task task = {.system = &W->S,
                            .freedom = freedom,
                            .loose = W->loose,
                            .target = target,
                            .tolerance = 1e-9,
                            .effort = &W->effort};
  bool finite = false;
  for (int number = 0; number < 4 && !finite; number++) {
    fill_point(W, number, C->point);
    finite = ritti_rows_evaluate(C, &W->S, C->point);
  }
  if (!finite) return RITT_OK;
  memcpy(first, W->S.value, (size_t)W->S.rows * sizeof *first);
  for (int k = 0; k < MOST && s < 1 && step > 1e-4 && W->effort > 0; k++) {
    bool here;
    double next = fmin(1, s + step);
    for (int i = 0; i < W->S.rows; i++) target[i] = (1 - next) * first[i];
    memcpy(trial, C->point, (size_t)C->jets * sizeof *trial);
    RITT_TRY(ritti_newton_run(C, &task, trial, &here));
    if (here) memcpy(C->point, trial, (size_t)C->jets * sizeof *trial), s = next, step *= 2;
    else step /= 4;
  }
  remember_best(W, C->point);
  return s < 1 ? RITT_OK : ritti_start_try(W, freedom, NULL, C->point, reached);
}

/* ---- the attempts ---- */

static bool within_half_units(const ritti_completion *C, const double *point) {
  for (int i = 0; i < C->model->starts; i++) {
    const ritti_start_def *def = &C->model->start[i];
    int jet = ritti_jet_number(C, def->variable, def->order);
    if (def->fixed && fabs(point[jet] - def->number) > def->half_unit * (1 + 1e-9)) return false;
  }
  return true;
}

static bool moved_far(const ritti_start *W) {
  for (int i = 0; i < W->C->jets; i++)
    if (!W->loose[i] && fabs(W->C->point[i] - W->value[i]) > 0.1 * size_of(W, i)) return true;
  return false;
}

/* Guesses that moved by no more than rounding stay where they were typed, if the rest can carry
 * that. */
static ritt_status put_back(ritti_start *W, const double *freedom) {
  ritti_completion *C = W->C;
  double *point, *kept;
  bool reached, any = false;
  RITTI_NEW(point, W->scratch, C->jets + 1);
  RITTI_NEW(kept, W->scratch, C->jets + 1);
  memcpy(point, C->point, (size_t)C->jets * sizeof *point);
  memcpy(kept, freedom, (size_t)C->jets * sizeof *kept);
  for (int i = 0; i < C->jets; i++) {
    if (W->loose[i]) continue;
    double near = 1e-14 * size_of(W, i);
    if (fabs(point[i] - W->value[i]) > near) continue;
    any = any || point[i] != W->value[i];
    point[i] = W->value[i];
    kept[i] = 0;
  }
  if (!any) return RITT_OK;
  ritti_newton_task task = {.system = &W->S, .freedom = kept, .loose = W->loose, .guess = W->value};
  RITT_TRY(ritti_newton_run(C, &task, point, &reached));
  if (reached) memcpy(C->point, point, (size_t)C->jets * sizeof *point);
  return RITT_OK;
}

/* A guess went far: perhaps there is something nearer. First from the guesses as they were typed, with
 * what is not given where it was found: at its first values it may have pushed a guess away. */
static ritt_status look_nearer(ritti_start *W, const double *freedom, bool *reached) {
  ritti_completion *C = W->C;
  double *point;
  bool here;
  RITTI_NEW(point, W->scratch, C->jets + 1);
  W->effort = fmin(W->effort, ENOUGH);
  for (int i = 0; i < C->jets; i++) point[i] = W->loose[i] ? C->point[i] : W->value[i];
  RITT_TRY(ritti_start_try(W, freedom, NULL, point, &here));
  if (here && distance_to_guesses(W, point) < distance_to_guesses(W, C->point))
    memcpy(C->point, point, (size_t)C->jets * sizeof *point);
  return try_near(W, freedom, NEAR / 2, reached);
}

/* The jets of one level by the rows that go up to it: first with its guesses kept, from several
 * values of what is free, then with the guesses moved. */
static ritt_status try_own_level(ritti_start *W, int level, double *point, bool *reached) {
  enum { FILLS = 4 };
  double *freedom, *start;
  bool *skip;
  RITTI_NEW(freedom, W->scratch, W->C->jets + 1);
  RITTI_NEW(start, W->scratch, W->C->jets + 1);
  RITTI_NEW(skip, W->scratch, W->S.rows + 1);
  for (int i = 0; i < W->S.rows; i++) skip[i] = W->row_level[i] != level;
  ritti_newton_task task = new_task(W, freedom, skip);
  *reached = false;
  for (int k = 0; k < 2 * FILLS && !*reached; k++) {
    ritti_start_freedom(W, k < FILLS ? RITTI_KEEP_TYPED : RITTI_MOVE_GUESSES, freedom);
    fill_point(W, k % FILLS, start);
    for (int j = 0; j < W->C->jets; j++)
      if (W->level[j] != level) freedom[j] = 0, start[j] = point[j];
    RITT_TRY(ritti_newton_run(W->C, &task, start, reached));
  }
  if (*reached) memcpy(point, start, (size_t)W->C->jets * sizeof *point);
  return RITT_OK;
}

/* Level after level, each by its own jets: what is not given and stays free on its level is 0,
 * whatever is guessed for higher ones. Then all guesses together to the nearest point, with those
 * free values held. */
static ritt_status by_level(ritti_start *W, double *freedom, bool *reached) {
  double *point = W->C->point;
  bool *determined, finite, nearest;
  RITTI_NEW(determined, W->scratch, W->C->jets + 1);
  fill_point(W, 0, point);
  *reached = true;
  for (int level = W->lowest; *reached && level <= 0; level++)
    RITT_TRY(try_own_level(W, level, point, reached));
  if (!*reached) return RITT_OK;
  RITT_TRY(ritti_start_determined(W, point, determined, &finite));
  ritti_start_freedom(W, RITTI_MOVE_GUESSES, freedom);
  for (int j = 0; j < W->C->jets; j++)
    if (W->loose[j] && !determined[j]) freedom[j] = 0;
  ritti_newton_task task = {.system = &W->S,
                            .freedom = freedom,
                            .loose = W->loose,
                            .guess = W->value,
                            .effort = &W->effort};
  RITT_TRY(ritti_newton_run(W->C, &task, point, &nearest));
  *reached = nearest;
  if (nearest && moved_far(W)) RITT_TRY(look_nearer(W, freedom, reached));
  return nearest ? put_back(W, freedom) : RITT_OK;
}

/* An attempt with a third of the effort that is left: the next one may be easy. */
static ritt_status try_briefly(ritti_start *W, double *freedom,
                               ritt_status (*attempt)(ritti_start *, double *, bool *),
                               bool *reached) {
  double all = W->effort;
  W->effort = all / 3;
  RITT_TRY(attempt(W, freedom, reached));
  W->effort += all - all / 3;
  return RITT_OK;
}

static ritt_status keep_typed(ritti_start *W, double *freedom, bool *reached) {
  ritti_start_freedom(W, RITTI_KEEP_TYPED, freedom);
  fill_point(W, 0, W->C->point);
  if (!has_hope(W, freedom, NULL, W->C->point)) return remember_best(W, W->C->point), RITT_OK;
  RITT_TRY(ritti_start_try(W, freedom, NULL, W->C->point, reached));
  return *reached ? RITT_OK : try_fills(W, freedom, reached);
}

static ritt_status move_guesses(ritti_start *W, double *freedom, bool *reached) {
  ritti_start_freedom(W, RITTI_MOVE_GUESSES, freedom);
  fill_point(W, 0, W->C->point);
  RITT_TRY(ritti_start_try(W, freedom, NULL, W->C->point, reached));
  if (*reached && moved_far(W)) RITT_TRY(look_nearer(W, freedom, reached));
  return *reached ? put_back(W, freedom) : RITT_OK;
}

static ritt_status move_rounded(ritti_start *W, double *freedom, bool *reached) {
  bool any = false;
  for (int i = 0; i < W->C->jets; i++)
    any = any || (W->typed[i] && W->typed[i]->fixed && W->typed[i]->half_unit > 0);
  if (!any) return RITT_OK;
  ritti_start_freedom(W, RITTI_MOVE_ROUNDED, freedom);
  fill_point(W, 0, W->C->point);
  RITT_TRY(ritti_start_try(W, freedom, NULL, W->C->point, reached));
  *reached = *reached && within_half_units(W->C, W->C->point);
  return *reached ? put_back(W, freedom) : RITT_OK;
}

/* The equations as they are written, with many digits, lead to the start: their derivatives may have been
 * combined to expressions that are hard to satisfy from far. They begin at the start values, or at the
 * generic point at which the completion was decided. */
static ritt_status from_selected(ritti_start *W, bool generic, double *freedom, bool *reached) {
  ritti_newton_task task = new_task(W, freedom, NULL);
  double *from, left = W->effort;
  bool found;
  ritti_start_freedom(W, RITTI_MOVE_GUESSES, freedom);
  RITT_TRY(ritti_carry_to_start(W->C, generic, W->C->point, &found));
  if (!found) return RITT_OK;
  RITTI_NEW(from, W->scratch, W->C->jets + 1);
  for (int j = 0; j < W->C->jets; j++) from[j] = freedom[j] > 0 ? W->C->point[j] : W->value[j];
  /* without free values, or if the rows do not lead to the nearest point, this is the start: only the tops
   * are left to be found */
  for (int only_tops = W->C->dof == 0; only_tops < 2 && !*reached; only_tops++) {
    for (int j = 0; only_tops && j < W->C->jets; j++)
      if (W->level[j] < 0) freedom[j] = 0;
    memcpy(W->C->point, from, (size_t)W->C->jets * sizeof *from);
    W->effort = fmax(W->effort, ENOUGH);
    RITT_TRY(ritti_newton_run(W->C, &task, W->C->point, reached));
    if (*reached && !only_tops) return put_back(W, freedom);
  }
  if (!*reached) W->effort = left; /* what comes next has as much as without this */
  return RITT_OK;
}

static ritt_status from_both(ritti_start *W, double *freedom, bool *reached) {
  RITT_TRY(from_selected(W, false, freedom, reached));
  return *reached ? RITT_OK : from_selected(W, true, freedom, reached);
}

static ritt_status try_harder(ritti_start *W, double *freedom, bool *reached) {
  ritti_start_freedom(W, RITTI_MOVE_GUESSES, freedom);
  fill_point(W, 0, W->C->point);
  if (!has_hope(W, freedom, NULL, W->C->point)) return RITT_OK;
  RITT_TRY(try_near(W, freedom, NEAR, reached));
  if (!*reached) RITT_TRY(try_homotopy(W, freedom, reached));
  return RITT_OK;
}

/* Was a start value moved, by more than rounding? */
static bool was_moved(const ritti_completion *C, const ritti_start_def *def) {
  double used = C->point[ritti_jet_number(C, def->variable, def->order)];
  double size = fmax(fabs(def->number), 1e-6 * ritti_jet_size(C, def->variable, def->order));
  return fabs(used - def->number) > 8 * RITTI_EPS * size;
}

static ritt_status report_moved(ritti_completion *C) {
  ritt_moved *moved;
  size_t count = 0;
  for (int i = 0; i < C->model->starts; i++) { count += was_moved(C, &C->model->start[i]); }
  RITTI_NEW(moved, C->arena, count + 1);
  C->check->moved = moved;
  for (int i = 0; i < C->model->starts; i++) {
    const ritti_start_def *def = &C->model->start[i];
    double used = C->point[ritti_jet_number(C, def->variable, def->order)];
    if (!was_moved(C, def)) continue;
    const char *name = ritti_show_jet(C, def->variable, def->order);
    if (!name) return RITT_NO_MEMORY;
    moved[C->check->moved_count++] = (ritt_moved){.name = name, .typed = def->number, .used = used};
  }
  return RITT_OK;
}

/* If the rows have a vertical tangent at the start the solution must leave it at once, as a tank that
 * is filled from empty leaves sqrt(h) = 0: if it stays, as for y' = sqrt(y) at y = 0, other
 * solutions may begin. Looks after a few short steps of Euler's method. */
static ritt_status check_tangents(ritti_start *W) {
  enum { STEPS = 3 };
  static const double SHORT = 1e-8;
  ritti_completion *C = W->C;
  double x = C->x, *point, *freedom;
  bool reached = true, *skip;
  if (ritti_rows_evaluate_here(C, &W->S, C->point)) return RITT_OK;
  RITTI_NEW(point, W->scratch, C->jets + 1);
  RITTI_NEW(freedom, W->scratch, C->jets + 1);
  RITTI_NEW(skip, W->scratch, W->S.rows + 1);
  memcpy(point, C->point, (size_t)C->jets * sizeof *point);
  for (int j = 0; j < C->jets; j++)
    freedom[j] = W->level[j] == 0 ? LOOSE * ritti_start_size(W, j) : 0;
  for (int i = 0; i < W->S.rows; i++) skip[i] = W->row_level[i] < 0;
  ritti_newton_task task = {.system = &W->S, .freedom = freedom, .skip = skip};

  double step =
      copysign(SHORT * ritti_x_size(C), C->model->run == RITTI_RUN_X ? C->model->run_end - x : 1);
  ritt_status status = RITT_OK;
  for (int k = 0; k < STEPS && reached && status == RITT_OK; k++) {
    C->x += step;
    for (int j = 0; j < C->jets; j++)
      if (W->level[j] < 0) point[j] += step * point[j + 1];
    status = ritti_newton_run(C, &task, point, &reached);
  }
  bool left = ritti_rows_evaluate_here(C, &W->S, point);
  C->x = x;
  if (status != RITT_OK || left) return status;
  return ritti_refuse_no_value(C, &W->S, C->point);
}

/* Implicit kind: at the start the rows may not determine the tops, though they do right behind it, as
 * p = k*q*abs(q) at p = 0. Looks after a short step of Euler's method, from several values of the tops.
 * *leaves: all of them lead to the same tops, and the rows determine these. */
static ritt_status leave_singular_tops(ritti_start *W, bool *leaves) {
  enum { FILLS = 5 };
  static const double SHORT = 1e-6, SAME = 1e-6;
  ritti_completion *C = W->C;
  double x = C->x, *point, *first, *freedom, condition;
  bool *skip;
  *leaves = false;
  if (C->model->run != RITTI_RUN_X) return RITT_OK;
  RITTI_NEW(point, W->scratch, C->jets + 1);
  RITTI_NEW(first, W->scratch, C->jets + 1);
  RITTI_NEW(freedom, W->scratch, C->jets + 1);
  RITTI_NEW(skip, W->scratch, W->S.rows + 1);
  for (int j = 0; j < C->jets; j++)
    freedom[j] = W->level[j] == 0 ? LOOSE * ritti_start_size(W, j) : 0;
  for (int i = 0; i < W->S.rows; i++) skip[i] = W->row_level[i] < 0;
  ritti_newton_task task = {
      .system = &W->S, .freedom = freedom, .skip = skip, .effort = &W->effort};

  double step = SHORT * (C->model->run_end - x);
  ritt_status status = RITT_OK;
  C->x += step;
  *leaves = true;
  for (int number = 1; number < FILLS && *leaves && status == RITT_OK; number++) {
    fill_point(W, number, point);
    for (int j = 0; j < C->jets; j++)
      if (W->level[j] < 0) point[j] = C->point[j] + step * C->point[j + 1];
    status = ritti_newton_run(C, &task, point, leaves);
    for (int j = 0; j < C->jets && number > 1; j++) {
      double size = fmax(fabs(point[j]), fabs(first[j]));
      if (W->level[j] == 0 && fabs(point[j] - first[j]) > SAME * size) *leaves = false;
    }
    memcpy(first, point, (size_t)C->jets * sizeof *first);
  }
  if (status == RITT_OK && *leaves) status = ritti_full_rank(C, point, leaves, &condition);
  C->x = x;
  return status;
}

/* The point that is reported: the best one; if no point had values, one that may have them. */
static void leave_best(ritti_start *W) {
  memcpy(W->C->point, W->best, (size_t)W->C->jets * sizeof *W->best);
  for (int i = 0; i < W->C->jets && !W->finite; i++) W->C->point[i] = ritti_start_size(W, i);
}

/* All attempts, one after the other. */
static ritt_status search_start(ritti_start *W, bool *reached) {
  double *freedom;
  RITTI_NEW(freedom, W->scratch, W->C->jets + 1);
  /* where some guesses are of no worth the others are not moved for them */
  bool stale = false;
  for (int i = 0; i < W->C->jets; i++) stale = stale || (W->typed[i] && W->typed[i]->stale);
  bool combined = W->C->pivots > 0 && !W->C->again;
  if (combined) RITT_TRY(from_both(W, freedom, reached));
  if (!*reached && !stale) RITT_TRY(try_briefly(W, freedom, by_level, reached));
  if (!*reached) RITT_TRY(try_briefly(W, freedom, keep_typed, reached));
  if (!*reached && stale) RITT_TRY(try_briefly(W, freedom, by_level, reached));
  if (!*reached) RITT_TRY(move_guesses(W, freedom, reached));
  if (!*reached) RITT_TRY(move_rounded(W, freedom, reached));
  /* The rest depends on the generic point. A completion that is used again has that of other values,
   * and could find another branch than a new one would. */
  if (*reached || W->C->again) return RITT_OK;
  if (!combined) RITT_TRY(from_both(W, freedom, reached));
  if (!*reached) RITT_TRY(try_harder(W, freedom, reached));
  return RITT_OK;
}

/* Puts the dependent equations among the rows. */
static ritt_status add_dependent(ritti_start *W) {
  ritti_completion *C = W->C;
  ritti_expr *row;
  RITTI_NEW(row, C->arena, W->S.rows + C->dependents + 1);
  memcpy(row, W->S.root, (size_t)W->S.rows * sizeof *row);
  memcpy(row + W->S.rows, C->dependent_row, (size_t)C->dependents * sizeof *row);
  RITT_TRY(ritti_rows_make(C, row, W->S.rows + C->dependents, &W->S));
  W->effort = EFFORT;
  W->least = INFINITY;
  W->asked = NULL;
  return find_row_levels(W);
}

/* A point of the rows at which the dependent equations hold, too. The rows alone may lead to a branch
 * on which they do not: x^2 + y^2 = 1 and y = cos(a) leave two values of x, and x = sin(a) one. */
static ritt_status search_whole(ritti_start *W, bool *reached) {
  bool keeps = true;
  RITT_TRY(search_start(W, reached));
  if (*reached) RITT_TRY(ritti_start_keeps_dependent(W, W->C->point, &keeps));
  if (!*reached || keeps) return RITT_OK;
  ritti_rows_system plain = W->S;
  int *row_level = W->row_level;
  *reached = false;
  RITT_TRY(add_dependent(W));
  RITT_TRY(search_start(W, reached));
  if (*reached) RITT_TRY(ritti_start_keeps_dependent(W, W->C->point, reached));
  if (!*reached) return RITT_OK; /* the message may name a dependent equation */
  W->S = plain;
  W->row_level = row_level;
  W->asked = NULL;
  return RITT_OK;
}

/* The guesses lead to a branch on which not all equations hold: from another one, on which they do. */
static ritt_status search_elsewhere(ritti_start *W, bool *reached) {
  ritti_completion *C = W->C;
  for (int i = 0; i < C->model->starts; i++) {
    const ritti_start_def *def = &C->model->start[i];
    int jet = ritti_jet_number(C, def->variable, def->order);
    if (jet >= 0 && !def->fixed) W->value[jet] = C->elsewhere[i];
  }
  W->effort = EFFORT;
  return search_whole(W, reached);
}

static ritt_status find_point(ritti_start *W, ritti_completion *C) {
  bool reached = false;
  RITT_TRY(set_up(W, C));
  RITT_TRY(search_whole(W, &reached));
  if (!reached && C->elsewhere) RITT_TRY(search_elsewhere(W, &reached));
  if (!reached && C->again) return RITT_UNDECIDED;
  if (!reached) {
    leave_best(W);
    return ritti_start_say(W);
  }
  if (!C->again) RITT_TRY(check_tangents(W));
  if (C->model->choose_rows) return RITT_OK;
  W->effort = ENOUGH;
  RITT_TRY(ritti_start_choose(W));
  if (C->again) return ritti_start_confirm(W);
  RITT_TRY(report_moved(C));
  bool full = true;
  double condition;
  C->leaves_singular_tops = false;
  if (C->trial) RITT_TRY(ritti_full_rank(C, C->point, &full, &condition));
  C->full_at_start = C->trial && full;
  if (!full && C->implicit) RITT_TRY(leave_singular_tops(W, &C->leaves_singular_tops));
  if (!C->leaves_singular_tops) RITT_TRY(ritti_start_singular(W));
  return full ? ritti_start_tell(W) : RITT_OK;
}

ritt_status ritti_find_start(ritti_completion *C) {
  ritti_start W = {.scratch = ritti_arena_new()};
  ritt_status status = W.scratch ? find_point(&W, C) : RITT_NO_MEMORY;
  ritti_plan_free(W.slopes);
  ritti_arena_free(W.scratch);
  return status;
}

/* Searches from the values typed, or, if `from` holds values of all variables, from these alone. */
static ritt_status find_root(ritti_start *W, ritti_completion *C, const double *from,
                             bool *reached) {
  double *freedom;
  RITT_TRY(set_up(W, C));
  if (!from) return search_start(W, reached);
  RITTI_NEW(freedom, W->scratch, C->jets + 1);
  ritti_start_freedom(W, RITTI_MOVE_GUESSES, freedom);
  fill_point(W, 0, C->point);
  for (int j = 0; j < C->n; j++)
    if (freedom[C->first[j]] > 0) C->point[C->first[j]] = from[j];
  ritti_newton_task task = {
      .system = &W->S, .freedom = freedom, .loose = W->loose, .effort = &W->effort};
  return ritti_newton_run(C, &task, C->point, reached);
}

ritt_status ritti_find_root(ritti_completion *C, const double *from, bool *reached) {
  ritti_start W = {.scratch = ritti_arena_new()};
  *reached = false;
  ritt_status status = W.scratch ? find_root(&W, C, from, reached) : RITT_NO_MEMORY;
  ritti_plan_free(W.slopes);
  ritti_arena_free(W.scratch);
  return status;
}

/* drawn: finds the point nearest to where the search began, with unbounded effort. Otherwise any
 * point near it will do, and the effort is bounded: if none is found, nothing is decided. */
static ritt_status find_generic(ritti_completion *C, ritti_rows_system *equations, int number,
                                bool drawn, double *point, bool *reached) {
  double *freedom, *zero, effort = ENOUGH;
  *reached = false;
  RITTI_NEW(freedom, C->arena, C->jets + 1);
  RITTI_NEW(zero, C->arena, equations->rows + 1);
  ritti_newton_task task = {.system = equations,
                            .freedom = freedom,
                            .target = drawn ? NULL : zero,
                            .effort = drawn ? NULL : &effort};
  for (double far = 0.3; far > 1e-4 && effort > 0; far /= 4) {
    for (int j = 0; j < C->n; j++)
      for (int k = 0; k <= C->d[j]; k++) {
        int i = C->first[j] + k;
        freedom[i] = fmax(fabs(C->point[i]), ritti_jet_size(C, j, k));
        point[i] = C->point[i] + far * ritti_quasi_random(i, number) * freedom[i];
      }
    RITT_TRY(ritti_newton_run(C, &task, point, reached));
    if (*reached) return RITT_OK;
  }
  return RITT_OK;
}

ritt_status ritti_generic_point(ritti_completion *C, ritti_rows_system *equations, int number,
                                double *point, bool *reached) {
  return find_generic(C, equations, number, true, point, reached);
}

ritt_status ritti_any_point_beside(ritti_completion *C, ritti_rows_system *equations, double *point,
                                   bool *reached) {
  return find_generic(C, equations, 1, false, point, reached);
}
