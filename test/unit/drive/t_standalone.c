/* A problem that runs alone, as emitted solvers do: u' = w v, v' = -w u on u^2 + v^2 = c, so that u
 * = r sin(w x) from (0, r) on and c = r^2. The parameter w and the level c live in the work of the
 * solver, which is a block of the caller's. */
#include <stdlib.h>
#include "check.h"
#include "drive/standalone.h"

enum { W, LEVEL, WORK, BLOCK = 1 << 20 };
static int sign = 1;             /* of the row */
static ritt_status output_is;    /* what the output says */
static double nothing_at = 1e30; /* no values at this u */

static ritt_status f_df(const void *data, ritt_real *work, const ritt_real *z, ritt_real *f,
                        ritt_real *df) {
  (void)data;
  f[0] = sign * (z[1] * z[1] + z[2] * z[2] - work[LEVEL]);
  df[0] = sign * 2 * z[1], df[1] = sign * 2 * z[2];
  return (double)z[1] == nothing_at ? RITT_RETRY : RITT_OK;
}
static ritt_status f_alone(const void *data, ritt_real *work, const ritt_real *z, ritt_real *f) {
  ritt_real df[2];
  return f_df(data, work, z, f, df);
}
static ritt_status top(const void *data, ritt_real *work, const ritt_real *z, ritt_real *out) {
  (void)data;
  out[0] = work[W] * z[2], out[1] = -work[W] * z[1];
  return RITT_OK;
}
static ritt_status output(const void *data, ritt_real *work, const ritt_real *z, const ritt_real *t,
                          ritt_real *out) {
  (void)data, (void)work, (void)t;
  out[0] = z[1];
  return output_is;
}
static ritt_status monitor(const void *data, ritt_real *work, const ritt_real *z,
                           const ritt_real *t, ritt_real *out) {
  (void)data, (void)work, (void)t;
  out[0] = z[1] - (ritt_real)0.5;
  return RITT_OK;
}
static void init(const void *data, ritt_real *work) {
  (void)data;
  work[W] = work[LEVEL] = 1;
}

static const int start_of[] = {0, 2}, column[] = {1, 2}, next_of[] = {0, -1, -2}, level_of[] = {0};
static const ritt_real tolerance[] = {1e-11, 1e-11, 1e-11}, origin[] = {0, 0, 1};
static ritti_problem circle = {.kind = RITT_EXPLICIT,
                               .m = 3,
                               .k = 1,
                               .tops = 2,
                               .outputs = 1,
                               .next = next_of,
                               .df = {1, 3, start_of, column},
                               .level_of = level_of,
                               .level_at = LEVEL,
                               .work_size = WORK,
                               .work_init = init,
                               .call.f = f_alone,
                               .call.f_df = f_df,
                               .call.formula = top,
                               .call.output = output,
                               .call.monitor = monitor};
static ritti_standalone alone = {
    .problem = &circle,
    .method = "dop853",
    .options = {.relative = tolerance, .absolute = tolerance, .project_stages = true},
    .start = origin,
    .parameters = 1,
    .parameter_at = W};

typedef struct seen {
  int count, most;
  double x[4000], u[4000];
} seen;
static seen rows;

static int see(void *user, const ritt_real *values) {
  seen *s = user;
  if (s->count < 4000) s->x[s->count] = (double)values[0], s->u[s->count] = (double)values[1];
  return ++s->count == s->most;
}

static ritti_standalone_state *place(void *block, const ritt_real *w, const ritt_real *z) {
  ritti_standalone_state *moving;
  rows = (seen){0};
  CHECK(ritti_standalone_start(&alone, block, BLOCK, w, z, &moving) == RITT_OK && moving);
  CHECK_TEXT(ritti_standalone_message(moving), "");
  return moving;
}

static void check_runs(void *block) {
  ritt_real values[3];
  ritti_standalone_state *moving = place(block, NULL, NULL);
  CHECK(ritti_standalone_run(moving, 1, values, see, &rows) == RITT_OK);
  CHECK(rows.count > 3 && rows.x[0] == 0 && rows.u[0] == 0 && rows.x[rows.count - 1] == 1);
  CHECK_NEAR(rows.u[rows.count - 1], sin(1), 1e-9);
  // it goes on, and does not give the start again
  rows.count = 0;
  CHECK(ritti_standalone_run(moving, 2, values, see, &rows) == RITT_OK);
  CHECK(rows.count > 0 && rows.x[0] > 1 && rows.x[rows.count - 1] == 2);
  CHECK_NEAR(rows.u[rows.count - 1], sin(2), 1e-9);
  CHECK(ritti_standalone_run(moving, 3, values, NULL, NULL) == RITT_OK); // nobody looks
  CHECK_NEAR(values[1], sin(3), 1e-9);
}

/* Another parameter and another point: the level is the point's, whatever sign the row has. */
static void check_levels(void *block) {
  static const ritt_real w[] = {2}, z[] = {0, 0, 3};
  ritt_real values[3];
  for (sign = -1; sign <= 1; sign += 2) {
    ritti_standalone_state *moving = place(block, w, z);
    CHECK(ritti_standalone_run(moving, 1, values, see, &rows) == RITT_OK);
    CHECK_NEAR(values[1], 3 * sin(2), 1e-8);
    moving = place(block, NULL, z);
    CHECK(ritti_standalone_run(moving, 1, values, see, &rows) == RITT_OK);
    CHECK_NEAR(values[1], 3 * sin(1), 1e-8);
    moving = place(block, w, NULL);
    CHECK(ritti_standalone_run(moving, 1, values, see, &rows) == RITT_OK);
    CHECK_NEAR(values[1], sin(2), 1e-8);
  }
  sign = 1;
}

/* u(s) = sin x where s is the length along (x, sin x, cos x) in the metric: s grows with x, and
 * comes first. */
static void check_arc(void *block) {
  ritt_real values[3];
  alone.options.by_arc = true;
  ritti_standalone_state *moving = place(block, NULL, NULL);
  CHECK(ritti_standalone_run(moving, 1, values, see, &rows) == RITT_OK);
  CHECK(values[0] == 1 && values[1] > 0 && values[1] < 1);
  CHECK_NEAR(values[2], sin((double)values[1]), 1e-8);
  alone.options.by_arc = false;
}

static void check_stops(void *block) {
  static const ritti_event high = {.name = "high", .sense = 1, .stop = true};
  static const ritt_real bad[] = {0, 7, 1};
  ritt_real values[3];
  ritti_standalone_state *moving = place(block, NULL, NULL);
  rows.most = 2;
  CHECK(ritti_standalone_run(moving, 1, values, see, &rows) == RITT_STOPPED && rows.count == 2);
  CHECK_TEXT(ritti_standalone_message(moving), "the run was stopped by its caller");

  // a column without a value is no reason to stop, another failure is
  output_is = RITT_RETRY;
  moving = place(block, NULL, NULL);
  CHECK(ritti_standalone_run(moving, 1, values, see, &rows) == RITT_OK);
  output_is = RITT_NO_MEMORY;
  moving = place(block, NULL, NULL);
  CHECK(ritti_standalone_run(moving, 1, values, see, &rows) == RITT_NO_MEMORY);
  CHECK(strstr(ritti_standalone_message(moving), "out of memory"));
  output_is = RITT_OK;

  alone.options.max_steps = 1;
  moving = place(block, NULL, NULL);
  CHECK(ritti_standalone_run(moving, 100, values, see, &rows) == RITT_STOPPED);
  CHECK(strstr(ritti_standalone_message(moving), "the limit of 1 step") &&
        strstr(ritti_standalone_message(moving), "\n  hint: "));
  alone.options.max_steps = 0;

  // no value at the point
  nothing_at = 7;
  CHECK(ritti_standalone_start(&alone, block, BLOCK, NULL, bad, &moving) != RITT_OK && moving);
  CHECK(strlen(ritti_standalone_message(moving)) > 0);
  nothing_at = 1e30;

  // the first event: sin x = 1/2, and nothing behind it
  circle.event = &high, circle.events = circle.monitors = 1;
  moving = place(block, NULL, NULL);
  CHECK(ritti_standalone_run(moving, 3, values, see, &rows) == RITT_OK);
  CHECK_NEAR(values[0], asin(0.5), 1e-9);
  CHECK_TEXT(ritti_standalone_message(moving), "the event 'high' has ended the run");
  CHECK(ritti_standalone_run(moving, 3, values, see, &rows) == RITT_STOPPED);
  CHECK_TEXT(ritti_standalone_message(moving), "the event 'high' has ended the run");

  // the same function as a validity of the completion
  circle.event = NULL, circle.events = 0, circle.validities = 1;
  moving = place(block, NULL, NULL);
  CHECK(ritti_standalone_run(moving, 3, values, see, &rows) == RITT_STOPPED);
  CHECK(strstr(ritti_standalone_message(moving), "the equations have another form from there on") &&
        strstr(ritti_standalone_message(moving), "complete the model again"));
  circle.validities = circle.monitors = 0;
}

/* A block that is too small is refused, whatever its size. */
static void check_room(void *block) {
  ritti_standalone_state *moving = NULL;
  ritti_arena *arena = ritti_arena_in(block, BLOCK);
  size_t more = 0;
  CHECK(arena && ritti_standalone_new(&alone, arena, &moving) == RITT_OK);
  size_t used = ritti_arena_used(arena);
  CHECK(ritti_standalone_room(moving, arena, &more) == RITT_OK);
  int refused = 0, fits = 0;
  for (size_t size = 8; size < used; size += 56) {
    moving = (ritti_standalone_state *)block;
    refused += ritti_standalone_start(&alone, block, size, NULL, NULL, &moving) == RITT_NO_MEMORY &&
               !moving;
    fits++;
  }
  CHECK(refused == fits && fits > 20);
  CHECK(ritti_standalone_start(&alone, block, used + sizeof(max_align_t), NULL, NULL, &moving) ==
        RITT_OK);
}

int main(void) {
  void *block = malloc(BLOCK);
  if (!block) return 1;
  check_runs(block);
  check_levels(block);
  check_arc(block);
  check_stops(block);
  check_room(block);
  free(block);
  return CHECKS_DONE();
}
