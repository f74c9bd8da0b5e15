/* The code service: decides when a run gets native code, and shares it between runs.
 *
 * A code cache holds the compiled code of some runs: those of a sweep, or those of one problem. Each
 * run has a session with it. `always`: the code is there before the first step, or there is a reason
 * why not. Otherwise the service watches how long the runs take. When the time that is left pays for
 * it, a compiler works in the background; each run adopts the code between two steps. The results have
 * the same bits whenever that happens.
 */
#ifndef RITTI_JIT_H
#define RITTI_JIT_H

#include "jit/native.h"

typedef struct ritti_code_cache ritti_code_cache;
typedef struct ritti_code_entry ritti_code_entry;

/* runs: how many there will be; 0: those that are going on. batches: code for steps of several runs at
 * once, too. NULL: no memory. */
ritti_code_cache *ritti_code_cache_new(long runs, bool batches);
void ritti_code_cache_free(ritti_code_cache *cache);

/* What the service asks of a run. */
typedef struct ritti_jit_client {
  /* Writes the functions of the run's problem. *step: there is one that takes a step; *hard: the
   * compiler should optimise as well as it can. */
  ritt_status (*write)(void *user, ritti_text *out, bool *step, bool *hard);
  /* Writes a function that takes steps of several runs. An empty text: there is none. */
  ritt_status (*write_batch)(void *user, ritti_text *out);
  /* Called while the run waits for a compiler. Another status than RITT_OK ends the wait. */
  ritt_status (*wait)(void *user);
  void *user;
} ritti_jit_client;

typedef struct ritti_jit_session {
  ritti_code_cache *cache;
  ritti_code_entry *entry; /* NULL: no session */
  ritti_jit_client client;
  bool finished; /* nothing more will come */
  unsigned polls;
  double from;    /* where the run was at the first poll */
  double counted; /* until when its time is counted */
} ritti_jit_session;

/* Starts a session about the code with this key. There is none (entry NULL) if the cache is full.
 * Returns RITT_OK, or the status of client.wait. */
ritt_status ritti_jit_start(ritti_jit_session *session, ritti_code_cache *cache,
                            const uint64_t key[2], const ritti_jit_client *client,
                            bool always) RITT_USE;
/* Between two steps of a run that is at `at` and goes to `end`. Returns true if there may be new code,
 * one time in 32. */
bool ritti_jit_poll(ritti_jit_session *session, double at, double end);
void ritti_jit_stop(ritti_jit_session *session);

/* The code of the session, the code for batches; NULL: not there. It lives as long as the cache. */
const ritti_native *ritti_jit_code(const ritti_jit_session *session);
const ritti_native *ritti_jit_batch_code(const ritti_jit_session *session);
/* Why the compiler failed, in words that end a sentence; NULL: it did not. */
const char *ritti_jit_reason(const ritti_jit_session *session);

#endif
