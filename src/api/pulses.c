/* Short pulses: terms of the equations that depend on the independent variable alone and differ from 0
 * only within a part of the run so short that the steps of a run may pass over it.
 *
 * In: the equations, and the interval of the run. Out: a note for each such term, at most MOST_NOTES.
 *
 * Looked at are exp(u) and u^p, p < 0, with u a function of x: they are largest where |u| is smallest or u
 * is largest. That place is found on a grid and refined; it is a pulse if the value there is far above all values
 * on the grid. */
#include <math.h>
#include "pipeline.h"

#define OFFSET 0.31830988618 /* of the grid: pulses at round numbers are not on it */
enum { GRID = 512, MOST_NOTES = 3, MOST_TERMS = 50, REFINEMENTS = 80 };

/* A term and its argument, as one plan with two roots. */
typedef struct term {
  ritti_plan *plan;
  ritti_values values;
} term;

/* The value of the term at x; *argument: that of its argument. */
static double value_of(term *t, double x, double *argument) {
  double out[2];
  t->values.independent = x;
  ritti_plan_evaluate(t->plan, &t->values, out);
  *argument = fabs(out[1]);
  return fabs(out[0]);
}

/* The place between a and b at which the argument is smallest, by the golden section. */
static double find_peak(term *t, double a, double b) {
  const double part = 0.38196601125010515;
  double x = a + part * (b - a), y = b - part * (b - a), at_x, at_y;
  value_of(t, x, &at_x);
  value_of(t, y, &at_y);
  for (int i = 0; i < REFINEMENTS; i++) {
    bool left = at_x < at_y;
    if (left) {
      b = y, y = x, at_y = at_x;
      x = a + part * (b - a);
      value_of(t, x, &at_x);
    } else {
      a = x, x = y, at_x = at_y;
      y = b - part * (b - a);
      value_of(t, y, &at_y);
    }
  }
  return (a + b) / 2;
}

/* Is the term a pulse between from and to? *place, *width: where it is, and how wide at half its
 * height. */
static bool is_pulse(term *t, double from, double to, double *place, double *width) {
  double largest = 0, least = INFINITY, argument, step = (to - from) / GRID;
  int nearest = 0;
  for (int i = 0; i < GRID; i++) {
    double value = value_of(t, from + (i + OFFSET) * step, &argument);
    if (!(value < INFINITY && argument < INFINITY)) return false;
    largest = fmax(largest, value);
    if (argument < least) least = argument, nearest = i;
  }

  /* the peak between the neighbours of that point of the grid */
  double a = from + fmax(nearest - 1, 0) * step, b = from + fmin(nearest + 2, GRID) * step;
  *place = find_peak(t, a, b);
  double height = value_of(t, *place, &argument);
  if (!(height > 10 * largest && height < INFINITY)) return false;
  *width = fabs(b - a);
  while (*width > 0 && value_of(t, *place + *width / 2, &argument) < height / 2) *width *= 0.7;
  return true;
}

/* Marks nodes that depend on the independent variable alone. 1: on it; 2: on parameters and numbers only;
 * 0: on anything else. */
static void mark_nodes(const ritti_dag *dag, const ritti_nodes *nodes, char *mark) {
  for (size_t i = 0; i < nodes->count; i++) {
    ritti_expr e = nodes->at[i];
    ritti_op op = ritti_op_of(dag, e);
    size_t count = ritti_argument_count(dag, e);
    mark[i] = 0;
    if (op == RITTI_INDEPENDENT) mark[i] = 1;
    else if (op == RITTI_NUMBER || op == RITTI_PI || op == RITTI_PARAMETER) mark[i] = 2;
    if (count == 0) continue;
    mark[i] = 2;
    for (size_t k = 0; k < count && mark[i]; k++) {
      char below = mark[ritti_node_place(nodes, ritti_argument(dag, e, k))];
      mark[i] = below == 0 ? 0 : below == 1 ? 1 : mark[i];
    }
  }
}

/* The argument that decides where the term e is large; RITTI_NIL: it is not a term of this kind. */
static ritti_expr find_argument(const ritti_dag *dag, ritti_expr e) {
  ritti_op op = ritti_op_of(dag, e);
  if (op == RITTI_EXP) return ritti_argument(dag, e, 0);
  if (op != RITTI_POWER || ritti_op_of(dag, ritti_argument(dag, e, 1)) != RITTI_NUMBER)
    return RITTI_NIL;
  bool negative = mpq_sgn(ritti_rational_of(dag, ritti_argument(dag, e, 1))) < 0;
  return negative ? ritti_argument(dag, e, 0) : RITTI_NIL;
}

static ritt_status add_note(ritt_model *M, const char *note) {
  const char **notes;
  RITTI_NEW(notes, M->arena, M->check.note_count + 1);
  for (size_t i = 0; i < M->check.note_count; i++) notes[i] = M->check.notes[i];
  notes[M->check.note_count++] = note;
  M->check.notes = notes;
  return note ? RITT_OK : RITT_NO_MEMORY;
}

/* Adds a note if e is a pulse. */
static ritt_status look_at_term(ritt_model *M, const double *parameter, ritti_expr e, int *notes) {
  const ritti_model *model = M->model;
  ritti_expr roots[2] = {e, find_argument(model->dag, e)};
  term t = {.values = {.parameter = parameter}};
  double place, width;
  RITT_TRY(ritti_plan_new(model->dag, roots, 2, &t.plan));
  bool pulse = is_pulse(&t, model->start_x, model->run_end, &place, &width);
  ritti_plan_free(t.plan);
  /* the run begins with one at its start, and sees it */
  bool at_start = pulse && fabs(place - model->start_x) < 10 * width;
  if (!pulse || at_start) return RITT_OK;

  ritti_text words = {0};
  ritti_dag_print(model->dag, e, &model->names, &words);
  const char *note = ritti_arena_format(
      M->arena,
      "%.200s is large only near %s = %.6g, for about %.1g; a run may step over it: 'max_step %.1g' "
      "below solve prevents this",
      words.at ? words.at : "a term", model->independent, place, width, 5 * width);
  ritt_status status = words.status;
  ritti_text_free(&words);
  RITT_TRY(status);
  ++*notes;
  return add_note(M, note);
}

ritt_status ritti_note_pulses(ritt_model *M) {
  const ritti_model *model = M->model;
  double length = model->run_end - model->start_x;
  if (model->run == RITTI_RUN_NONE || model->run == RITTI_RUN_ARC || !(fabs(length) < INFINITY))
    return RITT_OK;

  /* the nodes of all equations */
  ritti_nodes nodes = {0};
  ritti_expr *roots;
  double *parameter;
  RITTI_NEW(roots, M->arena, model->equations + 1);
  RITTI_NEW(parameter, M->arena, model->parameters + 1);
  for (int i = 0; i < model->equations; i++) roots[i] = model->equation[i].residual;
  for (int i = 0; i < model->parameters; i++) parameter[i] = model->parameter[i].number;
  RITT_TRY(ritti_nodes_below(model->dag, roots, (size_t)model->equations, &nodes));
  char *mark = ritti_malloc(nodes.count + 1);
  if (!mark) {
    ritti_free(nodes.at);
    return RITT_NO_MEMORY;
  }
  mark_nodes(model->dag, &nodes, mark);

  /* the terms */
  ritt_status status = RITT_OK;
  int notes = 0, terms = 0;
  for (size_t i = 0; i < nodes.count && status == RITT_OK; i++) {
    ritti_expr argument = mark[i] == 1 ? find_argument(model->dag, nodes.at[i]) : RITTI_NIL;
    if (argument == RITTI_NIL || notes == MOST_NOTES || ++terms > MOST_TERMS) continue;
    status = look_at_term(M, parameter, nodes.at[i], &notes);
  }
  ritti_free(mark);
  ritti_free(nodes.at);
  return status;
}
