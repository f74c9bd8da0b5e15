/* Private to src/solve. */
#ifndef RITTI_SOLVE_IMPL_H
#define RITTI_SOLVE_IMPL_H

#include "solve/solve.h"

/* control.c */
ritt_real ritti_control_error(ritti_solver *solver); /* of the step just taken, in units of the tolerance */
ritt_real ritti_control_factor(const ritti_solver *solver, ritt_real err); /* h_new / h */
ritt_status ritti_control_first_step(ritti_solver *solver, ritt_real length, ritt_real *h) RITT_USE;
void ritti_control_metric(ritti_solver *solver); /* the metric for the next step */

/* trouble.c: sentences for what stops a run */
ritt_status ritti_stop_small_step(ritti_solver *solver, ritt_error *error);
ritt_status ritti_stop_steps(ritti_solver *solver, ritt_real end, ritt_error *error);
ritt_status ritti_stop_kink(ritti_solver *solver, int monitor, ritt_real s, ritt_error *error);
ritt_status ritti_stop_start(ritti_solver *solver, ritt_error *error);

#endif
