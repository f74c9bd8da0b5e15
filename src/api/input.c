/* Inputs that the caller sets during a run.
 *
 * In: the name of an input, its value and derivatives at the current point. Out: the parameters of
 * all inputs in the driver's work, measured from this point, and a consistent point. An input is a
 * polynomial in the model (lang/define.c), so that derivatives of equations hold its derivatives.
 */
#include "input.h"
#include "session.h"

/* Does the expression depend on a parameter if x = x0? There u + u' s + u'' s^2/2 is u alone, so that
 * u' and u'' are left only if the expression holds derivatives of the input. */
static ritt_status depends_at_x0(const ritti_model *model, ritti_expr e, int parameter, bool *yes) {
  ritti_dag *dag = model->dag;
  ritti_expr leaf = ritti_independent(dag), x0 = ritti_parameter(dag, model->input_time);
  *yes = false;
  if (!ritti_depends_on(dag, e, ritti_parameter(dag, parameter))) return RITT_OK;
  RITT_TRY(ritti_dag_substitute(dag, &leaf, &x0, 1, &e, 1));
  *yes = ritti_depends_on(dag, e, ritti_parameter(dag, parameter));
  return RITT_OK;
}

/* The order of the highest derivative of the input in an expression; -1: it is not there. */
static ritt_status find_order(const ritti_model *model, const ritti_input_def *input, ritti_expr e,
                              int *order) {
  *order = -1;
  for (int k = RITTI_INPUT_VALUES - 1; k >= 0 && *order < 0; k--) {
    bool yes = false;
    RITT_TRY(depends_at_x0(model, e, input->parameter + k, &yes));
    if (yes) *order = k;
  }
  return RITT_OK;
}

/* Does the row determine an unknown that follows from the others? Then the unknown moves with the input,
 * and no derivative of the input is needed. */
static bool row_follows(const ritti_reduced *r, const ritti_problem *p, int row) {
  for (int i = 1; p->role && i < r->m; i++)
    if (p->role[i] == RITTI_ROLE_FOLLOWS &&
        ritti_depends_on(r->model->dag, r->f[row], r->coordinate[i]))
      return true;
  return false;
}

ritt_status ritti_input_derivatives(const ritti_reduced *r, const ritti_problem *p,
                                    const ritti_input_def *input, int *derivatives) {
  const ritti_model *model = r->model;
  int order;
  *derivatives = 0;

  /* a constraint moves with the input: the velocities on it hold one derivative more */
  for (int i = 0; i < r->k; i++) {
    RITT_TRY(find_order(model, input, r->f[i], &order));
    if (order >= 0 && !row_follows(r, p, i)) order++;
    if (order > *derivatives) *derivatives = order;
  }

  /* the highest derivatives */
  if (r->kind == RITT_EXPLICIT) {
    for (int i = 0; i < r->tops; i++) {
      RITT_TRY(find_order(model, input, r->formula[i], &order));
      if (order > *derivatives) *derivatives = order;
    }
    return RITT_OK;
  }
  size_t entries = r->A.pattern.start ? (size_t)r->A.pattern.start[r->A.pattern.rows] : 0;
  for (size_t i = 0; i < entries; i++) {
    RITT_TRY(find_order(model, input, r->A.entry[i], &order));
    if (order > *derivatives) *derivatives = order;
  }
  for (int i = 0; r->b && i < r->top_rows; i++) {
    RITT_TRY(find_order(model, input, r->b[i], &order));
    if (order > *derivatives) *derivatives = order;
  }
  if (*derivatives >= RITTI_INPUT_VALUES) *derivatives = RITTI_INPUT_VALUES - 1;
  return RITT_OK;
}

const char *ritti_input_equation(const ritti_model *model, const ritti_input_def *input,
                                 ritti_arena *arena) {
  ritti_expr u = ritti_parameter(model->dag, input->parameter);
  for (int i = 0; i < model->equations; i++) {
    const ritti_equation_def *e = &model->equation[i];
    if (!ritti_depends_on(model->dag, e->residual, u)) continue;
    const char *name = e->subject;
    if (!name && e->label) name = ritti_arena_format(arena, "equation '%s'", e->label);
    if (!name) name = ritti_arena_format(arena, "equation %d", i + 1);
    const char *line = ritti_line_text(arena, model, &e->place);
    const char *text = ritti_arena_format(arena, "%s (%s)", name ? name : "", line);
    return text ? text : "";
  }
  return "an equation";
}

/* Refuses values that are not numbers, or without derivatives that are needed. */
static ritt_status check_values(const ritti_session *S, const ritti_input_def *input,
                                const double *values, size_t count, ritt_error *error) {
  static const char *const needed[] = {"", "u'", "u' and u''"};
  if (count < 1 || count > RITTI_INPUT_VALUES)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "give u, or u and u', or u, u' and u''",
                      "the input '%s' takes 1 to %d values, not %zu", input->name,
                      RITTI_INPUT_VALUES, count);
  for (size_t i = 0; i < count; i++)
    if (!(fabs(values[i]) < INFINITY))
      return ritti_fail(error, RITT_WRONG_CALL, NULL, NULL,
                        "a value of the input '%s' is not a finite number", input->name);
  int derivatives;
  RITT_TRY(ritti_input_derivatives(S->now.reduced, S->now.problem, input, &derivatives));
  if ((size_t)derivatives < count) return RITT_OK;
  ritti_arena *scratch = ritti_arena_new();
  if (!scratch) return RITT_NO_MEMORY;
  ritt_status status = ritti_fail(
      error, RITT_WRONG_CALL, NULL,
      "supply them with the value, or let the input act by a filter such as tau*v' = u - v",
      "the input u = '%s' is differentiated, because %s has to be: %s must be given", input->name,
      ritti_input_equation(S->now.model, input, scratch), needed[derivatives]);
  ritti_arena_free(scratch);
  return status;
}

void ritti_inputs_shift(ritt_real *first, int inputs, ritt_real x) {
  ritt_real s = x - first[0];
  first[0] = x;
  for (int i = 0; i < inputs; i++) {
    ritt_real *u = first + 1 + RITTI_INPUT_VALUES * i;
    u[0] += s * (u[1] + s * u[2] / 2);
    u[1] += s * u[2];
  }
}

static const ritti_input_def *find_input(const ritti_model *model, const char *name) {
  for (int i = 0; i < model->inputs; i++)
    if (!strcmp(model->input[i].name, name)) return &model->input[i];
  return NULL;
}

ritt_status ritti_session_input(ritti_session *S, const char *name, const double *values,
                                size_t count, ritt_error *error) {
  const ritti_model *model = S->now.model;
  const ritti_input_def *input = find_input(model, name);
  size_t said = ritt_error_count(error);
  if (!input)
    return ritti_fail(error, RITT_WRONG_CALL, NULL,
                      "inputs are declared by 'input u', or 'input u = 2' with a constant",
                      "the model has no input '%.60s' that can be set during a run", name);
  if (model->tangents || model->by_count)
    return ritti_fail(error, RITT_WRONG_CALL, NULL, "run the model without derivatives",
                      "inputs cannot be set in a run with derivatives of the solution");
  RITT_TRY(check_values(S, input, values, count, error));

  /* all inputs from here on */
  ritt_real *parameter = S->driver->work + S->now.problem->level_at - model->parameters;
  ritti_inputs_shift(parameter + model->input_time, model->inputs, S->driver->step.z[0]);
  for (int k = 0; k < RITTI_INPUT_VALUES; k++)
    parameter[input->parameter + k] = (size_t)k < count ? values[k] : 0;
  return ritti_session_explain(S, ritti_driver_take_inputs(S->driver, error), said, error);
}
