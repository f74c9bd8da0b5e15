/* When a run turns to native code.
 *
 * In: a solver on a model's problem. `always`: the functions are there before the first step, or a
 * sentence why not. `auto`: once a run has gone on for a while and has long enough to go for a
 * compiler to pay, which works beside the run; when it is done the functions take the place of the
 * interpreter between two steps. The results are the same bits whenever that is. Of the solvers
 * that share a problem one at a time brings functions, for all: the first one whose run is worth
 * it, then those whose methods could take whole steps and have none yet; who comes while another is
 * at it asks again later.
 */
#include <stdlib.h>
#include <time.h>
#include "native/native.h"
#include "session.h"

/* Seconds: a run is looked at after the first so many; a cache is asked, a compiler started, for so
 * many left, more where it writes whole steps. */
static const double FIRST = 0.02, WORTH_LOADING = 0.02, WORTH_COMPILING = 0.3, PER_BYTE = 5e-6,
                    WHOLE = 1.0;
enum { STEPS = 32 }; /* between looks at the clock */

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef enum wish { NEVER, AUTO, ALWAYS } wish;

static wish wish_of(const ritti_session *S) {
  const char *word = S->options.native ? S->options.native : getenv("RITT_NATIVE");
  if (word && !strcmp(word, "always")) return ALWAYS;
  return word && !strcmp(word, "never") ? NEVER : AUTO;
}

static ritti_any_function get(const void *from, const char *name) {
  return ritti_native_get(from, name);
}
static void end(void *code) { ritti_native_free(code); }

/* The code is ready, or will not be: the problem keeps it. */
static void settle(ritti_session *S) {
  ritti_compiling *c = &S->compiling;
  ritti_native_owner *owner = ritti_problem_native(c->problem);
  if (ritti_native_poll(c->code) == RITTI_NATIVE_READY) {
    ritti_problem_take_native(c->problem, get, c->code);
    owner->end = end;
    owner->code[atomic_load(&owner->count)] = c->code;
    atomic_fetch_add(&owner->count, 1);
    c->native = true;
  } else {
    c->reason = ritti_native_reason(c->code);
    ritti_native_free(c->code);
  }
  c->code = NULL, c->settled = true;
  /* for other methods; what failed once is not tried by the next one at the same time */
  if (c->native) atomic_flag_clear(&owner->taken), c->owns = false;
}

const ritti_step_method *ritti_session_step_method(const ritti_session *S,
                                                   ritti_step_method *room) {
  const ritti_solve_options *o = &S->settings.solve;
  bool whole = !o->doubled && ritti_tableau_step_method(o->tableau, o->project_stages,
                                                        o->projection == RITTI_PROJECT_SEQUENTIAL,
                                                        o->weighted, room);
  return whole ? room : NULL;
}

bool ritti_session_wants_second(const ritti_session *S) {
  ritti_projection projection = S->settings.solve.projection;
  return projection != RITTI_PROJECT_GAUSS && projection != RITTI_PROJECT_SEQUENTIAL;
}

/* Is it this solver that brings code now? Another one may have brought it meanwhile. */
static bool claim(ritti_session *S) {
  ritti_compiling *c = &S->compiling;
  ritti_native_owner *owner = ritti_problem_native(c->problem);
  ritti_step_method room;
  if (c->owns) return true;
  if (ritti_problem_wants_native(c->problem, ritti_session_step_method(S, &room))) {
    if (atomic_flag_test_and_set(&owner->taken)) {
      c->reason = "another solver of the same problem was bringing it";
      return false;
    }
    c->owns = ritti_problem_wants_native(c->problem, ritti_session_step_method(S, &room));
    if (!c->owns) atomic_flag_clear(&owner->taken);
  }
  c->settled = !c->owns, c->reason = NULL;
  return c->owns;
}

static void let_others(ritti_session *S) {
  ritti_compiling *c = &S->compiling;
  if (c->owns) atomic_flag_clear(&ritti_problem_native(c->problem)->taken);
  c->owns = false;
}

/* Writes the source and begins; `left`: seconds that the run will still take. */
static void begin(ritti_session *S, double left) {
  ritti_compiling *c = &S->compiling;
  ritti_text source = {0};
  bool whole = false, hard = false;
  ritti_step_method room;
  ritt_status status =
      ritti_problem_write_native(c->problem, ritti_session_wants_second(S),
                                 ritti_session_step_method(S, &room), &source, &whole, &hard);
  bool compile = left > WORTH_COMPILING + PER_BYTE * (double)source.count + (whole ? WHOLE : 0);
  if (status == RITT_OK) c->code = ritti_native_begin(source.at, source.count, hard, compile);
  ritti_text_free(&source);
  if (!c->code) c->settled = true, c->reason = "there is no memory for it";
  else if (ritti_native_poll(c->code) == RITTI_NATIVE_FAILED && !compile) {
    /* not in the cache: perhaps later */
    ritti_native_free(c->code);
    c->code = NULL;
    let_others(S);
  } else if (ritti_native_poll(c->code) != RITTI_NATIVE_WORKING) settle(S);
}

/* Waits for the compiler, and for who watches the run. */
static ritt_status wait_for_compiler(ritti_session *S) {
  const struct timespec pause = {0, 500000};
  const ritt_progress progress = {.from = S->from, .x = S->from, .end = S->settings.end};
  ritt_status status = RITT_OK;
  while (ritti_native_poll(S->compiling.code) == RITTI_NATIVE_WORKING && status == RITT_OK) {
    nanosleep(&pause, NULL);
    if (S->options.watch) status = S->options.watch(S->options.watch_user, &progress);
  }
  return status;
}

ritt_status ritti_compiling_begin(ritti_session *S, const ritti_problem *problem) {
  ritti_compiling *c = &S->compiling;
  ritti_compiling_end(S);
  *c = (ritti_compiling){.problem = problem, .settled = true};
  ritti_native_owner *owner = ritti_problem_native(problem);
  ritti_step_method room;
  ritt_status shared;
  if (!owner || wish_of(S) == NEVER) return RITT_OK;
  if (ritti_shelf_begin(S, wish_of(S) == ALWAYS, &shared)) return shared;
  if (!ritti_problem_wants_native(problem, ritti_session_step_method(S, &room))) return RITT_OK;
  c->settled = false;
  if (wish_of(S) != ALWAYS) return RITT_OK;
  c->asked = true;
  if (!claim(S)) return RITT_OK; /* another solver's: later, then */
  begin(S, INFINITY);
  if (!c->code) return RITT_OK;
  ritt_status status = wait_for_compiler(S);
  if (status == RITT_OK) settle(S);
  else ritti_compiling_end(S);
  return status;
}

void ritti_compiling_look(ritti_session *S, double at, double end) {
  ritti_compiling *c = &S->compiling;
  if (c->settled) return;
  if (c->shared) {
    ritti_shelf_look(S, at, end);
    return;
  }
  if (c->steps == 0) c->from = at, c->began = now(), c->next = FIRST;
  if (++c->steps % STEPS) return;
  if (c->code) {
    if (ritti_native_poll(c->code) != RITTI_NATIVE_WORKING) settle(S);
    return;
  }
  double spent = now() - c->began, left = c->asked ? INFINITY : spent * (end - at) / (at - c->from);
  if (spent < c->next && !c->asked) return;
  c->next = 2 * spent;
  if (left > WORTH_LOADING && claim(S)) begin(S, left);
}

const char *ritti_compiling_reason(const ritti_session *S) {
  const ritti_compiling *c = &S->compiling;
  ritti_step_method room;
  if (!c->asked || !c->reason) return NULL;
  return ritti_problem_wants_native(c->problem, ritti_session_step_method(S, &room)) ? c->reason
                                                                                     : NULL;
}

void ritti_compiling_end(ritti_session *S) {
  ritti_compiling *c = &S->compiling;
  if (c->shared) ritti_shelf_end(S);
  c->shared = NULL;
  if (!c->problem) return;
  ritti_native_free(c->code); /* a compiler that still works is ended */
  let_others(S);
  *c = (ritti_compiling){.settled = true};
}
