/* Steps of several runs at once.
 *
 * A run pauses when its driver needs a step that code for batches can take (session_run.c). When
 * several runs of one thread wait, one call of that code takes the steps of all of them, and each
 * driver decides on its own step. Every run gets the same bits as it would alone.
 */
#include "session.h"

enum { FEWEST = 3 }; /* a batch of fewer runs is not faster */

/* The session of a solver that can be batched; NULL: its engine has no batches. */
static ritti_session *session_of(const ritt_solver *solver) {
  return solver && solver->engine == &ritti_engine_calls ? solver->session : NULL;
}

ritt_batch *ritt_batch_new(long runs, int together) {
  ritt_batch *batch = ritti_malloc(sizeof *batch);
  if (!batch) return NULL;
  batch->device = NULL;
  batch->cache = ritti_code_cache_new(runs > 0 ? runs : 1, together);
  if (batch->cache) return batch;
  ritti_free(batch);
  return NULL;
}

void ritt_batch_free(ritt_batch *batch) {
  if (!batch) return;
  ritti_device_close(batch->device);
  ritti_code_cache_free(batch->cache);
  ritti_free(batch);
}

ritt_status ritt_batch_use_device(ritt_batch *batch, const char *device, int fast,
                                  ritt_error *error) {
  RITT_TRY(ritti_require(batch, "batch", error));
  RITT_TRY(ritti_require(device, "device", error));
  ritti_device_close(batch->device);
  batch->device = NULL;
  if (!strcmp(device, "cpu")) return RITT_OK;
  return ritti_device_open(device, fast != 0, error, &batch->device);
}

const char *ritt_batch_device(const ritt_batch *batch) {
  return batch && batch->device ? ritti_device_name(batch->device) : NULL;
}

int ritt_batch_size(const ritt_batch *batch) {
  enum { DEVICE_SIZE = 1024 };
  return batch && batch->device ? DEVICE_SIZE : RITT_BATCH_SIZE;
}

void ritt_batch_add(ritt_batch *batch, ritt_model *model) {
  if (model) model->batch = batch;
}

/* The function that takes steps of several runs; NULL: there is none yet. */
static ritti_batch_step *find_batch_step(const ritti_session *S) {
  const ritti_native *code = ritti_jit_batch_code(&S->code.jit);
  return code ? (ritti_batch_step *)ritti_native_get(code, "ritt_batch_steps") : NULL;
}

bool ritti_batch_make_record(ritti_session *S) {
  const ritti_problem *p = S->driver->problem;
  ritti_session_batch *B = &S->batch;
  B->record = NULL;
  if (ritti_list_leg_reads(p, S->arena, &B->read, &B->reads) != RITT_OK) return false;
  B->record = ritti_arena_alloc(S->arena, ritti_leg_size(p, B->reads), sizeof *B->record);
  return B->record != NULL;
}

/* The function that takes legs of several runs; NULL: there is none. */
static ritti_batch_legs *find_batch_legs(ritti_session *S) {
  const ritti_native *code = ritti_jit_batch_code(&S->code.jit);
  return ritti_batch_make_record(S) ? (ritti_batch_legs *)ritti_native_get(code, "ritt_batch_legs")
                                    : NULL;
}

void ritti_batch_join(ritti_session *S) {
  ritti_device *device = S->batch.of ? S->batch.of->device : NULL;
  S->batch.code = NULL;
  if (!S->batch.joined) return;
  if (device) {
    if (!S->batch.kernel) S->batch.kernel = ritti_device_find(device, S);
    return;
  }
  bool ready = S->code.adopted && S->driver->problem == S->code.problem;
  S->batch.code = ready ? find_batch_step(S) : NULL;
  S->batch.legs = S->batch.code ? find_batch_legs(S) : NULL;
}

bool ritti_batch_waits(ritti_session *S) {
  S->batch.job = S->batch.code ? ritti_driver_job(S->driver) : NULL;
  S->batch.waits = S->batch.job || (S->batch.kernel && ritti_leg_fits(S->driver));
  return S->batch.waits;
}

static bool waits_for_step(const ritti_session *S) {
  return S && S->batch.waits && (S->batch.code || S->batch.kernel);
}

ritt_status ritt_batch_run(ritt_solver *solver, ritt_row row, void *user, int *finished,
                           ritt_error *error) {
  RITT_TRY(ritti_require(finished, "place for the result", error));
  *finished = 0;
  RITT_TRY(ritti_solver_enter(solver, error));
  ritti_session *S = session_of(solver);
  if (S && !S->batch.joined && !S->batch.left) {
    S->batch.joined = true;
    ritti_batch_join(S);
  }
  if (waits_for_step(S)) return ritti_solver_leave(solver, RITT_OK);
  bool end;
  ritt_status status = solver->engine->run_slice(solver->session, row, user, &end, error);
  *finished = end;
  return ritti_solver_leave(solver, status);
}

/* The next step that the session waits for; NULL: it does not wait. */
static ritti_step_job *find_job(ritti_session *S) {
  ritti_driver *d = S->driver;
  return ritti_driver_next(d) == RITTI_NEED_STEP ? ritti_driver_job(d) : NULL;
}

/* Takes legs of the sessions that can. */
static void take_legs(ritti_session *const *S, int count) {
  enum { MOST = 2000 };
  ritti_session *fit[RITT_BATCH_SIZE];
  double *record[RITT_BATCH_SIZE];
  int fits = 0;
  for (int i = 0; i < count; i++)
    if (S[i]->batch.legs && S[i]->batch.job && ritti_leg_fits(S[i]->driver)) fit[fits++] = S[i];
  if (fits < FEWEST) return;
  for (int i = 0; i < fits; i++) {
    record[i] = fit[i]->batch.record;
    ritti_leg_save(fit[i]->driver, fit[i]->batch.read, fit[i]->batch.reads, record[i], 1);
  }
  fit[0]->batch.legs(fits, record, MOST);
  for (int i = 0; i < fits; i++) {
    const long tried = ritti_leg_tried(record[i], 1);
    fit[i]->batch.steps += tried;
    if (tried == 0) continue;
    ritti_leg_load(fit[i]->driver, record[i], 1);
    fit[i]->batch.job = find_job(fit[i]);
    fit[i]->batch.waits = fit[i]->batch.job != NULL;
  }
}

/* Takes one step of each session. Returns true if all of them wait for the next one already. */
static bool take_steps(ritti_batch_step *take, ritti_session *const *S, int count) {
  ritti_step_job *job[RITT_BATCH_SIZE];
  int done[RITT_BATCH_SIZE] = {0};
  bool all = count >= FEWEST;
  for (int i = 0; i < count; i++) job[i] = S[i]->batch.job;
  if (count >= FEWEST) take(count, job, done);
  for (int i = 0; i < count; i++) {
    ritti_driver *d = S[i]->driver;
    S[i]->batch.steps += done[i];
    ritti_driver_answer(d, done[i]);
    S[i]->batch.job = find_job(S[i]);
    S[i]->batch.waits = S[i]->batch.job != NULL;
    all = all && S[i]->batch.job;
  }
  return all;
}

/* Takes the steps of at most RITT_BATCH_SIZE solvers. */
static void step_solvers(ritt_solver *const *solver, int count) {
  bool served[RITT_BATCH_SIZE] = {false};
  for (int i = 0; i < count; i++) {
    ritti_session *first = session_of(solver[i]), *batch[RITT_BATCH_SIZE];
    int found = 0;
    if (served[i] || !waits_for_step(first) || !first->batch.code || solver[i]->running) continue;

    /* all that wait for the same code */
    for (int j = i; j < count; j++) {
      ritti_session *S = session_of(solver[j]);
      if (!waits_for_step(S) || S->batch.code != first->batch.code || solver[j]->running) continue;
      batch[found++] = S;
      served[j] = true;
    }
    for (bool all = true; all;) {
      take_legs(batch, found);
      for (int k = 0; k < found; k++) all = all && batch[k]->batch.job;
      all = all && take_steps(first->batch.code, batch, found);
    }
  }
}

/* Takes legs on a device, of all solvers that wait for the same kernel at once. */
static void step_on_device(ritt_solver *const *solver, int count) {
  ritti_session **wait = NULL;
  for (int i = 0; i < count; i++) {
    ritti_session *first = session_of(solver[i]);
    if (!waits_for_step(first) || !first->batch.kernel || solver[i]->running) continue;
    if (!wait) wait = ritti_malloc((size_t)count * sizeof(ritti_session *));
    int found = 0;
    for (int j = i; wait && j < count; j++) {
      ritti_session *S = session_of(solver[j]);
      if (waits_for_step(S) && S->batch.kernel == first->batch.kernel && !solver[j]->running)
        wait[found++] = S;
    }
    if (wait) ritti_device_step(first->batch.kernel, wait, found);
    else first->batch.kernel = NULL; /* no memory: the processor takes its steps */
  }
  ritti_free(wait);
}

void ritt_batch_step(ritt_solver *const *solvers, int count) {
  step_on_device(solvers, count);
  for (int i = 0; i < count; i += RITT_BATCH_SIZE)
    step_solvers(solvers + i, count - i < RITT_BATCH_SIZE ? count - i : RITT_BATCH_SIZE);
}

void ritt_batch_leave(ritt_solver *solver) {
  ritti_session *S = session_of(solver);
  if (!S) return;
  S->batch.left = true;
  S->batch.joined = false;
  S->batch.code = NULL; /* a step that the run waits for is taken alone */
  S->batch.kernel = NULL;
  S->batch.waits = false;
}

long ritt_batch_steps(const ritt_solver *solver) {
  const ritti_session *S = session_of(solver);
  return S ? S->batch.steps : 0;
}
