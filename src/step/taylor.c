/* Taylor methods of any order: p_new = Pi(p + h T_1 + ... + h^k T_k), T_j the coefficients of the
 * solution through p (geometry/curve.c).
 *
 * p + ... + h^k T_k is O(h^(k+1)) from M, so every projection keeps the order. The polynomial is
 * the dense output, too. A step that is taken again, shorter, needs no new coefficients. The error
 * of the step is estimated by its last term, or by the last but one where that is larger when
 * continued like a geometric series: along solutions with a symmetry every second coefficient
 * vanishes (after A. Jorba, M. Zou, A software package for the numerical integration of ODEs by
 * means of high-order Taylor methods, Experimental Mathematics 14 (2005), section 3, which takes the
 * larger of the lengths that both allow). How terms shrink is read off the last four, so that
 * orders 2 and 3 compute coefficients up to 4.
 */
#include "step/taylor_impl.h"

static ritt_status init_stepper(ritti_stepper *step, ritti_arena *arena) {
  ritti_curve *curve;
  RITTI_NEW(curve, arena, 1);
  step->own = curve;
  int order = step->tableau->order;
  return ritti_curve_init(curve, step->manifold->problem, step->direction, order < 4 ? 4 : order,
                          arena);
}

static void forget_point(ritti_stepper *step) {
  ritti_curve *curve = step->own;
  curve->known = false;
}

static ritt_status foresee_error(ritti_stepper *step) {
  bool fresh;
  return ritti_curve_expand(step->own, step->z, step->V[0], step->h, &fresh);
}

static ritt_status take_step(ritti_stepper *step, ritt_real x_new) {
  const ritti_curve *curve = step->own;
  RITT_TRY(foresee_error(step));
  ritti_curve_point(curve, step->tableau->order, step->h, step->end);
  if (step->keep_x) step->end[0] = x_new;
  return ritti_stepper_project(step, 0, step->end, step->z_new);
}

/* t^n, the same on every machine */
ritt_real ritti_taylor_power(ritt_real t, int n) {
  ritt_real product = 1;
  for (int i = 0; i < n; i++) product *= t;
  return product;
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

/* By how much terms shrink from one to the next, at most 1: from the sizes of the last four, two by
 * two. */
static ritt_real growth_ratio(const ritti_stepper *step, int order, ritt_real t) {
  ritt_real power = ritti_taylor_power(t, order - 3), most = 0;
  for (int j = order - 3; j < order - 1; j++, power *= t) {
    ritt_real before = term_size(step, j, power), after = term_size(step, j + 2, power * t * t);
    ritt_real square = after < before ? after / before : after > 0 ? 1 : 0;
    if (square > most) most = square;
  }
  return RITTI_MATH(sqrt)(most);
}

static bool estimate_error(const ritti_stepper *step, int which, ritt_real *err) {
  const ritti_curve *curve = step->own;
  int k = step->tableau->order;
  if (which > 0) return false;
  ritt_real t = RITTI_MATH(fabs)(step->h) / curve->unit, power = ritti_taylor_power(t, k - 1);
  ritt_real shrink = growth_ratio(step, curve->order, t);
  for (int i = 0; i < step->m; i++) {
    ritt_real one = RITTI_MATH(fabs)(ritti_curve_coefficient(curve, i, k)) * power * t;
    ritt_real other = RITTI_MATH(fabs)(ritti_curve_coefficient(curve, i, k - 1)) * power * shrink;
    err[i] = one > other ? one : other;
  }
  return true;
}

void ritti_taylor_defect(const ritti_stepper *step, const ritti_curve *curve, int order,
                         ritt_real *err) {
  ritti_curve_tangent(curve, order, step->h, err);
  for (int i = 0; i < step->m; i++)
    err[i] = (step->V[step->last][i] - err[i]) * step->h / (ritt_real)(order + 1);
  if (step->keep_x) err[0] = 0;
}

static void estimate_defect(const ritti_stepper *step, ritt_real *err) {
  ritti_taylor_defect(step, step->own, step->tableau->order, err);
}

static ritt_status interpolate_step(ritti_stepper *step, ritt_real theta, ritt_real *z) {
  const ritti_curve *curve = step->own;
  ritti_curve_point(curve, step->tableau->order, theta * step->h, z);
  return RITT_OK;
}

static ritt_real measure_length(const ritti_stepper *step, const ritt_real *weights) {
  return ritti_taylor_length(step, step->own, weights);
}

/* eight points of Gauss, all at once */
ritt_real ritti_taylor_length(const ritti_stepper *step, const ritti_curve *curve,
                              const ritt_real *weights) {
  enum { POINTS = 8 };
  static const ritt_real at[POINTS] = {RITTI_D(0.01985507175123188415821956571526350),
                                       RITTI_D(0.10166676129318663020422303176208478),
                                       RITTI_D(0.23723379504183550709113047540537683),
                                       RITTI_D(0.40828267875217509753026192881990801),
                                       RITTI_D(0.59171732124782490246973807118009199),
                                       RITTI_D(0.76276620495816449290886952459462317),
                                       RITTI_D(0.89833323870681336979577696823791522),
                                       RITTI_D(0.98014492824876811584178043428473650)};
  static const ritt_real weight[POINTS] = {RITTI_D(0.05061426814518812957626567715498110),
                                           RITTI_D(0.11119051722668723527217799721312044),
                                           RITTI_D(0.15685332293894364366898110099330066),
                                           RITTI_D(0.18134189168918099148257522463859781),
                                           RITTI_D(0.18134189168918099148257522463859781),
                                           RITTI_D(0.15685332293894364366898110099330066),
                                           RITTI_D(0.11119051722668723527217799721312044),
                                           RITTI_D(0.05061426814518812957626567715498110)};
  ritt_real t[POINTS], square[POINTS] = {0}, sum = 0;
  for (int n = 0; n < POINTS; n++) t[n] = at[n] * step->h / curve->unit;
  for (int i = 0; i < step->m; i++) {
    ritt_real V[POINTS] = {0};
    for (int j = curve->order; j > 0; j--) {
      ritt_real c = (ritt_real)j * ritti_curve_coefficient(curve, i, j);
      for (int n = 0; n < POINTS; n++) V[n] = V[n] * t[n] + c;
    }
    for (int n = 0; n < POINTS; n++) square[n] += weights[i] * V[n] * V[n];
  }
  for (int n = 0; n < POINTS; n++) sum += weight[n] * RITTI_MATH(sqrt)(square[n]);
  return RITTI_MATH(fabs)(step->h) / curve->unit * sum;
}

static const ritti_stepping stepping = {.vectors = ritti_taylor_vectors,
                                        .last = ritti_taylor_last,
                                        .init = init_stepper,
                                        .forget = forget_point,
                                        .foresee = foresee_error,
                                        .take = take_step,
                                        .error = estimate_error,
                                        .defect = estimate_defect,
                                        .interpolate = interpolate_step,
                                        .length = measure_length};

const ritti_stepping *ritti_taylor_stepping(void) { return &stepping; }
