/* Gram matrices of a Problem as native code. */
#ifndef RITTI_GRAM_H
#define RITTI_GRAM_H

#include "geometry/problem.h"

/* Functions ritt_form_KEY, 16 digits, for the matrices of src/geometry. */
ritt_status ritti_write_gram_kernels(const ritti_problem *problem, ritti_text *out) RITT_USE;

#endif
