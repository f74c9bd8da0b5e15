/* The decision: a completed selection of rows at a generic point, or the reason why there is none.
 */
#ifndef RITTI_DECIDE_H
#define RITTI_DECIDE_H

#include "complete/linear.h"
#include "complete/precise.h"

typedef struct ritti_decision {
  ritti_selection selection;
  ritti_backend *backend; /* which has decided, for further questions; NULL: nothing was reached */
  ritti_linear *linear;   /* everything is linear with constant coefficients; NULL: it is not */
  ritti_precise *precise; /* the point of the selection; NULL: there is none */
  bool proved;            /* contradiction: the chain is linear, so it holds everywhere */
  bool elsewhere;         /* the point is on another branch than that of the guesses */
  int digits;
  long effort; /* of Newton's method, at all points */
} ritti_decision;

/* Decides about C->residual. top: the highest order of each variable, or more. Fills everything
 * but the report. Free with ritti_decision_clear. */
ritt_status ritti_decide(ritti_completion *C, const int *top, ritti_decision *out) RITT_USE;
/* The same at points, even if everything is linear. */
ritt_status ritti_decide_at_points(ritti_completion *C, const int *top,
                                   ritti_decision *out) RITT_USE;
void ritti_decision_clear(ritti_decision *decision);
/* Does the gradient of the equation vanish where the equation holds? */
ritt_status ritti_decide_gradient(ritti_completion *C, int equation, bool *vanishes) RITT_USE;

/* What ritti_same_at_start and ritti_carry_to_start need later. */
ritt_status ritti_remember_selection(ritti_completion *C, const int *top,
                                     const ritti_decision *decision) RITT_USE;

/* owners.c: names the dependent equations that belong to parts, connections and nodes. */
ritt_status ritti_name_dependent_parts(ritti_completion *C, const ritti_selection *S) RITT_USE;

/* index.c: the highest order of each variable in the equations; raises order[]. */
void ritti_find_orders(const ritti_completion *C, int *order);
/* index.c: free values in the jets below max(order, 1), by the equations as written or by the
 * selected rows; `left_out` (NULL: none) are variables that do not count. */
ritt_status ritti_count_allowed(ritti_completion *C, const ritti_decision *decision, bool written,
                                const bool *left_out, int *allowed) RITT_USE;
/* index.c: fills check->index and hidden_constraints. */
ritt_status ritti_count_index(ritti_completion *C, const ritti_decision *decision) RITT_USE;

#endif
