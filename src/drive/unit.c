/* A model that another program moves: see unit.h.
 *
 * Co-simulation: the driver runs to the end as in a run with rows, and the communication point is the
 * only row that is asked for, so that its bits are those of a row there. A communication point inside
 * the last step comes from dense output. If an event has moved the driver away from that step, the
 * state before the step is loaded and the step is taken again; so it is at the place of an event, where
 * a row has the values before it. The state of the unit is this earlier state, too, with the
 * communication point.
 */
#include "drive/unit.h"
#include "drive/driver_impl.h"

ritt_status ritti_unit_new(const ritti_standalone *alone, ritti_arena *arena, ritt_error *error,
                           ritti_unit **out) {
  const ritti_problem *p = alone->problem;
  ritti_solve_options options = alone->options;
  ritti_unit *U;
  RITTI_NEW(U, arena, 1);
  RITTI_NEW_ARRAYS(arena, p->m, U->given, U->z, U->V);
  RITTI_NEW(U->top, arena, p->tops + 1);
  RITTI_NEW(U->base, arena, p->tops + 1);
  RITTI_NEW(U->side, arena, p->monitors + 1);
  RITTI_NEW(U->shift, arena, p->events + 1);
  RITTI_NEW(U->zero, arena, p->monitors + 1);
  RITTI_NEW(U->output, arena, p->outputs + 1);
  RITTI_NEW(U->kept, arena, p->m);
  options.tableau = ritti_method_find(alone->method);
  U->alone = alone;
  U->error = error;
  RITT_TRY(ritti_driver_new(p, &options, arena, &U->driver));
  ritti_unit_forget_times(U);
  memcpy(U->given, alone->start, (size_t)p->m * sizeof *U->given);
  *out = U;
  return RITT_OK;
}

void ritti_unit_free(ritti_unit *U) {
  if (!U) return;
  ritti_free(U->before);
  ritti_arena_free(U->own);
  U->before = NULL;
  U->own = NULL;
}

/* ---- the method ---- */

/* Makes a driver of the other method, without a point, and gives it the parameters and the values of
 * invariants of the driver before it, which the caller frees: *arena is where it was. */
static ritt_status replace_driver(ritti_unit *U, bool implicit, int changes, ritti_arena **arena) {
  const ritti_standalone *A = U->alone;
  const ritti_problem *p = A->problem;
  const ritti_driver *old = U->driver;
  ritti_solve_options options = implicit ? *A->stiff : A->options;
  ritti_driver *next;
  ritti_arena *own = ritti_arena_new();
  options.tableau = ritti_method_find(implicit ? A->stiff_method : A->method);
  options.relative = A->options.relative, options.absolute = A->options.absolute;
  options.scale = A->options.scale;
  options.top_relative = A->options.top_relative, options.top_absolute = A->options.top_absolute;
  options.automatic = changes < RITTI_MOST_METHOD_CHANGES;
  if (!own) return RITT_NO_MEMORY;
  ritt_status status = ritti_driver_new(p, &options, own, &next);
  if (status != RITT_OK) {
    ritti_arena_free(own);
    return status;
  }
  memcpy(next->work + A->parameter_at, old->work + A->parameter_at,
         (size_t)A->parameters * sizeof *next->work);
  for (int row = 0; row < p->k; row++) {
    if (p->level_of[row] < 0) continue;
    size_t at = p->level_at + (size_t)p->level_of[row];
    next->work[at] = old->work[at];
  }
  *arena = U->own;
  U->own = own;
  U->driver = next;
  U->implicit = implicit;
  U->changes = changes;
  return RITT_OK;
}

/* Lets the other method go on from the driver's point, as a run of the program does. */
static ritt_status change_method(ritti_unit *U) {
  const ritti_driver *old = U->driver;
  ritti_arena *arena = NULL;
  bool implicit = old->need == RITTI_NEED_IMPLICIT;
  RITT_TRY(replace_driver(U, implicit, U->changes + 1, &arena));
  ritti_driver *next = U->driver;
  ritt_status status = ritti_driver_start(next, old->at.s, old->step.z, U->error);
  if (status == RITT_OK) {
    for (int i = 0; i < old->problem->m; i++) ritti_sizes_copy(next, i, old, i);
    next->at.travelled = old->at.travelled;
    next->next.h = old->next.h;
    ritti_driver_follow(next, old);
  }
  ritti_arena_free(arena);
  return status;
}

ritt_real *ritti_unit_parameters(ritti_unit *U) { return U->driver->work + U->alone->parameter_at; }

/* ---- the start ---- */

/* The point of M near z with the same x, and the kept coordinates if they determine one. */
static ritt_status move_start(ritti_unit *U, const bool *kept, ritt_real *z) {
  ritti_driver *d = U->driver;
  const ritti_problem *p = d->problem;
  size_t size = (size_t)p->m * sizeof *z;
  memcpy(d->step.z, z, size);
  ritti_control_metric(d);
  memcpy(d->err, d->manifold.inverse_weights, size);
  d->manifold.inverse_weights[0] = 0;
  for (int i = 0; kept && i < p->m; i++)
    if (kept[i]) d->manifold.inverse_weights[i] = 0;
  memcpy(d->row_z, z, size);
  ritt_status status = ritti_manifold_project(&d->manifold, z, z);
  memcpy(d->manifold.inverse_weights, d->err, size);
  if (status != RITT_RETRY || !kept) return status;

  /* the kept coordinates cannot all stay */
  memcpy(z, d->row_z, size);
  return move_start(U, NULL, z);
}

/* Copies the driver's point. */
static void copy_point(ritti_unit *U) {
  const ritti_driver *d = U->driver;
  const ritti_problem *p = d->problem;
  U->s = d->at.s;
  U->known = false;
  U->passed = true;
  memcpy(U->z, d->at.z, (size_t)p->m * sizeof *U->z);
  memcpy(U->top, d->at.top, (size_t)p->tops * sizeof *U->top);
  memcpy(U->base, U->top, (size_t)p->tops * sizeof *U->top);
}

ritt_status ritti_unit_start(ritti_unit *U, bool moved, const bool *kept) {
  ritti_driver *d = U->driver;
  ritt_real *z = U->z;
  U->begun = U->ended = U->failed = false;
  U->before_size = 0;
  U->moved = 0;
  memcpy(z, U->given, (size_t)d->problem->m * sizeof *z);
  d->error = U->error;
  if (moved) {
    ritt_status status = ritti_set_levels(d, z);
    if (status == RITT_OK) status = move_start(U, kept, z);
    RITT_TRY(ritti_stop(d, status));
  }
  RITT_TRY(ritti_driver_start(d, U->alone->options.by_arc ? 0 : z[0], z, U->error));
  copy_point(U);
  memcpy(U->given, z, (size_t)d->problem->m * sizeof *z);
  return RITT_OK;
}

/* ---- states of the driver ---- */

/* Saves the driver before a step. */
static ritt_status save_before(ritti_unit *U) {
  ritti_state count = {.mode = RITTI_STATE_COUNT};
  RITT_TRY(ritti_driver_state(U->driver, &count));
  if (count.at > U->before_room) {
    unsigned char *more = ritti_realloc(U->before, count.at);
    if (!more) return RITT_NO_MEMORY;
    U->before = more;
    U->before_room = count.at;
  }
  ritti_state save = {.mode = RITTI_STATE_SAVE, .to = U->before, .size = count.at};
  U->before_size = count.at;
  U->before_implicit = U->implicit, U->before_changes = U->changes;
  return ritti_driver_state(U->driver, &save);
}

/* Loads the state of a driver with this method after as many changes. */
static ritt_status load_driver(ritti_unit *U, bool implicit, int changes,
                               const unsigned char *bytes, size_t size) {
  if (implicit != U->implicit || changes != U->changes) {
    ritti_arena *arena = NULL;
    if (!U->alone->stiff) return RITT_WRONG_CALL;
    RITT_TRY(replace_driver(U, implicit, changes, &arena));
    ritti_arena_free(arena);
    U->driver->error = U->error;
  }
  ritti_state load = {.mode = RITTI_STATE_LOAD, .from = bytes, .size = size};
  return ritti_driver_state(U->driver, &load);
}

/* ---- co-simulation ---- */

const ritt_real *ritti_unit_outputs(ritti_unit *U) {
  const ritti_problem *p = U->driver->problem;
  if (!U->known) (void)p->call.output(p->data, U->driver->work, U->z, U->top, U->output);
  U->known = true;
  return U->output;
}

static ritt_status take_wanted(void *user, ritt_real s, const ritt_real *z, const ritt_real *top) {
  ritti_unit *U = user;
  const ritti_problem *p = U->driver->problem;
  U->s = s;
  memcpy(U->z, z, (size_t)p->m * sizeof *z);
  memcpy(U->top, top, (size_t)p->tops * sizeof *top);
  U->taken = true;
  U->known = U->passed = false;
  (void)ritti_unit_outputs(U);
  return RITT_OK;
}

/* The run goes on to `end`, with one row at `to`. */
static void aim_run(ritti_unit *U, ritt_real to, ritt_real end) {
  ritti_driver *d = U->driver;
  U->wanted = to;
  U->taken = false;
  const ritti_rows rows = {.at = &U->wanted, .count = 1};
  if (!U->begun) {
    ritti_driver_begin(d, end, &rows, take_wanted, U, U->error);
    U->begun = true;
    U->end = end;
    return;
  }
  bool behind = (to - U->end) * d->plan.along > 0;
  if (behind) {
    U->end = 2 * to - d->plan.from;
    ritti_driver_begin(d, U->end, &rows, take_wanted, U, U->error);
    d->phase = RITTI_PHASE_AIM;
    return;
  }
  ritti_driver_resume(d, U->end, &rows, take_wanted, U, U->error);
  d->plan.next = 0;
  ritti_find_row_horizon(d);
}

/* Goes on until a step is accepted, or the run is over. */
static ritt_status take_step(ritti_unit *U) {
  ritti_driver *d = U->driver;
  long accepted = d->count.accepted;
  RITT_TRY(save_before(U));
  while (d->count.accepted == accepted) {
    ritti_need need = ritti_driver_next(d);
    if (need == RITTI_NEED_IMPLICIT || need == RITTI_NEED_EXPLICIT) {
      RITT_TRY(change_method(U));
      d = U->driver;
      accepted = d->count.accepted;
    } else if (need == RITTI_NEED_STEP) ritti_driver_take(d);
    else return RITT_OK;
  }
  return RITT_OK;
}

/* The model must be completed again, which needs more than an FMU has. */
static ritt_status stop_at_new_form(ritti_unit *U) {
  const ritti_driver *d = U->driver;
  const ritti_problem *p = d->problem;
  const char *hint = p->kind == RITT_IMPLICIT ? "write 'kind general' in the model" : NULL;
  return ritti_fail(U->error, RITT_STOPPED, NULL, hint,
                    "the run stopped at %s = %.12g: the equations change their form there",
                    p->name.coordinate(p->data, 0), (double)d->step.z[0]);
}

/* The run is over before the row has come. */
static ritt_status finish_run(ritti_unit *U, bool *arrived) {
  ritti_driver *d = U->driver;
  *arrived = true;
  if (d->need == RITTI_NEED_NOTHING && d->ended_by >= 0) {
    U->ended = true;
    copy_point(U);
    return RITT_OK;
  }
  U->failed = true;
  if (d->need != RITTI_NEED_COMPLETION) return d->status == RITT_OK ? RITT_STOPPED : d->status;
  return stop_at_new_form(U);
}

/* Has an event acted at the driver's point? Then no step ends there any more. */
static bool event_has_acted(const ritti_unit *U) {
  const ritti_driver *d = U->driver;
  return U->begun && d->at.step_start == d->at.s && !d->passage.active;
}

void ritti_unit_pass_event(ritti_unit *U) {
  if (U->event) copy_point(U);
  U->event = false;
}

ritt_status ritti_unit_follow(ritti_unit *U, ritt_real to, ritt_real end, bool *arrived) {
  ritti_driver *d = U->driver;
  *arrived = true;
  U->event = false;
  if (U->ended || U->failed) return RITT_STOPPED;
  if (U->begun && to == U->s) return RITT_OK;

  /* an event on the way is where the unit goes first */
  if (U->by_event && event_has_acted(U) && (d->at.s - U->s) * d->plan.along > 0 &&
      (to - d->at.s) * d->plan.along >= 0)
    to = d->at.s;

  /* inside the last step */
  bool inside = U->begun && !((to - d->at.s) * d->plan.along > 0) && !d->passage.active;
  bool moved = inside && to == d->at.s && event_has_acted(U);
  U->known = false;
  if (inside && !moved && ritti_driver_dense(d, to, U->z, U->top, U->V) == RITT_OK) {
    U->s = to;
    U->passed = false;
    return RITT_OK;
  }
  if (inside)
    RITT_TRY(load_driver(U, U->before_implicit, U->before_changes, U->before, U->before_size));

  /* by steps */
  if (!U->begun || U->wanted != to || inside) aim_run(U, to, end);
  RITT_TRY(take_step(U));
  d = U->driver;
  if (U->taken) {
    U->event = U->by_event && event_has_acted(U) && d->at.s == to;
    return RITT_OK;
  }
  bool over = d->need != RITTI_NEED_STEP;
  bool continues = d->need == RITTI_NEED_NOTHING && d->ended_by < 0 && d->at.s == d->plan.end;
  if (over && !continues) return finish_run(U, arrived);
  if (continues) aim_run(U, to, end);
  *arrived = false;
  bool event = U->by_event && event_has_acted(U); /* the unit is to stop before it */
  if (!d->passage.active && !event) copy_point(U);
  return RITT_OK;
}

void ritti_unit_note_sides(ritti_unit *U) {
  ritti_driver *d = U->driver;
  const ritti_problem *p = d->problem;
  ritti_monitor_watch *w = &d->monitors;
  if (U->noted || p->events == 0) return;
  U->noted = p->call.monitor(p->data, d->work, U->z, U->top, w->value) == RITT_OK &&
             ritti_monitors_levels(d, U->z, U->top) == RITT_OK;
  for (int i = 0; U->noted && i < p->events; i++) {
    bool clear = RITTI_MATH(fabs)(w->value[i]) > w->level[i];
    U->side[i] = !clear ? 0 : w->value[i] > 0 ? 1 : -1;
  }
}

/* Events that happen because their functions have changed their signs where the run begins again. */
static ritt_status act_on_changes(ritti_unit *U) {
  ritti_driver *d = U->driver;
  const ritti_problem *p = d->problem;
  ritt_real left = U->end - U->s;
  U->noted = false;
  d->length = RITTI_MATH(fmax)(d->length, RITTI_MATH(fabs)(left));
  ritti_sizes_begin(d, d->length);
  RITT_TRY(ritti_stop(d, ritti_events_begin(d, 1)));
  d->at.fresh = false;
  for (int i = 0; i < p->events; i++)
    if (U->side[i]) d->monitors.side[i] = U->side[i];
  if (d->ended_by < 0) RITT_TRY(ritti_driver_take_inputs(d, U->error));
  U->ended = d->ended_by >= 0;
  copy_point(U);
  return RITT_OK;
}

ritt_status ritti_unit_restart(ritti_unit *U) {
  const ritti_problem *p = U->driver->problem;
  memcpy(U->given, U->z, (size_t)p->m * sizeof *U->z);
  ritt_real s = U->s;

  /* states stay, unknowns that follow from them are solved for again */
  for (int i = 0; i < p->m; i++) U->kept[i] = p->role && p->role[i] != RITTI_ROLE_FOLLOWS;
  RITT_TRY(ritti_unit_start(U, true, p->role ? U->kept : NULL));
  U->s = U->driver->at.s = U->driver->at.step_start = s;
  return U->noted ? act_on_changes(U) : RITT_OK;
}

/* In a run over arc length what the driver remembers of the direction stays as it was. */
static ritt_status find_arc_direction(ritti_unit *U) {
  ritti_driver *d = U->driver;
  ritti_state count = {.mode = RITTI_STATE_COUNT};
  ritti_direction_state(d->step.direction, &count);
  unsigned char *bytes = ritti_malloc(count.at);
  if (!bytes) return RITT_NO_MEMORY;
  ritti_state save = {.mode = RITTI_STATE_SAVE, .to = bytes, .size = count.at};
  ritti_state load = {.mode = RITTI_STATE_LOAD, .from = bytes, .size = count.at};
  ritti_direction_state(d->step.direction, &save);
  ritt_status status = ritti_direction_at(d->step.direction, U->z, U->V);
  ritti_direction_state(d->step.direction, &load);
  ritti_free(bytes);
  return status;
}

ritt_status ritti_unit_direction(ritti_unit *U) {
  const ritti_problem *p = U->driver->problem;
  if (U->driver->options.by_arc) return find_arc_direction(U);
  U->V[0] = 1;
  for (int i = 1; i < p->m; i++) {
    int next = p->next[i];
    U->V[i] = next >= 0 ? U->z[next] : U->top[-1 - next];
  }
  return RITT_OK;
}

/* ---- model exchange ---- */

/* V at the point. Unknowns that are solved for are sought from those of the last step that was completed,
 * so that trials of the other program, good or bad, leave no trace; then from those of the last trial,
 * then by a homotopy. */
static ritt_status find_direction(ritti_unit *U) {
  ritti_driver *d = U->driver;
  ritti_direction *direction = d->step.direction;
  if (d->problem->kind != RITT_IMPLICIT) return ritti_direction_at(direction, U->z, U->V);
  ritti_direction_begin_with(&d->direction, U->base);
  ritt_status status = ritti_direction_at(direction, U->z, U->V);
  if (status != RITT_RETRY) return status;
  ritti_direction_begin_with(&d->direction, U->top);
  status = ritti_direction_at(direction, U->z, U->V);
  if (status != RITT_RETRY) return status;
  ritti_direction_begin_with(&d->direction, U->base);
  return ritti_direction_solve_again(direction, U->z, U->V);
}

ritt_status ritti_unit_complete_step(ritti_unit *U) {
  ritti_driver *d = U->driver;
  const ritti_problem *p = d->problem;
  memcpy(U->base, U->top, (size_t)p->tops * sizeof *U->base);

  /* the driver looks for singular points from here; in a run over arc length V goes on from here */
  ritt_real moved = 0;
  for (int i = 0; i < p->m; i++) {
    ritt_real part = (U->z[i] - d->step.z[i]) / ritti_size_of(d, i);
    moved += part * part;
  }
  memcpy(d->step.z, U->z, (size_t)p->m * sizeof *U->z);
  memcpy(d->step.V[0], U->V, (size_t)p->m * sizeof *U->V);
  d->step.direction->reference = d->step.V[0];
  d->next.h = 1;
  int side = ritti_singular_watch_side(d, U->z, U->V);
  bool ahead =
      p->kind == RITT_GENERAL && /* of other kinds branches cross, and steps go straight on */
      ritti_singular_watch_ahead(d, RITTI_MATH(sqrt)(moved));
  if (ritti_singular_watch_crossed(d, side) || ahead)
    return ritti_fail(U->error, RITT_STOPPED, NULL,
                      "export it for co-simulation, which may pass it as 'ritt run' does",
                      "there is a singular point near %s = %.12g, which model exchange cannot "
                      "pass",
                      p->name.coordinate(p->data, 0), (double)U->z[0]);
  if (side) d->at.side = side;
  return RITT_OK;
}

ritt_status ritti_unit_evaluate(ritti_unit *U) {
  ritti_driver *d = U->driver;
  const ritti_problem *p = d->problem;
  ritti_manifold *manifold = d->step.manifold;
  ritti_direction *direction = d->step.direction;
  memcpy(U->z, U->given, (size_t)p->m * sizeof *U->z);
  U->known = false;
  if (!d->options.by_arc) U->z[0] = U->s;

  /* the point, by factors of its own */
  manifold->cache.factored = 0;
  ritt_status status = ritti_manifold_project(manifold, U->z, U->z);
  if (status == RITT_OK) status = find_direction(U);
  if (status == RITT_RETRY) {
    memcpy(d->step.z, U->z, (size_t)p->m * sizeof *U->z);
    d->at.s = U->s;
  }
  RITT_TRY(ritti_stop(d, status));
  memcpy(U->top, direction->top, (size_t)p->tops * sizeof *U->top);

  /* how far it has moved */
  for (int i = 0; i < p->m; i++) d->err[i] = U->z[i] - U->given[i];
  if (!d->options.by_arc) d->err[0] = 0;
  U->moved = ritti_tolerance_norm(d, d->err, U->z);
  return RITT_OK;
}

/* ---- events at given times ---- */

void ritti_unit_forget_times(ritti_unit *U) {
  for (int i = 0; i < U->driver->problem->monitors; i++) U->zero[i] = -INFINITY;
}

ritt_real ritti_unit_next_time(const ritti_unit *U) {
  ritt_real next = INFINITY;
  for (int i = 0; U->timed && i < U->driver->problem->monitors; i++)
    if (U->timed[i] && U->zero[i] > U->s && U->zero[i] < next) next = U->zero[i];
  return next;
}

/* Is the function of the monitor at x at its zero, or on the other side of it? */
static bool has_passed(ritti_unit *U, int monitor, ritt_real x) {
  ritti_driver *d = U->driver;
  const ritti_problem *p = d->problem;
  ritti_monitor_watch *w = &d->monitors;
  memcpy(d->err, U->z, (size_t)p->m * sizeof *d->err);
  d->err[0] = x;
  if (p->call.monitor(p->data, d->work, d->err, U->top, w->value) != RITT_OK) return false;
  return w->side[monitor] > 0 ? w->value[monitor] <= 0 : w->value[monitor] >= 0;
}

/* The first x at which a sample of the function has passed its zero. Zeros between two samples may be
 * missed: importers see them by the indicators, as all others. */
static ritt_real find_zero(ritti_unit *U, int monitor) {
  enum { SAMPLES = 1000 };
  ritt_real left = U->s, right = U->s, part = (U->end - U->s) / SAMPLES;
  bool found = false;
  if (!(part > 0) || U->driver->monitors.side[monitor] == 0) return INFINITY;
  for (int k = 1; k <= SAMPLES && !found; k++) {
    left = right;
    right = k < SAMPLES ? U->s + (ritt_real)k * part : U->end;
    found = has_passed(U, monitor, right);
  }
  if (!found) return INFINITY;
  for (;;) {
    ritt_real middle = left + (right - left) / 2;
    if (!(middle > left && middle < right)) break;
    if (has_passed(U, monitor, middle)) right = middle;
    else left = middle;
  }
  /* a zero at once is that of an event which has just happened */
  return right - U->s > 1e-6 * part ? right : -INFINITY;
}

/* again: one of them has just been passed, which may change the functions of the others, too */
static void find_times(ritti_unit *U, bool again) {
  for (int i = 0; U->timed && i < U->driver->problem->monitors; i++)
    if (U->timed[i] && (again || !(U->zero[i] > U->s))) U->zero[i] = find_zero(U, i);
}

/* Has the other program come to the time of the event? It may have rounded it. */
static bool is_time_of(const ritti_unit *U, int monitor) {
  if (!U->timed || !U->timed[monitor]) return false;
  ritt_real rounding = 4 * RITTI_EPS * RITTI_MATH(fabs)(U->s);
  return U->zero[monitor] > -INFINITY && U->s >= U->zero[monitor] - rounding;
}

/* Places the driver at the unit's point. */
static ritt_status place_driver(ritti_unit *U) {
  ritti_driver *d = U->driver;
  d->at.s = U->s;
  d->step.h = 1;
  ritti_control_metric(d);
  return ritti_place_again(d, U->z);
}

/* Finds the monitors whose indicators have passed their zeros. Zero itself belongs to the negative side,
 * as importers see it by the standard. */
static ritt_status find_due(ritti_unit *U) {
  ritti_driver *d = U->driver;
  const ritti_problem *p = d->problem;
  ritti_monitor_watch *w = &d->monitors;
  RITT_TRY(ritti_unit_indicators(U, w->value));
  for (int i = 0; i < p->monitors; i++) {
    bool slides = ritti_slides(d, i);
    ritt_real side = slides ? 1 : (ritt_real)w->side[i];
    w->due[i] = side > 0 ? w->value[i] <= 0 : side < 0 && w->value[i] > 0;
    w->due[i] = w->due[i] || is_time_of(U, i);
    if (w->side[i] == 0) w->side[i] = w->value[i] > 0 ? 1 : -1;
  }
  return RITT_OK;
}

/* Acts at one monitor that is due. */
static ritt_status act_at(ritti_unit *U, int monitor) {
  ritti_driver *d = U->driver;
  const ritti_problem *p = d->problem;
  int surface = monitor - p->events;
  if (surface >= p->surfaces)
    return ritti_fail(U->error, RITT_STOPPED, NULL, "export the model again from there on",
                      "the equations change their form at %s = %.12g",
                      p->name.coordinate(p->data, 0), (double)U->z[0]);
  U->acted = true;
  if (ritti_slides(d, monitor)) return ritti_slide_leave(d);
  if (surface >= 0) return ritti_event_act(d, monitor);

  /* an event has another side now */
  const ritti_event *event = &p->event[monitor];
  int side = d->monitors.side[monitor];
  d->monitors.side[monitor] = -side;
  if (event->sense == side || (!event->stop && !event->kept)) return RITT_OK;
  return ritti_event_act(d, monitor);
}

/* Leaves surfaces that nothing holds the run at any more: another switch has taken the force away. */
static ritt_status leave_freed(ritti_unit *U) {
  ritti_driver *d = U->driver;
  for (int round = 0; d->slide && round <= d->problem->monitors; round++) {
    bool held = true;
    RITT_TRY(ritti_direction_at(d->step.direction, d->step.z, d->err));
    for (int i = 0; i < d->problem->monitors; i++)
      if (ritti_slides(d, i)) held = held && ritti_slide_margin(d, i) >= 0;
    if (held) return RITT_OK;
    U->acted = true;
    RITT_TRY(ritti_slide_leave(d));
  }
  return RITT_OK;
}

/* Behind an event the indicator is on the side of its function: a ball that has just bounced is a little
 * below the ground, and must be seen to come back. */
static ritt_status shift_indicators(ritti_unit *U) {
  ritti_driver *d = U->driver;
  const ritti_problem *p = d->problem;
  ritti_monitor_watch *w = &d->monitors;
  for (int i = 0; i < p->events; i++) U->shift[i] = 0;
  if (p->events == 0) return RITT_OK;
  RITT_TRY(ritti_unit_indicators(U, w->value));
  for (int i = 0; i < p->events; i++) {
    ritt_real side = (ritt_real)w->side[i], unseen = RITTI_UNSEEN * w->level[i];
    ritt_real value = w->value[i] * side;
    if (side != 0 && !ritti_slides(d, i) && !(value > unseen / 2)) U->shift[i] = 2 * unseen - value;
  }
  return RITT_OK;
}

ritt_status ritti_unit_act(ritti_unit *U, bool first, bool *ended) {
  ritti_driver *d = U->driver;
  const ritti_problem *p = d->problem;
  d->error = U->error;
  *ended = U->ended;
  U->acted = false;
  RITT_TRY(ritti_unit_evaluate(U));
  ritt_status status = first ? RITT_OK : find_due(U);
  if (status == RITT_OK) status = place_driver(U);
  if (status == RITT_OK && first) {
    d->length = RITTI_MATH(fmax)(d->length, RITTI_MATH(fabs)(U->end - U->s));
    ritti_sizes_begin(d, d->length);
    status = ritti_events_begin(d, 1);
  }
  for (int i = 0; !first && status == RITT_OK && i < p->monitors; i++)
    if (d->monitors.due[i] && d->ended_by < 0) status = act_at(U, i);
  if (status == RITT_OK && d->ended_by < 0) status = leave_freed(U);
  if (status == RITT_OK && p->monitors) status = ritti_monitors_levels(d, d->step.z, d->step.top);
  if (status == RITT_STOPPED && d->need == RITTI_NEED_COMPLETION) return stop_at_new_form(U);
  RITT_TRY(ritti_stop(d, status));

  U->ended = *ended = d->ended_by >= 0;
  copy_point(U);
  memcpy(U->given, U->z, (size_t)p->m * sizeof *U->z);
  U->moved = 0;
  bool passed = first;
  for (int i = 0; !first && U->timed && i < p->monitors; i++)
    passed = passed || (U->timed[i] && d->monitors.due[i]);
  find_times(U, passed);
  return shift_indicators(U);
}

ritt_status ritti_unit_indicators(ritti_unit *U, ritt_real *out) {
  ritti_driver *d = U->driver;
  const ritti_problem *p = d->problem;
  const ritti_monitor_watch *w = &d->monitors;
  if (!p->monitors) return RITT_OK;
  RITT_TRY(ritti_stop(d, p->call.monitor(p->data, d->work, U->z, U->top, out)));
  for (int i = 0; i < p->monitors; i++) {
    bool norm = ritti_is_norm(p, i);
    if (ritti_slides(d, i)) out[i] = ritti_slide_margin(d, i);
    else if (ritti_is_term(p, i) || (norm && ritti_slides(d, i + 1))) out[i] = 1;
    else if (norm) out[i] -= w->radius[i];
    else {
      ritt_real shift = RITTI_UNSEEN * w->level[i];
      if (i < p->events) shift = RITTI_MATH(fmax)(shift, U->shift[i]);
      out[i] += (ritt_real)w->side[i] * shift;
    }
  }
  return RITT_OK;
}

/* ---- changes of the point ---- */

/* Least x with matrix x = right; the columns of the sparse matrix are multiplied with scale (NULL: 1). */
static ritt_status solve_least(const ritti_pattern *pattern, const ritt_real *entry,
                               const ritt_real *scale, const ritt_real *right, ritt_real *x) {
  size_t rows = (size_t)pattern->rows, cols = (size_t)pattern->cols;
  if (rows == 0 || cols == 0) {
    memset(x, 0, cols * sizeof *x);
    return RITT_OK;
  }
  size_t scratch = ritti_least_norm_scratch(pattern->rows, pattern->cols);
  ritt_real *room = ritti_malloc((rows * cols + scratch) * sizeof *room);
  int *order = ritti_malloc((rows + cols) * sizeof *order);
  int rank = -1;
  if (room && order) {
    memset(room, 0, rows * cols * sizeof *room);
    for (size_t i = 0; i < rows; i++)
      for (int e = pattern->start[i]; e < pattern->start[i + 1]; e++)
        room[i * cols + (size_t)pattern->col[e]] += entry[e] * (scale ? scale[pattern->col[e]] : 1);
    rank = ritti_least_norm(pattern->rows, pattern->cols, room, right, (ritt_real)1e-13, x,
                            room + rows * cols, order);
  }
  bool memory = room && order;
  ritti_free(room);
  ritti_free(order);
  if (!memory) return RITT_NO_MEMORY;
  return rank < 0 ? RITT_RETRY : RITT_OK;
}

/* out = -(matrix v) - change */
static void multiply_negative(const ritti_pattern *pattern, const ritt_real *entry,
                              const ritt_real *v, const ritt_real *change, ritt_real *out) {
  for (int i = 0; i < pattern->rows; i++) {
    out[i] = -change[i];
    for (int e = pattern->start[i]; e < pattern->start[i + 1]; e++)
      out[i] -= entry[e] * v[pattern->col[e]];
  }
}

/* Moves dz, by its coordinates from .. to - 1, to where rows first .. last - 1 of df dz + change vanish,
 * in the metric of the projection. room: k + 2 m */
static ritt_status make_tangent(ritti_unit *U, int first, int last, int from, int to,
                                const ritt_real *df, const ritt_real *change, ritt_real *room,
                                ritt_real *dz) {
  const ritti_problem *p = U->driver->problem;
  const ritt_real *inverse_weights = U->driver->step.manifold->inverse_weights;
  const ritti_pattern rows = {last - first, p->m, p->df.start + first, p->df.col};
  ritt_real *right = room, *scale = right + p->k, *x = scale + p->m;
  multiply_negative(&rows, df, dz, change + first, right);
  for (int i = 0; i < p->m; i++)
    scale[i] = i >= from && i < to ? RITTI_MATH(sqrt)(inverse_weights[i]) : 0;
  RITT_TRY(solve_least(&rows, df, scale, right, x));
  for (int i = 0; i < p->m; i++) dz[i] += scale[i] * x[i];
  return RITT_OK;
}

/* dz: the change, moved as the projection moves points when the rows of f change. */
static ritt_status change_point(ritti_unit *U, const ritt_real *given, const ritt_real *change,
                                ritt_real *room, ritt_real *dz) {
  ritti_driver *d = U->driver;
  const ritti_problem *p = d->problem;
  int n = p->positions, l = p->constraints;
  ritt_real *f = room, *df = f + p->k;
  memcpy(dz, given, (size_t)p->m * sizeof *dz);
  if (p->k == 0) return RITT_OK;
  RITT_TRY(p->call.f_df(p->data, d->work, U->z, f, df));
  room = df + p->df.start[p->k];
  if (d->step.manifold->variant != RITTI_PROJECT_SEQUENTIAL)
    return make_tangent(U, 0, p->k, 0, p->m, df, change, room, dz);
  RITT_TRY(make_tangent(U, 0, l, 0, n + 1, df, change, room, dz));
  return make_tangent(U, l, 2 * l, n + 1, p->m, df, change, room, dz);
}

/* A dtop = -dr dz - change, or dtop = dr dz + change for formulas. */
static ritt_status change_tops(ritti_unit *U, const ritt_real *dz, const ritt_real *change,
                               ritt_real *room, ritt_real *dtop) {
  ritti_driver *d = U->driver;
  const ritti_problem *p = d->problem;
  if (p->tops == 0) return RITT_OK;
  ritt_real *right = room, *b = right + p->dr.rows, *dr = b + p->dr.rows;
  ritt_real *A = dr + p->dr.start[p->dr.rows];
  RITT_TRY(p->call.system_dz(p->data, d->work, U->z, U->top, dr));
  multiply_negative(&p->dr, dr, dz, change, right);
  if (p->kind == RITT_EXPLICIT) {
    for (int i = 0; i < p->tops; i++) dtop[i] = -right[i];
    return RITT_OK;
  }
  if (p->kind == RITT_IMPLICIT) RITT_TRY(p->call.system_at(p->data, d->work, U->z, U->top, A));
  else RITT_TRY(p->call.system(p->data, d->work, U->z, A, b));
  return solve_least(&p->A, A, NULL, right, dtop);
}

static size_t entries_of(const ritti_pattern *pattern) {
  return pattern->start ? (size_t)pattern->start[pattern->rows] : 0;
}

ritt_status ritti_unit_change(ritti_unit *U, const ritt_real *given, const ritt_real *rows,
                              ritt_real *dz, ritt_real *dtop) {
  const ritti_problem *p = U->driver->problem;
  size_t most = (size_t)(p->k > p->dr.rows ? p->k : p->dr.rows);
  size_t entries = entries_of(&p->df) + entries_of(&p->dr) + entries_of(&p->A);
  ritt_real *room = ritti_malloc((2 * most + 2 * (size_t)p->m + entries + 1) * sizeof *room);
  if (!room) return RITT_NO_MEMORY;
  ritt_status status = change_point(U, given, rows, room, dz);
  if (status == RITT_OK) status = change_tops(U, dz, rows + p->k, room, dtop);
  ritti_free(room);
  return status;
}

ritt_status ritti_unit_indicator_changes(ritti_unit *U, const ritt_real *dz, const ritt_real *dtop,
                                         ritt_real *out) {
  ritti_driver *d = U->driver;
  const ritti_problem *p = d->problem;
  const ritti_pattern *pattern = &p->dmonitor;
  if (!p->monitors) return RITT_OK;
  RITT_TRY(p->call.monitor_df(p->data, d->work, U->z, U->top, d->monitors.df));
  for (int i = 0; i < p->monitors; i++) {
    if (ritti_slides(d, i)) return RITT_RETRY;
    out[i] = 0;
    for (int e = pattern->start[i]; e < pattern->start[i + 1]; e++) {
      int j = pattern->col[e];
      out[i] += d->monitors.df[e] * (j < p->m ? dz[j] : dtop[j - p->m]);
    }
  }
  return RITT_OK;
}

/* ---- states ---- */

typedef struct unit_state {
  ritt_real s, end, moved;
  bool begun, ended, failed;
  bool event, passed;
  bool noted;
  bool implicit; /* the method of the driver */
  int changes;
  bool replay; /* the bytes are those before the last step */
  size_t size;
} unit_state;

size_t ritti_unit_save(ritti_unit *U, unsigned char *bytes) {
  const ritti_problem *p = U->driver->problem;
  bool replay = U->begun && U->before_size > 0;
  ritti_state count = {.mode = RITTI_STATE_COUNT};
  if (!replay && ritti_driver_state(U->driver, &count) != RITT_OK) return 0;
  size_t m = (size_t)p->m * sizeof *U->z, tops = (size_t)p->tops * sizeof *U->top;
  size_t events = (size_t)p->events * sizeof *U->shift;
  size_t own = (size_t)U->alone->parameters * sizeof(ritt_real);
  size_t sides = (size_t)p->events * sizeof *U->side;
  size_t zeros = (size_t)p->monitors * sizeof *U->zero;
  unit_state head;
  memset(&head, 0, sizeof head);
  head.s = U->s, head.end = U->end, head.moved = U->moved;
  head.begun = U->begun, head.ended = U->ended, head.failed = U->failed;
  head.replay = replay;
  head.event = U->event, head.passed = U->passed;
  head.noted = U->noted;
  head.implicit = replay ? U->before_implicit : U->implicit;
  head.changes = replay ? U->before_changes : U->changes;
  head.size = replay ? U->before_size : count.at;
  if (bytes) {
    memcpy(bytes, &head, sizeof head);
    bytes += sizeof head;
    memcpy(bytes, U->given, m);
    memcpy(bytes + m, U->z, m);
    memcpy(bytes + 2 * m, U->V, m);
    memcpy(bytes + 3 * m, U->top, tops);
    memcpy(bytes + 3 * m + tops, U->base, tops);
    memcpy(bytes + 3 * m + 2 * tops, U->shift, events);
    bytes += 3 * m + 2 * tops + events;
    memcpy(bytes, ritti_unit_parameters(U), own);
    memcpy(bytes + own, U->side, sides);
    memcpy(bytes + own + sides, U->zero, zeros);
    bytes += own + sides + zeros;
    ritti_state save = {.mode = RITTI_STATE_SAVE, .to = bytes, .size = head.size};
    if (replay) memcpy(bytes, U->before, head.size);
    else if (ritti_driver_state(U->driver, &save) != RITT_OK) return 0;
  }
  return sizeof head + 3 * m + 2 * tops + events + own + sides + zeros + head.size;
}

/* Takes what has been set since the last step, of which the driver's bytes before it know nothing. */
static void load_settings(ritti_unit *U, const unit_state *head, const unsigned char *values) {
  size_t own = (size_t)U->alone->parameters * sizeof(ritt_real);
  size_t sides = (size_t)U->driver->problem->events * sizeof *U->side;
  memcpy(ritti_unit_parameters(U), values, own);
  memcpy(U->side, values + own, sides);
  memcpy(U->zero, values + own + sides, (size_t)U->driver->problem->monitors * sizeof *U->zero);
  U->noted = head->noted;
  U->event = head->event;
}

ritt_status ritti_unit_load(ritti_unit *U, const unsigned char *bytes, size_t size) {
  const ritti_problem *p = U->driver->problem;
  size_t m = (size_t)p->m * sizeof *U->z, tops = (size_t)p->tops * sizeof *U->top;
  size_t events = (size_t)p->events * sizeof *U->shift, settings = 3 * m + 2 * tops + events;
  size_t values_size = settings + (size_t)U->alone->parameters * sizeof(ritt_real) +
                       (size_t)p->events * sizeof *U->side + (size_t)p->monitors * sizeof *U->zero;
  unit_state head;
  if (size < sizeof head + values_size) return RITT_WRONG_CALL;
  memcpy(&head, bytes, sizeof head);
  if (head.size != size - sizeof head - values_size) return RITT_WRONG_CALL;
  const unsigned char *values = bytes + sizeof head;
  RITT_TRY(load_driver(U, head.implicit, head.changes, values + values_size, head.size));

  U->s = head.s, U->end = head.end, U->moved = head.moved;
  U->begun = head.begun, U->ended = U->failed = U->known = false;
  U->before_size = 0;
  memcpy(U->given, values, m);
  memcpy(U->z, values + m, m);
  memcpy(U->V, values + 2 * m, m);
  memcpy(U->top, values + 3 * m, tops);
  memcpy(U->base, values + 3 * m + tops, tops);
  memcpy(U->shift, values + 3 * m + 2 * tops, events);
  U->driver->error = U->error;
  if (!head.replay) {
    U->ended = head.ended, U->failed = head.failed;
    U->passed = head.passed;
    load_settings(U, &head, values + settings);
    return RITT_OK;
  }

  /* the last step again, to the same communication point */
  bool arrived = false;
  U->s = -INFINITY;
  aim_run(U, head.s, head.end);
  ritt_status status = RITT_OK;
  while (status == RITT_OK && !arrived) status = ritti_unit_follow(U, head.s, head.end, &arrived);
  if (status == RITT_OK && head.passed && U->s == U->driver->at.s) copy_point(U);
  load_settings(U, &head, values + settings);
  return status;
}
