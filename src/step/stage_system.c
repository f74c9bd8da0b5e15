/* The linear systems of the stages, one real block for each real eigenvalue gamma of A^-1 and one
 * complex block for each pair (docs/implicit.md):
 *
 *     (gamma/h) dz - dV dz + W^-1 df^T dnu = r,   df dz = g.
 *
 * dV is not formed. Where the tops are given by a formula its derivatives stand in the rows of the
 * tops; where A top + b = 0 determines them the changes of the tops are unknowns, and A dtop + (d(A
 * top + b)/dz) dz = 0 are rows, so that all stays as sparse as the system is; systems that are
 * small enough for dense algebra eliminate them. Where A has fewer rows than tops, dtop = A^T dw.
 * Over arc length V = (v0, v0 y_1, ..., v), b v0 + A v = 0, |V| = 1, and dv, dv0 are unknowns.
 * Problems without these derivatives have dV by differences of V, dense. Small blocks are factored
 * as dense matrices, those of pairs with complex entries; large ones are sparse, those of pairs complex too,
 * or, if they are bands, real and of double size.
 */
#include "step/implicit_impl.h"

/* ---- the rows, listed in order ---- */

/* Gets the entries row by row: their columns the first time, their values each time. */
typedef struct writer {
  ritti_stage_system *S;
  int *from_dr;     /* NULL: not asked for */
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
    if (p->dr.col[e]) {
      if (w->from_dr) w->from_dr[w->at] = e;
      put_entry(w, p->dr.col[e], -S->dr[e]);
    }
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
  if (S->slopes == RITTI_SLOPES_X && S->problem->kind == RITT_EXPLICIT && !S->normals) {
    RITTI_NEW(S->from_dr, arena, w.at + 1);
    for (int e = 0; e < w.at; e++) S->from_dr[e] = -1;
  }
  w.start = start, w.col = col, w.count = false, w.from_dr = S->from_dr;
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
  RITTI_NEW(S->slope_x, arena, p->m);
  RITTI_NEW(S->power, arena, S->n);
  RITTI_NEW(S->image, arena, S->n);
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

static ritt_status init_system(ritti_stage_system *S, const ritti_problem *p,
                               const ritti_collocation *method, ritti_slopes slopes, bool normals,
                               ritti_algebra algebra, ritti_arena *arena) {
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
  S->reals = method->reals ? method->reals : 1;
  S->pairs = method->pairs;
  RITTI_NEW(S->real, arena, S->reals);
  for (int i = 0; i < S->reals; i++)
    RITT_TRY(ritti_linear_init(&S->real[i], RITTI_GENERAL, &S->block, 0, algebra, arena));

  S->dense = S->real[0].algebra == RITTI_ALGEBRA_DENSE && S->n <= RITTI_SMALL;
  if (S->dense) {
    S->first = slopes == RITTI_SLOPES_X;
    int size = S->n - S->first, blocks = S->reals + 2 * S->pairs;
    RITTI_NEW(S->matrix, arena, size * size + 1);
    RITTI_NEW(S->factors, arena, blocks * size * size + 1);
    RITTI_NEW(S->pivots, arena, blocks * size + 1);
    return RITT_OK;
  }
  if (S->real[0].algebra == RITTI_ALGEBRA_SPARSE && S->pairs) {
    RITTI_NEW(S->complex_pair, arena, S->pairs);
    for (int i = 0; i < S->pairs; i++)
      RITT_TRY(ritti_complex_sparse_new(&S->block, arena, &S->complex_pair[i]));
    if (S->complex_pair[0]) return RITT_OK;
    S->complex_pair = NULL;
  }
  RITTI_NEW(S->twin, arena, S->pairs + 1);
  if (S->pairs) RITT_TRY(make_pair(S, arena));
  for (int i = 0; i < S->pairs; i++)
    RITT_TRY(ritti_linear_init(&S->twin[i], RITTI_GENERAL, &S->pair, 0, algebra, arena));
  return RITT_OK;
}

ritt_status ritti_stage_system_find(ritti_stage_system **list, const ritti_problem *p,
                                    const ritti_collocation *largest, bool arc, bool normals,
                                    ritti_algebra algebra, ritti_arena *arena,
                                    ritti_stage_system **out) {
  bool derived = p->call.system_dz && !(arc && p->kind == RITT_IMPLICIT);
  ritti_slopes slopes = !derived ? RITTI_SLOPES_DIFFERENCES
                        : arc    ? RITTI_SLOPES_ARC
                                 : RITTI_SLOPES_X;
  for (*out = *list; *out; *out = (*out)->next)
    if ((*out)->problem == p && (*out)->slopes == slopes) return RITT_OK;
  ritti_stage_system *made;
  RITTI_NEW(made, arena, 1);
  RITT_TRY(init_system(made, p, largest, slopes, normals, algebra, arena));
  made->next = *list;
  *out = *list = made;
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
    return p->call.system_dz(p->data, work, step->z, step->top, S->dr);
  }
  for (int t = 0; t < p->tops; t++) v[t] = v0 != 0 ? step->top[t] * v0 : 0;
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
  RITT_TRY(p->call.system_dz(p->data, work, step->z, step->top, S->dr));
  if (p->kind == RITT_EXPLICIT) return RITT_OK;
  RITT_TRY(p->call.system_at ? p->call.system_at(p->data, work, step->z, step->top, S->A)
                             : p->call.system(p->data, work, step->z, S->A, S->b));
  return S->small ? eliminate_tops(S) : RITT_OK;
}

/* A dense block has its entries by columns; factors need them to be finite. */
static void fill_matrix(ritti_stage_system *S) {
  const ritti_pattern *p = &S->block;
  int first = S->first, size = S->n - first;
  memset(S->matrix, 0, (size_t)(size * size) * sizeof *S->matrix);
  S->finite = true;
  for (int i = first; i < S->n; i++)
    for (int e = p->start[i]; e < p->start[i + 1]; e++) {
      if (!isfinite(S->entry[e])) S->finite = false;
      if (p->col[e] >= first) S->matrix[(p->col[e] - first) * size + i - first] += S->entry[e];
    }
}

/* Some steps of the power method, if the block is dV: each time it goes on from the vector before. */
static void find_radius(ritti_stage_system *S) {
  enum { STEPS = 4 };
  if (S->slopes != RITTI_SLOPES_X || S->n != S->problem->m) return;
  for (int i = 1; S->radius == 0 && i < S->n; i++) S->power[i] = i % 2 ? 1 : -1;
  S->power[0] = 0;
  for (int k = 0; k < STEPS; k++) {
    ritti_csr_times(&S->block, S->entry, S->power, S->image);
    ritt_real before = ritti_norm(S->n, S->power), after = ritti_norm(S->n, S->image);
    if (!(after > 0 && after < INFINITY && before > 0)) return;
    S->radius = after / before;
    for (int i = 0; i < S->n; i++) S->power[i] = S->image[i] / after;
  }
}

ritt_status ritti_stage_system_look(ritti_stage_system *S, ritti_stepper *step) {
  const ritti_problem *p = S->problem;
  ritt_real *work = step->direction->work;
  memcpy(S->V, step->V[0], (size_t)p->m * sizeof *S->V);
  if (S->slopes == RITTI_SLOPES_DIFFERENCES) RITT_TRY(look_by_differences(S, step));
  else
    RITT_TRY(S->slopes == RITTI_SLOPES_ARC ? look_by_arc(S, step, work) : look_by_x(S, step, work));
  if (S->normals) RITT_TRY(p->call.f_df(p->data, work, step->z, S->f, S->df));
  if (S->from_dr) {
    for (int e = 0; e < S->block.start[S->n]; e++)
      if (S->from_dr[e] >= 0) S->entry[e] = -S->dr[S->from_dr[e]];
  } else {
    writer w = {.S = S,
                .z = step->z,
                .spread = step->manifold->inverse_weights,
                .arc = step->direction->arc};
    put_all(&w);
  }
  if (S->dense) fill_matrix(S);
  S->known = true;
  if (step->wants_radius) find_radius(S);
  return RITT_OK;
}

/* ---- factors and solutions ---- */

static bool factor_sparse_real(ritti_stage_system *S, ritti_linear *L, ritt_real gamma) {
  memcpy(S->values, S->entry, (size_t)S->block.start[S->n] * sizeof *S->values);
  for (int i = 0; i < S->problem->m; i++) S->values[S->diagonal[i]] += gamma;
  return ritti_linear_factor(L, S->values, NULL);
}

static bool factor_sparse_pair(ritti_stage_system *S, int number, ritt_real alpha, ritt_real beta) {
  const ritti_pattern *p = &S->block;
  int m = S->problem->m, at = 0;
  if (S->complex_pair)
    return ritti_complex_sparse_factor(S->complex_pair[number], S->entry, p->start[S->n],
                                       S->diagonal, m, alpha, -beta);
  for (int part = 0; part < 2; part++)
    for (int i = 0; i < S->n; i++) {
      int diagonal = i < m ? at + S->diagonal[i] - p->start[i] : -1;
      for (int e = p->start[i]; e < p->start[i + 1]; e++) S->values[at++] = S->entry[e];
      if (i >= m) continue;
      S->values[diagonal] += alpha;
      S->values[at++] = part ? -beta : beta;
    }
  return ritti_linear_factor(&S->twin[number], S->values, NULL);
}

/* The factors of a dense block: reals first, then real and imaginary parts of each pair. */
static ritt_real *dense_block(const ritti_stage_system *S, int number) {
  int size = S->n - S->first;
  return S->factors + number * size * size;
}

static bool factor_dense_real(ritti_stage_system *S, int number, ritt_real gamma) {
  int size = S->n - S->first;
  return S->finite && ritti_factor_shifted(size, S->problem->m - S->first, S->matrix, gamma,
                                           dense_block(S, number), S->pivots + number * size);
}

static bool factor_dense_pair(ritti_stage_system *S, int pair, ritt_real alpha, ritt_real beta) {
  int size = S->n - S->first, number = S->reals + 2 * pair;
  return S->finite &&
         ritti_factor_shifted_pair(size, S->problem->m - S->first, S->matrix, alpha, beta,
                                   dense_block(S, number), dense_block(S, number + 1),
                                   S->pivots + number * size);
}

static bool factor_real(ritti_stage_system *S, int number, ritt_real gamma) {
  if (S->dense) return factor_dense_real(S, number, gamma);
  return factor_sparse_real(S, &S->real[number], gamma);
}

bool ritti_stage_system_is_plain(const ritti_stage_system *S) {
  return S->dense && S->finite && S->from_dr && S->n == S->problem->m;
}

void ritti_stage_system_give(ritti_stage_system *S, ritt_real h, ritti_stage_job *job) {
  job->s = S->method->s, job->reals = S->method->reals, job->gamma = S->method->gamma;
  job->h = h;
  job->matrix = S->matrix, job->factors = S->factors, job->pivots = S->pivots;
  job->first_pair = S->reals, job->slope_x = S->slope_x;
}

bool ritti_stage_system_factor(ritti_stage_system *S, ritt_real h) {
  const ritti_collocation *C = S->method;
  if (C->reals == 0 && !factor_real(S, 0, C->gamma0 / h)) return false;
  for (int i = 0; i < C->reals; i++)
    if (!factor_real(S, i, C->gamma[i] / h)) return false;
  for (int i = 0; i < C->pairs; i++) {
    ritt_real alpha = C->gamma[C->reals + 2 * i] / h, beta = C->gamma[C->reals + 2 * i + 1] / h;
    if (S->dense ? !factor_dense_pair(S, i, alpha, beta) : !factor_sparse_pair(S, i, alpha, beta))
      return false;
  }
  return true;
}

static void solve_real(ritti_stage_system *S, int number, ritt_real *x) {
  int size = S->n - S->first;
  if (!S->dense) ritti_linear_solve(&S->real[number], x);
  else ritti_column_lu_solve(size, dense_block(S, number), S->pivots + number * size, x + S->first);
}

void ritti_stage_system_solve(ritti_stage_system *S) {
  const ritti_collocation *C = S->method;
  int size = S->n - S->first;
  for (int i = 0; i < C->reals; i++) solve_real(S, i, S->W + (size_t)i * (size_t)S->n);
  for (int i = 0; i < C->pairs; i++) {
    ritt_real *x = S->W + (size_t)(C->reals + 2 * i) * (size_t)S->n;
    int number = S->reals + 2 * i;
    if (S->complex_pair) ritti_complex_sparse_solve(S->complex_pair[i], x, x + S->n);
    else if (!S->dense) ritti_linear_solve(&S->twin[i], x);
    else
      ritti_complex_lu_solve(size, dense_block(S, number), dense_block(S, number + 1),
                             S->pivots + number * size, x + S->first, x + S->n + S->first);
  }
}

void ritti_stage_system_filter(ritti_stage_system *S, ritt_real *v) {
  int m = S->problem->m;
  for (int i = 0; i < S->n; i++) S->W[i] = i < m ? v[i] : 0;
  solve_real(S, 0, S->W);
  memcpy(v, S->W, (size_t)m * sizeof *v);
}

void ritti_stage_system_slope_x(ritti_stage_system *S) {
  const ritti_problem *p = S->problem;
  for (int i = 1; S->slopes == RITTI_SLOPES_X && i < p->m; i++) {
    int t = -1 - p->next[i];
    S->slope_x[i] = 0;
    if (t < 0) continue;
    if (S->small) S->slope_x[i] = S->hull[t * p->m];
    for (int e = p->dr.start[t]; p->kind == RITT_EXPLICIT && e < p->dr.start[t + 1]; e++)
      if (p->dr.col[e] == 0) S->slope_x[i] += S->dr[e];
  }
}

/* If the tops are unknowns dV/dx stands in their rows, those of put_system. */
void ritti_stage_system_advance(ritti_stage_system *S, ritt_real dx, ritt_real *v) {
  const ritti_problem *p = S->problem;
  const bool over_x = S->slopes == RITTI_SLOPES_X, formula = p->kind == RITT_EXPLICIT;
  for (int i = 0; i < S->n; i++) S->W[i] = i < p->m ? v[i] : 0;
  for (int i = 1; over_x && i < p->m; i++) S->W[i] += S->slope_x[i] * dx;
  for (int i = 0; over_x && !S->small && !formula && i < p->A.rows; i++)
    for (int e = p->dr.start[i]; e < p->dr.start[i + 1]; e++)
      if (p->dr.col[e] == 0) S->W[p->m + i] -= S->dr[e] * dx;
  if (over_x) S->W[0] = 0;
  solve_real(S, 0, S->W);
  if (over_x) S->W[0] = dx;
  memcpy(v, S->W, (size_t)p->m * sizeof *v);
}

void ritti_stage_system_forget(ritti_stage_system *S) {
  for (int i = 0; i < S->reals && !S->dense; i++) ritti_linear_forget(&S->real[i]);
  for (int i = 0; i < S->pairs && !S->dense; i++)
    if (S->complex_pair) ritti_complex_sparse_forget(S->complex_pair[i]);
    else ritti_linear_forget(&S->twin[i]);
}

void ritti_stage_system_state(ritti_stage_system *S, ritti_state *state) {
  int size = S->n - S->first, blocks = S->reals + 2 * S->pairs;
  ritti_state_bool(state, "stages.known", &S->known);
  ritti_state_reals(state, "stages.radius", &S->radius, 1);
  ritti_state_reals(state, "stages.power", S->power, (size_t)S->n);
  ritti_state_reals(state, "stages.entry", S->entry, ritti_entries(&S->block));
  ritti_state_reals(state, "stages.df", S->df, S->df ? ritti_entries(&S->problem->df) : 0);
  if (S->dense) {
    ritti_state_reals(state, "stages.factors", S->factors, (size_t)(blocks * size * size));
    ritti_state_ints(state, "stages.pivots", S->pivots, (size_t)(blocks * size), 0,
                     size > 0 ? size - 1 : 0);
    if (state->mode == RITTI_STATE_LOAD) fill_matrix(S);
    return;
  }
  for (int i = 0; i < S->reals; i++) ritti_linear_state(&S->real[i], true, state);
  for (int i = 0; i < S->pairs; i++)
    if (S->complex_pair) ritti_complex_sparse_state(S->complex_pair[i], state);
    else ritti_linear_state(&S->twin[i], true, state);
}
