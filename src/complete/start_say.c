/* Why there is no start point: the values that clash, the equation they break, by how much, and
 * which to relax.
 *
 * In: a search that found nothing. A clash is looked for in four places: a row that kept jets alone
 * give; kept values of which one alone, set free, lets the search succeed (then the row is one
 * without which it succeeds too, so that the whole misfit shows in it); kept values of the highest
 * orders, set free together (those that move then clash: multipliers that somebody set to 0, say);
 * all kept values. Other failures are reported with the best residual of every equation
 * that is not satisfied.
 */
#include <stdio.h>
#include "complete/start_impl.h"

enum { MOST_VALUES = 6, MOST_TRIES = 12, LONGEST = 120 };

/* ---- rows in words ---- */

/* The equation as it stands in the file, where it stands on one line and is no family; else NULL.
 */
static const char *typed_equation(ritti_completion *C, const ritti_equation_def *def) {
  const char *at = def->place.source, *end, *equals;
  int depth = 0;
  if (!at || def->member) return NULL;
  for (int column = 1; column < def->place.column && *at; column++) do
      at++;
    while (((unsigned char)*at & 0xc0) == 0x80);
  end = at + strcspn(at, "#");
  while (end > at && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')) end--;
  equals = memchr(at, '=', (size_t)(end - at));
  const char *colon = memchr(at, ':', (size_t)(end - at));
  if (def->label && colon && colon < equals)
    for (at = colon + 1; *at == ' ' || *at == '\t'; at++) {}
  for (const char *c = at; c < end; c++)
    depth += *c == '(' || *c == '[' ? 1 : *c == ')' || *c == ']' ? -1 : 0;
  if (!equals || depth != 0 || end <= equals + 1 || strchr("+-*/^=,", end[-1])) return NULL;
  return ritti_arena_text(C->arena, at, (size_t)(end - at));
}

static const char *show_equation(ritti_completion *C, int equation) {
  const ritti_equation_def *def = &C->model->equation[equation];
  const char *typed = def->source ? NULL : typed_equation(C, def);
  return typed ? typed : ritti_show_equation(C, equation);
}

static const char *show_invariant(ritti_completion *C, int invariant) {
  const ritti_invariant_def *def = &C->model->invariant[invariant];
  const char *expr = ritti_show(C, def->expr), *value = ritti_show(C, def->value);
  if (!expr || !value) return NULL;
  return ritti_arena_format(C->arena, "the invariant %s%s%s = %s (%s)", def->name ? def->name : "",
                            def->name ? ": " : "", expr, value,
                            ritti_line_text(C->arena, C->model, &def->place));
}

/* "x + y = 0, a condition from equations 1 and 2 (lines 5, 6)," */
static const char *show_condition(ritti_start *W, int row, ritti_origin origin) {
  ritti_completion *C = W->C;
  const char *from = ritti_origin_text(C->arena, C->model, origin),
             *hidden = ritti_show(C, W->S.root[row]);
  if (!from || !hidden || strlen(hidden) > LONGEST) return from;
  return ritti_arena_format(C->arena, "%s = 0, a %s,", hidden, from);
}

/* "x^2 + y^2 = 1 (line 7)"; "x*x' + y*y' = 0, the first derivative of x^2 + y^2 = 1 (line 7)," */
static const char *show_row(ritti_start *W, int row) {
  ritti_completion *C = W->C;
  ritti_origin origin = ritti_start_origin(C, row);
  if (origin.invariant >= 0) return show_invariant(C, origin.invariant);
  if (origin.equation < 0) return show_condition(W, row, origin);
  const ritti_equation_def *def = &C->model->equation[origin.equation];
  const char *line = ritti_line_text(C->arena, C->model, &def->place);
  const char *equation = show_equation(C, origin.equation);
  if (!equation) return NULL;
  bool brief = strlen(equation) > LONGEST;
  if (def->source && (brief || origin.order > 0))
    return ritti_arena_format(C->arena, "the %s", ritti_origin_text(C->arena, C->model, origin));
  if (def->source)
    return ritti_arena_format(C->arena, "%s, the %s (%s, %s),", equation, def->subject, def->source,
                              line);
  if (brief)
    equation = def->subject ? def->subject
                            : ritti_arena_format(C->arena, "equation %d", origin.equation + 1);
  else if (def->owner && def->subject) equation = def->subject; /* with the name of its part */
  if (!equation || origin.order == 0)
    return ritti_arena_format(C->arena, "%s (%s)", equation, line);
  static const char *const ordinal[] = {"", "first", "second", "third", "fourth", "fifth", "sixth"};
  const char *hidden = ritti_show(C, W->S.root[row]);
  char times[32];
  if (origin.order < (int)(sizeof ordinal / sizeof *ordinal))
    snprintf(times, sizeof times, "%s", ordinal[origin.order]);
  else snprintf(times, sizeof times, "%d-th", origin.order);
  if (!hidden || strlen(hidden) > LONGEST)
    return ritti_arena_format(C->arena, "the %s derivative of %s (%s)", times, equation, line);
  return ritti_arena_format(C->arena, "%s = 0, the %s derivative of %s (%s),", hidden, times,
                            equation, line);
}

/* ---- kinks of unknown forces ---- */

/* Does variable j stand in the equations with derivatives? */
static bool is_differentiated(const ritti_completion *C, const ritti_nodes *jets, int j) {
  for (size_t i = 0; i < jets->count; i++)
    if (ritti_index_of(C->dag, jets->at[i]) == j && ritti_order_of(C->dag, jets->at[i]) > 0)
      return true;
  return false;
}

const char *ritti_open_kink(ritti_completion *C, int equation) {
  ritti_expr root = equation >= 0 ? C->model->equation[equation].residual : RITTI_NIL, *all;
  ritti_nodes nodes, jets, inside;
  const char *found = NULL;
  all = ritti_arena_alloc(C->arena, (size_t)C->model->equations + 1, sizeof *all);
  if (root == RITTI_NIL || !all) return NULL;
  for (int i = 0; i < C->model->equations; i++) all[i] = C->model->equation[i].residual;
  if (ritti_nodes_below(C->dag, &root, 1, &nodes) != RITT_OK) return NULL;
  if (ritti_nodes_below(C->dag, all, (size_t)C->model->equations, &jets) != RITT_OK) {
    ritti_free(nodes.at);
    return NULL;
  }
  size_t count = 0;
  for (size_t i = 0; i < jets.count; i++)
    if (ritti_op_of(C->dag, jets.at[i]) == RITTI_JET) jets.at[count++] = jets.at[i];
  jets.count = count;
  for (size_t i = 0; i < nodes.count && !found; i++) {
    ritti_expr argument = ritti_kink_argument(C->dag, nodes.at[i]);
    if (argument == RITTI_NIL) continue;
    if (ritti_leaves(C->dag, argument, RITTI_JET, &inside) != RITT_OK) break;
    for (size_t k = 0; k < inside.count && !found; k++)
      if (!is_differentiated(C, &jets, ritti_index_of(C->dag, inside.at[k])))
        found = ritti_show(C, nodes.at[i]);
    ritti_free(inside.at);
  }
  ritti_free(nodes.at);
  ritti_free(jets.at);
  return found;
}

/* ---- which row, which values ---- */

static bool is_kept(const ritti_start *W, int jet) { return W->typed[jet] && W->typed[jet]->fixed; }

static bool is_wrong(const ritti_start *W, int row, const double *point) {
  return !(fabs(W->S.value[row]) <= 1e-9 * ritti_row_size(&W->S, row, point, W->usual));
}

/* Rows whose value the kept jets alone give: it is the same at two points that differ in all the
 * others (which do not occur in it, or with a factor that the kept ones make zero). */
static ritt_status settled_rows(ritti_start *W, bool *settled) {
  ritti_rows_system *S = &W->S;
  double *point, *value;
  RITTI_NEW(point, W->scratch, W->C->jets + 1);
  RITTI_NEW(value, W->scratch, S->rows + 1);
  ritti_rows_evaluate(W->C, S, W->value);
  memcpy(value, S->value, (size_t)S->rows * sizeof *value);
  for (int i = 0; i < S->rows; i++)
    settled[i] = S->start[i + 1] > S->start[i] && isfinite(value[i]);
  for (int k = 1; k <= 2; k++) {
    for (int j = 0; j < W->C->jets; j++) {
      double step = ritti_start_size(W, j) * (0.3 + fmod(0.61803398875 * (j + 1) * k, 1));
      point[j] = W->value[j] + (is_kept(W, j) ? 0 : step);
    }
    ritti_rows_evaluate(W->C, S, point);
    for (int i = 0; i < S->rows; i++)
      settled[i] &= fabs(S->value[i] - value[i]) <= 1e-14 * ritti_row_size(S, i, point, W->usual);
  }
  ritti_rows_evaluate(W->C, S, W->value);
  return RITT_OK;
}

/* The least differentiated row that is wrong and that the kept jets alone make wrong; -1: none. */
static ritt_status kept_row(ritti_start *W, int *found) {
  const ritti_rows_system *S = &W->S;
  bool *settled;
  *found = -1;
  RITTI_NEW(settled, W->scratch, S->rows + 1);
  RITT_TRY(settled_rows(W, settled));
  for (int i = 0; i < S->rows; i++) {
    if (!settled[i] || !is_wrong(W, i, W->value)) continue;
    if (*found < 0 || ritti_start_origin(W->C, i).order < ritti_start_origin(W->C, *found).order)
      *found = i;
  }
  return RITT_OK;
}

static bool in_row(const ritti_start *W, int row, const ritti_start_def *def) {
  int jet = ritti_jet_number(W->C, def->variable, def->order);
  for (int e = W->S.start[row]; e < W->S.start[row + 1]; e++)
    if (W->S.col[e] == jet) return true;
  return false;
}

/* Does the search succeed with one kept value (or none: -1) set free? From its value, or from
 * beside it. */
static ritt_status can_relax(ritti_start *W, int jet, const bool *skip, bool *reached) {
  double *freedom, *point;
  RITTI_NEW(freedom, W->scratch, W->C->jets + 1);
  RITTI_NEW(point, W->scratch, W->C->jets + 1);
  ritti_start_freedom(W, RITTI_MOVE_GUESSES, freedom);
  if (jet >= 0) freedom[jet] = ritti_start_size(W, jet);
  *reached = false;
  for (int side = 0; side < (jet >= 0 ? 3 : 1) && !*reached; side++) {
    memcpy(point, W->value, (size_t)W->C->jets * sizeof *point);
    if (side) point[jet] += (side == 1 ? 1 : -1) * freedom[jet];
    RITT_TRY(ritti_start_try(W, freedom, skip, point, reached));
  }
  if (*reached) ritti_rows_evaluate(W->C, &W->S, point);
  return RITT_OK;
}

/* The wrong rows of the best point, worst first, but less differentiated ones before all others. */
static ritt_status rank_rows(ritti_start *W, int **list, int *count) {
  double *badness;
  RITTI_NEW(*list, W->scratch, W->S.rows + 1);
  RITTI_NEW(badness, W->scratch, W->S.rows + 1);
  *count = 0;
  ritti_rows_evaluate(W->C, &W->S, W->best);
  for (int i = 0; i < W->S.rows; i++) {
    double size = ritti_row_size(&W->S, i, W->best, W->usual), value = fabs(W->S.value[i]);
    if (!is_wrong(W, i, W->best)) continue;
    badness[i] = (size > 0 ? value / size : value) / (1 + 10 * ritti_start_origin(W->C, i).order);
    int at = (*count)++;
    for (; at > 0 && badness[(*list)[at - 1]] < badness[i]; at--) (*list)[at] = (*list)[at - 1];
    (*list)[at] = i;
  }
  return RITT_OK;
}

/* A row without which the search succeeds: what it is left at is the whole misfit. */
static ritt_status find_blocking_row(ritti_start *W, int *row, double *leaves) {
  int *list, count;
  bool *skip, reached = false;
  RITT_TRY(rank_rows(W, &list, &count));
  RITTI_NEW(skip, W->scratch, W->S.rows + 1);
  *row = count ? list[0] : -1;
  *leaves = count ? W->S.value[list[0]] : 0;
  for (int i = 0; i < count && i < MOST_TRIES && !reached; i++) {
    skip[list[i]] = true;
    RITT_TRY(can_relax(W, -1, skip, &reached));
    if (reached) *row = list[i], *leaves = W->S.value[list[i]];
    skip[list[i]] = false;
  }
  return RITT_OK;
}

/* ---- the messages ---- */

/* "y ~ 0.5" from "y = 0.5" */
static void add_relaxed(ritti_text *out, const ritti_start_def *def) {
  const char *sign = strchr(def->text, '=');
  if (!sign) return;
  ritti_text_add_bytes(out, def->text, (size_t)(sign - def->text));
  ritti_text_add(out, "~%s", sign + 1);
}

static void add_values(ritti_text *out, const ritti_start_def *const *def, int count) {
  int shown = count > MOST_VALUES ? MOST_VALUES : count;
  for (int i = 0; i < shown; i++)
    ritti_text_add(out, "%s%s", i == 0 ? "" : i == count - 1 ? " and " : ", ", def[i]->text);
  if (shown < count) ritti_text_add(out, " and %d more", count - shown);
  ritti_text_add(out, count == 1 ? " is fixed" : count == 2 ? " are both fixed" : " are all fixed");
}

/* values: those that clash, as typed; relax: which of them are enough alone, last first. */
static ritt_status say_clash(ritti_start *W, int row, double leaves,
                             const ritti_start_def *const *value, int values,
                             const ritti_start_def *const *relax, int relaxes) {
  ritti_text text = {0}, hint = {0};
  const char *equation = show_row(W, row);
  add_values(&text, value, values);
  if (relaxes) ritti_text_add(&hint, "write ");
  for (int i = 0; i < relaxes && i < 2; i++) {
    if (i) ritti_text_add(&hint, " or ");
    add_relaxed(&hint, relax[i]);
  }
  if (!relaxes) ritti_text_add(&hint, "write '~' instead of '=' for some of them");
  const char *kink = ritti_open_kink(W->C, ritti_start_origin(W->C, row).equation);
  if (kink)
    ritti_text_add(
        &hint,
        "; if neither side of %s fits, as for Painleve's rod, rigid bodies with this friction "
        "do not slide there: make it smaller, or the contact elastic",
        kink);
  ritt_status status = RITT_NO_MEMORY;
  W->C->check->verdict = "inconsistent";
  if (equation && text.status == RITT_OK && hint.status == RITT_OK)
    status = ritti_fail(W->C->error, RITT_WRONG_MODEL, &value[0]->place, hint.at,
                        "%s, but %s leaves %.3g", text.at, equation, leaves);
  ritti_text_free(&text);
  ritti_text_free(&hint);
  return status;
}

ritt_status ritti_refuse_no_value(ritti_completion *C, ritti_rows_system *S, const double *point) {
  ritti_rows_evaluate_here(C, S, point);
  ritti_expr culprit = ritti_plan_culprit(S->plan);
  const ritti_place *place = &C->model->start_place;
  for (int i = 0; i < C->model->equations && culprit != RITTI_NIL; i++)
    if (ritti_depends_on(C->dag, C->residual[i], culprit)) {
      place = &C->model->equation[i].place;
      break;
    }
  const char *text = culprit == RITTI_NIL ? NULL : ritti_show(C, culprit);
  bool values = true; /* of the rows, if not of their derivatives */
  for (int i = 0; i < S->rows; i++) values = values && fabs(S->value[i]) < INFINITY;
  if (values)
    return ritti_fail(
        C->error, RITT_WRONG_MODEL, place,
        "start a little beside it, where the equations are smooth",
        "the equations have values at the start point, but no derivatives: %s has no value there, "
        "and several solutions may begin there",
        text && strlen(text) <= 200 ? text : "one of them");
  return ritti_fail(
      C->error, RITT_WRONG_MODEL, place, "give start values where the equations have a value",
      "%s has no value at the start point", text && strlen(text) <= 200 ? text : "an equation");
}

/* Nothing kept is to blame: what the best point leaves, equation by equation. */
static ritt_status say_best(ritti_start *W) {
  enum { MOST = 4 };
  ritti_completion *C = W->C;
  ritti_text text = {0};
  int *list, count;
  RITT_TRY(rank_rows(W, &list, &count));
  for (int i = 0; i < count && i < MOST; i++) {
    const char *row = show_row(W, list[i]);
    size_t length = row ? strlen(row) : 0;
    if (length && row[length - 1] == ',') length--;
    ritti_text_add(&text, "%s%.3g in %.*s",
                   i == 0           ? ""
                   : i == count - 1 ? " and "
                                    : ", ",
                   W->S.value[list[i]], (int)length, row ? row : "");
  }
  if (count > MOST) ritti_text_add(&text, " and something in %d more", count - MOST);
  if (count == 0) ritti_text_add(&text, "too little to tell which equation is to blame");
  ritt_status status =
      text.status == RITT_OK && text.at
          ? ritti_fail(C->error, RITT_WRONG_MODEL, &C->model->start_place,
                       C->model->starts ? "give start values nearer to a solution, with '~'"
                                        : "give start values near a solution: 'start x ~ 1, ...'",
                       "no start point was found: the best one leaves %s", text.at)
          : RITT_NO_MEMORY;
  ritti_text_free(&text);
  return status;
}

/* The kept values of a row, and which of them are enough to be set free. */
static ritt_status say_row(ritti_start *W, int row) {
  const ritti_start_def **value, **relax;
  double leaves = W->S.value[row];
  int values = 0, relaxes = 0;
  RITTI_NEW(value, W->scratch, W->C->model->starts + 1);
  RITTI_NEW(relax, W->scratch, W->C->model->starts + 1);
  for (int i = 0; i < W->C->model->starts; i++) {
    const ritti_start_def *def = &W->C->model->start[i];
    if (def->fixed && in_row(W, row, def)) value[values++] = def;
  }
  if (values == 0) return say_best(W);
  for (int i = values - 1, tries = 0; i >= 0 && relaxes < 2 && tries < MOST_TRIES; i--, tries++) {
    bool reached;
    RITT_TRY(
        can_relax(W, ritti_jet_number(W->C, value[i]->variable, value[i]->order), NULL, &reached));
    if (reached) relax[relaxes++] = value[i];
  }
  return say_clash(W, row, leaves, value, values, relax, relaxes);
}

/* Kept values of which one alone is enough to be set free clash, with the others that stand in the
 * row to blame. */
static ritt_status say_relaxable(ritti_start *W, bool *said) {
  const ritti_model *model = W->C->model;
  const ritti_start_def **value, **relax;
  bool *enough;
  int values = 0, relaxes = 0, row;
  double leaves;
  RITTI_NEW(value, W->scratch, model->starts + 1);
  RITTI_NEW(relax, W->scratch, model->starts + 1);
  RITTI_NEW(enough, W->scratch, model->starts + 1);
  for (int i = model->starts - 1, tries = 0; i >= 0 && tries < 4 * MOST_TRIES; i--) {
    const ritti_start_def *def = &model->start[i];
    if (!def->fixed) continue;
    tries++;
    RITT_TRY(can_relax(W, ritti_jet_number(W->C, def->variable, def->order), NULL, &enough[i]));
    if (enough[i]) relax[relaxes++] = def;
  }
  if (relaxes == 0) return RITT_OK;
  RITT_TRY(find_blocking_row(W, &row, &leaves));
  if (row < 0) return RITT_OK;
  for (int i = 0; i < model->starts; i++)
    if (enough[i] || (model->start[i].fixed && in_row(W, row, &model->start[i])))
      value[values++] = &model->start[i];
  *said = true;
  return say_clash(W, row, leaves, value, values, relax, relaxes);
}

/* The kept values that are elsewhere at a point, in the order of the file, and the one that is
 * farthest. */
static int find_moved(const ritti_start *W, const double *point, const ritti_start_def **value,
                      int *farthest) {
  const ritti_model *model = W->C->model;
  double most = 0;
  int values = 0;
  for (int i = 0; i < model->starts; i++) {
    const ritti_start_def *def = &model->start[i];
    int jet = ritti_jet_number(W->C, def->variable, def->order);
    double move = fabs(point[jet] - W->value[jet]) / ritti_start_size(W, jet);
    if (!def->fixed || !(move > 1e-9 * (1 + fabs(W->value[jet])))) continue;
    if (move > most) most = move, *farthest = jet;
    value[values++] = def;
  }
  return values;
}

/* The kept values of the highest orders, as few orders as help: those that move when they are set
 * free. */
static ritt_status say_together(ritti_start *W, bool *said) {
  const ritti_start_def **value;
  double *freedom, *point;
  bool reached = false;
  int farthest = -1;
  RITTI_NEW(value, W->scratch, W->C->model->starts + 1);
  RITTI_NEW(freedom, W->scratch, W->C->jets + 1);
  RITTI_NEW(point, W->scratch, W->C->jets + 1);
  for (int level = 0; level > W->lowest && !reached; level--) {
    ritti_start_freedom(W, RITTI_MOVE_GUESSES, freedom);
    for (int j = 0; j < W->C->jets; j++)
      if (is_kept(W, j) && W->level[j] >= level) freedom[j] = ritti_start_size(W, j);
    memcpy(point, W->value, (size_t)W->C->jets * sizeof *point);
    RITT_TRY(ritti_start_try(W, freedom, NULL, point, &reached));
  }
  int values = reached ? find_moved(W, point, value, &farthest) : 0;
  if (values == 0) return RITT_OK;
  ritti_text text = {0};
  add_values(&text, value, values);
  const ritti_start_def *far = W->typed[farthest];
  size_t name = strcspn(far->text, " =");
  ritt_status status = RITT_NO_MEMORY;
  *said = true;
  W->C->check->verdict = "inconsistent";
  if (text.status == RITT_OK)
    status = ritti_fail(
        W->C->error, RITT_WRONG_MODEL, &value[0]->place,
        values == 1 ? "write '~' instead of '=' for it"
                    : "write '~' instead of '=' for them, or leave them out",
        "%s, but the equations contradict %s: the nearest solution found has %.*s = %.6g", text.at,
        values == 1 ? "it" : "them", (int)name, far->text, point[farthest]);
  ritti_text_free(&text);
  return status;
}

/* All kept values together, where setting all of them free helps. */
static ritt_status say_all(ritti_start *W, bool *said) {
  const ritti_start_def **value;
  double *freedom, *point, leaves;
  int values = 0, row;
  bool reached;
  RITTI_NEW(value, W->scratch, W->C->jets + 1);
  RITTI_NEW(freedom, W->scratch, W->C->jets + 1);
  RITTI_NEW(point, W->scratch, W->C->jets + 1);
  ritti_start_freedom(W, RITTI_MOVE_GUESSES, freedom);
  for (int i = 0; i < W->C->jets; i++)
    if (is_kept(W, i)) freedom[i] = ritti_start_size(W, i);
  for (int i = 0; i < W->C->model->starts; i++)
    if (W->C->model->start[i].fixed) value[values++] = &W->C->model->start[i];
  if (values == 0) return RITT_OK;
  memcpy(point, W->value, (size_t)W->C->jets * sizeof *point);
  RITT_TRY(ritti_start_try(W, freedom, NULL, point, &reached));
  if (!reached) return RITT_OK;
  RITT_TRY(find_blocking_row(W, &row, &leaves));
  if (row < 0) return RITT_OK;
  *said = true;
  return say_clash(W, row, leaves, value, values, NULL, 0);
}

ritt_status ritti_start_say(ritti_start *W) {
  double *best, least = W->least;
  bool said = false;
  int row;
  RITT_TRY(kept_row(W, &row));
  W->effort = 5e8;
  if (row >= 0) return say_row(W, row);
  if (!W->finite) return ritti_refuse_no_value(W->C, &W->S, W->value);
  RITTI_NEW(best, W->scratch, W->C->jets + 1);
  memcpy(best, W->best, (size_t)W->C->jets * sizeof *best);
  ritt_status status = say_relaxable(W, &said);
  W->effort = 2e9;
  if (status == RITT_OK && !said) status = say_together(W, &said);
  if (status == RITT_OK && !said) status = say_all(W, &said);
  if (status != RITT_OK || said) return status;
  memcpy(W->best, best, (size_t)W->C->jets * sizeof *best);
  W->least = least;
  return say_best(W);
}
