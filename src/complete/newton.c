/* Least move onto a set of rows: damped, rank-revealing Gauss-Newton in scaled variables.
 *
 * In: rows with their Jacobian, a point, which jets may move and how freely. Out: the nearest point
 * found. Two phases. The search takes the least-norm least-squares step in the scaled variables
 * (move / freedom), damped until the scaled residual falls; where no fraction of it does, the step
 * is found again with a smaller rank, which leaves out directions that the rows hardly see. The
 * second phase goes along the rows to where the distance from the guess is least: p <- guess - D
 * J^T mu, whose fixed points are orthogonal, each step followed by a search back onto the rows.
 * Loose jets do not count in that distance. Large systems find their steps by sparse factors
 * instead of orthogonal ones.
 */
#include "complete/start_impl.h"
#include "linalg/sparse.h"

enum { MOST_STEPS = 60, MOST_HALVINGS = 30, MOST_SLIDES = 60 };
enum { LARGE = 100000 }; /* entries of a dense Jacobian from which on it is kept sparse */

typedef struct newton {
  ritti_completion *C;
  ritti_arena *arena;
  const ritti_newton_task *task;
  ritti_rows_system *S;
  int rows, cols;        /* rows used, and the jets that may move */
  int *row;              /* of the system */
  int *jet, *column;     /* of each column; of each jet, where it may move */
  ritti_pattern pattern; /* of the Jacobian in rows and columns used */
  int *entry;            /* of the system, for each of its entries */
  bool *sure, *asked; /* of each row: the coefficients of what may move are no rounding; scratch */
  int *largest;       /* of each row: the largest entry at what may move, -1: none */
  double *values;     /* scratch: of the system */
  /* scratch of balanced steps */
  double *balanced, *right, *row_factor, *column_factor, *column_scratch;
  bool large;        /* no dense matrix */
  ritti_least least; /* large: made with the first step */
  double *value, *J, *F, *step, *scratch, *trial, *guess, *back, *weight;
  double *last; /* where the rows were evaluated last */
  bool known, finite;
  int *iscratch;
  ritt_status status;
  double unit;     /* of distances in the merit: 1, or so large that their squares are numbers */
  double gain;     /* by which the last step would lower the merit if the rows were linear */
  double fraction; /* of the last step along the rows that came nearer to the guess */
} newton;

/* The entries of the Jacobian that count. */
static ritt_status make_pattern(newton *N) {
  const ritti_rows_system *S = N->S;
  int count = 0, *start, *col = NULL;
  RITTI_NEW(start, N->arena, N->rows + 1);
  for (int pass = 0; pass < 2; pass++) {
    count = 0;
    for (int i = 0; i < N->rows; i++) {
      for (int e = S->start[N->row[i]]; e < S->start[N->row[i] + 1]; e++) {
        if (!(N->task->freedom[S->col[e]] > 0)) continue;
        if (pass) col[count] = N->column[S->col[e]], N->entry[count] = e;
        count++;
      }
      start[i + 1] = count;
    }
    if (pass) break;
    RITTI_NEW(col, N->arena, count + 1);
    RITTI_NEW(N->entry, N->arena, count + 1);
  }
  RITTI_NEW(N->value, N->arena, count + 1);
  RITTI_NEW(N->sure, N->arena, N->rows + 1);
  RITTI_NEW(N->asked, N->arena, N->rows + 1);
  RITTI_NEW(N->largest, N->arena, N->rows + 1);
  RITTI_NEW(N->values, N->arena, S->rows + S->start[S->rows] + 1);
  RITTI_NEW(N->balanced, N->arena, count + 1);
  RITTI_NEW(N->right, N->arena, N->rows + 1);
  RITTI_NEW(N->row_factor, N->arena, N->rows + 1);
  RITTI_NEW(N->column_factor, N->arena, N->cols + 1);
  RITTI_NEW(N->column_scratch, N->arena, N->cols + 1);
  N->pattern = (ritti_pattern){.rows = N->rows, .cols = N->cols, .start = start, .col = col};
  return RITT_OK;
}

/* Which rows are used, and which jets may move. */
static ritt_status list_rows(newton *N) {
  const ritti_newton_task *T = N->task;
  int jets = N->S->cols;
  RITTI_NEW(N->row, N->arena, N->S->rows + 1);
  RITTI_NEW(N->jet, N->arena, jets + 1);
  RITTI_NEW(N->column, N->arena, jets + 1);
  for (int i = 0; i < N->S->rows; i++)
    if (!T->skip || !T->skip[i]) N->row[N->rows++] = i;
  for (int j = 0; j < jets; j++)
    if (T->freedom[j] > 0) N->column[j] = N->cols, N->jet[N->cols++] = j;
  N->large = (double)N->rows * N->cols > LARGE;
  return RITT_OK;
}

static ritt_status prepare_rows(newton *N, const double *point) {
  const ritti_newton_task *T = N->task;
  int jets = N->S->cols;
  RITT_TRY(make_pattern(N));
  if (!N->large) {
    RITTI_NEW(N->J, N->arena, (size_t)(N->rows + 1) * (size_t)(N->cols + 1));
    RITTI_NEW(N->scratch, N->arena, ritti_least_norm_scratch(N->rows, N->cols) + 1);
    RITTI_NEW(N->iscratch, N->arena, N->rows + N->cols + 1);
  }
  RITTI_NEW(N->F, N->arena, N->rows + 1);
  RITTI_NEW(N->weight, N->arena, N->rows + 1);
  RITTI_NEW(N->step, N->arena, N->cols + 1);
  RITTI_NEW(N->trial, N->arena, jets + 1);
  RITTI_NEW(N->last, N->arena, jets + 1);
  RITTI_NEW(N->guess, N->arena, jets + 1);
  RITTI_NEW(N->back, N->arena, jets + 1);
  memcpy(N->guess, T->guess ? T->guess : point, (size_t)jets * sizeof *point);
  return RITT_OK;
}

static double scaled_residual(const newton *N, int i) {
  int row = N->row[i];
  return N->S->value[row] - (N->task->target ? N->task->target[row] : 0);
}

/* Are the rows in use, and their gradients, finite? */
static bool rows_in_use_finite(const newton *N) {
  const ritti_rows_system *S = N->S;
  for (int i = 0; i < N->rows; i++) {
    if (!(fabs(scaled_residual(N, i)) < INFINITY)) return false;
    for (int e = S->start[N->row[i]]; e < S->start[N->row[i] + 1]; e++)
      if (!(fabs(S->value[S->rows + e]) < INFINITY)) return false;
  }
  return true;
}

/* An evaluation is part of the effort; a step of it takes as long as some operations of linear
 * algebra. */
static void count_evaluation(newton *N) {
  enum { OPERATIONS = 10 };
  if (N->task->effort) *N->task->effort -= OPERATIONS * (double)ritti_plan_steps(N->S->plan);
}

/* Evaluates; false: a row in use, or its gradient, is not finite. */
static bool evaluate_rows(newton *N, const double *point) {
  ritti_rows_system *S = N->S;
  size_t bytes = (size_t)S->cols * sizeof *point;
  if (N->known && !memcmp(N->last, point, bytes)) return N->finite;
  memcpy(N->last, point, bytes);
  N->known = true;
  count_evaluation(N);
  return N->finite = ritti_rows_evaluate(N->C, S, point) || rows_in_use_finite(N);
}

/* What a kept jet with the slope a contributes to a row: near a pole (1/x from x = 1e-8) the slope
 * alone would be far more than the term, and a jet that is 0 counts all the same. */
static double kept_size(double a, double value, double size) {
  return fmax(fabs(a * value), fmin(fabs(a) * size, 1));
}

static double size_of_jet(const ritti_rows_system *S, int jet) {
  return S->size ? S->size[jet] : 1;
}

double ritti_row_size(const ritti_rows_system *S, int i, const double *point,
                      const double *freedom) {
  const double *entry = S->value + S->rows;
  double size = 0;
  for (int e = S->start[i]; e < S->start[i + 1]; e++) {
    double value = fabs(point[S->col[e]]), most = size_of_jet(S, S->col[e]);
    double free = freedom ? freedom[S->col[e]] : most;
    size += free > 0 ? fabs(entry[e]) * fmax(value, fmin(free, most))
                     : kept_size(entry[e], value, most);
  }
  return size;
}

/* The largest entry of row i at jets that may move, in scaled variables; *at: which. */
static double moving_part(const newton *N, int i, int *at) {
  const double *entry = N->S->value + N->S->rows;
  double most = 0;
  *at = -1;
  for (int e = N->pattern.start[i]; e < N->pattern.start[i + 1]; e++) {
    double a = fabs(entry[N->entry[e]]) * N->task->freedom[N->S->col[N->entry[e]]];
    if (a > most) most = a, *at = N->entry[e];
  }
  return most;
}

static double kept_part(const newton *N, int i, const double *point) {
  const ritti_rows_system *S = N->S;
  double square = 0;
  for (int e = S->start[N->row[i]]; e < S->start[N->row[i] + 1]; e++)
    if (!(N->task->freedom[S->col[e]] > 0))
      square +=
          pow(kept_size(S->value[S->rows + e], point[S->col[e]], size_of_jet(S, S->col[e])), 2);
  return sqrt(square);
}

/* The values of the rows where the last digits of the point are others, to the system; those at the
 * point go to N->values. */
static void look_beside(newton *N, const double *point) {
  static const double LAST = 1e-14;
  ritti_rows_system *S = N->S;
  const double *freedom = N->task->freedom;
  memcpy(N->values, S->value, (size_t)(S->rows + S->start[S->rows]) * sizeof *N->values);
  for (int j = 0; j < S->cols; j++)
    N->trial[j] = point[j] + LAST * ritti_quasi_random(j, 1) *
                                 fmax(fabs(point[j]), fmin(freedom[j], size_of_jet(S, j)));
  ritti_rows_evaluate(N->C, S, N->trial);
}

static void look_back(newton *N) {
  ritti_rows_system *S = N->S;
  memcpy(S->value, N->values, (size_t)(S->rows + S->start[S->rows]) * sizeof *N->values);
}

/* Beside the point: is this entry of the system nothing but rounding? */
static bool is_rounding(const newton *N, int entry) {
  double here = N->values[N->S->rows + entry], beside = N->S->value[N->S->rows + entry];
  return !(fabs(beside - here) < 0.1 * fabs(here));
}

/* Jets that may move can have coefficients that are nothing but rounding, as against those that may
 * not. Where they look so: do the last digits of the point change them? sure[i]: they do not. */
static void tell_rounding(newton *N, const double *point) {
  const ritti_rows_system *S = N->S;
  bool any = false;
  for (int i = 0; i < N->rows; i++) {
    double most = moving_part(N, i, &N->largest[i]);
    int at = N->largest[i];
    N->sure[i] = at >= 0 && ritti_op_of(N->C->dag, S->root[S->rows + at]) == RITTI_NUMBER;
    N->asked[i] = !N->sure[i] && most > 0 && most < 1e-6 * kept_part(N, i, point);
    any = any || N->asked[i];
  }
  if (!any) return;
  look_beside(N, point);
  for (int i = 0; i < N->rows; i++)
    if (N->asked[i]) N->sure[i] = !is_rounding(N, N->largest[i]);
  look_back(N);
}

/* Row weights that make every row a distance: 1 / |row of J in scaled variables|, over all jets so
 * that a row whose jets are all kept still counts; those that may move alone, where their
 * coefficients are no rounding. */
static void set_weights(newton *N, const double *point) {
  tell_rounding(N, point);
  for (int i = 0; i < N->rows; i++) {
    double square = 0;
    for (int e = N->pattern.start[i]; e < N->pattern.start[i + 1]; e++) {
      int k = N->entry[e];
      square += pow(N->S->value[N->S->rows + k] * N->task->freedom[N->S->col[k]], 2);
    }
    if (!N->sure[i]) square += pow(kept_part(N, i, point), 2);
    N->weight[i] = square > 0 ? 1 / sqrt(square) : 1;
  }
  double far = 0;
  for (int i = 0; i < N->rows; i++) far = fmax(far, fabs(scaled_residual(N, i)) * N->weight[i]);
  N->unit = far > 1e100 && far < INFINITY ? far : 1;
}

static double merit_of_rows(const newton *N) {
  double sum = 0;
  for (int i = 0; i < N->rows; i++) sum += pow(scaled_residual(N, i) * N->weight[i] / N->unit, 2);
  return sum;
}

/* The scaled Jacobian and right side at `point`: of all steps onto the rows the one wanted ends
 * nearest to point + back. */
static void fill_system(newton *N) {
  const ritti_rows_system *S = N->S;
  const double *entry = S->value + S->rows, *freedom = N->task->freedom;
  for (int i = 0; i < N->rows; i++) {
    double right = -scaled_residual(N, i);
    for (int e = N->pattern.start[i]; e < N->pattern.start[i + 1]; e++) {
      int j = S->col[N->entry[e]];
      N->value[e] = N->weight[i] * entry[N->entry[e]] * freedom[j];
      right -= entry[N->entry[e]] * N->back[j];
    }
    N->F[i] = N->weight[i] * right;
  }
}

/* Solves for the step in scaled variables, to N->step; returns the operations it took. The
 * tolerance is relative to the largest entry here, absolute below. */
static double solve_dense(newton *N, const double *value, const double *right, double tolerance) {
  double least = N->rows < N->cols ? N->rows : N->cols;
  ritti_csr_to_dense(&N->pattern, value, N->J);
  ritti_least_norm(N->rows, N->cols, N->J, right, tolerance, N->step, N->scratch, N->iscratch);
  return 1000 + 4 * least * N->rows * N->cols;
}

static double solve_sparse(newton *N, const double *value, const double *right, double tolerance) {
  if (N->status == RITT_OK && !N->least.value)
    N->status = ritti_least_init(&N->least, &N->pattern, N->arena);
  if (N->status != RITT_OK) return 0;
  ritti_least_solve(&N->least, value, right, tolerance, N->step);
  return 1000 + 10 * (N->least.gram.operations + N->least.gram.fill);
}

/* Rows have length 1 over all jets: what is tiny against that is rounding, also where nothing
 * larger may move. */
static double solve_step(newton *N, const double *value, const double *right, double tolerance) {
  double largest = 0;
  for (int e = 0; e < N->pattern.start[N->rows]; e++) largest = fmax(largest, fabs(value[e]));
  double relative = largest < 1 ? (largest > 0 ? tolerance / largest : 1) : tolerance;
  memset(N->step, 0, (size_t)N->cols * sizeof *N->step);
  if (!N->cols || !(relative < 1)) return 1000;
  return N->large ? solve_sparse(N, value, right, tolerance)
                  : solve_dense(N, value, right, relative);
}

/* Puts the geometric mean of the smallest and the largest entry of each row to 1, then of each
 * column. */
static void balance_once(newton *N) {
  const ritti_pattern *p = &N->pattern;
  double *least = N->column_scratch, *most = N->step;
  for (int c = 0; c < N->cols; c++) least[c] = INFINITY, most[c] = 0;
  for (int i = 0; i < N->rows; i++) {
    double low = INFINITY, high = 0;
    for (int e = p->start[i]; e < p->start[i + 1]; e++) {
      double a = fabs(N->balanced[e]) * N->column_factor[p->col[e]];
      if (a > 0) low = fmin(low, a), high = fmax(high, a);
    }
    N->row_factor[i] = high > 0 ? 1 / sqrt(low) / sqrt(high) : 1;
    for (int e = p->start[i]; e < p->start[i + 1]; e++) {
      double a = fabs(N->balanced[e]) * N->row_factor[i];
      if (a > 0)
        least[p->col[e]] = fmin(least[p->col[e]], a), most[p->col[e]] = fmax(most[p->col[e]], a);
    }
  }
  for (int c = 0; c < N->cols; c++)
    N->column_factor[c] = most[c] > 0 ? 1 / sqrt(least[c]) / sqrt(most[c]) : 1;
}

/* The same in variables whose sizes the rows tell: nanometres beside gigapascals. What is least
 * then is another step, and rounding would be as large as anything else: it is left out. */
static double solve_balanced(newton *N, const double *point, double tolerance) {
  enum { PASSES = 20 };
  const ritti_pattern *p = &N->pattern;
  look_beside(N, point);
  for (int e = 0; e < p->start[N->rows]; e++)
    N->balanced[e] = is_rounding(N, N->entry[e]) ? 0 : N->value[e];
  look_back(N);
  for (int c = 0; c < N->cols; c++) N->column_factor[c] = 1;
  for (int k = 0; k < PASSES; k++) balance_once(N);
  for (int i = 0; i < N->rows; i++) {
    N->right[i] = N->F[i] * N->row_factor[i];
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
      N->balanced[e] *= N->row_factor[i] * N->column_factor[p->col[e]];
  }
  double effort = solve_step(N, N->balanced, N->right, tolerance);
  for (int c = 0; c < N->cols; c++) N->step[c] *= N->column_factor[c];
  return 2 * effort;
}

/* J times the step, row i */
static double row_times_step(const newton *N, int i) {
  double sum = 0;
  for (int e = N->pattern.start[i]; e < N->pattern.start[i + 1]; e++)
    sum += N->value[e] * N->step[N->pattern.col[e]];
  return sum;
}

/* The least-norm step at `point` towards the rows and, where `draw`, of all such steps the one that
 * ends nearest to the guess; loose jets are not drawn back. tolerance < 0: the balanced one. */
static void find_step(newton *N, const double *point, bool draw, double tolerance) {
  const double *freedom = N->task->freedom;
  const bool *loose = N->task->loose;
  for (int j = 0; j < N->S->cols; j++)
    N->back[j] = draw && !(loose && loose[j]) ? N->guess[j] - point[j] : 0;
  fill_system(N);
  double effort = tolerance < 0 ? solve_balanced(N, point, -tolerance)
                                : solve_step(N, N->value, N->F, tolerance);
  N->gain = 0;
  for (int i = 0; i < N->rows; i++) {
    double before = N->F[i] / N->unit, left = (N->F[i] - row_times_step(N, i)) / N->unit;
    N->gain += before * before - left * left;
  }
  if (N->task->effort) *N->task->effort -= effort;
  for (int c = 0; c < N->cols; c++)
    N->step[c] = N->back[N->jet[c]] + freedom[N->jet[c]] * N->step[c];
}

static bool at_round_off(const newton *N, const double *point, double tolerance) {
  for (int i = 0; i < N->rows; i++)
    if (!(fabs(scaled_residual(N, i)) <=
          tolerance * ritti_row_size(N->S, N->row[i], point, N->task->freedom)))
      return false;
  return true;
}

static bool tired(const newton *N) { return N->task->effort && *N->task->effort < 0; }

static void shift_point(const newton *N, const double *point, double fraction, double *out) {
  memcpy(out, point, (size_t)N->S->cols * sizeof *out);
  for (int c = 0; c < N->cols; c++) out[N->jet[c]] += fraction * N->step[c];
}

/* Goes along the step as far as the merit falls; false: nowhere. The rows are evaluated at the new
 * point, their gradients only where it may be taken: a whole step mostly is. */
static bool advance_point(newton *N, double *point) {
  double before = merit_of_rows(N), fraction = 1;
  if (!(N->gain > 1e-12 * before)) return false;
  for (int i = 0; i < MOST_HALVINGS; i++, fraction /= 2) {
    const double enough = before - fraction / 4 * N->gain;
    shift_point(N, point, fraction, N->trial);
    if (i > 0) {
      ritti_rows_evaluate_alone(N->C, N->S, N->trial);
      count_evaluation(N);
      N->known = false;
      if (!(merit_of_rows(N) <= enough)) continue;
    }
    if (!evaluate_rows(N, N->trial)) continue;
    if (merit_of_rows(N) <= enough) {
      memcpy(point, N->trial, (size_t)N->S->cols * sizeof *point);
      return true;
    }
  }
  evaluate_rows(N, point);
  return false;
}

/* Onto the rows; false: not reached, the point is the best found. The rows are evaluated at the
 * point before and after. */
static bool search_point(newton *N, double *point, double tolerance) {
  static const double truncation[] = {1e-11, 1e-7, 1e-4, 1e-2, -1e-11};
  for (int k = 0; k < MOST_STEPS && !tired(N) && !at_round_off(N, point, tolerance); k++) {
    bool moved = false;
    set_weights(N, point);
    for (size_t t = 0; t < sizeof truncation / sizeof *truncation && !moved; t++) {
      find_step(N, point, false, truncation[t]);
      moved = advance_point(N, point);
    }
    if (!moved) break;
  }
  return at_round_off(N, point, 10 * tolerance);
}

static double distance_moved(const newton *N, const double *point) {
  double sum = 0;
  for (int c = 0; c < N->cols; c++) {
    int j = N->jet[c];
    if (!N->task->loose || !N->task->loose[j])
      sum += pow((point[j] - N->guess[j]) / N->task->freedom[j], 2);
  }
  return sum;
}

/* One move along the rows towards the guess; false: none brings the point nearer. */
static bool slide_along_rows(newton *N, double *point, double *other) {
  double before = distance_moved(N, point);
  for (double fraction = 1; fraction > 0.05; fraction /= 2) {
    evaluate_rows(N, point);
    set_weights(N, point);
    find_step(N, point, true, 1e-11);
    shift_point(N, point, fraction, other);
    if (!evaluate_rows(N, other) || !search_point(N, other, 1e-12)) continue;
    if (!(distance_moved(N, other) < before)) continue;
    memcpy(point, other, (size_t)N->S->cols * sizeof *point);
    N->fraction = fraction;
    return true;
  }
  return false;
}

/* To the orthogonal point: moves along the rows while they come nearer, then full steps while they
 * get shorter. */
static ritt_status settle_point(newton *N, double *point) {
  double last = INFINITY, *other;
  RITTI_NEW(other, N->arena, N->S->cols + 1);
  if (N->task->target || tired(N)) return RITT_OK;
  for (int k = 0; k < MOST_SLIDES && !tired(N) && distance_moved(N, point) > 0 &&
                  slide_along_rows(N, point, other);
       k++) {}
  evaluate_rows(N, point);
  if (N->large && distance_moved(N, point) == 0) return RITT_OK;
  for (int k = 0; k < MOST_SLIDES; k++) {
    double length = 0;
    set_weights(N, point);
    find_step(N, point, true, 1e-11);
    for (int c = 0; c < N->cols; c++) length = fmax(length, fabs(N->step[c]));
    if (!(length < last)) break;
    last = length;
    shift_point(N, point, N->fraction, N->trial);
    if (!evaluate_rows(N, N->trial) || !at_round_off(N, N->trial, 1e-11)) break;
    memcpy(point, N->trial, (size_t)N->S->cols * sizeof *point);
    if (length == 0) break;
  }
  return RITT_OK;
}

static double worst_row(const newton *N, const double *point) {
  double worst = 0;
  for (int i = 0; i < N->rows; i++) {
    double size = ritti_row_size(N->S, N->row[i], point, N->task->freedom);
    if (size > 0) worst = fmax(worst, fabs(scaled_residual(N, i)) / size);
  }
  return worst;
}

/* A few full steps onto the rows: the one that comes nearest, down to round-off. */
static void polish_point(newton *N, double *point) {
  double best = evaluate_rows(N, point) ? worst_row(N, point) : 0;
  double *at = N->guess; /* not needed any more */
  memcpy(at, point, (size_t)N->S->cols * sizeof *point);
  for (int k = 0; k < 6 && best > (N->large || k >= 4 ? RITTI_EPS : 0); k++) {
    if (k == 4) memcpy(at, point, (size_t)N->S->cols * sizeof *at);
    if (!evaluate_rows(N, at)) return;
    set_weights(N, at);
    find_step(N, at, false, k < 4 ? 1e-11 : -1e-11);
    shift_point(N, at, 1, N->trial);
    memcpy(at, N->trial, (size_t)N->S->cols * sizeof *at);
    if (!evaluate_rows(N, at)) return;
    double now = worst_row(N, at);
    if (now < best) best = now, memcpy(point, at, (size_t)N->S->cols * sizeof *point);
  }
}

/* What is left of a jet that should be 0: as a coefficient of another jet it would be taken for one
 * that is not zero. */
static void clear_rounding(const newton *N, double *point) {
  static const double TINY = 1e-24;
  for (int c = 0; c < N->cols; c++) {
    double *here = &point[N->jet[c]];
    if (fabs(*here) < TINY * size_of_jet(N->S, N->jet[c])) *here = 0;
  }
}

/* Large jets make large terms, beside which a misfit looks like rounding: is there one that is not
 * small in itself? */
static bool misfit_is_large(const newton *N) {
  const double *entry = N->S->value + N->S->rows;
  for (int i = 0; i < N->rows; i++) {
    double slope = 0;
    for (int e = N->S->start[N->row[i]]; e < N->S->start[N->row[i] + 1]; e++) {
      double here = fabs(entry[e]) * size_of_jet(N->S, N->S->col[e]);
      slope += N->task->freedom[N->S->col[e]] > 0 ? here : fmin(here, 1);
    }
    if (!(fabs(scaled_residual(N, i)) <= 1e-7 * slope)) return true;
  }
  return false;
}

/* If a misfit is not small in itself, a further step tells: at a solution it is short. */
static bool rows_hold(newton *N, const double *point) {
  double length = 0;
  evaluate_rows(N, point);
  if (!misfit_is_large(N)) return true;
  set_weights(N, point);
  find_step(N, point, false, 1e-11);
  for (int c = 0; c < N->cols; c++)
    length =
        fmax(length, fabs(N->step[c]) / fmax(size_of_jet(N->S, N->jet[c]), fabs(point[N->jet[c]])));
  return length < 1e-6;
}

/* Is there nothing to do, as far as a large system goes: the rows hold as well as rounding allows,
 * and the point is where it should be? */
static bool nothing_to_do(newton *N, const double *point) {
  const ritti_newton_task *T = N->task;
  if (!N->large || T->target) return false;
  for (int j = 0; T->guess && j < N->S->cols; j++)
    if (T->freedom[j] > 0 && !(T->loose && T->loose[j]) && point[j] != T->guess[j]) return false;
  if (!ritti_rows_evaluate(N->C, N->S, point) && !rows_in_use_finite(N)) return false;
  return at_round_off(N, point, RITTI_EPS) && !misfit_is_large(N);
}

static ritt_status run_newton(newton *N, double *point, bool *reached) {
  RITT_TRY(list_rows(N));
  *reached = nothing_to_do(N, point);
  if (*reached) return RITT_OK;

  RITT_TRY(prepare_rows(N, point));
  if (!evaluate_rows(N, point)) return RITT_OK;
  *reached = search_point(N, point, N->task->tolerance > 0 ? N->task->tolerance : 1e-12);
  if (*reached) RITT_TRY(settle_point(N, point));
  if (*reached) polish_point(N, point);
  if (*reached) clear_rounding(N, point);
  if (*reached && !rows_hold(N, point)) *reached = false;
  evaluate_rows(N, point);
  return N->status;
}

ritt_status ritti_newton_run(ritti_completion *C, const ritti_newton_task *task, double *point,
                             bool *reached) {
  newton N = {.C = C, .task = task, .S = task->system, .fraction = 1, .arena = ritti_arena_new()};
  *reached = false;
  ritt_status status = N.arena ? run_newton(&N, point, reached) : RITT_NO_MEMORY;
  ritti_arena_free(N.arena);
  return status;
}

ritt_status ritti_newton(ritti_completion *C, ritti_rows_system *S, const double *freedom,
                         const bool *loose, double *point, bool *reached) {
  ritti_newton_task task = {.system = S, .freedom = freedom, .loose = loose};
  return ritti_newton_run(C, &task, point, reached);
}
