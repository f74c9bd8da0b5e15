/* Kernels: a chain of many bodies is evaluated by code that does not grow with its length, to the bits of a plan. */
#include "eval/eval.h"
#include "jets.h"

#define CHAIN                                                                                                \
  "model chain\nparameter n = %d, c = 10\nvariable x[1..n], y[1..n]\n"                                       \
  "lagrangian sum(i in 1..n, (x[i]'^2 + y[i]'^2)/2 - c*y[i] - sin(x[i])*exp(-y[i]^2))\n"                     \
  "constraint\n  for i in 1..n-1: (x[i] - x[i+1])^2 + (y[i] - y[i+1])^2 = 1\n"                               \
  "start t = 0\n  for i in 1..n: x[i] = i/2\n  for i in 1..n: y[i] = sqrt(3)/2*mod(i, 2)\n"                  \
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
    CHECK(p->f_df(p->data, work, z, f, df) == RITT_OK);
    same_bits(c, r->f, (size_t)r->k, &v, f, "f");
    same_bits(c, r->df.entry, entries(&p->df), &v, df, "df");
    CHECK(p->system(p->data, work, z, A, b) == RITT_OK);
    same_bits(c, r->A.entry, entries(&p->A), &v, A, "A");
    same_bits(c, r->b, (size_t)r->top_rows, &v, b, "b");
  }
  free(work), free(z), free(f), free(df), free(A), free(b), free(slot_of);
  completed_free(c);
}

/* Code of the rows of f with their derivatives, for a chain of n bodies: plain instructions and steps of kernels. */
static size_t code_of(int n, size_t *instances) {
  char text[1000];
  snprintf(text, sizeof text, CHAIN, n);
  completed *c = completed_text(text, "chain");
  ritti_layout *layout = NULL;
  ritti_tape tape;
  CHECK(c->reduced && ritti_layout_new(c->arena, c->reduced, &layout) == RITT_OK);
  CHECK(ritti_tape_record(layout, c->arena, c->reduced->f, (size_t)c->reduced->k, &tape) == RITT_OK);
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

int main(void) {
  test_bits();
  test_size();
  return CHECKS_DONE();
}
