/* The start of a smooth motion: Theorem 2.2 of Ch. Lubich (1992). With d = eps^2 the smooth
 * solution through a point (y^0, v^0) of the limit's tangent bundle is, formally, a double power
 * series
 *
 *    y(t) = sum y_kj d^k t^j,   d (M(y) y'' - f(t, y, y')) + grad U(t, y) = 0,
 *
 * whose coefficients are those of the systems (2.25.k). y_00 = y^0 and y_01 = v^0 are given; the
 * other y_k0 and y_k1 lie in the M(y^0)-orthogonal complement of the tangent space; start values
 * need them up to k = N.
 *
 * Order of things: the weight w = 2k + j. Let u and r be the coefficients of grad U and of M y'' -
 * f that the coefficients of lower weight give. The equation at d^k t^j, in the range of H, gives
 * the normal part of y_kj,
 *
 *    H y_kj = -u_kj - r_(k-1)j - (j+2)(j+1) M y_(k-1)(j+2),
 *
 * whose last coefficient has the same weight and a smaller k; the equation at d^(k+1) t^(j-2), on
 * the tangent space, gives the rest: z^T (j (j-1) M y_kj + r_k(j-2) + u_(k+1)(j-2)) = 0. Both
 * together are one system with the matrix [M G^T; G 0], G = m rows of H. Nothing of weight above 2N
 * + 1 is needed.
 *
 * Series in one variable suffice: along d = c s^2, t = s a coefficient of s^w is a polynomial in c
 * of degree w/2, known from its values at N + 1 numbers c. All in quadruple precision.
 */
#include "complete/strong_impl.h"
#include "expr/series.h"

enum { MOST = RITTI_SMOOTH_MOST, TERMS = 2 * MOST + 2 };

typedef struct smooth {
  ritti_strong_system *S;
  ritti_arena *arena;
  int n, m, N;
  ritti_quad *parameter;
  ritti_quad *y;             /* (N + 1) x TERMS x n: y_kj; beyond weight 2N + 1 zero */
  ritti_quad *M, *L, *G, *K; /* M and its factor; m rows of H; the factor of G M^-1 G^T */
  ritti_quad *MG;            /* n x m: M^-1 G^T */
  ritti_quad c;              /* the ray that is evaluated */
  ritti_quad node[MOST + 1]; /* the values of c */
  /* coefficient k of a polynomial = sum inverse[k][i] value at node i */
  ritti_quad inverse[MOST + 1][MOST + 1];
  ritti_quad_series_plan *plan; /* n roots grad U, n roots M y'' - f */
  ritti_quad *series[MOST + 1]; /* 2 n x terms, for each ray */
  int terms;
} smooth;

static ritti_quad *series_at(const smooth *W, int k, int j) {
  return W->y + ((size_t)k * TERMS + (size_t)j) * (size_t)W->n;
}

/* The jets of the series along the ray. */
static void jet_series(const void *context, int variable, int order, int terms, ritti_quad *out) {
  const smooth *W = context;
  for (int w = 0; w < terms; w++) {
    ritti_quad power = 1;
    out[w] = 0;
    for (int k = 0; k <= W->N && 2 * k <= w; k++, power *= W->c) {
      int j = w - 2 * k + order;
      ritti_quad factor = power;
      for (int o = 0; o < order; o++) factor *= j - o;
      if (j < TERMS) out[w] += factor * series_at(W, k, j)[variable];
    }
  }
}

static void evaluate_series(smooth *W, int terms) {
  ritti_quad_series_values values = {.independent = W->S->model->start_x,
                                     .jet = jet_series,
                                     .context = W,
                                     .parameter = W->parameter};
  W->terms = terms;
  for (int i = 0; i <= W->N; i++) {
    W->c = W->node[i];
    ritti_quad_series_plan_evaluate(W->plan, &values, terms, W->series[i]);
  }
}

/* out = the coefficients at d^k t^j of roots first .. first + n - 1; zero where k or j is negative
 */
static void take_coefficient(const smooth *W, int first, int k, int j, ritti_quad *out) {
  for (int l = 0; l < W->n; l++) {
    out[l] = 0;
    for (int i = 0; k >= 0 && j >= 0 && i <= W->N; i++)
      out[l] += W->inverse[k][i] * W->series[i][(first + l) * W->terms + 2 * k + j];
  }
}

/* The inverse of the Vandermonde matrix, column by column: Lagrange polynomials multiplied out. */
static void set_nodes(smooth *W) {
  int N = W->N;
  for (int i = 0; i <= N; i++) W->node[i] = (ritti_quad)(2 * i - N) / 2;
  for (int i = 0; i <= N; i++) {
    ritti_quad p[MOST + 2] = {1};
    for (int l = 0, degree = 0; l <= N; l++) {
      if (l == i) continue;
      ritti_quad scale = 1 / (W->node[i] - W->node[l]);
      degree++;
      for (int k = degree; k >= 0; k--) p[k] = scale * ((k ? p[k - 1] : 0) - W->node[l] * p[k]);
    }
    for (int k = 0; k <= N; k++) W->inverse[k][i] = p[k];
  }
}

/* ---- the linear systems ---- */

static void multiply_matrix(int rows, int cols, const ritti_quad *a, const ritti_quad *x,
                            ritti_quad *out) {
  for (int i = 0; i < rows; i++) {
    out[i] = 0;
    for (int j = 0; j < cols; j++) out[i] += a[i * cols + j] * x[j];
  }
}

/* y with M y + G^T lambda = a for some lambda, G y = b. a is overwritten. */
static void solve_motion(const smooth *W, ritti_quad *a, ritti_quad *b, ritti_quad *y) {
  int n = W->n, m = W->m;
  ritti_quad_cholesky_solve(n, W->L, a); /* M^-1 a */
  for (int k = 0; k < m; k++) {
    ritti_quad sum = b[k];
    for (int i = 0; i < n; i++) sum -= W->G[k * n + i] * a[i];
    b[k] = sum;
  }
  ritti_quad_cholesky_solve(m, W->K, b);
  for (int i = 0; i < n; i++) {
    y[i] = a[i];
    for (int k = 0; k < m; k++) y[i] += W->MG[i * m + k] * b[k];
  }
}

static ritt_status factor_matrices(smooth *W, const ritti_quad *H) {
  const ritti_strong_system *S = W->S;
  int n = W->n, m = W->m;
  ritti_quad *x;
  RITTI_NEW(x, W->arena, n);
  memcpy(W->L, W->M, (size_t)n * (size_t)n * sizeof *W->M);
  if (!ritti_quad_cholesky(n, W->L)) return RITT_UNDECIDED;
  for (int k = 0; k < m; k++) {
    memcpy(W->G + k * n, H + S->column[k] * n, (size_t)n * sizeof *H);
    memcpy(x, W->G + k * n, (size_t)n * sizeof *x);
    ritti_quad_cholesky_solve(n, W->L, x);
    for (int i = 0; i < n; i++) W->MG[i * m + k] = x[i];
  }
  for (int k = 0; k < m; k++)
    for (int l = 0; l < m; l++) {
      W->K[k * m + l] = 0;
      for (int i = 0; i < n; i++) W->K[k * m + l] += W->G[k * n + i] * W->MG[i * m + l];
    }
  return ritti_quad_cholesky(m, W->K) ? RITT_OK : RITT_UNDECIDED;
}

/* ---- the point of the limit, with all digits ---- */

static int coordinate_of(const ritti_reduced *R, int variable, int order) {
  const ritti_dag *dag = R->model->dag;
  for (int i = 1; i < R->m; i++)
    if (ritti_index_of(dag, R->coordinate[i]) == variable &&
        ritti_order_of(dag, R->coordinate[i]) == order)
      return i;
  return -1;
}

/* What was typed with '=' and kept is taken as typed. */
static ritt_status take_typed(smooth *W) {
  const ritti_model *model = W->S->model;
  for (int i = 0; i < model->starts; i++) {
    const ritti_start_def *s = &model->start[i];
    ritti_quad_plan *plan;
    ritti_quad value, *to = s->order <= 1 ? &series_at(W, 0, s->order)[s->variable] : NULL;
    if (!to || !s->fixed || s->expr == RITTI_NIL) continue;
    RITT_TRY(ritti_quad_plan_new(model->dag, &s->expr, 1, &plan));
    ritti_quad_values values = {.parameter = W->parameter};
    ritti_quad_plan_evaluate(plan, &values, &value, NULL);
    ritti_quad_plan_free(plan);
    if (fabsq(value - *to) <= 0x1p-50 * fabsq(value)) *to = value;
  }
  return RITT_OK;
}

/* grad U, then H and M at y_00 */
static ritt_status evaluate_potential(smooth *W, ritti_quad *g, ritti_quad *H) {
  const ritti_strong_system *S = W->S;
  size_t n = (size_t)W->n, h = ritti_entries(&S->H.pattern), mass = ritti_entries(&S->M.pattern);
  ritti_strong_values values = {.parameter = W->parameter, .count = n + h + mass};
  ritti_expr *root;
  ritti_quad *value;
  RITTI_NEW(root, W->arena, values.count);
  RITTI_NEW(value, W->arena, values.count);
  memcpy(root, S->gradient, n * sizeof *root);
  if (h) memcpy(root + n, S->H.entry, h * sizeof *root);
  if (mass) memcpy(root + n + h, S->M.entry, mass * sizeof *root);
  RITT_TRY(ritti_quad_plan_new(S->model->dag, root, values.count, &values.plan));
  ritti_strong_evaluate(&values, S->model->start_x, series_at(W, 0, 0), NULL, value);
  ritti_quad_plan_free(values.plan);
  memcpy(g, value, n * sizeof *g);
  ritti_quad_dense(&S->H.pattern, value + n, H);
  ritti_quad_dense(&S->M.pattern, value + n + h, W->M);
  return RITT_OK;
}

/* Newton's method on grad U = 0 from a point that is nearly there, then H v = 0; both by
 * M-orthogonal moves. */
static ritt_status refine_positions(smooth *W) {
  enum { STEPS = 4 };
  const ritti_strong_system *S = W->S;
  int n = W->n, m = W->m;
  ritti_quad *g, *H, *a, *b, *move, *y = series_at(W, 0, 0), *v = series_at(W, 0, 1);
  RITTI_NEW(g, W->arena, n);
  RITTI_NEW(H, W->arena, n * n);
  RITTI_NEW(a, W->arena, n);
  RITTI_NEW(b, W->arena, m);
  RITTI_NEW(move, W->arena, n);
  for (int step = 0; step < STEPS; step++) {
    RITT_TRY(evaluate_potential(W, g, H));
    RITT_TRY(factor_matrices(W, H));
    for (int i = 0; i < n; i++) a[i] = 0;
    for (int k = 0; k < m; k++) b[k] = -g[S->column[k]];
    solve_motion(W, a, b, move);
    for (int i = 0; i < n && step < STEPS - 1; i++) y[i] += move[i];
  }
  for (int i = 0; i < n; i++) a[i] = 0;
  multiply_matrix(m, n, W->G, v, b);
  for (int k = 0; k < m; k++) b[k] = -b[k];
  solve_motion(W, a, b, move);
  for (int i = 0; i < n; i++) v[i] += move[i];
  return RITT_OK;
}

/* ---- the expansion ---- */

static ritt_status make_plan(smooth *W) {
  const ritti_strong_system *S = W->S;
  ritti_dag *dag = S->model->dag;
  int n = W->n;
  ritti_expr *root, *terms;
  RITTI_NEW(root, W->arena, 2 * n);
  RITTI_NEW(terms, W->arena, n + 1);
  for (int i = 0; i < n; i++) {
    size_t count = 0;
    for (int e = S->M.pattern.start[i]; e < S->M.pattern.start[i + 1]; e++)
      terms[count++] = ritti_multiply(dag, S->M.entry[e], ritti_jet(dag, S->M.pattern.col[e], 2));
    terms[count++] = ritti_negate(dag, S->force[i]);
    root[i] = S->gradient[i];
    root[n + i] = ritti_sum(dag, terms, count);
  }
  RITT_TRY(ritti_dag_status(dag));
  for (int i = 0; i <= W->N; i++) RITTI_NEW(W->series[i], W->arena, 2 * n * TERMS);
  return ritti_quad_series_plan_new(dag, root, 2 * (size_t)n, 2 * W->N + 2, &W->plan);
}

static ritt_status expand_motion(smooth *W) {
  int n = W->n, m = W->m, N = W->N;
  ritti_quad *u, *r, *a, *b, *moved;
  RITTI_NEW(u, W->arena, n);
  RITTI_NEW(r, W->arena, n);
  RITTI_NEW(a, W->arena, n);
  RITTI_NEW(b, W->arena, m);
  RITTI_NEW(moved, W->arena, n);
  for (int w = 2; w <= 2 * N + 1; w++) {
    evaluate_series(W, w + 1);
    for (int k = 0; k <= N && 2 * k <= w; k++) {
      int j = w - 2 * k;
      /* the tangent space */
      take_coefficient(W, 0, k + 1, j - 2, u);
      take_coefficient(W, n, k, j - 2, r);
      for (int i = 0; i < n; i++) a[i] = j >= 2 ? -(u[i] + r[i]) / (j * (j - 1)) : 0;
      /* across it */
      take_coefficient(W, 0, k, j, u);
      take_coefficient(W, n, k - 1, j, r);
      if (k > 0) multiply_matrix(n, n, W->M, series_at(W, k - 1, j + 2), moved);
      for (int l = 0; l < m; l++) {
        int i = W->S->column[l];
        b[l] = -u[i] - r[i] - (k > 0 ? (j + 2) * (j + 1) * moved[i] : 0);
      }
      solve_motion(W, a, b, series_at(W, k, j));
    }
  }
  return RITT_OK;
}

/* ---- into the model ---- */

static ritt_status write_start(const smooth *W, ritti_model *out, double shift[2]) {
  const ritti_model *model = W->S->model;
  ritti_quad delta = W->parameter[model->strong_parameter] * W->parameter[model->strong_parameter];
  RITTI_NEW(out->start, W->arena, 2 * W->n);
  out->starts = 0;
  shift[0] = shift[1] = 0;
  for (int i = 0; i < W->n; i++)
    for (int order = 0; order < 2; order++) {
      ritti_quad sum = 0;
      for (int k = W->N; k >= 1; k--) sum = delta * (sum + series_at(W, k, order)[i]);
      shift[order] = fmax(shift[order], fabs((double)sum));
      sum += series_at(W, 0, order)[i];
      if (!(fabsq(sum) <= 1e300)) return RITT_UNDECIDED;
      ritti_start_def *s = &out->start[out->starts++];
      const char *name = ritti_jet_name(W->arena, model->variable[i].name, order);
      char shown[32];
      *s = (ritti_start_def){.variable = i,
                             .order = order,
                             .fixed = true,
                             .expr = ritti_exact_quad(model->dag, sum),
                             .number = (double)sum,
                             .place = model->start_place};
      s->text = ritti_arena_format(W->arena, "%s = %s", name ? name : "",
                                   ritti_shortest(s->number, shown));
      if (!s->text || !name) return RITT_NO_MEMORY;
    }
  return ritti_dag_status(model->dag);
}

static ritt_status find_smooth_start(smooth *W, const ritti_reduced *limit, ritti_model *out,
                                     double shift[2]) {
  int n = W->n, m = W->m;
  RITTI_NEW(W->y, W->arena, (size_t)(W->N + 1) * TERMS * (size_t)n);
  RITTI_NEW(W->M, W->arena, n * n);
  RITTI_NEW(W->L, W->arena, n * n);
  RITTI_NEW(W->G, W->arena, m * n);
  RITTI_NEW(W->MG, W->arena, m * n);
  RITTI_NEW(W->K, W->arena, m * m);
  for (int i = 0; i < n; i++)
    for (int order = 0; order < 2; order++) {
      int z = coordinate_of(limit, i, order);
      if (z < 0) return RITT_UNDECIDED;
      series_at(W, 0, order)[i] = limit->z[z];
    }
  RITT_TRY(ritti_strong_parameters(W->S, &W->parameter));
  RITT_TRY(take_typed(W));
  RITT_TRY(refine_positions(W));
  set_nodes(W);
  if (W->N > 0) {
    RITT_TRY(make_plan(W));
    RITT_TRY(expand_motion(W));
  }
  return write_start(W, out, shift);
}

ritt_status ritti_strong_start(ritti_strong_system *S, const ritti_reduced *limit, int order,
                               ritt_error *error, ritti_model **out, double shift[2]) {
  smooth W = {.S = S, .arena = S->arena, .n = S->n, .m = S->m, .N = order};
  RITTI_NEW(*out, S->arena, 1);
  **out = *S->model;
  ritt_status status = find_smooth_start(&W, limit, *out, shift);
  ritti_quad_series_plan_free(W.plan);
  if (status == RITT_UNDECIDED)
    return ritti_fail(
        error, status, &S->model->start_place, "give the start values themselves, without 'smooth'",
        "the expansion of the smooth start has no value: the functions of the model are not smooth there");
  return status;
}
