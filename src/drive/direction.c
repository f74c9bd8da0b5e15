/* Directions u/|u| where u = 0: friction opposite to a velocity in the plane or in space.
 *
 * Equations may hold u_1/|u|, u_2/|u|, ..., which have no value where all u_i are 0. There the direction
 * is any vector e with |e| <= 1. When |u| falls below the tolerance the run is put at u = 0 and the e
 * is computed that keeps it there. If |e| <= 1 the run sticks: u_i = 0 are rows of f, and V is
 * V_0 + sum e_i (V_i - V_0), V_0 with e = 0, V_i with e the i-th unit vector (slide_problem.c). If |e|
 * is larger, or becomes larger later, the run starts again in the direction e with |e| = 1 to which u' is
 * parallel.
 */
#include "drive/slide_impl.h"

bool ritti_is_norm(const ritti_problem *p, int monitor) {
  int surface = monitor - p->events;
  return p->cone && surface >= 0 && surface < p->surfaces && p->cone[surface] > 0;
}

bool ritti_is_term(const ritti_problem *p, int monitor) {
  int surface = monitor - p->events;
  return p->cone && surface >= 0 && surface < p->surfaces && p->cone[surface] < 0;
}

int ritti_norm_of(const ritti_problem *p, int term) {
  while (ritti_is_term(p, term)) term--;
  return term;
}

ritt_real ritti_direction_margin(const ritti_slide *L, int i) {
  int norm = ritti_norm_of(L->base, L->member[i]);
  ritt_real sum = 0;
  for (int j = 0; j < L->count; j++)
    if (ritti_is_term(L->base, L->member[j]) && ritti_norm_of(L->base, L->member[j]) == norm)
      sum += L->weight[j] * L->weight[j];
  return 1 - RITTI_MATH(sqrt)(sum) + 64 * RITTI_EPS;
}

/* Sets the side of a sum of squares that `work` has: 1, or -1 where it is 0. */
static void set_norm(ritti_driver *d, int norm, int side) {
  d->work[d->problem->side_at + (size_t)(norm - d->problem->events)] = (ritt_real)side;
}

/* V with the direction 0 and what each component of the direction adds to it, at the driver's point, into
 * `corner`: n + 1 vectors. u' = b + B e. */
static ritt_status find_rates(ritti_driver *d, int norm, ritt_real *corner, ritt_real *b,
                              ritt_real *B) {
  const ritti_problem *p = d->problem;
  int n = p->cone[norm - p->events];
  ritt_real *side = d->work + p->side_at + (size_t)(norm - p->events) + 1;
  RITT_TRY(ritti_monitors_levels(d, d->step.z, d->step.top));
  for (int c = 0; c <= n; c++) {
    ritt_real *V = corner + (size_t)c * (size_t)p->m;
    for (int i = 0; i < n; i++) side[i] = i + 1 == c;
    RITT_TRY(ritti_direction_at(d->step.direction, d->step.z, V));
    for (int i = 0; c > 0 && i < p->m; i++) V[i] -= corner[i];
    for (int i = 0; i < n; i++) {
      ritt_real rate = ritti_monitors_rate(d, norm + 1 + i, V);
      if (c == 0) b[i] = rate;
      else B[i * n + c - 1] = rate;
    }
  }
  return RITT_OK;
}

/* Solves (B - c) e = right side, given in e; RITT_RETRY: singular. */
static ritt_status solve_shifted(int n, const ritt_real *B, ritt_real c, ritt_real *e) {
  ritt_real matrix[RITTI_MOST_SLIDING * RITTI_MOST_SLIDING];
  int pivot[RITTI_MOST_SLIDING];
  memcpy(matrix, B, (size_t)n * (size_t)n * sizeof *B);
  for (int i = 0; i < n; i++) matrix[i * n + i] -= c;
  if (!ritti_lu_factor(n, matrix, pivot, NULL)) return RITT_RETRY;
  ritti_lu_solve(n, matrix, pivot, e);
  return RITT_OK;
}

/* The direction in which u starts again: u' = b + B e = c e with |e| = 1, c > 0. |e| falls as c grows.
 * *slowly: c is small against B, and a direction across e falls back to it far faster than u grows. */
static ritt_status find_outward(int n, const ritt_real *b, const ritt_real *B, ritt_real along,
                                ritt_real *e, bool *slowly) {
  ritt_real low = 0, high = 0, middle, size = 0;
  for (int i = 0; i < n * n; i++) size = RITTI_MATH(fmax)(size, RITTI_MATH(fabs)(B[i]));
  for (int i = 0; i < n; i++) high += RITTI_MATH(fabs)(b[i]);
  for (int i = 0; i < n * n; i++) high += RITTI_MATH(fabs)(B[i]);
  for (int round = 0; round < 120; round++) {
    ritt_real square = 0;
    middle = (low + high) / 2;
    for (int i = 0; i < n; i++) e[i] = -b[i];
    RITT_TRY(solve_shifted(n, B, middle * along, e));
    for (int i = 0; i < n; i++) square += e[i] * e[i];
    if (square > 1) low = middle;
    else high = middle;
  }
  *slowly = n > 1 && high < size / 100;
  return RITT_OK;
}

/* Goes on from the driver's point, at which u = 0, in the direction in which u starts: to a point at which
 * the tolerance cannot tell u from 0. `corner`: room for n + 1 vectors. */
static ritt_status start_again(ritti_driver *d, int norm, ritt_real *corner) {
  const ritti_problem *p = d->problem;
  int n = p->cone[norm - p->events];
  ritt_real b[RITTI_MOST_SLIDING], B[RITTI_MOST_SLIDING * RITTI_MOST_SLIDING];
  ritt_real e[RITTI_MOST_SLIDING], along = d->step.h < 0 ? -1 : 1;
  bool slowly = false, explicit = !ritti_is_implicit(d->step.tableau);
  ritt_status status = find_rates(d, norm, corner, b, B);
  if (status == RITT_OK) status = find_outward(n, b, B, along, e, &slowly);
  if (status == RITT_OK && slowly && explicit && !d->options.automatic)
    return ritti_stop_slow_start(d, norm - p->events);

  /* velocities change as friction changes them: u = radius e */
  ritt_real radius = RITTI_MATH(sqrt)(d->monitors.radius[norm]);
  for (int i = 0; i < n; i++) e[i] *= radius;
  if (status == RITT_OK) status = solve_shifted(n, B, 0, e);
  if (status == RITT_RETRY) return ritti_stop_sides(d, norm - p->events);
  RITT_TRY(status);
  memcpy(d->row_z, d->step.z, (size_t)p->m * sizeof *d->row_z);
  for (int i = 1; i < p->m; i++)
    for (int j = 0; j < n; j++)
      if (p->next[i] < 0) d->row_z[i] += e[j] * corner[(j + 1) * p->m + i];
  set_norm(d, norm, 1);
  d->monitors.side[norm] = 0;
  return ritti_place_again(d, d->row_z);
}

/* Goes on with the members of which the terms of the norm are not, or are, part. */
static ritt_status set_terms(ritti_driver *d, int norm, bool on) {
  const ritti_problem *p = d->problem;
  int member[RITTI_MOST_SLIDING], count = 0, n = p->cone[norm - p->events];
  int old = d->slide ? d->slide->count : 0;
  for (int i = 0; i < old && d->slide->member[i] < norm; i++) member[count++] = d->slide->member[i];
  int after = count;
  while (after < old && d->slide->member[after] <= norm + n) after++;
  if (on && count + n + old - after > RITTI_MOST_SLIDING)
    return ritti_stop_kink(d, norm - p->events, d->at.s);
  for (int i = 1; on && i <= n; i++) member[count++] = norm + i;
  for (int i = after; i < old; i++) member[count++] = d->slide->member[i];
  return ritti_slide_go_on(d, member, count);
}

ritt_status ritti_direction_decide(ritti_driver *d, int norm) {
  const ritti_problem *p = d->problem;
  int first = 0;
  if (d->options.by_arc) return ritti_stop_kink(d, norm - p->events, d->at.s);
  if (p->tangents) return ritti_stop_tangents(d, -1);
  set_norm(d, norm, -1);
  d->monitors.side[norm] = 1;
  RITT_TRY(set_terms(d, norm, true));
  while (d->slide->member[first] != norm + 1) first++;
  if (ritti_direction_margin(d->slide, first) >= 0) {
    d->count.slidings++;
    return RITT_OK;
  }
  return ritti_direction_leave(d, norm);
}

ritt_status ritti_direction_leave(ritti_driver *d, int norm) {
  ritt_real *corner = d->slide->corner;
  RITT_TRY(set_terms(d, norm, false));
  return start_again(d, norm, corner);
}
