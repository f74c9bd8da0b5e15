/* Values of functions against numbers of 100 digits (mpmath 1.3.0, 400 bits), each as a sum of three doubles: in doubles
 * to the last two units, in quadruple precision to the last two of those. */
#include "check.h"
#include "expr/quad.h"

static const struct {
  ritti_op op;
  double a, b, high, middle, low;
} known[] = {
    {RITTI_ERF, 0x1.0000000000000p-4, 0, 0x1.207d480e90658p-4, 0x1.4c35c43362a08p-58,
     -0x1.4a6fe2d67f56cp-115},
    {RITTI_ERF, 0x1.0000000000000p-1, 0, 0x1.0a7ef5c18edd2p-1, 0x1.5e809f1a31a28p-56,
     -0x1.5acf7dea484ecp-110},
    {RITTI_ERF, -0x1.4000000000000p+0, 0, -0x1.d8865d98abe01p-1, 0x1.fcec4afb974d9p-55,
     -0x1.66957e331fe07p-111},
    {RITTI_ERF, 0x1.8000000000000p+1, 0, 0x1.fffd1ac4135f9p-1, 0x1.eeafa1ecd6cefp-55,
     0x1.65eb7726cf411p-109},
    {RITTI_ERF, 0x1.6000000000000p+2, 0, 0x1.fffffffffffbep-1, -0x1.182b326b228dcp-55,
     0x1.742d89d470e5ep-109},
    {RITTI_ERFC, -0x1.0000000000000p+1, 0, 0x1.fecd70a13caf2p+0, -0x1.9a35ff9bed197p-54,
     -0x1.82217e823d511p-109},
    {RITTI_ERFC, 0x1.0000000000000p-2, 0, 0x1.728558ee694fcp-1, -0x1.208b6f02df46ap-55,
     -0x1.816adb2b745e2p-109},
    {RITTI_ERFC, 0x1.8000000000000p+0, 0, 0x1.15aaa8ec85205p-5, -0x1.e86ee834da4cep-61,
     0x1.a51f65d7a8a62p-115},
    {RITTI_ERFC, 0x1.0000000000000p+2, 0, 0x1.08ddd13bd35e7p-26, -0x1.615db40319381p-80,
     -0x1.d72b51ccfc97cp-134},
    {RITTI_ERFC, 0x1.4000000000000p+4, 0, 0x1.b54f244df93dfp-583, -0x1.6cb7adc235f07p-637,
     0x1.ad4287fdf9a47p-692},
    {RITTI_LOG2, 0x1.3333333333333p-2, 0, -0x1.bca9c6f53897bp+0, 0x1.f36687ebb3140p-54,
     0x1.88b79453f367bp-108},
    {RITTI_LOG2, 0x1.0040000000000p+0, 0, 0x1.712653743f454p-10, 0x1.fa9f94392637bp-66,
     -0x1.192a289616340p-121},
    {RITTI_LOG2, 0x1.4000000000000p+3, 0, 0x1.a934f0979a371p+1, 0x1.7f2495fb7fa6dp-53,
     0x1.fb699b2d8abfcp-107},
    {RITTI_LOG2, 0x1.7e43c8800759cp+996, 0, 0x1.f24a09f1a8b89p+9, -0x1.1ca4ec9a5578dp-46,
     -0x1.3b2c9d92886c6p-101},
    {RITTI_LOG10, 0x1.3333333333333p-2, 0, -0x1.0bb6c34d81502p-1, 0x1.7d48cb6bd6285p-55,
     -0x1.52b70f8ac549ap-110},
    {RITTI_LOG10, 0x1.0040000000000p+0, 0, 0x1.bc80239e5b560p-12, -0x1.9c8bf9b759e25p-68,
     0x1.501f7c3041bfbp-122},
    {RITTI_LOG10, 0x1.0000000000000p+1, 0, 0x1.34413509f79ffp-2, -0x1.9dc1da994fd21p-59,
     0x1.22f04d5a618a8p-114},
    {RITTI_LOG10, 0x1.56e1fc2f8f359p-997, 0, -0x1.2c00000000000p+8, 0x1.9183449324080p-57,
     0x1.1561ea4030d86p-111},
    {RITTI_CBRT, -0x1.4000000000000p+3, 0, -0x1.13c484138704fp+1, 0x1.abaee946d90b0p-54,
     -0x1.233e7fa91197ep-108},
    {RITTI_CBRT, 0x1.6666666666666p-1, 0, 0x1.c69b5a72f1a99p-1, 0x1.935f6a1147becp-55,
     0x1.5505a4bbc70ecp-110},
    {RITTI_CBRT, 0x1.0000000000000p+1, 0, 0x1.428a2f98d728bp+0, -0x1.ddc22548ea41ep-56,
     0x1.43430a23c40a4p-110},
    {RITTI_CBRT, 0x1.56e1fc2f8f359p-997, 0, 0x1.bff2ee48e0530p-333, -0x1.77ae4ca2af9e3p-389,
     0x1.c880fe2ff2a9fp-443},
    {RITTI_HYPOT, 0x1.0000000000000p+0, 0x1.0000000000000p+1, 0x1.1e3779b97f4a8p+1,
     -0x1.f506319fcfd19p-54, 0x1.b906821044ed8p-108},
    {RITTI_HYPOT, -0x1.3333333333333p-2, 0x1.0624dd2f1a9fcp-10, 0x1.3333a30c3c5b7p-2,
     0x1.181ac7467722bp-56, -0x1.ef5d0caefae2bp-110},
    {RITTI_HYPOT, 0x1.4e718d7d7625ap+664, -0x1.4e718d7d7625ap+664, 0x1.d8f9811335b57p+664,
     -0x1.bc422ea05fb67p+609, 0x1.78de108c258fap+555},
    {RITTI_HYPOT, 0x1.8000000000000p+1, 0x1.999999999999ap-4, 0x1.80369921c2886p+1,
     0x1.9c839dd321e7ep-53, 0x1.1b90249cf2f98p-108},
};

/* switches: exactly, next to their jumps and where numbers have no digits behind the point */
static const struct {
  ritti_op op;
  double a, value;
} whole[] = {
    {RITTI_FLOOR, 0x1.fffffffffffffp0, 1},
    {RITTI_FLOOR, -0x1p-1074, -1},
    {RITTI_CEIL, 0x1.0000000000001p0, 2},
    {RITTI_CEIL, -0x1.fffffffffffffp0, -1},
    {RITTI_ROUND, 0x1.fffffffffffffp-2, 0},
    {RITTI_ROUND, 2.5, 3},
    {RITTI_ROUND, -2.5, -3},
    {RITTI_ROUND, 0x1.0000000000001p52, 0x1.0000000000001p52},
};

static ritti_quad jet(const void *context, int variable, int order) {
  (void)order;
  return ((const double *)context)[variable];
}

static ritti_quad quad_value(ritti_op op, const double *at) {
  ritti_dag *dag = ritti_dag_new();
  ritti_expr u[] = {ritti_jet(dag, 0, 0), ritti_jet(dag, 1, 0)};
  ritti_expr e = ritti_apply(dag, op, u, (size_t)ritti_op_arguments[op]);
  ritti_quad_values values = {.jet = jet, .context = at};
  ritti_quad_plan *plan;
  ritti_quad out = 0;
  CHECK(ritti_quad_plan_new(dag, &e, 1, &plan) == RITT_OK);
  ritti_quad_plan_evaluate(plan, &values, &out, NULL);
  ritti_quad_plan_free(plan);
  ritti_dag_free(dag);
  return out;
}

int main(void) {
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    ritti_quad exact = (ritti_quad)known[i].high + known[i].middle + known[i].low;
    double value = ritti_op_value(known[i].op, known[i].a, known[i].b);
    ritti_quad fine = quad_value(known[i].op, (double[]){known[i].a, known[i].b});
    bool good = fabs(value - known[i].high) <= 0x1p-51 * fabs(known[i].high);
    bool fine_good = fabsq(fine - exact) <= 2 * RITTI_QUAD_EPS * fabsq(exact);
    CHECK(good && fine_good);
    if (!good || !fine_good)
      printf("%s(%g, %g): %a, not %a; off by %g in quadruple precision\n",
             ritti_op_text[known[i].op], known[i].a, known[i].b, value, known[i].high,
             (double)((fine - exact) / exact));
  }
  for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
    CHECK(ritti_op_value(whole[i].op, whole[i].a, 0) == whole[i].value);
    CHECK(quad_value(whole[i].op, (double[]){whole[i].a, 0}) == (ritti_quad)whole[i].value);
  }
  return CHECKS_DONE();
}
