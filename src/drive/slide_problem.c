/* The problem on which a run slides on switching surfaces or rests at the zeros of events (slide.c says
 * what that is).
 *
 * In: the members, monitors whose functions stay 0. Out: an explicit problem in the same coordinates,
 * whose rows are those of the base and the functions of the members, and whose tops are combinations
 * of the tops on the sides of the surfaces and of the directions of the jumps of events.
 */
#include "drive/slide_impl.h"

/* ---- the problem while sliding ---- */

bool ritti_member_is_event(const ritti_slide *L, int i) { return L->member[i] < L->base->events; }

/* The derivative of the function of a monitor along V, from the gradients in L->dmonitor. */
static ritt_real monitor_rate(const ritti_slide *L, int monitor, const ritt_real *V) {
  const ritti_pattern *d = &L->base->dmonitor;
  ritt_real sum = 0;
  for (int e = d->start[monitor]; e < d->start[monitor + 1]; e++)
    sum += L->dmonitor[e] * V[d->col[e]];
  return sum;
}

/* The rate of a monitor along V at z, on the sides that `work` has. */
ritt_status ritti_rate_at(ritti_slide *L, ritt_real *work, const ritt_real *z, int monitor,
                          ritt_real *rate) {
  const ritti_problem *p = L->base;
  RITT_TRY(ritti_direction_at(L->inner, z, L->rate));
  RITT_TRY(p->call.monitor_df(p->data, work, z, L->zero_top, L->dmonitor));
  *rate = monitor_rate(L, monitor, L->rate);
  return RITT_OK;
}

/* The derivative of that rate along a direction, by central differences. They are exact to ten digits,
 * and projections remove what they leave. */
ritt_status ritti_rate_along(ritti_slide *L, ritt_real *work, const ritt_real *z,
                             const ritt_real *along, int monitor, ritt_real *out) {
  const ritti_problem *p = L->base;
  ritt_real most = 0, value[2];
  for (int i = 0; i < p->m; i++) {
    ritt_real size = RITTI_MATH(fabs)(z[i]) + L->manifold.size[i];
    most = RITTI_MATH(fmax)(most, RITTI_MATH(fabs)(along[i]) / (i ? size : 1 + size));
  }
  *out = 0;
  if (most == 0) return RITT_OK;
  ritt_real h = RITTI_MATH(cbrt)(RITTI_EPS) / most;
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < p->m; i++) L->at[i] = z[i] + (side ? -h : h) * along[i];
    RITT_TRY(ritti_rate_at(L, work, L->at, monitor, &value[side]));
  }
  *out = (value[0] - value[1]) / (2 * h);
  return RITT_OK;
}

/* Its derivative by one coordinate. */
ritt_status ritti_rate_partial(ritti_slide *L, ritt_real *work, const ritt_real *z, int coordinate,
                               int monitor, ritt_real *out) {
  memset(L->after, 0, (size_t)L->base->m * sizeof *L->after);
  L->after[coordinate] = 1;
  return ritti_rate_along(L, work, z, L->after, monitor, out);
}

static ritt_status slide_f(const void *data, ritt_real *work, const ritt_real *z, ritt_real *f) {
  ritti_slide *L = (ritti_slide *)(uintptr_t)data; /* its scratch is this driver's own */
  const ritti_problem *p = L->base;
  int row = p->k;
  if (p->k) RITT_TRY(p->call.f(p->data, work, z, f));
  RITT_TRY(p->call.monitor(p->data, work, z, L->zero_top, L->monitor));
  for (int i = 0; i < L->count; i++) {
    f[row++] = L->monitor[L->member[i]];
    if (ritti_member_is_event(L, i)) RITT_TRY(ritti_rate_at(L, work, z, L->member[i], &f[row++]));
  }
  return RITT_OK;
}

static ritt_status slide_f_df(const void *data, ritt_real *work, const ritt_real *z, ritt_real *f,
                              ritt_real *df) {
  ritti_slide *L = (ritti_slide *)(uintptr_t)data;
  const ritti_problem *p = L->base;
  const ritti_pattern *pattern = &p->dmonitor, *rows = &L->problem.df;
  int at = p->k ? p->df.start[p->k] : 0, row = p->k;
  RITT_TRY(slide_f(data, work, z, f));
  if (p->k) RITT_TRY(p->call.f_df(p->data, work, z, f, df));
  for (int i = 0; i < L->count; i++) {
    int monitor = L->member[i];
    RITT_TRY(p->call.monitor_df(p->data, work, z, L->zero_top, L->dmonitor));
    for (int e = pattern->start[monitor]; e < pattern->start[monitor + 1]; e++)
      df[at++] = L->dmonitor[e];
    row++;
    if (!ritti_member_is_event(L, i)) continue;
    for (; at < rows->start[row + 1]; at++)
      RITT_TRY(ritti_rate_partial(L, work, z, rows->col[at], monitor, &df[at]));
    row++;
  }
  return RITT_OK;
}

/* The change of z by the jump of an event, of coordinates whose rates are tops. */
static ritt_status jump_change(ritti_slide *L, ritt_real *work, const ritt_real *z, int event,
                               ritt_real *change) {
  const ritti_problem *p = L->base;
  RITT_TRY(p->call.jump(p->data, work, event, z, L->zero_top, L->after));
  for (int i = 0; i < p->m; i++) change[i] = i > 0 && p->next[i] < 0 ? L->after[i] - z[i] : 0;
  return RITT_OK;
}

/* The direction r of the jumps of member i at z: r changes the rate by 1 in the sense in which the jump
 * does, away from the zero. Its last value leads to a point with a small rate towards the zero; the
 * rate of a stage may be larger. */
ritt_status ritti_find_push(ritti_slide *L, ritt_real *work, const ritt_real *z, int i) {
  const ritti_problem *p = L->base;
  int event = L->member[i];
  ritt_real *push = L->push[event], most = 0, scale, rate;
  for (int j = 1; j < p->m; j++) {
    ritt_real size = RITTI_MATH(fabs)(z[j]) + L->manifold.size[j];
    most = RITTI_MATH(fmax)(most, RITTI_MATH(fabs)(push[j]) / size);
  }
  RITT_TRY(ritti_rate_along(L, work, z, push, event, &scale));
  RITT_TRY(ritti_rate_at(L, work, z, event, &rate));
  ritt_real back = rate / scale + RITTI_MATH(cbrt)(RITTI_EPS) / most;
  for (int j = 0; j < p->m; j++) L->at[j] = z[j] - back * push[j];
  RITT_TRY(jump_change(L, work, L->at, event, push));
  RITT_TRY(ritti_rate_along(L, work, z, push, event, &scale));
  if (!(RITTI_MATH(fabs)(scale) > 0)) return RITT_RETRY;
  for (int j = 0; j < p->m; j++) push[j] /= RITTI_MATH(fabs)(scale);
  return RITT_OK;
}

/* V_0, and what each weight adds to it: V with the other side of a surface less V_0, r of an event. */
static ritt_status evaluate_corners(ritti_slide *L, ritt_real *work, const ritt_real *z) {
  const ritti_problem *p = L->base;
  size_t m = (size_t)p->m, tops = (size_t)p->tops;
  for (int i = 0; i < L->count; i++)
    if (ritti_member_is_event(L, i)) RITT_TRY(ritti_find_push(L, work, z, i));
  for (int c = 0; c <= L->count; c++) {
    ritt_real *V = L->corner + (size_t)c * m, *top = L->top + (size_t)c * tops;
    if (c > 0 && ritti_member_is_event(L, c - 1)) {
      memcpy(V, L->push[L->member[c - 1]], m * sizeof *V);
      memset(top, 0, tops * sizeof *top);
      for (int i = 1; i < p->m; i++)
        if (p->next[i] < 0) top[-1 - p->next[i]] = V[i];
      continue;
    }
    for (int i = 0; i < L->count; i++)
      if (!ritti_member_is_event(L, i))
        work[p->side_at + (size_t)(L->member[i] - p->events)] = i + 1 == c ? 1
                                                                : ritti_is_term(p, L->member[i])
                                                                    ? 0
                                                                    : -1;
    RITT_TRY(ritti_direction_at(L->inner, z, V));
    memcpy(top, L->inner->top, tops * sizeof *top);
    for (int i = 0; c > 0 && i < p->m; i++) V[i] -= L->corner[i];
    for (int t = 0; c > 0 && t < p->tops; t++) top[t] -= L->top[t];
  }
  return RITT_OK;
}

/* The weights with which the members keep their zeros: rates of surfaces, second derivatives of events. */
static ritt_status find_weights(ritti_slide *L, ritt_real *work, const ritt_real *z) {
  const ritti_problem *p = L->base;
  int n = L->count;
  for (int i = 0; i < n; i++) {
    int monitor = L->member[i];
    RITT_TRY(p->call.monitor_df(p->data, work, z, L->zero_top, L->dmonitor));
    for (int j = 0; j <= n; j++) {
      const ritt_real *V = L->corner + (size_t)j * (size_t)p->m;
      ritt_real rate = monitor_rate(L, monitor, V);
      if (ritti_member_is_event(L, i)) {
        RITT_TRY(ritti_rate_along(L, work, z, V, monitor, &rate));
        RITT_TRY(p->call.monitor_df(p->data, work, z, L->zero_top, L->dmonitor));
      }
      if (j == 0) L->weight[i] = -rate;
      else L->matrix[i * n + j - 1] = rate;
    }
  }
  if (n == 1 && L->matrix[0] == 0) {
    /* V is the same on both sides: it stays there, or leads to one of them */
    L->weight[0] = L->weight[0] == 0 ? (ritt_real)0.5 : L->weight[0] < 0 ? 2 : -1;
    return RITT_OK;
  }
  if (!ritti_lu_factor(n, L->matrix, L->pivot, NULL)) return RITT_RETRY;
  ritti_lu_solve(n, L->matrix, L->pivot, L->weight);
  return RITT_OK;
}

/* The derivatives of the solution slide with it: their highest derivatives get what changes of the
 * weights add, so that the derivatives stay tangent to the surfaces. These are linear
 * (smooth_slide). */
static void add_tangents(ritti_slide *L, const ritt_real *z, ritt_real *top) {
  const ritti_problem *p = L->base;
  const ritti_pattern *pattern = &p->dmonitor;
  int n = L->count, all = p->m + p->tops;
  if (n == 1 && L->matrix[0] == 0) return; /* V is the same on both sides */
  for (int q = 0; q < p->tangent_count; q++) {
    const int *tangent = p->tangent + q * all;
    ritt_real change[RITTI_MOST_SLIDING];
    for (int i = 0; i < n; i++) {
      int monitor = L->member[i];
      change[i] = 0;
      for (int e = pattern->start[monitor]; e < pattern->start[monitor + 1]; e++) {
        int next = p->next[tangent[pattern->col[e]]];
        change[i] -= L->dmonitor[e] * (next >= 0 ? z[next] : top[-1 - next]);
      }
    }
    ritti_lu_solve(n, L->matrix, L->pivot, change);
    for (int t = 0; t < p->tops; t++) {
      int to = tangent[p->m + t] - p->m;
      for (int j = 0; to >= 0 && j < n; j++) top[to] += change[j] * L->top[(j + 1) * p->tops + t];
    }
  }
}

static ritt_status slide_formula(const void *data, ritt_real *work, const ritt_real *z,
                                 ritt_real *top) {
  ritti_slide *L =
      (ritti_slide *)(uintptr_t)data; /* its weights and corners are this driver's own */
  const ritti_problem *p = L->base;
  int n = L->count;
  RITT_TRY(evaluate_corners(L, work, z));
  RITT_TRY(find_weights(L, work, z));
  for (int t = 0; t < p->tops; t++) {
    top[t] = L->top[t];
    for (int j = 0; j < n; j++) top[t] += L->weight[j] * L->top[(j + 1) * p->tops + t];
  }
  if (p->tangents) add_tangents(L, z, top);
  /* the side that outputs see: a friction force between its limits */
  for (int i = 0; i < n; i++)
    if (!ritti_member_is_event(L, i))
      work[p->side_at + (size_t)(L->member[i] - p->events)] =
          ritti_is_term(p, L->member[i]) ? L->weight[i] : 2 * L->weight[i] - 1;
  return RITT_OK;
}

/* Marks the coordinates on which the rate of an event's function may depend: those of the function and
 * their derivatives; all if such a derivative is not a coordinate. */
static void mark_rate_columns(const ritti_problem *p, int event, bool *marked) {
  bool all = false;
  memset(marked, 0, (size_t)p->m * sizeof *marked);
  for (int e = p->dmonitor.start[event]; e < p->dmonitor.start[event + 1]; e++) {
    int j = p->dmonitor.col[e];
    marked[j] = true;
    if (j > 0 && p->next[j] >= 0) marked[p->next[j]] = true;
    else all |= j > 0;
  }
  for (int j = 0; all && j < p->m; j++) marked[j] = true;
}

/* Rows of df: the rows of the base, then the gradients of the members, of events also those of their
 * rates. */
static ritt_status slide_pattern(ritti_slide *L, ritti_arena *arena) {
  const ritti_problem *p = L->base;
  const ritti_pattern *monitors = &p->dmonitor;
  int *start, *col, at = p->k ? p->df.start[p->k] : 0, more = 0, row = p->k;
  bool *marked;
  for (int i = 0; i < L->count; i++) {
    int monitor = L->member[i];
    more += monitors->start[monitor + 1] - monitors->start[monitor] +
            (ritti_member_is_event(L, i) ? p->m : 0);
  }
  RITTI_NEW(marked, arena, p->m);
  RITTI_NEW(start, arena, L->problem.k + 1);
  RITTI_NEW(col, arena, at + more + 1);
  for (int i = 0; i <= p->k; i++) start[i] = p->k ? p->df.start[i] : 0;
  if (at) memcpy(col, p->df.col, (size_t)at * sizeof *col);
  for (int i = 0; i < L->count; i++) {
    int monitor = L->member[i];
    for (int e = monitors->start[monitor]; e < monitors->start[monitor + 1]; e++)
      col[at++] = monitors->col[e];
    start[++row] = at;
    if (!ritti_member_is_event(L, i)) continue;
    mark_rate_columns(p, monitor, marked);
    for (int j = 0; j < p->m; j++)
      if (marked[j]) col[at++] = j;
    start[++row] = at;
  }
  L->problem.df = (ritti_pattern){L->problem.k, p->m, start, col};
  return RITT_OK;
}

static ritt_status slide_new(ritti_driver *d, const int *member, int count, ritti_slide **out) {
  const ritti_problem *p = d->problem;
  ritti_arena *arena = d->arena;
  ritti_slide *L;
  RITTI_NEW(L, arena, 1);
  L->base = p, L->inner = &d->direction, L->count = count;
  L->push = d->monitors.push;
  memcpy(L->member, member, (size_t)count * sizeof *member);
  L->problem = ritti_problem_on(p, L);
  L->problem.kind = RITT_EXPLICIT;
  L->problem.k = p->k + count;
  for (int i = 0; i < count; i++) L->problem.k += ritti_member_is_event(L, i);
  L->problem.call.f = slide_f, L->problem.call.f_df = slide_f_df,
  L->problem.call.formula = slide_formula;
  RITTI_NEW(L->corner, arena, (count + 1) * p->m);
  RITTI_NEW(L->top, arena, (count + 1) * p->tops + 1);
  RITTI_NEW(L->monitor, arena, p->monitors);
  RITTI_NEW(L->dmonitor, arena, p->dmonitor.start[p->monitors] + 1);
  RITTI_NEW(L->zero_top, arena, p->tops + 1);
  RITTI_NEW_ARRAYS(arena, p->m, L->at, L->after, L->rate);
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
  int all[RITTI_MOST_SLIDING], count = 0;
  ritti_slide *made;
  for (int i = 0; i < d->problem->monitors && count < RITTI_MOST_SLIDING; i++) {
    bool event = i < d->problem->events;
    if (ritti_is_norm(d->problem, i)) continue;
    if (event ? !ritti_may_rest(d, i) : i >= d->problem->events + d->problem->surfaces) continue;
    if (event) RITT_TRY(ritti_make_push(d, i));
    all[count++] = i;
  }
  if (count == 0) return RITT_OK;
  RITT_TRY(slide_new(d, all, count, &made));
  return ritti_stepper_prepare(&d->step, &made->problem, false);
}

/* The problem with these members; each is made once. */
ritt_status ritti_slide_on(ritti_driver *d, const int *member, int count, ritti_slide **out) {
  for (ritti_slide *L = d->slides; L; L = L->next) {
    *out = L;
    if (L->count == count && !memcmp(L->member, member, (size_t)count * sizeof *member))
      return RITT_OK;
  }
  return slide_new(d, member, count, out);
}

/* Goes on with the members given; none: on the problem itself. */
ritt_status ritti_slide_go_on(ritti_driver *d, const int *member, int count) {
  d->slide = NULL;
  if (count) RITT_TRY(ritti_slide_on(d, member, count, &d->slide));
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

ritt_status ritti_slide_add(ritti_driver *d, int monitor) {
  int all[RITTI_MOST_SLIDING], count = 0;
  if (d->slide) memcpy(all, d->slide->member, (size_t)(count = d->slide->count) * sizeof *all);
  /* ascending, so that equal sets share a problem */
  int at = count++;
  for (; at > 0 && all[at - 1] > monitor; at--) all[at] = all[at - 1];
  all[at] = monitor;
  return ritti_slide_go_on(d, all, count);
}
