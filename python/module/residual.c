/* Problems in residual form: F(t, y, y') = 0 with n equations, some of which may be algebraic.
 *
 * At the start Python finds a basis (R | N) of the space of y: dF/dy' N = 0. With y = R x + N w only
 * x is integrated. Its derivative and w solve F(t, R x + N w, R x') = 0, which determines them if the
 * index is at most 1: the matrix (dF/dy' R | dF/dy N) is regular. They are found by Newton's method
 * with a matrix that is kept while it converges fast. The rate of convergence is measured now and
 * then; it tells the error after the first correction, so that most values cost one call of F.
 */
#include <math.h>
#include "module.h"

enum { MOST_ITERATIONS = 12, MOST_UNMEASURED = 8, MOST_MATRICES = 3 };

/* Relative. Implicit methods take differences of x', so it is exact up to rounding. */
static const double ACCURACY = 1e-14;
static const double LEAST_PART = 1e-3;

struct python_residual {
  int n, r;        /* equations; coordinates */
  double *basis;   /* n x n, row by row: R | N */
  double *factors; /* of the Newton matrix, n x n */
  int *pivot;
  bool factored;
  bool stale;     /* converges slowly: make the matrix again */
  bool near;      /* the last iteration ended near a solution, but not on it */
  double rate;    /* of convergence when it was last measured; 1: not yet with this matrix */
  int unmeasured; /* solutions since then */
  double *last;   /* the last solution (x', w), */
  double *x, t;   /* and where it was found */
  bool solved;    /* there is one */
  double *q, *y, *yp, *F, *G;
  double *derivatives; /* dF/dy and dF/dy', each n x n */
};

void python_residual_free(python_residual *s) {
  if (!s) return;
  free(s->basis);
  free(s->pivot);
  free(s);
}

python_residual *python_residual_new(int n, int r, const double *basis, const double *guess) {
  python_residual *s = calloc(1, sizeof *s);
  size_t square = (size_t)n * (size_t)n;
  double *memory = calloc(4 * square + 7 * (size_t)n + 1, sizeof *memory);
  int *pivot = calloc((size_t)n + 1, sizeof *pivot);
  if (!s || !memory || !pivot) {
    free(s);
    free(memory);
    free(pivot);
    return NULL;
  }
  *s = (python_residual){.n = n, .r = r, .basis = memory, .pivot = pivot};
  s->factors = s->basis + square;
  s->derivatives = s->factors + square;
  s->last = s->derivatives + 2 * square;
  s->q = s->last + n;
  s->y = s->q + n;
  s->yp = s->y + n;
  s->F = s->yp + n;
  s->G = s->F + n;
  s->x = s->G + n;
  memcpy(s->basis, basis, square * sizeof *basis);
  memcpy(s->last, guess, (size_t)n * sizeof *guess);
  return s;
}

/* y = R x + N w and y' = R x', with q = (x', w). */
static void set_point(python_residual *s, const double *x, const double *q) {
  for (int i = 0; i < s->n; i++) {
    const double *row = s->basis + i * s->n;
    double y = 0, yp = 0;
    for (int j = 0; j < s->r; j++) {
      y += row[j] * x[j];
      yp += row[j] * q[j];
    }
    for (int j = s->r; j < s->n; j++) y += row[j] * q[j];
    s->y[i] = y;
    s->yp[i] = yp;
  }
}

/* Replaces a by its LU factors. Returns false if it is singular. */
static bool factor_matrix(int n, double *a, int *pivot) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
    if (!(fabs(a[best * n + k]) > 0) || !isfinite(a[best * n + k])) return false;
    pivot[k] = best;
    for (int j = 0; j < n && best != k; j++) {
      double swap = a[k * n + j];
      a[k * n + j] = a[best * n + j];
      a[best * n + j] = swap;
    }
    for (int i = k + 1; i < n; i++) {
      double factor = a[i * n + k] /= a[k * n + k];
      for (int j = k + 1; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return true;
}

static void solve_factored(int n, const double *a, const int *pivot, double *b) {
  for (int k = 0; k < n; k++) {
    double swap = b[k];
    b[k] = b[pivot[k]];
    b[pivot[k]] = swap;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) b[i] -= a[i * n + j] * b[j];
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) b[i] -= a[i * n + j] * b[j];
    b[i] /= a[i * n + i];
  }
}

static ritt_status evaluate_residual(python_problem *p, double t, double *out) {
  python_residual *s = p->residual;
  return python_problem_call(p, p->formula, t, s->y, s->yp, out, s->n);
}

/* The matrix at (x, q) by the caller's derivatives. */
static ritt_status compute_matrix(python_problem *p, double t) {
  python_residual *s = p->residual;
  int n = s->n;
  const double *by_y = s->derivatives, *by_yp = by_y + n * n;
  ritt_status status =
      python_problem_call(p, p->jac, t, s->y, s->yp, s->derivatives, 2 * (Py_ssize_t)n * n);
  if (status != RITT_OK) return status;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const double *row = (j < s->r ? by_yp : by_y) + i * n;
      double sum = 0;
      for (int k = 0; k < n; k++) sum += row[k] * s->basis[k * n + j];
      s->factors[i * n + j] = sum;
    }
  return RITT_OK;
}

/* The matrix at (x, q) by differences of F, which is evaluated there. */
static ritt_status estimate_matrix(python_problem *p, double t, const double *x, const double *q) {
  python_residual *s = p->residual;
  int n = s->n;
  for (int j = 0; j < n; j++) {
    double h = 1e-5 * (fabs(q[j]) > 1e-2 ? fabs(q[j]) : 1e-2);
    double *moved = j < s->r ? s->yp : s->y;
    for (int i = 0; i < n; i++) moved[i] += h * s->basis[i * n + j];
    ritt_status status = evaluate_residual(p, t, s->G);
    if (status != RITT_OK) return status;
    for (int i = 0; i < n; i++) s->factors[i * n + j] = (s->G[i] - s->F[i]) / h;
    set_point(s, x, q);
  }
  return RITT_OK;
}

/* Makes and factors the matrix at (x, q). F is evaluated there. */
static ritt_status make_matrix(python_problem *p, double t, const double *x, const double *q) {
  python_residual *s = p->residual;
  set_point(s, x, q);
  ritt_status status = evaluate_residual(p, t, s->F);
  if (status == RITT_OK) status = p->jac ? compute_matrix(p, t) : estimate_matrix(p, t, x, q);
  if (status != RITT_OK) return status;
  s->stale = false;
  s->rate = 1;
  s->factored = factor_matrix(s->n, s->factors, s->pivot);
  return s->factored ? RITT_OK : RITT_RETRY;
}

/* Newton's method from q. known: F is evaluated there. */
static ritt_status iterate_newton(python_problem *p, double t, const double *x, double *q,
                                  bool known) {
  python_residual *s = p->residual;
  double before = 0;
  s->near = false;
  for (int k = 0; k < MOST_ITERATIONS; k++) {
    set_point(s, x, q);
    ritt_status status = known && k == 0 ? RITT_OK : evaluate_residual(p, t, s->F);

    if (status != RITT_OK) return status;
    solve_factored(s->n, s->factors, s->pivot, s->F);

    /* sizes of the correction, relative to the largest derivative and the largest value of w, which
     * is no smaller than a part of y: rounding errors of F are those of its terms */
    double size[2] = {0}, step[2] = {0}, change = 0;
    for (int i = 0; i < s->n; i++) size[1] = fmax(size[1], LEAST_PART * fabs(s->y[i]));
    for (int i = 0; i < s->n; i++) {
      int part = i >= s->r;
      q[i] -= s->F[i];
      size[part] = fmax(size[part], fabs(q[i]));
      step[part] = fmax(step[part], fabs(s->F[i]));
      if (!isfinite(q[i])) return RITT_RETRY;
    }
    for (int part = 0; part < 2; part++)
      if (step[part] > 0) change = fmax(change, step[part] / (size[part] + 1e-30));

    /* the error that is left follows from the rate */
    if (change <= 1e-15) return RITT_OK;
    if (k == 0 && s->unmeasured < MOST_UNMEASURED && s->rate * change <= ACCURACY) {
      s->unmeasured++;
      return RITT_OK;
    }
    double rate = k ? change / before : 1;
    if (k == 1) {
      s->rate = fmax(rate, 1e-9);
      s->unmeasured = 0;
    }
    if (rate < 0.5 && rate * change <= ACCURACY) return RITT_OK;
    if (k > 1 && rate > 0.9) return change <= 1e-12 ? RITT_OK : RITT_RETRY;
    before = change;
  }
  s->near = before < 0.01;
  return RITT_RETRY;
}

/* Is the last iterate a number in every entry? */
static bool is_finite(const python_residual *s) {
  for (int i = 0; i < s->n; i++)
    if (!isfinite(s->q[i])) return false;
  return true;
}

ritt_status python_residual_solve(python_problem *p, double t, const double *x) {
  python_residual *s = p->residual;
  size_t bytes = (size_t)s->n * sizeof *s->q, coordinates = (size_t)s->r * sizeof *x;
  bool fresh = !s->factored || s->stale;
  memcpy(s->q, s->last, bytes);
  if (s->solved && t == s->t && !memcmp(x, s->x, coordinates)) {
    set_point(s, x, s->q);
    return RITT_OK;
  }
  if (fresh) {
    ritt_status status = make_matrix(p, t, x, s->q);
    if (status != RITT_OK) return status;
  }
  ritt_status status = iterate_newton(p, t, x, s->q, fresh);

  /* again with another matrix, of the point where the iteration ended if that is near the solution */
  if (status == RITT_RETRY && (!fresh || s->near)) {
    if (!s->near) memcpy(s->q, s->last, bytes);
    status = make_matrix(p, t, x, s->q);
    if (status == RITT_OK) status = iterate_newton(p, t, x, s->q, true);
  }
  /* far from the solution the matrix is poor: make it again where the iteration has come to */
  for (int tries = 0; status == RITT_RETRY && tries < MOST_MATRICES && is_finite(s); tries++) {
    status = make_matrix(p, t, x, s->q);
    if (status != RITT_OK) return status;
    status = iterate_newton(p, t, x, s->q, true);
  }
  if (status != RITT_OK) return status;
  s->stale = s->rate > 0.3 && s->rate < 1;
  s->solved = true;
  s->t = t;
  memcpy(s->x, x, coordinates);
  memcpy(s->last, s->q, bytes);
  set_point(s, x, s->q);
  return RITT_OK;
}

ritt_status python_residual_check(python_problem *p, double t, const double *x) {
  python_residual *s = p->residual;
  if (s->r == s->n) return RITT_OK;
  ritt_status status = python_residual_solve(p, t, x);
  if (status == RITT_OK) status = evaluate_residual(p, t, s->F);

  /* moves y' along R, for the size of its influence, then along N; the weights avoid cancellation */
  double change[2] = {0};
  for (int part = 0; part < 2 && status == RITT_OK; part++) {
    set_point(s, x, s->q);
    for (int j = part ? s->r : 0; j < (part ? s->n : s->r); j++)
      for (int i = 0; i < s->n; i++) s->yp[i] += (1 + 0.37 * j) * s->basis[i * s->n + j];
    status = evaluate_residual(p, t, s->G);
    for (int i = 0; i < s->n; i++) change[part] = fmax(change[part], fabs(s->G[i] - s->F[i]));
  }
  set_point(s, x, s->q);
  if (status != RITT_OK || change[1] <= 1e-6 * change[0]) return status;
  return python_problem_fail(
      p,
      "the rank or the null space of dF/dy' changes before t = %g: write the "
      "equations as a model, which may have any index",
      t);
}

const double *python_residual_derivative(const python_residual *s) { return s->q; }
const double *python_residual_point(const python_residual *s) { return s->y; }
