/* Private: from a decision to the rows of the completed system. */
#ifndef RITTI_PRODUCT_IMPL_H
#define RITTI_PRODUCT_IMPL_H

#include "complete/decide.h"
#include "complete/precise_impl.h"

/* Fills C->row, C->top_row, their origins, C->d and C->raised; C->d holds the least orders. */
ritt_status ritti_make_product(ritti_completion *C, const ritti_decision *decision) RITT_USE;
/* The involutive form in the jets up to C->d: C->row. */
ritt_status ritti_make_classical(ritti_completion *C, const ritti_decision *decision) RITT_USE;

#endif
