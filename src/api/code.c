/* The native code of a session: from its problem to the code service (jit/jit.h) and back.
 *
 * The runs of a batch share one code cache; otherwise every problem has a cache of its own, for all
 * sessions on it. Problems whose functions are the same operations and differ only in the numbers of
 * their rows (parameters, invariants) share code: their key is a checksum of everything that the
 * source depends on.
 */
#include <sched.h>
#include <stdlib.h>
#include "session.h"

typedef enum wish { NEVER, AUTO, ALWAYS } wish;

static wish find_wish(const ritti_session *S) {
  const char *word = S->options.native ? S->options.native : getenv("RITT_NATIVE");
  if (word && !strcmp(word, "always")) return ALWAYS;
  return word && !strcmp(word, "never") ? NEVER : AUTO;
}

const ritti_step_method *ritti_session_method(const ritti_session *S, ritti_step_method *room) {
  const ritti_solve_options *o = &S->settings.solve;
  bool fits = !o->doubled && ritti_tableau_step_method(o->tableau, o->project_stages,
                                                       o->projection == RITTI_PROJECT_SEQUENTIAL,
                                                       o->weighted, room);
  return fits ? room : NULL;
}

static ritti_native_aim find_aim(const ritti_session *S, ritti_step_method *room) {
  const ritti_solve_options *o = &S->settings.solve;
  ritti_projection projection = o->projection;
  return (ritti_native_aim){
      .method = ritti_session_method(S, room),
      .stages = o->doubled || o->project_stages ? 0 : ritti_tableau_stage_sizes(o->tableau),
      .second = projection != RITTI_PROJECT_GAUSS && projection != RITTI_PROJECT_SEQUENTIAL};
}

/* ---- what the code service asks ---- */

static ritt_status write_code(void *user, ritti_text *out, bool *step, bool *hard) {
  const ritti_session *S = user;
  ritti_step_method room;
  const ritti_native_aim aim = find_aim(S, &room);
  return ritti_problem_write_native(S->code.problem, &aim, out, step, hard);
}

static ritt_status write_batch_code(void *user, ritti_text *out) {
  const ritti_session *S = user;
  ritti_step_method room;
  const ritti_step_method *method = ritti_session_method(S, &room);
  if (!ritti_batch_fits(S->code.problem, method)) return RITT_OK;
  return ritti_batch_write(S->code.problem, method, out);
}

static ritt_status call_watch(void *user) {
  const ritti_session *S = user;
  const ritt_progress progress = {.from = S->rows.from, .x = S->rows.from, .end = S->settings.end};
  return S->options.watch ? S->options.watch(S->options.watch_user, &progress) : RITT_OK;
}

/* ---- sessions ---- */

static ritti_any_function get_function(const void *code, const char *name) {
  return ritti_native_get(code, name);
}

/* The slot of a problem is one session's at a time, and for a short time. */
static void acquire_slot(ritti_code_slot *slot) {
  while (atomic_flag_test_and_set(&slot->busy)) sched_yield();
}

static void release(ritti_code_slot *slot) { atomic_flag_clear(&slot->busy); }

/* The functions of the code take the place of the interpreter, unless another session has put them
 * there. */
static void adopt_code(ritti_session *S) {
  const ritti_native *code = ritti_jit_code(&S->code.jit);
  const ritti_problem *p = S->code.problem;
  ritti_step_method room;
  if (!code || S->code.adopted) return;
  ritti_code_slot *slot = ritti_problem_slot(p);
  acquire_slot(slot);
  const ritti_native_aim aim = find_aim(S, &room);
  if (ritti_problem_wants_native(p, &aim)) {
    ritti_problem_take_native(p, get_function, code);
    atomic_fetch_add(&slot->count, 1);
    S->code.native = true;
  }
  release(slot);
  S->code.adopted = true;
}

static void free_cache(void *cache) { ritti_code_cache_free(cache); }

/* The cache of a problem, which lives as long as the problem. NULL: no memory. */
static ritti_code_cache *find_own_cache(ritti_code_slot *slot) {
  acquire_slot(slot);
  if (!slot->cache) slot->cache = ritti_code_cache_new(0, false);
  slot->free_cache = free_cache;
  ritti_code_cache *cache = slot->cache;
  release(slot);
  return cache;
}

ritt_status ritti_session_start_code(ritti_session *S, const ritti_problem *problem) {
  ritti_code_slot *slot = ritti_problem_slot(problem);
  ritti_step_method room;
  const ritti_native_aim aim = find_aim(S, &room);
  ritti_session_stop_code(S);
  S->code = (ritti_session_code){.problem = problem};
  if (!slot || find_wish(S) == NEVER) return RITT_OK;

  /* code of the batch, or code for this problem alone if it does not have it yet */
  uint64_t key[2];
  ritti_code_cache *cache = NULL;
  if (S->batch.of && ritti_problem_sum(problem, &aim, key)) {
    cache = S->batch.of->cache;
  } else if (ritti_problem_wants_native(problem, &aim)) {
    cache = find_own_cache(slot);
    key[0] = aim.method ? aim.method->key : 0;
    key[1] = aim.stages;
  }
  if (!cache) return RITT_OK;

  const ritti_jit_client client = {write_code, write_batch_code, call_watch, S};
  S->code.always = find_wish(S) == ALWAYS;
  RITT_TRY(ritti_jit_start(&S->code.jit, cache, key, &client, S->code.always));
  adopt_code(S);
  return RITT_OK;
}

void ritti_session_look_for_code(ritti_session *S, double end) {
  if (!ritti_jit_poll(&S->code.jit, (double)ritti_driver_place(S->driver), end)) return;
  adopt_code(S);
  ritti_batch_join(S);
}

void ritti_session_stop_code(ritti_session *S) { ritti_jit_stop(&S->code.jit); }

const char *ritti_session_code_reason(const ritti_session *S) {
  return S->code.always ? ritti_jit_reason(&S->code.jit) : NULL;
}
