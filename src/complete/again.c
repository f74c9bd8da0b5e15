/* The completion of a model whose numbers have changed.
 *
 * In: a completion by the fast path, whose form did not depend on the values of parameters, and other
 * values of parameters and start values. Out: the new start point in the same reduced system, with
 * the same bits as a completion of its own would have; or the answer that this is not certain.
 *
 * The rows of the fast path follow from the jets in the equations and from nothing else. So it is
 * enough that all jets are still there, that the matrix of the tops is clearly regular at the new
 * start, that no row vanishes there, that the invariants are invariants, and that the signs and
 * symmetries by which the reduced system was written are the same. In all doubtful cases the answer is
 * that it is not certain.
 */
#include "complete/complete_impl.h"

/* Clearly regular: a matrix whose condition number is at most this. */
static const double GOOD_CONDITION = 1e6;

typedef struct ritti_kept {
  ritti_completion C;
  ritti_plan *entries; /* of A, for the holonomic kind; NULL: another kind */
} ritti_kept;

static void free_kept(void *data) {
  ritti_kept *K = data;
  ritti_completion_clear(&K->C);
  ritti_plan_free(K->entries);
}

ritt_status ritti_keep(ritti_completion *C, ritti_reduced *R) {
  ritti_kept *K = ritti_arena_alloc(C->arena, 1, sizeof *K);
  ritt_status status = K ? ritti_arena_at_end(C->arena, free_kept, K) : RITT_NO_MEMORY;
  if (status != RITT_OK) {
    ritti_completion_clear(C);
    return status;
  }
  K->C = *C;
  R->kept = K;
  if (R->kind != RITT_HOLONOMIC) return RITT_OK;
  return ritti_plan_new(C->dag, R->A.entry, (size_t)R->A.pattern.start[R->tops], &K->entries);
}

/* Do the derivatives of the equations by their jets clearly differ from 0 near the last start? Then
 * no jet has vanished with the new values. */
static ritt_status has_all_jets(ritti_completion *C, bool *yes) {
  static const double CLEARLY = 1e-10, NEAR = 1e-2;
  ritti_rows_system S;
  double *point;
  RITTI_NEW(point, C->arena, C->jets + 1);
  RITT_TRY(ritti_all_rows(C, true, &S));
  for (int j = 0; j < C->n; j++)
    for (int k = 0; k <= C->d[j]; k++)
      point[C->first[j] + k] = C->point[C->first[j] + k] + NEAR * ritti_shift(C, j, k, 1);
  *yes = ritti_rows_evaluate(C, &S, point);
  for (int i = 0; i < C->rows + C->top_rows && *yes; i++) {
    ritti_origin origin = i < C->rows ? C->origin[i] : C->top_origin[i - C->rows];
    double most = 0, least = INFINITY;
    if (origin.order > 0) continue;
    for (int e = S.start[i]; e < S.start[i + 1]; e++) {
      double size = fabs(S.value[S.rows + e]) * fmax(1, fabs(point[S.col[e]]));
      most = fmax(most, size);
      least = fmin(least, size);
    }
    *yes = least > CLEARLY * most;
  }
  return RITT_OK;
}

/* Puts the exact values into the equations. Are all jets still there, and are the equations used as
 * they are written? */
static ritt_status keeps_form(ritti_completion *C, bool *yes) {
  ritti_completion now = *C;
  ritti_expr *exact;
  bool keep = C->model->keep, has = false;
  RITTI_NEW(exact, C->arena, C->model->equations + 1);
  RITTI_NEW(now.residual, C->arena, C->model->equations + 1);
  for (int i = 0; i < C->model->equations; i++) now.residual[i] = C->model->equation[i].residual;
  C->model->keep = true;
  RITT_TRY(ritti_put_in_parameters(&now, exact));
  if (C->may_combine) RITT_TRY(ritti_has_long_number(C, exact, &has));
  *yes = C->model->keep && !has;
  C->model->keep = keep;
  return RITT_OK;
}

static ritt_status repeat_completion(ritti_completion *C, ritti_reduced *R, const ritti_kept *K,
                                     bool *same) {
  const ritti_model *model = C->model;
  bool full;
  double condition;
  *same = false;

  /* the numbers, and the jets in the equations */
  RITTI_NEW(C->parameter, C->arena, model->parameters + 1);
  for (int p = 0; p < model->parameters; p++) C->parameter[p] = model->parameter[p].number;
  if (!C->may_combine) RITT_TRY(has_all_jets(C, same));
  if (!*same) RITT_TRY(keeps_form(C, same));
  if (!*same) return RITT_OK;
  *same = false;
  RITT_TRY(ritti_find_jet_sizes(C));

  /* the start */
  C->levels = 0;
  double *point = C->point;
  RITTI_NEW(C->point, C->arena, C->jets + 1);
  RITT_TRY(ritti_take_start(C));
  RITT_TRY(ritti_full_rank(C, C->point, &full, &condition));
  if (!full || !(condition < GOOD_CONDITION)) return RITT_OK;
  for (int of_tops = 0; of_tops <= C->implicit; of_tops++) {
    int vanishing;
    RITT_TRY(ritti_find_vanishing(C, of_tops, &vanishing));
    if (vanishing >= 0) return RITT_OK;
  }

  /* the invariants */
  RITT_TRY(ritti_check_invariants(C));
  if (memcmp(C->given, K->C.given, (size_t)model->invariants * sizeof *C->given)) return RITT_OK;

  RITT_TRY(ritti_reduce_again(C, R, K->entries, same));
  if (*same) memcpy(point, C->point, (size_t)C->jets * sizeof *point);
  return RITT_OK;
}

ritt_status ritti_complete_again(ritti_reduced *R, bool *same) {
  ritti_kept *K = R->kept;
  ritt_check check = {0};
  *same = false;
  if (!K || R->model->start_x != K->C.x) return RITT_OK;
  ritti_completion C = K->C;
  C.arena = ritti_arena_new();
  C.error = ritt_error_new();
  C.check = &check;
  C.again = true;
  ritt_status status = C.arena && C.error ? repeat_completion(&C, R, K, same) : RITT_NO_MEMORY;
  if (status != RITT_OK) *same = false;

  /* plans and marks that were made now */
  ritti_rows_forget(&C, K->C.memo);
  K->C.marks = C.marks;
  ritt_error_free(C.error);
  ritti_arena_free(C.arena);
  return status == RITT_NO_MEMORY ? status : RITT_OK;
}
