/* Events, switching surfaces and validities of a Problem: their functions and derivatives, what an
 * event assigns, which coordinates a switch may change, and the law of impulses.
 */
#include <limits.h>
#include "tape/eval_impl.h"

typedef ritti_evaluator evaluator;

/* Does e consist of sums and products only? mod(t, 1) has a constant gradient, too, but jumps. */
static ritt_status is_polynomial(const ritti_dag *dag, ritti_expr e, bool *yes) {
  ritti_nodes nodes;
  RITT_TRY(ritti_nodes_below(dag, &e, 1, &nodes));
  *yes = true;
  for (size_t n = 0; n < nodes.count; n++) {
    ritti_op op = ritti_op_of(dag, nodes.at[n]);
    *yes &= op == RITTI_NUMBER || op == RITTI_PI || op == RITTI_INDEPENDENT || op == RITTI_JET ||
            op == RITTI_PARAMETER || op == RITTI_ADD || op == RITTI_MULTIPLY;
  }
  ritti_free(nodes.at);
  return RITT_OK;
}

/* Their gradients by coordinates and tops. */
static ritt_status fill_monitor_df(evaluator *e, ritti_arena *arena, const ritti_expr *argument,
                                   ritti_derivatives *s, ritti_problem *p) {
  const ritti_reduced *r = e->reduced;
  int *start, *col;
  RITTI_NEW(start, arena, p->monitors + 1);
  for (int i = 0; i < p->monitors; i++) {
    RITT_TRY(ritti_derivative_row(r, e->layout, argument[i], r->m + r->tops - 1, s));
    start[i + 1] = (int)s->col.count;
  }
  RITTI_NEW(col, arena, s->col.count + 1);
  if (s->col.count) memcpy(col, s->col.at, s->col.count * sizeof *col);
  p->dmonitor = (ritti_pattern){p->monitors, r->m + r->tops, start, col};

  /* which of them are linear in the coordinates */
  bool *straight;
  RITTI_NEW(straight, arena, p->monitors + 1);
  for (int i = 0; i < p->monitors; i++) {
    RITT_TRY(is_polynomial(r->model->dag, argument[i], &straight[i]));
    for (int k = start[i]; k < start[i + 1]; k++)
      straight[i] &= col[k] < r->m && ritti_op_of(r->model->dag, s->entry.at[k]) == RITTI_NUMBER;
  }
  if (p->monitors > 0) p->straight = straight;
  return ritti_tape_record(e->layout, arena, s->entry.at, s->entry.count, &e->monitor_df);
}

/* Events, surfaces, validities, each on the sides given. */
static ritt_status make_monitor(evaluator *e, ritti_arena *arena, ritti_problem *p) {
  const ritti_reduced *r = e->reduced;
  const ritti_model *model = r->model;
  ritti_expr *argument;
  /* numbers of each kind, and the cones that surfaces belong to */
  p->events = model->events, p->surfaces = r->kinks - r->validities, p->validities = r->validities;
  p->monitors = model->events + r->kinks;
  int *cone, cones = 0;
  RITTI_NEW(cone, arena, p->surfaces + 1);
  for (int i = 0; i < p->surfaces; i++) {
    cone[i] = r->kink[i].cone;
    cones += cone[i] > 0;
  }
  p->cone = cones ? cone : NULL;
  /* their functions, and the derivatives */
  RITTI_NEW(argument, arena, p->monitors);
  for (int i = 0; i < model->events; i++) argument[i] = model->event[i].function;
  for (int i = 0; i < r->kinks; i++) argument[model->events + i] = r->kink[i].function;
  RITT_TRY(ritti_one_side(r, arena, (size_t)p->monitors, &argument));
  RITT_TRY(ritti_tape_record(e->layout, arena, argument, (size_t)p->monitors, &e->monitor));

  ritti_derivatives s = {0};
  ritt_status status = fill_monitor_df(e, arena, argument, &s, p);
  RITTI_ARRAY_FREE(s.entry);
  RITTI_ARRAY_FREE(s.col);
  return status;
}

/* The highest derivative of each variable in the equations. */
static ritt_status find_highest(const evaluator *e, ritti_arena *arena, int **out) {
  const ritti_model *model = e->reduced->model;
  int *highest;
  RITTI_NEW(highest, arena, model->variables + 1);
  for (int i = 0; i < model->equations; i++) {
    ritti_nodes jets;
    RITT_TRY(ritti_leaves(model->dag, model->equation[i].residual, RITTI_JET, &jets));
    for (size_t k = 0; k < jets.count; k++) {
      int j = ritti_index_of(model->dag, jets.at[k]),
          order = ritti_order_of(model->dag, jets.at[k]);
      if (order > highest[j]) highest[j] = order;
    }
    ritti_free(jets.at);
  }
  *out = highest;
  return RITT_OK;
}

/* The equations of the model in the variables that are kept, on one side. */
static ritt_status list_equations(const evaluator *e, ritti_arena *arena, ritti_expr **out) {
  const ritti_reduced *r = e->reduced;
  const ritti_model *model = r->model;
  ritti_expr *leaf, *value;
  RITTI_NEW(*out, arena, model->equations + 1);
  RITTI_NEW(leaf, arena, r->removals + 1);
  RITTI_NEW(value, arena, r->removals + 1);
  /* replace the variables that the completion has removed */
  for (int i = 0; i < model->equations; i++) (*out)[i] = model->equation[i].residual;
  for (int i = 0; i < r->removals; i++) {
    leaf[i] = ritti_jet(model->dag, r->removed[i].variable, 0);
    value[i] = r->removed[i].value;
  }
  if (r->removals)
    RITT_TRY(ritti_dag_substitute(model->dag, leaf, value, (size_t)r->removals, *out,
                                  (size_t)model->equations));
  return ritti_one_side(r, arena, (size_t)model->equations, out);
}

/* The derivatives of the equations by the highest derivative of each variable. */
static ritt_status fill_impulses(evaluator *e, ritti_arena *arena, const int *highest,
                                 ritti_derivatives *s, ritti_problem *p) {
  const ritti_reduced *r = e->reduced;
  const ritti_model *model = r->model;
  ritti_dag *dag = model->dag;
  uint32_t all = (uint32_t)(r->m + r->tops);
  ritti_expr *equation;
  int *start, *col, *velocity, *top;
  RITT_TRY(list_equations(e, arena, &equation));
  RITTI_NEW(start, arena, model->equations + 1);
  RITTI_NEW(velocity, arena, model->variables + 1);
  RITTI_NEW(top, arena, model->variables + 1);
  /* the matrix, row by row */
  for (int i = 0; i < model->equations; i++) {
    ritti_gradient g;
    RITT_TRY(ritti_dag_gradient_of(dag, equation[i], 1u << RITTI_JET, &g));
    ritt_status status = RITT_OK;
    for (size_t k = 0; k < g.count && status == RITT_OK; k++) {
      int variable = ritti_index_of(dag, g.leaf[k]);
      if (ritti_order_of(dag, g.leaf[k]) < highest[variable]) continue;
      status = RITTI_PUSH(s->entry, g.derivative[k]);
      if (status == RITT_OK) status = RITTI_PUSH(s->col, variable);
    }
    ritti_gradient_clear(&g);
    RITT_TRY(status);
    start[i + 1] = (int)s->col.count;
  }
  RITTI_NEW(col, arena, s->col.count + 1);
  if (s->col.count) memcpy(col, s->col.at, s->col.count * sizeof *col);
  /* where velocities and highest derivatives are; -1: not in the point */
  for (int j = 0; j < model->variables; j++) {
    uint32_t slot = ritti_layout_slot(e->layout, ritti_jet(dag, j, highest[j]));
    top[j] = slot < all ? (int)slot : -1;
    slot = highest[j] ? ritti_layout_slot(e->layout, ritti_jet(dag, j, highest[j] - 1)) : all;
    velocity[j] = slot < (uint32_t)r->m ? (int)slot : -1;
  }
  p->impulses = (ritti_pattern){model->equations, model->variables, start, col};
  p->impulse_top = top, p->velocity = velocity;
  return ritti_tape_record(e->layout, arena, s->entry.at, s->entry.count, &e->impulses);
}

/* The roles of the coordinates where the equations switch, and the law of impulses. */
static ritt_status find_roles(evaluator *e, ritti_arena *arena, ritti_problem *p) {
  const ritti_reduced *r = e->reduced;
  const ritti_dag *dag = r->model->dag;
  int *role, *highest;
  RITT_TRY(find_highest(e, arena, &highest));
  RITTI_NEW(role, arena, r->m);
  /* a coordinate follows from others, is a velocity, or is a state */
  for (int i = 1; i < r->m; i++) {
    int order = ritti_order_of(dag, r->coordinate[i]);
    role[i] = order >= highest[ritti_index_of(dag, r->coordinate[i])] ? RITTI_ROLE_FOLLOWS
              : order > 0                                             ? RITTI_ROLE_VELOCITY
                                                                      : RITTI_ROLE_STATE;
  }
  p->role = role;
  /* without constraints nothing carries impulses */
  if (r->k == 0) return RITT_OK;
  ritti_derivatives s = {0};
  ritt_status status = fill_impulses(e, arena, highest, &s, p);
  RITTI_ARRAY_FREE(s.entry);
  RITTI_ARRAY_FREE(s.col);
  return status;
}

/* Can something jump? */
static bool needs_roles(const ritti_reduced *r) {
  const ritti_model *model = r->model;
  bool jumps = false;
  for (int i = 0; i < model->events; i++) jumps = jumps || model->event[i].jumps > 0;
  return jumps || model->tangents || model->constants || model->valued || model->inputs ||
         r->kinks > r->validities || r->kind == RITT_GENERAL;
}

/* Is u a linear function of coordinates whose coefficients are numbers? */
static ritt_status is_linear(const evaluator *e, ritti_expr u, bool *out) {
  const ritti_dag *dag = e->reduced->model->dag;
  ritti_gradient g;
  RITT_TRY(ritti_dag_gradient((ritti_dag *)(uintptr_t)dag, u, &g));
  *out = true;
  for (size_t i = 0; i < g.count; i++)
    *out = *out && ritti_op_of(dag, g.leaf[i]) == RITTI_JET &&
           ritti_op_of(dag, g.derivative[i]) == RITTI_NUMBER &&
           ritti_layout_slot(e->layout, g.leaf[i]) < (uint32_t)e->reduced->m;
  ritti_gradient_clear(&g);
  return RITT_OK;
}

/* True if an output has a switch. */
static ritt_status outputs_switch(const evaluator *e, bool *out) {
  ritti_dag *dag = e->reduced->model->dag;
  ritti_nodes nodes;
  RITT_TRY(ritti_nodes_below(dag, e->outputs, e->output_count, &nodes));
  *out = false;
  for (size_t i = 0; i < nodes.count; i++)
    *out = *out || ritti_kink_argument(dag, nodes.at[i]) != RITTI_NIL;
  ritti_free(nodes.at);
  return RITT_OK;
}

/* Where the derivatives of coordinates and tops are, and on which surfaces they can slide. */
static ritt_status find_tangents(const evaluator *e, ritti_arena *arena, ritti_problem *p) {
  const ritti_reduced *r = e->reduced;
  const ritti_model *model = r->model;
  int all = r->m + r->tops, *tangent;
  bool *smooth, switches, found = true;
  RITTI_NEW(tangent, arena, all * model->tangent_count + 1);
  RITTI_NEW(smooth, arena, p->surfaces + 1);
  /* the tangent of each coordinate is a jet of another variable */
  for (int q = 0, at = 0; q < model->tangent_count; q++)
    for (int i = 0; i < all; i++, at++) {
      tangent[at] = -1;
      ritti_expr leaf = i < r->m ? r->coordinate[i] : r->top[i - r->m];
      if (i == 0 || ritti_index_of(model->dag, leaf) >= model->tangent_first) continue;
      int variable = model->tangent_first + q * model->tangent_block;
      variable += ritti_index_of(model->dag, leaf);
      uint32_t slot = ritti_layout_slot(
          e->layout, ritti_jet(model->dag, variable, ritti_order_of(model->dag, leaf)));
      if (slot < (uint32_t)all) tangent[at] = (int)slot;
      found = found && tangent[at] >= 0 && (tangent[at] < r->m) == (i < r->m);
    }
  /* sliding is smooth if the surface is linear and nothing else switches */
  RITT_TRY(outputs_switch(e, &switches));
  for (int i = 0; i < p->surfaces && found && !switches; i++)
    RITT_TRY(is_linear(e, r->kink[i].function, &smooth[i]));
  p->tangent = tangent, p->tangent_count = model->tangent_count, p->smooth_slide = smooth;
  return RITT_OK;
}

/* The surface at which a hidden event happens. */
static int find_surface(const ritti_reduced *r, int surfaces, ritti_expr function) {
  bool reversed;
  for (int i = 0; i < surfaces; i++)
    if (ritti_surface_form(r->model->dag, r->kink[i].argument, &reversed) == function) return i;
  return -1;
}

/* The coordinates whose values the equations hold. */
static ritt_status find_form(const evaluator *e, ritti_arena *arena, ritti_problem *p) {
  const ritti_reduced *r = e->reduced;
  const ritti_model *model = r->model;
  int *form;
  if (model->constants == 0) return RITT_OK;
  RITTI_NEW(form, arena, r->m);
  for (int i = 1; i < r->m; i++)
    for (int c = 0; c < model->constants; c++)
      form[i] |= r->coordinate[i] == ritti_jet(model->dag, model->constant[c], 0);
  p->form = form;
  return RITT_OK;
}

/* Records what an event assigns, and lists the coordinates that it must not change. */
static ritt_status make_jump(evaluator *e, ritti_arena *arena, int event, const int *role,
                             ritti_event *out, ritt_error *error) {
  const ritti_event_def *def = &e->reduced->model->event[event];
  const ritti_reduced *r = e->reduced;
  ritti_expr *value;
  bool *kept, *assigned, *written;
  int *target, count = 0, lowest = INT_MAX;
  RITTI_NEW_ARRAYS(arena, def->jumps + 1, value, target, written);
  RITTI_NEW_ARRAYS(arena, r->m, kept, assigned);
  for (int j = 0; j < def->jumps; j++) {
    /* The coordinate that a jump assigns; -1: it is none. */
    const ritti_jump_def *jump = &def->jump[j];
    uint32_t slot =
        ritti_layout_slot(e->layout, ritti_jet(r->model->dag, jump->variable, jump->order));
    int coordinate = slot < (uint32_t)r->m ? (int)slot : -1;

    if (coordinate < 0 && jump->optional) continue;
    if (coordinate < 0)
      return ritti_fail(
          error, RITT_WRONG_MODEL, &jump->place, "assign a variable or derivative below it",
          "the equations determine %s, so that it cannot jump",
          ritti_jet_name(arena, r->model->variable[jump->variable].name, jump->order));
    if (!jump->optional && jump->order < lowest) lowest = jump->order;
    value[count] = jump->value;
    written[count] = !jump->optional;
    target[count++] = coordinate;
  }
  RITT_TRY(ritti_one_side(r, arena, (size_t)count, &value));

  /* What a jump assigns is kept, and so is what it does not assign of lower order than what it
   * does, unless it follows from others. */
  for (int i = 0; i < r->m; i++)
    kept[i] = i == 0 || (ritti_order_of(r->model->dag, r->coordinate[i]) < lowest &&
                         !(role && role[i] == RITTI_ROLE_FOLLOWS));
  for (int j = 0; j < count; j++) kept[target[j]] = assigned[target[j]] = written[j];

  e->target[event] = target;
  if (count) out->kept = kept, out->assigned = assigned;
  return ritti_tape_record(e->layout, arena, value, (size_t)count, &e->jump[event]);
}

ritt_status ritti_events_make(ritti_evaluator *e, ritti_arena *arena, ritti_problem *p,
                              ritt_error *error) {
  const ritti_reduced *r = &e->sided;
  RITT_TRY(make_monitor(e, arena, p));

  /* switches and events */
  const ritti_model *model = e->reduced->model;
  ritti_event *event;
  if (needs_roles(r)) RITT_TRY(find_roles(e, arena, p));
  if (model->tangents) RITT_TRY(find_tangents(e, arena, p));
  RITT_TRY(find_form(e, arena, p));
  RITTI_NEW_ARRAYS(arena, model->events, event, e->jump, e->target);
  for (int i = 0; i < model->events; i++) {
    const ritti_event_def *def = &model->event[i];
    event[i] =
        (ritti_event){.name = def->name,
                      .sense = def->sense,
                      .stop = def->stop,
                      .record = def->record,
                      .hidden = def->hidden,
                      .surface = def->hidden ? find_surface(r, p->surfaces, def->function) : -1};
    RITT_TRY(make_jump(e, arena, i, p->role, &event[i], error));
  }
  p->event = event;
  return RITT_OK;
}
