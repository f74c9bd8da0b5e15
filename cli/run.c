/* `ritt run`: passes every row to the tables and to the plot during the run, then prints a summary.
 * Ctrl-C ends the run at the next step like any other early stop, with complete files. */
#include "run.h"

/* ---- rows ---- */

enum { MANY_ROWS = 1000 }; /* of one step */

/* Ends the run if the user or --max-time interrupts it. */
static ritt_status stop_if_interrupted(cli_job *j) {
  if (!cli_was_interrupted()) return RITT_OK;
  j->interrupted = true;
  return ritti_fail(j->error, cli_time_is_up() ? RITT_SYSTEM : RITT_STOPPED, NULL,
                    j->options->checkpoint && j->solver
                        ? cli_resume_hint(j)
                        : "run it with --checkpoint CK, and 'ritt resume CK' goes on",
                    cli_time_is_up() ? "the time is up (--max-time)" : "the run was interrupted");
}

/* Takes a row: writes it to the tables and keeps it for --verify. */
static ritt_status take_row(void *user, const double *values, size_t count) {
  cli_job *j = user;
  (void)count;
  memcpy(j->last, values, j->tables.about.columns * sizeof *values);
  j->has_last = true;
  RITT_TRY(cli_tables_row(&j->tables, values, j->error));
  if (j->options->verify) RITT_TRY(cli_verify_row(&j->verify, values, j->tables.about.columns));
  j->rows++;
  /* a run ends between two steps, unless its steps have very many rows */
  return ++j->step_rows < MANY_ROWS ? RITT_OK : stop_if_interrupted(j);
}

/* Takes a point of the plot; these may be closer together than rows. */
static ritt_status take_fine(void *user, const double *values, size_t count) {
  cli_job *j = user;
  (void)count;
  if (j->view && ritti_view_add(j->view, values) != RITT_OK) return ritti_no_memory(j->error);
  return cli_picture_point(&j->picture, NULL, values, j->error);
}

/* Called after every step: shows progress, writes checkpoints, and ends the run if it was
 * interrupted. */
static ritt_status take_step(void *user, const ritt_progress *now) {
  cli_job *j = user;
  j->step_rows = 0;
  cli_progress_step(&j->progress, now);
  if (j->options->checkpoint && now->savable) RITT_TRY(cli_checkpoint_step(j));
  return stop_if_interrupted(j);
}

/* Takes the point of an event. */
static ritt_status take_event(void *user, const ritt_event *event) {
  cli_job *j = user;
  if (j->view && ritti_view_add_event(j->view, event->name, event->before) != RITT_OK)
    return ritti_no_memory(j->error);
  RITT_TRY(cli_picture_point(&j->picture, event->name, event->before, j->error));
  return cli_points_take(&j->points, event, j->error);
}

/* ---- the summary ---- */

/* Lists the start values that were moved onto the manifold. */
static void add_moved(ritti_text *out, const ritt_moved *moved, size_t count) {
  enum { MANY = 8 };
  for (size_t i = 0; i < count && i < MANY; i++) {
    char typed[32], used[32];
    ritti_text_add(out, "  %-9s %s from %s to %s (%+.0e)\n", i ? "" : "moved", moved[i].name,
                   ritti_shortest(moved[i].typed, typed),
                   ritti_digits_apart(moved[i].used, moved[i].typed, used),
                   moved[i].used - moved[i].typed);
  }
  if (count > MANY)
    ritti_text_add(out, "  %-9s and %zu more: 'ritt check' lists them\n", "", count - MANY);
}

/* Adds the kind of the system. */
static void add_head(ritti_text *out, const char *name, const ritt_statistics *s) {
  ritti_text_add(out, "%s: %s", name, s->kind ? s->kind : "unknown kind");
  if (s->free_initial_values != RITT_UNKNOWN)
    ritti_text_add(out, ", free initial values: %ld", s->free_initial_values);
  if (s->hidden_constraints != RITT_UNKNOWN)
    ritti_text_add(out, ", hidden constraints: %ld", s->hidden_constraints);
  ritti_text_add(out, "\n");
}

/* For a run whose rows go nowhere: adds the last of them, and how to get all. */
static void add_end(ritti_text *out, const cli_job *j) {
  enum { MANY = 8 };
  const cli_options *o = j->options;
  size_t columns = j->tables.about.columns;
  if (!j->has_last || o->tables.count || o->plot || o->view || o->animate) return;
  ritti_text_add(out, "  end       %s = %.8g", j->tables.about.name[0], j->last[0]);
  for (size_t i = 1; i < columns && i < MANY; i++)
    ritti_text_add(out, ", %s = %.8g", j->tables.about.name[i], j->last[i]);
  if (columns > MANY) ritti_text_add(out, " and %zu more", columns - MANY);
  ritti_text_add(out,
                 "\n  wrote     nothing; -o %s.csv writes the rows, --plot %s.svg draws them\n",
                 ritt_model_name(j->model), ritt_model_name(j->model));
}

/* Lists the files that were written. */
static void add_written(ritti_text *out, const cli_job *j) {
  /* the tables, if they are complete */
  const cli_words *tables = &j->options->tables;
  bool any = j->tables.whole && tables->count;
  if (!any && !j->picture.drawn && !j->viewed) return;
  ritti_text_add(out, "  wrote     ");
  for (size_t i = 0; i < tables->count && any; i++)
    ritti_text_add(out, "%s%s", i ? ", " : "",
                   strcmp(tables->at[i], "-") ? tables->at[i] : "stdout");
  if (any) ritti_text_add(out, " (%ld rows)", j->rows);
  const char *const pictures[] = {j->picture.drawn ? j->options->plot : NULL,
                                  j->viewed ? j->options->view : NULL,
                                  j->viewed ? j->options->animate : NULL};
  for (int i = 0; i < 3; i++) {
    if (!pictures[i]) continue;
    ritti_text_add(out, "%s%s", any ? ", " : "", pictures[i]);
    any = true;
  }
  ritti_text_add(out, "\n");
}

/* Lists the folds, impasse points and singular points on the way. */
static void add_specials(ritti_text *out, const ritt_statistics *s) {
  for (int i = 0; i < s->specials; i++) {
    const ritt_special *p = &s->special[i];
    const char *how = "";
    if (p->passed && strstr(p->kind, "node")) how = ", in one of many ways";
    else if (p->passed && !strncmp(p->kind, "crossing", 8)) how = ", straight on";
    ritti_text_add(out, "  %-9s %s at %s, arc length %.9g%s\n", p->passed ? "passed" : "met",
                   p->kind, p->point, p->arc, how);
  }

  /* only the first of many are listed */
  if (s->impasse_points + s->singular_points + s->crossings > s->specials)
    ritti_text_add(out,
                   "  passed    %ld impasse points, %ld singular points and %ld crossings in all\n",
                   s->impasse_points, s->singular_points, s->crossings);
  if (s->crossings)
    ritti_text_add(
        out,
        "  branches  of the constraints cross there; the run stayed on its own. If Singular is "
        "installed, 'ritt complete --branches' distinguishes them\n");
}

/* Adds a line with a list of names, such as equations that are redundant or values that were
 * chosen. */
static void add_names(ritti_text *out, const char *what, const char *const *name, size_t count,
                      const char *end) {
  if (!count) return;
  ritti_text_add(out, "  %-9s ", what);
  for (size_t i = 0; i < count; i++) ritti_text_add(out, "%s%s", i ? ", " : "", name[i]);
  ritti_text_add(out, "%s\n", end);
}

void cli_add_summary(const cli_job *j, ritti_text *out, bool all) {
  const ritt_statistics *s = &j->statistics;

  /* the model and its start */
  add_head(out, ritt_model_name(j->model), s);
  add_moved(out, j->check->moved, j->check->moved_count);
  add_names(out, "dependent", j->check->dependent_equations, j->check->dependent_count, "");
  add_names(out, "chosen", j->check->non_unique, j->check->non_unique_count,
            " (not unique; those of least norm)");
  for (size_t i = 0; i < j->check->note_count; i++)
    ritti_text_add(out, "  %-9s %s\n", i ? "" : "note", j->check->notes[i]);

  /* how far the run came */
  if (j->ran != RITT_OK)
    ritti_text_add(out, "  stopped   at %s = %.6g of %.6g\n", j->tables.about.name[0], s->x,
                   s->end);
  if (s->native_reason)
    ritti_text_add(out, "  native    code was not compiled, so the interpreter ran: %s\n",
                   s->native_reason);

  /* the method and its steps */
  bool quad = s->precision && !strcmp(s->precision, "quad");
  if (s->automatic)
    ritti_text_add(out, "  method    auto: %s for the tolerance %g", s->automatic, s->tolerance);
  else ritti_text_add(out, "  method    %s", s->method ? s->method : "none");
  ritti_text_add(out, "%s, %ld steps accepted, %ld rejected\n",
                 quad ? " in quadruple precision" : "", s->accepted, s->rejected);
  if (s->method_changes % 2 == 1)
    ritti_text_add(out, "  stiff     from %s = %.6g on: stability limited the steps, %s took over",
                   j->tables.about.name[0], s->turned, s->method);
  else if (s->method_changes > 0)
    ritti_text_add(out, "  stiff     from %s = %.6g to %.6g, where %s took over again",
                   j->tables.about.name[0], s->turned, s->returned, s->method);
  if (s->method_changes > 2)
    ritti_text_add(out, "; the method changed %ld times", s->method_changes);
  if (s->method_changes > 0) ritti_text_add(out, "\n");
  ritti_text_add(out, "  work      %ld evaluations", s->evaluations);
  if (s->newton_iterations > 0)
    ritti_text_add(out, ", %ld Newton iterations", s->newton_iterations);
  ritti_text_add(out, "\n");

  /* the work of implicit methods */
  if (s->stage_jacobians > 0) {
    ritti_text_add(out, "  stages    ");
    if (s->stage_iterations > 0)
      ritti_text_add(out, "%ld iteration%s, ", s->stage_iterations,
                     s->stage_iterations == 1 ? "" : "s");
    ritti_text_add(out, "%ld Jacobian%s, %ld factorisation%s", s->stage_jacobians,
                   s->stage_jacobians == 1 ? "" : "s", s->stage_factorisations,
                   s->stage_factorisations == 1 ? "" : "s");
    if (s->failed_stages)
      ritti_text_add(out, ", %ld step%s repeated", s->failed_stages,
                     s->failed_stages == 1 ? "" : "s");
    ritti_text_add(out, "\n");
  }

  /* remarks on stiffness and projections */
  if (s->vibration > 0) {
    ritti_text_add(out, "  damped    the %s not smooth: vibrations with a speed of %.2g ",
                   s->events ? "start, or the state after an event, is" : "start is", s->vibration);
    if (s->vibration_steps == 0) ritti_text_add(out, "were not damped yet");
    else
      ritti_text_add(out, "were damped within %ld step%s", s->vibration_steps,
                     s->vibration_steps == 1 ? "" : "s");
    ritti_text_add(
        out, ";\n            'start smooth' avoids them, 'follow vibrations' resolves them\n");
  }
  if (s->stiff)
    ritti_text_add(
        out,
        "  stiff     %ld of the steps were limited by stability, not by accuracy: try method radau5\n",
        s->stability_limited);
  if (s->failed_projections > 0)
    ritti_text_add(
        out,
        "  projected %ld time%s without finding a point; the step was then repeated, shorter\n",
        s->failed_projections, s->failed_projections == 1 ? "" : "s");

  /* singular points, events and switches */
  add_specials(out, s);
  if (j->points.count) {
    ritti_text_add(out, "  events    ");
    cli_points_add(&j->points, out);
    ritti_text_add(out, "\n");
  }
  if (s->rests > 0) {
    ritti_text_add(out, "  rests     at the zero of event %s from %s = %.12g on", s->rest_event,
                   j->tables.about.name[0], s->rest_at);
    if (s->rests > 1) ritti_text_add(out, "; it came to rest %ld times", s->rests);
    ritti_text_add(out, "\n");
  }
  if (s->jump_moved)
    ritti_text_add(
        out,
        "  jumps     moved %s by %.3g at %s = %.6g, the largest such change, so that the constraints hold\n",
        s->jump_moved, s->jump_move, j->tables.about.name[0], s->jump_at);
  if (s->ended_by)
    ritti_text_add(out, "  ended     by event %s at %s = %.12g\n", s->ended_by,
                   j->tables.about.name[0], s->x);
  if (s->switches > 0) {
    ritti_text_add(out, "  switched  %ld time%s at kinks", s->switches,
                   s->switches == 1 ? "" : "s");
    if (s->slidings > 0)
      ritti_text_add(out, ", began to slide %ld time%s", s->slidings, s->slidings == 1 ? "" : "s");
    ritti_text_add(out, "\n");
  }

  /* accuracy, time and files */
  if (s->below > 0) {
    ritti_text_add(out, "  below     %s", s->below_name);
    if (s->below > 1) ritti_text_add(out, " and %ld more", s->below - 1);
    ritti_text_add(out,
                   ": at most %.1e, less than the absolute tolerance %.1e, so its digits do not "
                   "count;\n            'absolute %s = %.0e' below solve, or 'scale', keeps them\n",
                   s->below_size, s->below_absolute, s->below_name, s->below_size * s->tolerance);
  }
  if (s->algebraic_name && s->algebraic_error > 2 * s->tolerance * s->algebraic_size)
    ritti_text_add(
        out,
        "  algebraic errors up to %.1g of the size, in %s, in a step; 'tolerance %s = %g' "
        "below solve controls them\n",
        s->algebraic_error / s->algebraic_size, s->algebraic_name, s->algebraic_name, s->tolerance);
  cli_verify_add(&j->verify, j->tables.about.name, out);
  if (s->projections > 0 || s->largest_residual > 0)
    ritti_text_add(out, "  residual  %.2g (largest over all steps and rows)\n",
                   s->largest_residual);
  if (!all) return;
  ritti_text_add(out, "  time      ");
  cli_add_time(out, s->seconds);
  ritti_text_add(out, "\n");
  add_end(out, j);
  add_written(out, j);
}

/* Prints the summary to stderr. */
static void print_summary(const cli_job *j) {
  ritti_text out = {0};
  cli_add_summary(j, &out, true);
  if (out.status == RITT_OK) fputs(out.at, stderr);
  ritti_text_free(&out);
}

/* ---- the summary as JSON ---- */

/* The word of a status: OK -> "ok", WRONG_MODEL -> "wrong_model". */
static const char *status_word(ritt_status status, char word[32]) {
  static const char *const names[] = {
#define X(name, code, text) #name,
      RITT_STATUSES(X)
#undef X
  };
  size_t i = 0;
  for (const char *c = names[status]; *c && i < 31; c++, i++)
    word[i] = *c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c;
  word[i] = '\0';
  return word;
}

/* Prints the outcome as one JSON object. */
static int print_json(const cli_job *j, ritt_status status) {
  const ritt_statistics *s = &j->statistics;
  ritti_text out = {0};
  char word[32];

  /* the model */
  cli_json_text(&out, "model", j->model ? ritt_model_name(j->model) : NULL);
  cli_json_text(&out, "status", status_word(status, word));
  cli_json_text(&out, "reason",
                ritt_error_count(j->error) ? ritt_error_get(j->error, 0)->text : NULL);
  cli_json_text(&out, "hint",
                ritt_error_count(j->error) ? ritt_error_get(j->error, 0)->hint : NULL);
  const ritt_check none = {0}, *check = j->check ? j->check : &none;
  cli_json_text(&out, "verdict", check->verdict);
  cli_json_moved(&out, check->moved, check->moved_count);
  cli_json_list(&out, "dependent_equations", check->dependent_equations, check->dependent_count);
  cli_json_list(&out, "non_unique", check->non_unique, check->non_unique_count);
  cli_json_list(&out, "notes", check->notes, check->note_count);

  /* all statistics */
  ritt_statistic row;
  for (size_t i = 0; ritt_statistic_get(i, &row); i++) {
    const void *at = (const char *)s + row.offset;
    switch (row.type) {
    case RITT_STATISTIC_TEXT: cli_json_text(&out, row.name, *(const char *const *)at); break;
    case RITT_STATISTIC_FLAG: cli_json_truth(&out, row.name, *(const int *)at); break;
    case RITT_STATISTIC_COUNT: cli_json_count(&out, row.name, *(const long *)at); break;
    case RITT_STATISTIC_REAL: cli_json_real(&out, row.name, *(const double *)at); break;
    }
  }
  cli_json_special(&out, s->special, s->specials);
  cli_points_json(&j->points, &out);
  cli_json_row(&out, "last_row", j->tables.about.name, j->last,
               j->has_last ? j->tables.about.columns : 0);
  if (j->options->verify) cli_verify_json(&j->verify, j->tables.about.name, &out);
  return cli_print_json(&out);
}

/* ---- the run ---- */

/* Reads and checks the model, and prepares the files. */
static ritt_status prepare_run(cli_job *j) {
  const cli_options *o = j->options;
  RITT_TRY(cli_lock_files(o, j->error));
  RITT_TRY(cli_read_model(o, j->error, &j->model));
  RITT_TRY(cli_view_init(j));
  RITT_TRY(ritt_model_check(j->model, j->error, &j->check));
  RITT_TRY(cli_tables_init(&j->tables, o, j->model, j->error));
  j->last = ritti_malloc(j->tables.about.columns * sizeof *j->last);
  if (!j->last) return ritti_no_memory(j->error);
  RITT_TRY(cli_points_init(&j->points, &j->tables, j->error));
  if (o->save_start && !j->from) RITT_TRY(cli_save_start(j->model, o->save_start, j->error));
  if (o->at) RITT_TRY(cli_read_numbers(o->at, &j->at, j->error));
  if (o->plot) RITT_TRY(cli_picture_init(&j->picture, o, j->model, &j->tables.about, j->error));
  j->tables.kept = j->points.kept = j->picture.kept = o->checkpoint != NULL;
  return RITT_OK;
}

/* Makes the solver with the callbacks of the run. */
static ritt_status make_solver(cli_job *j) {
  enum { FINE = 1000 }; /* points of a curve that make it look smooth */
  ritt_options run = j->options->run;

  /* progress and interrupts */
  run.watch = take_step;
  run.watch_user = j;

  /* points for the plot and the view */
  if (j->options->plot || j->view) {
    run.fine = take_fine;
    run.fine_user = j;
    run.fine_points = j->view ? ritti_view_fine_points(j->view) : FINE;
  }

  /* the places of rows, and events */
  if (j->options->at) {
    run.at = j->at.at;
    run.at_count = j->at.count;
  }
  run.event = take_event;
  run.event_user = j;
  return ritt_solver_from_model(j->model, &run, j->error, &j->solver);
}

/* Completes the tables and the plot. An incomplete table matters more than a failed plot. */
static ritt_status finish_run(cli_job *j, ritt_status status) {
  ritt_status recorded = cli_points_close(&j->points, j->error);
  if (recorded != RITT_OK) status = recorded;

  /* the tables; if the points failed, that is the cause to report */
  ritt_status closed = cli_tables_close(&j->tables, &j->statistics, j->error);
  if (closed != RITT_OK && recorded == RITT_OK) status = closed;
  if (closed == RITT_OK && recorded == RITT_OK && !j->options->checkpoint)
    cli_points_drop_logs(&j->points);

  /* the plot */
  ritt_status drawn = cli_picture_draw(&j->picture, j->error);
  ritt_status viewed = cli_view_write(j);
  if (drawn == RITT_OK) drawn = viewed;
  return status == RITT_OK ? drawn : status;
}

/* A run in which a column has no value in some row is not a success. */
static ritt_status report_no_value(cli_job *j) {
  const ritt_statistics *s = &j->statistics;
  if (!(s->no_value > 0)) return RITT_OK;
  return ritti_fail(j->error, RITT_STOPPED, NULL,
                    "see whether its argument leaves the range of a function such as log or sqrt; "
                    "'if' gives it a value there",
                    "the column %s has no value at %s = %.12g; %ld row%s such a gap",
                    s->no_value_name, j->tables.about.name[0], s->no_value_at, s->no_value,
                    s->no_value == 1 ? " has" : "s have");
}

/* Makes the run, its tables and its plot; the first failure gives the status. */
static ritt_status run_job(cli_job *j) {
  RITT_TRY(prepare_run(j));
  /* from here on there may be files, and a compiler to end */
  cli_catch_interrupts();
  cli_limits_run(true);

  /* make the solver, or restore its state; a run that had ended already needs no more */
  RITT_TRY(make_solver(j));
  if (j->options->checkpoint) RITT_TRY(cli_checkpoint_begin(j));
  if (j->from && j->from->done) return cli_checkpoint_tell(j);

  /* run */
  cli_progress_begin(&j->progress, j->tables.about.name[0], j->options->quiet);
  j->ran = ritt_solver_run(j->solver, take_row, j, j->error);
  cli_progress_end(&j->progress);

  /* complete the files */
  ritt_solver_statistics(j->solver, &j->statistics);
  if (j->options->verify && j->ran == RITT_OK) cli_verify_run(j);
  ritt_status status = finish_run(j, j->ran);
  if (j->options->checkpoint) status = cli_checkpoint_end(j, status);
  return status == RITT_OK ? report_no_value(j) : status;
}

/* Frees everything that belongs to the run. */
static void free_job(cli_job *j) {
  ritt_solver_free(j->solver);
  cli_points_free(&j->points);
  cli_picture_free(&j->picture);
  ritti_view_free(j->view);
  RITTI_ARRAY_FREE(j->at);
  ritti_free(j->last);
  cli_verify_free(&j->verify);
  cli_tables_free(&j->tables);
  ritt_model_free(j->model);
}

int cli_run_from(const cli_options *options, const ritti_checkpoint *from, ritt_error *error) {
  cli_job j = {.options = options, .error = error, .from = from};
  ritt_statistic row;

  /* until the run begins, all statistics are unknown */
  for (size_t i = 0; ritt_statistic_get(i, &row); i++) {
    void *at = (char *)&j.statistics + row.offset;
    if (row.type == RITT_STATISTIC_COUNT) *(long *)at = RITT_UNKNOWN;
    if (row.type == RITT_STATISTIC_REAL) *(double *)at = NAN;
  }

  /* run, then report */
  ritt_status status = run_job(&j);
  cli_print_messages(error, status);
  int printed = options->json ? print_json(&j, status) : 0;
  if (j.rows > 0 && !options->quiet && !options->json) print_summary(&j);
  free_job(&j);
  cli_unlock_files();
  return printed ? printed : ritt_status_exit_code(status);
}

int cli_run(const cli_options *options, ritt_error *error) {
  return cli_run_from(options, NULL, error);
}
