/* Folds and impasse points in runs over x.
 *
 * If A becomes singular while (b | A) keeps its rank, dx/ds tends to 0 along the solution, which is a
 * regular curve nevertheless. The run then goes by arc length for a while: if x turns back it stops
 * at the fold, which is located; if x keeps increasing it was an impasse point, which is counted,
 * and the run returns to x when A is regular again.
 */
#include "drive/driver_impl.h"

/* dx/ds, s the arc length in units of the sizes of the coordinates, counts as small below NEAR
 * times the best seen (and steps must have become that much shorter too, and A^-1 larger), as large
 * again above 10 times that. With a loose tolerance it counts as small earlier: if the distance
 * of two sheets that meet at a fold is not much more than the error of a step, a step over x may
 * end on either of them. */
static const ritt_real NEAR = (ritt_real)1e-3, FARTHEST = (ritt_real)0.03;
enum { MOST_STANDING = 200 };

static ritt_real near_of(const ritti_driver *d) {
  return RITTI_MATH(fmin)(FARTHEST, RITTI_MATH(fmax)(NEAR, 30 * d->options.relative[0]));
}

/* dx/ds for a direction V scaled to dx = 1 */
static ritt_real slope_of(const ritti_driver *d, const ritt_real *V) {
  ritt_real square = 1, size = ritti_size_of(d, 0);
  const ritt_real *z = d->step.z, *least = d->manifold.size; /* absolute over relative tolerances */
  for (int i = 1; i < d->step.m; i++) {
    ritt_real v = V[i] * size / (RITTI_MATH(fabs)(z[i]) + least[i]);
    square += v * v;
  }
  return 1 / RITTI_MATH(sqrt)(square);
}

/* Are the position constraints of a mechanism, if the problem is one, independent of x? */
static bool stands_still(const ritti_problem *p) {
  if (!p->symmetric) return false;
  for (int e = 0; e < p->df.start[p->constraints]; e++)
    if (p->df.col[e] == 0) return false;
  return true;
}

/* A number that identifies the first rows and columns of A: it changes when an entry does. */
static ritt_real matrix_number(const ritti_problem *p, const ritt_real *A, int rows, int columns) {
  ritt_real sum = 0;
  for (int i = 0; i < rows; i++)
    for (int e = p->A.start[i]; e < p->A.start[i + 1]; e++)
      if (p->A.col[e] < columns) sum += A[e] * (1 + (ritt_real)(e % 1009) / 4096);
  return sum;
}

/* A number that identifies the part of A which, if it is constant, leaves no room for a fold: the mass
 * matrix of a mechanism that stands still, all of A in other systems; 0: there is none. */
static ritt_real constant_part(const ritti_problem *p, const ritt_real *A) {
  if (!p->symmetric) return matrix_number(p, A, p->A.rows, p->tops);
  return stands_still(p) ? matrix_number(p, A, p->positions, p->positions) : 0;
}

/* A at the run's point: |highest derivatives in V| / |b|, by which A^-1 amplifies b (0: unknown), and
 * the number of its constant part. */
typedef struct likeness {
  ritt_real amplified, mass;
} likeness;

static likeness look_at_system(ritti_driver *d) {
  const ritti_problem *p = d->problem;
  ritti_direction *D = &d->direction;
  const ritt_real *V = d->step.V[0];
  ritt_real tops = 0, right = 0;
  ritt_status status =
      p->call.system ? p->call.system(p->data, D->work, d->step.z, D->A, D->b) : RITT_RETRY;
  /* a function that ended the run ends it after this step */
  if (status != RITT_OK && status != RITT_RETRY) d->manifold.gave_up = status;
  if (status != RITT_OK) return (likeness){0};
  for (int i = 1; i < p->m; i++)
    if (p->next[i] < 0) tops = RITTI_MATH(fmax)(tops, RITTI_MATH(fabs)(V[i]));
  for (int i = 0; i < p->A.rows; i++) right = RITTI_MATH(fmax)(right, RITTI_MATH(fabs)(D->b[i]));
  return (likeness){right > 0 ? tops / right : 0, constant_part(p, D->A)};
}

/* When A becomes singular A^-1 b grows without bound while b does not; a solution that is only
 * fast has a large b. A constant A stays regular. Mechanics with constant masses, and constraints that stand still, has a
 * regular A wherever the constraints are independent; where they are not time does not turn back
 * (crossing.c). */
static bool may_fold(ritti_driver *d) {
  if (d->fold.amplification == 0) return true;
  likeness now = look_at_system(d);
  if (now.mass != 0 && now.mass == d->fold.mass) return false;
  return !(now.amplified < d->fold.amplification / RITTI_MATH(sqrt)(near_of(d)));
}

/* Implicit kind: the tops of a linear block grow without bound, because its matrix becomes singular.
 * Its nonlinear blocks are seen to fold if they have no solution any more. */
static bool amplifies_tops(ritti_driver *d) {
  enum { DROP = 6 };
  ritt_real volume = d->singular.volume;
  if (!(volume <= d->fold.max_volume)) d->fold.max_volume = volume;
  return volume < d->fold.max_volume - DROP;
}

/* While steps are long, slopes are examined only now and then. */
bool ritti_fold_near(ritti_driver *d) {
  enum { NOW_AND_THEN = 8 };
  bool implicit = d->problem->kind == RITT_IMPLICIT;
  if (d->options.by_arc || d->options.constant_step > 0) return false;
  if (!implicit && !ritti_direction_has_line(&d->direction)) return false;
  if (d->step.direction != &d->direction) return false; /* the run slides */
  ritt_real h = RITTI_MATH(fabs)(d->next.h);
  if (h > d->fold.largest_h) d->fold.largest_h = h;
  if (d->count.accepted % NOW_AND_THEN && h > (ritt_real)0.2 * d->fold.largest_h) return false;
  ritt_real slope = slope_of(d, d->step.V[0]);
  if (implicit) {
    bool grows = amplifies_tops(d);
    if (slope > d->fold.best_slope) d->fold.best_slope = slope;
    return grows && slope < near_of(d) * d->fold.best_slope && h < near_of(d) * d->fold.largest_h;
  }

  /* Keeps the best slope so far; A is examined each time it has doubled. */
  if (slope > 2 * d->fold.checked_slope) {
    likeness now = look_at_system(d);
    d->fold.checked_slope = slope, d->fold.amplification = now.amplified, d->fold.mass = now.mass;
  }
  if (slope > d->fold.best_slope) d->fold.best_slope = slope;

  return slope < near_of(d) * d->fold.best_slope && h < near_of(d) * d->fold.largest_h &&
         may_fold(d);
}

/* How fast what follows from the states changes against the states, in their sizes: about the size of
 * T_w^-1 T_z. */
static ritt_real growth_of(const ritti_driver *d) {
  const ritti_problem *p = d->problem;
  const ritt_real *V = d->step.V[0];
  ritt_real states = 1 / ritti_size_of(d, 0), rest = 0;
  for (int i = 1; i < p->m; i++) {
    ritt_real rate = RITTI_MATH(fabs)(V[i]) / ritti_size_of(d, i);
    ritt_real *largest = p->role[i] == RITTI_ROLE_FOLLOWS ? &rest : &states;
    *largest = RITTI_MATH(fmax)(*largest, rate);
  }
  return rest / states;
}

/* It is if that has become far smaller than it was where the run came from the implicit kind. */
bool ritti_fold_is_behind(ritti_driver *d) {
  const ritt_real FAR = 30;
  if (!d->fold.may_return || !d->problem->role || d->slide) return false;
  if (ritti_crossing_on(d)) return false;
  ritt_real growth = growth_of(d);
  if (!(growth > 0)) return false;
  if (growth > d->fold.growth) d->fold.growth = growth;
  return growth < d->fold.growth / FAR;
}

/* Back to the run's own variable, at the point in row_z. */
ritt_status ritti_passage_return(ritti_driver *d) {
  ritti_stepper *step = &d->step;
  d->direction.arc = d->options.by_arc ? d->arc_weights : NULL;
  step->keep_x = !d->options.by_arc;
  d->direction.variant = d->direction.taken;
  d->at.stepper_stale = true;
  RITT_TRY(ritti_stepper_move(step, d->row_z));
  d->at.stepper_stale = false;
  ritti_singular_watch_forget(d);
  d->at.side = ritti_singular_watch_side(d, step->z, step->V[0]);
  d->at.z = step->z;
  d->at.top = step->top;
  ritti_control_metric(d);
  if (step->keep_x) d->at.s = step->z[0];
  return RITT_OK;
}

/* ---- the passage by arc length ---- */

ritt_status ritti_passage_enter(ritti_driver *d) {
  ritt_real speed = 1;
  for (int i = 0; i < d->step.m; i++)
    speed = RITTI_MATH(fmax)(speed, RITTI_MATH(fabs)(d->step.V[0][i]));
  d->passage = (ritti_arc_passage){.along = d->plan.end < d->plan.from ? -1 : 1};

  /* From x to arc length, at the same point. Arc length in units of the sizes of the
   * coordinates. */
  ritti_stepper *step = &d->step;
  ritt_real along = d->passage.along;
  for (int i = 0; i < step->m; i++) {
    ritt_real size = ritti_size_of(d, i);
    d->arc_weights[i] = 1 / (size * size);
  }
  d->direction.arc = d->arc_weights;
  if (d->options.direction >= RITTI_DIRECT_LU)
    d->direction.variant = RITTI_DIRECT_AUTO; /* A may become singular */
  d->manifold.inverse_weights[0] = 1 / d->arc_weights[0];
  step->keep_x = false;
  memcpy(d->row_z, step->z, (size_t)step->m * sizeof *step->z);
  RITT_TRY(ritti_stepper_place(step, d->row_z));
  /* orientation: x in the sense of the run */
  if (step->V[0][0] * along < 0)
    for (int i = 0; i < step->m; i++) step->V[0][i] = -step->V[0][i];
  ritti_singular_watch_forget(d);
  d->at.side = ritti_singular_watch_side(d, step->z, step->V[0]) * (along < 0 ? -1 : 1);

  d->passage.active = true;
  d->passage.last_x = d->step.z[0];
  d->at.s = 0;
  d->next.h = RITTI_MATH(fmin)(RITTI_MATH(fabs)(d->next.h) * speed, (ritt_real)1e-3);
  d->next.has_goal = false;
  ritti_set_run_variable(d);
  return RITT_OK;
}

static void end_passage(ritti_driver *d) {
  d->passage.active = false;
  ritti_set_run_variable(d);
}

void ritti_passage_break(ritti_driver *d) {
  end_passage(d);
  d->at.s = d->at.step_start = d->at.z[0];
}

/* Does the run simply end at this zero? Then it does not matter how x goes on from there. */
static bool ends_run(const ritti_driver *d, int cut) {
  const ritti_problem *p = d->problem;
  return cut >= 0 && cut < p->events && p->event[cut].stop && !p->event[cut].kept;
}

/* Back to x at the end of a step, whose event `cut` (-1: none) is still to happen. */
static ritt_status leave_passage(ritti_driver *d, int cut) {
  ritt_real h = d->next.h * RITTI_MATH(fabs)(d->step.V[0][0]);
  end_passage(d);
  memcpy(d->row_z, d->step.z, (size_t)d->step.m * sizeof *d->row_z);
  d->at.s = d->row_z[0];
  if (ends_run(d, cut)) {
    memcpy(d->row_top, d->step.top, (size_t)d->problem->tops * sizeof *d->row_top);
    d->at.stepper_stale = true;
    ritti_stand_in_row(d);
  } else {
    RITT_TRY(ritti_passage_return(d));
    d->next.h = d->passage.along * RITTI_MATH(fabs)(h);
  }
  d->at.step_start = d->at.s;
  return RITT_OK;
}

/* ---- inside an arc step ---- */

/* dx/ds, in the sense of the run, at the fraction theta of the arc step just taken; row_z gets the
 * point. */
static ritt_status slope_at(ritti_driver *d, ritt_real theta, ritt_real *slope) {
  RITT_TRY(ritti_stepper_dense(&d->step, theta, 0, d->row_z, d->row_top));
  *slope = d->step.a[0] * d->passage.along; /* the stepper's scratch holds V there */
  return RITT_OK;
}

/* Finds the fraction at which x(theta) = x, x growing along the step; row_z gets the point. */
static ritt_status find_x(ritti_driver *d, ritt_real x, ritt_real *theta) {
  ritt_real low = 0, high = 1;
  for (int i = 0; i < 60 && high - low > 4 * RITTI_EPS; i++) {
    *theta = low + (high - low) / 2;
    RITT_TRY(ritti_stepper_dense(&d->step, *theta, 0, d->row_z, d->row_top));
    if ((d->row_z[0] - x) * d->passage.along < 0) low = *theta;
    else high = *theta;
  }
  return RITT_OK;
}

/* Writes the rows at x in the arc step just taken, up to x = until. */
static ritt_status write_rows(ritti_driver *d, ritt_real until) {
  while (ritti_row_left(d)) {
    ritt_real theta, x = ritti_row_place(d, d->plan.next);
    if ((x - until) * d->passage.along > 0 || x == d->plan.end) return RITT_OK;
    RITT_TRY(find_x(d, x, &theta));
    ritti_note_residual(d, d->row_z);
    d->row_z[0] = x;
    RITT_TRY(ritti_write_row(d, x, d->row_z, d->row_top));
  }
  return RITT_OK;
}

ritt_status ritti_passage_rows(ritti_driver *d) {
  const ritti_stepper *step = &d->step;
  RITT_TRY(write_rows(d, step->z_new[0]));
  return ritti_row_every_step(d)
             ? ritti_write_step_row(d, step->z_new[0], step->z_new, step->top_new)
             : RITT_OK;
}

/* Events up to the fraction theta of the step. Their places are fractions of the step before an
 * event cut it. */
static ritt_status record_until(ritti_driver *d, ritti_step_outcome *met, ritt_real theta) {
  ritti_zeros *zeros = &met->zeros;
  while (zeros->count > 0 && zeros->zero[zeros->count - 1].theta * met->tried > theta * d->step.h)
    zeros->count--;
  return ritti_events_record(d, zeros, met->tried);
}

/* Arc length from the start of the run to the fraction theta of the step just taken. */
static ritt_real length_to(ritti_driver *d, ritt_real theta) {
  ritt_real length;
  ritt_status status =
      ritti_stepper_length_to(&d->step, theta, d->report_weights, d->row_z, d->row_top, &length);
  return status == RITT_OK ? d->at.travelled + length : NAN;
}

/* A step that is not used to its end counts, too. */
static void count_part(ritti_driver *d) {
  d->count.accepted++;
  ritti_note_residual(d, d->step.z_new);
}

/* Goes on from the fold in row_z, at another solution for the unknowns that follow from the states.
 * RITT_RETRY: there is none. */
static ritt_status jump_at_fold(ritti_driver *d, ritti_step_outcome *met) {
  RITT_TRY(ritti_find_leap(d, d->row_z, d->step.a, d->err));
  ritti_note_special(d, "fold", true, d->row_z, d->at.travelled, NULL);
  end_passage(d);
  memcpy(d->row_z, d->err, (size_t)d->problem->m * sizeof *d->row_z);
  d->at.s = d->row_z[0];
  RITT_TRY(ritti_passage_return(d));
  RITT_TRY(ritti_place_again(d, d->row_z));
  ritti_note_residual(d, d->step.z);
  met->run_ends = true;
  RITT_TRY(ritti_events_after_jump(d));
  if (d->ended_by >= 0) return RITT_OK;
  if (ritti_row_every_step(d)) RITT_TRY(ritti_write_row(d, d->at.s, d->step.z, d->step.top));
  RITT_TRY(ritti_write_fine(d, d->at.s, d->step.z, d->step.top));
  return d->adaptive ? ritti_control_first_step(d, d->plan.end - d->at.s, &d->next.h) : RITT_OK;
}

/* x turns back within the step: the fold is where dx/ds = 0. Its rows, and the stop or the jump. */
static ritt_status stop_at_fold(ritti_driver *d, ritti_step_outcome *met) {
  ritt_real low = 0, high = 1, slope;
  for (int i = 0; i < 60; i++) {
    ritt_real middle = low + (high - low) / 2;
    if (slope_at(d, middle, &slope) == RITT_OK && slope > 0) low = middle;
    else high = middle;
  }

  RITT_TRY(record_until(d, met, low));
  RITT_TRY(ritti_stepper_dense(&d->step, low, 0, d->row_z, d->row_top));
  RITT_TRY(write_rows(d, d->row_z[0]));
  RITT_TRY(ritti_fine_points(d, d->step.h, low));
  d->at.travelled = length_to(d, low);
  RITT_TRY(ritti_stepper_dense(&d->step, low, 0, d->row_z, d->row_top));
  if (ritti_row_every_step(d)) RITT_TRY(ritti_write_row(d, d->row_z[0], d->row_z, d->row_top));
  ritti_stand_in_row(d);

  /* beside a singular point the way that the computation takes means nothing */
  if (ritti_singular_within(d, d->row_z, (ritt_real)0.01) &&
      ritti_singular_within(d, d->row_z, ritti_singular_watch_limit(d, d->step.z)))
    return ritti_singular_watch_stop(d);
  if (d->options.leap) {
    RITT_TRY(ritti_stepper_dense(&d->step, low, 0, d->row_z, d->row_top));
    ritt_status status = jump_at_fold(d, met);
    if (status != RITT_RETRY) return status;
  }
  return ritti_stop_fold(d, ritti_note_special(d, "fold", false, d->row_z, d->at.travelled, NULL));
}

/* Finds the least dx/ds of the step by ternary search; if it is (almost) 0 against the slopes before
 * and after it the point is an impasse point. */
static ritt_status note_impasse(ritti_driver *d, ritt_real before, ritt_real after) {
  ritt_real low = 0, high = 1, a, b;
  /* there is none inside unless dx/ds falls at the start and rises at the end */
  RITT_TRY(slope_at(d, NEAR, &a));
  RITT_TRY(slope_at(d, 1 - NEAR, &b));
  if (!(a < before) || !(b < after)) return RITT_OK;
  for (int i = 0; i < 80; i++) {
    ritt_real left = low + (high - low) / 3, right = high - (high - low) / 3;
    RITT_TRY(slope_at(d, left, &a));
    RITT_TRY(slope_at(d, right, &b));
    if (a < b) high = right;
    else low = left;
  }
  RITT_TRY(slope_at(d, low, &a));
  if (low < 1e-6 || low > 1 - 1e-6 || !(a < (ritt_real)1e-4 * RITTI_MATH(fmax)(before, after)))
    return RITT_OK;

  d->count.impasses++;
  d->count.impasse_x = d->row_z[0];
  ritt_real arc = length_to(d, low);
  RITT_TRY(slope_at(d, low, &a));
  ritti_note_special(d, "impasse point", true, d->row_z, arc, NULL);
  return RITT_OK;
}

/* The end of the run lies within the arc step just taken. */
static ritt_status end_in_arc(ritti_driver *d, ritti_step_outcome *met) {
  ritt_real theta;
  RITT_TRY(find_x(d, d->plan.end, &theta));
  RITT_TRY(record_until(d, met, theta));
  RITT_TRY(write_rows(d, d->plan.end));
  d->at.travelled = length_to(d, theta);
  RITT_TRY(find_x(d, d->plan.end, &theta));
  if (d->plan.rows.fine) {
    RITT_TRY(ritti_fine_points(d, d->step.h, theta));
    RITT_TRY(ritti_stepper_dense(&d->step, theta, 0, d->row_z, d->row_top));
  }
  d->row_z[0] = d->plan.end;
  ritti_note_residual(d, d->row_z);
  end_passage(d);
  met->run_ends = true;
  met->zeros.cut = -1;
  return ritti_end_in_row(d);
}

/* ---- after an arc step ---- */

/* Is dx/ds at an end of the step larger than rounding errors, so that its sign is right? It is not
 * if a derivative grows without bound while x stands still. */
static bool is_resolved(const ritti_driver *d, ritt_real before, ritt_real after) {
  ritt_real unit = RITTI_MATH(sqrt)(d->arc_weights[0]);
  return unit * RITTI_MATH(fmax)(before, RITTI_MATH(fabs)(after)) > 64 * RITTI_EPS;
}

ritt_status ritti_passage_look(ritti_driver *d, ritti_step_outcome *met) {
  const ritti_stepper *step = &d->step;
  ritt_real before = step->V[0][0] * d->passage.along;
  ritt_real after = step->V[step->last][0] * d->passage.along;
  int cut = met->zeros.cut;
  if (ritti_singular_watch_crossed(d, met->side)) {
    ritt_real low;
    const ritt_special *special = ritti_singular_watch_cross(d, d->next.s_new, &low);
    if (!special->passed) {
      count_part(d);
      ritt_real theta = (low - d->at.s) / step->h;
      RITT_TRY(ritti_stepper_dense(&d->step, theta, 0, d->row_z, d->row_top));
      RITT_TRY(write_rows(d, d->row_z[0]));
      return ritti_singular_watch_stop_before(d, d->next.s_new, d->at.s, special);
    }
  }

  /* x stands still at the end, turns back, or passes the end of the run */
  bool still = cut >= 0 && !(RITTI_MATH(fabs)(after) > (ritt_real)1e-8);
  bool stops = still && !ends_run(d, cut);
  bool resolved = is_resolved(d, before, after), turns = !still && !(after > 0) && resolved;
  bool beyond = (step->z_new[0] - d->plan.end) * d->passage.along >= 0;
  if (stops || turns || beyond) count_part(d);
  if (stops) return ritti_stop_coincidence(d, cut);
  if (turns) return stop_at_fold(d, met);
  if (beyond) return end_in_arc(d, met);
  bool slow = resolved && RITTI_MATH(fmin)(before, after) < (ritt_real)0.1;
  return slow ? note_impasse(d, before, after) : RITT_OK;
}

ritt_status ritti_passage_continue(ritti_driver *d, int cut) {
  ritti_stepper *step = &d->step;
  ritti_arc_passage *passage = &d->passage;
  if (cut >= 0) return leave_passage(d, cut);
  if (ritti_singular_watch_near(d)) {
    RITT_TRY(ritti_singular_watch_go(d));
    if (d->at.stepper_stale) {
      end_passage(d); /* the run has ended inside the gap */
      return RITT_OK;
    }
  }

  /* a curve that continues forever at one x: a derivative grows without bound */
  ritt_real x = passage->last_x, length = RITTI_MATH(fabs)(d->plan.end - d->plan.from);
  ritt_real least = 64 * RITTI_EPS * RITTI_MATH(fmax)(RITTI_MATH(fabs)(x), length);
  if (RITTI_MATH(fabs)(step->z[0] - x) > least) {
    passage->last_x = step->z[0];
    passage->standing = 0;
  } else if (++passage->standing > MOST_STANDING) {
    return ritti_stop_growth(d);
  }

  /* is dx/ds large enough again? */
  d->direction.arc = NULL;
  ritt_status status = ritti_direction_at(&d->direction, step->z, d->err);
  d->direction.arc = d->arc_weights;
  bool steep = status == RITT_OK && slope_of(d, d->err) > 10 * near_of(d) * d->fold.best_slope;
  return steep ? leave_passage(d, -1) : RITT_OK;
}
