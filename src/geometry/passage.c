/* The motion on a branch: the equations of motion without their multipliers.
 *
 * In: a chart y = Y(xi) of the branch. Out: a problem of the explicit kind in (x, y, y_1) whose
 * manifold is the branch with its tangents and whose direction is that of the mechanism on it. With
 * T = dY the constraint forces H lambda do no work on T, which is tested, and E y'' + H lambda + K
 * = 0 leaves
 *
 *     T^T E T xi'' + T^T (E Y''(xi', xi') + K) = 0,
 *
 * regular at the crossing too, where dg has lost rank; E need not be regular by itself. The
 * multipliers solve H lambda = -(E y'' + K) in the sense of least squares and least norm: at the
 * crossing they are unbounded in general, since the force that keeps the mechanism on its branch
 * acts on a vanishing lever.
 *
 * Rows of f: normal (y - Y(xi)) and normal (y_1 - T xi'), xi = tangent (y - y*), xi' = tangent y_1.
 */
#include "geometry/passage.h"

struct ritti_passage_room {
  ritt_real *xi, *eta, *v;  /* d, d, n: of the point asked for last */
  ritt_real *last;          /* 2 d: those for which the chart stands */
  bool stands;              /* it does */
  ritt_real *z, *A, *b;     /* m; of the base */
  ritt_real *E, *H;         /* n x n, n x l */
  ritt_real *matrix, *rest; /* d x d; n + d */
  ritt_real *scratch;
  int *pivot, *iscratch;
};

/* The chart at (y, y_1). */
static ritt_status place_chart(const ritti_passage *P, const ritt_real *z) {
  ritti_passage *own = (ritti_passage *)(uintptr_t)P; /* this solver's own */
  struct ritti_passage_room *R = P->room;
  ritti_chart *C = &own->chart;
  int n = C->n, d = C->d;
  for (int j = 0; j < n; j++) R->v[j] = z[1 + j] - C->centre[1 + j];
  ritti_chart_coordinates(C, R->v, R->xi);
  ritti_chart_coordinates(C, z + 1 + n, R->eta);
  size_t size = (size_t)d * sizeof *R->xi;
  if (R->stands && !memcmp(R->last, R->xi, size) && !memcmp(R->last + d, R->eta, size))
    return RITT_OK;
  R->stands = ritti_chart_at(C, R->xi, R->eta);
  memcpy(R->last, R->xi, size);
  memcpy(R->last + d, R->eta, size);
  return R->stands ? RITT_OK : RITT_RETRY;
}

static ritt_status passage_f(const void *data, ritt_real *work, const ritt_real *z, ritt_real *f) {
  const ritti_passage *P = data;
  const ritti_chart *C = &P->chart;
  ritt_real *v = P->room->v;
  int n = C->n, l = C->l;
  (void)work;
  RITT_TRY(place_chart(P, z));
  for (int j = 0; j < n; j++) v[j] = z[1 + j] - C->Y[j];
  for (int i = 0; i < l; i++) f[i] = ritti_dot(n, C->normal + i * n, v);
  for (int j = 0; j < n; j++) {
    v[j] = z[1 + n + j];
    for (int a = 0; a < C->d; a++) v[j] -= P->room->eta[a] * C->T[a * n + j];
  }
  for (int i = 0; i < l; i++) f[l + i] = ritti_dot(n, C->normal + i * n, v);
  return RITT_OK;
}

/* Both groups of rows have normal - (normal T) tangent; that velocities depend on positions through
 * T is left out, since positions are projected first. */
static ritt_status passage_f_df(const void *data, ritt_real *work, const ritt_real *z, ritt_real *f,
                                ritt_real *df) {
  const ritti_passage *P = data;
  const ritti_chart *C = &P->chart;
  int n = C->n, l = C->l;
  RITT_TRY(passage_f(data, work, z, f));
  for (int i = 0; i < l; i++) {
    ritt_real *row = df + i * n;
    memcpy(row, C->normal + i * n, (size_t)n * sizeof *row);
    for (int a = 0; a < C->d; a++) {
      ritt_real slope = ritti_dot(n, C->normal + i * n, C->T + a * n);
      for (int j = 0; j < n; j++) row[j] -= slope * C->tangent[a * n + j];
    }
  }
  memcpy(df + l * n, df, (size_t)(l * n) * sizeof *df);
  return RITT_OK;
}

/* E, H and K at the point of the branch */
static ritt_status take_system(const ritti_passage *P, ritt_real *work, const ritt_real *z) {
  const ritti_problem *p = P->base;
  const ritti_chart *C = &P->chart;
  struct ritti_passage_room *R = P->room;
  int n = C->n, l = C->l;
  R->z[0] = z[0];
  memcpy(R->z + 1, C->Y, (size_t)n * sizeof *R->z);
  for (int j = 0; j < n; j++) {
    R->z[1 + n + j] = 0;
    for (int a = 0; a < C->d; a++) R->z[1 + n + j] += R->eta[a] * C->T[a * n + j];
  }
  RITT_TRY(p->call.system(p->data, work, R->z, R->A, R->b));
  memset(R->E, 0, (size_t)(n * n) * sizeof *R->E);
  memset(R->H, 0, (size_t)(n * l) * sizeof *R->H);
  for (int i = 0; i < n; i++)
    for (int e = p->A.start[i]; e < p->A.start[i + 1]; e++) {
      int j = p->A.col[e];
      if (j < n) R->E[i * n + j] += R->A[e];
      else R->H[i * l + j - n] += R->A[e];
    }
  return RITT_OK;
}

static ritt_status passage_formula(const void *data, ritt_real *work, const ritt_real *z,
                                   ritt_real *top) {
  const ritti_passage *P = data;
  const ritti_chart *C = &P->chart;
  struct ritti_passage_room *R = P->room;
  int n = C->n, l = C->l, d = C->d;
  ritt_real *force = R->rest, *a = R->rest + n;
  RITT_TRY(place_chart(P, z));
  RITT_TRY(take_system(P, work, z));
  /* K + E B on the tangents */
  for (int i = 0; i < n; i++) force[i] = R->b[i] + ritti_dot(n, R->E + i * n, C->B);
  for (int r = 0; r < d; r++) {
    a[r] = -ritti_dot(n, C->T + r * n, force);
    for (int c = 0; c < d; c++) {
      ritt_real sum = 0;
      for (int i = 0; i < n; i++) sum += C->T[r * n + i] * ritti_dot(n, R->E + i * n, C->T + c * n);
      R->matrix[r * d + c] = sum;
    }
  }
  if (!ritti_lu_factor(d, R->matrix, R->pivot, NULL)) return RITT_RETRY;
  ritti_lu_solve(d, R->matrix, R->pivot, a);
  for (int j = 0; j < n; j++) {
    top[j] = C->B[j];
    for (int r = 0; r < d; r++) top[j] += a[r] * C->T[r * n + j];
  }
  for (int i = 0; i < n; i++) force[i] = -R->b[i] - ritti_dot(n, R->E + i * n, top);
  ritti_least_norm(n, l, R->H, force, (ritt_real)1e-10, top + n, R->scratch, R->iscratch);
  return RITT_OK;
}

/* ---- set up ---- */

/* l rows of the positions, l of the velocities, all full */
static ritt_status make_pattern(ritti_passage *P, ritti_arena *arena) {
  int n = P->chart.n, l = P->chart.l, *start, *col;
  RITTI_NEW(start, arena, 2 * l + 1);
  RITTI_NEW(col, arena, 2 * l * n);
  for (int i = 0; i < 2 * l; i++) {
    start[i + 1] = (i + 1) * n;
    for (int j = 0; j < n; j++) col[i * n + j] = 1 + j + (i < l ? 0 : n);
  }
  P->problem.df = (ritti_pattern){2 * l, P->base->m, start, col};
  return RITT_OK;
}

static void make_problem(ritti_passage *P) {
  ritti_problem *p = &P->problem;
  *p = ritti_problem_on(P->base, P);
  p->kind = RITT_EXPLICIT;
  p->k = 2 * P->chart.l;
  p->call.f = passage_f, p->call.f_df = passage_f_df, p->call.formula = passage_formula;
  p->A = (ritti_pattern){0};
  p->strong = NULL, p->own_line = false;
}

ritt_status ritti_passage_init(ritti_passage *P, ritti_crossing *X, ritti_algebra algebra,
                               ritti_arena *arena) {
  struct ritti_passage_room *R;
  const ritti_problem *p = X->problem;
  int n = X->n, l = X->l, d = X->d;
  *P = (ritti_passage){.base = p};
  RITT_TRY(ritti_chart_init(&P->chart, X, arena));
  RITTI_NEW(R, arena, 1);
  RITTI_NEW_ARRAYS(arena, d, R->xi, R->eta, R->pivot);
  RITTI_NEW(R->v, arena, n);
  RITTI_NEW(R->last, arena, 2 * d);
  RITTI_NEW(R->z, arena, p->m);
  RITTI_NEW(R->A, arena, ritti_entries(&p->A) + 1);
  RITTI_NEW(R->b, arena, p->tops);
  RITTI_NEW(R->E, arena, n * n);
  RITTI_NEW(R->H, arena, n * l);
  RITTI_NEW(R->matrix, arena, d * d);
  RITTI_NEW(R->rest, arena, n + d);
  RITTI_NEW(R->scratch, arena, ritti_least_norm_scratch(n, l));
  RITTI_NEW(R->iscratch, arena, n + l);
  P->room = R;
  make_problem(P);
  RITT_TRY(make_pattern(P, arena));
  RITT_TRY(ritti_manifold_init_with(&P->manifold, &P->problem, X->work, algebra, arena));
  RITT_TRY(ritti_manifold_choose(&P->manifold, RITTI_PROJECT_SEQUENTIAL, arena));
  return ritti_direction_init_with(&P->direction, &P->problem, X->work, algebra, arena);
}

bool ritti_passage_open(ritti_passage *P, const ritt_real *z, ritt_real size) {
  static const ritt_real SMALL = (ritt_real)1e-8;
  ritti_chart *C = &P->chart;
  struct ritti_passage_room *R = P->room;
  int n = C->n, l = C->l;
  ritt_real work = 0, most = 0;
  R->stands = false;
  if (!ritti_chart_open(C, z, size)) return false;
  /* the forces of the constraints do no work on the branch */
  for (int a = 0; a < C->d; a++) R->xi[a] = a ? 0 : C->radius / 2, R->eta[a] = 0;
  if (!ritti_chart_at(C, R->xi, R->eta) || take_system(P, P->manifold.work, z) != RITT_OK)
    return false;
  for (int i = 0; i < n * l; i++) most = RITTI_MATH(fmax)(most, RITTI_MATH(fabs)(R->H[i]));
  for (int a = 0; a < C->d; a++)
    for (int c = 0; c < l; c++) {
      ritt_real sum = 0;
      for (int i = 0; i < n; i++) sum += C->T[a * n + i] * R->H[i * l + c];
      if (!(RITTI_MATH(fabs)(sum) <= work)) work = RITTI_MATH(fabs)(sum);
    }
  return work <= SMALL * most;
}

/* ---- where on the branch ---- */

static ritt_real chart_coordinate(const ritti_chart *C, int a, const ritt_real *z) {
  ritt_real sum = 0;
  for (int j = 0; j < C->n; j++) sum += C->tangent[a * C->n + j] * (z[1 + j] - C->centre[1 + j]);
  return sum;
}

ritt_real ritti_passage_place(const ritti_passage *P, const ritt_real *z) {
  return chart_coordinate(&P->chart, 0, z);
}

ritt_real ritti_passage_speed(const ritti_passage *P, const ritt_real *V) {
  return ritti_dot(P->chart.n, P->chart.tangent, V + 1);
}

ritt_real ritti_passage_aside(const ritti_passage *P, const ritt_real *z) {
  ritt_real most = 0;
  for (int a = 1; a < P->chart.d; a++)
    most = RITTI_MATH(fmax)(most, RITTI_MATH(fabs)(chart_coordinate(&P->chart, a, z)));
  return most;
}

void ritti_passage_renew(ritti_passage *P) {
  P->room->stands = false;
  P->manifold.cache.factored = 0;
}
