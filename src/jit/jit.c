/* Cache, policy and sessions of the code service. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include "base/clock.h"
#include "jit/jit.h"

/* Seconds: the first look at runs, and the time between two looks; the time left that pays for
 * loading a file, for starting a compiler, for each byte of its source, and for a step function. */
static const double FIRST_LOOK = 0.01, BETWEEN_LOOKS = 0.004, PAYS_LOADING = 0.02,
                    PAYS_COMPILING = 0.3, PAYS_BYTE = 5e-6, PAYS_STEP = 1.0;
enum { MOST_ENTRIES = 8, STEPS_PER_LOOK = 32 };

typedef enum unit_state { ABSENT, COMPILING, READY, FAILED } unit_state;
typedef struct unit {
  ritti_native *code;
  unit_state state;
} unit;

struct ritti_code_entry {
  uint64_t key[2];
  _Atomic(const ritti_native *) code, batch_code; /* once they are ready */
  _Atomic(bool) finished;                         /* nothing more will come */
  /* under the lock of the cache */
  unit single, batch;
  int running;       /* runs */
  double spent;      /* seconds of runs */
  double over;       /* runs that are over */
  double next_spent; /* look again after this many seconds */
};

struct ritti_code_cache {
  pthread_mutex_t lock;
  long runs;
  bool batches;
  int count;
  ritti_code_entry entry[MOST_ENTRIES];
};

ritti_code_cache *ritti_code_cache_new(long runs, bool batches) {
  ritti_code_cache *cache = ritti_malloc(sizeof *cache);
  if (!cache) return NULL;
  memset(cache, 0, sizeof *cache);
  cache->runs = runs;
  cache->batches = batches;
  if (!pthread_mutex_init(&cache->lock, NULL)) return cache;
  ritti_free(cache);
  return NULL;
}

void ritti_code_cache_free(ritti_code_cache *cache) {
  if (!cache) return;
  for (int i = 0; i < cache->count; i++) {
    ritti_native_free(cache->entry[i].single.code);
    ritti_native_free(cache->entry[i].batch.code);
  }
  pthread_mutex_destroy(&cache->lock);
  ritti_free(cache);
}

/* ---- units: the functions below are called under the lock ---- */

static void poll_unit(unit *u) {
  if (u->state != COMPILING) return;
  ritti_native_state state = ritti_native_poll(u->code);
  if (state != RITTI_NATIVE_WORKING) u->state = state == RITTI_NATIVE_READY ? READY : FAILED;
}

static void poll_entry(ritti_code_entry *e) {
  poll_unit(&e->single);
  poll_unit(&e->batch);
  if (e->single.state == READY) atomic_store(&e->code, e->single.code);
  if (e->batch.state == READY) atomic_store(&e->batch_code, e->batch.code);
  bool more =
      e->single.state == ABSENT || e->single.state == COMPILING || e->batch.state == COMPILING;
  if (!more) atomic_store(&e->finished, true);
}

/* Takes the unit from the files of earlier runs, or compiles it if that pays. */
static void start_unit(unit *u, const ritti_text *source, ritt_status status, bool hard,
                       bool compile) {
  if (status == RITT_OK && source->status == RITT_OK)
    u->code = ritti_native_begin(source->at, source->count, hard, compile);
  u->state = u->code ? COMPILING : FAILED;
  poll_unit(u);
  if (u->state != FAILED || compile || !u->code) return;

  /* there is no file: perhaps compiling pays later */
  ritti_native_free(u->code);
  *u = (unit){.state = ABSENT};
}

/* left: seconds that the runs will still take */
static void start_units(ritti_jit_session *session, double left) {
  const ritti_jit_client *client = &session->client;
  ritti_code_entry *e = session->entry;
  ritti_text single = {0}, batch = {0};
  bool step = false, hard = false;
  ritt_status status = client->write(client->user, &single, &step, &hard);
  double pays = PAYS_COMPILING + PAYS_BYTE * (double)single.count + (step ? PAYS_STEP : 0);
  start_unit(&e->single, &single, status, hard, left > pays);
  ritti_text_free(&single);

  if (step && session->cache->batches && e->single.state != ABSENT) {
    status = client->write_batch(client->user, &batch);
    if (batch.count) start_unit(&e->batch, &batch, status, true, left > 2 * pays);
    ritti_text_free(&batch);
  }
  poll_entry(e);
}

static ritti_code_entry *find_entry(ritti_code_cache *cache, const uint64_t key[2]) {
  for (int i = 0; i < cache->count; i++)
    if (!memcmp(cache->entry[i].key, key, sizeof cache->entry[i].key)) return &cache->entry[i];
  if (cache->count == MOST_ENTRIES) return NULL;
  ritti_code_entry *e = &cache->entry[cache->count++];
  memcpy(e->key, key, sizeof e->key);
  e->next_spent = FIRST_LOOK;
  return e;
}

static void count_time(ritti_jit_session *session) {
  double now = ritti_clock();
  session->entry->spent += now - session->counted;
  session->counted = now;
}

/* ---- sessions ---- */

/* Waits until nothing more will come. Other runs go on meanwhile. */
static ritt_status wait_for_units(ritti_jit_session *session) {
  const struct timespec pause = {0, 500000};
  ritti_code_entry *e = session->entry;
  while (!atomic_load(&e->finished)) {
    nanosleep(&pause, NULL);
    RITT_TRY(session->client.wait(session->client.user));
    pthread_mutex_lock(&session->cache->lock);
    poll_entry(e);
    pthread_mutex_unlock(&session->cache->lock);
  }
  return RITT_OK;
}

ritt_status ritti_jit_start(ritti_jit_session *session, ritti_code_cache *cache,
                            const uint64_t key[2], const ritti_jit_client *client, bool always) {
  *session = (ritti_jit_session){.cache = cache, .client = *client, .counted = ritti_clock()};
  pthread_mutex_lock(&cache->lock);
  ritti_code_entry *e = session->entry = find_entry(cache, key);
  if (e) {
    /* without a number of runs, only those that go on at the same time count */
    if (!cache->runs && e->running == 0) e->spent = e->over = 0, e->next_spent = FIRST_LOOK;
    e->running++;
    if (always && e->single.state == ABSENT) start_units(session, INFINITY);
  }
  pthread_mutex_unlock(&cache->lock);

  ritt_status status = e && always ? wait_for_units(session) : RITT_OK;
  if (status != RITT_OK) ritti_jit_stop(session);
  return status;
}

bool ritti_jit_poll(ritti_jit_session *session, double at, double end) {
  if (session->polls == 0) session->from = at;
  if (++session->polls % STEPS_PER_LOOK) return false;
  if (atomic_load(&session->entry->finished)) session->finished = true;
  if (session->finished || ritti_clock() - session->counted < BETWEEN_LOOKS) return true;

  pthread_mutex_lock(&session->cache->lock);
  count_time(session);
  poll_entry(session->entry);

  /* Starts the units if the time that the runs will still take pays for it. */
  ritti_code_entry *e = session->entry;
  if (!(e->single.state != ABSENT || !(e->spent > e->next_spent))) {
    double runs = session->cache->runs ? (double)session->cache->runs : e->over + e->running;
    double done = e->over + (at - session->from) / (end - session->from);
    double left = e->spent * (runs - done) / done;
    e->next_spent = 2 * e->spent;
    if (left > PAYS_LOADING) start_units(session, left);
  }

  pthread_mutex_unlock(&session->cache->lock);
  return true;
}

void ritti_jit_stop(ritti_jit_session *session) {
  if (!session->entry) return;
  pthread_mutex_lock(&session->cache->lock);
  count_time(session);
  session->entry->over++;
  session->entry->running--;
  pthread_mutex_unlock(&session->cache->lock);
  *session = (ritti_jit_session){0};
}

const ritti_native *ritti_jit_code(const ritti_jit_session *session) {
  return session->entry ? atomic_load(&session->entry->code) : NULL;
}

const ritti_native *ritti_jit_batch_code(const ritti_jit_session *session) {
  return session->entry ? atomic_load(&session->entry->batch_code) : NULL;
}

const char *ritti_jit_reason(const ritti_jit_session *session) {
  const ritti_code_entry *e = session->entry;
  if (!e || !atomic_load(&e->finished) || atomic_load(&e->code)) return NULL;
  return e->single.code ? ritti_native_reason(e->single.code) : "there is no memory for it";
}
