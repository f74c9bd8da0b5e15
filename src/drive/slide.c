/* Switching surfaces: crossing them, and sliding on them; events at whose zeros the run rests.
 *
 * When the run reaches the surface u_i = 0 the rates of u_i on both sides decide: if the rate on the
 * far side leads on, the run crosses; if both sides lead back to the surface, it slides on it (A.
 * F. Filippov, Differential Equations with Discontinuous Righthand Sides, 1988). While it slides
 * u_i = 0 is a row of f, and V is the combination V_0 + sum_j w_j (V_j - V_0) that keeps all
 * surfaces slid on, V_0 with all their sides -1, V_j with the side of the j-th alone 1. For one
 * surface that is the convex combination of both sides. When a weight leaves [0, 1] the run leaves
 * that surface.
 *
 * A ball that bounces ever lower lies still in the end. At the zero of an event g = 0 whose jump reverses
 * the rate g' and becomes the identity where g' = 0, the run rests if g' has become 0 and the
 * acceleration presses against the zero. While it rests g = 0 and g' = 0 are rows of f, and V is
 * V_0 + w r: r is the direction of the jumps, scaled so that it changes g' by 1, and w >= 0 keeps
 * g'' = 0. When w becomes negative the run leaves. Members of one problem are the monitors of all
 * surfaces slid on and all events rested at.
 */
#include "drive/slide_impl.h"

bool ritti_slides(const ritti_driver *d, int monitor) {
  for (int i = 0; d->slide && i < d->slide->count; i++)
    if (d->slide->member[i] == monitor) return true;
  return false;
}

static void set_side(ritti_driver *d, int surface, int side) {
  d->work[d->problem->side_at + (size_t)surface] = (ritt_real)side;
  d->monitors.side[d->problem->events + surface] = side;
}

/* ---- deciding ---- */

/* The rate of surface i on the given side, at the driver's point, along the run. */
static ritt_status rate_on(ritti_driver *d, int surface, int side, ritt_real along,
                           ritt_real *out) {
  set_side(d, surface, side);
  ritti_direction_begin_with(d->step.direction, d->step.top);
  RITT_TRY(ritti_direction_solve_again(d->step.direction, d->step.z, d->err));
  *out = ritti_monitors_rate(d, d->problem->events + surface, d->err) * along;
  return RITT_OK;
}

static bool holds_tops(const ritti_problem *p, int monitor) {
  for (int e = p->dmonitor.start[monitor]; e < p->dmonitor.start[monitor + 1]; e++)
    if (p->dmonitor.col[e] >= p->m) return true;
  return false;
}

/* Do the derivatives of the solution slide on the surface, too? They must be tangent to it, which they
 * are after the jump that a hidden event has made. */
static bool tangents_slide(const ritti_driver *d, int surface) {
  const ritti_problem *p = d->problem;
  const ritti_pattern *pattern = &p->dmonitor;
  int monitor = p->events + surface, all = p->m + p->tops;
  if (!p->smooth_slide || !p->smooth_slide[surface] || (p->cone && p->cone[surface])) return false;
  for (int i = 0; d->slide && i < d->slide->count; i++)
    if (ritti_member_is_event(d->slide, i)) return false;
  for (int q = 0; q < p->tangent_count; q++) {
    ritt_real change = 0, size = 1;
    for (int e = pattern->start[monitor]; e < pattern->start[monitor + 1]; e++) {
      int i = p->tangent[q * all + pattern->col[e]];
      change += d->monitors.df[e] * d->step.z[i];
      size = RITTI_MATH(fmax)(size, RITTI_MATH(fabs)(d->step.z[i]));
    }
    if (!(RITTI_MATH(fabs)(change) <= (ritt_real)1e-9 * size)) return false;
  }
  return true;
}

static ritt_status start_sliding(ritti_driver *d, int surface) {
  bool full = d->slide && d->slide->count == RITTI_MOST_SLIDING;
  if (full || d->options.by_arc) return ritti_stop_kink(d, surface, d->at.s);
  if (d->problem->tangents && !tangents_slide(d, surface)) return ritti_stop_tangents(d, -1);
  ritt_status status = ritti_slide_add(d, d->problem->events + surface);
  d->count.slidings++;
  return status;
}

static ritt_status decide_sliding(ritti_driver *d, int surface, int from, ritt_real along);

/* Behind this surface the sides of the surfaces slid on do not differ, so that sliding ends: crosses
 * it, and decides again for each of them. */
static ritt_status cross_and_decide(ritti_driver *d, int surface, int from, ritt_real along) {
  int was[RITTI_MOST_SLIDING], rest[RITTI_MOST_SLIDING], count = 0, rests = 0;
  ritt_real after = 0;
  for (int i = 0; i < d->slide->count; i++) {
    if (ritti_member_is_event(d->slide, i)) rest[rests++] = d->slide->member[i];
    else was[count++] = d->slide->member[i] - d->problem->events;
  }
  set_side(d, surface, -from);
  for (int i = 0; i < count; i++) set_side(d, was[i], 1);
  RITT_TRY(ritti_slide_go_on(d, rest, rests));
  for (int i = 0; i < count; i++) RITT_TRY(decide_sliding(d, was[i], 0, along));
  RITT_TRY(rate_on(d, surface, -from, along, &after));
  return after * (ritt_real)from <= 0 ? RITT_OK : ritti_stop_kink(d, surface, d->at.s);
}

/* Takes the sides from the values at the driver's point if these are beyond `clear` times their
 * levels, except that of one surface (-1: none); *changed: some sides have changed. The function of a surface may itself depend on sides:
 * the one of `if mod(t, 1) < 1/2` jumps where mod does. */
static ritt_status read_sides(ritti_driver *d, ritt_real clear, int except, bool *changed) {
  const ritti_problem *p = d->problem;
  ritti_monitor_watch *w = &d->monitors;
  *changed = false;
  RITT_TRY(p->call.monitor(p->data, d->work, d->step.z, d->step.top, w->value));
  for (int i = 0; i < p->surfaces; i++) {
    int row = p->events + i, side = w->value[row] > 0 ? 1 : -1;
    bool known = RITTI_MATH(fabs)(w->value[row]) > clear * w->level[row];
    if (!known || i == except || ritti_slides(d, row)) continue;
    if (p->cone && p->cone[i] != 0) continue;
    *changed |= d->work[p->side_at + (size_t)i] != side;
    set_side(d, i, side);
  }
  return RITT_OK;
}

/* Reads sides until they agree with each other: each round settles one more level of functions in
 * functions. */
static ritt_status agree_on_sides(ritti_driver *d, ritt_real clear, int except) {
  bool changed = true;
  for (int round = 0; changed && round <= d->problem->surfaces; round++)
    RITT_TRY(read_sides(d, clear, except, &changed));
  return RITT_OK;
}

/* Places the driver on the sides that its point has, except that of one surface (-1: none), until they
 * agree with the highest derivatives, which depend on them: the reaction in mu*abs(N)*sign(v). */
static ritt_status place_on_sides(ritti_driver *d, ritt_real clear, int except) {
  int most = d->monitors.needs_tops ? 2 * d->problem->surfaces + 2 : 1;
  bool changed = true;
  for (int round = 0; changed; round++) {
    if (round == most) return ritti_stop_sides(d, except);
    RITT_TRY(agree_on_sides(d, clear, except));
    RITT_TRY(ritti_switch_point(d, d->row_z));
    RITT_TRY(ritti_place_again(d, d->row_z));
    changed = false;
    if (d->monitors.needs_tops) RITT_TRY(read_sides(d, 1, except, &changed));
  }
  return RITT_OK;
}

/* Is the value of a surface's function, on the side just taken, on the other one? Then neither side
 * is that of a solution. */
static ritt_status check_side(ritti_driver *d, int surface, int side) {
  const ritti_problem *p = d->problem;
  ritti_monitor_watch *w = &d->monitors;
  RITT_TRY(p->call.monitor(p->data, d->work, d->step.z, d->step.top, w->value));
  ritt_real value = w->value[p->events + surface] * (ritt_real)side;
  return value < -w->level[p->events + surface] ? ritti_stop_sides(d, surface) : RITT_OK;
}

/* At u_i = 0, coming from the side `from` (0: from none): crosses, slides, or chooses. */
static ritt_status decide_sliding(ritti_driver *d, int surface, int from, ritt_real along) {
  ritt_real plus, minus;
  int side = from ? -from : 1;
  ritt_status status = ritti_monitors_levels(d, d->step.z, d->step.top);
  if (status == RITT_OK) status = rate_on(d, surface, 1, along, &plus);
  if (status == RITT_OK) status = rate_on(d, surface, -1, along, &minus);
  if (status == RITT_RETRY && d->slide && from) return cross_and_decide(d, surface, from, along);
  RITT_TRY(status);
  /* rates, and differences of them, that the tolerance would never show are none: v*abs(v) does not
   * hold a run */
  ritt_real unseen = RITTI_UNSEEN * d->monitors.level[d->problem->events + surface] / d->length;
  bool with_tops = holds_tops(d->problem, d->problem->events + surface);
  if (!with_tops) {
    if (plus < 0 && minus > 0 && minus - plus > unseen) return start_sliding(d, surface);
    if (from == 0 && plus < 0) side = -1;
    if (from == 0 && plus == 0 && minus < 0) side = -1;
    if (from < 0 && plus < -unseen) side = -1; /* touched, and turned back */
    if (from > 0 && minus > unseen) side = 1;
  }
  set_side(d, surface, side);
  /* if other functions jump with it their sides follow; those at their zeros wait until they are met */
  RITT_TRY(place_on_sides(d, 1, surface));
  return with_tops ? check_side(d, surface, side) : RITT_OK;
}

/* Just beyond a pole of u_i, through which it has changed its side: on the other side |u_i| must
 * fall, or the run would be back at the pole at once. */
static ritt_status cross_pole(ritti_driver *d, int surface, int from, ritt_real along) {
  ritt_real after;
  set_side(d, surface, -from);
  ritt_status status = place_on_sides(d, 1, surface);
  if (status == RITT_OK) status = ritti_monitors_levels(d, d->step.z, d->step.top);
  if (status == RITT_OK) status = rate_on(d, surface, -from, along, &after);
  RITT_TRY(status);
  return after * (ritt_real)from >= 0 ? RITT_OK : ritti_stop_chatter(d, surface);
}

/* Progress is measured by the longest step and by the rounding of s, so that neither the length of the
 * run nor the unit of s matters. */
bool ritti_run_chatters(ritti_driver *d) {
  enum { TOO_OFTEN = 500 };
  ritti_monitor_watch *w = &d->monitors;
  ritt_real progress = RITTI_MATH(fabs)(d->at.s - w->since);
  ritt_real least =
      RITTI_MATH(fmax)((ritt_real)1e-9 * w->longest, 64 * RITTI_EPS * RITTI_MATH(fabs)(d->at.s));
  if (progress > least) w->met = 0;
  w->since = d->at.s;
  return ++w->met > TOO_OFTEN;
}

ritt_status ritti_surface_met(ritti_driver *d, int surface) {
  ritt_real along = d->step.h < 0 ? -1 : 1;
  int from = d->monitors.side[d->problem->events + surface];
  d->count.switches++;
  d->monitors.entered = surface;
  if (ritti_run_chatters(d)) return ritti_stop_chatter(d, surface);
  if (ritti_is_norm(d->problem, d->problem->events + surface))
    return ritti_direction_decide(d, d->problem->events + surface);
  return d->monitors.through ? cross_pole(d, surface, from, along)
                             : decide_sliding(d, surface, from, along);
}

/* Before anything is known at a start: the other side of a function may have no value there. */
ritt_status ritti_sides_first(ritti_driver *d) {
  if (d->problem->surfaces == 0 || !d->problem->call.monitor) return RITT_OK;
  const ritti_problem *p = d->problem;
  const ritt_real *value = d->monitors.value;
  ritt_status status = agree_on_sides(d, 0, -1);
  for (int i = 0; status == RITT_OK && p->cone && i < p->surfaces; i++) {
    int row = p->events + i;
    if (p->cone[i] < 0) d->work[p->side_at + (size_t)i] = 0;
    if (p->cone[i] > 0) d->work[p->side_at + (size_t)i] = value[row] > 0 ? 1 : -1;
    if (p->cone[i] != 0) d->monitors.side[row] = 1;
  }
  return status == RITT_RETRY ? RITT_OK : status;
}

/* The sides at a point just reached by a start or a jump. */
ritt_status ritti_sides_settle(ritti_driver *d, ritt_real along) {
  const ritti_problem *p = d->problem;
  ritti_monitor_watch *w = &d->monitors;
  if (d->slide && ritti_slide_go_on(d, NULL, 0) != RITT_OK) return ritti_stop_trouble(d);
  if (p->surfaces == 0) return RITT_OK;
  ritt_status status = ritti_monitors_levels(d, d->step.z, d->step.top);
  if (status == RITT_OK) status = place_on_sides(d, 0, -1);
  RITT_TRY(status);
  for (int i = 0; i < p->surfaces; i++) {
    status = p->call.monitor(p->data, d->work, d->step.z, d->step.top, w->value);
    RITT_TRY(status);
    if (ritti_is_term(p, p->events + i)) continue;
    if (ritti_is_norm(p, p->events + i)) {
      if (w->value[p->events + i] <= w->radius[p->events + i])
        RITT_TRY(ritti_direction_decide(d, p->events + i));
      continue;
    }
    if (RITTI_MATH(fabs)(w->value[p->events + i]) <= RITTI_UNSEEN * w->level[p->events + i])
      RITT_TRY(decide_sliding(d, i, 0, along));
  }
  return RITT_OK;
}

/* ---- leaving ---- */

/* How far the weight of member i is inside its bounds: [0, 1], of an event [0, infinity). Negative:
 * outside. */
static ritt_real margin_of(const ritti_slide *L, int i) {
  ritt_real w = L->weight[i];
  if (ritti_member_is_event(L, i)) return w;
  if (ritti_is_term(L->base, L->member[i])) return ritti_direction_margin(L, i);
  return RITTI_MATH(fmin)(w, 1 - w) + 64 * RITTI_EPS;
}

/* The member whose weight has left its bounds in the last direction taken; -1: none. */
static int find_leaving_weight(const ritti_slide *L) {
  for (int i = 0; i < L->count; i++)
    if (!(margin_of(L, i) >= 0)) return i;
  return -1;
}

/* The margin of a member at a fraction of the step just tried. */
typedef struct margin_along {
  ritti_driver *d;
  int member;
} margin_along;

static ritt_status find_margin(void *context, ritt_real theta, ritt_real *value) {
  const margin_along *a = context;
  ritti_driver *d = a->d;
  ritt_real s = d->at.s + theta * d->step.h;
  RITT_TRY(ritti_stepper_dense(&d->step, theta, s, d->row_z, d->row_top));
  *value = margin_of(d->slide, a->member);
  return RITT_OK;
}

/* The first fraction of the step just tried at which a weight leaves its bounds; 2: none. A run that
 * sticks takes long steps, in which a load may rise and fall again. */
static ritt_status find_leaving(ritti_driver *d, ritt_real *first) {
  enum { MOST = 8 };
  *first = 2;
  for (int i = 0; i < d->slide->count; i++) {
    margin_along a = {d, i};
    ritti_function g = {
        .at = find_margin, .context = &a, .resolve = true, .cosine = d->monitors.cosine};
    ritti_root root[MOST];
    int side = 1, count = 0;
    RITT_TRY(ritti_find_roots(&g, 64 * RITTI_EPS, &side, root, MOST, &count));
    for (int r = 0; r < count; r++)
      if (root[r].sense < 0 && root[r].theta < *first) *first = root[r].theta;
  }
  return RITT_OK;
}

ritt_real ritti_slide_margin(const ritti_driver *d, int monitor) {
  const ritti_slide *L = d->slide;
  int i = 0;
  while (L->member[i] != monitor) i++;
  return margin_of(L, i);
}

ritt_status ritti_slide_look(ritti_driver *d, ritt_real *s_new, bool *leaves) {
  ritt_real first, h = d->step.h, width = 4 * RITTI_EPS;
  *leaves = false;
  if (!d->slide) return RITT_OK;
  RITT_TRY(find_leaving(d, &first));
  if (first > 1) {
    /* the sides that outputs see are those of the end of the step */
    RITT_TRY(ritti_direction_at(&d->slide->direction, d->step.z_new, d->err3));
    if (find_leaving_weight(d->slide) < 0) return RITT_OK;
    first = 1;
  }

  /* the place between a fraction at which all weights are inside and one at which one is not */
  ritt_real low = first, high = first;
  for (bool inside = true; inside; width *= 4) {
    low = high, high = RITTI_MATH(fmin)(first + width, 1);
    RITT_TRY(ritti_stepper_dense(&d->step, high, d->at.s + high * h, d->row_z, d->row_top));
    inside = find_leaving_weight(d->slide) < 0;
    if (inside && high == 1) return RITT_OK;
  }
  if (low == first) low = RITTI_MATH(fmax)(first - width, 0);
  for (int i = 0; i < 50; i++) {
    ritt_real middle = (low + high) / 2;
    RITT_TRY(ritti_stepper_dense(&d->step, middle, d->at.s + middle * h, d->row_z, d->row_top));
    if (find_leaving_weight(d->slide) < 0) low = middle;
    else high = middle;
  }
  *leaves = true;
  *s_new = d->at.s + high * h;
  return ritti_stepper_take(&d->step, *s_new - d->at.s, *s_new);
}

/* Leaves the member whose weight is (nearly) out of its bounds, at the driver's point. */
ritt_status ritti_slide_leave(ritti_driver *d) {
  ritti_slide *L = d->slide;
  int others[RITTI_MOST_SLIDING], count = 0, leaving = 0;
  RITT_TRY(ritti_direction_at(&L->direction, d->step.z, d->err));
  for (int i = 0; i < L->count; i++)
    if (margin_of(L, i) < margin_of(L, leaving)) leaving = i;
  int monitor = L->member[leaving], side = L->weight[leaving] > (ritt_real)0.5 ? 1 : -1;
  if (ritti_is_term(d->problem, monitor))
    return ritti_direction_leave(d, ritti_norm_of(d->problem, monitor));
  for (int i = 0; i < L->count; i++)
    if (i != leaving) others[count++] = L->member[i];
  if (!ritti_member_is_event(L, leaving)) set_side(d, monitor - d->problem->events, side);
  return ritti_slide_go_on(d, others, count);
}

/* ---- state ---- */

/* The members; their problem is made if it does not exist yet. */
ritt_status ritti_slide_state(ritti_driver *d, ritti_state *state, const ritti_problem **on) {
  const ritti_problem *p = d->problem;
  int most = p->monitors < RITTI_MOST_SLIDING ? p->monitors : RITTI_MOST_SLIDING;
  int count = d->slide ? d->slide->count : 0, member[RITTI_MOST_SLIDING] = {0};
  ritt_real weight[RITTI_MOST_SLIDING] = {0};
  ritti_state_mode mode = state->mode;
  *on = p;
  if (p->monitors == 0) return RITT_OK;
  if (mode == RITTI_STATE_CHECK)
    state->mode = RITTI_STATE_LOAD; /* nothing but these arrays is changed */
  for (int i = 0; i < count; i++) member[i] = d->slide->member[i], weight[i] = d->slide->weight[i];
  ritti_state_ints(state, "slide.count", &count, 1, 0, most);
  ritti_state_ints(state, "slide.member", member, RITTI_MOST_SLIDING, 0, p->monitors - 1);
  ritti_state_reals(state, "slide.weight", weight, RITTI_MOST_SLIDING);
  state->mode = mode;
  for (int i = 0; i < count && !state->misfit; i++) {
    bool event = member[i] < p->events, surface = !event && member[i] < p->events + p->surfaces;
    bool fits = event ? ritti_may_rest(d, member[i]) : surface && !holds_tops(p, member[i]);
    if (!fits) state->misfit = "slide.member";
  }
  if (state->misfit) return RITT_OK;
  ritti_slide *slide = NULL;
  if (count) RITT_TRY(ritti_slide_on(d, member, count, &slide));
  if (count) *on = &slide->problem;
  for (int i = 0; i < count; i++)
    if (ritti_member_is_event(slide, i)) {
      RITT_TRY(ritti_make_push(d, member[i]));
      ritti_state_reals(state, "slide.push", d->monitors.push[member[i]], (size_t)p->m);
    }
  if (state->mode != RITTI_STATE_LOAD) return RITT_OK;
  d->slide = slide;
  d->step.manifold = count ? &d->slide->manifold : &d->manifold;
  d->step.direction = count ? &d->slide->direction : &d->direction;
  if (count == 0) return RITT_OK;
  memcpy(d->slide->weight, weight, (size_t)count * sizeof *weight);
  memcpy(d->slide->manifold.inverse_weights, d->manifold.inverse_weights,
         (size_t)p->m * sizeof(ritt_real));
  d->slide->direction.reference = d->step.V[0];
  d->slide->manifold.cache.factored = 0;
  return RITT_OK;
}
