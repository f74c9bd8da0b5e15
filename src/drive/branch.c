/* Crossing branches of algebraic unknowns.
 *
 * In the implicit kind w(z) is a branch of T(z, w) = 0. Where two branches cross, as those of
 * (y - x)*(y + x - 2) = 0 do at x = 1, T_w is singular, and the iteration for w may continue on
 * either of them. If it changes branches, det T_w has the same sign before and after the
 * crossing. Only values inside the step show that |det T_w| falls to 0 and rises again.
 *
 * |det T_w| of each nonlinear block is known at the ends of steps. If the line through the last
 * two values reaches 0 within LOOK steps, its least value along the step and some way beyond it
 * is searched for. If it falls to 0, as far as LEVELS halvings show, the run continues in the
 * general kind, which treats this as any other singular point. Between blocking diodes
 * |det T_w| may be very small, but its minimum is smooth.
 */
#include "drive/driver_impl.h"

enum { LEVELS = 10, LAST = RITTI_BRANCH_POINTS - 1 };
static const ritt_real LOOK = 3;

ritt_status ritti_branch_watch_init(ritti_driver *d, ritti_arena *arena) {
  ritti_branch_watch *w = &d->branch;
  w->blocks = d->options.by_arc ? 0 : ritti_direction_volumes(&d->direction, NULL);
  if (w->blocks == 0) return RITT_OK;
  RITTI_NEW_ARRAYS(arena, w->blocks, w->before, w->here, w->next);
  for (int i = 0; i < RITTI_BRANCH_POINTS; i++) {
    RITTI_NEW(w->top[i], arena, d->problem->tops + 1);
    RITTI_NEW(w->volume[i], arena, w->blocks);
  }
  return RITT_OK;
}

void ritti_branch_forget(ritti_driver *d) { d->branch.known = 0; }

void ritti_branch_accept(ritti_driver *d) {
  ritti_branch_watch *w = &d->branch;
  ritt_real *old = w->before;
  if (w->known == 0) return;
  w->before = w->here, w->here = w->next, w->next = old;
  w->h = d->step.h;
  w->known = 2;
}

/* The volumes at a point, whose tops are D->top. */
static void read_volumes(ritti_driver *d, const ritt_real *z, ritt_real *volume) {
  (void)ritti_direction_side(&d->direction, z, d->step.V[0]);
  ritti_direction_volumes(&d->direction, volume);
}

/* May the block become singular in the step just taken, or soon behind it? */
static bool is_suspicious(const ritti_driver *d, int block) {
  const ritti_branch_watch *w = &d->branch;
  ritt_real fall = w->here[block] - w->before[block], part = RITTI_MATH(pow)(2, fall);
  if (w->known < 2) return true;
  return fall < 0 &&
         RITTI_MATH(fabs)(w->h) * part < LOOK * RITTI_MATH(fabs)(d->step.h) * (1 - part);
}

/* Takes point i of the search at the fraction theta; its tops are found from those of the straight line
 * through the points a and b. A point without a solution has volumes of +infinity. */
static bool take_point(ritti_driver *d, int i, ritt_real theta, int a, int b) {
  ritti_branch_watch *w = &d->branch;
  ritti_stepper *step = &d->step;
  ritt_real part = a == b ? 0 : (theta - w->theta[a]) / (w->theta[b] - w->theta[a]);
  for (int k = 0; k < d->problem->tops; k++)
    w->top[i][k] = (1 - part) * w->top[a][k] + part * w->top[b][k];
  w->theta[i] = theta;
  ritti_stepper_hermite(step, theta, d->err);
  if (step->keep_x) d->err[0] = step->z[0] + theta * step->h;
  ritti_direction_begin_with(&d->direction, w->top[i]);
  bool found = ritti_direction_at(&d->direction, d->err, d->err3) == RITT_OK;
  d->direction.trouble = RITTI_NO_TROUBLE;
  if (found) {
    memcpy(w->top[i], d->direction.top, (size_t)d->problem->tops * sizeof *w->top[i]);
    read_volumes(d, d->err, w->volume[i]);
  }
  for (int k = 0; k < w->blocks && !found; k++) w->volume[i][k] = INFINITY;
  return found;
}

/* Puts the point at `from` in place `to`. */
static void move_point(ritti_branch_watch *w, int from, int to) {
  ritt_real *top = w->top[to], *volume = w->volume[to];
  if (from == to) return;
  w->theta[to] = w->theta[from];
  w->top[to] = w->top[from], w->top[from] = top;
  w->volume[to] = w->volume[from], w->volume[from] = volume;
}

static void take_middle(ritti_driver *d, int i, int a, int b) {
  ritti_branch_watch *w = &d->branch;
  (void)take_point(d, i, (w->theta[a] + w->theta[b]) / 2, a, b);
}

/* The point where the block's volume is least. */
static int find_least(const ritti_branch_watch *w, int block) {
  int least = 0;
  for (int i = 1; i <= LAST; i++)
    if (w->volume[i][block] < w->volume[least][block]) least = i;
  return least;
}

/* The part of the step behind its end that is searched, too: points just at the ends of steps are seen,
 * and steps that become short near such a point, so that rounding hides it, come too late. Behind a
 * surface the equations are others. */
static ritt_real reach_behind(const ritti_driver *d) {
  return d->problem->surfaces > 0 ? (ritt_real)0.25 : 2;
}

/* The first points of a search: five along the step and behind it. */
static void spread_points(ritti_driver *d) {
  ritti_branch_watch *w = &d->branch;
  size_t tops = (size_t)d->problem->tops * sizeof(ritt_real);
  size_t blocks = (size_t)w->blocks * sizeof(ritt_real);
  w->theta[0] = 0, w->theta[LAST] = 1;
  memcpy(w->top[0], d->step.top, tops);
  memcpy(w->volume[0], w->here, blocks);
  memcpy(w->top[LAST], d->step.top_new, tops);
  memcpy(w->volume[LAST], w->next, blocks);
  if (!take_point(d, LAST, 1 + reach_behind(d), LAST, LAST)) {
    w->theta[LAST] = 1;
    memcpy(w->top[LAST], d->step.top_new, tops);
    memcpy(w->volume[LAST], w->next, blocks);
  }
  take_middle(d, 2, 0, LAST);
  take_middle(d, 1, 0, 2);
  take_middle(d, 3, 2, LAST);
}

/* Narrows the search to the neighbours of point i. */
static void narrow_points(ritti_driver *d, int i) {
  ritti_branch_watch *w = &d->branch;
  if (i == 0) {
    move_point(w, 1, LAST);
    take_middle(d, 2, 0, LAST);
  } else if (i == 1) {
    move_point(w, 2, LAST);
    move_point(w, 1, 2);
  } else if (i == 3) {
    move_point(w, 2, 0);
    move_point(w, 3, 2);
  } else {
    move_point(w, 1, 0);
    move_point(w, 3, LAST);
  }
  take_middle(d, 1, 0, 2);
  take_middle(d, 3, 2, LAST);
}

/* Is the volume at point i, inside, far below those beside it? Beside a zero of order 1 one of them is
 * at least three times as large, however near the points are. At a smooth minimum they become equal. */
static bool is_sharp(const ritti_branch_watch *w, int block, int i) {
  static const double SPREAD = 0.5; /* of log2 */
  ritt_real here = w->volume[i][block], low = w->volume[i - 1][block];
  ritt_real high = w->volume[i + 1][block];
  if (!(low < INFINITY && high < INFINITY)) return false;
  return RITTI_MATH(fmax)(low, high) - here > (ritt_real)SPREAD;
}

/* T_w is singular at point i. Does another branch begin there? The straight line through the points
 * before it leads to another solution behind it than the one that was found. The flow q of q*abs(q) = p
 * has one solution only where p changes its sign. */
static bool parts_ways(ritti_driver *d, int i) {
  static const double APART = 0.25;
  ritti_branch_watch *w = &d->branch;
  int other = i == 1 ? 3 : 1;
  ritt_real part = (w->theta[LAST] - w->theta[0]) / (w->theta[i] - w->theta[0]);
  if (!take_point(d, other, w->theta[LAST], 0, i)) return false;
  for (int k = 0; k < d->problem->tops; k++) {
    ritt_real line = w->top[0][k] + part * (w->top[i][k] - w->top[0][k]);
    ritt_real gap = RITTI_MATH(fabs)(w->top[other][k] - w->top[LAST][k]);
    ritt_real noise = 1000 * RITTI_EPS * RITTI_MATH(fabs)(line);
    if (gap > noise && gap > (ritt_real)APART * RITTI_MATH(fabs)(line - w->top[LAST][k]))
      return true;
  }
  return false;
}

/* Does the block become singular between the points of the search? *spread: the points are still those
 * of the first search. */
static bool becomes_singular(ritti_driver *d, int block, bool *spread) {
  ritti_branch_watch *w = &d->branch;
  bool falls = w->known == 2 && w->here[block] < w->before[block];
  for (int level = 0; level < LEVELS; level++) {
    int i = find_least(w, block);
    bool left = i == 0 && w->theta[0] == 0;
    /* it may be least at the start of the step if it fell before */
    if (i == 0 || i == LAST ? !(left && falls) : !is_sharp(w, block, i)) return false;
    narrow_points(d, i);
    *spread = false;
  }
  int i = find_least(w, block);
  return i > 0 && i < LAST && is_sharp(w, block, i) && parts_ways(d, i);
}

bool ritti_branch_meets(ritti_driver *d) {
  ritti_branch_watch *w = &d->branch;
  if (w->blocks == 0 || d->step.direction != &d->direction) return false;
  ritti_direction_volumes(&d->direction, w->next);
  if (w->known == 0) {
    ritti_direction_begin_with(&d->direction, d->step.top);
    read_volumes(d, d->step.z, w->here);
    w->known = 1;
  }
  bool meets = false, spread = false;
  for (int k = 0; k < w->blocks && !meets; k++) {
    if (!is_suspicious(d, k)) continue;
    if (!spread) spread_points(d);
    spread = true;
    meets = becomes_singular(d, k, &spread);
  }
  ritti_direction_begin_with(&d->direction, d->step.top_new);
  return meets;
}
