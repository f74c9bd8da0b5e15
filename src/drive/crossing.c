/* Mechanisms that run through positions at which their constraints lose rank.
 *
 * The watch examines the least singular value of dg after every step. If it tends to 0, or has
 * changed its sign in a step, the crossing is located; if two branches cross there the run continues
 * the branch on which it comes (a problem of its own, geometry/passage.h) as long as it is near,
 * with the same method, tolerance, rows and events. If branches pass each other at a distance
 * nothing is done: the run follows the one it is on.
 */
#include "drive/driver_impl.h"
#include "geometry/crossing_watch.h"
#include "geometry/leg.h"

/* parts of the radius of a chart: the run enters and leaves at these, or if it is too far aside */
static const ritt_real SMALL =
    (ritt_real)RITTI_SIGMA_SMALL; /* of the largest singular value seen: worth a search */
static const ritt_real ENTER = (ritt_real)0.6, LEAVE = (ritt_real)0.65, ASIDE = (ritt_real)0.4;

ritt_status ritti_crossing_watch_init(ritti_driver *d, ritti_arena *arena) {
  ritti_crossing_watch *X = &d->crossing;
  RITT_TRY(ritti_crossing_init(&X->at, d->problem, d->work, arena));
  X->known = false;
  X->last_search = INFINITY, X->max_sigma = 0;
  if (!X->at.z) return RITT_OK;
  RITTI_NEW_ARRAYS(arena, d->problem->m, X->size, X->along);
  RITT_TRY(ritti_passage_init(&X->way, &X->at, d->options.linear, arena));
  memcpy(X->way.manifold.size, d->manifold.size, (size_t)d->problem->m * sizeof *d->manifold.size);
  return RITT_OK;
}

bool ritti_crossing_on(const ritti_driver *d) {
  return d->crossing.at.z && d->step.direction == &d->crossing.way.direction;
}

/* ---- distances ---- */

/* From the position of z to the crossing. */
static ritt_real distance_to_crossing(const ritti_driver *d, const ritt_real *z) {
  ritt_real square = 0;
  for (int i = 1; i <= d->crossing.at.n; i++) {
    ritt_real gap = z[i] - d->crossing.at.z[i];
    square += gap * gap;
  }
  return RITTI_MATH(sqrt)(square);
}

/* How fast that becomes less, per unit of the run's variable. */
static ritt_real closing_speed(const ritti_driver *d) {
  ritt_real sum = 0, far = distance_to_crossing(d, d->step.z);
  for (int i = 1; i <= d->crossing.at.n; i++)
    sum -= d->step.V[0][i] * (d->step.z[i] - d->crossing.at.z[i]);
  return (d->next.h < 0 ? -sum : sum) / far;
}

static ritt_real largest_size(const ritti_driver *d) {
  return ritti_largest_position(d->crossing.at.n, d->step.z, d->manifold.size);
}

/* ---- onto the branch and off it ---- */

/* The stepper continues from its point, on the problem of the branch (`on`) or on its own. */
static ritt_status go_on_with(ritti_driver *d, bool onto) {
  ritti_crossing_watch *X = &d->crossing;
  ritt_real h = d->next.h, begin = d->next.fixed_origin;
  long taken = d->next.fixed_count;
  d->step.manifold = onto ? &X->way.manifold : &d->manifold;
  d->step.direction = onto ? &X->way.direction : &d->direction;
  ritti_stepper_slide(&d->step, onto);
  if (onto) {
    X->way.direction.arc = d->direction.arc;
    memcpy(X->way.manifold.inverse_weights, d->manifold.inverse_weights,
           (size_t)d->problem->m * sizeof(ritt_real));
    ritti_passage_renew(&X->way);
  }
  memcpy(d->row_z, d->step.z, (size_t)d->problem->m * sizeof *d->row_z);
  RITT_TRY(ritti_manifold_project(d->step.manifold, d->row_z, d->row_z));
  RITT_TRY(ritti_place_again(d, d->row_z));
  d->next.h = h, d->next.fixed_origin = begin, d->next.fixed_count = taken;
  return RITT_OK;
}

ritt_status ritti_crossing_drop(ritti_driver *d) {
  if (!ritti_crossing_on(d)) return RITT_OK;
  ritti_crossing_forget(&d->crossing.at);
  d->crossing.last_search = INFINITY;
  return go_on_with(d, false);
}

/* The chart of the branch through the crossing just located on which the run is. */
static bool open_chart(ritti_driver *d) {
  ritti_crossing_watch *X = &d->crossing;
  X->known = ritti_passage_open(&X->way, d->step.z, largest_size(d));
  return X->known;
}

static bool locate_crossing(ritti_driver *d, const ritt_real *z) {
  ritti_crossing_watch *X = &d->crossing;
  ritt_real square = 0;
  int n = X->at.n;
  X->known = false;
  for (int i = 0; i <= 2 * n; i++) X->size[i] = ritti_size_of(d, i), X->along[i] = 0;
  for (int i = 1; i <= n; i++) X->along[n + i] = d->step.V[0][i] / X->size[i];
  for (int i = 1; i <= n; i++) square += X->along[n + i] * X->along[n + i];
  for (int i = 1; i <= n && square > 0; i++) X->along[n + i] /= RITTI_MATH(sqrt)(square);
  X->found = ritti_crossing_locate(&X->at, z, X->size, X->along);
  return X->found;
}

/* Steps end before the crossing is reached from outside, and before the chart ends from inside. */
static void shorten_steps(ritti_driver *d, ritt_real most) {
  if (d->options.constant_step != 0) {
    if (!(RITTI_MATH(fabs)(d->next.h) > most)) return;
    d->next.truncated = true;
  }
  if (RITTI_MATH(fabs)(d->next.h) > most) d->next.h = d->next.h < 0 ? -most : most;
}

/* On the branch: out of the chart, or a step that stays in it. */
static ritt_status stay_or_leave(ritti_driver *d) {
  const ritti_passage *way = &d->crossing.way;
  ritt_real radius = way->chart.radius, place = ritti_passage_place(way, d->step.z),
            speed = ritti_passage_speed(way, d->step.V[0]) * (d->next.h < 0 ? -1 : 1);
  bool outward = place * speed >= 0, aside = ritti_passage_aside(way, d->step.z) > ASIDE * radius;
  if (RITTI_MATH(fabs)(place) > LEAVE * radius && outward) return ritti_crossing_drop(d);
  if (aside && RITTI_MATH(fabs)(place) > ASIDE * radius && outward) return ritti_crossing_drop(d);
  if (aside && locate_crossing(d, d->step.z) && d->crossing.at.miss == 0 && open_chart(d)) {
    ritti_passage_renew(&d->crossing.way);
    return go_on_with(d, true);
  }
  ritt_real left = speed > 0 ? radius - place : radius + place;
  shorten_steps(d, (ritt_real)0.8 * left / RITTI_MATH(fabs)(speed));
  return RITT_OK;
}

ritt_status ritti_crossing_turn(ritti_driver *d) {
  ritti_crossing_watch *X = &d->crossing;
  if (!X->at.z || d->slide || d->at.stepper_stale) return RITT_OK;
  if (ritti_crossing_on(d)) return stay_or_leave(d);
  if (!X->known) return RITT_OK;
  ritt_real far = distance_to_crossing(d, d->step.z), reach = ENTER * X->way.chart.radius,
            speed = closing_speed(d);
  if (!(speed > 0) && far > RITTI_EPS) return RITT_OK;
  if (far > reach) {
    shorten_steps(d, (far - (ritt_real)0.8 * reach) / speed);
    return RITT_OK;
  }
  /* it may have come back on the other branch, whose chart may be smaller */
  if (!open_chart(d)) return RITT_OK;
  if (far > ENTER * X->way.chart.radius) return ritti_crossing_turn(d);
  ritt_status status = go_on_with(d, true);
  if (status != RITT_RETRY) return status;
  X->known = false;
  return ritti_crossing_drop(d);
}

/* ---- the watch ---- */

/* Looks for a crossing near z that can be passed. */
static bool find_crossing(ritti_driver *d, const ritt_real *z) {
  return locate_crossing(d, z) && d->crossing.at.miss == 0 &&
         distance_to_crossing(d, z) < largest_size(d) && open_chart(d);
}

/* The length of the step just taken, in the positions. */
static ritt_real path_of(const ritti_driver *d) {
  return ritti_path_of_step(d->crossing.at.n, d->step.h, d->step.V[0], d->step.V[d->step.last]);
}

/* Is it time to look again? Not before a path has been walked on which the least singular value can
 * have changed by a small part of itself, unless a crossing is near. */
static bool is_due(ritti_driver *d) {
  ritti_crossing_watch *X = &d->crossing;
  X->walked += path_of(d);
  if (!X->known && X->walked < X->at.sigma * largest_size(d) / 8) return false;
  X->walked = 0;
  return true;
}

/* Looks at points between the ends of the step, and at its end. *side: -1 if one of them, *z, is
 * beyond. */
static bool look_along(ritti_driver *d, int *side, const ritt_real **z) {
  ritti_crossing *at = &d->crossing.at;
  const ritti_stepper *step = &d->step;
  const ritt_real parts = ritti_parts_of_step(path_of(d), at->sigma, largest_size(d));
  *z = d->row_z;
  for (int i = 1; (ritt_real)i < parts; i++) {
    ritti_interpolate_position(step->m, at->n, (ritt_real)i / parts, step->h, step->z, step->z_new,
                               step->V[0], step->V[step->last], d->row_z);
    if (ritti_crossing_look(at, d->row_z, side) && *side < 0) return true;
  }
  *z = d->step.z_new;
  return ritti_crossing_look(at, *z, side);
}

bool ritti_crossing_ahead(ritti_driver *d) {
  ritti_crossing_watch *X = &d->crossing;
  const ritt_real *z;
  ritt_real before = X->at.sigma;
  int side;
  if (!X->at.z || d->step.direction != &d->direction) return false;
  if (before < INFINITY && !is_due(d)) return false;
  if (!(before < INFINITY) && !ritti_crossing_look(&X->at, d->step.z, &side)) return false;
  before = X->at.sigma;
  if (!look_along(d, &side, &z)) return false;
  ritt_real sigma = X->at.sigma;
  if (sigma > X->max_sigma) X->max_sigma = sigma;
  if (side > 0 && sigma >= before) X->last_search = INFINITY;
  if (side < 0) {
    bool found = find_crossing(d, sigma < before ? z : d->step.z);
    ritti_crossing_look(&X->at, found ? d->step.z : d->step.z_new, &side);
    return found;
  }
  /* it is small, or will vanish within a few steps at this rate */
  bool small = sigma < SMALL * X->max_sigma || sigma < 4 * (before - sigma);
  /* with more freedom the run comes to another one than it was heading for; behind one there may be
   * the next */
  bool known = X->at.d == 1 && X->known && closing_speed(d) > 0 &&
               distance_to_crossing(d, d->step.z) < 4 * X->way.chart.radius;
  if (!known && sigma < before && small && sigma < X->last_search / 2) {
    X->last_search = sigma;
    find_crossing(d, d->step.z_new);
  }
  return false;
}

bool ritti_crossing_here(ritti_driver *d) {
  ritti_crossing_watch *X = &d->crossing;
  int side;
  if (!X->at.z || d->step.direction != &d->direction) return false;
  if (!ritti_crossing_look(&X->at, d->step.z, &side) || !locate_crossing(d, d->step.z))
    return false;
  /* the middle of a circle is such a place, too, and not near */
  ritt_real near = (ritt_real)1e-3 * largest_size(d);
  return X->at.miss < near &&
         distance_to_crossing(d, d->step.z) <= RITTI_MATH(fmax)(near, 10 * X->at.miss);
}

/* ---- passed ---- */

bool ritti_crossing_passed(const ritti_driver *d) {
  if (!ritti_crossing_on(d)) return false;
  ritt_real before = ritti_passage_place(&d->crossing.way, d->step.z),
            after = ritti_passage_place(&d->crossing.way, d->step.z_new);
  return (before < 0 && after >= 0) || (before > 0 && after <= 0);
}

const ritt_special *ritti_crossing_note(ritti_driver *d, ritt_real s_new, ritt_real *at) {
  const ritti_passage *way = &d->crossing.way;
  bool below = ritti_passage_place(way, d->step.z) < 0;
  ritt_real low = 0, high = 1, arc = NAN;
  for (int i = 0; i < 60; i++) {
    ritt_real middle = (low + high) / 2, s = d->at.s + middle * (s_new - d->at.s);
    bool known = ritti_stepper_dense(&d->step, middle, s, d->row_z, d->row_top) == RITT_OK;
    if (known && (ritti_passage_place(way, d->row_z) < 0) == below) low = middle;
    else high = middle;
  }
  *at = d->at.s + low * (s_new - d->at.s);
  if (ritti_stepper_length_to(&d->step, low, d->report_weights, d->row_z, d->row_top, &arc) !=
      RITT_OK)
    arc = NAN;
  if (ritti_stepper_dense(&d->step, low, *at, d->row_z, d->row_top) != RITT_OK)
    memcpy(d->row_z, d->step.z, (size_t)d->problem->m * sizeof *d->row_z);
  memcpy(d->row_z + 1, d->crossing.at.z + 1, (size_t)d->crossing.at.n * sizeof *d->row_z);
  bool passed = !d->options.hold;
  d->count.crossings += passed;
  return ritti_note_special(d, ritti_crossing_word(d->crossing.at.kind), passed, d->row_z,
                            d->at.travelled + arc, NULL);
}

ritt_status ritti_crossing_stop(ritti_driver *d, ritt_real s_new, ritt_real at,
                                const ritt_special *special) {
  if (at != d->at.s && ritti_rows_of_step(d, s_new, at) == RITT_OK) {
    RITT_TRY(ritti_fine_points(d, s_new - d->at.s, (at - d->at.s) / d->step.h));
    ritti_reach(d, at);
  }
  return ritti_stop_crossing(d, special);
}

/* ---- state ---- */

void ritti_crossing_watch_state(ritti_driver *d, ritti_state *state, const ritti_problem **on) {
  ritti_crossing_watch *X = &d->crossing;
  bool branch = ritti_crossing_on(d);
  ritti_state_mode mode = state->mode;
  if (!X->at.z) return;
  if (mode == RITTI_STATE_CHECK) state->mode = RITTI_STATE_LOAD; /* nothing but this is changed */
  ritti_state_bool(state, "crossing.on", &branch);
  state->mode = mode;
  ritti_state_bool(state, "crossing.found", &X->found);
  ritti_state_bool(state, "crossing.known", &X->known);
  ritti_state_reals(state, "crossing.asked", &X->last_search, 1);
  ritti_state_reals(state, "crossing.most", &X->max_sigma, 1);
  ritti_state_reals(state, "crossing.walked", &X->walked, 1);
  ritti_crossing_state(&X->at, state);
  ritti_chart_state(&X->way.chart, state);
  ritti_manifold_state(&X->way.manifold, state);
  ritti_state_long(state, "crossing.evaluations", &X->way.direction.evaluations);
  if (branch) *on = &X->way.problem;
  if (mode == RITTI_STATE_SAVE || mode == RITTI_STATE_COUNT || d->slide) return;
  ritti_stepper_slide(&d->step, branch); /* as many vectors as are saved */
  if (mode != RITTI_STATE_LOAD) return;
  d->step.manifold = branch ? &X->way.manifold : &d->manifold;
  d->step.direction = branch ? &X->way.direction : &d->direction;
  X->way.direction.reference = d->step.V[0];
  ritti_passage_renew(&X->way);
}
