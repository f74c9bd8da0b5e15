/* Events, switching surfaces and validities: the zeros of the monitors and their effects on a run.
 *
 * In: the step just tried. All zeros of all monitors on its interpolant are found (roots.c), in
 * order. Events that only record give their points, taken from the interpolant and projected. The
 * first zero of any other kind ends the step: the step is taken again with just that length, so
 * that its end has the accuracy of the method and not of the interpolant, and a few secants put it
 * at the zero of the function. Then the run ends, jumps (jump.c), changes sides or slides
 * (slide.c).
 */
#include "drive/driver_impl.h"

/* Zeros less than this fraction of a step apart are at the same place. */
static const ritt_real SAME = (ritt_real)1e-9;

enum { MOST_ROOTS = 32, MOST_POINTS = 40, SECANTS = 6 };

ritt_status ritti_monitors_init(ritti_monitor_watch *w, const ritti_problem *p,
                                ritti_arena *arena) {
  int n = p->monitors;
  w->entered = -1;
  if (n == 0) return RITT_OK;
  RITTI_NEW(w->side, arena, n);
  RITTI_NEW(w->was, arena, n);
  RITTI_NEW(w->due, arena, n);
  RITTI_NEW_ARRAYS(arena, n, w->value, w->from, w->to);
  RITTI_NEW(w->level, arena, n);
  RITTI_NEW(w->radius, arena, n);
  RITTI_NEW(w->df, arena, p->call.monitor_df ? p->dmonitor.start[n] + 1 : 1);
  RITTI_NEW(w->theta, arena, MOST_POINTS);
  RITTI_NEW(w->sample, arena, MOST_POINTS * n);
  RITTI_NEW(w->top_size, arena, p->tops + 1);
  RITTI_NEW(w->cosine, arena, 2 * RITTI_COSINES);
  ritti_fill_cosines(w->cosine);
  RITTI_NEW(w->z, arena, p->m);
  RITTI_NEW(w->top, arena, p->tops + 1);
  RITTI_NEW(w->last, arena, p->events + 1);
  RITTI_NEW(w->interval, arena, p->events + 1);
  RITTI_NEW(w->times, arena, p->events + 1);
  RITTI_NEW(w->shrunk, arena, p->events + 1);
  RITTI_NEW(w->push, arena, p->events + 1);
  for (int e = 0; p->call.monitor_df && e < p->dmonitor.start[n]; e++)
    w->needs_tops |= p->dmonitor.col[e] >= p->m;
  w->all_straight = p->straight && p->call.monitor_df;
  for (int i = 0; w->all_straight && i < n; i++) w->all_straight = p->straight[i];
  return RITT_OK;
}

/* ---- values ---- */

/* Notes the sizes of a vector's coordinates times `factor`. */
static void note_sizes(ritti_driver *d, const ritt_real *z, ritt_real factor) {
  for (int j = 1; j < d->problem->m; j++) {
    ritt_real size =
        RITTI_MATH(fabs)(z[j]) * factor * (d->options.relative[j] / d->sizes.absolute[j]);
    if (size > d->monitors.largest) d->monitors.largest = size;
  }
}

static void note_top_sizes(ritti_driver *d, const ritt_real *top) {
  ritt_real *size = d->monitors.top_size;
  for (int j = 0; j < d->problem->tops; j++)
    size[j] = RITTI_MATH(fmax)(size[j], RITTI_MATH(fabs)(top[j]));
}

/* The part of coordinate j that says nothing: its tolerance. If all coordinates are far smaller than
 * the absolute tolerances would have them, it is smaller by that factor. */
static ritt_real unseen_part(const ritti_driver *d, int j, ritt_real z) {
  if (j == 0) return 4 * RITTI_EPS * RITTI_MATH(fmax)(RITTI_MATH(fabs)(z), d->length);
  ritt_real part = d->sizes.absolute[j] * d->monitors.largest;
  return RITTI_MATH(fmin)(ritti_control_scale(d, j, z), part);
}

/* Levels below which the sign of a monitor says nothing: what says nothing of the point, seen
 * through its gradient. */
ritt_status ritti_monitors_levels(ritti_driver *d, const ritt_real *z, const ritt_real *top) {
  const ritti_problem *p = d->problem;
  ritti_monitor_watch *w = &d->monitors;
  if (!p->call.monitor_df) return RITT_OK;
  if (!w->gradients_known) RITT_TRY(p->call.monitor_df(p->data, d->work, z, top, w->df));
  w->gradients_known = w->all_straight;
  for (int i = 0; i < p->monitors; i++) {
    w->level[i] = 0;
    for (int e = p->dmonitor.start[i]; e < p->dmonitor.start[i + 1]; e++) {
      int j = p->dmonitor.col[e];
      ritt_real part =
          j < p->m ? unseen_part(d, j, z[j]) : d->options.relative[0] * w->top_size[j - p->m];
      w->level[i] += RITTI_MATH(fabs)(w->df[e]) * part;
    }
  }

  /* sums of squares are 0 if their terms are below their levels */
  for (int i = p->events; p->cone && i < p->events + p->surfaces; i++) {
    int terms = p->cone[i - p->events];
    w->radius[i] = 0;
    for (int j = 1; j <= terms; j++) w->radius[i] += w->level[i + j] * w->level[i + j];
    if (terms > 0) w->level[i] = RITTI_UNSEEN * w->radius[i];
  }
  return RITT_OK;
}

/* The rate of monitor i along V, from the gradients of the last ritti_monitors_levels; 0 if it
 * depends on highest derivatives. */
ritt_real ritti_monitors_rate(const ritti_driver *d, int i, const ritt_real *V) {
  const ritti_problem *p = d->problem;
  ritt_real rate = 0;
  if (!p->call.monitor_df) return 0;
  for (int e = p->dmonitor.start[i]; e < p->dmonitor.start[i + 1]; e++) {
    if (p->dmonitor.col[e] >= p->m) return 0;
    rate += d->monitors.df[e] * V[p->dmonitor.col[e]];
  }
  return rate;
}

/* All monitors at a fraction of the step just tried. Samples are kept, since all monitors are
 * evaluated at the same fractions. */
static ritt_status sample_monitors(ritti_driver *d, ritt_real theta, const ritt_real **out) {
  const ritti_problem *p = d->problem;
  ritti_monitor_watch *w = &d->monitors;
  for (int i = 0; i < w->samples; i++)
    if (w->theta[i] == theta) {
      *out = w->sample + i * p->monitors;
      return RITT_OK;
    }
  ritt_real s = d->at.s + theta * d->step.h;
  if (w->needs_tops) RITT_TRY(ritti_stepper_dense(&d->step, theta, s, w->z, w->top));
  else RITT_TRY(ritti_stepper_interpolate(&d->step, theta, s, w->z));
  int place = w->samples < MOST_POINTS ? w->samples++ : MOST_POINTS - 1;
  w->theta[place] = theta;
  RITT_TRY(p->call.monitor(p->data, d->work, w->z, w->top, w->sample + place * p->monitors));
  *out = w->sample + place * p->monitors;
  return RITT_OK;
}

typedef struct one_monitor {
  ritti_driver *d;
  int monitor;
} one_monitor;

static ritt_status monitor_along(void *context, ritt_real theta, ritt_real *value) {
  const one_monitor *a = context;
  const ritt_real *all;
  RITT_TRY(sample_monitors(a->d, theta, &all));
  *value = all[a->monitor] - a->d->monitors.radius[a->monitor];
  return RITT_OK;
}

/* ---- their zeros ---- */

static bool has_wanted_sense(const ritti_problem *p, int monitor, int sense) {
  if (monitor >= p->events) return true;
  return p->event[monitor].sense == 0 || p->event[monitor].sense == sense;
}

static bool cuts_step(const ritti_problem *p, int monitor) {
  return monitor >= p->events || p->event[monitor].stop || p->event[monitor].kept;
}

/* A zero up to this far beyond the end of a run is at its end. */
static ritt_real reach_beyond_end(const ritti_driver *d) {
  return d->options.relative[0] * d->length;
}

/* The values of all monitors at both ends of the step just tried. */
static ritt_status evaluate_ends(ritti_driver *d) {
  const ritti_problem *p = d->problem;
  const ritti_stepper *step = &d->step;
  RITT_TRY(p->call.monitor(p->data, d->work, step->z, step->top, d->monitors.from));
  return p->call.monitor(p->data, d->work, step->z_new, step->top_new, d->monitors.to);
}

/* What the ends and the stages of the step just tried show of a monitor that is linear in the coordinates.
 * Values and slopes by theta, times the side on which the monitor was. */
typedef struct outline {
  ritt_real from, to, first, last; /* values and slopes at the ends */
  ritt_real steepest;              /* the largest slope, without its sign */
  int sense;                       /* the sign of all slopes; 0: their signs differ */
} outline;

static outline look_at_stages(const ritti_driver *d, int i) {
  const ritti_monitor_watch *w = &d->monitors;
  const ritti_stepper *step = &d->step;
  ritt_real side = (ritt_real)w->side[i], h = step->h * side;
  ritt_real low = INFINITY, high = -INFINITY, rate = 0;
  outline o = {.from = w->from[i] * side, .to = w->to[i] * side};
  for (int j = 0; j <= step->tableau->stages; j++) {
    const ritt_real *V = step->V[j < step->tableau->stages ? j : step->last];
    rate = h * ritti_monitors_rate(d, i, V);
    if (j == 0) o.first = rate;
    low = RITTI_MATH(fmin)(low, rate), high = RITTI_MATH(fmax)(high, rate);
  }
  o.last = rate;
  o.steepest = RITTI_MATH(fmax)(high, -low);
  o.sense = low > 0 ? 1 : high < 0 ? -1 : 0;
  return o;
}

/* Does the monitor surely stay on its side? The cubic with its values and slopes at both ends lies
 * between its control points. The slopes at the stages show by how much the monitor may differ from it. */
static bool stays_away(const ritti_driver *d, int i, const outline *o) {
  const ritti_stepper *step = &d->step;
  const ritti_tableau *t = step->tableau;
  ritt_real level = d->monitors.level[i], h = step->h * (ritt_real)d->monitors.side[i], off = 0;
  ritt_real ends = RITTI_MATH(fmin)(o->from, o->to);
  if (ends > level + o->steepest) return true;
  ritt_real least =
      RITTI_MATH(fmin)(ends, RITTI_MATH(fmin)(o->from + o->first / 3, o->to - o->last / 3));
  if (!(least > level)) return false;
  for (int j = 1; j < t->stages; j++) {
    ritt_real c = t->c[j], slope = 6 * c * (1 - c) * (o->to - o->from) +
                                   o->first * (1 - c) * (1 - 3 * c) + o->last * c * (3 * c - 2);
    ritt_real rate = h * ritti_monitors_rate(d, i, step->V[j]);
    off = RITTI_MATH(fmax)(off, RITTI_MATH(fabs)(rate - slope));
  }
  return least > level + off;
}

/* Finds the root of a monitor that is linear in the coordinates, if the stages show that it has
 * none or only one. *done = false: they do not show this; interpolation must search for roots. */
static ritt_status find_single_root(ritti_driver *d, int i, const ritti_function *g,
                                    ritti_root *root, int *roots, bool *done) {
  ritti_monitor_watch *w = &d->monitors;
  ritt_real level = w->level[i];
  outline o = look_at_stages(d, i);
  *roots = 0;
  *done = w->side[i] != 0 && stays_away(d, i, &o);
  if (*done || w->side[i] == 0) return RITT_OK;
  *done = o.from > level && o.to < -level && o.sense < 0;
  if (!*done) return RITT_OK;
  w->side[i] = -w->side[i];
  if (!has_wanted_sense(d->problem, i, w->side[i])) return RITT_OK;
  *root = (ritti_root){.sense = w->side[i]};
  *roots = 1;
  return ritti_refine_root(g, 0, w->from[i], 1, w->to[i], &root->theta);
}

/* The zeros of all monitors in the step just tried that matter, up to the first that ends it. */
static ritt_status find_zeros(ritti_driver *d, ritti_zero *zero, int *count) {
  const ritti_problem *p = d->problem;
  ritti_monitor_watch *w = &d->monitors;
  bool by_stages = p->straight && d->step.tableau->family == RITTI_EXPLICIT;
  *count = 0;
  w->samples = 0;
  if (by_stages) RITT_TRY(evaluate_ends(d));
  for (int i = 0; i < p->monitors; i++) {
    ritti_root root[MOST_ROOTS];
    bool ends_here = w->at_end && i < p->events, done = false;
    int roots = 0;
    one_monitor a = {d, i};
    /* a surface that the run hovers at is not crossed again and again by rounding */
    ritti_function g = {.at = monitor_along,
                        .context = &a,
                        .least = i < p->events ? 0 : RITTI_UNSEEN * w->level[i],
                        .resolve = p->call.monitor_df != NULL,
                        .cosine = w->cosine,
                        .flat = i < p->events};
    if (ends_here) g.last = reach_beyond_end(d) / RITTI_MATH(fabs)(d->step.h);
    if (ritti_slides(d, i) || ritti_is_term(p, i)) continue;
    if (i < p->events && p->event[i].hidden && p->event[i].surface >= 0 &&
        ritti_slides(d, p->events + p->event[i].surface))
      continue;
    if (ritti_is_norm(p, i) && ritti_slides(d, i + 1)) continue;
    if (by_stages && p->straight[i] && !ends_here)
      RITT_TRY(find_single_root(d, i, &g, root, &roots, &done));
    if (!done) RITT_TRY(ritti_find_roots(&g, w->level[i], &w->side[i], root, MOST_ROOTS, &roots));
    if (roots == MOST_ROOTS && !cuts_step(p, i)) return RITT_RETRY; /* none is lost */
    for (int r = 0; r < roots; r++) {
      if (!has_wanted_sense(p, i, root[r].sense) || (root[r].sense == 0 && i >= p->events))
        continue;
      if (root[r].through && i < p->events)
        continue; /* both sides of an event are equal nowhere at a pole */
      if (root[r].sense == 0 && p->event[i].hidden) continue; /* a switch that is only touched */
      if (root[r].sense > 0 && ritti_is_norm(p, i)) continue; /* away from 0 */
      if (*count == RITTI_MOST_ZEROS) return RITT_RETRY;
      int at = (*count)++;
      for (; at > 0 && zero[at - 1].theta > root[r].theta; at--) zero[at] = zero[at - 1];
      zero[at] = (ritti_zero){i, root[r].sense, root[r].theta, root[r].through, root[r].last};
    }
  }

  /* the first zero that ends the step is the last one; zeros at the same place that only record come
   * before it */
  int last = 0;
  while (last < *count && !cuts_step(p, zero[last].monitor)) last++;
  for (int i = last + 1; i < *count && zero[i].theta - zero[last].theta <= SAME; i++) {
    if (cuts_step(p, zero[i].monitor)) continue;
    ritti_zero moved = zero[i];
    for (int j = i; j > last; j--) zero[j] = zero[j - 1];
    moved.theta = RITTI_MATH(fmin)(moved.theta, zero[++last].theta);
    zero[last - 1] = moved;
  }
  /* the event of a switch happens before it: its jump belongs to the motion before the switch */
  for (int i = last + 1; i < *count && zero[i].theta - zero[last].theta <= SAME; i++) {
    int event = zero[i].monitor;
    if (event >= p->events || !p->event[event].hidden || p->event[event].surface < 0) continue;
    if (zero[last].monitor == p->events + p->event[event].surface) zero[last] = zero[i];
  }
  if (last < *count) *count = last + 1;
  return RITT_OK;
}

/* Finds the zeros, or restores the sides if a monitor has no value: the step is taken again then.
 * Inner points of implicit steps that are as accurate as the ends cost as much as the step: they are
 * taken only if there is a zero. */
static ritt_status find_zeros_or_not(ritti_driver *d, ritti_zeros *found) {
  ritti_monitor_watch *w = &d->monitors;
  size_t size = (size_t)d->problem->monitors * sizeof *w->side;
  memcpy(w->was, w->side, size);
  d->step.rough = ritti_is_implicit(d->step.tableau);
  ritt_status status = find_zeros(d, found->zero, &found->count);
  bool again = d->step.rough && (status != RITT_OK || found->count > 0);
  d->step.rough = false;
  if (again) {
    memcpy(w->side, w->was, size);
    status = find_zeros(d, found->zero, &found->count);
  }
  if (status != RITT_OK) memcpy(w->side, w->was, size);
  return status;
}

/* The sides at the fraction theta, at which the step is cut: those before the step, except for events
 * that have changed theirs. */
static ritt_status sides_at(ritti_driver *d, ritt_real theta, int except) {
  const ritti_problem *p = d->problem;
  ritti_monitor_watch *w = &d->monitors;
  const ritt_real *all;
  RITT_TRY(sample_monitors(d, theta, &all));
  for (int i = 0; i < p->monitors; i++) {
    bool clear = i < p->events && i != except && RITTI_MATH(fabs)(all[i]) > w->level[i];
    w->side[i] = clear ? all[i] > 0 ? 1 : -1 : w->was[i];
  }
  return RITT_OK;
}

/* Steps to s and evaluates the monitor there. */
static ritt_status step_and_evaluate(ritti_driver *d, int monitor, ritt_real s, ritt_real *value) {
  const ritti_problem *p = d->problem;
  ritti_monitor_watch *w = &d->monitors;
  RITT_TRY(ritti_stepper_take(&d->step, s - d->at.s, s));
  RITT_TRY(p->call.monitor(p->data, d->work, d->step.z_new, d->step.top_new, w->value));
  *value = w->value[monitor] - w->radius[monitor];
  return RITT_OK;
}

/* Is the monitor beyond its zero, or pole, at the end of a step to s? */
static ritt_status step_beyond(ritti_driver *d, const ritti_zero *zero, ritt_real s, bool *yes) {
  ritt_real g = 0;
  ritt_status status = step_and_evaluate(d, zero->monitor, s, &g);
  *yes = status == RITT_OK && g * (ritt_real)zero->sense > 0;
  return status == RITT_RETRY ? RITT_OK : status;
}

/* Steps just beyond the place where a monitor changes sides, by a zero, a pole or a jump: between two
 * neighbouring numbers, as the steps themselves see it. RITT_RETRY: it does not change sides between
 * the fraction theta of the step of length h and its end. */
static ritt_status step_through(ritti_driver *d, const ritti_zero *zero, ritt_real h,
                                ritt_real *s_new) {
  ritt_real sign = h > 0 ? 1 : -1, end = d->at.s + h,
            least =
                4 * RITTI_EPS * RITTI_MATH(fmax)(RITTI_MATH(fabs)(d->at.s), RITTI_MATH(fabs)(h));
  ritt_real s = d->at.s + zero->theta * h, low = d->at.s, high = s, width = least;
  bool beyond = false;
  if ((s - d->at.s) * sign > 0) RITT_TRY(step_beyond(d, zero, high, &beyond));
  for (; !beyond && (end - high) * sign > 0; width *= 2) {
    low = high, high = s + sign * width;
    if ((high - end) * sign > 0) high = end;
    RITT_TRY(step_beyond(d, zero, high, &beyond));
  }
  if (!beyond) return RITT_RETRY;
  while ((high - low) * sign > least) {
    ritt_real middle = low + (high - low) / 2;
    RITT_TRY(step_beyond(d, zero, middle, &beyond));
    if (beyond) high = middle;
    else low = middle;
  }
  *s_new = high;
  return step_beyond(d, zero, high, &beyond);
}

/* Steps to the zero of a monitor near the fraction theta of the step just tried, which ends at
 * *s_new; *s_new becomes its place. No step goes beyond the end of a run, or ends so near before it
 * that only rounding is left. RITT_RETRY: the interpolant has a zero, but the steps have none. */
static ritt_status step_to_zero(ritti_driver *d, const ritti_zero *zero, ritt_real *s_new) {
  ritt_real h = d->step.h, least = 4 * RITTI_EPS *
                                   RITTI_MATH(fmax)(RITTI_MATH(fabs)(d->at.s), RITTI_MATH(fabs)(h));
  const ritt_real end = *s_new;
  ritt_real s = d->at.s + zero->theta * h, before = NAN, s_before = NAN, slope, g;
  /* the slope of the function there, from the interpolant */
  ritt_real near = RITTI_MATH(fmin)((ritt_real)1e-3, zero->theta / 2 + (ritt_real)1e-6);
  one_monitor a = {d, zero->monitor};
  ritt_real low, high;
  RITT_TRY(monitor_along(&a, zero->theta - near < 0 ? 0 : zero->theta - near, &low));
  RITT_TRY(monitor_along(&a, zero->theta - near < 0 ? near : zero->theta, &high));
  slope = (high - low) / (near * h);
  for (int i = 0; i < SECANTS; i++) {
    bool s_is_least = !((s - d->at.s) * (h > 0 ? 1 : -1) > least);
    if (s_is_least) s = d->at.s + (h > 0 ? least : -least);
    bool s_is_last = d->monitors.at_end && !((end - s) * (h > 0 ? 1 : -1) > least);
    if (s_is_last) s = end;
    RITT_TRY(step_and_evaluate(d, zero->monitor, s, &g));
    *s_new = s;
    if (zero->sense == 0) return RITT_OK;
    if (i > 0 && g != before) slope = (g - before) / (s - s_before);
    ritt_real correction = slope != 0 ? -g / slope : 0;
    bool at_start = s_is_least && correction * h <= 0; /* the zero is where the step begins */
    bool at_end =
        s_is_last && correction * h >= 0 && RITTI_MATH(fabs)(correction) <= reach_beyond_end(d);
    if (at_start || at_end || !(RITTI_MATH(fabs)(correction) > least)) return RITT_OK;
    if (RITTI_MATH(fabs)(correction) > RITTI_MATH(fabs)(h) / 4) break;
    before = g, s_before = s;
    s += correction;
  }

  /* secants have not found a zero; what the tolerance does not see is one */
  if (RITTI_MATH(fabs)(g) <= RITTI_UNSEEN * d->monitors.level[zero->monitor]) return RITT_OK;
  return step_through(d, zero, h, s_new);
}

ritt_status ritti_events_find(ritti_driver *d, ritt_real *s_new, ritti_zeros *found) {
  found->count = 0;
  found->cut = -1;
  if (d->problem->monitors == 0) return RITT_OK;
  d->monitors.longest = RITTI_MATH(fmax)(d->monitors.longest, RITTI_MATH(fabs)(d->step.h));
  note_sizes(d, d->step.z_new, 1);
  if (d->monitors.needs_tops) note_top_sizes(d, d->step.top_new);
  RITT_TRY(ritti_monitors_levels(d, d->step.z, d->step.top));
  RITT_TRY(find_zeros_or_not(d, found));
  if (found->count == 0 || !cuts_step(d->problem, found->zero[found->count - 1].monitor))
    return RITT_OK;
  const ritti_zero *last = &found->zero[found->count - 1];
  found->cut = last->monitor;
  if (last->monitor >= d->problem->events + d->problem->surfaces) return RITT_OK;
  bool touches = last->sense == 0 && last->monitor < d->problem->events;
  if (d->problem->tangents && touches && d->problem->event[last->monitor].kept)
    return ritti_stop_touch(d, last->monitor, d->at.s + last->theta * d->step.h);
  d->monitors.through = last->through;
  if (last->last) return RITT_OK; /* the step ends there as it is */
  ritt_status status = sides_at(d, last->theta, last->monitor);
  if (status == RITT_OK)
    status = last->through ? step_through(d, last, d->step.h, s_new) : step_to_zero(d, last, s_new);
  if (status == RITT_RETRY)
    memcpy(d->monitors.side, d->monitors.was,
           (size_t)d->problem->monitors * sizeof *d->monitors.side);

  /* what is recorded at this place is not found again behind it */
  for (int i = 0; status == RITT_OK && i + 1 < found->count; i++) {
    int event = found->zero[i].monitor;
    if (last->theta - found->zero[i].theta <= SAME)
      d->monitors.side[event] = d->problem->event[event].sense;
  }
  return status;
}

/* ---- points ---- */

static ritt_status report_event(ritti_driver *d, int event, ritt_real s, const ritt_real *z,
                                const ritt_real *top, const ritt_real *after) {
  d->monitors.times[event]++;
  d->count.events++;
  if (!d->options.by_arc) s = z[0]; /* also during a passage by arc length */
  return d->call.event ? d->call.event(d->call.event_user, event, s, z, top, after) : RITT_OK;
}

/* The points that events of the step just taken record; if the step was cut their places are the
 * same. */
ritt_status ritti_events_record(ritti_driver *d, const ritti_zeros *found, ritt_real h_tried) {
  for (int i = 0; i < found->count; i++) {
    const ritti_zero *zero = &found->zero[i];
    if (cuts_step(d->problem, zero->monitor)) continue;
    ritt_real s = d->at.s + zero->theta * h_tried;
    RITT_TRY(ritti_stepper_dense(&d->step, (s - d->at.s) / d->step.h, s, d->row_z, d->row_top));
    ritti_note_residual(d, d->row_z);
    RITT_TRY(report_event(d, zero->monitor, s, d->row_z, d->row_top, NULL));
  }
  return RITT_OK;
}

/* ---- their effects ---- */

/* The sides to which monitors go from the driver's point, at which their rates vanish: the first
 * derivative that does not vanish shows itself in short steps. Monitors with side 0 get their sides. */
static ritt_status find_leaving_sides(ritti_driver *d, ritt_real along) {
  enum { MOST_STEPS = 12 };
  const ritti_problem *p = d->problem;
  ritti_monitor_watch *w = &d->monitors;
  ritt_real first, longest, h;
  RITT_TRY(ritti_control_first_step(d, along * d->length, &first));
  longest = RITTI_MATH(fmin)(100 * RITTI_MATH(fabs)(first), d->length);
  h = RITTI_MATH(fmin)(RITTI_MATH(fabs)(first), (ritt_real)1e-6 * d->length);
  for (int k = 0; k < MOST_STEPS && h <= longest; k++, h *= 4) {
    ritt_real s = d->at.s + along * h;
    if (s == d->at.s) continue;
    ritt_status status = ritti_stepper_take(&d->step, s - d->at.s, s);
    if (status == RITT_OK)
      status = p->call.monitor(p->data, d->work, d->step.z_new, d->step.top_new, w->value);
    if (status == RITT_RETRY) return RITT_OK;
    RITT_TRY(status);
    bool all = true;
    for (int i = 0; i < p->monitors; i++) {
      bool clear = RITTI_MATH(fabs)(w->value[i]) > RITTI_UNSEEN * w->level[i];
      if (w->side[i] == 0 && clear) w->side[i] = w->value[i] > 0 ? 1 : -1;
      all &= w->side[i] != 0;
    }
    if (all) break;
  }
  return RITT_OK;
}

/* The sides at a point just reached by a start, or by the jump of an event: where a function
 * vanishes at the start, or that of the event itself, it is the side that the run goes to; the
 * others keep theirs. */
static ritt_status settle_sides(ritti_driver *d, ritt_real along, int fired) {
  const ritti_problem *p = d->problem;
  ritti_monitor_watch *w = &d->monitors;
  bool open = false;
  if (p->monitors == 0) return RITT_OK;
  RITT_TRY(p->call.monitor(p->data, d->work, d->step.z, d->step.top, w->value));
  RITT_TRY(ritti_monitors_levels(d, d->step.z, d->step.top));
  for (int i = 0; i < p->monitors; i++) {
    if (i >= p->events && i < p->events + p->surfaces) continue;
    ritt_real g = w->value[i];
    if (!(RITTI_MATH(fabs)(g) > w->level[i])) {
      if (fired >= 0 && fired != i) continue;
      g = ritti_monitors_rate(d, i, d->step.V[0]) * along;
      if (!(RITTI_MATH(fabs)(g) * d->length > w->level[i])) {
        g = 0;
        open = true;
      }
    }
    w->side[i] = g > 0 ? 1 : g < 0 ? -1 : 0;
  }
  if (!open || fired >= 0) return RITT_OK;
  RITT_TRY(find_leaving_sides(d, along));
  return p->call.monitor(p->data, d->work, d->step.z, d->step.top, w->value);
}

/* Does the event occur at ever shorter intervals? Then its times have a limit, which follows from the
 * last two intervals; else *limit is the present place. */
static bool event_accumulates(ritti_driver *d, int event, ritt_real *limit) {
  ritti_monitor_watch *w = &d->monitors;
  ritt_real interval = RITTI_MATH(fabs)(d->at.s - w->last[event]), before = w->interval[event],
            ratio = interval / before;
  long times = w->times[event];
  w->last[event] = d->at.s, w->interval[event] = times > 1 ? interval : 0;
  *limit = d->at.s;
  if (times < 3 || !(ratio < 1)) {
    w->shrunk[event] = 0;
    return false;
  }
  ritt_real left = interval * ratio / (1 - ratio),
            size = RITTI_MATH(fmax)(RITTI_MATH(fabs)(d->at.s), d->length);
  *limit = d->at.s + (d->step.h < 0 ? -left : left);
  return ++w->shrunk[event] > 5 && left < (ritt_real)1e-7 * size;
}

static ritt_status do_jump(ritti_driver *d, int event) {
  const ritti_problem *p = d->problem;
  ritti_monitor_watch *w = &d->monitors;
  ritt_real along = d->step.h < 0 ? -1 : 1, limit;
  memcpy(w->z, d->step.z, (size_t)p->m * sizeof *w->z);
  memcpy(w->top, d->step.top, (size_t)p->tops * sizeof *w->top);
  RITT_TRY(ritti_jump(d, event, d->row_z));
  if (ritti_changes_form(d, d->row_z) && !p->event[event].stop) {
    d->renewed_by = event;
    d->need = RITTI_NEED_COMPLETION;
    return RITT_STOPPED;
  }
  ritt_status status = report_event(d, event, d->at.s, w->z, w->top, d->row_z);
  if (status != RITT_OK) return status;
  d->at.jumped = true;
  bool again = event_accumulates(d, event, &limit);
  RITT_TRY(ritti_place_again(d, d->row_z));
  RITT_TRY(ritti_sides_settle(d, along));
  RITT_TRY(settle_sides(d, along, event));
  RITT_TRY(ritti_rest_decide(d, along, again ? event : -1));
  if (ritti_slides(d, event)) d->count.rest_s = limit;
  else if (again) return ritti_stop_accumulation(d, event, limit);
  return RITT_OK;
}

/* An event whose function is at its zero, and which a jump of another event has set moving in its
 * sense; -1: none. */
static ritt_status find_due_event(ritti_driver *d, ritt_real along, int *due) {
  const ritti_problem *p = d->problem;
  ritti_monitor_watch *w = &d->monitors;
  *due = -1;
  RITT_TRY(p->call.monitor(p->data, d->work, d->step.z, d->step.top, w->value));
  RITT_TRY(ritti_monitors_levels(d, d->step.z, d->step.top));
  for (int i = 0; i < p->events && *due < 0; i++) {
    int sense = p->event[i].sense;
    ritt_real rate = ritti_monitors_rate(d, i, d->step.V[0]) * along * (ritt_real)sense;
    if (sense == 0 || w->side[i] == sense || RITTI_MATH(fabs)(w->value[i]) > w->level[i]) continue;
    if (rate * d->length > w->level[i]) *due = i;
  }
  return RITT_OK;
}

static ritt_status act_once(ritti_driver *d, int event) {
  const ritti_event *def = &d->problem->event[event];
  if (!def->kept) RITT_TRY(report_event(d, event, d->at.s, d->step.z, d->step.top, NULL));
  if (def->kept) RITT_TRY(ritti_crossing_drop(d));
  if (def->kept) RITT_TRY(do_jump(d, event));
  if (def->stop) d->ended_by = event;
  return RITT_OK;
}

ritt_status ritti_event_act(ritti_driver *d, int monitor) {
  enum { MOST_ROUNDS = 100 };
  const ritti_problem *p = d->problem;
  if (monitor >= p->events) return ritti_surface_met(d, monitor - p->events);
  ritt_real along = d->step.h < 0 ? -1 : 1;
  RITT_TRY(act_once(d, monitor));
  if (!p->event[monitor].kept) d->monitors.side[monitor] = 0;

  /* a jump may set off others at the same place */
  int due = monitor;
  for (int round = 0; p->event[monitor].kept && d->ended_by < 0; round++) {
    RITT_TRY(find_due_event(d, along, &due));
    if (due < 0) break;
    if (round == MOST_ROUNDS * p->events) return ritti_stop_accumulation(d, due, d->at.s);
    d->monitors.side[due] = p->event[due].sense;
    RITT_TRY(act_once(d, due));
  }
  return RITT_OK;
}

/* Events whose functions have another sign at the driver's point than before, clearly, happen there. */
static ritt_status act_on_new_signs(ritti_driver *d) {
  const ritti_problem *p = d->problem;
  ritti_monitor_watch *w = &d->monitors;
  RITT_TRY(p->call.monitor(p->data, d->work, d->step.z, d->step.top, w->value));
  RITT_TRY(ritti_monitors_levels(d, d->step.z, d->step.top));
  for (int i = 0; i < p->events; i++) {
    int side = w->value[i] > 0 ? 1 : -1, before = w->side[i];
    w->due[i] = false;
    if (!(RITTI_MATH(fabs)(w->value[i]) > w->level[i])) continue;
    w->side[i] = side;
    w->due[i] = before == -side && has_wanted_sense(p, i, side);
  }
  for (int i = 0; i < p->events && d->ended_by < 0; i++) {
    if (!w->due[i]) continue;
    int side = w->side[i];
    RITT_TRY(ritti_event_act(d, i));
    if (!p->event[i].kept) w->side[i] = side;
  }
  return RITT_OK;
}

ritt_status ritti_events_after_jump(ritti_driver *d) {
  if (d->problem->monitors == 0) return RITT_OK;
  RITT_TRY(ritti_sides_settle(d, d->plan.end < d->plan.from ? -1 : 1));
  return act_on_new_signs(d);
}

ritt_status ritti_driver_take_inputs(ritti_driver *d, ritt_error *error) {
  d->error = error;
  RITT_TRY(ritti_stop(d, ritti_input_point(d, d->row_z)));
  RITT_TRY(ritti_stop(d, ritti_place_again(d, d->row_z)));
  if (d->at.fresh || d->problem->monitors == 0) return RITT_OK; /* the first step begins events */
  RITT_TRY(ritti_stop(d, ritti_sides_settle(d, d->step.h < 0 ? -1 : 1)));
  return ritti_stop(d, act_on_new_signs(d));
}

/* Events whose functions vanish at the start, and change there in the sense of the event, happen at
 * the start. */
ritt_status ritti_events_begin(ritti_driver *d, ritt_real along) {
  const ritti_problem *p = d->problem;
  ritti_monitor_watch *w = &d->monitors;
  int fired = d->at.fired;
  d->at.fired = -1;
  if (p->monitors == 0) return RITT_OK;
  note_sizes(d, d->step.z, 1);
  note_top_sizes(d, d->step.top);
  note_sizes(d, d->step.V[0], d->length); /* the sizes to come, as far as the start shows them */
  RITT_TRY(ritti_sides_settle(d, along));
  RITT_TRY(settle_sides(d, along, -1));
  for (int i = 0; i < p->events; i++) {
    bool zero = !(RITTI_MATH(fabs)(w->value[i]) > w->level[i]);
    int sense = p->event[i].sense;
    bool crosses = fired >= 0 && w->was[i] == -w->side[i]; /* at the same place as the jump */
    w->due[i] = zero && w->side[i] && (sense ? w->side[i] == sense : crosses);
    /* after a jump: not again, and not those that were on this side before */
    if (fired >= 0 && (i == fired || w->was[i] == w->side[i])) w->due[i] = false;
    if (fired == p->events && w->was[i] == 0) w->due[i] = false; /* it has happened */
    if (fired >= 0 && w->due[i]) w->side[i] = w->was[i];         /* until it has happened */
    else if (zero && sense == 0) w->side[i] = 0; /* leaving the zero is not a touching zero */
  }
  for (int i = 0; i < p->events && d->ended_by < 0; i++)
    /* one that another jump has set off has another side now */
    if (w->due[i] && (fired < 0 || w->side[i] == w->was[i])) RITT_TRY(ritti_event_act(d, i));
  return d->ended_by < 0 ? ritti_rest_decide(d, along, -1) : RITT_OK;
}
