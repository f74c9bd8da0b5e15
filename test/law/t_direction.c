/* The direction found in all ways, on every model of the papers and in every kind that fits: the
 * same line, to 10 units in the last place times the condition number of the matrix it comes from,
 * or by what the rounding of its entries does, if that is more. */
#include <dirent.h>
#include "api/pipeline.h"
#include "run.h"

enum { MOST_POINTS = 12, MOST = 4096 };

static const char *const words[] = {
#define X(id, word) word,
    RITTI_DIRECTIONS(X)
#undef X
};
enum { WORDS = sizeof words / sizeof *words };

/* ---- points of a run ---- */

typedef struct points {
  const ritti_problem *problem;
  int count;
  ritt_real *z[MOST_POINTS];
  ritti_arena *arena;
} points;

static ritt_status keep(void *user, ritt_real s, const ritt_real *z, const ritt_real *top) {
  points *P = user;
  (void)s, (void)top;
  if (P->count == MOST_POINTS) return RITT_OK;
  RITTI_NEW(P->z[P->count], P->arena, P->problem->m);
  memcpy(P->z[P->count++], z, (size_t)P->problem->m * sizeof *z);
  return RITT_OK;
}

/* Rows of the run, as far as it comes. */
static void take_points(ritt_model *M, points *P) {
  ritti_run_settings settings;
  ritti_driver *S;
  ritti_rows rows = {.points = MOST_POINTS};
  P->problem = M->problem;
  const ritti_prepared prepared = ritti_prepared_of(M);
  CHECK(ritti_settings_make(&prepared, NULL, P->arena, NULL, &settings) == RITT_OK);
  settings.solve.max_steps = 2000;
  CHECK(ritti_driver_new(M->problem, &settings.solve, P->arena, &S) == RITT_OK);
  CHECK(ritti_driver_start(S, settings.solve.by_arc ? 0 : M->reduced->z[0], M->reduced->z, NULL) ==
        RITT_OK);
  (void)!ritti_driver_run(S, settings.end, &rows, keep, P, NULL);
  CHECK(P->count > 1);
}

/* ---- one point ---- */

static ritt_real ones[MOST];

/* Unit V; false: this variant has none here. */
static bool find(const ritti_problem *p, ritti_direct variant, bool square, const ritt_real *z,
                 ritti_arena *arena, ritt_real *V, ritti_direction *D) {
  ritti_problem other = *p;
  ritt_real *work;
  other.own_line = p->own_line && !square;
  work = ritti_arena_alloc(arena, p->work_size + 1, sizeof *work);
  if (p->work_init) p->work_init(p->data, work);
  ritti_problem *kept = ritti_arena_alloc(arena, 1, sizeof *kept);
  *kept = other;
  CHECK(ritti_direction_init(D, kept, work, arena) == RITT_OK);
  CHECK(ritti_direction_take(D, variant, arena) == RITT_OK);
  D->arc = ones;
  return ritti_direction_at(D, z, V) == RITT_OK;
}

/* sigma_1 / sigma_n of a matrix with rows of length 1 */
static double condition(int rows, int cols, ritt_real *a, ritti_arena *arena) {
  ritt_real *sigma = ritti_arena_alloc(arena, (size_t)(rows + cols), sizeof *sigma);
  ritt_real *scratch =
      ritti_arena_alloc(arena, ritti_singular_values_scratch(rows, cols) + 1, sizeof *scratch);
  for (int i = 0; i < rows; i++) {
    ritt_real length = ritti_norm(cols, a + i * cols);
    for (int j = 0; j < cols; j++) a[i * cols + j] /= length;
  }
  CHECK(ritti_singular_values(rows, cols, a, sigma, NULL, scratch));
  return (double)(sigma[0] / sigma[rows - 1]);
}

/* The sine of the angle between two unit vectors. */
static double angle(int m, const ritt_real *a, const ritt_real *b) {
  double dot = (double)ritti_dot(m, a, b), square = 0;
  for (int i = 0; i < m; i++) square += pow((double)(a[i] - dot * b[i]), 2);
  return sqrt(square);
}

/* How much the line turns when the point moves by some units in the last place, in such units. It
 * shows what the rounding of the entries does, where they are what is left of larger terms: in (b |
 * A), or in D. */
static double noise(const ritti_problem *p, bool square, const ritt_real *z, ritti_arena *arena) {
  ritt_real *near = ritti_arena_alloc(arena, (size_t)p->m, sizeof *near);
  ritt_real *U = ritti_arena_alloc(arena, (size_t)p->m, sizeof *U);
  ritt_real *V = ritti_arena_alloc(arena, (size_t)p->m, sizeof *V);
  ritti_direction D;
  double most = 0;
  CHECK(find(p, RITTI_DIRECT_SVD, square, z, arena, U, &D));
  for (int k = 0; k < 16; k++) {
    for (int i = 0; i < p->m; i++) near[i] = z[i] * (1 + 2 * RITTI_EPS * check_random());
    if (find(p, RITTI_DIRECT_SVD, square, near, arena, V, &D)) most = fmax(most, angle(p->m, V, U));
  }
  return most / 2.2e-16;
}

static double worst[WORDS + 1];
static long compared[WORDS + 1], fallbacks[WORDS + 1];

static void compare(const char *name, const ritti_problem *p, const ritt_real *z) {
  ritti_arena *arena = ritti_arena_new();
  ritti_direction D, E;
  ritt_real *U = ritti_arena_alloc(arena, (size_t)p->m, sizeof *U);
  ritt_real *V = ritti_arena_alloc(arena, (size_t)p->m, sizeof *V);
  ritt_real *A = ritti_arena_alloc(arena, (size_t)p->tops * (size_t)p->tops + 1, sizeof *A);
  CHECK(find(p, RITTI_DIRECT_SVD, true, z, arena, U, &D));
  double line = fmax((double)(D.sigma[0] / D.sigma[1]), noise(p, true, z, arena) / 2);
  if (p->own_line) line = fmax(line, noise(p, false, z, arena) / 2);
  ritti_csr_to_dense(&p->A, D.A, A);
  double tops = condition(p->tops, p->tops, A, arena);
  for (int v = 0; v <= WORDS; v++) {
    ritti_direct variant = v == WORDS ? RITTI_DIRECT_SVD : (ritti_direct)v;
    if (ritti_direction_misfit(p, variant)) continue;
    bool solves = variant >= RITTI_DIRECT_LU;
    double kappa = solves ? fmax(tops, line) : line;
    if (!find(p, variant, v == WORDS, z, arena, V, &E)) {
      /* LU has nothing to say where A is singular */
      CHECK(solves && tops > 1e12);
      continue;
    }
    double ratio = angle(p->m, V, U) / (2.2e-16 * kappa);
    if (!(ratio <= 10))
      printf("%s, direction %s: %.1f ulp at condition %.1e\n", name, words[variant], ratio, kappa);
    CHECK(ratio <= 10);
    worst[v] = fmax(worst[v], ratio);
    compared[v]++;
    fallbacks[v] += E.fallbacks;
  }
  ritti_arena_free(arena);
}

/* ---- every model ---- */

static int kinds[4];

static void check_kind(const char *path, const char *name, const char *kind) {
  ritt_model *M;
  ritt_error *error = ritt_error_new();
  points P = {.arena = ritti_arena_new()};
  CHECK(ritt_model_read_file(path, error, &M) == RITT_OK);
  CHECK(ritt_model_kind(M, kind, error) == RITT_OK);
  const ritt_check *check;
  if (ritt_model_check(M, error, &check) == RITT_OK) {
    kinds[M->problem->kind]++;
    CHECK_TEXT(check->kind, kind);
    /* the general kind has every equation among its rows, and D */
    CHECK(M->problem->own_line == !strcmp(kind, "general"));
    take_points(M, &P);
    for (int i = 0; i < P.count && M->problem->kind != RITT_EXPLICIT; i++)
      compare(name, M->problem, P.z[i]);
  } else {
    /* the false energy is refused by itself; the general kind fits all others */
    bool refused = !strcmp(name, "fourbar_false_energy.ritt");
    CHECK(strcmp(kind, "general") || refused);
    CHECK(refused || strstr(ritt_error_get(error, 0)->text, "does not fit this system: "));
  }
  ritt_error_free(error);
  ritt_model_free(M);
  ritti_arena_free(P.arena);
}

/* ---- in runs ---- */

/* The first part of a run, in one kind and with one variant, against the model's own way. */
static void check_run(run *r, const char *name, const double *end, const ritt_options *base,
                      const char *kind, const char *variant) {
  ritt_options o = *base;
  o.kind = kind;
  o.direction = variant;
  run_try(r, &o);
  if (r->status == RITT_WRONG_CALL) {
    CHECK(strstr(ritt_error_get(r->error, 0)->text, "does not fit this system: "));
    return;
  }
  double error =
      r->status == RITT_OK ? run_error(r->row + (r->rows - 1) * r->width, end, (int)r->width) : NAN;
  if (!(error <= 1e-7)) printf("%s, kind %s, direction %s: %g\n", name, kind, variant, error);
  CHECK(error <= 1e-7);
}

static void check_runs(const char *name, double to) {
  static const char *const all[] = {"auto", "general", "graph"};
  double end[64];
  ritt_options o = run_options("dop853", 1e-11, to);
  run *r = run_file(name, NULL);
  CHECK(run_go(r, &o));
  CHECK(r->width <= 64);
  memcpy(end, r->row + (r->rows - 1) * r->width, r->width * sizeof *end);
  for (int k = 0; k < 3; k++)
    for (int v = 0; v < WORDS; v++) check_run(r, name, end, &o, all[k], words[v]);
  run_free(r);
}

static void test_runs(void) {
  check_runs("papers/sphere", 0.3);
  check_runs("papers/parabolas", 1);
  check_runs("papers/simple", 0.01);
  check_runs("papers/pendulum_energy", 1);
  check_runs("papers/stiff_pendulum", 0.2);
  check_runs("papers/discharge_pressure", 2);
  check_runs("papers/fourbar", 0.5);
  check_runs("papers/mech6", 0.2);
  check_runs("papers/magnetic_particle", 2);
  check_runs("papers/mhd", 0.5);
  check_runs("papers/plug_flow", 0.5);
  check_runs("papers/rigid_body", 5);
}

int main(void) {
  static const char *const all[] = {"general", "graph", "holonomic", "explicit"};
  DIR *folder = opendir(RITT_SOURCE_DIR "/models/papers");
  for (int i = 0; i < MOST; i++) ones[i] = 1;
  CHECK(folder != NULL);
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    char path[1024];
    if (!strstr(entry->d_name, ".ritt")) continue;
    snprintf(path, sizeof path, "%s/models/papers/%s", RITT_SOURCE_DIR, entry->d_name);
    for (int k = 0; k < 4; k++) check_kind(path, entry->d_name, all[k]);
  }
  if (folder) closedir(folder);
  test_runs();
  for (int k = 0; k < 4; k++) CHECK(kinds[k] > 2);
  for (int v = 0; v <= WORDS; v++) {
    printf(
        "%-10s %5ld points, at most %.2f ulp times the condition number, %ld by a factorisation\n",
        v == WORDS ? "(b | A)" : words[v], compared[v], worst[v], fallbacks[v]);
    CHECK(compared[v] > 30);
    CHECK(10 * fallbacks[v] <= compared[v]);
  }
  return CHECKS_DONE();
}
