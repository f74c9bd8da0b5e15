/* The native code that the runs of a sweep have in common.
 *
 * Problems whose functions are the same operations differ in the numbers of their rows alone
 * (parameters, invariants): they share code, found by a sum over everything that its source depends
 * on. It is compiled once, when the runs that are left pay for it, judged by the time that those
 * before have taken; each run takes it over between two steps. With the code for lanes a run waits
 * where it would take a whole step alone (solve/cruise.c) until others of its thread wait, too, and
 * one call takes all of them. The bits are the same whenever that is.
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include "native/native.h"
#include "session.h"
#include "together.h"

/* Seconds: when runs are looked at first, and how often; a cache is asked, a compiler started, for
 * so many left. */
static const double FIRST = 0.01, EVERY = 0.004, WORTH_LOADING = 0.02, WORTH_COMPILING = 1.5;
enum { MOST_SHARED = 8, STEPS = 32 };

typedef enum ritti_making { NOTHING, MAKING, READY, FAILED } ritti_making;
typedef struct making {
  ritti_native *code;
  ritti_making state;
} making;

typedef struct ritti_shared {
  uint64_t sum[2];
  making whole, lanes;
  _Atomic(bool) has_whole, has_lanes, settled; /* settled: nothing more will come */
  ritti_lanes_step *step;                      /* once there are lanes */
  double spent, over,
      next; /* seconds of runs, runs, and after how many seconds they are looked at */
} ritti_shared;

struct ritti_shelf {
  pthread_mutex_t lock; /* of all but the three above */
  long runs;
  bool lanes;
  int count;
  ritti_shared at[MOST_SHARED];
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

ritti_shelf *ritti_shelf_new(long runs, bool lanes) {
  ritti_shelf *shelf = ritti_malloc(sizeof *shelf);
  if (!shelf) return NULL;
  memset(shelf, 0, sizeof *shelf);
  shelf->runs = runs, shelf->lanes = lanes;
  if (!pthread_mutex_init(&shelf->lock, NULL)) return shelf;
  ritti_free(shelf);
  return NULL;
}

void ritti_shelf_free(ritti_shelf *shelf) {
  if (!shelf) return;
  for (int i = 0; i < shelf->count; i++)
    ritti_native_free(shelf->at[i].whole.code), ritti_native_free(shelf->at[i].lanes.code);
  pthread_mutex_destroy(&shelf->lock);
  ritti_free(shelf);
}

void ritti_model_share(ritt_model *model, ritti_shelf *shelf) { model->shelf = shelf; }

/* ---- what is made ---- */

static void poll(making *m) {
  if (m->state != MAKING) return;
  ritti_native_state state = ritti_native_poll(m->code);
  if (state != RITTI_NATIVE_WORKING) m->state = state == RITTI_NATIVE_READY ? READY : FAILED;
}

/* The lock is held. */
static void look_at_code(ritti_shared *e) {
  poll(&e->whole), poll(&e->lanes);
  if (e->whole.state == READY) atomic_store(&e->has_whole, true);
  if (e->lanes.state == READY && !e->step) {
    ritti_any_function step = ritti_native_get(e->lanes.code, "ritt_lanes");
    e->step = (ritti_lanes_step *)step;
  }
  if (e->step) atomic_store(&e->has_lanes, true);
  bool going = e->whole.state == NOTHING || e->whole.state == MAKING || e->lanes.state == MAKING;
  if (!going) atomic_store(&e->settled, true);
}

static void begin(making *m, ritti_text *source, ritt_status status, bool hard, bool compile) {
  if (status == RITT_OK && source->status == RITT_OK)
    m->code = ritti_native_begin(source->at, source->count, hard, compile);
  ritti_text_free(source);
  m->state = m->code ? MAKING : FAILED;
  poll(m);
  if (m->state != FAILED || compile || !m->code) return;
  ritti_native_free(m->code); /* not in the cache: perhaps later */
  m->code = NULL, m->state = NOTHING;
}

/* `left`: seconds that runs will still take. The lock is held. */
static void make(ritti_shelf *shelf, ritti_shared *e, ritti_session *S, double left) {
  const ritti_problem *p = S->compiling.problem;
  ritti_text source = {0}, lanes = {0};
  ritti_step_method room;
  const ritti_step_method *method = ritti_session_step_method(S, &room);
  bool whole = false, hard = false;
  ritt_status status =
      ritti_problem_write_native(p, ritti_session_wants_second(S), method, &source, &whole, &hard);
  begin(&e->whole, &source, status, hard, left > WORTH_COMPILING);
  if (!whole || !shelf->lanes || !ritti_lanes_fits(p, method) || e->whole.state == NOTHING) return;
  status = ritti_lanes_write(p, method, &lanes);
  begin(&e->lanes, &lanes, status, true, left > 2 * WORTH_COMPILING);
  if (e->lanes.state == NOTHING) e->lanes.state = FAILED;
}

/* ---- a run ---- */

static ritti_any_function get(const void *from, const char *name) {
  return ritti_native_get(from, name);
}
static void leave(void *code) { (void)code; } /* it is the shelf's */

/* The functions of the problem, once they are there. */
static void take_code(ritti_session *S) {
  ritti_compiling *c = &S->compiling;
  ritti_shared *e = c->shared;
  if (c->native || !atomic_load(&e->has_whole)) return;
  ritti_native_owner *owner = ritti_problem_native(c->problem);
  ritti_problem_take_native(c->problem, get, e->whole.code);
  owner->end = leave;
  if (atomic_load(&owner->count) < RITTI_MOST_NATIVE)
    owner->code[atomic_fetch_add(&owner->count, 1)] = e->whole.code;
  c->native = true;
}

ritti_lanes_step *ritti_shared_batch_step(const ritti_shared *e) {
  return atomic_load(&e->has_lanes) ? e->step : NULL;
}

/* `always`: waits for the code, and for who watches the run. The lock is held. */
static ritt_status wait_for_code(ritti_shared *e, ritti_session *S) {
  const struct timespec pause = {0, 500000};
  const ritt_progress progress = {.from = S->from, .x = S->from, .end = S->settings.end};
  ritt_status status = RITT_OK;
  for (look_at_code(e); !atomic_load(&e->settled) && status == RITT_OK; look_at_code(e)) {
    nanosleep(&pause, NULL);
    if (S->options.watch) status = S->options.watch(S->options.watch_user, &progress);
  }
  return status;
}

static ritti_shared *find(ritti_shelf *shelf, const uint64_t sum[2]) {
  for (int i = 0; i < shelf->count; i++)
    if (!memcmp(shelf->at[i].sum, sum, sizeof shelf->at[i].sum)) return &shelf->at[i];
  if (shelf->count == MOST_SHARED) return NULL;
  ritti_shared *e = &shelf->at[shelf->count++];
  memcpy(e->sum, sum, sizeof e->sum);
  e->next = FIRST;
  return e;
}

bool ritti_shelf_begin(ritti_session *S, bool always, ritt_status *status) {
  ritti_compiling *c = &S->compiling;
  ritti_shelf *shelf = S->now.shelf;
  ritti_step_method room;
  uint64_t sum[2];
  *status = RITT_OK;
  if (!shelf || !ritti_problem_sum(c->problem, ritti_session_step_method(S, &room), sum))
    return false;
  pthread_mutex_lock(&shelf->lock);
  ritti_shared *e = c->shared = find(shelf, sum);
  if (e && always) {
    if (e->whole.state == NOTHING) make(shelf, e, S, INFINITY);
    *status = wait_for_code(e, S);
    c->asked = true;
    if (e->whole.state == FAILED)
      c->reason = e->whole.code ? ritti_native_reason(e->whole.code) : "there is no memory for it";
  }
  pthread_mutex_unlock(&shelf->lock);
  if (!e) return false;
  c->settled = false, c->counted = now();
  take_code(S);
  return true;
}

/* Adds the time since it was counted last. The lock is held. */
static void count_time(ritti_compiling *c) {
  double t = now();
  c->shared->spent += t - c->counted;
  c->counted = t;
}

void ritti_shelf_look(ritti_session *S, double at, double end) {
  ritti_compiling *c = &S->compiling;
  ritti_shelf *shelf = S->now.shelf;
  ritti_shared *e = c->shared;
  if (c->steps == 0) c->from = at;
  if (++c->steps % STEPS) return;
  take_code(S), ritti_batch_join(S);
  if (atomic_load(&e->settled)) c->settled = true; /* what it took just now was all */
  if (c->settled || now() - c->counted < EVERY) return;
  pthread_mutex_lock(&shelf->lock);
  count_time(c);
  look_at_code(e);
  if (e->whole.state == NOTHING && e->spent > e->next) {
    double done = e->over + (at - c->from) / (end - c->from),
           left = e->spent * ((double)shelf->runs - done) / done;
    e->next = 2 * e->spent;
    if (left > WORTH_LOADING) make(shelf, e, S, left);
    look_at_code(e);
  }
  pthread_mutex_unlock(&shelf->lock);
}

void ritti_shelf_end(ritti_session *S) {
  ritti_compiling *c = &S->compiling;
  ritti_shelf *shelf = S->now.shelf;
  pthread_mutex_lock(&shelf->lock);
  count_time(c);
  c->shared->over++;
  pthread_mutex_unlock(&shelf->lock);
}
