/* The linear systems of the stages, one real block for each real eigenvalue gamma of A^-1 and one
 * of double size for each pair (docs/implicit.md):
 *
 *     (gamma/h) dz - dV dz + W^-1 df^T dnu = r,   df dz = g.
 *
 * dV is not formed. Where the tops are given by a formula its derivatives stand in the rows of the
 * tops; where A top + b = 0 determines them the changes of the tops are unknowns, and A dtop + (d(A
 * top + b)/dz) dz = 0 are rows, so that all stays as sparse as the system is; systems that are
 * small enough for dense algebra eliminate them. Where A has fewer rows than tops, dtop = A^T dw.
 * Over arc length V = (v0, v0 y_1, ..., v), b v0 + A v = 0, |V| = 1, and dv, dv0 are unknowns.
 * Problems without these derivatives have dV by differences of V, dense.
 */
#include "step/implicit_impl.h"

/* ---- the rows, listed in order ---- */

/* Gets the entries row by row: their columns the first time, their values each time. */
typedef struct writer {
  ritti_stage_system *S;
  int *start, *col; /* NULL: only values */
  const ritt_real *z, *spread, *arc;
  int at, row;
  bool count; /* nothing is written */
} writer;

static void put_entry(writer *w, int col, ritt_real value) {
  if (!w->count && w->col) w->col[w->at] = col;
  if (!w->count) w->S->entry[w->at] = value;
  w->at++;
}

static void end_row(writer *w) {
  w->row++;
  if (w->start && !w->count) w->start[w->row] = w->at;
}

/* V_i of a coordinate by x: a constant of the pattern, or a row of the formula */
static void put_slope_x(writer *w, int i) {
  const ritti_stage_system *S = w->S;
  const ritti_problem *p = S->problem;
  if (i == 0) return;
  if (p->next[i] >= 0) {
    put_entry(w, p->next[i], -1);
    return;
  }
  int t = -1 - p->next[i];
  for (int j = 1; S->small && j < p->m; j++) put_entry(w, j, -S->hull[t * p->m + j]);
  if (S->small) return;
  if (p->kind != RITT_EXPLICIT) put_entry(w, S->at_top + t, -1);
  for (int e = p->dr.start[t]; p->kind == RITT_EXPLICIT && e < p->dr.start[t + 1]; e++)
    if (p->dr.col[e]) put_entry(w, p->dr.col[e], -S->dr[e]);
}

static void put_slope_arc(writer *w, int i) {
  const ritti_stage_system *S = w->S;
  const ritti_problem *p = S->problem;
  if (i == 0) put_entry(w, S->at_speed, -1);
  else if (p->next[i] < 0) put_entry(w, S->at_top - 1 - p->next[i], -1);
  else {
    put_entry(w, p->next[i], -S->V[0]);
    put_entry(w, S->at_speed, -w->z[p->next[i]]);
  }
}

static void put_coordinates(writer *w) {
  ritti_stage_system *S = w->S;
  int m = S->problem->m;
  for (int i = 0; i < m; i++) {
    S->diagonal[i] = w->at;
    put_entry(w, i, 0);
    if (S->slopes == RITTI_SLOPES_X) put_slope_x(w, i);
    if (S->slopes == RITTI_SLOPES_ARC) put_slope_arc(w, i);
    for (int j = 0; S->slopes == RITTI_SLOPES_DIFFERENCES && j < m; j++)
      put_entry(w, j, -S->hull[i * m + j]);
    for (int e = S->normals ? S->df_start[i] : 0; S->normals && e < S->df_start[i + 1]; e++)
      put_entry(w, S->at_nu + S->df_row[e], w->spread[i] * S->df[S->df_entry[e]]);
    end_row(w);
  }
}

/* the system of the tops, differentiated */
static void put_system(writer *w) {
  ritti_stage_system *S = w->S;
  const ritti_problem *p = S->problem;
  bool arc = S->slopes == RITTI_SLOPES_ARC, formula = p->kind == RITT_EXPLICIT;
  int rows = formula ? p->tops : p->A.rows;
  for (int i = 0; i < rows; i++) {
    for (int e = p->dr.start[i]; e < p->dr.start[i + 1]; e++)
      if (arc || p->dr.col[e]) put_entry(w, p->dr.col[e], formula ? -S->V[0] * S->dr[e] : S->dr[e]);
    if (formula) put_entry(w, S->at_top + i, 1);
    for (int e = formula ? 0 : p->A.start[i]; !formula && e < p->A.start[i + 1]; e++)
      put_entry(w, S->at_top + p->A.col[e], S->A[e]);
    if (arc) put_entry(w, S->at_speed, S->b[i]);
    end_row(w);
  }
  for (int t = 0; S->A_start && t < p->tops; t++) {
    put_entry(w, S->at_top + t, 1);
    for (int e = S->A_start[t]; e < S->A_start[t + 1]; e++)
      put_entry(w, S->at_w + S->A_row[e], -S->A[S->A_entry[e]]);
    end_row(w);
  }
}

/* df dz = g */
static void put_normals(writer *w) {
  const ritti_stage_system *S = w->S;
  const ritti_pattern *df = &S->problem->df;
  for (int i = 0; i < S->problem->k; i++) {
    for (int e = df->start[i]; e < df->start[i + 1]; e++) put_entry(w, df->col[e], S->df[e]);
    end_row(w);
  }
}

/* |V| stays 1 */
static void put_speed(writer *w) {
  const ritti_stage_system *S = w->S;
  const ritti_problem *p = S->problem;
  ritt_real speed = w->arc ? w->arc[0] * S->V[0] : 0;
  for (int i = 1; i < p->m; i++) {
    ritt_real c = w->arc ? w->arc[i] * S->V[i] : 0;
    if (p->next[i] < 0) put_entry(w, S->at_top - 1 - p->next[i], c);
    else {
      put_entry(w, p->next[i], c * S->V[0]);
      speed += c * w->z[p->next[i]];
    }
  }
  put_entry(w, S->at_speed, speed);
  end_row(w);
}

static void put_all(writer *w) {
  const ritti_stage_system *S = w->S;
  w->at = w->row = 0;
  put_coordinates(w);
  if (S->at_w > S->at_top) put_system(w);
  if (S->normals) put_normals(w);
  if (S->slopes == RITTI_SLOPES_ARC) put_speed(w);
}

/* ---- setting up ---- */

/* A pattern by columns, with the number of each entry. */
static ritt_status by_columns(const ritti_pattern *p, ritti_arena *arena, int **start, int **entry,
                              int **row) {
  int count = (int)ritti_entries(p), *next;
  RITTI_NEW(*start, arena, p->cols + 2);
  RITTI_NEW(next, arena, p->cols + 1);
  RITTI_NEW(*entry, arena, count + 1);
  RITTI_NEW(*row, arena, count + 1);
  for (int e = 0; e < count; e++) (*start)[p->col[e] + 1]++;
  for (int j = 0; j < p->cols; j++) (*start)[j + 1] += (*start)[j], next[j] = (*start)[j];
  for (int i = 0; i < p->rows; i++)
    for (int e = p->start[i]; e < p->start[i + 1]; e++) {
      int at = next[p->col[e]]++;
      (*entry)[at] = e;
      (*row)[at] = i;
    }
  return RITT_OK;
}

static ritt_status make_block(ritti_stage_system *S, ritti_arena *arena) {
  int *start, *col;
  writer w = {.S = S, .count = true, .z = S->x, .spread = S->x};
  put_all(&w);
  RITTI_NEW(start, arena, S->n + 1);
  RITTI_NEW(col, arena, w.at + 1);
  RITTI_NEW(S->entry, arena, w.at + 1);
  RITTI_NEW(S->values, arena, 2 * (w.at + S->problem->m) + 1);
  w.start = start, w.col = col, w.count = false;
  put_all(&w);
  S->block = (ritti_pattern){S->n, S->n, start, col};
  return RITT_OK;
}

/* (block, beta; -beta, block) */
static ritt_status make_pair(ritti_stage_system *S, ritti_arena *arena) {
  const ritti_pattern *p = &S->block;
  int n = S->n, m = S->problem->m, at = 0, *start, *col;
  RITTI_NEW(start, arena, 2 * n + 1);
  RITTI_NEW(col, arena, 2 * (p->start[n] + m) + 1);
  for (int part = 0; part < 2; part++)
    for (int i = 0; i < n; i++) {
      for (int e = p->start[i]; e < p->start[i + 1]; e++) col[at++] = p->col[e] + part * n;
      if (i < m) col[at++] = i + (1 - part) * n;
      start[part * n + i + 1] = at;
    }
  S->pair = (ritti_pattern){2 * n, 2 * n, start, col};
  return RITT_OK;
}

static ritt_status make_room(ritti_stage_system *S, ritti_arena *arena) {
  const ritti_problem *p = S->problem;
  RITTI_NEW(S->V, arena, p->m);
  RITTI_NEW(S->x, arena, 2 * p->m + p->tops + 1);
  RITTI_NEW(S->W, arena, (size_t)S->method->s * (size_t)S->n + 1);
  RITTI_NEW(S->diagonal, arena, p->m);
  if (S->normals) {
    RITTI_NEW(S->f, arena, p->k + 1);
    RITTI_NEW(S->df, arena, ritti_entries(&p->df) + 1);
    RITTI_NEW(S->start_df, arena, ritti_entries(&p->df) + 1);
    RITTI_NEW(S->change, arena, p->k + 1);
    RITTI_NEW(S->dnu, arena, (size_t)S->method->s * (size_t)p->k + 1);
    RITT_TRY(by_columns(&p->df, arena, &S->df_start, &S->df_entry, &S->df_row));
  }
  if (S->slopes == RITTI_SLOPES_DIFFERENCES) {
    RITTI_NEW(S->hull, arena, (size_t)p->m * (size_t)p->m);
    return RITT_OK;
  }
  RITTI_NEW(S->dr, arena, ritti_entries(&p->dr) + 1);
  RITTI_NEW(S->dr0, arena, ritti_entries(&p->dr) + 1);
  RITTI_NEW(S->A, arena, ritti_entries(&p->A) + 1);
  RITTI_NEW(S->b, arena, p->tops + 1);
  if (S->small) {
    RITTI_NEW(S->hull, arena, p->tops * p->m + 1);
    RITTI_NEW(S->lu, arena, p->tops * p->tops + 1);
    RITTI_NEW(S->pivot, arena, p->tops + 1);
  }
  if (p->kind != RITT_EXPLICIT && p->A.rows < p->tops)
    RITT_TRY(by_columns(&p->A, arena, &S->A_start, &S->A_entry, &S->A_row));
  return RITT_OK;
}

ritt_status ritti_stage_system_init(ritti_stage_system *S, const ritti_problem *p,
                                    const ritti_collocation *method, ritti_slopes slopes,
                                    bool normals, ritti_algebra algebra, ritti_arena *arena) {
  *S = (ritti_stage_system){.slopes = slopes, .normals = normals, .problem = p, .method = method};
  bool tops = slopes == RITTI_SLOPES_ARC || (slopes == RITTI_SLOPES_X && p->kind != RITT_EXPLICIT);
  S->small = tops && slopes == RITTI_SLOPES_X && p->A.rows == p->tops &&
             p->m + p->tops <= RITTI_SMALL &&
             (algebra == RITTI_ALGEBRA_AUTO || algebra == RITTI_ALGEBRA_DENSE);
  if (S->small) tops = false;
  bool least = tops && p->kind != RITT_EXPLICIT && p->A.rows < p->tops;
  S->at_top = p->m;
  S->at_w = S->at_top + (tops ? p->tops : 0);
  S->at_nu = S->at_w + (least ? p->A.rows : 0);
  S->at_speed = S->at_nu + (normals ? p->k : 0);
  S->n = S->at_speed + (slopes == RITTI_SLOPES_ARC);
  RITT_TRY(make_room(S, arena));
  RITT_TRY(make_block(S, arena));
  int reals = method->reals ? method->reals : 1;
  RITTI_NEW(S->real, arena, reals);
  RITTI_NEW(S->twin, arena, method->pairs + 1);
  for (int i = 0; i < reals; i++)
    RITT_TRY(ritti_linear_init(&S->real[i], RITTI_GENERAL, &S->block, 0, algebra, arena));
  if (method->pairs) RITT_TRY(make_pair(S, arena));
  for (int i = 0; i < method->pairs; i++)
    RITT_TRY(ritti_linear_init(&S->twin[i], RITTI_GENERAL, &S->pair, 0, algebra, arena));
  return RITT_OK;
}

/* ---- the derivatives at a point ---- */

/* dV by differences; a coordinate moves by half the digits of its size. */
static ritt_status look_by_differences(ritti_stage_system *S, ritti_stepper *step) {
  int m = S->problem->m;
  ritt_real *z = S->x, *V = S->x + m;
  memcpy(z, step->z, (size_t)m * sizeof *z);
  for (int j = 0; j < m; j++) {
    ritt_real size = RITTI_MATH(fmax)(RITTI_MATH(fabs)(step->z[j]), step->manifold->size[j]);
    ritt_real d = RITTI_MATH(sqrt)(RITTI_EPS) * size;
    z[j] = step->z[j] + d;
    ritt_status status = ritti_direction_at(step->direction, z, V);
    if (status == RITT_RETRY) {
      d = -d;
      z[j] = step->z[j] + d;
      status = ritti_direction_at(step->direction, z, V);
    }
    RITT_TRY(status);
    for (int i = 0; i < m; i++) S->hull[i * m + j] = (V[i] - step->V[0][i]) / (z[j] - step->z[j]);
    z[j] = step->z[j];
  }
  return RITT_OK;
}

/* Over arc length the rows are those of b v0 + A v, linear in (v0, v). */
static ritt_status look_by_arc(ritti_stage_system *S, const ritti_stepper *step, ritt_real *work) {
  const ritti_problem *p = S->problem;
  ritt_real *v = S->x, v0 = S->V[0];
  if (p->kind == RITT_EXPLICIT) {
    RITT_TRY(p->call.formula(p->data, work, step->z, S->b));
    for (int i = 0; i < p->tops; i++) S->b[i] = -S->b[i];
    return p->call.system_dz(p->data, work, step->z, step->direction->top, S->dr);
  }
  for (int t = 0; t < p->tops; t++) v[t] = v0 != 0 ? step->direction->top[t] * v0 : 0;
  for (int i = 1; i < p->m; i++)
    if (p->next[i] < 0) v[-1 - p->next[i]] = S->V[i];
  RITT_TRY(p->call.system_dz(p->data, work, step->z, v, S->dr));
  for (int t = 0; t < p->tops; t++) v[t] = 0;
  RITT_TRY(p->call.system_dz(p->data, work, step->z, v, S->dr0));
  for (size_t e = 0; e < ritti_entries(&p->dr); e++) S->dr[e] += (v0 - 1) * S->dr0[e];
  return p->call.system(p->data, work, step->z, S->A, S->b);
}

/* hull = -A^-1 dr; A is regular, since the tops were found */
static ritt_status eliminate_tops(ritti_stage_system *S) {
  const ritti_problem *p = S->problem;
  int n = p->tops, m = p->m;
  ritt_real *x = S->x;
  ritti_csr_to_dense(&p->A, S->A, S->lu);
  ritti_csr_to_dense(&p->dr, S->dr, S->hull);
  if (!ritti_lu_factor(n, S->lu, S->pivot, NULL)) return RITT_RETRY;
  for (int j = 0; j < m; j++) {
    for (int i = 0; i < n; i++) x[i] = -S->hull[i * m + j];
    ritti_lu_solve(n, S->lu, S->pivot, x);
    for (int i = 0; i < n; i++) S->hull[i * m + j] = x[i];
  }
  return RITT_OK;
}

static ritt_status look_by_x(ritti_stage_system *S, const ritti_stepper *step, ritt_real *work) {
  const ritti_problem *p = S->problem;
  RITT_TRY(p->call.system_dz(p->data, work, step->z, step->direction->top, S->dr));
  if (p->kind == RITT_EXPLICIT) return RITT_OK;
  RITT_TRY(p->call.system(p->data, work, step->z, S->A, S->b));
  return S->small ? eliminate_tops(S) : RITT_OK;
}

ritt_status ritti_stage_system_look(ritti_stage_system *S, ritti_stepper *step) {
  const ritti_problem *p = S->problem;
  ritt_real *work = step->direction->work;
  memcpy(S->V, step->V[0], (size_t)p->m * sizeof *S->V);
  /* the tops there */
  if (p->kind != RITT_EXPLICIT) RITT_TRY(ritti_direction_at(step->direction, step->z, S->x));
  if (S->slopes == RITTI_SLOPES_DIFFERENCES) RITT_TRY(look_by_differences(S, step));
  else
    RITT_TRY(S->slopes == RITTI_SLOPES_ARC ? look_by_arc(S, step, work) : look_by_x(S, step, work));
  if (S->normals) RITT_TRY(p->call.f_df(p->data, work, step->z, S->f, S->df));
  writer w = {
      .S = S, .z = step->z, .spread = step->manifold->inverse_weights, .arc = step->direction->arc};
  put_all(&w);
  return RITT_OK;
}

/* ---- factors and solutions ---- */

static bool factor_real(ritti_stage_system *S, ritti_linear *L, ritt_real gamma) {
  memcpy(S->values, S->entry, (size_t)S->block.start[S->n] * sizeof *S->values);
  for (int i = 0; i < S->problem->m; i++) S->values[S->diagonal[i]] += gamma;
  return ritti_linear_factor(L, S->values, NULL);
}

static bool factor_pair(ritti_stage_system *S, ritti_linear *L, ritt_real alpha, ritt_real beta) {
  const ritti_pattern *p = &S->block;
  int m = S->problem->m, at = 0;
  for (int part = 0; part < 2; part++)
    for (int i = 0; i < S->n; i++) {
      int diagonal = i < m ? at + S->diagonal[i] - p->start[i] : -1;
      for (int e = p->start[i]; e < p->start[i + 1]; e++) S->values[at++] = S->entry[e];
      if (i >= m) continue;
      S->values[diagonal] += alpha;
      S->values[at++] = part ? -beta : beta;
    }
  return ritti_linear_factor(L, S->values, NULL);
}

bool ritti_stage_system_factor(ritti_stage_system *S, ritt_real h) {
  const ritti_collocation *C = S->method;
  if (C->reals == 0 && !factor_real(S, &S->real[0], C->gamma0 / h)) return false;
  for (int i = 0; i < C->reals; i++)
    if (!factor_real(S, &S->real[i], C->gamma[i] / h)) return false;
  for (int i = 0; i < C->pairs; i++) {
    const ritt_real *gamma = C->gamma + C->reals + 2 * i;
    if (!factor_pair(S, &S->twin[i], gamma[0] / h, gamma[1] / h)) return false;
  }
  return true;
}

/* x = the transformed right sides of stage number `stage` */
static void gather_stage(const ritti_stage_system *S, int stage, const ritt_real *dZ,
                         const ritt_real *dnu, ritt_real *x) {
  const ritti_collocation *C = S->method;
  const ritt_real *row = C->T_inverse + stage * C->s;
  int m = S->problem->m, k = S->problem->k;
  for (int i = 0; i < S->n; i++) x[i] = 0;
  for (int j = 0; j < C->s; j++)
    for (int i = 0; i < m; i++) x[i] += row[j] * dZ[j * m + i];
  for (int j = 0; S->normals && j < C->s; j++)
    for (int i = 0; i < k; i++) x[S->at_nu + i] += row[j] * dnu[j * k + i];
}

/* back: dZ and dnu of all stages */
static void spread_stages(const ritti_stage_system *S, ritt_real *dZ, ritt_real *dnu) {
  const ritti_collocation *C = S->method;
  int m = S->problem->m, k = S->normals ? S->problem->k : 0;
  for (int i = 0; i < C->s; i++) {
    ritt_real *dz = dZ + i * m, *nu = k ? dnu + i * k : NULL;
    for (int l = 0; l < m; l++) dz[l] = 0;
    for (int l = 0; l < k; l++) nu[l] = 0;
    for (int j = 0; j < C->s; j++) {
      const ritt_real t = C->T[i * C->s + j], *w = S->W + (size_t)j * (size_t)S->n;
      for (int l = 0; l < m; l++) dz[l] += t * w[l];
      for (int l = 0; l < k; l++) nu[l] += t * w[S->at_nu + l];
    }
  }
}

void ritti_stage_system_solve(ritti_stage_system *S, ritt_real *dZ, ritt_real *dnu) {
  const ritti_collocation *C = S->method;
  size_t n = (size_t)S->n;
  for (int i = 0; i < C->s; i++) gather_stage(S, i, dZ, dnu, S->W + (size_t)i * n);
  for (int i = 0; i < C->reals; i++) ritti_linear_solve(&S->real[i], S->W + (size_t)i * n);
  for (int i = 0; i < C->pairs; i++)
    ritti_linear_solve(&S->twin[i], S->W + (size_t)(C->reals + 2 * i) * n);
  spread_stages(S, dZ, dnu);
}

void ritti_stage_system_filter(ritti_stage_system *S, ritt_real *v) {
  int m = S->problem->m;
  for (int i = 0; i < S->n; i++) S->W[i] = i < m ? v[i] : 0;
  ritti_linear_solve(&S->real[0], S->W);
  memcpy(v, S->W, (size_t)m * sizeof *v);
}

void ritti_stage_system_state(ritti_stage_system *S, ritti_state *state) {
  const ritti_collocation *C = S->method;
  ritti_state_reals(state, "stages.entry", S->entry, ritti_entries(&S->block));
  ritti_state_reals(state, "stages.df", S->df, S->df ? ritti_entries(&S->problem->df) : 0);
  for (int i = 0; i < (C->reals ? C->reals : 1); i++) ritti_linear_state(&S->real[i], true, state);
  for (int i = 0; i < C->pairs; i++) ritti_linear_state(&S->twin[i], true, state);
}
