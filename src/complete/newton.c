/* Least move onto a set of rows: damped, rank-revealing Gauss-Newton in scaled variables.
 *
 * In: rows with their Jacobian, a point, which jets may move and how freely. Out: the nearest point found.
 * Two phases. The search takes the least-norm least-squares step in the scaled variables (move / freedom),
 * damped until the scaled residual falls; where no fraction of it does, the step is found again with a
 * smaller rank, which leaves out directions that the rows hardly see. The second phase goes along the rows to
 * where the distance from the guess is least: p <- guess - D J^T mu, whose fixed points are orthogonal, each
 * step followed by a search back onto the rows. Loose jets do not count in that distance. Large systems
 * find their steps by sparse factors instead of orthogonal ones.
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
  bool large;            /* no dense matrix */
  ritti_least least;     /* large: made with the first step */
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
  int count = 0, *start, *col;
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
  N->pattern = (ritti_pattern){.rows = N->rows, .cols = N->cols, .start = start, .col = col};
  return RITT_OK;
}

static ritt_status prepare(newton *N, const double *point) {
  const ritti_newton_task *T = N->task;
  int jets = N->S->cols;
  RITTI_NEW(N->row, N->arena, N->S->rows + 1);
  RITTI_NEW(N->jet, N->arena, jets + 1);
  RITTI_NEW(N->column, N->arena, jets + 1);
  for (int i = 0; i < N->S->rows; i++)
    if (!T->skip || !T->skip[i]) N->row[N->rows++] = i;
  for (int j = 0; j < jets; j++)
    if (T->freedom[j] > 0) N->column[j] = N->cols, N->jet[N->cols++] = j;
  RITT_TRY(make_pattern(N));
  N->large = (double)N->rows * N->cols > LARGE;
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

static double residual(const newton *N, int i) {
  int row = N->row[i];
  return N->S->value[row] - (N->task->target ? N->task->target[row] : 0);
}

/* Are the rows in use, and their gradients, finite? */
static bool rows_in_use_finite(const newton *N) {
  const ritti_rows_system *S = N->S;
  for (int i = 0; i < N->rows; i++) {
    if (!(fabs(residual(N, i)) < INFINITY)) return false;
    for (int e = S->start[N->row[i]]; e < S->start[N->row[i] + 1]; e++)
      if (!(fabs(S->value[S->rows + e]) < INFINITY)) return false;
  }
  return true;
}

/* Evaluates; false: a row in use, or its gradient, is not finite. */
static bool evaluate(newton *N, const double *point) {
  ritti_rows_system *S = N->S;
  size_t bytes = (size_t)S->cols * sizeof *point;
  if (N->known && !memcmp(N->last, point, bytes)) return N->finite;
  memcpy(N->last, point, bytes);
  N->known = true;
  return N->finite = ritti_rows_evaluate(N->C, S, point) || rows_in_use_finite(N);
}

double ritti_row_size(const ritti_rows_system *S, int i, const double *point) {
  const double *entry = S->value + S->rows;
  double size = 0;
  for (int e = S->start[i]; e < S->start[i + 1]; e++)
    size += fabs(entry[e]) * fmax(fabs(point[S->col[e]]), 1);
  return size;
}

/* Row weights that make every row a distance: 1 / |row of J in scaled variables|, over all jets so that a row
 * whose jets are all kept still counts. */
static void set_weights(newton *N) {
  const ritti_rows_system *S = N->S;
  const double *entry = S->value + S->rows, *freedom = N->task->freedom;
  for (int i = 0; i < N->rows; i++) {
    double square = 0;
    for (int e = S->start[N->row[i]]; e < S->start[N->row[i] + 1]; e++) {
      double f = freedom[S->col[e]], a = entry[e] * (f > 0 ? f : 1);
      square += a * a;
    }
    N->weight[i] = square > 0 ? 1 / sqrt(square) : 1;
  }
  double far = 0;
  for (int i = 0; i < N->rows; i++) far = fmax(far, fabs(residual(N, i)) * N->weight[i]);
  N->unit = far > 1e100 && far < INFINITY ? far : 1;
}

static double merit(const newton *N) {
  double sum = 0;
  for (int i = 0; i < N->rows; i++) sum += pow(residual(N, i) * N->weight[i] / N->unit, 2);
  return sum;
}

/* The scaled Jacobian and right side at `point`: of all steps onto the rows the one wanted ends nearest to
 * point + back. */
static void fill_system(newton *N) {
  const ritti_rows_system *S = N->S;
  const double *entry = S->value + S->rows, *freedom = N->task->freedom;
  for (int i = 0; i < N->rows; i++) {
    double right = -residual(N, i);
    for (int e = N->pattern.start[i]; e < N->pattern.start[i + 1]; e++) {
      int j = S->col[N->entry[e]];
      N->value[e] = N->weight[i] * entry[N->entry[e]] * freedom[j];
      right -= entry[N->entry[e]] * N->back[j];
    }
    N->F[i] = N->weight[i] * right;
  }
}

/* Solves for the step in scaled variables, to N->step; returns the operations it took. The tolerance is relative to
 * the largest entry here, absolute below. */
static double solve_dense(newton *N, double tolerance) {
  double least = N->rows < N->cols ? N->rows : N->cols;
  ritti_csr_to_dense(&N->pattern, N->value, N->J);
  ritti_least_norm(N->rows, N->cols, N->J, N->F, tolerance, N->step, N->scratch, N->iscratch);
  return 1000 + 4 * least * N->rows * N->cols;
}

static double solve_sparse(newton *N, double tolerance) {
  if (N->status == RITT_OK && !N->least.value) N->status = ritti_least_init(&N->least, &N->pattern, N->arena);
  if (N->status != RITT_OK) return 0;
  ritti_least_solve(&N->least, N->value, N->F, tolerance, N->step);
  return 1000 + 10 * (N->least.gram.operations + N->least.gram.fill);
}

/* J times the step, row i */
static double row_times_step(const newton *N, int i) {
  if (!N->large) return ritti_dot(N->cols, N->J + i * N->cols, N->step);
  double sum = 0;
  for (int e = N->pattern.start[i]; e < N->pattern.start[i + 1]; e++)
    sum += N->value[e] * N->step[N->pattern.col[e]];
  return sum;
}

/* The least-norm step at `point` towards the rows and, where `draw`, of all such steps the one that ends
 * nearest to the guess; loose jets are not drawn back. */
static void find_step(newton *N, const double *point, bool draw, double tolerance) {
  const double *freedom = N->task->freedom;
  const bool *loose = N->task->loose;
  double largest = 0, effort = 1000;
  memset(N->step, 0, (size_t)N->cols * sizeof *N->step);
  for (int j = 0; j < N->S->cols; j++) N->back[j] = draw && !(loose && loose[j]) ? N->guess[j] - point[j] : 0;
  fill_system(N);
  /* rows have length 1 over all jets: what is tiny against that is rounding, also where nothing larger may
   * move */
  for (int e = 0; e < N->pattern.start[N->rows]; e++) largest = fmax(largest, fabs(N->value[e]));
  double relative = largest < 1 ? (largest > 0 ? tolerance / largest : 1) : tolerance;
  if (N->cols && relative < 1) effort = N->large ? solve_sparse(N, tolerance) : solve_dense(N, relative);
  N->gain = 0;
  for (int i = 0; i < N->rows; i++) {
    double before = N->F[i] / N->unit, left = (N->F[i] - row_times_step(N, i)) / N->unit;
    N->gain += before * before - left * left;
  }
  if (N->task->effort) *N->task->effort -= effort;
  for (int c = 0; c < N->cols; c++) N->step[c] = N->back[N->jet[c]] + freedom[N->jet[c]] * N->step[c];
}

static bool at_round_off(const newton *N, const double *point, double tolerance) {
  for (int i = 0; i < N->rows; i++)
    if (!(fabs(residual(N, i)) <= tolerance * ritti_row_size(N->S, N->row[i], point))) return false;
  return true;
}

static bool tired(const newton *N) { return N->task->effort && *N->task->effort < 0; }

static void shift(const newton *N, const double *point, double fraction, double *out) {
  memcpy(out, point, (size_t)N->S->cols * sizeof *out);
  for (int c = 0; c < N->cols; c++) out[N->jet[c]] += fraction * N->step[c];
}

/* Goes along the step as far as the merit falls; false: nowhere. The rows are evaluated at the new point, their
 * gradients only where it may be taken: a whole step mostly is. */
static bool advance(newton *N, double *point) {
  double before = merit(N), fraction = 1;
  if (!(N->gain > 1e-12 * before)) return false;
  for (int i = 0; i < MOST_HALVINGS; i++, fraction /= 2) {
    const double enough = before - fraction / 4 * N->gain;
    shift(N, point, fraction, N->trial);
    if (i > 0) {
      ritti_rows_evaluate_alone(N->C, N->S, N->trial);
      N->known = false;
      if (!(merit(N) <= enough)) continue;
    }
    if (!evaluate(N, N->trial)) continue;
    if (merit(N) <= enough) {
      memcpy(point, N->trial, (size_t)N->S->cols * sizeof *point);
      return true;
    }
  }
  evaluate(N, point);
  return false;
}

/* Onto the rows; false: not reached, the point is the best found. The rows are evaluated at the point before
 * and after. */
static bool search(newton *N, double *point, double tolerance) {
  static const double truncation[] = {1e-11, 1e-7, 1e-4, 1e-2};
  for (int k = 0; k < MOST_STEPS && !tired(N) && !at_round_off(N, point, tolerance); k++) {
    bool moved = false;
    set_weights(N);
    for (size_t t = 0; t < sizeof truncation / sizeof *truncation && !moved; t++) {
      find_step(N, point, false, truncation[t]);
      moved = advance(N, point);
    }
    if (!moved) break;
  }
  return at_round_off(N, point, 10 * tolerance);
}

static double distance(const newton *N, const double *point) {
  double sum = 0;
  for (int c = 0; c < N->cols; c++) {
    int j = N->jet[c];
    if (!N->task->loose || !N->task->loose[j]) sum += pow((point[j] - N->guess[j]) / N->task->freedom[j], 2);
  }
  return sum;
}

/* One move along the rows towards the guess; false: none brings the point nearer. */
static bool slide(newton *N, double *point, double *other) {
  double before = distance(N, point);
  for (double fraction = 1; fraction > 0.05; fraction /= 2) {
    evaluate(N, point);
    set_weights(N);
    find_step(N, point, true, 1e-11);
    shift(N, point, fraction, other);
    if (!evaluate(N, other) || !search(N, other, 1e-12)) continue;
    if (!(distance(N, other) < before)) continue;
    memcpy(point, other, (size_t)N->S->cols * sizeof *point);
    N->fraction = fraction;
    return true;
  }
  return false;
}

/* To the orthogonal point: moves along the rows while they come nearer, then full steps while they get
 * shorter. */
static ritt_status settle(newton *N, double *point) {
  double last = INFINITY, *other;
  RITTI_NEW(other, N->arena, N->S->cols + 1);
  if (N->task->target || tired(N)) return RITT_OK;
  for (int k = 0; k < MOST_SLIDES && !tired(N) && distance(N, point) > 0 && slide(N, point, other); k++) {}
  evaluate(N, point);
  if (N->large && distance(N, point) == 0) return RITT_OK;
  for (int k = 0; k < MOST_SLIDES; k++) {
    double length = 0;
    set_weights(N);
    find_step(N, point, true, 1e-11);
    for (int c = 0; c < N->cols; c++) length = fmax(length, fabs(N->step[c]));
    if (!(length < last)) break;
    last = length;
    shift(N, point, N->fraction, N->trial);
    if (!evaluate(N, N->trial) || !at_round_off(N, N->trial, 1e-11)) break;
    memcpy(point, N->trial, (size_t)N->S->cols * sizeof *point);
    if (length == 0) break;
  }
  return RITT_OK;
}

static double worst_row(const newton *N, const double *point) {
  double worst = 0;
  for (int i = 0; i < N->rows; i++) {
    double size = ritti_row_size(N->S, N->row[i], point);
    if (size > 0) worst = fmax(worst, fabs(residual(N, i)) / size);
  }
  return worst;
}

/* A few full steps onto the rows: the one that comes nearest, down to round-off. */
static void polish(newton *N, double *point) {
  double best = evaluate(N, point) ? worst_row(N, point) : 0;
  double *at = N->guess; /* not needed any more */
  memcpy(at, point, (size_t)N->S->cols * sizeof *point);
  for (int k = 0; k < 4 && best > (N->large ? RITTI_EPS : 0); k++) {
    set_weights(N);
    find_step(N, at, false, 1e-11);
    shift(N, at, 1, N->trial);
    memcpy(at, N->trial, (size_t)N->S->cols * sizeof *at);
    if (!evaluate(N, at)) return;
    double now = worst_row(N, at);
    if (now < best) best = now, memcpy(point, at, (size_t)N->S->cols * sizeof *point);
  }
}

/* Large jets make large terms, beside which a misfit looks like rounding. Where it is not small in itself,
 * a further step tells: at a solution it is short. */
static bool holds(newton *N, const double *point) {
  const double *entry = N->S->value + N->S->rows;
  bool doubtful = false;
  double length = 0;
  evaluate(N, point);
  for (int i = 0; i < N->rows; i++) {
    double slope = 0;
    for (int e = N->S->start[N->row[i]]; e < N->S->start[N->row[i] + 1]; e++) slope += fabs(entry[e]);
    doubtful = doubtful || !(fabs(residual(N, i)) <= 1e-7 * slope);
  }
  if (!doubtful) return true;
  set_weights(N);
  find_step(N, point, false, 1e-11);
  for (int c = 0; c < N->cols; c++) length = fmax(length, fabs(N->step[c]) / fmax(1, fabs(point[N->jet[c]])));
  return length < 1e-6;
}

static ritt_status run(newton *N, double *point, bool *reached) {
  RITT_TRY(prepare(N, point));
  if (!evaluate(N, point)) return RITT_OK;
  *reached = search(N, point, N->task->tolerance > 0 ? N->task->tolerance : 1e-12);
  if (*reached) RITT_TRY(settle(N, point));
  if (*reached) polish(N, point);
  if (*reached && !holds(N, point)) *reached = false;
  evaluate(N, point);
  return N->status;
}

ritt_status ritti_newton_run(ritti_completion *C, const ritti_newton_task *task, double *point,
                             bool *reached) {
  newton N = {.C = C, .task = task, .S = task->system, .fraction = 1, .arena = ritti_arena_new()};
  *reached = false;
  ritt_status status = N.arena ? run(&N, point, reached) : RITT_NO_MEMORY;
  ritti_arena_free(N.arena);
  return status;
}

ritt_status ritti_newton(ritti_completion *C, ritti_rows_system *S, const double *freedom, const bool *loose,
                         double *point, bool *reached) {
  ritti_newton_task task = {.system = S, .freedom = freedom, .loose = loose};
  return ritti_newton_run(C, &task, point, reached);
}
