/* From the equations to the reduced problem, pass by pass: structure, rows, start point, checks, reduction.
 *
 * The fast path takes square systems whose system Jacobian is regular at the start point (prolong.c), the
 * general path all others (general.c). What neither takes is refused with the reason.
 */
#include "complete/complete_impl.h"

static ritt_status set_up_invariants(ritti_completion *C) {
  const ritti_model *model = C->model;
  RITTI_NEW(C->given, C->arena, model->invariants + 1);
  RITTI_NEW(C->level, C->arena, model->invariants + 1);
  RITTI_NEW(C->level_invariant, C->arena, model->invariants + 1);
  for (int i = 0; i < model->invariants; i++) {
    ritti_expr value = model->invariant[i].value;
    if (value == RITTI_NIL) {
      value = ritti_level(C->dag, C->levels);
      C->level_invariant[C->levels++] = i;
    }
    C->given[i] = ritti_subtract(C->dag, model->invariant[i].expr, value);
  }
  return ritti_dag_status(C->dag);
}

static ritt_status take_levels(ritti_completion *C) {
  ritti_at at = {C, C->point};
  ritti_values values = ritti_values_at(&at);
  for (int l = 0; l < C->levels; l++)
    RITT_TRY(ritti_dag_evaluate(C->dag, C->model->invariant[C->level_invariant[l]].expr, &values,
                                &C->level[l]));
  return RITT_OK;
}

/* The rows with the invariants, the start point, the levels. */
ritt_status ritti_take_start(ritti_completion *C) {
  RITT_TRY(set_up_invariants(C));
  RITT_TRY(ritti_find_start(C));
  return take_levels(C);
}

/* The fast path found no start: is that the user's values, or the structure? The values, if some
 * other point of the manifold exists where the tops are determined. */
static ritt_status blame_values(ritti_completion *C, bool *values) {
  ritti_rows_system S = {0};
  double *point, condition;
  bool reached = false;
  *values = false;
  RITTI_NEW(point, C->arena, C->jets + 1);
  ritt_status status = ritti_all_rows(C, false, &S);
  for (int number = 1; number <= 3 && status == RITT_OK && !*values; number++) {
    status = ritti_generic_point(C, &S, number, point, &reached);
    if (status == RITT_OK && reached) status = ritti_full_rank(C, point, values, &condition);
  }
  return status;
}

/* Pryce's way. prolonged: offsets and stages are known. *taken: it applies; what went wrong then is in
 * C->error. */
static ritt_status fast_path(ritti_completion *C, bool prolonged, bool *taken) {
  ritt_error *listener = C->error, *own = ritt_error_new();
  *taken = false;
  if (!own) return RITT_NO_MEMORY;
  C->error = own;
  C->trial = true;
  ritt_status status = prolonged ? RITT_OK : ritti_prolong_all(C);
  bool too_often = status == RITT_UNDECIDED;
  if (status == RITT_OK) status = ritti_list_rows(C);
  if (status == RITT_OK) status = ritti_take_start(C);
  if (status == RITT_OK) *taken = C->full_at_start || C->leaves_singular_tops;
  else if (status != RITT_NO_MEMORY && !too_often) {
    ritt_status blame = blame_values(C, taken);
    if (blame != RITT_OK) status = blame;
  }
  C->trial = false;
  C->error = listener;
  if (*taken) ritti_error_move(listener, own);
  else if (status != RITT_NO_MEMORY) status = RITT_OK;
  ritt_error_free(own);
  return status;
}

/* The general path. *known: the rows are known. *regular: they determine the highest derivatives at
 * the start. */
static ritt_status general_path(ritti_completion *C, const ritt_check *before, bool *known,
                                bool *regular) {
  double condition;
  *known = *regular = false;
  *C->check = *before;
  C->levels = C->pivots = C->rows = C->top_rows = C->prolongations = C->dependents = 0;
  C->raised = C->implicit = C->own_line = false;
  RITTI_NEW(C->d, C->arena, C->n + 1);
  RITTI_NEW(C->first, C->arena, C->n + 1);
  RITTI_NEW(C->non_unique, C->arena, C->n + 1);
  ritti_marks_restart(C);
  RITT_TRY(ritti_complete_general(C));
  *known = true;
  RITT_TRY(ritti_take_start(C));
  return ritti_full_rank(C, C->point, regular, &condition);
}

/* The general path once more, decided near the start. *taken: the result is regular there, and C
 * holds it. */
static ritt_status retry_near_start(ritti_completion *C, const ritt_check *before, bool *taken) {
  ritti_completion near = *C;
  ritt_check report;
  bool known;
  near.near_start = true;
  near.check = &report;
  near.error = ritt_error_new();
  if (!near.error) return RITT_NO_MEMORY;
  ritt_status status = general_path(&near, before, &known, taken);
  /* at the start itself a coefficient may vanish that makes another system of it: x*y'' + y' + x*y = 0
   * at x = 0 */
  *taken = *taken && near.dof == C->dof;
  ritt_error_free(near.error);
  near.error = C->error;
  near.check = C->check;

  /* plans and marks belong to both */
  C->memo = near.memo;
  C->marks = near.marks;
  ritti_marks_restart(C);
  if (*taken) {
    *C = near;
    *C->check = report;
  }
  return status == RITT_NO_MEMORY ? status : RITT_OK;
}

/* The rows of the general path are made by an elimination whose pivots are chosen at a generic
 * point. If no start is found on these rows, or if they are singular there, such a pivot may vanish
 * at the start; pivots that are chosen near the start do not. */
static ritt_status complete_generally(ritti_completion *C, const ritt_check *before) {
  ritt_error *listener = C->error, *own = ritt_error_new();
  bool known, regular, taken = false;
  if (!own) return RITT_NO_MEMORY;
  C->error = own;
  ritt_status status = general_path(C, before, &known, &regular);
  if (known && !regular && status != RITT_NO_MEMORY) {
    ritt_status again = retry_near_start(C, before, &taken);
    if (taken || again != RITT_OK) status = again;
  }
  C->error = listener;
  if (!taken) ritti_error_move(listener, own);
  ritt_error_free(own);
  return status;
}

/* The fast path without differentiating nonlinear rows for the tops once more. C->fast: it applies
 * and has a start point. *prolonged: the rows are linear, and they are known; otherwise nothing has
 * changed, and the rows are to be made linear. */
static ritt_status try_implicit(ritti_completion *C, const ritt_check *before, bool *prolonged) {
  ritt_error *listener = C->error, *own = ritt_error_new();
  if (!own) return RITT_NO_MEMORY;
  C->error = own;
  ritt_status status = ritti_prolong_all(C);
  *prolonged = status == RITT_OK && !C->implicit;
  if (status == RITT_OK && C->implicit) status = fast_path(C, true, &C->fast);
  C->error = listener;
  C->fast = C->fast && status == RITT_OK && C->implicit;
  if (C->fast && !C->leaves_singular_tops) {
    int vanishing = -1;
    status = ritti_find_vanishing(C, true, &vanishing);
    C->fast = status == RITT_OK && vanishing < 0;
  }
  C->may_be_implicit = C->fast;
  if (C->fast) ritti_error_move(listener, own);
  else *C->check = *before;
  ritt_error_free(own);
  return status == RITT_NO_MEMORY ? status : RITT_OK;
}

/* The general path near the start, whose rows must be regular there. */
static ritt_status choose_rows(ritti_completion *C, const ritt_check *before) {
  bool known, regular;
  C->near_start = true;
  RITT_TRY(general_path(C, before, &known, &regular));
  return regular ? RITT_OK : RITT_UNDECIDED;
}

static ritt_status find_rows(ritti_completion *C) {
  ritt_check before;
  bool perfect = false, prolonged = false;
  RITT_TRY(ritti_find_structure(C));
  before = *C->check;
  if (C->model->choose_rows) return choose_rows(C, &before);
  if (C->model->equations == C->model->variables)
    RITT_TRY(ritti_assign(&C->sigma, C->arena, C->equation_of, C->variable_of, &perfect));
  if (perfect && C->may_be_implicit) RITT_TRY(try_implicit(C, &before, &prolonged));
  if (perfect && !C->fast) RITT_TRY(fast_path(C, prolonged, &C->fast));
  if (C->fast) {
    for (int j = 0; j < C->n; j++) C->dof += C->d[j] - C->c[j];
    C->check->degrees_of_freedom = C->dof;
    RITT_TRY(ritti_confirm_fast(C, &C->fast));
  }
  return C->fast ? RITT_OK : complete_generally(C, &before);
}

ritt_status ritti_run_passes(ritti_completion *C, ritti_reduced **out) {
  RITT_TRY(ritti_check_table_start(C));
  RITT_TRY(find_rows(C));
  RITT_TRY(ritti_check_gradients(C));
  RITT_TRY(ritti_check_start(C));
  RITT_TRY(ritti_check_invariants(C));
  RITT_TRY(ritti_reduce(C, out));
  RITT_TRY(ritti_check_tables(C, *out));
  RITT_TRY(ritti_offer_invariants(C));
  C->check->verdict = "determined";
  return RITT_OK;
}

ritt_status ritti_involutive(ritti_completion *C) {
  ritt_status status = ritti_find_structure(C);
  if (status == RITT_OK) status = ritti_complete_classical(C);
  ritti_completion_clear(C);
  return status;
}
