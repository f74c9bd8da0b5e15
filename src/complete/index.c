/* Differentiation index and hidden constraints, from ranks at the point of the decision.
 *
 * z = the jets of each variable below max(q, 1), q its highest order in the equations; variables
 * that are not unique are left out. index: fewest differentiations K of all equations after which
 * they determine z'. hidden constraints: free values that the equations as written leave, minus
 * those that there are. Neither is needed to solve anything.
 */
#include "complete/decide.h"

enum { MOST_UNKNOWNS = 500 };

void ritti_find_orders(const ritti_completion *C, int *order) {
  const ritti_signature *sigma = &C->sigma;
  for (int e = 0; e < sigma->start[C->model->equations]; e++)
    if (sigma->order[e] > order[sigma->var[e]]) order[sigma->var[e]] = sigma->order[e];
}

ritt_status ritti_count_allowed(ritti_completion *C, const ritti_decision *decision, bool written,
                                const bool *left_out, int *allowed) {
  ritti_backend *backend = decision->backend;
  const ritti_selection *S = &decision->selection;
  int count = written ? C->model->equations : S->rows, *top, *order;
  ritti_row_id *row;
  ritti_echelon_row *e;
  RITTI_NEW(row, C->arena, count + 1);
  RITTI_NEW(e, C->arena, count + 1);
  RITTI_NEW(top, C->arena, C->n + 1);
  RITTI_NEW(order, C->arena, C->n + 1);
  ritti_find_orders(C, order);
  *allowed = 0;
  for (int v = 0; v < C->n; v++) {
    top[v] = order[v] > 1 ? order[v] : 1;
    if (left_out && left_out[v]) top[v] = -1;
    else *allowed += top[v];
  }
  for (int i = 0; i < count; i++) row[i] = written ? (ritti_row_id){i, 0} : S->row[i];
  ritti_arena *arena = ritti_arena_new();
  if (!arena) return RITT_NO_MEMORY;
  ritt_status status = backend->echelon(backend->data, row, count, top, NULL, arena, e);
  ritti_arena_free(arena);
  for (int i = 0; i < count; i++) *allowed -= e[i].class == RITTI_LOWER;
  return status;
}

ritt_status ritti_count_index(ritti_completion *C, const ritti_decision *decision) {
  const ritti_selection *S = &decision->selection;
  int *order, allowed, most = 0;
  RITTI_NEW(order, C->arena, C->n + 1);
  ritti_find_orders(C, order);
  for (int i = 0; i < S->rows; i++)
    if (S->row[i].order > most) most = S->row[i].order;
  RITT_TRY(ritti_count_allowed(C, decision, true, S->open, &allowed));
  C->check->hidden_constraints = allowed - S->free_values;
  if (C->n > MOST_UNKNOWNS) return RITT_OK;
  return ritti_select_index(decision->backend, C->model->equations, C->n, order, S, most + 2,
                            C->arena, &C->check->index);
}

/* The fast path has found the rows by structure. The decision finds them another way: the free
 * values must be as many. *fast = false: the decision says otherwise, and it is the one that has
 * enough digits. */
static ritt_status confirm_fast(ritti_completion *C, const int *top, bool *fast) {
  ritti_decision decision = {0};
  RITT_TRY(ritti_decide(C, top, &decision));
  const ritti_selection *S = &decision.selection;
  ritt_status status = RITT_OK;
  if (S->verdict == RITTI_SELECTED) {
    *fast = S->free_values == C->dof && S->opens == 0;
    status = ritti_remember_selection(C, top, &decision);
    if (*fast && status == RITT_OK) status = ritti_count_index(C, &decision);
  }
  ritti_decision_clear(&decision);
  return status == RITT_UNDECIDED ? RITT_OK : status;
}

ritt_status ritti_confirm_fast(ritti_completion *C, bool *fast) {
  ritti_arena *arena = C->arena;
  ritti_row_id *selected;
  int *top;
  if (C->n > MOST_UNKNOWNS) return RITT_OK;
  RITTI_NEW(top, arena, C->n + 1);
  ritti_find_orders(C, top);

  /* everything but the selected rows is needed here only */
  C->arena = ritti_arena_new();
  ritt_status status = C->arena ? confirm_fast(C, top, fast) : RITT_NO_MEMORY;
  if (status == RITT_OK && C->selected) {
    selected = ritti_arena_alloc(arena, (size_t)C->selecteds + 1, sizeof *selected);
    if (selected) memcpy(selected, C->selected, (size_t)C->selecteds * sizeof *selected);
    else status = RITT_NO_MEMORY;
    C->selected = selected;
  }
  if (status == RITT_OK && C->generic) {
    double *generic = ritti_arena_alloc(arena, ritti_precise_kept(C), sizeof *generic);
    if (generic) memcpy(generic, C->generic, ritti_precise_kept(C) * sizeof *generic);
    else status = RITT_NO_MEMORY;
    C->generic = generic;
  }
  ritti_arena_free(C->arena);
  C->arena = arena;
  C->followings = 0;
  return status;
}
