/* Singular points located and classified.
 *
 * In: a point near one. Out: the point, its singular values, its kind. With B = (b | A), n rows and
 * n + 1 columns, a point of M is singular where B^T w = 0 for some w of length 1: with f = 0 a
 * system of k + n + 2 equations for (z, w), solved by Newton's method with steps of least norm
 * (where M has more than two dimensions the points are not isolated). The derivatives of B are
 * differences.
 *
 * One equation of first order, F(x, y, p) = 0: its solutions are the trajectories of the lifted
 * field X = (F_p, p F_p, -(F_x + p F_y)) on the surface, and singular points are the zeros of X.
 * The eigenvalues of its linearisation in the tangent plane tell saddle, node and focus (Davydov's
 * folded ones, section 2.3 of the jet paper).
 */
#include "geometry/singular.h"

enum { MOST_SIZE = 60, MOST_STEPS = 40 };
static const ritt_real CHEAP = 1000; /* a change along the given direction costs so much less */

const char *ritti_singular_word(ritti_singular_kind kind) {
  static const char *const words[] = {
#define X(id, word) word,
      RITTI_SINGULAR_KINDS(X)
#undef X
  };
  return words[kind];
}

struct ritti_singular_room {
  const ritt_real *size, *along; /* of the search */
  ritt_real *A, *b, *B;          /* nonzeros of A; B row by row, rows scaled */
  ritt_real *row_scale;          /* of B, fixed during a search */
  ritt_real *w, *f, *df;         /* n; k and nonzeros of df */
  ritt_real *F, *J;              /* the equations and their Jacobian: rows x (m + n) */
  ritt_real *step, *low, *high, *moved;
  ritt_real *wide, *sigma, *v, *scratch; /* for singular values and least squares */
  int *iscratch;
};

/* ---- set up ---- */

static int row_count(const ritti_problem *p) { return p->k + p->tops + 2; }
/* z, w, and one for the way along a given direction */
static int column_count(const ritti_problem *p) { return p->m + p->tops + 1; }
static int larger(int a, int b) { return a > b ? a : b; }

ritt_status ritti_singular_init(ritti_singular *X, const ritti_problem *p, ritt_real *work,
                                ritti_arena *arena) {
  struct ritti_singular_room *R;
  int n = p->tops, rows = row_count(p), cols = column_count(p), wide = p->m + 2 * n;
  *X = (ritti_singular){.problem = p, .work = work};
  if (p->kind == RITT_EXPLICIT || !p->call.system || n == 0 || p->A.rows < n || cols > MOST_SIZE)
    return RITT_OK;
  RITTI_NEW(R, arena, 1);
  RITTI_NEW(R->A, arena, p->A.start[n] + 1);
  RITTI_NEW_ARRAYS(arena, n, R->b, R->row_scale, R->w);
  RITTI_NEW(R->B, arena, n * (n + 1));
  RITTI_NEW(R->f, arena, p->k + 1);
  RITTI_NEW(R->df, arena, p->k ? p->df.start[p->k] + 1 : 1);
  RITTI_NEW(R->F, arena, rows);
  RITTI_NEW(R->J, arena, rows * cols);
  RITTI_NEW(R->step, arena, cols);
  RITTI_NEW_ARRAYS(arena, larger(n + 1, p->m), R->low, R->high);
  RITTI_NEW_ARRAYS(arena, p->m, R->moved, X->z);
  RITTI_NEW(R->wide, arena, wide * wide);
  RITTI_NEW(R->sigma, arena, wide);
  RITTI_NEW(R->v, arena, larger(n, p->m) * larger(n, p->m));
  RITTI_NEW(R->scratch, arena,
            ritti_least_norm_scratch(rows, cols) + ritti_singular_values_scratch(wide, wide) + 1);
  RITTI_NEW(R->iscratch, arena, rows + cols);
  X->room = R;
  return RITT_OK;
}

/* ---- B ---- */

static bool fill_B(ritti_singular *X, const ritt_real *z) {
  const ritti_problem *p = X->problem;
  struct ritti_singular_room *R = X->room;
  int n = p->tops;
  if (p->call.system(p->data, X->work, z, R->A, R->b) != RITT_OK) return false;
  for (int i = 0; i < n; i++) {
    ritt_real *row = R->B + i * (n + 1);
    for (int j = 0; j <= n; j++) row[j] = j ? 0 : R->b[i] * R->row_scale[i];
    for (int e = p->A.start[i]; e < p->A.start[i + 1]; e++)
      row[1 + p->A.col[e]] += R->A[e] * R->row_scale[i];
  }
  return true;
}

/* out = B(z)^T w */
static bool times_w(ritti_singular *X, const ritt_real *z, ritt_real *out) {
  int n = X->problem->tops;
  if (!fill_B(X, z)) return false;
  for (int j = 0; j <= n; j++) {
    out[j] = 0;
    for (int i = 0; i < n; i++) out[j] += X->room->B[i * (n + 1) + j] * X->room->w[i];
  }
  return true;
}

/* ---- Newton's method ---- */

/* F and J at (z, w), columns in units of the sizes, rows of length 1. */
static bool linearise_system(ritti_singular *X) {
  const ritti_problem *p = X->problem;
  struct ritti_singular_room *R = X->room;
  int n = p->tops, m = p->m, k = p->k, cols = column_count(p), rows = row_count(p);
  memset(R->J, 0, (size_t)rows * (size_t)cols * sizeof *R->J);
  if (k && p->call.f_df(p->data, X->work, X->z, R->f, R->df) != RITT_OK) return false;
  for (int i = 0; i < k; i++) {
    R->F[i] = R->f[i];
    for (int e = p->df.start[i]; e < p->df.start[i + 1]; e++)
      R->J[i * cols + p->df.col[e]] += R->df[e] * R->size[p->df.col[e]];
  }
  for (int j = 0; j < m; j++) {
    /* Column j of the Jacobian of B^T w, by differences, in units of size_j. */
    static const ritt_real DELTA = (ritt_real)6e-6;
    ritt_real kept = X->z[j], delta = DELTA * R->size[j];
    X->z[j] = kept - delta;
    bool good = times_w(X, X->z, R->low);
    X->z[j] = kept + delta;
    good = good && times_w(X, X->z, R->high);
    X->z[j] = kept;
    for (int i = 0; i <= n && good; i++)
      R->J[(k + i) * cols + j] = (R->high[i] - R->low[i]) / (2 * DELTA);
    if (!good) return false;
  }
  if (!times_w(X, X->z, R->F + k)) return false;
  for (int j = 0; j <= n; j++)
    for (int i = 0; i < n; i++) R->J[(k + j) * cols + m + i] = R->B[i * (n + 1) + j];
  R->F[k + n + 1] = (ritti_dot(n, R->w, R->w) - 1) / 2;
  for (int i = 0; i < n; i++) R->J[(k + n + 1) * cols + m + i] = R->w[i];
  for (int i = 0; i < rows && R->along; i++)
    for (int j = 0; j < m; j++)
      R->J[i * cols + cols - 1] += R->J[i * cols + j] * CHEAP * R->along[j] / R->size[j];
  for (int i = 0; i < rows; i++) {
    ritt_real length = ritti_norm(cols, R->J + i * cols);
    if (!(length > 0)) continue;
    R->F[i] /= -length;
    for (int j = 0; j < cols; j++) R->J[i * cols + j] /= length;
  }
  return true;
}

/* One step; returns its largest part relative to the sizes, NaN where it cannot be had. */
static ritt_real newton_step(ritti_singular *X) {
  static const ritt_real LONGEST = (ritt_real)0.5;
  const ritti_problem *p = X->problem;
  struct ritti_singular_room *R = X->room;
  int cols = column_count(p);
  ritt_real most = 0;
  if (!linearise_system(X)) return NAN;
  if (ritti_least_norm(row_count(p), cols, R->J, R->F, (ritt_real)1e-9, R->step, R->scratch,
                       R->iscratch) < 0)
    return NAN;
  for (int j = 0; j < p->m && R->along; j++)
    R->step[j] += R->step[cols - 1] * CHEAP * R->along[j] / R->size[j];
  for (int j = 0; j < cols - 1; j++)
    if (!(RITTI_MATH(fabs)(R->step[j]) <= most)) most = RITTI_MATH(fabs)(R->step[j]);
  ritt_real shorter = most > LONGEST ? LONGEST / most : 1;
  for (int j = 0; j < p->m; j++) X->z[j] += shorter * R->step[j] * R->size[j];
  for (int i = 0; i < p->tops; i++) R->w[i] += shorter * R->step[p->m + i];
  return most;
}

/* ---- what kind of point ---- */

/* Singular values of the matrix whose kernel is the line, in the tangent space of all coordinates:
 * the conditions dz_i = z_next dx and the rows of B (equation (3.3) of the enhanced linear algebra
 * paper). */
static void take_sigma(ritti_singular *X) {
  const ritti_problem *p = X->problem;
  struct ritti_singular_room *R = X->room;
  int n = p->tops, cols = p->m, rows = 0, column[MOST_SIZE];
  if (!fill_B(X, X->z)) return;
  for (int t = 0; t < n; t++) column[t] = -1;
  for (int i = 1; i < p->m; i++)
    if (p->next[i] < 0) column[-1 - p->next[i]] = i;
  for (int t = 0; t < n; t++)
    if (column[t] < 0) column[t] = cols++;
  memset(R->wide, 0, (size_t)(p->m + n) * (size_t)cols * sizeof *R->wide);
  for (int i = 1; i < p->m; i++) {
    if (p->next[i] < 0) continue;
    R->wide[rows * cols] = -X->z[p->next[i]];
    R->wide[rows++ * cols + i] = 1;
  }
  for (int i = 0; i < n; i++, rows++) {
    R->wide[rows * cols] = R->B[i * (n + 1)];
    for (int t = 0; t < n; t++) R->wide[rows * cols + column[t]] += R->B[i * (n + 1) + 1 + t];
  }
  if (!ritti_singular_values(rows, cols, R->wide, R->sigma, NULL, R->scratch)) return;
  X->sigmas = rows < RITTI_SIGMAS ? rows : RITTI_SIGMAS;
  for (int i = 0; i < X->sigmas; i++) X->sigma[i] = R->sigma[i == 0 ? 0 : rows - X->sigmas + i];
}

/* X = (A, A z_next, ..., -b) at z, for one top */
static bool lift_direction(ritti_singular *X, const ritt_real *z, ritt_real *out) {
  const ritti_problem *p = X->problem;
  X->room->row_scale[0] = 1;
  if (!fill_B(X, z)) return false;
  ritt_real b = X->room->B[0], A = X->room->B[1];
  for (int i = 0; i < p->m; i++) out[i] = i == 0 ? A : p->next[i] >= 0 ? A * z[p->next[i]] : -b;
  return true;
}

/* Two orthonormal vectors of the tangent plane: rows of v. */
static bool tangent_plane(ritti_singular *X) {
  const ritti_problem *p = X->problem;
  struct ritti_singular_room *R = X->room;
  if (p->k && p->call.f_df(p->data, X->work, X->z, R->f, R->df) != RITT_OK) return false;
  if (p->k == 0) {
    for (int i = 0; i < 4; i++) R->v[i] = i % 3 == 0;
    return true;
  }
  ritti_csr_to_dense(&p->df, R->df, R->wide);
  if (!ritti_singular_values(p->k, p->m, R->wide, R->sigma, R->v, R->scratch)) return false;
  memmove(R->v, R->v + p->k * p->m, 2 * (size_t)p->m * sizeof *R->v);
  return true;
}

/* The linearisation of the lifted field in the tangent plane. */
static bool take_linear_part(ritti_singular *X, ritt_real L[2][2]) {
  static const ritt_real DELTA = (ritt_real)1e-5;
  struct ritti_singular_room *R = X->room;
  int m = X->problem->m;
  if (!tangent_plane(X)) return false;
  for (int c = 0; c < 2; c++) {
    const ritt_real *t = R->v + c * m;
    ritt_real size = 0;
    for (int i = 0; i < m; i++) size += t[i] * t[i] / (R->size[i] * R->size[i]);
    ritt_real delta = DELTA / RITTI_MATH(sqrt)(size);
    for (int i = 0; i < m; i++) R->moved[i] = X->z[i] - delta * t[i];
    if (!lift_direction(X, R->moved, R->low)) return false;
    for (int i = 0; i < m; i++) R->moved[i] = X->z[i] + delta * t[i];
    if (!lift_direction(X, R->moved, R->high)) return false;
    for (int r = 0; r < 2; r++) {
      ritt_real sum = 0;
      for (int i = 0; i < m; i++) sum += R->v[r * m + i] * (R->high[i] - R->low[i]);
      L[r][c] = sum / (2 * delta);
    }
  }
  return true;
}

static void classify_point(ritti_singular *X) {
  static const ritt_real CLEAR = (ritt_real)1e-6;
  const ritti_problem *p = X->problem;
  ritt_real L[2][2], (*e)[2] = X->eigenvalue;
  X->kind = RITTI_POINT_UNKNOWN;
  for (int i = 0; i < 4; i++) e[i / 2][i % 2] = NAN;
  if (p->tops != 1 || p->m - p->k != 2 || !take_linear_part(X, L)) return;
  ritt_real half = (L[0][0] + L[1][1]) / 2, det = L[0][0] * L[1][1] - L[0][1] * L[1][0], size = 0;
  for (int i = 0; i < 4; i++) size = RITTI_MATH(fmax)(size, RITTI_MATH(fabs)(L[i / 2][i % 2]));
  if (!(RITTI_MATH(fabs)(det) > CLEAR * size * size)) return;
  ritt_real square = half * half - det, root = RITTI_MATH(sqrt)(RITTI_MATH(fabs)(square));
  bool real = square >= 0, folded = p->k > 0;
  e[0][0] = real ? half + root : half, e[1][0] = real ? half - root : half;
  e[0][1] = real ? 0 : root, e[1][1] = real ? 0 : -root;
  ritti_singular_kind kind = det < 0                                 ? RITTI_POINT_SADDLE
                             : real                                  ? RITTI_POINT_NODE
                             : RITTI_MATH(fabs)(half) > CLEAR * size ? RITTI_POINT_FOCUS
                                                                     : RITTI_POINT_CENTRE;
  X->kind =
      folded ? (ritti_singular_kind)(kind - RITTI_POINT_SADDLE + RITTI_POINT_FOLDED_SADDLE) : kind;
}

bool ritti_singular_locate(ritti_singular *X, const ritt_real *from, const ritt_real *size,
                           const ritt_real *along) {
  struct ritti_singular_room *R = X->room;
  ritt_real before = INFINITY, now = INFINITY;
  if (!R) return false;
  R->size = size;
  R->along = along;
  X->sigmas = 0;
  memcpy(X->z, from, (size_t)X->problem->m * sizeof *from);

  /* Rows of length 1 where the search begins, and w = the left singular vector of the least
   * singular value. */
  int n = X->problem->tops;
  for (int i = 0; i < n; i++) R->row_scale[i] = 1;
  if (!fill_B(X, X->z)) return false;
  for (int i = 0; i < n; i++) {
    ritt_real length = ritti_norm(n + 1, R->B + i * (n + 1));
    if (length > 0) R->row_scale[i] = 1 / length;
    for (int j = 0; j <= n; j++) R->wide[j * n + i] = R->B[i * (n + 1) + j] * R->row_scale[i];
  }
  if (!ritti_singular_values(n + 1, n, R->wide, R->sigma, R->v, R->scratch)) return false;
  memcpy(R->w, R->v + (n - 1) * n, (size_t)n * sizeof *R->w);

  for (int i = 0; i < MOST_STEPS; i++) {
    now = newton_step(X);
    if (!(now < INFINITY)) return false;
    if (now < 16 * RITTI_EPS || (now < (ritt_real)1e-9 && !(now < before / 2))) break;
    before = now;
  }
  if (!(now < (ritt_real)1e-7) || !times_w(X, X->z, R->low)) return false;
  if (!(ritti_norm(X->problem->tops + 1, R->low) < (ritt_real)1e-7)) return false;
  take_sigma(X);
  classify_point(X);
  return true;
}

ritt_real ritti_singular_spread(ritti_singular *X, const ritt_real *z) {
  struct ritti_singular_room *R = X->room;
  ritt_real along = 0, square = 0, a = X->eigenvalue[0][0], b = X->eigenvalue[1][0];
  if (X->kind == RITTI_POINT_UNKNOWN || !R) return 1;
  if (X->kind != RITTI_POINT_SADDLE && X->kind != RITTI_POINT_FOLDED_SADDLE) return 0;
  /* the eigenvalue of the direction from which it comes: X = lambda d to first order */
  if (!lift_direction(X, z, R->low)) return 1;
  for (int i = 0; i < X->problem->m; i++) {
    ritt_real d = z[i] - X->z[i];
    along += R->low[i] * d, square += d * d;
  }
  bool first = RITTI_MATH(fabs)(along / square - a) < RITTI_MATH(fabs)(along / square - b);
  return RITTI_MATH(fabs)(first ? b / a : a / b);
}
