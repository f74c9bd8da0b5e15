/* Mechanisms that run through positions where their constraints lose rank.
 *
 * The watch looks at the least singular value of dg after every step. Where it tends to 0, or has
 * changed its sign in a step, the crossing is located; if two branches cross there the run goes on
 * the branch on which it comes (a problem of its own, geometry/passage.h) as long as it is near,
 * with the same method, tolerance, rows and events. Where branches pass each other at a distance
 * nothing is done: the run follows the one it is on.
 */
#include "solve/solve_impl.h"

/* parts of the radius of a chart: enters and leaves there, or where it is too far aside */
static const ritt_real SMALL =
    (ritt_real)0.2; /* of the largest singular value seen: worth a search */
static const ritt_real ENTER = (ritt_real)0.6, LEAVE = (ritt_real)0.65, ASIDE = (ritt_real)0.4;

ritt_status ritti_crossings_init(ritti_solver *S, ritti_arena *arena) {
  ritti_crossings *X = &S->cross;
  RITT_TRY(ritti_crossing_init(&X->at, S->problem, S->work, arena));
  X->known = false;
  X->asked = INFINITY, X->most = 0;
  if (!X->at.z) return RITT_OK;
  RITTI_NEW(X->size, arena, S->problem->m);
  RITTI_NEW(X->along, arena, S->problem->m);
  RITT_TRY(ritti_passage_init(&X->way, &X->at, S->options.linear, arena));
  memcpy(X->way.manifold.size, S->manifold.size, (size_t)S->problem->m * sizeof *S->manifold.size);
  return RITT_OK;
}

bool ritti_crossing_on(const ritti_solver *S) {
  return S->cross.at.z && S->step.direction == &S->cross.way.direction;
}

/* ---- distances ---- */

/* From the position of z to the crossing. */
static ritt_real distance(const ritti_solver *S, const ritt_real *z) {
  ritt_real square = 0;
  for (int i = 1; i <= S->cross.at.n; i++) {
    ritt_real d = z[i] - S->cross.at.z[i];
    square += d * d;
  }
  return RITTI_MATH(sqrt)(square);
}

/* How fast that becomes less, per unit of the run's variable. */
static ritt_real closing(const ritti_solver *S) {
  ritt_real sum = 0, far = distance(S, S->step.z);
  for (int i = 1; i <= S->cross.at.n; i++)
    sum -= S->step.V[0][i] * (S->step.z[i] - S->cross.at.z[i]);
  return (S->h < 0 ? -sum : sum) / far;
}

static ritt_real largest_size(const ritti_solver *S) {
  ritt_real most = 0;
  for (int i = 1; i <= S->cross.at.n; i++) most = RITTI_MATH(fmax)(most, ritti_size_of(S, i));
  return most;
}

/* ---- onto the branch and off it ---- */

/* The stepper goes on with the problem that is set, from its point. */
static ritt_status go_on_with(ritti_solver *S, bool onto) {
  ritti_crossings *X = &S->cross;
  ritt_real h = S->h, begin = S->begin;
  long taken = S->taken;
  S->step.manifold = onto ? &X->way.manifold : &S->manifold;
  S->step.direction = onto ? &X->way.direction : &S->direction;
  ritti_stepper_slide(&S->step, onto);
  if (onto) {
    X->way.direction.arc = S->direction.arc;
    memcpy(X->way.manifold.spread, S->manifold.spread, (size_t)S->problem->m * sizeof(ritt_real));
    ritti_passage_renew(&X->way);
  }
  memcpy(S->row_z, S->step.z, (size_t)S->problem->m * sizeof *S->row_z);
  RITT_TRY(ritti_manifold_project(S->step.manifold, S->row_z, S->row_z));
  RITT_TRY(ritti_place_anew(S, S->row_z));
  S->h = h, S->begin = begin, S->taken = taken;
  return RITT_OK;
}

ritt_status ritti_crossing_drop(ritti_solver *S) {
  if (!ritti_crossing_on(S)) return RITT_OK;
  ritti_crossing_forget(&S->cross.at);
  S->cross.asked = INFINITY;
  return go_on_with(S, false);
}

/* The chart of the branch through the crossing just located on which the run is. */
static bool open_chart(ritti_solver *S) {
  ritti_crossings *X = &S->cross;
  X->known = ritti_passage_open(&X->way, S->step.z, largest_size(S));
  return X->known;
}

static bool locate(ritti_solver *S, const ritt_real *z) {
  ritti_crossings *X = &S->cross;
  ritt_real square = 0;
  int n = X->at.n;
  X->known = false;
  for (int i = 0; i <= 2 * n; i++) X->size[i] = ritti_size_of(S, i), X->along[i] = 0;
  for (int i = 1; i <= n; i++) X->along[n + i] = S->step.V[0][i] / X->size[i];
  for (int i = 1; i <= n; i++) square += X->along[n + i] * X->along[n + i];
  for (int i = 1; i <= n && square > 0; i++) X->along[n + i] /= RITTI_MATH(sqrt)(square);
  X->found = ritti_crossing_locate(&X->at, z, X->size, X->along);
  return X->found;
}

/* Steps end before the crossing is reached from outside, and before the chart ends from inside. */
static void shorten(ritti_solver *S, ritt_real most) {
  if (S->options.constant_step != 0) {
    if (!(RITTI_MATH(fabs)(S->h) > most)) return;
    S->cut = true;
  }
  if (RITTI_MATH(fabs)(S->h) > most) S->h = S->h < 0 ? -most : most;
}

/* On the branch: out of the chart, or a step that stays in it. */
static ritt_status stay_or_leave(ritti_solver *S) {
  const ritti_passage *way = &S->cross.way;
  ritt_real radius = way->chart.radius, place = ritti_passage_place(way, S->step.z),
            speed = ritti_passage_speed(way, S->step.V[0]) * (S->h < 0 ? -1 : 1);
  bool outward = place * speed >= 0, aside = ritti_passage_aside(way, S->step.z) > ASIDE * radius;
  if (RITTI_MATH(fabs)(place) > LEAVE * radius && outward) return ritti_crossing_drop(S);
  if (aside && RITTI_MATH(fabs)(place) > ASIDE * radius && outward) return ritti_crossing_drop(S);
  if (aside && locate(S, S->step.z) && S->cross.at.miss == 0 && open_chart(S)) {
    ritti_passage_renew(&S->cross.way);
    return go_on_with(S, true);
  }
  ritt_real left = speed > 0 ? radius - place : radius + place;
  shorten(S, (ritt_real)0.8 * left / RITTI_MATH(fabs)(speed));
  return RITT_OK;
}

ritt_status ritti_crossing_turn(ritti_solver *S) {
  ritti_crossings *X = &S->cross;
  if (!X->at.z || S->slide || S->unplaced) return RITT_OK;
  if (ritti_crossing_on(S)) return stay_or_leave(S);
  if (!X->known) return RITT_OK;
  ritt_real far = distance(S, S->step.z), reach = ENTER * X->way.chart.radius, speed = closing(S);
  if (!(speed > 0) && far > RITTI_EPS) return RITT_OK;
  if (far > reach) {
    shorten(S, (far - (ritt_real)0.8 * reach) / speed);
    return RITT_OK;
  }
  /* it may have come back on the other branch, whose chart may be smaller */
  if (!open_chart(S)) return RITT_OK;
  if (far > ENTER * X->way.chart.radius) return ritti_crossing_turn(S);
  ritt_status status = go_on_with(S, true);
  if (status != RITT_RETRY) return status;
  X->known = false;
  return ritti_crossing_drop(S);
}

/* ---- the watch ---- */

/* Looks for a crossing near z that can be passed. */
static bool find(ritti_solver *S, const ritt_real *z) {
  return locate(S, z) && S->cross.at.miss == 0 && distance(S, z) < largest_size(S) && open_chart(S);
}

/* The length of the step just taken, in the positions. */
static ritt_real path_of(const ritti_solver *S) {
  const ritt_real *V = S->step.V[0], *W = S->step.V[S->step.last];
  ritt_real begin = 0, end = 0;
  for (int i = 1; i <= S->cross.at.n; i++) begin += V[i] * V[i], end += W[i] * W[i];
  return RITTI_MATH(fabs)(S->step.h) * RITTI_MATH(sqrt)(begin > end ? begin : end);
}

/* Into how many parts is the step just taken to be cut, such that dg cannot have lost rank and
 * gained it again on one of them? Its rows have about length 1, and turn by an angle on a path as
 * long as the sizes. */
static int parts_of(const ritti_solver *S) {
  enum { MOST = 8 };
  ritt_real parts = RITTI_MATH(ceil)(4 * path_of(S) / (S->cross.at.sigma * largest_size(S)));
  return parts < MOST ? (int)parts : MOST;
}

/* Is it time to look again? Not before a path has been walked on which the least singular value can
 * have changed by a small part of itself, unless a crossing is near. */
static bool is_due(ritti_solver *S) {
  ritti_crossings *X = &S->cross;
  X->walked += path_of(S);
  if (!X->known && X->walked < X->at.sigma * largest_size(S) / 8) return false;
  X->walked = 0;
  return true;
}

/* out <- positions at the fraction theta of the step just taken, by the cubic through its ends:
 * near enough to look at, and much cheaper than points of M. */
static void between(const ritti_solver *S, ritt_real theta, ritt_real *out) {
  const ritt_real *z = S->step.z, *end = S->step.z_new, *V = S->step.V[0],
                  *W = S->step.V[S->step.last];
  ritt_real rest = 1 - theta, h = S->step.h;
  memcpy(out, end, (size_t)S->problem->m * sizeof *out);
  for (int i = 0; i <= S->cross.at.n; i++)
    out[i] = rest * rest * ((1 + 2 * theta) * z[i] + theta * h * V[i]) +
             theta * theta * ((1 + 2 * rest) * end[i] - rest * h * W[i]);
}

/* Looks at points between the ends of the step, and at its end. *side: -1 where any of them, *z, is
 * beyond. */
static bool look_along(ritti_solver *S, int *side, const ritt_real **z) {
  ritti_crossing *at = &S->cross.at;
  int parts = parts_of(S);
  *z = S->row_z;
  for (int i = 1; i < parts; i++) {
    between(S, (ritt_real)i / (ritt_real)parts, S->row_z);
    if (ritti_crossing_look(at, S->row_z, side) && *side < 0) return true;
  }
  *z = S->step.z_new;
  return ritti_crossing_look(at, *z, side);
}

bool ritti_crossing_ahead(ritti_solver *S) {
  ritti_crossings *X = &S->cross;
  const ritt_real *z;
  ritt_real before = X->at.sigma;
  int side;
  if (!X->at.z || S->step.direction != &S->direction) return false;
  if (before < INFINITY && !is_due(S)) return false;
  if (!(before < INFINITY) && !ritti_crossing_look(&X->at, S->step.z, &side)) return false;
  before = X->at.sigma;
  if (!look_along(S, &side, &z)) return false;
  ritt_real sigma = X->at.sigma;
  if (sigma > X->most) X->most = sigma;
  if (side > 0 && sigma >= before) X->asked = INFINITY;
  if (side < 0) {
    bool found = find(S, sigma < before ? z : S->step.z);
    ritti_crossing_look(&X->at, found ? S->step.z : S->step.z_new, &side);
    return found;
  }
  /* it is small, or vanishes in some steps more if it goes on so */
  bool small = sigma < SMALL * X->most || sigma < 4 * (before - sigma);
  /* with more freedom the run comes to another one than it was heading for; behind one there may be
   * the next */
  bool known = X->at.d == 1 && X->known && closing(S) > 0 &&
               distance(S, S->step.z) < 4 * X->way.chart.radius;
  if (!known && sigma < before && small && sigma < X->asked / 2) {
    X->asked = sigma;
    find(S, S->step.z_new);
  }
  return false;
}

bool ritti_crossing_here(ritti_solver *S) {
  ritti_crossings *X = &S->cross;
  int side;
  if (!X->at.z || S->step.direction != &S->direction) return false;
  if (!ritti_crossing_look(&X->at, S->step.z, &side) || !locate(S, S->step.z)) return false;
  /* the middle of a circle is such a place, too, and not near */
  ritt_real near = (ritt_real)1e-3 * largest_size(S);
  return X->at.miss < near && distance(S, S->step.z) <= RITTI_MATH(fmax)(near, 10 * X->at.miss);
}

/* ---- passed ---- */

bool ritti_crossing_passed(const ritti_solver *S) {
  if (!ritti_crossing_on(S)) return false;
  ritt_real before = ritti_passage_place(&S->cross.way, S->step.z),
            after = ritti_passage_place(&S->cross.way, S->step.z_new);
  return (before < 0 && after >= 0) || (before > 0 && after <= 0);
}

const ritt_special *ritti_crossing_note(ritti_solver *S, ritt_real s_new, ritt_real *at) {
  const ritti_passage *way = &S->cross.way;
  bool below = ritti_passage_place(way, S->step.z) < 0;
  ritt_real low = 0, high = 1, arc = NAN;
  for (int i = 0; i < 60; i++) {
    ritt_real middle = (low + high) / 2, s = S->s + middle * (s_new - S->s);
    bool known = ritti_stepper_dense(&S->step, middle, s, S->row_z, S->row_top) == RITT_OK;
    if (known && (ritti_passage_place(way, S->row_z) < 0) == below) low = middle;
    else high = middle;
  }
  *at = S->s + low * (s_new - S->s);
  if (ritti_stepper_length_to(&S->step, low, S->metric, S->row_z, S->row_top, &arc) != RITT_OK)
    arc = NAN;
  if (ritti_stepper_dense(&S->step, low, *at, S->row_z, S->row_top) != RITT_OK)
    memcpy(S->row_z, S->step.z, (size_t)S->problem->m * sizeof *S->row_z);
  memcpy(S->row_z + 1, S->cross.at.z + 1, (size_t)S->cross.at.n * sizeof *S->row_z);
  bool passed = !S->options.hold;
  S->crossings += passed;
  return ritti_note_special(S, ritti_crossing_word(S->cross.at.kind), passed, S->row_z,
                            S->travelled + arc, NULL);
}

ritt_status ritti_crossing_stop(ritti_solver *S, ritti_row_plan *plan, ritt_real s_new,
                                ritt_real at, const ritt_special *special, ritt_error *error) {
  if (at != S->s && ritti_rows_of_step(S, plan, s_new, at) == RITT_OK) {
    RITT_TRY(ritti_fine_points(S, plan, s_new - S->s, (at - S->s) / S->step.h));
    ritti_reach(S, at);
  }
  return ritti_stop_crossing(S, special, error);
}

/* ---- state ---- */

void ritti_crossings_state(ritti_solver *S, ritti_state *state, const ritti_problem **on) {
  ritti_crossings *X = &S->cross;
  bool branch = ritti_crossing_on(S);
  ritti_state_mode mode = state->mode;
  if (!X->at.z) return;
  if (mode == RITTI_STATE_CHECK) state->mode = RITTI_STATE_LOAD; /* nothing but this is changed */
  ritti_state_bool(state, "crossing.on", &branch);
  state->mode = mode;
  ritti_state_bool(state, "crossing.found", &X->found);
  ritti_state_bool(state, "crossing.known", &X->known);
  ritti_state_reals(state, "crossing.asked", &X->asked, 1);
  ritti_state_reals(state, "crossing.most", &X->most, 1);
  ritti_state_reals(state, "crossing.walked", &X->walked, 1);
  ritti_crossing_state(&X->at, state);
  ritti_chart_state(&X->way.chart, state);
  ritti_manifold_state(&X->way.manifold, state);
  ritti_state_long(state, "crossing.evaluations", &X->way.direction.evaluations);
  if (branch) *on = &X->way.problem;
  if (mode == RITTI_STATE_SAVE || mode == RITTI_STATE_COUNT || S->slide) return;
  ritti_stepper_slide(&S->step, branch); /* as many vectors as are saved */
  if (mode != RITTI_STATE_LOAD) return;
  S->step.manifold = branch ? &X->way.manifold : &S->manifold;
  S->step.direction = branch ? &X->way.direction : &S->direction;
  X->way.direction.reference = S->step.V[0];
  ritti_passage_renew(&X->way);
}
