/* Sizes of the coordinates, from which default absolute tolerances follow.
 *
 * The tolerance of coordinate i is relative_i |z_i| + absolute_i. If the model gives no absolute
 * tolerance, absolute_i is relative_i times the size of the coordinate, at most 1:
 *
 *   - at the start the size is |z_i|, and 1 if |z_i| is at least LARGE;
 *   - a coordinate that is 0 at the start, up to rounding, gets |z_i'| times the length of the run; if
 *     that is 0 too, the largest size of the others, and 1 if there are none;
 *   - the size grows with |z_i| from step to step. It shrinks to the largest |z_i| so far if that is
 *     below LARGE and has settled: the second half of the steps did not raise it;
 *   - if a shorter step does not make the error of the step much smaller, that error is rounding, and
 *     the sizes of the coordinates concerned are raised to a level at which it meets the tolerance; if
 *     several steps in a row cannot be taken at all, all sizes are raised.
 *
 * So variables of size about 1 have absolute tolerances equal to the relative ones, and small variables
 * keep their digits: a variable of any size loses at most one digit against a relative tolerance alone.
 */
#include "drive/driver_impl.h"
#include "geometry/leg.h"

#define LARGE    (ritt_real) RITTI_SIZE_LARGE
#define TINY     (ritt_real) RITTI_SIZE_TINY
#define ROUNDING (ritt_real)1e-15             /* parts of the largest value that count as 0 */
#define NOISE    (ritt_real) RITTI_SIZE_NOISE /* the same for values that the run has computed */
#define UNCLEAR  (ritt_real)1e-20 /* if all values are below this they may be rounding */
enum { FIRST_LOOK = 32 };         /* accepted steps before sizes may shrink */

/* With a stiff potential the speeds of vibrations say nothing about the motion: sizes are 1. */
static bool follows_size(const ritti_driver *d, int i) {
  return !(d->options.absolute[i] > 0) && !d->problem->strong;
}

/* Is the coordinate left out of the error control? Its size is followed all the same. */
static bool is_uncontrolled(const ritti_driver *d, int i) { return d->options.absolute[i] < 0; }

static void set_size(ritti_driver *d, int i, ritt_real size) {
  if (!(size < 1)) size = 1;
  if (!(size > TINY)) size = TINY;
  d->sizes.absolute[i] = d->options.relative[i] * size;
  if (!is_uncontrolled(d, i)) d->sizes.allowed[i] = d->sizes.absolute[i];
  d->manifold.size[i] = size;
}

ritt_status ritti_sizes_init(ritti_driver *d, ritti_arena *arena) {
  ritti_size_watch *w = &d->sizes;
  int m = d->problem->m;
  RITTI_NEW(w->absolute, arena, m);
  RITTI_NEW(w->allowed, arena, m);
  RITTI_NEW(w->largest, arena, m);
  RITTI_NEW(w->settled, arena, m);
  for (int i = 0; i < m; i++) {
    const ritti_solve_options *o = &d->options;
    w->absolute[i] = o->absolute[i] > 0 ? o->absolute[i] : o->relative[i];
    w->allowed[i] = is_uncontrolled(d, i) ? RITTI_UNCONTROLLED : w->absolute[i];
    d->manifold.size[i] = w->absolute[i] / o->relative[i];
    w->follow = w->follow || follows_size(d, i);
  }
  return RITT_OK;
}

/* The numbers of a start from which sizes are found. */
typedef struct start_sizes {
  ritt_real far;    /* length of the run; 0: derivatives are unknown */
  ritt_real value;  /* the largest |z_i| or distance that a coordinate goes at its present speed */
  ritt_real forces; /* the largest highest derivative or multiplier, times the length */
} start_sizes;

/* The size that a coordinate has at the start: |z_i|, or, if that is rounding, the distance that it
 * goes at its present speed; 0: unknown. */
static ritt_real size_at_start(const ritti_driver *d, int i, const start_sizes *s) {
  ritt_real value = d->sizes.largest[i], reached = 0;
  if (s->far > 0) reached = s->far * RITTI_MATH(fabs)(d->step.V[0][i]);
  if (value > ROUNDING * s->value) return value;
  return reached > NOISE * RITTI_MATH(fmax)(s->value, s->forces) ? reached : 0;
}

/* Sizes at the start, from the values and from the derivatives, if far > 0. */
static void find_sizes(ritti_driver *d, ritt_real far) {
  start_sizes s = {.far = far};
  ritt_real largest = 0;
  int m = d->problem->m;
  for (int i = 1; i < m; i++) {
    s.value = RITTI_MATH(fmax)(s.value, d->sizes.largest[i]);
    if (far > 0) s.value = RITTI_MATH(fmax)(s.value, far * RITTI_MATH(fabs)(d->step.V[0][i]));
  }
  for (int i = 0; far > 0 && i < d->problem->tops; i++)
    s.forces = RITTI_MATH(fmax)(s.forces, far * RITTI_MATH(fabs)(d->step.top[i]));

  /* the sizes that are known, then the others */
  for (int i = 1; i < m; i++) largest = RITTI_MATH(fmax)(largest, size_at_start(d, i, &s));
  for (int i = 1; i < m; i++) {
    if (!follows_size(d, i)) continue;
    ritt_real size = size_at_start(d, i, &s);
    if (!(size > 0)) size = largest > 0 ? largest : 1;
    set_size(d, i, size < LARGE ? size : 1);
  }
}

void ritti_sizes_start(ritti_driver *d, const ritt_real *z) {
  ritti_size_watch *w = &d->sizes;
  ritt_real most = 0;
  for (int i = 1; i < d->problem->m; i++) {
    w->largest[i] = RITTI_MATH(fabs)(z[i]);
    w->settled[i] = 0;
    most = RITTI_MATH(fmax)(most, w->largest[i]);
  }
  w->next_look = FIRST_LOOK;
  w->rejected_square = 0;
  w->failures = 0;
  w->noisy = false;

  /* if all values may be rounding, their derivatives decide later */
  if (w->follow && most > UNCLEAR) find_sizes(d, 0);
}

void ritti_sizes_begin(ritti_driver *d, ritt_real length) {
  if (d->sizes.follow) find_sizes(d, RITTI_MATH(fabs)(length));
}

/* Sizes of coordinates whose largest value has settled. */
static void shrink_settled(ritti_driver *d) {
  ritti_size_watch *w = &d->sizes;
  ritt_real most = 0;
  int m = d->problem->m;
  for (int i = 1; i < m; i++) most = RITTI_MATH(fmax)(most, w->largest[i]);
  for (int i = 1; i < m; i++) {
    ritt_real largest = w->largest[i];
    bool settled = largest < LARGE && largest <= w->settled[i] && largest > NOISE * most;
    if (follows_size(d, i) && settled && largest < d->manifold.size[i] && !w->noisy)
      set_size(d, i, largest);
    w->settled[i] = largest;
  }
  w->next_look *= 2;
}

void ritti_sizes_accept(ritti_driver *d) {
  ritti_size_watch *w = &d->sizes;
  const ritt_real *z = d->step.z_new;
  w->rejected_square = 0;
  w->failures = 0;
  for (int i = 1; i < d->problem->m; i++) {
    ritt_real value = RITTI_MATH(fabs)(z[i]);
    if (!(value > w->largest[i])) continue;
    w->largest[i] = value;
    if (value > d->manifold.size[i] && d->manifold.size[i] < 1 && follows_size(d, i))
      set_size(d, i, value);
  }
  if (w->follow && d->count.accepted >= w->next_look) shrink_settled(d);
}

/* Raises the sizes of the coordinates whose errors e exceed their tolerances. */
static void raise_sizes(ritti_driver *d, const ritt_real *e) {
  for (int i = 1; i < d->problem->m; i++) {
    ritt_real error = RITTI_MATH(fabs)(e[i]);
    ritt_real tolerance = ritti_control_scale(d, i, d->step.z[i]);
    if (follows_size(d, i) && d->manifold.size[i] < 1 && 2 * error > tolerance)
      set_size(d, i, RITTI_MATH(fmax)(d->manifold.size[i], 4 * error / d->options.relative[i]));
  }
}

void ritti_sizes_reject(ritti_driver *d, ritt_real square) {
  ritti_size_watch *w = &d->sizes;
  ritt_real h = RITTI_MATH(fabs)(d->step.h), before = w->rejected_square;
  if (!w->follow) return;
  /* errors of methods fall at least like h^2, their squares like h^4; rounding errors like h */
  ritt_real ratio = w->rejected_h > 0 ? h / w->rejected_h : 0;
  bool rounding = before > 0 && ratio < (ritt_real)0.95 && square > before * ratio * ratio * ratio;
  w->rejected_h = h;
  w->rejected_square = square;
  if (!rounding) return;

  w->noisy = true;
  if (ritti_stepper_error(&d->step, 0, d->err)) raise_sizes(d, d->err);
  for (int i = 0; i < d->step.m; i++) d->err[i] = d->step.end[i] - d->step.z_new[i];
  raise_sizes(d, d->err);
}

void ritti_sizes_fail(ritti_driver *d) {
  enum { MANY = 4, FACTOR = 1000 };
  ritti_size_watch *w = &d->sizes;
  if (!w->follow || ++w->failures < MANY) return;
  w->noisy = true;
  for (int i = 1; i < d->problem->m; i++)
    if (follows_size(d, i)) set_size(d, i, FACTOR * d->manifold.size[i]);
}

void ritti_sizes_copy(ritti_driver *d, int i, const ritti_driver *from, int j) {
  d->sizes.largest[i] = from->sizes.largest[j];
  if (follows_size(d, i)) set_size(d, i, from->manifold.size[j]);
}

void ritti_sizes_state(ritti_driver *d, ritti_state *state) {
  ritti_size_watch *w = &d->sizes;
  size_t m = (size_t)d->problem->m;
  ritti_state_reals(state, "sizes.absolute", w->absolute, m);
  ritti_state_reals(state, "sizes.allowed", w->allowed, m);
  ritti_state_reals(state, "sizes.largest", w->largest, m);
  ritti_state_reals(state, "sizes.settled", w->settled, m);
  ritti_state_reals(state, "sizes.rejected_h", &w->rejected_h, 1);
  ritti_state_reals(state, "sizes.rejected_square", &w->rejected_square, 1);
  ritti_state_long(state, "sizes.next_look", &w->next_look);
  if (w->next_look < FIRST_LOOK) w->next_look = FIRST_LOOK; /* of a damaged state; it is doubled */
  ritti_state_long(state, "sizes.failures", &w->failures);
  ritti_state_bool(state, "sizes.noisy", &w->noisy);
}

bool ritti_stays_below(const ritti_driver *d, int i) {
  return d->sizes.largest[i] > 0 && d->sizes.largest[i] < d->sizes.absolute[i];
}
