/* The public solver moves: single steps, runs to a point, runs with rows and events. */
#include <stdlib.h>
#include "session.h"

/* ---- rows ---- */

/* A row: [arc,] x, outputs. A column without a value is NaN. */
ritt_status ritti_session_fill_row(ritti_session *S, ritt_real s, const ritt_real *z,
                                   const ritt_real *top, double *values) {
  const ritti_problem *p = S->now.problem;
  size_t at = 0;
  if (S->settings.solve.by_arc) S->row[at++] = s;
  S->row[at++] = z[0];
  ritt_status status = p->output(p->data, S->driver->work, z, top, S->row + at);
  for (size_t i = 0; i < S->columns; i++) values[i] = (double)S->row[i];
  return status == RITT_RETRY ? RITT_OK : status;
}

/* The point of an event. After a jump the tops are those of the point before: outputs that hold
 * tops show them only in the next row. */
ritt_status ritti_session_take_event(void *user, int event, ritt_real s, const ritt_real *z,
                                     const ritt_real *top, const ritt_real *after) {
  ritti_session *S = user;
  const ritti_event *e = &S->now.problem->event[event];
  if (!S->options.event) return RITT_OK;
  ritt_event point = {.name = e->name,
                      .jump = after != NULL,
                      .stop = e->stop,
                      .record = e->record,
                      .before = S->values,
                      .count = S->columns};
  RITT_TRY(ritti_session_fill_row(S, s, z, top, S->values));
  if (after) RITT_TRY(ritti_session_fill_row(S, s, after, top, S->after));
  if (after) point.after = S->after;
  return S->options.event(S->options.event_user, &point);
}

/* After a step: how far the run has come. */
ritt_status ritti_session_after_step(void *user, const ritti_driver *now) {
  ritti_session *S = user;
  ritti_session_poll_code(S, S->settings.end);
  if (!S->options.watch) return RITT_OK;
  bool by_arc = S->settings.solve.by_arc;
  ritt_progress progress = {.from = S->from,
                            .x = (double)(by_arc ? now->at.s : now->step.z[0]),
                            .end = S->settings.end,
                            .step = (double)now->next.h,
                            .accepted = S->statistics.accepted + now->count.accepted,
                            .rejected = S->statistics.rejected + now->count.rejected,
                            .rows = S->statistics.rows + now->count.rows,
                            .savable = !now->busy};
  return S->options.watch(S->options.watch_user, &progress);
}

/* ---- moving ---- */

/* Time spent, that of the call which is going on included. */
clock_t ritti_session_time(const ritti_session *S) {
  return S->spent + (S->going ? clock() - S->began : 0);
}

static void start_clock(ritti_session *S) { S->began = clock(), S->going = true; }
static void stop_clock(ritti_session *S) { S->spent = ritti_session_time(S), S->going = false; }

static ritt_status check_end(double end, ritt_error *error) {
  return fabs(end) < INFINITY
             ? RITT_OK
             : ritti_fail(error, RITT_WRONG_CALL, NULL, NULL, "the end of the run is not finite");
}

static ritt_status step(ritti_session *S, double end, bool many, ritt_error *error) {
  ritt_status (*go)(ritti_driver *, ritt_real, ritt_error *) =
      many ? ritti_driver_steps : ritti_driver_step;
  if (S->driver->ended_by >= 0)
    return ritti_fail(error, RITT_STOPPED, NULL, NULL, "the event '%s' has ended the run",
                      S->driver->problem->event[S->driver->ended_by].name);
  ritti_session_poll_code(S, end);
  ritt_status status = go(S->driver, end, error);
  while (ritti_session_needs_successor(S)) {
    RITT_TRY(ritti_session_install_successor(S, error));
    status = go(S->driver, end, error);
  }
  return status;
}

ritt_status ritti_session_step(ritti_session *S, double end, ritt_error *error) {
  RITT_TRY(check_end(end, error));
  size_t said = ritt_error_count(error);
  start_clock(S);
  ritt_status status = step(S, end, false, error);
  stop_clock(S);
  return ritti_session_explain(S, status, said, error);
}

ritt_status ritti_session_run_to(ritti_session *S, double end, ritt_error *error) {
  RITT_TRY(check_end(end, error));
  size_t said = ritt_error_count(error);
  ritt_status status = RITT_OK;
  start_clock(S);
  while (status == RITT_OK && S->driver->at.s != end && S->driver->ended_by < 0)
    status = step(S, end, true, error);
  stop_clock(S);
  return ritti_session_explain(S, status, said, error);
}

/* ---- runs with rows ---- */

typedef struct row_context {
  ritti_session *S;
  ritt_row row;
  void *user;
  bool ended;       /* the caller ended the run, and knows why: */
  ritt_status with; /* with this */
} row_context;

static ritt_status take_row(void *user, ritt_real s, const ritt_real *z, const ritt_real *top) {
  row_context *c = user;
  RITT_TRY(ritti_session_fill_row(c->S, s, z, top, c->S->values));
  ritt_status status = c->row ? c->row(c->user, c->S->values, c->S->columns) : RITT_OK;
  c->ended = status != RITT_OK, c->with = status;
  return status == RITT_RETRY ? RITT_STOPPED : status; /* the point itself is there */
}

static ritt_status take_fine(void *user, ritt_real s, const ritt_real *z, const ritt_real *top) {
  ritti_session *S = ((row_context *)user)->S;
  RITT_TRY(ritti_session_fill_row(S, s, z, top, S->values));
  return S->options.fine(S->options.fine_user, S->values, S->columns);
}

static int compare(const void *a, const void *b) {
  ritt_real x = *(const ritt_real *)a, y = *(const ritt_real *)b;
  return (x > y) - (x < y);
}

/* The values at which rows are wanted, in the order of the run, each once. */
static ritt_status sort_at(ritti_session *S, ritti_rows *rows, ritt_error *error) {
  double from = S->from, end = S->settings.end;
  ritt_real *at;
  long count = 0;
  for (long i = 0; i < rows->count; i++)
    if (!(rows->at[i] >= fmin(from, end) && rows->at[i] <= fmax(from, end)))
      return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL,
                        "a row is wanted at %.12g, but the run goes from %.12g to %.12g",
                        (double)rows->at[i], from, end);
  RITTI_NEW(at, S->arena, rows->count + 1);
  for (long i = 0; i < rows->count; i++) at[i] = rows->at[i];
  qsort(at, (size_t)rows->count, sizeof *at, compare);
  for (long i = 0; i < rows->count; i++)
    if (count == 0 || at[i] != at[count - 1]) at[count++] = at[i];
  for (long i = 0; end < from && i < count / 2; i++) {
    ritt_real other = at[i];
    at[i] = at[count - 1 - i], at[count - 1 - i] = other;
  }
  rows->at = at, rows->count = count;
  return RITT_OK;
}

/* The rows of a run that begins. */
static ritt_status plan_rows(ritti_session *S, ritti_rows *out, ritt_error *error) {
  ritti_rows rows = S->settings.rows;
  rows.begun = rows.resumed = S->loaded && S->driver->running;
  if (rows.resumed) rows.next = S->driver->next_row;
  else S->from = (double)S->driver->at.s;
  rows.from = S->from;
  S->loaded = false;
  if (rows.at) RITT_TRY(sort_at(S, &rows, error));
  if (S->options.fine) {
    long points = S->options.fine_points > 1 ? S->options.fine_points : 2;
    rows.fine = take_fine;
    rows.spacing = RITTI_MATH(fabs)(S->settings.end - rows.from) / (ritt_real)(points - 1);
  }
  *out = rows;
  return RITT_OK;
}

static ritt_status run(ritti_session *S, row_context *context, ritt_error *error) {
  ritti_rows *rows = &S->rows;
  if (!S->paused) RITT_TRY(plan_rows(S, rows, error));
  else rows->next = S->driver->next_row, rows->begun = rows->resumed = true;
  ritt_status status = ritti_driver_run(S->driver, S->settings.end, rows, take_row, context, error);
  while (ritti_session_needs_successor(S)) {
    rows->next = S->driver->next_row;
    rows->begun = true, rows->resumed = false;
    RITT_TRY(ritti_session_install_successor(S, error));
    status = ritti_driver_run(S->driver, S->settings.end, rows, take_row, context, error);
  }
  return status;
}

ritt_status ritti_session_run_slice(ritti_session *S, ritt_row row, void *user, bool *finished,
                                    ritt_error *error) {
  row_context context = {.S = S, .row = row, .user = user};
  *finished = true;
  if (S->settings.end != S->settings.end)
    return S->now.reduced ? ritti_fail(error, RITT_WRONG_MODEL, NULL,
                                       "add a line such as 'solve t = 0 .. 10', or give --to 10",
                                       "the model does not say how far to run")
                          : ritti_fail(error, RITT_WRONG_CALL, NULL, "set the option 'to'",
                                       "the options do not say how far to run");
  size_t said = ritt_error_count(error);
  if (!S->paused) start_clock(S);
  ritt_status status = run(S, &context, error);
  S->paused = status == RITT_OK && S->driver->waiting;
  *finished = !S->paused;
  if (S->paused) return RITT_OK;
  stop_clock(S);
  return context.ended && status != RITT_NO_MEMORY ? context.with
                                                   : ritti_session_explain(S, status, said, error);
}
