/* The driver on hand-written problems: rows where they should be, the end exactly, backward runs,
 * arc length, kinks, functions without a value, limits; every stop with its reason. */
#include "check.h"
#include "drive/driver.h"

/* ---- u' = v, v' = -u on the circle u^2 + v^2 = 1: (sin x, cos x) ---- */

static ritt_status circle_f_df(const void *data, ritt_real *work, const ritt_real *z, ritt_real *f,
                               ritt_real *df) {
  (void)data, (void)work;
  f[0] = z[1] * z[1] + z[2] * z[2] - 1;
  df[0] = 2 * z[1], df[1] = 2 * z[2];
  return RITT_OK;
}
static ritt_status circle_f(const void *data, ritt_real *work, const ritt_real *z, ritt_real *f) {
  ritt_real df[2];
  return circle_f_df(data, work, z, f, df);
}
static double no_value_beyond = INFINITY;
static ritt_status circle_top(const void *data, ritt_real *work, const ritt_real *z,
                              ritt_real *top) {
  (void)data, (void)work;
  top[0] = z[2], top[1] = -z[1];
  return z[0] > no_value_beyond ? RITT_RETRY : RITT_OK;
}
static ritt_status circle_monitor(const void *data, ritt_real *work, const ritt_real *z,
                                  const ritt_real *top, ritt_real *out) {
  (void)data, (void)work, (void)top;
  out[0] = z[2] + 1e-3; /* cos x + 1e-3 changes its sign at acos(-1e-3) */
  return RITT_OK;
}

static const int start1[] = {0, 2}, col1[] = {1, 2}, next3[] = {0, -1, -2};
static ritti_problem circle = {.kind = RITT_EXPLICIT,
                               .m = 3,
                               .k = 1,
                               .tops = 2,
                               .next = next3,
                               .df = {1, 3, start1, col1},
                               .call.f = circle_f,
                               .call.f_df = circle_f_df,
                               .call.formula = circle_top,
                               .call.monitor = circle_monitor};
static const ritt_real tolerance[] = {1e-10, 1e-10, 1e-10}, origin[] = {0, 0, 1};

typedef struct table {
  int count;
  double s[4096], z[4096][3];
} table;
static table rows_of;

static ritt_status keep(void *user, ritt_real s, const ritt_real *z, const ritt_real *top) {
  table *t = user;
  (void)top;
  t->s[t->count] = (double)s;
  for (int i = 0; i < 3; i++) t->z[t->count][i] = (double)z[i];
  t->count++;
  return RITT_OK;
}

static ritt_status run(ritti_solve_options o, double from, double end, ritti_rows rows,
                       ritt_error *error, ritti_driver *copy) {
  ritti_arena *arena = ritti_arena_new();
  ritti_driver *S;
  ritt_real z[3] = {origin[0], (ritt_real)sin(from), (ritt_real)cos(from)};
  z[0] = from;
  if (!o.tableau) o.tableau = ritti_method_find("dopri54");
  o.relative = o.absolute = tolerance;
  rows_of.count = 0;
  ritt_status status = ritti_driver_new(&circle, &o, arena, &S);
  if (status == RITT_OK) status = ritti_driver_start(S, o.by_arc ? 0 : from, z, error);
  if (status == RITT_OK) status = ritti_driver_run(S, end, &rows, keep, &rows_of, error);
  if (copy) *copy = *S;
  ritti_arena_free(arena);
  return status;
}

static void check_rows(void) {
  ritti_driver S;
  CHECK(run((ritti_solve_options){0}, 0, 10, (ritti_rows){.points = 41}, NULL, &S) == RITT_OK);
  CHECK(rows_of.count == 41 && S.count.rows == 41);
  for (int i = 0; i < rows_of.count; i++) {
    double x = rows_of.s[i], *z = rows_of.z[i];
    CHECK_NEAR(x, i * 0.25, 1e-15 * 10);
    CHECK(z[0] == x);
    CHECK_NEAR(z[1], sin(x), 3e-9);
    CHECK_NEAR(z[1] * z[1] + z[2] * z[2], 1, 4.5e-16);
  }
  CHECK(rows_of.s[0] == 0 && rows_of.s[40] == 10);
  CHECK(S.at.s == 10 && S.count.largest_residual < 1e-15);

  /* rows 0.3 apart: the last is the end although it is not a multiple */
  CHECK(run((ritti_solve_options){0}, 0, 1, (ritti_rows){.step = 0.3}, NULL, NULL) == RITT_OK);
  CHECK(rows_of.count == 5 && rows_of.s[4] == 1);
  CHECK_NEAR(rows_of.s[3], 0.9, 1e-15);
  /* 0.1 apart: the end is met once, in spite of rounding */
  CHECK(run((ritti_solve_options){0}, 0, 1, (ritti_rows){.step = 0.1}, NULL, NULL) == RITT_OK);
  CHECK(rows_of.count == 11 && rows_of.s[10] == 1);
  /* every step */
  CHECK(run((ritti_solve_options){0}, 0, 1, (ritti_rows){0}, NULL, &S) == RITT_OK);
  CHECK(rows_of.count == S.count.accepted + 1 && rows_of.s[rows_of.count - 1] == 1);
  /* no length: one row */
  CHECK(run((ritti_solve_options){0}, 2, 2, (ritti_rows){0}, NULL, NULL) == RITT_OK &&
        rows_of.count == 1);
}

static void check_backward_and_constant(void) {
  CHECK(run((ritti_solve_options){0}, 3, -4, (ritti_rows){.points = 8}, NULL, NULL) == RITT_OK);
  CHECK(rows_of.count == 8 && rows_of.s[7] == -4 && rows_of.s[1] == 2);
  CHECK_NEAR(rows_of.z[7][1], sin(-4), 3e-9);
  ritti_driver S;
  ritti_solve_options o = {.constant_step = 0.1, .project_stages = true};
  CHECK(run(o, 0, 1, (ritti_rows){0}, NULL, &S) == RITT_OK);
  CHECK(S.count.accepted == 10 && rows_of.count == 11);
  for (int i = 0; i <= 10; i++) CHECK_NEAR(rows_of.s[i], 0.1 * i, 1e-15);
  /* not a multiple: a shorter last step */
  o.constant_step = 0.3;
  CHECK(run(o, 0, 1, (ritti_rows){0}, NULL, &S) == RITT_OK && S.count.accepted == 4 && S.at.s == 1);
}

static void check_arc(void) {
  /* (x, sin x, cos x) has speed sqrt(2): arc length L is reached at x = L/sqrt(2) */
  CHECK(run((ritti_solve_options){.by_arc = true}, 0, 5, (ritti_rows){.points = 6}, NULL, NULL) ==
        RITT_OK);
  for (int i = 0; i < 6; i++) {
    CHECK_NEAR(rows_of.s[i], i, 1e-15 * 5);
    CHECK_NEAR(rows_of.z[i][0], i / sqrt(2), 1e-9);
    CHECK_NEAR(rows_of.z[i][1], sin(i / sqrt(2)), 3e-9);
  }
  CHECK(run((ritti_solve_options){.by_arc = true}, 0, -2, (ritti_rows){0}, NULL, NULL) == RITT_OK);
  CHECK_NEAR(rows_of.z[rows_of.count - 1][0], -sqrt(2), 1e-9);
}

static void check_stops(void) {
  ritt_error *error = ritt_error_new();
  ritti_driver S;
  /* an event: rows up to it, located */
  static const ritti_event stop = {.name = "stop", .stop = true};
  circle.monitors = circle.events = 1;
  circle.event = &stop;
  CHECK(run((ritti_solve_options){0}, 0, 5, (ritti_rows){0}, error, &S) == RITT_OK);
  CHECK(S.ended_by == 0);
  CHECK_NEAR(rows_of.s[rows_of.count - 1], acos(-1e-3), 1e-9);
  circle.monitors = circle.events = 0;

  /* a function without a value: the run comes near the place and says so */
  ritt_error_clear(error);
  no_value_beyond = 1.25;
  CHECK(run((ritti_solve_options){0}, 0, 5, (ritti_rows){0}, error, &S) == RITT_STOPPED);
  CHECK_NEAR(rows_of.s[rows_of.count - 1], 1.25, 1e-9);
  CHECK(ritt_error_count(error) == 1 && strstr(ritt_error_get(error, 0)->text, "no value"));
  no_value_beyond = -1;
  ritt_error_clear(error);
  CHECK(run((ritti_solve_options){0}, 0, 5, (ritti_rows){0}, error, NULL) == RITT_STOPPED);
  CHECK(ritt_error_count(error) == 1);
  no_value_beyond = INFINITY;

  ritt_error_clear(error);
  CHECK(run((ritti_solve_options){.max_steps = 3}, 0, 5, (ritti_rows){0}, error, &S) ==
        RITT_STOPPED);
  CHECK(S.count.accepted == 3 && rows_of.count == 4);
  ritt_error_free(error);
}

/* Steps taken one by one are those of a run, and dense output within the last has the bits of rows
 * there. */
static void check_steps(const char *method, bool by_arc) {
  enum { POINTS = 33 };
  static table run_rows;
  ritti_solve_options o = {.tableau = ritti_method_find(method), .by_arc = by_arc};
  CHECK(run(o, 0, 4, (ritti_rows){.points = POINTS}, NULL, NULL) == RITT_OK &&
        rows_of.count == POINTS);
  run_rows = rows_of;

  ritti_arena *arena = ritti_arena_new();
  ritti_driver *S;
  ritt_real z[3], top[2], V[3];
  o.relative = o.absolute = tolerance;
  CHECK(ritti_driver_new(&circle, &o, arena, &S) == RITT_OK);
  CHECK(ritti_driver_start(S, 0, origin, NULL) == RITT_OK);
  CHECK(ritti_driver_dense(S, 0.5, z, top, V) == RITT_WRONG_CALL);
  int same = 0, next = 0;
  for (int steps = 0; S->at.s != 4 && steps < 1000; steps++) {
    CHECK(ritti_driver_step(S, 4, NULL) == RITT_OK);
    CHECK(S->at.z[1] * S->at.top[1] <= 0);
    for (; next < POINTS && run_rows.s[next] <= S->at.s; next++) {
      CHECK(ritti_driver_dense(S, run_rows.s[next], z, top, V) == RITT_OK);
      same += !memcmp(z, run_rows.z[next], sizeof z);
      CHECK((by_arc || V[0] == 1) && fabs(V[1] - top[0] * V[0]) < 1e-15);
    }
  }
  CHECK(next == POINTS && same == POINTS);
  CHECK(ritti_driver_dense(S, 4.5, z, top, V) == RITT_WRONG_CALL);
  /* on to another end, and back: no new start */
  while (S->at.s != 6) CHECK(ritti_driver_step(S, 6, NULL) == RITT_OK);
  CHECK_NEAR(S->at.z[1], by_arc ? sin(6 / sqrt(2)) : sin(6), 3e-9);
  while (S->at.s != 1) CHECK(ritti_driver_step(S, 1, NULL) == RITT_OK);
  CHECK_NEAR(S->at.z[1], by_arc ? sin(1 / sqrt(2)) : sin(1), 1e-8);
  ritti_arena_free(arena);
}

/* The state of a driver as bytes. */
typedef struct snapshot {
  size_t size;
  unsigned char bytes[100000];
} snapshot;

static void write_snapshot(ritti_driver *d, snapshot *out) {
  ritti_state save = {.mode = RITTI_STATE_SAVE, .to = out->bytes, .size = sizeof out->bytes};
  CHECK(ritti_driver_state(d, &save) == RITT_OK && save.at <= sizeof out->bytes);
  out->size = save.at;
}

/* A new driver at the start, or with the state of a snapshot. */
static ritti_driver *make_driver(const ritti_solve_options *o, ritti_arena *arena,
                                 const snapshot *from) {
  ritti_driver *d = NULL;
  CHECK(ritti_driver_new(&circle, o, arena, &d) == RITT_OK);
  if (!from) CHECK(ritti_driver_start(d, 0, origin, NULL) == RITT_OK);
  else {
    ritti_state load = {.mode = RITTI_STATE_LOAD, .from = from->bytes, .size = from->size};
    CHECK(ritti_driver_state(d, &load) == RITT_OK && load.at == from->size);
  }
  return d;
}

/* Have two drivers the same history? Members that a state left out would differ here. */
static bool have_same_history(const ritti_driver *a, const ritti_driver *b) {
  bool events = true;
  for (int i = 0; i < circle.events; i++)
    events = events && a->monitors.times[i] == b->monitors.times[i] &&
             a->monitors.last[i] == b->monitors.last[i];
  return events && a->at.s == b->at.s && a->at.travelled == b->at.travelled &&
         a->count.accepted == b->count.accepted && a->count.rejected == b->count.rejected &&
         a->count.rows == b->count.rows && a->count.events == b->count.events &&
         a->count.largest_residual == b->count.largest_residual &&
         a->manifold.counts.iterations == b->manifold.counts.iterations &&
         a->manifold.counts.projections == b->manifold.counts.projections &&
         a->direction.evaluations == b->direction.evaluations &&
         a->stiffness.looked == b->stiffness.looked && a->next.h == b->next.h;
}

/* The state can be written down whenever a step is needed, also between two attempts at it: drivers
 * that are loaded and take one step each write the same rows, and the last of them ends in the same
 * state, to the last bit, as one driver that takes all steps. */
static void check_handover(ritti_solve_options o, ritti_rows rows) {
  static table expected;
  static snapshot state, end;
  ritti_arena *arena = ritti_arena_new();
  if (!o.tableau) o.tableau = ritti_method_find("dopri54");
  o.first_step = 2;
  o.fac = (ritt_real)0.98; /* many steps are rejected */
  o.relative = o.absolute = tolerance;

  /* one driver */
  ritti_driver *one = make_driver(&o, arena, NULL);
  rows_of.count = 0;
  CHECK(ritti_driver_run(one, 5, &rows, keep, &rows_of, NULL) == RITT_OK && one->at.s == 5);
  CHECK(one->count.rejected > 0);
  CHECK(one->count.events == (circle.events ? 2 : 0)); /* cos x + 1e-3 has two zeros before 5 */
  expected = rows_of;
  write_snapshot(one, &end);

  /* a driver for each step */
  long needs = 0, retries = 0;
  ritti_driver *d = make_driver(&o, arena, NULL);
  rows_of.count = 0;
  ritti_driver_begin(d, 5, &rows, keep, &rows_of, NULL);
  while (ritti_driver_next(d) == RITTI_NEED_STEP) {
    needs++;
    retries += d->next.retrying;
    write_snapshot(d, &state);
    d = make_driver(&o, arena, &state);
    ritti_driver_resume(d, 5, &rows, keep, &rows_of, NULL);
    CHECK(ritti_driver_next(d) == RITTI_NEED_STEP);
    CHECK(ritti_driver_job(d) == NULL); /* there is no native code for functions */
    ritti_driver_take(d);
  }
  CHECK(d->need == RITTI_NEED_NOTHING && d->status == RITT_OK);
  CHECK(needs == d->count.accepted + d->count.rejected && retries > 0);
  CHECK(have_same_history(one, d));
  CHECK(rows_of.count == expected.count && !memcmp(&rows_of, &expected, sizeof expected));
  write_snapshot(d, &state);
  CHECK(state.size == end.size && !memcmp(state.bytes, end.bytes, end.size));
  ritti_arena_free(arena);
}

/* Handovers with different memories: of the control, of the interpolation, of events. */
static void check_handovers(void) {
  static const ritti_event note = {.name = "note", .record = true};
  check_handover((ritti_solve_options){0}, (ritti_rows){0});
  check_handover((ritti_solve_options){.control = RITTI_CONTROL_PID}, (ritti_rows){.points = 77});
  check_handover((ritti_solve_options){.tableau = ritti_method_find("dop853")},
                 (ritti_rows){.points = 200});
  circle.monitors = circle.events = 1;
  circle.event = &note;
  check_handover((ritti_solve_options){0}, (ritti_rows){.points = 77});
  circle.monitors = circle.events = 0;
  check_handover((ritti_solve_options){.by_arc = true}, (ritti_rows){.step = 0.3});
}

int main(void) {
  check_handovers();
  check_steps("dopri54", false);
  check_steps("dop853", false);
  check_steps("dopri54", true);
  check_rows();
  check_backward_and_constant();
  check_arc();
  check_stops();
  return CHECKS_DONE();
}
