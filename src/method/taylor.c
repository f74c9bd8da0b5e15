/* Taylor methods of any order: p_new = Pi(p + h T_1 + ... + h^k T_k), T_j the coefficients of the solution
 * through p (geometry/curve.c).
 *
 * p + ... + h^k T_k is O(h^(k+1)) from M, so every projection keeps the order. The polynomial is the dense
 * output, too. A step that is taken again, shorter, needs no new coefficients. The error of the step is
 * estimated by its last term, or by the last but one where that is larger when continued like a geometric
 * series: along solutions with a symmetry every second coefficient vanishes (after A. Jorba, M. Zou, A
 * software package for the numerical integration of ODEs by means of high-order Taylor methods, Experimental
 * Mathematics 14 (2005), section 3, who take the larger of the lengths that both allow).
 */
#include "method/taylor_impl.h"

static int vectors(const ritti_tableau *t) {
  (void)t;
  return 2;
}
static int last(const ritti_tableau *t) {
  (void)t;
  return 1;
}

static ritt_status init(ritti_stepper *step, ritti_arena *arena) {
  ritti_curve *curve;
  RITTI_NEW(curve, arena, 1);
  step->own = curve;
  return ritti_curve_init(curve, step->manifold->problem, step->direction, step->tableau->order, arena);
}

static void forget(ritti_stepper *step) {
  ritti_curve *curve = step->own;
  curve->known = false;
}

static ritt_status take(ritti_stepper *step, ritt_real x_new) {
  ritti_curve *curve = step->own;
  bool fresh;
  RITT_TRY(ritti_curve_expand(curve, step->z, step->V[0], step->h, &fresh));
  ritti_curve_point(curve, curve->order, step->h, step->end);
  if (step->keep_x) step->end[0] = x_new;
  return ritti_stepper_project(step, 0, step->end, step->z_new);
}

/* sqrt(sum_i (h^j T_ji)^2), x left out in runs over x */
static ritt_real term_size(const ritti_stepper *step, int j, ritt_real power) {
  const ritti_curve *curve = step->own;
  ritt_real sum = 0;
  for (int i = step->keep_x ? 1 : 0; i < step->m; i++) {
    ritt_real term = ritti_curve_coefficient(curve, i, j) * power;
    sum += term * term;
  }
  return RITTI_MATH(sqrt)(sum);
}

/* By how much terms shrink from one to the next, at most 1: from the sizes of the last four, two by two. */
static ritt_real ratio(const ritti_stepper *step, int order, ritt_real t) {
  if (order < 4) return 1;
  ritt_real power = RITTI_MATH(pow)(t, (ritt_real)(order - 3)), most = 0;
  for (int j = order - 3; j < order - 1; j++, power *= t) {
    ritt_real before = term_size(step, j, power), after = term_size(step, j + 2, power * t * t);
    ritt_real square = after < before ? after / before : after > 0 ? 1 : 0;
    if (square > most) most = square;
  }
  return RITTI_MATH(sqrt)(most);
}

static bool error(const ritti_stepper *step, int which, ritt_real *err) {
  const ritti_curve *curve = step->own;
  int k = curve->order;
  if (which > 0) return false;
  ritt_real t = RITTI_MATH(fabs)(step->h) / curve->unit, power = RITTI_MATH(pow)(t, (ritt_real)(k - 1));
  ritt_real shrink = ratio(step, k, t);
  for (int i = 0; i < step->m; i++) {
    ritt_real one = RITTI_MATH(fabs)(ritti_curve_coefficient(curve, i, k)) * power * t;
    ritt_real other = RITTI_MATH(fabs)(ritti_curve_coefficient(curve, i, k - 1)) * power * shrink;
    err[i] = one > other ? one : other;
  }
  return true;
}

static ritt_status interpolate(ritti_stepper *step, ritt_real theta, ritt_real *z) {
  const ritti_curve *curve = step->own;
  ritti_curve_point(curve, curve->order, theta * step->h, z);
  return RITT_OK;
}

static ritt_real length(const ritti_stepper *step, const ritt_real *weights) {
  return ritti_taylor_length(step, step->own, weights);
}

/* three points of Gauss on each of several equal parts */
ritt_real ritti_taylor_length(const ritti_stepper *step, const ritti_curve *curve, const ritt_real *weights) {
  int parts = 2 + curve->order / 4;
  const ritt_real far = RITTI_MATH(sqrt)((ritt_real)3 / 5);
  ritt_real sum = 0, h = step->h / (ritt_real)parts;
  for (int i = 0; i < parts; i++)
    for (int j = -1; j <= 1; j++) {
      ritt_real s = ((ritt_real)i + (1 + (ritt_real)j * far) / 2) * h;
      ritti_curve_tangent(curve, curve->order, s, step->a);
      sum += (ritt_real)(j ? 5 : 8) / 18 * ritti_speed(step->m, step->a, weights);
    }
  return RITTI_MATH(fabs)(h) * sum;
}

static const ritti_stepping stepping = {.vectors = vectors,
                                        .last = last,
                                        .init = init,
                                        .forget = forget,
                                        .take = take,
                                        .error = error,
                                        .interpolate = interpolate,
                                        .length = length};

const ritti_stepping *ritti_taylor_stepping(void) { return &stepping; }
