/* The Taylor methods of the papers, of order 1, 2 and 3: p_new = Pi(p + h w1 + h^2 w2 + h^3 w3)
 * with
 *
 *     w1 = V
 *     w2 = 1/2 nabla_V V + normal S(V, V)
 *     w3 = 1/6 nabla_V nabla_V V + correction X,   X = pi_t((dV)^t S(V, V)),
 *
 * Pi the orthogonal projection, correction = 1/3 - normal: Corollary 3.4 (w1, w2), Proposition 3.5
 * (normal 0) and Proposition 3.9 (normal 1/3) of the higher order paper. With w1, ..., tangent to M
 * it is the projection that supplies the curvature of M, to second order S(V, V)/2; and to third
 * order it turns that part along M, which X makes good.
 *
 * c', c'', c''' along the solution c come from its series (geometry/curve.c), S and X from f
 * (geometry/tensor.c):
 *
 *     nabla_V V         = pi_t(c'')
 *     nabla_V nabla_V V = pi_t(c''') + X
 *
 * since c'' = nabla_V V + S(V, V) and pi_t(d(S(V, V)) V) = -X.
 *
 * The next coefficient of the series estimates the error. The projection must be an orthogonal one,
 * in whatever metric; in runs over x it keeps x, and all of this holds with the same W^-1, which
 * then has a zero.
 */
#include "geometry/tensor.h"
#include "step/taylor_impl.h"

typedef struct own {
  ritti_curve curve; /* one coefficient more than the order */
  ritti_tensor tensor;
  ritt_real *w[4]; /* w[1] .. w[3] */
  ritt_real *S;
} own;

static ritt_status init_stepper(ritti_stepper *step, ritti_arena *arena) {
  own *O;
  RITTI_NEW(O, arena, 1);
  step->own = O;
  for (int i = 1; i <= 3; i++) RITTI_NEW(O->w[i], arena, step->m);
  RITTI_NEW(O->S, arena, step->m);
  RITT_TRY(ritti_curve_init(&O->curve, step->manifold->problem, step->direction,
                            step->tableau->order + 1, arena));
  return ritti_tensor_init(&O->tensor, step->manifold, arena);
}

/* out = the j-th derivative along the curve, by j! */
static void fill_derivative(const ritti_curve *curve, int j, ritt_real *out) {
  ritt_real scale = 1;
  for (int i = 0; i < j; i++) scale /= curve->unit;
  for (int i = 0; i < curve->problem->m; i++) out[i] = ritti_curve_coefficient(curve, i, j) * scale;
}

/* The w at z. */
static ritt_status find_terms(ritti_stepper *step, own *O) {
  const ritti_tableau *t = step->tableau;
  int m = step->m;
  fill_derivative(&O->curve, 1, O->w[1]);
  if (t->order < 2) return RITT_OK;
  RITT_TRY(ritti_tensor_at(&O->tensor, step->z, O->w[1]));
  /* 1/2 nabla_V V */
  fill_derivative(&O->curve, 2, O->w[2]);
  ritti_tensor_tangential(&O->tensor, O->w[2]);
  if (t->order < 3) return RITT_OK;
  /* 1/6 nabla_V nabla_V V, and the corrections of third order */
  ritt_real *X = step->a, *w2 = O->w[2], *w3 = O->w[3];
  RITT_TRY(ritti_tensor_correction(&O->tensor, step->z, O->w[1], X));
  ritti_tensor_normal(&O->tensor, O->S);
  fill_derivative(&O->curve, 3, w3);
  ritti_tensor_tangential(&O->tensor, w3);
  for (int i = 0; i < m; i++) {
    w3[i] += X[i] / 6;
    w2[i] += t->normal * O->S[i];
    w3[i] += t->correction * X[i];
  }
  return RITT_OK;
}

static void forget_point(ritti_stepper *step) {
  own *O = step->own;
  O->curve.known = false;
}

static ritt_status foresee_error(ritti_stepper *step) {
  own *O = step->own;
  bool fresh;
  RITT_TRY(ritti_curve_expand(&O->curve, step->z, step->V[0], step->h, &fresh));
  return fresh ? find_terms(step, O) : RITT_OK;
}

static ritt_status take_step(ritti_stepper *step, ritt_real x_new) {
  own *O = step->own;
  ritt_real h = step->h, *a = step->end;
  int order = step->tableau->order;
  RITT_TRY(foresee_error(step));
  for (int i = 0; i < step->m; i++) {
    ritt_real sum = 0;
    for (int j = order; j > 0; j--) sum = (sum + O->w[j][i]) * h;
    a[i] = step->z[i] + sum;
  }
  if (step->keep_x) a[0] = x_new;
  /* w2 leaves out half of S(V, V), except for the part that is put there on purpose */
  ritt_real bend = (ritt_real)1 / 2 - (order == 3 ? step->tableau->normal : 0);
  RITT_TRY(ritti_stepper_project(step, bend, a, step->z_new));
  /* the way of the projection is part of the method: what differs from the classical Taylor
   * polynomial of the same order is its error */
  ritti_curve_point(&O->curve, order, h, step->end);
  if (step->keep_x) step->end[0] = x_new;
  return RITT_OK;
}

static bool estimate_error(const ritti_stepper *step, int which, ritt_real *err) {
  const own *O = step->own;
  int j = O->curve.order;
  if (which > 0) return false;
  ritt_real power = ritti_taylor_power(RITTI_MATH(fabs)(step->h) / O->curve.unit, j);
  for (int i = 0; i < step->m; i++) err[i] = ritti_curve_coefficient(&O->curve, i, j) * power;
  return true;
}

static void estimate_defect(const ritti_stepper *step, ritt_real *err) {
  const own *O = step->own;
  ritti_taylor_defect(step, &O->curve, O->curve.order, err);
}

static ritt_status interpolate_step(ritti_stepper *step, ritt_real theta, ritt_real *z) {
  ritti_stepper_hermite(step, theta, z);
  return RITT_OK;
}

static ritt_real measure_length(const ritti_stepper *step, const ritt_real *weights) {
  const own *O = step->own;
  return ritti_taylor_length(step, &O->curve, weights);
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

const ritti_stepping *ritti_covariant_stepping(void) { return &stepping; }
