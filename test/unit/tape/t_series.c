/* Tapes as programs on power series against series through the DAG (expr/series.c), which walk the
 * expressions themselves: random expressions along random curves, and a family whose tape has
 * kernels. */
#include <stdlib.h>
#include "tape/eval_impl.h"
#include "expr/series.h"
#include "../expr/random_tree.h"

enum { TERMS = 13 };

static ritti_arena *arena;
static double curve[4][TERMS]; /* t, x, x', y */

static void jet_series(const void *context, int variable, int order, int terms, double *out) {
  (void)context;
  memcpy(out, curve[variable == 0 ? 1 + order : 3], (size_t)terms * sizeof *out);
}

/* The curve in the coordinates of the program, all terms. */
static ritt_real *run(const ritti_series *S, const ritt_real *row, int m) {
  ritt_real *value = calloc(S->slots * TERMS + 1, sizeof *value);
  for (int k = 0; k < TERMS; k++) {
    for (int i = 0; i < m; i++) value[i * TERMS + k] = curve[i % 4][k];
    ritti_series_run(S, row, TERMS, k, value);
  }
  return value;
}

enum { ROOTS = 4, NEAR = 6 };

/* Both ways along the curve, and along curves that differ by rounding: what that changes is not
 * asked for. */
typedef struct both {
  double program[ROOTS][TERMS], dag[ROOTS][TERMS], moved[ROOTS][TERMS];
} both;

static void run_both(const ritti_series *S, const ritt_real *row, ritti_series_plan *plan,
                     double parameter, double program[ROOTS][TERMS], double dag[ROOTS][TERMS]) {
  ritt_real *value = run(S, row, 4);
  ritti_series_values v = {.independent = curve[0][0], .jet = jet_series, .parameter = &parameter};
  ritti_series_plan_evaluate(plan, &v, TERMS, dag[0]);
  for (int i = 0; i < ROOTS; i++)
    for (int k = 0; k < TERMS; k++) program[i][k] = value[(size_t)S->result[i] * TERMS + (size_t)k];
  free(value);
}

static both compare(const ritti_series *S, const ritt_real *row, ritti_series_plan *plan,
                    double parameter) {
  both b = {0};
  double kept[4][TERMS], program[ROOTS][TERMS], dag[ROOTS][TERMS];
  memcpy(kept, curve, sizeof curve);
  run_both(S, row, plan, parameter, b.program, b.dag);
  for (int n = 0; n < NEAR; n++) {
    for (int i = 0; i < 4; i++)
      for (int k = 0; k < (i ? TERMS : 1); k++)
        curve[i][k] = kept[i][k] * (1 + 1e-14 * check_random());
    run_both(S, row, plan, parameter, program, dag);
    for (int i = 0; i < ROOTS; i++)
      for (int k = 0; k < TERMS; k++)
        b.moved[i][k] += fabs(program[i][k] - b.program[i][k]) + fabs(dag[i][k] - b.dag[i][k]);
  }
  memcpy(curve, kept, sizeof curve);
  return b;
}

static double largest(const double *w) {
  double size = 0;
  for (int k = 0; k < TERMS; k++)
    if (!(fabs(w[k]) <= size)) size = fabs(w[k]);
  return size;
}

static void test_trees(void) {
  static ritti_variable_def variable[2] = {{.name = "x"}, {.name = "y"}};
  int compared = 0, sharp = 0, nowhere = 0;
  for (int trial = 0; trial < 1500; trial++) {
    ritti_parameter_def def = {.number = 2 * check_random()};
    ritti_model model = {.arena = arena,
                         .dag = ritti_dag_new(),
                         .parameter = &def,
                         .variable = variable,
                         .parameters = 1,
                         .variables = 2};
    ritti_expr coordinate[4], root[ROOTS];
    for (int i = 0; i < 4; i++) coordinate[i] = tree_leaf(model.dag, i);
    ritti_reduced r = {.model = &model, .m = 4, .coordinate = coordinate};
    for (int i = 0; i < ROOTS; i++) {
      tree t = tree_random(7 + below(12), 8);
      root[i] = tree_build(model.dag, &t);
    }
    for (int i = 0; i < 4; i++)
      for (int k = 0; k < TERMS; k++) curve[i][k] = i ? check_random() / (1 << k) : k == 1;
    curve[0][0] = check_random();

    ritti_layout *layout;
    ritti_tape tape;
    ritti_series S;
    ritti_series_plan *plan;
    ritt_real plain[ROOTS];
    CHECK(ritti_layout_new(arena, &r, &layout) == RITT_OK);
    CHECK(ritti_tape_record(layout, arena, root, ROOTS, &tape) == RITT_OK);
    ritti_layout_finish(layout);
    CHECK(ritti_series_make(layout, model.dag, 4, &tape, arena, &S) == RITT_OK);
    CHECK(ritti_series_plan_new(model.dag, root, ROOTS, TERMS, &plan) == RITT_OK);
    ritt_real *row = calloc(ritti_layout_size(layout) + 1, sizeof *row);
    ritti_layout_init(layout, row);
    both b = compare(&S, row, plan, def.number);
    for (int i = 0; i < 4; i++) row[i] = curve[i][0];
    ritti_tape_run(&tape, row, plain);

    for (int i = 0; i < ROOTS; i++) {
      double size = largest(b.dag[i]);
      if (!isfinite(plain[i])) continue;
      if (b.program[i][0] != b.program[i][0] && ++nowhere <= 20)
        continue; /* 0 to a power that varies */
      CHECK_NEAR(b.program[i][0], plain[i], 1e-12 * (1 + fabs(plain[i])));
      if (!(size < 1e6)) continue; /* no series, or beside a singularity */
      for (int k = 0; k < TERMS; k++) {
        CHECK_NEAR(b.program[i][k], b.dag[i][k], 1e-12 * (1 + size) + 100 * b.moved[i][k]);
        CHECK(S.varies[i] || k == 0 || b.program[i][k] == 0);
        sharp += b.moved[i][k] < 1e-10;
      }
      compared++;
    }
    ritti_series_plan_free(plan);
    free(row);
    ritti_dag_free(model.dag);
  }
  CHECK(compared > 2500 && sharp > 10 * compared);
}

/* Many rows of one shape become kernels; the same rows one by one do not. */
static void test_kernels(void) {
  enum { N = 700 };
  ritti_variable_def *variable = calloc(N, sizeof *variable);
  ritti_model model = {
      .arena = arena, .dag = ritti_dag_new(), .variable = variable, .variables = N};
  ritti_dag *d = model.dag;
  ritti_expr *coordinate = calloc(N + 1, sizeof *coordinate), *root = calloc(N, sizeof *root);
  coordinate[0] = ritti_independent(d);
  for (int i = 0; i < N; i++) coordinate[i + 1] = ritti_jet(d, i, 0);
  for (int i = 0; i < N; i++) {
    ritti_expr a = coordinate[i + 1], b = coordinate[1 + (i + 1) % N],
               sine = ritti_apply(d, RITTI_SIN, &a, 1);
    ritti_expr cosine = ritti_apply(d, RITTI_COS, &b, 1), two = ritti_number(d, 2, 1);
    root[i] = ritti_divide(d, ritti_add(d, ritti_multiply(d, sine, cosine), ritti_number(d, 1, 3)),
                           ritti_add(d, ritti_power(d, a, two), two));
  }
  ritti_reduced r = {.model = &model, .m = N + 1, .coordinate = coordinate};
  ritti_layout *layout;
  ritti_tape whole, one[3];
  ritti_series S, alone;
  CHECK(ritti_layout_new(arena, &r, &layout) == RITT_OK);
  CHECK(ritti_tape_record(layout, arena, root, N, &whole) == RITT_OK);
  for (int i = 0; i < 3; i++)
    CHECK(ritti_tape_record(layout, arena, root + 300 * i, 1, &one[i]) == RITT_OK);
  ritti_layout_finish(layout);
  CHECK(whole.kernels && whole.kernels->count == 1 && !one[0].kernels);
  ritt_real *row = calloc(ritti_layout_size(layout) + 1, sizeof *row);
  ritti_layout_init(layout, row);
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < TERMS; k++) curve[i][k] = check_random() / (1 << k);
  CHECK(ritti_series_make(layout, d, N + 1, &whole, arena, &S) == RITT_OK);
  ritt_real *value = run(&S, row, N + 1);
  for (int i = 0; i < 3; i++) {
    CHECK(ritti_series_make(layout, d, N + 1, &one[i], arena, &alone) == RITT_OK);
    ritt_real *other = run(&alone, row, N + 1);
    for (int k = 0; k < TERMS; k++)
      CHECK(value[S.result[300 * i] * TERMS + (size_t)k] ==
            other[alone.result[0] * TERMS + (size_t)k]);
    free(other);
  }
  free(value), free(row), free(root), free(coordinate), free(variable);
  ritti_dag_free(d);
}

int main(void) {
  arena = ritti_arena_new();
  test_trees();
  test_kernels();
  ritti_arena_free(arena);
  return CHECKS_DONE();
}
