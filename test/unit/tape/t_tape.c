/* Tapes give the bits of plans; a problem made from a reduced system built by hand gives what the
 * hand computes. */
#include <pthread.h>
#include <stdlib.h>
#include "tape/eval.h"
#include "../expr/random_tree.h"

static ritti_arena *arena;

/* ---- tapes against plans ---- */
static const char *const variable_name[] = {"x", "y", "lambda"};
static ritti_variable_def variable[3] = {{.name = "x"}, {.name = "y"}, {.name = "lambda"}};

/* The leaves of random_tree.h as coordinates t, x, x', top y, and one parameter. */
static ritti_reduced *tree_system(ritti_model *model, double parameter) {
  static ritti_parameter_def def;
  static ritti_expr coordinate[3], top[1];
  static ritti_reduced r;
  def.number = parameter;
  *model = (ritti_model){.arena = arena,
                         .dag = ritti_dag_new(),
                         .parameter = &def,
                         .variable = variable,
                         .parameters = 1,
                         .variables = 3};
  for (int i = 0; i < 3; i++) coordinate[i] = tree_leaf(model->dag, i);
  top[0] = tree_leaf(model->dag, 3);
  r = (ritti_reduced){
      .model = model, .m = 3, .tops = 1, .top_rows = 1, .coordinate = coordinate, .top = top};
  return &r;
}

enum { TAPES = 3, ROOTS = 5 };

static void test_bits(void) {
  int compared = 0;
  for (int trial = 0; trial < 1500; trial++) {
    tree_point p;
    for (int i = 0; i < TREE_LEAVES; i++) p.x[i] = 2 * check_random();
    ritti_model model;
    ritti_layout *layout;
    ritti_reduced *r = tree_system(&model, p.x[4]);
    ritti_expr root[TAPES][ROOTS];
    ritti_tape tape[TAPES];
    CHECK(ritti_layout_new(arena, r, &layout) == RITT_OK);
    for (int i = 0; i < TAPES; i++) {
      for (int j = 0; j < ROOTS; j++) {
        tree t = tree_random(7 + below(20), 8);
        ritti_expr e = tree_build(model.dag, &t);
        root[i][j] =
            j % 2 ? ritti_dag_partial(model.dag, e, tree_leaf(model.dag, 1 + below(3))) : e;
      }
      CHECK(ritti_tape_record(layout, arena, root[i], ROOTS, &tape[i]) == RITT_OK);
    }
    ritti_layout_finish(layout);
    double *row = malloc(ritti_layout_size(layout) * sizeof *row), out[ROOTS], expected[ROOTS];
    ritti_layout_init(layout, row);
    memcpy(row, p.x, 4 * sizeof *row);
    ritti_values values = tree_values(&p);
    for (int repeat = 0; repeat < 2; repeat++)
      for (int i = 0; i < TAPES; i++) {
        ritti_plan *plan;
        CHECK(ritti_plan_new(model.dag, root[i], ROOTS, &plan) == RITT_OK);
        ritti_plan_evaluate(plan, &values, expected);
        ritti_tape_run(&tape[i], row, out);
        for (int j = 0; j < ROOTS; j++) {
          CHECK(!memcmp(&out[j], &expected[j], sizeof *out) ||
                (isnan(out[j]) && isnan(expected[j])));
          compared += isfinite(out[j]);
        }
        ritti_plan_free(plan);
      }
    free(row);
    ritti_dag_free(model.dag);
  }
  CHECK(compared > 10000);
}

/* Temporaries are used again, sine and cosine come together, a stranger is refused. */
static void test_slots(void) {
  ritti_model model;
  ritti_layout *layout;
  ritti_reduced *r = tree_system(&model, 1);
  ritti_dag *d = model.dag;
  ritti_expr x = r->coordinate[1], terms[1000], roots[3];
  for (int i = 0; i < 1000; i++) {
    ritti_expr u = ritti_add(d, x, ritti_number(d, i, 7));
    terms[i] = ritti_multiply(d, u, ritti_apply(d, RITTI_EXP, &u, 1));
  }
  ritti_tape tape;
  roots[0] = ritti_sum(d, terms, 1000);
  CHECK(ritti_layout_new(arena, r, &layout) == RITT_OK);
  CHECK(ritti_tape_record(layout, arena, roots, 1, &tape) == RITT_OK);
  ritti_layout_finish(layout);
  CHECK(tape.count == 3998); /* 999 additions of i/7, 1000 exp, products, 999 additions */
  /* row: 4 coordinates and tops, 1 parameter, 999 constants, then two terms with their factors, of
   * which one is x */
  CHECK(ritti_layout_size(layout) <= 4 + 1 + 999 + 5);
  CHECK(ritti_tape_record(layout, arena, roots, 1, &tape) == RITT_WRONG_CALL);

  roots[0] = ritti_apply(d, RITTI_COS, &x, 1), roots[1] = ritti_apply(d, RITTI_SIN, &x, 1),
  roots[2] = x;
  CHECK(ritti_layout_new(arena, r, &layout) == RITT_OK &&
        ritti_tape_record(layout, arena, roots, 3, &tape) == RITT_OK);
  CHECK(tape.count == 1 && tape.code[0].op == RITTI_TAPE_SINCOS && tape.result[2] == 1);
  ritti_layout_finish(layout);
  double row[8], out[3];
  CHECK(ritti_layout_size(layout) == 7);
  for (int i = 0; i < 100000; i++) {
    ritti_layout_init(layout, row);
    row[1] = 100 * check_random();
    ritti_tape_run(&tape, row, out);
    if (out[0] != ritti_op_value(RITTI_COS, row[1], 0) ||
        out[1] != ritti_op_value(RITTI_SIN, row[1], 0))
      CHECK(false);
  }
  ritti_text text = {0};
  ritti_tape_print(&tape, &text);
  CHECK_TEXT(text.at, "r5, r6 = sincos r1\nresults r6 r5 r1\n");
  ritti_text_free(&text);

  ritti_expr stranger = ritti_jet(d, 2, 0);
  CHECK(ritti_layout_new(arena, r, &layout) == RITT_OK);
  CHECK(ritti_tape_record(layout, arena, &stranger, 1, &tape) == RITT_WRONG_CALL);
  ritti_dag_free(d);
}

/* ---- a problem: the pendulum, holonomic, with an energy as invariant ---- */
typedef struct pendulum {
  ritti_model model;
  ritti_reduced reduced;
  ritti_expr coordinate[5], top[3], f[3], df[15], A[9], b[3], output[2];
  int next[5], df_start[4], df_col[15], A_start[4], A_col[9];
  ritti_origin origin[3], top_origin[3];
  ritti_parameter_def parameter[2];
  ritti_equation_def equation[3];
  ritti_invariant_def invariant[1];
  ritti_kink kink[1];
  double level[1];
} pendulum;

static ritti_expr square(ritti_dag *d, ritti_expr e) {
  return ritti_power(d, e, ritti_number(d, 2, 1));
}

static void fill_df(pendulum *p) {
  ritti_dag *d = p->model.dag;
  int n = 0;
  for (int i = 0; i < 3; i++) {
    p->df_start[i] = n;
    for (int j = 0; j < 5; j++) {
      ritti_expr e = ritti_dag_partial(d, p->f[i], p->coordinate[j]);
      if (!ritti_is_zero(d, e)) p->df[n] = e, p->df_col[n++] = j;
    }
  }
  p->df_start[3] = n;
}

/* x'' + lambda x = 0, y'' + lambda y + g = 0, x^2 + y^2 = L^2; E = (x'^2 + y'^2)/2 + g y */
static void make_pendulum(pendulum *p, double g, double L) {
  *p = (pendulum){0};
  ritti_dag *d = p->model.dag = ritti_dag_new();
  ritti_expr x = ritti_jet(d, 0, 0), y = ritti_jet(d, 1, 0), x1 = ritti_jet(d, 0, 1),
             y1 = ritti_jet(d, 1, 1);
  ritti_expr gravity = ritti_parameter(d, 0), length = ritti_parameter(d, 1),
             lambda = ritti_jet(d, 2, 0);
  ritti_expr one = ritti_number(d, 1, 1), zero = ritti_number(d, 0, 1);
  memcpy(p->coordinate, (ritti_expr[]){ritti_independent(d), x, y, x1, y1}, sizeof p->coordinate);
  memcpy(p->top, (ritti_expr[]){ritti_jet(d, 0, 2), ritti_jet(d, 1, 2), lambda}, sizeof p->top);
  memcpy(p->next, (int[]){0, 3, 4, -1, -2}, sizeof p->next);
  p->f[0] = ritti_subtract(d, ritti_add(d, square(d, x), square(d, y)), square(d, length));
  p->f[1] = ritti_dag_total(d, p->f[0]);
  ritti_expr kinetic =
      ritti_multiply(d, ritti_number(d, 1, 2), ritti_add(d, square(d, x1), square(d, y1)));
  ritti_expr energy = ritti_add(d, kinetic, ritti_multiply(d, gravity, y));
  p->f[2] = ritti_subtract(d, energy, ritti_level(d, 0));
  fill_df(p);
  /* A = [E H; G 0], b = (0, g, 2 x'^2 + 2 y'^2) */
  ritti_expr two_x = ritti_add(d, x, x), two_y = ritti_add(d, y, y);
  memcpy(p->A, (ritti_expr[]){one, x, one, y, two_x, two_y}, 6 * sizeof *p->A);
  memcpy(p->A_start, (int[]){0, 2, 4, 6}, sizeof p->A_start);
  memcpy(p->A_col, (int[]){0, 2, 1, 2, 0, 1}, 6 * sizeof *p->A_col);
  p->b[0] = zero, p->b[1] = gravity, p->b[2] = ritti_multiply(d, ritti_number(d, 4, 1), kinetic);
  p->output[0] = energy;
  p->output[1] =
      ritti_multiply(d, lambda, ritti_power(d, ritti_subtract(d, x, one), ritti_number(d, 1, 2)));
  ritti_expr sum = ritti_add(d, x, lambda);
  p->kink[0] = (ritti_kink){.argument = sum, .function = sum, .text = "abs(x + lambda)"};
  p->parameter[0].number = g, p->parameter[1].number = L;
  for (int i = 0; i < 3; i++) p->equation[i].place.line = 5 + i;
  p->equation[0].residual = ritti_add(d, ritti_jet(d, 0, 2), ritti_multiply(d, lambda, x));
  p->equation[1].residual = ritti_add(d, ritti_jet(d, 1, 2), ritti_multiply(d, lambda, y));
  p->equation[2].residual = p->f[0];
  p->invariant[0] = (ritti_invariant_def){.name = "E", .place.line = 9};
  p->level[0] = 0.25;
  memcpy(p->origin, (ritti_origin[]){{2, -1, 0}, {2, -1, 1}, {-1, 0, 0}}, sizeof p->origin);
  memcpy(p->top_origin, (ritti_origin[]){{0, -1, 0}, {1, -1, 0}, {2, -1, 2}}, sizeof p->top_origin);
  p->model.independent = "t", p->model.variable = variable, p->model.variables = 3;
  p->model.parameter = p->parameter, p->model.parameters = 2;
  p->model.equation = p->equation, p->model.equations = 3, p->model.invariant = p->invariant,
  p->model.invariants = 1;
  p->model.names = (ritti_names){.independent = "t", .variable = variable_name};
  p->reduced = (ritti_reduced){.model = &p->model,
                               .kind = RITT_HOLONOMIC,
                               .m = 5,
                               .k = 3,
                               .tops = 3,
                               .top_rows = 3,
                               .levels = 1};
  ritti_reduced *r = &p->reduced;
  r->kinks = 1, r->kink = p->kink, r->level = p->level, r->positions = 2, r->constraints = 1;
  r->coordinate = p->coordinate, r->top = p->top, r->next = p->next, r->f = p->f, r->b = p->b;
  r->origin = p->origin, r->top_origin = p->top_origin;
  r->df = (ritti_expr_matrix){{3, 5, p->df_start, p->df_col}, p->df};
  r->A = (ritti_expr_matrix){{3, 3, p->A_start, p->A_col}, p->A};
}

static void dense(const ritti_pattern *p, const double *a, double *out) {
  memset(out, 0, (size_t)(p->rows * p->cols) * sizeof *out);
  for (int i = 0; i < p->rows; i++)
    for (int j = p->start[i]; j < p->start[i + 1]; j++) out[i * p->cols + p->col[j]] = a[j];
}

static void test_pendulum(void) {
  pendulum pen;
  ritti_problem *p;
  make_pendulum(&pen, 9.75, 1.5);
  CHECK(ritti_problem_make(&pen.reduced, pen.output, 2, arena, NULL, &p) == RITT_OK);
  double *work = malloc(p->work_size * sizeof *work), f[3], df[15], D[15], A[9], b[3], h[25],
         out[2], monitor[1];
  p->work_init(p->data, work);
  for (int trial = 0; trial < 100; trial++) {
    double z[5], mu[3], top[3], full[9], hess[25];
    for (int i = 0; i < 5; i++) z[i] = check_random();
    for (int i = 0; i < 3; i++) mu[i] = check_random(), top[i] = check_random();
    double x = z[1], y = z[2], u = z[3], v = z[4];
    CHECK(p->call.f_df(p->data, work, z, f, df) == RITT_OK);
    CHECK_NEAR(f[0], x * x + y * y - 2.25, 1e-15);
    CHECK_NEAR(f[1], 2 * x * u + 2 * y * v, 1e-15);
    CHECK_NEAR(f[2], (u * u + v * v) / 2 + 9.75 * y - 0.25, 1e-14);
    dense(&p->df, df, D);
    double expected[15] = {0, 2 * x, 2 * y, 0, 0, 0, 2 * u, 2 * v, 2 * x, 2 * y, 0, 0, 9.75, u, v};
    for (int i = 0; i < 15; i++) CHECK_NEAR(D[i], expected[i], 1e-15);
    CHECK(p->call.system(p->data, work, z, A, b) == RITT_OK);
    dense(&p->A, A, full);
    double matrix[9] = {1, 0, x, 0, 1, y, 2 * x, 2 * y, 0},
           rest[3] = {0, 9.75, 2 * u * u + 2 * v * v};
    for (int i = 0; i < 9; i++) CHECK_NEAR(full[i], matrix[i], 1e-15);
    for (int i = 0; i < 3; i++) CHECK_NEAR(b[i], rest[i], 1e-14);
    /* the second derivatives are constant here: 2 mu_0 on x, y; 2 mu_1 between positions and
     * velocities; mu_2
     */
    CHECK(p->call.d2f_mu(p->data, work, z, mu, h) == RITT_OK);
    dense(&p->d2f, h, hess);
    for (int i = 0; i < 5; i++)
      for (int j = 0; j <= i; j++) {
        double e = i == j && i > 0       ? (i < 3 ? 2 * mu[0] : mu[2])
                   : j > 0 && i == j + 2 ? 2 * mu[1]
                                         : 0;
        CHECK_NEAR(hess[5 * i + j], e, 1e-15);
      }
    CHECK(p->call.monitor(p->data, work, z, top, monitor) == RITT_OK && monitor[0] == x + top[2]);
    /* x < 1: sqrt(x - 1) has no value, and NaN does not slip through */
    CHECK(p->call.output(p->data, work, z, top, out) == RITT_RETRY);
    CHECK_TEXT(p->name.culprit(p->data, work, z), "sqrt(x - 1)");
    z[1] += 2.5;
    CHECK(p->call.output(p->data, work, z, top, out) == RITT_OK &&
          fabs(out[1] - top[2] * sqrt(z[1] - 1)) < 1e-15);
    z[1] = trial % 2 ? NAN : 1e200;
    CHECK(p->call.f_df(p->data, work, z, f, df) == RITT_RETRY &&
          p->call.f(p->data, work, z, f) == RITT_RETRY);
    CHECK_TEXT(p->name.culprit(p->data, work, z), trial % 2 ? "x (line 7)" : "x^2 (line 7)");
  }
  CHECK_TEXT(p->name.coordinate(p->data, 0), "t");
  CHECK_TEXT(p->name.coordinate(p->data, 4), "y'");
  CHECK(strstr(p->name.row(p->data, 1), "first derivative of equation 3 (line 7)") != NULL);
  CHECK_TEXT(p->name.row(p->data, 2), "invariant E (line 9)");
  CHECK_TEXT(p->name.monitor(p->data, 0), "abs(x + lambda)");
  CHECK(p->kind == RITT_HOLONOMIC && p->positions == 2 && p->constraints == 1 && p->outputs == 2 &&
        p->monitors == 1);
  free(work);
  ritti_dag_free(pen.model.dag);
}

/* ---- explicit kind, and random f: second derivatives against differences of first ones ---- */
static void test_second(void) {
  int compared = 0;
  for (int trial = 0; trial < 300; trial++) {
    double z[3], mu[2], h[9], full[9];
    ritti_model model;
    ritti_reduced *r = tree_system(&model, check_random());
    ritti_dag *d = model.dag;
    ritti_expr f[2], df[6], y = tree_leaf(d, 3), zero = ritti_number(d, 0, 1), formula[1];
    int start[3] = {0, 3, 6}, col[6] = {0, 1, 2, 0, 1, 2}, next[3] = {0, 2, -1};
    ritti_equation_def equation = {.place.line = 3};
    ritti_origin origin[2] = {{0, -1, 0}, {0, -1, 1}};
    for (int i = 0; i < 2; i++) {
      tree t = tree_random(7 + below(8), 8);
      f[i] = tree_build(d, &t);
      CHECK(ritti_dag_substitute(d, &y, &zero, 1, &f[i], 1) == RITT_OK);
      for (int j = 0; j < 3; j++) df[3 * i + j] = ritti_dag_partial(d, f[i], tree_leaf(d, j));
    }
    formula[0] = ritti_add(d, f[0], f[1]);
    model.independent = "t", model.equation = &equation, model.equations = 1;
    r->kind = RITT_EXPLICIT, r->k = 2, r->f = f, r->formula = formula, r->next = next;
    r->origin = r->top_origin = origin;
    r->df = (ritti_expr_matrix){{2, 3, start, col}, df};
    ritti_problem *p;
    CHECK(ritti_problem_make(r, formula, 1, arena, NULL, &p) == RITT_OK);
    double *work = malloc(p->work_size * sizeof *work), value[2], left[6], right[6], top[1], out[1];
    p->work_init(p->data, work);
    for (int i = 0; i < 3; i++) z[i] = check_random();
    for (int i = 0; i < 2; i++) mu[i] = check_random();
    bool good = p->call.d2f_mu(p->data, work, z, mu, h) == RITT_OK;
    if (p->call.formula(p->data, work, z, top) == RITT_OK)
      CHECK(p->call.output(p->data, work, z, top, out) == RITT_OK && out[0] == top[0]);
    dense(&p->d2f, h, full);
    for (int j = 0; j < 3 && good; j++) {
      double e = 1e-5, zj = z[j];
      z[j] = zj + e, good = p->call.f_df(p->data, work, z, value, right) == RITT_OK;
      z[j] = zj - e, good = good && p->call.f_df(p->data, work, z, value, left) == RITT_OK;
      z[j] = zj;
      for (int i = j; i < 3 && good; i++) {
        double size = fabs(left[i]) + fabs(left[3 + i]) + fabs(full[3 * i + j]);
        double difference =
            (mu[0] * (right[i] - left[i]) + mu[1] * (right[3 + i] - left[3 + i])) / (2 * e);
        if (!(size < 20)) continue;
        CHECK_NEAR(full[3 * i + j], difference, 1e-4 * (1 + size));
        compared++;
      }
    }
    free(work);
    ritti_dag_free(d);
  }
  CHECK(compared > 300);
}

/* ---- two threads, one problem ---- */
enum { POINTS = 20000 };
typedef struct job {
  const ritti_problem *p;
  double sum[3 + 15];
} job;

static void *work_through(void *argument) {
  job *j = argument;
  double *work = malloc(j->p->work_size * sizeof *work), v[3 + 15];
  j->p->work_init(j->p->data, work);
  for (int i = 0; i < POINTS; i++) {
    double z[5] = {i, sin(i), cos(i), sin(2 * i), cos(3 * i)};
    if (j->p->call.f_df(j->p->data, work, z, v, v + 3) == RITT_OK)
      for (int k = 0; k < 3 + j->p->df.start[3]; k++) j->sum[k] += v[k];
    if (i % 100 == 0)
      z[1] = NAN, j->sum[0] += (double)strlen(j->p->name.culprit(j->p->data, work, z));
  }
  free(work);
  return NULL;
}

static void test_threads(void) {
  pendulum pen;
  ritti_problem *p;
  make_pendulum(&pen, 1, 1);
  CHECK(ritti_problem_make(&pen.reduced, pen.output, 2, arena, NULL, &p) == RITT_OK);
  job jobs[2] = {{.p = p}, {.p = p}};
  pthread_t other;
  CHECK(pthread_create(&other, NULL, work_through, &jobs[0]) == 0);
  work_through(&jobs[1]);
  pthread_join(other, NULL);
  CHECK(jobs[0].sum[0] != 0 && !memcmp(jobs[0].sum, jobs[1].sum, sizeof jobs[0].sum));
  ritti_dag_free(pen.model.dag);
}

int main(void) {
  arena = ritti_arena_new();
  test_bits();
  test_slots();
  test_pendulum();
  test_second();
  test_threads();
  ritti_arena_free(arena);
  return CHECKS_DONE();
}
