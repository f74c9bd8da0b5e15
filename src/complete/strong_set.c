/* Where grad U = 0, and whether M and U satisfy what smooth motion needs: conditions (2.2) and
 * (2.3) of Ch. Lubich (1992), decided in quadruple precision at a point of grad U = 0 near the
 * start values and at its neighbours.
 *
 *   (2.2)   M is symmetric and positive definite
 *   (2.3a)  grad U = 0 is a manifold near the point: of codimension m, the rank of the Hessian H
 * there, which therefore is the same at its neighbours (2.3b)  H is positive on a complement of its
 * tangent space; alpha is the least eigenvalue of H v = alpha M v except for zeros, and the vibrations
 * have frequencies of sqrt(alpha)/eps and above
 *
 * The rank is read off the pivots of a Cholesky factorisation with diagonal pivoting of H, scaled
 * by the diagonal of M: pivots beyond SMALL of the first count, those below NOTHING do not, and
 * between them the answer is "not clear".
 */
#include "complete/strong_impl.h"

enum { NEIGHBOURS = 3, MOST_STEPS = 100 };
static const ritti_quad NOTHING = 1e-18, SMALL = 1e-11;

/* ---- evaluation ---- */

ritt_status ritti_strong_parameters(const ritti_strong_system *S, ritti_quad **out) {
  const ritti_model *model = S->model;
  ritti_quad_values none = {0};
  RITTI_NEW(*out, S->arena, model->parameters + 1);
  for (int i = 0; i < model->parameters; i++) {
    ritti_quad_plan *plan;
    RITT_TRY(ritti_quad_plan_new(model->dag, &model->parameter[i].value, 1, &plan));
    ritti_quad_plan_evaluate(plan, &none, &(*out)[i], NULL);
    ritti_quad_plan_free(plan);
  }
  return RITT_OK;
}

typedef struct place_at {
  const ritti_quad *y, *v;
} place_at;

static ritti_quad jet_value(const void *context, int variable, int order) {
  const place_at *at = context;
  if (order == 0) return at->y[variable];
  return order == 1 && at->v ? at->v[variable] : (ritti_quad)NAN;
}

void ritti_strong_evaluate(const ritti_strong_values *values, double t, const ritti_quad *y,
                           const ritti_quad *v, ritti_quad *out) {
  place_at at = {y, v};
  ritti_quad_values leaves = {
      .independent = t, .jet = jet_value, .context = &at, .parameter = values->parameter};
  ritti_quad_plan_evaluate(values->plan, &leaves, out, NULL);
}

/* ---- dense matrices ---- */

bool ritti_quad_cholesky(int n, ritti_quad *a) {
  for (int j = 0; j < n; j++) {
    for (int i = j; i < n; i++) {
      ritti_quad sum = a[i * n + j];
      for (int k = 0; k < j; k++) sum -= a[i * n + k] * a[j * n + k];
      if (i == j && !(sum > 0)) return false;
      a[i * n + j] = i == j ? sqrtq(sum) : sum / a[j * n + j];
    }
  }
  return true;
}

void ritti_quad_cholesky_solve(int n, const ritti_quad *L, ritti_quad *x) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) x[i] -= L[i * n + k] * x[k];
    x[i] /= L[i * n + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) x[i] -= L[k * n + i] * x[k];
    x[i] /= L[i * n + i];
  }
}

void ritti_quad_dense(const ritti_pattern *p, const ritti_quad *entry, ritti_quad *out) {
  memset(out, 0, (size_t)p->rows * (size_t)p->cols * sizeof *out);
  for (int i = 0; i < p->rows; i++)
    for (int e = p->start[i]; e < p->start[i + 1]; e++) out[i * p->cols + p->col[e]] = entry[e];
}

/* ---- the search in progress ---- */

typedef struct search {
  ritti_strong_system *S;
  ritt_error *error;
  int n;
  ritti_strong_values values; /* grad U, H, M */
  ritti_quad *value, *g;      /* what they are at a point; g = its first n */
  ritti_quad *H, *M, *work;   /* n x n */
  ritti_quad *size;           /* n: sqrt of the diagonal of M */
  int *pivot;                 /* n: the order of the pivots */
} search;

static const char hint_follow[] =
    "correct the model, or write 'follow vibrations' below solve: then the equations "
    "are solved as they stand";

static ritt_status refuse_potential(const search *W, ritt_status status, const char *reason) {
  if (!reason) return RITT_NO_MEMORY;
  return ritti_fail(W->error, status, &W->S->model->strong_place, hint_follow, "%s", reason);
}

/* grad U, H and M at y; false: one has no value */
static bool evaluate_potential(search *W, const ritti_quad *y) {
  const ritti_strong_system *S = W->S;
  ritti_strong_evaluate(&W->values, S->model->start_x, y, NULL, W->value);
  for (size_t i = 0; i < W->values.count; i++)
    if (!(fabsq(W->value[i]) <= 1e300)) return false;
  ritti_quad_dense(&S->H.pattern, W->value + W->n, W->H);
  ritti_quad_dense(&S->M.pattern, W->value + W->n + ritti_entries(&S->H.pattern), W->M);
  return true;
}

static ritt_status set_up(search *W) {
  ritti_strong_system *S = W->S;
  size_t n = (size_t)W->n, h = ritti_entries(&S->H.pattern), m = ritti_entries(&S->M.pattern);
  ritti_expr *root;
  ritti_quad *parameter;
  W->values.count = n + h + m;
  RITTI_NEW(root, S->arena, W->values.count);
  RITTI_NEW(W->value, S->arena, W->values.count);
  RITTI_NEW(W->H, S->arena, n * n);
  RITTI_NEW(W->M, S->arena, n * n);
  RITTI_NEW(W->work, S->arena, n * n);
  RITTI_NEW(W->size, S->arena, n);
  RITTI_NEW(W->pivot, S->arena, n);
  RITTI_NEW(S->u, S->arena, n);
  W->g = W->value;
  memcpy(root, S->gradient, n * sizeof *root);
  if (h) memcpy(root + n, S->H.entry, h * sizeof *root);
  if (m) memcpy(root + n + h, S->M.entry, m * sizeof *root);
  RITT_TRY(ritti_strong_parameters(S, &parameter));
  W->values.parameter = parameter;
  return ritti_quad_plan_new(S->model->dag, root, W->values.count, &W->values.plan);
}

/* ---- (2.2) ---- */

static ritt_status check_mass(search *W) {
  const ritti_model *model = W->S->model;
  int n = W->n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      ritti_quad a = W->M[i * n + j], b = W->M[j * n + i];
      if (!(fabsq(a - b) <=
            1e-20 * (fabsq(a) + fabsq(b) + sqrtq(fabsq(W->M[i * n + i] * W->M[j * n + j])))))
        return refuse_potential(
            W, RITT_IMPOSSIBLE,
            ritti_arena_format(W->S->arena,
                               "the matrix M of the accelerations is not symmetric: '%s' in the "
                               "equation of '%s' has another factor than the other way round",
                               model->variable[j].name, model->variable[i].name));
    }
  memcpy(W->work, W->M, (size_t)n * (size_t)n * sizeof *W->M);
  if (!ritti_quad_cholesky(n, W->work))
    return refuse_potential(
        W, RITT_IMPOSSIBLE,
        "the matrix M of the accelerations is not positive definite at the start");
  for (int i = 0; i < n; i++) W->size[i] = sqrtq(W->M[i * n + i]);
  return RITT_OK;
}

/* ---- rank ---- */

typedef enum verdict { CLEAR, NOT_CLEAR, SADDLE } verdict;

static void swap_rows(int n, ritti_quad *a, int *pivot, int i, int j) {
  int p = pivot[i];
  pivot[i] = pivot[j], pivot[j] = p;
  for (int k = 0; k < n; k++) {
    ritti_quad x = a[i * n + k];
    a[i * n + k] = a[j * n + k], a[j * n + k] = x;
  }
  for (int k = 0; k < n; k++) {
    ritti_quad x = a[k * n + i];
    a[k * n + i] = a[k * n + j], a[k * n + j] = x;
  }
}

/* The rank of H, scaled; what is left of it once its pivots are eliminated must be nothing, or it
 * is not clear, or H is negative in some direction. The pivots come first in W->pivot. */
static verdict rank_of(search *W, int *rank) {
  int n = W->n, r = 0;
  ritti_quad *a = W->work, first = 0;
  for (int i = 0; i < n; i++) {
    W->pivot[i] = i;
    for (int j = 0; j < n; j++) a[i * n + j] = W->H[i * n + j] / (W->size[i] * W->size[j]);
    first = fmaxq(first, fabsq(a[i * n + i]));
  }
  ritti_quad all = first;
  for (int i = 0; i < n * n; i++) all = fmaxq(all, fabsq(a[i]));
  for (; r < n; r++) {
    int best = r;
    for (int i = r + 1; i < n; i++)
      if (a[i * n + i] > a[best * n + best]) best = i;
    if (!(a[best * n + best] > SMALL * all)) break;
    swap_rows(n, a, W->pivot, r, best);
    for (int i = r + 1; i < n; i++)
      for (int j = r + 1; j < n; j++) a[i * n + j] -= a[i * n + r] * a[r * n + j] / a[r * n + r];
  }
  *rank = r;
  ritti_quad left = 0, least = 0;
  for (int i = r; i < n; i++)
    for (int j = r; j < n; j++) {
      left = fmaxq(left, fabsq(a[i * n + j]));
      if (i == j) least = fminq(least, a[i * n + i]);
    }
  if (left <= NOTHING * all) return CLEAR;
  return -least > SMALL * all || left > 10 * SMALL * all ? SADDLE : NOT_CLEAR;
}

/* ---- a point of grad U = 0 ---- */

/* How far grad U is from 0, in units of forces at accelerations of 1. */
static ritti_quad force_misfit(const search *W) {
  ritti_quad sum = 0;
  for (int i = 0; i < W->n; i++) sum += W->g[i] * W->g[i] / (W->size[i] * W->size[i]);
  return sqrtq(sum);
}

/* (H + mu M) x = -g; false: not definite */
static bool damped_step(search *W, ritti_quad mu, ritti_quad *x) {
  int n = W->n;
  for (int i = 0; i < n * n; i++) W->work[i] = W->H[i] + mu * W->M[i];
  if (!ritti_quad_cholesky(n, W->work)) return false;
  for (int i = 0; i < n; i++) x[i] = -W->g[i];
  ritti_quad_cholesky_solve(n, W->work, x);
  return true;
}

/* Newton's method on grad U = 0, damped as grad U is, so that it moves across the set and not along
 * it. */
static ritt_status find_point(search *W, const ritti_quad *from, bool *found) {
  ritti_strong_system *S = W->S;
  int n = W->n;
  ritti_quad *x, *y, *u = S->u, before, largest = 0;
  RITTI_NEW(x, S->arena, n);
  RITTI_NEW(y, S->arena, n);
  memcpy(u, from, (size_t)n * sizeof *u);
  *found = evaluate_potential(W, u);
  if (!*found) return RITT_OK;
  before = force_misfit(W);
  for (int i = 0; i < n; i++)
    largest = fmaxq(largest, fabsq(W->H[i * n + i]) / (W->size[i] * W->size[i]));
  for (int step = 0; step < MOST_STEPS && before > 1e-31 * (1 + largest); step++) {
    ritti_quad mu = 2 * before + 1e-30 * largest;
    bool down = false;
    for (int more = 0; more < 40 && !down; more++, mu *= 4) {
      if (!damped_step(W, mu, x)) continue;
      for (int i = 0; i < n; i++) y[i] = u[i] + x[i];
      down = evaluate_potential(W, y) && force_misfit(W) < before;
      if (!down && !evaluate_potential(W, u)) return RITT_OK;
    }
    if (!down) break;
    memcpy(u, y, (size_t)n * sizeof *u);
    before = force_misfit(W);
  }
  *found = evaluate_potential(W, u) && before <= 1e-12 * (1 + largest);
  return RITT_OK;
}

/* ---- neighbours ---- */

/* From y, whose coordinates other than the pivots are kept, to grad U = 0 in the pivots' rows. */
static ritt_status solve_pivots(search *W, int m, const int *pivot, ritti_quad *y, bool *reached) {
  int n = W->n;
  ritti_quad *x, *block;
  RITTI_NEW(x, W->S->arena, m + 1);
  RITTI_NEW(block, W->S->arena, m * m + 1);
  *reached = false;
  for (int step = 0; step < 30 && !*reached; step++) {
    if (!evaluate_potential(W, y)) return RITT_OK;
    ritti_quad change = 0, size = 0;
    for (int i = 0; i < m; i++) {
      x[i] = -W->g[pivot[i]];
      for (int j = 0; j < m; j++) block[i * m + j] = W->H[pivot[i] * n + pivot[j]];
    }
    if (!ritti_quad_cholesky(m, block)) return RITT_OK;
    ritti_quad_cholesky_solve(m, block, x);
    for (int i = 0; i < m; i++) {
      y[pivot[i]] += x[i];
      change = fmaxq(change, fabsq(x[i])), size = fmaxq(size, fabsq(y[pivot[i]]));
    }
    *reached = change <= 1e-31 * (1 + size);
  }
  *reached = *reached && evaluate_potential(W, y);
  return RITT_OK;
}

/* Another point of the set, and the rank there. */
static ritt_status check_neighbour(search *W, int number) {
  ritti_strong_system *S = W->S;
  int n = W->n, m = S->m, rank, *pivot;
  ritti_quad *y;
  bool reached = false;
  RITTI_NEW(y, S->arena, n);
  RITTI_NEW(pivot, S->arena, n);
  memcpy(pivot, S->column, (size_t)m * sizeof *pivot);
  for (double far = 0.02; far > 1e-4 && !reached; far *= 0.2) {
    for (int i = 0; i < n; i++) {
      double scale = S->model->variable[i].scale;
      y[i] = S->u[i] + far * fmax(fabs((double)S->u[i]), scale > 0 ? scale : 1) *
                           ritti_quasi_random(i, number);
    }
    for (int i = 0; i < m; i++) y[pivot[i]] = S->u[pivot[i]];
    RITT_TRY(solve_pivots(W, m, pivot, y, &reached));
  }
  if (!reached)
    return refuse_potential(
        W, RITT_UNDECIDED,
        "could not decide whether grad U = 0 is a manifold (2.3a): no other point of it was found nearby");
  ritti_quad largest = 0;
  for (int i = 0; i < n; i++)
    largest = fmaxq(largest, fabsq(W->H[i * n + i]) / (W->size[i] * W->size[i]));
  ritti_quad miss = force_misfit(W);
  if (miss > 1e-10 * largest)
    return refuse_potential(
        W, RITT_IMPOSSIBLE,
        ritti_arena_format(
            S->arena,
            "grad U = 0 is not a manifold of codimension %d, the rank of the Hessian of U, near "
            "the start (2.3a): beside it grad U does not vanish",
            m));
  verdict v = rank_of(W, &rank);
  if (v == CLEAR && rank == m && miss <= 1e-20 * largest) return RITT_OK;
  if (v == CLEAR && rank != m)
    return refuse_potential(
        W, RITT_IMPOSSIBLE,
        ritti_arena_format(
            S->arena,
            "the Hessian of U has rank %d at the start and rank %d at another point of "
            "grad U = 0 nearby (2.3a)",
            m, rank));
  return refuse_potential(
      W, RITT_UNDECIDED,
      "could not decide which rank the Hessian of U has near the start (2.3a): its pivots leave no gap");
}

/* ---- (2.3b) ---- */

/* The extreme eigenvalues of W^T M^-1 W with H = W W^T, which are those of H v = alpha M v except for
 * zeros. */
static ritt_status find_alpha(search *W) {
  enum { TURNS = 300 };
  ritti_strong_system *S = W->S;
  int n = W->n, m = S->m;
  double *a, *x, *y;
  ritti_quad *L, *column;
  RITTI_NEW(a, S->arena, m * m + 1);
  RITTI_NEW(x, S->arena, m + 1);
  RITTI_NEW(y, S->arena, m + 1);
  RITTI_NEW(L, S->arena, m * m + 1);
  RITTI_NEW(column, S->arena, n * m + 1);
  /* with G^T = H[:, p] and K^-1 = H[p, p] = C C^T: W = G^T C^-T */
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) L[i * m + j] = W->H[S->column[i] * n + S->column[j]];
  memcpy(W->work, W->M, (size_t)n * (size_t)n * sizeof *W->M);
  if (!ritti_quad_cholesky(m, L) || !ritti_quad_cholesky(n, W->work)) return RITT_UNDECIDED;
  for (int i = 0; i < n; i++) /* rows of W: C w = H[p, i] */
    for (int j = 0; j < m; j++) {
      ritti_quad sum = W->H[i * n + S->column[j]];
      for (int k = 0; k < j; k++) sum -= L[j * m + k] * column[i * m + k];
      column[i * m + j] = sum / L[j * m + j];
    }
  for (int j = 0; j < m; j++) /* L_M^-1 W */
    for (int i = 0; i < n; i++) {
      ritti_quad sum = column[i * m + j];
      for (int k = 0; k < i; k++) sum -= W->work[i * n + k] * column[k * m + j];
      column[i * m + j] = sum / W->work[i * n + i];
    }
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      ritti_quad sum = 0;
      for (int k = 0; k < n; k++) sum += column[k * m + i] * column[k * m + j];
      L[i * m + j] = sum, a[i * m + j] = (double)sum;
    }
  /* powers of it, and of its inverse */
  if (!ritti_quad_cholesky(m, L)) return RITT_UNDECIDED;
  for (int inverse = 0; inverse < 2; inverse++) {
    double quotient = 0;
    for (int i = 0; i < m; i++) x[i] = 1.5 + ritti_quasi_random(i, 1);
    for (int turn = 0; turn < TURNS; turn++) {
      double norm = 0, product = 0;
      for (int i = 0; i < m; i++) {
        y[i] = 0;
        for (int j = 0; j < m && !inverse; j++) y[i] += a[i * m + j] * x[j];
      }
      for (int i = 0; i < m && inverse; i++) column[i] = x[i];
      if (inverse) ritti_quad_cholesky_solve(m, L, column);
      for (int i = 0; i < m && inverse; i++) y[i] = (double)column[i];
      for (int i = 0; i < m; i++) norm += x[i] * x[i], product += x[i] * y[i];
      quotient = product / norm;
      norm = 0;
      for (int i = 0; i < m; i++) norm += y[i] * y[i];
      for (int i = 0; i < m; i++) x[i] = y[i] / sqrt(norm);
    }
    if (inverse) S->least = 1 / quotient;
    else S->largest = quotient;
  }
  return RITT_OK;
}

static int rank_of_entry(const int *a, int n, int i) {
  int smaller = 0;
  for (int k = 0; k < n; k++) smaller += a[k] < a[i];
  return smaller;
}

static ritt_status take_rank(search *W) {
  ritti_strong_system *S = W->S;
  int rank, *column;
  verdict v = rank_of(W, &rank);
  if (v == SADDLE)
    return refuse_potential(
        W, RITT_IMPOSSIBLE,
        "U has no minimum where grad U = 0 near the start (2.3b): its Hessian is negative in some direction");
  if (v == NOT_CLEAR)
    return refuse_potential(
        W, RITT_UNDECIDED,
        "could not decide which rank the Hessian of U has where grad U = 0 near the start (2.3a): its pivots "
        "leave no gap");
  if (rank == 0)
    return refuse_potential(
        W, RITT_IMPOSSIBLE,
        "the Hessian of U vanishes where grad U = 0 near the start (2.3b): U is not strong in any direction");
  RITTI_NEW(column, S->arena, rank + 1);
  for (int i = 0; i < rank; i++) column[rank_of_entry(W->pivot, rank, i)] = W->pivot[i];
  S->m = rank;
  S->column = column;
  return find_alpha(W);
}

static ritt_status run_checks(search *W) {
  ritti_strong_system *S = W->S;
  const ritti_model *model = S->model;
  ritti_quad *from;
  bool found;
  RITTI_NEW(from, S->arena, W->n);
  for (int i = 0; i < model->starts; i++)
    if (model->start[i].order == 0) from[model->start[i].variable] = model->start[i].number;
  if (!evaluate_potential(W, from))
    return refuse_potential(
        W, RITT_UNDECIDED,
        "M or the derivatives of U have no value at the start values: smooth motion cannot be looked for");
  RITT_TRY(check_mass(W));
  RITT_TRY(find_point(W, from, &found));
  if (!found)
    return refuse_potential(
        W, RITT_UNDECIDED,
        "no point with grad U = 0 was found near the start values: there is no smooth motion to follow");
  RITT_TRY(check_mass(W));
  RITT_TRY(take_rank(W));
  for (int k = 0; k < NEIGHBOURS && S->m < S->n; k++) RITT_TRY(check_neighbour(W, k + 1));
  return RITT_OK;
}

ritt_status ritti_strong_check(ritti_strong_system *S, ritt_error *error) {
  search W = {.S = S, .error = error, .n = S->n};
  ritt_status status = set_up(&W);
  if (status == RITT_OK) status = run_checks(&W);
  ritti_quad_plan_free(W.values.plan);
  return status;
}
