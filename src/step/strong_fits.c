/* Do steps of a method damp the vibrations of a strong potential?
 *
 * In: a tableau. Out: whether conditions (3.4) and (3.5) of Ch. Lubich, Integration of stiff
 * mechanical systems by Runge-Kutta methods (1992) hold: A invertible, |R(inf)| < 1, no eigenvalue
 * of A on the imaginary axis, |R(i w)| < 1 for w > 0. With R = P/Q, Q(z) = det(I - z A), P(z) =
 * det(I - z A + z 1 b^T), the last two say that
 *
 *     N(x) = |Q(i w)|^2 - |P(i w)|^2,   x = w^2,
 *
 * a polynomial with N(0) = 0, is positive for all x > 0. That is decided by its coefficients and
 * Sturm's chain, not by samples; coefficients below the rounding of what they are made of count as
 * 0.
 */
#include "step/implicit_impl.h"

enum { MOST = RITTI_MOST_STAGES };

static const ritt_real SMALL = (ritt_real)1e-10;

/* What follows from a tableau: P and Q by powers, both with s + 1 coefficients. */
typedef struct stability {
  int s;
  ritt_real P[MOST + 1], Q[MOST + 1];
} stability;

/* det(I - z B) by powers of z */
static void reverse_characteristic(int s, const ritt_real *B, ritt_real *out) {
  ritt_real p[MOST];
  ritti_characteristic(s, B, p);
  out[0] = 1;
  for (int k = 0; k < s; k++) out[s - k] = p[k];
}

static void find_stability(const ritti_tableau *t, stability *out) {
  int s = out->s = t->stages;
  ritt_real B[MOST * MOST];
  for (int i = 0; i < s; i++)
    for (int j = 0; j < s; j++) B[i * s + j] = t->a[i * s + j] - t->b[j];
  reverse_characteristic(s, t->a, out->Q);
  reverse_characteristic(s, B, out->P);
}

/* Adds sign |p(i w)|^2 by powers of x = w^2, and the sizes of the terms. */
static void add_square(int s, const ritt_real *p, int sign, ritt_real *out, ritt_real *size) {
  for (int i = 0; i <= s; i++)
    for (int j = i % 2; j <= s; j += 2) {
      /* i^i conj(i^j) is real where i + j is even */
      ritt_real term = p[i] * p[j] * ((i - j) / 2 % 2 ? -1 : 1);
      out[(i + j) / 2] += sign * term;
      size[(i + j) / 2] += RITTI_MATH(fabs)(term);
    }
}

static int degree_of(const ritt_real *p, int degree, ritt_real small) {
  while (degree >= 0 && RITTI_MATH(fabs)(p[degree]) <= small) degree--;
  return degree;
}

static ritt_real largest_coefficient(const ritt_real *p, int degree) {
  ritt_real most = 0;
  for (int i = 0; i <= degree; i++) most = RITTI_MATH(fmax)(most, RITTI_MATH(fabs)(p[i]));
  return most;
}

/* a := -(a mod b), scaled; its degree */
static int remainder_of(ritt_real *a, int degree, const ritt_real *b, int by) {
  ritt_real scale = largest_coefficient(a, degree);
  for (int d = degree; d >= by; d--) {
    ritt_real factor = a[d] / b[by];
    for (int i = 0; i <= by; i++) a[d - by + i] -= factor * b[i];
    a[d] = 0;
  }
  int left = degree_of(a, by - 1, SMALL * scale);
  ritt_real most = largest_coefficient(a, left);
  for (int i = 0; i <= left; i++) a[i] /= -most;
  return left;
}

/* Has p zeros x > 0? Sturm: signs of the chain at 0 and at infinity. p[0] is not 0. */
static bool has_positive_zero(const ritt_real *p, int degree) {
  ritt_real chain[2][MOST + 2];
  int changes = 0, low = 0, high = 0, degrees[2] = {degree, degree - 1};
  for (int i = 0; i <= degree; i++) chain[0][i] = p[i];
  for (int i = 0; i < degree; i++) chain[1][i] = (ritt_real)(i + 1) * p[i + 1];
  for (int k = 0;; k = 1 - k) {
    const ritt_real *c = chain[k];
    if (degrees[k] < 0) break;
    int at_0 = c[0] > 0 ? 1 : c[0] < 0 ? -1 : 0, at_end = c[degrees[k]] > 0 ? 1 : -1;
    if (at_0 && low && at_0 != low) changes++;
    if (high && at_end != high) changes--;
    if (at_0) low = at_0;
    high = at_end;
    if (degrees[k] == 0) break;
    if (c == chain[0] && degrees[1] == degree - 1 && degrees[0] == degree)
      continue; /* the second is there */
    degrees[1 - k] = remainder_of(chain[1 - k], degrees[1 - k], c, degrees[k]);
  }
  return changes > 0;
}

/* |R(i w)| < 1 for all w > 0 */
static bool damps_all(const stability *S) {
  ritt_real N[MOST + 1] = {0}, size[MOST + 1] = {0};
  add_square(S->s, S->Q, 1, N, size);
  add_square(S->s, S->P, -1, N, size);
  bool negative = false;
  for (int i = 0; i <= S->s; i++) {
    if (RITTI_MATH(fabs)(N[i]) <= SMALL * size[i]) N[i] = 0;
    negative = negative || N[i] < 0;
  }
  int first = 0, last = S->s;
  while (first <= S->s && N[first] == 0) first++;
  while (last >= 0 && N[last] == 0) last--;
  if (first > S->s || N[first] < 0 || N[last] < 0) return false;
  return !negative || !has_positive_zero(N + first, last - first);
}

static ritt_real at_infinity(const stability *S) { return S->P[S->s] / S->Q[S->s]; }

static bool refuse_method(char *why, size_t room, const char *text) {
  ritti_format(why, room, "%s", text);
  return false;
}

static bool same_nodes(const ritti_tableau *t) {
  for (int i = 0; i < t->stages; i++)
    for (int j = 0; j < i; j++)
      if (RITTI_MATH(fabs)(t->c[i] - t->c[j]) < SMALL) return true;
  return false;
}

bool ritti_strong_fits(const ritti_tableau *t, char *why, size_t room) {
  static const char singular[] = "its matrix A is singular, so that vibrations are not damped";
  stability S;
  ritti_collocation C;
  if (t->family == RITTI_EXPLICIT || (t->of && t->of->family == RITTI_EXPLICIT))
    return refuse_method(why, room, singular);
  if (t->family != RITTI_IMPLICIT)
    return refuse_method(why, room, "it is not an implicit Runge-Kutta method");
  if (t->stages > MOST) return refuse_method(why, room, "it has too many stages");
  find_stability(t, &S);
  if (!(RITTI_MATH(fabs)(S.Q[S.s]) > (ritt_real)1e-13)) return refuse_method(why, room, singular);
  ritt_real end = RITTI_MATH(fabs)(at_infinity(&S));
  if (!(end < 1 - SMALL)) {
    ritti_format(why, room, "|R(inf)| = %.3g, vibrations are damped only if it is less than 1",
                 (double)end);
    return false;
  }
  if (!damps_all(&S))
    return refuse_method(why, room,
                         "|R(i w)| < 1 fails for some w, so that vibrations are not damped");
  if (same_nodes(t)) return refuse_method(why, room, "two of its stages stand at the same place");
  if (!ritti_collocation_make(t, &C))
    return refuse_method(why, room, "its matrix A has a multiple eigenvalue");
  return true;
}

ritt_real ritti_strong_damping(const ritti_tableau *t) {
  stability S;
  find_stability(t, &S);
  return RITTI_MATH(fabs)(at_infinity(&S));
}
