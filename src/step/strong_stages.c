/* The stages of a step with a strong potential, and the iteration (8.5)-(8.8) for them.
 *
 * In: the start of the step, guesses of W = Y'' and of the multipliers L. Out: residuals of (8.6)
 * and the changes of W and L by the matrix (8.8), in blocks: with A^2 = T diag(mu) T^-1 one m x m
 * system for each eigenvalue,
 *
 *     (mu S + (eps/h)^2 E) dL = sigma + mu H_row M^-1 rho,   dW = M^-1 (rho - G^T dL),
 *     S = H_row M^-1 G^T,
 *
 * rho and sigma the residuals of both parts; M is factored once. The second part of (8.6) is taken
 * times E: so no E has to be inverted at the stages, and eps = 0 is the constrained system (2.25.0)
 * in its index-3 form.
 *
 * Rounding: positions are known to RITTI_EPS, so that grad U / eps^2 is not known at all for small
 * eps, and is not used. L is an unknown of its own; what rounding does to it, and to W, is of size
 * RITTI_EPS / h^2. r of (8.7) is the part of grad U / eps^2 outside the range of H. Both terms of
 * it are taken of the same value of grad U, so that what rounding of the positions does to it
 * cancels; what rounding leaves otherwise is measured once, and r below that is not used.
 */
#include "step/strong_impl.h"

/* columns are chosen again where the others are larger multiples of them */
static const ritt_real POOR = 2;
/* parts of L by which it may miss grad U / eps^2 when r is taken */
static const ritt_real RIPE = (ritt_real)0.1;

static int blocks(const ritti_collocation *C) { return C->reals + C->pairs; }
static bool extra_block(const ritti_collocation *C) { return C->reals == 0; }

/* ---- setting up ---- */

static void set_squares(ritti_strong_stages *T) {
  const ritti_collocation *C = T->C;
  int s = C->s;
  for (int i = 0; i < s; i++)
    for (int k = 0; k < s; k++) {
      T->square[i * s + k] = 0;
      for (int j = 0; j < s; j++) T->square[i * s + k] += C->a[i * s + j] * C->a[j * s + k];
    }
  for (int i = 0; i < C->reals; i++) T->mu[i] = 1 / (C->gamma[i] * C->gamma[i]);
  for (int i = C->reals; i < s; i += 2) {
    /* 1 / (alpha + i beta)^2 */
    ritt_real alpha = C->gamma[i], beta = C->gamma[i + 1], size = alpha * alpha + beta * beta;
    T->mu[i] = (alpha * alpha - beta * beta) / (size * size);
    T->mu[i + 1] = -2 * alpha * beta / (size * size);
  }
}

static ritt_status make_point(const ritti_strong_stages *T, ritti_strong_point *p,
                              ritti_arena *arena) {
  RITTI_NEW(p->z, arena, T->problem->m);
  RITTI_NEW(p->M, arena, ritti_entries(&T->strong->M) + 1);
  RITTI_NEW(p->H, arena, ritti_entries(&T->strong->H) + 1);
  RITTI_NEW_ARRAYS(arena, T->n, p->f, p->g);
  return RITT_OK;
}

ritt_status ritti_strong_stages_init(ritti_strong_stages *T, const ritti_problem *p,
                                     const ritti_collocation *C, ritti_algebra algebra,
                                     ritti_arena *arena) {
  const ritti_strong *strong = p->strong;
  size_t n = (size_t)strong->n, m = (size_t)strong->m, s = (size_t)C->s;
  *T = (ritti_strong_stages){
      .problem = p, .strong = strong, .C = C, .n = strong->n, .m = strong->m, .s = C->s};
  T->noise = -1;
  set_squares(T);
  RITT_TRY(make_point(T, &T->start, arena));
  RITT_TRY(make_point(T, &T->at, arena));
  RITTI_NEW_ARRAYS(arena, m, T->column, T->row);
  RITTI_NEW_ARRAYS(arena, n, T->place, T->x, T->y, T->v);
  RITTI_NEW_ARRAYS(arena, s * n, T->W, T->r, T->dW);
  RITTI_NEW_ARRAYS(arena, s * m, T->L, T->dL, T->q);
  RITTI_NEW(T->H, arena, ritti_entries(&strong->H) + 1);
  RITTI_NEW(T->X, arena, n * m);
  RITTI_NEW_ARRAYS(arena, m * m, T->S, T->E);
  RITTI_NEW(T->lu, arena, (size_t)(blocks(C) + 1) * 4 * m * m);
  RITTI_NEW(T->pivot, arena, (size_t)(blocks(C) + 1) * 2 * m);
  RITTI_NEW(T->hat, arena,
            (s + 2) * m); /* pivots of a state are bound by 2m, those of a real block by m */
  RITTI_NEW(T->inner, arena, m * m);
  RITTI_NEW(T->inner_pivot, arena, m);
  memcpy(T->column, strong->column, m * sizeof *T->column);
  memcpy(T->row, strong->row, m * sizeof *T->row);
  return ritti_linear_init(&T->mass, RITTI_SYMMETRIC, &strong->M, strong->n, algebra, arena);
}

/* ---- points ---- */

ritt_status ritti_strong_visit(const ritti_strong_stages *T, ritti_stepper *step,
                               ritti_strong_point *p) {
  const ritti_strong *strong = T->strong;
  const void *data = T->problem->data;
  ritt_real *work = step->direction->work;
  step->direction->evaluations++;
  RITT_TRY(strong->mass(data, work, p->z, p->M));
  RITT_TRY(strong->force(data, work, p->z, p->f));
  RITT_TRY(strong->gradient(data, work, p->z, p->g));
  return strong->hessian(data, work, p->z, p->H);
}

void ritti_strong_put(const ritti_strong_stages *T, const ritti_stepper *step, int i,
                      ritti_strong_point *p) {
  const ritti_strong *strong = T->strong;
  const ritt_real h = T->h;
  int n = T->n, s = T->s;
  memcpy(p->z, step->z, (size_t)T->problem->m * sizeof *p->z);
  p->z[0] += T->C->c[i] * h;
  for (int l = 0; l < n; l++) {
    ritt_real twice = 0, once = 0, *y = p->z + strong->position[l], *v = p->z + strong->velocity[l];
    for (int k = 0; k < s; k++) {
      twice += T->square[i * s + k] * T->W[k * n + l];
      once += T->C->a[i * s + k] * T->W[k * n + l];
    }
    *y += h * (T->C->c[i] * *v + h * twice);
    *v += h * once;
  }
}

void ritti_strong_force(const ritti_strong_stages *T, const ritti_strong_point *p,
                        const ritt_real *l, ritt_real *out) {
  for (int i = 0; i < T->n; i++) T->v[i] = 0;
  for (int j = 0; j < T->m; j++) T->v[T->column[j]] = l[j];
  ritti_csr_times(&T->strong->H, p->H, T->v, out);
}

/* out = H_row u */
static void rows_times(const ritti_strong_stages *T, const ritt_real *H, const ritt_real *u,
                       ritt_real *out) {
  const ritti_pattern *p = &T->strong->H;
  for (int j = 0; j < T->m; j++) {
    out[j] = 0;
    for (int e = p->start[T->row[j]]; e < p->start[T->row[j] + 1]; e++)
      out[j] += H[e] * u[p->col[e]];
  }
}

/* out = E */
static void put_block(const ritti_strong_stages *T, const ritt_real *H, ritt_real *out) {
  const ritti_pattern *p = &T->strong->H;
  int m = T->m;
  for (int j = 0; j < T->n; j++) T->place[j] = -1;
  for (int j = 0; j < m; j++) T->place[T->column[j]] = j;
  for (int i = 0; i < m * m; i++) out[i] = 0;
  for (int i = 0; i < m; i++)
    for (int e = p->start[T->row[i]]; e < p->start[T->row[i] + 1]; e++)
      if (T->place[p->col[e]] >= 0) out[i * m + T->place[p->col[e]]] = H[e];
}

/* l := E^-1 l at a point */
static bool divide_by_E(ritti_strong_stages *T, const ritt_real *H, ritt_real *l) {
  put_block(T, H, T->inner);
  if (!ritti_lu_factor(T->m, T->inner, T->inner_pivot, NULL)) return false;
  ritti_lu_solve(T->m, T->inner, T->inner_pivot, l);
  return true;
}

bool ritti_strong_multiplier(ritti_strong_stages *T, const ritti_strong_point *p, ritt_real *l) {
  for (int j = 0; j < T->m; j++) l[j] = p->g[T->row[j]] / (T->eps * T->eps);
  return divide_by_E(T, p->H, l);
}

/* ---- columns ---- */

/* Are all rows and columns of H moderate multiples of those chosen: are max |G^T E^-1| and max
 * |E^-1 H_row| small? */
static bool are_good(ritti_strong_stages *T) {
  const ritti_pattern *p = &T->strong->H;
  const ritt_real *H = T->start.H;
  int n = T->n, m = T->m;
  put_block(T, H, T->inner);
  if (!ritti_lu_factor(m, T->inner, T->inner_pivot, NULL)) return false;
  for (int side = 0; side < 2; side++) {
    const int *chosen = side ? T->row : T->column;
    for (int j = 0; j < n; j++) T->place[j] = -1;
    for (int j = 0; j < m; j++) T->place[chosen[j]] = j;
    for (int i = 0; i < n; i++) {
      /* row i of G^T, or column i of H_row, since H is symmetric */
      for (int j = 0; j < m; j++) T->hat[j] = 0;
      for (int e = p->start[i]; e < p->start[i + 1]; e++)
        if (T->place[p->col[e]] >= 0) T->hat[T->place[p->col[e]]] = H[e];
      if (side) ritti_lu_solve(m, T->inner, T->inner_pivot, T->hat);
      else ritti_lu_solve_transposed(m, T->inner, T->inner_pivot, T->hat);

      for (int j = 0; j < m; j++)
        if (!(RITTI_MATH(fabs)(T->hat[j]) <= POOR)) return false;
    }
  }
  return true;
}

/* The forces of the multipliers stay the same: l := E^-1 (force)[row]. */
static void keep_forces(ritti_strong_stages *T, const ritt_real *force, ritt_real *l) {
  for (int j = 0; j < T->m; j++) l[j] = force[T->row[j]];
  if (divide_by_E(T, T->start.H, l)) return;
  for (int j = 0; j < T->m; j++) l[j] = 0;
}

/* Chooses other columns, with their values in `other` (s x m); dW holds the forces meanwhile. */
static bool choose_other_columns(ritti_strong_stages *T, ritt_real *other) {
  int n = T->n, m = T->m, s = T->s;
  for (int i = 0; i < s && other; i++)
    ritti_strong_force(T, &T->start, other + i * m, T->dW + i * n);

  /* m columns by Cholesky's factorisation of H with pivots, the same rows; T->X: the columns of
   * the factor. false: the rank is less. */
  const ritti_pattern *p = &T->strong->H;
  const ritt_real *H = T->start.H;
  ritt_real *left = T->x, most = 0; /* the diagonal of what is left */
  for (int i = 0; i < n; i++) {
    left[i] = 0;
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
      if (p->col[e] == i) left[i] += H[e];
    most = RITTI_MATH(fmax)(most, left[i]);
  }
  for (int k = 0; k < m; k++) {
    int best = 0;
    for (int i = 1; i < n; i++)
      if (left[i] > left[best]) best = i;
    if (!(left[best] > (ritt_real)1e-10 * most)) return false;
    ritt_real *column = T->X + k * n, root = RITTI_MATH(sqrt)(left[best]);
    for (int i = 0; i < n; i++) column[i] = 0;
    for (int e = p->start[best]; e < p->start[best + 1]; e++) column[p->col[e]] = H[e];
    for (int j = 0; j < k; j++) {
      const ritt_real *before = T->X + j * n;
      for (int i = 0; i < n; i++) column[i] -= before[best] * before[i];
    }
    for (int i = 0; i < n; i++) column[i] /= root;
    for (int i = 0; i < n; i++) left[i] -= column[i] * column[i];
    left[best] = -1;
    T->column[k] = T->row[k] = best;
  }

  for (int i = 0; i < s && other; i++) keep_forces(T, T->dW + i * n, other + i * m);
  return true;
}

/* ---- factors ---- */

bool ritti_strong_look(ritti_strong_stages *T, ritti_stepper *step, ritt_real *other) {
  int n = T->n, m = T->m;
  step->counts.jacobians++;
  if (!ritti_linear_factor(&T->mass, T->start.M, NULL)) return false;
  if (!are_good(T) && !choose_other_columns(T, other)) return false;

  /* T->X := G^T, by columns */
  const ritti_pattern *p = &T->strong->H;
  for (int j = 0; j < n; j++) T->place[j] = -1;
  for (int j = 0; j < T->m; j++) T->place[T->column[j]] = j;
  memset(T->X, 0, (size_t)n * (size_t)T->m * sizeof *T->X);
  for (int i = 0; i < n; i++)
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
      if (T->place[p->col[e]] >= 0) T->X[T->place[p->col[e]] * n + i] = T->start.H[e];

  memcpy(T->H, T->start.H, ritti_entries(&T->strong->H) * sizeof *T->H);
  put_block(T, T->H, T->E);
  for (int j = 0; j < m; j++) {
    ritti_linear_solve(&T->mass, T->X + j * n);
    rows_times(T, T->H, T->X + j * n, T->hat);
    for (int i = 0; i < m; i++) T->S[i * m + j] = T->hat[i];
  }
  return true;
}

static ritt_real *block_at(const ritti_strong_stages *T, int k) {
  return T->lu + (size_t)k * 4 * (size_t)(T->m * T->m);
}
static int *pivots_at(const ritti_strong_stages *T, int k) { return T->pivot + k * 2 * T->m; }

/* (p S + e E, q S; -q S, p S + e E), or its first block where q = 0 */
static bool factor_block(ritti_strong_stages *T, int k, ritt_real p, ritt_real q, bool pair) {
  int m = T->m, size = pair ? 2 * m : m;
  ritt_real e = T->eps / T->h * (T->eps / T->h), *a = block_at(T, k);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      ritt_real S = T->S[i * m + j], diagonal = p * S + e * T->E[i * m + j];
      a[i * size + j] = diagonal;
      if (!pair) continue;
      a[i * size + m + j] = q * S;
      a[(m + i) * size + j] = -q * S;
      a[(m + i) * size + m + j] = diagonal;
    }
  return ritti_lu_factor(size, a, pivots_at(T, k), NULL);
}

bool ritti_strong_factor(ritti_strong_stages *T) {
  const ritti_collocation *C = T->C;
  for (int i = 0; i < C->reals; i++)
    if (!factor_block(T, i, T->mu[i], 0, false)) return false;
  for (int i = 0; i < C->pairs; i++) {
    const ritt_real *mu = T->mu + C->reals + 2 * i;
    if (!factor_block(T, C->reals + i, mu[0], mu[1], true)) return false;
  }
  return !extra_block(C) || factor_block(T, blocks(C), 1 / (C->gamma0 * C->gamma0), 0, false);
}

/* ---- residuals ---- */

/* y = the part of grad U / eps^2 at the stage outside the range of H, with a minus; false: it
 * could not be computed */
static bool project_outside(ritti_strong_stages *T, const ritti_strong_point *p, ritt_real *l,
                            ritt_real *y) {
  if (!ritti_strong_multiplier(T, p, l)) return false;
  ritti_strong_force(T, p, l, y);
  for (int i = 0; i < T->n; i++) y[i] -= p->g[i] / (T->eps * T->eps);
  return true;
}

/* What rounding does to it: at the start, and with its coordinates moved in their last digits. */
static ritt_status measure_noise(ritti_strong_stages *T, ritti_stepper *step) {
  ritt_real most = 0;
  int n = T->n;
  T->noise = 0;
  if (!project_outside(T, &T->start, T->hat, T->x)) return RITT_OK;
  for (int turn = 0; turn < 2; turn++) {
    memcpy(T->at.z, T->start.z, (size_t)T->problem->m * sizeof *T->at.z);
    for (int l = 0; l < n; l++)
      T->at.z[T->strong->position[l]] *=
          1 + (ritt_real)(2 + (l + turn) % 3) * ((l + turn) % 2 ? RITTI_EPS : -RITTI_EPS);
    RITT_TRY(ritti_strong_visit(T, step, &T->at));
    if (!project_outside(T, &T->at, T->hat, T->y)) continue;
    for (int l = 0; l < n; l++) most = RITTI_MATH(fmax)(most, RITTI_MATH(fabs)(T->y[l] - T->x[l]));
  }
  T->noise = most;
  return RITT_OK;
}

/* r of stage i at this point, where what it should be can be seen. */
static void take_rest(ritti_strong_stages *T, int i) {
  ritt_real *r = T->r + i * T->n, most = 0;
  if (!project_outside(T, &T->at, T->hat, T->y)) return;
  for (int l = 0; l < T->n; l++) most = RITTI_MATH(fmax)(most, RITTI_MATH(fabs)(T->y[l]));
  bool seen = most > 2 * T->noise;
  for (int l = 0; l < T->n; l++) r[l] = seen ? T->y[l] : 0;
}

/* Is grad U near what L says? Then so is the stage to its place across the manifold. */
static bool is_ripe(const ritti_strong_stages *T, const ritt_real *sigma, const ritt_real *force) {
  ritt_real off = 0, most = 0, e = T->eps / T->h * (T->eps / T->h);
  for (int j = 0; j < T->m; j++) {
    off = RITTI_MATH(fmax)(off, RITTI_MATH(fabs)(sigma[j]));
    most = RITTI_MATH(fmax)(most, e * RITTI_MATH(fabs)(force[T->row[j]]));
  }
  return off <= RIPE * most;
}

ritt_status ritti_strong_residual(ritti_strong_stages *T, ritti_stepper *step, bool refresh,
                                  bool *ripe) {
  int n = T->n, m = T->m;
  ritt_real e = T->eps / T->h * (T->eps / T->h);
  refresh = refresh && T->eps > 0;
  if (refresh && T->noise < 0) RITT_TRY(measure_noise(T, step));
  *ripe = true;
  for (int i = 0; i < T->s; i++) {
    ritt_real *rho = T->dW + i * n, *sigma = T->dL + i * m;
    const ritt_real *W = T->W + i * n, *r = T->r + i * n;
    ritti_strong_put(T, step, i, &T->at);
    RITT_TRY(ritti_strong_visit(T, step, &T->at));
    ritti_strong_force(T, &T->at, T->L + i * m, T->x);
    for (int j = 0; j < m; j++) sigma[j] = T->at.g[T->row[j]] / T->h / T->h - e * T->x[T->row[j]];
    ritti_csr_times(&T->strong->M, T->at.M, W, rho);
    for (int l = 0; l < n; l++) rho[l] = T->at.f[l] - rho[l] - T->x[l];
    if (refresh && is_ripe(T, sigma, T->x)) take_rest(T, i);
    else *ripe = false;
    for (int l = 0; l < n; l++) rho[l] += r[l];
  }
  return RITT_OK;
}

/* ---- changes ---- */

void ritti_strong_solve(ritti_strong_stages *T) {
  const ritti_collocation *C = T->C;
  int n = T->n, m = T->m, s = T->s;
  for (int i = 0; i < s; i++) {
    ritti_linear_solve(&T->mass, T->dW + i * n);
    rows_times(T, T->H, T->dW + i * n, T->q + i * m);
  }
  /* sigma + A^2 H_row M^-1 rho, then in the basis of the eigenvectors */
  for (int i = 0; i < s; i++)
    for (int k = 0; k < s; k++)
      for (int j = 0; j < m; j++) T->dL[i * m + j] += T->square[i * s + k] * T->q[k * m + j];
  for (int i = 0; i < s; i++)
    for (int j = 0; j < m; j++) {
      T->hat[i * m + j] = 0;
      for (int k = 0; k < s; k++) T->hat[i * m + j] += C->T_inverse[i * s + k] * T->dL[k * m + j];
    }
  for (int i = 0; i < C->reals; i++)
    ritti_lu_solve(m, block_at(T, i), pivots_at(T, i), T->hat + i * m);
  for (int i = 0; i < C->pairs; i++)
    ritti_lu_solve(2 * m, block_at(T, C->reals + i), pivots_at(T, C->reals + i),
                   T->hat + (C->reals + 2 * i) * m);
  for (int i = 0; i < s; i++) {
    ritt_real *dL = T->dL + i * m, *dW = T->dW + i * n;
    for (int j = 0; j < m; j++) {
      dL[j] = 0;
      for (int k = 0; k < s; k++) dL[j] += C->T[i * s + k] * T->hat[k * m + j];
      for (int l = 0; l < n; l++) dW[l] -= T->X[j * n + l] * dL[j];
    }
  }
}

void ritti_strong_filter(ritti_strong_stages *T, ritt_real *v, ritt_real *across) {
  const ritti_collocation *C = T->C;
  int n = T->n, m = T->m, k = extra_block(C) ? blocks(C) : 0;
  ritti_linear_solve(&T->mass, v);
  rows_times(T, T->H, v, T->hat);
  for (int j = 0; j < m; j++) T->hat[j] /= C->gamma0 * C->gamma0;
  ritti_lu_solve(m, block_at(T, k), pivots_at(T, k), T->hat);
  for (int l = 0; across && l < n; l++) across[l] = 0;
  for (int j = 0; j < m; j++)
    for (int l = 0; l < n; l++) {
      v[l] -= T->X[j * n + l] * T->hat[j];
      if (across) across[l] += T->X[j * n + l] * T->hat[j];
    }
}

/* ---- vibrations ---- */

/* v (n) := M^-1 G^T S^-1 v[row], the move across the manifold that changes (grad U)[row] so */
static bool move_across(ritti_strong_stages *T, ritt_real *v) {
  int n = T->n, m = T->m;
  memcpy(T->inner, T->S, (size_t)(m * m) * sizeof *T->inner);
  if (!ritti_lu_factor(m, T->inner, T->inner_pivot, NULL)) return false;
  for (int j = 0; j < m; j++) T->hat[j] = v[T->row[j]];
  ritti_lu_solve(m, T->inner, T->inner_pivot, T->hat);
  for (int l = 0; l < n; l++) v[l] = 0;
  for (int j = 0; j < m; j++)
    for (int l = 0; l < n; l++) v[l] += T->X[j * n + l] * T->hat[j];
  return true;
}

/* T->at := the start moved by d along (1, y'), with grad U there */
static ritt_status move_along(ritti_strong_stages *T, ritti_stepper *step, ritt_real d) {
  const ritti_strong *strong = T->strong;
  memcpy(T->at.z, T->start.z, (size_t)T->problem->m * sizeof *T->at.z);
  T->at.z[0] += d;
  for (int l = 0; l < T->n; l++) T->at.z[strong->position[l]] += d * T->at.z[strong->velocity[l]];
  return strong->gradient(T->problem->data, step->direction->work, T->at.z, T->at.g);
}

ritt_real ritti_strong_period(const ritti_strong_stages *T) {
  ritt_real S = 0, E = 0;
  for (int i = 0; i < T->m; i++) {
    S = RITTI_MATH(fmax)(S, RITTI_MATH(fabs)(T->S[i * T->m + i]));
    E = RITTI_MATH(fmax)(E, RITTI_MATH(fabs)(T->E[i * T->m + i]));
  }
  return S > 0 ? T->eps * RITTI_MATH(sqrt)(E / S) : 0;
}

ritt_status ritti_strong_vibration(ritti_strong_stages *T, ritti_stepper *step, ritt_real *place,
                                   ritt_real *speed, ritt_real *forces) {
  int n = T->n, m = T->m;
  ritt_real size = 1, fast = 0;
  for (int l = 0; l < n; l++) {
    size = RITTI_MATH(fmax)(size, RITTI_MATH(fabs)(T->start.z[T->strong->position[l]]));
    fast = RITTI_MATH(fmax)(fast, RITTI_MATH(fabs)(T->start.z[T->strong->velocity[l]]));
  }
  /* first and second derivatives of grad U along (1, y') by differences */
  ritt_real d = RITTI_MATH(sqrt)(RITTI_MATH(sqrt)(RITTI_EPS)) * size / RITTI_MATH(fmax)(1, fast);
  RITT_TRY(move_along(T, step, d));
  memcpy(speed, T->at.g, (size_t)n * sizeof *speed);
  RITT_TRY(move_along(T, step, -d));
  for (int l = 0; l < n; l++) {
    T->y[l] = (speed[l] - 2 * T->start.g[l] + T->at.g[l]) / d / d;
    speed[l] = (speed[l] - T->at.g[l]) / d / 2;
  }
  /* the forces of the smooth motion: S l = H_row M^-1 f + the second derivative */
  memcpy(T->x, T->start.f, (size_t)n * sizeof *T->x);
  ritti_linear_solve(&T->mass, T->x);
  rows_times(T, T->H, T->x, T->q);
  for (int j = 0; j < m; j++) T->q[j] += T->y[T->row[j]];
  memcpy(T->inner, T->S, (size_t)(m * m) * sizeof *T->inner);
  if (!ritti_lu_factor(m, T->inner, T->inner_pivot, NULL)) return RITT_RETRY;
  ritti_lu_solve(m, T->inner, T->inner_pivot, T->q);
  ritti_strong_force(T, &T->start, T->q, T->x);
  for (int l = 0; l < n; l++) place[l] = T->start.g[l] - T->eps * T->eps * T->x[l];
  ritti_linear_solve(&T->mass, T->x);
  *forces = ritti_norm(n, T->x);
  return move_across(T, place) && move_across(T, speed) ? RITT_OK : RITT_RETRY;
}

void ritti_strong_stages_state(ritti_strong_stages *T, ritti_state *state) {
  size_t n = (size_t)T->n, m = (size_t)T->m, s = (size_t)T->s, count = (size_t)blocks(T->C) + 1;
  ritti_state_ints(state, "strong.column", T->column, m, 0, T->n - 1);
  ritti_state_ints(state, "strong.row", T->row, m, 0, T->n - 1);
  ritti_state_reals(state, "strong.W", T->W, s * n);
  ritti_state_reals(state, "strong.L", T->L, s * m);
  ritti_state_reals(state, "strong.H", T->H, ritti_entries(&T->strong->H));
  ritti_state_reals(state, "strong.X", T->X, n * m);
  ritti_state_reals(state, "strong.S", T->S, m * m);
  ritti_state_reals(state, "strong.E", T->E, m * m);
  ritti_state_reals(state, "strong.lu", T->lu, count * 4 * m * m);
  ritti_state_ints(state, "strong.pivot", T->pivot, count * 2 * m, 0, 2 * T->m - 1);
  ritti_state_reals(state, "strong.noise", &T->noise, 1);
  ritti_linear_state(&T->mass, true, state);
}
