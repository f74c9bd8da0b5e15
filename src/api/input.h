/* Inputs that the caller sets during a run: input.c. */
#ifndef RITTI_INPUT_H
#define RITTI_INPUT_H

#include "pipeline.h"

/* How many derivatives of the input the completed system holds: 0, 1 or 2. */
ritt_status ritti_input_derivatives(const ritti_reduced *reduced, const ritti_problem *problem,
                                    const ritti_input_def *input, int *derivatives) RITT_USE;
/* The first equation of the model that contains the input, in words. */
const char *ritti_input_equation(const ritti_model *model, const ritti_input_def *input,
                                 ritti_arena *arena);
/* Measures all inputs from x on. first: x0 and the parameters of the inputs. */
void ritti_inputs_shift(ritt_real *first, int inputs, ritt_real x);

#endif
