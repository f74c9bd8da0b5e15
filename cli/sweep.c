/* `ritt sweep`: many runs of a model with different parameters and start values, on all cores.
 * Threads take the numbers of runs from a counter and store the outcome of each run in a ring; the
 * main thread writes the outcomes to the files in the order of the numbers. A run depends only on
 * its number, so the files do not depend on the number of threads. The ring limits how far a thread
 * may be ahead: neither memory nor the rows waiting on the disk grow with the number of runs.
 *
 * With --checkpoint a journal has all outcomes, and a sweep that is resumed takes from it what is
 * there. Several processes (ritt-mpi) share the runs through the journal: process 0 hands out the
 * numbers, the others make the runs, and when all are over process 0 writes the files from the
 * journal. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "sweep.h"

enum {
  RING = 1024,        /* outcomes in the ring, at least */
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
  const cli_team *team; /* NULL: one process */
  sweep_journal journal;
  bool resumed;
  size_t before; /* number of runs that were over when the sweep was resumed */

  pthread_mutex_t lock; /* protects all members below */
  pthread_cond_t over;  /* a run is over */
  pthread_cond_t room;  /* the ring has room, or the sweep ends */
  long next;            /* number of runs taken by threads */
  long block;           /* a worker of a team: number of runs that it may still take after `next` */
  long unreported;      /* a worker: runs that are over and not reported yet */
  bool last;            /* a worker: there are no more runs */
  long written;         /* number of runs written */
  long steps, together; /* steps of all runs; of these, steps taken in batches */
  long ring_size;       /* number of outcomes in the ring */
  sweep_outcome *ring;
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
                      "%s %s~: the parameter '%s' has no guesses", v->origin, v->name, v->name);
  case RITT_WHOLE_ARRAY:
    return ritti_fail(error, RITT_WRONG_CALL, NULL,
                      "vary its elements one by one, with their indices", "%s %s: '%s' is an array",
                      v->origin, v->name, v->name);
  case RITT_INDEPENDENT:
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "parameters and start values can vary",
                      "%s %s: '%s' is the independent variable", v->origin, v->name, v->name);
  case RITT_NOTHING: break;
  }

  /* suggest a similar name */
  near = ritt_model_nearest(model, v->name);
  snprintf(hint, sizeof hint, "did you mean '%.80s'?", near ? near : "");
  return ritti_fail(
      error, RITT_WRONG_CALL, NULL, near ? hint : "parameters and start values can vary",
      "%s %s: the model has neither a parameter nor a variable of this name", v->origin, v->name);
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
                          "--set %s and %s %s exclude each other", p->options->set.at[k],
                          e->vary[i].origin, name);
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
    return ritti_fail(s->error, RITT_WRONG_CALL, NULL, "use a name that ends in .csv",
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
    return ritti_fail(
        s->error, RITT_WRONG_CALL, NULL,
        "use a name that ends in .h5, or in / for a folder; --final has the final values",
        "a sweep writes its rows to an HDF5 file or a folder, not to '%s'", path);
  if (o->format && !folder)
    return ritti_fail(s->error, RITT_WRONG_CALL, NULL, "give -o DIR/",
                      "--format sets the format of the files in a folder");

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
  if (cli_sweep_team) threads = 1; /* each core has a process */
  if (o->threads) threads = o->threads;
  if (threads > MOST_THREADS) threads = MOST_THREADS;
  return threads < runs ? threads : runs;
}

/* Prepares the checkpoint and the journal. */
static ritt_status prepare_journal(sweep *s) {
  const cli_options *o = s->plan.options;
  if (!o->checkpoint) return RITT_OK;
  if (!strcmp(s->files.final, "-"))
    return ritti_fail(s->error, RITT_WRONG_CALL, NULL, "give --final FILE.csv",
                      "a sweep that can be resumed writes its final values to a file");
  s->plan.journal = true;
  RITT_TRY(cli_journal_init(&s->journal, o->checkpoint, s->error));
  if (s->resumed) RITT_TRY(cli_journal_read(&s->journal, s->error));
  else {
    RITT_TRY(cli_journal_clear(&s->journal, s->error));
    RITT_TRY(cli_checkpoint_sweep(o, s->model[0], s->error));
  }
  s->before = s->journal.record.count;
  return cli_journal_open(&s->journal, 0, s->error);
}

/* A worker of a team writes to its journal and to no other file. */
static ritt_status prepare_worker(sweep *s) {
  s->plan.journal = true;
  RITT_TRY(cli_journal_init(&s->journal, s->plan.options->checkpoint, s->error));
  return cli_journal_open(&s->journal, s->team->rank, s->error);
}

/* Makes the batch, whose runs take steps together, and the ring. */
static ritt_status prepare_batch(sweep *s) {
  const cli_options *o = s->plan.options;
  s->batch = ritt_batch_new(s->plan.ensemble.runs, !o->lanes || strcmp(o->lanes, "never"));
  if (!s->batch) return ritti_no_memory(s->error);
  if (o->arithmetic && !o->device)
    return ritti_fail(s->error, RITT_WRONG_CALL, NULL, "give --device cuda",
                      "--arithmetic is for a GPU only");
  bool fast = o->arithmetic && !strcmp(o->arithmetic, "fast");
  if (o->device) RITT_TRY(ritt_batch_use_device(s->batch, o->device, fast, s->error));
  for (long i = 0; i < s->threads; i++) ritt_batch_add(s->batch, s->model[i]);

  s->ring_size = 2 * s->threads * ritt_batch_size(s->batch);
  if (s->ring_size < RING) s->ring_size = RING;
  s->ring = ritti_arena_alloc(s->arena, (size_t)s->ring_size, sizeof *s->ring);
  return s->ring ? RITT_OK : ritti_no_memory(s->error);
}

/* Reads the options and the models; every thread has a model of its own. */
static ritt_status prepare_sweep(sweep *s) {
  const cli_options *o = s->plan.options;
  ritt_model *model = NULL;

  /* the runs and the files */
  ritt_status status = cli_read_model(o, s->error, &model);
  if (status == RITT_OK) status = cli_sweep_read_plan(&s->plan, model, s->arena, s->error);
  if (status == RITT_OK) status = choose_files(s);
  for (long n = s->plan.ensemble.runs; n > 0; n /= 10) s->plan.digits++;

  /* a model for each thread */
  s->threads = count_threads(o, s->plan.ensemble.runs);
  if (s->threads < 1) s->threads = 1;
  s->model = ritti_arena_alloc(s->arena, (size_t)s->threads, sizeof *s->model);
  s->thread = ritti_arena_alloc(s->arena, (size_t)s->threads, sizeof *s->thread);
  if (!s->model || !s->thread) {
    ritt_model_free(model);
    s->model = NULL;
    return ritti_no_memory(s->error);
  }
  s->model[0] = model;
  RITT_TRY(status);
  RITT_TRY(check_names(s, s->model[0]));
  for (long i = 1; i < s->threads; i++)
    RITT_TRY(cli_copy_model(o, s->model[0], s->error, &s->model[i]));

  RITT_TRY(prepare_batch(s));
  if (o->at) RITT_TRY(cli_read_numbers(o->at, &s->plan.at, s->error));
  if (s->team && s->team->rank > 0) return prepare_worker(s);
  RITT_TRY(cli_sweep_files_init(&s->files, &s->plan, s->resumed, s->error));
  return prepare_journal(s);
}

/* ---- threads ---- */

/* A thread: up to `size` runs, which take their steps together if they can. */
typedef struct worker {
  sweep *s;
  int size, open;     /* open: the number of places in use */
  ritt_model **model; /* the first one belongs to the sweep; NULL: not made yet */
  sweep_member *member;
  ritt_solver **solver;
  int active;
} worker;

/* Takes the next run of a worker; when its block is used up it asks for another one. */
static long take_block(sweep *s) {
  long first = 0, count = 0;
  if (!s->block && !s->last && !atomic_load(&s->plan.ending)) {
    s->team->ask(s->unreported, &first, &count);
    s->unreported = 0;
    s->last = count == 0;
    s->next = first - 1;
    s->block = count;
  }
  if (!s->block || atomic_load(&s->plan.ending)) return 0;
  s->block--;
  return ++s->next;
}

/* Does the ring have room for the next run, and is there one? */
static bool has_room(const sweep *s) {
  return s->next < s->plan.ensemble.runs && s->next - s->written < s->ring_size;
}

/* Takes the number of the next run, from 1. Returns 0 if there is none, or if the ring is full and
 * `wait` is not set because the ring may be waiting for a run of this thread. */
static long take_run(sweep *s, bool wait) {
  long run = 0;
  pthread_mutex_lock(&s->lock);
  if (s->team) run = take_block(s);
  while (!s->team && !run && !atomic_load(&s->plan.ending)) {
    while (!run && has_room(s)) {
      s->next++;
      if (!cli_journal_has(&s->journal, s->next)) run = s->next;
    }
    if (run || !wait || s->next == s->plan.ensemble.runs) break;
    pthread_cond_wait(&s->room, &s->lock);
  }
  pthread_mutex_unlock(&s->lock);
  return run;
}

/* Adds an outcome to the journal. A failure ends the sweep. */
static void note_outcome(sweep *s, long run, sweep_outcome *out) {
  if (!s->plan.journal || out->given_up || out->broken) return;
  ritt_error *error = ritt_error_new();
  ritt_status status = error ? cli_journal_add(&s->journal, run, out, error) : RITT_NO_MEMORY;
  if (status == RITT_OK) {
    ritt_error_free(error);
    return;
  }
  out->status = status;
  out->broken = true;
  out->error = error;
}

/* A worker has no ring: the journal has the outcome. If the sweep cannot continue, all processes
 * end. */
static void finish_outcome(sweep *s, sweep_outcome *out) {
  s->unreported++;
  if (out->broken) {
    cli_print_messages(out->error, out->status);
    s->team->abort(ritt_status_exit_code(out->status));
  }
  cli_sweep_drop(out);
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
  note_outcome(s, run, &outcome);
  if (s->team) finish_outcome(s, &outcome);
  else s->ring[(run - 1) % s->ring_size] = outcome;
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
  for (int i = 0; i < w->open; i++) {
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
  for (int i = 0; i < w->size; i++) w->solver[i] = w->member[i].run ? w->member[i].solver : NULL;
  ritt_batch_step(w->solver, w->size);
  for (int i = 0; i < w->size; i++)
    if (w->member[i].run && cli_sweep_on(&w->member[i])) {
      hand_over(w, &w->member[i]);
      w->active--;
    }
}

/* A thread: starts runs and steps them until there are no more. */
static void *run_worker(void *argument) {
  worker *w = argument;
  for (;;) {
    double begin = ritti_clock();
    bool more = start_runs(w);
    if (!w->active && !more) return NULL;
    double prepared = ritti_clock();
    /* the last run goes on alone */
    for (int i = 0; w->active == 1 && !more && i < w->size; i++)
      if (w->member[i].run) ritt_batch_leave(w->member[i].solver);
    int before = w->active;
    while (w->active && w->active == before) step_runs(w);

    /* more runs at a time if their steps take longer than it takes to prepare them */
    if (ritti_clock() - prepared > prepared - begin && 2 * w->open <= w->size) w->open *= 2;
  }
}

/* Makes room for the runs of a thread. false: no memory */
static bool prepare_worker_room(sweep *s, worker *w) {
  enum { FIRST = 64 };
  const int size = ritt_batch_size(s->batch);
  *w = (worker){.s = s, .size = size, .open = size < FIRST ? size : FIRST};
  w->model = ritti_arena_alloc(s->arena, (size_t)size, sizeof *w->model);
  w->member = ritti_arena_alloc(s->arena, (size_t)size, sizeof *w->member);
  w->solver = ritti_arena_alloc(s->arena, (size_t)size, sizeof *w->solver);
  if (!w->model || !w->member || !w->solver) return false;
  w->model[0] = s->model[s->started];
  return true;
}

/* Starts the threads; fewer than wanted are enough. */
static ritt_status start_threads(sweep *s, worker *w) {
  pthread_attr_t attributes;
  int reason = pthread_attr_init(&attributes);
  if (reason) return ritti_no_memory(s->error);
  pthread_attr_setstacksize(&attributes, STACK);
  for (; s->started < s->threads && !reason; s->started += !reason) {
    if (!prepare_worker_room(s, &w[s->started])) break;
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
  sweep_outcome *o = &s->ring[s->written % s->ring_size];

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

/* Gets the outcome of the next run from the journal or from the threads; *there: it is over. */
static ritt_status get_outcome(sweep *s, sweep_outcome *out, bool *there) {
  long run = s->written + 1;
  *there = true;
  if (cli_journal_has(&s->journal, run)) return cli_journal_get(&s->journal, run, out, s->error);
  *there = s->started > 0 && wait_for_run(s, out);
  return RITT_OK;
}

/* Writes the runs in their order, until all are written, files fail, or the user interrupts. */
static ritt_status gather_runs(sweep *s) {
  ritt_status status = RITT_OK;
  sweep_outcome out;
  bool there;
  while (s->written < s->plan.ensemble.runs && status == RITT_OK && !cli_was_interrupted()) {
    cli_progress_runs(&s->progress, s->written, s->plan.ensemble.runs, s->files.failures);
    status = get_outcome(s, &out, &there);
    if (status != RITT_OK || !there) continue;
    status = cli_sweep_files_take(&s->files, s->written + 1, &out, s->error);
    cli_sweep_drop(&out);
    count_written(s);
  }
  return status;
}

/* Waits for the threads and frees their models. */
static void join_threads(sweep *s, worker *w) {
  for (long i = 0; i < s->started; i++) pthread_join(s->thread[i], NULL);
  for (long i = 0; i < s->started; i++)
    for (int k = 1; k < w[i].size; k++) ritt_model_free(w[i].model[k]);
}

/* Tells the threads to end, and waits for them. */
static void end_threads(sweep *s, worker *w) {
  pthread_mutex_lock(&s->lock);
  atomic_store(&s->plan.ending, true);
  pthread_cond_broadcast(&s->room);
  pthread_mutex_unlock(&s->lock);
  join_threads(s, w);
}

/* Writes the runs that are over after the last one that was written in its turn; gaps remain. */
static ritt_status write_rest(sweep *s, ritt_status status) {
  long last = s->journal.record.count ? s->plan.ensemble.runs : s->next;
  for (long run = s->written + 1; run <= last; run++) {
    sweep_outcome none = {0}, *out = &none;
    if (run <= s->next && run - s->written <= s->ring_size)
      out = &s->ring[(run - 1) % s->ring_size];
    if (!out->there && status == RITT_OK && cli_journal_has(&s->journal, run))
      status = cli_journal_get(&s->journal, run, out, s->error);
    if (out->there && !out->given_up && status == RITT_OK)
      status = cli_sweep_files_take(&s->files, run, out, s->error);
    cli_sweep_drop(out);
  }
  return status;
}

/* Writes the remaining runs and closes the files. */
static ritt_status finish_files(sweep *s, ritt_status status) {
  status = write_rest(s, status);
  cli_progress_end(&s->progress);
  ritt_status closed = cli_sweep_files_close(&s->files, s->error);
  return status == RITT_OK ? closed : status;
}

/* Removes the journal of a complete sweep; reports runs that are missing or failed. */
static ritt_status finish_sweep(sweep *s) {
  long left = s->plan.ensemble.runs - s->files.done - s->files.failures;
  if (left > 0) {
    char hint[512];
    snprintf(hint, sizeof hint, "continue with: ritt resume %.400s",
             s->plan.journal ? s->journal.path : "");
    return ritti_fail(s->error, RITT_STOPPED, NULL,
                      s->plan.journal ? hint : "with --checkpoint CK a sweep can be resumed",
                      "%s: %ld of %ld runs are missing",
                      cli_time_is_up() ? "the time is up (--max-time)"
                                       : "the sweep was interrupted",
                      left, s->plan.ensemble.runs);
  }
  if (s->plan.journal) RITT_TRY(cli_journal_remove(&s->journal, s->error));
  return s->files.failures ? RITT_STOPPED : RITT_OK;
}

/* Makes all runs in this process and writes their files. */
static ritt_status run_alone(sweep *s, worker *w) {
  ritt_status status = start_threads(s, w);
  if (status == RITT_OK) status = gather_runs(s);
  end_threads(s, w);
  status = finish_files(s, status);
  return status == RITT_OK ? finish_sweep(s) : status;
}

/* ---- several processes ---- */

const cli_team *cli_sweep_team;

/* A worker makes the runs that process 0 hands out, until there are no more. */
static ritt_status run_worker_process(sweep *s, worker *w) {
  const struct timespec moment = {.tv_nsec = 20 * 1000 * 1000};
  ritt_status status = start_threads(s, w);
  bool more = status == RITT_OK;
  while (more && !cli_was_interrupted()) {
    nanosleep(&moment, NULL);
    pthread_mutex_lock(&s->lock);
    more = !s->last;
    pthread_mutex_unlock(&s->lock);
  }
  if (cli_was_interrupted()) atomic_store(&s->plan.ending, true);
  join_threads(s, w);
  s->started = 0;
  s->team->leave(s->unreported);
  return status;
}

/* The next block of runs that are not over: short enough to keep all processes busy to the end. */
static void choose_block(sweep *s, long *first, long *count) {
  enum { MOST = 256 };
  long runs = s->plan.ensemble.runs, left = runs - s->next;
  long most = left / (4 * s->team->ranks);
  if (most < 1) most = 1;
  if (most > MOST) most = MOST;
  while (s->next < runs && cli_journal_has(&s->journal, s->next + 1)) s->next++;
  *first = s->next + 1;
  *count = 0;
  while (*count < most && s->next < runs && !cli_journal_has(&s->journal, s->next + 1)) {
    s->next++;
    ++*count;
  }
}

/* Process 0 hands out runs until all workers have left; then it writes the files. */
static ritt_status run_dispatcher(sweep *s) {
  const struct timespec moment = {.tv_nsec = 200 * 1000};
  long over = (long)s->before, done, first, count;
  int workers = s->team->ranks - 1;
  bool leaves;
  while (workers > 0) {
    cli_progress_runs(&s->progress, over, s->plan.ensemble.runs, 0);
    int rank = s->team->listen(&done, &leaves);
    if (rank < 0) {
      nanosleep(&moment, NULL);
      continue;
    }
    over += done;
    workers -= leaves;
    if (leaves) continue;
    first = count = 0;
    if (!cli_was_interrupted()) choose_block(s, &first, &count);
    s->team->answer(rank, first, count);
  }

  /* join the journals */
  RITT_TRY(cli_journal_read(&s->journal, s->error));
  s->next = 0;
  ritt_status status = finish_files(s, RITT_OK);
  return status == RITT_OK ? finish_sweep(s) : status;
}

/* Prepares the sweep on process 0 first, which makes folders and the checkpoint. */
static ritt_status prepare_team(sweep *s) {
  if (!s->team) return prepare_sweep(s);
  bool first = s->team->rank == 0;
  ritt_status status = first ? prepare_sweep(s) : RITT_OK;
  int code = s->team->agree(ritt_status_exit_code(status));
  if (first || code) return first ? status : RITT_STOPPED;
  return prepare_sweep(s);
}

/* Makes all runs and writes their files. */
static ritt_status run_sweep(sweep *s) {
  RITT_TRY(prepare_team(s));
  worker *w = ritti_arena_alloc(s->arena, (size_t)s->threads, sizeof *w);
  if (!w) return ritti_no_memory(s->error);

  /* run the threads and write the outcomes */
  cli_catch_interrupts();
  cli_limits_run(true);
  cli_progress_begin(&s->progress, "", s->plan.options->quiet);
  s->began = ritti_clock();
  if (s->team && s->team->rank > 0) return run_worker_process(s, w);
  if (!s->team) return run_alone(s, w);
  s->started = s->team->ranks;
  return run_dispatcher(s);
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
  if (p->table) ritti_text_add(&out, "  varied    %s\n", p->table);
  for (size_t i = 0; i < p->vary.count; i++)
    ritti_text_add(&out, "  %-9s %s\n", i || p->table ? "" : "varied", p->vary.at[i]);
  if (p->ensemble.random) ritti_text_add(&out, "  seed      %ld\n", p->seed);

  /* the first failures */
  if (f->shown.at) ritti_text_add(&out, "%s", f->shown.at);
  long more = f->failures - 10;
  if (more > 0)
    ritti_text_add(&out, "  %-9s and %ld more%s%s\n", "", more, f->failed ? ": " : "",
                   f->failed ? f->failed : "");

  /* time and files */
  const char *device = ritt_batch_device(s->batch);
  if (s->together || device)
    ritti_text_add(&out, "  %-9s %.0f %% of %ld steps", device ? "device" : "lanes",
                   100.0 * (double)s->together / fmax(1, (double)s->steps), s->steps);
  if (device) ritti_text_add(&out, " on %s", device);
  if (s->together || device) ritti_text_add(&out, "\n");
  ritti_text_add(&out, "  time      ");
  double time = ritti_clock() - s->began;
  cli_add_time(&out, time);
  const char *workers = s->team ? "processes" : "threads";
  if (s->started == 1) workers = s->team ? "process" : "thread";
  double rate = (double)(f->done + f->failures - (long)s->before) / fmax(time, 1e-9);
  ritti_text_add(&out, rate < 100 ? " on %ld %s, %.3g runs/s\n" : " on %ld %s, %.0f runs/s\n",
                 s->started, workers, rate);
  if (s->resumed) ritti_text_add(&out, "  resumed   %zu runs were already done\n", s->before);
  const char *rows = p->file ? p->file : p->folder;
  if (f->kept) ritti_text_add(&out, "  wrote     %s%s, ", rows, p->folder ? "/" : "");
  else ritti_text_add(&out, "  wrote     ");
  ritti_text_add(&out, "%s", strcmp(f->final, "-") ? f->final : "stdout");
  if (f->failed) ritti_text_add(&out, ", %s", f->failed);
  if (f->statistics) ritti_text_add(&out, ", %s", f->statistics);
  if (f->histogram) ritti_text_add(&out, ", %s", f->histogram);
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
  cli_json_count(&out, "seed", s->plan.seed);
  ritti_text_add(&out, ",\n  \"failures\": [%s]", s->files.json.at ? s->files.json.at : "");
  return cli_print_json(&out);
}

static int sweep_model(const cli_options *options, bool resumed, ritt_error *error) {
  sweep *s = ritti_malloc(sizeof *s);
  if (!s) {
    cli_print_messages(error, ritti_no_memory(error));
    return ritt_status_exit_code(RITT_NO_MEMORY);
  }

  /* run the sweep */
  *s = (sweep){.plan = {.options = options},
               .error = error,
               .arena = ritti_arena_new(),
               .resumed = resumed,
               .team = cli_sweep_team,
               .journal = {.own = -1}};
  bool first = !s->team || s->team->rank == 0;
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->over, NULL);
  pthread_cond_init(&s->room, NULL);
  ritt_status status = s->arena ? RITT_OK : ritti_no_memory(error);
  if (status == RITT_OK && first) status = cli_lock_files(options, error);
  if (status == RITT_OK) status = run_sweep(s);
  else if (s->team && first) s->team->agree(ritt_status_exit_code(status));

  /* report */
  bool ran = s->started > 0 && (status == RITT_OK || status == RITT_STOPPED);
  if (status != RITT_OK && first && (!ran || ritt_error_count(error)))
    cli_print_messages(error, status);
  if (ran && first && !options->quiet && !options->json) print_summary(s);
  int printed = ran && first && options->json ? print_json(s) : 0;

  /* free everything */
  for (long i = 0; s->model && i < s->threads; i++) ritt_model_free(s->model[i]);
  ritt_batch_free(s->batch);
  cli_sweep_files_free(&s->files);
  cli_journal_free(&s->journal);
  RITTI_ARRAY_FREE(s->plan.at);
  cli_sweep_plan_free(&s->plan);
  pthread_cond_destroy(&s->over);
  pthread_cond_destroy(&s->room);
  pthread_mutex_destroy(&s->lock);
  ritti_arena_free(s->arena);
  ritti_free(s);
  cli_unlock_files();
  return printed ? printed : ritt_status_exit_code(status);
}

int cli_sweep(const cli_options *options, ritt_error *error) {
  return sweep_model(options, false, error);
}

int cli_sweep_resume(const cli_options *options, ritt_error *error) {
  return sweep_model(options, true, error);
}
