/* The numeric tower alone (libritt_num) takes memory while it is set up and none while it runs,
 * also when the run stops and says why; and it needs no heap at all where it is given a block.
 * Linked before the library, the three functions below take the place of its own. */
#include <stdlib.h>
#include "check.h"
#include "drive/driver.h"

static long taken;  /* allocations so far */
static bool closed; /* there are no more */

void *ritti_malloc(size_t size) {
  taken++;
  return closed ? NULL : malloc(size ? size : 1);
}
void *ritti_realloc(void *old, size_t size) {
  taken++;
  return closed ? NULL : realloc(old, size ? size : 1);
}
void ritti_free(void *p) { free(p); }

/* ---- the pendulum x'' + lambda x = 0, y'' + lambda y + 1 = 0, x^2 + y^2 = 1 as a holonomic
 * problem: z = (t, x, y, x', y'), top = (x'', y'', lambda), energy (x'^2 + y'^2)/2 + y = 0 from (1,
 * 0) at rest ---- */

static ritt_status f_df(const void *data, ritt_real *work, const ritt_real *z, ritt_real *f,
                        ritt_real *df) {
  (void)data, (void)work;
  f[0] = z[1] * z[1] + z[2] * z[2] - 1;
  f[1] = 2 * (z[1] * z[3] + z[2] * z[4]);
  const ritt_real entry[] = {2 * z[1], 2 * z[2], 2 * z[3], 2 * z[4], 2 * z[1], 2 * z[2]};
  memcpy(df, entry, sizeof entry);
  return RITT_OK;
}
static ritt_status only_f(const void *data, ritt_real *work, const ritt_real *z, ritt_real *f) {
  ritt_real df[6];
  return f_df(data, work, z, f, df);
}
static ritt_status linear_system(const void *data, ritt_real *work, const ritt_real *z,
                                 ritt_real *A, ritt_real *b) {
  (void)data, (void)work;
  const ritt_real entry[] = {1, z[1], 1, z[2], 2 * z[1], 2 * z[2]};
  memcpy(A, entry, sizeof entry);
  b[0] = 0, b[1] = 1, b[2] = 2 * (z[3] * z[3] + z[4] * z[4]);
  return z[0] > *(const ritt_real *)data ? RITT_RETRY : RITT_OK;
}

static const int df_start[] = {0, 2, 6}, df_col[] = {1, 2, 1, 2, 3, 4};
static const int A_start[] = {0, 2, 4, 6}, A_col[] = {0, 2, 1, 2, 0, 1}, next[] = {0, 3, 4, -1, -2};
static ritt_real beyond = INFINITY; /* here the functions have no value any more */
static const ritti_problem pendulum = {.kind = RITT_HOLONOMIC,
                                       .m = 5,
                                       .k = 2,
                                       .tops = 3,
                                       .next = next,
                                       .df = {2, 5, df_start, df_col},
                                       .A = {3, 3, A_start, A_col},
                                       .positions = 2,
                                       .constraints = 1,
                                       .data = &beyond,
                                       .call.f = only_f,
                                       .call.f_df = f_df,
                                       .call.system = linear_system};

static const ritt_real tolerance[] = {1e-10, 1e-10, 1e-10, 1e-10, 1e-10},
                       at_rest[] = {0, 1, 0, 0, 0};

typedef struct seen {
  long rows;
  double energy; /* the largest that should be 0 */
} seen;

static ritt_status take(void *user, ritt_real s, const ritt_real *z, const ritt_real *top) {
  seen *see = user;
  (void)s, (void)top;
  double energy = (double)((z[3] * z[3] + z[4] * z[4]) / 2 + z[2]);
  see->rows++;
  if (!(fabs(energy) <= see->energy)) see->energy = fabs(energy);
  return RITT_OK;
}

static ritti_solve_options options(void) {
  return (ritti_solve_options){.tableau = ritti_method_find("dopri54"),
                               .projection = RITTI_PROJECT_SEQUENTIAL,
                               .relative = tolerance,
                               .absolute = tolerance};
}

static void check_run(ritti_arena *arena, ritt_error *error, ritt_status expected) {
  ritti_solve_options o = options();
  ritti_rows rows = {.points = 101};
  ritti_driver *S;
  seen see = {0};
  CHECK(ritti_driver_new(&pendulum, &o, arena, &S) == RITT_OK);
  CHECK(ritti_driver_start(S, 0, at_rest, error) == RITT_OK);
  long before = taken;
  CHECK(ritti_driver_run(S, 20, &rows, take, &see, error) == expected);
  CHECK(taken == before);
  CHECK(S->count.accepted > 50 && see.energy < 1e-7);
  CHECK(expected == RITT_OK ? see.rows == 101 : see.rows > 20);
  CHECK(ritt_error_count(error) == (expected == RITT_OK ? 0 : 1));
}

int main(void) {
  ritt_error *error = ritt_error_new();
  ritti_arena *arena = ritti_arena_new();
  check_run(arena, error, RITT_OK);
  CHECK(taken > 0);
  size_t size = ritti_arena_used(arena);
  beyond = 10;
  check_run(arena, error, RITT_STOPPED);
  CHECK_TEXT(
      ritt_error_get(error, 0)->hint,
      "the solution leaves the region where the equations are defined; check the start values and the signs");
  ritti_arena_free(arena);
  ritt_error_free(error);

  /* all in blocks, with no heap */
  closed = true;
  long before = taken;
  double say[128], *block = malloc(size);
  error = ritti_error_in(ritti_arena_in(say, sizeof say));
  beyond = INFINITY;
  check_run(ritti_arena_in(block, size), error, RITT_OK);
  beyond = 10;
  check_run(ritti_arena_in(block, size), error, RITT_STOPPED);
  CHECK(taken == before);
  ritti_driver *S;
  ritti_solve_options o = options();
  CHECK(ritti_driver_new(&pendulum, &o, ritti_arena_in(block, size / 2), &S) == RITT_NO_MEMORY);
  free(block);
  return CHECKS_DONE();
}
