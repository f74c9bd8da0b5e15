/* Derivatives of projected Runge-Kutta steps, forward and adjoint: see tangent.h.
 *
 * In: steps of an explicit method, taken by a stepper. Out: tangents at the ends of the steps and inside
 * them, or gradients. Implicit methods, projected stages and runs over arc length are not done here.
 */
#include "step/tangent.h"

/* ---- making ---- */

static ritt_status add_group(ritti_tangents *T, int first, int last, int from, int to,
                             ritti_arena *arena) {
  const ritti_problem *p = T->problem;
  ritti_tangent_rows *g = &T->rows[T->groups++];
  g->first = first, g->from = from, g->to = to;
  g->pattern = (ritti_pattern){last - first, p->m, p->df_z.start + first, p->df_z.col};
  RITTI_NEW(g->keep, arena, p->m);
  for (int i = from; i < to; i++) g->keep[i] = 1;
  g->small = last - first <= RITTI_SMALL_ROWS;
  RITT_TRY(ritti_rows_init(&g->by_rows, &g->pattern, arena));
  RITT_TRY(ritti_columns_init(&g->by_columns, &g->pattern, arena));
  return ritti_linear_init_gram(&g->gram, &g->pattern, g->keep, T->step->algebra, arena);
}

static ritt_status make_groups(ritti_tangents *T, ritti_arena *arena) {
  const ritti_problem *p = T->problem;
  int n = p->positions, l = p->constraints;
  if (p->k == 0) return RITT_OK;
  if (T->step->manifold->variant != RITTI_PROJECT_SEQUENTIAL)
    return add_group(T, 0, p->k, 1, p->m, arena);
  RITT_TRY(add_group(T, 0, l, 1, n + 1, arena));
  return add_group(T, l, 2 * l, n + 1, p->m, arena);
}

static size_t count_entries(const ritti_pattern *p) {
  return p->start ? (size_t)p->start[p->rows] : 0;
}

ritt_status ritti_tangents_new(ritti_stepper *step, ritti_arena *arena, ritti_tangents **out) {
  const ritti_problem *p = step->manifold->problem;
  ritti_tangents *T;
  RITTI_NEW(T, arena, 1);
  T->step = step;
  T->problem = p;
  T->count = p->by;
  size_t m = (size_t)p->m, all = m * (size_t)p->by, tops = (size_t)p->tops * (size_t)p->by + 1;
  int vectors = step->by->vectors(step->tableau);
  RITTI_NEW_ARRAYS(arena, m, T->z, T->point, T->speed, T->weights);
  RITTI_NEW_ARRAYS(arena, all, T->s, T->s_new, T->s_inside, T->moved);
  RITTI_NEW_ARRAYS(arena, tops, T->top, T->top_new, T->top_inside, T->right);
  RITTI_NEW_ARRAYS(arena, vectors, T->V, T->dV);
  for (int i = 0; i < vectors; i++) RITTI_NEW(T->dV[i], arena, all);
  RITTI_NEW(T->V_bar, arena, step->tableau->stages);
  for (int i = 0; i < step->tableau->stages; i++) RITTI_NEW(T->V_bar[i], arena, m);
  if (p->level_of) RITTI_NEW(T->level, arena, (size_t)p->k * (size_t)p->by + 1);

  RITTI_NEW(T->A, arena, count_entries(&p->A) + 1);
  RITTI_NEW(T->b, arena, p->tops + 1);
  RITTI_NEW(T->dr, arena, count_entries(&p->dr_z) + count_entries(&p->dr_p) + 1);
  RITTI_NEW(T->df, arena, count_entries(&p->df_z) + count_entries(&p->df_p) + 1);
  T->dr_p = T->dr + count_entries(&p->dr_z);
  T->df_p = T->df + count_entries(&p->df_z);
  RITTI_NEW(T->mu, arena, p->k + 1);
  RITTI_NEW_ARRAYS(arena, (size_t)p->k * m + 1, T->B, T->dB);
  RITTI_NEW(T->kept, arena,
            RITTI_KEPT(m, (size_t)p->tops, (size_t)p->shared) * (size_t)step->tableau->stages);
  RITTI_NEW(T->doutput, arena, count_entries(&p->doutput) + 1);
  if (p->kind != RITT_EXPLICIT && p->tops > 0)
    RITT_TRY(ritti_linear_init(&T->own, RITTI_GENERAL, &p->A, 0, step->algebra, arena));
  RITTI_NEW(T->record, arena, step->tableau->stages + 1);
  RITT_TRY(ritti_direction_store_init(&T->store, step->direction, step->algebra, arena));
  for (int i = 0; i <= step->tableau->stages; i++)
    RITT_TRY(ritti_direction_store_init(&T->record[i], step->direction, step->algebra, arena));
  RITT_TRY(make_groups(T, arena));
  *out = T;
  return RITT_OK;
}

/* ---- the direction ---- */

/* Goes to a point that was kept: finds factors of A there. */
static ritt_status go_to_kept(ritti_tangents *T, const ritti_direction_store *at) {
  const ritti_problem *p = T->problem;
  ritt_real *work = T->step->direction->work;
  T->at = at;
  if (p->tops == 0 || p->kind == RITT_EXPLICIT) return RITT_OK;
  T->factors = at->factored;
  if (T->factors) return RITT_OK;
  if (p->kind == RITT_IMPLICIT) RITT_TRY(p->call.system_at(p->data, work, at->z, at->top, T->A));
  else RITT_TRY(p->call.system(p->data, work, at->z, T->A, T->b));
  T->factors = &T->own;
  return ritti_linear_factor(&T->own, T->A, NULL) ? RITT_OK : RITT_RETRY;
}

/* Goes to q, where V is found first. */
static ritt_status go_to(ritti_tangents *T, const ritt_real *q) {
  RITT_TRY(ritti_direction_at(T->step->direction, q, T->speed));
  ritti_direction_keep(T->step->direction, q, &T->store);
  return go_to_kept(T, &T->store);
}

/* Derivatives of the rows for the highest derivatives, these fixed, at the point gone to. */
static ritt_status evaluate_system(ritti_tangents *T) {
  const ritti_problem *p = T->problem;
  return p->call.system_d(p->data, T->step->direction->work, T->at->z, T->at->top, T->dr);
}

/* x := -A^-1 x or -A^-T x; for formulas x stays. If A = [E G^T s; G 0] the factors are those of the
 * matrix without s. */
static void solve_tops(const ritti_tangents *T, bool transposed, ritt_real *x) {
  const ritti_problem *p = T->problem;
  ritti_linear *factors = (ritti_linear *)T->factors;
  if (p->kind == RITT_EXPLICIT) return;
  bool scaled = factors == &T->at->kkt;
  ritt_real *multiplier = x + p->positions;
  for (int i = 0; i < p->tops; i++) x[i] = -x[i];
  if (scaled && transposed)
    for (int i = 0; i < p->constraints; i++) multiplier[i] /= p->s[i];
  if (transposed && !scaled) ritti_linear_solve_transposed(factors, x);
  else ritti_linear_solve(factors, x);
  if (scaled && !transposed)
    for (int i = 0; i < p->constraints; i++) multiplier[i] /= p->s[i];
}

/* out += M^T x */
static void add_transposed(const ritti_pattern *pattern, const ritt_real *entry, const ritt_real *x,
                           ritt_real *out) {
  for (int i = 0; i < pattern->rows; i++)
    for (int e = pattern->start[i]; e < pattern->start[i + 1]; e++)
      out[pattern->col[e]] += entry[e] * x[i];
}

/* top := the tangents of the highest derivatives, count x tops, at the point gone to, with the tangents
 * s there. */
static ritt_status differentiate_tops(ritti_tangents *T, const ritt_real *s, ritt_real *top) {
  const ritti_problem *p = T->problem;
  if (p->tops == 0) return RITT_OK;
  if (p->call.system_along) {
    RITT_TRY(p->call.system_along(p->data, T->step->direction->work, T->at->z, T->at->top,
                                  T->at->shared, s, top));
    solve_tops(T, false, top);
    return RITT_OK;
  }
  RITT_TRY(evaluate_system(T));
  ritti_spread_columns(&p->dr_p, T->dr_p, p->tops, T->count, top);
  for (int i = 0; i < T->count; i++, s += p->m, top += p->tops) {
    ritti_add_product(&p->dr_z, T->dr, s, top);
    solve_tops(T, false, top);
  }
  return RITT_OK;
}

/* The same, and dV, count x m. */
static ritt_status differentiate_direction(ritti_tangents *T, const ritt_real *s, ritt_real *top,
                                           ritt_real *dV) {
  const ritti_problem *p = T->problem;
  const int m = p->m;
  RITT_TRY(differentiate_tops(T, s, top));
  for (int i = 0; i < T->count; i++, s += m, dV += m, top += p->tops) {
    ritti_direction_with_tops(T->step->direction, s, top, dV);
    dV[0] = 0;
  }
  return RITT_OK;
}

/* Are they finite? What follows from a derivative that is not finite is not finite either. */
static ritt_status check_tangents(const ritti_tangents *T, const ritt_real *s,
                                  const ritt_real *top) {
  size_t count = (size_t)T->count;
  bool finite = ritti_are_finite(count * (size_t)T->problem->m, s);
  finite = finite && ritti_are_finite(count * (size_t)T->problem->tops, top);
  return finite ? RITT_OK : RITT_RETRY;
}

/* ---- the projection ---- */

enum { BLOCK = 256 }; /* entries of a product that are computed together */

/* Evaluates the derivatives of the rows of M at q. */
static ritt_status evaluate_rows(ritti_tangents *T, const ritt_real *q) {
  return T->problem->call.f_d(T->problem->data, T->step->manifold->work, q, T->df);
}

/* Is the matrix of the velocities that of the positions? Rows of velocities depend on velocities as
 * rows of positions on positions; the weights must be the same. */
static bool has_same_matrix(const ritti_tangents *T, const ritti_tangent_rows *g) {
  const ritti_problem *p = T->problem;
  const ritt_real *spread = T->step->manifold->inverse_weights;
  if (g == T->rows) return false;
  for (int j = 1; j < g->from; j++)
    if (p->next[j] != j + p->positions || spread[j] != spread[j + p->positions]) return false;
  return true;
}

/* Factors the matrices of all groups of rows. */
static ritt_status factor_groups(ritti_tangents *T) {
  const ritti_manifold *M = T->step->manifold;
  for (int i = 0; i < T->groups; i++) {
    ritti_tangent_rows *g = &T->rows[i];
    g->factors = has_same_matrix(T, g) ? T->rows[0].factors : &g->gram;
    if (g->factors != &g->gram) continue;
    for (int j = 0; j < T->problem->m; j++) T->weights[j] = g->keep[j] ? M->inverse_weights[j] : 0;
    ritti_problem_form(T->problem, &g->gram);
    const ritt_real *weights = ritti_linear_is_plain(&g->gram, T->weights) ? NULL : T->weights;
    if (!ritti_linear_factor(&g->gram, T->df, weights)) return RITT_RETRY;
  }
  return RITT_OK;
}

/* out += B s for the rows of a group */
static void add_rows(const ritti_tangents *T, const ritti_tangent_rows *g, const ritt_real *s,
                     ritt_real *out) {
  ritt_real sum[BLOCK];
  for (int i = 0, run = 0; i < g->pattern.rows; i += BLOCK) {
    int count = g->pattern.rows - i < BLOCK ? g->pattern.rows - i : BLOCK;
    ritti_columns_times(&g->by_rows, &run, i, count, T->df, s, sum);
    for (int j = 0; j < count; j++) out[i + j] += sum[j];
  }
}

/* mu := (B W B^T)^-1 mu, and s -= W B^T mu for the coordinates of the group */
static void move_tangent(ritti_tangents *T, ritti_tangent_rows *g, ritt_real *s) {
  const ritt_real *spread = T->step->manifold->inverse_weights;
  ritt_real sum[BLOCK];
  ritti_linear_solve(g->factors, T->mu);
  for (int j = g->from, run = 0; j < g->to; j += BLOCK) {
    int count = g->to - j < BLOCK ? g->to - j : BLOCK;
    ritti_columns_times(&g->by_columns, &run, j, count, T->df, T->mu, sum);
    for (int i = 0; i < count; i++) s[j + i] -= spread[j + i] * sum[i];
  }
}

/* Derivatives of the rows of a group by p number `by` at fixed z, into mu. */
static void copy_rows(const ritti_tangents *T, const ritti_tangent_rows *g, int by) {
  const ritti_pattern *pattern = &T->problem->df_p;
  for (int i = 0; i < g->pattern.rows; i++) {
    int row = g->first + i;
    T->mu[i] = T->level ? T->level[by * T->problem->k + row] : 0;
    for (int e = pattern->start[row]; e < pattern->start[row + 1]; e++)
      if (pattern->col[e] == by) T->mu[i] += T->df_p[e];
  }
}

/* The same for all tangents and a few rows. */
static ritt_status move_by_kernel(ritti_tangents *T, const ritti_tangent_rows *g, ritt_real *s) {
  const ritti_problem *p = T->problem;
  const ritti_row_range at = {p->m, g->from, g->to, g->first, g->pattern.rows};
  return ritti_project_tangents(at, p->k, T->count, &p->df_z, T->df, &p->df_p, T->df_p, T->level,
                                T->step->manifold->inverse_weights, T->B, T->dB, s)
             ? RITT_OK
             : RITT_RETRY;
}

/* Moves the tangents, count x m, at q to where f_z s + f_p = 0, as the projection moves points. */
static ritt_status project_tangents(ritti_tangents *T, const ritt_real *q, ritt_real *s) {
  int m = T->problem->m;
  if (T->groups == 0) return RITT_OK;
  RITT_TRY(evaluate_rows(T, q));
  if (!T->rows[0].small) RITT_TRY(factor_groups(T));
  for (int i = 0; i < T->groups; i++) {
    ritti_tangent_rows *g = &T->rows[i];
    if (g->small) RITT_TRY(move_by_kernel(T, g, s));
    else
      for (int p = 0; p < T->count; p++) {
        copy_rows(T, g, p);
        add_rows(T, g, s + p * m, T->mu);
        move_tangent(T, g, s + p * m);
      }
  }
  return RITT_OK;
}

/* ---- forward ---- */

ritt_status ritti_tangents_start(ritti_tangents *T, const ritt_real *z, const ritt_real *s) {
  const ritti_problem *p = T->problem;
  int last = T->step->last;
  T->x = T->x_new = z[0];
  T->h = 0;
  T->accepted = true;
  memcpy(T->s_new, s, (size_t)p->m * (size_t)T->count * sizeof *s);

  /* levels take their values from the start */
  if (T->level) {
    memset(T->level, 0, (size_t)p->k * (size_t)T->count * sizeof *T->level);
    RITT_TRY(evaluate_rows(T, z));
    for (int i = 0; i < T->count; i++)
      for (int j = 0; j < T->groups; j++) {
        ritti_tangent_rows *g = &T->rows[j];
        copy_rows(T, g, i);
        add_rows(T, g, s + i * p->m, T->mu);
        for (int r = 0; r < g->pattern.rows; r++)
          if (p->level_of[g->first + r] >= 0) T->level[i * p->k + g->first + r] = -T->mu[r];
      }
  }
  RITT_TRY(go_to(T, z));
  RITT_TRY(differentiate_direction(T, T->s_new, T->top_new, T->dV[last]));
  return check_tangents(T, T->s_new, T->top_new);
}

static void swap_arrays(ritt_real **a, ritt_real **b) {
  ritt_real *c = *a;
  *a = *b;
  *b = c;
}

/* A stage of the tangents: dV at the point z + h sum w_j V_j at x, which may have been kept. */
static ritt_status take_stage(ritti_tangents *T, ritt_real h, const ritt_real *w, int count,
                              ritt_real x, ritt_real *const *V, const ritti_direction_store *kept,
                              ritt_real *dV) {
  const int m = T->problem->m;
  if (kept && kept->valid) RITT_TRY(go_to_kept(T, kept));
  else {
    ritti_combine_stages(1, m, T->z, h, w, V, count, T->point);
    T->point[0] = x;
    RITT_TRY(go_to(T, T->point));
  }
  ritti_combine_stages(1, T->count * m, T->s, h, w, T->dV, count, T->moved);
  T->moved[0] = 0;
  return differentiate_direction(T, T->moved, T->right, dV);
}

/* Takes the tangents along a step of native code in native code; false: it cannot. */
static bool take_natively(ritti_tangents *T) {
  const ritti_stepper *step = T->step;
  const ritti_problem *p = T->problem;
  if (!step->complete || step->kept != step->tableau->stages || !p->code.tangents) return false;
  ritti_tangent_function *take = p->code.tangents(p->data, step->job.key);
  ritti_tangent_job job = {.h = T->h,
                           .spread = step->manifold->inverse_weights,
                           .kept = T->kept,
                           .s = T->s,
                           .level = T->level,
                           .s_new = T->s_new,
                           .top_new = T->top_new,
                           .dV = T->dV,
                           .work = step->direction->work};
  return take && take(&job);
}

ritt_status ritti_tangents_take(ritti_tangents *T) {
  ritti_stepper *step = T->step;
  const ritti_tableau *t = step->tableau;
  const int m = T->problem->m;
  if (T->accepted) {
    swap_arrays(&T->s, &T->s_new);
    swap_arrays(&T->top, &T->top_new);
    swap_arrays(&T->dV[0], &T->dV[step->last]);
  }
  T->accepted = T->dense_ready = false;
  T->x = step->z[0], T->h = step->h, T->x_new = step->z_new[0];
  memcpy(T->z, step->z, (size_t)m * sizeof *T->z);
  memcpy(T->V, step->V, (size_t)step->by->vectors(t) * sizeof *T->V);
  if (take_natively(T)) return RITT_OK;

  const ritt_real *row = t->a;
  for (int i = 1; i < t->stages; i++) {
    RITT_TRY(take_stage(T, T->h, row, i, T->x + t->c[i] * T->h, T->V, &T->record[i], T->dV[i]));
    row += i;
  }
  ritti_combine_stages(1, T->count * m, T->s, T->h, t->b, T->dV, t->stages, T->s_new);
  T->s_new[0] = 0;
  RITT_TRY(project_tangents(T, step->z_new, T->s_new));
  const ritti_direction_store *end = &T->record[t->stages];
  RITT_TRY(end->valid ? go_to_kept(T, end) : go_to(T, step->z_new));
  RITT_TRY(differentiate_direction(T, T->s_new, T->top_new, T->dV[step->last]));
  return check_tangents(T, T->s_new, T->top_new);
}

/* The tangents at the fraction theta of the last step, before they are projected. */
static ritt_status interpolate_tangents(ritti_tangents *T, ritt_real theta, ritt_real *s) {
  const ritti_tableau *t = T->step->tableau;
  const int all = T->count * T->problem->m, last = T->step->last;
  const ritt_real h = T->h;
  if (!t->dense && t->order > 4) {
    /* a shorter step from the same start, as the stepper takes */
    const ritt_real *row = t->a;
    ritt_real **V = T->V_bar;
    memcpy(V[0], T->V[0], (size_t)T->problem->m * sizeof *V[0]);
    for (int i = 1; i < t->stages; i++) {
      RITT_TRY(take_stage(T, theta * h, row, i, T->x + t->c[i] * theta * h, V, NULL, T->dV[i]));
      memcpy(V[i], T->speed, (size_t)T->problem->m * sizeof *V[i]);
      row += i;
    }
    ritti_combine_stages(0, all, T->s, theta * h, t->b, T->dV, t->stages, s);
    return RITT_OK;
  }
  if (!t->dense) {
    /* the cubic of Hermite through both ends */
    const ritt_real u = theta, b0 = (1 + 2 * u) * (1 - u) * (1 - u), d0 = u * (1 - u) * (1 - u) * h,
                    d1 = u * u * (u - 1) * h;
    for (int i = 0; i < all; i++)
      s[i] = b0 * T->s[i] + (1 - b0) * T->s_new[i] + d0 * T->dV[0][i] + d1 * T->dV[last][i];
    return RITT_OK;
  }

  const ritt_real *row = t->extra_a;
  for (int i = 0; !T->dense_ready && i < t->extra; i++) {
    const int count = t->stages + 1 + i;
    RITT_TRY(take_stage(T, h, row, count, T->x + t->extra_c[i] * h, T->V, NULL, T->dV[count]));
    row += count;
  }
  T->dense_ready = true;
  memcpy(s, T->s, (size_t)all * sizeof *s);
  for (int j = 0; j < t->stages + 1 + t->extra; j++) {
    const ritt_real *w = t->dense + j * t->dense_degree, *dV = T->dV[j];
    ritt_real P = 0;
    for (int q = t->dense_degree - 1; q >= 0; q--) P = (P + w[q]) * theta;
    if (P == 0) continue;
    for (int i = 0; i < all; i++) s[i] += h * P * dV[i];
  }
  return RITT_OK;
}

ritt_status ritti_tangents_at(ritti_tangents *T, const ritt_real *z, const ritt_real **s,
                              const ritt_real **top) {
  *s = T->s_new, *top = T->top_new;
  if (z[0] == T->x_new) return RITT_OK;
  *s = T->s, *top = T->top;
  if (z[0] == T->x && T->h != 0) return RITT_OK;
  ritt_real theta = T->h == 0 ? -1 : (z[0] - T->x) / T->h;
  if (!(theta > 0 && theta < 1)) return RITT_WRONG_CALL;

  *s = T->s_inside, *top = T->top_inside;
  RITT_TRY(interpolate_tangents(T, theta, T->s_inside));
  RITT_TRY(project_tangents(T, z, T->s_inside));
  RITT_TRY(go_to(T, z));
  RITT_TRY(differentiate_tops(T, T->s_inside, T->top_inside));
  return check_tangents(T, T->s_inside, T->top_inside);
}

ritt_status ritti_tangents_outputs(ritti_tangents *T, const ritt_real *z, const ritt_real *top,
                                   int outputs, ritt_real *out) {
  const ritti_problem *p = T->problem;
  const ritti_pattern *pattern = &p->doutput;
  const ritt_real *s, *ds;
  RITT_TRY(ritti_tangents_at(T, z, &s, &ds));
  RITT_TRY(p->call.output_d(p->data, T->step->direction->work, z, top, T->doutput));
  for (int by = 0; by < T->count; by++)
    for (int i = 0; i < outputs; i++) {
      ritt_real sum = 0;
      for (int e = pattern->start[i]; e < pattern->start[i + 1]; e++) {
        int j = pattern->col[e];
        if (j < p->m) sum += T->doutput[e] * s[by * p->m + j];
        else if (j < p->m + p->tops) sum += T->doutput[e] * ds[by * p->tops + j - p->m];
        else if (j == p->m + p->tops + by) sum += T->doutput[e];
      }
      *out++ = sum;
    }
  return RITT_OK;
}

void ritti_tangents_state(ritti_tangents *T, ritti_state *state) {
  const ritti_stepper *step = T->step;
  size_t m = (size_t)T->problem->m, all = m * (size_t)T->count,
         tops = (size_t)T->problem->tops * (size_t)T->count;
  int vectors = step->by->vectors(step->tableau);
  ritti_state_reals(state, "tangents.x", &T->x, 1);
  ritti_state_reals(state, "tangents.h", &T->h, 1);
  ritti_state_reals(state, "tangents.x_new", &T->x_new, 1);
  ritti_state_bool(state, "tangents.accepted", &T->accepted);
  ritti_state_bool(state, "tangents.dense_ready", &T->dense_ready);
  ritti_state_reals(state, "tangents.z", T->z, m);
  ritti_state_reals(state, "tangents.s", T->s, all);
  ritti_state_reals(state, "tangents.s_new", T->s_new, all);
  ritti_state_reals(state, "tangents.top", T->top, tops);
  ritti_state_reals(state, "tangents.top_new", T->top_new, tops);
  for (int i = 0; i < vectors; i++) ritti_state_reals(state, "tangents.dV", T->dV[i], all);
  if (T->level)
    ritti_state_reals(state, "tangents.level", T->level, (size_t)T->problem->k * (size_t)T->count);
  if (state->mode != RITTI_STATE_LOAD) return;

  /* acceptance has exchanged the vectors at both ends */
  memcpy(T->V, step->V, (size_t)vectors * sizeof *T->V);
  if (T->accepted) T->V[0] = step->V[step->last], T->V[step->last] = step->V[0];
}

/* ---- adjoint ---- */

/* The adjoint of the highest derivatives at the point gone to; top_bar is used up. */
static ritt_status pull_tops(ritti_tangents *T, ritt_real *top_bar, ritt_real *s_bar,
                             ritt_real *gradient) {
  const ritti_problem *p = T->problem;
  if (p->tops == 0) return RITT_OK;
  RITT_TRY(evaluate_system(T));
  solve_tops(T, true, top_bar);
  add_transposed(&p->dr_z, T->dr, top_bar, s_bar);
  add_transposed(&p->dr_p, T->dr_p, top_bar, gradient);
  return RITT_OK;
}

ritt_status ritti_adjoint_outputs(ritti_tangents *T, const ritt_real *z, const ritt_real *weight,
                                  ritt_real *s_bar, ritt_real *gradient) {
  const ritti_problem *p = T->problem;
  const ritti_pattern *pattern = &p->doutput;
  RITT_TRY(go_to(T, z));
  RITT_TRY(p->call.output_d(p->data, T->step->direction->work, z, T->at->top, T->doutput));
  memset(T->right, 0, (size_t)p->tops * sizeof *T->right);
  for (int i = 0; i < pattern->rows; i++)
    for (int e = pattern->start[i]; e < pattern->start[i + 1]; e++) {
      int j = pattern->col[e];
      ritt_real part = weight[i] * T->doutput[e];
      if (j < p->m) s_bar[j] += part;
      else if (j < p->m + p->tops) T->right[j - p->m] += part;
      else gradient[j - p->m - p->tops] += part;
    }
  return pull_tops(T, T->right, s_bar, gradient);
}

/* The adjoint of the projection to z_new. */
static ritt_status pull_projection(ritti_tangents *T, const ritt_real *z_new, ritt_real *s_bar,
                                   ritt_real *level_bar, ritt_real *gradient) {
  const ritti_problem *p = T->problem;
  const ritt_real *spread = T->step->manifold->inverse_weights;
  if (T->groups == 0) return RITT_OK;
  RITT_TRY(evaluate_rows(T, z_new));
  RITT_TRY(factor_groups(T));
  for (int i = T->groups - 1; i >= 0; i--) {
    ritti_tangent_rows *g = &T->rows[i];
    const ritti_pattern by = {g->pattern.rows, T->count, p->df_p.start + g->first, p->df_p.col};
    for (int r = 0; r < g->pattern.rows; r++) {
      T->mu[r] = 0;
      for (int e = g->pattern.start[r]; e < g->pattern.start[r + 1]; e++) {
        int j = g->pattern.col[e];
        if (g->keep[j]) T->mu[r] -= T->df[e] * spread[j] * s_bar[j];
      }
    }
    ritti_linear_solve(g->factors, T->mu);
    add_transposed(&g->pattern, T->df, T->mu, s_bar);
    add_transposed(&by, T->df_p, T->mu, gradient);
    for (int r = 0; p->level_of && r < g->pattern.rows; r++)
      if (p->level_of[g->first + r] >= 0) level_bar[g->first + r] += T->mu[r];
  }
  return RITT_OK;
}

ritt_status ritti_adjoint_step(ritti_tangents *T, const ritt_real *z, const ritt_real *z_new,
                               ritt_real h, ritt_real *s_bar, ritt_real *level_bar,
                               ritt_real *gradient) {
  const ritti_problem *p = T->problem;
  ritti_direction *D = T->step->direction;
  const ritti_tableau *t = T->step->tableau;
  const int m = p->m, stages = t->stages;
  ritt_real **V = T->step->V;

  /* the stages again */
  const ritt_real *row = t->a;
  for (int i = 0; i < stages; i++) {
    ritti_combine_stages(1, m, z, h, row, V, i, T->point);
    T->point[0] = z[0] + t->c[i] * h;
    RITT_TRY(ritti_direction_at(D, T->point, V[i]));
    ritti_direction_keep(D, T->point, &T->record[i]);
    row += i;
  }

  RITT_TRY(pull_projection(T, z_new, s_bar, level_bar, gradient));
  for (int j = 0; j < stages; j++)
    for (int i = 0; i < m; i++) T->V_bar[j][i] = h * t->b[j] * s_bar[i];
  for (int i = stages - 1; i >= 0; i--) {
    const ritt_real *V_bar = T->V_bar[i];
    ritt_real *point_bar = T->moved;
    row = t->a + i * (i - 1) / 2;
    RITT_TRY(go_to_kept(T, &T->record[i]));

    memset(point_bar, 0, (size_t)m * sizeof *point_bar);
    memset(T->right, 0, (size_t)p->tops * sizeof *T->right);
    for (int j = 1; j < m; j++)
      if (p->next[j] >= 0) point_bar[p->next[j]] += V_bar[j];
      else T->right[-1 - p->next[j]] += V_bar[j];
    RITT_TRY(pull_tops(T, T->right, point_bar, gradient));
    for (int k = 0; k < m; k++) s_bar[k] += point_bar[k];
    for (int j = 0; j < i; j++)
      for (int k = 0; row[j] != 0 && k < m; k++) T->V_bar[j][k] += h * row[j] * point_bar[k];
  }
  return RITT_OK;
}

ritt_status ritti_adjoint_levels(ritti_tangents *T, const ritt_real *z, const ritt_real *level_bar,
                                 ritt_real *s_bar, ritt_real *gradient) {
  const ritti_problem *p = T->problem;
  if (!p->level_of) return RITT_OK;
  RITT_TRY(evaluate_rows(T, z));
  for (int i = 0; i < p->k; i++) T->mu[i] = -level_bar[i];
  add_transposed(&p->df_z, T->df, T->mu, s_bar);
  add_transposed(&p->df_p, T->df_p, T->mu, gradient);
  return RITT_OK;
}
