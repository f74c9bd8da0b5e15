/* A branch through a crossing as a graph: y = Y(xi), xi the coordinates in its tangent space at the
 * crossing.
 *
 * In: a crossing of two branches and a point on one of them. Out: Y, its derivatives T and its
 * second derivative along a direction, at all xi in a neighbourhood, the crossing included.
 *
 * Away from the crossing Y(xi) solves { tangent (y - y*) = xi, g(y) = 0 }, a square system whose
 * matrix (tangent over dg) is regular at the distance |xi_0| from where the branches meet, and
 * loses digits like 1/|xi_0|. T and the second derivatives solve systems with the same matrix. The
 * branch itself is smooth there. So all of them are computed at the zeros of a Chebyshev polynomial
 * of even degree in xi_0, none of which is near 0, and interpolated: the divided equations of a
 * blow-up without the division.
 *
 * The radius is the largest for which interpolation agrees with solving at points between.
 */
#include "geometry/chart.h"

enum { PLACES = sizeof(ritt_real) > 8 ? 40 : 16, HALVINGS = 14 };

struct ritti_chart_room {
  ritt_real *place, *weight; /* zeros in [-1, 1], descending; barycentric weights */
  ritt_real *value;          /* places x width: Y, T, B */
  bool filled;               /* d = 1: all of them for the whole chart */
  ritt_real *z;              /* m */
  ritt_real *g, *G, *bend;   /* l, l x n, l */
  ritt_real *J, *right;      /* n x n, n */
  ritt_real *xi, *eta, *w;   /* d, d, n */
  int *pivot;
  ritt_real *v, *sigma, *scratch; /* n x n, n */
};

static int width_of(const ritti_chart *C) { return C->n * (C->d + 2); }
static ritt_real *value_at(const ritti_chart *C, int j) { return C->room->value + j * width_of(C); }

ritt_status ritti_chart_init(ritti_chart *C, ritti_crossing *X, ritti_arena *arena) {
  struct ritti_chart_room *R;
  int n = X->n, l = X->l, d = X->d;
  *C = (ritti_chart){.crossing = X, .n = n, .l = l, .d = d, .places = PLACES};
  RITTI_NEW(R, arena, 1);
  RITTI_NEW(C->centre, arena, X->problem->m);
  RITTI_NEW(C->tangent, arena, d * n);
  RITTI_NEW(C->normal, arena, l * n);
  RITTI_NEW(C->Y, arena, width_of(C));
  C->T = C->Y + n, C->B = C->T + d * n;
  RITTI_NEW_ARRAYS(arena, PLACES, R->place, R->weight);
  RITTI_NEW(R->value, arena, (PLACES + 1) * width_of(C)); /* one more, to compare */
  RITTI_NEW(R->z, arena, X->problem->m);
  RITTI_NEW_ARRAYS(arena, l, R->g, R->bend);
  RITTI_NEW(R->G, arena, l * n);
  RITTI_NEW_ARRAYS(arena, n * n, R->J, R->v);
  RITTI_NEW_ARRAYS(arena, n, R->right, R->w, R->pivot, R->sigma);
  RITTI_NEW_ARRAYS(arena, d, R->xi, R->eta);
  RITTI_NEW(R->scratch, arena, ritti_singular_values_scratch(d, n) + (size_t)(d * n));
  const ritt_real pi = RITTI_PI_NUMBER;
  for (int j = 0; j < PLACES; j++) {
    ritt_real angle = (ritt_real)(2 * j + 1) * pi / (2 * PLACES);
    R->place[j] = RITTI_MATH(cos)(angle);
    R->weight[j] = (j % 2 ? -1 : 1) * RITTI_MATH(sin)(angle);
  }
  C->room = R;
  return RITT_OK;
}

void ritti_chart_coordinates(const ritti_chart *C, const ritt_real *v, ritt_real *xi) {
  for (int a = 0; a < C->d; a++) xi[a] = ritti_dot(C->n, C->tangent + a * C->n, v);
}

/* ---- solving ---- */

/* The matrix (tangent over dg) at room->z, factored. */
static bool factor_chart(ritti_chart *C) {
  struct ritti_chart_room *R = C->room;
  size_t row = (size_t)C->n * sizeof *R->J;
  if (!ritti_crossing_rows(C->crossing, R->z, R->g, R->G)) return false;
  memcpy(R->J, C->tangent, (size_t)C->d * row);
  memcpy(R->J + C->d * C->n, R->G, (size_t)C->l * row);
  /* what g lacks at the crossing is rounding */
  const ritti_crossing *X = C->crossing;
  for (int a = 0; a < X->lost; a++)
    for (int i = 0; i < C->l; i++) R->g[i] -= X->gap[a] * X->u[a * C->l + i];
  return ritti_lu_factor(C->n, R->J, R->pivot, NULL);
}

/* room->z <- the point of the branch over xi, from where it is. */
static bool solve_Y(ritti_chart *C, const ritt_real *xi) {
  enum { MOST = 20 };
  struct ritti_chart_room *R = C->room;
  int n = C->n, d = C->d;
  ritt_real before = INFINITY, size = ritti_norm(n, C->centre + 1) + C->radius;
  for (int times = 0; times < MOST; times++) {
    if (!factor_chart(C)) return false;
    for (int j = 0; j < n; j++) R->w[j] = R->z[1 + j] - C->centre[1 + j];
    ritti_chart_coordinates(C, R->w, R->right);
    for (int a = 0; a < d; a++) R->right[a] -= xi[a];
    memcpy(R->right + d, R->g, (size_t)C->l * sizeof *R->g);
    ritti_lu_solve(n, R->J, R->pivot, R->right);
    for (int j = 0; j < n; j++) R->z[1 + j] -= R->right[j];
    ritt_real step = ritti_norm(n, R->right);
    if (!(step < INFINITY)) return false;
    if (step <= 8 * RITTI_EPS * size || (step < (ritt_real)1e-10 * size && !(step < before / 4)))
      return factor_chart(C);
    before = step;
  }
  return false;
}

/* Y, T, B at xi for the direction eta, to out; room->z holds a guess. */
static bool solve_all(ritti_chart *C, const ritt_real *xi, const ritt_real *eta, ritt_real *out) {
  struct ritti_chart_room *R = C->room;
  int n = C->n, d = C->d;
  ritt_real *T = out + n, *B = T + d * n;
  if (!solve_Y(C, xi)) return false;
  memcpy(out, R->z + 1, (size_t)n * sizeof *out);
  for (int j = 0; j < n; j++) R->w[j] = 0;
  for (int a = 0; a < d; a++) {
    for (int j = 0; j < n; j++) T[a * n + j] = j == a;
    ritti_lu_solve(n, R->J, R->pivot, T + a * n);
    for (int j = 0; j < n; j++) R->w[j] += eta[a] * T[a * n + j];
  }
  if (!ritti_crossing_bend(C->crossing, R->z, R->w, R->bend)) return false;
  for (int j = 0; j < n; j++) B[j] = j < d ? 0 : -R->bend[j - d];
  ritti_lu_solve(n, R->J, R->pivot, B);
  return true;
}

/* The sign of det (tangent over dg), factored: it changes where another crossing lies on the way.
 */
static int side_of(const ritti_chart *C) {
  const struct ritti_chart_room *R = C->room;
  int sign = 1;
  for (int k = 0; k < C->n; k++)
    sign *= ((R->J[k * (C->n + 1)] < 0) != (R->pivot[k] != k)) ? -1 : 1;
  return sign;
}

/* ---- interpolation ---- */

/* The values on the line of all xi with these coordinates but the first, for the direction eta:
 * from the inside outwards, each from the one before. With d = 1 none but this crossing may lie
 * there. */
static bool fill_point(ritti_chart *C, const ritt_real *xi, const ritt_real *eta) {
  struct ritti_chart_room *R = C->room;
  int n = C->n, d = C->d, half = C->places / 2;
  memcpy(R->xi, xi, (size_t)d * sizeof *xi);
  memcpy(R->eta, eta, (size_t)d * sizeof *eta);
  for (int side = 0; side < 2; side++)
    for (int i = 0, sign = 0; i < half; i++) {
      int j = side ? half + i : half - 1 - i;
      const ritt_real *inner = value_at(C, side ? j - 1 : j + 1);
      R->xi[0] = C->radius * R->place[j];
      if (i == 0) {
        memcpy(R->z, C->centre, (size_t)C->crossing->problem->m * sizeof *R->z);
        for (int a = 0; a < d; a++)
          for (int c = 0; c < n; c++) R->z[1 + c] += R->xi[a] * C->tangent[a * n + c];
      } else {
        ritt_real step = C->radius * (R->place[j] - R->place[side ? j - 1 : j + 1]);
        for (int c = 0; c < n; c++) R->z[1 + c] = inner[c] + step * inner[n + c];
      }
      if (!solve_all(C, R->xi, R->eta, value_at(C, j))) return false;
      if (i == 0) sign = side_of(C);
      if (d == 1 && side_of(C) != sign) return false;
    }
  return true;
}

static void interpolate_branch(ritti_chart *C, ritt_real first) {
  struct ritti_chart_room *R = C->room;
  int width = width_of(C);
  ritt_real total = 0, t = first / C->radius;
  for (int i = 0; i < width; i++) C->Y[i] = 0;
  for (int j = 0; j < C->places; j++) {
    const ritt_real *value = value_at(C, j);
    if (t == R->place[j]) {
      memcpy(C->Y, value, (size_t)width * sizeof *value);
      return;
    }
    ritt_real weight = R->weight[j] / (t - R->place[j]);
    total += weight;
    for (int i = 0; i < width; i++) C->Y[i] += weight * value[i];
  }
  for (int i = 0; i < width; i++) C->Y[i] /= total;
}

bool ritti_chart_at(ritti_chart *C, const ritt_real *xi, const ritt_real *eta) {
  struct ritti_chart_room *R = C->room;
  static const ritt_real unit[1] = {1};
  if (!(RITTI_MATH(fabs)(xi[0]) <= C->radius)) return false;
  if (C->d > 1) {
    for (int a = 1; a < C->d; a++)
      if (!(RITTI_MATH(fabs)(xi[a]) <= C->radius)) return false;
    if (!fill_point(C, xi, eta)) return false;
  } else if (!R->filled) {
    if (!fill_point(C, xi, unit)) return false;
    R->filled = true;
  }
  interpolate_branch(C, xi[0]);
  for (int j = 0; j < C->n && C->d == 1; j++) C->B[j] *= eta[0] * eta[0];
  return true;
}

/* ---- opening ---- */

/* The tangent space of the branch to which the vector v of the kernel belongs: with the form high
 * e_0^2 + low e_1^2 the branches are sqrt(high) a +- sqrt(-low) b = 0. false: v belongs to neither.
 */
static bool choose_branch(ritti_chart *C, const ritt_real *v) {
  static const ritt_real CLEAR = (ritt_real)0.3;
  const ritti_crossing *X = C->crossing;
  const ritt_real *e0 = X->kernel, *e1 = X->kernel + C->n;
  ritt_real a = ritti_dot(C->n, e0, v), b = ritti_dot(C->n, e1, v),
            length = RITTI_MATH(hypot)(a, b);
  ritt_real p = RITTI_MATH(sqrt)(X->curve[0]), q = RITTI_MATH(sqrt)(-X->curve[1]),
            size = RITTI_MATH(hypot)(p, q);
  if (!(length > 0)) return false;
  /* unit vectors along the two: (q, p) and (q, -p) over size; the cosine of the angle between them
   */
  ritt_real plus = RITTI_MATH(fabs)(p * a - q * b) / (size * length),
            minus = RITTI_MATH(fabs)(p * a + q * b) / (size * length),
            sign = plus <= minus ? 1 : -1;
  if (!(RITTI_MATH(fmin)(plus, minus) <= CLEAR * RITTI_MATH(fmax)(plus, minus))) return false;
  for (int j = 0; j < C->n; j++) C->tangent[j] = (q * e0[j] + sign * p * e1[j]) / size;
  memcpy(C->tangent + C->n, X->kernel + 2 * C->n,
         (size_t)(C->d - 1) * (size_t)C->n * sizeof *C->tangent);
  return true;
}

/* u_a d2g(w + s e, w + s e) for all a, e a row of the kernel: to out */
static bool evaluate_forms(ritti_chart *C, const ritt_real *w, ritt_real s, const ritt_real *e,
                           ritt_real *out) {
  struct ritti_chart_room *R = C->room;
  const ritti_crossing *X = C->crossing;
  for (int j = 0; j < C->n; j++) R->right[j] = w[j] + s * e[j];
  if (!ritti_crossing_bend(C->crossing, X->z, R->right, R->bend)) return false;
  for (int a = 0; a < X->lost; a++) out[a] = ritti_dot(C->l, X->u + a * C->l, R->bend);
  return true;
}

/* Mobility 1, where more than one rank is lost: the common zero of the forms next to v, by Newton's
 * method on the unit sphere of the kernel. It must be a simple one. */
static bool choose_tangent(ritti_chart *C, const ritt_real *v) {
  enum { MOST = 20, SIZE = RITTI_MOST_LOST + 1 };
  const ritti_crossing *X = C->crossing;
  ritt_real J[SIZE * SIZE], F[SIZE], high[SIZE], low[SIZE], *w = C->tangent, ratio = 0, length,
                                                            step = 1;
  int n = C->n, size = X->lost + 1, pivot[SIZE];
  for (int j = 0; j < n; j++) w[j] = 0;
  for (int a = 0; a < size; a++) {
    const ritt_real *e = X->kernel + a * n;
    ritt_real part = ritti_dot(n, e, v);
    for (int j = 0; j < n; j++) w[j] += part * e[j];
  }
  for (int times = 0; times < MOST && step > 64 * RITTI_EPS; times++) {
    length = ritti_norm(n, w);
    if (!(length > 0)) return false;
    for (int j = 0; j < n; j++) w[j] /= length;
    for (int c = 0; c < size; c++) {
      const ritt_real *e = X->kernel + c * n;
      if (!evaluate_forms(C, w, (ritt_real)0.5, e, high) ||
          !evaluate_forms(C, w, (ritt_real)-0.5, e, low))
        return false;
      for (int a = 0; a < X->lost; a++) J[a * size + c] = high[a] - low[a];
      J[X->lost * size + c] = ritti_dot(n, w, e);
    }
    if (!evaluate_forms(C, w, 0, w, F)) return false;
    F[X->lost] = 0;
    if (!ritti_lu_factor(size, J, pivot, &ratio)) return false;
    ritti_lu_solve(size, J, pivot, F);
    step = ritti_norm(size, F);
    if (!(step < 1)) return false;
    for (int c = 0; c < size; c++)
      for (int j = 0; j < n; j++) w[j] -= F[c] * X->kernel[c * n + j];
  }
  length = ritti_norm(n, w);
  for (int j = 0; j < n; j++) w[j] /= length;
  return step < (ritt_real)1e-9 && ratio > (ritt_real)1e-6 &&
         RITTI_MATH(fabs)(ritti_dot(n, w, v)) > (ritt_real)0.9 * ritti_norm(n, v);
}

/* An orthonormal basis of what is not tangent. */
static bool find_normal(ritti_chart *C) {
  struct ritti_chart_room *R = C->room;
  int n = C->n, d = C->d;
  ritt_real *copy = R->scratch + ritti_singular_values_scratch(d, n);
  memcpy(copy, C->tangent, (size_t)d * (size_t)n * sizeof *copy);
  if (!ritti_singular_values(d, n, copy, R->sigma, R->v, R->scratch)) return false;
  memcpy(C->normal, R->v + d * n, (size_t)C->l * (size_t)n * sizeof *C->normal);
  return true;
}

/* How far interpolation and solution differ at the place t in (-1, 1), relative to the sizes: an
 * error of the second derivative makes one of the velocities on the way over the radius. NaN: not
 * known. */
static ritt_real take_difference(ritti_chart *C, ritt_real t, ritt_real size) {
  struct ritti_chart_room *R = C->room;
  int n = C->n, d = C->d;
  ritt_real *value = value_at(C, C->places), *xi = R->xi, most = 0;
  for (int a = 0; a < d; a++) xi[a] = a ? 0 : t * C->radius;
  interpolate_branch(C, xi[0]);
  memcpy(R->z + 1, C->Y, (size_t)n * sizeof *R->z);
  if (!solve_all(C, xi, R->eta, value)) return NAN;
  for (int j = 0; j < width_of(C); j++) {
    ritt_real error = RITTI_MATH(fabs)(value[j] - C->Y[j]);
    if (j < n) error /= size;
    else if (j >= n * (d + 1)) error *= C->radius;
    if (!(error <= most)) most = error;
  }
  return most;
}

/* Is the chart good for this radius? Returns its error. */
static ritt_real try_radius(ritti_chart *C, ritt_real size) {
  struct ritti_chart_room *R = C->room;
  ritt_real most = 0;
  for (int a = 0; a < C->d; a++) R->xi[a] = 0, R->eta[a] = a == 0;
  if (!fill_point(C, R->xi, R->eta)) return NAN;
  /* between the outermost places, and about half way */
  for (int i = 0; i < 4; i++) {
    int j = i < 2 ? 0 : C->places / 4;
    ritt_real t = (R->place[j] + R->place[j + 1]) / 2,
              error = take_difference(C, i % 2 ? -t : t, size);
    if (!(error <= most)) most = error;
  }
  return most;
}

static bool find_radius(ritti_chart *C, ritt_real size) {
  /* the innermost places are nearer to the crossing the more there are */
  const ritt_real enough = 20000 * RITTI_EPS * (sizeof(ritt_real) > 8 ? 100 : 1);
  /* rounding is all that is left, and more of it where coordinates are large: angles after some
   * turns */
  const ritt_real still = 100 * enough;
  ritt_real least = INFINITY, best = 0;
  C->room->filled = false;
  C->radius = size / 2;
  for (int times = 0; times < HALVINGS; times++, C->radius /= 2) {
    ritt_real error = try_radius(C, size);
    if (error < least) least = error, best = C->radius;
    if (error <= enough) break;
  }
  C->radius = best;
  if (!(least <= still) || (least > enough && !(try_radius(C, size) <= still))) return false;
  C->room->filled = C->d == 1;
  return true;
}

bool ritti_chart_open(ritti_chart *C, const ritt_real *z, ritt_real size) {
  struct ritti_chart_room *R = C->room;
  const ritti_crossing *X = C->crossing;
  int n = C->n;
  bool several = X->kind == RITTI_CROSSING_SEVERAL && C->d == 1;
  if ((X->kind != RITTI_CROSSING_TWO && !several) || X->miss > 0) return false;
  memcpy(C->centre, X->z, (size_t)X->problem->m * sizeof *X->z);
  C->centre[0] = z[0];
  for (int j = 0; j < n; j++) R->w[j] = z[1 + j] - X->z[1 + j];
  if (!(ritti_norm(n, R->w) > (ritt_real)1e-6 * size))
    memcpy(R->w, z + 1 + n, (size_t)n * sizeof *R->w);
  return (several ? choose_tangent(C, R->w) : choose_branch(C, R->w)) && find_normal(C) &&
         find_radius(C, size);
}

/* ---- state ---- */

void ritti_chart_state(ritti_chart *C, ritti_state *state) {
  size_t n = (size_t)C->n, l = (size_t)C->l, d = (size_t)C->d;
  bool filled = C->room->filled;
  ritti_state_reals(state, "chart.centre", C->centre, 2 * n + 1);
  ritti_state_reals(state, "chart.tangent", C->tangent, d * n);
  ritti_state_reals(state, "chart.normal", C->normal, l * n);
  ritti_state_reals(state, "chart.radius", &C->radius, 1);
  ritti_state_bool(state, "chart.filled", &filled);
  if (C->d == 1)
    ritti_state_reals(state, "chart.values", C->room->value, (size_t)(C->places * width_of(C)));
  if (state->mode == RITTI_STATE_LOAD) C->room->filled = filled;
}
