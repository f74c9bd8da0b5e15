/* Switching surfaces: crossing them, and sliding on them.
 *
 * When the run reaches the surface u_i = 0 the rates of u_i on both sides decide: if the rate on the
 * far side leads on, the run crosses; if both sides lead back to the surface, it slides on it (A.
 * F. Filippov, Differential Equations with Discontinuous Righthand Sides, 1988). While it slides
 * u_i = 0 is a row of f, and V is the combination V_0 + sum_j w_j (V_j - V_0) that keeps all
 * surfaces slid on, V_0 with all their sides -1, V_j with the side of the j-th alone 1. For one
 * surface that is the convex combination of both sides. When a weight leaves [0, 1] the run leaves
 * that surface.
 */
#include "drive/driver_impl.h"

enum { MOST_SLIDING = 8 };

struct ritti_slide {
  ritti_slide *next;
  ritti_problem problem; /* explicit: f with the surfaces, tops by combination */
  const ritti_problem *base;
  ritti_direction *inner; /* of the base */
  ritti_manifold manifold;
  ritti_direction direction;
  int count, surface[MOST_SLIDING];
  ritt_real weight[MOST_SLIDING];
  ritt_real *corner; /* (count + 1) x m: V */
  ritt_real *top;    /* (count + 1) x tops */
  ritt_real *monitor, *dmonitor, *zero_top;
  ritt_real matrix[MOST_SLIDING * MOST_SLIDING];
  int pivot[MOST_SLIDING];
};

bool ritti_slides(const ritti_driver *d, int surface) {
  for (int i = 0; d->slide && i < d->slide->count; i++)
    if (d->slide->surface[i] == surface) return true;
  return false;
}

static void set_side(ritti_driver *d, int surface, int side) {
  d->work[d->problem->side_at + (size_t)surface] = (ritt_real)side;
  d->monitors.side[d->problem->events + surface] = side;
}

/* ---- the problem while sliding ---- */

static ritt_status slide_f(const void *data, ritt_real *work, const ritt_real *z, ritt_real *f) {
  const ritti_slide *L = data;
  const ritti_problem *p = L->base;
  if (p->k) RITT_TRY(p->call.f(p->data, work, z, f));
  RITT_TRY(p->call.monitor(p->data, work, z, L->zero_top, L->monitor));
  for (int i = 0; i < L->count; i++) f[p->k + i] = L->monitor[p->events + L->surface[i]];
  return RITT_OK;
}

static ritt_status slide_f_df(const void *data, ritt_real *work, const ritt_real *z, ritt_real *f,
                              ritt_real *df) {
  const ritti_slide *L = data;
  const ritti_problem *p = L->base;
  int at = p->k ? p->df.start[p->k] : 0;
  if (p->k) RITT_TRY(p->call.f_df(p->data, work, z, f, df));
  RITT_TRY(p->call.monitor(p->data, work, z, L->zero_top, L->monitor));
  RITT_TRY(p->call.monitor_df(p->data, work, z, L->zero_top, L->dmonitor));
  for (int i = 0; i < L->count; i++) {
    int row = p->events + L->surface[i];
    f[p->k + i] = L->monitor[row];
    for (int e = p->dmonitor.start[row]; e < p->dmonitor.start[row + 1]; e++)
      df[at++] = L->dmonitor[e];
  }
  return RITT_OK;
}

/* rate of the surface i along V */
static ritt_real monitor_rate(const ritti_slide *L, int i, const ritt_real *V) {
  const ritti_pattern *d = &L->base->dmonitor;
  int row = L->base->events + L->surface[i];
  ritt_real sum = 0;
  for (int e = d->start[row]; e < d->start[row + 1]; e++) sum += L->dmonitor[e] * V[d->col[e]];
  return sum;
}

/* V_0 and the V_j */
static ritt_status evaluate_corners(ritti_slide *L, ritt_real *work, const ritt_real *z) {
  const ritti_problem *p = L->base;
  for (int c = 0; c <= L->count; c++) {
    for (int i = 0; i < L->count; i++)
      work[p->side_at + (size_t)L->surface[i]] = i + 1 == c ? 1 : -1;
    RITT_TRY(ritti_direction_at(L->inner, z, L->corner + c * p->m));
    memcpy(L->top + c * p->tops, L->inner->top, (size_t)p->tops * sizeof *L->top);
  }
  return RITT_OK;
}

static ritt_status slide_formula(const void *data, ritt_real *work, const ritt_real *z,
                                 ritt_real *top) {
  ritti_slide *L =
      (ritti_slide *)(uintptr_t)data; /* its weights and corners are this driver's own */
  const ritti_problem *p = L->base;
  int n = L->count;
  RITT_TRY(evaluate_corners(L, work, z));
  RITT_TRY(p->call.monitor_df(p->data, work, z, L->zero_top, L->dmonitor));
  for (int i = 0; i < n; i++) {
    ritt_real base = monitor_rate(L, i, L->corner);
    L->weight[i] = -base;
    for (int j = 0; j < n; j++)
      L->matrix[i * n + j] = monitor_rate(L, i, L->corner + (j + 1) * p->m) - base;
  }
  if (n == 1 && L->matrix[0] == 0) {
    /* V is the same on both sides: it stays there, or leads to one of them */
    L->weight[0] = L->weight[0] == 0 ? (ritt_real)0.5 : L->weight[0] < 0 ? 2 : -1;
  } else {
    if (!ritti_lu_factor(n, L->matrix, L->pivot, NULL)) return RITT_RETRY;
    ritti_lu_solve(n, L->matrix, L->pivot, L->weight);
  }
  for (int t = 0; t < p->tops; t++) {
    top[t] = L->top[t];
    for (int j = 0; j < n; j++)
      top[t] += L->weight[j] * (L->top[(j + 1) * p->tops + t] - L->top[t]);
  }
  /* the side that outputs see: a friction force between its limits */
  for (int i = 0; i < n; i++) work[p->side_at + (size_t)L->surface[i]] = 2 * L->weight[i] - 1;
  return RITT_OK;
}

/* Rows of df: the rows of the base, then the gradients of the surfaces. */
static ritt_status slide_pattern(ritti_slide *L, ritti_arena *arena) {
  const ritti_problem *p = L->base;
  int *start, *col, at = p->k ? p->df.start[p->k] : 0, more = 0;
  for (int i = 0; i < L->count; i++) {
    int row = p->events + L->surface[i];
    more += p->dmonitor.start[row + 1] - p->dmonitor.start[row];
  }
  RITTI_NEW(start, arena, p->k + L->count + 1);
  RITTI_NEW(col, arena, at + more + 1);
  for (int i = 0; i <= p->k; i++) start[i] = p->k ? p->df.start[i] : 0;
  if (at) memcpy(col, p->df.col, (size_t)at * sizeof *col);
  for (int i = 0; i < L->count; i++) {
    int row = p->events + L->surface[i];
    for (int e = p->dmonitor.start[row]; e < p->dmonitor.start[row + 1]; e++)
      col[at++] = p->dmonitor.col[e];
    start[p->k + i + 1] = at;
  }
  L->problem.df = (ritti_pattern){p->k + L->count, p->m, start, col};
  return RITT_OK;
}

static ritt_status slide_new(ritti_driver *d, const int *surface, int count, ritti_slide **out) {
  const ritti_problem *p = d->problem;
  ritti_arena *arena = d->arena;
  ritti_slide *L;
  RITTI_NEW(L, arena, 1);
  L->base = p, L->inner = &d->direction, L->count = count;
  memcpy(L->surface, surface, (size_t)count * sizeof *surface);
  L->problem = ritti_problem_on(p, L);
  L->problem.kind = RITT_EXPLICIT;
  L->problem.k = p->k + count;
  L->problem.call.f = slide_f, L->problem.call.f_df = slide_f_df,
  L->problem.call.formula = slide_formula;
  RITTI_NEW(L->corner, arena, (count + 1) * p->m);
  RITTI_NEW(L->top, arena, (count + 1) * p->tops + 1);
  RITTI_NEW(L->monitor, arena, p->monitors);
  RITTI_NEW(L->dmonitor, arena, p->dmonitor.start[p->monitors] + 1);
  RITTI_NEW(L->zero_top, arena, p->tops + 1);
  RITT_TRY(slide_pattern(L, arena));
  RITT_TRY(ritti_manifold_init_with(&L->manifold, &L->problem, d->work, d->options.linear, arena));
  RITT_TRY(
      ritti_direction_init_with(&L->direction, &L->problem, d->work, d->options.linear, arena));
  memcpy(L->manifold.size, d->manifold.size, (size_t)p->m * sizeof *L->manifold.size);
  L->next = d->slides;
  *out = d->slides = L;
  return RITT_OK;
}

ritt_status ritti_slide_prepare(ritti_driver *d) {
  int all[MOST_SLIDING],
      count = d->problem->surfaces < MOST_SLIDING ? d->problem->surfaces : MOST_SLIDING;
  ritti_slide *made;
  for (int i = 0; i < count; i++) all[i] = i;
  if (count == 0) return RITT_OK;
  RITT_TRY(slide_new(d, all, count, &made));
  return ritti_stepper_prepare(&d->step, &made->problem, false);
}

/* The problem that slides on these surfaces; each is made once. */
static ritt_status slide_on(ritti_driver *d, const int *surface, int count, ritti_slide **out) {
  for (ritti_slide *L = d->slides; L; L = L->next) {
    *out = L;
    if (L->count == count && !memcmp(L->surface, surface, (size_t)count * sizeof *surface))
      return RITT_OK;
  }
  return slide_new(d, surface, count, out);
}

/* Goes on with the surfaces given; none: on the problem itself. */
static ritt_status go_on(ritti_driver *d, const int *surface, int count) {
  d->slide = NULL;
  if (count) RITT_TRY(slide_on(d, surface, count, &d->slide));
  d->step.manifold = count ? &d->slide->manifold : &d->manifold;
  d->step.direction = count ? &d->slide->direction : &d->direction;
  ritti_stepper_slide(&d->step, count > 0);
  if (count)
    memcpy(d->slide->manifold.inverse_weights, d->manifold.inverse_weights,
           (size_t)d->problem->m * sizeof(ritt_real));
  memcpy(d->row_z, d->step.z, (size_t)d->problem->m * sizeof *d->row_z);
  if (count) RITT_TRY(ritti_manifold_project(d->step.manifold, d->row_z, d->row_z));
  return ritti_place_again(d, d->row_z);
}

/* ---- deciding ---- */

/* The rate of surface i on the given side, at the driver's point, along the run. */
static ritt_status rate_on(ritti_driver *d, int surface, int side, ritt_real along,
                           ritt_real *out) {
  set_side(d, surface, side);
  RITT_TRY(ritti_direction_at(d->step.direction, d->step.z, d->err));
  *out = ritti_monitors_rate(d, d->problem->events + surface, d->err) * along;
  return RITT_OK;
}

static bool holds_tops(const ritti_problem *p, int surface) {
  int row = p->events + surface;
  for (int e = p->dmonitor.start[row]; e < p->dmonitor.start[row + 1]; e++)
    if (p->dmonitor.col[e] >= p->m) return true;
  return false;
}

static ritt_status start_sliding(ritti_driver *d, int surface) {
  int all[MOST_SLIDING], count = 0;
  if (d->slide) memcpy(all, d->slide->surface, (size_t)(count = d->slide->count) * sizeof *all);
  if (count == MOST_SLIDING || d->options.by_arc) return ritti_stop_kink(d, surface, d->at.s);
  if (d->problem->tangents) return ritti_stop_tangents(d, -1);
  /* ascending, so that equal sets share a problem */
  int at = count++;
  for (; at > 0 && all[at - 1] > surface; at--) all[at] = all[at - 1];
  all[at] = surface;
  ritt_status status = go_on(d, all, count);
  d->count.slidings++;
  return status;
}

static ritt_status decide_sliding(ritti_driver *d, int surface, int from, ritt_real along);

/* Behind this surface the sides of the surfaces slid on do not differ, so that sliding ends: crosses
 * it, and decides again for each of them. */
static ritt_status cross_and_decide(ritti_driver *d, int surface, int from, ritt_real along) {
  int was[MOST_SLIDING], count = d->slide->count;
  ritt_real after = 0;
  memcpy(was, d->slide->surface, (size_t)count * sizeof *was);
  set_side(d, surface, -from);
  for (int i = 0; i < count; i++) set_side(d, was[i], 1);
  RITT_TRY(go_on(d, NULL, 0));
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
    if (!known || i == except || ritti_slides(d, i)) continue;
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
  if (!holds_tops(d->problem, surface)) {
    if (plus < 0 && minus > 0 && minus - plus > unseen) return start_sliding(d, surface);
    if (from == 0 && plus < 0) side = -1;
    if (from == 0 && plus == 0 && minus < 0) side = -1;
    if (from < 0 && plus < -unseen) side = -1; /* touched, and turned back */
    if (from > 0 && minus > unseen) side = 1;
  }
  set_side(d, surface, side);
  /* if other functions jump with it their sides follow; those at their zeros wait until they are met */
  RITT_TRY(place_on_sides(d, 1, surface));
  return holds_tops(d->problem, surface) ? check_side(d, surface, side) : RITT_OK;
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

/* Does the run meet surfaces again and again without progress? Progress is measured by the longest
 * step and by the rounding of s, so that neither the length of the run nor the unit of s matters. */
static bool run_chatters(ritti_driver *d) {
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
  if (run_chatters(d)) return ritti_stop_chatter(d, surface);
  return d->monitors.through ? cross_pole(d, surface, from, along)
                             : decide_sliding(d, surface, from, along);
}

/* Before anything is known at a start: the other side of a function may have no value there. */
ritt_status ritti_sides_first(ritti_driver *d) {
  if (d->problem->surfaces == 0 || !d->problem->call.monitor) return RITT_OK;
  ritt_status status = agree_on_sides(d, 0, -1);
  return status == RITT_RETRY ? RITT_OK : status;
}

/* The sides at a point just reached by a start or a jump. */
ritt_status ritti_sides_settle(ritti_driver *d, ritt_real along) {
  const ritti_problem *p = d->problem;
  ritti_monitor_watch *w = &d->monitors;
  if (p->surfaces == 0) return RITT_OK;
  if (d->slide && go_on(d, NULL, 0) != RITT_OK) return ritti_stop_trouble(d);
  ritt_status status = ritti_monitors_levels(d, d->step.z, d->step.top);
  if (status == RITT_OK) status = place_on_sides(d, 0, -1);
  RITT_TRY(status);
  for (int i = 0; i < p->surfaces; i++) {
    status = p->call.monitor(p->data, d->work, d->step.z, d->step.top, w->value);
    RITT_TRY(status);
    if (RITTI_MATH(fabs)(w->value[p->events + i]) <= RITTI_UNSEEN * w->level[p->events + i])
      RITT_TRY(decide_sliding(d, i, 0, along));
  }
  return RITT_OK;
}

/* ---- leaving ---- */

/* The weight that has left [0, 1] in the last direction taken; -1: none. */
static int find_leaving_weight(const ritti_slide *L) {
  const ritt_real slack = 64 * RITTI_EPS;
  for (int i = 0; i < L->count; i++)
    if (!(L->weight[i] >= -slack && L->weight[i] <= 1 + slack)) return i;
  return -1;
}

/* The weights at the end of the step just tried. */
bool ritti_slide_leaves(ritti_driver *d) { return d->slide && find_leaving_weight(d->slide) >= 0; }

ritt_real ritti_slide_margin(const ritti_driver *d, int surface) {
  const ritti_slide *L = d->slide;
  int i = 0;
  while (L->surface[i] != surface) i++;
  return RITTI_MATH(fmin)(L->weight[i], 1 - L->weight[i]) + 64 * RITTI_EPS;
}

/* Cuts the step just tried at *s_new, where a weight leaves [0, 1]. */
ritt_status ritti_slide_cut(ritti_driver *d, ritt_real *s_new) {
  ritt_real low = 0, high = 1, h = d->step.h;
  for (int i = 0; i < 50; i++) {
    ritt_real middle = (low + high) / 2;
    RITT_TRY(ritti_stepper_dense(&d->step, middle, d->at.s + middle * h, d->row_z, d->row_top));
    if (find_leaving_weight(d->slide) < 0) low = middle;
    else high = middle;
  }
  *s_new = d->at.s + high * h;
  return ritti_stepper_take(&d->step, *s_new - d->at.s, *s_new);
}

/* Leaves the surface whose weight is (nearly) out of [0, 1], at the driver's point. */
ritt_status ritti_slide_leave(ritti_driver *d) {
  ritti_slide *L = d->slide;
  int rest[MOST_SLIDING], count = 0, leaving = 0;
  ritt_real worst = -INFINITY;
  RITT_TRY(ritti_direction_at(&L->direction, d->step.z, d->err));
  for (int i = 0; i < L->count; i++) {
    ritt_real beyond = RITTI_MATH(fmax)(-L->weight[i], L->weight[i] - 1);
    if (beyond > worst) worst = beyond, leaving = i;
  }
  int surface = L->surface[leaving], side = L->weight[leaving] > (ritt_real)0.5 ? 1 : -1;
  for (int i = 0; i < L->count; i++)
    if (i != leaving) rest[count++] = L->surface[i];
  set_side(d, surface, side);
  return go_on(d, rest, count);
}

/* ---- state ---- */

/* The surfaces it slides on; their problem is made if it does not exist yet. */
ritt_status ritti_slide_state(ritti_driver *d, ritti_state *state, const ritti_problem **on) {
  const ritti_problem *p = d->problem;
  int most = p->surfaces < MOST_SLIDING ? p->surfaces : MOST_SLIDING;
  int count = d->slide ? d->slide->count : 0, surface[MOST_SLIDING] = {0};
  ritt_real weight[MOST_SLIDING] = {0};
  ritti_state_mode mode = state->mode;
  *on = p;
  if (p->surfaces == 0) return RITT_OK;
  if (mode == RITTI_STATE_CHECK)
    state->mode = RITTI_STATE_LOAD; /* nothing but these arrays is changed */
  for (int i = 0; i < count; i++)
    surface[i] = d->slide->surface[i], weight[i] = d->slide->weight[i];
  ritti_state_ints(state, "slide.count", &count, 1, 0, most);
  ritti_state_ints(state, "slide.surface", surface, MOST_SLIDING, 0, p->surfaces - 1);
  ritti_state_reals(state, "slide.weight", weight, MOST_SLIDING);
  state->mode = mode;
  for (int i = 0; i < count; i++)
    if (holds_tops(p, surface[i])) state->misfit = "slide.surface";
  if (state->misfit) return RITT_OK;
  ritti_slide *slide = NULL;
  if (count) RITT_TRY(slide_on(d, surface, count, &slide));
  if (count) *on = &slide->problem;
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
