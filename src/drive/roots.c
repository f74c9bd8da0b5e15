/* All roots of a function along one step.
 *
 * In: g(theta) on [0, 1], smooth, given by a callback; the side on which it was before; a level
 * below which its sign says nothing (the tolerance of the solution, seen through g). Out: the
 * places at which it changes sides, or only touches zero, in order. g is interpolated at
 * Chebyshev points until the coefficients have decayed; between the critical points of the
 * interpolant it is monotone, so that no pair of roots is missed which the interpolant has. Roots
 * are then refined on g itself. If no interpolant is good enough the interval is halved. A piece
 * that is narrow by then holds a pole, a jump or something as steep: the signs at its ends decide,
 * and bisection finds the place, and whether g vanishes there.
 *
 * Two roots between which g stays below the level are one touching zero: the tolerance cannot tell them
 * apart.
 */
#include "drive/roots.h"

enum { FEWEST = 8, MOST = 32, SCANNED = RITTI_COSINES, MOST_PIECES = 256 };
static const ritt_real DECAYED = (ritt_real)1e-4, NARROW = (ritt_real)1e-6;

typedef struct series {
  int n;                              /* degree */
  ritt_real c[MOST + 1], d[MOST + 1]; /* of g and of its derivative by t */
  ritt_real from, to;                 /* theta = from + (to - from) (1 + t) / 2 */
  int zeros;                          /* values that are 0 */
} series;

/* The search. */
typedef struct search {
  const ritti_function *g;
  ritt_real level;
  int *side;
  ritti_root *root;
  int most, *count;
} search;

static ritt_real place_in_step(const series *s, ritt_real t) {
  return s->from == 0 && s->to == 1 ? (1 + t) / 2 : s->from + (s->to - s->from) * ((1 + t) / 2);
}

static ritt_real value_of(const ritt_real *c, int n, ritt_real t) { /* Clenshaw */
  ritt_real b1 = 0, b2 = 0;
  for (int k = n; k > 0; k--) {
    ritt_real b = c[k] + 2 * t * b1 - b2;
    b2 = b1, b1 = b;
  }
  return c[0] + t * b1 - b2;
}

void ritti_fill_cosines(ritt_real *cosine) {
  for (int i = 0; i < 2 * RITTI_COSINES; i++)
    cosine[i] = RITTI_MATH(cos)(RITTI_PI_NUMBER * (ritt_real)i / RITTI_COSINES);
}

/* Coefficients from the values at t_j = cos(pi j / n), j = 0 .. n. */
static void fit_series(series *s, const ritt_real *cosine, const ritt_real *value, int n) {
  int stride = RITTI_COSINES / n;
  s->n = n;
  for (int k = 0; k <= n; k++) {
    ritt_real sum = 0;
    for (int j = 0; j <= n; j++) {
      ritt_real w = j == 0 || j == n ? (ritt_real)0.5 : 1;
      sum += w * value[j] * cosine[k * j % (2 * n) * stride];
    }
    s->c[k] = sum * (k == 0 || k == n ? 1 : 2) / n;
  }
  /* d_{k-1} = d_{k+1} + 2 k c_k */
  for (int k = 0; k <= n; k++) s->d[k] = 0;
  for (int k = n; k > 0; k--)
    s->d[k - 1] = (k + 1 <= n ? s->d[k + 1] : 0) + 2 * (ritt_real)k * s->c[k];
  s->d[0] /= 2;
}

static ritt_real size_of(const series *s) {
  ritt_real largest = 0;
  for (int k = 0; k <= s->n; k++) largest = RITTI_MATH(fmax)(largest, RITTI_MATH(fabs)(s->c[k]));
  return largest;
}

static bool has_decayed(const series *s, ritt_real noise) {
  ritt_real largest = size_of(s), last = 0;
  for (int k = s->n - 1; k <= s->n; k++) last = RITTI_MATH(fmax)(last, RITTI_MATH(fabs)(s->c[k]));
  return last <= RITTI_MATH(fmax)(DECAYED * largest, noise);
}

/* Values at more and more points: the n points are among the 2 n points. */
static ritt_status interpolate_function(const ritti_function *g, ritt_real level, series *s,
                                        bool *good) {
  ritt_real value[MOST + 1], noise = RITTI_MATH(fmax)(level, 1000 * RITTI_EPS);
  *good = false;
  for (int n = FEWEST; n <= MOST; n *= 2) {
    if (n > FEWEST)
      // cppcheck-suppress uninitvar ; the first round filled them
      for (int j = n / 2; j > 0; j--) value[2 * j] = value[j];
    for (int j = 0; j <= n; j++) {
      if (n > FEWEST && j % 2 == 0) continue;
      ritt_real theta = place_in_step(s, g->cosine[j * (RITTI_COSINES / n)]);
      if (j == 0) theta = s->to;
      if (j == n) theta = s->from;
      RITT_TRY(g->at(g->context, theta, &value[j]));
      if (!(RITTI_MATH(fabs)(value[j]) < INFINITY)) return RITT_RETRY;
    }
    fit_series(s, g->cosine, value, n);
    s->zeros = 0;
    for (int j = 0; j <= n; j++) s->zeros += value[j] == 0;
    if (has_decayed(s, 0)) break;
  }
  *good = !g->resolve || has_decayed(s, noise);
  return RITT_OK;
}

/* A root of c in [a, b], whose ends have different signs. */
static ritt_real bisect_root(const ritt_real *c, int n, ritt_real a, ritt_real b) {
  bool above = value_of(c, n, a) > 0;
  for (int i = 0; i < 60 && b - a > RITTI_EPS; i++) {
    ritt_real middle = (a + b) / 2;
    if ((value_of(c, n, middle) > 0) == above) a = middle;
    else b = middle;
  }
  return (a + b) / 2;
}

/* The ends and the critical points of the interpolant, ascending in t. */
static int find_knots(const series *s, const ritt_real *cosine, ritt_real *t) {
  int count = 0;
  ritt_real before = -1, slope = value_of(s->d, s->n, -1);
  t[count++] = -1;
  for (int j = 1; j <= SCANNED; j++) {
    ritt_real here = j == SCANNED ? 1 : -cosine[j];
    ritt_real now = value_of(s->d, s->n, here);
    if ((now > 0) != (slope > 0)) t[count++] = bisect_root(s->d, s->n, before, here);
    before = here, slope = now;
  }
  t[count++] = 1;
  return count;
}

/* Secants with the Illinois rule: the value at an end that was kept twice in a row is halved. Every
 * eighth point bisects. No point is nearer to an end than rounding, so that the interval shrinks
 * around the root from both sides. */
ritt_status ritti_refine_root(const ritti_function *g, ritt_real a, ritt_real ga, ritt_real b,
                              ritt_real gb, ritt_real *root) {
  const ritt_real LEAST = 2 * RITTI_EPS;
  bool above = ga > 0;
  int kept = 0; /* the end that stayed at the last secant: -1: a, 1: b */
  *root = b;
  for (int i = 0; i < 80 && b - a > LEAST; i++) {
    ritt_real middle = i % 8 == 7 ? (a + b) / 2 : a + (b - a) * (ga / (ga - gb)), value;
    if (!(middle > a + LEAST)) middle = a + LEAST;
    if (!(middle < b - LEAST)) middle = b - LEAST;
    if (!(middle > a && middle < b)) middle = (a + b) / 2;
    RITT_TRY(g->at(g->context, middle, &value));
    *root = middle;
    if (value == 0) return RITT_OK;
    bool left = (value > 0) == above;
    if (left && kept == 1) gb /= 2;
    if (!left && kept == -1) ga /= 2;
    kept = left ? 1 : -1;
    if (left) a = middle, ga = value;
    else b = middle, gb = value;
  }
  return RITT_OK;
}

/* The root of g in the knots' interval [a, b], near the root of the interpolant there; *sure: g has
 * one. */
static ritt_status polish_root(const ritti_function *g, const series *s, ritt_real a, ritt_real b,
                               ritt_real *theta, bool *sure) {
  ritt_real middle = bisect_root(s->c, s->n, a, b), ga, gb;
  *theta = place_in_step(s, middle);
  *sure = true;
  /* a narrow interval first; the whole one if the interpolant is not that good */
  for (ritt_real width = (ritt_real)1e-4; width < 4; width *= 30) {
    ritt_real low = place_in_step(s, RITTI_MATH(fmax)(a, middle - width)),
              high = place_in_step(s, RITTI_MATH(fmin)(b, middle + width));
    RITT_TRY(g->at(g->context, low, &ga));
    RITT_TRY(g->at(g->context, high, &gb));
    if (ga * gb < 0) return ritti_refine_root(g, low, ga, high, gb, theta);
    if (ga == 0 || gb == 0) {
      *theta = ga == 0 ? low : high;
      return RITT_OK;
    }
  }
  *sure = false;
  return RITT_OK;
}

/* The last change of sign away from `side` between the knots i and j; at the knot i where there is
 * none. */
static ritt_status locate_root(const ritti_function *g, const series *s, const ritt_real *t, int i,
                               int j, int side, ritt_real *theta, bool *sure) {
  for (int k = j - 1; k >= i; k--)
    if (value_of(s->c, s->n, t[k]) * side > 0 && !(value_of(s->c, s->n, t[k + 1]) * side > 0))
      return polish_root(g, s, t[k], t[k + 1], theta, sure);
  *theta = place_in_step(s, t[i]);
  *sure = true;
  return RITT_OK;
}

/* The value of the interpolant at t; that of g itself if it is so small that its sign is not certain. */
static ritt_status sure_value(const search *q, const series *s, ritt_real t, ritt_real *p) {
  const ritt_real SEVERAL = 100;
  ritt_real tail = RITTI_MATH(fabs)(s->c[s->n - 1]) + RITTI_MATH(fabs)(s->c[s->n]);
  *p = value_of(s->c, s->n, t);
  if (!(RITTI_MATH(fabs)(*p) < SEVERAL * tail)) return RITT_OK;
  return q->g->at(q->g->context, place_in_step(s, t), p);
}

/* ---- functions that become 0 and stay 0 for a while: max(y, 0) ---- */

/* Is g 0 beside theta, too, inside the piece? */
static ritt_status is_flat(const search *q, const series *s, ritt_real theta, bool *yes) {
  ritt_real beside = (ritt_real)1e-7 * (s->to - s->from), value;
  RITT_TRY(
      q->g->at(q->g->context, theta + beside < s->to ? theta + beside : theta - beside, &value));
  *yes = value == 0;
  return RITT_OK;
}

/* Where g becomes 0 between a and b: it is not 0 at a, and 0 at b. */
static ritt_status find_first_zero(const search *q, ritt_real a, ritt_real b, ritt_real *theta) {
  ritt_real value;
  for (int i = 0; i < 60 && b - a > 2 * RITTI_EPS; i++) {
    ritt_real middle = a + (b - a) / 2;
    RITT_TRY(q->g->at(q->g->context, middle, &value));
    if (value != 0) a = middle;
    else b = middle;
  }
  *theta = b;
  return RITT_OK;
}

/* Goes from a, where g is `before`, to b, where it is `here`. The root of a stay is where it begins. */
static ritt_status scan_interval(search *q, ritt_real a, ritt_real before, ritt_real b,
                                 ritt_real here) {
  int now = here > 0 ? 1 : -1;
  ritti_root found = {.theta = a, .sense = here == 0 ? -*q->side : now};
  bool stays = here == 0 && before * (ritt_real)*q->side > 0,
       crosses = here != 0 && *q->side == -now;
  if (here != 0 && RITTI_MATH(fabs)(here) > q->level) *q->side = now;
  if (here == 0) *q->side = 0;
  if ((!stays && !crosses) || *q->count == q->most) return RITT_OK;
  if (stays) RITT_TRY(find_first_zero(q, a, b, &found.theta));
  if (crosses && before * here < 0)
    RITT_TRY(ritti_refine_root(q->g, a, before, b, here, &found.theta));
  q->root[(*q->count)++] = found;
  return RITT_OK;
}

/* A piece in which g is 0 for a while: goes through values at all Chebyshev points, and at `most`, where
 * the interpolant is least. */
static ritt_status scan_stays(search *q, const series *s, ritt_real most) {
  ritt_real theta = s->from, before, here;
  RITT_TRY(q->g->at(q->g->context, theta, &before));
  /* an event that has happened just before is not to happen again */
  if (RITTI_MATH(fabs)(before) <= (ritt_real)1e-3 * q->level) *q->side = 0;
  RITT_TRY(scan_interval(q, theta, before, theta, before));
  for (int j = MOST - 1; j >= 0; j--) {
    ritt_real next = j == 0 ? s->to : place_in_step(s, q->g->cosine[j * (RITTI_COSINES / MOST)]);
    if (most > theta && most < next) next = most, j++;
    RITT_TRY(q->g->at(q->g->context, next, &here));
    RITT_TRY(scan_interval(q, theta, before, next, here));
    theta = next, before = here;
  }
  return RITT_OK;
}

/* Does g touch zero there, too? */
static ritt_status touches_zero(const search *q, ritt_real theta, bool *sure) {
  ritt_real value;
  RITT_TRY(q->g->at(q->g->context, theta, &value));
  *sure = RITTI_MATH(fabs)(value) <= 2 * q->level;
  return RITT_OK;
}

/* g is below the level where all ends: has it come to zero there? The side is that of nothing then.
 */
static void search_end(search *q, const series *s, ritt_real least) {
  ritt_real p = value_of(s->c, s->n, 1) * (ritt_real)*q->side;
  ritt_real slope = value_of(s->d, s->n, 1) * (ritt_real)*q->side * 2 / (s->to - s->from);
  if (!(q->g->last > 0) || *q->side == 0 || *q->count == q->most) return;
  if (!(p <= least) && !(p <= -slope * q->g->last)) return;
  q->root[(*q->count)++] = (ritti_root){.theta = 1, .sense = -*q->side, .last = true};
  *q->side = 0;
}

/* Does the interpolant stay beyond the level on one side, which is the one on which g was? */
static bool stays_on_side(const search *q, const series *s) {
  ritt_real rest = 0;
  int side = s->c[0] > 0 ? 1 : -1;
  for (int k = 1; k <= s->n; k++) rest += RITTI_MATH(fabs)(s->c[k]);
  if (!(RITTI_MATH(fabs)(s->c[0]) - rest > q->level) || *q->side == -side) return false;
  *q->side = side;
  return true;
}

/* A piece with a good interpolant. *sure: all its roots are roots of g; where g is far larger
 * beside them than around them it may be off. */
static ritt_status search_smooth(search *q, const series *s, bool *sure) {
  ritt_real t[SCANNED + 2], nearest = INFINITY;
  *sure = true;
  if (stays_on_side(q, s)) return RITT_OK;
  int knots = find_knots(s, q->g->cosine, t), settled = 0, touching = -1;
  int first_side = *q->side, first_count = *q->count;
  for (int i = 0; i < knots && *q->count < q->most; i++) {
    bool seen = true, flat = false;
    ritt_real p;
    RITT_TRY(sure_value(q, s, t[i], &p));
    /* beyond a zero, or near it: does g stay 0 there instead? */
    if (q->g->flat && !(p * (ritt_real)*q->side > q->level)) {
      ritt_real here;
      RITT_TRY(q->g->at(q->g->context, place_in_step(s, t[i]), &here));
      if (here == 0) p = 0;
    }
    if (p == 0 && q->g->flat) RITT_TRY(is_flat(q, s, place_in_step(s, t[i]), &flat));
    if (flat) {
      *q->side = first_side, *q->count = first_count;
      return scan_stays(q, s, place_in_step(s, t[i]));
    }
    /* beyond zero at the end and on its way: it will not come back unseen */
    ritt_real least = RITTI_MATH(fmax)(64 * RITTI_EPS * size_of(s), q->g->least);
    bool gone = i + 1 == knots && s->to == 1 && p * *q->side < -least &&
                value_of(s->d, s->n, 1) * *q->side < 0;
    if (RITTI_MATH(fabs)(p) <= q->level && !gone) {
      if (i + 1 == knots && s->to == 1) search_end(q, s, least);
      if (i > 0 && i + 1 < knots && RITTI_MATH(fabs)(p) < nearest)
        touching = i, nearest = RITTI_MATH(fabs)(p);
      continue;
    }
    int now = p > 0 ? 1 : -1;
    ritti_root found = {.sense = now};
    if (*q->side == -now) {
      RITT_TRY(locate_root(q->g, s, t, settled, i, *q->side, &found.theta, &seen));
      q->root[(*q->count)++] = found;
    } else if (*q->side == now && touching >= 0) {
      found = (ritti_root){.theta = place_in_step(s, t[touching])};
      RITT_TRY(touches_zero(q, found.theta, &seen));
      q->root[(*q->count)++] = found;
    }
    *sure &= seen;
    *q->side = now, settled = i, touching = -1, nearest = INFINITY;
  }
  return RITT_OK;
}

/* A narrow piece without one: where the signs at its ends differ, the change is between two
 * neighbouring numbers, and g is as large there as it was around or it is a root. */
static ritt_status search_narrow(search *q, ritt_real a, ritt_real b) {
  ritt_real ga, gb, value;
  RITT_TRY(q->g->at(q->g->context, a, &ga));
  RITT_TRY(q->g->at(q->g->context, b, &gb));
  if (q->g->flat && gb == 0) return scan_interval(q, a, ga, b, gb);
  if (!(RITTI_MATH(fabs)(gb) > q->level) || *q->count == q->most) return RITT_OK;
  int now = gb > 0 ? 1 : -1, before = *q->side;
  *q->side = now;
  if (before != -now) return RITT_OK;
  ritti_root found = {.theta = a, .sense = now};
  if ((ga > 0) != (gb > 0)) {
    ritt_real around = RITTI_MATH(fmin)(RITTI_MATH(fabs)(ga), RITTI_MATH(fabs)(gb));
    for (;;) {
      ritt_real middle = a + (b - a) / 2;
      if (!(middle > a && middle < b)) break;
      ritt_status status = q->g->at(q->g->context, middle, &value);
      if (status == RITT_RETRY) value = ga > 0 ? INFINITY : -INFINITY; /* the pole itself */
      else RITT_TRY(status);
      if ((value > 0) == (ga > 0)) a = middle, ga = value;
      else b = middle, gb = value;
    }
    found.theta = b;
    found.through = RITTI_MATH(fmin)(RITTI_MATH(fabs)(ga), RITTI_MATH(fabs)(gb)) > around / 1000;
  }
  q->root[(*q->count)++] = found;
  return RITT_OK;
}

ritt_status ritti_find_roots(const ritti_function *g, ritt_real level, int *side, ritti_root *root,
                             int most, int *count) {
  search q = {g, level, side, root, most, count};
  ritt_real to[64] = {1}; /* the ends of the pieces that are left, the next one last */
  int left = 1, pieces = 0;
  series s = {.from = 0};
  *count = 0;
  while (left > 0 && *count < most) {
    int before = *side, found = *count;
    bool good, narrow, sure = true;
    if (++pieces > MOST_PIECES) return RITT_RETRY;
    s.to = to[left - 1];
    narrow = s.to - s.from <= NARROW;
    RITT_TRY(interpolate_function(g, level, &s, &good));
    bool stays = g->flat && s.zeros > 1;
    if (stays) RITT_TRY(scan_stays(&q, &s, s.from));
    else if (good) RITT_TRY(search_smooth(&q, &s, &sure));
    if (!stays && g->resolve && !(good && sure)) {
      *side = before, *count = found;
      if (narrow) RITT_TRY(search_narrow(&q, s.from, s.to));
      else to[left++] = s.from + (s.to - s.from) / 2;
      if (!narrow) continue;
    }
    s.from = s.to;
    left--;
  }
  return RITT_OK;
}
