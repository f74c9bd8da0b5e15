/* The state of a public solver as bytes: ritti_session_save and ritti_session_load.
 *
 * In: a solver between steps; or bytes. Out: bytes with a head (what they are, of which version and
 * machine, how many, their sum); or the solver as the one that was saved. Where a model was
 * completed again on the way the points where that was done are kept, and it is done again there:
 * completion is exact and gives the same problem. The moving point itself is src/drive/state.c.
 */
#include "session.h"

typedef struct head {
  char magic[8];
  char version[24];
  uint32_t order, sizes; /* of bytes in a number; of numbers */
  uint64_t length, sum;  /* of what follows */
} head;

static const char magic[8] = "RITTSOLV";
enum { ORDER = 0x01020304, SIZES = sizeof(ritt_real) * 256 + sizeof(long) * 16 + sizeof(int) };

/* ---- the walk ---- */

/* What the solver was made of. */
static void same_origin(const ritti_session *S, ritti_state *state) {
  const ritti_session_origin *origin = &S->origin;
  const ritti_rows *r = &S->settings.rows;
  uint64_t at = ritti_checksum(RITTI_CHECKSUM, r->at, r->at ? (size_t)r->count * sizeof *r->at : 0);
  ritti_state_same(state, "the text of the model", &origin->text, sizeof origin->text);
  ritti_state_same(state, "a file that the model names", &origin->files, sizeof origin->files);
  ritti_state_same(state, "the value of a parameter, or of a constant", &origin->numbers,
                   sizeof origin->numbers);
  ritti_state_same(state, "the end of the run", &S->settings.end, sizeof S->settings.end);
  ritti_state_same(state, "the choice of rows", &r->points, sizeof r->points);
  ritti_state_same(state, "the choice of rows", &r->every, sizeof r->every);
  ritti_state_same(state, "the choice of rows", &r->step, sizeof r->step);
  ritti_state_same(state, "the choice of rows", &at, sizeof at);
}

/* A text that is a statistic; a loaded one stands in the arena. */
static ritt_status statistic_text_state(const char **text, const char *name, ritti_arena *arena,
                                        ritti_state *state) {
  enum { ROOM = 512 };
  char buffer[ROOM] = "";
  bool has = *text != NULL;
  if (has) ritti_format(buffer, sizeof buffer, "%s", *text);
  ritti_state_bool(state, name, &has);
  ritti_state_text(state, name, buffer, sizeof buffer);
  if (state->mode != RITTI_STATE_LOAD) return RITT_OK;
  *text = has ? ritti_arena_text(arena, buffer, strlen(buffer)) : NULL;
  return has && !*text ? RITT_NO_MEMORY : RITT_OK;
}

/* What solvers before this one did. */
static ritt_status statistics_state(ritt_statistics *s, ritti_arena *arena, ritti_state *state) {
  ritt_statistic row;
  for (size_t i = 0; ritt_statistic_get(i, &row); i++) {
    void *at = (char *)s + row.offset;
    if (!row.kept) continue;
    switch (row.type) {
    case RITT_STATISTIC_TEXT: RITT_TRY(statistic_text_state(at, row.name, arena, state)); break;
    case RITT_STATISTIC_FLAG: ritti_state_ints(state, row.name, at, 1, 0, 1); break;
    case RITT_STATISTIC_COUNT: ritti_state_long(state, row.name, at); break;
    case RITT_STATISTIC_REAL: ritti_state_item(state, row.name, at, sizeof(double)); break;
    }
  }
  ritti_specials_state(s->special, &s->specials, state);
  return RITT_OK;
}

static void recompletion_state(ritti_recompletion *at, ritti_state *state) {
  int renewal = (int)at->renewal;
  ritti_state_ints(state, "recompletion.renewal", &renewal, 1, 0, RITTI_RETURN_IMPLICIT);
  if (state->mode == RITTI_STATE_LOAD) at->renewal = (ritti_renewal)renewal;
  ritti_state_reals(state, "recompletion.z", at->z, (size_t)at->m);
  ritti_state_reals(state, "recompletion.top", at->top, (size_t)at->tops);
  ritti_state_reals(state, "recompletion.level", at->level, (size_t)at->levels);
  ritti_state_reals(state, "recompletion.input", at->input, (size_t)at->inputs);
}

/* ---- saving ---- */

/* The first one first. */
static void save_recompletions(ritti_recompletion *at, ritti_state *state) {
  if (!at) return;
  save_recompletions(at->before, state);
  recompletion_state(at, state);
}

static ritt_status save_members(ritti_session *S, ritti_state *state) {
  int renewals = (int)S->statistics.recompletions;
  long spent = (long)ritti_session_time(S);
  same_origin(S, state);
  ritti_state_ints(state, "recompletions", &renewals, 1, 0, INT32_MAX);
  save_recompletions(S->history.last, state);
  RITT_TRY(statistics_state(&S->statistics, S->arena, state));
  ritti_state_item(state, "from", &S->rows.from, sizeof S->rows.from);
  ritti_state_long(state, "spent", &spent);
  ritti_state_bool(state, "implicit", &S->choice.implicit);
  ritti_state_ints(state, "changes", &S->choice.changes, 1, 0, RITTI_MOST_METHOD_CHANGES);
  ritti_state_item(state, "turned", &S->choice.switched_at, sizeof S->choice.switched_at);
  ritti_state_item(state, "returned", &S->choice.returned_at, sizeof S->choice.returned_at);
  return ritti_driver_state(S->driver, state);
}

ritt_status ritti_session_save(ritti_session *S, void *buffer, size_t room, size_t *size,
                               ritt_error *error) {
  ritti_state count = {.mode = RITTI_STATE_COUNT};
  *size = 0;
  if (S->driver->phase == RITTI_PHASE_BUSY)
    return ritti_fail(
        error, RITT_WRONG_CALL, NULL,
        "save it between calls, or in the watch of a run where its progress says savable",
        "a solver cannot be saved within a step");
  RITT_TRY(save_members(S, &count));
  *size = sizeof(head) + count.at;
  if (!buffer) return RITT_OK;
  if (room < *size)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL,
                      "the state needs %zu bytes, but there is room for %zu", *size, room);
  head h = {.version = RITT_VERSION, .order = ORDER, .sizes = SIZES, .length = count.at};
  unsigned char *to = (unsigned char *)buffer + sizeof h;
  ritti_state state = {.mode = RITTI_STATE_SAVE, .to = to, .size = count.at};
  RITT_TRY(save_members(S, &state));
  memcpy(h.magic, magic, sizeof h.magic);
  h.sum = ritti_checksum(RITTI_CHECKSUM, to, count.at);
  memcpy(buffer, &h, sizeof h);
  return RITT_OK;
}

/* ---- loading ---- */

static ritt_status refuse_state(ritt_error *error, const char *hint, const char *why) {
  return ritti_fail(error, RITT_WRONG_CALL, NULL, hint,
                    "the state of the solver cannot be loaded: %s", why);
}

static ritt_status check_head(const void *bytes, size_t size, ritt_error *error, head *h) {
  if (size < sizeof *h) return refuse_state(error, NULL, "it is too short");
  memcpy(h, bytes, sizeof *h);
  if (memcmp(h->magic, magic, sizeof magic))
    return refuse_state(error, NULL, "it is not a saved solver");
  if (h->order != ORDER || h->sizes != SIZES)
    return refuse_state(error, "load it where it was saved",
                        "it was saved on a machine with another format of numbers");
  char version[sizeof h->version] = RITT_VERSION;
  bool other = memcmp(h->version, version, sizeof version) != 0;
  h->version[sizeof h->version - 1] = '\0';
  if (other)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL,
                      "the state of the solver was saved by version %s of Ritt, but this is %s",
                      h->version, RITT_VERSION);
  if (h->length != size - sizeof *h) return refuse_state(error, NULL, "it is incomplete");
  if (h->sum != ritti_checksum(RITTI_CHECKSUM, (const char *)bytes + sizeof *h, size - sizeof *h))
    return refuse_state(error, NULL, "it is damaged");
  return RITT_OK;
}

/* What was found to be another: words of the walk begin with an article, names of members do not.
 */
static ritt_status report_misfit(const ritti_state *state, ritt_error *error) {
  const char *what = state->misfit;
  if (strncmp(what, "the ", 4) && strncmp(what, "a ", 2))
    return refuse_state(error, NULL, "its sizes are not those of this solver");
  return ritti_fail(error, RITT_WRONG_CALL, NULL,
                    "continue with the model and options of the saved run",
                    "the state is that of another run: %s has changed", what);
}

/* Everything that a load changes, until it is known that all of it fits. */
typedef struct loading {
  ritti_prepared now;
  ritti_recompletion *last;
  ritti_run_settings settings;
  ritti_driver *driver;
  ritt_statistics statistics;
  double from;
  long spent;
  ritti_session_choice choice;
} loading;

static ritt_status load_members(ritti_session *S, ritti_state *state, loading *L,
                                ritt_error *error) {
  same_origin(S, state);
  if (state->misfit) return RITT_WRONG_CALL;

  int count = 0;
  ritti_state_ints(state, "recompletions", &count, 1, 0, S->history.first.reduced ? 1000 : 0);
  for (int i = 0; i < count && !state->misfit; i++) {
    ritti_recompletion *at;
    ritti_prepared next;
    RITT_TRY(ritti_recompletion_new(&L->now, S->arena, &at));
    recompletion_state(at, state);
    if (state->misfit) break;
    RITT_TRY(ritti_recomplete_at(&L->now, at, S->arena, error, &next));
    at->before = L->last;
    L->last = at;
    L->now = next;
  }

  RITT_TRY(statistics_state(&L->statistics, S->arena, state));
  ritti_state_item(state, "from", &L->from, sizeof L->from);
  ritti_state_long(state, "spent", &L->spent);
  ritti_state_bool(state, "implicit", &L->choice.implicit);
  ritti_state_ints(state, "changes", &L->choice.changes, 1, 0, RITTI_MOST_METHOD_CHANGES);
  ritti_state_item(state, "turned", &L->choice.switched_at, sizeof L->choice.switched_at);
  ritti_state_item(state, "returned", &L->choice.returned_at, sizeof L->choice.returned_at);
  if (state->misfit) return RITT_WRONG_CALL;
  if (L->now.problem == S->now.problem && L->choice.changes == S->choice.changes) {
    L->settings = S->settings, L->driver = S->driver;
  } else {
    ritti_session_choice before = S->choice;
    S->choice = L->choice;
    ritt_status made = ritti_session_make_driver(S, &L->now, &L->settings, error, &L->driver);
    S->choice = before;
    RITT_TRY(made);
  }
  /* nothing may be left either */
  ritti_state check = *state;
  check.mode = RITTI_STATE_CHECK;
  ritt_status status = ritti_driver_state(L->driver, &check);
  state->misfit = check.misfit;
  if (status == RITT_OK && check.at != check.size) state->misfit = "rest", status = RITT_WRONG_CALL;
  return status == RITT_OK ? ritti_driver_state(L->driver, state) : status;
}

ritt_status ritti_session_load(ritti_session *S, const void *bytes, size_t size,
                               ritt_error *error) {
  head h;
  if (S->clock.running)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "load it between calls",
                      "a solver cannot be loaded while it runs");
  RITT_TRY(check_head(bytes, size, error, &h));
  ritti_state state = {.mode = RITTI_STATE_LOAD, .from = (const unsigned char *)bytes + sizeof h};
  state.size = size - sizeof h;
  loading L = {.now = S->history.first, .statistics = S->statistics, .choice = S->choice};
  ritt_status status = load_members(S, &state, &L, error);
  if (status == RITT_NO_MEMORY) return ritti_no_memory(error);
  if (state.misfit) return report_misfit(&state, error);
  RITT_TRY(status);
  bool other = L.now.problem != S->now.problem;
  S->now = L.now, S->history.last = L.last, S->settings = L.settings, S->driver = L.driver;
  S->statistics = L.statistics;
  S->rows.from = L.from;
  S->choice = L.choice;
  S->clock.spent = (clock_t)L.spent;
  S->rows.loaded = true;
  if (other && ritti_session_make_points(S) != RITT_OK) return ritti_no_memory(error);
  return RITT_OK;
}
