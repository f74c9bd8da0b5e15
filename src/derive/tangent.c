/* A model with the derivatives of its solution by parameters or start values.
 *
 * For each of them, called p, every variable y gets a tangent dy, and every equation F = 0 the
 * equation
 *
 *     sum F_y^(k) dy^(k) + F_x dx + F_p = 0,
 *
 * linear in the tangents. Linearisation commutes with completion, so the completed system of the
 * larger model holds f_z dz + f_p = 0 for every row f of the manifold, and everything else of Ritt
 * applies to it: all methods, error control, quadruple precision.
 *
 * dx is the shift of the independent variable, constant between events. It is 0 without events and
 * switches. At an event g = 0 the tangent (dx, dy) may be moved along the solution, by tau (1, y'),
 * since that is a change of the parametrisation only: tau is chosen so that the moved tangent is
 * tangent to g = 0. Then the derivatives of the jump apply to it. This is the saltation matrix,
 * without the direction after the jump, which is not yet known. The derivative of y at fixed x is
 * dy - dx y'. */
#include "derive/tangent.h"

typedef struct maker {
  ritti_model *model;
  ritti_dag *dag;
  ritti_arena *arena;
  const ritti_tangent_by *by;
  int count;
  int variables, equations, events, starts; /* of the model as it was */
  bool shifts;                              /* there are events or switches */
  int block;                                /* unknowns for each p */
  int *order;                               /* variables: the highest derivative in an equation */
  RITTI_ARRAY(ritti_expr) surfaces;         /* of switches */
  ritti_expr *terms;
  size_t room;
} maker;

/* The number of the tangent of a variable; of the shift: that of `variables`. */
static int tangent_number(const maker *m, int p, int variable) {
  return m->variables + p * m->block + variable;
}

/* The factor of a leaf in the derivative by p; NIL: 0. */
static ritti_expr leaf_tangent(const maker *m, int p, ritti_expr leaf) {
  int index = ritti_index_of(m->dag, leaf);
  switch (ritti_op_of(m->dag, leaf)) {
  case RITTI_JET:
    return ritti_jet(m->dag, tangent_number(m, p, index), ritti_order_of(m->dag, leaf));
  case RITTI_INDEPENDENT:
    return m->shifts ? ritti_jet(m->dag, tangent_number(m, p, m->variables), 0) : RITTI_NIL;
  case RITTI_PARAMETER:
    return m->by[p].rate[index] == 0 ? RITTI_NIL
                                     : ritti_binary_number(m->dag, m->by[p].rate[index]);
  default: return RITTI_NIL;
  }
}

/* The derivative of an expression by p, along the tangents. */
static ritt_status find_tangent(maker *m, int p, ritti_expr e, ritti_expr *out) {
  ritti_gradient g;
  size_t count = 0;
  RITT_TRY(ritti_dag_gradient(m->dag, e, &g));
  if (g.count > m->room) {
    m->room = 2 * g.count;
    m->terms = ritti_arena_alloc(m->arena, m->room, sizeof *m->terms);
  }
  if (m->terms || g.count == 0) {
    for (size_t i = 0; i < g.count; i++) {
      ritti_expr factor = leaf_tangent(m, p, g.leaf[i]);
      if (factor != RITTI_NIL) m->terms[count++] = ritti_multiply(m->dag, g.derivative[i], factor);
    }
  }
  bool good = m->terms || g.count == 0;
  ritti_gradient_clear(&g);
  if (!good) return RITT_NO_MEMORY;
  *out = count ? ritti_sum(m->dag, m->terms, count) : ritti_number(m->dag, 0, 1);
  return ritti_dag_status(m->dag);
}

/* ---- what the model consists of ---- */

/* The highest derivative of each variable in an equation. */
static ritt_status find_orders(maker *m) {
  RITTI_NEW(m->order, m->arena, m->variables + 1);
  for (int i = 0; i < m->equations; i++) {
    ritti_nodes jets;
    RITT_TRY(ritti_leaves(m->dag, m->model->equation[i].residual, RITTI_JET, &jets));
    for (size_t k = 0; k < jets.count; k++) {
      int variable = ritti_index_of(m->dag, jets.at[k]);
      int order = ritti_order_of(m->dag, jets.at[k]);
      if (order > m->order[variable]) m->order[variable] = order;
    }
    ritti_free(jets.at);
  }
  return RITT_OK;
}

/* Does the expression change along a solution? */
static ritt_status changes_along(maker *m, ritti_expr e, bool *out) {
  ritti_expr rate = ritti_dag_total(m->dag, e);
  *out = rate != ritti_number(m->dag, 0, 1);
  return ritti_dag_status(m->dag);
}

/* Lists the surfaces on which the equations switch. */
static ritt_status find_surfaces(maker *m) {
  ritti_expr *root;
  ritti_nodes nodes;
  ritt_status status = RITT_OK;
  RITTI_NEW(root, m->arena, m->equations + 1);
  for (int i = 0; i < m->equations; i++) root[i] = m->model->equation[i].residual;
  RITT_TRY(ritti_nodes_below(m->dag, root, (size_t)m->equations, &nodes));
  for (size_t i = 0; i < nodes.count && status == RITT_OK; i++) {
    bool reversed, known = false, moves = false;
    ritti_expr u = ritti_kink_argument(m->dag, nodes.at[i]);
    if (u == RITTI_NIL) continue;
    status = changes_along(m, u, &moves);
    ritti_expr form = ritti_surface_form(m->dag, u, &reversed);
    for (size_t k = 0; k < m->surfaces.count; k++) known = known || m->surfaces.at[k] == form;
    if (status == RITT_OK && moves && !known) status = RITTI_PUSH(m->surfaces, form);
  }
  ritti_free(nodes.at);
  return status;
}

/* ---- the larger model ---- */

/* A longer copy of an array of the model. */
#define LENGTHEN(m, member, count, more)                                                           \
  do {                                                                                             \
    void *longer_ = ritti_arena_alloc((m)->arena, (size_t)(count) + (size_t)(more) + 1,            \
                                      sizeof *(m)->model->member);                                 \
    if (!longer_) return RITT_NO_MEMORY;                                                           \
    if ((count) > 0)                                                                               \
      memcpy(longer_, (m)->model->member, (size_t)(count) * sizeof *(m)->model->member);           \
    (m)->model->member = longer_;                                                                  \
  } while (0)

static ritt_status add_variables(maker *m) {
  ritti_model *model = m->model;
  const char **name;
  int all = m->variables + m->count * m->block;
  LENGTHEN(m, variable, m->variables, m->count * m->block);
  RITTI_NEW(name, m->arena, all + 1);
  for (int j = 0; j < m->variables; j++) name[j] = model->names.variable[j];
  for (int p = 0; p < m->count; p++)
    for (int j = 0; j < m->block; j++) {
      int k = tangent_number(m, p, j);
      const char *of = j < m->variables ? model->variable[j].name : model->independent;
      name[k] = ritti_arena_format(m->arena, "d(%s)/d(%s)", of, m->by[p].name);
      if (!name[k]) return RITT_NO_MEMORY;
      model->variable[k] = (ritti_variable_def){.name = name[k]};
    }
  model->variables = all;
  model->names.variable = name;
  return RITT_OK;
}

static ritt_status add_equations(maker *m) {
  ritti_model *model = m->model;
  int more = m->count * (m->equations + m->shifts), at = m->equations;
  ritti_expr zero = ritti_number(m->dag, 0, 1);
  LENGTHEN(m, equation, m->equations, more);
  for (int p = 0; p < m->count; p++) {
    for (int i = 0; i < m->equations; i++) {
      const ritti_equation_def *from = &model->equation[i];
      ritti_equation_def *to = &model->equation[at++];
      *to = (ritti_equation_def){.right = zero, .place = from->place};
      to->subject =
          ritti_arena_format(m->arena, "derivative of equation %d by %s", i + 1, m->by[p].name);
      if (!to->subject) return RITT_NO_MEMORY;
      RITT_TRY(find_tangent(m, p, from->residual, &to->residual));
      to->left = to->residual;
    }
    if (!m->shifts) continue;
    ritti_expr shift = ritti_jet(m->dag, tangent_number(m, p, m->variables), 1);
    model->equation[at++] = (ritti_equation_def){
        .left = shift, .right = zero, .residual = shift, .subject = "equation of a shift"};
  }
  model->equations = at;
  return RITT_OK;
}

/* The value of the derivative of a start value by p. */
static ritt_status start_tangent(maker *m, int p, const ritti_start_def *start, double *out) {
  double *parameter;
  *out = start->variable == m->by[p].variable && start->order == m->by[p].order ? 1 : 0;
  if (m->by[p].variable >= 0 || start->expr == RITTI_NIL) return RITT_OK;
  ritti_expr e;
  RITT_TRY(find_tangent(m, p, start->expr, &e));
  RITTI_NEW(parameter, m->arena, m->model->parameters + 1);
  for (int i = 0; i < m->model->parameters; i++) parameter[i] = m->model->parameter[i].number;
  ritti_values values = {.independent = m->model->start_x, .parameter = parameter};
  return ritti_dag_evaluate(m->dag, e, &values, out);
}

static ritt_status add_starts(maker *m, ritt_error *error) {
  ritti_model *model = m->model;
  int at = m->starts;
  LENGTHEN(m, start, m->starts, m->count * (m->starts + 1));
  for (int p = 0; p < m->count; p++) {
    for (int i = 0; i < m->starts; i++) {
      const ritti_start_def *from = &model->start[i];
      ritti_start_def *to = &model->start[at++];
      *to = *from;
      to->variable = tangent_number(m, p, from->variable);
      to->half_unit = 0;
      RITT_TRY(start_tangent(m, p, from, &to->number));
      to->expr = ritti_binary_number(m->dag, to->number);
      if (!isfinite(to->number))
        return ritti_fail(error, RITT_IMPOSSIBLE, &from->place, NULL,
                          "the start value has no finite derivative by %s", m->by[p].name);
    }
    if (!m->shifts) continue;
    model->start[at++] = (ritti_start_def){.variable = tangent_number(m, p, m->variables),
                                           .fixed = true,
                                           .expr = ritti_number(m->dag, 0, 1),
                                           .text = ""};
  }
  model->starts = at;
  return RITT_OK;
}

/* ---- jumps ---- */

/* What a jump of the event assigns to a derivative of a variable: an expression of the values
 * before. */
static ritti_expr jump_value(const maker *m, const ritti_event_def *event, int jumps, int variable,
                             int order) {
  for (int i = 0; i < jumps; i++)
    if (event->jump[i].variable == variable && event->jump[i].order == order)
      return event->jump[i].value;
  return ritti_jet(m->dag, variable, order);
}

/* Adds the jumps of the tangents by p. Derivatives that are not coordinates are left out later. */
static ritt_status add_jumps(maker *m, int p, int jumps, ritti_event_def *event) {
  enum { HIGHER = 2 }; /* orders that the completion may add */
  ritti_dag *dag = m->dag;
  ritti_expr tangent, tau;
  RITT_TRY(find_tangent(m, p, event->function, &tangent));
  tau = ritti_negate(dag, ritti_divide(dag, tangent, ritti_dag_total(dag, event->function)));
  for (int j = 0; j < m->variables; j++)
    for (int k = 0; k <= m->order[j] + HIGHER; k++) {
      ritti_expr value = jump_value(m, event, jumps, j, k), moved;
      RITT_TRY(find_tangent(m, p, value, &moved));
      moved = ritti_add(dag, moved, ritti_multiply(dag, tau, ritti_dag_total(dag, value)));
      event->jump[event->jumps++] = (ritti_jump_def){.variable = tangent_number(m, p, j),
                                                     .order = k,
                                                     .value = moved,
                                                     .optional = true,
                                                     .place = event->place};
    }
  int shift = tangent_number(m, p, m->variables);
  event->jump[event->jumps++] =
      (ritti_jump_def){.variable = shift,
                       .value = ritti_add(dag, ritti_jet(dag, shift, 0), tau),
                       .optional = true,
                       .place = event->place};
  return ritti_dag_status(dag);
}

/* Adds tangents to the jumps of events, and events at the switches. */
static ritt_status add_events(maker *m) {
  ritti_model *model = m->model;
  int all = m->events, most = m->count;
  LENGTHEN(m, event, m->events, m->surfaces.count);
  for (size_t i = 0; i < m->surfaces.count; i++)
    model->event[all++] =
        (ritti_event_def){.name = "switch", .function = m->surfaces.at[i], .hidden = true};
  model->events = all;
  for (int j = 0; j < m->variables; j++) most += m->count * (m->order[j] + 3);
  for (int i = 0; i < all; i++) {
    ritti_event_def *event = &model->event[i];
    int jumps = event->jumps;
    ritti_jump_def *jump;
    if (jumps == 0 && !event->hidden) continue;
    RITTI_NEW(jump, m->arena, jumps + most);
    if (jumps > 0) memcpy(jump, event->jump, (size_t)jumps * sizeof *jump);
    event->jump = jump;
    for (int p = 0; p < m->count; p++) RITT_TRY(add_jumps(m, p, jumps, event));
  }
  return RITT_OK;
}

/* ---- outputs ---- */

/* Without a list: all variables, then their derivatives below the highest. */
static ritt_status list_outputs(maker *m) {
  ritti_model *model = m->model;
  int most = 0, at = 0;
  if (model->outputs > 0) return RITT_OK;
  for (int j = 0; j < m->variables; j++) most += 1 + m->order[j];
  RITTI_NEW(model->output, m->arena, most + 1);
  for (int k = 0; at < most; k++) {
    bool any = false;
    for (int j = 0; j < m->variables; j++) {
      if (k > 0 && k >= m->order[j]) continue;
      const char *name = ritti_jet_name(m->arena, model->variable[j].name, k);
      if (!name) return RITT_NO_MEMORY;
      ritti_expr e = ritti_jet(m->dag, j, k);
      model->output[at++] =
          (ritti_output_def){.name = name, .expr = e, .unit = ritti_unit_of(model, m->arena, e)};
      any = true;
    }
    if (!any) break;
  }
  model->outputs = at;
  return RITT_OK;
}

/* The derivatives of the outputs at fixed x. */
static ritt_status add_outputs(maker *m) {
  ritti_model *model = m->model;
  RITT_TRY(list_outputs(m));
  int outputs = model->outputs, at = outputs;
  LENGTHEN(m, output, outputs, m->count * outputs);
  for (int p = 0; p < m->count; p++)
    for (int i = 0; i < outputs; i++) {
      ritti_output_def from = model->output[i];
      ritti_expr e;
      RITT_TRY(find_tangent(m, p, from.expr, &e));
      if (m->shifts) {
        ritti_expr shift = ritti_jet(m->dag, tangent_number(m, p, m->variables), 0);
        ritti_expr along = ritti_dag_total(m->dag, from.expr);
        e = ritti_subtract(m->dag, e, ritti_multiply(m->dag, shift, along));
      }
      const char *name = ritti_arena_format(m->arena, "d(%s)/d(%s)", from.name, m->by[p].name);
      if (!name) return RITT_NO_MEMORY;
      model->output[at++] = (ritti_output_def){.name = name, .expr = e, .place = from.place};
    }
  model->outputs = at;
  return ritti_dag_status(m->dag);
}

static ritt_status make_tangents(maker *m, ritt_error *error) {
  ritti_model *model = m->model;
  RITT_TRY(find_orders(m));
  RITT_TRY(find_surfaces(m));
  m->shifts = m->surfaces.count > 0;
  for (int i = 0; i < m->events; i++) m->shifts = m->shifts || model->event[i].jumps > 0;
  m->block = m->variables + m->shifts;
  RITT_TRY(add_variables(m));
  RITT_TRY(add_equations(m));
  RITT_TRY(add_starts(m, error));
  if (m->shifts) RITT_TRY(add_events(m));
  RITT_TRY(add_outputs(m));
  model->tangents = true;
  model->tangent_first = m->variables;
  model->tangent_block = m->block;
  model->tangent_count = m->count;
  return ritti_dag_status(m->dag);
}

static maker begin_maker(ritti_model *model, ritti_arena *arena) {
  return (maker){.model = model,
                 .dag = model->dag,
                 .arena = arena,
                 .variables = model->variables,
                 .equations = model->equations,
                 .events = model->events,
                 .starts = model->starts};
}

ritt_status ritti_has_jumps(ritti_model *model, ritti_arena *arena, bool *out) {
  maker m = begin_maker(model, arena);
  ritt_status status = find_surfaces(&m);
  *out = m.surfaces.count > 0;
  for (int i = 0; i < m.events; i++) *out = *out || model->event[i].jumps > 0;
  RITTI_ARRAY_FREE(m.surfaces);
  return status;
}

ritt_status ritti_list_all_outputs(ritti_model *model, ritti_arena *arena) {
  maker m = begin_maker(model, arena);
  RITT_TRY(find_orders(&m));
  return list_outputs(&m);
}

ritt_status ritti_add_tangents(ritti_model *model, const ritti_tangent_by *by, int count,
                               ritti_arena *arena, ritt_error *error) {
  maker m = begin_maker(model, arena);
  m.by = by;
  m.count = count;
  ritt_status status = make_tangents(&m, error);
  RITTI_ARRAY_FREE(m.surfaces);
  return status;
}
