/* Nonlinear least squares with bounds by the method of Levenberg and Marquardt, and the factors of
 * confidence intervals.
 *
 * A robust loss rho replaces the square s of a residual over the scale: each residual and its
 * derivatives are multiplied by sqrt(rho'(s)), which gives the exact gradient of the cost. */
#include <float.h>
#include "derive/least_squares.h"

static const char *const losses[] = {"linear", "soft", "huber", "cauchy"};

int ritti_find_loss(const char *name) {
  for (int i = 0; i < (int)(sizeof losses / sizeof *losses); i++)
    if (!strcmp(name, losses[i])) return i;
  return -1;
}

/* rho(s) and rho'(s). */
static double loss_value(ritti_loss loss, double s, double *slope) {
  double root = sqrt(1 + s);
  switch (loss) {
  case RITTI_LOSS_SOFT: *slope = 1 / root; return 2 * (root - 1);
  case RITTI_LOSS_HUBER: *slope = s <= 1 ? 1 : 1 / sqrt(s); return s <= 1 ? s : 2 * sqrt(s) - 1;
  case RITTI_LOSS_CAUCHY: *slope = 1 / (1 + s); return log1p(s);
  default: *slope = 1; return s;
  }
}

/* Residuals and their derivatives at a point, multiplied by the factors of the loss. */
typedef struct place {
  double *x, *residual, *slope;
  double cost;
} place;

/* Evaluates the residuals. RITT_RETRY: there are none at this point. */
static ritt_status evaluate_at(const ritti_least_squares *q, place *p) {
  double sum = 0;
  RITT_TRY(q->evaluate(q->user, p->x, p->residual, p->slope));
  for (int i = 0; i < q->rows; i++) {
    double ratio = p->residual[i] / q->scale, factor;
    double loss = loss_value(q->loss, ratio * ratio, &factor);
    sum += loss;
    factor = sqrt(factor);
    p->residual[i] *= factor;
    for (int j = 0; j < q->unknowns; j++) p->slope[(size_t)i * (size_t)q->unknowns + j] *= factor;
  }
  p->cost = q->scale * q->scale * sum / 2;
  return isfinite(p->cost) ? RITT_OK : RITT_RETRY;
}

static ritt_status make_place(const ritti_least_squares *q, ritti_arena *arena, place *p) {
  RITTI_NEW(p->x, arena, q->unknowns + 1);
  RITTI_NEW(p->residual, arena, q->rows + 1);
  RITTI_NEW(p->slope, arena, (size_t)q->rows * (size_t)q->unknowns + 1);
  return RITT_OK;
}

/* The linear systems of the steps. */
typedef struct system {
  int *free_unknown, count; /* unknowns that may move */
  double *size;             /* unknowns: norms of the columns */
  double *matrix, *right, *step, *scratch;
  int *pivot;
} step_system;

static ritt_status make_system(const ritti_least_squares *q, ritti_arena *arena, step_system *s) {
  int rows = q->rows + q->unknowns;
  RITTI_NEW_ARRAYS(arena, q->unknowns + 1, s->free_unknown, s->size, s->step);
  RITTI_NEW(s->matrix, arena, (size_t)rows * (size_t)q->unknowns + 1);
  RITTI_NEW(s->right, arena, rows + 1);
  RITTI_NEW(s->scratch, arena, ritti_least_norm_scratch(rows, q->unknowns));
  RITTI_NEW(s->pivot, arena, rows + q->unknowns + 1);
  return RITT_OK;
}

/* Finds the unknowns that may move: not those at a bound beyond which the cost would fall. */
static void find_free_unknowns(const ritti_least_squares *q, const place *p, step_system *s) {
  int n = q->unknowns;
  s->count = 0;
  for (int j = 0; j < n; j++) {
    double gradient = 0, square = 0;
    for (int i = 0; i < q->rows; i++) {
      double entry = p->slope[(size_t)i * (size_t)n + j];
      gradient += entry * p->residual[i];
      square += entry * entry;
    }
    bool pressed =
        (p->x[j] <= q->low[j] && gradient > 0) || (p->x[j] >= q->high[j] && gradient < 0);
    if (pressed) continue;
    s->size[s->count] = square > 0 ? sqrt(square) : 1;
    s->free_unknown[s->count++] = j;
  }
}

/* The damped step from `from`, cut off at the bounds, gives the x of `to`. Returns its largest change
 * relative to the values; negative: the system has no solution. */
static double take_step(const ritti_least_squares *q, const place *from, double damping,
                        step_system *s, place *to) {
  int n = s->count, rows = q->rows + n;
  double change = 0;
  memset(s->matrix, 0, (size_t)rows * (size_t)n * sizeof *s->matrix);
  memset(s->right, 0, (size_t)rows * sizeof *s->right);
  for (int i = 0; i < q->rows; i++) {
    s->right[i] = -from->residual[i];
    for (int j = 0; j < n; j++)
      s->matrix[(size_t)i * (size_t)n + j] =
          from->slope[(size_t)i * (size_t)q->unknowns + s->free_unknown[j]] / s->size[j];
  }
  for (int j = 0; j < n; j++) s->matrix[(size_t)(q->rows + j) * (size_t)n + j] = sqrt(damping);
  if (ritti_least_norm(rows, n, s->matrix, s->right, 1e-14, s->step, s->scratch, s->pivot) < 0)
    return -1;
  memcpy(to->x, from->x, (size_t)q->unknowns * sizeof *to->x);
  for (int j = 0; j < n; j++) {
    int u = s->free_unknown[j];
    to->x[u] = fmin(fmax(from->x[u] + s->step[j] / s->size[j], q->low[u]), q->high[u]);
    change = fmax(change, fabs(to->x[u] - from->x[u]) / (fabs(from->x[u]) + DBL_MIN));
  }
  return change;
}

ritt_status ritti_least_squares_solve(const ritti_least_squares *q, ritti_arena *arena, double *x,
                                      ritti_least_squares_result *out) {
  enum { SHORTER = 30 };
  place here = {0}, there = {0};
  step_system s = {0};
  double damping = 1e-3;
  RITT_TRY(make_place(q, arena, &here));
  RITT_TRY(make_place(q, arena, &there));
  RITT_TRY(make_system(q, arena, &s));
  memcpy(here.x, x, (size_t)q->unknowns * sizeof *x);
  RITT_TRY(evaluate_at(q, &here));
  *out = (ritti_least_squares_result){0};

  while (out->iterations < q->most_iterations && !out->converged) {
    double change = 0;
    bool better = false;
    out->iterations++;
    find_free_unknowns(q, &here, &s);
    if (s.count == 0) out->converged = true;
    for (int i = 0; i < SHORTER && s.count > 0 && !better; i++) {
      change = take_step(q, &here, damping, &s, &there);
      if (change < 0) return RITT_RETRY;
      if (change <= 1e-14) {
        out->converged = true;
        break;
      }
      ritt_status status = evaluate_at(q, &there);
      if (status != RITT_OK && status != RITT_RETRY) return status;
      better = status == RITT_OK && there.cost < here.cost;
      if (!better) damping = fmax(10 * damping, 1e-8);
    }

    /* no shorter step is better: rounding decides */
    if (!better) {
      out->converged = true;
      break;
    }
    double gain = (here.cost - there.cost) / (here.cost + DBL_MIN);
    place before = here;
    here = there;
    there = before;
    damping /= 10;
    if (gain < 1e-14 || change < 1e-12) out->converged = true;
  }
  memcpy(x, here.x, (size_t)q->unknowns * sizeof *x);
  out->cost = here.cost;
  out->residual = here.residual;
  out->slope = here.slope;
  return RITT_OK;
}

/* ---- intervals ---- */

ritt_status ritti_covariance(int rows, int n, const double *slope, double variance,
                             ritti_arena *arena, double *out) {
  double *matrix, *sigma, *v, *size, *scratch;
  if (n == 0) return RITT_OK;
  int tall = rows < n ? n : rows; /* rows of zeros change nothing */
  RITTI_NEW(matrix, arena, (size_t)tall * (size_t)n);
  RITTI_NEW_ARRAYS(arena, n, sigma, size);
  RITTI_NEW(v, arena, n * n);
  RITTI_NEW(scratch, arena, ritti_singular_values_scratch(tall, n));
  for (int j = 0; j < n; j++) {
    double square = 0;
    for (int i = 0; i < rows; i++)
      square += slope[(size_t)i * (size_t)n + j] * slope[(size_t)i * (size_t)n + j];
    size[j] = square > 0 ? sqrt(square) : 1;
    for (int i = 0; i < rows; i++)
      matrix[(size_t)i * (size_t)n + j] = slope[(size_t)i * (size_t)n + j] / size[j];
  }
  if (!ritti_singular_values(tall, n, matrix, sigma, v, scratch)) return RITT_RETRY;

  /* directions that the data do not determine have an infinite variance */
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++) {
        double product = v[k * n + i] * v[k * n + j];
        bool determined = sigma[k] > 1e-10 * sigma[0] && sigma[k] > 0;
        if (determined) sum += product / (sigma[k] * sigma[k]);
        else if (fabs(product) > 1e-8) sum = INFINITY;
      }
      out[i * n + j] = variance * sum / (size[i] * size[j]);
    }
  return RITT_OK;
}

/* P(|t| < factor) of Student's distribution: Abramowitz and Stegun, 26.7.3 and 26.7.4. */
static double student_inside(double factor, long degrees) {
  double angle = atan(factor / sqrt((double)degrees)), s = sin(angle), c = cos(angle);
  bool odd = degrees % 2 == 1;
  double term = odd ? c : 1, total = 0;
  for (long k = odd ? 3 : 2; k <= degrees; k += 2) {
    total += term;
    term *= c * c * (double)(k - 1) / (double)k;
  }
  return odd ? 2 / 3.14159265358979323846 * (angle + s * total) : s * total;
}

double ritti_student_factor(double confidence, long degrees) {
  enum { HALVINGS = 200 };
  double low = 0, high = 1;
  while (student_inside(high, degrees) < confidence && high < 1e12) high *= 2;
  for (int i = 0; i < HALVINGS; i++) {
    double middle = (low + high) / 2;
    if (student_inside(middle, degrees) < confidence) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
