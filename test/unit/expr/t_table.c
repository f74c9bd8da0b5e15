/* Tables in expressions: derivatives, and the same values by plans, in quadruple precision and as
 * power series. */
#include "check.h"
#include "expr/quad.h"
#include "expr/series.h"

static ritti_dag *dag;
static ritti_table table;

static double jet(const void *context, int variable, int order) {
  (void)context;
  return variable == 0 && order == 0 ? 0.3 : order == 1 ? 1.5 : -0.25;
}
static ritti_quad quad_jet(const void *context, int variable, int order) {
  return (ritti_quad)jet(context, variable, order);
}

static double value(ritti_expr e) {
  ritti_values v = {.independent = 2.2, .jet = jet};
  double out = NAN;
  CHECK(ritti_dag_evaluate(dag, e, &v, &out) == RITT_OK);
  return out;
}

static double quad_value(ritti_expr e) {
  ritti_quad_values v = {.independent = (ritti_quad)2.2, .jet = quad_jet};
  ritti_quad out = 0;
  ritti_quad_plan *plan;
  CHECK(ritti_quad_plan_new(dag, &e, 1, &plan) == RITT_OK);
  ritti_quad_plan_evaluate(plan, &v, &out, NULL);
  ritti_quad_plan_free(plan);
  return (double)out;
}

/* x = 0.3 + 1.5 s - 0.25 s^2 / 2 at t = 2.2 + s */
static void series_jet(const void *context, int variable, int order, int n, double *w) {
  (void)context, (void)variable;
  double c[3] = {0.3, 1.5, -0.125};
  for (int k = 0; k < n; k++) w[k] = 0;
  for (int k = 0; k < n && k < 3; k++) w[k] = order == 0 ? c[k] : NAN;
}

int main(void) {
  ritti_arena *arena = ritti_arena_new();
  double x[20], y[20];
  char text[200];
  for (int i = 0; i < 20; i++) x[i] = 0.25 * i, y[i] = cos(x[i]);
  dag = ritti_dag_new();
  CHECK(ritti_table_make(x, y, 20, 5, RITTI_OUTSIDE_NOTHING, arena, &table) == RITT_OK);
  table.name = "V";
  int number = ritti_dag_add_table(dag, &table);
  CHECK(number == 0);
  ritti_expr t = ritti_independent(dag), q = ritti_jet(dag, 0, 0);
  ritti_expr u = ritti_add(dag, t, ritti_multiply(dag, q, q));
  ritti_expr f = ritti_table_at(dag, 0, 0, RITTI_TABLE_ANY, u);
  CHECK_NEAR(value(f), cos(2.29), 1e-5);
  /* the chain rule: V'(u) (1 + 2 x x') */
  ritti_expr df = ritti_dag_total(dag, f), ddf = ritti_dag_total(dag, df);
  const ritti_table *tables[] = {&table};
  double d1 = ritti_table_value(tables, ritti_table_code(0, 1, 0), 2.29);
  double d2 = ritti_table_value(tables, ritti_table_code(0, 2, 0), 2.29), slope = 1 + 2 * 0.3 * 1.5;
  CHECK_NEAR(value(df), d1 * slope, 1e-13);
  CHECK_NEAR(value(ddf), d2 * slope * slope + d1 * 2 * (1.5 * 1.5 + 0.3 * -0.25), 1e-12);
  CHECK_NEAR(quad_value(f), value(f), 1e-14);
  CHECK_NEAR(quad_value(ddf), value(ddf), 1e-12);
  /* the series of f has the derivatives */
  ritti_series_plan *plan;
  double w[4];
  ritti_series_values v = {.independent = 2.2, .jet = series_jet};
  CHECK(ritti_series_plan_new(dag, &f, 1, 4, &plan) == RITT_OK);
  ritti_series_plan_evaluate(plan, &v, 4, w);
  CHECK_NEAR(w[0], value(f), 1e-14);
  CHECK_NEAR(w[1], value(df), 1e-13);
  CHECK_NEAR(w[2], value(ddf) / 2, 1e-12);
  ritti_series_plan_free(plan);
  /* printed as a call, derivatives by the argument with primes */
  ritti_text out = {0};
  const char *const names[] = {"x"};
  ritti_names n = {.independent = "t", .variable = names};
  ritti_dag_print(dag, ritti_table_at(dag, 0, 2, 0, t), &n, &out);
  snprintf(text, sizeof text, "%s", out.at);
  CHECK_TEXT(text, "V''(t)");
  ritti_text_free(&out);
  /* outside there is no value */
  CHECK(isnan(value(ritti_table_at(dag, 0, 0, 0, ritti_number(dag, 5, 1)))));
  ritti_dag_free(dag);
  ritti_arena_free(arena);
  return CHECKS_DONE();
}
