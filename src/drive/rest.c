/* Resting at the zero of an event (slide.c says what that is): when it begins.
 *
 * In: a point at which the function g of an event with a jump vanishes, after the jump or at the start.
 * Out: whether the run rests there.
 */
#include "drive/slide_impl.h"

/* Is the top of this coordinate the only one in its equation, and in no other one? Then a force on it
 * changes nothing else. */
static bool stands_alone(const ritti_problem *p, int coordinate) {
  int count = 0, top = -1 - p->next[coordinate];
  if (top < 0) return false;
  for (int i = 0; i < p->A.rows; i++)
    for (int e = p->A.start[i]; e < p->A.start[i + 1]; e++)
      if (p->A.col[e] == top) count += p->A.start[i + 1] - p->A.start[i];
  return count == 1;
}

/* Are there other unknowns than states and their rates, or constraints, that the jumps of the event would
 * change? Their reactions to the force at rest would not be known. */
static bool has_reactions(const ritti_problem *p, int event) {
  const bool *assigned = p->event[event].assigned;
  int rates = 0, rows = 0;
  for (int i = 0; i < p->k; i++) rows += !p->invariant || !p->invariant[i];
  for (int i = 1; i < p->m; i++) rates += p->next[i] < 0;
  if (rows == 0 && rates == p->tops) return false;
  for (int i = 1; i < p->m; i++)
    if (assigned[i] && !stands_alone(p, i)) return true;
  for (int i = 0; i < p->k; i++)
    for (int e = p->df.start[i]; e < p->df.start[i + 1]; e++)
      if (assigned[p->df.col[e]]) return true;
  return false;
}

/* May the run rest at the zero of an event? The event jumps, and its function holds no tops. */
bool ritti_may_rest(const ritti_driver *d, int event) {
  const ritti_problem *p = d->problem;
  const ritti_pattern *pattern = &p->dmonitor;
  if (!p->event[event].kept || !p->call.monitor_df || d->options.by_arc) return false;
  if (p->kind != RITT_EXPLICIT && p->kind != RITT_GRAPH && p->kind != RITT_HOLONOMIC) return false;
  for (int e = pattern->start[event]; e < pattern->start[event + 1]; e++)
    if (pattern->col[e] >= p->m) return false;
  return !has_reactions(p, event);
}

ritt_status ritti_make_push(ritti_driver *d, int event) {
  ritt_real **push = &d->monitors.push[event];
  if (*push) return RITT_OK;
  RITTI_NEW(*push, d->arena, d->problem->m);
  return RITT_OK;
}

/* Puts the point beside z into `out` at which coordinates whose rates are tops are changed along the
 * gradient of the rate so that the rate changes by `change`. */
static void shift_rate(const ritti_slide *L, const ritt_real *z, const ritt_real *gradient,
                       ritt_real change, ritt_real *out) {
  const ritti_problem *p = L->base;
  ritt_real sum = 0;
  memcpy(out, z, (size_t)p->m * sizeof *z);
  for (int i = 1; i < p->m; i++) {
    ritt_real size = RITTI_MATH(fabs)(z[i]) + L->manifold.size[i];
    sum += gradient[i] * gradient[i] * size * size;
  }
  for (int i = 1; i < p->m; i++) {
    ritt_real size = RITTI_MATH(fabs)(z[i]) + L->manifold.size[i];
    out[i] += change * gradient[i] * size * size / sum;
  }
}

/* Are two points the same to half the digits? Of coordinates whose rates are tops, and others, or of the
 * others only. */
static bool is_same_point(const ritti_slide *L, const ritt_real *a, const ritt_real *b,
                          bool others_only) {
  const ritti_problem *p = L->base;
  for (int i = 1; i < p->m; i++) {
    ritt_real size = RITTI_MATH(fabs)(a[i]) + L->manifold.size[i];
    if (others_only && p->next[i] < 0) continue;
    if (!(RITTI_MATH(fabs)(b[i] - a[i]) <= RITTI_MATH(sqrt)(RITTI_EPS) * size)) return false;
  }
  return true;
}

/* Does the jump of the event reverse a small rate towards its zero, without gain, and change nothing if the
 * rate is 0? Then *yes, and push[event] is its direction. away: the sign of rates away from the zero. */
static ritt_status find_bounce(ritti_driver *d, ritti_slide *L, int event, ritt_real away,
                               ritt_real rate, bool *yes) {
  const ritti_problem *p = d->problem;
  ritt_real *gradient = d->err, *still = d->err3, *z = d->row_z, *push = d->monitors.push[event];
  ritt_real size = 0, back;
  *yes = false;

  /* the gradient of the rate by coordinates whose rates are tops: velocities */
  memset(gradient, 0, (size_t)p->m * sizeof *gradient);
  for (int e = L->problem.df.start[L->problem.k - 1]; e < L->problem.df.start[L->problem.k]; e++) {
    int j = L->problem.df.col[e];
    if (j == 0 || p->next[j] >= 0) continue;
    RITT_TRY(ritti_rate_partial(L, d->work, d->step.z, j, event, &gradient[j]));
    size += RITTI_MATH(fabs)(gradient[j]) * (RITTI_MATH(fabs)(d->step.z[j]) + L->manifold.size[j]);
  }
  if (!(size > 0)) return RITT_OK;

  /* the jump without a rate, and with a small one towards the zero */
  shift_rate(L, d->step.z, gradient, -rate, still);
  RITT_TRY(p->call.jump(p->data, d->work, event, still, d->step.top, z));
  if (!is_same_point(L, still, z, false)) return RITT_OK;
  ritt_real small = RITTI_MATH(cbrt)(RITTI_EPS) * size;
  shift_rate(L, still, gradient, -away * small, push);
  RITT_TRY(p->call.jump(p->data, d->work, event, push, d->step.top, z));
  if (!is_same_point(L, push, z, true)) return RITT_OK;
  RITT_TRY(ritti_rate_at(L, d->work, z, event, &back));
  ritt_real slack = (ritt_real)1e-3 * small;
  if (!(back * away >= -slack && back * away <= small + slack)) return RITT_OK;

  /* the direction is that of the change */
  for (int i = 0; i < p->m; i++) push[i] = i > 0 && p->next[i] < 0 ? z[i] - push[i] : 0;
  *yes = true;
  return ritti_find_push(L, d->work, still, 0);
}

/* Decides for one event whose function is at its zero; *yes: the run is to rest there. */
static ritt_status decide_event(ritti_driver *d, int event, ritt_real along, bool accumulates,
                                bool *yes) {
  const ritti_problem *p = d->problem;
  const ritti_monitor_watch *w = &d->monitors;
  ritti_slide *L;
  ritt_real acceleration, rate = ritti_monitors_rate(d, event, d->step.V[0]);
  RITT_TRY(ritti_make_push(d, event));
  RITT_TRY(ritti_slide_on(d, &event, 1, &L));
  RITT_TRY(ritti_rate_along(L, d->work, d->step.z, d->step.V[0], event, &acceleration));

  /* the acceleration presses against the zero, and would lead through it within the run */
  int side = p->event[event].sense ? -p->event[event].sense : acceleration < 0 ? 1 : -1;
  ritt_real press = -acceleration * (ritt_real)side, level = w->level[event];
  if (!(press * d->length * d->length / 2 > level)) return RITT_OK;

  /* the next bounce would be lower than the tolerance can tell */
  bool low = rate * rate / (2 * press) <= RITTI_UNSEEN * level;
  if (!low && !accumulates) return RITT_OK;
  ritt_real away = (ritt_real)side * along;
  RITT_TRY(find_bounce(d, L, event, away, rate, yes));
  if (!*yes) return RITT_OK;

  /* the rate that is left, which the bounces left out would use up, is taken back along their direction */
  d->monitors.side[event] = side;
  for (int i = 1; i < p->m; i++) d->step.z[i] -= rate * away * d->monitors.push[event][i];
  return RITT_OK;
}

ritt_status ritti_rest_decide(ritti_driver *d, ritt_real along, int accumulating) {
  const ritti_problem *p = d->problem;
  ritti_monitor_watch *w = &d->monitors;
  for (int i = 0; i < p->events; i++) {
    bool yes = false, full = d->slide && d->slide->count == RITTI_MOST_SLIDING;
    if (!ritti_may_rest(d, i) || ritti_slides(d, i) || full) continue;
    RITT_TRY(p->call.monitor(p->data, d->work, d->step.z, d->step.top, w->value));
    RITT_TRY(ritti_monitors_levels(d, d->step.z, d->step.top));
    if (RITTI_MATH(fabs)(w->value[i]) > w->level[i]) continue;
    ritt_status status = decide_event(d, i, along, i == accumulating, &yes);
    if (status == RITT_RETRY || (status == RITT_OK && !yes)) continue;
    RITT_TRY(status);
    if (ritti_run_chatters(d)) return ritti_stop_accumulation(d, i, d->at.s);
    if (p->tangents) return ritti_stop_tangents(d, -1);
    RITT_TRY(ritti_slide_add(d, i));
    d->count.rests++;
    d->count.rest_event = i;
    d->count.rest_s = d->at.s;
  }
  return RITT_OK;
}
