/* A table has as many derivatives as its degree; a completion that needs more of them is refused.
 * So is a start outside of a table of the independent variable. */
#include "complete/complete_impl.h"

static const ritti_table *table_of(const ritti_completion *C, ritti_expr e) {
  if (ritti_op_of(C->dag, e) != RITTI_TABLE) return NULL;
  return ritti_dag_tables(C->dag)[ritti_table_of_code(ritti_table_code_of(C->dag, e))];
}

ritt_status ritti_check_table_start(ritti_completion *C) {
  const ritti_model *m = C->model;
  for (int i = 0; ritti_dag_tables(C->dag) && i < m->equations; i++) {
    ritti_nodes nodes;
    const ritti_table *outside = NULL;
    RITT_TRY(ritti_nodes_below(C->dag, &m->equation[i].residual, 1, &nodes));
    for (size_t k = 0; k < nodes.count && !outside; k++) {
      const ritti_table *t = table_of(C, nodes.at[k]);
      bool of_x =
          t && ritti_op_of(C->dag, ritti_argument(C->dag, nodes.at[k], 0)) == RITTI_INDEPENDENT;
      if (of_x && !ritti_table_has(t, m->start_x)) outside = t;
    }
    ritti_free(nodes.at);
    if (!outside) continue;
    C->check->verdict = "undecided";
    return ritti_fail(
        C->error, RITT_WRONG_MODEL, m->start_place.line ? &m->start_place : &m->equation[i].place,
        "start between them, or give the table more rows",
        "the start is at %s = %.6g, but the table '%s' goes from %.6g to %.6g", m->independent,
        m->start_x, outside->name, outside->knot[0], outside->knot[outside->pieces]);
  }
  return RITT_OK;
}

static ritt_status look_below(ritti_completion *C, const ritti_expr *roots, int count) {
  ritti_nodes nodes;
  ritt_status status = RITT_OK;
  if (count == 0) return RITT_OK;
  RITT_TRY(ritti_nodes_below(C->dag, roots, (size_t)count, &nodes));
  for (size_t i = 0; i < nodes.count && status == RITT_OK; i++) {
    const ritti_table *t = table_of(C, nodes.at[i]);
    int order = t ? ritti_table_order(ritti_table_code_of(C->dag, nodes.at[i])) : 0;
    if (!t || order >= RITTI_TABLE_SLOPE || order <= t->degree) continue;
    C->check->verdict = "undecided";
    status = ritti_fail(C->error, RITT_WRONG_MODEL, &t->place,
                        ritti_arena_format(C->arena, "write 'degree %d' after it", order | 1),
                        "the system needs derivative %d of the table '%s', a spline of degree %d",
                        order, t->name, t->degree);
  }
  ritti_free(nodes.at);
  return status;
}

ritt_status ritti_check_tables(ritti_completion *C, const ritti_reduced *R) {
  if (!ritti_dag_tables(C->dag)) return RITT_OK;
  RITT_TRY(look_below(C, R->f, R->k));
  return look_below(C, R->top_row, R->top_rows);
}
