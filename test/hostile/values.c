/* For t_places.c: what the tapes of a problem give, where one of their numbers is to be none; and
 * what expressions give while a system is completed, where the jets in them have no values. */
#include <math.h>
#include "tape/eval_impl.h"
#include "expr/quad.h"
#include "expr/series.h"

bool is_no_number(void);
void __real_ritti_tape_execute(const ritti_tape *tape, ritt_real *row);
void __real_ritti_tape_execute_to(const ritti_tape *tape, ritt_real *row, size_t count,
                                  ritt_real *one, ritt_real *two);
void __wrap_ritti_tape_execute(const ritti_tape *tape, ritt_real *row);
void __wrap_ritti_tape_execute_to(const ritti_tape *tape, ritt_real *row, size_t count,
                                  ritt_real *one, ritt_real *two);

void __wrap_ritti_tape_execute(const ritti_tape *tape, ritt_real *row) {
  __real_ritti_tape_execute(tape, row);
  if (tape->count && is_no_number()) row[tape->code[tape->count - 1].out] = NAN;
}
void __wrap_ritti_tape_execute_to(const ritti_tape *tape, ritt_real *row, size_t count,
                                  ritt_real *one, ritt_real *two) {
  __real_ritti_tape_execute_to(tape, row, count, one, two);
  if (count && is_no_number()) one[0] = NAN;
}

static double no_jet(const void *context, int variable, int order) {
  (void)context, (void)variable, (void)order;
  return NAN;
}
static ritti_quad no_quad_jet(const void *context, int variable, int order) {
  return (ritti_quad)no_jet(context, variable, order);
}
static void no_series(const void *context, int variable, int order, int terms, double *out) {
  for (int i = 0; i < terms; i++) out[i] = no_jet(context, variable, order);
}
static void no_quad_series(const void *context, int variable, int order, int terms,
                           ritti_quad *out) {
  for (int i = 0; i < terms; i++) out[i] = no_quad_jet(context, variable, order);
}

void __real_ritti_plan_evaluate(const ritti_plan *plan, const ritti_values *values, double *out);
void __wrap_ritti_plan_evaluate(const ritti_plan *plan, const ritti_values *values, double *out);
void __wrap_ritti_plan_evaluate(const ritti_plan *plan, const ritti_values *values, double *out) {
  ritti_values own = *values;
  if (own.jet && is_no_number()) own.jet = no_jet;
  __real_ritti_plan_evaluate(plan, &own, out);
}
void __real_ritti_quad_plan_evaluate(ritti_quad_plan *plan, const ritti_quad_values *values,
                                     ritti_quad *out, ritti_quad *size);
void __wrap_ritti_quad_plan_evaluate(ritti_quad_plan *plan, const ritti_quad_values *values,
                                     ritti_quad *out, ritti_quad *size);
void __wrap_ritti_quad_plan_evaluate(ritti_quad_plan *plan, const ritti_quad_values *values,
                                     ritti_quad *out, ritti_quad *size) {
  ritti_quad_values own = *values;
  if (own.jet && is_no_number()) own.jet = no_quad_jet;
  __real_ritti_quad_plan_evaluate(plan, &own, out, size);
}
void __real_ritti_series_plan_evaluate(ritti_series_plan *plan, const ritti_series_values *values,
                                       int terms, double *out);
void __wrap_ritti_series_plan_evaluate(ritti_series_plan *plan, const ritti_series_values *values,
                                       int terms, double *out);
void __wrap_ritti_series_plan_evaluate(ritti_series_plan *plan, const ritti_series_values *values,
                                       int terms, double *out) {
  ritti_series_values own = *values;
  if (own.jet && is_no_number()) own.jet = no_series;
  __real_ritti_series_plan_evaluate(plan, &own, terms, out);
}
void __real_ritti_quad_series_plan_evaluate(ritti_quad_series_plan *plan,
                                            const ritti_quad_series_values *values, int terms,
                                            ritti_quad *out);
void __wrap_ritti_quad_series_plan_evaluate(ritti_quad_series_plan *plan,
                                            const ritti_quad_series_values *values, int terms,
                                            ritti_quad *out);
void __wrap_ritti_quad_series_plan_evaluate(ritti_quad_series_plan *plan,
                                            const ritti_quad_series_values *values, int terms,
                                            ritti_quad *out) {
  ritti_quad_series_values own = *values;
  if (own.jet && is_no_number()) own.jet = no_quad_series;
  __real_ritti_quad_series_plan_evaluate(plan, &own, terms, out);
}
