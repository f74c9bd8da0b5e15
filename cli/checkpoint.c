/* --checkpoint and `ritt resume`: runs that continue after a kill. During a run, rows go to files
 * that only grow: text tables, and logs from which the other files are made at the end. A
 * checkpoint contains the solver's state between two steps and the position in every file at that
 * time. It replaces the previous checkpoint by a rename, once everything before it is on the disk.
 * To resume, the program reads the arguments from the checkpoint, cuts the files back and loads the
 * solver's state; from there everything is computed and written as it would have been, with the
 * same bits. The logs are removed only after the last checkpoint, so that the run can be resumed at
 * any time. */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "run.h"

const char *cli_resume_hint(cli_job *j) {
  const char *path = j->options->checkpoint;
  /* quote the name if the shell would interpret it */
  bool plain = path[0] != '-' &&
               !path[strspn(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "_-./+,:@%")];
  snprintf(j->hint, sizeof j->hint,
           plain ? "continue with: ritt resume %.400s" : "continue with: ritt resume '%.400s'",
           path);
  return j->hint;
}

/* ---- files ---- */

ritt_status cli_take_mark(cli_marks *marks, ritti_writer *writer, ritt_error *error) {
  ritti_mark mark;
  RITT_TRY(ritti_writer_mark(writer, &mark, error));
  return RITTI_PUSH(*marks, mark) == RITT_OK ? RITT_OK : ritti_no_memory(error);
}

ritt_status cli_open_writer(bool kept, const ritti_mark **from, const char *path,
                            ritti_file_format format, const ritti_about *about, ritt_error *error,
                            ritti_writer **out) {
  if (!kept) return ritti_writer_open(path, format, about, error, out);
  return ritti_writer_open_kept(path, format, about, *from ? (*from)++ : NULL, error, out);
}

/* ---- input files ---- */

/* The FILE of FILE[:ROW], in the arena. */
static const char *without_row(ritti_arena *arena, const char *source) {
  const char *colon = strrchr(source, ':');
  bool numbered = colon && colon[1] && !colon[1 + strspn(colon + 1, "0123456789")];
  return ritti_arena_text(arena, source, numbered ? (size_t)(colon - source) : strlen(source));
}

/* Lists the files that the options name. The solver's state includes the files that the model
 * names. */
static ritt_status list_inputs(const cli_options *o, ritti_arena *arena,
                               ritti_checkpoint_input *input, size_t *count, ritt_error *error) {
  /* the model, the files of --at and --table and the file of --start */
  const char *path[4] = {strcmp(o->file, "-") ? o->file : NULL, o->at, NULL, o->table};
  if (o->start && !(path[2] = without_row(arena, o->start))) return ritti_no_memory(error);
  *count = 0;
  for (int i = 0; i < 4; i++) {
    if (!path[i]) continue;
    input[*count].path = path[i];
    RITT_TRY(ritti_file_mark(path[i], &input[*count].mark, error));
    ++*count;
  }
  return RITT_OK;
}

/* Refuses to resume if an input file has changed. */
static ritt_status check_inputs(const ritti_checkpoint *c, ritt_error *error) {
  for (size_t i = 0; i < c->inputs; i++) {
    ritti_mark mark;
    RITT_TRY(ritti_file_mark(c->input[i].path, &mark, error));
    if (mark.size == c->input[i].mark.size && mark.sum == c->input[i].mark.sum) continue;
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "put it back as it was, or run the model again",
                      "'%s' has changed since the run was started", c->input[i].path);
  }
  return RITT_OK;
}

/* ---- writing ---- */

/* Memory for the parts of a checkpoint. */
typedef struct parts {
  ritti_arena *arena;
  cli_marks marks;
  cli_happened events;
  ritti_checkpoint_input input[4];
  RITTI_ARRAY(ritti_checkpoint_message) messages;
} parts;

/* Saves the solver's state into the arena: first its size, then its bytes. */
static ritt_status save_state(cli_job *j, parts *p, ritti_checkpoint *c) {
  RITT_TRY(ritt_solver_save(j->solver, NULL, 0, &c->state_size, j->error));
  void *state = ritti_arena_alloc(p->arena, c->state_size + 1, 1);
  if (!state) return ritti_no_memory(j->error);
  c->state = state;
  return ritt_solver_save(j->solver, state, c->state_size, &c->state_size, j->error);
}

/* Lists the messages of a run that has ended. */
static ritt_status list_messages(const ritt_error *error, parts *p) {
  for (size_t i = 0; i < ritt_error_count(error); i++) {
    const ritt_message *m = ritt_error_get(error, i);
    ritti_checkpoint_message message = {.status = m->status, .text = m->text, .hint = m->hint};
    RITT_TRY(RITTI_PUSH(p->messages, message));
  }
  return RITT_OK;
}

/* Stores how the program was called, and the files that it reads. */
static ritt_status fill_call(const cli_options *o, const ritt_model *model, parts *p,
                             ritti_checkpoint *c, ritt_error *error) {
  while (o->arguments[c->arguments]) c->arguments++;
  c->argument = (const char *const *)o->arguments;
  c->folder = getcwd(NULL, 0);
  if (!c->folder) c->folder = strdup("");
  if (!strcmp(o->file, "-")) c->model = ritt_model_text(model);
  c->input = p->input;
  return list_inputs(o, p->arena, p->input, &c->inputs, error);
}

/* Fills the checkpoint. `done`: the run has ended and its files are closed. */
static ritt_status fill_checkpoint(cli_job *j, parts *p, ritti_checkpoint *c, bool done) {
  /* the call and the solver */
  RITT_TRY(fill_call(j->options, j->model, p, c, j->error));
  c->rows = j->rows;
  RITT_TRY(save_state(j, p, c));

  /* the output files */
  RITT_TRY(cli_tables_mark(&j->tables, &p->marks, j->error));
  c->tables = p->marks.count > 0;
  if (!done) RITT_TRY(cli_points_mark(&j->points, &p->events, &p->marks, j->error));
  else if (cli_points_list(&j->points, &p->events) != RITT_OK) return ritti_no_memory(j->error);
  size_t before = p->marks.count;
  RITT_TRY(cli_picture_mark(&j->picture, &p->marks, j->error));
  c->pictures = p->marks.count > before;

  /* the messages */
  if (done && list_messages(j->error, p) != RITT_OK) return ritti_no_memory(j->error);
  c->mark = p->marks.at;
  c->marks = p->marks.count;
  c->event = p->events.at;
  c->events = p->events.count;
  c->message = p->messages.at;
  c->messages = p->messages.count;
  return RITT_OK;
}

/* Writes a checkpoint and remembers when. */
static ritt_status write_checkpoint(cli_job *j, bool done, ritt_status ended) {
  parts p = {.arena = ritti_arena_new()};
  ritti_checkpoint c = {.done = done, .status = ended};
  ritt_status status = p.arena ? fill_checkpoint(j, &p, &c, done) : ritti_no_memory(j->error);
  if (status == RITT_OK) status = ritti_checkpoint_write(j->options->checkpoint, &c, j->error);
  free((char *)c.folder);
  RITTI_ARRAY_FREE(p.marks);
  RITTI_ARRAY_FREE(p.events);
  RITTI_ARRAY_FREE(p.messages);
  ritti_arena_free(p.arena);
  j->kept = ritti_clock();
  return status;
}

/* In place of a solver's state the checkpoint of a sweep has this word; the journal has the rest. */
static const char sweep_state[] = "sweep";

ritt_status cli_checkpoint_sweep(const cli_options *o, const ritt_model *model, ritt_error *error) {
  parts p = {.arena = ritti_arena_new()};
  ritti_checkpoint c = {.state = sweep_state, .state_size = sizeof sweep_state};
  ritt_status status = p.arena ? fill_call(o, model, &p, &c, error) : ritti_no_memory(error);
  if (status == RITT_OK) status = ritti_checkpoint_write(o->checkpoint, &c, error);
  free((char *)c.folder);
  ritti_arena_free(p.arena);
  return status;
}

static bool is_sweep(const ritti_checkpoint *c) {
  return c->state_size == sizeof sweep_state && !memcmp(c->state, sweep_state, sizeof sweep_state);
}

ritt_status cli_checkpoint_step(cli_job *j) {
  bool due = ritti_clock() - j->kept >= j->options->checkpoint_every || cli_was_interrupted();
  return due ? write_checkpoint(j, false, RITT_OK) : RITT_OK;
}

/* ---- resuming ---- */

/* The number of marks must agree with the files that the options name. */
static ritt_status check_marks(const cli_job *j) {
  const ritti_checkpoint *c = j->from;
  size_t marks =
      (c->tables ? j->options->tables.count : 0) + (c->pictures ? j->picture.logs.count : 0);
  for (size_t i = 0; i < c->events; i++) marks += c->event[i].recorded ? j->points.place.count : 0;
  if (marks == c->marks) return RITT_OK;
  return ritti_fail(
      j->error, RITT_WRONG_CALL, NULL, NULL,
      "cannot resume from '%s': its list of files does not match the call that it contains",
      j->options->checkpoint);
}

/* Opens the files at their marks. */
static ritt_status open_files(cli_job *j) {
  const ritti_checkpoint *c = j->from;
  const ritti_mark *mark = c->mark;
  RITT_TRY(check_marks(j));
  if (c->tables) RITT_TRY(cli_tables_open(&j->tables, &mark, j->error));
  for (size_t i = 0; i < c->events; i++)
    RITT_TRY(cli_points_resume(&j->points, &c->event[i], &mark, j->error));
  return c->pictures ? cli_picture_open(&j->picture, &mark, j->error) : RITT_OK;
}

ritt_status cli_checkpoint_begin(cli_job *j) {
  if (!j->from) return write_checkpoint(j, false, RITT_OK);
  j->kept = ritti_clock();
  RITT_TRY(ritt_solver_load(j->solver, j->from->state, j->from->state_size, j->error));
  if (!j->from->done) RITT_TRY(open_files(j));
  j->rows = j->from->rows;
  return RITT_OK;
}

/* Removes all logs of the run. */
static void drop_logs(const cli_job *j) {
  cli_tables_drop_logs(&j->tables);
  cli_points_drop_logs(&j->points);
  cli_picture_drop_logs(&j->picture);
}

/* Can the run be resumed after this status? It cannot if it would stop again at the same place. */
static bool can_go_on(const cli_job *j, ritt_status status) {
  return j->interrupted || status == RITT_SYSTEM || status == RITT_NO_MEMORY;
}

ritt_status cli_checkpoint_end(cli_job *j, ritt_status status) {
  if (can_go_on(j, status)) {
    if (!j->interrupted)
      ritti_fail(j->error, status, NULL, cli_resume_hint(j), "the run is kept in '%s'",
                 j->options->checkpoint);
    return status;
  }
  RITT_TRY(write_checkpoint(j, true, status));
  drop_logs(j);
  return status;
}

ritt_status cli_checkpoint_tell(cli_job *j) {
  const ritti_checkpoint *c = j->from;
  ritt_solver_statistics(j->solver, &j->statistics);
  for (size_t i = 0; i < c->events; i++)
    if (cli_points_remember(&j->points, &c->event[i]) != RITT_OK) return ritti_no_memory(j->error);
  for (size_t i = 0; i < c->messages; i++)
    ritti_fail(j->error, c->message[i].status, NULL, c->message[i].hint, "%s", c->message[i].text);
  j->tables.whole = true;
  j->picture.drawn = j->options->plot != NULL;
  j->ran = c->status;
  drop_logs(j);
  return c->status;
}

/* ---- ritt resume ---- */

/* Parses the arguments of the run again. */
static ritt_status read_call(const ritti_checkpoint *c, ritti_arena *arena,
                             const cli_options *given, cli_options *run, ritt_error *error) {
  char **arguments;
  RITTI_NEW(arguments, arena, c->arguments + 1);
  for (size_t i = 0; i < c->arguments; i++)
    if (!(arguments[i] = ritti_arena_text(arena, c->argument[i], strlen(c->argument[i]))))
      return RITT_NO_MEMORY;

  /* the options of `ritt resume` are added to them */
  RITT_TRY(cli_parse(cli_find_command(is_sweep(c) ? "sweep" : "run"), arguments, run, error));
  run->checkpoint = given->file;
  run->quiet |= given->quiet;
  run->json |= given->json;
  run->text = c->model;
  return RITT_OK;
}

/* File names are relative to the folder of the run. If the current folder is another one, say so.
 */
static void tell_folder(const ritti_checkpoint *c, ritt_error *error) {
  char *here = getcwd(NULL, 0);
  if (here && *c->folder && strcmp(here, c->folder))
    ritti_fail(error, RITT_WRONG_CALL, NULL, "go there, and resume it from there",
               "the run was started in '%s'", c->folder);
  free(here);
}

/* Reads the checkpoint and the arguments of its run. */
static ritt_status begin_resume(const cli_options *given, ritti_arena *arena, ritti_checkpoint *c,
                                cli_options *run, ritt_error *error) {
  if (!arena) return ritti_no_memory(error);
  RITT_TRY(ritti_checkpoint_read(given->file, arena, error, c));
  ritt_status status = read_call(c, arena, given, run, error);
  if (status == RITT_NO_MEMORY) return ritti_no_memory(error);
  if (status == RITT_OK) status = check_inputs(c, error);
  if (status != RITT_OK) tell_folder(c, error);
  return status;
}

int cli_resume(const cli_options *given, ritt_error *error) {
  ritti_arena *arena = ritti_arena_new();
  ritti_checkpoint c = {0};
  cli_options run = {.run = ritt_options_default(), .checkpoint_every = CLI_CHECKPOINT_EVERY};
  ritt_status status = begin_resume(given, arena, &c, &run, error);
  int code = ritt_status_exit_code(status);
  if (status == RITT_OK && is_sweep(&c)) code = cli_sweep_resume(&run, error);
  else if (status == RITT_OK) code = cli_run_from(&run, &c, error);
  else cli_print_messages(error, status);
  cli_options_free(&run);
  ritti_arena_free(arena);
  return code;
}
