/* A session moves: single steps, runs to a point, runs with rows and events. */
#include <stdlib.h>
#include "session.h"

/* ---- rows ---- */

/* A row: [arc,] x, outputs. A column without a value is NaN. */
ritt_status ritti_session_fill_row(ritti_session *S, ritt_real s, const ritt_real *z,
                                   const ritt_real *top, double *values) {
  const ritti_problem *p = S->now.problem;
  size_t at = 0;
  if (S->settings.solve.by_arc) S->rows.last[at++] = s;
  S->rows.last[at++] = z[0];
  ritt_status status = p->call.output(p->data, S->driver->work, z, top, S->rows.last + at);
  if (S->driver->tangents) {
    ritti_tangents *T = S->driver->tangents;
    size_t first = at + S->rows.slopes, slopes = S->rows.slopes * (size_t)T->count;
    if (ritti_tangents_outputs(T, z, top, (int)S->rows.slopes, S->rows.last + first) != RITT_OK)
      for (size_t i = 0; i < slopes; i++) S->rows.last[first + i] = NAN;
  }
  for (size_t i = 0; i < S->rows.count; i++) values[i] = (double)S->rows.last[i];
  return status == RITT_RETRY ? RITT_OK : status;
}

/* The point of an event. After a jump the tops are those of the point before: outputs that hold
 * tops show them only in the next row. */
ritt_status ritti_session_take_event(void *user, int event, ritt_real s, const ritt_real *z,
                                     const ritt_real *top, const ritt_real *after) {
  ritti_session *S = user;
  const ritti_event *e = &S->now.problem->event[event];
  if (!S->options.event || e->hidden) return RITT_OK;
  ritt_event point = {.name = e->name,
                      .jump = after != NULL,
                      .stop = e->stop,
                      .record = e->record,
                      .before = S->rows.values,
                      .count = S->rows.count};
  RITT_TRY(ritti_session_fill_row(S, s, z, top, S->rows.values));
  if (after) RITT_TRY(ritti_session_fill_row(S, s, after, top, S->rows.after));
  if (after) point.after = S->rows.after;
  return S->options.event(S->options.event_user, &point);
}

/* After a step: how far the run has come. */
ritt_status ritti_session_after_step(void *user, const ritti_driver *now) {
  ritti_session *S = user;
  if (!S->options.watch) return RITT_OK;
  bool by_arc = S->settings.solve.by_arc;
  ritt_progress progress = {.from = S->rows.from,
                            .x = (double)(by_arc ? now->at.s : now->step.z[0]),
                            .end = S->settings.end,
                            .step = (double)now->next.h,
                            .accepted = S->statistics.accepted + now->count.accepted,
                            .rejected = S->statistics.rejected + now->count.rejected,
                            .rows = S->statistics.rows + now->count.rows,
                            .savable = now->phase != RITTI_PHASE_BUSY};
  return S->options.watch(S->options.watch_user, &progress);
}

/* ---- moving ---- */

/* Time spent, that of the call which is going on included. */
clock_t ritti_session_time(const ritti_session *S) {
  return S->clock.spent + (S->clock.running ? clock() - S->clock.began : 0);
}

static void start_clock(ritti_session *S) {
  S->clock.began = clock();
  S->clock.running = true;
}

static void stop_clock(ritti_session *S) {
  S->clock.spent = ritti_session_time(S);
  S->clock.running = false;
}

/* Gives the driver what it needs until its run is over, or waits for a step in a batch. */
static ritt_status drive_session(ritti_session *S, ritt_error *error) {
  S->batch.waits = false;
  for (;;) {
    switch (ritti_driver_next(S->driver)) {
    case RITTI_NEED_STEP:
      ritti_session_poll_code(S, (double)S->driver->plan.end);
      if (ritti_batch_waits(S)) return RITT_OK;
      ritti_driver_take(S->driver);
      break;
    case RITTI_NEED_COMPLETION:
    case RITTI_NEED_IMPLICIT:
    case RITTI_NEED_EXPLICIT: RITT_TRY(ritti_session_install_successor(S, error)); break;
    case RITTI_NEED_NOTHING:
    case RITTI_NEED_FAILED: return S->driver->status;
    }
  }
}

/* Runs to `end` without rows, or takes one step towards it. */
static ritt_status move_to(ritti_session *S, double end, bool one_step, ritt_error *error) {
  size_t said = ritt_error_count(error);
  ritti_driver *d = S->driver;
  if (!(fabs(end) < INFINITY))
    return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL, "the end of the run is not finite");
  if (d->ended_by >= 0 && one_step)
    return ritti_fail(error, RITT_STOPPED, NULL, NULL, "the event '%s' has ended the run",
                      d->problem->event[d->ended_by].name);
  start_clock(S);
  ritti_driver_begin(d, end, NULL, NULL, NULL, error);
  d->plan.one_step = one_step;
  ritt_status status = drive_session(S, error);
  stop_clock(S);
  return ritti_session_explain(S, status, said, error);
}

ritt_status ritti_session_step(ritti_session *S, double end, ritt_error *error) {
  return move_to(S, end, true, error);
}

ritt_status ritti_session_run_to(ritti_session *S, double end, ritt_error *error) {
  return move_to(S, end, false, error);
}

/* ---- runs with rows ---- */

/* Counts a row in which a column has no value, and notes the first one. */
static void look_for_values(ritti_session *S) {
  ritt_statistics *s = &S->statistics;
  for (size_t i = 0; i < S->rows.count; i++) {
    if (fabs(S->rows.values[i]) < INFINITY) continue;
    if (s->no_value++ > 0) return;
    s->no_value_name = S->rows.name[i];
    s->no_value_at = S->rows.values[0];
    return;
  }
}

static ritt_status take_row(void *user, ritt_real s, const ritt_real *z, const ritt_real *top) {
  ritti_session *S = user;
  RITT_TRY(ritti_session_fill_row(S, s, z, top, S->rows.values));
  look_for_values(S);
  if (S->rows.write) S->rows.status = S->rows.write(S->rows.user, S->rows.values, S->rows.count);
  return S->rows.status == RITT_RETRY ? RITT_STOPPED
                                      : S->rows.status; /* the point itself is there */
}

static ritt_status take_fine(void *user, ritt_real s, const ritt_real *z, const ritt_real *top) {
  ritti_session *S = user;
  RITT_TRY(ritti_session_fill_row(S, s, z, top, S->rows.values));
  return S->options.fine(S->options.fine_user, S->rows.values, S->rows.count);
}

static int compare_reals(const void *a, const void *b) {
  ritt_real x = *(const ritt_real *)a, y = *(const ritt_real *)b;
  return (x > y) - (x < y);
}

/* Begins a run with rows, or continues the one whose state was loaded. */
static ritt_status begin_run(ritti_session *S, ritt_error *error) {
  ritti_rows rows = S->settings.rows;
  ritti_driver *d = S->driver;
  bool resume = S->rows.loaded && d->plan.resumable;
  S->rows.loaded = false;
  if (!resume) S->rows.from = (double)d->at.s;
  if (rows.at) {
    /* The values at which rows are requested, in the order of the run, each once. */
    double from = S->rows.from, end = S->settings.end;
    ritt_real *at;
    long count = 0;
    for (long i = 0; i < rows.count; i++)
      if (!(rows.at[i] >= fmin(from, end) && rows.at[i] <= fmax(from, end)))
        return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL,
                          "a row is requested at %.12g, but the run goes from %.12g to %.12g",
                          (double)rows.at[i], from, end);
    RITTI_NEW(at, S->arena, rows.count + 1);
    for (long i = 0; i < rows.count; i++) at[i] = rows.at[i];
    qsort(at, (size_t)rows.count, sizeof *at, compare_reals);
    for (long i = 0; i < rows.count; i++)
      if (count == 0 || at[i] != at[count - 1]) at[count++] = at[i];
    for (long i = 0; end < from && i < count / 2; i++) {
      ritt_real other = at[i];
      at[i] = at[count - 1 - i], at[count - 1 - i] = other;
    }
    rows.at = at, rows.count = count;
  }
  if (S->options.fine) {
    long points = S->options.fine_points > 1 ? S->options.fine_points : 2;
    rows.fine = take_fine;
    rows.spacing = RITTI_MATH(fabs)(S->settings.end - S->rows.from) / (ritt_real)(points - 1);
  }
  void (*begin)(ritti_driver *, ritt_real, const ritti_rows *, ritti_row_taker, void *,
                ritt_error *) = resume ? ritti_driver_resume : ritti_driver_begin;
  begin(d, S->settings.end, &rows, take_row, S, error);
  return RITT_OK;
}

ritt_status ritti_session_run_slice(ritti_session *S, ritt_row row, void *user, bool *finished,
                                    ritt_error *error) {
  *finished = true;
  if (S->settings.end != S->settings.end)
    return S->now.reduced ? ritti_fail(error, RITT_WRONG_MODEL, NULL,
                                       "add a line such as 'solve t = 0 .. 10', or give --to 10",
                                       "the model does not say how far to run")
                          : ritti_fail(error, RITT_WRONG_CALL, NULL, "set the option 'to'",
                                       "the options do not say how far to run");
  size_t said = ritt_error_count(error);
  ritt_status status = RITT_OK;
  S->rows.write = row;
  S->rows.user = user;
  S->rows.status = RITT_OK;
  if (!S->rows.running) {
    start_clock(S);
    status = begin_run(S, error);
  }
  if (status == RITT_OK) status = drive_session(S, error);
  S->rows.running = S->batch.waits;
  *finished = !S->rows.running;
  if (S->rows.running) return RITT_OK;
  stop_clock(S);
  return S->rows.status != RITT_OK && status != RITT_NO_MEMORY
             ? S->rows.status
             : ritti_session_explain(S, status, said, error);
}
