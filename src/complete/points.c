/* Generic points of the current system, to quadruple precision.
 *
 * Ranks and zeros are decided at points of {f = 0}, never at the fully consistent point (where
 * every condition vanishes) and never off it. A point is found by Newton in doubles from a shifted
 * copy of the start values, then refined with the residual in quadruple precision and the Jacobian
 * in doubles.
 */
#include "complete/general_impl.h"

enum { REFINEMENTS = 12 };

/* How far the points are from the start, relative to sizes: one is near it, so that pivots are good
 * there. */
static const double FAR[RITTI_POINTS] = {1e-3, 0.03, 0.1};

/* Fractional parts of multiples of irrational numbers. */
double ritti_quasi_random(int i, int number) {
  double x = (i + 1) * 0.6180339887498949 + number * 0.7548776662466927;
  return (x - floor(x)) * 2 - 1;
}

double ritti_shift(const ritti_completion *C, int variable, int order, int number) {
  int i = C->first[variable] + order;
  double scale = C->model->variable[variable].scale;
  double size = fmax(fabs(C->point[i]), scale > 0 ? scale : 1);
  return number == 0 ? size : size * ritti_quasi_random(i, number);
}

typedef struct quad_at {
  const ritti_completion *C;
  const ritti_quad *point;
  double x;
} quad_at;

static ritti_quad jet_value(const void *context, int variable, int order) {
  const quad_at *at = context;
  int i = ritti_jet_number(at->C, variable, order);
  return i < 0 ? (ritti_quad)NAN : at->point[i];
}

static ritti_quad_values values_at(const ritti_general *G, const quad_at *at) {
  return (ritti_quad_values){
      .independent = at->x, .jet = jet_value, .context = at, .parameter = G->parameter};
}

ritt_status ritti_points_evaluate(const ritti_general *G, const ritti_expr *e, size_t count,
                                  ritti_known *out) {
  ritti_quad_plan *plan;
  ritti_quad *value, *size;
  RITTI_NEW(value, G->C->arena, count + 1);
  RITTI_NEW(size, G->C->arena, count + 1);
  RITT_TRY(ritti_quad_plan_new(G->C->dag, e, count, &plan));
  for (int p = 0; p < RITTI_POINTS; p++) {
    quad_at at = {G->C, G->point[p], G->x[p]};
    ritti_quad_values values = values_at(G, &at);
    ritti_quad_plan_evaluate(plan, &values, value, size);
    for (size_t i = 0; i < count; i++) {
      out[i].value[p] = value[i], out[i].size[p] = size[i];
      /* a variable by itself has no terms that cancel: it is compared with its scale */
      if (ritti_op_of(G->C->dag, e[i]) != RITTI_JET) continue;
      int variable = ritti_index_of(G->C->dag, e[i]), order = ritti_order_of(G->C->dag, e[i]);
      out[i].size[p] = fmaxq(size[i], ritti_shift(G->C, variable, order, 0));
    }
  }
  ritti_quad_plan_free(plan);
  return RITT_OK;
}

/* exact values of the parameters, rounded once */
static ritt_status take_parameters(ritti_general *G) {
  const ritti_model *model = G->C->model;
  ritti_quad_values none = {0};
  RITTI_NEW(G->parameter, G->C->arena, model->parameters + 1);
  for (int i = 0; i < model->parameters; i++) {
    ritti_quad_plan *plan;
    RITT_TRY(ritti_quad_plan_new(G->C->dag, &model->parameter[i].value, 1, &plan));
    ritti_quad_plan_evaluate(plan, &none, &G->parameter[i], NULL);
    ritti_quad_plan_free(plan);
  }
  return RITT_OK;
}

ritt_status ritti_points_init(ritti_general *G) {
  ritti_completion *C = G->C;
  RITT_TRY(take_parameters(G));
  /* x is shifted too, a little way into the run: what vanishes at one x only is not zero */
  double length = C->model->run == RITTI_RUN_X ? C->model->run_end - C->x : 1;
  if (!(fabs(length) > 0)) length = 1;
  for (int p = 0; p < RITTI_POINTS; p++) {
    G->x[p] = C->x + (p + 1) * 0.01 * copysign(fmin(fabs(length), fmax(1, fabs(C->x))), length);
    RITTI_NEW(G->point[p], C->arena, C->jets + 1);
    for (int j = 0; j < C->n; j++)
      for (int k = 0; k <= C->d[j]; k++) {
        int i = C->first[j] + k;
        G->point[p][i] = C->point[i] + G->nearer * FAR[p] * ritti_shift(C, j, k, p + 1);
      }
  }
  return RITT_OK;
}

/* How a try ended that reached nothing. */
typedef struct ending {
  bool stationary; /* no small move lessens the misfit */
  double misfit;   /* sum of squares of the scaled rows; infinite where they have no value */
} ending;

/* Is the evaluated point one where the misfit of the rows, scaled, cannot be lessened by any small
 * move? Then it is no accident that Newton ended there. gradient: cols reals of scratch. */
static bool is_stationary(const ritti_rows_system *S, const double *freedom, double *gradient,
                          double *misfit) {
  double slope = 0;
  *misfit = 0;
  memset(gradient, 0, (size_t)S->cols * sizeof *gradient);
  for (int i = 0; i < S->rows; i++) {
    double square = 0;
    for (int e = S->start[i]; e < S->start[i + 1]; e++) {
      double a = S->value[S->rows + e] * freedom[S->col[e]];
      square += a * a;
    }
    if (!(square > 0) && S->value[i] == 0) continue;
    if (!(square > 0)) { /* a row without unknowns that does not hold */
      *misfit = 1;
      return true;
    }
    *misfit += S->value[i] * S->value[i] / square;
    for (int e = S->start[i]; e < S->start[i + 1]; e++)
      gradient[S->col[e]] += S->value[S->rows + e] * freedom[S->col[e]] * S->value[i] / square;
  }
  for (int j = 0; j < S->cols; j++) slope += gradient[j] * gradient[j];
  return slope < 1e-3 * *misfit;
}

/* Newton in doubles, then refinement. end: where it was not reached. The rows of S are those to
 * satisfy, `plan` the same in quadruple precision. */
static ritt_status settle(const ritti_general *G, ritti_rows_system *S, ritti_quad_plan *plan,
                          ritti_quad *point, bool *reached, ending *end) {
  ritti_completion *C = G->C;
  double *z, *freedom, *J, *F, *step, *scratch;
  ritti_quad *value, *size;
  int *iscratch, rows = S->rows, cols = S->cols;
  RITTI_NEW(z, C->arena, cols + 1);
  RITTI_NEW(freedom, C->arena, cols + 1);
  RITTI_NEW(J, C->arena, rows * cols + 1);
  RITTI_NEW(F, C->arena, rows + 1);
  RITTI_NEW(step, C->arena, cols + 1);
  RITTI_NEW(value, C->arena, rows + 1);
  RITTI_NEW(size, C->arena, rows + 1);
  RITTI_NEW(scratch, C->arena, ritti_least_norm_scratch(rows, cols) + 1);
  RITTI_NEW(iscratch, C->arena, rows + cols + 1);
  for (int j = 0; j < C->n; j++)
    for (int k = 0; k <= C->d[j]; k++) {
      int i = C->first[j] + k;
      z[i] = (double)point[i];
      freedom[i] = fabs(ritti_shift(C, j, k, 0));
    }
  RITT_TRY(ritti_newton(C, S, freedom, NULL, z, reached));
  if (!ritti_rows_evaluate(C, S, z)) *reached = false;
  else if (!*reached) end->stationary = is_stationary(S, freedom, step, &end->misfit);
  /* near enough, though doubles cannot tell: quadruple precision will */
  if (!*reached && !(end->misfit < 1e-8)) return RITT_OK;
  for (int i = 0; i < cols; i++) point[i] = z[i];
  quad_at at = {C, point, C->x};
  ritti_quad_values values = values_at(G, &at);
  for (int k = 0; k < REFINEMENTS; k++) {
    ritti_quad_plan_evaluate(plan, &values, value, NULL);
    memset(J, 0, (size_t)(rows * cols) * sizeof *J);
    for (int i = 0; i < rows; i++) {
      double largest = 0;
      for (int e = S->start[i]; e < S->start[i + 1]; e++)
        largest = fmax(largest, fabs(S->value[rows + e] * freedom[S->col[e]]));
      if (!(largest > 0)) largest = 1;
      for (int e = S->start[i]; e < S->start[i + 1]; e++)
        J[i * cols + S->col[e]] = S->value[rows + e] * freedom[S->col[e]] / largest;
      F[i] = (double)(-value[i] / largest);
    }
    ritti_least_norm(rows, cols, J, F, 1e-11, step, scratch, iscratch);
    for (int i = 0; i < cols; i++) point[i] += (ritti_quad)step[i] * freedom[i];
  }
  ritti_quad_plan_evaluate(plan, &values, value, size);
  bool held = true;
  for (int i = 0; i < rows; i++) held = held && fabsq(value[i]) <= 1e-18 * size[i];
  *reached = *reached || held;
  return RITT_OK;
}

/* What all tries of one row have in common. */
typedef struct tries {
  ritti_general *G;
  ritti_rows_system S; /* the rows with the new one */
  ritti_quad_plan *plan;
  double best, least; /* misfit of all tries, of those that ended at a stationary point */
  bool somewhere;     /* the rows hold somewhere, if not where points are wanted */
} tries;

/* Onto the rows at this x, from where the point is. */
static ritt_status try_at(tries *T, double x, ritti_quad *point, bool *reached) {
  ritti_completion *C = T->G->C;
  double kept = C->x;
  ending end = {false, INFINITY};
  C->x = x;
  ritt_status status = settle(T->G, &T->S, T->plan, point, reached, &end);
  C->x = kept;
  T->best = fmin(T->best, end.misfit);
  if (end.stationary) T->least = fmin(T->least, end.misfit);
  return status;
}

static void shift_point(const ritti_general *G, int p, double part, ritti_quad *point) {
  const ritti_completion *C = G->C;
  part *= G->nearer;
  for (int j = 0; j < C->n; j++)
    for (int k = 0; k <= C->d[j]; k++)
      point[C->first[j] + k] += part * FAR[p] * ritti_shift(C, j, k, p + 1);
}

/* From where the point is; then from the start values, less and less shifted. */
static ritt_status try_near(tries *T, int p, ritti_quad *moved, bool *reached) {
  static const double part[] = {1, 0.3, 0.1, 0.01, 0};
  ritti_general *G = T->G;
  int jets = G->C->jets;
  memcpy(moved, G->point[p], (size_t)jets * sizeof *moved);
  RITT_TRY(try_at(T, G->x[p], moved, reached));
  for (size_t t = 0; t < sizeof part / sizeof *part && !*reached; t++) {
    for (int i = 0; i < jets; i++) moved[i] = G->C->point[i];
    shift_point(G, p, part[t], moved);
    RITT_TRY(try_at(T, G->x[p], moved, reached));
  }
  return RITT_OK;
}

/* Rows that hold at one point for each x only, or at few, are lost when x jumps: from the start
 * values, as they are, at their own x, and on from there in small steps. The start may satisfy more
 * than the rows, which no generic point does: only what is found again from a shifted copy counts.
 */
static ritt_status try_along(tries *T, int p, ritti_quad *moved, bool *reached) {
  static const double part[] = {1, 0.1, 0.01, 0.001};
  enum { STEPS = 8 };
  ritti_general *G = T->G;
  ritti_completion *C = G->C;
  ritti_quad *base;
  RITTI_NEW(base, C->arena, C->jets + 1);
  for (int i = 0; i < C->jets; i++) base[i] = C->point[i];
  *reached = true;
  for (int k = 0; k <= STEPS && *reached; k++) {
    RITT_TRY(try_at(T, C->x + (G->x[p] - C->x) * k / STEPS, base, reached));
    T->somewhere = T->somewhere || *reached;
  }
  if (!*reached) return RITT_OK;
  *reached = false;
  for (size_t t = 0; t < sizeof part / sizeof *part && !*reached; t++) {
    memcpy(moved, base, (size_t)C->jets * sizeof *moved);
    shift_point(G, p, part[t], moved);
    RITT_TRY(try_at(T, G->x[p], moved, reached));
  }
  return RITT_OK;
}

ritt_status ritti_points_onto(ritti_general *G, ritti_expr e, bool *reached, bool *none) {
  ritti_completion *C = G->C;
  ritti_expr *rows;
  tries T = {.G = G, .best = INFINITY, .least = INFINITY};
  ritti_quad *moved[RITTI_POINTS];
  int count = G->count + 1;
  RITTI_NEW(rows, C->arena, count);
  for (int p = 0; p < RITTI_POINTS; p++) RITTI_NEW(moved[p], C->arena, C->jets + 1);
  if (G->count) memcpy(rows, G->f, (size_t)G->count * sizeof *rows);
  rows[G->count] = e;
  RITT_TRY(ritti_rows_make(C, rows, count, &T.S));
  ritt_status status = ritti_quad_plan_new(C->dag, rows, (size_t)count, &T.plan);
  *reached = true;
  for (int p = 0; p < RITTI_POINTS && *reached && status == RITT_OK; p++) {
    status = try_near(&T, p, moved[p], reached);
    if (status == RITT_OK && !*reached) status = try_along(&T, p, moved[p], reached);
  }
  *none =
      !*reached && !T.somewhere && T.least < INFINITY && T.best > 0.1 * T.least && T.best > 1e-8;
  if (status == RITT_OK && *reached)
    for (int p = 0; p < RITTI_POINTS; p++) G->point[p] = moved[p];
  ritti_quad_plan_free(T.plan);
  ritti_rows_clear(&T.S);
  return status;
}
