/* The story of a completion in words: which equations were differentiated and why, what follows from
 * them, and which initial values are free. */
#include "complete/complete_impl.h"

/* Lists in the text are cut after this many lines. */
enum { MOST_LINES = 12 };

/* Longer formulas are cut to this length. */
enum { MOST_LETTERS = 120 };

static void add_expr(const ritti_reduced *R, ritti_expr e, ritti_text *out) {
  size_t before = out->count;
  ritti_dag_print(R->model->dag, e, &R->model->names, out);
  if (out->status != RITT_OK || out->count <= before + MOST_LETTERS) return;
  out->count = before + MOST_LETTERS - 4;
  ritti_text_add(out, " ...");
}

/* ", ", " and " or nothing: what stands before item i of n. */
static const char *separator_before(int i, int n) {
  if (i == 0) return "";
  return i + 1 == n ? " and " : ", ";
}

/* "x, y and lambda"; long lists by their first members and their length. */
static void add_list(const ritti_reduced *R, const ritti_expr *e, int n, ritti_text *out) {
  int shown = n > MOST_LINES ? 3 : n;
  for (int i = 0; i < shown; i++) {
    ritti_text_add(out, "%s", shown < n ? i ? ", " : "" : separator_before(i, n));
    add_expr(R, e[i], out);
  }
  if (shown < n) ritti_text_add(out, ", ... (%d in all)", n);
}

/* "once", "twice", "3 times" */
static void add_times(int count, ritti_text *out) {
  if (count == 1) ritti_text_add(out, "once");
  else if (count == 2) ritti_text_add(out, "twice");
  else ritti_text_add(out, "%d times", count);
}

static bool has_top(const ritti_reduced *R, ritti_expr row) {
  for (int j = 0; j < R->tops; j++)
    if (ritti_depends_on(R->model->dag, row, R->top[j])) return true;
  return false;
}

/* The name of a row without its order of differentiation. */
static const char *name_of_equation(const ritti_reduced *R, int equation) {
  return ritti_origin_text(R->arena, R->model,
                           (ritti_origin){.equation = equation, .invariant = -1});
}

/* Raises the orders of the equations to those of the rows. */
static void raise_orders(int *order, const ritti_origin *origin, int count) {
  for (int i = 0; i < count; i++) {
    int e = origin[i].equation;
    if (e >= 0 && origin[i].order > order[e]) order[e] = origin[i].order;
  }
}

/* Unknowns that one equation gives. */
static ritt_status explain_removed(const ritti_reduced *R, ritti_text *out) {
  if (R->removals == 0) return RITT_OK;
  ritti_text_add(
      out, "\nSome unknowns are given by one equation each and are replaced by their values:\n");
  int shown = R->removals > MOST_LINES ? 5 : R->removals;
  for (int i = 0; i < shown; i++) {
    const ritti_removed *r = &R->removed[i];
    const char *name = name_of_equation(R, r->equation);
    if (!name) return RITT_NO_MEMORY;
    ritti_text_add(out, "    %s = ", R->model->variable[r->variable].name);
    add_expr(R, r->value, out);
    ritti_text_add(out, ", by %s\n", name);
  }
  if (shown < R->removals) ritti_text_add(out, "    and %d more\n", R->removals - shown);
  return RITT_OK;
}

/* A line "  twice: ROW = 0". */
static void add_derivative(const ritti_reduced *R, ritti_expr row, int order, const char *what,
                           ritti_text *out) {
  ritti_text_add(out, "  ");
  add_times(order, out);
  ritti_text_add(out, ": ");
  add_expr(R, row, out);
  ritti_text_add(out, " = 0%s\n", what);
}

/* The derivatives of an equation that are used: hidden constraints, then the row that gives tops. */
static void add_derivatives(const ritti_reduced *R, int equation, ritti_text *out) {
  for (int i = 0; i < R->k; i++)
    if (R->origin[i].equation == equation && R->origin[i].order > 0)
      add_derivative(R, R->f[i], R->origin[i].order, ", a hidden constraint", out);
  for (int i = 0; i < R->top_rows; i++)
    if (R->top_origin[i].equation == equation && R->top_origin[i].order > 0)
      add_derivative(R, R->top_row[i], R->top_origin[i].order, "", out);
}

/* Do two equations come from one line of the text, as those of a family or of equal parts do, and
 * are they differentiated equally often? Then one explanation is enough. */
static bool is_alike(const ritti_reduced *R, const int *order, int a, int b) {
  const ritti_place *p = &R->model->equation[a].place, *q = &R->model->equation[b].place;
  return order[a] == order[b] && p->line > 0 && p->line == q->line && p->file && q->file &&
         !strcmp(p->file, q->file);
}

/* A line with the equations after `e` that are differentiated in the same way, by their names. Their
 * orders become 0, since they need no paragraph of their own. */
static ritt_status add_alike(const ritti_reduced *R, int *order, int e, int *shown,
                             ritti_text *out) {
  enum { NAMED = 2 };
  int count = 0;
  for (int other = e + 1; other < R->model->equations; other++) {
    if (!is_alike(R, order, e, other)) continue;
    order[other] = 0;
    if (++count > NAMED) continue;
    const char *name = name_of_equation(R, other);
    if (!name) return RITT_NO_MEMORY;
    ritti_text_add(out, "%s%s", count == 1 ? "  likewise: " : "; ", name);
  }
  if (count > NAMED) ritti_text_add(out, "; and %d more", count - NAMED);
  if (count > 0) ritti_text_add(out, "\n");
  *shown += count;
  return RITT_OK;
}

/* The equations that were differentiated: the first of those that are alike, then their names. */
static ritt_status explain_differentiated(const ritti_reduced *R, int *order, ritti_text *out) {
  int count = 0, shown = 0, stories = 0;
  for (int e = 0; e < R->model->equations; e++) count += order[e] > 0;
  for (int e = 0; e < R->model->equations && stories < MOST_LINES; e++) {
    const ritti_equation_def *equation = &R->model->equation[e];
    if (order[e] <= 0) continue;
    const char *name = name_of_equation(R, e);
    if (!name) return RITT_NO_MEMORY;

    ritti_text_add(out, "\nDifferentiated ");
    add_times(order[e], out);
    ritti_text_add(out, ": %s\n    ", name);
    add_expr(R, equation->left, out);
    ritti_text_add(out, " = ");
    add_expr(R, equation->right, out);
    ritti_text_add(out, "\n  since ");
    if (has_top(R, equation->residual))
      ritti_text_add(out, "combined with other equations it has no highest derivative\n");
    else {
      ritti_text_add(out, "it contains none of ");
      add_list(R, R->top, R->tops, out);
      ritti_text_add(out, "\n");
    }
    add_derivatives(R, e, out);
    RITT_TRY(add_alike(R, order, e, &shown, out));
    shown++, stories++;
  }
  if (shown < count)
    ritti_text_add(out, "\n%d more equations are differentiated; 'ritt complete' lists all rows.\n",
                   count - shown);
  return RITT_OK;
}

/* Conditions that follow from several equations together. */
static ritt_status explain_combined(const ritti_reduced *R, ritti_text *out) {
  int shown = 0;
  for (int i = 0; i < R->k; i++) {
    if (R->origin[i].equation >= 0 || R->origin[i].invariant >= 0) continue;
    const char *name = ritti_origin_text(R->arena, R->model, R->origin[i]);
    if (!name) return RITT_NO_MEMORY;
    if (shown++ == 0)
      ritti_text_add(out, "\nCombinations of equations in which the highest derivatives cancel:\n");
    if (shown <= MOST_LINES) {
      ritti_text_add(out, "    ");
      add_expr(R, R->f[i], out);
      ritti_text_add(out, " = 0, %s\n", name);
    }
  }
  if (shown > MOST_LINES) ritti_text_add(out, "    and %d more\n", shown - MOST_LINES);
  return RITT_OK;
}

/* Equations that constrain the state and need no derivative: it follows from the other equations. */
static ritt_status explain_kept(const ritti_reduced *R, const int *order, ritti_text *out) {
  int shown = 0;
  for (int i = 0; i < R->k; i++) {
    int e = R->origin[i].equation;
    if (e < 0 || R->origin[i].invariant >= 0 || order[e] > 0) continue;
    const char *name = name_of_equation(R, e);
    if (!name) return RITT_NO_MEMORY;
    if (shown++ == 0)
      ritti_text_add(out, "\nConstraints whose derivatives follow from the other equations:\n");
    if (shown > MOST_LINES) continue;
    ritti_text_add(out, "    ");
    add_expr(R, R->f[i], out);
    ritti_text_add(out, " = 0, %s\n", name);
  }
  if (shown > MOST_LINES) ritti_text_add(out, "    and %d more\n", shown - MOST_LINES);
  return RITT_OK;
}

/* How the tops follow. */
static void explain_tops(const ritti_reduced *R, ritti_text *out) {
  if (R->tops == 0) return;
  const char *verb = R->tops == 1 ? "is" : "are";
  ritti_text_add(out, "\nAt each point ");
  add_list(R, R->top, R->tops, out);
  switch (R->kind) {
  case RITT_EXPLICIT:
    ritti_text_add(out, " %s given by %s.\n", verb, R->tops == 1 ? "a formula" : "formulas");
    break;
  case RITT_IMPLICIT: ritti_text_add(out, " %s solved for by Newton's method.\n", verb); break;
  default:
    ritti_text_add(out, " follow%s from %d linear equation%s.\n", R->tops == 1 ? "s" : "",
                   R->top_rows, R->top_rows == 1 ? "" : "s");
  }
}

/* The state, its constraints and the values that may be chosen. */
static void explain_freedom(const ritti_reduced *R, int free, ritti_text *out) {
  int values = R->m - 1, enforced = 0;
  for (int i = 0; i < R->k; i++) enforced += R->origin[i].invariant >= 0;
  if (values == 0) {
    ritti_text_add(out,
                   "\nNothing is free: the equations give every unknown as a function of time.\n");
    return;
  }
  ritti_text_add(out, "\nThe state is ");
  add_list(R, R->coordinate + 1, values, out);
  if (free == values && values == 1) ritti_text_add(out, ". Its initial value is free.\n");
  else if (free == values)
    ritti_text_add(out,
                   values == 2 ? ". Both of its initial values are free.\n"
                               : ". All of its %d initial values are free.\n",
                   values);
  else if (free == 0)
    ritti_text_add(out, ".\n%s from the equations; none may be chosen.\n",
                   values == 1 ? "Its initial value follows" : "Its initial values follow");
  else
    ritti_text_add(out,
                   ".\nOf its %d initial values %d may be chosen; the %s from the equations.\n",
                   values, free, values - free == 1 ? "other follows" : "others follow");
  if (enforced)
    ritti_text_add(out, "Each step is also projected onto %d invariant%s.\n", enforced,
                   enforced == 1 ? "" : "s");
}

ritt_status ritti_reduced_explain(const ritti_reduced *R, int free, ritti_text *out) {
  int *order; /* of each equation: how often it is differentiated */
  RITTI_NEW(order, R->arena, R->model->equations + 1);
  raise_orders(order, R->origin, R->k);
  raise_orders(order, R->top_origin, R->top_rows);

  RITT_TRY(explain_removed(R, out));
  if (R->kind != RITT_GENERAL) RITT_TRY(explain_kept(R, order, out));
  size_t before = out->count;
  RITT_TRY(explain_differentiated(R, order, out));
  RITT_TRY(explain_combined(R, out));
  if (out->count == before) ritti_text_add(out, "\nNo equation had to be differentiated.\n");
  explain_tops(R, out);
  explain_freedom(R, free, out);
  return out->status;
}
