/* Step-size control: the next step from the errors of the last ones, and the first step.
 *
 * With err_n in units of the tolerance and k = 1 + the order of the weaker formula of the pair,
 *
 *     h_new = h min(facmax, max(facmin, fac err_n^(-1/k))) embedded, papers
 *     ... fac err_n^(-0.7/k) err_(n-1)^(0.4/k)                                             pi
 *     ... fac err_n^(-0.58/k) err_(n-1)^(0.21/k) err_(n-2)^(-0.10/k)                       pid
 *     ... fac min(err_n^(-1/k), h_n/h_(n-1) (err_(n-1) / err_n^2)^(1/k)) predictive
 *
 * (Hairer, Norsett and Wanner, Solving ODEs I, II.4; Gustafsson 1991 and 1994, there IV.2 and IV.8
 * of volume II; Kennedy and Carpenter 2003). After a rejection, and where errors before are not
 * known, the first law holds. Errors come as their squares. Powers are computed here, to five
 * digits, as short chains of operations, since the next step waits for them: the same steps on
 * every machine, whatever its mathematical library.
 */
#include "solve/driver_impl.h"

/* 2^y for |y| <= 1000, to 4e-6, by the polynomial of degree 4 on |f| <= 1/2. */
static double exp_2(double y) {
  const double integers =
      0x1.8p+52; /* above it there are no others, and they stand in the last bits */
  double up = y + integers, f = y - (up - integers), s = f * f, power;
  uint64_t bits;
  memcpy(&bits, &up, sizeof bits);
  bits = (bits + 1023) << 52;
  memcpy(&power, &bits, sizeof bits);
  return power * ((1.000000151 + 0.6931210357 * f) +
                  s * ((0.2402186549 + 0.05592202685 * f) + s * 0.009685711539));
}

/* of x >= 0 */
static double logarithm(ritt_real x) {
  return ritti_log2(x > (ritt_real)1e-300 ? (double)x : 1e-300);
}

static ritt_real two_to(double e) {
  return e < -1000 ? 0 : e > 1000 ? (ritt_real)1e300 : (ritt_real)exp_2(e);
}

static ritt_real lesser(ritt_real a, ritt_real b) { return a < b ? a : b; }

/* 1 + the order of what err measures */
static double order_of_error(const ritti_tableau *t) {
  if (t->e3) return t->order;
  return 1 + (t->embedded > 0 && t->embedded < t->order ? t->embedded : t->order);
}

/* The law without its bounds; roots of squares, too. */
static ritt_real law(const ritti_driver *d, ritt_real square) {
  const ritti_controller *C = &d->control;
  double k = 0.5 / order_of_error(d->step.tableau), log = logarithm(square) * k;
  bool two = C->before[0] > 0, three = two && C->before[1] > 0;
  if (d->options.control == RITTI_CONTROL_EMBEDDED || !(square <= 1) || !two) return two_to(-log);
  if (d->options.control == RITTI_CONTROL_PI)
    return two_to(0.4 * k * ritti_log2(C->before[0]) - 0.7 * log);
  if (d->options.control == RITTI_CONTROL_PID && three)
    return two_to(0.21 * k * ritti_log2(C->before[0]) - 0.1 * k * ritti_log2(C->before[1]) -
                  0.58 * log);
  if (d->options.control == RITTI_CONTROL_PREDICTIVE) {
    double last = ritti_log2(C->before[0] > 1e-4 ? C->before[0] : 1e-4) * k;
    ritt_real growth = RITTI_MATH(fabs)(d->step.h) / (ritt_real)C->h;
    return lesser(two_to(-log), growth * two_to(last - 2 * log));
  }
  return two_to(-log);
}

ritt_real ritti_control_factor(const ritti_driver *d, ritt_real square) {
  const ritti_solve_options *o = &d->options;
  bool papers = o->control == RITTI_CONTROL_PAPERS;
  ritt_real fac = o->fac > 0 ? o->fac : (ritt_real)0.9,
            least = o->facmin > 0 ? o->facmin : (ritt_real)0.2;
  ritt_real most = o->facmax > 0                            ? o->facmax
                   : papers                                 ? 5
                   : o->control == RITTI_CONTROL_PREDICTIVE ? 8
                                                            : 6;
  if (d->step.caution > 0) fac *= d->step.caution;
  if (!(square > 0)) return square == 0 ? most : least;
  if (!(square < (ritt_real)1e300)) return least;
  ritt_real factor = fac * law(d, square);
  factor = lesser(most, factor > least ? factor : least);
  if (d->step.growth > 0) factor = lesser(factor, d->step.growth);
  /* factors of matrices are kept for a step as long as this one */
  if (d->step.holds && factor >= 1 && factor <= (ritt_real)1.2) return 1;
  /* half the step has been taken already */
  bool halve = !papers && d->step.tableau->family == RITTI_DOUBLED && square > 1 &&
               factor >= (ritt_real)0.35;
  return halve ? (ritt_real)0.5 : factor;
}

/* Errors near 0 say nothing of the next ones. */
void ritti_control_accept(ritti_driver *d, ritt_real square) {
  ritti_controller *C = &d->control;
  C->before[1] = C->before[0];
  C->h = fabs((double)d->step.h);
  C->before[0] = square > (ritt_real)1e-8 ? (double)square : 1e-8;
}

void ritti_control_forget(ritti_driver *d) { d->control = (ritti_controller){0}; }

/* With a strong potential accelerations at the start say nothing: a part of the time in which
 * positions change as much as they are large. Where that is too long the first step is cut. */
static ritt_real first_strong_step(const ritti_driver *d, ritt_real far) {
  const ritti_stepper *step = &d->step;
  const ritti_strong *strong = step->manifold->problem->strong;
  ritt_real places = 0, speeds = 0;
  for (int i = 0; i < strong->n; i++) {
    int y = strong->position[i];
    ritt_real scale = ritti_control_scale(d, y, step->z[y]);
    places += step->z[y] / scale * (step->z[y] / scale);
    speeds += step->z[strong->velocity[i]] / scale * (step->z[strong->velocity[i]] / scale);
  }
  ritt_real h = far / 10;
  return places > 0 && speeds > 0 ? RITTI_MATH(fmin)(h, RITTI_MATH(sqrt)(places / speeds) / 10) : h;
}

/* The starting step of Solving ODEs I, II.4, with a projected Euler step as the probe. */
ritt_status ritti_control_first_step(ritti_driver *d, ritt_real length, ritt_real *h) {
  ritti_stepper *step = &d->step;
  const ritti_tableau *t = step->tableau;
  ritt_real sign = length < 0 ? -1 : 1;
  if (d->options.first_step > 0) {
    *h = sign * d->options.first_step;
    return RITT_OK;
  }
  ritt_real *V = step->V[0], *probe = d->row_z, *change = d->err, far = RITTI_MATH(fabs)(length);
  if (ritti_stepper_is_strong(step)) {
    *h = sign * first_strong_step(d, far);
    return RITT_OK;
  }
  ritt_real d0 = ritti_tolerance_norm(d, step->z, step->z),
            d1 = ritti_tolerance_norm(d, V, step->z);
  ritt_real h0 = d0 < 1e-5 || d1 < 1e-5 ? far * (ritt_real)1e-6 : (ritt_real)0.01 * d0 / d1;
  if (h0 > far) h0 = far;
  ritt_status status = RITT_RETRY;
  for (int halvings = 0; halvings < 60 && status == RITT_RETRY; halvings++, h0 /= 8) {
    for (int i = 0; i < step->m; i++) probe[i] = step->z[i] + sign * h0 * V[i];
    status = ritti_manifold_project(step->manifold, probe, probe);
    if (status == RITT_OK) status = ritti_direction_at(step->direction, probe, step->V[1]);
    if (status == RITT_OK) break;
  }
  RITT_TRY(status);
  for (int i = 0; i < step->m; i++) change[i] = step->V[1][i] - V[i];
  ritt_real d2 = ritti_tolerance_norm(d, change, step->z) / h0, rate = RITTI_MATH(fmax)(d1, d2);
  ritt_real h1 = rate <= 1e-15 ? RITTI_MATH(fmax)(far * (ritt_real)1e-6, h0 * (ritt_real)1e-3)
                               : two_to(logarithm((ritt_real)0.01 / rate) / (t->order + 1));
  *h = sign * RITTI_MATH(fmin)(far, RITTI_MATH(fmin)(100 * h0, h1));
  return RITT_OK;
}
