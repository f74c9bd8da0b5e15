/* What is watched during a run: kinks of abs, sign, min, max in the equations, and the pivots of the
 * completion. */
#include "complete/complete_impl.h"

ritti_expr ritti_kink_argument(ritti_dag *dag, ritti_expr e) {
  switch (ritti_op_of(dag, e)) {
  case RITTI_ABS:
  case RITTI_WHEN:
  case RITTI_UNLESS:
  case RITTI_STEP:
  case RITTI_SIGN: return ritti_argument(dag, e, 0);
  case RITTI_MIN:
  case RITTI_MAX: return ritti_subtract(dag, ritti_argument(dag, e, 0), ritti_argument(dag, e, 1));
  default: return RITTI_NIL;
  }
}

/* constants of the run have no kinks */
static bool moves(const ritti_dag *dag, ritti_expr e) {
  ritti_nodes jets = {0}, x = {0};
  bool any = ritti_leaves(dag, e, RITTI_JET, &jets) == RITT_OK &&
             ritti_leaves(dag, e, RITTI_INDEPENDENT, &x) == RITT_OK && jets.count + x.count > 0;
  ritti_free(jets.at);
  ritti_free(x.at);
  return any;
}

static ritt_status add_kink(ritti_completion *C, ritti_reduced *R, int equation, ritti_expr node,
                            ritti_expr argument) {
  ritti_kink *more;
  ritti_expr opposite = ritti_negate(C->dag, argument);
  for (int i = 0; i < R->kinks; i++)
    if (R->kink[i].argument == argument || R->kink[i].argument == opposite) return RITT_OK;
  RITTI_NEW(more, C->arena, R->kinks + 1);
  if (R->kinks) memcpy(more, R->kink, (size_t)R->kinks * sizeof *more);
  const char *text = ritti_show(C, node);
  if (!text) return RITT_NO_MEMORY;
  more[R->kinks++] = (ritti_kink){.argument = argument, .text = text};
  if (equation >= 0) more[R->kinks - 1].place = C->model->equation[equation].place;
  R->kink = more;
  return RITT_OK;
}

/* The kinks in e, from an equation (-1: from a row derived from several). */
static ritt_status kinks_of(ritti_completion *C, ritti_reduced *R, int equation, ritti_expr e) {
  ritti_nodes nodes;
  RITT_TRY(ritti_nodes_below(C->dag, &e, 1, &nodes));
  ritt_status status = RITT_OK;
  for (size_t k = 0; k < nodes.count && status == RITT_OK; k++) {
    ritti_expr argument = ritti_kink_argument(C->dag, nodes.at[k]);
    if (argument != RITTI_NIL && moves(C->dag, argument))
      status = add_kink(C, R, equation, nodes.at[k], argument);
  }
  ritti_free(nodes.at);
  return status;
}

ritt_status ritti_find_kinks(ritti_completion *C, ritti_reduced *R) {
  for (int i = 0; i < C->model->equations; i++) RITT_TRY(kinks_of(C, R, i, C->residual[i]));
  for (int i = 0; i < R->k; i++) RITT_TRY(kinks_of(C, R, -1, R->f[i]));
  for (int i = 0; i < R->top_rows; i++) RITT_TRY(kinks_of(C, R, -1, R->top_row[i]));
  return RITT_OK;
}

/* Is one of the rows divided by e? */
static ritt_status divides(ritti_dag *dag, const ritti_expr *rows, int count, ritti_expr e, bool *yes) {
  ritti_nodes nodes;
  RITT_TRY(ritti_nodes_below(dag, rows, (size_t)count, &nodes));
  for (size_t i = 0; i < nodes.count && !*yes; i++) {
    if (ritti_op_of(dag, nodes.at[i]) != RITTI_POWER || ritti_argument(dag, nodes.at[i], 0) != e) continue;
    ritti_expr exponent = ritti_argument(dag, nodes.at[i], 1);
    *yes = ritti_op_of(dag, exponent) == RITTI_NUMBER && mpq_sgn(ritti_rational_of(dag, exponent)) < 0;
  }
  ritti_free(nodes.at);
  return RITT_OK;
}

ritt_status ritti_find_validity(ritti_completion *C, ritti_reduced *R) {
  for (int i = 0; i < C->pivots; i++) {
    bool yes = false;
    if (!moves(C->dag, C->pivot[i])) continue;
    RITT_TRY(divides(C->dag, R->f, R->k, C->pivot[i], &yes));
    RITT_TRY(divides(C->dag, R->top_row, R->top_rows, C->pivot[i], &yes));
    if (!yes) continue;
    int before = R->kinks;
    RITT_TRY(add_kink(C, R, 0, C->pivot[i], C->pivot[i]));
    R->validities += R->kinks - before;
  }
  return RITT_OK;
}
