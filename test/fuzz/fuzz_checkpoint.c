/* What is read from a checkpoint: its parts behind the head, and the state of a solver. The sums,
 * which would refuse every change, are made right, so that what stands behind them is reached. */
#include "choices.h"
#include "base/state.h"
#include "output/checkpoint.h"

static const char text[] =
    "model fuzz\nvariable x, y, v, w, lambda\nequation\n"
    "  x' = v\n  y' = w\n  v' = -lambda*x - sign(v)/9\n  w' = -lambda*y - 1\n  x^2 + y^2 = 1\n"
    "start x = 1, y = 0, v ~ 0, w ~ 0\nevent low: x = 0 -> record\nsolve t = 0 .. 9\n";

static void decode(const uint8_t *data, size_t size) {
  ritti_arena *arena = ritti_arena_new();
  ritti_checkpoint c;
  char *bytes = malloc(size + 1);
  memcpy(bytes, data, size);
  bytes[size] = 1; /* behind the end */
  size_t used = 0;
  if (ritti_checkpoint_decode(bytes, size, arena, &c) == RITT_OK) {
    for (size_t i = 0; i < c.arguments; i++) used += strlen(c.argument[i]);
    for (size_t i = 0; i < c.inputs; i++) used += strlen(c.input[i].path);
    for (size_t i = 0; i < c.events; i++) used += strlen(c.event[i].name);
    for (size_t i = 0; i < c.messages; i++) used += strlen(c.message[i].text);
    used += c.model ? strlen(c.model) : 0;
    if (used > size) abort();
  }
  free(bytes);
  ritti_arena_free(arena);
}

/* Pairs of a place and a byte change a good state; a solver that takes it makes some steps. */
static void load(const uint8_t *data, size_t size) {
  enum { HEAD = 56, SUM = 48 };
  static ritt_model *model;
  static const char *const methods[] = {"dopri54", "radau5"};
  ritt_solver *solver = NULL;
  ritt_options o = ritt_options_default();
  o.method = methods[data[0] % 2];
  o.max_steps =
      500; /* a changed state can make one call go the whole way, in steps as small as it likes */
  if (!model && ritt_model_read_text(text, sizeof text - 1, "fuzz", NULL, &model) != RITT_OK)
    abort();
  if (ritt_solver_from_model(model, &o, NULL, &solver) != RITT_OK) abort();
  for (int i = 0; i < data[0] / 8; i++) (void)!ritt_solver_step(solver, 9, NULL);
  size_t bytes = 0;
  if (ritt_solver_save(solver, NULL, 0, &bytes, NULL) != RITT_OK) abort();
  unsigned char *state = malloc(bytes);
  if (ritt_solver_save(solver, state, bytes, &bytes, NULL) != RITT_OK) abort();
  for (size_t i = 1; i + 4 <= size; i += 4) {
    size_t at = (size_t)data[i] << 16 | (size_t)data[i + 1] << 8 | data[i + 2];
    state[HEAD + at % (bytes - HEAD)] ^= data[i + 3];
  }
  uint64_t sum = ritti_checksum(RITTI_CHECKSUM, state + HEAD, bytes - HEAD);
  memcpy(state + SUM, &sum, sizeof sum);
  ritt_status status = ritt_solver_load(solver, state, bytes, NULL);
  if (status != RITT_OK && status != RITT_WRONG_CALL) abort();
  for (int i = 0; i < 3 && status == RITT_OK; i++) status = ritt_solver_step(solver, 9, NULL);
  free(state);
  ritt_solver_free(solver);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2) return 0;
  if (data[0] % 4) load(data + 1, size - 1);
  else decode(data + 1, size - 1);
  return 0;
}
