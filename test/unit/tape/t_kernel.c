/* Kernels: a chain of many bodies is evaluated by code that does not grow with its length, to the
 * bits of a plan. */
#include "tape/eval.h"
#include "jets.h"

#define CHAIN                                                                                      \
  "model chain\nparameter n = %d, c = 10\nvariable x[1..n], y[1..n]\n"                             \
  "lagrangian sum(i in 1..n, (x[i]'^2 + y[i]'^2)/2 - c*y[i] - sin(x[i])*exp(-y[i]^2))\n"           \
  "constraint\n  for i in 1..n-1: (x[i] - x[i+1])^2 + (y[i] - y[i+1])^2 = 1\n"                     \
  "start t = 0\n  for i in 1..n: x[i] = i/2\n  for i in 1..n: y[i] = sqrt(3)/2*mod(i, 2)\n"        \
  "  for i in 1..n: x[i]' = 0\n  for i in 1..n: y[i]' = 0\nsolve t = 0 .. 1\n"

typedef struct bound {
  const ritti_reduced *reduced;
  const double *z, *top;
} bound;

static int *slot_of; /* by variable and order: coordinate i or m + top; -1: none */

static double value_of(const void *context, int variable, int order) {
  const bound *b = context;
  int i = order < 3 ? slot_of[3 * variable + order] : -1;
  return i < 0 ? NAN : i < b->reduced->m ? b->z[i] : b->top[i - b->reduced->m];
}

static void same_bits(const completed *c, const ritti_expr *e, size_t count, const ritti_values *v,
                      const double *got, const char *what) {
  ritti_plan *plan;
  double *expected = jets_memory(count, sizeof *expected);
  CHECK(ritti_plan_new(c->model->dag, e, count, &plan) == RITT_OK);
  ritti_plan_evaluate(plan, v, expected);
  size_t different = 0;
  for (size_t i = 0; i < count; i++) different += memcmp(&expected[i], &got[i], sizeof *got) != 0;
  if (different) printf("%s: %zu of %zu differ\n", what, different, count);
  CHECK(different == 0);
  ritti_plan_free(plan);
  free(expected);
}

static size_t entries(const ritti_pattern *p) { return (size_t)p->start[p->rows]; }

static void test_bits(void) {
  char text[1000];
  snprintf(text, sizeof text, CHAIN, 300);
  completed *c = completed_text(text, "chain");
  ritti_reduced *r = c->reduced;
  ritti_problem *p = NULL;
  CHECK(r && ritti_problem_make(r, NULL, 0, c->arena, c->error, &p) == RITT_OK);
  double *work = jets_memory(p->work_size, sizeof *work), *z = jets_memory((size_t)r->m, sizeof *z);
  double *f = jets_memory((size_t)r->k, sizeof *f), *df = jets_memory(entries(&p->df), sizeof *df);
  double *A = jets_memory(entries(&p->A), sizeof *A), *b = jets_memory((size_t)r->tops, sizeof *b);
  p->work_init(p->data, work);
  slot_of = jets_memory(3 * (size_t)c->model->variables, sizeof *slot_of);
  for (int i = 0; i < 3 * c->model->variables; i++) slot_of[i] = -1;
  for (int i = 1; i < r->m; i++)
    slot_of[3 * ritti_index_of(c->model->dag, r->coordinate[i]) +
            ritti_order_of(c->model->dag, r->coordinate[i])] = i;
  for (int trial = 0; trial < 3; trial++) {
    for (int i = 0; i < r->m; i++) z[i] = r->z[i] + 0.1 * check_random();
    bound at = {r, z, NULL};
    ritti_values v = {z[0], value_of, &at, c->parameter, r->level, NULL};
    CHECK(p->call.f_df(p->data, work, z, f, df) == RITT_OK);
    same_bits(c, r->f, (size_t)r->k, &v, f, "f");
    same_bits(c, r->df.entry, entries(&p->df), &v, df, "df");
    CHECK(p->call.system(p->data, work, z, A, b) == RITT_OK);
    same_bits(c, r->A.entry, entries(&p->A), &v, A, "A");
    same_bits(c, r->b, (size_t)r->top_rows, &v, b, "b");
  }
  free(work), free(z), free(f), free(df), free(A), free(b), free(slot_of);
  completed_free(c);
}

/* Which part of a chain the entry of df in this row and column is in. */
static unsigned part_of(const ritti_problem *p, int row, int col) {
  if (row < p->constraints) return RITTI_PART_POSITIONS;
  if (row >= 2 * p->constraints) return RITTI_PART_REST;
  return col > p->positions ? RITTI_PART_VELOCITIES : RITTI_PART_REST;
}

/* Parts are what they are among all. */
static void test_parts(void) {
  char text[1000];
  snprintf(text, sizeof text, CHAIN, 100);
  completed *c = completed_text(text, "chain");
  ritti_reduced *r = c->reduced;
  ritti_problem *p = NULL;
  CHECK(r && ritti_problem_make(r, NULL, 0, c->arena, c->error, &p) == RITT_OK);
  CHECK(p->call.f_part && p->call.f_df_part && p->call.system_lower);
  size_t k = (size_t)p->k, n = entries(&p->df), a = entries(&p->A), tops = (size_t)p->tops;
  double *work = jets_memory(p->work_size, sizeof *work), *z = jets_memory((size_t)p->m, sizeof *z);
  double *all = jets_memory(2 * (k + n + a + tops), sizeof *all), *some = all + k + n + a + tops;
  p->work_init(p->data, work);
  for (int i = 0; i < p->m; i++) z[i] = r->z[i] + 0.1 * check_random();
  CHECK(p->call.f_df(p->data, work, z, all, all + k) == RITT_OK);
  CHECK(p->call.system(p->data, work, z, all + k + n, all + k + n + a) == RITT_OK);
  for (unsigned parts = 1; parts <= RITTI_PART_ALL; parts++) {
    for (size_t i = 0; i < k + n; i++) some[i] = 0;
    CHECK(p->call.f_df_part(p->data, work, z, parts, some, some + k) == RITT_OK);
    for (int i = 0; i < p->k; i++) {
      /* rows of D g count with their derivatives by velocities */
      unsigned own = part_of(p, i, p->m);
      CHECK(!(own & parts) || some[i] == all[i]);
      for (int e = p->df.start[i]; e < p->df.start[i + 1]; e++)
        CHECK(!(part_of(p, i, p->df.col[e]) & parts) || some[k + (size_t)e] == all[k + (size_t)e]);
    }
    for (size_t i = 0; i < k; i++) some[i] = 0;
    CHECK(p->call.f_part(p->data, work, z, parts, some) == RITT_OK);
    for (int i = 0; i < p->k; i++) CHECK(!(part_of(p, i, p->m) & parts) || some[i] == all[i]);
  }
  CHECK(p->call.system_lower(p->data, work, z, false, some, some + a) == RITT_OK);
  z[1] += 0.1, z[1 + p->positions] += 0.1;
  CHECK(p->call.system(p->data, work, z, all + k + n, all + k + n + a) == RITT_OK);
  CHECK(p->call.system_lower(p->data, work, z, true, some, some + a) == RITT_OK);
  for (int i = 0; i < p->A.rows; i++) {
    CHECK(some[a + (size_t)i] == all[k + n + a + (size_t)i]);
    for (int e = p->A.start[i]; e < p->A.start[i + 1]; e++)
      CHECK(p->A.col[e] > i || some[e] == all[k + n + (size_t)e]);
  }
  z[1] = INFINITY; /* in the first row of g, and of D g */
  CHECK(p->call.f_part(p->data, work, z, RITTI_PART_POSITIONS, some) == RITT_RETRY);
  CHECK(p->call.f_part(p->data, work, z, RITTI_PART_VELOCITIES, some) == RITT_RETRY);
  z[1] = 0, z[1 + p->positions] = NAN;
  CHECK(p->call.f_df_part(p->data, work, z, RITTI_PART_POSITIONS, some, some + k) == RITT_OK);
  CHECK(p->call.f_df_part(p->data, work, z, RITTI_PART_VELOCITIES, some, some + k) == RITT_RETRY);
  free(work), free(z), free(all);
  completed_free(c);
}

/* Code of the rows of f with their derivatives, for a chain of n bodies: plain instructions and
 * steps of kernels. */
static size_t code_of(int n, size_t *instances) {
  char text[1000];
  snprintf(text, sizeof text, CHAIN, n);
  completed *c = completed_text(text, "chain");
  ritti_layout *layout = NULL;
  ritti_tape tape;
  CHECK(c->reduced && ritti_layout_new(c->arena, c->reduced, &layout) == RITT_OK);
  CHECK(ritti_tape_record(layout, c->arena, c->reduced->f, (size_t)c->reduced->k, &tape) ==
        RITT_OK);
  size_t code = tape.count;
  *instances = 0;
  for (size_t i = 0; tape.kernels && i < tape.kernels->count; i++) {
    code += tape.kernels->at[i].steps;
    *instances += tape.kernels->at[i].count;
  }
  completed_free(c);
  return code;
}

static void test_size(void) {
  size_t few, many, small = code_of(300, &few), large = code_of(1200, &many);
  CHECK(few > 500 && many > 2300); /* of 2 (n - 1) rows */
  CHECK(large < 2 * small);
}

/* Every operation on many leaves: positive, negative, zero, and no number at all. */
static void test_operations(void) {
  enum { N = 520, MOST = 40 };
  completed *c =
      completed_text("model many\nparameter n = 520\nvariable x[1..n]\nequation\n"
                     "  for i in 1..n: x[i]' = -x[i]\nstart\n  for i in 1..n: x[i] = i/n\n"
                     "solve t = 0 .. 1\n",
                     "many");
  ritti_reduced *r = c->reduced;
  ritti_dag *dag = c->model->dag;
  ritti_layout *layout = NULL;
  ritti_tape tape;
  ritti_expr *root = jets_memory((MOST + 2) * N, sizeof *root);
  size_t count = 0;
  for (int op = RITTI_ADD; op < RITTI_OP_COUNT; op++) {
    if (op == RITTI_TABLE) continue;
    for (int i = 0; i < N && count < MOST * N; i++) {
      ritti_expr x = ritti_jet(dag, i, 0), y = ritti_jet(dag, (i + 1) % N, 0);
      bool two = op < RITTI_EXP || op >= RITTI_ATAN2;
      root[count++] = ritti_apply(dag, (ritti_op)op, (ritti_expr[]){x, y}, two ? 2 : 1);
    }
  }
  for (int i = 0; i < N && count + 4 < MOST * N; i++) {
    ritti_expr x = ritti_jet(dag, i, 0), y = ritti_jet(dag, (i + 2) % N, 0), pi = ritti_pi(dag);
    root[count++] =
        ritti_divide(dag, ritti_subtract(dag, x, pi), ritti_add(dag, y, ritti_number(dag, 7, 3)));
    root[count++] = ritti_power(dag, ritti_negate(dag, x), ritti_number(dag, 1, 2));
    root[count++] = x;
  }
  /* shapes that occur once, more of them than the table of shapes begins with; and one that is too
   * long for a kernel */
  for (int i = 0; i < N; i++)
    root[count++] = ritti_power(dag, ritti_jet(dag, i, 0), ritti_number(dag, 2 * i + 1, 3));
  ritti_expr nested = ritti_jet(dag, 0, 0);
  for (int i = 0; i < 500; i++) nested = ritti_apply(dag, RITTI_SIN, &nested, 1);
  root[count++] = nested;
  CHECK(r && ritti_layout_new(c->arena, r, &layout) == RITT_OK);
  CHECK(ritti_tape_record(layout, c->arena, root, count, &tape) == RITT_OK && tape.kernels);
  ritti_layout_finish(layout);
  double *row = jets_memory(ritti_layout_size(layout), sizeof *row),
         *z = jets_memory((size_t)r->m, sizeof *z);
  double *got = jets_memory(count, sizeof *got), *expected = jets_memory(count, sizeof *expected);
  ritti_layout_init(layout, row);
  slot_of = jets_memory(3 * N, sizeof *slot_of);
  for (int i = 0; i < 3 * N; i++) slot_of[i] = -1;
  for (int i = 1; i < r->m; i++) slot_of[3 * ritti_index_of(dag, r->coordinate[i])] = i;
  for (int i = 1; i < r->m; i++) z[i] = i % 7 == 0 ? 0 : i % 31 == 0 ? NAN : 2 * check_random();
  memcpy(row, z, (size_t)r->m * sizeof *z); /* coordinates come first */
  bound at = {r, z, NULL};
  ritti_values v = {z[0], value_of, &at, c->parameter, r->level, NULL};
  ritti_plan *plan;
  CHECK(ritti_plan_new(dag, root, count, &plan) == RITT_OK);
  ritti_plan_evaluate(plan, &v, expected);
  ritti_tape_run(&tape, row, got);
  size_t different = 0, none = 0;
  for (size_t i = 0; i < count; i++) {
    bool nan = isnan(expected[i]) && isnan(got[i]);
    different += !nan && memcmp(&expected[i], &got[i], sizeof *got) != 0;
    none += nan;
  }
  CHECK(different == 0);
  CHECK(none > count / 40 && none < count / 2);
  ritti_plan_free(plan);
  free(row), free(z), free(got), free(expected), free(root), free(slot_of);
  completed_free(c);
}

int main(void) {
  test_bits();
  test_parts();
  test_operations();
  test_size();
  return CHECKS_DONE();
}
