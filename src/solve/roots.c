/* All roots of a function along one step.
 *
 * In: g(theta) on [0, 1], smooth, given by a callback; the side on which it was before; a level below
 * which its sign says nothing (the tolerance of the solution, seen through g). Out: the places where it
 * changes sides, and where it only touches zero, in order. g is interpolated at Chebyshev points until the
 * coefficients have decayed; between the critical points of the interpolant it is monotone, so that no
 * pair of roots is missed which the interpolant has. Roots are then refined on g itself.
 *
 * Two roots between which g stays below the level are one touching zero: nobody can tell them apart.
 */
#include "solve/roots.h"

enum { FEWEST = 8, MOST = 32, SCANNED = 4 * MOST };
static const ritt_real DECAYED = (ritt_real)1e-4;

typedef struct series {
  int n;                              /* degree */
  ritt_real c[MOST + 1], d[MOST + 1]; /* of g and of its derivative by t, t = 2 theta - 1 */
} series;

static ritt_real value_of(const ritt_real *c, int n, ritt_real t) { /* Clenshaw */
  ritt_real b1 = 0, b2 = 0;
  for (int k = n; k > 0; k--) {
    ritt_real b = c[k] + 2 * t * b1 - b2;
    b2 = b1, b1 = b;
  }
  return c[0] + t * b1 - b2;
}

/* Coefficients from the values at t_j = cos(pi j / n), j = 0 .. n. */
static void fit(series *s, const ritt_real *value, int n) {
  s->n = n;
  for (int k = 0; k <= n; k++) {
    ritt_real sum = 0;
    for (int j = 0; j <= n; j++) {
      ritt_real w = j == 0 || j == n ? (ritt_real)0.5 : 1;
      sum += w * value[j] * RITTI_MATH(cos)(RITTI_PI_NUMBER * (ritt_real)(k * j % (2 * n)) / n);
    }
    s->c[k] = sum * (k == 0 || k == n ? 1 : 2) / n;
  }
  /* d_{k-1} = d_{k+1} + 2 k c_k */
  for (int k = 0; k <= n; k++) s->d[k] = 0;
  for (int k = n; k > 0; k--) s->d[k - 1] = (k + 1 <= n ? s->d[k + 1] : 0) + 2 * (ritt_real)k * s->c[k];
  s->d[0] /= 2;
}

static ritt_real size_of(const series *s) {
  ritt_real largest = 0;
  for (int k = 0; k <= s->n; k++) largest = RITTI_MATH(fmax)(largest, RITTI_MATH(fabs)(s->c[k]));
  return largest;
}

static bool decayed(const series *s) {
  ritt_real largest = size_of(s), last = 0;
  for (int k = s->n - 1; k <= s->n; k++) last = RITTI_MATH(fmax)(last, RITTI_MATH(fabs)(s->c[k]));
  return last <= DECAYED * largest;
}

/* Values at more and more points: those of n are among those of 2 n. */
static ritt_status interpolate(const ritti_function *g, series *s) {
  ritt_real value[MOST + 1];
  for (int n = FEWEST; n <= MOST; n *= 2) {
    if (n > FEWEST)
      // cppcheck-suppress uninitvar ; the first round filled them
      for (int j = n / 2; j > 0; j--) value[2 * j] = value[j];
    for (int j = 0; j <= n; j++) {
      if (n > FEWEST && j % 2 == 0) continue;
      ritt_real theta = (1 + RITTI_MATH(cos)(RITTI_PI_NUMBER * j / n)) / 2;
      if (j == 0) theta = 1;
      if (j == n) theta = 0;
      RITT_TRY(g->at(g->context, theta, &value[j]));
      if (!(RITTI_MATH(fabs)(value[j]) < INFINITY)) return RITT_RETRY;
    }
    fit(s, value, n);
    if (decayed(s)) break;
  }
  return RITT_OK;
}

/* A root of c in [a, b], whose ends have different signs. */
static ritt_real bisect(const ritt_real *c, int n, ritt_real a, ritt_real b) {
  bool above = value_of(c, n, a) > 0;
  for (int i = 0; i < 60 && b - a > RITTI_EPS; i++) {
    ritt_real middle = (a + b) / 2;
    if ((value_of(c, n, middle) > 0) == above) a = middle;
    else b = middle;
  }
  return (a + b) / 2;
}

/* The ends and the critical points of the interpolant, ascending in t. */
static int find_knots(const series *s, ritt_real *t) {
  int count = 0;
  ritt_real before = -1, slope = value_of(s->d, s->n, -1);
  t[count++] = -1;
  for (int j = 1; j <= SCANNED; j++) {
    ritt_real here = j == SCANNED ? 1 : -RITTI_MATH(cos)(RITTI_PI_NUMBER * j / SCANNED);
    ritt_real now = value_of(s->d, s->n, here);
    if ((now > 0) != (slope > 0)) t[count++] = bisect(s->d, s->n, before, here);
    before = here, slope = now;
  }
  t[count++] = 1;
  return count;
}

/* The root of g itself in [a, b], at whose ends it has the values ga, gb of different signs: secants that
 * stay inside (the Illinois rule), and bisections between them. */
static ritt_status refine(const ritti_function *g, ritt_real a, ritt_real ga, ritt_real b, ritt_real gb,
                          ritt_real *root) {
  bool above = ga > 0;
  *root = b;
  for (int i = 0; i < 80 && b - a > 2 * RITTI_EPS; i++) {
    ritt_real middle = i % 4 == 3 ? (a + b) / 2 : a + (b - a) * (ga / (ga - gb)), value;
    if (!(middle > a && middle < b)) middle = (a + b) / 2;
    RITT_TRY(g->at(g->context, middle, &value));
    *root = middle;
    if (value == 0) return RITT_OK;
    if ((value > 0) == above) a = middle, ga = value, gb /= 2;
    else b = middle, gb = value, ga /= 2;
  }
  return RITT_OK;
}

/* The root of g in the knots' interval [a, b], near the root of the interpolant there. */
static ritt_status polish(const ritti_function *g, const series *s, ritt_real a, ritt_real b,
                          ritt_real *theta) {
  ritt_real middle = bisect(s->c, s->n, a, b), ga, gb;
  *theta = (1 + middle) / 2;
  /* a narrow interval first; the whole one where the interpolant is not that good */
  for (ritt_real width = (ritt_real)1e-4; width < 4; width *= 30) {
    ritt_real low = (1 + RITTI_MATH(fmax)(a, middle - width)) / 2,
              high = (1 + RITTI_MATH(fmin)(b, middle + width)) / 2;
    RITT_TRY(g->at(g->context, low, &ga));
    RITT_TRY(g->at(g->context, high, &gb));
    if (ga * gb < 0) return refine(g, low, ga, high, gb, theta);
    if (ga == 0 || gb == 0) {
      *theta = ga == 0 ? low : high;
      return RITT_OK;
    }
  }
  return RITT_OK;
}

/* The last change of sign away from `side` between the knots i and j; at the knot i where there is none. */
static ritt_status locate(const ritti_function *g, const series *s, const ritt_real *t, int i, int j,
                          int side, ritt_real *theta) {
  for (int k = j - 1; k >= i; k--)
    if (value_of(s->c, s->n, t[k]) * side > 0 && !(value_of(s->c, s->n, t[k + 1]) * side > 0))
      return polish(g, s, t[k], t[k + 1], theta);
  *theta = (1 + t[i]) / 2;
  return RITT_OK;
}

ritt_status ritti_find_roots(const ritti_function *g, ritt_real level, int *side, ritti_root *root, int most,
                             int *count) {
  series s;
  ritt_real t[SCANNED + 2], nearest = INFINITY;
  RITT_TRY(interpolate(g, &s));
  int knots = find_knots(&s, t), settled = 0, touching = -1;
  *count = 0;
  for (int i = 0; i < knots && *count < most; i++) {
    ritt_real p = value_of(s.c, s.n, t[i]);
    /* beyond zero at the end and on its way: it will not come back unseen */
    ritt_real least = RITTI_MATH(fmax)(64 * RITTI_EPS * size_of(&s), g->least);
    bool gone = i + 1 == knots && p * *side < -least && value_of(s.d, s.n, 1) * *side < 0;
    if (RITTI_MATH(fabs)(p) <= level && !gone) {
      if (i > 0 && i + 1 < knots && RITTI_MATH(fabs)(p) < nearest)
        touching = i, nearest = RITTI_MATH(fabs)(p);
      continue;
    }
    int now = p > 0 ? 1 : -1;
    ritti_root found = {.sense = now};
    if (*side == -now) {
      RITT_TRY(locate(g, &s, t, settled, i, *side, &found.theta));
      root[(*count)++] = found;
    } else if (*side == now && touching >= 0) {
      root[(*count)++] = (ritti_root){.theta = (1 + t[touching]) / 2};
    }
    *side = now, settled = i, touching = -1, nearest = INFINITY;
  }
  return RITT_OK;
}
