/* Finds crossings, locates them, and separates those that are close together.
 *
 * In: a mechanism, E y'' + H lambda + K = 0 with g(y) = 0, G = dg, l rows, n positions, and a point
 * near a position where G loses rank. Out: that position, and what M = { g = 0 } is near it.
 *
 * The watch: the least singular value of G with its vectors, u^T G = sigma w^T. Followed
 * continuously it changes its sign where the run goes over a crossing: then one of u and w is
 * reversed and the other not.
 *
 * Location: with U^T G = 0, U of r columns where r is the rank lost, g(y) = U beta and U_0^T U = 1
 * for those at the start are equations for (y, U, beta). For r = 1 there are as many as unknowns: a
 * critical point of u^T g on the other rows, which is there also where branches do not meet but
 * pass at a distance; beta tells. Gauss-Newton, with steps of least norm since with d > 1 the
 * positions are not isolated; derivatives of G^T u are differences.
 *
 * r = 1: on the kernel of G, which has d + 1 dimensions, M is { w : u^T d2g(w, w) / 2 + beta = 0 }
 * to second order (Morse). One positive and one negative eigenvalue, the others 0: two branches
 * that cross in a set of dimension d - 1. For d = 1 two of one sign: an isolated point; one that is
 * 0: branches that touch, or a cusp. r > 1: the tangents of branches are common zeros of r such
 * forms (chart.c).
 */
#include "geometry/crossing.h"
#include "geometry/crossing_watch.h"

enum { MOST_POSITIONS = 48, MOST_STEPS = 30 };
static const ritt_real CHEAP = 1000; /* a change along the given direction costs so much less */

const char *ritti_crossing_word(ritti_crossing_kind kind) {
  static const char *const words[] = {
#define X(id, word) word,
      RITTI_CROSSING_KINDS(X)
#undef X
  };
  return words[kind];
}

struct ritti_crossing_room {
  ritt_real *f, *df;               /* of the problem */
  ritt_real *A, *b;                /* nonzeros, tops */
  ritt_real *g, *G, *Gu, *high;    /* l, l x n, n, n */
  ritt_real *gram, *vector;        /* l x l, l */
  ritt_real *J, *F, *step;         /* of Newton's method */
  ritt_real *first;                /* lost x l: U_0 */
  ritt_real *at;                   /* m */
  ritt_real *sigma, *right, *form; /* l, n x n, (d + 1)^2 */
  ritt_real *scratch;
  int *iscratch;
};

/* ---- set up ---- */

bool ritti_has_crossings(const ritti_problem *p) {
  const int n = p->positions, l = p->constraints;
  if (p->strong) return false; /* its steps are of a family of their own */
  if (p->kind != RITT_HOLONOMIC || !p->call.system || p->m != 2 * n + 1 || p->tops != n + l)
    return false;
  if (l == 0 || l >= n || n > MOST_POSITIONS || p->A.rows != p->tops) return false;
  for (int i = 0; i < l; i++)
    for (int e = p->df.start[i]; e < p->df.start[i + 1]; e++)
      if (p->df.col[e] == 0 || p->df.col[e] > n) return false;
  for (int i = 1; i <= n; i++)
    if (p->next[i] != n + i || p->next[n + i] != -i) return false;
  return true;
}

ritt_status ritti_crossing_init(ritti_crossing *X, const ritti_problem *p, ritt_real *work,
                                ritti_arena *arena) {
  struct ritti_crossing_room *R;
  int n = p->positions, l = p->constraints, lost = l < RITTI_MOST_LOST ? l : RITTI_MOST_LOST;
  int cols = n + lost * (l + 1) + 1, rows = l + lost * (n + lost);
  *X = (ritti_crossing){.problem = p, .work = work, .n = n, .l = l, .d = n - l};

  if (!ritti_has_crossings(p)) return RITT_OK;
  RITTI_NEW(R, arena, 1);
  RITTI_NEW(R->f, arena, p->k + 1);
  RITTI_NEW(R->df, arena, ritti_entries(&p->df) + 1);
  RITTI_NEW(R->A, arena, ritti_entries(&p->A) + 1);
  RITTI_NEW(R->b, arena, p->tops);
  RITTI_NEW_ARRAYS(arena, l, R->g, R->vector, X->row_scale, X->left);
  RITTI_NEW(R->G, arena, l * n);
  RITTI_NEW_ARRAYS(arena, n, R->Gu, R->high, R->sigma, X->across);
  RITTI_NEW(R->gram, arena, l * l);
  RITTI_NEW(R->J, arena, rows * cols);
  RITTI_NEW(R->F, arena, rows);
  RITTI_NEW(R->step, arena, cols);
  RITTI_NEW_ARRAYS(arena, lost * l, R->first, X->u);
  RITTI_NEW_ARRAYS(arena, p->m, R->at, X->z);
  RITTI_NEW(R->right, arena, n * n);
  RITTI_NEW(R->form, arena, (X->d + 1) * (X->d + 1));
  RITTI_NEW(R->scratch, arena,
            ritti_least_norm_scratch(rows, cols) + ritti_singular_values_scratch(n, n) +
                (size_t)(n * n));
  RITTI_NEW(R->iscratch, arena, rows + cols);
  RITTI_NEW(X->gap, arena, lost);
  RITTI_NEW(X->kernel, arena, (X->d + lost) * n);
  RITTI_NEW(X->curve, arena, X->d + 1);
  X->room = R;
  X->lost = 1;
  ritti_crossing_forget(X);
  return RITT_OK;
}

/* ---- the functions ---- */

bool ritti_crossing_rows(ritti_crossing *X, const ritt_real *z, ritt_real *g, ritt_real *dg) {
  const ritti_problem *p = X->problem;
  struct ritti_crossing_room *R = X->room;
  if (p->call.f_df(p->data, X->work, z, R->f, R->df) != RITT_OK) return false;
  ritti_fill_rank_rows(X->l, X->n, p->df.start, p->df.col, R->df, X->row_scale, dg);
  for (int i = 0; i < X->l; i++) g[i] = R->f[i] * X->row_scale[i];
  return true;
}

bool ritti_crossing_bend(ritti_crossing *X, const ritt_real *z, const ritt_real *w,
                         ritt_real *out) {
  const ritti_problem *p = X->problem;
  struct ritti_crossing_room *R = X->room;
  memcpy(R->at, z, (size_t)(X->n + 1) * sizeof *z);
  memcpy(R->at + X->n + 1, w, (size_t)X->n * sizeof *w);
  if (p->call.system(p->data, X->work, R->at, R->A, R->b) != RITT_OK) return false;
  for (int i = 0; i < X->l; i++) out[i] = R->b[X->n + i] * X->row_scale[i];
  return true;
}

/* out = G^T u for the rows in room->G */
static void times_u(const ritti_crossing *X, const ritt_real *u, ritt_real *out) {
  for (int j = 0; j < X->n; j++) out[j] = 0;
  for (int i = 0; i < X->l; i++)
    for (int j = 0; j < X->n; j++) out[j] += X->room->G[i * X->n + j] * u[i];
}

/* ---- the watch ---- */

void ritti_crossing_forget(ritti_crossing *X) {
  if (X->room) X->sigma = NAN;
}

bool ritti_crossing_look(ritti_crossing *X, const ritt_real *z, int *side) {
  const ritti_rank_room room = {X->room->G, X->room->gram, X->room->vector, X->room->Gu};
  ritti_rank_view view = {X->row_scale, X->left, X->across, X->sigma};
  bool first = !(X->sigma < INFINITY);
  ritt_real where;
  *side = 0;
  if (first)
    for (int i = 0; i < X->l; i++) X->left[i] = 1 / (ritt_real)(i + 1), X->row_scale[i] = 1;
  if (!ritti_crossing_rows(X, z, X->room->g, X->room->G)) return false;
  if (!ritti_look_at_rank(X->l, X->n, first, true, &room, &view, &where)) return false;
  *side = (int)where;
  X->sigma = view.sigma;
  return true;
}

/* ---- Newton's method ---- */

/* The columns of u^T d2g for all u, by differences. */
static bool second_columns(ritti_crossing *X, const ritt_real *size, ritt_real *J, int cols) {
  static const ritt_real DELTA = (ritt_real)6e-6;
  struct ritti_crossing_room *R = X->room;
  int n = X->n, l = X->l;
  for (int j = 0; j < n; j++) {
    ritt_real kept = X->z[1 + j], delta = DELTA * size[1 + j];
    for (int sign = 1; sign >= -1; sign -= 2) {
      X->z[1 + j] = kept + (ritt_real)sign * delta;
      bool good = ritti_crossing_rows(X, X->z, R->g, R->G);
      X->z[1 + j] = kept;
      if (!good) return false;
      for (int a = 0; a < X->lost; a++) {
        times_u(X, X->u + a * l, R->Gu);
        for (int i = 0; i < n; i++)
          J[(l + a * n + i) * cols + j] += (ritt_real)sign * R->Gu[i] / (2 * DELTA);
      }
    }
  }
  return true;
}

/* One step; returns its largest part relative to the sizes, NaN where it cannot be had. V: of
 * length 1 in the sizes. */
static ritt_real newton_step(ritti_crossing *X, const ritt_real *size, const ritt_real *V) {
  static const ritt_real LONGEST = (ritt_real)0.5;
  struct ritti_crossing_room *R = X->room;
  int n = X->n, l = X->l, r = X->lost, cols = n + r * (l + 1) + 1, rows = l + r * (n + r);
  ritt_real most = 0;

  /* F and J at (y, U, beta): changes of y in units of the sizes; the last column is that of V. */
  memset(R->J, 0, (size_t)rows * (size_t)cols * sizeof *R->J);
  if (!second_columns(X, size, R->J, cols) || !ritti_crossing_rows(X, X->z, R->g, R->G)) return NAN;
  for (int i = 0; i < l; i++) {
    R->F[i] = -R->g[i];
    for (int j = 0; j < n; j++) R->J[i * cols + j] = R->G[i * n + j] * size[1 + j];
  }
  for (int a = 0; a < r; a++) {
    const ritt_real *u = X->u + a * l;
    int unknown = n + a * l, row = l + a * n;
    times_u(X, u, R->Gu);
    for (int i = 0; i < l; i++) {
      R->F[i] += X->gap[a] * u[i];
      R->J[i * cols + unknown + i] = -X->gap[a];
      R->J[i * cols + n + r * l + a] = -u[i];
    }
    for (int j = 0; j < n; j++) {
      R->F[row + j] = -R->Gu[j];
      for (int i = 0; i < l; i++) R->J[(row + j) * cols + unknown + i] = R->G[i * n + j];
    }
    for (int b = 0; b < r; b++) {
      const ritt_real *first = R->first + b * l;
      int at = l + r * n + a * r + b;
      R->F[at] = (a == b) - ritti_dot(l, first, u);
      memcpy(R->J + at * cols + unknown, first, (size_t)l * sizeof *first);
    }
  }
  for (int i = 0; i < rows && X->d > 1; i++)
    for (int j = 0; j < n; j++)
      R->J[i * cols + cols - 1] += R->J[i * cols + j] * CHEAP * V[n + 1 + j];

  if (ritti_least_norm(rows, cols, R->J, R->F, (ritt_real)1e-9, R->step, R->scratch, R->iscratch) <
      0)
    return NAN;
  for (int j = 0; j < n; j++) {
    R->step[j] += R->step[cols - 1] * CHEAP * V[n + 1 + j];
    if (!(RITTI_MATH(fabs)(R->step[j]) <= most)) most = RITTI_MATH(fabs)(R->step[j]);
  }
  ritt_real shorter = most > LONGEST ? LONGEST / most : 1;
  for (int j = 0; j < n; j++) X->z[1 + j] += shorter * R->step[j] * size[1 + j];
  for (int i = 0; i < r * l; i++) X->u[i] += shorter * R->step[n + i];
  for (int a = 0; a < r; a++) X->gap[a] += shorter * R->step[n + r * l + a];
  return most;
}

/* ---- what kind of position ---- */

/* The form u^T d2g on the kernel, of which rows of `right` are a basis. */
static bool take_form(ritti_crossing *X, const ritt_real *basis) {
  struct ritti_crossing_room *R = X->room;
  int n = X->n, size = X->d + 1;
  ritt_real *w = R->high, *bend = R->g;
  for (int a = 0; a < size; a++)
    for (int b = 0; b <= a; b++) {
      ritt_real sum = 0;
      for (int sign = 1; sign >= -1; sign -= 2) {
        for (int j = 0; j < n; j++)
          w[j] = (basis[a * n + j] + (ritt_real)sign * basis[b * n + j]) / 2;
        if (!ritti_crossing_bend(X, X->z, w, bend)) return false;
        sum += (ritt_real)sign * ritti_dot(X->l, X->u, bend);
      }
      R->form[a * size + b] = R->form[b * size + a] = sum;
    }
  return true;
}

/* The eigenvectors (Jacobi's method): the largest eigenvalue first, the least second. */
static void take_eigenvectors(ritti_crossing *X, ritt_real *basis) {
  enum { SWEEPS = 12 };
  int size = X->d + 1, n = X->n, largest = 0, least = 0;
  for (int sweep = 0; sweep < SWEEPS; sweep++)
    for (int a = 0; a < size; a++)
      for (int b = 0; b < a; b++) {
        /* Turns the rows a and b of the basis so that their entry of the form vanishes. */
        ritt_real *Q = X->room->form, off = Q[a * size + b];
        if (off != 0) {
          ritt_real angle = RITTI_MATH(atan2)(2 * off, Q[a * size + a] - Q[b * size + b]) / 2;
          ritt_real c = RITTI_MATH(cos)(angle), s = RITTI_MATH(sin)(angle);
          for (int k = 0; k < size; k++) {
            ritt_real x = Q[a * size + k], y = Q[b * size + k];
            Q[a * size + k] = c * x + s * y, Q[b * size + k] = c * y - s * x;
          }
          for (int k = 0; k < size; k++) {
            ritt_real x = Q[k * size + a], y = Q[k * size + b];
            Q[k * size + a] = c * x + s * y, Q[k * size + b] = c * y - s * x;
          }
          for (int j = 0; j < n; j++) {
            ritt_real x = basis[a * n + j], y = basis[b * n + j];
            basis[a * n + j] = c * x + s * y, basis[b * n + j] = c * y - s * x;
          }
        }
      }
  const ritt_real *Q = X->room->form;
  for (int a = 1; a < size; a++) {
    if (Q[a * (size + 1)] > Q[largest * (size + 1)]) largest = a;
    if (Q[a * (size + 1)] < Q[least * (size + 1)]) least = a;
  }
  if (largest == least) least = largest ? 0 : 1;
  for (int a = 0, rest = 2; a < size; a++) {
    int place = a == largest ? 0 : a == least ? 1 : rest++;
    memcpy(X->kernel + place * n, basis + a * n, (size_t)n * sizeof *basis);
    X->curve[place] = Q[a * (size + 1)];
  }
}

static bool classify_crossing(ritti_crossing *X, const ritt_real *size) {
  static const ritt_real CLEAR = (ritt_real)1e-6;
  struct ritti_crossing_room *R = X->room;
  int n = X->n, l = X->l;
  if (!ritti_crossing_rows(X, X->z, R->g, R->G)) return false;
  /* of g, whose rows have about length 1 */
  ritt_real noise = 0;
  for (int j = 1; j <= n; j++) noise = RITTI_MATH(fmax)(noise, 256 * RITTI_EPS * size[j]);
  if (!ritti_singular_values(l, n, R->G, R->sigma, R->right, R->scratch)) return false;
  int lost = 0;
  while (lost < l && !(R->sigma[l - 1 - lost] > CLEAR)) lost++; /* rows had about length 1 */
  if (lost != X->lost) return false;
  ritt_real *basis = R->right + (l - lost) * n, gap = 0;
  for (int a = 0; a < lost; a++) gap = RITTI_MATH(fmax)(gap, RITTI_MATH(fabs)(X->gap[a]));
  X->miss = gap > noise ? RITTI_MATH(sqrt)(2 * gap) : 0;
  X->kind = RITTI_CROSSING_SEVERAL;
  memcpy(X->kernel, basis, (size_t)(X->d + lost) * (size_t)n * sizeof *basis);
  if (lost > 1) return true;
  if (!take_form(X, basis)) return false;
  take_eigenvectors(X, basis);
  ritt_real high = X->curve[0], low = X->curve[1],
            most = RITTI_MATH(fmax)(RITTI_MATH(fabs)(high), RITTI_MATH(fabs)(low));
  bool rest = false; /* other eigenvalues than the two */
  for (int a = 2; a <= X->d; a++) rest = rest || !(RITTI_MATH(fabs)(X->curve[a]) <= CLEAR * most);
  X->kind = high > CLEAR * most && low < -CLEAR * most && !rest ? RITTI_CROSSING_TWO
            : X->d > 1                                          ? RITTI_CROSSING_CONE
            : high * low > CLEAR * most * most                  ? RITTI_CROSSING_ISOLATED
                                                                : RITTI_CROSSING_TANGENT;
  X->miss /= RITTI_MATH(sqrt)(most);
  return true;
}

bool ritti_crossing_locate(ritti_crossing *X, const ritt_real *z, const ritt_real *size,
                           const ritt_real *V) {
  if (!X->room || !(X->sigma < INFINITY)) return false;
  for (X->lost = 1; X->lost <= RITTI_MOST_LOST && X->lost <= X->l; X->lost++) {
    ritt_real before = INFINITY, now = INFINITY;
    memcpy(X->z, z, (size_t)X->problem->m * sizeof *z);
    for (int j = 0; j < X->n; j++) X->z[X->n + 1 + j] = 0;

    /* U_0: the left vectors of the least singular values at z. */
    struct ritti_crossing_room *R = X->room;
    int n = X->n, l = X->l;
    if (!ritti_crossing_rows(X, X->z, R->g, R->G)) return false;
    ritt_real *turned = R->scratch + ritti_singular_values_scratch(n, n);
    for (int i = 0; i < l; i++)
      for (int j = 0; j < n; j++) turned[j * l + i] = R->G[i * n + j];
    if (!ritti_singular_values(n, l, turned, R->sigma, R->right, R->scratch)) return false;
    memcpy(R->first, R->right + (l - X->lost) * l, (size_t)(X->lost * l) * sizeof *R->first);
    memcpy(X->u, R->first, (size_t)(X->lost * l) * sizeof *X->u);
    for (int a = 0; a < X->lost; a++) X->gap[a] = 0;

    for (int i = 0; i < MOST_STEPS; i++) {
      now = newton_step(X, size, V);
      if (!(now < INFINITY)) break;
      if (now < 16 * RITTI_EPS || (now < (ritt_real)1e-9 && !(now < before / 2))) break;
      before = now;
    }
    if (now < (ritt_real)1e-7 && classify_crossing(X, size)) return true;
  }
  X->lost = 1;
  return false;
}

/* ---- state ---- */

void ritti_crossing_state(ritti_crossing *X, ritti_state *state) {
  size_t n = (size_t)X->n, l = (size_t)X->l, d = (size_t)X->d;
  size_t most = l < RITTI_MOST_LOST ? l : RITTI_MOST_LOST;
  int kind = (int)X->kind;
  if (!X->room) return;
  ritti_state_reals(state, "crossing.row_scale", X->row_scale, l);
  ritti_state_reals(state, "crossing.sigma", &X->sigma, 1);
  ritti_state_reals(state, "crossing.left", X->left, l);
  ritti_state_reals(state, "crossing.across", X->across, n);
  ritti_state_reals(state, "crossing.z", X->z, 2 * n + 1);
  ritti_state_ints(state, "crossing.lost", &X->lost, 1, 1, (int)most);
  ritti_state_reals(state, "crossing.u", X->u, most * l);
  ritti_state_reals(state, "crossing.gap", X->gap, most);
  ritti_state_reals(state, "crossing.miss", &X->miss, 1);
  ritti_state_reals(state, "crossing.kernel", X->kernel, (d + most) * n);
  ritti_state_reals(state, "crossing.curve", X->curve, d + 1);
  ritti_state_ints(state, "crossing.kind", &kind, 1, 0, RITTI_CROSSING_SEVERAL);
  if (state->mode == RITTI_STATE_LOAD) X->kind = (ritti_crossing_kind)kind;
}
