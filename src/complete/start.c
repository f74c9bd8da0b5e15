/* The start point: from what the user typed to a point that satisfies every equation, hidden ones included.
 *
 * In: start values, '=' to be kept, '~' guesses, the rest free. Out: values of all jets up to the tops. The
 * rules: keep everything typed if the free jets can carry it; else move the guesses, as little as possible;
 * else move kept values that were typed with 5 or more digits within half a unit of their last one; else the
 * values clash, and the message says which, in which equation, by how much. The independent variable never
 * moves.
 */
#include <stdio.h>
#include "complete/complete_impl.h"

/* Jets that were not given follow freely; the larger, the fewer iterations until only the guesses count. */
static const double LOOSE = 1e4;

static double scale_of(const ritti_completion *C, int variable) {
  double scale = C->model->variable[variable].scale;
  return scale > 0 ? scale : 1;
}

ritt_status ritti_all_rows(ritti_completion *C, bool with_invariants, ritti_rows_system *out) {
  int count = 0;
  ritti_expr *rows;
  RITTI_NEW(rows, C->arena, C->rows + C->n + C->model->invariants + 1);
  for (int i = 0; i < C->rows; i++) rows[count++] = C->row[i];
  for (int i = 0; i < C->n; i++) rows[count++] = C->top_row[i];
  for (int i = 0; with_invariants && i < C->model->invariants; i++)
    if (C->model->invariant[i].value != RITTI_NIL) rows[count++] = C->given[i];
  return ritti_rows_make(C, rows, count, out);
}

static ritti_origin origin_of_row(const ritti_completion *C, int row) {
  if (row < C->rows) return C->origin[row];
  if (row < C->rows + C->n) return C->top_origin[row - C->rows];
  row -= C->rows + C->n;
  for (int i = 0; i < C->model->invariants; i++)
    if (C->model->invariant[i].value != RITTI_NIL && row-- == 0)
      return (ritti_origin){.equation = -1, .invariant = i};
  return (ritti_origin){.equation = -1, .invariant = -1};
}

static const ritti_start_def *typed(const ritti_completion *C, int variable, int order) {
  for (int i = 0; i < C->model->starts; i++)
    if (C->model->start[i].variable == variable && C->model->start[i].order == order)
      return &C->model->start[i];
  return NULL;
}

/* What may move in an attempt. */
typedef enum { KEEP_TYPED, MOVE_GUESSES, MOVE_ROUNDED } attempt;

/* Values as typed (0 where not given), the freedom of every jet, and which are loose: those not given. */
static void set_up(const ritti_completion *C, attempt what, double *point, double *freedom, bool *loose) {
  for (int j = 0; j < C->n; j++)
    for (int k = 0; k <= C->d[j]; k++) {
      const ritti_start_def *def = typed(C, j, k);
      double scale = scale_of(C, j), *move = &freedom[C->first[j] + k];
      point[C->first[j] + k] = def ? def->number : 0;
      loose[C->first[j] + k] = !def;
      if (!def) *move = LOOSE * scale;
      else if (!def->fixed) *move = what == KEEP_TYPED ? 0 : scale;
      else *move = what == MOVE_ROUNDED ? def->half_unit * 1e-3 : 0;
    }
}

/* ---- when it fails ---------------------------------------------------------------------------------------
 */

/* "x = 1 and y' = 0.5": the kept values in a row's jets. *last: the last of them (for the hint). */
static int add_kept(const ritti_completion *C, const ritti_rows_system *S, int row, ritti_text *out,
                    const ritti_start_def **first, const ritti_start_def **last) {
  int count = 0, seen = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < C->model->starts; i++) {
      const ritti_start_def *def = &C->model->start[i];
      int jet = ritti_jet_number(C, def->variable, def->order);
      bool here = false;
      for (int e = S->start[row]; e < S->start[row + 1]; e++) here = here || S->col[e] == jet;
      if (!here || !def->fixed) continue;
      if (pass == 0) {
        count++;
        continue;
      }
      if (seen == 0) *first = def;
      *last = def;
      ritti_text_add(out, "%s%s", seen == 0 ? "" : seen == count - 1 ? " and " : ", ", def->text);
      seen++;
    }
  return count;
}

/* "y' ~ 0.5" from "y' = 0.5" */
static void add_relaxed(ritti_text *out, const ritti_start_def *def) {
  const char *sign = strchr(def->text, '=');
  if (!sign) return;
  ritti_text_add_bytes(out, def->text, (size_t)(sign - def->text));
  ritti_text_add(out, "~%s", sign + 1);
}

/* The row as the user knows it, and what it leaves. */
static ritt_status say_clash(ritti_completion *C, const ritti_rows_system *S, int row) {
  ritti_origin origin = origin_of_row(C, row);
  const ritti_start_def *first = NULL, *last = NULL;
  ritti_text kept = {0}, hint = {0};
  int count = add_kept(C, S, row, &kept, &first, &last);
  const char *name = ritti_origin_text(C->arena, C->model, origin);
  const char *text =
      origin.equation >= 0 && origin.order == 0 ? ritti_show_equation(C, origin.equation) : NULL;
  const ritti_place *place = first ? &first->place : &C->model->start_place;
  ritt_status status = RITT_NO_MEMORY;
  if (count > 0 && name) {
    ritti_text_add(&hint, "write ");
    add_relaxed(&hint, last);
    if (first != last) ritti_text_add(&hint, " or "), add_relaxed(&hint, first);
    status = ritti_fail(C->error, RITT_WRONG_MODEL, place, hint.at,
                        "the start values clash: %s %s kept, but %s%s%s leaves %.3g", kept.at ? kept.at : "",
                        count == 1   ? "is"
                        : count == 2 ? "are both"
                                     : "are all",
                        name, text ? ", " : "", text ? text : "", S->value[row]);
  } else if (name) {
    status = ritti_fail(C->error, RITT_WRONG_MODEL, place, "give start values nearer to a solution, with '~'",
                        "no start point was found: %s%s%s is left at %.3g", name, text ? ", " : "",
                        text ? text : "", S->value[row]);
  }
  ritti_text_free(&kept);
  ritti_text_free(&hint);
  return status;
}

/* The row that is worst in units of its own terms; among like ones the least differentiated. */
static int worst_row(const ritti_completion *C, const ritti_rows_system *S, const double *point) {
  int worst = 0;
  double most = -1;
  for (int i = 0; i < S->rows; i++) {
    double size = 0;
    for (int e = S->start[i]; e < S->start[i + 1]; e++)
      size += fabs(S->value[S->rows + e]) * fmax(fabs(point[S->col[e]]), 1);
    double r = size > 0 ? fabs(S->value[i]) / size : fabs(S->value[i]);
    r /= 1 + 10 * origin_of_row(C, i).order;
    if (r > most) most = r, worst = i;
  }
  return worst;
}

/* A function has no value at the start: name it. */
static ritt_status say_no_value(ritti_completion *C, const ritti_rows_system *S) {
  ritti_expr culprit = ritti_plan_culprit(S->plan);
  const ritti_place *place = &C->model->start_place;
  for (int i = 0; i < C->n && culprit != RITTI_NIL; i++)
    if (ritti_depends_on(C->dag, C->residual[i], culprit)) {
      place = &C->model->equation[i].place;
      break;
    }
  return ritti_fail(C->error, RITT_WRONG_MODEL, place, "give start values where the equations have a value",
                    "%s has no value at the start point",
                    culprit == RITTI_NIL ? "an equation" : ritti_show(C, culprit));
}

/* ---- the attempts
 * ------------------------------------------------------------------------------------------- */

static bool within_half_units(const ritti_completion *C, const double *point) {
  for (int i = 0; i < C->model->starts; i++) {
    const ritti_start_def *def = &C->model->start[i];
    int jet = ritti_jet_number(C, def->variable, def->order);
    if (def->fixed && fabs(point[jet] - def->number) > def->half_unit * (1 + 1e-9)) return false;
  }
  return true;
}

static ritt_status report_moved(ritti_completion *C) {
  ritt_moved *moved;
  RITTI_NEW(moved, C->arena, C->model->starts + 1);
  C->check->moved = moved;
  for (int i = 0; i < C->model->starts; i++) {
    const ritti_start_def *def = &C->model->start[i];
    double used = C->point[ritti_jet_number(C, def->variable, def->order)];
    if (used == def->number) continue;
    const char *name = ritti_show_jet(C, def->variable, def->order);
    if (!name) return RITT_NO_MEMORY;
    moved[C->check->moved_count++] = (ritt_moved){.name = name, .typed = def->number, .used = used};
  }
  return RITT_OK;
}

/* Guesses that moved by no more than rounding stay where they were typed, if the rest can carry that. */
static ritt_status settle(ritti_completion *C, ritti_rows_system *S, const double *freedom, const bool *loose) {
  double *point, *kept;
  bool reached, any = false;
  RITTI_NEW(point, C->arena, C->jets + 1);
  RITTI_NEW(kept, C->arena, C->jets + 1);
  memcpy(point, C->point, (size_t)C->jets * sizeof *point);
  memcpy(kept, freedom, (size_t)C->jets * sizeof *kept);
  for (int i = 0; i < C->model->starts; i++) {
    const ritti_start_def *def = &C->model->start[i];
    int jet = ritti_jet_number(C, def->variable, def->order);
    if (fabs(point[jet] - def->number) > 1e-14 * fmax(fabs(def->number), 1e-3 * scale_of(C, def->variable)))
      continue;
    any = any || point[jet] != def->number;
    point[jet] = def->number;
    kept[jet] = 0;
  }
  if (!any) return RITT_OK;
  RITT_TRY(ritti_newton(C, S, kept, loose, point, &reached));
  if (reached) memcpy(C->point, point, (size_t)C->jets * sizeof *point);
  return RITT_OK;
}

ritt_status ritti_find_start(ritti_completion *C) {
  ritti_rows_system S = {0};
  double *freedom;
  bool reached = false, *loose;
  RITTI_NEW(freedom, C->arena, C->jets + 1);
  RITTI_NEW(loose, C->arena, C->jets + 1);
  ritt_status status = ritti_all_rows(C, true, &S);
  for (attempt what = KEEP_TYPED; status == RITT_OK && !reached && what <= MOVE_ROUNDED; what++) {
    set_up(C, what, C->point, freedom, loose);
    status = ritti_newton(C, &S, freedom, loose, C->point, &reached);
    if (reached && what == MOVE_ROUNDED && !within_half_units(C, C->point)) reached = false;
    if (reached && what != KEEP_TYPED) status = settle(C, &S, freedom, loose);
  }
  if (status == RITT_OK && !reached) {
    set_up(C, MOVE_GUESSES, C->point, freedom, loose);
    status = ritti_newton(C, &S, freedom, loose, C->point, &reached);
    if (status == RITT_OK)
      status = ritti_rows_evaluate(C, &S, C->point) ? say_clash(C, &S, worst_row(C, &S, C->point))
                                                    : say_no_value(C, &S);
  }
  ritti_rows_clear(&S);
  RITT_TRY(status);
  return report_moved(C);
}

ritt_status ritti_generic_point(ritti_completion *C, ritti_rows_system *equations, int number, double *point,
                                bool *reached) {
  double *freedom;
  RITTI_NEW(freedom, C->arena, C->jets + 1);
  for (double far = 0.3; far > 1e-4; far /= 4) {
    /* a fixed quasi-random shift: fractional parts of multiples of the golden ratio */
    for (int j = 0; j < C->n; j++)
      for (int k = 0; k <= C->d[j]; k++) {
        int i = C->first[j] + k;
        double r = fmod((i + 1) * 0.6180339887498949 + number * 0.7548776662466927, 1) * 2 - 1;
        freedom[i] = fmax(fabs(C->point[i]), scale_of(C, j));
        point[i] = C->point[i] + far * r * freedom[i];
      }
    RITT_TRY(ritti_newton(C, equations, freedom, NULL, point, reached));
    if (*reached) return RITT_OK;
  }
  return RITT_OK;
}
