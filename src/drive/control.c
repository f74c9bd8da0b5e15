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
 * of volume II; Kennedy and Carpenter 2003). After a rejection, and if the errors before
 * are unknown, the first law holds. Errors come as their squares. Powers are computed here, to five
 * digits, as short chains of operations, since the next step waits for them; so the steps do not
 * depend on the mathematical library of the machine.
 */
#include "drive/driver_impl.h"

/* 2^y for |y| <= 1000, to 4e-6, by the polynomial of degree 4 on |f| <= 1/2. */
static double exp_2(double y) {
  const double integers =
      0x1.8p+52; /* doubles from here on are integers, and their last bits are the integer */
  double up = y + integers, f = y - (up - integers), s = f * f, power;
  uint64_t bits;
  memcpy(&bits, &up, sizeof bits);
  bits = (bits + 1023) << 52;
  memcpy(&power, &bits, sizeof bits);
  return power * ((1.000000151 + 0.6931210357 * f) +
                  s * ((0.2402186549 + 0.05592202685 * f) + s * 0.009685711539));
}

/* log2 of x >= 0, bounded below */
static double find_log2(ritt_real x) {
  return ritti_log2(x > (ritt_real)1e-300 ? (double)x : 1e-300);
}

static ritt_real two_to(double e) {
  return e < -1000 ? 0 : e > 1000 ? (ritt_real)1e300 : (ritt_real)exp_2(e);
}

static ritt_real lesser(ritt_real a, ritt_real b) { return a < b ? a : b; }

/* 0.5 / k, k = 1 + the order of what err measures; 0.5 since errors come as squares */
double ritti_control_exponent(const ritti_tableau *t) {
  if (t->e3) return 0.5 / t->order;
  return 0.5 / (1 + (t->embedded > 0 && t->embedded < t->order ? t->embedded : t->order));
}

void ritti_control_init(ritti_driver *d) {
  ritti_solve_options *o = &d->options;
  if (!(o->fac > 0)) o->fac = (ritt_real)0.9;
  if (!(o->facmin > 0)) o->facmin = (ritt_real)0.2;
  if (o->facmax > 0) return;
  o->facmax = 6;
  if (o->control == RITTI_CONTROL_PAPERS) o->facmax = 5;
  if (o->control == RITTI_CONTROL_PREDICTIVE) o->facmax = 8;
}

/* The law without its bounds, from the errors of several steps. `log`: of the error of this one, times
 * 1/k */
static ritt_real find_factor(const ritti_driver *d, double exponent, double log) {
  const ritti_controller *C = &d->control;
  ritti_control control = d->options.control;
  if (control == RITTI_CONTROL_PI)
    return two_to(0.4 * exponent * ritti_log2(C->before[0]) - 0.7 * log);
  if (control == RITTI_CONTROL_PID && C->before[1] > 0)
    return two_to(0.21 * exponent * ritti_log2(C->before[0]) -
                  0.1 * exponent * ritti_log2(C->before[1]) - 0.58 * log);
  if (control != RITTI_CONTROL_PREDICTIVE) return two_to(-log);
  double last = ritti_log2(C->before[0] > 1e-4 ? C->before[0] : 1e-4) * exponent;
  ritt_real growth = RITTI_MATH(fabs)(d->step.h) / (ritt_real)C->h;
  return lesser(two_to(-log), growth * two_to(last - 2 * log));
}

ritt_real ritti_control_factor(ritti_driver *d, ritt_real square) {
  const ritti_solve_options *o = &d->options;
  const ritti_stepper *step = &d->step;
  if (!(square > 0)) return square == 0 ? o->facmax : o->facmin;
  if (!(square < (ritt_real)1e300)) return o->facmin;
  if (d->law.tableau != step->tableau)
    d->law = (ritti_control_law){step->tableau, ritti_control_exponent(step->tableau)};

  /* the first law holds after a rejection, and if the error before is unknown */
  double log = find_log2(square) * d->law.exponent;
  bool first =
      o->control == RITTI_CONTROL_EMBEDDED || !(square <= 1) || !(d->control.before[0] > 0);
  ritt_real factor = first ? two_to(-log) : find_factor(d, d->law.exponent, log);
  ritt_real fac = step->caution > 0 ? o->fac * step->caution : o->fac;
  factor *= fac;
  factor = lesser(o->facmax, factor > o->facmin ? factor : o->facmin);
  if (step->growth > 0) factor = lesser(factor, step->growth);
  /* factors of matrices are kept for a step as long as this one */
  if (step->holds && factor >= 1 && factor <= (ritt_real)1.2) return 1;
  /* half the step has been taken already */
  bool halve = square > 1 && step->tableau->family == RITTI_DOUBLED &&
               o->control != RITTI_CONTROL_PAPERS && factor >= (ritt_real)0.35;
  return halve ? (ritt_real)0.5 : factor;
}

/* Errors near 0 say nothing about the next ones. */
void ritti_control_accept(ritti_driver *d, ritt_real square) {
  ritti_controller *C = &d->control;
  C->before[1] = C->before[0];
  C->h = fabs((double)d->step.h);
  C->before[0] = square > (ritt_real)1e-8 ? (double)square : 1e-8;
}

void ritti_control_forget(ritti_driver *d) { d->control = (ritti_controller){0}; }

/* With a stiff potential the accelerations at the start say nothing: the first step is a part of the
 * time in which positions change by their own size. If it is too long it is rejected and cut. */
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
  /* never so short that it would be lost in the rounding of s, however far the end is; the error of
   * the step decides */
  ritt_real least = RITTI_MATH(fmin)(far, 64 * RITTI_EPS * RITTI_MATH(fabs)(d->at.s));
  if (h0 > far) h0 = far;
  if (h0 < least) h0 = least;
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
                               : two_to(find_log2((ritt_real)0.01 / rate) / (t->order + 1));
  /* h0 says little if a coordinate that is 0 moves fast: steps that the driver calls too small are
   * not proposed if the error allows longer ones */
  ritt_real small = 64 * RITTI_EPS * (ritt_real)1e-10 * RITTI_MATH(fabs)(d->next.span);
  h1 = RITTI_MATH(fmin)(h1, RITTI_MATH(fmax)(100 * h0, small));
  *h = sign * RITTI_MATH(fmax)(least, RITTI_MATH(fmin)(far, h1));
  return RITT_OK;
}
