/* The direction V.
 *
 * In: a point z. Out: V(z) = (1, y_1, ..., top), the top jets from A(z) top + b(z) = 0 (equation
 * (3.6) of the enhanced linear algebra paper), for mechanics from the block system [E H; G 0]
 * (3.9), by formula, or, of the implicit kind, from T(z, top) = 0 (top_newton.c). In runs over arc length V is the null vector (v_1, v) of (b | A), as in
 * section 3.1 of that paper: V = (v_1, v_1 y_1, ..., v), regular also where A is singular but (b |
 * A) has full rank. Each variant has a file of its own (line_*.c, top_*.c); systems too large for
 * dense ways have theirs by a bordered matrix (line_border.c). Where rows of f alone determine the
 * line, variants for null vectors take the whole of D = (f_x + D_1 ytilde | D_2), k rows.
 */
#include "geometry/direction_impl.h"

static const ritti_way ways[] = {
    [RITTI_DIRECT_SVD] = {true, true, ritti_line_svd_init, ritti_line_svd},
    [RITTI_DIRECT_QR] = {true, true, NULL, ritti_line_qr},
    [RITTI_DIRECT_SUBMATRIX] = {true, true, ritti_line_submatrix_init, ritti_line_submatrix},
    [RITTI_DIRECT_CG] = {true, true, ritti_line_cg_init, ritti_line_cg},
    [RITTI_DIRECT_LU] = {false, false, NULL, ritti_top_lu},
    [RITTI_DIRECT_KKT] = {false, false, NULL, ritti_top_kkt},
    [RITTI_DIRECT_KKT_SCHUR] = {false, true, ritti_top_schur_init, ritti_top_schur},
    [RITTI_DIRECT_KKT_CG] = {false, false, ritti_top_block_cg_init, ritti_top_block_cg},
};

/* ---- set up ---- */

/* Room for a matrix of this many rows and its null vector. */
static ritt_status init_line(ritti_direction *D, int rows, ritti_arena *arena) {
  int n = D->problem->tops;
  D->rows = rows;
  D->null = (ritti_qr){.rows = n + 1, .cols = rows};
  RITTI_NEW_ARRAYS(arena, (size_t)(n + 1) * (size_t)rows + 1, D->matrix, D->null.a);
  RITTI_NEW_ARRAYS(arena, n + 1, D->null.beta, D->null_vector);
  RITTI_NEW(D->null.column, arena, rows + 1);
  RITTI_NEW(D->null_scratch, arena, 2 * rows + 1);
  return RITT_OK;
}

/* What dense ways need, also those for fewer rows than tops. */
static ritt_status init_dense(ritti_direction *D, ritti_arena *arena) {
  int n = D->problem->tops, rows = D->problem->A.rows;
  if (D->dense) return RITT_OK;
  RITTI_NEW(D->dense, arena, (size_t)n * (size_t)n + 1);
  if (rows == n) return init_line(D, n, arena);
  RITTI_NEW(D->pivot, arena, rows + n + 1);
  RITTI_NEW(D->scratch, arena, ritti_least_norm_scratch(rows, n) + 1);
  return RITT_OK;
}

static ritt_status init_system(ritti_direction *D, ritti_algebra algebra, ritti_arena *arena) {
  const ritti_problem *p = D->problem;
  int n = p->tops, rows = p->A.rows;
  RITTI_NEW(D->A, arena, (n ? p->A.start[rows] : 0) + 1);
  if (n == 0) return init_dense(D, arena);
  RITT_TRY(
      ritti_linear_init(&D->lu, rows < n ? RITTI_GRAM : RITTI_GENERAL, &p->A, 0, algebra, arena));
  if (rows < n) RITT_TRY(ritti_top_least_init(D, arena));
  if (p->symmetric) {
    RITT_TRY(ritti_linear_init(&D->kkt, RITTI_SYMMETRIC, &p->A, p->positions, algebra, arena));
    RITT_TRY(ritti_top_kkt_init(D, arena));
  }
  if (D->lu.algebra == RITTI_ALGEBRA_DENSE) return init_dense(D, arena);
  return rows == n ? ritti_border_init(D, algebra, arena) : RITT_OK;
}

/* Is coordinate i where the one before it says? */
static bool follows_previous(const ritti_problem *p, int i) {
  if (i == 1) return false;
  return p->next[i - 1] >= 0 ? p->next[i] == p->next[i - 1] + 1 : p->next[i] == p->next[i - 1] - 1;
}

/* The entries of V that stand side by side in the point, or among the tops, where there are few
 * such groups. */
static ritt_status list_runs(ritti_direction *D, ritti_arena *arena) {
  const ritti_problem *p = D->problem;
  int runs = 0;
  for (int i = 1; i < p->m; i++) runs += !follows_previous(p, i);
  if (runs > p->m / 8) return RITT_OK;
  RITTI_NEW(D->run, arena, runs);
  for (int i = 1; i < p->m; i++) {
    if (!follows_previous(p, i))
      D->run[D->runs++] = (struct ritti_direction_run){.first = i, .next = p->next[i]};
    D->run[D->runs - 1].count++;
  }
  return RITT_OK;
}

ritt_status ritti_direction_init_with(ritti_direction *direction, const ritti_problem *problem,
                                      ritt_real *work, ritti_algebra algebra, ritti_arena *arena) {
  int n = problem->tops;
  *direction = (ritti_direction){.problem = problem, .work = work};
  if (problem->call.system) RITT_TRY(init_system(direction, algebra, arena));
  if (problem->call.top_stage) RITT_TRY(ritti_top_newton_init(direction, algebra, arena));
  RITT_TRY(list_runs(direction, arena));
  RITTI_NEW_ARRAYS(arena, n + 1, direction->b, direction->top);
  RITTI_NEW(direction->where, arena, problem->m);
  for (int i = 0; problem->top_start && i < n; i++) direction->top[i] = problem->top_start[i];
  return RITT_OK;
}

ritt_status ritti_direction_init(ritti_direction *direction, const ritti_problem *problem,
                                 ritt_real *work, ritti_arena *arena) {
  return ritti_direction_init_with(direction, problem, work, RITTI_ALGEBRA_AUTO, arena);
}

bool ritti_direction_has_line(const ritti_direction *D) { return D->matrix || D->border; }

const char *ritti_direction_misfit(const ritti_problem *p, ritti_direct variant) {
  if (variant == RITTI_DIRECT_AUTO) return NULL;
  if (p->kind == RITT_EXPLICIT) return "the highest derivatives are given by formulas";
  if (p->kind == RITT_IMPLICIT) return "the equations are not linear in the highest derivatives";
  if (!p->call.system) return ways[variant].line ? NULL : "the rows alone determine the direction";
  if (p->A.rows < p->tops) return "some multipliers are not unique";
  if (variant >= RITTI_DIRECT_KKT && p->kind != RITT_HOLONOMIC)
    return "the system is not mechanics with position constraints";
  if (variant >= RITTI_DIRECT_KKT && !p->symmetric)
    return "the forces of the constraints are not along their gradients";
  return NULL;
}

ritt_status ritti_direction_take(ritti_direction *D, ritti_direct variant, ritti_arena *arena) {
  const ritti_problem *p = D->problem;
  if (variant == RITTI_DIRECT_AUTO && p->own_line && !p->call.system) variant = RITTI_DIRECT_QR;
  D->variant = D->taken = variant;
  if (variant == RITTI_DIRECT_AUTO) return RITT_OK;
  if (ways[variant].dense && p->call.system) RITT_TRY(init_dense(D, arena));
  if (ways[variant].line && p->own_line) {
    RITTI_NEW(D->f, arena, p->k + 1);
    RITTI_NEW(D->df, arena, p->df.start[p->k] + 1);
    RITT_TRY(init_line(D, p->k, arena));
  }
  return ways[variant].init ? ways[variant].init(D, arena) : RITT_OK;
}

static ritt_status fail_at(ritti_direction *D, ritti_trouble trouble, const ritt_real *z) {
  D->trouble = trouble;
  memcpy(D->where, z, (size_t)D->problem->m * sizeof *z);
  return RITT_RETRY;
}

/* The status of a function: RITT_RETRY is trouble with a place, others are passed on. */
static ritt_status check_value(ritti_direction *D, ritt_status status, const ritt_real *z) {
  return status == RITT_RETRY ? fail_at(D, RITTI_NO_VALUE, z) : status;
}

/* ---- the tops ---- */

static bool solve_tops(ritti_direction *D) {
  if (D->problem->A.rows < D->problem->tops) return ritti_top_least(D);
  if (D->variant != RITTI_DIRECT_AUTO) return ways[D->variant].find(D);
  return D->problem->symmetric ? ritti_top_kkt(D) : ritti_top_lu(D);
}

static ritt_status find_top(ritti_direction *D, const ritt_real *z) {
  const ritti_problem *p = D->problem;
  if (p->kind == RITT_EXPLICIT)
    return check_value(D, p->call.formula(p->data, D->work, z, D->top), z);
  if (D->newton) {
    ritt_status status = D->far ? ritti_top_newton_far(D, z) : ritti_top_newton(D, z);
    return status == RITT_RETRY ? fail_at(D, D->trouble, z) : status;
  }
  if (D->variant == RITTI_DIRECT_AUTO && p->call.system_lower) {
    RITT_TRY(
        check_value(D, p->call.system_lower(p->data, D->work, z, D->constants, D->A, D->b), z));
    D->kkt.same = D->constants && p->constant_mass;
    D->constants = true;
    bool found = ritti_top_symmetric(D);
    D->kkt.same = false;
    if (found && ritti_are_finite((size_t)p->tops, D->top)) return RITT_OK;
    D->sign = 0, D->factored = NULL, D->constants = false;
  }
  RITT_TRY(check_value(D, p->call.system(p->data, D->work, z, D->A, D->b), z));
  if (!solve_tops(D)) return fail_at(D, RITTI_SINGULAR_TOP, z);
  return ritti_are_finite((size_t)p->tops, D->top) ? RITT_OK : fail_at(D, RITTI_SINGULAR_TOP, z);
}

/* ---- the line ---- */

bool ritti_line_is_clear(const ritti_direction *D) {
  const ritt_real *sigma = D->sigma;
  return sigma[1] > (ritt_real)1e-13 * sigma[0] && sigma[1] > 4 * sigma[2];
}

/* row /= size, to a power of two; returns its exponent */
static int scale_row(int n, ritt_real size, ritt_real *row) {
  if (!(size > 0)) return 0;
  int exponent = RITTI_MATH(ilogb)(size);
  for (int j = 0; j < n; j++) row[j] = RITTI_MATH(ldexp)(row[j], -exponent);
  return exponent;
}

/* (b | A), rows of length about 1 */
static ritt_status fill_square(ritti_direction *D, const ritt_real *z) {
  const ritti_problem *p = D->problem;
  int n = p->tops;
  RITT_TRY(check_value(D, p->call.system(p->data, D->work, z, D->A, D->b), z));
  ritti_csr_to_dense(&p->A, D->A, D->dense);
  D->exponent = 0;
  for (int i = 0; i < n; i++) {
    ritt_real *row = D->matrix + i * (n + 1);
    row[0] = D->b[i];
    memcpy(row + 1, D->dense + i * n, (size_t)n * sizeof *row);
    D->exponent += scale_row(n + 1, ritti_norm(n + 1, row), row);
  }
  return RITT_OK;
}

/* D = (f_x + D_1 ytilde | D_2), equation (3.4). Rows that vanish on M are left as small as they
 * are: a row is scaled by the terms it is made of. */
static ritt_status fill_wide(ritti_direction *D, const ritt_real *z) {
  const ritti_problem *p = D->problem;
  int n = p->tops;
  RITT_TRY(check_value(D, p->call.f_df(p->data, D->work, z, D->f, D->df), z));
  memset(D->matrix, 0, (size_t)p->k * (size_t)(n + 1) * sizeof *D->matrix);
  for (int i = 0; i < p->k; i++) {
    ritt_real *row = D->matrix + i * (n + 1), size = 0;
    for (int e = p->df.start[i]; e < p->df.start[i + 1]; e++) {
      int j = p->df.col[e], next = j ? p->next[j] : 0;
      if (j > 0 && next < 0) row[-next] += D->df[e];
      else row[0] += D->df[e] * (j ? z[next] : 1);
      ritt_real speed = j > 0 && next > 0 ? RITTI_MATH(fmax)(1, RITTI_MATH(fabs)(z[next])) : 1;
      size += RITTI_MATH(fabs)(D->df[e]) * speed;
    }
    scale_row(n + 1, size, row);
  }
  return RITT_OK;
}

static ritt_status find_line(ritti_direction *D, const ritt_real *z) {
  if (D->variant == RITTI_DIRECT_AUTO && !D->matrix) {
    /* The null vector by the bordered matrix. */
    const ritti_problem *p = D->problem;
    RITT_TRY(check_value(D, p->call.system(p->data, D->work, z, D->A, D->b), z));
    return ritti_border_find(D) ? RITT_OK : fail_at(D, RITTI_SINGULAR_TOP, z);
  }
  const ritti_way *way = &ways[D->variant == RITTI_DIRECT_AUTO ? RITTI_DIRECT_QR : D->variant];
  RITT_TRY(D->df ? fill_wide(D, z) : fill_square(D, z));
  if (!way->find(D)) return fail_at(D, RITTI_SINGULAR_TOP, z);
  for (int i = 0; i <= D->problem->tops; i++)
    if (!(RITTI_MATH(fabs)(D->null_vector[i]) <= 2)) return fail_at(D, RITTI_SINGULAR_TOP, z);
  /* det A dx/ds has the sign of (-1)^tops det((b | A); V^T) */
  if (!D->df && way->find == ritti_line_qr) {
    D->sign = ritti_line_qr_sign(D);
    if (D->problem->tops % 2) D->sign = -D->sign;
  }
  return RITT_OK;
}

/* ---- V ---- */

/* |V| = 1 in the metric of the arc length, not against the reference. A formula has dx/ds > 0
 * everywhere, also on both sides of a pole, where the curve that it describes has a vertical
 * tangent: V points back beyond one. Along smooth curves it does so only where a step is too long.
 */
static void normalise_direction(ritti_direction *D, ritt_real *V) {
  int m = D->problem->m;
  ritt_real square = 0, along = 0;
  for (int i = 0; i < m; i++) {
    square += D->arc[i] * V[i] * V[i];
    if (D->reference) along += D->arc[i] * V[i] * D->reference[i];
  }
  if (!D->reference) along = V[0];
  else if (D->problem->kind == RITT_EXPLICIT) {
    D->turned |= along < 0;
    along = V[0];
  }
  ritt_real speed = along < 0 ? -RITTI_MATH(sqrt)(square) : RITTI_MATH(sqrt)(square);
  if (speed < 0) D->sign = -D->sign;
  for (int i = 0; i < m; i++) V[i] /= speed;
}

/* V = (v_1, v_1 y_1, ..., v) for a null vector (v_1, v) */
static ritt_status direction_of_line(ritti_direction *D, const ritt_real *z, ritt_real *V) {
  const ritti_problem *p = D->problem;
  RITT_TRY(find_line(D, z));
  const ritt_real x = D->null_vector[0], *v = D->null_vector + 1;
  for (int i = 0; i < p->tops; i++) D->top[i] = v[i] / x;
  V[0] = x;
  for (int i = 1; i < p->m; i++) V[i] = p->next[i] >= 0 ? x * z[p->next[i]] : v[-1 - p->next[i]];
  if (D->arc) normalise_direction(D, V);
  else {
    if (x == 0) return fail_at(D, RITTI_SINGULAR_TOP, z);
    if (x < 0) D->sign = -D->sign;
    for (int i = 0; i < p->m; i++)
      V[i] = i == 0 ? 1 : p->next[i] >= 0 ? z[p->next[i]] : D->top[-1 - p->next[i]];
  }
  return RITT_OK;
}

void ritti_direction_with_tops(const ritti_direction *D, const ritt_real *z, const ritt_real *top,
                               ritt_real *V) {
  const int *next = D->problem->next;
  V[0] = 1;
  /* coordinates side by side as one */
  for (int r = 0; r < D->runs; r++) {
    const struct ritti_direction_run *run = &D->run[r];
    const ritt_real *from = run->next >= 0 ? z + run->next : top + (-1 - run->next);
    memcpy(V + run->first, from, (size_t)run->count * sizeof *V);
  }
  for (int i = 1; !D->run && i < D->problem->m; i++)
    V[i] = next[i] >= 0 ? z[next[i]] : top[-1 - next[i]];
}

ritt_status ritti_direction_at(ritti_direction *D, const ritt_real *z, ritt_real *V) {
  D->trouble = RITTI_NO_TROUBLE;
  D->evaluations++;
  D->sign = 0;
  D->factored = NULL;
  if (D->variant == RITTI_DIRECT_AUTO ? D->arc && ritti_direction_has_line(D)
                                      : ways[D->variant].line)
    return direction_of_line(D, z, V);
  RITT_TRY(find_top(D, z));
  ritti_direction_with_tops(D, z, D->top, V);
  if (D->arc) normalise_direction(D, V);
  return RITT_OK;
}

ritt_status ritti_direction_store_init(ritti_direction_store *store, const ritti_direction *D,
                                       ritti_algebra algebra, ritti_arena *arena) {
  const ritti_problem *p = D->problem;
  *store = (ritti_direction_store){.valid = false};
  RITTI_NEW(store->z, arena, p->m);
  RITTI_NEW_ARRAYS(arena, p->tops + 1, store->top, store->b);
  RITTI_NEW(store->shared, arena, p->shared + 1);
  if (!p->call.system) return RITT_OK;
  RITTI_NEW(store->A, arena, (p->tops ? p->A.start[p->A.rows] : 0) + 1);
  if (p->tops == 0) return RITT_OK;
  RITT_TRY(ritti_linear_init(&store->lu, D->lu.matrix, &p->A, 0, algebra, arena));
  if (!p->symmetric) return RITT_OK;
  return ritti_linear_init(&store->kkt, RITTI_SYMMETRIC, &p->A, p->positions, algebra, arena);
}

/* Exchanges two systems; each keeps its counts. */
static void exchange_linear(ritti_linear *a, ritti_linear *b) {
  ritti_linear c = *a;
  *a = *b;
  *b = c;
  b->factorisations = a->factorisations, b->solves = a->solves, b->full = a->full;
  a->factorisations = c.factorisations, a->solves = c.solves, a->full = c.full;
}

void ritti_direction_keep(ritti_direction *D, const ritt_real *z, ritti_direction_store *store) {
  const ritti_problem *p = D->problem;
  store->valid = true;
  memcpy(store->z, z, (size_t)p->m * sizeof *z);
  memcpy(store->top, D->top, (size_t)p->tops * sizeof *D->top);
  if (p->shared) p->call.share_values(p->data, D->work, store->shared);
  store->factored = NULL;
  if (!D->factored) return;

  store->factored = D->factored == &D->kkt ? &store->kkt : &store->lu;
  D->factored = store->factored;
  ritt_real *A = D->A, *b = D->b;
  bool constants = D->constants;
  D->A = store->A, D->b = store->b, D->constants = store->constants;
  store->A = A, store->b = b, store->constants = constants;
  if (store->factored == &store->lu) exchange_linear(&D->lu, &store->lu);
  if (p->symmetric) exchange_linear(&D->kkt, &store->kkt);
}

ritt_status ritti_direction_solve_again(ritti_direction *D, const ritt_real *z, ritt_real *V) {
  D->far = true;
  ritt_status status = ritti_direction_at(D, z, V);
  D->far = false;
  return status;
}

void ritti_direction_begin_with(ritti_direction *D, const ritt_real *top) {
  if (D->newton) memcpy(D->top, top, (size_t)D->problem->tops * sizeof *top);
}

void ritti_direction_taken(ritti_direction *D, long count) {
  D->trouble = RITTI_NO_TROUBLE;
  D->evaluations += count;
  D->sign = 0;
  D->factored = NULL;
  if (D->problem->kind == RITT_EXPLICIT) return;
  ritti_linear_taken(&D->kkt, count);
  ritti_top_kkt_sign(D);
}

ritt_real ritti_direction_side(ritti_direction *D, const ritt_real *z, const ritt_real *V) {
  const ritti_problem *p = D->problem;
  if (D->newton) {
    ritt_real volume;
    D->sign = ritti_top_newton_sign(D, z, &volume);
    return volume;
  }
  if (D->sign != 0 && !D->factored && D->matrix) /* by QR of (b | A) */
    return D->exponent + ritti_log2_product(D->rows, D->null.a, D->rows + 1);
  if (D->factored) return ritti_linear_log2(D->factored);
  if (D->variant == RITTI_DIRECT_AUTO || !p->call.system || p->A.rows < p->tops) return NAN;
  if (p->call.system(p->data, D->work, z, D->A, D->b) != RITT_OK) return NAN;
  if (!ritti_linear_factor(&D->lu, D->A, NULL)) return NAN;
  D->sign = V[0] < 0 ? -D->lu.sign : D->lu.sign;
  return ritti_linear_log2(&D->lu);
}

/* ---- state ---- */

void ritti_direction_state(ritti_direction *D, ritti_state *state) {
  int variant = (int)D->variant;
  ritti_state_ints(state, "direction.variant", &variant, 1, 0, RITTI_DIRECT_KKT_CG);
  ritti_state_long(state, "direction.evaluations", &D->evaluations);
  ritti_state_long(state, "direction.fallbacks", &D->fallbacks);
  ritti_linear_state(&D->lu, false, state);
  if (D->newton) ritti_state_reals(state, "direction.top", D->top, (size_t)D->problem->tops);
  if (D->border) ritti_border_state(D, state);
  /* the memory is that of the variant taken: another may stand in for it for a while */
  switch (D->taken) {
  case RITTI_DIRECT_SUBMATRIX: ritti_line_submatrix_state(D, state); break;
  case RITTI_DIRECT_CG: ritti_line_cg_state(D, state); break;
  case RITTI_DIRECT_KKT_CG: ritti_top_block_cg_state(D, state); break;
  default: break;
  }
  if (state->mode == RITTI_STATE_LOAD && (variant == (int)D->taken || variant == RITTI_DIRECT_AUTO))
    D->variant = (ritti_direct)variant;
}
