/* What the start values leave open: free values that were not given, other solutions, a singular
 * point.
 *
 * In: a point on the rows. Columns of the Jacobian are taken in an order of preference, those not
 * given before guesses and high derivatives before low ones; a column that depends on the ones
 * before it is free to choose: of what was not given these are the values chosen for the user, 0
 * wherever that has a solution. With all free columns held, another point on the rows is another
 * solution for the same start values. The point is singular where the rows have a smaller rank than
 * at generic points near it.
 */
#include "complete/start_impl.h"
#include "linalg/sparse.h"

enum { SMALL = 40000 };  /* entries of the Jacobian up to which more than the necessary is done */
enum { LARGE = 100000 }; /* entries from which on it is kept sparse */
static const double TURN = 6.283185307179586;

/* ---- which jets are free ---- */

/* The Jacobian at a point, columns first, equilibrated; false: it has no value there. */
static ritt_status make_columns(ritti_start *W, const double *point, double **out, bool *finite) {
  const ritti_rows_system *S = &W->S;
  double *dense, *row, *column;
  int k = S->rows, m = S->cols;
  RITTI_NEW(dense, W->scratch, k * m + 1);
  RITTI_NEW(*out, W->scratch, k * m + 1);
  RITTI_NEW(row, W->scratch, k + 1);
  RITTI_NEW(column, W->scratch, m + 1);
  *finite = ritti_rows_evaluate(W->C, &W->S, point);
  if (!*finite) return RITT_OK;
  for (int i = 0; i < k; i++)
    for (int e = S->start[i]; e < S->start[i + 1]; e++)
      dense[i * m + S->col[e]] = S->value[k + e] * (S->size ? S->size[S->col[e]] : 1);
  ritti_equilibrate(k, m, dense, row, column);
  for (int i = 0; i < k; i++)
    for (int j = 0; j < m; j++) (*out)[j * k + i] = dense[i * m + j] * row[i] * column[j];
  return RITT_OK;
}

/* Takes the columns of one group, always the largest remainder first, while it is not zero. */
static void take_group(int k, int m, double *column, const bool *group, bool *determined) {
  for (;;) {
    int largest = -1;
    double most = 1e-8;
    for (int j = 0; j < m; j++)
      if (group[j] && !determined[j] && ritti_norm(k, column + j * k) > most)
        largest = j, most = ritti_norm(k, column + j * k);
    if (largest < 0) return;
    double *v = column + largest * k;
    determined[largest] = true;
    for (int i = 0; i < k; i++) v[i] /= most;
    /* twice is enough: the remainders stay orthogonal to what was taken */
    for (int j = 0; j < m; j++)
      for (int twice = 0; twice < 2 && !determined[j]; twice++) {
        double c = ritti_dot(k, v, column + j * k);
        for (int i = 0; i < k; i++) column[j * k + i] -= c * v[i];
      }
  }
}

/* The order in which the columns are taken: level by level, in each what is not given before what
 * is guessed; -1: kept. */
static int group_of(const ritti_start *W, int jet) {
  const ritti_start_def *def = W->typed[jet];
  return def && def->fixed ? -1 : -2 * W->level[jet] + (def ? 1 : 0);
}

static ritt_status determined_dense(ritti_start *W, const double *point, bool *determined,
                                    bool *finite) {
  double *column;
  bool *group;
  int m = W->C->jets;
  RITT_TRY(make_columns(W, point, &column, finite));
  RITTI_NEW(group, W->scratch, m + 1);
  for (int g = 0; *finite && g < 2 - 2 * W->lowest; g++) {
    for (int j = 0; j < m; j++) group[j] = group_of(W, j) == g;
    take_group(W->S.rows, m, column, group, determined);
  }
  return RITT_OK;
}

/* The same by elimination. Where that gives up everything counts as determined: nothing is reported
 * then of values that are free. */
static ritt_status determined_sparse(ritti_start *W, const double *point, ritti_arena *arena,
                                     bool *determined, bool *finite) {
  const ritti_rows_system *S = &W->S;
  const ritti_pattern p = {.rows = S->rows, .cols = S->cols, .start = S->start, .col = S->col};
  double *row, *column, *scratch, *a;
  int *group;
  bool sure;
  RITTI_NEW(row, arena, p.rows + 1);
  RITTI_NEW(column, arena, p.cols + 1);
  RITTI_NEW(scratch, arena, p.cols + 1);
  RITTI_NEW(a, arena, S->start[p.rows] + 1);
  RITTI_NEW(group, arena, p.cols + 1);
  *finite = ritti_rows_evaluate(W->C, &W->S, point);
  if (!*finite) return RITT_OK;
  ritti_csr_equilibrate(&p, S->value + S->rows, row, column, scratch);
  for (int i = 0; i < p.rows; i++)
    for (int e = p.start[i]; e < p.start[i + 1]; e++)
      a[e] = S->value[S->rows + e] * row[i] * column[p.col[e]];
  for (int j = 0; j < p.cols; j++) group[j] = group_of(W, j);
  RITT_TRY(ritti_independent_columns(&p, a, group, 2 - 2 * W->lowest, 1e-8, determined, &sure));
  for (int j = 0; j < p.cols && !sure; j++) determined[j] = true;
  return RITT_OK;
}

ritt_status ritti_start_determined(ritti_start *W, const double *point, bool *determined,
                                   bool *finite) {
  size_t jets = (size_t)W->C->jets;
  memset(determined, 0, jets * sizeof *determined);
  if ((double)W->S.rows * W->S.cols <= LARGE) return determined_dense(W, point, determined, finite);
  if (W->asked && !memcmp(W->asked, point, jets * sizeof *point)) {
    memcpy(determined, W->answer, jets * sizeof *determined);
    *finite = true;
    return RITT_OK;
  }
  ritti_arena *arena = ritti_arena_new();
  ritt_status status =
      arena ? determined_sparse(W, point, arena, determined, finite) : RITT_NO_MEMORY;
  ritti_arena_free(arena);
  if (status != RITT_OK || !*finite) return status;
  if (!W->asked) {
    RITTI_NEW(W->answer, W->scratch, jets + 1);
    RITTI_NEW(W->asked, W->scratch, jets + 1);
  }
  memcpy(W->asked, point, jets * sizeof *point);
  memcpy(W->answer, determined, jets * sizeof *determined);
  return RITT_OK;
}

static int count_true(const bool *a, int n) {
  int count = 0;
  for (int i = 0; i < n; i++) count += a[i];
  return count;
}

/* ---- free values that were not given ---- */

/* Sets the free jets marked in `zero` to 0, if there is a point with the same rank. */
static ritt_status try_zero(ritti_start *W, const bool *determined, const bool *zero,
                            bool *reached) {
  ritti_completion *C = W->C;
  double *point, *freedom;
  bool *again, finite;
  RITTI_NEW(point, W->scratch, C->jets + 1);
  RITTI_NEW(freedom, W->scratch, C->jets + 1);
  RITTI_NEW(again, W->scratch, C->jets + 1);
  for (int j = 0; j < C->jets; j++) {
    point[j] = zero[j] ? 0 : C->point[j];
    bool moves = determined[j] && (W->loose[j] || (W->level[j] == 0 && !W->typed[j]->fixed));
    freedom[j] = moves ? ritti_start_size(W, j) : 0;
  }
  ritti_newton_task task = {
      .system = &W->S, .freedom = freedom, .loose = W->loose, .effort = &W->effort};
  RITT_TRY(ritti_newton_run(C, &task, point, reached));
  if (!*reached) return RITT_OK;
  RITT_TRY(ritti_start_determined(W, point, again, &finite));
  *reached = finite && count_true(again, C->jets) == count_true(determined, C->jets);
  if (*reached) memcpy(C->point, point, (size_t)C->jets * sizeof *point);
  return RITT_OK;
}

/* All of them at once; else one after the other. */
static ritt_status prefer_zero(ritti_start *W, const bool *determined) {
  enum { MOST = 20 };
  bool *zero, reached, any = false;
  RITTI_NEW(zero, W->scratch, W->C->jets + 1);
  for (int j = 0; j < W->C->jets; j++) {
    zero[j] = W->loose[j] && !determined[j];
    any = any || (zero[j] && W->C->point[j] != 0);
  }
  if (!any) return RITT_OK;
  RITT_TRY(try_zero(W, determined, zero, &reached));
  for (int j = 0, tries = 0; !reached && j < W->C->jets && tries < MOST; j++) {
    bool here;
    if (!W->loose[j] || determined[j] || W->C->point[j] == 0) continue;
    tries++;
    memset(zero, 0, (size_t)W->C->jets * sizeof *zero);
    zero[j] = true;
    RITT_TRY(try_zero(W, determined, zero, &here));
  }
  return RITT_OK;
}

static ritt_status note_chosen(ritti_start *W, const bool *determined) {
  enum { MOST = 12 };
  ritti_completion *C = W->C;
  ritti_text text = {0};
  int count = 0;
  for (int j = 0; j < C->jets; j++) {
    char value[32];
    bool may_be_free = W->loose[j] && W->level[j] < 0 && !C->non_unique[W->variable[j]];
    if (!may_be_free || determined[j]) continue;
    if (count++ >= MOST) continue;
    const char *name = ritti_show_jet(C, W->variable[j], j - C->first[W->variable[j]]);
    if (!name) text.status = RITT_NO_MEMORY;
    else
      ritti_text_add(&text, "%s%s = %s", count > 1 ? ", " : "free initial values chosen: ", name,
                     ritti_shortest(C->point[j], value));
  }
  if (count > MOST) ritti_text_add(&text, " and %d more", count - MOST);
  const char *note =
      count && text.status == RITT_OK ? ritti_arena_text(C->arena, text.at, text.count) : NULL;
  ritt_status status = text.status;
  ritti_text_free(&text);
  RITT_TRY(status);
  if (!count) return RITT_OK;
  return note ? ritti_add_note(C, note) : RITT_NO_MEMORY;
}

ritt_status ritti_start_choose(ritti_start *W) {
  bool *determined, finite, any = false;
  RITTI_NEW(determined, W->scratch, W->C->jets + 1);
  for (int j = 0; j < W->C->jets; j++) any = any || W->loose[j];
  if (!any) return RITT_OK;
  RITT_TRY(ritti_start_determined(W, W->C->point, determined, &finite));
  if (!finite) return RITT_OK;
  return prefer_zero(W, determined);
}

/* ---- other solutions ---- */

/* The jet, of the lowest level, in which two solutions differ most; -1: they do not, or by whole
 * turns only.
 */
static int find_difference(const ritti_start *W, const double *other) {
  int found = -1;
  double most = 0;
  bool turns = true;
  for (int j = 0; j < W->C->jets; j++) {
    double here = W->C->point[j], size = fmax(fabs(here), ritti_start_size(W, j));
    double off = fabs(other[j] - here);
    if (!(off > 1e-6 * size)) continue;
    if (fabs(off - TURN * round(off / TURN)) > 1e-6 * size) turns = false;
    if (found < 0 || W->level[j] < W->level[found] ||
        (W->level[j] == W->level[found] && off / size > most))
      found = j, most = off / size;
  }
  return turns ? -1 : found;
}

static ritt_status note_other(ritti_start *W, int jet, const double *other) {
  ritti_completion *C = W->C;
  const char *name = ritti_show_jet(C, W->variable[jet], jet - C->first[W->variable[jet]]);
  if (!name) return RITT_NO_MEMORY;
  const char *note = ritti_arena_format(
      C->arena,
      "another start was found, with %s = %.6g instead of %.6g; write %s ~ %.6g to choose it", name,
      other[jet], C->point[jet], name, other[jet]);
  return note ? ritti_add_note(C, note) : RITT_NO_MEMORY;
}

/* Not given, or a guess that went far. */
static bool went_far(const ritti_start *W, int jet) {
  double size = fmax(fabs(W->value[jet]), ritti_start_size(W, jet));
  return W->loose[jet] || fabs(W->C->point[jet] - W->value[jet]) > 0.1 * size;
}

/* Which determined jets may be elsewhere in another solution: those left to the equations, guesses
 * that went far, and everything above the lowest of them. false: none. */
static bool find_open(const ritti_start *W, bool *determined) {
  int lowest = 0;
  for (int j = 0; j < W->C->jets; j++)
    if (determined[j] && went_far(W, j) && W->level[j] < lowest) lowest = W->level[j];
  for (int j = 0; j < W->C->jets; j++)
    determined[j] = determined[j] && (went_far(W, j) || W->level[j] > lowest);
  return lowest < 0;
}

/* A start from which another solution may be met: on the other side of 0, then off by quasi-random
 * shifts to and fro. */
static void place_probe(const ritti_start *W, const bool *determined, int number, double *point) {
  const double *from = W->C->point;
  int pair = (number + 1) / 2, half = pair / 2;
  for (int j = 0; j < W->C->jets; j++) {
    double r = ritti_quasi_random(j, pair);
    double size = fmax(fabs(from[j]), ritti_start_size(W, j));
    double shift = number == 0 ? -2 * from[j] : (number % 2 ? 1.0 : -1.0) * (1 + half) * r * size;
    point[j] = from[j] + (determined[j] ? shift : 0);
  }
}

static ritt_status look_for_others(ritti_start *W, const bool *open) {
  enum { STARTS = 9 };
  ritti_completion *C = W->C;
  double *point, *freedom;
  RITTI_NEW(point, W->scratch, C->jets + 1);
  RITTI_NEW(freedom, W->scratch, C->jets + 1);
  for (int j = 0; j < C->jets; j++) freedom[j] = open[j] ? ritti_start_size(W, j) : 0;
  for (int number = 0; number < STARTS; number++) {
    bool reached;
    place_probe(W, open, number, point);
    W->effort = 1e8;
    RITT_TRY(ritti_start_try(W, freedom, NULL, point, &reached));
    if (reached) RITT_TRY(ritti_start_keeps_dependent(W, point, &reached));
    int jet = reached ? find_difference(W, point) : -1;
    if (jet >= 0) return note_other(W, jet, point);
  }
  return RITT_OK;
}

ritt_status ritti_start_tell(ritti_start *W) {
  bool *determined, finite;
  RITTI_NEW(determined, W->scratch, W->C->jets + 1);
  RITT_TRY(ritti_start_determined(W, W->C->point, determined, &finite));
  if (!finite) return RITT_OK;
  RITT_TRY(note_chosen(W, determined));
  if ((double)W->S.rows * W->S.cols > SMALL || !find_open(W, determined)) return RITT_OK;
  return look_for_others(W, determined);
}

/* ---- singular points ---- */

/* The derivatives of the rows by the independent variable, at points: made once. */
static ritt_status plan_slopes(ritti_start *W) {
  ritti_completion *C = W->C;
  ritti_expr *slope;
  if (W->slopes) return RITT_OK;
  RITTI_NEW(slope, W->scratch, W->S.rows + 1);
  for (int i = 0; i < W->S.rows; i++)
    slope[i] = ritti_dag_partial(C->dag, W->S.root[i], ritti_independent(C->dag));
  RITT_TRY(ritti_dag_status(C->dag));
  return ritti_plan_new(C->dag, slope, (size_t)W->S.rows, &W->slopes);
}

/* The rows in all jets and the independent variable (last column), dense, in units of the sizes of
 * these; false: not finite. */
static ritt_status make_dense(ritti_start *W, const double *point, double *a, bool *finite) {
  ritti_completion *C = W->C;
  const ritti_rows_system *S = &W->S;
  int k = S->rows, m = S->cols + 1;
  ritti_at at = {C, point};
  ritti_values values = ritti_values_at(&at);
  double *slope;
  RITTI_NEW(slope, W->scratch, k + 1);
  RITT_TRY(plan_slopes(W));
  *finite = ritti_rows_evaluate(C, &W->S, point);
  memset(a, 0, (size_t)k * (size_t)m * sizeof *a);
  if (!*finite) return RITT_OK;
  ritti_plan_evaluate(W->slopes, &values, slope);
  for (int i = 0; i < k; i++) {
    a[i * m + m - 1] = slope[i] * ritti_x_size(C);
    for (int e = S->start[i]; e < S->start[i + 1]; e++)
      a[i * m + S->col[e]] = S->value[k + e] * (S->size ? S->size[S->col[e]] : 1);
  }
  return RITT_OK;
}

/* Rank of a matrix in scales that make its entries about 1 (at a generic point), -1: not finite. a
 * is overwritten. */
static ritt_status find_rank(ritti_start *W, double *a, const double *row, const double *column,
                             double least_sigma, int *rank) {
  int k = W->S.rows, m = W->S.cols + 1, least = k < m ? k : m;
  double *sigma, *scratch;
  RITTI_NEW(sigma, W->scratch, least + 1);
  RITTI_NEW(scratch, W->scratch, ritti_singular_values_scratch(k, m) + 1);
  for (int i = 0; i < k; i++)
    for (int j = 0; j < m; j++) a[i * m + j] *= row[i] * column[j];
  *rank = -1;
  if (!ritti_singular_values(k, m, a, sigma, NULL, scratch)) return RITT_OK;
  for (*rank = 0; *rank < least && sigma[*rank] > least_sigma; ++*rank) {}
  return RITT_OK;
}

/* The ranks at the start and at a generic point near it, in the scales of the latter: a row that is
 * small at the start only must not be scaled up. What counts there must be clearly there, what is
 * missing here clearly missing. */
static ritt_status compare_ranks(ritti_start *W, const double *generic, int *here, int *there) {
  int k = W->S.rows, m = W->S.cols + 1;
  double *a, *row, *column;
  bool finite;
  RITTI_NEW(a, W->scratch, k * m + 1);
  RITTI_NEW(row, W->scratch, k + 1);
  RITTI_NEW(column, W->scratch, m + 1);
  *here = *there = -1;
  RITT_TRY(make_dense(W, generic, a, &finite));
  if (!finite) return RITT_OK;
  ritti_equilibrate(k, m, a, row, column);
  RITT_TRY(find_rank(W, a, row, column, 1e-6, there));
  RITT_TRY(make_dense(W, W->C->point, a, &finite));
  return finite ? find_rank(W, a, row, column, 1e-9, here) : RITT_OK;
}

/* Have guesses been moved by more than their last digits? */
static bool has_moved(const ritti_start *W) {
  for (int j = 0; j < W->C->jets; j++)
    if (W->typed[j] &&
        fabs(W->C->point[j] - W->value[j]) > 1e-2 * (ritti_start_size(W, j) + fabs(W->value[j])))
      return true;
  return false;
}

/* *full: the rows have their full rank at the start, clearly and in the scales of a point beside it: then
 * no other point has a larger one. That point need not be on the rows. */
static ritt_status is_full(ritti_start *W, double *point, bool *full) {
  static const double CLEARLY = 1e-3;
  int k = W->S.rows, m = W->S.cols + 1, rank;
  double *a, *row, *column;
  RITTI_NEW(a, W->scratch, k * m + 1);
  RITTI_NEW(row, W->scratch, k + 1);
  RITTI_NEW(column, W->scratch, m + 1);
  for (int j = 0; j < W->C->jets; j++) {
    double size = fmax(fabs(W->C->point[j]), ritti_start_size(W, j));
    point[j] = W->C->point[j] + 0.1 * size * ritti_quasi_random(j, 1);
  }
  RITT_TRY(make_dense(W, point, a, full));
  if (!*full) return RITT_OK;
  ritti_equilibrate(k, m, a, row, column);
  RITT_TRY(make_dense(W, W->C->point, a, full));
  if (!*full) return RITT_OK;
  RITT_TRY(find_rank(W, a, row, column, CLEARLY, &rank));
  *full = rank == k;
  return RITT_OK;
}

ritt_status ritti_start_singular(ritti_start *W) {
  ritti_completion *C = W->C;
  double *point;
  int rank, generic, own, beside, near;
  bool reached, full;
  C->moved = has_moved(W);
  RITTI_NEW(point, W->scratch, C->jets + 1);
  if ((double)W->S.rows * W->S.cols > SMALL) return RITT_OK;
  RITT_TRY(is_full(W, point, &full));
  if (full) return RITT_OK;
  RITT_TRY(ritti_any_point_beside(C, &W->S, point, &reached));
  if (!reached) return RITT_OK;
  RITT_TRY(compare_ranks(W, point, &rank, &generic));
  if (rank < 0 || generic <= rank) return RITT_OK;
  /* rows with exponentials are large far away, and not small here: in scales of the start's own, or
   * near it */
  RITT_TRY(compare_ranks(W, C->point, &own, &own));
  for (int i = 0; i < C->jets; i++) point[i] = C->point[i] + 1e-2 * (point[i] - C->point[i]);
  RITT_TRY(compare_ranks(W, point, &beside, &near));
  if (own >= generic && near <= beside) return RITT_OK;
  return ritti_refuse_singular(
      C, "start beside it: several motions may pass through such a point, or none",
      ritti_arena_format(C->arena, "the equations have rank %d there, but %d at points near it",
                         rank, generic));
}

/* The rows have their full rank at the start, clearly and in its own scales: then they have no larger
 * rank at any other point. */
ritt_status ritti_start_confirm(ritti_start *W) {
  static const double CLEARLY = 1e-3;
  int k = W->S.rows, m = W->S.cols + 1, rank = 0;
  double *a, *row, *column;
  bool finite;
  if ((double)W->S.rows * W->S.cols > SMALL) return RITT_OK; /* as ritti_start_singular */
  RITTI_NEW(a, W->scratch, k * m + 1);
  RITTI_NEW(row, W->scratch, k + 1);
  RITTI_NEW(column, W->scratch, m + 1);
  RITT_TRY(make_dense(W, W->C->point, a, &finite));
  if (!finite) return RITT_UNDECIDED;
  ritti_equilibrate(k, m, a, row, column);
  RITT_TRY(find_rank(W, a, row, column, CLEARLY, &rank));
  return rank == k ? RITT_OK : RITT_UNDECIDED;
}
