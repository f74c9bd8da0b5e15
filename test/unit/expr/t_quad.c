/* Quadruple precision: identities hold to 1e-32, numbers are exact, values agree with doubles. */
#include "check.h"
#include "expr/quad.h"

static ritti_quad jet(const void *context, int variable, int order) {
  const ritti_quad *z = context;
  return z[2 * variable + order];
}
static double jet_double(const void *context, int variable, int order) {
  const ritti_quad *z = context;
  return (double)z[2 * variable + order];
}

/* Every operation, at points of all signs: the value that doubles give, to their rounding; where
 * doubles have none, none. */
static void check_operations(void) {
  static const double at[] = {-1.5, -1, -0.25, 0, 0.25, 1, 1.5, 1.0 / 3, NAN};
  enum { POINTS = sizeof at / sizeof *at, MOST = 64 };
  ritti_dag *dag = ritti_dag_new();
  ritti_expr x = ritti_jet(dag, 0, 0), y = ritti_jet(dag, 0, 1), e[MOST];
  size_t count = 0;
  for (int op = RITTI_ADD; op < RITTI_OP_COUNT; op++) {
    if (op == RITTI_TABLE) continue;
    bool two = op < RITTI_EXP || op >= RITTI_ATAN2;
    e[count++] = ritti_apply(dag, (ritti_op)op, (ritti_expr[]){x, y}, two ? 2 : 1);
  }
  ritti_expr powers[] = {ritti_number(dag, -3, 1), ritti_number(dag, 3, 2),
                         ritti_number(dag, -1, 2), ritti_number(dag, 1, 3),
                         ritti_number(dag, 5, 1),  ritti_pi(dag)};
  for (size_t i = 0; i < sizeof powers / sizeof *powers; i++)
    e[count++] = ritti_power(dag, x, powers[i]);
  e[count++] = ritti_add(dag, ritti_independent(dag), ritti_parameter(dag, 0));
  e[count++] = ritti_multiply(dag, ritti_level(dag, 0), x);
  ritti_quad_plan *plan;
  ritti_plan *plain;
  CHECK(ritti_dag_status(dag) == RITT_OK);
  CHECK(ritti_quad_plan_new(dag, e, count, &plan) == RITT_OK &&
        ritti_plan_new(dag, e, count, &plain) == RITT_OK);
  for (int i = 0; i < POINTS; i++)
    for (int j = 0; j < POINTS; j++) {
      ritti_quad z[2] = {at[i], at[j]}, out[MOST], size[MOST], parameter[1] = {7}, level[1] = {3};
      double small[MOST], parameter_double[1] = {7}, level_double[1] = {3};
      ritti_quad_values q = {
          .independent = 2, .jet = jet, .context = z, .parameter = parameter, .level = level};
      ritti_values d = {.independent = 2,
                        .jet = jet_double,
                        .context = z,
                        .parameter = parameter_double,
                        .level = level_double};
      ritti_quad_plan_evaluate(plan, &q, out, size);
      ritti_plan_evaluate(plain, &d, small);
      for (size_t k = 0; k < count; k++) {
        double value = (double)out[k];
        bool same = isfinite(small[k]) ? fabs(value - small[k]) <= 4e-15 * (1 + fabs(small[k]))
                                       : !isfinite(value);
        CHECK(same);
        if (!same)
          printf("  expression %zu at %g, %g: %.17g, %.17g\n", k, at[i], at[j], value, small[k]);
        if (isfinite(value)) CHECK(!(size[k] < fabsq(out[k]) * 0.99));
      }
    }
  ritti_quad_plan_free(plan);
  ritti_plan_free(plain);
  ritti_dag_free(dag);
}

int main(void) {
  check_operations();
  ritti_dag *dag = ritti_dag_new();
  ritti_expr x = ritti_jet(dag, 0, 0), y = ritti_jet(dag, 0, 1), two = ritti_number(dag, 2, 1);
  ritti_expr third = ritti_number(dag, 1, 3), sine = ritti_apply(dag, RITTI_SIN, &x, 1),
             cosine = ritti_apply(dag, RITTI_COS, &x, 1);
  ritti_expr xy = ritti_multiply(dag, x, y),
             root = ritti_power(dag, ritti_add(dag, ritti_power(dag, x, two), two),
                                ritti_number(dag, 1, 2));
  ritti_expr e[6];
  e[0] = ritti_subtract(dag,
                        ritti_add(dag, ritti_power(dag, sine, two), ritti_power(dag, cosine, two)),
                        ritti_number(dag, 1, 1));
  /* (x/3)*3 - x, kept from folding by a product with y */
  e[1] = ritti_subtract(
      dag,
      ritti_multiply(dag, ritti_number(dag, 3, 1),
                     ritti_multiply(dag, ritti_add(dag, third, y), xy)),
      ritti_add(dag, xy, ritti_multiply(dag, ritti_number(dag, 3, 1), ritti_multiply(dag, y, xy))));
  /* (root + y)^2 - root^2 - 2 root y - y^2 */
  e[2] = ritti_sum(
      dag,
      (ritti_expr[]){ritti_power(dag, ritti_add(dag, root, y), two),
                     ritti_negate(dag, ritti_power(dag, root, two)),
                     ritti_multiply(dag, ritti_number(dag, -2, 1), ritti_multiply(dag, root, y)),
                     ritti_negate(dag, ritti_power(dag, y, two))},
      4);
  ritti_expr pi4 = ritti_divide(dag, ritti_pi(dag), ritti_number(dag, 4, 1));
  e[3] = ritti_subtract(dag, ritti_apply(dag, RITTI_TAN, &pi4, 1), ritti_number(dag, 1, 1));
  e[4] = ritti_divide(dag, root, ritti_power(dag, ritti_add(dag, y, two), ritti_number(dag, 3, 1)));
  e[5] = ritti_apply(dag, RITTI_ATAN2, (ritti_expr[]){x, y}, 2);
  ritti_quad_plan *plan;
  ritti_plan *plain;
  CHECK(ritti_dag_status(dag) == RITT_OK);
  CHECK(ritti_quad_plan_new(dag, e, 6, &plan) == RITT_OK);
  CHECK(ritti_plan_new(dag, e, 6, &plain) == RITT_OK);
  for (int test = 0; test < 100; test++) {
    ritti_quad z[2] = {check_random(), check_random()}, out[6], size[6];
    double small[6];
    z[0] += (ritti_quad)check_random() * 1e-20, z[1] /= 3;
    ritti_quad_values q = {.jet = jet, .context = z};
    ritti_values d = {.jet = jet_double, .context = z};
    ritti_quad_plan_evaluate(plan, &q, out, size);
    /* the sizes tell a cancelled zero from a small value */
    for (int i = 0; i < 4; i++)
      CHECK(size[i] > 0.01 * (i == 1 ? fabs((double)(z[0] * z[1])) : 1) && size[i] < 1e3);
    ritti_plan_evaluate(plain, &d, small);
    for (int i = 0; i < 4; i++) CHECK(fabs((double)out[i]) < 1e-32);
    for (int i = 4; i < 6; i++) CHECK_NEAR((double)out[i], small[i], 1e-14 * (1 + fabs(small[i])));
  }
  ritti_quad_plan_free(plan);
  ritti_plan_free(plain);
  ritti_dag_free(dag);
  return CHECKS_DONE();
}
