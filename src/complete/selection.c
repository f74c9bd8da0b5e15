/* The selection loop: absorb the equations, then differentiate what stands behind each condition.
 *
 * A condition is an echelon row whose pivot is among the lower jets. Its derivative must hold too,
 * so every row in its support is differentiated once more, unless the next derivative is selected
 * already or the equation is dead. When nothing is needed any more, the derivative of each
 * condition is implied by the selected rows, and differentiating the other rows brings new jets
 * only: the system is complete.
 */
#include "complete/selection.h"
#include <limits.h>
#include <stdlib.h>

enum { MOST_STAGES = 130, MOST_ORDER = 60 };

typedef struct selecting {
  ritti_backend *backend;
  ritti_arena *arena; /* of the result */
  ritti_arena *shelf; /* cleared after each elimination */
  int equations, variables;
  const int *top;
  RITTI_ARRAY(ritti_row_id) selected;
  RITTI_ARRAY(ritti_row_id) postponed;
  RITTI_ARRAY(ritti_dead) dead;
  int *dead_from; /* of each equation: the order from which on it is dead; INT_MAX: never */
  ritti_selection *out;
} selecting;

static int compare_rows(const void *a, const void *b) {
  const ritti_row_id *l = a, *r = b;
  if (l->order != r->order) return l->order < r->order ? -1 : 1;
  return (l->equation > r->equation) - (l->equation < r->equation);
}

static bool has_row(const ritti_row_id *row, size_t count, ritti_row_id wanted) {
  for (size_t i = 0; i < count; i++)
    if (row[i].equation == wanted.equation && row[i].order == wanted.order) return true;
  return false;
}

static void remove_row(ritti_row_id *row, size_t *count, ritti_row_id unwanted) {
  size_t kept = 0;
  for (size_t i = 0; i < *count; i++)
    if (row[i].equation != unwanted.equation || row[i].order != unwanted.order)
      row[kept++] = row[i];
  *count = kept;
}

/* Copies the rows in a support, itself (the last of them) left out. */
static ritt_status copy_support(selecting *s, const ritti_row_id *row, const ritti_echelon_row *e,
                                ritti_row_id itself, const ritti_row_id **out, int *count) {
  ritti_row_id *copy;
  RITTI_NEW(copy, s->arena, e->supports + 1);
  *count = 0;
  for (int i = 0; i < e->supports; i++) {
    ritti_row_id id = row[e->support[i]];
    if (id.equation != itself.equation || id.order != itself.order) copy[(*count)++] = id;
  }
  qsort(copy, (size_t)*count, sizeof *copy, compare_rows);
  *out = copy;
  return RITT_OK;
}

/* Equation follows from others from this order on. */
static ritt_status mark_dead(selecting *s, const ritti_row_id *row, const ritti_echelon_row *e,
                             ritti_row_id id) {
  ritti_dead dead = {.equation = id.equation, .order = id.order};
  if (s->dead_from[id.equation] <= id.order) return RITT_OK;
  RITT_TRY(copy_support(s, row, e, id, &dead.support, &dead.supports));
  s->dead_from[id.equation] = id.order;
  for (size_t i = 0; i < s->dead.count; i++)
    if (s->dead.at[i].equation == id.equation) {
      s->dead.at[i] = dead;
      return RITT_OK;
    }
  return RITTI_PUSH(s->dead, dead);
}

static ritt_status note_contradiction(selecting *s, const ritti_row_id *row,
                                      const ritti_echelon_row *e) {
  ritti_selection *out = s->out;
  out->verdict = RITTI_CONTRADICTION;
  RITTI_NEW(out->chain, s->arena, e->supports + 1);
  for (int i = 0; i < e->supports; i++) out->chain[i] = row[e->support[i]];
  out->chains = e->supports;
  qsort(out->chain, (size_t)out->chains, sizeof *out->chain, compare_rows);
  return RITT_OK;
}

/* Rows of the selection, then candidates, each part ascending; and their echelon form. */
typedef struct elimination {
  ritti_row_id *row;
  int count, kept; /* the first `kept` rows are selected ones */
  ritti_echelon_row *e;
} elimination;

static ritt_status eliminate_candidates(selecting *s, const ritti_row_id *candidate,
                                        size_t candidates, bool *open, elimination *E) {
  ritti_arena_clear(s->shelf);
  E->kept = (int)s->selected.count;
  E->count = E->kept + (int)candidates;
  RITTI_NEW(E->row, s->shelf, E->count + 1);
  RITTI_NEW(E->e, s->shelf, E->count + 1);
  if (E->kept) {
    qsort(s->selected.at, s->selected.count, sizeof *s->selected.at, compare_rows);
    memcpy(E->row, s->selected.at, s->selected.count * sizeof *E->row);
  }
  if (candidates) {
    memcpy(E->row + E->kept, candidate, candidates * sizeof *E->row);
    qsort(E->row + E->kept, candidates, sizeof *E->row, compare_rows);
  }
  return s->backend->echelon(s->backend->data, E->row, E->count, s->top, open, s->shelf, E->e);
}

/* Row i of the elimination depends on the others, and holds: an equation is dead. That of row i, unless
 * its coefficient in the combination is much smaller than the largest: such a row follows from the
 * others in principle only, and not at all where its coefficient vanishes. Then it is the row with the
 * largest coefficient. */
static ritt_status drop_row(selecting *s, const elimination *E, int i, bool *exchanged) {
  int strongest = E->e[i].strongest;
  ritti_row_id next = {E->row[strongest].equation, E->row[strongest].order + 1};
  *exchanged = strongest != i && !has_row(s->selected.at, s->selected.count, next);
  int dropped = *exchanged ? strongest : i;
  RITT_TRY(mark_dead(s, E->row, &E->e[i], E->row[dropped]));
  if (dropped < E->kept) remove_row(s->selected.at, &s->selected.count, E->row[dropped]);
  if (*exchanged && i >= E->kept) RITT_TRY(RITTI_PUSH(s->selected, E->row[i]));
  return RITT_OK;
}

/* A selected row whose gradient vanishes on the set of all: x*y = 0 where x = 0 has led to y = 0. It
 * does not follow from the others, which hold at points where it does not. */
static ritt_status postpone_vanished(selecting *s, ritti_row_id row) {
  s->out->verdict = RITTI_POSTPONED;
  RITTI_NEW(s->out->chain, s->arena, 1);
  s->out->chain[0] = row;
  s->out->chains = 1;
  return RITT_OK;
}

/* Rows first .. end - 1 of the elimination that have no pivot follow from the others, or contradict
 * them: one that is selected already has lost its pivot on a smaller set, or the point has moved so
 * far away that it seemed to hold. *exchanged: another row was dropped instead of one of them, so that
 * the elimination is no longer that of the selected rows. */
static ritt_status drop_dependent(selecting *s, const elimination *E, int first, int end,
                                  bool *exchanged) {
  *exchanged = false;
  for (int i = first; i < end; i++) {
    if (E->e[i].class != RITTI_NO_PIVOT) continue;
    if (E->e[i].value == RITTI_NOT_ZERO) return note_contradiction(s, E->row, &E->e[i]);
    if (E->e[i].value == RITTI_ZERO_UNKNOWN) return RITT_UNDECIDED;
    if (i < E->kept && E->e[i].supports == 1) return postpone_vanished(s, E->row[i]);
    RITT_TRY(drop_row(s, E, i, exchanged));
    if (*exchanged) return RITT_OK;
  }
  return RITT_OK;
}

/* Eliminates until no selected row is without a pivot; or there is a contradiction. */
static ritt_status eliminate_selected(selecting *s, const ritti_row_id *candidate,
                                      size_t candidates, bool *open, elimination *E) {
  bool exchanged = true;
  while (exchanged) {
    RITT_TRY(eliminate_candidates(s, candidate, candidates, open, E));
    RITT_TRY(drop_dependent(s, E, 0, E->kept, &exchanged));
  }
  return RITT_OK;
}

/* Adds the rows and moves the point onto all; *added = false: nothing has changed. */
static ritt_status add_rows(selecting *s, const ritti_row_id *row, size_t count, bool *added) {
  size_t before = s->selected.count;
  *added = true;
  for (size_t i = 0; i < count; i++) RITT_TRY(RITTI_PUSH(s->selected, row[i]));
  if (!s->backend->move) return RITT_OK;
  RITT_TRY(s->backend->move(s->backend->data, s->selected.at, (int)s->selected.count, (int)before,
                            added));
  if (!*added) s->selected.count = before;
  return RITT_OK;
}

/* One row after the other; those that cannot be satisfied are postponed. */
static ritt_status add_one_by_one(selecting *s, const ritti_row_id *row, size_t count) {
  for (size_t i = 0; i < count; i++) {
    elimination E;
    bool added;
    RITT_TRY(eliminate_candidates(s, &row[i], 1, NULL, &E));
    if (E.e[E.count - 1].class == RITTI_NO_PIVOT) continue; /* judged when the others are added */
    RITT_TRY(add_rows(s, &row[i], 1, &added));
    if (!added) RITT_TRY(RITTI_PUSH(s->postponed, row[i]));
  }
  return RITT_OK;
}

/* Selects the independent rows among the candidates. The array is used up. */
static ritt_status absorb_rows(selecting *s, ritti_row_id *candidate, size_t count) {
  while (count > 0) {
    elimination E;
    ritti_row_id *independent;
    size_t found = 0;
    bool added = true, exchanged;
    RITT_TRY(eliminate_selected(s, candidate, count, NULL, &E));
    if (s->out->verdict != RITTI_SELECTED) return RITT_OK;
    RITTI_NEW(independent, s->arena, count);
    for (int i = E.kept; i < E.count; i++)
      if (E.e[i].class != RITTI_NO_PIVOT) independent[found++] = E.row[i];
    if (found > 0) RITT_TRY(add_rows(s, independent, found, &added));
    else RITT_TRY(drop_dependent(s, &E, E.kept, E.count, &exchanged));
    if (s->out->verdict != RITTI_SELECTED) return RITT_OK;
    if (!added && found == 1) RITT_TRY(RITTI_PUSH(s->postponed, independent[0]));
    if (!added && found > 1) RITT_TRY(add_one_by_one(s, independent, found));
    size_t left = 0;
    for (size_t i = 0; i < count; i++)
      if (!has_row(s->selected.at, s->selected.count, candidate[i]) &&
          !has_row(s->postponed.at, s->postponed.count, candidate[i]) &&
          s->dead_from[candidate[i].equation] > candidate[i].order)
        candidate[left++] = candidate[i];
    count = left;
  }
  return RITT_OK;
}

/* Rows that the supports of the conditions ask for. */
static ritt_status find_needed(selecting *s, const elimination *E, ritti_row_id *need,
                               size_t *count) {
  bool *asked;
  int most = MOST_ORDER + 2;
  RITTI_NEW(asked, s->shelf, s->equations * most + 1);
  *count = 0;
  for (int i = 0; i < E->count; i++) asked[E->row[i].equation * most + E->row[i].order] = true;
  for (size_t i = 0; i < s->postponed.count; i++)
    asked[s->postponed.at[i].equation * most + s->postponed.at[i].order] = true;
  for (int i = 0; i < E->count; i++) {
    if (E->e[i].class != RITTI_LOWER) continue;
    for (int k = 0; k < E->e[i].supports; k++) {
      ritti_row_id id = E->row[E->e[i].support[k]];
      id.order++;
      if (s->dead_from[id.equation] <= id.order || asked[id.equation * most + id.order]) continue;
      asked[id.equation * most + id.order] = true;
      need[(*count)++] = id;
    }
  }
  return RITT_OK;
}

static ritt_status give_up(selecting *s, bool endless, const char *reason) {
  s->out->verdict = RITTI_UNDECIDABLE;
  s->out->reason = reason;
  s->out->endless = endless;
  return reason ? RITT_OK : RITT_NO_MEMORY;
}

/* What is left at the end: the postponed rows once more. *moved: one of them was selected. */
static ritt_status retry_postponed(selecting *s, bool *moved) {
  size_t count = s->postponed.count, before = s->selected.count, dead = s->dead.count;
  ritti_row_id *row;
  RITTI_NEW(row, s->arena, count + 1);
  memcpy(row, s->postponed.at, count * sizeof *row);
  s->postponed.count = 0;
  RITT_TRY(absorb_rows(s, row, count));
  *moved = s->selected.count != before || s->dead.count != dead;
  if (*moved || s->out->verdict != RITTI_SELECTED) return RITT_OK;
  s->out->verdict = RITTI_POSTPONED;
  RITTI_NEW(s->out->chain, s->arena, s->postponed.count + 1);
  memcpy(s->out->chain, s->postponed.at, s->postponed.count * sizeof *s->out->chain);
  s->out->chains = (int)s->postponed.count;
  return RITT_OK;
}

/* The selected rows, their echelon form and the counts. */
static ritt_status take_result(selecting *s, const elimination *E) {
  ritti_selection *out = s->out;
  int lower = 0;
  RITTI_NEW(out->row, s->arena, E->count + 1);
  RITTI_NEW(out->echelon, s->arena, E->count + 1);
  for (int i = 0; i < E->count; i++) {
    int *support;
    if (E->e[i].class == RITTI_NO_PIVOT) continue;
    out->row[out->rows] = E->row[i];
    out->echelon[out->rows] = E->e[i];
    out->pivots[E->e[i].class]++;
    if (E->e[i].support) {
      RITTI_NEW(support, s->arena, E->e[i].supports + 1);
      memcpy(support, E->e[i].support, (size_t)E->e[i].supports * sizeof *support);
      out->echelon[out->rows].support = support;
    }
    out->rows++;
  }
  for (int v = 0; v < s->variables; v++) lower += s->top[v];
  out->free_values = lower - out->pivots[RITTI_LOWER];
  out->opens = s->variables - out->pivots[RITTI_TOP];
  RITTI_NEW(out->dead, s->arena, s->dead.count + 1);
  if (s->dead.count) memcpy(out->dead, s->dead.at, s->dead.count * sizeof *out->dead);
  out->deads = (int)s->dead.count;
  return RITT_OK;
}

/* Absorbs the candidates, then differentiates what stands behind each condition until nothing is
 * needed any more. */
static ritt_status run_stages(selecting *s, ritti_row_id *candidate, size_t candidates) {
  ritti_row_id *need;
  size_t count;
  RITTI_NEW(need, s->arena, s->equations * (MOST_ORDER + 2) + 1);
  RITTI_NEW(s->out->open, s->arena, s->variables + 1);
  RITT_TRY(absorb_rows(s, candidate, candidates));
  for (int stage = 0; stage < MOST_STAGES; stage++) {
    elimination E;
    bool moved = false;
    if (s->out->verdict != RITTI_SELECTED) return RITT_OK;
    RITT_TRY(eliminate_selected(s, NULL, 0, s->out->open, &E));
    if (s->out->verdict != RITTI_SELECTED) return RITT_OK;
    RITT_TRY(find_needed(s, &E, need, &count));
    if (count == 0 && s->postponed.count > 0) {
      RITT_TRY(retry_postponed(s, &moved));
      continue;
    }
    if (count == 0) return take_result(s, &E);
    for (size_t i = 0; i < count; i++)
      if (need[i].order > MOST_ORDER)
        return give_up(s, true,
                       ritti_arena_format(s->arena,
                                          "equation %d would have to be differentiated "
                                          "more than %d times",
                                          need[i].equation + 1, MOST_ORDER));
    RITT_TRY(absorb_rows(s, need, count));
  }
  return give_up(
      s, true,
      ritti_arena_format(s->arena, "the completion did not end in %d stages", MOST_STAGES));
}

/* Begins with the rows and the dead equations of an earlier selection; NULL: with none. */
static ritt_status begin_selecting(selecting *s, const ritti_selection *earlier) {
  s->shelf = ritti_arena_new();
  if (!s->shelf) return RITT_NO_MEMORY;
  RITTI_NEW(s->dead_from, s->arena, s->equations + 1);
  for (int i = 0; i < s->equations; i++) s->dead_from[i] = INT_MAX;
  for (int i = 0; earlier && i < earlier->rows; i++)
    RITT_TRY(RITTI_PUSH(s->selected, earlier->row[i]));
  for (int i = 0; earlier && i < earlier->deads; i++) {
    RITT_TRY(RITTI_PUSH(s->dead, earlier->dead[i]));
    s->dead_from[earlier->dead[i].equation] = earlier->dead[i].order;
  }
  return RITT_OK;
}

static void end_selecting(selecting *s) {
  RITTI_ARRAY_FREE(s->selected);
  RITTI_ARRAY_FREE(s->postponed);
  RITTI_ARRAY_FREE(s->dead);
  ritti_arena_free(s->shelf);
}

ritt_status ritti_select(ritti_backend *backend, int equations, int variables, const int *top,
                         int skip, ritti_arena *arena, ritti_selection *out) {
  selecting s = {.backend = backend,
                 .arena = arena,
                 .equations = equations,
                 .variables = variables,
                 .top = top,
                 .out = out};
  ritti_row_id *row;
  size_t rows = 0;
  *out = (ritti_selection){.verdict = RITTI_SELECTED};
  RITTI_NEW(row, arena, equations + 1);
  for (int i = 0; i < equations; i++)
    if (i != skip) row[rows++] = (ritti_row_id){i, 0};
  ritt_status status = begin_selecting(&s, NULL);
  if (status == RITT_OK) status = run_stages(&s, row, rows);
  if (status == RITT_UNDECIDED)
    status =
        give_up(&s, false, ritti_arena_format(arena, "%s", backend->reason ? backend->reason : ""));
  end_selecting(&s);
  return status;
}

ritt_status ritti_select_further(ritti_backend *backend, int equations, int variables,
                                 const int *top, int equation, ritti_arena *arena,
                                 ritti_selection *selection) {
  const ritti_selection before = *selection;
  selecting s = {.backend = backend,
                 .arena = arena,
                 .equations = equations,
                 .variables = variables,
                 .top = top,
                 .out = selection};
  ritti_row_id row = {equation, 0};
  *selection = (ritti_selection){.verdict = RITTI_SELECTED};
  ritt_status status = begin_selecting(&s, &before);
  if (status == RITT_OK) status = run_stages(&s, &row, 1);
  if (status == RITT_UNDECIDED)
    status =
        give_up(&s, false, ritti_arena_format(arena, "%s", backend->reason ? backend->reason : ""));
  end_selecting(&s);
  return status;
}

/* How many derivatives of z the equations and their derivatives up to order K determine. */
static ritt_status count_determined(selecting *s, int K, const int *top, int *determined) {
  ritti_row_id *row;
  ritti_echelon_row *e;
  int count = s->equations * (K + 1);
  ritti_arena_clear(s->shelf);
  RITTI_NEW(row, s->shelf, count + 1);
  RITTI_NEW(e, s->shelf, count + 1);
  for (int i = 0; i < count; i++) row[i] = (ritti_row_id){i % s->equations, i / s->equations};
  RITT_TRY(s->backend->echelon(s->backend->data, row, count, top, NULL, s->shelf, e));
  *determined = 0;
  for (int i = 0; i < count; i++) *determined += e[i].class == RITTI_TOP;
  return RITT_OK;
}

static ritt_status find_index(selecting *s, const bool *open, int most, int *index) {
  int wanted = 0, determined, *top;
  ritti_row_id *row;
  RITTI_NEW(top, s->arena, s->variables + 1);
  RITTI_NEW(row, s->arena, s->equations + 1);
  for (int v = 0; v < s->variables; v++) {
    top[v] = s->top[v] > 1 ? s->top[v] : 1;
    if (open[v]) top[v] = -1;
    else wanted++;
  }
  for (int K = 0; K <= most; K++) {
    size_t count = 0;
    for (int i = 0; i < s->equations; i++) {
      ritti_row_id id = {i, K};
      if (s->dead_from[i] > K && !has_row(s->selected.at, s->selected.count, id)) row[count++] = id;
    }
    RITT_TRY(absorb_rows(s, row, count));
    if (s->postponed.count > 0 || s->out->verdict != RITTI_SELECTED) return RITT_OK;
    RITT_TRY(count_determined(s, K, top, &determined));
    if (determined < wanted) continue;
    *index = K;
    return RITT_OK;
  }
  return RITT_OK;
}

ritt_status ritti_select_index(ritti_backend *backend, int equations, int variables, const int *top,
                               const ritti_selection *selection, int most, ritti_arena *arena,
                               int *index) {
  ritti_selection scratch = {.verdict = RITTI_SELECTED};
  selecting s = {.backend = backend,
                 .arena = arena,
                 .equations = equations,
                 .variables = variables,
                 .top = top,
                 .out = &scratch};
  *index = RITT_UNKNOWN;
  backend->settled = selection->row;
  backend->settleds = selection->rows;
  ritt_status status = begin_selecting(&s, selection);
  if (status == RITT_OK) status = find_index(&s, selection->open, most, index);
  backend->settleds = 0;
  end_selecting(&s);
  return status == RITT_UNDECIDED ? RITT_OK : status;
}
