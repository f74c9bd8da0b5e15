/* One run of a sweep: sets the model's values, completes it, runs it, and leaves rows in a file of
 * its own. The completion decides with the values of this run, as if they were written in the
 * model. */
#include <stdio.h>
#include <unistd.h>
#include "sweep.h"

typedef sweep_member one;

const char *cli_sweep_name(const sweep_plan *plan, long run, ritti_arena *arena) {
  return ritti_arena_format(arena, "run_%0*ld", plan->digits, run);
}

/* ---- values ---- */

/* Sets all parameters at once, since each change reads the model again; then the start values. */
static ritt_status give_values(one *o) {
  const ritti_ensemble *e = &o->plan->ensemble;
  const char **name, **value;
  size_t count = 0;
  RITTI_NEW(name, o->out.arena, e->count);
  RITTI_NEW(value, o->out.arena, e->count);

  /* the parameters */
  for (size_t i = 0; i < e->count; i++) {
    char number[32];
    if (o->plan->start[i]) continue;
    ritti_shortest(ritti_ensemble_value(e, o->run, i), number);
    name[count] = e->vary[i].name;
    value[count] = ritti_arena_text(o->out.arena, number, strlen(number));
    if (!value[count++]) return RITT_NO_MEMORY;
  }
  if (count) RITT_TRY(ritt_model_set_all(o->model, name, value, count, o->error));

  /* the start values */
  for (size_t i = 0; i < e->count; i++)
    if (o->plan->start[i])
      RITT_TRY(ritt_model_start_value(o->model, e->vary[i].name, ritti_ensemble_value(e, o->run, i),
                                      !e->vary[i].guess, o->error));
  return RITT_OK;
}

/* Lists the values as settings of the run: "set g", "start x". */
static ritt_status list_values(one *o) {
  const ritti_ensemble *e = &o->plan->ensemble;
  for (size_t i = 0; i < e->count; i++) {
    char number[32];
    double value = ritti_ensemble_value(e, o->run, i);
    ritti_fact fact = {.kind = RITTI_FACT_REAL, .number = value};
    fact.key = ritti_arena_format(o->out.arena, o->plan->start[i] ? "start %s" : "set %s",
                                  e->vary[i].name);

    /* a parameter is kept as the text that was set */
    if (!o->plan->start[i]) {
      fact.kind = RITTI_FACT_TEXT;
      ritti_shortest(value, number);
      fact.text = ritti_arena_text(o->out.arena, number, strlen(number));
    }

    /* keep the fact */
    if (!fact.key || (!o->plan->start[i] && !fact.text)) return RITT_NO_MEMORY;
    RITT_TRY(RITTI_PUSH(o->about.settings, fact));
  }
  o->about.about.settings = (ritti_facts){o->about.settings.at, o->about.settings.count};
  return RITT_OK;
}

/* ---- rows ---- */

/* Names the files of the run. */
static ritt_status name_files(one *o) {
  static const char *const endings[] = {
#define X(id, word, ending, other) ending,
      RITTI_FORMATS(X)
#undef X
  };
  const sweep_plan *p = o->plan;
  ritti_arena *arena = o->out.arena;
  const char *name = cli_sweep_name(p, o->run, arena);
  o->points = (cli_points){.arena = arena, .about = &o->about.about};
  if (!name) return RITT_NO_MEMORY;

  /* without files for rows there is nothing to name */
  if (!p->file && !p->folder) return RITT_OK;
  o->base = p->file ? ritti_arena_format(arena, "%s.%s", p->file, name)
                    : ritti_arena_format(arena, "%s/%s", p->folder, name);
  o->path = ritti_arena_format(arena, "%s%s", o->base ? o->base : "",
                               p->file ? ".log" : endings[p->format]);
  if (!o->base || !o->path) return RITT_NO_MEMORY;
  return cli_points_to(&o->points, p->file ? o->base : o->path, p->file ? RITTI_HDF5 : p->format,
                       o->error);
}

/* Makes room for extrema and for the numbers of events. */
static ritt_status prepare_reductions(one *o) {
  ritti_arena *arena = o->out.arena;
  if (o->plan->extrema) {
    size_t count = o->about.about.columns;
    RITTI_NEW(o->least, arena, count + 1);
    RITTI_NEW(o->largest, arena, count + 1);
    for (size_t i = 0; i < count; i++) o->least[i] = o->largest[i] = NAN;
  }
  if (!o->plan->events) return RITT_OK;
  while (ritt_model_event_name(o->model, o->events)) o->events++;
  RITTI_NEW(o->event, arena, o->events + 1);
  RITTI_NEW(o->happened, arena, o->events + 1);
  RITTI_NEW(o->last, arena, o->events + 1);
  for (size_t i = 0; i < o->events; i++) {
    const char *name = ritt_model_event_name(o->model, i);
    o->event[i] = ritti_arena_text(arena, name, strlen(name));
    o->last[i] = NAN;
    if (!o->event[i]) return RITT_NO_MEMORY;
  }
  return RITT_OK;
}

/* Takes a row into the extrema. */
static void compare_row(one *o, const double *values) {
  for (size_t i = 0; o->least && i < o->about.about.columns; i++) {
    if (!(o->least[i] <= values[i])) o->least[i] = values[i];
    if (!(o->largest[i] >= values[i])) o->largest[i] = values[i];
  }
}

/* Counts the point of an event. */
static void count_event(one *o, const ritt_event *event) {
  for (size_t i = 0; i < o->events; i++)
    if (!strcmp(o->event[i], event->name)) {
      o->happened[i]++;
      o->last[i] = event->before[0];
    }
}

/* Writes a row; the first one opens the file. */
static ritt_status take_row(void *user, const double *values, size_t count) {
  one *o = user;
  (void)count;
  compare_row(o, values);
  if (!o->path) return RITT_OK;
  ritt_status status = RITT_OK;
  if (!o->writer)
    status = ritti_writer_open(o->path, o->plan->file ? RITTI_LOG : o->plan->format,
                               &o->about.about, o->error, &o->writer);
  if (status == RITT_OK) status = ritti_writer_row(o->writer, values);
  o->out.broken |= status != RITT_OK;
  return status;
}

/* Takes the point of an event. */
static ritt_status take_event(void *user, const ritt_event *event) {
  one *o = user;
  count_event(o, event);
  if (!o->path) return RITT_OK;
  ritt_status status = cli_points_take(&o->points, event, o->error);
  o->out.broken |= status != RITT_OK;
  return status;
}

/* Ends the run if the sweep ends. */
static ritt_status take_step(void *user, const ritt_progress *now) {
  const one *o = user;
  (void)now;
  return atomic_load(&o->plan->ending) ? RITT_STOPPED : RITT_OK;
}

/* ---- the run ---- */

/* Copies the names of the columns and the last point. */
static ritt_status keep_last(one *o, ritt_solver *solver) {
  ritti_arena *arena = o->out.arena;
  const ritti_about *about = &o->about.about;
  const char **name, *const *all;
  double *last;
  size_t count;
  ritt_point point;
  ritt_solver_columns(solver, &all, &count);
  size_t extrema = o->least ? 2 * about->columns : 0, more = extrema + 2 * o->events;
  RITTI_NEW(name, arena, about->columns + more);
  RITTI_NEW(last, arena, count + more);

  /* the names of the columns */
  for (size_t i = 0; i < about->columns; i++) {
    name[i] = ritti_arena_text(arena, about->name[i], strlen(about->name[i]));
    if (!name[i]) return RITT_NO_MEMORY;
  }

  /* the last point */
  if (ritt_solver_point(solver, &point, NULL) != RITT_OK ||
      ritt_solver_values(solver, point.s, last, NULL) != RITT_OK)
    for (size_t i = 0; i < count; i++) last[i] = NAN;

  /* the extrema, and the events */
  size_t at = about->columns;
  for (size_t i = 1; o->least && i < about->columns; i++) {
    name[at] = ritti_arena_format(arena, "min %s", name[i]);
    last[at++] = o->least[i];
    name[at] = ritti_arena_format(arena, "max %s", name[i]);
    last[at++] = o->largest[i];
  }
  for (size_t i = 0; i < o->events; i++) {
    name[at] = ritti_arena_format(arena, "count %s", o->event[i]);
    last[at++] = o->happened[i];
    name[at] = ritti_arena_format(arena, "last %s", o->event[i]);
    last[at++] = o->last[i];
  }
  for (size_t i = 0; i < at; i++)
    if (!name[i]) return RITT_NO_MEMORY;
  o->out.columns = at;
  o->out.name = name;
  o->out.last = last;
  return RITT_OK;
}

/* Copies the statistics into the arena of the outcome. */
static ritt_status keep_statistics(one *o, const ritt_solver *solver) {
  ritt_statistics s;
  cli_facts list = {0};
  ritti_fact *fact = NULL;
  ritt_solver_statistics(solver, &s);
  o->out.steps = s.accepted;
  o->out.tried = s.accepted + s.rejected;
  ritt_status status = cli_list_statistics(&s, &list);
  if (status == RITT_OK) fact = ritti_arena_alloc(o->out.arena, list.count, sizeof *fact);
  if (fact) memcpy(fact, list.at, list.count * sizeof *fact);
  o->out.statistics = (ritti_facts){fact, fact ? list.count : 0};
  RITTI_ARRAY_FREE(list);
  return fact ? status : RITT_NO_MEMORY;
}

/* Makes the solver with the callbacks of the run. */
static ritt_status start_solver(one *o) {
  ritt_options run = o->plan->options->run;
  run.watch = take_step;
  run.watch_user = o;
  run.event = take_event;
  run.event_user = o;
  if (o->plan->options->at) {
    run.at = o->plan->at.at;
    run.at_count = o->plan->at.count;
  }

  /* if rows are not wanted, ask for as few as possible */
  if (!o->path && !o->least) {
    run.points = 2;
    run.row_step = 0;
    run.every = 0;
    run.at = NULL;
  }
  return ritt_solver_from_model(o->model, &run, o->error, &o->solver);
}

/* Prepares a run up to its solver. */
static ritt_status prepare_run(one *o) {
  RITT_TRY(give_values(o));
  RITT_TRY(cli_tables_init(&o->about, o->plan->options, o->model, o->error));
  RITT_TRY(list_values(o));
  RITT_TRY(name_files(o));
  RITT_TRY(prepare_reductions(o));
  return start_solver(o);
}

/* Copies the names of the events, which only live until the model's values change. */
static ritt_status keep_parts(one *o) {
  const ritti_about *about = &o->about.about;
  const char **part;
  RITTI_NEW(part, o->out.arena, about->parts + 1);
  for (size_t i = 0; i < about->parts; i++)
    if (!(part[i] = ritti_arena_text(o->out.arena, about->part[i], strlen(about->part[i]))))
      return RITT_NO_MEMORY;
  o->out.part = part;
  o->out.parts = about->parts;
  return RITT_OK;
}

/* Closes the files of the run; deletes them if the run was abandoned. */
static void finish_files(one *o) {
  /* the points and the rows */
  o->about.about.statistics = o->out.statistics;
  if (cli_points_close(&o->points, o->error) != RITT_OK) o->out.broken = true;
  if (o->writer && o->plan->file) o->out.base = o->base;
  if (o->out.base && keep_parts(o) != RITT_OK) o->out.status = RITT_NO_MEMORY;
  bool any = o->out.rows = o->writer != NULL;
  if (ritti_writer_close(o->writer, o->error) != RITT_OK) o->out.broken = true;

  /* an abandoned run leaves no files */
  if (any && o->out.given_up && o->plan->folder) {
    unlink(o->path);
    cli_points_drop(&o->points);
  }
  cli_points_free(&o->points);
}

void cli_sweep_begin(one *o, sweep_plan *plan, ritt_model *model, long run) {
  *o = (one){.plan = plan, .model = model, .run = run, .error = ritt_error_new()};
  o->out = (sweep_outcome){.arena = ritti_arena_new(), .status = RITT_NO_MEMORY};
  if (o->out.arena && o->error) o->out.status = prepare_run(o);
}

bool cli_sweep_on(one *o) {
  int over = 1;
  if (o->solver && o->out.status == RITT_OK)
    o->out.status = ritt_batch_run(o->solver, take_row, o, &over, o->error);
  return over;
}

/* Keeps the last point and the statistics, and frees the solver. */
static void finish_solver(one *o) {
  if (!o->solver) return;
  ritt_status kept = keep_last(o, o->solver);
  if (kept == RITT_OK) kept = keep_statistics(o, o->solver);
  if (kept != RITT_OK) o->out.status = kept;
  o->out.together = ritt_batch_steps(o->solver);
  ritt_solver_free(o->solver);
  o->solver = NULL;
}

sweep_outcome cli_sweep_end(one *o) {
  sweep_outcome *out = &o->out;

  /* free the solver and close the files */
  finish_solver(o);
  out->given_up = out->status != RITT_OK && atomic_load(&o->plan->ending);
  out->kept = o->plan->journal && !out->given_up;
  finish_files(o);

  /* the reason of a failure */
  size_t said = ritt_error_count(o->error);
  const char *reason = said ? ritt_error_get(o->error, 0)->text : ritt_status_text(out->status);
  if (out->status != RITT_OK && out->arena)
    out->reason = ritti_arena_text(out->arena, reason, strlen(reason));
  if (out->status != RITT_OK && !out->reason) out->status = RITT_NO_MEMORY;

  /* lack of memory replaces all other messages */
  if (out->status == RITT_NO_MEMORY) {
    out->broken = true;
    ritt_error_clear(o->error);
    ritti_no_memory(o->error);
  }
  /* wrong options are wrong in every run; a later run may be wrong because of its values */
  if (o->run == 1 && out->status == RITT_WRONG_CALL) out->broken = true;

  /* hand the messages over, or drop them */
  cli_tables_free(&o->about);
  if (out->broken) out->error = o->error;
  else ritt_error_free(o->error);
  o->run = 0;
  return *out;
}

void cli_sweep_drop(sweep_outcome *out) {
  for (size_t i = 0; out->base && !out->kept && i <= out->parts; i++) {
    const char *path = i < out->parts
                           ? ritti_arena_format(out->arena, "%s.%s.log", out->base, out->part[i])
                           : ritti_arena_format(out->arena, "%s.log", out->base);
    if (path) unlink(path);
  }
  ritt_error_free(out->error);
  ritti_arena_free(out->arena);
  *out = (sweep_outcome){0};
}
