/* `ritt sweep`: many runs of a model with different parameters and start values, on all cores.
 * Threads take the numbers of runs from a counter and store the outcome of each run in a ring; the
 * main thread writes the outcomes to the files in the order of the numbers. A run depends only on
 * its number, so the files do not depend on the number of threads. The ring limits how far a thread
 * may be ahead: neither memory nor the rows waiting on the disk grow with the number of runs. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "sweep.h"

enum {
  RING = 1024,        /* outcomes in the ring */
  STACK = 1 << 24,    /* bytes of a thread's stack */
  MOST_THREADS = 1024 /* the largest number of threads */
};

/* The state of a sweep. */
typedef struct sweep {
  sweep_plan plan;
  sweep_files files;
  ritti_arena *arena;
  ritt_error *error;
  ritt_model **model; /* one for each thread */
  ritt_batch *batch;
  pthread_t *thread;
  long threads, started;
  cli_progress progress;
  double began;

  pthread_mutex_t lock; /* protects all members below */
  pthread_cond_t over;  /* a run is over */
  pthread_cond_t room;  /* the ring has room, or the sweep ends */
  long next;            /* number of runs taken by threads */
  long written;         /* number of runs written */
  long steps, together; /* steps of all runs; of these, steps taken in batches */
  sweep_outcome ring[RING];
} sweep;

/* ---- the plan ---- */

/* Checks that a name of --vary is a parameter or a variable. */
static ritt_status check_name(const ritt_model *model, const ritti_vary *v, ritt_error *error) {
  char hint[128];
  const char *near;
  switch (ritt_model_meaning(model, v->name)) {
  case RITT_VARIABLE: return RITT_OK;
  case RITT_PARAMETER:
    if (!v->guess) return RITT_OK;
    snprintf(hint, sizeof hint, "write %.60s=VALUES", v->name);
    return ritti_fail(error, RITT_WRONG_CALL, NULL, hint,
                      "--vary %s~: the parameter '%s' has no guesses", v->name, v->name);
  case RITT_WHOLE_ARRAY:
    return ritti_fail(error, RITT_WRONG_CALL, NULL,
                      "vary its elements one by one, with their indices",
                      "--vary %s: '%s' is an array", v->name, v->name);
  case RITT_INDEPENDENT:
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "parameters and start values can vary",
                      "--vary %s: '%s' is the independent variable", v->name, v->name);
  case RITT_NOTHING: break;
  }

  /* suggest a similar name */
  near = ritt_model_nearest(model, v->name);
  snprintf(hint, sizeof hint, "did you mean '%.80s'?", near ? near : "");
  return ritti_fail(
      error, RITT_WRONG_CALL, NULL, near ? hint : "parameters and start values can vary",
      "--vary %s: the model has neither a parameter nor a variable of this name", v->name);
}

/* Does the "NAME=..." of --set change this name? */
static bool is_set(const char *set, const char *name) {
  return strcspn(set, "=") == strlen(name) && !strncmp(set, name, strlen(name));
}

/* Checks all names of --vary and names their columns. */
static ritt_status check_names(sweep *s, const ritt_model *model) {
  sweep_plan *p = &s->plan;
  const ritti_ensemble *e = &p->ensemble;
  p->start = ritti_arena_alloc(s->arena, e->count, sizeof *p->start);
  p->column = ritti_arena_alloc(s->arena, e->count, sizeof *p->column);
  if (!p->start || !p->column) return ritti_no_memory(s->error);
  for (size_t i = 0; i < e->count; i++) {
    const char *name = e->vary[i].name;
    RITT_TRY(check_name(model, &e->vary[i], s->error));
    p->start[i] = ritt_model_meaning(model, name) == RITT_VARIABLE;
    p->column[i] = p->start[i] ? ritti_arena_format(s->arena, "start %s", name) : name;
    if (!p->column[i]) return ritti_no_memory(s->error);

    /* a parameter cannot be both set and varied */
    for (size_t k = 0; k < p->options->set.count; k++)
      if (is_set(p->options->set.at[k], name))
        return ritti_fail(s->error, RITT_WRONG_CALL, NULL, "leave one of them out",
                          "--set %s and --vary %s exclude each other", p->options->set.at[k], name);
  }
  return RITT_OK;
}

static bool is_folder(const char *path) {
  struct stat s;
  return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

/* Chooses the files: -o OUT.h5, -o DIR/ or -o DIR. */
static ritt_status choose_files(sweep *s) {
  const cli_options *o = s->plan.options;

  /* the table of final values */
  if (o->final && strcmp(o->final, "-") && ritti_format_of_path(o->final) != RITTI_CSV)
    return ritti_fail(s->error, RITT_WRONG_CALL, NULL, "let the name end in .csv",
                      "the table of final values is CSV, not '%s'", o->final);
  if (o->json && (o->final ? !strcmp(o->final, "-") : o->tables.count == 0))
    return ritti_fail(s->error, RITT_WRONG_CALL, NULL, "give --final FILE.csv",
                      "the table of final values and --json would both write to stdout");

  /* a single file or folder */
  if (o->tables.count > 1)
    return ritti_fail(
        s->error, RITT_WRONG_CALL, NULL, "ritt convert writes a run in another format",
        "a sweep writes one file or folder: '%s' or '%s'?", o->tables.at[0], o->tables.at[1]);
  const char *path = o->tables.count ? o->tables.at[0] : NULL,
             *slash = path ? strrchr(path, '/') : NULL;

  /* a name without an ending is a folder */
  bool folder =
      path && ((slash && !slash[1]) || is_folder(path) || !strchr(slash ? slash : path, '.'));
  s->plan.format = o->format ? ritti_format_of_word(o->format) : RITTI_CSV;
  if (path && !folder && ritti_format_of_path(path) != RITTI_HDF5)
    return ritti_fail(s->error, RITT_WRONG_CALL, NULL,
                      "let the name end in .h5, or in / for a folder; --final has the final values",
                      "a sweep writes its rows to an HDF5 file or a folder, not to '%s'", path);
  if (o->format && !folder)
    return ritti_fail(s->error, RITT_WRONG_CALL, NULL, "give -o DIR/",
                      "--format is that of the files in a folder");

  /* keep the name, without slashes at its end */
  if (!path) return RITT_OK;
  size_t length = strlen(path);
  while (folder && length > 1 && path[length - 1] == '/') length--;
  const char *name = ritti_arena_text(s->arena, path, length);
  if (!name) return ritti_no_memory(s->error);
  *(folder ? &s->plan.folder : &s->plan.file) = name;
  return RITT_OK;
}

/* Chooses the number of threads: one for each core, unless --threads is given. */
static long count_threads(const cli_options *o, long runs) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN), threads = cores > 0 ? cores : 1;
  if (o->threads) threads = o->threads;
  if (threads > MOST_THREADS) threads = MOST_THREADS;
  return threads < runs ? threads : runs;
}

/* Reads the options and the models; every thread has a model of its own. */
static ritt_status prepare_sweep(sweep *s) {
  const cli_options *o = s->plan.options;
  if (o->vary.count == 0)
    return ritti_fail(s->error, RITT_WRONG_CALL, NULL,
                      "give --vary g=1:10:100, --vary 'x=normal(0, 0.1)'",
                      "a sweep needs something that varies");

  /* the runs and the files */
  RITT_TRY(ritti_ensemble_read(o->vary.at, o->vary.count, o->runs, (uint64_t)o->seed, s->arena,
                               s->error, &s->plan.ensemble));
  RITT_TRY(choose_files(s));
  for (long n = s->plan.ensemble.runs; n > 0; n /= 10) s->plan.digits++;

  /* a model for each thread */
  s->threads = count_threads(o, s->plan.ensemble.runs);
  s->model = ritti_arena_alloc(s->arena, (size_t)s->threads, sizeof *s->model);
  s->thread = ritti_arena_alloc(s->arena, (size_t)s->threads, sizeof *s->thread);
  if (!s->model || !s->thread) return ritti_no_memory(s->error);
  RITT_TRY(cli_read_model(o, s->error, &s->model[0]));
  RITT_TRY(check_names(s, s->model[0]));
  for (long i = 1; i < s->threads; i++)
    RITT_TRY(cli_copy_model(o, s->model[0], s->error, &s->model[i]));

  /* the batch, whose runs take steps together */
  s->batch = ritt_batch_new(s->plan.ensemble.runs, !o->lanes || strcmp(o->lanes, "never"));
  if (!s->batch) return ritti_no_memory(s->error);
  for (long i = 0; i < s->threads; i++) ritt_batch_add(s->batch, s->model[i]);
  if (o->at) RITT_TRY(cli_read_numbers(o->at, &s->plan.at, s->error));
  return cli_sweep_files_init(&s->files, &s->plan, s->error);
}

/* ---- threads ---- */

/* A thread: up to RITT_BATCH_SIZE runs, which take their steps together if they can. */
typedef struct worker {
  sweep *s;
  ritt_model *model[RITT_BATCH_SIZE]; /* the first one belongs to the sweep; NULL: not made yet */
  sweep_member member[RITT_BATCH_SIZE];
  int active;
} worker;

/* Takes the number of the next run, from 1. Returns 0 if there is none, or if the ring is full and
 * `wait` is not set because the ring may be waiting for a run of this thread. */
static long take_run(sweep *s, bool wait) {
  long run = 0;
  pthread_mutex_lock(&s->lock);
  while (wait && s->next < s->plan.ensemble.runs && s->next - s->written >= RING &&
         !atomic_load(&s->plan.ending))
    pthread_cond_wait(&s->room, &s->lock);
  if (s->next < s->plan.ensemble.runs && s->next - s->written < RING &&
      !atomic_load(&s->plan.ending))
    run = ++s->next;
  pthread_mutex_unlock(&s->lock);
  return run;
}

/* Stores the outcome of a run in the ring. */
static void hand_over(worker *w, sweep_member *m) {
  sweep *s = w->s;
  long run = m->run;
  sweep_outcome outcome = cli_sweep_end(m);
  pthread_mutex_lock(&s->lock);
  outcome.there = true;
  s->steps += outcome.tried;
  s->together += outcome.together;
  s->ring[(run - 1) % RING] = outcome;
  pthread_cond_signal(&s->over);
  pthread_mutex_unlock(&s->lock);
}

/* Makes a model for the i-th run of the thread. Without a model the thread makes fewer runs at a
 * time. */
static bool has_model(worker *w, int i) {
  if (w->model[i]) return true;
  ritt_error *error = ritt_error_new();
  if (error && cli_copy_model(w->s->plan.options, w->s->model[0], error, &w->model[i]) != RITT_OK) {
    ritt_model_free(w->model[i]);
    w->model[i] = NULL;
  }
  ritt_error_free(error);
  if (w->model[i]) ritt_batch_add(w->s->batch, w->model[i]);
  return w->model[i] != NULL;
}

/* Starts runs in free places, more than one only if a run waits for a batch. Returns false if there
 * are no more runs. */
static bool start_runs(worker *w) {
  for (int i = 0; i < RITT_BATCH_SIZE; i++) {
    sweep_member *m = &w->member[i];
    while (!m->run) {
      if (i > 0 && (!w->active || !has_model(w, i))) return true;
      long run = take_run(w->s, !w->active);
      if (!run) return false;
      cli_sweep_begin(m, &w->s->plan, w->model[i], run);
      if (!cli_sweep_on(m)) w->active++;
      else hand_over(w, m);
    }
  }
  return true;
}

/* Takes one step of all runs of the thread and hands over the runs that have ended. */
static void step_runs(worker *w) {
  ritt_solver *solver[RITT_BATCH_SIZE];
  for (int i = 0; i < RITT_BATCH_SIZE; i++)
    solver[i] = w->member[i].run ? w->member[i].solver : NULL;
  ritt_batch_step(solver, RITT_BATCH_SIZE);
  for (int i = 0; i < RITT_BATCH_SIZE; i++)
    if (w->member[i].run && cli_sweep_on(&w->member[i])) {
      hand_over(w, &w->member[i]);
      w->active--;
    }
}

/* A thread: starts runs and steps them until there are no more. */
static void *run_worker(void *argument) {
  worker *w = argument;
  for (;;) {
    bool more = start_runs(w);
    if (!w->active && !more) return NULL;
    /* the last run goes on alone */
    for (int i = 0; w->active == 1 && !more && i < RITT_BATCH_SIZE; i++)
      if (w->member[i].run) ritt_batch_leave(w->member[i].solver);
    int before = w->active;
    while (w->active && w->active == before) step_runs(w);
  }
}

/* Starts the threads; fewer than wanted are enough. */
static ritt_status start_threads(sweep *s, worker *w) {
  pthread_attr_t attributes;
  int reason = pthread_attr_init(&attributes);
  if (reason) return ritti_no_memory(s->error);
  pthread_attr_setstacksize(&attributes, STACK);
  for (; s->started < s->threads && !reason; s->started += !reason) {
    w[s->started] = (worker){.s = s, .model = {s->model[s->started]}};
    reason = pthread_create(&s->thread[s->started], &attributes, run_worker, &w[s->started]);
  }
  pthread_attr_destroy(&attributes);
  if (s->started > 0) return RITT_OK;
  return ritti_fail(s->error, RITT_SYSTEM, NULL, NULL, "cannot start a thread: %s",
                    strerror(reason));
}

/* Waits at most a tenth of a second for the next run to end. */
static bool wait_for_run(sweep *s, sweep_outcome *out) {
  struct timespec until;
  sweep_outcome *o = &s->ring[s->written % RING];

  /* the end of the wait */
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += 100000000;
  if (until.tv_nsec >= 1000000000) {
    until.tv_nsec -= 1000000000;
    until.tv_sec++;
  }

  /* take the outcome out of the ring */
  pthread_mutex_lock(&s->lock);
  if (!o->there) pthread_cond_timedwait(&s->over, &s->lock, &until);
  *out = *o;
  if (out->there) *o = (sweep_outcome){0};
  pthread_mutex_unlock(&s->lock);
  return out->there;
}

/* Makes room in the ring. */
static void count_written(sweep *s) {
  pthread_mutex_lock(&s->lock);
  s->written++;
  pthread_cond_broadcast(&s->room);
  pthread_mutex_unlock(&s->lock);
}

/* Writes the runs in their order, until all are written, files fail, or the user interrupts. */
static ritt_status gather_runs(sweep *s) {
  ritt_status status = RITT_OK;
  sweep_outcome out;
  while (s->written < s->plan.ensemble.runs && status == RITT_OK && !cli_was_interrupted()) {
    cli_progress_runs(&s->progress, s->written, s->plan.ensemble.runs, s->files.failures);
    if (!wait_for_run(s, &out)) continue;
    status = cli_sweep_files_take(&s->files, s->written + 1, &out, s->error);
    cli_sweep_drop(&out);
    count_written(s);
  }
  return status;
}

/* Ends the threads; runs that have ended by then are written, too. */
static ritt_status finish_sweep(sweep *s, worker *w, ritt_status status) {
  /* tell the threads to end, and wait for them */
  pthread_mutex_lock(&s->lock);
  atomic_store(&s->plan.ending, true);
  pthread_cond_broadcast(&s->room);
  pthread_mutex_unlock(&s->lock);
  for (long i = 0; i < s->started; i++) pthread_join(s->thread[i], NULL);
  for (long i = 0; i < s->started; i++)
    for (int k = 1; k < RITT_BATCH_SIZE; k++) ritt_model_free(w[i].model[k]);

  /* write the runs that are complete */
  for (long run = s->written + 1; run <= s->next; run++) {
    sweep_outcome *out = &s->ring[(run - 1) % RING];
    if (out->there && !out->given_up && status == RITT_OK)
      status = cli_sweep_files_take(&s->files, run, out, s->error);
    cli_sweep_drop(out);
  }

  /* close the files */
  cli_progress_end(&s->progress);
  ritt_status closed = cli_sweep_files_close(&s->files, s->error);
  return status == RITT_OK ? closed : status;
}

/* Makes all runs and writes their files. */
static ritt_status run_sweep(sweep *s) {
  RITT_TRY(prepare_sweep(s));
  worker *w = ritti_arena_alloc(s->arena, (size_t)s->threads, sizeof *w);
  if (!w) return ritti_no_memory(s->error);

  /* run the threads and write the outcomes */
  cli_catch_interrupts();
  cli_limits_run(true);
  cli_progress_begin(&s->progress, "", s->plan.options->quiet);
  s->began = ritti_clock();
  ritt_status status = start_threads(s, w);
  if (status == RITT_OK) status = gather_runs(s);
  status = finish_sweep(s, w, status);
  if (status != RITT_OK) return status;

  /* report runs that are missing or failed */
  long left = s->plan.ensemble.runs - s->files.done - s->files.failures;
  if (left > 0)
    return ritti_fail(s->error, RITT_STOPPED, NULL, NULL,
                      "the sweep was interrupted: %ld of %ld runs are not there", left,
                      s->plan.ensemble.runs);
  return s->files.failures ? RITT_STOPPED : RITT_OK;
}

/* ---- the summary ---- */

/* Prints the summary to stderr. */
static void print_summary(const sweep *s) {
  const sweep_plan *p = &s->plan;
  const sweep_files *f = &s->files;
  ritti_text out = {0};

  /* the runs */
  ritti_text_add(&out, "%s: %ld run%s, %ld done", ritt_model_name(s->model[0]), p->ensemble.runs,
                 p->ensemble.runs == 1 ? "" : "s", f->done);
  if (f->failures) ritti_text_add(&out, ", %ld failed", f->failures);
  ritti_text_add(&out, "\n");

  /* what varied */
  for (size_t i = 0; i < p->options->vary.count; i++)
    ritti_text_add(&out, "  %-9s %s\n", i ? "" : "varied", p->options->vary.at[i]);
  if (p->ensemble.random) ritti_text_add(&out, "  seed      %ld\n", p->options->seed);

  /* the first failures */
  if (f->shown.at) ritti_text_add(&out, "%s", f->shown.at);
  long more = f->failures - 10;
  if (more > 0)
    ritti_text_add(&out, "  %-9s and %ld more%s%s\n", "", more, f->failed ? ": " : "",
                   f->failed ? f->failed : "");

  /* time and files */
  if (s->together)
    ritti_text_add(&out, "  lanes     %.0f %% of %ld steps\n",
                   100.0 * (double)s->together / (double)s->steps, s->steps);
  ritti_text_add(&out, "  time      ");
  double time = ritti_clock() - s->began;
  cli_add_time(&out, time);
  ritti_text_add(&out, " on %ld thread%s, %.3g runs/s\n", s->started, s->started == 1 ? "" : "s",
                 (double)(f->done + f->failures) / fmax(time, 1e-9));
  const char *rows = p->file ? p->file : p->folder;
  if (f->kept) ritti_text_add(&out, "  wrote     %s%s, ", rows, p->folder ? "/" : "");
  else ritti_text_add(&out, "  wrote     ");
  ritti_text_add(&out, "%s", strcmp(f->final, "-") ? f->final : "stdout");
  if (f->failed) ritti_text_add(&out, ", %s", f->failed);
  ritti_text_add(&out, "\n");
  if (out.status == RITT_OK) fputs(out.at, stderr);
  ritti_text_free(&out);
}

/* Prints the outcome as one JSON object. */
static int print_json(const sweep *s) {
  ritti_text out = {0};
  cli_json_text(&out, "model", ritt_model_name(s->model[0]));
  cli_json_count(&out, "runs", s->plan.ensemble.runs);
  cli_json_count(&out, "done", s->files.done);
  cli_json_count(&out, "failed", s->files.failures);
  cli_json_count(&out, "seed", s->plan.options->seed);
  ritti_text_add(&out, ",\n  \"failures\": [%s]", s->files.json.at ? s->files.json.at : "");
  return cli_print_json(&out);
}

int cli_sweep(const cli_options *options, ritt_error *error) {
  sweep *s = ritti_malloc(sizeof *s);
  if (!s) {
    cli_print_messages(error, ritti_no_memory(error));
    return ritt_status_exit_code(RITT_NO_MEMORY);
  }

  /* run the sweep */
  *s = (sweep){.plan = {.options = options}, .error = error, .arena = ritti_arena_new()};
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->over, NULL);
  pthread_cond_init(&s->room, NULL);
  ritt_status status = s->arena ? cli_lock_files(options, error) : ritti_no_memory(error);
  if (status == RITT_OK) status = run_sweep(s);

  /* report */
  bool ran = s->started > 0 && (status == RITT_OK || status == RITT_STOPPED);
  if (status != RITT_OK && (!ran || ritt_error_count(error))) cli_print_messages(error, status);
  if (ran && !options->quiet && !options->json) print_summary(s);
  int printed = ran && options->json ? print_json(s) : 0;

  /* free everything */
  for (long i = 0; s->model && i < s->threads; i++) ritt_model_free(s->model[i]);
  ritt_batch_free(s->batch);
  cli_sweep_files_free(&s->files);
  RITTI_ARRAY_FREE(s->plan.at);
  pthread_cond_destroy(&s->over);
  pthread_cond_destroy(&s->room);
  pthread_mutex_destroy(&s->lock);
  ritti_arena_free(s->arena);
  ritti_free(s);
  cli_unlock_files();
  return printed ? printed : ritt_status_exit_code(status);
}
