/* What occurs in expressions: one pass over all of them, by their ids, instead of one for each
 * question. */
#include "complete/complete_impl.h"

static unsigned char mark_of(const ritti_completion *C, ritti_expr e) {
  unsigned char mark = 0;
  switch (ritti_op_of(C->dag, e)) {
  case RITTI_INDEPENDENT: return RITTI_MOVES;
  case RITTI_JET: {
    /* variables of another model, a limit's, may live in the same DAG */
    int j = ritti_index_of(C->dag, e);
    return RITTI_MOVES | (j < C->n && ritti_order_of(C->dag, e) >= C->d[j] ? RITTI_HAS_TOP : 0);
  }
  default: {
    ritti_op op = ritti_op_of(C->dag, e);
    for (size_t i = 0, n = ritti_argument_count(C->dag, e); i < n; i++) {
      /* a comparison is constant on each side of its surface */
      bool compares = i == 0 && ritti_compares_first(op);
      mark |= C->marks.of[ritti_argument(C->dag, e, i)] & (compares ? ~RITTI_HAS_TOP : ~0);
    }
    bool staircase = op == RITTI_FLOOR || op == RITTI_CEIL || op == RITTI_ROUND;
    if (staircase && mark & RITTI_HAS_TOP) mark |= RITTI_HAS_STAIRS;
    bool bends = op == RITTI_ABS || op == RITTI_MIN || op == RITTI_MAX;
    if (bends || ritti_compares_first(op)) mark |= RITTI_COMPARES;
    return mark;
  }
  }
}

static bool make_room(ritti_completion *C) {
  size_t count = ritti_dag_count(C->dag);
  if (count <= C->marks.room) return true;
  unsigned char *of = ritti_realloc(C->marks.of, count + count / 2);
  if (!of) return false;
  C->marks.of = of;
  C->marks.room = count + count / 2;
  return true;
}

void ritti_marks_restart(ritti_completion *C) { C->marks.count = 1; }

const unsigned char *ritti_marks(ritti_completion *C) {
  if (!make_room(C)) return NULL;
  if (C->marks.count == 0) ritti_marks_restart(C);
  for (size_t count = ritti_dag_count(C->dag); C->marks.count < count; C->marks.count++)
    C->marks.of[C->marks.count] = mark_of(C, (ritti_expr)C->marks.count);
  return C->marks.of;
}
