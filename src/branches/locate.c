/* Numerical points of the position constraints and of their components near given points.
 * Gauss-Newton steps, of least length in the metric of the freedoms D, move a point onto { f = 0 }.
 * Then it moves along this set towards the wanted point w by steps to w - D^2 J^T (J D^2 J^T)^+ (f
 * - J (x - w)), which are halved until they help; the step vanishes if w - x is normal to the set.
 * f may have more rows than the codimension: the pseudo-inverse uses the numerical rank. */
#include "branches/algebra_impl.h"
#include "linalg/linalg.h"

enum { MOST_ROUNDS = 200 }; /* the largest number of steps */

/* Expressions with their derivatives. */
struct ritti_numeric {
  const ritti_branches *B;
  int count, entries;
  int *start, *col; /* the pattern of the derivatives, by rows */
  ritti_plan *plan;
  double *value, *parameter;
};

/* The context of an evaluation. */
typedef struct at {
  const ritti_numeric *N;
  const double *point;
} at;

/* The value of a variable at the point; NaN if it is not a position. */
static double jet_value(const void *context, int variable, int order) {
  const at *here = context;
  const ritti_branches *B = here->N->B;
  for (int i = 0; i < B->variables && order == 0; i++)
    if (B->variable[i] == variable) return here->point[i];
  return NAN;
}

/* The number of a variable in B; -1 if it is none of them. */
static int column_of(const ritti_branches *B, ritti_expr leaf) {
  const ritti_dag *dag = B->model->dag;
  if (ritti_op_of(dag, leaf) != RITTI_JET || ritti_order_of(dag, leaf) > 0) return -1;
  for (int i = 0; i < B->variables; i++)
    if (B->variable[i] == ritti_index_of(dag, leaf)) return i;
  return -1;
}

/* Prepares the evaluation of expressions and their gradients. */
ritt_status ritti_numeric_make(const ritti_branches *B, const ritti_expr *f, int count,
                               ritti_numeric **out) {
  ritti_dag *dag = B->model->dag;
  ritti_numeric *N;
  ritti_expr *root;
  int room = count * B->variables;
  RITTI_NEW(N, B->arena, 1);
  *out = N;
  *N = (ritti_numeric){.B = B, .count = count};
  RITTI_NEW(N->start, B->arena, count + 1);
  RITTI_NEW(N->col, B->arena, room + 1);
  RITTI_NEW(root, B->arena, count + room + 1);

  /* collect the gradients */
  for (int i = 0; i < count; i++) {
    ritti_gradient g;
    root[i] = f[i];
    RITT_TRY(ritti_dag_gradient(dag, f[i], &g));
    for (size_t k = 0; k < g.count && N->entries < room; k++) {
      int c = column_of(B, g.leaf[k]);
      if (c < 0) continue;
      N->col[N->entries] = c;
      root[count + N->entries++] = g.derivative[k];
    }
    ritti_gradient_clear(&g);
    N->start[i + 1] = N->entries;
  }

  /* compile everything to one plan */
  RITT_TRY(ritti_dag_status(dag));
  RITTI_NEW(N->value, B->arena, count + N->entries + 1);
  RITTI_NEW(N->parameter, B->arena, B->model->parameters + 1);
  for (int p = 0; p < B->model->parameters; p++) N->parameter[p] = B->model->parameter[p].number;
  return ritti_plan_new(dag, root, (size_t)(count + N->entries), &N->plan);
}

void ritti_numeric_free(ritti_numeric *N) {
  if (!N) return;
  ritti_plan_free(N->plan);
  N->plan = NULL;
}

bool ritti_numeric_at(const ritti_numeric *N, const double *point, double *value, double *size,
                      double *derivative) {
  at here = {N, point};
  int n = N->B->variables;

  /* evaluate everything */
  ritti_values values = {.independent = N->B->model->start_x,
                         .jet = jet_value,
                         .context = &here,
                         .parameter = N->parameter};
  ritti_plan_evaluate(N->plan, &values, N->value);
  for (int i = 0; i < N->count + N->entries; i++)
    if (!(fabs(N->value[i]) < INFINITY)) return false;

  /* distribute the values */
  for (int i = 0; i < N->count * n && derivative; i++) derivative[i] = 0;
  for (int i = 0; i < N->count; i++) {
    double own = 0;
    for (int e = N->start[i]; e < N->start[i + 1]; e++) {
      double d = N->value[N->count + e];
      own += fabs(d) * fmax(fabs(point[N->col[e]]), 1);
      if (derivative) derivative[i * n + N->col[e]] = d;
    }
    if (value) value[i] = N->value[i];
    if (size) size[i] = fmax(own, 1e-8);
  }
  return true;
}

/* ---- the closest point ---- */

/* The state of the search for the closest point. */
typedef struct descent {
  const ritti_branches *B;
  const ritti_numeric *N;
  int count, n;
  const double *from, *freedom;
  double *value, *size, *J, *step, *trial, *scratch;
  int *iscratch;
} descent;

/* Computes the shortest step, in units of freedom, with J step = right; false if there is none. */
static bool least_step(descent *D, double *J, double *right) {
  for (int i = 0; i < D->count; i++) {
    for (int j = 0; j < D->n; j++) J[i * D->n + j] *= D->freedom[j] / D->size[i];
    right[i] /= D->size[i];
  }
  return ritti_least_norm(D->count, D->n, J, right, 1e-9, D->step, D->scratch, D->iscratch) >= 0;
}

/* Moves a point onto { f = 0 } by Gauss-Newton steps; false if they do not converge. */
static bool project_point(descent *D, double *point) {
  double last = INFINITY;
  for (int round = 0; round < MOST_ROUNDS; round++) {
    double far = 0, moved = 0;

    /* is the point on the set? */
    if (!ritti_numeric_at(D->N, point, D->value, D->size, D->J)) return false;
    for (int i = 0; i < D->count; i++) far = fmax(far, fabs(D->value[i]) / D->size[i]);
    if (far < 1e-15 || (far < 1e-11 && !(far < last / 2))) return true;
    last = far;

    /* make a step */
    for (int i = 0; i < D->count; i++) D->value[i] = -D->value[i];
    if (!least_step(D, D->J, D->value)) return false;
    for (int j = 0; j < D->n; j++) {
      double own = D->freedom[j] * D->step[j];
      point[j] += own;
      moved = fmax(moved, fabs(own) / fmax(fabs(point[j]), 1));
    }
    if (!(moved < 1e6)) return false;
    if (moved < 1e-16) return far < 1e-11;
  }
  return false;
}

/* The length of the move from the wanted point, in units of freedom. */
static double length_of_move(const descent *D, const double *point) {
  double sum = 0;
  for (int j = 0; j < D->n; j++) {
    double move = D->freedom[j] > 0 ? (point[j] - D->from[j]) / D->freedom[j] : 0;
    sum += move * move;
  }
  return sqrt(sum);
}

/* Makes one step along the set towards the wanted point; false if no step helps. */
static bool come_nearer(descent *D, double *point) {
  double here = length_of_move(D, point), size = 0;

  /* the direction */
  if (!ritti_numeric_at(D->N, point, D->value, D->size, D->J)) return false;
  for (int i = 0; i < D->count; i++) {
    D->value[i] = -D->value[i];
    for (int j = 0; j < D->n; j++) D->value[i] += D->J[i * D->n + j] * (point[j] - D->from[j]);
  }
  if (!least_step(D, D->J, D->value)) return false;
  double *towards = D->trial + D->n;
  for (int j = 0; j < D->n; j++) {
    towards[j] = D->from[j] + D->freedom[j] * D->step[j] - point[j];
    size = fmax(size, fabs(towards[j]) / fmax(fabs(point[j]), 1));
  }
  if (size < 1e-13) return false;

  /* halve the step until it brings the point closer */
  for (double part = 1; part > 1e-4; part /= 2) {
    for (int j = 0; j < D->n; j++) D->trial[j] = point[j] + part * towards[j];
    if (!project_point(D, D->trial) || !(length_of_move(D, D->trial) < here * (1 - 1e-14)))
      continue;
    memcpy(point, D->trial, (size_t)D->n * sizeof *point);
    return true;
  }
  return false;
}

ritt_status ritti_nearest_point(const ritti_branches *B, const ritti_numeric *N, int count,
                                const double *from, const double *freedom, double *point,
                                bool *reached) {
  descent D = {.B = B, .N = N, .count = count, .n = B->variables, .from = from, .freedom = freedom};
  RITTI_NEW_ARRAYS(B->arena, count + 1, D.value, D.size);
  RITTI_NEW(D.J, B->arena, count * D.n + 1);
  RITTI_NEW(D.step, B->arena, D.n + 1);
  RITTI_NEW(D.trial, B->arena, 2 * D.n + 1);
  RITTI_NEW(D.scratch, B->arena, ritti_least_norm_scratch(count, D.n) + 1);
  RITTI_NEW(D.iscratch, B->arena, count + D.n + 1);

  /* first onto the set, then along it */
  *reached = project_point(&D, point);
  for (int round = 0; *reached && round < MOST_ROUNDS && come_nearer(&D, point); round++) {}
  return RITT_OK;
}

ritt_status ritti_numeric_rank_at(const ritti_branches *B, const ritti_numeric *N, int count,
                                  const double *point, double tolerance, int *rank) {
  int n = B->variables;
  double *J, *size, *sigma, *scratch;
  RITTI_NEW(J, B->arena, count * n + 1);
  RITTI_NEW(size, B->arena, count + 1);
  RITTI_NEW(sigma, B->arena, n + count + 1);
  RITTI_NEW(scratch, B->arena, ritti_singular_values_scratch(count, n) + 1);
  *rank = -1;

  /* evaluate and scale the rows */
  if (!ritti_numeric_at(N, point, NULL, size, J)) return RITT_OK;
  for (int i = 0; i < count; i++)
    for (int j = 0; j < n; j++) J[i * n + j] /= size[i];

  /* count the singular values above the tolerance */
  if (!ritti_singular_values(count, n, J, sigma, NULL, scratch)) return RITT_OK;
  *rank = 0;
  for (int i = 0; i < (count < n ? count : n); i++) *rank += sigma[i] > tolerance;
  return RITT_OK;
}

/* ---- which components pass through the start ---- */

enum { STARTS = 5 }; /* guesses that are tried */
#define FAR   10.0   /* factor on the freedom of start values if other values choose the branch */
#define LOOSE 100.0  /* factor on the freedom of variables without a value */

/* The wanted point. */
typedef struct wanted {
  double *value, *freedom;
  bool *given;
  double *rounding; /* half a unit of the last digit of a fixed value */
} wanted;

/* Finds the value of an undifferentiated variable in a list. */
static const ritti_start_def *value_of(const ritti_start_def *list, int count, int variable) {
  for (int i = 0; i < count; i++)
    if (list[i].variable == variable && list[i].order == 0) return &list[i];
  return NULL;
}

/* The length of a move, in units of freedom. Variables without a value move freely, fixed values
 * only within their rounding. */
static double move_length(const wanted *W, int n, const double *point) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    double move = fabs(point[i] - W->value[i]);
    if (W->rounding[i] > 0 && move > W->rounding[i] * (1 + 1e-6) + 1e-13 * fabs(W->value[i]))
      return INFINITY;
    if (W->given[i] && !(W->rounding[i] > 0) && W->freedom[i] > 0)
      sum += move / W->freedom[i] * (move / W->freedom[i]);
  }
  return sqrt(sum);
}

/* Finds the closest point of a component, from several first guesses. */
static ritt_status locate_nearest(const ritti_branches *B, const wanted *W, ritti_component *c) {
  int n = B->variables;
  double *point;
  bool reached = false;
  ritti_numeric *N = NULL;
  RITTI_NEW_ARRAYS(B->arena, n + 1, point, c->nearest);
  ritt_status status = ritti_numeric_make(B, c->generator, c->generators, &N);
  c->reached = false;
  c->distance = INFINITY;

  /* try several guesses */
  for (int k = 0; k < STARTS && status == RITT_OK; k++) {
    for (int i = 0; i < n; i++) {
      double shift = fmod(0.6180339887498949 * (i + 1) * k, 1) * 4 - 2;
      point[i] = W->value[i] + (W->given[i] ? fmin(W->freedom[i], 1) * shift / 4 : shift);
    }
    if (k == 0) memcpy(point, W->value, (size_t)n * sizeof *point);
    status = ritti_nearest_point(B, N, c->generators, W->value, W->freedom, point, &reached);
    double length = reached ? move_length(W, n, point) : INFINITY;

    /* keep the closest point */
    if (!(length < c->distance)) continue;
    c->distance = length;
    c->reached = true;
    memcpy(c->nearest, point, (size_t)n * sizeof *point);
  }
  ritti_numeric_free(N);
  return status;
}

ritt_status ritti_branches_locate(ritti_branches *B, const ritti_start_def *through, int count) {
  wanted W = {0};
  B->point = count ? "the point of 'branch through'" : "the start point";

  /* Sets the wanted point and the freedom of each variable. */
  const ritti_model *model = B->model;
  int n = B->variables;
  RITTI_NEW_ARRAYS(B->arena, n + 1, W.value, W.freedom, W.given, W.rounding);

  /* a value of `branch through` comes before the start value */
  for (int i = 0; i < n; i++) {
    const ritti_start_def *own = value_of(through, count, B->variable[i]);
    const ritti_start_def *start = value_of(model->start, model->starts, B->variable[i]);
    const ritti_start_def *def = own ? own : start;
    double scale = model->variable[B->variable[i]].scale;

    /* the freedom depends on how firmly the value is given */
    W.given[i] = def != NULL;
    W.value[i] = def ? def->number : 0;
    W.freedom[i] = scale > 0 ? scale : 1;
    if (!def) W.freedom[i] *= LOOSE;
    else if (count && !own) W.freedom[i] *= FAR;
    else if (!count && start->fixed) W.freedom[i] = W.rounding[i] = def->half_unit;
  }

  for (int i = 0; i < B->components; i++) RITT_TRY(locate_nearest(B, &W, &B->component[i]));

  /* The closest component passes through the point, and so do others at the same distance. For
   * those up to `close` times as far the answer is open. */
  double close = count ? 1.25 : 2;
  double least = INFINITY;
  for (int i = 0; i < B->components; i++) least = fmin(least, B->component[i].distance);
  for (int i = 0; i < B->components; i++) {
    ritti_component *c = &B->component[i];
    c->through = RITTI_NO;
    if (!c->reached) continue;
    if (c->distance <= close * least + 1e-7) c->through = RITTI_OPEN;
    if (c->distance <= least * (1 + 1e-6) + 1e-9) c->through = RITTI_YES;
  }

  return RITT_OK;
}
