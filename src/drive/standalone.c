/* One problem that runs in its own block of memory: see standalone.h. */
#include "drive/standalone.h"
#include "drive/driver_impl.h"

enum {
  LONGEST_MESSAGE = 3000,
  MESSAGES = 4096
}; /* bytes for the text, and for the list it is made of */

struct ritti_standalone_state {
  const ritti_standalone *alone;
  ritti_driver *driver;
  ritt_error *error;
  char *message;
  bool ran; /* the first row has been written */
  /* of the current run */
  ritt_real *values;
  int (*row)(void *user, const ritt_real *values);
  void *user;
};

ritt_status ritti_standalone_new(const ritti_standalone *alone, ritti_arena *arena,
                                 ritti_standalone_state **out) {
  ritti_standalone_state *M;
  void *room;
  RITTI_NEW(M, arena, 1);
  RITTI_NEW(M->message, arena, LONGEST_MESSAGE);
  room = ritti_arena_alloc(arena, MESSAGES, 1);
  M->error = ritti_error_in(room ? ritti_arena_in(room, MESSAGES) : NULL);
  if (!M->error) return RITT_NO_MEMORY;
  ritti_solve_options options = alone->options;
  options.tableau = ritti_method_find(alone->method);
  M->alone = alone;
  RITT_TRY(ritti_driver_new(alone->problem, &options, arena, &M->driver));
  *out = M;
  return RITT_OK;
}

ritt_status ritti_standalone_room(ritti_standalone_state *M, ritti_arena *arena, size_t *bytes) {
  size_t before = ritti_arena_used(arena), members = (size_t)M->alone->problem->monitors;
  RITT_TRY(ritti_slide_prepare(M->driver));
  *bytes = 2 * members * (ritti_arena_used(arena) - before);
  /* a run over x may need a passage by arc length */
  before = ritti_arena_used(arena);
  RITT_TRY(ritti_stepper_prepare(&M->driver->step, M->alone->problem, true));
  *bytes += ritti_arena_used(arena) - before;
  return RITT_OK;
}

/* The row of a level is an expression minus it, or it minus an expression. */
ritt_status ritti_set_levels(ritti_driver *d, const ritt_real *z) {
  const ritti_problem *p = d->problem;
  ritt_real *f = d->manifold.f;
  for (int row = 0; row < p->k; row++) {
    if (p->level_of[row] < 0) continue;
    ritt_real *level = &d->work[p->level_at + (size_t)p->level_of[row]];
    *level = 0;
    RITT_TRY(p->call.f(p->data, d->work, z, f));
    ritt_real value = f[row];
    *level = 1 + RITTI_MATH(fabs)(value);
    RITT_TRY(p->call.f(p->data, d->work, z, f));
    *level = f[row] < value ? value : -value;
  }
  return RITT_OK;
}

/* The point of M near z with the same x. */
static ritt_status move_point(ritti_standalone_state *M, ritt_real *z) {
  ritti_driver *d = M->driver;
  memcpy(d->step.z, z, (size_t)d->problem->m * sizeof *z);
  ritti_control_metric(d);
  ritt_real spread = d->manifold.inverse_weights[0];
  d->manifold.inverse_weights[0] = 0;
  ritt_status status = ritti_manifold_project(&d->manifold, z, z);
  d->manifold.inverse_weights[0] = spread;
  return status;
}

static ritt_status place_point(ritti_standalone_state *M, const ritt_real *parameters,
                               const ritt_real *point) {
  const ritti_standalone *A = M->alone;
  ritti_driver *d = M->driver;
  ritt_real *z = d->row_z;
  memcpy(z, point ? point : A->start, (size_t)A->problem->m * sizeof *z);
  if (parameters && A->parameters)
    memcpy(d->work + A->parameter_at, parameters, (size_t)A->parameters * sizeof *parameters);
  if (parameters || point) {
    ritt_status status = ritti_set_levels(M->driver, z);
    if (status == RITT_OK) status = move_point(M, z);
    d->error = M->error;
    RITT_TRY(ritti_stop(d, status));
  }
  return ritti_driver_start(d, A->options.by_arc ? 0 : z[0], z, M->error);
}

/* Puts the messages of the last call into one text. */
static ritt_status set_message(ritti_standalone_state *M, ritt_status status) {
  ritti_text text = {.at = M->message, .room = LONGEST_MESSAGE, .fixed = true};
  M->message[0] = '\0';
  for (size_t i = 0; i < ritt_error_count(M->error); i++) {
    const ritt_message *m = ritt_error_get(M->error, i);
    ritti_text_add(&text, "%s%s%s%s", i ? "\n" : "", m->text, m->hint ? "\n  hint: " : "",
                   m->hint ? m->hint : "");
  }
  if (status != RITT_OK && !text.count) ritti_text_add(&text, "the run was stopped by its caller");
  ritt_error_clear(M->error);
  return status;
}

ritt_status ritti_standalone_start(const ritti_standalone *alone, void *block, size_t size,
                                   const ritt_real *parameters, const ritt_real *point,
                                   ritti_standalone_state **out) {
  ritti_arena *arena = ritti_arena_in(block, size);
  *out = NULL;
  if (!arena) return RITT_NO_MEMORY;
  RITT_TRY(ritti_standalone_new(alone, arena, out));
  return set_message(*out, place_point(*out, parameters, point));
}

static ritt_status take_row(void *user, ritt_real s, const ritt_real *z, const ritt_real *top) {
  ritti_standalone_state *M = user;
  const ritti_problem *p = M->alone->problem;
  size_t at = 0;
  if (M->driver->options.by_arc) M->values[at++] = s;
  M->values[at++] = z[0];
  /* a column without a value is NaN, and the run continues */
  ritt_status status = p->call.output(p->data, M->driver->work, z, top, M->values + at);
  if (status != RITT_OK && status != RITT_RETRY) return status;
  return M->row && M->row(M->user, M->values) ? RITT_STOPPED : RITT_OK;
}

ritt_status ritti_standalone_run(ritti_standalone_state *M, ritt_real end, ritt_real *values,
                                 int (*row)(void *user, const ritt_real *values), void *user) {
  ritti_driver *d = M->driver;
  const ritti_problem *p = d->problem;
  M->values = values, M->row = row, M->user = user;
  if (d->ended_by >= 0)
    return set_message(M,
                       ritti_fail(M->error, RITT_STOPPED, NULL, NULL,
                                  "the event '%s' has ended the run", p->event[d->ended_by].name));

  /* a later run continues the rows: its first one has been written */
  ritti_row_plan before = d->plan;
  ritti_driver_begin(d, end, &M->alone->rows, take_row, M, M->error);
  if (M->ran) {
    d->plan.next = 1;
    d->plan.last = before.last;
    d->plan.fine = before.fine;
    d->phase = RITTI_PHASE_AIM;
  }
  M->ran = true;
  while (ritti_driver_next(d) == RITTI_NEED_STEP) ritti_driver_take(d);
  ritt_status status = d->status;

  if (d->need == RITTI_NEED_COMPLETION)
    status = ritti_fail(
        M->error, RITT_STOPPED, NULL, "complete the model again, starting from this point",
        "the run stopped at %s = %.12g: the equations have another form from there on",
        p->name.coordinate ? p->name.coordinate(p->data, 0) : "x", (double)d->step.z[0]);
  if (status == RITT_OK && d->ended_by >= 0)
    (void)ritti_fail(M->error, RITT_STOPPED, NULL, NULL, "the event '%s' has ended the run",
                     p->event[d->ended_by].name);
  if (status == RITT_NO_MEMORY) (void)ritti_no_memory(M->error);
  return set_message(M, status);
}

const char *ritti_standalone_message(const ritti_standalone_state *M) { return M->message; }
