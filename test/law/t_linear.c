/* Dense, band and sparse algebra give the same runs, also through folds; and on chains the memory
 * and the work of a step grow with their length, not faster: counted, not timed. */
#include "linalg/sparse.h"
#include "api/pipeline.h"
#include "run.h"

static const char *const words[] = {"dense", "band", "sparse"};

/* ---- the same runs ---- */

/* Rounding errors differ and grow with the solution: `error` is relative to the size of the row.
 * The run may stop (at a fold): then it does so everywhere. */
static void check_same(const char *name, double to, double error) {
  ritt_options options = ritt_options_default();
  double *end = NULL, size = 0;
  long accepted = 0;
  ritt_status status = RITT_OK;
  options.to = to;
  for (int a = 0; a < 3; a++) {
    run *r = run_file(name, NULL);
    options.linear = words[a];
    run_try(r, &options);
    CHECK(r->rows > 1);
    if (!r->rows) {
      run_complain(r, name);
      continue;
    }
    const double *last = r->row + (r->rows - 1) * r->width;
    if (!end) {
      end = run_memory(NULL, r->width * sizeof *end);
      memcpy(end, last, r->width * sizeof *end);
      for (size_t i = 0; i < r->width; i++) size = fmax(size, fabs(end[i]));
      accepted = r->statistics.accepted;
      status = r->status;
    }
    CHECK(r->status == status);
    CHECK(labs(r->statistics.accepted - accepted) <= 1);
    for (size_t i = 0; i < r->width; i++) CHECK_NEAR(last[i], end[i], error * size);
    run_free(r);
  }
  free(end);
}

/* ---- chains ---- */

/* mechN of the enhanced linear algebra paper, 6.2.5: rods of length 1, springs between next
 * neighbours but one. The start is the zigzag of exact rods. */
static run *chain(int n, const char *velocities, const char *more) {
  static const char law[] =
      "variable p[1..n], q[1..n], l[1..n-1]\n"
      "equation\n"
      "  p[1]'' + l[1]*(p[1] - p[2]) + c*(p[1] - p[3]) = 0\n"
      "  q[1]'' + l[1]*(q[1] - q[2]) + c*(q[1] - q[3]) = 0\n"
      "  p[2]'' + l[2]*(p[2] - p[3]) + l[1]*(p[2] - p[1]) + c*(p[2] - p[4]) = 0\n"
      "  q[2]'' + l[2]*(q[2] - q[3]) + l[1]*(q[2] - q[1]) + c*(q[2] - q[4]) = 0\n"
      "  for i in 3..n-2:\n"
      "    p[i]'' + l[i]*(p[i] - p[i+1]) + l[i-1]*(p[i] - p[i-1]) + c*(2*p[i] - p[i-2] - p[i+2]) = 0\n"
      "    q[i]'' + l[i]*(q[i] - q[i+1]) + l[i-1]*(q[i] - q[i-1]) + c*(2*q[i] - q[i-2] - q[i+2]) = 0\n"
      "  p[n-1]'' + l[n-1]*(p[n-1] - p[n]) + l[n-2]*(p[n-1] - p[n-2]) + c*(p[n-1] - p[n-3]) = 0\n"
      "  q[n-1]'' + l[n-1]*(q[n-1] - q[n]) + l[n-2]*(q[n-1] - q[n-2]) + c*(q[n-1] - q[n-3]) = 0\n"
      "  p[n]'' + l[n-1]*(p[n] - p[n-1]) + c*(p[n] - p[n-2]) = 0\n"
      "  q[n]'' + l[n-1]*(q[n] - q[n-1]) + c*(q[n] - q[n-2]) = 0\n"
      "  for i in 1..n-1: (p[i] - p[i+1])^2 + (q[i] - q[i+1])^2 = 1\n"
      "start t = 0\n"
      "  for i in 1..n:\n"
      "    p[i] = (i-1)/2, q[i] = sqrt(3)/2*mod(i-1, 2)\n";
  char text[4000];
  snprintf(text, sizeof text, "model chain\nparameter n = %d, c = 10\n%s%s%s", n, law, velocities,
           more);
  run *r = run_text(text);
  if (r->status != RITT_OK) run_complain(r, "chain");
  return r;
}

static const char moving[] = "    p[i]' = 1 - 2*mod(i-1, 2), q[i]' = -(n - i)*2/sqrt(3)\n",
                  resting[] = "    p[i]' = 0, q[i]' = 0\n";

/* mech24 at t = 1 against the reference (truth: mech24_c10_x1, 17 digits by two ways), in every
 * algebra. */
static void check_reference(void) {
  static const double p[3] = {3.422607947496725, 3.703016112971476, 2.807260220241517},
                      q[3] = {-22.30618676615593, -21.34630590858293, -20.90175964480428};
  for (int a = 0; a < 3; a++) {
    run *r = chain(24, moving, "solve t = 0 .. 1\n  method dop853\n  tolerance 1e-12\n");
    ritt_options options = ritt_options_default();
    options.linear = words[a];
    run_go(r, &options);
    const double *last = r->row + (r->rows - 1) * r->width;
    for (int i = 0; i < 3; i++) {
      CHECK_NEAR(last[1 + i], p[i], 1e-9);
      CHECK_NEAR(last[25 + i], q[i], 1e-9);
    }
    run_free(r);
  }
}

/* Long chains by Newton's own matrix, [I + mu d2f, G^T; G, 0]: no algebra takes growing factors for
 * a lost rank. */
static void check_newton(void) {
  for (int a = 0; a < 3; a++) {
    run *r = chain(100, moving, "solve t = 0 .. 0.02\n");
    ritt_options options = ritt_options_default();
    options.linear = words[a], options.projection = "newton";
    if (run_go(r, &options)) CHECK_NEAR(r->statistics.largest_residual, 0, 1e-9);
    run_free(r);
  }
}

/* What one solver on a chain takes: reals in the factors, multiplications, bytes. */
typedef struct costs {
  double direction_fill, direction_work, projection_fill, projection_work, bytes, row, problem;
} costs;

static costs costs_of(int n, const char *more) {
  run *r = chain(n, resting, more);
  ritti_arena *arena = ritti_arena_new();
  ritti_manifold M;
  ritti_direction D;
  costs c = {0};
  CHECK(ritti_pipeline_prepare(r->model, r->error) == RITT_OK);
  const ritti_problem *p = r->model->problem;
  ritt_real *work = run_memory(NULL, (p->work_size + 1) * sizeof *work);
  CHECK(p->kind == RITT_HOLONOMIC && p->symmetric);
  p->work_init(p->data, work);
  CHECK(ritti_manifold_init(&M, p, work, arena) == RITT_OK);
  CHECK(ritti_manifold_choose(
            &M, p->k == 2 * p->constraints ? RITTI_PROJECT_SEQUENTIAL : RITTI_PROJECT_GAUSS,
            arena) == RITT_OK);
  CHECK(ritti_direction_init(&D, p, work, arena) == RITT_OK);
  // a direction and a projection from a point off M
  ritt_real *z = run_memory(NULL, (size_t)p->m * sizeof *z),
            *V = run_memory(NULL, (size_t)p->m * sizeof *V);
  CHECK(ritti_direction_at(&D, r->model->reduced->z, V) == RITT_OK);
  for (int i = 0; i < p->m; i++) z[i] = r->model->reduced->z[i] + (i ? 1e-3 * sin(i) : 0);
  M.inverse_weights[0] = 0;
  CHECK(ritti_manifold_project(&M, z, z) == RITT_OK);
  CHECK(ritti_manifold_residual(&M, z) < 1e-12);
  CHECK(D.kkt.factorisations == 1 && D.lu.factorisations == 0);
  // over arc length the null vector is the same direction
  ritt_real *arc = run_memory(NULL, (size_t)p->m * sizeof *arc), square = 0;
  for (int i = 0; i < p->m; i++) arc[i] = 1, square += V[i] * V[i];
  D.arc = arc;
  CHECK(ritti_direction_at(&D, r->model->reduced->z, z) == RITT_OK);
  for (int i = 0; i < p->m; i++) CHECK_NEAR(z[i] * sqrt(square), V[i], 1e-9);

  const ritti_linear *grams[] = {&M.whole, &M.positions, &M.velocities};
  c.direction_fill = D.kkt.fill + D.lu.fill;
  c.direction_work = D.kkt.operations + D.lu.operations;
  for (int i = 0; i < 3; i++)
    c.projection_fill += grams[i]->fill, c.projection_work += grams[i]->operations;
  c.bytes = (double)ritti_arena_used(arena);
  c.row = (double)p->work_size;
  c.problem = (double)ritti_arena_used(r->model->arena);
  ritti_arena_free(arena);
  free(work);
  free(z);
  free(V);
  free(arc);
  run_free(r);
  return c;
}

static void check_growth(const char *more) {
  costs one = costs_of(150, more), two = costs_of(300, more), four = costs_of(600, more);
  const double *a = (double *)&one, *b = (double *)&two, *c = (double *)&four;
  // twice as long, twice the increase: the second difference is a straight line's. Or twice as long,
  // at most twice the cost: long chains lack what is made for small problems only.
  for (size_t i = 0; i < sizeof one / sizeof *a; i++) {
    const bool linear = c[i] - b[i] <= 2.1 * (b[i] - a[i]) + 100 || c[i] <= 2 * b[i];
    CHECK(linear);
    if (!linear) printf("  cost %zu: %g %g %g\n", i, a[i], b[i], c[i]);
  }
  CHECK(four.direction_fill < 60 * 600 && four.projection_fill < 60 * 600);
}

/* A chain of 120, long enough for sparse algebra: all three ways lead to the same end. */
static void check_long(void) {
  double end[240];
  for (int a = 0; a < 3; a++) {
    run *r = chain(120, resting, "solve t = 0 .. 1\n  tolerance 1e-9\n");
    ritt_options options = ritt_options_default();
    options.linear = words[a];
    run_go(r, &options);
    const double *last = r->row + (r->rows - 1) * r->width;
    if (a == 0) memcpy(end, last + 1, sizeof end);
    for (int i = 0; i < 240; i++) CHECK_NEAR(last[1 + i], end[i], 1e-9);
    CHECK(r->statistics.largest_residual < 1e-12);
    run_free(r);
  }
}

int main(void) {
  check_same("classics/pendulum/pendulum", 10, 1e-10);
  check_same("classics/slider_crank", NAN, 1e-9);
  check_same("classics/crane", NAN, 1e-9);
  check_same("classics/kepler", NAN, 1e-9);
  check_same("papers/mech6", NAN, 1e-9);
  check_same("papers/fourbar", NAN, 1e-8);
  check_same("papers/discharge_pressure", NAN, 1e-8);
  // an impasse point, folds, arc length
  check_same("papers/plug_flow", NAN, 1e-9);
  check_same("papers/sphere", NAN, 1e-10);
  check_same("papers/asymptotic_curves", NAN, 1e-10);
  check_same("papers/parabolas", NAN, 1e-10);
  check_reference();
  if (!CHECK_SLOW) check_newton();
  check_growth("");
  check_growth("invariant E: sum(i in 1..n, p[i]'^2 + q[i]'^2)/2 + "
               "c/2*sum(i in 1..n-2, (p[i] - p[i+2])^2 + (q[i] - q[i+2])^2)\n");
  if (!CHECK_SLOW) check_long();
  return CHECKS_DONE();
}
